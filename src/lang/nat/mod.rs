//! Symbolic sizes: natural-number expressions in one normal form.
//!
//! A [`Nat`] is a sum of products with rational coefficients over *atoms*: size variables, floor divisions,
//! remainders and inverses of sums. Construction normalises, so two sizes that the normal form can prove equal
//! are equal by `==`. Exact division (`m/32`, thesis section 3.1.2) is a coefficient or a negative exponent and
//! therefore cancels against multiplication; that it leaves no remainder is a constraint which
//! [`Nat::is_evidently_integral`] decides or leaves to be checked when sizes are given.
//!
//! Arithmetic never wraps and never grows without bound: what leaves the range of the coefficients, or has more than
//! [`MAX_TERMS`] terms, [`MAX_PARTS`] parts or [`MAX_NESTING`] divisions within each other once multiplied out, becomes [`Nat::poison`], which is equal to nothing
//! that can be built otherwise and is reported by the caller.

mod function;
mod print;
mod range;
mod solve;
mod worker;

use crate::digest::Bytes;
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, One, Signed, Zero};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::sync::Arc;

pub use function::{Known, NatFun};
pub use range::Ranges;
pub use solve::{Solution, eliminate, isolate, reduced, roots, solve};
pub use worker::Worker;

/// The most products that a size may be the sum of. Real programs have a handful.
pub const MAX_TERMS: usize = 128;
/// The most names, numbers and divisions in a size, those within divisions included.
pub const MAX_PARTS: usize = 1000;
/// How deep divisions of a size stand within each other. Real programs have a handful.
pub const MAX_NESTING: usize = 32;
/// The largest exponent.
pub const MAX_EXPONENT: u32 = 64;

/// What a message says of a size that is none for being too large.
pub const TOO_LARGE: &str = "Sizes are kept multiplied out: they are sums of at most 128 products, also over one \
                             denominator, have at most 1000 parts, 32 divisions within each other, exponents up to 64 \
                             and no number beyond 2^63 - 1.";

/// A name of a size, a type variable or a binder.
pub type Name = Arc<str>;

pub type Coefficient = Ratio<i128>;

/// A variable that ranges over natural numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NatVar {
    /// A size of the program or of a rule.
    Named(Name),
    /// An unknown of type inference or of matching.
    Meta(u32),
    /// What a work-item is told when a kernel runs.
    Worker(Worker),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    Var(NatVar),
    /// `floor(a / b)` where neither side could be simplified further.
    Floor(Nat, Nat),
    Mod(Nat, Nat),
    /// A sum that stands in a denominator; its exponent is always negative.
    Sum(Nat),
    Poison,
}

/// A product of atoms with integer exponents, sorted by atom, no exponent zero. Nearly all are of one or two.
pub type Monomial = SmallVec<[(Atom, i32); 2]>;

/// Variables with their exponents, of which none is zero.
pub type Powers = Vec<(NatVar, i32)>;

/// A symbolic size (or index) in normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nat(Arc<Vec<(Monomial, Coefficient)>>);

/// Why a size has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NatError {
    #[error("the size {0} has no value")]
    Unknown(String),
    #[error("{0} is not a whole number: the division leaves a remainder")]
    Fraction(String),
    #[error("{0} divides by zero")]
    DivisionByZero(String),
    #[error("{0} is too large for a size")]
    Overflow(String),
}

struct Overflow;

/// A coefficient that the generated code could write.
fn in_range(c: Coefficient) -> Result<Coefficient, Overflow> {
    let fits = |n: &i128| n.unsigned_abs() <= i64::MAX as u128;
    if fits(c.numer()) && fits(c.denom()) { Ok(c) } else { Err(Overflow) }
}

/// The sum, unless it overflows. Nearly all coefficients are whole, and whole ones need no common divisor.
fn sum_of(a: &Coefficient, b: &Coefficient) -> Option<Coefficient> {
    if a.is_integer() && b.is_integer() {
        return (*a.numer()).checked_add(*b.numer()).map(Ratio::from_integer);
    }
    a.checked_add(b)
}

/// As `sum_of`.
fn product_of(a: &Coefficient, b: &Coefficient) -> Option<Coefficient> {
    if a.is_integer() && b.is_integer() {
        return (*a.numer()).checked_mul(*b.numer()).map(Ratio::from_integer);
    }
    a.checked_mul(b)
}

/// A sum while it is put together: products in any order, each as often as it comes.
type Terms = Vec<(Monomial, Coefficient)>;

/// The sum with each product once, in order, and none that is zero.
fn collected(mut terms: Terms) -> Result<Terms, Overflow> {
    // What is taken from a number in normal form is in order.
    if !terms.is_sorted_by(|(a, _), (b, _)| a < b) {
        terms.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    let mut out: Terms = Vec::with_capacity(terms.len());
    for (m, c) in terms {
        if c.is_zero() {
            continue;
        }
        match out.last_mut() {
            Some((last, sum)) if *last == m => {
                *sum = in_range(sum_of(sum, &c).ok_or(Overflow)?)?;
                if sum.is_zero() {
                    out.pop();
                }
            }
            _ => out.push((m, in_range(c)?)),
        }
    }
    Ok(out)
}

/// The normal form of a sum in order.
fn finish(terms: Terms) -> Nat {
    let sum = Nat(Arc::new(terms));
    if sum.0.len() > MAX_TERMS || !sum.is_small() {
        return Nat::poison();
    }
    sum.join_division_and_remainder().cancel_denominators()
}

fn times(a: &Monomial, b: &Monomial) -> Result<Monomial, Overflow> {
    let mut out = Monomial::with_capacity(a.len() + b.len());
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (Some((x, _)), Some((y, _))) => x.cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Ok(out),
        };
        let (atom, exponent) = match order {
            Ordering::Less => left.next().map(|(x, e)| (x, Some(*e))),
            Ordering::Greater => right.next().map(|(x, e)| (x, Some(*e))),
            Ordering::Equal => {
                left.next().zip(right.next()).map(|((x, e), (_, f))| (x, i32::checked_add(*e, *f)))
            }
        }
        .ok_or(Overflow)?;
        match exponent.filter(|e: &i32| e.unsigned_abs() <= MAX_EXPONENT).ok_or(Overflow)? {
            0 => {}
            e => out.push((atom.clone(), e)),
        }
    }
}

