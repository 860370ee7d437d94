//! Generated OpenCL C: run by Oclgrind, which knows races and uses of what was never written, and on a real device.
//! Tests say loudly that they were skipped where these are missing, and fail instead when `SHINE_REQUIRE_OPENCL=1`.

use crate::device_common;
use crate::emit_common;
use crate::emit_common::simulator::{oclgrind, simulate};
use crate::emit_common::{CORPUS, Case, cases_of, parse};
use shine_tui::device::{HostData, HostScalar, Param};
use shine_tui::emit::{ParamKind, compile};
use shine_tui::lang::eval;
use shine_tui::lang::value::Value;
use shine_tui::lower::Target;
use shine_tui::session::bench::cells::host_data;

/// Programs that use work-items.
const PARALLEL: &[emit_common::Trial] = &[
    ("def f (a: n.f32): n.f32 = mapGlobal (\\x. x * 2) a", &[&[("n", 1)], &[("n", 9)]]),
    (
        "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 =
           a |> mapGlobal 1 (\\row. transpose b |> mapGlobal 0 (\\col.
             zip row col |> reduceSeq (\\acc p. acc + fst p * snd p) 0))",
        &[&[("m", 3), ("k", 5), ("n", 4)]],
    ),
    // Private memory of every work-item, small and large.
    (
        "def f (a: n.m.f32): n.m.f32 =
           a |> mapGlobal (\\r. let (toMem (mapSeq (\\x. x * x) r)) (\\s. gather (generate (\\i. natAsIndex m (m - 1 - indexAsNat i))) s |> mapSeq (\\x. x + 1)))",
        &[&[("n", 5), ("m", 4)]],
    ),
    // Buffers of each work-item, in private and in global memory.
    (
        "def f (a: n.(2*m + 1).f32): n.m.f32 =
           a |> mapGlobal (\\r. r |> circularBuffer global 4 3 2 (\\x. x * x) |> map (reduceSeq (+) 0) |> rotateValues global 1 (\\x. x) |> iterateStream (reduceSeq (+) 0))",
        &[&[("n", 5), ("m", 4)]],
    ),
    (
        "def f (a: n.(2*m + 1).k.f32): n.m.k.f32 =
           a |> mapGlobal (\\r. r |> circularBuffer 3 3 2 (mapSeq (\\x. x * x)) |> iterateStream (\\w. transpose w |> mapSeq (reduceSeq (+) 0)))",
        &[&[("n", 3), ("m", 2), ("k", 5)]],
    ),
    // Memory outside the loop that every work-item computes for itself.
    (
        "def f (a: n.f32): n.f32 = let (toMem (mapSeq (\\x. x * x) a)) (\\b. mapGlobal (\\x. x + reduceSeq (+) 0 b) a)",
        &[&[("n", 4)]],
    ),
    // Cells that the work-item that wrote them reads.
    (
        "def f (a: n.f32): n.f32 = let (toMem global (mapGlobal (\\x. x * x) a)) (\\b. zip a b |> mapGlobal (\\p. fst p + snd p))",
        &[&[("n", 6)]],
    ),
    ("def f (a: n.(f32 * f32)): n.(f32 * f32) = a |> mapGlobal (\\p. makePair (snd p) (fst p))", &[&[("n", 5)]]),
    ("def f (a: n.bool) (b: n.i8): n.bool = zip a b |> mapGlobal (\\p. select (fst p) (snd p > 0) (snd p < 2))", &[&[("n", 5)]]),
];

