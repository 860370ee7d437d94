//! Several comparisons solved at once: `a + b == 77777 and a - b == 11111`, `x > 1.5 and x < 1.500001`.
//!
//! What is to hold of each is drawn: that both sides are equal, or that one is just above the other. Four ways lead
//! there: Newton's steps over fractions ([`newton`]) and elimination in the arithmetic that wraps around ([`wrapped`]),
//! for what is linear or nearly so; taking operations back for one unknown of one comparison after the other, which stays
//! where it holds already; for remainders, going from solution to solution of the first in the steps of its period; and
//! integers bit by bit ([`lifted`]). What is found is checked in the arithmetic of the rule.

use super::super::border::{Border, Compared, Node};
use super::fractions::newton;
use super::lifted;
use super::numbers::{at_place, next_to, of_fraction, whole_beyond};
use super::small;
use super::undo::undo;
use super::wrapped;
use crate::lang::eval::Arithmetic;
use crate::lang::eval::inputs::Rng;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;
use num_rational::BigRational;
use num_traits::Zero;
use std::cmp::Ordering;

/// So many combinations of what is to hold are tried.
const MOST_GOALS: usize = 32;

/// From so many points.
const STARTS: usize = 3;

/// So many single steps of taking back are made from one point, and so many in all.
const STEPS: usize = 30;
const MOST_STEPS: usize = 1500;

/// Of so many unknowns the neighbours of two at once are looked at.
const FEW: usize = 3;

/// So many solutions of a remainder are looked through for those of the next.
const MOST_PERIODS: i128 = 12_000;

/// What is to hold of a border: how its left compares with its right.
type Wish = (usize, Ordering);

pub(super) struct Several<'a> {
    borders: &'a [Border],
    scalars: Vec<Scalar>,
    arithmetic: Arithmetic,
    rng: Rng,
    /// What is left of [`MOST_STEPS`].
    steps: usize,
}

