//! When two values are the same, whatever the sizes, types and functions of the rule are.

use super::meaning::Reader;
use super::value::{Cases, Fold, Neutral, Operation, Symbol, Value};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind};
use crate::rule::pat::PatArg;
use std::rc::Rc;

/// What of a comparison is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// Right is what left is wherever left is defined.
    Refines,
    /// Both are the same, and defined at the same places.
    Same,
}

impl Reader {
    /// The value in the case that is known to hold.
    pub fn forced(&self, v: &Value) -> Value {
        let mut v = v.clone();
        loop {
            let next = match &v {
                Value::Cases(c) => {
                    self.0.decide(c).map(|case| if case { (c.then)() } else { (c.otherwise)() })
                }
                Value::Unknown(n) => self.resolved(n),
                _ => None,
            };
            match next {
                Some(next) if self.0.step() => v = next,
                _ => return v,
            }
        }
    }

    /// The value, where what was supposed of an index or a truth says more of it.
    fn resolved(&self, n: &Neutral) -> Option<Value> {
        match n {
            Neutral::At(n, i) => Some(self.resolved(n)?.at(i)),
            Neutral::First(n) => Some(self.resolved(n)?.first()),
            Neutral::Second(n) => Some(self.resolved(n)?.second()),
            Neutral::Operation(o) => {
                let chooser = o.chooser()?;
                let supposed = self.0.supposed(&|n| self.neutral(n, chooser))?;
                Some(self.chosen(o, supposed))
            }
            _ => None,
        }
    }

    /// What an operation chooses.
    fn chosen(&self, o: &Operation, by: Value) -> Value {
        match (o.pattern, by) {
            (Pattern::Idx, Value::Nat(i)) => o.operands[1].at(&i),
            (_, truth) => {
                let mut operands = o.operands.clone();
                operands[0] = truth;
                self.select(&o.params[0], &o.result, operands)
            }
        }
    }

    /// Compares in every case of what chooses the left value: where that is undefined, so is the left value.
    fn supposing(&self, n: &Neutral, holds: &dyn Fn() -> bool) -> Option<bool> {
        let choice = match n {
            Neutral::At(n, _) | Neutral::First(n) | Neutral::Second(n) => return self.supposing(n, holds),
            Neutral::Operation(o) => o,
            _ => return None,
        };
        let chooser = choice.chooser()?;
        let cases = match choice.params[0].kind() {
            TypeKind::Index(n) => vec![Value::Nat(self.0.index(n))],
            _ => [true, false].map(|b| Value::literal(Literal::Bool(b))).to_vec(),
        };
        Some(cases.into_iter().all(|case| self.0.suppose(chooser, case, holds)))
    }

