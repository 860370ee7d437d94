//! The real binary from the command line: what it prints, and how it ends, for good input and bad.

use crate::cli_common::{Ran, run, run_with};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn kernels(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(file)
}

fn world() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(dir: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    std::fs::write(dir.join(name), text).unwrap();
    name.to_string()
}

const DOT: &str =
    "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0\n";

/// Checks that bad input is refused with this code, in words, without a panic.
#[track_caller]
fn refused(ran: &Ran, exit: i32, code: &str) {
    assert_eq!(ran.code, exit, "stdout: {}\nstderr: {}", ran.out, ran.err);
    assert!(ran.err.contains(&format!("[{code}]")), "expected {code}: {}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn a_program_compiles_at_every_stage() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    for stage in ["rise", "loops", "access", "dpia", "imperative", "c", "opencl", "host"] {
        let ran = run(dir.path(), &["compile", &dot, "--emit", stage]);
        assert_eq!(ran.code, 0, "{stage}: {}", ran.err);
        assert!(!ran.out.trim().is_empty(), "{stage}");
    }
    let ran = run(dir.path(), &["compile", &dot, "--emit", "nonsense"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("imperative"), "the stages are listed: {}", ran.err);
    // A stage of one target alone chooses that; where another is asked for, it is said which has it.
    for stage in ["library", "reasons", "barriers"] {
        let ran = run(dir.path(), &["compile", &dot, "--emit", stage]);
        assert!(ran.code == 0 && !ran.out.trim().is_empty(), "{stage}: {}", ran.err);
    }
    for (target, stage, other) in [("c", "library", "opencl"), ("opencl", "c", "c")] {
        let ran = run(dir.path(), &["compile", &dot, "--target", target, "--emit", stage]);
        refused(&ran, 2, "E0905");
        assert!(ran.err.contains(&format!("`--target {other}`")), "{}", ran.err);
    }
}

/// Every work-item would write the second array, which the pass finds that shares the work out.
#[test]
fn the_stages_before_a_failure_are_printed() {
    let dir = world();
    let text = "def f (a: n.f32) (b: n.f32): (n.f32 * n.f32) = (mapGlobal (\\x. x) a, mapSeq (\\x. x) b)";
    let file = write(dir.path(), "both.rise", text);
    for stage in ["rise", "loops", "access", "dpia", "imperative", "views", "elideCopies"] {
        let ran = run(dir.path(), &["compile", &file, "--emit", stage]);
        assert_eq!(ran.code, 0, "{stage}: {}", ran.err);
        assert!(!ran.out.trim().is_empty(), "{stage}");
    }
    for stage in ["workItems", "opencl", "nonsense"] {
        refused(&run(dir.path(), &["compile", &file, "--emit", stage]), 2, "E0523");
    }
}

/// Whatever stands in cells that `padEmpty` left, copied, computed with, chosen by or never written: a rule may fill them.
#[test]
fn cells_that_the_program_leaves_undefined_are_not_compared() {
    let dir = world();
    let texts = [
        "a |> map (\\x. x + 1) |> padEmpty 3",
        "a |> padEmpty 3 |> map (\\x. x * 2)",
        "a |> padEmpty 3 |> map (\\x. select (x > 6) 1 (2 : f32))",
        "a |> padEmpty 3 |> slide 2 1 |> map (reduce (+) 0)",
        "let b = padEmpty 3 a in zip b b |> map (\\p. fst p * snd p)",
    ];
    for (i, body) in texts.iter().enumerate() {
        let file = write(dir.path(), &format!("p{i}.rise"), format!("def f (a: n.f32) = {body}"));
        write(dir.path(), &format!("p{i}.rules"), "rule fill = padEmpty 3 (xs : n.f32) ~> padCst 0 3 7 xs\n");
        let ran = run(dir.path(), &["bench", &file, "-s", "topDown(fill)", "--size", "n=5"]);
        assert_eq!(ran.code, 0, "{body}: {}", ran.err);
    }
    // What is defined is compared.
    let file = write(dir.path(), "q.rise", "def f (a: n.f32) = a |> map (\\x. x + 1) |> padEmpty 3");
    write(dir.path(), "q.rules", "rule wrong = padEmpty 3 (xs : n.f32) ~> padCst 3 0 7 xs\n");
    refused(&run(dir.path(), &["bench", &file, "-s", "topDown(wrong)", "--size", "n=5"]), 1, "E0820");
}

#[test]
fn lower_dot_is_the_dot_seq_of_the_thesis() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    write(dir.path(), "dot.elevate", "strategy lowerDot = topDown(reduceMapFusion)\n");
    let ran = run(dir.path(), &["apply", &dot, "--strategy", "lowerDot"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("zip a b |> reduceSeq (\\acc x. acc + fst x * snd x) 0"), "{text}");
}

#[test]
fn written_kernels_compile_with_the_system_compiler() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let ran = run(dir.path(), &["compile", &dot, "-o", "out", "--size", "k=64"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    // As the comment at the head of the host program says, word by word.
    let host = std::fs::read_to_string(dir.path().join("out/dot_host.c")).unwrap();
    let said = host.lines().find_map(|l| l.strip_prefix("//   ")).unwrap();
    let built = Command::new("sh").args(["-c", said]).current_dir(dir.path().join("out")).output().unwrap();
    assert!(built.status.success(), "{said}\n{}", String::from_utf8_lossy(&built.stderr));
    assert!(String::from_utf8_lossy(&built.stdout).starts_with("output: "), "{built:?}");

    // A name that C has taken is that of the files, too.
    let taken = write(dir.path(), "taken.rise", "def double (a: n.f32) = map sqrt a");
    assert_eq!(run(dir.path(), &["compile", &taken, "-o", "other", "--target", "opencl"]).code, 0);
    let files = std::fs::read_dir(dir.path().join("other")).unwrap().map(|e| e.unwrap().file_name());
    let files: Vec<String> = files.map(|f| f.into_string().unwrap()).collect();
    let kernel = files.iter().find_map(|f| f.strip_suffix(".cl")).unwrap();
    let text = std::fs::read_to_string(dir.path().join(format!("other/{kernel}_host.c"))).unwrap();
    let said = format!(
        "//   cc -O3 -fopenmp {kernel}_host.c {kernel}.c shine_opencl.c -lOpenCL -lm -o {kernel} && ./{kernel} n [DEVICE]"
    );
    assert!(text.contains(&said), "{text}");
    assert!(
        ["double_.h", "double_.c", "shine_opencl.h"].iter().all(|f| files.iter().any(|g| g == f)),
        "{files:?}"
    );
}

/// What has no code is shown where it was written, and what has none here says where it has.
#[test]
fn what_cannot_be_lowered_is_shown_in_the_text() {
    let dir = world();
    for (program, code, target, line) in [
        (
            "def f (a: n.m.f32): n.m.f32 =\n  a |> mapGlobal 0 (mapWorkGroup 0 (\\x. x + 1))",
            "E0529",
            "opencl",
            2,
        ),
        ("def f (a: n.f32): n.f32 =\n  a\n  |> mapGlobal 0 (\\x. x + 1)", "E0520", "c", 3),
        ("def f (a: n.f32): n.f32 =\n  a\n  |> mapSeqUnroll (\\x. x + 1)", "E0527", "c", 3),
        ("def f (a: 90000.f32): f32 =\n  a\n  |> reduceSeqUnroll (+) 0", "E0510", "c", 3),
        ("def f (a: n.f32): n.f32 =\n  -- on threads\n  a |> mapPar (\\x. x + 1)", "E0521", "opencl", 3),
        (
            "def f (a: n.m.f32): n.m.f32 =\n  mapGlobal 0\n    (mapGlobal 0 (\\x. x + 1)) a",
            "E0522",
            "opencl",
            3,
        ),
        (
            "def f (a: n.f32): n.f32 =\n  let t = toMem global (mapGlobal 0 (\\x. x * 2) a) in\n  \
             generate (\\i. idx (natAsIndex n (n - 1 - indexAsNat i)) t) |> mapGlobal 0 (\\x. x)",
            "E0524",
            "opencl",
            2,
        ),
    ] {
        let path = write(dir.path(), "f.rise", program);
        let ran = run(dir.path(), &["compile", &path, "--target", target]);
        refused(&ran, 2, code);
        assert!(ran.err.contains(&format!("f.rise:{line}:")), "{}", ran.err);
    }
    // Of two that look alike by themselves it is the one that is left.
    let path = write(
        dir.path(),
        "f.rise",
        "def f (a: n.f32) = a\n  |> mapPar (\\x. x + 1)\n  |> mapPar (\\x. x * 2)",
    );
    let one = "topDown(mapParToMapGlobal(0))";
    let ran = run(dir.path(), &["compile", &path, "--target", "opencl", "-s", one]);
    refused(&ran, 2, "E0521");
    assert!(ran.err.contains("f.rise:2:"), "{}", ran.err);
    // The hint of E0521 works for one loop after the other and for one in the other.
    let path = write(
        dir.path(),
        "f.rise",
        "def f (a: n.m.f32) =\n  a |> mapPar (mapPar (\\x. x + 1)) |> toMem |> mapPar (mapSeq (\\x. x * 2))",
    );
    let compile = ["compile", &path, "--target", "opencl"];
    let ran = run(dir.path(), &compile);
    refused(&ran, 2, "E0521");
    let hint = ran.err.split("The strategy `").nth(1).and_then(|hint| hint.split('`').next()).unwrap();
    let ran = run(dir.path(), &[&compile[..], &["--strategy", hint]].concat());
    assert!(ran.code == 0 && ran.out.contains("kernel"), "{hint}: {}", ran.err);
    let path = write(dir.path(), "f.rise", "def f (a: n.f32) = a |> mapGlobal 0 (\\x. x + 1)");
    let ran = run(dir.path(), &["bench", &path, "--size", "n=64"]);
    refused(&ran, 2, "E0520");
    assert!(ran.err.contains("`--device`") && ran.err.contains("f.rise:1:"), "{}", ran.err);
}

/// The strategy `auto` is for the target that was asked for, which the session records.
#[test]
fn auto_is_for_the_target_that_is_asked_for() {
    let dir = world();
    let path = write(dir.path(), "f.rise", "def f (a: n.m.f32): n.f32 = a |> map (reduce (+) 0)");
    // A row is summed up by a group where the order of additions may change, and by one of the work-items that read 32 rows
    // together otherwise.
    let both = [("auto", "auto(opencl)", "(64, 1, 1)"), ("auto(exact)", "auto(opencl, exact)", "(32, 4, 1)")];
    for (strategy, recorded, who) in both {
        let args = ["compile", &path, "-s", strategy, "--target", "opencl", "--session", "s.ron"];
        let ran = run(dir.path(), &args);
        assert!(ran.code == 0 && ran.out.contains(who), "{}", ran.err);
        let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
        assert!(log.contains(recorded), "{log}");
        assert_eq!(run(dir.path(), &["replay", "s.ron"]).code, 0);
        std::fs::remove_file(dir.path().join("s.ron")).unwrap();
    }
    let ran = run(dir.path(), &["compile", &path, "-s", "auto", "--target", "c"]);
    assert!(ran.out.contains("omp parallel"), "{}", ran.err);
}

/// A strategy of the user's own that is called `auto` is what the name stands for, for every target.
#[test]
fn an_own_auto_is_what_runs() {
    let dir = world();
    let path = write(dir.path(), "f.rise", "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)");
    write(dir.path(), "own.elevate", "strategy auto = topDown(useMapGlobal(0))");
    let args = ["compile", &path, "-s", "auto", "--target", "opencl", "--rules", ".", "--emit", "rise"];
    let ran = run(dir.path(), &args);
    assert!(
        ran.code == 0 && ran.out.contains("mapGlobal") && !ran.out.contains("oclRun"),
        "{}{}",
        ran.out,
        ran.err
    );
    // What a device runs unasked is the library's, by whatever name.
    let ran = run(dir.path(), &["compile", &path, "--target", "opencl", "--rules", "."]);
    assert!(ran.code == 0 && ran.out.contains("reqd_work_group_size(256, 1, 1)"), "{}{}", ran.out, ran.err);
}

/// A program that says where it runs stays as it is. One that says only how a part is computed leaves the rest to `auto`.
#[test]
fn auto_for_opencl_leaves_what_says_where_it_runs() {
    let dir = world();
    let said = "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1) |> map abs |> mapGlobal 0 (\\x. 2 * x)";
    let path = write(dir.path(), "f.rise", said);
    let of = |strategy: &str| run(dir.path(), &["apply", &path, "-s", strategy]);
    let (auto, id) = (of("auto(opencl)"), of("id"));
    assert!(id.code == 0 && auto.out == id.out, "{}{}", auto.out, auto.err);
    let path = write(
        dir.path(),
        "f.rise",
        "def f (a: n.m.f32): n.f32 = a |> map (\\r. r |> reduceSeq (\\s x. s + x) 0 |> abs)",
    );
    let ran = run(dir.path(), &["compile", &path, "--target", "opencl"]);
    assert!(ran.code == 0 && ran.out.contains("in groups of (32, 4, 1)"), "{}{}", ran.out, ran.err);
}

/// Pairs of rows that are reduced in parts are computed as they are reduced: no work-item computes what all others do,
/// and no thread what all of them read.
#[test]
fn pairs_of_rows_are_computed_as_they_are_reduced() {
    let dir = world();
    let sum = "reduce (\\x y. (zip (fst x) (fst y) |> map (\\q. fst q + snd q), zip (snd x) (snd y) |> map (\\q. max (fst q) (snd q)))) \
               (generate (\\i. 1.0), generate (\\i. 2.0))";
    let pairs = [
        "zip b (b |> map (map (\\w. sqrt (abs w))))",
        "zip (b |> map (map (\\w. sqrt (abs w)))) (b |> map (map abs)) |> drop 1",
        "b |> map (\\r. (r, map (\\w. sqrt (abs w)) r))",
        "b |> map (map (\\w. sqrt (abs w))) |> map (\\r. (map (\\w. w + 1) r, r)) |> take (n - 1)",
    ];
    for pairs in pairs {
        let text = format!("def f (b: n.3.f32) = let y = {pairs} |> {sum} in zip (fst y) (snd y)");
        let path = write(dir.path(), "f.rise", &text);
        let ran = run(dir.path(), &["compile", &path, "-s", "auto", "--target", "opencl"]);
        assert!(ran.code == 0 && ran.out.contains("global const float* restrict b"), "{}", ran.err);
        assert!(!ran.out.contains("keeps the private"), "{text}\n{}", ran.out);
        let ran = run(dir.path(), &["compile", &path, "-s", "auto", "--target", "c"]);
        let chunk = ran.out.split("f_chunk0(").nth(1).and_then(|rest| rest.split("static").next());
        assert!(chunk.is_some_and(|chunk| chunk.contains("sqrtf(fabsf(b[")), "{text}\n{}", ran.out);
        let ran = run(dir.path(), &["bench", &path, "-s", "auto", "--size", "n=9001"]);
        assert!(ran.code == 0 && !ran.out.contains("not a number"), "{}{}", ran.out, ran.err);
    }
}

/// What is made of a product of two matrices is made after it, so that it is computed in tiles, which are read in order.
/// Registers are called by their indices.
#[test]
fn products_of_matrices_are_computed_in_tiles_whatever_is_made_of_them() {
    let dir = world();
    let dot = "def dot (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0\n";
    let gemm = "def f (alpha beta: f32) (a: m.k.f32) (b: k.n.f32) (c: m.n.f32): m.n.f32 =
      zip a c |> map (\\r. zip (transpose b) (snd r) |> map (\\q. alpha * dot (fst r) (fst q) + beta * snd q))";
    let positive = "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 =
      a |> map (\\row. transpose b |> map (\\col. max 0 (dot row col)))";
    // What takes no more of rows and columns is made in the same kernel, where few steps are summed.
    for (program, k, sums, kernels) in [
        (gemm, "k=64", "t1_3_3 +=", 2),
        (positive, "k=64", "t0_3_3 +=", 1),
        (positive, "k=1024", "t1_3_3 +=", 2),
    ] {
        let path = write(dir.path(), "f.rise", format!("{dot}{program}"));
        let sizes = ["--size", "m=256", "--size", k, "--size", "n=320"];
        let ran = run(
            dir.path(),
            &[["compile", &path, "--target", "opencl", "-s", "auto"].as_slice(), &sizes].concat(),
        );
        for part in ["= ((global const float4*)a)[", "= ((global const float4*)b)[", sums] {
            assert!(ran.code == 0 && ran.out.contains(part), "{part}: {}{}", ran.out, ran.err);
        }
        assert_eq!(ran.out.matches("\nkernel ").count(), kernels, "{}", ran.out);
    }
}

/// The transpose of a matrix goes through local memory, whatever is computed of each element.
#[test]
fn transposed_matrices_are_read_and_written_in_order() {
    let dir = world();
    for body in ["transpose a", "transpose a |> map (map (\\x. x * x + 1))"] {
        let path = write(dir.path(), "f.rise", format!("def f (a: m.n.f32): n.m.f32 = {body}"));
        let sizes = ["--size", "m=256", "--size", "n=128"];
        let ran = run(
            dir.path(),
            &[["compile", &path, "--target", "opencl", "-s", "auto"].as_slice(), &sizes].concat(),
        );
        for part in
            ["((global const float2*)a)[l_id_0", "((global float2*)output)[l_id_0", "local __attribute__"]
        {
            assert!(ran.code == 0 && ran.out.contains(part), "{part}: {}{}", ran.out, ran.err);
        }
    }
}

/// Rows that windows show are computed in a kernel of their own, not by every work-item; where an element is little work, it
/// is computed for each window, and there is no other kernel.
#[test]
fn rows_that_are_shown_several_times_are_stored() {
    let dir = world();
    for (made, stored) in [("map exp >> ", true), ("", false)] {
        let text = format!(
            "def f (a: (n + 2).(m + 2).f32): n.m.f32 =
               zip (a |> drop 1 |> take n |> map (drop 1 >> take m))
                 (a |> slide 3 1 |> map (transpose >> map ({made}reduce (+) 0) >> slide 3 1 >> map (reduce (+) 0)))
               |> map (\\p. zip (fst p) (snd p) |> map (\\q. fst q + snd q))"
        );
        let path = write(dir.path(), "f.rise", &text);
        let sizes = ["--size", "n=64", "--size", "m=64"];
        let ran =
            run(dir.path(), &[&["compile", &path, "-s", "auto", "--target", "opencl"], &sizes[..]].concat());
        assert!(ran.code == 0 && ran.out.contains("k1 runs on") == stored, "{}{}", ran.out, ran.err);
        assert!(!ran.out.contains("float t0["), "{}", ran.out);
    }
}

/// What is made of reduced rows is computed by a group for each row, also where it is kept in a row that is shared.
#[test]
fn what_is_made_of_reduced_rows_is_computed_by_groups() {
    let dir = world();
    let rows = "powers |> map (\\p. p / sum)";
    for (columns, made, items) in [("m", rows, 128), ("100", rows, 32), ("m", "sum", 64)] {
        let text = format!(
            "def f (a: n.{columns}.f32) = a |> map (\\row.\n  let top = row |> reduce max (-1 / 0)\n  let powers = row |> \
             map (\\x. exp (x - top))\n  let sum = powers |> reduce (+) 0\n  {made})"
        );
        let path = write(dir.path(), "f.rise", &text);
        let ran = run(dir.path(), &["compile", &path, "-s", "auto", "--target", "opencl"]);
        let groups = format!("// runs on ({items}*n, 1, 1) work-items, in groups of ({items}, 1, 1)");
        assert!(ran.code == 0 && ran.out.contains(&groups), "{text}: {}{}", ran.out, ran.err);
    }
}

/// What is the same for all elements is computed once by `auto`, also where the program does not name it.
#[test]
fn reductions_that_no_element_changes_are_computed_once() {
    let dir = world();
    for (body, once) in [
        (
            "a |> map (\\row. row |> map (\\x. x / (row |> reduce (+) 0)))",
            "let y = reduce (+) 0.0 row in row |> map",
        ),
        (
            "transpose (generate (\\i. a |> map (\\r. idx i r / (a |> map (reduce max 0) |> reduce (+) 0))))",
            "generate",
        ),
        (
            "let b = (let t = a |> map (reduce (+) 0) in zip a t |> map (\\(r, s). r |> map (\\x. x - s))) in b",
            "let t = map (reduce (+) 0.0) a in zip a t",
        ),
    ] {
        let path = write(dir.path(), "f.rise", format!("def f (a: n.m.f32): n.m.f32 = {body}"));
        let ran = run(dir.path(), &["apply", &path, "-s", "inLambda(invariantsShared)"]);
        assert!(ran.code == 0 && ran.out.contains(once), "{body}: {}{}", ran.out, ran.err);
        let ran = run(dir.path(), &["bench", &path, "-s", "auto", "--size", "n=37", "--size", "m=41"]);
        assert_eq!(ran.code, 0, "{body}: {}{}", ran.out, ran.err);
    }
}

/// Long maps that compute little are shared out so that work-items have several elements each, equally many where that is known.
#[test]
fn work_items_take_several_elements_of_long_maps() {
    let dir = world();
    let path = write(dir.path(), "f.rise", "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)");
    let of = |size: &str| {
        let ran = run(dir.path(), &["compile", &path, "-s", "auto", "--target", "opencl", "--size", size]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    assert!(of("n=4194304").contains("i1 < 4; i1++"), "{}", of("n=4194304"));
    let rest = of("n=4194305");
    assert!(rest.contains("i0 < 4194305; i0 += 1048832"), "{rest}");
    let fixed = write(dir.path(), "g.rise", "def f (a: 5000.f32): 5000.f32 = a |> map (\\x. x + 1)");
    let ran = run(dir.path(), &["compile", &fixed, "-s", "auto", "--target", "opencl"]);
    assert!(ran.code == 0 && !ran.out.contains("for ("), "{}{}", ran.out, ran.err);
}

/// Whole numbers are never rounded, so that exactly they are summed up in groups as well.
#[test]
fn whole_numbers_are_exact_in_any_order() {
    let dir = world();
    for (number, who) in [("i32", "get_group_id"), ("f32", "runs on (1, 1, 1)")] {
        let text = format!("def f (a: n.{number}): {number} = a |> map (\\x. x * x) |> reduce (+) 0");
        let path = write(dir.path(), "f.rise", &text);
        let ran = run(dir.path(), &["compile", &path, "-s", "auto(exact)", "--target", "opencl"]);
        assert!(ran.code == 0 && ran.out.contains(who), "{number}: {}{}", ran.out, ran.err);
    }
}

/// A device that runs what `auto` makes of a program unasked says so, where rules may have changed the result.
#[test]
fn who_did_not_ask_for_marked_rules_is_told_of_them() {
    let dir = world();
    let devices = run(dir.path(), &["devices"]);
    let Some(device) = devices.out.lines().find(|l| l.contains("Portable Computing Language")) else {
        return;
    };
    assert!(!device.is_empty());
    let path = write(dir.path(), "f.rise", "def f (a: n.f32): f32 = reduce (+) 0 a");
    let on = |strategy: &[&str]| {
        let args = ["bench", &path, "--device", "Portable", "--size", "n=5000"];
        let ran = run(dir.path(), &[&args, strategy].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    let told = on(&[]);
    assert!(
        told.contains("reduceInStrides [reassociates]") && told.contains("auto(opencl, exact)"),
        "{told}"
    );
    assert!(!on(&["-s", "auto(opencl, exact)"]).contains("reassociates"), "{told}");
}

/// What is asked for by its name, and what that uses, must be right; the rest of the file need not be.
#[test]
fn a_definition_that_is_not_used_may_be_wrong() {
    let dir = world();
    let path = write(
        dir.path(),
        "several.rise",
        "def bad (a: n.f32): n.f32 = a |> map (\\x. fst x)\n\
         def again (x: f32): f32 = again x\n\
         def twice (x: f32): f32 = x * 2\n\
         def good (a: n.f32): n.f32 = map twice a\n\
         def worse (a: n.f32): n.f32 = bad a\n",
    );
    let ran = run(dir.path(), &["compile", &path, "--def", "good"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("good("), "{}", ran.out);
    for def in ["bad", "worse"] {
        refused(&run(dir.path(), &["compile", &path, "--def", def]), 2, "E0110");
    }
    let whole = run(dir.path(), &["compile", &path]);
    refused(&whole, 2, "E0110");
    let told = "`worse` does not use `again`, but a file is read as a whole.";
    assert!(whole.err.contains(told) && whole.err.contains("`--def worse`"), "{}", whole.err);
    assert!(!whole.err.contains("does not use `bad`"), "{}", whole.err);
    let none = run(dir.path(), &["compile", &path, "--def", "goo"]);
    assert!(none.code == 2 && none.err.contains("`good`"), "{}", none.err);
}

/// Arrays have at least one element, and whoever reads the program says so.
#[test]
fn arrays_without_elements_are_refused_when_the_program_is_read() {
    let dir = world();
    for program in ["def f (a: n.f32) =\n  take 0 a", "def f (a: n.f32) =\n  a |> take 0 |> reduce (+) 0"] {
        let path = write(dir.path(), "f.rise", program);
        for command in
            [&["compile", &path][..], &["apply", &path, "-s", "id"], &["bench", &path, "--size", "n=8"]]
        {
            let ran = run(dir.path(), command);
            refused(&ran, 2, "E0150");
            assert!(ran.err.contains("f.rise:2:") && ran.err.contains("at least one element"), "{}", ran.err);
        }
    }
}

#[test]
fn a_measurement_is_checked_and_replays() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let ran = run(
        dir.path(),
        &[
            "bench",
            &dot,
            "-s",
            "topDown(reduceMapFusion)",
            "--size",
            "k=4096",
            "--session",
            "dot.ron",
            "--json",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(json["median_ns"].as_f64().unwrap() > 0.0 && json["runs"].as_u64().unwrap() >= 5, "{json}");
    for level in ["terms", "kernels", "results", "performance"] {
        let ran = run(dir.path(), &["replay", "dot.ron", "--level", level]);
        assert_eq!(ran.code, 0, "{level}: {}{}", ran.out, ran.err);
    }
    let ran = run(dir.path(), &["replay", "dot.ron", "--level", "results", "--device", "no such device"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    // Threads of the host are none of a device of OpenCL.
    let bench = ["bench", &dot, "-s", "topDown(useMapPar)", "--size", "k=4096", "--session", "threads.ron"];
    assert_eq!(run(dir.path(), &bench).code, 0);
    let ran = run(dir.path(), &["replay", "threads.ron", "--level", "results", "--device", "Portable"]);
    if run(dir.path(), &["devices"]).out.contains("Portable Computing Language") {
        let cause =
            "likely cause: It was recorded on `cpu`, and `--device Portable` is a device of another kind";
        assert!(ran.code == 1 && ran.out.contains(cause), "{}{}", ran.out, ran.err);
        assert!(!ran.out.contains("no longer"), "{}", ran.out);
    }
}

/// A word lists codes, and a code that there is not is told with the nearest.
#[test]
fn codes_are_explained_by_name_and_listed_by_a_word() {
    let dir = world();
    let says = |word: &str| run(dir.path(), &["explain", word]);
    let listed = says("Bracket");
    assert_eq!((listed.code, listed.err.as_str()), (0, ""), "{}", listed.out);
    assert!(listed.out.lines().filter(|line| line.starts_with("  E")).count() >= 2, "{}", listed.out);
    assert!(says("e0110").out.starts_with("E0110: "));
    for unknown in ["E0116", "no such word"] {
        refused(&says(unknown), 2, "E0908");
    }
    assert!(says("E0116").err.contains("Did you mean E0115"), "{}", says("E0116").err);
}

/// The manual has a page for each subcommand that the help lists, and what these say.
#[test]
fn the_manual_is_made_of_the_help() {
    let dir = world();
    let page = run(dir.path(), &["man"]);
    assert!(page.code == 0 && page.out.contains(".TH shine-tui 1"), "{}{}", page.out, page.err);
    let ran = run(dir.path(), &["man", "--folder", "man1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let replay = std::fs::read_to_string(dir.path().join("man1/shine-tui-replay.1")).unwrap();
    assert!(
        replay.contains("\\-\\-bless") && replay.contains("Accept what the actions lead to today"),
        "{replay}"
    );
    for name in ["bench", "tune", "export", "rules"] {
        assert!(dir.path().join(format!("man1/shine-tui-{name}.1")).is_file(), "{name}");
    }
    // Each page that one refers to is there.
    for page in std::fs::read_dir(dir.path().join("man1")).unwrap() {
        let text = std::fs::read_to_string(page.unwrap().path()).unwrap().replace('\\', "");
        for name in text.lines().filter_map(|line| line.trim().strip_suffix("(1)")) {
            let name = name.rsplit([' ', '.']).next().unwrap();
            assert!(dir.path().join(format!("man1/{name}.1")).is_file(), "{name}");
        }
    }
    write(dir.path(), "file", "");
    refused(&run(dir.path(), &["man", "--folder", "file"]), 2, "E0918");
}

/// The log as a version wrote it that had no seals.
pub fn unsealed(log: &str) -> String {
    let plain =
        |line: &str| line.rsplit_once(", seal: \"").map_or(line.to_owned(), |(open, _)| format!("{open})"));
    log.lines().map(|line| plain(line) + "\n").collect()
}

/// What a log says of a measurement is shown only where it is of this kernel, with its sizes and its work.
#[test]
fn a_measurement_that_was_changed_is_seen() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let ran = run(dir.path(), &["bench", &dot, "--size", "k=4096", "--session", "dot.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let log = std::fs::read_to_string(dir.path().join("dot.ron")).unwrap();
    assert_eq!(run(dir.path(), &["replay", "dot.ron"]).code, 0);
    let (header, record) = log.split_once('\n').unwrap();
    let field = |name: &str| {
        let from = record.find(&format!("{name}: ")).unwrap() + name.len() + 2;
        let value = record[from..].split([',', ')']).next().unwrap();
        (from, value.to_owned())
    };
    for (name, other) in [
        ("median_ns", "1.0"),
        ("kernel", "\"b3:00000000000000000000000000000000\""),
        ("runs", "0"),
        ("max_error", "-1.0"),
    ] {
        let (from, value) = field(name);
        let changed = format!("{header}\n{}{other}{}", &record[..from], &record[from + value.len()..]);
        write(dir.path(), "changed.ron", &changed);
        refused(&run(dir.path(), &["replay", "changed.ron"]), 2, "E0808");
        write(dir.path(), "changed.ron", unsealed(&changed));
        assert_eq!(run(dir.path(), &["replay", "changed.ron"]).code, 1, "{name}");
    }
    let sizes = unsealed(&log).replace("\"k\": 4096", "\"k\": 4097");
    let measured = sizes.replacen("4097", "4096", 1);
    write(dir.path(), "sizes.ron", measured);
    assert_eq!(run(dir.path(), &["replay", "sizes.ron"]).code, 1);
}

/// A limit of the shell's is named where it is met.
#[test]
fn limits_are_named_where_they_are_met() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let compile = format!("compile {dot} -o out");
    for (limit, command, code) in [
        ("ulimit -s 64", "rules", "E0811"),
        ("ulimit -n 6", &compile, "E0906"),
        ("ulimit -n 6", "devices", "E0706"),
        // So small a file holds no session, and none that a C compiler makes.
        ("ulimit -f 0", &format!("apply {dot} -s id --session s.ron"), "E0805"),
        ("ulimit -f 1", &format!("bench {dot} --size k=64"), "E0711"),
        ("ulimit -f 3", &format!("bench {dot} --size k=64"), "E0711"),
    ] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{limit}; exec '{}' {command}", env!("CARGO_BIN_EXE_shine-tui"))]);
        shell.current_dir(dir.path()).env("SHINE_STATE_DIR", dir.path().join("state")).env("LC_ALL", "C");
        let ran: Ran = shell.stdin(Stdio::null()).output().unwrap().into();
        refused(&ran, 3, code);
        assert!(
            ran.err.contains(&format!(
                "(`{}`)",
                limit.trim_end_matches(|c: char| c == ' ' || c.is_ascii_digit())
            )),
            "{}",
            ran.err
        );
    }
}

/// What others call strategies and give to them is told by what to write.
#[test]
fn strategies_as_others_write_them_are_told_by_what_to_write() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    for (strategy, code, hint) in [
        ("auto(gpu)", "E0301", "`auto(opencl)`"),
        ("auto(CUDA)", "E0301", "`auto(opencl)`"),
        ("opencl", "E0308", "`auto(opencl)`"),
        ("exact", "E0308", "`auto(exact)`"),
        ("openmp", "E0301", "made by `auto`"),
        ("reorder(2, 1)", "E0308", "`reorder([2, 1])`"),
        ("interchange(1, 2)", "E0308", "`reorder([2, 1])`"),
        ("repeat(4, mapFusion)", "E0308", "`repeatN(4, s)`"),
        ("tile([4, 8])", "E0308", "`tile(4, 8)`"),
        ("search(contains(mapPar))", "E0301", "`reach contains(mapPar)`"),
        ("fuse(everything)", "E0301", "`normalize(mapFusion)`"),
        ("topDown(mapFusion) where n > 3", "E0020", "`n > 3 ; topDown(mapFusion)`"),
        ("strategy s = topDown(mapFusion)", "E0020", "`.elevate` beside the program"),
        ("satisfies(contains(map)) // two", "E0010", "starts with `--`."),
        ("repeatN(100000, id)", "E0311", "repetitions of repetitions"),
    ] {
        let ran = run(dir.path(), &["apply", &dot, "-s", strategy]);
        assert!(ran.code != 0 && ran.err.contains(code) && ran.err.contains(hint), "{strategy}: {}", ran.err);
        assert!(!ran.err.contains("quotient") && !ran.err.contains("(next, "), "{strategy}: {}", ran.err);
    }
    // As many as that are run.
    assert_eq!(run(dir.path(), &["apply", &dot, "-s", "repeatN(100, repeatN(1000, id))"]).code, 0);
    for list in ["rules", "strategies", "patterns"] {
        let ran = run(dir.path(), &[list, "show", "mapFusion"]);
        refused(&ran, 2, "E0901");
        assert!(ran.err.contains(&format!("`shine-tui {list} mapFusion`")), "{}", ran.err);
    }
}

/// What is no regular file is refused at once, wherever it stands; nothing waits for a writer.
#[test]
fn pipes_and_devices_are_no_files() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    for name in ["p.rise", "p.ron", "q.rules"] {
        assert!(Command::new("mkfifo").arg(dir.path().join(name)).status().unwrap().success());
    }
    refused(&run(dir.path(), &["compile", "p.rise"]), 2, "E0004");
    refused(&run(dir.path(), &["replay", "p.ron"]), 2, "E0800");
    refused(&run(dir.path(), &["compile", "p.ron"]), 2, "E0800");
    refused(&run(dir.path(), &["fmt", "p.rise"]), 2, "E0004");
    refused(&run(dir.path(), &["rules", "check", "q.rules"]), 2, "E0004");
    refused(&run(dir.path(), &["compile", "/dev/zero"]), 2, "E0004");
    std::fs::rename(dir.path().join("q.rules"), dir.path().join("dot.rules")).unwrap();
    refused(&run(dir.path(), &["compile", &dot]), 2, "E0004");
    // In a folder of rules, too, but for what editors leave there.
    std::fs::create_dir(dir.path().join("own")).unwrap();
    std::os::unix::fs::symlink("nobody@nowhere.1", dir.path().join("own/.#all.rules")).unwrap();
    let (own, plain) = (["--rules", "own"], write(dir.path(), "plain.rise", DOT));
    assert_eq!(run(dir.path(), &[&["compile", &plain][..], &own].concat()).code, 0);
    std::fs::rename(dir.path().join("dot.rules"), dir.path().join("own/x.rules")).unwrap();
    refused(&run(dir.path(), &[&["compile", &plain][..], &own].concat()), 2, "E0004");
}

/// Whatever is in a file, a log, a name or an argument, no command to the terminal comes out.
#[test]
fn nothing_foreign_commands_the_terminal() {
    let dir = world();
    let evil = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{2066}";
    let text = format!("foreign def g (x: f32): f32 = \"return x; /* {evil} */\"\ndef f (x: f32) = g x\n");
    let harmful = write(dir.path(), "harmful.rise", &text);
    refused(&run(dir.path(), &["compile", &harmful]), 2, "E0009");
    write(dir.path(), "harmful.rules", format!("-- {evil}\n"));
    write(dir.path(), "dot.rise", DOT);
    let name = format!("{evil}.rise");
    std::fs::copy(dir.path().join("dot.rise"), dir.path().join(&name)).unwrap();
    let strategy = format!("topDown(reduceMapFusion) -- {evil}");
    let runs: [&[&str]; 10] = [
        &["compile", &harmful],
        &["compile", &format!("no{name}")],
        &["compile", &name],
        &["compile", "dot.rise", "--emit", evil],
        &["apply", &name, "-s", &strategy, "--session", "s.ron"],
        &["apply", &name, "-s", evil],
        &["apply", &name, "--json", "-s", &strategy],
        &["rules", "check", "harmful.rules"],
        &["explain", evil],
        &["replay", "s.ron"],
    ];
    for args in runs {
        let ran = run(dir.path(), args);
        for text in [&ran.out, &ran.err] {
            let harm =
                text.chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{2069}').contains(c));
            assert_eq!(harm, None, "{args:?}: {text:?}");
        }
    }
    // Nor out of a log whose texts were put there by hand.
    let log = unsealed(&std::fs::read_to_string(dir.path().join("s.ron")).unwrap());
    let forged = log.replacen(
        "do(n: 1, action: Strategy(text: \"topDown",
        "do(n: 1, action: Strategy(text: \"\\u{1b}[2Jwrong",
        1,
    );
    assert_ne!(forged, log);
    write(dir.path(), "forged.ron", forged);
    let ran = run(dir.path(), &["replay", "forged.ron"]);
    assert!(ran.code != 0 && !ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{:?}", ran.out);
}

/// A compiler that prints without end is not listened to without end.
#[test]
fn a_flood_of_a_compiler_is_bounded() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    for script in ["#!/bin/sh\nexec yes 'an error' >&2\n", "#!/bin/sh\nexec yes\n"] {
        let cc = dir.path().join("cc");
        let _ = std::fs::remove_file(&cc);
        std::fs::write(&cc, script).unwrap();
        std::fs::set_permissions(&cc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = Command::new("sh");
        // Far less memory than it prints, were it not stopped.
        command.args([
            "-c",
            &format!("ulimit -v 2000000; exec '{}' bench {dot} --size k=64", env!("CARGO_BIN_EXE_shine-tui")),
        ]);
        command
            .current_dir(dir.path())
            .env("SHINE_STATE_DIR", dir.path().join("state"))
            .env("CC", &cc)
            .env("LC_ALL", "C");
        let ran: Ran = command.stdin(Stdio::null()).output().unwrap().into();
        refused(&ran, 3, "E0701");
        assert!(ran.err.len() < 100_000, "{}", ran.err.len());
    }
}

#[test]
fn an_altered_session_diverges_and_a_damaged_one_is_refused() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let ran = run(dir.path(), &["apply", &dot, "-s", "topDown(reduceMapFusion)", "--session", "dot.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let log = std::fs::read_to_string(dir.path().join("dot.ron")).unwrap();
    let digest = log.lines().last().unwrap().split("b3:").nth(1).unwrap()[..32].to_string();

    // A line that was changed after it was recorded is seen by its seal, whatever it is that was changed.
    let zero = "0".repeat(32);
    for (what, other) in [
        (&*digest, &*zero),
        ("topDown", "bottomUp"),
        ("acc x", "acc y"),
        ("n: 1", "n: 2"),
        ("revision: 1", "revision: 2"),
    ] {
        let at = log.find('\n').unwrap();
        let (header, records) = log.split_at(at);
        assert!(records.contains(what), "{what}: {records}");
        write(dir.path(), "changed.ron", format!("{header}{}", records.replacen(what, other, 1)));
        refused(&run(dir.path(), &["replay", "changed.ron"]), 2, "E0808");
        refused(&run(dir.path(), &["apply", "changed.ron", "--session", "changed.ron"]), 2, "E0808");
    }
    // As an older version wrote it, without seals, what it leads to is compared.
    let log = unsealed(&log);
    write(dir.path(), "wrong.ron", log.replace(&digest, &"0".repeat(32)));
    let ran = run(dir.path(), &["replay", "wrong.ron"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("diverges"), "{}", ran.out);

    write(dir.path(), "cut.ron", &log[..log.len() - 20]);
    let ran = run(dir.path(), &["replay", "cut.ron"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("incomplete"), "{}", ran.out);

    // Texts are compared with the digests beside them.
    write(dir.path(), "text.ron", log.replacen("acc + fst x", "acc - fst x", 1));
    let ran = run(dir.path(), &["replay", "text.ron"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("does not fit together"), "{}", ran.out);

    // A whole line that is damaged is no torn tail: nothing is cut, and nothing is lost.
    let damaged = format!("{}\n", &log[..log.len() - 20]);
    write(dir.path(), "damaged.ron", &damaged);
    refused(&run(dir.path(), &["replay", "damaged.ron"]), 2, "E0803");
    refused(&run(dir.path(), &["apply", "damaged.ron", "--session", "damaged.ron"]), 2, "E0803");
    assert_eq!(std::fs::read_to_string(dir.path().join("damaged.ron")).unwrap(), damaged);
    let ran = run(dir.path(), &["apply", "cut.ron", "-s", "topDown(useReduceSeq)", "--session", "cut.ron"]);
    assert!(ran.err.contains("incomplete"), "{}", ran.err);
    let torn = std::fs::read_to_string(dir.path().join("cut.ron.torn")).unwrap();
    assert!(log.ends_with(&format!("{torn}{}", &log[log.len() - 20..])), "{torn}");
    assert_eq!(run(dir.path(), &["replay", "cut.ron"]).code, 0);

    write(dir.path(), "program.ron", log.replacen("fst p", "snd p", 1));
    refused(&run(dir.path(), &["replay", "program.ron"]), 2, "E0804");
    write(dir.path(), "hostile.ron", "(".repeat(100_000));
    refused(&run(dir.path(), &["replay", "hostile.ron"]), 2, "E0801");
    refused(&run(dir.path(), &["replay", "none.ron"]), 2, "E0800");

    // Of several files the worst counts: 2 > 1 > 3 > 0.
    let worst = |files: &[&str]| run(dir.path(), &[&["replay"], files].concat()).code;
    assert_eq!(worst(&["dot.ron", "wrong.ron"]), 1);
    assert_eq!(worst(&["dot.ron", "wrong.ron", "hostile.ron"]), 2);
}

#[test]
fn bad_files_are_refused_with_a_reason() {
    let dir = world();
    let at = |name: &str, text: &[u8]| write(dir.path(), name, text);
    let compile = |file: &str| run(dir.path(), &["compile", file]);
    refused(&compile("none.rise"), 2, "E0004");
    assert!(compile("none.rise").err.contains("Check the name"), "{}", compile("none.rise").err);
    assert!(
        compile("no/none.rise").err.contains("There is no folder `no`"),
        "{}",
        compile("no/none.rise").err
    );
    refused(&compile(&at("binary.rise", b"\x7fELF\0\0")), 2, "E0002");
    refused(&compile(&at("latin.rise", b"-- \xe9")), 2, "E0001");
    std::fs::File::create(dir.path().join("large.rise")).unwrap().set_len(100 << 20).unwrap();
    refused(&compile("large.rise"), 2, "E0003");
    let empty = compile(&at("empty.rise", b""));
    assert_eq!(empty.code, 2, "{}", empty.err);
    assert!(!empty.err.is_empty());
    let cyclic = compile(&at("cyclic.rise", b"def a = b\ndef b = a\n"));
    assert_eq!(cyclic.code, 2, "{}", cyclic.err);
    assert!(cyclic.err.contains('a') && cyclic.err.contains('b'), "{}", cyclic.err);
    let deep = format!("def a (x: f32) = {}x{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(compile(&at("deep.rise", deep.as_bytes())).code, 2);
}

#[test]
fn ill_typed_programs_are_refused_where_they_are_wrong() {
    let dir = world();
    for (name, text) in [
        ("unknown", "def f (x: n.f32) = mpa (\\y. y) x"),
        ("applied", "def f (x: n.f32): f32 = x x"),
        ("sizes", "def f (a: n.f32) (b: m.f32) = zip a b"),
        ("result", "def f (a: n.f32): f32 = a"),
        ("remainder", "def f (a: 100.f32) = split 32 a"),
        ("function", "def f (a: n.f32) = map a"),
        ("type", "def f (a: n.flout) = a"),
        ("operator", "def f (p: (f32 * f32)) = p + p"),
    ] {
        let file = write(dir.path(), &format!("{name}.rise"), text);
        let ran = run(dir.path(), &["compile", &file]);
        assert_eq!(ran.code, 2, "{name}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("[E01"), "{name}: {}", ran.err);
        assert!(ran.err.contains(&format!("{name}.rise:1:")), "{name} has a place: {}", ran.err);
        assert!(
            !ran.err.contains("?0") && !ran.err.contains("?t0") && !ran.err.contains("panicked"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn bad_rules_and_strategies_are_refused() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    for (rules, code) in [
        ("rule r = map f x ~> map g x\n", "E02"),
        ("rule r = map f x ~> fst x\n", "E02"),
        ("rule r = map (\\y. f y) x ~> f\n", "E02"),
        ("rule = \n", "E0"),
    ] {
        write(dir.path(), "dot.rules", rules);
        let ran = run(dir.path(), &["compile", &dot]);
        assert_eq!(ran.code, 2, "{rules}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(&format!("[{code}")), "{rules}: {}", ran.err);
    }
    std::fs::remove_file(dir.path().join("dot.rules")).unwrap();
    // A text that says nothing is bad input; a strategy that does not get to its end is a finding.
    for (strategy, code) in [
        ("nosuch", 2),
        ("topDown(", 2),
        ("topDown(mapFusion, 3, 4)", 2),
        ("reach nosuch", 2),
        ("reach contains(mapSeq) using nosuch", 2),
        ("reach contains(mapSeq) using useMapSeq with (nodes: 0)", 2),
        ("reach contains(gather) using useMapSeq", 1),
        ("repeat(id)", 1),
    ] {
        let ran = run(dir.path(), &["apply", &dot, "-s", strategy]);
        assert_eq!(ran.code, code, "{strategy}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("[E0") && !ran.err.contains("panicked"), "{strategy}: {}", ran.err);
    }
    // Where one belongs is said of a strategy behind the program, and of one without its arguments.
    for (arguments, hint) in [
        (["apply", &dot, "topDown(mapFusion)"].as_slice(), "`shine-tui apply PROGRAM.rise -s"),
        (&["bench", &dot, "id"], "`shine-tui bench PROGRAM.rise -s"),
        (&["apply", &dot, "-s", "tile(4)"], "`tile(x, y)`"),
        (&["apply", &dot, "-s", "topDown(map)"], "the strategy:1:9"),
    ] {
        let ran = run(dir.path(), arguments);
        assert!(ran.code == 2 && ran.err.contains(hint), "{arguments:?}: {}", ran.err);
    }
    // An argument has no name: what the hint says in its place is a strategy.
    write(dir.path(), "dot.elevate", "strategy parts(y = 2) = topDown(splitJoin(y))\n");
    let ran = run(dir.path(), &["apply", &dot, "-s", "parts(y: 8)"]);
    assert!(ran.code == 2 && ran.err.contains("write `8` in the place of `y: 8`"), "{}", ran.err);
    assert!(!ran.err.contains("have no types"), "{}", ran.err);
    let ran = run(dir.path(), &["apply", &dot, "-s", "parts(8)"]);
    assert!(ran.code == 0 && ran.out.contains("split 8"), "{}{}", ran.out, ran.err);
    // Parameters of a definition have no types.
    write(dir.path(), "dot.elevate", "strategy parts(y: nat) = topDown(splitJoin(y))\n");
    let ran = run(dir.path(), &["apply", &dot, "-s", "id"]);
    assert!(ran.code == 2 && ran.err.contains("have no types"), "{}", ran.err);
    std::fs::remove_file(dir.path().join("dot.elevate")).unwrap();
    let ran = run(dir.path(), &["fmt", "--bar"]);
    assert!(ran.code == 2 && !ran.err.contains("-s '"), "{}", ran.err);
}

#[test]
fn sizes_that_do_not_divide_are_refused() {
    let dir = world();
    let file = write(dir.path(), "chunks.rise", "def f (a: m.f32) = split 32 a |> map (reduce (+) 0)\n");
    let good = run(dir.path(), &["compile", &file, "--size", "m=64"]);
    assert_eq!(good.code, 0, "{}", good.err);
    let bad = run(dir.path(), &["compile", &file, "--size", "m=100"]);
    refused(&bad, 2, "E0150");
    assert!(bad.err.contains("32 divides m"), "{}", bad.err);
    assert_eq!(run(dir.path(), &["compile", &file, "--size", "m=0"]).code, 2);
    assert_eq!(run(dir.path(), &["compile", &file, "--size", "m"]).code, 2);
    // Which of two values is meant is not guessed; the same one twice is that one.
    let twice = |other: &str| run(dir.path(), &["compile", &file, "--size", "m=64", "--size", other]);
    refused(&twice("m=128"), 2, "E0901");
    assert!(twice("m=128").err.contains("The size `m` is given twice, as 64 and as 128."));
    assert_eq!(twice("m=64").code, 0);
    // Sizes that are refuted are, whether or not others have values; that those are not in the code is said.
    let two = "def f (a: m.f32) (b: n.f32) = (split 32 a |> map (reduce (+) 0), map sqrt b)\n";
    let two = write(dir.path(), "two.rise", two);
    for stage in ["c", "rise"] {
        refused(&run(dir.path(), &["compile", &two, "--size", "m=100", "--emit", stage]), 2, "E0150");
    }
    let some = run(dir.path(), &["compile", &two, "--size", "m=64"]);
    assert!(
        some.code == 0 && some.err.contains("The size `n` has no value, so the code is for all"),
        "{}",
        some.err
    );
    let split = write(dir.path(), "split.rise", "def f (a: m.f32) (b: n.f32) = (map sqrt a, map sqrt b)\n");
    let rewritten = ["compile", &split, "--size", "n=100", "-s", "topDown(splitJoin(32))"];
    refused(&run(dir.path(), &rewritten), 2, "E0150");
    let unknown = run(dir.path(), &["compile", &file, "--size", "q=3"]);
    assert_eq!(unknown.code, 2, "{}{}", unknown.out, unknown.err);
}

/// Rules that are right at small sizes, and at larger ones lose one of 2^18 numbers, a chunk, or the rest beyond chunks.
const LOSING: &str = "
rule loseOne = reduce f z (x : n.t) ~> reduce f z (take (n - n div 262144) x)
rule loseChunk = reduce f z (x : n.t) ~> reduce f z (take (n - 512 * (n div 262144)) x)
rule loseRest = reduce f z (x : n.t) ~> reduce f z (take (n - (n div 131072) * (n % 512)) x)
rule inParts = reduce (+) 0 (x : (512*n).f32) ~> reduce (+) 0 (map (reduce (+) 0) (split 512 x))
rule lastFirst = reduce (+) 0 (x : n.f32) ~> reduce (+) 0 (gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i)) : n.idx[n]) x)
";

#[test]
fn a_kernel_that_loses_terms_of_a_long_sum_is_caught() {
    let dir = world();
    let sum = write(dir.path(), "asum.rise", "def asum (a: n.f32): f32 = a |> map abs |> reduce (+) 0");
    write(dir.path(), "asum.rules", LOSING);
    let bench = |rule: &str, n: &str| {
        let strategy = format!("topDown({rule})");
        run(dir.path(), &["bench", &sum, "-s", &strategy, "--size", n, "--json"])
    };
    for rule in ["loseOne", "loseChunk", "loseRest"] {
        let ran = bench(rule, "n=262144");
        refused(&ran, 1, "E0820");
        assert!(ran.err.contains("on small integers, whose sums are exact"), "{}", ran.err);
    }
    for right in ["inParts", "lastFirst"] {
        let ran = bench(right, "n=262144");
        assert_eq!(ran.code, 0, "{right}: {}", ran.err);
        assert!(ran.out.contains("sums of integers are exact at n=26"), "{}", ran.out);
    }
    // Squares of numbers round down more often than up: what the program itself loses by that is no mistake of the tool.
    let squares =
        write(dir.path(), "squares.rise", "def f (x: n.f32): f32 = x |> map (\\v. v * v) |> reduce (+) 0");
    let ran = run(dir.path(), &["bench", &squares, "--size", "n=1000003"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Rounding takes the program as written"), "{}", ran.out);
}

/// What a compiler gets wrong in the kernel and in the program as written alike, in double precision too, the interpreter sees:
/// no more of it is explained by rounding than the interpreter itself would be moved.
#[test]
fn a_compiler_that_is_always_wrong_is_no_reference() {
    let dir = world();
    let scale = "def s (alpha: f32) (a: m.n.f32): m.n.f32 = a |> map (map (\\x. alpha * x))";
    let one = "def one (alpha: f32) (a: n.f32): f32 = a |> map (\\x. alpha * x) |> reduce (+) 0";
    let files = [(write(dir.path(), "s.rise", scale), "m"), (write(dir.path(), "one.rise", one), "n")];
    let cc = dir.path().join("cc-of-the-test");
    let script = "#!/bin/sh\nfor a; do case \"$a\" in *probe.c) ;; *.c) sed -i 's/alpha \\* /0.0f * /g' \"$a\";; esac; done\n\
                  exec cc \"$@\"\n";
    std::fs::write(&cc, script).unwrap();
    std::fs::set_permissions(&cc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (file, size) in &files {
        let sizes = ["--size", "n=64", "--size", &format!("{size}=64")];
        let bench = [&["bench", file], &sizes[..]].concat();
        assert_eq!(run(dir.path(), &bench).code, 0);
        let ran = run_with(dir.path(), &bench, &[("CC", cc.to_str().unwrap())]);
        refused(&ran, 1, "E0820");
        assert!(ran.err.contains("against the interpreter"), "{}", ran.err);
    }
}

#[test]
fn without_a_compiler_or_a_device_the_environment_is_to_blame() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let size = ["--size", "k=64"];
    let ran = run(dir.path(), &[&["bench", &dot, "--device", "abacus"], &size[..]].concat());
    refused(&ran, 3, "E0703");
    // What the program asks of a device says nothing where there is none.
    let threads = write(dir.path(), "threads.rise", "def f (a: n.f32): n.f32 = a |> mapPar (\\x. x + 1)");
    for device in ["abacus", "cpu[unroll?"] {
        refused(&run(dir.path(), &["bench", &threads, "--device", device, "--size", "n=64"]), 3, "E0703");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_shine-tui"))
        .args([&["bench", &dot], &size[..]].concat())
        .current_dir(dir.path())
        .env("PATH", dir.path())
        .env_remove("CC")
        .env("SHINE_STATE_DIR", dir.path().join("state"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[E0701]"));
    refused(&run(dir.path(), &["bench", &dot]), 2, "E0151");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_and_nothing_is_overwritten() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    write(dir.path(), "there.ron", "mine");
    let ran = run(dir.path(), &["apply", &dot, "--session", "there.ron"]);
    refused(&ran, 2, "E0918");
    assert_eq!(std::fs::read_to_string(dir.path().join("there.ron")).unwrap(), "mine");
    // A file in the place of a folder is in the way, as it is of other files.
    let ran = run(dir.path(), &["apply", &dot, "--session", "there.ron/s.ron"]);
    refused(&ran, 2, "E0918");
    let ran = run(dir.path(), &["apply", &dot, "--session", "/proc/no/such.ron"]);
    refused(&ran, 3, "E0805");
    let ran = run(dir.path(), &["compile", &dot, "-o", "/proc/no"]);
    assert_ne!(ran.code, 0);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn a_file_that_may_not_grow_is_a_problem_not_an_end() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    // So small a file holds no session; the limit is met while it is written.
    let limited = format!(
        "ulimit -f 1; exec '{}' apply {dot} -s 'topDown(reduceMapFusion)' --session s.ron",
        env!("CARGO_BIN_EXE_shine-tui")
    );
    let output = Command::new("/bin/sh")
        .args(["-c", &limited])
        .current_dir(dir.path())
        .env("SHINE_CONFIG_DIR", dir.path().join("config"))
        .env("SHINE_STATE_DIR", dir.path().join("state"))
        .output()
        .unwrap();
    refused(&output.into(), 3, "E0805");
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let ran = run(dir.path(), &[&dot]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains('\u{1b}'), "no escape sequences: {:?}", ran.out);
    assert!(ran.err.contains("terminal"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = world();
    let mut child = Command::new(env!("CARGO_BIN_EXE_shine-tui"))
        .arg("patterns")
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_kernels_in_the_repository_compile() {
    let dir = world();
    for entry in std::fs::read_dir(kernels("")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let file = folder.join(format!("{name}.rise"));
        for emit in ["c", "opencl"] {
            let ran = run(dir.path(), &["compile", &file.display().to_string(), "--emit", emit]);
            assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        }
    }
}

const STENCIL: &str = "--| The function of each window.
pattern stencil (sz sp: nat) {n: nat} {s t: data} : (sz.s -> t) -> (sp*n + sz - sp).s -> n.t =
  \\f. slide sz sp >> map f
def sum (w: k.f32): f32 = reduce (+) 0 w
def smooth (x: (n+2).f32): n.f32 = stencil 3 1 sum x
";

const STENCIL_RULES: &str =
    "rule tileStencil(p) = (stencil sz 1 f (x : (n+sz-1).s) : n.t) ~> join (map (stencil sz 1 f) (slide (p+sz-1) p x))
  example (4) (x: (n+2).f32) = stencil 3 1 (reduce (+) 0) x ~> slide 6 4 x |> map (stencil 3 1 (reduce (+) 0)) |> join
";

/// A pattern that the program declares, through every stage: typing, rules on both sides, predicates, the unfolding rule,
/// search, loops, code, the interpreter, a session and its replay.
#[test]
fn a_declared_pattern_goes_all_the_way() {
    let dir = world();
    let program = write(dir.path(), "smooth.rise", STENCIL);
    write(dir.path(), "smooth.rules", STENCIL_RULES);
    write(
        dir.path(),
        "smooth.elevate",
        "strategy tiled = topDown(isApplied(isApplied(isStencil)) ; tileStencil(4))\nsketch window(n: nat) = contains(stencil n 1)\n",
    );
    let done = |args: &[&str]| {
        let ran = run(dir.path(), args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out
    };
    let tiled = "slide 6 4 x |> map (stencil 3 1 (\\w. reduce (+) 0.0 w)) |> join";
    let out = done(&["apply", &program, "-s", "tiled", "--session", "s.ron"]);
    assert!(out.contains(tiled), "{out}");
    // What is printed is a program of its own, with the pattern in it.
    write(dir.path(), "printed.rise", &out);
    assert!(done(&["apply", "printed.rise"]).contains(tiled));
    assert!(done(&["replay", "s.ron"]).contains("agrees"));
    let found = done(&["apply", &program, "-s", "reach contains(slide 3 1) using {unfoldStencil}"]);
    assert!(found.contains("slide 3 1") && !found.contains("stencil"), "{found}");
    let kept = done(&["apply", &program, "-s", "tiled ; reach window(3) using {unfoldStencil}"]);
    assert!(kept.contains("stencil 3 1"), "{kept}");
    let loops = done(&["compile", &program, "-s", "tiled", "--emit", "loops"]);
    assert_eq!(loops.lines().next(), Some("for n/4:"), "{loops}");
    assert!(
        done(&["rules", "unfoldStencil", "--program", &program])
            .contains("stencil sz sp f x ~> slide sz sp x |> map f")
    );
    assert!(done(&["patterns", "stencil", "--program", &program]).contains("The function of each window."));
    let bench = done(&["bench", &program, "-s", "tiled", "--size", "n=64", "--json"]);
    assert!(bench.contains("agrees with the interpreter"), "{bench}");
    // Mistakes in what is declared are told like any other.
    let wrong = write(dir.path(), "wrong.rise", STENCIL.replace("map f", "map (map f)"));
    refused(&run(dir.path(), &["apply", &wrong]), 2, "E0110");
    let vague = "pattern p {n m: nat} : (n*m).f32 -> f32 = \\x. reduce (+) 0 x\ndef f (a: k.f32) = p a\n";
    let vague = write(dir.path(), "vague.rise", vague);
    refused(&run(dir.path(), &["apply", &vague]), 2, "E0126");
}

/// C text is printed without more ado, and runs when the user says so: then the interpreter knows its values too.
#[test]
fn foreign_functions_run_when_allowed() {
    let dir = world();
    let text = "foreign def logistic (x: f32): f32 = \"return 1.0f / (1.0f + expf(-x));\"
foreign def mix (a b: f32) (k: i32): f32 = \"
  for (int i = 0; i < k; i++) { a = 0.5f * (a + b); }
  return a;
\"
def f (x: n.f32) (y: n.f32): f32 =
  zip x y |> map (\\p. mix (logistic (fst p)) (logistic (snd p)) 3) |> reduce (\\a b. logistic (a + b)) 0
";
    let program = write(dir.path(), "f.rise", text);
    let compiled = run(dir.path(), &["compile", &program]);
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    assert!(compiled.out.contains("static inline float foreign_logistic(float x) {"), "{}", compiled.out);
    let bench = ["bench", &program, "--size", "n=50"];
    refused(&run(dir.path(), &bench), 2, "E0189");
    let allowed = run(dir.path(), &[&bench[..], &["--allow-foreign"]].concat());
    assert_eq!(allowed.code, 0, "{}", allowed.err);
    assert!(allowed.out.contains("agrees with the interpreter"), "{}", allowed.out);
    // One that keeps something is the suspect, not the compiler.
    let text = "foreign def g (x: f32): f32 = \"static int k; return x + k++;\"\ndef f (a: n.f32): n.f32 = map g a\n";
    let kept = write(dir.path(), "kept.rise", text);
    let ran = run(dir.path(), &["bench", &kept, "--size", "n=4", "--allow-foreign"]);
    refused(&ran, 1, "E0820");
    assert!(
        ran.err.contains("Look at the foreign functions first") && !ran.err.contains("mistake"),
        "{}",
        ran.err
    );
    // Printed and read again, it is the same program.
    let printed = run(dir.path(), &["apply", &program]).out;
    let again = write(dir.path(), "again.rise", &printed);
    assert_eq!(run(dir.path(), &["apply", &again]).out, printed);
    for (text, code) in [
        ("foreign def f (x: n.f32): f32 = \"return 0;\"", "E0125"),
        ("foreign def int (x: f32): f32 = \"return 0;\"", "E0125"),
        ("foreign def f x: f32 = \"return 0;\"", "E0125"),
        ("foreign def f (x: f32): f32 = 3", "E0020"),
        ("foreign def sqrt (x: f32): f32 = \"return 0;\"", "E0104"),
    ] {
        let wrong = write(dir.path(), "wrong.rise", format!("{text}\ndef g (x: f32): f32 = x\n"));
        refused(&run(dir.path(), &["compile", &wrong]), 2, code);
    }
}

#[test]
fn a_rule_that_does_not_apply_says_where_and_why() {
    let dir = world();
    let program = "def f (a: m.n.f32) (b: n.f32) (c: 100.f32): m.f32 = \
                   a |> map (\\row. zip row b |> map (\\p. fst p * snd p) |> reduce (\\x y. x - y) 0)\n";
    let file = write(dir.path(), "f.rise", program);
    for (rule, at, code, says) in [
        ("mapFusion", "0.0.0", 1, "expected map with 2 arguments, found a variable (at 0.0.0.1: `a`)"),
        ("mapFusion", ".", 1, "does not apply to the whole program"),
        ("splitJoin(1)", ".", 1, "hint: It applies at 2 places; the nearest is 0.0.0."),
        ("reduceMapFusion", "0", 1, "hint: It applies only at 0.0.0.0.1.0."),
        ("splitJoin", "0.0.0", 2, "needs its argument `p`, a size"),
        ("transposeAroundNest(9)", "0.0.0", 1, "takes k (a depth from 0 to 6); given: 9"),
        ("useMapGlobal(5)", "0.0.0", 2, "takes a dimension as its argument `d`, not 5"),
        ("zipSame", "0.0.0.0.1.0.1.1", 1, "`a` is `row` at first and `b` at 0.0.0.0.1.0.1.1.1"),
        ("removeTransposePair", "0.0.0", 1, "expected transpose with 1 argument, found map with 2 arguments"),
        ("blockedReduce(4)", "0.0.0.0.1.0", 1, "assoc op, where op is \\x y. x - y"),
        ("mapFusion", "0.0.0.0.0.0.0", 1, "has no position 0.0.0.0.0.0.0"),
    ] {
        let ran = run(dir.path(), &["apply", &file, "--rule", rule, "--at", at]);
        assert!(ran.code == code && ran.err.contains(says), "{rule} at {at}: {} {}", ran.code, ran.err);
    }
}

#[test]
fn the_steps_before_a_failure_are_shown() {
    let dir = world();
    let file = write(dir.path(), "f.rise", "def f (a: n.f32): n.f32 = a |> map abs |> map sqrt |> map neg\n");
    let strategies =
        ["-s", "topDown(mapFusion)", "-s", "topDown(mapFusion) ; topDown(useMapSeq) ; topDown(useMapSeq)"];
    let ran = run(dir.path(), &[&["apply", file.as_str(), "--steps"], &strategies[..]].concat());
    assert_eq!(ran.code, 1, "{}", ran.err);
    let steps: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("-- ")).collect();
    assert_eq!(steps, ["-- mapFusion at 0", "-- mapFusion at 0", "-- useMapSeq at 0"], "{}", ran.out);
    assert!(ran.out.contains("mapSeq"), "{}", ran.out);
    assert!(
        ran.err.contains("`useMapSeq` does not apply") && ran.err.contains("2 rewrites had been made"),
        "{}",
        ran.err
    );
    // The same for a program that reads it.
    let ran_json = run(dir.path(), &[&["apply", file.as_str(), "--json"], &strategies[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&ran_json.out).unwrap();
    let rules: Vec<&str> =
        json["steps"].as_array().unwrap().iter().map(|s| s["rule"].as_str().unwrap()).collect();
    assert_eq!((ran_json.code, rules), (1, vec!["mapFusion", "mapFusion", "useMapSeq"]));
    assert_eq!(json["error"]["code"], "E0311", "{json}");
    // What failed is marked where it is written, the third of the three.
    let marked = ran.err.lines().find(|line| line.contains('^')).unwrap();
    let typed = ran.err.lines().find(|line| line.contains("topDown(mapFusion) ;")).unwrap();
    assert_eq!(marked.find('^'), typed.rfind("useMapSeq"), "{}", ran.err);
}

#[test]
fn what_runs_outside_of_all_work_items_is_shown_in_the_text() {
    let dir = world();
    for (program, part) in [
        ("def f (a: n.f32) = (mapGlobal 0 sqrt a, mapSeq sqrt a)\n", "mapSeq"),
        ("def f (a: n.f32): f32 =\n  a |> mapGlobal 0 sqrt |> reduceSeq (\\x y. x + y) 0\n", "reduceSeq"),
        ("def f (a: n.f32) =\n  a |> toMem global |> mapGlobal 0 sqrt\n", "toMem"),
    ] {
        let file = write(dir.path(), "f.rise", program);
        let ran = run(dir.path(), &["compile", &file, "--target", "opencl", "--emit", "opencl"]);
        refused(&ran, 2, "E0523");
        let (line, marks) =
            ran.err.lines().zip(ran.err.lines().skip(1)).find(|(_, m)| m.contains('^')).unwrap();
        let at = marks.find('^').unwrap();
        assert!(line[at..].starts_with(part) && marks.ends_with("here"), "{}", ran.err);
    }
}

#[test]
fn a_search_sees_what_a_program_applies_to_its_parameters() {
    let dir = world();
    for program in [
        "def inc (x: (32*n).f32): (32*n).f32 = map (\\v. v + 1) x\n",
        "def inc : (32*n).f32 -> (32*n).f32 = map (\\v. v + 1)\n",
    ] {
        let inc = write(dir.path(), "inc.rise", program);
        let search = "reach containsMap(n, containsMap(32, ?)) using {splitJoin(32)}";
        let _ = std::fs::remove_file(dir.path().join("s.ron"));
        let ran = run(dir.path(), &["apply", &inc, "-s", search, "--session", "s.ron"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("(x: (32*n).f32)") && ran.out.contains("split 32 x"), "{}", ran.out);
        for how in ["trail", "exact", "free"] {
            let again = run(dir.path(), &["replay", "s.ron", "--search", how]);
            assert_eq!(again.code, 0, "{how}: {}{}", again.out, again.err);
        }
    }
}

/// Two programs at several values of a size: as a chart, and as data.
#[test]
fn a_size_is_swept() {
    let dir = world();
    let text = "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)";
    let path = write(dir.path(), "f.rise", text);
    let other = write(dir.path(), "g.rise", text.replace("x + 1", "sin (sin (x + 1))"));
    let with = |more: &[&str]| run(dir.path(), &[&["bench", &path, "--against", &other], more].concat());
    let ran = with(&["--sweep", "n=4096..16384"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in ["n=4096", "n=8192", "n=16384", "A faster", "A  f.rise", "times as fast"] {
        assert!(ran.out.contains(line), "`{line}` in {}", ran.out);
    }
    let ran = with(&["--sweep", "n=20000,4096", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let sizes: Vec<i64> =
        json["points"].as_array().unwrap().iter().filter_map(|p| p["size"].as_i64()).collect();
    assert_eq!(sizes, [4096, 20000]);
    assert_eq!(json["points"][1]["pair"]["first"]["sizes"]["n"], 20000);
    assert_eq!(json["points"][1]["pair"]["verdict"], "first", "{}", ran.out);
    for wrong in ["n", "n=4", "n=4..", "n=0..8", "n=a,b", "n=1,2,x"] {
        refused(&with(&["--sweep", wrong]), 2, "E0901");
    }
    assert_eq!(with(&["--sweep", "q=4,8"]).code, 2, "there is no such size");
}

#[test]
fn two_programs_are_measured_in_turns() {
    let dir = world();
    let text = "def f (a: n.f32): n.f32 = a |> map (\\x. x * x) |> map (\\x. x + 1)";
    let path = write(dir.path(), "f.rise", text);
    let other = write(dir.path(), "g.rise", text.replace("x + 1", "sin (sin (x + 1))"));
    let fused = ["bench", &path, "-s", "topDown(mapFusion)", "--size", "n=4096"];
    let ran = run(dir.path(), &[&fused[..], &["--against", &other]].concat());
    // Each is checked against itself, and both are compared: what differs is told before which is faster.
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let (warned, verdict) = (
        ran.out.find("mind: the two compute different things: on the same inputs cell 0 of"),
        ran.out.find(" is faster: "),
    );
    assert!(warned.is_some() && warned < verdict && ran.out.contains("of 4096 cells differ."), "{}", ran.out);
    let against = |other: &str, more: &[&str]| {
        run(dir.path(), &[&["bench", &path, "--size", "n=64", "--against", other][..], more].concat())
    };
    let same = write(dir.path(), "same.rise", "def g (a: n.f32): n.f32 = a |> map (\\x. 1 + x * x)");
    let differing: serde_json::Value = serde_json::from_str(&against(&other, &["--json"]).out).unwrap();
    assert_eq!(
        (&differing["outputs"], &differing["difference"]["cell"]),
        (&"differ".into(), &"cell 0".into())
    );
    let agreeing: serde_json::Value = serde_json::from_str(&against(&same, &["--json"]).out).unwrap();
    assert_eq!((&agreeing["outputs"], agreeing["difference"].is_null()), (&"agree".into(), true));
    // Two that have the same code are one, whatever the clock says.
    let itself: serde_json::Value = serde_json::from_str(&against(&path, &["--json"]).out).unwrap();
    assert_eq!((&itself["verdict"], &itself["ratio"]), (&"same code".into(), &1.0.into()), "{itself}");
    assert_eq!(itself["first"]["median_ns"], itself["second"]["median_ns"]);
    let swept = run(dir.path(), &["bench", &path, "--against", &other, "--sweep", "n=64,128"]);
    assert!(swept.out.starts_with("mind: the two compute different things"), "{}", swept.out);
    // Of one file on both sides it is said which is which.
    let itself = run(dir.path(), &[&fused[..], &["--against", &path]].concat());
    let legend = format!("first   {path} by topDown(mapFusion)\nsecond  {path} as it stands\n");
    assert!(itself.out.starts_with(&legend), "{}{}", itself.out, itself.err);
    let itself = run(
        dir.path(),
        &["bench", &path, "--against", &path, "-s", "topDown(mapFusion)", "--sweep", "n=64,128"],
    );
    assert!(itself.out.starts_with(&legend), "{}{}", itself.out, itself.err);
    let longer = write(dir.path(), "i.rise", "def i (a: n.f32): n.f64 = a |> map (\\x. cast x)");
    // Both run on what is given.
    write(dir.path(), "a.txt", "1 2 3 4");
    let given = ["bench", &path, "-i", "a=a.txt", "--json", "--against"];
    let report = run(dir.path(), &[&given[..], &[&same]].concat());
    let report: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!(report["second"]["sizes"]["n"], 4, "{report}");
    let report = run(dir.path(), &[&given[..], &[&other]].concat());
    let report: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!((&report["outputs"], &report["difference"]["first"]), (&"differ".into(), &"2".into()));
    let bytes = write(dir.path(), "bytes.rise", "def f (a: n.u8): n.u8 = a |> map (\\x. x + 1)");
    let told = run(dir.path(), &[&given[..], &[&bytes]].concat());
    refused(&told, 2, "E0914");
    assert!(told.err.contains("`bytes.rise` takes other parameters than `f.rise`"), "{}", told.err);
    refused(&run(dir.path(), &[&given[..], &[&same, "--sweep", "n=4,8"]].concat()), 2, "E0901");
    let of_other_types = against(&longer, &[]);
    assert!(
        of_other_types.err.starts_with("note: The two programs take or give other things."),
        "{}",
        of_other_types.err
    );
    assert!(!of_other_types.out.contains("different things"), "{}", of_other_types.out);
    assert!(ran.out.contains("f.rise") && ran.out.contains("g.rise"), "{}", ran.out);
    write(dir.path(), "h.rise", "def h (a: m.f32): m.f32 = a |> map (\\x. x * x)");
    for (against, code, said) in [
        ("h.rise", "E0152", "`h.rise` has the size `m`, which `f.rise` has not"),
        ("none.rise", "E0004", "the number of a revision"),
        ("5", "E0810", "Its only revision is 0"),
    ] {
        let ran = run(dir.path(), &["bench", &path, "--size", "n=64", "--against", against]);
        refused(&ran, 2, code);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    assert_eq!(ran.out.matches("checked:").count(), 2, "{}", ran.out);
    assert!(ran.out.contains("f.rise is faster: ") && ran.out.contains(" confidence"), "{}", ran.out);
    // A revision of a session.
    let ran = run(
        dir.path(),
        &["apply", &path, "-s", "topDown(mapFusion) ; topDown(splitJoin(16))", "--session", "f.ron"],
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let of = |revision: &str| {
        run(dir.path(), &["bench", "f.ron", "--size", "n=64", "--against", revision, "--json"])
    };
    let report: serde_json::Value = serde_json::from_str(&of("0").out).unwrap();
    assert!(report["first"]["kernel"] != report["second"]["kernel"], "{report}");
    assert!(report["interval"][0].as_f64() <= report["ratio"].as_f64(), "{report}");
    refused(&of("9"), 2, "E0810");
    assert!(of("9").err.contains("There are the revisions 0 to 1."), "{}", of("9").err);
}

#[test]
fn strategies_and_sketches_are_listed_and_shown() {
    let dir = world();
    let list = |more: &[&str]| {
        let ran = run(dir.path(), &[&["strategies"], more].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        ran.out
    };
    let program = write(dir.path(), "dot.rise", DOT);
    write(
        dir.path(),
        "dot.elevate",
        "--| Mine.\nstrategy mine(x = 4) =\n  topDown(splitJoin(x))\nsketch nest = map ?",
    );
    let library = list(&[]);
    // What is built in, of the library, and a sketch with as many definitions as it has.
    for line in ["try(s)", "tile(x, y)  ", "containsMap(n: nat, f)", "containsMap(t: data, f, input)"] {
        assert!(library.contains(line), "{line}\n{library}");
    }
    let own = list(&["--program", &program]);
    assert!(own.starts_with(&library) && !library.contains("mine(x = 4)"), "{own}");
    let line = |name: &str| own.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
    assert!(line("mine(x = 4)").ends_with("  Mine.") && line("nest ").ends_with("sketch"), "{own}");
    let mine = list(&["--program", &program, "mine"]);
    assert_eq!(mine, "strategy mine(x = 4) =\n  topDown(splitJoin(x))\n\nMine.\n");
    let data: serde_json::Value = serde_json::from_str(&list(&["tile", "--json"])).unwrap();
    assert_eq!((&data[0]["call"], &data[0]["kind"]), (&"tile(x, y)".into(), &"strategy".into()));
    let unknown = run(dir.path(), &["strategies", "tyle"]);
    refused(&unknown, 2, "E0301");
    assert!(unknown.err.contains("Did you mean `tile`?"), "{}", unknown.err);
}

/// Sizes that a step would make and that are none are what is wrong with the strategy, not with the program.
#[test]
fn a_step_that_would_make_arrays_without_elements_is_refused() {
    let dir = world();
    let text = "def f (a: 20.m.f32): 20.m.f32 = a |> map (map (\\x. x + 1))\n";
    let file = write(dir.path(), "f.rise", text);
    let apply = |strategy: &str| run(dir.path(), &["apply", &file, "-s", strategy]);
    let told = "this maps over fewer than 21 lines, or over pictures that are not each computed of windows of their own lines, so there is no strip of 21 lines";
    let ran = apply("splitPipeline(21)");
    refused(&ran, 1, "E0311");
    assert!(ran.err.contains(told), "{}", ran.err);
    for (strategy, rule) in [
        ("body(splitJoinRest(21))", "`splitJoinRest(21)` does not apply"),
        // Nothing is left over.
        ("body(splitJoinRest(10))", "`splitJoinRest(10)` does not apply"),
        ("body(mapWholeFirst(32))", "`mapWholeFirst(32)` does not apply"),
    ] {
        let ran = apply(strategy);
        refused(&ran, 1, "E0311");
        assert!(ran.err.contains(rule) && ran.err.contains("elements, which are 0 here"), "{}", ran.err);
    }
    let ran = apply("splitPipeline(8)");
    assert!(ran.code == 0 && !ran.out.contains("where"), "{}{}", ran.out, ran.err);
    let ran =
        run(dir.path(), &["tune", &file, "--size", "m=9", "-s", "splitPipeline(? in {21, 4})", "--all"]);
    assert!(ran.code == 0 && ran.out.contains(told), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("1 <= 0"), "{}", ran.out);
}

/// A part that failed on a term where another part had met it before is the one that is named.
#[test]
fn of_parts_of_a_strategy_the_one_that_fails_is_named() {
    let dir = world();
    let file = write(dir.path(), "dot.rise", DOT);
    let own = "strategy first = try(inner)\nstrategy second = inner\nstrategy inner = topDown(splitJoin(4) ; fail)\n";
    write(dir.path(), "dot.elevate", own);
    let ran = run(dir.path(), &["apply", &file, "-s", "first ; second"]);
    refused(&ran, 1, "E0311");
    let lines: Vec<&str> = ran.err.lines().collect();
    let typed = lines.iter().position(|line| line.contains("first ; second")).unwrap();
    assert_eq!(lines[typed + 1].find("------"), lines[typed].find("second"), "{}", ran.err);
    assert!(!ran.err.contains("try(inner)"), "{}", ran.err);
}

/// What was tried on parts of the program was not tried on the whole.
#[test]
fn where_a_traversal_tried_is_told_as_it_is() {
    let dir = world();
    let file = write(dir.path(), "dot.rise", DOT);
    let whole = "tried on the whole program, which is a function";
    for (strategy, is_whole) in [
        ("useMapSeq", true),
        ("all(useMapSeq)", false),
        ("one(useMapSeq)", false),
        ("some(useMapSeq)", false),
        ("body(useMapSeq)", false),
    ] {
        let ran = run(dir.path(), &["apply", &file, "-s", strategy]);
        refused(&ran, 1, "E0311");
        let said = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(said.contains(whole), is_whole, "{strategy}: {}", ran.err);
    }
}

/// What the chapter on pipelines names runs on a whole program, and says what it lacks.
#[test]
fn stages_on_items_go_into_a_program_themselves() {
    let dir = world();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/harris/harris.rise");
    let apply = |sizes: &[&str]| {
        let all = [&["apply", file, "-s", "fusedStages ; stagesOnItems"][..], sizes].concat();
        run(dir.path(), &all)
    };
    let ran = apply(&["--size", "n=1536", "--size", "m=2560"]);
    assert!(ran.code == 0 && ran.out.contains("oclRun 128 1 1"), "{}{}", ran.out, ran.err);
    let ran = apply(&["--size", "n=100", "--size", "m=2560"]);
    refused(&ran, 1, "E0311");
    assert!(ran.err.contains("`hasMoreThan(511)`") && ran.err.contains("by `--size`"), "{}", ran.err);
}

/// What stops a strategy for pipelines is told in words that are true of the program.
#[test]
fn strategies_for_pipelines_say_what_stops_them() {
    const STAGES: &str = "
      def fir (w: k.f32) (x: (n + k - 1).f32): n.f32 =
        x |> slide k 1 |> map (\\v. zip w v |> map (\\p. fst p * snd p) |> reduce (+) 0)
      def windows (image: (n + (k - 1)).(m + (k - 1)).s): n.m.k.k.s =
        image |> map (slide k 1) |> slide k 1 |> map transpose
      def mean3 (image: (n + 2).(m + 2).f32): n.m.f32 =
        (windows image : n.m.3.3.f32) |> map (map (\\w. reduce (+) 0 (join w) / 9))
      def mean5 (image: (n + 4).(m + 4).f32): n.m.f32 =
        (windows image : n.m.5.5.f32) |> map (map (\\w. reduce (+) 0 (join w) / 25))
      def mean27 (a: (n + 2).(m + 2).(k + 2).f32): n.m.k.f32 =
        a |> map (map (slide 3 1)) |> map (slide 3 1) |> slide 3 1
        |> map transpose |> map (map (map transpose)) |> map (map transpose)
        |> map (map (map (\\w. reduce (+) 0 (join (join w)) / 27)))
      def inner (image: (n + 2).(m + 2).f32): n.m.f32 =
        image |> drop 1 |> take n |> map (drop 1 >> take m)
      def both (f: s -> t -> u) (a: n.m.s) (b: n.m.t): n.m.u =
        zip a b |> map (\\rows. zip (fst rows) (snd rows) |> map (\\p. f (fst p) (snd p)))\n";
    let dir = world();
    let fails = |program: &str, strategy: &str| {
        let file = write(dir.path(), "p.rise", format!("{STAGES}def p {program}\n"));
        let ran = run(dir.path(), &["apply", &file, "-s", strategy, "--size", "n=48", "--size", "m=64"]);
        refused(&ran, 1, "E0311");
        ran.err
    };
    let space = "(a: (n + 4).(m + 4).(m + 4).f32): n.m.m.f32 = a |> mean27 |> mean27";
    let one = "(x: (n + 6).f32) (y: m.f32): n.f32 = x |> fir [0.25, 0.5, 0.25] |> fir [1, 2, 4, 2, 1]";
    let beside = "(a: (n + 4).(m + 4).f32): n.m.f32 = both (\\x y. x - y) (mean3 (inner a)) (mean5 a)";
    let guided = "(guide: (n + 4).(m + 4).f32) (image: (n + 4).(m + 4).f32): n.m.f32 =
      let mg = mean3 guide
      let mi = mean3 image
      let a = both (\\p q. p - q) (mean3 (both (\\g i. g * i) guide image)) (both (\\p q. p * q) mg mi)
      let b = both (\\p m. m - p) a mi
      both (\\p q. p + q) (both (\\p q. p * q) (mean3 a) (inner (inner guide))) (mean3 b)";
    let two = "(a: (n + 4).(m + 4).f32): ((n + 2).(m + 2).f32 * n.m.f32) =
      let s = mean3 a
      (s, mean3 s)";
    let items = "fusedStages ; stagesOnItems(6, 4, 0)";
    let long = "(x: (n + 64).f32) (y: m.f32): n.f32 = x |> fir (generate (\\i. 1) : 33.f32) |> fir (generate (\\i. 1) : 33.f32)";
    let blurs = "(a: (n + 4).(m + 4).f32): n.m.f32 = a |> mean3 |> mean3";
    let of_two = "the result is a pair of arrays, and a pipeline has one";
    let shared = "(a: 3.n.m.f32): 3.n.m.f32 =
      let l = mean3 (idx (natAsIndex 3 1) a |> map (padClamp 1 1) |> padClamp 1 1)
      a |> map (\\c. both (\\x y. x / y) c l)";
    for (program, strategy, told) in [
        (
            shared,
            "bufferedPipeline(4, 8)",
            "or over pictures that are not each computed of windows of their own lines",
        ),
        (one, items, "this is no map over lines, and tiles have rows and columns"),
        (one, "stagesOnItems", "this is no map over lines, and tiles have rows and columns"),
        (one, "lineOnItems", "it is not known that there are more than 65535 numbers here"),
        (long, "lineOnItems(8, 9)", "windows of more than 9 numbers are shown here"),
        (blurs, "lineOnItems", "this is no line of numbers: `stagesOnItems` is for pictures"),
        (blurs, "stagesOnItems", "it is not known that there are more than 511 rows here"),
        (blurs, "stagesOnItems(6, 4, 50)", "more than 50 rows here"),
        (blurs, "rotatedPipeline(8, 8, 20)", "blocks of 20 elements are no whole vectors of 8"),
        (space, items, "windows are of three dimensions here, and tiles have rows and columns"),
        (beside, items, "nor one that computes each element of one window, of more than 3 rows and columns"),
        (guided, items, "strips go through stages one behind the other"),
        (two, "bufferedPipeline(8, 8)", of_two),
        (two, "rotatedPipeline(8, 8)", of_two),
        (two, "fuseOperators ; splitPipeline(8)", of_two),
        (blurs, "bufferedPipeline(0, 8)", "0 is no length of a vector: lengths are numbers from 2"),
        (blurs, "bufferedPipeline(1, 8)", "1 is no length of a vector"),
        (blurs, "bufferedPipeline(n, 8)", "n is no length of a vector"),
        (blurs, "rotatedPipeline(m + 4, 8)", "m + 4 is no length of a vector"),
        (blurs, "fuseOperators ; vectorizeReductions(n)", "n is no length of a vector"),
    ] {
        let err = fails(program, strategy);
        assert!(err.contains(told), "{strategy}: {err}");
    }
}

/// The rows of elements that lines in space have are not kept by each work-item.
#[test]
fn stages_in_space_share_out_all_dimensions() {
    let dir = world();
    let text = "
      def mean27 (a: (n + 2).(m + 2).(k + 2).f32): n.m.k.f32 =
        a |> map (map (slide 3 1)) |> map (slide 3 1) |> slide 3 1
        |> map transpose |> map (map (map transpose)) |> map (map transpose)
        |> map (map (map (\\w. reduce (+) 0 (join (join w)) / 27)))
      def twice (a: (n + 4).(m + 4).(k + 4).f32): n.m.k.f32 = a |> mean27 |> mean27\n";
    let file = write(dir.path(), "twice.rise", text);
    let sizes = ["--size", "n=600", "--size", "m=600", "--size", "k=256"];
    let ran = run(dir.path(), &[&["apply", &file, "-s", "auto(opencl)"][..], &sizes].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.matches("mapGlobal 2").count(), 2, "{}", ran.out);
    // Without loops, of which compilers for processors would make no vectors.
    assert!(ran.out.contains("mapSeqUnroll") && !ran.out.contains("iterateStream"), "{}", ran.out);
}

#[test]
fn a_worker_that_is_none_is_a_fault_of_the_environment() {
    let dir = world();
    let file = write(dir.path(), "dot.rise", DOT);
    for (worker, code) in
        [("false", "E0706"), ("no-such-command", "E0706"), ("head -c 100 /dev/zero", "E0714")]
    {
        let ran = run(dir.path(), &["bench", &file, "--size", "k=64", "--worker", worker]);
        refused(&ran, 3, code);
        assert!(code != "E0706" || ran.err.contains(&format!("`{worker}`")), "{}", ran.err);
        let ran = run(dir.path(), &["tune", &file, "--size", "k=64", "--for", "5s", "--worker", worker]);
        refused(&ran, 3, code);
        // Of this machine nothing is said in its place.
        refused(&run(dir.path(), &["devices", "--worker", worker]), 3, code);
        let ran = run(dir.path(), &["doctor", "--worker", worker]);
        let told = ran.out.contains("WRONG    worker ") && !ran.out.contains("Install a C compiler");
        assert!(ran.code == 3 && told, "{}{}", ran.out, ran.err);
    }
    // In line mode, too, the reason stands where devices would.
    let mut line = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    line.args(["line", &file, "--worker", "false"]).current_dir(dir.path());
    line.env("SHINE_STATE_DIR", dir.path().join("state")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = line.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"device\n").unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert!(ran.out.contains("the worker that `false` is to start has not answered"), "{}", ran.out);
    // A worker that nobody asks says so.
    let ran = run(dir.path(), &["worker"]);
    assert!(ran.code == 1 && ran.err.contains("[E0714]: No question"), "{}", ran.err);
    let ran =
        run(dir.path(), &["tune", &file, "--size", "k=64", "--for", "1s", "--worker", "exec sleep 1000"]);
    refused(&ran, 1, "E0317");
    assert!(
        ran.err.contains("the worker that `exec sleep 1000` is to start has not answered"),
        "{}",
        ran.err
    );
}

/// Where a strategy of the library fails in a question, the question is told, and not only the part of the program that answered it.
#[test]
fn a_question_that_is_answered_in_the_negative_is_told() {
    let dir = world();
    let apply = |strategy: &str| {
        let ran = run(
            dir.path(),
            &["apply", &kernels("jacobi2d/jacobi2d.rise").display().to_string(), "-s", strategy],
        );
        assert_eq!(ran.code, 1, "{}", ran.err);
        ran.err
    };
    let told = apply("topDown(readsStages)");
    let question =
        "`readsStages` asks: Is this a map over windows of what another map computes? Here the answer is no.";
    assert!(told.contains(question) && told.contains("end: `readsStages` does not hold: found "), "{told}");
    let told = apply("stagesOnItems");
    assert!(told.contains("this is neither a map over windows of what another map computes nor"), "{told}");
}

/// What the system does not write is the environment's, whoever asks, and the hint names the option that was used; what is in
/// the way is not. Folders that are not there are made.
#[test]
fn what_cannot_be_written_is_told_alike() {
    let dir = world();
    write(dir.path(), "dot.rise", DOT);
    write(dir.path(), "file", "");
    let session = run(dir.path(), &["apply", "dot.rise", "-s", "id", "--session", "new/folder/s.ron"]);
    assert_eq!(session.code, 0, "{}", session.err);
    let commands: [(&[&str], &str); 5] = [
        (&["compile", "dot.rise", "-o"], "-o"),
        (&["export", "dot.rise", "--folder"], "--folder"),
        (&["export", "dot.rise", "--html"], "--html"),
        (&["replay", "new/folder/s.ron", "--junit"], "--junit"),
        (&["man", "--folder"], "--folder"),
    ];
    for (command, option) in commands {
        for (place, exit, code) in
            [("/proc/none/x", 3, "E0906"), ("file/x", 2, "E0918"), ("made/of/x", 0, "")]
        {
            let place = if exit == 0 { format!("{place}{}", option.len()) } else { place.to_owned() };
            let ran = run(dir.path(), &[command, &[&place]].concat());
            if exit == 0 {
                assert_eq!(ran.code, 0, "{command:?}: {}", ran.err);
                assert!(dir.path().join(&place).exists(), "{command:?}");
                continue;
            }
            refused(&ran, exit, code);
            assert!(ran.err.contains(&format!("`{option}`")), "{command:?}: {}", ran.err);
        }
        let _ = std::fs::remove_dir_all(dir.path().join("made"));
    }
    // A program that is put into its layout is not lost where there is no room.
    let text = "def f (a : n.f32)=a\n";
    write(dir.path(), "f.rise", text);
    assert_eq!(run(dir.path(), &["fmt", "f.rise"]).code, 0);
    assert!(std::fs::read_to_string(dir.path().join("f.rise")).unwrap() != text);
}

/// A word that was meant for a command, and a command behind its program.
#[test]
fn a_mistyped_command_is_named() {
    let dir = world();
    write(dir.path(), "dot.rise", DOT);
    for (args, said) in [
        (&["comple", "dot.rise"][..], "There is no command `comple`."),
        (&["comple", "dot.rise"], "Did you mean the command `compile`?"),
        (&["check", "dot.rise"], "Did you mean the command `compile`?"),
        (&["version"], "`shine-tui --version`"),
        (&["vresion"], "`shine-tui --version`"),
        (&["version", "--json"], "`shine-tui --version`"),
        (&["help", "me"], "There is no command `me`."),
        (&["help", "bnech"], "Did you mean the command `bench`?"),
        (&["nothing-like-it"], "There is neither a file nor a command `nothing-like-it`."),
        (&["nothing-like-it", "dot.rise"], "`shine-tui --help` lists the commands."),
        (&["comple"], "Did you mean the command `compile`?"),
        (&["dot.rise", "compile"], "Write `shine-tui compile dot.rise`."),
        (&["bench", "dot.rise", "--size", "k", "1000"], "Write `--size k=1000`."),
        (&["bench", "dot.rise", "--size", "k=2^20"], "write 1048576."),
        (&["run", "dot.rise", "a.npy"], "`--input NAME=a.npy`"),
        (&["compile", "dot.rise", "-o", "out.c"], "`shine-tui compile dot.rise --emit c > out.c`"),
        (&["export", "dot.rise"], "--html <FILE>|--folder <DIR>"),
    ] {
        let ran = run(dir.path(), args);
        refused(&ran, 2, "E0901");
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
    }
    // What was meant by these is no value of a size and no strategy.
    for args in [&["bench", "dot.rise", "--size", "k=64", "--runs"][..], &["compile", "dot.rise", "dot.rise"]]
    {
        let ran = run(dir.path(), args);
        refused(&ran, 2, "E0901");
        assert!(!ran.err.contains("hint:"), "{args:?}: {}", ran.err);
    }
}

/// The session of a program that was changed replays as it was, and says that the file beside it is another one by now.
#[test]
fn a_replay_says_what_was_changed_beside_it() {
    let dir = world();
    write(dir.path(), "dot.rise", DOT);
    let ran = run(dir.path(), &["apply", "dot.rise", "-s", "id", "--session", "s.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let replay = |world: &Path| {
        let ran = run(world, &["replay", "s.ron"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        ran.out.contains("another text now")
    };
    // On a machine that does not know it, by the name of the file alone.
    let other = world();
    let copy = |name: &str| {
        std::fs::copy(dir.path().join(name), other.path().join(name)).unwrap();
    };
    ["dot.rise", "s.ron"].into_iter().for_each(copy);
    assert!(!replay(dir.path()) && !replay(other.path()));
    for world in [dir.path(), other.path()] {
        write(world, "dot.rise", DOT.replace("fst p *", "2 * fst p *"));
        assert!(replay(world));
        // With what is there now it leads elsewhere, which a report says, too.
        let now = run(world, &["replay", "s.ron", "--files", "--junit", "r.xml"]);
        assert!(now.code == 1 && now.out.contains("what is there now"), "{}{}", now.out, now.err);
        let report = std::fs::read_to_string(world.join("r.xml")).unwrap();
        assert!(report.contains("<failure") && report.contains("<system-out>note: "), "{report}");
        let broken = |text: String| {
            write(world, "dot.rise", text);
            run(world, &["replay", "s.ron", "--files"]).code
        };
        assert_eq!((broken(DOT.replace("zip", "nosuch")), broken(DOT.replace("map", " map"))), (2, 0));
        std::fs::remove_file(world.join("dot.rise")).unwrap();
        assert!(!replay(world));
        // What is not there cannot be taken.
        let gone = run(world, &["replay", "s.ron", "--files"]);
        assert!(gone.code == 2 && gone.err.contains("`dot.rise` cannot be read"), "{}{}", gone.out, gone.err);
    }
    // The program was moved beside its session: it is found there, although it is known where it was.
    let moved = world();
    std::fs::create_dir(moved.path().join("old")).unwrap();
    write(moved.path(), "old/dot.rise", DOT);
    let ran = run(moved.path(), &["apply", "old/dot.rise", "-s", "id", "--session", "s.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    std::fs::remove_file(moved.path().join("old/dot.rise")).unwrap();
    write(moved.path(), "dot.rise", DOT.replace("fst p *", "2 * fst p *"));
    assert!(replay(moved.path()));
    // What gives sizes to programs lies among them, and is no session.
    write(moved.path(), "sizes.ron", "{ \"k\": 64 }");
    let ran = run(moved.path(), &["replay", "s.ron", "sizes.ron", "--junit", "r.xml"]);
    let told = "sizes.ron: gives sizes to programs and is no session; it is left out\n";
    assert_eq!((ran.code, ran.err.as_str()), (0, told), "{}", ran.out);
    assert!(!std::fs::read_to_string(moved.path().join("r.xml")).unwrap().contains("sizes.ron"));
    assert_eq!(run(moved.path(), &["replay", "sizes.ron"]).code, 2);
    // Taken up, it is what the session holds.
    let ran = run(moved.path(), &["replay", "s.ron", "--files", "--bless"]);
    assert!(ran.code == 0 && ran.out.contains("written: s.ron"), "{}{}", ran.out, ran.err);
    assert!(!replay(moved.path()));
}

/// What a file of rules imports is read with it, also where only the rules are looked at.
#[test]
fn imports_of_rules_are_read_wherever_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("more")).unwrap();
    write("wrong.rules", "import nope.nope\nrule a = (x: f32) ~> x");
    write("more/wrong.rules", "import nope.nope\nrule a = (x: f32) ~> x");
    write("right.rules", "import other\nrule a = (x: f32) ~> x");
    write("other.rules", "rule b = (y: f32) ~> y");
    let run = |args: &[&str]| run(folder.path(), args);
    for args in [
        &["rules", "check", "wrong.rules"][..],
        &["rules", "lint", "wrong.rules"],
        &["rules", "--rules", "more"],
        &["strategies", "--rules", "more"],
    ] {
        refused(&run(args), 2, "E0034");
    }
    // Those that it imports are not asked for, unless they are named too, by whatever path.
    assert!(run(&["rules", "check", "right.rules"]).out.contains("1 rule is proved"));
    for both in [["right.rules", "./other.rules"], ["./other.rules", "right.rules"]] {
        let ran = run(&["rules", "check", both[0], both[1]]);
        assert!(ran.out.contains("2 rules are proved"), "{}{}", ran.out, ran.err);
    }
}

/// A name may have any length that a file may have.
#[test]
fn long_names_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let name = "r".repeat(70_000);
    std::fs::create_dir(folder.path().join("own")).unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
    write("own/q.rules", &format!("rule {name} = (x: f32) ~> x"));
    write("own/s.elevate", &format!("strategy s{name} = id"));
    write("p.rise", &format!("pattern {name} : f32 -> f32 = \\x. x\ndef p (x: f32): f32 = x"));
    for args in [
        &["rules", "check", "own/q.rules"][..],
        &["rules", "lint", "own/q.rules"],
        &["rules", "--rules", "own"],
        &["strategies", "--rules", "own"],
        &["patterns", "--program", "p.rise"],
    ] {
        let ran = run(folder.path(), args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        // Nothing else is moved to the right by it.
        let is_wide = |line: &&str| line.len() > 10_000 && !line.contains(&name);
        assert_eq!(ran.out.lines().find(is_wide), None, "{args:?}");
    }
}

/// What a program imports, and rules of other folders, are taken from below a session's folder where this machine does not know them.
/// Nothing outside of it is.
#[test]
fn a_clone_replays_with_the_modules_that_it_has() {
    let dir = world();
    let (module, rule) = ("strategy ownFuse = topDown(mapFusion)\n", "rule swap = (x: f32) + y ~> y + x\n");
    let files = [
        ("p/two.rise", "def two (a: n.f32): n.f32 = a |> map (\\x. x * 2) |> map (\\x. x + 1)\n"),
        ("p/two.elevate", "import lib.own\nstrategy mine = ownFuse ; topDown(swap)\n"),
        ("p/lib/own.elevate", module),
        ("extra/own.rules", rule),
    ];
    for (file, text) in files {
        std::fs::create_dir_all(dir.path().join(file).parent().unwrap()).unwrap();
        write(dir.path(), file, text);
    }
    let made =
        run(dir.path(), &["apply", "p/two.rise", "--rules", "extra", "-s", "mine", "--session", "s.ron"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let clone = world();
    let at = clone.path();
    for (from, to) in [
        ("s.ron", "s.ron"),
        ("p/two.rise", "two.rise"),
        ("p/two.elevate", "two.elevate"),
        ("p/lib/own.elevate", "lib/own.elevate"),
        ("extra/own.rules", "extra/own.rules"),
    ] {
        std::fs::create_dir_all(at.join(to).parent().unwrap()).unwrap();
        std::fs::copy(dir.path().join(from), at.join(to)).unwrap();
    }
    let replay = |more: &[&str]| run(at, &[&["replay", "s.ron", "--files"], more].concat());
    let as_it_was = replay(&[]);
    assert!(as_it_was.code == 0 && !as_it_was.out.contains("there is no file"), "{}", as_it_was.out);
    // Another strategy leads elsewhere, and is named as the likely cause.
    write(at, "lib/own.elevate", "strategy ownFuse = id\n");
    let ran = replay(&[]);
    assert!(
        ran.code == 1 && ran.out.contains("likely cause: What is in `lib/own.elevate` now"),
        "{}",
        ran.out
    );
    write(at, "lib/own.elevate", module);
    // So is a rule that is not there, which did not change.
    write(at, "extra/own.rules", "rule other = (x: f32) + y ~> y + x\n");
    let ran = replay(&[]);
    assert!(ran.code == 1 && ran.out.contains("There is no rule `swap` any more."), "{}", ran.out);
    // What has errors is no text to replay, nor to take up.
    write(at, "extra/own.rules", "rule swap = (x: f32) + ~> y + x\n");
    for ran in [replay(&[]), replay(&["--bless"]), replay(&["--repair"])] {
        assert!(ran.code == 2 && ran.err.contains("own.rules"), "{} {}{}", ran.code, ran.out, ran.err);
    }
    // Texts that lead to the same are shown when they are taken up, and need no repair.
    write(at, "extra/own.rules", format!("--| The other way round.\n{rule}"));
    let ran = replay(&["--repair"]);
    assert!(
        ran.code == 0 && ran.out.contains("nothing to repair") && !at.join("s.repaired.ron").exists(),
        "{}",
        ran.out
    );
    let ran = replay(&["--bless"]);
    assert!(
        ran.code == 0
            && ran.out.contains("extra/own.rules` is taken up")
            && ran.out.contains("The other way round"),
        "{}",
        ran.out
    );
    // A link leads out of the folder.
    let elsewhere = world();
    write(elsewhere.path(), "own.elevate", "strategy ownFuse = id\n");
    std::fs::remove_dir_all(at.join("lib")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), at.join("lib")).unwrap();
    let ran = replay(&[]);
    assert!(ran.code == 0 && ran.out.contains("there is no file for `p/lib/own.elevate`"), "{}", ran.out);
}

/// What was recorded is taken again as it was, however a search came to it, and whatever form the program has then.
#[test]
fn what_was_recorded_replays() {
    let dir = world();
    write(dir.path(), "two.rise", "def two (a: n.f32): n.f32 = a |> map (\\x. x * 2) |> map (\\x. x + 1)");
    write(dir.path(), "one.rise", "def one (a: n.f32): n.f32 = a |> map (\\x. x + 1)");
    let sum = "def sum (w: k.f32) (a: m.k.f32): m.f32 =\n  a |> map (\\r. zip r w |> map (\\p. fst p * snd p) |> reduce (+) 0)";
    write(dir.path(), "sum.rise", sum);
    for (file, strategies) in [
        // Not all of its parameters are written out then.
        ("one.rise", vec!["etaReduction"]),
        // A guide leads to what is like the goal with another size in the place of the hole.
        ("sum.rise", vec!["reach containsReduceSeq(k/?u, ?)"]),
        // It is not the first that is taken, and the program is like the goal before the last search.
        ("two.rise", vec!["reach containsMap(4, ?) with (best: 4, rank: 2)"]),
        // What the first leaves is not taken for what the second made.
        ("two.rise", vec!["reach containsMap(4, ?) ; reach contains(mapPar)"]),
    ] {
        let mut apply = vec!["apply", file, "--session", "s.ron"];
        strategies.iter().for_each(|strategy| apply.extend(["-s", strategy]));
        let made = run(dir.path(), &apply);
        assert_eq!(made.code, 0, "{strategies:?} {}", made.err);
        for way in [&["replay", "s.ron"][..], &["replay", "s.ron", "--search", "exact"]] {
            let again = run(dir.path(), way);
            assert!(
                again.code == 0 && again.out.contains("agrees"),
                "{strategies:?} {}{}",
                again.out,
                again.err
            );
        }
        let opened = run(dir.path(), &["apply", "s.ron"]);
        assert_eq!((opened.code, opened.out), (0, made.out), "{strategies:?} {}", opened.err);
        std::fs::remove_file(dir.path().join("s.ron")).unwrap();
    }
}

/// That a foreign function may not run is no divergence.
#[test]
fn a_replay_of_foreign_functions_says_how_they_are_allowed() {
    let dir = world();
    let text = "foreign def half (x: f32): f32 = \"return 0.5f * x;\"\ndef f (a: n.f32) = map half a";
    write(dir.path(), "f.rise", text);
    let ran =
        run(dir.path(), &["bench", "f.rise", "--size", "n=64", "--allow-foreign", "--session", "s.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let replay =
        |more: &[&str]| run(dir.path(), &[&["replay", "s.ron", "--level", "results"], more].concat());
    refused(&replay(&[]), 2, "E0189");
    assert!(replay(&[]).err.contains("--allow-foreign"));
    assert_eq!(replay(&["--allow-foreign"]).code, 0);
}

#[test]
fn what_was_written_by_hand_stays_beside_what_is_generated() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    std::fs::create_dir(dir.path().join("o")).unwrap();
    for (file, text) in [("o/dot.c", "int main(void) { return 0; }\n"), ("o/dot_host.c", "// mine\n")] {
        std::fs::write(dir.path().join(file), text).unwrap();
        let ran = run(dir.path(), &["compile", &dot, "-o", "o"]);
        refused(&ran, 2, "E0918");
        assert!(ran.err.contains("was not generated"), "{}", ran.err);
        assert_eq!(std::fs::read_to_string(dir.path().join(file)).unwrap(), text);
        std::fs::remove_file(dir.path().join(file)).unwrap();
    }
    for strategy in ["id", "auto"] {
        let ran = run(dir.path(), &["compile", &dot, "-o", "o", "-s", strategy]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

/// What was generated is replaced, for whichever target it was; what was changed after that is not.
#[test]
fn what_was_generated_is_replaced_until_somebody_changes_it() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let compile = |more: &[&str]| run(dir.path(), &[&["compile", &dot, "-o", "o"], more].concat());
    for more in [&[][..], &["--target", "opencl"], &["-s", "auto"]] {
        let ran = compile(more);
        assert_eq!(ran.code, 0, "{more:?}: {}", ran.err);
    }
    for name in ["o/dot.c", "o/dot.h", "o/dot.py", "o/dot_host.c"] {
        let file = dir.path().join(name);
        let text = std::fs::read_to_string(&file).unwrap();
        for changed in [format!("{text}\n"), text.replacen("dot", "dots", 1), text[1..].to_owned()] {
            std::fs::write(&file, &changed).unwrap();
            let ran = compile(&[]);
            refused(&ran, 2, "E0918");
            assert!(ran.err.contains(name) && ran.err.contains("was changed after that"), "{}", ran.err);
            assert_eq!(std::fs::read_to_string(&file).unwrap(), changed);
        }
        assert_eq!(compile(&["--force"]).code, 0);
    }
}

/// A report takes the place of an earlier one. Other files are not replaced unless that is forced, and no session that is
/// replayed is, by any of its names.
#[test]
fn a_report_replaces_reports_alone() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let session = run(dir.path(), &["apply", &dot, "-s", "id", "--session", "s.ron"]);
    assert_eq!(session.code, 0, "{}", session.err);
    std::fs::hard_link(dir.path().join("s.ron"), dir.path().join("other.ron")).unwrap();
    let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
    let junit =
        |file: &str, more: &[&str]| run(dir.path(), &[&["replay", "s.ron", "--junit", file], more].concat());
    for file in ["s.ron", "./s.ron", "other.ron"] {
        for more in [&[][..], &["--force"]] {
            let ran = junit(file, more);
            refused(&ran, 2, "E0918");
            assert!(ran.out.is_empty() && ran.err.contains("to be replayed"), "{}{}", ran.out, ran.err);
        }
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("s.ron")).unwrap(), log);
    let ran = junit("dot.rise", &[]);
    refused(&ran, 2, "E0918");
    assert!(ran.out.is_empty() && ran.err.contains("no report of a replay"), "{}{}", ran.out, ran.err);
    assert_eq!(std::fs::read_to_string(dir.path().join("dot.rise")).unwrap(), DOT);
    for more in [&[][..], &[]] {
        let ran = junit("report.xml", more);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    write(dir.path(), "old.txt", "old");
    assert_eq!(junit("old.txt", &["--force"]).code, 0);
    assert!(std::fs::read_to_string(dir.path().join("old.txt")).unwrap().starts_with("<?xml"));
    assert_eq!(run(dir.path(), &["replay", "s.ron", "--force"]).code, 2, "there is nothing to force");
}

/// What can be said of all sizes is said before any is measured; where that is not enough, what was measured is shown.
#[test]
fn a_sweep_that_fails_shows_what_it_has() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let ran = |more: &[&str]| run(dir.path(), &[&["bench", &dot, "--against", &dot], more].concat());
    for (more, code) in [
        (&["--sweep", "k=64,128,1099511627776"][..], "E0515"),
        (&["-s", "topDown(splitJoin(32))", "--sweep", "k=64,100,128"], "E0150"),
    ] {
        let ran = ran(more);
        refused(&ran, 2, code);
        assert!(ran.out.is_empty(), "nothing was measured: {}", ran.out);
    }
    // Only a run tells what a foreign function does.
    let text = "foreign def late (x: f32): f32 = \"if (x > 3000.0f) { __builtin_trap(); } return x;\"
def f (a: n.f32): f32 = a |> map (\\x. 1) |> reduceSeq (\\acc x. late (acc + x)) 0
";
    let late = write(dir.path(), "late.rise", text);
    let sweep = ["bench", &late, "--against", &late, "--allow-foreign", "--sweep", "n=64,4096"];
    let ran = run(dir.path(), &sweep);
    assert!(ran.code != 0 && ran.err.starts_with("error[E"), "{}", ran.err);
    assert!(ran.out.contains("n=64 ") && !ran.out.contains("n=4096"), "{}", ran.out);
    let ran = run(dir.path(), &[&sweep[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(ran.code != 0 && json["points"].as_array().unwrap().len() == 1, "{}", ran.out);
}

/// A file that does not begin as a session does is nothing to go on with.
#[test]
fn what_is_no_session_is_not_listed_as_one() {
    let dir = world();
    let dot = write(dir.path(), "dot.rise", DOT);
    let session = run(dir.path(), &["apply", &dot, "-s", "id", "--session", "s.ron"]);
    assert_eq!(session.code, 0, "{}", session.err);
    std::fs::create_dir_all(dir.path().join("state/sessions")).unwrap();
    let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(dir.path().join("state/sessions/noise.ron"), noise).unwrap();
    let ran = run(dir.path(), &["sessions"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("?  (damaged: ") && ran.out.contains("(1 action)"), "{}", ran.out);
    let listed: serde_json::Value =
        serde_json::from_str(&run(dir.path(), &["sessions", "--json"]).out).unwrap();
    // A line break in a name begins no line of the list.
    let broken = write(dir.path(), "two\nlines.rise", DOT);
    assert_eq!(run(dir.path(), &["apply", &broken, "-s", "id", "--session", "t.ron"]).code, 0);
    let ran = run(dir.path(), &["sessions"]);
    assert!(ran.out.contains("two\\u{a}lines.rise"), "{}", ran.out);
    let noise = listed.as_array().unwrap().iter().find(|s| s["program"].is_null()).unwrap();
    assert_eq!((&noise["state"], &noise["actions"]), (&"damaged".into(), &0.into()), "{listed}");
}

/// gcc 12.2 adds other elements than these loops do, unless it leaves them as they are; other compilers are right.
#[test]
fn sums_that_do_not_read_from_front_to_back_are_right() {
    let dir = world();
    let sums = [
        r"a |> split 2 |> map reverse |> join |> reduce (+) 0",
        r"a |> split 4 |> reduceSeq (\s r. reduceSeq (+) s (reverse r)) 0",
        r"a |> split 4 |> reduceSeq (\s r. reduceSeqUnroll (+) s (reverse r)) 0",
        r"a |> split 4 |> reduceSeq (\s r. s + idx 1 r + idx 0 r + idx 3 r + idx 2 r) 0",
        r"a |> split 4 |> map (\r. [idx 1 r, idx 0 r, idx 3 r, idx 2 r]) |> join |> reduce (+) 0",
        r"a |> split 4 |> reduceSeq (\s r. r |> split 2 |> map reverse |> reduceSeq (\t q. reduceSeq (+) t q) s) 0",
    ];
    for sum in sums {
        let file = write(dir.path(), "f.rise", format!("def f (a: (8*n).f32): f32 = {sum}\n"));
        let ran = run(dir.path(), &["bench", &file, "--size", "n=25"]);
        assert_eq!(ran.code, 0, "{sum}: {}", ran.err);
        assert!(run(dir.path(), &["compile", &file]).out.contains("__asm__ volatile"), "{sum}");
    }
    let file = write(dir.path(), "f.rise", "def f (a: n.m.f32): f32 = a |> join |> reduce (+) 0\n");
    assert!(!run(dir.path(), &["compile", &file]).out.contains("__asm__"), "this one is right");
    // Sums side by side, of elements that lie anywhere.
    let file = write(
        dir.path(),
        "f.rise",
        "def f (a: w.n.f32) (i: w.n.idx[m]) (x: m.f32): n.f32 = zip (transpose a) (transpose i)
           |> map (\\r. zip (fst r) (gather (snd r) x) |> map (\\p. fst p * snd p) |> reduce (+) 0)\n",
    );
    let sizes = ["-s", "auto", "--size", "w=16", "--size", "n=1000", "--size", "m=500"];
    let with = |command: &str| run(dir.path(), &[&[command, &file][..], &sizes].concat());
    let (compiled, ran) = (with("compile"), with("bench"));
    assert!(compiled.out.contains("] += ") && !compiled.out.contains("__asm__"), "{}", compiled.out);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_is_left_of_an_array_may_be_nothing() {
    let dir = world();
    for (program, code) in [
        ("def f (a: n.f32): n.f32 = a |> padClamp 0 0 |> map abs |> take n", 0),
        ("def f (a: 8.f32): 8.f32 = a |> take 8", 0),
        ("def f (a: n.f32): f32 = reduce (+) 0 (drop n a)", 2),
        ("def f (a: 8.f32): 9.f32 = a |> take 9", 2),
    ] {
        let file = write(dir.path(), "f.rise", program);
        let ran = run(dir.path(), &["compile", &file]);
        assert_eq!(ran.code, code, "{program}: {}", ran.err);
    }
}

/// Why a rule does not apply names the rewrite that makes room for it, which does.
#[test]
fn what_makes_room_for_a_rule_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def f (a: (4*n).f32): (4*n).f32 = a |> map sqrt |> split 4 |> join |> map abs";
    std::fs::write(dir.path().join("p.rise"), program).unwrap();
    let ran = run(dir.path(), &["apply", "p.rise", "-s", "topDown(mapFusion)"]);
    let said = "`mapFusion` applies at 0 once `removeSplitJoin` was applied at 0.1.";
    assert!(ran.code == 1 && ran.err.contains(said), "{}", ran.err);
    let ran = run(dir.path(), &["apply", "p.rise", "-s", "topDown(removeSplitJoin) ; mapFusion @ topDown"]);
    assert!(ran.code == 0 && ran.out.contains("abs (sqrt"), "{}{}", ran.out, ran.err);
    // Not of what steps had made that were taken back.
    let program = "def f (a: 64.f32): 64.f32 = a |> map sqrt |> map abs";
    std::fs::write(dir.path().join("p.rise"), program).unwrap();
    for strategy in [
        "topDown(mapFusion ; mapFusion)",
        "mapFusion @ outermost(mapFusion)",
        "(useMapPar ; useMapPar) @ topDown",
    ] {
        let ran = run(dir.path(), &["apply", "p.rise", "-s", strategy]);
        assert!(ran.code == 1 && !ran.err.contains("once"), "{strategy}: {}", ran.err);
    }
}

/// Tiles may be larger than the sizes that are tried first.
#[test]
fn what_is_cut_into_large_tiles_is_compared_with_the_interpreter() {
    let dir = world();
    write(dir.path(), "f.rise", "def f (a: n.f32): n.f32 = a |> map (\\x. x * 2)");
    let tiled = ["bench", "f.rise", "-s", "topDown(splitJoin(1000))", "--size", "n=300000"];
    let ran = run(dir.path(), &tiled);
    assert!(
        ran.code == 0 && ran.out.contains("agrees with the interpreter at n=1000"),
        "{}{}",
        ran.out,
        ran.err
    );
}

/// The likely cause of other code is the program's text, which gives it its names; of code that is as recorded and computes something
/// else, what compiles it.
#[test]
fn other_code_and_other_results_have_their_likely_causes() {
    let dir = world();
    let at = dir.path();
    let program = |input: &str| format!("def f ({input}: n.f32): n.f32 = {input} |> map (\\x. x * 2)");
    write(at, "p.rise", program("a"));
    let strategy = ["-s", "topDown(useMapSeq)", "--size", "n=64", "--session"];
    assert_eq!(run(at, &[&["compile", "p.rise"][..], &strategy, &["c.ron"]].concat()).code, 0);
    assert_eq!(run(at, &[&["bench", "p.rise"][..], &strategy, &["b.ron"]].concat()).code, 0);
    write(at, "p.rise", program("input"));
    for (session, what) in
        [("c.ron", "the generated code is another one"), ("b.ron", "the measured kernel is another one")]
    {
        let ran = run(at, &["replay", session, "--files", "--level", "kernels"]);
        let told = [what, "likely cause: What is in `", "/p.rise` now is another text"];
        assert!(ran.code == 1 && told.iter().all(|told| ran.out.contains(told)), "{}", ran.out);
        assert_eq!(run(at, &["replay", session, "--level", "kernels"]).code, 0);
    }
    // A compiler that takes other numbers.
    let compiler = at.join("cc");
    let text = "#!/bin/sh\nfor file; do case $file in *.c) sed -i 's/2\\.0f/2.5f/g' \"$file\";; esac; done\nexec gcc \"$@\"\n";
    std::fs::write(&compiler, text).unwrap();
    std::fs::set_permissions(&compiler, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let compiler = compiler.to_str().unwrap();
    let ran = run_with(at, &["replay", "b.ron", "--level", "results"], &[("CC", compiler)]);
    let told = ["the kernel computes something else", "likely cause: The code is as recorded"];
    assert!(ran.code == 1 && told.iter().all(|told| ran.out.contains(told)), "{}{}", ran.out, ran.err);
}

/// Of a sketch that a program is not in it is told which parts there are, and the rewrite by which the program comes to be in it.
#[test]
fn what_a_program_lacks_of_a_sketch_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def f (m: a.b.f32): a.f32 = m |> map (reduce (+) 0)";
    std::fs::write(dir.path().join("p.rise"), program).unwrap();
    let said = |strategy: &str| {
        let ran = run(dir.path(), &["apply", "p.rise", "-s", strategy]);
        assert_eq!(ran.code, 1, "{strategy}: {}", ran.out);
        ran.err
    };
    let told = said("satisfies containsMapPar(a, containsReduce(b, ?))");
    for part in [
        "Nothing in it is like `containsMapPar(a, containsReduce(b, ?))`.",
        "In it there is something like `containsReduce(b, ?)`, at ",
        "The term is in the sketch once `useMapPar` was applied at 0.",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let ran = run(
        dir.path(),
        &["apply", "p.rise", "-s", "body(useMapPar) ; satisfies containsMapPar(a, containsReduce(b, ?))"],
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    // One rewrite is a part of the way, and it is told of the term that the steps before have made.
    let both = "satisfies containsMapPar(a, containsReduceSeq(b, ?))";
    assert!(
        said(both).contains("Once `useMapPar` was applied at 0, 1 of 2 nested `contains` hold."),
        "{}",
        said(both)
    );
    let told = said(&format!("topDown(useMapPar) ; {both}"));
    assert!(told.contains("1 of 2 nested `contains` hold of it."), "{told}");
    assert!(told.contains("once `useReduceSeq` was applied at"), "{told}");
    let told = said("satisfies contains(gather ? (scatter ? ?))");
    assert!(!told.contains("once `"), "{told}");
}

/// What no rule of a search makes has a rule in the library.
#[test]
fn the_rule_that_a_search_lacks_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def f (m: a.b.f32): a.f32 = m |> map (reduce (+) 0)";
    std::fs::write(dir.path().join("p.rise"), program).unwrap();
    let search = "reach containsMapPar(a, containsReduceSeq(b, ?)) using";
    let said = "The library has `useReduceSeq`, which makes `reduceSeq`.";
    for command in ["search", "apply"] {
        let strategy = format!("{search} {{useMapPar}}");
        let way: &[&str] = if command == "apply" { &["-s", &strategy] } else { &[&strategy] };
        let ran = run(dir.path(), &[&[command, "p.rise"], way].concat());
        assert!(ran.code == 1 && ran.err.contains(said), "{command}: {}", ran.err);
    }
    let ran = run(dir.path(), &["search", "p.rise", &format!("{search} {{useMapPar, useReduceSeq}}")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// What was asked as JSON is printed as JSON, whatever is asked for.
#[test]
fn every_stage_and_the_files_of_a_folder_are_printed_as_json() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.rise"), "def f (m: a.f32): f32 = m |> reduce (+) 0").unwrap();
    let json = |args: &[&str]| -> serde_json::Value {
        let ran = run(dir.path(), &[&["compile", "p.rise", "--json"], args].concat());
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{args:?}: {}{}", ran.out, ran.err))
    };
    for stage in ["rise", "loops"] {
        let printed = run(dir.path(), &["compile", "p.rise", "--emit", stage]).out;
        let told = json(&["--emit", stage]);
        assert_eq!(told["target"], "c");
        assert_eq!(told["stages"][stage].as_str().unwrap().trim_end(), printed.trim_end());
    }
    let told = json(&["-o", "out"]);
    let files: Vec<&str> = told["files"].as_array().unwrap().iter().filter_map(|f| f.as_str()).collect();
    assert!(told["entry"] == "f" && files.contains(&"out/f.c"), "{told}");
    assert!(files.iter().all(|file| dir.path().join(file).is_file()), "{files:?}");
}

/// What overflows in the program as written does in its kernel as well; double precision, which it is compared with, has room for
/// it. A kernel that is wrong elsewhere, or that overflows by itself, is wrong.
#[test]
fn what_overflows_as_written_is_not_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let wrong = "rule spoil = map (f : f32 -> f32) (xs : (n + 1).f32)
  ~> concat (map (\\x. f x + 1.0) (take 1 xs)) (map f (drop 1 xs))
rule large = map (f : f32 -> f32) (xs : n.f32)
  ~> map (\\x. f x + 300000000000000000000000000000000000000.0 + 300000000000000000000000000000000000000.0) xs\n";
    std::fs::write(dir.path().join("wrong.rules"), wrong).unwrap();
    let ran = |program: &str, data: &str, more: &[&str]| {
        std::fs::write(dir.path().join("p.rise"), program).unwrap();
        std::fs::write(dir.path().join("a.txt"), data).unwrap();
        let all = ["run", "p.rise", "--rules", ".", "--input", "a=a.txt"];
        run(dir.path(), &[&all[..], more].concat())
    };
    for (program, data, result) in [
        (
            "def f (a: n.f32) = let e = map exp a in let s = reduce (+) 0 e in map (\\x. x / s) e",
            "100 0 1",
            "[NaN, 0.0, 0.0]",
        ),
        ("def f (a: n.f32) = sqrt (reduce (+) 0 (map (\\x. x * x) a))", "3e20 4e20", "inf"),
        ("def f (a: n.f32) = a |> reduce (+) 0", "3e38 3e38 -3e38", "inf"),
        ("def f (a: n.f32) = map (\\x. x * x / x) a", "3e38 2e30 2", "[inf, inf, 2.0]"),
        ("def f (a: n.f16) = map (\\x. x * 1000 * 1000 / 1000) a", "1 100 0.01", "[inf, inf, 10."),
        ("def f (a: n.f16) = map (\\x. sqrt (x * x)) a", "300 2", "[inf, 2.0]"),
    ] {
        let ran = ran(program, data, &[]);
        assert!(ran.code == 0 && ran.out.contains(result), "{program}\n{}{}", ran.out, ran.err);
        assert!(ran.out.contains("overflow on the way"), "{program}\n{}", ran.out);
    }
    let squares = "def f (a: n.f32): n.f32 = map (\\x. x * x) a";
    for rule in ["body(spoil)", "body(large)"] {
        let ran = ran(squares, "2 3e38 1", &["-s", rule]);
        assert!(ran.code == 1 && ran.err.contains("E0820"), "{rule}: {}{}", ran.out, ran.err);
    }
}

/// A comparison, or what is cut off, may go the other way where sums are rounded otherwise. The program as written does that too,
/// on inputs that differ in their last digits; it does not make anything else of a few cells.
#[test]
fn cells_that_rounding_decides_are_not_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let bench = |program: &str, more: &[&str]| {
        std::fs::write(dir.path().join("p.rise"), program).unwrap();
        let all = ["bench", "p.rise", "--rules", "."];
        run(dir.path(), &[&all[..], more].concat())
    };
    let spoil = "rule spoil = map (f : f32 -> f32) (xs : (n + 1).f32)
  ~> concat (map (\\x. f x + 1.0) (take 1 xs)) (map f (drop 1 xs))\n";
    std::fs::write(dir.path().join("spoil.rules"), spoil).unwrap();
    let sums = "def f (a: n.m.f32): n.f32 = a |> map (\\r. floor (10 * reduce (+) 0 r))\n";
    let ran = bench(sums, &["-s", "auto", "--size", "n=12500", "--size", "m=1024"]);
    assert!(ran.code == 0 && ran.out.contains("agree with plain C"), "{}{}", ran.out, ran.err);
    let one = "def f (a: 6000000.f32): 6000000.f32 = a |> map (\\x. floor (10 * x))\n";
    let ran = bench(one, &["-s", "body(spoil)"]);
    let said = "1 of 6000000 cells are wrong.";
    assert!(ran.code != 0 && ran.err.contains("E0820") && ran.err.contains(said), "{}{}", ran.out, ran.err);
    // How often a point may be squared is decided by what the steps round, and not by the last digits of the point alone.
    for device in ["cpu".to_owned()].into_iter().chain(crate::device_common::opencl()) {
        let ran =
            bench(MANDELBROT, &["-s", "auto", "--size", "m=800", "--size", "n=800", "--device", &device]);
        assert!(ran.code == 0 && ran.out.contains("agree with plain C"), "{}{}", ran.out, ran.err);
    }
}

const MANDELBROT: &str = "def step (cx cy: f32) (s: (f32 * (f32 * i32))): (f32 * (f32 * i32)) =
  let (x, (y, n)) = s
  select (x*x + y*y <= 4) (x*x - y*y + cx, (2*x*y + cy, n + 1)) s
def f (cx: m.f32) (cy: n.f32): n.m.i32 = cy |> map (\\y. cx |> map (\\x.
  [(0, (0, 0))] |> iterate 50 (map (step x y)) |> idx (natAsIndex 1 0) |> snd |> snd))\n";

/// What is in the way of the function that chooses by the size is told before anything is measured; so is that there can be none.
#[test]
fn what_is_in_the_way_of_a_function_that_chooses_is_told_first() {
    let dir = world();
    write(dir.path(), "dot.rise", DOT);
    std::fs::create_dir(dir.path().join("out")).unwrap();
    write(dir.path(), "out/Makefile", "mine");
    let bench = |more: &[&str]| {
        let swept =
            ["bench", "dot.rise", "--against", "dot.rise", "--sweep", "k=64,128", "--dispatch", "out"];
        run(dir.path(), &[&swept[..], more].concat())
    };
    let ran = bench(&[]);
    refused(&ran, 2, "E0918");
    assert!(ran.out.is_empty() && ran.err.contains("out/Makefile"), "{}{}", ran.out, ran.err);
    let ran = bench(&["--device", "opencl:0"]);
    refused(&ran, 2, "E0917");
    assert!(ran.out.is_empty() && ran.err.contains("is OpenCL"), "{}{}", ran.out, ran.err);
    assert_eq!(std::fs::read_to_string(dir.path().join("out/Makefile")).unwrap(), "mine");
}

/// Sizes that are alike are given at once, as they are shown.
#[test]
fn sizes_that_are_alike_are_given_at_once() {
    let dir = world();
    write(dir.path(), "plus.rise", "def plus (a: n.m.f32): n.m.f32 = a |> map (map (\\x. x + 1))");
    let ran = run(dir.path(), &["compile", "plus.rise", "--size", "m=n=64"]);
    assert!(
        ran.code == 0 && ran.out.contains("n = 64") && ran.out.contains("m = 64"),
        "{}{}",
        ran.out,
        ran.err
    );
}

/// Where an array may have no element, there is none to pad with.
#[test]
fn padding_with_the_ends_asks_for_an_element() {
    let folder = tempfile::tempdir().unwrap();
    let text = "def f (a: n.f32) = padClamp 0 2 (take (4*(n div 4)) a)";
    std::fs::write(folder.path().join("f.rise"), text).unwrap();
    let done = run(folder.path(), &["compile", "f.rise"]);
    assert!(done.out.contains("// requires 1 <= 4*(n div 4)\n"), "{}{}", done.out, done.err);
    let done = run(folder.path(), &["bench", "f.rise", "--size", "n=3"]);
    assert!(done.code != 0 && done.err.contains("E0150"), "{}{}", done.out, done.err);
    // A rule that leaves the padding to a part that may have none asks for what it needs.
    let rule = "rule apart = padClamp l r (concat (xs : n.t) (ys : m.t)) ~> concat (padClamp l 0 xs) (padClamp 0 r ys)";
    std::fs::write(folder.path().join("apart.rules"), rule).unwrap();
    std::fs::write(
        folder.path().join("g.rise"),
        "def g (a: n.f32) = padClamp 1 2 (concat a (take (4*(n div 4)) a))",
    )
    .unwrap();
    let apply = ["apply", "g.rise", "--rules", ".", "-s", "topDown(apart)"];
    let done = run(folder.path(), &apply);
    assert!(done.out.contains("-- where 1 <= 4*(n div 4)"), "{}{}", done.out, done.err);
}

/// What a file of strategies says that means nothing is an error in every command that reads it, with its place.
#[test]
fn strategies_that_name_what_there_is_not_are_refused_where_they_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let program = write(dir.path(), "dot.rise", DOT);
    // The text, the code of what is wrong, and what is pointed at.
    let cases = [
        ("strategy broken = topDown(nosuch)", "E0301", "nosuch"),
        ("strategy broken = topDown(splitJoin(q))", "E0301", "q"),
        ("strategy broken = mapFusion ; nosuch(3)", "E0301", "nosuch"),
        ("strategy broken = topDown(splitJoin(4, 5))", "E0308", "5"),
        ("strategy broken = topDown(splitJoin)", "E0308", "splitJoin"),
        ("strategy broken = topDown(mapFusion, mapFusion)", "E0308", "mapFusion"),
        ("strategy broken = topDown(4)", "E0306", "4"),
        ("strategy broken = topDown(splitJoin(mapFusion))", "E0307", "mapFusion"),
        ("strategy broken = mapFusion @ topDown @ nosuch", "E0301", "nosuch"),
        ("strategy broken(x) = helper(x) where helper(y, z) = splitJoin(y)", "E0308", "helper(x)"),
        ("strategy twice(s) = s ; s\nstrategy broken = twice(tile)", "E0308", "tile"),
        ("strategy broken = reach containsMap(k, ?) using nosuchRules", "E0301", "nosuchRules"),
        ("strategy broken = reach containsMap(k, ?) using { splitJoin }", "E0210", "splitJoin"),
        ("strategy broken = reach containsMap(q, ?)", "E0403", "q"),
        ("strategy broken = reach nosuch(?)", "E0404", "nosuch"),
        ("sketch broken = contains(nosuch(?))", "E0404", "nosuch"),
        ("alias broken = nosuch", "E0301", "nosuch"),
    ];
    for (text, code, at) in cases {
        write(dir.path(), "dot.elevate", text);
        for command in [
            vec!["strategies", "--program", &program],
            vec!["rules", "--program", &program],
            vec!["compile", &program, "-s", "lowerSequential"],
            vec!["apply", &program, "-s", "id"],
        ] {
            let ran = run(dir.path(), &command);
            refused(&ran, 2, code);
            let line = ran.err.lines().find(|l| l.contains('^')).unwrap_or_default();
            let marks = line.chars().filter(|c| *c == '^').count();
            assert_eq!(marks, at.len(), "{text}: {command:?}\n{}", ran.err);
        }
    }
    // What is right stays right: parameters, sizes of the program, what is left open, what defines itself.
    let right = "strategy twice(s) = s ; s
strategy sized(x = 4) = splitJoin(x) <+ splitJoin(k) <+ splitJoin(x * 2)
strategy again(s) = try(s ; again(s))
strategy chosen = splitJoin(?tile in {4, 8}) ; choose(mapFusion, id)
strategy use = topDown(twice(sized)) ; topDown(sized(8)) ; again(mapFusion) ; chosen with (tile: 4)
strategy local(x) = helper(x, id) where helper(y, s) = splitJoin(y) ; s
strategy each([]) = id
strategy each(x :: xs) = splitJoin(x) ; each(xs)
strategy lists = each([2, 4]) ; (mapFusion @ topDown) ; isMap ; argumentOf(map, id) ; rightToLeft(splitJoin(4))
strategy looks(x) = reach containsMap(x, row(?)) using { splitJoin(x) }
sketch row(f) = contains(map f)
alias fuse = mapFusion
";
    write(dir.path(), "dot.elevate", right);
    let ran = run(dir.path(), &["strategies", "--program", &program]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = run(dir.path(), &["apply", &program, "-s", "topDown(splitJoin(99999999999999999999))"]);
    refused(&ran, 2, "E0307");
    assert!(ran.err.contains("too large"), "{}", ran.err);
    // Beside a program of fixed sizes stands what is meant for one with names; to use that is what is refused.
    let fixed = write(dir.path(), "fixed.rise", "def f (a: 16.f32): 16.f32 = a |> map sqrt");
    let named = "sketch goal = containsMap(m/4, ?)\nstrategy rows = topDown(splitJoin(m))\nstrategy go = reach containsMap(m, ?)";
    write(dir.path(), "fixed.elevate", named);
    let ran = run(dir.path(), &["apply", &fixed, "-s", "topDown(useMapPar)"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    refused(&run(dir.path(), &["apply", &fixed, "-s", "rows"]), 2, "E0301");
    refused(&run(dir.path(), &["apply", &fixed, "-s", "go"]), 2, "E0403");
    // Elsewhere the sizes of any program may be meant, and other names not.
    std::fs::remove_file(dir.path().join("dot.elevate")).unwrap();
    std::fs::create_dir(dir.path().join("own")).unwrap();
    write(dir.path(), "own/all.elevate", "strategy rows = topDown(splitJoin(cols))");
    let ran = run(dir.path(), &["apply", &program, "--rules", "own", "-s", "id"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    write(dir.path(), "own/all.elevate", "strategy rows = topDown(nosuch)");
    refused(&run(dir.path(), &["apply", &program, "--rules", "own", "-s", "id"]), 2, "E0301");
    // Sizes that were given count in sketches, and in what is made.
    let [by, k] = ["--size", "k=1024"];
    refused(&run(dir.path(), &["search", &program, "reach containsReduceSeq(k/3, ?)", by, k]), 1, "E0311");
    let ran = run(dir.path(), &["apply", &program, "-s", "topDown(splitJoin(3))", by, k]);
    assert!(
        ran.code == 0 && ran.err.contains("do not meet what the program asks: 3 divides k."),
        "{}",
        ran.err
    );
}

/// What no search ever finds is said without one.
#[test]
fn searches_for_what_never_comes_end_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let text = "def f (a: (2*n).m.f32): (2*n).m.f32 = a |> map (map sqrt) |> map (map abs)";
    let program = write(dir.path(), "f.rise", text);
    for (sketch, said, hint) in [
        ("map ? ?", "has type", "begins with `\\x.` for each argument"),
        ("map ? ? using { mapFusion }", "has type", "begins with `\\x.` for each argument"),
        ("contains(scanSeq ? ? ?)", "asks for `scanSeq`", "Leave it out of the sketch"),
        ("contains(sin) and contains(map ? ?)", "asks for `sin`", "Leave it out of the sketch"),
    ] {
        let began = std::time::Instant::now();
        let ran = run(dir.path(), &["apply", &program, "-s", &format!("reach {sketch}")]);
        refused(&ran, 1, "E0311");
        assert!(ran.err.contains(said) && ran.err.contains(hint), "{sketch}\n{}", ran.err);
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{sketch}: {:?}", began.elapsed());
    }
    // What the hints say leads on, and so does what only a procedure makes.
    for sketch in ["\\x. map ? ?", "contains(map ? ?)", "contains(vectorFromScalar ?) or contains(map ? ?)"] {
        let ran = run(dir.path(), &["apply", &program, "-s", &format!("reach {sketch}")]);
        assert_eq!(ran.code, 0, "{sketch}\n{}", ran.err);
    }
}

/// The hint where a pattern stands without all of its arguments is what leads on.
#[test]
fn a_pattern_is_asked_for_with_as_many_arguments_as_the_rule_takes() {
    let dir = tempfile::tempdir().unwrap();
    let asum = write(dir.path(), "asum.rise", "def asum (x: n.f32): f32 = map abs x |> reduce (+) 0");
    let parts = |p: &str| format!("topDown(reduceInParts(32)) ; topDown(reduceInParts(64)) @ outermost({p})");
    for asked in ["isReduce", "isApplied(isReduce)", "isApplied(isApplied(isReduce))"] {
        let ran = run(dir.path(), &["apply", &asum, "-s", &parts(asked)]);
        refused(&ran, 1, "E0311");
        let all = "isApplied(isApplied(isApplied(isReduce)))";
        assert!(ran.err.contains(&format!("`{all}`")), "{}", ran.err);
        assert_eq!(run(dir.path(), &["apply", &asum, "-s", &parts(all)]).code, 0);
    }
}

#[test]
fn a_folder_in_the_place_of_rules_is_told_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let program = write(dir.path(), "dot.rise", DOT);
    std::fs::create_dir(dir.path().join("dot.rules")).unwrap();
    let ran = run(dir.path(), &["apply", &program, "-s", "id"]);
    refused(&ran, 2, "E0004");
    assert!(ran.err.contains("dot.rules` is a folder") && ran.err.contains("another name"), "{}", ran.err);
    assert!(!ran.err.contains("program file in it"), "{}", ran.err);
    // What the hint says.
    let rules = dir.path().join("dot.rules");
    assert_eq!(run(dir.path(), &["apply", &program, "--rules", "dot.rules", "-s", "id"]).code, 0);
    std::fs::rename(&rules, dir.path().join("own")).unwrap();
    assert_eq!(run(dir.path(), &["apply", &program, "--rules", "own", "-s", "id"]).code, 0);
}

#[test]
fn bash_completes_what_subcommands_take() {
    let dir = world();
    let dir = dir.path();
    write(dir, "shine-tui.bash", run(dir, &["completions", "bash"]).out);
    let completed = |words: &str| {
        let script = format!(
            "source shine-tui.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _shine__tui shine-tui \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let said = Command::new("bash").args(["-c", &script]).current_dir(dir).output().unwrap();
        String::from_utf8(said.stdout).unwrap().trim().to_owned()
    };
    for (words, completions) in [
        ("shine-tui comp", "compile completions"),
        ("shine-tui bench --dev", "--device"),
        ("shine-tui replay --level ker", "kernels"),
        ("shine-tui rules check --seco", "--seconds"),
    ] {
        assert_eq!(completed(words), completions, "{words}");
    }
}
