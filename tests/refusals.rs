//! Programs that no device runs as they are: each is told at the part of the program that asks for it, by its code.

use crate::cli_common::{run, run_with};
use crate::device_common::{devices, list, opencl};

/// A program, the sizes that it is run at, the code of its problem, and what the text has at the place that is shown.
type Row = (&'static str, &'static [&'static str], &'static str, &'static str);

/// What is known before there is a device.
const WITHOUT_DEVICE: &[Row] = &[
    // A map over the work-items of a group outside of groups.
    ("def f (a: n.f32) = mapLocal 0 sqrt a", &[], "E0528", "mapLocal"),
    ("def f (a: n.m.f32) = mapSeq (mapLocal 0 sqrt) a", &[], "E0528", "mapLocal"),
    ("def f (a: n.m.f32) = mapLocal 0 (mapWorkGroup 0 sqrt) a", &[], "E0528", "mapLocal"),
    ("def f (a: n.m.f32) = mapGlobal 0 (mapLocal 0 sqrt) a", &[], "E0529", "mapLocal"),
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (mapSeq (\\v. v)) |> toMem global |> mapLocal 1 (mapSeq sqrt)",
        &[],
        "E0528",
        "mapLocal",
    ),
    // One dimension twice.
    ("def f (a: n.m.f32) = mapGlobal 0 (mapGlobal 0 sqrt) a", &[], "E0522", "mapGlobal"),
    ("def f (a: n.m.k.f32) = mapWorkGroup (mapLocal 1 (mapLocal 1 sqrt)) a", &[], "E0522", "mapLocal"),
    (
        "def g (x: m.f32) = mapGlobal 1 sqrt x\ndef f (a: n.m.f32) = mapGlobal 1 g a",
        &[],
        "E0522",
        "mapGlobal",
    ),
    ("def f (a: n.m.f32) = a |> mapWorkGroup 2 (\\x. mapWorkGroup 2 sqrt x)", &[], "E0522", "mapWorkGroup"),
    ("def f (a: n.m.k.f32) = a |> mapGlobal (mapSeq (mapGlobal sqrt))", &[], "E0522", "mapGlobal"),
    // A barrier where not all come by.
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\r. r |> mapLocal 1 (\\x. select (x > 0) (r |> mapLocal sqrt |> toMem local |> reduceSeq (+) 0) x))",
        &[],
        "E0530",
        "select",
    ),
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\r. r |> mapLocal 1 (\\x. let (toMem private (x * 2)) (\\c. select (c > 0) (r |> mapLocal sqrt |> toMem local |> reduceSeq (+) 0) x)))",
        &[],
        "E0530",
        "select",
    ),
    (
        "def f (i: m.idx[m]) (a: n.m.f32) = a |> mapWorkGroup (\\r. zip i r |> mapLocal 1 (\\p. select (idx (fst p) r > 0) (r |> mapLocal sqrt |> toMem local |> reduceSeq (+) 0) 1))",
        &[],
        "E0530",
        "select",
    ),
    (
        "def f (a: n.m.f32): n.m.f32 = a |> mapWorkGroup (\\r. generate (\\i. i) |> mapLocal 1 (\\j. select (indexAsNat j < 2) (r |> mapLocal sqrt |> toMem local |> reduceSeq (+) 0) 1))",
        &[],
        "E0530",
        "select",
    ),
    (
        "def f (c: f32) (a: n.m.f32) = a |> mapWorkGroup (mapLocal 1 (\\x. select (c > x) ([x] |> mapLocal sqrt |> toMem global |> reduceSeq (+) 0) 1))",
        &[],
        "E0530",
        "select",
    ),
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\r. r |> mapLocal 1 (\\x. select (x > 0) (r |> mapLocal sqrt |> toMem local |> reverse |> mapLocal (\\v. v)) (mapLocal (\\v. v) r)))",
        &[],
        "E0530",
        "select",
    ),
    // Groups that are none.
    ("def f (a: n.f32) = oclRun 64 1 1 100 1 1 (mapGlobal sqrt a)", &[], "E0531", "oclRun"),
    ("def f (a: n.f32) = oclRun 0 1 1 64 1 1 (mapGlobal sqrt a)", &[], "E0531", "oclRun"),
    ("def f (a: n.f32) = oclRun 64 1 1 n 1 1 (mapGlobal sqrt a)", &["n=100"], "E0150", "oclRun"),
    ("def f (a: n.f32) = oclRun 8 8 1 64 64 1 (mapGlobal sqrt a)", &[], "E0531", "oclRun"),
    // Of several kernels the one that is meant.
    (
        "def f (a: n.f32) =\n  let b = oclRun 2 1 1 8 1 1 (mapGlobal sqrt a)\n  let c = oclRun 2 1 1 8 2 1 (mapGlobal sqrt b) in oclRun 4 1 1 8 1 1 (mapGlobal sqrt c)",
        &[],
        "E0531",
        "oclRun",
    ),
    // A buffer without room for its windows.
    (
        "def f (a: n.(m + 2).f32) = a |> mapWorkGroup (circularBuffer local 2 3 sqrt >> iterateStream (reduceSeq (+) 0))",
        &[],
        "E0526",
        "circularBuffer",
    ),
    // Memory that a group shares, without a group.
    (
        "def f (a: n.m.f32) = a |> mapGlobal (\\r. let (toMem local (mapSeq (\\x. x) r)) (\\s. reverse s |> mapSeq (\\x. x)))",
        &[],
        "E0511",
        "toMem",
    ),
    (
        "def f (a: n.f32) = a |> mapGlobal (\\x. x) |> toMem local |> mapGlobal (\\x. x)",
        &[],
        "E0511",
        "toMem",
    ),
    // Memory that each has a copy of, written together or read by others.
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\r. r |> mapLocal 0 (\\x. x) |> toMem private |> reduceSeq (+) 0)",
        &[],
        "E0525",
        "toMem",
    ),
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\r. let (toMem private (r |> mapLocal (\\x. x))) (\\s. mapSeq (\\v. v + idx (natAsIndex m 0) s) s))",
        &[],
        "E0525",
        "toMem",
    ),
    // Patterns of another place: threads of the host, work-items outside of kernels, windows that are not kept.
    ("def f (a: n.m.f32) = a |> mapPar (\\r. mapGlobal (\\x. x) r)", &[], "E0521", "mapPar"),
    (
        "def f (a: n.f32) = oclRun 64 1 1 64 1 1 (a |> mapWorkGroup (\\x. x)) |> mapLocal (\\x. x)",
        &[],
        "E0541",
        "mapLocal",
    ),
    (
        "def f (a: (n + 2).f32) = a |> circularBuffer private 3 3 (\\x. x) |> mapGlobal (reduceSeq (+) 0)",
        &[],
        "E0532",
        "a |> circularBuffer private 3 3 (\\x. x)",
    ),
    // Reductions that work-items cannot share.
    ("def f (a: n.m.f32) = a |> mapWorkGroup (\\r. reduceLocal 64 (-) 0 r)", &[], "E0543", "(-)"),
    ("def f (a: n.m.f32) = a |> mapWorkGroup (\\r. reduceLocal 0 (+) 0 r)", &[], "E0502", "reduceLocal"),
    ("def f (a: n.m.f32) = a |> mapGlobal (\\r. reduceLocal 8 (+) 0 r)", &[], "E0529", "reduceLocal"),
    // Sizes that do not fit.
    ("def f (a: n.f32) = a |> split 8 |> mapGlobal (mapSeq sqrt) |> join", &["n=12"], "E0150", "split"),
    (
        "def f (a: (4*n).f32) = a |> asVector 4 |> split 8 |> mapGlobal (mapSeq (\\v. v)) |> join |> asScalar",
        &["n=12"],
        "E0150",
        "split",
    ),
];