fn inverse(m: &Monomial) -> Monomial {
    m.iter().map(|(a, e)| (a.clone(), e.saturating_neg())).collect()
}

/// Graded lexicographic order: compatible with multiplication, which long division needs.
fn monomial_order(a: &Monomial, b: &Monomial) -> Ordering {
    let degree = |m: &Monomial| m.iter().map(|(_, e)| i64::from(*e)).sum::<i64>();
    degree(a).cmp(&degree(b)).then_with(|| {
        for ((x, i), (y, j)) in a.iter().zip(b) {
            match y.cmp(x).then(i.cmp(j)) {
                Ordering::Equal => {}
                different => return different,
            }
        }
        a.len().cmp(&b.len())
    })
}

impl Nat {
    pub fn constant(value: i64) -> Nat {
        Nat::rational(Ratio::from_integer(value as i128))
    }

    pub fn rational(c: Coefficient) -> Nat {
        Nat(Arc::new(if c.is_zero() { vec![] } else { vec![(Monomial::new(), c)] }))
    }

    /// The size variable called `name`.
    pub fn var(name: &str) -> Nat {
        Nat::variable(NatVar::Named(name.into()))
    }

    pub fn meta(id: u32) -> Nat {
        Nat::variable(NatVar::Meta(id))
    }

    pub fn variable(v: NatVar) -> Nat {
        Nat::atom(Atom::Var(v))
    }

    pub fn atom(a: Atom) -> Nat {
        let atom = Nat(Arc::new(vec![(smallvec![(a, 1)], Ratio::one())]));
        if atom.is_small() { atom } else { Nat::poison() }
    }

    /// Is there not too much to look at? Each number within was bounded when it was made.
    fn is_small(&self) -> bool {
        let (parts, nesting) = self.extent();
        parts <= MAX_PARTS && nesting <= MAX_NESTING
    }

    /// How many parts there are, and how many divisions within each other.
    fn extent(&self) -> (usize, usize) {
        let mut all = (self.0.len(), 0);
        for (a, _) in self.0.iter().flat_map(|(m, _)| m) {
            let within = match a {
                Atom::Floor(x, y) | Atom::Mod(x, y) => [Some(x), Some(y)],
                Atom::Sum(x) => [Some(x), None],
                Atom::Var(_) | Atom::Poison => [None, None],
            };
            all.0 += 1;
            for (parts, nesting) in within.into_iter().flatten().map(Nat::extent) {
                all = (all.0 + parts, all.1.max(nesting + 1));
            }
        }
        all
    }

    /// The size of a computation that left the range of sizes.
    pub fn poison() -> Nat {
        Nat::atom(Atom::Poison)
    }

    /// Can it be written with one denominator, as it must be where something is computed? So must all numbers within.
    pub fn is_writable(&self) -> bool {
        let one_denominator = |n: &Nat| {
            n.is_evidently_integral() || {
                let (above, below) = n.as_fraction();
                !above.is_poison() && !below.is_poison()
            }
        };
        one_denominator(self)
            && !self.any_atom(&mut |a| match a {
                Atom::Floor(x, y) | Atom::Mod(x, y) => !one_denominator(x) || !one_denominator(y),
                Atom::Sum(x) => !one_denominator(x),
                Atom::Var(_) => false,
                Atom::Poison => true,
            })
    }

    pub fn terms(&self) -> &[(Monomial, Coefficient)] {
        &self.0
    }

    pub fn from_terms(terms: impl IntoIterator<Item = (Monomial, Coefficient)>) -> Nat {
        collected(terms.into_iter().collect()).map_or_else(|Overflow| Nat::poison(), finish)
    }

