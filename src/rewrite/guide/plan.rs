//! From the sketch of a goal back to the program: which sketches lie between.
//!
//! The loops that the goal asks for are compared with those that the program has. A loop that the goal has in parts was
//! split; loops in another order were exchanged; vectors were scalars, parallel and unrolled loops plain ones, and what is
//! stored was computed where it is used. Undone one by one, from the end, this leads to the program: each sketch on that
//! way is one step from the next.

use super::joined::joining;
use super::nest::{Loop, LoopSketch, Nest, applied, chains, chains_through_zips, copying, loop_in_zip};
use super::reading::{before_vectors, completed, readings, with_inner_loops};
use super::sizes::{is_whole, sizes_of};
use super::vectors::{asks_for_vectors, scalars, widths};
use super::way::sums_alone;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::search::deepest;
use crate::sketch::{Shape, Sketch};

/// Readings of a goal that are tried.
const MOST_PLANS: usize = 4;

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
    /// Where few rules do not lead there, those that match everything are taken too, also by a way that is walked with few.
    pub wide: bool,
    /// All that is new in it is that two maps have changed places.
    pub exchanges: bool,
}

impl Guide {
    pub(super) fn new(nest: Nest, what: impl Into<String>, sizes: Vec<Nat>) -> Guide {
        Guide { nest, what: what.into(), sizes, makes: vec![], wide: false, exchanges: false }
    }

    /// While the sums are within all maps, one of these does nothing but sum up: what else it did would be in the way again.
    fn keeping_sums_alone(self) -> Guide {
        let (spine, _) = self.nest.spine();
        let is_within = spine.iter().is_sorted_by_key(|l| l.pattern.is_reduce());
        let sums = spine.last().is_some_and(|l| l.pattern.is_reduce());
        if !is_within || !sums {
            return self;
        }
        let summing = Sketch::contains(Sketch::app(
            Sketch::app(Sketch::pattern(Pattern::Map), sums_alone()),
            Sketch::any(),
        ));
        Guide { nest: Nest::all(vec![self.nest, Nest::Other(summing)]), ..self }
    }
}

/// The ways back from a goal, likeliest first, each from what is nearest to the program to the goal. The last way is the
/// goal with only that undone which does not depend on the program. `separated` are the program with its weights
/// separated, in each way; `given` puts the values of sizes in a size, as far as they are given.
pub fn plans(
    goal: &Sketch,
    start: &Term,
    separated: &[Term],
    given: &dyn Fn(&Nat) -> Nat,
) -> Vec<Vec<Guide>> {
    // What is not to be there is ruled out at last.
    let nest = Nest::read(&applied(goal)).without(&|s| matches!(s.bare().shape(), Shape::Not(_)));
    let whole = Guide::new(nest.clone(), "the goal", sizes_of(goal));
    if !goal.holes().is_empty() {
        return vec![vec![whole]];
    }
    let programs = chains(start);
    let loops_first = plans_of(&nest, &programs, MOST_PLANS);
    let names_all = !loops_first.is_empty();
    let beside = beside_first(&nest, &programs);
    // But for what is stored, which the loops of a goal read in parts, it is easier to make while loops are those of the program.
    let (operands, conjuncts) = nest.off_spine();
    let mut others = operands.iter().flatten().filter(|side| **side != Nest::any());
    let is_first = !conjuncts.is_empty() || others.any(|side| matches!(side, Nest::Other(_)));
    let (mut plans, mut after) = (vec![], beside);
    plans.extend(after.take_if(|_| is_first));
    let by_nest = |nest: &Nest| {
        let ways = plans_of(nest, &programs, 1).into_iter().chain(beside_first(nest, &programs));
        ways.map(|plan| without_repetitions(plan.into_iter().chain([whole.clone()]))).collect::<Vec<_>>()
    };
    let within = before_vectors(&nest, &programs, names_all);
    let (first, last) = if names_all { (within, vec![]) } else { (vec![], within) };
    plans.extend(first.iter().take(MOST_PLANS).flat_map(by_nest));
    plans.extend(loops_first);
    plans.extend(taking_up_zipped(&nest, start));
    plans.extend(in_copies(&nest, start));
    plans.extend(vectors_first(&nest, &programs));
    for nest in with_inner_loops(&nest, &programs).into_iter().take(MOST_PLANS) {
        let within = before_vectors(&nest, &programs, true);
        plans.extend(within.iter().chain([&nest]).flat_map(by_nest));
    }
    for term in separated {
        let own: Vec<Vec<Loop>> = chains(term).into_iter().filter(|c| !programs.contains(c)).collect();
        plans.extend(separating(&nest, &own));
    }
    plans.extend(after);
    if !names_all {
        for joined in joining(&nest, start).into_iter().take(MOST_PLANS) {
            let as_one: Vec<Vec<Loop>> = programs.iter().map(|loops| joined.in_chain(loops)).collect();
            let mut after = plans_of(&nest, &as_one, 1);
            if after.is_empty() {
                after.push(lowering(&nest, None, None).into_iter().chain([whole.clone()]).collect());
            }
            plans.extend(
                after.into_iter().map(|after| without_repetitions(joined.way().into_iter().chain(after))),
            );
        }
        let mut several = completed(&nest, &programs);
        several.sort_by_key(|n| !is_whole(n, given));
        several.splice(0..0, last);
        plans.extend(several.iter().take(MOST_PLANS).flat_map(by_nest));
    }
    let mut guides = beside_spine(&scalars(&nest, None).map(&lowered_back, &Sketch::clone), &programs);
    guides.extend(lowering(&nest, None, None));
    guides.push(whole);
    plans.push(without_repetitions(guides));
    let mut ways: Vec<Vec<Guide>> = vec![];
    for plan in plans {
        if !ways.contains(&plan) {
            ways.push(plan);
        }
    }
    ways
}

