//! The parts of a sketch, as they are told one by one: by them is seen how much of a sketch there is.

use super::{Shape, Sketch};
use crate::lang::path::Path;
use crate::lang::term::Term;

/// So many places of a part are told.
const MOST_PLACES: usize = 3;

/// A part of a sketch.
#[derive(Clone, Copy, Debug)]
pub struct Part<'s> {
    /// How many parts it is within.
    pub depth: usize,
    pub sketch: &'s Sketch,
}

impl Part<'_> {
    pub fn label(&self) -> String {
        match self.sketch.shape() {
            Shape::Named(label, _) => label.short.to_string(),
            _ => self.sketch.to_string(),
        }
    }

    /// Where in a term there is something like it, for any size in the place of its holes; innermost places only.
    pub fn places_in(&self, term: &Term) -> Vec<Path> {
        let part = self.sketch.filled(&[]);
        let positions = term.positions();
        innermost(positions.iter().filter(|(_, t)| part.describes(t)).map(|(at, _)| at))
    }
}

/// Places that have no other one within them.
pub fn innermost<'a>(places: impl Iterator<Item = &'a Path>) -> Vec<Path> {
    let all: Vec<&Path> = places.collect();
    let holds_another = |p: &Path| all.iter().any(|q| *q != p && q.strip_prefix(p).is_some());
    all.iter().filter(|p| !holds_another(p)).take(MOST_PLACES).map(|p| (*p).clone()).collect()
}

impl Sketch {
    /// Its parts, outside in; the first is itself.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = vec![];
        collect(self, 0, &mut parts);
        parts
    }
}

fn collect<'s>(sketch: &'s Sketch, depth: usize, out: &mut Vec<Part<'s>>) {
    let is_shown = match sketch.shape() {
        Shape::Named(..) | Shape::Or(_) | Shape::And(_) | Shape::Not(_) => true,
        Shape::Contains(s) => !matches!(s.shape(), Shape::Named(..)) || depth == 0,
        _ => depth == 0,
    };
    if is_shown {
        out.push(Part { depth, sketch });
    }
    let below = depth + usize::from(is_shown);
    // What an abbreviation stands for is not shown, only what it was given.
    let mut within = match sketch.shape() {
        Shape::Named(_, body) => vec![body],
        // How much of what is left out there is says nothing.
        Shape::Not(_) => vec![],
        _ => sketch.children(),
    };
    if let Shape::Named(..) = sketch.shape() {
        let mut given = vec![];
        while let Some(s) = within.pop() {
            match s.shape() {
                Shape::Named(..) => given.push(s),
                _ => within.extend(s.children().into_iter().rev()),
            }
        }
        within = given;
    }
    within.into_iter().for_each(|s| collect(s, below, out));
}
