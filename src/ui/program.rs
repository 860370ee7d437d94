//! The program's files: read again, edited, and the session's own: saved, copied as a command.

use std::path::PathBuf;

use super::actions::{close_pages, perform};
use super::app::{App, Changed};
use super::mending::Mending;
use super::popup::{About, Choice, Item, Popup, Purpose, Question, Value};
use crate::lang::diag::sentence;
use crate::lang::path::Path;
use crate::session;
use crate::session::action::Action;
use crate::session::files::{self, Text, Texts};
use crate::session::whole::{Asked, Whole, not_written};
use crate::session::workspace::{Problems, Workspace};
use crate::view::handover::{self, Beside};
use crate::view::{Line, Role, problem};

/// Takes over what has changed on the disk: rules and strategies at once, a program after a question. What is wrong
/// with it is shown in its own text, until it is right.
pub fn reload(app: &mut App) {
    match app.changed {
        Some(Changed::Definitions) => reload_definitions(app),
        Some(Changed::Program) => ask_to_reload(app),
        None => {}
    }
}

/// What is wrong with what has changed on the disk, as it would be taken over.
pub fn wrong_on_disk(app: &App, changed: Changed) -> Option<Problems> {
    let now = app.session.workspace();
    let texts = match changed {
        Changed::Program => Texts {
            program: app.file.changed().unwrap_or(&now.texts.program).clone(),
            files: app.definitions.changed(&now.texts),
            ..now.texts.clone()
        },
        Changed::Definitions => Texts { files: app.definitions.changed(&now.texts), ..now.texts.clone() },
    };
    // Of a program that is right the rules may be wrong already.
    let matters =
        changed == Changed::Definitions || texts.files != now.texts.files && now.errors().next().is_none();
    match Workspace::load(&texts, now.def.as_deref()) {
        Ok(new) if matters && new.errors().next().is_some() => {
            Some(Problems { sources: new.sources, list: new.problems })
        }
        Ok(_) => None,
        Err(problems) => Some(*problems),
    }
}

fn reload_definitions(app: &mut App) {
    let now = app.session.workspace();
    let files = app.definitions.changed(&now.texts);
    let all_right = now.errors().next().is_none();
    if let Some(problems) = wrong_on_disk(app, Changed::Definitions) {
        if all_right {
            return mend(app, problems, "What is open stays in use until the files are right.");
        }
        mend(app, problems, OTHERS_WORK);
    }
    if perform(app, Action::Definitions { files }) {
        app.definitions.taken();
        (app.changed, app.wrong) = (None, None);
        app.forget_rules();
        app.tell(Role::Good, "The changed rules and strategies hold from now on.");
        app.touch_all();
    }
}

