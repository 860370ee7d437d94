//! What a strategy needs to find in a term. Most rules that a traversal tries at a place are about other patterns than stand there,
//! and so is a choice between them; and most parts of a program hold nothing that a traversal looks for. All that ends at once.
//!
//! Said of what fails is that it does without a mistake in the text coming up on the way: what would be told of that has to be.

use super::super::native::Native;
use super::super::value::{Node, StrategyId, Value};
use super::Machine;
use super::rules::plain_arguments;
use crate::lang::pattern::Pattern;
use crate::lang::root::{Head, Root, Roots};

/// Of so many strategies one is looked into at most.
const MOST: u32 = 128;

/// What there is in every term on which a strategy succeeds.
#[derive(Clone)]
pub(super) struct Needs {
    /// At its root, one of these; any where there is none.
    pub(super) root: Option<Vec<Root>>,
    /// At the root of one of its parts, or its own, one of these.
    pub(super) part: Roots,
}

/// What is asked of a strategy: what it needs to succeed, or to change something.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Success,
    Change,
}

/// A look into a strategy.
struct Look {
    /// Into how many more.
    left: u32,
    /// The calls that are looked into, with what is asked of them, and how far below the term their terms are.
    open: Vec<(StrategyId, Asked, u32)>,
    below: u32,
}

impl Look {
    fn new() -> Look {
        Look { left: MOST, open: vec![], below: 0 }
    }

    /// Looks into one more strategy.
    fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// Whether the same is asked of the call already, for a larger term: then it needs nothing there that it does not need here.
    /// None where it calls itself on the same term, without end.
    fn is_open(&self, call: StrategyId, asked: Asked) -> Option<bool> {
        match self.open.iter().find(|(open, of_open, _)| *open == call && *of_open == asked) {
            Some((.., below)) => (*below < self.below).then_some(true),
            None => Some(false),
        }
    }
}

impl Needs {
    fn at_root(roots: Vec<Root>) -> Needs {
        let part = roots.iter().copied().collect();
        Needs { root: Some(roots), part }
    }

    fn of_part(part: Roots) -> Needs {
        Needs { root: None, part }
    }

    /// What one of two strategies needs.
    fn or(self, other: Needs) -> Needs {
        let root = self.root.zip(other.root).map(|(mut roots, others)| {
            roots.extend(others.into_iter().filter(|root| !roots.contains(root)).collect::<Vec<_>>());
            roots
        });
        Needs { root, part: self.part.and(other.part) }
    }

    /// What this one needs where the other is known to be needed of the same term.
    fn with(self, other: Needs) -> Needs {
        let root = match (self.root, other.root) {
            (Some(roots), Some(others)) => Some(roots.into_iter().filter(|r| others.contains(r)).collect()),
            (root, others) => root.or(others),
        };
        Needs { root, part: self.part }
    }
}

