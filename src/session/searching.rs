//! Searches within strategies: run anew and recorded, or taken again as they were recorded.

use super::action::{Paused, SearchOutcome, TrailStep};
use super::guided::{GuideLine, Made, Shared};
use super::history::RevisionStep;
use super::jobs::Control;
use super::state::Progress;
use super::workspace::Workspace;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::nat::{Name, Nat};
use crate::lang::path::{Path, PathMap};
use crate::lang::syntax::{ast, print};
use crate::lang::term::Term;
use crate::rewrite::guide;
use crate::rewrite::rule::apply::Counts;
use crate::rewrite::rule::{Marks, Rewritten, RuleArg, RuleUse, Step};
use crate::rewrite::search::forecast::{other_type, unmet};
use crate::rewrite::search::insight::{Insight, PartInsight};
use crate::rewrite::search::options::Names;
use crate::rewrite::search::refuted::{contradiction, meant, possible};
use crate::rewrite::search::{
    self, Budget, Limit, Outcome, PartReport, Pause, Report, Search, StopPoint, Trail,
};
use crate::rewrite::search::{IN_PART, Last, OF_FUNCTION};
use crate::rewrite::sharing::{amount, times};
use crate::rewrite::sketch::holes::holes_in;
use crate::rewrite::sketch::{self, Sketch, best::KBest};
use crate::rewrite::strategy::{self, ReachRequest, SearchFailure, SearchRunner};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The progress of a search, with what it is looking for.
#[derive(Clone, Debug)]
pub struct SearchProgress {
    /// The sketch, as text.
    pub sketch: String,
    /// What was known before it began to be in its way.
    pub warning: Option<String>,
    /// The guides that were made so far, where the search makes them itself.
    pub guides: Arc<Vec<GuideLine>>,
    pub now: search::Progress,
}

/// How recorded searches are taken again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchMode {
    /// By the recorded rule applications, where there are any; else exactly.
    Trail,
    /// The same search, stopped where it was stopped.
    Exact,
    /// Until the sketch holds, within the search's own bounds.
    Free,
}

/// Recorded searches, in the order in which a strategy runs them.
#[derive(Clone, Debug)]
pub struct Replayed {
    mode: SearchMode,
    recorded: Vec<SearchOutcome>,
}

impl Replayed {
    /// Nothing is recorded: every search is new.
    pub fn none() -> Replayed {
        Replayed { mode: SearchMode::Free, recorded: vec![] }
    }
    pub fn new(mode: SearchMode, recorded: Vec<SearchOutcome>) -> Replayed {
        Replayed { mode, recorded }
    }
}

/// The step of a rewriting that is a search. No rule has this name, which is a word of the language.
pub const REACH: &str = "reach";

/// A search with its graph. Where it was stopped, or met a limit, the next one that differs in its limits or its sketch alone
/// goes on with it; the graph of one that found something is asked how many of its programs are like a sketch. It is of one
/// workspace.
pub struct Kept {
    search: Search,
    given: Digest,
    rules: Vec<String>,
    budget: Budget,
    paused: Vec<Paused>,
    /// It ended in the strategy that runs, or ran last.
    is_new: bool,
    /// It got to its end: it is asked of sketches, and no search goes on with it.
    over: bool,
}

impl Kept {
    /// Is this the same search, but for its sketch, for what is held back, and for limits that are no lower?
    fn goes_on(&self, start: &Term, rules: &[String], budget: &Budget) -> bool {
        let limits = |b: &Budget| (b.nodes, b.iterations);
        let ((nodes, iterations), (most, longest)) = (limits(&self.budget), limits(budget));
        let same = |b: &Budget| (b.filter, b.normal);
        !self.over
            && self.given == start.digest()
            && self.rules == rules
            && same(&self.budget) == same(budget)
            && nodes <= most
            && iterations <= longest
    }
}

/// For so long at most rules are tried that a search did not have, and sketches that may have been meant. What is looked at is
/// bounded before that, where the machine has time for it.
const LEADING: Duration = Duration::from_secs(2);

/// What can be done where the sketch contradicts itself.
const MEETABLE: &str = "Change that part of the sketch.";

/// That what is rewritten is of another type than the sketch, with what can be done.
pub(super) fn of_other_type(sketch: &Sketch, start: &Term) -> Option<(String, &'static str)> {
    let text = other_type(sketch, start)?;
    Some((text, if start.ty().as_fun().is_some() { OF_FUNCTION } else { IN_PART }))
}

