//! Running a kernel, and checking it first.
//!
//! A time is only ever shown for a kernel whose output was checked: at small sizes against the interpreter, and at
//! the measured sizes against the program as it was written, compiled plainly to C, in double precision where
//! that decides nothing. Rounding hides what is missing from a long sum; so sums are checked on small integers as well,
//! at odd sizes, where they are exact in any order.

mod agree;
pub mod cells;
mod checked;
mod decided;
mod doubt;
mod drawn;
mod explained;
mod inputs;
mod known;
mod pair;
mod place;
mod request;

pub use agree::{is_of_contraction, is_of_foreign, is_of_rounding, is_of_the_compiler};
pub use checked::Beforehand;
pub use doubt::{of_comparison, of_repetition};
pub use drawn::Drawn;
pub use inputs::Inputs;
pub use known::Known;
pub use pair::{Difference, Outputs, Pair, Side, compare, in_turns};
pub use request::{TIME_LIMIT_S, plain_seconds, request};

use super::action::{Measurement, MedianTime, PartTime, Sizes, Target};
use super::amounts::Amounts;
use super::device_diagnostic;
use super::foreign;
use super::workspace::Workspace;
use crate::device::{
    Backend, Choice, HostData, Mode, PartTimes, Progress as DeviceProgress, RunControl, RunReport, name_in,
    select, stats,
};
use crate::emit::{Compiled, Language, Module, Stage, UNDEFINED};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::eval::failure::not_run;
use crate::lang::term::Term;
use crate::lang::work;
use checked::Checked;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What a measurement is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchProgress {
    Compiling,
    CheckingSmall,
    /// The program as it is written runs in plain C, for about so long by its operations.
    Reference {
        about: Duration,
    },
    /// The first run, which is not counted.
    WarmingUp,
    /// So many runs are done, of as many at most; and for how long it goes on at most, where that is known.
    Running {
        done: u32,
        of: u32,
        left: Option<Duration>,
    },
}

/// What is to be run.
pub struct Asked<'a> {
    pub workspace: &'a Workspace,
    pub term: &'a Term,
    pub sizes: &'a Sizes,
    pub device: &'a str,
    /// What to run it on; drawn from a seed where nothing is given.
    pub inputs: Option<&'a Inputs>,
    /// Once, or as often as a measurement needs?
    pub mode: Mode,
    /// May the program's foreign functions run?
    pub foreign: bool,
    /// The most seconds that a run may take, compilation included, where it is less than a measurement may.
    pub limit_s: Option<f64>,
    /// What was computed for other kernels of the same program.
    pub known: Option<&'a Known>,
}

impl<'a> Asked<'a> {
    /// On inputs that are drawn, without a limit of its own, by itself.
    pub fn new(
        workspace: &'a Workspace,
        term: &'a Term,
        sizes: &'a Sizes,
        device: &'a str,
        mode: Mode,
    ) -> Asked<'a> {
        Asked {
            workspace,
            term,
            sizes,
            device,
            inputs: None,
            mode,
            foreign: false,
            limit_s: None,
            known: None,
        }
    }
}

/// A run whose output was checked, or not.
pub struct Ran {
    /// The device's name.
    pub device: String,
    pub kernel: Digest,
    /// The components of the result, in the order of its type's leaves.
    pub outputs: Vec<HostData>,
    /// Which cells of each the program leaves undefined, as far as that was looked at: what is there means nothing.
    pub undefined: Vec<Vec<bool>>,
    /// The times of the runs in nanoseconds, where they were measured.
    pub samples_ns: Vec<u64>,
    /// Where that time went, of a program of several kernels.
    pub parts: Vec<PartTimes>,
    pub warnings: Vec<String>,
    /// What the output agrees with, as a sentence without its end; None if it was not checked.
    pub check: Option<String>,
    /// The largest relative error of a cell.
    pub max_error: f64,
}

/// Compiles, checks and measures.
///
/// # Errors
/// The program does not compile, the device fails, or the output is wrong (`E0820`).
pub fn measure(
    asked: &Asked<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
    report: &dyn Fn(BenchProgress),
) -> Result<Measurement, Diagnostic> {
    let mut measured = measurement(asked, run(asked, true, backend, cancel, report)?);
    measured.warnings.extend(doubt::of_interval(&measured));
    Ok(measured)
}

/// A run whose output was checked, as a measurement.
fn measurement(asked: &Asked<'_>, ran: Ran) -> Measurement {
    // Of a run that is not timed there is no time.
    let time = stats::summary(&ran.samples_ns).as_ref().map(MedianTime::from).unwrap_or_default();
    let work = work::of(&asked.workspace.program.term, asked.sizes);
    Measurement {
        parts: ran.parts.iter().map(part_time).collect(),
        max_error: Some(ran.max_error),
        warnings: ran.warnings,
        ..Measurement::of(&ran.device, ran.kernel, asked.sizes, time, &work, ran.check.unwrap_or_default())
    }
}

