//! Tunings on a device that does what the text of a kernel says: how long it takes, and what goes wrong.

use super::kept::{Entry, Kept};
use super::order::Order;
use super::{Ending, Fate, Space, Standing, Tuned, Wanted, tune_with};
use crate::device::fake::{FakeDevices, Reply};
use crate::device::{
    Backend, Cause, Choice, DeviceError, DeviceList, HostData, Mode, Param, RunControl, RunReport,
    RunRequest, Timer,
};
use crate::lang::diag::Diagnostic;
use crate::lang::ty::Scalar;
use crate::session::Session;
use crate::session::action::{Action, Sizes};
use crate::session::files::{Text, Texts};
use crate::session::jobs::Control;
use crate::session::workspace::Workspace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const SCALE: &str = "def scale (x: n.f32): n.f32 = x |> map (\\a. a * 3)";

/// What happens to a kernel whose text has such a number in it.
#[derive(Clone, Copy, PartialEq)]
enum Ill {
    Hangs,
    Crashes,
    Wrong,
    /// It crashes when it takes turns with another one, and from then on.
    CrashesInTurns,
    /// It takes ten times as long, or varies wildly, where it takes turns with another one.
    SlowInTurns,
    VariesInTurns,
    /// It takes 1.4 times as long.
    Slower,
    /// Most of its runs in turns are disturbed.
    DisturbedInTurns,
    /// It does not take turns with others, and runs by itself.
    RefusesTurns,
    /// The time is over while it runs.
    TimeOver,
    /// From its first run on there is no device any more.
    DeviceGone,
    /// What the compiler made of it cannot be loaded.
    NotLoaded,
    /// The worker that is to run it does not start; or not the first time.
    NotStarted,
    NotStartedAtOnce,
}

/// Multiplies by three, the faster the larger the part that a kernel takes at once.
struct Scripted {
    ill: Vec<(u64, Ill)>,
    turned: Mutex<Vec<u64>>,
    gone: Mutex<bool>,
    refused_once: Mutex<bool>,
}

impl Scripted {
    fn new(ill: &[(u64, Ill)]) -> Scripted {
        Scripted {
            ill: ill.to_vec(),
            turned: Mutex::default(),
            gone: Mutex::default(),
            refused_once: Mutex::default(),
        }
    }

    fn is(&self, part: Option<u64>, what: Ill) -> bool {
        part.is_some_and(|part| self.ill.contains(&(part, what)))
    }
}

/// The bound of the innermost loop: the length of a part.
fn part(request: &RunRequest) -> Option<u64> {
    let text = request.texts.host.split("< ").skip(1);
    text.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).last()
}

impl Backend for Scripted {
    fn list(&self, control: &mut RunControl<'_>) -> Result<DeviceList, DeviceError> {
        FakeDevices::new().device("script", "gpu").list(control)
    }

    fn run(&self, request: &RunRequest, _: &mut RunControl<'_>) -> Result<RunReport, DeviceError> {
        let measured = !matches!(request.mode, Mode::Once);
        let part = part(request).filter(|_| measured);
        if self.is(part, Ill::DeviceGone) || *self.gone.lock().unwrap() {
            *self.gone.lock().unwrap() = true;
            return Err(DeviceError::new(Cause::NoDevice, "There is no such device."));
        }
        if self.is(part, Ill::NotLoaded) {
            return Err(DeviceError::new(Cause::Storage, "The compiled kernel cannot be loaded."));
        }
        let not_at_once = || !std::mem::replace(&mut *self.refused_once.lock().unwrap(), true);
        if self.is(part, Ill::NotStarted) || (self.is(part, Ill::NotStartedAtOnce) && not_at_once()) {
            return Err(DeviceError::new(Cause::WorkerMissing, "The worker does not start."));
        }
        if self.is(part, Ill::Hangs) {
            return Err(DeviceError::new(Cause::TimeLimit, "The run was ended after 1 s."));
        }
        if self.is(part, Ill::TimeOver) {
            return Err(DeviceError::new(Cause::Cancelled, "The run was stopped."));
        }
        let turned = part.is_some_and(|part| self.turned.lock().unwrap().contains(&part));
        if self.is(part, Ill::Crashes) || turned {
            return Err(DeviceError::new(Cause::Crashed, "The worker process died."));
        }
        let times = if self.is(part, Ill::Wrong) { 4.0 } else { 3.0 };
        let input =
            request.params.iter().find_map(|p| if let Param::Input(data) = p { Some(data) } else { None });
        // What is asked how much it could do has no inputs.
        let Some(input) = input else {
            return Err(DeviceError::new(Cause::BadRequest, "This device runs one program alone."));
        };
        let elem = request
            .params
            .iter()
            .find_map(|p| if let Param::Output { elem, .. } = p { Some(*elem) } else { None });
        let HostData::F64(cells) = input.as_floats(Scalar::F64) else { panic!("floats") };
        let outputs = vec![HostData::F64(cells.iter().map(|x| times * x).collect()).as_floats(elem.unwrap())];
        let longer = if self.is(part, Ill::Slower) { 7 } else { 5 };
        let ns = 1_000_000 / part.unwrap_or(1) * longer / 5;
        Ok(RunReport {
            outputs,
            samples_ns: vec![ns, ns + 1, ns, ns + 2, ns, ns + 1],
            parts: vec![],
            timer: Timer::Host,
            compiler: "script".into(),
            device: request.device.clone(),
            threads: 1,
            warnings: vec![],
            stderr: String::new(),
        })
    }

