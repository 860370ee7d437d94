//! What a search knows of its sketch when it ends: where each part holds, and the program that comes nearest.

use super::PartReport;
use super::goal::Goal;
use crate::egraph::{Graph, Id};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::sketch::automaton::Automaton;
use crate::sketch::classes::Satisfied;
use crate::sketch::extract::{Lightest, Weights};
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
    /// It is like the sketch with any size in the place of its holes, and no sizes are found that can stand there.
    pub but_for_sizes: bool,
}

/// What is known of a sketch.
#[derive(Clone, Debug)]
pub struct Insight {
    pub parts: Vec<PartInsight>,
    /// Where nothing was found.
    pub nearest: Option<Nearest>,
    /// A limit was met before all was asked: where nothing is said, nothing is known.
    pub cut_short: bool,
}

/// A limit was met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over;

impl Insight {
    /// What there is to know, as far as it is known before `over` says so.
    pub(super) fn of(
        goal: &Goal,
        graph: &Graph,
        root: Id,
        start: &[(Path, Id)],
        found: bool,
        over: &dyn Fn() -> bool,
    ) -> Insight {
        if !goal.was_asked() {
            return Insight { parts: vec![], nearest: None, cut_short: true };
        }
        let near = if found { Ok(None) } else { nearest(goal, graph, root, over) };
        let witnesses = goal.witnesses(graph, over);
        let cut_short = near.is_err() || witnesses.is_none();
        let mut witnesses = witnesses.unwrap_or_default().into_iter();
        let parts = goal.parts(graph, root).into_iter().enumerate().map(|(i, report)| {
            let places =
                innermost(start.iter().filter(|(_, id)| goal.part_holds(graph, i, *id)).map(|(p, _)| p));
            PartInsight { report, places, witness: witnesses.next().flatten() }
        });
        Insight { parts: parts.collect(), nearest: near.unwrap_or_default(), cut_short }
    }
}

/// Places that have no other one within them.
fn innermost<'a>(places: impl Iterator<Item = &'a Path>) -> Vec<Path> {
    let all: Vec<&Path> = places.collect();
    let holds_another = |p: &Path| all.iter().any(|q| *q != p && q.strip_prefix(p).is_some());
    all.iter().filter(|p| !holds_another(p)).take(MOST_PLACES).map(|p| (*p).clone()).collect()
}

/// The program of the graph that satisfies most of a sketch.
fn nearest(goal: &Goal, graph: &Graph, root: Id, over: &dyn Fn() -> bool) -> Result<Option<Nearest>, Over> {
    let sketch = goal.relaxed_sketch();
    let of = levels(sketch);
    for levels in (0..=of).rev() {
        let part = cut(sketch, levels);
        let Ok(automaton) = Automaton::new(&part) else { continue };
        let satisfied = Satisfied::of_until(graph, &automaton, over).ok_or(Over)?;
        if satisfied.has(graph, &automaton, automaton.start, root) {
            let lightest =
                Lightest::of_until(graph, &automaton, &satisfied, Weights::Size, over).ok_or(Over)?;
            let term = lightest.of_class(automaton.start, root).filter(|term| part.satisfied_by(term));
            if let Some(term) = term {
                return Ok(Some(Nearest {
                    term,
                    levels,
                    of,
                    but_for_sizes: levels == of && goal.is_unfilled(),
                }));
            }
        }
    }
    Ok(None)
}

/// Of how many nested `contains`, and of at least so many, a program is like the sketch.
pub fn levels_met(sketch: &Sketch, term: &Term, least: usize) -> usize {
    let sketch = sketch.filled(&[]);
    let met = |levels: &usize| cut(&sketch, *levels).describes(term);
    (least + 1..=levels(&sketch)).rev().find(met).unwrap_or(least)
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
