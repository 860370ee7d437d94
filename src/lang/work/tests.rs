use super::*;
use crate::build::{self as b};
use crate::literal::Literal;
use crate::pattern::Pattern;
use crate::ty::Scalar;

fn n(name: &str) -> Nat {
    Nat::var(name)
}

fn f32s(sizes: &[&str]) -> Type {
    sizes.iter().rev().fold(Type::f32(), |t, s| Type::array(n(s), t))
}

fn plus() -> Term {
    b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap()
}

#[test]
fn matmul_takes_two_operations_a_product() {
    let pair = Type::pair(Type::f32(), Type::f32());
    let times = || b::lam("p", pair.clone(), |p| b::mul(b::fst(p.clone())?, b::snd(p)?)).unwrap();
    let matmul = b::lam2(("a", f32s(&["m", "k"])), ("b", f32s(&["k", "n"])), |a, mat| {
        let row = b::lam("row", f32s(&["k"]), |r| {
            let dot = b::lam("col", f32s(&["k"]), |col| {
                b::reduce(plus(), b::f32(0.0), b::map(times(), b::zip(r, col)?)?)
            })?;
            b::map(dot, b::transpose(mat)?)
        })?;
        b::map(row, a)
    })
    .unwrap();
    let found = counts(&matmul).unwrap();
    assert_eq!(found.flops.to_string(), "2*k*m*n");
    assert_eq!(found.integer_operations, Nat::constant(0));
    assert_eq!(found.bytes_in, Nat::constant(4).mul(&n("k")).mul(&n("n").add(&n("m"))));
    assert_eq!(found.bytes_out.to_string(), "4*m*n");
    let at = of(&matmul, &crate::eval::sizes([("m", 10), ("n", 20), ("k", 30)]));
    assert_eq!(at, Work { flops: 12_000.0, integer_operations: 0.0, bytes: 4400.0 });
    let known = |sizes: &[(&str, i64)]| flops(&matmul, &crate::eval::sizes(sizes.iter().copied()));
    assert_eq!(known(&[("m", 10), ("n", 20), ("k", 30)]), Some(12_000.0));
    assert_eq!(known(&[("m", 10), ("n", 20)]), None);
}

#[test]
fn what_a_function_is_given_in_part_is_computed_in_each_step() {
    let roots = |xs: Term| b::map(b::lam("x", Type::f32(), b::sqrt)?, xs);
    // `map (zip (map sqrt x)) rows` is `map (\r. zip (map sqrt x) r) rows`.
    let zip = b::pattern(Pattern::Zip, vec![], &[f32s(&["m"]), f32s(&["m"])]).unwrap();
    let in_part = b::lam2(("x", f32s(&["m"])), ("rows", f32s(&["n", "m"])), |x, rows| {
        b::map(b::app(zip.clone(), roots(x)?)?, rows)
    });
    let written = b::lam2(("x", f32s(&["m"])), ("rows", f32s(&["n", "m"])), |x, rows| {
        b::map(b::lam("r", f32s(&["m"]), |r| b::zip(roots(x.clone())?, r))?, rows)
    });
    for program in [in_part, written] {
        assert_eq!(counts(&program.unwrap()).unwrap().flops, n("m").mul(&n("n")));
    }
}

#[test]
fn work_beyond_the_range_of_sizes_is_counted() {
    let deep = (0..6).fold(b::lam("x", Type::f32(), b::sqrt).unwrap(), |f, _| {
        let of = Type::array(n("n"), f.ty().as_fun().unwrap().0.clone());
        b::lam("xs", of, |xs| b::map(f.clone(), xs)).unwrap()
    });
    assert_eq!(of(&deep, &crate::eval::sizes([("n", 20_000)])).flops, 2e4_f64.powi(6));
}

#[test]
fn a_reduction_that_only_compares_takes_its_steps_roughly() {
    let later = b::lam2(("x", Type::f32()), ("y", Type::f32()), |x, y| {
        let less = b::apply(Pattern::Lt, vec![], vec![y.clone(), x.clone()])?;
        b::apply(Pattern::Select, vec![], vec![less, y, x])
    });
    let row = b::lam("row", f32s(&["m"]), |row| b::reduce(later.unwrap(), b::f32(0.0), row)).unwrap();
    let rows = b::map(row, Term::var(0, f32s(&["n", "m"]))).unwrap();
    assert_eq!(roughly(&rows).unwrap(), n("m").mul(&n("n")));
    let program = Term::lam("a", f32s(&["n", "m"]), rows);
    assert_eq!(counts(&program).unwrap().flops, Nat::constant(0));
}

#[test]
fn vectors_count_their_lanes_and_shared_values_once() {
    let four = Nat::constant(4);
    let v = Type::vector(four.clone(), Type::f32());
    let t = b::lam("xs", f32s(&["n"]), |xs| {
        let double = b::lam("x", v, |x| b::add(x.clone(), x))?;
        let ys = b::as_scalar(b::map_seq(double, b::as_vector(&four, xs)?)?)?;
        b::share("ys", ys, |ys| b::make_pair(ys.clone(), ys))
    });
    assert_eq!(counts(&t.unwrap()).unwrap().flops, n("n"));
    let i32s = Type::scalar(Scalar::I32);
    let t = b::lam("x", i32s, |x| b::generate(b::lam("i", Type::index(n("m")), |_| b::mul(x.clone(), x))?));
    let work = counts(&t.unwrap()).unwrap();
    assert_eq!((work.flops, work.integer_operations), (Nat::constant(0), n("m")));
}

