//! The difference of two terms that a pane shows beside its list, or a page: at once where they are small, else asked for in the
//! background.

use super::app::App;
use super::queries::Query;
use crate::lang::term::Term;
use crate::view::term::Printed;
use crate::view::{Line, Role, diff};
use std::sync::Arc;

/// Terms of so many nodes together are printed and compared within a frame.
const SMALL: u32 = 3_000;

/// How a difference is shown.
#[derive(Clone, Copy)]
pub struct Shape {
    /// In so many columns.
    pub width: usize,
    /// With so many equal lines around those that differ.
    pub context: usize,
}

impl Shape {
    /// Below a list of so many columns.
    pub fn below(width: usize) -> Shape {
        Shape { width: width.saturating_sub(2), context: 1 }
    }

    /// On a page over the panes.
    pub fn page(app: &App) -> Shape {
        Shape { width: page_width(app), context: 3 }
    }
}

/// The columns of a term on a page over the panes.
pub fn page_width(app: &App) -> usize {
    usize::from(app.size.0).saturating_sub(8).clamp(20, 120)
}

/// What is asked for the difference.
pub fn query(app: &App, old: &Term, new: &Term, Shape { width, context }: Shape) -> Query {
    let alphabet = app.setup.terminal.alphabet;
    Query::Difference { old: old.clone(), new: new.clone(), context, width, alphabet }
}

fn is_small(old: &Term, new: &Term) -> bool {
    old.size().saturating_add(new.size()) <= SMALL
}

/// The lines that differ, with those around them.
pub fn lines(app: &App, old: &Term, new: &Term, shape: Shape) -> Arc<Vec<Line>> {
    let query = query(app, old, new, shape);
    match app.queries.difference(&query) {
        Some(lines) => lines,
        None if is_small(old, new) => Arc::new(super::queries::difference(&query)),
        None => Arc::new(vec![Line::of(Role::Dim, "Comparing …")]),
    }
}

/// The lines that differ on a page over the panes, at once; all lines where no context is given.
pub fn at_once(app: &App, old: &Term, new: &Term, context: Option<usize>) -> Vec<Line> {
    let print = |term: &Term| Printed::of(term, page_width(app), app.setup.terminal.alphabet);
    diff::of_lines(print(old).lines(), print(new).lines(), context).0
}

/// What has to be asked so that the lines are known.
pub fn unknown(app: &App, old: &Term, new: &Term, shape: Shape) -> Option<Query> {
    let query = query(app, old, new, shape);
    (!is_small(old, new) && app.queries.difference(&query).is_none()).then_some(query)
}
