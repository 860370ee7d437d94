//! The loop of a search, as a machine whose steps are short: check the sketch, match each rule, apply the matches in
//! chunks, rebuild.

use super::goal::{Goal, Programs, Ranking, Reached};
use super::insight::{Insight, nearest};
use super::memory::{growth, of_nodes};
use super::options::When;
use super::{
    Budget, Control, Found, IterationReport, Limit, Outcome, PartReport, Pause, Phase, Progress, Report,
    RuleReport, StopPoint,
};
use crate::egraph::analysis::size_of;
use crate::egraph::build::Builder;
use crate::egraph::changes::Changes;
use crate::egraph::compile::{Program, compile};
use crate::egraph::gaps::Gap;
use crate::egraph::log::Reason;
use crate::egraph::matcher::{Matches, SizeMemo, search};
use crate::egraph::{Filter, Graph, Id, Touched};
use crate::lang::diag::Diagnostic;
use crate::lang::infer::constraints_of;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::normal::{all_params, normal_form_with, written_params};
use crate::rule::library::reductions;
use crate::rule::{Body, RuleArg, RuleUse};
use crate::sketch::Sketch;
use crate::sketch::automaton::Automaton;
use crate::sketch::best::KBest;
use crate::sketch::classes::Satisfied;
use crate::sketch::extract::Extracted;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// So many matches are applied before the outside is asked.
const CHUNK: usize = 256;
/// As many of a thorough iteration, whose applications take longer.
const THOROUGH_CHUNK: usize = 16;
/// Congruence is restored after so many unions, or an eighth of the graph if that is more: one rebuild cannot be
/// stopped, and takes time in proportion to both.
const REBUILD: usize = 50_000;
/// Of so many programs, lightest as they stand in the graph, the one is found that costs least as it is shown.
const CANDIDATES: usize = 8;
/// Where one of these is not shown as it stands, so many are looked at: those with redexes come late in the graph, and may
/// be small in normal form.
const MORE_CANDIDATES: usize = 24;
/// So many programs that are like the sketch are looked at for one that is so by what is read.
const MOST_UNREAD: usize = 64;
/// Progress is told at most so often.
const TELL: Duration = Duration::from_millis(16);

/// A rule in a search.
struct Active {
    /// Most rules have one left side.
    sides: Vec<Side>,
    report: RuleReport,
    /// The rule's label, to share.
    name: Name,
    rule: RuleUse,
    /// So many matches have been applied, or said nothing new.
    taken: usize,
    /// Bytes of the most matches that it had at once.
    most: u64,
    held: Vec<When>,
}

/// A left side of a rule, with its matches that are to be applied.
struct Side {
    program: Program,
    memo: SizeMemo,
    matches: Matches,
}

/// A search that can be advanced, stopped and asked.
pub struct Search {
    graph: Graph,
    root: Id,
    start: Term,
    /// The program as it was given, where that is not the start and was not put beside it.
    given: Option<Term>,
    /// It cannot be put beside it.
    too_large: bool,
    /// What had been left out when the rules had nothing more to say of best members.
    left_out: Vec<(Gap, u32)>,
    /// What the filter has refused so far, with the least that would have been needed, and the rules that were held back.
    refused: BTreeMap<Gap, u32>,
    /// The parameters that the found term is to have.
    params: Vec<Name>,
    goal: Goal,
    rules: Vec<Active>,
    budget: Budget,
    /// So many nodes it may have until the next of `pauses`.
    bound: usize,
    phase: Phase,
    at: StopPoint,
    iterations: Vec<IterationReport>,
    current: IterationReport,
    /// Nodes at the last count, and the ids that had been given by then.
    counted: usize,
    ids_then: usize,
    unions_pending: usize,
    /// What the rules are asked of in this iteration.
    scope: Scope,
    /// Those that are asked now.
    turn: Turn,
    /// What has changed since the rules of each turn were asked.
    touched: [Touched; 2],
    /// What they are asked above; none for everything.
    changes: Option<Changes>,
    /// In the next iteration they are asked of everything.
    whole: bool,
    parts: Vec<PartReport>,
    /// A program that satisfies the sketch, though there may not be as many as were asked for.
    reached: Option<Found>,
    /// As many programs that satisfy the sketch as were asked for, or as there are now, since it was last asked.
    best: Option<(usize, KBest)>,
    /// What is like the sketch now is so only by what nobody reads; were all such programs looked at?
    unread: Option<bool>,
    began: Option<Duration>,
    told: Option<Duration>,
    outcome: Option<Outcome>,
    /// What it was doing when a limit or the outside ended it: it can go on from there.
    left_at: Option<Phase>,
    /// Where the search that this one repeats ended and went on.
    pauses: VecDeque<Pause>,
    /// All matches that each rule has had, to compare with those of the whole graph.
    #[cfg(test)]
    audit: Option<Vec<Vec<Matches>>>,
}

