//! Scalar operations as code. What they mean is said in `eval::arith`; tests compare the two.

use super::frame::{Ex, Failure, Frame, Index, Kind, read_slot};
use super::place::{CellKind, cell_kind};
use crate::eval::arith::{saturate, shift_count};
use crate::literal::Literal;
use crate::math::{self, Function};
use crate::pattern::Pattern;
use crate::ty::Scalar;
use crate::value::{half, wrap};
use std::rc::Rc;

#[derive(Clone)]
pub enum Code {
    F32(Ex<f32>),
    F64(Ex<f64>),
    Int(Ex<i64>),
    Bool(Ex<bool>),
}

/// A scalar that is computed when the program runs.
#[derive(Clone)]
pub struct Number {
    /// Its type; none for natural numbers and indices.
    pub scalar: Option<Scalar>,
    pub code: Code,
    /// Is reading it again as cheap as keeping it?
    pub cheap: bool,
    /// Its value, where that is a constant plus multiples of slots.
    pub index: Option<Index>,
    /// Its value, where it is an integer that is written in the program.
    pub literal: Option<i64>,
    /// Is it defined? Always where there is nothing here.
    pub defined: Option<Ex<bool>>,
    /// How deep its code is nested.
    pub nested: u32,
}

fn ex<T>(f: impl Fn(&Frame) -> T + 'static) -> Ex<T> {
    Rc::new(f)
}

/// Both must hold.
pub fn both(a: &Option<Ex<bool>>, b: &Option<Ex<bool>>) -> Option<Ex<bool>> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let (a, b) = (a.clone(), b.clone());
            Some(ex(move |f| a(f) && b(f)))
        }
        (Some(a), None) | (None, Some(a)) => Some(a.clone()),
        (None, None) => None,
    }
}

impl Number {
    /// Is it a number above zero that is written in the program?
    pub fn is_positive_literal(&self) -> bool {
        let written = |i: &Index| i.terms.is_empty().then_some(i.constant);
        self.literal.or_else(|| self.index.as_ref().and_then(written)).is_some_and(|v| v > 0)
            && self.defined.is_none()
    }

    pub fn index(index: Index) -> Number {
        Number {
            scalar: None,
            code: Code::Int(index.code()),
            cheap: true,
            index: Some(index),
            literal: None,
            defined: None,
            nested: 0,
        }
    }

    pub fn slot(scalar: Option<Scalar>, slot: usize) -> Number {
        let code = match cell_kind(scalar) {
            CellKind::F32 => Code::F32(read_slot(slot)),
            CellKind::F64 => Code::F64(read_slot(slot)),
            CellKind::Int => Code::Int(read_slot(slot)),
            CellKind::Bool => Code::Bool(read_slot(slot)),
        };
        Number { scalar, code, cheap: true, index: None, literal: None, defined: None, nested: 0 }
    }

    /// A literal without sizes.
    pub fn literal(literal: &Literal) -> Option<Number> {
        let (scalar, code) = match literal {
            Literal::Bool(b) => {
                let b = *b;
                (Scalar::Bool, Code::Bool(ex(move |_| b)))
            }
            Literal::Int(v, s) => {
                let v = wrap(*v, *s) as i64;
                (*s, Code::Int(ex(move |_| v)))
            }
            Literal::Float(bits, s) => {
                let v = f64::from_bits(*bits);
                let code = match s {
                    Scalar::F16 => {
                        let v = half::round_f64(v);
                        Code::F32(ex(move |_| v))
                    }
                    Scalar::F32 => {
                        let v = v as f32;
                        Code::F32(ex(move |_| v))
                    }
                    _ => Code::F64(ex(move |_| v)),
                };
                (*s, code)
            }
            Literal::Index(..) | Literal::Nat(_) => return None,
        };
        let written = if let Literal::Int(v, s) = literal { Some(wrap(*v, *s) as i64) } else { None };
        Some(Number {
            scalar: Some(scalar),
            code,
            cheap: true,
            index: None,
            literal: written,
            defined: None,
            nested: 0,
        })
    }

