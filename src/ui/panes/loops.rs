//! The loop nest that the term stands for.

use super::alphabet;
use crate::lang::path::Path;
use crate::ui::app::App;
use crate::ui::layout::Pane;
use crate::ui::window::Body;
use crate::view::{Line, Role, loops};

/// What the pane shows.
pub fn body(app: &App) -> Body {
    let nest = loops::rows(app.session.term(), &app.selection, alphabet(app));
    if nest.is_empty() {
        return Body::says(vec![Line::of(Role::Dim, "The term has no loops.")]);
    }
    let marked =
        |row: &loops::Row| !app.selection.is_root() && row.path.strip_prefix(&app.selection).is_some();
    let sight = nest.iter().position(marked).zip(nest.iter().rposition(marked));
    Body { lines: nest.into_iter().map(|row| row.line).collect(), list: true, sight, ..Body::default() }
}

/// The sub-term of the highlighted loop.
pub fn highlighted(app: &App) -> Option<Path> {
    let nest = loops::rows(app.session.term(), &app.selection, alphabet(app));
    nest.get(app.window(Pane::Loops).cursor).map(|row| row.path.clone())
}

/// Selects the sub-term of the highlighted loop.
pub fn open(app: &mut App) {
    match highlighted(app) {
        Some(path) => {
            app.select(path);
            app.focus.go(Pane::Term);
        }
        None => app.say(Role::Warning, "The term has no loops."),
    }
}
