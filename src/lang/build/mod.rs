//! Building typed terms from typed terms, bottom up.
//!
//! Each function takes terms, puts a pattern in front of them at the type that they call for, and says what does
//! not fit instead of building an ill-typed term. Rules that are procedures, the default lowering and tests use
//! it; programs that people write go through `lang::infer`.
//!
//! Functions are written as closures: `lam("x", ty, |x| add(x.clone(), x))`. Within the closure every term means
//! what it means outside, so nothing needs to be shifted.

mod typing;

use super::literal::Literal;
use super::nat::Nat;
use super::pattern::{AddressSpace, Pattern};
use super::term::{Arg, Term};
use super::ty::{Scalar, Type};
use std::sync::atomic::{AtomicU32, Ordering};

pub use typing::{arity, is_instance, result_type};

/// Why a term cannot be built: a full sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub String);

pub type Built = Result<Term, Misfit>;

/// The pattern itself, unapplied, for parameters of the given types.
///
/// # Errors
/// When the pattern has no such instance.
pub fn pattern(p: Pattern, args: Vec<Arg>, params: &[Type]) -> Built {
    let result = result_type(p, &args, params, None)?;
    Ok(Term::prim(p, args, Type::function(params, result)))
}

/// The pattern applied to its first arguments; `rest` are the types of those that are still missing.
///
/// # Errors
/// When something does not fit.
pub fn partial(p: Pattern, args: Vec<Arg>, terms: Vec<Term>, rest: &[Type]) -> Built {
    let params: Vec<Type> = terms.iter().map(|t| t.ty().clone()).chain(rest.iter().cloned()).collect();
    Ok(Term::apps(pattern(p, args, &params)?, terms))
}

/// The pattern applied to all its arguments.
///
/// # Errors
/// When something does not fit.
pub fn apply(p: Pattern, args: Vec<Arg>, terms: Vec<Term>) -> Built {
    partial(p, args, terms, &[])
}

/// The application of any function.
///
/// # Errors
/// When the argument is not of the parameter's type.
pub fn app(f: Term, e: Term) -> Built {
    match f.ty().as_fun() {
        Some((a, _)) if a == e.ty() => Ok(Term::app(f, e)),
        _ => Err(Misfit(format!("A function of type {} is applied to {}", f.ty(), e.ty()))),
    }
}

/// `\name. body`, the body built by a closure from the parameter.
///
/// # Errors
/// What the closure returns.
pub fn lam(name: &str, param: Type, body: impl FnOnce(Term) -> Built) -> Built {
    // The parameter is at first a free variable that no other term has; then it becomes variable 0.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let fresh = (1 << 30) | (NEXT.fetch_add(1, Ordering::Relaxed) & ((1 << 30) - 1));
    let built = body(Term::var(fresh, param.clone()))?;
    let closed = built.rename(&|i| if i == fresh { Some(0) } else { i.checked_add(1) });
    let closed = closed.ok_or_else(|| Misfit(format!("Too many variables above {name}")))?;
    Ok(Term::lam(name, param, closed))
}

/// `\a b. body`.
///
/// # Errors
/// What the closure returns.
pub fn lam2(a: (&str, Type), b: (&str, Type), body: impl FnOnce(Term, Term) -> Built) -> Built {
    lam(a.0, a.1, |x| lam(b.0, b.1, |y| body(x, y)))
}

/// `let name = value` as programs write it: the redex `(\name. body) value`.
///
/// # Errors
/// What the closure returns.
pub fn share(name: &str, value: Term, body: impl FnOnce(Term) -> Built) -> Built {
    app(lam(name, value.ty().clone(), body)?, value)
}

/// A number of a scalar type.
///
/// # Errors
/// When the type cannot hold it.
pub fn number(value: i64, scalar: Scalar) -> Built {
    let literal = Literal::number(value.into(), scalar);
    literal.map(Term::lit).ok_or_else(|| Misfit(format!("{value} is no number of type {}", scalar.name())))
}

/// An `f32` constant.
pub fn f32(value: f32) -> Term {
    Term::lit(Literal::float(value.into(), Scalar::F32))
}

/// Functions of terms alone.
macro_rules! plain {
    ($($name:ident($($arg:ident),*) = $pattern:ident;)*) => {$(
        #[doc = concat!("The pattern [`Pattern::", stringify!($pattern), "`], applied.")]
        ///
        /// # Errors
        /// When the types do not fit.
        pub fn $name($($arg: Term),*) -> Built {
            apply(Pattern::$pattern, vec![], vec![$($arg),*])
        }
    )*};
}

