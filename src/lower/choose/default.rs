//! The default lowering: any program becomes a sequential, plain low-level program (design: the reference at large
//! sizes).
//!
//! In: a closed, well-typed term. Out: a term with the same meaning that passes access inference. A term that passes
//! already, and says how to compute everything, stays as it is.
//!
//! What must hold: the code does no more work than evaluating the term call by value. So a computed array whose elements
//! are read once is computed where they are read (`map` stays lazy), and one whose elements may be read more often is
//! stored (`toMem (mapSeq …)`). Shared values that are computed are stored, views are not.

use super::apart::{arrays_apart, says_what_each_stores};
use super::bind::{let_in, let_stored, to_mem};
use super::components::{kept_element, repeats};
use super::demand::{Demands, Usage, duplicates, element_has_array};
use super::hoist::hoist;
use super::normal::normalise;
use super::stream::is_stream;
use super::work::{
    changes_kernel, has_chosen_loops, has_loops, is_of_vectors, is_read_in_parts, is_view, is_work,
    is_writable_layout, is_writable_part,
};
use crate::access::{self, streams};
use crate::dpia::signature::is_written;
use crate::lang::declared::{shared_space, unfolded};
use crate::lang::diag::Diagnostic;
use crate::lang::infer::Program;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Prim, Term};
use crate::lang::ty::Type;
use std::collections::BTreeSet;

/// The program, lowered. Where its leaves come from is said of the program as it is given, unless that is known already.
///
/// # Errors
/// Programs that unfold without bound, functions as parameters, and streams that are used as arrays.
pub fn default_lowering(program: &Program) -> Result<Program, Diagnostic> {
    crate::with_stack(|| {
        let given = &program.term;
        let numbered = if given.has_origins() { given.clone() } else { given.numbered() };
        Ok(program.with_term(lower_term(&numbered)?))
    })
}

/// The closed term, lowered.
///
/// # Errors
/// As [`default_lowering`].
pub fn lower_term(t: &Term) -> Result<Term, Diagnostic> {
    let (unfolded, normal) = unfolded_normal(t)?;
    if is_low_level(&normal) {
        return Ok(unfolded);
    }
    let lowered = lowered(&normal);
    access::infer(&lowered)?;
    Ok(lowered)
}

/// The normal form of a low-level term that computes what the term does; none where it has more nodes than `most`. Whether it can
/// be translated is not asked.
///
/// # Errors
/// As [`default_lowering`].
pub(super) fn lowered_normal(t: &Term, most: u32) -> Result<Option<Term>, Diagnostic> {
    let (_, normal) = unfolded_normal(t)?;
    if normal.size() > most {
        return Ok(None);
    }
    Ok(Some(if is_low_level(&normal) { normal } else { lowered(&normal) }))
}

/// The term with the meanings of declared patterns in their places, and its normal form.
fn unfolded_normal(given: &Term) -> Result<(Term, Term), Diagnostic> {
    // Who computes a step is known once functions are applied.
    let t = if has(given, Pattern::Iterate) { unfolded(&normalise(given)?) } else { unfolded(given) };
    let normal = normalise(&t)?;
    if let Err(in_normal) = streams::check(&normal) {
        // The user knows the positions in the term as it was given.
        return Err(streams::check(given).map_or_else(streams::Misuse::here, |()| in_normal.somewhere()));
    }
    Ok((t, normal))
}

/// Does it say how to compute everything?
fn is_low_level(normal: &Term) -> bool {
    !has(normal, Pattern::Reduce) && access::infer(normal).is_ok()
}

/// A term in normal form, lowered; not every one can be.
fn lowered(normal: &Term) -> Term {
    let mut lowering = Lowering::default();
    let inlined = hoist(&lowering.inline_views(normal));
    let mut lowered = hoist(&lowering.program(&inlined));
    if has(&lowered, Pattern::OclRun) && !says_what_each_stores(&inlined) {
        lowered = hoist(&arrays_apart(&lowered));
    }
    lowered
}

fn has(t: &Term, wanted: Pattern) -> bool {
    t.has_leaf(&|leaf| leaf.as_pattern() == Some(wanted))
}

/// Shared views unfold to at most so many nodes.
const MAX_UNFOLDED: u64 = 2000;

#[derive(Default)]
struct Lowering {
    demands: Demands,
    /// The dimensions of a group's work-items, which together copy what is written.
    together: Vec<u8>,
}

