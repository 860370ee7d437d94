//! What is running, in words.

use super::figures;
use super::text::{Line, Role};
use crate::session::bench::BenchProgress;
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
            BenchProgress::Reference => "running the reference".to_owned(),
            BenchProgress::Running { done, of } => format!("run {done} of {of}"),
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

/// A job for the list.
pub fn line(job: &JobView<Progress>) -> Line {
    let label = job.label.split_whitespace().collect::<Vec<_>>().join(" ");
    Line::of(Role::Warning, brief(job)).with(Role::Plain, format!("  {label}"))
}
