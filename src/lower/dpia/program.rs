//! A whole imperative program: its body, and the memory that it is given.

use super::races::Checked;
use super::{Phrase, PhraseType};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::ty::Type;
use crate::lower::Target;

/// A kernel on its way to code.
#[derive(Clone, Debug)]
pub struct Imperative {
    pub target: Target,
    pub output: (Name, Type),
    pub inputs: Vec<(Name, Type)>,
    /// What numbers may mention beside the variables of loops.
    pub sizes: Vec<Name>,
    /// What holds of the sizes.
    pub constraints: Vec<SizeConstraint>,
    /// Memory that the kernel is given to work with.
    pub temporaries: Vec<Temporary>,
    pub body: Phrase,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporary {
    pub name: Name,
    pub ty: Type,
}

impl Imperative {
    /// Checks the types again, and that loops in parallel do not race. Returns what is known of the latter.
    ///
    /// # Errors
    /// A mistake of the pass that ran last.
    pub fn check(&self, after: &str) -> Result<Checked, Diagnostic> {
        let memory = |(x, t): &(Name, Type)| (x.clone(), t.clone());
        let read = |(x, t): (Name, Type)| (x, PhraseType::read(t));
        let mut params: Vec<(Name, PhraseType)> = self.inputs.iter().map(memory).map(read).collect();
        params.push((self.output.0.clone(), PhraseType::Acc(self.output.1.clone())));
        let temporaries: Vec<(Name, Type)> =
            self.temporaries.iter().map(|t| (t.name.clone(), t.ty.clone())).collect();
        let types = super::check::check(&self.body, &params, &temporaries, &self.sizes, &self.constraints);
        // Before its views are resolved a program has no cells to compare.
        let races = |()| {
            if after == "imperative" { Ok(Checked::default()) } else { super::races::check(&self.body) }
        };
        types.and_then(races).map_err(|why| {
            Diagnostic::error("E0598", format!("The code is ill-formed after `{after}`: {why}."))
                .note("This is a mistake of the tool, not of the program.")
        })
    }
}
