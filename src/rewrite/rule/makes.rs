//! Which patterns rules make of which.

use super::Equation;
use super::pat::{Pat, PatNode};
use crate::lang::pattern::Pattern;
use std::collections::BTreeSet;

/// The patterns of a rule's left side, and those that only its right side has.
#[derive(Clone, Debug)]
pub struct Makes {
    pub from: BTreeSet<Pattern>,
    pub made: BTreeSet<Pattern>,
}

impl Makes {
    pub fn of(equation: &Equation) -> Makes {
        let from = patterns_in(&equation.sides.lhs);
        let made = patterns_in(&equation.sides.rhs).difference(&from).copied().collect();
        Makes { from, made }
    }
}

/// All patterns that there are in the end, where rules are applied to what has these, and to what they make of it.
pub fn all_made(makes: impl IntoIterator<Item = Makes>, had: &BTreeSet<Pattern>) -> BTreeSet<Pattern> {
    let (mut open, mut there): (Vec<Makes>, _) = (makes.into_iter().collect(), had.clone());
    loop {
        let (apply, wait): (Vec<_>, Vec<_>) = open.into_iter().partition(|m| m.from.is_subset(&there));
        if apply.is_empty() {
            return there;
        }
        there.extend(apply.into_iter().flat_map(|m| m.made));
        open = wait;
    }
}

fn patterns_in(pat: &Pat) -> BTreeSet<Pattern> {
    let prim = |p: &&Pat| if let PatNode::Prim(pattern, _) = &p.node { Some(*pattern) } else { None };
    pat.nodes().iter().filter_map(prim).collect()
}
