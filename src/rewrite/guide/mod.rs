//! Guides that nobody wrote: from a program and the sketch of a goal to the sketches between them (`plan`), and from a
//! program and a sketch to the rules of the library that can help (`choice`), that would have helped (`lead`), or that
//! make room for another one (`enable`). Whoever runs searches takes these one after the other (thesis, future work: to
//! infer intermediate sketches).

pub mod choice;
mod enable;
mod joined;
pub mod lead;
pub mod nest;
mod parts;
pub mod plan;
mod reading;
mod sizes;
mod sums;
pub mod text;
mod unsaid;
mod vectors;
mod way;

pub use choice::{Breadth, Step, breadths, rules, separated};
pub use enable::{Enabling, enabling};
pub use lead::{Lead, lead, lead_into};
pub use plan::{Guide, leaves_parts_open, most_dims, plans};
pub use sizes::{Filled, filled, sizes_of};
pub use text::Writer;

use crate::lang::nat::Nat;
use crate::lang::term::Term;
use crate::rule::RuleSet;
use crate::search::unmade::unmade_by_all;
use crate::sketch::Sketch;

/// Why no search that makes its guides itself finds what is asked for, where that is known before it begins. `given` puts the values
/// of sizes in a size, as far as they are given.
pub fn unmade(goal: &Sketch, start: &Term, library: &RuleSet, given: &dyn Fn(&Nat) -> Nat) -> Option<String> {
    let makes = || {
        let guides = plans(goal, start, &separated(library, start), given);
        guides.into_iter().flatten().flat_map(|guide| guide.makes).collect()
    };
    let loops = || parts::unmade_loops(goal, start, library, &makes);
    unmade_by_all(goal, start, library).or_else(|| sums::unmade_sum(goal, start, library)).or_else(loops)
}
