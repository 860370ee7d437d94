//! Running strategies on terms.
//!
//! The machine walks the term with the strategy; what rules did is kept in a trace of absolute positions, cut back
//! where a choice is taken back. A strategy that failed on a sub-term fails on it again, wherever it stands, so
//! failures are remembered by (strategy, digest); normal forms visit the same sub-terms thousands of times.

use super::evaluate::{Scope, arguments, callee_name};
use super::native::{Native, Order};
use super::script::Script;
use super::strides::{self, Around};
use super::value::{Callee, Node, Nodes, StrategyId, Value};
use super::{Cause, Control, Env, ReachRequest, Stuck};
use crate::lang::MAX_DEPTH;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::digest::Digest;
use crate::lang::nat::{Name, Nat, Ranges};
use crate::lang::path::{Path, PathMap};
use crate::lang::pattern::Pattern;
use crate::lang::syntax::ast;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Type, TypeKind};
use crate::rewrite::rule::apply::{Counts, Step, fits};
use crate::rewrite::rule::condition::{computes, is_scalar_like, operations};
use crate::rewrite::rule::load;
use crate::rewrite::rule::right_to_left::RIGHT_TO_LEFT;
use crate::rewrite::rule::why::{Reason, Shape};
use crate::rewrite::rule::{ParamKind, Rewritten, Rule, RuleArg, WhyNot};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// More remembered failures than this are forgotten.
const MEMORY: usize = 4_000_000;

/// Strategies nested deeper than this do not terminate.
const DEEPEST: usize = 20 * MAX_DEPTH;

/// Strategies that end in each other more often than this do not terminate.
const MOST_TAIL_CALLS: usize = 100_000;

/// One entry of the trace.
struct Change {
    steps: Vec<Step>,
    paths: PathMap,
    assumed: Vec<SizeConstraint>,
}

/// The strategies that are running, innermost first: by name, and where the user's text calls them.
struct Chain {
    frame: Frame,
    outer: Option<Rc<Chain>>,
}

enum Frame {
    Named(Name),
    Written(Span),
}

impl Drop for Chain {
    /// Link by link: strategies that end in each other make long chains.
    fn drop(&mut self) {
        let mut next = self.outer.take();
        while let Some(mut link) = next.and_then(|link| Rc::try_unwrap(link).ok()) {
            next = link.outer.take();
        }
    }
}

/// Why a strategy failed, with the place relative to the term that it ran on.
struct Failure {
    place: Place,
    weight: Weight,
    /// For counting strategies: what is left of the count.
    state: Option<StrategyId>,
}

/// How much a failure says: of several, the weightiest is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    kind: Kind,
    /// A strategy says it in words.
    told: bool,
    /// How near the best match came.
    depth: u32,
}

/// What a failure is about. Where the form was wrong, another place was meant; where a size or an argument was, this one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Form,
    Unfit,
    Condition,
    Size,
    Argument,
    Search,
}

impl Kind {
    fn of(why: &WhyNot) -> Kind {
        match &why.reason {
            Reason::Shape { .. } | Reason::Type { .. } | Reason::Argument { .. } | Reason::Differs { .. } => {
                Kind::Form
            }
            Reason::Mentions { .. } | Reason::Unfit(_) => Kind::Unfit,
            Reason::Condition(_) | Reason::TooLarge => Kind::Condition,
            Reason::Size { .. } | Reason::Sizes(_) => Kind::Size,
            Reason::Arguments(_) => Kind::Argument,
            Reason::NotReached { .. } => Kind::Search,
        }
    }
}

#[derive(Clone)]
enum Place {
    Here(Rc<Leaf>),
    Below(u8, Rc<Failure>),
}

struct Leaf {
    strategy: StrategyId,
    why: Option<WhyNot>,
    chain: Option<Rc<Chain>>,
    /// What a strategy says of the failure.
    told: Option<(Name, Rc<Failure>)>,
}

enum Halt {
    Failed(Rc<Failure>),
    Stopped(Box<Cause>),
}

type Outcome = Result<Term, Halt>;

