//! Solving equations between sizes: one for one unknown ("pivoting"), or several together by elimination.

use super::{Atom, Coefficient, Monomial, Nat, NatVar, inverse, monomial_order};
use std::collections::BTreeMap;

/// What an equation between two sizes says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solution {
    /// Both sides have one normal form.
    Equal,
    /// The unknown must be this size.
    Bind(NatVar, Nat),
    /// Unknowns remain, but none can be isolated yet: try again when others are known.
    Stuck,
    /// No value of the unknowns makes the sides equal, or sizes without unknowns differ.
    Contradiction,
}

/// Solves `left = right` for the first unknown that stands once, linearly, beside known factors.
///
/// `sp*n + sz - sp = N` gives `n = (N - sz + sp)/sp`; `n*m = 1024` is [`Solution::Stuck`] until one is known.
pub fn solve(left: &Nat, right: &Nat, is_unknown: &dyn Fn(&NatVar) -> bool) -> Solution {
    if left == right {
        return Solution::Equal;
    }
    for (a, b) in [(left, right), (right, left)] {
        if let Some(v) = a.as_variable()
            && is_unknown(v)
            && !b.vars().contains(v)
        {
            return bind(v.clone(), b.clone());
        }
    }
    let difference = left.sub(right);
    if difference.is_zero() {
        return Solution::Equal;
    }
    let difference = without_common_unknowns(difference, is_unknown);
    let unknowns: Vec<NatVar> = difference.vars().into_iter().filter(|v| is_unknown(v)).collect();
    if unknowns.is_empty() {
        return Solution::Contradiction;
    }
    // A factor of one divides evenly whatever the sizes are, a constant more often than a size.
    let ease = |factor: &Nat| match factor.as_constant() {
        Some(1 | -1) => 0,
        Some(_) => 1,
        None => 2,
    };
    let linear = unknowns.into_iter().filter_map(|v| {
        let (factor, rest) = linear_in(&difference, &v)?;
        (!factor.vars().iter().any(is_unknown)).then_some((v, factor, rest))
    });
    match linear.min_by_key(|(_, factor, _)| ease(factor)) {
        Some((v, factor, rest)) => bind(v, Nat::constant(0).sub(&rest).exact_div(&factor)),
        None => Solution::Stuck,
    }
}

/// The only unknown in `left = right`, where it stands linearly, and what it is then: maybe a fraction, or less than zero,
/// which is for the caller to judge.
pub fn isolate(left: &Nat, right: &Nat, is_unknown: &dyn Fn(&NatVar) -> bool) -> Option<(NatVar, Nat)> {
    let difference = left.sub(right);
    let mut unknowns = difference.vars().into_iter().filter(|v| is_unknown(v));
    let v = unknowns.next().filter(|_| unknowns.next().is_none())?;
    let (factor, rest) = linear_in(&difference, &v)?;
    Some((v, Nat::constant(0).sub(&rest).exact_div(&factor)))
}

/// Divides by the unknowns that every term has: no size is zero, so `a*b = a*c` says `b = c`.
fn without_common_unknowns(n: Nat, is_unknown: &dyn Fn(&NatVar) -> bool) -> Nat {
    let exponents = |m: &Monomial| -> BTreeMap<Atom, i32> {
        m.iter().filter(|(a, _)| matches!(a, Atom::Var(v) if is_unknown(v))).cloned().collect()
    };
    let mut terms = n.terms().iter();
    let Some((first, _)) = terms.next() else { return n };
    let mut common = exponents(first);
    for (m, _) in terms {
        let here = exponents(m);
        for (atom, e) in &mut common {
            *e = (*e).min(here.get(atom).copied().unwrap_or(0));
        }
        for (atom, e) in here {
            common.entry(atom).or_insert(e.min(0));
        }
    }
    let divisor: Monomial = common.into_iter().filter(|(_, e)| *e != 0).collect();
    if divisor.is_empty() {
        return n;
    }
    let by = Nat::from_terms([(inverse(&divisor), num_rational::Ratio::from_integer(1))]);
    n.mul(&by)
}

/// A sum sorted by what is unknown in it: products of unknowns with their known factors.
type Row = BTreeMap<Monomial, Nat>;

fn row(n: &Nat, is_unknown: &dyn Fn(&NatVar) -> bool) -> Row {
    let mut out = Row::new();
    for (m, c) in n.terms() {
        let hides = |a: &Atom| match a {
            Atom::Var(v) => is_unknown(v),
            Atom::Floor(x, y) | Atom::Mod(x, y) => x.vars().iter().chain(&y.vars()).any(is_unknown),
            Atom::Sum(x) => x.vars().iter().any(is_unknown),
            Atom::Poison => false,
        };
        let (unknown, known): (Monomial, Monomial) = m.iter().cloned().partition(|(a, _)| hides(a));
        let factor = Nat::from_terms([(known, *c)]);
        let sum = out.remove(&unknown).map_or(factor.clone(), |old| old.add(&factor));
        if !sum.is_zero() {
            out.insert(unknown, sum);
        }
    }
    out
}

