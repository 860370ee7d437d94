//! The numbers that a rule mentions, in its sizes, literals and conditions: where it may begin to be wrong.

use crate::lang::constraint::SizeConstraint;
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::rewrite::rule::condition::Condition;
use crate::rewrite::rule::pat::{Pat, PatArg, PatNode};
use crate::rewrite::rule::{Equation, Rule};
use std::collections::BTreeSet;

/// Beyond this many numbers, no sums and products of two of them are added.
const MOST_COMBINED: usize = 12;

/// The numbers that a text mentions, each once, in order.
#[derive(Clone, Default)]
pub(super) struct Mentioned {
    /// Whole numbers, with the sums, differences and products of any two.
    pub whole: Vec<i128>,
    /// The numbers that are not whole.
    pub fractions: Vec<f64>,
}

#[derive(Default)]
struct Collected {
    whole: BTreeSet<i128>,
    fractions: Vec<f64>,
    scalars: BTreeSet<Scalar>,
    casts: bool,
}

impl Mentioned {
    pub fn by_rule(rule: &Rule) -> Mentioned {
        let mut c = Collected::default();
        rule.equations().iter().for_each(|eq| c.equation(eq));
        c.finish()
    }

    pub fn by_term(t: &Term) -> Mentioned {
        let mut c = Collected::default();
        c.term(t);
        c.finish()
    }
}

impl Collected {
    fn equation(&mut self, eq: &Equation) {
        for side in [&eq.sides.lhs, &eq.sides.rhs] {
            side.nodes().into_iter().for_each(|node| self.pattern(node));
        }
        for c in &eq.conditions {
            match c {
                Condition::Size(c) => self.constraint(c),
                Condition::Vectorisable(n, _) => self.nat(n),
                _ => {}
            }
        }
    }

    fn pattern(&mut self, node: &Pat) {
        self.ty(&node.ty);
        match &node.node {
            PatNode::Prim(p, args) => {
                self.casts |= *p == Pattern::Cast;
                for arg in args {
                    match arg {
                        PatArg::Nat(n) => self.nat(n),
                        PatArg::Fun(f) => self.nat(f.body()),
                        PatArg::Addr(_) | PatArg::Dim(_) | PatArg::Slot(_) => {}
                    }
                }
            }
            PatNode::Lit(l) => self.literal(l),
            PatNode::Vectorise(n, _) => self.nat(n),
            PatNode::Var(..) | PatNode::Bound(_) | PatNode::Lam(..) | PatNode::App(..) => {}
        }
    }

    fn term(&mut self, t: &Term) {
        self.ty(t.ty());
        match t.expr() {
            Expr::Prim(p) => {
                self.casts |= p.pattern == Pattern::Cast;
                for arg in p.args.iter() {
                    match arg {
                        Arg::Nat(n) => self.nat(n),
                        Arg::Fun(f) => self.nat(f.body()),
                        Arg::Addr(_) | Arg::Dim(_) => {}
                    }
                }
            }
            Expr::Lit(l) => self.literal(l),
            Expr::Var(_) | Expr::Lam(..) | Expr::App(..) => {}
        }
        t.children().into_iter().for_each(|child| self.term(child));
    }

    fn literal(&mut self, l: &Literal) {
        match l {
            Literal::Int(v, _) => {
                self.whole.insert(*v);
            }
            Literal::Float(bits, _) => match f64::from_bits(*bits) {
                v if v.fract() == 0.0 && v.abs() < 1e18 => {
                    self.whole.insert(v as i128);
                }
                v if v.is_finite() => self.fractions.push(v),
                _ => {}
            },
            Literal::Bool(_) | Literal::Index(..) | Literal::Nat(_) => {
                l.sizes().into_iter().for_each(|n| self.nat(n));
            }
        }
    }

    fn constraint(&mut self, c: &SizeConstraint) {
        match c {
            SizeConstraint::Divides(a, b) | SizeConstraint::AtMost(a, b) | SizeConstraint::Equal(a, b) => {
                self.nat(a);
                self.nat(b);
            }
            SizeConstraint::Permutes(n, f, g) => {
                [n, f.body(), g.body()].into_iter().for_each(|n| self.nat(n))
            }
        }
    }

    fn nat(&mut self, n: &Nat) {
        self.whole.extend(n.numbers().into_iter().map(i128::from));
    }

    fn ty(&mut self, t: &Type) {
        t.for_each_nat(&mut |n| self.whole.extend(n.numbers().into_iter().map(i128::from)));
        let mut stack = vec![t];
        while let Some(t) = stack.pop() {
            match t.kind() {
                TypeKind::Scalar(s) => {
                    self.scalars.insert(*s);
                }
                TypeKind::Vector(_, t) | TypeKind::Array(_, t) => stack.push(t),
                TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => stack.extend([a, b]),
                TypeKind::NatType | TypeKind::Index(_) | TypeKind::Var(_) | TypeKind::Ill => {}
            }
        }
    }

    fn finish(self) -> Mentioned {
        let mut whole = self.whole.clone();
        if self.casts {
            whole.extend(self.scalars.iter().filter_map(|s| capacity(*s)));
        }
        if self.whole.len() <= MOST_COMBINED {
            for a in &self.whole {
                for b in &self.whole {
                    whole.extend([a.saturating_add(*b), a.saturating_sub(*b), a.saturating_mul(*b)]);
                }
            }
        }
        let mut fractions = self.fractions;
        fractions.sort_by(f64::total_cmp);
        fractions.dedup();
        Mentioned { whole: whole.into_iter().collect(), fractions }
    }
}

/// The least natural number that the type cannot hold, or beyond which it cannot hold every one.
pub(super) fn capacity(s: Scalar) -> Option<i128> {
    Some(match s {
        Scalar::Bool => return None,
        Scalar::F16 => 1 << 11,
        Scalar::F32 => 1 << 24,
        Scalar::F64 => 1 << 53,
        integer => integer.extremes().1 + 1,
    })
}
