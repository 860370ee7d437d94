//! Between which numbers an integer lies, by what it is computed from: differences of bytes never overflow an `int`, for one.

use crate::lang::literal::Literal;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lower::dpia::{Kind, Phrase};

/// The least and the greatest that a number can be.
pub type Interval = (i128, i128);

/// The interval of an integer; nothing of other values.
pub fn interval(e: &Phrase) -> Option<Interval> {
    let s = e.data().as_scalar()?;
    let all = of_type(s)?;
    let Kind::Pattern(p, _, ps) = e.kind() else {
        return Some(if let Kind::Lit(Literal::Int(n, _)) = e.kind() { (*n, *n) } else { all });
    };
    let computed = match (p, ps.as_slice()) {
        (Pattern::Select, [_, a, b]) => {
            interval(a).zip(interval(b)).map(|((a, b), (c, d))| (a.min(c), b.max(d)))
        }
        (Pattern::Cast, [a]) => interval(a),
        (p, ps) => sum_or_product(*p, ps),
    };
    // What does not fit wraps, and may be anything then.
    Some(computed.filter(|computed| is_within(*computed, all)).unwrap_or(all))
}

/// The interval of a sum, product or other operation before it wraps.
fn sum_or_product(p: Pattern, ps: &[Phrase]) -> Option<Interval> {
    let (a, b) = interval(ps.first()?)?;
    let Some(second) = ps.get(1) else {
        return match p {
            Pattern::Neg => Some((-b, -a)),
            Pattern::Abs => Some((a.max(-b).max(0), b.max(-a))),
            _ => None,
        };
    };
    let (c, d) = interval(second)?;
    match p {
        Pattern::Add => Some((a + c, b + d)),
        Pattern::Sub => Some((a - d, b - c)),
        Pattern::Mul => {
            let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.saturating_mul(y));
            corners.iter().min().copied().zip(corners.iter().max().copied())
        }
        Pattern::Min => Some((a.min(c), b.min(d))),
        Pattern::Max => Some((a.max(c), b.max(d))),
        _ => None,
    }
}

/// Does the operation on integers of this type have a result in the type, whatever they are?
pub fn never_wraps(p: Pattern, ps: &[Phrase], s: Scalar) -> bool {
    sum_or_product(p, ps).zip(of_type(s)).is_some_and(|(result, all)| is_within(result, all))
}

fn of_type(s: Scalar) -> Option<Interval> {
    match s {
        Scalar::Bool => Some((0, 1)),
        s if s.is_float() => None,
        s => Some(s.extremes()),
    }
}

fn is_within((a, b): Interval, (least, most): Interval) -> bool {
    least <= a && b <= most
}