/// What is kept of the last strategy that did not get to its end.
#[derive(Default)]
pub struct Keeping {
    graph: Option<Kept>,
    /// The searches that came to an end of those that were made for a goal.
    made: Vec<(SearchKey, Ended)>,
    /// Those were kept by the strategy that runs, or ran last.
    made_now: bool,
}

/// Where a session keeps it.
pub type Shelf = Mutex<Keeping>;

/// What tells what a search comes to, where neither time nor memory end it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SearchKey {
    start: Digest,
    sketch: String,
    rules: Vec<String>,
    budget: Budget,
}

/// Runs the searches of a strategy and keeps what came of them.
pub struct Searcher<'a> {
    workspace: &'a Workspace,
    /// Where the graph of a search that did not get to its end is kept, if it is.
    shelf: Option<&'a Shelf>,
    replayed: Replayed,
    control: &'a Control<Progress>,
    taken: Vec<SearchOutcome>,
    found: Vec<Found>,
    /// How many programs of each search are to be told with all that it knows; none for what it found alone.
    best: Option<usize>,
    /// So many of them are told where its graph has as many; it does not grow for those that are more than `best`.
    most: usize,
    examined: Vec<Examined>,
    /// Memory that was held before the first search, in bytes.
    held_at_first: u64,
}

/// All that a search knows when it ends.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The sketch, as text.
    pub sketch: String,
    /// What was known before it began to be in its way.
    pub warning: Option<String>,
    pub report: Report,
    /// The lightest programs that satisfy the sketch.
    pub best: KBest,
    /// Why each of them comes behind others, if it does.
    pub last: Vec<Last>,
    /// How long they took to find.
    pub extraction: Duration,
    pub insight: Insight,
    /// The rewrites that lead to what was found, or why they are not known.
    pub steps: Result<Vec<RevisionStep>, String>,
    /// The rules, as they were used, of which these are.
    pub on_the_way: Vec<String>,
    pub start: Term,
    /// What it was for, where a search made guides itself.
    pub guide: Option<Made>,
}

/// What a search found.
pub struct Found {
    start: Digest,
    pub term: Term,
    /// The single rewrites that lead there from the start, as far as they are known.
    pub steps: Vec<RevisionStep>,
    /// The marks of the rules that may have led there: those of its derivation where that is known, else those of all
    /// rules of the search.
    pub marks: Marks,
}

impl<'a> Searcher<'a> {
    pub fn new(workspace: &'a Workspace, replayed: Replayed, control: &'a Control<Progress>) -> Searcher<'a> {
        let (taken, found, examined) = (vec![], vec![], vec![]);
        let (best, most) = (None, 0);
        let held_at_first = resident_bytes();
        Searcher {
            workspace,
            shelf: None,
            replayed,
            control,
            taken,
            found,
            best,
            most,
            examined,
            held_at_first,
        }
    }

    /// Keeps the graph of a search that does not get to its end there, and goes on with what is there.
    pub fn keeping(self, shelf: &'a Shelf) -> Self {
        Searcher { shelf: Some(shelf), ..self }
    }

    /// Tells all that each search knows, with so many programs that satisfy its sketch.
    pub fn examining(self, best: usize) -> Self {
        Searcher { best: Some(best), ..self }
    }

    /// Tells more programs, up to so many, of the graph with which each search ends.
    pub fn telling(self, most: usize) -> Self {
        Searcher { most, ..self }
    }

    pub fn take_examined(&mut self) -> Vec<Examined> {
        std::mem::take(&mut self.examined)
    }

    pub fn into_taken(self) -> Vec<SearchOutcome> {
        self.taken
    }

    /// What the search of a strategy's step found.
    pub fn found(&self, step: &Step) -> Option<&Found> {
        self.found.iter().find(|f| f.start == step.before.digest() && f.term == step.after)
    }

    /// The recorded rule applications, if they still lead where they led.
    fn by_trail(&self, start: &Term, recorded: &SearchOutcome) -> Option<(Term, Vec<RevisionStep>)> {
        let mut now = start.clone();
        let mut steps = vec![];
        for step in recorded.trail.as_ref()? {
            now = match &step.reversed {
                None => self.workspace.apply(&now, &step.rule, &step.at).ok()?.term,
                Some(text) => {
                    let next = self.workspace.parse_recorded(text.text(), step.after)?;
                    // The rule leads back, and nothing else was changed.
                    let back = self.workspace.apply(&next, &step.rule, &step.at).ok()?.term;
                    (back == now).then_some(next)?
                }
            };
            if now.digest() != step.after {
                return None;
            }
            let name = step.rule.split('(').next().unwrap_or_default();
            let marks = self.workspace.rules.get(name).map_or(Marks::NONE, |rule| rule.changes());
            steps.push(single(step.rule.clone(), marks, step.reversed.is_some(), &step.at, &now));
        }
        (Some(now.digest()) == recorded.found).then_some((now, steps))
    }

    /// The rule of a step with its arguments.
    fn label(&self, step: &search::TrailStep) -> Option<String> {
        Some(self.used(step)?.to_string())
    }

    fn used(&self, step: &search::TrailStep) -> Option<RuleUse> {
        let rule = self.workspace.rules.get(&step.rule)?.clone();
        Some(RuleUse { rule, args: step.args.clone() })
    }

    /// A derivation as it is looked at, rewrite by rewrite.
    fn single_steps(&self, trail: &Trail) -> Option<Vec<RevisionStep>> {
        let steps = trail.steps.iter().zip(&trail.programs).map(|(step, program)| {
            let rule = self.used(step)?;
            Some(single(rule.to_string(), rule.rule.changes(), step.reverse, &step.at, program))
        });
        steps.collect()
    }

    /// A derivation as it is recorded; none when it cannot be written as text.
    fn written(&self, trail: &Trail) -> Option<Vec<TrailStep>> {
        let steps = trail.steps.iter().zip(&trail.programs).map(|(step, program)| {
            let has_text = |a: &RuleArg| !matches!(a, RuleArg::Term(_));
            let rule = self.label(step).filter(|_| step.args.iter().all(has_text))?;
            let reversed = step.reverse.then(|| self.workspace.written(program));
            Some(TrailStep { rule, at: step.at.clone(), after: program.digest(), reversed })
        });
        steps.collect()
    }
}

