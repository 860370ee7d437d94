//! Questions about the form of a term, `isFullyAppliedMap` say: traversals ask them at every place, and a look at the term answers
//! them. Of other strategies one sees where the term has not what they are about. All of them are strategies like others, so they are
//! run where it is noted why strategies fail.

use super::super::native::Native;
use super::super::value::{Node, StrategyId, Value};
use super::Machine;
use super::needs::Needs;
use crate::lang::root::{Root, Roots};
use crate::lang::term::{Expr, Term};

/// Of so many strategies a question may be made, so that what calls itself is none.
const MOST: u32 = 64;

/// After it has run so often, a strategy is looked into: shorter runs would not gain what that takes.
const OFTEN: u8 = 3;

/// What a look at a term tells of a strategy.
#[derive(Clone)]
pub(super) enum Glance {
    /// That is not known: it ran so often.
    Ran(u8),
    /// Whether it succeeds, and that it changes nothing.
    Answer,
    /// That it fails, where the term has not what it needs.
    Fails(Needs),
    /// That it succeeds and changes nothing, where no part has one of these roots.
    Stays(Roots),
    Nothing,
}

impl Machine<'_> {
    /// Whether the strategy succeeds, where a look at the term tells. If it does, it changes nothing.
    pub(super) fn at_a_glance(&mut self, s: StrategyId, t: &Term) -> Option<bool> {
        let at = s.0 as usize;
        if self.glances.len() <= at {
            self.glances.resize(self.nodes.all(), Glance::Ran(0));
        }
        if let Glance::Ran(times) = &mut self.glances[at] {
            if *times < OFTEN {
                *times += 1;
                return None;
            }
            self.glances[at] = self.looked_into(s);
        }
        match &self.glances[at] {
            Glance::Answer => Some(self.holds(s, t)),
            Glance::Fails(Needs { root, part }) => {
                let lacks_root = || root.as_ref().is_some_and(|roots| !roots.contains(&Root::of(t)));
                (part.has_none_of(t.roots()) || lacks_root()).then_some(false)
            }
            Glance::Stays(part) => part.has_none_of(t.roots()).then_some(true),
            Glance::Nothing | Glance::Ran(_) => None,
        }
    }

    fn looked_into(&mut self, s: StrategyId) -> Glance {
        if self.is_question(s) {
            return Glance::Answer;
        }
        let stays = |m: &mut Self| m.needs_to_change(s).map(Glance::Stays);
        self.needs(s).map(Glance::Fails).or_else(|| stays(self)).unwrap_or(Glance::Nothing)
    }

    /// Does the strategy only ask for the form of a term?
    pub(super) fn is_question(&mut self, s: StrategyId) -> bool {
        self.asks_for_form(s, &mut MOST.clone())
    }

    /// Does the strategy only ask for the form of a term? `left`: of how many more strategies it may be made.
    fn asks_for_form(&mut self, s: StrategyId, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match &*self.nodes.shared(s) {
            Node::Seq(a, b) | Node::Choice(a, b) => {
                self.asks_for_form(*a, left) && self.asks_for_form(*b, left)
            }
            Node::Written(_, s) | Node::Else(s, _) => self.asks_for_form(*s, left),
            // What is wrong with it is told when it runs.
            Node::Call(callee, args) => {
                self.body(s, callee, args).is_ok_and(|body| self.asks_for_form(body, left))
            }
            Node::Native(Native::ArgumentOf, args) => match &**args {
                [Value::Pattern(_), Value::Strategy(inner)] => self.asks_for_form(*inner, left),
                _ => false,
            },
            Node::Native(
                Native::Function | Native::Argument | Native::Body | Native::Not | Native::Test,
                args,
            ) => match &**args {
                [Value::Strategy(inner)] => self.asks_for_form(*inner, left),
                _ => false,
            },
            Node::Native(native, _) => of_form(*native, None).is_some(),
            Node::Rule(..) | Node::Reach(_) | Node::Satisfies(_) | Node::Unmet(_) => false,
        }
    }

    /// The answer of a strategy that only asks for the form.
    fn holds(&self, s: StrategyId, t: &Term) -> bool {
        let inner = |args: &[Value], t: &Term| matches!(args.last(), Some(Value::Strategy(inner)) if self.holds(*inner, t));
        match self.nodes.get(s) {
            Node::Seq(a, b) => self.holds(*a, t) && self.holds(*b, t),
            Node::Choice(a, b) => self.holds(*a, t) || self.holds(*b, t),
            Node::Written(_, s) | Node::Else(s, _) => self.holds(*s, t),
            Node::Call(..) => {
                self.unfolded.get(s.0 as usize).copied().flatten().is_some_and(|body| self.holds(body, t))
            }
            Node::Native(native, args) => match (native, t.expr()) {
                (Native::Function, Expr::App(f, _)) => inner(args, f),
                (Native::Argument, Expr::App(_, e)) => inner(args, e),
                (Native::Body, Expr::Lam(_, body)) => inner(args, body),
                (Native::ArgumentOf, Expr::App(f, e)) => {
                    matches!(args.first(), Some(Value::Pattern(p)) if f.as_pattern() == Some(*p))
                        && inner(args, e)
                }
                (Native::Not, _) => !inner(args, t),
                (Native::Test, _) => inner(args, t),
                (native, _) => of_form(*native, Some(t)) == Some(true),
            },
            Node::Rule(..) | Node::Reach(_) | Node::Satisfies(_) | Node::Unmet(_) => false,
        }
    }
}

/// Whether what the tool itself knows to ask holds of the term, where there is one; none of what takes more than a look at its root.
pub(super) fn of_form(native: Native, t: Option<&Term>) -> Option<bool> {
    let holds: fn(&Term) -> bool = match native {
        Native::Id => |_| true,
        Native::Fail => |_| false,
        Native::IsLambda => |t| t.as_lam().is_some(),
        Native::IsApply => |t| t.as_app().is_some(),
        Native::IsVariable => |t| matches!(t.expr(), Expr::Var(_)),
        Native::IsLiteral => |t| matches!(t.expr(), Expr::Lit(_)),
        Native::IsShared => |t| t.as_app().is_some_and(|(f, _)| f.as_lam().is_some()),
        Native::Calculates => Term::calculates,
        Native::HasArrayType => |t| t.ty().as_array().is_some(),
        Native::HasFunctionType => |t| t.ty().as_fun().is_some(),
        Native::IsPattern(p) => return Some(t.is_some_and(|t| t.as_pattern() == Some(p))),
        _ => return None,
    };
    Some(t.is_some_and(holds))
}
