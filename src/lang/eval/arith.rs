//! What the scalar patterns mean.

use super::failure;
use crate::diag::Diagnostic;
use crate::math::{self, Function};
use crate::pattern::Pattern;
use crate::ty::{Scalar, Type, TypeKind};
use crate::value::{Value, half};

/// A pattern of one scalar; the result type is asked by `cast` alone.
pub fn unary(pattern: Pattern, x: &Value, result: &Type) -> Result<Value, Diagnostic> {
    if matches!(x, Value::Undefined) {
        return Ok(Value::Undefined);
    }
    if pattern == Pattern::Cast {
        return cast(x, result).ok_or_else(|| failure::ill_typed(format!("{x} is cast to {result}")));
    }
    let ill = || failure::ill_typed(format!("`{pattern}` of {x}"));
    Ok(match x {
        Value::Bool(b) if pattern == Pattern::Not => Value::Bool(!b),
        Value::Int(v, s) => match pattern {
            Pattern::Neg => Value::int(-v, *s),
            Pattern::BitNot => Value::int(!v, *s),
            Pattern::Abs => Value::int(v.abs(), *s),
            _ => return Err(ill()),
        },
        Value::Nat(v) => match pattern {
            Pattern::Abs => Value::Nat(v.saturating_abs()),
            Pattern::Neg => Value::Nat(v.saturating_neg()),
            _ => return Err(ill()),
        },
        Value::F16(v) => Value::F16(half::round(float32(pattern, *v).ok_or_else(ill)?)),
        Value::F32(v) => Value::F32(float32(pattern, *v).ok_or_else(ill)?),
        Value::F64(v) => Value::F64(match pattern {
            Pattern::Neg => -v,
            Pattern::Abs => v.abs(),
            _ => match math::of(pattern).map(|row| row.function) {
                Some(Function::Unary(_, f)) => f(*v),
                _ => return Err(ill()),
            },
        }),
        _ => return Err(ill()),
    })
}

fn float32(pattern: Pattern, v: f32) -> Option<f32> {
    Some(match pattern {
        Pattern::Neg => -v,
        Pattern::Abs => v.abs(),
        _ => match math::of(pattern)?.function {
            Function::Unary(f, _) => f(v),
            Function::Binary(..) => return None,
        },
    })
}

/// C's conversions, but floats beyond an integer type's range become its nearest number, and NaN zero.
fn cast(x: &Value, to: &Type) -> Option<Value> {
    let integer = match x {
        Value::Bool(b) => Some(i128::from(*b)),
        Value::Int(v, _) => Some(*v),
        Value::Nat(v) => Some(i128::from(*v)),
        _ => None,
    };
    let float = match x {
        Value::F16(v) | Value::F32(v) => Some(f64::from(*v)),
        Value::F64(v) => Some(*v),
        _ => None,
    };
    let to = match to.kind() {
        TypeKind::Scalar(to) => to,
        TypeKind::NatType => {
            return integer.map(|v| v as i64).or(float.map(|v| v as i64)).map(Value::Nat);
        }
        _ => return None,
    };
    Some(match (to, integer, float) {
        (Scalar::Bool, Some(v), _) => Value::Bool(v != 0),
        (Scalar::Bool, _, Some(v)) => Value::Bool(v != 0.0),
        // Conversion through another float type would round twice.
        (Scalar::F32, Some(v), _) => Value::F32(v as f32),
        (Scalar::F64, Some(v), _) => Value::F64(v as f64),
        (Scalar::F16, Some(v), _) => Value::F16(half::round(v as f32)),
        (Scalar::F32 | Scalar::F64 | Scalar::F16, _, Some(v)) => Value::float(v, *to)?,
        (_, Some(v), _) => Value::int(v, *to),
        (_, _, Some(v)) => Value::Int(saturate(v, *to), *to),
        (_, None, None) => return None,
    })
}

/// The integer of the type nearest to `v` rounded towards zero.
pub fn saturate(v: f64, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::I8 => i128::from(v as i8),
        Scalar::I16 => i128::from(v as i16),
        Scalar::I32 => i128::from(v as i32),
        Scalar::I64 => i128::from(v as i64),
        Scalar::U8 => i128::from(v as u8),
        Scalar::U16 => i128::from(v as u16),
        Scalar::U32 => i128::from(v as u32),
        Scalar::U64 => i128::from(v as u64),
        Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => v as i128,
    }
}

