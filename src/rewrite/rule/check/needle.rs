//! Inputs that differ from tame ones in one place: a single NaN, or one extreme, among small numbers, beside scalars that are
//! above all elements, below all of them, or meet one. What looks at an array as a whole, a maximum, a search, a count,
//! mostly hides one of its elements, and several unlikely things must be together for a mistake to show.

use super::palette::{extremes, palette};
use super::replaced::{number_of, type_of, with_leaves};
use super::values::Drawing;
use crate::lang::eval::inputs::Rng;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;

/// Small numbers lie around one of these.
const LEVELS: [i128; 3] = [-9, 0, 9];

/// The values, which are of the types of some inputs, with other scalars in their place.
pub(super) fn inputs(drawing: &Drawing, values: &[Value], rng: &mut Rng) -> Vec<Value> {
    let level = LEVELS[rng.below(LEVELS.len() as u64) as usize];
    let small = |by: i128, s: Scalar| {
        let unsigned = !s.is_float() && s.extremes().0 == 0;
        number_of(if unsigned { level.abs() } else { level } + by, s)
    };
    let is_number = |v: &Value| type_of(v).is_some();
    let mut leaves = 0;
    for v in values.iter().filter(|v| !is_number(v)) {
        with_leaves(v, &mut |_| {
            leaves += 1;
            None
        });
    }
    // Now and then it is everywhere, and the same.
    let everywhere = rng.below(4) == 0;
    let at = rng.below(u64::max(leaves, 1));
    let (which, seed) = (rng.bits(), rng.bits());
    // Truth values are all the same but for it.
    let most_are = rng.below(2) == 0;
    let (mut passed, mut elements) = (0, vec![]);
    let arrays = values.iter().map(|v| match v {
        v if is_number(v) => v.clone(),
        v => with_leaves(v, &mut |s| {
            passed += 1;
            let is_needle = everywhere || passed == at + 1;
            if s == Scalar::Bool {
                return Some(Value::Bool(most_are != is_needle));
            }
            let needle = || one_of(&special(drawing, s, which), &mut Rng::new(seed));
            let found = if is_needle { needle() } else { None };
            let found = found.or_else(|| small(i128::from(rng.below(9)) - 4, s));
            elements.extend(found.clone());
            found
        }),
    });
    let arrays: Vec<Value> = arrays.collect();
    let scalar = |v: Value, rng: &mut Rng| {
        let Some(s) = type_of(&v) else { return v };
        // One that is everywhere is mostly to be met.
        let ways = if everywhere { 12 } else { 8 };
        let other = match rng.below(ways) {
            0 | 1 => small(5, s),
            2 | 3 => small(-5, s),
            6 | 7 => drawing.next_to_mentioned(s, rng),
            _ => {
                let alike: Vec<Value> = elements.iter().filter(|e| type_of(e) == Some(s)).cloned().collect();
                one_of(&alike, rng).map(|e| if rng.below(2) == 0 { e } else { drawing.beside(&e, s, rng) })
            }
        };
        with_leaves(&v, &mut |_| other.clone())
    };
    arrays.into_iter().map(|v| scalar(v, rng)).collect()
}

fn one_of(values: &[Value], rng: &mut Rng) -> Option<Value> {
    values.get(rng.below(values.len().max(1) as u64) as usize).cloned()
}

/// What hides among others: a third of the time what is no number, a third of the time an extreme.
fn special(drawing: &Drawing, s: Scalar, which: u64) -> Vec<Value> {
    match which % 3 {
        0 if s.is_float() && !drawing.is_finite() => Value::float(f64::NAN, s).into_iter().collect(),
        1 => extremes(s),
        _ => palette(s, which / 3, drawing.is_finite()),
    }
}
