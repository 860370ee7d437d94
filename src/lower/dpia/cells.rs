//! Can two work-items of a group meet at a cell?
//!
//! In: two uses of shared memory and what is the same for both of them. A cell that tells which work-item uses it is
//! that one's own: where an index is the number of the work-item, or of its iteration, times a step, plus what is the
//! same for all, equal indices mean equal work-items, because iterations with equal numbers are the same work-item's.

use super::barriers::is_local;
use super::effects::{Around, Effect, Place, Step};
use super::{Loop, LoopKind, Workers};
use crate::lang::nat::{Name, Nat, NatVar, Ranges, Worker};
use crate::target::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// A use of shared memory by work-items.
#[derive(Clone, Debug)]
pub struct Use {
    pub memory: Name,
    pub storage: Storage,
    pub writes: bool,
    place: Place,
    /// Outermost first.
    loops: Vec<Around>,
    /// Numbers that are at least zero where it stands.
    known: Vec<Nat>,
}

impl Use {
    pub fn new(e: Effect, storage: Storage, around: &[Around], known: &[Nat]) -> Use {
        let loops = around.iter().chain(&*e.loops).cloned().collect();
        Use { memory: e.memory, storage, writes: e.writes, place: e.place, loops, known: known.to_vec() }
    }

    /// The variable of the innermost loop around it.
    pub fn within(&self) -> Option<Name> {
        self.loops.last().map(|l| l.var.clone())
    }

    /// The cell, as DPIA prints it.
    pub fn cell(&self) -> String {
        let step = |s: &Step| match s {
            Step::At(Some(i), _) => format!("[{i}]"),
            Step::At(None, _) => "[…]".into(),
            Step::First => ".fst".into(),
            Step::Second => ".snd".into(),
        };
        format!("{}{}", self.memory, self.place.steps.iter().map(step).collect::<String>())
    }
}

impl Use {
    /// Is the cell in a part of the memory that the work-item of this number has in the dimension?
    pub fn is_in_own_part(&self, d: u8) -> bool {
        let id = NatVar::Worker(Worker::LocalId(d));
        self.place.indices().into_iter().flatten().any(|i| i.vars().contains(&id))
    }
}

/// How two uses stand to each other.
pub struct Meeting<'a> {
    /// The loops around both.
    pub around: &'a [Around],
    /// The loop in whose next, or a later, iteration the second use is.
    pub next_of: Option<&'a Loop>,
    /// The dimensions in which a group may have several work-items.
    pub dimensions: &'a [u8],
    /// Of the loops around both.
    pub ranges: &'a Ranges,
}

/// May two work-items of a group use the same cell?
pub fn race(a: &Use, b: &Use, at: &Meeting) -> bool {
    // What keeps any two iterations apart need not know which is the later one.
    let by = |numbers| {
        meet(a, b, at, (Order::Later, numbers))
            && (at.next_of.is_none() || meet(a, b, at, (Order::Any, numbers)))
    };
    let strides = [a, b].into_iter().flat_map(|u| &u.loops).any(|l| !l.is_plain);
    by(Numbers::Own) && (!strides || by(Numbers::Counted))
}

/// What the numbers of iterations are: of their own, or counted from where the loop starts in its steps. The work-items of
/// a group start at their numbers and go on by as many as they are, so that all that one of them comes to leaves the same
/// when divided by that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Own,
    Counted,
}

/// Of the loop of the meeting: is the second use in a later iteration, or in any?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Later,
    Any,
}

fn meet(a: &Use, b: &Use, at: &Meeting, (order, numbers): (Order, Numbers)) -> bool {
    let (x, y) = (a.place.component(), b.place.component());
    if x.iter().zip(&y).any(|(p, q)| p != q) {
        return false;
    }
    let mut ranges = at.ranges.clone();
    let first = Side::of(a, at, ("'", numbers), None, &mut ranges);
    let second = Side::of(b, at, ("\"", numbers), Some(order), &mut ranges);
    let differ =
        |(i, j): (&Nat, &Nat)| i.is_less(j, &ranges) == Some(true) || j.is_less(i, &ranges) == Some(true);
    if first.known_with(&second).any(differ) {
        return false;
    }
    let tells = |d: u8| {
        first.owners[usize::from(d)]
            .iter()
            .any(|p| second.owners[usize::from(d)].iter().any(|q| told(p, &first, q, &second, &ranges)))
    };
    !at.dimensions.iter().all(|d| tells(*d))
}

