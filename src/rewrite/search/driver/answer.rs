//! What a search answers: the best programs, how far the sketch is, progress, and its report.

use super::active::Active;
use super::{
    CANDIDATES, CANDIDATES_FOR_SEVERAL, Halt, MORE_CANDIDATES, MOST_CANDIDATES, MOST_PARTS, MOST_TIMES,
    MOST_UNREAD, Search, TELL, THRIFTY_CANDIDATES,
};
use crate::clearing::{Cleared, Clearer, cleared};
use crate::egraph::Id;
use crate::egraph::analysis::size_of;
use crate::egraph::gaps::Gap;
use crate::egraph::matcher::SizeMemo;
use crate::lang::infer::constraints_of;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::names::named;
use crate::normal::normal_form_with;
use crate::rule::RuleUse;
use crate::search::cost::{Cost, repeats_dimension};
use crate::search::goal::{Form, Programs, Ranking, Reached};
use crate::search::insight::Insight;
use crate::search::{Budget, Control, Grown, IterationReport, Limit, Outcome, Phase, Progress, Report};
use crate::sharing::{amount, shared, times};
use crate::sketch::Shape;
use crate::sketch::Sketch;
use crate::sketch::automaton::Automaton;
use crate::sketch::best::{KBest, free_in};
use crate::sketch::classes::Satisfied;
use crate::sketch::count::{Counted, count};
use crate::sketch::extract::Extracted;
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

/// The programs that satisfy a search's sketch, by what they cost as they are shown.
pub(super) struct Best<'a> {
    ranking: Ranking<'a>,
    search: &'a Search,
    /// It is time to give up.
    over: &'a dyn Fn() -> bool,
}

/// Of how many the lightest are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// Of a few, of which one is found.
    Few,
    /// Of as many as it takes, where they are shown as they stand.
    Lightest,
    Many,
}

impl Best<'_> {
    /// The k best, first the one that is found: the lightest of those that are looked at for it that does not [come last](Best::comes_last),
    /// if there is one. Then the lightest of the others, of which those that do come last. Before the search is over it only matters
    /// whether there are as many.
    pub(super) fn of(&mut self, k: usize, at_end: bool) -> Programs {
        let mut first = self.first();
        if k == 1 {
            return first;
        }
        // What no rule says more of is lightest for sure; of the rest it takes many to tell.
        let surely = !at_end || self.search.is_settled;
        let mut best = self.among(k, if surely { Among::Lightest } else { Among::Many });
        best.programs.truncate(k);
        best.programs.sort_by_cached_key(|r| self.comes_last(r));
        if let Some(found) = first.programs.pop() {
            best.programs.retain(|r| r.term != found.term);
            best.programs.truncate(k - 1);
            best.programs.insert(0, found);
        }
        best.complete &= best.all || best.programs.len() == k;
        best
    }

    /// The one that is found.
    fn first(&mut self) -> Programs {
        let mut found = self.among(CANDIDATES, Among::Few);
        found.programs.sort_by_cached_key(|r| (self.misfits(r), repeats_dimension(&r.term), r.cost));
        if found.programs.first().is_some_and(|r| self.misfits(r) || self.is_wasteful(r)) {
            found = self.among(THRIFTY_CANDIDATES, Among::Few);
            found.programs.sort_by_cached_key(|r| (self.comes_last(r), r.cost));
        }
        found.programs.truncate(1);
        found.complete |= !found.programs.is_empty();
        found
    }

    /// Does it compute much more than the program given, where that is not left to a table of costs?
    fn is_wasteful(&self, r: &Reached) -> bool {
        self.search.budget.cost == Cost::Size && self.search.times(&r.term).is_some()
    }

    /// Do the values that sizes were given not meet what it asks?
    fn misfits(&self, r: &Reached) -> bool {
        let sizes = &self.search.budget.sizes;
        let value = |name: &str| sizes.get(name).copied();
        !sizes.is_empty() && constraints_of(&r.term).iter().any(|c| c.holds(&value) == Ok(false))
    }

    /// Programs that the given sizes do not fit, that compute much more, or of which no device can run the loops of work-items since
    /// two within each other have one dimension.
    fn comes_last(&self, r: &Reached) -> (bool, bool, bool) {
        (self.misfits(r), self.is_wasteful(r), repeats_dimension(&r.term))
    }

    /// So many programs, the lightest first, where there are as many.
    fn among(&mut self, k: usize, among: Among) -> Programs {
        let search = self.search;
        let forms = |t: &Term, holds: &dyn Fn(&Term) -> bool| search.forms(t, holds);
        let clears = search.budget.normal && search.budget.clears;
        let mut clearer = Clearer::new(search.clearing().filter(|_| clears));
        let mut clear = |t: &Term| {
            let clear = clearer.clear(t);
            normal_form_with(&search.params, &clear).filter(|_| clears).unwrap_or(clear)
        };
        let mut best = |asked: usize| self.ranking.best(asked, &forms, &mut clear, self.over);
        let most_parts = MOST_PARTS.max(MOST_TIMES * k * search.start.size() as usize);
        let mut asked = k.max(CANDIDATES);
        let mut found = best(asked);
        let (least, most) = match among {
            Among::Few if found.as_they_stand && found.programs.len() >= asked => (asked, 16 * k),
            Among::Few => (MORE_CANDIDATES, 16 * k),
            Among::Lightest if found.as_they_stand => (asked, MOST_CANDIDATES.max(16 * k)),
            Among::Lightest | Among::Many => (CANDIDATES_FOR_SEVERAL, MOST_CANDIDATES.max(16 * k)),
        };
        loop {
            // Several may have one normal form.
            let most = if found.programs.is_empty() { MOST_UNREAD.max(k) } else { most };
            let few = found.programs.len() < k && asked < most;
            let goes_on = found.complete && found.looked_at >= asked && found.parts < most_parts;
            if !goes_on || !few && asked >= least {
                break;
            }
            asked = if asked < least { least.min(2 * asked) } else { 2 * asked };
            let before = found.programs.len();
            found = best(asked);
            // Twice as many that are all alike say that there are no others nearby.
            if found.programs.len() == before && before > 0 && asked > least.max(CANDIDATES_FOR_SEVERAL) {
                break;
            }
        }
        found.programs.iter_mut().for_each(|r| r.cost = self.search.budget.cost.of(&r.term));
        found.programs.sort_by_key(|r| r.cost);
        found
    }
}

