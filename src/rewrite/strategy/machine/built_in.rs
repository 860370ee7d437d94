//! What the tool itself knows to do: traversals, repetition, and questions about a term.

use super::super::evaluate::arguments;
use super::super::native::{Native, Order};
use super::super::strides::{self, Around};
use super::super::value::{Node, StrategyId, Value};
use super::super::{Cause, at_sizes};
use super::failure::{Failure, Halt, Leaf, NOTHING, Place, Weight, calls_of, nearer};
use super::glance::of_form;
use super::{MOST_ROUNDS, Machine, Outcome};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::{Nat, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Type, TypeKind};
use crate::lang::work::bytes;
use crate::rule::WhyNot;
use crate::rule::condition::{computes, is_scalar_like, operations};
use crate::rule::why::{Reason, Shape};
use std::rc::Rc;

impl<'a> Machine<'a> {
    pub(super) fn strategies<const N: usize>(
        &self,
        native: Native,
        args: &[Value],
    ) -> Result<[StrategyId; N], Halt> {
        // Most take one.
        if let ([Value::Strategy(id)], 1) = (args, N) {
            return Ok([*id; N]);
        }
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
                let row = super::super::native::TABLE.iter().find(|row| row.native == native);
                self.invalid(Box::new(match row {
                    Some(row) => problem.hint(format!("`{name}`: {}", row.doc)),
                    None => problem,
                }))
            }
        }
    }

    pub(super) fn native(&mut self, s: StrategyId, native: Native, args: &[Value], t: &Term) -> Outcome {
        let test = |holds: bool, expected: &'static str, m: &Self| {
            if holds { Ok(t.clone()) } else { m.shape(s, expected, t) }
        };
        let form = |expected, m: &Self| test(of_form(native, Some(t)) == Some(true), expected, m);
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
                    Err(Halt::Failed(failure)) if self.tells => {
                        let Failure { place, state, elsewhere, .. } = &*failure;
                        let weight = Weight { depth: 1, called: calls_of(&self.chain), ..NOTHING };
                        let (place, state, elsewhere) = (place.clone(), *state, *elsewhere);
                        Err(Halt::Failed(Rc::new(Failure { place, weight, state, elsewhere })))
                    }
                    stopped => stopped,
                }
            }
            Native::Repeat => {
                let [inner] = self.strategies(native, args)?;
                self.repeat(inner, t)
            }
            Native::RightToLeft => self.right_to_left(s, args, t),
            Native::IsLambda => form("a function \\x. …", self),
            Native::IsApply => form("an application", self),
            Native::IsVariable => form("a variable", self),
            Native::IsLiteral => form("a constant", self),
            Native::IsShared => form("a shared value", self),
            Native::IsComputation => test(is_computation(t), "a function on scalars", self),
            Native::Computes => test(computes(t), "something that computes", self),
            Native::Calculates => form("something that calculates", self),
            Native::HasArrayType => form("an array", self),
            Native::HasExactType => test(is_exact(t.ty()), "whole numbers and truth values", self),
            Native::HasFunctionType => form("a function", self),
            Native::ReadsInOrder => {
                let known = self.env.known;
                let around = self.look_around(t);
                let given = |n: &Nat| at_sizes(known, n);
                let holds = t.ty().as_array().is_some()
                    && t.with_stack(|| strides::reads_in_order(t, around, &given));
                test(holds, "an array that is read in order", self)
            }
            Native::HasAtMost
            | Native::HasMoreThan
            | Native::HasMultipleOf
            | Native::HasWholeParts
            | Native::HasWideElements
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
                self.asked_sizes |= matches!(native, Native::HasMoreThan | Native::HasWholeParts);
                // With the sizes that were given, where there are some.
                let given = |l: &Nat| at_sizes(self.env.known, l);
                let divides = |l: &Nat| SizeConstraint::Divides(n.clone(), l.clone()).decide() == Some(true);
                let holds = match native {
                    Native::HasAtMost => length.is_some_and(|l| n.sub(l).is_natural(&Ranges::default())),
                    Native::HasMoreThan => {
                        length.is_some_and(|l| n.is_less(&given(l), &Ranges::default()) == Some(true))
                    }
                    Native::HasMultipleOf => length.is_some_and(divides),
                    Native::HasWholeParts => length.is_some_and(|l| divides(&given(l))),
                    Native::HasWideElements => {
                        let element = t.ty().as_array().map(|(_, e)| e).filter(|e| e.as_array().is_none());
                        element
                            .and_then(bytes)
                            .is_some_and(|taken| n.is_less(&taken, &Ranges::default()) == Some(true))
                    }
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
                    Native::HasMoreThan => "an array that is known to have more elements",
                    Native::HasMultipleOf => "an array of a multiple of that length",
                    Native::HasWholeParts => "an array that is known to be whole parts of that length",
                    Native::HasWideElements => "an array of what takes more memory",
                    Native::ReducesColumns => "a map that reduces columns",
                    Native::ReducesRows => "a map that reduces rows",
                    _ => "something that calculates less",
                };
                if holds {
                    return Ok(t.clone());
                }
                // What has a length is nearer than what has none.
                let why = WhyNot { depth: u32::from(length.is_some()), ..WhyNot::shape(wanted, t) };
                self.fail(s, Some(why))
            }
            Native::IsPattern(p) => {
                if of_form(native, Some(t)) == Some(true) {
                    return Ok(t.clone());
                }
                let reason = || Reason::Shape { expected: Shape::Pattern(p, 0), found: t.clone() };
                self.fail(s, self.tells.then(|| WhyNot::here(reason())))
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
                Node::Rule(rule, given) => Some((*rule, given.clone())),
                _ => None,
            },
            _ => None,
        };
        let Some((id, given)) = rule else {
            let problem = Diagnostic::error("E0308", "`rightToLeft` takes a rule, with its arguments.");
            return self.invalid(Box::new(problem.hint("Write it as `rightToLeft(splitJoin(32))`.")));
        };
        if let Some(back) = self.backwards.get(&id) {
            return self.apply_rule(s, *back, &given, t);
        }
        let rule = self.rules[id as usize].clone();
        match rule.right_to_left() {
            Ok(other) => {
                let back = self.rule(other);
                self.backwards.insert(id, back);
                self.apply_rule(s, back, &given, t)
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
        let (place, weight, elsewhere) = match missed {
            Some(failure) => (failure.place.clone(), failure.weight, failure.elsewhere),
            None => {
                let why = Some(WhyNot::shape("a term with parts", t));
                let leaf = Leaf { strategy: s, on: None, why, chain: self.chain.clone(), told: None };
                (Place::Here(Rc::new(leaf)), NOTHING, false)
            }
        };
        Err(Halt::Failed(Rc::new(Failure { place, weight, state: Some(state), elsewhere })))
    }

    fn repeat(&mut self, inner: StrategyId, t: &Term) -> Outcome {
        let mut t = t.clone();
        // What leads to the same term again does so without end. It is compared with the term of the last round whose number
        // is a power of two, so that of any cycle one round is met twice.
        let mut seen = t.digest();
        for round in 1.. {
            match self.attempt(inner, &t) {
                Ok(next) if next == t => {
                    return self.stop(Cause::NoProgress { strategy: self.describe(inner) });
                }
                Ok(next) => t = next,
                Err(Halt::Failed(_)) => return Ok(t),
                Err(Halt::Stopped(cause)) => return Err(Halt::Stopped(self.repeated(cause, inner, round))),
                repeat => return repeat,
            }
            if t.digest() == seen || round == MOST_ROUNDS {
                let again = t.digest() == seen;
                return self.stop(Cause::Repeats { strategy: self.describe(inner), rounds: round, again });
            }
            if round.is_power_of_two() {
                seen = t.digest();
            }
            if self.open_choices == 0 && self.path.is_empty() {
                self.kept = self.trace.len();
                self.kept_term = t.clone();
            }
        }
        Ok(t)
    }

    /// The cause, with the innermost repetition in which the program grew.
    fn repeated(&self, mut cause: Box<Cause>, inner: StrategyId, round: u32) -> Box<Cause> {
        if let Cause::TooLarge { repeated: repeated @ None, .. } = &mut *cause
            && round > 1
        {
            *repeated = Some((self.describe(inner), round));
        }
        cause
    }
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
