//! Sizes: those that a goal names, and those that its holes may stand for.

use super::nest::{Loop, LoopSketch, Nest, applied, chains, copying, plain};
use super::reading::{completed, readings};
use super::unsaid::sized;
use super::vectors::widths;
use crate::lang::constraint::SizeConstraint;
use crate::lang::infer::constraints_of;
use crate::lang::nat::{Name, Nat};
use crate::lang::term::Term;
use crate::sketch::holes::{Filling, fill, holes_in};
use crate::sketch::{Sketch, TypeSketch};
use indexmap::IndexSet;
use std::collections::BTreeSet;

/// Sizes that are tried for holes, likeliest first.
const FOR_HOLES: [i64; 6] = [32, 8, 4, 16, 64, 2];
/// Holes are tried with numbers below this one that divide a size that is a number.
const MOST_DIVISOR: i64 = 1 << 16;
/// Where the usual sizes do not meet what is said of several holes together, all are tried up to this one.
const MOST_SMALL: i64 = 128;
/// Ways to fill the holes of a goal that are looked at, and that are tried.
const MOST_TRIED: usize = 50_000;
const MOST_FILLED: usize = 12;
/// Ways that a goal leaves of what it asks for, in each of which its holes are filled.
const MOST_WAYS: usize = 6;
/// Ways to fill holes with parts of the program's sizes that are looked at.
const MOST_LOOKED_AT: usize = 1_000;

/// A goal with sizes in the place of its holes.
#[derive(Clone)]
pub struct Filled {
    pub goal: Sketch,
    /// That sizes in the place of holes are whole, where nothing that the goal asks for says so: what such a size was divided by is no
    /// longer seen where it is multiplied by that again.
    pub untold: Vec<SizeConstraint>,
}

impl Filled {
    fn plainly(goal: Sketch) -> Filled {
        Filled { goal, untold: vec![] }
    }
}

/// The goal with sizes in the place of its holes, in ways that leave every size whole as far as is known, and at last as it
/// is. One without holes is as it is. `given` puts the values of sizes in a size, as far as they are given; sizes of the
/// program from which it is searched are tried where the goal asks for a multiple of a hole. Where it asks for more loops than there
/// are and does not say how large they are, sizes are tried for these, too.
pub fn filled(goal: &Sketch, start: &Term, given: &dyn Fn(&Nat) -> Nat) -> Vec<Filled> {
    let goal = &goal.said_at(given);
    let programs = chains(start);
    let sized = sized(goal, &programs);
    if !sized.is_empty() {
        let most = MOST_FILLED.div_ceil(sized.len());
        let filled = sized.iter().flat_map(|goal| filled_way(goal, start, &programs, given, most));
        return filled.chain([Filled::plainly(goal.without_decided())]).collect();
    }
    if goal.holes().is_empty() {
        return vec![Filled::plainly(goal.without_decided())];
    }
    let of_program = |f: &Filled| names_parts(&f.goal, &programs, given);
    // What one of several ways asks of a hole the others need not.
    let ways = goal.ways(MOST_WAYS);
    let most = MOST_FILLED.div_ceil(ways.len());
    let mut filled: Vec<Filled> =
        ways.iter().flat_map(|way| filled_way(way, start, &programs, given, most)).collect();
    // Other loops than those of the program are the last that is meant.
    filled.sort_by_cached_key(|s| !of_program(s));
    filled.into_iter().chain([Filled::plainly(goal.without_decided())]).collect()
}

