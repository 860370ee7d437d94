//! Sizes and indices as C expressions.
//!
//! A sum prints its constant first, then its terms by degree and coefficient, as the thesis's listings do:
//! `32 + i2 + 128 * i1`. Nothing overflows: sizes are `int`, loop variables are `long` where an offset may leave 32 bits
//! ([`Width::Long`]), and a sum or product of `int` alone is widened unless it is known to fit one.

use super::syntax::Expr;
use crate::lang::nat::{Atom, Monomial, Nat, NatVar, Ranges, Worker};
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive, Zero};
use std::borrow::Cow;

/// The integer type of loop variables and offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Every offset fits an `int`.
    Int,
    Long,
}

impl Width {
    pub fn name(self) -> &'static str {
        match self {
            Width::Int => "int",
            Width::Long => "long",
        }
    }
}

/// What a variable is in the generated text.
#[derive(Clone, Debug)]
pub struct Variable {
    pub expr: Expr,
    /// Whether it is a `long`.
    pub long: bool,
}

/// How numbers print: the variables' names, the ranges that are known, and whether a division had to round down a
/// number that may be negative, for which C has no operator.
pub struct Printer<'a> {
    pub ranges: &'a Ranges,
    pub variable: &'a dyn Fn(&NatVar) -> Variable,
    pub rounds_down: bool,
}

/// An expression and whether its type is `long`.
type Typed = (Expr, bool);

impl Printer<'_> {
    pub fn number(&mut self, n: &Nat) -> Expr {
        self.typed(n).0
    }

    fn typed(&mut self, n: &Nat) -> Typed {
        if let Some(c) = n.as_constant() {
            return self.constant(c.into());
        }
        if !n.is_evidently_integral() {
            let (whole, fraction): (Vec<_>, Vec<_>) =
                n.terms().iter().cloned().partition(|(m, c)| c.is_integer() && m.iter().all(|(_, e)| *e > 0));
            let (above, below) = Nat::from_terms(fraction).as_fraction();
            let quotient = binary("/", self.typed(&above), self.typed(&below));
            if whole.is_empty() {
                return quotient;
            }
            let whole = Nat::from_terms(whole);
            let mut terms = vec![self.typed(&whole), quotient];
            widen(&mut terms, || whole.is_natural(self.ranges) && self.fits(n));
            return terms.into_iter().reduce(|a, b| binary("+", a, b)).unwrap_or_else(|| self.constant(0));
        }
        let mut terms: Vec<_> = n.terms().iter().collect();
        let degree = |m: &Monomial| m.iter().map(|(_, e)| *e).sum::<i32>();
        terms.sort_by(|(a, c), (b, d)| {
            (c.is_negative(), degree(a), c.abs())
                .cmp(&(d.is_negative(), degree(b), d.abs()))
                .then_with(|| natural_order(a, b))
        });
        let mut factors: Vec<Typed> =
            terms.iter().map(|(m, c)| self.product(m, c.abs().to_integer())).collect();
        widen(&mut factors, || terms.len() < 2 || self.parts_fit(n));
        let mut sum: Option<Typed> = None;
        for (term, (_, c)) in factors.into_iter().zip(terms) {
            sum = Some(match (sum, c.is_negative()) {
                (None, false) => term,
                (None, true) => (Expr::Unary("-", Box::new(term.0)), term.1),
                (Some(s), false) => binary("+", s, term),
                (Some(s), true) => binary("-", s, term),
            });
        }
        sum.unwrap_or_else(|| self.constant(0))
    }

    /// Is the number known to be at most what an `int` holds, as every size is?
    fn fits(&self, n: &Nat) -> bool {
        let above = |v: &NatVar| match v {
            NatVar::Named(x) => self.ranges.end(x).cloned(),
            NatVar::Worker(w) => w.end().map(Worker::nat),
            NatVar::Meta(_) => None,
        };
        let sizes = |v: NatVar| {
            above(&v).map_or_else(|| vec![v], |n| n.vars()).into_iter().filter(|v| above(v).is_none())
        };
        let limits = n.vars().into_iter().flat_map(sizes).map(Nat::variable);
        [Nat::constant(i32::MAX.into())]
            .into_iter()
            .chain(limits)
            .any(|limit| limit.sub(n).is_natural(self.ranges))
    }

    /// Does an `int` hold every partial sum? They lie between the sum of the negative terms and that of the others, if
    /// no term changes its sign.
    fn parts_fit(&self, n: &Nat) -> bool {
        let (added, taken): (Vec<_>, Vec<_>) = n.terms().iter().cloned().partition(|(_, c)| c.is_positive());
        let taken = taken.into_iter().map(|(m, c)| (m, -c)).collect();
        [added, taken].into_iter().all(|terms: Vec<(Monomial, _)>| {
            terms.iter().all(|t| Nat::from_terms([t.clone()]).is_natural(self.ranges))
                && self.fits(&Nat::from_terms(terms))
        })
    }

    fn constant(&self, c: i128) -> Typed {
        if i32::try_from(c).is_err() { (Expr::int(format!("{c}L")), true) } else { (Expr::int(c), false) }
    }

    fn product(&mut self, m: &Monomial, c: i128) -> Typed {
        let mut factors: Vec<(Typed, Nat)> = vec![];
        // Sizes before loop variables.
        let is_loop = |a: &Atom| matches!(a, Atom::Var(NatVar::Named(x)) if self.ranges.contains(x));
        let (sizes, loops): (Vec<_>, Vec<_>) = m.iter().partition(|(a, _)| !is_loop(a));
        for (a, e) in sizes.into_iter().chain(loops) {
            let factor = (self.atom(a), Nat::atom(a.clone()));
            for _ in 0..*e {
                factors.push(factor.clone());
            }
        }
        if c != 1 || factors.is_empty() {
            factors.insert(0, (self.constant(c), Nat::rational(Ratio::from_integer(c))));
        }
        // The first product must be of a long, lest it overflow before the others widen it.
        let is_long = |(factor, _): &(Typed, Nat)| factor.1;
        if factors.len() > 1 && !factors.iter().take(2).any(is_long) {
            match factors.iter().position(is_long) {
                Some(k) => {
                    let long = factors.remove(k);
                    factors.insert(usize::from(c != 1), long);
                }
                None => {
                    let (mut typed, numbers): (Vec<Typed>, Vec<Nat>) = factors.into_iter().unzip();
                    let mut product = Nat::constant(1);
                    widen(&mut typed, || {
                        numbers.iter().all(|n| {
                            product = product.mul(n);
                            n.is_natural(self.ranges) && self.fits(&product)
                        })
                    });
                    return product_of(typed);
                }
            }
        }
        product_of(factors.into_iter().map(|(f, _)| f).collect())
    }

    fn atom(&mut self, a: &Atom) -> Typed {
        match a {
            Atom::Var(v) => {
                let v = (self.variable)(v);
                (v.expr, v.long)
            }
            Atom::Floor(x, n) | Atom::Mod(x, n) => {
                let floor = matches!(a, Atom::Floor(..));
                let (p, q) = (self.typed(x), self.typed(n));
                if x.is_natural(self.ranges) {
                    binary(if floor { "/" } else { "%" }, p, q)
                } else {
                    self.rounds_down = true;
                    let f = if floor { "floor_div" } else { "floor_mod" };
                    (Expr::call(f, vec![p.0, q.0]), true)
                }
            }
            Atom::Sum(x) => self.typed(x),
            // The checker lets no such number pass.
            Atom::Poison => (Expr::int(0), false),
        }
    }
}

