//! What follows for numbers when variables are known to lie in ranges: loop variables below their bounds.
//!
//! In: an index and the ranges of the loop variables in it; sizes are at least one. Out: the index with the divisions
//! and remainders gone that the ranges decide, `(32*i + j) div 32 = i` for `0 <= j < 32`, and comparisons decided.
//! Every answer is a proof; "unknown" is always allowed.

use super::{Atom, Coefficient, Monomial, Name, Nat, NatVar, Worker};
use num_rational::Ratio;
use num_traits::{One, Signed};
use std::collections::BTreeMap;

/// Proofs branch over bounds; this many steps settle every index of a practical kernel.
const FUEL: u32 = 400;

/// `lo <= variable < hi`, and numbers that are known to be at least zero.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Ranges {
    variables: BTreeMap<Name, (Nat, Nat)>,
    known: Vec<Nat>,
    /// What work-items' numbers are below, where it is known.
    workers: BTreeMap<Worker, Nat>,
    /// That a variable has a range does not say that there is a number in it.
    maybe_empty: bool,
}

impl Ranges {
    /// Ranges in which there may be no number: nothing follows for sizes from a variable having one.
    pub fn maybe_empty() -> Ranges {
        Ranges { maybe_empty: true, ..Ranges::default() }
    }
    pub fn insert(&mut self, name: Name, lo: Nat, hi: Nat) {
        self.variables.insert(name, (lo, hi));
    }
    /// The number that a work-item is told is below `end`.
    pub fn limit(&mut self, worker: Worker, end: Nat) {
        self.workers.insert(worker, end);
    }
    /// What the number that a work-item is told is below, where that was said.
    pub fn worker_end(&self, worker: Worker) -> Option<Nat> {
        self.workers.get(&worker).cloned()
    }
    /// Is the number that a work-item is told known to be zero?
    pub fn is_first(&self, worker: Worker) -> bool {
        self.workers.get(&worker).is_some_and(|end| end.as_constant() == Some(1))
    }
    pub fn contains(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }
    /// What the variable is below.
    pub fn end(&self, name: &str) -> Option<&Nat> {
        self.variables.get(name).map(|(_, end)| end)
    }
    /// The variables with what they are below.
    pub fn ends(&self) -> impl Iterator<Item = (&Name, &Nat)> {
        self.variables.iter().map(|(x, (_, end))| (x, end))
    }
    pub fn remove(&mut self, name: &Name) {
        self.variables.remove(name);
    }
    /// Also knows that the number is at least zero. Where that says that a variable ends earlier or begins later, its
    /// range says so.
    pub fn assume(&mut self, natural: &Nat) {
        match self.narrower(natural) {
            Some((NatVar::Named(name), range)) => {
                self.variables.insert(name, range);
            }
            Some((NatVar::Worker(w), (_, end))) => self.limit(w, end),
            _ => {}
        }
        self.known.push(natural.clone());
    }

    /// The numbers that are known to be at least zero.
    pub fn known(&self) -> &[Nat] {
        &self.known
    }

    /// Takes back what was assumed and narrowed since then; variables that were added meanwhile stay.
    pub fn go_back(&mut self, before: Ranges) {
        let now = std::mem::replace(self, before);
        for (name, range) in now.variables {
            self.variables.entry(name).or_insert(range);
        }
    }

