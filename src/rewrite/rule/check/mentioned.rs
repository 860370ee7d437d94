//! The numbers that a rule mentions, in its sizes, literals and conditions: where it may begin to be wrong.

use crate::lang::constraint::SizeConstraint;
use crate::lang::eval::{self, Arithmetic, Sizes};
use crate::lang::literal::Literal;
use crate::lang::math;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lang::value::Value;
use crate::rule::condition::Condition;
use crate::rule::pat::{Pat, PatArg, PatNode};
use crate::rule::{Equation, Rule};
use std::collections::BTreeSet;

/// More ways to take numbers are not tried one after the other.
const MOST_TUPLES: usize = 1000;

/// The greatest number of the type `f16`.
const MOST_OF_HALF: i128 = 65_504;

/// Sums of more numbers are not tried for what their type cannot hold.
const LONG_SUM: i128 = 100_000;

/// Arrays of so many elements are tried for what comes of all of them, longer ones are not.
const LONG_ARRAYS: std::ops::Range<i128> = 1_000..300_000;

/// A few more elements than at which a type holds no more: the next number may be one that it has.
const A_FEW: i128 = 5;

/// So many of the numbers count as factors.
const FACTORS: usize = 4;

/// Beyond this many numbers, no sums and products of two of them are added.
const MOST_COMBINED: usize = 12;

/// The numbers that a text mentions, each once, in order: those that are written, and the values of parts that have no
/// variables.
#[derive(Clone, Default)]
pub(super) struct Mentioned {
    pub whole: Vec<i128>,
    /// The numbers that are not whole.
    pub fractions: Vec<f64>,
    /// What comes of two whole numbers, such as 100 of `x * 3 == 300`: sums, differences, products, quotients, shifts,
    /// bits; and roots, as of `x * x == 1444`.
    pub combined: Vec<i128>,
    /// What comes of two numbers of which one at least is not whole.
    pub combined_fractions: Vec<f64>,
    /// Those that sizes are compared with or made of.
    pub sizes: Vec<i128>,
}

#[derive(Default)]
struct Collected {
    whole: BTreeSet<i128>,
    fractions: Vec<f64>,
    sizes: BTreeSet<i128>,
    scalars: BTreeSet<Scalar>,
    casts: bool,
    /// Are positions or sizes converted to scalars?
    casts_naturals: bool,
}

impl Mentioned {
    pub fn by_rule(rule: &Rule) -> Mentioned {
        let mut c = Collected::default();
        rule.equations().iter().for_each(|eq| c.equation(eq));
        c.finish()
    }

