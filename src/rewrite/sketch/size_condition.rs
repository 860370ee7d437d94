//! What a sketch says of sizes themselves: `?t >= 8`, `?t % 4 == 0`.

use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::Nat;
use crate::lang::syntax::ast::Op;
use std::fmt;

/// A comparison of two sizes, in which holes may stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SizeCondition {
    pub left: Nat,
    pub is: Comparison,
    pub right: Nat,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
}

impl Comparison {
    pub fn of(op: Op) -> Option<Comparison> {
        Some(match op {
            Op::Lt => Comparison::Less,
            Op::Le => Comparison::AtMost,
            Op::Gt => Comparison::Greater,
            Op::Ge => Comparison::AtLeast,
            Op::Eq => Comparison::Equal,
            Op::Ne => Comparison::Unequal,
            _ => return None,
        })
    }

    /// Holds where this one does not.
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::AtLeast,
            Comparison::AtMost => Comparison::Greater,
            Comparison::Greater => Comparison::AtMost,
            Comparison::AtLeast => Comparison::Less,
            Comparison::Equal => Comparison::Unequal,
            Comparison::Unequal => Comparison::Equal,
        }
    }

    /// The same with both sides exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
            Comparison::Equal | Comparison::Unequal => self,
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
            Comparison::Equal => "==",
            Comparison::Unequal => "!=",
        }
    }
}

impl SizeCondition {
    /// Is it known to hold, whatever the program's sizes are?
    pub fn holds(&self) -> bool {
        use SizeConstraint::{AtMost, Equal};
        let (a, b) = (self.left.clone(), self.right.clone());
        let next = |n: &Nat| n.add(&Nat::constant(1));
        let decided = match self.is {
            Comparison::Less => AtMost(next(&a), b).decide(),
            Comparison::AtMost => AtMost(a, b).decide(),
            Comparison::Greater => AtMost(next(&b), a).decide(),
            Comparison::AtLeast => AtMost(b, a).decide(),
            Comparison::Equal => Equal(a, b).decide(),
            Comparison::Unequal => Equal(a, b).decide().map(|same| !same),
        };
        decided == Some(true)
    }
}

impl fmt::Display for SizeCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.is.symbol(), self.right)
    }
}
