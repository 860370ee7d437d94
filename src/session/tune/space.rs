//! The space of a tuning: what a strategy leaves open, with the values that each part may have, and which points of it
//! are tried in which order.

use crate::lang::diag::{Charset, Diagnostic};
use crate::lang::eval::inputs::Rng;
use crate::lang::nat::Name;
use crate::lang::syntax::ast::Strategy;
use crate::lang::syntax::print::{self, Options};
use crate::rewrite::strategy::Script;
use crate::rewrite::strategy::open::{self, Domain, Parameter};
use crate::session::action::Sizes;
use std::collections::HashSet;

/// A point: of each dimension which value, counted from 0.
pub type Point = Vec<u64>;

/// Something that is left open, with its values in order.
pub struct Dimension {
    pub parameter: Parameter,
    /// Of each pair all numbers from the one to the other.
    ranges: Vec<(i64, i64)>,
}

impl Dimension {
    /// The number of values.
    pub fn values(&self) -> u64 {
        self.ranges.iter().map(|(a, b)| b.abs_diff(*a).saturating_add(1)).fold(0, u64::saturating_add)
    }

    /// The value of this number.
    pub fn value(&self, index: u64) -> i64 {
        let mut left = index;
        for (from, to) in &self.ranges {
            let len = to.abs_diff(*from).saturating_add(1);
            if left < len {
                return from.saturating_add_unsigned(left);
            }
            left -= len;
        }
        self.ranges.last().map_or(1, |(_, to)| *to)
    }

    fn index(&self, value: i64) -> Option<u64> {
        let mut before = 0;
        for (from, to) in &self.ranges {
            if (*from..=*to).contains(&value) {
                return Some(before + value.abs_diff(*from));
            }
            before += to.abs_diff(*from).saturating_add(1);
        }
        None
    }

    /// A value as it is shown: a number, or the strategy that is taken.
    pub fn shown(&self, index: u64) -> String {
        let value = self.value(index);
        let way = match &self.parameter.domain {
            Domain::Ways(ways) => usize::try_from(value - 1).ok().and_then(|i| ways.get(i)),
            Domain::Sizes(_) => None,
        };
        way.map_or(value.to_string(), line)
    }
}

/// A strategy on one line.
fn line(s: &Strategy) -> String {
    print::strategy(s, &Options { charset: Charset::Ascii, width: usize::MAX })
}

/// All points.
pub struct Space {
    /// The strategy with names for all that it leaves open.
    pub strategy: Strategy,
    pub dimensions: Vec<Dimension>,
}

impl Space {
    /// Reads what a strategy leaves open. Values that are not given are those that divide one of the sizes.
    ///
    /// # Errors
    /// `E0314`: what is written is no space. `E0316`: nothing is left open, or there is no size to divide.
    pub fn read(strategy: &Strategy, script: &Script, sizes: &Sizes) -> Result<Space, Diagnostic> {
        let parameters = open::parameters(strategy, script).map_err(|problem| *problem)?;
        if parameters.is_empty() {
            let problem = Diagnostic::error("E0316", "This strategy leaves nothing open.");
            return Err(problem.hint(
                "Write `?` for a size that is to be chosen, `?tile in {4, 8, 16}` for one of these, and \
                 `choose(s, t)` for one of two strategies.",
            ));
        }
        let divisors = divisors(sizes);
        let dimension = |parameter: Parameter| {
            let ranges = match &parameter.domain {
                Domain::Sizes(Some(ranges)) => apart(ranges),
                Domain::Sizes(None) => divisors.iter().map(|d| (*d, *d)).collect(),
                Domain::Ways(ways) => vec![(1, ways.len() as i64)],
            };
            if ranges.is_empty() {
                let message =
                    format!("`?{}` has no values: the program has no size to divide.", parameter.name);
                return Err(Diagnostic::error("E0316", message)
                    .label(parameter.span, "left open")
                    .hint(format!("Write them: `?{} in {{4, 8, 16}}`.", parameter.name)));
            }
            Ok(Dimension { parameter, ranges })
        };
        let dimensions = parameters.into_iter().map(dimension).collect::<Result<_, _>>()?;
        Ok(Space { strategy: strategy.clone(), dimensions })
    }

    /// The number of points; of more than 2^128 this number less one.
    pub fn count(&self) -> u128 {
        self.dimensions.iter().map(|d| u128::from(d.values())).fold(1, u128::saturating_mul)
    }

    /// Where tuning starts: from the values that parameters have anyway, else the first that are listed; of values that
    /// follow from the sizes from the one next to 16.
    pub fn start(&self) -> Point {
        let start = |d: &Dimension| {
            let usual = d.parameter.usual.and_then(|value| d.index(value));
            usual.unwrap_or_else(|| match d.parameter.domain {
                Domain::Sizes(None) => {
                    (0..d.values()).min_by_key(|i| d.value(*i).abs_diff(16)).unwrap_or_default()
                }
                _ => 0,
            })
        };
        self.dimensions.iter().map(start).collect()
    }

