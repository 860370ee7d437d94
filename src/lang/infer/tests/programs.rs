//! Programs and what they mean.

use super::{DOT, MATMUL, good, shown};
use crate::term::Arg;

#[test]
fn dot_and_matmul() {
    let dot = good(DOT);
    assert_eq!(dot.ty.to_string(), "k.f32 -> k.f32 -> f32");
    assert_eq!(
        format!("{:?}", dot.term),
        "(\\(\\(((reduce add) 0.0) ((map (\\((mul (fst %0)) (snd %0)))) ((zip %1) %0)))))"
    );
    let matmul = good(&format!("{DOT}{MATMUL}"));
    assert_eq!(matmul.ty.to_string(), "m.k.f32 -> k.n.f32 -> m.n.f32");
    assert_eq!(matmul.sizes.iter().map(|n| &**n).collect::<Vec<_>>(), ["m", "k", "n"]);
    assert_eq!(matmul.params.iter().map(|n| &**n).collect::<Vec<_>>(), ["a", "b"]);
    assert!(matmul.constraints.is_empty());
    assert_eq!(
        format!("{:?}", matmul.term),
        "(\\(\\((map (\\((map (\\(((reduce add) 0.0) ((map (\\((mul (fst %0)) (snd %0)))) ((zip %1) %0))))) (transpose %1)))) %1)))"
    );
}

#[test]
fn sides_of_rules() {
    use crate::diag::FileId;
    use crate::infer::{Numbered, Open};
    use crate::syntax::parse_rule_side;
    let side = |text: &str| parse_rule_side(FileId::NOWHERE, text).0;
    let mut open = Open::of_rule();
    let left = open.expr(&side("map f (xs : (n*p).s)"), None);
    let frozen = open.freeze();
    assert_eq!(frozen.nats.iter().map(|n| &**n).collect::<Vec<_>>(), ["n", "p"]);
    let ty = open.type_of(&left);
    open.close();
    let right = open.expr(&side("join (map (map f) (split p xs))"), Some(&ty));
    open.solve();
    let (l, r) = (open.term(&left).unwrap(), open.term(&right).unwrap());
    assert!(open.problems().is_empty());
    assert_eq!(format!("{l:?} ~> {r:?}"), "((map %1) %0) ~> (join ((map (map %1)) (split[p] %0)))");
    let context: Vec<String> = open.context().iter().map(|(n, t)| format!("{n}: {t}")).collect();
    assert_eq!(context, ["f: s -> t", "xs: (n*p).s"]);
    assert!(l.map_types(&Numbered(&frozen)).has_metas());

    // The right side asks for more than the left side gives.
    let mut open = Open::of_rule();
    let left = open.expr(&side("map f xs"), None);
    open.freeze();
    let ty = open.type_of(&left);
    open.close();
    open.expr(&side("map f (map f xs)"), Some(&ty));
    assert_eq!(open.problems().len(), 1);
    open.expr(&side("map g xs"), Some(&ty));
    assert_eq!(open.problems()[0].code, "E0101");

    // What may be a function cannot be stored.
    let mut open = Open::of_rule();
    let left = open.expr(&side("(\\x. x) e"), None);
    open.freeze();
    let ty = open.type_of(&left);
    open.close();
    open.expr(&side("toMem e"), Some(&ty));
    assert_eq!(open.problems()[0].code, "E0113");
}