fn ask_to_reload(app: &mut App) {
    if let Some(problems) = wrong_on_disk(app, Changed::Program) {
        return mend(app, problems, "The program that is open stays as it is until the file is right.");
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
    let now = app.session.last_read();
    let Text { label, text } = app.file.changed().unwrap_or(&now.program).clone();
    let files = app.definitions.changed(now);
    // Modules that the program imports lie beside its rules.
    if files != now.files && !perform(app, Action::Definitions { files }) {
        return;
    }
    if perform(app, Action::Reload { label, text }) {
        app.file.taken();
        app.definitions.taken();
        (app.changed, app.wrong) = (None, None);
        app.queries.forget_kernels();
        app.forget_rules();
        app.select(Path::root());
    }
}

/// What is said of rules and strategies with errors that are in use in part.
pub const OTHERS_WORK: &str = "All other rules and strategies can be used meanwhile; {page-close} goes on.";

/// Shows what is wrong, problem by problem.
pub fn mend(app: &mut App, problems: Problems, then: &str) {
    let then = app.setup.keys.fill(then);
    app.mending = Some(match app.mending.take() {
        Some(mut mending) => {
            mending.replace(problems, then);
            mending
        }
        None => Mending::new(problems, then),
    });
    show_mending(app);
}

fn show_mending(app: &mut App) {
    close_pages(app, &Purpose::Mend);
    let Some(mending) = &app.mending else { return };
    let width = usize::from(app.size.0).saturating_sub(6);
    app.popups.push(Popup::Page(mending.page(app.setup.terminal.alphabet, width)));
}

/// Looks at another problem.
pub fn step_mending(app: &mut App, by: isize) {
    if let Some(mending) = &mut app.mending {
        mending.step(by);
    }
    show_mending(app);
}

/// The files have changed while their problems are looked at: they are read again.
pub fn mended(app: &mut App) {
    close_pages(app, &Purpose::Mend);
    if app.changed.is_some() {
        reload(app);
    }
    let still = |popup: &Popup| matches!(popup, Popup::Page(page) if page.purpose == Purpose::Mend);
    if !app.popups.iter().any(still) {
        app.mending = None;
    }
}

/// Opens the program, or one of the files beside it, in the editor.
pub fn edit(app: &mut App) {
    let Some(program) = app.session.workspace().texts.origin.program.clone() else { return };
    let beside = files::beside(&program).into_iter().filter(|path| path.is_file());
    let all: Vec<PathBuf> = std::iter::once(program.clone()).chain(beside).collect();
    if all.len() == 1 {
        app.requests.edit = Some(program);
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
    app.popups.push(Popup::Choice(Box::new(Choice::new("Edit which file?", items, None))));
}

/// Gives the session a name.
pub(super) fn save(app: &mut App, name: &str) -> Result<(), Vec<Line>> {
    let mut path = std::path::PathBuf::from(name);
    if path.extension().is_none() {
        path.set_extension("ron");
    }
    match app.session.save_as(&path) {
        Ok(()) => {
            app.tell(
                Role::Good,
                format!("The session is saved in {}; {}", path.display(), replayed_by(&path)),
            );
            Ok(())
        }
        Err(problem) => Err(problem::brief(&problem)),
    }
}

/// Writes the session as a page, with what was measured beside it. What is there already is not replaced.
pub(super) fn export(app: &mut App, name: &str) -> Result<(), Vec<Line>> {
    let mut path = PathBuf::from(name);
    if path.extension().is_none() {
        path.set_extension("html");
    }
    let devices = app.queries.devices.as_ref().map(|list| list.devices.as_slice()).unwrap_or_default();
    let system = session::system();
    let (best, swept) = (app.best.as_deref(), app.swept.as_deref());
    let beside = Beside { peaks: &app.peaks, best, swept, devices, system: &system };
    let page = handover::page(&app.session, app.code.target, beside);
    let written = Whole::write(&path, false, |out| out.write_all(page.as_bytes())).and_then(Whole::place);
    written.map_err(|e| problem::brief(&not_written(&path, &e, Asked { by: ":export", force: false })))?;
    app.tell(Role::Good, format!("The session is written as a page to {}", path.display()));
    Ok(())
}

/// What says whether a session still holds.
fn replayed_by(session: &std::path::Path) -> String {
    format!(
        "in a shell, `shine-tui replay {}` does it again and says whether it still holds.",
        files::shell(session)
    )
}

/// Says how this session is replayed.
pub fn replay(app: &mut App) {
    let save = app.session.save_state();
    let text = match &save.path {
        None => {
            "This session is not recorded, so it cannot be replayed; {save} writes it to a file.".to_owned()
        }
        Some(path) if save.named => sentence(&replayed_by(path)),
        Some(path) => format!("{} {{save}} gives it a name of its own.", sentence(&replayed_by(path))),
    };
    let text = app.setup.keys.fill(&text);
    app.tell(Role::Hint, text);
}

/// Copies the command line that makes the present program of the file.
pub fn copy_command(app: &mut App) {
    if app.session.was_read_again() {
        let text = "This state was made of the program before it was read again, and its file holds another one now, so no \
                    command leads here from it. `export --folder` writes that program, with the strategy that leads here and \
                    the command that runs it.";
        return app.tell(Role::Warning, text);
    }
    let (history, workspace) = (app.session.history(), app.session.workspace());
    let origin = &workspace.texts.origin;
    let Some(file) = &origin.program else {
        let text = "Where the program of this session lies is not known here. `shine-tui export SESSION.ron --folder FOLDER` \
                    writes it, with the strategy that leads to its last state and the command that runs that.";
        return app.tell(Role::Warning, text);
    };
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let path = |path: &PathBuf| {
        let path = path.display().to_string();
        quote(&if path.starts_with('-') { format!("./{path}") } else { path })
    };
    let mut words = vec![path(file)];
    words.extend(workspace.def.iter().map(|def| format!("--def {}", quote(def))));
    words.extend(origin.rules.iter().map(|folder| format!("--rules {}", path(folder))));
    let asked = history.sizes_on_the_way(app.session.current());
    if asked.len() > 1 {
        let text = format!(
            "The steps to this program depend on the sizes, and these were changed between them ({}), so no command leads \
             here. `:save FILE.ron` keeps the session, and `shine-tui compile FILE.ron` begins where it ends.",
            handover::each(&asked)
        );
        return app.tell(Role::Warning, text);
    }
    let sizes = asked.first().copied().unwrap_or(app.session.sizes()).iter();
    let given = sizes.filter(|(name, value)| workspace.texts.default_sizes.get(&***name) != Some(*value));
    words.extend(given.map(|(name, value)| format!("--size {name}={value}")));
    let mut way = vec![];
    let mut at = app.session.current();
    while let (Some(revision), Some(parent)) = (history.revision(at), history.parent(at)) {
        way.push(revision.elevate.clone().unwrap_or_else(|| revision.label.clone()));
        at = parent;
    }
    words.extend(way.iter().rev().map(|strategy| format!("--strategy {}", quote(strategy))));
    let text = format!("shine-tui apply {}", words.join(" "));
    app.say(Role::Good, format!("Copied: {text}"));
    app.requests.copy = Some(text);
}