#[test]
fn of_a_choice_that_sizes_decide_one_side_counts() {
    let number = |n: Nat| Term::lit(Literal::Nat(n));
    let t = b::lam("x", Type::f32(), |x| {
        let few = b::apply(Pattern::Lt, vec![], vec![number(n("n")), number(Nat::constant(100))])?;
        let twice = b::add(b::mul(x.clone(), x.clone())?, x.clone())?;
        b::apply(Pattern::Select, vec![], vec![few, twice, x])
    })
    .unwrap();
    assert_eq!(counts(&t).unwrap().flops, Nat::constant(2));
    assert_eq!(of(&t, &crate::eval::sizes([("n", 99)])).flops, 2.0);
    assert_eq!(of(&t, &crate::eval::sizes([("n", 100)])).flops, 0.0);
}

#[test]
fn what_unfolds_without_end_has_no_count() {
    let mut huge = b::lam("x", Type::f32(), |x| b::add(x, b::f32(1.0))).unwrap();
    for _ in 0..100 {
        huge = b::lam("x", Type::f32(), |x| b::app(huge.clone(), b::app(huge.clone(), x)?)).unwrap();
    }
    assert_eq!(counts(&huge), None);
}

fn program(text: &str) -> Term {
    let (file, problems) = crate::syntax::parse_program(crate::diag::Span::NOWHERE.file, text);
    assert!(problems.is_empty(), "{text}");
    crate::infer::program(&file, None).0.unwrap_or_else(|| panic!("{text}")).term
}

#[test]
fn what_nobody_reads_does_not_count() {
    // What is read of 800 elements, each with four bytes and at most one operation.
    for (body, operations, read) in [
        ("a |> map sqrt |> take n", 8, 8),
        ("a |> map sqrt |> drop (99*n)", 8, 8),
        ("a |> map sqrt |> split 100 |> map (idx (natAsIndex 100 3))", 8, 8),
        ("a |> split 100 |> map (\\r. r |> map sqrt |> idx (natAsIndex 100 3))", 8, 8),
        ("a |> map sqrt |> split 100 |> transpose |> take 2 |> join", 16, 16),
        ("a |> map (\\x. (sqrt x, x * x)) |> take n |> unzip |> fst", 8, 8),
        ("zip (a |> map (\\x. x * x)) (a |> map sqrt) |> map snd |> drop n", 792, 792),
        ("a |> asVector 4 |> map (\\v. -v) |> take n |> asScalar", 32, 32),
        ("a |> asVector 4 |> map (\\v. -v) |> asScalar |> take n", 8, 8),
        // What several read is computed once.
        ("a |> map sqrt |> map (\\x. x * x) |> take n", 16, 8),
        ("a |> map sqrt |> map (\\x. (x * x, x)) |> take n |> unzip |> fst", 16, 8),
        (
            "let b = a |> map sqrt in zip (take (50*n) b) (drop (50*n) b) |> map (\\p. max (fst p) (snd p))",
            1200,
            800,
        ),
        ("let b = a |> map sqrt in zip (take n b) (drop (99*n) b) |> map (\\p. max (fst p) (snd p))", 24, 16),
        ("a |> map sqrt |> slide 3 1 |> map (reduce max 0)", 800 + 3 * 798, 800),
        ("a |> map sqrt |> padClamp 1 1", 800, 800),
        ("let b = a |> map sqrt in zip b b", 800, 800),
        // What goes to memory does so as a whole.
        ("a |> mapSeq sqrt |> take n", 800, 800),
        ("a |> map sqrt |> toMem |> take n", 800, 800),
        ("a |> scanSeq (\\x acc. x + acc) 0 |> take n", 800, 800),
        ("let (toMem (a |> map sqrt)) (\\b. b |> take n)", 800, 800),
        ("let (toMem (a |> map sqrt)) (\\b. a |> take n)", 0, 8),
    ] {
        let term = program(&format!("def f (a: (100*n).f32) = {body}"));
        let counted = of(&term, &crate::eval::sizes([("n", 8)]));
        let result = bytes(&term.ty().signature().1).unwrap();
        let written = result.eval(&|_| Some(8)).unwrap() as f64;
        let found = (counted.flops, (counted.bytes - written) / 4.0);
        assert_eq!(found, (operations.into(), read.into()), "{body}");
    }
}

#[test]
fn where_it_is_not_known_how_much_is_read_all_of_it_counts() {
    let windows = program("def f (a: (n+m+2).f32) = a |> map sqrt |> slide 3 1 |> join |> take (3*n)");
    assert_eq!(counts(&windows).unwrap().flops.to_string(), "n + m + 2");
}