    pub fn undefined(scalar: Option<Scalar>) -> Number {
        let code = match cell_kind(scalar) {
            CellKind::F32 => Code::F32(ex(|_| 0.0)),
            CellKind::F64 => Code::F64(ex(|_| 0.0)),
            CellKind::Int => Code::Int(ex(|_| 0)),
            CellKind::Bool => Code::Bool(ex(|_| false)),
        };
        Number {
            scalar,
            code,
            cheap: true,
            index: None,
            literal: None,
            defined: Some(ex(|_| false)),
            nested: 0,
        }
    }

    /// The code of an operation, guarded where operands may be undefined: then nothing is computed, so that what was
    /// never written cannot fail.
    fn guarded(scalar: Option<Scalar>, code: Code, defined: Option<Ex<bool>>) -> Number {
        fn guard<T: Kind>(code: Ex<T>, defined: &Option<Ex<bool>>) -> Ex<T> {
            match defined {
                None => code,
                Some(d) => {
                    let d = d.clone();
                    ex(move |f| if d(f) { code(f) } else { T::default() })
                }
            }
        }
        let code = match code {
            Code::F32(c) => Code::F32(guard(c, &defined)),
            Code::F64(c) => Code::F64(guard(c, &defined)),
            Code::Int(c) => Code::Int(guard(c, &defined)),
            Code::Bool(c) => Code::Bool(guard(c, &defined)),
        };
        Number { scalar, code, cheap: false, index: None, literal: None, defined, nested: 0 }
    }

    /// A pattern of one operand; none when it does not work on the type.
    pub fn unary(pattern: Pattern, x: &Number, result: Option<Scalar>) -> Option<Number> {
        let nested = x.nested + 1;
        Some(Number { nested, ..Number::unary_code(pattern, x, result)? })
    }

    /// A pattern of two operands of one type; none when it does not work on the type.
    pub fn binary(pattern: Pattern, x: &Number, y: &Number) -> Option<Number> {
        let nested = x.nested.max(y.nested) + 1;
        Some(Number { nested, ..Number::binary_code(pattern, x, y)? })
    }

    /// As [`Number::binary`] of a division of integers, undefined where there is no result.
    pub fn quotient(pattern: Pattern, x: &Number, y: &Number) -> Option<Number> {
        let (Code::Int(a), Code::Int(b)) = (&x.code, &y.code) else { return None };
        let (a, b) = (a.clone(), b.clone());
        let scalar = x.scalar;
        let divides = ex(move |f| match b(f) {
            0 => false,
            -1 => !scalar.is_some_and(|s| is_least(a(f), s)),
            _ => true,
        });
        let y = Number { defined: both(&y.defined, &Some(divides)), ..y.clone() };
        Number::binary(pattern, x, &y)
    }

    /// The whole number, undefined where it is no position of `n`.
    pub fn within(&self, n: i64) -> Option<Number> {
        let Code::Int(code) = &self.code else { return None };
        let code = code.clone();
        let inside = ex(move |f| (0..n).contains(&code(f)));
        Some(Number { defined: both(&self.defined, &Some(inside)), ..self.clone() })
    }

