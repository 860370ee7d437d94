//! Building the right side of a rule from what its variables stand for.
//!
//! Where a variable that stands for a lambda is applied, the redex is reduced at once if that duplicates no work
//! (gentle beta): `g acc (f x)` becomes `acc + fst x * snd x`, not `(\a b. a + b) acc ((\x. …) x)`. What would be
//! computed twice, or once more often than before, stays a redex, which prints as `let`.

use super::bindings::Bindings;
use super::pat::{Pat, PatNode};
use super::vectorise::vectorise;
use super::why::WhyNot;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;

/// A built term, and where in it the parts of the matched term now stand. The new paths are kept backwards while
/// the term grows upwards.
struct Part {
    term: Term,
    moved: Vec<(Path, Vec<u8>)>,
}

impl Part {
    fn leaf(term: Term) -> Part {
        Part { term, moved: vec![] }
    }
}

/// The right side with its variables replaced, and where each variable's term went: pairs of old and new position,
/// relative to the place of the rewrite.
///
/// # Errors
/// When a function cannot be vectorised, or a variable has no value (which loading a rule excludes).
pub fn instantiate(rhs: &Pat, b: &Bindings) -> Result<(Term, Vec<(Path, Path)>), WhyNot> {
    let part = build(rhs, b, 0, true)?;
    let mut moved: Vec<(Path, Path)> = vec![];
    for (old, mut new) in part.moved {
        // Of several copies the first counts.
        if moved.iter().all(|(o, _)| *o != old) {
            new.reverse();
            moved.push((old, Path::new(new)));
        }
    }
    Ok((part.term, moved))
}

/// The side with its variables replaced and no redex reduced: for building instances of left sides.
///
/// # Errors
/// As [`instantiate`].
pub fn instantiate_plainly(side: &Pat, b: &Bindings) -> Result<Term, WhyNot> {
    Ok(build(side, b, 0, false)?.term)
}

/// Builds `p`, which stands under `depth` binders of the right side.
fn build(p: &Pat, b: &Bindings, depth: u32, gently: bool) -> Result<Part, WhyNot> {
    match &p.node {
        PatNode::Var(v, args) => variable(*v, args, b, depth, gently),
        PatNode::Bound(i) => Ok(Part::leaf(Term::var(*i, b.ty_of(p)))),
        PatNode::Lit(l) => Ok(Part::leaf(Term::lit(l.map_sizes(&|n| b.size(n))))),
        PatNode::Prim(pattern, args) => {
            let args = args.iter().map(|a| b.arg(a)).collect::<Option<Vec<_>>>();
            let args = args.ok_or_else(|| WhyNot::condition("an argument of the rule has no value"))?;
            Ok(Part::leaf(Term::prim(*pattern, args, b.ty_of(p))))
        }
        PatNode::Lam(name, body) => {
            let param = p.ty.as_fun().map_or_else(Type::ill, |(a, _)| a.subst(b));
            let mut part = build(body, b, depth + 1, gently)?;
            part.moved.iter_mut().for_each(|(_, new)| new.push(0));
            Ok(Part { term: Term::lam(b.name(name), param, part.term), moved: part.moved })
        }
        PatNode::App(f, e) => {
            let (function, argument) = (build(f, b, depth, gently)?, build(e, b, depth, gently)?);
            Ok(apply(function, argument, gently && head_is_variable(f)))
        }
        PatNode::Vectorise(n, v) => {
            let f = vectorise(&b.size(n), value(*v, b)?)?;
            Ok(Part::leaf(f.shift_up(depth)))
        }
    }
}

fn value(v: usize, b: &Bindings) -> Result<&Term, WhyNot> {
    b.term(v).ok_or_else(|| WhyNot::condition("a variable of the rule has no value"))
}

/// The variable's term, its scope replaced by `args`, moved under `depth` binders.
fn variable(v: usize, args: &[Pat], b: &Bindings, depth: u32, gently: bool) -> Result<Part, WhyNot> {
    let term = value(v, b)?;
    let at = b.terms.get(v).and_then(|b| b.as_ref()?.at.clone());
    let mut moved: Vec<(Path, Vec<u8>)> = at.into_iter().map(|at| (at, vec![])).collect();
    let k = args.len() as u32;
    let binders = args.iter().map(|a| if let PatNode::Bound(i) = a.node { Some(i) } else { None });
    if let Some(binders) = binders.collect::<Option<Vec<u32>>>() {
        let place = |i: u32| if i < k { Some(binders[(k - 1 - i) as usize]) } else { Some(i - k + depth) };
        let renamed = if k == 0 { Some(term.shift_up(depth)) } else { term.rename(&place) };
        let term = renamed.ok_or_else(|| WhyNot::condition("a variable has too many binders above it"))?;
        return Ok(Part { term, moved });
    }
    let mut out = term
        .rename(&|i| if i < k { Some(i) } else { i.checked_add(depth) })
        .ok_or_else(|| WhyNot::condition("a variable has too many binders above it"))?;
    for (j, arg) in args.iter().enumerate().rev() {
        let part = build(arg, b, depth, gently)?;
        if let Some(path) = first_occurrence(term, k - 1 - j as u32) {
            moved.extend(part.moved.into_iter().map(|(old, new)| (old, prefixed(new, &path))));
        }
        out = out.subst0(&part.term.shift_up(j as u32));
    }
    Ok(Part { term: out, moved })
}

