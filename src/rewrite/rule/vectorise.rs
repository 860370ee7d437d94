//! Vectorising a scalar function: `vectorise n f` computes on vectors of `n` what `f` computes on scalars
//! (thesis section 5.6; the scheme is that of pattern-wise lifting).
//!
//! Scalars become vectors lane by lane, pairs component by component; constants and outer scalars are spread over
//! all lanes; a branch chooses lane by lane. A function of arrays, as a stencil has, becomes one of arrays of vectors:
//! what it maps, reduces and moves is the same in every lane. Whatever else a function does has no vector counterpart
//! here, such as an index of its own in each lane.

use super::why::WhyNot;
use crate::lang::build::{self, Misfit};
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Type, TypeKind};

/// The type at vectors: scalars become vectors, pairs and functions follow; none for anything else. A variable of a
/// rule's type counts as a scalar; whether it is one is seen when the rule is applied.
pub fn vector_type(n: &Nat, t: &Type) -> Option<Type> {
    Lift { n, of: Of::Scalars }.ty(t)
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
    Lift { n, of: Of::Scalars }.function(f)
}

/// The function at vectors of `n`, which may also take arrays and loop over them.
///
/// # Errors
/// The part that has no vector counterpart.
pub fn vectorise_loops(n: &Nat, f: &Term) -> Result<Term, WhyNot> {
    Lift { n, of: Of::Arrays }.function(f)
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

/// What functions are lifted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Those of scalars and pairs of them.
    Scalars,
    /// Those of arrays, too.
    Arrays,
}

struct Lift<'a> {
    n: &'a Nat,
    of: Of,
}

impl Lift<'_> {
    fn ty(&self, t: &Type) -> Option<Type> {
        Some(match t.kind() {
            TypeKind::Scalar(_) | TypeKind::Var(_) => Type::vector(self.n.clone(), t.clone()),
            TypeKind::Pair(a, b) => Type::pair(self.ty(a)?, self.ty(b)?),
            TypeKind::Fun(a, b) => Type::fun(self.ty(a)?, self.ty(b)?),
            TypeKind::Array(m, t) if self.of == Of::Arrays => Type::array(m.clone(), self.ty(t)?),
            _ => return None,
        })
    }

    fn function(&self, f: &Term) -> Result<Term, WhyNot> {
        if f.ty().as_fun().is_none() {
            return Err(WhyNot::condition("only a function can be vectorised"));
        }
        self.term(f, 0)
    }

    fn works(&self, p: Pattern) -> bool {
        use Pattern as P;
        let moves = |p| {
            matches!(
                p,
                P::Map
                    | P::Reduce
                    | P::ReduceSeq
                    | P::ReduceSeqUnroll
                    | P::Zip
                    | P::Unzip
                    | P::Join
                    | P::Split
            ) || matches!(p, P::Transpose | P::Slide | P::Take | P::Drop | P::MakeArray)
        };
        works_on_vectors(p) || self.of == Of::Arrays && moves(p)
    }

    /// Lifts `t`, which stands under `inner` parameters of the function; those are vectors already.
    fn term(&self, t: &Term, inner: u32) -> Result<Term, WhyNot> {
        let is_outer = |t: &Term| (0..inner).all(|i| !t.has_free(i));
        if let Some((p, args)) = t.as_pattern_app()
            && let (Pattern::Idx, [index, array], Of::Arrays) = (p.pattern, args.as_slice(), self.of)
            && is_outer(index)
            && !is_outer(array)
        {
            return build::idx((*index).clone(), self.term(array, inner)?).map_err(misfit);
        }
        let Some(ty) = self.ty(t.ty()) else { return refuse(format!("a value of type {}", t.ty())) };
        match t.expr() {
            Expr::Var(i) if *i < inner => Ok(Term::var(*i, ty)),
            Expr::Lam(name, body) => {
                let param = ty.as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
                Ok(Term::lam(name, param, self.term(body, inner + 1)?))
            }
            // A scalar from outside is the same for every lane, and so are the elements of an array.
            _ if is_outer(t)
                && (t.ty().as_scalar().is_some() || self.of == Of::Arrays && t.ty().is_data()) =>
            {
                self.spread(t.clone()).map_err(misfit)
            }
            Expr::App(f, e) => {
                let (f, e) = (self.term(f, inner)?, self.term(e, inner)?);
                build::app(f, e).map_err(misfit)
            }
            Expr::Prim(p) if self.works(p.pattern) => Ok(Term::prim(p.pattern, p.args.clone(), ty)),
            Expr::Prim(p) => refuse(format!("`{}`", p.pattern)),
            Expr::Var(_) => refuse("a variable from outside that is no scalar"),
            Expr::Lit(l) => refuse(l),
        }
    }

    /// The value in every lane.
    fn spread(&self, t: Term) -> build::Built {
        if t.ty().as_pair().is_some() {
            return build::make_pair(self.spread(build::fst(t.clone())?)?, self.spread(build::snd(t)?)?);
        }
        match t.ty().as_array().map(|(_, element)| element.clone()) {
            Some(element) => build::map(build::lam("x", element, |x| self.spread(x))?, t),
            None => build::vector_from_scalar(self.n, t),
        }
    }
}

fn misfit(m: Misfit) -> WhyNot {
    WhyNot::condition(m.to_string())
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
    fn functions_of_arrays_become_functions_of_arrays_of_vectors() {
        let n = Nat::constant(4);
        let window = Type::array(Nat::constant(2), Type::f32());
        let weighted = b::lam("w", window.clone(), |w| {
            let pair = Type::pair(Type::f32(), Type::f32());
            let times = b::lam("p", pair, |p| b::mul(b::fst(p.clone())?, b::snd(p)?))?;
            b::reduce(plus()?, b::f32(0.0), b::map(times, b::zip(table()?, w)?)?)
        });
        let v = vectorise_loops(&n, &weighted.unwrap()).unwrap();
        assert!(v.check().is_ok() && b::check_patterns(&v).is_ok());
        assert_eq!(v.ty().to_string(), "2.<4>f32 -> <4>f32");
        let index = |i| b::nat_as_index(&Nat::constant(2), Term::lit(crate::lang::literal::Literal::Nat(i)));
        let second = b::lam("w", window, |w| b::idx(index(Nat::constant(1))?, w)).unwrap();
        let v = vectorise_loops(&n, &second).unwrap();
        assert!(v.check().is_ok() && b::check_patterns(&v).is_ok());
        assert_eq!(v.ty().to_string(), "2.<4>f32 -> <4>f32");
        let each = Type::pair(Type::index(Nat::constant(2)), Type::array(Nat::constant(2), Type::f32()));
        let own = b::lam("p", each, |p| b::idx(b::fst(p.clone())?, b::snd(p)?)).unwrap();
        assert!(vectorise_loops(&n, &own).unwrap_err().to_string().contains("cannot be vectorised"));
    }

    #[test]
    fn outer_scalars_are_spread() {
        let outer = Term::var(0, Type::f32());
        let f = b::lam("x", Type::f32(), |x| b::mul(x, outer.clone())).unwrap();
        let v = vectorise(&Nat::constant(4), &f).unwrap();
        assert_eq!(format!("{v:?}"), "(\\((mul %0) (vectorFromScalar %1)))");
    }
}