/// A use, with names of its own for what the other one does not share.
#[derive(Clone)]
struct Side {
    /// The index in each dimension, and the offset of the cell last.
    indices: Vec<Option<Nat>>,
    /// In each dimension: numbers that are the work-item's, or leave as much when divided by how many there are.
    owners: [Vec<Owner>; 3],
    own: BTreeSet<Name>,
}

/// A number that tells a work-item, or that it is a part of, and the end of its range.
#[derive(Clone)]
struct Owner {
    number: Nat,
    end: Nat,
}

impl Side {
    /// `second`: in which iteration of the loop of the meeting, for the second use.
    fn of(
        u: &Use,
        at: &Meeting,
        (mark, numbers): (&str, Numbers),
        second: Option<Order>,
        ranges: &mut Ranges,
    ) -> Side {
        let is_common = |x: &Name| at.around.iter().any(|l| l.var == *x && !is_local(l.kind));
        let shifted = |x: &Name| at.next_of.is_some_and(|l| l.var == *x && !is_local(l.kind));
        let first: Vec<u8> = (0..3).filter(|d| u.is_first(*d)).collect();
        let own = |x: &str| -> Name { format!("{x}{mark}").into() };
        let lid = |d: u8| own(&format!("local {d}"));
        let renamed = |v: &NatVar, values: &BTreeMap<Name, Nat>| -> Option<Nat> {
            Some(match v {
                NatVar::Worker(Worker::LocalId(d)) if first.contains(d) => Nat::constant(0),
                NatVar::Worker(Worker::LocalId(d)) => Nat::var(&lid(*d)),
                NatVar::Worker(Worker::GlobalId(d)) => Nat::var(&own(&format!("global {d}"))),
                NatVar::Named(x) => return values.get(x).cloned(),
                _ => return None,
            })
        };
        let mut values: BTreeMap<Name, Nat> = BTreeMap::new();
        for l in &u.loops {
            let x = &l.var;
            let there = |n: &Nat| n.subst(&|v| renamed(v, &values));
            let value = match () {
                () if u.is_zero(l) => Nat::constant(0),
                () if is_common(x) || shifted(x) && second.is_none() => continue,
                () if shifted(x) && second == Some(Order::Later) => {
                    Nat::var(x).add(&Nat::constant(1)).add(&Nat::var(&own(x)))
                }
                () if numbers == Numbers::Counted && !l.is_plain => {
                    there(&l.init).add(&there(&l.step).mul(&Nat::var(&own(x))))
                }
                () => Nat::var(&own(x)),
            };
            values.insert(x.clone(), value);
        }
        let here = |n: &Nat| n.subst(&|v| renamed(v, &values));
        let mut names = BTreeSet::new();
        let mut bind = |x: Name, end: Nat, ranges: &mut Ranges| {
            ranges.insert(x.clone(), Nat::constant(0), end);
            names.insert(x);
        };
        for l in &u.loops {
            let x = &l.var;
            if shifted(x) {
                ranges.insert(x.clone(), Nat::constant(0), here(&l.n));
                if second.is_some() {
                    bind(own(x), here(&l.n), ranges);
                }
            } else if !is_common(x) {
                bind(own(x), here(&l.n), ranges);
            }
        }
        let size = |w: Worker| {
            at.ranges.worker_end(w).or_else(|| w.end().map(Worker::nat)).unwrap_or_else(Nat::poison)
        };
        for d in 0..3 {
            bind(lid(d), size(Worker::LocalId(d)), ranges);
            bind(own(&format!("global {d}")), size(Worker::GlobalId(d)), ranges);
        }
        u.known.iter().for_each(|n| ranges.assume(&here(n)));
        let owners = [0, 1, 2].map(|d| {
            let id = Owner { number: here(&Worker::LocalId(d).nat()), end: size(Worker::LocalId(d)) };
            let of_loop = |l: &Around| {
                (numbers == Numbers::Own && l.kind == LoopKind::Parallel(Workers::Local(d)))
                    .then(|| Owner { number: here(&Nat::var(&l.var)), end: here(&l.n) })
            };
            std::iter::once(id).chain(u.loops.iter().filter_map(of_loop)).collect()
        });
        let indices = u.place.indices().into_iter().map(|i| i.map(|i| here(i).simplify(ranges)));
        let mut indices: Vec<Option<Nat>> = indices.collect();
        let offset = u.place.computed.is_empty().then(|| here(&u.place.offset()).simplify(ranges));
        // As many for both, whatever depends on data.
        indices.push(offset);
        Side { indices, owners, own: names }
    }