/// How deeply arrays may be nested on the ways to a goal: as in the program, and once more for each two parts of one loop.
pub fn most_dims(goal: &Sketch, start: &Term) -> u8 {
    let programs = chains(start);
    let is_whole = |n: &Nat| programs.iter().flatten().any(|l| l.size == *n);
    let (spine, _) = Nest::read(&applied(goal)).spine();
    let parts = spine.iter().filter(|l| !l.size().is_some_and(is_whole)).count();
    deepest(start).saturating_add(u8::try_from(parts.div_ceil(2)).unwrap_or(u8::MAX))
}

/// Has a goal more loops than the program, and does it say of one nothing of how large it is? Then no loop is known to be a part of
/// another.
pub fn leaves_parts_open(goal: &Sketch, start: &Term) -> bool {
    let (spine, _) = Nest::read(&applied(goal)).spine();
    let most = chains(start).iter().map(Vec::len).max().unwrap_or(0);
    spine.len() > most && spine.iter().any(|l| l.size().is_none())
}

/// The ways to a nest that names all parts of the loops that it names, so many at most.
fn plans_of(nest: &Nest, programs: &[Vec<Loop>], most: usize) -> Vec<Vec<Guide>> {
    let mut plans: Vec<Vec<Guide>> = vec![];
    for reading in readings(nest, programs).into_iter().take(most) {
        let mut guides = reading.way();
        match reading.in_lanes() {
            Some(lanes) => {
                guides.push(lanes);
                let vectors = nest.map(&lowered_back, &Sketch::clone);
                guides.push(Guide::new(vectors, "vectors in the lanes", vec![]));
            }
            None => {
                let scalar = scalars(nest, reading.width.as_ref()).with_spine(&reading.loops);
                guides.extend(beside_spine(&scalar.map(&lowered_back, &Sketch::clone), programs));
                guides.extend(lowering(nest, Some(&scalar), reading.width.as_ref()));
            }
        }
        guides.push(Guide::new(nest.clone(), "how each loop runs", vec![]));
        // Where something else is computed beside a sum, that stands in the way of exchanging it.
        let alone = reading.sums_alone();
        let beside = guides.clone();
        let alone = (!alone.is_empty()).then(|| {
            alone.into_iter().chain(guides.into_iter().map(Guide::keeping_sums_alone)).collect::<Vec<_>>()
        });
        for plan in [beside].into_iter().chain(alone) {
            let plan = without_repetitions(plan);
            if !plans.contains(&plan) {
                plans.push(plan);
            }
        }
    }
    plans
}

