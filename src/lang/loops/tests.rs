use super::*;
use crate::build::{self as b, Built};

fn n(name: &str) -> Nat {
    Nat::var(name)
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

fn array(sizes: &[&Nat]) -> Type {
    sizes.iter().rev().fold(Type::f32(), |t, s| Type::array((*s).clone(), t))
}

fn plus() -> Term {
    b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap()
}

fn times(p: Term) -> Built {
    b::mul(b::fst(p.clone())?, b::snd(p)?)
}

fn f32_pair() -> Type {
    Type::pair(Type::f32(), Type::f32())
}

fn picture(t: Built) -> String {
    text(&of(&t.unwrap()))
}

fn matmul(dot: impl Fn(Term, Term) -> Built) -> Built {
    let (m, k, n) = (n("m"), n("k"), n("n"));
    b::lam2(("a", array(&[&m, &k])), ("b", array(&[&k, &n])), |a, mat| {
        let row = b::lam("row", array(&[&k]), |r| {
            b::map(b::lam("col", array(&[&k]), |col| dot(r, col))?, b::transpose(mat)?)
        })?;
        b::map(row, a)
    })
}

fn add_mul() -> Term {
    b::lam2(("acc", Type::f32()), ("p", f32_pair()), |acc, p| b::add(acc, times(p)?)).unwrap()
}

#[test]
fn matmul_is_the_nest_of_the_thesis() {
    let expected = "for m:\n  for n:\n    for k (reduce):\n      .. += .. * ..\n";
    let high = matmul(|r, col| {
        b::reduce(plus(), b::f32(0.0), b::map(b::lam("p", f32_pair(), times)?, b::zip(r, col)?)?)
    });
    assert_eq!(picture(high), expected);
    let fused = matmul(|r, col| b::reduce_seq(add_mul(), b::f32(0.0), b::zip(r, col)?));
    assert_eq!(picture(fused), expected);
    let split = matmul(|r, col| {
        let chunk = Type::array(c(4), f32_pair());
        let outer = b::lam2(("acc", Type::f32()), ("y", chunk), |acc, y| {
            b::add(acc, b::reduce_seq(add_mul(), b::f32(0.0), y)?)
        })?;
        b::reduce_seq(outer, b::f32(0.0), b::split(&c(4), b::zip(r, col)?)?)
    });
    let expected = "for m:\n  for n:\n    for k/4 (reduce):\n      for 4 (reduce):\n        .. += .. * ..\n      .. += ..\n";
    assert_eq!(picture(split), expected);
}

#[test]
fn the_lines_know_their_place() {
    let t = matmul(|r, col| b::reduce_seq(add_mul(), b::f32(0.0), b::zip(r, col)?)).unwrap();
    let patterns: Vec<_> =
        of(&t).iter().map(|l| t.at(&l.path).unwrap().as_pattern_app().map(|(p, _)| p.pattern)).collect();
    let (map, reduce) = (Some(Pattern::Map), Some(Pattern::ReduceSeq));
    assert_eq!(patterns, [map, map, reduce, reduce]);
}

#[test]
fn reshaping_has_no_loops() {
    let m = n("m");
    let xs = array(&[&m, &c(32)]);
    let only = b::lam("xs", xs.clone(), |xs| {
        let split = b::pattern(Pattern::Split, vec![Arg::Nat(c(4))], &[array(&[&c(32)])])?;
        b::transpose(b::map(split, xs)?)
    });
    // Alone it is a copy.
    assert_eq!(picture(only), "for 8:\n  for m:\n    for 4:\n      .. = ..\n");
    // A tiled map: the loops are around the computation, not around what reshapes before and after it.
    let tiled = b::lam("xs", array(&[&m, &n("n")]), |xs| {
        let square = b::lam("x", Type::f32(), |x| b::mul(x.clone(), x))?;
        let row = b::partial(Pattern::Map, vec![], vec![square], &[array(&[&c(32)])])?;
        let rows =
            b::partial(Pattern::Map, vec![], vec![row], &[array(&[&n("n").exact_div(&c(32)), &c(32)])])?;
        let split = b::pattern(Pattern::Split, vec![Arg::Nat(c(32))], &[array(&[&n("n")])])?;
        let tiles = b::map(split, xs)?;
        let join = b::pattern(Pattern::Join, vec![], &[array(&[&n("n").exact_div(&c(32)), &c(32)])])?;
        b::map(join, b::map(rows, tiles)?)
    });
    assert_eq!(picture(tiled), "for m:\n  for n/32:\n    for 32:\n      .. * ..\n");
    // What reshapes between a map and what consumes it does not keep them apart.
    let blocked = b::lam("xs", array(&[&n("n")]), |xs| {
        let square = b::lam("x", Type::f32(), |x| b::mul(x.clone(), x))?;
        let chunks = b::split(&c(8), b::map(square, xs)?)?;
        let plus = || b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]);
        let sum = b::lam("r", array(&[&c(8)]), |r| b::reduce_seq(plus()?, b::f32(0.0), r))?;
        b::reduce_seq(plus()?, b::f32(0.0), b::map(sum, chunks)?)
    });
    assert_eq!(picture(blocked), "for n/8 (reduce):\n  for 8 (reduce):\n    .. += .. * ..\n  .. += ..\n");
}

