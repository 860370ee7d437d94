//! Which loops of a program those of a goal are parts of, and the way from the ones to the others.

use super::nest::{Loop, LoopSketch, Nest};
use super::plan::{Guide, lowered_back};
use super::sizes::numbers;
use super::vectors::{asks_for_vectors, lanes, scalars, widths};
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::sketch::{NatSketch, Shape, Sketch, TypeSketch};
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
    program: Vec<Loop>,
    /// For each loop of the nest, the number of a loop of the program.
    of: Vec<usize>,
    /// The loops of the nest, over scalars, without how they run.
    pub(super) loops: Vec<LoopSketch>,
    /// What the innermost is to have.
    leaf: Nest,
    pub(super) width: Option<Nat>,
    /// The loop of the nest that reduces in lanes.
    lanes: Option<usize>,
    /// Maps of the nest go over parts of what the program sums up: as many sums side by side, of strides, which are summed up at
    /// last.
    sums: bool,
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

/// A loop on the way: which loop of the program it is a part of.
#[derive(Clone, PartialEq)]
struct Part {
    of: usize,
    l: LoopSketch,
}

impl Part {
    fn size(&self) -> Nat {
        self.l.size().cloned().unwrap_or_else(|| Nat::constant(1))
    }
}

/// The loop over what was transposed.
fn of_columns(l: &LoopSketch) -> LoopSketch {
    let transposed = Sketch::app(Sketch::pattern(Pattern::Transpose), Sketch::any());
    LoopSketch { operands: vec![Nest::Other(transposed)], ..l.clone() }
}

