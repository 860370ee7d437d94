//! Programs that compare and choose are vectorised as sums are, by the strategy of the library: into loops over vectors
//! that compute the same, on every input and every device. And programs that are written with vectors.

use crate::device_common;
use shine_tui::device::Mode;
use shine_tui::lang::diag::{Charset, FileId, Sources, render_all};
use shine_tui::lang::eval::{self, Limits, Sizes, inputs, naive};
use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::path::Path;
use shine_tui::lang::print;
use shine_tui::lang::syntax;
use shine_tui::lang::value::Tolerance;
use shine_tui::session::action::Target;
use shine_tui::session::bench::{Asked, measure};
use shine_tui::session::files::{Text, Texts};
use shine_tui::session::jobs::Control;
use shine_tui::session::searching::Replayed;
use shine_tui::session::workspace::Workspace;
use std::sync::atomic::AtomicBool;

/// Programs over `(4*n)` scalars with a `map` that branches.
const BRANCHING: &[(&str, &str)] = &[
    ("relu", "(a: (4*n).f32) = map (\\x. select (x < 0) 0 x) a"),
    ("leaky", "(a: (4*n).f32) = map (\\x. select (x > 0) x (0.125 * x)) a"),
    ("clamp", "(a: (4*n).f32) (lo hi: f32) = map (\\x. select (x < lo) lo (select (hi < x) hi x)) a"),
    ("threshold", "(a: (4*n).f32) (t: f32) = map (\\x. x >= t) a"),
    ("within", "(a: (4*n).f64) (lo hi: f64) = map (\\x. select (lo <= x and x < hi or x == 7) 1i32 0) a"),
    ("outside", "(a: (4*n).i16) (t: i16) = map (\\x. not (x == t) and x != 0) a"),
    ("greater", "(a b: (4*n).i32) = map (\\(x, y). select (x > y) x y) (zip a b)"),
    ("blend", "(c: (4*n).bool) (a b: (4*n).u8) = map (\\(c, (x, y)). select c x y) (zip c (zip a b))"),
    ("negated", "(flag: bool) (a: (4*n).f32) = map (\\x. select flag (-x) x) a"),
    ("quotient", "(a b: (4*n).i32) = map (\\(x, y). select (y == 0 or y == -1) 0 (x / y)) (zip a b)"),
    ("saturated", "(a: (4*n).i32) = map (\\x. (cast (select (x > 127) 127 (max x (-128))) : i8)) a"),
    ("rotated", "(a: (4*n).u32) = map (\\x. bitOr (shiftLeft x 7) (shiftRight x 25) % 1000) a"),
    ("elu", "(a: (4*n).f32) = map (\\x. select (x > 0) x (floor x + sqrt (abs x))) a"),
    ("distances", "(a b: (4*n).i32) = map (\\p. abs (fst p - snd p) / 3) (zip a b)"),
    (
        "quotients",
        "(a b: (4*n).i32) = map (\\(x, y). select (bitAnd y 1 == 0) x (let q = x / bitAnd y 1 in q * q)) (zip a b)",
    ),
    ("shared", "(a: (4*n).f32) = map (\\x. let y = x * x in select (y < 1) y (y + y)) a"),
];

