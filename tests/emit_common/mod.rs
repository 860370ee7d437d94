//! Programs for the tests of lowering and code generation, and running generated C.

pub mod batch;
pub mod simulator;

use shine_tui::emit::{Kernel, KernelParam, ParamKind, compile, data};
use shine_tui::lang::build::{self as b, Built};
use shine_tui::lang::eval::{self, Limits, inputs};
use shine_tui::lang::infer::{Program, Sizes, Spans, constraints_of};
use shine_tui::lang::nat::{Name, Nat, NatVar};
use shine_tui::lang::pattern::Pattern;
use shine_tui::lang::term::Term;
use shine_tui::lang::ty::{Scalar, Type};
use shine_tui::lang::value::{Buffer, Tolerance, Value};
use shine_tui::lower::Target;
use shine_tui::lower::default_lowering;

pub fn n(x: &str) -> Nat {
    Nat::var(x)
}
pub fn c(v: i64) -> Nat {
    Nat::constant(v)
}
pub fn f32() -> Type {
    Type::f32()
}
pub fn arr(size: &Nat, t: Type) -> Type {
    Type::array(size.clone(), t)
}

/// A program of a closed term.
pub fn program(name: &str, term: Built) -> Program {
    let term = term.unwrap();
    term.check().unwrap();
    b::check_patterns(&term).unwrap();
    let mut params = vec![];
    let mut body = &term;
    while let Some((x, inner)) = body.as_lam() {
        params.push(x.clone());
        body = inner;
    }
    let mut sizes: Vec<Name> = vec![];
    term.ty().for_each_nat(&mut |n| {
        for v in n.vars() {
            if let NatVar::Named(x) = v
                && !sizes.contains(&x)
            {
                sizes.push(x);
            }
        }
    });
    Program {
        name: name.into(),
        params,
        sizes,
        ty: term.ty().clone(),
        patterns: Default::default(),
        constraints: constraints_of(&term),
        spans: Spans::default(),
        term,
    }
}

pub fn plus() -> Term {
    b::pattern(Pattern::Add, vec![], &[f32(), f32()]).unwrap()
}

pub fn times_pair() -> Built {
    b::lam("p", Type::pair(f32(), f32()), |p| b::mul(b::fst(p.clone())?, b::snd(p)?))
}

/// `\acc x. acc + fst x * snd x`
pub fn multiply_add() -> Built {
    b::lam2(("acc", f32()), ("x", Type::pair(f32(), f32())), |acc, x| {
        b::add(acc, b::mul(b::fst(x.clone())?, b::snd(x)?)?)
    })
}

/// The thesis's `dotSeq`.
pub fn dot_seq() -> Built {
    let v = arr(&n("n"), f32());
    b::lam2(("a", v.clone()), ("b", v), |x, y| b::reduce_seq(multiply_add()?, b::f32(0.0), b::zip(x, y)?))
}

/// Matrix multiplication with the given maps over rows and columns and the given inner product.
pub fn matmul(
    rows: impl Fn(Term, Term) -> Built,
    columns: impl Fn(Term, Term) -> Built,
    inner: impl Fn(Term, Term) -> Built,
) -> Built {
    let a = arr(&n("m"), arr(&n("k"), f32()));
    let bt = arr(&n("k"), arr(&n("n"), f32()));
    let row = arr(&n("k"), f32());
    b::lam2(("a", a), ("b", bt), |x, y| {
        let body = b::lam("row", row.clone(), |r| {
            let cell = b::lam("col", row.clone(), |c| inner(r.clone(), c))?;
            columns(cell, b::transpose(y)?)
        })?;
        rows(body, x)
    })
}

/// `zip |> reduceSeq multiply-add`
pub fn inner_seq(r: Term, c: Term) -> Built {
    b::reduce_seq(multiply_add()?, b::f32(0.0), b::zip(r, c)?)
}

/// `zip |> map multiply |> reduce (+) 0`
pub fn inner_high(r: Term, c: Term) -> Built {
    b::reduce(plus(), b::f32(0.0), b::map(times_pair()?, b::zip(r, c)?)?)
}

/// The program that `text` defines last.
/// A kernel's text in which threads are started however little there is to compute: what tests compute is little.
pub fn on_threads(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for i in 1..lines.len() {
        if lines[i].contains("_chunk") && lines[i - 1].trim_start().starts_with("if (") {
            lines[i - 1] = "if (0) {";
        }
    }
    lines.join("\n") + "\n"
}

pub fn parse(text: &str) -> Program {
    let mut sources = shine_tui::lang::diag::Sources::new();
    let id = sources.add("test.rise", text);
    let (file, problems) = shine_tui::lang::syntax::parse_program(id, text);
    assert!(problems.is_empty(), "{text}\n{}", problems[0].render(&sources));
    let (program, problems) = shine_tui::lang::infer::program(&file, None);
    let errors: Vec<String> = problems.iter().filter(|d| d.is_error()).map(|d| d.render(&sources)).collect();
    assert!(errors.is_empty(), "{text}\n{}", errors.join("\n"));
    program.unwrap()
}

