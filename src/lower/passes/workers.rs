//! May the iterations of a kernel's parallel loops run at once?
//!
//! In: an imperative program whose views are resolved, before its loops are shared among work-items. All work-items of
//! an OpenCL kernel run the whole kernel, and nothing makes those of different work-groups wait for each other. So
//! what they share must be written within a loop over work-items of every dimension that the kernel uses, and may be
//! read by the work-item alone that wrote it. Where the work is shared out among work-groups this holds of groups; the
//! work-items of one can wait for each other ([`crate::dpia::barriers`]).
//!
//! Iterations of one loop write different cells: 𝒜 writes each cell once.

use crate::dpia::barriers::has_groups;
use crate::dpia::effects::{self, Around, Effect};
use crate::dpia::{Imperative, Kind, LoopKind, Phrase, PhraseType, Workers};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::target::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// Who do not wait for each other: all work-items, or work-groups.
#[derive(Clone, Copy)]
pub struct Level {
    of: fn(LoopKind) -> Option<u8>,
    pub map: Pattern,
}

const ITEMS: Level = Level {
    of: |k| if let LoopKind::Parallel(Workers::Global(d)) = k { Some(d) } else { None },
    map: Pattern::MapGlobal,
};

const GROUPS: Level = Level {
    of: |k| if let LoopKind::Parallel(Workers::WorkGroup(d)) = k { Some(d) } else { None },
    map: Pattern::MapWorkGroup,
};

impl Level {
    pub fn of(c: &Phrase) -> Level {
        if has_groups(c) { GROUPS } else { ITEMS }
    }

    /// The dimensions in which loops are shared out.
    fn dimensions(self, c: &Phrase) -> BTreeSet<u8> {
        dimensions_of(c, self.of)
    }
}

fn dimensions_of(c: &Phrase, of: fn(LoopKind) -> Option<u8>) -> BTreeSet<u8> {
    let mut out = BTreeSet::new();
    let _ = c.any(&mut |p| {
        if let Kind::For(l) = p.kind() {
            out.extend(of(l.kind));
        }
        false
    });
    out
}

/// The dimensions of work-items, or of those of work-groups, that the code uses.
pub fn dimensions(c: &Phrase) -> BTreeSet<u8> {
    dimensions_of(c, |k| match k {
        LoopKind::Parallel(Workers::Global(d) | Workers::WorkGroup(d) | Workers::Local(d)) => Some(d),
        _ => None,
    })
}

/// # Errors
/// Code that gives other results when its work-items run at once, and work-items that would do nothing of their own.
pub fn check(p: &Imperative) -> Result<(), Diagnostic> {
    let level = Level::of(&p.body);
    let used = level.dimensions(&p.body);
    once(&p.body, &mut vec![])?;
    launched(p, level, &used)?;
    if dimensions(&p.body).is_empty() {
        return Ok(());
    }
    let mut shared: Shared = p.shared().map(|(x, _)| (x.clone(), vec![])).collect();
    let mut written = Written::default();
    written.note(&p.body);
    allocations(&p.body, level, (&used, &written.in_loops), &mut vec![], &mut shared)?;
    let mut uses: BTreeMap<Name, (Vec<Use>, Vec<Use>)> = BTreeMap::new();
    for e in &effects::of_some(&p.body, &|x| shared.contains_key(x)) {
        let found = Use::new(e, level);
        if let Some(d) = used.iter().find(|d| !found.loops.iter().any(|(e, ..)| e == *d))
            && e.writes
        {
            let is_output = p.outputs.iter().any(|(x, _)| *x == e.memory);
            let may_be_private = !is_output && !writes_in_loop(&p.body, &e.memory);
            return Err(everywhere(&e.memory, level.map, *d, may_be_private));
        }
        let (reads, writes) = uses.entry(e.memory.clone()).or_default();
        if e.writes { writes } else { reads }.push(found);
    }
    for (memory, (reads, writes)) in &uses {
        let own = shared.get(memory).map_or(&[][..], Vec::as_slice);
        if !reads.iter().all(|read| writes.iter().all(|write| same_worker(write, read, own))) {
            return Err(unordered(memory, level));
        }
    }
    Ok(())
}

/// Is every dimension shared out once? Of what stands in another in the program `nesting` says it; but a `map` is computed
/// where it is read.
fn once(c: &Phrase, around: &mut Vec<Workers>) -> Result<(), Diagnostic> {
    let Kind::For(l) = c.kind() else { return c.children().into_iter().try_for_each(|c| once(c, around)) };
    let workers = match l.kind {
        LoopKind::Parallel(workers) if l.kind.is_of_work_items() => workers,
        _ => return once(&l.body, around),
    };
    if around.contains(&workers) {
        return Err(twice(workers));
    }
    around.push(workers);
    let result = once(&l.body, around);
    around.pop();
    result
}

