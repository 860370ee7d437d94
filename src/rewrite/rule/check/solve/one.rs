//! One comparison solved for one unknown.

use super::super::border::Border;
use super::lifted;
use super::numbers::{all_of, at_place, next_to, number, places};
use super::undo::undo;
use crate::lang::eval::Arithmetic;
use crate::lang::eval::inputs::Rng;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;
use std::cmp::Ordering;

/// So often are the operations taken back.
const STEPS: usize = 70;

/// No more are kept.
const MOST_SOLUTIONS: usize = 12;

/// Of so many of them the next numbers that compare in another way are looked for, within so many floats.
const MOST_ENDS: usize = 4;
const FURTHEST: i128 = 1 << 24;

/// A border, one unknown of it, and what all are (of the one, what was tried last).
pub(super) struct OneUnknown<'a> {
    pub border: &'a Border,
    pub unknown: usize,
    pub scalar: Scalar,
    pub values: Vec<Value>,
}

impl OneUnknown<'_> {
    /// What all unknowns may be.
    pub fn solve(mut self, rng: &mut Rng) -> Vec<Vec<Value>> {
        let s = self.scalar;
        let mut found: Vec<Value> = vec![];
        if s == Scalar::Bool || s.bytes() == 1 {
            found.extend(self.equal_among(all_of(s)));
        } else {
            found.extend(self.taken_back(rng));
            found.extend(self.halved());
            let is_met =
                |one: &mut Self, found: &[Value]| found.iter().any(|v| one.order(v) == Some(Ordering::Equal));
            if !is_met(&mut self, &found) && s.bytes() == 2 {
                found.extend(self.equal_among(all_of(s)));
            }
            if !is_met(&mut self, &found) {
                found.extend(self.lifted(rng));
            }
            let ends: Vec<Value> = found.iter().take(MOST_ENDS).flat_map(|v| self.ends(v)).collect();
            found.extend(ends);
        }
        // Those at which both are equal say most.
        found.sort_by_key(|v| self.order(v) != Some(Ordering::Equal));
        found.dedup();
        found.truncate(MOST_SOLUTIONS);
        let with = |v: Value| {
            let mut values = self.values.clone();
            values[self.unknown] = v;
            values
        };
        found.into_iter().map(with).collect()
    }

    /// How the left compares with the right where the unknown is this.
    fn order(&mut self, v: &Value) -> Option<Ordering> {
        self.values[self.unknown] = v.clone();
        self.border.order(Arithmetic::MACHINE, &self.values)
    }

    fn equal_among(&mut self, all: Vec<Value>) -> Vec<Value> {
        all.into_iter().filter(|v| self.order(v) == Some(Ordering::Equal)).take(MOST_SOLUTIONS).collect()
    }

    /// Bit by bit.
    fn lifted(&mut self, rng: &mut Rng) -> Option<Value> {
        let scalars: Vec<Scalar> =
            (0..self.values.len()).map(|u| self.values[u].scalar().unwrap_or(self.scalar)).collect();
        let found = lifted::solve(&[(self.border, 0)], &[self.unknown], &scalars, &self.values, rng)?;
        Some(found[self.unknown].clone())
    }

    /// The next numbers below and above at which the two compare in another way than here: what grows slowly may be the
    /// same for a while.
    fn ends(&mut self, v: &Value) -> Vec<Value> {
        if !self.scalar.is_float() {
            return vec![];
        }
        let here = self.order(v);
        let mut found = vec![];
        for direction in [-1, 1] {
            let mut same = 0;
            let mut other = 1;
            while other < FURTHEST && next_to(v, direction * other).is_some_and(|v| self.order(&v) == here) {
                (same, other) = (other, 2 * other);
            }
            if other >= FURTHEST {
                continue;
            }
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                match next_to(v, direction * middle) {
                    Some(v) if self.order(&v) == here => same = middle,
                    _ => other = middle,
                }
            }
            found.extend(next_to(v, direction * other));
        }
        found
    }

    /// From the border back to the unknown.
    fn taken_back(&mut self, rng: &mut Rng) -> Vec<Value> {
        let s = self.scalar;
        let mut found = vec![];
        let border = self.border;
        for start in [0, 1, -1, rng.below(1 << 20) as i128] {
            let Some(mut at) = number(start, s) else { continue };
            let mut last: Vec<Value> = vec![];
            for step in 0..STEPS {
                self.values[self.unknown] = at.clone();
                let mut candidates = vec![];
                for (side, target) in [(&border.left, &border.right), (&border.right, &border.left)] {
                    if let (true, Some(target)) =
                        (side.has(self.unknown), target.value(Arithmetic::MACHINE, &self.values))
                    {
                        undo(side, self.unknown, &target, &self.values, &mut candidates);
                    }
                }
                let hit = candidates.iter().find(|v| self.order(v) == Some(Ordering::Equal)).cloned();
                if hit.is_none() && step == 0 {
                    // Equal but for rounding, as the quotient of two floats may be.
                    found.extend(candidates.first().cloned());
                }
                if let Some(hit) = hit {
                    found.push(hit);
                    break;
                }
                match candidates.first() {
                    Some(next) if candidates != last => at = next.clone(),
                    _ => break,
                }
                last = candidates;
            }
        }
        found
    }

    /// Between neighbours of which one is below and one is above.
    fn halved(&mut self) -> Vec<Value> {
        let s = self.scalar;
        let mut found = vec![];
        let mut last: Option<(i128, Ordering)> = None;
        for place in places(s) {
            let Some(order) = at_place(place, s).and_then(|v| self.order(&v)) else {
                last = None;
                continue;
            };
            if let Some((low, below)) = last
                && below != order
            {
                let (mut low, mut high) = (low, place);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    match at_place(middle, s).and_then(|v| self.order(&v)) {
                        Some(o) if o == below => low = middle,
                        _ => high = middle,
                    }
                }
                found.extend([high, low].into_iter().filter_map(|place| at_place(place, s)));
            }
            last = Some((place, order));
        }
        found
    }
}