impl SearchRunner for Searcher<'_> {
    fn counted(&mut self, counts: &Counts) {
        self.control.report(Progress::Strategy { tried: counts.tried, applied: counts.succeeded });
    }

    fn unsatisfied(
        &mut self,
        term: &Term,
        text: &ast::Sketch,
        sizes: &[Name],
        values: &[(Name, Nat)],
    ) -> Result<Option<Sketch>, Box<Diagnostic>> {
        strategy::unsatisfied(&self.workspace.sketches, term, text, sizes, values)
    }

    fn reach(&mut self, start: &Term, request: &ReachRequest) -> Result<Rewritten, SearchFailure> {
        let sketch = self.sought(start, request)?;
        let mut found = self.search_for(&sketch, start, request)?;
        // What the sketch divides is whole, also where the program does not tell it.
        let divided = sketch.whole().into_iter().filter(|n| holes_in(n).is_empty());
        self.assume(&mut found, divided.flat_map(|n| SizeConstraint::of_size(&request.given(n))));
        Ok(found)
    }
}

impl Searcher<'_> {
    /// Tells what must hold for a program that was found to be like its sketch, and what the program does not ask for itself.
    pub(super) fn assume(&mut self, found: &mut Rewritten, asked: impl Iterator<Item = SizeConstraint>) {
        let untold: Vec<SizeConstraint> = asked.filter(|c| !found.assumed.contains(c)).collect();
        if !untold.is_empty() {
            let sizes = untold.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let told = format!("The program is like the sketch where {sizes}; nothing else says so.");
            self.examined.iter_mut().rev().take(1).for_each(|last| last.warning = Some(told.clone()));
            self.taken.iter_mut().rev().take(1).for_each(|last| last.untold = Some(told.clone()));
        }
        found.assumed.extend(untold);
    }

    /// The sketch of a search, where a program can be like it.
    fn sought(&self, start: &Term, request: &ReachRequest) -> Result<Sketch, SearchFailure> {
        let sizes = &self.workspace.program.sizes;
        let sketch = sketch::read_with(request.sketch, &self.workspace.sketches, sizes, &request.sizes)
            .map_err(|mut all| SearchFailure::Invalid(Box::new(all.swap_remove(0))))?;
        let given = |n: &Nat| request.given(n);
        if let Some(text) = contradiction(&sketch, &given) {
            let hint = meant(&sketch, start).unwrap_or_else(|| MEETABLE.to_owned());
            return Err(SearchFailure::NotFound { text, hints: vec![hint] });
        }
        let sketch = possible(&sketch, &given);
        match of_other_type(&sketch, start) {
            Some((text, hint)) => Err(SearchFailure::NotFound { text, hints: vec![hint.to_owned()] }),
            None => Ok(sketch),
        }
    }

    /// What satisfies the sketch, by the rules of the request or by those that are chosen for it.
    fn search_for(
        &mut self,
        sketch: &Sketch,
        start: &Term,
        request: &ReachRequest,
    ) -> Result<Rewritten, SearchFailure> {
        let invalid = |d| SearchFailure::Invalid(Box::new(d));
        let recorded = self.replayed.recorded.get(self.taken.len()).cloned();
        let given = |n: &Nat| request.given(n);
        let names = Names {
            size: &|name| request.sizes.iter().find(|(n, _)| **n == *name).map(|(_, size)| size.clone()),
            pattern: &|name| self.workspace.sketches.patterns.find(name),
            strategy: &|name| request.script.strategy(name)?.plain(),
        };
        let mut budget = Budget::read(request.options, names).map_err(invalid)?;
        let used: Vec<&str> = match &request.rules {
            Some(rules) => rules.iter().map(|r| &*r.rule.name).collect(),
            None => self.workspace.rules.rules().map(|rule| &*rule.name).collect(),
        };
        let of_script = |name: &str| Some(request.script.alias(name)?.target.name.kind.clone());
        let stands_for = |name: &str| {
            let target = of_script(name);
            Some(self.workspace.rules.get(target.as_deref().unwrap_or(name))?.name.clone())
        };
        budget.check_held(&used, &stands_for).map_err(invalid)?;
        if self.replayed.mode == SearchMode::Trail {
            // A guide may lead to what is like the sketch with other sizes in the place of its holes.
            let goals: Vec<String> = match &request.rules {
                Some(_) => vec![],
                None => guide::filled(sketch, start, &given).iter().map(|f| f.goal.to_string()).collect(),
            };
            let is_end = |t: &Term, last: &SearchOutcome| {
                request.rules.is_some() || sketch.satisfied_by(t) && goals.contains(&last.sketch)
            };
            if let Some(again) = self.taken_again(start, &is_end) {
                return Ok(again);
            }
        }
        budget.best = budget.best.max(self.best.unwrap_or(1));
        budget.sizes = request.known.cloned().unwrap_or_default();
        let recorded = recorded.filter(|_| self.replayed.mode != SearchMode::Free);
        if recorded.is_some() {
            // Neither the clock nor memory decide a replay: the search is stopped where it was stopped.
            budget.time = Duration::from_secs(24 * 3600);
            budget.memory = u64::MAX;
        }
        let undecided = |failure| match (failure, undecided(sketch, &given)) {
            (SearchFailure::NotFound { text, mut hints }, Some(why)) => {
                hints.insert(0, why);
                SearchFailure::NotFound { text, hints }
            }
            (failure, _) => failure,
        };
        let Some(rules) = &request.rules else {
            let gives = |option: &str| request.options.iter().any(|(name, _)| *name.kind == *option);
            let asked = Shared {
                options: shared_options(request.options),
                nodes: gives("nodes").then_some(budget.nodes),
                gives_dims: gives("dims"),
            };
            let reached = self.guided(start, (sketch, request), &budget, asked, recorded.as_ref());
            return reached.map_err(undecided);
        };
        let asked = Asked {
            start,
            sketch,
            rules,
            budget: &budget,
            guides: &Arc::default(),
            shelf: self.shelf,
            goes_on: true,
            warns: true,
        };
        let ended = self.search(&asked, recorded).map_err(invalid)?;
        let Ended { report, warning, .. } = &ended;
        match &report.outcome {
            Outcome::Found(_) => Ok(self.keep(start, vec![ended])),
            Outcome::Stopped if self.is_cancelled() => {
                self.leave(ended);
                Err(SearchFailure::Stopped)
            }
            Outcome::Broken(problem) => Err(SearchFailure::Invalid(problem.clone())),
            Outcome::Impossible | Outcome::Incomplete(_) | Outcome::Limit(_) | Outcome::Stopped => {
                let hints = warning.iter().cloned().chain(report.hints()).collect();
                let text = report.to_string();
                self.leave(ended);
                Err(undecided(SearchFailure::NotFound { text, hints }))
            }
        }
    }
}

