//! What a session runs on a device: measurements and tunings at once, and as jobs that are no actions, whose results are fetched.

use super::action::{Action, Measurement, Outcome, RevisionId, Sizes};
use super::bench::{self, BenchProgress, Inputs, Ran};
use super::best::{self, Search, Standing};
use super::blame;
use super::data::Given;
use super::jobs::{Control, JobId};
use super::running::no_thread;
use super::shown::{self, Shown};
use super::state::{Compared, Finished, Progress, Session};
use super::sweep::{Pace, Point, Swept, Values};
use super::tune::{self, Tuned};
use super::workspace::Workspace;
use crate::device::roofline::{self, Peak};
use crate::device::{Backend, HostData, Mode, RunControl, select};
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::lang::work;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A state as it is measured.
struct State {
    workspace: Arc<Workspace>,
    term: Term,
    sizes: Sizes,
}

impl State {
    fn asked<'a>(&'a self, sizes: &'a Sizes, device: &'a str, foreign: bool) -> bench::Asked<'a> {
        let plain = bench::Asked::new(&self.workspace, &self.term, sizes, device, Mode::MEASURE);
        bench::Asked { foreign, ..plain }
    }
}

impl Session {
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

    /// What is given of the inputs, and the rest drawn.
    ///
    /// # Errors
    /// As [`bench::drawn`].
    pub fn with_drawn(&self, device: &str, given: Vec<Option<Vec<HostData>>>) -> Result<Inputs, Diagnostic> {
        if given.iter().all(Option::is_some) {
            return Ok(Inputs(given.into_iter().flatten().collect()));
        }
        let asked = self.asked_of(device, Mode::Once, None);
        Ok(bench::drawn(&asked, &given, &*self.backend, &AtomicBool::new(false))?.inputs)
    }

    /// Measures the current revision of this session and of another one in turns, on this thread, at this session's sizes,
    /// both on the same inputs. These are drawn unless they are given.
    ///
    /// # Errors
    /// As [`bench::compare`].
    pub fn measure_in_turns(
        &self,
        device: &str,
        other: &Session,
        inputs: Option<&Inputs>,
        cancel: &AtomicBool,
        report: &dyn Fn(BenchProgress),
    ) -> Result<bench::Pair, Diagnostic> {
        let first = self.asked_of(device, Mode::MEASURE, inputs);
        let second = bench::Asked {
            sizes: &self.sizes,
            known: Some(&self.references),
            ..other.asked_of(device, Mode::MEASURE, inputs)
        };
        let first = bench::Side { asked: first, name: "the first of the two" };
        let second = bench::Side { asked: second, name: "the second of the two" };
        bench::compare([&first, &second], &*self.backend, cancel, report)
    }

    /// Looks whether the two could be measured in turns with these of the sizes, as far as that can be said without a run.
    ///
    /// # Errors
    /// What a program asks of its sizes does not hold, or one of the two does not compile at them or has no room there.
    pub fn could_measure_in_turns(
        &self,
        device: &str,
        other: &Session,
        sizes: &Sizes,
        cancel: &AtomicBool,
    ) -> Result<(), Diagnostic> {
        let mut all = self.sizes.clone();
        all.extend(sizes.clone());
        [(self, "first"), (other, "second")].into_iter().try_for_each(|(side, name)| {
            let own = all.iter().filter(|(name, _)| side.workspace.program.sizes.contains(name));
            side.workspace.check_sizes(&own.map(|(name, value)| (name.clone(), *value)).collect())?;
            let asked = bench::Asked { sizes: &all, ..side.asked_of(device, Mode::MEASURE, None) };
            bench::ready(&asked, &*self.backend, cancel)
                .map_err(|d| d.note(format!("That is said of the {name} of the two.")))?;
            Inputs::could_be_drawn(asked.term, &all)
        })
    }

    /// Measures the current revision and another one in turns, as a job; [`Session::compared`] gives what came of it.
    ///
    /// # Errors
    /// There is no such revision, something runs on the device already, or the system gives no thread.
    pub fn compare(&mut self, device: &str, other: RevisionId) -> Result<JobId, Diagnostic> {
        self.compare_states(device, [self.current(), other])
    }