    fn run_pair(
        &self,
        first: &RunRequest,
        second: &RunRequest,
        control: &mut RunControl<'_>,
    ) -> Result<(RunReport, RunReport), DeviceError> {
        for request in [first, second] {
            if let Some(part) = part(request).filter(|part| self.is(Some(*part), Ill::CrashesInTurns)) {
                self.turned.lock().unwrap().push(part);
            }
        }
        let are = |what| [first, second].iter().any(|request| self.is(part(request), what));
        if are(Ill::RefusesTurns) {
            return Err(DeviceError::new(Cause::Crashed, "The worker process died of two."));
        }
        let many = are(Ill::DisturbedInTurns);
        let run = |request: &RunRequest, control: &mut RunControl<'_>| {
            let mut report = self.run(request, control)?;
            if many {
                report.samples_ns = vec![1_000_000 / part(request).unwrap_or(1); 60];
            }
            for (i, ns) in report.samples_ns.iter_mut().enumerate() {
                match part(request) {
                    of if self.is(of, Ill::SlowInTurns) => *ns *= 10,
                    of if self.is(of, Ill::VariesInTurns) => *ns = [*ns / 10, *ns * 30][i % 2],
                    // Two of three wait for something else.
                    of if self.is(of, Ill::DisturbedInTurns) && i % 3 > 0 => {
                        *ns += *ns * (i as u64 * 17 % 60) / 10
                    }
                    _ => {}
                }
            }
            Ok(report)
        };
        Ok((run(first, control)?, run(second, control)?))
    }
}

fn texts() -> Texts {
    let program = Text { label: "scale.rise".into(), text: SCALE.into() };
    Texts { program, files: vec![], default_sizes: Default::default(), origin: Default::default() }
}

fn scale() -> (Workspace, Sizes) {
    let workspace = Workspace::load(&texts(), None).unwrap_or_else(|p| panic!("{}", p.first()));
    (workspace, Sizes::from_iter([("n".into(), 96)]))
}

fn tuned(strategy: &str, ill: &[(u64, Ill)]) -> Result<Tuned, Diagnostic> {
    tuned_on("cpu", strategy, ill)
}

fn tuned_on(device: &str, strategy: &str, ill: &[(u64, Ill)]) -> Result<Tuned, Diagnostic> {
    tuned_with(Kept::default(), device, strategy, ill)
}

fn tuned_with(kept: Kept, device: &str, strategy: &str, ill: &[(u64, Ill)]) -> Result<Tuned, Diagnostic> {
    let (workspace, sizes) = scale();
    let strategy = workspace.parse_strategy(strategy).unwrap();
    let term = &workspace.program.term;
    let (workspace, sizes, strategy) = (&workspace, &sizes, &strategy);
    let wanted = Wanted { workspace, term, sizes, device, strategy, seconds: 20.0, foreign: false };
    let backend = Scripted::new(ill);
    tune_with(&wanted, kept, &backend, &Control::silent(), &|_: &Standing| {})
}

fn fate(tuned: &Tuned, value: &str) -> String {
    match &tuned.tried.iter().find(|t| t.values[0].1 == value).unwrap().fate {
        Fate::Measured { .. } => "measured".into(),
        Fate::Failed { code, .. } => (*code).into(),
        other => format!("{other:?}"),
    }
}

