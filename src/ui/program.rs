//! The program's files: read again, edited, and the session's own: saved, copied as a command.

use std::path::PathBuf;

use super::app::{App, Changed};
use super::doing::perform;
use super::popup::{About, Choice, Item, Popup, Question, Value};
use crate::lang::path::Path;
use crate::session::action::Action;
use crate::session::files::{self, Text};
use crate::view::{Line, Role, problem};

/// Asks whether to start again from the changed file.
pub fn reload(app: &mut App) {
    if app.changed == Some(Changed::Definitions) {
        let files = app.definitions.changed(&app.session.workspace().texts);
        if perform(app, Action::Definitions { files }) {
            app.definitions.taken();
            app.changed = None;
            app.rules.asked = None;
            app.tell(Role::Good, "The changed rules and strategies hold from now on.");
            app.touch_all();
        }
        return;
    }
    let label = &app.session.workspace().texts.program.label;
    let lines = vec![
        Line::plain(format!("{label} has changed on the disk.")),
        Line::plain("Start again from it? The present states stay in the history."),
        Line::plain("y yes, n no"),
    ];
    app.popups.push(Popup::Question(Question { about: About::Reload, lines, can_save: false }));
}

pub(super) fn reload_now(app: &mut App) {
    let Some(Text { label, text }) = app.file.take() else { return };
    app.changed = None;
    if perform(app, Action::Reload { label, text }) {
        app.looks.forget_kernels();
        app.rules.asked = None;
        app.select(Path::root());
    }
}

/// Opens the program, or one of the files beside it, in the editor.
pub fn edit(app: &mut App) {
    let Some(program) = app.session.workspace().texts.origin.program.clone() else { return };
    let beside = files::beside(&program).into_iter().filter(|path| path.is_file());
    let all: Vec<PathBuf> = std::iter::once(program.clone()).chain(beside).collect();
    if all.len() == 1 {
        app.effects.edit = Some(program);
        return;
    }
    let item = |path: PathBuf| Item {
        name: path.display().to_string(),
        key: String::new(),
        doc: match path.extension().and_then(|e| e.to_str()) {
            Some("rules") => "rules".to_owned(),
            Some("elevate") => "strategies and sketches".to_owned(),
            _ => "the program".to_owned(),
        },
        disabled: None,
        value: Value::File(path),
    };
    let items = all.into_iter().map(item).collect();
    app.popups.push(Popup::Choice(Box::new(Choice::new("Edit which file?", items, false))));
}

/// Gives the session a name.
pub(super) fn save(app: &mut App, name: &str) -> Result<(), Vec<Line>> {
    let mut path = std::path::PathBuf::from(name);
    if path.extension().is_none() {
        path.set_extension("ron");
    }
    match app.session.save_as(&path) {
        Ok(()) => {
            app.tell(Role::Good, format!("The session is saved in {}", path.display()));
            Ok(())
        }
        Err(problem) => Err(problem::brief(&problem)),
    }
}

/// Copies the command line that repeats the last step.
pub fn copy_command(app: &mut App) {
    let history = app.session.history();
    let label = history.revision(app.session.current()).map(|r| r.label.clone()).unwrap_or_default();
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    // The program of a session that was recorded elsewhere is in its log alone.
    let file = app.session.workspace().texts.origin.program.clone().or(app.session.save_state().path);
    let file = file.map(|file| file.display().to_string()).unwrap_or_default();
    let file = if file.starts_with('-') { format!("./{file}") } else { file };
    let mut text = format!("shine-tui apply {}", quote(&file));
    if history.parent(app.session.current()).is_some() {
        let strategy = history.elevate(app.session.current()).unwrap_or(label);
        text += &format!(" --strategy {}", quote(&strategy));
    }
    app.say(Role::Good, format!("Copied: {text}"));
    app.effects.copy = Some(text);
}
