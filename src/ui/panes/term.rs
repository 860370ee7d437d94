//! The typed term, with the selected sub-term.

use super::alphabet;
use super::{Description, Wish, bench, rules};
use crate::lang::summary;
use crate::lang::term::Term;
use crate::ui::app::App;
use crate::ui::command::Command as C;
use crate::ui::layout::Pane;
use crate::ui::window::Content;
use crate::view::{Line, Mark, Role, crumbs};

/// The pane.
pub const PANE: Description = Description {
    title: "Term",
    reached_by: C::Term,
    content,
    // The type of the selection, and what its pattern does or what the program costs.
    wish: |content| Wish { rows: content.lines.len() + 3, spare: 0 },
    follow: &[],
    open: rules::OPEN,
    preview: rules::PREVIEW,
    fold: None,
    copied: selected_text,
    hints: &[C::Open, C::Preview, C::Shrink, C::Grow, C::Strategy, C::Point, C::Undo, C::Sketch, C::Bench],
};

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let focused = app.focus.pane == Pane::Term;
    let mark = if focused { Mark::Selected } else { Mark::Remembered };
    let selected = app.session.term().at(&app.selection);
    let ty = selected.map(|t| t.ty().to_string()).unwrap_or_default();
    // Marking everything would say nothing.
    let whole = app.selection.is_root();
    let place = match whole {
        true => "all".to_owned(),
        false => crumbs::place(app.session.term(), &app.selection, width / 2, alphabet(app)),
    };
    let at = Line::of(Role::Dim, format!("{place} : ")).with(Role::Type, ty);
    let mut head = vec![at.fit(width, alphabet(app))];
    // What a pattern does, from the table or from the program that declares it.
    head.extend(selected.and_then(Term::as_pattern).map(|p| {
        let doc = summary::of(p.row().doc);
        Line::of(Role::Dim, format!("{p}: {doc}")).fit(width, alphabet(app))
    }));
    if whole {
        head.extend(bench::costs(app).into_iter().flat_map(|line| line.wrap(width, 2)));
    }
    // Where the highlighted rule applies, if that is elsewhere.
    let rule = app.candidate().filter(|c| c.result.is_ok() && c.at != app.selection).map(|c| c.at.clone());
    let lines = match rule {
        Some(at) if whole => app.printed.marked(&at, Mark::Remembered),
        Some(at) if !focused => app.printed.marked(&at, Mark::Remembered),
        _ if whole => app.printed.shared(),
        _ => app.printed.marked(&app.selection, mark),
    };
    Content {
        head,
        lines,
        sight: app.printed.place(&app.selection).map(|(first, last, _)| (first, last)),
        ..Content::default()
    }
}

/// The text of the selected sub-term.
pub fn selected_text(app: &App) -> String {
    app.printed.text(&app.selection)
}