#[test]
fn what_hangs_crashes_or_is_wrong_is_recorded_and_the_others_go_on() {
    let ill = [(48, Ill::Hangs), (32, Ill::Crashes), (24, Ill::Wrong)];
    let tuned = tuned("body(splitJoin(?p in {4, 8, 16, 24, 32, 48}))", &ill).unwrap();
    assert_eq!(tuned.ending, Ending::All);
    let fates = ["48", "32", "24", "16", "4"].map(|p| fate(&tuned, p));
    assert_eq!(fates, ["E0708", "E0707", "E0820", "measured", "measured"]);
    assert_eq!(tuned.best().unwrap().strategy, "body(splitJoin(16))");
    assert!(tuned.comparison.is_some() && tuned.ratio().is_some_and(|r| r > 3.0), "{:?}", tuned.comparison);
}

/// The state from which a tuning begins is a candidate: where it is faster than the best, no tuning leads elsewhere.
#[test]
fn no_tuning_leads_to_a_slower_state() {
    let strategy = "body(splitJoin(?p in {4, 16, 48}))";
    let of = |ill: &[(u64, Ill)]| tuned(strategy, ill).unwrap().before.unwrap();
    // As written the program takes half as long as the best, unless turns show another thing.
    let faster = of(&[]);
    assert!(faster.stays && faster.says().contains("the best takes 2.00"), "{}", faster.says());
    let slower = of(&[(96, Ill::SlowInTurns)]);
    assert!(!slower.stays && slower.ratio > 4.0, "{}", slower.says());
    let varies = of(&[(96, Ill::VariesInTurns)]);
    assert!(!varies.stays && varies.says().contains("not measurably faster or slower"), "{}", varies.says());
    // Where the best is just that state nothing is left to compare, and what does not run is no candidate.
    let same = tuned("choose(id, body(splitJoin(4)))", &[]).unwrap();
    assert!(same.best == 0 && same.before.is_none());
    assert_eq!(tuned(strategy, &[(96, Ill::Crashes)]).unwrap().before, None);

    let sizes = Sizes::from_iter([("n".into(), 96)]);
    for (ill, moves) in [(&[][..], false), (&[(96, Ill::SlowInTurns)], true)] {
        let fake = Arc::new(FakeDevices::new());
        let mut session = Session::open(&texts(), None, &sizes, fake, Arc::new(|| {}))
            .unwrap_or_else(|p| panic!("{}", p.first()));
        let action = Action::Tune { strategy: strategy.into(), device: "cpu".into(), seconds: 20.0 };
        session.finish_tuned(session.current(), &action, &tuned(strategy, ill).unwrap()).unwrap();
        assert_eq!(session.current(), usize::from(moves));
    }
}

/// What makes no difference to a program is found out, and no time is spent on points that differ in that alone.
#[test]
fn what_makes_no_difference_is_not_tried_again_and_again() {
    let idle = "try(fail ; body(splitJoin(?q in {1..1000})))";
    let alone = tuned(idle, &[]).unwrap();
    assert_eq!((alone.ending, alone.points), (Ending::Alike, 1000));
    assert!(alone.tried.len() < 100, "{}", alone.tried.len());
    let says = |tuned: &Tuned| tuned.warnings.join(" ");
    assert!(
        says(&alone).contains("makes no difference") && !says(&alone).contains("more time"),
        "{}",
        says(&alone)
    );

    // Of two that act, of which one stands in an alternative, all values are tried.
    let both = format!("{idle} ; choose(id, body(splitJoin(?p in {{4, 8, 16, 48}}))) ; {idle}");
    let tuned = tuned(&both, &[]).unwrap();
    assert_eq!(tuned.ending, Ending::Alike);
    assert!(tuned.tried.len() < 200, "{}", tuned.tried.len());
    let measured = tuned.tried.iter().filter(|t| t.median_ns().is_some()).count();
    assert_eq!(measured, 5, "{:?}", says(&tuned));
    assert!(
        says(&tuned).contains("`choice`, `p`: all") || says(&tuned).contains("`p`, `choice`: all"),
        "{}",
        says(&tuned)
    );
}

#[test]
fn who_crashes_in_turns_loses() {
    let tuned = tuned("body(splitJoin(?p in {4, 44, 46, 48, 32}))", &[(48, Ill::CrashesInTurns)]).unwrap();
    assert_eq!(fate(&tuned, "48"), "E0707");
    assert_eq!(tuned.best().unwrap().strategy, "body(splitJoin(32))");
}

