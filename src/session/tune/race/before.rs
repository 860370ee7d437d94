//! The state from which a tuning begins: it competes as points do, so that no tuning leads to a slower state.

use super::compared::Compared;
use super::finale::{NEAR, NO_POINT, Turns};
use super::{FEW, Race, Runner, asked, met_as, of_point, started};
use crate::device::stats::{self, Verdict};
use crate::lang::diag::Diagnostic;
use crate::session::bench;
use crate::session::tune::{Before, Ending};

impl Race<'_> {
    /// Runs the present state a few times, unless a point is just that.
    pub(super) fn run_before(&mut self) -> Result<(), Diagnostic> {
        let device = self.space.device_at(&self.space.start());
        let term = self.wanted.term.clone();
        let is_met = |race: &Self, what| race.met.contains_key(&met_as(what, &device));
        if is_met(self, term.digest()) {
            return Ok(());
        }
        let asked = asked(self.wanted, &device, &term, FEW, Some(self.limit_s()), &self.known);
        let ready = match bench::counted(&asked, self.backend, &self.flag) {
            Ok((ready, _)) => ready,
            Err(problem) => return of_point(problem).map(drop),
        };
        if is_met(self, ready.digest) {
            return Ok(());
        }
        let ran = || bench::timed(&asked, &ready, &self.inputs, &self.expected, self.backend, &self.flag);
        match started(ran).map(|report| stats::summary(&report.samples_ns)) {
            Ok(summary) => {
                self.before = summary.map(|summary| Runner {
                    number: NO_POINT,
                    point: None,
                    device,
                    term,
                    ready,
                    median_ns: summary.median,
                    is_known: false,
                    checked: None,
                    in_turns: None,
                });
                Ok(())
            }
            Err(problem) => self.failed(problem).map(drop),
        }
    }

    /// How the best, which stands first, compares with the present state, where that runs and is another one.
    pub(super) fn beside_before(&mut self, ending: Ending) -> Option<Before> {
        let present = self.wanted.term.digest();
        let is_present = |r: &Runner| r.term.digest() == present;
        let own = self.before.take();
        let was_added = own.is_some();
        self.runners.extend(own);
        let at = self.runners.iter().rposition(is_present).filter(|at| *at > 0);
        let compared = at.and_then(|at| self.compared_with(at, ending));
        if was_added {
            self.runners.pop();
        }
        compared
    }

    fn compared_with(&mut self, present: usize, ending: Ending) -> Option<Before> {
        let (best, before) = (self.runners.first()?, self.runners.get(present)?);
        if (best.ready.digest, &best.device) == (before.ready.digest, &before.device) {
            return None;
        }
        let ratio = before.median_ns / best.in_turns.map_or(best.median_ns, |s| s.median).max(1.0);
        let by_few = Before { ratio, comparison: None, stays: ratio < 1.0 };
        let is_certain = !before.is_known && self.is_ahead_by(0, present, NEAR);
        if is_certain || matches!(ending, Ending::Stopped | Ending::Device) {
            return Some(by_few);
        }
        match self.turns(present, 0, self.left_s()) {
            Turns::Ran(ran) => {
                let comparison = Compared::of(&ran)?.comparison;
                let stays = comparison.verdict == Verdict::FirstFaster;
                Some(Before { ratio: comparison.ratio, comparison: Some(comparison), stays })
            }
            Turns::NoTime => Some(by_few),
            // What does not run any more is no candidate.
            Turns::Failed(_) => self.runs_again(present).unwrap_or(true).then_some(by_few),
        }
    }
}
