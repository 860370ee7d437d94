//! Guides that nobody wrote: from a program and the sketch of a goal to the sketches between them (`plan`), and from a
//! program and a sketch to the rules of the library that can help (`choice`), that would have helped (`lead`), or that
//! make room for another one (`enable`). Whoever runs searches takes these one after the other (thesis, future work: to
//! infer intermediate sketches).

pub mod choice;
mod enable;
mod joined;
pub mod lead;
pub mod nest;
pub mod plan;
mod reading;
mod sizes;
mod sums;
pub mod text;
mod vectors;
mod way;

pub use choice::{Breadth, Step, breadths, rules, separated};
pub use enable::{Enabling, enabling};
pub use lead::{Lead, lead};
pub use plan::{Guide, most_dims, plans};
pub use sizes::{Filled, filled, sizes_of};
pub use sums::unmade_sum;
pub use text::Writer;