impl Search {
    /// The k lightest programs in the graph that satisfy the sketch, no two the same up to the names of binders: in normal
    /// form, if that was asked for and still satisfies the sketch, with what they cost. Those that the search itself asked
    /// for are known.
    pub fn best(&self, k: usize) -> KBest {
        match &self.best {
            Some((asked, known)) if k <= *asked => self.told(known, k),
            None => KBest { terms: vec![], complete: true, of: None },
            Some(_) => match self.rank(&|| false, |best| best.of(k, true)) {
                Some(best) => self.told(&best, k),
                None => KBest { terms: vec![], complete: false, of: None },
            },
        }
    }

    /// So many of the best programs, with what is known of the others.
    fn told(&self, best: &Programs, k: usize) -> KBest {
        let shown = |r: &Reached| Extracted { cost: r.cost, term: r.term.clone() };
        let terms: Vec<Extracted> = best.programs.iter().take(k).map(shown).collect();
        let are_lightest = best.all || best.as_they_stand && self.is_settled;
        let of = (!are_lightest).then_some(best.looked_at);
        KBest { complete: best.complete || terms.len() == k, terms, of }
    }

    /// How many times as much a program computes as the one given, where that is much.
    pub(super) fn times(&self, program: &Term) -> Option<u64> {
        times(program, self.amount?)
    }

    /// How long it took to extract the programs that the search itself asked for.
    pub fn extraction(&self) -> Duration {
        self.extraction
    }

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

    /// Extracts programs, the lightest first; none where `over` says so before they are weighed.
    pub(super) fn rank<T>(
        &self,
        over: &dyn Fn() -> bool,
        extract: impl FnOnce(&mut Best<'_>) -> T,
    ) -> Option<T> {
        let free = free_in(&self.start);
        self.budget.cost.weights(|weights| {
            let ranking = self.goal.ranking(&self.graph, (self.root(), &free), weights, over)?;
            Some(extract(&mut Best { ranking, search: self, over }))
        })
    }

    /// The forms of a program that was found: in normal form, if that was asked for, without views that cancel out; and with
    /// values shared again that it computes more often than the program from which the search started.
    fn forms(&self, t: &Term, holds: &dyn Fn(&Term) -> bool) -> Vec<Form> {
        let form = |term: Term, cleared: &[Cleared]| Form { term, cleared: cleared.to_vec() };
        if !self.budget.normal {
            return self.shared_again(t).map(|term| form(term, &[])).into_iter().collect();
        }
        let Some(normal) = normal_form_with(&self.params, t) else { return vec![] };
        let is_met = holds(&normal);
        let steps = if self.budget.clears && is_met { self.cleared(&normal, holds) } else { vec![] };
        let clear = steps.last().map(|last| (last.program.clone(), steps.clone()));
        let plain = clear.into_iter().chain([(normal, vec![])]);
        let each = plain.flat_map(|(term, cleared)| {
            let shared = self.shared_again(&term);
            shared.into_iter().chain([term]).map(|term| form(term, &cleared)).collect::<Vec<_>>()
        });
        // Where only what is not in normal form is like the sketch, it is shared as it stands.
        let as_it_stands = if is_met { None } else { self.shared_again(t) };
        each.chain(as_it_stands.map(|term| form(term, &[]))).collect()
    }

    /// What takes views away from a program that was found.
    fn cleared(&self, normal: &Term, holds: &dyn Fn(&Term) -> bool) -> Vec<Cleared> {
        cleared(normal, &self.params, self.clearing(), holds)
    }

    /// The rules that take views away, of those that are not held back.
    fn clearing(&self) -> impl Iterator<Item = &RuleUse> {
        self.rules.iter().filter(|r| r.clears && r.held.is_empty()).map(|r| &r.rule)
    }

    fn shared_again(&self, plain: &Term) -> Option<Term> {
        let given = self.amount.filter(|_| self.shares)?;
        let computes = |t: &Term| amount(t).unwrap_or(0.0);
        let now = computes(plain);
        // The names that were given say more than new ones.
        if normal_form_with(&self.params, &self.program).as_ref() == Some(plain) {
            return Some(self.program.clone());
        }
        let shared = shared(plain).filter(|_| now > given)?;
        (computes(&shared) < now).then(|| named(&shared, &self.program))
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
        if self.unread.is_some() {
            insight.parts.iter_mut().take(1).for_each(|whole| whole.report.at_root = false);
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
            outcome: self.outcome.clone().unwrap_or(Outcome::Stopped),
            left_out,
            unread: self.unread.clone(),
            fewer: self.fewer(),
            most_nodes: self.bound,
            most_time: self.budget.time,
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
