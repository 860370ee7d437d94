//! Matching a left side against a term. One algorithm gives the bindings or says how far it came.
//!
//! Holds: on success, the left side with the bindings put in is the term, up to eta: where the left side has an
//! unapplied function (`map f`) and the term its eta-expansion (`\x. map f x`), they match.

use super::bindings::{Bindings, Bound};
use super::equation::{Equation, Sides};
use super::pat::{Pat, PatArg, PatNode};
use super::why::{Reason, Shape, WhyNot};
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Name, Nat, NatFun, NatVar, Solution, isolate, solve};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Type, TypeKind, TypeVar};
use std::mem::discriminant;

/// Matches `lhs` against `t`, starting from the bindings that the rule's arguments gave.
///
/// # Errors
/// The point where the match stops, if that is told, or that something would be too large.
pub fn matches(eq: &Equation, lhs: &Pat, start: Bindings, t: &Term, tells: bool) -> Result<Bindings, WhyNot> {
    let mut m = Matcher {
        eq,
        tells,
        bindings: start,
        path: vec![],
        matched: 0,
        term_binders: vec![],
        rule_binders: vec![],
        deferred: vec![],
    };
    for (v, var) in eq.vars.iter().enumerate() {
        if let Some(given) = m.bindings.term(v).map(|term| term.ty().clone()) {
            m.ty(&var.ty, &given)?;
        }
    }
    let ended = m.go(lhs, t).and_then(|()| m.settle());
    ended.map_err(|why| if tells { m.of_another_kind(why) } else { why })?;
    Ok(m.bindings)
}

/// Does neither form of the left side match, whatever types, sizes and variables are? That takes a look at both, and no bindings.
pub fn is_other_form(eq: &Equation, t: &Term) -> bool {
    let is_other = |sides: &Sides| !has_form(&sides.lhs, t, true);
    is_other(&eq.sides) && eq.applied.as_ref().is_none_or(is_other)
}

/// Are all patterns, functions and constants of the left side where the term has such?
fn has_form(pat: &Pat, t: &Term, is_root: bool) -> bool {
    match (&pat.node, t.expr()) {
        (PatNode::Var(..), _) => true,
        (PatNode::App(..) | PatNode::Prim(..), Expr::Lam(..)) => !is_root && pat.ty.as_fun().is_some(),
        (PatNode::Bound(_), Expr::Var(_)) => true,
        (PatNode::Lam(_, pb), Expr::Lam(_, tb)) => has_form(pb, tb, false),
        (PatNode::App(pf, pe), Expr::App(tf, te)) => {
            other_head(pat, t).is_none() && has_form(pf, tf, false) && has_form(pe, te, false)
        }
        (PatNode::Prim(p, _), Expr::Prim(q)) => *p == q.pattern,
        (PatNode::Lit(a), Expr::Lit(b)) => a == b || a.has_metas() && discriminant(a) == discriminant(b),
        _ => false,
    }
}

/// Why neither form of the left side matches, where the pattern at the root tells: most rules that are tried on a term end
/// here.
pub fn other_pattern(eq: &Equation, t: &Term) -> Option<WhyNot> {
    let of = |sides: &Sides| {
        let (expected, depth) = other_head(&sides.lhs, t)?;
        Some(WhyNot { depth, ..WhyNot::here(Reason::Shape { expected, found: t.clone() }) })
    };
    let near = of(&eq.sides)?;
    match &eq.applied {
        None => Some(near),
        Some(applied) => of(applied).map(|far| if near.depth > far.depth { near } else { far }),
    }
}

