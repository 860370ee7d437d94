//! Values: what programs compute with, as trees ([`Value`]) and flat in memory ([`Buffer`]).

mod agree;
mod buffer;
mod exact;
pub mod half;

use super::eval::Sizes;
use super::literal::Literal;
use super::nat::{Nat, NatError};
use super::ty::{Scalar, Type, TypeKind};
use std::fmt;
use std::sync::Arc;

pub use agree::{Disagreement, Tolerance};
pub use buffer::{Buffer, Layout, Leaf};
pub use exact::Exact;

/// A value of a data type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A scalar that has no value: a cell that `padEmpty` left, or what was computed from one.
    Undefined,
    Bool(bool),
    /// An integer of the given scalar type, within its range.
    Int(i128, Scalar),
    /// Half precision, kept as the `f32` of the same value.
    F16(f32),
    F32(f32),
    F64(f64),
    /// A number of the floating-point type that is not rounded, for asking what rounding changes.
    Exact(Exact, Scalar),
    /// A natural number (`natType`) or an index (`idx[n]`).
    Nat(i64),
    Pair(Arc<(Value, Value)>),
    Vector(Arc<Vec<Value>>),
    Array(Arc<Vec<Value>>),
}

impl Value {
    pub fn pair(a: Value, b: Value) -> Value {
        Value::Pair(Arc::new((a, b)))
    }
    pub fn array(elements: Vec<Value>) -> Value {
        Value::Array(Arc::new(elements))
    }
    pub fn vector(lanes: Vec<Value>) -> Value {
        Value::Vector(Arc::new(lanes))
    }

    /// A float, rounded to the scalar type; none for other types.
    pub fn float(value: f64, scalar: Scalar) -> Option<Value> {
        Some(match scalar {
            Scalar::F16 => Value::F16(half::round_f64(value)),
            Scalar::F32 => Value::F32(value as f32),
            Scalar::F64 => Value::F64(value),
            _ => return None,
        })
    }

    /// The integer wrapped into the range of an integer type, as two's complement arithmetic does.
    pub fn int(value: i128, scalar: Scalar) -> Value {
        Value::Int(wrap(value, scalar), scalar)
    }

    /// The value of a literal.
    ///
    /// # Errors
    /// When a size in it has no value.
    pub fn literal(literal: &Literal, sizes: &Sizes) -> Result<Value, NatError> {
        Ok(match literal {
            Literal::Bool(b) => Value::Bool(*b),
            Literal::Int(v, s) => Value::int(*v, *s),
            Literal::Float(bits, s) => {
                Value::float(f64::from_bits(*bits), *s).unwrap_or(Value::F64(f64::from_bits(*bits)))
            }
            Literal::Index(i, _) | Literal::Nat(i) => Value::Nat(eval_nat(i, sizes)?),
        })
    }

