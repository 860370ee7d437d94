//! The way from the loops of a program to those of a goal that are parts of them: guides that split and exchange one after the other.

use super::nest::{Loop, LoopSketch, Nest};
use super::plan::Guide;
use super::reading::Reading;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::sketch::{NatSketch, Shape, Sketch, TypeSketch};

/// A loop on the way: which loop of the program it is a part of.
#[derive(Clone, PartialEq)]
struct Part {
    of: usize,
    l: LoopSketch,
}

impl Part {
    fn size(&self) -> Nat {
        self.l.size().cloned().unwrap_or_else(|| Nat::constant(1))
    }
}

/// The loop over what was transposed.
fn of_columns(l: &LoopSketch) -> LoopSketch {
    let transposed = Sketch::app(Sketch::pattern(Pattern::Transpose), Sketch::any());
    LoopSketch { operands: vec![Nest::Other(transposed)], ..l.clone() }
}

/// The sum of what a map computes.
fn of_mapped(l: &LoopSketch) -> LoopSketch {
    let map = Sketch::app(Sketch::app(Sketch::pattern(Pattern::Map), Sketch::any()), Sketch::any());
    LoopSketch { operands: vec![Nest::any(), Nest::Other(map)], ..l.clone() }
}

/// A function that does nothing but sum up.
pub(super) fn sums_alone() -> Sketch {
    let to_any = |p: Pattern| (0..3).fold(Sketch::pattern(p), |f, _| Sketch::app(f, Sketch::any()));
    let sums = [Pattern::Reduce, Pattern::ReduceSeq].map(to_any);
    Sketch::new(Shape::Lam(Sketch::new(Shape::Or(sums.to_vec()))))
}

impl Reading {
    /// The nest when one of its loops reduces vectors, where it does.
    pub(super) fn in_lanes(&self) -> Option<Guide> {
        let (at, width) = (self.lanes?, self.width.as_ref()?);
        let mut loops = self.loops.clone();
        let l = loops.get_mut(at)?;
        let vectors = TypeSketch::Vector(NatSketch::Is(width.clone()), Box::new(TypeSketch::Any));
        l.over = TypeSketch::Array(NatSketch::Is(l.size()?.exact_div(width)), Box::new(vectors));
        let what = format!("lanes of {width} that reduce");
        let mut guide = Guide::new(Nest::of_spine(&loops, Nest::any()), what, vec![width.clone()]);
        guide.makes = vec![Pattern::AsVector, Pattern::MakeArray];
        Some(guide)
    }

    /// The reading of the nest in a program of which vectors were made first: then one of its loops goes over vectors, and is split and
    /// exchanged as any other.
    pub(super) fn of_vectors(&self, nest: &Nest) -> Option<Reading> {
        let (spine, leaf) = nest.spine();
        let (width, None, false) = (self.width.as_ref()?, self.lanes, self.sums) else { return None };
        let mut loops = self.loops.clone();
        let mut over_vectors = vec![];
        for (i, (now, asked)) in loops.iter_mut().zip(&spine).enumerate() {
            let size = asked.size()?;
            if now.size() != Some(size) {
                over_vectors.push(i);
                *now = now.over(size.clone());
            }
        }
        let [at] = over_vectors[..] else { return None };
        let of = *self.of.get(at)?;
        let mut program = self.program.clone();
        let whole = program.get_mut(of)?;
        whole.size = whole.size.exact_div(width);
        let reading =
            Reading { program, of: self.of.clone(), loops, leaf, width: None, lanes: None, sums: false };
        spine.get(at).is_some_and(|l| l.pattern.is_map()).then_some(reading)
    }

