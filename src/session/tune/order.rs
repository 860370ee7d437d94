//! The order in which points of a space are tried.
//!
//! First the start, then points that are spread over the whole space, so that a short tuning has seen something of all of it;
//! then by turns a neighbour of the best and the next of those that are spread. None is tried twice. Alternatives of which
//! all that was tried was ruled out, as a strategy for pipelines is on a program that is none, come last.

use super::space::{Dimension, Point, Space};
use crate::lang::eval::inputs::Rng;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many points for each dimension run before neighbours of the best are tried, and at least `LEAST`.
const SPREAD: usize = 2;
const LEAST: usize = 4;

/// So many points are listed to find one that was not drawn; of larger spaces it is drawn until it is new.
const LISTED: u128 = 1 << 16;

/// So many of the points that are spread may have been drawn before, one after the other.
const REPEATED: usize = 64;

/// So many points of an alternative are tried before it comes last.
const ENOUGH: usize = 2;

pub struct Order {
    rng: Rng,
    drawn: HashSet<Point>,
    /// How many points of the sequence that is spread were taken.
    taken: u64,
    neighbour: bool,
    /// Of an alternative, by dimension and value, how many points were tried, and how many of them were ruled out.
    alternatives: HashMap<(usize, u64), (usize, usize)>,
    /// Set by someone else to stop.
    stop: Arc<AtomicBool>,
}

impl Order {
    /// From a seed; once it is to `stop` there is no further point.
    pub fn new(seed: u64, stop: Arc<AtomicBool>) -> Order {
        let (drawn, alternatives) = (HashSet::new(), HashMap::new());
        Order { rng: Rng::new(seed), drawn, taken: 0, neighbour: false, alternatives, stop }
    }

    /// Notes whether a point was ruled out before it ran.
    pub fn tried(&mut self, space: &Space, point: &Point, ruled_out: bool) {
        for d in space.choices(point) {
            let (tried, lost) = self.alternatives.entry((d, point[d])).or_default();
            *tried += 1;
            *lost += usize::from(ruled_out);
        }
    }

    /// Is an alternative taken of which nothing has run?
    fn comes_last(&self, space: &Space, point: &Point) -> bool {
        space.choices(point).any(|d| {
            let known = self.alternatives.get(&(d, point[d]));
            known.is_some_and(|(tried, lost)| *tried >= ENOUGH && tried == lost)
        })
    }

    /// The next point; none where all were drawn, or it is to stop. `best` is the fastest of so many that ran.
    pub fn next(&mut self, space: &Space, best: Option<&Point>, ran: usize) -> Option<Point> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let point = if self.drawn.is_empty() { Some(space.start()) } else { self.another(space, best, ran) };
        self.drawn.extend(point.clone());
        point
    }

    /// The points that were drawn.
    pub fn drawn(&self) -> &HashSet<Point> {
        &self.drawn
    }

    /// Notes that a point is tried which was drawn elsewhere.
    pub fn draw(&mut self, point: &Point) {
        self.drawn.insert(point.clone());
    }

    fn another(&mut self, space: &Space, best: Option<&Point>, ran: usize) -> Option<Point> {
        self.neighbour = !self.neighbour && ran >= LEAST.max(SPREAD * space.dimensions.len());
        if self.neighbour
            && let Some(near) = best.and_then(|best| self.near(space, best))
        {
            return Some(near);
        }
        self.spread(space)
    }

    /// A neighbour that was not drawn: of one dimension the next value in either direction, or the next that is likely, of
    /// several strategies any.
    fn near(&mut self, space: &Space, best: &Point) -> Option<Point> {
        let mut all = vec![];
        for (d, dimension) in space.dimensions.iter().enumerate() {
            let at = best.get(d).copied()?;
            for other in steps(dimension, at) {
                let mut point = best.clone();
                point[d] = other;
                all.push(space.canonical(&point));
            }
        }
        all.retain(|point| !self.drawn.contains(point));
        all.sort_unstable();
        all.dedup();
        let (last, first): (Vec<_>, Vec<_>) = all.into_iter().partition(|p| self.comes_last(space, p));
        if first.is_empty() { self.one_of(last) } else { self.one_of(first) }
    }

    /// The next point of a sequence whose beginnings fill the space evenly, else any that is left.
    fn spread(&mut self, space: &Space) -> Option<Point> {
        if self.drawn.len() as u128 >= space.count() {
            return None;
        }
        for _ in 0..REPEATED {
            self.taken += 1;
            let point = space.canonical(&even(space, self.taken));
            if !self.drawn.contains(&point) && !self.comes_last(space, &point) {
                return Some(point);
            }
        }
        if space.count() <= LISTED {
            return self.one_that_is_left(space);
        }
        let mut repeated = 0;
        while !self.stop.load(Ordering::Relaxed) {
            let point = space.draw(&mut self.rng);
            if !self.drawn.contains(&point) && (repeated > REPEATED || !self.comes_last(space, &point)) {
                return Some(point);
            }
            repeated += 1;
        }
        None
    }

    fn one_that_is_left(&mut self, space: &Space) -> Option<Point> {
        let mut all: Vec<Point> = space.list().iter().map(|point| space.canonical(point)).collect();
        all.retain(|point| !self.drawn.contains(point));
        // Of what was not counted apart, points are listed that are the same.
        if !space.is_counted() {
            all.sort_unstable();
            all.dedup();
        }
        let (last, first): (Vec<_>, Vec<_>) = all.into_iter().partition(|p| self.comes_last(space, p));
        if first.is_empty() { self.one_of(last) } else { self.one_of(first) }
    }

    fn one_of(&mut self, mut points: Vec<Point>) -> Option<Point> {
        let len = u64::try_from(points.len()).ok().filter(|n| *n > 0)?;
        Some(points.swap_remove(self.rng.below(len) as usize))
    }
}

/// The values beside one.
fn steps(dimension: &Dimension, at: u64) -> Vec<u64> {
    let len = dimension.values();
    let mut all =
        if dimension.is_way() { (0..len).collect() } else { vec![at.wrapping_sub(1), at.saturating_add(1)] };
    let likely = dimension.likely();
    let after = likely.partition_point(|i| *i <= at);
    let before = likely.partition_point(|i| *i < at).checked_sub(1);
    all.extend([before.and_then(|i| likely.get(i)), likely.get(after)].into_iter().flatten());
    all.retain(|i| *i < len && *i != at);
    all.sort_unstable();
    all.dedup();
    all
}

/// The `n`th point of the additive recurrence of the generalised golden ratio (M. Roberts, 2018, "The unreasonable
/// effectiveness of quasirandom sequences"): the root of x^(d+1) = x + 1 in d dimensions. Where values differ in how likely
/// they fit, four of five points have likely ones.
fn even(space: &Space, n: u64) -> Point {
    let dimensions = space.dimensions.len() as i32;
    let mut root = 2.0_f64;
    for _ in 0..64 {
        root = (1.0 + root).powf(1.0 / f64::from(dimensions + 1));
    }
    let mut step = 1.0;
    let value = |d: &Dimension| {
        step /= root;
        let place = (0.5 + step * n as f64).fract();
        let of = |len: u64| ((place * len as f64) as u64).min(len.saturating_sub(1));
        match d.likely() {
            likely if !likely.is_empty() && !n.is_multiple_of(5) => likely[of(likely.len() as u64) as usize],
            _ => of(d.values()),
        }
    };
    space.dimensions.iter().map(value).collect()
}
