//! What only an earlier tuning measured is measured again before it decides anything.

use super::finale::{KEPT, LAST};
use super::{FEW, Race, Runner, asked, started};
use crate::device::stats::{self, Summary};
use crate::lang::diag::Diagnostic;
use crate::session::bench;
use crate::session::tune::{Fate, Tried};

impl Race<'_> {
    /// Measures those again that may be the best, and the start, where only an earlier tuning says how long they take: what is
    /// decided is not to rest on what another machine, or a busy one, did.
    pub(super) fn measured_again(&mut self) -> Result<(), Diagnostic> {
        // The turns have to have their time.
        while self.left_s() > KEPT * self.kept_s() {
            let known = |(i, r): &(usize, &Runner)| r.is_known && (*i < LAST || r.number == 0);
            let Some(next) = self.runners.iter().enumerate().find(known).map(|(i, _)| i) else { break };
            let mut runner = self.runners.remove(next);
            let limit = Some(self.left_s() + 1.0);
            let asked = asked(self.wanted, &runner.device, &runner.term, FEW, limit, &self.known);
            let ran = || {
                bench::timed(&asked, &runner.ready, &self.inputs, &self.expected, self.backend, &self.flag)
            };
            match started(ran).map(|report| stats::summary(&report.samples_ns)) {
                Ok(None) => {}
                Ok(Some(summary)) => {
                    (runner.median_ns, runner.is_known) = (summary.median, false);
                    self.found(runner.number, &summary);
                    self.place(runner);
                }
                Err(problem) => {
                    let is_over = problem.code == "E0709";
                    let holds = self.holds(runner.number, Err(problem));
                    // A device that fails takes nothing from what is known.
                    if !matches!(holds, Ok(false)) {
                        self.place(runner);
                    }
                    holds?;
                    if is_over {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// What is shown of a point that an earlier tuning measured is what was found now.
    pub(super) fn found(&mut self, number: usize, now: &Summary) {
        if let Some(Tried { fate: Fate::Measured { median_ns, runs, known: true }, .. }) =
            self.tried.get_mut(number)
        {
            (*median_ns, *runs) = (now.median, now.runs);
        }
    }
}