/// Which size of the program has to have a value before it is known whether all holds that a sketch says of sizes.
pub(super) fn undecided(sketch: &Sketch, given: &dyn Fn(&Nat) -> Nat) -> Option<String> {
    let (condition, size) = sketch.undecided(given)?;
    Some(format!(
        "Whether `{condition}` holds is known where `{size}` has a value: give it one, as in `--size {size}=1024`, or \
         `:sizes {size}=1024` on the screen."
    ))
}

/// What a search is asked.
pub(super) struct Asked<'s> {
    pub start: &'s Term,
    pub sketch: &'s Sketch,
    pub rules: &'s [RuleUse],
    pub budget: &'s Budget,
    /// The guides that it is one of, to be shown with it.
    pub guides: &'s Arc<Vec<GuideLine>>,
    /// Where its graph is kept.
    pub shelf: Option<&'s Shelf>,
    /// Whether it goes on with the graph of one like it that did not get to its end, and leaves its own to go on with.
    pub goes_on: bool,
    /// Whether it is told before it runs that its rules never make what it asks for.
    pub warns: bool,
}

/// What can be done with a graph that is kept.
const KEPT_GRAPH: &str = "Its graph is kept: the same search goes on with it, where its limits are no lower, whatever \
                          `freeze` and `cap` then hold back, and so does one for another sketch with the same rules.";

