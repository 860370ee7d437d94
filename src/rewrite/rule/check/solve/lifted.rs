//! Equations between integers of one type, bit by bit.
//!
//! The lowest bits of sums, products and bitwise operations depend on the lowest bits of their operands alone. So a
//! solution of `x * x * x == 77` modulo 2 is lifted to one modulo 4, and so on, up to the width of the type; where no bit
//! leads on, the one before it is taken back. What is no such operation may lead nowhere, and what is found is checked.

use super::super::border::Border;
use crate::lang::eval::Arithmetic;
use crate::lang::eval::inputs::Rng;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;

/// So often are the equations evaluated.
const MOST_EVALUATED: usize = 6000;

/// So many unknowns get a bit at once.
const MOST_UNKNOWNS: usize = 3;

/// Where the left of each border is above its right by so much, if the bits of these unknowns lead there; the others stay
/// what they are at the start.
pub(super) fn solve(
    wanted: &[(&Border, i128)],
    unknowns: &[usize],
    scalars: &[Scalar],
    start: &[Value],
    rng: &mut Rng,
) -> Option<Vec<Value>> {
    let s = scalars[*unknowns.first()?];
    if unknowns.len() > MOST_UNKNOWNS
        || unknowns.iter().any(|u| scalars[*u] != s)
        || s.is_float()
        || s == Scalar::Bool
    {
        return None;
    }
    let mut search = Search { wanted, unknowns, s, at: start.to_vec(), left: MOST_EVALUATED };
    search.leads_on(0, &mut vec![0; unknowns.len()], rng).then_some(search.at)
}

struct Search<'a> {
    wanted: &'a [(&'a Border, i128)],
    unknowns: &'a [usize],
    s: Scalar,
    at: Vec<Value>,
    /// What is left of [`MOST_EVALUATED`].
    left: usize,
}

impl Search<'_> {
    /// Are there bits from this one on with which all holds, the lower ones being there?
    fn leads_on(&mut self, bit: u32, bits: &mut Vec<u128>, rng: &mut Rng) -> bool {
        if bit == 8 * self.s.bytes() as u32 {
            return true;
        }
        let first = rng.below(1 << self.unknowns.len());
        for choice in 0..1u64 << self.unknowns.len() {
            let chosen = choice ^ first;
            for (i, number) in bits.iter_mut().enumerate() {
                *number = *number & !(1 << bit) | u128::from(chosen >> i & 1) << bit;
            }
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            if self.hold_below(bit + 1, bits) && self.leads_on(bit + 1, bits, rng) {
                return true;
            }
        }
        bits.iter_mut().for_each(|number| *number &= !(1 << bit));
        false
    }

    /// Do the equations hold modulo so many bits?
    fn hold_below(&mut self, bits: u32, numbers: &[u128]) -> bool {
        for (unknown, number) in self.unknowns.iter().zip(numbers) {
            self.at[*unknown] = Value::int(*number as i128, self.s);
        }
        let mask = (1u128 << bits) - 1;
        self.wanted.iter().all(|(border, above)| {
            let sides = [&border.left, &border.right].map(|side| side.value(Arithmetic::MACHINE, &self.at));
            let [Some(Value::Int(left, _)), Some(Value::Int(right, _))] = sides else { return false };
            (left as u128).wrapping_sub(right as u128).wrapping_sub(*above as u128) & mask == 0
        })
    }
}
