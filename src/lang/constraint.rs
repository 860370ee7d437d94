//! What must hold of sizes for a program or a rewrite to make sense: `32 divides m`, `3 <= n`.
//!
//! Inference and rewriting decide what they can and keep the rest, which is shown and then checked once sizes are
//! given.

use super::nat::{Atom, Coefficient, Monomial, Nat, NatError, NatFun, NatVar, Ranges};
use super::permutation;
use num_traits::{CheckedAdd, CheckedMul, One, Signed};
use std::collections::BTreeMap;
use std::fmt;

/// A condition on sizes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SizeConstraint {
    /// The first divides the second without remainder.
    Divides(Nat, Nat),
    /// The first is no greater than the second.
    AtMost(Nat, Nat),
    /// Both are the same number.
    Equal(Nat, Nat),
    /// The first function permutes the numbers below the size, and the second is its inverse.
    Permutes(Nat, NatFun, NatFun),
}

impl SizeConstraint {
    /// What must hold for `n` to be a size: that it is whole, and not negative. Empty when that is evident.
    pub fn of_size(n: &Nat) -> Vec<SizeConstraint> {
        SizeConstraint::of_size_from(n, 0)
    }

    /// What must hold for `n` to be the length of an array: that it is whole, and not less than one. What a division
    /// leaves over, or how often it goes, may be nothing.
    pub fn of_length(n: &Nat) -> Vec<SizeConstraint> {
        SizeConstraint::of_size_from(n, i64::from(!n.has_division()))
    }

    /// What must hold for `n` to be a number: that nothing is divided by zero, or by less. Empty when that is evident.
    pub fn of_divisors(n: &Nat) -> Vec<SizeConstraint> {
        n.divisors().iter().flat_map(|by| SizeConstraint::of_size_from(by, 1)).collect()
    }

    /// What must hold for `n` to be a number of `natType`: that its divisors are some, and that 64 bits hold it. Empty when that is
    /// evident for sizes of 31 bits, as code takes them.
    pub fn of_number(n: &Nat) -> Vec<SizeConstraint> {
        let mut out = SizeConstraint::of_divisors(n);
        let at_most = n.eval(&|_| Some(i32::MAX.into()));
        if !n.is_poison() && matches!(at_most, Err(NatError::Overflow(_))) {
            out.push(SizeConstraint::AtMost(n.clone(), Nat::constant(i64::MAX)));
        }
        out
    }

    /// What must hold for `i` to be an index below `n`. Empty when that is evident.
    pub fn of_index(i: &Nat, n: &Nat) -> Vec<SizeConstraint> {
        let mut out = SizeConstraint::of_size(i);
        out.extend(SizeConstraint::of_length(&n.sub(i)));
        out
    }

    /// What must hold of a launch of so many work-items in such groups, which share out loops of so many iterations: that
    /// there is at least one, unless there is no iteration where there is none, and that the groups are whole. Empty when
    /// that is evident, or wrong for all sizes: lowering refuses that, with its place (E0531).
    pub fn of_launch(local: &Nat, global: &Nat, shared: &[Nat]) -> Vec<SizeConstraint> {
        let mut out = SizeConstraint::of_size_from(local, 1);
        if !may_be_none(global, shared) {
            out.extend(SizeConstraint::of_size_from(global, 1));
        }
        out.push(SizeConstraint::Divides(local.clone(), global.clone()));
        out.retain(|c| c.decide().is_none());
        out
    }

    /// What follows for numbers when the constraints hold.
    pub fn ranges(constraints: &[SizeConstraint]) -> Ranges {
        let mut ranges = Ranges::default();
        for c in constraints {
            match c {
                SizeConstraint::AtMost(a, b) => ranges.assume(&b.sub(a)),
                SizeConstraint::Equal(a, b) => {
                    ranges.assume(&a.sub(b));
                    ranges.assume(&b.sub(a));
                }
                SizeConstraint::Divides(..) | SizeConstraint::Permutes(..) => {}
            }
        }
        ranges
    }