/// A program, and the sizes to try it at.
pub type Trial = (&'static str, &'static [&'static [(&'static str, i64)]]);

/// Programs with the sizes to try them at.
pub const CORPUS: &[Trial] = &[
    // Plain numbers: of every scalar type, and quotients of sizes that no number divides.
    (
        "def f (a: n.f32) (b: n.i8) (c: n.u64): n.i64 = zip a (zip b c) |> map (\\(x, (y, z)).
           cast ((cast (x * 1000) : natType) + (cast y : natType) + (cast z : natType) + (cast (x < 0.5) : natType)))",
        &[&[("n", 5)], &[("n", 16)]],
    ),
    (
        "def f (a: n.i32): (n.i32 * 4.i32) =
           (generate (\\i. idx (natAsIndex n ((indexAsNat i + n / 2) % n)) a),
            [cast (2 * (n / 2)), cast (2 * (max n 1 / 2)), cast (n / 2 / 3), idx (natAsIndex n (n / 2)) a])",
        &[&[("n", 1)], &[("n", 5)], &[("n", 11)]],
    ),
    // Components that threads compute, of which one is moved.
    (
        "def f (a: n.f32) (b: (2*n).f32): (n.bool * (2*n).f32) = mapSnd (\\v. split 2 v |> transpose |> join)
           (a |> mapPar (\\x. x < 1), b |> mapPar (\\x. x + 1))",
        &[&[("n", 3)], &[("n", 8)]],
    ),
    // Sizes decide which array is computed.
    (
        "def f (a: n.m.f32) (b: m.n.f32): m.n.f32 = select (n * m < 12) (a |> map (map (\\x. x + 1)) |> transpose)
           (select (n < m) (transpose a) (b |> map (map (\\x. x * 2))))",
        &[&[("n", 2), ("m", 3)], &[("n", 3), ("m", 4)], &[("n", 4), ("m", 3)]],
    ),
    (
        "def f (a: n.m.f32): n.f32 = a |> map (\\r. select (m < 4) (let s = reduce max 0 r in r |> map (\\x. x - s)) r)
           |> map (\\r. reduce (+) 0 r)",
        &[&[("n", 3), ("m", 3)], &[("n", 3), ("m", 5)]],
    ),
    ("def f (a: n.f32) (b: n.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0", &[&[("n", 1)], &[("n", 7)]]),
    (
        "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 =
           a |> map (\\row. transpose b |> map (\\col. zip row col |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("m", 1), ("k", 1), ("n", 1)], &[("m", 3), ("k", 5), ("n", 4)]],
    ),
    // Layouts.
    ("def f (a: n.m.f32): m.n.f32 = transpose a", &[&[("n", 3), ("m", 4)], &[("n", 1), ("m", 5)]]),
    ("def f (a: (4*n).f32): n.4.f32 = split 4 a |> map (map (\\x. x * x))", &[&[("n", 1)], &[("n", 3)]]),
    ("def f (a: n.m.f32): (n*m).f32 = a |> map (map (\\x. x + 1)) |> join", &[&[("n", 3), ("m", 4)]]),
    ("def f (a: n.m.f32): (m*n).f32 = a |> map (map (\\x. x + 1)) |> transpose |> join", &[&[("n", 3), ("m", 4)]]),
    ("def f (a: n.m.f32): (n*m).f32 = join a |> map (\\x. x * 2)", &[&[("n", 3), ("m", 4)]]),
    ("def f (a: n.f32) (b: n.f32): n.(f32 * f32) = zip a b", &[&[("n", 5)]]),
    ("def f (a: n.(f32 * i32)): (n.f32 * n.i32) = unzip a", &[&[("n", 5)]]),
    ("def f (a: n.(f32 * i32)): n.f32 = fst (unzip a)", &[&[("n", 5)]]),
    ("def f (a: n.(f32 * i32)): n.(i32 * f32) = a |> map (\\p. makePair (snd p) (fst p))", &[&[("n", 5)]]),
    ("def f (a: n.f32): (n - 2).f32 = slide 3 1 a |> map (reduce (+) 0)", &[&[("n", 3)], &[("n", 9)]]),
    (
        "def f (a: n.f32): (n - 4).f32 =
           a |> map (\\x. x * x + 1) |> slide 3 1 |> map (reduce (+) 0) |> slide 3 1 |> map (reduce (+) 0)",
        &[&[("n", 5)], &[("n", 9)]],
    ),
    ("def f (a: (n + 3).f32): n.f32 = drop 3 a", &[&[("n", 4)]]),
    ("def f (a: (n + 3).f32): 3.f32 = take 3 (map (\\x. x + 1) a)", &[&[("n", 4)]]),
    ("def f (a: n.f32): (n + 5).f32 = padClamp 2 3 a", &[&[("n", 1)], &[("n", 4)]]),
    ("def f (a: n.f32): (n + 5).f32 = padCst 2 3 1.5 (map (\\x. x * 2) a)", &[&[("n", 1)], &[("n", 4)]]),
    ("def f (a: n.m.f32): (n*m + 2).f32 = padCst 1 1 0 (join a)", &[&[("n", 3), ("m", 4)]]),
    ("def f (a: n.m.f32): (n*m + 2).f32 = padCst 1 1 0 (join (map (map (\\x. x + 1)) a))", &[&[("n", 3), ("m", 4)]]),
    (
        "def f (a: n.m.f32): (n + 2).f32 = padCst 1 1 7 (map (reduce (+) 0) a)",
        &[&[("n", 3), ("m", 4)], &[("n", 1), ("m", 1)]],
    ),
    // Reordered by functions: read, written, below maps, within pairs, and by strides that are no square root.
    ("def f (a: n.f32): n.f32 = reorder n (/\\i. n - 1 - i) (/\\i. n - 1 - i) a", &[&[("n", 1)], &[("n", 5)]]),
    (
        "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1) |> reorder n (/\\i. (i + n - 1) % n) (/\\i. (i + 1) % n)",
        &[&[("n", 1)], &[("n", 6)]],
    ),
    (
        "def f (a: n.f32): n.f32 = a |> reorder n (/\\i. (i + 2) % n) (/\\i. (i + n - 2) % n) |> map (\\x. x + 1)",
        &[&[("n", 2)], &[("n", 7)]],
    ),
    (
        "def byStride {n: nat} {t: data} (s: nat) (xs: n.t): n.t =
           xs |> reorder n (/\\i. i / (n/s) + s * (i % (n/s))) (/\\i. i / s + (n/s) * (i % s))
         def f {n s: nat} (a: n.f32): n.f32 = a |> mapSeq (\\x. x * 2) |> byStride s",
        &[&[("n", 12), ("s", 4)], &[("n", 12), ("s", 3)], &[("n", 16), ("s", 4)], &[("n", 5), ("s", 1)]],
    ),
    (
        "def byStride {n: nat} {t: data} (s: nat) (xs: n.t): n.t =
           xs |> reorder n (/\\i. i / (n/s) + s * (i % (n/s))) (/\\i. i / s + (n/s) * (i % s))
         def f {n s: nat} (a: n.f32): s.f32 = a |> byStride s |> split (n/s) |> map (reduce (+) 0)",
        &[&[("n", 12), ("s", 4)], &[("n", 15), ("s", 5)]],
    ),
    (
        "def f (a: n.m.(f32 * i32)): n.m.(f32 * i32) =
           a |> map (\\r. r |> map (\\p. makePair (fst p + 1) (snd p)) |> reorder m (/\\i. m - 1 - i) (/\\i. m - 1 - i))
             |> reorder n (/\\i. (i + 1) % n) (/\\i. (i - 1) % n)",
        &[&[("n", 3), ("m", 4)]],
    ),
    (
        "def f (a: n.m.f32): (n*m).f32 =
           a |> map (map (\\x. x + 1)) |> map (reorder m (/\\i. m - 1 - i) (/\\i. m - 1 - i)) |> join",
        &[&[("n", 3), ("m", 4)]],
    ),
    (
        "def f (a: 6.f32) (b: 6.f32): 6.f32 =
           zip (reorder 6 (/\\i. 5 * i % 6) (/\\i. 5 * i % 6) a) b |> map (\\p. fst p - snd p)
             |> reorder 6 (/\\i. i div 3 + 2 * (i % 3)) (/\\i. i div 2 + 3 * (i % 2))",
        &[&[]],
    ),
    // Steps that change the size.
    (
        "def f (a: n.f32): (n/8).f32 = a |> iterate 3 (/\\l. split 2 >> map (reduce (+) 0))",
        &[&[("n", 8)], &[("n", 24)]],
    ),
    (
        "def f (a: n.f32) (b: n.f32): (n/4).f32 =
           zip a b |> map (\\p. fst p * snd p)
             |> iterate 2 (/\\l. \\x. zip (take l x) (drop l x) |> map (\\p. fst p + snd p)) |> map (\\v. v + 1)",
        &[&[("n", 4)], &[("n", 20)]],
    ),
    (
        "def f (a: n.f32) (b: m.f32): (n/9).f32 =
           let s = b |> reduce (+) 0 in
           a |> iterate 2 (/\\l. \\x. generate (\\i. idx (natAsIndex (3*l) (2*l + indexAsNat i)) x * s))",
        &[&[("n", 9), ("m", 2)], &[("n", 27), ("m", 3)]],
    ),
    (
        "def sum (l: nat) (x: (2*l).f32) = zip (take l x) (drop l x) |> map (\\p. fst p + snd p)
         def f (a: n.f32): (n/16).f32 =
           a |> iterate 2 (/\\l. split 4 >> map (iterate 2 (/\\l. sum l)) >> join)",
        &[&[("n", 16)], &[("n", 48)]],
    ),
    ("def f (a: n.f32): n.f32 = a |> iterate 3 (/\\l. map (\\v. v + v))", &[&[("n", 5)]]),
    ("def f (i: m.idx[n]) (a: n.f32): m.f32 = gather i a", &[&[("m", 6), ("n", 4)]]),
    ("def f (i: m.idx[n]) (a: n.f32): m.f32 = gather i (map (\\x. x * x) a) |> map (\\x. x + 1)", &[&[("m", 6), ("n", 4)]]),
    ("def f (a: n.f32): n.f32 = generate (\\i. idx i a * 2)", &[&[("n", 4)]]),
    (
        "def f (a: n.f32): n.f32 = gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) a",
        &[&[("n", 4)], &[("n", 1)]],
    ),
    ("def f (a: n.f32) (b: m.f32): (n + m).f32 = concat (map (\\x. x + 1) a) b", &[&[("n", 4), ("m", 2)]]),
    ("def f (a: n.f32) (b: m.f32): (n + m).f32 = map (\\x. x * 2) (concat a b)", &[&[("n", 4), ("m", 2)]]),
    // Literal arrays.
    (
        "def f (a: n.f32): (n - 2).f32 =
           slide 3 1 a |> map (\\w. zip w [1.0, 2.0, 3.0] |> map (\\p. fst p * snd p) |> reduce (+) 0)",
        &[&[("n", 3)], &[("n", 8)]],
    ),
    ("def f (x: f32) (y: f32): 3.f32 = [x, x + y, y] |> map (\\v. v * v)", &[&[]]),
    ("def f (i: idx[2]) (j: idx[2]): f32 = idx j (idx i [[1.0, 2.0], [3.0, 4.0]])", &[&[]]),
    // Sharing.
    ("def f (a: n.f32): n.f32 = let s = reduce (+) 0 a in map (\\x. x / (s + 10)) a", &[&[("n", 4)]]),
    ("def f (a: n.f32): n.f32 = let b = map (\\x. x * x) a in zip b b |> map (\\p. fst p + snd p)", &[&[("n", 4)]]),
    (
        "def f (a: n.m.f32): n.f32 =
           a |> map (\\row. let r = map (\\x. x + 1) row in reduce (+) 0 r + reduce max (-9) r)",
        &[&[("n", 3), ("m", 4)]],
    ),
    ("def f (a: n.f32): n.f32 = map (\\x. let y = x * x in y * y + y) (map (\\x. x + 1) a)", &[&[("n", 4)]]),
    ("def f (a: n.m.f32) (v: m.f32): n.m.f32 =
        a |> map (\\row. let w = map (\\x. x * 2) v in zip row w |> map (\\p. fst p * snd p))", &[&[("n", 3), ("m", 4)]]),
    // Computed values that are read where a pair or a small array of them is taken apart.
    ("def f (a: n.f32): n.f32 = a |> map sqrt |> map (\\v. (v, v)) |> map fst", &[&[("n", 4)]]),
    (
        "def f (a: n.f32): f32 =
           let m = reduce (+) 0 a / 4 in
           a |> map (\\v. v - m) |> map (\\v. (v, v * v)) |> reduce (\\p q. (fst p + fst q, snd p + snd q)) (0, 0)
             |> (\\p. snd p - fst p * fst p)",
        &[&[("n", 4)]],
    ),
    ("def f (x: n.f32): n.f32 = x |> map (\\v. v * 2) |> map (\\y. [y + 0.5, y]) |> map (\\v. reduce (+) 0 v)", &[&[("n", 4)]]),
    ("def f (a: n.f32): (n + 3).(f32 * f32) = a |> padClamp 1 2 |> map (\\v. (v, v * v))", &[&[("n", 1)], &[("n", 4)]]),
    (
        "def f (a: n.m.f32): n.m.f32 = a |> map (map (\\x. x + 1)) |> map (map (\\x. x * x)) |> map (map (\\x. x + x)) |> map (map (\\x. x - 1))",
        &[&[("n", 3), ("m", 4)]],
    ),
    // Rows of symbolic lengths that are sums, on threads.
    ("def f (a: n.(m + 1).f32): n.(m + 1).f32 = a |> mapPar (mapSeq (\\x. x + x))", &[&[("n", 3), ("m", 4)]]),
    (
        "def f (a: n.(m + k).f32): (m + k).n.f32 = a |> transpose |> mapPar (mapPar (\\x. x + x))",
        &[&[("n", 3), ("m", 4), ("k", 2)]],
    ),
    ("def f (a: n.m.f32): n.(m - 1).f32 = a |> mapPar (\\r. drop 1 r)", &[&[("n", 3), ("m", 4)]]),
    // Reductions over arrays and pairs.
    (
        "def f (a: n.m.f32): m.f32 =
           a |> reduce (\\x y. zip x y |> map (\\p. fst p + snd p)) (generate (\\i. 0))",
        &[&[("n", 3), ("m", 4)], &[("n", 1), ("m", 1)]],
    ),
    (
        "def f (a: n.f32): (f32 * f32) =
           map (\\x. makePair x (x * x)) a |> reduce (\\p q. makePair (fst p + fst q) (snd p + snd q)) (makePair 0 0)",
        &[&[("n", 4)]],
    ),
    (
        "def f (a: n.f32): (f32 * f32) =
           map (\\x. makePair x x) a |> reduceSeq (\\p q. makePair (snd p + fst q) (fst p - snd q)) (makePair 1 2)",
        &[&[("n", 5)]],
    ),
    // What the components of an element share.
    (
        "def f (a: n.m.f32): n.f32 =
           a |> map (\\r. r |> map (\\x. let s = x * x + 1 in (s * x, s + x)) |> reduce (\\p q. (fst p + fst q, snd p + snd q)) (0, 1))
             |> map (\\p. fst p - snd p)",
        &[&[("n", 3), ("m", 4)]],
    ),
    // The accumulator is read at other cells than are written.
    (
        "def f (a: n.m.m.f32): m.m.f32 =
           a |> reduceSeq (\\x y. zip (transpose x) y |> map (\\r. zip (fst r) (snd r) |> map (\\p. fst p + 2 * snd p)))
                  (generate (\\i. generate (\\j. 1)))",
        &[&[("n", 3), ("m", 3)]],
    ),
    (
        "def f (a: n.m.f32): m.f32 = a |> reduceSeq (\\x y. let s = reduce (+) 0 x in map (\\v. v + s) y) (generate (\\i. 1))",
        &[&[("n", 3), ("m", 4)]],
    ),
    // Scalars of other types.
    ("def f (a: n.i32): i32 = reduce (+) 0 (map (\\x. x * x - 3) a)", &[&[("n", 4)]]),
    ("def f (a: n.i8): n.i8 = map (\\x. x * x * x) a", &[&[("n", 9)]]),
    ("def f (a: n.u16): n.u16 = map (\\x. 3 - x) a", &[&[("n", 9)]]),
    ("def f (a: n.f64): n.f64 = map (\\x. sqrt (abs x) + exp x) a", &[&[("n", 9)]]),
    ("def f (a: n.f32): n.f32 = map (\\x. select (x > 0) (sqrt x) (0 - x)) a", &[&[("n", 9)]]),
    ("def f (a: n.f32) (b: n.f32): n.bool = zip a b |> map (\\p. fst p < snd p)", &[&[("n", 9)]]),
    ("def f (a: n.f32) (b: n.f32): n.f32 = zip a b |> map (\\p. min (fst p) (max (snd p) 1))", &[&[("n", 9)]]),
    ("def f (a: n.i32): n.f32 = map (\\x. cast x / 3) a", &[&[("n", 9)]]),
    ("def f (a: n.i32) (b: n.i32): n.i32 = zip a b |> map (\\p. max (fst p % 7) (abs (snd p) / 2))", &[&[("n", 9)]]),
    // Vectors.
    ("def f (a: (4*n).f32): (4*n).f32 = asVector 4 a |> map (\\v. v * v) |> asScalar", &[&[("n", 3)]]),
    (
        "def f (a: (4*n).f32) (s: f32): (4*n).f32 = asVector 4 a |> map (\\v. v * vectorFromScalar s) |> asScalar",
        &[&[("n", 3)]],
    ),
    (
        "def f (a: (8*n).f32): f32 =
           asVector 8 a |> reduceSeq (\\x y. x + y) (vectorFromScalar 0) |> (\\v. reduce (+) 0 (asScalar [v]))",
        &[&[("n", 3)]],
    ),
    // Low-level patterns.
    ("def f (a: n.f32): n.f32 = mapPar (\\x. x * 2) a", &[&[("n", 9)]]),
    (
        "def f (a: n.m.f32): n.m.f32 = a |> mapPar (\\r. let (toMem (mapSeq (\\x. x * x) r)) (\\s. mapSeq (\\x. x + 1) s))",
        &[&[("n", 3), ("m", 4)]],
    ),
    ("def f (a: n.m.f32): n.m.f32 = a |> mapPar (mapPar (\\x. x + 1))", &[&[("n", 3), ("m", 4)]]),
    ("def f (a: n.m.k.f32): n.m.f32 = a |> mapPar (mapPar (reduceSeq (+) 0))", &[&[("n", 3), ("m", 4), ("k", 5)]]),
    (
        "def f (a: n.m.k.f32): n.(m*k).f32 =
           a |> mapPar (\\b. b |> mapPar (\\r. let (toMem (mapPar (\\x. x * 2) r)) (\\s. mapSeq (\\x. x + 1) s)) |> join)",
        &[&[("n", 3), ("m", 4), ("k", 5)]],
    ),
    ("def f (a: 4.f32): f32 = reduceSeqUnroll (+) 0 a", &[&[]]),
    ("def f (a: n.4.f32): n.4.f32 = mapSeq (mapSeqUnroll (\\x. x + 1)) a", &[&[("n", 3)]]),
    ("def f (a: n.f32): n.f32 = scanSeq (\\x acc. acc + x) 0 a", &[&[("n", 5)]]),
    ("def f (a: n.m.f32): n.m.f32 = a |> map (\\r. scanSeq (\\x acc. acc * x) 1 r) |> map (map (\\x. x + 1))", &[&[("n", 3), ("m", 4)]]),
    // Patterns that write elsewhere, on threads as well.
    (
        "def f (a: n.f32): n.f32 = scatter (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) (map (\\x. x * 2) a)",
        &[&[("n", 1)], &[("n", 6)]],
    ),
    (
        "def f (a: n.f32): n.f32 = scatter (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) (mapPar (\\x. x * 2) a)",
        &[&[("n", 6)]],
    ),
    ("def f (a: n.f32): n.f32 = take n (padEmpty 3 (map (\\x. x + 1) a))", &[&[("n", 4)]]),
    // What is left out of a loop that the program says is computed, and not written.
    ("def f (a: (n + 3).m.f32): n.(m - 1).f32 = a |> mapSeq (mapSeq (\\x. x * 2)) |> map (take (m - 1)) |> take n", &[&[("n", 4), ("m", 3)]]),
    ("def f (a: n.f32): n.(f32 * f32) = split 4 (padClamp 0 (4 * ((n + 3) div 4) - n) a) |> mapPar (mapSeq (\\x. (x, x + 1))) |> join |> take n", &[&[("n", 5)], &[("n", 8)]]),
    ("def f (a: n.f32) (b: m.f32): (n + m).f32 = concat (mapPar (\\x. x + 1) a) (mapPar (\\x. x + 2) b)", &[&[("n", 4), ("m", 3)]]),
    (
        "def f (a: n.(f32 * f32)): n.(f32 * f32) = a |> map (mapFst (\\x. x * x)) |> map (mapSnd (\\x. x + 1))",
        &[&[("n", 4)]],
    ),
    (
        "def f (a: n.f32) (b: n.f32): (n.f32 * n.f32) = unzip (zip a b |> mapPar (\\p. makePair (snd p * 2) (fst p + 1)))",
        &[&[("n", 4)]],
    ),
    (
        "def f (a: n.m.f32): (m.n.f32 * n.f32) = makePair (transpose (map (map (\\x. x + 1)) a)) (map (reduce (+) 0) a)",
        &[&[("n", 4), ("m", 3)]],
    ),
    (
        "def f (a: n.m.f32): (m/4).n.4.f32 = a |> transpose |> split 4 |> map transpose |> mapPar (map (map (\\x. x * 2)))",
        &[&[("n", 3), ("m", 8)]],
    ),
    (
        "def f (a: (8*n).f32): (8*n).f32 =
           asVectorAligned 8 a |> mapPar (\\v. v * v + vectorFromScalar 1) |> asScalar",
        &[&[("n", 3)]],
    ),
    (
        "def f (a: (4*n).f32): n.f32 =
           let (toMem (asScalar (mapSeq (\\v. v + v) (asVector 4 a)))) (\\t. split 4 t |> mapPar (reduceSeqUnroll (+) 0))",
        &[&[("n", 3)]],
    ),
    ("def f (a: n.(idx[4] * f32)) (t: 4.f32): n.f32 = a |> mapPar (\\p. idx (fst p) t * snd p)", &[&[("n", 5)]]),
    // What iterations share is computed before them.
    (
        "def f (a: n.m.f32) (b: m.f32): n.m.f32 =
           a |> mapPar (\\r. let (toMem (mapSeq (\\x. x * x) b)) (\\s. zip r s |> mapSeq (\\p. fst p + snd p)))",
        &[&[("n", 3), ("m", 4)]],
    ),
    // Loops over joined dimensions.
    (
        "def f (w: 3.3.f32) (a: n.m.f32): n.m.f32 =
           a |> padClamp 1 1 |> map (padClamp 1 1) |> map (slide 3 1) |> slide 3 1 |> map transpose
             |> map (map (\\nbh. zip (join w) (join nbh) |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("n", 4), ("m", 5)]],
    ),
    ("def f (a: n.m.k.f32): (k*m*n).f32 = mapPar (\\x. x + 1) (join (join (transpose (map transpose (transpose a)))))", &[&[("n", 3), ("m", 4), ("k", 2)]]),
    ("def f (a: 3.4.f32): 6.2.f32 = split 2 (mapSeq (\\x. x + 1) (join (transpose a)))", &[&[]]),
    // Streams: circular buffers, rotating values, and both with values that are stored on the way.
    ("def f (a: n.f32): n.f32 = mapStream (\\x. x * 2) a |> iterateStream (\\x. x + 1)", &[&[("n", 5)]]),
    (
        "def f (a: (n + 2).f32): n.f32 = circularBuffer 3 3 (\\x. x * 2) a |> iterateStream (reduceSeq (+) 0)",
        &[&[("n", 1)], &[("n", 7)]],
    ),
    (
        "def f (a: (n + 1).f32): n.f32 = circularBuffer 4 2 (\\x. x * 2) a |> iterateStream (\\w. idx (natAsIndex 2 0) w - idx (natAsIndex 2 1) w)",
        &[&[("n", 9)]],
    ),
    (
        "def f (a: (n + 2).f32): n.f32 = rotateValues 3 (\\x. x) a |> iterateStream (\\w. idx (natAsIndex 3 0) w - idx (natAsIndex 3 2) w)",
        &[&[("n", 1)], &[("n", 7)]],
    ),
    (
        "def f (img: (h + 4).w.f32): h.(w - 2).f32 =
           img |> circularBuffer 3 3 (\\row. row |> slide 3 1 |> mapSeq (\\v. reduceSeq (+) 0 v))
             |> mapStream (\\rows. transpose rows |> map (\\c. reduceSeq (+) 0 c))
             |> circularBuffer 4 3 (\\row. row |> mapSeq (\\x. x))
             |> iterateStream (\\rows. transpose rows |> mapSeq (\\c. reduceSeq (+) 0 c))",
        &[&[("h", 1), ("w", 3)], &[("h", 6), ("w", 5)]],
    ),
    (
        "def f (a: (n + 2).f32) (b: (n + 2).f32): n.f32 =
           zip a b |> circularBuffer 3 3 (\\p. makePair (fst p * 2) (snd p))
             |> iterateStream (reduceSeq (\\acc p. acc + fst p - snd p) 0)",
        &[&[("n", 5)]],
    ),
    (
        "def f (a: (n + 2).f32) (b: n.f32): n.f32 =
           zip (rotateValues 3 (\\x. x) (mapStream (\\x. x * 3) a)) b |> iterateStream (\\p. reduceSeq (+) (snd p) (fst p))",
        &[&[("n", 5)]],
    ),
    // Windows that share elements, touch and leave elements out; a stream behind one that skips.
    (
        "def f (a: (2*n + 1).f32): n.f32 = circularBuffer 4 3 2 (\\x. x * 2) a |> iterateStream (reduceSeq (+) 0)",
        &[&[("n", 1)], &[("n", 6)]],
    ),
    (
        "def f (a: (3*n + 2).f32): n.f32 = rotateValues 5 3 (\\x. x) a |> iterateStream (\\w. idx (natAsIndex 5 0) w - idx (natAsIndex 5 3) w)",
        &[&[("n", 1)], &[("n", 6)]],
    ),
    ("def f (a: (2*n).f32): n.f32 = circularBuffer 3 2 2 sqrt a |> iterateStream (reduceSeq (+) 0)", &[&[("n", 4)]]),
    (
        "def f (a: (5*n - 3).f32) (b: (5*n - 3).f32): n.f32 =
           zip (mapStream (\\x. x + 1) a) b |> circularBuffer 2 2 5 (\\p. fst p * snd p) |> iterateStream (reduceSeq (+) 0)",
        &[&[("n", 1)], &[("n", 4)]],
    ),
    (
        "def f (a: (10*n - 5).f32): n.f32 =
           circularBuffer 4 3 2 (\\x. x * 2) a |> rotateValues 2 5 (mapSeqUnroll (\\x. x)) |> iterateStream (\\w. reduceSeq (+) 0 (join w))",
        &[&[("n", 1)], &[("n", 4)]],
    ),
    // A line buffer of which each line is a stream itself.
    (
        "def f (a: (2*n + 1).(3*m + 2).f32): n.m.f32 =
           a |> circularBuffer 4 3 2 (\\row. row |> rotateValues 5 3 (\\x. x) |> iterateStream (reduceSeq (+) 0))
             |> iterateStream (\\rows. transpose rows |> circularBuffer 1 1 (mapSeq (\\x. x)) |> iterateStream (\\c. reduceSeq (+) 0 (join c)))",
        &[&[("n", 1), ("m", 2)], &[("n", 3), ("m", 4)]],
    ),
    // Named streams, and windows that are copied out of one.
    ("def f (a: (n + 2).f32): n.3.f32 = circularBuffer 3 3 (\\x. x * 2) a |> iterateStream (\\w. w)", &[&[("n", 5)]]),
    (
        "def f (a: (n + 2).f32): n.f32 =
           let w = circularBuffer 3 3 (\\x. x * 2) a
           let sums = map (reduceSeq (+) 0) w
           zip sums (take n a) |> iterateStream (\\p. fst p - snd p)",
        &[&[("n", 5)]],
    ),
    // More than fits the stack.
    (
        "def f (a: n.f32): n.f32 = let b = map (\\x. x * x) a in zip b b |> map (\\p. fst p + snd p)",
        &[&[("n", 20000)]],
    ),
    // Names that C has taken.
    ("def double (float: n.f32) (int: n.f32): n.f32 = zip float int |> map (\\for. fst for * snd for)", &[&[("n", 3)]]),
    ("def f (x': f32) (output: n.f32): n.f32 = output |> map (\\i0. i0 + x')", &[&[("n", 3)]]),
    // Parts whose sizes follow from what holds of the program's sizes.
    ("def f (a: n.f32): n.f32 = concat (take 3 a) (map sqrt (drop 3 a))", &[&[("n", 4)], &[("n", 9)]]),
    ("def f (a: n.f32): m.f32 = padEmpty (m - n) (map (\\x. x + 1) a)", &[&[("n", 3), ("m", 3)], &[("n", 3), ("m", 5)]]),
    ("def f (a: k.f32) (b: (n - k).f32): n.f32 = concat a b", &[&[("n", 5), ("k", 2)], &[("n", 2), ("k", 1)]]),
    (
        "def f (a: n.f32) (b: (n/4 - k).f32): (n/4).f32 = concat (map (\\x. x + 1) (take k a)) (map (\\x. x * 2) b)",
        &[&[("n", 12), ("k", 2)], &[("n", 8), ("k", 1)]],
    ),
    // Memory of the heap in the lanes of a vector.
    (
        "def f (a: n.<4>f32) (b: m.f32): n.<4>f32 =
           map (\\v. select (v < 0) (vectorFromScalar (reduce (+) 0 (scanSeq (\\x s. x + s) 0 b))) v) a",
        &[&[("n", 3), ("m", 5)]],
    ),
    (
        "def f (a: (4*n).f32) (b: m.f32): n.<4>f32 =
           asVector 4 (map (\\x. let (toMem (mapSeq (\\y. x * y) b)) (\\t. reduceSeq (+) 0 t + reduceSeq max 0 t)) a) |> mapSeq (\\v. v + v)",
        &[&[("n", 3), ("m", 5)]],
    ),
];

