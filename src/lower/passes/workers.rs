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
use crate::lower::dpia::effects::{self, Around, Effect};
use crate::lower::dpia::{Imperative, Kind, LoopKind, Phrase, Workers};
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
    let mut shared = vec![p.output.0.clone()];
    allocations(&p.body, &used, &mut vec![], &mut shared)?;
    let mut uses: BTreeMap<Name, (Vec<Use>, Vec<Use>)> = BTreeMap::new();
    for e in effects::of(&p.body).iter().filter(|e| shared.contains(&e.memory)) {
        let found = Use::new(e);
        if let Some(d) = used.iter().find(|d| !found.loops.iter().any(|(e, ..)| e == *d))
            && e.writes
        {
            return Err(everywhere(&e.memory, *d));
        }
        let (reads, writes) = uses.entry(e.memory.clone()).or_default();
        if e.writes { writes } else { reads }.push(found);
    }
    for (memory, (reads, writes)) in &uses {
        if !reads.iter().all(|read| writes.iter().all(|write| same_worker(write, read))) {
            return Err(unordered(memory));
        }
    }
    Ok(())
}

/// The indices of a cell, with the loops over work-items around its use: dimension, variable, bound.
struct Use {
    indices: Vec<Option<Nat>>,
    loops: Vec<(u8, Name, Nat)>,
}

impl Use {
    fn new(e: &Effect) -> Use {
        let of_workers = |l: &Around| match l.kind {
            LoopKind::Parallel(Workers::Global(d)) => Some((d, l.var.clone(), l.n.clone())),
            _ => None,
        };
        Use {
            indices: e.place.indices().into_iter().map(|i| i.cloned()).collect(),
            loops: e.loops.iter().filter_map(of_workers).collect(),
        }
    }
}

/// Adds the memory that work-items share. `around`: the dimensions that are shared out around the command.
fn allocations(
    c: &Phrase,
    used: &BTreeSet<u8>,
    around: &mut Vec<u8>,
    shared: &mut Vec<Name>,
) -> Result<(), Diagnostic> {
    match c.kind() {
        Kind::New(storage, _, x, body) => {
            let is_own = storage.is_near() || *storage == Storage::Parameter;
            if is_own && writes_in_loop(body, x) {
                return Err(private(x));
            }
            // Within all loops it is the work-item's own.
            if *storage == Storage::Global && (around.is_empty() || used.len() > around.len()) {
                shared.push(x.clone());
            }
            allocations(body, used, around, shared)
        }
        Kind::For(l) => {
            let LoopKind::Parallel(Workers::Global(d)) = l.kind else {
                return allocations(&l.body, used, around, shared);
            };
            if around.contains(&d) {
                return Err(Diagnostic::error(
                    "E0522",
                    format!("`mapGlobal({d})` stands within `mapGlobal({d})`."),
                )
                .about(Subject::Pattern(Pattern::MapGlobal))
                .note("The work-items of a dimension can be shared out once only.")
                .hint("Use another dimension (0, 1 or 2) for the inner one, or `mapSeq`."));
            }
            around.push(d);
            let result = allocations(&l.body, used, around, shared);
            around.pop();
            result
        }
        _ => c.children().into_iter().try_for_each(|c| allocations(c, used, around, shared)),
    }
}

/// Whether a loop over work-items writes memory that stands outside it.
fn writes_in_loop(c: &Phrase, x: &Name) -> bool {
    effects::of(c).iter().any(|e| e.writes && e.memory == *x && !Use::new(e).loops.is_empty())
}

/// Is a cell surely read by the work-item that wrote it? It is when, for each dimension, one and the same index of the
/// cell is the loop variable of both accesses, and the loops have the same bounds.
fn same_worker(write: &Use, read: &Use) -> bool {
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
        .about(Subject::Outside(Pattern::MapGlobal))
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