/// What is faster by few runs and not in turns is not the best.
#[test]
fn the_start_is_the_best_where_turns_show_nothing_faster() {
    for (ill, says) in [(Ill::SlowInTurns, "the start takes 0."), (Ill::VariesInTurns, "the start stays")] {
        let tuned = tuned("body(splitJoin(?p in {16, 48}))", &[(48, ill)]).unwrap();
        let [start, other] = [&tuned.tried[0], &tuned.tried[1]];
        assert_eq!((&*start.strategy, &*other.strategy), ("body(splitJoin(16))", "body(splitJoin(48))"));
        assert!(other.median_ns() < start.median_ns(), "{:?}", tuned.tried);
        assert_eq!((tuned.best, tuned.comparison, tuned.ratio()), (0, None, Some(1.0)));
        // Its time is the one in turns, and what is kept is the start.
        assert_eq!((tuned.median_ns, tuned.runs), (62_500.5, 6));
        let decision = tuned.decision().unwrap();
        assert_eq!((&*decision.strategy, decision.start), ("body(splitJoin(16))", None));
        let warned =
            |w: &String| w.contains("`body(splitJoin(48))`, was the fastest by few runs") && w.contains(says);
        assert!(tuned.warnings.iter().any(warned), "{:?}", tuned.warnings);
    }
}

/// On a busy machine most runs tell nothing; those that nothing disturbed do, and it is said that they decided.
#[test]
fn runs_that_were_not_disturbed_decide_where_the_others_vary() {
    let tuned = tuned("body(splitJoin(?p in {16, 48}))", &[(48, Ill::DisturbedInTurns)]).unwrap();
    assert_eq!(tuned.best().unwrap().strategy, "body(splitJoin(48))", "{:?}", tuned.warnings);
    assert!(
        tuned.comparison.is_some_and(|c| c.ratio > 2.5 && c.interval.low > 1.0),
        "{:?}",
        tuned.comparison
    );
    assert!(tuned.warnings.iter().any(|w| w.contains("disturbed least")), "{:?}", tuned.warnings);
}

/// What cannot take turns is told with its reason, and is the best only where few runs leave no doubt.
#[test]
fn without_turns_the_start_stays_unless_few_runs_leave_no_doubt() {
    for (start, best) in [(32, 32), (16, 48)] {
        let text = format!("body(splitJoin(?p in {{{start}, 48}}))");
        let tuned = tuned(&text, &[(48, Ill::RefusesTurns), (48, Ill::Slower)]).unwrap();
        assert_eq!(
            tuned.best().unwrap().strategy,
            format!("body(splitJoin({best}))"),
            "{:?}",
            tuned.warnings
        );
        assert!(tuned.comparison.is_none() && tuned.ratio().is_some_and(|r| r >= 1.0));
        let says = |what: &str| tuned.warnings.iter().any(|w| w.contains(what));
        assert!(
            says("could not take turns") && says("The worker process died of two"),
            "{:?}",
            tuned.warnings
        );
        assert!(
            !says("There was no time") && says("the start stays") == (best == start),
            "{:?}",
            tuned.warnings
        );
    }
}

/// What an earlier tuning found tells what to compare, and decides nothing.
#[test]
fn what_decides_is_measured_now() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("measurements.ron");
    let again =
        || tuned_with(Kept::at(path.clone()).0, "cpu", "body(splitJoin(?p in {16, 48}))", &[]).unwrap();
    assert_eq!(again().best().unwrap().strategy, "body(splitJoin(48))");
    // On a busy machine, say, the faster one took much longer.
    let text = std::fs::read_to_string(&path).unwrap();
    let entries =
        text.lines().skip(1).map(|l| ron::from_str::<Entry>(l.rsplit_once(' ').unwrap().0).unwrap());
    let fast = entries.min_by(|a, b| a.median_ns.total_cmp(&b.median_ns)).unwrap();
    assert_eq!(Kept::at(path.clone()).0.keep(Entry { median_ns: 9e8, ..fast }), None);
    let second = again();
    assert!(second.tried.iter().all(|t| matches!(t.fate, Fate::Measured { known: true, .. })));
    assert_eq!(second.best().unwrap().strategy, "body(splitJoin(48))");
    assert!(second.comparison.is_some_and(|c| c.ratio > 2.5), "{:?}", second.comparison);
    // The start by itself is measured again, too.
    assert_eq!(Kept::at(path.clone()).0.keep(Entry { median_ns: 9e8, ..entry_of(&path, 62_500.0) }), None);
    let alone =
        tuned_with(Kept::at(path.clone()).0, "cpu", "choose(body(splitJoin(16)), fail)", &[]).unwrap();
    assert!((alone.median_ns - 62_500.0).abs() < 2.0, "{alone:?}");
}

