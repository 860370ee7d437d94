//! The points of a space that differ, as a tree: what is open within an alternative stands below that alternative alone. So
//! they are counted, listed and drawn without the many that are the same, of which there may be 2^n for n that differ.

use super::space::Point;
use crate::lang::eval::inputs::Rng;

/// That a dimension has this value, both by their numbers.
pub type Taken = (usize, u64);

/// A dimension of a space.
pub struct Open {
    /// Its values.
    pub values: u64,
    /// Where it is met: in one of these places, each by what is taken there.
    pub places: Vec<Vec<Taken>>,
}

/// Parts that have nothing to do with each other.
pub struct Tree(Vec<Part>);

enum Part {
    /// A dimension by which no other is met, with so many values.
    Values(usize, u64),
    Choice {
        dimension: usize,
        /// Values by which something is met, and what else is open there.
        ways: Vec<(u64, Tree)>,
        /// The others, which are alike.
        others: Vec<u64>,
        rest: Box<Tree>,
    },
}

/// A tree of more parts takes too long to make.
const MOST: usize = 1 << 14;

/// What is still open, with its places as far as they are not decided.
type Left = Vec<(usize, Vec<Vec<Taken>>)>;

impl Tree {
    /// None where there are too many parts.
    pub fn of(dimensions: &[Open]) -> Option<Tree> {
        let left = dimensions.iter().map(|d| d.places.clone()).enumerate().collect();
        Making { dimensions, room: MOST }.tree(left)
    }

    /// As if everything were met everywhere.
    pub fn flat(dimensions: &[Open]) -> Tree {
        Tree(dimensions.iter().enumerate().map(|(d, open)| Part::Values(d, open.values)).collect())
    }

    /// How many points there are; of more than 2^128 this number less one.
    pub fn count(&self) -> u128 {
        self.0.iter().map(Part::count).fold(1, u128::saturating_mul)
    }

    /// All points; what is not met is as it is at the start.
    pub fn list(&self, start: &Point) -> Vec<Point> {
        self.0.iter().fold(vec![start.clone()], |points, part| {
            points.iter().flat_map(|point| part.list(point)).collect()
        })
    }

    /// Puts values in their place, so that each point is as likely as another.
    pub fn draw(&self, rng: &mut Rng, point: &mut Point) {
        self.0.iter().for_each(|part| part.draw(rng, point));
    }
}

impl Part {
    fn count(&self) -> u128 {
        match self {
            Part::Values(_, values) => u128::from(*values),
            Part::Choice { ways, others, rest, .. } => {
                let other = rest.count().saturating_mul(others.len() as u128);
                ways.iter().map(|(_, tree)| tree.count()).fold(other, u128::saturating_add)
            }
        }
    }

    fn list(&self, point: &Point) -> Vec<Point> {
        let with = |d: usize, value: u64| {
            let mut point = point.clone();
            point[d] = value;
            point
        };
        match self {
            Part::Values(d, values) => (0..*values).map(|value| with(*d, value)).collect(),
            Part::Choice { dimension, ways, others, rest } => {
                let ways = ways.iter().map(|(value, tree)| (*value, tree));
                let all = ways.chain(others.iter().map(|value| (*value, &**rest)));
                all.flat_map(|(value, tree)| tree.list(&with(*dimension, value))).collect()
            }
        }
    }

    fn draw(&self, rng: &mut Rng, point: &mut Point) {
        match self {
            Part::Values(d, values) => point[*d] = rng.below(*values),
            Part::Choice { dimension, ways, others, rest } => {
                const PRECISION: u64 = 1 << 53;
                let all = ways.iter().map(|(value, tree)| (*value, tree));
                let all = all.chain(others.iter().map(|value| (*value, &**rest)));
                let weighed: Vec<(u64, &Tree, f64)> =
                    all.map(|(value, tree)| (value, tree, tree.count() as f64)).collect();
                let sum: f64 = weighed.iter().map(|(_, _, weight)| weight).sum();
                let mut place = sum * (rng.below(PRECISION) as f64 / PRECISION as f64);
                let met = weighed.iter().find(|(_, _, weight)| {
                    place -= weight;
                    place < 0.0
                });
                if let Some((value, tree, _)) = met.or(weighed.last()) {
                    point[*dimension] = *value;
                    tree.draw(rng, point);
                }
            }
        }
    }
}

struct Making<'a> {
    dimensions: &'a [Open],
    /// So many more parts may be made.
    room: usize,
}