    pub fn is_poison(&self) -> bool {
        self.any_atom(&mut |a| matches!(a, Atom::Poison))
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, when it is a whole number without variables.
    pub fn as_constant(&self) -> Option<i64> {
        let c = self.as_rational()?;
        if c.is_integer() { i64::try_from(*c.numer()).ok() } else { None }
    }

    fn as_rational(&self) -> Option<Coefficient> {
        match self.0.as_slice() {
            [] => Some(Ratio::zero()),
            [(m, c)] if m.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// The variable, when the size is nothing but one.
    pub fn as_variable(&self) -> Option<&NatVar> {
        match self.0.as_slice() {
            [(m, c)] if c.is_one() => match m.as_slice() {
                [(Atom::Var(v), 1)] => Some(v),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn add(&self, other: &Nat) -> Nat {
        if self.is_zero() {
            return other.clone();
        }
        self.joined(other, &|c| c)
    }

    pub fn sub(&self, other: &Nat) -> Nat {
        self.joined(other, &|c| -c)
    }

    /// The sum of this number and another, whose coefficients are taken as it is said.
    fn joined(&self, other: &Nat, taken: &dyn Fn(Coefficient) -> Coefficient) -> Nat {
        if other.is_zero() {
            return self.clone();
        }
        self.merged(other, taken).map_or_else(|Overflow| Nat::poison(), finish)
    }

    fn merged(&self, other: &Nat, taken: &dyn Fn(Coefficient) -> Coefficient) -> Result<Terms, Overflow> {
        let mut out = Terms::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((m, _)), Some((n, _))) => m.cmp(n),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Ok(out),
            };
            let next = match order {
                Ordering::Less => left.next().map(|(m, c)| (m, Some(*c))),
                Ordering::Greater => right.next().map(|(m, c)| (m, Some(taken(*c)))),
                Ordering::Equal => {
                    left.next().zip(right.next()).map(|((m, a), (_, b))| (m, sum_of(a, &taken(*b))))
                }
            };
            let Some((m, c)) = next else { return Ok(out) };
            let c = in_range(c.ok_or(Overflow)?)?;
            if !c.is_zero() {
                out.push((m.clone(), c));
            }
        }
    }

    fn scale(&self, by: Coefficient) -> Nat {
        if by.is_one() {
            return self.clone();
        }
        let mut out = Vec::with_capacity(self.0.len());
        for (m, c) in self.0.iter() {
            match product_of(c, &by).map(in_range) {
                Some(Ok(c)) if c.is_zero() => {}
                Some(Ok(c)) => out.push((m.clone(), c)),
                _ => return Nat::poison(),
            }
        }
        Nat(Arc::new(out))
    }

    pub fn mul(&self, other: &Nat) -> Nat {
        if let Some(c) = other.as_rational() {
            return self.scale(c);
        }
        if let Some(c) = self.as_rational() {
            return other.scale(c);
        }
        // Terms that cancel are no excuse for multiplying without end.
        if self.0.len() * other.0.len() > MAX_TERMS * MAX_TERMS / 4 {
            return Nat::poison();
        }
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a, b)));
        let product = |((m, a), (n, b)): (&(Monomial, Coefficient), &(Monomial, Coefficient))| {
            Ok((times(m, n)?, product_of(a, b).ok_or(Overflow)?))
        };
        let terms = pairs.map(product).collect::<Result<Terms, Overflow>>();
        terms.and_then(collected).map_or_else(|Overflow| Nat::poison(), finish)
    }

    /// Exact division: `a.exact_div(b) * b == a`. Division by zero gives [`Nat::poison`].
    pub fn exact_div(&self, by: &Nat) -> Nat {
        match by.0.as_slice() {
            [] => Nat::poison(),
            [(m, c)] => {
                let Some(inverted) = Ratio::one().checked_div(c) else { return Nat::poison() };
                self.mul(&Nat(Arc::new(vec![(inverse(m), inverted)])))
            }
            _ => {
                if let Some(q) = self.polynomial_quotient(by) {
                    return Nat::from_terms(q);
                }
                // a / (b + c/d) = a*d / (b*d + c): quotients within others would be rounded where they are computed.
                let is_fraction = |n: &Nat| n.0.iter().flat_map(|(m, _)| m).any(|(_, e)| *e < 0);
                if is_fraction(by) {
                    let (above, below) = by.as_fraction();
                    return match is_fraction(&above) || above.is_poison() {
                        true => Nat::poison(),
                        false => self.mul(&below).exact_div(&above),
                    };
                }
                // The leading coefficient is pulled out, so that equal denominators have one form.
                let Some((_, lead)) = by.leading() else { return Nat::poison() };
                let Some(inverted) = Ratio::one().checked_div(lead) else { return Nat::poison() };
                let primitive = by.scale(inverted);
                self.scale(inverted)
                    .mul(&Nat(Arc::new(vec![(smallvec![(Atom::Sum(primitive), -1)], Ratio::one())])))
            }
        }
    }

    fn leading(&self) -> Option<&(Monomial, Coefficient)> {
        self.0.iter().max_by(|a, b| monomial_order(&a.0, &b.0))
    }

    /// The terms of `self / by` when long division leaves no remainder. Atoms stay as they are on the way: to bring what is
    /// only taken away again into normal form would divide by what stands within them, at each level of fractions
    /// within fractions as often again.
    fn polynomial_quotient(&self, by: &Nat) -> Option<Terms> {
        let (lead, lead_c) = by.leading()?;
        let inverted = Ratio::one().checked_div(lead_c)?;
        let mut rest = self.clone();
        let mut quotient = vec![];
        // Each step removes the leading term, so as many steps as terms of a fair-sized quotient are enough.
        for _ in 0..16 {
            let Some((m, c)) = rest.leading() else { return Some(quotient) };
            let factor = times(m, &inverse(lead)).ok()?;
            if factor.iter().any(|(a, e)| *e < 0 && !m.contains(&(a.clone(), *e))) {
                return None;
            }
            let by_what = product_of(c, &inverted)?;
            let taken = |(n, d): &(Monomial, Coefficient)| {
                Ok((times(&factor, n)?, product_of(&by_what, d).ok_or(Overflow)?))
            };
            let taken =
                by.0.iter().map(taken).collect::<Result<Terms, Overflow>>().and_then(collected).ok()?;
            let before = rest.0.len();
            rest = Nat(Arc::new(rest.merged(&Nat(Arc::new(taken)), &|c| -c).ok()?));
            quotient.push((factor, by_what));
            if rest.0.len() > before + by.0.len() {
                return None;
            }
        }
        None
    }

