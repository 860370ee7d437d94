//! Barriers: programs that share memory among the work-items of a group, most of them those by which the thesis judges
//! its algorithm (section 3.2.4; the test names are those of Shine).
//!
//! Each kernel is right at several shapes of work-groups on a device and in Oclgrind, which finds no race; it has as many
//! barriers as the table says; and without any one of them Oclgrind finds a race. `BARRIERS=all` simulates every program
//! at every shape; otherwise a part of them is simulated, and all run on the device.

use crate::device_common;
use crate::emit_common::simulator::{oclgrind, simulate};
use crate::emit_common::{Case, parse};
use shine_tui::device::Param;
use shine_tui::emit::{ParamKind, compile};
use shine_tui::lang::eval::{self, Limits, inputs};
use shine_tui::lang::nat::Nat;
use shine_tui::lang::value::Buffer;
use shine_tui::lower::{Target, default_lowering};
use shine_tui::session::bench::cells::{buffer, host_data};
use std::sync::LazyLock;

/// What the programs share.
const WORDS: &str = "
def rev {n: nat} {t: data} (xs: n.t): n.t = gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) xs
def revTo {n: nat} {t: data} (xs: n.t): n.t = scatter (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) xs
def sum {n: nat} (xs: n.f32): f32 = reduceSeq (+) 0 xs
";

/// A test of the thesis, or one more.
struct Row {
    number: &'static str,
    name: &'static str,
    /// The program's parameters, and its body.
    program: (&'static str, &'static str),
    /// Where the shape is known to the compiler: the work-items of a group, and all.
    known: Option<([i64; 3], [i64; 3])>,
    sizes: &'static [(&'static str, i64)],
    /// How many barriers there must be, and their flags: `L`, `G` or `LG` of all of them.
    ours: (usize, &'static str),
    /// How many Shine's own comments call sufficient (Lift's, for most), and how many a precise analysis needs.
    up: usize,
    opt: usize,
}

/// Chunks of 128 elements, each by a work-group.
macro_rules! chunks {
    ($f:literal) => {
        ("(a: n.f32): n.f32", concat!("a |> split 128 |> mapWorkGroup 0 (\\x. x |> ", $f, ") |> join"))
    };
}

/// Pairs of rows, each by a work-group.
macro_rules! pairs {
    ($f:literal) => {
        ("(a b: n.n.f32): n.n.f32", concat!("zip a b |> mapWorkGroup 0 (\\p. ", $f, ")"))
    };
}

const fn row(
    number: &'static str,
    name: &'static str,
    program: (&'static str, &'static str),
    sizes: &'static [(&'static str, i64)],
    ours: (usize, &'static str),
    up: usize,
    opt: usize,
) -> Row {
    Row { number, name, program, known: None, sizes, ours, up, opt }
}

impl Row {
    const fn known(self, local: [i64; 3], global: [i64; 3]) -> Row {
        Row { known: Some((local, global)), ..self }
    }
}

/// 1024 elements on 8 groups of 128: each group has one chunk, and each work-item one element of it.
const fn once(row: Row) -> Row {
    Row { known: Some(([128, 1, 1], [1024, 1, 1])), sizes: &[("n", 1024)], ..row }
}

const NM: &[(&str, i64)] = &[("n", 5), ("m", 7)];
const NMO: &[(&str, i64)] = &[("n", 3), ("m", 4), ("o", 7)];
const FOUR: &[(&str, i64)] = &[("n", 3), ("m", 2), ("o", 5), ("p", 7)];
const LINES: &[(&str, i64)] = &[("n", 3), ("k", 3), ("m", 7)];
const CHUNKS: &[(&str, i64)] = &[("n", 384)];
const PAIRS: &[(&str, i64)] = &[("n", 7)];
const PAIRS_OF_ROWS: &[(&str, i64)] = &[("n", 2), ("m", 3), ("k", 4), ("o", 5)];

/// Step by step for all pairs of rows, of which a step's elements are in local memory.
const SUMS_OF_PAIRS: (&str, &str) = (
    "(a: n.m.k.f32) (b: o.k.f32): n.m.o.f32",
    "a |> mapWorkGroup 0 (\\x. zip (transpose x) (transpose b)
       |> reduceSeq private
            (\\acc z. let (toMem local (mapLocal 0 (\\v. v) (rev (snd z)))) (\\t.
              zip acc (fst z) |> mapLocal 1 (\\r. zip (fst r) t |> mapLocal 0 (\\c. fst c + snd r * snd c))))
            (mapLocal 1 (mapLocal 0 (\\v. v)) (generate (\\i. generate (\\j. 1))))
       |> mapLocal 1 (mapLocal 0 (\\v. v)))",
);
const SIX: &[(&str, i64)] = &[("n", 2), ("m", 2), ("o", 2), ("p", 3), ("q", 2), ("r", 3)];