/// In each iteration reductions come first: what other rules move would be moved with its redexes, and each copy reduced
/// again. They come once, since to reduce what is reduced until nothing is left can take without end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Reductions,
    Others,
}

impl Turn {
    /// The rules whose turn it is, of so many.
    fn rules(self, all: usize) -> std::ops::Range<usize> {
        let reductions = reductions().len().min(all);
        if self == Turn::Others { reductions..all } else { 0..reductions }
    }
}

/// What the rules are asked of. Only when they have nothing more to say of the whole graph is it asked of all members,
/// and only when there is nothing more to say of those is that believed.
#[derive(Debug)]
enum Scope {
    /// What has changed since they were last asked.
    Changed,
    /// The whole graph.
    All,
    /// All members of all classes ([`crate::egraph::gaps`]).
    Members,
}

/// The programs that satisfy a search's sketch, by what they cost as they are shown.
struct Best<'a> {
    ranking: Ranking<'a>,
    search: &'a Search,
}

impl Best<'_> {
    /// The k best. Up to [`CANDIDATES`] all are of the same candidates, so that the first is the same however many are asked
    /// for, unless several of these have one normal form: among those that are looked at then there may be a cheaper one.
    fn of(&mut self, k: usize) -> Programs {
        let normal = |t: &Term| self.search.normal_form(t);
        let mut asked = k.max(CANDIDATES);
        let mut found = self.ranking.best(asked, &normal);
        let as_it_stands = |r: &Reached| r.extracted == r.term;
        if !found.complete || found.programs.len() < asked || !found.programs.iter().all(as_it_stands) {
            asked = asked.max(MORE_CANDIDATES);
            found = self.ranking.best(asked, &normal);
        }
        // Several may have one normal form.
        let most = |found: &Programs| if found.programs.is_empty() { MOST_UNREAD.max(k) } else { 16 * k };
        while found.programs.len() < k && found.complete && found.looked_at >= asked && asked < most(&found) {
            asked *= 2;
            found = self.ranking.best(asked, &normal);
        }
        found.programs.iter_mut().for_each(|r| r.cost = self.search.budget.cost.of(&r.term));
        found.programs.sort_by_key(|r| r.cost);
        found.programs.truncate(k);
        found
    }
}

impl From<Programs> for KBest {
    fn from(best: Programs) -> KBest {
        let terms = best.programs.into_iter().map(|r| Extracted { cost: r.cost, term: r.term });
        KBest { terms: terms.collect(), complete: best.complete }
    }
}

/// Why a search does not go on.
enum Halt {
    Goal,
    /// A thorough iteration changed nothing.
    Saturated,
    Limit(Limit),
    Stopped,
    Broken(Box<Diagnostic>),
}

/// Runs a search to its end.
///
/// # Errors
/// What makes the search impossible: see [`Search::new`].
pub fn reach(
    start: &Term,
    sketch: &Sketch,
    rules: &[RuleUse],
    budget: &Budget,
    control: &mut Control<'_>,
) -> Result<Report, Diagnostic> {
    Ok(Search::new(start, sketch, rules, budget)?.run(control))
}

