//! How a program becomes imperative (thesis section 3.1.3).
//!
//! The way: [`choose`] makes any term a low-level one, [`access`] finds which of its values can be read where they are,
//! [`imperative`] translates it to [`dpia`], [`separate`] tells kernels from what the host does, and [`passes`] make each of
//! them what can be printed. [`pipeline`] runs them. No
//! folder asks one that comes after it, nor does the translation ask how a term came to be.

use shine_lang as lang;
use shine_rewrite as rewrite;

// The tests of this stage draw the terms that those of the language do. As a feature of that crate they would be built into
// a crate that no release has.
#[cfg(test)]
#[path = "../lang/arbitrary.rs"]
#[allow(dead_code, reason = "each stage draws what it needs")]
mod arbitrary;

pub mod access;
pub mod choose;
mod divisions;
pub mod dpia;
pub mod imperative;
mod nesting;
pub mod origin;
pub mod passes;
pub mod pipeline;
mod reductions;
pub mod separate;
pub mod target;
#[cfg(test)]
mod tests;

pub use choose::{Drawn, Nest, default_lowering, lower_term, nest, on_threads, outline, sequential};
pub use target::Target;

/// Deep terms need a deep stack.
pub fn with_stack<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 20, 256 << 20, f)
}
