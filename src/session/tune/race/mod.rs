//! The race: points of a space are ruled out, checked and measured, and the fastest is compared with the start.
//!
//! Losers take few runs, the last few take turns with each other. Who leads was checked like any kernel that is measured,
//! at small and odd sizes too; of the others the output is compared at the sizes asked for.

mod again;
mod before;
mod compared;
mod finale;
mod made;

use super::alike::{self, Alike, Came, Left};
use super::kept::{Entry, Kept};
use super::order::Order;
use super::reasons::{Reasons, reasons};
use super::space::{Point, Space};
use super::{Ending, Fate, Lead, Standing, Tried, Tuned, compiler_of, name_of};
use crate::device::stats;
use crate::device::{Backend, Choice, DeviceInfo, DeviceKind, Mode, RunControl, name_in, select, threads};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::lang::work;
use crate::rewrite::strategy::open;
use crate::session::action::Sizes;
use crate::session::bench::{self, Asked, Beforehand, Drawn, Inputs, Known, Ready};
use crate::session::device_diagnostic;
use crate::session::jobs::Control;
use crate::session::searching::Replayed;
use crate::session::state::Progress;
use crate::session::workspace::{SEED, StrategyText, Workspace};
use made::{Code, Made, Making};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The part of the time after which no further point is tried, where the last few need all of the rest.
const RACE: f64 = 0.65;

/// Runs of a point that is tried: after one that does not count.
const FEW: Mode = Mode::Measure { min_runs: 1, max_runs: 5, max_seconds: 0.2 };

/// What a point may take: so many seconds to compile and start, and so many times the best time for its runs; but no more
/// than this part of the time that is left, which is larger until one has run.
const COMPILING_S: f64 = 15.0;
const TIMES: f64 = 40.0;
const PART: f64 = 0.2;
const FIRST_PART: f64 = 0.4;

/// A point that computes so many times as much as the start is not compiled.
const MOST_WORK: f64 = 8.0;

/// Once so many run, points are drawn by so many, and tried in the order of the time that each should take.
const LEARNED: usize = 3;
const DRAWN: usize = 4;

/// More points than so many, one after the other, are not lost by what was to compile or run them: then there is no compiler, no
/// room for its files, or no worker.
const MOST_REFUSED: usize = 2;

/// No worker is there.
const NOT_STARTED: &str = "E0706";

/// What says nothing of a point by itself: that there is no compiler or worker, or that what was compiled cannot be loaded.
const REFUSES: [&str; 3] = ["E0701", NOT_STARTED, "E0711"];

/// So many reasons why points were lost are told where none could be measured.
const TOLD: usize = 5;

/// So many points are drawn to find one of which nothing is expected.
const LOOKED_AT: usize = 64;

/// What is to be tuned.
pub struct Wanted<'a> {
    pub workspace: &'a Workspace,
    pub term: &'a Term,
    pub sizes: &'a Sizes,
    /// As a user chooses it, which may leave flags and the number of threads open (see [`Choice`]).
    pub device: &'a str,
    /// What leaves something open.
    pub strategy: &'a StrategyText,
    pub seconds: f64,
    /// May the program's foreign functions run?
    pub foreign: bool,
}

/// A point that runs.
struct Runner {
    /// Its number among those that were tried.
    number: usize,
    point: Option<Point>,
    /// The device with how the kernel is compiled and run on it.
    device: String,
    term: Term,
    ready: Ready,
    median_ns: f64,
    /// Is its time that of a tuning before, and was not measured again?
    is_known: bool,
    checked: Option<String>,
    /// What it took when it last took turns with another.
    in_turns: Option<stats::Summary>,
}

/// Tunes: tries points until all were, or the time is over, or `control` says to stop.
///
/// # Errors
/// The program has foreign functions that nobody has allowed to run (`E0189`), what is left open is no space (`E0314`,
/// `E0316`), the device is not there, or nothing could be measured (`E0317`).
pub fn tune(
    wanted: &Wanted<'_>,
    backend: &dyn Backend,
    control: &Control<Progress>,
    report: &dyn Fn(&Standing),
) -> Result<Tuned, Diagnostic> {
    let (kept, warning) = Kept::open();
    let mut tuned = tune_with(wanted, kept, backend, control, report)?;
    tuned.warnings.extend(warning);
    Ok(tuned)
}

