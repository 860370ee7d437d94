//! The jobs of a session: those that actions start, and what becomes of the end of each: a revision, a measurement, lines of the log.

use super::action::{Action, Decision, Measurement, Outcome, RevisionId, SearchOutcome, Sizes};
use super::bench::{self, BenchProgress};
use super::blame;
use super::history::{Revision, label};
use super::jobs::{Control, JobId};
use super::searching::Replayed;
use super::state::{Asked, Change, Finished, JobResult, Progress, Session};
use super::tune::{self, Tuned};
use super::workspace::StrategyEnd;
use crate::device::Mode;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::lang::work;
use crate::rewrite::strategy::at_position;
use std::time::{Duration, Instant};

/// How long jobs may take to end before the session does.
const STOPPING: Duration = Duration::from_secs(2);

impl Session {
    /// Keeps a recorded measurement with the current revision, or that of a tuning with the one it led to.
    pub(super) fn keep_measurement(&mut self, action: &Action, recorded: &Outcome) {
        let (revision, measured) = match (action, recorded) {
            (_, Outcome::Measured(m)) => (self.current(), m.clone()),
            (Action::Tune { device, .. }, Outcome::Tuned { revision, decision, .. }) => {
                let work = work::of(&self.workspace.program.term, &decision.sizes);
                (*revision, decision.measurement(device, &work))
            }
            _ => return,
        };
        if let Some(r) = self.history.revision_mut(revision) {
            r.measurements.push(measured);
        }
    }

    pub(super) fn start(&mut self, base: RevisionId, action: Action) -> Result<JobId, Diagnostic> {
        let (workspace, term) = (self.workspace.clone(), self.term().clone());
        let text = label(&action);
        let id = match action.clone() {
            Action::Strategy { text: strategy, at } => {
                // What is wrong with the text itself is said at once.
                let parsed = workspace.parse_strategy(&strategy)?.knowing(&self.sizes);
                let progress = Progress::Strategy { tried: 0, applied: 0 };
                let kept = self.kept.clone();
                self.jobs.start(text, progress, move |control| {
                    let (replayed, kept) = (Replayed::none(), kept.as_deref());
                    let end = workspace.run_keeping(&term, &parsed, &at, &replayed, kept, control);
                    Finished::Strategy(Box::new(end))
                })
            }
            Action::Bench { device } => {
                let sizes = self.sizes.clone();
                let (backend, foreign) = (self.backend.clone(), self.foreign);
                let progress = Progress::Bench(BenchProgress::Compiling);
                let steps = self.history.steps_to(base);
                let references = self.references.clone();
                self.jobs.start(text, progress, move |control| {
                    let (sizes, device) = (&sizes, device.as_str());
                    let plain = bench::Asked::new(&workspace, &term, sizes, device, Mode::MEASURE);
                    let asked = bench::Asked { foreign, known: Some(&references), ..plain };
                    let report = |p| control.report(Progress::Bench(p));
                    let result = bench::measure(&asked, &*backend, &control.cancel_flag(), &report);
                    let result = result.map_err(|d| blame::explained(d, &workspace, &steps));
                    Finished::Bench(result.map(Box::new))
                })
            }
            Action::Tune { strategy, device, seconds } => {
                let strategy = workspace.parse_strategy(&strategy)?.knowing(&self.sizes);
                let sizes = self.sizes.clone();
                let (backend, foreign) = (self.backend.clone(), self.foreign);
                self.jobs.start(text, Progress::Tune(tune::Standing::default()), move |control| {
                    let (workspace, term, sizes, device) = (&*workspace, &term, &sizes, &*device);
                    let strategy = &strategy;
                    let wanted = tune::Wanted { workspace, term, sizes, device, strategy, seconds, foreign };
                    let report = |s: &tune::Standing| control.report(Progress::Tune(s.clone()));
                    Finished::Tuned(tune::tune(&wanted, &*backend, control, &report).map(Box::new))
                })
            }
            _ => return Err(Diagnostic::error("E0811", "This action is no job.")),
        };
        let id = id.map_err(no_thread)?;
        let sizes = self.sizes.clone();
        self.asked.insert(id, Asked { base, sizes, action });
        Ok(id)
    }

    /// Finished jobs. What they made is in the history and in the log already.
    pub fn poll(&mut self) -> Vec<JobResult> {
        let done = self.jobs.poll();
        done.into_iter().filter_map(|(id, result)| self.finish(id, result)).collect()
    }

