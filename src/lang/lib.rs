//! What a program is: sources and diagnostics, syntax, symbolic sizes, types, terms, the table of patterns, the
//! reference interpreter and the loop-nest reading.
//!
//! Text comes in, typed [`term::Term`]s go out. Parsing and inference never give up: they return what they
//! understood and the list of problems. Nothing here does I/O.

#[cfg(test)]
mod arbitrary;
pub mod build;
pub mod columns;
pub mod constraint;
pub mod decided;
pub mod declared;
pub mod diag;
pub mod digest;
pub mod doc;
pub mod eval;
pub mod explain;
pub mod infer;
pub mod literal;
pub mod loops;
pub mod math;
pub mod nat;
pub mod needed;
pub mod origin;
pub mod partial;
pub mod path;
pub mod pattern;
pub mod permutation;
pub mod preorder;
pub mod print;
pub mod root;
pub mod rounding;
pub mod sort;
pub mod source;
pub mod steps;
pub mod summary;
pub mod syntax;
pub mod term;
pub mod ty;
pub mod undefined;
pub mod value;
pub mod work;

// `arbitrary` is a file of the tests of later crates, too, and names this crate as they do.
#[cfg(test)]
extern crate self as shine_lang;

/// The deepest nesting that sources may have and that rewriting may build.
pub const MAX_DEPTH: usize = 400;
