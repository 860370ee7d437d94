//! Vectorising a scalar function: `vectorise n f` computes on vectors of `n` what `f` computes on scalars
//! (thesis section 5.6; the scheme is that of pattern-wise lifting).
//!
//! Scalars become vectors lane by lane, pairs component by component; constants and outer scalars are spread over
//! all lanes; a branch chooses lane by lane. Whatever else a function does (index, loop) has no vector counterpart here.

use super::why::WhyNot;
use crate::lang::build::{self, Misfit};
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Type, TypeKind};

/// The type at vectors: scalars become vectors, pairs and functions follow; none for anything else. A variable of a
/// rule's type counts as a scalar; whether it is one is seen when the rule is applied.
pub fn vector_type(n: &Nat, t: &Type) -> Option<Type> {
    Some(match t.kind() {
        TypeKind::Scalar(_) | TypeKind::Var(_) => Type::vector(n.clone(), t.clone()),
        TypeKind::Pair(a, b) => Type::pair(vector_type(n, a)?, vector_type(n, b)?),
        TypeKind::Fun(a, b) => Type::fun(vector_type(n, a)?, vector_type(n, b)?),
        _ => return None,
    })
}

/// Whether the pattern works lane by lane when its operands are vectors.
fn works_on_vectors(p: Pattern) -> bool {
    use Pattern as P;
    p.is_lanewise() || matches!(p, P::Select | P::Fst | P::Snd | P::MakePair)
}

/// The function at vectors of `n`.
///
/// # Errors
/// The part that has no vector counterpart.
pub fn vectorise(n: &Nat, f: &Term) -> Result<Term, WhyNot> {
    if f.ty().as_fun().is_none() {
        return Err(WhyNot::condition("only a function can be vectorised"));
    }
    lift(n, f, 0)
}

/// Does the function on vectors, or pairs of them, do the same in every lane, whatever lane it is?
pub fn is_lanewise(f: &Term) -> bool {
    fn go(t: &Term, inner: u32) -> bool {
        if let Some((p, args)) = t.as_pattern_app()
            && p.pattern == Pattern::VectorFromScalar
        {
            return args.iter().all(|a| (0..inner).all(|i| !a.has_free(i)));
        }
        match t.expr() {
            Expr::Var(i) => *i < inner,
            Expr::Lam(_, body) => go(body, inner + 1),
            Expr::App(f, e) => go(f, inner) && go(e, inner),
            Expr::Prim(p) => works_on_vectors(p.pattern),
            Expr::Lit(_) => false,
        }
    }
    let (params, result) = f.ty().signature();
    !params.is_empty() && params.iter().chain([&result]).all(|t| lane_type(t).is_some()) && go(f, 0)
}

/// The type of one lane, and how many there are: what [`vector_type`] makes of it is the type again.
pub fn lane_type(t: &Type) -> Option<(Nat, Type)> {
    match t.kind() {
        TypeKind::Vector(n, t) => Some((n.clone(), t.clone())),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
            let ((n, s), (m, r)) = (lane_type(a)?, lane_type(b)?);
            let lane = if t.as_fun().is_some() { Type::fun(s, r) } else { Type::pair(s, r) };
            (n == m).then_some((n, lane))
        }
        _ => None,
    }
}

fn refuse<T>(what: impl std::fmt::Display) -> Result<T, WhyNot> {
    Err(WhyNot::condition(format!("{what} cannot be vectorised")))
}

/// Lifts `t`, which stands under `inner` parameters of the function; those are vectors already.
fn lift(n: &Nat, t: &Term, inner: u32) -> Result<Term, WhyNot> {
    let misfit = |m: Misfit| WhyNot::condition(m.to_string());
    let Some(ty) = vector_type(n, t.ty()) else { return refuse(format!("a value of type {}", t.ty())) };
    match t.expr() {
        Expr::Var(i) if *i < inner => Ok(Term::var(*i, ty)),
        Expr::Lam(name, body) => {
            let param = ty.as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
            Ok(Term::lam(name, param, lift(n, body, inner + 1)?))
        }
        // A scalar from outside is the same for every lane.
        _ if t.ty().as_scalar().is_some() && (0..inner).all(|i| !t.has_free(i)) => {
            build::vector_from_scalar(n, t.clone()).map_err(misfit)
        }
        Expr::App(f, e) => {
            let (f, e) = (lift(n, f, inner)?, lift(n, e, inner)?);
            build::app(f, e).map_err(misfit)
        }
        Expr::Prim(p) if works_on_vectors(p.pattern) => Ok(Term::prim(p.pattern, p.args.clone(), ty)),
        Expr::Prim(p) => refuse(format!("`{}`", p.pattern)),
        Expr::Var(_) => refuse("a variable from outside that is no scalar"),
        Expr::Lit(l) => refuse(l),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;

    #[test]
    fn scalar_functions_become_vector_functions() {
        let n = Nat::constant(4);
        let pair = Type::pair(Type::f32(), Type::f32());
        let f = b::lam("p", pair, |p| b::add(b::mul(b::fst(p.clone())?, b::snd(p)?)?, b::f32(1.0))).unwrap();
        let v = vectorise(&n, &f).unwrap();
        assert!(v.check().is_ok() && b::check_patterns(&v).is_ok());
        assert_eq!(v.ty().to_string(), "(<4>f32 * <4>f32) -> <4>f32");
        assert!(format!("{v:?}").contains("vectorFromScalar"));
        let array = b::lam("xs", Type::array(n.clone(), Type::f32()), Ok).unwrap();
        assert!(vectorise(&n, &array).is_err());
        let loops = b::lam("x", Type::f32(), |x| b::reduce_seq(plus()?, x, table()?)).unwrap();
        assert!(vectorise(&n, &loops).unwrap_err().to_string().contains("cannot be vectorised"));
    }

    fn plus() -> b::Built {
        b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()])
    }

    fn table() -> b::Built {
        b::make_array(vec![b::f32(1.0), b::f32(2.0)])
    }

    #[test]
    fn branches_choose_lane_by_lane() {
        let f =
            b::lam("x", Type::f32(), |x| b::select(b::lt(x.clone(), b::f32(0.0))?, b::f32(0.0), b::sin(x)?));
        let v = vectorise(&Nat::constant(4), &f.unwrap()).unwrap();
        assert!(v.check().is_ok() && b::check_patterns(&v).is_ok());
        let shown = format!("{v:?}");
        assert_eq!(
            shown,
            r"(\(((select ((lt %0) (vectorFromScalar 0.0))) (vectorFromScalar 0.0)) (sin %0)))"
        );
    }

    #[test]
    fn outer_scalars_are_spread() {
        let outer = Term::var(0, Type::f32());
        let f = b::lam("x", Type::f32(), |x| b::mul(x, outer.clone())).unwrap();
        let v = vectorise(&Nat::constant(4), &f).unwrap();
        assert_eq!(format!("{v:?}"), "(\\((mul %0) (vectorFromScalar %1)))");
    }
}