/// The way to the loops of a program that only moves data: those that copy its result, of which each element is made a copy first.
fn in_copies(nest: &Nest, start: &Term) -> Option<Vec<Guide>> {
    let (mut copies, mut at) = (vec![], start.ty().signature().1);
    while let Some((n, element)) = at.as_array() {
        copies.push(Loop { reduces: false, size: n.clone() });
        at = element.clone();
    }
    let plan = plans_of(nest, std::slice::from_ref(&copies), 1).into_iter().next();
    let plan = plan.filter(|_| !start.calculates())?;
    let loops: Vec<LoopSketch> = copies.into_iter().map(|l| LoopSketch::map(l.size)).collect();
    let copied = (1..=loops.len()).map(|depth| {
        let nest = Nest::of_spine(&loops[..depth], Nest::any());
        Guide { makes: vec![Pattern::Map], ..Guide::new(nest, "a copy, element by element", vec![]) }
    });
    Some(without_repetitions(copied.chain(plan)))
}

/// The ways to a nest by which sums take up what is computed in operands of zips: that is brought into the loop over the zip before
/// anything is split, after which there would be many ways to do so.
fn taking_up_zipped(nest: &Nest, start: &Term) -> Vec<Vec<Guide>> {
    let Some(inner) = loop_in_zip(start) else { return vec![] };
    let within = Sketch::new(Shape::Lam(Sketch::contains(Sketch::pattern(inner))));
    let zip = Sketch::app(Sketch::app(Sketch::pattern(Pattern::Zip), Sketch::any()), Sketch::any());
    let map = Sketch::app(Sketch::app(Sketch::pattern(Pattern::Map), within), zip);
    let what = "what is computed for a zip, in the loop over it";
    let guide = Guide::new(Nest::Other(Sketch::contains(map)), what, vec![]);
    let plans = plans_of(nest, &chains_through_zips(start), MOST_PLANS);
    plans.into_iter().map(|plan| without_repetitions([guide.clone()].into_iter().chain(plan))).collect()
}