/// The same for a goal that leaves no choice between sketches, in so many ways at most, without the goal as it is. `programs` are the
/// loops of the program.
fn filled_way(
    goal: &Sketch,
    start: &Term,
    programs: &[Vec<Loop>],
    given: &dyn Fn(&Nat) -> Nat,
    most: usize,
) -> Vec<Filled> {
    if goal.holes().is_empty() {
        return vec![Filled::plainly(plain(&goal.without_decided()))];
    }
    let usual = |hole: &Name| {
        let constants = sizes_of_program(goal, hole, programs, given).into_iter().map(Nat::constant);
        parts_of_program(goal, hole, start).into_iter().chain(constants).collect()
    };
    // What is said of several holes together may hold of none of the usual sizes.
    let small = |hole: &Name| {
        let fits = fitting(goal, hole, given);
        (1..=MOST_SMALL).filter(|n| fits(*n)).map(Nat::constant).collect()
    };
    let leaves_whole = |f: &Filled| {
        let mut whole = true;
        f.goal.each_size(&mut |n| whole &= may_be_whole(&given(n)));
        whole
    };
    let known = |f: &Filling| f.iter().all(|(_, n)| may_be_whole(&given(n)));
    let said = constraints_of(start);
    let untold = |f: &Filling, goal: &Sketch| {
        let mut asked = said.clone();
        goal.each_size(&mut |n| asked.extend(SizeConstraint::of_length(n)));
        let all: IndexSet<SizeConstraint> =
            f.iter().flat_map(|(_, n)| SizeConstraint::of_size(&given(n))).collect();
        all.into_iter().filter(|c| !c.follows_from(&asked)).collect()
    };
    let ways = |sizes: &dyn Fn(&Name) -> Vec<Nat>| {
        let at_values = |f: &Filling| f.iter().map(|(hole, n)| (hole.clone(), given(n))).collect::<Filling>();
        let fillings = fillings(goal, sizes, &at_values).into_iter().filter(known);
        // The names of abbreviations tell of holes.
        let filled = fillings.map(move |f| {
            let goal = plain(&goal.decided(&at_values(&f)).filled(&f));
            Filled { untold: untold(&f, &goal), goal }
        });
        filled.filter(&leaves_whole)
    };
    let by_usual: Vec<Filled> = ways(&usual).take(most).collect();
    let filled = if by_usual.is_empty() { ways(&small).take(most).collect() } else { by_usual };
    let of_program = |f: &Filled| names_parts(&f.goal, programs, given);
    // Of loops over a number of elements the usual sizes may be no parts.
    if !filled.iter().any(of_program) {
        let numbers = |hole: &Name| {
            let fits = fitting(goal, hole, given);
            let parts = parts_of_numbers(programs, given).into_iter();
            parts.filter(|n| fits(*n)).map(Nat::constant).collect::<Vec<_>>()
        };
        let all = |hole: &Name| parts_of_loops(goal, programs).into_iter().chain(numbers(hole)).collect();
        // What is said of a number holds at all sizes.
        let by_numbers = ways(&numbers).take(MOST_LOOKED_AT).filter(of_program);
        let by_all = ways(&all).take(MOST_LOOKED_AT).filter(of_program);
        return by_numbers.chain(by_all).chain(filled).take(most).collect();
    }
    filled
}

/// Are the loops of a goal parts of those of the program, all or some, with the values of sizes as far as they are given?
fn names_parts(goal: &Sketch, programs: &[Vec<Loop>], given: &dyn Fn(&Nat) -> Nat) -> bool {
    let nest = Nest::read(&applied(goal));
    if nest.spine().0.is_empty() {
        return stores_parts(&nest, programs);
    }
    !readings(&nest, programs).is_empty() || completed(&nest, programs).iter().any(|n| is_whole(n, given))
}

/// Are the arrays that a nest without loops stores over parts of what the program's loops go over?
fn stores_parts(nest: &Nest, programs: &[Vec<Loop>]) -> bool {
    let copied = |ty: &TypeSketch| {
        let maps = copying(ty).into_iter().map(|l| LoopSketch::map(l.size)).collect::<Vec<_>>();
        let mapped = |program: &Vec<Loop>| {
            program.iter().map(|l| Loop { reduces: false, ..l.clone() }).collect::<Vec<_>>()
        };
        let programs: Vec<Vec<Loop>> = programs.iter().map(mapped).collect();
        !readings(&Nest::of_spine(&maps, Nest::any()), &programs).is_empty()
    };
    match nest {
        Nest::Store(ty, ..) => copied(ty),
        Nest::And(all) => all.iter().all(|n| stores_parts(n, programs)),
        Nest::Loop(_) | Nest::Other(_) => false,
    }
}

