//! Linear equations between integers of one type, which wrap around.
//!
//! Numbers modulo a power of two are no field: an even one has no inverse. Where the coefficient with the fewest factors of
//! two comes first, it divides the others.

use super::super::border::Border;
use super::undo::inverse;
use crate::lang::eval::Arithmetic;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;

/// Where the left of each border is above its right by so much, if all of them are linear; unknowns that they do not
/// determine stay what they are at the start.
pub(super) fn solve(wanted: &[(&Border, i128)], scalars: &[Scalar], start: &[Value]) -> Option<Vec<Value>> {
    let used: Vec<usize> = (0..scalars.len()).filter(|u| wanted.iter().any(|(b, _)| b.has(*u))).collect();
    let s = scalars[*used.first()?];
    if s.is_float() || s == Scalar::Bool || used.iter().any(|u| scalars[*u] != s) {
        return None;
    }
    let mask = (1u128 << (8 * s.bytes())) - 1;
    let missing = |at: &[Value]| -> Option<Vec<u128>> {
        let number = |v: Option<Value>| match v {
            Some(Value::Int(v, _)) => Some(v as u128),
            _ => None,
        };
        let of = |(border, above): &(&Border, i128)| {
            let left = number(border.left.value(Arithmetic::MACHINE, at))?;
            let right = number(border.right.value(Arithmetic::MACHINE, at))?;
            Some(left.wrapping_sub(right).wrapping_sub(*above as u128) & mask)
        };
        wanted.iter().map(of).collect()
    };
    let now = missing(start)?;
    // A row: the coefficients, and by how much the sum is to change.
    let mut rows: Vec<Vec<u128>> = vec![vec![]; wanted.len()];
    for unknown in &used {
        let mut moved = start.to_vec();
        let Value::Int(v, _) = moved[*unknown] else { return None };
        moved[*unknown] = Value::int(v + 1, s);
        let there = missing(&moved)?;
        for (row, (there, now)) in rows.iter_mut().zip(there.iter().zip(&now)) {
            row.push(there.wrapping_sub(*now) & mask);
        }
    }
    rows.iter_mut().zip(&now).for_each(|(row, now)| row.push(now.wrapping_neg() & mask));
    let steps = eliminated(rows, used.len(), mask)?;
    let mut at = start.to_vec();
    for (unknown, step) in used.iter().zip(steps) {
        let Value::Int(v, _) = at[*unknown] else { return None };
        at[*unknown] = Value::int(v.checked_add(i128::try_from(step).ok()?)?, s);
    }
    Some(at)
}

fn eliminated(mut rows: Vec<Vec<u128>>, unknowns: usize, mask: u128) -> Option<Vec<u128>> {
    let mut columns: Vec<usize> = vec![];
    for done in 0..rows.len() {
        let places = (done..rows.len()).flat_map(|r| (0..unknowns).map(move |c| (r, c)));
        let Some((row, column)) =
            places.filter(|(r, c)| rows[*r][*c] != 0).min_by_key(|(r, c)| rows[*r][*c].trailing_zeros())
        else {
            break;
        };
        rows.swap(done, row);
        let (zeros, odd) = parts(rows[done][column]);
        let pivot = rows[done].clone();
        for row in &mut rows[done + 1..] {
            let by = (row[column] >> zeros).wrapping_mul(inverse(odd));
            row.iter_mut().zip(&pivot).for_each(|(v, p)| *v = v.wrapping_sub(by.wrapping_mul(*p)) & mask);
        }
        columns.push(column);
    }
    // Equations that contradict each other.
    if rows[columns.len()..].iter().any(|row| row[unknowns] != 0) {
        return None;
    }
    let mut out = vec![0u128; unknowns];
    for (row, column) in rows.iter().zip(&columns).rev() {
        let others = (0..unknowns).filter(|c| c != column);
        let rest = others.fold(row[unknowns], |sum, c| sum.wrapping_sub(row[c].wrapping_mul(out[c])) & mask);
        let (zeros, odd) = parts(row[*column]);
        if rest & ((1 << zeros) - 1) != 0 {
            return None;
        }
        out[*column] = (rest >> zeros).wrapping_mul(inverse(odd)) & (mask >> zeros);
    }
    Some(out)
}

/// A number as a power of two, and what is odd.
fn parts(v: u128) -> (u32, u128) {
    (v.trailing_zeros(), v >> v.trailing_zeros())
}
