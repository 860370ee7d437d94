//! The numbers at which careless rules break.

use crate::lang::eval::inputs::Rng;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;

/// The palettes of zeros, which tell their signs.
pub(super) const ZEROS: [u64; 4] = [0, 1, 101, 102];

/// The least and the greatest number of the type, without infinities. None for truth values.
pub(super) fn extremes(s: Scalar) -> Vec<Value> {
    match s {
        Scalar::Bool => vec![],
        s if s.is_float() => {
            let most = Limits::of(s).most;
            [-most, most].into_iter().filter_map(|v| Value::float(v, s)).collect()
        }
        s => {
            let (least, most) = s.extremes();
            [least, most].map(|v| Value::int(v, s)).to_vec()
        }
    }
}

/// A few numbers of the type at which careless rules break; `which` says which few. None for truth values.
pub(super) fn palette(s: Scalar, which: u64, finite: bool) -> Vec<Value> {
    if s == Scalar::Bool {
        return vec![];
    }
    if !s.is_float() {
        return integers(s, which).into_iter().map(|v| Value::int(v, s)).collect();
    }
    let numbers = Limits::of(s).palette(which).into_iter().filter(|v| v.is_finite() || !finite);
    numbers.filter_map(|v| Value::float(v, s)).collect()
}

/// The extremes of an integer type, what is next to them, and what narrower types and floats hold no more.
fn integers(s: Scalar, which: u64) -> Vec<i128> {
    let (least, most) = s.extremes();
    let half = most / 2;
    match which % 9 {
        0 => vec![least, most],
        1 => vec![least, least + 1, most - 1, most, -1, 0, 1],
        // Where a sum or a double leaves the type.
        2 => vec![half, half + 1, half + 2, -half, -half - 1, -half - 2, most],
        3 => vec![-1, 0, 1],
        4 => vec![7, -7, 10, -10, 16, 31, 33, 64, 100, -100],
        // Products of two of them leave the type, or a narrower one.
        5 => vec![15, 16, 17, 181, 255, 256, 257, 46_341, 65_535, 65_536, 65_537, 1 << 31, 1 << 32],
        // What i8, u8, i16, u16, i32, u32 hold no more.
        6 => vec![
            127,
            128,
            -128,
            -129,
            255,
            256,
            32_767,
            32_768,
            -32_769,
            65_535,
            65_536,
            1 << 31,
            -(1 << 31) - 1,
        ],
        // What is rounded twice, to f64 and to f32, is not what is rounded once.
        8 => {
            let above = |bits: u32| (1 << bits) + (1 << (bits - 24)) + 1;
            vec![above(60), -above(60), above(62), (1 << 60) + 3 * (1 << 36) - 1, above(30)]
        }
        // What f16, f32, f64 hold no more.
        _ => vec![2047, 2049, 16_777_215, 16_777_217, 65_519, 65_520, (1 << 53) + 1, -(1 << 24) - 1],
    }
}

/// The special numbers of a floating-point type.
struct Limits {
    most: f64,
    least_normal: f64,
    least: f64,
    /// The distance from one to the next number.
    epsilon: f64,
    /// The least numbers of narrower types.
    narrower: &'static [f64],
}

impl Limits {
    fn of(s: Scalar) -> Limits {
        match s {
            Scalar::F16 => Limits {
                most: 65504.0,
                least_normal: 2f64.powi(-14),
                least: 2f64.powi(-24),
                epsilon: 2f64.powi(-10),
                narrower: &[],
            },
            Scalar::F32 => Limits {
                most: f32::MAX.into(),
                least_normal: f32::MIN_POSITIVE.into(),
                least: f32::from_bits(1).into(),
                epsilon: f32::EPSILON.into(),
                narrower: &[5.960_464_477_539_063e-8],
            },
            _ => Limits {
                most: f64::MAX,
                least_normal: f64::MIN_POSITIVE,
                least: f64::from_bits(1),
                epsilon: f64::EPSILON,
                narrower: &[5.960_464_477_539_063e-8, 1.401_298_464_324_817e-45],
            },
        }
    }

    fn palette(&self, which: u64) -> Vec<f64> {
        let Limits { most, least_normal, least, epsilon, narrower } = *self;
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        let whole = 2.0 / epsilon;
        match if ZEROS.contains(&which) { which } else { which % 14 } {
            // The first two are the zeros.
            0 => vec![0.0, -0.0],
            1 => vec![-0.0],
            // Beside numbers beyond which there is one to start with, so that the first zero is chosen, wherever it stands.
            101 => vec![0.0, -0.0, most / -4.0],
            102 => vec![0.0, -0.0, most / 4.0],
            // What is rounded twice, to f32 and to f16 or from f64 to these, is not what is rounded once.
            12 => {
                let above = |half: i32, more: i32| 1.0 + 2f64.powi(half) + 2f64.powi(more);
                vec![above(-11, -40), -above(-11, -40), above(-24, -50), above(-11, -23), above(-25, -51)]
            }
            // What has fewer digits than other numbers, and what a narrower type has fewer digits of: halves of them are rounded.
            13 => {
                let few = [2.0, 3.0, 5.0, 9.0, 22.0, -3.0, -7.0].map(|k| k * least);
                let narrow = narrower.iter().flat_map(|l| [0.4, 2.4, 5.4, -23.4].map(|k| k * l));
                few.into_iter().chain(narrow).chain([least_normal * 1.5, least_normal * 3.0]).collect()
            }
            2 => vec![nan],
            3 => vec![inf, -inf],
            4 => vec![nan, inf, -inf, 0.0, -0.0],
            5 => vec![most, -most, most / 2.0, -most / 2.0, most * 0.75, most * -0.75],
            6 => vec![least, -least, least_normal, -least_normal, -0.0],
            7 => vec![most, least, 1.0, -1.0, least_normal],
            8 => vec![1.0, 1.0 + epsilon, 1.0 - epsilon / 2.0, epsilon, epsilon / 2.0, -epsilon / 4.0],
            // Beyond these not every whole number is one of the type, and beyond those of an integer type.
            9 => vec![whole, whole + 2.0, whole - 1.0, whole / 2.0 + 1.0, 1.0, -1.0],
            10 => vec![
                127.5,
                -128.9,
                255.5,
                256.0,
                -0.5,
                0.5,
                -1.0,
                2147483648.0,
                -2147483904.0,
                9.3e18,
                -1e19,
                2e19,
            ],
            _ => vec![0.1, -0.3, 1.5, 2.5, -2.5, 1e3, -7.25, 3.3e4],
        }
    }
}

/// A float that is one or close to it: by one, by a half, in the last place, by a small part of it, towards another one.
pub(super) fn near(v: f64, other: f64, s: Scalar, rng: &mut Rng) -> f64 {
    let sign = [1.0, -1.0][rng.below(2) as usize];
    match rng.below(13) {
        0..=2 => v,
        3 => v + sign,
        4 => v + sign / 2.0,
        5 | 6 => match s {
            Scalar::F64 if sign > 0.0 => v.next_up(),
            Scalar::F64 => v.next_down(),
            Scalar::F32 if sign > 0.0 => (v as f32).next_up().into(),
            Scalar::F32 => (v as f32).next_down().into(),
            _ => v + sign * v.abs() * Limits::of(s).epsilon,
        },
        7 | 10..=12 => v * (1.0 + sign * 10f64.powi(-1 - rng.below(7) as i32)),
        8 => (v + other) / 2.0,
        _ => v * [0.5, 2.0, -1.0, -0.5][rng.below(4) as usize],
    }
}
