//! What stands at the root of a term: a rule of which that is known needs no try on other terms, nor do traversals look for it
//! in terms without a part like that.

use super::pattern::{self, Pattern};
use super::term::{Expr, Term};

/// What is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    Pattern(Pattern),
    Lambda,
    Variable,
    Literal,
}

/// What is applied, and to how many arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    pub head: Head,
    pub args: usize,
}

/// Some roots, of which several may be one bit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Roots(u64);

impl Root {
    pub const fn pattern(pattern: Pattern, args: usize) -> Root {
        Root { head: Head::Pattern(pattern), args }
    }

    pub fn of(t: &Term) -> Root {
        Root::of_expr(t.expr())
    }

    pub fn of_expr(expr: &Expr) -> Root {
        let (mut expr, mut args) = (expr, 0);
        let head = loop {
            match expr {
                Expr::App(f, _) => (expr, args) = (f.expr(), args + 1),
                Expr::Prim(p) => break Head::Pattern(p.pattern),
                Expr::Lam(..) => break Head::Lambda,
                Expr::Var(_) => break Head::Variable,
                Expr::Lit(_) => break Head::Literal,
            }
        };
        Root { head, args }
    }
}

impl Roots {
    #[must_use]
    pub fn and(self, other: Roots) -> Roots {
        Roots(self.0 | other.0)
    }

    /// Is none of these among the others? That one is may be said where none is.
    pub fn has_none_of(self, others: Roots) -> bool {
        self.0 & others.0 == 0
    }
}

impl From<Root> for Roots {
    fn from(root: Root) -> Roots {
        let head = match root.head {
            Head::Lambda => 0,
            Head::Variable => 1,
            Head::Literal => 2,
            Head::Pattern(p) => 3 + pattern::number(p).map_or(0, |n| n + 1),
        };
        // Neighbours in the table, with as many arguments as they take, are told apart.
        Roots(1 << ((head + 29 * root.args) % 64))
    }
}

impl FromIterator<Root> for Roots {
    fn from_iter<I: IntoIterator<Item = Root>>(roots: I) -> Roots {
        roots.into_iter().fold(Roots::default(), |all, root| all.and(root.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build as b;
    use crate::ty::Type;

    #[test]
    fn a_term_has_the_roots_of_all_of_its_parts() {
        let rows = Type::array(crate::nat::Nat::var("n"), Type::f32());
        let negated = b::lam("x", Type::f32(), |x| b::apply(Pattern::Neg, vec![], vec![x])).unwrap();
        let t = b::map(negated, Term::var(0, rows)).unwrap();
        let parts = t.positions().into_iter().map(|(_, part)| Root::of(part));
        assert_eq!(t.roots(), parts.collect::<Roots>());
        let roots = |root: Root| Roots::from(root);
        assert_eq!(Root::of(&t), Root::pattern(Pattern::Map, 2));
        assert!(!t.roots().has_none_of(roots(Root::pattern(Pattern::Neg, 1))));
        assert!(t.roots().has_none_of(roots(Root::pattern(Pattern::Reduce, 3))));
        assert!(t.roots().has_none_of(roots(Root { head: Head::Lambda, args: 1 })));
    }
}
