//! May the iterations of a kernel's parallel loops run at once?
//!
//! In: an imperative program whose views are resolved, before its loops are shared among work-items. All work-items of
//! an OpenCL kernel run the whole kernel, and nothing makes those of different work-groups wait for each other. So
//! what they share must be written within a loop over work-items of every dimension that the kernel uses, and may be
//! read by the work-item alone that wrote it.
//!
//! Iterations of one loop write different cells: 𝒜 writes each cell once.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lower::dpia::{Imperative, Kind, Layout, LoopKind, Phrase, PhraseType, Workers};
use crate::lower::target::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// The dimensions of work-items that the code uses.
pub fn dimensions(c: &Phrase) -> BTreeSet<u8> {
    let mut out = BTreeSet::new();
    let _ = c.any(&mut |p| {
        if let Kind::For(l) = p.kind()
            && let LoopKind::Parallel(Workers::Global(d)) = l.kind
        {
            out.insert(d);
        }
        false
    });
    out
}

/// # Errors
/// Code that gives other results when its work-items run at once.
pub fn check(p: &Imperative) -> Result<(), Diagnostic> {
    let used = dimensions(&p.body);
    if used.is_empty() {
        return Ok(());
    }
    let mut checker = Checker { used, shared: BTreeMap::new(), around: vec![] };
    checker.shared.insert(p.output.0.clone(), Uses::default());
    checker.command(&p.body)?;
    for (memory, uses) in &checker.shared {
        for read in &uses.reads {
            if !uses.writes.iter().all(|write| same_worker(write, read)) {
                return Err(unordered(memory));
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Uses {
    reads: Vec<Access>,
    writes: Vec<Access>,
}

/// The indices of a cell, with the loops over work-items around its use: dimension, variable, bound.
struct Access {
    indices: Vec<Option<Nat>>,
    loops: Vec<(u8, Name, Nat)>,
}

struct Checker {
    used: BTreeSet<u8>,
    shared: BTreeMap<Name, Uses>,
    around: Vec<(u8, Name, Nat)>,
}

impl Checker {
    fn command(&mut self, c: &Phrase) -> Result<(), Diagnostic> {
        match c.kind() {
            Kind::New(storage, _, x, body) => {
                let is_own = storage.is_near() || *storage == Storage::Parameter;
                if is_own && writes_in_loop(body, x) {
                    return Err(private(x));
                }
                if *storage == Storage::Global {
                    // Within all loops it is the work-item's own.
                    if self.around.is_empty() || self.used.len() > self.around.len() {
                        self.shared.insert(x.clone(), Uses::default());
                    }
                }
                self.command(body)
            }
            Kind::For(l) => {
                let LoopKind::Parallel(Workers::Global(d)) = l.kind else { return self.command(&l.body) };
                if self.around.iter().any(|(e, ..)| *e == d) {
                    return Err(Diagnostic::error(
                        "E0522",
                        format!("`mapGlobal({d})` stands within `mapGlobal({d})`."),
                    )
                    .about(Subject::Pattern(Pattern::MapGlobal))
                    .note("The work-items of a dimension can be shared out once only.")
                    .hint("Use another dimension (0, 1 or 2) for the inner one, or `mapSeq`."));
                }
                self.around.push((d, l.var.clone(), l.n.clone()));
                let result = self.command(&l.body);
                self.around.pop();
                result
            }
            Kind::Assign(to, value) => {
                self.uses(value);
                if let Some((memory, indices)) = cell(to) {
                    self.indices(to);
                    if let Some(uses) = self.shared.get_mut(&memory) {
                        if let Some(d) = self.used.iter().find(|d| !self.around.iter().any(|(e, ..)| e == *d))
                        {
                            return Err(everywhere(&memory, *d));
                        }
                        uses.writes.push(Access { indices, loops: self.around.clone() });
                    }
                }
                Ok(())
            }
            Kind::If(condition, a, b) => {
                self.uses(condition);
                self.command(a)?;
                self.command(b)
            }
            Kind::Seq(cs) => cs.iter().try_for_each(|c| self.command(c)),
            _ => Ok(()),
        }
    }

    fn uses(&mut self, e: &Phrase) {
        if let Some((memory, indices)) = cell(e) {
            if let Some(uses) = self.shared.get_mut(&memory) {
                uses.reads.push(Access { indices, loops: self.around.clone() });
            }
            self.indices(e);
            return;
        }
        e.children().into_iter().for_each(|c| self.uses(c));
    }

    /// What the indices of a cell read.
    fn indices(&mut self, e: &Phrase) {
        if let Kind::Pattern(_, _, ps) | Kind::Acceptor(_, ps) = e.kind()
            && let Some((last, others)) = ps.split_last()
        {
            others.iter().for_each(|i| self.uses(i));
            self.indices(last);
        }
    }
}

/// Whether a loop over work-items writes memory that stands outside it.
fn writes_in_loop(c: &Phrase, x: &Name) -> bool {
    c.any(&mut |p| {
        matches!(p.kind(), Kind::For(l) if matches!(l.kind, LoopKind::Parallel(Workers::Global(_)))
            && l.body.any(&mut |q| matches!(q.kind(), Kind::Var(y) if y == x) && matches!(q.ty(), PhraseType::Acc(_))))
    })
}

/// The memory and indices of a cell.
fn cell(p: &Phrase) -> Option<(Name, Vec<Option<Nat>>)> {
    let index = |i: &Phrase| i.as_number().filter(|(_, parts)| parts.is_empty()).map(|(n, _)| n);
    match p.kind() {
        Kind::Var(x) => Some((x.clone(), vec![])),
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => {
            let (memory, mut indices) = cell(ps.get(1)?)?;
            indices.push(index(ps.first()?));
            Some((memory, indices))
        }
        Kind::Pattern(Pattern::Fst | Pattern::Snd, _, ps)
        | Kind::Acceptor(Layout::First | Layout::Second, ps) => cell(ps.first()?),
        _ => None,
    }
}

/// Is a cell surely read by the work-item that wrote it? It is when, for each dimension, one and the same index of the
/// cell is the loop variable of both accesses, and the loops have the same bounds.
fn same_worker(write: &Access, read: &Access) -> bool {
    write.loops.iter().all(|(d, x, n)| {
        let Some((_, y, _)) = read.loops.iter().find(|(e, _, m)| e == d && m == n) else { return false };
        let is = |i: &Option<Nat>, var: &Name| {
            i.as_ref().and_then(Nat::as_variable) == Some(&NatVar::Named(var.clone()))
        };
        write.indices.iter().zip(&read.indices).any(|(i, j)| is(i, x) && is(j, y))
    })
}

fn everywhere(memory: &Name, d: u8) -> Diagnostic {
    Diagnostic::error("E0523", format!("`{memory}` is written outside `mapGlobal({d})`, so every work-item writes all of it."))
        .about(Subject::Pattern(Pattern::ToMem))
        .note(format!("The kernel uses the work-items of dimension {d}, and each of them runs what is not in a `mapGlobal({d})`."))
        .hint("Compute it within the `mapGlobal`, keep it in private memory, or use a kernel of its own.")
}

fn unordered(memory: &Name) -> Diagnostic {
    Diagnostic::error("E0524", format!("Work-items read cells of `{memory}` that other work-items write."))
        .about(Subject::Pattern(Pattern::ToMem))
        .note("Nothing makes the work-items of different work-groups wait for each other within a kernel.")
        .hint("Fuse the two steps, compute the first one with `mapSeq` in each work-item, or run it as a kernel of its own.")
}

fn private(memory: &Name) -> Diagnostic {
    Diagnostic::error(
        "E0525",
        format!("Work-items together write `{memory}`, of which each has a private copy."),
    )
    .about(Subject::Pattern(Pattern::ToMem))
    .hint("Store it with `toMem global`.")
}