    /// `(quotient, rest)` with `self = quotient * by + rest` and a quotient that is a whole number, for a sum `by` of
    /// whole numbers.
    fn long_division(&self, by: &Nat) -> Option<(Nat, Nat)> {
        if by.0.len() < 2 || !by.is_evidently_integral() {
            return None;
        }
        let (lead, lead_c) = by.leading()?;
        let (mut whole, mut rest) = (Nat::constant(0), self.clone());
        // Each step removes the greatest term that can be divided.
        for _ in 0..32 {
            let divided = rest.0.iter().filter_map(|(m, c)| {
                let factor = times(m, &inverse(lead)).ok()?;
                let step = Nat(Arc::new(vec![(factor, c.checked_div(lead_c)?)]));
                step.is_evidently_integral().then_some((m, step))
            });
            let Some((_, step)) = divided.max_by(|(a, _), (b, _)| monomial_order(a, b)) else {
                return Some((whole, rest));
            };
            whole = whole.add(&step);
            rest = rest.sub(&step.mul(by));
        }
        None
    }

    /// `c * m` splits off an exact multiple of `by` when the quotient has no new denominator.
    fn exact_quotient_of_term(m: &Monomial, c: &Coefficient, by: &Nat) -> Option<(Monomial, Coefficient)> {
        let [(bm, bc)] = by.0.as_slice() else { return None };
        let qc = c.checked_div(bc)?;
        if c.denom() % qc.denom() != 0 {
            return None;
        }
        // `y/6` is a whole number, but `y/6` over `y` is none, and of `n*m/6` over `n` it is not known.
        if !bm.is_empty() && is_fraction(m, c) && !(m == bm && qc.is_integer()) {
            return None;
        }
        let qm = times(m, &inverse(bm)).ok()?;
        let new_denominator = qm.iter().any(|(a, e)| {
            let had = m.iter().find(|(b, _)| b == a).map_or(0, |(_, e)| *e);
            *e < had.min(0)
        });
        if new_denominator { None } else { Some((qm, qc)) }
    }

    /// Splits a sum into (quotient, rest) with `self = quotient * by + rest`.
    fn split_multiples(&self, by: &Nat) -> (Nat, Nat) {
        let mut whole = vec![];
        let mut rest = vec![];
        // One fraction among whole numbers is a whole number itself; of several only their sum is.
        let fractions = self.0.iter().filter(|(m, c)| is_fraction(m, c)).count();
        for (m, c) in self.0.iter() {
            let known = fractions < 2 || !is_fraction(m, c);
            if let Some((qm, qc)) = Nat::exact_quotient_of_term(m, c, by).filter(|_| known) {
                whole.push((qm, qc));
            } else if m.is_empty()
                && let Some(b) = by.as_rational()
                && c.is_integer()
                && b.is_integer()
                && b.is_positive()
            {
                let q = c.numer().div_euclid(*b.numer());
                let r = c.numer().rem_euclid(*b.numer());
                whole.push((Monomial::new(), Ratio::from_integer(q)));
                rest.push((Monomial::new(), Ratio::from_integer(r)));
            } else {
                rest.push((m.clone(), *c));
            }
        }
        (Nat::from_terms(whole), Nat::from_terms(rest))
    }

    /// Floor division of naturals. Exact multiples of `by` are split off: `(32*n + b) div 32 = n + b div 32`.
    pub fn floor_div(&self, by: &Nat) -> Nat {
        if by.is_zero() {
            return Nat::poison();
        }
        if by.as_rational().is_some_and(|c| c.is_one()) {
            return self.clone();
        }
        if self == by {
            return Nat::constant(1);
        }
        let (whole, rest) = self.split_multiples(by);
        if rest.is_zero() || rest.is_below(by) {
            return whole;
        }
        // (x div a) div b = x div (a*b)
        if let [(m, c)] = rest.0.as_slice()
            && c.is_one()
            && let [(Atom::Floor(x, a), 1)] = m.as_slice()
        {
            return whole.add(&x.floor_div(&a.mul(by)));
        }
        whole.add(&Nat::atom(Atom::Floor(rest, by.clone())))
    }

    /// Remainder of naturals; exact multiples of `by` vanish.
    pub fn modulo(&self, by: &Nat) -> Nat {
        if by.is_zero() {
            return Nat::poison();
        }
        if by.as_rational().is_some_and(|c| c.is_one()) || self == by {
            return Nat::constant(0);
        }
        let (_, rest) = self.split_multiples(by);
        if rest.is_zero() || rest.is_below(by) {
            return rest;
        }
        // (x + c * (y % (a*b))) % a = (x + c*y) % a
        for (m, c) in rest.0.iter().filter(|(m, c)| c.is_integer() && m.iter().all(|(_, e)| *e > 0)) {
            let inner = m.iter().find_map(|(a, e)| match a {
                Atom::Mod(y, n) if *e == 1 => Some((a, y, n)),
                _ => None,
            });
            let Some((atom, y, n)) = inner else { continue };
            let [(nm, nc)] = n.0.as_slice() else { continue };
            if Nat::exact_quotient_of_term(nm, nc, by).is_some() {
                let others: Monomial = m.iter().filter(|(a, _)| a != atom).cloned().collect();
                let term = Nat(Arc::new(vec![(m.clone(), *c)]));
                let factor = Nat(Arc::new(vec![(others, *c)]));
                return rest.sub(&term).add(&y.mul(&factor)).modulo(by);
            }
        }
        Nat::atom(Atom::Mod(rest, by.clone()))
    }

    /// Is `0 <= self < by` evident without knowing any variable's range?
    fn is_below(&self, by: &Nat) -> bool {
        match (self.as_rational(), by.as_rational()) {
            (Some(a), Some(b)) => !a.is_negative() && a < b,
            _ => match self.0.as_slice() {
                [(m, c)] if c.is_one() => matches!(m.as_slice(), [(Atom::Mod(_, n), 1)] if n == by),
                _ => false,
            },
        }
    }

