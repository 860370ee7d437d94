//! The default lowering: any program becomes a sequential, plain low-level program (design: the reference at large
//! sizes).
//!
//! In: a closed, well-typed term. Out: a term with the same meaning that passes access inference. A term that passes
//! already, and says how to compute everything, stays as it is.
//!
//! What must hold: the code does no more work than evaluating the term call by value. So a computed array whose elements
//! are read once is computed where they are read (`map` stays lazy), and one whose elements may be read more often is
//! stored (`toMem (mapSeq …)`). Shared values that are computed are stored, views are not.

use super::components::{kept_element, repeats};
use super::demand::{Demands, Usage, duplicates, element_has_array};
use super::hoist::hoist;
use super::normal::normalise;
use crate::lang::declared::unfolded;
use crate::lang::diag::Diagnostic;
use crate::lang::infer::Program;
use crate::lang::nat::Nat;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::{Arg, Expr, Prim, Term};
use crate::lang::ty::{Scalar, Type};
use crate::lower::access;
use crate::lower::dpia::signature::is_written;

/// The program, lowered.
///
/// # Errors
/// Programs that unfold without bound, and functions as parameters.
pub fn default_lowering(program: &Program) -> Result<Program, Diagnostic> {
    crate::lower::with_stack(|| Ok(program.with_term(lower_term(&program.term)?)))
}

/// The closed term, lowered.
///
/// # Errors
/// As [`default_lowering`].
pub fn lower_term(t: &Term) -> Result<Term, Diagnostic> {
    let t = &unfolded(t);
    let normal = normalise(t)?;
    if is_lowered(&normal) && access::infer(&normal).is_ok() {
        return Ok(t.clone());
    }
    let mut lowering = Lowering::default();
    let normal = hoist(&lowering.inline_views(&without_streams(&normal)));
    let lowered = hoist(&lowering.program(&normal));
    access::infer(&lowered)?;
    Ok(lowered)
}

/// Does every pattern in the term say how to compute its result, in a way that there is code for?
fn is_lowered(t: &Term) -> bool {
    !has_reduce(t) && without_streams(t) == *t
}

fn has_reduce(t: &Term) -> bool {
    t.as_pattern() == Some(Pattern::Reduce) || t.children().into_iter().any(has_reduce)
}

/// The normal term with the patterns of arrays for those of streams that no `iterateStream` consumes: they compute the
/// same.
fn without_streams(t: &Term) -> Term {
    let children: Vec<Term> = match t.as_pattern_app() {
        Some((p, args)) if p.pattern == Pattern::IterateStream && args.len() == 2 => {
            return t.with_children(vec![
                t.as_app().map_or_else(|| t.clone(), |(f, _)| without_streams(f)),
                consumed(args[1]),
            ]);
        }
        _ => t.children().into_iter().map(without_streams).collect(),
    };
    let t = if children.is_empty() { t.clone() } else { t.with_children(children) };
    let Some((p, args)) = t.as_pattern_app() else { return t };
    let [f, xs] = args.as_slice() else { return t };
    let ty = t.spine().0.ty().clone();
    match p.pattern {
        Pattern::MapStream => Term::apps(Term::prim(Pattern::Map, vec![], ty), [(*f).clone(), (*xs).clone()]),
        Pattern::CircularBuffer | Pattern::RotateValues => {
            let (Some(size @ Arg::Nat(_)), Some((_, element)), Some((n, _))) =
                (p.args.last(), f.ty().as_fun(), xs.ty().as_array())
            else {
                return t.clone();
            };
            let loaded = Type::array(n.clone(), element.clone());
            let map = Type::function(&[f.ty().clone(), xs.ty().clone()], loaded.clone());
            let loads = Term::apps(Term::prim(Pattern::Map, vec![], map), [(*f).clone(), (*xs).clone()]);
            let args = vec![size.clone(), Arg::Nat(Nat::constant(1))];
            Term::app(Term::prim(Pattern::Slide, args, Type::fun(loaded, t.ty().clone())), loads)
        }
        _ => t.clone(),
    }
}

