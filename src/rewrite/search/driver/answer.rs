//! What a search answers: how far the sketch is, progress, and its report.

use super::active::Active;
use super::{Halt, Search, TELL};
use crate::egraph::Id;
use crate::egraph::analysis::size_of;
use crate::egraph::gaps::Gap;
use crate::egraph::matcher::SizeMemo;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::search::goal::Programs;
use crate::search::insight::Insight;
use crate::search::{Budget, Control, Grown, IterationReport, Limit, Outcome, Phase, Progress, Report};
use crate::sketch::Shape;
use crate::sketch::Sketch;
use crate::sketch::automaton::Automaton;
use crate::sketch::classes::Satisfied;
use crate::sketch::count::{Counted, count};
use crate::sketch::variants::{Variant, variants};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What may have been meant is asked of a graph of so many nodes once, of a smaller one as much oftener.
const MOST_ASKED: usize = 2_000_000;
/// A search that is stopped says what it knows for so long.
const ONCE_STOPPED: Duration = Duration::from_millis(200);

/// Is it time to end what comes after a search, or between its iterations? The search began at the first of these times, and this
/// at the second.
pub(super) fn is_over(
    control: &Control<'_>,
    (began, from): (Duration, Duration),
    time: Duration,
    memory: u64,
) -> bool {
    let now = (control.now)();
    now.saturating_sub(began) > time.saturating_add(time / 40)
        || (control.rss)() > memory.saturating_add(memory / 20)
        || control.cancel.load(Ordering::Relaxed) && now.saturating_sub(from) > ONCE_STOPPED
}

impl Search {
    /// The number of classes that have a member like this sketch, with any size in the place of its holes; none where it asks too
    /// much of one term together, or the graph is being grown.
    pub fn classes_like(&self, sketch: &Sketch) -> Option<usize> {
        let automaton = self.asked_alone(sketch)?;
        let satisfied = Satisfied::of(&self.graph, &automaton);
        Some(satisfied.count(&self.graph, &automaton, automaton.start))
    }

    /// The number of terms in these classes that are themselves like it, of up to as many nodes as the program has, or twice as many;
    /// of fewer where `over` says so. None where it cannot be asked.
    pub fn terms_like(&self, sketch: &Sketch, over: &dyn Fn() -> bool) -> Option<Counted> {
        let automaton = self.asked_alone(sketch)?;
        Some(count(&self.graph, &automaton, self.start.size(), over))
    }

    /// A sketch with any size in the place of its holes, as the graph is asked of it, if it can be.
    fn asked_alone(&self, sketch: &Sketch) -> Option<Automaton> {
        Automaton::new(&sketch.filled(&[])).ok().filter(|_| self.is_in_order())
    }

    /// Puts the graph in order again after a way was written down, so that [`Search::classes_like`] can ask it.
    pub fn put_in_order(&mut self, control: &mut Control<'_>) {
        // It is as it was where that is stopped, and then not asked.
        let _ = self.rebuild(control);
    }

    /// Does some program of the search's have the form of this sketch? Not if that cannot be asked before it is over.
    fn root_is_like(&self, sketch: &Sketch, over: &dyn Fn() -> bool) -> bool {
        let Some(automaton) = Automaton::new(sketch).ok().filter(|_| self.is_in_order()) else {
            return false;
        };
        let satisfied = Satisfied::of_until(&self.graph, &automaton, over);
        satisfied.is_some_and(|s| s.has(&self.graph, &automaton, automaton.start, self.root()))
    }

    /// A variant of the sketch that some program is like, where none is like the sketch: what may have been meant. It is asked for no
    /// longer than this, and not where holes would have to be filled.
    pub fn variant(&self, control: &Control<'_>, most: Duration) -> Option<Variant> {
        let from = (control.now)();
        let over = || self.is_over(control, from) || (control.now)().saturating_sub(from) > most;
        if self.goal.has_holes() {
            return None;
        }
        let few = (MOST_ASKED / self.graph.ids().max(1)).max(1);
        let mut all = variants(self.goal.relaxed_sketch()).into_iter().take(few).take_while(|_| !over());
        all.find(|variant| self.root_is_like(&variant.sketch, &over))
    }

