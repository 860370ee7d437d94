//! Values of an associative operator as sequences of what it is applied to: brackets and neutral values gone, reductions
//! of reductions one reduction. Only a rule that re-associates may be proved so.

use super::equal::Asked;
use super::meaning::Reader;
use super::value::{Fold, Neutral, Role, Value};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind};
use crate::rule::condition::Condition;
use std::cell::Cell;
use std::rc::Rc;

/// The most nested reductions whose order is changed.
const DEEPEST: usize = 4;

/// An operator of which laws are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Variable(usize),
    /// Sums are exact, as far as a rule that re-associates is concerned.
    Sum,
}

type Word = Vec<Item>;
type Words = Rc<dyn Fn(&[Nat]) -> Word>;

#[derive(Clone)]
enum Item {
    One(Value),
    /// The words at all indices below the lengths, the last running fastest.
    All(Vec<Nat>, Words),
}

/// Reads words of one operator.
#[derive(Clone)]
struct Speller {
    reader: Reader,
    operator: Operator,
    ty: Type,
    commutes: bool,
    /// Was a neutral value left out?
    dropped: Rc<Cell<bool>>,
}

impl Reader {
    /// Are both the same by the laws of an operator?
    pub fn by_axioms(&self, left: &Value, right: &Value, ty: &Type) -> bool {
        self.operators(ty).into_iter().any(|(operator, commutative)| {
            let ways = [false, true].into_iter().filter(|commutes| !commutes || commutative);
            ways.into_iter().any(|commutes| self.speller(operator, ty, commutes).agree(left, right))
        })
    }

    /// Is this an operator whose applications may be grouped in any way?
    pub fn regroups(&self, f: &Value, ty: &Type) -> bool {
        let hidden = [self.0.variable(), self.0.variable()];
        let [a, b] = hidden.map(|x| Neutral::Fresh(x).value(ty));
        let applied = self.forced(&f.apply(a).apply(b));
        self.operators(ty).into_iter().any(|(operator, _)| {
            let speller = self.speller(operator, ty, false);
            let word = speller.word(&applied);
            let regroups = word.len() == hidden.len() && word.iter().zip(hidden).all(|(i, x)| i.is_fresh(x));
            if regroups {
                speller.tell();
            }
            regroups
        })
    }

    fn speller(&self, operator: Operator, ty: &Type, commutes: bool) -> Speller {
        let dropped = Rc::new(Cell::new(false));
        Speller { reader: self.clone(), operator, ty: ty.clone(), commutes, dropped }
    }

    /// The associative operators of values of a type, each with whether it is commutative: none where sums are rounded.
    fn operators(&self, ty: &Type) -> Vec<(Operator, bool)> {
        if !self.0.reassociates {
            return vec![];
        }
        let operands = |f: usize| {
            self.0.ty(&self.0.eq.vars[f].ty).as_fun().is_some_and(|(a, _)| a == ty)
                && self.0.eq.vars[f].scope.is_empty()
        };
        let mut operators: Vec<(Operator, bool)> = vec![];
        for c in &self.0.eq.conditions {
            if let Condition::Assoc(f) = c
                && operands(*f)
            {
                operators.push((Operator::Variable(*f), self.0.says(|c| *c == Condition::Commutative(*f))));
            }
        }
        if matches!(ty.kind(), TypeKind::Scalar(_) | TypeKind::Var(_)) {
            operators.push((Operator::Sum, true));
        }
        operators
    }
}

impl Item {
    fn is_fresh(&self, variable: u32) -> bool {
        matches!(self, Item::One(Value::Unknown(n)) if matches!(**n, Neutral::Fresh(x) if x == variable))
    }
}

impl Speller {
    fn agree(&self, left: &Value, right: &Value) -> bool {
        let (a, b) = (self.word(left), self.word(right));
        if matches!((a.as_slice(), b.as_slice()), ([Item::One(_)], [Item::One(_)])) || !self.same(&a, &b) {
            return false;
        }
        self.tell();
        true
    }

    /// Notes the laws that were used.
    fn tell(&self) {
        let ctx = &self.reader.0;
        match self.operator {
            Operator::Sum => ctx.used("exact sums".to_owned()),
            Operator::Variable(f) => {
                ctx.used(format!("associativity of {}", ctx.name(f)));
                if self.commutes {
                    ctx.used(format!("commutativity of {}", ctx.name(f)));
                }
                if self.dropped.get() {
                    ctx.used(format!("the neutral value of {}", ctx.name(f)));
                }
            }
        }
    }

    fn word(&self, v: &Value) -> Word {
        let itself = || vec![Item::One(v.clone())];
        let Value::Unknown(n) = v else { return itself() };
        if !self.reader.0.step() {
            return vec![Item::One(Value::Stuck)];
        }
        if self.is_neutral(n) {
            self.dropped.set(true);
            return vec![];
        }
        match &**n {
            Neutral::Apply(f, _, b) => match (&**f, self.operator) {
                (Neutral::Apply(f, _, a), Operator::Variable(op)) => match &**f {
                    Neutral::Symbol(s) if s.variable == op && s.role == Role::Itself => self.joined(a, b),
                    _ => itself(),
                },
                _ => itself(),
            },
            Neutral::Operation(o) if self.operator == Operator::Sum && o.pattern == Pattern::Add => {
                match o.operands.as_slice() {
                    [a, b] => self.joined(a, b),
                    _ => itself(),
                }
            }
            Neutral::Fold(f) if f.ty == self.ty => self.reduction(f).unwrap_or_else(itself),
            _ => itself(),
        }
    }

