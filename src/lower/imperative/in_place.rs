//! May a command that writes some memory also read it, as if it read the memory's old value?
//!
//! A reduction's accumulator is updated by a command that writes the new value while it reads the old one. Every cell
//! is written once (𝒜 guarantees it). That is harmless when a cell is read no later than in the iteration and
//! statement that writes this same cell; otherwise the new value must be written aside and copied.

use super::translate::{Translated, Translator};
use super::views;
use crate::lang::nat::{Name, Nat, Ranges};
use crate::lower::dpia::effects::{self, Step};
use crate::lower::dpia::{Kind, Phrase};

/// A cell, outermost step first.
type Cell = Vec<Step>;

/// # Errors
/// Views that lead nowhere.
pub fn is_safe(t: &mut Translator, command: &Phrase, memory: &Phrase) -> Translated<bool> {
    let Kind::Var(name) = memory.kind() else { return Ok(false) };
    if !reads(command, name) {
        return Ok(true);
    }
    let resolved = views::resolve(command, t)?;
    Ok(safe(&resolved, name))
}

/// Does the memory occur as an expression?
fn reads(p: &Phrase, memory: &Name) -> bool {
    p.any(&mut |q| {
        matches!(q.kind(), Kind::Var(x) if x == memory)
            && matches!(q.ty(), crate::lower::dpia::PhraseType::Exp(..))
    })
}

fn writes(p: &Phrase, memory: &Name) -> bool {
    p.any(&mut |q| {
        matches!(q.kind(), Kind::Var(x) if x == memory)
            && matches!(q.ty(), crate::lower::dpia::PhraseType::Acc(_))
    })
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
    let of_memory = effects::of(p).into_iter().filter(|e| e.memory == *memory && e.writes == written);
    of_memory.map(|e| e.place.steps).collect()
}
