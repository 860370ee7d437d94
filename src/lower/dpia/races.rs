//! May the iterations of loops run at once? What an iteration writes must be its own: memory that is allocated in it, or
//! cells whose address tells the number of the iteration. No other iteration may read them.
//!
//! In: an imperative program whose views are resolved. That 𝒜 writes every cell once makes its loops so; the check holds
//! passes to it. Addresses that depend on data (`scatter` is promised indices that differ) or that keep divisions are
//! believed.

use super::address::{self, Address};
use super::{Kind, LoopKind, Phrase, PhraseType, Workers};
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use std::collections::BTreeMap;

/// # Errors
/// A sentence that names the loop and the memory.
pub fn check(p: &Phrase) -> Result<(), String> {
    command(p, &mut Ranges::default())
}

fn command(p: &Phrase, ranges: &mut Ranges) -> Result<(), String> {
    match p.kind() {
        Kind::For(l) => {
            ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
            let at_once = match l.kind {
                LoopKind::Parallel(Workers::Threads) | LoopKind::Lanes => true,
                // Once they are shared out, a work-item runs its iterations in order.
                LoopKind::Parallel(_) => l.init.is_zero(),
                LoopKind::Sequential | LoopKind::Unrolled => false,
            };
            let several = l.n.as_constant().is_none_or(|n| n > 1);
            let result = if at_once && several { iterations(&l.var, &l.n, &l.body, ranges) } else { Ok(()) };
            let result = result.and_then(|()| command(&l.body, ranges));
            ranges.remove(&l.var);
            result
        }
        Kind::Seq(_) | Kind::New(..) | Kind::If(..) => {
            p.children().into_iter().try_for_each(|c| command(c, ranges))
        }
        _ => Ok(()),
    }
}

/// A component of memory: its name, and the projections that lead to it.
type Component = (Name, Vec<bool>);

/// The address of a cell within its component.
struct Use {
    address: Nat,
    writes: bool,
    is_computed: bool,
}

fn iterations(var: &Name, n: &Nat, body: &Phrase, ranges: &Ranges) -> Result<(), String> {
    let mut found =
        Uses { ranges: ranges.clone(), own: vec![], inner: vec![], once: vec![], of: BTreeMap::new() };
    found.collect(body);
    for ((memory, _), uses) in &found.of {
        let is_shared = !found.own.contains(memory) && uses.iter().any(|u| u.writes);
        if is_shared && !uses.iter().any(|u| u.is_computed) && !are_apart(var, n, uses, &found) {
            return Err(format!("iterations over {var} write or read the same cells of `{memory}` at once"));
        }
    }
    Ok(())
}

