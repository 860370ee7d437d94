//! Rules of the library with a mistake in them: what of these is proved must pass the test on random instances.

use super::*;
use crate::lang::build::is_instance;
use crate::lang::diag::Sources;
use crate::lang::eval::inputs::Rng;
use crate::lang::infer::scheme::Scheme;
use crate::lang::nat::NatVar;
use crate::lang::pattern::all;
use crate::lang::term::Arg;
use crate::lang::ty::{TypeSubst, TypeVar};
use crate::rule::check::{Thoroughness, check};
use crate::rule::condition::Condition;
use crate::rule::equation::Sides;
use crate::rule::{RuleData, RuleSet};

/// Sizes and types of a rule made the same, so that mistakes are well-typed more often.
struct Alike {
    nats: Vec<u32>,
    types: Vec<u32>,
}

impl Alike {
    fn draw(eq: &Equation, rng: &mut Rng) -> Alike {
        let mut some = |n: usize| (0..n as u32).map(|i| if rng.below(3) == 0 { i } else { 0 }).collect();
        Alike { nats: some(eq.nats.len()), types: some(eq.types.len()) }
    }

    fn size(&self, n: &Nat) -> Nat {
        n.subst(&|v| self.nat(v))
    }

    fn side(&self, p: &Pat) -> Pat {
        let all = |ps: &[Pat]| ps.iter().map(|p| self.side(p)).collect();
        let argument = |a: &PatArg| match a {
            PatArg::Nat(n) => PatArg::Nat(self.size(n)),
            other => other.clone(),
        };
        let node = match &p.node {
            PatNode::Var(v, args) => PatNode::Var(*v, all(args)),
            PatNode::Lam(name, b) => PatNode::Lam(name.clone(), Box::new(self.side(b))),
            PatNode::App(f, e) => PatNode::App(Box::new(self.side(f)), Box::new(self.side(e))),
            PatNode::Prim(pattern, args) => PatNode::Prim(*pattern, args.iter().map(argument).collect()),
            PatNode::Lit(l) => PatNode::Lit(l.map_sizes(&|n| self.size(n))),
            PatNode::Vectorise(n, v) => PatNode::Vectorise(self.size(n), *v),
            PatNode::Bound(i) => PatNode::Bound(*i),
        };
        Pat::new(node, p.ty.subst(self))
    }

    fn condition(&self, c: &Condition) -> Condition {
        match c {
            Condition::Size(c) => Condition::Size(c.subst(&|v| self.nat(v))),
            Condition::ScalarType(i) => Condition::ScalarType(self.types[*i] as usize),
            Condition::Vectorisable(n, f) => Condition::Vectorisable(self.size(n), *f),
            Condition::Works(p, ty) => Condition::Works(*p, ty.subst(self)),
            other => other.clone(),
        }
    }

    fn equation(&self, eq: &Equation) -> Equation {
        let mut out = eq.clone();
        for v in &mut out.vars {
            v.ty = v.ty.subst(self);
            v.scope.iter_mut().for_each(|(_, t)| *t = t.subst(self));
        }
        out.sides = Sides { lhs: self.side(&eq.sides.lhs), rhs: self.side(&eq.sides.rhs) };
        out.applied = None;
        out.conditions = eq.conditions.iter().map(|c| self.condition(c)).collect();
        out
    }
}

impl TypeSubst for Alike {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        if let TypeVar::Meta(i) = v { Some(Type::meta(self.types[*i as usize])) } else { None }
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        if let NatVar::Meta(i) = v { Some(Nat::meta(self.nats[*i as usize])) } else { None }
    }
}

/// A node, where it stands, and the types of the binders above it with their places.
struct Place<'a> {
    path: Vec<usize>,
    node: &'a Pat,
    binders: Vec<(Vec<usize>, Type)>,
}

fn places<'a>(
    p: &'a Pat,
    path: &mut Vec<usize>,
    binders: &mut Vec<(Vec<usize>, Type)>,
    out: &mut Vec<Place<'a>>,
) {
    out.push(Place { path: path.clone(), node: p, binders: binders.clone() });
    let binds = matches!(p.node, PatNode::Lam(..));
    if let (true, Some((t, _))) = (binds, p.ty.as_fun()) {
        binders.push((path.clone(), t.clone()));
    }
    for (i, child) in p.children().into_iter().enumerate() {
        path.push(i);
        places(child, path, binders, out);
        path.pop();
    }
    if binds {
        binders.pop();
    }
}

fn replaced(p: &Pat, path: &[usize], by: &Pat) -> Pat {
    let Some((at, rest)) = path.split_first() else { return by.clone() };
    let mut out = p.clone();
    match &mut out.node {
        PatNode::Var(_, args) => args[*at] = replaced(&args[*at], rest, by),
        PatNode::Lam(_, b) => **b = replaced(b, rest, by),
        PatNode::App(f, e) => {
            let child = if *at == 0 { f } else { e };
            **child = replaced(child, rest, by);
        }
        _ => {}
    }
    out
}

