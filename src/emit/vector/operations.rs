//! Operations on vectors that mean what they do on scalars.

use super::values::bytes_of;
use super::{At, Found, Unfit, Value, minus};
use crate::code::{Generator, Helper, broken};
use crate::lang::math;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lower::dpia::Phrase;
use crate::scalar;
use crate::syntax::Expr;

impl Generator {
    pub(super) fn operation_of_lanes(
        &mut self,
        p: Pattern,
        ps: &[Phrase],
        to: Scalar,
        at: &At,
    ) -> Found<Value> {
        let ty = ps.first().map(Phrase::data).ok_or_else(|| broken("an operation without its arguments"))?;
        // Numbers of indices and sizes are computed as such.
        let s = ty.as_scalar().ok_or(Unfit::Scalars)?;
        let mut values = ps.iter().map(|q| self.lanes_of(q, at)).collect::<Found<Vec<_>>>()?.into_iter();
        let mut next =
            || values.next().ok_or_else(|| Unfit::Failed(broken("an operation without its arguments")));
        let is_float = s.is_float();
        if s == Scalar::Bool {
            return match p {
                Pattern::Not => {
                    let v = next()?;
                    let bytes = bytes_of(&[&v]);
                    let m = self.mask(v, bytes, at)?;
                    Ok(Value::Mask(Expr::Unary("~", Box::new(m)), bytes))
                }
                Pattern::Equal | Pattern::NotEqual => {
                    let (a, b) = (next()?, next()?);
                    let bytes = bytes_of(&[&a, &b]);
                    let (a, b) = (self.mask(a, bytes, at)?, self.mask(b, bytes, at)?);
                    Ok(Value::Mask(Expr::binary(p.operator().unwrap_or_default(), a, b), bytes))
                }
                Pattern::Cast if to == Scalar::Bool => next(),
                Pattern::Cast => {
                    let m = self.mask(next()?, to.bytes(), at)?;
                    let one = minus(m);
                    let is_same = signed(to.bytes()) == to;
                    Ok(Value::Many(if is_same { one } else { self.converted(one, to, at) }))
                }
                _ => Err(Unfit::Scalars),
            };
        }
        if p.is_comparison() {
            let (a, b) = (next()?, next()?);
            let (a, b) = (self.operand(a, s, at)?, self.operand(b, s, at)?);
            return Ok(Value::Mask(Expr::binary(p.operator().unwrap_or_default(), a, b), s.bytes()));
        }
        if let Some(symbol) = scalar::ring(p) {
            let values = if p == Pattern::Neg { vec![next()?] } else { vec![next()?, next()?] };
            let mut operands = vec![];
            for v in values {
                operands.push(match v {
                    Value::One(e) if s.is_signed_integer() => self.splat(e, unsigned(s), at),
                    v => {
                        let e = self.operand(v, s, at)?;
                        if s.is_signed_integer() { self.as_unsigned(e, s, at) } else { e }
                    }
                });
            }
            let mut operands = operands.into_iter();
            let e = match (operands.next(), operands.next()) {
                (Some(a), Some(b)) => Expr::binary(symbol, a, b),
                (Some(a), None) => Expr::Unary(symbol, Box::new(a)),
                _ => return Err(broken("an operation without its arguments").into()),
            };
            return Ok(Value::Many(if s.is_signed_integer() { self.as_signed(e, s, at) } else { e }));
        }
        Ok(Value::Many(match p {
            Pattern::Div | Pattern::Mod if !is_float => {
                let (a, b) = (next()?, next()?);
                let (a, b) = (self.many(a, s, at)?, self.many(b, s, at)?);
                if scalar::is_divisible(&ty, ps.get(1)) {
                    Expr::binary(quotient(p), a, b)
                } else {
                    let n = u8::try_from(at.n).map_err(|_| Unfit::Scalars)?;
                    self.helper(Helper::Lanes(p, s, n), vec![a, b])
                }
            }
            Pattern::Div => {
                let (a, b) = (next()?, next()?);
                Expr::binary("/", self.operand(a, s, at)?, self.operand(b, s, at)?)
            }
            Pattern::BitAnd | Pattern::BitOr | Pattern::BitXor => {
                let symbol = match p {
                    Pattern::BitAnd => "&",
                    Pattern::BitOr => "|",
                    _ => "^",
                };
                let (a, b) = (next()?, next()?);
                Expr::binary(symbol, self.many(a, s, at)?, self.many(b, s, at)?)
            }
            Pattern::BitNot => {
                let v = next()?;
                Expr::Unary("~", Box::new(self.many(v, s, at)?))
            }
            Pattern::ShiftLeft | Pattern::ShiftRight => {
                let (a, count) = (next()?, next()?);
                let (a, count) = (self.many(a, s, at)?, self.many(count, s, at)?);
                let bits = self.splat(Expr::int(8 * s.bytes() - 1), s, at);
                let count = Expr::binary("&", count, bits);
                if p == Pattern::ShiftRight {
                    Expr::binary(">>", a, count)
                } else if s.is_signed_integer() {
                    let (a, count) = (self.as_unsigned(a, s, at), self.as_unsigned(count, s, at));
                    self.as_signed(Expr::binary("<<", a, count), s, at)
                } else {
                    Expr::binary("<<", a, count)
                }
            }
            Pattern::Cast if s == to => {
                let v = next()?;
                self.many(v, s, at)?
            }
            Pattern::Cast if to == Scalar::Bool => {
                let v = next()?;
                let (v, zero) = (self.many(v, s, at)?, self.splat(Expr::int(0), s, at));
                return Ok(Value::Mask(Expr::binary("!=", v, zero), s.bytes()));
            }
            // A float that no integer of the type is near to takes more than a conversion.
            Pattern::Cast if is_float && !to.is_float() => {
                let n = u8::try_from(at.n).map_err(|_| Unfit::Scalars)?;
                let v = next()?;
                let v = self.many(v, s, at)?;
                self.helper(Helper::Nearest(to, s, n), vec![v])
            }
            Pattern::Cast => {
                let v = next()?;
                let v = self.many(v, s, at)?;
                self.converted(v, to, at)
            }
            Pattern::Abs => {
                let v = next()?;
                let v = self.many(v, s, at)?;
                match u8::try_from(at.n) {
                    _ if is_float => Expr::call("fabs", vec![v]),
                    _ if !s.is_signed_integer() => v,
                    Ok(n) => self.helper(Helper::Lanes(p, s, n), vec![v]),
                    Err(_) => return Err(Unfit::Scalars),
                }
            }
            Pattern::Min | Pattern::Max => {
                let (a, b) = (next()?, next()?);
                let args = vec![self.many(a, s, at)?, self.many(b, s, at)?];
                match u8::try_from(at.n) {
                    Ok(n) if is_float => self.helper(Helper::Lanes(p, s, n), args),
                    _ => Expr::call(p.name(), args),
                }
            }
            Pattern::Mod => {
                let (a, b) = (next()?, next()?);
                Expr::call("fmod", vec![self.many(a, s, at)?, self.many(b, s, at)?])
            }
            p if let Some(row) = math::of(p) => {
                let args = (0..ps.len())
                    .map(|_| {
                        let v = next()?;
                        self.many(v, s, at)
                    })
                    .collect::<Found<Vec<_>>>()?;
                self.math(row.c_name, Some(s), args)
            }
            _ => return Err(Unfit::Scalars),
        }))
    }

