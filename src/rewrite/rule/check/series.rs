//! Inputs of which whole arrays have something in common, of which a rule may say something as a whole: series of numbers, and
//! arrays each element of which has to do with one of another array.

use super::palette::extremes;
use super::replaced::{number_of, type_of, with_leaves};
use crate::lang::eval::inputs::Rng;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;

/// The numbers behind the first ones are no factors but one.
const MOST_FACTORS: usize = 16;

/// Primes up to here are tried as factors.
const MOST_TRIED: i128 = 1000;

/// What the numbers of an array have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Series {
    /// All are one number, or all but one.
    Same,
    /// Two that follow each other sum to one number.
    Pairs,
    /// Three do.
    Triples,
    /// Each differs from the next by one number.
    Counting,
    /// They are little above one number.
    Above,
    /// Each stands twice.
    Twos,
    /// Each is greater than the one before, or each less, but for two that are the same if there are any such.
    Rising,
    /// Their product is one number.
    Factors,
    /// Those of each row sum to one number.
    Sums,
    /// The positions in their order, from some on and round again, or backwards.
    Positions,
    /// They are as large as they can be.
    Greatest,
}

/// How often each comes: sums and differences are what most rules speak of.
const SERIES: [Series; 24] = {
    use Series::{Above, Counting, Factors, Greatest, Pairs, Positions, Rising, Same, Sums, Triples, Twos};
    [
        Same, Same, Same, Pairs, Pairs, Pairs, Triples, Triples, Triples, Counting, Counting, Counting,
        Above, Twos, Greatest, Factors, Factors, Factors, Rising, Rising, Sums, Sums, Positions, Positions,
    ]
};

/// What truth values of an array have in common, in the turn of a series.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truths {
    /// All are the same.
    Same,
    /// One is unlike all others.
    One,
    /// Those up to one of them are the same, and those behind it.
    Sorted,
}

const TRUTHS: [Truths; 3] = [Truths::Same, Truths::One, Truths::Sorted];

/// What the elements of an array have to do with those of another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    /// The other one's from the last to the first.
    Reversed,
    /// Both sum to one number.
    Sum,
    /// They differ by one number.
    Difference,
    /// Their product is one number.
    Product,
}

const RELATIONS: [Relation; 5] =
    [Relation::Same, Relation::Reversed, Relation::Sum, Relation::Difference, Relation::Product];

/// The values as series, by the numbers of the rule: each by itself, or now and then by one before it that has as many numbers of
/// the same types.
pub(super) fn inputs(whole: &[i128], values: &[Value], rng: &mut Rng) -> Vec<Value> {
    let mut out: Vec<Value> = vec![];
    for v in values {
        let is_array = type_of(v).is_none();
        let before = out.iter().rev().find(|other| is_array && are_alike(other, v));
        let made = match before {
            Some(other) if rng.below(3) == 0 => related(whole, other, v, rng),
            _ => series(whole, v, rng),
        };
        out.push(made);
    }
    out
}

fn leaves(v: &Value) -> Vec<&Value> {
    match v {
        Value::Pair(p) => [leaves(&p.0), leaves(&p.1)].concat(),
        Value::Array(all) | Value::Vector(all) => all.iter().flat_map(leaves).collect(),
        _ => vec![v],
    }
}

fn are_alike(v: &Value, other: &Value) -> bool {
    let types = |v| leaves(v).into_iter().map(type_of).collect::<Vec<_>>();
    types(v) == types(other)
}

/// Mostly a number of the rule.
fn one_of(whole: &[i128], rng: &mut Rng) -> Option<i128> {
    whole.get(rng.below(whole.len() as u64 + 2) as usize).copied()
}

/// The value with its numbers made of those of another one.
fn related(whole: &[i128], other: &Value, v: &Value, rng: &mut Rng) -> Value {
    let relation = RELATIONS[rng.below(RELATIONS.len() as u64) as usize];
    let by = one_of(whole, rng).unwrap_or(1);
    let by = if relation == Relation::Difference && rng.below(2) == 0 { by.saturating_neg() } else { by };
    let mut others = leaves(other);
    if relation == Relation::Reversed {
        others.reverse();
    }
    let mut others = others.into_iter();
    with_leaves(v, &mut |s| {
        let x = others.next().filter(|x| type_of(x) == Some(s))?;
        let number = match x {
            Value::Int(x, _) => *x,
            Value::Nat(x) => i128::from(*x),
            Value::F16(x) | Value::F32(x) => return Value::float(relation.of_float(by, f64::from(*x)), s),
            Value::F64(x) => return Value::float(relation.of_float(by, *x), s),
            _ => return Some(x.clone()),
        };
        number_of(relation.of_whole(by, number), s)
    })
}

impl Relation {
    fn of_whole(self, by: i128, x: i128) -> i128 {
        match self {
            Relation::Same | Relation::Reversed => x,
            Relation::Sum => by.saturating_sub(x),
            Relation::Difference => x.saturating_add(by),
            Relation::Product => by.checked_div(x).unwrap_or(by),
        }
    }

    fn of_float(self, by: i128, x: f64) -> f64 {
        match self {
            Relation::Same | Relation::Reversed => x,
            Relation::Sum => by as f64 - x,
            Relation::Difference => x + by as f64,
            Relation::Product if x == 0.0 => by as f64,
            Relation::Product => by as f64 / x,
        }
    }
}

