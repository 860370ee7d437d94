//! shine-tui, an interactive optimisation assistant for RISE array programs.
//!
//! The folders are the data's path; each stage uses only the stages before it.

pub mod cli;
pub mod device;
pub mod emit;
pub mod lang;
pub mod lower;
pub mod rewrite;
pub mod session;
pub mod ui;
pub mod view;