impl Machine<'_> {
    /// What the strategy needs to succeed, where that is known.
    pub(super) fn needs(&mut self, s: StrategyId) -> Option<Needs> {
        self.needed(s, &mut Look::new())
    }

    /// What the strategy needs to change a term, where it succeeds on all others.
    pub(super) fn needs_to_change(&mut self, s: StrategyId) -> Option<Roots> {
        self.changes(s, &mut Look::new())
    }

    fn needed(&mut self, s: StrategyId, look: &mut Look) -> Option<Needs> {
        look.spend()?;
        match &*self.nodes.shared(s) {
            Node::Seq(a, b) => self.needed_of_both(*a, *b, look),
            Node::Choice(a, b) => {
                let first = self.needed(*a, look)?;
                Some(first.or(self.needed(*b, look)?))
            }
            Node::Written(_, s) | Node::Else(s, _) => self.needed(*s, look),
            Node::Call(callee, args) => {
                if look.is_open(s, Asked::Success)? {
                    return Some(Needs::of_part(Roots::default()));
                }
                // What is wrong with it is told when it runs.
                let body = self.body(s, callee, args).ok()?;
                look.open.push((s, Asked::Success, look.below));
                let needs = self.needed(body, look);
                look.open.pop();
                needs
            }
            Node::Rule(rule, args) => {
                let rule = self.rules[*rule as usize].clone();
                rule.roots(&plain_arguments(&rule, args)?).map(Needs::at_root)
            }
            Node::Native(native, args) => self.needed_of_native(*native, args, look),
            Node::Unmet(_) => Some(Needs::at_root(vec![])),
            Node::Reach(_) | Node::Satisfies(_) => None,
        }
    }

    /// What two strategies need, one after the other: what the first one needs. Where that only asks for the form, the second one gets
    /// the same term.
    fn needed_of_both(&mut self, a: StrategyId, b: StrategyId, look: &mut Look) -> Option<Needs> {
        let first = self.needed(a, look);
        if !self.is_question(a) {
            return first;
        }
        match (first, self.needed(b, look)) {
            (Some(first), Some(second)) => Some(first.with(second)),
            (first, second) => first.or(second),
        }
    }

    fn needed_below(&mut self, s: StrategyId, look: &mut Look) -> Option<Needs> {
        look.below += 1;
        let needs = self.needed(s, look);
        look.below -= 1;
        needs
    }

    fn needed_of_native(&mut self, native: Native, args: &[Value], look: &mut Look) -> Option<Needs> {
        let at_root = |head, args| Needs::at_root(vec![Root { head, args }]);
        let pattern = |p: Pattern, args| at_root(Head::Pattern(p), args);
        Some(match (native, args) {
            (Native::Fail, _) => Needs::at_root(vec![]),
            (Native::IsPattern(p), _) => pattern(p, 0),
            (Native::IsLambda, _) => at_root(Head::Lambda, 0),
            (Native::IsShared, _) => at_root(Head::Lambda, 1),
            (Native::IsVariable, _) => at_root(Head::Variable, 0),
            (Native::IsLiteral, _) => at_root(Head::Literal, 0),
            (Native::Test, [Value::Strategy(s)]) => self.needed(*s, look)?,
            (Native::Function, [Value::Strategy(s)]) => {
                let Needs { root, part } = self.needed_below(*s, look)?;
                let applied = |roots: Vec<Root>| {
                    roots.into_iter().map(|r| Root { args: r.args + 1, ..r }).collect::<Vec<Root>>()
                };
                Needs { root: root.map(applied), part }
            }
            (Native::Argument | Native::One(_) | Native::Some, [Value::Strategy(s)]) => {
                Needs::of_part(self.needed_below(*s, look)?.part)
            }
            (Native::Body, [Value::Strategy(s)]) => {
                let own = at_root(Head::Lambda, 0);
                self.needed_below(*s, look).map_or(own.clone(), |body| Needs { part: body.part, ..own })
            }
            (Native::ArgumentOf, [Value::Pattern(p), Value::Strategy(s)]) => {
                let own = pattern(*p, 1);
                self.needed_below(*s, look).map_or(own.clone(), |e| Needs { part: e.part, ..own })
            }
            (Native::IfThenElse, [Value::Strategy(c), Value::Strategy(yes), Value::Strategy(no)]) => {
                let otherwise = self.needed(*no, look)?;
                otherwise.or(self.needed_of_both(*c, *yes, look)?)
            }
            _ => return None,
        })
    }

    fn changes(&mut self, s: StrategyId, look: &mut Look) -> Option<Roots> {
        look.spend()?;
        match &*self.nodes.shared(s) {
            Node::Seq(a, b) => Some(self.changes(*a, look)?.and(self.changes(*b, look)?)),
            Node::Choice(a, b) => {
                let first = self.needed(*a, look)?;
                Some(first.part.and(self.changes(*b, look)?))
            }
            Node::Written(_, s) | Node::Else(s, _) => self.changes(*s, look),
            Node::Call(callee, args) => {
                if look.is_open(s, Asked::Change)? {
                    return Some(Roots::default());
                }
                let body = self.body(s, callee, args).ok()?;
                look.open.push((s, Asked::Change, look.below));
                let changes = self.changes(body, look);
                look.open.pop();
                changes
            }
            Node::Native(Native::Id, _) => Some(Roots::default()),
            Node::Native(Native::All, args) => {
                let [Value::Strategy(s)] = **args else { return None };
                look.below += 1;
                let changes = self.changes(s, look);
                look.below -= 1;
                changes
            }
            Node::Native(Native::Repeat | Native::Not, args) => {
                let [Value::Strategy(s)] = **args else { return None };
                Some(self.needed(s, look)?.part)
            }
            Node::Native(Native::IfThenElse, args) => {
                let [Value::Strategy(c), _, Value::Strategy(no)] = **args else { return None };
                Some(self.needed(c, look)?.part.and(self.changes(no, look)?))
            }
            Node::Native(..) | Node::Rule(..) | Node::Reach(_) | Node::Satisfies(_) | Node::Unmet(_) => None,
        }
    }
}
