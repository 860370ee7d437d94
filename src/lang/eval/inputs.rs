//! Inputs for tests, checks and benchmarks: from a seed, the same for ever and on every machine.

use super::{Sizes, failure};
use crate::diag::Diagnostic;
use crate::nat::Nat;
use crate::ty::{Scalar, Type, TypeKind};
use crate::value::{Buffer, Layout, Value, eval_nat};
use std::collections::HashSet;

/// What numbers to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Floats uniform in [-1, 1), integers in [-100, 100] (unsigned ones in [0, 100]).
    Uniform,
    /// Integers in [-4, 4] (unsigned ones in [0, 8]), also as floats: sums and products of some thousands of them are
    /// exact in any order, so that re-associating rules can be tested for equality.
    SmallIntegers,
    /// Integers from 1 to 3, also as floats: every one of them counts in a sum, which is exact in any order while it is
    /// small.
    Positive,
    /// Ones only, whose sums stay small the longest.
    Ones,
    /// Integers from the first to the second, neither negative, also as floats and plain numbers. Indices of an array are all
    /// different where there are as many.
    Between(u8, u8),
    /// Truth values are all this one; numbers as [`Kind::Uniform`].
    Truths(bool),
    /// Zeros of both signs, infinities, NaN, largest and smallest numbers, among small integers.
    Edges,
}

/// The splitmix64 generator: tiny, well-tested, and never going to change.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be zero.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Uniform in [-1, 1), on a grid that `f16`, `f32` and `f64` all hold exactly up to their precision.
    fn unit(&mut self, precision: u32) -> f64 {
        let steps = 1u64 << precision;
        (self.bits() >> (64 - precision)) as f64 / (steps / 2) as f64 - 1.0
    }

    fn scalar(&mut self, scalar: Scalar, kind: Kind) -> Value {
        if scalar == Scalar::Bool {
            let drawn = self.bits() >> 63 == 1;
            return Value::Bool(if let Kind::Truths(all) = kind { all } else { drawn });
        }
        if scalar.is_float() {
            let value = match kind {
                Kind::Uniform | Kind::Truths(_) => self.unit(if scalar == Scalar::F16 { 11 } else { 24 }),
                Kind::SmallIntegers => self.below(9) as f64 - 4.0,
                Kind::Positive => self.below(3) as f64 + 1.0,
                Kind::Ones => 1.0,
                Kind::Between(..) => self.between(kind) as f64,
                Kind::Edges => self.edge(scalar),
            };
            return Value::float(value, scalar).unwrap_or(Value::Undefined);
        }
        let signed = scalar.is_signed_integer();
        let value = match kind {
            Kind::Uniform | Kind::Truths(_) if signed => i128::from(self.below(201)) - 100,
            Kind::Uniform | Kind::Truths(_) => i128::from(self.below(101)),
            Kind::SmallIntegers if signed => i128::from(self.below(9)) - 4,
            Kind::SmallIntegers => i128::from(self.below(9)),
            Kind::Positive => i128::from(self.below(3)) + 1,
            Kind::Ones => 1,
            Kind::Between(..) => self.between(kind).into(),
            Kind::Edges => {
                let (least, most) = scalar.extremes();
                match self.below(6) {
                    0 => least,
                    1 => most,
                    2 => 0,
                    3 => 1,
                    _ => i128::from(self.below(9)) - if signed { 4 } else { 0 },
                }
            }
        };
        Value::int(value, scalar)
    }

    /// A number of [`Kind::Between`].
    fn between(&mut self, kind: Kind) -> u32 {
        let Kind::Between(least, most) = kind else { return 0 };
        u32::from(least) + self.below(u64::from(most.saturating_sub(least)) + 1) as u32
    }

    /// So many indices that are all different, of as many as there are at least.
    fn different(&mut self, number: i64, of: i64) -> Vec<Value> {
        let mut taken = HashSet::new();
        let mut one = |last: i64| {
            let drawn = self.below(last as u64 + 1) as i64;
            // The last is new to those before it.
            let index = if taken.insert(drawn) { drawn } else { last };
            taken.insert(index);
            Value::Nat(index)
        };
        (of - number..of).map(&mut one).collect()
    }

    fn edge(&mut self, scalar: Scalar) -> f64 {
        let (most, least) = match scalar {
            Scalar::F16 => (65504.0, 2f64.powi(-24)),
            Scalar::F32 => (f32::MAX.into(), f32::from_bits(1).into()),
            _ => (f64::MAX, f64::from_bits(1)),
        };
        match self.below(12) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => f64::NEG_INFINITY,
            4 => f64::NAN,
            5 => most,
            6 => -most,
            7 => least,
            _ => self.below(9) as f64 - 4.0,
        }
    }

    fn value(&mut self, ty: &Type, sizes: &Sizes, kind: Kind) -> Result<Value, Diagnostic> {
        let nat = |n: &Nat| eval_nat(n, sizes).map_err(failure::size);
        Ok(match ty.kind() {
            TypeKind::Scalar(s) => self.scalar(*s, kind),
            TypeKind::NatType if matches!(kind, Kind::Between(..)) => Value::Nat(self.between(kind).into()),
            TypeKind::NatType => Value::Nat(self.below(100) as i64),
            TypeKind::Index(n) => match u64::try_from(nat(n)?) {
                Ok(n) if n > 0 => Value::Nat(self.below(n) as i64),
                _ => return Err(failure::no_value_of(ty)),
            },
            TypeKind::Pair(a, b) => {
                let a = self.value(a, sizes, kind)?;
                Value::pair(a, self.value(b, sizes, kind)?)
            }
            // Where each of n indices is below n they are all different, so that `scatter` takes them.
            TypeKind::Array(n, t) if matches!(t.kind(), TypeKind::Index(m) if m == n) => {
                let mut order: Vec<i64> = (0..nat(n)?).collect();
                for last in (1..order.len()).rev() {
                    order.swap(last, self.below(last as u64 + 1) as usize);
                }
                Value::array(order.into_iter().map(Value::Nat).collect())
            }
            TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
                let n = nat(n)?;
                if n < 0 {
                    return Err(failure::negative(n, ty));
                }
                if let (Kind::Between(..), TypeKind::Index(of)) = (kind, t.kind())
                    && n <= nat(of)?
                {
                    return Ok(Value::array(self.different(n, nat(of)?)));
                }
                let cells = (0..n).map(|_| self.value(t, sizes, kind)).collect::<Result<Vec<_>, _>>()?;
                if ty.as_vector().is_some() { Value::vector(cells) } else { Value::array(cells) }
            }
            TypeKind::Fun(..) | TypeKind::Var(_) | TypeKind::Ill => return Err(failure::no_data(ty)),
        })
    }
}

