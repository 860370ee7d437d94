//! Equality saturation in an encoding: match every rule, apply what was matched, rebuild, ask for the goal.

use super::Encoding;
use super::explicit::{Step, result, steps};
use super::goal::{Asked, check};
use super::node::{Constant, Constants, Facts, Graph, Kind, Node};
use super::place::{Builder, Names};
use super::rule::{Match, Rule, matches};
use crate::lang::term::{Expr, Term};
use crate::normal::{all_params, normal_form_with};
use crate::rule::RuleUse;
use crate::rule::library::reductions;
use crate::sketch::Sketch;
use egg::Id;
use std::time::Duration;

/// The clock and the limits are looked at after so much work.
const OFTEN: usize = 256;

/// Bytes of an entry of the hash table of nodes.
const NODE_ENTRY: u64 = 21;

/// Bytes that the rebuilding of an e-graph takes for each node: the list of classes by operator is made anew beside the
/// old one, and nodes are sorted within their classes.
const REBUILT: u64 = 16;

/// The same where variables have names: what is merged has a new set of free ones.
const REBUILT_NAMED: u64 = 128;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub time: Duration,
    /// Memory that the process holds, in bytes.
    pub memory: u64,
}

/// The world outside.
pub struct World<'a> {
    /// Time since any fixed moment.
    pub now: &'a dyn Fn() -> Duration,
    /// Memory that the process holds, in bytes.
    pub rss: &'a dyn Fn() -> u64,
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    Yes,
    /// The rules say nothing more.
    Saturated,
    OutOfTime,
    OutOfMemory,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub found: Found,
    pub time: Duration,
    pub iterations: usize,
    /// Applications of rules that made two classes one.
    pub applied: usize,
    pub nodes: usize,
    pub classes: usize,
}

/// Searches from a program for a sketch. The program is in normal form first, if `normal`.
///
/// # Errors
/// What of the rules or of the sketch cannot be said without types, as a sentence.
pub fn run(
    encoding: Encoding,
    start: &Term,
    sketch: &Sketch,
    rules: &[RuleUse],
    normal: bool,
    bounds: &Bounds,
    world: &World<'_>,
) -> Result<Outcome, String> {
    check(sketch)?;
    let all = reductions().iter().chain(rules.iter().filter(|r| !reductions().contains(r)));
    let rules = all.map(Rule::of).collect::<Result<Vec<Rule>, String>>()?;
    let too_deep = || "The program is nested too deeply.".to_owned();
    let normal_start = || normal_form_with(&all_params(start), start).ok_or_else(too_deep);
    let start = if normal { normal_start()? } else { start.clone() };
    let mut run = Run {
        graph: Graph::new(Facts { named: encoding.named }),
        constants: Constants::default(),
        names: Names::default(),
        encoding,
        rules,
        bounds: *bounds,
        world,
        begin: (world.now)(),
        applied: 0,
    };
    let root = run.encode(&start, &mut vec![]).ok_or_else(too_deep)?;
    run.graph.rebuild();
    let mut iterations = 0;
    let found = loop {
        if Asked::new(&run.graph, &run.constants).holds(sketch, root) {
            break Found::Yes;
        }
        if let Some(why) = run.over() {
            break why;
        }
        match run.iteration() {
            Ok(true) => {}
            Ok(false) => break Found::Saturated,
            // What was applied may have been enough.
            Err(why) => {
                let late = Asked::new(&run.graph, &run.constants).holds(sketch, root);
                break if late { Found::Yes } else { why };
            }
        }
        iterations += 1;
    };
    let (nodes, classes) = (run.graph.total_number_of_nodes(), run.graph.number_of_classes());
    Ok(Outcome {
        found,
        time: (world.now)().saturating_sub(run.begin),
        iterations,
        applied: run.applied,
        nodes,
        classes,
    })
}

struct Run<'a> {
    graph: Graph,
    constants: Constants,
    names: Names,
    encoding: Encoding,
    rules: Vec<Rule>,
    bounds: Bounds,
    world: &'a World<'a>,
    begin: Duration,
    applied: usize,
}

