//! Solving what a rule compares ([`Border`]) for one scalar: numbers at which the two sides may differ.
//!
//! Three ways, each of which finds what the others miss. Operations are taken back one after the other, in the arithmetic
//! of their type (the `x` of `x * 7 == 5` that wraps around), again and again where the unknown occurs more than once. Between
//! two numbers of which one is below and one is above the border, halving finds it, as of anything that grows. And types
//! of eight bits have no more than 256 values.

use super::border::{Border, Node};
use crate::lang::eval::inputs::Rng;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;
use std::cell::RefCell;
use std::cmp::Ordering;

/// A value for some of the unknowns: of a parameter of the whole term, or of what is not known by name.
pub(super) type Solution = Vec<(Option<usize>, Value)>;

/// So often is each border solved for each unknown, with other values for the other unknowns.
const ROUNDS: usize = 3;

/// So many unknowns of a border are solved for.
const MOST_UNKNOWNS: usize = 4;

/// So often are the operations taken back.
const STEPS: usize = 70;

/// Of one border and one round no more are kept.
const MOST_SOLUTIONS: usize = 12;

/// So many borders are remembered.
const MOST_REMEMBERED: usize = 64;

/// Borders that are solved, once each: the instances of a rule compare the same again and again.
#[derive(Default)]
pub(super) struct Solver {
    solved: RefCell<Vec<(Border, Vec<Vec<Value>>)>>,
}

impl Solver {
    /// Values of the unknowns at which what is compared is equal, or next to it.
    pub fn solutions(&self, border: &Border) -> Vec<Solution> {
        let mut solved = self.solved.borrow_mut();
        let at = solved.iter().position(|(known, _)| known.is_same_equation(border)).unwrap_or_else(|| {
            if solved.len() >= MOST_REMEMBERED {
                solved.clear();
            }
            solved.push((border.clone(), solve(border)));
            solved.len() - 1
        });
        let parameters = || border.unknowns.iter().map(|u| u.parameter);
        solved[at].1.iter().map(|values| parameters().zip(values.iter().cloned()).collect()).collect()
    }
}

fn solve(border: &Border) -> Vec<Vec<Value>> {
    let mut rng = Rng::new(0x3c6e_f372_fe94_f82b);
    let mut found: Vec<Vec<Value>> = vec![];
    // One unknown is solved for once.
    let rounds = if border.unknowns.len() == 1 { 1 } else { ROUNDS };
    for round in 0..rounds {
        for unknown in 0..border.unknowns.len().min(MOST_UNKNOWNS) {
            let others: Vec<Value> =
                border.unknowns.iter().map(|u| other(u.scalar, round, &mut rng)).collect();
            for solution in (OneUnknown { border, unknown, values: others }).solve(&mut rng) {
                if !found.contains(&solution) {
                    found.push(solution);
                }
            }
        }
    }
    found
}

/// A value for an unknown that is not solved for.
fn other(s: Scalar, round: usize, rng: &mut Rng) -> Value {
    let small = if round == 0 { 1 + rng.below(3) } else { rng.below(17) } as i128;
    number(small, s).unwrap_or(Value::Bool(rng.below(2) == 0))
}

fn number(v: i128, s: Scalar) -> Option<Value> {
    match s {
        Scalar::Bool => None,
        s if s.is_float() => Value::float(v as f64, s),
        s => Some(Value::int(v, s)),
    }
}

/// A border, one unknown of it, and what all are (of the one, what was tried last).
struct OneUnknown<'a> {
    border: &'a Border,
    unknown: usize,
    values: Vec<Value>,
}