/// The most scalars of one input.
const MAX_SCALARS: u128 = 1 << 31;

fn scalars(ty: &Type, sizes: &Sizes) -> Result<u128, Diagnostic> {
    Ok(match ty.kind() {
        TypeKind::Pair(a, b) => scalars(a, sizes)?.saturating_add(scalars(b, sizes)?),
        TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
            let n = eval_nat(n, sizes).map_err(failure::size)?;
            u128::try_from(n).unwrap_or(0).saturating_mul(scalars(t, sizes)?)
        }
        _ => 1,
    })
}

/// How many scalars a value of the data type has.
///
/// # Errors
/// When a size has no value, or there are more than are drawn.
pub fn drawn(ty: &Type, sizes: &Sizes) -> Result<u128, Diagnostic> {
    let total = scalars(ty, sizes)?;
    if total > MAX_SCALARS { Err(failure::too_large(ty)) } else { Ok(total) }
}

/// A value of the data type.
///
/// # Errors
/// When a size has no value, or the type has no values that could be drawn.
pub fn random(ty: &Type, sizes: &Sizes, seed: u64, kind: Kind) -> Result<Value, Diagnostic> {
    drawn(ty, sizes)?;
    Rng::new(seed).value(ty, sizes, kind)
}

/// The same value as [`random`], flat in memory: for benchmarks, whose inputs may be large.
///
/// # Errors
/// As [`random`].
pub fn random_flat(ty: &Type, sizes: &Sizes, seed: u64, kind: Kind) -> Result<Buffer, Diagnostic> {
    let total = drawn(ty, sizes)?;
    // Scalars are drawn in the order of memory, so an array of one scalar type needs no tree.
    let mut element = ty;
    while let Some((_, t)) = element.as_array().or(element.as_vector()) {
        element = t;
    }
    let Some(scalar) = element.as_scalar() else {
        return random(ty, sizes, seed, kind)?.to_flat(ty, sizes);
    };
    Layout::of(element, sizes)?;
    let mut rng = Rng::new(seed);
    let mut out = Buffer::with_capacity(scalar, total as usize);
    for _ in 0..total {
        out.push(&rng.scalar(scalar, kind));
    }
    Ok(out)
}

/// Inputs for a program of the type, each from its own seed.
///
/// # Errors
/// As [`random`].
pub fn for_program(ty: &Type, sizes: &Sizes, seed: u64, kind: Kind) -> Result<Vec<Value>, Diagnostic> {
    let seeds = (0u64..).map(|i| seed.wrapping_add(i.wrapping_mul(0x5851_f42d_4c95_7f2d)));
    ty.signature().0.iter().zip(seeds).map(|(t, seed)| random(t, sizes, seed, kind)).collect()
}

