//! How a search got to its term, as rule applications: what replays without an e-graph.
//!
//! The graph has logged why ids are equal. A walk through that log gives the few unions that prove the found term equal
//! to the start, each of them both sides of a rule as terms; these are asked of the rules themselves. The trail is a list
//! of rewrites, each a rule from left to right or from right to left, each checked against the rule.

use super::closure::{Closure, NoProof};
use super::{Control, Report, Search};
use crate::clearing::Cleared;
use crate::egraph::log::{Reason, Renamed};
use crate::egraph::{Decoder, Id};
use crate::lang::constraint::SizeConstraint;
use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};
use crate::normal::{Redex, Reduction, all_params, normal_form_with, reduce, reductions, written_params};
use crate::rule::library::{BETA, ETA};
use crate::rule::{RuleArg, RuleUse};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
    /// The whole program after each step.
    pub programs: Vec<Term>,
    /// What the rules assumed of sizes.
    pub assumed: Vec<SizeConstraint>,
}

/// Why there is no trail, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoTrail(pub String);

/// How long a trail is worked on: as long as the search may take, from when it was found, and until it is stopped.
#[derive(Clone, Copy)]
struct Patience<'a> {
    cancel: &'a AtomicBool,
    now: &'a dyn Fn() -> Duration,
    until: Duration,
}

impl Patience<'_> {
    fn over(&self) -> Option<NoTrail> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(NoTrail("It was stopped while the way was written down.".to_owned()))
        } else if (self.now)() > self.until {
            Some(NoTrail("To write the way down takes longer than the search may take.".to_owned()))
        } else {
            None
        }
    }
    fn ask(&self) -> Result<(), NoTrail> {
        self.over().map_or(Ok(()), Err)
    }
}

/// The trail of a search that found a term; `given` is the program that it was given.
///
/// # Errors
/// When the way is too long to be written down, or takes too long, or a rule does not repeat its step on a term.
pub fn trail(
    search: &mut Search,
    given: &Term,
    report: &Report,
    control: &Control<'_>,
) -> Result<Trail, NoTrail> {
    let no = |why: &str| NoTrail(why.to_owned());
    let goal = report.found().ok_or_else(|| no("The search has found no term."))?;
    let proof = search.proof().ok_or_else(|| no("The log does not say how the term was found."))?;
    let begin = search.start().clone();
    let until = (control.now)().saturating_add(search.time());
    let patience = Patience { cancel: control.cancel, now: control.now, until };
    let (way, known) = {
        let mut book = Equations::new(search, patience);
        for time in proof {
            patience.ask()?;
            book.union(time, given, &begin)?;
        }
        let way = book.way(&begin, &goal.extracted)?;
        // The others are as many as the proof has unions.
        let of = |s: &TrailStep| {
            let left = if s.reverse { &s.after } else { &s.before };
            book.known.remove_entry(&(s.rule.clone(), s.args.clone(), left.clone()))
        };
        let known: Known = way.iter().filter_map(of).collect();
        (way, known)
    };
    let mut walk = Walk::new(given.clone(), patience);
    walk.reductions(&begin, &all_params(given))?;
    for step in way {
        walk.step(step)?;
    }
    let params = written_params(given);
    walk.reductions(&goal.term, &params)?;
    walk.clearing(&goal.cleared, &params)?;
    walk.sharing(&goal.term, &params)?;
    walk.finish(&goal.term, search, known)
}

/// What rules make of terms, with what they assume of sizes.
type Known = FxHashMap<(Name, Vec<RuleArg>, Term), (Term, Vec<SizeConstraint>)>;

/// An equation between terms that a rule gave.
struct Ground {
    rule: Name,
    args: Vec<RuleArg>,
    left: Term,
    right: Term,
}

/// The equations of a proof, in the order of its unions.
struct Equations<'s> {
    search: &'s Search,
    patience: Patience<'s>,
    /// Equations share most of their parts.
    decoder: RefCell<Decoder<'s>>,
    list: Vec<Ground>,
    closure: Closure,
    known: Known,
}