/// Functions of sizes and terms.
macro_rules! sized {
    ($($name:ident($($n:ident),*; $($arg:ident),*) = $pattern:ident;)*) => {$(
        #[doc = concat!("The pattern [`Pattern::", stringify!($pattern), "`], applied; sizes first.")]
        ///
        /// # Errors
        /// When the types do not fit.
        pub fn $name($($n: &Nat,)* $($arg: Term),*) -> Built {
            apply(Pattern::$pattern, vec![$(Arg::Nat($n.clone())),*], vec![$($arg),*])
        }
    )*};
}

plain! {
    id(e) = Id;
    neg(e) = Neg;
    add(a, b) = Add;
    sub(a, b) = Sub;
    mul(a, b) = Mul;
    div(a, b) = Div;
    modulo(a, b) = Mod;
    not(e) = Not;
    gt(a, b) = Gt;
    lt(a, b) = Lt;
    equal(a, b) = Equal;
    and(a, b) = And;
    or(a, b) = Or;
    select(condition, then, otherwise) = Select;
    index_as_nat(i) = IndexAsNat;
    sqrt(e) = Sqrt;
    exp(e) = Exp;
    log(e) = Log;
    sin(e) = Sin;
    cos(e) = Cos;
    abs(e) = Abs;
    min(a, b) = Min;
    max(a, b) = Max;
    make_pair(a, b) = MakePair;
    fst(p) = Fst;
    snd(p) = Snd;
    map_fst(f, p) = MapFst;
    map_snd(f, p) = MapSnd;
    let_in(value, f) = Let;
    map(f, xs) = Map;
    reduce(op, start, xs) = Reduce;
    join(xs) = Join;
    transpose(xs) = Transpose;
    zip(a, b) = Zip;
    unzip(xs) = Unzip;
    generate(f) = Generate;
    idx(i, xs) = Idx;
    concat(a, b) = Concat;
    gather(indices, xs) = Gather;
    scatter(indices, xs) = Scatter;
    as_scalar(xs) = AsScalar;
    map_seq(f, xs) = MapSeq;
    map_seq_unroll(f, xs) = MapSeqUnroll;
    map_stream(f, xs) = MapStream;
    iterate_stream(f, xs) = IterateStream;
    scan_seq(op, start, xs) = ScanSeq;
    map_par(f, xs) = MapPar;
}

sized! {
    nat_as_index(n; e) = NatAsIndex;
    split(n; xs) = Split;
    slide(sz, sp; xs) = Slide;
    take(n; xs) = Take;
    drop(n; xs) = Drop;
    pad_cst(l, r; value, xs) = PadCst;
    pad_clamp(l, r; xs) = PadClamp;
    pad_empty(r; xs) = PadEmpty;
    as_vector(n; xs) = AsVector;
    as_vector_aligned(n; xs) = AsVectorAligned;
}

/// `e` at another scalar type.
///
/// # Errors
/// When `e` is no scalar.
pub fn cast(to: Type, e: Term) -> Built {
    with_result(Pattern::Cast, to, e)
}

/// The vector with `n` lanes of `e`.
///
/// # Errors
/// When `e` is no scalar.
pub fn vector_from_scalar(n: &Nat, e: Term) -> Built {
    let to = Type::vector(n.clone(), e.ty().clone());
    with_result(Pattern::VectorFromScalar, to, e)
}

fn with_result(p: Pattern, to: Type, e: Term) -> Built {
    result_type(p, &[], std::slice::from_ref(e.ty()), Some(&to))?;
    Ok(Term::app(Term::prim(p, vec![], Type::fun(e.ty().clone(), to)), e))
}

/// `[x, y, …]`.
///
/// # Errors
/// When there is no element, or they differ in type.
pub fn make_array(elements: Vec<Term>) -> Built {
    let k = Nat::constant(elements.len() as i64);
    apply(Pattern::MakeArray, vec![Arg::Nat(k)], elements)
}

/// `e`, stored in memory.
///
/// # Errors
/// When `e` is no data.
pub fn to_mem(space: AddressSpace, e: Term) -> Built {
    apply(Pattern::ToMem, vec![Arg::Addr(space)], vec![e])
}

/// `reduceSeq` with its accumulator in private memory.
///
/// # Errors
/// When the types do not fit.
pub fn reduce_seq(op: Term, start: Term, xs: Term) -> Built {
    apply(Pattern::ReduceSeq, vec![Arg::Addr(AddressSpace::Private)], vec![op, start, xs])
}