/// Do the addresses that one iteration uses differ from those of every other one?
fn are_apart(var: &Name, n: &Nat, uses: &[Use], found: &Uses) -> bool {
    let mut ranges = found.ranges.clone();
    let mut addresses: Vec<Nat> = uses.iter().map(|u| u.address.simplify(&ranges)).collect();
    // A variable that is divided becomes the two variables that division tells apart.
    let mut parts: Vec<(Name, Nat)> = vec![(var.clone(), n.clone())];
    let mut k = 0;
    while let Some((x, n)) = parts.get(k).cloned() {
        let Some(d) = addresses.iter().find_map(|a| a.divisor_of(&x)) else {
            k += 1;
            continue;
        };
        if parts.len() > MAX_PARTS {
            return true;
        }
        let (high, low): (Name, Name) = (format!("{x}'").into(), format!("{x}\"").into());
        let quotient = n.exact_div(&d);
        ranges.insert(high.clone(), Nat::constant(0), quotient.clone());
        ranges.insert(low.clone(), Nat::constant(0), d.clone());
        let (v, value) = (NatVar::Named(x), d.mul(&Nat::var(&high)).add(&Nat::var(&low)));
        let replace = |a: &Nat| a.subst(&|y| (*y == v).then(|| value.clone())).simplify(&ranges);
        addresses = addresses.iter().map(replace).collect();
        parts.splice(k..=k, [(high, quotient), (low, d)]);
    }
    if addresses.iter().any(Nat::has_division) {
        return true;
    }
    // What is written from its end is told apart as from its start.
    let minus = Nat::constant(-1);
    for (x, n) in &parts {
        let step = addresses.first().and_then(|a| step_of(a, x));
        if step.is_some_and(|s| s.mul(&minus).sub(&Nat::constant(1)).is_natural(&ranges)) {
            let v = NatVar::Named(x.clone());
            let mirrored = n.sub(&Nat::constant(1)).sub(&Nat::variable(v.clone()));
            addresses = addresses.iter().map(|a| a.subst(&|y| (*y == v).then(|| mirrored.clone()))).collect();
        }
    }
    // Where the memory's part begins that the loop works on is the same for all iterations.
    let varies = |x: &Name| parts.iter().any(|(y, _)| x == y) || found.inner.contains(x);
    let varying = |v: &NatVar| matches!(v, NatVar::Named(x) if varies(x));
    if let Some(start) = addresses.first().map(|a| a.subst(&|v| varying(v).then(|| Nat::constant(0)))) {
        addresses = addresses.iter().map(|a| a.sub(&start)).collect();
    }
    parts.iter().all(|(x, n)| {
        let Some(step) = addresses.first().and_then(|a| step_of(a, x)) else { return false };
        step.sub(&Nat::constant(1)).is_natural(&ranges)
            && addresses.iter().all(|a| {
                let digit = a.floor_div(&step).simplify(&ranges);
                let v = NatVar::Named(x.clone());
                digit.as_variable() == Some(&v) || digit.modulo(n).simplify(&ranges).as_variable() == Some(&v)
            })
    })
}

/// More divisions than this are not followed.
const MAX_PARTS: usize = 8;

/// By how much the number grows from one value of the variable to the next, when that is always the same.
fn step_of(n: &Nat, x: &Name) -> Option<Nat> {
    let v = NatVar::Named(x.clone());
    let next = n.subst(&|y| (*y == v).then(|| Nat::variable(v.clone()).add(&Nat::constant(1))));
    let step = next.sub(n);
    (!step.vars().contains(&v)).then_some(step)
}

/// What a command uses and allocates, and the ranges of its loops.
struct Uses {
    ranges: Ranges,
    own: Vec<Name>,
    /// Variables of loops within the iteration.
    inner: Vec<Name>,
    /// Variables of loops with one iteration: they are zero.
    once: Vec<Name>,
    of: BTreeMap<Component, Vec<Use>>,
}

