//! Every stage of some programs, as reviewed text. `BLESS=1` writes what is there now.

use crate::emit_common::*;
use shine_tui::emit::compile;
use shine_tui::lang::build as b;
use shine_tui::lang::eval::sizes;
use shine_tui::lang::infer::{Program, Sizes};
use shine_tui::lang::pattern::Pattern;
use shine_tui::lang::term::Term;
use shine_tui::lower::Target;
use shine_tui::lower::default_lowering;
use std::path::PathBuf;

fn golden(name: &str, p: &Program, target: Target, at: Option<&Sizes>) {
    let compiled =
        compile(p, target, at).unwrap_or_else(|d| panic!("{name}: {d} {:?} {:?}", d.notes, d.hints));
    // Each text once: passes that change nothing leave no trace.
    let mut last = String::new();
    let changed = |s: &&shine_tui::emit::Stage| {
        std::mem::replace(&mut last, s.text().to_owned()) != s.text()
            && (!["header", "library", "host", "python"].contains(&s.name) || name == "dotSeq")
    };
    let text: String = compiled
        .stages
        .iter()
        .filter(changed)
        .map(|s| format!("== {} ==\n{}\n\n", s.name, s.text().trim_end()))
        .collect();
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files/lower").join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{} differs from the stages:\n{text}", path.display());
}

#[test]
fn dot_product() {
    golden("dotSeq", &program("dotSeqC", dot_seq()), Target::C, None);
}

#[test]
fn matmul_baseline() {
    let p = program("baseline", matmul(b::map_seq, b::map_seq, inner_seq));
    golden("matmulBaseline", &p, Target::C, Some(&sizes([("m", 1024), ("n", 1024), ("k", 1024)])));
}

#[test]
fn matmul_on_threads() {
    let p = program("matmulPar", matmul(b::map_par, b::map_seq, inner_seq));
    golden("matmulPar", &p, Target::C, None);
}

#[test]
fn matmul_on_work_items() {
    let rows = |f: Term, xs: Term| b::map_dim(Pattern::MapGlobal, 1, f, xs);
    let columns = |f: Term, xs: Term| b::map_dim(Pattern::MapGlobal, 0, f, xs);
    let p = program("matmulGlobal", matmul(rows, columns, inner_seq));
    golden("matmulGlobal", &p, Target::OpenCl, Some(&sizes([("m", 64), ("n", 32), ("k", 128)])));
}

#[test]
fn matmul_lowered_by_default() {
    let p = default_lowering(&program("matmul", matmul(b::map, b::map, inner_high))).unwrap();
    golden("matmulDefault", &p, Target::C, None);
}

/// Memory of each kind: on the stack, on the heap, of each work-item, and shared.
#[test]
fn stored_values() {
    let stored = |space: &str| {
        parse(&format!(
            "def stored (a: n.m.f32): n.m.f32 = a |> mapSeq (\\row.
               let (toMem {space} (mapSeq (\\x. x * x) row)) (\\s. slide 3 1 (padClamp 1 1 s) |> mapSeq (reduceSeq (+) 0)))"
        ))
    };
    golden("storedStack", &stored("private"), Target::C, Some(&sizes([("n", 8), ("m", 100)])));
    golden("storedHeap", &stored("private"), Target::C, None);
    golden("storedGlobal", &stored("global"), Target::OpenCl, None);
}

#[test]
fn accumulators() {
    let rows = parse(
        "def columnSums (a: n.m.f32): m.f32 =
           a |> reduceSeq (\\acc row. zip acc row |> mapSeq (\\p. fst p + snd p)) (mapSeq (\\i. 0) (generate (\\i. i)))
             |> mapSeq (\\x. x)",
    );
    golden("columnSums", &rows, Target::C, None);
}

fn shipped(file: &str) -> Program {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files/lower/programs").join(file);
    parse(&std::fs::read_to_string(path).unwrap())
}

fn all_1024() -> Sizes {
    sizes([("m", 1024), ("n", 1024), ("k", 1024)])
}

