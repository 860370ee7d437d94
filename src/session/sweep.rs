//! Two states at several values of a size: which is faster where, and between which sizes that changes.

use super::action::{RevisionId, Sizes};
use super::bench::Pair;
use crate::device::stats::Verdict;
use crate::lang::diag::Diagnostic;
use std::time::Duration;

/// What came of two revisions that were measured at several values of a size.
pub struct Swept {
    pub of: (RevisionId, RevisionId),
    /// Which sizes had which values.
    pub of_sizes: Values,
    /// In order of the sizes.
    pub points: Vec<Point>,
    /// What ended it before all sizes were measured.
    pub ended: Option<Diagnostic>,
}

/// How far a sweep is, by which it is known how long it goes on.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Pace {
    /// The operations of the program at each size that is done, and how long that took, with all that is done besides.
    pub done: Vec<(f64, Duration)>,
    /// The operations at each of the others.
    pub left: Vec<f64>,
}

impl Pace {
    /// How long it goes on, where what sizes take grows evenly with their operations; none before two tell how.
    pub fn left(&self) -> Option<Duration> {
        let [(few, short), .., (many, long)] = *self.done else { return None };
        let (short, long) = (short.as_secs_f64(), long.as_secs_f64());
        let each = if many > few { ((long - short) / (many - few)).max(0.0) } else { 0.0 };
        let besides = long - each * many;
        let seconds: f64 = self.left.iter().map(|operations| besides + each * operations).sum();
        Duration::try_from_secs_f64(seconds.max(0.0)).ok()
    }
}

/// The values of a size, or of several that always have the same, in increasing order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    pub names: Vec<String>,
    pub values: Vec<i64>,
}

impl Values {
    /// The size, or all of them: `m=n=k`.
    pub fn name(&self) -> String {
        self.names.join("=")
    }

    /// The sizes where they have this value.
    pub fn sizes(&self, value: i64) -> Sizes {
        self.names.iter().map(|name| (name.as_str().into(), value)).collect()
    }
}

/// Both states at one size.
pub struct Point {
    pub size: i64,
    pub pair: Pair,
}

/// Where the faster one is another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crossover {
    /// The last size at which the one is measurably faster, and the first at which the other is.
    pub between: (i64, i64),
    /// Where both would take the same time, if their ratio changed evenly with the logarithm of the size.
    pub near: f64,
    /// Whether the second is faster from there on.
    pub to_second: bool,
}

/// The points at which one of the two is faster.
pub fn decided(points: &[Point]) -> Vec<&Point> {
    let faster = [Verdict::FirstFaster, Verdict::SecondFaster];
    points.iter().filter(|point| faster.contains(&point.pair.comparison.verdict)).collect()
}

/// Do the two have the same code at each size?
pub fn all_the_same(points: &[Point]) -> bool {
    points.iter().all(|point| point.pair.comparison.verdict == Verdict::SameCode)
}

/// The crossovers of points that are in order of their sizes. What cannot be told apart, or is close, is on neither side.
pub fn crossovers(points: &[Point]) -> Vec<Crossover> {
    let crossing = |pair: &[&Point]| match pair {
        [a, b] if a.pair.comparison.verdict != b.pair.comparison.verdict => {
            let place = |point: &Point| ((point.size as f64).ln(), point.pair.comparison.ratio.ln());
            let ((x0, y0), (x1, y1)) = (place(a), place(b));
            let near = (x0 - y0 * (x1 - x0) / (y1 - y0)).exp();
            let to_second = b.pair.comparison.verdict == Verdict::SecondFaster;
            Some(Crossover { between: (a.size, b.size), near, to_second })
        }
        _ => None,
    };
    decided(points).windows(2).filter_map(crossing).collect()
}

/// From a size on, until the next one, one of the two is the faster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// None for the first.
    pub from: Option<i64>,
    pub second: bool,
}

/// Where which of the two is the faster, as far as the points tell; empty where they do not differ.
pub fn reaches(points: &[Point]) -> Vec<Reach> {
    let faster = |point: &&Point| point.pair.comparison.verdict == Verdict::SecondFaster;
    let Some(first) = decided(points).first().map(faster) else { return vec![] };
    let then = crossovers(points).into_iter().map(|c| {
        let near = (c.near.round() as i64).clamp(c.between.0 + 1, c.between.1);
        Reach { from: Some(near), second: c.to_second }
    });
    std::iter::once(Reach { from: None, second: first }).chain(then).collect()
}

/// The most sizes of one sweep.
const MOST_SIZES: usize = 64;

/// Reads `k=1024..65536` or `k=1000,5000`, or `m=n=k=256..2048` of sizes that are alike.
///
/// # Errors
/// Why it names no sizes, as the end of a sentence.
pub fn values_of(text: &str) -> Result<Values, String> {
    let (names, values) = text.rsplit_once('=').ok_or("there is no `=`")?;
    let names: Vec<String> = names.split('=').map(|name| name.trim().to_owned()).collect();
    if let Some(twice) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        return Err(format!("`{}` is there twice", twice.1));
    }
    let number = |text: &str| {
        let value = text.trim().parse::<i64>().ok().filter(|n| *n > 0);
        value.ok_or_else(|| format!("`{text}` is no positive whole number"))
    };
    let mut all = match values.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (number(from)?, number(to)?);
            let doubled = std::iter::successors(Some(from), |n| n.checked_mul(2));
            doubled.take_while(|n| *n <= to).collect()
        }
        None => values.split(',').map(number).collect::<Result<Vec<i64>, String>>()?,
    };
    all.sort_unstable();
    all.dedup();
    match all.len() {
        0 | 1 => Err("at least two are compared".to_owned()),
        n if n > MOST_SIZES => Err(format!("these are {n}, and at most {MOST_SIZES} are measured")),
        _ => Ok(Values { names, values: all }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of many operations take as much longer as is seen of those that are done.
    #[test]
    fn how_long_a_sweep_goes_on_is_told_by_operations() {
        let pace = |done: &[(f64, u64)], left: &[f64]| {
            let done = done.iter().map(|(ops, ms)| (*ops, Duration::from_millis(*ms))).collect();
            Pace { done, left: left.to_vec() }.left().map(|left| left.as_millis())
        };
        assert_eq!(pace(&[], &[1.0]), None);
        assert_eq!(pace(&[(10.0, 500)], &[1000.0]), None);
        // 400 ms besides, and 10 ms for each operation.
        assert_eq!(pace(&[(10.0, 500), (20.0, 600)], &[1000.0, 2000.0]), Some(30_800));
        // By chance the larger one was done sooner.
        assert_eq!(pace(&[(10.0, 600), (20.0, 500)], &[1000.0, 2000.0]), Some(1000));
        assert_eq!(pace(&[(10.0, 600), (20.0, 500)], &[]), Some(0));
    }

    #[test]
    fn one_size_is_swept_or_several_that_are_alike() {
        let values = |text| values_of(text).map(|v| (v.name(), v.values));
        assert_eq!(values("k=1000,5000"), Ok(("k".to_owned(), vec![1000, 5000])));
        assert_eq!(values("m = n=k=256..1024"), Ok(("m=n=k".to_owned(), vec![256, 512, 1024])));
        let sizes: Sizes = values_of("m=n=2,4").unwrap().sizes(4);
        assert_eq!(sizes, Sizes::from_iter(["m", "n"].map(|name| (name.into(), 4))));
        assert_eq!(values("m=m=2,4"), Err("`m` is there twice".to_owned()));
        assert!(values("m=n").is_err() && values("8").is_err() && values("m=n=8").is_err());
    }
}