/// A kernel with inputs and the result that they must give.
#[derive(Clone)]
pub struct Case {
    pub program: Program,
    pub sizes: Sizes,
    pub inputs: Vec<Value>,
    pub expected: Value,
    pub kernel: Kernel,
    pub global: [u64; 3],
    pub label: String,
}

impl Case {
    pub fn len(&self, p: &KernelParam) -> usize {
        self.kernel.len(p, &|x| self.sizes.get(x).copied(), self.global).unwrap()
    }

    /// The components of the inputs, in the order of the kernel's input parameters.
    pub fn input_components(&self) -> Vec<Buffer> {
        let params = self.program.ty.signature().0;
        let all =
            params.iter().zip(&self.inputs).flat_map(|(ty, v)| data::split(v, ty, &self.sizes).unwrap());
        all.collect()
    }

    pub fn outputs(&self) -> impl Iterator<Item = &KernelParam> {
        self.kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Output(_)))
    }

    /// The work-items of a group, where the kernel says how many.
    pub fn local(&self) -> Option<[u64; 3]> {
        self.kernel.local(&|x| self.sizes.get(x).copied()).unwrap()
    }

    /// Fails unless the scalars, as they come in the order of the outputs, are the expected result.
    pub fn check(&self, scalar: impl FnMut(Scalar) -> Value) {
        self.compare(scalar).unwrap_or_else(|why| panic!("{why}"));
    }

    /// Are the scalars, as they come in the order of the outputs, the expected result?
    pub fn compare(&self, mut scalar: impl FnMut(Scalar) -> Value) -> Result<(), String> {
        let mut components = vec![];
        for p in self.outputs() {
            let len = self.len(p);
            let mut buffer = Buffer::with_capacity(p.scalar, len);
            (0..len).for_each(|_| buffer.push(&scalar(p.scalar)));
            components.push(buffer);
        }
        let found = data::join(&components, &self.program.ty.signature().1, &self.sizes).unwrap();
        let tolerance = Tolerance::Relative { relative: 1e-5, floor: 1e-5 };
        let agreed = self.expected.agrees(&found, tolerance);
        agreed.map_err(|why| format!("{}\n{why}\n{}", self.label, self.kernel.text))
    }
}