    /// The bits of a vector of signed integers, for arithmetic that wraps.
    fn as_unsigned(&mut self, e: Expr, s: Scalar, at: &At) -> Expr {
        let back = format!("as_{}", self.vector_type(s, at.n));
        match e {
            Expr::Call(f, mut args) if f == back && args.len() == 1 => args.remove(0),
            e => {
                let ty = self.vector_type(unsigned(s), at.n);
                Expr::Call(format!("as_{ty}"), vec![e])
            }
        }
    }

    fn as_signed(&mut self, e: Expr, s: Scalar, at: &At) -> Expr {
        let ty = self.vector_type(s, at.n);
        Expr::Call(format!("as_{ty}"), vec![e])
    }

    /// The text of the nearest integers to floats in lanes, rounded towards zero, and of zero for NaN.
    pub(crate) fn nearest_function(&mut self, to: Scalar, from: Scalar, n: u8) -> String {
        let name = Helper::Nearest(to, from, n).name();
        let (to, from) = (self.vector_type(to, n.into()), self.vector_type(from, n.into()));
        format!(
            "\n{to} {name}({from} a) {{\n  return convert_{to}_sat(select(({from})(0), a, a == a));\n}}\n"
        )
    }

    /// The text of a quotient of integers in lanes, or of what is left over: 0 where there is none, as of scalars.
    fn quotient_of_lanes(&mut self, p: Pattern, s: Scalar, n: u8) -> String {
        let (ty, name) = (self.vector_type(s, n.into()), Helper::Lanes(p, s, n).name());
        let mask = self.vector_type(signed(s.bytes()), n.into());
        let without = if s.is_signed_integer() {
            format!("(b == ({ty})(0)) | ((b == ({ty})(-1)) & (a == ({ty})({})))", self.extremes(s).0)
        } else {
            format!("b == ({ty})(0)")
        };
        let symbol = quotient(p);
        format!(
            "\n{ty} {name}({ty} a, {ty} b) {{\n  {mask} without = {without};\n  \
             return select(a {symbol} select(b, ({ty})(1), without), ({ty})(0), without);\n}}\n"
        )
    }

    /// The text of a minimum or maximum of floats in lanes, of the absolute values of signed integers, or of their quotients.
    pub(crate) fn vector_function(&mut self, p: Pattern, s: Scalar, n: u8) -> String {
        let ty = self.vector_type(s, n.into());
        let name = Helper::Lanes(p, s, n).name();
        if matches!(p, Pattern::Div | Pattern::Mod) {
            return self.quotient_of_lanes(p, s, n);
        }
        if p == Pattern::Abs {
            let wrapping = self.vector_type(unsigned(s), n.into());
            return format!("\n{ty} {name}({ty} a) {{\n  return max(a, as_{ty}(-as_{wrapping}(a)));\n}}\n");
        }
        let symbol = if p == Pattern::Min { "<=" } else { ">=" };
        format!("\n{ty} {name}({ty} a, {ty} b) {{\n  return select(b, a, (a {symbol} b) | (b != b));\n}}\n")
    }
}

fn quotient(p: Pattern) -> &'static str {
    if p == Pattern::Div { "/" } else { "%" }
}

pub(super) fn signed(bytes: usize) -> Scalar {
    match bytes {
        1 => Scalar::I8,
        2 => Scalar::I16,
        4 => Scalar::I32,
        _ => Scalar::I64,
    }
}

fn unsigned(s: Scalar) -> Scalar {
    match s.bytes() {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}