/// Programs that are written with vectors.
const WRITTEN: &[(&str, &str)] = &[
    ("compared", "(a: n.<4>f32) = mapSeq (\\v. 0 < v or v == -1 and not (v != v)) a"),
    ("chosen", "(a b: n.<3>i64) = zip a b |> mapSeq (\\(v, w). select (v < w) (w - v) 0)"),
    ("least", "(a: n.<4>f32) = reduceSeq (\\v w. select (w < v) w v) 3.4e38 a"),
    ("all", "(a: (4*n).f32) = asVector 4 a |> reduceSeq (\\c v. c and v < 3) true |> (\\c. asScalar [c])"),
    (
        "stored",
        "(a: n.<4>f32) = mapSeq (\\v. let (toMem (v < 0)) (\\c. select c (-v) (select (not c) 1 v))) a",
    ),
    ("nearest", "(a: n.<8>f32) = mapSeq (\\v. (cast (v * 100) : <8>i8)) a"),
    ("nearestOfFew", "(a: n.<3>f64) = mapSeq (\\v. (cast (sqrt v * 3e9) : <3>u32)) a"),
    (
        "wholeParts",
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, w). v / bitOr (bitAnd w 1023) 1 * 10 + v % bitOr (bitAnd w 1023) 1 + v / vectorFromScalar 3)",
    ),
    ("wholePartsOfFew", "(a b: n.<2>u16) = zip a b |> mapSeq (\\(v, w). v / bitOr w 1 + v % bitOr w 1)"),
    ("pairs", "(a: n.(<2>f32 * <2>bool)) = mapSeq (\\(v, c). (select c v 0, not c)) a"),
    (
        "truths",
        "(c d: (8*n).bool) = zip (asVector 8 c) (asVector 8 d) |> mapSeq (\\(c, d). c != d or true == d) |> asScalar",
    ),
    // What lanes divide by zero they do not choose: named, stored, summed, of pairs, chosen again.
    (
        "named",
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, u). let w = bitAnd u 1 in select (w == 0) v (let q = v / w in q * q))",
    ),
    (
        "kept",
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, u). let w = bitAnd u 1 in select (w == 0) v (let (toMem (v / w)) (\\q. q * q)))",
    ),
    (
        "summed",
        "(a b c: n.<4>i32) = zip a b |> mapSeq (\\(v, u). let w = bitAnd u 1 in
           select (w == 0) v (reduceSeq (\\s x. s + x * x) v (map (\\x. let q = x / w in q * q) c)))",
    ),
    (
        "halves",
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, u). let w = bitAnd u 1 in
           select (w == 0) v (let p = (v / w, v % w) in fst p * fst p + snd p * fst p))",
    ),
    (
        "again",
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, u). let w = bitAnd u 1 in
           select (w == 0) v (let q = v / w in let r = bitAnd q 1 in select (r == 0) (q + q) (let s = q / r in s * s + q)))",
    ),
    ("counted", "(a: n.<4>f32) = reduceSeq (\\k v. k + cast (v > 0)) (vectorFromScalar 0i32) a"),
];

/// Programs over `(4*n)` scalars in which one side of a choice alone reads what is named before it.
const NAMED_BEFORE: &[(&str, &str)] = &[
    (
        "before",
        "(a: (4*n).u32) = map (\\v. let w = bitAnd v 1 in let p = v / w in select (w < 1) v (p * p)) a",
    ),
    (
        "pairBefore",
        "(a b: (4*n).i32) = map (\\(x, y). let w = bitAnd y 1 in let p = (x / w, x % w) in select (w == 0) x (fst p * fst p + snd p)) (zip a b)",
    ),
    (
        "chainBefore",
        "(a b: (4*n).i32) = map (\\(x, y). let w = bitAnd y 1 in let q = x / w in let r = q * q in
           select (w == 0) (select (x < 3) y x) (r + r)) (zip a b)",
    ),
    // Both sides read it, each in its own lanes; so does what is asked.
    (
        "everywhere",
        "(a b: (4*n).i32) = map (\\(x, y). let w = bitOr y 1 in let q = x / max w 1 in select (q < 2) (q * q) (q + q)) (zip a b)",
    ),
];

/// The same, written with vectors.
const WRITTEN_BEFORE: &[(&str, &str)] = &[
    (
        "storedBefore",
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, u). let w = bitAnd u 1 in let (toMem (v / w)) (\\q. select (w == 0) v (q * q)))",
    ),
    (
        "ofOne",
        "(a: n.i32) (b: n.<4>i32) = zip a b |> mapSeq (\\(x, u). let w = bitAnd x 1 in let q = 100 / w in
           select (vectorFromScalar w == 0) u (vectorFromScalar q * vectorFromScalar q))",
    ),
];

fn read(name: &str, rest: &str) -> Program {
    let text = format!("def {name} {rest}");
    let mut sources = Sources::new();
    let (file, mut problems) = syntax::parse_program(sources.add("p.rise", &text), &text);
    let (program, found) = infer::program(&file, None);
    problems.extend(found);
    assert!(problems.is_empty(), "{}", render_all(&problems, &sources, Charset::Ascii));
    program.unwrap()
}

fn workspace(program: Program) -> Workspace {
    let text = Text { label: "p.rise".into(), text: "def f (x: f32) = x".into() };
    let texts =
        Texts { program: text, files: vec![], default_sizes: Default::default(), origin: Default::default() };
    let loaded = Workspace::load(&texts, None);
    Workspace { program, ..loaded.unwrap_or_else(|problems| panic!("{}", problems.first())) }
}