/// The ways to a nest of vectors that begin with these, in the loops of the program.
fn vectors_first(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Vec<Guide>> {
    if !nest.sides().is_empty() {
        return vec![];
    }
    let mut plans: Vec<Vec<Guide>> = vec![];
    for reading in readings(nest, programs).into_iter().take(MOST_PLANS) {
        let Some(of_vectors) = reading.of_vectors(nest) else { continue };
        let mut guides = of_vectors.way();
        if let Some(first) = guides.first_mut() {
            first.what = "vectors in the loops of the program".to_owned();
            first.sizes.extend(reading.width.clone());
            first.makes = vec![Pattern::AsVector];
        }
        guides.push(Guide::new(nest.clone(), "how each loop runs", vec![]));
        let plan = without_repetitions(guides);
        if !plans.contains(&plan) {
            plans.push(plan);
        }
    }
    plans
}

/// The way to a nest that first makes what is asked for beside its loops, and keeps it while they become those of the
/// nest: before loops are split and exchanged, there are fewer programs among which it is found. None where nothing else is
/// asked for.
fn beside_first(nest: &Nest, programs: &[Vec<Loop>]) -> Option<Vec<Guide>> {
    let lowered = scalars(nest, None).map(&lowered_back, &Sketch::clone);
    let (operands, conjuncts) = lowered.off_spine();
    if conjuncts.is_empty() && operands.iter().all(Vec::is_empty) {
        return None;
    }
    let mut reading = readings(nest, programs).into_iter().find(|r| r.in_lanes().is_none())?;
    let mut guides = beside(&conjuncts, &|sides| Nest::all(sides), programs);
    for (l, own) in reading.loops.iter_mut().zip(operands) {
        l.operands = own;
    }
    let way = reading.way();
    let inside_out = way.first().into_iter().flat_map(inside_out);
    guides.extend(inside_out.chain(way.iter().cloned()).map(|guide| {
        let all = [guide.nest].into_iter().chain(conjuncts.iter().cloned()).collect();
        Guide { nest: Nest::all(all), ..guide }
    }));
    let scalar = scalars(nest, reading.width.as_ref()).with_spine(&reading.loops);
    guides.extend(lowering(nest, Some(&scalar), reading.width.as_ref()));
    guides.push(Guide::new(nest.clone(), "how each loop runs", vec![]));
    Some(without_repetitions(guides))
}

/// A nest with what is asked of operands step by step: first of those of its innermost loops.
fn inside_out(guide: &Guide) -> Vec<Guide> {
    let (spine, leaf) = guide.nest.spine();
    let (operands, _) = guide.nest.off_spine();
    let asking = (0..spine.len()).rev().filter(|at| operands.get(*at).is_some_and(|own| !own.is_empty()));
    let up_to = |from: usize| {
        let mut loops = spine.clone();
        for (l, own) in loops.iter_mut().zip(&operands).skip(from) {
            l.operands.clone_from(own);
        }
        let nest = Nest::of_spine(&loops, leaf.clone());
        let sizes = sizes_of(&nest.sketch());
        Guide::new(nest, "what a loop reads", sizes)
    };
    asking.map(up_to).collect()
}

/// The way to a nest whose loops are those of a program with separated weights. Only what sums in any order is separated, so
/// the sums are put in order after that.
fn separating(nest: &Nest, programs: &[Vec<Loop>]) -> Option<Vec<Guide>> {
    let plan = beside_first(nest, programs).or_else(|| plans_of(nest, programs, 1).into_iter().next())?;
    let first = plan.first()?;
    let unordered = |l: &LoopSketch| match l.pattern {
        Pattern::ReduceSeq => LoopSketch { pattern: Pattern::Reduce, ..l.clone() },
        _ => l.clone(),
    };
    let what = "the loops of the program with separated weights";
    let sums = Guide::new(first.nest.map(&unordered, &Sketch::clone), what, vec![]);
    Some(without_repetitions([sums].into_iter().chain(plan)))
}

/// Step by step what is asked for beside the spine of a nest, one side after the other.
fn beside_spine(nest: &Nest, programs: &[Vec<Loop>]) -> Vec<Guide> {
    beside(&nest.sides(), &|sides| nest.with_sides(&mut sides.into_iter()), programs)
}

/// The same, where `place` says where the sides stand, of which some may be anything.
fn beside(sides: &[Nest], place: &dyn Fn(Vec<Nest>) -> Nest, programs: &[Vec<Loop>]) -> Vec<Guide> {
    let with = |i: usize, side: Nest| {
        let after = sides.iter().skip(i + 1).map(|_| Nest::any());
        place(sides.iter().take(i).cloned().chain([side]).chain(after).collect())
    };
    let mut guides = vec![];
    for (i, side) in sides.iter().enumerate() {
        match side {
            Nest::Store(ty, to_mem, value) => {
                let store = |value: Nest| Nest::Store(ty.clone(), to_mem.clone(), Box::new(value));
                // Where nothing is said of how it gets there, it has to be made in one step.
                let sizes = if **value == Nest::any() { sizes_of(&side.sketch()) } else { vec![] };
                guides.push(Guide::new(
                    with(i, store(Nest::any())),
                    format!("a value of type {ty} in memory"),
                    sizes,
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
                if let Some(reading) = readings(side, programs).into_iter().next() {
                    let way = reading.way().into_iter();
                    guides.extend(way.map(|guide| Guide { nest: with(i, guide.nest), ..guide }));
                }
                let sizes = sizes_of(&side.sketch());
                guides.push(Guide::new(with(i, side.clone()), "something else that is asked for", sizes));
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

fn without_repetitions(guides: impl IntoIterator<Item = Guide>) -> Vec<Guide> {
    let mut out: Vec<Guide> = vec![];
    let mut guides = guides.into_iter().peekable();
    while let Some(guide) = guides.next() {
        let now = guide.nest.sketch();
        // The earlier says more closely what is new.
        let is_same = |last: &Guide| last.nest.sketch() == now;
        // It may have said already how some loops run: as they were before, others would be met. The goal is as it is.
        let is_lowered = |last: &Guide| last.nest.map(&lowered_back, &Sketch::clone).sketch() == now;
        let is_goal = guides.peek().is_none();
        if !out.last().is_some_and(|last| is_same(last) || !is_goal && is_lowered(last)) {
            out.push(guide);
        }
    }
    out
}

/// The loop before it was said how it runs.
pub(super) fn lowered_back(l: &LoopSketch) -> LoopSketch {
    let pattern = match l.pattern {
        Pattern::Reduce => Pattern::Reduce,
        p if p.is_map() => Pattern::Map,
        _ => Pattern::ReduceSeq,
    };
    LoopSketch { pattern, args: vec![], ..l.clone() }
}
