//! The end of a race: the last few take turns, and the best is compared with the start.
//!
//! Who fails now, by itself as well, has lost; the next that was checked takes its place.

use super::compared::{Compared, by_the_undisturbed, no_better};
use super::{FEW, Race, asked, started};
use crate::device::roofline::{self, Peak};
use crate::device::stats::{self, FEWEST};
use crate::device::{Mode, RunControl, RunReport};
use crate::lang::diag::Diagnostic;
use crate::session::bench;
use crate::session::tune::{Ending, Fate, Tried, Tuned};

/// The part of the rest that is kept for the comparison of the best with the start.
pub(super) const KEPT: f64 = 0.4;

/// That it is no point, where its number is asked for.
pub(super) const NO_POINT: usize = usize::MAX;

/// So many take part in the last comparison, if they are no slower than this.
pub(super) const LAST: usize = 4;
pub(super) const NEAR: f64 = 1.2;

/// So many seconds are needed to measure what a device could do.
pub(super) const OF_PEAK: f64 = 5.0;

/// So many runs do two in turns at most, and so many seconds pass until they begin.
const MOST_RUNS: u32 = 60;
const BEGINNING_S: f64 = 1.0;

/// What the last few can take at most, in seconds, where the best takes so many nanoseconds.
pub(super) fn most_s(best_ns: f64) -> f64 {
    let turn = BEGINNING_S + f64::from(MOST_RUNS) * (1.0 + NEAR) * best_ns / 1e9;
    LAST as f64 * turn
}

/// What two runs in turns gave.
pub(super) enum Turns {
    Ran(Box<(RunReport, RunReport)>),
    /// They failed, for this reason.
    Failed(String),
    NoTime,
}