    /// `self` to the power of a natural number.
    pub fn pow(&self, exponent: u32) -> Nat {
        if exponent > MAX_EXPONENT {
            return Nat::poison();
        }
        match exponent {
            0 => Nat::constant(1),
            _ => (1..exponent).fold(self.clone(), |acc, _| acc.mul(self)),
        }
    }

    /// `(x div n) * n + x % n = x`.
    fn join_division_and_remainder(self) -> Nat {
        for (m, c) in self.0.iter() {
            let Some((Atom::Mod(x, n), 1)) = m.iter().find(|(a, e)| matches!(a, Atom::Mod(..)) && *e == 1)
            else {
                continue;
            };
            // The product of quotient and divisor is joined as well: to make it for every remainder would take
            // twice as long with each remainder within the divisor of another.
            let is_quotient = |a: &Atom| matches!(a, Atom::Floor(y, k) if k == n && y == x);
            if !self.0.iter().flat_map(|(m, _)| m).any(|(a, _)| is_quotient(a)) {
                continue;
            }
            let others: Monomial = m
                .iter()
                .filter(|(a, _)| !matches!(a, Atom::Mod(y, k) if y == x && k == n))
                .cloned()
                .collect();
            let factor = Nat(Arc::new(vec![(others, *c)]));
            let floor = Nat::atom(Atom::Floor(x.clone(), n.clone())).mul(n).mul(&factor);
            if !floor.0.is_empty() && floor.0.iter().all(|t| self.0.contains(t)) {
                let remainder = Nat(Arc::new(vec![(m.clone(), *c)]));
                return self.sub(&floor).sub(&remainder).add(&x.mul(&factor));
            }
        }
        self
    }

    /// A sum of terms over one denominator that is a multiple of it loses the denominator.
    fn cancel_denominators(self) -> Nat {
        let denominator = self.0.iter().flat_map(|(m, _)| m).find_map(|(a, e)| match a {
            Atom::Sum(s) if *e < 0 => Some((a.clone(), s.clone())),
            _ => None,
        });
        let Some((atom, sum)) = denominator else { return self };
        let (over, rest): (Vec<_>, Vec<_>) =
            self.0.iter().cloned().partition(|(m, _)| m.iter().any(|(a, e)| *a == atom && *e < 0));
        let mut numerator = vec![];
        for (m, c) in over {
            let Ok(m) = times(&m, &smallvec![(atom.clone(), 1)]) else { return self };
            numerator.push((m, c));
        }
        if numerator.iter().any(|(m, _)| m.iter().any(|(a, _)| *a == atom)) {
            return self;
        }
        let Ok(numerator) = collected(numerator) else { return self };
        match Nat(Arc::new(numerator)).polynomial_quotient(&sum) {
            Some(q) => Nat::from_terms(rest.into_iter().chain(q)),
            None => self,
        }
    }

    fn any_atom(&self, f: &mut dyn FnMut(&Atom) -> bool) -> bool {
        self.0.iter().flat_map(|(m, _)| m).any(|(a, _)| {
            f(a) || match a {
                Atom::Floor(x, y) | Atom::Mod(x, y) => x.any_atom(f) || y.any_atom(f),
                Atom::Sum(x) => x.any_atom(f),
                Atom::Var(_) | Atom::Poison => false,
            }
        })
    }

    /// The number, the divisor and the powers of variables of which it is the product; none of a sum, of zero, and of
    /// what has quotients or remainders that are not exact.
    pub fn as_product(&self) -> Option<(i64, i64, Powers)> {
        let [(monomial, c)] = &self.0[..] else { return None };
        let powers =
            monomial.iter().map(|(a, e)| if let Atom::Var(v) = a { Some((v.clone(), *e)) } else { None });
        Some((
            i64::try_from(*c.numer()).ok()?,
            i64::try_from(*c.denom()).ok()?,
            powers.collect::<Option<_>>()?,
        ))
    }

    /// Every variable, in order of first appearance, each once.
    pub fn vars(&self) -> Vec<NatVar> {
        let mut out: Vec<NatVar> = vec![];
        self.any_atom(&mut |a| {
            if let Atom::Var(v) = a
                && !out.contains(v)
            {
                out.push(v.clone());
            }
            false
        });
        out
    }

    /// Is it not known: has it an unknown of inference, or is it out of range?
    pub fn has_metas(&self) -> bool {
        self.any_atom(&mut |a| matches!(a, Atom::Var(NatVar::Meta(_)) | Atom::Poison))
    }

    /// Every number that is written in it, as a factor or a divisor: 3, 2 and 4 of `3*n + (m + 2) div 4`.
    pub fn numbers(&self) -> Vec<i64> {
        let parts = |n: &Nat| -> Vec<i64> {
            let ratios = n.0.iter().flat_map(|(_, c)| [*c.numer(), *c.denom()]);
            ratios.filter_map(|v| i64::try_from(v).ok()).collect()
        };
        let mut out = parts(self);
        self.any_atom(&mut |a| {
            match a {
                Atom::Floor(x, y) | Atom::Mod(x, y) => out.extend([parts(x), parts(y)].concat()),
                Atom::Sum(x) => out.extend(parts(x)),
                Atom::Var(_) | Atom::Poison => {}
            }
            false
        });
        out.retain(|v| !matches!(v, 0 | 1));
        out
    }