/// Compiles, checks if that is wanted, and runs.
///
/// # Errors
/// As [`measure`].
pub fn run(
    asked: &Asked<'_>,
    check: bool,
    backend: &dyn Backend,
    cancel: &AtomicBool,
    report: &dyn Fn(BenchProgress),
) -> Result<Ran, Diagnostic> {
    let prepared = Prepared::of(asked, check, backend, cancel, report)?;
    let mut pace = Pace::of(asked.mode);
    let progress = &mut |p| pace.report(p, report);
    let result = prepared.checked.measured(&prepared.ready.module, prepared.inputs(), progress);
    prepared.ran(result.map_err(|problem| prepared.blamed(problem))?)
}

/// How fast runs follow each other, which says how long they go on.
struct Pace {
    /// When the run began that is not counted.
    warmed: Option<Instant>,
    /// When the first of them was reported, with how many were done then, and how long the one took that is not counted.
    began: Option<(Instant, u32, Option<Duration>)>,
    /// For how long they go on, unless fewer runs than this are done then.
    most: Option<Duration>,
    least_runs: u32,
}

impl Pace {
    fn of(mode: Mode) -> Pace {
        match mode {
            Mode::Measure { min_runs, max_seconds, .. } => {
                let most = Duration::try_from_secs_f64(max_seconds).ok();
                Pace { warmed: None, began: None, most, least_runs: min_runs }
            }
            Mode::Once => Pace { warmed: None, began: None, most: None, least_runs: 1 },
        }
    }

    fn report(&mut self, progress: DeviceProgress, report: &dyn Fn(BenchProgress)) {
        let (done, of) = match progress {
            DeviceProgress::Compiling => return,
            // What runs once has no run before it.
            DeviceProgress::WarmingUp if self.most.is_none() => return,
            DeviceProgress::WarmingUp => {
                self.warmed = Some(Instant::now());
                return report(BenchProgress::WarmingUp);
            }
            DeviceProgress::Running { done, of } => (done, of),
        };
        let first = self.warmed.map(|warmed| warmed.elapsed());
        let (began, before, first) = *self.began.get_or_insert_with(|| (Instant::now(), done, first));
        let more = done - before.min(done);
        let took = began.elapsed();
        let each = if more > 0 { Some(took / more) } else { first };
        report(BenchProgress::Running { done, of, left: self.left(took, each, more, of - done.min(of)) });
    }

    /// How long it goes on after so long a time, where each run takes so long, so many are done, and as many are left.
    fn left(&self, took: Duration, each: Option<Duration>, done: u32, left: u32) -> Option<Duration> {
        let by_pace = each.map(|each| each * left);
        let by_time = self.most.map(|most| most.saturating_sub(took));
        let needed = each.map_or(Duration::ZERO, |each| each * self.least_runs.saturating_sub(done));
        by_pace.into_iter().chain(by_time).min().map(|left| left.max(needed))
    }
}

/// Foreign functions are run only for whom allows it.
///
/// # Errors
/// `E0189`: the program has one, and nobody has allowed it.
pub fn may_run(workspace: &Workspace, allowed: bool) -> Result<(), Diagnostic> {
    match foreign::functions(&workspace.program.term).first().filter(|_| !allowed) {
        Some(function) => Err(not_run(*function)),
        None => Ok(()),
    }
}

/// A program that is compiled and, if that is wanted, checked beforehand, and its inputs.
struct Prepared<'a> {
    checked: Checked<'a>,
    ready: Ready,
    /// What it runs on where nothing was given.
    drawn: Option<Inputs>,
    /// What is to be said of the inputs.
    of_inputs: Option<String>,
    beforehand: Option<Beforehand>,
}

