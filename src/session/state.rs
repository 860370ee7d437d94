//! A session: the program, its history, the running jobs and the log, changed by actions alone.

use super::action::{Action, Decision, Measurement, Outcome, RevisionId, Sizes, Target};
use super::bench::{self, BenchProgress};
use super::best::Standing;
use super::data;
use super::files::Texts;
use super::history::{History, Revision, RevisionStep};
use super::jobs::{Control, JobId, JobView, Jobs};
use super::programs::Programs;
use super::record::{Recorder, SaveState};
use super::searching::{self, Replayed, SearchProgress, Shelf};
use super::shown::Shown;
use super::sweep::{Pace, Swept};
use super::tune::{self, Tuned};
use super::workspace::{Problems, StrategyEnd, Workspace};
use crate::device::Backend;
use crate::device::roofline::Peak;
use crate::emit::Compiled;
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::path::{Path, PathMap};
use crate::lang::term::Term;
use crate::rewrite::rule::apply::Counts;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How far a job is.
#[derive(Clone, Debug)]
pub enum Progress {
    /// A strategy is rewriting: rules tried and applied so far.
    Strategy {
        tried: u64,
        applied: u64,
    },
    /// A search is growing its e-graph.
    Search(Arc<SearchProgress>),
    Bench(BenchProgress),
    Tune(tune::Standing),
    /// What a search found is measured.
    Best(Arc<Standing>),
    /// Two states are measured at several sizes: which one now, and how far that is.
    Sweep {
        at: String,
        pace: Pace,
    },
}

/// So often somebody who waits is shown what goes on.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// What an action led to at once.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "it is returned once an action and never kept")]
pub enum Performed {
    Done(Outcome),
    /// The action runs as a job; [`Session::poll`] gives its outcome.
    Started(JobId),
}

/// A finished job.
#[derive(Debug)]
pub struct JobResult {
    pub id: JobId,
    pub action: Action,
    pub result: Result<Outcome, Diagnostic>,
}

/// What a job gives its session to keep.
pub(super) enum Finished {
    Strategy(Box<StrategyEnd>),
    Bench(Result<Box<Measurement>, Diagnostic>),
    Tuned(Result<Box<Tuned>, Diagnostic>),
    Shown(Result<Box<Shown>, Diagnostic>),
    Compared(Result<Box<Compared>, Diagnostic>),
    Best(Arc<Standing>),
    Swept(Result<Box<Swept>, Diagnostic>),
    Peak(Result<(String, Peak), Diagnostic>),
}

/// Two revisions, and what came of measuring them in turns.
pub type Compared = ((RevisionId, RevisionId), bench::Pair);

/// What a running job was asked to do, from which revision and at which sizes.
pub(super) struct Asked {
    pub base: RevisionId,
    pub sizes: Sizes,
    pub action: Action,
}

pub(super) type Kernels = HashMap<(RevisionId, Target), Arc<Result<Compiled, Diagnostic>>>;

/// A session. It is owned by one thread; jobs run on threads of their own.
pub struct Session {
    /// The program that the present state was made of, with its rules and strategies.
    pub(super) workspace: Arc<Workspace>,
    pub(super) programs: Programs,
    pub(super) history: History,
    pub(super) sizes: Sizes,
    pub(super) jobs: Jobs<Progress, Finished>,
    pub(super) asked: HashMap<JobId, Asked>,
    /// The run on the user's data or of two revisions in turns, while it runs, and what came of the last one of each until it is
    /// fetched.
    pub(super) showing: Option<JobId>,
    pub(super) shown: Option<Result<Box<Shown>, Diagnostic>>,
    pub(super) compared: Option<Result<Box<Compared>, Diagnostic>>,
    pub(super) best: Option<Arc<Standing>>,
    pub(super) swept: Option<Result<Box<Swept>, Diagnostic>>,
    pub(super) peak: Option<Result<(String, Peak), Diagnostic>>,
    pub(super) tuned: Option<Box<Tuned>>,
    /// The last decision of the log that is gone on with, and for which device it was asked.
    pub(super) decision: Option<(String, Decision)>,
    pub(super) recorder: Recorder,
    pub(super) kernels: Mutex<Kernels>,
    pub(super) backend: Arc<dyn Backend>,
    /// The graph of the last search, where it did not get to its end; none where graphs are not kept.
    pub(super) kept: Option<Arc<Shelf>>,
    /// The steps before the last strategy's failure.
    pub(super) before_failure: Vec<RevisionStep>,
    /// May foreign functions run? It is no action: who replays a log has not allowed anything by that.
    pub(super) foreign: bool,
    /// What programs as they are written give, which every measurement of a state compares with.
    pub(super) references: Arc<bench::Known>,
}

