//! The shortest way from a program to one that a search found.
//!
//! The way that a search tells leads through programs that it knows to be equal, in the order in which it learned it: it
//! turns back and takes detours, some by rules from right to left that cannot be written as a strategy. So the programs of
//! that way are joined by all steps that its rules make between any two of them, from left to right, and by its own steps
//! where these can be written. What a last step leaves of views (`fst (unzip (zip a b))`) no rule of the search need have seen, and
//! the search tells it by detours: so rules of the library that only take views away join programs as well. Where that does not lead
//! on, other programs are looked at, those first that are most like what is still to be reached.

use super::derivation::{NORMAL, one, placed};
use super::history::RevisionStep;
use super::searching::FROM_THE_RIGHT;
use super::unreduced::taken_back;
use super::workspace::{StrategyText, Workspace};
use crate::lang::digest::Digest;
use crate::lang::term::Term;
use crate::rewrite::clearing::lessens;
use crate::rewrite::rule::right_to_left::RIGHT_TO_LEFT;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

/// A step of the way backwards is as long as so many forwards.
const BACKWARDS: usize = 3;

/// And one that takes reductions back as so many.
const WRITTEN_OUT: usize = 6;

/// So many programs that are not of the way are looked at.
const MOST_OTHERS: usize = 400;

/// Once programs of so many nodes in all were made, no others are looked at: of large programs fewer.
const MOST_NODES: u64 = 1_500_000;

/// Views are taken away in so many steps at most before a program of the way is to be there.
const MOST_TAKEN_AWAY: usize = 2;

/// A step between two programs.
#[derive(Clone)]
enum Step {
    /// By the rule of this number from left to right, somewhere.
    Rule(usize),
    /// By this strategy.
    Written(String),
}

/// How a program is reached: the length of the way, the program before, and the step from there.
type Reached = (usize, usize, Step);

/// Programs in normal form, and the ways to them.
struct Programs<'a> {
    workspace: &'a Workspace,
    /// The rules of the way, and those that take views away, which are not all of the way.
    rules: Vec<(String, StrategyText)>,
    lessening: Vec<usize>,
    /// How many of them are of the way.
    own: usize,
    all: Vec<Term>,
    numbers: HashMap<Digest, usize>,
    reached: Vec<Option<Reached>>,
    /// The nodes of all programs that rules made.
    made: u64,
    normal: StrategyText,
    /// The normal forms of what rules made: one program is made in many ways.
    normals: HashMap<Digest, Option<Term>>,
}

impl Programs<'_> {
    fn number(&mut self, t: Term) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(t.digest()).or_insert(next);
        if number == next {
            self.all.push(t);
            self.reached.push(None);
        }
        number
    }

    /// The normal form of what a rule made.
    fn normal_form(&mut self, t: &Term) -> Option<Term> {
        let Programs { workspace, normal, normals, .. } = self;
        let form = || workspace.run_without_search(&normal.tree, t, None).ok().map(|done| done.term);
        normals.entry(t.digest()).or_insert_with(form).clone()
    }

    /// What the rules make of a program, each in normal form.
    fn next(&mut self, number: usize) -> Vec<(Term, usize)> {
        let now = self.all[number].clone();
        let (workspace, positions) = (self.workspace, now.positions());
        let of_rule = |(rule, (_, call)): (usize, &(String, StrategyText))| {
            let made = positions.iter().filter_map(|(at, part)| {
                let done = workspace.run_without_search(&call.tree, part, None).ok()?;
                Some((now.replace_at(at, done.term)?, rule))
            });
            made.collect::<Vec<_>>()
        };
        let made = self.rules[..self.own].iter().enumerate().flat_map(of_rule).collect();
        self.in_normal_form(made)
    }

    /// What is left of a program where one rule takes views away in one place, in normal form.
    fn lessened(&mut self, number: usize) -> Vec<(Term, usize)> {
        let now = self.all[number].clone();
        let mut made = vec![];
        for rule in &self.lessening {
            let Some(known) = self.workspace.rules.get(&self.rules[*rule].0) else { continue };
            for (at, part) in now.positions() {
                let whole = known.apply(part, &[]).ok().and_then(|done| now.replace_at(&at, done.term));
                made.extend(whole.map(|t| (t, *rule)));
            }
        }
        self.in_normal_form(made)
    }

    fn in_normal_form(&mut self, made: Vec<(Term, usize)>) -> Vec<(Term, usize)> {
        let normal = made.into_iter().filter_map(|(t, rule)| Some((self.normal_form(&t)?, rule)));
        let out: Vec<(Term, usize)> = normal.collect();
        self.made += out.iter().map(|(t, _)| u64::from(t.size())).sum::<u64>();
        out
    }

    /// Joins a program with those of the way to which it leads by taking views away, and returns the numbers of what is reached anew.
    fn join_lessened(&mut self, from: usize, on_the_way: usize) -> Vec<usize> {
        let (mut out, mut now) = (vec![], vec![from]);
        let mut looked_at = HashSet::from([from]);
        for _ in 0..MOST_TAKEN_AWAY {
            let mut next = vec![];
            for before in now {
                for (then, rule) in self.lessened(before) {
                    let then = self.number(then);
                    if self.join(before, then, self.length(before) + 1, Step::Rule(rule)) {
                        out.push(then);
                    }
                    if then >= on_the_way && looked_at.insert(then) {
                        next.push(then);
                    }
                }
            }
            now = next;
        }
        out
    }

    /// Whether the way over this edge is the shortest so far.
    fn join(&mut self, from: usize, to: usize, length: usize, step: Step) -> bool {
        let shorter = to != 0 && self.reached[to].as_ref().is_none_or(|(known, ..)| length < *known);
        if shorter {
            self.reached[to] = Some((length, from, step));
        }
        shorter
    }

    /// Is the program that this step leads to not reached, and the one that it begins at is?
    fn lacks(&self, of_steps: &[usize], n: usize) -> bool {
        let from = n.checked_sub(1).map_or(0, |n| of_steps[n]);
        let is_reached = |number: usize| number == 0 || self.reached[number].is_some();
        is_reached(from) && !is_reached(of_steps[n])
    }

    fn length(&self, number: usize) -> usize {
        self.reached[number].as_ref().map_or(0, |(length, ..)| *length)
    }
}