    /// Stops all jobs before the session ends, and records what those have made that end soon: a tuning keeps its best.
    pub fn stop_all(&mut self) {
        self.jobs.cancel_all();
        let end = Instant::now() + STOPPING;
        while !self.jobs.is_idle() {
            let left = end.saturating_duration_since(Instant::now());
            let Some((id, result)) = self.jobs.wait(left) else { return };
            self.finish(id, result);
        }
    }

    pub(super) fn finish(&mut self, id: JobId, result: Result<Finished, String>) -> Option<JobResult> {
        if self.showing.take_if(|shown| *shown == id).is_some() {
            match &result {
                Ok(Finished::Compared(Ok(pair))) => self.keep_pairs(pair.0, &[&pair.1]),
                Ok(Finished::Swept(Ok(swept))) => {
                    let pairs: Vec<&bench::Pair> = swept.points.iter().map(|point| &point.pair).collect();
                    self.keep_pairs(swept.of, &pairs);
                }
                _ => {}
            }
            match result {
                Ok(Finished::Shown(shown)) => self.shown = Some(shown),
                Ok(Finished::Compared(pair)) => self.compared = Some(pair),
                Ok(Finished::Best(best)) => self.best = Some(best),
                Ok(Finished::Swept(swept)) => self.swept = Some(swept),
                Ok(Finished::Peak(peak)) => self.peak = Some(peak),
                Ok(Finished::Strategy(_) | Finished::Bench(_) | Finished::Tuned(_)) => {}
                Err(panic) => self.shown = Some(Err(broken(panic))),
            }
            return None;
        }
        let Asked { base, sizes, action } = self.asked.remove(&id)?;
        let (elsewhere, resized) = (self.current(), self.sizes.clone());
        if elsewhere != base {
            // The log is read from top to bottom, so it first goes where the job was started, and then to the sizes of that program.
            self.goto_recorded(base);
        }
        self.resize_recorded(&sizes);
        let result = match result {
            Err(panic) => Err(broken(panic)),
            Ok(
                Finished::Shown(_)
                | Finished::Compared(_)
                | Finished::Best(_)
                | Finished::Swept(_)
                | Finished::Peak(_),
            ) => {
                return None;
            }
            Ok(Finished::Strategy(end)) => self.finish_strategy(base, &action, *end),
            Ok(Finished::Tuned(tuned)) => tuned.and_then(|tuned| {
                let outcome = self.finish_tuned(base, &action, &tuned)?;
                self.tuned = Some(tuned);
                Ok(outcome)
            }),
            Ok(Finished::Bench(Err(d))) => Err(d),
            Ok(Finished::Bench(Ok(m))) => {
                let outcome = Outcome::Measured(self.kept(base, *m));
                self.recorder.record(&action, &outcome);
                Ok(outcome)
            }
        };
        if elsewhere != base {
            self.goto_recorded(elsewhere);
        }
        self.resize_recorded(&resized);
        Some(JobResult { id, action, result })
    }

    /// Keeps the times of two revisions that were measured in turns with both, and records them as their measurements: the log
    /// goes to each, at the sizes of each pair, and comes back.
    pub(super) fn keep_pairs(&mut self, (first, second): (RevisionId, RevisionId), pairs: &[&bench::Pair]) {
        let (place, sizes) = (self.current(), self.sizes.clone());
        for pair in pairs {
            for (revision, measured) in [(second, &pair.second), (first, &pair.first)] {
                self.keep_measured(revision, measured);
            }
        }
        self.come_back(place, &sizes);
    }

    /// Goes back to the state and the sizes from which measurements of others were recorded.
    pub(super) fn come_back(&mut self, place: RevisionId, sizes: &Sizes) {
        if self.current() != place {
            self.goto_recorded(place);
        }
        self.resize_recorded(sizes);
    }

    /// Keeps the time of a revision that was measured beside others, and records it as its measurement: the log goes there.
    pub(super) fn keep_measured(&mut self, revision: RevisionId, measured: &Measurement) {
        if self.current() != revision {
            self.goto_recorded(revision);
        }
        self.resize_recorded(&measured.sizes);
        let measured = self.kept(revision, measured.clone());
        let action = Action::Bench { device: measured.device.clone() };
        self.recorder.record(&action, &Outcome::Measured(measured));
    }

    /// A measurement that was made now, as it is kept with its revision: with a word where it took another time before.
    fn kept(&mut self, revision: RevisionId, mut measured: Measurement) -> Measurement {
        if let Some(r) = self.history.revision_mut(revision) {
            measured.warnings.extend(bench::of_repetition(&measured, &r.measurements));
            r.measurements.push(measured.clone());
        }
        measured
    }

