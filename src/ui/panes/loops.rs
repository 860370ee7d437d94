//! The loops that run.

use super::alphabet;
use super::{Description, Operation, all_rows, highlighted_text, kernel, rules};
use crate::lang::path::Path;
use crate::lower::nest;
use crate::ui::app::App;
use crate::ui::command::{Command as C, always};
use crate::ui::layout::Pane;
use crate::ui::queries::Query;
use crate::ui::window::Content;
use crate::view::{Line, Role, loops};

/// The pane.
pub const PANE: Description = Description {
    title: "Loops",
    reached_by: C::Loops,
    content,
    wish: all_rows,
    follow: &[],
    open: Operation {
        word: Some("select"),
        doc: "Select the part of the term that the highlighted loop stands for.",
        enabled: always,
        run: open,
    },
    preview: rules::PREVIEW,
    fold: None,
    // Without the lines that show how deep it lies.
    copied: |app| highlighted_text(app).trim_start_matches(['│', '|', ' ']).to_owned(),
    hints: &[C::Open, C::Undo, C::Strategy, C::Sketch, C::Bench],
};

fn rows(app: &App) -> Vec<loops::Row> {
    let Some(nest) = app.nest.get() else { return Vec::new() };
    let note = loops::note(app.session.term(), app.code.target);
    loops::rows_of(nest, note, &app.selection, app.code.target, alphabet(app))
}

/// The code that tells whether threads share out the loops, where these ask for it.
pub fn unknown_threads(app: &App) -> Option<Query> {
    let nest = app.nest.get()?;
    let query = kernel::query(app);
    let asks = nest.lines.iter().any(loops::asks_for_threads);
    (asks && app.queries.kernel(&query).is_none()).then_some(query)
}

/// What is said where loops ask for threads and the code that is shown starts none.
pub fn threadless(app: &App) -> Option<&'static str> {
    let nest = app.nest.get()?;
    let made = app.queries.kernel(&kernel::query(app))?;
    let module = made.as_ref().as_ref().ok()?.module.as_ref().ok()?;
    loops::threadless(nest, module)
}

/// Reads the loops off the present term where that is another, or has other sizes.
pub fn refresh(app: &mut App) {
    let (term, sizes) = (app.session.term(), app.session.sizes());
    app.nest.refresh(term, sizes, || nest(term, sizes));
}

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let nest = rows(app);
    if nest.is_empty() {
        return Content::says(vec![Line::of(Role::Dim, "The term has no loops.")]);
    }
    let marked =
        |row: &loops::Row| !app.selection.is_root() && row.path.strip_prefix(&app.selection).is_some();
    let sight = nest.iter().position(marked).zip(nest.iter().rposition(marked));
    let head = threadless(app).map(|text| Line::of(Role::Dim, text).wrap(width, 2)).unwrap_or_default();
    Content {
        head,
        lines: nest.into_iter().map(|row| row.line).collect(),
        list: true,
        sight,
        ..Content::default()
    }
}

/// The sub-term of the highlighted loop.
pub fn highlighted(app: &App) -> Option<Path> {
    rows(app).get(app.window(Pane::Loops).cursor).map(|row| row.path.clone())
}

/// Selects the sub-term of the highlighted loop.
pub fn open(app: &mut App) {
    match highlighted(app) {
        Some(path) => {
            app.select(path);
            app.focus.go(Pane::Term);
        }
        None => app.say(Role::Warning, "The term has no loops."),
    }
}