impl Search {
    /// Prepares a search. Beta and eta reduction are always among the rules, first.
    ///
    /// # Errors
    /// `E0411` for a sketch that asks too much at once, `E0413` for a start that is too large, `E0414` for a rule that
    /// a search cannot use.
    pub fn new(
        start: &Term,
        sketch: &Sketch,
        rules: &[RuleUse],
        budget: &Budget,
    ) -> Result<Search, Diagnostic> {
        let goal = goal(sketch)?;
        let too_large = || {
            Diagnostic::error("E0413", "The program is too large, or nested too deeply, to search from.")
                .note(format!("It has {} nodes and is nested {} deep.", start.size(), start.depth()))
        };
        let normal = || normal_form_with(&all_params(start), start).ok_or_else(too_large);
        let begin = if budget.normal { normal()? } else { start.clone() };
        let mut graph = Graph::new();
        let root = graph.encode(&begin).ok_or_else(too_large)?;
        let mut active = vec![];
        let built_in = reductions();
        let others = rules.iter().filter(|r| !built_in.iter().any(|b| b.rule.name == r.rule.name));
        for r in built_in.iter().chain(others) {
            let label = r.to_string();
            let procedure = matches!(*r.rule.body, Body::Procedure(_));
            let searched = r.rule.in_searches(&r.args).map_err(|why| {
                let refused = unusable(&label, why);
                if procedure {
                    refused.hint("Apply it by a strategy before or after the search.")
                } else {
                    refused
                }
            })?;
            let programs = searched.into_iter().map(|s| compile(&mut graph, s, &r.rule.params, &r.args));
            let programs: Result<Vec<Program>, _> = programs.collect();
            let held = budget.held.iter().filter(|h| h.rule == r.rule.name).map(|h| h.when).collect();
            active.push(Active::new(
                r.clone(),
                programs.map_err(|e| unusable(&label, &e.to_string()))?,
                held,
            ));
        }
        graph.rebuild();
        // What the program itself has is never refused.
        let dims = deepest(&begin).max(deepest(start)).max(budget.filter.dims);
        let size = begin.size().max(start.size()) + 1;
        graph.filter = Filter { dims, size: budget.filter.size.max(size) };
        graph.gaps.clear();
        let counted = graph.count_nodes();
        let ids_then = graph.ids();
        Ok(Search {
            graph,
            root,
            given: (begin != *start).then(|| start.clone()),
            too_large: false,
            left_out: vec![],
            refused: BTreeMap::new(),
            start: begin,
            params: written_params(start),
            goal,
            rules: active,
            budget: budget.clone(),
            bound: budget.nodes,
            phase: Phase::Check,
            at: StopPoint::default(),
            iterations: vec![],
            current: IterationReport::default(),
            counted,
            ids_then,
            unions_pending: 0,
            scope: Scope::All,
            turn: Turn::Reductions,
            touched: Default::default(),
            changes: None,
            whole: false,
            parts: vec![],
            reached: None,
            best: None,
            unread: None,
            began: None,
            told: None,
            outcome: None,
            left_at: None,
            pauses: VecDeque::new(),
            #[cfg(test)]
            audit: None,
        })
    }

    /// Runs to the end.
    pub fn run(&mut self, control: &mut Control<'_>) -> Report {
        while !self.advance(control) {}
        self.report(control)
    }

    /// Does the next short piece of work. Says whether the search is over.
    pub fn advance(&mut self, control: &mut Control<'_>) -> bool {
        if self.outcome.is_some() {
            return true;
        }
        self.began.get_or_insert_with(|| (control.now)());
        match self.step(control) {
            Ok(()) => {
                self.tell(control, false);
                false
            }
            Err(halt) => {
                self.finish(halt, control);
                if self.can_go_on()
                    && self.pauses.front().is_some_and(|p| self.at >= p.at)
                    && let Some(pause) = self.pauses.pop_front()
                {
                    if pause.given_back {
                        self.give_back();
                    }
                    self.take_bounds();
                    return self.awaken(control);
                }
                self.tell(control, true);
                true
            }
        }
    }

    /// The graph, to look at.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
    /// The class of the program.
    pub fn root(&self) -> Id {
        self.graph.find(self.root)
    }
    /// The term that the search started from.
    pub fn start(&self) -> &Term {
        &self.start
    }
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Lets the search stop where another of the same rules has stopped, by the rule's label; without one, where all
    /// matches of that iteration had been applied.
    pub fn stop_at(&mut self, iteration: usize, rule: Option<&str>, matches: usize) {
        let numbered = |label: &str| self.rules.iter().position(|r| r.report.label == label);
        let rule = rule.map_or(self.rules.len(), |label| numbered(label).unwrap_or_default());
        self.budget.stop_at = Some(StopPoint { iteration, rule, matches });
    }

    /// Lets the search end and go on where another of the same rules has done so; `rule` is the label, as for
    /// [`Search::stop_at`]. Until the last of these places the sketch is not asked, which may have been another one.
    pub fn pause_at(&mut self, pauses: &[(Pause, Option<String>)]) {
        let numbered = |label: &str| self.rules.iter().position(|r| r.report.label == label);
        let all = self.rules.len();
        self.pauses = pauses
            .iter()
            .map(|(pause, label)| {
                let rule = label.as_deref().map_or(all, |label| numbered(label).unwrap_or_default());
                Pause { at: StopPoint { rule, ..pause.at }, ..pause.clone() }
            })
            .collect();
        self.take_bounds();
    }

    /// The bound of nodes, and the rules that are held back: as they were until the next of its pauses. A rule that was
    /// held back otherwise may have missed matches, so the next iteration asks the rules of the whole graph.
    fn take_bounds(&mut self) {
        let (nodes, held) = match self.pauses.front() {
            Some(pause) => (pause.nodes, &pause.held),
            None => (self.budget.nodes, &self.budget.held),
        };
        self.bound = nodes;
        for r in &mut self.rules {
            let now: Vec<When> = held.iter().filter(|h| h.rule == r.rule.rule.name).map(|h| h.when).collect();
            if r.held != now {
                r.held = now;
                self.whole = true;
            }
        }
    }