/// Do the loops of a nest go over whole numbers of elements, as far as is known?
pub(super) fn is_whole(nest: &Nest, given: &dyn Fn(&Nat) -> Nat) -> bool {
    nest.spine().0.iter().filter_map(LoopSketch::size).all(|n| may_be_whole(&given(n)))
}

/// What loops over a number of elements, as far as sizes are given, can be split into.
fn parts_of_numbers(programs: &[Vec<Loop>], given: &dyn Fn(&Nat) -> Nat) -> Vec<i64> {
    let sizes =
        programs.iter().flatten().filter_map(|l| given(&l.size).as_constant()).filter(|n| *n < MOST_DIVISOR);
    let parts = sizes.flat_map(|size| (2..=size).filter(move |n| size % n == 0));
    parts.collect::<BTreeSet<i64>>().into_iter().collect()
}

/// The sizes of loops, and what the numbers that the goal asks for leave of them.
fn parts_of_loops(goal: &Sketch, programs: &[Vec<Loop>]) -> Vec<Nat> {
    let mut numbers: IndexSet<Nat> = IndexSet::from([Nat::constant(1)]);
    goal.each_size(&mut |n| numbers.extend(n.as_constant().map(Nat::constant)));
    let loops: IndexSet<&Nat> = programs.iter().flatten().map(|l| &l.size).collect();
    let parts = |size: &Nat| numbers.iter().map(|n| size.exact_div(n)).collect::<Vec<_>>();
    loops.into_iter().filter(|size| size.as_constant().is_none()).flat_map(parts).collect()
}

/// Ways to put these sizes in the place of the holes that what is said of them admits, likeliest first. What is said is known of
/// sizes `at_values`.
fn fillings(
    goal: &Sketch,
    sizes: &dyn Fn(&Name) -> Vec<Nat>,
    at_values: &dyn Fn(&Filling) -> Filling,
) -> Vec<Filling> {
    let holes = goal.holes();
    let mut fillings: Vec<Filling> = vec![vec![]];
    for hole in &holes {
        let sizes = sizes(hole);
        let with = |f: &Filling, size: &Nat| -> Filling {
            f.iter().cloned().chain([(hole.clone(), size.clone())]).collect()
        };
        let longer = fillings.iter().flat_map(|f| {
            let equal = goal.said_equal(hole, f).into_iter();
            let all: IndexSet<Nat> = equal.chain(sizes.iter().cloned()).collect();
            all.into_iter().map(|size| with(f, &size)).collect::<Vec<_>>()
        });
        fillings = longer.filter(|f| goal.admits(&at_values(f))).take(MOST_TRIED).collect();
    }
    let is_usual = |n: &Nat| n.as_constant().is_none_or(|n| FOR_HOLES.contains(&n));
    // Holes that have the same size come first, then those with more of the usual sizes.
    fillings.sort_by_key(|f| {
        let first = f.first().map(|(_, first)| first);
        let others = f.iter().filter(|(_, n)| Some(n) != first).count();
        (others, f.iter().filter(|(_, n)| !is_usual(n)).count())
    });
    fillings
}