    fn joined(&self, a: &Value, b: &Value) -> Word {
        let mut word = self.word(a);
        word.extend(self.word(b));
        word
    }

    fn is_neutral(&self, n: &Neutral) -> bool {
        match (n, self.operator) {
            (Neutral::Symbol(z), Operator::Variable(op)) => {
                self.reader.0.says(|c| *c == Condition::Neutral(op, z.variable))
            }
            (Neutral::Symbol(z), Operator::Sum) => self.reader.0.says(|c| *c == Condition::Zero(z.variable)),
            (Neutral::Literal(Literal::Int(v, _)), Operator::Sum) => *v == 0,
            (Neutral::Literal(Literal::Float(bits, _)), Operator::Sum) => f64::from_bits(*bits) == 0.0,
            _ => false,
        }
    }

    /// The start and then what each step adds, if a step does nothing else with what it is given.
    fn reduction(&self, f: &Fold) -> Option<Word> {
        let hidden = self.reader.0.variable();
        let (this, step, ty) = (self.clone(), f.step.clone(), self.ty.clone());
        let added = move |k: &[Nat]| -> Option<Word> {
            let acc = Neutral::Fresh(hidden).value(&ty);
            let mut word = this.word(&this.reader.forced(&step(acc, &k[0])));
            let at = word.iter().position(|i| i.is_fresh(hidden)).filter(|at| *at == 0 || this.commutes)?;
            word.remove(at);
            Some(word)
        };
        let probe = added(&[self.reader.0.index(&f.length)])?;
        if probe.iter().any(|i| self.mentions(i, hidden)) {
            return None;
        }
        let stuck = || vec![Item::One(Value::Stuck)];
        let all = Item::All(vec![f.length.clone()], Rc::new(move |k| added(k).unwrap_or_else(stuck)));
        let mut word = self.word(&f.start);
        word.extend(self.flat(all, &probe));
        Some(word)
    }

    /// Reductions of nothing but reductions, or of nothing, are one reduction, or none.
    fn flat(&self, all: Item, probe: &[Item]) -> Option<Item> {
        let Item::All(mut lengths, words) = all else { return Some(all) };
        match probe {
            [] => None,
            [Item::All(inner, _)] => {
                let outer = lengths.len();
                lengths.extend(inner.iter().cloned());
                let inside = move |k: &[Nat]| match words(&k[..outer]).as_slice() {
                    [Item::All(_, inner)] => inner(&k[outer..]),
                    _ => vec![Item::One(Value::Stuck)],
                };
                Some(Item::All(lengths, Rc::new(inside)))
            }
            _ => Some(Item::All(lengths, words)),
        }
    }

    fn mentions(&self, item: &Item, variable: u32) -> bool {
        match item {
            Item::One(v) => self.reader.mentions(v, &self.ty, variable),
            Item::All(lengths, words) => {
                words(&self.reader.indices(lengths)).iter().any(|i| self.mentions(i, variable))
            }
        }
    }

    fn same(&self, a: &[Item], b: &[Item]) -> bool {
        if a.len() != b.len() {
            return false;
        }
        if !self.commutes {
            return a.iter().zip(b).all(|(x, y)| self.same_item(x, y));
        }
        let mut left: Vec<&Item> = b.iter().collect();
        a.iter().all(|x| match left.iter().position(|y| self.same_item(x, y)) {
            Some(at) => {
                left.remove(at);
                true
            }
            None => false,
        })
    }

    fn same_item(&self, a: &Item, b: &Item) -> bool {
        match (a, b) {
            (Item::One(a), Item::One(b)) => self.reader.equal(a, b, &self.ty, Asked::Same),
            (Item::All(m, f), Item::All(n, g)) => {
                let ctx = &self.reader.0;
                let total = product(m);
                if m.len() > DEEPEST || n.len() > DEEPEST || !ctx.same(&total, &product(n)) {
                    return false;
                }
                let k = ctx.index(&total);
                let left = f(&self.digits(&k, m));
                let orders = if self.commutes { orders(n.len()) } else { vec![(0..n.len()).collect()] };
                orders.into_iter().any(|order| {
                    let lengths: Vec<Nat> = order.iter().map(|i| n[*i].clone()).collect();
                    let digits = self.digits(&k, &lengths);
                    let place = |i: usize| order.iter().position(|o| *o == i).map(|p| digits[p].clone());
                    let at: Option<Vec<Nat>> = (0..n.len()).map(place).collect();
                    at.is_some_and(|at| self.same(&left, &g(&at)))
                })
            }
            _ => false,
        }
    }

    /// The indices that `k` counts, the last running fastest.
    fn digits(&self, k: &Nat, lengths: &[Nat]) -> Vec<Nat> {
        let ctx = &self.reader.0;
        (0..lengths.len())
            .map(|i| {
                let rest = ctx.div(k, &product(&lengths[i + 1..]));
                if i == 0 { rest } else { ctx.modulo(&rest, &lengths[i]) }
            })
            .collect()
    }
}

fn product(lengths: &[Nat]) -> Nat {
    lengths.iter().fold(Nat::constant(1), |p, n| p.mul(n))
}

/// Every order of the numbers below `n`.
fn orders(n: usize) -> Vec<Vec<usize>> {
    (0..n).fold(vec![vec![]], |all, i| {
        let inserted = |o: &Vec<usize>| {
            let o = o.clone();
            (0..=o.len()).map(move |at| {
                let mut o = o.clone();
                o.insert(at, i);
                o
            })
        };
        all.iter().flat_map(inserted).collect()
    })
}
