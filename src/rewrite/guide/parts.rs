//! Loops that a goal asks for and that are no parts of what the program goes over.

use super::choice::{Breadth, Step, rules};
use super::nest::{Nest, applied, as_loop};
use super::sizes::sizes_of;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::sort::Sort;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeKind};
use crate::normal::{normal_form_with, written_params};
use crate::rule::RuleSet;
use crate::search::forecast::{listed, required, says_products};
use crate::search::refuted::is_never_whole;
use crate::sketch::Sketch;
use crate::sketch::holes::holes_in;

/// That loops which the goal asks for within each other are no part of all that the program goes over, where no rule that a search
/// chooses adds to it: rules split, exchange and join loops, which keeps the product of their sizes. `makes` are patterns that
/// guides allow, which take time to find.
pub(super) fn unmade_loops(
    goal: &Sketch,
    start: &Term,
    library: &RuleSet,
    makes: &dyn Fn() -> Vec<Pattern>,
) -> Option<String> {
    let all = gone_over(start)?;
    let mut asked = vec![];
    nested(&Nest::read(&applied(&required(goal))), &[], &mut asked);
    let product = |sizes: &[Nat]| sizes.iter().fold(Nat::constant(1), |product, n| product.mul(n));
    let sizes = asked.into_iter().find(|sizes| is_never_whole(&all.exact_div(&product(sizes))))?;
    let step = Step { sketch: goal, sizes: &sizes_of(goal), makes: &makes(), exchanges: false };
    let breadths = [Breadth::Tight, Breadth::Narrow, Breadth::Makers, Breadth::Wide];
    let mut chosen = breadths.into_iter().flat_map(|breadth| rules(library, start, &step, breadth));
    if !chosen.all(|rule| says_products(&rule)) {
        return None;
    }
    let loops = listed(sizes.iter().map(|n| format!("`{n}`")));
    let asked = match &sizes[..] {
        [_] => format!("a loop over {loops} elements"),
        _ => format!("loops within each other over {loops} elements, `{}` together", product(&sizes)),
    };
    Some(format!(
        "The sketch asks for {asked}. All loops of the program together go over `{all}`, of which that is no part, whatever the sizes are; \
         rules that split, exchange and join loops make no others."
    ))
}

/// The sizes of loops within each other that a nest asks for, from each outermost one inwards, as far as they are known.
fn nested(nest: &Nest, around: &[Nat], out: &mut Vec<Vec<Nat>>) {
    match nest {
        Nest::Loop(l) => {
            let known = l.size().filter(|n| holes_in(n).is_empty());
            let within: Vec<Nat> = around.iter().chain(known).cloned().collect();
            nested(&l.body, &within, out);
            out.push(within);
            l.operands.iter().for_each(|operand| nested(operand, around, out));
        }
        Nest::And(all) => all.iter().for_each(|nest| nested(nest, around, out)),
        Nest::Store(_, _, value) => nested(value, around, out),
        Nest::Other(_) => {}
    }
}

/// The product of the sizes of all loops that a program has once nothing is shared, and of the arrays that no loop of it reads: what no
/// loops within each other that are made of these exceed. None where it has what is not known to keep that.
fn gone_over(start: &Term) -> Option<Nat> {
    let params = written_params(start);
    let mut body = &normal_form_with(&params, start)?;
    for _ in &params {
        body = body.as_lam()?.1;
    }
    let mut all = Nat::constant(1);
    go_over(body, false, &mut all).then_some(all)
}

/// Multiplies by the sizes of a term's loops. Says whether they are known.
fn go_over(term: &Term, is_read: bool, all: &mut Nat) -> bool {
    if let Some((l, function, rest)) = as_loop(term) {
        *all = all.mul(&l.size);
        let operands = rest.iter().enumerate().all(|(i, t)| go_over(t, i + 1 == rest.len(), all));
        return operands && go_over(function, false, all);
    }
    if let Some((_, body)) = term.as_lam() {
        return go_over(body, false, all);
    }
    let (head, args) = term.spine();
    let pattern = head.as_pattern();
    if pattern.is_some_and(|p| !keeps_sizes(p)) {
        return false;
    }
    let is_view = pattern.is_some_and(|p| matches!(p.sort(), Sort::View(_)));
    if !is_view && !is_read {
        elements(term.ty(), all);
    }
    let is_known = pattern.is_some() || args.is_empty() || go_over(head, false, all);
    is_known && args.into_iter().all(|t| go_over(t, is_view && is_read, all))
}

/// Does it make arrays of other sizes than products and quotients of those that there are, or repeat what it is given?
fn keeps_sizes(pattern: Pattern) -> bool {
    use Pattern::{Fst, Generate, Join, Let, MakePair, Reverse, Snd, Split, ToMem, Transpose, Unzip, Zip};
    let moves = [Fst, Generate, Join, Let, MakePair, Reverse, Snd, Split, ToMem, Transpose, Unzip, Zip];
    let computes = matches!(pattern.sort(), Sort::Scalar(_) | Sort::Choice);
    computes || moves.contains(&pattern) || pattern.is_map() || pattern.is_reduce()
}

/// Multiplies by how many elements the arrays of a type have.
fn elements(ty: &Type, all: &mut Nat) {
    match ty.kind() {
        TypeKind::Array(n, element) => {
            *all = all.mul(n);
            elements(element, all);
        }
        TypeKind::Pair(a, b) => {
            elements(a, all);
            elements(b, all);
        }
        _ => {}
    }
}