/// The shortest way that is known from the first program to the last of these states, each of which a step leads to, by the
/// rules of the steps and others that have matched something.
///
/// # Errors
/// A step that cannot be written, and without which no way was found.
pub(super) fn shortest(
    workspace: &Workspace,
    first: &Term,
    start: &Term,
    steps: &[RevisionStep],
    states: &[Term],
    matched: &[&str],
) -> Result<Vec<String>, String> {
    let of_steps = steps.iter().map(|s| s.rule.strip_suffix(FROM_THE_RIGHT).unwrap_or(&s.rule));
    let labels: BTreeSet<&str> = of_steps.chain(matched.iter().copied()).collect();
    let call = |label: &str| Some((label.to_owned(), workspace.parse_strategy(label).ok()?));
    let mut rules: Vec<(String, StrategyText)> = labels.into_iter().filter_map(call).collect();
    let own = rules.len();
    let mut lessening = vec![];
    for name in workspace.rules.rules().filter(|r| lessens(r)).map(|r| r.name.to_string()) {
        let known = rules.iter().position(|(label, _)| *label == name);
        let at = known.unwrap_or(rules.len());
        if known.is_none() {
            rules.extend(call(&name));
        }
        lessening.extend((at < rules.len()).then_some(at));
    }
    let mut programs = Programs {
        workspace,
        rules,
        lessening,
        own,
        all: vec![],
        numbers: HashMap::new(),
        reached: vec![],
        made: 0,
        normal: workspace.parse_strategy(NORMAL).map_err(|problem| problem.message.clone())?,
        normals: HashMap::new(),
    };
    programs.number(first.clone());
    let of_steps: Vec<usize> = states.iter().map(|t| programs.number(t.clone())).collect();
    let Some(last) = of_steps.last().copied() else { return Ok(vec![]) };
    let on_the_way = programs.all.len();
    let mut problem = None;
    let mut open = BinaryHeap::from([Reverse((0, 0))]);
    let mut others = Others::default();
    let mut written_out = HashSet::new();
    loop {
        while let Some(Reverse((length, now))) = open.pop() {
            if now == last || length > programs.length(now) {
                continue;
            }
            for (then, rule) in programs.next(now) {
                let then = programs.number(then);
                if programs.join(now, then, length + 1, Step::Rule(rule)) {
                    match then < on_the_way {
                        true => open.push(Reverse((length + 1, then))),
                        false => others.found.push(then),
                    }
                }
            }
            for then in programs.join_lessened(now, on_the_way) {
                match then < on_the_way {
                    true => open.push(Reverse((programs.length(then), then))),
                    false => others.found.push(then),
                }
            }
            for (n, step) in steps.iter().enumerate() {
                let (from, then) = (n.checked_sub(1).map_or(0, |n| of_steps[n]), of_steps[n]);
                if from != now || then == now || programs.reached[then].is_some() {
                    continue;
                }
                let before = n.checked_sub(1).map_or(start, |n| &steps[n].after);
                match one(workspace, &programs.all[now], before, step, &programs.all[then]) {
                    Ok(text) => {
                        if programs.join(now, then, length + BACKWARDS, Step::Written(text)) {
                            open.push(Reverse((length + BACKWARDS, then)));
                        }
                    }
                    Err(why) => problem = problem.or(Some(why)),
                }
            }
        }
        if programs.reached[last].is_some() || last == 0 {
            break;
        }
        // The way's own steps need not lead from normal form to normal form: those that lead furthest first.
        let ends = steps.iter().enumerate().rev().filter(|(n, _)| !written_out.contains(n));
        let next = ends.map(|(n, _)| n).find(|n| programs.lacks(&of_steps, *n));
        if let Some(n) = next {
            written_out.insert(n);
            let (from, then) = (n.checked_sub(1).map_or(0, |n| of_steps[n]), of_steps[n]);
            let before = n.checked_sub(1).map_or(start, |n| &steps[n].after);
            let (now, after) = (&programs.all[from], &programs.all[then]);
            let length = programs.length(from) + WRITTEN_OUT;
            if let Some(text) = taken_back(workspace, now, before, &from_left_or_right(&steps[n].rule), after)
                && programs.join(from, then, length, Step::Written(text))
            {
                open.push(Reverse((length, then)));
            }
            continue;
        }
        if programs.made > MOST_NODES {
            break;
        }
        // What is not reached yet, and what is most like it.
        let Some(other) = others.nearest(&programs, on_the_way) else { break };
        open.push(Reverse((programs.length(other), other)));
    }
    let (mut lines, mut at) = (vec![], last);
    while at != 0 {
        let Some((_, before, step)) = &programs.reached[at] else {
            return Err(problem.unwrap_or_else(|| "A step of the way cannot be written.".to_owned()));
        };
        lines.push(match step {
            Step::Written(text) => text.clone(),
            Step::Rule(rule) => {
                let (label, _) = &programs.rules[*rule];
                placed(workspace, &programs.all[*before], label, &programs.all[at])
                    .ok_or_else(|| format!("`{label}` does not make its step on programs in normal form."))?
            }
        });
        at = *before;
    }
    lines.reverse();
    Ok(lines)
}