/// Programs of vectors: aligned and not, of every width, with choices and truth values, in registers and private arrays.
const VECTORS: &[emit_common::Trial] = &[
    (
        "def f (a: m.(4*n+1).f32): m.(4*n).f32 =
           a |> mapGlobal (\\r. r |> take (4*n) |> asVector 4 |> mapSeq (\\v. select (v < 0) (v * v) (let w = v + 1 in w * w)) |> asScalar)",
        &[&[("m", 3), ("n", 2)]],
    ),
    ("def f (a: (8*n).f32): 8.f32 = asVectorAligned 8 a |> reduceSeq (+) 0 |> (\\v. asScalar [v] |> mapGlobal (\\x. x * 2))", &[&[("n", 3)]]),
    ("def f (a: n.<3>i32) (b: n.<3>bool): n.<3>i32 = zip a b |> mapGlobal (\\(v, c). select (c and v > 1) (v * v) (v % 3))", &[&[("n", 3)]]),
    (
        "def f (a: (n+2).<2>f64): n.<2>f64 =
           a |> slide 3 1 |> mapGlobal (\\w. let (toMem (w |> mapSeqUnroll (\\v. v * 0.5))) (\\t. reduceSeqUnroll (+) 0 t))",
        &[&[("n", 4)]],
    ),
    (
        "def f (a: n.16.u8): n.16.u8 =
           a |> mapGlobal (\\r. let (toMem (asVector 16 r |> mapSeq (\\v. bitNot v + 1))) (\\t. t |> mapSeq (\\v. max v 3) |> asScalar))",
        &[&[("n", 2)]],
    ),
    ("def f (a: n.(2*m).f32): n.(2*m).f32 = a |> mapGlobal (\\r. padCst 1 1 0 r |> take (2*m) |> asVector 2 |> mapSeq (\\v. v + 1) |> asScalar)", &[&[("n", 2), ("m", 3)]]),
    ("def f (a: n.<4>i32) (b: n.<4>i32): n.<4>i32 = zip a b |> mapGlobal (\\(v, u). let w = bitAnd u 1 in select (w == 0) v (let q = v / w in q * q))", &[&[("n", 5)]]),
];

fn in_parallel(cases: &[Case]) {
    std::thread::scope(|s| {
        for part in cases.chunks(cases.len().div_ceil(3).max(1)) {
            s.spawn(move || {
                part.iter().for_each(|case| simulate(case).unwrap_or_else(|why| panic!("{why}")))
            });
        }
    });
}

#[test]
fn sequential_kernels_agree_with_the_interpreter() {
    if !oclgrind() {
        return;
    }
    let mut number = 0;
    let mut cases = vec![];
    for (text, sizes) in CORPUS {
        // Threads are for C, and the simulator takes its time.
        if !text.contains("mapPar") && sizes.iter().all(|s| s.iter().all(|(_, n)| *n < 100)) {
            cases.extend(cases_of(text, &sizes[..1], Target::OpenCl, &mut number));
        }
    }
    in_parallel(&cases);
}

fn parallel_cases() -> Vec<Case> {
    cases_on_work_items(PARALLEL)
}

fn cases_on_work_items(trials: &[emit_common::Trial]) -> Vec<Case> {
    let mut number = 0;
    let mut cases = vec![];
    for (text, sizes) in trials {
        for mut case in cases_of(text, sizes, Target::OpenCl, &mut number) {
            // As many work-items as there is work for, and fewer.
            let most = case
                .kernel
                .global_size
                .clone()
                .map(|n| n.eval(&|x| case.sizes.get(x).copied()).unwrap() as u64);
            case.global = if number % 2 == 0 { most } else { most.map(|n| n.min(2)) };
            cases.push(case);
        }
    }
    cases
}

#[test]
fn work_items_agree_with_the_interpreter_and_do_not_race() {
    if oclgrind() {
        in_parallel(&parallel_cases());
    }
}

/// No vector reaches beyond its array, or lies where it may not.
#[test]
fn vectors_agree_with_the_interpreter_and_stay_within_their_arrays() {
    if oclgrind() {
        in_parallel(&cases_on_work_items(VECTORS));
    }
}

