//! Operations taken back: what an operand was, from the result and the other operand.

use super::super::border::Node;
use super::numbers::float;
use crate::lang::eval::Arithmetic;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;
use std::f64::consts::PI;

/// Candidates for the unknown such that the node has this value, the likeliest first.
pub(super) fn undo(node: &Node, unknown: usize, target: &Value, unknowns: &[Value], out: &mut Vec<Value>) {
    const MOST: usize = 24;
    match node {
        Node::Unknown(_) => out.push(target.clone()),
        Node::Constant(_) => {}
        Node::Computed(Pattern::Mul, _, parts)
            if parts.first() == parts.get(1) && matches!(target, Value::Int(..)) =>
        {
            let (Value::Int(square, s), [part, _]) = (target, parts.as_slice()) else { return };
            for root in roots(*square, 8 * s.bytes() as u32) {
                undo(part, unknown, &Value::int(root, *s), unknowns, out);
            }
        }
        Node::Computed(p, _, parts) => {
            for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.has(unknown)) {
                if out.len() >= MOST {
                    return;
                }
                let other = parts.get(1 - i.min(1)).filter(|_| parts.len() == 2);
                let other = other.and_then(|other| other.value(Arithmetic::MACHINE, unknowns));
                let Some(now) = part.value(Arithmetic::MACHINE, unknowns) else { continue };
                for before in operand(*p, i, &now, other.as_ref(), target) {
                    undo(part, unknown, &before, unknowns, out);
                }
            }
        }
    }
}

/// Values that the `i`-th operand, which is `now`, could have for the result to be this, the other operand being what it
/// is.
fn operand(p: Pattern, i: usize, now: &Value, other: Option<&Value>, target: &Value) -> Vec<Value> {
    match (p, now) {
        (Pattern::Select, Value::Bool(_)) => vec![Value::Bool(true), Value::Bool(false)],
        (Pattern::Select, _) => vec![target.clone()],
        (_, Value::Int(now, s)) => {
            let target = match target {
                Value::Int(v, _) => *v,
                other => match float(other) {
                    Some(v) if v.is_finite() => v as i128,
                    _ => return vec![],
                },
            };
            let other = match other {
                Some(Value::Int(v, _)) => Some(*v),
                _ => None,
            };
            whole(p, i, *now, other, target, *s).into_iter().map(|v| Value::int(v, *s)).collect()
        }
        _ => {
            let Some(s) = now.scalar().filter(|s| s.is_float()) else { return vec![] };
            let target = match target {
                Value::Int(v, _) => *v as f64,
                other => match float(other) {
                    Some(v) => v,
                    None => return vec![],
                },
            };
            let numbers = fraction(p, i, other.and_then(float), target);
            numbers.into_iter().filter_map(|v| Value::float(v, s)).collect()
        }
    }
}

/// As [`operand`], of integers of a type, which wrap around.
fn whole(p: Pattern, i: usize, now: i128, other: Option<i128>, t: i128, s: Scalar) -> Vec<i128> {
    // No integer comes near a float as large as this.
    if t.unsigned_abs() > 1 << 126 {
        return vec![];
    }
    let bits = 8 * s.bytes() as u32;
    let first = i == 0;
    match (p, other) {
        (Pattern::Neg, _) => vec![t.saturating_neg()],
        (Pattern::Abs, _) => vec![t, t.saturating_neg()],
        (Pattern::BitNot, _) => vec![!t],
        // And what a narrower type does not tell from it.
        (Pattern::Cast, _) => {
            let far = [32, 16, 8]
                .into_iter()
                .flat_map(|bits| [t.saturating_add(40 << bits), t.saturating_sub(40 << bits)]);
            [t, t.saturating_add(1)].into_iter().chain(far.filter(|v| v.abs() < 1 << 62)).collect()
        }
        (Pattern::Add, Some(o)) => vec![t.saturating_sub(o)],
        (Pattern::Sub, Some(o)) => vec![if first { t.saturating_add(o) } else { o.saturating_sub(t) }],
        (Pattern::Mul, Some(o)) => factor(t, o, bits),
        (Pattern::Div, Some(o)) if first => {
            let product = t.saturating_mul(o);
            let rest = now.checked_rem(o).unwrap_or(0);
            // With the remainder that it has first.
            [rest, 0, o.signum() * (o.abs() - 1), 1].map(|rest| product.saturating_add(rest)).to_vec()
        }
        (Pattern::Div, Some(o)) => {
            o.checked_div(t).into_iter().flat_map(|q| [q, q.saturating_sub(1), q.saturating_add(1)]).collect()
        }
        (Pattern::Mod, Some(o)) if first => {
            let multiple = now - now.checked_rem(o).unwrap_or(0);
            [multiple, 0, o, -o].map(|multiple| t.saturating_add(multiple)).to_vec()
        }
        (Pattern::Mod, Some(o)) => vec![o.saturating_sub(t)],
        (Pattern::Min | Pattern::Max, _) => vec![t],
        (Pattern::BitAnd, Some(o)) => vec![t | (now & !o), t | !o, t],
        (Pattern::BitOr, Some(o)) => vec![t & !o, t],
        (Pattern::BitXor, Some(o)) => vec![t ^ o],
        (Pattern::ShiftLeft, Some(by)) if first && (0..i128::from(bits)).contains(&by) => {
            let mask = (1i128 << bits) - 1;
            let low = (t & mask) >> by;
            let high = now & !((1i128 << (i128::from(bits) - by)) - 1);
            vec![low, low | high]
        }
        (Pattern::ShiftRight, Some(by)) if first && (0..i128::from(bits)).contains(&by) => {
            let (low, high) = (now & ((1i128 << by) - 1), t.checked_mul(1 << by).unwrap_or(0));
            vec![high, high | low]
        }
        _ => vec![],
    }
}

