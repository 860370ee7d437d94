//! The e-graph while a search grows, and what was found.

use super::alphabet;
use crate::ui::app::App;
use crate::ui::window::Body;
use crate::view::search;

/// What the pane shows.
pub fn body(app: &App, width: usize) -> Body {
    let lines = search::lines(&app.found, width, alphabet(app));
    Body { lines, ..Body::default() }
}
