//! How a search got to its term, as rule applications: what replays without an e-graph.
//!
//! The search is run once more, exactly, and this time writes down both sides of every match that made two classes
//! one, as terms. These equations are enough to prove that the found term equals the start. The few that the proof
//! needs are asked of the rules themselves; the trail is a list of rewrites, each a rule from left to right or from
//! right to left, each checked against the rule.

use super::closure::{Closure, Rewrite};
use super::driver::{BETA, ETA, Witness};
use super::normal::{Redex, Reduction, all_params, normal_form_with, reduce, reductions, written_params};
use super::{Budget, Control, Found, Report, Search};
use crate::lang::constraint::SizeConstraint;
use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};
use crate::rewrite::rule::{RuleArg, RuleUse};
use crate::rewrite::sketch::Sketch;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A rule application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrailStep {
    pub rule: Name,
    pub args: Vec<RuleArg>,
    /// Where in the whole program.
    pub at: Path,
    /// The rule was used from right to left: it rewrites `after` to `before`.
    pub reverse: bool,
    /// The sub-term before and after.
    pub before: Term,
    pub after: Term,
}

/// The way from the start to the found term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trail {
    pub steps: Vec<TrailStep>,
    /// What the rules assumed of sizes.
    pub assumed: Vec<SizeConstraint>,
}

/// Why there is no trail, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoTrail(pub String);

/// Searches with more unions take too much memory to be written down.
pub const MAX_WITNESSES: usize = 300_000;

/// The trail of a search that found a term.
///
/// # Errors
/// When the search is too large to be written down, was stopped, or a rule does not repeat its step on a term.
pub fn trail(
    start: &Term,
    sketch: &Sketch,
    rules: &[RuleUse],
    budget: &Budget,
    report: &Report,
    control: &Control<'_>,
) -> Result<Trail, NoTrail> {
    let no = |why: &str| NoTrail(why.to_owned());
    let goal = report.found().ok_or_else(|| no("The search has found no term."))?;
    let unions: usize = report.iterations.iter().map(|i| i.unions).sum();
    if unions > MAX_WITNESSES {
        return Err(NoTrail(format!("The search made {unions} unions, too many to write down.")));
    }
    let budget = Budget { stop_at: Some(report.stop), ..budget.clone() };
    let mut search = Search::new(start, sketch, rules, &budget).map_err(|d| NoTrail(d.message))?;
    search.write_down();
    // What the first search told stays true; the second has nothing new to say.
    let mut silent =
        Control { cancel: control.cancel, now: control.now, rss: control.rss, progress: &mut |_| {} };
    let again = search.run(&mut silent);
    match again.found() {
        Some(Found { extracted, .. }) if *extracted == goal.extracted => {}
        _ => return Err(no("The search was not repeated to its end.")),
    }
    let begin = search.start().clone();
    let mut book = Equations::default();
    for w in needed(search.witnesses(), &begin, &goal.extracted)? {
        book.add(w, rules)?;
    }
    let mut walk = Walk::new(start.clone());
    walk.reductions(&begin, &all_params(start))?;
    for step in book.way(&begin, &goal.extracted)? {
        walk.step(step)?;
    }
    walk.reductions(&goal.term, &written_params(start))?;
    walk.finish(&goal.term, rules)
}

/// The few of many witnesses that prove two terms equal, in the order in which they were found: only these are worth
/// asking the rules again.
fn needed<'w>(witnesses: &'w [Witness], from: &Term, to: &Term) -> Result<Vec<&'w Witness>, NoTrail> {
    let mut closure = Closure::default();
    for (i, w) in witnesses.iter().enumerate() {
        let (a, b) = (closure.add(&w.left), closure.add(&w.right));
        closure.equate(a, b, i as u32);
    }
    let used: BTreeSet<u32> = way(&mut closure, from, to)?.iter().map(|s| s.equation).collect();
    Ok(used.into_iter().filter_map(|i| witnesses.get(i as usize)).collect())
}

fn way(closure: &mut Closure, from: &Term, to: &Term) -> Result<Vec<Rewrite>, NoTrail> {
    let (a, b) = (closure.add(from), closure.add(to));
    closure.explain(a, b).map_err(|_| NoTrail("The way is too long to be written down.".to_owned()))
}

/// An equation between terms that a rule gave.
struct Ground {
    rule: Name,
    args: Vec<RuleArg>,
    left: Term,
    right: Term,
}

#[derive(Default)]
struct Equations {
    list: Vec<Ground>,
    closure: Closure,
}

impl Equations {
    fn add(&mut self, w: &Witness, rules: &[RuleUse]) -> Result<(), NoTrail> {
        let Some(r) = rules.iter().find(|r| r.to_string() == w.rule) else {
            // One of the two reductions that every search has.
            self.push(&w.rule, vec![], &w.left, &w.right);
            return Ok(());
        };
        let applied = r.rule.apply(&w.left, &r.args);
        let applied =
            applied.map_err(|why| NoTrail(format!("`{r}` does not repeat its step on a term: {why}.")))?;
        self.push(&r.rule.name, r.args.clone(), &w.left, &applied.term);
        // Rules reduce at once what the e-graph leaves to beta reduction.
        let mut redexes = vec![];
        if !bridge(&w.right, &applied.term, &mut redexes, 0) {
            return Err(NoTrail(format!("`{r}` gives one term here and another in the search.")));
        }
        for (left, right) in redexes {
            self.push(BETA, vec![], &left, &right);
        }
        Ok(())
    }

