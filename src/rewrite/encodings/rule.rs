//! The rules of the tool as rules on untyped terms: what they match, and what is put in its place.
//!
//! A left side says of each of its variables which of the binders above it may be mentioned; a right side, what each of
//! these binders is there. How that is carried out is the encoding's (`place`).

use super::node::{Constant, Constants, Graph, Kind};
use crate::lang::literal::Literal;
use crate::lang::nat::{Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::rule::condition::Condition;
use crate::rule::pat::{Pat, PatArg, PatNode};
use crate::rule::{ParamKind, RuleArg, RuleUse};
use egg::{Id, Language};
use std::cell::Cell;
use std::collections::BTreeMap;

/// A side without types. Binders are numbered, those of the left side first.
#[derive(Clone, Debug)]
pub enum Side {
    /// A variable with the binders of its scope (on the left), or with what they are (on the right).
    Hole(usize, Vec<Side>),
    Bound(usize),
    Lam(usize, Box<Side>),
    App(Box<Side>, Box<Side>),
    Pattern(Pattern, Vec<PatArg>),
    Literal(Literal),
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub left: Side,
    pub right: Side,
    pub holes: usize,
    /// How many binders the left side has, and both sides together.
    pub binders: (usize, usize),
    /// Sizes that the rule's arguments give.
    sizes: BTreeMap<u32, Nat>,
    slots: BTreeMap<usize, Arg>,
}

/// What a rule's variables stand for.
#[derive(Clone, Debug)]
pub struct Match {
    pub class: Id,
    pub holes: Vec<Option<Hole>>,
    /// The names of the left side's binders; nothing for indices.
    pub names: Vec<u32>,
    sizes: BTreeMap<u32, Nat>,
    slots: BTreeMap<usize, Arg>,
}

/// A class under binders of the left side.
#[derive(Clone, Debug)]
pub struct Hole {
    pub class: Id,
    /// The binders above it, outermost first.
    pub above: Vec<usize>,
    /// Those that it may mention.
    pub scope: Vec<usize>,
}

impl Rule {
    /// The rule without types.
    ///
    /// # Errors
    /// What of it needs types, as a sentence.
    pub fn of(used: &RuleUse) -> Result<Rule, String> {
        let label = used.to_string();
        let needs = |what: String| format!("`{label}` {what}, which terms without types do not tell.");
        let Some(eq) = used.rule.equation(&used.args) else {
            return Err(format!("`{label}` is no equation."));
        };
        for c in &eq.conditions {
            // The types of a program that is well-typed keep these two.
            if !matches!(c, Condition::Works(..) | Condition::ScalarType(_)) {
                return Err(needs("has a condition on what its variables stand for".to_owned()));
            }
        }
        let mut rule = Rule {
            left: Side::Bound(0),
            right: Side::Bound(0),
            holes: eq.vars.len(),
            binders: (0, 0),
            sizes: BTreeMap::new(),
            slots: BTreeMap::new(),
        };
        for (param, arg) in used.rule.params.iter().zip(&used.args) {
            match (&param.kind, arg) {
                (ParamKind::Nat(i), RuleArg::Nat(n)) => drop(rule.sizes.insert(*i as u32, n.clone())),
                (ParamKind::Addr(i), RuleArg::Addr(a)) => drop(rule.slots.insert(*i, Arg::Addr(*a))),
                (ParamKind::Dim(i), RuleArg::Dim(d)) => drop(rule.slots.insert(*i, Arg::Dim(*d))),
                (ParamKind::Depth, _) => {}
                _ => return Err(needs(format!("takes {} as `{}`", param.kind.word(), param.name))),
            }
        }
        let mut binders = 0;
        let unsaid = || needs("computes with vectors".to_owned());
        rule.left = side(&eq.sides.lhs, &mut vec![], &mut binders).ok_or_else(unsaid)?;
        rule.binders.0 = binders;
        rule.right = side(&eq.sides.rhs, &mut vec![], &mut binders).ok_or_else(unsaid)?;
        rule.binders.1 = binders;
        let mut known: Vec<u32> = rule.sizes.keys().copied().collect();
        rule.left.sizes(&mut |n| {
            if let Some(NatVar::Meta(i)) = n.as_variable() {
                known.push(*i);
            }
        });
        let (mut lost, mut solved) = (false, false);
        let open = |n: &Nat| n.vars().iter().any(|v| matches!(v, NatVar::Meta(i) if !known.contains(i)));
        rule.right.sizes(&mut |n| lost |= open(n));
        rule.left.sizes(&mut |n| solved |= open(n));
        if lost || solved {
            return Err(needs("has sizes that stand in types alone".to_owned()));
        }
        Ok(rule)
    }
}

fn side(p: &Pat, above: &mut Vec<usize>, binders: &mut usize) -> Option<Side> {
    Some(match &p.node {
        PatNode::Var(v, args) => {
            Side::Hole(*v, args.iter().map(|a| side(a, above, binders)).collect::<Option<_>>()?)
        }
        PatNode::Bound(i) => Side::Bound(*above.iter().rev().nth(*i as usize)?),
        PatNode::Lam(_, body) => {
            let binder = *binders;
            *binders += 1;
            above.push(binder);
            let body = side(body, above, binders);
            above.pop();
            Side::Lam(binder, Box::new(body?))
        }
        PatNode::App(f, e) => {
            Side::App(Box::new(side(f, above, binders)?), Box::new(side(e, above, binders)?))
        }
        PatNode::Prim(p, args) => Side::Pattern(*p, args.clone()),
        PatNode::Lit(l) => Side::Literal(l.clone()),
        PatNode::Vectorise(..) => return None,
    })
}

impl Side {
    fn sizes(&self, hear: &mut dyn FnMut(&Nat)) {
        match self {
            Side::Hole(_, parts) => parts.iter().for_each(|p| p.sizes(hear)),
            Side::Lam(_, body) => body.sizes(hear),
            Side::App(f, e) => {
                f.sizes(hear);
                e.sizes(hear);
            }
            Side::Pattern(_, args) => args.iter().for_each(|a| match a {
                PatArg::Nat(n) => hear(n),
                PatArg::Fun(f) => hear(f.body()),
                _ => {}
            }),
            Side::Literal(l) => l.sizes().into_iter().for_each(hear),
            Side::Bound(_) => {}
        }
    }
}

impl Match {
    pub fn size(&self, n: &Nat) -> Nat {
        n.subst(&|v| if let NatVar::Meta(i) = v { self.sizes.get(i).cloned() } else { None })
    }

    /// The constant that a part of the right side is.
    pub fn constant(&self, side: &Side) -> Option<Constant> {
        Some(match side {
            Side::Literal(l) => Constant::Literal(l.map_sizes(&|n| self.size(n))),
            Side::Pattern(p, args) => {
                let args = args.iter().map(|a| {
                    Some(match a {
                        PatArg::Nat(n) => Arg::Nat(self.size(n)),
                        PatArg::Fun(f) => Arg::Fun(f.with_body(self.size(f.body()))),
                        PatArg::Addr(a) => Arg::Addr(*a),
                        PatArg::Dim(d) => Arg::Dim(*d),
                        PatArg::Slot(i) => self.slots.get(i)?.clone(),
                    })
                });
                Constant::Pattern(*p, args.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// After so many nodes that were looked at it is asked whether to go on.
const OFTEN: u32 = 4096;

/// Every way in which a rule matches a class: there may be millions, so it is asked again and again whether to go on.
///
/// # Errors
/// Why not to go on; `out` has what was found until then.
pub fn matches<E>(
    graph: &Graph,
    constants: &Constants,
    rule: &Rule,
    class: Id,
    go_on: &dyn Fn() -> Result<(), E>,
    out: &mut Vec<Match>,
) -> Result<(), E> {
    let start = Match {
        class,
        holes: vec![None; rule.holes],
        names: vec![0; rule.binders.0],
        sizes: rule.sizes.clone(),
        slots: rule.slots.clone(),
    };
    let why = Cell::new(None);
    let stops = || go_on().is_err_and(|reason| why.replace(Some(reason)).is_none());
    let matcher =
        Matcher { graph, constants, stops: &stops, looked_at: Cell::new(0), stopped: Cell::new(false) };
    matcher.go(&rule.left, class, &mut vec![], start, &mut |m| out.push(m));
    why.take().map_or(Ok(()), Err)
}

struct Matcher<'g> {
    graph: &'g Graph,
    constants: &'g Constants,
    stops: &'g dyn Fn() -> bool,
    looked_at: Cell<u32>,
    stopped: Cell<bool>,
}

impl Matcher<'_> {
    /// Whether to look no further.
    fn is_stopped(&self) -> bool {
        let looked_at = self.looked_at.get().wrapping_add(1);
        self.looked_at.set(looked_at);
        if looked_at.is_multiple_of(OFTEN) && !self.stopped.get() {
            self.stopped.set((self.stops)());
        }
        self.stopped.get()
    }

    fn go(&self, side: &Side, class: Id, above: &mut Vec<usize>, m: Match, then: &mut dyn FnMut(Match)) {
        if self.is_stopped() {
            return;
        }
        let named = self.graph.analysis.named;
        let class = self.graph.find(class);
        let known = &self.graph[class];
        match side {
            Side::Hole(v, scope) => {
                let scope: Vec<usize> = scope
                    .iter()
                    .filter_map(|s| if let Side::Bound(b) = s { Some(*b) } else { None })
                    .collect();
                let escapes = above.iter().enumerate().any(|(level, b)| {
                    if scope.contains(b) {
                        return false;
                    }
                    let inner = &above[level + 1..];
                    // A name means the innermost binder of that name.
                    let hidden = named && inner.iter().any(|i| m.names[*i] == m.names[*b]);
                    let variable = if named { m.names[*b] } else { inner.len() as u32 };
                    !hidden && known.data.free.has(variable)
                });
                if escapes {
                    return;
                }
                let mut m = m;
                match &m.holes[*v] {
                    // What stands twice stands under no binder that it mentions, or is another term.
                    Some(first) if first.class != class || !first.scope.is_empty() => return,
                    Some(first) if !named && first.above.len() != above.len() => return,
                    Some(_) => {}
                    None => m.holes[*v] = Some(Hole { class, above: above.clone(), scope }),
                }
                then(m);
            }
            Side::Bound(b) => {
                let variable = if named {
                    let level = above.iter().position(|a| a == b).unwrap_or(0);
                    if above[level + 1..].iter().any(|i| m.names[*i] == m.names[*b]) {
                        return;
                    }
                    m.names[*b]
                } else {
                    above.iter().rev().position(|a| a == b).unwrap_or(0) as u32
                };
                if known.nodes.iter().any(|n| n.kind == Kind::Var(variable)) {
                    then(m);
                }
            }
            Side::Lam(b, body) => {
                for node in &known.nodes {
                    if let Kind::Lam(name) = node.kind {
                        let mut m = m.clone();
                        m.names[*b] = name;
                        above.push(*b);
                        self.go(body, node.children()[0], above, m, then);
                        above.pop();
                    }
                }
            }
            Side::App(f, e) => {
                for node in known.nodes.iter().filter(|n| n.kind == Kind::App) {
                    let (function, argument) = (node.children()[0], node.children()[1]);
                    let mut halves = vec![];
                    self.go(f, function, above, m.clone(), &mut |m| halves.push(m));
                    for half in halves {
                        self.go(e, argument, above, half, then);
                    }
                }
            }
            Side::Pattern(..) | Side::Literal(_) => {
                for node in &known.nodes {
                    if let Kind::Constant(number) = node.kind
                        && let Some(m) = constant(side, self.constants.get(number), &m)
                    {
                        then(m);
                    }
                }
            }
        }
    }
}

/// The match with what a constant says of the rule's sizes and addresses.
fn constant(side: &Side, found: &Constant, m: &Match) -> Option<Match> {
    match (side, found) {
        (Side::Literal(_), Constant::Literal(_)) => {
            (m.constant(side).as_ref() == Some(found)).then(|| m.clone())
        }
        (Side::Pattern(p, args), Constant::Pattern(q, given)) if p == q && args.len() == given.len() => {
            let mut m = m.clone();
            for (a, b) in args.iter().zip(given) {
                match (a, b) {
                    (PatArg::Nat(n), Arg::Nat(found)) => match n.as_variable() {
                        Some(NatVar::Meta(i)) if !m.sizes.contains_key(i) => {
                            m.sizes.insert(*i, found.clone());
                        }
                        _ => (m.size(n) == *found).then_some(())?,
                    },
                    (PatArg::Slot(i), found) => match m.slots.get(i) {
                        Some(known) => (known == found).then_some(())?,
                        None => drop(m.slots.insert(*i, found.clone())),
                    },
                    (PatArg::Fun(f), Arg::Fun(g)) => (f.with_body(m.size(f.body())) == *g).then_some(())?,
                    (PatArg::Addr(a), Arg::Addr(b)) => (a == b).then_some(())?,
                    (PatArg::Dim(a), Arg::Dim(b)) => (a == b).then_some(())?,
                    _ => return None,
                }
            }
            Some(m)
        }
        _ => None,
    }
}