/// What can be done with the ends of searches that are kept.
const KEPT_ENDS: &str = "What it has searched so far is kept: the same search goes on after that.";

/// What can be done with what is kept, if something is.
pub fn kept(shelf: &Shelf) -> Option<&'static str> {
    let keeping = lock(shelf);
    let ends = (!keeping.made.is_empty()).then_some(KEPT_ENDS);
    keeping.graph.as_ref().filter(|kept| !kept.over).map(|_| KEPT_GRAPH).or(ends)
}

/// Asks the search whose graph is kept, if one is.
pub(super) fn ask_kept<T>(shelf: &Shelf, ask: &dyn Fn(&Search) -> T) -> Option<T> {
    lock(shelf).graph.as_ref().map(|kept| ask(&kept.search))
}

/// A strategy begins: what is kept was kept before it.
pub fn begin(shelf: &Shelf) {
    let mut keeping = lock(shelf);
    keeping.graph.iter_mut().for_each(|kept| kept.is_new = false);
    keeping.made_now = false;
}

/// A strategy has ended: what was kept before it is given up.
pub fn end(shelf: &Shelf) {
    let mut keeping = lock(shelf);
    keeping.graph.take_if(|kept| !kept.is_new);
    if !keeping.made_now {
        keeping.made.clear();
    }
}

fn lock(shelf: &Shelf) -> MutexGuard<'_, Keeping> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a search ended, before it is decided whether it counts.
#[derive(Clone)]
pub(super) struct Ended {
    pub report: Report,
    pub warning: Option<String>,
    start: Term,
    outcome: SearchOutcome,
    steps: Vec<RevisionStep>,
    marks: Marks,
    pub examined: Option<Examined>,
}