impl OneUnknown<'_> {
    fn scalar(&self) -> Scalar {
        self.border.unknowns[self.unknown].scalar
    }

    /// What all unknowns may be.
    fn solve(mut self, rng: &mut Rng) -> Vec<Vec<Value>> {
        let s = self.scalar();
        let mut found: Vec<Value> = vec![];
        if s == Scalar::Bool || s.bytes() == 1 {
            found.extend(self.equal_among(all_of(s)));
        } else {
            found.extend(self.taken_back(rng));
            found.extend(self.halved());
            if found.iter().all(|v| self.order(v) != Some(Ordering::Equal)) && s.bytes() == 2 {
                found.extend(self.equal_among(all_of(s)));
            }
        }
        // Those at which both are equal say most.
        found.sort_by_key(|v| self.order(v) != Some(Ordering::Equal));
        found.dedup();
        found.truncate(MOST_SOLUTIONS);
        let with = |v: Value| {
            let mut values = self.values.clone();
            values[self.unknown] = v;
            values
        };
        found.into_iter().map(with).collect()
    }

    /// How the left compares with the right where the unknown is this.
    fn order(&mut self, v: &Value) -> Option<Ordering> {
        self.values[self.unknown] = v.clone();
        compared(&self.border.left.value(&self.values)?, &self.border.right.value(&self.values)?)
    }

    fn equal_among(&mut self, all: Vec<Value>) -> Vec<Value> {
        all.into_iter().filter(|v| self.order(v) == Some(Ordering::Equal)).take(MOST_SOLUTIONS).collect()
    }

    /// From the border back to the unknown.
    fn taken_back(&mut self, rng: &mut Rng) -> Vec<Value> {
        let s = self.scalar();
        let mut found = vec![];
        let border = self.border;
        for start in [0, 1, -1, rng.below(1 << 20) as i128] {
            let Some(mut at) = number(start, s) else { continue };
            let mut last: Vec<Value> = vec![];
            for step in 0..STEPS {
                self.values[self.unknown] = at.clone();
                let mut candidates = vec![];
                for (side, target) in [(&border.left, &border.right), (&border.right, &border.left)] {
                    if let (true, Some(target)) = (side.has(self.unknown), target.value(&self.values)) {
                        undo(side, self.unknown, &target, &self.values, &mut candidates);
                    }
                }
                let hit = candidates.iter().find(|v| self.order(v) == Some(Ordering::Equal)).cloned();
                if hit.is_none() && step == 0 {
                    // Equal but for rounding, as the quotient of two floats may be.
                    found.extend(candidates.first().cloned());
                }
                if let Some(hit) = hit {
                    found.push(hit);
                    break;
                }
                match candidates.first() {
                    Some(next) if candidates != last => at = next.clone(),
                    _ => break,
                }
                last = candidates;
            }
        }
        found
    }

    /// Between neighbours of which one is below and one is above.
    fn halved(&mut self) -> Vec<Value> {
        let s = self.scalar();
        let mut found = vec![];
        let mut last: Option<(i128, Ordering)> = None;
        for place in places(s) {
            let Some(order) = at_place(place, s).and_then(|v| self.order(&v)) else {
                last = None;
                continue;
            };
            if let Some((low, below)) = last
                && below != order
            {
                let (mut low, mut high) = (low, place);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    match at_place(middle, s).and_then(|v| self.order(&v)) {
                        Some(o) if o == below => low = middle,
                        _ => high = middle,
                    }
                }
                found.extend([high, low].into_iter().filter_map(|place| at_place(place, s)));
            }
            last = Some((place, order));
        }
        found
    }
}

fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a, _), Value::Int(b, _)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => float(a)?.partial_cmp(&float(b)?),
    }
}

fn float(v: &Value) -> Option<f64> {
    match v {
        Value::F16(v) | Value::F32(v) => Some((*v).into()),
        Value::F64(v) => Some(*v),
        _ => None,
    }
}

/// All values of a small type.
pub(super) fn all_of(s: Scalar) -> Vec<Value> {
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
fn at_place(place: i128, s: Scalar) -> Option<Value> {
    let size = u64::try_from(place.unsigned_abs()).ok()?;
    let float = match s {
        Scalar::Bool => return None,
        Scalar::F16 => half_of_bits(u16::try_from(size).ok()?),
        Scalar::F32 => f32::from_bits(u32::try_from(size).ok()?).into(),
        Scalar::F64 => f64::from_bits(size),
        s => return Some(Value::int(place, s)),
    };
    Value::float(if place < 0 { -float } else { float }, s)
}

/// The half-precision number of these bits, without a sign.
fn half_of_bits(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10), f64::from(bits & 0x3ff) / 1024.0);
    match exponent {
        0 => fraction * 2f64.powi(-14),
        31 => f64::INFINITY,
        e => (1.0 + fraction) * 2f64.powi(e - 15),
    }
}