    fn of_size_from(n: &Nat, least: i64) -> Vec<SizeConstraint> {
        let mut out = vec![];
        let denominator = denominator(n);
        if denominator != Nat::constant(1) {
            out.push(SizeConstraint::Divides(denominator.clone(), n.mul(&denominator)));
        }
        // A whole quotient is at least one when what is divided is: divisors are positive.
        let above = n.mul(&denominator);
        if !is_evidently_at_least(&above, least)
            && !above.sub(&Nat::constant(least)).is_natural(&Ranges::default())
        {
            // A number is told as it is.
            if above.as_constant().is_some() {
                out.push(SizeConstraint::AtMost(Nat::constant(least), above));
                return out;
            }
            let spare = above.sub(&Nat::constant(least));
            let (negative, positive): (Vec<_>, Vec<_>) =
                spare.terms().iter().cloned().partition(|(_, c)| c.is_negative());
            let less = Nat::constant(0).sub(&Nat::from_terms(negative));
            out.push(SizeConstraint::AtMost(less, Nat::from_terms(positive)));
        }
        out.retain(|c| c.decide() != Some(true));
        out
    }

    /// Those of the constraints that do not follow from what the others say a size is at least: what is worth telling.
    pub fn telling(constraints: &[SizeConstraint]) -> impl Iterator<Item = &SizeConstraint> {
        let mut low: BTreeMap<&NatVar, i64> = BTreeMap::new();
        for c in constraints {
            if let Some((v, n)) = c.as_lower_bound() {
                let known = low.entry(v).or_insert(1);
                *known = (*known).max(n);
            }
        }
        let follows = move |c: &SizeConstraint| {
            let SizeConstraint::AtMost(a, b) = c else { return false };
            let least = least_of(&b.sub(a), &|v| low.get(v).copied().unwrap_or(1));
            c.as_lower_bound().is_none() && least.is_some_and(|n| !n.is_negative())
        };
        constraints.iter().filter(move |c| !follows(c))
    }

    /// Whether it holds wherever all of the others do. False where that is not evident.
    pub fn follows_from(&self, others: &[SizeConstraint]) -> bool {
        let is_whole = |n: &Nat, by: &Nat| {
            let quotient = n.exact_div(by);
            !quotient.is_poison() && quotient.is_evidently_integral()
        };
        let other = |c: &SizeConstraint| match (self, c) {
            // With b, each multiple of m is divisible by each divisor of b.
            (SizeConstraint::Divides(a, n), SizeConstraint::Divides(b, m)) => {
                is_whole(b, a) && is_whole(n, m)
            }
            (SizeConstraint::Equal(a, b), SizeConstraint::Equal(c, d)) => (a, b) == (d, c),
            _ => false,
        };
        let ordered = || match self {
            SizeConstraint::AtMost(a, b) => b.sub(a).is_natural(&SizeConstraint::ranges(others)),
            _ => false,
        };
        self.decide() == Some(true) || others.contains(self) || others.iter().any(other) || ordered()
    }

    /// The size and the number that it is at least, where that is what it says.
    fn as_lower_bound(&self) -> Option<(&NatVar, i64)> {
        let SizeConstraint::AtMost(a, b) = self else { return None };
        Some((b.as_variable()?, a.as_constant()?))
    }

    /// Is it about numbers alone?
    pub fn is_of_numbers(&self) -> bool {
        let plain = |n: &Nat| n.vars().is_empty();
        match self {
            SizeConstraint::Divides(a, b) | SizeConstraint::AtMost(a, b) | SizeConstraint::Equal(a, b) => {
                plain(a) && plain(b)
            }
            SizeConstraint::Permutes(..) => false,
        }
    }

    /// Whether it holds, where that follows without knowing any size.
    pub fn decide(&self) -> Option<bool> {
        match self {
            SizeConstraint::Divides(by, n) => {
                let quotient = n.exact_div(by);
                if quotient.is_poison() {
                    return Some(false);
                }
                if quotient.vars().is_empty() {
                    return Some(quotient.as_constant().is_some());
                }
                if quotient.is_evidently_integral() {
                    return Some(true);
                }
                if by.as_constant().is_some_and(|by| leaves_a_rest(n, by)) {
                    return Some(false);
                }
                // What is larger divides nothing but zero.
                let one = Nat::constant(1);
                let is_less = is_never_negative(&by.sub(n).sub(&one)) && is_evidently_at_least(n, 1);
                is_less.then_some(false)
            }
            SizeConstraint::AtMost(a, b) => {
                let difference = b.sub(a);
                // What is beyond 64 bits is no number; of two that are, the difference may be.
                if difference.is_poison() {
                    return (a.is_poison() || b.is_poison()).then_some(false);
                }
                if let Some(c) = difference.as_constant() {
                    return Some(c >= 0);
                }
                let signs =
                    |negative: bool| difference.terms().iter().all(|(_, c)| c.is_negative() == negative);
                match (signs(false), signs(true)) {
                    (true, _) => Some(true),
                    // Sizes are one or more, so a sum of negative terms is negative.
                    (_, true) => Some(false),
                    _ => is_never_negative(&difference).then_some(true),
                }
            }
            SizeConstraint::Equal(a, b) => {
                let difference = a.sub(b);
                if difference.is_poison() {
                    return (a.is_poison() || b.is_poison()).then_some(false);
                }
                if difference.is_zero() {
                    return Some(true);
                }
                difference.vars().is_empty().then_some(false)
            }
            SizeConstraint::Permutes(n, there, back) => permutation::decide(n, there, back),
        }
    }

