//! What times say, and what they do not: medians with intervals that assume nothing of the distribution.
//!
//! The interval of a median is one of order statistics: of n independent times each lies below the true median with
//! probability 1/2, so the k-th smallest and k-th largest enclose it with a probability that is a sum of binomials.

/// A summary of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many times there were.
    pub runs: usize,
    /// All in nanoseconds.
    pub median: f64,
    pub lower_quartile: f64,
    pub upper_quartile: f64,
    pub best: f64,
    pub worst: f64,
    /// The interval of the median.
    pub interval: Interval,
}

/// An interval with the probability that it encloses the true median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// At least 0.95 from [`FEWEST`] values on; less where there are fewer (0.9375 for 5).
    pub confidence: f64,
}

/// The fewest runs of which it is known with 95 % where their median lies.
pub const FEWEST: u32 = 6;

impl Interval {
    /// Whether it holds with 95 %.
    pub fn is_sure(&self) -> bool {
        self.confidence >= 0.95
    }
}

/// How one kernel's times compare with another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The first's time divided by the second's: above 1 the second is faster.
    pub ratio: f64,
    pub interval: Interval,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    FirstFaster,
    SecondFaster,
    /// They differ measurably, but by no more than [`CLOSE`].
    Close,
    /// The interval holds 1: these times show no difference.
    NoMeasurableDifference,
    /// They are the same code, of which times that differ tell nothing.
    SameCode,
    /// Other programs kept the machine busy, and they ran on different numbers of threads, of which more are disturbed more: what the
    /// times tell holds of a machine that is as busy, and of no other.
    DisturbedUnlike,
}

/// By how much times have to differ for either to be the faster one, in parts of the time. Where code and arrays happen to lie in
/// memory makes smaller differences, which are there in every run; and of many comparisons one or another is decided by chance.
pub const CLOSE: f64 = 0.01;

/// Summarises times in nanoseconds; `None` where there are none.
pub fn summary(samples_ns: &[u64]) -> Option<Summary> {
    let sorted = sorted(samples_ns.iter().map(|time| *time as f64));
    Some(Summary {
        runs: sorted.len(),
        median: quantile(&sorted, 0.5)?,
        lower_quartile: quantile(&sorted, 0.25)?,
        upper_quartile: quantile(&sorted, 0.75)?,
        best: *sorted.first()?,
        worst: *sorted.last()?,
        interval: interval(&sorted)?,
    })
}

/// Compares times of runs that took turns: run i of the one with run i of the other, so that what drifts with the
/// machine cancels. `None` where there are no times, or not equally many.
pub fn compare_turns(first: &[u64], second: &[u64]) -> Option<Comparison> {
    if first.len() != second.len() {
        return None;
    }
    let ratios = first.iter().zip(second).map(|(a, b)| *a as f64 / (*b).max(1) as f64);
    let sorted = sorted(ratios);
    let interval = interval(&sorted)?;
    let ratio = quantile(&sorted, 0.5)?;
    Some(Comparison { ratio, interval, verdict: verdict(ratio, interval) })
}

/// What the times of one kernel, which two programs came to, say of these.
pub fn compare_same(samples: &[u64]) -> Option<Comparison> {
    Some(Comparison { verdict: Verdict::SameCode, ..compare_turns(samples, samples)? })
}

/// Compares times that were taken apart. The interval is that of the worst case: low against high.
pub fn compare_apart(first: &[u64], second: &[u64]) -> Option<Comparison> {
    let (a, b) = (summary(first)?, summary(second)?);
    let interval = Interval {
        low: a.interval.low / b.interval.high.max(1.0),
        high: a.interval.high / b.interval.low.max(1.0),
        // Either interval may fail.
        confidence: (a.interval.confidence + b.interval.confidence - 1.0).max(0.0),
    };
    let ratio = a.median / b.median.max(1.0);
    Some(Comparison { ratio, interval, verdict: verdict(ratio, interval) })
}

