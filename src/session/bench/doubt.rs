//! What makes a time one that nothing follows from.

use crate::device::stats::Comparison;
use crate::session::action::Measurement;

/// An interval that is wider than this part of its median hides what most rewrites gain.
const WIDE: f64 = 0.25;

/// Who compares times does not ask for less than this part of them.
const LITTLE: f64 = 0.01;

/// What helps where times differ from run to run.
const HELPS: &str =
    "End what else runs on the machine and measure again, or compare two programs in turns with `--against`.";

/// That the interval of a time is wide.
pub fn of_interval(measured: &Measurement) -> Option<String> {
    let Measurement { median_ns, interval_ns: (low, high), runs, .. } = *measured;
    let wide = median_ns > 0.0 && high.is_finite() && high - low > WIDE * median_ns;
    wide.then(|| {
        let [below, above] = [median_ns - low, high - median_ns].map(|part| 100.0 * part / median_ns);
        format!(
            "The times of the {runs} runs differ much: their median may as well be {below:.0} % less or {above:.0} % more, so that \
             smaller differences tell nothing. {HELPS}"
        )
    })
}

/// That the interval of two programs' ratio is wide.
pub fn of_comparison(comparison: &Comparison) -> Option<String> {
    let interval = comparison.interval;
    (interval.high - interval.low > WIDE * comparison.ratio).then(|| {
        "The times of the two differ much from turn to turn, so that their ratio is hardly known. End what else runs on the machine \
         and measure again."
            .to_owned()
    })
}

/// That the same kernel took another time before, on the same device at the same sizes: what was measured last of it.
pub fn of_repetition(now: &Measurement, before: &[Measurement]) -> Option<String> {
    let before =
        before.iter().rev().find(|m| m.is_of_same_code(now)).filter(|before| before.is_apart(now))?;
    let ratio = now.median_ns / before.median_ns;
    if (ratio - 1.0).abs() < LITTLE {
        return None;
    }
    Some(format!(
        "The same kernel takes {ratio:.2} of the time that it took when it was measured before, and the two intervals do not overlap: the \
         machine was not the same, so neither time can be compared with others. {HELPS}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::stats::{compare_turns, summary};
    use crate::lang::digest::Digest;
    use crate::lang::work::Work;
    use crate::session::action::{MedianTime, Sizes};

    fn of(median_ns: f64, part: f64) -> Measurement {
        let interval_ns = (median_ns * (1.0 - part), median_ns * (1.0 + part));
        let time = MedianTime { median_ns, interval_ns, runs: 30 };
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        Measurement::of("cpu", Digest::of(b"kernel"), &Sizes::new(), time, &work, String::new())
    }

    #[test]
    fn a_wide_interval_is_told_with_what_helps() {
        let steady: Vec<u64> = (0..30).map(|i| 1000 + i).collect();
        let timed = |samples: &[u64]| {
            let time = MedianTime::from(&summary(samples).unwrap());
            Measurement {
                median_ns: time.median_ns,
                interval_ns: time.interval_ns,
                runs: time.runs,
                ..of(1.0, 0.0)
            }
        };
        assert_eq!(of_interval(&timed(&steady)), None);
        let wild: Vec<u64> = (0..30).map(|i| 1000 + 100 * i).collect();
        let told = of_interval(&timed(&wild)).unwrap();
        assert!(told.contains("30 runs differ much") && told.contains("`--against`"), "{told}");
        assert_eq!(of_comparison(&compare_turns(&steady, &steady).unwrap()), None);
        let reversed: Vec<u64> = wild.iter().rev().copied().collect();
        assert!(of_comparison(&compare_turns(&wild, &reversed).unwrap()).is_some());
    }

    #[test]
    fn a_kernel_that_took_another_time_before_is_told() {
        let before = [of(160.8, 0.03)];
        let told = of_repetition(&of(556.3, 0.03), &before).unwrap();
        assert!(told.starts_with("The same kernel takes 3.46 of the time that it took"), "{told}");
        let told = of_repetition(&before[0], &[of(556.3, 0.03)]).unwrap();
        assert!(told.starts_with("The same kernel takes 0.29 of the time that it took"), "{told}");
        assert_eq!(of_repetition(&of(163.0, 0.03), &before), None);
        let elsewhere = Measurement { device: "gpu".to_owned(), ..of(556.3, 0.03) };
        assert_eq!(of_repetition(&elsewhere, &before), None);
        // What came between is what counts.
        assert_eq!(of_repetition(&of(556.3, 0.03), &[before[0].clone(), of(550.0, 0.03)]), None);
    }
}
