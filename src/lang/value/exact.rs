//! Numbers without rounding: what floating-point programs would compute if they never rounded, overflowed or
//! underflowed. Fractions of whole numbers of any length, both infinities, and NaN; zero has no sign.
//!
//! A literal is the decimal number that it is written as: `0.1` is 1/10 here. Functions whose results are no fractions
//! (roots, exponentials, rounding to a narrower type) are *uninterpreted*: each gives some fraction that depends on
//! nothing but the function and its arguments, so that two computations agree if they apply it to the same numbers.

use super::Value;
use crate::digest::Digest;
use crate::ty::Scalar;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A number that is not rounded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exact {
    NotANumber,
    Infinite { negative: bool },
    Fraction(Arc<BigRational>),
}

impl Exact {
    pub fn whole(v: i128) -> Exact {
        Exact::fraction(BigRational::from_integer(v.into()))
    }

    pub fn fraction(v: BigRational) -> Exact {
        Exact::Fraction(Arc::new(v))
    }

    /// The number that a float is written as.
    pub fn of_float(v: f64, scalar: Scalar) -> Exact {
        if v.is_nan() {
            return Exact::NotANumber;
        }
        if v.is_infinite() {
            return Exact::Infinite { negative: v < 0.0 };
        }
        let text = if scalar == Scalar::F64 { format!("{v:e}") } else { format!("{:e}", v as f32) };
        decimal(&text).map_or(Exact::NotANumber, Exact::fraction)
    }

    /// Some fraction other than zero that depends on the name and the arguments alone; NaN of NaN.
    pub fn uninterpreted(function: &str, args: &[&Exact]) -> Exact {
        if args.contains(&&Exact::NotANumber) {
            return Exact::NotANumber;
        }
        let text: Vec<String> = args.iter().map(|a| a.written()).collect();
        let digest = Digest::of(format!("{function} {}", text.join(" ")).as_bytes());
        let bytes = digest.bytes();
        let numerator = i64::from(u16::from_le_bytes([bytes[0], bytes[1]])) - (1 << 15);
        let denominator = 1 + i64::from(bytes[2] % 16);
        Exact::fraction(BigRational::new((2 * numerator + 1).into(), denominator.into()))
    }

    pub fn is_finite(&self) -> bool {
        matches!(self, Exact::Fraction(_))
    }

    pub fn is_nan(&self) -> bool {
        *self == Exact::NotANumber
    }

    /// -1, 0 or 1; none for NaN.
    pub fn sign(&self) -> Option<i32> {
        match self {
            Exact::NotANumber => None,
            Exact::Infinite { negative } => Some(if *negative { -1 } else { 1 }),
            Exact::Fraction(v) if v.is_zero() => Some(0),
            Exact::Fraction(v) => Some(if v.is_negative() { -1 } else { 1 }),
        }
    }

    /// None where one is NaN.
    pub fn compare(&self, other: &Exact) -> Option<Ordering> {
        match (self, other) {
            (Exact::Fraction(a), Exact::Fraction(b)) => Some(a.cmp(b)),
            (Exact::NotANumber, _) | (_, Exact::NotANumber) => None,
            (a, b) if a == b => Some(Ordering::Equal),
            (Exact::Infinite { negative }, _) => {
                Some(if *negative { Ordering::Less } else { Ordering::Greater })
            }
            (_, Exact::Infinite { negative }) => {
                Some(if *negative { Ordering::Greater } else { Ordering::Less })
            }
        }
    }

    /// The whole number next to it towards zero, the nearest `i128` where that is too large; 0 for NaN.
    pub fn truncated(&self) -> i128 {
        match self {
            Exact::NotANumber => 0,
            Exact::Infinite { negative } => {
                if *negative {
                    i128::MIN
                } else {
                    i128::MAX
                }
            }
            Exact::Fraction(v) => {
                let beyond = if v.is_negative() { i128::MIN } else { i128::MAX };
                v.to_integer().to_i128().unwrap_or(beyond)
            }
        }
    }