/// Some places of a type in order, from the least to the greatest number.
fn places(s: Scalar) -> Vec<i128> {
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

/// Candidates for the unknown such that the node has this value, the likeliest first.
fn undo(node: &Node, unknown: usize, target: &Value, unknowns: &[Value], out: &mut Vec<Value>) {
    const MOST: usize = 24;
    match node {
        Node::Unknown(_) => out.push(target.clone()),
        Node::Constant(_) => {}
        Node::Computed(p, _, parts) => {
            for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.has(unknown)) {
                if out.len() >= MOST {
                    return;
                }
                let other = parts.get(1 - i.min(1)).filter(|_| parts.len() == 2);
                let other = other.and_then(|other| other.value(unknowns));
                let Some(now) = part.value(unknowns) else { continue };
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
    let bits = 8 * s.bytes() as u32;
    let first = i == 0;
    match (p, other) {
        (Pattern::Neg, _) => vec![-t],
        (Pattern::Abs, _) => vec![t, -t],
        (Pattern::BitNot, _) => vec![!t],
        (Pattern::Cast, _) => vec![t, t + 1],
        (Pattern::Add, Some(o)) => vec![t - o],
        (Pattern::Sub, Some(o)) => vec![if first { t + o } else { o - t }],
        (Pattern::Mul, Some(o)) => factor(t, o, bits),
        (Pattern::Div, Some(o)) if first => {
            let product = t.saturating_mul(o);
            vec![product, product.saturating_add(o.signum() * (o.abs() - 1)), product.saturating_add(1)]
        }
        (Pattern::Div, Some(o)) => o.checked_div(t).into_iter().flat_map(|q| [q, q - 1, q + 1]).collect(),
        (Pattern::Mod, Some(o)) if first => vec![t, t.saturating_add(o), t.saturating_sub(o)],
        (Pattern::Mod, Some(o)) => vec![o - t],
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
            let low = now & ((1i128 << by) - 1);
            vec![t << by, (t << by) | low]
        }
        _ => vec![],
    }
}

/// The other factor of a product that wraps around at so many bits.
fn factor(product: i128, factor: i128, bits: u32) -> Vec<i128> {
    if factor == 0 {
        return vec![];
    }
    let mut found: Vec<i128> = (product % factor == 0).then(|| product / factor).into_iter().collect();
    let zeros = factor.trailing_zeros();
    let mask = (1u128 << bits) - 1;
    let product = product as u128 & mask;
    if zeros < bits && product.trailing_zeros() >= zeros {
        // An odd number has an inverse, which Newton's steps double the bits of.
        let odd = (factor >> zeros) as u128;
        let mut inverse = odd;
        for _ in 0..7 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        let one = (product >> zeros).wrapping_mul(inverse) & (mask >> zeros);
        // Bits that the product shifts out may be anything.
        found.extend([one as i128, (one | (1 << (bits - zeros)) & mask) as i128]);
    }
    found.push(product as i128 / factor);
    found
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
        (Pattern::Add, Some(o)) => vec![t - o],
        (Pattern::Sub, Some(o)) => vec![if first { t + o } else { o - t }],
        (Pattern::Mul, Some(o)) => vec![t / o],
        (Pattern::Div, Some(o)) => vec![if first { t * o } else { o / t }],
        // What has a border of its own is found between two numbers.
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::super::border::borders;
    use super::*;
    use crate::lang::build as b;
    use crate::lang::eval::Sizes;
    use crate::lang::literal::Literal;
    use crate::lang::term::Term;
    use crate::lang::ty::Type;

    fn binary(p: Pattern, x: Term, y: Term) -> Option<Term> {
        b::apply(p, vec![], vec![x, y]).ok()
    }

    /// What is found for `\x. LEFT == number`, of a scalar type.
    fn found(s: Scalar, left: impl Fn(Term, &dyn Fn(f64) -> Term) -> Term, number: f64) -> Vec<String> {
        let constant = |v: f64| {
            Term::lit(if s.is_float() { Literal::Float(v.to_bits(), s) } else { Literal::Int(v as i128, s) })
        };
        let x = Term::var(0, Type::scalar(s));
        let test = binary(Pattern::Equal, left(x, &constant), constant(number)).unwrap();
        let borders = borders(&Term::lam("x", Type::scalar(s), test), &Sizes::new());
        assert_eq!(borders.len(), 1);
        Solver::default().solutions(&borders[0]).into_iter().flatten().map(|(_, v)| v.to_string()).collect()
    }

    #[test]
    fn equations_are_solved() {
        let op = |p: Pattern, x: Term, y: Term| binary(p, x, y).unwrap();
        use Pattern as P;
        // Where it wraps around.
        let seven = found(Scalar::I32, |x, c| op(P::Mul, x, c(7.0)), 5.0);
        assert!(
            seven.contains(&"-1227133512".to_owned()) || seven.contains(&"-1840700269".to_owned()),
            "{seven:?}"
        );
        let away = found(Scalar::I32, |x, c| op(P::Mul, op(P::Sub, x, c(1000.0)), c(3.0)), 54321.0);
        assert!(away.contains(&"19107".to_owned()), "{away:?}");
        let scrambled =
            found(Scalar::I32, |x, c| op(P::BitXor, x.clone(), op(P::ShiftLeft, x, c(13.0))), 77777.0);
        assert!(!scrambled.is_empty());
        let quarter = found(Scalar::F32, |x, c| op(P::Mul, x, c(4.0)), 51.0);
        assert!(quarter.contains(&"12.75".to_owned()), "{quarter:?}");
        let half = found(Scalar::F16, |x, c| op(P::Mul, x, c(3.0)), 7.0);
        assert!(half.contains(&"2.3339844".to_owned()), "{half:?}");
        let square = found(Scalar::F64, |x, _| op(P::Mul, x.clone(), x), 1522756.0);
        assert!(square.contains(&"1234.0".to_owned()), "{square:?}");
    }
}