    /// Replaces variables; those for which `f` gives nothing stay.
    pub fn subst(&self, f: &dyn Fn(&NatVar) -> Option<Nat>) -> Nat {
        if let Some(v) = self.as_variable() {
            return f(v).unwrap_or_else(|| self.clone());
        }
        if !self.any_atom(&mut |a| matches!(a, Atom::Var(v) if f(v).is_some())) {
            return self.clone();
        }
        self.with_atoms(&|a: &Atom| match a {
            Atom::Var(v) => f(v),
            Atom::Floor(x, y) => Some(x.subst(f).floor_div(&y.subst(f))),
            Atom::Mod(x, y) => Some(x.subst(f).modulo(&y.subst(f))),
            Atom::Sum(x) => Some(x.subst(f)),
            Atom::Poison => Some(Nat::poison()),
        })
    }

    /// The same sum of products with these values of its atoms; atoms without one stay.
    fn with_atoms(&self, value_of: &dyn Fn(&Atom) -> Option<Nat>) -> Nat {
        let mut sum = Nat::constant(0);
        for (m, c) in self.0.iter() {
            // Most factors stay, and are in order already.
            let (mut kept, mut values) = (Monomial::new(), vec![]);
            for (a, e) in m {
                match value_of(a) {
                    Some(value) => values.push((value.pow(e.unsigned_abs()), *e > 0)),
                    None => kept.push((a.clone(), *e)),
                }
            }
            let product = Nat(Arc::new(vec![(kept, *c)]));
            let product = values.iter().fold(product, |product, (power, above)| match above {
                true => product.mul(power),
                false => product.exact_div(power),
            });
            sum = sum.add(&product);
        }
        sum
    }

    /// The same number with quotients that are rounded down, as `/` is in values: equal where the number is whole.
    pub fn with_rounded_quotients(&self) -> Nat {
        let rounded = self.with_atoms(&|a: &Atom| match a {
            Atom::Floor(x, y) => Some(x.with_rounded_quotients().floor_div(&y.with_rounded_quotients())),
            Atom::Mod(x, y) => Some(x.with_rounded_quotients().modulo(&y.with_rounded_quotients())),
            Atom::Var(_) | Atom::Sum(_) | Atom::Poison => None,
        });
        let (above, below) = rounded.as_fraction();
        let whole = above.floor_div(&below);
        if whole.is_poison() { self.clone() } else { whole }
    }

    /// By how much the number grows from one value of the variable to the next, when that is always the same.
    pub fn step_of(&self, x: &Name) -> Option<Nat> {
        let v = NatVar::Named(x.clone());
        let next = Nat::variable(v.clone()).add(&Nat::constant(1));
        let step = self.subst(&|y| (*y == v).then(|| next.clone())).sub(self);
        (!step.vars().contains(&v)).then_some(step)
    }

    /// The value for given sizes.
    ///
    /// # Errors
    /// A variable without a value, a division that leaves a remainder or divides by zero, an overflow.
    pub fn eval(&self, value: &dyn Fn(&str) -> Option<i64>) -> Result<i64, NatError> {
        let result = self.eval_rational(value)?;
        if !result.is_integer() {
            return Err(NatError::Fraction(self.to_string()));
        }
        i64::try_from(*result.numer()).map_err(|_| NatError::Overflow(self.to_string()))
    }

    /// About the value for given sizes, however large it is; none where something divides by zero or cannot be a size.
    pub fn approximately(&self, value: &dyn Fn(&str) -> f64) -> Option<f64> {
        let mut sum = 0.0;
        for (m, c) in self.0.iter() {
            let mut product = *c.numer() as f64 / *c.denom() as f64;
            for (a, e) in m {
                let v = match a {
                    Atom::Var(NatVar::Named(n)) => value(n),
                    Atom::Floor(x, y) => (x.approximately(value)? / y.approximately(value)?).floor(),
                    Atom::Mod(x, y) => x.approximately(value)?.rem_euclid(y.approximately(value)?),
                    Atom::Sum(x) => x.approximately(value)?,
                    Atom::Var(NatVar::Meta(_) | NatVar::Worker(_)) | Atom::Poison => return None,
                };
                product *= v.powi(*e);
            }
            sum += product;
        }
        sum.is_finite().then_some(sum)
    }

    fn eval_rational(&self, value: &dyn Fn(&str) -> Option<i64>) -> Result<Coefficient, NatError> {
        let overflow = || NatError::Overflow(self.to_string());
        let mut sum = Coefficient::zero();
        for (m, c) in self.0.iter() {
            let mut product = *c;
            for (a, e) in m {
                let v = match a {
                    Atom::Var(NatVar::Named(n)) => {
                        let v = value(n).ok_or_else(|| NatError::Unknown(n.to_string()))?;
                        Ratio::from_integer(v as i128)
                    }
                    Atom::Var(v @ (NatVar::Meta(_) | NatVar::Worker(_))) => {
                        return Err(NatError::Unknown(v.to_string()));
                    }
                    Atom::Floor(x, y) | Atom::Mod(x, y) => {
                        let (x, y) = (x.eval(value)?, y.eval(value)?);
                        if y == 0 {
                            return Err(NatError::DivisionByZero(self.to_string()));
                        }
                        let floor = matches!(a, Atom::Floor(..));
                        let r = if floor { x.checked_div_euclid(y) } else { x.checked_rem_euclid(y) };
                        Ratio::from_integer(r.ok_or_else(overflow)? as i128)
                    }
                    Atom::Sum(x) => x.eval_rational(value)?,
                    Atom::Poison => return Err(overflow()),
                };
                for _ in 0..e.unsigned_abs() {
                    product = if *e > 0 {
                        product_of(&product, &v).ok_or_else(overflow)?
                    } else {
                        if v.is_zero() {
                            return Err(NatError::DivisionByZero(self.to_string()));
                        }
                        product.checked_div(&v).ok_or_else(overflow)?
                    };
                }
            }
            sum = sum_of(&sum, &product).ok_or_else(overflow)?;
        }
        Ok(sum)
    }