impl Searcher<'_> {
    /// As [`Searcher::search`], for one of several that were made for a goal. Where the strategy before did not get to its end,
    /// it is not searched again for what that had come to.
    pub(super) fn made(
        &self,
        asked: &Asked<'_>,
        known: &mut Vec<(SearchKey, Ended)>,
    ) -> Result<Ended, Diagnostic> {
        let untimed = Budget { time: Duration::ZERO, memory: 0, ..asked.budget.clone() };
        let key = SearchKey {
            start: asked.start.digest(),
            sketch: asked.sketch.to_string(),
            rules: asked.rules.iter().map(ToString::to_string).collect(),
            budget: untimed,
        };
        let is_it = |(known, _): &(SearchKey, Ended)| *known == key;
        let kept =
            self.shelf.and_then(|shelf| lock(shelf).made.iter().find(|e| is_it(e)).map(|(_, e)| e.clone()));
        let ended = match kept {
            Some(ended) => ended,
            None => self.search(asked, None)?,
        };
        let own_end = match &ended.report.outcome {
            Outcome::Found(_) | Outcome::Impossible | Outcome::Incomplete(_) => true,
            Outcome::Limit(limit) => matches!(limit, Limit::Nodes { .. } | Limit::Iterations { .. }),
            Outcome::Stopped | Outcome::Broken(_) => false,
        };
        if own_end && self.shelf.is_some() {
            known.push((key, ended.clone()));
        }
        Ok(ended)
    }

    /// Keeps what searches that were made for a goal came to, which was not reached.
    pub(super) fn keep_made(&self, known: Vec<(SearchKey, Ended)>) {
        if let Some(shelf) = self.shelf {
            let mut keeping = lock(shelf);
            (keeping.made, keeping.made_now) = (known, true);
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.control.cancel_flag().load(Ordering::Relaxed)
    }

    pub(super) fn workspace(&self) -> &Workspace {
        self.workspace
    }

    pub(super) fn shelf(&self) -> Option<&Shelf> {
        self.shelf
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.control.elapsed()
    }

    /// Runs one search; where it is recorded, as it is recorded.
    pub(super) fn search(
        &self,
        asked: &Asked<'_>,
        recorded: Option<SearchOutcome>,
    ) -> Result<Ended, Diagnostic> {
        let Asked { start, sketch, rules, budget, guides, shelf, goes_on, warns } = *asked;
        let labels: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let text = sketch.to_string();
        let cancel = self.control.cancel_flag();
        let forecast = unmet(sketch, start, rules, &self.workspace.rules);
        let warning = forecast.as_ref().map(|f| f.text.clone());
        // What is only unlikely is told where nothing is found.
        let told = forecast.as_ref().filter(|f| f.never && warns).map(|f| f.text.clone());
        let mut known = None;
        let kept = shelf.filter(|_| goes_on);
        let kept = kept.and_then(|shelf| lock(shelf).graph.take_if(|k| k.goes_on(start, &labels, budget)));
        let mut paused = vec![];
        // What ends a search may keep its graph from being asked once more: what that said last is still known.
        let mut parts: Vec<PartReport> = vec![];
        let (report, trail) = {
            let control = self.control;
            let mut world = search::Control {
                cancel: &cancel,
                now: &|| control.elapsed(),
                rss: &resident_bytes,
                progress: &mut |p| {
                    let mut now = p.clone();
                    if now.parts.is_empty() {
                        now.parts.clone_from(&parts);
                    } else {
                        parts.clone_from(&now.parts);
                    }
                    let progress = SearchProgress {
                        sketch: text.clone(),
                        warning: told.clone(),
                        guides: guides.clone(),
                        now,
                    };
                    control.report(Progress::Search(Arc::new(progress)));
                },
            };
            let mut search = match kept {
                Some(mut kept) => {
                    kept.search.go_on(sketch, budget, &mut world)?;
                    paused = kept.paused;
                    kept.search
                }
                None => Search::new(start, sketch, rules, budget)?,
            };
            let several = budget.wanted() > 1;
            if let Some(recorded) = recorded {
                search.pause_at(&recorded.paused.iter().map(pause).collect::<Vec<_>>());
                if recorded.found.is_none() || several {
                    search.stop_at(recorded.iteration, recorded.rule.as_deref(), recorded.matches);
                }
                paused = recorded.paused;
            }
            let mut report = search.run(&mut world);
            report.never = forecast.as_ref().is_some_and(|f| f.never);
            report.held_at_first = self.held_at_first;
            let own = guides.is_empty() && report.found().is_none() && report.fewer.is_none();
            if own && !self.is_cancelled() && forecast.is_none() {
                report.variant = search.variant(&world, LEADING);
            }
            let trail = search::trail(&mut search, start, &report, &world);
            if let Some(k) = self.best {
                let from = control.elapsed();
                // Of a guide no more are measured.
                let most = if several { self.most } else { 0 };
                let best = programs(&search, k.max(budget.best), most, &|| cancel.load(Ordering::Relaxed));
                let took = control.elapsed().saturating_sub(from).saturating_add(search.extraction());
                let insight = search.insight(&world);
                if let Some(nearest) = insight.nearest.as_ref().filter(|_| own) {
                    let until = control.elapsed().saturating_add(LEADING);
                    let over = || control.elapsed() > until || cancel.load(Ordering::Relaxed);
                    report.lead = guide::lead(&self.workspace.rules, rules, sketch, nearest, &over);
                }
                let last = best.terms.iter().map(|found| search.last(&found.term)).collect();
                known = Some((best, last, took, insight));
            }
            let over = report.found().is_some();
            if let Some(shelf) = shelf.filter(|_| over || goes_on && search.can_go_on()) {
                if over {
                    search.put_in_order(&mut world);
                }
                let mut paused = paused.clone();
                paused.push(ended_at(&report, budget));
                let (given, budget) = (start.digest(), budget.clone());
                let kept = Kept { search, given, rules: labels, budget, paused, is_new: true, over };
                lock(shelf).graph = Some(kept);
            }
            (report, trail)
        };
        let warning = warning.filter(|_| report.found().is_none());
        let steps = trail.as_ref().map_err(ToString::to_string).and_then(|t| {
            self.single_steps(t).ok_or_else(|| "A rewrite on the way does not fit its place.".to_owned())
        });
        let told = parts.into_iter().map(|report| PartInsight { report, places: vec![], witness: None });
        let examined = known.map(|(best, last, extraction, mut insight)| {
            if insight.parts.is_empty() {
                insight.parts = told.collect();
            }
            let used = |t: &Trail| t.steps.iter().filter_map(|s| self.label(s)).collect();
            Examined {
                sketch: text.clone(),
                warning: warning.clone(),
                report: report.clone(),
                best,
                last,
                extraction,
                insight,
                on_the_way: trail.as_ref().map(used).unwrap_or_default(),
                steps: steps.clone(),
                start: start.clone(),
                guide: None,
            }
        });
        // A search that found nothing has no way to tell of.
        let no_trail = trail.as_ref().err().filter(|_| report.found().is_some()).map(ToString::to_string);
        let trail = trail.ok().and_then(|t| self.written(&t));
        let outcome = SearchOutcome { no_trail, paused, ..outcome(&text, &report, trail) };
        let steps = steps.unwrap_or_default();
        let marks = if steps.is_empty() {
            rules.iter().flat_map(|r| r.rule.changes().iter()).collect()
        } else {
            steps.iter().flat_map(|step| step.marks.iter()).collect()
        };
        Ok(Ended { report, warning, start: start.clone(), outcome, steps, marks, examined })
    }

    /// Tells of searches that are not recorded.
    pub(super) fn tell(&mut self, examined: impl Iterator<Item = Examined>) {
        self.examined.extend(examined);
    }

    /// Records a search that found nothing.
    pub(super) fn leave(&mut self, ended: Ended) {
        self.taken.push(ended.outcome);
        self.examined.extend(ended.examined);
    }

    /// Records searches of which each goes on from what the one before found, as a rewriting.
    pub(super) fn keep(&mut self, start: &Term, mut chain: Vec<Ended>) -> Rewritten {
        let (mut term, mut steps) = (start.clone(), vec![]);
        let searches = chain.iter().filter(|ended| ended.report.found().is_some()).count();
        chain.iter_mut().take(1).for_each(|first| first.outcome.chain = Some(searches));
        for ended in chain {
            let Some(found) = ended.report.found() else { continue };
            term = found.term.clone();
            steps.extend(step(ended.start.clone(), term.clone()));
            self.found.push(Found {
                start: ended.start.digest(),
                term: term.clone(),
                steps: ended.steps.clone(),
                marks: ended.marks,
            });
            self.leave(ended);
        }
        rewritten(term, steps)
    }

    /// Takes recorded searches again by their rule applications: one, or as many as led to one goal. Where it was not recorded how
    /// many these were, `is_end` says which was the last.
    fn taken_again(
        &mut self,
        start: &Term,
        is_end: &dyn Fn(&Term, &SearchOutcome) -> bool,
    ) -> Option<Rewritten> {
        let (mut now, mut steps, mut found, mut taken) = (start.clone(), vec![], vec![], vec![]);
        let mut searches = None;
        loop {
            let recorded = self.replayed.recorded.get(self.taken.len() + taken.len())?.clone();
            let (term, single) = self.by_trail(&now, &recorded)?;
            let marks = single.iter().flat_map(|step| step.marks.iter()).collect();
            steps.extend(step(now.clone(), term.clone()));
            found.push(Found { start: now.digest(), term: term.clone(), steps: single, marks });
            now = term;
            let told = *searches.get_or_insert(recorded.chain);
            let ended = told.map_or_else(|| is_end(&now, &recorded), |all| found.len() >= all);
            taken.push(recorded);
            if ended {
                break;
            }
        }
        self.found.append(&mut found);
        self.taken.append(&mut taken);
        Some(rewritten(now, steps))
    }
}