/// The measurement in a file that took about so long.
fn entry_of(path: &std::path::Path, ns: f64) -> Entry {
    let text = std::fs::read_to_string(path).unwrap();
    let entries =
        text.lines().skip(1).map(|l| ron::from_str::<Entry>(l.rsplit_once(' ').unwrap().0).unwrap());
    entries.into_iter().find(|e| (e.median_ns - ns).abs() < 2.0).unwrap()
}

/// What the next tuning knows is what turns said, not what a few runs alone did.
#[test]
fn what_turns_say_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let again = || {
        let kept = Kept::at(folder.path().join("measurements.ron")).0;
        let tuned =
            tuned_with(kept, "cpu", "body(splitJoin(?p in {16, 48}))", &[(48, Ill::SlowInTurns)]).unwrap();
        tuned.tried.iter().map(|t| t.fate.clone()).collect::<Vec<_>>()
    };
    let (first, second) = (again(), again());
    let time = |fate: &Fate| match fate {
        Fate::Measured { median_ns, known, .. } => (median_ns.round(), *known),
        other => panic!("{other:?}"),
    };
    assert_eq!(first.iter().map(time).collect::<Vec<_>>(), [(62_501.0, false), (20_834.0, false)]);
    assert_eq!(second.iter().map(time).collect::<Vec<_>>(), [(62_501.0, true), (208_335.0, true)]);
}

/// What a compiler does to one point, or to two, says nothing of the others; once it does so to all there is none any more.
#[test]
fn a_compiler_that_fails_at_a_point_ends_nothing() {
    let few =
        tuned("body(splitJoin(?p in {4, 8, 16, 24, 48}))", &[(8, Ill::NotLoaded), (24, Ill::NotLoaded)])
            .unwrap();
    assert_eq!(few.ending, Ending::All);
    assert_eq!(["8", "24"].map(|p| fate(&few, p)), ["E0711", "E0711"]);
    assert_eq!(few.best().unwrap().strategy, "body(splitJoin(48))");
    let all = [8, 12, 16, 24, 32, 48].map(|p| (p, Ill::NotLoaded));
    let gone = tuned("body(splitJoin(?p in {4, 8, 12, 16, 24, 32, 48}))", &all).unwrap();
    assert_eq!((gone.ending, gone.best), (Ending::Device, 0));
}

/// A worker that does not start is started again, and then costs its point alone; that none starts any more is the end.
#[test]
fn a_worker_that_does_not_start_ends_nothing() {
    for refused in [4, 24] {
        let ill = [(refused, Ill::NotStarted), (16, Ill::NotStartedAtOnce)];
        let few = tuned("body(splitJoin(?p in {4, 8, 16, 24, 48}))", &ill).unwrap();
        assert_eq!(few.ending, Ending::All, "{:?}", few.warnings);
        let fates = [&*refused.to_string(), "16", "48"].map(|p| fate(&few, p));
        assert_eq!(fates, ["E0706", "measured", "measured"]);
        assert_eq!(few.best().unwrap().strategy, "body(splitJoin(48))");
    }
    let all = [8, 12, 16, 24, 32, 48].map(|p| (p, Ill::NotStarted));
    let gone = tuned("body(splitJoin(?p in {4, 8, 12, 16, 24, 32, 48}))", &all).unwrap();
    assert_eq!((gone.ending, gone.best), (Ending::Device, 0));
    let never = [4, 8, 16, 48].map(|p| (p, Ill::NotStarted));
    assert_eq!(tuned("body(splitJoin(?p in {4, 8, 16, 48}))", &never).unwrap_err().code, "E0706");
}

