//! Generated C, compiled by the system's compiler and run, against the interpreter: at several sizes, with sizes as
//! parameters and as constants.

use crate::emit_common;
use crate::emit_common::batch::{check, run, unit};
use crate::emit_common::{CORPUS, Case, cases_of};
use shine_tui::emit::names::Namer;
use shine_tui::emit::{C_FLAGS, Language, ParamKind};
use shine_tui::lang::eval::{self, Limits, inputs};
use shine_tui::lower::Target;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;

#[test]
fn generated_c_agrees_with_the_interpreter() {
    let mut number = 0;
    let cases: Vec<Case> =
        CORPUS.iter().flat_map(|(text, sizes)| cases_of(text, sizes, Target::C, &mut number)).collect();
    let unit = unit(&cases);
    // With and without OpenMP, and with every access checked.
    check(&cases, &run(&unit, &["-fopenmp"]));
    check(
        &cases,
        &run(
            &unit,
            &["-O0", "-Wno-unknown-pragmas", "-fsanitize=address,undefined", "-fno-sanitize-recover"],
        ),
    );
}

/// C computes functions of floats and conversions of halves in `float`: what follows has halves again.
#[test]
fn halves_are_rounded_after_every_operation() {
    let texts = [
        "def f (a: n.f16): n.f16 = a |> map (\\v. sqrt (abs v) - v + 0.0f16)",
        "def f (a: n.f16): n.f16 = a |> map (\\v. sqrt (abs v) * v + exp (v * 0.125f16))",
        "def f (a: n.f16) (b: n.f16): n.f16 = zip a b |> map (\\p. abs (fst p) * snd p + floor (snd p) * 1.3f16)",
    ];
    let sizes: &[&[(&str, i64)]] = &[&[("n", 61)]];
    let mut number = 0;
    let cases: Vec<Case> =
        texts.iter().flat_map(|text| cases_of(text, sizes, Target::C, &mut number)).collect();
    check(&cases, &run(&unit(&cases), &[]));
}

/// The cases on numbers at the edges of their types: NaN, infinities, denormals, zeros of both signs, extremes of integers.
fn at_edges(mut cases: Vec<Case>) -> Vec<Case> {
    for case in &mut cases {
        case.inputs = inputs::for_program(&case.program.ty, &case.sizes, 7, inputs::Kind::Edges).unwrap();
        case.expected = eval::run(&case.program.term, &case.sizes, &case.inputs, &Limits::TEST).unwrap();
    }
    cases
}

/// As compilers are asked to compile what is generated.
fn as_generated() -> Vec<&'static str> {
    ["-O3", "-march=native"].into_iter().chain(C_FLAGS).collect()
}

/// Runs programs whose code has all of some texts and none of others, on numbers at the edges of their types.
fn check_at_edges(programs: &[(&str, &[&str], &[&str])], flags: &[&str]) {
    let sizes: &[&[(&str, i64)]] = &[&[("n", 37), ("m", 61)]];
    let mut number = 0;
    let mut all = vec![];
    for (text, has, lacks) in programs {
        let cases = at_edges(cases_of(text, sizes, Target::C, &mut number));
        for case in &cases {
            let code = &case.kernel.text;
            assert!(has.iter().all(|part| code.contains(part)), "{text}\n{code}");
            assert!(!lacks.iter().any(|part| code.contains(part)), "{text}\n{code}");
        }
        all.extend(cases);
    }
    check(&all, &run(&unit(&all), flags));
}

/// Where one of both is known to be a number, nobody asks whether it is. A quotient tells zeros apart.
#[test]
fn minima_and_maxima_ask_for_no_nan_where_there_is_none() {
    let eased: &[&str] = &["_number_f32"];
    let asks: &[&str] = &["max_f32(", "min_f32("];
    let programs: &[(&str, &[&str], &[&str])] = &[
        ("def f (a: n.m.f32): n.f32 = a |> map (\\r. 1 / reduce min 3.0e38 r)", eased, asks),
        ("def f (a: n.m.f32): n.f32 = a |> map (\\r. 1 / reduce max (-3.0e38) r)", eased, asks),
        ("def f (a: n.m.f32): n.f32 = a |> map (\\r. 1 / reduceSeq (\\s x. max s (0 * x)) 0 r)", eased, asks),
        ("def f (a: n.m.f32): n.f32 = a |> map (\\r. 1 / reduceSeq (\\s x. min s (0 * x)) 0 r)", eased, asks),
        (
            "def f (a: n.m.f32): n.f32 = a |> map (\\r. let p = reduceSeq (\\s x. (min (fst s) x, max (snd s) x)) (3.0e38, -3.0e38) r in fst p / snd p)",
            eased,
            asks,
        ),
        ("def f (a: n.f32): n.f32 = a |> map (\\x. 1 / max (min x 2) (-2))", eased, asks),
        ("def f (a: n.f32): n.f32 = a |> map (\\x. 1 / max (-2) (min 2 x))", eased, asks),
        ("def f (a: n.f32): n.f32 = a |> map (\\x. 1 / max 0 x)", eased, asks),
        // Of a zero that stands second the sign counts; what is added to may become a NaN, and so may what begins as an element.
        ("def f (a: n.f32): n.f32 = a |> map (\\x. 1 / max x 0)", &["max_f32("], eased),
        (
            "def f (a: n.m.f32): n.f32 = a |> map (\\r. reduceSeq (\\s x. min s x + x) 0 r)",
            &["min_f32("],
            eased,
        ),
        (
            "def f (a: n.m.f32): n.f32 = a |> map (\\r. 1 / reduceSeq max (idx (natAsIndex m 0) r) r)",
            &["max_f32("],
            eased,
        ),
    ];
    check_at_edges(programs, &[]);
    check_at_edges(programs, &as_generated());
}

