//! A log that is made in memory, with its seals.

use super::seal::Chain;
use super::v1;
use crate::lang::diag::Diagnostic;
use crate::session::action::{Action, Outcome};

/// A log so far.
pub struct Made {
    chain: Chain,
    /// Its text.
    pub text: String,
    records: usize,
}

impl Made {
    /// A log without records.
    ///
    /// # Errors
    /// As [`Made::record`].
    pub fn of(header: &v1::Header) -> Result<Made, Diagnostic> {
        let mut made = Made { chain: Chain::default(), text: String::new(), records: 0 };
        made.push(header)?;
        Ok(made)
    }

    /// Adds an action with its outcome.
    ///
    /// # Errors
    /// `E0805`: it cannot be written as a line.
    pub fn record(&mut self, action: &Action, outcome: &Outcome) -> Result<(), Diagnostic> {
        self.records += 1;
        let (action, outcome) = (action.into(), outcome.into());
        self.push(&v1::Record { n: self.records, action, outcome, seal: String::new() })
    }

    fn push<T: serde::Serialize>(&mut self, value: &T) -> Result<(), Diagnostic> {
        let line = super::line(value).map_err(|e| {
            Diagnostic::error("E0805", format!("A line of the session log cannot be written: {e}."))
        })?;
        self.text += &self.chain.seal(&line);
        self.text.push('\n');
        Ok(())
    }
}