fn product_of(factors: Vec<Typed>) -> Typed {
    factors.into_iter().reduce(|a, b| binary("*", a, b)).unwrap_or_else(|| (Expr::int(1), false))
}

/// Makes C compute in `long` from the first operator on, unless it does or all of it fits an `int`.
fn widen(operands: &mut [Typed], fit: impl FnOnce() -> bool) {
    if !operands.iter().take(2).any(|(_, long)| *long)
        && !fit()
        && let Some(first) = operands.first_mut()
    {
        let long = match &first.0 {
            Expr::Text(number) => Expr::Text(format!("{number}L")),
            other => other.clone().cast("long"),
        };
        *first = (long, true);
    }
}

fn binary(op: &'static str, a: Typed, b: Typed) -> Typed {
    (Expr::binary(op, a.0, b.0), a.1 || b.1)
}

/// By name, numbers in names by value: `i2` before `i10`.
fn natural_order(a: &Monomial, b: &Monomial) -> std::cmp::Ordering {
    let parts = |text: &str| {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        (text.len() - digits.len(), digits.parse::<u64>().unwrap_or(0))
    };
    let by_name = |(a, b): (&str, &str)| {
        let ((m, i), (n, j)) = (parts(a), parts(b));
        a[..m].cmp(&b[..n]).then(i.cmp(&j))
    };
    let names = a.iter().zip(b).map(|((a, _), (b, _))| by_name((&name(a), &name(b))));
    let first = names.into_iter().find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len())).then_with(|| a.cmp(b))
}