/// The other factor of a product that wraps around at so many bits.
fn factor(product: i128, factor: i128, bits: u32) -> Vec<i128> {
    if factor == 0 {
        return vec![];
    }
    let mut found: Vec<i128> = match product.checked_rem(factor) {
        Some(0) => product.checked_div(factor).into_iter().collect(),
        _ => vec![],
    };
    let zeros = factor.trailing_zeros();
    let mask = (1u128 << bits) - 1;
    let product = product as u128 & mask;
    if zeros < bits && product.trailing_zeros() >= zeros {
        let inverse = inverse((factor >> zeros) as u128);
        let one = (product >> zeros).wrapping_mul(inverse) & (mask >> zeros);
        // Bits that the product shifts out may be anything.
        found.extend([one as i128, (one | (1 << (bits - zeros)) & mask) as i128]);
    }
    found.extend((product as i128).checked_div(factor));
    found
}

/// The numbers whose squares are this one, where products wrap around at so many bits: an odd square has four.
fn roots(square: i128, bits: u32) -> Vec<i128> {
    let mask = (1u128 << bits) - 1;
    let square = square as u128 & mask;
    if square == 0 {
        return vec![0, 1 << bits.div_ceil(2)];
    }
    let zeros = square.trailing_zeros();
    let (odd, bits) = (square >> zeros, bits - zeros);
    if zeros % 2 == 1 || odd & 0b111 & ((1 << bits.min(3)) - 1) != 1 {
        return vec![];
    }
    // From bit to bit: where the square of what is found so far differs in one, the bit before it is the other one.
    let differs = |root: u128, bit: u32| (root.wrapping_mul(root) ^ odd) >> bit & 1 == 1;
    let root =
        (3..bits).fold(1u128, |root, bit| if differs(root, bit) { root | 1 << (bit - 1) } else { root });
    let half = 1u128 << (bits.max(1) - 1);
    let all = [root, root.wrapping_neg(), root.wrapping_add(half), half.wrapping_sub(root)];
    all.into_iter().map(|root| ((root << (zeros / 2)) & mask) as i128).collect()
}

/// The number whose product with an odd one is one, where products wrap around at any power of two.
pub(super) fn inverse(odd: u128) -> u128 {
    // Newton's steps double the bits that are right, of which three are so at the start.
    (0..7).fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// As [`operand`], of floats.
fn fraction(p: Pattern, i: usize, other: Option<f64>, t: f64) -> Vec<f64> {
    let first = i == 0;
    match (p, other) {
        (Pattern::Neg, _) => vec![-t],
        (Pattern::Abs, _) => vec![t, -t],
        (Pattern::Cast | Pattern::Floor | Pattern::Trunc | Pattern::Round | Pattern::Ceil, _) => {
            vec![t, t + 0.25, t - 0.25]
        }
        (Pattern::Min | Pattern::Max, _) => vec![t],
        (Pattern::Sqrt, _) => vec![t * t],
        (Pattern::Exp, _) => vec![t.ln()],
        (Pattern::Exp2, _) => vec![t.log2()],
        (Pattern::Log, _) => vec![t.exp()],
        (Pattern::Log2, _) => vec![t.exp2()],
        (Pattern::Log10, _) => vec![10f64.powf(t)],
        (Pattern::Sin, _) => vec![t.asin(), PI - t.asin()],
        (Pattern::Cos, _) => vec![t.acos(), -t.acos()],
        (Pattern::Tan, _) => vec![t.atan()],
        (Pattern::Asin, _) => vec![t.sin()],
        (Pattern::Acos, _) => vec![t.cos()],
        (Pattern::Atan, _) => vec![t.tan()],
        (Pattern::Sinh, _) => vec![t.asinh()],
        (Pattern::Cosh, _) => vec![t.acosh(), -t.acosh()],
        (Pattern::Tanh, _) => vec![t.atanh()],
        (Pattern::Add, Some(o)) => vec![t - o],
        (Pattern::Sub, Some(o)) => vec![if first { t + o } else { o - t }],
        (Pattern::Mul, Some(o)) => vec![t / o],
        (Pattern::Div, Some(o)) => vec![if first { t * o } else { o / t }],
        // What grows is found between two numbers.
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_that_wrap_around_are_taken_back() {
        for bits in [8u32, 16, 32, 64] {
            for x in [0u128, 1, 2, 3, 12, 46_341, 0x1234_5678_9abc] {
                let mask = (1u128 << bits) - 1;
                let square = (x * x) & mask;
                let found = roots(square as i128, bits);
                assert!(!found.is_empty(), "{bits} {x}");
                for root in found {
                    let root = root as u128;
                    assert_eq!(root.wrapping_mul(root) & mask, square, "{bits} {x} {root}");
                }
            }
        }
        assert_eq!(roots(3, 32), [0i128; 0]);
        assert!(roots(57, 32).len() == 4 && roots(2_147_395_601, 32).iter().any(|r| r * r > 1 << 32));
    }
}
