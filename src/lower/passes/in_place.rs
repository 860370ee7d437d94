//! Drops the copies of accumulators. The translation writes the new value of an accumulator aside and copies it, because
//! the command that makes the new value may read the old one.
//!
//! `new x in { c; M := x }` becomes `c` with `M` for `x`, where nobody can see it: every cell is written once (𝒜 guarantees
//! it), so it is enough that a cell is read no later than in the iteration and statement that writes this same cell.

use super::elide::is_private;
use crate::dpia::effects::{self, Place, Step};
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, PhraseType, Workers};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::ty::Type;

/// A cell, outermost step first.
type Cell = Vec<Step>;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = copies_shared(&in_place(&p.body));
    Ok(p)
}

pub(super) fn in_place(c: &Phrase) -> Phrase {
    if c.ty() != &PhraseType::Comm {
        return c.clone();
    }
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(in_place(d)));
    match c.kind() {
        Kind::New(_, ty, x, body) => without_copy(x, ty, body).unwrap_or(c),
        _ => c,
    }
}

/// The command in which loops that write private memory copy it, too, where a copy of it is left: of what work-items write
/// together each has its own cells alone, and what unrolled loops write are registers.
fn copies_shared(c: &Phrase) -> Phrase {
    if c.ty() != &PhraseType::Comm {
        return c.clone();
    }
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(copies_shared(d)));
    match c.kind() {
        Kind::New(space, ty, x, body) if is_private(*space) => shared_copy(x, body)
            .map_or_else(|| c.clone(), |body| Phrase::new_in(*space, ty.clone(), x.clone(), body)),
        _ => c,
    }
}

/// The command in which those who write `x` copy what they wrote, where all of it is copied at the end.
fn shared_copy(x: &Name, body: &Phrase) -> Option<Phrase> {
    let Kind::Seq(commands) = body.kind() else { return None };
    let first = commands.iter().rposition(|c| copies(c, x, &mut vec![]).is_none())? + 1;
    let (command, copy) = commands.split_at(first);
    let loops = command.iter().find_map(|c| loops_that_write(c, x))?;
    if loops.iter().any(|(kind, _)| matches!(kind, LoopKind::Lanes | LoopKind::Parallel(Workers::Threads))) {
        return None;
    }
    let shared: Vec<Phrase> = copy.iter().map(|c| shared_as(c, &loops)).collect::<Option<_>>()?;
    Some(Phrase::seq(command.iter().cloned().chain(shared)))
}

/// The nest of loops that writes the memory, outermost first.
fn loops_that_write(c: &Phrase, memory: &Name) -> Option<Vec<(LoopKind, Nat)>> {
    if !writes(c, memory) {
        return None;
    }
    match c.kind() {
        Kind::Seq(cs) => cs.iter().find_map(|c| loops_that_write(c, memory)),
        Kind::New(_, _, _, b) => loops_that_write(b, memory),
        Kind::If(_, a, b) => loops_that_write(a, memory).or_else(|| loops_that_write(b, memory)),
        Kind::For(l) => {
            let within = loops_that_write(&l.body, memory)?;
            Some([vec![(l.kind, l.n.clone())], within].concat())
        }
        _ => Some(vec![]),
    }
}

/// The nest of loops that copies, each loop of the kind of the one of the same length; none where the lengths differ.
fn shared_as(c: &Phrase, loops: &[(LoopKind, Nat)]) -> Option<Phrase> {
    match (c.kind(), loops) {
        (Kind::For(l), [(kind, n), within @ ..]) if l.n == *n => {
            let body = shared_as(&l.body, within)?;
            Some(Phrase::for_loop(Loop { kind: *kind, body, ..(**l).clone() }))
        }
        (Kind::For(_), [_, ..]) => None,
        (Kind::Seq(cs), _) => {
            let all: Vec<Phrase> = cs.iter().map(|c| shared_as(c, loops)).collect::<Option<_>>()?;
            Some(Phrase::seq(all))
        }
        _ => Some(c.clone()),
    }
}

/// The command without the copy at its end, of all of `x` to other memory, if it is one and can be left out.
fn without_copy(x: &Name, ty: &Type, body: &Phrase) -> Option<Phrase> {
    let Kind::Seq(commands) = body.kind() else { return None };
    let (mut rest, mut left, mut to) = (commands.as_slice(), cells_of(ty), None);
    while left > 0 {
        let (last, before) = rest.split_last()?;
        let (memory, copied) = copies(last, x, &mut vec![])?;
        left = left.checked_sub(copied)?;
        if to.get_or_insert(memory.clone()) != &memory {
            return None;
        }
        rest = before;
    }
    let memory = to?;
    let command = Phrase::seq(rest.iter().cloned());
    if reads(&command, x) || writes(&command, &memory) {
        return None;
    }
    let read = Phrase::var(&memory, PhraseType::read(ty.clone()));
    let write = Phrase::var(&memory, PhraseType::Acc(ty.clone()));
    let moved = super::memory::redirect(&command, x, &read, &write);
    safe(&moved, &memory).then_some(moved)
}

/// How many numbers there are in an element.
pub(super) fn cells_of(ty: &Type) -> usize {
    match (ty.as_array().or(ty.as_vector()), ty.as_pair()) {
        (Some((_, element)), _) => cells_of(element),
        (_, Some((a, b))) => cells_of(a) + cells_of(b),
        _ => 1,
    }
}

