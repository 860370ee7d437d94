//! Passes over imperative DPIA, by name, in the order in which each target runs them.

pub mod elide;
pub mod layout;
pub mod memory;
pub mod simplify;
pub mod split;
pub mod unroll;
pub mod work_items;

use super::dpia::{Names, Phrase, PhraseType};
use super::translate::Translator;
use super::views;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::ty::Type;

/// What the code is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// C with OpenMP.
    C,
    OpenCl,
}

/// A kernel on its way to code.
#[derive(Clone, Debug)]
pub struct Imperative {
    pub output: (Name, Type),
    pub inputs: Vec<(Name, Type)>,
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
    /// Checks the types again, and that loops in parallel do not race. Returns the variables of those that were tried at
    /// small sizes, not proved.
    ///
    /// # Errors
    /// A mistake of the pass that ran last.
    pub fn check(&self, after: &str) -> Result<Vec<Name>, Diagnostic> {
        let memory = |(x, t): &(Name, Type)| (x.clone(), t.clone());
        let read = |(x, t): (Name, Type)| (x, PhraseType::read(t));
        let mut params: Vec<(Name, PhraseType)> = self.inputs.iter().map(memory).map(read).collect();
        params.push((self.output.0.clone(), PhraseType::Acc(self.output.1.clone())));
        let temporaries: Vec<(Name, Type)> =
            self.temporaries.iter().map(|t| (t.name.clone(), t.ty.clone())).collect();
        let types = super::dpia::check::check(&self.body, &params, &temporaries);
        // Before its views are resolved a program has no cells to compare.
        let races =
            |()| if after == "imperative" { Ok(vec![]) } else { super::dpia::races::check(&self.body) };
        types.and_then(races).map_err(|why| {
            Diagnostic::error("E0598", format!("The code is ill-formed after `{after}`: {why}."))
                .note("This is a mistake of the tool, not of the program.")
        })
    }
}

/// A step from imperative DPIA to imperative DPIA.
pub struct Pass {
    pub name: &'static str,
    pub doc: &'static str,
    pub run: fn(Imperative, &mut Names) -> Result<Imperative, Diagnostic>,
}

/// Every pass, in the order in which passes run.
pub static ALL: &[Pass] = &[
    Pass { name: "views", doc: "Turns views into indices.", run: resolve_views },
    Pass { name: "unroll", doc: "Unrolls loops that are marked for it.", run: unroll::run },
    Pass {
        name: "simplify",
        doc: "Decides what ranges decide, and drops what does nothing.",
        run: simplify::run,
    },
    Pass {
        name: "splitLoops",
        doc: "Makes a loop over joined dimensions a loop for each of them.",
        run: split::run,
    },
    Pass {
        name: "layOut",
        doc: "Lays temporary arrays out in the order in which they are written, where that pays.",
        run: layout::run,
    },
    Pass { name: "elideCopies", doc: "Lets nested accumulators work in place.", run: elide::run },
    Pass { name: "workItems", doc: "Shares parallel loops among work-items.", run: work_items::run },
    Pass {
        name: "kernelMemory",
        doc: "Makes memory that work-items share parameters of the kernel.",
        run: memory::to_parameters,
    },
    Pass { name: "hoistMemory", doc: "Moves large allocations out of sequential loops.", run: memory::hoist },
];

/// The passes that a target runs.
pub fn of(target: Target) -> impl Iterator<Item = &'static Pass> {
    let skipped: &[&str] = match target {
        Target::C => &["workItems", "kernelMemory"],
        Target::OpenCl => &["hoistMemory"],
    };
    ALL.iter().filter(move |p| !skipped.contains(&p.name))
}

fn resolve_views(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut t = Translator { names: std::mem::take(names) };
    let body = views::resolve(&p.body, &mut t);
    *names = t.names;
    p.body = body?;
    Ok(p)
}
