//! Strategies and searches: where they run, listed, run, repeated.

use super::actions::{perform, typed};
use super::app::App;
use super::layout::Pane;
use super::popup::{EntryKind, How, Item, Popup, Value};
use super::script::{as_search, only_asks, searches, signature};
use crate::lang::path::Path;
use crate::lang::summary;
use crate::rewrite::strategy::script::Definition;
use crate::session::action::{Action, RevisionId};
use crate::session::foretold;
use crate::view::{Line, Role, crumbs};

/// Where strategies and searches run: at the selection, or on the whole program when that was asked for.
pub fn place(app: &App) -> Path {
    if app.whole { Path::root() } else { app.selection.clone() }
}

/// The place in words.
pub fn place_in_words(app: &App) -> String {
    let at = place(app);
    if at.is_root() { "the whole program".to_owned() } else { selection_in_words(app, &at) }
}

/// So many columns of a line that is said are for where something is.
const PLACE: usize = 40;

/// A selected part of the program in words.
pub fn selection_in_words(app: &App, at: &Path) -> String {
    let alphabet = app.setup.terminal.alphabet;
    format!("the selection {}", crumbs::place(app.session.term(), at, PLACE, alphabet))
}

/// Runs strategies on the whole program from now on, or at the selection again.
pub fn switch_place(app: &mut App) {
    app.whole = !app.whole;
    // What was said of the text was said of the other place.
    if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
        entry.forget_warning();
    }
    let text = if app.whole { "the whole program" } else { "the selection" };
    app.say(Role::Hint, format!("Strategies and searches run on {text} from now on."));
}

/// The strategies of the program and of the library as entries of a list; those that only ask are none to run.
pub fn items(app: &App, how: How) -> Vec<Item> {
    let workspace = app.session.workspace();
    let strategies = workspace.script.strategies();
    let mut all: Vec<_> = strategies.filter(|s| !only_asks(workspace, s)).collect();
    // The user's own come first, and those that need no arguments.
    all.sort_by_key(|s| (s.library, s.required() > 0));
    let item = |strategy: &Definition| {
        let name = strategy.name.to_string();
        let call = signature(workspace, &name).unwrap_or_else(|| name.clone());
        let rest = call.strip_prefix(&name).unwrap_or_default().to_owned();
        let doc = summary::of(strategy.doc());
        let value = match strategy.required() {
            0 => Value::Strategy(how, name.clone()),
            _ => Value::Call(how, format!("{name}(")),
        };
        let doc = if rest.is_empty() { doc } else { format!("{rest}  {doc}") };
        Item { name, key: "strategy".to_owned(), doc, disabled: None, value }
    };
    all.into_iter().map(item).collect()
}

/// Runs a strategy as one action. False when its text is wrong.
pub(super) fn run(app: &mut App, text: &str, at: Path) -> bool {
    let from = app.session.current();
    let done = perform(app, Action::Strategy { text: text.to_owned(), at });
    if done {
        note_search(app, text, from);
    }
    done
}

/// Runs a strategy or a search that was typed.
pub(super) fn run_typed(app: &mut App, kind: EntryKind, text: &str) -> Result<(), Vec<Line>> {
    let workspace = app.session.workspace();
    let search = if kind == EntryKind::Sketch { as_search(workspace, text) } else { Some(text.to_owned()) };
    let Some(search) = search else {
        return Err(vec![
            Line::of(Role::Error, "This strategy does not search: a search is a sketch, or has a `reach`."),
            Line::of(Role::Hint, format!("For example: {}", kind.example(workspace))),
        ]);
    };
    let at = place(app);
    let from = app.session.current();
    warn(app, text, &search, from, &at)?;
    typed(app, Action::Strategy { text: search.clone(), at })?;
    note_search(app, &search, from);
    Ok(())
}

/// Says what is known to stand in the way of a search from a state in what was typed, once: who takes the text again wants it all
/// the same.
pub(super) fn warn(
    app: &mut App,
    text: &str,
    search: &str,
    from: RevisionId,
    at: &Path,
) -> Result<(), Vec<Line>> {
    let Ok(strategy) = app.session.workspace().parse_strategy(search) else { return Ok(()) };
    let strategy = strategy.knowing(app.session.sizes());
    let Some(state) = app.session.history().revision(from) else { return Ok(()) };
    let said = foretold::of(app.session.workspace(), &state.term, &strategy, at);
    let part = selection_in_words(app, at);
    let (Some(said), Some(Popup::Entry(entry))) = (said, app.popups.last_mut()) else { return Ok(()) };
    if entry.warned.as_deref() == Some(text) {
        return Ok(());
    }
    entry.warned = Some(text.to_owned());
    let mut lines = vec![Line::of(Role::Warning, said.text)];
    if said.of_part {
        let text = format!(
            "That is said of {part}; {{typing-place}} in the prompt switches to the whole program, of which it is not known."
        );
        lines.push(Line::of(Role::Hint, app.setup.keys.fill(&text)));
    }
    lines.push(Line::of(Role::Hint, app.setup.keys.fill("{entry-accept} once more searches all the same.")));
    Err(lines)
}

/// A search is shown while it runs, and can be run again.
fn note_search(app: &mut App, text: &str, from: RevisionId) {
    if searches(app.session.workspace(), text) {
        app.search = Some(text.to_owned());
        app.measured_search = None;
        app.found.begun(text, from);
        app.focus.show(Pane::Search);
        app.touch(&[Pane::Search]);
    }
}

/// Runs the last search again.
pub fn search_again(app: &mut App) {
    if let Some(text) = app.search.clone() {
        let at = place(app);
        run(app, &text, at);
    }
}
