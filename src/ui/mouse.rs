//! The mouse: a click takes the tab, the pane and the row under it, the wheel scrolls what is under it, and borders between panes
//! are dragged.
//!
//! Nothing is applied or run by it. `mouse: false` in the configuration, or `:mouse`, leaves it to the terminal.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::app::App;
use super::layout::{self, Layout, Pane, Place};
use super::paint::tab_at;
use super::popup::Popup;
use super::splits::{self, Split};
use super::update::go;
use super::{lists, movement};
use crate::view::Role;

/// How many lines the wheel scrolls.
const WHEEL: isize = 3;

/// The mouse did something.
pub fn mouse(app: &mut App, event: MouseEvent) {
    // What is beyond an edge, as while a terminal becomes smaller, is at it.
    let at_most = |place: u16, size: u16| place.min(size.saturating_sub(1));
    let (column, row) = (at_most(event.column, app.size.0), at_most(event.row, app.size.1));
    let event = MouseEvent { column, row, ..event };
    let by = match event.kind {
        MouseEventKind::ScrollUp => -WHEEL,
        MouseEventKind::ScrollDown => WHEEL,
        MouseEventKind::Down(MouseButton::Left) => {
            app.dragged =
                if app.popups.is_empty() { splits::under(app, event.column, event.row) } else { None };
            if app.dragged.is_none() {
                click(app, event.column, event.row);
            }
            return;
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(edge) = app.dragged {
                let to = if matches!(edge.split, Split::Column(_)) { event.column } else { event.row };
                splits::drag(app, edge, to);
            }
            return;
        }
        MouseEventKind::Up(MouseButton::Left) => {
            app.dragged = None;
            return;
        }
        _ => return,
    };
    match app.popups.last() {
        Some(Popup::Page(_)) => movement::scroll(app, by, 0),
        Some(Popup::Choice(_)) => lists::step(app, by.signum()),
        Some(_) => {}
        None => {
            if let Some(place) = place_at(app, event.column, event.row) {
                movement::wheel(app, place.pane, by);
            }
        }
    }
}

fn place_at(app: &App, column: u16, row: u16) -> Option<Place> {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    let Layout::Panes { places, .. } = layout::layout(area, app.focus, app.wishes()) else { return None };
    places.into_iter().find(|place| place.area.contains(Position::new(column, row)))
}

fn click(app: &mut App, column: u16, row: u16) {
    app.notice = None;
    app.pending.clear();
    if !app.popups.is_empty() {
        return;
    }
    let Some(place) = place_at(app, column, row) else { return };
    let inner = layout::inside(place.area);
    let columns = usize::from(column.saturating_sub(inner.x));
    if row == place.area.y {
        let width = usize::from(inner.width);
        if let Some(pane) = tab_at(place.tabs, place.pane, &app.setup.keys, width, columns) {
            go(app, pane);
        }
        return;
    }
    let pane = place.pane;
    go(app, pane);
    let (content, window) = app.pane_mut(pane);
    let rows = content.rows(usize::from(inner.height));
    let Some(below) = usize::from(row).checked_sub(usize::from(inner.y) + rows.head) else { return };
    let line = window.top + below;
    if below >= rows.body || line >= content.lines.len() {
        return;
    }
    if pane == Pane::Term {
        let shown = &content.lines.bare()[line];
        let column = (window.left + columns).min(shown.width().saturating_sub(1));
        let (from, to) = (shown.columns(0, column).text().len(), shown.columns(0, column + 1).text().len());
        if let Some(path) = app.printed.covering(line, from..to) {
            app.select(path);
        }
    } else if content.list {
        window.cursor = line;
        app.moved(pane);
    }
}

/// Leaves the mouse to the terminal, or takes it again.
pub fn switch(app: &mut App, to: &str) {
    let on = match to {
        "" => !app.mouse,
        "on" => true,
        "off" => false,
        _ => return app.say(Role::Error, format!("The mouse is `on` or `off`, not `{to}`.")),
    };
    app.mouse = on;
    app.requests.mouse = Some(on);
    let says = match on {
        true => {
            "A click selects, the wheel scrolls, borders are dragged; with Shift held, most terminals select text."
        }
        false => "The mouse is the terminal's own.",
    };
    app.tell(Role::Good, says);
}