    fn is_own(&self, n: &Nat) -> bool {
        n.vars().iter().any(|v| matches!(v, NatVar::Named(x) if self.own.contains(x)))
    }

    /// The indices that are known here and there.
    fn known_with<'a>(&'a self, other: &'a Side) -> impl Iterator<Item = (&'a Nat, &'a Nat)> {
        self.indices.iter().zip(&other.indices).filter_map(|(i, j)| Some((i.as_ref()?, j.as_ref()?)))
    }

    /// A number by which an index divides the owner's.
    fn divisor_of(&self, o: &Owner) -> Option<Nat> {
        let NatVar::Named(x) = o.number.as_variable()? else { return None };
        self.indices.iter().flatten().find_map(|i| i.divisor_of(x))
    }

    /// Writes the owner's number as a multiple of d and what is left over, which are returned.
    fn divide(&mut self, o: &Owner, d: &Nat, ranges: &mut Ranges) -> Option<[Owner; 2]> {
        let NatVar::Named(x) = o.number.as_variable()? else { return None };
        let quotient = o.end.exact_div(d);
        if self.is_own(d) || !quotient.is_evidently_integral() {
            return None;
        }
        let parts = [("whole", quotient), ("rest", d.clone())].map(|(what, end)| {
            let name: Name = format!("{x} {what}").into();
            ranges.insert(name.clone(), Nat::constant(0), end.clone());
            self.own.insert(name.clone());
            Owner { number: Nat::var(&name), end }
        });
        let value = d.mul(&parts[0].number).add(&parts[1].number);
        let here = |v: &NatVar| matches!(v, NatVar::Named(y) if y == x).then(|| value.clone());
        for i in self.indices.iter_mut().flatten() {
            *i = i.subst(&here).simplify(ranges);
        }
        Some(parts)
    }
}

/// More divisions than this are not followed.
const MAX_PARTS: usize = 8;

/// Do equal cells say that the owners are equal? They do if an index says it. Where indices divide an owner's number, as
/// those of a tile do whose rows are shorter than the group, each part of it may be said by another index.
fn told(p: &Owner, a: &Side, q: &Owner, b: &Side, ranges: &Ranges) -> bool {
    let (mut a, mut b, mut ranges) = (a.clone(), b.clone(), ranges.clone());
    let mut open = vec![(p.clone(), q.clone())];
    let mut divisions = 0;
    while let Some((p, q)) = open.pop() {
        if a.known_with(&b).any(|(i, j)| says(i, &p, &a, j, &q, &b, &ranges)) {
            continue;
        }
        let Some(d) = a.divisor_of(&p).or_else(|| b.divisor_of(&q)) else { return false };
        divisions += 1;
        if divisions > MAX_PARTS {
            return false;
        }
        let (Some(p), Some(q)) = (a.divide(&p, &d, &mut ranges), b.divide(&q, &d, &mut ranges)) else {
            return false;
        };
        open.extend(p.into_iter().zip(q));
    }
    true
}

impl Use {
    /// Is it made by the first work-item of the dimension alone?
    fn is_first(&self, d: u8) -> bool {
        let only = |l: &Around| l.kind == LoopKind::Parallel(Workers::Local(d)) && self.is_zero(l);
        self.is_below_one(&Worker::LocalId(d).nat()) || self.loops.iter().any(only)
    }

    /// Does it run in the first iteration of the loop alone? Also where all work-items go round for a barrier's sake.
    fn is_zero(&self, l: &Around) -> bool {
        l.n == Nat::constant(1) || self.is_below_one(&Nat::var(&l.var))
    }

    fn is_below_one(&self, n: &Nat) -> bool {
        self.known.contains(&Nat::constant(0).sub(n))
    }
}

