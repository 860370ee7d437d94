//! What choices say of numbers, and choices that say the same.

use super::{Kind, Phrase};
use crate::lang::literal::Literal;
use crate::lang::nat::{Atom, Nat, Ranges};
use crate::lang::pattern::Pattern;

/// Numbers that are at least zero where a condition on numbers holds; none where nothing is known of them.
pub fn where_true(condition: &Phrase) -> Vec<Nat> {
    if let Kind::Pattern(Pattern::Select, _, ps) = condition.kind()
        && let [first, second, otherwise] = ps.as_slice()
        && matches!(otherwise.kind(), Kind::Lit(Literal::Bool(false)))
    {
        return [first, second].into_iter().flat_map(where_true).collect();
    }
    let natural = |(p, difference): (Pattern, Nat)| match p {
        Pattern::Lt => difference.sub(&Nat::constant(1)),
        _ => difference,
    };
    compared(condition).map(natural).into_iter().collect()
}

/// The number that is at least zero where a condition on numbers does not hold.
pub fn where_false(condition: &Phrase) -> Option<Nat> {
    let (p, difference) = compared(condition)?;
    (p == Pattern::Lt).then(|| Nat::constant(0).sub(&difference))
}

/// A comparison, `<` or `==`, and by how much the second number is more than the first.
pub fn compared(condition: &Phrase) -> Option<(Pattern, Nat)> {
    let Kind::Pattern(p @ (Pattern::Lt | Pattern::Le | Pattern::Equal), _, ps) = condition.kind() else {
        return None;
    };
    let [a, b] = ps.as_slice() else { return None };
    let number = |p: &Phrase| p.as_number().filter(|(_, parts)| parts.is_empty()).map(|(n, _)| n);
    let difference = number(b)?.sub(&number(a)?);
    // What is at most a number is less than the next.
    Some(if *p == Pattern::Le { (Pattern::Lt, difference.add(&Nat::constant(1))) } else { (*p, difference) })
}

/// Does the first condition hold wherever the second does?
pub fn follows(first: &Phrase, second: &Phrase, ranges: &Ranges) -> bool {
    let (Some((Pattern::Lt, _)), holds) = (compared(first), where_true(second)) else { return false };
    let mut ranges = ranges.clone();
    holds.iter().for_each(|n| ranges.assume(n));
    !holds.is_empty() && where_true(first).iter().all(|n| n.is_natural(&ranges))
}

/// The condition as a person asks for it: `4*i + 1 < 14` is `i < 4`, and `i < 1` is `i == 0`.
pub fn plain(condition: Phrase, ranges: &Ranges) -> Phrase {
    let end = compared(&condition).filter(|(p, _)| *p == Pattern::Lt).and_then(|(_, n)| end_of_variable(&n));
    let Some((variable, end)) = end else { return condition };
    let number = |n: Nat| Phrase::nat(n);
    match end {
        1 if variable.is_natural(ranges) => Phrase::equal(number(variable), number(Nat::constant(0))),
        _ => Phrase::less(number(variable), number(Nat::constant(end))),
    }
}

/// Of `c - k*x`, which is more than zero: `x`, and the first number that it does not reach.
fn end_of_variable(difference: &Nat) -> Option<(Nat, i64)> {
    let (constants, others): (Vec<_>, Vec<_>) =
        difference.terms().iter().cloned().partition(|(m, _)| m.is_empty());
    let [(m, factor)] = others.as_slice() else { return None };
    let [(Atom::Var(v), 1)] = m.as_slice() else { return None };
    let (most, factor) =
        (Nat::from_terms(constants).as_constant()?, factor.is_integer().then(|| *factor.numer())?);
    let factor = i64::try_from(-factor).ok().filter(|k| *k > 0)?;
    Some((Nat::variable(v.clone()), (most - 1).div_euclid(factor) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::nat::Worker;

    fn less(a: &Nat, b: i64) -> Phrase {
        Phrase::less(Phrase::nat(a.clone()), Phrase::nat(Nat::constant(b)))
    }

    #[test]
    fn multiples_are_compared_as_what_they_are_multiples_of() {
        let (id, c) = (Worker::LocalId(0).nat(), Nat::constant);
        let ranges = Ranges::default();
        let text = |p: Phrase| plain(p, &ranges).to_string();
        let same = |n: &Nat, end: i64| less(n, end).to_string();
        assert_eq!(text(less(&c(4).mul(&id).add(&c(1)), 14)), same(&id, 4));
        assert_eq!(text(less(&c(4).mul(&id).add(&c(1)), 13)), same(&id, 3));
        let first = Phrase::equal(Phrase::nat(id.clone()), Phrase::nat(c(0))).to_string();
        assert_eq!(text(less(&c(12).mul(&id), 11)), first);
        // What may be negative is not zero below one; what is more than linear stays.
        let x = Nat::var("x").floor_div(&c(2));
        for (n, end) in [(x.clone(), 1), (x.mul(&x), 4), (id.mul(&Nat::var("n")), 4)] {
            assert_eq!(text(less(&n, end)), same(&n, end));
        }
    }

    #[test]
    fn what_is_below_less_is_below_more() {
        let (i, ranges) = (Nat::var("i"), Ranges::default());
        assert!(
            follows(&less(&i, 4), &less(&i, 3), &ranges) && !follows(&less(&i, 3), &less(&i, 4), &ranges)
        );
        let zero = Phrase::equal(Phrase::nat(i.clone()), Phrase::nat(Nat::constant(0)));
        assert!(follows(&less(&i, 1), &zero, &ranges) && !follows(&zero, &less(&i, 1), &ranges));
    }
}
