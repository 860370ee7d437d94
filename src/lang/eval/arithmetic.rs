//! The arithmetics that a program can be run in: that of the machine, or one for asking what a rewrite may change.

use super::{arith, failure};
use crate::diag::Diagnostic;
use crate::math::{self, Function};
use crate::pattern::Pattern;
use crate::ty::{Scalar, Type, TypeKind};
use crate::value::{Exact, Value};
use num_rational::{BigRational, Ratio};
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, ToPrimitive, Zero};
use std::cmp::Ordering;

/// What floating-point operations mean. Integers always are those of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Arithmetic {
    /// Without rounding, overflow and the sign of zero: see [`Exact`].
    pub exact: bool,
    /// Operations with an operand or a result that is NaN or infinite have no value.
    pub finite: bool,
}

impl Arithmetic {
    /// What programs compute.
    pub const MACHINE: Arithmetic = Arithmetic { exact: false, finite: false };

    /// A pattern of one or two scalars.
    ///
    /// # Errors
    /// As of [`Arithmetic::unary`] and [`Arithmetic::binary`].
    pub(super) fn scalar(self, p: Pattern, operands: &[Value], result: &Type) -> Result<Value, Diagnostic> {
        match operands {
            [x] => self.unary(p, x, result),
            [x, y] => self.binary(p, x, y),
            _ => Err(failure::ill_typed(format!("`{p}` of {} arguments", operands.len()))),
        }
    }

    /// A pattern of one scalar.
    ///
    /// # Errors
    /// The operand is of no type that the pattern takes.
    fn unary(self, p: Pattern, x: &Value, result: &Type) -> Result<Value, Diagnostic> {
        if self == Arithmetic::MACHINE {
            return arith::unary(p, x, result);
        }
        let x = &self.operand(x);
        let value = match x {
            Value::Exact(v, s) if p == Pattern::Cast => cast(v, *s, result),
            Value::Exact(v, s) => Value::Exact(function(p, v)?, *s),
            _ if p == Pattern::Cast && self.exact => from_whole(arith::unary(p, x, result)?, x, result),
            _ => arith::unary(p, x, result)?,
        };
        Ok(self.result(value))
    }

    /// A pattern of two scalars of one type.
    ///
    /// # Errors
    /// The operands are of no type that the pattern takes, or the operation has no result.
    fn binary(self, p: Pattern, x: &Value, y: &Value) -> Result<Value, Diagnostic> {
        if self == Arithmetic::MACHINE {
            return arith::binary(p, x, y);
        }
        let (x, y) = (&self.operand(x), &self.operand(y));
        let value = match (x, y) {
            (Value::Exact(a, s), Value::Exact(b, t)) if s == t => operation(p, a, b, *s)?,
            _ => arith::binary(p, x, y)?,
        };
        Ok(self.result(value))
    }

    fn operand(self, x: &Value) -> Value {
        let x = if self.exact { exactly(x) } else { x.clone() };
        self.result(x)
    }

    fn result(self, x: Value) -> Value {
        if self.finite && is_special(&x) { Value::Undefined } else { x }
    }
}

fn is_special(x: &Value) -> bool {
    match x {
        Value::F16(v) | Value::F32(v) => !v.is_finite(),
        Value::F64(v) => !v.is_finite(),
        Value::Exact(v, _) => !v.is_finite(),
        _ => false,
    }
}

/// The value with the floats in it as numbers that are not rounded.
pub(super) fn exactly(x: &Value) -> Value {
    match x {
        Value::F16(v) => Value::Exact(Exact::of_float((*v).into(), Scalar::F16), Scalar::F16),
        Value::F32(v) => Value::Exact(Exact::of_float((*v).into(), Scalar::F32), Scalar::F32),
        Value::F64(v) => Value::Exact(Exact::of_float(*v, Scalar::F64), Scalar::F64),
        Value::Pair(p) => Value::pair(exactly(&p.0), exactly(&p.1)),
        Value::Array(c) => Value::array(c.iter().map(exactly).collect()),
        Value::Vector(c) => Value::vector(c.iter().map(exactly).collect()),
        Value::Undefined | Value::Bool(_) | Value::Int(..) | Value::Nat(_) | Value::Exact(..) => x.clone(),
    }
}

fn function(p: Pattern, x: &Exact) -> Result<Exact, Diagnostic> {
    use Pattern as P;
    let of = |f: fn(&BigRational) -> BigRational| match x {
        Exact::Fraction(v) => Exact::fraction(f(v)),
        other => other.clone(),
    };
    Ok(match p {
        P::Neg => match x {
            Exact::Infinite { negative } => Exact::Infinite { negative: !negative },
            _ => of(|v| -v),
        },
        P::Abs if x.sign() == Some(-1) => function(P::Neg, x)?,
        P::Abs => x.clone(),
        P::Floor => of(BigRational::floor),
        P::Ceil => of(BigRational::ceil),
        P::Round => of(BigRational::round),
        P::Trunc => of(BigRational::trunc),
        _ => match math::of(p) {
            Some(row) if matches!(row.function, Function::Unary(..)) => {
                Exact::uninterpreted(row.c_name, &[x])
            }
            _ => return Err(failure::ill_typed(format!("`{p}` of {x}"))),
        },
    })
}

