//! Keys and texts that go to what is being typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::App;
use super::layout::Pane;
use super::movement::vertical;
use super::popup::{EntryKind, Popup};
use super::{accept, complete};
use crate::view::Role;

/// Gives a key to the text that is being typed. False when none is.
pub fn key(app: &mut App, key: KeyEvent) -> bool {
    let recall = &app.recall;
    match app.popups.last_mut() {
        Some(Popup::Choice(choice)) => {
            // A line has no line ends.
            if !matches!(key.code, KeyCode::Enter) {
                choice.area.input(key);
                choice.narrow();
            }
            true
        }
        Some(Popup::Entry(entry)) if entry.kind == EntryKind::Find => {
            let by = match key.code {
                KeyCode::Up => -1,
                KeyCode::Down => 1,
                _ => 0,
            };
            if by == 0 {
                entry.area.input(key);
                let text = entry.text();
                accept::filter(app, &text);
            } else if app.focus.pane == Pane::Rules {
                vertical(app, by);
            }
            true
        }
        Some(Popup::Entry(entry)) => {
            match key.code {
                KeyCode::Up if entry.at_first_line() => entry.older(recall),
                KeyCode::Down if entry.at_last_line() => entry.newer(recall),
                KeyCode::Char('m') if key.modifiers == KeyModifiers::CONTROL => {}
                _ => drop(entry.area.input(key)),
            }
            entry.edited();
            true
        }
        _ => false,
    }
}

/// Text was pasted: it goes where text is typed, and nowhere else, lest it be taken for keys.
pub fn paste(app: &mut App, text: &str) {
    match app.popups.last_mut() {
        Some(Popup::Choice(choice)) => {
            let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            choice.area.insert_str(line);
            choice.narrow();
        }
        Some(Popup::Entry(entry)) => entry.insert(text),
        _ => {
            let text =
                app.setup.keys.fill("There is nothing to paste into; press {palette} or {strategy} first.");
            app.say(Role::Hint, text);
        }
    }
}

/// Closes a popup with typed text; what was typed can be brought back.
pub fn close(app: &mut App) {
    if let Some(Popup::Entry(entry)) = app.popups.pop() {
        app.recall.add(entry.kind, &entry.text());
        if entry.kind == EntryKind::Find {
            accept::filter(app, &entry.before);
        }
    }
}

/// Deletes what is typed, up to the cursor.
pub fn clear_line(app: &mut App) {
    match app.popups.last_mut() {
        Some(Popup::Choice(choice)) => {
            choice.area.delete_line_by_head();
            choice.narrow();
        }
        Some(Popup::Entry(entry)) => {
            // At the head of a line it is joined to the one before.
            while entry.area.delete_line_by_head() {}
            entry.edited();
            let (kind, text) = (entry.kind, entry.text());
            if kind == EntryKind::Find {
                accept::filter(app, &text);
            }
        }
        _ => {}
    }
}

/// Completes the word that is typed; in a filter, goes back to the list and keeps it.
pub fn complete(app: &mut App) {
    let Some(Popup::Entry(entry)) = app.popups.last() else { return };
    if entry.kind == EntryKind::Find {
        app.popups.pop();
        return;
    }
    let fits = complete::at(app, entry.kind, &entry.before_cursor());
    let Some(text) = fits.taken().map(str::to_owned) else {
        return app.say(Role::Hint, "Nothing is known that goes on like this.");
    };
    if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
        entry.replace_word(&fits.word, &text);
    }
}