    pub(super) fn resize_recorded(&mut self, sizes: &Sizes) {
        if self.sizes != *sizes {
            self.sizes.clone_from(sizes);
            self.forget_kernels();
            self.recorder.record(&Action::Sizes { sizes: sizes.clone() }, &Outcome::Done);
        }
    }

    pub(super) fn finish_strategy(
        &mut self,
        base: RevisionId,
        action: &Action,
        end: StrategyEnd,
    ) -> Result<Outcome, Diagnostic> {
        match end.result {
            Ok(change) => {
                let outcome = self.commit(base, action, change, end.searches);
                self.recorder.record(action, &outcome);
                Ok(outcome)
            }
            Err(why) => {
                self.before_failure = end.before;
                if !end.searches.is_empty() {
                    // A search that did not get there is a decision worth keeping; a mistyped strategy is not.
                    let outcome = Outcome::Unchanged { reason: why.message.clone(), searches: end.searches };
                    self.recorder.record(action, &outcome);
                }
                Err(why)
            }
        }
    }

    /// Makes a revision of what a tuning decided, unless the state before is faster, and records it.
    pub(super) fn finish_tuned(
        &mut self,
        base: RevisionId,
        action: &Action,
        tuned: &Tuned,
    ) -> Result<Outcome, Diagnostic> {
        if let Some(before) = tuned.before.as_ref().filter(|before| before.stays) {
            let outcome = Outcome::Unchanged { reason: before.says(), searches: vec![] };
            self.recorder.record(action, &outcome);
            return Ok(outcome);
        }
        let decision = tuned.decision().ok_or_else(|| {
            Diagnostic::error("E0811", "The tuning ended without a decision.").hint("Tune again.")
        })?;
        let outcome = self.decided(base, action, decision, &Replayed::none())?;
        self.keep_measurement(action, &outcome);
        self.recorder.record(action, &outcome);
        Ok(outcome)
    }

    /// The revision that a tuning's decision leads to, without measuring.
    pub(super) fn decided(
        &mut self,
        base: RevisionId,
        action: &Action,
        decision: Decision,
        replayed: &Replayed,
    ) -> Result<Outcome, Diagnostic> {
        let parsed = self.workspace.parse_strategy(&decision.strategy)?.knowing(&self.sizes);
        let term = self.history.revision(base).map_or_else(|| self.term().clone(), |r| r.term.clone());
        let end = self.workspace.run_strategy(&term, &parsed, &Path::root(), replayed, &Control::silent());
        match self.commit(base, action, end.result?, end.searches) {
            Outcome::Term { revision, digest, text, searches } => {
                if let Some(made) = self.history.revision_mut(revision) {
                    made.elevate = Some(decision.strategy.clone());
                }
                Ok(Outcome::Tuned { revision, digest, text, searches, decision })
            }
            other => Ok(other),
        }
    }

    pub(super) fn goto_recorded(&mut self, revision: RevisionId) {
        self.visit(revision);
        self.recorder.record(&Action::Goto { revision }, &Outcome::Done);
    }

    /// Adds the revision that an action made.
    pub(super) fn commit(
        &mut self,
        base: RevisionId,
        action: &Action,
        change: Change,
        searches: Vec<SearchOutcome>,
    ) -> Outcome {
        let digest = change.term.digest();
        let text = self.workspace.written(&change.term);
        let elevate = match action {
            Action::Apply { rule: text, at } | Action::Strategy { text, at } => {
                self.history.revision(base).map(|before| at_position(&before.term, at, text))
            }
            _ => None,
        };
        let revision = Revision {
            elevate,
            at_sizes: change.asked_sizes.then(|| self.sizes.clone()),
            counts: change.counts,
            steps: change.steps,
            searches: searches.clone(),
            ..Revision::new(change.term, &label(action))
        };
        let revision = self.history.add(base, revision, change.paths);
        Outcome::Term { revision, digest, text, searches }
    }
}

pub(super) fn no_thread(e: std::io::Error) -> Diagnostic {
    Diagnostic::error("E0811", format!("No thread can be started: {e}."))
        .hint("Close other programs, or raise a limit that is set: `ulimit -v`, `ulimit -u`.")
}

fn broken(panic: String) -> Diagnostic {
    Diagnostic::error("E0890", "An internal error ended the job.")
        .note(panic)
        .hint("The session goes on as it was before. Please report this with the session's log.")
}