/// What was refused says nothing of its code: another point with the same is tried.
#[test]
fn the_code_of_what_was_refused_is_tried_again() {
    let ill = [(16, Ill::NotStarted)];
    let tuned = tuned("choose(body(splitJoin(4)), body(splitJoin(16)), body(splitJoin(16)))", &ill).unwrap();
    let refused = |t: &&super::Tried| matches!(t.fate, Fate::Failed { code: "E0706", .. });
    assert_eq!(tuned.tried.iter().filter(refused).count(), 2, "{:?}", tuned.tried);
}

#[test]
fn a_device_that_disappears_leaves_the_best_so_far() {
    let gone = tuned("body(splitJoin(?p in {8, 16, 48}))", &[(48, Ill::DeviceGone)]).unwrap();
    assert_eq!(gone.ending, Ending::Device);
    assert!(gone.best().is_some_and(|best| best.median_ns().is_some()));
    assert!(gone.warnings.iter().any(|w| w.contains("no such device")), "{:?}", gone.warnings);
    let never = tuned("body(splitJoin(?p in {48, 16}))", &[(48, Ill::DeviceGone)]).unwrap_err();
    assert_eq!(never.code, "E0703");
}

/// Where the time is over before anything was measured, it is told of each point how far it came.
#[test]
fn why_nothing_could_be_measured_is_told() {
    let ill = [(16, Ill::Hangs), (48, Ill::TimeOver)];
    let problem = tuned("body(splitJoin(?p in {16, 48}))", &ill).unwrap_err();
    assert_eq!(problem.code, "E0317");
    let told = problem.notes.join(" ");
    assert!(told.contains("1 of 2: The run was ended after 1 s."), "{told}");
    assert!(told.contains("1 of 2: It was being made, compiled or run"), "{told}");
}

/// Points that are like others are accounted for, and those that were not tried; what helps against the one problem that all have
/// is told.
#[test]
fn all_points_of_which_none_can_be_measured_are_accounted_for() {
    let idle = "try(fail ; body(splitJoin(?q in {1..1000}))) ; body(splitJoin(?p in {4, 8}))";
    let problem = tuned(idle, &[(4, Ill::Crashes), (8, Ill::Crashes)]).unwrap_err();
    let message = &problem.message;
    assert!(message.ends_with(" points that were tried, of 2000, can be measured."), "{message}");
    let numbers = problem.notes.iter().filter_map(|note| note.split_once(" of "));
    let accounted: usize = numbers.map(|(number, _)| number.parse::<usize>().unwrap()).sum();
    assert!(message.starts_with(&format!("None of the {accounted} points")), "{message} {:?}", problem.notes);
    let told = problem.notes.join(" ");
    assert!(told.contains("same program or code") && told.contains("not tried"), "{told}");

    let threads = "body(splitJoin(?p in {4, 8})) ; topDown(useMapPar)";
    let problem = tuned_on("gpu", threads, &[]).unwrap_err();
    assert_eq!(problem.message, "None of the 2 points can be measured.");
    assert!(problem.hints[0].contains("`auto(opencl)`"), "{:?}", problem.hints);
}

#[test]
fn a_mistake_is_shown_where_the_user_wrote_it() {
    let problem = tuned("topDown(nosuch(?))", &[]).unwrap_err();
    assert_eq!(problem.code, "E0301");
    assert!(problem.to_string().contains("nosuch") && !problem.to_string().contains("16"), "{problem}");
    // Where something ran, an alternative that is no strategy is one that is ruled out.
    let some = tuned("choose(body(splitJoin(8)), nosuch)", &[]).unwrap();
    assert!(matches!(some.tried[1].fate, Fate::RuledOut { code: "E0301", .. }) && some.warnings.len() == 1);
}