/// `mapGlobal`, `mapWorkGroup` or `mapLocal` in dimension `d`.
///
/// # Errors
/// When the types do not fit.
pub fn map_dim(p: Pattern, d: u8, f: Term, xs: Term) -> Built {
    apply(p, vec![Arg::Dim(d)], vec![f, xs])
}

/// Does every pattern node of the term have one of its pattern's types? Together with [`Term::check`] this is all
/// that well-typedness asks for.
///
/// # Errors
/// A sentence that names the pattern.
pub fn check_patterns(t: &Term) -> Result<(), Misfit> {
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if let Some(p) = t.as_prim()
            && !is_instance(p.pattern, &p.args, t.ty())
        {
            return Err(Misfit(format!("`{}` cannot have the type {}", p.pattern, t.ty())));
        }
        stack.extend(t.children());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(name: &str) -> Nat {
        Nat::var(name)
    }

    #[test]
    fn matmul_is_well_typed() {
        let a = Type::array(n("m"), Type::array(n("k"), Type::f32()));
        let b = Type::array(n("k"), Type::array(n("n"), Type::f32()));
        let pair = Type::pair(Type::f32(), Type::f32());
        let plus = pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap();
        let row = Type::array(n("k"), Type::f32());
        let mm = lam2(("a", a), ("b", b), |a, b| {
            let body = lam("row", row.clone(), |r| {
                let dot = lam("col", row.clone(), |c| {
                    let times = lam("p", pair.clone(), |p| mul(fst(p.clone())?, snd(p)?))?;
                    reduce(plus.clone(), f32(0.0), map(times, zip(r, c)?)?)
                })?;
                map(dot, transpose(b)?)
            })?;
            map(body, a)
        })
        .unwrap();
        assert!(mm.check().is_ok() && mm.is_closed());
        assert!(check_patterns(&mm).is_ok());
        assert_eq!(mm.ty().to_string(), "m.k.f32 -> k.n.f32 -> m.n.f32");
        let written = "(\\(\\((map (\\((map (\\(((reduce add) 0.0) ((map (\\((mul (fst %0)) (snd %0)))) \
                       ((zip %1) %0))))) (transpose %1)))) %1)))";
        assert_eq!(format!("{mm:?}"), written);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let xs = Term::var(0, Type::array(n("m"), Type::f32()));
        let ys = Term::var(1, Type::array(n("k"), Type::f32()));
        let why = zip(xs.clone(), ys).unwrap_err().to_string();
        assert_eq!(why, "`zip` does not fit here: the arrays have m and k elements");
        assert!(join(xs.clone()).is_err());
        assert!(add(xs.clone(), xs.clone()).is_err());
        assert!(reduce(f32(1.0), f32(0.0), xs.clone()).is_err());
        assert!(apply(Pattern::Map, vec![], vec![xs]).is_err());
        assert!(make_array(vec![]).is_err());
    }

    #[test]
    fn sizes_follow_from_the_arguments() {
        let c = Nat::constant;
        let xs = || Term::var(0, Type::array(n("m"), Type::f32()));
        let ty = |t: Built| t.unwrap().ty().to_string();
        assert_eq!(ty(split(&c(32), xs())), "(m/32).32.f32");
        assert_eq!(ty(join(split(&c(32), xs()).unwrap())), "m.f32");
        assert_eq!(ty(slide(&c(3), &c(1), xs())), "(m - 2).3.f32");
        assert_eq!(ty(pad_cst(&c(1), &c(2), f32(0.0), xs())), "(m + 3).f32");
        assert_eq!(ty(as_vector(&c(4), xs())), "(m/4).<4>f32");
        assert_eq!(ty(vector_from_scalar(&c(4), f32(1.0))), "<4>f32");
        assert_eq!(ty(make_array(vec![f32(1.0), f32(2.0)])), "2.f32");
    }

    #[test]
    fn every_pattern_has_a_typing() {
        for row in crate::pattern::all() {
            let args = vec![Arg::Nat(Nat::constant(2)); 6];
            let arity = arity(row.pattern, &args[..1]).unwrap();
            if row.pattern != Pattern::MakeArray {
                let mut depth = 0;
                let mut outer = 0;
                for (i, c) in row.scheme.char_indices() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    outer += usize::from(depth == 0 && row.scheme[i..].starts_with("->"));
                }
                assert_eq!(outer, arity, "{}", row.pattern);
            }
        }
    }
}
