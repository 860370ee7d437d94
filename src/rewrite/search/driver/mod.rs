//! The loop of a search, as a machine whose steps are short: check the sketch, match each rule, apply the matches in
//! chunks, rebuild.

mod active;
mod answer;
mod best;
mod iteration;
mod settle;
mod shown;
mod thrift;

use super::goal::{Goal, Programs};
use super::options::When;
use super::{
    Budget, Control, Found, Grown, IterationReport, Limit, Outcome, PartReport, Pause, Phase, Report,
    StopPoint,
};
use crate::egraph::changes::Changes;
use crate::egraph::compile::{Program, compile};
use crate::egraph::gaps::Gap;
#[cfg(test)]
use crate::egraph::matcher::{Matches, search};
use crate::egraph::{Filter, Graph, Id, Touched};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::normal::{all_params, normal_form_with, written_params};
use crate::rule::library::reductions;
use crate::rule::{Body, RuleArg, RuleUse};
use crate::search::Unread;
use crate::sharing::{amount, shares};
use crate::sketch::Sketch;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use active::Active;
#[cfg(test)]
use active::Side;
pub use active::usable;
pub use best::Last;

/// So many matches are applied before the outside is asked.
const CHUNK: usize = 256;
/// As many of a thorough iteration, whose applications take longer.
const THOROUGH_CHUNK: usize = 16;
/// So many terms come to the graph at most before the outside is asked again.
const MOST_COMING: usize = 64 * CHUNK;
/// Congruence is restored after so many unions, or an eighth of the graph if that is more: one rebuild cannot be
/// stopped, and takes time in proportion to both.
const REBUILD: usize = 50_000;
/// So much deeper than the programs of a saturated graph may those be that its other members make.
const DEEPER: u32 = 2;
/// So many programs that are like the sketch are looked at for one that is so by what is read.
const MOST_UNREAD: usize = 64;
/// Progress is told at most so often.
const TELL: Duration = Duration::from_millis(16);

/// A search that can be advanced, stopped and asked.
pub struct Search {
    graph: Graph,
    root: Id,
    start: Term,
    /// The program as it was given.
    program: Term,
    /// The same, where that is not the start and was not put beside it.
    given: Option<Term>,
    /// How much the program that was given computes, if that can be counted.
    amount: Option<f64>,
    /// It shares values.
    shares: bool,
    /// As it stands in the graph it computes more than that, where what it shares is written out.
    computes_again: bool,
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
    grown: Vec<Grown>,
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
    best: Option<(usize, Programs)>,
    /// Reductions, and the rules that only take views away, have nothing more to say.
    is_settled: bool,
    /// How long it took to extract them.
    extraction: Duration,
    /// After so many iterations a program was found that computes much more than the one given.
    dear_since: Option<usize>,
    /// The sketch was last asked until a limit was met, or somebody stopped that.
    cut_short: bool,
    /// What is like the sketch now, where it is so only by what nobody reads.
    unread: Option<Unread>,
    began: Option<Duration>,
    /// Memory that the process held then, in bytes.
    held_before: u64,
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
        let (given, shares) = (amount(start), shares(start));
        let more = || given.is_some_and(|given| amount(&begin).is_none_or(|here| here > given));
        Ok(Search {
            graph,
            root,
            program: start.clone(),
            given: (begin != *start).then(|| start.clone()),
            amount: given,
            shares,
            computes_again: shares && more(),
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
            grown: vec![],
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
            is_settled: false,
            extraction: Duration::ZERO,
            unread: None,
            cut_short: false,
            dear_since: None,
            began: None,
            held_before: 0,
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
        if self.began.is_none() {
            self.began = Some((control.now)());
            self.held_before = (control.rss)();
        }
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
        let mut changed = false;
        for (i, r) in self.rules.iter_mut().enumerate() {
            let now: Vec<When> = held.iter().filter(|h| h.rule == r.rule.rule.name).map(|h| h.when).collect();
            if r.held != now {
                r.held = now;
                changed = true;
                // What it has matched in this iteration is held back too, but for what is applied.
                let applied = if i == self.at.rule { self.at.matches } else { 0 };
                let left_out = r.take_back(self.iterations.len(), applied);
                self.current.matches -= left_out;
                if left_out > 0 {
                    self.graph.gaps.note(Gap::Held(r.name.clone()), 0);
                }
            }
        }
        self.whole |= changed;
        // Who repeats the search cannot tell how far it was in looking for what is applied next.
        let first = self.turn.rules(self.rules.len()).start;
        let begun = self.at.rule > first || self.at.matches > 0;
        if changed && !begun && matches!(self.left_at, Some(Phase::Match(_) | Phase::Apply(_))) {
            self.give_back();
            if self.turn == Turn::Others {
                (self.changes, self.whole) = (None, false);
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
            (self.unread, self.best) = (None, None);
            self.budget = budget.clone();
            self.take_bounds();
            self.parts.clear();
            if self.awaken(control) {
                self.tell(control, true);
            }
        }
        Ok(())
    }

    /// Goes on from where it ended, unless the program satisfies the sketch now. Says whether it does.
    fn awaken(&mut self, control: &mut Control<'_>) -> bool {
        let Some(phase) = self.left_at.take() else { return true };
        self.outcome = None;
        self.began = Some((control.now)());
        if self.pauses.is_empty() {
            self.phase = Phase::Check;
            self.tell(control, true);
            // It may have ended without memory for that.
            let ordered = if self.is_in_order() { Ok(()) } else { self.rebuild(control) };
            let reached = ordered.and_then(|()| self.goal_reached(control, false));
            self.phase = phase;
            match reached {
                Ok(true) if self.enough() => self.finish(Halt::Goal, control),
                Ok(_) => {}
                Err(halt) => self.finish(halt, control),
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
            let whole = search(&mut self.graph, program, memo, None, &mut |_| false).unwrap();
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

/// The deepest nesting of arrays in the type of any sub-term.
pub fn deepest(t: &Term) -> u8 {
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
mod tests;
