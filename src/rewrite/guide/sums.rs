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

/// That the goal asks for a `reduce` by a function that has patterns which those of the program's sums do not have, where the
/// rules of the library give a `reduce` only functions of other sums, and what they write themselves: one that takes up a map becomes
/// a `reduceSeq`.
pub(super) fn unmade_sum(goal: &Sketch, start: &Term, library: &RuleSet) -> Option<String> {
    let mut asked = vec![];
    functions_asked_for(&required(goal), &mut asked);
    asked.retain(|function| !function.is_empty());
    if asked.is_empty() {
        return None;
    }
    let there = in_functions(start, library, written(library)?);
    let lacking = asked.iter().map(|function| function.difference(&there).copied().collect::<BTreeSet<_>>());
    let lacking = lacking.filter(|lacking| !lacking.is_empty()).min_by_key(BTreeSet::len)?;
    let lacking = listed(lacking.iter().map(|p| format!("`{p}`")));
    Some(format!(
        "The sketch asks for a `reduce` by a function with {lacking}. No function by which the program sums has that, and no rule of the \
         library writes it there: a sum that takes up a map is a `reduceSeq`. Write `containsReduceSeq` for it."
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

/// The patterns that rules write themselves into functions of `reduce`; none where one writes there what was no function of a sum, or a
/// part of one.
fn written(library: &RuleSet) -> Option<BTreeSet<Pattern>> {
    let mut out = BTreeSet::new();
    for equation in library.rules().flat_map(|rule| rule.equations()) {
        let (lhs, rhs) = (equation.sides.lhs.nodes(), equation.sides.rhs.nodes());
        let summing = lhs.iter().filter_map(|pat| function_of(pat, &is_sum));
        let given: BTreeSet<usize> = summing.flat_map(|f| f.nodes()).filter_map(variable).collect();
        let functions: Vec<&Pat> =
            rhs.iter().filter_map(|pat| function_of(pat, &|p| p == Pattern::Reduce)).collect();
        let alone = rhs.iter().filter(|pat| prim(pat) == Some(Pattern::Reduce)).count() > functions.len();
        let parts = || functions.iter().flat_map(|f| f.nodes());
        if alone || !parts().filter_map(variable).all(|v| given.contains(&v)) {
            return None;
        }
        out.extend(parts().filter_map(prim));
        if parts().any(|pat| matches!(pat.node, PatNode::Vectorise(..))) {
            out.extend(SPREAD);
        }
    }
    Some(out)
}

/// Does the pattern sum by a function? Running results are sums as well.
fn is_sum(p: Pattern) -> bool {
    p.is_reduce() || p == Pattern::ScanSeq
}

/// The function that such a pattern is applied to.
fn function_of<'p>(pat: &'p Pat, is_sum: &dyn Fn(Pattern) -> bool) -> Option<&'p Pat> {
    let PatNode::App(f, function) = &pat.node else { return None };
    prim(f).filter(|p| is_sum(*p)).map(|_| &**function)
}

fn prim(pat: &Pat) -> Option<Pattern> {
    if let PatNode::Prim(p, _) = &pat.node { Some(*p) } else { None }
}

fn variable(pat: &Pat) -> Option<usize> {
    match &pat.node {
        PatNode::Var(v, _) | PatNode::Vectorise(_, v) => Some(*v),
        _ => None,
    }
}

/// The patterns that there may be in functions by which the program sums: those that they have, what the library makes of these, and
/// what is `written` there. What it makes of any array is made where these have some.
fn in_functions(start: &Term, library: &RuleSet, written: BTreeSet<Pattern>) -> BTreeSet<Pattern> {
    let (mut had, mut of_arrays) = (BTreeSet::new(), false);
    for (_, t) in start.positions() {
        let Some((prim, args)) = t.as_pattern_app() else { continue };
        let Some(function) = args.first().filter(|_| is_sum(prim.pattern)) else { continue };
        of_arrays |= has_arrays(function.ty());
        had.extend(function.positions().into_iter().filter_map(|(_, t)| t.as_pattern()));
    }
    let makes = library.rules().flat_map(|rule| rule.equations()).map(Makes::of);
    let mut there = all_made(makes.filter(|m| of_arrays || !m.from.is_empty()), &had);
    there.extend(written);
    there
}

fn has_arrays(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(..) => true,
        TypeKind::Fun(a, b) | TypeKind::Pair(a, b) => has_arrays(a) || has_arrays(b),
        _ => false,
    }
}
