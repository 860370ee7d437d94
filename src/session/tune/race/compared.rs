//! What two that took turns say of each other.

use crate::device::RunReport;
use crate::device::stats::{self, Comparison, Interval, Verdict};

/// An interval that is wider than this part of its ratio leaves open which of two is faster.
const WIDE: f64 = 0.25;

/// What turns say: by all of them or, where most runs were disturbed, by those that were disturbed least.
pub(super) struct Compared {
    pub comparison: Comparison,
    pub is_of_undisturbed: bool,
}

impl Compared {
    pub fn of((first, second): &(RunReport, RunReport)) -> Option<Compared> {
        let (first, second) = (&first.samples_ns, &second.samples_ns);
        let all = stats::compare_turns(first, second)?;
        let is_open = all.verdict == Verdict::NoMeasurableDifference
            && all.interval.high - all.interval.low > WIDE * all.ratio;
        let undisturbed = is_open.then(|| stats::compare_undisturbed(first, second)).flatten();
        let is_of_undisturbed = undisturbed.is_some();
        Some(Compared { comparison: undisturbed.unwrap_or(all), is_of_undisturbed })
    }

    pub fn is_second(&self) -> bool {
        self.comparison.verdict == Verdict::SecondFaster
    }
}

/// What is said where the runs that were disturbed least decided.
pub(super) fn by_the_undisturbed(c: &Comparison) -> String {
    format!(
        "In turns the times vary so much that their medians tell nothing. Of the runs that were disturbed least, the fastest of \
         each, the start takes {:.4} times as long.",
        c.ratio
    )
}

/// What is said where runs in turns do not show that the second, which leads, is faster than the start.
pub(super) fn no_better(c: Comparison) -> Option<String> {
    let Interval { low, high, .. } = c.interval;
    match c.verdict {
        Verdict::SecondFaster => None,
        Verdict::Close => Some(format!(
            "it takes {:.4} of the start's time ({:.4} to {:.4}), and differences of up to {} % count for neither, so the start stays.",
            1.0 / c.ratio,
            1.0 / high,
            1.0 / low,
            100.0 * stats::CLOSE
        )),
        Verdict::FirstFaster => Some(format!(
            "the start takes {:.4} times as long ({low:.4} to {high:.4}), so the start is the best.",
            c.ratio
        )),
        Verdict::DisturbedUnlike => Some(
            "it and the start ran on different numbers of threads beside other programs, so the start stays.".into(),
        ),
        Verdict::SameCode => Some("it has the start's code, so the start stays.".into()),
        Verdict::NoMeasurableDifference => Some(
            "the times vary more than it and the start differ, so the start stays. A longer time or a quieter machine \
             may decide which of them is faster."
                .into(),
        ),
    }
}
