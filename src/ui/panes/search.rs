//! The e-graph while a search grows, and what was found.

use super::{alphabet, history};
use crate::ui::app::App;
use crate::ui::command::Command;
use crate::ui::window::Body;
use crate::view::search;

/// What the pane shows.
pub fn body(app: &App, width: usize) -> Body {
    let key = app.setup.keys.key(Command::Sketch).unwrap_or_default();
    let lines = search::lines(&app.found, &key, width, alphabet(app));
    Body { lines, ..Body::default() }
}

/// Shows the rewrites that lead to what the last search found.
pub fn preview(app: &mut App) {
    if let Some(revision) = app.found.revision {
        history::trail(app, revision);
    }
}
