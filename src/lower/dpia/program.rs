//! A whole imperative program: its body, and the memory that it is given.

use super::races::Checked;
use super::{Phrase, PhraseType};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Ranges, Worker};
use crate::lang::ty::Type;
use crate::lower::Target;
use crate::lower::target::{Launch, Storage};

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
    /// The work-items that run it, where that is said.
    pub launch: Option<Launch>,
    /// Whether there are barriers where work-items must wait for each other: from then on it is checked.
    pub synchronised: bool,
    pub body: Phrase,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporary {
    pub name: Name,
    pub ty: Type,
    pub storage: Storage,
}

impl Imperative {
    /// What is known of the numbers that work-items are told.
    pub fn ranges(&self) -> Ranges {
        let mut ranges = Ranges::default();
        for d in 0..3 {
            for id in [Worker::LocalId(d), Worker::GroupId(d), Worker::GlobalId(d)] {
                if let Some(n) = id.end().and_then(|n| self.launch.as_ref()?.number(n)) {
                    ranges.limit(id, n);
                }
            }
        }
        ranges
    }

    /// Memory that the work-items of a group share: the output, and what is local or global.
    pub fn shared(&self) -> impl Iterator<Item = (&Name, Storage)> {
        let output = std::iter::once((&self.output.0, Storage::Global));
        let is_shared = |t: &&Temporary| matches!(t.storage, Storage::Local | Storage::Global);
        output.chain(self.temporaries.iter().filter(is_shared).map(|t| (&t.name, t.storage)))
    }

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
        let waits = |checked| {
            if self.synchronised {
                super::barriers::check(self)?;
            }
            Ok(checked)
        };
        types.and_then(races).and_then(waits).map_err(|why| {
            Diagnostic::error("E0598", format!("The code is ill-formed after `{after}`: {why}."))
                .note("This is a mistake of the tool, not of the program.")
        })
    }
}