/// The rule of a step as a strategy.
fn from_left_or_right(rule: &str) -> String {
    rule.strip_suffix(FROM_THE_RIGHT)
        .map_or_else(|| rule.to_owned(), |rule| format!("{RIGHT_TO_LEFT}({rule})"))
}

/// Programs that are not of the way.
#[derive(Default)]
struct Others {
    found: Vec<usize>,
    /// Those that were compared with so many programs to be reached, by how unlike the most like of these is.
    compared: Vec<(usize, usize)>,
    wanted: usize,
    looked_at: usize,
}

impl Others {
    /// The one that is most like a program of the way that is not reached, of those that were not looked at.
    fn nearest(&mut self, programs: &Programs<'_>, on_the_way: usize) -> Option<usize> {
        if self.looked_at >= MOST_OTHERS {
            return None;
        }
        self.looked_at += 1;
        let wanted = (1..on_the_way).filter(|i| programs.reached[*i].is_none());
        let wanted: Vec<HashSet<Digest>> = wanted.map(|i| parts(&programs.all[i])).collect();
        if wanted.len() != self.wanted {
            self.wanted = wanted.len();
            self.found.extend(self.compared.drain(..).map(|(_, i)| i));
        }
        self.compared.extend(self.found.drain(..).map(|i| {
            let own = parts(&programs.all[i]);
            (wanted.iter().map(|w| own.symmetric_difference(w).count()).min().unwrap_or(0), i)
        }));
        let (at, _) = self.compared.iter().enumerate().min_by_key(|(_, (distance, _))| *distance)?;
        Some(self.compared.swap_remove(at).1)
    }
}

fn parts(t: &Term) -> HashSet<Digest> {
    t.positions().into_iter().map(|(_, part)| part.digest()).collect()
}