/// What depends on it: no device has as much local memory, as large groups, or such types of C.
const WITH_DEVICE: &[Row] = &[
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\x. x |> mapLocal (\\v. v) |> toMem local |> reverse |> mapLocal (\\v. v))",
        &["n=1", "m=12000000"],
        "E0710",
        "toMem",
    ),
    (
        "def f (a: n.f32) = a |> split 1048576 |> mapWorkGroup (\\x. x |> mapLocal (\\v. v) |> toMem local |> reverse |> mapLocal (\\v. v)) |> join",
        &["n=1048576"],
        "E0710",
        "toMem",
    ),
    (
        "def f (a: n.(k + 2).m.f32) = a |> mapWorkGroup (\\x. x |> circularBuffer local 3 3 (mapLocal (\\v. v * 2)) |> iterateStream (\\w. w |> transpose |> mapLocal (reduceSeq (+) 0)))",
        &["n=1", "k=1", "m=4000000"],
        "E0710",
        "circularBuffer",
    ),
    (
        "def f (a: n.m.f32) = mapWorkGroup (reduceLocal 1100000000 (+) 0) a",
        &["n=3", "m=50"],
        "E0710",
        "reduceLocal",
    ),
    (
        "def f (a: n.m.f32) = a |> mapWorkGroup (\\r. r |> iterate 2 (\\x. reverse x |> mapLocal sqrt))",
        &["n=2", "m=4000000"],
        "E0710",
        "iterate",
    ),
    // Of two kernels on as many work-items it is the second one, and in that the larger memory.
    (
        "def f (a: n.m.f32) = let b = toMem global (oclRun 4 1 1 8 1 1 (a |> mapWorkGroup (mapLocal sqrt))) in oclRun 4 1 1 8 1 1 (b |> mapWorkGroup (\\x. let (toMem local (mapLocal (\\v. v) (take 3 x))) (\\w. x |> map (\\v. v + idx (natAsIndex 3 0) w) |> reduceLocal 12000000 (+) 0)))",
        &["n=1", "m=12000000"],
        "E0710",
        "reduceLocal",
    ),
    // Each work-item's own, and nothing says how many there are.
    (
        "def f (a: n.f32) = a |> mapGlobal (\\x. let t = toMem private (mapSeq (\\y. y + x) a) in reduceSeq (+) 0 t)",
        &["n=200000"],
        "E0710",
        "toMem",
    ),
    ("def f (a: n.f32) = oclRun 20000 1 1 40000 1 1 (a |> mapGlobal sqrt)", &["n=640"], "E0705", "oclRun"),
    ("def f (a: n.f32) = oclRun n 1 1 n 1 1 (a |> mapGlobal sqrt)", &["n=100000"], "E0705", "oclRun"),
    (
        "foreign def g (x: f32): f32 = \"return x +;\"\ndef f (a: n.f32) = mapGlobal g a",
        &["n=64"],
        "E0702",
        "g",
    ),
    (
        "foreign def g (x: f32): f32 = \"return nowhere(x);\"\ndef f (a: n.f32) = mapGlobal (\\x. g x + 1) a",
        &["n=64"],
        "E0702",
        "g",
    ),
    (
        "foreign def good (x: f32): f32 = \"return x;\"\nforeign def bad (x: f32): f32 = \"float y[x];\n return y[0];\"\ndef f (a: n.f32) = mapGlobal (\\x. bad (good x)) a",
        &["n=64"],
        "E0702",
        "bad",
    ),
    // A line of ours that the driver does not take.
    (
        "foreign def same (x: f32): f32 = \"\n#ifdef __OPENCL_VERSION__\n#define sqrt(x) nowhere(x)\n#endif\n  return x;\"\ndef f (a: n.f32) = mapGlobal (\\x. sqrt (same x)) a",
        &["n=64"],
        "E0702",
        "same",
    ),
];

