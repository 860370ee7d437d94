//! Which loops of a program those of a goal are parts of.

use super::nest::{Loop, LoopSketch, Nest};
use super::plan::lowered_back;
use super::sizes::numbers;
use super::vectors::{asks_for_vectors, lanes, scalars, widths};
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::sketch::{Sketch, TypeSketch};
use std::collections::BTreeSet;

/// Ways to say which loop of the goal is which of the program that are looked at.
const MOST_TRIED: usize = 50_000;
/// Lengths that vectors have where the goal does not say.
const WIDTHS: [i64; 7] = [4, 8, 16, 32, 2, 64, 128];
/// Others that are tried after these.
const MOST_LENGTHS: usize = 32;
/// Lengths of vectors within all loops that are tried.
const MOST_WITHIN: usize = 2;

/// The nest with what it leaves out of the program's loops, where it names a part of a loop and not the rest: the chunks,
/// within the loop over them or within all others, or the loop over chunks that are named. Those that lack least come
/// first. Which of the loops vectors are of would not be known, so a nest with vectors has none.
pub(super) fn completed(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Nest> {
    let (spine, leaf) = nest.spine();
    let over = Nest::of_spine(&spine, Nest::any()).sketch();
    if asks_for_vectors(&leaf.sketch()) || asks_for_vectors(&over) {
        return vec![];
    }
    let sizes: Option<Vec<Nat>> = spine.iter().map(|l| l.size().cloned()).collect();
    let Some(sizes) = sizes.filter(|sizes| !sizes.is_empty()) else { return vec![] };
    let reduces: Vec<bool> = spine.iter().map(|l| l.pattern.is_reduce()).collect();
    let mut out: Vec<(usize, Nest)> = vec![];
    for program in programs {
        let (sizes, reduces) = (&sizes, &reduces);
        let mut search = Assigning { whole: false, ..Assigning::new(program, sizes, reduces) };
        search.go_on(&mut vec![]);
        for of in std::mem::take(&mut search.found) {
            for innermost in [false, true] {
                let (mut now, mut parts, mut added) = (nest.clone(), of.clone(), 0);
                for (p, whole) in program.iter().enumerate() {
                    let Some(rest) = search.rest(p, &of).filter(|n| n.as_constant() != Some(1)) else {
                        continue;
                    };
                    // A size in which the rest depends on the program is that of the loop over chunks.
                    let at = match rest.as_constant() {
                        Some(_) if innermost => parts.len(),
                        Some(_) => parts.iter().rposition(|q| *q == p).map_or(0, |last| last + 1),
                        None => parts.iter().position(|q| *q == p).unwrap_or(0),
                    };
                    let pattern = if whole.reduces { Pattern::ReduceSeq } else { Pattern::Map };
                    now = now.with_loop(at, &LoopSketch { pattern, ..LoopSketch::map(rest) });
                    parts.insert(at, p);
                    added += 1;
                }
                if !out.iter().any(|(_, n)| *n == now) {
                    out.push((added, now));
                }
            }
        }
    }
    out.sort_by_key(|(added, _)| *added);
    out.into_iter().map(|(_, nest)| nest).collect()
}

/// The nest before the elements of a loop that it has in parts became vectors, as those of `containsMap(m/4, containsReduceSeq(k,
/// contains((*) : <4>f32 -> ?)))` are: within all its loops one goes over them. One for each length of vectors that is named,
/// where no loop that is named goes over vectors. Where its loops are `all` that the program has, vectors could be what an outer
/// one of them goes over, and only what is summed up innermost is made of them more easily once a loop of it is within.
pub(super) fn before_vectors(nest: &Nest, programs: &[Vec<Loop>], all: bool) -> Vec<Nest> {
    let (spine, leaf) = nest.spine();
    let over = Nest::of_spine(&spine, Nest::any()).sketch();
    let sums = spine.last().is_some_and(|l| l.pattern.is_reduce());
    if asks_for_vectors(&over) || all && !sums {
        return vec![];
    }
    let within =
        |width: &Nat| scalars(nest, Some(width)).with_loop(spine.len(), &LoopSketch::map(width.clone()));
    let is_read = |nest: &Nest| readings(nest, programs).iter().any(|r| !all || !r.sums);
    let named = widths(&leaf.sketch());
    let lengths = match named.is_empty() && asks_for_vectors(&leaf.sketch()) {
        true => WIDTHS.map(Nat::constant).into_iter().chain(left_over(&spine, programs)).collect(),
        false => named,
    };
    lengths.iter().map(within).filter(is_read).take(MOST_WITHIN).collect()
}

/// The nest with the program's loops within those that it names, where it asks for vectors there: as those in the sum of
/// `containsMap(m/4, contains((*) : <4>f32 -> ?))`.
pub(super) fn with_inner_loops(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Nest> {
    let (spine, leaf) = nest.spine();
    if !asks_for_vectors(&leaf.sketch()) {
        return vec![];
    }
    let mut out: Vec<Nest> = vec![];
    for reading in readings(nest, programs) {
        let last = reading.of.iter().max().map_or(0, |last| last + 1);
        let inner = &reading.program[last.min(reading.program.len())..];
        let with = inner.iter().enumerate().fold(nest.clone(), |nest, (i, l)| {
            let pattern = if l.reduces { Pattern::ReduceSeq } else { Pattern::Map };
            let l = LoopSketch { pattern, ..LoopSketch::map(l.size.clone()) };
            nest.with_loop(spine.len() + i, &l)
        });
        if !inner.is_empty() && !out.contains(&with) {
            out.push(with);
        }
    }
    out
}

/// Which loops of the program those of a nest are.
pub(super) struct Reading {
    pub(super) program: Vec<Loop>,
    /// For each loop of the nest, the number of a loop of the program.
    pub(super) of: Vec<usize>,
    /// The loops of the nest, over scalars, without how they run.
    pub(super) loops: Vec<LoopSketch>,
    /// What the innermost is to have.
    pub(super) leaf: Nest,
    pub(super) width: Option<Nat>,
    /// The loop of the nest that reduces in lanes.
    pub(super) lanes: Option<usize>,
    /// Maps of the nest go over parts of what the program sums up: as many sums side by side, of strides, which are summed up at
    /// last.
    pub(super) sums: bool,
}

/// All readings, likeliest first: those with several sums side by side where there are no others.
pub(super) fn readings(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Reading> {
    let mut out = readings_of(nest, programs, false);
    if out.is_empty() {
        out = readings_of(nest, programs, true);
    }
    out
}

fn readings_of(nest: &Nest, programs: &[Vec<Loop>], sums: bool) -> Vec<Reading> {
    let (spine, leaf) = nest.spine();
    if spine.is_empty() {
        return vec![];
    }
    let over = Nest::of_spine(&spine, Nest::any()).sketch();
    let vectors = asks_for_vectors(&leaf.sketch()) || asks_for_vectors(&over);
    let lengths: Vec<Option<Nat>> = if vectors {
        let mut lengths = widths(&nest.sketch());
        lengths.extend(WIDTHS.map(Nat::constant));
        for length in left_over(&spine, programs) {
            if !lengths.contains(&length) {
                lengths.push(length);
            }
        }
        lengths.into_iter().map(Some).collect()
    } else {
        vec![None]
    };
    let in_lanes = if vectors { in_lanes(&spine, &over) } else { None };
    let mut ways: Vec<Option<usize>> = [None].into_iter().chain(in_lanes.map(Some)).collect();
    if !spine.iter().any(|l| l.pattern.is_map()) {
        ways.reverse();
    }
    let mut out: Vec<Reading> = vec![];
    for (lanes, width) in ways.into_iter().flat_map(|lanes| lengths.iter().map(move |width| (lanes, width))) {
        let loops = scalar_loops(&spine, &over, width.as_ref(), lanes);
        let Some(sizes) = loops.iter().map(|l| l.size().cloned()).collect::<Option<Vec<Nat>>>() else {
            continue;
        };
        let reduces: Vec<bool> = loops.iter().map(|l| l.pattern.is_reduce()).collect();
        // What is asked of elements holds of the whole nest alone, not of its loops in another order.
        let plain = |(l, size): (&LoopSketch, &Nat)| {
            LoopSketch { over: TypeSketch::Any, ..lowered_back(l) }.over(size.clone())
        };
        let mut loops: Vec<LoopSketch> = loops.iter().zip(&sizes).map(plain).collect();
        if let Some(l) = lanes.and_then(|at| loops.get_mut(at)) {
            l.pattern = Pattern::Reduce;
        }
        let leaf = if lanes.is_some() { Nest::any() } else { scalars(&leaf, width.as_ref()) };
        for program in programs {
            let (sizes, reduces) = (&sizes, &reduces);
            let mut search = Assigning { sums, ..Assigning::new(program, sizes, reduces) };
            search.go_on(&mut vec![]);
            out.extend(search.found.into_iter().map(|of| Reading {
                program: program.clone(),
                of,
                loops: loops.clone(),
                leaf: leaf.clone(),
                width: width.clone(),
                lanes,
                sums,
            }));
        }
    }
    out.sort_by_key(Reading::cost);
    // Where the sketch says how long vectors are, other lengths give the same.
    let mut different: Vec<Reading> = vec![];
    for reading in out {
        if !different.iter().any(|other| reading.is_as(other)) {
            different.push(reading);
        }
    }
    different
}

/// The loop that can reduce its elements in lanes: the innermost of those that reduce vectors, or of all where the sketch does
/// not say which loop goes over vectors.
fn in_lanes(spine: &[LoopSketch], over: &Sketch) -> Option<usize> {
    let takes_vectors =
        |l: &LoopSketch| matches!(&l.over, TypeSketch::Array(_, element) if lanes(element).is_some());
    let at = if asks_for_vectors(over) {
        spine.iter().rposition(takes_vectors)
    } else {
        spine.len().checked_sub(1)
    };
    at.filter(|at| spine.get(*at).is_some_and(|l| l.pattern.is_reduce()))
}

/// What loops of numbers leave of what a loop is divided by, or of a loop of the program: in `containsMap(n/20,
/// containsMap(4, …))` vectors of five are left. At most [`MOST_LENGTHS`], the shortest first.
fn left_over(spine: &[LoopSketch], programs: &[Vec<Loop>]) -> Vec<Nat> {
    let sizes = || spine.iter().filter_map(LoopSketch::size);
    let inner: Vec<i64> = sizes().filter_map(Nat::as_constant).filter(|n| *n > 0).collect();
    let of_programs = programs.iter().flatten().map(|l| &l.size);
    let wholes: BTreeSet<i64> =
        sizes().chain(of_programs).flat_map(numbers).filter_map(|n| n.as_constant()).collect();
    let mut left = BTreeSet::new();
    for whole in wholes {
        for a in &inner {
            left.extend([1].iter().chain(&inner).filter_map(|b| {
                let product = a.checked_mul(*b)?;
                (whole % product == 0).then_some(whole / product)
            }));
        }
        left.insert(whole);
    }
    left.into_iter().filter(|n| *n > 1).take(MOST_LENGTHS).map(Nat::constant).collect()
}

/// The loops over scalars. Where the sketch does not say which loop goes over vectors, it is the one that reduces in lanes, or the
/// innermost map.
fn scalar_loops(
    spine: &[LoopSketch],
    over: &Sketch,
    width: Option<&Nat>,
    lanes: Option<usize>,
) -> Vec<LoopSketch> {
    let (mut loops, _) = scalars(&Nest::of_spine(spine, Nest::any()), width).spine();
    if let Some(width) = width
        && !asks_for_vectors(over)
    {
        let innermost = || loops.iter().rposition(|l| l.pattern.is_map()).or(loops.len().checked_sub(1));
        if let Some(l) = lanes.or_else(innermost).and_then(|i| loops.get_mut(i))
            && let Some(size) = l.size()
        {
            *l = l.over(size.mul(width));
        }
    }
    loops
}

/// Says of each loop of the goal which of the program it is a part of, so that the parts of each make its size.
struct Assigning<'a> {
    program: &'a [Loop],
    sizes: &'a [Nat],
    reduces: &'a [bool],
    /// The parts of a loop are all of it.
    whole: bool,
    /// A map may be a part of what the program sums up, which has another part that sums up.
    sums: bool,
    found: Vec<Vec<usize>>,
    tried: usize,
}

impl<'a> Assigning<'a> {
    fn new(program: &'a [Loop], sizes: &'a [Nat], reduces: &'a [bool]) -> Assigning<'a> {
        Assigning { program, sizes, reduces, whole: true, sums: false, found: vec![], tried: 0 }
    }

    /// Does each loop of the program that sums up have a part that does, if it has parts?
    fn sums_up(&self, of: &[usize]) -> bool {
        let is_summed = |p: usize| of.iter().zip(self.reduces).any(|(q, reduces)| *q == p && *reduces);
        (0..self.program.len()).all(|p| !self.program[p].reduces || !of.contains(&p) || is_summed(p))
    }

    fn go_on(&mut self, of: &mut Vec<usize>) {
        self.tried += 1;
        if self.tried > MOST_TRIED {
            return;
        }
        let next = of.len();
        if next == self.sizes.len() {
            let fits = |p| self.rest(p, of).is_some_and(|n| !self.whole || n.as_constant() == Some(1));
            if (0..self.program.len()).all(fits) && self.sums_up(of) {
                self.found.push(of.clone());
            }
            return;
        }
        for p in 0..self.program.len() {
            let l = &self.program[p];
            let is_alike = l.reduces == self.reduces[next] || self.sums && l.reduces;
            if is_alike && divides(&self.sizes[next], &l.size) {
                of.push(p);
                self.go_on(of);
                of.pop();
            }
        }
    }

    /// What the parts that are named leave of a loop of the program, one where they are all of it or none is named; none
    /// where they cannot be its parts.
    fn rest(&self, p: usize, of: &[usize]) -> Option<Nat> {
        let parts = of.iter().zip(self.sizes).filter(|(q, _)| **q == p).map(|(_, n)| n);
        let parts: Vec<&Nat> = parts.collect();
        let product = parts.iter().fold(Nat::constant(1), |all, n| all.mul(n));
        let size = &self.program[p].size;
        if parts.is_empty() || product == *size {
            return Some(Nat::constant(1));
        }
        if product.is_zero() {
            return None;
        }
        let rest = size.exact_div(&product);
        match rest.as_constant() {
            Some(n) => (n > 0).then_some(rest),
            None => product.as_constant().filter(|n| *n > 1).map(|_| rest),
        }
    }
}

/// Can the one be a part of the other? Of symbolic sizes the product is asked.
fn divides(part: &Nat, whole: &Nat) -> bool {
    match (part.as_constant(), whole.as_constant()) {
        (Some(a), Some(b)) => a > 0 && b % a == 0,
        (None, Some(_)) => false,
        _ => part.vars().iter().all(|v| whole.vars().contains(v)),
    }
}

impl Reading {
    /// Does it say the same, but for how long vectors are?
    fn is_as(&self, other: &Reading) -> bool {
        (self.lanes, self.sums) == (other.lanes, other.sums)
            && (&self.of, &self.loops, &self.leaf) == (&other.of, &other.loops, &other.leaf)
            && self.program == other.program
    }

    /// Loops that have to be exchanged; before that, how few of the program's loops are used.
    fn cost(&self) -> (usize, usize) {
        let pairs = |i: usize| self.of[i + 1..].iter().filter(|b| self.of[i] > **b).count();
        let unused = (0..self.program.len()).filter(|p| !self.of.contains(p)).count();
        (unused, (0..self.of.len()).map(pairs).sum())
    }
}