    /// All ways to take so many of the whole numbers that are mentioned, and zero, if there are not too many.
    pub fn tuples(&self, count: usize) -> Vec<Vec<i128>> {
        let mut numbers = vec![0];
        numbers.extend(self.whole.iter().filter(|v| **v != 0));
        let all = u32::try_from(count).ok().and_then(|n| numbers.len().checked_pow(n));
        if all.is_none_or(|n| n > MOST_TUPLES) {
            return vec![];
        }
        let mut out = vec![vec![]];
        for _ in 0..count {
            let with = |done: &Vec<i128>| -> Vec<Vec<i128>> {
                numbers.iter().map(|n| [done.as_slice(), &[*n]].concat()).collect()
            };
            out = out.iter().flat_map(with).collect();
        }
        out
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
                self.cast(*p, &node.ty);
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
            PatNode::App(..) => self.value(value_of_side(node, &Sizes::new())),
            PatNode::Var(..) | PatNode::Bound(_) | PatNode::Lam(..) => {}
        }
    }

    fn term(&mut self, t: &Term) {
        self.ty(t.ty());
        match t.expr() {
            Expr::Prim(p) => {
                self.cast(p.pattern, t.ty());
                for arg in p.args.iter() {
                    match arg {
                        Arg::Nat(n) => self.nat(n),
                        Arg::Fun(f) => self.nat(f.body()),
                        Arg::Addr(_) | Arg::Dim(_) => {}
                    }
                }
            }
            Expr::Lit(l) => self.literal(l),
            Expr::App(..) => self.value(value_of_term(t)),
            Expr::Var(_) | Expr::Lam(..) => {}
        }
        t.children().into_iter().for_each(|child| self.term(child));
    }

    fn cast(&mut self, p: Pattern, ty: &Type) {
        if p == Pattern::Cast {
            self.casts = true;
            self.casts_naturals |=
                ty.as_fun().is_some_and(|(from, _)| matches!(from.kind(), TypeKind::NatType));
        }
    }

    fn literal(&mut self, l: &Literal) {
        match l {
            Literal::Int(..) | Literal::Float(..) => self.value(constant(l)),
            Literal::Bool(_) | Literal::Index(..) | Literal::Nat(_) => {
                l.sizes().into_iter().for_each(|n| self.nat(n));
            }
        }
    }

    fn value(&mut self, v: Option<Value>) {
        match v {
            Some(Value::Int(v, _)) => {
                self.whole.insert(v);
            }
            Some(Value::Nat(v)) => {
                self.whole.insert(v.into());
            }
            Some(Value::F16(v) | Value::F32(v)) => self.float(v.into()),
            Some(Value::F64(v)) => self.float(v),
            _ => {}
        }
    }

    fn float(&mut self, v: f64) {
        if v.fract() == 0.0 && v.abs() < 1e18 {
            self.whole.insert(v as i128);
        } else if v.is_finite() {
            self.fractions.push(v);
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
        self.sizes.extend(n.numbers().into_iter().map(i128::from));
    }

    fn ty(&mut self, t: &Type) {
        t.for_each_nat(&mut |n| self.nat(n));
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
        let mut fractions = self.fractions;
        fractions.sort_by(f64::total_cmp);
        fractions.dedup();
        let (mut combined, mut combined_fractions) = (BTreeSet::new(), vec![]);
        if self.whole.len() + fractions.len() <= MOST_COMBINED {
            combined.extend(self.whole.iter().filter(|v| **v > 0).map(|v| v.isqrt()));
            for a in &self.whole {
                for b in &self.whole {
                    combined.extend([a.saturating_add(*b), a.saturating_sub(*b), a.saturating_mul(*b)]);
                    combined.extend([a ^ b, a & b, a | b]);
                    combined.extend(a.checked_div(*b));
                    combined.extend(shifted(*a, *b).into_iter().flatten());
                }
            }
            let whole = self.whole.iter().map(|v| *v as f64);
            let all: Vec<f64> = whole.chain(fractions.iter().copied()).collect();
            let pairs = all.iter().flat_map(|a| fractions.iter().flat_map(|b| [(*a, *b), (*b, *a)]));
            combined_fractions = pairs.flat_map(|(a, b)| [a + b, a - b, a * b, a / b]).collect();
            combined_fractions.retain(|v| v.is_finite());
        }
        let numbers: Vec<i128> = self.whole.iter().copied().collect();
        let mut whole = self.whole;
        let mut sizes = self.sizes;
        if self.casts {
            let capacities = || self.scalars.iter().filter_map(|s| capacity(*s));
            whole.extend(capacities());
            // Between the greatest number of a float that is narrower and what the rule says, there may be others.
            whole.extend(
                self.scalars
                    .contains(&Scalar::F16)
                    .then_some([MOST_OF_HALF, -MOST_OF_HALF])
                    .into_iter()
                    .flatten(),
            );
            // A sum of all numbers below one of these is more.
            sizes.extend(capacities().map(|most| (2 * most).isqrt() + 1).filter(|n| *n < LONG_SUM));
            // So is a sum, or a sum of products, of fewer of the greatest numbers of a type.
            let short = self.scalars.iter().filter(|s| s.is_integer() && s.bytes() <= 2);
            let greatest: Vec<i128> = short.map(|s| s.extremes().1).collect();
            let sums = greatest.iter().flat_map(|m| capacities().flat_map(move |c| [c / m, c / (m * m)]));
            // And a position times a number, or divided by one.
            let factors = self.casts_naturals.then(|| numbers.iter().filter(|n| **n > 1).take(FACTORS));
            let factors = factors.into_iter().flatten();
            let parts = factors.flat_map(|f| capacities().flat_map(move |c| [c / f, c.saturating_mul(*f)]));
            let long = sums.chain(parts).filter(|n| LONG_ARRAYS.contains(n));
            sizes.extend(long.map(|n| n + A_FEW).collect::<Vec<_>>());
            if self.casts_naturals {
                // Of an array with as many elements some positions are more.
                sizes.extend(capacities());
            }
        }
        let combined = combined.difference(&whole).copied().collect();
        let (whole, sizes) = (whole.into_iter().collect(), sizes.into_iter().collect());
        Mentioned { whole, fractions, combined, combined_fractions, sizes }
    }
}