/// The same with these measurements of before.
pub(super) fn tune_with(
    wanted: &Wanted<'_>,
    kept: Kept,
    backend: &dyn Backend,
    control: &Control<Progress>,
    report: &dyn Fn(&Standing),
) -> Result<Tuned, Diagnostic> {
    bench::may_run(wanted.workspace, wanted.foreign)?;
    let within = |problem: Diagnostic| problem.within(wanted.strategy.texts());
    let script = &wanted.workspace.script;
    let choice = Choice::read(wanted.device).map_err(|e| device_diagnostic(&e))?;
    let space = Space::read(&wanted.strategy.tree, script, wanted.sizes, choice);
    // A name that means nothing leaves nothing open either, and that is not what is wrong with it.
    let is_unread = |problem: &Diagnostic| {
        problem.code == "E0316"
            && open::parameters(&wanted.strategy.tree, script).is_ok_and(|all| all.is_empty())
    };
    let space =
        space.map_err(|problem| match is_unread(&problem).then(|| mistake(wanted, control)).flatten() {
            Some(mistake) => mistake,
            None => within(problem),
        })?;
    let deadline = Instant::now() + Duration::try_from_secs_f64(wanted.seconds).unwrap_or(Duration::MAX / 4);
    let (over, done) = (Control::silent(), AtomicBool::new(false));
    let flag = over.cancel_flag();
    std::thread::scope(|scope| {
        // Strategies and runs are stopped at the end of the time, whatever they do.
        let watch = || {
            while !done.load(Ordering::Relaxed) {
                if control.cancelled() || Instant::now() >= deadline {
                    flag.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        scope.spawn(watch);
        // Whatever happens, the watch ends.
        let _over = Over(&done);
        // What is no strategy at all is told before anything runs.
        let start = space.start();
        let race = match rewritten(wanted, &space, &over, &start) {
            Err(problem) if is_mistake(&problem) => Err(problem),
            made => Race::new(wanted, space, kept, backend, &over, deadline).map(|mut race| {
                race.made.insert(start, Made { term: made, code: None });
                race
            }),
        };
        let race = race.map_err(|problem| match problem.code {
            "E0709" if control.cancelled() => stopped(),
            "E0709" => no_time(wanted, &problem),
            _ => problem,
        });
        race.and_then(|race| race.run(control, report))
    })
}

/// Says that it is over when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Race<'a> {
    wanted: &'a Wanted<'a>,
    space: Space,
    backend: &'a dyn Backend,
    over: &'a Control<Progress>,
    flag: std::sync::Arc<AtomicBool>,
    deadline: Instant,
    inputs: Inputs,
    expected: Beforehand,
    known: Known,
    /// The operations of the start, or else of the program.
    work: f64,
    /// What was measured before.
    kept: Kept,
    device: String,
    compiler: String,
    /// What else decides how fast kernels run.
    surroundings: Vec<String>,
    info: DeviceInfo,
    tried: Vec<Tried>,
    /// Which terms and kernels were met, by the number of the point.
    met: HashMap<Digest, usize>,
    runners: Vec<Runner>,
    /// The present state, where it is no point and runs.
    before: Option<Runner>,
    before_ran: bool,
    /// The next points, and what strategies made there already.
    drawn: VecDeque<Point>,
    made: HashMap<Point, Made>,
    /// Those of which it is noted already that they are ruled out.
    noted: HashSet<Point>,
    alike: Alike,
    /// So many points, one after the other, were refused.
    refused: usize,
    standing: Standing,
    lost: Reasons,
    /// What to do about all problems of each kind.
    hints: HashMap<&'static str, Vec<String>>,
    warnings: Vec<String>,
}

impl<'a> Race<'a> {
    fn new(
        wanted: &'a Wanted<'a>,
        space: Space,
        kept: Kept,
        backend: &'a dyn Backend,
        over: &'a Control<Progress>,
        deadline: Instant,
    ) -> Result<Race<'a>, Diagnostic> {
        let flag = over.cancel_flag();
        let mut run_control = RunControl { cancel: &flag, progress: &mut |_| {} };
        let list = backend.list_for(wanted.device, &mut run_control);
        let list = list.map_err(|e| device_diagnostic(&e))?;
        let info = select(&list.devices, wanted.device).map_err(|e| device_diagnostic(&e))?;
        let (device, compiler) = (name_of(info), compiler_of(info));
        let known = Known::of_many();
        let asked = asked(wanted, name_in(wanted.device), wanted.term, FEW, None, &known);
        let Drawn { inputs, warning } = started(|| bench::drawn(&asked, &[], backend, &flag))?;
        let expected = started(|| bench::expected(&asked, &inputs, backend, &flag))?;
        // The threads that there are, as a kernel gets them and as the device has them.
        let mut surroundings = backend.surroundings();
        let on_threads = info.kind == DeviceKind::Host && known.threads() > 1;
        let asleep = on_threads.then(|| threads::slow(&surroundings)).flatten();
        surroundings.push(format!("{} threads of {}", known.threads(), info.compute_units));
        let (tried, met, runners) = (vec![], HashMap::new(), vec![]);
        let warnings = warning.into_iter().chain(asleep).collect();
        let alike = Alike::new(&space);
        Ok(Race {
            wanted,
            space,
            backend,
            over,
            flag,
            deadline,
            inputs,
            expected,
            known,
            work: operations(wanted.term, wanted.sizes),
            kept,
            device,
            compiler,
            surroundings,
            info: info.clone(),
            tried,
            met,
            runners,
            before: None,
            before_ran: false,
            drawn: VecDeque::new(),
            made: HashMap::new(),
            noted: HashSet::new(),
            alike,
            refused: 0,
            standing: Standing::default(),
            lost: Reasons::default(),
            hints: HashMap::new(),
            warnings,
        })
    }

    fn left_s(&self) -> f64 {
        self.deadline.saturating_duration_since(Instant::now()).as_secs_f64()
    }

    /// The seconds that are kept for the last few: so many as these can take, and no more than their part.
    fn kept_s(&self) -> f64 {
        let part = (1.0 - RACE) * self.wanted.seconds;
        let Some(best) = self.runners.first() else { return part };
        let turns = finale::most_s(best.median_ns);
        let with_peak = turns + finale::OF_PEAK;
        if with_peak < part { with_peak } else { turns.min(part) }
    }

    fn asked<'b>(&'b self, device: &'b str, term: &'b Term, mode: Mode, limit_s: Option<f64>) -> Asked<'b> {
        asked(self.wanted, device, term, mode, limit_s, &self.known)
    }

    fn run(mut self, control: &Control<Progress>, report: &dyn Fn(&Standing)) -> Result<Tuned, Diagnostic> {
        let mut order = Order::new(SEED, self.flag.clone());
        let mut ending = loop {
            if control.cancelled() {
                break Ending::Stopped;
            }
            if self.left_s() <= self.kept_s() || self.flag.load(Ordering::Relaxed) {
                break Ending::Time;
            }
            let best = self.runners.first().and_then(|r| r.point.clone());
            let ran = self.runners.len();
            let Some(point) = self.next(&mut order, best.as_ref(), ran) else {
                // What is to stop draws no further point, which says nothing of those that are left.
                break match (self.flag.load(Ordering::Relaxed), order.drawn().len() as u128) {
                    (true, _) => Ending::Time,
                    (_, drawn) if self.alike.is_sure() && drawn < self.space.count() => Ending::Alike,
                    _ => Ending::All,
                };
            };
            let mut done = self.point(point.clone());
            let fate = self.tried.last().map(|tried| &tried.fate);
            if !self.noted.remove(&point) {
                order.tried(&self.space, &point, matches!(fate, Some(Fate::RuledOut { .. })));
            }
            if done.is_ok() && self.runners.len() == 1 && !std::mem::replace(&mut self.before_ran, true) {
                done = self.run_before();
            }
            done = done.and_then(|()| self.learn(&mut order, &point));
            if let Err(problem) = done {
                match problem.code {
                    "E0709" if control.cancelled() => break Ending::Stopped,
                    "E0709" => break Ending::Time,
                    _ if self.runners.is_empty() => return Err(problem),
                    _ => {
                        self.warnings.push(problem.message);
                        break Ending::Device;
                    }
                }
            }
            report(self.standing(false));
        };
        if self.runners.is_empty() {
            return Err(self.nothing(ending));
        }
        report(self.standing(true));
        if !control.cancelled()
            && ending != Ending::Device
            && let Err(problem) = self.measured_again().and_then(|()| self.last_few())
        {
            self.warnings.push(problem.message);
            ending = Ending::Device;
        }
        if control.cancelled() {
            ending = Ending::Stopped;
        }
        self.tuned(ending)
    }

    /// The next point: of a few, that first which should take the least time by what those that were measured reached.
    fn next(&mut self, order: &mut Order, best: Option<&Point>, ran: usize) -> Option<Point> {
        if self.drawn.is_empty() {
            if ran < LEARNED {
                return self.draw(order, best, ran);
            }
            let drawn = std::iter::from_fn(|| self.draw(order, best, ran)).take(DRAWN).collect();
            let mut foreseen = self.foreseen(drawn);
            for (_, point) in foreseen.iter().filter(|(ns, _)| ns.is_none()) {
                // The next ones are drawn with that in mind.
                if !self.flag.load(Ordering::Relaxed) {
                    order.tried(&self.space, point, true);
                    self.noted.insert(point.clone());
                }
            }
            let ns = |ns: Option<f64>| ns.unwrap_or(f64::INFINITY);
            foreseen.sort_by(|(a, _), (b, _)| ns(*a).total_cmp(&ns(*b)));
            self.drawn = foreseen.into_iter().map(|(_, point)| point).collect();
        }
        self.drawn.pop_front()
    }

    /// A point that was not drawn: as soon as it is known what acts, one of which nothing is expected.
    fn draw(&self, order: &mut Order, best: Option<&Point>, ran: usize) -> Option<Point> {
        let space = &self.space;
        if !self.alike.is_sure() {
            return order.next(space, best, ran);
        }
        for _ in 0..LOOKED_AT {
            let point = order.next(space, best, ran)?;
            if self.alike.like(space, &point).is_none() {
                return Some(point);
            }
        }
        match self.alike.left(space, order.drawn()) {
            Left::Nothing => None,
            Left::Point(point) => {
                order.draw(&point);
                Some(point)
            }
            Left::Many => order.next(space, best, ran),
        }
    }

    /// Notes what came of the point that was tried last. Where another thing was expected it is found out what makes the difference.
    fn learn(&mut self, order: &mut Order, point: &Point) -> Result<(), Diagnostic> {
        let Some(came) = self.tried.len().checked_sub(1).and_then(|last| self.came(last)) else {
            return Ok(());
        };
        while !self.alike.note(&self.space, point, came) {
            let Some(other) = self.alike.like(&self.space, point).cloned() else { break };
            let Some(acting) = self.told_apart(order, other, point.clone()) else { break };
            if !self.alike.act(&self.space, &acting) {
                break;
            }
        }
        Ok(())
    }

    /// What came of the point of this number; none where the time was over before that was known, or it was refused.
    fn came(&self, number: usize) -> Option<Came> {
        match self.tried.get(number)?.fate {
            Fate::RuledOut { .. } => Some(None),
            Fate::Same(other) => self.came(other),
            ref fate if fate.is_refused() => None,
            Fate::Failed { .. } | Fate::Measured { .. } => Some(Some(number)),
            Fate::Unfinished => None,
        }
    }

    /// Which dimensions tell a point from another one of which another thing came: points between the two tell. None where the
    /// time is over.
    fn told_apart(
        &mut self,
        order: &mut Order,
        (mut first, came): (Point, Came),
        mut second: Point,
    ) -> Option<Vec<usize>> {
        let mut acting = vec![];
        // The halves of halves are single ones in less turns.
        for _ in 0..self.space.dimensions.len() {
            let between = match alike::between(&self.space, &first, &second) {
                Ok(point) => point,
                Err(differ) => {
                    acting = differ;
                    break;
                }
            };
            match self.like_one_that_came(order, &between)? {
                Some(known) if known == came => first = between,
                _ => second = between,
            }
        }
        Some(acting)
    }

    /// What will come of a point; none where it has a kernel of its own, so that it is to be tried. Nothing once the time is over.
    fn like_one_that_came(&mut self, order: &mut Order, point: &Point) -> Option<Option<Came>> {
        let device = self.space.device_at(point);
        let made = self.makes(std::slice::from_ref(point)).pop()?;
        if self.flag.load(Ordering::Relaxed) {
            return None;
        }
        let came = match &made.term {
            Err(_) => Some(None),
            Ok(term) if self.computes_too_much(term).is_some() => Some(None),
            Ok(term) => {
                let met = |what: Digest| self.came(*self.met.get(&met_as(what, &device))?);
                let of_code = |code: &Code| code.as_ref().map_or(Some(None), |(ready, _)| met(ready.digest));
                met(term.digest()).or_else(|| made.code.as_ref().and_then(of_code))
            }
        };
        if came.is_none() && !order.drawn().contains(point) {
            order.draw(point);
            self.made.insert(point.clone(), made);
            self.drawn.push_back(point.clone());
        }
        Some(came)
    }

    /// What strategies make of these points.
    fn makes(&self, points: &[Point]) -> Vec<Made> {
        let Race { wanted, space, over, backend, known, flag, met, .. } = self;
        Making { wanted, space, over, backend: *backend, known, flag, met }.all(points)
    }

    /// The least time that each point should take, in nanoseconds, 0 where that is not known; none where it is ruled out.
    fn foreseen(&mut self, points: Vec<Point>) -> Vec<(Option<f64>, Point)> {
        let rates = super::rates(&self.tried);
        let all = self.makes(&points);
        let least = |made: &Made| {
            made.term.as_ref().ok()?;
            match &made.code {
                Some(code) => Some(rates.least(&code.as_ref().ok()?.1).map_or(0.0, |(_, ns)| ns)),
                None => (!self.flag.load(Ordering::Relaxed)).then_some(0.0),
            }
        };
        let foreseen = all.iter().map(least).zip(points.iter().cloned()).collect();
        self.made.extend(points.into_iter().zip(all));
        foreseen
    }

    /// Counts the points that were not counted yet, and says how far it is.
    fn standing(&mut self, comparing: bool) -> &Standing {
        let Race { standing, tried, lost, .. } = self;
        for (number, tried) in tried.iter().enumerate().skip(standing.tried) {
            lost.add(&tried.fate);
            match tried.fate {
                Fate::Measured { median_ns: ns, .. } => {
                    standing.measured += 1;
                    if standing.best().is_none_or(|best| ns < best.ns) {
                        standing.course.push(Lead { number, strategy: tried.shown(), ns });
                    }
                }
                Fate::RuledOut { .. } => standing.ruled_out += 1,
                Fate::Failed { .. } => standing.failed += 1,
                Fate::Same(_) | Fate::Unfinished => {}
            }
        }
        standing.tried = tried.len();
        standing.lost = lost.first();
        standing.comparing = comparing;
        standing
    }

    /// Tries a point.
    fn point(&mut self, point: Point) -> Result<(), Diagnostic> {
        let text = self.space.text_at(&point);
        let (values, device) = (self.space.values_at(&point), self.space.device_at(&point));
        let tried = |kernel, fate| Tried {
            strategy: text.clone(),
            device: device.clone(),
            values: values.clone(),
            kernel,
            fate,
            amounts: None,
        };
        let on_its_own = || Made { term: rewritten(self.wanted, &self.space, self.over, &point), code: None };
        let Made { term, code } = self.made.remove(&point).unwrap_or_else(on_its_own);
        let done = match term {
            Ok(term) => match self.computes_too_much(&term) {
                Some(fate) => {
                    self.tried.push(tried(None, fate));
                    Ok(())
                }
                None => self.term((term, code), Some(point), &device, &tried),
            },
            // Where others ran, an alternative that has a mistake in it is one that does not.
            Err(problem) if is_mistake(&problem) && !self.runners.is_empty() => {
                self.warnings.push(format!("`{text}` is no strategy. {}", problem.message));
                self.tried.push(tried(None, Fate::RuledOut { code: problem.code, why: problem.message }));
                Ok(())
            }
            Err(problem) => self.ruled_out(problem).map(|fate| self.tried.push(tried(None, fate))),
        };
        match done {
            Err(problem) if problem.code == "E0709" => {
                self.tried.push(tried(None, Fate::Unfinished));
                Err(problem)
            }
            Err(problem) => Err(problem),
            Ok(()) => {
                if self.tried.last().is_some_and(|tried| tried.median_ns().is_some()) {
                    self.refused = 0;
                }
                Ok(())
            }
        }
    }

    /// Why a program is not worth compiling that computes the same things over and over again; the first is the start.
    fn computes_too_much(&mut self, term: &Term) -> Option<Fate> {
        let work = operations(term, self.wanted.sizes);
        if self.tried.is_empty() && work > 0.0 {
            self.work = work;
        }
        let times = work / self.work;
        let why = || match times {
            times if times < 100.0 => format!("It would compute {times:.1} times as much as the start."),
            _ => format!("It would compute {times:.0} times as much as the start."),
        };
        (self.work > 0.0 && times > MOST_WORK).then(|| Fate::RuledOut { code: "E0317", why: why() })
    }

    /// The most seconds that a point may take now.
    fn limit_s(&self) -> f64 {
        let (most, part) = match self.runners.first() {
            Some(best) => (COMPILING_S + TIMES * best.median_ns / 1e9, PART),
            None => (f64::MAX, FIRST_PART),
        };
        // As it is told where a point takes longer.
        (10.0 * most.min((part * self.left_s()).max(1.0))).ceil() / 10.0
    }

    /// Tries a program.
    fn term(
        &mut self,
        (term, code): (Term, Option<Code>),
        point: Option<Point>,
        device: &str,
        tried: &dyn Fn(Option<Digest>, Fate) -> Tried,
    ) -> Result<(), Diagnostic> {
        let number = self.tried.len();
        let met = |what: Digest| met_as(what, device);
        if let Some(other) = self.met.get(&met(term.digest())) {
            let kernel = self.tried.get(*other).and_then(|t| t.kernel);
            self.tried.push(tried(kernel, Fate::Same(*other)));
            return Ok(());
        }
        self.met.insert(met(term.digest()), number);
        let asked = asked(self.wanted, device, &term, FEW, Some(self.limit_s()), &self.known);
        let code = code.unwrap_or_else(|| bench::counted(&asked, self.backend, &self.flag));
        let (ready, amounts) = match code {
            Ok(counted) => counted,
            Err(problem) => {
                let fate = self.ruled_out(problem)?;
                self.tried.push(tried(None, fate));
                return Ok(());
            }
        };
        if let Some(other) = self.met.get(&met(ready.digest)) {
            self.tried.push(tried(Some(ready.digest), Fate::Same(*other)));
            return Ok(());
        }
        self.met.insert(met(ready.digest), number);
        let key = self.key(ready.digest, device);
        let known = self.kept.get(key).cloned();
        let was_known = known.is_some();
        let (median_ns, runs, mut checked) = match known {
            Some(Entry { median_ns, runs, check, .. }) => (median_ns, runs, check),
            None => {
                let ran =
                    || bench::timed(&asked, &ready, &self.inputs, &self.expected, self.backend, &self.flag);
                match started(ran).map(|report| stats::summary(&report.samples_ns)) {
                    Ok(Some(summary)) => (summary.median, summary.runs, None),
                    Ok(None) => return Ok(()),
                    Err(problem) => {
                        return self.failed_at(number, problem, &|fate| tried(Some(ready.digest), fate));
                    }
                }
            }
        };
        let leads = self.runners.first().is_none_or(|best| median_ns < best.median_ns);
        if leads && checked.is_none() {
            match started(|| bench::checked_elsewhere(&asked, self.backend, &self.flag)) {
                Ok(what) => checked = Some(what),
                Err(problem) => {
                    return self.failed_at(number, problem, &|fate| tried(Some(ready.digest), fate));
                }
            }
        }
        let fate = Fate::Measured { median_ns, runs, known: was_known };
        self.tried.push(Tried { amounts: Some(amounts), ..tried(Some(ready.digest), fate) });
        let device = device.to_owned();
        let is_known = was_known;
        let runner =
            Runner { number, point, device, term, ready, median_ns, is_known, checked, in_turns: None };
        if !was_known {
            let entry = self.entry(&runner, median_ns, runs);
            self.warnings.extend(self.kept.keep(entry));
        }
        self.place(runner);
        Ok(())
    }

    /// Notes that a point failed. One that was refused says nothing of others with its code.
    fn failed_at(
        &mut self,
        number: usize,
        problem: Diagnostic,
        tried: &dyn Fn(Fate) -> Tried,
    ) -> Result<(), Diagnostic> {
        let fate = self.failed(problem)?;
        if fate.is_refused() {
            self.met.retain(|_, of| *of != number);
        }
        self.tried.push(tried(fate));
        Ok(())
    }

    fn ruled_out(&mut self, problem: Diagnostic) -> Result<Fate, Diagnostic> {
        self.keep_hints(&problem);
        of_point(problem).map(|(code, why)| Fate::RuledOut { code, why })
    }

    /// What helps against one point, and not against others with the same problem, is no help.
    fn keep_hints(&mut self, problem: &Diagnostic) {
        let all = self.hints.entry(problem.code).or_insert_with(|| problem.hints.clone());
        all.retain(|hint| problem.hints.contains(hint));
    }

    /// What a problem says of one point. Once others ran, what refuses one may take the next; workers were started before any ran.
    fn failed(&mut self, problem: Diagnostic) -> Result<Fate, Diagnostic> {
        self.keep_hints(&problem);
        let is_of_one = !self.runners.is_empty() || problem.code == NOT_STARTED;
        if REFUSES.contains(&problem.code) && is_of_one && self.refused < MOST_REFUSED {
            self.refused += 1;
            return Ok(Fate::Failed { code: problem.code, why: problem.message });
        }
        of_point(problem).map(|(code, why)| Fate::Failed { code, why })
    }

    /// Puts a runner where it stands by its time.
    fn place(&mut self, runner: Runner) {
        let place = self.runners.partition_point(|r| r.median_ns <= runner.median_ns);
        self.runners.insert(place, runner);
    }

    /// What is kept of a measurement.
    fn entry(&self, of: &Runner, median_ns: f64, runs: usize) -> Entry {
        let digest = of.ready.digest;
        let (key, kernel, check) = (self.key(digest, &of.device), digest.to_string(), of.checked.clone());
        Entry { key: key.to_string(), kernel, device: self.device.clone(), median_ns, runs, check }
    }

    /// What a measurement is of: a kernel at these sizes, on this device, by this compiler, with these settings, and with what
    /// else decides its time.
    fn key(&self, kernel: Digest, device: &str) -> Digest {
        let sizes: Vec<String> = self.wanted.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let mut all = vec![kernel.to_string(), self.device.clone(), self.compiler.clone(), sizes.join(" ")];
        let settings = device.strip_prefix(name_in(device)).unwrap_or_default();
        all.push(settings.to_owned());
        all.extend(self.surroundings.iter().cloned());
        Digest::of(all.join("\n").as_bytes())
    }

    /// Why nothing was measured, accounting for all points that were tried.
    fn nothing(&self, ending: Ending) -> Diagnostic {
        let (tried, points) = (self.tried.len(), self.space.count());
        let is_rest_left = points > tried as u128;
        let message = match ending {
            Ending::Stopped => return stopped(),
            Ending::Time => format!("In {} s nothing could be measured.", self.wanted.seconds),
            _ if is_rest_left => {
                let most = if self.space.is_counted() { "" } else { "at most " };
                format!("None of the {tried} points that were tried, of {most}{points}, can be measured.")
            }
            _ => format!("None of the {tried} points can be measured."),
        };
        let all = reasons(&self.tried);
        let others: usize = all.iter().skip(TOLD).map(|(_, number)| number).sum();
        let number_of = |is: &dyn Fn(&Fate) -> bool| self.tried.iter().filter(|t| is(&t.fate)).count();
        let further = [
            ("There are other reasons.", others),
            (
                "It is the same program or code as another of them.",
                number_of(&|f| matches!(f, Fate::Same(_))),
            ),
            (
                "It was being made, compiled or run for the first time when the time was over.",
                number_of(&|f| *f == Fate::Unfinished),
            ),
        ];
        let further = further.map(|(why, number)| (why.to_owned(), number));
        let told = all.into_iter().take(TOLD).chain(further).filter(|(_, number)| *number > 0);
        let mut problem = told.fold(Diagnostic::error("E0317", message), |problem, (why, number)| {
            problem.note(format!("{number} of {tried}: {why}"))
        });
        if tried == 0 {
            problem = problem.note("The time was over before the first point was tried.");
        }
        if ending == Ending::Alike && is_rest_left {
            problem = problem.note(
                "Those that are left differ in nothing that made a difference, so they were not tried.",
            );
        }
        problem.hints.extend(self.way_out());
        match ending {
            Ending::Time => problem.hint("Give it more time: `--for 120s`, or `:tune 120s …` on the screen."),
            _ => problem.hint("Leave other values open, or change the sizes."),
        }
    }

    /// What to do about the problem that all points have that were lost.
    fn way_out(&self) -> Vec<String> {
        let mut codes = self.tried.iter().filter_map(|t| match t.fate {
            Fate::RuledOut { code, .. } | Fate::Failed { code, .. } => Some(code),
            _ => None,
        });
        let first = codes.next();
        let hints =
            first.filter(|first| codes.all(|code| code == *first)).and_then(|code| self.hints.get(code));
        hints.cloned().unwrap_or_default()
    }
}

