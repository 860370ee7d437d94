//! What a search knows of its sketch when it ends: where each part holds, and the program that comes nearest.

use super::PartReport;
use super::goal::Goal;
use crate::egraph::{Graph, Id};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::sketch::extract::Weights;
use crate::sketch::{Shape, Sketch};

/// So many places of a part are told.
const MOST_PLACES: usize = 3;

/// A part of a sketch.
#[derive(Clone, Debug)]
pub struct PartInsight {
    pub report: PartReport,
    /// Where in the program that the search started from there is something that equals a term like it; innermost
    /// places only.
    pub places: Vec<Path>,
    /// The lightest term like it.
    pub witness: Option<Term>,
}

/// The program that satisfies most of a sketch: with `levels` of its nested `contains` asked, of so many.
#[derive(Clone, Debug)]
pub struct Nearest {
    pub term: Term,
    pub levels: usize,
    pub of: usize,
}

/// What is known of a sketch.
#[derive(Clone, Debug)]
pub struct Insight {
    pub parts: Vec<PartInsight>,
    /// Where nothing was found.
    pub nearest: Option<Nearest>,
}

impl Insight {
    pub(super) fn of(goal: &Goal, graph: &Graph, root: Id, start: &[(Path, Id)]) -> Insight {
        let parts = goal.parts(graph, root).into_iter().zip(goal.witnesses(graph)).enumerate();
        let parts = parts.map(|(i, (report, witness))| {
            let places =
                innermost(start.iter().filter(|(_, id)| goal.part_holds(graph, i, *id)).map(|(p, _)| p));
            PartInsight { report, places, witness }
        });
        Insight { parts: parts.collect(), nearest: None }
    }
}

/// Places that have no other one within them.
fn innermost<'a>(places: impl Iterator<Item = &'a Path>) -> Vec<Path> {
    let all: Vec<&Path> = places.collect();
    let holds_another = |p: &Path| all.iter().any(|q| *q != p && q.strip_prefix(p).is_some());
    all.iter().filter(|p| !holds_another(p)).take(MOST_PLACES).map(|p| (*p).clone()).collect()
}

/// The program of the graph that satisfies most of a sketch.
pub(super) fn nearest(goal: &Goal, graph: &Graph, root: Id) -> Option<Nearest> {
    let sketch = goal.relaxed_sketch();
    let of = levels(sketch);
    (0..=of).rev().find_map(|levels| {
        let mut part = Goal::new(&cut(sketch, levels)).ok()?;
        if !part.update(graph, root) {
            return None;
        }
        let reached = part.ranking(graph, root, Weights::Size).best(1, &|_| None).programs.pop()?;
        Some(Nearest { term: reached.term, levels, of })
    })
}

/// How deep the sketch nests `contains`.
fn levels(sketch: &Sketch) -> usize {
    let below = sketch.children().into_iter().map(levels).max().unwrap_or(0);
    below + usize::from(matches!(sketch.shape(), Shape::Contains(_)))
}

/// The sketch without what stands within so many `contains`.
fn cut(sketch: &Sketch, levels: usize) -> Sketch {
    let all = |s: &[Sketch]| s.iter().map(|s| cut(s, levels)).collect();
    Sketch::new(match sketch.shape() {
        Shape::Contains(_) if levels == 0 => Shape::Any,
        Shape::Contains(s) => Shape::Contains(cut(s, levels - 1)),
        Shape::Lam(s) => Shape::Lam(cut(s, levels)),
        Shape::App(f, e) => Shape::App(cut(f, levels), cut(e, levels)),
        Shape::Or(s) => Shape::Or(all(s)),
        Shape::And(s) => Shape::And(all(s)),
        Shape::Typed(s, t) => Shape::Typed(cut(s, levels), t.clone()),
        Shape::Named(label, s) => Shape::Named(label.clone(), cut(s, levels)),
        Shape::Any
        | Shape::Var(_)
        | Shape::Pattern(..)
        | Shape::Number(_)
        | Shape::Not(_)
        | Shape::Sizes(_) => {
            return sketch.clone();
        }
    })
}