    /// Was it ended by the outside, or by a limit that can be raised while the graph is kept?
    pub fn can_go_on(&self) -> bool {
        self.left_at.is_some() && matches!(self.outcome, Some(Outcome::Limit(_) | Outcome::Stopped))
    }

    /// Goes on with other limits, and perhaps for another sketch, where [`Search::can_go_on`]. What the graph holds, and
    /// what the rules are, stays as it is.
    ///
    /// # Errors
    /// `E0411` for a sketch that asks too much at once.
    pub fn go_on(
        &mut self,
        sketch: &Sketch,
        budget: &Budget,
        control: &mut Control<'_>,
    ) -> Result<(), Diagnostic> {
        if self.can_go_on() {
            self.goal = goal(sketch)?;
            self.budget = budget.clone();
            self.take_bounds();
            self.awaken(control);
        }
        Ok(())
    }

    /// Goes on from where it ended, unless the program satisfies the sketch now. Says whether it does.
    fn awaken(&mut self, control: &mut Control<'_>) -> bool {
        let Some(phase) = self.left_at.take() else { return true };
        self.outcome = None;
        self.began = Some((control.now)());
        if self.pauses.is_empty() {
            match self.goal_reached() {
                Ok(true) if self.enough() => self.finish(Halt::Goal, control),
                Ok(_) => {}
                Err(broken) => self.finish(broken, control),
            }
        }
        if self.outcome.is_none() {
            self.phase = phase;
            if matches!(phase, Phase::Match(_)) {
                self.at.matches = 0;
            }
        }
        self.outcome.is_some()
    }

    /// How long it may take.
    pub(super) fn time(&self) -> Duration {
        self.budget.time
    }

    /// The k lightest programs in the graph that satisfy the sketch, no two the same up to the names of binders: in normal
    /// form, if that was asked for and still satisfies the sketch, with what they cost. Those that the search itself asked
    /// for are known.
    pub fn best(&self, k: usize) -> KBest {
        match &self.best {
            Some((asked, known)) if k <= *asked => {
                let terms: Vec<Extracted> = known.terms.iter().take(k).cloned().collect();
                KBest { complete: known.complete || terms.len() == k, terms }
            }
            _ => self.rank(|best| best.of(k)).into(),
        }
    }

    /// The number of classes that have a member like this sketch, with any size in the place of its holes; none where it asks too
    /// much of one term together, or the graph is being grown.
    pub fn classes_like(&self, sketch: &Sketch) -> Option<usize> {
        let clean = self.unions_pending == 0 && self.graph.ids() == self.ids_then;
        let automaton = Automaton::new(&sketch.filled(&[])).ok().filter(|_| clean)?;
        let satisfied = Satisfied::of(&self.graph, &automaton);
        Some(satisfied.count(&self.graph, &automaton, automaton.start))
    }