/// The term where a stream is consumed: its patterns of streams stay.
fn consumed(t: &Term) -> Term {
    let (head, args) = t.spine();
    let again = |args: Vec<Term>| Term::apps(head.clone(), args);
    match (head.as_pattern(), args.as_slice()) {
        (Some(p), [f, xs]) if p.is_stream() || p == Pattern::Map => {
            again(vec![without_streams(f), consumed(xs)])
        }
        (Some(Pattern::Zip), [a, b]) => again(vec![consumed(a), consumed(b)]),
        (Some(Pattern::Let), [value, f]) => again(vec![without_streams(value), consumed_body(f)]),
        (None, [value]) if head.as_lam().is_some() => Term::app(consumed_body(head), without_streams(value)),
        _ => without_streams(t),
    }
}

fn consumed_body(f: &Term) -> Term {
    f.as_lam().map_or_else(|| f.clone(), |(_, body)| f.with_children(vec![consumed(body)]))
}

/// Are there patterns in the consumed term that only a stream has?
fn is_stream(t: &Term) -> bool {
    let (head, args) = t.spine();
    let of_body = |f: &Term| f.as_lam().is_some_and(|(_, body)| is_stream(body));
    match (head.as_pattern(), args.as_slice()) {
        (Some(p), _) if p.is_stream() => true,
        (Some(Pattern::Map), [_, xs]) => is_stream(xs),
        (Some(Pattern::Zip), _) => args.iter().any(|a| is_stream(a)),
        (Some(Pattern::Let), [_, f]) => of_body(f),
        (None, [_]) => of_body(head),
        _ => false,
    }
}

/// Shared views unfold to at most so many nodes.
const MAX_UNFOLDED: u64 = 2000;

