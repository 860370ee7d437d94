//! Proving rules for all sizes, types and functions.
//!
//! In: a rule. Out: a proof, with the laws of operators that it needs, or why there is none. Both sides are read at
//! symbolic indices (`meaning`), and compared element by element (`equal`), by the laws of the operators that
//! the rule asks for (`words`). Holds: of a rule that is proved, the right side has the value of the left wherever the
//! left is defined, as `lang::eval::naive` has it; sizes are whole numbers from one upwards, and functions have
//! a value for everything that they are applied to. "No proof" is always allowed.

mod context;
mod equal;
mod meaning;
#[cfg(test)]
mod tests;
mod value;
mod words;

use super::{Body, Equation, Rule};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::TypeKind;
use crate::rewrite::rule::pat::{Pat, PatArg, PatNode};
use context::Context;
use equal::Asked;
use meaning::{Reader, Scope};
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// That a rule holds for all sizes, types and functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// What it takes from the rule's conditions, in words, in order.
    pub axioms: Vec<String>,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.axioms.as_slice() {
            [] => write!(f, "for all sizes"),
            axioms => write!(f, "for all sizes, by {}", axioms.join(", ")),
        }
    }
}

/// Why there is no proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unproved {
    #[error("a procedure has no sides to compare")]
    Procedure,
    #[error("the right side may fail where the left has a value")]
    MayFail,
    #[error("the sides do not read the same")]
    Differ,
    #[error("the comparison takes too long")]
    TooLong,
}

/// Proves a rule, of a family every member.
///
/// # Errors
/// Why there is no proof. It does not say that the rule is wrong.
pub fn prove(rule: &Rule) -> Result<Proof, Unproved> {
    if matches!(rule.body, Body::Procedure(_)) {
        return Err(Unproved::Procedure);
    }
    let mut axioms = BTreeSet::new();
    for eq in rule.equations() {
        axioms.extend(equation(eq, rule.reassociates)?);
    }
    Ok(Proof { axioms: axioms.into_iter().collect() })
}

fn equation(eq: &Equation, reassociates: bool) -> Result<Vec<String>, Unproved> {
    let reader = Reader(Rc::new(Context::new(eq, reassociates)));
    let ctx = &reader.0;
    let (left, right) = (ctx.settled(&eq.sides.lhs), ctx.settled(&eq.sides.rhs));
    if may_fail(&right, ctx) {
        return Err(Unproved::MayFail);
    }
    let (l, r) = (reader.read(&left, &Scope::empty()), reader.read(&right, &Scope::empty()));
    let equal = reader.equal(&l, &r, &left.ty, Asked::Refines);
    match (equal, ctx.is_spent()) {
        (_, true) => Err(Unproved::TooLong),
        (true, false) => Ok(ctx.axioms()),
        (false, false) => Err(Unproved::Differ),
    }
}

/// Is there an operation that has no value for some operands, or a size that may be none?
fn may_fail(side: &Pat, ctx: &Context) -> bool {
    let positive = |n: &Nat| ctx.is_natural(&n.sub(&Nat::constant(1)));
    let indexed = |p: &Pat| match &p.node {
        PatNode::App(f, e) => match (&f.node, &e.node) {
            (PatNode::Prim(Pattern::NatAsIndex, args), PatNode::Lit(Literal::Nat(i))) => {
                matches!(args.as_slice(), [PatArg::Nat(n)] if ctx.is_natural(i) && ctx.is_below(i, n))
            }
            _ => false,
        },
        _ => false,
    };
    let nodes = side.nodes();
    let checked = nodes.iter().filter(|p| indexed(p)).count();
    let indices = nodes.iter().filter(|p| matches!(p.node, PatNode::Prim(Pattern::NatAsIndex, _))).count();
    indices > checked
        || nodes.iter().any(|p| match &p.node {
            PatNode::Prim(pattern, args) => match pattern {
                Pattern::Scatter | Pattern::Declared(_) => true,
                Pattern::Div | Pattern::Mod => {
                    let operand = p.ty.as_fun().map(|(t, _)| t.as_vector().map_or(t, |(_, t)| t));
                    !operand.is_some_and(|t| matches!(t.kind(), TypeKind::Scalar(s) if s.is_float()))
                }
                Pattern::Slide | Pattern::Split | Pattern::AsVector | Pattern::AsVectorAligned => {
                    !args.iter().all(|a| matches!(a, PatArg::Nat(n) if positive(n)))
                }
                Pattern::CircularBuffer => {
                    let sizes: Vec<&Nat> =
                        args.iter().filter_map(|a| if let PatArg::Nat(n) = a { Some(n) } else { None }).collect();
                    !matches!(sizes.as_slice(), [alloc, size] if ctx.is_natural(&alloc.sub(size)))
                }
                Pattern::PadClamp => {
                    !p.ty.as_fun().and_then(|(t, _)| t.as_array()).is_some_and(|(n, _)| positive(n))
                }
                _ => args.iter().any(|a| matches!(a, PatArg::Nat(n) if !ctx.is_natural(n))),
            },
            _ => false,
        })
}