/// What the strategy of a point makes of the program. A mistake is told at the user's own text.
fn rewritten(
    wanted: &Wanted<'_>,
    space: &Space,
    over: &Control<Progress>,
    point: &Point,
) -> Result<Term, Diagnostic> {
    let Wanted { workspace, term, strategy, sizes, .. } = wanted;
    let run = |strategy: &StrategyText| {
        let end = workspace.run_strategy(term, strategy, &Path::root(), &Replayed::none(), over);
        end.result.map(|change| change.term)
    };
    let own = || strategy.with_tree(space.strategy_at(point));
    let text = workspace.parse_strategy(&space.text_at(point));
    let done = text.and_then(|strategy| run(&strategy.knowing(sizes)));
    done.map_err(|problem| if is_mistake(&problem) { run(&own()).err().unwrap_or(problem) } else { problem })
}

/// What is wrong with the text of the strategy, where that is no strategy.
fn mistake(wanted: &Wanted<'_>, control: &Control<Progress>) -> Option<Diagnostic> {
    let Wanted { workspace, term, strategy, sizes, .. } = wanted;
    let strategy = strategy.with_tree(strategy.tree.clone()).knowing(sizes);
    let end = workspace.run_strategy(term, &strategy, &Path::root(), &Replayed::none(), control);
    end.result.err().filter(is_mistake)
}

