//! Loops of a goal that are several of the program's made one: over p times q elements, where the program has rows.

use super::nest::{LoopSketch, Nest};
use super::plan::Guide;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeKind};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// The ways to make a loop of the nest of loops over the rows of an array: its innermost rows become one first, and then those
/// with the ones around them. Which loops these are in the program, rules find; what is between two of such sketches
/// they do at once.
pub(super) fn joining(nest: &Nest, start: &Term) -> Vec<Vec<Guide>> {
    let (spine, _) = nest.spine();
    let arrays = rows_in(start);
    let mut ways: IndexSet<(Pattern, Vec<Nat>)> = IndexSet::new();
    for l in &spine {
        let Some(whole) = l.size() else { continue };
        let pattern = if l.pattern.is_reduce() { Pattern::Reduce } else { Pattern::Map };
        for rows in &arrays {
            let parts =
                (0..rows.len()).flat_map(|from| (from + 2..=rows.len()).map(move |to| &rows[from..to]));
            let wholes = parts.filter(|part| product(part) == *whole);
            ways.extend(wholes.map(|part| (pattern, part.to_vec())));
        }
    }
    ways.into_iter().map(|(pattern, rows)| way(pattern, &rows)).collect()
}

fn way(pattern: Pattern, rows: &[Nat]) -> Vec<Guide> {
    let inner = (0..rows.len() - 1).rev().map(|from| product(&rows[from..]));
    let guide = |size: Nat| {
        let what = format!("one loop over {size} elements of rows");
        let nest = Nest::of_spine(&[LoopSketch { pattern, ..LoopSketch::map(size) }], Nest::any());
        Guide::new(nest, what, vec![])
    };
    inner.map(guide).collect()
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