/// Do equal indices say that the owners are equal?
fn says(i: &Nat, p: &Owner, a: &Side, j: &Nat, q: &Owner, b: &Side, ranges: &Ranges) -> bool {
    let same_rest = |x: Nat, y: Nat| {
        let (x, y) = (x.simplify(ranges), y.simplify(ranges));
        x == y && !a.is_own(&x) && !b.is_own(&x)
    };
    let step_in = |n: &Nat, o: &Owner| {
        let Some(NatVar::Named(x)) = o.number.as_variable() else { return None };
        n.step_of(x).filter(|s| !s.is_zero())
    };
    // What both are numbers of is known without the cell, as that of the first work-item is.
    if same_rest(p.number.clone(), q.number.clone()) {
        return true;
    }
    let one = Nat::constant(1);
    let mut steps: Vec<Nat> = [step_in(i, p), step_in(j, q)].into_iter().flatten().collect();
    steps.push(one.clone());
    steps.into_iter().any(|s| {
        if a.is_own(&s) || b.is_own(&s) {
            return false;
        }
        let rises = s.sub(&one).is_natural(ranges);
        if !rises && !s.add(&one).mul(&Nat::constant(-1)).is_natural(ranges) {
            return false;
        }
        let linear = || same_rest(i.sub(&s.mul(&p.number)), j.sub(&s.mul(&q.number)));
        let falling = || same_rest(i.add(&s.mul(&p.number)), j.add(&s.mul(&q.number)));
        if linear() || falling() {
            return true;
        }
        if !rises {
            return false;
        }
        let (high, low) = (i.floor_div(&s).simplify(ranges), j.floor_div(&s).simplify(ranges));
        same_rest(high.sub(&p.number), low.sub(&q.number))
            || p.end == q.end
                && same_rest(high.modulo(&p.end).sub(&p.number), low.modulo(&q.end).sub(&q.number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The work-items of the group, and the lanes of a vector, in the tests.
    const ITEMS: i64 = 12;
    const LANES: i64 = 4;

    /// A write to `t[i][j]` by the work-items of a group, in each of the iterations of a loop over `lane`.
    fn write(i: &Nat, j: &Nat) -> Use {
        let steps = [i, j].map(|n| Step::At(Some(n.clone()), Nat::constant(1000))).to_vec();
        let lanes = Around {
            kind: LoopKind::Sequential,
            var: "lane".into(),
            init: Nat::constant(0),
            n: Nat::constant(LANES),
            step: Nat::constant(1),
            is_plain: true,
        };
        Use {
            memory: "t".into(),
            storage: Storage::Local,
            writes: true,
            place: Place { memory: Some("t".into()), steps, computed: vec![] },
            loops: vec![lanes],
            known: vec![],
        }
    }

    fn group() -> Ranges {
        let mut ranges = Ranges::default();
        ranges.limit(Worker::LocalId(0), Nat::constant(ITEMS));
        ranges
    }

    fn may_meet(i: &Nat, j: &Nat) -> bool {
        let use_ = write(i, j);
        race(&use_, &use_, &Meeting { around: &[], next_of: None, dimensions: &[0], ranges: &group() })
    }

    fn id() -> Nat {
        Worker::LocalId(0).nat()
    }

    fn lane() -> Nat {
        Nat::var("lane")
    }

    fn n(value: i64) -> Nat {
        Nat::constant(value)
    }

    /// Do two work-items meet, whatever lanes they write?
    fn meet_in_truth(i: &Nat, j: &Nat) -> bool {
        let cell = |item: i64, at: i64| {
            let value = |x: &Nat| {
                x.subst(&|v| match v {
                    NatVar::Worker(Worker::LocalId(0)) => Some(n(item)),
                    NatVar::Named(_) => Some(n(at)),
                    _ => None,
                })
                .as_constant()
            };
            (value(i), value(j))
        };
        let all: Vec<Vec<_>> = (0..ITEMS).map(|item| (0..LANES).map(|at| cell(item, at)).collect()).collect();
        all.iter().enumerate().any(|(k, a)| all.iter().skip(k + 1).any(|b| a.iter().any(|x| b.contains(x))))
    }

    #[test]
    fn a_work_item_is_told_by_the_quotient_and_the_rest_of_its_number_together() {
        let (high, low) = (id().floor_div(&n(4)), id().modulo(&n(4)));
        for (i, j) in [
            (high.clone(), low.clone()),
            (low.mul(&n(4)).add(&lane()), high.clone()),
            (high.clone(), n(11).sub(&low)),
            (high.mul(&n(5)).add(&low), low.clone()),
            // The rest is divided once more.
            (high.mul(&n(2)).add(&low.floor_div(&n(2))), low.modulo(&n(2))),
        ] {
            assert!(!meet_in_truth(&i, &j) && !may_meet(&i, &j), "[{i}][{j}]");
        }
    }

    #[test]
    fn work_items_of_which_the_quotient_or_the_rest_is_not_told_meet() {
        let (high, low) = (id().floor_div(&n(4)), id().modulo(&n(4)));
        for (i, j) in [
            (high.clone(), n(0)),
            (low.clone(), n(0)),
            (high.add(&low), low.floor_div(&n(2))),
            (high.clone(), low.modulo(&n(2))),
            // Lanes of one are those of the next one, too.
            (low.mul(&n(3)).add(&lane()), high.clone()),
            (low.add(&lane()), high.mul(&n(4))),
            (id().floor_div(&n(4)), id().modulo(&n(3))),
        ] {
            assert!(may_meet(&i, &j), "[{i}][{j}]");
        }
    }

    /// A use of `t[i]`, in a loop from `init` on by `step`.
    fn strided(i: &Nat, init: &Nat, step: i64, kind: LoopKind) -> Use {
        let mut u = write(&n(0), i);
        let around = &mut u.loops[0];
        (around.kind, around.init, around.n, around.step) = (kind, init.clone(), Nat::var("m"), n(step));
        around.is_plain = false;
        u
    }

    #[test]
    fn loops_of_equal_strides_keep_to_the_cells_of_their_work_item() {
        let local = LoopKind::Parallel(Workers::Local(0));
        let at = Meeting { around: &[], next_of: None, dimensions: &[0], ranges: &group() };
        let of_group = strided(&lane(), &id(), ITEMS, local);
        // Further on, by a multiple of the group's work-items.
        for (from, step) in [(ITEMS, ITEMS), (0, 2 * ITEMS), (3 * ITEMS, ITEMS)] {
            let later = strided(&lane(), &id().add(&n(from)), step, LoopKind::Sequential);
            assert!(!race(&of_group, &later, &at), "from {from} by {step}");
            assert!(!race(&later, &of_group, &at), "from {from} by {step}");
        }
        for (from, step) in [(1, ITEMS), (ITEMS, 1), (ITEMS, ITEMS / 2), (ITEMS / 2, ITEMS)] {
            let other = strided(&lane(), &id().add(&n(from)), step, LoopKind::Sequential);
            assert!(race(&of_group, &other, &at), "from {from} by {step}");
        }
        // What all work-items run through alike.
        assert!(race(&of_group, &strided(&lane(), &n(0), ITEMS, LoopKind::Sequential), &at));
    }

    #[test]
    fn work_items_that_are_told_apart_never_meet() {
        let steps = [1, 4];
        let mut apart = 0;
        for (d, e) in [2, 3, 4, 5].into_iter().flat_map(|d| [2, 4, 5].map(|e| (d, e))) {
            for (s, t) in steps.into_iter().flat_map(|s| steps.map(|t| (s, t))) {
                let (high, low) = (id().floor_div(&n(d)), id().modulo(&n(e)));
                let (of_high, of_low) = (high.mul(&n(s)), low.mul(&n(t)));
                let forms = |lane: &Nat| {
                    [
                        (of_high.add(lane), of_low.clone()),
                        (of_low.add(lane), of_high.clone()),
                        (of_high.add(&of_low), lane.clone()),
                        (of_high.add(&of_low).add(lane), n(0)),
                        (high.floor_div(&n(s)), low.add(lane)),
                        (high.modulo(&n(s)).add(lane), low.floor_div(&n(t))),
                        (high.add(lane).floor_div(&n(s)), low.clone()),
                        (high.add(&low).modulo(&n(s)), low.add(lane)),
                    ]
                };
                for (i, j) in forms(&lane()).into_iter().chain(forms(&n(0))) {
                    if !may_meet(&i, &j) {
                        assert!(!meet_in_truth(&i, &j), "[{i}][{j}]");
                        apart += 1;
                    }
                }
            }
        }
        assert!(apart > 50, "{apart} pairs of indices tell work-items apart");
    }
}