impl Lowering {
    /// Shared views are no work to share: they unfold.
    fn inline_views(&mut self, t: &Term) -> Term {
        let children: Vec<Term> = t.children().into_iter().map(|c| self.inline_views(c)).collect();
        let t = if children.is_empty() { t.clone() } else { t.with_children(children) };
        if let Some((f, value)) = t.as_app()
            && let Some((_, body)) = f.as_lam()
            && !is_work(value)
        {
            // Views of views of … can multiply a term: then they stay shared.
            let copies = body.occurrences(0) as u64;
            if copies <= 1 || u64::from(value.size()).saturating_mul(copies) <= MAX_UNFOLDED {
                return body.subst0(value);
            }
        }
        t
    }

    fn program(&mut self, t: &Term) -> Term {
        match (t.as_lam(), t.ty().as_fun()) {
            (Some((x, body)), Some((param, _))) => {
                let body = self.program(body);
                Term::lam(x, param.clone(), body)
            }
            _ => self.write(t),
        }
    }

    /// The term so that its value can be written.
    fn write(&mut self, t: &Term) -> Term {
        let (head, args) = t.spine();
        if head.as_pattern() == Some(Pattern::OclRun)
            && let [x] = args.as_slice()
        {
            return Term::app(head.clone(), self.write(x));
        }
        if !t.ty().has_array() {
            return self.read(t, Usage::Once);
        }
        match head.expr() {
            Expr::Lam(..) => self.shared(t, |s, body| s.write(body)),
            Expr::Prim(p) => self.write_pattern(t, head, p, &args),
            _ => self.copy(t),
        }
    }

    fn write_pattern(&mut self, t: &Term, head: &Term, p: &Prim, args: &[&Term]) -> Term {
        use Pattern as P;
        let again = |args: Vec<Term>| Term::apps(head.clone(), args);
        match (p.pattern, args) {
            (P::Map, [f, xs]) => {
                let (is_moved, is_part) = (is_writable_layout(f), is_writable_part(f));
                if has_loops(xs) && is_moved || has_chosen_loops(xs) && is_part {
                    return again(vec![(*f).clone(), self.write(xs)]);
                }
                let pattern = written_map(head.ty().clone(), &self.together);
                self.loop_over(&pattern.with_origin(&head.origin()), f, xs)
            }
            (p, [f, xs]) if p.is_loop() => self.loop_over(head, f, xs),
            (P::IterateStream, [f, xs]) => {
                let (f, xs) = (self.function(f, 1), self.stream(xs));
                again(vec![kept_element(f, 1, 0, &xs), xs])
            }
            (P::Generate, [f]) => {
                let Some((indices, map)) = indices_of(t, &self.together) else { return self.copy_of(t) };
                let f = self.function(f, 1);
                Term::apps(map, [f, indices])
            }
            (p, [xs]) if (p.is_moved() || p == P::Unzip) && has_loops(xs) => again(vec![self.write(xs)]),
            (P::MapFst | P::MapSnd, [f, x]) if is_writable_layout(f) && has_loops(x) => {
                again(vec![(*f).clone(), self.write(x)])
            }
            (P::Take, [xs]) if has_chosen_loops(xs) => again(vec![self.write(xs)]),
            (P::Zip, [a, b]) if element_has_array(t) || is_of_vectors(t) => {
                again(vec![self.write(a), self.write(b)])
            }
            // A pair taken apart and put together again is written as it is computed.
            (P::MakePair, [a, b]) if let Some(whole) = taken_apart(a, b) => self.write(whole),
            (P::MakePair | P::Concat, [a, b]) => again(vec![self.write(a), self.write(b)]),
            // Sizes alone decide which of the two is computed: it is decided once.
            (P::Select, [c, a, b]) if c.is_closed() && has_loops(t) && !has(t, P::OclRun) => {
                again(vec![self.read(c, Usage::Once), self.write(a), self.write(b)])
            }
            (P::Scatter, [i, xs]) => again(vec![self.read(i, Usage::Once), self.write(xs)]),
            (P::PadEmpty, [xs]) => again(vec![self.write(xs)]),
            (P::ScanSeq, [f, start, xs]) => {
                let usage = self.usage_of_element(f, xs, 2);
                let (f, start, xs) = (self.function(f, 2), self.write(start), self.read(xs, usage));
                again(vec![kept_element(f, 2, 1, &xs), start, xs])
            }
            (P::ToMem, [e]) => self.write(e),
            (P::Let, [value, f]) => {
                let body = |s: &mut Lowering, b: &Term| s.write(b);
                self.named(head, value, f, body)
            }
            _ => self.copy_of(t),
        }
    }