#[test]
fn function_before_a_bar_composes_and_data_is_given() {
    let same = [
        "def f (a: n.f32): n.f32 = map abs (map sqrt a)",
        "def f (a: n.f32): n.f32 = a |> map sqrt |> map abs",
        "def f (a: n.f32): n.f32 = a |> (map sqrt |> map abs)",
        "def f (a: n.f32): n.f32 = a |> map sqrt >> map abs",
        "def g = map sqrt |> map abs\ndef f (a: n.f32): n.f32 = g a",
        "def g = map sqrt >> map abs\ndef f (a: n.f32): n.f32 = a |> g",
        "def g f h = f |> h\ndef f (a: n.f32): n.f32 = map sqrt a |> map abs",
        "def g f h = f >> h\ndef f (a: n.f32): n.f32 = g (map sqrt) (map abs) a",
        "def g x = x |> map sqrt\ndef f (a: n.f32): n.f32 = map abs (g a)",
        "def g h x = x |> h\ndef f (a: n.f32): n.f32 = g (map abs) (g (map sqrt) a)",
    ];
    for text in same {
        assert_eq!(good(text).term, good(same[0]).term, "{text}");
    }
    // Composition alone is a function, without an inner function for each stage.
    insta::assert_snapshot!(shown("def f (a: n.m.f32): n.m.f32 = map (map sqrt >> map abs >> map neg) a"), @r"
    n.m.f32 -> n.m.f32
    (\((map (\((map neg) ((map abs) ((map sqrt) %0))))) %0))
    ");
    // A function given to a function.
    insta::assert_snapshot!(shown("def f (a: n.f32): n.f32 = ((\\x. x * 2) |> map) a"), @r"
    n.f32 -> n.f32
    (\((map (\((mul %0) 2.0))) %0))
    ");
    insta::assert_snapshot!(shown("def f (a: n.m.f32): n.m.f32 = a |> map (\\x. x |> map (\\y. y |> sqrt))"), @r"
    n.m.f32 -> n.m.f32
    (\((map (\((map (\(sqrt %0))) %0))) %0))
    ");
    insta::assert_snapshot!(shown("def f (a: n.f32) (b: n.f32): n.f32 = zip a b |> map (\\p. p |> fst)"), @r"
    n.f32 -> n.f32 -> n.f32
    (\(\((map (\(fst %0))) ((zip %1) %0))))
    ");
}

#[test]
fn definitions_unfold_without_repeating_work() {
    // A variable, a view and a function are put in.
    insta::assert_snapshot!(shown("def sq x = x * x\ndef f (a: n.(f32 * f32)): n.f32 = map (\\p. sq (fst p)) a"), @r"
    n.(f32 * f32) -> n.f32
    (\((map (\((mul (fst %0)) (fst %0)))) %0))
    ");
    // A value that is used twice stays in front.
    insta::assert_snapshot!(shown("def sq x = x * x\ndef f (a: n.f32): n.f32 = map (\\x. sq (x + 1)) a"), @r"
    n.f32 -> n.f32
    (\((map (\((\((mul %0) %0)) ((add %0) 1.0)))) %0))
    ");
    // So does one that is used inside a function.
    insta::assert_snapshot!(
        shown("def plus (x: f32) (a: n.f32) = map (\\y. x + y) a\ndef f (a: n.f32) = plus (reduce (+) 0 a) a"), @r"
    n.f32 -> n.f32
    (\((\((map (\((add %1) %0))) %1)) (((reduce add) 0.0) %0)))
    ");
    // Even where the function is one without a parameter.
    insta::assert_snapshot!(
        shown("def plus (x: f32) (a: n.f32) = a |> map (plus2 x)\ndef plus2 (x y: f32) = x + y\ndef f (a: n.f32) = plus (reduce (+) 0 a) a"), @r"
    n.f32 -> n.f32
    (\((\((map (\((add %1) %0))) %1)) (((reduce add) 0.0) %0)))
    ");
    // One that is used once is put in.
    insta::assert_snapshot!(shown("def inc (x: f32) = x + 1\ndef f (a: n.f32): f32 = inc (reduce (+) 0 a)"), @r"
    n.f32 -> f32
    (\((add (((reduce add) 0.0) %0)) 1.0))
    ");
    // `let` shares, always.
    insta::assert_snapshot!(shown("def f (x: f32): f32 = let y = x in y + 1"), @r"
    f32 -> f32
    (\((\((add %0) 1.0)) %0))
    ");
    // A function unfolds like a definition where it is applied.
    insta::assert_snapshot!(shown("def twice f x = f (f x)\ndef f (a: n.f32) = twice (map (\\x. x + 1)) a"), @r"
    n.f32 -> n.f32
    (\((map (\((add %0) 1.0))) ((map (\((add %0) 1.0))) %0)))
    ");
    insta::assert_snapshot!(shown("def twice f x = f (f x)\ndef f (a: f32) = twice (\\x. x * x) a"), @r"
    f32 -> f32
    (\((\((mul %0) %0)) ((mul %0) %0)))
    ");
}

#[test]
fn iterations() {
    let typed = |text: &str| shown(text).lines().next().unwrap_or_default().to_string();
    let halving = "x |> iterate 3 (/\\l. split 2 >> map (reduce (+) 0))";
    assert_eq!(typed(&format!("def f (x: n.f32) = {halving}")), "n.f32 -> (n/8).f32 where 8 divides n");
    assert_eq!(typed(&format!("def f (x: (8*m).f32) = {halving}")), "(8*m).f32 -> m.f32");
    assert_eq!(typed(&format!("def f (x: 32.f32) = {halving}")), "32.f32 -> 4.f32");
    let named = "x |> iterate 2 (/\\l. \\a. zip (take l a) (drop l a) |> map (\\p. fst p + snd p))";
    assert_eq!(typed(&format!("def f (x: n.f32) = {named}")), "n.f32 -> (n/4).f32 where 4 divides n");
    insta::assert_snapshot!(shown("def f {k: nat} (x: n.f32) = iterate k (map (\\v. v + 1)) x"), @r"
    n.f32 -> n.f32
    (\((iterate[k] (map (\((add %0) 1.0)))) %0))
    ");
}

/// What a pattern asks of sizes is found in whatever order the text says it.
#[test]
fn sizes_of_stencils_and_tiles() {
    let typed = |text: &str| shown(text).lines().next().unwrap_or_default().to_string();
    for (text, ty) in [
        (
            "def f (x: (n+2).(m+2).f32) = x |> map (slide 3 1) |> slide 3 1 |> map transpose",
            "(n + 2).(m + 2).f32 -> n.m.3.3.f32",
        ),
        (
            "def f (x: (32*n+2).(32*m+2).f32) = x |> map (slide 34 32) |> slide 34 32 |> map transpose",
            "(32*n + 2).(32*m + 2).f32 -> n.m.34.34.f32",
        ),
        (
            "def f {t: nat} (x: (t*n+2).f32): (t*n).f32 = x |> slide (t+2) t |> map (\\w. slide 3 1 w |> map (reduce (+) 0)) |> join",
            "(n*t + 2).f32 -> (n*t).f32",
        ),
        (
            "def f (x: (n+2).f32): n.f32 = x |> slide (4+2) 4 |> map (\\w. slide 3 1 w |> map (reduce (+) 0)) |> join",
            "(n + 2).f32 -> n.f32 where 4 divides n",
        ),
        (
            "def f (x: n.m.f32) = x |> map (padClamp 1 1) |> padClamp 1 1 |> map (slide 3 1) |> slide 3 1 |> map transpose",
            "n.m.f32 -> n.m.3.3.f32",
        ),
        (
            "def f (x: n.f32) = x |> split 32 |> map (split 4) |> map (map (reduce (+) 0)) |> join",
            "n.f32 -> (n/4).f32 where 32 divides n",
        ),
        (
            "def f (x: n.f32) = x |> slide 3 1 |> slide 5 2 |> map join",
            "n.f32 -> ((n - 5)/2).15.f32 where 2 divides n - 5, 6 <= n",
        ),
        (
            "def f (x: n.f32) = zip (take (n/2) x) (drop (n/2) x)",
            "n.f32 -> (n/2).(f32 * f32) where 2 divides n",
        ),
        (
            "def f {kh kw h w: nat} (k: kh.kw.f32) (x: (h+kh-1).(w+kw-1).f32) = x |> map (slide kw 1) |> slide kh 1 |> map transpose",
            "kh.kw.f32 -> (kh + h - 1).(w + kw - 1).f32 -> h.w.kh.kw.f32",
        ),
        ("def f (x: n.f32) = padEmpty ((32 - n % 32) % 32) x", "n.f32 -> ((-n) % 32 + n).f32"),
    ] {
        assert_eq!(typed(text), ty, "{text}");
    }
}

#[test]
fn definitions_are_generic() {
    insta::assert_snapshot!(
        shown("def c = 2\ndef f (a: n.f32) (b: n.i32) = (map (\\x. c * x) a, map (\\x. c * x) b)"), @r"
    n.f32 -> n.i32 -> (n.f32 * n.i32)
    (\(\((makePair ((map (\((mul 2.0) %0))) %1)) ((map (\((mul 2i32) %0))) %0))))
    ");
    insta::assert_snapshot!(
        shown("def win (a: n.t) (sz: nat) = slide sz 1 a\ndef f (x: m.f32) = win (win x 3) 2"), @r"
    m.f32 -> (m - 3).2.3.f32 where 4 <= m
    (\(slide[2][1] (slide[3][1] %0)))
    ");
    insta::assert_snapshot!(
        shown("def zip2 (a: n.m.s) (b: n.m.t): n.m.(s * t) = zip a b |> map (\\p. zip (fst p) (snd p))\ndef f (a: 3.k.f32) = zip2 a a"), @r"
    3.k.f32 -> 3.k.(f32 * f32)
    (\((map (\((zip (fst %0)) (snd %0)))) ((zip %0) %0)))
    ");
    insta::assert_snapshot!(
        shown("pattern tile : (sz: nat) {n m: nat} {t: data} (n*sz).(m*sz).t -> n.m.sz.sz.t =\n  split sz >> map (map (split sz)) >> map transpose\ndef f (a: h.w.f32) = tile 32 a"), @r"
    h.w.f32 -> (h/32).(w/32).32.32.f32 where 32 divides h, 32 divides w
    (\(tile[32] %0))
    ");
    insta::assert_snapshot!(shown("def tile = /\\sz. split sz >> map (map (split sz))\ndef f (a: (4*n).8.f32) = tile 4 a"), @r"
    (4*n).8.f32 -> n.4.2.4.f32
    (\((map (map split[4])) (split[4] %0)))
    ");
    // The order of definitions does not matter.
    assert_eq!(good(&format!("{DOT}{MATMUL}")).term, {
        let text = format!("{MATMUL}{DOT}");
        let (file, _) = crate::syntax::parse_program(crate::diag::FileId(0), &text);
        super::program(&file, Some("matmul")).0.unwrap().term
    });
}

#[test]
fn numbers_take_their_type_from_their_place() {
    insta::assert_snapshot!(shown("def f (a: n.f64) (b: n.i8) = (map (\\x. x + 1) a, map (\\x. -1 - x) b)"), @r"
    n.f64 -> n.i8 -> (n.f64 * n.i8)
    (\(\((makePair ((map (\((add %0) 1.0f64))) %1)) ((map (\((sub -1i8) %0))) %0))))
    ");
    insta::assert_snapshot!(shown("def f (a: n.i32) = (1, 0.5, 2u8, 3f64, true)"), @r"
    n.i32 -> (i32 * (f32 * (u8 * (f64 * bool))))
    (\((makePair 1i32) ((makePair 0.5) ((makePair 2u8) ((makePair 3.0f64) true)))))
    ");
    insta::assert_snapshot!(shown("def f (a: n.f32) = [1, 0.5]"), @r"
    n.f32 -> 2.f32
    (\((makeArray[2] 1.0) 0.5))
    ");
    insta::assert_snapshot!(shown("def f (a: n.f32) = generate (\\(i: idx[n]). indexAsNat i + 1)"), @r"
    n.f32 -> n.natType
    (\(generate (\((add (indexAsNat %0)) 1))))
    ");
    insta::assert_snapshot!(shown("def f (a: n.f32) = (n - 1, n, idx (natAsIndex n 0) a, idx (natAsIndex n (n - 1)) a)"), @r"
    n.f32 -> (natType * (natType * (f32 * f32)))
    (\((makePair n - 1) ((makePair n) ((makePair ((idx (natAsIndex n 0)) %0)) ((idx (natAsIndex n (n - 1))) %0)))))
    ");
    insta::assert_snapshot!(shown("def f (a: n.f32) = map (\\x. fst (x, 0)) a"), @r"
    n.f32 -> n.f32
    (\((map (\(fst ((makePair %0) 0i32)))) %0))
    ");
}

#[test]
fn sizes_are_solved_and_their_conditions_kept() {
    insta::assert_snapshot!(shown("def f (a: m.f32) = a |> split 32 |> map (split 4) |> join |> join"), @r"
    m.f32 -> m.f32 where 32 divides m
    (\(join (join ((map split[4]) (split[32] %0)))))
    ");
    insta::assert_snapshot!(shown("def f (a: m.f32) = a |> split (m/32)"), @r"
    m.f32 -> 32.(m/32).f32 where 32 divides m
    (\(split[m/32] %0))
    ");
    insta::assert_snapshot!(shown("def f (a: m.f32) = a |> slide 3 1 |> map (reduce (+) 0) |> slide 3 1"), @r"
    m.f32 -> (m - 4).3.f32 where 5 <= m
    (\(slide[3][1] ((map ((reduce add) 0.0)) (slide[3][1] %0))))
    ");
    insta::assert_snapshot!(shown("def f (a: m.f32) = a |> slide 4 2 |> map (reduce (+) 0)"), @r"
    m.f32 -> (m/2 - 1).f32 where 2 divides m - 2, 3 <= m
    (\((map ((reduce add) 0.0)) (slide[4][2] %0)))
    ");
    insta::assert_snapshot!(shown("def f (a: (n + 4).f32): n.f32 = a |> slide 5 1 |> map (reduce (+) 0)"), @r"
    (n + 4).f32 -> n.f32
    (\((map ((reduce add) 0.0)) (slide[5][1] %0)))
    ");
    insta::assert_snapshot!(shown("def f (a: n.f32) = padClamp 1 1 a |> slide 3 1 |> map (reduce (+) 0)"), @r"
    n.f32 -> n.f32
    (\((map ((reduce add) 0.0)) (slide[3][1] (padClamp[1][1] %0))))
    ");
    insta::assert_snapshot!(shown("def f (a: (n + 2).f32) = zip (drop 1 a) (take (n + 1) a)"), @r"
    (n + 2).f32 -> (n + 1).(f32 * f32)
    (\((zip (drop[1] %0)) (take[n + 1] %0)))
    ");
    // The stride may be left out; a size is one, a function and an array are none.
    for (text, stride) in [
        ("circularBuffer 4 3 sqrt a", "1"),
        ("a |> circularBuffer 4 3 2 sqrt", "2"),
        ("a |> circularBuffer 4 3 (s + 1) (\\x. x)", "s + 1"),
        ("circularBuffer 4 3 s sqrt a", "s"),
        ("a |> circularBuffer global 4 3 s (\\x. x * x)", "s"),
        ("(\\f. circularBuffer 4 3 f a) (\\x. x * x)", "1"),
        ("a |> rotateValues 3 (\\x. x)", "1"),
        ("rotateValues 3 s (\\x. x) a", "s"),
        ("a |> rotateValues 3 3 (\\x. x)", "3"),
    ] {
        let program = good(&format!("def f {{s: nat}} (a: m.f32) = {text}"));
        let mut prims = program.term.positions().into_iter().filter_map(|(_, t)| t.as_prim());
        let buffer = prims.rfind(|p| p.pattern.is_stream()).unwrap();
        let last = buffer.args.last().unwrap();
        assert!(matches!(last, Arg::Nat(n) if n.to_string() == stride), "{text}: {last:?}");
    }
    insta::assert_snapshot!(shown("def f (a: m.f32) = a |> circularBuffer local 4 3 sqrt |> mapSeq (reduceSeq (+) 0)"), @r"
    m.f32 -> (m - 2).f32 where 3 <= m
    (\((mapSeq ((reduceSeq[private] add) 0.0)) ((circularBuffer[local][4][3][1] sqrt) %0)))
    ");
    insta::assert_snapshot!(shown("def f (a: m.n.f32): (m*n).f32 = a |> join |> split n |> transpose |> transpose |> join"), @r"
    m.n.f32 -> (m*n).f32
    (\(join (transpose (transpose (split[n] (join %0))))))
    ");
    insta::assert_snapshot!(shown("def f (p: nat) (a: n.f32) = split p a"), @r"
    n.f32 -> (n/p).p.f32 where p divides n
    (\(split[p] %0))
    ");
}

#[test]
fn explicit_arguments_that_may_be_left_out() {
    insta::assert_snapshot!(shown("def f (a: m.f32) = a |> split 4 |> mapWorkGroup 1 (mapLocal (\\x. x)) |> join |> toMem global"), @r"
    m.f32 -> m.f32 where 4 divides m
    (\(toMem[global] (join ((mapWorkGroup[1] (mapLocal[0] (\%0))) (split[4] %0)))))
    ");
    insta::assert_snapshot!(shown("def f (a: m.f32) = reduceSeq local (+) 0 (toMem a)"), @r"
    m.f32 -> f32
    (\(((reduceSeq[local] add) 0.0) (toMem[private] %0)))
    ");
    // A variable of that name is no address space.
    insta::assert_snapshot!(shown("def f (local: m.f32) = toMem local"), @r"
    m.f32 -> m.f32
    (\(toMem[private] %0))
    ");
}

#[test]
fn programs_without_points_get_parameters() {
    let program = good("def f = map sqrt >> (\\(a: 4.f32). reduce (+) 0 a)");
    assert_eq!(program.params.iter().map(|n| &**n).collect::<Vec<_>>(), ["x"]);
    insta::assert_snapshot!(format!("{} {:?}", program.ty, program.term), @r"4.f32 -> f32 (\((\(((reduce add) 0.0) %0)) ((map sqrt) %0)))");
    let program = good("def f (a: n.f32) = \\(b: n.f32). zip a b");
    assert_eq!(program.params.iter().map(|n| &**n).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn the_thesis_harris() {
    let text = r"
def dot (a b: k.f32): f32 = zip a b |> map (\p. fst p * snd p) |> reduce (+) 0
def map2d (f: s -> t): n.m.s -> n.m.t = map (map f)
def zip2d (a: n.m.s) (b: n.m.t): n.m.(s * t) = zip a b |> map (\p. zip (fst p) (snd p))
def grayscale (RGB: 3.n.m.f32): n.m.f32 =
  RGB |> transpose |> map transpose |> map2d (dot [0.299, 0.587, 0.114])
def mul2d (a: n.m.f32) (b: n.m.f32): n.m.f32 = zip2d a b |> map2d (\p. fst p * snd p)
def coarsity (Sxx: n.m.f32) (Sxy: n.m.f32) (Syy: n.m.f32) (kappa: f32): n.m.f32 =
  zip2d Sxx (zip2d Sxy Syy) |> map2d (\p.
    let xx = fst p
    let xy = fst (snd p)
    let yy = snd (snd p)
    let det = xx * yy - xy * xy
    let trace = xx + yy
    det - kappa * trace * trace)
def slide2d (nsz nsp msz msp: nat) = map (slide nsz nsp) |> slide msz msp |> map transpose
def stencil2d (f: N.M.s -> t): (n+N-1).(m+M-1).s -> n.m.t = slide2d M 1 N 1 |> map2d f
def conv3x3 (weights: 3.3.f32): (n+2).(m+2).f32 -> n.m.f32 =
  stencil2d (\(w : 3.3.f32). dot (join weights) (join w))
def Sx = conv3x3 ([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]] |> map2d (\x. x / 12))
def Sy = conv3x3 ([[-1, -2, -1], [0, 0, 0], [1, 2, 1]] |> map2d (\x. x / 12))
def sum3x3 = stencil2d (\(w : 3.3.f32). reduce (+) 0 (join w))
def harris (RGB: 3.(n+4).(m+4).f32): n.m.f32 =
  let I = grayscale RGB
  let Ix = Sx I
  let Iy = Sy I
  let Ixx = mul2d Ix Ix
  let Ixy = mul2d Ix Iy
  let Iyy = mul2d Iy Iy
  let Sxx = sum3x3 Ixx
  let Sxy = sum3x3 Ixy
  let Syy = sum3x3 Iyy
  coarsity Sxx Sxy Syy 0.04
";
    let harris = good(text);
    assert_eq!(harris.ty.to_string(), "3.(n + 4).(m + 4).f32 -> n.m.f32");
    assert!(harris.constraints.is_empty(), "{:?}", harris.constraints);
}

#[test]
fn places_of_parts() {
    use crate::path::Path;
    let program = good(&format!("{DOT}{MATMUL}"));
    let text = format!("{DOT}{MATMUL}");
    let at = |path: &str| {
        let span = program.spans.at(&Path::parse(path).unwrap()).unwrap();
        text[span.start as usize..span.end as usize].to_string()
    };
    assert_eq!(at("0.0.1"), "a");
    assert_eq!(at("0.0.0.0"), "map");
    assert_eq!(at("0.0.0.1.0.0.1.0"), "zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0");
    assert_eq!(at("0.0.0.1.0.1"), "transpose b");
}

#[test]
fn deep_and_long_programs() {
    let chain = format!("def f (a: n.f32) = a{}", " |> map (\\x. x * 2 + 1)".repeat(700));
    assert_eq!(good(&chain).term.size(), 700 * 13 + 2);
    let deep = format!("def f (a: f32) = {}a{}", "sqrt (".repeat(380), ")".repeat(380));
    good(&deep);
    let lambdas: String = (0..150).map(|i| format!("(\\x{i}. ")).collect();
    good(&format!("def f (a: f32) = {lambdas}a{}", ") a".repeat(150)));
    good(&format!("def f (a: {}f32) = a", "3.".repeat(380)));
    let lets: String = (0..390).map(|i| format!("  let x{} = x{i} + 1\n", i + 1)).collect();
    good(&format!("def f (x0: f32) =\n{lets}  x390\n"));
}

/// Two programs of one meaning are one term.
#[track_caller]
fn same(written: &str, meant: &str) {
    assert_eq!(good(written).term, good(meant).term, "{written}");
}

#[test]
fn pairs_are_taken_apart() {
    let pairs = "def f (a: n.(f32 * (i32 * f32))) (p: f32) = ";
    let same = |written: &str, meant: &str| same(&format!("{pairs}{written}"), &format!("{pairs}{meant}"));
    same("map (\\(x, (k, y)). (k, x + y)) a", "map (\\q. (fst (snd q), fst q + snd (snd q))) a");
    same("map (\\(x, k, y). (k, x + y)) a", "map (\\q. (fst (snd q), fst q + snd (snd q))) a");
    same("map (\\q. let (x, r) = q in x) a", "map (\\q. fst q) a");
    same("map (\\(x, r). let (k, y) = r in y) a", "map (\\q. snd (snd q)) a");
    // What has no name is shared.
    same(
        "map (\\(x, r). let (u, v) = (x * x, r) in u + u) a",
        "map (\\q. let s = (fst q * fst q, snd q) in fst s + fst s) a",
    );
    // Neither the name of the pair nor another binder of a component's name gets in the way.
    same("map (\\(x, r). x + p) a", "map (\\q. fst q + p) a");
    same("map (\\(x, r). map (\\x. x) [x]) a", "map (\\q. map (\\z. z) [fst q]) a");
    same(
        "map (\\q. let (x, r) = q in map (\\q. x + q) [p]) a",
        "map (\\q. let s = q in map (\\z. fst s + z) [p]) a",
    );
    same("map (\\(x, _). x) a", "map (\\q. fst q) a");
    same(
        "a |> map (\\(x, r). map (\\(y, s). x + y + p) a)",
        "a |> map (\\q. map (\\s. fst q + fst s + p) a)",
    );
}

#[test]
fn comparisons_and_truth_values() {
    let of = |e: &str| good(&format!("def f (x y: f32) (b c: bool) = {e}")).term;
    let is = |e: &str, shown: &str| assert!(format!("{:?}", of(e)).contains(shown), "{e}: {:?}", of(e));
    is("x <= y", "((le %3) %2)");
    is("x >= y and x != y or b", "((or ((and ((ge %3) %2)) ((notEqual %3) %2))) %1)");
    is("b or c and b", "((or %1) ((and %0) %1))");
    is("not b and c", "((and (not %1)) %0)");
    is("reduce (and) true [b, c]", "reduce and) true");
    is("x ≥ y ∧ x ≠ y ∨ b", "((or ((and ((ge %3) %2)) ((notEqual %3) %2))) %1)");
}

#[test]
fn components_of_pairs_are_theirs_whatever_is_called_fst_or_snd() {
    let same = |a: &str, b: &str| assert_eq!(good(a).term, good(b).term, "{a}");
    same(
        "def f (fst: f32) (a: n.(f32 * f32)) = map (\\(p, q). p + q * fst) a",
        "def f (k: f32) (a: n.(f32 * f32)) = map (\\r. fst r + snd r * k) a",
    );
    same(
        "def f (a: n.(f32 * f32)) = map (\\snd. let (fst, q) = snd in fst + q) a",
        "def f (a: n.(f32 * f32)) = map (\\r. fst r + snd r) a",
    );
    same(
        "def f (a: n.(f32 * f32)) (b: m.(f32 * f32)) = map (\\(fst, snd). map (\\(p, q). p + q * fst - snd) b) a",
        "def f (a: n.(f32 * f32)) (b: m.(f32 * f32)) = map (\\r. map (\\s. fst s + snd s * fst r - snd r) b) a",
    );
    same(
        "def f (a: n.(f32 * f32)) = let snd = 2 in map (\\(p, q). p + q * snd) a",
        "def f (a: n.(f32 * f32)) = let k = 2 in map (\\r. fst r + snd r * k) a",
    );
    // What is printed means the same.
    let text = "def f (fst: f32) (snd: n.(f32 * f32)) = map (\\(p, q). p + q * fst) snd";
    let program = good(text);
    let printed =
        crate::print::program("f", &program.sizes, &program.term, &crate::print::Options::default());
    same(text, &printed.text);
}