#[test]
fn work_items_of_a_device_agree_with_the_interpreter() {
    let Some(device) = device_common::opencl() else { return };
    let devices = device_common::devices();
    for case in parallel_cases().into_iter().filter(|c| c.outputs().count() == 1) {
        let mut inputs = case.input_components().into_iter();
        let params = case
            .kernel
            .params
            .iter()
            .map(|p| match &p.kind {
                ParamKind::Size(x) => Param::Int(case.sizes[x]),
                ParamKind::Input(..) if p.by_value => match inputs.next().unwrap().get(0).unwrap() {
                    Value::F32(x) => Param::Scalar(HostScalar::F32(x)),
                    other => panic!("{other}"),
                },
                ParamKind::Input(..) => Param::Input(host_data(&inputs.next().unwrap())),
                ParamKind::Output(_) => Param::Output { elem: p.scalar, len: case.len(p) },
                ParamKind::Temp => Param::Temp { elem: p.scalar, len: case.len(p) },
                ParamKind::Local => Param::Local { bytes: p.scalar.bytes() * case.len(p) },
            })
            .collect();
        let mut request = device_common::request(&device, &case.kernel.text, &case.kernel.name, params);
        request.steps[0].global = Some(case.global);
        let report = device_common::run(devices, &request).unwrap_or_else(|e| panic!("{}: {e}", case.label));
        let mut next = 0;
        case.check(|_| {
            next += 1;
            match &report.outputs[0] {
                HostData::F32(v) => Value::F32(v[next - 1]),
                HostData::Bool(v) => Value::Bool(v[next - 1]),
                other => panic!("{other:?}"),
            }
        });
    }
}

#[test]
fn what_cannot_run_at_once_is_refused() {
    let refused = |text: &str| compile(&parse(text), Target::OpenCl, None).unwrap_err().code;
    // Every work-item would write the output.
    assert_eq!(
        refused(
            "def f (a: n.f32) (b: n.f32): (n.f32 * n.f32) = makePair (mapGlobal (\\x. x) a) (mapSeq (\\x. x) b)"
        ),
        "E0523"
    );
    assert_eq!(refused("def f (a: n.m.f32): n.m.f32 = mapGlobal 0 (\\r. mapGlobal 0 (\\x. x) r) a"), "E0522");
    // A work-item reads what another one wrote.
    let reversed = "gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i)))";
    assert_eq!(
        refused(&format!(
            "def f (a: n.f32): n.f32 = let (toMem global (mapGlobal (\\x. x) a)) (\\b. mapGlobal (\\x. x) ({reversed} b))"
        )),
        "E0524"
    );
    // A group reads in its own copy what another one wrote in its own.
    assert_eq!(
        refused(
            "def f (a: n.m.f32) = let (toMem local (mapWorkGroup 0 (mapLocal 0 (\\v. v)) a)) (\\t. transpose t |> mapWorkGroup 0 (mapLocal 0 (\\v. v)))"
        ),
        "E0524"
    );
    assert_eq!(
        refused(
            "def f (a: n.f32): n.f32 = let (toMem private (mapGlobal (\\x. x) a)) (\\b. mapGlobal (\\x. x) b)"
        ),
        "E0525"
    );
    assert_eq!(refused("def f (a: n.f32): n.f32 = mapPar (\\x. x) a"), "E0521");
    // A kernel launches none, and the host has no work-items.
    let kernel = "oclRun 2 1 1 n 1 1 (mapGlobal (\\x. x) a)";
    assert_eq!(refused(&format!("def f (a: n.f32): n.f32 = oclRun 1 1 1 1 1 1 ({kernel})")), "E0540");
    assert_eq!(refused(&format!("def f (a: n.f32): n.f32 = mapGlobal (\\x. x) ({kernel})")), "E0541");
    assert_eq!(refused("def f (a: 9.f32): 9.f32 = oclRun 2 1 1 9 1 1 (mapGlobal (\\x. x) a)"), "E0531");
    let c = compile(&parse("def f (a: n.f32): n.f32 = mapGlobal (\\x. x) a"), Target::C, None).unwrap_err();
    assert_eq!(c.code, "E0520");
    assert!(c.notes[0].contains("position 0.0"), "{:?}", c.notes);
}