    /// Is this a whole number whatever the variables are? `m/32` is not evidently one.
    pub fn is_evidently_integral(&self) -> bool {
        self.0.iter().all(|(m, c)| c.is_integer() && m.iter().all(|(_, e)| *e > 0))
    }

    /// Is this certainly below one, for every value of the variables from one upwards?
    ///
    /// Sizes below one make no array; searches drop them (thesis section 5.6 filters).
    pub fn is_evidently_below_one(&self) -> bool {
        match self.as_rational() {
            Some(c) => c < Ratio::one() || !c.is_integer(),
            None => self.0.iter().all(|(_, c)| c.is_negative()),
        }
    }

    /// Bytes that identify the size for ever: part of every digest.
    pub fn canonical_bytes(&self, out: &mut Bytes) {
        out.extend_from_slice(&(self.0.len() as u32).to_le_bytes());
        for (m, c) in self.0.iter() {
            out.extend_from_slice(&c.numer().to_le_bytes());
            out.extend_from_slice(&c.denom().to_le_bytes());
            out.extend_from_slice(&(m.len() as u32).to_le_bytes());
            for (a, e) in m {
                out.extend_from_slice(&e.to_le_bytes());
                match a {
                    Atom::Var(NatVar::Named(n)) => {
                        out.push(0);
                        out.extend_from_slice(&(n.len() as u32).to_le_bytes());
                        out.extend_from_slice(n.as_bytes());
                    }
                    Atom::Var(NatVar::Meta(i)) => {
                        out.push(1);
                        out.extend_from_slice(&i.to_le_bytes());
                    }
                    Atom::Var(NatVar::Worker(w)) => {
                        out.push(6);
                        out.extend(w.canonical_bytes());
                    }
                    Atom::Floor(x, y) | Atom::Mod(x, y) => {
                        out.push(if matches!(a, Atom::Floor(..)) { 2 } else { 3 });
                        x.canonical_bytes(out);
                        y.canonical_bytes(out);
                    }
                    Atom::Sum(x) => {
                        out.push(4);
                        x.canonical_bytes(out);
                    }
                    Atom::Poison => out.push(5),
                }
            }
        }
    }
}

impl From<i64> for Nat {
    fn from(value: i64) -> Nat {
        Nat::constant(value)
    }
}

