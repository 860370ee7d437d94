//! Programs whose elements are shared out to workers, and which compute the same bits.

use crate::lang::pattern::Pattern;
use crate::lang::sort::{Sort, View};
use crate::lang::term::{Arg, Term};

/// The term with threads for the outermost map that makes what it gives: each element is computed as before, by one of
/// them. None where it has no such map.
pub fn on_threads(t: &Term) -> Option<Term> {
    shared_out(t, Pattern::MapPar, &[])
}

/// The term with this map of workers for the outermost map that makes what it gives, and in each part of it. None where it,
/// or one of its parts, has no such map.
pub fn shared_out(t: &Term, workers: Pattern, args: &[Arg]) -> Option<Term> {
    let again = |t: &Term| shared_out(t, workers, args);
    if let Some((_, body)) = t.as_lam() {
        return again(body).map(|body| t.with_children(vec![body]));
    }
    let (function, argument) = t.as_app()?;
    let in_argument = || again(argument).map(|a| t.with_children(vec![function.clone(), a]));
    if function.as_lam().is_some() {
        return again(function).map(|f| t.with_children(vec![f, argument.clone()]));
    }
    let (pattern, before) = function.as_pattern_app()?;
    match (pattern.pattern, before.len()) {
        (Pattern::Map | Pattern::MapSeq, 1) => {
            let (map, f) = function.as_app()?;
            let map = Term::prim(workers, args.to_vec(), map.ty().clone()).with_origin(&map.origin());
            let function = function.with_children(vec![map, f.clone()]);
            Some(t.with_children(vec![function, argument.clone()]))
        }
        (Pattern::Zip | Pattern::Concat | Pattern::MakePair, 1) => {
            let (head, first) = function.as_app()?;
            let function = function.with_children(vec![head.clone(), again(first)?]);
            Some(t.with_children(vec![function, again(argument)?]))
        }
        (Pattern::Let | Pattern::Scatter, 1) => in_argument(),
        (Pattern::PadEmpty, 0) => in_argument(),
        (p, 0) if matches!(p.sort(), Sort::View(View::Moved)) => in_argument(),
        _ => None,
    }
}
