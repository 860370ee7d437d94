//! A session: the program, its history, the running jobs and the log, changed by actions alone.

use super::action::{Action, Decision, Measurement, Outcome, RevisionId, Sizes, Target};
use super::bench::{self, BenchProgress, Inputs, Ran};
use super::best::{self, Search, Standing};
use super::blame;
use super::data::{self, Given};
use super::files::Texts;
use super::history::{History, Revision, RevisionStep, label};
use super::jobs::{Control, JobId, JobView, Jobs};
use super::record::{Recorder, SaveState};
use super::searching::{self, Replayed, SearchProgress, Shelf};
use super::shown::{self, Shown};
use super::sweep::{Point, Swept};
use super::tune::{self, Tuned};
use super::workspace::{Problems, StrategyEnd, Workspace};
use crate::device::roofline::{self, Peak};
use crate::device::{Backend, Mode, RunControl, select};
use crate::emit::Compiled;
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::path::{Path, PathMap};
use crate::lang::term::Term;
use crate::lang::work;
use crate::rewrite::rule::apply::Counts;
use crate::rewrite::strategy::at_position;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
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
    /// Two states are measured at several sizes: which one now, and how many are done, of how many.
    Sweep {
        at: String,
        done: usize,
        of: usize,
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
enum Finished {
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
struct Asked {
    base: RevisionId,
    sizes: Sizes,
    action: Action,
}

type Kernels = HashMap<(RevisionId, Target), Arc<Result<Compiled, Diagnostic>>>;

/// A session. It is owned by one thread; jobs run on threads of their own.
pub struct Session {
    workspace: Arc<Workspace>,
    history: History,
    sizes: Sizes,
    jobs: Jobs<Progress, Finished>,
    asked: HashMap<JobId, Asked>,
    /// The run on the user's data or of two revisions in turns, while it runs, and what came of the last one of each until it is
    /// fetched.
    showing: Option<(JobId, Arc<Workspace>)>,
    shown: Option<Result<Box<Shown>, Diagnostic>>,
    compared: Option<Result<Box<Compared>, Diagnostic>>,
    best: Option<Arc<Standing>>,
    swept: Option<Result<Box<Swept>, Diagnostic>>,
    peak: Option<Result<(String, Peak), Diagnostic>>,
    tuned: Option<Box<Tuned>>,
    recorder: Recorder,
    kernels: Mutex<Kernels>,
    backend: Arc<dyn Backend>,
    /// The graph of the last search, where it did not get to its end; none where graphs are not kept.
    kept: Option<Arc<Shelf>>,
    /// The steps before the last strategy's failure.
    before_failure: Vec<RevisionStep>,
    /// May foreign functions run? It is no action: who replays a log has not allowed anything by that.
    foreign: bool,
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
    fn give_up_graph(&self) {
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
        Ok(Session {
            workspace: Arc::new(workspace),
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
            before_failure: vec![],
            foreign: false,
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
    /// The log cannot be written there. The session goes on without one.
    pub fn start_log(&mut self, named: Option<&std::path::Path>) -> Result<(), Diagnostic> {
        let header = self.workspace.header(&self.sizes);
        self.recorder = Recorder::start(&header, named, &self.workspace.texts.origin)?;
        Ok(())
    }

    /// Looks whether the log is still what was written; what was not and is mended, in words.
    pub fn look_at_log(&mut self) -> Option<String> {
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
                if self.showing.is_some() {
                    return Err(
                        "The program is running on your data; two kernels at once would disturb each other."
                            .into(),
                    );
                }
                if self.is_measuring() {
                    return Err("A measurement is running; two at once would disturb each other.".into());
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

    fn is_measuring(&self) -> bool {
        self.asked.values().any(|a| matches!(a.action, Action::Bench { .. } | Action::Tune { .. }))
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
        target
            .map(|revision| Action::Goto { revision })
            .ok_or_else(|| "This is the program as it was read.".into())
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
            _ => Diagnostic::error("E0810", why).hint("It can be done at another time."),
        })?;
        let base = self.current();
        let outcome = match &action {
            Action::Apply { rule, at } => {
                let change = self.workspace.apply_as_change(self.term(), rule, at)?;
                self.commit(base, &action, change, vec![])
            }
            Action::Goto { revision } => {
                self.history.goto(*revision);
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

    /// Checks the current revision on a device, and measures it if times are wanted, on this thread. The inputs are drawn
    /// unless they are given.
    ///
    /// # Errors
    /// As [`bench::measure`].
    pub fn measure(
        &self,
        device: &str,
        timed: bool,
        inputs: Option<&Inputs>,
    ) -> Result<Measurement, Diagnostic> {
        let asked = self.asked_of(device, if timed { Mode::MEASURE } else { Mode::Once }, inputs);
        let result = bench::measure(&asked, &*self.backend, &AtomicBool::new(false), &|_| {});
        result.map_err(|d| blame::explained(d, asked.workspace, &self.history.steps_to(self.current())))
    }

    /// Measures the current revision of this session and of another one in turns, on this thread, at this session's sizes.
    ///
    /// # Errors
    /// As [`bench::compare`].
    pub fn measure_in_turns(&self, device: &str, other: &Session) -> Result<bench::Pair, Diagnostic> {
        let first = self.asked_of(device, Mode::MEASURE, None);
        let second = bench::Asked { sizes: &self.sizes, ..other.asked_of(device, Mode::MEASURE, None) };
        bench::compare(&first, &second, &*self.backend, &AtomicBool::new(false), &|_| {})
    }

    /// Measures the current revision and another one in turns, as a job; [`Session::compared`] gives what came of it.
    ///
    /// # Errors
    /// There is no such revision, something runs on the device already, or the system gives no thread.
    pub fn compare(&mut self, device: &str, other: RevisionId) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        let against = self.history.revision(other).map(|r| r.term.clone());
        let against = against.ok_or_else(|| {
            Diagnostic::error("E0810", format!("There is no revision {other}."))
                .hint("The history lists all that there are.")
        })?;
        let (workspace, term, sizes) = (self.workspace.clone(), self.term().clone(), self.sizes.clone());
        let (backend, foreign, device) = (self.backend.clone(), self.foreign, device.to_owned());
        let label = format!("bench revision {} against {other}", self.current());
        let between = (self.current(), other);
        let progress = Progress::Bench(BenchProgress::Compiling);
        let id = self.jobs.start(label, progress, move |control| {
            let (workspace, sizes, device) = (&*workspace, &sizes, &*device);
            let plain = |term| bench::Asked::new(workspace, term, sizes, device, Mode::MEASURE);
            let asked = |term| bench::Asked { foreign, ..plain(term) };
            let report = |p| control.report(Progress::Bench(p));
            let (first, second) = (asked(&term), asked(&against));
            let result = bench::compare(&first, &second, &*backend, &control.cancel_flag(), &report);
            Finished::Compared(result.map(|pair| Box::new((between, pair))))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some((id, self.workspace.clone()));
        Ok(id)
    }

    /// What came of the last two revisions that were measured in turns, with their numbers, once.
    pub fn compared(&mut self) -> Option<Result<Box<Compared>, Diagnostic>> {
        self.compared.take()
    }

    /// Searches from the current revision and measures the best programs that are found, as a job; its progress and at its end
    /// [`Session::best`] give what came of it.
    ///
    /// # Errors
    /// A size has no value, something runs on the device already, or the system gives no thread.
    pub fn measure_best(&mut self, device: &str, search: Search) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        self.enabled(&Action::Bench { device: device.to_owned() }).map_err(|why| self.refusal(why))?;
        let (workspace, term, sizes) = (self.workspace.clone(), self.term().clone(), self.sizes.clone());
        let (backend, foreign, device) = (self.backend.clone(), self.foreign, device.to_owned());
        let (base, label) = (self.current(), format!("measure the best {} of a search", search.best));
        let progress = Progress::Strategy { tried: 0, applied: 0 };
        let id = self.jobs.start(label, progress, move |control| {
            let (workspace, term, sizes, search) = (&workspace, &term, &sizes, &search);
            let wanted = best::Wanted { workspace, base, term, sizes, device: &device, search, foreign };
            let report = |s: &Standing| control.report(Progress::Best(Arc::new(s.clone())));
            Finished::Best(Arc::new(best::best(&wanted, &*backend, control, &report)))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some((id, self.workspace.clone()));
        Ok(id)
    }

    /// Takes one of the best programs of a search, of this rank, as what the search came to when it was measured; none where
    /// that was not written down, or was with other texts.
    pub fn take_best(&mut self, standing: &Standing, rank: usize) -> Option<Outcome> {
        let way = standing.candidates.get(rank.checked_sub(1)?)?.way.clone()?;
        if !std::ptr::eq(way.workspace.as_ptr(), Arc::as_ptr(&self.workspace)) {
            return None;
        }
        let read = format!("{} {}", standing.best, standing.search);
        let text = Search::read(&self.workspace, &read).ok()?.taking(rank);
        let action = Action::Strategy { text, at: Path::root() };
        self.enabled(&action).ok()?;
        if self.current() != standing.base {
            self.goto_recorded(standing.base);
        }
        self.before_failure.clear();
        let outcome = self.commit(standing.base, &action, way.change.clone(), way.searches.clone());
        self.recorder.record(&action, &outcome);
        if let Outcome::Term { revision, .. } = &outcome {
            self.keep_best(standing, *revision);
        }
        Some(outcome)
    }

    /// Keeps the time of one of the best programs of a search with a state that is this program and comes from where the search
    /// began.
    pub fn keep_best(&mut self, standing: &Standing, revision: RevisionId) {
        let Some(state) = self.history.revision(revision) else { return };
        let digest = state.term.digest();
        let same = standing.candidates.iter().find(|c| c.term.digest() == digest);
        // A program that was read since then may have other sizes.
        let is_from_there = self.history.parent(revision) == Some(standing.base)
            && standing.sizes.keys().all(|name| self.sizes.contains_key(name));
        let Some(rank) = same.map(|c| c.rank).filter(|_| is_from_there) else { return };
        let work = work::of(&self.workspace.program.term, &standing.sizes);
        let measured = standing.measurement(rank, &work).filter(|m| !state.measurements.contains(m));
        if let Some(measured) = measured {
            let (place, sizes) = (self.current(), self.sizes.clone());
            self.keep_measured(revision, &measured);
            self.resize_recorded(&sizes);
            if self.current() != place {
                self.goto_recorded(place);
            }
        }
    }

    /// Measures the present revision and another one in turns at several values of a size, as a job; the other sizes are the
    /// session's. [`Session::swept`] gives what came of it.
    ///
    /// # Errors
    /// There is no such revision, something runs on the device already, or the system gives no thread.
    pub fn sweep(
        &mut self,
        device: &str,
        other: RevisionId,
        name: &str,
        values: Vec<i64>,
    ) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        let mut all = self.sizes.clone();
        all.extend(values.first().map(|value| (name.into(), *value)));
        self.workspace.check_sizes(&all)?;
        let (present, against) = (self.current(), self.history.revision(other).map(|r| r.term.clone()));
        let against = against.ok_or_else(|| {
            Diagnostic::error("E0810", format!("There is no revision {other}."))
                .hint("The history lists all that there are.")
        })?;
        let (workspace, term, sizes) = (self.workspace.clone(), self.term().clone(), self.sizes.clone());
        let (backend, foreign, device, name) =
            (self.backend.clone(), self.foreign, device.to_owned(), name.to_owned());
        let label = format!("sweep {name}: revision {present} against {other}");
        let id = self.jobs.start(label, Progress::Bench(BenchProgress::Compiling), move |control| {
            let measured = |value: i64| {
                let mut sizes = sizes.clone();
                sizes.insert(name.as_str().into(), value);
                let plain = |term| bench::Asked::new(&workspace, term, &sizes, &device, Mode::MEASURE);
                let asked = |term| bench::Asked { foreign, ..plain(term) };
                let (first, second) = (asked(&term), asked(&against));
                bench::compare(&first, &second, &*backend, &control.cancel_flag(), &|_| {})
            };
            let point = |(done, value): (usize, &i64)| {
                let at = format!("{name}={value}");
                control.report(Progress::Sweep { at, done, of: values.len() });
                Ok(Point { size: *value, pair: measured(*value)? })
            };
            let points: Result<Vec<Point>, Diagnostic> = values.iter().enumerate().map(point).collect();
            let swept = |points| Box::new(Swept { of: (present, other), name: name.clone(), points });
            Finished::Swept(points.map(swept))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some((id, self.workspace.clone()));
        Ok(id)
    }

    /// What came of the last two revisions that were measured at several sizes, once.
    pub fn swept(&mut self) -> Option<Result<Box<Swept>, Diagnostic>> {
        self.swept.take()
    }

    /// Measures what a device allows, as a job; [`Session::peak`] gives it.
    ///
    /// # Errors
    /// Something runs on the device already, or the system gives no thread.
    pub fn measure_peak(&mut self, device: &str) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        let (backend, device) = (self.backend.clone(), device.to_owned());
        let label = format!("measure what {device} allows");
        let id = self.jobs.start(label, Progress::Bench(BenchProgress::Compiling), move |control| {
            Finished::Peak(peak(&device, &*backend, &control.cancel_flag()))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some((id, self.workspace.clone()));
        Ok(id)
    }

    /// What the device that was measured last allows, with its name, once.
    pub fn peak(&mut self) -> Option<Result<(String, Peak), Diagnostic>> {
        self.peak.take()
    }

    /// What came of the last search whose best programs were measured, once.
    pub fn best(&mut self) -> Option<Arc<Standing>> {
        self.best.take()
    }

    /// All that the last tuning tried, once.
    pub fn tuned(&mut self) -> Option<Box<Tuned>> {
        self.tuned.take()
    }

    fn device_is_free(&self) -> Result<(), Diagnostic> {
        if self.showing.is_some() || self.is_measuring() {
            let message = "A kernel is running; two at once would disturb each other.";
            return Err(Diagnostic::error("E0811", message).hint("Wait for its end, or stop it."));
        }
        Ok(())
    }

    /// Reads files for the program's parameters and solves for its sizes, of which `fixed` were named by the user.
    ///
    /// # Errors
    /// As [`data::fit`].
    pub fn fit(&self, given: &[data::Given], every: bool, fixed: &Sizes) -> Result<data::Fitted, Diagnostic> {
        data::fit(&self.workspace.program, given, every, fixed, &self.sizes)
    }

    /// Runs the current revision once on these inputs, on this thread, and compares the output if that is wanted.
    ///
    /// # Errors
    /// As [`bench::measure`].
    pub fn run(&self, device: &str, inputs: &Inputs, check: bool) -> Result<Ran, Diagnostic> {
        let asked = self.asked_of(device, Mode::Once, Some(inputs));
        let result = bench::run(&asked, check, &*self.backend, &AtomicBool::new(false), &|_| {});
        result.map_err(|d| blame::explained(d, asked.workspace, &self.history.steps_to(self.current())))
    }

    /// Chooses what a strategy leaves open by measuring on a device, on this thread, for about so many seconds, and runs it
    /// with what was chosen.
    ///
    /// # Errors
    /// As [`tune::tune`].
    pub fn tune(
        &mut self,
        strategy: &str,
        device: &str,
        seconds: f64,
        control: &Control<Progress>,
        report: &dyn Fn(&tune::Standing),
    ) -> Result<Tuned, Diagnostic> {
        let (text, named) = (strategy.to_owned(), device.to_owned());
        let action = Action::Tune { strategy: text, device: named, seconds };
        self.enabled(&action).map_err(|why| self.refusal(why))?;
        let strategy = &self.workspace.parse_strategy(strategy)?;
        let (workspace, term, sizes) = (&*self.workspace, self.term(), &self.sizes);
        let foreign = self.foreign;
        let wanted = tune::Wanted { workspace, term, sizes, device, strategy, seconds, foreign };
        let tuned = tune::tune(&wanted, &*self.backend, control, report)?;
        self.finish_tuned(self.current(), &action, &tuned)?;
        Ok(tuned)
    }

    /// Why something that measures cannot be done now.
    fn refusal(&self, why: String) -> Diagnostic {
        match self.missing_sizes().first() {
            Some(size) => Diagnostic::error("E0151", why)
                .hint(format!("Give one with `--size {size}=1024`, or `:sizes {size}=1024` on the screen.")),
            None => Diagnostic::error("E0810", why).hint("It can be done at another time."),
        }
    }

    fn asked_of<'a>(&'a self, device: &'a str, mode: Mode, inputs: Option<&'a Inputs>) -> bench::Asked<'a> {
        let (workspace, term, sizes) = (&*self.workspace, self.term(), &self.sizes);
        let foreign = self.foreign;
        bench::Asked { inputs, foreign, ..bench::Asked::new(workspace, term, sizes, device, mode) }
    }

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

    fn start(&mut self, base: RevisionId, action: Action) -> Result<JobId, Diagnostic> {
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
                self.jobs.start(text, progress, move |control| {
                    let (sizes, device) = (&sizes, device.as_str());
                    let plain = bench::Asked::new(&workspace, &term, sizes, device, Mode::MEASURE);
                    let asked = bench::Asked { foreign, ..plain };
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

    /// Runs the current revision once on data from files, as a job; [`Session::shown`] gives what came of it.
    ///
    /// # Errors
    /// Something runs on the device already, or the system gives no thread.
    pub fn show(&mut self, device: &str, given: Vec<Given>) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        let (workspace, term, sizes) = (self.workspace.clone(), self.term().clone(), self.sizes.clone());
        let (backend, foreign, device) = (self.backend.clone(), self.foreign, device.to_owned());
        let steps = self.history.steps_to(self.current());
        let files: Vec<&str> = given.iter().map(|g| &*g.name).collect();
        let label =
            format!("run on {}", if files.is_empty() { "nothing".to_owned() } else { files.join(", ") });
        let progress = Progress::Bench(BenchProgress::Compiling);
        let id = self.jobs.start(label, progress, move |control| {
            let (workspace, term, sizes) = (&*workspace, &term, &sizes);
            let wanted = shown::Wanted { workspace, term, sizes, device: &device, given: &given, foreign };
            let report = |p| control.report(Progress::Bench(p));
            let result = shown::show(&wanted, &*backend, &control.cancel_flag(), &report);
            Finished::Shown(result.map(Box::new).map_err(|d| blame::explained(d, workspace, &steps)))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some((id, self.workspace.clone()));
        Ok(id)
    }

    /// What came of the last run on the user's data, once.
    pub fn shown(&mut self) -> Option<Result<Box<Shown>, Diagnostic>> {
        self.shown.take()
    }

    fn finish(&mut self, id: JobId, result: Result<Finished, String>) -> Option<JobResult> {
        if let Some((_, with)) = self.showing.take_if(|(shown, _)| *shown == id) {
            let same = Arc::ptr_eq(&with, &self.workspace);
            match &result {
                Ok(Finished::Compared(Ok(pair))) if same => self.keep_pairs(pair.0, &[&pair.1]),
                Ok(Finished::Swept(Ok(swept))) if same => {
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
        self.resize_recorded(&sizes);
        if elsewhere != base {
            // The log is read from top to bottom, so it first goes where the job was started.
            self.goto_recorded(base);
        }
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
                if let Some(r) = self.history.revision_mut(base) {
                    r.measurements.push((*m).clone());
                }
                let outcome = Outcome::Measured(*m);
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
    fn keep_pairs(&mut self, (first, second): (RevisionId, RevisionId), pairs: &[&bench::Pair]) {
        let (place, sizes) = (self.current(), self.sizes.clone());
        for pair in pairs {
            for (revision, measured) in [(second, &pair.second), (first, &pair.first)] {
                self.keep_measured(revision, measured);
            }
        }
        self.resize_recorded(&sizes);
        if self.current() != place {
            self.goto_recorded(place);
        }
    }

    /// Keeps the time of a revision that was measured beside others, and records it as its measurement: the log goes there.
    fn keep_measured(&mut self, revision: RevisionId, measured: &Measurement) {
        self.resize_recorded(&measured.sizes);
        if self.current() != revision {
            self.goto_recorded(revision);
        }
        if let Some(r) = self.history.revision_mut(revision) {
            r.measurements.push(measured.clone());
        }
        let action = Action::Bench { device: measured.device.clone() };
        self.recorder.record(&action, &Outcome::Measured(measured.clone()));
    }

    fn resize_recorded(&mut self, sizes: &Sizes) {
        if self.sizes != *sizes {
            self.sizes.clone_from(sizes);
            self.forget_kernels();
            self.recorder.record(&Action::Sizes { sizes: sizes.clone() }, &Outcome::Done);
        }
    }

    fn finish_strategy(
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

    /// Makes a revision of what a tuning decided, and records it.
    fn finish_tuned(
        &mut self,
        base: RevisionId,
        action: &Action,
        tuned: &Tuned,
    ) -> Result<Outcome, Diagnostic> {
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

    fn goto_recorded(&mut self, revision: RevisionId) {
        self.history.goto(revision);
        self.recorder.record(&Action::Goto { revision }, &Outcome::Done);
    }

    /// Adds the revision that an action made.
    pub(super) fn commit(
        &mut self,
        base: RevisionId,
        action: &Action,
        change: Change,
        searches: Vec<super::action::SearchOutcome>,
    ) -> Outcome {
        let digest = change.term.digest();
        let text = self.workspace.print(&change.term);
        let elevate = match action {
            Action::Apply { rule: text, at } | Action::Strategy { text, at } => {
                self.history.revision(base).map(|before| at_position(&before.term, at, text))
            }
            _ => None,
        };
        let revision = Revision {
            elevate,
            counts: change.counts,
            steps: change.steps,
            ..Revision::new(change.term, &label(action))
        };
        let revision = self.history.add(base, revision, change.paths);
        Outcome::Term { revision, digest, text, searches }
    }

    fn reload(&mut self, label: &str, text: &str) -> Result<Outcome, Diagnostic> {
        let mut texts = self.workspace.texts.clone();
        texts.program = super::files::Text { label: label.to_string(), text: text.to_string() };
        let workspace = Workspace::load(&texts, self.workspace.def.as_deref()).map_err(|p| p.first())?;
        // What runs is recorded where the program is this one: at sizes that it has.
        let running = self.asked.values_mut().map(|asked| &mut asked.sizes);
        for sizes in running.chain([&mut self.sizes]) {
            sizes.retain(|name, _| workspace.program.sizes.iter().any(|s| **s == **name));
        }
        let term = workspace.program.term.clone();
        self.give_up_graph();
        self.workspace = Arc::new(workspace);
        self.forget_kernels();
        let digest = term.digest();
        let text = self.workspace.print(&term);
        let label = self.workspace.program.name.to_string();
        let revision = Revision::new(term, &label);
        let revision = self.history.add_root(revision);
        Ok(Outcome::Term { revision, digest, text, searches: vec![] })
    }

    /// The code of a revision with the session's sizes, or why there is none. Compiled once.
    pub fn compiled(&self, revision: RevisionId, target: Target) -> Arc<Result<Compiled, Diagnostic>> {
        let known = self.kernels().get(&(revision, target)).cloned();
        known.unwrap_or_else(|| {
            let term = self.history.revision(revision).map_or_else(|| self.term(), |r| &r.term);
            let compiled = Arc::new(self.workspace.compile(term, target, &self.sizes));
            self.kernels().insert((revision, target), compiled.clone());
            compiled
        })
    }

    fn kernels(&self) -> std::sync::MutexGuard<'_, Kernels> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_kernels(&mut self) {
        self.kernels().clear();
    }
}

/// Measures what a device allows; with the name that measurements on it have.
///
/// # Errors
/// There is no such device, or it fails.
pub fn peak(device: &str, backend: &dyn Backend, cancel: &AtomicBool) -> Result<(String, Peak), Diagnostic> {
    let mut control = RunControl { cancel, progress: &mut |_| {} };
    let list = backend.list(&mut control).map_err(|e| super::device_diagnostic(&e))?;
    let info = select(&list.devices, device).map_err(|e| super::device_diagnostic(&e))?;
    let peak = roofline::measure(backend, info, &mut control).map_err(|e| super::device_diagnostic(&e))?;
    Ok((info.id.clone(), peak))
}

/// A rewritten term, ready to become a revision.
#[derive(Clone, Debug)]
pub struct Change {
    pub term: Term,
    pub paths: PathMap,
    pub steps: Vec<RevisionStep>,
    /// How much rewriting it took.
    pub counts: Counts,
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

fn no_thread(e: std::io::Error) -> Diagnostic {
    Diagnostic::error("E0811", format!("No thread can be started: {e}."))
        .hint("Close other programs, or raise a limit that is set: `ulimit -v`, `ulimit -u`.")
}

fn broken(panic: String) -> Diagnostic {
    Diagnostic::error("E0890", "An internal error ended the job.")
        .note(panic)
        .hint("The session goes on as it was before. Please report this with the session's log.")
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