const TABLE: &[Row] = &[
    row("1", "1D mapLocal toLocal seq with thread sharing", ("(a: n.m.f32): n.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> slide 3 1 |> mapLocal 0 sum)"),
        NM, (2, "L"), 2, 2),
    row("2", "1D mapLocal toLocal MAPSEQ 1", ("(a: n.m.o.f32): n.m.(o - 2).f32",
        "a |> mapSeq (mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> slide 3 1 |> mapLocal 0 sum))"),
        NMO, (2, "L"), 2, 2),
    row("3", "1D mapLocal toLocal MAPSEQ 2", ("(a: n.m.o.f32): n.m.(o - 2).f32",
        "a |> mapWorkGroup 0 (mapSeq (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> slide 3 1 |> mapLocal 0 sum))"),
        NMO, (2, "L"), 2, 2),
    row("4", "1D mapLocal toLocal MAPSEQ 3", ("(a: n.m.o.f32): n.m.(o - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapSeq (mapLocal 0 (\\v. v)) |> toMem local |> map (slide 3 1) |> mapSeq (mapLocal 0 sum))"),
        NMO, (2, "L"), 2, 2),
    row("5", "1D mapLocal toGlobal seq with thread sharing", ("(a: n.m.f32): n.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem global |> slide 3 1 |> mapLocal 0 sum)"),
        NM, (2, "G"), 2, 2),
    row("6", "2D mapLocal toLocal seq with thread sharing", ("(a: n.m.o.p.f32): n.m.o.(p - 2).f32",
        "a |> mapWorkGroup 1 (mapWorkGroup 0 (\\x. x |> mapLocal 1 (mapLocal 0 (\\v. v)) |> toMem local |> map (slide 3 1) |> mapLocal 1 (mapLocal 0 sum)))"),
        FOUR, (2, "L"), 2, 2),
    row("7", "nested 1D mapLocal toLocal seq with thread sharing", ("(a: n.m.o.p.f32): n.m.o.(p - 2).f32",
        "a |> mapWorkGroup 1 (mapWorkGroup 0 (mapLocal 1 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> slide 3 1 |> mapLocal 0 sum)))"),
        FOUR, (2, "L"), 2, 2),
    row("8", "2D and nested 1D mapLocal toLocal seq with thread sharing", ("(a: n.m.o.p.f32): n.m.o.(p - 4).f32",
        "a |> mapWorkGroup 1 (mapWorkGroup 0 (\\y. y |> mapLocal 1 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> slide 3 1 |> mapLocal 0 sum)
           |> toMem local |> map (slide 3 1) |> mapLocal 1 (mapLocal 0 sum)))"),
        FOUR, (2, "L"), 2, 2),
    row("9", "reorderInLocalButSequential",
        chunks!("split 16 |> mapLocal 0 (mapSeq (\\v. v)) |> toMem local |> map rev |> mapLocal 0 (mapSeq (\\v. v)) |> join"),
        CHUNKS, (0, ""), 0, 0),
    row("10", "copyToLocalInZip",
        pairs!("zip (fst p |> mapLocal 0 (\\v. v) |> toMem local) (snd p |> mapLocal 0 (\\v. v) |> toMem local) |> mapLocal 0 (\\q. fst q + snd q)"),
        PAIRS, (0, ""), 2, 0),
    row("12", "copyToLocalAndReorderInZip",
        pairs!("zip (fst p |> mapLocal 0 (\\v. v) |> toMem local |> rev) (snd p |> mapLocal 0 (\\v. v) |> toMem local) |> mapLocal 0 (\\q. fst q + snd q)"),
        PAIRS, (2, "L"), 2, 2),
    row("13", "copyToLocalAndReorderInZip2",
        pairs!("zip (fst p |> mapLocal 0 (\\v. v) |> toMem local) (snd p |> mapLocal 0 (\\v. v) |> toMem local |> rev) |> mapLocal 0 (\\q. fst q + snd q)"),
        PAIRS, (2, "L"), 2, 2),
    row("15", "copyOneToLocalInZip",
        pairs!("zip (fst p |> mapLocal 0 (\\v. v) |> toMem local) (snd p) |> mapLocal 0 (\\q. fst q + snd q)"),
        PAIRS, (0, ""), 1, 0),
    row("16", "reorderLocal", chunks!("rev |> mapLocal 0 (\\v. v) |> toMem local |> mapLocal 0 (\\v. v)"),
        CHUNKS, (0, ""), 1, 0),
    once(row("18", "noLoopReorderLastLocal", chunks!("mapLocal 0 (\\v. v) |> toMem local |> rev |> mapLocal 0 (\\v. v)"),
        CHUNKS, (1, "L"), 1, 1)),
    once(row("19", "noLoopReorderLocal", chunks!("rev |> mapLocal 0 (\\v. v) |> toMem local |> mapLocal 0 (\\v. v)"),
        CHUNKS, (0, ""), 0, 0)),
    row("20", "noReorderLocal", chunks!("mapLocal 0 (\\v. v) |> toMem local |> mapLocal 0 (\\v. v)"),
        CHUNKS, (0, ""), 1, 0),
    once(row("21", "noLoopNoReorderLocal", chunks!("mapLocal 0 (\\v. v) |> toMem local |> mapLocal 0 (\\v. v)"),
        CHUNKS, (0, ""), 0, 0)),
    once(row("22", "noLoopReorder2Local", chunks!("rev |> mapLocal 0 (\\v. v) |> toMem local |> rev |> mapLocal 0 (\\v. v)"),
        CHUNKS, (1, "L"), 1, 1)),
    row("24", "reorderLastLocal", chunks!("mapLocal 0 (\\v. v) |> toMem local |> rev |> mapLocal 0 (\\v. v)"),
        CHUNKS, (2, "L"), 2, 2),
    row("25", "tail", ("(a: n.f32): (n/128*127).f32",
        "a |> split 128 |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem global |> drop 1 |> mapLocal 0 (\\v. v)) |> join"),
        CHUNKS, (2, "G"), 2, 2),
    row("26", "tailInLocal", ("(a: n.f32): (n/128*127).f32",
        "a |> split 128 |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> drop 1 |> mapLocal 0 (\\v. v)) |> join"),
        CHUNKS, (2, "L"), 2, 2),
    row("27", "basicBarrier", chunks!("mapLocal 0 (\\v. v + 1)"), CHUNKS, (0, ""), 0, 0),
    row("28", "reorderGlobalLast", chunks!("mapLocal 0 (\\v. v) |> toMem global |> rev |> mapLocal 0 (\\v. v)"),
        CHUNKS, (2, "G"), 2, 2),
    row("30", "doubleNestedMapLcl", ("(a: n.m.o.p.f32): n.m.o.p.f32",
        "a |> mapWorkGroup 0 (mapWorkGroup 1 (\\x. x |> mapLocal 0 (mapLocal 1 (\\v. v)) |> toMem local |> mapLocal 0 (mapLocal 1 (\\v. v))))"),
        FOUR, (0, ""), 1, 0),
    row("32", "tripleNestedMapLclWithScatter", ("(a: n.m.o.p.q.r.f32): n.m.o.p.q.r.f32",
        "a |> mapWorkGroup 0 (mapWorkGroup 1 (mapWorkGroup 2 (\\x. x
           |> mapLocal 0 (mapLocal 1 (\\y. y |> mapLocal 2 (\\v. v) |> revTo)) |> toMem local
           |> mapLocal 0 (mapLocal 1 (mapLocal 2 (\\v. v))))))"),
        SIX, (2, "L"), 2, 2),
    row("34", "doubleNestedMapLclWithReorder3", ("(a: n.m.o.p.f32): n.m.o.p.f32",
        "a |> mapWorkGroup 0 (mapWorkGroup 1 (\\x. x |> mapLocal 0 (mapLocal 1 (\\v. v)) |> toMem local |> mapLocal 0 (\\y. y |> rev |> mapLocal 1 (\\v. v))))"),
        FOUR, (2, "L"), 2, 2),
    row("35", "doubleNestedMapLclWithReorderGlobalMem", ("(a: n.m.o.p.f32): n.m.o.p.f32",
        "a |> mapWorkGroup 0 (mapWorkGroup 1 (\\x. x |> mapLocal 0 (mapLocal 1 (\\v. v)) |> toMem global |> mapLocal 0 (\\y. y |> rev |> mapLocal 1 (\\v. v))))"),
        FOUR, (2, "G"), 2, 2),
    row("37", "doubleNestedMapLclWithReorderGlobalMem3", ("(a: n.m.o.p.f32): n.m.o.p.f32",
        "a |> mapWorkGroup 0 (mapWorkGroup 1 (\\x. x |> mapLocal 0 (mapLocal 1 (\\v. v)) |> revTo |> toMem global |> mapLocal 0 (mapLocal 1 (\\v. v))))"),
        FOUR, (2, "G"), 2, 2),
    row("39", "tupleBarrierJustGlobal", ("(a: n.f32): n.f32",
        "a |> split 32 |> mapWorkGroup 0 (\\x. zip x x |> mapLocal 0 (\\y. makePair (fst y) (snd y)) |> toMem global |> rev |> mapLocal 0 (\\q. fst q + snd q)) |> join"),
        &[("n", 96)], (2, "G"), 2, 2),
    // What is switched off upstream.
    row("i1", "without thread sharing, local", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> mapLocal 0 (\\v. v))"),
        NM, (0, ""), 0, 0),
    row("i2", "without thread sharing, global", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem global |> mapLocal 0 (\\v. v))"),
        NM, (0, ""), 0, 0),
    row("i3", "1D zip mapLocal toLocal", ("(a: n.m.f32): n.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. let (toMem local (zip (mapLocal 0 (\\v. v) x) (mapLocal 0 (\\v. v + 1) x))) (\\t. t |> slide 3 1 |> mapLocal 0 (\\w. w |> map fst |> sum)))"),
        NM, (2, "L"), 2, 2),
    row("i4", "sequentialMapFollowsParallelWithLocalMemory", chunks!("mapLocal 0 (\\v. v) |> toMem local |> mapSeq (\\v. v)"),
        CHUNKS, (2, "L"), 2, 2),
    row("i5", "sequentialMapFollowsParallel", chunks!("mapLocal 0 (\\v. v) |> toMem global |> mapSeq (\\v. v)"),
        CHUNKS, (2, "G"), 2, 2),
    row("i6", "sequentialReduceFollowsParallelWithLocalMemory", ("(a: n.f32): (n/128).f32",
        "a |> split 128 |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem local |> sum)"),
        CHUNKS, (2, "L"), 2, 2),
    row("i7", "sequentialReduceFollowsParallel", ("(a: n.f32): (n/128).f32",
        "a |> split 128 |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v) |> toMem global |> sum)"),
        CHUNKS, (2, "G"), 2, 2),
    row("i8", "loopReorder2Local",
        chunks!("rev |> mapLocal 0 (\\v. v) |> toMem local |> rev |> mapLocal 0 (\\v. v) |> toMem global |> mapLocal 0 (\\v. v)"),
        CHUNKS, (2, "L"), 2, 2),
    row("i9", "doubleNestedMapLclWithReorder2", ("(a: n.m.o.p.f32): n.m.o.p.f32",
        "a |> mapWorkGroup 0 (mapWorkGroup 1 (\\x. x |> mapLocal 0 (\\y. y |> mapLocal 1 (\\v. v) |> revTo) |> toMem local |> mapLocal 0 (mapLocal 1 (\\v. v))))"),
        FOUR, (2, "L"), 2, 2),
    row("i10", "tupleInside2MapLcl", ("(a: n.m.o.f32): n.m.o.f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapLocal 1 (\\y. zip y y |> mapLocal 0 (\\q. makePair (fst q) (snd q)) |> toMem local |> rev |> mapLocal 0 (\\q. fst q + snd q)))"),
        NMO, (2, "L"), 2, 2),
    row("i11", "tupleInsideMapLcl", ("(a: n.m.o.f32): n.m.o.f32",
        "a |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\y. zip y y |> mapSeq (\\q. makePair (fst q) (snd q)) |> toMem local |> rev |> mapSeq (\\q. fst q + snd q)))"),
        NMO, (0, ""), 0, 0),
    row("i12", "tupleWithAsVectorInsideMapLcl", ("(a: n.(4*m).f32): n.(4*m).f32",
        "a |> mapWorkGroup 0 (\\x. zip (asVector 4 x) (asVector 4 x) |> mapLocal 0 (\\q. makePair (fst q) (snd q)) |> toMem local |> rev |> mapLocal 0 (\\q. fst q + snd q) |> asScalar)"),
        NM, (2, "L"), 2, 2),
    row("i13", "tupleBarrierBoth", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. zip (x |> mapLocal 0 (\\v. v) |> toMem local) (x |> mapLocal 0 (\\v. v + 1) |> toMem global) |> rev |> mapLocal 0 (\\q. fst q + snd q))"),
        NM, (2, "LG"), 2, 2),
    // The loop's first iteration reads what is written before it (upstream's analysis forgets that at the loop's barrier).
    row("u1", "an accumulator that a loop shares", ("(a: n.k.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. x |> reduceSeq local (\\acc r. zip (rev acc) r |> mapLocal 0 (\\q. fst q + snd q)) (mapLocal 0 (\\v. v) (generate (\\i. 1))) |> mapLocal 0 (\\v. v))"),
        &[("n", 3), ("k", 3), ("m", 7)], (3, "L"), 3, 3),
    // A barrier for one address space is none for the other.
    row("u2", "both spaces are read behind one barrier", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. let (toMem global (mapLocal 0 (\\v. v + 1) x)) (\\g. let (toMem local (mapLocal 0 (\\v. v) x)) (\\t. let (toMem local (mapLocal 0 (\\v. v) (rev t))) (\\u. zip (rev g) u |> mapLocal 0 (\\q. fst q + snd q)))))"),
        NM, (2, "LG"), 2, 2),
    row("u3", "the next iteration overwrites what a barrier for the other space is behind", ("(a: n.k.m.f32): n.k.m.f32",
        "a |> mapWorkGroup 0 (mapSeq (\\x. let (toMem local (mapLocal 0 (\\v. v) x)) (\\t. let (toMem global (rev t |> mapLocal 0 (\\v. v))) (\\g. rev g |> mapLocal 0 (\\v. v)))))"),
        &[("n", 3), ("k", 3), ("m", 7)], (2, "LG"), 3, 2),
    // All work-items go round a loop of one iteration for the barrier in it.
    row("u4", "a dimension of one", ("(a: n.1.m.f32): n.1.m.f32",
        "a |> mapWorkGroup 0 (\\x. let (toMem local (mapLocal 1 sum x)) (\\t. x |> mapLocal 1 (\\r. let (toMem local (sum t)) (\\u. mapLocal 0 (\\v. v + u) (rev r)))))"),
        NM, (2, "L"), 2, 2),
    // Iterations write cells of their own, wherever data says.
    row("u5", "cells that are found in memory", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. let (toMem local (generate (\\i. natAsIndex m (m - 1 - indexAsNat i)) |> mapLocal 0 (\\i. i))) (\\to. x |> mapLocal 0 (\\v. v) |> scatter to |> toMem local |> mapLocal 0 (\\v. v)))"),
        NM, (2, "L"), 2, 2),
    // What all work-items of a group choose alike may have barriers in it.
    row("c1", "a choice by a parameter", ("(c: f32) (a: n.m.f32): n.f32",
        "a |> mapWorkGroup 0 (\\x. select (c + 1 > c) (x |> mapLocal 0 (\\v. v * 2) |> toMem local |> sum) c)"),
        NM, (2, "L"), 2, 2),
    row("c2", "a choice by what each work-item computes for itself", ("(a: n.k.m.f32): n.k.f32",
        "a |> mapWorkGroup 0 (mapSeq (\\x. select (sum x > 0) (x |> mapLocal 0 (\\v. v * 2) |> toMem local |> sum) 1))"),
        &[("n", 3), ("k", 3), ("m", 7)], (2, "L"), 2, 2),
    row("c3", "a choice by what a group stored", ("(a: n.m.f32): n.f32",
        "a |> mapWorkGroup 0 (\\x. let (toMem local (mapLocal 0 (\\v. v) x)) (\\t. select (idx (natAsIndex m 0) t > 0) (rev t |> mapLocal 0 (\\v. v * 2) |> toMem local |> sum) 1))"),
        NM, (3, "L"), 3, 3),
    // Steps that work-items share, in memory that they share.
    row("r1", "steps in place", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. x |> iterate 3 (mapLocal 0 (\\v. v * 2)))"),
        NM, (0, ""), 0, 0),
    row("r2", "steps that read what others wrote", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. x |> iterate 3 (\\y. rev y |> mapLocal 0 (\\v. v + 1)))"),
        NM, (3, "L"), 3, 3),
    row("r3", "steps in two dimensions, of pairs", ("(a: n.m.o.f32): n.m.o.(f32 * f32)",
        "a |> mapWorkGroup 0 (\\x. x |> map (map (\\v. (v, v))) |> iterate 2 (mapLocal 1 (mapLocal 0 (\\p. (snd p, fst p * 2)))))"),
        NMO, (0, ""), 0, 0),
    // Reductions by a group: parts, a tree in local memory, and the rest by whoever reads the result.
    row("t1", "a tree with more leaves than there are elements", ("(a: n.m.f32): n.f32",
        "a |> mapWorkGroup 0 (reduceLocal 21 (+) 3)"),
        &[("n", 5), ("m", 19)], (3, "L"), 3, 3),
    row("t2", "a result that all work-items read, of fewer leaves than elements", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\x. let (reduceLocal 5 max (-1000) x) (\\s. mapLocal 0 (\\v. v - s) x))"),
        NM, (2, "L"), 2, 2),
    row("t3", "a tree for each of the lines that work-items take", ("(a: n.k.m.f32): n.k.f32",
        "a |> mapWorkGroup 0 (mapLocal 1 (reduceLocal 6 0 (+) 0))"),
        &[("n", 3), ("k", 3), ("m", 23)], (2, "L"), 2, 2),
    row("t4", "one tree after the other, of an operator that does not commute", ("(a: n.k.m.f32): n.k.f32",
        "a |> mapWorkGroup 0 (mapSeq (reduceLocal 5 (\\x y. select (y > 0) y x) 1))"),
        &[("n", 3), ("k", 3), ("m", 17)], (2, "L"), 2, 2),
    row("t5", "few leaves, in dimension 1, of pairs", ("(a: n.m.f32): n.f32",
        "a |> mapWorkGroup 1 (\\x. map (\\v. (v, v * 2)) x |> reduceLocal 3 1 (\\x y. (fst x + fst y, max (snd x) (snd y))) (0, 1) |> (\\p. fst p + snd p))"),
        &[("n", 4), ("m", 29)], (2, "L"), 2, 2),
    once(row("t6", "as many leaves as work-items", ("(a: n.f32): (n/128).f32",
        "a |> split 128 |> mapWorkGroup 0 (\\x. x |> map (\\v. v * v) |> reduceLocal 128 (+) 0)"),
        CHUNKS, (4, "L"), 4, 4)),
    // Private accumulators of which each work-item keeps its own cells: one, or every so many-th.
    row("p1", "accumulators of one cell", SUMS_OF_PAIRS, PAIRS_OF_ROWS, (2, "L"), 2, 2)
        .known([5, 3, 1], [10, 3, 1]),
    row("p2", "accumulators of several cells", SUMS_OF_PAIRS, PAIRS_OF_ROWS, (2, "L"), 2, 2)
        .known([2, 2, 1], [4, 2, 1]),
    // Lanes of one work-item's vector are its own.
    row("v1", "vectors in local memory", ("(a: n.(4*m).f32): n.(4*m).f32",
        "a |> mapWorkGroup 0 (\\x. let (toMem local (x |> asVector 4 |> mapLocal 0 (\\v. v) |> asScalar)) (\\t. rev t |> mapLocal 0 (\\v. v)))"),
        NM, (2, "L"), 2, 2),
    // What is left out of a loop's elements is not written.
    row("k1", "the first of what work-items compute", ("(a: n.m.f32): (n - 2).(m - 3).f32",
        "a |> mapWorkGroup 0 (mapLocal 0 (\\v. v * 2)) |> map (take (m - 3)) |> take (n - 2)"),
        NM, (0, ""), 0, 0),
    // One number of its row decides for a group.
    row("k2", "a choice between what work-items compute together", ("(a: n.m.f32): n.m.f32",
        "a |> mapWorkGroup 0 (\\r. select (idx (natAsIndex m 0) r > -1000) (r |> mapLocal 0 (\\v. v * 2) |> toMem local |> rev |> mapLocal 0 (\\v. v)) (mapLocal 0 (\\v. v) r))"),
        NM, (2, "L"), 2, 2),
    // Lines that a group keeps for windows of them.
    row("s1", "a circular buffer of lines", ("(a: n.(k + 2).m.f32): n.k.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> circularBuffer local 3 3 (mapLocal 0 (\\v. v * 2)) |> iterateStream (\\w. w |> transpose |> map sum |> slide 3 1 |> mapLocal 0 sum))"),
        LINES, (2, "L"), 2, 2),
    row("s2", "a circular buffer with room for a line more", ("(a: n.(k + 2).m.f32): n.k.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> circularBuffer local 4 3 (mapLocal 0 (\\v. v * 2)) |> iterateStream (\\w. w |> transpose |> map sum |> slide 3 1 |> mapLocal 0 sum))"),
        LINES, (2, "L"), 2, 2),
    row("s3", "a circular buffer with a stride, in global memory", ("(a: n.(2*k + 1).m.f32): n.k.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> circularBuffer global 4 3 2 (mapLocal 0 (\\v. v * 2)) |> iterateStream (\\w. w |> transpose |> map sum |> slide 3 1 |> mapLocal 0 sum))"),
        LINES, (2, "G"), 2, 2),
    row("s4", "lines that move along", ("(a: n.(k + 2).m.f32): n.k.(m - 2).f32",
        "a |> mapWorkGroup 0 (\\x. x |> rotateValues local 3 (mapLocal 0 (\\v. v)) |> iterateStream (\\w. w |> transpose |> map sum |> slide 3 1 |> mapLocal 0 sum))"),
        LINES, (2, "L"), 2, 2),
    row("s5", "a circular buffer of each work-item", ("(a: n.m.(2*k + 1).f32): n.m.k.f32",
        "a |> mapWorkGroup 0 (mapLocal 0 (\\x. x |> circularBuffer local 4 3 2 (\\v. v * 2) |> iterateStream sum))"),
        LINES, (0, ""), 0, 0),
    row("s6", "two buffers, one behind the other", ("(a: n.(k + 4).m.f32): n.k.(m - 4).f32",
        "a |> mapWorkGroup 0 (\\x. x |> circularBuffer local 3 3 (\\r. r |> slide 3 1 |> mapLocal 0 sum) |> circularBuffer local 4 3 (\\w. transpose w |> mapLocal 0 sum)
           |> iterateStream (\\w. w |> transpose |> map sum |> slide 3 1 |> mapLocal 0 sum))"),
        LINES, (2, "L"), 2, 2),
];

