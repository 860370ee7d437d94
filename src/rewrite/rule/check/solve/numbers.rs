//! The numbers of a scalar type in their order, and how two compare.

use crate::lang::ty::Scalar;
use crate::lang::value::{Exact, Value, half};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// A whole number of the type; none of truth values.
pub(super) fn number(v: i128, s: Scalar) -> Option<Value> {
    match s {
        Scalar::Bool => None,
        s if s.is_float() => Value::float(v as f64, s),
        s => Some(Value::int(v, s)),
    }
}

/// How two scalars of one type compare; none where one is no number.
pub(in super::super) fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a, _), Value::Int(b, _)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Nat(a), Value::Nat(b)) => Some(a.cmp(b)),
        (Value::Exact(..), _) | (_, Value::Exact(..)) => exact(a)?.compare(&exact(b)?),
        _ => float(a)?.partial_cmp(&float(b)?),
    }
}

/// A float as it is.
pub(super) fn float(v: &Value) -> Option<f64> {
    match v {
        Value::F16(v) | Value::F32(v) => Some((*v).into()),
        Value::F64(v) => Some(*v),
        _ => None,
    }
}

/// All values of a small type.
pub(in super::super) fn all_of(s: Scalar) -> Vec<Value> {
    match s {
        Scalar::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Scalar::F16 => {
            let numbers = (-0x7c00..=0x7c00).filter_map(|place| at_place(place, s));
            numbers.chain([Value::F16(-0.0), Value::F16(f32::NAN)]).collect()
        }
        s => {
            let (least, most) = s.extremes();
            (least..=most).map(|v| Value::int(v, s)).collect()
        }
    }
}

/// Numbers of a type are at places in their order: integers at their own, floats at that of their bits.
pub(super) fn at_place(place: i128, s: Scalar) -> Option<Value> {
    let size = u64::try_from(place.unsigned_abs()).ok()?;
    let float = match s {
        Scalar::Bool => return None,
        Scalar::F16 => half::from_bits(u16::try_from(size).ok()?).into(),
        Scalar::F32 => f32::from_bits(u32::try_from(size).ok()?).into(),
        Scalar::F64 => f64::from_bits(size),
        s => return Some(Value::int(place, s)),
    };
    Value::float(if place < 0 { -float } else { float }, s)
}

/// The place of a number: see [`at_place`].
fn place_of(v: &Value) -> Option<i128> {
    let (negative, size): (bool, i128) = match v {
        Value::Int(v, _) => return Some(*v),
        Value::F16(v) => (*v < 0.0, half::to_bits(v.abs()).into()),
        Value::F32(v) => (*v < 0.0, v.abs().to_bits().into()),
        Value::F64(v) => (*v < 0.0, v.abs().to_bits().into()),
        _ => return None,
    };
    Some(if negative { -size } else { size })
}

/// The number so many places above; of one that is not rounded, the number itself.
pub(super) fn next_to(v: &Value, by: i128) -> Option<Value> {
    if let Value::Exact(..) = v {
        return Some(v.clone());
    }
    at_place(place_of(v)? + by, v.scalar()?)
}

/// The next whole number above or below a float: what is next to a border may be none, where that is asked for as well.
pub(super) fn whole_beyond(v: &Value, side: Ordering) -> Option<Value> {
    let x = float(v)?;
    let beyond = match side {
        Ordering::Less => x.ceil() - 1.0,
        Ordering::Equal => return None,
        Ordering::Greater => x.floor() + 1.0,
    };
    Value::float(beyond, v.scalar()?)
}

/// The number as a fraction, if it is one; a float is what it is written as.
pub(super) fn fraction(v: &Value) -> Option<BigRational> {
    match exact(v)? {
        Exact::Fraction(v) => Some((*v).clone()),
        _ => None,
    }
}

fn exact(v: &Value) -> Option<Exact> {
    match v {
        Value::Int(v, _) => Some(Exact::whole(*v)),
        Value::Exact(v, _) => Some(v.clone()),
        _ => Some(Exact::of_float(float(v)?, v.scalar()?)),
    }
}

/// The number of the type that is nearest to the fraction, or the fraction itself where the type is one of floats and
/// these are not rounded.
pub(super) fn of_fraction(v: &BigRational, s: Scalar, exact: bool) -> Option<Value> {
    match s {
        Scalar::Bool => None,
        s if s.is_float() => {
            let as_it_is = Exact::fraction(v.clone());
            let near = Value::float(v.to_f64()?, s)?;
            let is_held = || fraction(&near).as_ref() == Some(v);
            Some(if exact && !is_held() { Value::Exact(as_it_is, s) } else { near })
        }
        s => Some(Value::int(v.round().to_integer().to_i128()?, s)),
    }
}

/// Some places of a type in order, from the least to the greatest number.
pub(super) fn places(s: Scalar) -> Vec<i128> {
    let powers = |most: i128| -> Vec<i128> {
        let up = std::iter::successors(Some(1i128), |p| p.checked_mul(8).filter(|p| *p < most));
        up.chain([most]).collect()
    };
    let place = |v: f64| -> i128 {
        match s {
            Scalar::F32 => (v as f32).to_bits().into(),
            _ => v.to_bits().into(),
        }
    };
    let (positive, signed): (Vec<i128>, bool) = match s {
        Scalar::Bool => (vec![], false),
        Scalar::F16 => ((1..=31).map(|e| e << 10).collect(), true),
        s if s.is_float() => {
            let most: f64 = if s == Scalar::F32 { f32::MAX.into() } else { f64::MAX };
            ([1e-30, 1e-9, 1e-3, 0.1, 1.0, 8.0, 100.0, 1e4, 1e6, 1e9, 1e18, most].map(place).to_vec(), true)
        }
        s => (powers(s.extremes().1), s.is_signed_integer()),
    };
    let negative = positive.iter().rev().filter(|_| signed).map(|p| -p);
    negative.chain([0]).chain(positive.iter().copied()).collect()
}