/// Compares the runs that were disturbed least, where so many of the others were that medians say nothing: what else runs on a
/// machine makes runs longer and none shorter. The fastest quarters are compared or, of as many runs as that takes, the
/// fastest tenths; each bound is that of the worst case. `None` where these show no difference either.
pub fn compare_undisturbed(first: &[u64], second: &[u64]) -> Option<Comparison> {
    let sorted = [first, second].map(|samples| sorted(samples.iter().map(|time| *time as f64)));
    QUIET.iter().find_map(|part| {
        let [a, b] = [&sorted[0], &sorted[1]].map(|times| quantile_within(times, *part));
        let ((a_low, a, a_high), (b_low, b, b_high)) = (a?, b?);
        let interval = Interval {
            low: a_low / b_high.max(1.0),
            high: a_high / b_low.max(1.0),
            confidence: 1.0 - 4.0 * FAILS,
        };
        let ratio = a / b.max(1.0);
        let verdict = verdict(ratio, interval);
        let differ = matches!(verdict, Verdict::FirstFaster | Verdict::SecondFaster);
        differ.then_some(Comparison { ratio, interval, verdict })
    })
}

/// The parts of the runs that may be undisturbed, and how likely it is that a bound of their quantile fails.
const QUIET: [f64; 2] = [0.25, 0.1];
const FAILS: f64 = 0.0125;

/// A quantile of sorted values between two bounds, where there are enough of them.
fn quantile_within(sorted: &[f64], part: f64) -> Option<(f64, f64, f64)> {
    let n = sorted.len();
    // The probability that exactly k of them lie below the true quantile, and that k or fewer do.
    let mut exactly = ((1.0 - part).ln() * n as f64).exp();
    let (mut below, mut low, mut high) = (0.0, None, None);
    for k in 0..n {
        below += exactly;
        // Then the k-th, counted from 0, lies above it; and with the rest of the probability below it.
        if below <= FAILS {
            low = Some(k);
        }
        if high.is_none() && 1.0 - below <= FAILS {
            high = Some(k);
        }
        exactly *= (n - k) as f64 / (k + 1) as f64 * part / (1.0 - part);
    }
    Some((*sorted.get(low?)?, quantile(sorted, part)?, *sorted.get(high?)?))
}

