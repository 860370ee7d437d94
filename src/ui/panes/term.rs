//! The typed term, with the selected sub-term.

use crate::lang::term::Term;
use crate::ui::app::App;
use crate::ui::layout::Pane;
use crate::ui::window::Body;
use crate::view::{Line, Mark, Role};

/// What the pane shows.
pub fn body(app: &App) -> Body {
    let focused = app.focus.pane == Pane::Term;
    let mark = if focused { Mark::Selected } else { Mark::Remembered };
    let selected = app.session.term().at(&app.selection);
    let ty = selected.map(|t| t.ty().to_string()).unwrap_or_default();
    // Marking everything would say nothing.
    let whole = app.selection.is_root();
    let place = if whole { "all".to_owned() } else { app.selection.to_string() };
    let mut head = vec![Line::of(Role::Dim, format!("{place} : ")).with(Role::Type, ty)];
    // What a pattern does, from the table or from the program that declares it.
    head.extend(selected.and_then(Term::as_pattern).map(|p| {
        let doc = p.row().doc.lines().next().unwrap_or_default();
        Line::of(Role::Dim, format!("{p}: {doc}"))
    }));
    // Where the highlighted rule applies, if that is elsewhere.
    let rule = app.candidate().filter(|c| c.result.is_ok() && c.at != app.selection).map(|c| c.at.clone());
    let lines = match rule {
        Some(at) if whole => app.printed.marked(&at, Mark::Remembered),
        Some(at) if !focused => app.printed.marked(&at, Mark::Remembered),
        _ if whole => app.printed.lines().to_vec(),
        _ => app.printed.marked(&app.selection, mark),
    };
    Body {
        head,
        lines,
        sight: app.printed.place(&app.selection).map(|(first, last, _)| (first, last)),
        ..Body::default()
    }
}

/// The text of the selected sub-term.
pub fn selected_text(app: &App) -> String {
    app.printed.text(&app.selection)
}
