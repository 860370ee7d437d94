//! Whether the sizes of a rule can be found when its left side is matched.

use crate::lang::nat::{Nat, NatVar, Solution, solve};
use crate::rule::equation::Equation;
use crate::rule::pat::{Pat, PatArg, PatNode};
use std::collections::BTreeSet;

/// A size of the left side in which matching does not find the variables, `n*m` say, and these; `given` are known beforehand. A
/// rule that has one applies to nothing.
pub(super) fn undetermined(eq: &Equation, given: &BTreeSet<u32>) -> Option<(Nat, BTreeSet<u32>)> {
    let mut sizes = vec![];
    let sides = std::iter::once(&eq.sides).chain(&eq.applied);
    for node in sides.flat_map(|s| s.lhs.nodes()) {
        collect(node, &mut sizes);
    }
    // Most sizes are variables, which are found where they stand.
    let alone = |n: &Nat| if let Some(NatVar::Meta(i)) = n.as_variable() { Some(*i) } else { None };
    let mut known: BTreeSet<u32> = given.iter().copied().chain(sizes.iter().filter_map(alone)).collect();
    sizes.retain(|n| n.has_metas() && alone(n).is_none());
    loop {
        let found: Vec<u32> =
            sizes.iter().filter_map(|n| found_from(n, &known)).filter(|i| !known.contains(i)).collect();
        if found.is_empty() {
            break;
        }
        known.extend(found);
    }
    let missing = |n: &Nat| -> BTreeSet<u32> {
        let metas = n.vars().into_iter().filter_map(|v| if let NatVar::Meta(i) = v { Some(i) } else { None });
        metas.filter(|i| !known.contains(i)).collect()
    };
    sizes.into_iter().map(|n| (missing(&n), n)).find(|(m, _)| !m.is_empty()).map(|(m, n)| (n, m))
}

/// The variable that matching finds from this size of a program, the others being known.
fn found_from(n: &Nat, known: &BTreeSet<u32>) -> Option<u32> {
    let is_unknown = |v: &NatVar| matches!(v, NatVar::Meta(i) if !known.contains(i));
    match solve(n, &Nat::var("size of the program"), &is_unknown) {
        Solution::Bind(NatVar::Meta(i), value) if !value.vars().iter().any(is_unknown) => Some(i),
        _ => None,
    }
}

fn collect(node: &Pat, sizes: &mut Vec<Nat>) {
    node.ty.for_each_nat(&mut |n| sizes.push(n.clone()));
    if let PatNode::Prim(_, args) = &node.node {
        sizes.extend(args.iter().filter_map(|arg| match arg {
            PatArg::Nat(n) => Some(n.clone()),
            PatArg::Fun(f) => Some(f.body().clone()),
            PatArg::Addr(_) | PatArg::Dim(_) | PatArg::Slot(_) => None,
        }));
    }
    if let PatNode::Lit(l) = &node.node {
        sizes.extend(l.sizes().into_iter().cloned());
    }
}
