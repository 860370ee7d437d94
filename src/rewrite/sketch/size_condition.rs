//! What a sketch says of sizes themselves: `?t >= 8`, `?t % 4 == 0`, and that what it divides leaves nothing over.

use super::holes::holes_in;
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Name, Nat};
use crate::lang::syntax::ast::Op;
use std::fmt;

/// What is said of sizes, in which holes may stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizeCondition {
    /// What is written: a size, how it compares, and with which other.
    Compared(Nat, Comparison, Nat),
    /// A size is written that no longer stands in the sketch, `n/8` in `n/8 * 8`: it is meant to be a whole number.
    Whole(Nat),
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
    /// The sizes that something is said of.
    pub fn sizes(&self) -> Vec<&Nat> {
        match self {
            SizeCondition::Compared(left, _, right) => vec![left, right],
            SizeCondition::Whole(n) => vec![n],
        }
    }

    /// The names of the holes in them.
    pub fn holes(&self) -> Vec<Name> {
        self.sizes().into_iter().flat_map(holes_in).collect()
    }

    /// The same, said of other sizes.
    #[must_use]
    pub fn map(&self, to: &dyn Fn(&Nat) -> Nat) -> SizeCondition {
        match self {
            SizeCondition::Compared(left, is, right) => SizeCondition::Compared(to(left), *is, to(right)),
            SizeCondition::Whole(n) => SizeCondition::Whole(to(n)),
        }
    }

    /// Is it known to hold, whatever the program's sizes are? That a size is whole is taken to hold where nothing is known
    /// against it.
    pub fn holds(&self) -> bool {
        match self {
            SizeCondition::Compared(..) => self.decided() == Some(true),
            SizeCondition::Whole(_) => self.may_hold(),
        }
    }

    /// Is nothing known against it?
    pub fn may_hold(&self) -> bool {
        self.decided() != Some(false)
    }

    fn decided(&self) -> Option<bool> {
        use SizeConstraint::{AtMost, Equal};
        let (a, is, b) = match self {
            SizeCondition::Compared(left, is, right) => (left.clone(), is, right.clone()),
            SizeCondition::Whole(n) => {
                let all = SizeConstraint::of_size(n);
                return all.iter().any(|c| c.decide() == Some(false)).then_some(false);
            }
        };
        let next = |n: &Nat| n.add(&Nat::constant(1));
        match is {
            Comparison::Less => AtMost(next(&a), b).decide(),
            Comparison::AtMost => AtMost(a, b).decide(),
            Comparison::Greater => AtMost(next(&b), a).decide(),
            Comparison::AtLeast => AtMost(b, a).decide(),
            Comparison::Equal => Equal(a, b).decide(),
            Comparison::Unequal => Equal(a, b).decide().map(|same| !same),
        }
    }
}

impl fmt::Display for SizeCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizeCondition::Compared(left, is, right) => write!(f, "{left} {} {right}", is.symbol()),
            SizeCondition::Whole(n) => write!(f, "{n} is whole"),
        }
    }
}
