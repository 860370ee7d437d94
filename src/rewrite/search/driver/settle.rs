//! The last thing that a search does with its graph, once the sketch is met: reductions, and the rules that only take views away,
//! are applied once more, until they say nothing new.
//!
//! What the last iteration has put next to each other (`transpose (transpose xs)`, `\x. f x`) stands there still. Once such terms are
//! in the class of what is left of them, which is lighter, the lightest programs of the graph are those that are lightest as they
//! are shown.

use super::active::{Active, Side};
use super::answer::is_over;
use super::{CHUNK, Halt, Search, Turn};
use crate::egraph::build::Builder;
use crate::egraph::changes::Changes;
use crate::egraph::log::Reason;
use crate::egraph::matcher::search;
use crate::search::goal::Programs;
use crate::search::{Control, Phase};

/// What is taken away may leave other views next to each other. That ends, since less is left each time; what is reduced need not.
const MOST_ROUNDS: usize = 16;
/// The graph may grow by a part of this size: what reductions write is mostly there.
const MOST_GROWN: usize = 8;
/// And by so many nodes, if that is more.
const MOST_NEW: usize = 4096;

impl Search {
    /// Once the goal is reached: puts the graph in order for its best programs, and takes them. What was found before stands where
    /// there is no time or memory for that.
    pub(super) fn take_best_of_settled(&mut self, control: &mut Control<'_>) {
        let before = (self.reached.clone(), self.best.clone(), self.extraction);
        // Without normal form all is shown as it stands.
        self.is_settled = !self.budget.normal;
        // Values that are shared again are written out in the graph: what is lightest there computes them as often as it can.
        let as_it_is = self.is_settled || self.shares && !self.computes_again;
        let settled = if as_it_is { Ok(()) } else { self.settle(control) };
        self.is_settled &= !self.computes_again;
        let asked = settled.and_then(|()| self.goal_reached(control, true));
        if !matches!(asked, Ok(true)) {
            let (reached, best, extraction) = before;
            // No others are to be taken from a graph of which the sketch was not asked.
            let known = best.map(|(_, best)| (usize::MAX, Programs { complete: false, ..best }));
            (self.reached, self.best, self.extraction) = (reached, known, extraction);
            (self.unread, self.cut_short) = (None, false);
        }
    }

    /// Applies the rules until they say nothing new. An error says that time or memory are over.
    fn settle(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let reductions = Turn::Reductions.rules(self.rules.len());
        let takes_away = |(i, r): (usize, &Active)| {
            (reductions.contains(&i) || r.clears && r.held.is_empty()).then_some(i)
        };
        let rules: Vec<usize> = self.rules.iter().enumerate().filter_map(takes_away).collect();
        // Rules that were held back, or whose matches were not all applied, have more to say than what has changed since.
        let whole = self.whole || self.iterations.is_empty() || !matches!(self.phase, Phase::Check);
        // And by no more than what the limit of nodes may be exceeded by.
        let limit = self.budget.nodes.saturating_add(self.budget.nodes / 10);
        let more = MOST_NEW.max(self.counted / MOST_GROWN).min(limit.saturating_sub(self.counted));
        let most = self.graph.ids().saturating_add(more);
        let thorough = std::mem::replace(&mut self.graph.thorough, false);
        let settled = self.settle_by_turns(&rules, whole, most, control);
        self.graph.thorough = thorough;
        settled
    }

    /// Applies these rules until there are so many ids. Where it is asked of everything, that is so in the first turn.
    fn settle_by_turns(
        &mut self,
        rules: &[usize],
        mut whole: bool,
        most: usize,
        control: &mut Control<'_>,
    ) -> Result<(), Halt> {
        let reductions = Turn::Reductions.rules(self.rules.len());
        for _ in 0..MOST_ROUNDS {
            let [of_reductions, of_others] = self.touched.each_mut().map(std::mem::take);
            let sides = rules.iter().flat_map(|i| &self.rules[*i].sides);
            let levels = sides.map(|side| side.program.reach.levels()).max().unwrap_or(0);
            let changes =
                [of_reductions, of_others].map(|touched| (!whole).then(|| self.graph.above(touched, levels)));
            let [of_reductions, of_others] = &changes;
            let mut applied = Ok(0);
            for rule in rules {
                let changes = if reductions.contains(rule) { of_reductions } else { of_others };
                let unions = self.settle_by(*rule, changes.as_ref(), most, control);
                applied = applied.and_then(|all| Ok(all + unions?));
                if applied.is_err() {
                    break;
                }
            }
            if matches!(applied, Ok(0)) {
                // Where there was no more room not all was applied.
                self.is_settled = self.graph.ids() <= most;
                return Ok(());
            }
            whole = false;
            self.rebuild(control)?;
            self.note_touched();
            applied?;
            if self.graph.ids() > most {
                break;
            }
        }
        Ok(())
    }

    /// Applies a rule wherever it matches, until there are so many ids. Says how many terms became equal to others.
    fn settle_by(
        &mut self,
        rule: usize,
        changes: Option<&Changes>,
        most: usize,
        control: &Control<'_>,
    ) -> Result<usize, Halt> {
        let (from, began) = ((control.now)(), self.began.unwrap_or_default());
        let over = || is_over(control, (began, from), self.budget.time, self.budget.memory);
        let reason = Reason::Rule(u32::try_from(rule).unwrap_or_default());
        let mut unions = 0;
        for Side { program, memo, .. } in &mut self.rules[rule].sides {
            let found = search(&mut self.graph, program, memo, changes, &mut |_| over());
            let Ok(matches) = found else { return Err(Halt::Stopped) };
            for i in 0..matches.len() {
                if i % CHUNK == CHUNK - 1 && over() {
                    return Err(Halt::Stopped);
                }
                if self.graph.ids() > most {
                    return Ok(unions);
                }
                let m = matches.get(i);
                let Some(mut builder) = Builder::new(&mut self.graph, program, memo, m) else { continue };
                let right = builder.right_side(m).filter(|right| !builder.is_known(m, *right));
                let Some((left, right)) = right.and_then(|_| builder.sides(m)) else { continue };
                if self.graph.ty(right) == self.graph.ty(left) {
                    unions += usize::from(self.graph.union(left, right, reason));
                }
            }
        }
        Ok(unions + self.graph.take_joined())
    }
}