/// Sums that are zero where all equations hold, as few unknowns in each as can be: products of unknowns count as unknowns, and
/// are eliminated from the other equations, the longest first.
pub fn reduced(equations: &[(Nat, Nat)], is_unknown: &dyn Fn(&NatVar) -> bool) -> Vec<Nat> {
    let mut rows: Vec<Row> = equations.iter().map(|(a, b)| row(&a.sub(b), is_unknown)).collect();
    let mut columns: Vec<Monomial> = rows.iter().flat_map(|r| r.keys().cloned()).collect();
    columns.retain(|m| !m.is_empty());
    columns.sort_by(|a, b| monomial_order(b, a).then_with(|| a.cmp(b)));
    columns.dedup();
    let mut pivots = vec![false; rows.len()];
    for column in columns {
        let Some(i) = (0..rows.len()).find(|i| !pivots[*i] && rows[*i].contains_key(&column)) else {
            continue;
        };
        pivots[i] = true;
        let pivot = rows[i].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let (Some(a), Some(b)) = (pivot.get(&column), other.get(&column)) else { continue };
            let factor = b.exact_div(a);
            for (m, c) in &pivot {
                let left = other.remove(m).unwrap_or_else(|| Nat::constant(0)).sub(&c.mul(&factor));
                if !left.is_zero() {
                    other.insert(m.clone(), left);
                }
            }
        }
    }
    let product = |(m, c): (&Monomial, &Nat)| {
        c.mul(&Nat::from_terms([(m.clone(), num_rational::Ratio::from_integer(1))]))
    };
    let sum = |row: Row| row.iter().map(product).fold(Nat::constant(0), |a, b| a.add(&b));
    rows.into_iter().map(sum).collect()
}

/// Solves equations together when none can be solved alone. Returns what follows for one unknown.
pub fn eliminate(equations: &[(Nat, Nat)], is_unknown: &dyn Fn(&NatVar) -> bool) -> Solution {
    let mut stuck = Solution::Equal;
    for sum in reduced(equations, is_unknown) {
        match solve(&sum, &Nat::constant(0), is_unknown) {
            Solution::Equal => {}
            Solution::Stuck => stuck = Solution::Stuck,
            found => return found,
        }
    }
    stuck
}

/// Numbers beyond this are not taken apart into their divisors.
const MAX_DIVIDED: u128 = 1 << 44;

