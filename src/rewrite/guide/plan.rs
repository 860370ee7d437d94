//! From the sketch of a goal back to the program: which sketches lie between.
//!
//! The loops that the goal asks for are compared with those that the program has. A loop that the goal has in parts was
//! split; loops in another order were exchanged; vectors were scalars, parallel and unrolled loops plain ones, and what is
//! stored was computed where it is used. Undone one by one, from the end, this leads to the program: each sketch on that
//! way is one step from the next.

use super::nest::{Loop, LoopSketch, Nest, chains, copying, plain};
use super::vectors::{asks_for_vectors, scalars, widths};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::sketch::holes::{Filling, fill, holes_in};
use crate::sketch::{NatSketch, Sketch, TypeSketch};
use std::collections::BTreeSet;

/// Readings of a goal that are tried.
const MOST_PLANS: usize = 4;
/// Ways to say which loop of the goal is which of the program that are looked at.
const MOST_TRIED: usize = 50_000;
/// Lengths that vectors have where the goal does not say.
const WIDTHS: [i64; 7] = [4, 8, 16, 32, 2, 64, 128];
/// Others that are tried after these.
const MOST_LENGTHS: usize = 32;

/// A sketch on the way, or the goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guide {
    pub nest: Nest,
    /// What is new in it, in words.
    pub what: String,
    /// The sizes by which rules are to split and vectorise.
    pub sizes: Vec<Nat>,
    /// What rules may make on the way, those that match everything too, whether or not the program has it.
    pub makes: Vec<Pattern>,
}

impl Guide {
    fn new(nest: Nest, what: impl Into<String>, sizes: Vec<Nat>) -> Guide {
        Guide { nest, what: what.into(), sizes, makes: vec![] }
    }
}

/// The ways back from a goal, likeliest first, each from what is nearest to the program to the goal. The last way is the
/// goal with only that undone which does not depend on the program.
pub fn plans(goal: &Sketch, start: &Term) -> Vec<Vec<Guide>> {
    let nest = Nest::read(goal);
    let whole = Guide::new(nest.clone(), "the goal", sizes_of(goal));
    if !goal.holes().is_empty() {
        return vec![vec![whole]];
    }
    let programs = chains(start);
    let mut plans = plans_of(&nest, &programs, MOST_PLANS);
    if plans.is_empty() {
        let several = completed(&nest, &programs).into_iter().take(MOST_PLANS);
        for mut plan in several.flat_map(|nest| plans_of(&nest, &programs, 1)) {
            plan.push(whole.clone());
            plans.push(without_repetitions(plan));
        }
    }
    let mut guides = beside(&scalars(&nest, None).map(&lowered_back, &Sketch::clone), &programs);
    guides.extend(lowering(&nest, None, None));
    guides.push(whole);
    plans.push(without_repetitions(guides));
    plans
}

/// The ways to a nest that names all parts of the loops that it names, so many at most.
fn plans_of(nest: &Nest, programs: &[Vec<Loop>], most: usize) -> Vec<Vec<Guide>> {
    let mut plans: Vec<Vec<Guide>> = vec![];
    for reading in readings(nest, programs).into_iter().take(most) {
        let mut guides = reading.way();
        match reading.in_lanes() {
            Some(lanes) => guides.push(lanes),
            None => {
                let scalar = scalars(nest, reading.width.as_ref()).with_spine(&reading.loops);
                guides.extend(beside(&scalar.map(&lowered_back, &Sketch::clone), programs));
                guides.extend(lowering(nest, Some(&scalar), reading.width.as_ref()));
            }
        }
        guides.push(Guide::new(nest.clone(), "how each loop runs", vec![]));
        let plan = without_repetitions(guides);
        if !plans.contains(&plan) {
            plans.push(plan);
        }
    }
    plans
}