    /// Whether it holds for given sizes.
    ///
    /// # Errors
    /// When a size has no value or cannot be computed.
    pub fn holds(&self, value: &dyn Fn(&str) -> Option<i64>) -> Result<bool, NatError> {
        Ok(match self {
            SizeConstraint::Divides(by, n) => {
                let (by, n) = (by.eval(value)?, n.eval(value)?);
                by != 0 && n % by == 0
            }
            SizeConstraint::AtMost(a, b) => a.eval(value)? <= b.eval(value)?,
            SizeConstraint::Equal(a, b) => a.eval(value)? == b.eval(value)?,
            SizeConstraint::Permutes(n, there, back) => permutation::check(n, there, back, value)?.is_ok(),
        })
    }

    /// The constraint with variables replaced.
    #[must_use]
    pub fn subst(&self, f: &dyn Fn(&NatVar) -> Option<Nat>) -> SizeConstraint {
        match self {
            SizeConstraint::Divides(a, b) => SizeConstraint::Divides(a.subst(f), b.subst(f)),
            SizeConstraint::AtMost(a, b) => SizeConstraint::AtMost(a.subst(f), b.subst(f)),
            SizeConstraint::Equal(a, b) => SizeConstraint::Equal(a.subst(f), b.subst(f)),
            SizeConstraint::Permutes(n, there, back) => {
                SizeConstraint::Permutes(n.subst(f), there.subst(f), back.subst(f))
            }
        }
    }
}

/// Does the division by a number leave a rest whatever the sizes are, as that of 2*n - 1 by 2 does? False where that is not
/// evident.
fn leaves_a_rest(n: &Nat, by: i64) -> bool {
    let (mut rest, mut common) = (0, by);
    for (factors, c) in n.terms() {
        let whole = if c.is_integer() { i64::try_from(c.to_integer()).ok() } else { None };
        let Some(whole) = whole.filter(|_| factors.iter().all(|(_, exponent)| *exponent > 0)) else {
            return false;
        };
        if factors.is_empty() {
            rest = whole;
        } else {
            common = greatest_divisor(common, whole);
        }
    }
    common > 1 && rest % common != 0
}

/// The greatest number that divides both.
fn greatest_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a.saturating_abs()
}

/// Do the loops that are shared out among so many have no iteration where there are none of these? False where that is not
/// evident, and where no loop is shared out.
pub fn may_be_none(global: &Nat, shared: &[Nat]) -> bool {
    !shared.is_empty() && shared.iter().all(|n| is_nothing_with(n, global))
}

/// Is the first number zero wherever the second one is? False where that is not evident. Neither is negative.
pub fn is_nothing_with(n: &Nat, of: &Nat) -> bool {
    let wanted = vanishing(n);
    let follows = |given: &Nat| wanted.iter().any(|n| given.sub(n).is_natural(&Ranges::default()));
    n.is_zero() || vanishing(of).iter().all(follows)
}

/// Numbers of which one is not above zero exactly where `n`, which is not negative, is zero.
fn vanishing(n: &Nat) -> Vec<Nat> {
    let [(factors, _)] = n.terms() else {
        return fewer_times(n).map_or_else(|| vec![n.clone()], |above| vanishing_from(&above));
    };
    let of_factor = |atom: &Atom| match atom {
        // As often as it goes is never where it does not go once.
        Atom::Floor(a, by) => vanishing_from(&a.sub(by).add(&Nat::constant(1))),
        _ => vec![Nat::atom(atom.clone())],
    };
    factors.iter().filter(|(_, exponent)| *exponent > 0).flat_map(|(atom, _)| of_factor(atom)).collect()
}