    /// Extracts programs, the lightest first.
    fn rank<T>(&self, extract: impl FnOnce(&mut Best<'_>) -> T) -> T {
        self.budget.cost.weights(|weights| {
            let ranking = self.goal.ranking(&self.graph, self.root(), weights);
            extract(&mut Best { ranking, search: self })
        })
    }

    /// The normal form of a program that was found, if that was asked for.
    fn normal_form(&self, t: &Term) -> Option<Term> {
        if self.budget.normal { normal_form_with(&self.params, t) } else { None }
    }

    /// What is known of the sketch now.
    pub fn insight(&mut self) -> Insight {
        let places: Vec<(Path, Term)> =
            self.start.positions().into_iter().map(|(path, t)| (path, t.clone())).collect();
        let placed = places.into_iter().filter_map(|(path, t)| Some((path, self.graph.encode(&t)?)));
        let placed: Vec<(Path, Id)> = placed.collect();
        let mut insight = Insight::of(&self.goal, &self.graph, self.graph.find(self.root), &placed);
        if !matches!(self.outcome, Some(Outcome::Found(_))) {
            insight.nearest = nearest(&self.goal, &self.graph, self.root());
        }
        if self.unread.is_some() {
            insight.parts.iter_mut().take(1).for_each(|whole| whole.report.at_root = false);
        }
        insight
    }

    /// The rules, by the numbers that the graph's log has for them.
    pub(super) fn rule(&self, number: u32) -> Option<&RuleUse> {
        self.rules.get(number as usize).map(|r| &r.rule)
    }

    /// From now on, compares what is matched where something has changed with what is matched in the whole graph.
    #[cfg(test)]
    pub(super) fn audit(&mut self) {
        let none = |r: &Active| r.sides.iter().map(|side| Matches::new(&side.program)).collect();
        self.audit = Some(self.rules.iter().map(none).collect());
    }

    /// Every match of the whole graph is found now, or was found before; and nothing else is.
    #[cfg(test)]
    fn compare(&mut self, rule: usize, found: &[Matches]) {
        use std::collections::HashSet;
        let Some(all) = &mut self.audit else { return };
        let Active { sides, name, .. } = &mut self.rules[rule];
        for ((Side { program, memo, .. }, found), all) in sides.iter_mut().zip(found).zip(&mut all[rule]) {
            let whole = search(&mut self.graph, program, memo, None, &mut || false).unwrap();
            let canonical =
                |m: &Matches| m.canonical(&self.graph, program).into_iter().collect::<HashSet<_>>();
            let (whole, now) = (canonical(&whole), canonical(found));
            assert!(now.is_subset(&whole), "a match that is none");
            all.extend(found);
            let missed: Vec<_> = whole.difference(&canonical(all)).cloned().collect();
            assert!(missed.is_empty(), "{name:?}: {missed:?}, in {:?}", self.scope);
        }
    }

    /// The rule of a step.
    pub(super) fn use_of(&self, name: &Name, args: &[RuleArg]) -> Option<&RuleUse> {
        self.rules.iter().map(|r| &r.rule).find(|r| r.rule.name == *name && r.args == args)
    }

    /// What proves the found term equal to the start: the unions, each with what it was for.
    pub(super) fn proof(&mut self) -> Option<Vec<u32>> {
        let Some(Outcome::Found(found)) = &self.outcome else { return None };
        let goal = found.extracted.clone();
        // Its parts are in the graph, whatever a filter says of a term of its size.
        self.graph.filter = Filter::default();
        let to = self.graph.encode_exactly(&goal)?;
        self.graph.proof(self.root, to)
    }

    fn step(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
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
        let (entries, classes, ids) = (self.graph.entries(), self.graph.classes(), self.graph.ids());
        let reached = (control.rss)() + growth(entries, classes, ids, 64 * CHUNK);
        if reached > self.budget.memory {
            return Err(Halt::Limit(Limit::Memory { bound: self.budget.memory, reached }));
        }
        Ok(())
    }

    fn elapsed(&self, control: &Control<'_>) -> Duration {
        (control.now)().saturating_sub(self.began.unwrap_or_default())
    }

    /// Is the goal reached? If not, the next iteration begins.
    fn check(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let from = (control.now)();
        let found = if self.pauses.is_empty() { self.goal_reached() } else { Ok(false) };
        self.current.check += (control.now)().saturating_sub(from);
        if found? && self.enough() {
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

    fn note_refused(&mut self) {
        let refused = |gap: &Gap| matches!(gap, Gap::Dims | Gap::Size | Gap::Held(_));
        for (gap, needed) in self.graph.gaps.all().filter(|(gap, _)| refused(gap)) {
            let least = self.refused.entry(gap.clone()).or_insert(needed);
            *least = needed.min(*least);
        }
    }

    /// Notes what has changed for who is asked later.
    fn note_touched(&mut self) {
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
    fn enough(&self) -> bool {
        self.best.as_ref().is_some_and(|(asked, best)| best.terms.len() >= *asked)
    }

    /// Is this where the search is to stop?
    fn stop_here(&self) -> Result<(), Halt> {
        if self.next_stop().is_some_and(|stop| self.at >= stop) { Err(Halt::Stopped) } else { Ok(()) }
    }

    fn next_stop(&self) -> Option<StopPoint> {
        self.pauses.front().map(|p| p.at).or(self.budget.stop_at)
    }

    /// Asks the sketch of the graph, which must be clean, and takes the lightest program that satisfies it.
    fn goal_reached(&mut self) -> Result<bool, Halt> {
        let root = self.root();
        let found = self.goal.update(&self.graph, root);
        self.parts = self.goal.parts(&self.graph, root);
        self.unread = None;
        self.best = None;
        if !found {
            return Ok(false);
        }
        let (asked, rank) = (self.budget.wanted(), self.budget.rank.max(1));
        let (Programs { programs, complete, looked_at }, several) =
            self.rank(|best| (best.of(1), (asked > 1).then(|| best.of(asked))));
        let ranked = several.as_ref().filter(|_| rank > 1).map(|all| all.programs.get(rank - 1).cloned());
        let Some(first) = programs.into_iter().next() else {
            if looked_at == 0 {
                let message = "The program that was found is nested too deeply to be shown.";
                return Err(Halt::Broken(Box::new(Diagnostic::error("E0415", message))));
            }
            self.unread = Some(complete && looked_at < MOST_UNREAD);
            self.parts.iter_mut().take(1).for_each(|whole| whole.at_root = false);
            return Ok(false);
        };
        let only = Extracted { term: first.term.clone(), cost: first.cost };
        let alone = || KBest { terms: vec![only], complete: true };
        self.best = Some((asked, several.map_or_else(alone, KBest::from)));
        let Some(Reached { term, extracted, filling, .. }) = ranked.unwrap_or(Some(first)) else {
            self.reached = None;
            return Ok(true);
        };
        let assumed = constraints_of(&term);
        self.reached = Some(Found { term, extracted, assumed, filling });
        Ok(true)
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
        let mut reached = None;
        let mut poll = || {
            let held = rss();
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
                Some(reached) => Err(Halt::Limit(Limit::Memory { bound: memory, reached })),
                None => self.poll(control),
            },
        }
    }

    fn apply(&mut self, rule: usize, control: &mut Control<'_>) -> Result<(), Halt> {
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
            // A match in a thorough iteration may build thousands of terms.
            if self.counted + (self.graph.ids() - self.ids_then) > self.bound {
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
    fn nodes(&self) -> usize {
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

    fn rebuild(&mut self, control: &mut Control<'_>) -> Result<(), Halt> {
        let from = (control.now)();
        self.current.congruences += self.graph.rebuild();
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
        self.scope = Scope::Members;
        self.left_out = self.gaps();
        if let Some(given) = self.given.take() {
            match self.graph.encode_exactly(&given) {
                Some(class) => {
                    self.unions_pending += usize::from(self.graph.union(self.root, class, Reason::Given));
                    return self.rebuild(control);
                }
                None => self.too_large = true,
            }
        }
        Ok(())
    }

    /// Whatever stopped the search: what is in the graph is put in order, and asked once more.
    fn finish(&mut self, halt: Halt, control: &mut Control<'_>) {
        let mut halt = halt;
        self.note_refused();
        if !matches!(halt, Halt::Goal | Halt::Broken(_)) {
            let clean = self.unions_pending == 0 && self.graph.ids() == self.ids_then;
            let ordered = if clean { Ok(()) } else { self.rebuild(control) };
            let asked =
                ordered.and_then(|()| match self.goal.is_current(&self.graph) || !self.pauses.is_empty() {
                    true => Ok(()),
                    false => self.goal_reached().map(drop),
                });
            match asked {
                Ok(()) if self.reached.is_some() => halt = Halt::Goal,
                Ok(()) => {}
                Err(broken) => halt = broken,
            }
        }
        let short = matches!(halt, Halt::Limit(Limit::Memory { .. }));
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
    fn give_back(&mut self) {
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
        (known.terms.len() < self.budget.rank).then_some(known.terms.len())
    }

    fn gaps(&self) -> Vec<(Gap, u32)> {
        let met = self.graph.gaps.all().map(|(gap, needed)| (gap.clone(), needed));
        let unread = (self.unread == Some(false)).then_some((Gap::Unread, 0));
        met.chain(self.too_large.then_some((Gap::Written, 0))).chain(unread).collect()
    }

    fn saturated(&self) -> Outcome {
        let gaps = self.gaps();
        if gaps.is_empty() { Outcome::Impossible } else { Outcome::Incomplete(gaps) }
    }

    fn tell(&mut self, control: &mut Control<'_>, always: bool) {
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
            grown: self.iterations.iter().map(|i| i.nodes).collect(),
            bound: self.bound,
            entries: self.graph.entries(),
            rss: (control.rss)(),
            elapsed: self.elapsed(control),
            best_size: size_of(self.graph.data(self.root).cost()),
            rules: self.rules.iter().map(|r| r.report.clone()).collect(),
            parts: self.parts.clone(),
        };
        (control.progress)(&progress);
    }

    fn report(&self, control: &Control<'_>) -> Report {
        let mut iterations = self.iterations.clone();
        if self.current.matches > 0 || self.current.unions > 0 {
            let (nodes, classes) = (self.counted, self.graph.classes());
            iterations.push(IterationReport { nodes, classes, ..self.current.clone() });
        }
        let refused = || self.refused.iter().map(|(gap, needed)| (gap.clone(), *needed)).collect();
        let left_out = if self.left_out.is_empty() { refused() } else { self.left_out.clone() };
        Report {
            never: false,
            outcome: self.outcome.clone().unwrap_or(Outcome::Stopped),
            left_out,
            unread: self.unread.is_some(),
            fewer: self.fewer(),
            stop: self.at,
            iterations,
            rules: self.rules.iter().map(|r| r.report.clone()).collect(),
            parts: self.parts.clone(),
            nodes: self.counted,
            classes: self.graph.classes(),
            elapsed: self.elapsed(control),
        }
    }
}

impl Active {
    /// So many of its matches may still be applied, after so many iterations.
    fn allowed(&self, iterations: usize) -> usize {
        let allowed = self.held.iter().map(|when| match when {
            When::Iterations(n) if iterations < *n => usize::MAX,
            When::Iterations(_) => 0,
            When::Matches(n) => n.saturating_sub(self.taken),
        });
        allowed.min().unwrap_or(usize::MAX)
    }

    fn new(rule: RuleUse, programs: Vec<Program>, held: Vec<When>) -> Active {
        let side = |program| {
            let matches = Matches::new(&program);
            Side { program, memo: SizeMemo::default(), matches }
        };
        let sides = programs.into_iter().map(side).collect();
        let label = rule.to_string();
        let name = label.as_str().into();
        let report = RuleReport { label, ..RuleReport::default() };
        Active { sides, report, name, rule, taken: 0, most: 0, held }
    }

    /// So many matches are to be applied.
    fn matches(&self) -> usize {
        self.sides.iter().map(|side| side.matches.len()).sum()
    }

    fn drop_matches(&mut self) {
        self.sides.iter_mut().for_each(|side| side.matches = Matches::new(&side.program));
    }
}

/// Where the match of this number is, among those of all left sides.
fn side_of(sides: &mut [Side], mut number: usize) -> Option<(&mut Side, usize)> {
    for side in sides {
        match number.checked_sub(side.matches.len()) {
            None => return Some((side, number)),
            Some(rest) => number = rest,
        }
    }
    None
}

/// Can searches use the rule with these arguments?
pub fn usable(rule: &RuleUse) -> bool {
    let compiles = |s| compile(&mut Graph::new(), s, &rule.rule.params, &rule.args).is_ok();
    rule.rule.in_searches(&rule.args).is_ok_and(|sides| sides.into_iter().all(compiles))
}

fn goal(sketch: &Sketch) -> Result<Goal, Diagnostic> {
    Goal::new(sketch).map_err(|e| {
        Diagnostic::error("E0411", e.to_string())
            .note("Every `and` of several `contains` multiplies what has to be followed.")
            .hint("Nest the `contains`, or search for one part after the other.")
    })
}

fn unusable(rule: &str, why: &str) -> Diagnostic {
    Diagnostic::error("E0414", format!("The rule `{rule}` cannot be used in a search.")).note(why)
}

fn mixed_types(rule: &str, (a, b): &(Type, Type)) -> Diagnostic {
    Diagnostic::error("E0416", format!("The search was stopped: `{rule}` gave a term of another type."))
        .note(format!("It would have made a term of type {a} equal to one of type {b}."))
        .note("The rule has passed its checks, so this is a defect of this program.")
}

/// The deepest nesting of arrays in the type of any sub-term.
fn deepest(t: &Term) -> u8 {
    fn dims(t: &Type) -> u8 {
        use crate::lang::ty::TypeKind as K;
        match t.kind() {
            K::Array(_, t) => dims(t).saturating_add(1),
            K::Vector(_, t) => dims(t),
            K::Pair(a, b) | K::Fun(a, b) => dims(a).max(dims(b)),
            _ => 0,
        }
    }
    let mut deepest = 0;
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        deepest = deepest.max(dims(t.ty()));
        stack.extend(t.children());
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::nat::Nat;
    use crate::lang::pattern::Pattern;
    use crate::rule::equation::{Equation, RuleType, RuleVar, Sides};
    use crate::rule::pat::Pat;
    use crate::rule::{Rule, RuleData, RuleParam};
    use crate::sketch::{Library, read};
    use std::sync::atomic::AtomicBool;

    fn var(name: &str, ty: Type) -> RuleVar {
        RuleVar { name: name.into(), scope: vec![], ty }
    }

    fn rule(
        name: &str,
        vars: Vec<RuleVar>,
        types: usize,
        nats: usize,
        params: Vec<RuleParam>,
        lhs: Term,
        rhs: Term,
    ) -> Rule {
        let arities: Vec<usize> = vars.iter().map(|v| v.scope.len()).collect();
        let equation = Equation {
            vars,
            types: (0..types).map(|i| RuleType { name: format!("t{i}").into(), data: true }).collect(),
            nats: (0..nats).map(|i| format!("n{i}").into()).collect(),
            slots: vec![],
            sides: Sides {
                lhs: Pat::from_term(&lhs, &arities).unwrap(),
                rhs: Pat::from_term(&rhs, &arities).unwrap(),
            },
            applied: None,
            conditions: vec![],
            needs: vec![],
            declared: std::sync::Arc::default(),
        };
        Rule::new(RuleData {
            name: name.into(),
            theme: "test".into(),
            params: params.into(),
            body: Body::Equation(Box::new(equation)).into(),
            marks: crate::rule::Marks::NONE,
            doc: String::new(),
            examples: vec![].into(),
            digest: crate::lang::digest::Digest::of(name.as_bytes()).into(),
            span: None,
            text: String::new().into(),
        })
    }

    fn baseline_rules() -> Vec<RuleUse> {
        let (t, s, u, n) = (Type::meta(0), Type::meta(1), Type::meta(2), Nat::meta(0));
        let red = |t: &Type, n: &Nat| {
            Type::function(
                &[
                    Type::function(&[t.clone(), t.clone()], t.clone()),
                    t.clone(),
                    Type::array(n.clone(), t.clone()),
                ],
                t.clone(),
            )
        };
        let use_seq = rule(
            "useReduceSeq",
            vec![],
            1,
            1,
            vec![],
            Term::prim(Pattern::Reduce, vec![], red(&t, &n)),
            Term::prim(
                Pattern::ReduceSeq,
                vec![crate::lang::term::Arg::Addr(crate::lang::pattern::AddressSpace::Private)],
                red(&t, &n),
            ),
        );
        // reduceSeq f init (map g in) ~> reduceSeq (\acc x. f acc (g x)) init in
        let fty = Type::function(&[t.clone(), s.clone()], t.clone());
        let gty = Type::fun(u.clone(), s.clone());
        let vars = vec![
            var("f", fty.clone()),
            var("init", t.clone()),
            var("g", gty.clone()),
            var("in", Type::array(n.clone(), u.clone())),
        ];
        let v = |i: usize| Term::var(3 - i as u32, vars[i].ty.clone());
        let seq = |f: Term, i: Term, x: Term| {
            b::apply(
                Pattern::ReduceSeq,
                vec![crate::lang::term::Arg::Addr(crate::lang::pattern::AddressSpace::Private)],
                vec![f, i, x],
            )
            .unwrap()
        };
        let lhs = seq(v(0), v(1), b::map(v(2), v(3)).unwrap());
        let f = b::lam2(("acc", t.clone()), ("x", u), |acc, x| b::app(b::app(v(0), acc)?, b::app(v(2), x)?))
            .unwrap();
        let rhs = seq(f, v(1), v(3));
        let fuse = rule("reduceSeqMapFusion", vars.clone(), 3, 1, vec![], lhs, rhs);
        [use_seq, fuse].into_iter().map(|rule| RuleUse { rule, args: vec![] }).collect()
    }

    fn matmul() -> Term {
        let a = Type::array(Nat::var("m"), Type::array(Nat::var("k"), Type::f32()));
        let bt = Type::array(Nat::var("k"), Type::array(Nat::var("n"), Type::f32()));
        let row_ty = Type::array(Nat::var("k"), Type::f32());
        b::lam2(("a", a), ("b", bt), |a, bm| {
            b::map(
                b::lam("row", row_ty.clone(), |row| {
                    b::map(
                        b::lam("col", row_ty.clone(), |col| {
                            let pair = Type::pair(Type::f32(), Type::f32());
                            let times = b::lam("p", pair, |p| b::mul(b::fst(p.clone())?, b::snd(p)?))?;
                            let plus = b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()])?;
                            b::reduce(plus, b::f32(0.0), b::map(times, b::zip(row.clone(), col)?)?)
                        })?,
                        b::transpose(bm.clone())?,
                    )
                })?,
                a,
            )
        })
        .unwrap()
    }

    #[test]
    fn baseline() {
        let text = "containsMap(m, containsMap(n, containsReduceSeq(k, containsAddMul)))";
        let (tree, _) = crate::lang::syntax::parse_sketch(crate::lang::diag::Span::NOWHERE.file, text);
        let sketch = read(&tree, &Library::builtin(), &["m".into(), "n".into(), "k".into()]).unwrap();
        let now = std::time::Instant::now();
        let t = move || now.elapsed();
        let cancel = AtomicBool::new(false);
        let mut tell = |p: &Progress| eprintln!("{:?} {:?}", p.phase, p.nodes);
        let mut control = Control { cancel: &cancel, now: &t, rss: &|| 0, progress: &mut tell };
        let report = reach(&matmul(), &sketch, &baseline_rules(), &Budget::default(), &mut control).unwrap();
        eprintln!("{report} {report:#?}");
        let found = report.found().unwrap();
        assert!(found.term.check().is_ok());
        assert!(sketch.satisfied_by(&found.term));
        assert_eq!(found.term.ty(), matmul().ty());
    }
}