    /// The same of any two revisions.
    ///
    /// # Errors
    /// As [`Session::compare`].
    pub fn compare_states(
        &mut self,
        device: &str,
        [one, other]: [RevisionId; 2],
    ) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        let states = [self.state(one)?, self.state(other)?];
        let (backend, foreign, device) = (self.backend.clone(), self.foreign, device.to_owned());
        let label = format!("bench revision {one} against {other}");
        let (between, references) = ((one, other), self.references.clone());
        let names = [one, other].map(|id| format!("revision {id}"));
        let progress = Progress::Bench(BenchProgress::Compiling);
        let id = self.jobs.start(label, progress, move |control| {
            let [first, second] = [0, 1].map(|side| bench::Side {
                asked: bench::Asked {
                    known: Some(&references),
                    ..states[side].asked(&states[side].sizes, &device, foreign)
                },
                name: &names[side],
            });
            let report = |p| control.report(Progress::Bench(p));
            let result = bench::compare([&first, &second], &*backend, &control.cancel_flag(), &report);
            Finished::Compared(result.map(|pair| Box::new((between, pair))))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some(id);
        Ok(id)
    }

    /// What came of the last two revisions that were measured in turns, with their numbers, once.
    pub fn compared(&mut self) -> Option<Result<Box<Compared>, Diagnostic>> {
        self.compared.take()
    }

    /// Searches from a revision and measures the best programs that are found, as a job; its progress and at its end
    /// [`Session::best`] give what came of it.
    ///
    /// # Errors
    /// A size has no value, something runs on the device already, or the system gives no thread.
    pub fn measure_best(
        &mut self,
        device: &str,
        base: RevisionId,
        search: Search,
    ) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        self.enabled(&Action::Bench { device: device.to_owned() }).map_err(|why| self.refusal(why))?;
        let State { workspace, term, sizes } = self.state(base)?;
        let (backend, foreign, device) = (self.backend.clone(), self.foreign, device.to_owned());
        let label = format!("measure the best {} of a search", search.best);
        let progress = Progress::Strategy { tried: 0, applied: 0 };
        let id = self.jobs.start(label, progress, move |control| {
            let (workspace, term, sizes, search) = (&workspace, &term, &sizes, &search);
            let wanted = best::Wanted { workspace, base, term, sizes, device: &device, search, foreign };
            let report = |s: &Standing| control.report(Progress::Best(Arc::new(s.clone())));
            Finished::Best(Arc::new(best::best(&wanted, &*backend, control, &report)))
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some(id);
        Ok(id)
    }

    /// Takes one of the best programs of a search, of this rank, as what the search came to when it was measured; none where
    /// that was not written down, or was with other texts.
    pub fn take_best(&mut self, standing: &Standing, rank: usize) -> Option<Outcome> {
        let way = standing.candidates.get(rank.checked_sub(1)?)?.way.clone()?;
        if !std::ptr::eq(way.workspace.as_ptr(), Arc::as_ptr(self.program_of(standing.base))) {
            return None;
        }
        let read = format!("{} {}", standing.best, standing.search);
        let text = Search::read(self.program_of(standing.base), &read).ok()?.taking(rank, standing.among());
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
        let is_from_there = self.history.parent(revision) == Some(standing.base);
        let Some(rank) = same.map(|c| c.rank).filter(|_| is_from_there) else { return };
        let work = work::of(&self.program_of(revision).program.term, &standing.sizes);
        let measured = standing.measurement(rank, &work).filter(|m| !state.measurements.contains(m));
        if let Some(measured) = measured {
            let (place, sizes) = (self.current(), self.sizes.clone());
            self.keep_measured(revision, &measured);
            self.come_back(place, &sizes);
        }
    }

    /// Measures the present revision and another one in turns at several values of a size, or of several that have the same, as a
    /// job; the other sizes are the session's. [`Session::swept`] gives what came of it.
    ///
    /// # Errors
    /// There is no such revision, something runs on the device already, or the system gives no thread.
    pub fn sweep(&mut self, device: &str, other: RevisionId, swept: &Values) -> Result<JobId, Diagnostic> {
        self.device_is_free()?;
        let mut all = self.sizes.clone();
        all.extend(swept.values.first().into_iter().flat_map(|value| swept.sizes(*value)));
        self.workspace.check_sizes(&all)?;
        let present = self.current();
        let states = [self.state(present)?, self.state(other)?];
        let (backend, foreign, device, swept) =
            (self.backend.clone(), self.foreign, device.to_owned(), swept.clone());
        let label = format!("sweep {}: revision {present} against {other}", swept.name());
        let names = [present, other].map(|id| format!("revision {id}"));
        let id = self.jobs.start(label, Progress::Bench(BenchProgress::Compiling), move |control| {
            let measured = |value: i64| {
                let sizes = [0, 1].map(|side| {
                    let mut sizes = states[side].sizes.clone();
                    sizes.extend(swept.sizes(value));
                    sizes
                });
                let [first, second] = [0, 1].map(|side| bench::Side {
                    asked: states[side].asked(&sizes[side], &device, foreign),
                    name: &names[side],
                });
                bench::compare([&first, &second], &*backend, &control.cancel_flag(), &|_| {})
            };
            let operations = |value: &i64| {
                let mut sizes = states[0].sizes.clone();
                sizes.extend(swept.sizes(*value));
                let work = work::of(&states[0].workspace.program.term, &sizes);
                work.flops + work.integer_operations
            };
            let (mut points, mut ended) = (vec![], None);
            let mut pace = Pace { done: vec![], left: swept.values.iter().map(operations).collect() };
            for value in swept.values.iter().copied() {
                let at = format!("{}={value}", swept.name());
                control.report(Progress::Sweep { at, pace: pace.clone() });
                let begun = Instant::now();
                match measured(value) {
                    Ok(pair) => points.push(Point { size: value, pair }),
                    Err(problem) => {
                        ended = Some(problem);
                        break;
                    }
                }
                pace.done.push((pace.left.remove(0), begun.elapsed()));
            }
            // What was measured before is worth having.
            Finished::Swept(match ended {
                Some(problem) if points.is_empty() => Err(problem),
                ended => Ok(Box::new(Swept { of: (present, other), of_sizes: swept, points, ended })),
            })
        });
        let id = id.map_err(no_thread)?;
        self.showing = Some(id);
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
        self.showing = Some(id);
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

    /// A state with its program, and at the present sizes as far as that program has them.
    fn state(&self, revision: RevisionId) -> Result<State, Diagnostic> {
        let Some(found) = self.history.revision(revision) else {
            return Err(Diagnostic::error("E0810", format!("There is no revision {revision}."))
                .hint("The history lists all that there are."));
        };
        let (workspace, term) = (self.program_of(revision).clone(), found.term.clone());
        let mut sizes = self.sizes_of(revision).clone();
        let own = self.sizes.iter().filter(|(name, _)| workspace.program.sizes.contains(name));
        sizes.extend(own.map(|(name, value)| (name.clone(), *value)));
        Ok(State { workspace, term, sizes })
    }

    pub(super) fn device_is_free(&self) -> Result<(), Diagnostic> {
        match self.on_the_device() {
            Some((busy, help)) => Err(Diagnostic::error("E0810", busy).hint(help)),
            None => Ok(()),
        }
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
    pub(super) fn refusal(&self, why: String) -> Diagnostic {
        match self.missing_sizes().first() {
            Some(size) => Diagnostic::error("E0151", why)
                .hint(format!("Give one with `--size {size}=1024`, or `:sizes {size}=1024` on the screen.")),
            None => Diagnostic::error("E0810", why).hint("It can be done at another time."),
        }
    }

    pub(super) fn asked_of<'a>(
        &'a self,
        device: &'a str,
        mode: Mode,
        inputs: Option<&'a Inputs>,
    ) -> bench::Asked<'a> {
        let (workspace, term, sizes) = (&*self.workspace, self.term(), &self.sizes);
        let (foreign, known) = (self.foreign, Some(&*self.references));
        bench::Asked { inputs, foreign, known, ..bench::Asked::new(workspace, term, sizes, device, mode) }
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
        self.showing = Some(id);
        Ok(id)
    }

    /// What came of the last run on the user's data, once.
    pub fn shown(&mut self) -> Option<Result<Box<Shown>, Diagnostic>> {
        self.shown.take()
    }
}

/// Measures what a device allows; with the name that measurements on it have.
///
/// # Errors
/// There is no such device, or it fails.
pub fn peak(device: &str, backend: &dyn Backend, cancel: &AtomicBool) -> Result<(String, Peak), Diagnostic> {
    let mut control = RunControl { cancel, progress: &mut |_| {} };
    let list = backend.list_for(device, &mut control).map_err(|e| super::device_diagnostic(&e))?;
    let info = select(&list.devices, device).map_err(|e| super::device_diagnostic(&e))?;
    let peak = roofline::measure(backend, info, &mut control).map_err(|e| super::device_diagnostic(&e))?;
    Ok((info.id.clone(), peak))
}
