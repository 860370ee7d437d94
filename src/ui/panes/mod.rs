//! The panes. Each is a file: what it shows, how much room that needs, and what its keys do with it.

pub mod bench;
pub mod best;
pub mod history;
pub mod jobs;
pub mod kernel;
pub mod loops;
pub mod rules;
pub mod search;
pub mod sketch;
pub mod term;

use super::app::App;
use super::command::{Command, Enabled};
use super::facts::Facts;
use super::layout::Pane;
use super::window::{Content, occurrences};
use crate::view::{Alphabet, Line, Role};

/// All that is special about a pane.
pub struct Description {
    /// The word on its tab.
    pub title: &'static str,
    /// The command that gives it the keys.
    pub reached_by: Command,
    /// What it shows, for a width.
    pub content: fn(&App, usize) -> Content,
    /// How many rows it has something to show in. It depends on neither height nor highlight, so that nothing jumps.
    pub wish: fn(&Content) -> Wish,
    /// The panes that show something else when its highlight moves.
    pub follow: &'static [Pane],
    /// Enter.
    pub open: Operation,
    /// Shows what Enter would do, or how something came about.
    pub preview: Operation,
    /// Opens or closes what it folds, where it folds something.
    pub fold: Option<Folding>,
    /// What is copied from it.
    pub copied: fn(&App) -> String,
    /// The commands worth a hint, most useful first.
    pub hints: &'static [Command],
}

/// What a pane folds.
pub struct Folding {
    /// Whether something of it can be opened or closed now: in the history, the highlighted row.
    pub can: fn(&App) -> bool,
    /// Why nothing can, where nothing can.
    pub nothing: &'static str,
    /// Opens or closes it.
    pub run: fn(&mut App),
}

/// What a key does in one pane.
pub struct Operation {
    /// The word for the hint, where the key's own does not say it.
    pub word: Option<&'static str>,
    /// What it does, for the list of commands.
    pub doc: &'static str,
    /// Whether it can be done now, and if not, why.
    pub enabled: fn(&Facts) -> Enabled,
    /// Does it.
    pub run: fn(&mut App),
}

/// The description of a pane.
pub fn of(pane: Pane) -> &'static Description {
    match pane {
        Pane::Term => &term::PANE,
        Pane::Loops => &loops::PANE,
        Pane::Rules => &rules::PANE,
        Pane::Search => &search::PANE,
        Pane::Sketch => &sketch::PANE,
        Pane::Best => &best::PANE,
        Pane::Kernel => &kernel::PANE,
        Pane::Bench => &bench::PANE,
        Pane::History => &history::PANE,
        Pane::Jobs => &jobs::PANE,
    }
}

/// What a command does in a pane, where that differs from pane to pane.
pub fn operation(pane: Pane, command: Command) -> Option<&'static Operation> {
    match command {
        Command::Open => Some(&of(pane).open),
        Command::Preview => Some(&of(pane).preview),
        _ => None,
    }
}

/// The pane that a command gives the keys to.
pub fn reached_by(command: Command) -> Option<Pane> {
    Pane::ALL.into_iter().find(|pane| of(*pane).reached_by == command)
}

/// What a pane shows, for a width, with what is looked for in it.
pub fn content(app: &App, pane: Pane, width: usize) -> Content {
    let mut content = (of(pane).content)(app, width);
    let find = &app.window(pane).find;
    if !find.is_empty() && pane != Pane::Rules {
        let count =
            content.lines.bare().iter().map(|line| occurrences(&line.text(), find).len()).sum::<usize>();
        content.note = Line::of(Role::Hint, format!(" /{find}: {count} "));
    }
    content
}

/// Rows for what is said of the highlighted line, which differs from line to line while the layout stays.
const ABOUT: usize = 8;
/// So many of them are done without where another pane has no room for its lines.
const ABOUT_SPARE: usize = 4;

/// The rows that a pane has something to show in, and how many of these it can do without.
#[derive(Clone, Copy)]
pub struct Wish {
    pub rows: usize,
    pub spare: usize,
}

/// The wish of a pane that says something about its highlighted line.
fn lines_and_about(content: &Content) -> Wish {
    Wish { rows: content.lines.len() + ABOUT, spare: ABOUT_SPARE }
}

/// The wish of a pane that also has much to say above its lines.
fn head_lines_and_about(content: &Content) -> Wish {
    let wish = lines_and_about(content);
    Wish { rows: wish.rows + content.head.len() + content.unseen, ..wish }
}

/// The wish of a pane that says nothing about its highlighted line.
fn all_rows(content: &Content) -> Wish {
    Wish { rows: content.head.len() + content.lines.len() + content.foot.len(), spare: 0 }
}

fn alphabet(app: &App) -> Alphabet {
    app.setup.terminal.alphabet
}

/// Enter: opens what is highlighted in the pane that has the keys.
pub fn open(app: &mut App) {
    (of(app.focus.pane).open.run)(app);
}

/// Shows what Enter would do; in the history and after a search, the steps that led to a state.
pub fn preview(app: &mut App) {
    (of(app.focus.pane).preview.run)(app);
}

/// Opens or closes what the pane that has the keys folds.
pub fn fold(app: &mut App) {
    if let Some(fold) = &of(app.focus.pane).fold {
        (fold.run)(app);
    }
}

/// Copies the selection: the sub-term, or the highlighted line, or the code.
pub fn copy(app: &mut App) {
    let text = (of(app.focus.pane).copied)(app);
    app.say(Role::Good, format!("Copied {} characters to the terminal's clipboard.", text.chars().count()));
    app.requests.copy = Some(text);
}

/// The highlighted line of the pane that has the keys; all lines where none is highlighted.
fn highlighted_text(app: &App) -> String {
    let pane = app.focus.pane;
    let lines = &app.content(pane).lines;
    if app.content(pane).list {
        return lines.bare().get(app.window(pane).cursor).map(Line::text).unwrap_or_default();
    }
    lines.bare().iter().map(Line::text).collect::<Vec<_>>().join("\n")
}
