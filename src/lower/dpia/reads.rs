//! How often a command reads each memory, as a number in sizes: what processors load, where a compiler keeps in a register what the
//! innermost loops around it do not change.

use super::Phrase;
use super::effects::{self, Around, Effect, Step};
use crate::lang::nat::{Name, Nat, NatVar};
use std::collections::BTreeMap;

/// Of each memory that is read, how many of its cells are, counted as often as they are.
pub fn of(command: &Phrase) -> BTreeMap<Name, Nat> {
    let mut out: BTreeMap<Name, Nat> = BTreeMap::new();
    for read in effects::of(command).iter().filter(|effect| !effect.writes) {
        let sum = out.entry(read.memory.clone()).or_insert_with(|| Nat::constant(0));
        *sum = sum.add(&times(read));
    }
    out
}

/// How often one use is met.
fn times(read: &Effect) -> Nat {
    let is_changed = |around: &&Around| !mentions(read, &around.var);
    // Those that change nothing of where it is, from the innermost out.
    let kept = read.loops.iter().rev().take_while(is_changed).count();
    let around = &read.loops[..read.loops.len() - kept];
    around.iter().fold(Nat::constant(1), |product, l| product.mul(&l.n.sub(&l.init).exact_div(&l.step)))
}

/// Does it depend on the loop's variable where it reads? What depends on data depends on every loop.
fn mentions(read: &Effect, var: &Name) -> bool {
    let is_it = |v: &NatVar| matches!(v, NatVar::Named(x) if x == var);
    read.place.steps.iter().any(|step| match step {
        Step::At(Some(index), _) => index.vars().iter().any(is_it),
        Step::At(None, _) => true,
        Step::First | Step::Second => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{LoopKind, PhraseType};
    use super::*;
    use crate::lang::ty::Type;

    /// `for i < n { for j < m { x = a[i] + b[j] } }`: a is read once for each i.
    #[test]
    fn what_inner_loops_do_not_change_is_read_once() {
        let (n, m) = (Nat::var("n"), Nat::var("m"));
        let read = |x: &str, i: &str, n: &Nat| {
            let memory = Phrase::var(&x.into(), PhraseType::read(Type::array(n.clone(), Type::f32())));
            Phrase::idx(Phrase::number(Nat::var(i), Type::index(n.clone())), memory)
        };
        let x = || Phrase::var(&"x".into(), PhraseType::Acc(Type::f32()));
        let both = Phrase::seq(vec![
            Phrase::assign(x(), read("a", "i", &n)),
            Phrase::assign(x(), read("b", "j", &m)),
        ]);
        let inner = Phrase::for_each(LoopKind::Sequential, "j".into(), m.clone(), both);
        let outer = Phrase::for_each(LoopKind::Sequential, "i".into(), n.clone(), inner);
        let reads: Vec<(String, Nat)> = of(&outer).into_iter().map(|(x, n)| (x.to_string(), n)).collect();
        assert_eq!(reads, [("a".to_owned(), n.clone()), ("b".to_owned(), n.mul(&m))]);
    }
}
