//! Running strategies on terms.
//!
//! The machine walks the term with the strategy; what rules did is kept in a trace of absolute positions, cut back
//! where a choice is taken back. A strategy that failed on a sub-term fails on it again, wherever it stands, so
//! failures are remembered by (strategy, digest); normal forms visit the same sub-terms thousands of times.
//!
//! Of thousands of failures one is told at most, and only where the whole strategy fails. So a run that takes long stops to note why
//! things fail, and is repeated from its start, telling, where it fails itself: it goes the same way again.

mod built_in;
mod calls;
mod failure;
mod glance;
mod needs;
mod reach;
mod rules;

use super::evaluate::{Scope, callee_name};
use super::native::Native;
use super::script::Script;
use super::value::{Callee, Node, Nodes, StrategyId, Value};
use super::{Cause, Control, Env, Stuck};
use crate::lang::MAX_DEPTH;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat};
use crate::lang::path::{Path, PathMap};
use crate::lang::syntax::ast;
use crate::lang::term::Term;
use crate::rule::apply::{Counts, Step};
use crate::rule::why::Reason;
use crate::rule::{Rewritten, Rule, WhyNot};
use calls::{Calls, Key};
use failure::{
    Chain, Failure, Frame, Halt, Kind, Leaf, NOTHING, Place, Weight, again, calls_of, chain_calls,
    chain_names, failed, further, locate, nearer, untold,
};
use glance::Glance;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// More remembered failures than this are forgotten.
const MEMORY: usize = 4_000_000;

/// Strategies nested deeper than this do not terminate.
pub(super) const DEEPEST: usize = 20 * MAX_DEPTH;

/// Strategies that end in each other more often than this do not terminate.
const MOST_TAIL_CALLS: usize = 100_000;

/// Neither do repetitions of more rounds.
const MOST_ROUNDS: u32 = 100_000;

/// After so many steps nothing is noted of failures any more: shorter runs would not gain what repeating them takes.
const TOLD_AT_FIRST: u64 = 2_000;

/// One entry of the trace.
struct Change {
    steps: Vec<Step>,
    paths: PathMap,
    assumed: Vec<SizeConstraint>,
}

type Outcome = Result<Term, Halt>;

/// A failure with what was running around the strategy that failed.
type Remembered = (Rc<Failure>, Option<Rc<Chain>>);