/// Is the term an exact division, which is a whole number only because the program says so?
fn is_fraction(m: &Monomial, c: &Coefficient) -> bool {
    !c.is_integer() || m.iter().any(|(_, e)| *e < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(n: &str) -> Nat {
        Nat::var(n)
    }
    fn c(n: i64) -> Nat {
        Nat::constant(n)
    }

    #[test]
    fn exact_division_cancels() {
        let m32 = v("m").exact_div(&c(32));
        assert_eq!(m32.mul(&c(32)), v("m"));
        assert_eq!(v("a").mul(&v("b")).exact_div(&v("a")), v("b"));
        assert_eq!(c(1024).exact_div(&c(32)), c(32));
        let sum = v("n").add(&c(1));
        assert_eq!(v("x").exact_div(&sum).mul(&sum), v("x"));
        assert_eq!(sum.mul(&sum).exact_div(&sum), sum);
        // Of fractions there is one form.
        let (n, m) = (v("n"), v("m"));
        let nested = n.exact_div(&c(1).add(&n.exact_div(&c(1).add(&m))));
        assert_eq!(nested, n.mul(&m).add(&n).exact_div(&n.add(&m).add(&c(1))));
        assert_eq!(nested.eval(&|x| Some(if x == "n" { 6 } else { 2 })), Ok(2));
    }

    #[test]
    fn floor_and_remainder() {
        let i = c(32).mul(&v("n")).add(&v("b"));
        assert_eq!(i.modulo(&c(32)), v("b").modulo(&c(32)));
        assert_eq!(i.floor_div(&c(32)), v("n").add(&v("b").floor_div(&c(32))));
        assert_eq!(v("x").floor_div(&c(4)).mul(&c(4)).add(&v("x").modulo(&c(4))), v("x"));
        assert_eq!(v("x").floor_div(&c(4)).floor_div(&c(8)), v("x").floor_div(&c(32)));
        assert_eq!(v("x").modulo(&c(32)).modulo(&c(4)), v("x").modulo(&c(4)));
        assert_eq!(v("m").floor_div(&c(32)).to_string(), "m div 32");
        assert_eq!(c(7).floor_div(&c(2)), c(3));
    }

    #[test]
    fn overflow_is_poison_and_never_wraps() {
        let mut big = c(i64::MAX);
        for _ in 0..8 {
            big = big.mul(&big);
        }
        assert!(big.is_poison());
        assert!(big.eval(&|_| None).is_err());
    }

    #[test]
    fn numbers_beyond_64_bits_are_poison() {
        let half = c(1 << 32).mul(&v("n"));
        assert!(!c(1 << 30).mul(&half).is_poison());
        for n in [
            c(1 << 31).mul(&half),
            half.mul(&half),
            c(i64::MAX).add(&c(1)),
            v("n").exact_div(&c(i64::MAX)).exact_div(&c(2)),
        ] {
            assert!(n.is_poison(), "{n}");
        }
    }

    #[test]
    fn what_grows_without_bound_is_poison() {
        let sum = ["a", "b", "c", "d", "e", "f", "g", "h"].iter().fold(c(0), |s, n| s.add(&v(n)));
        assert!(!sum.pow(3).is_poison() && sum.pow(16).is_poison() && sum.pow(64).is_poison());
        let long = (0..200).fold(c(0), |s, i| s.add(&v(&format!("n{i}"))));
        assert!(long.is_poison());
        // Divisions within divisions: each step mentions the last one twice.
        let step = |x: &Nat| x.mul(x).add(&c(1)).floor_div(&x.add(&c(2)));
        assert!((0..100).fold(v("x"), |x, _| step(&x)).is_poison());
        assert!(
            (0..100).fold(v("x"), |x, _| x.modulo(&v("n")).add(&x.floor_div(&c(7))).add(&c(1))).is_poison()
        );
        let over = (0..100).fold(v("x"), |x, i| x.add(&v("y")).exact_div(&x.add(&c(i))));
        assert!(over.is_poison());
        assert!(v("x").pow(64).mul(&v("x")).is_poison() && v("x").pow(300).is_poison());
        // Remainders by remainders, and fractions of fractions: each step looks at the last one more than once.
        let nested = |by: usize, step: &dyn Fn(&Nat) -> Nat| (0..by).fold(c(7), |x, _| step(&x));
        let (n, m) = (v("n"), v("m"));
        let steps: [&dyn Fn(&Nat) -> Nat; 5] = [
            &|x| n.modulo(x),
            &|x| n.modulo(&x.add(&c(1))).mul(&m.modulo(&c(3))),
            &|x| n.mul(&m).modulo(&n.mul(x)),
            &|x| n.exact_div(&x.add(&c(1))),
            &|x| n.add(&m).exact_div(&x.add(&m)),
        ];
        for (i, step) in steps.into_iter().enumerate() {
            assert!(!nested(3, step).is_poison() && nested(100, step).is_poison(), "{i}");
        }
        let whole = sum.subst(&|_| Some(sum.pow(2)));
        assert!(!whole.is_poison() && sum.pow(3).subst(&|_| Some(sum.pow(2))).is_poison());
    }

    #[test]
    fn evaluation_checks_division() {
        let m32 = v("m").exact_div(&c(32));
        assert_eq!(m32.eval(&|_| Some(64)), Ok(2));
        assert!(matches!(m32.eval(&|_| Some(65)), Err(NatError::Fraction(_))));
    }

    /// A random size with its value; exact divisions are of multiples.
    fn drawn(seed: &mut u64, depth: u32, x: i128, y: i128) -> (Nat, i128) {
        let mut next = |n: u64| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) % n
        };
        if depth == 0 {
            return match next(3) {
                0 => (v("x"), x),
                1 => (v("y"), y),
                _ => {
                    let k = next(7) as i64;
                    (c(k), k.into())
                }
            };
        }
        let kind = next(7);
        let by = next(8) as i64 + 1;
        let (a, av) = drawn(seed, depth - 1, x, y);
        match kind {
            0 | 1 => {
                let (b, bv) = drawn(seed, depth - 1, x, y);
                if kind == 0 { (a.add(&b), av + bv) } else { (a.sub(&b), av - bv) }
            }
            2 => {
                let (b, bv) = drawn(seed, depth - 1, x, y);
                (a.mul(&b), av * bv)
            }
            3 => (a.floor_div(&c(by)), av.div_euclid(by.into())),
            4 => (a.modulo(&c(by)), av.rem_euclid(by.into())),
            5 => (a.modulo(&v("y").mul(&c(by))), av.rem_euclid(y * i128::from(by))),
            _ if av % i128::from(by) == 0 => (a.exact_div(&c(by)), av / i128::from(by)),
            _ => (a.floor_div(&v("y")), av.div_euclid(y)),
        }
    }

    #[test]
    fn remainders_of_remainders_are_one() {
        let (n, k) = (v("n"), c(32));
        let rest = k.sub(&n.modulo(&k)).modulo(&k);
        assert_eq!(rest, c(0).sub(&n).modulo(&k));
        assert_eq!(v("m").add(&n.modulo(&c(64)).mul(&c(3))).modulo(&k), v("m").add(&n.mul(&c(3))).modulo(&k));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(3000))]
        #[test]
        fn normal_forms_of_whole_trees_keep_the_value(seed in 0u64..u64::MAX, depth in 1u32..6, x in 1i64..40, y in 1i64..20) {
            let mut seed = seed;
            let (n, expected) = drawn(&mut seed, depth, x.into(), y.into());
            let value = |n: &str| match n { "x" => Some(x), "y" => Some(y), _ => None };
            if let (Ok(expected), false) = (i64::try_from(expected), n.is_poison()) {
                proptest::prop_assert_eq!(n.eval(&value), Ok(expected), "{}", n);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn normal_form_keeps_the_value(ops in proptest::collection::vec((0u8..6, 1i64..6), 1..8), x in 1i64..50, y in 1i64..50) {
            let value = |n: &str| match n { "x" => Some(x), "y" => Some(y), _ => None };
            let mut n = v("x");
            let mut expected = x as i128;
            for (op, k) in ops {
                let other = if k % 2 == 0 { v("y") } else { c(k) };
                let o = if k % 2 == 0 { y } else { k } as i128;
                (n, expected) = match op {
                    0 => (n.add(&other), expected + o),
                    1 => (n.mul(&other), expected * o),
                    2 => (n.floor_div(&other), expected.div_euclid(o)),
                    3 => (n.modulo(&other), expected.rem_euclid(o)),
                    4 => (n.mul(&other).exact_div(&other), expected),
                    _ => (n.add(&other).sub(&other), expected),
                };
            }
            if let Ok(expected) = i64::try_from(expected) {
                proptest::prop_assert_eq!(n.eval(&value), Ok(expected));
            }
        }
    }
}
