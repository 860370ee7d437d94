//! Sizes as text, in the notation that the parser reads back: `m/32`, `2*n + 3`, `m div 32`, `i % 4`.

use super::function::PARAMETER;
use super::{Atom, Coefficient, Monomial, Nat, NatFun, NatVar};
use num_traits::{One, Signed};
use std::fmt;

/// How tightly the printed text binds; a looser part needs parentheses in a tighter place.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Atom,
}

impl Nat {
    /// A sum of fractions as a sum over one number: `(n - 5)/2` rather than `n/2 - 5/2`.
    fn over_one_denominator(&self) -> Option<(Nat, i128)> {
        // What a function takes is divided with rounding.
        if NatFun::is_inside(self) {
            return None;
        }
        let fraction = self.terms().iter().any(|(m, c)| m.is_empty() && !c.is_integer());
        if !fraction || self.terms().len() < 2 {
            return None;
        }
        let common = self.terms().iter().try_fold(1i128, |d, (_, c)| {
            // What is still missing of this denominator is that of their quotient.
            let d = d.checked_mul(*Coefficient::new(d, *c.denom()).denom())?;
            (d < 1 << 62).then_some(d)
        })?;
        let above = self.mul(&Nat::constant(i64::try_from(common).ok()?));
        let whole = above.terms().iter().all(|(_, c)| c.is_integer()) && !above.is_poison();
        whole.then_some((above, common))
    }

    fn level(&self) -> Level {
        if self.over_one_denominator().is_some() {
            return Level::Product;
        }
        match self.terms() {
            [] => Level::Atom,
            [(m, c)] => match (m.as_slice(), c.is_integer(), c.is_negative()) {
                (_, _, true) => Level::Sum,
                ([], true, _) => Level::Atom,
                ([(Atom::Var(_), 1)], true, _) if c.is_one() => Level::Atom,
                _ => Level::Product,
            },
            _ => Level::Sum,
        }
    }

    /// `parameter` is the name of what a function takes.
    fn write(&self, f: &mut fmt::Formatter<'_>, at: Level, parameter: &str) -> fmt::Result {
        if self.level() < at {
            write!(f, "(")?;
            self.write(f, Level::Sum, parameter)?;
            return write!(f, ")");
        }
        if self.is_zero() {
            return write!(f, "0");
        }
        if let Some((above, common)) = self.over_one_denominator() {
            above.write(f, Level::Atom, parameter)?;
            return write!(f, "/{common}");
        }
        // Variables first and constants last, as sizes are written by hand.
        let (positive, negative): (Vec<_>, Vec<_>) =
            self.terms().iter().rev().partition(|(_, c)| c.is_positive());
        for (i, (m, c)) in positive.iter().chain(negative.iter()).enumerate() {
            match (i, c.is_negative()) {
                (0, true) => write!(f, "-")?,
                (0, false) => {}
                (_, true) => write!(f, " - ")?,
                (_, false) => write!(f, " + ")?,
            }
            write_term(f, m, &c.abs(), i == 0 && c.is_negative(), parameter)?;
        }
        Ok(())
    }

    /// The text as it must stand where only an atom may: an array's size before its dot.
    pub fn as_atom_text(&self) -> String {
        struct AtAtom<'a>(&'a Nat);
        impl fmt::Display for AtAtom<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, Level::Atom, PARAMETER)
            }
        }
        AtAtom(self).to_string()
    }

    /// The text of a function's body, in which the parameter has this name.
    pub(super) fn write_body(&self, f: &mut fmt::Formatter<'_>, parameter: &str) -> fmt::Result {
        self.write(f, Level::Sum, parameter)
    }
}