    /// `pattern f xs` as a loop that writes.
    fn loop_over(&mut self, pattern: &Term, f: &Term, xs: &Term) -> Term {
        let usage = self.usage_of_element(f, xs, 1);
        let (f, xs) = (self.function(f, 1), self.read(xs, usage));
        Term::apps(pattern.clone(), [kept_element(f, 1, 0, &xs), xs])
    }

    /// The term so that its elements can be asked for one after the other.
    fn stream(&mut self, t: &Term) -> Term {
        use Pattern as P;
        if !is_stream(t) {
            return self.read(t, Usage::Many);
        }
        let (head, args) = t.spine();
        match (head.as_pattern(), args.as_slice()) {
            (Some(P::MapStream | P::Map), [f, xs]) => {
                let f = match (f.as_lam(), f.ty().as_fun()) {
                    (Some((x, body)), Some((param, _))) => {
                        Term::lam(x, param.clone(), self.read(body, Usage::Many))
                    }
                    _ => (*f).clone(),
                };
                Term::apps(head.clone(), [f, self.stream(xs)])
            }
            (Some(P::CircularBuffer | P::RotateValues), [load, xs]) => {
                let load = self.function(load, 1);
                Term::apps(head.clone(), [load, self.stream(xs)])
            }
            (Some(P::Let), [value, f]) => self.named(head, value, f, |s, body| s.stream(body)),
            (None, _) => self.shared(t, |s, body| s.stream(body)),
            _ => Term::apps(head.clone(), args.iter().map(|a| self.stream(a)).collect::<Vec<_>>()),
        }
    }

    /// How often a loop's function reads what is in an element; `binders` are its parameters, the element the last
    /// of two (`reduce`) or the first (`scanSeq`, maps).
    fn usage_of_element(&mut self, f: &Term, xs: &Term, binders: u32) -> Usage {
        let mut body = f;
        for _ in 0..binders {
            match body.as_lam() {
                Some((_, b)) => body = b,
                None => return Usage::Many,
            }
        }
        self.demands.of_parameter(body, element_has_array(xs), Usage::Once)
    }

    /// A function whose result is written.
    fn function(&mut self, f: &Term, params: u32) -> Term {
        match (params, f.as_lam(), f.ty().as_fun()) {
            (1.., Some((x, body)), Some((param, _))) => {
                let body = self.function(body, params - 1);
                Term::lam(x, param.clone(), body)
            }
            _ => self.write(f),
        }
    }

    /// The term so that its value can be read; `usage` says how often each element is.
    fn read(&mut self, t: &Term, usage: Usage) -> Term {
        let (head, args) = t.spine();
        match head.expr() {
            Expr::Lam(..) if args.is_empty() => t.clone(),
            Expr::Lam(..) => self.shared(t, |s, body| s.read(body, usage)),
            Expr::Prim(p) => {
                self.by_dimensions(BTreeSet::new(), |s| s.read_pattern(t, head, p, &args, usage))
            }
            _ => t.clone(),
        }
    }

    /// What is lowered where the work-items of these dimensions write it together.
    fn by_dimensions<T>(&mut self, together: BTreeSet<u8>, lower: impl FnOnce(&mut Lowering) -> T) -> T {
        let around = std::mem::replace(&mut self.together, together.into_iter().collect());
        let lowered = lower(self);
        self.together = around;
        lowered
    }