/// Counters go beyond their ends by as many as there are work-items: what would overflow them is refused, not run.
#[test]
fn counters_do_not_overflow() {
    let most = 1 << 30;
    let all = [most as u64, 1, 1];
    let code = |r: Result<(), shine_tui::lang::diag::Diagnostic>| r.err().map(|d| d.code);
    let doubled = parse("def f (a: n.f32): n.f32 = mapGlobal (\\x. x * 2) a");
    let kernel = compile(&doubled, Target::OpenCl, None).unwrap().into_kernel();
    assert!(kernel.text.contains("for (int"), "{}", kernel.text);
    assert_eq!(code(kernel.check_counts(&|_| Some(most), all)), None);
    assert_eq!(code(kernel.check_counts(&|_| Some(most + 1), all)), Some("E0515"));
    assert_eq!(code(kernel.check_counts(&|_| Some(most), [1, most as u64 + 1, 1])), Some("E0515"));
    // Where it is known how many there are, counters are as wide as that takes.
    let asked = parse("def f (a: n.f32): n.f32 = oclRun 1 1 1 3000000000 1 1 (mapGlobal (\\x. x * 2) a)");
    let kernel = compile(&asked, Target::OpenCl, None).unwrap().into_kernel();
    assert!(kernel.text.contains("for (long"), "{}", kernel.text);
    assert_eq!(code(kernel.check_counts(&|_| Some(most), [3_000_000_000, 1, 1])), None);
    // Without work-items a size may be any that a parameter can be.
    let plain = parse("def f (a: n.f32): n.f32 = mapSeq (\\x. x * 2) a");
    let kernel = compile(&plain, Target::C, None).unwrap().into_kernel();
    assert_eq!(code(kernel.check_counts(&|_| Some(i32::MAX.into()), [1; 3])), None);
    assert_eq!(code(kernel.check_counts(&|_| Some(i64::from(i32::MAX) + 1), [1; 3])), Some("E0515"));
    // Offsets take as many bits as they need, but not indices in memory.
    let large = eval::sizes([("n", 50_000), ("m", 50_000), ("k", 3)]);
    let taken = |ty: &str, element: &str| {
        let text = format!("def f (a: (n*m).u8) (i: k.{ty}): k.u8 = i |> mapSeq (\\x. {element})");
        compile(&parse(&text), Target::C, Some(&large)).map(|c| c.into_kernel().text)
    };
    assert_eq!(taken("idx[n*m]", "idx x a").unwrap_err().code, "E0515");
    let pairs = taken("(idx[n] * idx[m])", "idx (snd x) (idx (fst x) (split m a))").unwrap();
    assert!(pairs.contains("50000L * i_fst[i0]"), "{pairs}");
    assert!(taken("natType", "idx (natAsIndex (n*m) x) a").is_ok());
}

/// What the host's loops count is counted from zero, so that indices take nothing off, and numbers of a type are not cast to it.
#[test]
fn indices_and_numbers_are_written_plainly() {
    let text = |program: &str| compile(&parse(program), Target::OpenCl, None).unwrap().module.text();
    let rows = text(
        "def f (a: n.m.f32): n.m.f32 = a |> mapSeq (\\r. oclRun 2 1 1 4 1 1 (mapGlobal (\\x. x * 2) r))",
    );
    assert!(rows.contains("m * turn") && !rows.contains("- m"), "{rows}");
    let least = text("def f (a b: n.i64): n.i64 = zip a b |> mapGlobal (\\p. min (fst p) (snd p))");
    assert!(least.contains("min(a[i0], b[i0])"), "{least}");
    let constant = text("def f (a: n.i64): n.i64 = a |> mapGlobal (min 3)");
    assert!(constant.contains("min((long)"), "{constant}");
}
