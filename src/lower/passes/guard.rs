//! What a work-group writes outside its `mapLocal`s is written by one of its work-items: it becomes a loop of one
//! iteration that is shared out as the others are. What only the translation copies, as accumulators, all work-items copy
//! together. What is private is computed by every work-item for itself.

use crate::dpia::effects::{self, Place};
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Workers, barriers, races};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat};
use std::collections::{BTreeMap, BTreeSet};

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    if !barriers::has_groups(&p.body) {
        return Ok(p);
    }
    let dimensions = barriers::dimensions(&p);
    let mut shared: Vec<Name> = p.shared().map(|(x, _)| x.clone()).collect();
    let mut guard = Guard { names, shared: &mut shared, private: vec![], constraints: &p.constraints };
    p.body = guard.command(&p.body, &dimensions);
    Ok(p)
}

struct Guard<'a> {
    names: &'a mut Names,
    /// Memory that the work-items of a group share.
    shared: &'a mut Vec<Name>,
    /// Memory of which each work-item has its own.
    private: Vec<Name>,
    /// What holds of the sizes.
    constraints: &'a [SizeConstraint],
}

impl Guard<'_> {
    /// `left`: the dimensions of work-items that are not shared out around the command.
    fn command(&mut self, c: &Phrase, left: &BTreeSet<u8>) -> Phrase {
        if let Kind::New(storage, _, x, _) = c.kind() {
            let memory = if storage.is_shared() { &mut *self.shared } else { &mut self.private };
            memory.push(x.clone());
        }
        if !self.writes(c, left) {
            return c.clone();
        }
        if self.is_for_one(c, left) {
            return self.by_all(c, left).unwrap_or_else(|| self.by_one(c.clone(), left));
        }
        match c.kind() {
            Kind::Seq(cs) => {
                let (mut out, mut run) = (vec![], vec![]);
                for c in cs {
                    let is_for_one = self.writes(c, left) && self.is_for_one(c, left);
                    let by_all = if is_for_one { self.by_all(c, left) } else { None };
                    if is_for_one && by_all.is_none() {
                        run.push(c.clone());
                        continue;
                    }
                    if !run.is_empty() {
                        out.push(self.by_one(Phrase::seq(std::mem::take(&mut run)), left));
                    }
                    out.push(by_all.unwrap_or_else(|| self.command(c, left)));
                }
                if !run.is_empty() {
                    out.push(self.by_one(Phrase::seq(run), left));
                }
                Phrase::seq(out)
            }
            Kind::For(l) => {
                let mut left = left.clone();
                if let LoopKind::Parallel(Workers::Local(d)) = l.kind {
                    left.remove(&d);
                }
                let mut l = (**l).clone();
                l.body = self.command(&l.body, &left);
                Phrase::for_loop(l)
            }
            _ => {
                let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(self.command(d, left)));
                c
            }
        }
    }

    /// Is there a write to shared memory that is not shared out?
    fn writes(&self, c: &Phrase, left: &BTreeSet<u8>) -> bool {
        let own = allocated(c);
        let is_shared = |x: &Name| self.shared.contains(x) || own.iter().any(|(y, shared)| x == y && *shared);
        effects::of(c).iter().any(|e| {
            let shared_out =
                |d: &u8| e.loops.iter().any(|l| l.kind == LoopKind::Parallel(Workers::Local(*d)));
            e.writes && is_shared(&e.memory) && !left.iter().all(shared_out)
        })
    }

    /// May one work-item do all of it? What others need for themselves, and what is shared out, it may not.
    fn is_for_one(&self, c: &Phrase, left: &BTreeSet<u8>) -> bool {
        let shares_out = c.any(&mut |p| match p.kind() {
            Kind::For(l) => match l.kind {
                LoopKind::Parallel(Workers::Local(d)) => left.contains(&d),
                LoopKind::Parallel(_) => true,
                _ => false,
            },
            _ => false,
        });
        let own = allocated(c);
        let is_ours = |x: &Name| self.shared.contains(x) || own.iter().any(|(y, _)| x == y);
        c.ty() == &crate::dpia::PhraseType::Comm
            && !shares_out
            && effects::of(c).iter().all(|e| !e.writes || is_ours(&e.memory))
    }

    /// The command with its loops shared out to the work-items of a group, if it copies an array for nobody's but the
    /// translation's sake: the longest loop, and of those the innermost, to dimension 0 or the first that is left.
    fn by_all(&mut self, c: &Phrase, left: &BTreeSet<u8>) -> Option<Phrase> {
        let mut loops: Vec<&Loop> = vec![];
        let mut inner = c;
        while let Kind::For(l) = inner.kind() {
            loops.push(l);
            inner = &l.body;
        }
        let is_copy = |l: &&Loop| l.kind == LoopKind::Sequential && self.names.is_of_copy(&l.var);
        if loops.is_empty() || !loops.iter().all(is_copy) || !self.is_of_cells(inner) {
            return None;
        }
        let mut longest: Vec<usize> = (0..loops.len()).collect();
        longest.sort_by_key(|k| std::cmp::Reverse((loops[*k].n.as_constant().unwrap_or(i64::MAX), *k)));
        let shared: BTreeMap<usize, u8> = longest.into_iter().zip(left.iter().copied()).collect();
        let kind = |k: usize| {
            shared.get(&k).map_or(LoopKind::Sequential, |d| LoopKind::Parallel(Workers::Local(*d)))
        };
        let whole = loops.iter().enumerate().rev().fold(inner.clone(), |body, (k, l)| {
            Phrase::for_loop(Loop { kind: kind(k), body, ..(*l).clone() })
        });
        let checked = races::check(&whole, self.constraints, &mut races::Known::default());
        let is_proved = checked.is_ok_and(|c| c.values().all(Option::is_none));
        let others = left.iter().copied().filter(|d| !shared.values().any(|e| e == d)).collect();
        is_proved.then(|| self.by_one(whole, &others))
    }

    /// Does it copy cells, and none of which each work-item has its own, that may be in registers?
    fn is_of_cells(&self, c: &Phrase) -> bool {
        let is_cell = |p: &Phrase| {
            Place::of(p).and_then(|place| place.memory).is_some_and(|x| !self.private.contains(&x))
        };
        match c.kind() {
            Kind::Seq(cs) => cs.iter().all(|c| self.is_of_cells(c)),
            Kind::Assign(_, value) => is_cell(value),
            _ => false,
        }
    }

    fn by_one(&mut self, c: Phrase, left: &BTreeSet<u8>) -> Phrase {
        left.iter().fold(c, |c, d| {
            let (kind, var) = (LoopKind::Parallel(Workers::Local(*d)), self.names.numbered("i"));
            self.names.comes_from(&var, &c.origins());
            Phrase::for_each(kind, var, Nat::constant(1), c)
        })
    }
}

/// The memory that is allocated in a command, and whether work-items share it.
fn allocated(c: &Phrase) -> Vec<(Name, bool)> {
    let mut found = vec![];
    let _ = c.any(&mut |p| {
        if let Kind::New(storage, _, x, _) = p.kind() {
            found.push((x.clone(), storage.is_shared()));
        }
        false
    });
    found
}