impl Making<'_> {
    fn tree(&mut self, mut left: Left) -> Option<Tree> {
        left.retain(|(_, places)| !places.is_empty());
        for (_, places) in &mut left {
            // Once it is met anyway, other places say nothing.
            if places.iter().any(Vec::is_empty) {
                *places = vec![vec![]];
            }
        }
        let parts = apart(left).into_iter().map(|left| self.part(left));
        parts.collect::<Option<Vec<_>>>().map(|parts| Tree(parts.into_iter().flatten().collect()))
    }

    /// What belongs together.
    fn part(&mut self, left: Left) -> Option<Vec<Part>> {
        self.room = self.room.checked_sub(1)?;
        let asked = |d: usize| left.iter().flat_map(|(_, places)| places.iter().flatten()).any(|t| t.0 == d);
        let is_met = |places: &[Vec<Taken>]| places.iter().any(Vec::is_empty);
        let choice = left.iter().find(|(d, places)| is_met(places) && asked(*d)).map(|(d, _)| *d);
        let Some(choice) = choice else {
            // What is met nowhere after all is as it is at the start.
            let values = |(d, _): &(usize, _)| Part::Values(*d, self.dimensions[*d].values);
            return Some(left.iter().filter(|(_, places)| is_met(places)).map(values).collect());
        };
        let mut named: Vec<u64> = left
            .iter()
            .flat_map(|(_, p)| p.iter().flatten())
            .filter(|t| t.0 == choice)
            .map(|t| t.1)
            .collect();
        named.sort_unstable();
        named.dedup();
        let others: Vec<u64> =
            (0..self.dimensions[choice].values).filter(|v| named.binary_search(v).is_err()).collect();
        let with = |value: Option<u64>| -> Left {
            let beside = left.iter().filter(|(d, _)| *d != choice);
            beside.map(|(d, places)| (*d, decided(places, choice, value))).collect()
        };
        let mut ways = vec![];
        for value in named {
            ways.push((value, self.tree(with(Some(value)))?));
        }
        let rest = Box::new(self.tree(with(None))?);
        Some(vec![Part::Choice { dimension: choice, ways, others, rest }])
    }
}

/// The places that are left where this value is taken, or none of those that they name.
fn decided(places: &[Vec<Taken>], choice: usize, value: Option<u64>) -> Vec<Vec<Taken>> {
    let holds = |t: &Taken| t.0 != choice || Some(t.1) == value;
    let left = places.iter().filter(|place| place.iter().all(holds));
    left.map(|place| place.iter().copied().filter(|t| t.0 != choice).collect()).collect()
}

/// Splits what is open into parts none of which asks what is taken in another.
fn apart(left: Left) -> Vec<Left> {
    let mut parts: Vec<(Vec<usize>, Left)> = vec![];
    for (d, places) in left {
        let mut names: Vec<usize> = places.iter().flatten().map(|t| t.0).chain([d]).collect();
        let (same, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(of, _)| of.iter().any(|d| names.contains(d)));
        parts = others;
        let mut together: Left = vec![];
        for (of, part) in same {
            names.extend(of);
            together.extend(part);
        }
        names.sort_unstable();
        names.dedup();
        together.push((d, places));
        together.sort_by_key(|(d, _)| *d);
        parts.push((names, together));
    }
    parts.sort_by_key(|(_, part)| part.first().map(|(d, _)| *d));
    parts.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(values: u64, places: Vec<Vec<Taken>>) -> Open {
        Open { values, places }
    }

    /// What is counted, listed and drawn is what differs, compared with all combinations one by one.
    #[test]
    fn a_tree_has_the_points_that_differ() {
        let anywhere = || vec![vec![]];
        let spaces = [
            // A choice within a choice within a choice, and a size in the last.
            vec![
                open(2, anywhere()),
                open(2, vec![vec![(0, 1)]]),
                open(3, vec![vec![(0, 1), (1, 1)]]),
                open(5, vec![vec![(0, 1), (1, 1), (2, 2)]]),
            ],
            // Two that have nothing to do with each other, and what is met in either or in both.
            vec![
                open(3, anywhere()),
                open(2, anywhere()),
                open(4, vec![vec![(0, 1)], vec![(1, 1)]]),
                open(2, vec![vec![(0, 2)]]),
                open(3, anywhere()),
            ],
            // A choice that is met on two ways, with a size in it.
            vec![
                open(3, anywhere()),
                open(2, vec![vec![(0, 0)], vec![(0, 2)]]),
                open(6, vec![vec![(0, 0), (1, 1)], vec![(0, 2), (1, 1)]]),
            ],
        ];
        for dimensions in spaces {
            let start: Point = vec![0; dimensions.len()];
            let met = |d: usize, p: &Point| {
                let holds = |place: &Vec<Taken>| place.iter().all(|(d, value)| p[*d] == *value);
                dimensions[d].places.iter().any(holds)
            };
            let mut all = vec![vec![]];
            for d in &dimensions {
                let longer =
                    |p: &Point| (0..d.values).map(|v| [p.clone(), vec![v]].concat()).collect::<Vec<_>>();
                all = all.iter().flat_map(longer).collect();
            }
            all.retain(|p| (0..p.len()).all(|d| met(d, p) || p[d] == start[d]));
            let tree = Tree::of(&dimensions).unwrap();
            let mut listed = tree.list(&start);
            listed.sort();
            assert_eq!((tree.count(), &listed), (all.len() as u128, &all));
            let mut rng = Rng::new(7);
            let mut drawn = std::collections::BTreeSet::new();
            for _ in 0..60 * all.len() {
                let mut point = start.clone();
                tree.draw(&mut rng, &mut point);
                drawn.insert(point);
            }
            assert_eq!(drawn.into_iter().collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn many_that_are_the_same_cost_nothing() {
        let nested = |n: usize| -> Vec<Open> {
            (0..n).map(|d| open(2, vec![(0..d).map(|around| (around, 1)).collect()])).collect()
        };
        let tree = Tree::of(&nested(60)).unwrap();
        assert_eq!((tree.count(), tree.list(&vec![0; 60]).len()), (61, 61));
        let beside: Vec<Open> = (0..200).map(|_| open(2, vec![vec![]])).collect();
        assert_eq!(Tree::of(&beside).unwrap().count(), u128::MAX);
    }
}