impl<'s> Equations<'s> {
    fn new(search: &'s Search, patience: Patience<'s>) -> Equations<'s> {
        let decoder = RefCell::new(search.graph().decoder());
        let (list, closure, known) = (vec![], Closure::default(), Known::default());
        Equations { search, patience, decoder, list, closure, known }
    }

    fn term(&self, id: Id) -> Result<Term, NoTrail> {
        let term = self.decoder.borrow_mut().term(id);
        term.ok_or_else(|| NoTrail("A term of the way is nested too deeply to be shown.".to_owned()))
    }

    /// Adds what a union of the log says.
    fn union(&mut self, time: u32, given: &Term, normal: &Term) -> Result<(), NoTrail> {
        let log = self.search.graph().log();
        let union = log.union_at(time);
        match union.reason() {
            // Follows from the others.
            Reason::Congruence => Ok(()),
            Reason::Given => self.reduced(given, normal),
            Reason::Rule(number) => {
                let (left, right) = (self.term(union.left)?, self.term(union.right)?);
                let missing = || NoTrail("The log names a rule that there is not.".to_owned());
                self.applied(self.search.rule(number).ok_or_else(missing)?, &left, &right)
            }
            Reason::Renamed(number) => self.renamed(&log.renamed[number as usize]),
        }
    }

    /// A program and its normal form.
    fn reduced(&mut self, given: &Term, normal: &Term) -> Result<(), NoTrail> {
        let steps = reductions(given, normal, &all_params(given)).ok_or_else(not_normalised)?;
        for s in steps {
            let (left, right) = if s.reverse { (&s.after, &s.before) } else { (&s.before, &s.after) };
            self.push(name_of(s.redex), vec![], left, right);
        }
        Ok(())
    }

    fn applied(&mut self, r: &RuleUse, left: &Term, right: &Term) -> Result<(), NoTrail> {
        let applied = r.rule.apply(left, &r.args);
        let applied =
            applied.map_err(|why| NoTrail(format!("`{r}` does not repeat its step on a term: {why}.")))?;
        self.push(&r.rule.name, r.args.clone(), left, &applied.term);
        // Rules reduce at once what the e-graph leaves to beta reduction.
        let mut redexes = vec![];
        if !bridge(right, &applied.term, &mut redexes, 0) {
            return Err(NoTrail(format!("`{r}` gives one term here and another in the search.")));
        }
        for (left, right) in redexes {
            self.push(BETA, vec![], &left, &right);
        }
        let of = (r.rule.name.clone(), r.args.clone(), left.clone());
        self.known.insert(of, (applied.term, applied.assumed));
        Ok(())
    }

    /// Two equal terms after a renaming: equal by the same steps, with their variables renamed.
    fn renamed(&mut self, renamed: &Renamed) -> Result<(), NoTrail> {
        let Renamed { of: (a, b), renaming, binders } = renamed;
        let (mut here, there) = (self.term(*a)?, self.term(*b)?);
        let broken = || NoTrail("A step does not hold of renamed variables.".to_owned());
        for step in self.way(&here, &there)? {
            self.patience.ask()?;
            let above = here.binders_at(&step.at).len() as u32;
            let of = |t: &Term| renaming.of_term(t, binders + above, &|id| self.term(id).ok());
            let (before, after) = (of(&step.before).ok_or_else(broken)?, of(&step.after).ok_or_else(broken)?);
            let (left, right) = if step.reverse { (after, before) } else { (before, after) };
            self.push(&step.rule, step.args.clone(), &left, &right);
            here = here.replace_at(&step.at, step.after).ok_or_else(broken)?;
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
        let (a, b) = (self.closure.add(from), self.closure.add(to));
        let way = self.closure.explain(a, b, &mut || self.patience.over().is_some());
        let way = way.map_err(|why| {
            let sentence = match why {
                NoProof::TooLong => "The way is too long to be written down.",
                NoProof::NotEqual => "The steps of the search do not lead to what it found.",
                NoProof::Stopped => "The way was not written down to its end.",
            };
            self.patience.over().unwrap_or_else(|| NoTrail(sentence.to_owned()))
        })?;
        Ok(way
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

fn name_of(redex: Redex) -> &'static str {
    match redex {
        Redex::Beta => BETA,
        Redex::Eta => ETA,
    }
}

fn not_normalised() -> NoTrail {
    NoTrail("The steps of normalisation could not be written down.".to_owned())
}

/// A way through terms, on which no term comes twice.
struct Walk<'a> {
    patience: Patience<'a>,
    terms: Vec<Term>,
    steps: Vec<TrailStep>,
    /// Where each term stands.
    seen: FxHashMap<Digest, usize>,
}

impl<'a> Walk<'a> {
    fn new(start: Term, patience: Patience<'a>) -> Walk<'a> {
        let seen = [(start.digest(), 0)].into_iter().collect();
        Walk { patience, terms: vec![start], steps: vec![], seen }
    }

    fn here(&self) -> &Term {
        &self.terms[self.terms.len() - 1]
    }

    fn step(&mut self, step: TrailStep) -> Result<(), NoTrail> {
        self.patience.ask()?;
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
        let steps = reductions(self.here(), to, params).ok_or_else(not_normalised)?;
        for Reduction { redex, at, reverse, before, after } in steps {
            self.step(TrailStep { rule: name_of(redex).into(), args: vec![], at, reverse, before, after })?;
        }
        Ok(())
    }

    /// Takes views away, in each step from the normal form.
    fn clearing(&mut self, steps: &[Cleared], params: &[Name]) -> Result<(), NoTrail> {
        for Cleared { rule, at, before, after, program } in steps {
            let normal = normal_form_with(params, self.here()).ok_or_else(not_normalised)?;
            self.reductions(&normal, params)?;
            self.step(TrailStep {
                rule: rule.rule.name.clone(),
                args: rule.args.clone(),
                at: at.clone(),
                reverse: false,
                before: before.clone(),
                after: after.clone(),
            })?;
            self.reductions(program, params)?;
        }
        Ok(())
    }

    /// Shares values again, up to a term whose normal form this is: its reductions from their end.
    fn sharing(&mut self, to: &Term, params: &[Name]) -> Result<(), NoTrail> {
        if self.here() == to {
            return Ok(());
        }
        let normal = normal_form_with(params, to).ok_or_else(not_normalised)?;
        self.reductions(&normal, params)?;
        let back = reductions(to, &normal, params).ok_or_else(not_normalised)?;
        for Reduction { redex, at, reverse, before, after } in back.into_iter().rev() {
            let (before, after, reverse) = (after, before, !reverse);
            self.step(TrailStep { rule: name_of(redex).into(), args: vec![], at, reverse, before, after })?;
        }
        Ok(())
    }

    /// Asks the rules of every step whose result is not known.
    fn finish(mut self, goal: &Term, search: &Search, mut known: Known) -> Result<Trail, NoTrail> {
        if self.here() != goal {
            return Err(NoTrail("The way does not end at the term that was found.".to_owned()));
        }
        let mut assumed: Vec<SizeConstraint> = vec![];
        for s in &self.steps {
            self.patience.ask()?;
            // The two reductions are steps of normal forms, which are right by themselves.
            let reduced = |redex| name_of(redex) == &*s.rule;
            if reduced(Redex::Beta) || reduced(Redex::Eta) {
                let (left, right) = if s.reverse { (&s.after, &s.before) } else { (&s.before, &s.after) };
                if reduce(left).is_none_or(|(redex, term)| !reduced(redex) || term != *right) {
                    return Err(NoTrail(format!("`{}` does not repeat its step on a term.", s.rule)));
                }
                continue;
            }
            let (left, right) = if s.reverse { (&s.after, &s.before) } else { (&s.before, &s.after) };
            let of = (s.rule.clone(), s.args.clone(), left.clone());
            if !known.contains_key(&of) {
                let r = search
                    .use_of(&s.rule, &s.args)
                    .ok_or_else(|| NoTrail(format!("There is no rule `{}`.", s.rule)))?;
                let done = r.rule.apply(left, &r.args).ok().filter(|done| done.term == *right);
                let done =
                    done.ok_or_else(|| NoTrail(format!("`{r}` does not repeat its step on a term.")))?;
                known.insert(of.clone(), (done.term, done.assumed));
            }
            let (term, sizes) = &known[&of];
            if term != right {
                return Err(NoTrail(format!("`{}` does not repeat its step on a term.", s.rule)));
            }
            for c in sizes {
                if !assumed.contains(c) {
                    assumed.push(c.clone());
                }
            }
        }
        let programs = self.terms.split_off(1);
        Ok(Trail { steps: self.steps, programs, assumed })
    }
}
