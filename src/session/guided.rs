//! A search that makes its guides and chooses its rules itself: searches one after the other, each from what the one
//! before found towards the next of the sketches that lie between the program and the goal ([`guide`]).
//!
//! A guide that is not reached within its bounds is left out; where the goal is not, the next reading of the goal is
//! tried. What came of it is recorded search by search, so it is taken again like searches that a strategy writes.

use super::action::SearchOutcome;
use super::searching::{Asked, Ended, Searcher};
use crate::lang::digest::Digest;
use crate::lang::term::Term;
use crate::rewrite::guide::{self, Breadth, Guide, Writer};
use crate::rewrite::rule::{Rewritten, RuleUse};
use crate::rewrite::search::{Budget, Limit, Outcome};
use crate::rewrite::sketch::Sketch;
use crate::rewrite::strategy::SearchFailure;
use std::collections::HashSet;
use std::sync::Arc;

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
    /// It is the goal itself.
    pub is_goal: bool,
}

/// Nodes of a search towards a guide, and towards the goal: of few rules, and of many.
const NODES: [(Breadth, usize, usize); 2] =
    [(Breadth::Narrow, 20_000, 60_000), (Breadth::Wide, 40_000, 300_000)];

/// One way to a goal while it is walked.
#[derive(Default)]
struct Way {
    chain: Vec<Ended>,
    lines: Vec<GuideLine>,
    /// The last search that found nothing.
    failed: Option<Ended>,
}

/// What has been done for all ways together.
struct Account {
    /// What was tried in vain.
    vain: HashSet<(Digest, String, Breadth)>,
    /// Searches that came to an end.
    ended: usize,
    /// After so many of them it is to stop.
    most: usize,
    /// When time is over.
    until: std::time::Duration,
    /// What was asked of all of them, as options behind others.
    options: String,
}

/// Why a way was not walked to its end.
enum Halt {
    /// The goal is not reached on it.
    Away,
    /// Time or memory are used up, or the record ends here.
    Over(String),
    Failure(SearchFailure),
}

impl Searcher<'_> {
    /// Searches for the goal by guides that are made on the way.
    ///
    /// # Errors
    /// The goal was not reached, or a search is refused.
    pub(super) fn guided(
        &mut self,
        start: &Term,
        goal: &Sketch,
        budget: &Budget,
        options: String,
        recorded: Option<&SearchOutcome>,
    ) -> Result<Rewritten, SearchFailure> {
        let recorded = recorded.filter(|r| r.found.is_none());
        let mut account = Account {
            vain: HashSet::new(),
            ended: 0,
            most: recorded.map_or(usize::MAX, |r| r.iteration),
            until: self.elapsed().saturating_add(budget.time),
            options,
        };
        let mut nearest: Option<Way> = None;
        let mut over = None;
        for plan in guide::plans(goal, start) {
            let mut way = Way::default();
            match self.walk(start, goal, &plan, budget, &mut account, &mut way) {
                Ok(()) => return Ok(self.keep(start, way.chain)),
                Err(Halt::Failure(failure)) => return Err(failure),
                Err(halt) => {
                    if nearest.as_ref().is_none_or(|n| n.chain.len() < way.chain.len()) {
                        nearest = Some(way);
                    }
                    if let Halt::Over(why) = halt {
                        over = Some(why);
                        break;
                    }
                }
            }
        }
        let way = nearest.unwrap_or_default();
        let reached = way.lines.iter().filter(|l| l.reached).count();
        let mut text = match &over {
            Some(why) => format!("Not found within the bounds: {why}."),
            None => {
                "Not found with the guides and rules that the search chose; others may lead there.".to_owned()
            }
        };
        text +=
            &format!(" It made {} sketches on the way to the goal and reached {reached}", way.lines.len());
        text += &match way.lines.iter().find(|l| !l.reached) {
            Some(line) => format!("; not reached: {}.", line.text),
            None => ".".to_owned(),
        };
        if let Some(mut failed) = way.failed {
            failed.is_of_many(account.ended, &goal.to_string());
            self.leave(failed);
        }
        let hints = vec![
            "`reach SKETCH using RULES` takes the rules that you choose; a `reach` before it, of a sketch half way, is a \
             guide."
                .to_owned(),
        ];
        Err(SearchFailure::NotFound { text, hints })
    }

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
        let goal_sizes = guide::sizes_of(goal);
        let mut now = start.clone();
        for (i, guide) in plan.iter().enumerate() {
            let is_goal = i + 1 == plan.len();
            let (text, sketch) =
                if is_goal { (goal.to_string(), goal.clone()) } else { writer.write(&guide.nest) };
            let line = GuideLine { text: text.clone(), what: guide.what.clone(), reached: false };
            if sketch.satisfied_by(&now) && !(is_goal && way.chain.is_empty()) {
                continue;
            }
            way.lines.push(line);
            for (breadth, few, many) in NODES {
                if account.vain.contains(&(now.digest(), text.clone(), breadth)) {
                    continue;
                }
                let nodes = if is_goal { many } else { few }.min(budget.nodes);
                let left = account.until.saturating_sub(self.elapsed());
                if left.is_zero() || account.ended >= account.most {
                    return Err(Halt::Over(Limit::Time { bound: budget.time }.to_string()));
                }
                let best = if is_goal { budget.best } else { 1 };
                let bounds = Budget { nodes, time: left, best, ..budget.clone() };
                let sizes = if breadth == Breadth::Wide && is_goal { &goal_sizes } else { &guide.sizes };
                let step = guide::Step { sketch: &sketch, sizes, makes: &guide.makes };
                let rules = guide::rules(&workspace.rules, &now, &step, breadth);
                let guides = Arc::new(way.lines.clone());
                let asked =
                    Asked { start: &now, sketch: &sketch, rules: &rules, budget: &bounds, guides: &guides };
                let mut ended = self
                    .search(&asked, None)
                    .map_err(|problem| Halt::Failure(SearchFailure::Invalid(Box::new(problem))))?;
                if let Some(examined) = &mut ended.examined {
                    let what = guide.what.clone();
                    let options = account.options.clone();
                    examined.guide =
                        Some(Made { sketch: text.clone(), what, rules, nodes, options, is_goal });
                }
                match &ended.report.outcome {
                    Outcome::Found(found) => {
                        account.ended += 1;
                        now = found.term.clone();
                        way.chain.push(ended);
                        if let Some(line) = way.lines.last_mut() {
                            line.reached = true;
                        }
                        break;
                    }
                    Outcome::Broken(problem) => {
                        return Err(Halt::Failure(SearchFailure::Invalid(problem.clone())));
                    }
                    Outcome::Stopped => {
                        way.failed = Some(ended);
                        return Err(Halt::Failure(SearchFailure::Stopped));
                    }
                    Outcome::Limit(Limit::Time { .. }) => {
                        way.failed = Some(ended);
                        return Err(Halt::Over(Limit::Time { bound: budget.time }.to_string()));
                    }
                    Outcome::Limit(limit @ Limit::Memory { .. }) => {
                        let why = limit.to_string();
                        way.failed = Some(ended);
                        return Err(Halt::Over(why));
                    }
                    Outcome::Impossible | Outcome::Incomplete(_) | Outcome::Limit(_) => {
                        account.ended += 1;
                        account.vain.insert((now.digest(), text.clone(), breadth));
                        way.failed = Some(ended);
                    }
                }
            }
        }
        if goal.satisfied_by(&now) { Ok(()) } else { Err(Halt::Away) }
    }
}