/// Cells that exist are read before data chooses them, so that gcc makes vectors; no others are.
#[test]
fn cells_are_read_before_data_chooses_them() {
    let programs: &[(&str, &[&str], &[&str])] = &[
        (
            "def f (c a: n.u8): n.u8 = zip c a |> map (\\p. select (fst p == 3) 1 (select (fst p == 4) (snd p) 0))",
            &["uint8_t chosen = a["],
            &[],
        ),
        (
            "def f (a: (n + 2).(m + 2).u8): n.m.u8 = a |> map (slide 3 1) |> slide 3 1 |> map transpose |> map (map (\\w.
               let c = w |> idx (natAsIndex 3 1) |> idx (natAsIndex 3 1)
               select (reduce (+) 0 (join w) == 3) 1 c))",
            &["uint8_t chosen = a["],
            &[],
        ),
        (
            "def f (c a: n.f32): n.bool = zip c a |> map (\\p. fst p < 1 and snd p < 2)",
            &["float chosen = a["],
            &[],
        ),
        // Where it is depends on data; what is chosen by indices alone need not be read.
        (
            "def f (i: n.idx[n]) (c a: n.i32): n.i32 = zip c (gather i a) |> map (\\p. select (fst p == 3) (snd p) 0)",
            &["int chosen = i["],
            &[" = a["],
        ),
        (
            "def f (a: n.m.f32): n.m.f32 = zip (generate (\\i. i)) a |> map (\\p. snd p |> map (\\x. select (indexAsNat (fst p) < 3) x 0))",
            &[],
            &["chosen"],
        ),
    ];
    check_at_edges(programs, &["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"]);
    check_at_edges(programs, &as_generated());
}

/// Truth values that loops gather are numbers, of which gcc makes vectors, where nothing takes its time that need not be computed.
#[test]
fn truth_values_that_loops_gather_are_numbers() {
    let programs: &[(&str, &[&str], &[&str])] = &[
        (
            "def f (a: n.m.f32): n.bool = a |> map (\\r. r |> map (\\x. x > 1.5) |> reduce (or) false)",
            &["int t0 = false;", "t0 |= a["],
            &["||", "bool t0"],
        ),
        (
            "def f (a: n.m.i32): n.bool = a |> map (\\r. r |> map (\\x. x > 1) |> reduce (and) true)",
            &["int t0 = true;", "t0 &= a["],
            &["&&"],
        ),
        (
            "def f (a: n.m.f32): bool = a |> map (\\r. r |> map (\\x. x > 1 and x < 2) |> reduce (or) false) |> reduce (or) false",
            &["|= "],
            &[],
        ),
        // What was gathered is not gathered by what it decides.
        (
            "def f (a: n.m.bool): n.bool = a |> map (\\r. reduce (\\s x. s == x or s and x) false r)",
            &[],
            &["|=", "&="],
        ),
        (
            "def f (a: n.m.f32): n.bool = a |> map (\\r. r |> map (\\x. exp x > 1.5) |> reduce (or) false)",
            &["||"],
            &["|="],
        ),
        (
            "def f (a: n.m.i32): n.bool = a |> map (\\r. r |> map (\\x. 6 / (abs x + 1) > 1) |> reduce (or) false)",
            &["||"],
            &["|="],
        ),
    ];
    check_at_edges(programs, &["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"]);
    check_at_edges(programs, &as_generated());
}