#[test]
fn low_level_patterns_say_how() {
    let m = n("m");
    let xs = || Term::var(0, array(&[&m]));
    let double = || b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
    let global = b::map_dim(Pattern::MapGlobal, 1, double(), xs());
    assert_eq!(picture(global), "for m (global 1):\n  .. + ..\n");
    let par = b::map_par(double(), b::map_seq(double(), xs()).unwrap());
    assert_eq!(picture(par), "for m:\n  .. + ..\nfor m (par):\n  .. + ..\n");
    let copy = b::map_seq(b::lam("x", Type::f32(), Ok).unwrap(), xs());
    assert_eq!(picture(copy), "for m:\n  .. = ..\n");
    let vectors = b::lam("xs", array(&[&m]), |xs| {
        let v = Type::vector(c(4), Type::f32());
        let double = b::lam("x", v, |x| b::add(x.clone(), x))?;
        b::as_scalar(b::map_seq(double, b::as_vector(&c(4), xs)?)?)
    });
    assert_eq!(picture(vectors), "for m/4 (simd 4):\n  .. + ..\n");
    let stored = b::let_in(
        b::to_mem(AddressSpace::Local, b::map_dim(Pattern::MapLocal, 0, double(), xs()).unwrap()).unwrap(),
        b::lam("y", array(&[&m]), |y| b::map_dim(Pattern::MapLocal, 0, double(), y)).unwrap(),
    );
    let expected = "in local memory, m.f32:\n  for m (local 0):\n    .. + ..\nfor m (local 0):\n  .. + ..\n";
    assert_eq!(picture(stored), expected);
    let args = [1, 1, 1, 32, 4, 1].iter().map(|i| Arg::Nat(c(*i))).collect();
    let kernel =
        b::apply(Pattern::OclRun, args, vec![b::map_dim(Pattern::MapGlobal, 0, double(), xs()).unwrap()]);
    assert_eq!(picture(kernel), "kernel (1 of 32 × 4):\n  for m (global 0):\n    .. + ..\n");
}

#[test]
fn named_values_are_computed_once() {
    let m = n("m");
    let t = b::lam("xs", array(&[&m]), |xs| {
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x))?;
        b::share("y", b::map(double, xs)?, |y| b::map(b::lam("p", f32_pair(), times)?, b::zip(y.clone(), y)?))
    });
    assert_eq!(picture(t), "y:\n  for m:\n    .. + ..\nfor m:\n  .. * ..\n");
    // Numbers go by their names: the first of a pair, a sum of an array, a computation, a parameter.
    let t = b::lam2(("scale", Type::f32()), ("ps", Type::array(m, f32_pair())), |scale, ps| {
        let body = b::lam("p", f32_pair(), |p| {
            b::share("x", b::fst(p.clone())?, |x| {
                b::share("xx", b::mul(x.clone(), x.clone())?, |xx| {
                    b::mul(scale.clone(), b::add(xx, b::snd(p)?)?)
                })
            })
        });
        b::map(body?, ps)
    });
    assert_eq!(picture(t), "for m:\n  xx = x * x\n  scale * (xx + ..)\n");
    let t = b::lam("xs", array(&[&n("m")]), |xs| {
        b::share("sum", b::reduce(plus(), b::f32(0.0), xs)?, |sum| b::mul(sum.clone(), sum))
    });
    assert_eq!(picture(t), "sum:\n  for m (reduce):\n    .. += ..\nsum * sum\n");
}

