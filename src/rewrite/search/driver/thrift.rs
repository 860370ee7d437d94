//! A program that computes much more than the one given is not the end of a search where one that does not may be near: the first
//! iteration that meets a sketch need not be the one that meets it well.

use super::Search;
use super::answer::is_over;
use crate::search::Control;
use crate::search::cost::Cost;

/// What computes so many times as much does so the more, the larger the sizes are. A few times as much may be what a sketch asks for:
/// vectors of pairs, tiles that overlap.
const MANY_TIMES: u64 = 16;
/// So many iterations are gone on with.
const MORE_ITERATIONS: usize = 2;
/// In graphs of no more nodes than this, or than the search may have.
const MOST_NODES: usize = 60_000;

impl Search {
    /// Is all that was found dear, and does the search go on for a program that is not?
    pub(super) fn seeks_thrift(&mut self, control: &Control<'_>) -> bool {
        let alone = self.budget.wanted() == 1 && self.budget.cost == Cost::Size;
        let is_dear = |times: Option<u64>| times.is_some_and(|n| n >= MANY_TIMES);
        if !alone || !self.reached.as_ref().is_some_and(|found| is_dear(found.times)) {
            return false;
        }
        let first = *self.dear_since.get_or_insert(self.iterations.len());
        if self.iterations.len() >= first + MORE_ITERATIONS || self.counted >= MOST_NODES {
            return false;
        }
        // Behind the lightest may be another one.
        let (time, memory) = (self.budget.time, self.budget.memory);
        let since = (self.began.unwrap_or_default(), (control.now)());
        let best = self.rank(&|| is_over(control, since, time, memory), |best| best.of(1, true));
        let goes_on = best.is_some_and(|best| best.programs.iter().all(|r| is_dear(self.times(&r.term))));
        if goes_on {
            self.bound = self.bound.min(MOST_NODES);
        }
        goes_on
    }
}