pub(super) struct Machine<'a> {
    pub env: &'a Env<'a>,
    pub script: &'a Script,
    pub nodes: Nodes,
    pub scopes: Vec<Scope<'a>>,
    /// What was chosen for what strategies leave open; the first is nothing.
    pub choices: Vec<Vec<(Name, Nat)>>,
    pub rules: Vec<Rule>,
    rule_ids: FxHashMap<Name, u32>,
    pub reaches: Vec<(&'a ast::Reach, u32)>,
    pub tests: Vec<(&'a ast::Sketch, u32)>,
    pub aliases_open: usize,
    unfolded: FxHashMap<StrategyId, StrategyId>,
    failures: FxHashMap<(StrategyId, Digest), Rc<Failure>>,
    control: &'a mut Control<'a>,
    /// From the root to the term that is worked on, and the terms on the way.
    path: Vec<u8>,
    around: Vec<Term>,
    /// How often it was asked what is around a term. A strategy that does may fail here and succeed elsewhere.
    looked_around: u64,
    trace: Vec<Change>,
    chain: Option<Rc<Chain>>,
    /// How many choices may still be taken back.
    open_choices: usize,
    /// The part of the trace that stays, and the term it led to.
    kept: usize,
    kept_term: Term,
    depth: usize,
    counts: Counts,
    /// Something was tried below the root.
    elsewhere: Cell<bool>,
}

impl<'a> Machine<'a> {
    pub fn new(
        env: &'a Env<'a>,
        script: &'a Script,
        control: &'a mut Control<'a>,
        root: &Term,
    ) -> Machine<'a> {
        Machine {
            env,
            script,
            nodes: Nodes::default(),
            choices: vec![vec![]],
            scopes: vec![Scope { parent: None, bindings: vec![], locals: &[], choices: 0, library: false }],
            rules: vec![],
            rule_ids: FxHashMap::default(),
            reaches: vec![],
            tests: vec![],
            aliases_open: 0,
            unfolded: FxHashMap::default(),
            failures: FxHashMap::default(),
            control,
            path: vec![],
            around: vec![],
            looked_around: 0,
            trace: vec![],
            chain: None,
            open_choices: 0,
            kept: 0,
            kept_term: root.clone(),
            depth: 0,
            counts: Counts::default(),
            elsewhere: Cell::new(false),
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
        let outcome = match self.strategy(text, 0) {
            Ok(id) => self.run(id, root),
            Err(problem) => Err(Halt::Stopped(Box::new(Cause::Invalid(problem)))),
        };
        match outcome {
            Ok(term) => {
                let all = self.trace.len();
                Ok(self.result(all, term))
            }
            Err(Halt::Failed(failure)) => {
                let (at, leaf) = locate(failure);
                let cause = self.cause(&leaf);
                Err(self.stuck(cause, &leaf.chain, at))
            }
            Err(Halt::Stopped(cause)) => {
                let at = Path::new(self.path.iter().copied());
                let chain = self.chain.clone();
                Err(self.stuck(*cause, &chain, at))
            }
        }
    }

    fn cause(&self, leaf: &Leaf) -> Cause {
        if let Some((message, why)) = &leaf.told {
            let (at, inner) = locate(why.clone());
            // A test says no more than the message does.
            let adds =
                matches!(self.nodes.get(self.nodes.bare(inner.strategy)), Node::Rule(..) | Node::Reach(_));
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
            elsewhere: self.elsewhere.get(),
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
        out
    }

    fn stop<T>(&self, cause: Cause) -> Result<T, Halt> {
        Err(Halt::Stopped(Box::new(cause)))
    }

    fn invalid<T>(&self, problem: Box<Diagnostic>) -> Result<T, Halt> {
        self.stop(Cause::Invalid(problem))
    }

    fn fail<T>(&self, strategy: StrategyId, why: Option<WhyNot>) -> Result<T, Halt> {
        self.elsewhere.set(self.elsewhere.get() || !self.path.is_empty());
        let kind = why.as_ref().map_or(Kind::Form, Kind::of);
        // Nearer than where there was nothing to try.
        let depth = 1 + why.as_ref().map_or(0, |w| w.depth);
        let leaf = Leaf { strategy, why, chain: self.chain.clone(), told: None };
        Err(failed(leaf, Weight { kind, told: false, depth }))
    }

    /// A traversal came to a term without parts.
    fn no_parts<T>(&self, strategy: StrategyId, t: &Term) -> Result<T, Halt> {
        let why = Some(WhyNot::shape("a term with parts", t));
        let leaf = Leaf { strategy, why, chain: self.chain.clone(), told: None };
        Err(failed(leaf, NOTHING))
    }

    /// Runs a strategy that says in words what it means that it fails.
    fn told(&mut self, s: StrategyId, message: Name, t: &Term) -> Outcome {
        match self.run(s, t) {
            Err(Halt::Failed(why)) if !why.weight.told => {
                // As near as the strategy that speaks is, not as what it looked at.
                let weight = Weight { told: true, depth: 1, ..why.weight };
                let leaf =
                    Leaf { strategy: s, why: None, chain: self.chain.clone(), told: Some((message, why)) };
                Err(failed(leaf, weight))
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
        self.depth += 1;
        let outcome = if self.depth > DEEPEST {
            self.stop(Cause::TooDeep)
        } else {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.run_here(s, t))
        };
        self.depth -= 1;
        outcome
    }

    fn run_here(&mut self, s: StrategyId, t: &Term) -> Outcome {
        let (outer, looked_around) = (self.chain.clone(), self.looked_around);
        let mut tail = Tail { s, t: t.clone(), keys: FxHashSet::default(), missed: None, passed: 0 };
        let outcome = self.run_tail(&mut tail);
        match outcome {
            Ok(done) => {
                self.chain = outer;
                self.counts.successes += 1;
                Ok(done)
            }
            Err(Halt::Failed(failure)) => {
                self.chain = outer;
                let failure = nearer(tail.missed, further(failure, tail.passed));
                if self.failures.len() > MEMORY {
                    self.failures.clear();
                }
                if self.looked_around == looked_around {
                    for key in tail.keys {
                        self.failures.insert(key, failure.clone());
                    }
                }
                Err(Halt::Failed(failure))
            }
            // The chain stays as it is, to say where it stopped.
            stopped => stopped,
        }
    }

    /// Runs the strategy of `tail`, and what it ends in without going deeper.
    fn run_tail(&mut self, tail: &mut Tail) -> Outcome {
        loop {
            if self.control.fuel == 0 {
                return self.stop(Cause::OutOfFuel);
            }
            self.control.fuel -= 1;
            if self.control.fuel.is_multiple_of(64) && self.control.cancel.load(Ordering::Relaxed) {
                return self.stop(Cause::Cancelled);
            }
            if self.control.fuel.is_multiple_of(4096) {
                self.control.search.counted(&self.counts);
            }
            match self.nodes.get(tail.s).clone() {
                Node::Seq(a, b) => {
                    tail.t = self.run(a, &tail.t)?;
                    tail.passed += 1;
                    if self.open_choices == 0 && self.path.is_empty() {
                        self.kept = self.trace.len();
                        self.kept_term = tail.t.clone();
                    }
                    tail.s = b;
                }
                Node::Choice(a, b) => match self.attempt(a, &tail.t) {
                    Err(Halt::Failed(failure)) => {
                        tail.missed = Some(match tail.missed.take() {
                            Some(other) => nearer(Some(other), failure),
                            None => failure,
                        });
                        tail.s = b;
                    }
                    outcome => return outcome,
                },
                Node::Call(callee, args) => {
                    let key = (tail.s, tail.t.digest());
                    if let Some(failure) = self.failures.get(&key) {
                        return Err(Halt::Failed(failure.clone()));
                    }
                    // The same strategy on the same term leads here again until the fuel is used up.
                    if !tail.keys.insert(key) {
                        let cancelled = self.control.cancel.load(Ordering::Relaxed);
                        return self.stop(if cancelled { Cause::Cancelled } else { Cause::OutOfFuel });
                    }
                    if tail.keys.len() > MOST_TAIL_CALLS {
                        return self.stop(Cause::TooDeep);
                    }
                    self.enter(&callee);
                    tail.s = match self.unfolded.get(&tail.s) {
                        Some(body) => *body,
                        None => match self.unfold(&callee, &args) {
                            Ok(body) => {
                                self.unfolded.insert(tail.s, body);
                                body
                            }
                            Err(problem) => return self.invalid(problem),
                        },
                    };
                }
                Node::Rule(rule, args) => return self.apply_rule(tail.s, rule, &args, &tail.t),
                Node::Reach(n) => return self.reach(tail.s, n, &tail.t),
                Node::Satisfies(n) => return self.satisfies(tail.s, n, &tail.t),
                Node::Else(s, message) => return self.told(s, message, &tail.t),
                Node::Unmet(text) => {
                    let text = format!("{text} does not hold");
                    return self.fail(tail.s, Some(WhyNot::here(Reason::Arguments(text))));
                }
                Node::Written(span, s) => {
                    self.chain =
                        Some(Rc::new(Chain { frame: Frame::Written(span), outer: self.chain.take() }));
                    tail.s = s;
                }
                Node::Native(Native::IfThenElse, args) => {
                    let [c, yes, no] = self.strategies(Native::IfThenElse, &args)?;
                    match self.attempt(c, &tail.t) {
                        Ok(t) => (tail.t, tail.s) = (t, yes),
                        Err(Halt::Failed(_)) => tail.s = no,
                        stopped => return stopped,
                    }
                }
                Node::Native(native, args) => return self.native(tail.s, native, &args, &tail.t),
            }
        }
    }

    fn enter(&mut self, callee: &Callee) {
        let name = callee_name(callee);
        let mut inner = self.chain.as_ref();
        while let Some(Chain { frame: Frame::Written(_), outer }) = inner.map(|chain| &**chain) {
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
        self.chain = Some(Rc::new(Chain { frame: Frame::Named(name.clone()), outer: self.chain.take() }));
    }

    fn strategies<const N: usize>(&self, native: Native, args: &[Value]) -> Result<[StrategyId; N], Halt> {
        let mut ids = vec![];
        for arg in args {
            match self.as_strategy(arg.clone(), Span::NOWHERE) {
                Ok(id) => ids.push(id),
                Err(problem) => {
                    let problem = problem.note(format!("It is an argument of `{}`.", native.name()));
                    return self.invalid(Box::new(problem));
                }
            }
        }
        match <[StrategyId; N]>::try_from(ids) {
            Ok(ids) => Ok(ids),
            Err(ids) => {
                let (name, given) = (native.name(), ids.len());
                let message = format!("`{name}` takes {} and is given {given}.", arguments(N));
                let problem = Diagnostic::error("E0308", message);
                let row = super::native::TABLE.iter().find(|row| row.native == native);
                self.invalid(Box::new(match row {
                    Some(row) => problem.hint(format!("`{name}`: {}", row.doc)),
                    None => problem,
                }))
            }
        }
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
            Err(Halt::Failed(failure)) => {
                let (weight, state) = (failure.weight.further(step), failure.state);
                Err(Halt::Failed(Rc::new(Failure { place: Place::Below(i, failure), weight, state })))
            }
            stopped => stopped,
        }
    }

    fn native(&mut self, s: StrategyId, native: Native, args: &[Value], t: &Term) -> Outcome {
        let test = |holds: bool, expected: &'static str, m: &Self| {
            if holds { Ok(t.clone()) } else { m.shape(s, expected, t) }
        };
        match native {
            Native::Id => Ok(t.clone()),
            Native::Fail => self.fail(s, None),
            Native::One(order) => {
                let [inner] = self.strategies(native, args)?;
                self.one(s, inner, t, order)
            }
            Native::OneUsingState => {
                let [inner] = self.strategies(native, args)?;
                self.one_using_state(s, inner, t)
            }
            Native::Some => {
                let [inner] = self.strategies(native, args)?;
                let (mut out, mut any, mut missed) = (t.clone(), false, None);
                for i in 0..t.children().len() as u8 {
                    match self.child(inner, &out, i, true) {
                        Ok(done) => (out, any) = (done, true),
                        Err(Halt::Failed(failure)) => missed = Some(nearer(missed, failure)),
                        stopped => return stopped,
                    }
                }
                match missed {
                    _ if any => Ok(out),
                    Some(failure) => Err(Halt::Failed(failure)),
                    None => self.no_parts(s, t),
                }
            }
            Native::All => {
                let [inner] = self.strategies(native, args)?;
                let mut out = t.clone();
                for i in 0..t.children().len() as u8 {
                    out = self.child(inner, &out, i, false)?;
                }
                Ok(out)
            }
            Native::Function | Native::Argument => {
                let [inner] = self.strategies(native, args)?;
                if t.as_app().is_none() {
                    return self.shape(s, "an application", t);
                }
                self.child(inner, t, u8::from(native == Native::Argument), false)
            }
            Native::Body => {
                let [inner] = self.strategies(native, args)?;
                if t.as_lam().is_none() {
                    return self.shape(s, "a function \\x. …", t);
                }
                self.child(inner, t, 0, false)
            }
            Native::ArgumentOf => match args {
                [Value::Pattern(p), Value::Strategy(inner)] => match t.expr() {
                    Expr::App(f, _) if f.as_pattern() == Some(*p) => self.child(*inner, t, 1, false),
                    _ => self.shape(s, "an argument of the pattern", t),
                },
                _ => {
                    let message = "`argumentOf` takes a pattern and a strategy.";
                    let problem = Diagnostic::error("E0308", message);
                    self.invalid(Box::new(problem.hint("Write it as `argumentOf(map, s)`.")))
                }
            },
            Native::Not => {
                let [inner] = self.strategies(native, args)?;
                let mark = self.trace.len();
                match self.attempt(inner, t) {
                    Ok(_) => {
                        self.trace.truncate(mark);
                        self.fail(s, None)
                    }
                    Err(Halt::Failed(_)) => Ok(t.clone()),
                    stopped => stopped,
                }
            }
            Native::Test => {
                let [inner] = self.strategies(native, args)?;
                let mark = self.trace.len();
                match self.attempt(inner, t) {
                    Ok(_) => {
                        self.trace.truncate(mark);
                        Ok(t.clone())
                    }
                    // What was tested is the form of what stands here.
                    Err(Halt::Failed(failure)) => {
                        let Failure { place, state, .. } = &*failure;
                        let weight = Weight { depth: 1, ..NOTHING };
                        Err(Halt::Failed(Rc::new(Failure { place: place.clone(), weight, state: *state })))
                    }
                    stopped => stopped,
                }
            }
            Native::Repeat => {
                let [inner] = self.strategies(native, args)?;
                self.repeat(inner, t)
            }
            Native::RightToLeft => self.right_to_left(s, args, t),
            Native::IsLambda => test(t.as_lam().is_some(), "a function \\x. …", self),
            Native::IsApply => test(t.as_app().is_some(), "an application", self),
            Native::IsVariable => test(matches!(t.expr(), Expr::Var(_)), "a variable", self),
            Native::IsLiteral => test(matches!(t.expr(), Expr::Lit(_)), "a constant", self),
            Native::IsShared => {
                test(t.as_app().is_some_and(|(f, _)| f.as_lam().is_some()), "a shared value", self)
            }
            Native::IsComputation => test(is_computation(t), "a function on scalars", self),
            Native::Computes => test(computes(t), "something that computes", self),
            Native::Calculates => test(t.calculates(), "something that calculates", self),
            Native::HasArrayType => test(t.ty().as_array().is_some(), "an array", self),
            Native::HasExactType => test(is_exact(t.ty()), "whole numbers and truth values", self),
            Native::HasFunctionType => test(t.ty().as_fun().is_some(), "a function", self),
            Native::ReadsInOrder => {
                let around = self.look_around(t);
                let holds =
                    t.ty().as_array().is_some() && t.with_stack(|| strides::reads_in_order(t, around));
                test(holds, "an array that is read in order", self)
            }
            Native::HasAtMost
            | Native::HasMultipleOf
            | Native::CalculatesAtMost
            | Native::ReducesColumns
            | Native::ReducesRows => {
                let [Value::Nat(n)] = args else {
                    let message = format!("`{}` takes a number.", native.name());
                    let hint = format!("Write it as `{}(64)`.", native.name());
                    return self.invalid(Box::new(Diagnostic::error("E0308", message).hint(hint)));
                };
                let steps =
                    t.as_prim().filter(|p| p.pattern == Pattern::Iterate).and_then(|p| p.args.first());
                let length = match steps {
                    Some(Arg::Nat(steps)) => Some(steps),
                    _ => t.ty().as_array().map(|(length, _)| length),
                };
                let holds = match native {
                    Native::HasAtMost => length.is_some_and(|l| n.sub(l).is_natural(&Ranges::default())),
                    Native::HasMultipleOf => length.is_some_and(|l| {
                        SizeConstraint::Divides(n.clone(), l.clone()).decide() == Some(true)
                    }),
                    Native::ReducesColumns => {
                        let is_map = t.as_pattern_app().is_some_and(|(p, _)| p.pattern.is_map());
                        let around = self.look_around(t);
                        is_map && t.with_stack(|| strides::reduces_columns(t, n, around))
                    }
                    Native::ReducesRows => {
                        let is_map = t.as_pattern_app().is_some_and(|(p, _)| p.pattern.is_map());
                        is_map && t.with_stack(|| strides::reduces_rows(t, n))
                    }
                    _ => operations(t)
                        .and_then(|count| i64::try_from(count).ok())
                        .is_some_and(|count| n.as_constant().is_some_and(|most| count <= most)),
                };
                let wanted = match native {
                    Native::HasAtMost => "an array of no more elements",
                    Native::HasMultipleOf => "an array of a multiple of that length",
                    Native::ReducesColumns => "a map that reduces columns",
                    Native::ReducesRows => "a map that reduces rows",
                    _ => "something that calculates less",
                };
                test(holds, wanted, self)
            }
            Native::IsPattern(p) => {
                if t.as_pattern() == Some(p) {
                    return Ok(t.clone());
                }
                let reason = Reason::Shape { expected: Shape::Pattern(p, 0), found: t.clone() };
                self.fail(s, Some(WhyNot::here(reason)))
            }
            // Handled where it can go on without going deeper.
            Native::IfThenElse => self.fail(s, None),
        }
    }

    /// What is around the term that is worked on.
    fn look_around(&mut self, t: &Term) -> Around<'_> {
        self.looked_around += u64::from(!t.is_closed());
        Around { terms: &self.around, path: &self.path }
    }

    fn right_to_left(&mut self, s: StrategyId, args: &[Value], t: &Term) -> Outcome {
        let rule = match args {
            [Value::Strategy(id)] => match self.nodes.get(self.nodes.bare(*id)) {
                Node::Rule(rule, given) => Some((self.rules[*rule as usize].clone(), given.clone())),
                _ => None,
            },
            _ => None,
        };
        let Some((rule, given)) = rule else {
            let problem = Diagnostic::error("E0308", "`rightToLeft` takes a rule, with its arguments.");
            return self.invalid(Box::new(problem.hint("Write it as `rightToLeft(splitJoin(32))`.")));
        };
        match rule.right_to_left() {
            Ok(other) => {
                let id = self.rule(other);
                self.apply_rule(s, id, &given, t)
            }
            Err(why) => {
                let message = format!("`{}` has no way back.", rule.name);
                let problem = Diagnostic::error("E0313", message).note(format!("It {why}."));
                let hint = format!("`shine-tui rules {}` shows the rule; another may lead back.", rule.name);
                self.invalid(Box::new(problem.hint(hint)))
            }
        }
    }

    fn one(&mut self, s: StrategyId, inner: StrategyId, t: &Term, order: Order) -> Outcome {
        let argument_first = match (order, t.expr()) {
            (Order::Default, Expr::App(_, e)) => e.ty().as_fun().is_none(),
            (Order::ArgumentFirst, _) => true,
            _ => false,
        };
        let count = t.children().len() as u8;
        let mut missed = None;
        for k in 0..count {
            let i = if argument_first && count == 2 { 1 - k } else { k };
            match self.child(inner, t, i, true) {
                Err(Halt::Failed(failure)) => missed = Some(nearer(missed, failure)),
                outcome => return outcome,
            }
        }
        match missed {
            Some(failure) => Err(Halt::Failed(failure)),
            None => self.no_parts(s, t),
        }
    }

    fn one_using_state(&mut self, s: StrategyId, inner: StrategyId, t: &Term) -> Outcome {
        let argument_first = t.as_app().is_some_and(|(_, e)| e.ty().as_fun().is_none());
        let count = t.children().len() as u8;
        let (mut state, mut missed) = (inner, None);
        for k in 0..count {
            let i = if argument_first { 1 - k } else { k };
            match self.child(state, t, i, true) {
                Err(Halt::Failed(failure)) => {
                    state = failure.state.unwrap_or(state);
                    missed = Some(nearer(missed, failure));
                }
                outcome => return outcome,
            }
        }
        let (place, weight) = match missed {
            Some(failure) => (failure.place.clone(), failure.weight),
            None => {
                let why = Some(WhyNot::shape("a term with parts", t));
                let leaf = Leaf { strategy: s, why, chain: self.chain.clone(), told: None };
                (Place::Here(Rc::new(leaf)), NOTHING)
            }
        };
        Err(Halt::Failed(Rc::new(Failure { place, weight, state: Some(state) })))
    }

    fn repeat(&mut self, inner: StrategyId, t: &Term) -> Outcome {
        let mut t = t.clone();
        loop {
            match self.attempt(inner, &t) {
                Ok(next) => {
                    if next == t {
                        return self.stop(Cause::NoProgress { strategy: self.describe(inner) });
                    }
                    t = next;
                }
                Err(Halt::Failed(_)) => return Ok(t),
                stopped => return stopped,
            }
            if self.open_choices == 0 && self.path.is_empty() {
                self.kept = self.trace.len();
                self.kept_term = t.clone();
            }
        }
    }

    fn apply_rule(&mut self, s: StrategyId, id: u32, args: &[Value], t: &Term) -> Outcome {
        let rule = self.rules[id as usize].clone();
        let args = match self.rule_arguments(s, &rule, args, t)? {
            Some(args) => args,
            None => {
                return self.fail(s, Some(WhyNot::condition("no part of it is what the predicate asks for")));
            }
        };
        self.counts.tried += 1;
        match rule.apply(t, &args) {
            // A strategy that goes on without it would end in something half done.
            Err(WhyNot { reason: Reason::TooLarge, .. }) => self.too_large(s),
            Err(why) => self.fail(s, Some(why)),
            Ok(applied) => {
                let at = Path::new(self.path.iter().copied());
                if !fits(&at, &applied.term) {
                    return self.too_large(s);
                }
                self.counts.succeeded += 1;
                let step = Step {
                    rule: rule.forwards().name.clone(),
                    args,
                    right_to_left: rule.is_right_to_left(),
                    at: at.clone(),
                    before: t.digest(),
                    after: applied.term.digest(),
                };
                let paths = PathMap::rewrite(at, applied.moved);
                self.trace.push(Change { steps: vec![step], paths, assumed: applied.assumed });
                Ok(applied.term)
            }
        }
    }

    fn too_large<T>(&self, s: StrategyId) -> Result<T, Halt> {
        self.stop(Cause::TooLarge { strategy: self.describe(s) })
    }

    /// The arguments as the rule takes them; none when a predicate holds nowhere in the term.
    fn rule_arguments(
        &mut self,
        s: StrategyId,
        rule: &Rule,
        args: &[Value],
        t: &Term,
    ) -> Result<Option<Vec<RuleArg>>, Halt> {
        let mut out = vec![];
        for (i, param) in rule.params.iter().enumerate() {
            let given = args.get(i);
            let arg = match (&param.kind, given) {
                (ParamKind::Nat(_) | ParamKind::Depth, Some(Value::Nat(n))) => Some(RuleArg::Nat(n.clone())),
                (ParamKind::Dim(_), Some(Value::Nat(n))) => {
                    n.as_constant().and_then(|d| u8::try_from(d).ok()).filter(|d| *d < 3).map(RuleArg::Dim)
                }
                (ParamKind::Addr(_), Some(Value::Addr(a))) => Some(RuleArg::Addr(*a)),
                (ParamKind::Position, Some(Value::Strategy(p))) => match self.find(*p, rule, t)? {
                    Some(path) => Some(RuleArg::Position(path)),
                    None => return Ok(None),
                },
                (ParamKind::Position, Some(Value::List(steps))) => position(steps).map(RuleArg::Position),
                _ => None,
            };
            let Some(arg) = arg else {
                let (name, kind) = (&param.name, param.kind.word());
                let Some(given) = given else {
                    let all: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
                    let message = format!("`{}` needs its argument `{name}`, {kind}.", self.describe(s));
                    let problem = Diagnostic::error("E0308", message);
                    let call = format!("{}({})", rule.forwards().name, all.join(", "));
                    let call =
                        if rule.is_right_to_left() { format!("{RIGHT_TO_LEFT}({call})") } else { call };
                    let hint = format!("Write `{call}` with values.");
                    return self.invalid(Box::new(problem.hint(hint)));
                };
                let got = self.show(given);
                let message =
                    format!("`{}` takes {kind} as its argument `{name}`, not {got}.", self.describe(s));
                let rule = format!("`shine-tui rules {}` shows the rule with an example.", rule.name);
                return self.invalid(Box::new(Diagnostic::error("E0308", message).hint(rule)));
            };
            out.push(arg);
        }
        Ok(Some(out))
    }

    /// The first sub-term on which a predicate succeeds and that the rule can take, outside in, functions before
    /// arguments. Where it can take none of them, the first, of which it says why.
    fn find(&mut self, predicate: StrategyId, rule: &Rule, t: &Term) -> Result<Option<Path>, Halt> {
        let mut first = None;
        for (path, part) in t.positions() {
            let mark = self.trace.len();
            match self.attempt(predicate, part) {
                Ok(_) => self.trace.truncate(mark),
                Err(Halt::Failed(_)) => continue,
                Err(stopped) => return Err(stopped),
            }
            if rule.apply(t, &[RuleArg::Position(path.clone())]).is_ok() {
                return Ok(Some(path));
            }
            first = first.or(Some(path));
        }
        Ok(first)
    }

    /// The sizes that parameters stand for, innermost first.
    fn sizes_of(&self, scope: u32) -> Vec<(Name, Nat)> {
        let mut sizes = vec![];
        let mut at = Some(scope);
        while let Some(i) = at {
            let scope = &self.scopes[i as usize];
            for (name, value) in scope.bindings.iter().rev() {
                if let Value::Nat(n) = value {
                    sizes.push((name.clone(), n.clone()));
                }
            }
            at = scope.parent;
        }
        sizes
    }

    fn satisfies(&mut self, s: StrategyId, n: u32, t: &Term) -> Outcome {
        let (sketch, scope) = self.tests[n as usize];
        let sizes = self.sizes_of(scope);
        match self.control.search.satisfies(t, sketch, self.env.sizes, &sizes) {
            Ok(true) => Ok(t.clone()),
            Ok(false) => self.fail(s, Some(WhyNot::condition("the term is not in the sketch"))),
            Err(problem) => self.invalid(problem),
        }
    }

    fn reach(&mut self, s: StrategyId, n: u32, t: &Term) -> Outcome {
        let (reach, scope) = self.reaches[n as usize];
        let sizes = self.sizes_of(scope);
        let mut rules = reach.rules.as_ref().map(|_| vec![]);
        for reference in reach.rules.iter().flatten() {
            self.rules_of(reference, &sizes, rules.get_or_insert_default(), 0)?;
        }
        let request = ReachRequest {
            sketch: &reach.sketch,
            rules,
            options: &reach.options,
            sizes,
            script: self.script,
        };
        match self.control.search.reach(t, &request) {
            Ok(found) if found.term.ty() == t.ty() => {
                let at = Path::new(self.path.iter().copied());
                let steps =
                    found.steps.into_iter().map(|step| Step { at: at.join(&step.at), ..step }).collect();
                self.trace.push(Change { steps, paths: found.paths.below(&at), assumed: found.assumed });
                Ok(found.term)
            }
            Ok(_) => self.fail(s, Some(WhyNot::condition("the search found a term of another type"))),
            Err(super::SearchFailure::NotFound { text, hints }) => {
                self.fail(s, Some(WhyNot::here(Reason::NotReached { text, hints })))
            }
            Err(super::SearchFailure::Stopped) => self.stop(Cause::Cancelled),
            Err(super::SearchFailure::Invalid(problem)) => self.invalid(problem),
        }
    }

    /// The rules that a name in `using` stands for: a set of either language, or a rule.
    fn rules_of(
        &mut self,
        reference: &'a ast::RuleRef,
        values: &[(Name, Nat)],
        out: &mut Vec<crate::rewrite::rule::RuleUse>,
        nesting: usize,
    ) -> Result<(), Halt> {
        let name = &reference.name;
        if nesting < 16
            && let Some(set) = self.script.set(&name.kind)
        {
            let known = self.known(values);
            let inner = match load::bound(&set.def, reference, &known) {
                Ok(inner) => inner,
                Err(problem) => return self.invalid(problem),
            };
            for each in &set.def.rules {
                self.rules_of(each, &inner, out, nesting + 1)?;
            }
            return Ok(());
        }
        if let Some(set) = self.env.rules.set(&name.kind) {
            let known = self.known(values);
            match set.given.0(reference, &known) {
                Ok(rules) => rules.into_iter().for_each(|each| {
                    if !out.contains(&each) {
                        out.push(each);
                    }
                }),
                Err(problem) => return self.invalid(problem),
            }
            return Ok(());
        }
        let found = match self.env.rules.get(&name.kind) {
            None => Err(Box::new(
                Diagnostic::error("E0301", format!("There is no rule or set of rules `{}`.", name.kind))
                    .label(name.span, "not known")
                    .did_you_mean(&name.kind, self.env.rules.names().map(|n| &**n))
                    .hint("`shine-tui rules` lists them."),
            )),
            Some(_) => self.rule_use(reference, values),
        };
        match found {
            Ok(found) => {
                if !out.contains(&found) {
                    out.push(found);
                }
                Ok(())
            }
            Err(problem) => self.invalid(problem),
        }
    }

    fn rule_use(
        &mut self,
        reference: &'a ast::RuleRef,
        values: &[(Name, Nat)],
    ) -> Result<crate::rewrite::rule::RuleUse, Box<Diagnostic>> {
        load::rule_use(self.env.rules, reference, &self.known(values))
    }

    /// What the name of a size stands for: a parameter, or a size of the program.
    fn known<'v>(&self, values: &'v [(Name, Nat)]) -> impl Fn(&str) -> Option<Nat> + use<'a, 'v> {
        let sizes: &'a [Name] = self.env.sizes;
        move |n: &str| {
            let value = values.iter().find(|(name, _)| &**name == n).map(|(_, value)| value.clone());
            value.or_else(|| sizes.iter().any(|s| &**s == n).then(|| Nat::var(n)))
        }
    }
}

