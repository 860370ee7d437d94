//! Text to trees and back, for the four languages (programs, rules, strategies, sketches).
//!
//! In: a text under a [`FileId`](crate::diag::FileId). Out: a tree of [`ast`] and the problems, in source order.
//! Holds: parsing never fails, never panics, and takes time linear in the text.

pub mod ast;
pub mod codes;
pub mod elsewhere;
mod format;
mod lexer;
mod outline;
pub mod pairs;
mod parse;
mod parts;
pub mod print;
mod scan;

pub use format::format;
pub use lexer::{ITEM_WORDS, is_reserved};
pub use outline::{Outline, outline};
pub use parse::{
    MAX_PROBLEMS, parse, parse_elevate, parse_expr, parse_item, parse_program, parse_rule_side, parse_rules,
    parse_size, parse_sketch, parse_strategy, parse_type,
};
pub use parts::{enclosed, without_comments};

#[cfg(test)]
mod tests;
