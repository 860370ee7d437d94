//! The e-graph while a search grows, and what was found.

use super::{Description, Operation, all_rows, highlighted_text};
use super::{alphabet, history};
use crate::ui::app::App;
use crate::ui::command::Command;
use crate::ui::command::{Command as C, Enabled, require};
use crate::ui::facts::Facts;
use crate::ui::window::Content;
use crate::view::search;

/// The pane.
pub const PANE: Description = Description {
    title: "Search",
    reached_by: C::SearchPane,
    content,
    wish: all_rows,
    follow: &[],
    open: HOW,
    preview: HOW,
    fold: None,
    copied: highlighted_text,
    hints: &[C::Preview, C::Hold, C::Best, C::Frozen, C::Sketch, C::Search, C::Undo],
};

const HOW: Operation = Operation {
    word: Some("its rewrites"),
    doc: "Show the rewrites that lead to what the search found, one by one.",
    enabled: found,
    run: preview,
};

fn found(facts: &Facts) -> Enabled {
    require(facts.found, "No search has found anything yet; {sketch} types one.")
}

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let [key, cancel] =
        [Command::Sketch, Command::Cancel].map(|command| app.setup.keys.key(command).unwrap_or_default());
    let lines = search::lines(&app.found, [&key, &cancel], width, alphabet(app));
    Content { lines: lines.into(), ..Content::default() }
}

/// Shows the rewrites that lead to what the last search found.
pub fn preview(app: &mut App) {
    if let Some(revision) = app.found.revision {
        history::trail(app, revision);
    }
}
