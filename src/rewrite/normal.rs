//! Beta-eta normal form, in which searches start and end (thesis section 5.3.3).

use crate::egraph::MAX_NESTING;
use crate::egraph::analysis::MAX_SIZE;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};
use rustc_hash::FxHashMap;

/// The beta-eta normal form; none when it would be out of bounds.
pub fn normal_form(term: &Term) -> Option<Term> {
    Normaliser::default().normal(term, 0)
}

/// The beta-eta normal form of a function, but for these parameters, which it has whether it needs them or not: rules
/// match what is applied to them.
pub fn normal_form_with(params: &[Name], term: &Term) -> Option<Term> {
    let Some((name, others)) = params.split_first() else { return normal_form(term) };
    match (term.as_lam(), expanded(name, term)) {
        (Some((_, body)), _) => Some(term.with_children(vec![normal_form_with(others, body)?])),
        (None, Some(function)) => normal_form_with(params, &function),
        (None, None) => normal_form(term),
    }
}

/// `\x. f x`, of a function `f`.
pub fn expanded(x: &str, f: &Term) -> Option<Term> {
    let param = f.ty().as_fun()?.0.clone();
    let body = Term::app(f.shift_up(1), Term::var(0, param.clone()));
    Some(Term::lam(x, param, body))
}

/// The parameters that are written out in a term.
pub fn written_params(term: &Term) -> Vec<Name> {
    let mut names = vec![];
    let mut rest = term;
    while let Some((name, body)) = rest.as_lam() {
        names.push(name.clone());
        rest = body;
    }
    names
}

/// All parameters of a term, with names for those that are not written out.
pub fn all_params(term: &Term) -> Vec<Name> {
    let arity = std::iter::successors(term.ty().as_fun(), |(_, result)| result.as_fun()).count();
    let mut names = written_params(term);
    names.resize(arity, "x".into());
    names
}

/// One step to the normal form at the root of a term.
pub fn reduce(term: &Term) -> Option<(Redex, Term)> {
    match term.expr() {
        Expr::App(f, e) => {
            let (_, body) = f.as_lam()?;
            Some((Redex::Beta, body.subst0(e)))
        }
        Expr::Lam(_, body) => Some((Redex::Eta, eta(body)?)),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Redex {
    Beta,
    Eta,
}

/// A step to the normal form.
#[derive(Clone, Debug)]
pub struct Reduction {
    pub redex: Redex,
    pub at: Path,
    /// From what the redex becomes to the redex.
    pub reverse: bool,
    /// The sub-term before and after.
    pub before: Term,
    pub after: Term,
}

/// Longer ways to a normal form are not written out.
const MAX_REDUCTIONS: usize = 10_000;

/// The steps from a term to its normal form but for these parameters, outside in; none when there are too many.
pub fn reductions(from: &Term, to: &Term, params: &[Name]) -> Option<Vec<Reduction>> {
    let (mut here, mut steps) = (from.clone(), vec![]);
    let mut step = |here: &mut Term, s: Reduction| {
        *here = here.replace_at(&s.at, s.after.clone())?;
        steps.push(s);
        Some(())
    };
    let body = |depth: usize| (0..depth).fold(Path::root(), |at, _| at.child(0));
    for (depth, name) in params.iter().enumerate() {
        let at = body(depth);
        let Some(before) = here.at(&at).filter(|t| t.as_lam().is_none()).cloned() else { continue };
        let Some(after) = expanded(name, &before) else { break };
        step(&mut here, Reduction { redex: Redex::Eta, at, reverse: true, before, after })?;
    }
    let kept: Vec<Path> = (0..params.len()).map(body).collect();
    for _ in 0..MAX_REDUCTIONS {
        if here == *to {
            return Some(steps);
        }
        let now = here.clone();
        let mut redexes = now.positions().into_iter().filter(|(at, _)| !kept.contains(at));
        let (at, before, (redex, after)) = redexes.find_map(|(at, t)| Some((at, t.clone(), reduce(t)?)))?;
        step(&mut here, Reduction { redex, at, reverse: false, before, after })?;
    }
    None
}

/// `f`, if the body is `f %0` and `f` does not mention the parameter.
fn eta(body: &Term) -> Option<Term> {
    let (f, e) = body.as_app()?;
    if !matches!(e.expr(), Expr::Var(0)) || f.has_free(0) {
        return None;
    }
    f.shift_down(1)
}

#[derive(Default)]
struct Normaliser {
    memo: FxHashMap<Term, Term>,
}

impl Normaliser {
    fn normal(&mut self, term: &Term, depth: usize) -> Option<Term> {
        if depth > MAX_NESTING || term.size() > MAX_SIZE {
            return None;
        }
        if let Some(done) = self.memo.get(term) {
            return Some(done.clone());
        }
        let out = match term.expr() {
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => term.clone(),
            Expr::Lam(..) => {
                let body = self.normal(term.as_lam()?.1, depth + 1)?;
                match eta(&body) {
                    Some(f) => f,
                    None => term.with_children(vec![body]),
                }
            }
            Expr::App(f, e) => {
                let (f, e) = (self.normal(f, depth + 1)?, self.normal(e, depth + 1)?);
                match f.as_lam() {
                    Some((_, body)) => self.normal(&body.subst0(&e), depth + 1)?,
                    None => Term::app(f, e),
                }
            }
        };
        self.memo.insert(term.clone(), out.clone());
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::ty::Type;

    #[test]
    fn redexes_go_wherever_they_are() {
        let f32s = Type::f32;
        // \x. (\y. (\z. y * z) (x + x)) x  becomes  \x. x * (x + x)
        let t = b::lam("x", f32s(), |x| {
            let inner = b::lam("y", f32s(), |y| {
                b::share("z", b::add(x.clone(), x.clone())?, |z| b::mul(y.clone(), z))
            })?;
            b::app(inner, x.clone())
        })
        .unwrap();
        let expected = b::lam("x", f32s(), |x| b::mul(x.clone(), b::add(x.clone(), x)?)).unwrap();
        let normal = normal_form(&t).unwrap();
        assert_eq!(normal, expected);
        assert!(normal.check().is_ok());
        assert_eq!(normal_form(&normal).unwrap(), normal);
        // \x. neg x  is  neg
        let eta = b::lam("x", f32s(), b::neg).unwrap();
        assert!(normal_form(&eta).unwrap().as_prim().is_some());
        // Parameters stay, and come back.
        assert_eq!(written_params(&eta), all_params(&normal_form(&eta).unwrap()));
        let params = written_params(&eta);
        assert_eq!(normal_form_with(&params, &eta).unwrap(), eta);
        assert_eq!(normal_form_with(&params, &normal_form(&eta).unwrap()).unwrap(), eta);
        assert_eq!(normal_form_with(&params, &expanded("y", &eta).unwrap()).unwrap(), eta);
    }
}
