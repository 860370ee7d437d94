//! Whether a function moves the numbers below a size among themselves, and another moves them back: what `reorder` asks
//! of its functions. Proved for all sizes where the ranges of numbers suffice, else looked at one by one once the sizes
//! are known.

use super::constraint::SizeConstraint;
use super::nat::{Atom, Monomial, Nat, NatError, NatFun, NatVar, Ranges};
use indexmap::IndexSet;
use std::collections::BTreeMap;

/// The most numbers that are looked at one by one.
pub const MOST: i64 = 1 << 22;

/// Why functions are no permutation and its inverse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The first function has no value for the number, or the second for the first one's.
    Undefined(i64, NatError),
    /// The first function leads out of the range.
    Outside(i64, i64),
    /// From a number to another, which the second function leads elsewhere.
    NotBack(i64, i64, i64),
    /// So many numbers are not looked at.
    TooMany(i64),
}

/// What must hold of sizes so that the function has whole values and divides by nothing below one. None where that
/// depends on what it is applied to.
pub fn conditions(f: &NatFun) -> Option<Vec<SizeConstraint>> {
    let mut all = vec![];
    conditions_of(f.body(), &mut all)?;
    let all: IndexSet<SizeConstraint> = all.into_iter().filter(|c| c.decide() != Some(true)).collect();
    (!all.iter().any(|c| c.decide() == Some(false))).then(|| all.into_iter().collect())
}

fn conditions_of(n: &Nat, out: &mut Vec<SizeConstraint>) -> Option<()> {
    // What stands before each product that has the parameter must be whole by itself.
    let mut factors: BTreeMap<Monomial, Nat> = BTreeMap::new();
    for (m, c) in n.terms() {
        let depends = |a: &Atom| NatFun::is_inside(&Nat::atom(a.clone()));
        let (inside, outside): (Monomial, Monomial) = m.iter().cloned().partition(|(a, _)| depends(a));
        for (a, e) in &inside {
            match a {
                Atom::Floor(x, y) | Atom::Mod(x, y) if *e > 0 && !NatFun::is_inside(y) => {
                    conditions_of(x, out)?;
                    out.extend(SizeConstraint::of_length(y));
                }
                Atom::Var(_) if *e > 0 => {}
                _ => return None,
            }
        }
        let factor = factors.entry(inside).or_insert_with(|| Nat::constant(0));
        *factor = factor.add(&Nat::from_terms([(outside, *c)]));
    }
    let whole = factors.values().flat_map(SizeConstraint::of_size);
    out.extend(whole.filter(|c| matches!(c, SizeConstraint::Divides(..))));
    Some(())
}

/// Is `n / by` exact, rather than a division of what a function is applied to, which rounds?
pub fn divides_evenly(n: &Nat, by: &Nat) -> bool {
    !(NatFun::is_inside(n) || NatFun::is_inside(by)) || n.exact_div(by).is_evidently_integral()
}

/// Whether `there` permutes the numbers below `n` and `back` is its inverse, where that follows without knowing any
/// size, [`conditions`] being given.
pub fn decide(n: &Nat, there: &NatFun, back: &NatFun) -> Option<bool> {
    if conditions(there).is_some() && conditions(back).is_some() && proved(n, there, back) {
        return Some(true);
    }
    if refuted(n, there, back) {
        return Some(false);
    }
    if n.vars().is_empty() && there.vars().is_empty() && back.vars().is_empty() {
        return match counted(n, there, back, &|_| None) {
            Ok(()) => Some(true),
            Err(Fault::TooMany(_)) => None,
            Err(_) => Some(false),
        };
    }
    None
}

fn proved(n: &Nat, there: &NatFun, back: &NatFun) -> bool {
    let mut ranges = Ranges::default();
    ranges.insert(NatFun::parameter_name(), Nat::constant(0), n.clone());
    let to = there.body().simplify(&ranges);
    let stays = to.is_natural(&ranges) && to.is_less(n, &ranges) == Some(true);
    stays && back.apply(&to).simplify(&ranges) == NatFun::parameter()
}

/// Does the first or the last number show that it is none, whatever the sizes are?
fn refuted(n: &Nat, there: &NatFun, back: &NatFun) -> bool {
    let last = n.sub(&Nat::constant(1));
    let first = Nat::constant(0);
    let negative = |n: &Nat| n.as_constant().is_some_and(|c| c < 0);
    let ranges = Ranges::default();
    [first, last.clone()].iter().any(|from| {
        let to = there.apply(from).simplify(&ranges);
        let again = back.apply(&to).simplify(&ranges).sub(from);
        negative(&to) || negative(&last.sub(&to)) || again.as_constant().is_some_and(|c| c != 0)
    })
}

