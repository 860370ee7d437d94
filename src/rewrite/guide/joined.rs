//! Loops of a goal that are several of the program's made one: over p times q elements, where the program has rows.

use super::nest::{Loop, LoopSketch, Nest};
use super::plan::Guide;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeKind};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// Rows whose loops become one.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Joined {
    pattern: Pattern,
    /// Outermost first.
    rows: Vec<Nat>,
}

/// The ways to make a loop of the nest of loops over the rows of an array.
pub(super) fn joining(nest: &Nest, start: &Term) -> Vec<Joined> {
    let (spine, _) = nest.spine();
    let arrays = rows_in(start);
    let mut ways: IndexSet<Joined> = IndexSet::new();
    for l in &spine {
        let Some(whole) = l.size() else { continue };
        let pattern = if l.pattern.is_reduce() { Pattern::Reduce } else { Pattern::Map };
        for rows in &arrays {
            let parts =
                (0..rows.len()).flat_map(|from| (from + 2..=rows.len()).map(move |to| &rows[from..to]));
            let wholes = parts.filter(|part| product(part) == *whole);
            ways.extend(wholes.map(|part| Joined { pattern, rows: part.to_vec() }));
        }
    }
    ways.into_iter().collect()
}

impl Joined {
    /// The innermost rows become one first, and then those with the ones around them. Which loops these are in the program, rules
    /// find; what is between two of such sketches they do at once.
    pub(super) fn way(&self) -> Vec<Guide> {
        let inner = (0..self.rows.len() - 1).rev().map(|from| product(&self.rows[from..]));
        let guide = |size: Nat| {
            let what = format!("one loop over {size} elements of rows");
            let nest =
                Nest::of_spine(&[LoopSketch { pattern: self.pattern, ..LoopSketch::map(size) }], Nest::any());
            Guide::new(nest, what, vec![])
        };
        inner.map(guide).collect()
    }

    /// Loops of a program when these are one.
    pub(super) fn in_chain(&self, loops: &[Loop]) -> Vec<Loop> {
        let reduces = self.pattern.is_reduce();
        let is_all = |part: &[Loop]| {
            part.iter().all(|l| l.reduces == reduces) && part.iter().map(|l| &l.size).eq(&self.rows)
        };
        let Some(at) = loops.windows(self.rows.len()).rposition(is_all) else { return loops.to_vec() };
        let one = Loop { reduces, size: product(&self.rows) };
        let (before, after) = (&loops[..at], &loops[at + self.rows.len()..]);
        before.iter().cloned().chain([one]).chain(after.iter().cloned()).collect()
    }
}

fn product(sizes: &[Nat]) -> Nat {
    sizes.iter().fold(Nat::constant(1), |all, n| all.mul(n))
}

/// The sizes of the arrays of arrays in a term, outermost first; of those that are parts of others only the others.
fn rows_in(term: &Term) -> Vec<Vec<Nat>> {
    let (mut found, mut seen, mut open): (IndexSet<Vec<Nat>>, _, _) =
        (IndexSet::new(), FxHashSet::default(), vec![term]);
    while let Some(t) = open.pop() {
        if !seen.insert(t.digest()) {
            continue;
        }
        arrays(t.ty(), &mut found);
        open.extend(t.children());
    }
    let is_part = |rows: &Vec<Nat>| {
        let is_longer = |other: &&Vec<Nat>| other.len() > rows.len();
        found.iter().filter(is_longer).any(|other| other.windows(rows.len()).any(|part| part == rows))
    };
    found.iter().filter(|rows| rows.len() > 1 && !is_part(rows)).cloned().collect()
}

fn arrays(ty: &Type, found: &mut IndexSet<Vec<Nat>>) {
    let (mut rows, mut at) = (vec![], ty);
    while let TypeKind::Array(n, element) = at.kind() {
        rows.push(n.clone());
        at = element;
    }
    found.insert(rows);
    if let TypeKind::Fun(a, b) | TypeKind::Pair(a, b) = at.kind() {
        arrays(a, found);
        arrays(b, found);
    }
}