impl<'a> Prepared<'a> {
    fn of(
        asked: &'a Asked<'a>,
        check: bool,
        backend: &'a dyn Backend,
        cancel: &'a AtomicBool,
        report: &dyn Fn(BenchProgress),
    ) -> Result<Prepared<'a>, Diagnostic> {
        may_run(asked.workspace, asked.foreign)?;
        report(BenchProgress::Compiling);
        let ready = ready(asked, backend, cancel)?;
        let checked = Checked::new(asked, backend, cancel);
        let (drawn, of_inputs) = match asked.inputs {
            Some(given) if check => (None, checked.given_have_result(given)?),
            Some(_) => (None, None),
            None => {
                let Drawn { inputs, warning } = checked.drawn(&[])?;
                (Some(inputs), warning)
            }
        };
        let mut prepared = Prepared { checked, ready, drawn, of_inputs, beforehand: None };
        if check {
            let known = prepared.checked.beforehand(prepared.inputs(), report);
            prepared.beforehand = Some(known.map_err(|problem| prepared.blamed(problem))?);
        }
        Ok(prepared)
    }

    fn inputs(&self) -> &Inputs {
        const NONE: &Inputs = &Inputs(Vec::new());
        self.checked.asked.inputs.or(self.drawn.as_ref()).unwrap_or(NONE)
    }

    /// A problem of a run, or why the program has no result on these inputs.
    fn blamed(&self, problem: Diagnostic) -> Diagnostic {
        match problem.code {
            "E0707" => self.checked.without_result(self.inputs()).unwrap_or(problem),
            _ => problem,
        }
    }

    /// What came of a run, whose output is compared.
    fn ran(&self, result: RunReport) -> Result<Ran, Diagnostic> {
        let before = self.beforehand.as_ref();
        let verdict = before.map(|b| self.checked.verdict(b, self.inputs(), &result.outputs)).transpose()?;
        let verdict = verdict.unwrap_or_default();
        let mut warnings = result.warnings;
        warnings.extend(self.ready.unasked.clone());
        warnings.extend(self.of_inputs.clone());
        warnings.extend(verdict.warnings);
        warnings.extend(before.is_none().then(|| self.ready.untold()).flatten());
        warnings.extend(changing(self.checked.asked.device));
        let undefined = before.map(Beforehand::undefined).unwrap_or_default();
        warnings.extend(of_undefined(&undefined));
        Ok(Ran {
            device: as_asked(self.checked.asked.device, &result.device),
            kernel: self.ready.digest,
            outputs: result.outputs,
            undefined,
            samples_ns: result.samples_ns,
            parts: result.parts,
            warnings,
            check: verdict.text,
            max_error: verdict.max_error,
        })
    }
}

/// A kernel as text that the device has room for.
pub struct Ready {
    module: Module,
    pub digest: Digest,
    /// What a strategy did that nobody asked for, where it may have changed a result.
    unasked: Option<String>,
}

impl Ready {
    /// What nothing tells of a run that is not checked.
    fn untold(&self) -> Option<String> {
        let divides = self.module.kernels(Language::OpenCl).any(|k| k.divides);
        divides
            .then(|| format!("In kernels the quotient is 0 where {UNDEFINED}, and only checks tell of it."))
    }
}

/// Compiles to text, and asks whether the device has room for that.
///
/// # Errors
/// The program does not compile, or asks for more than the device has.
pub fn ready(asked: &Asked<'_>, backend: &dyn Backend, cancel: &AtomicBool) -> Result<Ready, Diagnostic> {
    Ok(made(asked, backend, cancel)?.0)
}

