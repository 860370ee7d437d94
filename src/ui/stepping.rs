//! Taking a strategy step by step: each rule application is shown as a difference and taken or not.
//!
//! The steps are known before the first is taken. Each step taken is an action of its own, so it can be undone, and
//! the strategy gone on with from any of its states. When the files of strategies change meanwhile, the strategy is
//! run again from where it was started, and goes on where the two ways part.

use super::actions::{close_pages, failed, perform, show_problem};
use super::app::{App, Stepping};
use super::command::Command;
use super::compared;
use super::panes::history::step_trail;
use super::popup::{Choice, Entry, EntryKind, How, Page, Popup, Purpose};
use super::queries::{Query, Walk};
use super::script::searches;
use super::{program, strategies};
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::session::action::{Action, RevisionId};
use crate::view::{Line, Role};

/// `t`: shows the next step of the strategy, or asks for one.
pub fn step(app: &mut App) {
    let current = app.session.current();
    match &app.stepping {
        Some(s) if s.taken(current).is_some() && is_outdated(app, s) => {
            let query = Query::Steps { revision: s.revisions[0], text: s.text.clone(), at: s.at.clone() };
            app.say(Role::Hint, format!("Looking where `{}` leads now …", s.text));
            app.queries.ask(&app.session, query);
        }
        Some(s) if s.taken(current).is_some_and(|taken| taken < s.steps.len()) => show(app),
        Some(s) if s.taken(current).is_some() => {
            let text =
                format!("`{}` has come to its end; {{step}} once more asks for another strategy.", s.text);
            app.stepping = None;
            let text = app.setup.keys.fill(&text);
            app.say(Role::Hint, text);
        }
        _ => {
            app.stepping = None;
            let items = strategies::items(app, How::Step);
            let choice = Choice::new("Step through which strategy", items, Some(How::Step));
            app.popups.push(Popup::Choice(Box::new(choice)));
        }
    }
}

fn is_outdated(app: &App, stepping: &Stepping) -> bool {
    stepping.definitions != app.session.workspace().texts.files
}

/// Asks which steps a strategy takes from here. One that searches is run instead; its steps are shown afterwards.
pub fn start(app: &mut App, text: &str) {
    let at = strategies::place(app);
    if searches(app.session.workspace(), text) {
        if strategies::run(app, text, at) {
            app.walk = Some(text.to_owned());
        }
        return;
    }
    app.stepping = None;
    let query = Query::Steps { revision: app.session.current(), text: text.to_owned(), at };
    app.queries.ask(&app.session, query);
    app.say(Role::Hint, format!("Looking where `{text}` leads …"));
}

/// The steps of a strategy are known.
pub fn known(app: &mut App, base: RevisionId, text: String, at: Path, walk: Result<Walk, Diagnostic>) {
    show_keys(app);
    let Walk { steps, stuck } = match walk {
        Ok(walk) => walk,
        Err(problem) => return failed(app, &text, &at, &problem),
    };
    let definitions = app.session.workspace().texts.files.clone();
    let before = app.stepping.take().filter(|s| s.revisions[0] == base && s.text == text);
    match before {
        Some(before) => {
            let same = before.steps.iter().zip(&steps).take_while(|(a, b)| a.after == b.after).count();
            let taken = before.taken(app.session.current()).unwrap_or(0);
            let mut revisions = before.revisions;
            revisions.truncate(same + 1);
            if taken > same {
                let revision = revisions[revisions.len() - 1];
                let number = same + 1;
                app.stepping = Some(Stepping { text, at, steps, stuck, revisions, definitions });
                perform(app, Action::Goto { revision });
                app.settle();
                app.tell(
                    Role::Warning,
                    format!("The strategy is another from step {number} on: back before it."),
                );
            } else {
                app.stepping = Some(Stepping { text, at, steps, stuck, revisions, definitions });
            }
        }
        None if base != app.session.current() => return,
        None if steps.is_empty() => {
            return app.tell(Role::Warning, format!("`{text}` changes nothing here."));
        }
        None => app.stepping = Some(Stepping { text, at, steps, stuck, revisions: vec![base], definitions }),
    }
    show(app);
}

