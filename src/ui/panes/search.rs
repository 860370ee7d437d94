//! The e-graph while a search grows, and what was found.

use super::{alphabet, history};
use crate::ui::app::App;
use crate::ui::window::Body;
use crate::view::{Role, search};

/// What the pane shows.
pub fn body(app: &App, width: usize) -> Body {
    let lines = search::lines(&app.found, width, alphabet(app));
    Body { lines, ..Body::default() }
}

/// Shows the rewrites that lead to what the last search found.
pub fn preview(app: &mut App) {
    match app.found.revision {
        Some(revision) => history::trail(app, revision),
        None => app.say(Role::Warning, "No search has found anything yet."),
    }
}
