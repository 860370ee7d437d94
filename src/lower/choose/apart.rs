//! Arrays that all work-items of a kernel need are computed before, in kernels of their own.
//!
//! In: a lowered term, hoisted. Out: an equal one. What stands in a kernel outside of the loops that its work-items share
//! out is computed by each of them. For a few elements that is right. A long array that the default lowering stores there
//! would be computed as often as there are work-items, each time in other memory: more work than the term says.

use super::bind::{let_in, to_mem};
use super::hoist::hoist;
use super::threads::shared_out;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::{Arg, Term};
use crate::lang::ty::Type;

/// So many elements each work-item may compute for itself.
const FEW: i64 = 32;

/// The work-items in a group of a kernel that computes such an array.
const GROUP: i64 = 256;

/// The term with such arrays before the kernels that read them.
pub fn arrays_apart(t: &Term) -> Term {
    let children: Vec<Term> = t.children().into_iter().map(arrays_apart).collect();
    let t = if children.is_empty() { t.clone() } else { t.with_children(children) };
    let apart = match as_kernel(&t) {
        Some((kernel, body)) if has_work_items(body) => apart(kernel, &hoist(&named(body))),
        _ => None,
    };
    apart.unwrap_or(t)
}

/// Does a program say itself what each work-item stores outside of the loops that they share out?
pub fn says_what_each_stores(t: &Term) -> bool {
    as_kernel(t).is_some_and(|(_, body)| stores(body)) || t.children().into_iter().any(says_what_each_stores)
}

fn as_kernel(t: &Term) -> Option<(&Term, &Term)> {
    t.as_app().filter(|(f, _)| f.as_pattern() == Some(Pattern::OclRun))
}

/// Is something stored in this block?
fn stores(t: &Term) -> bool {
    if let Some((_, value, body)) = as_let(t) {
        return stores(value) || stores(body);
    }
    t.as_pattern() == Some(Pattern::ToMem) || t.as_lam().is_none() && t.children().into_iter().any(stores)
}

/// `let value (\x. body)`
fn as_let(t: &Term) -> Option<(&Name, &Term, &Term)> {
    let (function, f) = t.as_app()?;
    let (head, value) = function.as_app()?;
    let (x, body) = f.as_lam()?;
    (head.as_pattern() == Some(Pattern::Let)).then_some((x, value, body))
}

/// The block with names for the arrays that leave it.
fn named(t: &Term) -> Term {
    if let Some((x, value, body)) = as_let(t) {
        let parts = || value.with_children(value.children().into_iter().map(named).collect());
        return let_in(x, if stored(value).is_some() { parts() } else { named(value) }, named(body));
    }
    if t.as_lam().is_some() || t.children().is_empty() {
        return t.clone();
    }
    let parts = t.with_children(t.children().into_iter().map(named).collect());
    if stored(t).is_none_or(|array| has_few(array.ty())) {
        return parts;
    }
    let_in("x", parts, Term::var(0, t.ty().clone()))
}

/// A named value of a kernel, which may mention those before it, and whether it leaves the kernel.
struct Named<'a> {
    name: &'a Name,
    value: &'a Term,
    leaves: bool,
}

/// The kernel without the arrays that are to be computed before it; none where it has none.
fn apart(kernel: &Term, body: &Term) -> Option<Term> {
    let mut block: Vec<Named> = vec![];
    let mut rest = body;
    while let Some((name, value, inner)) = as_let(rest) {
        block.push(Named { name, value, leaves: stored(value).is_some_and(|array| !has_few(array.ty())) });
        rest = inner;
    }
    if !block.iter().any(|named| named.leaves) {
        return None;
    }
    // What leaves takes with it what it mentions.
    for j in (0..block.len()).rev() {
        let mentioned = |i: &usize| block[j].leaves && block[j].value.has_free((j - 1 - i) as u32);
        for i in (0..j).filter(mentioned).collect::<Vec<_>>() {
            block[i].leaves = true;
        }
    }
    let (before, within): (Vec<usize>, Vec<usize>) = (0..block.len()).partition(|j| block[*j].leaves);
    let order = [before.clone(), within.clone()].concat();
    // The term that mentions the first j values of the block, where it mentions the first p of the new order.
    let moved = |t: &Term, j: usize, p: usize| {
        t.rename(&|v| match j.checked_sub(1 + v as usize) {
            Some(i) => order[..p].iter().position(|k| *k == i).map(|at| (p - 1 - at) as u32),
            None => Some(v - j as u32 + p as u32),
        })
    };
    let mut out = moved(rest, order.len(), order.len())?;
    for (p, j) in order.iter().enumerate().rev() {
        if p + 1 == before.len() {
            out = Term::app(kernel.clone(), out);
        }
        let Named { name, value, leaves } = &block[*j];
        let value = moved(value, *j, p)?;
        out = let_in(name, if *leaves { own_kernel(&value)? } else { value }, out);
    }
    Some(out)
}