/// The kernels of a program at each of the sizes, with sizes as parameters and as constants. `number` tells them apart.
pub fn cases_of(text: &str, all_sizes: &[&[(&str, i64)]], target: Target, number: &mut usize) -> Vec<Case> {
    cases_of_program(&parse(text), text, all_sizes, target, number)
}

/// As [`cases_of`], of a program that `text` stands for.
pub fn cases_of_program(
    high: &Program,
    text: &str,
    all_sizes: &[&[(&str, i64)]],
    target: Target,
    number: &mut usize,
) -> Vec<Case> {
    let program = default_lowering(high).unwrap_or_else(|d| panic!("{text}: {d} {:?}", d.notes));
    program.term.check().unwrap();
    b::check_patterns(&program.term).unwrap();
    assert_eq!(program.ty, high.ty);
    let again = default_lowering(&program).unwrap();
    assert_eq!(again.term, program.term, "lowering twice: {text}");
    let mut out = vec![];
    for pairs in all_sizes {
        let sizes = eval::sizes(pairs.iter().copied());
        let inputs = inputs::for_program(&high.ty, &sizes, 7, inputs::Kind::SmallIntegers).unwrap();
        let expected = eval::run(&high.term, &sizes, &inputs, &Limits::TEST).unwrap();
        for fixed in [None, Some(&sizes)] {
            let label =
                format!("{text} at {pairs:?}, {}", if fixed.is_some() { "constant" } else { "symbolic" });
            let mut named = program.clone();
            named.name = format!("case{number}").into();
            *number += 1;
            let kernel = match compile(&named, target, fixed) {
                Ok(c) => c.into_kernel(),
                Err(d) => panic!("{label}: {d} {:?}", d.notes),
            };
            out.push(Case {
                program: named,
                sizes: sizes.clone(),
                inputs: inputs.clone(),
                expected: expected.clone(),
                kernel,
                global: [1, 1, 1],
                label,
            });
        }
    }
    out
}
