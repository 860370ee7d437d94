//! What the code of a program does, in numbers that say how long it takes at least: a roofline whose roofs are the best rates
//! that any of several programs reached. Nothing else is learned, so that all of it can be shown.

use super::action::{Sizes, Target};
use super::costs::{phrases, read_of};
use crate::emit::Language;
use crate::emit::Stage;
use crate::emit::module::{Module, Role};
use crate::lang::nat::Nat;
use crate::lang::pattern::AddressSpace;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeKind};
use crate::lang::work;
use crate::lower::dpia::{Kind, Phrase};
use crate::lower::target::Storage;

/// What one run of a program does. Sizes without a value count as 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Amounts {
    /// Operations on numbers, as often as this very term computes them.
    pub operations: f64,
    /// Bytes of inputs and outputs, each once, and of what is stored between, written and read.
    pub moved: f64,
    /// Bytes that the code reads of its inputs, as often as it does; of C alone: work-items of a group read together.
    pub read: Option<f64>,
    /// Bytes of local memory of a work-group, of the kernel that takes most.
    pub local: u64,
    /// Bytes of what a thread or work-item keeps for itself at once: what does not fit its registers goes to memory.
    pub private: u64,
    /// Lanes of the widest vector that the program says.
    pub lanes: u64,
}

/// What bounds a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Operations,
    Moved,
    Read,
}

/// The most of each that any of several programs did in a nanosecond.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Rates {
    pub operations: f64,
    pub moved: f64,
    pub read: f64,
}

impl Amounts {
    /// Of a program, and what was made of it on the way to its code.
    pub fn of(term: &Term, (module, stages): (&Module, &[Stage]), target: Target, sizes: &Sizes) -> Amounts {
        let value = |n: &Nat| {
            let value = n.eval(&|name| Some(sizes.get(name).copied().unwrap_or(1))).unwrap_or(0);
            u64::try_from(value).unwrap_or(0)
        };
        let bytes =
            |buffer: &crate::emit::module::Buffer| value(&buffer.len) as f64 * buffer.scalar.bytes() as f64;
        let work = work::of(term, sizes);
        let stored: f64 = module.buffers.iter().filter(|b| b.role == Role::Temp).map(bytes).sum();
        let inputs: Vec<_> = module.buffers.iter().filter(|b| matches!(b.role, Role::Input(_))).collect();
        let read = || {
            let names: Vec<&str> = inputs.iter().map(|b| &*b.name).collect();
            let read = read_of(&names, stages, sizes);
            inputs.iter().map(|b| read.get(&b.name).copied().unwrap_or(0.0) * b.scalar.bytes() as f64).sum()
        };
        let local = module.kernels(Language::OpenCl).map(|k| value(&k.local_bytes()));
        let lanes = term.positions().into_iter().filter_map(|(_, t)| widest(t.ty())).max();
        Amounts {
            operations: work.flops + work.integer_operations,
            moved: work.bytes + 2.0 * stored,
            read: (target == Target::C).then(read),
            local: local.max().unwrap_or(0),
            private: phrases(stages).iter().map(|(_, command)| private(command, &value)).max().unwrap_or(0),
            lanes: lanes.unwrap_or(1),
        }
    }
}

/// What is kept in private memory where most of it is at once.
fn private(command: &Phrase, value: &dyn Fn(&Nat) -> u64) -> u64 {
    let own = match command.kind() {
        Kind::New(Storage::Register | Storage::Stack | Storage::Private, ty, ..) => bytes_of(ty, value),
        Kind::New(Storage::Asked(AddressSpace::Private), ty, ..) => bytes_of(ty, value),
        _ => 0,
    };
    let inside = command.children().into_iter().map(|part| private(part, value)).max();
    own.saturating_add(inside.unwrap_or(0))
}

fn bytes_of(t: &Type, value: &dyn Fn(&Nat) -> u64) -> u64 {
    match t.kind() {
        TypeKind::Vector(n, t) | TypeKind::Array(n, t) => value(n).saturating_mul(bytes_of(t, value)),
        TypeKind::Pair(a, b) => bytes_of(a, value).saturating_add(bytes_of(b, value)),
        _ => t.in_memory().map_or(0, |scalar| scalar.bytes() as u64),
    }
}

fn widest(t: &Type) -> Option<u64> {
    match t.kind() {
        TypeKind::Vector(n, _) => n.as_constant().and_then(|n| u64::try_from(n).ok()),
        TypeKind::Array(_, t) => widest(t),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => widest(a).max(widest(b)),
        _ => None,
    }
}

impl Rates {
    /// The best of programs that took so many nanoseconds.
    pub fn of<'a>(measured: impl Iterator<Item = (&'a Amounts, f64)>) -> Rates {
        measured.filter(|(_, ns)| *ns > 0.0).fold(Rates::default(), |best, (amounts, ns)| Rates {
            operations: best.operations.max(amounts.operations / ns),
            moved: best.moved.max(amounts.moved / ns),
            read: best.read.max(amounts.read.unwrap_or(0.0) / ns),
        })
    }

    /// How long each part of a program takes at these rates, in nanoseconds, the longest first.
    pub fn parts(&self, amounts: &Amounts) -> Vec<(Bound, f64)> {
        let of = |amount: f64, rate: f64| if rate > 0.0 { amount / rate } else { 0.0 };
        let mut all = vec![
            (Bound::Operations, of(amounts.operations, self.operations)),
            (Bound::Moved, of(amounts.moved, self.moved)),
        ];
        all.extend(amounts.read.map(|read| (Bound::Read, of(read, self.read))));
        all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        all
    }

    /// The least time that a program takes at these rates, in nanoseconds, and what bounds it.
    pub fn least(&self, amounts: &Amounts) -> Option<(Bound, f64)> {
        self.parts(amounts).into_iter().next().filter(|(_, ns)| *ns > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_takes_as_long_as_its_longest_part_at_the_best_rates() {
        let amounts =
            |operations, moved, read| Amounts { operations, moved, read, local: 0, private: 0, lanes: 1 };
        let (computes, moves) = (amounts(1000.0, 10.0, Some(40.0)), amounts(10.0, 300.0, Some(400.0)));
        let rates = Rates::of([(&computes, 100.0), (&moves, 100.0)].into_iter());
        assert_eq!(rates, Rates { operations: 10.0, moved: 3.0, read: 4.0 });
        assert_eq!(rates.least(&computes), Some((Bound::Operations, 100.0)));
        let (bound, ns) = rates.least(&amounts(500.0, 600.0, None)).unwrap();
        assert_eq!((bound, ns), (Bound::Moved, 200.0));
        assert_eq!(rates.parts(&moves).last(), Some(&(Bound::Operations, 1.0)));
        assert_eq!(Rates::default().least(&moves), None);
    }
}
