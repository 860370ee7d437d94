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

/// What is asked for the difference of two states.
pub fn query(app: &App, old: &Term, new: &Term, Shape { width, context }: Shape) -> Query {
    let alphabet = app.setup.terminal.alphabet;
    Query::Difference { old: old.clone(), new: new.clone(), given: None, context, width, alphabet }
}

/// What is asked for the difference that a rule makes in the present state, with the names that are there once it is applied.
pub fn by_rule(app: &App, after: &Term, Shape { width, context }: Shape) -> Query {
    let alphabet = app.setup.terminal.alphabet;
    let given = Some(app.session.workspace().program.term.clone());
    Query::Difference { old: app.session.term().clone(), new: after.clone(), given, context, width, alphabet }
}

fn is_small(query: &Query) -> bool {
    matches!(query, Query::Difference { old, new, .. } if old.size().saturating_add(new.size()) <= SMALL)
}

/// The lines that differ, with those around them.
pub fn lines(app: &App, query: &Query) -> Arc<Vec<Line>> {
    match app.queries.difference(query) {
        Some(lines) => lines,
        None if is_small(query) => Arc::new(super::queries::difference(query)),
        None => Arc::new(vec![Line::of(Role::Dim, "Comparing …")]),
    }
}

/// The lines that differ on a page over the panes, at once; all lines where no context is given.
pub fn at_once(app: &App, old: &Term, new: &Term, context: Option<usize>) -> Vec<Line> {
    let print = |term: &Term| Printed::of(term, page_width(app), app.setup.terminal.alphabet);
    diff::of_lines(print(old).lines(), print(new).lines(), context).0
}

/// Whether it has to be asked so that the lines are known.
pub fn is_unknown(app: &App, query: &Query) -> bool {
    !is_small(query) && app.queries.difference(query).is_none()
}