fn verdict(ratio: f64, interval: Interval) -> Verdict {
    if interval.low <= 1.0 && interval.high >= 1.0 {
        Verdict::NoMeasurableDifference
    } else if ratio.ln().abs() <= CLOSE.ln_1p() {
        Verdict::Close
    } else if ratio > 1.0 {
        Verdict::SecondFaster
    } else {
        Verdict::FirstFaster
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The quantile of values in any order, interpolated between neighbours; none of none.
pub fn quantile_of(values: &[f64], part: f64) -> Option<f64> {
    quantile(&sorted(values.iter().copied()), part)
}

/// The quantile of sorted values, interpolated between neighbours.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * (sorted.len().checked_sub(1)?) as f64;
    let (below, above) = (sorted.get(place.floor() as usize)?, sorted.get(place.ceil() as usize)?);
    Some(below + (above - below) * place.fract())
}

/// The shortest interval of order statistics around the median with at least 95 %, or all there is.
fn interval(sorted: &[f64]) -> Option<Interval> {
    let n = sorted.len();
    let mut out = 0;
    // With `out` values cut off at each end, the interval fails when at most `out` values lie on one side.
    while (out + 1) * 2 < n && 2.0 * tail(n, out + 1) <= 0.05 {
        out += 1;
    }
    let (low, high) = (*sorted.get(out)?, *sorted.get(n.checked_sub(1 + out)?)?);
    Some(Interval { low, high, confidence: (1.0 - 2.0 * tail(n, out)).max(0.0) })
}

/// The probability that at most `k` of `n` fair coins show heads.
fn tail(n: usize, k: usize) -> f64 {
    // In logarithms, because 2^-n has no double for large n.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for i in 0..=k {
        sum += term.exp();
        term += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_and_median() {
        let summary = summary(&[5, 1, 4, 2, 3]).unwrap();
        assert_eq!((summary.median, summary.lower_quartile, summary.upper_quartile), (3.0, 2.0, 4.0));
        assert_eq!((summary.best, summary.worst, summary.runs), (1.0, 5.0, 5));
        assert_eq!(super::summary(&[]), None);
        assert_eq!(super::summary(&[7]).unwrap().interval.confidence, 0.0);
    }

    #[test]
    fn intervals_of_the_tables() {
        // Known ranks of the 95 % interval for a median: n = 5 none, 6: 1–6, 10: 2–9, 20: 6–15, 30: 10–21.
        for (n, low, high) in [(5u64, 1, 5), (6, 1, 6), (10, 2, 9), (20, 6, 15), (30, 10, 21)] {
            let samples: Vec<u64> = (1..=n).collect();
            let interval = summary(&samples).unwrap().interval;
            assert_eq!((interval.low, interval.high), (low as f64, high as f64), "n = {n}");
            assert_eq!(interval.is_sure(), n >= u64::from(FEWEST));
        }
        let many: Vec<u64> = (1..=5000).collect();
        let interval = summary(&many).unwrap().interval;
        assert!(interval.confidence >= 0.95 && interval.confidence < 0.953);
    }

    #[test]
    fn five_runs_have_their_true_confidence() {
        assert!((summary(&[1, 2, 3, 4, 5]).unwrap().interval.confidence - 0.9375).abs() < 1e-12);
    }

    #[test]
    fn a_drift_of_the_machine_cancels_in_turns() {
        let first: Vec<u64> = (0..30).map(|i| 1000 + 100 * i).collect();
        let second: Vec<u64> = first.iter().map(|time| time * 9 / 10).collect();
        let turns = compare_turns(&first, &second).unwrap();
        assert_eq!(turns.verdict, Verdict::SecondFaster);
        assert!((turns.ratio - 1.0 / 0.9).abs() < 0.01);
        assert_eq!(compare_apart(&first, &second).unwrap().verdict, Verdict::NoMeasurableDifference);
        assert_eq!(compare_turns(&second, &first).unwrap().verdict, Verdict::FirstFaster);
    }

    /// What is always there but small is said of neither, whichever way it was compared.
    #[test]
    fn what_differs_by_less_than_a_hundredth_is_close() {
        let times = |of: u64| (0..30).map(|i| of + i % 3).collect::<Vec<u64>>();
        for (first, second, verdict) in [
            (1_000_000, 1_004_000, Verdict::Close),
            (1_009_000, 1_000_000, Verdict::Close),
            (1_012_000, 1_000_000, Verdict::SecondFaster),
            (1_000_000, 1_012_000, Verdict::FirstFaster),
        ] {
            let (a, b) = (times(first), times(second));
            assert_eq!(compare_turns(&a, &b).unwrap().verdict, verdict, "{first} {second}");
            assert_eq!(compare_apart(&a, &b).unwrap().verdict, verdict, "{first} {second}");
        }
    }

    /// Of times most of which are disturbed, the fastest tell which is faster, and nothing where those do not differ.
    #[test]
    fn the_fastest_runs_tell_where_most_are_disturbed() {
        let start: Vec<u64> = (0..60).map(|i| 47_000 + 370 * (i * 29 % 60)).collect();
        // Two of three runs wait for others.
        let waits = |i: u64| if i.is_multiple_of(3) { 500 + i } else { 20_000 + 2_000 * (i * 17 % 60) };
        let other: Vec<u64> = (0..60).map(waits).collect();
        assert_eq!(compare_turns(&start, &other).unwrap().verdict, Verdict::NoMeasurableDifference);
        let quiet = compare_undisturbed(&start, &other).unwrap();
        assert!(
            quiet.verdict == Verdict::SecondFaster && quiet.ratio > 50.0 && quiet.interval.low > 1.5,
            "{quiet:?}"
        );
        assert_eq!(compare_undisturbed(&other, &start).unwrap().verdict, Verdict::FirstFaster);
        let mixed: Vec<u64> = other.iter().rev().copied().collect();
        assert_eq!(compare_undisturbed(&other, &mixed), None);
        // Of few runs there is no such tenth or quarter, however much they differ.
        assert_eq!(compare_undisturbed(&start[..6], &other[..6]), None);
    }

    #[test]
    fn bounds_of_a_quantile_are_those_of_the_tables() {
        // Binomial tails of n = 60 at 1/4: P(X <= 7) = 0.0088, P(X <= 8) = 0.0212; P(X >= 24) = 0.0075, P(X >= 23) = 0.0154.
        let values: Vec<f64> = (1..=60).map(f64::from).collect();
        let (low, _, high) = quantile_within(&values, 0.25).unwrap();
        assert_eq!((low, high), (8.0, 24.0));
        assert_eq!(quantile_within(&values[..15], 0.25), None);
    }

    #[test]
    fn equal_times_show_no_difference() {
        let noisy: Vec<u64> = (0..30).map(|i| 1000 + i * 37 % 50).collect();
        let other: Vec<u64> = (0..30).map(|i| 1000 + (i + 11) * 29 % 50).collect();
        assert_eq!(compare_turns(&noisy, &other).unwrap().verdict, Verdict::NoMeasurableDifference);
        assert_eq!(compare_turns(&noisy, &other[1..]), None);
    }
}