/// A pattern of two scalars of one type.
pub fn binary(pattern: Pattern, x: &Value, y: &Value) -> Result<Value, Diagnostic> {
    let ill = || failure::ill_typed(format!("`{pattern}` of {x} and {y}"));
    Ok(match (x, y) {
        (Value::Undefined, _) | (_, Value::Undefined) => Value::Undefined,
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(compare(pattern, a, b).ok_or_else(ill)?),
        (Value::Int(a, s), Value::Int(-1, t))
            if s == t && divides(pattern) && Value::int(-a, *s) == *x && *a != 0 =>
        {
            return Err(failure::quotient_too_large(pattern, *s));
        }
        (Value::Int(a, s), Value::Int(b, t)) if s == t => match integers(pattern, *a, *b, Some(*s))? {
            Answer::Number(v) => Value::int(v, *s),
            Answer::Truth(b) => Value::Bool(b),
            Answer::None => return Err(ill()),
        },
        (Value::Nat(_), Value::Nat(0)) if divides(pattern) => return Err(failure::division_by_zero(pattern)),
        // As sizes do: the remainder is never negative.
        (Value::Nat(a), Value::Nat(b)) if divides(pattern) => {
            let found = if pattern == Pattern::Div {
                a.checked_div_euclid(*b)
            } else {
                Some(a.wrapping_rem_euclid(*b))
            };
            Value::Nat(found.ok_or_else(|| failure::number_too_large(pattern))?)
        }
        (Value::Nat(a), Value::Nat(b)) => match integers(pattern, (*a).into(), (*b).into(), None)? {
            Answer::Number(v) => {
                Value::Nat(i64::try_from(v).map_err(|_| failure::number_too_large(pattern))?)
            }
            Answer::Truth(b) => Value::Bool(b),
            Answer::None => return Err(ill()),
        },
        (Value::F16(a), Value::F16(b)) => match floats32(pattern, *a, *b) {
            Answer::Number(v) => Value::F16(half::round(v)),
            Answer::Truth(b) => Value::Bool(b),
            Answer::None => return Err(ill()),
        },
        (Value::F32(a), Value::F32(b)) => match floats32(pattern, *a, *b) {
            Answer::Number(v) => Value::F32(v),
            Answer::Truth(b) => Value::Bool(b),
            Answer::None => return Err(ill()),
        },
        (Value::F64(a), Value::F64(b)) => match floats64(pattern, *a, *b) {
            Answer::Number(v) => Value::F64(v),
            Answer::Truth(b) => Value::Bool(b),
            Answer::None => return Err(ill()),
        },
        _ => return Err(ill()),
    })
}

fn divides(pattern: Pattern) -> bool {
    matches!(pattern, Pattern::Div | Pattern::Mod)
}

enum Answer<T> {
    Number(T),
    Truth(bool),
    None,
}

/// What a comparison says of two numbers; none for other patterns.
pub fn compare<T: PartialOrd>(pattern: Pattern, a: &T, b: &T) -> Option<bool> {
    Some(match pattern {
        Pattern::Gt => a > b,
        Pattern::Lt => a < b,
        Pattern::Ge => a >= b,
        Pattern::Le => a <= b,
        Pattern::Equal => a == b,
        Pattern::NotEqual => a != b,
        _ => return None,
    })
}

/// How far a shift goes: the count is taken modulo the number of bits, so that there is an answer for every count.
pub fn shift_count(count: i128, scalar: Scalar) -> u32 {
    (count & (8 * scalar.bytes() as i128 - 1)) as u32
}

fn integers(pattern: Pattern, a: i128, b: i128, scalar: Option<Scalar>) -> Result<Answer<i128>, Diagnostic> {
    if let Some(truth) = compare(pattern, &a, &b) {
        return Ok(Answer::Truth(truth));
    }
    Ok(Answer::Number(match (pattern, scalar) {
        (Pattern::BitAnd, Some(_)) => a & b,
        (Pattern::BitOr, Some(_)) => a | b,
        (Pattern::BitXor, Some(_)) => a ^ b,
        (Pattern::ShiftLeft, Some(s)) => a << shift_count(b, s),
        (Pattern::ShiftRight, Some(s)) => a >> shift_count(b, s),
        (Pattern::Add, _) => a + b,
        (Pattern::Sub, _) => a - b,
        (Pattern::Mul, _) => a.wrapping_mul(b),
        (Pattern::Div | Pattern::Mod, _) if b == 0 => return Err(failure::division_by_zero(pattern)),
        (Pattern::Div, _) => a / b,
        (Pattern::Mod, _) => a % b,
        (Pattern::Min, _) => a.min(b),
        (Pattern::Max, _) => a.max(b),
        _ => return Ok(Answer::None),
    }))
}

