//! shine-tui, an interactive optimisation assistant for RISE array programs.
//!
//! The folders are the data's path; each stage uses only the stages before it.

/// Terms are many small pieces that live for a short time: this allocator takes a tenth to a quarter off the time of commands.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod cli;
pub mod device;
pub mod session;
pub mod ui;
pub mod view;

pub use shine_emit as emit;
pub use shine_lang as lang;
pub use shine_lower as lower;
pub use shine_rewrite as rewrite;
