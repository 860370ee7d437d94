//! Strategies and searches: listed, run, repeated.

use super::app::App;
use super::doing::{perform, typed};
use super::layout::Pane;
use super::looks::searches;
use super::popup::{EntryKind, Item, Value};
use crate::lang::path::Path;
use crate::rewrite::strategy::script::Definition;
use crate::session::action::Action;
use crate::view::{Line, Role};

/// The strategies of the program and of the library as entries of a list.
pub fn items(app: &App) -> Vec<Item> {
    let script = &app.session.workspace().script;
    // The user's own come first; those that need arguments have to be typed.
    let mut all: Vec<_> = script.strategies().filter(|s| s.required() == 0).collect();
    all.sort_by_key(|s| s.library);
    let item = |strategy: &Definition| Item {
        name: strategy.name.to_string(),
        key: "strategy".to_owned(),
        doc: strategy.doc().lines().next().unwrap_or_default().to_owned(),
        disabled: None,
        value: Value::Strategy(strategy.name.to_string()),
    };
    all.into_iter().map(item).collect()
}

/// Runs a strategy as one action. False when its text is wrong.
pub(super) fn run(app: &mut App, text: &str) -> bool {
    let at = Path::root();
    if searches(app.session.workspace(), text) {
        app.search = Some(text.to_owned());
        app.found.begun(text);
        app.focus.show(Pane::Search);
    }
    perform(app, Action::Strategy { text: text.to_owned(), at })
}

/// Runs a strategy or a search that was typed.
pub(super) fn run_typed(app: &mut App, kind: EntryKind, text: &str) -> Result<(), Vec<Line>> {
    if kind == EntryKind::Sketch && !searches(app.session.workspace(), text) {
        return Err(vec![
            Line::of(Role::Error, "A search begins with `reach`."),
            Line::of(Role::Hint, format!("For example: {}", kind.example())),
        ]);
    }
    let searches = searches(app.session.workspace(), text);
    let at = Path::root();
    typed(app, Action::Strategy { text: text.to_owned(), at })?;
    if searches {
        app.search = Some(text.to_owned());
        app.found.begun(text);
        app.focus.show(Pane::Search);
    }
    Ok(())
}

/// Runs the last search again.
pub fn search_again(app: &mut App) {
    if let Some(text) = app.search.clone() {
        run(app, &text);
    }
}
