//! How does a program change? Rewrite rules, ELEVATE strategies, the e-graph and sketches.
//!
//! Terms come in, terms of the same type go out, with the path from old to new positions and the rule applications
//! that did it; or the reason why not. Nothing here does I/O, reads a clock or starts a thread.

use shine_lang as lang;

pub mod egraph;
pub mod encodings;
pub mod guide;
pub mod normal;
pub mod rule;
pub mod search;
pub mod sketch;
pub mod strategy;
