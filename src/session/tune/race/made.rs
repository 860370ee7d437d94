//! What strategies make of points, which is done for several at once: no device is asked.

use super::{FEW, Wanted, asked, met_as, rewritten};
use crate::device::Backend;
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::term::Term;
use crate::session::amounts::Amounts;
use crate::session::bench::{self, Known, Ready};
use crate::session::jobs::Control;
use crate::session::state::Progress;
use crate::session::tune::space::{Point, Space};
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};

/// Code with what it should take.
pub(super) type Code = Result<(Ready, Amounts), Diagnostic>;

/// What the strategy of a point makes of the program.
pub(super) struct Made {
    pub term: Result<Term, Diagnostic>,
    /// Its code, where it was compiled already.
    pub code: Option<Code>,
}

/// What points are made with.
pub(super) struct Making<'a> {
    pub wanted: &'a Wanted<'a>,
    pub space: &'a Space,
    pub over: &'a Control<Progress>,
    pub backend: &'a dyn Backend,
    pub known: &'a Known,
    pub flag: &'a AtomicBool,
    /// The terms of other points, which are not compiled again.
    pub met: &'a HashMap<Digest, usize>,
}

impl Making<'_> {
    /// What is made of these points, as many at once as there are cores.
    pub fn all(&self, points: &[Point]) -> Vec<Made> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let few = |points: &[Point]| {
            std::thread::scope(|scope| {
                let begun: Vec<_> = points.iter().map(|point| scope.spawn(|| self.compiled(point))).collect();
                let made = begun.into_iter().map(|made| made.join().unwrap_or_else(|why| resume_unwind(why)));
                made.collect::<Vec<Made>>()
            })
        };
        points.chunks(cores).flat_map(few).collect()
    }

    fn compiled(&self, point: &Point) -> Made {
        let term = rewritten(self.wanted, self.space, self.over, point);
        let device = self.space.device_at(point);
        let code = term.as_ref().ok().filter(|term| self.is_new(term, &device)).map(|term| {
            bench::counted(&asked(self.wanted, &device, term, FEW, None, self.known), self.backend, self.flag)
        });
        Made { term, code }
    }

    fn is_new(&self, term: &Term, device: &str) -> bool {
        !self.flag.load(Ordering::Relaxed) && !self.met.contains_key(&met_as(term.digest(), device))
    }
}