/// Whether the functions are a permutation and its inverse, for given sizes.
///
/// # Errors
/// A number that shows that they are not; a size that has no value.
pub fn check(
    n: &Nat,
    there: &NatFun,
    back: &NatFun,
    value: &dyn Fn(&str) -> Option<i64>,
) -> Result<Result<(), Fault>, NatError> {
    let length = Nat::constant(n.eval(value)?);
    there.at(value)?;
    back.at(value)?;
    let known = |f: &NatFun| {
        f.subst(&|v| match v {
            NatVar::Named(x) => value(x).map(Nat::constant),
            NatVar::Meta(_) | NatVar::Worker(_) => None,
        })
    };
    let (f, g) = (known(there), known(back));
    let whole = |f: &NatFun| conditions(f).is_some_and(|c| c.is_empty());
    if whole(&f) && whole(&g) && proved(&length, &f, &g) {
        return Ok(Ok(()));
    }
    Ok(counted(&length, there, back, value))
}

fn counted(n: &Nat, there: &NatFun, back: &NatFun, value: &dyn Fn(&str) -> Option<i64>) -> Result<(), Fault> {
    let undefined = |i: i64| move |error: NatError| Fault::Undefined(i, error);
    let n = n.eval(value).map_err(undefined(0))?;
    if n > MOST {
        return Err(Fault::TooMany(n));
    }
    let (f, g) = (there.at(value).map_err(undefined(0))?, back.at(value).map_err(undefined(0))?);
    for i in 0..n {
        let to = f.call(i).map_err(undefined(i))?;
        if !(0..n).contains(&to) {
            return Err(Fault::Outside(i, to));
        }
        let again = g.call(to).map_err(undefined(i))?;
        if again != i {
            return Err(Fault::NotBack(i, to, again));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fun(body: impl FnOnce(Nat) -> Nat) -> NatFun {
        NatFun::new("i", body(NatFun::parameter()))
    }

    fn at<'a>(sizes: &'a [(&'a str, i64)]) -> impl Fn(&str) -> Option<i64> + 'a {
        |x| sizes.iter().find(|(n, _)| *n == x).map(|(_, v)| *v)
    }

    #[test]
    fn what_ranges_prove_needs_no_sizes() {
        let (n, s, m, c) = (Nat::var("n"), Nat::var("s"), Nat::var("m"), Nat::constant);
        let reverse = fun(|i| n.sub(&c(1)).sub(&i));
        assert_eq!(decide(&n, &reverse, &reverse), Some(true));
        let same = fun(|i| i);
        assert_eq!(decide(&n, &same, &same), Some(true));
        // A stride, by sizes that divide by their names, and by their values.
        let there = |s: &Nat, a: &Nat| fun(|i| i.floor_div(a).add(&s.mul(&i.modulo(a))));
        assert_eq!(decide(&s.mul(&m), &there(&s, &m), &there(&m, &s)), Some(true));
        let a = n.exact_div(&s);
        assert_eq!(decide(&n, &there(&s, &a), &there(&a, &s)), Some(true));
        let asked = conditions(&there(&s, &a)).unwrap();
        assert_eq!(asked, [SizeConstraint::Divides(s.clone(), n.clone())]);
        assert_eq!(decide(&c(12), &there(&c(4), &c(3)), &there(&c(3), &c(4))), Some(true));
        // Its inverse goes by the other stride: upstream's mistake.
        assert_eq!(decide(&c(12), &there(&c(4), &c(3)), &there(&c(4), &c(3))), Some(false));
        assert_eq!(decide(&c(16), &there(&c(4), &c(4)), &there(&c(4), &c(4))), Some(true));
    }

    #[test]
    fn what_is_none_is_found() {
        let (n, c) = (Nat::var("n"), Nat::constant);
        let next = fun(|i| i.add(&c(1)));
        let before = fun(|i| i.sub(&c(1)));
        assert_eq!(decide(&n, &next, &before), Some(false));
        assert_eq!(decide(&n, &before, &next), Some(false));
        let rotate = fun(|i| i.add(&c(1)).modulo(&n));
        let back = fun(|i| i.sub(&c(1)).modulo(&n));
        assert_eq!(decide(&n, &rotate, &rotate), None);
        let at = at(&[("n", 5), ("z", 0)]);
        assert_eq!(check(&n, &rotate, &back, &at), Ok(Ok(())));
        assert_eq!(check(&n, &rotate, &rotate, &at), Ok(Err(Fault::NotBack(0, 1, 2))));
        let half = fun(|i| i.exact_div(&c(2)));
        let twice = fun(|i| i.mul(&c(2)));
        assert_eq!(decide(&n, &half, &twice), None);
        assert!(matches!(check(&n, &half, &twice, &at), Ok(Err(Fault::Undefined(1, NatError::Fraction(_))))));
        let by_zero = fun(|i| i.modulo(&Nat::var("z")));
        let found = check(&n, &by_zero, &by_zero, &at);
        assert!(matches!(found, Ok(Err(Fault::Undefined(0, NatError::DivisionByZero(_))))), "{found:?}");
        assert!(matches!(check(&n, &rotate, &back, &|_| None), Err(NatError::Unknown(_))));
        let many = |_: &str| Some(MOST + 1);
        let thrice = fun(|i| i.mul(&c(3)).modulo(&n));
        assert_eq!(check(&n, &rotate, &back, &many), Ok(Ok(())));
        assert_eq!(check(&n, &thrice, &thrice, &many), Ok(Err(Fault::TooMany(MOST + 1))));
    }
}