/// Operands with more bits take too long: where a number is squared again and again, they double.
const MOST_BITS: u64 = 1 << 15;

fn operation(p: Pattern, a: &Exact, b: &Exact, s: Scalar) -> Result<Value, Diagnostic> {
    use Pattern as P;
    let order = || a.compare(b);
    if p.is_comparison() {
        // Two floats in the same order, or in none.
        let (x, y) = match order() {
            None => (f32::NAN, 0.0),
            Some(Ordering::Less) => (0.0, 1.0),
            Some(Ordering::Equal) => (0.0, 0.0),
            Some(Ordering::Greater) => (1.0, 0.0),
        };
        if let Some(truth) = arith::compare(p, &x, &y) {
            return Ok(Value::Bool(truth));
        }
    }
    if a.bits() + b.bits() > MOST_BITS {
        return Err(failure::too_long());
    }
    let value = match p {
        P::Min if a.is_nan() || order() == Some(Ordering::Greater) => b.clone(),
        P::Max if a.is_nan() || order() == Some(Ordering::Less) => b.clone(),
        P::Min | P::Max => a.clone(),
        P::Add => sum(a, b),
        P::Sub => sum(a, &function(P::Neg, b)?),
        P::Mul => product(a, b),
        P::Div => quotient(a, b),
        P::Mod => remainder(a, b),
        _ => match math::of(p) {
            Some(row) if matches!(row.function, Function::Binary(..)) => {
                Exact::uninterpreted(row.c_name, &[a, b])
            }
            _ => return Err(failure::ill_typed(format!("`{p}` of {a} and {b}"))),
        },
    };
    Ok(Value::Exact(value, s))
}

/// An operation on two fractions. Most are short, and are reduced many times as fast as numbers of any length are.
fn of_both(
    x: &BigRational,
    y: &BigRational,
    on_short: fn(&Ratio<i128>, &Ratio<i128>) -> Option<Ratio<i128>>,
    on_any: fn(&BigRational, &BigRational) -> BigRational,
) -> Exact {
    let short =
        |v: &BigRational| Some(Ratio::new_raw(v.numer().to_i64()?.into(), v.denom().to_i64()?.into()));
    let of_short = short(x).zip(short(y)).and_then(|(x, y)| on_short(&x, &y)).map(|v| {
        let (numerator, denominator) = v.into_raw();
        BigRational::new_raw(numerator.into(), denominator.into())
    });
    Exact::fraction(of_short.unwrap_or_else(|| on_any(x, y)))
}

fn sum(a: &Exact, b: &Exact) -> Exact {
    match (a, b) {
        (Exact::Fraction(x), Exact::Fraction(y)) => of_both(x, y, Ratio::checked_add, |x, y| x + y),
        (Exact::NotANumber, _) | (_, Exact::NotANumber) => Exact::NotANumber,
        (Exact::Infinite { .. }, Exact::Infinite { .. }) if a != b => Exact::NotANumber,
        (Exact::Infinite { .. }, _) => a.clone(),
        (_, Exact::Infinite { .. }) => b.clone(),
    }
}

fn product(a: &Exact, b: &Exact) -> Exact {
    match (a, b) {
        (Exact::Fraction(x), Exact::Fraction(y)) => of_both(x, y, Ratio::checked_mul, |x, y| x * y),
        _ => infinite(a, b),
    }
}

/// What has the sign of the product and no bound; NaN where a factor is zero or NaN.
fn infinite(a: &Exact, b: &Exact) -> Exact {
    match (a.sign(), b.sign()) {
        (Some(s), Some(t)) if s * t != 0 => Exact::Infinite { negative: s * t < 0 },
        _ => Exact::NotANumber,
    }
}

/// A number divided by zero is infinite and keeps its sign, as if every zero were positive.
fn quotient(a: &Exact, b: &Exact) -> Exact {
    match (a, b) {
        (Exact::Fraction(_), Exact::Fraction(y)) if y.is_zero() => infinite(a, &Exact::whole(1)),
        (Exact::Fraction(x), Exact::Fraction(y)) => of_both(x, y, Ratio::checked_div, |x, y| x / y),
        (Exact::Fraction(_), Exact::Infinite { .. }) => Exact::whole(0),
        (Exact::Infinite { .. }, Exact::Fraction(y)) if y.is_zero() => a.clone(),
        (Exact::Infinite { .. }, Exact::Fraction(_)) => infinite(a, b),
        _ => Exact::NotANumber,
    }
}