impl<'a> Several<'a> {
    pub fn of(all: &'a Compared, arithmetic: Arithmetic) -> Several<'a> {
        let scalars = all.unknowns.iter().map(|u| u.scalar).collect();
        let rng = Rng::new(0xbb67_ae85_84ca_a73b);
        Several { borders: &all.borders, scalars, arithmetic, rng, steps: MOST_STEPS }
    }

    /// Values of the unknowns, those at which most holds first.
    pub fn solve(mut self) -> Vec<Vec<Value>> {
        let mut found: Vec<(usize, Vec<Value>)> = vec![];
        for goal in self.goals() {
            if found.iter().any(|(_, values)| self.all_hold(&goal, values)) {
                continue;
            }
            let solution = (0..STARTS).find_map(|round| {
                let start: Vec<Value> =
                    self.scalars.iter().map(|s| small(*s, round, &mut self.rng)).collect();
                self.reach(&goal, start)
            });
            found.extend(solution.map(|values| (goal.len(), values)));
        }
        found.sort_by_key(|(holds, _)| std::cmp::Reverse(*holds));
        found.into_iter().map(|(_, values)| values).collect()
    }

    /// What is to hold at once: all comparisons true (a divisor is mostly not zero where they are), all equal, each two equal,
    /// and what is drawn.
    fn goals(&mut self) -> Vec<Vec<Wish>> {
        let n = self.borders.len();
        // One is solved by itself, but for the fractions that it takes.
        if n < 2 && !self.arithmetic.exact {
            return vec![];
        }
        let equal =
            |borders: &[usize]| -> Vec<Wish> { borders.iter().map(|b| (*b, Ordering::Equal)).collect() };
        let all_true = |compared: bool| -> Vec<Wish> {
            let all = self.borders.iter().enumerate().filter(|(_, border)| border.is_compared || !compared);
            all.map(|(b, border)| (b, border.truth)).collect()
        };
        let mut goals = vec![all_true(true), all_true(false), equal(&(0..n).collect::<Vec<_>>())];
        if self.arithmetic.exact {
            goals.extend((0..n).map(|b| equal(&[b])));
        }
        goals.extend((0..n).flat_map(|a| (0..a).map(move |b| [b, a])).map(|pair| equal(&pair)));
        goals.truncate(MOST_GOALS / 2);
        while goals.len() < MOST_GOALS {
            let share = 1 + self.rng.below(4);
            let some: Vec<usize> = (0..n).filter(|_| self.rng.below(4) < share).collect();
            goals.push(some.into_iter().map(|b| (b, self.order(b))).collect());
        }
        goals.retain(|goal| !goal.is_empty());
        goals.dedup();
        goals
    }

    fn order(&mut self, border: usize) -> Ordering {
        match self.rng.below(8) {
            0 => Ordering::Less,
            1 => Ordering::Greater,
            2 | 3 => Ordering::Equal,
            _ => self.borders[border].truth,
        }
    }

    fn holds(&self, (border, order): Wish, at: &[Value]) -> bool {
        self.borders[border].order(self.arithmetic, at) == Some(order)
    }

    fn all_hold(&self, goal: &[Wish], at: &[Value]) -> bool {
        goal.iter().all(|wish| self.holds(*wish, at))
    }

    fn reach(&mut self, goal: &[Wish], start: Vec<Value>) -> Option<Vec<Value>> {
        let by_newton = self.by_newton(goal, &start);
        let ways = [by_newton, wrapped::solve(&self.wanted_whole(goal), &self.scalars, &start), Some(start)];
        for from in ways.into_iter().flatten() {
            if let Some(at) = self.polished(goal, from.clone()) {
                return Some(at);
            }
            if let Some(at) = self.taken_back(goal, from) {
                return Some(at);
            }
        }
        self.by_periods(goal).or_else(|| self.by_bits(goal))
    }

    fn by_bits(&mut self, goal: &[Wish]) -> Option<Vec<Value>> {
        let wanted = self.wanted_whole(goal);
        let start: Vec<Value> = self.scalars.iter().map(|s| small(*s, 0, &mut self.rng)).collect();
        let used: Vec<usize> =
            (0..self.scalars.len()).filter(|u| wanted.iter().any(|(b, _)| b.has(*u))).collect();
        let at = lifted::solve(&wanted, &used, &self.scalars, &start, &mut self.rng)?;
        self.all_hold(goal, &at).then_some(at)
    }

    fn by_newton(&mut self, goal: &[Wish], start: &[Value]) -> Option<Vec<Value>> {
        // Just above is one above, or a small part of one.
        let small = [1, 1000, 1_000_000_000][self.rng.below(3) as usize];
        let above = |order: Ordering| BigRational::new((order as i64).into(), small.into());
        let wanted: Vec<_> = goal.iter().map(|(b, order)| (&self.borders[*b], above(*order))).collect();
        // What is to be above or below may be more than there are unknowns for.
        let equal = || wanted.iter().filter(|(_, above)| above.is_zero()).cloned().collect::<Vec<_>>();
        let at = newton(&wanted, start).or_else(|| newton(&equal(), start))?;
        let values = at.iter().zip(&self.scalars).zip(start);
        Some(values.map(|((v, s), start)| self.rounded(v, *s).unwrap_or_else(|| start.clone())).collect())
    }

    fn rounded(&self, v: &BigRational, s: Scalar) -> Option<Value> {
        of_fraction(v, s, self.arithmetic.exact)
    }

    fn wanted_whole(&self, goal: &[Wish]) -> Vec<(&'a Border, i128)> {
        goal.iter().map(|(b, order)| (&self.borders[*b], *order as i128)).collect()
    }

    /// The same if the goal holds there, or where one number is a neighbour of what it is, or two of few are: what two
    /// equations ask for is rounded in each.
    fn polished(&self, goal: &[Wish], at: Vec<Value>) -> Option<Vec<Value>> {
        if self.all_hold(goal, &at) {
            return Some(at);
        }
        let near = |at: &[Value], unknown: usize| -> Vec<Vec<Value>> {
            let moved = |by: i128| {
                let mut near = at.to_vec();
                near[unknown] = next_to(&at[unknown], by)?;
                Some(near)
            };
            [1, -1, 2, -2, 3, -3].into_iter().filter_map(moved).collect()
        };
        let of_one: Vec<Vec<Value>> = (0..at.len()).flat_map(|unknown| near(&at, unknown)).collect();
        let is_few = at.len() <= FEW && self.scalars.iter().any(|s| s.is_float());
        let of_two = of_one.iter().filter(|_| is_few).flat_map(|at| (0..at.len()).flat_map(|u| near(at, u)));
        let found = of_one.iter().find(|at| self.all_hold(goal, at)).cloned();
        found.or_else(|| of_two.into_iter().find(|at| self.all_hold(goal, at)))
    }

    /// Makes what does not hold hold, one border and one unknown after the other.
    fn taken_back(&mut self, goal: &[Wish], mut at: Vec<Value>) -> Option<Vec<Value>> {
        for _ in 0..STEPS.min(self.steps) {
            self.steps -= 1;
            let missing: Vec<Wish> = goal.iter().copied().filter(|wish| !self.holds(*wish, &at)).collect();
            if missing.is_empty() {
                return Some(at);
            }
            let wish = missing[self.rng.below(missing.len() as u64) as usize];
            let border = &self.borders[wish.0];
            let unknowns: Vec<usize> = (0..at.len()).filter(|u| border.has(*u)).collect();
            let unknown = unknowns[self.rng.below(unknowns.len() as u64) as usize];
            let mut candidates = vec![];
            for (side, other, order) in
                [(&border.left, &border.right, wish.1), (&border.right, &border.left, wish.1.reverse())]
            {
                if let (true, Some(target)) = (side.has(unknown), other.value(Arithmetic::MACHINE, &at)) {
                    let next = next_to(&target, order as i128);
                    for target in [Some(next.unwrap_or_else(|| target.clone())), whole_beyond(&target, order)]
                    {
                        let Some(target) = target else { continue };
                        undo(side, unknown, &target, &at, &mut candidates);
                    }
                }
            }
            if self.scalars[unknown] == Scalar::Bool {
                candidates.extend([Value::Bool(true), Value::Bool(false)]);
            }
            let with = |value: &Value| {
                let mut at = at.clone();
                at[unknown] = value.clone();
                at
            };
            let hits: Vec<Vec<Value>> =
                candidates.iter().map(with).filter(|at| self.holds(wish, at)).collect();
            let best = hits.iter().max_by_key(|at| goal.iter().filter(|w| self.holds(**w, at)).count());
            // As often as not another one than the best: the best may lead in a circle.
            let any = |rng: &mut Rng| hits.get(rng.below(hits.len().max(1) as u64) as usize);
            let next = if self.rng.below(2) == 0 { best } else { any(&mut self.rng) };
            at = match next {
                Some(next) => next.clone(),
                None => with(candidates.first()?),
            };
        }
        self.all_hold(goal, &at).then_some(at)
    }

    /// Remainders of one integer: the solutions of the first come again after its period, among them those of the second.
    fn by_periods(&mut self, goal: &[Wish]) -> Option<Vec<Value>> {
        let has_remainder =
            |border: &Border| [&border.left, &border.right].iter().any(|n| n.computes(Pattern::Mod));
        let periodic: Vec<Wish> =
            goal.iter().copied().filter(|(b, _)| has_remainder(&self.borders[*b])).collect();
        let (first, others) = periodic.split_first()?;
        let unknown = (0..self.scalars.len()).find(|u| {
            let s = self.scalars[*u];
            !s.is_float() && s != Scalar::Bool && periodic.iter().all(|(b, _)| self.borders[*b].has(*u))
        })?;
        let start = self.scalars.iter().map(|s| small(*s, 0, &mut self.rng)).collect();
        let mut at = self.taken_back(&[*first], start)?;
        let mut held = vec![*first];
        let mut step = self.period(*first, unknown, 1, &at)?;
        for wish in others {
            held.push(*wish);
            at = (0..MOST_PERIODS).find_map(|i| {
                let moved = moved(&at, unknown, step.checked_mul(i)?)?;
                self.all_hold(&held, &moved).then_some(moved)
            })?;
            step = step.checked_mul(self.period(*wish, unknown, step, &at).unwrap_or(1))?;
        }
        self.all_hold(goal, &at).then_some(at)
    }

    /// The number of the border that, times the step, leads from one solution to the next.
    fn period(&self, wish: Wish, unknown: usize, step: i128, at: &[Value]) -> Option<i128> {
        let border = &self.borders[wish.0];
        let constants = [&border.left, &border.right].into_iter().flat_map(Node::constants);
        let mut periods: Vec<i128> = constants
            .filter_map(|v| match v {
                Value::Int(v, _) => Some(v.abs()).filter(|v| *v > 1),
                _ => None,
            })
            .collect();
        periods.sort_unstable();
        periods.into_iter().find(|period| {
            let moved = |i: i128| moved(at, unknown, step.checked_mul(*period)?.checked_mul(i)?);
            [1, 2].into_iter().all(|i| moved(i).is_some_and(|at| self.holds(wish, &at)))
        })
    }
}

/// The same with one integer so much larger, within its type.
fn moved(at: &[Value], unknown: usize, by: i128) -> Option<Vec<Value>> {
    let Value::Int(v, s) = &at[unknown] else { return None };
    let to = v.checked_add(by).filter(|to| *to <= s.extremes().1)?;
    let mut moved = at.to_vec();
    moved[unknown] = at_place(to, *s)?;
    Some(moved)
}
