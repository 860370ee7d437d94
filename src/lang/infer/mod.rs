//! Type inference: from trees of what was written to typed, closed terms.
//!
//! In: the tree of a program, or of an expression in a context. Out: a [`Program`] or term of which `check` holds,
//! and every problem that was found, in the order of the text. Inference never gives up: after a mistake an unknown
//! stands for what was meant, and nothing that follows from the mistake alone is reported.
//!
//! The way: [`scheme`] reads the patterns' types; `defs` orders the definitions; `elaborate` walks each once and
//! hands equations to [`unify`]; `check` looks at what types must be able to do, `relation` at what
//! truth values say of each other's types; `build` unfolds definitions into
//! a term; `program` chooses what is built and asks what is left open. [`open`] does the same for expressions with
//! free names.

mod brackets;
mod build;
mod check;
pub mod codes;
mod constraint;
mod conversions;
mod declare;
mod defs;
mod elaborate;
pub mod open;
mod program;
pub mod relation;
mod report;
pub mod scheme;
mod state;
#[cfg(test)]
mod tests;
mod tree;
mod types;
pub mod unify;
mod words;

pub use crate::constraint::SizeConstraint;
pub use build::has_size_of_step;
pub use constraint::{Sizes, check_constraint, constraints_of, left_aside, shared_out};
pub use declare::patterns;
pub use open::{Elaborated, Frozen, Numbered, Open, expr};
pub use program::{Program, Spans, program, program_with};