    fn unary_code(pattern: Pattern, x: &Number, result: Option<Scalar>) -> Option<Number> {
        if pattern == Pattern::Cast {
            return Some(Number::guarded(result, cast(x, result), x.defined.clone()));
        }
        let half = x.scalar == Some(Scalar::F16);
        let code = match &x.code {
            Code::Bool(a) if pattern == Pattern::Not => {
                let a = a.clone();
                Code::Bool(ex(move |f| !a(f)))
            }
            Code::Bool(_) => return None,
            Code::F32(a) => {
                let a = a.clone();
                let op: fn(f32) -> f32 = match pattern {
                    Pattern::Neg => |v| -v,
                    Pattern::Abs => f32::abs,
                    _ => match math::of(pattern)?.function {
                        Function::Unary(op, _) => op,
                        Function::Binary(..) => return None,
                    },
                };
                Code::F32(if half { ex(move |f| half::round(op(a(f)))) } else { ex(move |f| op(a(f))) })
            }
            Code::F64(a) => {
                let a = a.clone();
                let op: fn(f64) -> f64 = match pattern {
                    Pattern::Neg => |v| -v,
                    Pattern::Abs => f64::abs,
                    _ => match math::of(pattern)?.function {
                        Function::Unary(_, op) => op,
                        Function::Binary(..) => return None,
                    },
                };
                Code::F64(ex(move |f| op(a(f))))
            }
            Code::Int(a) => {
                let a = a.clone();
                let narrow = narrow(x.scalar);
                match (pattern, x.scalar) {
                    (Pattern::Neg, None) => Code::Int(ex(move |f| a(f).saturating_neg())),
                    (Pattern::Abs, None) => Code::Int(ex(move |f| a(f).saturating_abs())),
                    (Pattern::BitNot, Some(_)) => Code::Int(ex(move |f| narrow(!a(f)))),
                    (Pattern::Neg, Some(_)) => Code::Int(ex(move |f| narrow(a(f).wrapping_neg()))),
                    (Pattern::Abs, Some(s)) if s.is_signed_integer() => {
                        Code::Int(ex(move |f| narrow(a(f).wrapping_abs())))
                    }
                    (Pattern::Abs, Some(_)) => Code::Int(a),
                    _ => return None,
                }
            }
        };
        Some(Number::guarded(x.scalar, code, x.defined.clone()))
    }

    fn binary_code(pattern: Pattern, x: &Number, y: &Number) -> Option<Number> {
        if x.scalar != y.scalar {
            return None;
        }
        let defined = both(&x.defined, &y.defined);
        if x.scalar.is_none()
            && let (Some(i), Some(j)) = (&x.index, &y.index)
            && let Some(index) = match pattern {
                Pattern::Add => i.plus(j),
                Pattern::Sub => j.times(-1).and_then(|j| i.plus(&j)),
                Pattern::Mul if j.terms.is_empty() => i.times(j.constant),
                Pattern::Mul if i.terms.is_empty() => j.times(i.constant),
                _ => None,
            }
            && index.is_small()
        {
            return Some(Number::index(index));
        }
        let truth = Some(Scalar::Bool);
        Some(match (&x.code, &y.code) {
            (Code::F32(a), Code::F32(b)) => {
                if let Some(test) = comparison(pattern, a, b) {
                    return Some(Number::guarded(truth, Code::Bool(test), defined));
                }
                let code = floats32(pattern, a.clone(), b.clone())?;
                let code =
                    if x.scalar == Some(Scalar::F16) { ex(move |f| half::round(code(f))) } else { code };
                Number::guarded(x.scalar, Code::F32(code), defined)
            }
            (Code::F64(a), Code::F64(b)) => {
                if let Some(test) = comparison(pattern, a, b) {
                    return Some(Number::guarded(truth, Code::Bool(test), defined));
                }
                Number::guarded(x.scalar, Code::F64(floats64(pattern, a.clone(), b.clone())?), defined)
            }
            (Code::Bool(a), Code::Bool(b)) => {
                Number::guarded(truth, Code::Bool(comparison(pattern, a, b)?), defined)
            }
            (Code::Int(a), Code::Int(b)) => {
                let test = if x.scalar == Some(Scalar::U64) {
                    let (a, b) = (a.clone(), b.clone());
                    let (a, b): (Ex<u64>, Ex<u64>) = (ex(move |f| a(f) as u64), ex(move |f| b(f) as u64));
                    comparison(pattern, &a, &b)
                } else {
                    comparison(pattern, a, b)
                };
                match test {
                    Some(test) => Number::guarded(truth, Code::Bool(test), defined),
                    None => {
                        let code = integers(pattern, x.scalar, a.clone(), b.clone())?;
                        Number::guarded(x.scalar, Code::Int(code), defined)
                    }
                }
            }
            _ => return None,
        })
    }
}

fn comparison<T: PartialOrd + 'static>(pattern: Pattern, a: &Ex<T>, b: &Ex<T>) -> Option<Ex<bool>> {
    let (a, b) = (a.clone(), b.clone());
    Some(match pattern {
        Pattern::Gt => ex(move |f| a(f) > b(f)),
        Pattern::Lt => ex(move |f| a(f) < b(f)),
        Pattern::Ge => ex(move |f| a(f) >= b(f)),
        Pattern::Le => ex(move |f| a(f) <= b(f)),
        Pattern::Equal => ex(move |f| a(f) == b(f)),
        Pattern::NotEqual => ex(move |f| a(f) != b(f)),
        _ => return None,
    })
}

