//! Values of expressions that are only scalars and cells of memory, which are most, without a term.

use super::Machine;
use crate::lang::eval;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use crate::lang::value::Value;
use crate::lower::dpia::{Kind, Phrase};

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
                let xs = self.direct(xs)?;
                xs.as_array()?.get(usize::try_from(i).ok()?).cloned()
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
                eval::scalar(p, &operands?, result).ok()
            }
            _ => None,
        }
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