fn name(a: &Atom) -> Cow<'_, str> {
    match a {
        Atom::Var(NatVar::Named(x)) => Cow::Borrowed(x.strip_prefix('%').unwrap_or(x)),
        _ => Nat::atom(a.clone()).to_string().into(),
    }
}

/// The greatest value of a number of bytes or elements that is known, if it is.
pub fn constant(n: &Nat) -> Option<u64> {
    n.as_constant().filter(|c| !c.is_zero() || n.is_zero()).and_then(|c| c.to_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables whose names start with `i` are `long` where they are so wide.
    fn print(n: &Nat, width: Width, ranges: &Ranges) -> String {
        let variable = |v: &NatVar| {
            let name = v.to_string();
            Variable { long: width == Width::Long && name.starts_with('i'), expr: Expr::Name(name) }
        };
        Printer { ranges, variable: &variable, rounds_down: false }.number(n).to_string()
    }

    #[test]
    fn prints_as_the_thesis_does() {
        let (c, v) = (Nat::constant, Nat::var);
        let n = v("i9")
            .add(&c(32).mul(&v("i1")))
            .add(&c(1024).mul(&v("i7")))
            .add(&c(4096).mul(&v("i4")))
            .add(&c(32));
        let mut r = Ranges::default();
        ["i9", "i1", "i7", "i4"].into_iter().for_each(|i| r.insert(i.into(), c(0), c(32)));
        assert_eq!(print(&n, Width::Int, &r), "32 + i9 + 32 * i1 + 1024 * i7 + 4096 * i4");
        let n = v("i2").add(&v("k").mul(&v("i0")));
        assert_eq!(print(&n, Width::Long, &r), "i2 + i0 * k");
        r.insert("i0".into(), c(0), v("n"));
        assert_eq!(print(&n, Width::Long, &r), "i2 + k * i0");
        assert_eq!(print(&v("n").mul(&v("m")), Width::Long, &r), "(long)m * n");
        assert_eq!(print(&c(2).mul(&v("n")).mul(&v("i")), Width::Long, &r), "2 * i * n");
        assert_eq!(print(&v("m").exact_div(&c(32)), Width::Int, &r), "m / 32");
        assert_eq!(print(&v("m").sub(&c(1)), Width::Int, &r), "m - 1");
        assert_eq!(print(&v("m").add(&c(1)).exact_div(&c(2)), Width::Int, &r), "(1L + m) / 2");
        assert_eq!(print(&v("n").exact_div(&v("m")).add(&c(3)), Width::Int, &r), "3L + n / m");
        r.insert("i".into(), c(0), c(9));
        assert_eq!(print(&v("i").sub(&c(1)).floor_div(&v("n")), Width::Int, &r), "floor_div(i - 1, n)");
        r.insert("i".into(), c(1), c(9));
        assert_eq!(print(&v("i").sub(&c(1)).floor_div(&v("n")), Width::Int, &r), "(i - 1) / n");
    }

    #[test]
    fn what_may_leave_an_int_is_computed_in_long() {
        let (c, v) = (Nat::constant, Nat::var);
        let mut r = Ranges::default();
        r.insert("i".into(), c(0), v("n"));
        let text = |n: &Nat| print(n, Width::Int, &r);
        assert_eq!(text(&v("n").sub(&v("i")).sub(&c(1))), "n - 1 - i");
        assert_eq!(text(&c(2).mul(&v("i")).modulo(&v("n"))), "2L * i % n");
        assert_eq!(text(&v("n").add(&v("m"))), "(long)m + n");
        assert_eq!(text(&v("i").mul(&v("i"))), "(long)i * i");
        let mut r = Ranges::default();
        r.insert("i".into(), c(0), c(46341));
        r.insert("j".into(), c(0), c(46341));
        r.insert("k".into(), c(i64::MIN), c(i64::MAX));
        let text = |n: &Nat| print(n, Width::Int, &r);
        // 46340 * 46340 is the largest square there is.
        assert_eq!(text(&v("i").mul(&v("j"))), "i * j");
        assert_eq!(text(&v("i").mul(&v("j")).add(&c(88_047))), "88047 + i * j");
        assert_eq!(text(&v("i").mul(&v("j")).add(&c(88_048))), "88048L + i * j");
        assert_eq!(text(&v("k").sub(&c(1)).modulo(&v("n"))), "floor_mod((long)k - 1, n)");
    }
}
