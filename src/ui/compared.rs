//! The difference of two terms that a pane shows beside its list: at once where they are small, else asked for in the background.

use super::app::App;
use super::queries::Query;
use crate::lang::term::Term;
use crate::view::{Line, Role};
use std::sync::Arc;

/// Terms of so many nodes together are printed and compared within a frame.
const SMALL: u32 = 3_000;

fn query(app: &App, old: &Term, new: &Term, width: usize) -> Query {
    Query::Difference { old: old.clone(), new: new.clone(), width, alphabet: app.setup.terminal.alphabet }
}

fn is_small(old: &Term, new: &Term) -> bool {
    old.size().saturating_add(new.size()) <= SMALL
}

/// The lines that differ, with one around them.
pub fn lines(app: &App, old: &Term, new: &Term, width: usize) -> Arc<Vec<Line>> {
    let query = query(app, old, new, width);
    match app.queries.difference(&query) {
        Some(lines) => lines,
        None if is_small(old, new) => Arc::new(super::queries::difference(&query)),
        None => Arc::new(vec![Line::of(Role::Dim, "Comparing …")]),
    }
}

/// What has to be asked so that the lines are known.
pub fn unknown(app: &App, old: &Term, new: &Term, width: usize) -> Option<Query> {
    let query = query(app, old, new, width);
    (!is_small(old, new) && app.queries.difference(&query).is_none()).then_some(query)
}
