//! The panes. Each is a file: what it shows, and what its keys do with that.

pub mod bench;
pub mod history;
pub mod jobs;
pub mod kernel;
pub mod loops;
pub mod rules;
pub mod search;
pub mod term;

use super::app::App;
use super::layout::Pane;
use super::window::{Body, occurrences};
use crate::lang::term::Term;
use crate::view::diff::Counts;
use crate::view::term::Printed;
use crate::view::{Alphabet, Line, Role, diff};

/// What a pane shows, for a width.
pub fn body(app: &App, pane: Pane, width: usize) -> Body {
    let mut body = match pane {
        Pane::Term => term::body(app, width),
        Pane::Loops => loops::body(app),
        Pane::Rules => rules::body(app, width),
        Pane::Search => search::body(app, width),
        Pane::Kernel => kernel::body(app, width),
        Pane::Bench => bench::body(app, width),
        Pane::History => history::body(app, width),
        Pane::Jobs => jobs::body(app, width),
    };
    let find = &app.window(pane).find;
    if !find.is_empty() && pane != Pane::Rules {
        let count = body.lines.iter().map(|line| occurrences(&line.text(), find).len()).sum::<usize>();
        body.note = Line::of(Role::Hint, format!(" /{find}: {count} "));
    }
    body
}

/// Rows for what is said of the highlighted line, which differs from line to line while the layout stays.
const ABOUT: usize = 8;

/// How many rows a pane has something to show in. It depends on neither height nor highlight, so that nothing jumps.
pub fn wish(pane: Pane, body: &Body) -> usize {
    let lines = body.lines.len();
    match pane {
        // The type of the selection, and what its pattern does.
        Pane::Term => lines + 2,
        Pane::Rules | Pane::Kernel | Pane::Bench | Pane::History => lines + ABOUT,
        Pane::Loops | Pane::Search | Pane::Jobs => body.head.len() + lines + body.foot.len(),
    }
}

fn alphabet(app: &App) -> Alphabet {
    app.setup.caps.alphabet
}

/// Enter: opens what is highlighted in the pane that has the keys.
pub fn open(app: &mut App) {
    match app.focus.pane {
        Pane::Term | Pane::Rules => rules::open(app),
        Pane::Loops => loops::open(app),
        Pane::Search => search::preview(app),
        Pane::Bench => bench::open(app),
        Pane::History => history::open(app),
        Pane::Kernel => kernel::open(app),
        Pane::Jobs => {}
    }
}

/// Shows what Enter would do; in the history and after a search, the steps that led to a state.
pub fn preview(app: &mut App) {
    match app.focus.pane {
        Pane::History => history::preview(app),
        Pane::Search => search::preview(app),
        _ => rules::preview(app),
    }
}

/// Copies the selection: the sub-term, or the highlighted line, or the code.
pub fn copy(app: &mut App) {
    let text = match app.focus.pane {
        Pane::Term => term::selected_text(app),
        Pane::Kernel => kernel::text(app).unwrap_or_default(),
        pane if app.body(pane).list => {
            app.body(pane).lines.get(app.window(pane).cursor).map(Line::text).unwrap_or_default()
        }
        pane => app.body(pane).lines.iter().map(Line::text).collect::<Vec<_>>().join("\n"),
    };
    app.say(Role::Good, format!("Copied {} characters to the terminal's clipboard.", text.chars().count()));
    app.effects.copy = Some(text);
}

/// The difference of two terms, as they are printed in a popup.
pub fn difference(app: &App, old: &Term, new: &Term, context: Option<usize>) -> (Vec<Line>, Counts) {
    let width = usize::from(app.size.0).saturating_sub(8).clamp(20, 120);
    let print = |term: &Term| Printed::of(term, width, alphabet(app));
    diff::of_lines(print(old).lines(), print(new).lines(), context)
}
