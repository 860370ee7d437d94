//! Patterns of streams that nothing consumes as a stream: those of arrays compute the same.

use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::Type;

/// The normal term with the patterns of arrays for those of streams that no `iterateStream` consumes: they compute the
/// same.
pub fn without_streams(t: &Term) -> Term {
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
pub fn is_stream(t: &Term) -> bool {
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