macro_rules! floats {
    ($name:ident, $float:ty, $pick:expr) => {
        fn $name(pattern: Pattern, a: Ex<$float>, b: Ex<$float>) -> Option<Ex<$float>> {
            Some(match pattern {
                Pattern::Add => ex(move |f| a(f) + b(f)),
                Pattern::Sub => ex(move |f| a(f) - b(f)),
                Pattern::Mul => ex(move |f| a(f) * b(f)),
                Pattern::Div => ex(move |f| a(f) / b(f)),
                Pattern::Mod => ex(move |f| a(f) % b(f)),
                Pattern::Min => ex(move |f| {
                    let (a, b) = (a(f), b(f));
                    if b < a || a.is_nan() { b } else { a }
                }),
                Pattern::Max => ex(move |f| {
                    let (a, b) = (a(f), b(f));
                    if b > a || a.is_nan() { b } else { a }
                }),
                _ => {
                    let op: fn($float, $float) -> $float = $pick(math::of(pattern)?.function)?;
                    ex(move |f| op(a(f), b(f)))
                }
            })
        }
    };
}
floats!(floats32, f32, |f| if let Function::Binary(op, _) = f { Some(op) } else { None });
floats!(floats64, f64, |f| if let Function::Binary(_, op) = f { Some(op) } else { None });

/// Brings an integer back into the range of its type.
fn narrow(scalar: Option<Scalar>) -> fn(i64) -> i64 {
    match scalar {
        Some(Scalar::I8) => |v| i64::from(v as i8),
        Some(Scalar::I16) => |v| i64::from(v as i16),
        Some(Scalar::I32) => |v| i64::from(v as i32),
        Some(Scalar::U8) => |v| i64::from(v as u8),
        Some(Scalar::U16) => |v| i64::from(v as u16),
        Some(Scalar::U32) => |v| i64::from(v as u32),
        _ => |v| v,
    }
}

/// Is it the least number of a signed type, which has no opposite?
fn is_least(v: i64, scalar: Scalar) -> bool {
    scalar.is_signed_integer() && v != 0 && narrow(Some(scalar))(v.wrapping_neg()) == v
}

fn integers(pattern: Pattern, scalar: Option<Scalar>, a: Ex<i64>, b: Ex<i64>) -> Option<Ex<i64>> {
    let Some(scalar) = scalar else {
        let op: fn(i64, i64) -> Option<i64> = match pattern {
            Pattern::Add => i64::checked_add,
            Pattern::Sub => i64::checked_sub,
            Pattern::Mul => i64::checked_mul,
            // As sizes do: the remainder is never negative.
            Pattern::Div => i64::checked_div_euclid,
            Pattern::Mod => |a, b| Some(a.wrapping_rem_euclid(b)),
            Pattern::Min => |a, b| Some(a.min(b)),
            Pattern::Max => |a, b| Some(a.max(b)),
            _ => return None,
        };
        let divides = matches!(pattern, Pattern::Div | Pattern::Mod);
        return Some(ex(move |f| {
            let (a, b) = (a(f), b(f));
            if divides && b == 0 {
                f.fail(Failure::DivisionByZero(pattern));
                return 0;
            }
            op(a, b).unwrap_or_else(|| {
                f.fail(Failure::TooLarge(pattern));
                0
            })
        }));
    };
    let narrow = narrow(Some(scalar));
    let wide = scalar == Scalar::U64;
    let shift: Option<fn(i64, u32) -> i64> = match pattern {
        Pattern::ShiftLeft => Some(|a, n| a << n),
        Pattern::ShiftRight if wide => Some(|a, n| (a as u64 >> n) as i64),
        Pattern::ShiftRight => Some(|a, n| a >> n),
        _ => None,
    };
    if let Some(shift) = shift {
        return Some(ex(move |f| narrow(shift(a(f), shift_count(b(f).into(), scalar)))));
    }
    let op: fn(i64, i64) -> i64 = match pattern {
        Pattern::BitAnd => |a, b| a & b,
        Pattern::BitOr => |a, b| a | b,
        Pattern::BitXor => |a, b| a ^ b,
        Pattern::Add => i64::wrapping_add,
        Pattern::Sub => i64::wrapping_sub,
        Pattern::Mul => i64::wrapping_mul,
        Pattern::Div if wide => |a, b| (a as u64 / b as u64) as i64,
        Pattern::Mod if wide => |a, b| (a as u64 % b as u64) as i64,
        Pattern::Min if wide => |a, b| (a as u64).min(b as u64) as i64,
        Pattern::Max if wide => |a, b| (a as u64).max(b as u64) as i64,
        Pattern::Div => i64::wrapping_div,
        Pattern::Mod => i64::wrapping_rem,
        Pattern::Min => i64::min,
        Pattern::Max => i64::max,
        _ => return None,
    };
    if matches!(pattern, Pattern::Div | Pattern::Mod) {
        return Some(ex(move |f| {
            let (a, b) = (a(f), b(f));
            if b == 0 {
                f.fail(Failure::DivisionByZero(pattern));
                return 0;
            }
            if b == -1 && is_least(a, scalar) {
                f.fail(Failure::QuotientTooLarge(pattern, scalar));
                return 0;
            }
            narrow(op(a, b))
        }));
    }
    Some(ex(move |f| narrow(op(a(f), b(f)))))
}