impl Session {
    /// Lets the program's foreign functions run from now on.
    pub fn allow_foreign(&mut self) {
        self.foreign = true;
    }

    /// Keeps the graph of a search that does not get to its end, for one that goes on with it.
    pub fn keep_graphs(&mut self) {
        self.kept = Some(Arc::default());
    }

    /// What can be done with what is kept of a search that did not get to its end, if something is.
    pub fn keeps(&self) -> Option<&'static str> {
        self.kept.as_ref().and_then(|kept| searching::kept(kept))
    }

    /// Where the graph of the last search is kept, if graphs are kept.
    pub fn shelf(&self) -> Option<Arc<Shelf>> {
        self.kept.clone()
    }

    /// Other texts may mean something else by the same names.
    pub(super) fn give_up_graph(&self) {
        if let Some(kept) = &self.kept {
            searching::begin(kept);
            searching::end(kept);
        }
    }

    /// Are there foreign functions that may not run?
    pub fn forbids_foreign(&self) -> bool {
        !self.foreign && !super::foreign::functions(&self.workspace.program.term).is_empty()
    }

    /// Starts a session on a program. `notify` is called from a job's thread when [`Session::poll`] has something.
    ///
    /// # Errors
    /// Everything that is wrong with the program, the rules and the strategies.
    pub fn open(
        texts: &Texts,
        def: Option<&str>,
        sizes: &Sizes,
        backend: Arc<dyn Backend>,
        notify: Arc<dyn Fn() + Send + Sync>,
    ) -> Result<Session, Box<Problems>> {
        let workspace = Workspace::load(texts, def)?;
        let mut all: Sizes = super::log::convert::sizes_in(&texts.default_sizes);
        all.retain(|name, _| workspace.program.sizes.iter().any(|s| **s == **name));
        all.extend(sizes.iter().map(|(n, v)| (n.clone(), *v)));
        let checked = workspace.check_sizes(&all);
        checked.map_err(|d| Box::new(Problems { sources: workspace.sources.clone(), list: vec![d] }))?;
        let start = workspace.program.term.clone();
        let label = workspace.program.name.to_string();
        let workspace = Arc::new(workspace);
        Ok(Session {
            programs: Programs::beginning_with(workspace.clone()),
            workspace,
            history: History::new(start, &label),
            sizes: all,
            jobs: Jobs::new(notify),
            asked: HashMap::new(),
            showing: None,
            shown: None,
            compared: None,
            best: None,
            swept: None,
            peak: None,
            tuned: None,
            recorder: Recorder::none(),
            kernels: Mutex::default(),
            backend,
            kept: None,
            decision: None,
            before_failure: vec![],
            foreign: false,
            references: Arc::new(bench::Known::of_session()),
        })
    }

    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }
    pub fn history(&self) -> &History {
        &self.history
    }
    /// The steps that the last strategy that failed had made of its term before.
    pub fn before_failure(&self) -> &[RevisionStep] {
        &self.before_failure
    }
    pub fn current(&self) -> RevisionId {
        self.history.current()
    }
    pub fn term(&self) -> &Term {
        self.history.term()
    }
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }
    /// On how many threads plain C ran on the host; none before it did.
    pub fn threads(&self) -> Option<u32> {
        Some(self.references.threads()).filter(|threads| *threads > 0)
    }
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }
    pub fn jobs(&self) -> Vec<JobView<Progress>> {
        self.jobs.views()
    }
    pub fn is_idle(&self) -> bool {
        self.jobs.is_idle()
    }
    pub fn cancel(&self, id: JobId) -> bool {
        self.jobs.cancel(id)
    }
    pub fn cancel_all(&self) {
        self.jobs.cancel_all();
    }
    pub fn save_state(&self) -> SaveState {
        self.recorder.state()
    }
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }
    pub(super) fn set_recorder(&mut self, recorder: Recorder) {
        self.recorder = recorder;
    }

    /// Starts to write the log, in the state folder without a name or at a path that the user named.
    ///
    /// # Errors
    /// The log cannot be written there. It is kept, so that [`Session::save_as`] can write it elsewhere.
    pub fn start_log(&mut self, named: Option<&std::path::Path>) -> Result<(), Diagnostic> {
        let header = self.workspace.header(&self.sizes);
        self.recorder = Recorder::begin(&header, &self.workspace.texts.origin)?;
        self.recorder.place(named, &header.program.label)
    }

    /// Looks whether the log is still what was written; what was not and is mended, in words.
    pub fn look_at_log(&mut self) -> Option<String> {
        self.recorder.look()
    }

    /// The same at the end: what could not be written is tried now, whenever it was tried last.
    pub fn look_at_log_last(&mut self) -> Option<String> {
        self.recorder.try_now();
        self.recorder.look()
    }

    /// Writes the session down for this machine, with whether it is on a screen that was not left.
    pub fn set_open(&mut self, open: bool) {
        self.recorder.set_open(open);
    }

    /// Leaves the session for another one. A log without a name in which nothing was done goes away.
    pub fn give_up(&mut self) {
        self.recorder.give_up();
    }

    /// Gives the log a name, and goes on writing there.
    ///
    /// # Errors
    /// The file exists or cannot be written; the log stays where it was.
    pub fn save_as(&mut self, path: &std::path::Path) -> Result<(), Diagnostic> {
        self.recorder.save_as(path)
    }

    /// May the action be taken now? If not, why.
    ///
    /// # Errors
    /// A full sentence that says why not.
    pub fn enabled(&self, action: &Action) -> Result<(), String> {
        match action {
            Action::Goto { revision } if self.history.revision(*revision).is_none() => {
                Err(format!("There is no revision {revision}."))
            }
            Action::Bench { .. } | Action::Tune { .. } => {
                if let Some((busy, _)) = self.on_the_device() {
                    return Err(busy);
                }
                let missing = self.missing_sizes();
                if missing.is_empty() {
                    Ok(())
                } else {
                    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
                    Err(match names.as_slice() {
                        [one] => format!("The size {one} has no value."),
                        all => format!("The sizes {} have no values.", all.join(", ")),
                    })
                }
            }
            _ => Ok(()),
        }
    }

    /// That a job runs kernels, as a sentence with its name, and what to do about that; none where no job does.
    pub(super) fn on_the_device(&self) -> Option<(String, &'static str)> {
        let runs = |a: &Asked| matches!(a.action, Action::Bench { .. } | Action::Tune { .. });
        let measuring = self.asked.iter().find(|(_, asked)| runs(asked)).map(|(id, _)| *id);
        let id = self.showing.or(measuring)?;
        let job = self.jobs.views().into_iter().find(|job| job.id == id);
        let (what, help) = match job {
            Some(job) if job.cancelling => {
                (format!("The job `{}` is being stopped", job.label), "Wait for its end.")
            }
            Some(job) => (format!("The job `{}` runs", job.label), "Wait for its end, or stop it."),
            None => ("A kernel runs".to_owned(), "Wait for its end, or stop it."),
        };
        Some((format!("{what}; two kernels at once would disturb each other."), help))
    }

    /// Sizes of the program that have no value yet.
    pub fn missing_sizes(&self) -> Vec<String> {
        let sizes = &self.workspace.program.sizes;
        sizes.iter().filter(|s| !self.sizes.contains_key(*s)).map(ToString::to_string).collect()
    }

    /// The action that undoes, or why there is none.
    ///
    /// # Errors
    /// A full sentence.
    pub fn undo_action(&self) -> Result<Action, String> {
        let target = self.history.undo_target();
        target.map(|revision| Action::Goto { revision }).ok_or_else(|| match self.history.current() {
            0 => "This is the beginning of the session.".into(),
            _ => "Here the program was read again; what was before stands above it in the history.".into(),
        })
    }

    /// The action that redoes, or why there is none.
    ///
    /// # Errors
    /// A full sentence.
    pub fn redo_action(&self) -> Result<Action, String> {
        let target = self.history.redo_target();
        target.map(|revision| Action::Goto { revision }).ok_or_else(|| "Nothing was undone here.".into())
    }

    /// Takes an action. Quick ones are done when this returns; strategies, searches and measurements run as jobs.
    ///
    /// # Errors
    /// Why it cannot be done. The session is as it was, and nothing is recorded.
    pub fn perform(&mut self, action: Action) -> Result<Performed, Diagnostic> {
        self.enabled(&action).map_err(|why| match action {
            Action::Bench { .. } | Action::Tune { .. } => self.refusal(why),
            Action::Goto { .. } => {
                let last = self.history.len().saturating_sub(1);
                let hint = match last {
                    0 => "Its only revision is 0, the program as it was written.".to_owned(),
                    last => format!("There are the revisions 0 to {last}."),
                };
                Diagnostic::error("E0810", why).hint(hint)
            }
            _ => Diagnostic::error("E0810", why).hint("It can be done at another time."),
        })?;
        let base = self.current();
        let outcome = match &action {
            Action::Apply { rule, at } => {
                let change = self.workspace.apply_as_change(self.term(), rule, at)?;
                self.commit(base, &action, change, vec![])
            }
            Action::Goto { revision } => {
                self.visit(*revision);
                Outcome::Done
            }
            Action::Sizes { sizes } => {
                let mut all = self.sizes.clone();
                all.extend(sizes.iter().map(|(n, v)| (n.clone(), *v)));
                self.workspace.check_sizes(&all)?;
                self.sizes = all;
                self.forget_kernels();
                Outcome::Done
            }
            Action::Reload { label, text } => self.reload(label, text)?,
            Action::Definitions { files } => {
                let texts = Texts { files: files.clone(), ..self.workspace.texts.clone() };
                let workspace =
                    Workspace::load(&texts, self.workspace.def.as_deref()).map_err(|p| p.first())?;
                // What is right stays until its successor is.
                if let (Some(problem), None) = (workspace.errors().next(), self.workspace.errors().next()) {
                    return Err(problem.clone().within(&workspace.sources));
                }
                self.give_up_graph();
                self.workspace = Arc::new(workspace);
                self.programs.beside(files, self.history.root(base));
                Outcome::Done
            }
            Action::Compile { target } => {
                let compiled = self.compiled(base, *target);
                let compiled = compiled.as_ref().as_ref().map_err(Clone::clone)?;
                let text = compiled.module.text();
                Outcome::Kernel { target: *target, digest: Digest::of(text.as_bytes()), text }
            }
            Action::Strategy { .. } | Action::Bench { .. } | Action::Tune { .. } => {
                return Ok(Performed::Started(self.start(base, action)?));
            }
        };
        self.recorder.record(&action, &outcome);
        Ok(Performed::Done(outcome))
    }

    /// Takes an action and waits for its outcome, on this thread: for replays and subcommands.
    ///
    /// # Errors
    /// As [`Session::perform`], and why a strategy or a measurement failed.
    pub fn perform_now(&mut self, action: Action) -> Result<Outcome, Diagnostic> {
        self.perform_watched(action, &|_| {})
    }

    /// As [`Session::perform_now`]; what runs is shown several times a second.
    ///
    /// # Errors
    /// As [`Session::perform_now`].
    pub fn perform_watched(
        &mut self,
        action: Action,
        watch: &dyn Fn(&JobView<Progress>),
    ) -> Result<Outcome, Diagnostic> {
        let id = match self.perform(action)? {
            Performed::Done(outcome) => return Ok(outcome),
            Performed::Started(id) => id,
        };
        while !self.jobs.is_idle() {
            let Some((done, result)) = self.jobs.wait(BETWEEN_LOOKS) else {
                self.jobs().iter().for_each(watch);
                continue;
            };
            if let Some(result) = self.finish(done, result)
                && done == id
            {
                return result.result;
            }
        }
        Err(Diagnostic::error("E0811", "The job ended without a result."))
    }

    /// Runs a strategy whose searches were recorded, on this thread.
    ///
    /// # Errors
    /// Why it does not get to its end.
    pub(super) fn strategy_as_recorded(
        &mut self,
        action: &Action,
        text: &str,
        at: &Path,
        replayed: &Replayed,
    ) -> Result<Outcome, Diagnostic> {
        let base = self.current();
        let parsed = self.workspace.parse_strategy(text)?.knowing(&self.sizes);
        let end = self.workspace.run_strategy(self.term(), &parsed, at, replayed, &Control::silent());
        Ok(self.commit(base, action, end.result?, end.searches))
    }

    /// Reads files for the program's parameters and solves for its sizes, of which `fixed` were named by the user.
    ///
    /// # Errors
    /// As [`data::fit`].
    pub fn fit(&self, given: &[data::Given], every: bool, fixed: &Sizes) -> Result<data::Fitted, Diagnostic> {
        data::fit(&self.workspace.program, given, every, fixed, &self.sizes)
    }

    pub(super) fn reload(&mut self, label: &str, text: &str) -> Result<Outcome, Diagnostic> {
        let mut texts = self.workspace.texts.clone();
        texts.program = super::files::Text { label: label.to_string(), text: text.to_string() };
        let workspace = Workspace::load(&texts, self.workspace.def.as_deref()).map_err(|p| p.first())?;
        let (term, label) = (workspace.program.term.clone(), workspace.program.name.to_string());
        let before = self.history.root(self.current());
        self.leave(before);
        let revision = self.history.add_root(Revision::new(term.clone(), &label));
        self.take_over(workspace, revision);
        let digest = term.digest();
        let text = self.workspace.written(&term);
        Ok(Outcome::Term { revision, digest, text, searches: vec![] })
    }

    /// The code of a revision with the sizes of its program, or why there is none. Compiled once.
    pub fn compiled(&self, revision: RevisionId, target: Target) -> Arc<Result<Compiled, Diagnostic>> {
        let known = self.kernels().get(&(revision, target)).cloned();
        known.unwrap_or_else(|| {
            let term = self.history.revision(revision).map_or_else(|| self.term(), |r| &r.term);
            let compiled = Arc::new(self.program_of(revision).compile(term, target, self.sizes_of(revision)));
            self.kernels().insert((revision, target), compiled.clone());
            compiled
        })
    }

    pub(super) fn kernels(&self) -> std::sync::MutexGuard<'_, Kernels> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn forget_kernels(&mut self) {
        self.kernels().clear();
    }
}

/// A rewritten term, ready to become a revision.
#[derive(Clone, Debug)]
pub struct Change {
    pub term: Term,
    pub paths: PathMap,
    pub steps: Vec<RevisionStep>,
    /// How much rewriting it took.
    pub counts: Counts,
    /// Was it asked on the way which sizes were given?
    pub asked_sizes: bool,
}

impl Control<Progress> {
    /// Runs nothing else beside it and shows nothing: for replays.
    pub fn silent() -> Control<Progress> {
        Control::unwatched(Progress::Strategy { tried: 0, applied: 0 })
    }
}

/// Where the cursor of one revision stands in another, when one was made of the other.
pub fn follow(history: &History, from: RevisionId, to: RevisionId, path: &Path) -> Path {
    history.paths_between(from, to).map_or_else(|| existing(history, to, path), |map| map.nearest(path))
}

/// The longest part of the path that exists in the revision's term.
fn existing(history: &History, revision: RevisionId, path: &Path) -> Path {
    let mut path = path.clone();
    while let (Some(r), Some(parent)) = (history.revision(revision), path.parent()) {
        if r.term.at(&path).is_some() {
            break;
        }
        path = parent;
    }
    path
}