fn text(program: &Program) -> String {
    print::program(&program.name, &program.sizes, &program.term, &print::Options::default()).text
}

/// What is written reads back, and both interpreters make of both programs the same, NaN and the extremes included.
fn same(start: &Program, done: &Program, sizes: &Sizes) {
    let shown = text(done);
    let (file, problems) = syntax::parse_program(FileId::NOWHERE, &shown);
    assert!(problems.is_empty(), "{shown}");
    assert_eq!(infer::program(&file, None).0.unwrap().term, done.term, "{shown}");
    for kind in [inputs::Kind::SmallIntegers, inputs::Kind::Uniform, inputs::Kind::Edges] {
        let inputs = inputs::for_program(&start.ty, sizes, 5, kind).unwrap();
        let expected = naive::run(&start.term, sizes, &inputs, &Limits::TEST).unwrap();
        for found in [naive::run, eval::run].map(|run| run(&done.term, sizes, &inputs, &Limits::TEST)) {
            expected.agrees(&found.unwrap(), Tolerance::Exact).unwrap_or_else(|why| panic!("{why}\n{shown}"));
        }
    }
}

/// Runs on `cpu` and the OpenCL device that there is, and compares.
fn runs(workspace: &Workspace, sizes: &Sizes) {
    let term = &workspace.program.term;
    for device in std::iter::once("cpu".to_string()).chain(device_common::opencl()) {
        let asked = Asked {
            workspace,
            term,
            sizes,
            device: &device,
            inputs: None,
            mode: Mode::Once,
            foreign: false,
            limit_s: None,
            known: None,
        };
        let measured = measure(&asked, device_common::devices(), &AtomicBool::new(false), &|_| ());
        let said =
            measured.unwrap_or_else(|d| panic!("{device}: {d} {:?}\n{}", d.notes, text(&workspace.program)));
        assert!(said.check.contains("agrees with the interpreter"), "{}", said.check);
    }
}

/// The program by four elements at once.
fn vectorised(workspace: &mut Workspace, name: &str, start: &Program) -> Program {
    let strategy = workspace.parse_strategy("vectorize(4) @ innermost(isFullyAppliedMap)").unwrap();
    workspace.program = start.clone();
    let control = Control::silent();
    let end = workspace.run_strategy(&start.term, &strategy, &Path::root(), &Replayed::none(), &control);
    let change = end.result.unwrap_or_else(|d| panic!("{name}: {d} {:?}", d.notes));
    let done = start.with_term(change.term);
    assert_eq!(shine_tui::lang::build::check_patterns(&done.term), Ok(()), "{name}");
    done
}

#[test]
fn programs_that_branch_are_vectorised() {
    let mut workspace = workspace(read("f", "(x: f32) = x"));
    let sizes = eval::sizes([("n", 7)]);
    for (name, rest) in BRANCHING {
        let start = read(name, rest);
        let done = vectorised(&mut workspace, name, &start);
        same(&start, &done, &sizes);
        workspace.program = done;
        let code = workspace.compile(&workspace.program.term, Target::C, &Sizes::new()).unwrap();
        let kernel = code.module.text();
        assert!(kernel.contains("#pragma omp simd") && kernel.contains("< 4;"), "{kernel}");
        runs(&workspace, &sizes);
    }
}

#[test]
fn programs_with_vectors_run() {
    let mut workspace = workspace(read("f", "(x: f32) = x"));
    let sizes = eval::sizes([("n", 5)]);
    for (name, rest) in WRITTEN {
        let program = read(name, rest);
        same(&program, &program, &sizes);
        workspace.program = program;
        runs(&workspace, &sizes);
    }
}

/// What has its name before a choice, and may have no value, is computed in the lanes that choose it: nothing divides by zero, in
/// the interpreter of commands, in C or on work-items.
#[test]
fn what_lanes_do_not_choose_is_not_computed_before_either() {
    let mut workspace = workspace(read("f", "(x: f32) = x"));
    let sizes = eval::sizes([("n", 7)]);
    let starts = NAMED_BEFORE.iter().map(|(name, rest)| (read(name, rest), true));
    let written = WRITTEN_BEFORE.iter().map(|(name, rest)| (read(name, rest), false));
    for (start, is_scalar) in starts.chain(written) {
        let done = if is_scalar { vectorised(&mut workspace, &start.name, &start) } else { start.clone() };
        for kind in [inputs::Kind::SmallIntegers, inputs::Kind::Uniform] {
            let inputs = inputs::for_program(&start.ty, &sizes, 5, kind).unwrap();
            let [expected, found] =
                [&start, &done].map(|p| eval::run(&p.term, &sizes, &inputs, &Limits::TEST).unwrap());
            expected.agrees(&found, Tolerance::Exact).unwrap_or_else(|why| panic!("{why}\n{}", text(&done)));
        }
        workspace.program = done;
        runs(&workspace, &sizes);
    }
}