/// What integers of other types become cannot overflow everywhere, and is computed without a detour where it cannot.
#[test]
fn integers_that_never_overflow_are_computed_as_they_are() {
    let of = |ty: &str, to: &str, body: &str| {
        format!(
            "def f (a b: n.{ty}): n.{to} = zip a b |> map (\\p. let x = (cast (fst p) : {to}) in let y = (cast (snd p) : {to}) in {body})"
        )
    };
    let programs = [
        (of("u8", "i32", "abs (x - y)"), true),
        (of("u8", "i32", "abs (x - y) * (x + 2 * y) - neg y"), true),
        (of("i16", "i32", "x * y"), true),
        (of("u32", "i64", "x * 2 - y"), true),
        (of("u16", "i32", "x * y"), false),
        (of("u8", "i32", "x * 8388608 * 2 + y"), false),
        (of("i32", "i32", "abs (min x 5 - y)"), false),
        (of("i32", "i32", "abs x - abs y"), false),
        (of("f32", "i32", "x - y"), false),
    ];
    let (detour, none): (&[&str], &[&str]) = (&["unsigned"], &[]);
    let programs: Vec<(&str, &[&str], &[&str])> = programs
        .iter()
        .map(
            |(text, eased)| {
                if *eased { (text.as_str(), none, detour) } else { (text.as_str(), detour, none) }
            },
        )
        .collect();
    check_at_edges(&programs, &["-O0", "-fsanitize=undefined", "-fno-sanitize-recover"]);
    check_at_edges(&programs, &as_generated());
}

/// Also where they are computed lane by lane, as the C library can since glibc 2.35.
#[test]
fn functions_of_mathematics_are_right_at_the_edges() {
    let of = |ty: &str, value: &str| format!("def f (a b: n.{ty}): n.{ty} = zip a b |> map (\\p. {value})");
    let unary = ["exp2", "log2", "log10", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"];
    let early = ["exp", "log", "sin", "cos"].map(|f| (format!("{f} (fst p)"), false));
    let late = unary.map(|f| (format!("{f} (fst p)"), true));
    let binary = [("pow (fst p) (snd p)".to_string(), false), ("atan2 (fst p) (snd p)".to_string(), true)];
    let all = || early.iter().chain(&late).chain(&binary);
    let texts: Vec<(String, bool)> =
        ["f32", "f64"].iter().flat_map(|ty| all().map(|(value, late)| (of(ty, value), *late))).collect();
    let (version, declared): (&[&str], &[&str]) = (&["__GLIBC_MINOR__ >= 35"], &["notinbranch"]);
    let programs: Vec<(&str, &[&str], &[&str])> = texts
        .iter()
        .map(
            |(text, late)| {
                if *late { (text.as_str(), version, &[][..]) } else { (text.as_str(), declared, version) }
            },
        )
        .collect();
    check_at_edges(&programs, &as_generated());
}

/// What several readers share, and only a branch reads, is computed in that branch: scalars and arrays, components of
/// pairs, elements of loops, values of values, in arrays of which one is chosen, and what rules move out of a branch.
#[test]
fn what_may_have_no_value_is_computed_where_it_is_read() {
    let of_rows = |body: &str| {
        format!(
            r"def f (a: n.m.i32) (b: n.i32): n.m.i32 = zip a b |> map (\p. let r = fst p in let w = snd p in {body})"
        )
    };
    let of_elements = |body: &str| format!("def f (a: n.i32): n.i32 = a |> {body}");
    let texts = [
        of_elements(r"map (\z. let y = 100 / z in select (z == 0) 0 (y * y))"),
        of_elements(r"map (\z. let (toMem (100 % z)) (\y. select (z == 0) 0 (y * y)))"),
        of_elements(r"map (\z. let (toMem (100 / z)) (\y. select (z < 1) (select (z == 0) 0 y) (y * y)))"),
        of_elements(r"map (\z. let y = 100 / z in let u = y * y in select (z == 0) 0 (u + u))"),
        r"def f (a: n.i32): n.i32 = generate (\i. let y = idx (natAsIndex n (indexAsNat i - 1)) a in select (indexAsNat i == 0) 0 (y * y))".to_string(),
        of_elements(r"map (\x. 100 / x) |> zip a |> map (\p. select (fst p == 0) 0 (snd p * snd p))"),
        of_elements(
            r"map (\x. (x + 1, 100 / x)) |> map (\p. select (fst p * fst p == 1) (fst p) (snd p * snd p))",
        ),
        of_elements(r"map (\x. (x, 100 / x)) |> scanSeq (\p s. select (fst p == 0) s (s * snd p + snd p)) 1"),
        of_rows(
            r"let ys = r |> map (\x. x / w) in select (w == 0) r (ys |> map (\y. y * (ys |> reduce (+) 0)))",
        ),
        of_rows(
            r"(select (w == 0) r (let (toMem (r |> map (\x. x / w))) (\t. t))) |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0)",
        ),
        of_elements(
            r"map (\z. let (toMem (z, 100 / z)) (\p. select (z == 0) (fst p * fst p) (snd p - snd p * z)))",
        ),
        of_rows(r"let u = (let y = 100 / w in y * y + 1) in r |> map (\x. select (w == 0) x (x * u + u))"),
        of_rows(
            r"select (w == 0) r (r |> map (\x. x + (r |> map (\y. (y, y / w)) |> map (\p. snd p * snd p + fst p) |> reduce (+) 0)))",
        ),
    ];
    let sizes: &[&[(&str, i64)]] = &[&[("n", 37), ("m", 3)]];
    let mut number = 0;
    let cases: Vec<Case> =
        texts.iter().flat_map(|text| cases_of(text, sizes, Target::C, &mut number)).collect();
    let checked = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    check(&cases, &run(&unit(&cases), &checked));
}

/// The files that `compile -o` writes: a kernel and a program around it.
#[test]
fn the_host_program_runs_the_kernel() {
    let texts = [
        ("def dot (a: n.f32) (b: n.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0", true),
        // Of few, and of any, there is no result, and nothing is read or written.
        ("def part (a: (n - 4).f32): (n - 4).f32 = map sqrt a", true),
        ("def pick (i: m.idx[n]) (a: n.(f32 * bool)): m.(f32 * bool) = gather i a", true),
        // By 0 or -1.
        ("def tell (a: n.i8): n.i8 = a |> map (\\x. x / shiftRight x 7)", false),
    ];
    for (text, has_result) in texts {
        let program = shine_tui::lower::default_lowering(&emit_common::parse(text)).unwrap();
        let kernel = shine_tui::emit::compile(&program, Target::C, None).unwrap().into_kernel();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("kernel.c"), &kernel.text).unwrap();
        std::fs::write(
            dir.path().join("host.c"),
            shine_tui::emit::host::host(&kernel, &[], &program.constraints),
        )
        .unwrap();
        let cc = |args: &[&str]| Command::new("cc").args(args).current_dir(dir.path()).output().unwrap();
        let built = cc(&[
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            "kernel.c",
            "host.c",
            "-lm",
            "-o",
            "host",
        ]);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let host = |args: &[&str]| Command::new(dir.path().join("host")).args(args).output().unwrap();
        let sizes: Vec<&str> = program.sizes.iter().map(|_| "1000").collect();
        let ran = host(&sizes);
        if !has_result {
            let said = String::from_utf8(ran.stderr).unwrap();
            assert_eq!((ran.status.code(), said.trim_end()), (Some(1), shine_tui::emit::UNDEFINED));
            continue;
        }
        assert!(ran.status.success());
        if text.contains("n - 4") {
            let ran = host(&["4"]);
            let said = String::from_utf8(ran.stderr).unwrap();
            assert_eq!((ran.status.code(), said.trim_end()), (Some(2), "it does not hold that 5 <= n"));
        }
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(
            printed.lines().count(),
            kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Output(_))).count()
        );
        assert!(printed.starts_with("output"), "{printed}");
        assert_eq!(host(&[]).status.code(), Some(2));
    }
}