    /// What is known of the sketch now. It is asked for until a fortieth more than the limit of time is used, or a twentieth more
    /// than that of memory, and not for long where the search is to be stopped.
    pub fn insight(&mut self, control: &Control<'_>) -> Insight {
        let from = (control.now)();
        if self.unions_pending > 0 {
            // It ended without memory to put the graph in order.
            return Insight { parts: vec![], nearest: None, cut_short: true };
        }
        let places: Vec<(Path, Term)> =
            self.start.positions().into_iter().map(|(path, t)| (path, t.clone())).collect();
        let placed = places.into_iter().filter_map(|(path, t)| Some((path, self.graph.encode(&t)?)));
        let placed: Vec<(Path, Id)> = placed.collect();
        let over = || self.is_over(control, from);
        let found = matches!(self.outcome, Some(Outcome::Found(_)));
        let mut insight = Insight::of(&self.goal, &self.graph, self.root(), &placed, found, &over);
        // What is like it only by what nobody reads, or was not weighed before time was over, is none that was found.
        if !self.has_reached() {
            insight.parts.iter_mut().take(1).for_each(|whole| whole.report.at_root = false);
        }
        if self.unread.is_some() {
            let read = self.goal.are_read(&self.graph, self.root(), &over).unwrap_or_default();
            insight.parts.iter_mut().zip(read).for_each(|(part, read)| part.report.at_root &= read);
        }
        insight
    }

    fn is_over(&self, control: &Control<'_>, from: Duration) -> bool {
        let Budget { time, memory, .. } = self.budget;
        // A sketch that is asked of the whole graph takes so much at once.
        let coming = Satisfied::default().coming(&self.graph);
        let short = (control.rss)() + coming > memory.saturating_add(memory / 20);
        short || is_over(control, (self.began.unwrap_or_default(), from), time, memory)
    }

    /// Whatever stopped the search: what is in the graph is put in order, and asked once more.
    pub(super) fn finish(&mut self, halt: Halt, control: &mut Control<'_>) {
        let mut halt = halt;
        self.note_refused();
        if !matches!(halt, Halt::Goal | Halt::Broken(_)) {
            let asked = self.end_in_order(control).and_then(|()| {
                match self.cut_short || self.goal.is_current(&self.graph) || !self.pauses.is_empty() {
                    true => Ok(()),
                    false => self.goal_reached(control, false).map(drop),
                }
            });
            match asked {
                Ok(()) if self.reached.is_some() => halt = Halt::Goal,
                Err(Halt::Broken(problem)) => halt = Halt::Broken(problem),
                // What was asked came to its own end: why the search did stays as it is.
                Ok(()) | Err(_) => {}
            }
        }
        let short = matches!(halt, Halt::Limit(Limit::Memory { .. }));
        if matches!(halt, Halt::Goal) {
            self.take_best_of_settled(control);
        }
        // A thorough search adds terms to the graph while it matches, so it cannot be told where it was.
        let told = !(short && self.graph.thorough && matches!(self.phase, Phase::Match(_)));
        let goes_on = matches!(halt, Halt::Limit(_) | Halt::Stopped) && told;
        self.left_at = goes_on.then_some(self.phase);
        if short || !goes_on {
            self.give_back();
        }
        self.phase = Phase::Done;
        self.outcome = Some(match halt {
            Halt::Goal => self.reached.take().map_or(Outcome::Stopped, Outcome::Found),
            Halt::Saturated => self.saturated(),
            Halt::Limit(limit) => Outcome::Limit(limit),
            Halt::Stopped => Outcome::Stopped,
            Halt::Broken(d) => Outcome::Broken(d),
        });
    }

    /// Gives back what matching has taken. Where it goes on, it looks again for the matches of the rules that are not
    /// done with.
    pub(super) fn give_back(&mut self) {
        if let Some(Phase::Match(_) | Phase::Apply(_)) = self.left_at {
            let first = self.at.rule.max(self.turn.rules(self.rules.len()).start);
            self.left_at = Some(Phase::Match(first));
        }
        for r in &mut self.rules {
            r.taken -= r.matches();
            r.drop_matches();
            r.sides.iter_mut().for_each(|side| side.memo = SizeMemo::default());
        }
    }

    /// Is some program known to satisfy the sketch?
    pub(super) fn has_reached(&self) -> bool {
        let is_among = |(_, known): &(usize, Programs)| !known.programs.is_empty();
        matches!(self.outcome, Some(Outcome::Found(_))) || self.best.as_ref().is_some_and(is_among)
    }

    /// How many programs satisfy the sketch, where that is fewer than the number of the one that was asked for.
    fn fewer(&self) -> Option<usize> {
        let (_, known) = self.best.as_ref()?;
        (known.programs.len() < self.budget.rank).then_some(known.programs.len())
    }

    /// Nothing was found, and a part of a program is like the sketch.
    fn is_in_part(&self, over: &dyn Fn() -> bool) -> bool {
        let is_met = self.parts.first().is_some_and(|whole| whole.classes > 0 && !whole.at_root);
        is_met && self.root_is_like(&Sketch::contains(self.goal.relaxed_sketch().clone()), over)
    }