    /// A value of the type with nothing in it.
    ///
    /// # Errors
    /// When a size in the type has no value.
    pub fn undefined(ty: &Type, sizes: &Sizes) -> Result<Value, NatError> {
        Ok(match ty.kind() {
            TypeKind::Pair(a, b) => Value::pair(Value::undefined(a, sizes)?, Value::undefined(b, sizes)?),
            TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
                let n = eval_nat(n, sizes)?;
                let cells = vec![Value::undefined(t, sizes)?; usize::try_from(n).unwrap_or(0)];
                if ty.as_vector().is_some() { Value::vector(cells) } else { Value::array(cells) }
            }
            _ => Value::Undefined,
        })
    }

    /// The type of a scalar that has a value in its type.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Value::Bool(_) => Some(Scalar::Bool),
            Value::Int(_, s) => Some(*s),
            Value::F16(_) => Some(Scalar::F16),
            Value::F32(_) => Some(Scalar::F32),
            Value::F64(_) => Some(Scalar::F64),
            Value::Undefined | Value::Exact(..) | Value::Nat(_) => None,
            Value::Pair(_) | Value::Vector(_) | Value::Array(_) => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Value]> {
        if let Value::Array(a) = self { Some(a) } else { None }
    }
    pub fn as_vector(&self) -> Option<&[Value]> {
        if let Value::Vector(a) = self { Some(a) } else { None }
    }
    pub fn as_pair(&self) -> Option<(&Value, &Value)> {
        if let Value::Pair(p) = self { Some((&p.0, &p.1)) } else { None }
    }

    /// Is this a value of the type? Undefined cells fit every scalar type.
    pub fn fits(&self, ty: &Type, sizes: &Sizes) -> bool {
        let length = |n: &Nat, found: usize| eval_nat(n, sizes).is_ok_and(|n| n == found as i64);
        match (self, ty.kind()) {
            (Value::Undefined, TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Index(_)) => true,
            (Value::Bool(_), TypeKind::Scalar(s)) => *s == Scalar::Bool,
            (Value::Int(v, s), TypeKind::Scalar(t)) => s == t && wrap(*v, *s) == *v,
            (Value::F16(_), TypeKind::Scalar(s)) => *s == Scalar::F16,
            (Value::F32(_), TypeKind::Scalar(s)) => *s == Scalar::F32,
            (Value::F64(_), TypeKind::Scalar(s)) => *s == Scalar::F64,
            (Value::Exact(_, s), TypeKind::Scalar(t)) => s == t,
            (Value::Nat(_), TypeKind::NatType) => true,
            (Value::Nat(i), TypeKind::Index(n)) => *i >= 0 && eval_nat(n, sizes).is_ok_and(|n| *i < n),
            (Value::Pair(p), TypeKind::Pair(a, b)) => p.0.fits(a, sizes) && p.1.fits(b, sizes),
            (Value::Vector(c), TypeKind::Vector(n, t)) | (Value::Array(c), TypeKind::Array(n, t)) => {
                length(n, c.len()) && c.iter().all(|v| v.fits(t, sizes))
            }
            _ => false,
        }
    }
}

/// A size's value.
pub fn eval_nat(n: &Nat, sizes: &Sizes) -> Result<i64, NatError> {
    n.eval(&|name| sizes.get(name).copied())
}

/// The integer of the scalar type that is congruent to `value`; other types keep it.
pub fn wrap(value: i128, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::I8 => i128::from(value as i8),
        Scalar::I16 => i128::from(value as i16),
        Scalar::I32 => i128::from(value as i32),
        Scalar::I64 => i128::from(value as i64),
        Scalar::U8 => i128::from(value as u8),
        Scalar::U16 => i128::from(value as u16),
        Scalar::U32 => i128::from(value as u32),
        Scalar::U64 => i128::from(value as u64),
        Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => value,
    }
}

/// Arrays in brackets, pairs in parentheses; the middle of a long array is left out.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, open: &str, cells: &[Value], close: &str| {
            write!(f, "{open}")?;
            for (i, cell) in cells.iter().enumerate() {
                let hidden = cells.len() > 8 && (4..cells.len() - 2).contains(&i);
                match (hidden, i) {
                    (true, 4) => write!(f, ", …")?,
                    (true, _) => {}
                    (false, 0) => write!(f, "{cell}")?,
                    (false, _) => write!(f, ", {cell}")?,
                }
            }
            write!(f, "{close}")
        };
        match self {
            Value::Undefined => write!(f, "undefined"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(v, _) => write!(f, "{v}"),
            Value::F16(v) | Value::F32(v) => write!(f, "{v:?}"),
            Value::F64(v) => write!(f, "{v:?}"),
            Value::Exact(v, _) => write!(f, "{v}"),
            Value::Nat(v) => write!(f, "{v}"),
            Value::Pair(p) => write!(f, "({}, {})", p.0, p.1),
            Value::Vector(c) => list(f, "<", c, ">"),
            Value::Array(c) => list(f, "[", c, "]"),
        }
    }
}
