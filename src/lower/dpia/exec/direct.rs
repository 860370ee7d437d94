//! Values of expressions that are only scalars and cells of memory, which are most, without a term.

use super::Machine;
use crate::dpia::{Kind, Phrase};
use crate::lang::eval::{self, Arithmetic};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::lang::ty::Type;
use crate::lang::value::Value;

impl Machine {
    /// None also where anything is amiss or undefined, so that the interpreter alone says what that means.
    pub(super) fn direct(&mut self, e: &Phrase) -> Option<Value> {
        match e.kind() {
            Kind::Var(x) => Some(self.find(x)?.1.clone()),
            Kind::Lit(l) => Value::literal(l, &self.numbers).ok(),
            Kind::Number(n, parts) => {
                let value = self.number(n, parts)?;
                self.within(value, &e.data())
            }
            Kind::Pattern(p, args, operands) if args.is_empty() || *p == Pattern::NatAsIndex => {
                self.pattern(*p, operands, &e.data())
            }
            _ => None,
        }
    }

    fn pattern(&mut self, p: Pattern, operands: &[Phrase], result: &Type) -> Option<Value> {
        match (p, operands) {
            (Pattern::Select, [condition, then, otherwise]) => match self.direct(condition)? {
                Value::Bool(true) => self.direct(then),
                Value::Bool(false) => self.direct(otherwise),
                _ => None,
            },
            (Pattern::Idx, [i, xs]) => {
                let Value::Nat(i) = self.direct(i)? else { return None };
                self.element(xs, i)
            }
            (Pattern::Fst, [x]) => Some(self.direct(x)?.as_pair()?.0.clone()),
            (Pattern::Snd, [x]) => Some(self.direct(x)?.as_pair()?.1.clone()),
            (Pattern::MakePair, [x, y]) => Some(Value::pair(self.direct(x)?, self.direct(y)?)),
            (Pattern::IndexAsNat, [x]) => self.direct(x),
            (Pattern::NatAsIndex, [x]) => match self.direct(x)? {
                Value::Nat(i) => self.within(i, result),
                _ => None,
            },
            (p, operands) if p.is_lanewise() => {
                let operands: Option<Vec<Value>> = operands.iter().map(|x| self.direct(x)).collect();
                let operands = operands?;
                let Some((lanes, result)) = result.as_vector() else {
                    return eval::scalar(Arithmetic::MACHINE, p, &operands, result).ok();
                };
                let lane = |i: usize| {
                    let of = |v: &Value| v.as_vector()?.get(i).cloned();
                    let operands: Option<Vec<Value>> = operands.iter().map(of).collect();
                    eval::scalar(Arithmetic::MACHINE, p, &operands?, result).ok()
                };
                let lanes = usize::try_from(self.nat(lanes).ok()?).ok()?;
                Some(Value::vector((0..lanes).map(lane).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// The element of an array, or lane of a vector, without the others, which may be many: what views show of memory is
    /// found there.
    fn element(&mut self, xs: &Phrase, i: i64) -> Option<Value> {
        let ty = xs.data();
        let (Kind::Pattern(p, args, operands), Some((n, _))) = (xs.kind(), ty.as_array()) else {
            return self.stored(xs, i);
        };
        if !(0..self.nat(n).ok()?).contains(&i) {
            return None;
        }
        match (p, args.as_slice(), operands.as_slice()) {
            (Pattern::Zip, _, [a, b]) => Some(Value::pair(self.element(a, i)?, self.element(b, i)?)),
            (Pattern::Take, _, [x]) => self.element(x, i),
            (Pattern::Drop, [Arg::Nat(first)], [x]) => {
                let first = self.nat(first).ok()?;
                self.element(x, i.checked_add(first)?)
            }
            (Pattern::Split, [Arg::Nat(n)], [x]) => Some(Value::array(self.row(x, i, n)?)),
            (Pattern::AsVector | Pattern::AsVectorAligned, [Arg::Nat(n)], [x]) => {
                Some(Value::vector(self.row(x, i, n)?))
            }
            _ => self.stored(xs, i),
        }
    }

    /// The row of this number, of rows of `n`.
    fn row(&mut self, x: &Phrase, row: i64, n: &Nat) -> Option<Vec<Value>> {
        let n = self.nat(n).ok()?;
        let first = row.checked_mul(n)?;
        (first..first.checked_add(n)?).map(|i| self.element(x, i)).collect()
    }

    fn stored(&mut self, xs: &Phrase, i: i64) -> Option<Value> {
        let xs = self.direct(xs)?;
        let elements = xs.as_array().or_else(|| xs.as_vector())?;
        elements.get(usize::try_from(i).ok()?).cloned()
    }

    /// A number whose parts are computed.
    fn number(&mut self, n: &Nat, parts: &[(Name, Phrase)]) -> Option<i64> {
        if parts.is_empty() {
            return self.nat(n).ok();
        }
        let mut known = Vec::with_capacity(parts.len());
        for (x, part) in parts {
            let Value::Nat(value) = self.direct(part)? else { return None };
            known.push((x, value));
        }
        let part = |x: &str| known.iter().find(|(y, _)| &***y == x).map(|(_, v)| *v);
        n.eval(&|x| part(x).or_else(|| self.numbers.get(x).copied())).ok()
    }

    /// The number, if it is of the type: an index is below its bound.
    fn within(&self, value: i64, ty: &Type) -> Option<Value> {
        let fits = match ty.as_index() {
            Some(bound) => (0..self.nat(bound).ok()?).contains(&value),
            None => true,
        };
        fits.then_some(Value::Nat(value))
    }
}