/// The same, with what its code does.
///
/// # Errors
/// As [`ready`].
pub fn counted(
    asked: &Asked<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<(Ready, Amounts), Diagnostic> {
    let (ready, stages) = made(asked, backend, cancel)?;
    let amounts = Amounts::of(asked.term, (&ready.module, &stages), target_of(asked.device), asked.sizes);
    Ok((ready, amounts))
}

fn made(
    asked: &Asked<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<(Ready, Vec<Stage>), Diagnostic> {
    let compiled = asked.workspace.compile_telling(asked.term, target_of(asked.device), asked.sizes);
    let absent = || absent(asked.device, backend, cancel);
    let (Compiled { module, stages }, unasked) =
        compiled.map_err(|problem| absent().unwrap_or_else(|| on_another_device(problem)))?;
    request::has_an_end(&module, asked.sizes)?;
    Checked::new(asked, backend, cancel).fits(&module)?;
    let digest = Digest::of(module.text().as_bytes());
    Ok((Ready { module, digest, unasked: unasked.and_then(|u| u.warning()) }, stages))
}

/// What is given of the inputs, and the rest drawn such that the program as written has a result, as far as that is looked at.
///
/// # Errors
/// There is no data of a parameter's type, or no result on any inputs that are drawn.
pub fn drawn(
    asked: &Asked<'_>,
    given: &[Option<Vec<HostData>>],
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<Drawn, Diagnostic> {
    may_run(asked.workspace, asked.foreign)?;
    Checked::new(asked, backend, cancel).drawn(given)
}

/// What the output at the sizes asked for must be.
///
/// # Errors
/// The program as written does not run.
pub fn expected(
    asked: &Asked<'_>,
    inputs: &Inputs,
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<Beforehand, Diagnostic> {
    Checked::new(asked, backend, cancel).at_these_sizes(inputs)
}

/// Runs, and compares the output at the sizes asked for.
///
/// # Errors
/// The device fails, or the output is wrong (`E0820`).
pub fn timed(
    asked: &Asked<'_>,
    ready: &Ready,
    inputs: &Inputs,
    expected: &Beforehand,
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<RunReport, Diagnostic> {
    let checked = Checked::new(asked, backend, cancel);
    let report = checked.measured(&ready.module, inputs, &mut |_| {})?;
    checked.verdict(expected, inputs, &report.outputs)?;
    Ok(report)
}

/// Makes the checks of a measurement other than that at the sizes asked for; what agrees, as a sentence without its end.
///
/// # Errors
/// The device fails, or an output is wrong (`E0820`).
pub fn checked_elsewhere(
    asked: &Asked<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<String, Diagnostic> {
    Checked::new(asked, backend, cancel).elsewhere()
}

fn part_time(part: &PartTimes) -> PartTime {
    let median_ns = stats::summary(&part.samples_ns).map_or(0.0, |s| s.median);
    PartTime { name: part.name.clone(), median_ns }
}

/// What is said of cells that the program leaves undefined.
fn of_undefined(cells: &[Vec<bool>]) -> Option<String> {
    let (number, all) =
        (cells.iter().flatten().filter(|is| **is).count(), cells.iter().map(Vec::len).sum::<usize>());
    (number > 0).then(|| {
        format!(
            "The program leaves {number} of {all} cells of the result undefined, as `padEmpty` and `scatter` do: what stands there means \
             nothing, and was not compared."
        )
    })
}

/// What is said of flags that may change results.
pub(in crate::session) fn changing(asked: &str) -> Option<String> {
    let settings = Choice::read(asked).and_then(Choice::decided).unwrap_or_default();
    let marks = settings.marks();
    (!marks.is_empty())
        .then(|| format!("The kernel was compiled so that results may change: {}.", marks.join(", ")))
}

/// A device by its own name, with how kernels were compiled and run on it.
fn as_asked(asked: &str, name: &str) -> String {
    let settings = Choice::read(asked).and_then(Choice::decided).unwrap_or_default();
    settings.on(name)
}

/// The language that a device, as it was asked for, takes.
pub fn target_of(device: &str) -> Target {
    if name_in(device) == "cpu" { Target::C } else { Target::OpenCl }
}

/// That there is no such device, of which nothing else is worth to be told.
fn absent(device: &str, backend: &dyn Backend, cancel: &AtomicBool) -> Option<Diagnostic> {
    if target_of(device) == Target::C {
        return None;
    }
    let list = backend.list(&mut RunControl { cancel, progress: &mut |_| {} }).ok()?;
    select(&list.devices, device).err().map(|e| device_diagnostic(&e))
}

/// Says where a program for OpenCL can be measured.
fn on_another_device(problem: Diagnostic) -> Diagnostic {
    if problem.code != "E0520" {
        return problem;
    }
    problem.hint(
        "To measure it on an OpenCL device, name one with `--device`, or with `:device` on the screen; `shine-tui devices` \
         lists them.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_of_runs_says_how_long_they_go_on() {
        let second = Duration::from_secs(1);
        let pace = Pace { warmed: None, began: None, most: Some(10 * second), least_runs: 5 };
        // Before a run only the bound is known; then the pace is, and the sooner end counts.
        assert_eq!(pace.left(Duration::ZERO, None, 0, 30), Some(10 * second));
        assert_eq!(pace.left(second, Some(second / 10), 10, 20), Some(2 * second));
        assert_eq!(pace.left(4 * second, Some(2 * second), 2, 28), Some(6 * second));
        // So many runs are needed, however long they take, which the one before them tells.
        assert_eq!(pace.left(16 * second, Some(4 * second), 4, 26), Some(4 * second));
        assert_eq!(pace.left(Duration::ZERO, Some(4 * second), 0, 30), Some(20 * second));
        assert_eq!(Pace { most: None, ..pace }.left(second, None, 0, 3), None);
    }

    /// The first run that counts is told with how long all take, by the one before it.
    #[test]
    fn the_run_that_does_not_count_tells_how_long_the_others_take() {
        let told = std::cell::RefCell::new(vec![]);
        let report = |progress| told.borrow_mut().push(progress);
        let mut pace = Pace::of(Mode::Measure { min_runs: 6, max_runs: 30, max_seconds: 0.0 });
        pace.report(DeviceProgress::WarmingUp, &report);
        std::thread::sleep(Duration::from_millis(2));
        pace.report(DeviceProgress::Running { done: 0, of: 30 }, &report);
        let told = told.into_inner();
        let [BenchProgress::WarmingUp, BenchProgress::Running { left: Some(left), .. }] = *told else {
            panic!("{told:?}")
        };
        assert!(left >= Duration::from_millis(12), "{left:?}");
    }
}