/// By what a term or kernel is met again: the same, compiled or run in another way, is another.
fn met_as(what: Digest, device: &str) -> Digest {
    Digest::of(format!("{what} {device}").as_bytes())
}

/// How many operations on numbers a program takes; 0 where that cannot be counted.
fn operations(term: &Term, sizes: &Sizes) -> f64 {
    let work = work::of(term, sizes);
    work.flops + work.integer_operations
}

fn asked<'b>(
    wanted: &'b Wanted<'b>,
    device: &'b str,
    term: &'b Term,
    mode: Mode,
    limit_s: Option<f64>,
    known: &'b Known,
) -> Asked<'b> {
    let Wanted { workspace, sizes, foreign, .. } = *wanted;
    Asked { foreign, limit_s, known: Some(known), ..Asked::new(workspace, term, sizes, device, mode) }
}

/// Is it the user's text that is wrong, whatever the values are?
fn is_mistake(problem: &Diagnostic) -> bool {
    matches!(problem.code, "E0301" | "E0302" | "E0303" | "E0306" | "E0307" | "E0308" | "E0315")
}

/// A problem that is about the device or the user, and not about a point, ends the tuning.
pub(in crate::session) fn of_point(problem: Diagnostic) -> Result<(&'static str, String), Diagnostic> {
    match problem.code {
        "E0701" | "E0703" | "E0704" | "E0706" | "E0709" | "E0711" => Err(problem),
        _ if is_mistake(&problem) => Err(problem),
        code => Ok((code, problem.message)),
    }
}