    /// The strategy of a point: its values stand for what was left open.
    pub fn strategy_at(&self, point: &Point) -> Strategy {
        let values: Vec<(&Parameter, i64)> =
            self.dimensions.iter().zip(point).map(|(d, i)| (&d.parameter, d.value(*i))).collect();
        open::with_values(&self.strategy, &values)
    }

    /// The strategy of a point as text.
    pub fn text_at(&self, point: &Point) -> String {
        line(&self.strategy_at(point))
    }

    /// The values of a point by their names.
    pub fn values_at(&self, point: &Point) -> Vec<(Name, String)> {
        let shown = |(d, i): (&Dimension, &u64)| (d.parameter.name.clone(), d.shown(*i));
        self.dimensions.iter().zip(point).map(shown).collect()
    }
}

/// The same numbers, none of them twice, in their order.
fn apart(ranges: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut out: Vec<(i64, i64)> = vec![];
    for range in ranges {
        // What is left of this one when the ones before are taken out.
        let mut left = vec![*range];
        for (from, to) in &out {
            left = left
                .into_iter()
                .flat_map(|(a, b)| {
                    let below = (a, b.min(from.saturating_sub(1)));
                    let above = (a.max(to.saturating_add(1)), b);
                    if b < *from || *to < a { vec![(a, b)] } else { vec![below, above] }
                })
                .filter(|(a, b)| a <= b)
                .collect();
        }
        out.extend(left);
    }
    out
}

/// What divides one of the sizes, in order.
fn divisors(sizes: &Sizes) -> Vec<i64> {
    let mut all = vec![];
    for size in sizes.values() {
        let root = size.isqrt();
        // A size of this many digits has no use for more: 2^20 numbers are looked at.
        for d in (1..=root.min(1 << 20)).filter(|d| size % d == 0) {
            all.extend([d, size / d]);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The order in which points are tried: the start, then by turns a neighbour of the best and any other, none twice.
pub struct Order {
    rng: Rng,
    drawn: HashSet<Point>,
    neighbour: bool,
}

/// So many points are listed to find one that was not drawn; of larger spaces it is drawn until it is new.
const LISTED: u128 = 1 << 16;

impl Order {
    pub fn new(seed: u64) -> Order {
        Order { rng: Rng::new(seed), drawn: HashSet::new(), neighbour: false }
    }

    /// The next point; none where all were drawn.
    pub fn next(&mut self, space: &Space, best: Option<&Point>) -> Option<Point> {
        let point = if self.drawn.is_empty() { Some(space.start()) } else { self.another(space, best) };
        self.drawn.extend(point.clone());
        point
    }

    fn another(&mut self, space: &Space, best: Option<&Point>) -> Option<Point> {
        self.neighbour = !self.neighbour;
        if self.neighbour
            && let Some(near) = best.and_then(|best| self.near(space, best))
        {
            return Some(near);
        }
        self.any(space)
    }

    /// A neighbour that was not drawn: of one dimension the next value in either direction, of few any.
    fn near(&mut self, space: &Space, best: &Point) -> Option<Point> {
        let mut all = vec![];
        for (d, dimension) in space.dimensions.iter().enumerate() {
            let (at, len) = (best.get(d).copied()?, dimension.values());
            let is_way = matches!(dimension.parameter.domain, Domain::Ways(_));
            let steps = if is_way { (0..len).collect() } else { vec![at.wrapping_sub(1), at + 1] };
            for other in steps.into_iter().filter(|i| *i < len && *i != at) {
                let mut point = best.clone();
                point[d] = other;
                all.push(point);
            }
        }
        all.retain(|point| !self.drawn.contains(point));
        self.one_of(all)
    }

    fn any(&mut self, space: &Space) -> Option<Point> {
        let count = space.count();
        if self.drawn.len() as u128 >= count {
            return None;
        }
        if count <= LISTED {
            let point = |mut n: u128| {
                let digit = |d: &Dimension| {
                    let digit = n % u128::from(d.values());
                    n /= u128::from(d.values());
                    digit as u64
                };
                space.dimensions.iter().map(digit).collect::<Point>()
            };
            let left: Vec<Point> = (0..count).map(point).filter(|p| !self.drawn.contains(p)).collect();
            return self.one_of(left);
        }
        loop {
            let point: Point = space.dimensions.iter().map(|d| self.rng.below(d.values())).collect();
            if !self.drawn.contains(&point) {
                return Some(point);
            }
        }
    }

    fn one_of(&mut self, mut points: Vec<Point>) -> Option<Point> {
        let len = u64::try_from(points.len()).ok().filter(|n| *n > 0)?;
        Some(points.swap_remove(self.rng.below(len) as usize))
    }
}