/// Whatever the headers define that are included, GNU's with it, names are apart from it: each word of their texts is tried
/// as the name of a function, of a parameter and of what is in it.
#[test]
fn no_name_is_taken_by_a_header() {
    let headers = ["math.h", "stdbool.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"];
    let includes: String = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    let dir = tempfile::tempdir().unwrap();
    let cc = |args: &[&str], text: &str| {
        std::fs::write(dir.path().join("a.c"), text).unwrap();
        Command::new("cc").args(args).args(["-w", "a.c"]).current_dir(dir.path()).output().unwrap()
    };
    for flags in [&["-std=gnu17"][..], &["-std=c11"], &["-D_GNU_SOURCE", "-include", "omp.h"]] {
        let mut words: BTreeSet<String> = ["linux", "unix", "M_PIf64", "dot"].map(str::to_owned).into();
        for what in ["-dM", "-P"] {
            let out = cc(&[flags, &["-E", what]].concat(), &includes);
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            let all = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.extend(all.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_owned));
        }
        assert!(words.len() > 300 && words.contains("HUGE_VAL") && words.contains("remove"), "{flags:?}");
        let mut functions = Namer::new(Language::C);
        let mut text = includes.clone();
        for word in &words {
            let mut namer = Namer::new(Language::C);
            let (f, a, i) = (functions.function(word), namer.name(word), namer.name(word));
            let _ =
                writeln!(text, "void {f}(float* {a}) {{ for (int {i} = 0; {i} < 4; {i}++) {a}[{i}] += 1; }}");
        }
        let out = cc(&[flags, &["-fsyntax-only"]].concat(), &text);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{flags:?}: {said}");
    }
}