/// All whole numbers from 1 on that the only unknown of a sum may be where the sum is zero; none where that cannot be told, as
/// of sums with several unknowns.
pub fn roots(sum: &Nat) -> Option<(NatVar, Vec<i64>)> {
    let [unknown] = <[NatVar; 1]>::try_from(sum.vars()).ok()?;
    let power = |m: &Monomial| match m.as_slice() {
        [] => Some(0),
        [(Atom::Var(_), exponent)] => Some(*exponent),
        _ => None,
    };
    let powers = sum.terms().iter().map(|(m, c)| Some((power(m)?, *c))).collect::<Option<Vec<_>>>()?;
    let least = powers.iter().map(|(exponent, _)| *exponent).min()?;
    let whole =
        powers.iter().try_fold(1_i128, |all, (_, c)| all.checked_mul(*c.denom() / gcd(all, *c.denom())))?;
    let factor = |c: &Coefficient| c.numer().checked_mul(whole / c.denom());
    let factors = powers.iter().map(|(exponent, c)| Some(((exponent - least).unsigned_abs(), factor(c)?)));
    let factors = factors.collect::<Option<Vec<_>>>()?;
    // What is a root divides what stands there without the unknown.
    let of = |exponent: u32| factors.iter().find(|(e, _)| *e == exponent).map_or(0, |(_, factor)| *factor);
    let constant = of(0);
    let divisors = match factors.iter().all(|(exponent, _)| *exponent <= 1) {
        true => vec![constant.checked_neg()?.checked_div(of(1))?],
        false => divisors(constant.unsigned_abs())?,
    };
    let is_root = |n: &i128| {
        let term = |(exponent, factor): &(u32, i128)| n.checked_pow(*exponent)?.checked_mul(*factor);
        factors.iter().try_fold(0_i128, |all, one| all.checked_add(term(one)?)) == Some(0)
    };
    let found = divisors.into_iter().filter(|n| *n >= 1 && is_root(n));
    Some((unknown, found.filter_map(|n| i64::try_from(n).ok()).collect()))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The divisors of a number that is not zero, in order; none where it is too large.
fn divisors(n: u128) -> Option<Vec<i128>> {
    if n > MAX_DIVIDED {
        return None;
    }
    let low: Vec<u128> = (1..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).collect();
    let high = low.iter().rev().map(|d| n / d).filter(|d| !low.contains(d));
    low.iter().copied().chain(high).map(|d| i128::try_from(d).ok()).collect()
}

/// A size that is a fraction or negative whatever the variables are is no size.
fn bind(v: NatVar, value: Nat) -> Solution {
    if value.is_poison() {
        return Solution::Contradiction;
    }
    match value.as_constant() {
        Some(c) if c >= 0 => Solution::Bind(v, value),
        Some(_) => Solution::Contradiction,
        None if value.vars().is_empty() => Solution::Contradiction,
        None => Solution::Bind(v, value),
    }
}

/// Writes `n = factor * v + rest` when `v` stands nowhere else.
fn linear_in(n: &Nat, v: &NatVar) -> Option<(Nat, Nat)> {
    let mut factor = vec![];
    let mut rest = vec![];
    for (m, c) in n.terms() {
        let single = Nat::from_terms([(m.clone(), *c)]);
        if !single.vars().contains(v) {
            rest.push((m.clone(), *c));
            continue;
        }
        let quotient = single.exact_div(&Nat::variable(v.clone()));
        if quotient.vars().contains(v) {
            return None;
        }
        factor.extend(quotient.terms().iter().cloned());
    }
    Some((Nat::from_terms(factor), Nat::from_terms(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(v: &NatVar) -> bool {
        matches!(v, NatVar::Meta(_))
    }
    fn c(n: i64) -> Nat {
        Nat::constant(n)
    }

    #[test]
    fn solves_what_patterns_need() {
        let (m, q) = (Nat::var("m"), Nat::meta(0));
        assert_eq!(solve(&c(32).mul(&q), &m, &unknown), Solution::Bind(NatVar::Meta(0), m.exact_div(&c(32))));
        let slide = c(2).mul(&q).add(&c(3)).sub(&c(2));
        assert_eq!(solve(&slide, &c(9), &unknown), Solution::Bind(NatVar::Meta(0), c(4)));
        assert_eq!(solve(&slide, &c(8), &unknown), Solution::Contradiction);
        assert_eq!(solve(&q.mul(&Nat::meta(1)), &c(1024), &unknown), Solution::Stuck);
        assert_eq!(solve(&m, &Nat::var("n"), &unknown), Solution::Contradiction);
        assert_eq!(solve(&c(32).mul(&q), &c(100), &unknown), Solution::Contradiction);
    }

    #[test]
    fn prefers_the_unknown_that_needs_no_division() {
        let (a, b) = (Nat::meta(0), Nat::meta(1));
        let sum = c(32).mul(&a).add(&b);
        let expected = Solution::Bind(NatVar::Meta(1), Nat::var("m").sub(&c(32).mul(&a)));
        assert_eq!(solve(&sum, &Nat::var("m"), &unknown), expected);
    }

    #[test]
    fn cancels_what_both_sides_have() {
        let (a, b, m) = (Nat::meta(0), Nat::meta(1), Nat::var("m"));
        let expected = Solution::Bind(NatVar::Meta(1), m.clone());
        assert_eq!(solve(&a.mul(&b), &a.mul(&m), &unknown), expected);
        assert_eq!(
            solve(&m.exact_div(&b), &c(4), &unknown),
            Solution::Bind(NatVar::Meta(1), m.exact_div(&c(4)))
        );
    }

    #[test]
    fn powers_of_one_unknown_have_whole_roots() {
        let n = Nat::meta(0);
        let roots = |sum: &Nat| roots(sum).map(|(_, values)| values);
        assert_eq!(roots(&n.mul(&n).sub(&c(9))), Some(vec![3]));
        assert_eq!(roots(&n.mul(&n).sub(&c(8))), Some(vec![]));
        let large = 1_000_003;
        assert_eq!(roots(&n.mul(&n).sub(&c(large * large))), Some(vec![large]));
        // (n - 2)(n - 3), over n, and halved.
        let two = n.sub(&c(2)).mul(&n.sub(&c(3)));
        for sum in [two.clone(), two.exact_div(&n), two.exact_div(&c(2)), two.mul(&n)] {
            assert_eq!(roots(&sum), Some(vec![2, 3]), "{sum}");
        }
        assert_eq!(roots(&c(3).mul(&n).sub(&c(7))), Some(vec![]));
        assert_eq!(roots(&n.mul(&Nat::meta(1)).sub(&c(4))), None);
        assert_eq!(roots(&n.floor_div(&c(4)).sub(&c(2))), None);
    }

    #[test]
    fn eliminates_products() {
        let (x, y, h) = (Nat::meta(0), Nat::meta(1), Nat::var("h"));
        let equations = [(x.add(&x.mul(&y)), c(2).mul(&h)), (x.mul(&y), h.clone())];
        assert_eq!(eliminate(&equations, &unknown), Solution::Bind(NatVar::Meta(0), h.clone()));
        let equations = [(x.mul(&y), c(2).mul(&h)), (x.mul(&y), h.clone())];
        assert_eq!(eliminate(&equations, &unknown), Solution::Contradiction);
    }
}
