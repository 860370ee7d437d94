//! How a program becomes imperative (thesis section 3.1.3).

mod acceptor;
pub mod access;
mod components;
mod continuation;
mod default;
mod demand;
pub mod dpia;
pub mod functional;
mod hoist;
mod in_place;
pub mod normal;
pub mod passes;
pub mod pipeline;
mod sequential;
mod stream;
#[cfg(test)]
mod tests;
pub mod translate;
pub mod views;
pub mod workers;

pub use default::{default_lowering, lower_term};
pub use sequential::sequential;

/// Deep terms need a deep stack.
pub(crate) fn with_stack<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 20, 256 << 20, f)
}