/// Of a multiple of how much more often than so many times something goes: what is above zero where it goes once more at least.
fn fewer_times(n: &Nat) -> Option<Nat> {
    let (mut times, mut less) = (None, None);
    for (factors, c) in n.terms() {
        match factors.as_slice() {
            [(Atom::Floor(a, by), 1)] if c.is_positive() => times = Some((a, by, c)),
            [] if c.is_negative() => less = Some(c),
            _ => return None,
        }
    }
    let ((a, by, c), less) = (times?, less?);
    let fewer = (-*less / *c).is_integer().then(|| (-*less / *c).to_integer())?;
    let first = by.mul(&Nat::constant(i64::try_from(fewer).ok()?.checked_add(1)?));
    Some(a.sub(&first).add(&Nat::constant(1)))
}

/// The same for a number that may be negative, and is then as good as zero.
fn vanishing_from(n: &Nat) -> Vec<Nat> {
    match n.terms() {
        [(factors, c)] if !factors.is_empty() && !c.is_negative() => vanishing(n),
        _ => vec![n.clone()],
    }
}

/// Is `n` at least `least` whenever the sizes in it are one or more?
fn is_evidently_at_least(n: &Nat, least: i64) -> bool {
    least_of(n, &|_| 1).is_some_and(|n| n >= Coefficient::from_integer(least.into()))
}

/// What `n` is never below, when the sizes in it are no less than `low` says.
fn least_of(n: &Nat, low: &dyn Fn(&NatVar) -> i64) -> Option<Coefficient> {
    let number = |n: i64| Coefficient::from_integer(n.into());
    // A floor division or remainder may be zero.
    let atom = |a: &Atom| match a {
        Atom::Var(v) => number(low(v)),
        Atom::Floor(x, by) => match (least_of(x, low), by.as_constant()) {
            // What is divided is whole.
            (Some(x), Some(by)) if by > 0 => (x.ceil() / number(by)).floor().max(number(0)),
            _ => number(0),
        },
        _ => number(0),
    };
    let mut sum = number(0);
    for (m, c) in n.terms() {
        if (c.is_negative() && !m.is_empty()) || n.is_poison() {
            return None;
        }
        let mut term = *c;
        for (a, e) in m {
            let factor = if *e > 0 { atom(a) } else { number(0) };
            for _ in 0..*e {
                term = term.checked_mul(&factor)?;
            }
            if *e <= 0 {
                term = number(0);
            }
        }
        sum = sum.checked_add(&term)?;
    }
    Some(sum)
}

/// Is `n` at least zero whenever the sizes in it are one or more, by what divisions by numbers round down?
fn is_never_negative(n: &Nat) -> bool {
    let quotient = |m: &Monomial| match m.as_slice() {
        [(Atom::Floor(x, by), 1)] => Some((x.clone(), by.as_constant().filter(|by| *by > 0)?)),
        _ => None,
    };
    let number = |c: i64| Coefficient::from_integer(c.into());
    let added: Vec<_> =
        n.terms().iter().filter(|(_, c)| c.is_positive()).filter_map(|(m, _)| quotient(m)).collect();
    let mut sum = Nat::constant(0);
    for (m, c) in n.terms() {
        let at_least = match quotient(m) {
            // x div 256 is a fourth of x div 64 at most, and x div 64 is x/64 at most.
            Some((x, by)) if c.is_negative() && is_evidently_at_least(&x, 0) => {
                let finer = added.iter().filter(|(y, d)| *y == x && by % d == 0).map(|(_, d)| *d).max();
                let (whole, of) = match finer {
                    Some(d) => (x.floor_div(&Nat::constant(d)), d),
                    None => (x, 1),
                };
                whole.mul(&Nat::rational(*c * number(of) / number(by)))
            }
            _ => Nat::from_terms([(m.clone(), *c)]),
        };
        sum = sum.add(&at_least);
    }
    let least = sum.terms().iter().fold(Nat::constant(0), |least, (m, c)| {
        least.add(&match quotient(m) {
            // What is as much as the divisor goes at least once.
            Some((x, by)) if c.is_positive() && is_evidently_at_least(&x, by) => Nat::rational(*c),
            _ => Nat::from_terms([(m.clone(), *c)]),
        })
    });
    is_evidently_at_least(&least, 0)
}