/// The sum of what a map computes.
fn of_mapped(l: &LoopSketch) -> LoopSketch {
    let map = Sketch::app(Sketch::app(Sketch::pattern(Pattern::Map), Sketch::any()), Sketch::any());
    LoopSketch { operands: vec![Nest::any(), Nest::Other(map)], ..l.clone() }
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

    /// The nest when one of its loops reduces vectors, where it does.
    pub(super) fn in_lanes(&self) -> Option<Guide> {
        let (at, width) = (self.lanes?, self.width.as_ref()?);
        let mut loops = self.loops.clone();
        let l = loops.get_mut(at)?;
        let vectors = TypeSketch::Vector(NatSketch::Is(width.clone()), Box::new(TypeSketch::Any));
        l.over = TypeSketch::Array(NatSketch::Is(l.size()?.exact_div(width)), Box::new(vectors));
        let what = format!("lanes of {width} that reduce");
        let mut guide = Guide::new(Nest::of_spine(&loops, Nest::any()), what, vec![width.clone()]);
        guide.makes = vec![Pattern::AsVector, Pattern::MakeArray];
        Some(guide)
    }

    /// The reading of the nest in a program of which vectors were made first: then one of its loops goes over vectors, and is split and
    /// exchanged as any other.
    pub(super) fn of_vectors(&self, nest: &Nest) -> Option<Reading> {
        let (spine, leaf) = nest.spine();
        let (width, None, false) = (self.width.as_ref()?, self.lanes, self.sums) else { return None };
        let mut loops = self.loops.clone();
        let mut over_vectors = vec![];
        for (i, (now, asked)) in loops.iter_mut().zip(&spine).enumerate() {
            let size = asked.size()?;
            if now.size() != Some(size) {
                over_vectors.push(i);
                *now = now.over(size.clone());
            }
        }
        let [at] = over_vectors[..] else { return None };
        let of = *self.of.get(at)?;
        let mut program = self.program.clone();
        let whole = program.get_mut(of)?;
        whole.size = whole.size.exact_div(width);
        let reading =
            Reading { program, of: self.of.clone(), loops, leaf, width: None, lanes: None, sums: false };
        spine.get(at).is_some_and(|l| l.pattern.is_map()).then_some(reading)
    }

    /// A sum that is to be outside of maps around it, alone in these: first in the innermost.
    pub(super) fn sums_alone(&self) -> Vec<Guide> {
        let is_sum = |p: usize| self.program.get(p).is_some_and(|l| l.reduces);
        let pairs =
            self.of.iter().enumerate().flat_map(|(i, a)| self.of[i + 1..].iter().map(move |b| (*a, *b)));
        let crossed: Vec<(usize, usize)> =
            pairs.filter(|(a, b)| a > b && is_sum(*a) && !is_sum(*b)).collect();
        let Some(sum) = crossed.iter().map(|(sum, _)| *sum).min() else { return vec![] };
        let outermost = crossed.iter().filter(|(a, _)| *a == sum).map(|(_, map)| *map).min().unwrap_or(sum);
        let maps = &self.program[outermost..sum];
        if maps.iter().any(|l| l.reduces) {
            return vec![];
        }
        let to_any = |p: Pattern, operands: usize| {
            (0..operands).fold(Sketch::pattern(p), |f, _| Sketch::app(f, Sketch::any()))
        };
        let sums = [Pattern::Reduce, Pattern::ReduceSeq].map(|p| to_any(p, 3));
        let mut body = Sketch::new(Shape::Lam(Sketch::new(Shape::Or(sums.to_vec()))));
        let alone = |l: &Loop| {
            let nest = Nest::of_spine(&[LoopSketch::map(l.size.clone())], Nest::Other(body.clone()));
            let within = Sketch::app(Sketch::app(Sketch::pattern(Pattern::Map), body.clone()), Sketch::any());
            body = Sketch::new(Shape::Lam(within));
            Guide {
                wide: true,
                ..Guide::new(nest, format!("the sum alone in the loop over {}", l.size), vec![])
            }
        };
        maps.iter().rev().map(alone).collect()
    }

    /// A part of a loop of the program that is not all split yet. Lanes reduce what may be regrouped, so nothing is said of its
    /// order.
    fn before(&self, p: usize, l: &LoopSketch) -> LoopSketch {
        let in_lanes = self.lanes.and_then(|at| self.of.get(at)) == Some(&p);
        let pattern = if in_lanes { Pattern::Reduce } else { l.pattern };
        LoopSketch { pattern, ..l.clone() }
    }

    /// Is a loop of the program summed up in several sums?
    fn in_sums(&self, p: usize) -> bool {
        let is_map = |(of, l): (&usize, &LoopSketch)| *of == p && l.pattern.is_map();
        self.sums && self.program[p].reduces && self.of.iter().zip(&self.loops).any(is_map)
    }

    /// The loops of the program in the order in which they are split: several sums within each other before the maps around them, within
    /// which there would be more ways to write them.
    fn split_in_turn(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.program.len()).collect();
        let in_parts = |p: &usize| self.of.iter().filter(|q| *q == p).count() > 1;
        let sums = all.iter().filter(|p| self.program[**p].reduces && in_parts(p)).count();
        if !self.sums && sums > 1 {
            all.sort_by_key(|p| !self.program[*p].reduces);
        }
        all
    }

    /// From the loops of the program to those of the nest, by splitting one or exchanging two at a time.
    pub(super) fn way(&self) -> Vec<Guide> {
        let end: Vec<Part> =
            self.of.iter().zip(&self.loops).map(|(of, l)| Part { of: *of, l: l.clone() }).collect();
        // The loops of the program that are asked for, each whole.
        let mut now: Vec<Part> = vec![];
        for (p, l) in self.program.iter().enumerate() {
            let is_sum = |part: &&Part| part.of == p && (!self.in_sums(p) || part.l.pattern.is_reduce());
            let mut parts = end.iter().filter(is_sum).map(|part| &part.l);
            if let Some(first) = parts.clone().next() {
                let asks = parts.find(|part| !part.operands.is_empty());
                let operands = asks.map_or(vec![], |part| part.operands.clone());
                let mut whole = LoopSketch { operands, ..self.before(p, first) };
                if self.in_sums(p) {
                    whole.pattern = Pattern::Reduce;
                }
                now.push(Part { of: p, l: whole.over(l.size.clone()) });
            }
        }
        let with_leaf = |parts: &[Part], leaf: &Nest, what: String, sizes: Vec<Nat>| {
            let loops: Vec<LoopSketch> = parts.iter().map(|p| p.l.clone()).collect();
            Guide::new(Nest::of_spine(&loops, leaf.clone()), what, sizes)
        };
        let guide = |parts: &[Part], what: String, sizes: Vec<Nat>| with_leaf(parts, &self.leaf, what, sizes);
        let mut guides = vec![];
        // Several sums are made before anything is put in order.
        let any = Nest::any();
        for p in (0..self.program.len()).filter(|p| self.in_sums(*p)) {
            let Some(whole) = now.iter().position(|part| part.of == p) else { break };
            let maps = end.iter().filter(|part| part.of == p && part.l.pattern.is_map());
            for (at, map) in (whole..).zip(maps) {
                let rest = now[at].size().exact_div(&map.size());
                now[at].l = now[at].l.over(rest);
                // Within the loop over what is summed up, sums of strides read side by side what lies side by side; where the
                // operator does not allow it, they are of chunks.
                let is_within = end.iter().take_while(|part| *part != map).any(|part| part.of == p);
                let l = if is_within { of_columns(&map.l) } else { map.l.clone() };
                now.insert(at, Part { of: p, l });
                let what = format!("{} sums side by side", map.size());
                // Loops within it may be those of what it is to take up.
                guides.push(with_leaf(&now[..=at + 1], &any, what, vec![map.size()]));
                now[at].l = map.l.clone();
            }
        }
        // What is computed of the elements is computed in each sum before it becomes a part of it.
        let sum = |part: &Part| self.in_sums(part.of) && part.l.pattern.is_reduce();
        if let Some(at) = now.iter().rposition(sum).filter(|at| self.leaf != any || at + 1 < now.len()) {
            let mapped = Part { of: now[at].of, l: of_mapped(&now[at].l) };
            let parts: Vec<Part> = now[..at].iter().cloned().chain([mapped]).collect();
            guides.push(with_leaf(&parts, &any, "what each sum sums up".to_owned(), vec![]));
        }
        for p in (0..self.program.len()).filter(|p| self.in_sums(*p)) {
            let sum = end.iter().find(|part| part.of == p && part.l.pattern.is_reduce());
            let summed = now.iter_mut().find(|part| part.of == p && part.l.pattern.is_reduce());
            if let (Some(sum), Some(summed)) = (sum, summed) {
                summed.l.pattern = sum.l.pattern;
            }
        }
        guides.push(guide(&now, "the loops of the program".to_owned(), vec![]));
        for p in self.split_in_turn() {
            let is_part = |part: &&Part| part.of == p && !(self.in_sums(p) && part.l.pattern.is_map());
            let parts: Vec<&Part> = end.iter().filter(is_part).collect();
            for pair in 0..parts.len().saturating_sub(1) {
                let Some(at) = now.iter().rposition(|part| part.of == p) else { break };
                let inner =
                    parts[pair + 1..].iter().fold(Nat::constant(1), |all, part| all.mul(&part.size()));
                let what = format!("the loop over {} in chunks of {inner}", now[at].size());
                now[at] = parts[pair].clone();
                now.insert(at + 1, Part { of: p, l: self.before(p, &parts[pair + 1].l).over(inner.clone()) });
                guides.push(guide(&now, what, vec![inner]));
            }
        }
        for (i, part) in end.iter().enumerate() {
            // Parts of one loop keep their order, so that the first of the same size is meant.
            let Some(from) = now[i..].iter().position(|p| p == part).map(|at| at + i) else { break };
            for at in (i + 1..=from).rev() {
                let what =
                    format!("the loop over {} outside of that over {}", now[at].size(), now[at - 1].size());
                now.swap(at - 1, at);
                guides.push(guide(&now, what, vec![]));
            }
        }
        guides
    }
}