impl Race<'_> {
    /// Lets the last few take turns with each other: who wins stays, and goes on against the next.
    pub(super) fn last_few(&mut self) -> Result<(), Diagnostic> {
        let Some(least) = self.runners.first().map(|r| r.median_ns) else { return Ok(()) };
        let mut last: Vec<usize> =
            (0..self.runners.len()).filter(|i| self.runners[*i].median_ns <= NEAR * least).collect();
        last.truncate(LAST);
        // With the start, and with the state before.
        let pairs = last.len().saturating_sub(1) + 2;
        let (mut leader, mut lost) = (0, vec![]);
        for (done, challenger) in last.into_iter().enumerate().skip(1) {
            // The comparison with the start has to have its time.
            if self.left_s() < KEPT * self.kept_s() {
                break;
            }
            let seconds = self.left_s() / (pairs - done + 1) as f64;
            match self.turns(leader, challenger, seconds) {
                Turns::NoTime => break,
                Turns::Ran(ran) => {
                    let is_faster = Compared::of(&ran).is_some_and(|c| c.is_second());
                    if is_faster && self.is_checked(challenger)? {
                        leader = challenger;
                    }
                }
                Turns::Failed(_) => {
                    if !self.runs_again(challenger)? {
                        lost.push(challenger);
                    } else if !self.runs_again(leader)? {
                        lost.push(leader);
                        leader = challenger;
                    }
                }
            }
        }
        self.runners.swap(0, leader);
        // What stood first stands there now.
        lost.iter_mut().filter(|i| **i == 0).for_each(|i| *i = leader);
        lost.sort_unstable();
        lost.into_iter().rev().for_each(|i| drop(self.runners.remove(i)));
        self.first_is_checked()
    }

    /// Drops who leads until one does that was checked.
    fn first_is_checked(&mut self) -> Result<(), Diagnostic> {
        while !self.runners.is_empty() && !self.is_checked(0)? {
            self.runners.remove(0);
        }
        Ok(())
    }

    /// Runs two in turns for about so many seconds. What that says of each is kept, in the place of what as many runs alone said, or fewer.
    pub(super) fn turns(&mut self, first: usize, second: usize, seconds: f64) -> Turns {
        let turns = self.ran_in_turns(first, second, seconds);
        if let Turns::Ran(ran) = &turns {
            for (runner, report) in [(first, &ran.0), (second, &ran.1)] {
                let Some(summary) = stats::summary(&report.samples_ns) else { continue };
                let Some(taken) = self.runners.get_mut(runner) else { continue };
                (taken.in_turns, taken.is_known) = (Some(summary), false);
                let number = taken.number;
                let Some(runner) = self.runners.get(runner) else { continue };
                let fewer = match self.tried.get(runner.number).map(|tried| &tried.fate) {
                    Some(Fate::Measured { runs, .. }) => *runs,
                    _ => 0,
                };
                // What is no point is no one's to know.
                if summary.runs >= fewer && runner.number != NO_POINT {
                    let entry = self.entry(runner, summary.median, summary.runs);
                    self.warnings.extend(self.kept.keep(entry));
                }
                self.found(number, &summary);
            }
        }
        turns
    }

    fn ran_in_turns(&self, first: usize, second: usize, seconds: f64) -> Turns {
        let (Some(a), Some(b)) = (self.runners.get(first), self.runners.get(second)) else {
            return Turns::NoTime;
        };
        let run_s = (a.median_ns + b.median_ns) / 1e9;
        // At least five of each, where there is time.
        if seconds < 0.3 || 7.0 * run_s > self.left_s() {
            return Turns::NoTime;
        }
        let seconds = (0.8 * seconds).clamp(0.2, 10.0);
        let mode = Mode::Measure { min_runs: FEWEST, max_runs: MOST_RUNS, max_seconds: seconds };
        let limit = Some(self.left_s() + 5.0);
        let (x, y) =
            (self.asked(&a.device, &a.term, mode, limit), self.asked(&b.device, &b.term, mode, limit));
        let (x, y) = ((&x, &a.ready), (&y, &b.ready));
        match started(|| bench::in_turns(x, y, &self.inputs, &self.expected, self.backend, &self.flag)) {
            Ok(ran) => Turns::Ran(Box::new(ran)),
            Err(problem) if problem.code == "E0709" => Turns::NoTime,
            Err(problem) => Turns::Failed(problem.message),
        }
    }

    /// Does this one run by itself, as it did? If not, that is what became of it.
    pub(super) fn runs_again(&mut self, runner: usize) -> Result<bool, Diagnostic> {
        let Some(r) = self.runners.get(runner) else { return Ok(false) };
        let asked = asked(self.wanted, &r.device, &r.term, FEW, Some(self.left_s() + 1.0), &self.known);
        let ran = started(|| {
            bench::timed(&asked, &r.ready, &self.inputs, &self.expected, self.backend, &self.flag)
        });
        let number = r.number;
        self.holds(number, ran.map(drop))
    }

    /// Records what became of a point that ran before; false where it failed now.
    pub(super) fn holds(&mut self, number: usize, now: Result<(), Diagnostic>) -> Result<bool, Diagnostic> {
        let Err(problem) = now else { return Ok(true) };
        // That the time is over says nothing of it.
        if problem.code == "E0709" {
            return Ok(true);
        }
        let fate = self.failed(problem)?;
        if let Some(tried) = self.tried.get_mut(number) {
            tried.fate = fate;
        }
        Ok(false)
    }

    /// Was this one checked at small and odd sizes too, and was it right?
    fn is_checked(&mut self, runner: usize) -> Result<bool, Diagnostic> {
        let Some(r) = self.runners.get(runner) else { return Ok(false) };
        if r.checked.is_some() {
            return Ok(true);
        }
        let asked = asked(self.wanted, &r.device, &r.term, FEW, Some(self.left_s() + 1.0), &self.known);
        let number = r.number;
        match started(|| bench::checked_elsewhere(&asked, self.backend, &self.flag)) {
            Ok(what) => {
                self.runners[runner].checked = Some(what);
                Ok(true)
            }
            Err(problem) if problem.code == "E0709" => Ok(false),
            Err(problem) => self.holds(number, Err(problem)),
        }
    }

    /// Why the start is the best although this one, which leads, took less time in few runs.
    fn start_stays(&self, why: &str) -> String {
        let leader = self.runners.first().map_or(0, |r| r.number);
        let strategy = self.tried.get(leader).map(Tried::shown).unwrap_or_default();
        format!(
            "Number {}, `{strategy}`, was the fastest by few runs or in turns with others, though not beside the start. {why}",
            leader + 1
        )
    }

    /// Where the start stands, if another leads.
    fn start_behind(&self) -> Option<usize> {
        self.runners.iter().position(|r| r.number == 0).filter(|i| *i != 0)
    }

    /// Is one so many times as fast as another, by few runs and by what is told of both?
    pub(super) fn is_ahead_by(&self, one: usize, other: usize, least: f64) -> bool {
        let (Some(one), Some(other)) = (self.runners.get(one), self.runners.get(other)) else { return false };
        let told = one.in_turns.map_or(one.median_ns, |s| s.median);
        other.median_ns > least * one.median_ns.max(told)
    }

    /// What is to be said of the points that were not tried.
    fn of_those_left(&self, ending: Ending) -> Option<String> {
        let tried = self.tried.len();
        let share = small_share(tried, self.space.count());
        let kernels =
            self.tried.iter().filter(|t| matches!(t.fate, Fate::Measured { .. } | Fate::Failed { .. }));
        let acting: Vec<String> =
            self.alike.acting().map(|d| format!("`{}`", self.space.dimensions[d].name())).collect();
        let acting = acting.join(", ");
        let expected = self.alike.as_expected();
        match (kernels.count(), share, ending) {
            (1, share, Ending::Alike) | (1, share @ Some(_), _) if tried > 1 => Some(format!(
                "All points that were tried and that run have one kernel{}: as far as that tells, what is left open makes no \
                 difference to this program.",
                share
                    .map(|share| format!(" ({share} of all were tried, spread over the whole space)"))
                    .unwrap_or_default()
            )),
            (_, _, Ending::Alike) => Some(format!(
                "What makes a difference to this program is {acting}: all their values were tried. {expected} further points that \
                 differ in other things were like one of these, so those that are left were not tried."
            )),
            (_, Some(share), _) => Some(format!(
                "Of all points {share} were tried, which are spread over the whole space: more time may find a better one."
            )),
            _ => None,
        }
    }

    /// What the device could do, in the time that is left.
    fn peak(&self, ending: Ending) -> Option<Peak> {
        if matches!(ending, Ending::Stopped | Ending::Device) || self.left_s() < OF_PEAK {
            return None;
        }
        let mut control = RunControl { cancel: &self.flag, progress: &mut |_| {} };
        roofline::measure(self.backend, &self.info, &mut control).ok()
    }

    pub(super) fn tuned(mut self, ending: Ending) -> Result<Tuned, Diagnostic> {
        let mut comparison = None;
        let mut samples = None;
        // Why the best and the start did not take turns.
        let mut missing = "There was no time to let the best and the start take turns".to_owned();
        while let Some(start) = self.start_behind().filter(|_| ending != Ending::Stopped) {
            // The state before has to have its time, too.
            match self.turns(start, 0, self.left_s() / 2.0) {
                Turns::NoTime => break,
                Turns::Ran(ran) => {
                    let compared = Compared::of(&ran);
                    missing = "The device gave no times of the best and the start that compare".to_owned();
                    comparison = compared.as_ref().map(|c| c.comparison);
                    samples = stats::summary(&ran.1.samples_ns);
                    if let Some(other) = comparison.and_then(no_better) {
                        self.warnings.push(self.start_stays(&format!("In turns {other}")));
                        samples = stats::summary(&ran.0.samples_ns);
                        comparison = None;
                        self.runners.swap(0, start);
                    } else if let Some(c) = compared.filter(|c| c.is_of_undisturbed) {
                        self.warnings.push(by_the_undisturbed(&c.comparison));
                    }
                    break;
                }
                Turns::Failed(why) => {
                    if !self.runs_again(0).unwrap_or(true) {
                        self.runners.remove(0);
                        if let Err(problem) = self.first_is_checked() {
                            // A device that fails takes nothing from what was checked before.
                            self.warnings.push(problem.message);
                            self.runners.retain(|r| r.checked.is_some());
                        }
                    } else if !self.runs_again(start).unwrap_or(true) {
                        self.runners.remove(start);
                    } else {
                        missing = format!(
                            "The best and the start could not take turns, although each of them runs by itself ({})",
                            why.trim_end_matches('.')
                        );
                        break;
                    }
                }
            }
        }
        if ending == Ending::Stopped {
            missing = "It was stopped before the best and the start took turns".to_owned();
        }
        if let Some(start) = self.start_behind().filter(|_| comparison.is_none()) {
            let least = if ending == Ending::Stopped { 1.0 } else { NEAR };
            if self.is_ahead_by(0, start, least) {
                self.warnings.push(format!("{missing}, so the difference is only that of few runs."));
            } else {
                let stays = format!(
                    "{missing}, and few runs that differ by no more than {:.0} % decide nothing, so the start stays.",
                    100.0 * (NEAR - 1.0)
                );
                self.warnings.push(self.start_stays(&stays));
                self.runners.swap(0, start);
            }
        }
        if self.runners.first().is_some_and(|best| best.is_known) {
            let why = match ending {
                Ending::Device => "The device failed before the best was measured again",
                Ending::Stopped => "It was stopped before the best was measured again",
                _ => "There was no time to measure the best again",
            };
            self.warnings.push(format!("{why}: its time is what an earlier tuning found."));
        }
        if !self.space.is_counted() {
            self.warnings.push(
                "So many alternatives stand within each other that it is not known how many points differ: there are \
                 at most as many as told."
                    .into(),
            );
        }
        let before = self.beside_before(ending);
        self.warnings.extend(self.of_those_left(ending));
        let peak = self.peak(ending);
        let Race { wanted, device, compiler, space, tried, mut runners, mut warnings, .. } = self;
        if runners.is_empty() {
            return Err(Diagnostic::error("E0317", "What ran at first failed when it ran again."));
        }
        let best = runners.swap_remove(0);
        warnings.extend(tried.get(best.number).and_then(Tried::changing));
        let few = match tried.get(best.number).map(|t| &t.fate) {
            Some(Fate::Measured { runs, .. }) => *runs,
            _ => 0,
        };
        let (median_ns, interval_ns, runs) = match samples.or(best.in_turns) {
            Some(s) => (s.median, Some((s.interval.low, s.interval.high)), s.runs),
            None => (best.median_ns, None, few),
        };
        Ok(Tuned {
            device,
            compiler,
            sizes: wanted.sizes.clone(),
            points: space.count(),
            best: best.number,
            tried,
            check: best.checked.unwrap_or_default(),
            comparison,
            before,
            median_ns,
            interval_ns,
            runs,
            ending,
            peak,
            warnings,
        })
    }
}

/// Less than a tenth, as it is shown.
fn small_share(tried: usize, all: u128) -> Option<String> {
    let percent = 100.0 * tried as f64 / all as f64;
    match percent {
        p if p >= 10.0 => None,
        p if p >= 0.1 => Some(format!("{p:.1} %")),
        _ => Some("less than 0.1 %".into()),
    }
}