fn twice(workers: Workers) -> Diagnostic {
    let (what, map, d) = match workers {
        Workers::Global(d) => ("work-items", Pattern::MapGlobal, d),
        Workers::WorkGroup(d) => ("work-groups", Pattern::MapWorkGroup, d),
        Workers::Local(d) => ("work-items of a group", Pattern::MapLocal, d),
        Workers::Threads => ("threads", Pattern::MapPar, 0),
    };
    let message = format!("The {what} are shared out in dimension {d} where they are shared out already.");
    Diagnostic::error("E0522", message)
        .about(Subject::With(map, vec![Arg::Dim(d)]))
        .note(format!("A `map` is computed where its elements are read, and here `{map}({d})` reads them."))
        .hint("Use `mapSeq` for that `map` and store its result, as in `mapSeq … |> toMem local`; or use another dimension (0, 1 or 2).")
}

/// Does what `oclRun` asks for fit what the program shares out?
fn launched(p: &Imperative, level: Level, used: &BTreeSet<u8>) -> Result<(), Diagnostic> {
    let Some(launch) = &p.launch else { return Ok(()) };
    // Of loops over arrays that are known to be empty nothing is left: what writes nothing writes no cell twice.
    if effects::of(&p.body).iter().all(|e| !e.writes) {
        return Ok(());
    }
    for d in 0..3u8 {
        let (local, global) = (&launch.local[usize::from(d)], &launch.global[usize::from(d)]);
        // Where nothing is shared out, one group, or one work-item, does everything.
        let most = if level.map == Pattern::MapWorkGroup { local.clone() } else { Nat::constant(1) };
        if !used.contains(&d) && *global != most {
            let map = level.map;
            return Err(launch_error(format!("`oclRun` asks for {global} work-items in dimension {d}, and no `{map} {d}` shares out work to them."))
                .note("They would all write the same cells.")
                .hint(format!("Ask for {most} of them, or use `{map} {d}`.")));
        }
    }
    Ok(())
}

fn launch_error(message: String) -> Diagnostic {
    Diagnostic::error("E0531", message).about(Subject::Pattern(Pattern::OclRun))
}

/// The indices of a cell, with the loops over work-items, or groups, around its use: dimension, variable, bound.
struct Use {
    indices: Vec<Option<Nat>>,
    loops: Vec<(u8, Name, Nat)>,
    /// Of the variables of all loops around it.
    ranges: Ranges,
}

impl Use {
    fn new(e: &Effect, level: Level) -> Use {
        let of_workers = |l: &Around| Some(((level.of)(l.kind)?, l.var.clone(), l.n.clone()));
        let mut ranges = Ranges::default();
        e.loops.iter().for_each(|l| ranges.insert(l.var.clone(), l.init.clone(), l.n.clone()));
        Use {
            ranges,
            indices: e.place.indices().into_iter().map(|i| i.cloned()).collect(),
            loops: e.loops.iter().filter_map(of_workers).collect(),
        }
    }
}

/// Memory that work-items, or groups, share, with the loops over such around its allocation: each of those has a copy of its own.
type Shared = BTreeMap<Name, Vec<Name>>;

/// Adds the memory that work-items, or groups, share. `around`: the loops that are shared out around the command.
fn allocations(
    c: &Phrase,
    level: Level,
    (used, in_loops): (&BTreeSet<u8>, &BTreeSet<Name>),
    around: &mut Vec<Name>,
    shared: &mut Shared,
) -> Result<(), Diagnostic> {
    match c.kind() {
        Kind::New(storage, _, x, body) => {
            let is_own = storage.is_near() || *storage == Storage::Parameter;
            if is_own && in_loops.contains(x) {
                return Err(private(x));
            }
            if *storage == Storage::Local && level.map == Pattern::MapWorkGroup {
                let uses = effects::of_memory(body, x);
                let of_copy = |writes: bool| {
                    let uses = uses.iter().filter(move |e| e.writes == writes);
                    uses.map(|e| Use::new(e, level)).collect::<Vec<_>>()
                };
                let (reads, writes) = (of_copy(false), of_copy(true));
                if !reads.iter().all(|read| writes.iter().all(|write| same_worker(write, read, &[]))) {
                    return Err(in_another_copy(x));
                }
            }
            // Within all loops it is the work-item's, or group's, own.
            if *storage == Storage::Global && (around.is_empty() || used.len() > around.len()) {
                shared.insert(x.clone(), around.clone());
            }
            allocations(body, level, (used, in_loops), around, shared)
        }
        Kind::For(l) => {
            if (level.of)(l.kind).is_none() {
                return allocations(&l.body, level, (used, in_loops), around, shared);
            }
            around.push(l.var.clone());
            let result = allocations(&l.body, level, (used, in_loops), around, shared);
            around.pop();
            result
        }
        _ => {
            c.children().into_iter().try_for_each(|c| allocations(c, level, (used, in_loops), around, shared))
        }
    }
}

/// Memory that loops over work-items write, which stands outside them.
#[derive(Default)]
struct Written {
    in_loops: BTreeSet<Name>,
    /// How many loops over work-items are around the place that is looked at, and around each allocation.
    around: usize,
    around_memory: BTreeMap<Name, usize>,
}