/// What the pattern asks for where another pattern is applied, or none, and how much of it matches nevertheless.
fn other_head(pat: &Pat, t: &Term) -> Option<(Shape, u32)> {
    let (p, n) = pat.head()?;
    let near = match (&pat.node, t.expr()) {
        (PatNode::App(..), Expr::App(..)) => {
            let (mut head, mut args) = (t, 0);
            while let Expr::App(f, _) = head.expr() {
                (head, args) = (f, args + 1);
            }
            if head.as_pattern() == Some(p) && args == n {
                return None;
            }
            // Another pattern with as many arguments is nearer than anything else.
            u32::from(head.as_pattern().is_some() && args == n)
        }
        (PatNode::Prim(..), Expr::Prim(q)) if q.pattern == p => return None,
        _ => 0,
    };
    Some((Shape::Pattern(p, n), near))
}

/// What is wrong with the type of a pattern is wrong with its application, which is what people see.
fn whole_application(mut why: WhyNot, depth: usize) -> WhyNot {
    let of_type = matches!(why.reason, Reason::Type { .. } | Reason::Size { .. } | Reason::Argument { .. });
    if of_type
        && why.at.len() == depth + 1
        && let Some(parent) = why.at.parent()
    {
        why.at = parent;
    }
    why
}

/// What the size would have to be a multiple of, and is not.
fn divisor(known: &Nat, found: &Nat) -> Option<Nat> {
    let [unknown] = known
        .vars()
        .into_iter()
        .filter(|v| matches!(v, NatVar::Meta(_)))
        .collect::<Vec<_>>()
        .try_into()
        .ok()?;
    let factor = known.exact_div(&Nat::variable(unknown));
    let never =
        !factor.has_metas() && SizeConstraint::Divides(factor.clone(), found.clone()).decide() == Some(false);
    never.then_some(factor)
}

struct Matcher<'a> {
    eq: &'a Equation,
    /// Is it told where the match stops?
    tells: bool,
    bindings: Bindings,
    path: Vec<u8>,
    matched: u32,
    /// Names of the term's binders above the current place, outermost first.
    term_binders: Vec<Name>,
    /// For each binder of the rule above the current place, its level among the term's.
    rule_binders: Vec<u32>,
    /// Equations between sizes that have more than one unknown so far, with their place.
    deferred: Vec<(Nat, Nat, Path)>,
}

