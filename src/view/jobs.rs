//! What is running, in words.

use super::figures;
use super::text::{Line, Role};
use crate::device::Mode;
use crate::session::bench::BenchProgress;
use crate::session::best::Doing;
use crate::session::jobs::JobView;
use crate::session::state::Progress;
use std::time::Duration;

/// How far a job is.
pub fn progress(progress: &Progress) -> String {
    match progress {
        Progress::Strategy { tried, applied } => {
            format!("{} rules applied, {} tried", figures::count(*applied), figures::count(*tried))
        }
        Progress::Search(search) => super::search::brief(search),
        Progress::Tune(standing) => {
            let best = standing.best();
            let best = best.map(|best| format!(", best {} by {}", figures::time(best.ns), best.strategy));
            let last = if standing.comparing { ", the last few take turns" } else { "" };
            format!("{} tried{}{last}", standing.tried, best.unwrap_or_default())
        }
        Progress::Best(standing) => super::best::doing(standing),
        Progress::Sweep { at, pace } => {
            let done = pace.done.len();
            format!("{at}, {done} of {} sizes done", done + pace.left.len())
        }
        Progress::Bench(bench) => match bench {
            BenchProgress::Compiling => "compiling".to_owned(),
            BenchProgress::CheckingSmall => "checking at small sizes against the interpreter".to_owned(),
            BenchProgress::Reference { about } => {
                let about = about.as_secs_f64();
                // What takes no time is over before it is read.
                let time = if about < 1.0 {
                    String::new()
                } else {
                    format!(", by its operations about {}", figures::long(about))
                };
                format!("running the program as written in plain C{time}")
            }
            BenchProgress::WarmingUp => "running once before the runs that count".to_owned(),
            BenchProgress::Running { done, of, left } => {
                let left = left.map(|left| figures::elapsed(left.as_secs_f64()));
                let left = left.map(|left| format!(", about {left} more")).unwrap_or_default();
                format!("run {done} of {of}{left}")
            }
        },
    }
}

/// A job for the status line.
pub fn brief(job: &JobView<Progress>) -> String {
    let what = match &job.progress {
        Progress::Strategy { .. } => "rewriting",
        Progress::Search(_) => "searching",
        Progress::Bench(_) => "measuring",
        Progress::Tune(_) => "tuning",
        Progress::Best(_) | Progress::Sweep { .. } => "measuring",
    };
    let what = if job.cancelling { "stopping" } else { what };
    format!("{what} {}, {}", figures::elapsed(job.elapsed.as_secs_f64()), progress(&job.progress))
}

/// For how long something that measures goes on, in a sentence, where that is not said with how far it is.
pub fn left(job: &JobView<Progress>) -> Option<String> {
    match &job.progress {
        Progress::Bench(BenchProgress::Running { .. }) => None,
        Progress::Sweep { pace, .. } => Some(match pace.left() {
            Some(left) => format!(
                "By the operations of the sizes that are left it takes about {} more.",
                figures::elapsed(left.as_secs_f64())
            ),
            None => "How long it takes is known after the second size.".to_owned(),
        }),
        Progress::Best(standing) => {
            let Doing::Checking(rank @ 2..) = standing.doing else { return None };
            let (done, of) = (rank - 1, standing.candidates.len());
            let left = pace(standing.took, done, of.saturating_sub(done));
            Some(format!("At the pace so far about {left} more."))
        }
        Progress::Bench(BenchProgress::WarmingUp) => Some(format!("Then {}.", at_most(None))),
        Progress::Bench(BenchProgress::Reference { about }) => {
            Some(format!("When it has been checked {}.", at_most(Some(*about))))
        }
        _ => Some(format!("When it has been checked {}.", at_most(None))),
    }
}

/// For how long something runs once it has been checked, where the program takes about so long as written.
fn at_most(plain: Option<Duration>) -> String {
    let least = f64::from(Mode::LEAST_RUNS);
    let (most, runs) = (figures::elapsed(Mode::MEASURED_S), Mode::LEAST_RUNS);
    let each = plain.map(|plain| plain.as_secs_f64()).filter(|each| least * each > Mode::MEASURED_S);
    let slow = each.map_or(String::new(), |each| {
        format!(" (as slow as in plain C about {})", figures::long(least * each))
    });
    format!("it runs for at most {most}, or {runs} times where these take longer{slow}")
}

/// How long some more take where so many took so long. What runs now is no part of it: the longer it ran, the longer all others
/// would seem to take.
fn pace(took: Duration, done: usize, more: usize) -> String {
    figures::elapsed(took.as_secs_f64() / done.max(1) as f64 * more as f64)
}

/// A job for the list.
pub fn line(job: &JobView<Progress>) -> Line {
    let label = job.label.split_whitespace().collect::<Vec<_>>().join(" ");
    Line::of(Role::Warning, brief(job)).with(Role::Plain, format!("  {label}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::sweep::Pace;

    /// What is said of the rest does not grow while one of many runs.
    #[test]
    fn the_pace_is_that_of_what_is_done() {
        let says = |seconds| {
            let done = vec![(1.0, Duration::from_secs(3)), (1.0, Duration::from_secs(3))];
            let pace = Pace { done, left: vec![1.0; 3] };
            of(Progress::Sweep { at: "n=64".to_owned(), pace }, seconds)
        };
        assert!(says(6).contains("about 9.0 s more"), "{}", says(6));
        assert_eq!(says(6), says(600));
    }

    fn of(progress: Progress, seconds: u64) -> String {
        let elapsed = Duration::from_secs(seconds);
        let job = JobView { id: 0, label: String::new(), elapsed, progress, cancelling: false };
        left(&job).unwrap_or_default()
    }

    /// So many runs are made however slow they are, which is said before the first one.
    #[test]
    fn a_slow_program_runs_for_longer_than_a_measurement_may() {
        let said =
            |about| of(Progress::Bench(BenchProgress::Reference { about: Duration::from_secs(about) }), 1);
        assert!(said(1).contains("at most 10.0 s, or 7 times where these take longer."), "{}", said(1));
        assert!(
            said(6).contains("7 times where these take longer (as slow as in plain C about 42 s)."),
            "{}",
            said(6)
        );
        assert!(of(Progress::Bench(BenchProgress::WarmingUp), 1).starts_with("Then it runs"));
    }
}