/// What no device without halves computes.
const HALVES: &[Row] = &[
    ("def f (a: n.f16) = mapGlobal (\\x. x + x) a", &["n=64"], "E0702", "mapGlobal"),
    ("def f (a: n.f32): n.f32 = mapGlobal (\\x. cast (cast x + (1 : f16))) a", &["n=64"], "E0702", "cast"),
    ("def f (c: f16) (a: n.f32): n.f32 = mapGlobal (\\x. x + cast c) a", &["n=64"], "E0702", "cast"),
];

/// The text that the first marks stand under.
fn shown(message: &str) -> Option<String> {
    let lines: Vec<&str> = message.lines().collect();
    let (number, marks) =
        lines.iter().enumerate().find(|(_, l)| l.trim_start().starts_with(['│', '|']) && l.contains('^'))?;
    let from = marks.chars().position(|c| c == '^')?;
    let count = marks.chars().filter(|c| *c == '^').count();
    Some(lines[number - 1].chars().skip(from).take(count).collect())
}

fn check(rows: &[Row], arguments: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = vec![];
    for (text, sizes, code, place) in rows {
        std::fs::write(dir.path().join("p.rise"), text).unwrap();
        let mut all = arguments.to_vec();
        all.insert(1, "p.rise");
        sizes.iter().for_each(|s| all.extend(["--size", s]));
        let ran = run(dir.path(), &all);
        let told = ran.err.starts_with(&format!("error[{code}]"));
        // Nobody wrote the names that memory and loops are given.
        let names_ours = ran.err.lines().next().is_some_and(|l| l.contains("`t0`") || l.contains("`i0`"));
        if ran.code == 0 || !told || names_ours || shown(&ran.err).as_deref() != Some(*place) {
            wrong.push(format!("{text}\n{}", ran.err));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn what_no_device_runs_is_told_where_the_program_asks_for_it() {
    check(WITHOUT_DEVICE, &["compile", "--target", "opencl"]);
}

/// A private array of unknown size may be more than a work-item has: the code says where it is kept, and why.
#[test]
fn a_private_array_of_unknown_size_is_told_to_be_in_global_memory() {
    let dir = tempfile::tempdir().unwrap();
    let text = "def f (a: n.m.f32) = a |> mapGlobal (\\r. let (toMem private (mapSeq (\\x. x * x) r)) (\\s. reverse s |> mapSeq (\\x. x)))";
    std::fs::write(dir.path().join("p.rise"), text).unwrap();
    let code = |size: &[&str]| {
        let ran = run(dir.path(), &[&["compile", "p.rise", "--target", "opencl"], size].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    let said = "// keeps the private t0 in global memory: a work-item may have less of its own\n";
    let unknown = code(&[]);
    assert!(unknown.contains(said) && unknown.contains("global float* restrict t0"), "{unknown}");
    let large = code(&["--size", "n=4", "--size", "m=100000"]);
    assert!(large.contains(said), "{large}");
    let small = code(&["--size", "n=4", "--size", "m=8"]);
    assert!(!small.contains("keeps the private") && small.contains("float t0[8];"), "{small}");
}

#[test]
fn what_a_device_refuses_is_told_where_the_program_asks_for_it() {
    let Some(device) = opencl() else { return };
    let arguments = ["bench", "--allow-foreign", "--device", &device];
    check(WITH_DEVICE, &arguments);
    let has_halves = list(devices()).devices.iter().any(|d| d.id == device && d.f16);
    if !has_halves {
        check(HALVES, &arguments);
    }
}

/// A compiler that does not take a line of ours, and says more than anyone reads.
#[test]
fn a_line_that_a_c_compiler_refuses_is_told_where_the_program_asks_for_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (program, cc) = (dir.path().join("p.rise"), dir.path().join("cc-of-the-test"));
    std::fs::write(&program, "def f (a: n.f32) = mapSeq sqrt a").unwrap();
    let script = "#!/bin/sh\ncase \"$*\" in *probe.c*|*--version*) exec cc \"$@\";; esac\n\
                  sed -n '/sqrtf/=' f.c | sed 's/.*/f.c:&:3: error: not this/' >&2\n\
                  yes 'f.c:1:1: error: nor this' | head -c 20000000 >&2\nexit 1\n";
    std::fs::write(&cc, script).unwrap();
    std::fs::set_permissions(&cc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = run_with(dir.path(), &["bench", "p.rise", "--size", "n=64"], &[("CC", cc.to_str().unwrap())]);
    assert!(ran.code != 0 && ran.err.starts_with("error[E0702]"), "{}", ran.err);
    assert!(ran.err.contains("of the generated code is `output[i0] = sqrtf(a[i0]);`"), "{}", ran.err);
    assert_eq!(shown(&ran.err).as_deref(), Some("sqrt"), "{}", ran.err);
    assert!(ran.err.lines().count() < 60, "{}", ran.err);
}