    fn push(&mut self, rule: &str, args: Vec<RuleArg>, left: &Term, right: &Term) {
        let (a, b) = (self.closure.add(left), self.closure.add(right));
        if a != b {
            self.closure.equate(a, b, self.list.len() as u32);
            self.list.push(Ground { rule: rule.into(), args, left: left.clone(), right: right.clone() });
        }
    }

    fn way(&mut self, from: &Term, to: &Term) -> Result<Vec<TrailStep>, NoTrail> {
        Ok(way(&mut self.closure, from, to)?
            .into_iter()
            .map(|s| {
                let g = &self.list[s.equation as usize];
                let (before, after) = if s.reverse { (&g.right, &g.left) } else { (&g.left, &g.right) };
                TrailStep {
                    rule: g.rule.clone(),
                    args: g.args.clone(),
                    at: s.at,
                    reverse: s.reverse,
                    before: before.clone(),
                    after: after.clone(),
                }
            })
            .collect())
    }
}

/// The beta reductions that lead from `a` to `b`, if nothing else does: redexes and what they become.
fn bridge(a: &Term, b: &Term, out: &mut Vec<(Term, Term)>, depth: usize) -> bool {
    if a == b {
        return true;
    }
    if depth > 1000 {
        return false;
    }
    let mark = out.len();
    let inside = match (a.expr(), b.expr()) {
        (Expr::App(f, e), Expr::App(g, h)) => bridge(f, g, out, depth + 1) && bridge(e, h, out, depth + 1),
        (Expr::Lam(_, s), Expr::Lam(_, t)) => bridge(s, t, out, depth + 1),
        _ => false,
    };
    if inside {
        return true;
    }
    out.truncate(mark);
    let (head, args) = a.spine();
    let Some((first, rest)) = args.split_first() else { return false };
    let redex = Term::app(head.clone(), (*first).clone());
    let Some((Redex::Beta, reduced)) = reduce(&redex) else { return false };
    out.push((redex, reduced.clone()));
    let next = Term::apps(reduced, rest.iter().map(|t| (*t).clone()));
    bridge(&next, b, out, depth + 1)
}

/// A way through terms, on which no term comes twice.
struct Walk {
    terms: Vec<Term>,
    steps: Vec<TrailStep>,
    /// Where each term stands.
    seen: FxHashMap<Digest, usize>,
}

impl Walk {
    fn new(start: Term) -> Walk {
        let seen = [(start.digest(), 0)].into_iter().collect();
        Walk { terms: vec![start], steps: vec![], seen }
    }

    fn here(&self) -> &Term {
        &self.terms[self.terms.len() - 1]
    }

    fn step(&mut self, step: TrailStep) -> Result<(), NoTrail> {
        let broken = || NoTrail("A step does not follow from the one before.".to_owned());
        if self.here().at(&step.at) != Some(&step.before) {
            return Err(broken());
        }
        let next = self.here().replace_at(&step.at, step.after.clone()).ok_or_else(broken)?;
        if let Some(before) = self.seen.get(&next.digest()).copied() {
            for t in self.terms.drain(before + 1..) {
                self.seen.remove(&t.digest());
            }
            self.steps.truncate(before);
            return Ok(());
        }
        self.seen.insert(next.digest(), self.terms.len());
        self.terms.push(next);
        self.steps.push(step);
        Ok(())
    }

    /// Reduces to a term in normal form but for its parameters, outside in.
    fn reductions(&mut self, to: &Term, params: &[Name]) -> Result<(), NoTrail> {
        if self.here() == to || normal_form_with(params, self.here()).as_ref() != Some(to) {
            return Ok(());
        }
        let steps = reductions(self.here(), to, params);
        let steps = steps
            .ok_or_else(|| NoTrail("The steps of normalisation could not be written down.".to_owned()))?;
        for Reduction { redex, at, reverse, before, after } in steps {
            let rule = if redex == Redex::Beta { BETA } else { ETA };
            self.step(TrailStep { rule: rule.into(), args: vec![], at, reverse, before, after })?;
        }
        Ok(())
    }

    /// Asks every rule once more.
    fn finish(self, goal: &Term, rules: &[RuleUse]) -> Result<Trail, NoTrail> {
        if self.here() != goal {
            return Err(NoTrail("The way does not end at the term that was found.".to_owned()));
        }
        let mut assumed: Vec<SizeConstraint> = vec![];
        for s in &self.steps {
            let Some(r) = rules.iter().find(|r| r.rule.name == s.rule && r.args == s.args) else { continue };
            let (left, right) = if s.reverse { (&s.after, &s.before) } else { (&s.before, &s.after) };
            match r.rule.apply(left, &r.args) {
                Ok(done) if done.term == *right => {
                    for c in done.assumed {
                        if !assumed.contains(&c) {
                            assumed.push(c);
                        }
                    }
                }
                _ => return Err(NoTrail(format!("`{r}` does not repeat its step on a term."))),
            }
        }
        Ok(Trail { steps: self.steps, assumed })
    }
}