/// What is left open within an alternative is a dimension of that one alone, also where a definition leaves it open.
#[test]
fn alternatives_have_dimensions_of_their_own() {
    let text = "choose(body(splitJoin(?p in {4, 8, 16})), body(splitJoin(?q in {2, 3})), id)";
    let of = |text: &str| {
        let tuned = tuned(text, &[]).unwrap();
        let mut tried: Vec<String> = tuned.tried.iter().map(|t| t.strategy.clone()).collect();
        tried.sort();
        (tuned.points, tried)
    };
    let all = ["body(splitJoin(16))", "body(splitJoin(2))", "body(splitJoin(3))", "body(splitJoin(4))"];
    let all = all.iter().chain(&["body(splitJoin(8))", "id"]).map(ToString::to_string).collect();
    assert_eq!(of(text), (6, all));
    // A choice within a choice, and one that is met on two ways.
    let (points, tried) = of("choose(choose(body(splitJoin(?p in {4, 8})), id), body(splitJoin(?p)), fail)");
    assert_eq!((points, tried.len()), (6, 6), "{tried:?}");
    let (workspace, sizes) = scale();
    let strategy = workspace.parse_strategy("choose(auto, bufferedPipeline, rotatedPipeline)").unwrap();
    let device = || Choice::read("cpu").unwrap();
    let space = Space::read(&strategy.tree, &workspace.script, &sizes, device()).unwrap();
    let auto = workspace.parse_strategy("auto").unwrap();
    let of_auto = Space::read(&auto.tree, &workspace.script, &sizes, device()).unwrap();
    assert_eq!(space.count(), of_auto.count() + 4 * 4 + 4 * 4 * 3);
    let mut order = Order::new(1, Arc::default());
    let texts: Vec<String> =
        std::iter::from_fn(|| order.next(&space, None, 0)).take(40).map(|p| space.text_at(&p)).collect();
    for (name, own) in [("auto", "part"), ("bufferedPipeline", "lines"), ("rotatedPipeline", "across")] {
        let of_this: Vec<&String> = texts.iter().filter(|t| t.starts_with(name)).collect();
        assert!(of_this.len() > 4 && of_this.iter().all(|t| t.contains(own)), "{texts:?}");
        assert!(name == "auto" || of_this.iter().all(|t| !t.contains("part")), "{texts:?}");
    }
}

/// Of alternatives within each other only those are points that differ, and once all were tried it is over.
#[test]
fn nested_alternatives_are_counted_and_end() {
    let nested = |n: usize| (0..n).fold("id".to_owned(), |inner, _| format!("choose(id, {inner})"));
    let tuned = tuned(&nested(40), &[]).unwrap();
    assert_eq!((tuned.points, tuned.tried.len(), tuned.ending), (41, 41, Ending::All));
    // In a larger space each point is as likely as another, so that new ones are found at once; and it ends where it is to stop.
    let (workspace, sizes) = scale();
    let text = format!("{} ; body(splitJoin(?p in {{1..100000}}))", nested(40));
    let strategy = workspace.parse_strategy(&text).unwrap();
    let space = Space::read(&strategy.tree, &workspace.script, &sizes, Choice::read("cpu").unwrap()).unwrap();
    assert_eq!((space.count(), space.is_counted()), (4_100_000, true));
    let stop = Arc::new(AtomicBool::new(false));
    let mut order = Order::new(1, stop.clone());
    let drawn: std::collections::HashSet<_> =
        std::iter::from_fn(|| order.next(&space, None, 0)).take(2000).collect();
    assert_eq!(drawn.len(), 2000);
    stop.store(true, Ordering::Relaxed);
    assert_eq!(order.next(&space, None, 0), None);
}

/// An alternative that is never more than ruled out costs little time.
#[test]
fn alternatives_that_do_not_apply_come_last() {
    let text =
        "choose(body(splitJoin(?p in {4, 8, 16, 32, 48})), body(splitJoin(?q in {5, 7, 11, 13, 17, 19})))";
    let tuned = tuned(text, &[]).unwrap();
    assert_eq!((tuned.points, tuned.tried.len()), (11, 11));
    let ran: Vec<bool> = tuned.tried.iter().map(|t| t.median_ns().is_some()).collect();
    assert_eq!(ran.iter().filter(|ran| **ran).count(), 5, "{:?}", tuned.tried);
    assert!(!ran[7..].contains(&true), "{ran:?}");
}

/// Of any space the first points lie in all parts of it, and no point comes twice.
#[test]
fn the_first_points_are_spread_over_the_space() {
    let (workspace, sizes) = scale();
    let space = |text: &str| {
        let strategy = workspace.parse_strategy(text).unwrap();
        Space::read(&strategy.tree, &workspace.script, &sizes, Choice::read("cpu").unwrap()).unwrap()
    };
    let wide = space("body(splitJoin(?p in {1..16})) ; try(body(splitJoin(?q in {1..16})))");
    let mut order = Order::new(1, Arc::default());
    let all: Vec<Vec<u64>> = std::iter::from_fn(|| order.next(&wide, Some(&vec![0, 0]), 0)).collect();
    assert_eq!(all.len(), 256);
    let mut quarters: Vec<(u64, u64)> = all[..12].iter().map(|p| (p[0] / 8, p[1] / 8)).collect();
    quarters.sort_unstable();
    quarters.dedup();
    assert_eq!(quarters.len(), 4, "{:?}", &all[..12]);
    let mut once = all.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), 256);
    // Of many values those that divide a size come first.
    let huge = space("body(splitJoin(?p in {1..1000000000}))");
    let mut order = Order::new(1, Arc::default());
    let first: Vec<u64> =
        std::iter::from_fn(|| order.next(&huge, None, 0)).take(20).map(|p| p[0] + 1).collect();
    assert!(first.iter().filter(|p| 96 % **p == 0).count() >= 6, "{first:?}");
}