/// `negated`: it stands behind a minus, which binds more tightly than `%` and `div`.
fn write_term(
    f: &mut fmt::Formatter<'_>,
    m: &Monomial,
    c: &Coefficient,
    negated: bool,
    parameter: &str,
) -> fmt::Result {
    let whole = c.is_integer() && m.iter().all(|(_, e)| *e > 0);
    let (inside, outside): (Monomial, Monomial) = m.iter().cloned().partition(|(a, _)| is_inside(a));
    if !whole && !inside.is_empty() {
        // `i*n/s` would divide what the function takes, and round.
        write!(f, "(")?;
        write_term(f, &outside, c, false, parameter)?;
        write!(f, ")*")?;
        return write_factors(f, &inside, parameter);
    }
    let above: Vec<_> = m.iter().filter(|(_, e)| *e > 0).collect();
    let below: Vec<_> = m.iter().filter(|(_, e)| *e < 0).collect();
    let mut first = true;
    if *c.numer() != 1 || above.is_empty() {
        write!(f, "{}", c.numer())?;
        first = false;
    }
    for (a, e) in above {
        for _ in 0..*e {
            if !first {
                write!(f, "*")?;
            }
            // `a div b` is as loose as `*`, so only the first factor may stand bare.
            write_atom(f, a, if first && !negated { Level::Product } else { Level::Atom }, parameter)?;
            first = false;
        }
    }
    if *c.denom() != 1 {
        write!(f, "/{}", c.denom())?;
    }
    for (a, e) in below {
        for _ in 0..e.unsigned_abs() {
            write!(f, "/")?;
            write_atom(f, a, Level::Atom, parameter)?;
        }
    }
    Ok(())
}

fn is_inside(a: &Atom) -> bool {
    NatFun::is_inside(&Nat::atom(a.clone()))
}

/// Factors behind others.
fn write_factors(f: &mut fmt::Formatter<'_>, m: &Monomial, parameter: &str) -> fmt::Result {
    let mut symbol = "";
    for (a, e) in m.iter().filter(|(_, e)| *e > 0).chain(m.iter().filter(|(_, e)| *e < 0)) {
        for _ in 0..e.unsigned_abs() {
            write!(f, "{}", if *e < 0 { "/" } else { symbol })?;
            write_atom(f, a, Level::Atom, parameter)?;
            symbol = "*";
        }
    }
    Ok(())
}

fn write_atom(f: &mut fmt::Formatter<'_>, a: &Atom, at: Level, parameter: &str) -> fmt::Result {
    match a {
        Atom::Var(NatVar::Named(n)) if &**n == PARAMETER => write!(f, "{parameter}"),
        Atom::Var(NatVar::Named(n)) => write!(f, "{}", n.strip_prefix('%').unwrap_or(n)),
        Atom::Var(v @ (NatVar::Meta(_) | NatVar::Worker(_))) => write!(f, "{v}"),
        Atom::Sum(s) => s.write(f, Level::Atom, parameter),
        Atom::Poison => write!(f, "<too large>"),
        Atom::Floor(x, y) | Atom::Mod(x, y) => {
            if at == Level::Atom {
                write!(f, "(")?;
            }
            x.write(f, Level::Atom, parameter)?;
            write!(f, "{}", if matches!(a, Atom::Floor(..)) { " div " } else { " % " })?;
            y.write(f, Level::Atom, parameter)?;
            if at == Level::Atom {
                write!(f, ")")?;
            }
            Ok(())
        }
    }
}

impl fmt::Display for Nat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Level::Sum, PARAMETER)
    }
}

impl fmt::Debug for Nat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for NatVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Sizes of steps have names that cannot be written.
            NatVar::Named(n) => write!(f, "{}", n.strip_prefix('%').unwrap_or(n)),
            NatVar::Meta(i) => write!(f, "?{i}"),
            NatVar::Worker(w) => write!(f, "{w}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Nat;

    #[test]
    fn prints_as_written() {
        let (m, n) = (Nat::var("m"), Nat::var("n"));
        let c = Nat::constant;
        assert_eq!(m.exact_div(&c(32)).to_string(), "m/32");
        assert_eq!(m.exact_div(&c(32)).as_atom_text(), "(m/32)");
        assert_eq!(c(2).mul(&n).add(&c(3)).sub(&m).to_string(), "2*n + 3 - m");
        assert_eq!(m.floor_div(&c(4)).mul(&n).to_string(), "m div 4*n".replace("m div 4*n", "n*(m div 4)"));
        assert_eq!(m.mul(&m).to_string(), "m*m");
        assert_eq!(c(0).to_string(), "0");
        assert_eq!(m.exact_div(&n.add(&c(1))).to_string(), "m/(n + 1)");
        assert_eq!(n.sub(&c(5)).exact_div(&c(2)).to_string(), "(n - 5)/2");
        assert_eq!(m.sub(&n.modulo(&c(3))).sub(&m).to_string(), "-(n % 3)");
    }
}
