//! What a goal asks of sums that no rule makes.

use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeKind};
use crate::rule::RuleSet;
use crate::rule::builtin::SPREAD;
use crate::rule::makes::{Makes, all_made};
use crate::rule::pat::{Pat, PatNode};
use crate::search::forecast::{listed, required};
use crate::sketch::{Shape, Sketch};
use std::collections::BTreeSet;

/// That the goal asks for a `reduce` by a function that has patterns which those of the program's sums do not have, where every rule of
/// the library sums by a function that it was given: what becomes of it when it takes up a map, or is lifted, is a `reduceSeq`.
pub(super) fn unmade_sum(goal: &Sketch, start: &Term, library: &RuleSet) -> Option<String> {
    let mut asked = vec![];
    functions_asked_for(&required(goal), &mut asked);
    asked.retain(|function| !function.is_empty());
    if asked.is_empty() || !keep_functions(library) {
        return None;
    }
    let there = in_functions(start, library);
    let lacking = asked.iter().map(|function| function.difference(&there).copied().collect::<BTreeSet<_>>());
    let lacking = lacking.filter(|lacking| !lacking.is_empty()).min_by_key(BTreeSet::len)?;
    let lacking = listed(lacking.iter().map(|p| format!("`{p}`")));
    Some(format!(
        "The sketch asks for a `reduce` by a function with {lacking}. No function by which the program sums has that, and the rules of the \
         library give a `reduce` no other one: what takes up a map, or sums up whole arrays, is a `reduceSeq`. Write `containsReduceSeq` \
         for it."
    ))
}

/// The patterns that the sketch asks for in the function of each `reduce`.
fn functions_asked_for(sketch: &Sketch, out: &mut Vec<BTreeSet<Pattern>>) {
    if let Shape::App(f, function) = sketch.bare().shape()
        && is_reduce(f)
    {
        let mut patterns = BTreeSet::new();
        patterns_asked_for(function, &mut patterns);
        out.push(patterns);
    }
    sketch.children().into_iter().for_each(|s| functions_asked_for(s, out));
}

fn is_reduce(sketch: &Sketch) -> bool {
    match sketch.bare().shape() {
        Shape::Typed(s, _) => is_reduce(s),
        shape => matches!(shape, Shape::Pattern(Pattern::Reduce, _)),
    }
}

fn patterns_asked_for(sketch: &Sketch, out: &mut BTreeSet<Pattern>) {
    if let Shape::Pattern(p, _) = sketch.shape() {
        out.insert(*p);
    }
    sketch.children().into_iter().for_each(|s| patterns_asked_for(s, out));
}

/// Is the function of each `reduce` that a rule writes one that it was given, as it is or in lanes?
fn keep_functions(library: &RuleSet) -> bool {
    let is_kept = |side: &Pat| {
        let nodes = side.nodes();
        let written = nodes.iter().filter(|pat| is_prim(pat)).count();
        let kept = nodes.iter().filter(|pat| match &pat.node {
            PatNode::App(f, function) => {
                is_prim(f) && matches!(&function.node, PatNode::Var(..) | PatNode::Vectorise(..))
            }
            _ => false,
        });
        written == kept.count()
    };
    library.rules().flat_map(|rule| rule.equations()).all(|eq| is_kept(&eq.sides.rhs))
}

fn is_prim(pat: &Pat) -> bool {
    matches!(&pat.node, PatNode::Prim(Pattern::Reduce, _))
}

/// The patterns that there may be in functions by which the program sums: those that they have, and what the library makes of these. What
/// it makes of any array is made where these have some.
fn in_functions(start: &Term, library: &RuleSet) -> BTreeSet<Pattern> {
    let (mut had, mut of_arrays) = (BTreeSet::new(), false);
    for (_, t) in start.positions() {
        let Some((prim, args)) = t.as_pattern_app() else { continue };
        let Some(function) = args.first().filter(|_| prim.pattern.is_reduce()) else { continue };
        of_arrays |= has_arrays(function.ty());
        had.extend(function.positions().into_iter().filter_map(|(_, t)| t.as_pattern()));
    }
    let makes = library.rules().flat_map(|rule| rule.equations()).map(Makes::of);
    let mut there = all_made(makes.filter(|m| of_arrays || !m.from.is_empty()), &had);
    // In lanes a function of pairs is mapped over them, and one of numbers is not.
    there.extend(SPREAD.iter().filter(|p| **p != Pattern::Map || had.contains(&Pattern::Fst)));
    there
}

fn has_arrays(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(..) => true,
        TypeKind::Fun(a, b) | TypeKind::Pair(a, b) => has_arrays(a) || has_arrays(b),
        _ => false,
    }
}