    pub fn equal(&self, left: &Value, right: &Value, ty: &Type, asked: Asked) -> bool {
        if !self.0.step() {
            return false;
        }
        let (left, right) = (self.forced(left), self.forced(right));
        match (&left, &right) {
            (Value::Cases(c), _) => return self.split(c, &|l| self.equal(l, &right, ty, asked)),
            (_, Value::Cases(c)) => return self.split(c, &|r| self.equal(&left, r, ty, asked)),
            (Value::Undefined, Value::Undefined) => return true,
            (Value::Undefined, _) if asked == Asked::Refines => return true,
            (Value::Stuck, _) | (_, Value::Stuck) => return false,
            _ => {}
        }
        if let Value::Unknown(n) = &left
            && asked == Asked::Refines
            && let Some(holds) = self.supposing(n, &|| self.equal(&left, &right, ty, asked))
        {
            return holds;
        }
        match ty.kind() {
            TypeKind::Fun(a, b) => {
                let x = self.0.unknown(a);
                self.equal(&left.apply(x.clone()), &right.apply(x), b, asked)
            }
            TypeKind::Pair(a, b) => {
                self.equal(&left.first(), &right.first(), a, asked)
                    && self.equal(&left.second(), &right.second(), b, asked)
            }
            TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
                let i = self.0.index(n);
                self.equal(&left.at(&i), &right.at(&i), t, asked)
            }
            _ => match (&left, &right) {
                (Value::Nat(a), Value::Nat(b)) => self.0.same(a, b),
                (Value::Unknown(a), Value::Unknown(b)) if self.neutral(a, b) => true,
                (Value::Unknown(_), Value::Unknown(_)) => {
                    self.by_axioms(&left, &right, ty) || self.by_laws(&left, &right, ty, asked)
                }
                _ => false,
            },
        }
    }

    fn split(&self, c: &Cases, holds: &dyn Fn(&Value) -> bool) -> bool {
        self.0.in_both(&c.natural, &|case| holds(&if case { (c.then)() } else { (c.otherwise)() }))
    }

    pub fn neutral(&self, left: &Neutral, right: &Neutral) -> bool {
        use Neutral as N;
        if !self.0.step() {
            return false;
        }
        match (left, right) {
            (N::Symbol(a), N::Symbol(b)) => self.symbols(a, b),
            (N::Fresh(a), N::Fresh(b)) => a == b,
            (N::Literal(a), N::Literal(b)) => a == b,
            (N::Apply(f, s, x), N::Apply(g, t, y)) => {
                s == t && self.neutral(f, g) && self.equal(x, y, s, Asked::Same)
            }
            (N::At(a, i), N::At(b, j)) => self.neutral(a, b) && self.0.same(i, j),
            (N::First(a), N::First(b)) | (N::Second(a), N::Second(b)) => self.neutral(a, b),
            (N::Operation(a), N::Operation(b)) => self.operations(a, b),
            (N::Fold(a), N::Fold(b)) => self.folds(a, b),
            _ => false,
        }
    }

    fn symbols(&self, a: &Symbol, b: &Symbol) -> bool {
        let scope = &self.0.eq.vars[a.variable].scope;
        let types = scope.iter().map(|(_, t)| self.0.ty(t)).collect::<Vec<_>>();
        a.variable == b.variable
            && a.role == b.role
            && a.scope.len() == types.len()
            && b.scope.len() == types.len()
            && (a.scope.iter().zip(&b.scope).zip(&types)).all(|((x, y), t)| self.equal(x, y, t, Asked::Same))
    }

    fn operations(&self, a: &Operation, b: &Operation) -> bool {
        let same_argument = |(x, y): (&PatArg, &PatArg)| match (x, y) {
            (PatArg::Nat(x), PatArg::Nat(y)) => self.0.same(x, y),
            (x, y) => x == y,
        };
        a.pattern == b.pattern
            && a.result == b.result
            && a.params == b.params
            && a.args.len() == b.args.len()
            && a.args.iter().zip(&b.args).all(same_argument)
            && a.operands.len() == b.operands.len()
            && (a.operands.iter().zip(&b.operands).zip(&a.params))
                .all(|((x, y), t)| self.equal(x, y, t, Asked::Same))
    }

    fn folds(&self, a: &Fold, b: &Fold) -> bool {
        if a.ty != b.ty || !self.0.same(&a.length, &b.length) {
            return false;
        }
        let (acc, k) = (self.0.unknown(&a.ty), self.0.index(&a.length));
        self.equal(&a.start, &b.start, &a.ty, Asked::Same)
            && self.equal(&(a.step)(acc.clone(), &k), &(b.step)(acc, &k), &a.ty, Asked::Same)
    }

    /// Does the made-up variable stand in the value?
    pub fn mentions(&self, v: &Value, ty: &Type, variable: u32) -> bool {
        if !self.0.step() {
            return true;
        }
        match (self.forced(v), ty.kind()) {
            (Value::Cases(c), _) => {
                let either = |v: &Value| !self.mentions(v, ty, variable);
                !self.split(&c, &either)
            }
            (Value::Stuck, _) => true,
            (Value::Undefined | Value::Nat(_), _) => false,
            (v, TypeKind::Fun(a, b)) => self.mentions(&v.apply(self.0.unknown(a)), b, variable),
            (v, TypeKind::Pair(a, b)) => {
                self.mentions(&v.first(), a, variable) || self.mentions(&v.second(), b, variable)
            }
            (v, TypeKind::Array(n, t) | TypeKind::Vector(n, t)) => {
                self.mentions(&v.at(&self.0.index(n)), t, variable)
            }
            (Value::Unknown(n), _) => self.neutral_mentions(&n, variable),
            _ => true,
        }
    }

    fn neutral_mentions(&self, n: &Rc<Neutral>, variable: u32) -> bool {
        use Neutral as N;
        match &**n {
            N::Fresh(i) => *i == variable,
            N::Literal(_) => false,
            N::Symbol(s) => {
                let types = self.0.eq.vars[s.variable].scope.iter().map(|(_, t)| self.0.ty(t));
                s.scope.iter().zip(types).any(|(x, t)| self.mentions(x, &t, variable))
            }
            N::Apply(f, t, x) => self.neutral_mentions(f, variable) || self.mentions(x, t, variable),
            N::At(n, _) | N::First(n) | N::Second(n) => self.neutral_mentions(n, variable),
            N::Operation(o) => o.operands.iter().zip(&o.params).any(|(x, t)| self.mentions(x, t, variable)),
            N::Fold(f) => {
                let step = (f.step)(self.0.unknown(&f.ty), &self.0.index(&f.length));
                self.mentions(&f.start, &f.ty, variable) || self.mentions(&step, &f.ty, variable)
            }
        }
    }

    /// An index for each of these lengths.
    pub fn indices(&self, lengths: &[Nat]) -> Vec<Nat> {
        lengths.iter().map(|n| self.0.index(n)).collect()
    }
}