    /// Is there a map without its array, as in `map (map f) xs`, and no rule that writes one to it? Where the rules have more to
    /// say, only the program is asked.
    fn has_bare_map(&self, over: &dyn Fn() -> bool) -> bool {
        let writes = |r: &Active| matches!(&*r.rule.rule.name, "mapEtaAbstraction" | "etaAbstraction");
        if self.rules.iter().any(writes) {
            return false;
        }
        let ended = matches!(self.outcome, Some(Outcome::Impossible | Outcome::Incomplete(_)));
        let met = || self.root_is_like(&bare(), over);
        stands_bare(&self.start) || ended && met()
    }

    pub(super) fn gaps(&self) -> Vec<(Gap, u32)> {
        let met = self.graph.gaps.all().map(|(gap, needed)| (gap.clone(), needed));
        let unread = self.unread.as_ref().is_some_and(|unread| !unread.all).then_some((Gap::Unread, 0));
        met.chain(self.too_large.then_some((Gap::Written, 0))).chain(unread).collect()
    }

    fn saturated(&self) -> Outcome {
        let gaps = self.gaps();
        if gaps.is_empty() { Outcome::Impossible } else { Outcome::Incomplete(gaps) }
    }

    pub(super) fn tell(&mut self, control: &mut Control<'_>, always: bool) {
        let now = (control.now)();
        if !always && self.told.is_some_and(|last| now.saturating_sub(last) < TELL) {
            return;
        }
        self.told = Some(now);
        let progress = Progress {
            iteration: self.at.iteration,
            phase: self.phase,
            nodes: self.nodes(),
            classes: self.graph.classes(),
            grown: self.grown_at_last(control),
            bound: self.bound,
            most_memory: self.budget.memory,
            entries: self.graph.entries(),
            rss: (control.rss)(),
            elapsed: self.elapsed(control),
            best_size: size_of(self.graph.data(self.root).cost()),
            rules: self.rules.iter().map(|r| r.report.clone()).collect(),
            parts: self.parts.clone(),
        };
        (control.progress)(&progress);
    }

    /// Has the present iteration done something?
    fn is_within_iteration(&self) -> bool {
        self.current.matches > 0 || self.current.unions > 0
    }

    /// How the graph has grown; of a search that has ended within an iteration, that one as well.
    fn grown_at_last(&self, control: &Control<'_>) -> Vec<Grown> {
        let mut grown = self.grown.clone();
        if self.outcome.is_some() && self.is_within_iteration() {
            let parts = self.parts.iter().filter(|part| part.classes > 0).count();
            let (nodes, classes) = (self.counted, self.graph.classes());
            grown.push(Grown { nodes, classes, rss: (control.rss)(), parts });
        }
        grown
    }

    pub(super) fn report(&self, control: &Control<'_>) -> Report {
        let mut iterations = self.iterations.clone();
        if self.is_within_iteration() {
            let (nodes, classes) = (self.counted, self.graph.classes());
            iterations.push(IterationReport { nodes, classes, ..self.current.clone() });
        }
        let from = (control.now)();
        let over = || self.is_over(control, from);
        let refused = || self.refused.iter().map(|(gap, needed)| (gap.clone(), *needed)).collect();
        let left_out = if self.left_out.is_empty() { refused() } else { self.left_out.clone() };
        Report {
            never: false,
            chosen: false,
            outcome: self.outcome.clone().unwrap_or(Outcome::Stopped),
            left_out,
            unread: self.unread.clone(),
            fewer: self.fewer(),
            most_nodes: self.bound,
            most_time: self.budget.time,
            held_before: self.held_before,
            held_at_first: self.held_before,
            in_part: self.is_in_part(&over),
            of_function: self.start.ty().as_fun().is_some()
                && !matches!(self.goal.relaxed_sketch().bare().shape(), Shape::Lam(_)),
            bare_map: self.has_bare_map(&over),
            lead: None,
            variant: None,
            stop: self.at,
            iterations,
            grown: self.grown_at_last(control),
            rules: self.rules.iter().map(|r| r.report.clone()).collect(),
            parts: self.parts.clone(),
            nodes: self.counted,
            classes: self.graph.classes(),
            elapsed: self.elapsed(control),
        }
    }
}

/// A map as an argument of something else.
fn bare() -> Sketch {
    Sketch::contains(Sketch::app(Sketch::any(), Sketch::app(Sketch::pattern(Pattern::Map), Sketch::any())))
}

/// Does a map stand in the term without its array?
fn stands_bare(term: &Term) -> bool {
    let is_bare =
        |t: &Term| t.as_pattern_app().is_some_and(|(p, args)| p.pattern == Pattern::Map && args.len() == 1);
    term.positions().iter().any(|(_, t)| t.as_app().is_some_and(|(_, argument)| is_bare(argument)))
}