fn all_places(p: &Pat) -> Vec<Place<'_>> {
    let mut out = vec![];
    places(p, &mut vec![], &mut vec![], &mut out);
    out
}

/// Another pattern of the same type, if any.
fn another(p: &Pat, rng: &mut Rng) -> Option<Pat> {
    let PatNode::Prim(pattern, args) = &p.node else { return None };
    let known = |a: &PatArg| match a {
        PatArg::Nat(n) => Some(Arg::Nat(n.clone())),
        PatArg::Fun(f) => Some(Arg::Fun(f.clone())),
        _ => None,
    };
    let plain = args.iter().map(known).collect::<Option<Vec<_>>>()?;
    let others = all().iter().map(|r| r.pattern).filter(|q| q != pattern && is_instance(*q, &plain, &p.ty));
    let same_meaning =
        |q: &Pattern| (pattern.is_map() && q.is_map()) || (pattern.is_reduce() && q.is_reduce());
    let explicit = |q: Pattern| Scheme::of(q).explicit.len();
    let others: Vec<Pattern> =
        others.filter(|q| explicit(*q) == explicit(*pattern) && !same_meaning(q)).collect();
    let other = others.get(rng.below(others.len().max(1) as u64) as usize)?;
    Some(Pat::new(PatNode::Prim(*other, args.clone()), p.ty.clone()))
}

/// The right side with one mistake: a part replaced by another of its type.
fn mistaken(eq: &Equation, rng: &mut Rng) -> Option<Pat> {
    let right = all_places(&eq.sides.rhs);
    let left = all_places(&eq.sides.lhs);
    let at = &right[rng.below(right.len() as u64) as usize];
    let depth = at.binders.len();
    if rng.below(3) == 0 {
        return Some(replaced(&eq.sides.rhs, &at.path, &another(at.node, rng)?));
    }
    let above =
        |b: &Place| b.binders.iter().zip(&at.binders).all(|(x, y)| x.0 == y.0) && b.binders.len() <= depth;
    let mut others: Vec<Pat> = right
        .iter()
        .filter(|b| above(b))
        .chain(left.iter().filter(|b| b.binders.is_empty() && !b.path.is_empty()))
        .filter(|b| b.node.ty == at.node.ty)
        .map(|b| b.node.shifted((depth - b.binders.len()) as u32, 0))
        .collect();
    for (i, (_, t)) in at.binders.iter().rev().enumerate() {
        if *t == at.node.ty {
            others.push(Pat::new(PatNode::Bound(i as u32), t.clone()));
        }
    }
    others.retain(|o| o != at.node);
    let other = others.get(rng.below(others.len().max(1) as u64) as usize)?;
    Some(replaced(&eq.sides.rhs, &at.path, other))
}

fn with(rule: &Rule, eq: Equation) -> Rule {
    Rule::new(RuleData { body: Body::Equation(Box::new(eq)).into(), ..RuleData::clone(rule) })
}

/// Makes so many mistakes in each rule; returns how many there were, how many of them are proved, and these that are
/// wrong all the same.
fn mistakes(each: u64, seed: u64) -> (usize, usize, Vec<String>) {
    let (rules, _) = RuleSet::builtin(&mut Sources::new());
    let (mut made, mut proved, mut wrong) = (0, 0, vec![]);
    for (r, rule) in rules.rules().enumerate() {
        let Some(eq) = rule.equations().iter().take(3).next_back() else { continue };
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(r as u64));
        for m in 0..each {
            let mut eq = Alike::draw(eq, &mut rng).equation(eq);
            // Now and then a condition is forgotten rather than a part exchanged.
            if m % 5 == 4 && !eq.conditions.is_empty() {
                let at = rng.below(eq.conditions.len() as u64) as usize;
                eq.conditions.remove(at);
            } else {
                let Some(rhs) = (0..20).find_map(|_| mistaken(&eq, &mut rng)) else { continue };
                eq.sides.rhs = rhs;
            }
            eq.needs = crate::rule::load::needs(&eq.sides.lhs, &eq.sides.rhs);
            let mistake = with(rule, eq);
            made += 1;
            let Ok(proof) = prove(&mistake) else { continue };
            proved += 1;
            let how = Thoroughness { instances: 25, draws: 400, seed: m + 1, ..Thoroughness::default() };
            if let Some(example) = check(&mistake, &how).counterexample {
                let sides = &mistake.equations()[0].sides;
                wrong.push(format!(
                    "{} is proved {proof}:\n{:?}\n~>\n{:?}\n{example}",
                    rule.name, sides.lhs, sides.rhs
                ));
            }
        }
    }
    (made, proved, wrong)
}

#[test]
fn no_mistake_that_changes_a_result_is_proved() {
    let (made, proved, wrong) = mistakes(4, 1);
    assert!(wrong.is_empty(), "{} of {proved}:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(made > 300 && proved > 20 && proved < made / 2, "{made} mistakes, {proved} of them proved");
}