/// Shapes for one, two and three dimensions of groups: the work-items of a group, and how many groups there are.
const SHAPES: &[([i64; 3], [i64; 3])] =
    &[([4, 2, 2], [2, 1, 1]), ([1, 1, 1], [1, 1, 1]), ([7, 3, 1], [1, 2, 2]), ([16, 1, 3], [3, 2, 1])];

fn program(row: &Row) -> String {
    let (head, body) = row.program;
    let body = match row.known {
        None => body.to_string(),
        Some(([x, y, z], [gx, gy, gz])) => format!("oclRun {x} {y} {z} {gx} {gy} {gz} ({body})"),
    };
    format!("{WORDS}\ndef f {head} =\n  {body}")
}

/// The kernel, at each of the shapes.
fn cases_of(row: &Row) -> Vec<Case> {
    let program = parse(&program(row));
    let lowered = default_lowering(&program).unwrap();
    let sizes = eval::sizes(row.sizes.iter().copied());
    let inputs = inputs::for_program(&program.ty, &sizes, 7, inputs::Kind::SmallIntegers).unwrap();
    let expected = eval::run(&program.term, &sizes, &inputs, &Limits::TEST).unwrap();
    // Where the shape is known sizes are, too: then loops run once.
    let fixed = row.known.is_some().then_some(&sizes);
    let made = compile(&lowered, Target::OpenCl, fixed);
    let kernel = made.unwrap_or_else(|d| panic!("{}: {d} {:?}", row.number, d.notes)).into_kernel();
    let used =
        |d: usize| ["group", "local"].iter().any(|of| kernel.text.contains(&format!("get_{of}_id({d})")));
    let shapes = match row.known {
        Some((local, global)) => vec![(local, [0, 1, 2].map(|d| global[d] / local[d]))],
        None => SHAPES.to_vec(),
    };
    let at = |(local, groups): ([i64; 3], [i64; 3])| {
        let only = |of: [i64; 3]| [0, 1, 2].map(|d| if used(d) { of[d] } else { 1 });
        let (local, groups) = (only(local), only(groups));
        let mut kernel = kernel.clone();
        kernel.local_size = Some(local.map(Nat::constant));
        Case {
            program: lowered.clone(),
            sizes: sizes.clone(),
            inputs: inputs.clone(),
            expected: expected.clone(),
            kernel,
            global: [0, 1, 2].map(|d| (local[d] * groups[d]) as u64),
            label: format!("{} {}: groups of {local:?}, {groups:?} of them", row.number, row.name),
        }
    };
    shapes.into_iter().map(at).collect()
}