/// `new` is backwards, `path` is not.
fn prefixed(mut new: Vec<u8>, path: &[u8]) -> Vec<u8> {
    new.extend(path.iter().rev());
    new
}

fn head_is_variable(f: &Pat) -> bool {
    match &f.node {
        PatNode::Var(..) => true,
        PatNode::App(g, _) => head_is_variable(g),
        _ => false,
    }
}

/// `f e`, reduced if that is wanted and gentle.
fn apply(mut f: Part, mut e: Part, reduce: bool) -> Part {
    if reduce
        && let Expr::Lam(_, body) = f.term.expr()
        && is_gentle(body, &e.term)
    {
        let path = first_occurrence(body, 0);
        let term = body.subst0(&e.term);
        for (old, new) in &mut f.moved {
            // What stood at the lambda is now represented by its body.
            if new.pop().is_none() {
                *old = old.child(0);
            }
        }
        if let Some(path) = path {
            f.moved.extend(e.moved.into_iter().map(|(old, new)| (old, prefixed(new, &path))));
        }
        return Part { term, moved: f.moved };
    }
    f.moved.iter_mut().for_each(|(_, new)| new.push(0));
    e.moved.iter_mut().for_each(|(_, new)| new.push(1));
    f.moved.append(&mut e.moved);
    Part { term: Term::app(f.term, e.term), moved: f.moved }
}

/// Would putting `arg` in the place of variable 0 compute nothing more often than the redex does?
pub fn is_gentle(body: &Term, arg: &Term) -> bool {
    is_cheap(arg) || runs_at_most_once(body, 0)
}

/// A value that takes no work to have again: a variable, a constant, a function, a projection or pair of such.
fn is_cheap(t: &Term) -> bool {
    if t.ty().as_fun().is_some() {
        return true;
    }
    match t.expr() {
        Expr::Var(_) | Expr::Lit(_) | Expr::Prim(_) => true,
        Expr::Lam(..) => true,
        Expr::App(..) => t.as_pattern_app().is_some_and(|(p, args)| {
            matches!(p.pattern, Pattern::Fst | Pattern::Snd | Pattern::MakePair)
                && args.into_iter().all(is_cheap)
        }),
    }
}

/// Does the variable occur at most once, and not in a function that may run more often than its surroundings?
fn runs_at_most_once(t: &Term, index: u32) -> bool {
    if !t.has_free(index) {
        return true;
    }
    match t.expr() {
        Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => true,
        // A lambda at the head of a redex runs once; any other may run for each element of an array.
        Expr::Lam(..) => false,
        Expr::App(f, e) => match f.expr() {
            _ if f.has_free(index) && e.has_free(index) => false,
            Expr::Lam(_, body) if f.has_free(index) => runs_at_most_once(body, index + 1),
            _ => runs_at_most_once(f, index) && runs_at_most_once(e, index),
        },
    }
}

/// The position of the first occurrence of a free variable.
pub fn first_occurrence(t: &Term, index: u32) -> Option<Vec<u8>> {
    let (mut path, mut t, mut index) = (vec![], t, index);
    while t.has_free(index) {
        match t.expr() {
            Expr::Lam(_, b) => {
                path.push(0);
                t = b;
                index += 1;
            }
            Expr::App(f, _) if f.has_free(index) => {
                path.push(0);
                t = f;
            }
            Expr::App(_, e) => {
                path.push(1);
                t = e;
            }
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => return Some(path),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::diag::{FileId, Sources};
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;
    use crate::rule::RuleSet;

    /// Two shared values that look alike keep the names that somebody gave them.
    #[test]
    fn shared_values_keep_their_names() {
        let text = "def f (a: n.f32): n.f32 = let one = map sqrt a in let two = map sqrt one in map abs two";
        let term = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let rules = RuleSet::builtin(&mut Sources::new()).0;
        let names = |term: &Term| -> Vec<String> {
            term.positions().iter().filter_map(|(_, t)| Some(t.as_lam()?.0.to_string())).collect()
        };
        let once = |rule: &str, term: &Term| {
            let used = rules.use_of(rule, vec![]).unwrap();
            let after = term
                .positions()
                .into_iter()
                .find_map(|(at, part)| term.replace_at(&at, used.rule.apply(part, &used.args).ok()?.term));
            after.unwrap()
        };
        let before = names(&term);
        assert!(before.contains(&"one".to_owned()) && before.contains(&"two".to_owned()), "{before:?}");
        let stored = once("storeShared", &once("storeShared", &term));
        assert_eq!(names(&stored), before);
    }

    #[test]
    fn work_is_never_duplicated() {
        let x = || Term::var(0, Type::f32());
        let work = b::add(b::f32(1.0), b::f32(2.0)).unwrap();
        let once = b::add(x(), b::f32(1.0)).unwrap();
        let twice = b::add(x(), x()).unwrap();
        let under = b::lam("y", Type::f32(), |y| b::add(y, Term::var(0, Type::f32()))).unwrap();
        let shared = b::share("y", once.clone(), |y| b::mul(y.clone(), y)).unwrap();
        assert!(is_gentle(&once, &work));
        assert!(!is_gentle(&twice, &work));
        assert!(!is_gentle(&under, &work));
        assert!(is_gentle(&shared, &work));
        assert!(is_gentle(&twice, &b::f32(1.0)));
        assert!(is_gentle(&under, &Term::var(3, Type::f32())));
    }
}
