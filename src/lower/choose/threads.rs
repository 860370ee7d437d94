//! Programs whose elements are shared out to threads, and which compute the same bits.

use crate::lang::pattern::Pattern;
use crate::lang::sort::{Sort, View};
use crate::lang::term::Term;

/// The term with threads for the outermost map that makes what it gives: each element is computed as before, by one of
/// them. None where it has no such map.
pub fn on_threads(t: &Term) -> Option<Term> {
    if let Some((_, body)) = t.as_lam() {
        return on_threads(body).map(|body| t.with_children(vec![body]));
    }
    let (function, argument) = t.as_app()?;
    let in_argument = || on_threads(argument).map(|a| t.with_children(vec![function.clone(), a]));
    let in_function = || on_threads(function).map(|f| t.with_children(vec![f, argument.clone()]));
    if function.as_lam().is_some() {
        return in_function();
    }
    let (pattern, before) = function.as_pattern_app()?;
    match (pattern.pattern, before.len()) {
        (Pattern::Map | Pattern::MapSeq, 1) => {
            let (map, f) = function.as_app()?;
            let threads = Term::prim(Pattern::MapPar, vec![], map.ty().clone()).with_origin(&map.origin());
            let function = function.with_children(vec![threads, f.clone()]);
            Some(t.with_children(vec![function, argument.clone()]))
        }
        (Pattern::Let, 1) => in_argument(),
        (p, 0) if matches!(p.sort(), Sort::View(View::Moved)) => in_argument(),
        _ => None,
    }
}
