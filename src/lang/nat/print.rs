//! Sizes as text, in the notation that the parser reads back: `m/32`, `2*n + 3`, `m div 32`, `i % 4`.

use super::{Atom, Coefficient, Monomial, Nat, NatVar};
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
    fn level(&self) -> Level {
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

    fn write(&self, f: &mut fmt::Formatter<'_>, at: Level) -> fmt::Result {
        if self.level() < at {
            write!(f, "(")?;
            self.write(f, Level::Sum)?;
            return write!(f, ")");
        }
        if self.is_zero() {
            return write!(f, "0");
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
            write_term(f, m, &c.abs())?;
        }
        Ok(())
    }

    /// The text as it must stand where only an atom may: an array's size before its dot.
    pub fn as_atom_text(&self) -> String {
        struct AtAtom<'a>(&'a Nat);
        impl fmt::Display for AtAtom<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, Level::Atom)
            }
        }
        AtAtom(self).to_string()
    }
}

fn write_term(f: &mut fmt::Formatter<'_>, m: &Monomial, c: &Coefficient) -> fmt::Result {
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
            write_atom(f, a, if first { Level::Product } else { Level::Atom })?;
            first = false;
        }
    }
    if *c.denom() != 1 {
        write!(f, "/{}", c.denom())?;
    }
    for (a, e) in below {
        for _ in 0..e.unsigned_abs() {
            write!(f, "/")?;
            write_atom(f, a, Level::Atom)?;
        }
    }
    Ok(())
}

fn write_atom(f: &mut fmt::Formatter<'_>, a: &Atom, at: Level) -> fmt::Result {
    match a {
        Atom::Var(NatVar::Named(n)) => write!(f, "{n}"),
        Atom::Var(NatVar::Meta(i)) => write!(f, "?{i}"),
        Atom::Sum(s) => s.write(f, Level::Atom),
        Atom::Poison => write!(f, "<too large>"),
        Atom::Floor(x, y) | Atom::Mod(x, y) => {
            if at == Level::Atom {
                write!(f, "(")?;
            }
            x.write(f, Level::Atom)?;
            write!(f, "{}", if matches!(a, Atom::Floor(..)) { " div " } else { " % " })?;
            y.write(f, Level::Atom)?;
            if at == Level::Atom {
                write!(f, ")")?;
            }
            Ok(())
        }
    }
}

impl fmt::Display for Nat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Level::Sum)
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
            NatVar::Named(n) => write!(f, "{n}"),
            NatVar::Meta(i) => write!(f, "?{i}"),
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
    }
}
