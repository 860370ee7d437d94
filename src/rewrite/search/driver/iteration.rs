//! One iteration of a search: the sketch is checked, rules are matched and applied in chunks, and congruence is restored, each
//! within the limits.

use super::active::{Active, Side, side_of};
use super::answer::is_over;
use super::{CHUNK, DEEPER, Halt, MOST_COMING, MOST_UNREAD, REBUILD, Scope, Search, THOROUGH_CHUNK, Turn};
use crate::egraph::Id;
use crate::egraph::build::Builder;
use crate::egraph::gaps::Gap;
use crate::egraph::log::Reason;
use crate::egraph::matcher::{Matches, search};
use crate::lang::diag::Diagnostic;
use crate::lang::infer::constraints_of;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::search::goal::Reached;
use crate::search::memory::{growth, of_nodes};
use crate::search::unread::unread;
use crate::search::{Control, Found, Grown, Limit, Phase, StopPoint, Unread};
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Search {
    pub(super) fn step(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        self.poll(control)?;
        match self.phase {
            Phase::Check => self.check(control),
            Phase::Match(rule) => self.find_matches(rule, control),
            Phase::Apply(rule) => self.apply(rule, control),
            Phase::Rebuild => self.end_turn(control),
            Phase::Done => Err(Halt::Stopped),
        }
    }

    /// Asks the outside whether to go on.
    fn poll(&self, control: &Control<'_>) -> Result<(), Halt> {
        if control.cancel.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        if self.elapsed(control) > self.budget.time {
            return Err(Halt::Limit(Limit::Time { bound: self.budget.time }));
        }
        let reached = self.needed(control);
        if reached > self.budget.memory {
            return Err(Halt::Limit(Limit::Memory { bound: self.budget.memory, reached }));
        }
        Ok(())
    }

    /// The memory of the process with what tables are about to take, also when congruence is restored.
    fn needed(&self, control: &Control<'_>) -> u64 {
        let (entries, classes, ids) = (self.graph.entries(), self.graph.classes(), self.graph.ids());
        (control.rss)() + growth(entries, classes, ids, MOST_COMING + self.graph.pending())
    }

    /// Is the graph as the sketch can be asked of it?
    pub(super) fn is_in_order(&self) -> bool {
        self.unions_pending == 0 && self.graph.ids() == self.ids_then
    }

    /// Puts the graph in order once the search has ended, where there is memory for that.
    pub(super) fn end_in_order(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        if self.is_in_order() {
            return Ok(());
        }
        let ordered = self.rebuild(control);
        self.cut_short |= matches!(ordered, Err(Halt::Limit(_)));
        ordered
    }

    pub(super) fn elapsed(&self, control: &Control<'_>) -> Duration {
        (control.now)().saturating_sub(self.began.unwrap_or_default())
    }

    /// Is the goal reached? If not, the next iteration begins.
    pub(super) fn check(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let from = (control.now)();
        let is_met = |given: &Term| self.goal.relaxed_sketch().satisfied_by(given);
        if self.iterations.is_empty() && self.given.as_ref().is_some_and(is_met) {
            self.put_given(control)?;
        }
        let found = if self.pauses.is_empty() { self.goal_reached(control, false) } else { Ok(false) };
        let ends = found.map(|found| found && self.enough() && !self.seeks_thrift(control));
        self.current.check += (control.now)().saturating_sub(from);
        if ends? {
            return Err(Halt::Goal);
        }
        if self.iterations.len() >= self.budget.iterations {
            return Err(Halt::Limit(Limit::Iterations { bound: self.budget.iterations }));
        }
        self.stop_here()?;
        self.note_refused();
        self.graph.gaps.clear();
        self.begin_turn(Turn::Reductions);
        Ok(())
    }

    fn begin_turn(&mut self, turn: Turn) {
        let touched = std::mem::take(&mut self.touched[turn as usize]);
        let whole = turn == Turn::Others && std::mem::take(&mut self.whole);
        self.changes = (matches!(self.scope, Scope::Changed) && !whole).then(|| {
            let sides = self.rules.iter().flat_map(|r| &r.sides);
            let levels = sides.map(|side| side.program.reach.levels()).max().unwrap_or(0);
            self.graph.above(touched, levels)
        });
        self.turn = turn;
        self.phase = Phase::Match(turn.rules(self.rules.len()).start);
    }

    pub(super) fn note_refused(&mut self) {
        let refused = |gap: &Gap| matches!(gap, Gap::Dims | Gap::Size | Gap::Held(_));
        for (gap, needed) in self.graph.gaps.all().filter(|(gap, _)| refused(gap)) {
            let least = self.refused.entry(gap.clone()).or_insert(needed);
            *least = needed.min(*least);
        }
    }

    /// Notes what has changed for who is asked later.
    pub(super) fn note_touched(&mut self) {
        let mut new = self.graph.take_touched();
        for ids in [&mut new.members, &mut new.data] {
            ids.sort_unstable();
            ids.dedup();
        }
        for touched in &mut self.touched {
            touched.members.extend(&new.members);
            touched.data.extend(&new.data);
        }
    }

    /// Are there as many programs as were asked for?
    pub(super) fn enough(&self) -> bool {
        self.best.as_ref().is_some_and(|(asked, best)| best.programs.len() >= *asked)
    }

    /// Is this where the search is to stop?
    fn stop_here(&self) -> Result<(), Halt> {
        if self.next_stop().is_some_and(|stop| self.at >= stop) { Err(Halt::Stopped) } else { Ok(()) }
    }

    fn next_stop(&self) -> Option<StopPoint> {
        self.pauses.front().map(|p| p.at).or(self.budget.stop_at)
    }

    /// Asks the sketch of the graph, which must be clean, and takes the lightest program that satisfies it. It ends where a limit is
    /// met meanwhile, or the search is to be stopped: what was known before of what nobody reads stands then.
    pub(super) fn goal_reached(&mut self, control: &Control<'_>, at_end: bool) -> Result<bool, Halt> {
        let before = self.unread.take();
        let asked = self.ask_goal(control, at_end);
        if asked.is_err() {
            self.unread = self.unread.take().or(before);
        }
        if self.unread.is_some() {
            self.parts.iter_mut().take(1).for_each(|whole| whole.at_root = false);
        }
        asked
    }

    fn ask_goal(&mut self, control: &Control<'_>, at_end: bool) -> Result<bool, Halt> {
        let (root, from) = (self.root(), (control.now)());
        let (time, memory, began) = (self.budget.time, self.budget.memory, self.began.unwrap_or_default());
        let over = || is_over(control, (began, from), time, memory);
        let earlier = self.best.take();
        self.cut_short = true;
        let reached = (control.rss)() + self.goal.coming(&self.graph);
        if reached > memory.saturating_add(memory / 20) {
            return Err(Halt::Limit(Limit::Memory { bound: memory, reached }));
        }
        let found = self.goal.update(&self.graph, root, &over);
        self.parts = if self.goal.was_asked() { self.goal.parts(&self.graph, root) } else { vec![] };
        let Some(found) = found else { return Err(self.halted(control)) };
        let parts = self.parts.iter().filter(|part| part.classes > 0).count();
        self.grown.iter_mut().rev().take(1).for_each(|last| last.parts = parts);
        if !found {
            self.cut_short = false;
            return Ok(false);
        }
        let (asked, rank) = (self.budget.wanted(), self.budget.rank.max(1));
        let extracting = (control.now)();
        let ranked = self.rank(&over, |best| best.of(asked, at_end));
        self.extraction = (control.now)().saturating_sub(extracting);
        let Some(mut best) = ranked else { return Err(self.halted(control)) };
        if let Some((_, earlier)) = earlier {
            self.with_earlier(&mut best, earlier, asked);
        }
        self.cut_short = false;
        let Some(first) = best.programs.first() else {
            let ended = !best.complete && over();
            if !ended && best.looked_at == 0 && best.too_deep {
                let message = "The program that was found is nested too deeply to be shown.";
                return Err(Halt::Broken(Box::new(Diagnostic::error("E0415", message))));
            }
            if best.unread.is_some() || !ended {
                let part = best.unread.as_ref().and_then(unread);
                self.unread = Some(Unread { all: best.complete && best.looked_at < MOST_UNREAD, part });
            }
            if ended {
                return Err(self.halted(control));
            }
            return Ok(false);
        };
        // Where it is not the first that is asked for, there may be too few.
        let taken = if rank > 1 { best.programs.get(rank - 1) } else { Some(first) };
        let taken = taken.cloned();
        self.best = Some((asked, best));
        let Some(Reached { term, extracted, cleared, filling, .. }) = taken else {
            self.reached = None;
            return Ok(true);
        };
        let assumed = constraints_of(&term);
        let times = self.times(&term);
        self.reached = Some(Found { term, extracted, cleared, assumed, filling, times });
        Ok(true)
    }

    /// Why what comes after a search, or between its iterations, was ended.
    fn halted(&self, control: &Control<'_>) -> Halt {
        self.poll(control).err().unwrap_or(Halt::Limit(Limit::Time { bound: self.budget.time }))
    }

    fn find_matches(&mut self, rule: usize, control: &mut Control<'_>) -> Result<(), Halt> {
        let from = (control.now)();
        let turn = self.turn.rules(self.rules.len());
        let Some(active) = self.rules.get_mut(rule).filter(|_| turn.contains(&rule)) else {
            self.phase = Phase::Apply(turn.start);
            return Ok(());
        };
        let allowed = active.allowed(self.iterations.len());
        if allowed == 0 {
            self.graph.gaps.note(Gap::Held(active.name.clone()), 0);
            self.phase = Phase::Match(rule + 1);
            return Ok(());
        }
        let deadline = self.began.unwrap_or_default().saturating_add(self.budget.time);
        let (cancel, now, rss, memory) = (control.cancel, control.now, control.rss, self.budget.memory);
        // Matches are dropped when they are too many, so that there is memory again: that there was not is noted.
        let (mut reached, before) = (None, rss());
        let mut poll = |coming: u64| {
            let held = rss() + coming;
            reached = (held > memory).then_some(held);
            reached.is_some() || cancel.load(Ordering::Relaxed) || now() > deadline
        };
        self.graph.gaps.rule = active.name.clone();
        let changes = self.changes.as_ref();
        let sides = active.sides.iter_mut();
        let found: Result<Vec<Matches>, _> = sides
            .map(|Side { program, memo, .. }| search(&mut self.graph, program, memo, changes, &mut poll))
            .collect();
        let spent = (control.now)().saturating_sub(from);
        active.report.time += spent;
        self.current.search += spent;
        match found {
            Ok(found) => {
                #[cfg(test)]
                self.compare(rule, &found);
                let active = &mut self.rules[rule];
                let mut left = allowed;
                for (side, mut matches) in active.sides.iter_mut().zip(found) {
                    if matches.len() > left {
                        matches.truncate(left);
                        self.graph.gaps.note(Gap::Held(active.name.clone()), 0);
                    }
                    left -= matches.len();
                    side.matches = matches;
                }
                let bytes: usize = active.sides.iter().map(|side| side.matches.bytes()).sum();
                let more = (bytes as u64).saturating_sub(active.most);
                active.most += more;
                active.report.memory += more;
                let taken = allowed - left;
                active.taken += taken;
                active.report.matches += taken;
                self.current.matches += taken;
                self.phase = Phase::Match(rule + 1);
                Ok(())
            }
            Err(_) => match reached {
                Some(reached) => {
                    self.rules[rule].report.memory += reached.saturating_sub(before);
                    Err(Halt::Limit(Limit::Memory { bound: memory, reached }))
                }
                None => self.poll(control),
            },
        }
    }

    pub(super) fn apply(&mut self, rule: usize, control: &mut Control<'_>) -> Result<(), Halt> {
        let from = (control.now)();
        self.stop_here()?;
        let stop = self.next_stop();
        let turn = self.turn.rules(self.rules.len());
        let Some(active) = self.rules.get_mut(rule).filter(|_| turn.contains(&rule)) else {
            self.phase = Phase::Rebuild;
            return Ok(());
        };
        self.at.rule = rule;
        let total = active.matches();
        let chunk = if self.graph.thorough { THOROUGH_CHUNK } else { CHUNK };
        let mut end = total.min(self.at.matches + chunk);
        if let Some(stop) = stop
            && (stop.iteration, stop.rule) == (self.at.iteration, rule)
        {
            end = end.min(stop.matches);
        }
        let ids = self.graph.ids();
        let room = self.bound.saturating_sub(self.counted);
        self.graph.room = Some(self.ids_then.saturating_add(room));
        let mut unions = 0;
        let Active { sides, report, name, .. } = active;
        self.graph.gaps.rule = name.clone();
        let reason = Reason::Rule(rule as u32);
        for at in self.at.matches..end {
            let Some((Side { program, memo, matches }, i)) = side_of(sides, at) else { break };
            let m = matches.get(i);
            let thorough = self.graph.thorough;
            let Some(mut builder) = Builder::new(&mut self.graph, program, memo, m) else { continue };
            // Most matches say nothing new: what they were is not worth keeping.
            let right = builder.right_side(m);
            report.applied += usize::from(right.is_some());
            let news = right.is_some_and(|right| !builder.is_known(m, right));
            let mut sides: Vec<(Id, Id)> = if news { builder.sides(m).into_iter().collect() } else { vec![] };
            if thorough {
                sides.extend(builder.sides_of_others(m));
            }
            for (left, right) in sides {
                if self.graph.find(right) == self.graph.find(m.root()) {
                    continue;
                }
                if self.graph.ty(right) != self.graph.ty(left) {
                    let (left, right) = (self.graph.ty(left), self.graph.ty(right));
                    let tables = self.graph.tables();
                    let types = (tables.ty_of(left), tables.ty_of(right));
                    return Err(Halt::Broken(Box::new(mixed_types(&report.label, &types))));
                }
                unions += usize::from(self.graph.union(left, right, reason));
            }
            // A match may build thousands of terms, in a thorough iteration each does.
            let new = self.graph.ids() - ids;
            if self.counted + (self.graph.ids() - self.ids_then) > self.bound || new > MOST_COMING / 4 {
                end = at + 1;
                break;
            }
        }
        unions += self.graph.take_joined();
        report.unions += unions;
        report.nodes += self.graph.ids() - ids;
        report.memory += of_nodes(self.graph.ids() - ids);
        self.current.unions += unions;
        self.unions_pending += unions;
        self.at.matches = end;
        if let Some(types) = self.graph.conflict() {
            return Err(Halt::Broken(Box::new(mixed_types(&active.report.label, &types))));
        }
        if end == total {
            active.drop_matches();
            self.at.rule = rule + 1;
            self.at.matches = 0;
            self.phase = Phase::Apply(rule + 1);
        }
        let spent = (control.now)().saturating_sub(from);
        active.report.time += spent;
        self.current.apply += spent;
        if self.unions_pending > REBUILD.max(self.counted / 8) {
            self.rebuild(control)?;
        }
        self.node_limit(control)
    }

    /// An upper bound of the number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.counted + (self.graph.ids() - self.ids_then)
    }

    fn node_limit(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let bound = self.bound;
        // Nodes that turn out equal are counted once after a rebuild; near the limit that is not worth a rebuild
        // for every few.
        if self.nodes() > bound && self.nodes() - self.counted > bound / 64 {
            self.rebuild(control)?;
        }
        if self.nodes() > bound {
            return Err(Halt::Limit(Limit::Nodes { bound, reached: self.nodes() }));
        }
        Ok(())
    }

    pub(super) fn rebuild(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let from = (control.now)();
        let bound = self.budget.memory;
        let (rss, mut short) = (control.rss, None);
        let mut over = |entries, classes, ids| {
            let reached = rss() + growth(entries, classes, ids, MOST_COMING);
            short = (reached > bound.saturating_add(bound / 20)).then_some(reached);
            short.is_some()
        };
        let (congruences, restored) = self.graph.rebuild_until(&mut over);
        self.current.congruences += congruences;
        if let Some(reached) = short.filter(|_| !restored) {
            self.unions_pending = self.unions_pending.max(1);
            self.current.rebuild += (control.now)().saturating_sub(from);
            return Err(Halt::Limit(Limit::Memory { bound, reached }));
        }
        self.unions_pending = 0;
        self.counted = self.graph.count_nodes();
        self.ids_then = self.graph.ids();
        self.current.rebuild += (control.now)().saturating_sub(from);
        match self.graph.conflict() {
            Some(types) => Err(Halt::Broken(Box::new(mixed_types("congruence", &types)))),
            None => Ok(()),
        }
    }

    /// All that were to be applied are: the turn passes to the next.
    fn end_turn(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        self.rebuild(control)?;
        self.note_touched();
        if self.turn == Turn::Others {
            return self.end_iteration(control);
        }
        self.begin_turn(Turn::Others);
        Ok(())
    }

    fn end_iteration(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let mut done = std::mem::take(&mut self.current);
        done.nodes = self.counted;
        done.classes = self.graph.classes();
        let changed = done.unions > 0;
        let (nodes, classes, rss) = (done.nodes, done.classes, (control.rss)());
        // How far the sketch is now is asked after this.
        let parts = self.grown.last().map_or(0, |before| before.parts);
        self.grown.push(Grown { nodes, classes, rss, parts });
        self.iterations.push(done);
        self.at = StopPoint { iteration: self.iterations.len(), rule: 0, matches: 0 };
        self.phase = Phase::Check;
        if changed {
            self.graph.thorough = false;
            self.scope = Scope::Changed;
            return self.node_limit(control);
        }
        match self.scope {
            Scope::Changed => {
                self.scope = Scope::All;
                Ok(())
            }
            Scope::All => self.begin_thorough(control),
            Scope::Members => Err(Halt::Saturated),
        }
    }

    /// The rules have nothing more to say of best members. Before that is believed, they are asked of all members, and
    /// of the program as it was given.
    fn begin_thorough(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        self.graph.thorough = true;
        let highest = self.graph.highest_index().saturating_add(DEEPER);
        self.graph.highest.get_or_insert(highest);
        self.scope = Scope::Members;
        self.left_out = self.gaps();
        self.put_given(control)
    }

    /// Puts the program as it was given beside its normal form.
    fn put_given(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let Some(given) = self.given.take() else { return Ok(()) };
        match self.graph.encode_exactly(&given) {
            Some(class) => {
                self.unions_pending += usize::from(self.graph.union(self.root, class, Reason::Given));
                self.rebuild(control)
            }
            None => {
                self.too_large = true;
                Ok(())
            }
        }
    }
}

fn mixed_types(rule: &str, (a, b): &(Type, Type)) -> Diagnostic {
    Diagnostic::error("E0416", format!("The search was stopped: `{rule}` gave a term of another type."))
        .note(format!("It would have made a term of type {a} equal to one of type {b}."))
        .note("The rule has passed its checks, so this is a defect of this program.")
}