    fn read_pattern(&mut self, t: &Term, head: &Term, p: &Prim, args: &[&Term], usage: Usage) -> Term {
        use Pattern as P;
        let again = |args: Vec<Term>| Term::apps(head.clone(), args);
        match (p.pattern, args) {
            (P::Map, [f, xs]) => {
                if let Some(lazy) = self.lazy_map(head, f, xs, usage) {
                    return lazy;
                }
                self.store(t)
            }
            (P::Generate, [f]) => {
                if let Some((x, body)) = f.as_lam()
                    && let Some((param, _)) = f.ty().as_fun()
                    && (usage == Usage::Once || !is_work(body))
                {
                    let body = self.read(body, usage);
                    if !body.ty().has_array() || is_view(&body) {
                        return again(vec![Term::lam(x, param.clone(), body)]);
                    }
                }
                self.store(t)
            }
            (P::MapFst | P::MapSnd, [f, pair]) => {
                if let (Some((x, body)), Some((param, _))) = (f.as_lam(), f.ty().as_fun()) {
                    let body = self.read(body, usage);
                    return again(vec![Term::lam(x, param.clone(), body), self.read(pair, usage)]);
                }
                t.clone()
            }
            (reduce, [op, start, xs]) if reduce.is_reduce() => {
                let head = if reduce == P::Reduce {
                    Term::prim(P::ReduceSeq, vec![Arg::Addr(shared_space(op))], head.ty().clone())
                        .with_origin(&head.origin())
                } else {
                    head.clone()
                };
                let usage = self.usage_of_element(op, xs, 2);
                let start = self.by_dimensions(local_dimensions(op), |s| s.write(start));
                let (op, xs) = (self.function(op, 2), self.read(xs, usage));
                Term::apps(head, [kept_element(op, 2, 0, &xs), start, xs])
            }
            (P::ToMem, [e]) => again(vec![self.write(e)]),
            (P::Let, [value, f]) => self.named(head, value, f, |s, body| s.read(body, usage)),
            // What is computed once for a whole array must not be computed for each element.
            (P::Select | P::Idx, [first, ..]) if t.ty().has_array() && is_work(first) => {
                let first = (*first).clone();
                let rest: Vec<Term> = args[1..].iter().map(|a| a.shift_up(1)).collect();
                let inside = Term::app(head.clone(), Term::var(0, first.ty().clone()));
                let inside = self.read(&Term::apps(inside, rest), usage);
                let value = self.read(&first, Usage::Once);
                let_stored("c", value, inside)
            }
            (P::Concat | P::PadEmpty, _) if !is_read_in_parts(t, usage) => self.store(t),
            (written, _) if is_written(written) => self.store(t),
            (P::MakeArray, _) if usage == Usage::Many && args.iter().any(|a| is_work(a)) => self.store(t),
            (P::Gather, [indices, xs]) => again(vec![self.read(indices, usage), self.read(xs, Usage::Many)]),
            _ => {
                let of_arrays = if duplicates(p) { Usage::Many } else { usage };
                again(args.iter().map(|a| self.read(a, of_arrays)).collect())
            }
        }
    }

    /// The map, computed where its elements are read; none when that could repeat work.
    fn lazy_map(&mut self, head: &Term, f: &Term, xs: &Term, usage: Usage) -> Option<Term> {
        let (x, body) = f.as_lam()?;
        let (param, _) = f.ty().as_fun()?;
        if usage == Usage::Many && is_work(body) {
            return None;
        }
        let lowered = self.read(body, usage);
        if lowered.ty().has_array() && !is_view(&lowered) {
            return None;
        }
        let of_xs = self.demands.of_parameter(body, element_has_array(xs), usage).max(usage);
        let xs = self.read(xs, of_xs);
        let has_array = lowered.ty().has_array();
        let f = Term::lam(x, param.clone(), lowered);
        // What is read in place cannot have loops before it.
        let f = if has_array { f } else { kept_element(f, 1, 0, &xs) };
        Some(Term::apps(head.clone(), [f, xs]))
    }

    /// The term, read and copied: what work-items accumulate together by these.
    fn copy_of(&mut self, t: &Term) -> Term {
        let read = self.read(t, Usage::Once);
        match t.spine().0.as_pattern() {
            Some(p) if p.is_reduce() => self.by_dimensions(local_dimensions(t), |s| s.copy(&read)),
            _ => self.copy(&read),
        }
    }

    fn copy(&self, t: &Term) -> Term {
        copy(t, &self.together)
    }

    fn store(&mut self, t: &Term) -> Term {
        // What work-items compute together must be stored where all of them can read it.
        to_mem(shared_space(t), self.by_dimensions(BTreeSet::new(), |s| s.write(t)))
    }

    /// `(\x. body) value`, for any way to lower the body.
    fn shared(&mut self, t: &Term, lower: impl FnOnce(&mut Lowering, &Term) -> Term) -> Term {
        let Some((f, value)) = t.as_app() else { return t.clone() };
        let Some((x, body)) = f.as_lam() else { return t.clone() };
        // Used once, it can be computed where it is used.
        let usage = self.demands.of_parameter(body, true, Usage::Once);
        let moves = !changes_kernel(value, body);
        if moves && usage == Usage::Once && !(body.occurrences(0) > 1 && repeats(value)) {
            return lower(self, &body.subst0(value));
        }
        let body = lower(self, body);
        let value = self.in_memory(value);
        let_in(x, value, body)
    }