/// A number shifted by another one, where that is a number of bits.
fn shifted(a: i128, b: i128) -> Option<[i128; 2]> {
    let by = u32::try_from(b).ok().filter(|by| *by < 64)?;
    Some([a.saturating_mul(1 << by), a >> by])
}

/// The value of a literal without variables.
fn constant(l: &Literal) -> Option<Value> {
    Value::literal(l, &Sizes::new()).ok()
}

/// The value of a part of a side that has no variables but these sizes.
pub(super) fn value_of_side(p: &Pat, sizes: &Sizes) -> Option<Value> {
    let (mut head, mut args) = (p, vec![]);
    while let PatNode::App(f, x) = &head.node {
        args.push(&**x);
        head = f;
    }
    match &head.node {
        PatNode::Lit(l) if args.is_empty() => Value::literal(l, sizes).ok(),
        PatNode::Prim(op, _) => {
            computed(*op, args.into_iter().rev().map(|arg| value_of_side(arg, sizes)), &p.ty)
        }
        _ => None,
    }
}

/// The value of a term that has no variables.
fn value_of_term(t: &Term) -> Option<Value> {
    if let Expr::Lit(l) = t.expr() {
        return constant(l);
    }
    let (op, args) = t.as_pattern_app()?;
    computed(op.pattern, args.into_iter().map(value_of_term), t.ty())
}

fn computed(op: Pattern, operands: impl Iterator<Item = Option<Value>>, result: &Type) -> Option<Value> {
    let operands = operands.collect::<Option<Vec<Value>>>()?;
    if !op.is_lanewise() || operands.is_empty() {
        return None;
    }
    eval::scalar(Arithmetic::MACHINE, op, &operands, result).ok()
}

/// The functions of one side that the other side has not, and that libraries round each in their own way.
pub(super) fn rounded_on_one_side(rule: &Rule) -> Vec<Pattern> {
    let of = |side: &Pat| -> BTreeSet<Pattern> {
        let patterns = side.nodes().into_iter().filter_map(|node| match &node.node {
            PatNode::Prim(p, _) => Some(*p),
            _ => None,
        });
        patterns.filter(|p| math::is_rounded_by_libraries(*p)).collect()
    };
    let mut found = BTreeSet::new();
    for eq in rule.equations() {
        found.extend(of(&eq.sides.lhs).symmetric_difference(&of(&eq.sides.rhs)));
    }
    found.into_iter().collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;

    #[test]
    fn parts_without_variables_count_by_their_values() {
        let long = |v: i128| Term::lit(Literal::Int(v, Scalar::I32));
        let product = b::mul(b::mul(long(2), long(1000)).unwrap(), long(1000)).unwrap();
        let sum = b::add(product, long(7)).unwrap();
        let mentioned = Mentioned::by_term(&sum);
        assert!(mentioned.whole.contains(&2_000_007), "{:?}", mentioned.whole);
    }

    #[test]
    fn one_step_back_from_a_comparison_is_among_what_comes_of_two_numbers() {
        let quotient = b::add(b::f32(3.0), b::f32(300.0)).unwrap();
        let mentioned = Mentioned::by_term(&quotient);
        for wanted in [100, 297, 303, 900] {
            assert!(mentioned.combined.contains(&wanted) || mentioned.whole.contains(&wanted), "{wanted}");
        }
        let double = |v: f64| Term::lit(Literal::Float(v.to_bits(), Scalar::F64));
        let mentioned = Mentioned::by_term(&b::add(double(0.1), double(0.2)).unwrap());
        assert!(mentioned.fractions.contains(&(0.1 + 0.2)), "{:?}", mentioned.fractions);
    }
}