    /// A variable that is alone on its side of `natural >= 0`, and the narrower range that follows for it.
    fn narrower(&self, natural: &Nat) -> Option<(NatVar, (Nat, Nat))> {
        let one = Nat::constant(1);
        natural.vars().into_iter().find_map(|v| {
            let (lo, hi) = match &v {
                NatVar::Named(name) => self.variables.get(name).cloned()?,
                NatVar::Worker(w) => {
                    (Nat::constant(0), self.worker_end(*w).or_else(|| w.end().map(Worker::nat))?)
                }
                NatVar::Meta(_) => return None,
            };
            let (factor, rest) = linear_in(natural, &Atom::Var(v.clone()))?;
            if rest.vars().contains(&v) {
                return None;
            }
            match factor.as_constant()? {
                // x >= -rest
                1 if matches!(v, NatVar::Named(_)) => {
                    let begin = Nat::constant(0).sub(&rest);
                    begin.sub(&lo).is_natural(self).then_some((v, (begin, hi)))
                }
                // x < rest + 1
                -1 => {
                    let end = rest.add(&one);
                    hi.sub(&end).is_natural(self).then_some((v, (lo, end)))
                }
                _ => None,
            }
        })
    }
}

impl Nat {
    /// Is the number at least zero, whatever the variables are within their ranges?
    pub fn is_natural(&self, ranges: &Ranges) -> bool {
        let here = |n: &Nat| natural(n, ranges, &mut FUEL.clone());
        here(self) || ranges.known.iter().any(|k| here(&self.sub(k)))
    }

    /// The most that the number can be, where it is a constant, or what a division by one leaves.
    pub fn most(&self) -> Option<i64> {
        let below = |d: i64| Nat::constant(d).sub(self).is_natural(&Ranges::default());
        self.as_constant().or_else(|| {
            let rests = self.numbers().into_iter().filter_map(|d| d.checked_abs());
            rests.map(|d| d - 1).filter(|d| below(*d)).min()
        })
    }

    /// Whether `self < other`, when the ranges decide it.
    pub fn is_less(&self, other: &Nat, ranges: &Ranges) -> Option<bool> {
        let difference = other.sub(self);
        if difference.sub(&Nat::constant(1)).is_natural(ranges) {
            Some(true)
        } else if difference.scale(-Ratio::one()).is_natural(ranges) {
            Some(false)
        } else {
            None
        }
    }

    /// Is there a division that rounds, or a remainder?
    pub fn has_division(&self) -> bool {
        self.any_atom(&mut |a| matches!(a, Atom::Floor(..) | Atom::Mod(..)))
    }

    /// The numbers by which something is divided that leaves a rest.
    pub fn divisors(&self) -> Vec<Nat> {
        let mut found = vec![];
        self.any_atom(&mut |a| {
            if let Atom::Floor(_, by) | Atom::Mod(_, by) = a {
                found.push(by.clone());
            }
            false
        });
        found
    }

    /// A number by which something with the variable is divided, the innermost first.
    pub fn divisor_of(&self, variable: &str) -> Option<Nat> {
        let is_variable = |v: &NatVar| matches!(v, NatVar::Named(x) if &**x == variable);
        self.terms().iter().flat_map(|(m, _)| m).find_map(|(a, _)| match a {
            Atom::Floor(x, n) | Atom::Mod(x, n) => x
                .divisor_of(variable)
                .or_else(|| n.divisor_of(variable))
                .or_else(|| x.vars().iter().any(is_variable).then(|| n.clone())),
            _ => None,
        })
    }

    /// The same number with the divisions and remainders gone that the ranges decide.
    pub fn simplify(&self, ranges: &Ranges) -> Nat {
        if !self.has_division() {
            return self.clone();
        }
        let mut sum = Nat::constant(0);
        for (m, c) in self.terms() {
            let mut product = Nat::rational(*c);
            for (a, e) in m {
                let value = match a {
                    Atom::Floor(x, n) => quotient(&x.simplify(ranges), &n.simplify(ranges), ranges),
                    Atom::Mod(x, n) => remainder(&x.simplify(ranges), &n.simplify(ranges), ranges),
                    other => Nat::atom(other.clone()),
                };
                let power = value.pow(e.unsigned_abs());
                product = if *e > 0 { product.mul(&power) } else { product.exact_div(&power) };
            }
            sum = sum.add(&product);
        }
        sum
    }
}

