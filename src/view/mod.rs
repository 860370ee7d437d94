//! What there is to see: plain lines of spans with roles, never colours.
//!
//! In come values of the stages before (terms, rules, reports, text); out go [`Line`]s. What must hold: a view
//! is a pure function of what it shows, it knows no screen (no colour, no size of a terminal beyond a width it
//! is given), and every fact it shows is in its text, so that a role only ever adds emphasis.

pub mod bars;
pub mod bench;
pub mod best;
pub mod code;
pub mod crumbs;
pub mod dearer;
pub mod diff;
pub mod effect;
pub mod examined;
pub mod figures;
pub mod fold;
pub mod growth;
pub mod handover;
pub mod history;
pub mod html;
pub mod jobs;
pub mod kernel;
pub mod lines;
pub mod loops;
pub mod origins;
pub mod picture;
pub mod problem;
pub mod quoted;
pub mod reasons;
pub mod roofline;
pub mod rules;
pub mod search;
pub mod status;
pub mod surface;
pub mod sweep;
pub mod table;
pub mod term;
pub mod text;
pub mod tune;

pub use lines::Lines;
pub use text::{Alphabet, Line, Mark, Pixels, Role, Span};