    /// A sum that is to be outside of maps around it, alone in these: first in the innermost.
    pub(super) fn sums_alone(&self) -> Vec<Guide> {
        let is_sum = |p: usize| self.program.get(p).is_some_and(|l| l.reduces);
        let pairs =
            self.of.iter().enumerate().flat_map(|(i, a)| self.of[i + 1..].iter().map(move |b| (*a, *b)));
        let crossed: Vec<(usize, usize)> =
            pairs.filter(|(a, b)| a > b && is_sum(*a) && !is_sum(*b)).collect();
        let Some(sum) = crossed.iter().map(|(sum, _)| *sum).min() else { return vec![] };
        let outermost = crossed.iter().filter(|(a, _)| *a == sum).map(|(_, map)| *map).min().unwrap_or(sum);
        let maps = &self.program[outermost..sum];
        if maps.iter().any(|l| l.reduces) {
            return vec![];
        }
        let mut body = sums_alone();
        let alone = |l: &Loop| {
            let nest = Nest::of_spine(&[LoopSketch::map(l.size.clone())], Nest::Other(body.clone()));
            let within = Sketch::app(Sketch::app(Sketch::pattern(Pattern::Map), body.clone()), Sketch::any());
            body = Sketch::new(Shape::Lam(within));
            Guide {
                wide: true,
                ..Guide::new(nest, format!("the sum alone in the loop over {}", l.size), vec![])
            }
        };
        maps.iter().rev().map(alone).collect()
    }

    /// A part of a loop of the program that is not all split yet. Lanes reduce what may be regrouped, so nothing is said of its
    /// order.
    fn before(&self, p: usize, l: &LoopSketch) -> LoopSketch {
        let in_lanes = self.lanes.and_then(|at| self.of.get(at)) == Some(&p);
        let pattern = if in_lanes { Pattern::Reduce } else { l.pattern };
        LoopSketch { pattern, ..l.clone() }
    }

    /// Is a loop of the program summed up in several sums?
    fn in_sums(&self, p: usize) -> bool {
        let is_map = |(of, l): (&usize, &LoopSketch)| *of == p && l.pattern.is_map();
        self.sums && self.program[p].reduces && self.of.iter().zip(&self.loops).any(is_map)
    }

