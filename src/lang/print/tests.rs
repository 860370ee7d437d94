//! Looks of printed terms, places of their parts, hostile terms.

use super::*;
use crate::build::{self as b, Built};
use crate::literal::Literal;
use crate::nat::Nat;
use crate::pattern::{AddressSpace, Pattern};
use crate::term::Arg;
use crate::ty::{Scalar, Type};

fn n(name: &str) -> Nat {
    Nat::var(name)
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

fn array(sizes: &[&str]) -> Type {
    sizes.iter().rev().fold(Type::f32(), |t, s| Type::array(n(s), t))
}

fn plus() -> Term {
    b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap()
}

fn times(p: Term) -> Built {
    b::mul(b::fst(p.clone())?, b::snd(p)?)
}

fn matmul() -> Term {
    let pair = Type::pair(Type::f32(), Type::f32());
    b::lam2(("a", array(&["m", "k"])), ("b", array(&["k", "n"])), |a, m| {
        let row = b::lam("row", array(&["k"]), |r| {
            let dot = b::lam("col", array(&["k"]), |col| {
                b::reduce(plus(), b::f32(0.0), b::map(b::lam("p", pair.clone(), times)?, b::zip(r, col)?)?)
            })?;
            b::map(dot, b::transpose(m)?)
        })?;
        b::map(row, a)
    })
    .unwrap()
}

fn text(t: &Term, width: usize) -> String {
    let printed = term(t, &Options { width, ..Options::default() });
    assert_eq!(
        printed.lines.iter().map(|r| &printed.text[r.clone()]).collect::<Vec<_>>().join("\n"),
        printed.text
    );
    printed.text
}

#[test]
fn matmul_reads_as_the_thesis_writes_it() {
    let program = |width, unicode| {
        let options = Options { width, unicode, ..Options::default() };
        program("matmul", &[], &matmul(), &options).text
    };
    insta::assert_snapshot!(program(80, false), @r"
    def matmul (a: m.k.f32) (b: k.n.f32): m.n.f32 =
      a |> map (\row.
        transpose b |> map (\col.
          zip row col |> map (\p. fst p * snd p) |> reduce (+) 0.0))
    ");
    insta::assert_snapshot!(program(40, true), @r"
    def matmul
        (a: m.k.f32)
        (b: k.n.f32): m.n.f32 =
      a ▷ map (λrow.
        transpose b ▷ map (λcol.
          zip row col
            ▷ map (λp. fst p × snd p)
            ▷ reduce (+) 0.0))
    ");
    insta::assert_snapshot!(text(&matmul(), 200), @r"\a b. a |> map (\row. transpose b |> map (\col. zip row col |> map (\p. fst p * snd p) |> reduce (+) 0.0))");
    let long = Options { width: 30, ..Options::default() };
    insta::assert_snapshot!(super::program("matmul", &[], &matmul(), &long).text, @r"
    def matmul
        (a: m.k.f32)
        (b: k.n.f32): m.n.f32 =
      a |> map (\row.
        transpose b |> map (\col.
          zip row col
            |> map (\p.
              fst p * snd p)
            |> reduce (+) 0.0))
    ");
}

#[test]
fn operators_take_the_parentheses_they_need() {
    let x = || Term::var(0, Type::f32());
    let names = ["x".into()];
    let show = |t: Built| open_term(&t.unwrap(), &names, &Options::default()).text;
    let sum = || b::add(x(), b::f32(1.0)).unwrap();
    assert_eq!(show(b::mul(sum(), sum())), "(x + 1.0) * (x + 1.0)");
    assert_eq!(show(b::sub(sum(), sum())), "x + 1.0 - (x + 1.0)");
    assert_eq!(show(b::add(x(), b::mul(x(), x()).unwrap())), "x + x * x");
    assert_eq!(show(b::div(b::div(x(), x()).unwrap(), b::div(x(), x()).unwrap())), "x / x / (x / x)");
    assert_eq!(show(b::neg(b::neg(x()).unwrap())), "neg (-x)");
    assert_eq!(show(b::sub(x(), b::neg(x()).unwrap())), "x - (-x)");
    assert_eq!(show(b::mul(b::neg(x()).unwrap(), x())), "-x * x");
    assert_eq!(show(b::neg(sum())), "-(x + 1.0)");
    assert_eq!(show(b::neg(b::f32(1.0))), "neg 1.0");
    assert_eq!(show(b::sub(x(), b::f32(-1.0))), "x - (-1.0)");
    assert_eq!(show(b::sqrt(b::f32(-1.0))), "sqrt (-1.0)");
    assert_eq!(show(b::gt(sum(), x())), "x + 1.0 > x");
    assert_eq!(
        show(b::select(b::lt(x(), x()).unwrap(), sum(), b::abs(x()).unwrap())),
        "select (x < x) (x + 1.0) (abs x)"
    );
    assert_eq!(show(b::make_array(vec![x(), sum()])), "[x, x + 1.0]");
    assert_eq!(show(b::make_pair(x(), sum())), "(x, x + 1.0)");
    // Sizes that are compared are no size.
    let size = |name: &str| Term::lit(Literal::Nat(n(name)));
    assert_eq!(show(b::lt(size("n"), size("m"))), "n < m");
    let one = b::partial(Pattern::Sub, vec![], vec![x()], &[Type::f32()]);
    assert_eq!(show(one), "(-) x");
}

#[test]
fn explicit_arguments_are_printed_unless_they_are_the_default() {
    let xs = || Term::var(0, array(&["m"]));
    let show = |t: Built| open_term(&t.unwrap(), &["xs".into()], &Options::default()).text;
    let f = || b::lam("x", Type::f32(), |x| b::add(x, b::f32(1.0))).unwrap();
    assert_eq!(show(b::split(&c(32), xs())), "split 32 xs");
    assert_eq!(show(b::take(&n("m").exact_div(&c(2)), xs())), "take (m/2) xs");
    assert_eq!(show(b::slide(&c(3), &c(1), xs())), "slide 3 1 xs");
    assert_eq!(show(b::map_dim(Pattern::MapGlobal, 0, f(), xs())), "xs |> mapGlobal (\\x. x + 1.0)");
    assert_eq!(show(b::map_dim(Pattern::MapGlobal, 1, f(), xs())), "xs |> mapGlobal 1 (\\x. x + 1.0)");
    assert_eq!(show(b::to_mem(AddressSpace::Private, xs())), "toMem xs");
    assert_eq!(show(b::to_mem(AddressSpace::Global, xs())), "toMem global xs");
    assert_eq!(show(b::join(b::split(&c(32), xs()).unwrap())), "split 32 xs |> join");
    let index = Term::lit(Literal::Index(c(1), n("m")));
    assert_eq!(show(b::idx(index, xs())), "idx (natAsIndex m 1) xs");
}

#[test]
fn binders_keep_their_hints_and_catch_nothing() {
    let x = Type::f32();
    let all_one = b::lam("x", x.clone(), |a| {
        b::lam("x", x.clone(), |q| b::lam("x7", x.clone(), |r| b::add(b::add(a, q)?, r)))
    });
    assert_eq!(text(&all_one.unwrap(), 80), "\\x x1 x7. x + x1 + x7");
    // Sizes, patterns, words and types are no names for binders; siblings may share a name.
    let strange = |hint: &str| text(&b::lam(hint, x.clone(), Ok).unwrap(), 80);
    assert_eq!(strange("map"), "\\map1. map1");
    assert_eq!(strange("in"), "\\in1. in1");
    assert_eq!(strange("f32"), "\\f1. f1");
    assert_eq!(strange("3 x"), "\\x. x");
    assert_eq!(strange(""), "\\x. x");
    assert_eq!(strange("global"), "\\global1. global1");
    let m = b::lam("m", array(&["m"]), |m| b::take(&n("m"), m));
    assert_eq!(text(&m.unwrap(), 80), "\\m1. take m m1");
    let both = b::make_pair(b::share("y", b::f32(1.0), Ok).unwrap(), b::share("y", b::f32(2.0), Ok).unwrap());
    assert_eq!(text(&both.unwrap(), 80), "(let y = 1.0 in y, let y = 2.0 in y)");
}

#[test]
fn a_redex_is_a_let() {
    let x = Type::f32();
    let t = b::lam("a", x, |a| {
        b::share("s", b::add(a.clone(), a)?, |s| {
            b::share("t", b::mul(s.clone(), s.clone())?, |t| b::sub(s, t))
        })
    })
    .unwrap();
    assert_eq!(text(&t, 80), "\\a. let s = a + a in let t = s * s in s - t");
    insta::assert_snapshot!(text(&t, 30), @r"
    \a.
      let s = a + a
      let t = s * s
      s - t
    ");
    let inside = b::share("s", b::share("t", b::f32(1.0), Ok).unwrap(), Ok);
    assert_eq!(text(&inside.unwrap(), 80), "let s = (let t = 1.0 in t) in s");
    let stored = b::let_in(
        b::to_mem(AddressSpace::Local, b::f32(1.0)).unwrap(),
        b::lam("y", Type::f32(), |y| b::add(y.clone(), y)).unwrap(),
    );
    assert_eq!(text(&stored.unwrap(), 80), "let (toMem local 1.0) (\\y. y + y)");
}

#[test]
fn every_part_has_its_place_and_every_place_its_part() {
    let t = matmul();
    for (printed, name) in [
        (term(&t, &Options { width: 40, ..Options::default() }), "term"),
        (program("matmul", &[], &t, &Options { unicode: true, ..Options::default() }), "program"),
    ] {
        let ranges = printed.ranges();
        assert_eq!(ranges.len() as u32, t.size());
        for (path, range) in &ranges {
            assert!(printed.ranges_of(path).contains(range), "{path}");
            let there = printed.path_at(range.start).unwrap();
            assert!(there.strip_prefix(path).is_some() || path.strip_prefix(&there).is_some());
        }
        let at = |what: &str| printed.path_at(printed.text.find(what).unwrap()).unwrap();
        assert_eq!(t.at(&at("reduce")).unwrap().as_pattern(), Some(Pattern::Reduce));
        assert_eq!(t.at(&at("zip")).unwrap().as_pattern(), Some(Pattern::Zip));
        assert_eq!(t.at(&at("0.0")).unwrap(), &b::f32(0.0));
        let product = t.at(&at(if name == "term" { " * " } else { " × " })).unwrap();
        assert_eq!(product.as_pattern_app().unwrap().0.pattern, Pattern::Mul);
    }
}

#[test]
fn tokens_cover_the_text() {
    let printed = program("matmul", &[], &matmul(), &Options { width: 50, ..Options::default() });
    let mut at = 0;
    for token in &printed.tokens {
        assert!(printed.text[at..token.range.start].trim().is_empty());
        at = token.range.end;
    }
    assert_eq!(at, printed.text.len());
    let role = |what: &str| {
        let start = printed.text.find(what).unwrap();
        printed.tokens.iter().find(|t| t.range.contains(&start)).unwrap().role
    };
    assert_eq!(role("def"), Role::Keyword);
    assert_eq!(role("matmul"), Role::Variable);
    assert_eq!(role("m.k.f32"), Role::Type);
    assert_eq!(role("reduce"), Role::Pattern(Level::High));
    assert_eq!(role("0.0"), Role::Literal);
    assert_eq!(role("|>"), Role::Operator);
    assert_eq!(role("\\row"), Role::Punctuation);
}

#[test]
fn large_and_deep_terms_are_no_danger() {
    // As deep as terms may get, on the small stack of a test.
    let mut deep = b::f32(0.0);
    for i in 0..400 {
        deep = match i % 3 {
            0 => b::share("x", deep, |x| b::add(x, b::f32(1.0))).unwrap(),
            1 => b::fst(b::make_pair(deep, b::f32(1.0)).unwrap()).unwrap(),
            _ => b::mul(b::f32(2.0), deep).unwrap(),
        };
    }
    assert!(text(&deep, 80).len() > 2000);
    // Shared, it is small; unfolded, it would not end.
    let mut huge = b::lam("x", Type::f32(), |x| b::add(x, b::f32(1.0))).unwrap();
    for _ in 0..100 {
        huge = b::lam("x", Type::f32(), |x| b::app(huge.clone(), b::app(huge.clone(), x)?)).unwrap();
    }
    let printed = term(&huge, &Options { nodes: 1000, ..Options::default() });
    assert!(printed.text.contains('…'), "{}", printed.text);
    assert!(printed.text.len() < 1_000_000, "{}", printed.text.len());
    assert!(!printed.ranges().is_empty());
    let wide = b::make_array((0..5000).map(|i| b::f32(i as f32)).collect()).unwrap();
    let printed = term(&wide, &Options::default());
    assert_eq!(printed.path_at(printed.text.len() - 1), Some(Path::root()));
    assert_eq!(printed.ranges().len(), 5000 + 1 + 5000);
}

#[test]
fn short_forms_fit() {
    let t = matmul();
    assert_eq!(short(&t, &[], 30), "\\a b. a |> map (\\row. transpo…");
    assert_eq!(short(&b::f32(1.0), &[], 30), "1.0");
}

#[test]
fn programs_declare_the_sizes_that_do_not_declare_themselves() {
    let t = b::lam("xs", array(&["rows", "n"]), b::join).unwrap();
    let show = |sizes: &[&str]| {
        let sizes: Vec<Name> = sizes.iter().map(|s| Name::from(*s)).collect();
        program("flat", &sizes, &t, &Options::default()).text
    };
    assert_eq!(show(&["rows", "n"]), "def flat {rows n: nat} (xs: rows.n.f32): (n*rows).f32 = join xs");
    assert_eq!(show(&["n", "rows"]), "def flat {n rows: nat} (xs: rows.n.f32): (n*rows).f32 = join xs");
    let t = b::lam("xs", array(&["m", "n"]), |xs| b::map(b::lam("r", array(&["n"]), b::id)?, xs)).unwrap();
    let text = program("same", &["m".into(), "n".into()], &t, &Options::default()).text;
    assert_eq!(text, "def same (xs: m.n.f32): m.n.f32 = xs |> map (\\r. id r)");
    let typed = Term::lit(Literal::number(3, Scalar::U8).unwrap());
    assert_eq!(program("three", &[], &typed, &Options::default()).text, "def three: u8 = 3u8");
}

#[test]
fn unapplied_patterns_stand_bare() {
    let xs = Type::array(c(4), array(&["m"]));
    let t = b::partial(
        Pattern::Map,
        vec![],
        vec![b::pattern(Pattern::Join, vec![], std::slice::from_ref(&xs)).unwrap()],
        &[Type::array(c(2), xs)],
    );
    assert_eq!(text(&t.unwrap(), 80), "map join");
    let slide = b::pattern(Pattern::Slide, vec![Arg::Nat(c(3)), Arg::Nat(c(1))], &[array(&["m"])]).unwrap();
    let t = b::partial(Pattern::Map, vec![], vec![slide], &[array(&["n", "m"])]).unwrap();
    assert_eq!(text(&t, 80), "map (slide 3 1)");
}

/// In values `/` rounds down, so that quotients there are written as what they are read as.
#[test]
fn quotients_in_values_round_down() {
    let show = |n: Nat| open_term(&Term::lit(Literal::Nat(n)), &[], &Options::default()).text;
    assert_eq!(show(n("k").exact_div(&c(3))), "(k div 3)");
    assert_eq!(show(n("k").exact_div(&c(3)).modulo(&c(7))), "((k div 3) % 7)");
    let (less, product) = (n("k").sub(&c(5)), n("k").mul(&n("m")));
    assert_eq!(show(less.exact_div(&c(2))), show(less.floor_div(&c(2))));
    let one_more = |quotient: Nat| quotient.add(&c(1));
    assert_eq!(show(one_more(product.exact_div(&n("s")))), show(one_more(product.floor_div(&n("s")))));
    assert_eq!(show(n("k").mul(&n("m"))), "(k*m)");
}

/// What is printed is read back as the same term.
fn reads_back(t: &Term, options: &Options) -> Result<(), String> {
    let text = program("prog", &[], t, options).text;
    let mut sources = crate::source::Sources::new();
    let file = sources.add("printed", &text);
    let (tree, problems) = crate::syntax::parse_program(file, &text);
    if !problems.is_empty() {
        return Err(format!("{text}\n{}", problems.iter().map(|p| p.render(&sources)).collect::<String>()));
    }
    let (found, problems) = crate::infer::program(&tree, None);
    match found {
        Some(found) if found.term == *t => Ok(()),
        Some(found) => Err(format!("{text}\n{:?}\n{t:?}", found.term)),
        None => Err(format!("{text}\n{}", problems.iter().map(|p| p.render(&sources)).collect::<String>())),
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 150,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn what_is_printed_is_read_back(seed: u64, fuel in 1..5u32, width in 10..120usize, unicode: bool) {
        let t = crate::arbitrary::Draw::new(seed).program(fuel);
        let read = reads_back(&t, &Options { unicode, width, ..Options::default() });
        proptest::prop_assert!(read.is_ok(), "{}", read.unwrap_err());
    }
}

#[test]
fn types_stand_where_nothing_else_says_them() {
    let show = |t: Built| {
        let t = t.unwrap();
        reads_back(&t, &Options::default()).unwrap();
        program("f", &[], &t, &Options::default()).text
    };
    let zeros = |n: Nat| b::generate(b::lam("i", Type::index(n), |_| Ok(b::f32(0.0))).unwrap());
    // The result's type says how many; a reduction does not.
    let plain = b::lam("x", array(&["m"]), |_| zeros(n("m")));
    assert_eq!(show(plain), "def f (x: m.f32): m.f32 = generate (\\i. 0.0)");
    let sum = b::lam("x", array(&["m"]), |_| b::reduce(plus(), b::f32(0.0), zeros(n("m"))?));
    assert_eq!(show(sum), "def f (x: m.f32): f32 = reduce (+) 0.0 (generate (\\(i: idx[m]). 0.0))");
    let i32s = Type::scalar(Scalar::I32);
    let cast = b::lam("x", Type::f32(), |x| b::cast(i32s.clone(), x));
    assert_eq!(show(cast), "def f (x: f32): i32 = cast x");
    let twice = b::lam("x", Type::f32(), |x| b::cast(Type::f32(), b::cast(i32s.clone(), x)?));
    assert_eq!(show(twice), "def f (x: f32): f32 = cast (cast x : i32)");
    let unused = b::lam("x", Type::f32(), |x| b::share("g", b::lam("y", Type::f32(), Ok)?, |_| Ok(x)));
    assert_eq!(show(unused), "def f (x: f32): f32 = let g = (\\(y: f32). y) in x");
    let pattern = b::pattern(Pattern::Fst, vec![], &[Type::pair(Type::f32(), Type::f32())]);
    let unused = b::lam("x", Type::f32(), |x| b::share("g", pattern?, |_| Ok(x)));
    assert_eq!(show(unused), "def f (x: f32): f32 = let g = (fst : (f32 * f32) -> f32) in x");
}
