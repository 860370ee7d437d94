//! Proving rules for all sizes, types and functions.
//!
//! In: a rule. Out: a proof, with the laws of operators that it needs, or why there is none. Both sides are read at
//! symbolic indices (`meaning`), and compared element by element (`equal`), by the laws of the operators that
//! the rule asks for (`words`). Holds: of a rule that is proved, the right side has the value of the left wherever the
//! left is defined, as `lang::eval::naive` has it; sizes are whole numbers from one upwards, and functions have
//! a value for everything that they are applied to. "No proof" is always allowed.

mod context;
mod equal;
mod laws;
mod meaning;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod tests;
mod value;
mod words;

use super::{Body, Equation, Rule};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::rule::condition::Condition;
use crate::rule::pat::{Pat, PatArg, PatNode};
use context::{Context, left_over};
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
    if matches!(*rule.body, Body::Procedure(_)) {
        return Err(Unproved::Procedure);
    }
    let params = rule.size_params();
    let mut axioms = BTreeSet::new();
    for eq in rule.equations() {
        axioms.extend(equation(eq, &params, rule.marks.reassociates)?);
    }
    Ok(Proof { axioms: axioms.into_iter().collect() })
}

fn equation(eq: &Equation, params: &[u32], reassociates: bool) -> Result<Vec<String>, Unproved> {
    let never = |c: &Condition| matches!(c, Condition::Size(size) if size.decide() == Some(false));
    if eq.conditions.iter().any(never) {
        return Err(Unproved::MayFail);
    }
    let reader = Reader(Rc::new(Context::new(eq, params, reassociates)));
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
    let (mut pending, mut fails) = (vec![side], false);
    while let Some(p) = pending.pop() {
        fails |= match &p.node {
            // An index that is written out.
            PatNode::App(f, e) => match (&f.node, &e.node) {
                (PatNode::Prim(Pattern::NatAsIndex, args), PatNode::Lit(Literal::Nat(i))) => {
                    let below = matches!(args.as_slice(), [PatArg::Nat(n)] if ctx.is_natural(i) && ctx.is_below(i, n));
                    if below {
                        continue;
                    }
                    true
                }
                _ => false,
            },
            PatNode::Prim(pattern, args) => {
                pattern_may_fail(*pattern, args, &p.ty, ctx)
                    || left_over(p).is_some_and(|rest| !ctx.is_natural(&rest))
            }
            // What is no size in a type need not be whole.
            PatNode::Lit(Literal::Nat(n)) => !(n.is_evidently_integral() && ctx.has_value(n)),
            PatNode::Lit(Literal::Index(i, n)) => !(ctx.is_natural(i) && ctx.is_below(i, n)),
            _ => false,
        };
        p.ty.for_each_nat(&mut |n| fails |= !ctx.has_value(n));
        pending.extend(p.children());
    }
    fails
}

fn pattern_may_fail(pattern: Pattern, args: &[PatArg], ty: &Type, ctx: &Context) -> bool {
    let sizes: Vec<&Nat> =
        args.iter().filter_map(|a| if let PatArg::Nat(n) = a { Some(n) } else { None }).collect();
    let positive = |n: &Nat| ctx.is_natural(&n.sub(&Nat::constant(1)));
    let (params, result) = ty.signature();
    // Numbers of sizes have no more than 64 bits.
    let of_sizes = params.iter().all(|t| matches!(t.kind(), TypeKind::NatType | TypeKind::Index(_)));
    if sizes.iter().any(|n| !ctx.has_value(n)) {
        return true;
    }
    match pattern {
        Pattern::Scatter | Pattern::Declared(_) | Pattern::NatAsIndex => true,
        Pattern::Div | Pattern::Mod => {
            let operand = params.first().map(|t| t.as_vector().map_or(t, |(_, t)| t));
            !operand.and_then(Type::as_scalar).is_some_and(Scalar::is_float)
        }
        Pattern::Add | Pattern::Sub | Pattern::Mul => of_sizes,
        Pattern::Cast => result == Type::nat_type(),
        Pattern::Slide
        | Pattern::RotateValues
        | Pattern::Split
        | Pattern::AsVector
        | Pattern::AsVectorAligned => !sizes.into_iter().all(positive),
        Pattern::CircularBuffer => {
            let holds = matches!(sizes.as_slice(), [alloc, size, _] if ctx.is_natural(&alloc.sub(size)));
            !holds || !sizes.into_iter().all(positive)
        }
        Pattern::PadClamp => !(params.first().and_then(Type::as_array)).is_some_and(|(n, _)| positive(n)),
        Pattern::Reorder => !ctx.stays_inside(args),
        _ => !sizes.into_iter().all(|n| ctx.is_natural(n)),
    }
}