#[test]
fn what_is_stopped_keeps_the_best_and_knows_the_start() {
    let (workspace, sizes) = scale();
    let strategy = workspace.parse_strategy("body(splitJoin(?p in {4, 8, 16, 32, 48}))").unwrap();
    let (term, control) = (&workspace.program.term, Control::silent());
    let (workspace, sizes, strategy) = (&workspace, &sizes, &strategy);
    let wanted = Wanted { workspace, term, sizes, device: "cpu", strategy, seconds: 20.0, foreign: false };
    let after = |n: usize| {
        let flag = control.cancel_flag();
        move |s: &Standing| flag.store(s.tried >= n, std::sync::atomic::Ordering::Relaxed)
    };
    let tuned = tune_with(&wanted, Kept::default(), &Scripted::new(&[]), &control, &after(3)).unwrap();
    assert_eq!((tuned.ending, tuned.tried.len()), (Ending::Stopped, 3));
    assert!(tuned.best != 0 && tuned.comparison.is_none() && tuned.ratio().is_some_and(|r| r > 1.5));
    let stopped = tune_with(&wanted, Kept::default(), &Scripted::new(&[]), &control, &after(0));
    assert_eq!(stopped.map(|t| t.tried.len()).map_err(|p| p.code), Err("E0709"));
}

#[test]
fn one_session_tunes_once_at_a_time() {
    let texts = texts();
    let fake = Arc::new(FakeDevices::new().reply(Reply::Hang));
    let sizes = Sizes::from_iter([("n".into(), 96)]);
    let mut session = Session::open(&texts, None, &sizes, fake, Arc::new(|| {}))
        .unwrap_or_else(|p| panic!("{}", p.first()));
    let strategy = "body(splitJoin(?p in {4, 8}))".to_owned();
    let tuning = Action::Tune { strategy, device: "cpu".into(), seconds: 60.0 };
    assert!(session.perform(tuning.clone()).is_ok());
    let again = session.perform(tuning).unwrap_err();
    assert!(
        again.code == "E0810"
            && again.message.contains("The job `tune body(splitJoin(?p in {4, 8})) on cpu` runs;"),
        "{again}"
    );
    session.cancel_all();
}

/// Flags and threads are tried as what a strategy leaves open is: the same kernel with others is another point.
#[test]
fn flags_and_threads_are_dimensions() {
    let on = |device| tuned_on(device, "body(splitJoin(?p in {4, 8}))", &[]);
    let tuned = on("cpu[O2, unroll?, 1|2 threads]").unwrap();
    assert_eq!(tuned.points, 8);
    let devices: std::collections::BTreeSet<&str> = tuned.tried.iter().map(|t| &*t.device).collect();
    let all = ["1 thread", "2 threads", "unroll, 1 thread", "unroll, 2 threads"];
    assert_eq!(devices, all.map(|s| format!("cpu[O2, {s}]")).iter().map(|s| &**s).collect());
    assert!(tuned.tried.iter().all(|t| t.median_ns().is_some()), "{:?}", tuned.tried);
    // It begins without flags and with all threads.
    assert_eq!(tuned.tried[0].device, "cpu[O2, 2 threads]");
    assert_eq!(tuned.tried[0].values.last().map(|(n, v)| (&**n, &**v)), Some(("threads", "2")));
    let decision = tuned.decision().unwrap();
    assert_eq!(decision.chosen, tuned.best().unwrap().device);
    // Nothing of a strategy needs to be open then, and what is no flag is told as it was written.
    assert_eq!(tuned_on("cpu[unroll?]", "body(splitJoin(4))", &[]).unwrap().points, 2);
    assert_eq!(on("cpu[-O2]").unwrap_err().code, "E0703");
}