/// The value with its numbers in a series, of which a rule may say something as a whole: such that one, two or three that
/// follow each other sum to the same, or that each differs from the next by the same; mostly by a number of the rule.
fn series(whole: &[i128], v: &Value, rng: &mut Rng) -> Value {
    let mut any = || i128::from(rng.below(9)) - 4;
    let (first, second, other) = (any(), any(), any());
    let by = one_of(whole, rng).unwrap_or(other);
    let rest = by.saturating_sub(first);
    let kind = SERIES[rng.below(SERIES.len() as u64) as usize];
    let period = match kind {
        Series::Pairs => vec![first, rest],
        Series::Triples => vec![first, second, rest.saturating_sub(second)],
        _ => vec![by],
    };
    let sign = if rng.below(2) == 0 { 1 } else { -1 };
    let leaves = leaves(v).len() as u64;
    // An element, or one that is not there.
    let needle = rng.below(leaves + 1);
    let truths = TRUTHS[rng.below(TRUTHS.len() as u64) as usize];
    let most_are = rng.below(2) == 0;
    let gap = 1 + rng.below(2);
    let is_broken = rng.below(3) == 0;
    let is_fraction = rng.below(2) == 0;
    // None is negative, on the way up or down.
    let start = first.abs() + if sign < 0 { 2 * i128::from(leaves) } else { 0 };
    let products: Vec<i128> = whole.iter().copied().filter(|v| v.unsigned_abs() > 1).collect();
    let factors = match (kind, products.get(rng.below(products.len().max(1) as u64) as usize)) {
        (Series::Factors, Some(product)) => factors(*product, leaves, rng),
        _ => vec![],
    };
    if kind == Series::Sums {
        return summing(v, by, is_broken, rng);
    }
    let (mut at, mut before) = (0u64, first);
    with_leaves(v, &mut |s| {
        let number = match kind {
            Series::Same if at == needle && is_broken => by.saturating_add(sign),
            Series::Same | Series::Pairs | Series::Triples => period[at as usize % period.len()],
            Series::Counting => first.saturating_add(by.saturating_mul(sign * i128::from(at))),
            Series::Above => by.saturating_add(1 + i128::from(rng.below(6))),
            Series::Twos => {
                if at.is_multiple_of(2) {
                    before = by.saturating_add(i128::from(rng.below(6)));
                }
                before
            }
            Series::Factors => factors.get(at as usize).copied().unwrap_or(1),
            Series::Rising => {
                let step = if at == needle { 0 } else { 1 + i128::from(rng.below(gap)) };
                before = if at == 0 { start } else { before.saturating_add(sign * step) };
                before
            }
            Series::Positions => {
                let behind = i128::from(leaves - 1 - at);
                if sign < 0 { behind } else { (first.abs() + i128::from(at)) % i128::from(leaves) }
            }
            Series::Sums | Series::Greatest => 0,
        };
        let is_other = match truths {
            Truths::Same => false,
            Truths::One => at == needle,
            Truths::Sorted => at >= needle,
        };
        at += 1;
        match s {
            Scalar::Bool => Some(Value::Bool(most_are != is_other)),
            _ if kind == Series::Greatest => extremes(s).into_iter().next_back(),
            _ if kind == Series::Above && is_fraction && s.is_float() => {
                Value::float(by as f64 + (1 + rng.below(7)) as f64 / 8.0, s)
            }
            _ => number_of(number, s),
        }
    })
}

/// The value with each of its rows summing to a number: evenly, or with what is left at its end.
fn summing(v: &Value, by: i128, evenly: bool, rng: &mut Rng) -> Value {
    match v {
        Value::Pair(p) => Value::pair(summing(&p.0, by, evenly, rng), summing(&p.1, by, evenly, rng)),
        Value::Array(rows) if rows.iter().any(|row| type_of(row).is_none()) => {
            Value::array(rows.iter().map(|row| summing(row, by, evenly, rng)).collect())
        }
        Value::Array(all) | Value::Vector(all) => {
            let (mut left, mut count) = (by, all.len() as i128);
            with_leaves(v, &mut |s| {
                let any = i128::from(rng.below(9)) - 4;
                let number = if evenly || count == 1 { left / count } else { any };
                left = left.saturating_sub(number);
                count -= 1;
                number_of(number, s)
            })
        }
        _ => v.clone(),
    }
}

/// So many numbers whose product is this one, as it falls apart.
fn factors(product: i128, count: u64, rng: &mut Rng) -> Vec<i128> {
    let mut all = vec![1i128; usize::try_from(count).unwrap_or(0).min(MOST_FACTORS)];
    let mut put = |n: i128, rng: &mut Rng| {
        if let Some(one) = all.get_mut(rng.below(count.clamp(1, MOST_FACTORS as u64)) as usize) {
            *one = one.saturating_mul(n);
        }
    };
    let (mut left, mut prime) = (product.saturating_abs(), 2);
    put(product.signum(), rng);
    while prime <= MOST_TRIED && prime * prime <= left {
        if left % prime == 0 {
            put(prime, rng);
            left /= prime;
        } else {
            prime += 1;
        }
    }
    put(left.max(1), rng);
    all
}