/// A component that nobody reads may have no value, and the other is read lane by lane.
#[test]
fn pairs_of_vectors_of_which_one_component_is_read_have_code() {
    let turned =
        "(a: n.(<4>f32 * f32)) = a |> gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i)) : n.idx[n])
       |> mapSeq (\\r. select (fst r > vectorFromScalar 0) (fst r) (-(fst r)))";
    let divided = "(a: n.(<4>i32 * i32)) = a
       |> mapSeq (\\r. let y = (snd r / snd r, fst r) in select (snd y > vectorFromScalar 0) (snd y) (-(snd y)))";
    let nested = "(a: n.((i32 * <4>i32) * i32)) = a |> mapSeq (\\r.
       let y = (snd r, (snd (fst r), fst (fst r) / snd r)) in select (fst (snd y) > vectorFromScalar 0) (fst (snd y)) (-(fst (snd y))))";
    let mut workspace = workspace(read("f", "(x: f32) = x"));
    let sizes = eval::sizes([("n", 5)]);
    for rest in [turned, divided, nested] {
        workspace.program = read("f", rest);
        runs(&workspace, &sizes);
    }
}

/// `>` of vectors is no `bool`, so that what the rule makes of them would be ill-typed.
#[test]
fn a_rule_that_compares_what_it_leaves_open_applies_to_scalars_alone() {
    let rule = "--| A maximum as a choice.\nrule choose = max a b ~> select (a > b) a b\n";
    for (lanes, applies) in [("i32", true), ("<4>i32", false)] {
        let text = format!("def f (a b: {lanes}) = max a b\n");
        let texts = Texts {
            program: Text { label: "p.rise".into(), text },
            files: vec![Text { label: "p.rules".into(), text: rule.into() }],
            default_sizes: Default::default(),
            origin: Default::default(),
        };
        let workspace = Workspace::load(&texts, None).unwrap_or_else(|p| panic!("{}", p.first()));
        let strategy = workspace.parse_strategy("choose @ topDown").unwrap();
        let (term, at) = (&workspace.program.term, Path::root());
        let end = workspace.run_strategy(term, &strategy, &at, &Replayed::none(), &Control::silent());
        assert_eq!(end.result.is_ok(), applies, "{lanes}");
    }
}

/// Where other lanes would have to be computed, too, there is no code, rather than code that ends the program.
#[test]
fn lanes_that_do_not_choose_divide_by_nothing() {
    let told = |rest: &str| {
        let workspace =
            workspace(read("f", &format!("(a b c: n.<4>i32) = zip a b |> mapSeq (\\(v, w). {rest})")));
        let made = workspace.compile(&workspace.program.term, Target::C, &Sizes::new());
        made.map(|_| "").map_err(|d| (d.code, d.message))
    };
    let stored = |by: &str| format!("let (toMem (mapSeq (\\x. x / {by}) c)) (\\t. reduceSeq (+) 0 t)");
    for by in ["w", "0", "x"] {
        let (code, message) = told(&format!("select (w == 0) v ({})", stored(by))).unwrap_err();
        assert_eq!(code, "E0508", "{message}");
        assert!(message.contains("lanes that may not choose it"), "{message}");
        assert_eq!(told(&stored(by)), Ok(""));
        assert_eq!(told(&format!("let k = {} in select (w == 0) v k", stored(by))), Ok(""));
    }
    assert_eq!(told(&format!("select (w == 0) v ({})", stored("3"))), Ok(""));
    let other = "let q = v / w in vectorFromScalar (idx 1 (asScalar [q])) + q * q";
    assert!(told(&format!("select (w == 0) v ({other})")).is_err());
    assert_eq!(told(other), Ok(""));
}