fn within(x: &Nat, n: &Nat, ranges: &Ranges) -> bool {
    x.is_natural(ranges) && x.is_less(n, ranges) == Some(true)
}

/// The quotient and the remainder, when the ranges decide them; otherwise the multiples of `n` in `x`, and the rest.
fn divided(x: &Nat, n: &Nat, ranges: &Ranges) -> Result<(Nat, Nat), (Nat, Nat)> {
    let (whole, rest) = x.split_multiples(n);
    if within(&rest, n, ranges) {
        return Ok((whole, rest));
    }
    // A sum divides what is written out: i*m + i + j = i*(m + 1) + j. What is left may be a multiple off.
    let one = Nat::constant(1);
    if let Some((q, r)) = x.long_division(n) {
        for (q, r) in [(q.sub(&one), r.add(n)), (q.add(&one), r.sub(n)), (q, r)] {
            if within(&r, n, ranges) {
                return Ok((q, r));
            }
        }
    }
    Err((whole, rest))
}

fn quotient(x: &Nat, n: &Nat, ranges: &Ranges) -> Nat {
    let (whole, rest) = match divided(x, n, ranges) {
        Ok((whole, _)) => return whole,
        Err(split) => split,
    };
    // (g*a + b) div (g*h) = a div h for 0 <= b < g
    for g in common_factors(&rest, n) {
        let (a, b) = rest.split_multiples(&g);
        if !a.is_zero() && within(&b, &g, ranges) {
            return whole.add(&quotient(&a, &n.exact_div(&g), ranges));
        }
    }
    whole.add(&rest.floor_div(n))
}

fn remainder(x: &Nat, n: &Nat, ranges: &Ranges) -> Nat {
    let rest = match divided(x, n, ranges) {
        Ok((_, rest)) => return rest,
        Err((_, rest)) => rest,
    };
    // (g*a + b) % (g*h) = g*(a % h) + b for 0 <= b < g
    for g in common_factors(&rest, n) {
        let (a, b) = rest.split_multiples(&g);
        if !a.is_zero() && within(&b, &g, ranges) {
            return g.mul(&remainder(&a, &n.exact_div(&g), ranges)).add(&b);
        }
    }
    rest.modulo(n)
}