    /// `let value (\x. body)`
    fn named(
        &mut self,
        head: &Term,
        value: &Term,
        f: &Term,
        lower: impl FnOnce(&mut Lowering, &Term) -> Term,
    ) -> Term {
        let (Some((x, body)), Some((param, _))) = (f.as_lam(), f.ty().as_fun()) else {
            return self.copy(value);
        };
        let body = lower(self, body);
        let value = if is_work(value) { self.in_memory(value) } else { self.read(value, Usage::Many) };
        Term::apps(head.clone(), [value, Term::lam(x, param.clone(), body)])
    }

    /// The value, computed once and kept.
    fn in_memory(&mut self, value: &Term) -> Term {
        match value.spine().0.as_pattern() {
            // An accumulator is memory already.
            Some(p) if p == Pattern::ToMem || p.is_reduce() => self.read(value, Usage::Many),
            _ => self.store(value),
        }
    }
}

/// The pair of which these are the first and the second component.
fn taken_apart<'a>(a: &'a Term, b: &Term) -> Option<&'a Term> {
    let ((first, whole), (second, same)) = (a.as_app()?, b.as_app()?);
    let both = (first.as_pattern()?, second.as_pattern()?);
    (both == (Pattern::Fst, Pattern::Snd) && whole == same).then_some(whole)
}

/// The dimensions in which work-items of a group compute it together. What a kernel of its own does in groups is written by
/// its host.
fn local_dimensions(t: &Term) -> BTreeSet<u8> {
    if t.spine().0.as_pattern() == Some(Pattern::OclRun) {
        return BTreeSet::new();
    }
    let own = t
        .as_prim()
        .filter(|p| p.pattern.is_local())
        .map(|p| p.args.iter().find_map(|a| if let Arg::Dim(d) = a { Some(*d) } else { None }).unwrap_or(0));
    own.into_iter().chain(t.children().into_iter().flat_map(local_dimensions)).collect()
}

/// The `map` of this type whose result is written. Work-items of these dimensions share out the innermost loops, the first
/// dimension the innermost one of all.
fn written_map(ty: Type, together: &[u8]) -> Term {
    let written = ty.as_fun().and_then(|(_, rest)| rest.as_fun()).and_then(|(_, out)| out.as_array());
    let within = std::iter::successors(written, |(_, t)| t.as_array()).skip(1).count();
    match together.get(within) {
        Some(d) => Term::prim(Pattern::MapLocal, vec![Arg::Dim(*d)], ty),
        None => Term::prim(Pattern::MapSeq, vec![], ty),
    }
}

/// Loops that copy a readable value.
fn copy(t: &Term, together: &[u8]) -> Term {
    let ty = t.ty().clone();
    if !ty.has_array() {
        return t.clone();
    }
    if let Some((_, element)) = ty.as_array() {
        let f = Term::lam("x", element.clone(), copy(&Term::var(0, element.clone()), together));
        let map = Type::function(&[f.ty().clone(), ty.clone()], ty.clone());
        return Term::apps(written_map(map, together), [f, t.clone()]).made_from(&t.origin());
    }
    let Some((a, b)) = ty.as_pair() else { return t.clone() };
    let part = |p: Pattern, whole: &Term, to: &Type| {
        let part = Term::app(Term::prim(p, vec![], Type::fun(ty.clone(), to.clone())), whole.clone());
        copy(&part, together)
    };
    let both = |whole: &Term| {
        let pair = Term::prim(Pattern::MakePair, vec![], Type::function(&[a.clone(), b.clone()], ty.clone()));
        Term::apps(pair, [part(Pattern::Fst, whole, a), part(Pattern::Snd, whole, b)])
    };
    let copied = if is_view(t) { both(t) } else { let_in("p", t.clone(), both(&Term::var(0, ty.clone()))) };
    copied.made_from(&t.origin())
}

/// For `generate f`: the array of all indices, and the `map` that applies `f` to it.
fn indices_of(t: &Term, together: &[u8]) -> Option<(Term, Term)> {
    let (n, element) = t.ty().as_array()?;
    let index = Type::index(n.clone());
    let all = Type::array(n.clone(), index.clone());
    let identity = Term::lam("i", index.clone(), Term::var(0, index.clone()));
    let generate = Term::prim(Pattern::Generate, vec![], Type::fun(identity.ty().clone(), all.clone()));
    let f = Type::fun(index, element.clone());
    let map = written_map(Type::function(&[f, all], t.ty().clone()), together);
    let origin = t.origin();
    Some((Term::app(generate, identity).made_from(&origin), map.with_origin(&origin)))
}