    /// The loops of the program in the order in which they are split: several sums within each other before the maps around them, within
    /// which there would be more ways to write them.
    fn split_in_turn(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.program.len()).collect();
        let in_parts = |p: &usize| self.of.iter().filter(|q| *q == p).count() > 1;
        let sums = all.iter().filter(|p| self.program[**p].reduces && in_parts(p)).count();
        if !self.sums && sums > 1 {
            all.sort_by_key(|p| !self.program[*p].reduces);
        }
        all
    }

    /// From the loops of the program to those of the nest, by splitting one or exchanging two at a time.
    pub(super) fn way(&self) -> Vec<Guide> {
        let end: Vec<Part> =
            self.of.iter().zip(&self.loops).map(|(of, l)| Part { of: *of, l: l.clone() }).collect();
        // The loops of the program that are asked for, each whole.
        let mut now: Vec<Part> = vec![];
        for (p, l) in self.program.iter().enumerate() {
            let is_sum = |part: &&Part| part.of == p && (!self.in_sums(p) || part.l.pattern.is_reduce());
            let mut parts = end.iter().filter(is_sum).map(|part| &part.l);
            if let Some(first) = parts.clone().next() {
                let asks = parts.find(|part| !part.operands.is_empty());
                let operands = asks.map_or(vec![], |part| part.operands.clone());
                let mut whole = LoopSketch { operands, ..self.before(p, first) };
                if self.in_sums(p) {
                    whole.pattern = Pattern::Reduce;
                }
                now.push(Part { of: p, l: whole.over(l.size.clone()) });
            }
        }
        let with_leaf = |parts: &[Part], leaf: &Nest, what: String, sizes: Vec<Nat>| {
            let loops: Vec<LoopSketch> = parts.iter().map(|p| p.l.clone()).collect();
            Guide::new(Nest::of_spine(&loops, leaf.clone()), what, sizes)
        };
        let guide = |parts: &[Part], what: String, sizes: Vec<Nat>| with_leaf(parts, &self.leaf, what, sizes);
        let mut guides = vec![];
        // Several sums are made before anything is put in order.
        let any = Nest::any();
        for p in (0..self.program.len()).filter(|p| self.in_sums(*p)) {
            let Some(whole) = now.iter().position(|part| part.of == p) else { break };
            let maps = end.iter().filter(|part| part.of == p && part.l.pattern.is_map());
            for (at, map) in (whole..).zip(maps) {
                let rest = now[at].size().exact_div(&map.size());
                now[at].l = now[at].l.over(rest);
                // Within the loop over what is summed up, sums of strides read side by side what lies side by side; where the
                // operator does not allow it, they are of chunks.
                let is_within = end.iter().take_while(|part| *part != map).any(|part| part.of == p);
                let l = if is_within { of_columns(&map.l) } else { map.l.clone() };
                now.insert(at, Part { of: p, l });
                let what = format!("{} sums side by side", map.size());
                // Loops within it may be those of what it is to take up.
                guides.push(with_leaf(&now[..=at + 1], &any, what, vec![map.size()]));
                now[at].l = map.l.clone();
            }
        }
        // What is computed of the elements is computed in each sum before it becomes a part of it.
        let sum = |part: &Part| self.in_sums(part.of) && part.l.pattern.is_reduce();
        if let Some(at) = now.iter().rposition(sum).filter(|at| self.leaf != any || at + 1 < now.len()) {
            let mapped = Part { of: now[at].of, l: of_mapped(&now[at].l) };
            let parts: Vec<Part> = now[..at].iter().cloned().chain([mapped]).collect();
            guides.push(with_leaf(&parts, &any, "what each sum sums up".to_owned(), vec![]));
        }
        for p in (0..self.program.len()).filter(|p| self.in_sums(*p)) {
            let sum = end.iter().find(|part| part.of == p && part.l.pattern.is_reduce());
            let summed = now.iter_mut().find(|part| part.of == p && part.l.pattern.is_reduce());
            if let (Some(sum), Some(summed)) = (sum, summed) {
                summed.l.pattern = sum.l.pattern;
            }
        }
        guides.push(guide(&now, "the loops of the program".to_owned(), vec![]));
        for p in self.split_in_turn() {
            let is_part = |part: &&Part| part.of == p && !(self.in_sums(p) && part.l.pattern.is_map());
            let parts: Vec<&Part> = end.iter().filter(is_part).collect();
            for pair in 0..parts.len().saturating_sub(1) {
                let Some(at) = now.iter().rposition(|part| part.of == p) else { break };
                let inner =
                    parts[pair + 1..].iter().fold(Nat::constant(1), |all, part| all.mul(&part.size()));
                let what = format!("the loop over {} in chunks of {inner}", now[at].size());
                now[at] = parts[pair].clone();
                now.insert(at + 1, Part { of: p, l: self.before(p, &parts[pair + 1].l).over(inner.clone()) });
                guides.push(guide(&now, what, vec![inner]));
            }
        }
        // Sums are exchanged while nothing but sums is within them: what they sum up is no array then.
        let place = |part: &Part| end.iter().position(|p| p == part).unwrap_or(end.len());
        while let Some(at) = (1..now.len()).find(|at| {
            let (outer, inner) = (&now[at - 1], &now[*at]);
            outer.l.pattern.is_reduce() && inner.l.pattern.is_reduce() && place(outer) > place(inner)
        }) {
            let what = format!("the sum over {} outside of that over {}", now[at].size(), now[at - 1].size());
            now.swap(at - 1, at);
            guides.push(guide(&now, what, vec![]));
        }
        for (i, part) in end.iter().enumerate() {
            // Parts of one loop keep their order, so that the first of the same size is meant.
            let Some(from) = now[i..].iter().position(|p| p == part).map(|at| at + i) else { break };
            for at in (i + 1..=from).rev() {
                let what =
                    format!("the loop over {} outside of that over {}", now[at].size(), now[at - 1].size());
                let exchanges = [at - 1, at].iter().all(|l| now[*l].l.pattern.is_map());
                now.swap(at - 1, at);
                guides.push(Guide { exchanges, ..guide(&now, what, vec![]) });
            }
        }
        guides
    }
}