/// The memory to which a nest of loops copies components of all of `x`, each cell to the same one there, and how many
/// components.
pub(super) fn copies(c: &Phrase, x: &Name, loops: &mut Vec<(Name, Nat)>) -> Option<(Name, usize)> {
    match c.kind() {
        Kind::Assign(to, from) => {
            let (to, from) = (Place::of(to)?, Place::of(from)?);
            let at: Vec<(Name, Nat)> = from
                .steps
                .iter()
                .filter_map(|s| if let Step::At(i, n) = s { Some((i.clone(), n.clone())) } else { None })
                .map(|(i, n)| match i?.as_variable() {
                    Some(NatVar::Named(name)) => Some((name.clone(), n)),
                    _ => None,
                })
                .collect::<Option<_>>()?;
            (from.memory.as_ref() == Some(x) && to.steps == from.steps && at == *loops).then_some(())?;
            Some((to.memory?, 1))
        }
        Kind::For(l)
            if !matches!(l.kind, LoopKind::Parallel(_)) && l.init.is_zero() && l.step == Nat::constant(1) =>
        {
            loops.push((l.var.clone(), l.n.clone()));
            let found = copies(&l.body, x, loops);
            loops.pop();
            found
        }
        Kind::Seq(cs) => {
            let mut all = cs.iter().map(|c| copies(c, x, loops));
            let (memory, mut count) = all.next()??;
            for found in all {
                let (other, more) = found?;
                (other == memory).then_some(())?;
                count += more;
            }
            Some((memory, count))
        }
        _ => None,
    }
}

/// Does the memory occur as an expression?
pub(super) fn reads(p: &Phrase, memory: &Name) -> bool {
    p.any(&mut |q| matches!(q.kind(), Kind::Var(x) if x == memory) && matches!(q.ty(), PhraseType::Exp(..)))
}

pub(super) fn writes(p: &Phrase, memory: &Name) -> bool {
    p.any(&mut |q| matches!(q.kind(), Kind::Var(x) if x == memory) && matches!(q.ty(), PhraseType::Acc(_)))
}

fn safe(c: &Phrase, memory: &Name) -> bool {
    if !reads(c, memory) || !writes(c, memory) {
        return true;
    }
    match c.kind() {
        // The value is read before the cell is written.
        Kind::Assign(..) => true,
        Kind::Seq(cs) => {
            let mut written: Vec<Cell> = vec![];
            for c in cs {
                let now = cells(c, memory, false);
                let apart = now.iter().all(|r| written.iter().all(|w| disjoint(r, w)));
                if !apart || !safe(c, memory) {
                    return false;
                }
                written.extend(cells(c, memory, true));
            }
            true
        }
        Kind::New(_, _, _, b) | Kind::Kernel(_, b) => safe(b, memory),
        Kind::If(_, a, b) => safe(a, memory) && safe(b, memory),
        Kind::For(l) => {
            let read = cells(&l.body, memory, false);
            let written = cells(&l.body, memory, true);
            let same = |r: &Cell, w: &Cell| r == w && r.iter().all(|s| !matches!(s, Step::At(None, _)));
            safe(&l.body, memory)
                && (have_own_part(&l.var, &read, &written)
                    || read.iter().all(|r| written.iter().all(|w| disjoint(r, w) || same(r, w))))
        }
        _ => false,
    }
}

/// Does a loop of single assignments keep to a part of its own in each iteration, of all that it writes?
pub(super) fn keeps_apart(l: &Loop) -> bool {
    let is_simple = !l.body.any(&mut |c| {
        matches!(c.kind(), Kind::For(_) | Kind::New(..) | Kind::If(..) | Kind::Barrier(_) | Kind::Kernel(..))
    });
    is_simple
        && effects::written(&l.body).iter().all(|memory| {
            have_own_part(&l.var, &cells(&l.body, memory, false), &cells(&l.body, memory, true))
        })
}

/// Does each iteration keep to a part of the memory that is its own: is there an index that all uses share, and that
/// differs from one iteration to the next?
fn have_own_part(var: &Name, read: &[Cell], written: &[Cell]) -> bool {
    let Some(first) = written.first() else { return false };
    let all = || read.iter().chain(written);
    (0..first.len()).any(|k| {
        let Step::At(Some(n), _) = &first[k] else { return false };
        // Components must not shift the position.
        let aligned = all().all(|c| c.get(k) == Some(&first[k]) && kinds(&c[..k]) == kinds(&first[..k]));
        let grows = |step: Nat| step.sub(&Nat::constant(1)).is_natural(&Ranges::default());
        aligned && n.step_of(var).is_some_and(grows)
    })
}

fn kinds(steps: &[Step]) -> Vec<u8> {
    let kind = |s: &Step| match s {
        Step::At(..) => 0,
        Step::First => 1,
        Step::Second => 2,
    };
    steps.iter().map(kind).collect()
}

/// Different components of a pair.
fn disjoint(a: &Cell, b: &Cell) -> bool {
    projections(a).iter().zip(projections(b)).any(|(x, y)| *x != y)
}

fn projections(c: &Cell) -> Vec<&Step> {
    c.iter().filter(|s| matches!(s, Step::First | Step::Second)).collect()
}

/// The cells of the memory that a resolved command reads or writes.
fn cells(p: &Phrase, memory: &Name, written: bool) -> Vec<Cell> {
    let of_memory = effects::of_memory(p, memory).into_iter().filter(|e| e.writes == written);
    of_memory.map(|e| e.place.steps).collect()
}