/// The nest with what it leaves out of the program's loops, where it names a part of a loop and not the rest: the chunks,
/// within the loop over them or within all others, or the loop over chunks that are named. Those that lack least come
/// first. Which of the loops vectors are of would not be known, so a nest with vectors has none.
fn completed(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Nest> {
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
        let mut search = Assigning { program, sizes, reduces, whole: false, found: vec![], tried: 0 };
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

/// Which loops of the program those of a nest are.
struct Reading {
    program: Vec<Loop>,
    /// For each loop of the nest, the number of a loop of the program.
    of: Vec<usize>,
    /// The loops of the nest, over scalars, without how they run.
    loops: Vec<LoopSketch>,
    /// What the innermost is to have.
    leaf: Nest,
    width: Option<Nat>,
    /// The loop of the nest that reduces in lanes.
    lanes: Option<usize>,
}

/// All readings, likeliest first.
fn readings(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Reading> {
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
            let mut search = Assigning { program, sizes, reduces, whole: true, found: vec![], tried: 0 };
            search.go_on(&mut vec![]);
            out.extend(search.found.into_iter().map(|of| Reading {
                program: program.clone(),
                of,
                loops: loops.clone(),
                leaf: leaf.clone(),
                width: width.clone(),
                lanes,
            }));
        }
    }
    out.sort_by_key(Reading::cost);
    out
}

/// The loop that can reduce its elements in lanes: the innermost of those that reduce vectors, or of all where the sketch does
/// not say which loop goes over vectors.
fn in_lanes(spine: &[LoopSketch], over: &Sketch) -> Option<usize> {
    let takes_vectors = |l: &LoopSketch| matches!(&l.over, TypeSketch::Array(_, element) if matches!(**element, TypeSketch::Vector(..)));
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
    found: Vec<Vec<usize>>,
    tried: usize,
}

impl Assigning<'_> {
    fn go_on(&mut self, of: &mut Vec<usize>) {
        self.tried += 1;
        if self.tried > MOST_TRIED {
            return;
        }
        let next = of.len();
        if next == self.sizes.len() {
            let fits = |p| self.rest(p, of).is_some_and(|n| !self.whole || n.as_constant() == Some(1));
            if (0..self.program.len()).all(fits) {
                self.found.push(of.clone());
            }
            return;
        }
        for p in 0..self.program.len() {
            let l = &self.program[p];
            if l.reduces == self.reduces[next] && divides(&self.sizes[next], &l.size) {
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

impl Reading {
    /// Loops that have to be exchanged; before that, how few of the program's loops are used.
    fn cost(&self) -> (usize, usize) {
        let pairs = |i: usize| self.of[i + 1..].iter().filter(|b| self.of[i] > **b).count();
        let unused = (0..self.program.len()).filter(|p| !self.of.contains(p)).count();
        (unused, (0..self.of.len()).map(pairs).sum())
    }

    /// The nest when one of its loops reduces vectors, where it does.
    fn in_lanes(&self) -> Option<Guide> {
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

    /// A part of a loop of the program that is not all split yet. Lanes reduce what may be regrouped, so nothing is said of its
    /// order.
    fn before(&self, p: usize, l: &LoopSketch) -> LoopSketch {
        let in_lanes = self.lanes.and_then(|at| self.of.get(at)) == Some(&p);
        let pattern = if in_lanes { Pattern::Reduce } else { l.pattern };
        LoopSketch { pattern, ..l.clone() }
    }

    /// From the loops of the program to those of the nest, by splitting one or exchanging two at a time.
    fn way(&self) -> Vec<Guide> {
        let end: Vec<Part> =
            self.of.iter().zip(&self.loops).map(|(of, l)| Part { of: *of, l: l.clone() }).collect();
        // The loops of the program that are asked for, each whole.
        let mut now: Vec<Part> = vec![];
        for (p, l) in self.program.iter().enumerate() {
            if let Some(first) = end.iter().find(|part| part.of == p) {
                now.push(Part { of: p, l: self.before(p, &first.l).over(l.size.clone()) });
            }
        }
        let guide = |parts: &[Part], what: String, sizes: Vec<Nat>| {
            let loops: Vec<LoopSketch> = parts.iter().map(|p| p.l.clone()).collect();
            Guide::new(Nest::of_spine(&loops, self.leaf.clone()), what, sizes)
        };
        let mut guides = vec![guide(&now, "the loops of the program".to_owned(), vec![])];
        for p in 0..self.program.len() {
            let parts: Vec<&Part> = end.iter().filter(|part| part.of == p).collect();
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

/// Step by step what is asked for beside the spine of a nest, one side after the other.
fn beside(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Guide> {
    let sides = nest.sides();
    let with = |i: usize, side: Nest| {
        let all = sides.iter().take(i).cloned().chain([side]).chain(std::iter::repeat_with(Nest::any));
        nest.with_sides(&mut all.into_iter())
    };
    let mut guides = vec![];
    for (i, side) in sides.iter().enumerate() {
        match side {
            Nest::Store(ty, to_mem, value) => {
                let store = |value: Nest| Nest::Store(ty.clone(), to_mem.clone(), Box::new(value));
                guides.push(Guide::new(
                    with(i, store(Nest::any())),
                    format!("a value of type {ty} in memory"),
                    vec![],
                ));
                let copying = copying(ty);
                let Some(reading) = readings(value, std::slice::from_ref(&copying)).into_iter().next() else {
                    continue;
                };
                for depth in 1..=copying.len() {
                    let loops: Vec<LoopSketch> =
                        copying[..depth].iter().map(|l| LoopSketch::map(l.size.clone())).collect();
                    let copy = with(i, store(Nest::of_spine(&loops, Nest::any())));
                    let mut guide = Guide::new(copy, "which is copied element by element", vec![]);
                    guide.makes = vec![Pattern::Map];
                    guides.push(guide);
                }
                guides.extend(reading.way().into_iter().skip(1).map(|guide| Guide {
                    nest: with(i, store(guide.nest)),
                    what: format!("in the copy, {}", guide.what),
                    ..guide
                }));
                guides.push(Guide::new(with(i, side.clone()), "the copy as it is asked for", vec![]));
            }
            _ => {
                let Some(reading) = readings(side, programs).into_iter().next() else { continue };
                let way = reading.way().into_iter();
                guides.extend(way.map(|guide| Guide { nest: with(i, guide.nest), ..guide }));
            }
        }
    }
    guides
}

/// The last steps: all that is asked for beside the loops, and vectors, first within the loops, then everywhere. `scalar` is
/// the goal without vectors where that is known better than from the sketch.
fn lowering(goal: &Nest, scalar: Option<&Nest>, width: Option<&Nat>) -> Vec<Guide> {
    if goal.spine().0.is_empty() {
        return vec![];
    }
    let own = scalars(goal, None);
    let scalar = scalar.unwrap_or(&own).map(&lowered_back, &Sketch::clone);
    let vectors = goal.map(&lowered_back, &Sketch::clone);
    let sketch = goal.sketch();
    let mut guides =
        vec![Guide::new(scalar.clone(), "all that is asked for beside the loops", sizes_of(&sketch))];
    if asks_for_vectors(&sketch) {
        let mut sizes = widths(&sketch);
        sizes.extend(width.filter(|w| !widths(&sketch).contains(w)).cloned());
        let within = vectors.with_sides(&mut scalar.sides().into_iter());
        for (nest, what) in [(within, "vectors in the loops"), (vectors, "vectors")] {
            let mut guide = Guide::new(nest, what, sizes.clone());
            guide.makes = vec![Pattern::AsVector];
            guides.push(guide);
        }
    }
    guides
}

fn without_repetitions(guides: Vec<Guide>) -> Vec<Guide> {
    let mut out: Vec<Guide> = vec![];
    for guide in guides {
        // The earlier says more closely what is new.
        if out.last().is_none_or(|last| last.nest.sketch() != guide.nest.sketch()) {
            out.push(guide);
        }
    }
    out
}

/// The loop before it was said how it runs.
fn lowered_back(l: &LoopSketch) -> LoopSketch {
    let pattern = match l.pattern {
        Pattern::Reduce => Pattern::Reduce,
        p if p.is_map() => Pattern::Map,
        _ => Pattern::ReduceSeq,
    };
    LoopSketch { pattern, args: vec![], ..l.clone() }
}

/// Sizes that are tried for holes, likeliest first.
const FOR_HOLES: [i64; 6] = [32, 8, 4, 16, 64, 2];
/// Holes are tried with numbers below this one that divide a size that is a number.
const MOST_DIVISOR: i64 = 1 << 16;
/// Ways to fill the holes of a goal that are tried.
const MOST_FILLED: usize = 12;

/// The goal with sizes in the place of its holes, in ways that leave every size whole as far as is known, and at last as it
/// is. One without holes is as it is. `given` puts the values of sizes in a size, as far as they are given.
pub fn filled(goal: &Sketch, given: &dyn Fn(&Nat) -> Nat) -> Vec<Sketch> {
    let goal = &goal.said_at(given);
    let mut fillings: Vec<Filling> = vec![vec![]];
    for hole in goal.holes() {
        let sizes = sizes_for(goal, &hole, given);
        let with =
            |f: &Filling, size: i64| f.iter().cloned().chain([(hole.clone(), Nat::constant(size))]).collect();
        fillings =
            fillings.iter().flat_map(|f| sizes.iter().map(|size| with(f, *size))).take(MOST_TRIED).collect();
    }
    // Holes that have the same size come first.
    fillings.sort_by_key(|f| f.iter().filter(|(_, n)| Some(n) != f.first().map(|(_, first)| first)).count());
    let is_whole = |s: &Sketch| {
        let mut whole = true;
        s.each_size(&mut |n| whole &= may_be_whole(&given(n)));
        whole
    };
    // The names of abbreviations tell of holes.
    let meets = |f: &&Filling| !f.is_empty() && goal.admits(f);
    let ways = fillings.iter().filter(meets).map(|f| plain(&goal.filled(f))).filter(is_whole);
    ways.take(MOST_FILLED).chain([goal.clone()]).collect()
}

/// Is it not known to be anything but a whole number above zero?
fn may_be_whole(n: &Nat) -> bool {
    !n.vars().is_empty() || n.as_constant().is_some_and(|n| n > 0)
}

/// Numbers that a hole may stand for: the usual ones that what is said of it alone allows and that leave sizes whole, else
/// others that divide a size, else the first that are allowed.
fn sizes_for(goal: &Sketch, hole: &Name, given: &dyn Fn(&Nat) -> Nat) -> Vec<i64> {
    let mut asked: Vec<Nat> = vec![];
    goal.each_size(&mut |n| asked.extend(holes_in(n).contains(hole).then(|| given(n))));
    let fits = |size: i64| {
        let filling = [(hole.clone(), Nat::constant(size))];
        goal.allows(hole, size) && asked.iter().all(|n| may_be_whole(&fill(n, &filling)))
    };
    let usual: Vec<i64> = FOR_HOLES.into_iter().filter(|n| fits(*n)).collect();
    if !usual.is_empty() {
        return usual;
    }
    // Of a size that is divided by the hole all parts fit, and no number above it does.
    let at_one = |n: &Nat| fill(n, &[(hole.clone(), Nat::constant(1))]).as_constant();
    let most = asked.iter().filter_map(at_one).max().unwrap_or(0).min(MOST_DIVISOR);
    let mut parts: Vec<i64> = (2..=most).filter(|n| fits(*n)).collect();
    if !parts.is_empty() {
        // Near the likeliest one, and the whole size last.
        let apart = |n: i64| (n.max(FOR_HOLES[0]) / n.min(FOR_HOLES[0]), n);
        parts.sort_by_key(|n| (*n == most, apart(*n)));
        parts.truncate(FOR_HOLES.len());
        return parts;
    }
    let (low, _) = goal.bounds(hole).unwrap_or((1, None));
    let powers = (0..62).map(|e| 1i64 << e).filter(|n| *n > low).take(2);
    let next = (low..low.saturating_add(FOR_HOLES[0])).chain(powers);
    next.filter(|n| goal.allows(hole, *n)).take(FOR_HOLES.len()).collect()
}

/// The numbers greater than one that a sketch asks for as sizes, and the lengths of its vectors.
pub fn sizes_of(goal: &Sketch) -> Vec<Nat> {
    let mut out = widths(goal);
    goal.each_size(&mut |n| {
        for part in numbers(n) {
            if !out.contains(&part) {
                out.push(part);
            }
        }
    });
    out
}

/// A size that is a number, or what it is divided by.
fn numbers(n: &Nat) -> Vec<Nat> {
    let constant = |v: i64| (v > 1).then(|| Nat::constant(v));
    match n.as_constant() {
        Some(v) => constant(v).into_iter().collect(),
        None => n.terms().iter().filter_map(|(_, c)| constant(i64::try_from(*c.denom()).ok()?)).collect(),
    }
}
