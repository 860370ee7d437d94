//! About how much a command computes: operations and stores, as a number in sizes.
//!
//! It is an estimate: divisions of sizes leave nothing over, a loop whose length changes with a loop around it is as long
//! as it is on average, and of a choice each branch counts half. What only says where elements lie counts nothing.

use super::{Kind, Loop, Phrase};
use crate::lang::math;
use crate::lang::nat::{Atom, Nat, NatVar};
use crate::lang::pattern::Pattern;

/// What a function that processors have an instruction for counts, such as `sqrt`.
const INSTRUCTION: i64 = 10;

/// What a function that a library computes, such as `sin`, or one of the program's own counts: compilers make no vectors
/// of it.
const FUNCTION: i64 = 100;

/// The effort of all iterations of a loop.
pub fn of_loop(l: &Loop) -> Nat {
    let average = l.n.exact_div(&Nat::constant(2));
    let own = |v: &NatVar| matches!(v, NatVar::Named(x) if *x == l.var).then(|| average.clone());
    let count = l.n.sub(&l.init).exact_div(&l.step);
    roughly(&count).mul(&roughly(&of(&l.body).subst(&own)))
}

fn of(command: &Phrase) -> Nat {
    match command.kind() {
        Kind::For(l) => of_loop(l),
        Kind::Assign(_, value) => Nat::constant(1 + operations(value)),
        Kind::If(_, a, b) => of(a).add(&of(b)).exact_div(&Nat::constant(2)),
        Kind::Seq(_) | Kind::New(..) => {
            command.children().into_iter().fold(Nat::constant(0), |sum, c| sum.add(&of(c)))
        }
        _ => Nat::constant(0),
    }
}

fn operations(value: &Phrase) -> i64 {
    let own = match value.kind() {
        Kind::Pattern(Pattern::Idx, _, ps) => return ps.last().map_or(0, operations),
        Kind::Pattern(Pattern::Fst | Pattern::Snd | Pattern::NatAsIndex | Pattern::IndexAsNat, ..) => 0,
        Kind::Pattern(Pattern::Declared(_), ..) => FUNCTION,
        Kind::Pattern(
            Pattern::Sqrt | Pattern::Floor | Pattern::Ceil | Pattern::Round | Pattern::Trunc,
            ..,
        ) => INSTRUCTION,
        Kind::Pattern(p, ..) if math::of(*p).is_some() => FUNCTION,
        Kind::Pattern(..) => 1,
        _ => 0,
    };
    value.children().into_iter().fold(own, |sum, p| sum.saturating_add(operations(p)))
}

/// The number with nothing rounded.
fn roughly(n: &Nat) -> Nat {
    let mut sum = Nat::constant(0);
    for (monomial, c) in n.terms() {
        let mut product = Nat::rational(*c);
        for (atom, e) in monomial {
            let value = match atom {
                Atom::Floor(a, b) => roughly(a).exact_div(&roughly(b)),
                Atom::Mod(..) => Nat::constant(0),
                other => Nat::atom(other.clone()),
            };
            let power = value.pow(e.unsigned_abs());
            product = if *e > 0 { product.mul(&power) } else { product.exact_div(&power) };
        }
        sum = sum.add(&product);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::{LoopKind, PhraseType};
    use super::*;
    use crate::lang::literal::Literal;
    use crate::lang::ty::{Scalar, Type};

    /// Loops of these lengths in each other around one store; `i0` is the variable of the first.
    fn nest(lengths: &[Nat]) -> Nat {
        let x = Phrase::var(&"x".into(), PhraseType::Acc(Type::f32()));
        let store = Phrase::assign(x, Phrase::lit(Literal::float(1.0, Scalar::F32)));
        let all = lengths.iter().enumerate().rev().fold(store, |body, (k, n)| {
            Phrase::for_each(LoopKind::Sequential, format!("i{k}").into(), n.clone(), body)
        });
        of(&all)
    }

    #[test]
    fn iterations_multiply_and_what_divisions_leave_over_does_not_count() {
        let (n, m, c) = (Nat::var("n"), Nat::var("m"), Nat::constant);
        assert_eq!(nest(&[n.clone(), m.clone()]), n.mul(&m));
        assert_eq!(nest(&[n.floor_div(&c(32)), c(32)]), n);
        assert_eq!(nest(&[m.clone(), n.modulo(&c(32))]), c(0));
        // Half a square.
        assert_eq!(nest(&[n.clone(), Nat::var("i0")]), n.mul(&n).exact_div(&c(2)));
    }
}