/// Factors that some term of `x` shares with `n`, other than one and `n` itself.
fn common_factors(x: &Nat, n: &Nat) -> Vec<Nat> {
    let [(nm, nc)] = n.terms() else { return vec![] };
    if !nc.is_integer() {
        return vec![];
    }
    let mut out: Vec<Nat> = vec![];
    for (m, c) in x.terms() {
        if !c.is_integer() {
            continue;
        }
        let common: Monomial = nm
            .iter()
            .filter_map(|(a, e)| {
                let other = m.iter().find(|(b, _)| b == a).map_or(0, |(_, f)| *f);
                let shared = (*e).min(other);
                (shared > 0).then(|| (a.clone(), shared))
            })
            .collect();
        let g = Nat::from_terms([(common, Ratio::from_integer(gcd(*c.numer(), *nc.numer())))]);
        if g != *n && g.as_constant() != Some(1) && !out.contains(&g) {
            out.push(g);
        }
    }
    out
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// Proves `e >= 0`: variables are replaced one by one by the bound that makes `e` least, and what is left is a
/// polynomial in sizes, which are at least one.
fn natural(e: &Nat, ranges: &Ranges, fuel: &mut u32) -> bool {
    if *fuel == 0 {
        return false;
    }
    *fuel -= 1;
    if let Some(c) = e.as_rational() {
        return !c.is_negative();
    }
    let bounded = e.terms().iter().flat_map(|(m, _)| m).find_map(|(a, _)| match a {
        Atom::Floor(..) | Atom::Mod(..) => Some(a.clone()),
        Atom::Var(NatVar::Named(x)) if ranges.variables.contains_key(x) => Some(a.clone()),
        Atom::Var(NatVar::Worker(w)) if w.end().is_some() => Some(a.clone()),
        _ => None,
    });
    let Some(atom) = bounded else { return polynomial(e) || not_empty(e, ranges) };
    let Some((factor, rest)) = linear_in(e, &atom) else { return false };
    let (low, high) = bounds(&atom, ranges, fuel);
    let candidates = if natural(&factor, ranges, fuel) {
        low
    } else if natural(&factor.scale(-Ratio::one()), ranges, fuel) {
        high
    } else {
        return false;
    };
    candidates.iter().any(|bound| natural(&factor.mul(bound).add(&rest), ranges, fuel))
}

/// `e = factor * atom + rest`, when the atom stands in no other place.
fn linear_in(e: &Nat, atom: &Atom) -> Option<(Nat, Nat)> {
    let mut factor = vec![];
    let mut rest = vec![];
    for (m, c) in e.terms() {
        match m.iter().find(|(a, _)| a == atom) {
            None => rest.push((m.clone(), *c)),
            Some((_, 1)) => factor.push((m.iter().filter(|(a, _)| a != atom).cloned().collect(), *c)),
            Some(_) => return None,
        }
    }
    Some((Nat::from_terms(factor), Nat::from_terms(rest)))
}

/// Values that the atom is never below, and never above.
fn bounds(atom: &Atom, ranges: &Ranges, fuel: &mut u32) -> (Vec<Nat>, Vec<Nat>) {
    let one = Nat::constant(1);
    match atom {
        Atom::Var(NatVar::Named(x)) => match ranges.variables.get(x) {
            Some((lo, hi)) => (vec![lo.clone()], vec![hi.sub(&one)]),
            None => (vec![], vec![]),
        },
        Atom::Var(NatVar::Worker(w)) => match w.end() {
            Some(count) => {
                let known = ranges.workers.get(w).cloned();
                (vec![Nat::constant(0)], vec![known.unwrap_or_else(|| count.nat()).sub(&one)])
            }
            None => (vec![], vec![]),
        },
        Atom::Mod(x, n) => {
            let mut high = vec![n.sub(&one)];
            if natural(x, ranges, fuel) {
                high.push(x.clone());
            }
            (vec![Nat::constant(0)], high)
        }
        Atom::Floor(x, n) => {
            let mut low = vec![x.sub(&n.sub(&one)).exact_div(n)];
            if natural(x, ranges, fuel) {
                low.push(Nat::constant(0));
            }
            let mut high = vec![x.exact_div(n)];
            // Below a multiple of `n` the quotient is below the multiple's.
            if let [(m, c)] = x.terms()
                && let [(Atom::Var(NatVar::Named(v)), 1)] = m.as_slice()
                && c.is_one()
                && let Some((_, end)) = ranges.variables.get(v)
                && end.exact_div(n).is_evidently_integral()
            {
                high.push(end.exact_div(n).sub(&one));
            }
            (low, high)
        }
        _ => (vec![], vec![]),
    }
}

/// Proves `e >= 0` from the ranges having elements: `i < n - 2` says that `n` is at least three.
fn not_empty(e: &Nat, ranges: &Ranges) -> bool {
    if ranges.maybe_empty || e.is_poison() {
        return false;
    }
    let more_than_one = ranges.variables.values().map(|(lo, hi)| hi.sub(lo).sub(&Nat::constant(1)));
    // What a division leaves over may be nothing.
    let of_sizes = |f: &Nat| {
        f.is_evidently_integral()
            && !f.has_division()
            && !f.is_poison()
            && f.vars().iter().all(|v| matches!(v, NatVar::Named(x) if !ranges.variables.contains_key(x)))
    };
    let facts: Vec<Nat> = more_than_one.filter(|f| of_sizes(f) && !polynomial(f)).collect();
    if facts.is_empty() {
        return false;
    }
    // A size of which the least value is known is that and a natural number; a size is at least one.
    let mut least: BTreeMap<NatVar, i128> = BTreeMap::new();
    for f in &facts {
        if let [v] = f.vars().as_slice()
            && let Some((factor, rest)) = linear_in(f, &Atom::Var(v.clone()))
            && let (Some(factor), Some(rest)) = (factor.as_rational(), rest.as_rational())
            && factor.is_positive()
        {
            let bound = (-rest / factor).ceil().to_integer();
            let known = least.entry(v.clone()).or_insert(1);
            *known = (*known).max(bound);
        }
    }
    let shift = |v: &NatVar| {
        let more = i64::try_from(least.get(v)? - 1).ok()?;
        Some(Nat::variable(v.clone()).add(&Nat::constant(more)))
    };
    polynomial(&e.subst(&shift)) || facts.iter().any(|f| polynomial(&e.sub(f)))
}

/// What of [`polynomial`] can be said without writing it out: nothing is taken from it, or too much where every size is one.
fn evidently(e: &Nat) -> Option<bool> {
    let is_plain = |(m, c): &(Monomial, Coefficient)| {
        c.is_integer()
            && c.numer().unsigned_abs() < 1 << 32
            && m.len() <= 4
            && m.iter().all(|(a, exponent)| matches!(a, Atom::Var(_)) && (1..=2).contains(exponent))
    };
    if !e.terms().iter().all(is_plain) {
        return None;
    }
    if e.terms().iter().all(|(_, c)| c.is_positive()) {
        return Some(true);
    }
    let of_ones: i128 = e.terms().iter().map(|(_, c)| *c.numer()).sum();
    (of_ones < 0).then_some(false)
}

/// Proves that a polynomial in sizes is not negative: with every size written as one plus a natural number, no
/// coefficient is.
fn polynomial(e: &Nat) -> bool {
    if e.is_poison() {
        return false;
    }
    if let Some(decided) = evidently(e) {
        return decided;
    }
    // Denominators are positive and can be multiplied away.
    let mut common: BTreeMap<Atom, i32> = BTreeMap::new();
    for (a, exponent) in e.terms().iter().flat_map(|(m, _)| m) {
        if *exponent < 0 {
            let least = common.entry(a.clone()).or_insert(0);
            *least = (*least).min(*exponent);
        }
    }
    let mut e = e.clone();
    for (a, exponent) in common {
        let factor = match &a {
            Atom::Sum(s) => s.clone(),
            other => Nat::atom(other.clone()),
        };
        e = e.mul(&factor.pow(exponent.unsigned_abs()));
    }
    let shifted = e.subst(&|v| Some(Nat::variable(v.clone()).add(&Nat::constant(1))));
    shifted.terms().iter().all(|(m, c)| {
        c.is_positive()
            && m.iter().all(|(a, exponent)| match a {
                Atom::Var(_) => *exponent > 0,
                _ => false,
            })
    })
}

impl Nat {
    /// The number as one fraction of whole-numbered sums: exact when the number is whole.
    pub fn as_fraction(&self) -> (Nat, Nat) {
        let mut denominator = Nat::constant(1);
        let mut lcm: i128 = 1;
        let mut below: BTreeMap<Atom, i32> = BTreeMap::new();
        for (m, c) in self.terms() {
            lcm = (lcm / gcd(lcm, *c.denom())).saturating_mul(*c.denom());
            for (a, e) in m.iter().filter(|(_, e)| *e < 0) {
                let least = below.entry(a.clone()).or_insert(0);
                *least = (*least).min(*e);
            }
        }
        for (a, e) in below {
            let factor = match &a {
                Atom::Sum(s) => s.clone(),
                other => Nat::atom(other.clone()),
            };
            denominator = denominator.mul(&factor.pow(e.unsigned_abs()));
        }
        denominator = denominator.scale(Ratio::from_integer(lcm));
        (self.mul(&denominator), denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(v: i64) -> Nat {
        Nat::constant(v)
    }
    fn v(x: &str) -> Nat {
        Nat::var(x)
    }
    fn below(vars: &[(&str, Nat)]) -> Ranges {
        let mut r = Ranges::default();
        for (x, hi) in vars {
            r.insert((*x).into(), c(0), hi.clone());
        }
        r
    }

    #[test]
    fn what_blocks_leave_over_is_less_than_a_block() {
        let rest = |n: &Nat, p: i64| n.sub(&c(p).mul(&n.floor_div(&c(p))));
        let n = v("n");
        assert_eq!(c(7).most(), Some(7));
        assert_eq!(n.modulo(&c(16)).most(), Some(15));
        assert_eq!(rest(&n, 16).most(), Some(15));
        assert_eq!(rest(&rest(&n, 64), 16).most(), Some(15));
        let few = [n.clone(), n.floor_div(&c(16)), rest(&n, 16).add(&v("m")), n.sub(&c(16))];
        assert!(few.iter().all(|n| n.most().is_none()), "{few:?}");
    }

    #[test]
    fn digits_of_a_mixed_number() {
        let r = below(&[("i", c(8)), ("j", c(32))]);
        let x = c(32).mul(&v("i")).add(&v("j"));
        assert_eq!(x.floor_div(&c(32)).simplify(&r), v("i"));
        assert_eq!(x.modulo(&c(32)).simplify(&r), v("j"));
        // Symbolic sizes.
        let r = below(&[("i", v("n")), ("j", v("m"))]);
        let x = v("m").mul(&v("i")).add(&v("j"));
        assert_eq!(x.floor_div(&v("m")).simplify(&r), v("i"));
        assert_eq!(x.modulo(&v("m")).simplify(&r), v("j"));
        assert_eq!(x.floor_div(&v("m").mul(&v("n"))).simplify(&r), c(0));
    }

    #[test]
    fn digits_of_a_number_whose_base_is_a_sum() {
        let (rows, columns) = (v("n").add(&c(2)), v("m").add(&v("k")).add(&c(1)));
        let r = below(&[("h", v("l")), ("i", rows.clone()), ("j", columns.clone())]);
        let x = v("h").mul(&rows).add(&v("i")).mul(&columns).add(&v("j"));
        assert_eq!(x.floor_div(&columns).simplify(&r), v("h").mul(&rows).add(&v("i")));
        assert_eq!(x.floor_div(&rows.mul(&columns)).simplify(&r), v("h"));
        assert_eq!(x.floor_div(&columns).simplify(&r).modulo(&rows).simplify(&r), v("i"));
        assert_eq!(x.modulo(&columns).simplify(&r), v("j"));
        // From the end, and what is not decided.
        let mirrored = v("i").add(&c(1)).mul(&columns).sub(&c(1)).sub(&v("j"));
        assert_eq!(mirrored.floor_div(&columns).simplify(&r), v("i"));
        assert!(x.add(&c(1)).floor_div(&columns).simplify(&r).has_division());
        assert!(x.floor_div(&v("m").add(&v("k"))).simplify(&r).has_division());
    }

    #[test]
    fn what_is_assumed_holds_and_a_range_may_be_empty() {
        let mut r = Ranges::maybe_empty();
        r.insert("i".into(), c(0), v("n").sub(&c(1)));
        assert!(!v("n").sub(&c(2)).is_natural(&r));
        assert!(!v("n").sub(&v("m")).is_natural(&r));
        r.assume(&v("n").sub(&v("m")));
        assert!(v("n").sub(&v("m")).is_natural(&r) && v("n").add(&v("k")).sub(&v("m")).is_natural(&r));
        assert!(!v("m").sub(&v("n")).is_natural(&r));
        // i < m narrows the range where m is known to be no greater, so that products follow too.
        r.insert("i".into(), c(0), v("n"));
        let inside = v("p").mul(&v("m")).sub(&v("p").mul(&v("i"))).sub(&v("p"));
        assert!(!inside.is_natural(&r));
        r.assume(&v("m").sub(&v("i")).sub(&c(1)));
        assert!(inside.is_natural(&r));
    }

    #[test]
    fn common_factors_cancel() {
        let r = below(&[("i", c(100)), ("j", c(32)), ("k", c(32))]);
        let x = c(1024).mul(&v("i")).add(&c(32).mul(&v("j"))).add(&v("k"));
        assert_eq!(x.floor_div(&c(64)).simplify(&r), c(16).mul(&v("i")).add(&v("j").floor_div(&c(2))));
        assert_eq!(x.modulo(&c(64)).simplify(&r), c(32).mul(&v("j").modulo(&c(2))).add(&v("k")));
        assert_eq!(x.modulo(&c(1024)).simplify(&r), c(32).mul(&v("j")).add(&v("k")));
    }

    #[test]
    fn split_sizes() {
        // 32*i + j < m for i < m/32, j < 32
        let r = below(&[("i", v("m").exact_div(&c(32))), ("j", c(32))]);
        let x = c(32).mul(&v("i")).add(&v("j"));
        assert_eq!(x.is_less(&v("m"), &r), Some(true));
        assert_eq!(x.modulo(&v("m")).simplify(&r), x);
        assert_eq!(x.is_less(&v("m").sub(&c(1)), &r), None);
    }

    #[test]
    fn a_variable_in_a_range_says_that_there_are_values() {
        let r = below(&[("i", v("n").sub(&c(2))), ("j", v("m").mul(&v("k")).sub(&c(3)))]);
        assert!(v("n").sub(&c(3)).is_natural(&r));
        assert!(!v("n").sub(&c(4)).is_natural(&r));
        assert!(v("n").mul(&v("m")).sub(&v("m").mul(&c(3))).is_natural(&r));
        assert!(v("m").mul(&v("k")).sub(&c(4)).is_natural(&r));
        assert!(!v("m").mul(&v("k")).sub(&c(5)).is_natural(&r));
        // n - 2 is the base of digits.
        let x = v("n").sub(&c(2)).mul(&v("l")).add(&v("i"));
        assert_eq!(x.floor_div(&v("n").sub(&c(2))).simplify(&r), v("l"));
    }

    #[test]
    fn comparisons_of_padding() {
        let r = below(&[("i", v("n").add(&c(2)))]);
        assert_eq!(v("i").is_less(&c(1), &r), None);
        assert_eq!(v("i").is_less(&v("n").add(&c(2)), &r), Some(true));
        assert_eq!(v("i").add(&c(1)).is_less(&c(1), &r), Some(false));
        assert!(!v("i").sub(&c(1)).is_natural(&r));
    }

    /// Every simplification holds for every value in range.
    #[test]
    fn simplification_agrees_with_evaluation() {
        let r = below(&[("i", c(6)), ("j", c(4)), ("k", c(3))]);
        for (a, b, d, n) in
            [(12, 3, 1, 12), (12, 3, 1, 6), (4, 2, 1, 8), (3, 1, 5, 7), (6, 4, 2, 4), (24, 6, 2, 12)]
        {
            let x = c(a).mul(&v("i")).add(&c(b).mul(&v("j"))).add(&c(d).mul(&v("k"))).add(&c(1));
            for e in [x.floor_div(&c(n)), x.modulo(&c(n)), x.floor_div(&c(n)).modulo(&c(3))] {
                let s = e.simplify(&r);
                for (i, j, k) in (0..6).flat_map(|i| (0..4).flat_map(move |j| (0..3).map(move |k| (i, j, k))))
                {
                    let at = |x: &str| {
                        Some(match x {
                            "i" => i,
                            "j" => j,
                            _ => k,
                        })
                    };
                    assert_eq!(e.eval(&at), s.eval(&at), "{e} became {s}");
                }
            }
        }
    }
}