impl Ended {
    /// How much more is computed is told of this program, and not of the one that the last guide led to.
    pub(super) fn compares_with(&mut self, given: &Term) {
        let own = [&mut self.report].into_iter().chain(self.examined.iter_mut().map(|e| &mut e.report));
        for report in own {
            if let Outcome::Found(found) = &mut report.outcome {
                found.times = amount(given).and_then(|given| times(&found.term, given));
            }
        }
    }

    /// It was the last of so many that were made for a goal, and stands for all of them.
    pub(super) fn is_of_many(&mut self, searches: usize, goal: &str) {
        let outcome = &mut self.outcome;
        (outcome.iteration, outcome.rule, outcome.matches) = (searches, None, 0);
        outcome.sketch = goal.to_owned();
    }
}

/// The programs of a search that ended when it had so many, and more of its graph, up to so many. They are those of a search that
/// asks for as many as these are: it ends in the same place.
fn programs(search: &Search, wanted: usize, most: usize, over: &dyn Fn() -> bool) -> KBest {
    let mut asked = most.max(wanted);
    loop {
        let best = search.best_until(asked, over);
        let there = best.terms.len().max(wanted);
        if there >= asked || over() {
            return best;
        }
        asked = there;
    }
}

/// The options that hold of each of several searches for one goal, as text behind others.
fn shared_options(options: &[(ast::Ident, ast::Strategy)]) -> String {
    let shared =
        options.iter().filter(|(name, _)| matches!(&*name.kind, "dims" | "size" | "normal" | "cost"));
    let written = shared.map(|(name, value)| {
        format!(", {}: {}", name.kind, print::strategy(value, &print::Options::default()))
    });
    written.collect()
}

