//! A search that makes its guides and chooses its rules itself: searches one after the other, each from what the one
//! before found towards the next of the sketches that lie between the program and the goal ([`guide`]).
//!
//! Each way is first walked with few rules, and left where a guide is not reached; where no way leads to the goal, each is
//! walked with all rules, and a guide that is not reached is left out. What came of it is recorded search by search, so it
//! is taken again like searches that a strategy writes.

use super::action::SearchOutcome;
use super::searching::{Asked, Ended, SearchKey, Searcher};
use crate::lang::digest::Digest;
use crate::lang::nat::Nat;
use crate::lang::term::Term;
use crate::rewrite::egraph::Filter;
use crate::rewrite::guide::{self, Breadth, Filled, Guide, Writer};
use crate::rewrite::rule::{Rewritten, RuleUse};
use crate::rewrite::search::forecast::unmet;
use crate::rewrite::search::{Budget, Held, Limit, Outcome, Report, deepest};
use crate::rewrite::sketch::Sketch;
use crate::rewrite::strategy::{ReachRequest, SearchFailure};
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

/// A guide, to be shown while searches run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuideLine {
    pub text: String,
    pub what: String,
    pub reached: bool,
}

/// How a search towards a guide can be written.
#[derive(Clone, Debug)]
pub struct Made {
    /// The sketch, as text that reads back.
    pub sketch: String,
    /// What is new in it.
    pub what: String,
    /// The rules that were chosen.
    pub rules: Vec<RuleUse>,
    pub nodes: usize,
    /// What else was asked of the search, as options behind others.
    pub options: String,
    /// And what may be left away where it finds the same without.
    pub exact: String,
    /// Which rules of the library were held back.
    pub held: Vec<Held>,
    /// It is the goal itself.
    pub is_goal: bool,
}

/// What tells the search from one that takes the first program that it finds, without views that cancel out.
fn exact(bounds: &Budget) -> String {
    let views = (bounds.normal && !bounds.clears).then_some(", views: kept".to_owned());
    let best = (bounds.best > 1).then(|| format!(", best: {}", bounds.best));
    let rank = (bounds.rank > 1).then(|| format!(", rank: {}", bounds.rank));
    [views, best, rank].into_iter().flatten().collect()
}

/// What is asked of all searches for a goal.
pub(super) struct Shared {
    /// As options behind others.
    pub options: String,
    /// The bound of nodes, where the user gives one.
    pub nodes: Option<usize>,
    /// The user says how deeply arrays may be nested.
    pub gives_dims: bool,
}

/// Nodes of a search towards a guide, and towards the goal: of few rules, and of many.
fn nodes_of(breadth: Breadth) -> (usize, usize) {
    match breadth {
        Breadth::Exchanges => (10_000, 10_000),
        Breadth::Tight => (60_000, 60_000),
        Breadth::Narrow => (20_000, 60_000),
        Breadth::Makers => (20_000, 20_000),
        Breadth::Wide => (40_000, MOST_NODES),
    }
}

/// The most nodes of a search, where the user gives no bound. One that is larger raises all others in proportion.
const MOST_NODES: usize = 300_000;

/// The nodes of a search that is only to show what there is.
const FEW_NODES: usize = 5_000;

/// How long other sizes are looked for once a program was found that those that are given do not fit.
const FOR_OTHERS: Duration = Duration::from_secs(5);

/// What is said of sizes that are left open and by which loops would be split.
const UNNAMED: &str = "The sketch has more loops than the program, and `?` in the place of a size says nothing of which loop is split: name \
                       such sizes, as in `containsMap(n/?t, containsMap(?t, ?))`, and numbers are tried for them.";

/// What can be done where no rule makes what is asked for.
const OWN_RULE: &str =
    "Leave it out of the sketch, or write a rule that makes it into a file of rules beside the program.";

/// One way to a goal while it is walked.
#[derive(Default)]
struct Way {
    /// With all rules where those that are chosen first do not lead to a guide, which is then left out; else it is left to other
    /// ways.
    thorough: bool,
    chain: Vec<Ended>,
    lines: Vec<GuideLine>,
    /// The last search that found nothing.
    failed: Option<Ended>,
}