macro_rules! floats {
    ($name:ident, $float:ty, $pick:expr) => {
        fn $name(pattern: Pattern, a: $float, b: $float) -> Answer<$float> {
            if let Some(truth) = compare(pattern, &a, &b) {
                return Answer::Truth(truth);
            }
            Answer::Number(match pattern {
                Pattern::Add => a + b,
                Pattern::Sub => a - b,
                Pattern::Mul => a * b,
                Pattern::Div => a / b,
                Pattern::Mod => a % b,
                Pattern::Min if b < a || a.is_nan() => b,
                Pattern::Max if b > a || a.is_nan() => b,
                Pattern::Min | Pattern::Max => a,
                _ => {
                    let op: Option<fn($float, $float) -> $float> = math::of(pattern).and_then($pick);
                    let Some(op) = op else { return Answer::None };
                    op(a, b)
                }
            })
        }
    };
}
floats!(floats32, f32, |row| if let Function::Binary(f, _) = row.function { Some(f) } else { None });
floats!(floats64, f64, |row| if let Function::Binary(_, f) = row.function { Some(f) } else { None });

#[cfg(test)]
mod tests {
    use super::*;

    fn int(v: i128, s: Scalar) -> Value {
        Value::Int(v, s)
    }

    #[test]
    fn integers_wrap_and_divide_towards_zero() {
        let op = |p, a, b, s| binary(p, &int(a, s), &int(b, s)).unwrap();
        assert_eq!(op(Pattern::Add, 127, 1, Scalar::I8), int(-128, Scalar::I8));
        assert_eq!(op(Pattern::Sub, 0, 1, Scalar::U32), int(4_294_967_295, Scalar::U32));
        let max = i128::from(u64::MAX);
        assert_eq!(op(Pattern::Mul, max, max, Scalar::U64), int(1, Scalar::U64));
        assert_eq!(op(Pattern::Div, -7, 2, Scalar::I32), int(-3, Scalar::I32));
        assert_eq!(op(Pattern::Mod, -7, 2, Scalar::I32), int(-1, Scalar::I32));
        let min = i128::from(i32::MIN);
        for p in [Pattern::Div, Pattern::Mod] {
            assert_eq!(binary(p, &int(min, Scalar::I32), &int(-1, Scalar::I32)).unwrap_err().code, "E0193");
        }
        assert_eq!(op(Pattern::Div, min + 1, -1, Scalar::I32), int(-min - 1, Scalar::I32));
        assert!(binary(Pattern::Div, &int(1, Scalar::I8), &int(0, Scalar::I8)).is_err());
        assert!(binary(Pattern::Mod, &Value::Nat(1), &Value::Nat(0)).is_err());
    }

    #[test]
    fn floats_round_to_their_own_type() {
        // In f64 the sum would keep the small part.
        let sum = binary(Pattern::Add, &Value::F32(16_777_216.0), &Value::F32(1.0)).unwrap();
        assert_eq!(sum, Value::F32(16_777_216.0));
        let half = binary(Pattern::Add, &Value::F16(2048.0), &Value::F16(1.0)).unwrap();
        assert_eq!(half, Value::F16(2048.0));
        assert_eq!(binary(Pattern::Min, &Value::F32(f32::NAN), &Value::F32(2.0)).unwrap(), Value::F32(2.0));
        assert_eq!(binary(Pattern::Max, &Value::F32(2.0), &Value::F32(f32::NAN)).unwrap(), Value::F32(2.0));
    }

    #[test]
    fn casts() {
        let s = Type::scalar;
        let to = |x: Value, t| unary(Pattern::Cast, &x, &s(t)).unwrap();
        assert_eq!(to(Value::F32(-3.9), Scalar::I32), int(-3, Scalar::I32));
        assert_eq!(to(Value::F32(1e20), Scalar::I32), int(i32::MAX.into(), Scalar::I32));
        assert_eq!(to(Value::F32(f32::NAN), Scalar::U8), int(0, Scalar::U8));
        assert_eq!(to(int(300, Scalar::I32), Scalar::U8), int(44, Scalar::U8));
        assert_eq!(to(int(16_777_217, Scalar::I32), Scalar::F32), Value::F32(16_777_216.0));
        assert_eq!(to(Value::F64(0.1), Scalar::F32), Value::F32(0.1));
        assert_eq!(to(Value::Undefined, Scalar::F32), Value::Undefined);
    }

    #[test]
    fn undefined_stays_undefined() {
        let sum = binary(Pattern::Add, &Value::Undefined, &Value::F32(1.0)).unwrap();
        assert_eq!(sum, Value::Undefined);
        assert_eq!(unary(Pattern::Neg, &Value::Undefined, &Type::f32()).unwrap(), Value::Undefined);
    }
}