    /// Is it a number that the type holds without rounding?
    pub fn is_held_by(&self, scalar: Scalar) -> bool {
        let Exact::Fraction(v) = self else { return true };
        let near = v.to_f64().and_then(|v| Value::float(v, scalar));
        match near {
            Some(Value::F16(near) | Value::F32(near)) => is(near.into(), v),
            Some(Value::F64(near)) => is(near, v),
            _ => false,
        }
    }

    /// The nearest float.
    pub fn to_float(&self) -> f64 {
        match self {
            Exact::NotANumber => f64::NAN,
            Exact::Infinite { negative } => {
                if *negative {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            Exact::Fraction(v) => v.to_f64().unwrap_or(f64::NAN),
        }
    }

    /// So many bits it takes.
    pub fn bits(&self) -> u64 {
        if let Exact::Fraction(v) = self { v.numer().bits() + v.denom().bits() } else { 0 }
    }

    fn written(&self) -> String {
        match self {
            Exact::NotANumber => "NaN".into(),
            Exact::Infinite { negative } => if *negative { "-inf" } else { "inf" }.into(),
            Exact::Fraction(v) => v.to_string(),
        }
    }
}

fn is(float: f64, v: &BigRational) -> bool {
    BigRational::from_float(float).is_some_and(|f| f == *v)
}

/// Reads `-1.5e-3`.
fn decimal(text: &str) -> Option<BigRational> {
    let (mantissa, exponent) = text.split_once('e')?;
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{before}{after}").parse().ok()?;
    let exponent: i32 = exponent.parse::<i32>().ok()? - i32::try_from(after.len()).ok()?;
    let power = num_traits::pow(BigInt::from(10), exponent.unsigned_abs() as usize);
    Some(if exponent < 0 {
        BigRational::new(digits, power)
    } else {
        BigRational::from_integer(digits * power)
    })
}

/// As a float where that says it, else as a fraction.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exact::Fraction(v) => {
                let near = v.to_f64().unwrap_or(f64::NAN);
                if near.is_finite() && Exact::of_float(near, Scalar::F64) == *self {
                    write!(f, "{near:?}")
                } else if v.denom().is_one() {
                    write!(f, "{}.0", v.numer())
                } else {
                    write!(f, "{v}")
                }
            }
            other => write!(f, "{}", other.written()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_the_decimals_they_are_written_as() {
        for (v, s, text) in [
            (0.1, Scalar::F64, "0.1"),
            (f64::from(0.1f32), Scalar::F32, "0.1"),
            (-1234.5, Scalar::F32, "-1234.5"),
            (1e300, Scalar::F64, "1e300"),
            (5e-324, Scalar::F64, "5e-324"),
            (-0.0, Scalar::F64, "0.0"),
            (f64::NAN, Scalar::F64, "NaN"),
            (f64::NEG_INFINITY, Scalar::F32, "-inf"),
        ] {
            assert_eq!(Exact::of_float(v, s).to_string(), text);
        }
        let third = Exact::fraction(BigRational::new(1.into(), 3.into()));
        assert_eq!(third.to_string(), "1/3");
        assert!(!third.is_held_by(Scalar::F64) && Exact::whole(2048).is_held_by(Scalar::F16));
        assert!(!Exact::whole(2049).is_held_by(Scalar::F16) && !Exact::whole(70_000).is_held_by(Scalar::F16));
    }

    #[test]
    fn what_is_uninterpreted_depends_on_its_arguments_alone() {
        let of = |v: i128| Exact::uninterpreted("sqrt", &[&Exact::whole(v)]);
        assert_eq!(of(4), of(4));
        assert!(of(4) != of(5) && of(4) != Exact::uninterpreted("exp", &[&Exact::whole(4)]));
        assert!(of(4).sign() != Some(0) && Exact::uninterpreted("sqrt", &[&Exact::NotANumber]).is_nan());
    }
}
