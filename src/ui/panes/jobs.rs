//! What runs, what ran, and the messages.

use super::{Description, Operation, all_rows};
use crate::ui::app::App;
use crate::ui::command::Command as C;
use crate::ui::draw::room;
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
    copied,
    hints: &[C::Find],
};

const NOTHING: Operation = Operation {
    word: None,
    doc: "Nothing in this pane.",
    enabled: |_| Err("There is nothing to open in this pane.".to_owned()),
    run: |_| {},
};

/// What runs, a row each, and what was said, newest first: each as a whole, with its rows.
fn entries(app: &App, width: usize) -> Vec<(Line, Vec<Line>)> {
    let running = app.session.jobs();
    let mut all: Vec<Line> = running.iter().map(jobs::line).collect();
    if running.is_empty() {
        all.push(Line::of(Role::Dim, "Nothing is running."));
    }
    let mut all: Vec<(Line, Vec<Line>)> = all.into_iter().map(|line| (line.clone(), vec![line])).collect();
    for message in app.messages.iter().rev() {
        let line = Line::of(message.role, message.text.clone());
        let rows = line.wrap(width, 2);
        all.push((line, rows));
    }
    all
}

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let lines: Vec<Line> = entries(app, width).into_iter().flat_map(|(_, rows)| rows).collect();
    Content { lines: lines.into(), list: true, ..Content::default() }
}

/// The highlighted message, whatever rows it is broken into.
fn copied(app: &App) -> String {
    let Some((_, width)) = room(app, Pane::Jobs) else { return String::new() };
    let each = entries(app, width).into_iter().flat_map(|(line, rows)| vec![line; rows.len()]);
    each.map(|line| line.text()).nth(app.window(Pane::Jobs).cursor).unwrap_or_default()
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