/// As [`for_program`], flat in memory.
///
/// # Errors
/// As [`random`].
pub fn for_program_flat(ty: &Type, sizes: &Sizes, seed: u64, kind: Kind) -> Result<Vec<Buffer>, Diagnostic> {
    let seeds = (0u64..).map(|i| seed.wrapping_add(i.wrapping_mul(0x5851_f42d_4c95_7f2d)));
    ty.signature().0.iter().zip(seeds).map(|(t, seed)| random_flat(t, sizes, seed, kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_never_changes() {
        let mut rng = Rng::new(1234567);
        // The published test vector of splitmix64.
        assert_eq!(rng.bits(), 6_457_827_717_110_365_317);
        assert_eq!(rng.bits(), 3_203_168_211_198_807_973);
        let ty = Type::array(Nat::constant(3), Type::f32());
        let xs = random(&ty, &Sizes::new(), 1, Kind::Uniform).unwrap();
        assert_eq!(xs.to_string(), random(&ty, &Sizes::new(), 1, Kind::Uniform).unwrap().to_string());
        insta::assert_snapshot!(xs.to_string(), @"[0.13312304, 0.49156344, 0.9420054]");
    }

    #[test]
    fn flat_and_tree_are_the_same() {
        let c = Nat::constant;
        let sizes = Sizes::new();
        for element in [
            Type::f32(),
            Type::scalar(Scalar::F16),
            Type::scalar(Scalar::U8),
            Type::vector(c(4), Type::f32()),
        ] {
            let ty = Type::array(c(3), Type::array(c(5), element));
            for kind in [Kind::Uniform, Kind::SmallIntegers, Kind::Edges] {
                let tree = random(&ty, &sizes, 7, kind).unwrap();
                assert!(tree.fits(&ty, &sizes));
                let flat = random_flat(&ty, &sizes, 7, kind).unwrap();
                let back = Value::from_flat(&ty, &flat, &sizes).unwrap();
                assert!(tree.agrees(&back, crate::value::Tolerance::Exact).is_ok());
            }
        }
    }

    #[test]
    fn uniform_floats_lie_in_the_unit_interval() {
        let ty = Type::array(Nat::constant(10_000), Type::f32());
        let Buffer::F32(xs) = random_flat(&ty, &Sizes::new(), 3, Kind::Uniform).unwrap() else { panic!() };
        assert!(xs.iter().all(|x| (-1.0..1.0).contains(x)));
        let mean = xs.iter().sum::<f32>() / 10_000.0;
        assert!(mean.abs() < 0.05, "{mean}");
    }

    #[test]
    fn as_many_indices_as_they_count_are_all_different() {
        let n = Nat::var("n");
        let sizes = [("n".into(), 100)].into_iter().collect();
        let ty = Type::array(n.clone(), Type::index(n));
        for seed in 0..5 {
            let Value::Array(cells) = random(&ty, &sizes, seed, Kind::Uniform).unwrap() else { panic!() };
            let mut found: Vec<i64> =
                cells.iter().map(|c| if let Value::Nat(i) = c { *i } else { panic!() }).collect();
            assert_ne!(found, (0..100).collect::<Vec<_>>());
            found.sort_unstable();
            assert_eq!(found, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn indices_are_all_different_where_there_are_as_many() {
        let ty = |n| Type::array(Nat::constant(n), Type::index(Nat::constant(6)));
        for (n, seed) in [(4, 0), (4, 1), (6, 2), (1, 3)] {
            let kind = Kind::Between(0, 2);
            let Value::Array(cells) = random(&ty(n), &Sizes::new(), seed, kind).unwrap() else { panic!() };
            let found: HashSet<String> = cells.iter().map(ToString::to_string).collect();
            assert_eq!(found.len() as i64, n, "{found:?}");
        }
        assert!(random(&ty(9), &Sizes::new(), 0, Kind::Between(0, 2)).is_ok());
    }

    #[test]
    fn types_without_values_are_refused() {
        let sizes = Sizes::new();
        assert!(random(&Type::fun(Type::f32(), Type::f32()), &sizes, 0, Kind::Uniform).is_err());
        assert!(random(&Type::index(Nat::constant(0)), &sizes, 0, Kind::Uniform).is_err());
        assert!(random(&Type::array(Nat::var("n"), Type::f32()), &sizes, 0, Kind::Uniform).is_err());
        let huge = Type::array(Nat::constant(i64::MAX), Type::f32());
        assert!(random(&huge, &sizes, 0, Kind::Uniform).is_err());
    }
}