/// The number at another type; none is that of plain numbers, which have 64 bits.
fn cast(x: &Number, to: Option<Scalar>) -> Code {
    let wide = x.scalar == Some(Scalar::U64);
    let from_half = x.scalar == Some(Scalar::F16);
    match (&x.code, to) {
        (Code::Bool(a), Some(Scalar::Bool)) => Code::Bool(a.clone()),
        (Code::Bool(a), to) => {
            let a = a.clone();
            let int: Ex<i64> = ex(move |f| i64::from(a(f)));
            int_to(int, false, to.unwrap_or(Scalar::I64))
        }
        (Code::Int(a), Some(to)) => int_to(a.clone(), wide, to),
        (Code::Int(a), None) => Code::Int(a.clone()),
        (Code::F32(a), Some(Scalar::F32)) => Code::F32(a.clone()),
        (Code::F32(a), Some(Scalar::F16)) if from_half => Code::F32(a.clone()),
        (Code::F32(a), to) => {
            let a = a.clone();
            float_to(ex(move |f| f64::from(a(f))), to.unwrap_or(Scalar::I64))
        }
        (Code::F64(a), to) => float_to(a.clone(), to.unwrap_or(Scalar::I64)),
    }
}

fn int_to(a: Ex<i64>, wide: bool, to: Scalar) -> Code {
    match to {
        Scalar::Bool => Code::Bool(ex(move |f| a(f) != 0)),
        Scalar::F16 if wide => Code::F32(ex(move |f| half::round(a(f) as u64 as f32))),
        Scalar::F16 => Code::F32(ex(move |f| half::round(a(f) as f32))),
        Scalar::F32 if wide => Code::F32(ex(move |f| a(f) as u64 as f32)),
        Scalar::F32 => Code::F32(ex(move |f| a(f) as f32)),
        Scalar::F64 if wide => Code::F64(ex(move |f| a(f) as u64 as f64)),
        Scalar::F64 => Code::F64(ex(move |f| a(f) as f64)),
        _ => {
            let narrow = narrow(Some(to));
            Code::Int(ex(move |f| narrow(a(f))))
        }
    }
}

fn float_to(a: Ex<f64>, to: Scalar) -> Code {
    match to {
        Scalar::Bool => Code::Bool(ex(move |f| a(f) != 0.0)),
        Scalar::F16 => Code::F32(ex(move |f| half::round_f64(a(f)))),
        Scalar::F32 => Code::F32(ex(move |f| a(f) as f32)),
        Scalar::F64 => Code::F64(a),
        _ => Code::Int(ex(move |f| saturate(a(f), to) as i64)),
    }
}