/// A position as a list of numbers.
fn position(steps: &[Value]) -> Option<Path> {
    let step = |v: &Value| if let Value::Nat(n) = v { u8::try_from(n.as_constant()?).ok() } else { None };
    Some(Path::new(steps.iter().map(step).collect::<Option<Vec<u8>>>()?))
}

struct Tail {
    s: StrategyId,
    t: Term,
    /// The calls that end in this strategy: they fail if it does.
    keys: FxHashSet<(StrategyId, Digest)>,
    /// The best failure of the choices on the way.
    missed: Option<Rc<Failure>>,
    /// How many steps of a sequence succeeded.
    passed: u32,
}

/// The failure, known to be this many steps nearer to success than it looks.
fn further(failure: Rc<Failure>, steps: u32) -> Rc<Failure> {
    if steps == 0 {
        return failure;
    }
    let weight = failure.weight.further(steps);
    Rc::new(Failure { place: failure.place.clone(), weight, state: failure.state })
}

/// Where there was nothing to try.
const NOTHING: Weight = Weight { kind: Kind::Form, told: false, depth: 0 };

impl Weight {
    /// The weight of the same failure, these steps later.
    fn further(self, steps: u32) -> Weight {
        Weight { depth: self.depth.saturating_add(steps), ..self }
    }
}

