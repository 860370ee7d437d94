//! The procedure that computes the reductions within a map in a map of their own.

use super::apply::Applied;
use super::builtin::part_shared;
use super::why::WhyNot;
use crate::lang::build as b;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::Type;

/// `map (\x. b) xs` where `b` reduces something, among other things: `map (\p. b[fst p/x][snd p/e]) (zip xs (map (\x. e) xs))`, where `e`
/// is the largest reduction that depends on the element, and on nothing else that is bound in `b`; of several the first.
///
/// # Errors
/// The term is no such map.
pub(super) fn reductions_apart(t: &Term) -> Result<Applied, WhyNot> {
    let shape = || WhyNot::shape("map (\\x. …) xs", t);
    let Some((prim, args)) = t.as_pattern_app() else { return Err(shape()) };
    let (Pattern::Map, [f, xs]) = (prim.pattern, args.as_slice()) else { return Err(shape()) };
    let Some((name, body)) = f.as_lam() else { return Err(shape()) };
    let Some(at) = largest_reduction(body) else {
        let why = "the function reduces nothing of its element by itself, beside what else it does";
        return Err(WhyNot::condition(why.to_owned()).below(&Path::new([0, 1])));
    };
    let shared = part_shared(body, &at)?;
    let (Some((rest, reduced)), Some((_, element))) = (shared.as_app(), xs.ty().as_array()) else {
        return Err(shape());
    };
    let of = |body: &Term| Term::lam(name, element.clone(), body.clone());
    let built = apart(&of(rest), of(reduced), xs);
    let term = built.map_err(|misfit| WhyNot::condition(misfit.to_string()))?;
    Ok(Applied { term, moved: vec![(Path::new([1]), Path::new([1, 0, 1]))], assumed: vec![] })
}

/// `map (\p. both (fst p) (snd p)) (zip xs (map first xs))`.
fn apart(both: &Term, first: Term, xs: &Term) -> b::Built {
    let results = b::map(first, xs.clone())?;
    let pairs = b::zip(xs.clone(), results)?;
    let pair = pairs.ty().as_array().map_or_else(Type::ill, |(_, pair)| pair.clone());
    let applied = |f: Term, e: Term| match f.as_lam() {
        Some((_, body)) => body.subst0(&e),
        None => Term::app(f, e),
    };
    let function = b::lam("p", pair, |p| Ok(applied(applied(both.clone(), b::fst(p.clone())?), b::snd(p)?)))?;
    b::map(function, pairs)
}

/// Where the largest reduction is that can be computed before the rest of a function's body.
fn largest_reduction(body: &Term) -> Option<Path> {
    let mut best: Option<(u32, Path)> = None;
    for (at, part) in body.positions() {
        let reduces = part.as_pattern_app().is_some_and(|(p, args)| p.pattern.is_reduce() && args.len() == 3);
        if at.is_root() || !reduces {
            continue;
        }
        let binders = body.binders_at(&at).len() as u32;
        let depends = part.shift_down(binders).is_some_and(|part| part.has_free(0));
        if depends && best.as_ref().is_none_or(|(size, _)| *size < part.size()) {
            best = Some((part.size(), at));
        }
    }
    best.map(|(_, at)| at)
}