#[test]
fn streams_fill_buffers() {
    let rows = b::lam("xs", array(&[&n("m").add(&c(2))]), |xs| {
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x))?;
        let args = vec![Arg::Addr(AddressSpace::Global), Arg::Nat(c(3)), Arg::Nat(c(3)), Arg::Nat(c(1))];
        let buffer = b::apply(Pattern::CircularBuffer, args, vec![double, xs])?;
        let sum = b::lam("w", array(&[&c(3)]), |w| b::reduce_seq(plus(), b::f32(0.0), w))?;
        b::iterate_stream(sum, buffer)
    });
    let expected = "for m (stream):\n  next into a circular buffer of 3, global memory:\n    .. + ..\n  for 3 (reduce):\n    .. += ..\n";
    assert_eq!(picture(rows), expected);
}

#[test]
fn scalar_computations_are_summed_up() {
    let f = |body: &dyn Fn(Term) -> Built| {
        picture(b::map(b::lam("x", Type::f32(), body).unwrap(), Term::var(0, array(&[&n("m")]))))
    };
    let x_plus_1 = |x: Term| b::add(x, b::f32(1.0)).unwrap();
    assert_eq!(f(&|x| b::mul(x_plus_1(x.clone()), x)), "for m:\n  (.. + 1.0) * ..\n");
    assert_eq!(f(&|x| b::sqrt(b::neg(x)?)), "for m:\n  sqrt(-..)\n");
    assert_eq!(
        f(&|x| b::select(b::lt(x.clone(), b::f32(0.0))?, b::neg(x.clone())?, x)),
        "for m:\n  select(.. < 0.0, -.., ..)\n"
    );
    assert_eq!(f(&|x| (0..10).try_fold(x, |x, _| Ok(x_plus_1(x)))), "for m:\n  .. (10 operations)\n");
    let largest = b::pattern(Pattern::Max, vec![], &[Type::f32(), Type::f32()]).unwrap();
    let t = b::reduce(largest, b::f32(0.0), Term::var(0, array(&[&n("m")])));
    assert_eq!(picture(t), "for m (reduce):\n  max(.., ..)\n");
}

#[test]
fn every_term_has_a_picture() {
    // 2^100 nodes when unfolded.
    let mut huge = b::lam("x", Type::f32(), |x| b::add(x, b::f32(1.0))).unwrap();
    for _ in 0..100 {
        huge = b::lam("x", Type::f32(), |x| b::app(huge.clone(), b::app(huge.clone(), x)?)).unwrap();
    }
    let lines = of(&b::map(huge, Term::var(0, array(&[&n("m")]))).unwrap());
    assert_eq!(lines.last().unwrap().kind, LineKind::More);
    let mut nested = Term::var(0, Type::f32());
    let mut ty = Type::f32();
    for _ in 0..390 {
        let f = b::lam("x", ty.clone(), |_| {
            b::map(b::lam("y", Type::f32(), b::neg).unwrap(), Term::var(0, array(&[&n("m")])))
        });
        nested = f.unwrap();
        ty = nested.ty().clone();
    }
    assert!(!of(&nested).is_empty());
}

#[test]
fn what_a_side_of_a_choice_writes_is_drawn_below_it_and_what_it_stores_before() {
    let chosen = |yes: &dyn Fn(Term) -> Built, no: &dyn Fn(Term) -> Built| {
        let t = b::lam2(("x", Type::f32()), ("xs", array(&[&n("n")])), |x, xs| {
            b::select(b::lt(x, b::f32(0.0))?, yes(xs.clone())?, no(xs)?)
        });
        text(&of_lowered(&t.unwrap()))
    };
    let roots = |xs: Term| b::map_seq(b::lam("x", Type::f32(), b::sqrt)?, xs);
    let negated = |xs: Term| b::map_par(b::lam("x", Type::f32(), b::neg)?, xs);
    let stored = |xs: Term| b::to_mem(AddressSpace::Private, roots(xs)?);
    assert_eq!(
        chosen(&roots, &negated),
        "if x < 0.0:\n  for n:\n    sqrt(..)\nelse:\n  for n (par):\n    -..\n"
    );
    assert_eq!(chosen(&Ok, &stored), "in private memory, n.f32:\n  for n:\n    sqrt(..)\n");
}