fn failed(leaf: Leaf, weight: Weight) -> Halt {
    Halt::Failed(Rc::new(Failure { place: Place::Here(Rc::new(leaf)), weight, state: None }))
}

/// The failure that says more, the first of equals; the last one's count goes on.
fn nearer(missed: Option<Rc<Failure>>, failure: Rc<Failure>) -> Rc<Failure> {
    match missed {
        Some(other) if other.weight >= failure.weight => {
            if other.state == failure.state {
                return other;
            }
            Rc::new(Failure { place: other.place.clone(), weight: other.weight, state: failure.state })
        }
        _ => failure,
    }
}

fn locate(failure: Rc<Failure>) -> (Path, Rc<Leaf>) {
    let (mut path, mut failure) = (vec![], failure);
    loop {
        match failure.place.clone() {
            Place::Below(i, inner) => {
                path.push(i);
                failure = inner;
            }
            Place::Here(leaf) => return (Path::new(path), leaf),
        }
    }
}

/// Where the user's texts call what is running, innermost first; of calls within each other in one text the inner.
fn chain_calls(chain: &Option<Rc<Chain>>) -> Vec<Span> {
    let (mut out, mut at) = (Vec::<Span>::new(), chain);
    while let Some(link) = at {
        if let Frame::Written(span) = &link.frame
            && !out.last().is_some_and(|inner| {
                inner.file == span.file && span.start <= inner.start && inner.end <= span.end
            })
        {
            out.push(*span);
        }
        at = &link.outer;
    }
    out
}