impl Way {
    /// The program that a search has found.
    fn reach(&mut self, ended: Ended) -> Option<Term> {
        let found = ended.report.found().map(|found| found.term.clone());
        self.chain.push(ended);
        self.lines.iter_mut().rev().take(1).for_each(|line| line.reached = true);
        found
    }
}

/// A sketch to be reached next.
struct Target<'a> {
    text: String,
    sketch: Sketch,
    guide: &'a Guide,
    is_goal: bool,
}

/// What has been done for all ways together.
struct Account {
    /// What was tried in vain.
    vain: HashSet<(Digest, String, Breadth)>,
    /// What led to a guide, by the program it began at and the guide.
    reached: HashMap<(Digest, String), Ended>,
    /// Searches that came to an end.
    ended: usize,
    /// After so many of them it is to stop.
    most: usize,
    /// The user's limit that ended one of them.
    limited: Option<Limit>,
    /// When time is over.
    until: Duration,
    asked: Shared,
    /// No sizes in the place of the goal's holes are known to meet what it says of them.
    undecided: bool,
    /// How deeply arrays may be nested.
    most_dims: u8,
    /// What they came to.
    known: Vec<(SearchKey, Ended)>,
    /// Whether none of those for the goal had rules that may make what it asks for, once there was one.
    never: Option<bool>,
}

/// Why a way was not walked to its end.
enum Halt {
    /// The goal is not reached on it.
    Away,
    /// Time or memory are used up, or the record ends here.
    Over(Limit),
    Failure(SearchFailure),
}

impl Account {
    /// The most nodes of a search for the goal.
    fn most_nodes(&self) -> usize {
        self.asked.nodes.unwrap_or(MOST_NODES)
    }

    /// The limit that ended a search, where it is one of all searches and not only of those towards a guide.
    fn own_limit(&self, report: &Report) -> Option<Limit> {
        match &report.outcome {
            Outcome::Limit(limit @ Limit::Iterations { .. }) => Some(*limit),
            Outcome::Limit(limit @ Limit::Nodes { bound, .. }) => {
                (*bound == self.most_nodes()).then_some(*limit)
            }
            _ => None,
        }
    }
}

