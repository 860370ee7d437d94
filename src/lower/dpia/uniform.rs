//! What may be different for the work-items of a group.
//!
//! In: a kernel whose loops are shared out. A value is the same for all work-items of a group if nothing in it tells which
//! work-item computes it: no number of a work-item or of its iteration, no choice made by such, and no memory of its own
//! that such a value was written to. What they share they find alike at the same place, since none of them writes it
//! meanwhile (the walk of [`super::barriers`] makes sure of that).

use super::barriers::is_local;
use super::effects::Place;
use super::{Kind, Phrase};
use crate::lang::nat::{Name, Nat, NatVar, Worker};
use std::collections::BTreeSet;

/// The names of numbers, and of a work-item's own memory, that may differ.
pub struct Varying {
    names: BTreeSet<Name>,
}

impl Varying {
    /// Those of a command; `is_shared` says which memory the work-items of a group share.
    pub fn of(c: &Phrase, is_shared: &dyn Fn(&Name) -> bool) -> Varying {
        let mut found = Varying { names: BTreeSet::new() };
        // What a loop writes its next iteration may read.
        loop {
            let before = found.names.len();
            found.command(c, false, is_shared);
            if found.names.len() == before {
                return found;
            }
        }
    }

    /// May the expression differ?
    pub fn has(&self, e: &Phrase) -> bool {
        e.any(&mut |p| match p.kind() {
            Kind::Number(n, _) => self.has_number(n),
            Kind::Var(x) => self.names.contains(x),
            _ => false,
        })
    }

    /// May the number differ? The named parts of it are asked for by themselves.
    pub fn has_number(&self, n: &Nat) -> bool {
        n.vars().iter().any(|v| match v {
            NatVar::Worker(w) => matches!(w, Worker::LocalId(_) | Worker::GlobalId(_)),
            NatVar::Named(x) => self.names.contains(x),
            NatVar::Meta(_) => true,
        })
    }

    /// `apart`: not all work-items of a group come by, or not equally often.
    fn command(&mut self, c: &Phrase, apart: bool, is_shared: &dyn Fn(&Name) -> bool) {
        match c.kind() {
            Kind::Assign(to, value) => {
                if let Some(memory) = Place::of(to).and_then(|place| place.memory)
                    && !is_shared(&memory)
                    && (apart || self.has(to) || self.has(value))
                {
                    self.names.insert(memory);
                }
            }
            Kind::For(l) => {
                let varies =
                    is_local(l.kind) || [&l.init, &l.n, &l.step].into_iter().any(|n| self.has_number(n));
                if varies {
                    self.names.insert(l.var.clone());
                }
                self.command(&l.body, apart || varies, is_shared);
            }
            Kind::If(condition, a, b) => {
                let apart = apart || self.has(condition);
                self.command(a, apart, is_shared);
                self.command(b, apart, is_shared);
            }
            Kind::New(_, _, _, body) => self.command(body, apart, is_shared),
            Kind::Seq(cs) => cs.iter().for_each(|c| self.command(c, apart, is_shared)),
            _ => {}
        }
    }
}