/// The least product of atoms and number that makes every term of `n` whole when multiplied with it.
fn denominator(n: &Nat) -> Nat {
    let mut number: i128 = 1;
    let mut atoms: BTreeMap<Atom, i32> = BTreeMap::new();
    for (m, c) in n.terms() {
        let gcd = gcd(number, *c.denom());
        let Some(lcm) = (number / gcd).checked_mul(*c.denom()) else { return Nat::poison() };
        number = lcm;
        for (a, e) in m.iter().filter(|(_, e)| *e < 0) {
            let exponent = atoms.entry(a.clone()).or_insert(0);
            *exponent = (*exponent).max(e.saturating_neg());
        }
    }
    let whole = Nat::rational(Coefficient::one() * Coefficient::from_integer(number));
    atoms.into_iter().fold(whole, |product, (atom, e)| {
        let factor = match atom {
            Atom::Sum(sum) => sum,
            other => Nat::atom(other),
        };
        product.mul(&factor.pow(e.unsigned_abs()))
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl fmt::Display for SizeConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizeConstraint::Divides(by, n) => write!(f, "{by} divides {n}"),
            SizeConstraint::AtMost(a, b) => write!(f, "{a} <= {b}"),
            SizeConstraint::Equal(a, b) => write!(f, "{a} = {b}"),
            SizeConstraint::Permutes(n, there, back) => {
                write!(f, "{there} permutes the numbers below {n}, and {back} is its inverse")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(n: &Nat) -> Vec<String> {
        SizeConstraint::of_size(n).iter().map(SizeConstraint::to_string).collect()
    }

    #[test]
    fn what_divisions_round_down_decides() {
        let c = Nat::constant;
        let rounded = |a: i64, plus: i64, by: i64| c(a).mul(&Nat::var("n").add(&c(plus)).floor_div(&c(by)));
        let (mut decided, mut open) = (0, 0);
        for (a, b) in [(1, 16), (4, 16), (16, 16), (63, 64), (64, 64), (65, 64), (256, 256), (1, 1)] {
            for (d, e) in [(1, 4), (16, 16), (64, 64), (60, 64), (16, 64), (1, 64), (2, 1)] {
                for (plus, also) in [(0, 0), (63, 0), (63, 63), (0, 15)] {
                    for least in [0, 1, 16] {
                        let bound =
                            SizeConstraint::AtMost(rounded(a, plus, b).add(&c(least)), rounded(d, also, e));
                        let always = (1..2000).all(|n| bound.holds(&|_| Some(n)) == Ok(true));
                        match bound.decide() {
                            Some(said) => {
                                assert!(!said || always, "{bound}");
                                decided += 1;
                            }
                            None => open += usize::from(always),
                        }
                    }
                }
            }
        }
        assert!(decided > 100 && open < decided, "{decided} decided, {open} that hold are not");
        let shown = |text: &[(Nat, Nat)]| {
            let bounds = text.iter().map(|(a, b)| SizeConstraint::AtMost(a.clone(), b.clone()).decide());
            bounds.collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&[
                (rounded(256, 0, 256), rounded(64, 0, 64)),
                (rounded(4, 0, 256), rounded(1, 0, 64)),
                (c(1), rounded(16, 63, 64)),
                (c(1), rounded(1, 0, 64)),
            ]),
            [Some(true), Some(true), Some(true), None]
        );
    }

    #[test]
    fn a_size_says_what_it_needs() {
        let (m, n, c) = (Nat::var("m"), Nat::var("n"), Nat::constant);
        assert!(all(&m.mul(&c(32)).add(&n)).is_empty());
        assert_eq!(all(&m.exact_div(&c(32))), ["32 divides m"]);
        assert_eq!(all(&m.exact_div(&n)), ["n divides m"]);
        assert_eq!(all(&m.sub(&c(2))), ["2 <= m"]);
        assert_eq!(all(&m.sub(&c(3)).exact_div(&c(2))), ["2 divides m - 3", "3 <= m"]);
        assert_eq!(all(&m.exact_div(&n.add(&c(1)))), ["n + 1 divides m"]);
    }

    #[test]
    fn a_length_is_at_least_one() {
        let of = |n: &Nat| SizeConstraint::of_length(n).iter().map(ToString::to_string).collect::<Vec<_>>();
        let (m, n, c) = (Nat::var("m"), Nat::var("n"), Nat::constant);
        assert!(of(&m).is_empty());
        assert!(of(&m.mul(&n).add(&c(3)).sub(&c(3))).is_empty());
        assert_eq!(of(&m.exact_div(&c(32))), ["32 divides m"]);
        assert_eq!(of(&m.sub(&c(2))), ["3 <= m"]);
        assert_eq!(of(&m.sub(&c(2)).exact_div(&c(4))), ["4 divides m - 2", "3 <= m"]);
        assert_eq!(of(&m.exact_div(&c(4)).add(&n.exact_div(&c(6)))), ["12 divides 2*n + 3*m"]);
        assert!(of(&m.floor_div(&c(32))).is_empty());
        assert!(of(&m.sub(&m.floor_div(&c(32)).mul(&c(32)))).is_empty());
        assert_eq!(of(&c(0)), ["1 <= 0"]);
    }

    #[test]
    fn a_launch_has_whole_groups_and_some_work() {
        let of = |l: &Nat, g: &Nat| {
            SizeConstraint::of_launch(l, g, &[]).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let (m, n, c) = (Nat::var("m"), Nat::var("n"), Nat::constant);
        assert!(of(&c(1), &n).is_empty() && of(&c(4), &n.mul(&c(8))).is_empty() && of(&n, &n).is_empty());
        assert_eq!(of(&c(64), &n), ["64 divides n"]);
        assert_eq!(of(&m.sub(&c(1)), &m.sub(&c(1))), ["2 <= m", "2 <= m"]);
        assert_eq!(of(&c(2), &n.floor_div(&c(4))), ["1 <= n div 4", "2 divides n div 4"]);
        // What holds for no sizes is refused with its place.
        assert!(of(&c(0), &c(8)).is_empty() && of(&c(4), &c(10)).is_empty() && of(&c(4), &c(0)).is_empty());
    }

    #[test]
    fn a_launch_may_be_of_nothing_where_nothing_is_shared_out() {
        let (m, n, c) = (Nat::var("m"), Nat::var("n"), Nat::constant);
        let up = |n: &Nat, by: i64| n.add(&c(by - 1)).floor_div(&c(by));
        let asks = |shared: &[&Nat], global: &Nat| {
            let shared: Vec<Nat> = shared.iter().map(|n| (*n).clone()).collect();
            let asked = SizeConstraint::of_launch(&c(1), global, &shared);
            asked.iter().any(|a| matches!(a, SizeConstraint::AtMost(..)))
        };
        let few = n.floor_div(&c(4));
        assert!(asks(&[], &few) && !asks(&[&few], &few) && !asks(&[&few], &few.mul(&c(32))));
        // Rounded up to groups, of several each; parts of parts.
        for (length, l) in [(&few, 64), (&few, 1024), (&up(&few, 8), 32), (&n.sub(&c(1)), 8)] {
            assert!(!asks(&[length], &up(length, l).mul(&c(l))), "{length} by {l}");
        }
        // Parts of a length that is a difference, which are one fewer than those of what it is taken from.
        let whole = n.sub(&c(1)).floor_div(&c(64));
        assert!(!asks(&[&whole.mul(&c(4))], &whole.mul(&c(64))) && asks(&[&n], &whole));
        assert!(asks(&[&few], &whole) && asks(&[&whole], &n.sub(&c(65)).floor_div(&c(64))));
        assert!(!asks(&[&few.mul(&m)], &few) && !asks(&[&few.mul(&m)], &up(&few, 8).mul(&c(8))));
        // Rounded down, or of something else.
        assert!(asks(&[&few], &few.floor_div(&c(2))) && asks(&[&n], &few) && asks(&[&few, &n], &few));
        assert!(asks(&[&n.floor_div(&c(2))], &few) && !asks(&[&n.floor_div(&c(8))], &few));
        assert!(asks(&[&few], &few.mul(&m.floor_div(&c(2)))));
        assert!(!asks(&[&c(0)], &c(0)) && !asks(&[&c(0)], &few) && !asks(&[&n], &n));
        for (n, l) in [(0, 1), (1, 1), (3, 2), (4, 3)] {
            let value = |_: &str| Some(n);
            assert_eq!(up(&few, l).eval(&value) == Ok(0), few.eval(&value) == Ok(0));
        }
    }

    #[test]
    fn what_follows_from_the_others_is_not_told() {
        let (n, w, c) = (Nat::var("n"), Nat::var("w"), Nat::constant);
        let at_most = |a: &Nat, b: &Nat| SizeConstraint::AtMost(a.clone(), b.clone());
        let told = |all: &[SizeConstraint]| {
            SizeConstraint::telling(all).map(ToString::to_string).collect::<Vec<_>>()
        };
        let chunks = |x: &Nat, by: i64| x.floor_div(&c(by)).mul(&c(by));
        // Rounded up there is a chunk; down there is one only where the size is said to be so large.
        assert!(told(&[at_most(&c(1), &chunks(&n.add(&c(63)), 64))]).is_empty());
        assert_eq!(told(&[at_most(&c(1), &chunks(&n, 64))]), ["1 <= 64*(n div 64)"]);
        assert_eq!(told(&[at_most(&c(1), &chunks(&n.add(&c(62)), 64))]).len(), 1);
        let five = at_most(&c(5), &w);
        assert_eq!(told(&[five.clone(), at_most(&c(1), &w.floor_div(&c(4)))]), ["5 <= w"]);
        assert_eq!(told(&[five.clone(), at_most(&c(2), &w.floor_div(&c(4)))]).len(), 2);
        assert_eq!(told(&[five, at_most(&c(6), &w)]).len(), 2);
        let divides = SizeConstraint::Divides(c(8), n.clone());
        let eighth = chunks(&n.exact_div(&c(8)).add(&c(7)), 8);
        assert_eq!(told(&[divides, at_most(&c(1), &eighth)]), ["8 divides n"]);
    }

    #[test]
    fn what_follows_is_decided() {
        let (m, c) = (Nat::var("m"), Nat::constant);
        let divides = |a: &Nat, b: &Nat| SizeConstraint::Divides(a.clone(), b.clone());
        assert_eq!(divides(&c(32), &c(100)).decide(), Some(false));
        assert_eq!(divides(&c(32), &c(96)).decide(), Some(true));
        assert_eq!(divides(&c(32), &m.mul(&c(64))).decide(), Some(true));
        assert_eq!(divides(&c(32), &m).decide(), None);
        assert_eq!(divides(&c(0), &m).decide(), Some(false));
        // What is divided leaves a rest whatever the sizes are.
        let odd = m.mul(&c(2)).sub(&c(1));
        assert_eq!(divides(&c(2), &odd).decide(), Some(false));
        assert_eq!(divides(&c(6), &odd).decide(), Some(false));
        assert_eq!(divides(&c(3), &odd).decide(), None);
        assert_eq!(divides(&c(4), &m.mul(&c(6)).add(&c(2))).decide(), None);
        assert_eq!(divides(&c(2), &m.mul(&m).add(&c(1))).decide(), None);
        // What is larger divides no size.
        let product = m.mul(&Nat::var("k"));
        assert_eq!(divides(&m.add(&c(1)), &m).decide(), Some(false));
        assert_eq!(divides(&m.mul(&c(2)).add(&c(1)), &m).decide(), Some(false));
        assert_eq!(divides(&m.add(&c(1)), &m.mul(&c(2))).decide(), None);
        assert_eq!(divides(&m.add(&c(1)), &m.sub(&c(1))).decide(), None);
        assert_eq!(divides(&product, &m).decide(), None);
        assert_eq!(SizeConstraint::AtMost(c(3), m.clone()).decide(), None);
        assert_eq!(SizeConstraint::AtMost(m.sub(&c(1)), c(i64::MAX)).decide(), None);
        assert_eq!(SizeConstraint::AtMost(m.clone(), m.add(&c(1))).decide(), Some(true));
        assert_eq!(SizeConstraint::AtMost(m.add(&c(1)), m.clone()).decide(), Some(false));
        assert_eq!(SizeConstraint::Equal(m.clone(), c(3)).decide(), None);
        assert_eq!(divides(&c(32), &m).holds(&|_| Some(64)), Ok(true));
        assert_eq!(divides(&c(32), &m).holds(&|_| Some(65)), Ok(false));
    }
}