/// What a hole stands for where a number of times it, which the goal asks for, is a size of the program that is no number.
fn parts_of_program(goal: &Sketch, hole: &Name, start: &Term) -> Vec<Nat> {
    let alone = Nat::var(hole);
    let mut numbers: Vec<Nat> = vec![];
    goal.each_size(&mut |n| {
        let number = n.exact_div(&alone);
        if number.as_constant().is_some_and(|n| n > 1) && !numbers.contains(&number) {
            numbers.push(number);
        }
    });
    let mut out: Vec<Nat> = vec![];
    for size in chains(start).iter().flatten().map(|l| &l.size).filter(|n| n.as_constant().is_none()) {
        for part in numbers.iter().map(|number| size.exact_div(number)) {
            if !out.contains(&part) {
                out.push(part);
            }
        }
    }
    out.truncate(FOR_HOLES.len());
    out
}

/// Is it not known to be anything but a whole number above zero?
fn may_be_whole(n: &Nat) -> bool {
    !n.vars().is_empty() || n.as_constant().is_some_and(|n| n > 0)
}

/// The sizes of a goal that have the hole in them.
fn with_hole(goal: &Sketch, hole: &Name, given: &dyn Fn(&Nat) -> Nat) -> Vec<Nat> {
    let mut asked: Vec<Nat> = vec![];
    goal.each_size(&mut |n| asked.extend(holes_in(n).contains(hole).then(|| given(n))));
    asked
}

/// Whether a number meets what is said of a hole alone, and leaves sizes whole as far as is known.
fn fitting<'a>(
    goal: &'a Sketch,
    hole: &'a Name,
    given: &dyn Fn(&Nat) -> Nat,
) -> impl Fn(i64) -> bool + use<'a> {
    let asked = with_hole(goal, hole, given);
    move |size| {
        let filling = [(hole.clone(), Nat::constant(size))];
        goal.allows(hole, size) && asked.iter().all(|n| may_be_whole(&fill(n, &filling)))
    }
}

/// Numbers that a hole may stand for: the usual ones that what is said of it alone allows and that leave sizes whole, else
/// others that divide a size, else the first that are allowed.
fn sizes_for(goal: &Sketch, hole: &Name, given: &dyn Fn(&Nat) -> Nat) -> Vec<i64> {
    let fits = fitting(goal, hole, given);
    let usual: Vec<i64> = FOR_HOLES.into_iter().filter(|n| fits(*n)).collect();
    if !usual.is_empty() {
        return usual;
    }
    // Of a size that is divided by the hole all parts fit, and no number above it does.
    let at_one = |n: &Nat| fill(n, &[(hole.clone(), Nat::constant(1))]).as_constant();
    let most = with_hole(goal, hole, given).iter().filter_map(at_one).max().unwrap_or(0).min(MOST_DIVISOR);
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

/// The same; of a hole that the goal asks for by itself, as in `split ?t`, first those that divide what a loop of the program goes over.
fn sizes_of_program(
    goal: &Sketch,
    hole: &Name,
    programs: &[Vec<Loop>],
    given: &dyn Fn(&Nat) -> Nat,
) -> Vec<i64> {
    let all = sizes_for(goal, hole, given);
    let alone = with_hole(goal, hole, given).iter().all(|n| *n == Nat::var(hole));
    let fits = fitting(goal, hole, given);
    let parts: Vec<i64> = match alone {
        true => parts_of_numbers(programs, given).into_iter().filter(|n| fits(*n)).collect(),
        false => vec![],
    };
    let (mut sizes, others): (Vec<i64>, Vec<i64>) = all.into_iter().partition(|n| parts.contains(n));
    if sizes.is_empty() {
        sizes = parts;
        sizes.sort_by_key(|n| (n.max(&FOR_HOLES[0]) / n.min(&FOR_HOLES[0]), *n));
        sizes.truncate(FOR_HOLES.len());
    }
    sizes.into_iter().chain(others).collect()
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
pub(super) fn numbers(n: &Nat) -> Vec<Nat> {
    let constant = |v: i64| (v > 1).then(|| Nat::constant(v));
    match n.as_constant() {
        Some(v) => constant(v).into_iter().collect(),
        None => n.terms().iter().filter_map(|(_, c)| constant(i64::try_from(*c.denom()).ok()?)).collect(),
    }
}
