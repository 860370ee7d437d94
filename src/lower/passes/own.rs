//! Private memory that the work-items of a kernel together write: each keeps the cells of its own iterations.
//!
//! `t[i][j]` in loops over `i` and `j` that are shared out is used by one work-item alone, so its private copy needs no
//! more than that one's cells: `t` becomes an element of what it was. Where a work-item has several iterations, it numbers
//! its cells as these: `i` becomes `i / L`, of L work-items. Every use must have the variable of such a loop as its index,
//! over the work-items of the same dimension. The loops are shared out here, for from now on the memory is a work-item's.
//!
//! Nested accumulators then work in place.
//!
//! This is what the accumulators of a reduction are whose elements work-items share out, and which other loops of the
//! group must be able to come between: tiles in local memory, say.

use super::elide::{self, is_private};
use super::parts;
use crate::dpia::effects::{self, Around, Effect, Step};
use crate::dpia::{Imperative, Kind, Layout, Loop, LoopKind, Names, Phrase, PhraseType, Workers};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use crate::target::Launch;
use std::collections::{BTreeMap, BTreeSet};

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let Some(launch) = &p.launch else { return Ok(p) };
    p.body = parts::apart(&p.body, names);
    let mut found = Found { launch, ranges: p.ranges(), memory: BTreeMap::new(), loops: BTreeSet::new() };
    found.command(&p.body);
    if !found.memory.is_empty() && !found.mixes(&p.body, &mut BTreeSet::new()) {
        p.body = elide::private(&found.shared_out(&p.body, names), names);
    }
    Ok(p)
}

/// What becomes of a dimension.
#[derive(Clone, Debug)]
enum Dimension {
    /// It stays.
    Whole,
    /// A work-item has one index of it at most.
    Gone,
    /// A work-item has so many indices of it, one in so many.
    Part { count: Nat, step: Nat },
}

struct Found<'a> {
    launch: &'a Launch,
    ranges: Ranges,
    /// Memory of which each work-item keeps its own cells, with its outermost dimensions.
    memory: BTreeMap<Name, Vec<Dimension>>,
    /// The variables of loops that tell whose a cell is.
    loops: BTreeSet<Name>,
}

/// Who runs the iterations of a loop that is not shared out yet.
fn workers(l: &Around) -> Option<Workers> {
    match l.kind {
        LoopKind::Parallel(w) if l.is_plain && w.share().is_some() => Some(w),
        _ => None,
    }
}

/// The loop around a use whose variable is its k-th index, if the work-items share it out.
fn loop_at(e: &Effect, k: usize) -> Option<(&Around, Workers)> {
    // After a projection positions mean something else.
    let steps = e.place.steps.get(..=k)?;
    let Some(Step::At(Some(i), _)) = steps.last() else { return None };
    let Some(NatVar::Named(x)) = i.as_variable() else { return None };
    let is_index = steps.iter().all(|s| matches!(s, Step::At(..)));
    let l = e.loops.iter().find(|l| l.var == *x).filter(|_| is_index)?;
    Some((l, workers(l)?))
}

