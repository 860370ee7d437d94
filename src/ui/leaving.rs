//! Leaving, after a question when something would be lost.

use super::app::App;
use super::popup::{About, Entry, EntryKind, Popup, Question};
use super::program::reload_now;
use super::run::Unfinished;
use crate::session::known;
use crate::session::record::SaveState;
use crate::view::{Line, Role};

/// Leaves, after a question when something would be lost.
pub fn quit(app: &mut App) {
    let jobs = app.session.jobs();
    // What the disk had no room for a moment ago may be written now.
    if let Some(news) = app.session.look_at_log_last() {
        app.tell(Role::Warning, news);
    }
    let save = app.session.save_state();
    let mut lines: Vec<Line> = jobs
        .iter()
        .map(|job| Line::plain(format!("`{}` is still running and would be stopped.", job.label)))
        .collect();
    lines.extend(unsaved(&save).map(|why| Line::of(Role::Warning, why)));
    if lines.is_empty() {
        app.requests.quit = true;
        return;
    }
    let can_save = !save.named || save.unsaved > 0;
    lines.push(Line::plain(if can_save {
        "Leave? y yes, s save under a name first, n no"
    } else {
        "Leave? y yes, n no"
    }));
    app.popups.push(Popup::Question(Question { about: About::Quit, lines, can_save }));
}

/// What is not on the disk, and why, if anything is not.
pub fn unsaved(save: &SaveState) -> Option<String> {
    let what = match save.unsaved {
        0 => return None,
        1 => "1 action of this session is not on the disk.".to_owned(),
        n => format!("{n} actions of this session are not on the disk."),
    };
    Some(save.problem.iter().fold(what, |what, why| format!("{what} {why}")))
}

/// Asks whether to go on with a session of the program that was never left.
pub fn offer(app: &mut App, unfinished: Unfinished) {
    let lines = vec![
        Line::plain("A session of this program was never left; its screen was ended."),
        Line::plain(format!("It has {}.", unfinished.what)),
        Line::plain("Go on with it? y yes, n no: it stays in the list of `shine-tui sessions`"),
    ];
    let about = About::GoOn(unfinished.session);
    app.popups.push(Popup::Question(Question { about, lines, can_save: false }));
}

/// A question was answered with no.
pub fn decline(app: &mut App) {
    if let Some(Popup::Question(Question { about: About::GoOn(session), .. })) = app.popups.pop() {
        known::left(&session);
    }
}

/// A question was answered with yes.
pub fn answer(app: &mut App, save: bool) {
    let Some(Popup::Question(question)) = app.popups.last() else { return };
    let about = question.about.clone();
    if save && !question.can_save {
        return;
    }
    app.popups.pop();
    match about {
        About::Quit if save => app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Save, "")))),
        About::Quit => app.requests.quit = true,
        About::Reload => reload_now(app),
        About::GoOn(session) => app.requests.go_on = Some(session),
    }
}