impl Written {
    fn note(&mut self, c: &Phrase) {
        match c.kind() {
            Kind::New(_, _, x, _) => _ = self.around_memory.insert(x.clone(), self.around),
            Kind::Var(x) if matches!(c.ty(), PhraseType::Acc(_)) => {
                let outside = self.around_memory.get(x).copied().unwrap_or(0);
                if self.around > outside {
                    self.in_loops.insert(x.clone());
                }
            }
            _ => {}
        }
        let more = usize::from(matches!(c.kind(), Kind::For(l) if is_by_all(l.kind, &l.init)));
        self.around += more;
        c.children().into_iter().for_each(|c| self.note(c));
        self.around -= more;
    }
}

/// Is this a loop over work-items? Of a loop that is shared out already a work-item runs its own iterations.
fn is_by_all(kind: LoopKind, init: &Nat) -> bool {
    kind.is_of_work_items() && init.is_zero()
}

/// Whether a loop over work-items writes memory that stands outside the command.
fn writes_in_loop(c: &Phrase, x: &Name) -> bool {
    let by_all = |e: &Effect| e.loops.iter().any(|l| is_by_all(l.kind, &l.init));
    effects::of_memory(c, x).iter().any(|e| e.writes && by_all(e))
}

/// Is a cell surely read by the work-item that wrote it? It is when, for each dimension, one and the same index of the
/// cell tells the iterations of both accesses, and the loops have the same bounds. Of the loops `own` each iteration has memory of
/// its own.
fn same_worker(write: &Use, read: &Use, own: &[Name]) -> bool {
    write.loops.iter().filter(|(_, x, _)| !own.contains(x)).all(|(d, x, n)| {
        let Some((_, y, _)) = read.loops.iter().find(|(e, _, m)| e == d && m == n) else { return false };
        write.indices.iter().zip(&read.indices).any(|(i, j)| {
            let (Some(i), Some(j)) = (i, j) else { return false };
            let of_read = read.tellings(j, y, n);
            write.tellings(i, x, n).iter().any(|told| of_read.contains(told))
        })
    })
}

/// How an index tells an iteration, of which there are n: by its quotient by a number, or by what that leaves of n.
#[derive(PartialEq, Eq)]
struct Telling {
    divisor: Nat,
    of_rest: bool,
}

impl Use {
    /// The ways in which the index tells the iteration of the loop over x.
    fn tellings(&self, index: &Nat, x: &Name, n: &Nat) -> Vec<Telling> {
        let is_x = |n: &Nat| n.as_variable() == Some(&NatVar::Named(x.clone()));
        let is_size =
            |s: &Nat| s.vars().iter().all(|v| matches!(v, NatVar::Named(x) if !self.ranges.contains(x)));
        let step = index.step_of(x).filter(|s| !s.is_zero() && is_size(s));
        let mut ways = vec![];
        for divisor in std::iter::once(Nat::constant(1)).chain(step) {
            let quotient = index.floor_div(&divisor).simplify(&self.ranges);
            let rest = quotient.modulo(n).simplify(&self.ranges);
            ways.extend(is_x(&quotient).then(|| Telling { divisor: divisor.clone(), of_rest: false }));
            ways.extend(is_x(&rest).then(|| Telling { divisor, of_rest: true }));
        }
        ways
    }
}

fn everywhere(memory: &Name, map: Pattern, d: u8, may_be_private: bool) -> Diagnostic {
    let own = if may_be_private { " keep it in private memory," } else { "" };
    let (who, each) = match map {
        Pattern::MapWorkGroup => ("work-group", "work-groups"),
        _ => ("work-item", "work-items"),
    };
    Diagnostic::error(
        "E0523",
        format!("`{memory}` is written outside `{map}({d})`, so every {who} writes all of it."),
    )
    .about(Subject::Outside(map))
    .note(format!(
        "The kernel uses the {each} of dimension {d}, and each of them runs what is not in a `{map}({d})`."
    ))
    .hint(format!("Compute it within the `{map}`,{own} or use a kernel of its own."))
}

fn unordered(memory: &Name, level: Level) -> Diagnostic {
    let who = if level.map == Pattern::MapWorkGroup { "work-group" } else { "work-item" };
    Diagnostic::error("E0524", format!("One {who} reads cells of memory that another one writes."))
        .about(Subject::Made(memory.clone()))
        .note("Nothing makes work-items of different work-groups wait for each other within a kernel.")
        .hint(format!("Fuse the two steps, compute the first one with `mapSeq` in each {who}, or run it as a kernel of its own."))
}

fn in_another_copy(memory: &Name) -> Diagnostic {
    Diagnostic::error(
        "E0524",
        "Work-groups read cells of memory that other work-groups write, each into a copy of its own.",
    )
    .about(Subject::Made(memory.clone()))
    .note("Local memory is a work-group's: what one writes there no other one can read.")
    .hint("Compute and use it within one `mapWorkGroup`, or run the first step as a kernel of its own.")
}

fn private(memory: &Name) -> Diagnostic {
    Diagnostic::error("E0525", "Work-items together write memory of which each has a private copy.")
        .about(Subject::Made(memory.clone()))
        .hint("Compute it with `mapSeq`, in each work-item, or store it in memory that they share.")
}
