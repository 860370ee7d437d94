//! All states of the session, as a tree: moving in it, comparing its states, looking at how one came about.

use super::{Description, Operation, highlighted_text, lines_and_about};
use super::{alphabet, difference};
use crate::session::action::{Action, RevisionId};
use crate::ui::actions::{close_pages, perform};
use crate::ui::app::{App, Trail};
use crate::ui::command::Command;
use crate::ui::command::{Command as C, Enabled, always, require};
use crate::ui::draw::room;
use crate::ui::facts::Facts;
use crate::ui::layout::Pane;
use crate::ui::popup::{Page, Popup, Purpose};
use crate::ui::window::{Content, most_below};
use crate::view::term::Printed;
use crate::view::{Line, Role, diff as diff_view, history};

/// The pane.
pub const PANE: Description = Description {
    title: "History",
    reached_by: C::History,
    content,
    wish: lines_and_about,
    follow: &[Pane::History],
    open: Operation { word: Some("go there"), enabled: elsewhere, run: open },
    preview: Operation { word: Some("how"), enabled: always, run: preview },
    copied: highlighted_text,
    hints: &[C::Open, C::Preview, C::Undo, C::Redo, C::Pin, C::Diff],
};

fn elsewhere(facts: &Facts) -> Enabled {
    require(!facts.at_present, "This state is the present one.")
}

/// What the pane shows: the tree, and what the highlighted state was made by and changed.
pub fn content(app: &App, width: usize) -> Content {
    let rows = history::rows(app.session.history(), app.pinned, alphabet(app));
    let lines: Vec<Line> = rows.into_iter().map(|row| row.line).collect();
    let foot = about(app, width, lines.len());
    Content { lines, foot, list: true, ..Content::default() }
}

/// The whole line of the highlighted state, and its difference from the one it was made of, as far as there is room.
fn about(app: &App, width: usize, lines: usize) -> Vec<Line> {
    let history = app.session.history();
    let made = || {
        let id = highlighted(app)?;
        let of = history.revision(history.parent(id)?)?;
        Some((history.revision(id)?, of))
    };
    let Some((revision, of)) = made() else { return vec![] };
    let mut foot = Line::of(Role::Dim, revision.label.clone()).wrap(width, 2);
    foot.truncate(3);
    let print = |term| Printed::of(term, width.saturating_sub(2), alphabet(app));
    let (changed, _) = diff_view::of_lines(print(&of.term).lines(), print(&revision.term).lines(), Some(1));
    let rows = room(app, Pane::History).map_or(0, |(rows, _)| most_below(rows, lines));
    foot.extend(diff_view::fitted(changed, rows.saturating_sub(foot.len())));
    foot
}

/// The revision that is highlighted in the history.
pub fn highlighted(app: &App) -> Option<RevisionId> {
    let cursor = app.window(Pane::History).cursor;
    app.session.history().outline().get(cursor).map(|(id, _)| *id)
}

/// Goes back one step.
pub fn undo(app: &mut App) {
    match app.session.undo_action() {
        Ok(action) => {
            perform(app, action);
        }
        Err(reason) => app.say(Role::Warning, reason),
    }
}

/// Goes forward again.
pub fn redo(app: &mut App) {
    match app.session.redo_action() {
        Ok(action) => {
            perform(app, action);
        }
        Err(reason) => app.say(Role::Warning, reason),
    }
}

/// Keeps a state to compare with.
pub fn pin(app: &mut App) {
    let id = highlighted(app).filter(|_| app.focus.pane == Pane::History);
    let id = id.unwrap_or(app.session.current());
    app.pinned = Some(id);
    app.touch(&[Pane::History]);
    let key = app.setup.keys.key(Command::Diff).unwrap_or_default();
    app.say(Role::Good, format!("Revision {id} is pinned; {key} shows the difference from it."));
}

/// The difference from the pinned state, of the term or of the code.
pub fn diff(app: &mut App) {
    let Some(id) = app.pinned else { return };
    let Some(pinned) = app.session.history().revision(id) else { return };
    let now = app.session.current();
    let title = |what: &str| format!("{what}: revision {id} (-) and revision {now} (+)");
    let page = if app.focus.pane == Pane::Kernel {
        let old = app.session.compiled(id, app.code.target);
        let new = app.session.compiled(now, app.code.target);
        match (&*old, &*new) {
            (Ok(old), Ok(new)) => {
                let (lines, _) = diff_view::of_texts(&old.module.text(), &new.module.text(), Some(3));
                Page::difference(title("code"), lines, Purpose::Read)
            }
            (Err(problem), _) | (_, Err(problem)) => {
                Page::new("No code to compare", app.problem(problem), Purpose::Read)
            }
        }
    } else {
        let (lines, counts) = difference(app, &pinned.term, app.session.term(), Some(3));
        let lines =
            if counts == Default::default() { vec![Line::plain("Both terms are the same.")] } else { lines };
        Page::difference(title("term"), lines, Purpose::Read)
    };
    app.popups.push(Popup::Page(page));
}

/// Shows the steps that led to a revision, one by one.
pub(in crate::ui) fn trail(app: &mut App, revision: RevisionId) {
    let steps = app.session.history().revision(revision).map_or(0, |r| r.steps.len());
    if steps == 0 {
        app.say(Role::Warning, format!("No single steps are recorded for revision {revision}."));
        return;
    }
    app.trail = Some(Trail { revision, at: 0 });
    show_trail(app);
}

pub(in crate::ui) fn step_trail(app: &mut App, by: isize) {
    if let Some(trail) = &mut app.trail {
        let steps = app.session.history().revision(trail.revision).map_or(0, |r| r.steps.len());
        trail.at = trail.at.saturating_add_signed(by).min(steps.saturating_sub(1));
    }
    show_trail(app);
}

fn show_trail(app: &mut App) {
    let Some(trail) = &app.trail else { return };
    let history = app.session.history();
    let Some(revision) = history.revision(trail.revision) else { return };
    let Some(step) = revision.steps.get(trail.at) else { return };
    let parent = history.parent(trail.revision).and_then(|id| history.revision(id));
    let before = match trail.at.checked_sub(1).and_then(|i| revision.steps.get(i)) {
        Some(previous) => Some(&previous.after),
        None => parent.map(|r| &r.term),
    };
    let Some(before) = before else { return };
    let (number, of) = (trail.at + 1, revision.steps.len());
    let title = format!("revision {}: step {number} of {of}, {step}", trail.revision);
    let (lines, _) = difference(app, before, &step.after, Some(3));
    let page = Page::difference(title, lines, Purpose::Trail);
    close_pages(app, &Purpose::Trail);
    app.popups.push(Popup::Page(page));
}

/// Goes to the highlighted state.
pub fn open(app: &mut App) {
    if let Some(revision) = highlighted(app) {
        perform(app, Action::Goto { revision });
    }
}

/// Shows the steps that led to the highlighted state.
pub fn preview(app: &mut App) {
    if let Some(revision) = highlighted(app) {
        trail(app, revision);
    }
}