impl Uses {
    fn collect(&mut self, p: &Phrase) {
        match p.kind() {
            Kind::New(_, _, x, _) => self.own.push(x.clone()),
            Kind::For(l) if l.n == Nat::constant(1) => self.once.push(l.var.clone()),
            Kind::For(l) => {
                self.inner.push(l.var.clone());
                self.ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
            }
            _ => {}
        }
        let writes = matches!(p.ty(), PhraseType::Acc(_));
        let Some(Address { memory: Some(memory), component, offset, computed }) = address::of(p) else {
            p.children().into_iter().for_each(|c| self.collect(c));
            return;
        };
        let is_once = |v: &NatVar| matches!(v, NatVar::Named(x) if self.once.contains(x));
        let address = offset.subst(&|v| is_once(v).then(|| Nat::constant(0)));
        computed.iter().for_each(|i| self.collect(i));
        let found = Use { address, writes, is_computed: !computed.is_empty() };
        self.of.entry((memory, component)).or_default().push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::ty::Type;

    fn at(n: &Nat, bound: i64) -> Phrase {
        Phrase::number(n.clone(), Type::index(Nat::constant(bound)))
    }

    /// A loop over 8 iterations of the kind, which stores what it finds at `from(i)` of `x` at `to(i)` of `x`.
    fn moves(kind: LoopKind, from: impl Fn(&Nat) -> Nat, to: impl Fn(&Nat) -> Nat) -> Phrase {
        let (i, x): (Name, Name) = ("i".into(), "x".into());
        let var = Nat::var(&i);
        let array = Type::array(Nat::constant(32), Type::f32());
        let read = Phrase::idx(at(&from(&var), 32), Phrase::var(&x, PhraseType::read(array.clone())));
        let write = Phrase::idx_acc(at(&to(&var), 32), Phrase::var(&x, PhraseType::Acc(array)));
        Phrase::for_each(kind, i, Nat::constant(8), Phrase::assign(write, read))
    }

    const PARALLEL: LoopKind = LoopKind::Parallel(Workers::Threads);

    #[test]
    fn cells_of_an_iteration_are_its_own() {
        let c = Nat::constant;
        assert!(check(&moves(PARALLEL, Nat::clone, Nat::clone)).is_ok());
        assert!(check(&moves(PARALLEL, |i| i.mul(&c(4)).add(&c(3)), |i| i.mul(&c(4)))).is_ok());
        assert!(check(&moves(PARALLEL, |i| i.add(&c(8)), |i| i.add(&c(16)))).is_ok());
    }

    #[test]
    fn what_iterations_share_is_refused() {
        let c = Nat::constant;
        for kind in [PARALLEL, LoopKind::Lanes, LoopKind::Parallel(Workers::Global(0))] {
            // One cell for all, a neighbour's cell, and blocks that overlap.
            let why = check(&moves(kind, Nat::clone, |_| c(3))).unwrap_err();
            assert!(why.contains("`x`") && why.contains("over i"), "{why}");
            assert!(check(&moves(kind, |i| i.add(&c(1)), Nat::clone)).is_err());
            assert!(check(&moves(kind, |i| i.mul(&c(2)).add(&c(2)), |i| i.mul(&c(2)))).is_err());
        }
        assert!(check(&moves(LoopKind::Sequential, |i| i.add(&c(1)), |_| c(3))).is_ok());
    }

    #[test]
    fn iterations_of_an_outer_loop_do_not_matter() {
        let (i, o) = (Nat::var("i"), Nat::var("o"));
        let inner = moves(PARALLEL, |i| i.add(&o), |i| i.add(&o));
        let outer = Phrase::for_each(LoopKind::Sequential, "o".into(), Nat::constant(5), inner);
        assert!(check(&outer).is_ok());
        let mirrored = Nat::constant(7).sub(&i);
        assert!(check(&moves(PARALLEL, |_| mirrored.clone(), |_| mirrored.clone())).is_ok());
        assert!(check(&moves(PARALLEL, |_| mirrored.clone(), Nat::clone)).is_err());
        // Divided, and put together again in another order.
        let swapped = i.modulo(&Nat::constant(4)).mul(&Nat::constant(2)).add(&i.floor_div(&Nat::constant(4)));
        assert!(check(&moves(PARALLEL, |_| swapped.clone(), |_| swapped.clone())).is_ok());
    }

    #[test]
    fn memory_of_an_iteration_is_its_own() {
        let inner = moves(LoopKind::Sequential, |i| i.clone(), |_| Nat::constant(3));
        let array = Type::array(Nat::constant(32), Type::f32());
        let space = crate::lang::pattern::AddressSpace::Private;
        let own = Phrase::new_in(space, array.clone(), "x".into(), inner.clone());
        let n = Nat::constant(4);
        assert!(check(&Phrase::for_each(PARALLEL, "j".into(), n.clone(), own)).is_ok());
        let shared = Phrase::for_each(PARALLEL, "j".into(), n, inner);
        assert!(check(&Phrase::new_in(space, array, "x".into(), shared)).is_err());
    }
}