impl Matcher<'_> {
    fn fail<T>(&self, reason: Reason) -> Result<T, WhyNot> {
        Err(WhyNot { at: Path::new(self.path.iter().copied()), depth: self.matched, reason })
    }

    /// What is too large is always told: no other place would be better.
    fn told(&self) -> Result<(), WhyNot> {
        if self.tells { Ok(()) } else { Err(WhyNot::untold()) }
    }

    /// Why a size does not fit, unless elements of another kind are meant: no other size would help those here.
    fn of_another_kind(&self, why: WhyNot) -> WhyNot {
        let Reason::Size { .. } = &why.reason else { return why };
        let other = self.eq.conditions.iter().find_map(|c| c.refused_type(self.eq, &self.bindings));
        other.map_or(why.clone(), |reason| WhyNot { reason, ..why })
    }

    fn shape<T>(&self, expected: Shape, found: &Term) -> Result<T, WhyNot> {
        self.told()?;
        self.fail(Reason::Shape { expected, found: found.clone() })
    }

    /// Matches below child `i`.
    fn child(&mut self, i: u8, pat: &Pat, t: &Term) -> Result<(), WhyNot> {
        self.path.push(i);
        self.go(pat, t)?;
        self.path.pop();
        Ok(())
    }

    fn go(&mut self, pat: &Pat, t: &Term) -> Result<(), WhyNot> {
        match (&pat.node, t.expr()) {
            (PatNode::Var(v, args), _) => self.variable(*v, args, &pat.ty, t)?,
            // At the root, the rule applies to the body, where names are kept.
            (PatNode::App(..) | PatNode::Prim(..), Expr::Lam(..))
                if pat.ty.as_fun().is_some() && !self.path.is_empty() =>
            {
                return self.eta(pat, t);
            }
            (PatNode::Bound(i), Expr::Var(j)) if self.index_of(*i) == Some(*j) => {}
            (PatNode::Lam(_, pb), Expr::Lam(name, tb)) => {
                self.rule_binders.push(self.term_binders.len() as u32);
                self.term_binders.push(name.clone());
                self.matched += 1;
                self.child(0, pb, tb)?;
                self.rule_binders.pop();
                self.term_binders.pop();
                return Ok(());
            }
            (PatNode::App(pf, pe), Expr::App(tf, te)) => {
                // The head is compared first, so that the message names the pattern that is missing.
                if let Some((expected, near)) = other_head(pat, t) {
                    self.matched += near;
                    return self.shape(expected, t);
                }
                self.matched += 1;
                self.name_shared((pf, pe), (tf, te));
                let depth = self.path.len();
                self.child(0, pf, tf).map_err(|why| whole_application(why, depth))?;
                return self.child(1, pe, te);
            }
            (PatNode::Prim(p, args), Expr::Prim(q)) if *p == q.pattern => {
                for (a, b) in args.iter().zip(&q.args) {
                    self.argument(a, b)?;
                }
                self.ty(&pat.ty, t.ty())?;
            }
            (PatNode::Lit(a), Expr::Lit(b)) if a == b => {}
            (PatNode::Lit(a), Expr::Lit(b)) if a.has_metas() && discriminant(a) == discriminant(b) => {
                for (expected, found) in a.sizes().into_iter().zip(b.sizes()) {
                    self.nat(expected, found)?;
                }
            }
            (PatNode::Bound(i), _) => return self.shape(Shape::Bound(self.binder_name(*i)), t),
            (PatNode::Lam(..), _) => return self.shape(Shape::Lambda, t),
            (PatNode::App(..) | PatNode::Prim(..), _) => {
                let expected = pat.head().map_or(Shape::Application, |(p, n)| Shape::Pattern(p, n));
                return self.shape(expected, t);
            }
            (PatNode::Lit(l), _) => {
                let readable = l.map_sizes(&|n| self.eq.readable_size(&self.bindings.size(n)));
                return self.shape(Shape::Literal(readable), t);
            }
            (PatNode::Vectorise(..), _) => return self.shape(Shape::Words("nothing that can be matched"), t),
        }
        self.matched += 1;
        Ok(())
    }

    /// Notes the name of a value that `(\x. b) e` or `let e (\x. b)` shares.
    fn name_shared(&mut self, (pf, pe): (&Pat, &Pat), (tf, te): (&Term, &Term)) {
        let is_let = match &pf.node {
            PatNode::App(head, _) => matches!(head.node, PatNode::Prim(Pattern::Let, _)),
            _ => false,
        };
        let (of_rule, of_term) = if is_let { (pe, te) } else { (pf, tf) };
        if let (PatNode::Lam(rule, _), Expr::Lam(term, _)) = (&of_rule.node, of_term.expr()) {
            self.bindings.shared.push((rule.clone(), term.clone()));
        }
    }

    /// The pattern is an unapplied function, the term a lambda: matches its body without the last arguments when
    /// these are just the parameters. The binders in between belong to no binder of the rule.
    fn eta(&mut self, pat: &Pat, t: &Term) -> Result<(), WhyNot> {
        let mut count = 0u32;
        let mut body = t;
        while let Expr::Lam(_, b) = body.expr() {
            body = b;
            count += 1;
        }
        let mut function = body;
        for i in 0..count {
            match function.expr() {
                Expr::App(f, e) if matches!(e.expr(), Expr::Var(j) if *j == i) => function = f,
                _ => {
                    let expected = pat.head().map_or(Shape::Application, |(p, n)| Shape::Pattern(p, n));
                    return self.shape(expected, t);
                }
            }
        }
        let (path, binders) = (self.path.len(), self.term_binders.len());
        let mut at = t;
        while let Expr::Lam(name, b) = at.expr() {
            self.term_binders.push(name.clone());
            self.path.push(0);
            at = b;
        }
        self.path.extend((0..count).map(|_| 0));
        self.go(pat, function)?;
        self.path.truncate(path);
        self.term_binders.truncate(binders);
        Ok(())
    }

    /// The De Bruijn index, in the term, of the rule's binder `i`.
    fn index_of(&self, i: u32) -> Option<u32> {
        let level = *self.rule_binders.iter().rev().nth(i as usize)?;
        (self.term_binders.len() as u32).checked_sub(1 + level)
    }

    fn binder_name(&self, i: u32) -> Name {
        let level = self.rule_binders.iter().rev().nth(i as usize);
        level.and_then(|l| self.term_binders.get(*l as usize)).cloned().unwrap_or_else(|| "_".into())
    }

    fn variable(&mut self, v: usize, args: &[Pat], ty: &Type, t: &Term) -> Result<(), WhyNot> {
        self.ty(ty, t.ty())?;
        let depth = self.term_binders.len() as u32;
        let scope: Vec<Option<u32>> = args
            .iter()
            .map(|a| if let PatNode::Bound(i) = a.node { self.index_of(i) } else { None })
            .collect();
        let k = scope.len() as u32;
        let renamed = if depth == 0 && k == 0 {
            Some(t.clone())
        } else {
            t.rename(&|i| match scope.iter().position(|s| *s == Some(i)) {
                Some(j) => Some(k - 1 - j as u32),
                None => Some(i.checked_sub(depth)? + k),
            })
        };
        let Some(term) = renamed else {
            self.told()?;
            let escaped = (0..depth).find(|i| !scope.contains(&Some(*i)) && t.has_free(*i)).unwrap_or(0);
            let binder = self.term_binders.iter().rev().nth(escaped as usize).cloned();
            return self.fail(Reason::Mentions {
                variable: self.eq.vars[v].name.clone(),
                binder: binder.unwrap_or_else(|| "_".into()),
            });
        };
        match &self.bindings.terms[v] {
            Some(first) if first.term == term => Ok(()),
            Some(first) => {
                self.told()?;
                let (variable, first) = (self.eq.vars[v].name.clone(), first.term.clone());
                self.fail(Reason::Differs { variable, first, found: t.clone() })
            }
            None => {
                let at = Some(Path::new(self.path.iter().copied()));
                self.bindings.terms[v] = Some(Bound { term, at });
                Ok(())
            }
        }
    }

    fn argument(&mut self, expected: &PatArg, found: &Arg) -> Result<(), WhyNot> {
        let fits = match (expected, found) {
            (PatArg::Nat(n), Arg::Nat(m)) => return self.nat(n, m),
            (PatArg::Fun(f), Arg::Fun(g)) => return self.nat(f.body(), g.body()),
            (PatArg::Addr(a), Arg::Addr(b)) => a == b,
            (PatArg::Dim(a), Arg::Dim(b)) => a == b,
            (PatArg::Slot(i), _) => match &self.bindings.slots[*i] {
                Some(bound) => bound == found,
                None => {
                    self.bindings.slots[*i] = Some(found.clone());
                    true
                }
            },
            _ => false,
        };
        if fits {
            return Ok(());
        }
        self.told()?;
        let text = |a: &Arg| match a {
            Arg::Nat(n) => n.to_string(),
            Arg::Fun(f) => f.to_string(),
            Arg::Addr(a) => a.name().to_owned(),
            Arg::Dim(d) => d.to_string(),
        };
        let expected = self.bindings.arg(expected).map_or_else(String::new, |a| text(&a));
        self.fail(Reason::Argument { expected, found: text(found) })
    }

    fn ty(&mut self, expected: &Type, found: &Type) -> Result<(), WhyNot> {
        if self.unify(expected, found)? {
            return Ok(());
        }
        self.told()?;
        let expected = self.eq.readable_type(&expected.subst(&self.bindings));
        self.fail(Reason::Type { expected, found: found.clone() })
    }

    /// Makes the rule's type equal to the term's; false when their forms differ.
    fn unify(&mut self, expected: &Type, found: &Type) -> Result<bool, WhyNot> {
        if !expected.has_metas() {
            return Ok(expected == found);
        }
        Ok(match (expected.kind(), found.kind()) {
            (TypeKind::Var(TypeVar::Meta(i)), _) => match &self.bindings.types[*i as usize] {
                Some(bound) => bound == found,
                None if self.eq.types[*i as usize].data && !found.is_data() => false,
                None => {
                    self.bindings.types[*i as usize] = Some(found.clone());
                    true
                }
            },
            (TypeKind::Index(a), TypeKind::Index(b)) => {
                self.nat(a, b)?;
                true
            }
            (TypeKind::Array(a, s), TypeKind::Array(b, t))
            | (TypeKind::Vector(a, s), TypeKind::Vector(b, t)) => {
                // Elements first: they may settle what stands in the size.
                let elements = self.unify(s, t)?;
                if elements {
                    self.nat(a, b)?;
                }
                elements
            }
            (TypeKind::Pair(a, b), TypeKind::Pair(c, d)) | (TypeKind::Fun(a, b), TypeKind::Fun(c, d)) => {
                self.unify(a, c)? && self.unify(b, d)?
            }
            _ => false,
        })
    }

    fn nat(&mut self, expected: &Nat, found: &Nat) -> Result<(), WhyNot> {
        if let Some(NatVar::Meta(i)) = expected.as_variable()
            && self.bindings.nats[*i as usize].is_none()
        {
            self.bindings.nats[*i as usize] = Some(found.clone());
            return Ok(());
        }
        let known = self.bindings.size(expected);
        let captures = |n: &Nat| NatFun::is_inside(n);
        match solve(&known, found, &|v| matches!(v, NatVar::Meta(_))) {
            Solution::Equal => Ok(()),
            Solution::Bind(NatVar::Meta(i), value)
                if !value.has_metas() && value.as_constant() != Some(0) && !captures(&value) =>
            {
                self.bindings.nats[i as usize] = Some(value.clone());
                self.bindings.solved.push(value);
                Ok(())
            }
            // Another unknown must be known first.
            Solution::Bind(NatVar::Meta(_), value) if value.has_metas() => {
                self.deferred.push((known, found.clone(), Path::new(self.path.iter().copied())));
                Ok(())
            }
            Solution::Stuck => {
                self.deferred.push((known, found.clone(), Path::new(self.path.iter().copied())));
                Ok(())
            }
            // What it would have to be is more than is counted with.
            Solution::Contradiction if self.is_beyond(&known, found) => self.fail(Reason::TooLarge),
            Solution::Bind(..) | Solution::Contradiction => {
                self.told()?;
                let (expected, divisor) = (self.eq.readable_size(&known), divisor(&known, found));
                self.fail(Reason::Size { expected, found: found.clone(), divisor })
            }
        }
    }

    /// Would the unknown of the equation be a size that is too large to be written?
    fn is_beyond(&self, known: &Nat, found: &Nat) -> bool {
        let value = isolate(known, found, &|v| matches!(v, NatVar::Meta(_)));
        !found.is_poison() && value.is_some_and(|(_, value)| value.is_poison())
    }

    /// Solves the equations that were put off, as long as one can be.
    fn settle(&mut self) -> Result<(), WhyNot> {
        while !self.deferred.is_empty() {
            let before = self.deferred.len();
            for (expected, found, at) in std::mem::take(&mut self.deferred) {
                self.path = at.steps().to_vec();
                self.nat(&expected, &found)?;
            }
            if self.deferred.len() == before {
                let (expected, found, at) = self.deferred.swap_remove(0);
                self.path = at.steps().to_vec();
                let expected = self.eq.readable_size(&self.bindings.size(&expected));
                return self.fail(Reason::Size { expected, found, divisor: None });
            }
        }
        Ok(())
    }
}