/// The strategies that were running, outermost first: all, or those inside the user's innermost call.
fn chain_names(chain: &Option<Rc<Chain>>, all: bool) -> Vec<Name> {
    let (mut out, mut at) = (vec![], chain);
    while let Some(link) = at {
        match &link.frame {
            Frame::Named(name) => out.push(name.clone()),
            Frame::Written(_) if all => {}
            Frame::Written(_) => break,
        }
        at = &link.outer;
    }
    out.reverse();
    // A recursive traversal is one name, not one for each level.
    out.dedup();
    out
}

/// Is every number in a value of this type a whole one, which nothing rounds?
fn is_exact(t: &Type) -> bool {
    match t.kind() {
        TypeKind::Scalar(s) => !s.is_float(),
        TypeKind::NatType | TypeKind::Index(_) => true,
        TypeKind::Vector(_, lane) | TypeKind::Array(_, lane) => is_exact(lane),
        TypeKind::Pair(a, b) => is_exact(a) && is_exact(b),
        TypeKind::Fun(..) | TypeKind::Var(_) | TypeKind::Ill => false,
    }
}

/// A lambda of one or two parameters, or a pattern, from scalars to a scalar; or `\x. x`.
fn is_computation(t: &Term) -> bool {
    if let Some((_, body)) = t.as_lam()
        && matches!(body.expr(), Expr::Var(0))
    {
        return true;
    }
    let (params, result) = t.ty().signature();
    t.as_lam().is_some() && !params.is_empty() && params.iter().all(is_scalar_like) && is_scalar_like(&result)
}