/// Shows the next step as a difference.
pub(super) fn show(app: &mut App) {
    close_pages(app, &Purpose::Steps);
    let Some(stepping) = &app.stepping else { return };
    let Some(taken) = stepping.taken(app.session.current()) else { return };
    let Some(step) = stepping.steps.get(taken) else {
        if let Some(problem) = stepping.stuck.clone() {
            let start = stepping.revisions.first().copied().unwrap_or_default();
            let text = format!(
                "`{}` gets no further. Its steps were taken one by one and stay; it was started at revision {start}, to which \
                 {{history}} leads back.",
                stepping.text
            );
            show_problem(app, &problem);
            let text = app.setup.keys.fill(&text);
            return app.tell(Role::Warning, text);
        }
        let (text, at) = (stepping.text.clone(), stepping.at.clone());
        // What is run next runs where this was run, not where its last rewrite was.
        app.select(at);
        let key = app.setup.keys.key(Command::Undo).unwrap_or_default();
        return app.tell(Role::Good, format!("`{text}` is done; {key} goes back."));
    };
    let (number, total) = (taken + 1, stepping.steps.len());
    // Where there is little room, it is the strategy that is cut: who takes it step by step has typed it.
    let title = format!("step {number} of {total}, {step}: {}", stepping.text);
    let mut lines = compared::at_once(app, app.session.term(), &step.after, Some(3));
    if stepping.stuck.is_some() {
        let text = format!(
            "After {} the strategy fails.",
            if total == 1 { "this step" } else { "the last of these steps" }
        );
        lines.insert(0, Line::of(Role::Warning, text));
    }
    app.popups.push(Popup::Page(Page::difference(title, lines, Purpose::Steps)));
}

/// Takes the step that is shown and shows the next one.
pub fn next(app: &mut App) {
    if app.trail.is_some() {
        return step_trail(app, 1);
    }
    if app.mending.is_some() {
        return program::step_mending(app, 1);
    }
    if take(app) {
        show_keys(app);
        show(app);
    }
}

/// What a step did is seen in what is shown; the line of hints is for the keys that go on.
fn show_keys(app: &mut App) {
    app.notice = None;
}

/// Takes one step. False when there is none or it does not apply.
fn take(app: &mut App) -> bool {
    let Some(stepping) = &app.stepping else { return false };
    let Some(taken) = stepping.taken(app.session.current()) else { return false };
    let Some(step) = stepping.steps.get(taken).cloned() else { return false };
    let selection = step.at.clone();
    // A step that was taken before is in the history.
    let action = match stepping.revisions.get(taken + 1) {
        Some(revision) => Action::Goto { revision: *revision },
        None => Action::Apply { rule: step.rule, at: step.at },
    };
    if !perform(app, action) {
        return false;
    }
    let current = app.session.current();
    if let Some(stepping) = &mut app.stepping
        && stepping.revisions.len() == taken + 1
    {
        stepping.revisions.push(current);
    }
    app.settle();
    app.select(selection);
    true
}

/// Goes back to before the step that was taken last.
pub fn previous(app: &mut App) {
    if app.trail.is_some() {
        return step_trail(app, -1);
    }
    if app.mending.is_some() {
        return program::step_mending(app, -1);
    }
    let Some(stepping) = &app.stepping else { return };
    let Some(taken) = stepping.taken(app.session.current()) else { return };
    let Some(before) = taken.checked_sub(1) else {
        return app.say(Role::Hint, "This is where the strategy was started.");
    };
    let (revision, selection) = (stepping.revisions[before], stepping.steps[before].at.clone());
    if perform(app, Action::Goto { revision }) {
        app.settle();
        app.select(selection);
        show_keys(app);
        show(app);
    }
}

/// `T`: takes all the steps that are left, or asks for a strategy and runs it whole.
pub fn run_all(app: &mut App) {
    let taken = app.stepping.as_ref().and_then(|s| s.taken(app.session.current()));
    match (&app.stepping, taken) {
        (Some(stepping), Some(0)) => {
            let (text, at) = (stepping.text.clone(), stepping.at.clone());
            close_pages(app, &Purpose::Steps);
            app.stepping = None;
            strategies::run(app, &text, at);
        }
        (Some(stepping), Some(taken)) if taken < stepping.steps.len() => {
            if let Some(problem) = stepping.stuck.clone() {
                let key = app.setup.keys.key(Command::PageNext).unwrap_or_default();
                close_pages(app, &Purpose::Steps);
                show_problem(app, &problem);
                let text = format!(
                    "The steps that are left end in a failure and were not taken; {key} takes them one by one."
                );
                return app.tell(Role::Warning, text);
            }
            while take(app) {}
            show(app);
        }
        _ => app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Strategy, "")))),
    }
}
