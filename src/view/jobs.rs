//! What is running, in words.

use super::figures;
use super::text::{Line, Role};
use crate::session::bench::BenchProgress;
use crate::session::best::Doing;
use crate::session::jobs::JobView;
use crate::session::state::Progress;

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
        Progress::Sweep { at, done, of } => format!("{at}, {done} of {of} sizes done"),
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
        Progress::Sweep { done, of, .. } if *done > 0 => {
            let each = job.elapsed.as_secs_f64() / *done as f64;
            let left = figures::elapsed(each * (of - done) as f64);
            Some(format!("At the pace so far it takes about {left} more, and longer where sizes grow."))
        }
        Progress::Best(standing) => {
            let Doing::Checking(rank @ 2..) = standing.doing else { return None };
            let (done, of) = (rank - 1, standing.candidates.len());
            let left = job.elapsed.as_secs_f64() / done as f64 * of.saturating_sub(done) as f64;
            Some(format!("At the pace so far about {} more.", figures::elapsed(left)))
        }
        Progress::Sweep { .. } => Some("How long it takes is known after the first size.".to_owned()),
        _ => Some(format!(
            "When it has been checked it runs for at most {}.",
            figures::elapsed(crate::device::Mode::MEASURED_S)
        )),
    }
}

/// A job for the list.
pub fn line(job: &JobView<Progress>) -> Line {
    let label = job.label.split_whitespace().collect::<Vec<_>>().join(" ");
    Line::of(Role::Warning, brief(job)).with(Role::Plain, format!("  {label}"))
}