impl Found<'_> {
    fn command(&mut self, c: &Phrase) {
        if let Kind::New(storage, ty, x, body) = c.kind()
            && is_private(*storage)
        {
            self.allocation(ty, x, body);
        }
        c.children().into_iter().for_each(|c| self.command(c));
    }

    fn allocation(&mut self, ty: &Type, x: &Name, body: &Phrase) {
        let uses = effects::of_memory(body, x);
        let shared_out = |e: &Effect| e.loops.iter().any(|l| workers(l).is_some());
        if !uses.iter().any(|e| e.writes && shared_out(e)) {
            return;
        }
        let mut dimensions = vec![];
        let mut rest = ty;
        while let Some((n, element)) = rest.as_array() {
            dimensions.push(self.dimension(dimensions.len(), n, &uses));
            rest = element;
        }
        let vars: BTreeSet<Name> = (0..dimensions.len())
            .filter(|k| !matches!(dimensions[*k], Dimension::Whole))
            .flat_map(|k| uses.iter().filter_map(move |e| Some(loop_at(e, k)?.0.var.clone())))
            .collect();
        // No loop over work-items writes it but those that tell the cell.
        let told = |e: &Effect| e.loops.iter().all(|l| workers(l).is_none() || vars.contains(&l.var));
        if !vars.is_empty() && uses.iter().all(|e| !e.writes || told(e)) {
            self.memory.insert(x.clone(), dimensions);
            self.loops.extend(vars);
        }
    }

    /// The k-th dimension, of n elements.
    fn dimension(&self, k: usize, n: &Nat, uses: &[Effect]) -> Dimension {
        let of = |e: &Effect| loop_at(e, k).map(|(_, w)| w);
        let Some(first) = uses.first().and_then(of) else { return Dimension::Whole };
        let many = first.share().and_then(|(_, size)| self.launch.number(size));
        match many {
            Some(many) if uses.iter().all(|e| of(e) == Some(first)) => {
                if many.sub(n).is_natural(&self.ranges) {
                    return Dimension::Gone;
                }
                let (Some(_), Some(l)) = (n.as_constant(), many.as_constant()) else {
                    return Dimension::Whole;
                };
                let count = n.add(&Nat::constant(l - 1)).floor_div(&many);
                Dimension::Part { count, step: many }
            }
            _ => Dimension::Whole,
        }
    }

    /// Is there private memory that stays as it is and that a loop writes which would be shared out? `outside`: what is
    /// allocated around the command.
    fn mixes(&self, c: &Phrase, outside: &mut BTreeSet<Name>) -> bool {
        match c.kind() {
            Kind::New(storage, _, x, body) if is_private(*storage) && !self.memory.contains_key(x) => {
                outside.insert(x.clone());
                let mixes = self.mixes(body, outside);
                outside.remove(x);
                mixes
            }
            Kind::For(l) if self.loops.contains(&l.var) => {
                let writes = |e: &Effect| e.writes && outside.contains(&e.memory);
                effects::of(&l.body).iter().any(writes) || self.mixes(&l.body, outside)
            }
            _ => c.children().into_iter().any(|c| self.mixes(c, outside)),
        }
    }

    /// The command with the loops shared out, in each work-item's own memory.
    fn shared_out(&self, p: &Phrase, names: &mut Names) -> Phrase {
        if let Some((chain, _)) = self.chain(p, names) {
            return chain;
        }
        let Ok(q) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.shared_out(c, names)));
        match q.kind() {
            Kind::New(storage, ty, x, body) if self.memory.contains_key(x) => {
                let ty = self.memory.get(x).map_or_else(|| ty.clone(), |ds| kept(ty, ds));
                Phrase::new_in(*storage, ty, x.clone(), body.clone())
            }
            Kind::For(l) if self.loops.contains(&l.var) => {
                let LoopKind::Parallel(workers) = l.kind else { return q };
                let Some((id, size)) = workers.share() else { return q };
                let step = self.launch.number(size).unwrap_or_else(|| size.nat());
                let l = Loop { init: id.nat(), step, ..(**l).clone() };
                // What each work-item does once, for itself alone, needs no loop.
                let is_own = |e: &Effect| !e.writes || self.memory.contains_key(&e.memory);
                if l.n == l.step && effects::of(&l.body).iter().all(is_own) {
                    return Phrase::only_iteration(&l, names);
                }
                Phrase::for_loop(l)
            }
            _ => q,
        }
    }

    /// For an element of such memory, by indices: where it is now, and how many indices lead there.
    fn chain(&self, p: &Phrase, names: &mut Names) -> Option<(Phrase, usize)> {
        match p.kind() {
            Kind::Var(x) => {
                let ty = kept(&p.data(), self.memory.get(x)?);
                let ty =
                    if let PhraseType::Acc(_) = p.ty() { PhraseType::Acc(ty) } else { PhraseType::read(ty) };
                Some((Phrase::var(x, ty), 0))
            }
            Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => {
                let [i, whole] = ps.as_slice() else { return None };
                let dimensions = self.memory.get(memory_of(whole)?)?;
                let (whole, k) = self.chain(whole, names)?;
                let at = |i: Phrase| match p.ty() {
                    PhraseType::Acc(_) => Phrase::idx_acc(i, whole.clone()),
                    _ => Phrase::idx(i, whole.clone()),
                };
                let element = match (dimensions.get(k)?, i.as_number()) {
                    (Dimension::Gone, _) => whole,
                    (Dimension::Part { count, step }, Some((i, _))) => {
                        at(Phrase::number(i.floor_div(step), Type::index(count.clone())))
                    }
                    _ => at(self.shared_out(i, names)),
                };
                Some((element, k + 1))
            }
            _ => None,
        }
    }
}

/// The memory that a chain of indices leads into.
fn memory_of(p: &Phrase) -> Option<&Name> {
    match p.kind() {
        Kind::Var(x) => Some(x),
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => memory_of(ps.get(1)?),
        _ => None,
    }
}

/// What a work-item keeps of an array.
fn kept(ty: &Type, dimensions: &[Dimension]) -> Type {
    let (Some((n, element)), Some((first, rest))) = (ty.as_array(), dimensions.split_first()) else {
        return ty.clone();
    };
    let element = kept(element, rest);
    match first {
        Dimension::Whole => Type::array(n.clone(), element),
        Dimension::Gone => element,
        Dimension::Part { count, .. } => Type::array(count.clone(), element),
    }
}

#[cfg(test)]
mod tests {
    use crate::Target;
    use crate::passes::tests::allocated_after;

    /// The types of private memory after the pass, of work-items in groups of 8; or the code of the error.
    fn private(read: &str) -> Result<Vec<String>, &'static str> {
        let text = format!(
            "def f (a: 4.20.f32): 4.20.f32 = oclRun 8 1 1 32 1 1 (mapWorkGroup 0 (\\r.
               let (toMem private (mapLocal 0 (\\x. x + 1) r)) (\\t. {read})) a)"
        );
        allocated_after("ownCells", &text, Target::OpenCl)
    }

    #[test]
    fn work_items_keep_what_they_alone_use() {
        // Of 20 elements each of 8 work-items has three at most.
        assert_eq!(private("mapLocal 0 (\\x. x * 2) t"), Ok(vec!["3.f32".into()]));
        // What others read is not a work-item's own.
        assert_eq!(private("mapLocal 0 (\\x. x * 2) (drop 1 t |> padClamp 0 1)"), Err("E0525"));
        assert_eq!(private("mapLocal 1 (\\x. x * 2) t"), Err("E0525"));
        assert_eq!(private("mapSeq (\\x. x * 2) t"), Err("E0525"));
    }
}