/// The value, computed and kept in a kernel of its own. None where it is not written by its own loops.
fn own_kernel(value: &Term) -> Option<Term> {
    let written = stored(value).or_else(|| (!value.ty().has_array()).then_some(value))?;
    let one = || Nat::constant(1);
    let (local, global, written) = match shared_out(written, Pattern::MapGlobal, &[Arg::Dim(0)]) {
        Some(shared) => {
            let group = Nat::constant(GROUP);
            let length = length(written.ty()).unwrap_or_else(one);
            let groups = length.add(&group).sub(&one()).floor_div(&group);
            (group.clone(), group.mul(&groups), shared)
        }
        None => (one(), one(), written.clone()),
    };
    let range = [local, one(), one(), global, one(), one()].map(Arg::Nat).to_vec();
    let ty = written.ty().clone();
    let kernel = Term::prim(Pattern::OclRun, range, Type::fun(ty.clone(), ty)).with_origin(&value.origin());
    Some(to_mem(AddressSpace::Global, Term::app(kernel, written)))
}

/// What each work-item stores for itself.
fn stored(value: &Term) -> Option<&Term> {
    let (head, written) = value.as_app()?;
    let p = head.as_prim()?;
    let is_own = p.pattern == Pattern::ToMem && p.args.as_slice() == [Arg::Addr(AddressSpace::Private)];
    is_own.then_some(written)
}

/// The length of an array, or of the first one in pairs.
fn length(ty: &Type) -> Option<Nat> {
    match (ty.as_array(), ty.as_pair()) {
        (Some((n, _)), _) => Some(n.clone()),
        (_, Some((a, b))) => length(a).or_else(|| length(b)),
        _ => None,
    }
}

/// Are these so few elements that each work-item may compute them?
fn has_few(ty: &Type) -> bool {
    fn elements(ty: &Type) -> Option<i64> {
        match (ty.as_array(), ty.as_pair()) {
            (Some((n, t)), _) => n.as_constant()?.checked_mul(elements(t)?),
            (_, Some((a, b))) => elements(a)?.checked_add(elements(b)?),
            _ => Some(1),
        }
    }
    elements(ty).is_some_and(|n| n <= FEW)
}

/// Do work-items share out loops here?
fn has_work_items(t: &Term) -> bool {
    matches!(t.as_pattern(), Some(Pattern::MapGlobal | Pattern::MapWorkGroup | Pattern::MapLocal))
        || t.children().into_iter().any(has_work_items)
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::Sources;
    use crate::lang::eval::{self, Limits, inputs};
    use crate::lang::infer;
    use crate::lang::pattern::Pattern;
    use crate::lang::syntax::parse_program;
    use crate::lang::term::Term;
    use crate::{Target, default_lowering, pipeline};

    fn number(t: &Term, of: Pattern) -> usize {
        let within: usize = t.children().into_iter().map(|c| number(c, of)).sum();
        within + usize::from(t.as_pattern() == Some(of))
    }

    /// Checks how many kernels the program is, how many of them are of one work-item, and that it means the same.
    fn check(body: &str, kernels: usize, alone: isize) {
        let text = format!("def f (a: n.m.f32) (b: n.f32) = {body}");
        let (file, problems) = parse_program(Sources::new().add("test.rise", &text), &text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let program = infer::program(&file, None).0.unwrap_or_else(|| panic!("{text}"));
        let lowered = default_lowering(&program).unwrap_or_else(|d| panic!("{text}: {d}"));
        assert_eq!(number(&lowered.term, Pattern::OclRun), kernels, "{text}\n{:?}", lowered.term);
        let shared_out = number(&lowered.term, Pattern::MapGlobal);
        assert_eq!(kernels as isize - shared_out as isize, alone, "{text}");
        pipeline::lower(&lowered.term, &program.sizes, Target::OpenCl)
            .unwrap_or_else(|d| panic!("{text}: {d}"));
        let sizes = eval::sizes(program.sizes.iter().map(|x| (&**x, 3)));
        let inputs = inputs::for_program(&program.ty, &sizes, 1, inputs::Kind::SmallIntegers).unwrap();
        let run = |t| eval::run(t, &sizes, &inputs, &Limits::TEST).unwrap();
        assert_eq!(run(&program.term), run(&lowered.term));
    }

    #[test]
    fn long_arrays_are_computed_once_by_all_work_items() {
        let twice = |xs: &str| format!("{xs} |> slide 2 1 |> mapGlobal (\\x. x) |> oclRun 8 1 1 64 1 1");
        let squares = "(a |> map (map (\\x. x * x)))";
        check(&twice(squares), 2, 0);
        check(&twice(&format!("zip (reverse {squares}) a")), 2, 0);
        check(&twice(&format!("zip (reverse {squares}) {squares}")), 2, 0);
        check(&twice(&format!("concat {squares} a")), 2, -1);
        // Rows that are put together of parts are read where these are.
        check(&twice(&format!("zip ({squares} |> map (\\r. concat r r)) {squares}")), 2, 0);
        // What it reads goes with it, computed by one work-item where that is a number.
        let scaled = "let s = reduceSeq (+) 0 b in a |> map (map (\\x. x * s))";
        check(&twice(&format!("({scaled})")), 3, 1);
    }

    #[test]
    fn a_few_elements_and_what_is_said_stay_in_the_kernel() {
        check("b |> mapGlobal (\\x. [x, x] |> map (\\y. y + 1)) |> oclRun 8 1 1 64 1 1", 1, 0);
        check(
            "let (toMem private (b |> mapSeq (\\x. x + 1))) (\\t. b |> mapGlobal (\\x. t |> reduce (\\s y. s + x * y) 0))
               |> oclRun 8 1 1 64 1 1",
            1,
            0,
        );
        check("a |> map (map (\\x. x * x)) |> slide 2 1 |> mapSeq (\\x. x) |> oclRun 1 1 1 1 1 1", 1, 1);
    }
}