impl Fate {
    /// Was it lost by what was to compile or run it?
    fn is_refused(&self) -> bool {
        matches!(self, Fate::Failed { code, .. } if REFUSES.contains(code))
    }
}

/// What a worker runs, once again where it does not start: one that started before may do so the next time.
pub(in crate::session) fn started<T>(run: impl Fn() -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
    match run() {
        Err(problem) if problem.code == NOT_STARTED => run(),
        ended => ended,
    }
}

fn stopped() -> Diagnostic {
    Diagnostic::error("E0709", "The tuning was stopped before anything was measured.")
}

/// `stopped` is what the end of the time interrupted.
fn no_time(wanted: &Wanted<'_>, stopped: &Diagnostic) -> Diagnostic {
    let message = format!("In {} s nothing could be measured.", wanted.seconds);
    let problem = Diagnostic::error("E0317", message);
    // Where it is known what to do, more time is no help.
    if !stopped.hints.is_empty() {
        let problem = problem.note(stopped.message.clone());
        return stopped.hints.iter().fold(problem, |problem, hint| problem.hint(hint.clone()));
    }
    problem
        .note("By then it was not known what the output must be, which plain C computes.")
        .note(stopped.message.clone())
        .hint("Give it more time, as in `--for 120s`, or choose smaller sizes.")
}