/// What a search did, as a step of a rewriting; none where what it began with was like its sketch already.
fn step(before: Term, after: Term) -> Option<Step> {
    (before != after).then(|| Step {
        rule: REACH.into(),
        args: vec![],
        right_to_left: false,
        at: Path::root(),
        before,
        after,
    })
}

fn rewritten(term: Term, steps: Vec<Step>) -> Rewritten {
    let assumed = crate::lang::infer::constraints_of(&term);
    let paths = PathMap::rewrite(Path::root(), vec![]);
    Rewritten { term, paths, steps, assumed, counts: Counts::default(), asked_sizes: false }
}

/// What stands behind the rule of a rewrite that was found from right to left.
pub const FROM_THE_RIGHT: &str = ", from right to left,";

/// A rewrite of a derivation. One that was found from right to left says so.
fn single(rule: String, marks: Marks, reversed: bool, at: &Path, after: &Term) -> RevisionStep {
    let rule = if reversed { format!("{rule}{FROM_THE_RIGHT}") } else { rule };
    RevisionStep { rule, marks, at: at.clone(), after: after.clone() }
}

/// Where a search ended that may go on.
fn ended_at(report: &Report, budget: &Budget) -> Paused {
    Paused {
        iteration: report.stop.iteration,
        rule: report.rules.get(report.stop.rule).map(|r| r.label.clone()),
        matches: report.stop.matches,
        nodes: budget.nodes,
        held: budget.held.clone(),
        given_back: matches!(report.outcome, Outcome::Limit(Limit::Memory { .. })),
    }
}

/// As a search takes it.
fn pause(p: &Paused) -> (Pause, Option<String>) {
    let at = StopPoint { iteration: p.iteration, rule: 0, matches: p.matches };
    let pause = Pause { at, nodes: p.nodes, held: p.held.clone(), given_back: p.given_back };
    (pause, p.rule.clone())
}

fn outcome(sketch: &str, report: &Report, trail: Option<Vec<TrailStep>>) -> SearchOutcome {
    let stop = match &report.outcome {
        Outcome::Found(_) => "found".to_string(),
        Outcome::Impossible => "saturated".to_string(),
        Outcome::Incomplete(_) => "incomplete".to_string(),
        Outcome::Limit(limit) => limit.to_string(),
        Outcome::Stopped => "stopped".to_string(),
        Outcome::Broken(d) => d.message.clone(),
    };
    SearchOutcome {
        sketch: sketch.to_string(),
        iteration: report.stop.iteration,
        rule: report.rules.get(report.stop.rule).map(|r| r.label.clone()),
        matches: report.stop.matches,
        paused: vec![],
        stop,
        nodes: report.nodes,
        classes: report.classes,
        found: report.found().map(|f| f.term.digest()),
        trail,
        chain: None,
        no_trail: None,
        untold: None,
    }
}

/// Memory that the process holds, in bytes; 0 where the system does not tell. It is asked thousands of times a second, so the
/// file stays open.
pub(super) fn resident_bytes() -> u64 {
    static STATM: LazyLock<Option<File>> = LazyLock::new(|| File::open("/proc/self/statm").ok());
    let mut text = [0; 128];
    let read = STATM.as_ref().and_then(|file| file.read_at(&mut text, 0).ok()).unwrap_or(0);
    let text = std::str::from_utf8(&text[..read]).unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|p| p.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(4096)
}
