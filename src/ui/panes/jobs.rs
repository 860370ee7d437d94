//! What runs, what ran, and the messages.

use super::{Description, Operation, all_rows, highlighted_text};
use crate::ui::app::App;
use crate::ui::command::Command as C;
use crate::ui::layout::Pane;
use crate::ui::window::Content;
use crate::view::{Line, Role, jobs};

/// The pane.
pub const PANE: Description = Description {
    title: "Jobs",
    reached_by: C::Jobs,
    content,
    wish: all_rows,
    follow: &[],
    open: NOTHING,
    preview: NOTHING,
    fold: None,
    copied: highlighted_text,
    hints: &[C::Find],
};

const NOTHING: Operation = Operation {
    word: None,
    doc: "Nothing in this pane.",
    enabled: |_| Err("There is nothing to open in this pane.".to_owned()),
    run: |_| {},
};

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let running = app.session.jobs();
    let mut lines: Vec<Line> = running.iter().map(jobs::line).collect();
    if running.is_empty() {
        lines.push(Line::of(Role::Dim, "Nothing is running."));
    }
    for message in app.messages.iter().rev() {
        lines.extend(Line::of(message.role, message.text.clone()).wrap(width, 2));
    }
    Content { lines: lines.into(), list: true, ..Content::default() }
}

/// Stops the highlighted job, or the first.
pub fn cancel(app: &mut App) {
    if app.queries.cancel_steps() {
        app.say(Role::Warning, "Stopping the strategy …");
        return;
    }
    let jobs = app.session.jobs();
    let chosen = if app.focus.pane == Pane::Jobs { jobs.get(app.window(Pane::Jobs).cursor) } else { None };
    let Some(job) = chosen.or(jobs.first()) else { return };
    app.session.cancel(job.id);
    app.tell(Role::Warning, format!("Stopping `{}` …", job.label));
}