/// All rows with their kernels, made once for all tests.
static CASES: LazyLock<Vec<(&Row, Vec<Case>)>> =
    LazyLock::new(|| TABLE.iter().map(|row| (row, cases_of(row))).collect());

fn barriers(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|l| l.starts_with("barrier(")).collect()
}

#[test]
fn there_are_as_many_barriers_as_needed() {
    let mut wrong = vec![];
    for (row, cases) in CASES.iter() {
        let kernel = &cases[0].kernel;
        let found = barriers(&kernel.text);
        let (count, flags) = row.ours;
        let of = |flag: &str, name: &str| {
            found.iter().all(|b| b.contains(name)) == flags.contains(flag) || count == 0
        };
        if found.len() != count || !of("L", "LOCAL") || !of("G", "GLOBAL") {
            wrong.push(format!(
                "{} {}: {found:?}, not {count} {flags}\n{}",
                row.number, row.name, kernel.text
            ));
        }
        // Right wins where both disagree; there is no such row.
        assert!(count <= row.up, "{} {}", row.number, row.name);
        assert!(count >= row.opt, "{} {}", row.number, row.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn all() -> bool {
    std::env::var("BARRIERS").is_ok_and(|which| which == "all")
}

/// Runs on two threads, and gives all that went wrong.
fn each<T: Sync>(of: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let part = |of: &[T]| of.iter().filter_map(|t| check(t).err()).collect::<Vec<_>>();
    let (first, second) = of.split_at(of.len() / 2);
    let wrong = std::thread::scope(|s| {
        let other = s.spawn(|| part(second));
        [part(first), other.join().unwrap()].concat()
    });
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn groups_of_any_shape_agree_with_the_interpreter() {
    let Some(device) = device_common::opencl() else { return };
    let devices = device_common::devices();
    each(&some(3), |case| {
        // PoCL 3.1 cannot compile a barrier in a loop over the work-items of a group of one.
        let is_in_loop = ["7 ", "8 ", "i10 ", "t3 "].iter().any(|row| case.label.starts_with(row));
        if is_in_loop && case.local() == Some([1; 3]) {
            return Ok(());
        }
        let mut inputs = case.input_components().into_iter();
        let params = case.kernel.params.iter().map(|p| match &p.kind {
            ParamKind::Size(x) => Param::Int(case.sizes[x]),
            ParamKind::Input(..) => {
                let data = host_data(&inputs.next().unwrap());
                if p.by_value { Param::Scalar(data.get(0).unwrap()) } else { Param::Input(data) }
            }
            ParamKind::Output(_) => Param::Output { elem: p.scalar, len: case.len(p) },
            ParamKind::Temp => Param::Temp { elem: p.scalar, len: case.len(p) },
            ParamKind::Local => Param::Local { bytes: p.scalar.bytes() * case.len(p) },
        });
        let mut request =
            device_common::request(&device, &case.kernel.text, &case.kernel.name, params.collect());
        (request.steps[0].global, request.steps[0].local) = (Some(case.global), case.local());
        let report = device_common::run(devices, &request).map_err(|e| format!("{}: {e}", case.label))?;
        let mut values = report.outputs.iter().flat_map(|output| {
            let output: Buffer = buffer(output);
            (0..output.len()).map(|i| output.get(i).unwrap()).collect::<Vec<_>>()
        });
        case.compare(|_| values.next().unwrap())
    });
}

/// All cases, or one of each row, and of every so many rows alone.
fn some(every: usize) -> Vec<&'static Case> {
    let of = |(i, (_, cases)): (usize, &'static (&Row, Vec<Case>))| match all() {
        true => cases.iter().collect(),
        false if i.is_multiple_of(every) => vec![&cases[i / every % cases.len()]],
        false => vec![],
    };
    CASES.iter().enumerate().flat_map(of).collect()
}

#[test]
fn work_items_of_a_group_do_not_race() {
    if oclgrind() {
        each(&some(5), |case| simulate(case));
    }
}

/// The kernel without its barrier of this number.
fn without(case: &Case, number: usize) -> Case {
    let mut case = case.clone();
    let mut seen = 0;
    let is_kept = |line: &&str| {
        let is_barrier = line.trim_start().starts_with("barrier(");
        seen += usize::from(is_barrier);
        !(is_barrier && seen == number + 1)
    };
    case.kernel.text = case.kernel.text.lines().filter(is_kept).map(|l| format!("{l}\n")).collect();
    case.label = format!("{}, without barrier {number}", case.label);
    case
}

#[test]
fn no_barrier_can_be_left_out() {
    if !oclgrind() {
        return;
    }
    let is_tried = |i: usize| all() || i.is_multiple_of(9);
    let rows: Vec<_> = CASES.iter().enumerate().filter(|(i, _)| is_tried(*i)).map(|(_, row)| row).collect();
    each(&rows, |(row, cases)| {
        (0..barriers(&cases[0].kernel.text).len()).try_for_each(|number| {
            let races =
                |case: &Case| simulate(&without(case, number)).is_err_and(|why| why.contains("data race"));
            match cases.iter().any(races) {
                true => Ok(()),
                false => {
                    Err(format!("{}: barrier {number} can be left out\n{}", row.number, cases[0].kernel.text))
                }
            }
        })
    });
}

/// Memory that work-items exchange is not promised to be one work-item's: compilers would keep what they have read of it.
#[test]
fn what_work_items_exchange_is_read_again_behind_a_barrier() {
    let Some(device) = device_common::opencl() else { return };
    let program = "def f (a: n.8.i32) = a |> mapWorkGroup 0 (\\row. let (toMem private (row
       |> circularBuffer global 2 2 (\\x. x * 2)
       |> mapStream (\\w. reduceSeqUnroll (+) 0 w)
       |> rotateValues private 2 (\\x. x)
       |> iterateStream (\\w. reduceSeqUnroll (+) 0 w))) (\\t. t |> mapLocal 0 (\\y. y + 1)))";
    let kernel = crate::modules::ran_by("id", program, "n=3", &device);
    assert!(!kernel.contains("global int* restrict t") && kernel.contains("global int* t"), "{kernel}");
    assert!(
        kernel.contains("global const int* restrict a") && kernel.contains("restrict output"),
        "{kernel}"
    );
}
