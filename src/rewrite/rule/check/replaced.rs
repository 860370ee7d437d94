//! Inputs of which some numbers are replaced by others.

use super::border::Part;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::Rng;
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lang::value::Value;

/// The value with some of its scalars replaced. Natural numbers and indices count as numbers of 64 bits, and stay natural.
pub(super) fn with_leaves(v: &Value, replaced: &mut dyn FnMut(Scalar) -> Option<Value>) -> Value {
    let scalar = match v {
        Value::Pair(p) => return Value::pair(with_leaves(&p.0, replaced), with_leaves(&p.1, replaced)),
        Value::Array(c) => return Value::array(c.iter().map(|v| with_leaves(v, replaced)).collect()),
        Value::Vector(c) => return Value::vector(c.iter().map(|v| with_leaves(v, replaced)).collect()),
        _ => match type_of(v) {
            Some(s) => s,
            None => return v.clone(),
        },
    };
    match (v, replaced(scalar)) {
        (_, None) => v.clone(),
        (Value::Nat(_), Some(Value::Int(other, _))) => {
            i64::try_from(other).map_or_else(|_| v.clone(), Value::Nat)
        }
        (_, Some(other)) => other,
    }
}

/// The value of the type with its indices brought below their sizes by `fitted`, which is given both. Arrays of indices are as they
/// `were` where that is asked for: each may have to be there once.
pub(super) fn with_indices(
    v: &Value,
    were: Option<&Value>,
    ty: &Type,
    sizes: &Sizes,
    fitted: &mut dyn FnMut(i64, i64) -> i64,
) -> Value {
    match (v, ty.kind()) {
        (Value::Nat(i), TypeKind::Index(n)) => match n.eval(&|x| sizes.get(x).copied()) {
            Ok(n) => Value::Nat(fitted(*i, n)),
            Err(_) => v.clone(),
        },
        (Value::Pair(p), TypeKind::Pair(s, t)) => {
            let (first, second) = were.and_then(Value::as_pair).unzip();
            Value::pair(
                with_indices(&p.0, first, s, sizes, fitted),
                with_indices(&p.1, second, t, sizes, fitted),
            )
        }
        (Value::Array(cells), TypeKind::Array(_, t)) => match were {
            Some(were) if t.as_index().is_some() => were.clone(),
            _ => {
                let were = were.and_then(Value::as_array);
                let one = |(i, v)| with_indices(v, were.and_then(|all| all.get(i)), t, sizes, fitted);
                Value::array(cells.iter().enumerate().map(one).collect())
            }
        },
        _ => v.clone(),
    }
}

/// The type of a scalar: natural numbers and indices have 64 bits.
pub(super) fn type_of(v: &Value) -> Option<Scalar> {
    match v {
        Value::Exact(_, s) => Some(*s),
        Value::Nat(_) => Some(Scalar::I64),
        _ => v.scalar(),
    }
}

/// The value with the scalars of a part of it replaced.
pub(super) fn with_part(v: &Value, parts: &[Part], by: &Value) -> Value {
    let Some((part, rest)) = parts.split_first() else {
        return with_leaves(v, &mut |s| (type_of(by) == Some(s)).then(|| by.clone()));
    };
    match (v, part) {
        (Value::Pair(p), Part::First) => Value::pair(with_part(&p.0, rest, by), p.1.clone()),
        (Value::Pair(p), Part::Second) => Value::pair(p.0.clone(), with_part(&p.1, rest, by)),
        (Value::Array(cells), Part::Element(at)) => {
            let with = |(i, cell)| if i == *at { with_part(cell, rest, by) } else { cell.clone() };
            Value::array(cells.iter().enumerate().map(with).collect())
        }
        (Value::Array(cells), Part::Elements) => {
            Value::array(cells.iter().map(|cell| with_part(cell, rest, by)).collect())
        }
        _ => v.clone(),
    }
}

/// Makes three of four floats NaN or infinite.
pub(super) fn put_limits(inputs: &mut [Value], rng: &mut Rng) {
    const LIMITS: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for input in inputs {
        *input = with_leaves(input, &mut |s| {
            let limit = LIMITS.get(rng.below(4) as usize);
            limit.filter(|_| s.is_float()).and_then(|v| Value::float(*v, s))
        });
    }
}

/// Makes all numbers of the last inputs these, one for each.
pub(super) fn put_numbers(inputs: &mut [Value], numbers: &[i128]) {
    let first = inputs.len().saturating_sub(numbers.len());
    for (input, n) in inputs[first..].iter_mut().zip(numbers) {
        *input = with_leaves(input, &mut |s| number_of(*n, s));
    }
}

pub(super) fn number_of(n: i128, s: Scalar) -> Option<Value> {
    match s {
        Scalar::Bool => None,
        s if s.is_float() => Value::float(n as f64, s),
        s => Some(Value::int(n, s)),
    }
}
