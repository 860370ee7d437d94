//! What is compared, as fractions: without rounding and wrapping around, also between the whole numbers. There Newton's
//! steps find where several comparisons are equal at once.

use super::super::border::{Border, Node};
use super::numbers;
use crate::lang::pattern::Pattern;
use crate::lang::value::Value;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// So many steps are made: what is linear takes one, and a product of large numbers halves its distance at first.
const STEPS: usize = 40;

/// How things change is seen at such a part of one: far away quotients and powers change otherwise.
const NEAR: i64 = 1 << 10;

/// Longer fractions are rounded between the steps.
const MOST_BITS: u64 = 256;

/// A comparison, and by how much the left is to be above the right.
pub(super) type Wanted<'a> = (&'a Border, BigRational);

/// Where all comparisons are as wanted, starting from a point; unknowns that are no numbers stay as they are there.
pub(super) fn newton(wanted: &[Wanted], start: &[Value]) -> Option<Vec<BigRational>> {
    let mut at: Vec<BigRational> =
        start.iter().map(|v| numbers::fraction(v).unwrap_or_else(BigRational::zero)).collect();
    let missing = |at: &[BigRational]| -> Option<Vec<BigRational>> {
        let difference = |(border, above): &Wanted| {
            Some(number(&border.left, at, start)? - number(&border.right, at, start)? - above)
        };
        wanted.iter().map(difference).collect()
    };
    let near = BigRational::new(One::one(), NEAR.into());
    for _ in 0..STEPS {
        let now = missing(&at)?;
        if now.iter().all(Zero::is_zero) {
            return Some(at);
        }
        let mut rows: Vec<Vec<BigRational>> = now.iter().map(|d| vec![-d]).collect();
        for unknown in (0..at.len()).rev() {
            let mut moved = at.clone();
            moved[unknown] += &near;
            let there = missing(&moved)?;
            for (row, (there, now)) in rows.iter_mut().zip(there.iter().zip(&now)) {
                row.insert(0, (there - now) / &near);
            }
        }
        for (at, step) in at.iter_mut().zip(solved(rows)?) {
            *at += step;
            // Towards what is met nowhere, as `1 / x = 0`, numbers grow without end: beyond every scalar there is none.
            if at.denom().bits().max(at.numer().bits()) > MOST_BITS {
                *at = BigRational::from_float(at.to_f64()?)?;
            }
        }
    }
    // What is nearly so may be so when rounded.
    Some(at)
}

/// Solves linear equations, whose last column is the right side; what is not determined is zero.
fn solved(mut rows: Vec<Vec<BigRational>>) -> Option<Vec<BigRational>> {
    let unknowns = rows.first()?.len() - 1;
    let mut pivots: Vec<usize> = vec![];
    for column in 0..unknowns {
        let done = pivots.len();
        let Some(pivot) = (done..rows.len()).find(|r| !rows[*r][column].is_zero()) else { continue };
        rows.swap(done, pivot);
        let by = rows[done][column].clone();
        rows[done].iter_mut().for_each(|v| *v /= &by);
        let pivot = rows[done].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, row)| *r != done && !row[column].is_zero()) {
            let by = row[column].clone();
            row.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= &by * p);
        }
        pivots.push(column);
    }
    let mut out = vec![BigRational::zero(); unknowns];
    for (row, column) in rows.iter().zip(&pivots) {
        out[*column] = row[unknowns].clone();
    }
    // Equations that contradict each other.
    rows[pivots.len()..].iter().all(|row| row[unknowns].is_zero()).then_some(out)
}

/// The number that the node is; none where it is none, or where no fraction is near it.
fn number(node: &Node, at: &[BigRational], start: &[Value]) -> Option<BigRational> {
    let (p, parts) = match node {
        Node::Unknown(i) => {
            return if matches!(start.get(*i)?, Value::Bool(_)) { None } else { at.get(*i).cloned() };
        }
        Node::Constant(v) => return numbers::fraction(v),
        Node::Computed(p, _, parts) => (*p, parts.as_slice()),
    };
    let of = |part: &Node| number(part, at, start);
    Some(match (p, parts) {
        (Pattern::Neg, [x]) => -of(x)?,
        (Pattern::Abs, [x]) => of(x)?.abs(),
        // What is rounded is near.
        (Pattern::Cast | Pattern::Floor | Pattern::Ceil | Pattern::Round | Pattern::Trunc, [x]) => of(x)?,
        (Pattern::Add, [a, b]) => of(a)? + of(b)?,
        (Pattern::Sub, [a, b]) => of(a)? - of(b)?,
        (Pattern::Mul, [a, b]) => of(a)? * of(b)?,
        (Pattern::Div, [a, b]) => {
            let by = of(b)?;
            if by.is_zero() {
                return None;
            }
            of(a)? / by
        }
        (Pattern::Min, [a, b]) => of(a)?.min(of(b)?),
        (Pattern::Max, [a, b]) => of(a)?.max(of(b)?),
        (Pattern::Select, [test, a, b]) => of(if truth(test, at, start)? { a } else { b })?,
        _ => return None,
    })
}

fn truth(node: &Node, at: &[BigRational], start: &[Value]) -> Option<bool> {
    let (p, parts) = match node {
        Node::Unknown(i) => match start.get(*i)? {
            Value::Bool(v) => return Some(*v),
            _ => return None,
        },
        Node::Constant(Value::Bool(v)) => return Some(*v),
        Node::Constant(_) => return None,
        Node::Computed(p, _, parts) => (*p, parts.as_slice()),
    };
    let of = |part: &Node| truth(part, at, start);
    match (p, parts) {
        (Pattern::Not, [x]) => of(x).map(|x| !x),
        (Pattern::And, [a, b]) => Some(of(a)? && of(b)?),
        (Pattern::Or, [a, b]) => Some(of(a)? || of(b)?),
        (_, [a, b]) if p.is_comparison() => {
            let order = number(a, at, start)?.cmp(&number(b, at, start)?);
            Some(match p {
                Pattern::Equal => order.is_eq(),
                Pattern::NotEqual => order.is_ne(),
                Pattern::Lt => order.is_lt(),
                Pattern::Le => order.is_le(),
                Pattern::Gt => order.is_gt(),
                Pattern::Ge => order.is_ge(),
                _ => return None,
            })
        }
        _ => None,
    }
}