impl Run<'_> {
    /// The class of a term. Each of its binders has a name of its own.
    fn encode(&mut self, t: &Term, above: &mut Vec<u32>) -> Option<Id> {
        let node = match t.expr() {
            Expr::Var(i) => {
                let level = above.len().checked_sub(1 + *i as usize)?;
                Node::leaf(Kind::Var(if self.encoding.named { above[level] } else { *i }))
            }
            Expr::Lam(_, body) => {
                let name = if self.encoding.named { self.names.new_name() } else { 0 };
                above.push(name);
                let body = self.encode(body, above);
                above.pop();
                Node::one(Kind::Lam(name), body?)
            }
            Expr::App(f, e) => {
                let function = self.encode(f, above)?;
                Node::two(Kind::App, function, self.encode(e, above)?)
            }
            Expr::Prim(p) => {
                let constant = Constant::Pattern(p.pattern, p.args.clone());
                Node::leaf(Kind::Constant(self.constants.number(constant)))
            }
            Expr::Lit(l) => Node::leaf(Kind::Constant(self.constants.number(Constant::Literal(l.clone())))),
        };
        Some(self.graph.add(node))
    }

    /// Whether a limit is reached, or would be by the next growth of the table of nodes.
    fn over(&self) -> Option<Found> {
        if (self.world.now)().saturating_sub(self.begin) > self.bounds.time {
            return Some(Found::OutOfTime);
        }
        let entries = self.graph.total_size();
        let capacity = (entries.max(16) * 8 / 7).next_power_of_two();
        let doubles = entries + 4 * OFTEN > capacity / 8 * 7;
        let growth = if doubles { 2 * capacity as u64 * NODE_ENTRY } else { 0 };
        let rebuilt = entries as u64 * if self.encoding.named { REBUILT_NAMED } else { REBUILT };
        ((self.world.rss)() + growth + rebuilt > self.bounds.memory).then_some(Found::OutOfMemory)
    }

    /// Says whether anything changed.
    ///
    /// # Errors
    /// The limit that was reached; what had been applied is in the graph.
    fn iteration(&mut self) -> Result<bool, Found> {
        let mut ids: Vec<Id> = self.graph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        let mut found: Vec<Vec<Match>> = vec![];
        let mut work = 0;
        for rule in &self.rules {
            let mut of_rule = vec![];
            for id in &ids {
                let before = of_rule.len();
                let go_on = || self.over().map_or(Ok(()), Err);
                matches(&self.graph, &self.constants, rule, *id, &go_on, &mut of_rule)?;
                work += 1 + of_rule.len() - before;
                if work > 16 * OFTEN {
                    work = 0;
                    self.over().map_or(Ok(()), Err)?;
                }
            }
            found.push(of_rule);
        }
        let mut small: Vec<Step> = vec![];
        for id in ids.iter().filter(|_| self.encoding.explicit) {
            let before = small.len();
            steps(&self.graph, *id, &mut small);
            work += 1 + small.len() - before;
            if work > 16 * OFTEN {
                work = 0;
                self.over().map_or(Ok(()), Err)?;
            }
        }
        let (before, mut stopped) = (self.graph.total_size(), None);
        let mut changed = false;
        let rules = std::mem::take(&mut self.rules);
        let all = rules.iter().zip(found).flat_map(|(rule, all)| all.into_iter().map(move |m| (rule, m)));
        let all = all.map(|(rule, m)| Task::Rule(rule, m)).chain(small.into_iter().map(Task::Step));
        for (done, task) in all.enumerate() {
            if done % OFTEN == 0 {
                stopped = self.over();
                if stopped.is_some() {
                    break;
                }
            }
            let mut builder = Builder {
                graph: &mut self.graph,
                constants: &mut self.constants,
                names: &mut self.names,
                explicit: self.encoding.explicit,
            };
            let (class, made) = match &task {
                Task::Rule(rule, m) => (m.class, builder.right(rule, m)),
                Task::Step(step) => (step.class, result(&mut builder, step)),
            };
            if let Some(made) = made
                && self.graph.union(class, made)
            {
                self.applied += 1;
                changed = true;
            }
        }
        self.rules = rules;
        self.graph.rebuild();
        match stopped {
            Some(why) => Err(why),
            None => Ok(changed || self.graph.total_size() != before),
        }
    }
}

enum Task<'r> {
    Rule(&'r Rule, Match),
    Step(Step),
}
