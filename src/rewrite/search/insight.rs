//! What a search knows of its sketch when it ends: where each part holds, and the program that comes nearest.

use super::PartReport;
use super::goal::Goal;
use crate::egraph::{Graph, Id};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
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
    /// The lightest term like it; of what was found only where the whole program is not like it.
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
        let parts = goal.parts(graph, root);
        let is_told = |part: &PartReport| !(found && part.at_root);
        let witnesses = if parts.iter().any(is_told) { goal.witnesses(graph, over) } else { Some(vec![]) };
        let cut_short = near.is_err() || witnesses.is_none();
        let mut witnesses = witnesses.unwrap_or_default().into_iter();
        let parts = parts.into_iter().enumerate().map(|(i, report)| {
            let places =
                innermost(start.iter().filter(|(_, id)| goal.part_holds(graph, i, *id)).map(|(p, _)| p));
            let witness = witnesses.next().flatten().filter(|_| is_told(&report));
            PartInsight { report, places, witness }
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
    let lightest = |part: &Sketch| -> Result<Option<Term>, Over> {
        let Ok(automaton) = Automaton::new(part) else { return Ok(None) };
        let satisfied = Satisfied::of_until(graph, &automaton, over).ok_or(Over)?;
        if !satisfied.has(graph, &automaton, automaton.start, root) {
            return Ok(None);
        }
        let lightest = Lightest::of_until(graph, &automaton, &satisfied, Weights::Size, over).ok_or(Over)?;
        Ok(lightest.of_class(automaton.start, root).filter(|term| part.satisfied_by(term)))
    };
    if let Some(term) = lightest(sketch)? {
        return Ok(Some(Nearest { term, levels: of, of, but_for_sizes: goal.is_unfilled() }));
    }
    // Of a program that lacks nothing but how its loops run, little may hold, as that is asked of the outermost loop first. Of
    // several it is the one of which most holds, as far as there is time to ask for that.
    if let Some(plain) = before_lowering(sketch)
        && let Some(term) = lightest(&plain)?
    {
        let least = levels_met(sketch, &term, 0);
        let with = |levels| Sketch::new(Shape::And(vec![plain.clone(), cut(sketch, levels)]));
        let more = (least + 1..of).rev().find_map(|levels| lightest(&with(levels)).ok().flatten());
        let term = more.unwrap_or(term);
        return Ok(Some(Nearest {
            levels: levels_met(sketch, &term, least),
            term,
            of,
            but_for_sizes: false,
        }));
    }
    for levels in (0..of).rev() {
        if let Some(term) = lightest(&cut(sketch, levels))? {
            return Ok(Some(Nearest { term, levels, of, but_for_sizes: false }));
        }
    }
    Ok(None)
}

/// The sketch where loops may also run as before it was said how; none where it says nothing of that.
fn before_lowering(sketch: &Sketch) -> Option<Sketch> {
    let or = |patterns: &[Pattern]| {
        let plain = patterns.iter().map(|p| Sketch::pattern(*p));
        Some(Sketch::new(Shape::Or(std::iter::once(sketch.clone()).chain(plain).collect())))
    };
    // Of several parts some may say nothing.
    let all = |parts: &[Sketch]| -> Option<Vec<Sketch>> {
        let plain: Vec<Option<Sketch>> = parts.iter().map(before_lowering).collect();
        plain.iter().any(Option::is_some).then(|| {
            plain.into_iter().zip(parts).map(|(plain, part)| plain.unwrap_or_else(|| part.clone())).collect()
        })
    };
    Some(match sketch.shape() {
        Shape::Pattern(Pattern::Map | Pattern::Reduce, _) => return None,
        Shape::Pattern(p, _) if p.is_map() => return or(&[Pattern::Map]),
        Shape::Pattern(p, _) if p.is_reduce() => return or(&[Pattern::Reduce, Pattern::ReduceSeq]),
        Shape::Contains(s) => Sketch::new(Shape::Contains(before_lowering(s)?)),
        Shape::Lam(s) => Sketch::new(Shape::Lam(before_lowering(s)?)),
        Shape::Typed(s, t) => Sketch::typed(before_lowering(s)?, t.clone()),
        Shape::Named(label, s) => Sketch::new(Shape::Named(label.clone(), before_lowering(s)?)),
        Shape::App(f, e) => match all(&[f.clone(), e.clone()])?.as_slice() {
            [f, e] => Sketch::app(f.clone(), e.clone()),
            _ => return None,
        },
        Shape::Or(parts) => Sketch::new(Shape::Or(all(parts)?)),
        Shape::And(parts) => Sketch::new(Shape::And(all(parts)?)),
        Shape::Any
        | Shape::Var(_)
        | Shape::Pattern(..)
        | Shape::Number(_)
        | Shape::Not(_)
        | Shape::Sizes(_) => {
            return None;
        }
    })
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
