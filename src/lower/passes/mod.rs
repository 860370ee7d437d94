//! Passes over imperative DPIA, by name, in the order in which each target runs them.

pub mod barriers;
mod device_copies;
pub mod elide;
mod guard;
mod halves;
mod in_place;
mod index_sets;
mod lanes;
pub mod layout;
pub mod memory;
mod once;
mod one_iteration;
mod own;
mod parts;
mod registers;
pub mod simplify;
pub mod split;
mod swap;
mod unread;
pub mod unroll;
pub mod work_items;
mod workers;

use crate::Target;
use crate::dpia::{Imperative, Names};
use crate::imperative::translate::Translator;
use crate::imperative::views;
use crate::lang::diag::Diagnostic;

/// A step from imperative DPIA to imperative DPIA.
pub struct Pass {
    pub name: &'static str,
    pub doc: &'static str,
    pub run: fn(Imperative, &mut Names) -> Result<Imperative, Diagnostic>,
}

/// Every pass, in the order in which passes run.
pub static ALL: &[Pass] = &[
    Pass { name: "views", doc: "Turns views into indices.", run: resolve_views },
    Pass {
        name: "swapBuffers",
        doc: "Lets kernels that the host runs step by step take turns with two arrays, instead of copying one.",
        run: swap::run,
    },
    Pass { name: "inPlace", doc: "Lets accumulators be updated where they are.", run: in_place::run },
    Pass {
        name: "deviceCopies",
        doc: "Copies on the device what kernels hand on to each other.",
        run: device_copies::run,
    },
    Pass {
        name: "ownCells",
        doc: "Lets work-items keep what they alone use of private memory that all of them write.",
        run: own::run,
    },
    Pass { name: "unroll", doc: "Unrolls loops that are marked for it.", run: unroll::run },
    Pass {
        name: "simplify",
        doc: "Decides what ranges decide, and drops what does nothing.",
        run: simplify::run,
    },
    Pass {
        name: "halvesAsFloats",
        doc: "Keeps floats in the place of halves that are only moved.",
        run: halves::run,
    },
    Pass {
        name: "registers",
        doc: "Makes private arrays of which every index is known a variable for each element.",
        run: registers::run,
    },
    Pass {
        name: "joinLanes",
        doc: "Makes loops over lanes that follow each other one, and vectors that only it uses numbers.",
        run: lanes::run,
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
    Pass {
        name: "storage",
        doc: "Decides where memory is: in registers, on the stack, …",
        run: memory::decide,
    },
    Pass { name: "elideCopies", doc: "Lets nested accumulators work in place.", run: elide::run },
    Pass {
        name: "oneIteration",
        doc: "Runs the one iteration that data choose, where all others would do nothing.",
        run: one_iteration::run,
    },
    Pass {
        name: "guardWrites",
        doc: "Lets one work-item write what its group writes outside `mapLocal`.",
        run: guard::run,
    },
    Pass { name: "workItems", doc: "Shares parallel loops among work-items.", run: work_items::run },
    Pass {
        name: "kernelMemory",
        doc: "Makes memory that work-items share parameters of the kernel.",
        run: memory::to_parameters,
    },
    Pass {
        name: "barriers",
        doc: "Lets the work-items of a group wait for each other where they must.",
        run: barriers::run,
    },
    Pass {
        name: "onlyOnce",
        doc: "Unfolds loops of which a work-item runs at most one iteration.",
        run: once::run,
    },
    Pass {
        name: "splitChoices",
        doc: "Splits loops where their choices change, so that nothing is asked in the long part.",
        run: index_sets::run,
    },
    Pass { name: "hoistMemory", doc: "Moves large allocations out of sequential loops.", run: memory::hoist },
];

/// How many passes come before kernels are separated.
const OF_PROGRAMS: usize = 4;

/// The passes that a whole program goes through, before its kernels are separated.
pub fn of_programs(target: Target) -> impl Iterator<Item = &'static Pass> {
    of(target).filter(|p| is_of_programs(p))
}

fn is_of_programs(p: &Pass) -> bool {
    ALL.iter().take(OF_PROGRAMS).any(|q| q.name == p.name)
}

/// The passes that the code of a target goes through after that.
pub fn of_sections(target: Target) -> impl Iterator<Item = &'static Pass> {
    of(target).filter(|p| !is_of_programs(p))
}

/// The passes that a target runs.
pub fn of(target: Target) -> impl Iterator<Item = &'static Pass> {
    let skipped: &[&str] = match target {
        Target::C => &[
            "swapBuffers",
            "deviceCopies",
            "ownCells",
            "halvesAsFloats",
            "guardWrites",
            "workItems",
            "kernelMemory",
            "barriers",
            "onlyOnce",
        ],
        Target::OpenCl => &["joinLanes", "oneIteration", "splitChoices", "hoistMemory"],
    };
    ALL.iter().filter(move |p| !skipped.contains(&p.name))
}

fn resolve_views(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut t = Translator::new(std::mem::take(names));
    let body = views::resolve(&p.body, &mut t);
    *names = t.names;
    p.body = body?;
    Ok(p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dpia::Kind;
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::{lower_term, pipeline};

    /// The types of what is allocated in a program after the pass, outermost first; or the code of the error.
    pub fn allocated_after(pass: &str, text: &str, target: Target) -> Result<Vec<String>, &'static str> {
        let (file, _) = parse_program(FileId::NOWHERE, text);
        let (program, problems) = infer::program(&file, None);
        let program = program.unwrap_or_else(|| panic!("{text}: {problems:?}"));
        let term = lower_term(&program.term).map_err(|d| d.code)?;
        let lowered = pipeline::lower(&term, &program.sizes, target).map_err(|d| d.code)?;
        let (_, p) = lowered.imperative.iter().find(|(name, _)| *name == pass).unwrap();
        let mut found = vec![];
        p.body.any(&mut |c| {
            if let Kind::New(_, ty, ..) = c.kind() {
                found.push(ty.to_string());
            }
            false
        });
        Ok(found)
    }
}