impl Searcher<'_> {
    /// Searches for the goal by guides that are made on the way. The goal comes with what asked for it, which has the values of
    /// sizes as far as they are given. With holes, programs that these do not fit are the last that is meant.
    ///
    /// # Errors
    /// The goal was not reached, or a search is refused.
    pub(super) fn guided(
        &mut self,
        start: &Term,
        (goal, request): (&Sketch, &ReachRequest<'_>),
        budget: &Budget,
        asked: Shared,
        recorded: Option<&SearchOutcome>,
    ) -> Result<Rewritten, SearchFailure> {
        let given = &|n: &Nat| request.given(n);
        if let Some(text) = guide::unmade(goal, start, &self.workspace().rules, given) {
            return Err(SearchFailure::NotFound { text, hints: vec![OWN_RULE.to_owned()] });
        }
        let recorded = recorded.filter(|r| r.found.is_none());
        let mut account = Account {
            vain: HashSet::new(),
            reached: HashMap::new(),
            ended: 0,
            most: recorded.map_or(usize::MAX, |r| r.iteration),
            until: self.elapsed().saturating_add(budget.time),
            undecided: false,
            most_dims: if asked.gives_dims { 0 } else { guide::most_dims(goal, start) },
            asked,
            limited: None,
            known: vec![],
            never: None,
        };
        let (mut nearest, mut unfit): (Option<Way>, Option<(Vec<Ended>, Filled)>) = (None, None);
        let mut over = None;
        let separated = guide::separated(&self.workspace().rules, start);
        let fillings = guide::filled(goal, start, given);
        let (all, mut begun) = (fillings.len(), 0);
        account.undecided = all == 1 && goal.undecided(given).is_some();
        let ways = fillings.into_iter().enumerate().flat_map(|(number, filled)| {
            let plans = guide::plans(&filled.goal, start, &separated, given);
            let all = [false, true].into_iter().flat_map(|thorough| plans.iter().map(move |p| (thorough, p)));
            let all = all.map(|(thorough, plan)| (number + 1, filled.clone(), plan.clone(), thorough));
            all.collect::<Vec<_>>()
        });
        for (number, filled, plan, thorough) in ways {
            begun = number;
            let mut way = Way { thorough, ..Way::default() };
            match self.walk(start, &filled.goal, &plan, budget, &mut account, &mut way) {
                Ok(()) => {
                    way.chain.iter_mut().rev().take(1).for_each(|last| last.compares_with(start));
                    if self.fits(&way.chain, request) {
                        return Ok(self.keep_filled(start, way.chain, filled));
                    }
                    if unfit.is_none() {
                        unfit = Some((way.chain, filled));
                        account.until = account.until.min(self.elapsed().saturating_add(FOR_OTHERS));
                    }
                }
                Err(Halt::Failure(failure)) => {
                    self.keep_made(account.known);
                    if matches!(failure, SearchFailure::Stopped) {
                        self.tell_guides(&mut way.chain);
                    }
                    self.leave_all(way.failed, account.ended, goal);
                    return Err(failure);
                }
                Err(halt) => {
                    let far = |way: &Way| (way.chain.len(), way.thorough);
                    if nearest.as_ref().is_none_or(|n| far(n) < far(&way)) {
                        nearest = Some(way);
                    }
                    if let Halt::Over(why) = halt {
                        over = Some(why);
                        break;
                    }
                }
            }
        }
        if let Some((chain, filled)) = unfit {
            return Ok(self.keep_filled(start, chain, filled));
        }
        let way = nearest.unwrap_or_default();
        // What is shown is the search that came nearest: of limits that ended several, its own is told.
        let shown = way.failed.as_ref().and_then(|failed| account.own_limit(&failed.report));
        let limited = over.or(shown).or(account.limited);
        let other = shown.filter(|limit| over.is_some_and(|over| discriminant(&over) != discriminant(limit)));
        let mut text = match limited {
            Some(why) => match other {
                Some(other) => {
                    format!(
                        "Not found within the bounds: {why}, and in the search that came nearest {other}."
                    )
                }
                None => format!("Not found within the bounds: {why}."),
            },
            None => {
                "Not found with the guides and rules that the search chose; others may lead there.".to_owned()
            }
        };
        let guides = way.lines.len().saturating_sub(1);
        let reached = way.lines.iter().filter(|l| l.reached).count();
        if let (1.., Some(line)) = (guides, way.lines.iter().find(|l| !l.reached)) {
            let made = if guides == 1 { "one guide".to_owned() } else { format!("{guides} guides") };
            text += &match reached {
                all if all == guides => format!(" It reached {made}, and from there the goal was not found."),
                _ => format!(" Of {made} it reached {reached}; the first that it did not is {}.", line.text),
            };
        }
        if over.is_some() {
            self.keep_made(account.known);
        }
        let before = limited.and_then(|limit| way.failed.as_ref()?.report.before(limit));
        let unmoved = way.failed.as_ref().and_then(|failed| failed.report.unmoved());
        self.leave_all(way.failed, account.ended, goal);
        let options = limited.filter(|_| account.never != Some(true)).map(|limit| match other {
            Some(other) => format!("{}, {}", limit.doubled(), other.doubled()),
            None => limit.doubled(),
        });
        let raise = options.map(|options| match (&unmoved, other) {
            (Some(unmoved), _) => unmoved.told(&options),
            (None, Some(_)) => format!("Raise these limits, as in `with ({options})`."),
            (None, None) => format!("Raise that limit, as in `with ({options})`."),
        });
        // The last way to fill holes is to leave them.
        let holes = (all > 1).then(|| {
            let likely = all - 1;
            let tried = if begun < likely { format!("{begun} of {likely}") } else { format!("all {likely}") };
            format!(
                "Sizes in the place of its holes were tried in {tried} ways that seem likely: write others into the sketch."
            )
        });
        let own = [
            "`reach SKETCH using RULES` takes the rules that you choose; a `reach` before it, of a sketch half way, is a \
             guide."
                .to_owned(),
        ];
        let unmade = (account.never == Some(true)).then(|| OWN_RULE.to_owned());
        let open = guide::leaves_parts_open(goal, start).then(|| UNNAMED.to_owned());
        let hints =
            unmade.into_iter().chain(open).chain(holes).chain(raise).chain(before).chain(own).collect();
        Err(SearchFailure::NotFound { text, hints })
    }

    /// Keeps the searches that led to a goal with sizes in the place of its holes.
    fn keep_filled(&mut self, start: &Term, chain: Vec<Ended>, goal: Filled) -> Rewritten {
        let mut found = self.keep(start, chain);
        self.assume(&mut found, goal.untold.into_iter());
        found
    }

    /// Do the sizes that are given meet what the program that was found asks?
    fn fits(&self, chain: &[Ended], request: &ReachRequest<'_>) -> bool {
        let found = chain.last().and_then(|ended| ended.report.found());
        let broken = |(term, sizes)| self.workspace().broken(term, sizes).is_some();
        !found.map(|found| &found.term).zip(request.known).is_some_and(broken)
    }

    /// What the searches for guides that were reached know of is told where that for the next one was stopped.
    fn tell_guides(&mut self, reached: &mut [Ended]) {
        self.tell(reached.iter_mut().filter_map(|ended| ended.examined.take()));
    }

    /// Records that so many searches did not get to the goal, of which this was one.
    fn leave_all(&mut self, failed: Option<Ended>, ended: usize, goal: &Sketch) {
        if let Some(mut failed) = failed {
            failed.is_of_many(ended, &goal.to_string());
            self.leave(failed);
        }
    }

    /// From guide to guide to the goal.
    fn walk(
        &self,
        start: &Term,
        goal: &Sketch,
        plan: &[Guide],
        budget: &Budget,
        account: &mut Account,
        way: &mut Way,
    ) -> Result<(), Halt> {
        let workspace = self.workspace();
        let writer = Writer::new(&workspace.sketches, &workspace.program.sizes);
        let mut now = start.clone();
        let Some((last, guides)) = plan.split_last() else { return Err(Halt::Away) };
        for guide in guides {
            if goal.satisfied_by(&now) {
                break;
            }
            let (text, sketch) = writer.write(&guide.nest);
            if !sketch.satisfied_by(&now) {
                let target = Target { text, sketch, guide, is_goal: false };
                now = match self.towards(&now, &target, budget, account, way)? {
                    Some(reached) => reached,
                    None if way.thorough => now,
                    None => return Err(Halt::Away),
                };
            }
        }
        let target = Target { text: goal.to_string(), sketch: goal.clone(), guide: last, is_goal: true };
        self.towards(&now, &target, budget, account, way)?.map(drop).ok_or(Halt::Away)
    }

    /// What satisfies the next sketch, if it is found within its bounds.
    fn towards(
        &self,
        now: &Term,
        target: &Target<'_>,
        budget: &Budget,
        account: &mut Account,
        way: &mut Way,
    ) -> Result<Option<Term>, Halt> {
        let Target { text, sketch, guide, is_goal } = target;
        way.lines.push(GuideLine { text: text.clone(), what: guide.what.clone(), reached: false });
        let from = (now.digest(), text.clone());
        if let Some(reached) = account.reached.get(&from).cloned() {
            return Ok(way.reach(reached));
        }
        let goal_sizes = guide::sizes_of(sketch);
        let step =
            guide::Step { sketch, sizes: &guide.sizes, makes: &guide.makes, exchanges: guide.exchanges };
        let breadths = guide::breadths(&self.workspace().rules, now, &step);
        let all = way.thorough || guide.wide;
        let is_tried = |breadth: &Breadth| match breadth {
            Breadth::Exchanges | Breadth::Tight | Breadth::Narrow => true,
            // What a guide asks for is there, or made on the way to it.
            Breadth::Makers => all && *is_goal,
            Breadth::Wide => all,
        };
        for (i, breadth) in breadths.iter().copied().enumerate().filter(|(_, b)| is_tried(b)) {
            // Few rules take little time.
            let takes_long = |b: &&Breadth| *b != &Breadth::Makers;
            let behind = breadths.iter().skip(i + 1).filter(takes_long).count();
            let (few, many) = nodes_of(breadth);
            // To choose rules takes a while, too.
            if self.is_cancelled() {
                return Err(Halt::Failure(SearchFailure::Stopped));
            }
            if account.vain.contains(&(now.digest(), text.clone(), breadth)) {
                continue;
            }
            let left = account.until.saturating_sub(self.elapsed());
            if left.is_zero() || account.ended >= account.most {
                return Err(Halt::Over(Limit::Time { bound: budget.time }));
            }
            let (nodes, best, rank) = if *is_goal { (many, budget.best, budget.rank) } else { (few, 1, 1) };
            let most = account.most_nodes();
            let nodes = nodes.saturating_mul(most.max(MOST_NODES)) / MOST_NODES;
            // A breadth whose rules do not get there leaves time to those behind it.
            let time = left / u32::try_from(behind + 1).unwrap_or(1);
            let clears = *is_goal && budget.clears;
            // One loop more at a time.
            let dims = budget.filter.dims.max(account.most_dims.min(deepest(now).saturating_add(1)));
            let filter = Filter { dims, ..budget.filter };
            let bounds =
                Budget { nodes: nodes.min(most), time, filter, best, rank, clears, ..budget.clone() };
            let of_guide = matches!(breadth, Breadth::Exchanges | Breadth::Narrow);
            let sizes = if *is_goal && !of_guide { &goal_sizes } else { &guide.sizes };
            let step = guide::Step { sizes, ..step };
            let rules = guide::rules(&self.workspace().rules, now, &step, breadth);
            let never =
                unmet(sketch, now, &rules, &self.workspace().rules).is_some_and(|forecast| forecast.never);
            if never && (behind > 0 || way.failed.is_some()) {
                continue;
            }
            if *is_goal {
                account.never = Some(never && account.never != Some(false));
            }
            // What these rules never make, or what nobody knows to be there, is looked for once, so that what there is instead can be
            // shown.
            let few = never || account.undecided;
            let bounds =
                Budget { nodes: if few { bounds.nodes.min(FEW_NODES) } else { bounds.nodes }, ..bounds };
            let guides = Arc::new(way.lines.clone());
            let asked = Asked {
                start: now,
                sketch,
                rules: &rules,
                budget: &bounds,
                guides: &guides,
                // That of a guide would only stand in the way of the next search.
                shelf: self.shelf().filter(|_| *is_goal),
                goes_on: false,
                // Rules that these lack may be among those that are tried after them.
                warns: behind == 0,
            };
            let refused = |problem| Halt::Failure(SearchFailure::Invalid(Box::new(problem)));
            let mut ended = self.made(&asked, &mut account.known).map_err(refused)?;
            let within_all = |report: &mut Report| {
                report.chosen = true;
                report.most_nodes = most;
                report.most_time = budget.time;
                // What was left of the time is not what was given.
                if let (0, Outcome::Limit(Limit::Time { bound })) = (behind, &mut report.outcome) {
                    *bound = budget.time;
                }
            };
            within_all(&mut ended.report);
            if let Some(examined) = &mut ended.examined {
                within_all(&mut examined.report);
                examined.guide = Some(Made {
                    sketch: text.clone(),
                    what: guide.what.clone(),
                    rules,
                    nodes: bounds.nodes,
                    options: match dims == budget.filter.dims {
                        true => account.asked.options.clone(),
                        false => format!("{}, dims: {dims}", account.asked.options),
                    },
                    exact: exact(&bounds),
                    held: bounds.held.clone(),
                    is_goal: *is_goal,
                });
            }
            let halt = match &ended.report.outcome {
                Outcome::Found(_) => {
                    account.ended += 1;
                    account.reached.insert(from, ended.clone());
                    return Ok(way.reach(ended));
                }
                // What one search held is given back before the next.
                Outcome::Limit(limit @ Limit::Memory { .. }) => {
                    account.limited = Some(*limit);
                    None
                }
                Outcome::Limit(Limit::Nodes { .. } | Limit::Iterations { .. }) => {
                    account.limited = account.own_limit(&ended.report).or(account.limited.take());
                    None
                }
                Outcome::Impossible | Outcome::Incomplete(_) => None,
                Outcome::Limit(Limit::Time { .. }) if behind > 0 => None,
                Outcome::Limit(Limit::Time { .. }) => Some(Halt::Over(Limit::Time { bound: budget.time })),
                Outcome::Stopped => Some(Halt::Failure(SearchFailure::Stopped)),
                Outcome::Broken(problem) => Some(Halt::Failure(SearchFailure::Invalid(problem.clone()))),
            };
            way.failed = Some(ended);
            if let Some(halt) = halt {
                return Err(halt);
            }
            account.ended += 1;
            account.vain.insert((now.digest(), text.clone(), breadth));
        }
        Ok(None)
    }
}