pub(super) struct Machine<'a> {
    pub env: &'a Env<'a>,
    pub script: &'a Script,
    pub nodes: Nodes,
    pub scopes: Vec<Scope<'a>>,
    /// What was chosen for what strategies leave open; the first is nothing.
    pub choices: Vec<Vec<(Name, Nat)>>,
    pub rules: Vec<Rule>,
    rule_ids: FxHashMap<Name, u32>,
    /// Rules that were taken from right to left, with what they are then.
    backwards: FxHashMap<u32, u32>,
    pub reaches: Vec<(&'a ast::Reach, u32)>,
    pub tests: Vec<(&'a ast::Sketch, u32)>,
    pub aliases_open: usize,
    /// The body of each call that ran, by its number.
    unfolded: Vec<Option<StrategyId>>,
    /// Of each strategy, by its number, what a look at a term tells of it.
    glances: Vec<Glance>,
    failures: FxHashMap<Key, Remembered>,
    /// What failed while nothing was noted of it, which is most.
    failed: FxHashSet<Key>,
    control: &'a mut Control<'a>,
    /// From the root to the term that is worked on, and the terms on the way.
    path: Vec<u8>,
    around: Vec<Term>,
    /// How often it was asked what is around a term. A strategy that does may fail here and succeed elsewhere.
    looked_around: u64,
    /// Was it asked which sizes were given?
    asked_sizes: bool,
    trace: Vec<Change>,
    chain: Option<Rc<Chain>>,
    /// How many choices may still be taken back.
    open_choices: usize,
    /// The part of the trace that stays, and the term it led to.
    kept: usize,
    kept_term: Term,
    depth: usize,
    counts: Counts,
    /// Is it noted of failures why there are?
    tells: bool,
    /// With how much fuel left that ends; none where it does not.
    tells_until: Option<u64>,
    /// A failure of which nothing is noted.
    untold: Rc<Failure>,
}

struct Tail {
    s: StrategyId,
    t: Term,
    /// The calls that end in this strategy: they fail if it does.
    calls: Calls,
    /// The best failure of the choices on the way.
    missed: Option<Rc<Failure>>,
    /// How many steps of a sequence succeeded, and how many of these the user wrote.
    passed: u32,
    written: u32,
}

impl<'a> Machine<'a> {
    pub fn new(
        env: &'a Env<'a>,
        script: &'a Script,
        control: &'a mut Control<'a>,
        root: &Term,
    ) -> Machine<'a> {
        let tells_until = Some(control.fuel.saturating_sub(TOLD_AT_FIRST));
        Machine {
            env,
            script,
            nodes: Nodes::default(),
            choices: vec![vec![]],
            scopes: vec![Scope { parent: None, bindings: vec![], locals: &[], choices: 0, library: false }],
            rules: vec![],
            rule_ids: FxHashMap::default(),
            backwards: FxHashMap::default(),
            reaches: vec![],
            tests: vec![],
            aliases_open: 0,
            unfolded: vec![],
            glances: vec![],
            failures: FxHashMap::default(),
            failed: FxHashSet::default(),
            control,
            path: vec![],
            around: vec![],
            looked_around: 0,
            asked_sizes: false,
            trace: vec![],
            chain: None,
            open_choices: 0,
            kept: 0,
            kept_term: root.clone(),
            depth: 0,
            counts: Counts::default(),
            tells: true,
            tells_until,
            untold: untold(),
        }
    }

    pub fn rule(&mut self, rule: Rule) -> u32 {
        if let Some(id) = self.rule_ids.get(&rule.name) {
            return *id;
        }
        let id = self.rules.len() as u32;
        self.rule_ids.insert(rule.name.clone(), id);
        self.rules.push(rule);
        id
    }

    /// Runs a strategy on the whole program.
    pub fn start(mut self, text: &'a ast::Strategy, root: &Term) -> Result<Rewritten, Box<Stuck>> {
        let fuel = self.control.fuel;
        let outcome = match self.strategy(text, 0) {
            Ok(id) => match self.run(id, root) {
                Err(Halt::Failed(_) | Halt::Repeat) if !self.tells => {
                    self.begin_again(root, fuel);
                    self.run(id, root)
                }
                outcome => outcome,
            },
            Err(problem) => Err(Halt::Stopped(Box::new(Cause::Invalid(problem)))),
        };
        match outcome {
            Ok(term) => {
                let all = self.trace.len();
                Ok(self.result(all, term))
            }
            Err(Halt::Failed(failure)) => {
                let elsewhere = failure.elsewhere;
                let (at, leaf) = locate(failure);
                let cause = self.cause(&leaf);
                Err(Box::new(Stuck { on: leaf.on, elsewhere, ..*self.stuck(cause, &leaf.chain, at) }))
            }
            Err(Halt::Stopped(cause)) => {
                let at = Path::new(self.path.iter().copied());
                let chain = self.chain.clone();
                Err(self.stuck(*cause, &chain, at))
            }
            // Whoever tells is not asked to.
            Err(Halt::Repeat) => Err(self.stuck(Cause::OutOfFuel, &None, Path::root())),
        }
    }

    /// As at the start, but for what strategies stand for. From now on it is noted why they fail.
    fn begin_again(&mut self, root: &Term, fuel: u64) {
        (self.tells, self.tells_until) = (true, None);
        self.control.fuel = fuel;
        self.failures.clear();
        self.failed.clear();
        self.trace.clear();
        self.path.clear();
        self.around.clear();
        (self.looked_around, self.open_choices, self.kept, self.depth) = (0, 0, 0, 0);
        self.chain = None;
        self.kept_term = root.clone();
        self.counts = Counts::default();
    }

    fn cause(&self, leaf: &Leaf) -> Cause {
        if let Some((message, why)) = &leaf.told {
            let (at, inner) = locate(why.clone());
            // A test says no more than the message does, nor does a rule that a test left nothing to try on.
            let adds = match self.nodes.get(self.nodes.bare(inner.strategy)) {
                Node::Rule(..) => inner.on.is_some(),
                Node::Reach(_) => true,
                _ => false,
            };
            return Cause::Told {
                message: message.to_string(),
                because: (Box::new(self.cause(&inner)), at),
                adds,
            };
        }
        let strategy = self.describe(leaf.strategy);
        match leaf.why.clone() {
            Some(why) => Cause::NotApplicable { strategy, why },
            None => Cause::Failed { strategy },
        }
    }

    fn stuck(self, cause: Cause, chain: &Option<Rc<Chain>>, at: Path) -> Box<Stuck> {
        let (strategies, calls, within) =
            (chain_names(chain, true), chain_calls(chain), chain_names(chain, false));
        let (kept, term) = (self.kept, self.kept_term.clone());
        Box::new(Stuck {
            cause,
            strategies,
            calls,
            within,
            at,
            on: None,
            elsewhere: false,
            so_far: self.result(kept, term),
        })
    }

    fn result(mut self, changes: usize, term: Term) -> Rewritten {
        let mut out = Rewritten::unchanged(term);
        self.trace.truncate(changes);
        for change in self.trace {
            out.steps.extend(change.steps);
            out.paths = out.paths.then(&change.paths);
            out.assume(change.assumed);
        }
        self.counts.strategies = self.nodes.len();
        out.counts = self.counts;
        out.asked_sizes = self.asked_sizes;
        out
    }

    /// What the user's text calls, of the strategies that are running.
    pub(super) fn asked(&self) -> Option<Name> {
        chain_names(&self.chain, false).into_iter().next()
    }

    fn stop<T>(&self, cause: Cause) -> Result<T, Halt> {
        Err(Halt::Stopped(Box::new(cause)))
    }

    fn invalid<T>(&self, problem: Box<Diagnostic>) -> Result<T, Halt> {
        self.stop(Cause::Invalid(problem))
    }

    fn fail<T>(&self, strategy: StrategyId, why: Option<WhyNot>) -> Result<T, Halt> {
        self.fail_on(strategy, None, why)
    }

    /// Fails, with the term that a rule was tried on.
    fn fail_on<T>(&self, strategy: StrategyId, on: Option<&Term>, why: Option<WhyNot>) -> Result<T, Halt> {
        if !self.tells {
            return Err(Halt::Failed(self.untold.clone()));
        }
        let kind = why.as_ref().map_or(Kind::Form, Kind::of);
        // Nearer than where there was nothing to try.
        let depth = 1 + why.as_ref().map_or(0, |w| w.depth);
        let leaf = Leaf { strategy, on: on.map(Term::digest), why, chain: self.chain.clone(), told: None };
        Err(failed(leaf, Weight { kind, passed: 0, told: false, depth, called: calls_of(&self.chain) }))
    }

    /// A traversal came to a term without parts.
    fn no_parts<T>(&self, strategy: StrategyId, t: &Term) -> Result<T, Halt> {
        if !self.tells {
            return Err(Halt::Failed(self.untold.clone()));
        }
        let why = Some(WhyNot::shape("a term with parts", t));
        let leaf = Leaf { strategy, on: None, why, chain: self.chain.clone(), told: None };
        Err(failed(leaf, NOTHING))
    }

    /// Runs a strategy that says in words what it means that it fails.
    fn told(&mut self, s: StrategyId, message: Name, t: &Term) -> Outcome {
        match self.run(s, t) {
            Err(Halt::Failed(why)) if self.tells && !why.weight.told => {
                // As near as the strategy that speaks is, not as what it looked at.
                let called = calls_of(&self.chain);
                let weight = Weight { passed: 0, told: true, depth: 1, called, ..why.weight };
                // What is said of it changes nothing of what is counted.
                let state = why.state;
                let told = Some((message, why));
                let leaf = Leaf { strategy: s, on: None, why: None, chain: self.chain.clone(), told };
                Err(Halt::Failed(Rc::new(Failure {
                    place: Place::Here(Rc::new(leaf)),
                    weight,
                    state,
                    elsewhere: false,
                })))
            }
            outcome => outcome,
        }
    }

    fn shape<T>(&self, strategy: StrategyId, expected: &'static str, t: &Term) -> Result<T, Halt> {
        self.fail(strategy, Some(WhyNot::shape(expected, t)))
    }

    /// Runs `s` so that its changes are taken back when it fails.
    fn attempt(&mut self, s: StrategyId, t: &Term) -> Outcome {
        let mark = self.trace.len();
        self.open_choices += 1;
        let outcome = self.run(s, t);
        self.open_choices -= 1;
        if matches!(outcome, Err(Halt::Failed(_))) {
            self.trace.truncate(mark);
        }
        outcome
    }

    fn run(&mut self, s: StrategyId, t: &Term) -> Outcome {
        if let Some(outcome) = self.seen(s, t) {
            self.counts.successes += u64::from(outcome.is_ok());
            return outcome;
        }
        self.depth += 1;
        let outcome = if self.depth > DEEPEST {
            self.stop(Cause::TooDeep)
        } else {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.run_here(s, t))
        };
        self.depth -= 1;
        outcome
    }

    /// The outcome, where a look at the term tells and nothing is noted.
    #[inline]
    fn seen(&mut self, s: StrategyId, t: &Term) -> Option<Outcome> {
        if self.tells {
            return None;
        }
        let holds = self.at_a_glance(s, t)?;
        Some(if holds { Ok(t.clone()) } else { Err(Halt::Failed(self.untold.clone())) })
    }

    fn run_here(&mut self, s: StrategyId, t: &Term) -> Outcome {
        // What ends in nothing else needs no more.
        let done = match &*self.nodes.shared(s) {
            Node::Rule(rule, args) => Some(self.spend().and_then(|()| self.apply_rule(s, *rule, args, t))),
            Node::Native(native, args) if *native != Native::IfThenElse => {
                Some(self.spend().and_then(|()| self.native(s, *native, args, t)))
            }
            _ => None,
        };
        if let Some(outcome) = done {
            self.counts.successes += u64::from(outcome.is_ok());
            return outcome;
        }
        let (outer, looked_around) = (self.chain.clone(), self.looked_around);
        let mut tail = Tail { s, t: t.clone(), calls: Calls::default(), missed: None, passed: 0, written: 0 };
        let outcome = self.run_tail(&mut tail);
        match outcome {
            Ok(done) => {
                self.chain = outer;
                self.counts.successes += 1;
                Ok(done)
            }
            Err(Halt::Failed(failure)) => {
                self.chain = outer;
                let failure = nearer(tail.missed, self.further(failure, tail.passed, tail.written));
                if tail.calls.len() > 0 && self.looked_around == looked_around {
                    self.remember(tail.calls, &failure);
                }
                Err(Halt::Failed(failure))
            }
            // The chain stays as it is, to say where it stopped.
            stopped => stopped,
        }
    }

    /// What was called fails on its term, wherever that stands.
    fn remember(&mut self, calls: Calls, failure: &Rc<Failure>) {
        if self.failures.len() + self.failed.len() > MEMORY {
            self.failures.clear();
            self.failed.clear();
        }
        for (key, around) in calls.all() {
            if Rc::ptr_eq(failure, &self.untold) {
                self.failed.insert(key);
            } else {
                self.failures.insert(key, (failure.clone(), around));
            }
        }
    }

    /// The failure of a call that failed before.
    fn remembered(&self, key: &Key) -> Option<Rc<Failure>> {
        if self.failed.contains(key) {
            return Some(self.untold.clone());
        }
        let (failure, then) = self.failures.get(key)?;
        Some(match self.tells {
            true => again(failure.clone(), then.clone(), self.chain.clone()),
            false => failure.clone(),
        })
    }

    /// Takes a step.
    #[inline]
    fn spend(&mut self) -> Result<(), Halt> {
        if self.control.fuel == 0 {
            return self.stop(Cause::OutOfFuel);
        }
        self.control.fuel -= 1;
        if self.tells && self.tells_until.is_some_and(|until| self.control.fuel < until) {
            self.tells = false;
        }
        if self.control.fuel.is_multiple_of(64) && self.control.cancel.load(Ordering::Relaxed) {
            return self.stop(Cause::Cancelled);
        }
        if self.control.fuel.is_multiple_of(4096) {
            self.control.search.counted(&self.counts);
        }
        Ok(())
    }

    /// Runs the strategy of `tail`, and what it ends in without going deeper.
    fn run_tail(&mut self, tail: &mut Tail) -> Outcome {
        loop {
            if let Some(outcome) = self.seen(tail.s, &tail.t) {
                return outcome;
            }
            self.spend()?;
            let node = self.nodes.shared(tail.s);
            match *node {
                Node::Seq(a, b) => {
                    tail.t = self.run(a, &tail.t)?;
                    tail.passed += 1;
                    tail.written += u32::from(matches!(self.nodes.get(a), Node::Written(..)));
                    if self.open_choices == 0 && self.path.is_empty() {
                        self.kept = self.trace.len();
                        self.kept_term = tail.t.clone();
                    }
                    tail.s = b;
                }
                Node::Choice(a, b) => match self.attempt(a, &tail.t) {
                    Err(Halt::Failed(failure)) => {
                        let failure = self.further(failure, tail.passed, tail.written);
                        tail.missed = Some(match tail.missed.take() {
                            Some(other) => nearer(Some(other), failure),
                            None => failure,
                        });
                        tail.s = b;
                    }
                    outcome => return outcome,
                },
                Node::Call(ref callee, ref args) => {
                    let key = (tail.s, tail.t.digest());
                    if let Some(failure) = self.remembered(&key) {
                        return Err(Halt::Failed(failure));
                    }
                    // The same strategy on the same term leads here again until the fuel is used up.
                    if !tail.calls.insert(key, &self.chain) {
                        let cancelled = self.control.cancel.load(Ordering::Relaxed);
                        return self.stop(if cancelled { Cause::Cancelled } else { Cause::OutOfFuel });
                    }
                    if tail.calls.len() > MOST_TAIL_CALLS {
                        return self.stop(Cause::TooDeep);
                    }
                    self.enter(callee);
                    tail.s = match self.body(tail.s, callee, args) {
                        Ok(body) => body,
                        Err(problem) => return self.invalid(problem),
                    };
                }
                Node::Rule(rule, ref args) => return self.apply_rule(tail.s, rule, args, &tail.t),
                Node::Reach(n) => return self.reach(tail.s, n, &tail.t),
                Node::Satisfies(n) => return self.satisfies(tail.s, n, &tail.t),
                Node::Else(s, ref message) => return self.told(s, message.clone(), &tail.t),
                Node::Unmet(ref text) => {
                    let text = format!("{text} does not hold");
                    return self.fail(tail.s, Some(WhyNot::here(Reason::Arguments(text))));
                }
                Node::Written(span, s) => {
                    self.chain = Chain::within(Frame::Written(span), self.chain.take());
                    tail.s = s;
                }
                Node::Native(Native::IfThenElse, ref args) => {
                    let [c, yes, no] = self.strategies(Native::IfThenElse, args)?;
                    match self.attempt(c, &tail.t) {
                        Ok(t) => (tail.t, tail.s) = (t, yes),
                        Err(Halt::Failed(_)) => tail.s = no,
                        stopped => return stopped,
                    }
                }
                Node::Native(native, ref args) => return self.native(tail.s, native, args, &tail.t),
            }
        }
    }

    /// The body of a call, which is made when it runs first.
    fn body(
        &mut self,
        call: StrategyId,
        callee: &Callee,
        args: &[Value],
    ) -> Result<StrategyId, Box<Diagnostic>> {
        let at = call.0 as usize;
        if let Some(Some(body)) = self.unfolded.get(at) {
            return Ok(*body);
        }
        let body = self.unfold(callee, args)?;
        if self.unfolded.len() <= at {
            self.unfolded.resize(self.nodes.all(), None);
        }
        self.unfolded[at] = Some(body);
        Ok(body)
    }

    /// The failure, as much nearer to success as the steps before it that succeeded.
    fn further(&self, failure: Rc<Failure>, steps: u32, written: u32) -> Rc<Failure> {
        if self.tells { further(failure, steps, written) } else { failure }
    }

    fn enter(&mut self, callee: &Callee) {
        let name = callee_name(callee);
        let mut inner = self.chain.as_ref();
        while let Some(Chain { frame: Frame::Written(_), outer, .. }) = inner.map(|chain| &**chain) {
            inner = outer.as_ref();
        }
        // A strategy that ends in itself is one name.
        if let Some(chain) = inner
            && let Frame::Named(running) = &chain.frame
            && running == name
        {
            self.chain = Some(chain.clone());
            return;
        }
        self.chain = Chain::within(Frame::Named(name.clone()), self.chain.take());
    }

    /// Runs `s` on child `i`; a failure says that it was below.
    fn child(&mut self, s: StrategyId, t: &Term, i: u8, attempt: bool) -> Outcome {
        // Who goes into a part that the strategy names has come nearer than who only looks around.
        let step = u32::from(!attempt);
        let Some(child) = t.children().get(usize::from(i)).map(|c| (*c).clone()) else {
            return self.shape(s, "a term with more parts", t);
        };
        self.path.push(i);
        self.around.push(t.clone());
        let outcome = if attempt { self.attempt(s, &child) } else { self.run(s, &child) };
        if !matches!(outcome, Err(Halt::Stopped(_))) {
            self.path.pop();
            self.around.pop();
        }
        match outcome {
            Ok(done) => {
                if done == child {
                    return Ok(t.clone());
                }
                let mut children: Vec<Term> = t.children().into_iter().cloned().collect();
                children[usize::from(i)] = done;
                Ok(t.with_children(children))
            }
            Err(Halt::Failed(failure)) if self.tells => {
                let Failure { weight, state, elsewhere, .. } = *failure;
                let weight = weight.further(step);
                Err(Halt::Failed(Rc::new(Failure {
                    place: Place::Below(i, failure),
                    weight,
                    state,
                    elsewhere,
                })))
            }
            stopped => stopped,
        }
    }
}
