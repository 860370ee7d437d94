//! Moving: the highlight of a pane, what is seen of it, and to what is looked for.

use super::app::App;
use super::draw::room_of_pages;
use super::layout::Pane;
use super::panes::history;
use super::popup::Popup;
use super::window::occurrences;
use crate::view::{Line, Role};
use ratatui::layout::Rect;

/// Further than any text is long, and far from the limits of the type.
pub const FAR: isize = isize::MAX / 4;

/// The rows of the focused pane.
pub fn page(app: &App) -> isize {
    let rows = super::draw::room(app, app.focus.pane).map_or(1, |(rows, _)| rows);
    isize::try_from(rows).unwrap_or(1).max(1)
}

pub fn vertical(app: &mut App, by: isize) {
    vertical_in(app, app.focus.pane, by);
}

/// Moves in a pane, whether or not it has the keys.
pub fn vertical_in(app: &mut App, pane: Pane, by: isize) {
    if pane == Pane::Term {
        let path = match by {
            FAR.. => app.printed.step(&app.selection, by),
            i if i <= -FAR => Some(crate::lang::path::Path::root()),
            _ => app.printed.step_lines(&app.selection, by),
        };
        if let Some(path) = path {
            app.select(path);
        }
        return;
    }
    let by = match (pane, by) {
        (Pane::History, 1 | -1) => history::to_state(app, by > 0),
        _ => by,
    };
    let (content, window) = app.pane_mut(pane);
    window.step(content, by);
    app.moved(pane);
}

/// Scrolls a pane by so many lines: in the term what is seen, and the selection stays; in a list the highlight goes with it.
pub fn wheel(app: &mut App, pane: Pane, by: isize) {
    if pane == Pane::Term {
        let (content, window) = app.pane_mut(pane);
        window.step(content, by);
    } else {
        vertical_in(app, pane, by);
    }
}

pub fn horizontal(app: &mut App, by: isize) {
    let pane = app.focus.pane;
    if pane == Pane::Term {
        if let Some(path) = app.printed.step(&app.selection, by) {
            app.select(path);
        }
        return;
    }
    let (content, window) = app.pane_mut(pane);
    window.slide(content, by * 4);
}

/// Where to look for a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// From the present line on.
    Here,
    /// After it.
    Next,
    /// Before it.
    Previous,
}

/// Goes to a place that has what is looked for.
pub fn find(app: &mut App, search: Search) {
    let pane = app.focus.pane;
    let text = app.window(pane).find.clone();
    let present = match pane {
        Pane::Term => app.printed.place(&app.selection).map_or(0, |(line, _, _)| line),
        _ if app.content(pane).list => app.window(pane).cursor,
        _ => app.window(pane).top,
    };
    let from = if search == Search::Here { present.checked_sub(1) } else { Some(present) };
    let (content, window) = app.pane_mut(pane);
    let Some(line) = window.find_next(content, from, search != Search::Previous) else {
        app.say(Role::Warning, format!("`{text}` is not in this pane."));
        return;
    };
    if pane == Pane::Term {
        let shown = app.content(pane).lines.bare().get(line).map(Line::text).unwrap_or_default();
        let range = occurrences(&shown, &text).into_iter().next();
        if let Some(path) = range.and_then(|range| app.printed.covering(line, range)) {
            app.select(path);
        }
    }
    app.moved(pane);
}

/// Scrolls the page that lies over the panes.
pub fn scroll(app: &mut App, lines: isize, columns: isize) {
    // Two rows of the screen are not for pages.
    let area = Rect::new(0, 0, app.size.0, app.size.1.saturating_sub(2));
    if let Some(Popup::Page(page)) = app.popups.last_mut() {
        page.scroll_by((lines, columns), room_of_pages(area));
    }
}
