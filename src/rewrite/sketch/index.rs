//! Constant indices. What is written `natAsIndex 3 0` is one literal in a program, so a sketch of that application is met by
//! a literal, and `natAsIndex` alone by each of them.

use super::{ArgSketch, Shape, Sketch};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;

/// Does the sketch describe applications of `natAsIndex`, or it alone?
pub(super) fn describes_indices(sketch: &Sketch) -> bool {
    parts(sketch).is_some()
}

/// Is the constant index `i` below `n` in the set?
pub(super) fn is_like(sketch: &Sketch, i: &Nat, n: &Nat) -> bool {
    parts(sketch).is_some_and(|(bound, value)| {
        let bounded = match bound.first() {
            Some(ArgSketch::Nat(wanted)) => wanted.has(n),
            Some(ArgSketch::Any) | None => true,
            Some(_) => false,
        };
        bounded && value.is_none_or(|value| value.describes(&Term::lit(Literal::Nat(i.clone()))))
    })
}

/// What a sketch of an index asks of its bound and of its value.
fn parts(sketch: &Sketch) -> Option<(&[ArgSketch], Option<&Sketch>)> {
    match sketch.bare().shape() {
        Shape::Pattern(Pattern::NatAsIndex, bound) => Some((bound, None)),
        Shape::App(f, value) => match f.bare().shape() {
            Shape::Pattern(Pattern::NatAsIndex, bound) => Some((bound, Some(value))),
            _ => None,
        },
        _ => None,
    }
}
