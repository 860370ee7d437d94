//! Sizes and indices as C expressions.
//!
//! A sum prints its constant first, then its terms by degree and coefficient, as the thesis's listings do:
//! `32 + i2 + 128 * i1`. Where products could leave 32 bits ([`Width::Long`]) loop variables are `long`, and a product
//! of sizes alone is widened.

use super::syntax::Expr;
use crate::lang::nat::{Atom, Monomial, Nat, NatVar, Ranges};
use num_traits::{Signed, ToPrimitive, Zero};

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
pub struct Variable {
    pub expr: Expr,
    /// Whether it is a `long`.
    pub long: bool,
}

/// How numbers print: the variables' names, the ranges that are known, and whether a division had to round down a
/// number that may be negative, for which C has no operator.
pub struct Printer<'a> {
    pub width: Width,
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
            let whole = self.typed(&Nat::from_terms(whole));
            return binary("+", whole, quotient);
        }
        let mut terms: Vec<_> = n.terms().iter().collect();
        let degree = |m: &Monomial| m.iter().map(|(_, e)| *e).sum::<i32>();
        terms.sort_by(|(a, c), (b, d)| {
            (c.is_negative(), degree(a), c.abs())
                .cmp(&(d.is_negative(), degree(b), d.abs()))
                .then_with(|| natural_order(a, b))
        });
        let mut sum: Option<Typed> = None;
        for (m, c) in terms {
            let term = self.product(m, c.abs().to_integer());
            sum = Some(match (sum, c.is_negative()) {
                (None, false) => term,
                (None, true) => (Expr::Unary("-", Box::new(term.0)), term.1),
                (Some(s), false) => binary("+", s, term),
                (Some(s), true) => binary("-", s, term),
            });
        }
        sum.unwrap_or_else(|| self.constant(0))
    }

    fn constant(&self, c: i128) -> Typed {
        let long = self.width == Width::Long && i32::try_from(c).is_err();
        if long { (Expr::int(format!("{c}L")), true) } else { (Expr::int(c), false) }
    }

    fn product(&mut self, m: &Monomial, c: i128) -> Typed {
        let mut factors: Vec<Typed> = vec![];
        // Sizes before loop variables.
        let is_loop = |a: &Atom| matches!(a, Atom::Var(NatVar::Named(x)) if self.ranges.contains(x));
        let (sizes, loops): (Vec<_>, Vec<_>) = m.iter().partition(|(a, _)| !is_loop(a));
        for (a, e) in sizes.into_iter().chain(loops) {
            let factor = self.atom(a);
            for _ in 0..*e {
                factors.push(factor.clone());
            }
        }
        if c != 1 || factors.is_empty() {
            factors.insert(0, self.constant(c));
        }
        // The first product must be of a long, lest it overflow before the others widen it.
        if self.width == Width::Long && factors.len() > 1 && !factors.iter().take(2).any(|(_, long)| *long) {
            match factors.iter().position(|(_, long)| *long) {
                Some(k) => {
                    let long = factors.remove(k);
                    factors.insert(usize::from(c != 1), long);
                }
                None => {
                    let first = factors.remove(0);
                    factors.insert(0, (first.0.cast("long"), true));
                }
            }
        }
        let mut factors = factors.into_iter();
        let first = factors.next().unwrap_or_else(|| (Expr::int(1), false));
        factors.fold(first, |a, b| binary("*", a, b))
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

fn binary(op: &'static str, a: Typed, b: Typed) -> Typed {
    (Expr::binary(op, a.0, b.0), a.1 || b.1)
}

/// By name, numbers in names by value: `i2` before `i10`.
fn natural_order(a: &Monomial, b: &Monomial) -> std::cmp::Ordering {
    let key = |m: &Monomial| -> Vec<(String, u64)> {
        m.iter()
            .map(|(a, _)| {
                let text = Nat::from_terms([(vec![(a.clone(), 1)], num_rational::Ratio::from_integer(1))])
                    .to_string();
                let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
                let number = digits.parse().unwrap_or(0);
                (text[..text.len() - digits.len()].to_string(), number)
            })
            .collect()
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

/// The greatest value of a number of bytes or elements that is known, if it is.
pub fn constant(n: &Nat) -> Option<u64> {
    n.as_constant().filter(|c| !c.is_zero() || n.is_zero()).and_then(|c| c.to_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(n: &Nat, width: Width, ranges: &Ranges) -> String {
        let variable = |v: &NatVar| {
            let name = v.to_string();
            Variable { long: width == Width::Long && name.starts_with('i'), expr: Expr::Name(name) }
        };
        Printer { width, ranges, variable: &variable, rounds_down: false }.number(n).to_string()
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
        assert_eq!(print(&n, Width::Int, &r), "32 + i9 + 32 * i1 + 1024 * i7 + 4096 * i4");
        let n = v("i2").add(&v("k").mul(&v("i0")));
        assert_eq!(print(&n, Width::Long, &r), "i2 + i0 * k");
        r.insert("i0".into(), c(0), v("n"));
        assert_eq!(print(&n, Width::Long, &r), "i2 + k * i0");
        assert_eq!(print(&v("n").mul(&v("m")), Width::Long, &r), "(long)m * n");
        assert_eq!(print(&c(2).mul(&v("n")).mul(&v("i")), Width::Long, &r), "2 * i * n");
        assert_eq!(print(&v("m").exact_div(&c(32)), Width::Int, &r), "m / 32");
        assert_eq!(print(&v("m").sub(&c(1)), Width::Int, &r), "m - 1");
        assert_eq!(print(&v("m").add(&c(1)).exact_div(&c(2)), Width::Int, &r), "(1 + m) / 2");
        assert_eq!(print(&v("n").exact_div(&v("m")).add(&c(3)), Width::Int, &r), "3 + n / m");
        r.insert("i".into(), c(0), c(9));
        assert_eq!(print(&v("i").sub(&c(1)).floor_div(&v("n")), Width::Int, &r), "floor_div(i - 1, n)");
        r.insert("i".into(), c(1), c(9));
        assert_eq!(print(&v("i").sub(&c(1)).floor_div(&v("n")), Width::Int, &r), "(i - 1) / n");
    }
}
