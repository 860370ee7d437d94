//! Half precision: values of type `f16` are computed as `f32` and rounded after each operation, which for
//! `+ - * /` and square roots gives the correctly rounded result (24 bits are at least 2 * 11 + 2).

/// The bits of the half nearest to `x`, ties to even.
pub fn to_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 is half-way between the largest half and what would follow.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    let exponent = (magnitude >> 23) as i32 - 127;
    if exponent >= -14 {
        let rounded = round_off(magnitude & 0x007f_ffff, 13);
        return sign | ((((exponent + 15) as u32) << 10) + rounded) as u16;
    }
    // Subnormal: the significand with its hidden bit, in units of 2^-24.
    let shift = (-1 - exponent) as u32;
    if magnitude == 0 || shift > 24 {
        return sign;
    }
    sign | round_off((magnitude & 0x007f_ffff) | 0x0080_0000, shift) as u16
}

/// `value / 2^shift`, rounded to the nearest whole number, ties to even.
fn round_off(value: u32, shift: u32) -> u32 {
    let value = u64::from(value);
    let half = 1u64 << (shift - 1);
    let quotient = value >> shift;
    let rest = value & ((1 << shift) - 1);
    (quotient + u64::from(rest > half || (rest == half && quotient & 1 == 1))) as u32
}

/// The value of a half's bits.
pub fn from_bits(bits: u16) -> f32 {
    let sign = if bits & 0x8000 != 0 { -1.0f32 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    match exponent {
        0 => sign * fraction * (2.0f32).powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        e => sign * (1.0 + fraction / 1024.0) * (2.0f32).powi(e - 15),
    }
}

/// The half nearest to `x`, as an `f32`.
pub fn round(x: f32) -> f32 {
    from_bits(to_bits(x))
}

/// The half nearest to `x`, as an `f32`, without rounding twice.
pub fn round_f64(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) == x || near.is_nan() {
        return round(near);
    }
    // Cut off towards zero and set the last bit: enough for the second rounding to see on which side `x` lies.
    let towards_zero = near.to_bits() - u32::from(f64::from(near).abs() > x.abs());
    round(f32::from_bits(towards_zero | 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_and_neighbours_round_to_even() {
        for bits in 0..=u16::MAX {
            let x = from_bits(bits);
            if x.is_nan() {
                assert!(from_bits(to_bits(x)).is_nan());
                continue;
            }
            assert_eq!(to_bits(x), bits, "{x}");
            // The middle between a half and the next one goes to the one with the even significand.
            let next = from_bits(bits + 1);
            if next.is_finite() && x.is_finite() {
                let middle = (x + next) / 2.0;
                assert_eq!(to_bits(middle), bits + (bits & 1), "{middle}");
            }
        }
    }

    #[test]
    fn doubles_round_once() {
        // Just above the middle of 1 and the next half: through f32 it would become the middle, and then 1.
        let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(round_f64(x), 1.0 + 2f32.powi(-10));
        assert_eq!(round_f64(1.0 + 2f64.powi(-11)), 1.0);
        assert_eq!(round_f64(-x), -1.0 - 2f32.powi(-10));
        assert_eq!(round_f64(1e300), f32::INFINITY);
        assert_eq!(round_f64(1e-300), 0.0);
    }

    #[test]
    fn extremes() {
        assert_eq!(round(65519.0), 65504.0);
        assert_eq!(round(65520.0), f32::INFINITY);
        assert_eq!(round(1e-8), 0.0);
        assert_eq!(to_bits(-0.0), 0x8000);
        assert_eq!(round(1e30), f32::INFINITY);
        assert_eq!(round(f32::MIN_POSITIVE / 4.0), 0.0);
    }
}