#[test]
fn matmul_parallel_of_the_thesis() {
    golden("matmulParallel", &shipped("parallel.rise"), Target::C, Some(&all_1024()));
}

#[test]
fn matmul_blocking_of_the_thesis() {
    golden("matmulBlocking", &shipped("blocking.rise"), Target::C, Some(&all_1024()));
}

/// What is stored within loops and does not depend on them is stored once, in the order of its vectors.
#[test]
fn matmul_with_packing_as_search_finds_it() {
    let p = default_lowering(&shipped("packing.rise")).unwrap();
    golden("matmulPacking", &p, Target::C, Some(&all_1024()));
    golden("matmulPackingAnySize", &p, Target::C, None);
}

/// Loops over threads within loops over threads: one pragma.
#[test]
fn threads_are_shared_out_once() {
    let sums = parse("def sums (a: n.m.k.f32): n.m.f32 = a |> mapPar (mapPar (reduceSeq (+) 0))");
    golden("parNest", &sums, Target::C, None);
    let scaled = parse(
        "def scaled (a: n.m.f32): n.m.f32 =
           a |> mapPar (\\r. let (toMem (reduceSeq (+) 0 r)) (\\s. r |> mapPar (\\x. x / s)))",
    );
    golden("parInPar", &scaled, Target::C, None);
}

/// Storage folding: buffers are allocated and filled before the loop that consumes the stream.
#[test]
fn streams() {
    let blur = parse(
        "def blur (img: (h + 4).w.f32): h.(w - 2).f32 =
           img |> circularBuffer 3 3 (\\row. row |> slide 3 1 |> mapSeq (\\v. reduceSeq (+) 0 v))
             |> mapStream (\\rows. transpose rows |> map (\\c. reduceSeq (+) 0 c))
             |> circularBuffer 3 3 (\\row. row |> mapSeq (\\x. x))
             |> iterateStream (\\rows. transpose rows |> mapSeq (\\c. reduceSeq (+) 0 c))",
    );
    golden("streamBuffers", &blur, Target::C, Some(&sizes([("h", 32), ("w", 128)])));
    let rotated = parse(
        "def rotated (a: n.(m + 2).f32): n.m.f32 =
           a |> mapGlobal (\\r. r |> rotateValues 3 (\\x. x) |> iterateStream (\\w. w |> reduceSeqUnroll (+) 0))",
    );
    golden("streamRegisters", &rotated, Target::OpenCl, None);
}

/// Weights of zero cost nothing once a stencil is unrolled; a zero that the program multiplies by stays.
#[test]
fn dead_weights() {
    let code = |text: &str| {
        compile(&default_lowering(&parse(text)).unwrap(), Target::C, None).unwrap().into_kernel().text
    };
    for weights in ["[-1, 0, 1]", "[0, 0, 2]", "[0, 0, 0]", "[-0.0, 3, 0.0]"] {
        let sum = format!("zip w {weights} |> reduceSeqUnroll (\\acc p. acc + fst p * snd p) 0");
        let text = code(&format!("def f (x: (n+2).f32): n.f32 = x |> slide 3 1 |> map (\\w. {sum})"));
        assert!(!text.contains("0.0f *") && !text.contains("* 0.0f"), "{text}");
        assert!(!text.contains("* -0.0f"), "{text}");
    }
    let text = code("def f (x: n.f32): n.f32 = x |> map (\\v. v + 0.0 * v)");
    assert!(text.contains("0.0f * x[i0]"), "{text}");
}

/// The tree of a reduction by a group: where sizes are known, no question is left that they answer.
#[test]
fn reductions_in_groups() {
    let both = parse(
        "def f (a: n.m.k.i32): n.i32 = oclRun 3 1 1 6 1 1 (a |> mapWorkGroup (\\x.
           let (toMem local (mapSeq (reduceLocal 5 (+) 1) x)) (\\y. reduceLocal 5 (+) 1 y)))",
    );
    golden("reduceLocalShort", &both, Target::OpenCl, Some(&sizes([("n", 3), ("m", 5), ("k", 4)])));
}
