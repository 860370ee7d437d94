//! What is running, in words.

use super::figures;
use super::text::{Line, Role};
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
        Progress::Sweep { at, done, of, .. } => format!("{at}, {done} of {of} sizes done"),
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
        Progress::Sweep { done, of, took, .. } if *done > 0 => {
            let left = pace(*took, *done, of - done);
            Some(format!("At the pace so far it takes about {left} more, and longer where sizes grow."))
        }
        Progress::Best(standing) => {
            let Doing::Checking(rank @ 2..) = standing.doing else { return None };
            let (done, of) = (rank - 1, standing.candidates.len());
            let left = pace(standing.took, done, of.saturating_sub(done));
            Some(format!("At the pace so far about {left} more."))
        }
        Progress::Sweep { .. } => Some("How long it takes is known after the first size.".to_owned()),
        _ => Some(format!(
            "When it has been checked it runs for at most {}.",
            figures::elapsed(crate::device::Mode::MEASURED_S)
        )),
    }
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

    /// What is said of the rest does not grow while one of many runs.
    #[test]
    fn the_pace_is_that_of_what_is_done() {
        let says = |seconds| {
            let took = Duration::from_secs(6);
            let progress = Progress::Sweep { at: "n=64".to_owned(), done: 2, of: 5, took };
            let elapsed = Duration::from_secs(seconds);
            left(&JobView { id: 0, label: String::new(), elapsed, progress, cancelling: false })
        };
        assert!(says(6).is_some_and(|said| said.contains("about 9.0 s more")), "{:?}", says(6));
        assert_eq!(says(6), says(600));
    }
}
