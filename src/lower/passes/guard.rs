//! What a work-group writes outside its `mapLocal`s is written by one of its work-items: it becomes a loop of one
//! iteration that is shared out as the others are. What is private is computed by every work-item for itself.

use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat};
use crate::lower::dpia::effects;
use crate::lower::dpia::{Imperative, Kind, LoopKind, Names, Phrase, Workers, barriers};
use std::collections::BTreeSet;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    if !barriers::has_groups(&p.body) {
        return Ok(p);
    }
    let dimensions = barriers::dimensions(&p);
    let mut shared: Vec<Name> = p.shared().map(|(x, _)| x.clone()).collect();
    p.body = Guard { names, shared: &mut shared }.command(&p.body, &dimensions);
    Ok(p)
}

struct Guard<'a> {
    names: &'a mut Names,
    /// Memory that the work-items of a group share.
    shared: &'a mut Vec<Name>,
}

impl Guard<'_> {
    /// `left`: the dimensions of work-items that are not shared out around the command.
    fn command(&mut self, c: &Phrase, left: &BTreeSet<u8>) -> Phrase {
        if let Kind::New(storage, _, x, _) = c.kind()
            && storage.is_shared()
        {
            self.shared.push(x.clone());
        }
        if !self.writes(c, left) {
            return c.clone();
        }
        if self.is_for_one(c, left) {
            return self.by_one(c.clone(), left);
        }
        match c.kind() {
            Kind::Seq(cs) => {
                let (mut out, mut run) = (vec![], vec![]);
                for c in cs {
                    if self.writes(c, left) && self.is_for_one(c, left) {
                        run.push(c.clone());
                        continue;
                    }
                    if !run.is_empty() {
                        out.push(self.by_one(Phrase::seq(std::mem::take(&mut run)), left));
                    }
                    out.push(self.command(c, left));
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
        c.ty() == &crate::lower::dpia::PhraseType::Comm
            && !shares_out
            && effects::of(c).iter().all(|e| !e.writes || is_ours(&e.memory))
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