#[test]
fn one_condition_for_all_lanes_chooses_between_whole_vectors() {
    let start = read("f", "(c: bool) (a: n.<4>f32) = map (\\v. select (vectorFromScalar c) v 0) a");
    let workspace = workspace(start.clone());
    let strategy = workspace.parse_strategy("selectWholeVectors @ topDown").unwrap();
    let end =
        workspace.run_strategy(&start.term, &strategy, &Path::root(), &Replayed::none(), &Control::silent());
    let done = start.with_term(end.result.unwrap().term);
    assert_eq!(done.term, read("f", "(c: bool) (a: n.<4>f32) = map (\\v. select c v 0) a").term);
}

/// The OpenCL C of a program, without its head.
fn opencl(rest: &str) -> String {
    let workspace = workspace(read("f", rest));
    let term = &workspace.program.term;
    workspace.compile(term, Target::OpenCl, &Sizes::new()).unwrap().module.text()
}

/// In the loops of OpenCL vectors are vectors, and lie where it is proved, or anywhere.
#[test]
fn vectors_are_vectors_in_opencl() {
    let has = |rest: &str, parts: &[&str]| {
        let text = opencl(rest);
        parts.iter().for_each(|part| assert!(text.contains(part), "no {part} in\n{text}"));
    };
    for n in [2, 3, 4, 8, 16] {
        let load = if n == 3 { "vload3(i0, a)".into() } else { format!("((global const float{n}*)a)[i0]") };
        has(&format!("(a: ({n}*n).f32) = asVector {n} a |> mapSeq (\\v. v + v) |> asScalar"), &[&load]);
    }
    // Rows whose length is no multiple of four begin anywhere.
    let rows = |tail: &str, take: &str| {
        format!(
            "(a: m.(4*n{tail}).f32) = a |> mapSeq (\\r. r{take} |> asVector 4 |> mapSeq (\\v. sqrt v * 2) |> asScalar)"
        )
    };
    has(&rows("+1", " |> take (4*n)"), &["sqrt(vload4(0, &a[", "((global float4*)output)["]);
    has(&rows("", ""), &["sqrt(((global const float4*)a)["]);
    // That four divides the length is known where a program says so.
    has(
        "(a: m.n.f32) = a |> mapSeq (\\r. asVector 4 r |> mapSeq (\\v. v * v) |> asScalar)",
        &["*(global const float4*)&a["],
    );
    has(
        "(a: (4*n).f32) = asVector 4 a |> reduceSeq (+) 0 |> (\\v. asScalar [v])",
        &["float4 t0 = (float4)(0.0f);", "t0 += (("],
    );
    // A comparison of vectors is a mask as wide as a lane; integers wrap; of NaN is the other one the least.
    has(
        "(a: n.<4>f64) (b: n.<4>f32) = zip a b |> mapSeq (\\(x, y). select (x < 1) y 2)",
        &["convert_int4(((global const double4*)a)[i0] < 1.0)"],
    );
    has("(a: n.<4>i32) = mapSeq (\\v. v * v + 1) a", &["as_int4(as_uint4(v) * as_uint4(v) + (uint4)(1))"]);
    has(
        "(a: n.<8>f32) = mapSeq (\\v. min v 1) a",
        &[
            "return select(b, a, (a <= b) | (b != b));",
            "min_f32x8(((global const float8*)a)[i0], (float8)(1.0f))",
        ],
    );
    // Halves too, and what takes more than an operation.
    has(
        "(a: (8*n).f16) = asVector 8 a |> mapSeq (\\v. v * v + 1) |> asScalar",
        &["cl_khr_fp16", "half8 v = ((global const half8*)a)[i0];", "= v * v + (half)1.0f;"],
    );
    has(
        "(a: n.<4>f32) = mapSeq (\\v. (cast v : <4>i32)) a",
        &["= cast_f32_i32x4(((global const float4*)a)[i0]);", "return convert_int4_sat(select("],
    );
    has(
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, w). v / w)",
        &["= div_i32x4(", "(b == (int4)(0)) | ((b == (int4)(-1)) & "],
    );
    // What lanes do not choose may not be computed, nor read.
    for rest in [
        "(a b: n.<4>i32) = zip a b |> mapSeq (\\(v, w). select (w == 0) v (v / w))",
        "(a: (4*n).f32) = padCst 1 3 0 a |> asVector 4 |> mapSeq (\\v. v + 1)",
        "(a: n.<5>f32) = mapSeq (\\v. v + 1) a",
    ] {
        let text = opencl(rest);
        assert!(!["float4", "int4", "float5"].iter().any(|t| text.contains(t)), "{text}");
    }
}
