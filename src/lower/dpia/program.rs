//! A whole imperative program: its body, and the memory that it is given.

use super::races::Checked;
use super::{Phrase, PhraseType, check, races};
use crate::Target;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Ranges, Worker};
use crate::lang::ty::Type;
use crate::target::{Launch, Storage};

/// A kernel on its way to code.
#[derive(Clone, PartialEq, Debug)]
pub struct Imperative {
    pub target: Target,
    /// What it writes to, and does not read.
    pub outputs: Vec<(Name, Type)>,
    pub inputs: Vec<(Name, Type)>,
    /// What numbers may mention beside the variables of loops.
    pub sizes: Vec<Name>,
    /// What holds of the sizes.
    pub constraints: Vec<SizeConstraint>,
    /// Memory that it is given to work with: read and written.
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

/// What checks found of pieces of a program, which passes mostly leave as they are: it holds of the same piece where the
/// same is known of its names. Nothing that was refused is remembered.
#[derive(Clone, Default, Debug)]
pub struct Remembered {
    types: check::Known,
    races: races::Known,
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

    /// Memory that the work-items of a group share: the outputs, and what is local or global.
    pub fn shared(&self) -> impl Iterator<Item = (&Name, Storage)> {
        let outputs = self.outputs.iter().map(|(x, _)| (x, Storage::Global));
        let is_shared = |t: &&Temporary| t.storage.is_shared();
        outputs.chain(self.temporaries.iter().filter(is_shared).map(|t| (&t.name, t.storage)))
    }

    /// Checks the types again, and that loops in parallel do not race. Returns what is known of the latter.
    ///
    /// # Errors
    /// A mistake of the pass that ran last.
    pub fn check(&self, after: &str, remembered: &mut Remembered) -> Result<Checked, Diagnostic> {
        let inputs = self.inputs.iter().map(|(x, t)| (x.clone(), PhraseType::read(t.clone())));
        let outputs = self.outputs.iter().map(|(x, t)| (x.clone(), PhraseType::Acc(t.clone())));
        let params: Vec<(Name, PhraseType)> = inputs.chain(outputs).collect();
        let temporaries: Vec<(Name, Type)> =
            self.temporaries.iter().map(|t| (t.name.clone(), t.ty.clone())).collect();
        let Imperative { body, sizes, constraints, launch, .. } = self;
        let Remembered { types: known, races: kept_apart } = remembered;
        let types = check::check(body, &params, &temporaries, sizes, constraints, launch.as_ref(), known);
        // Before its views are resolved a program has no cells to compare.
        let races = |()| {
            if after == "imperative" {
                return Ok(Checked::default());
            }
            races::check(&self.body, &self.constraints, kept_apart)
        };
        let waits = |checked| {
            if self.synchronised {
                super::barriers::check(self)?;
            }
            Ok(checked)
        };
        types.and_then(races).and_then(waits).map_err(|why| {
            if let Some(subject) = check::too_large(body) {
                return too_large(subject);
            }
            Diagnostic::error("E0598", format!("The code is ill-formed after `{after}`: {why}."))
                .note("This is a mistake of the tool, not of the program.")
        })
    }
}

/// Numbers are made of sizes and of what the program computes with them, which knows no bounds.
fn too_large(subject: Subject) -> Diagnostic {
    Diagnostic::error(
        "E0516",
        "An index or a number of `natType` becomes too large, or too long to be written.",
    )
    .note("Code computes with numbers of 64 bits.")
    .hint("Choose smaller sizes, or compute it in another type: `cast` the numbers that it is made of first.")
    .about(subject)
}