#[derive(Default)]
struct Lowering {
    demands: Demands,
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
        if !t.ty().has_array() {
            return self.read(t, Usage::Once);
        }
        let (head, args) = t.spine();
        match head.expr() {
            Expr::Lam(..) => self.shared(t, |s, body| s.write(body)),
            Expr::Prim(p) => self.write_pattern(t, head, p, &args),
            _ => copy(t),
        }
    }

    fn write_pattern(&mut self, t: &Term, head: &Term, p: &Prim, args: &[&Term]) -> Term {
        use Pattern as P;
        let again = |args: Vec<Term>| Term::apps(head.clone(), args);
        match (p.pattern, args) {
            (P::Map, [f, xs]) => {
                if has_loops(xs) && is_writable_layout(f) {
                    return again(vec![(*f).clone(), self.write(xs)]);
                }
                self.loop_over(&Term::prim(P::MapSeq, vec![], head.ty().clone()), f, xs)
            }
            (p, [f, xs]) if p.is_loop() => self.loop_over(head, f, xs),
            (P::IterateStream, [f, xs]) => {
                let (f, xs) = (self.function(f, 1), self.stream(xs));
                again(vec![kept_element(f, 1, 0, &xs), xs])
            }
            (P::Generate, [f]) => {
                let Some((indices, map)) = indices_of(t) else { return copy(&self.read(t, Usage::Once)) };
                let f = self.function(f, 1);
                Term::apps(map, [f, indices])
            }
            (p, [xs]) if (p.is_moved() || p == P::Unzip) && has_loops(xs) => again(vec![self.write(xs)]),
            (P::Zip, [a, b]) if element_has_array(t) => again(vec![self.write(a), self.write(b)]),
            (P::MakePair | P::Concat, [a, b]) => again(vec![self.write(a), self.write(b)]),
            (P::Scatter, [i, xs]) => again(vec![self.read(i, Usage::Once), self.write(xs)]),
            (P::PadEmpty | P::OclRun, [xs]) => again(vec![self.write(xs)]),
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
            _ => copy(&self.read(t, Usage::Once)),
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
            Expr::Prim(p) => self.read_pattern(t, head, p, &args, usage),
            _ => t.clone(),
        }
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
                    Term::prim(P::ReduceSeq, vec![Arg::Addr(AddressSpace::Private)], head.ty().clone())
                } else {
                    head.clone()
                };
                let usage = self.usage_of_element(op, xs, 2);
                let (op, start, xs) = (self.function(op, 2), self.write(start), self.read(xs, usage));
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

    fn store(&mut self, t: &Term) -> Term {
        // What work-items compute together must be stored where all of them can read it.
        let space = match t.spine().0.as_pattern() {
            Some(Pattern::MapGlobal | Pattern::MapWorkGroup) => AddressSpace::Global,
            Some(Pattern::MapLocal) => AddressSpace::Local,
            _ => AddressSpace::Private,
        };
        to_mem(space, self.write(t))
    }

    /// `(\x. body) value`, for any way to lower the body.
    fn shared(&mut self, t: &Term, lower: impl FnOnce(&mut Lowering, &Term) -> Term) -> Term {
        let Some((f, value)) = t.as_app() else { return t.clone() };
        let Some((x, body)) = f.as_lam() else { return t.clone() };
        // Used once, it can be computed where it is used.
        let usage = self.demands.of_parameter(body, true, Usage::Once);
        if usage == Usage::Once && !(body.occurrences(0) > 1 && repeats(value)) {
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
        let (Some((x, body)), Some((param, _))) = (f.as_lam(), f.ty().as_fun()) else { return copy(value) };
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

fn to_mem(space: AddressSpace, t: Term) -> Term {
    let ty = Type::fun(t.ty().clone(), t.ty().clone());
    Term::app(Term::prim(Pattern::ToMem, vec![Arg::Addr(space)], ty), t)
}

/// `let value (\x. body)`; in the body, `x` is variable 0.
pub(super) fn let_in(x: &str, value: Term, body: Term) -> Term {
    let f = Term::lam(x, value.ty().clone(), body);
    let ty = Type::function(
        &[value.ty().clone(), f.ty().clone()],
        f.ty().as_fun().map_or_else(Type::ill, |(_, r)| r.clone()),
    );
    Term::apps(Term::prim(Pattern::Let, vec![], ty), [value, f])
}

pub(super) fn let_stored(x: &str, value: Term, body: Term) -> Term {
    let_in(x, to_mem(AddressSpace::Private, value), body)
}

/// Loops that copy a readable value.
fn copy(t: &Term) -> Term {
    let ty = t.ty().clone();
    if !ty.has_array() {
        return t.clone();
    }
    if let Some((_, element)) = ty.as_array() {
        let f = Term::lam("x", element.clone(), copy(&Term::var(0, element.clone())));
        let map = Type::function(&[f.ty().clone(), ty.clone()], ty.clone());
        return Term::apps(Term::prim(Pattern::MapSeq, vec![], map), [f, t.clone()]);
    }
    let Some((a, b)) = ty.as_pair() else { return t.clone() };
    let part = |p: Pattern, whole: &Term, to: &Type| {
        copy(&Term::app(Term::prim(p, vec![], Type::fun(ty.clone(), to.clone())), whole.clone()))
    };
    let both = |whole: &Term| {
        let pair = Term::prim(Pattern::MakePair, vec![], Type::function(&[a.clone(), b.clone()], ty.clone()));
        Term::apps(pair, [part(Pattern::Fst, whole, a), part(Pattern::Snd, whole, b)])
    };
    if is_view(t) { both(t) } else { let_in("p", t.clone(), both(&Term::var(0, ty.clone()))) }
}

/// For `generate f`: the array of all indices, and the `mapSeq` that applies `f` to it.
fn indices_of(t: &Term) -> Option<(Term, Term)> {
    let (n, element) = t.ty().as_array()?;
    let index = Type::index(n.clone());
    let all = Type::array(n.clone(), index.clone());
    let identity = Term::lam("i", index.clone(), Term::var(0, index.clone()));
    let generate = Term::prim(Pattern::Generate, vec![], Type::fun(identity.ty().clone(), all.clone()));
    let f = Type::fun(index, element.clone());
    let map = Term::prim(Pattern::MapSeq, vec![], Type::function(&[f, all], t.ty().clone()));
    Some((Term::app(generate, identity), map))
}

/// Is something computed when elements of the value are read, beyond finding their place? What lies in memory by the
/// time it is read is not.
pub(super) fn is_work(t: &Term) -> bool {
    use Pattern as P;
    let (head, args) = t.spine();
    match head.expr() {
        Expr::Var(_) | Expr::Lit(_) => false,
        Expr::Lam(_, body) => is_work(body) || args.iter().any(|a| is_work(a)),
        Expr::App(..) => true,
        Expr::Prim(p) => match p.pattern {
            p if p.is_read_through() || p == P::Cast => args.iter().any(|a| is_work(a)),
            p if p.is_constant_arithmetic() => !is_constant(t),
            _ => true,
        },
    }
}

/// Does the value have loops of its own in which it can be written? A `map` that only copies is one: it was put there to
/// say in which order.
fn has_loops(t: &Term) -> bool {
    use Pattern as P;
    if is_work(t) {
        return true;
    }
    match t.as_pattern_app() {
        Some((p, args)) => match (p.pattern, args.as_slice()) {
            (P::Map, [f, xs]) => {
                if is_writable_layout(f) {
                    has_loops(xs)
                } else {
                    is_loop_body(f)
                }
            }
            (p, [xs]) if p.is_moved() => has_loops(xs),
            _ => false,
        },
        None => false,
    }
}

/// Does the function copy one element, or loop over those of its parameter?
fn is_loop_body(f: &Term) -> bool {
    f.as_lam().is_some_and(|(_, body)| !body.ty().has_array() || has_loops(body))
}

/// Is the value a float that the compiler computes?
fn is_constant(t: &Term) -> bool {
    let (head, args) = t.spine();
    match head.expr() {
        Expr::Lit(_) => t.ty().as_scalar().is_some_and(Scalar::is_float),
        Expr::Prim(p) => {
            p.pattern.is_constant_arithmetic() && t.ty().is_data() && args.iter().all(|a| is_constant(a))
        }
        _ => false,
    }
}

/// Can the value be read element by element, without anything to be done first for the whole?
fn is_view(t: &Term) -> bool {
    use Pattern as P;
    let (head, args) = t.spine();
    let function = |f: &Term| match f.as_lam() {
        Some((_, body)) => !body.ty().has_array() || is_view(body),
        None => false,
    };
    match head.expr() {
        Expr::Var(_) | Expr::Lit(_) => true,
        Expr::Lam(..) | Expr::App(..) => false,
        Expr::Prim(p) => match p.pattern {
            P::Let | P::ToMem => false,
            p if p.is_reduce() => false,
            P::Select | P::Idx => {
                args.first().is_some_and(|c| !is_work(c)) && args[1..].iter().all(|a| is_view(a))
            }
            _ => args.iter().all(|a| if a.ty().as_fun().is_some() { function(a) } else { is_view(a) }),
        },
    }
}

/// Does the function only move elements, in a way that can be done while writing?
fn is_writable_layout(f: &Term) -> bool {
    use Pattern as P;
    fn go(t: &Term, x: u32) -> bool {
        let (head, args) = t.spine();
        match (head.expr(), args.as_slice()) {
            (Expr::Var(i), []) => *i == x,
            (Expr::Prim(p), [xs]) => p.pattern.is_moved() && go(xs, x),
            (Expr::Prim(p), [g, xs]) => p.pattern == P::Map && go(xs, x) && is_writable_layout(g),
            _ => false,
        }
    }
    f.as_lam().is_some_and(|(_, body)| body.ty().has_array() && go(body, 0))
}
