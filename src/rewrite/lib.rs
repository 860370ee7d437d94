//! How does a program change? Rewrite rules, ELEVATE strategies, the e-graph and sketches.
//!
//! Terms come in, terms of the same type go out, with the path from old to new positions and the rule applications
//! that did it; or the reason why not. Nothing here does I/O, reads a clock or starts a thread.

use shine_lang as lang;

// The tests of this stage draw the terms that those of the language do. As a feature of that crate they would be built into
// a crate that no release has.
#[cfg(test)]
#[path = "../lang/arbitrary.rs"]
#[allow(dead_code, reason = "each stage draws what it needs")]
mod arbitrary;

pub mod clearing;
pub mod egraph;
pub mod encodings;
pub mod guide;
pub mod names;
pub mod normal;
pub mod rule;
pub mod search;
pub mod sharing;
pub mod sketch;
pub mod strategy;