fn remainder(a: &Exact, b: &Exact) -> Exact {
    match (a, b) {
        (Exact::Fraction(_), Exact::Fraction(y)) if y.is_zero() => Exact::NotANumber,
        (Exact::Fraction(x), Exact::Fraction(y)) => Exact::fraction(x.as_ref() % y.as_ref()),
        (Exact::Fraction(_), Exact::Infinite { .. }) => a.clone(),
        _ => Exact::NotANumber,
    }
}

/// Rounding to a type that does not hold the number is uninterpreted.
fn rounded(v: &Exact, to: Scalar) -> Exact {
    if v.is_held_by(to) { v.clone() } else { Exact::uninterpreted(to.name(), &[v]) }
}

fn cast(v: &Exact, from: Scalar, to: &Type) -> Value {
    match to.kind() {
        TypeKind::Scalar(Scalar::Bool) => Value::Bool(v.sign() != Some(0)),
        TypeKind::Scalar(to) if to.is_float() && to.bytes() >= from.bytes() => Value::Exact(v.clone(), *to),
        TypeKind::Scalar(to) if to.is_float() => Value::Exact(rounded(v, *to), *to),
        TypeKind::Scalar(to) => {
            let (least, most) = to.extremes();
            Value::Int(v.truncated().clamp(least, most), *to)
        }
        _ => Value::Undefined,
    }
}

/// A whole number as a float is itself where the type holds it.
fn from_whole(cast: Value, x: &Value, to: &Type) -> Value {
    let whole = match x {
        Value::Int(v, _) => *v,
        Value::Nat(v) => (*v).into(),
        _ => return exactly(&cast),
    };
    match to.as_scalar().filter(|s| s.is_float()) {
        Some(to) => Value::Exact(rounded(&Exact::whole(whole), to), to),
        None => cast,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(v: f64) -> Value {
        Value::F64(v)
    }

    #[test]
    fn short_fractions_are_computed_as_long_ones() {
        let far = [i64::MIN, i64::MAX, i64::MAX - 1, 1 << 32, -(1 << 40)];
        let whole: Vec<i64> = (-3..7).chain(far).collect();
        let parts = whole.iter().flat_map(|n| [1, 2, 3, 12, i64::MAX].map(|d| (*n, d)));
        let fractions: Vec<BigRational> = parts.map(|(n, d)| BigRational::new(n.into(), d.into())).collect();
        for x in &fractions {
            for y in &fractions {
                let of = |v: &BigRational| Exact::fraction(v.clone());
                assert_eq!(sum(&of(x), &of(y)), Exact::fraction(x + y));
                assert_eq!(product(&of(x), &of(y)), Exact::fraction(x * y));
                if !y.is_zero() {
                    assert_eq!(quotient(&of(x), &of(y)), Exact::fraction(x / y));
                }
            }
        }
    }

    #[test]
    fn nothing_is_rounded() {
        let exact = Arithmetic { exact: true, finite: false };
        let shown = |p, a, b| exact.binary(p, &f(a), &f(b)).unwrap().to_string();
        assert_eq!(shown(Pattern::Add, 0.1, 0.2), "0.3");
        assert_eq!(shown(Pattern::Div, 1.0, 3.0), "1/3");
        assert_eq!(shown(Pattern::Mul, 1e300, 1e300), format!("1{}.0", "0".repeat(600)));
        assert_eq!(shown(Pattern::Div, -1.0, 0.0), "-inf");
        assert_eq!(shown(Pattern::Sub, f64::INFINITY, f64::INFINITY), "NaN");
        assert_eq!(shown(Pattern::Mul, f64::INFINITY, 0.0), "NaN");
        assert_eq!(shown(Pattern::Mod, -7.5, 2.0), "-1.5");
        assert_eq!(shown(Pattern::Min, f64::NAN, 2.0), "2.0");
        let cast = |x: Value, to| exact.unary(Pattern::Cast, &x, &Type::scalar(to)).unwrap().to_string();
        assert_eq!(cast(f(2.9), Scalar::U8), "2");
        assert_eq!(cast(f(-300.0), Scalar::I8), "-128");
        assert_eq!(cast(Value::Nat(7), Scalar::F32), "7.0");
        assert_ne!(cast(f(0.1), Scalar::F16), "0.1");
        assert_ne!(cast(Value::Int(16_777_217, Scalar::I32), Scalar::F32), "16777217.0");
    }

    #[test]
    fn what_is_not_finite_has_no_value() {
        let finite = Arithmetic { exact: false, finite: true };
        let of = |p, a, b| finite.binary(p, &f(a), &f(b)).unwrap();
        assert_eq!(of(Pattern::Mul, f64::MAX, 2.0), Value::Undefined);
        assert_eq!(of(Pattern::Lt, f64::NAN, 2.0), Value::Undefined);
        assert_eq!(of(Pattern::Add, 1.0, 2.0), f(3.0));
    }
}
