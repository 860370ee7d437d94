//! What runs, what ran, and the messages.

use crate::ui::app::App;
use crate::ui::layout::Pane;
use crate::ui::window::Body;
use crate::view::{Line, Role, jobs};

/// What the pane shows.
pub fn body(app: &App, width: usize) -> Body {
    let running = app.session.jobs();
    let mut lines: Vec<Line> = running.iter().map(jobs::line).collect();
    if running.is_empty() {
        lines.push(Line::of(Role::Dim, "Nothing is running."));
    }
    for message in app.messages.iter().rev() {
        lines.extend(Line::of(message.role, message.text.clone()).wrap(width, 2));
    }
    Body { lines, list: true, ..Body::default() }
}

/// Stops the highlighted job, or the first.
pub fn cancel(app: &mut App) {
    if app.looks.cancel_steps() {
        app.say(Role::Warning, "Stopping the strategy …");
        return;
    }
    let jobs = app.session.jobs();
    let chosen = if app.focus.pane == Pane::Jobs { jobs.get(app.window(Pane::Jobs).cursor) } else { None };
    let Some(job) = chosen.or(jobs.first()) else { return };
    app.session.cancel(job.id);
    app.tell(Role::Warning, format!("Stopping `{}` …", job.label));
}
