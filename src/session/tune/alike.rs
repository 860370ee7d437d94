//! What is left open and makes no difference to a program, as far as the points tell that were tried: no time is to be spent
//! on points that differ in that alone.
//!
//! A dimension acts once two points that differ in it alone had other kernels. Points that agree in all that acts are expected
//! to be alike. As long as that is new it is tried whether they are; then only those are tried of which nothing is expected.

use super::space::{Point, Space};
use std::collections::{HashMap, HashSet};

/// What came of a point: the number of the first that had its kernel; none where no point runs that is like it.
pub type Came = Option<usize>;

/// So many points for each dimension, one after the other and at least `LEAST`, have to be as expected.
const SURE: usize = 4;
const LEAST: usize = 64;

/// Of so many combinations of what acts all are looked at.
const LISTED: u64 = 1 << 14;

/// What is left of all points of which nothing is expected.
pub enum Left {
    Nothing,
    Point(Point),
    /// There are too many combinations to look at all of them.
    Many,
}

pub struct Alike {
    acts: Vec<bool>,
    /// What was tried, in order.
    tried: Vec<(Point, Came)>,
    /// The first of those that agree in all that acts, by what acts.
    first: HashMap<Point, usize>,
    /// So many points were as expected, one after the other.
    as_expected: usize,
}

impl Alike {
    /// Nothing is known, but that flags and threads act.
    pub fn new(space: &Space) -> Alike {
        let acts = space.dimensions.iter().map(|d| !d.is_open()).collect();
        Alike { acts, tried: vec![], first: HashMap::new(), as_expected: 0 }
    }

    /// The same point, as it starts in all that does not act.
    fn reduced(&self, space: &Space, point: &Point) -> Point {
        let start = space.start();
        let of = |(d, at): (usize, &u64)| if self.acts[d] { *at } else { start[d] };
        space.canonical(&point.iter().enumerate().map(of).collect())
    }

    /// A point that was tried and is expected to be like this one, with what came of it.
    pub fn like(&self, space: &Space, point: &Point) -> Option<&(Point, Came)> {
        self.tried.get(*self.first.get(&self.reduced(space, point))?)
    }

    /// Notes what came of a point; false where another thing was expected, which is not noted.
    pub fn note(&mut self, space: &Space, point: &Point, came: Came) -> bool {
        match self.like(space, point).map(|(_, expected)| *expected == came) {
            Some(true) => self.as_expected += 1,
            Some(false) => return false,
            None => drop(self.first.insert(self.reduced(space, point), self.tried.len())),
        }
        self.tried.push((point.clone(), came));
        true
    }

    /// Notes that these dimensions act, and the alternatives within which they stand; whether that is new of any.
    pub fn act(&mut self, space: &Space, dimensions: &[usize]) -> bool {
        let before = self.acting().count();
        for d in dimensions {
            space.around(*d).into_iter().chain([*d]).for_each(|d| self.acts[d] = true);
        }
        self.as_expected = 0;
        self.first.clear();
        for number in 0..self.tried.len() {
            let reduced = self.reduced(space, &self.tried[number].0);
            self.first.entry(reduced).or_insert(number);
        }
        self.acting().count() > before
    }

    /// Does nothing speak against what is expected, after many points?
    pub fn is_sure(&self) -> bool {
        self.as_expected >= LEAST.max(SURE * self.acts.len())
    }

    /// How many points were as expected since one was not.
    pub fn as_expected(&self) -> usize {
        self.as_expected
    }

    /// What acts, by its number.
    pub fn acting(&self) -> impl Iterator<Item = usize> {
        (0..self.acts.len()).filter(|d| self.acts[*d])
    }

    /// A point of which nothing is expected and that is not among those `drawn`.
    pub fn left(&self, space: &Space, drawn: &HashSet<Point>) -> Left {
        let values = |d: usize| space.dimensions[d].values();
        if self.acting().map(values).fold(1, u64::saturating_mul) > LISTED {
            return Left::Many;
        }
        let mut all = vec![space.start()];
        for d in self.acting() {
            let with = |point: &Point, value: u64| {
                let mut point = point.clone();
                point[d] = value;
                point
            };
            all = all.iter().flat_map(|point| (0..values(d)).map(|value| with(point, value))).collect();
        }
        let mut all = all.iter().map(|point| space.canonical(point));
        let new = |point: &Point| self.like(space, point).is_none() && !drawn.contains(point);
        all.find(new).map_or(Left::Nothing, Left::Point)
    }
}

/// A point between two that differ: half of what tells the second from the first is taken from it. None where there is no such
/// point; then these dimensions tell the two apart, together.
pub fn between(space: &Space, first: &Point, second: &Point) -> Result<Point, Vec<usize>> {
    let differ: Vec<usize> = (0..first.len()).filter(|d| first[*d] != second[*d]).collect();
    let (one, other) = differ.split_at(differ.len() / 2);
    let with = |half: &[usize]| {
        let mut point = first.clone();
        half.iter().for_each(|d| point[*d] = second[*d]);
        space.canonical(&point)
    };
    let halves = [with(one), with(other)];
    // What an alternative leaves open is met only with it.
    halves.into_iter().find(|point| point != first && point != second).ok_or(differ)
}
