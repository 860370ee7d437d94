//! Values in all lanes: the same in each, vectors, masks, and choices among them.

use super::operations::signed;
use super::{At, Found, Unfit, Value, minus};
use crate::code::{Generator, broken};
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lower::dpia::{Kind, Phrase, extent};
use crate::scalar::is_divisible;
use crate::syntax::Expr;

impl Generator {
    pub(super) fn splat(&mut self, e: Expr, s: Scalar, at: &At) -> Expr {
        let ty = self.vector_type(s, at.n);
        Expr::Call(format!("({ty})"), vec![e])
    }

    /// The vector of a value of a type, as it lies in memory.
    pub(super) fn many(&mut self, v: Value, s: Scalar, at: &At) -> Found<Expr> {
        Ok(match v {
            Value::One(e) => self.splat(e, s, at),
            Value::Many(e) => e,
            Value::Mask(m, _) if s == Scalar::Bool => self.converted(minus(m), s, at),
            Value::Mask(..) => return Err(broken("a truth value as a number").into()),
        })
    }

    /// The value as an operand of an operation on vectors: a float may stand for all lanes.
    pub(super) fn operand(&mut self, v: Value, s: Scalar, at: &At) -> Found<Expr> {
        match v {
            Value::One(e) if s.is_float() => Ok(e),
            v => self.many(v, s, at),
        }
    }

    pub(super) fn converted(&mut self, e: Expr, to: Scalar, at: &At) -> Expr {
        let ty = self.vector_type(to, at.n);
        Expr::Call(format!("convert_{ty}"), vec![e])
    }

    /// A truth value as a mask of so many bytes.
    pub(super) fn mask(&mut self, v: Value, bytes: usize, at: &At) -> Found<Expr> {
        let s = signed(bytes);
        Ok(match v {
            Value::Mask(m, b) if b == bytes => m,
            Value::Mask(m, _) => self.converted(m, s, at),
            Value::One(c) => {
                let all = match &c {
                    Expr::Text(t) if t == "true" => Expr::int(-1),
                    Expr::Text(t) if t == "false" => Expr::int(0),
                    _ => Expr::Conditional(Box::new(c), Box::new(Expr::int(-1)), Box::new(Expr::int(0))),
                };
                self.splat(all, s, at)
            }
            Value::Many(_) => return Err(broken("a number as a truth value").into()),
        })
    }

    /// A value in all lanes.
    pub(super) fn lanes_of(&mut self, e: &Phrase, at: &At) -> Found<Value> {
        let scalar = e.data().in_memory().ok_or(Unfit::Scalars)?;
        if at.is_same(e) {
            return Ok(Value::One(self.value(e)?));
        }
        if self.is_cell(e) {
            return self.cell_of_lanes(e, scalar, at);
        }
        match e.kind() {
            Kind::Pattern(Pattern::Cast, _, ps)
                if let [half] = ps.as_slice()
                    && self.is_given_half(half)? =>
            {
                if scalar == Scalar::F32 {
                    self.halves_of_lanes(half, e, at)
                } else {
                    Err(Unfit::Scalars)
                }
            }
            Kind::Number(..) => Ok(Value::Many(self.built(e, scalar, at)?)),
            Kind::Pattern(Pattern::Idx, ..) if scalar != Scalar::Bool => {
                Ok(Value::Many(self.built(e, scalar, at)?))
            }
            Kind::Pattern(Pattern::Select, _, ps) => match ps.as_slice() {
                [c, a, b] => self.selected(c, a, b, scalar, at),
                _ => Err(broken("a choice without its arguments").into()),
            },
            Kind::Pattern(p, _, ps) => self.operation_of_lanes(*p, ps, scalar, at),
            _ => Err(Unfit::Scalars),
        }
    }

    fn selected(&mut self, c: &Phrase, a: &Phrase, b: &Phrase, s: Scalar, at: &At) -> Found<Value> {
        if at.is_same(c) {
            self.loads.has_choice = true;
            let c = self.value(c)?;
            let (a, b) = (self.lanes_of(a, at)?, self.lanes_of(b, at)?);
            let choice = |a: Expr, b: Expr| Expr::Conditional(Box::new(c.clone()), Box::new(a), Box::new(b));
            if s == Scalar::Bool {
                let bytes = bytes_of(&[&a, &b]);
                let (a, b) = (self.mask(a, bytes, at)?, self.mask(b, bytes, at)?);
                return Ok(Value::Mask(choice(a, b), bytes));
            }
            let (a, b) = (self.many(a, s, at)?, self.many(b, s, at)?);
            return Ok(Value::Many(choice(a, b)));
        }
        // Both sides are computed, in all lanes.
        if !self.is_total(a) || !self.is_total(b) {
            return Err(Unfit::Scalars);
        }
        let c = self.lanes_of(c, at)?;
        let (a, b) = (self.lanes_of(a, at)?, self.lanes_of(b, at)?);
        self.one_of(c, a, b, s, at)
    }

    pub(super) fn one_of(&mut self, c: Value, a: Value, b: Value, s: Scalar, at: &At) -> Found<Value> {
        if s != Scalar::Bool {
            let c = self.mask(c, s.bytes(), at)?;
            let (a, b) = (self.many(a, s, at)?, self.many(b, s, at)?);
            return Ok(Value::Many(Expr::call("select", vec![b, a, c])));
        }
        let is = |v: &Value, text: &str| matches!(v, Value::One(Expr::Text(t)) if t == text);
        let (is_true, is_false) = (is(&a, "true"), is(&b, "false"));
        let bytes = bytes_of(&[&c, &a, &b]);
        let c = self.mask(c, bytes, at)?;
        let (a, b) = (self.mask(a, bytes, at)?, self.mask(b, bytes, at)?);
        let out = match (is_true, is_false) {
            (true, _) => Expr::binary("|", c, b),
            (_, true) => Expr::binary("&", c, a),
            _ => Expr::call("select", vec![b, a, c]),
        };
        Ok(Value::Mask(out, bytes))
    }

    /// Has the expression a value in every lane, whatever is chosen?
    pub(super) fn is_total(&self, e: &Phrase) -> bool {
        let within = |e: &Phrase| match e.kind() {
            Kind::Pattern(Pattern::Idx, _, ps) => match ps.as_slice() {
                [i, x] => i.as_number().is_some_and(|(n, parts)| {
                    let n = self.at_lane(&n).simplify(&self.ranges);
                    let size = extent(&x.data());
                    parts.is_empty()
                        && n.is_natural(&self.ranges)
                        && size.sub(&n).sub(&Nat::constant(1)).is_natural(&self.ranges)
                }),
                _ => false,
            },
            Kind::Pattern(Pattern::Div | Pattern::Mod, _, ps) => is_divisible(&e.data(), ps.get(1)),
            Kind::Pattern(Pattern::Declared(_), ..) => false,
            _ => true,
        };
        !e.any(&mut |p| !within(p))
    }
}

/// The bytes of the first mask.
pub(super) fn bytes_of(values: &[&Value]) -> usize {
    values.iter().find_map(|v| if let Value::Mask(_, b) = v { Some(*b) } else { None }).unwrap_or(1)
}
