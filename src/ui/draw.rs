//! From the state to a frame. Reads everything, changes nothing.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::app::App;
use super::command::{self, Command, Context};
use super::layout::{self, LEAST, Layout, Pane, Place};
use super::paint::{Painter, tabs};
use super::popup::{Choice, Entry, Page, Popup, Purpose, Question};
use super::window::mark_found;
use crate::view::{Line, Mark, Role};

/// Draws the screen.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut painter = Painter::new(frame.buffer_mut(), &app.setup.theme, app.setup.caps);
    painter.blank(area);
    let cursor = match layout::layout(area, app.focus) {
        Layout::TooSmall => {
            too_small(&mut painter, area);
            None
        }
        Layout::Panes { places, status, hints } => {
            for place in &places {
                pane(app, &mut painter, place);
            }
            painter.line(status, &app.status());
            painter.line(hints, &hint_line(app, usize::from(hints.width)));
            let body = Rect { height: status.y.saturating_sub(area.y), ..area };
            app.popups.iter().fold(None, |_, popup| draw_popup(&mut painter, body, popup))
        }
    };
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
}

fn too_small(painter: &mut Painter<'_>, area: Rect) {
    let (width, height) = LEAST;
    let text =
        Line::plain(format!("needs {width}×{height}, you have {}×{} – q quits", area.width, area.height));
    painter.lines(area, &text.wrap(usize::from(area.width), 0), (0, 0));
}

/// What can be pressed, or what has just happened; on the right what can always be pressed.
fn hint_line(app: &App, width: usize) -> Line {
    let facts = app.facts();
    let keys = &app.setup.keys;
    if !app.pending.is_empty() {
        return Line::of(Role::Key, super::keys::spell(&app.pending)).with(Role::Hint, " …");
    }
    if let Some(notice) = &app.notice {
        return notice.clone();
    }
    match app.popups.last() {
        Some(popup) => command::hints(&popup_hints(popup), &facts, keys, width),
        None => {
            let always = command::hints(command::hints_of_context(Context::Screen), &facts, keys, width);
            let room = width.saturating_sub(always.width() + 2);
            let mut line = command::hints(command::hints_of(app.focus.pane), &facts, keys, room);
            line = line.pad(width.saturating_sub(always.width()));
            line.append(always);
            line
        }
    }
}

/// The hints of a popup, without those that mean nothing in it.
fn popup_hints(popup: &Popup) -> Vec<Command> {
    let all = command::hints_of_context(popup.context()).iter().copied();
    let unused: &[Command] = match popup {
        Popup::Page(page) => match page.purpose {
            Purpose::Read => &[Command::PageAccept, Command::PageNext, Command::PageRun],
            Purpose::Apply => &[Command::PageNext, Command::PageRun],
            Purpose::Steps => &[Command::PageAccept],
            Purpose::Trail | Purpose::Mend => &[Command::PageAccept, Command::PageRun],
        },
        Popup::Entry(entry) if !entry.kind.is_multiline() => &[Command::EntryNewline],
        Popup::Question(question) if !question.can_save => &[Command::QuestionSave],
        _ => &[],
    };
    all.filter(|command| !unused.contains(command)).collect()
}

fn pane(app: &App, painter: &mut Painter<'_>, place: &Place) {
    let focused = app.focus.pane == place.pane;
    let body = app.body(place.pane);
    let window = app.window(place.pane);
    let inner = layout::inside(place.area);
    let width = usize::from(inner.width);
    let title = tabs(place.tabs, place.pane, focused, &app.setup.keys, width);
    painter.frame(place.area, &title, &body.note, focused);
    let rows = body.rows(usize::from(inner.height));
    let part =
        |from: usize, height: usize| Rect { y: inner.y + as_u16(from), height: as_u16(height), ..inner };
    painter.lines(part(0, rows.head), &body.head, (0, window.left));
    let seen = part(rows.head, rows.body);
    for (row, i) in (window.top..body.lines.len()).take(rows.body).enumerate() {
        let Some(line) = body.lines.get(i) else { break };
        let mut line = mark_found(line, &window.find);
        if body.list && i == window.cursor {
            let mark = if focused { Mark::Selected } else { Mark::Remembered };
            line = line.pad(width + window.left).marked(mark);
        }
        painter.line_from(Rect { y: seen.y + as_u16(row), height: 1, ..seen }, &line, window.left);
    }
    let edge = Rect { width: inner.width + 1, ..seen };
    painter.scrollbar(edge, body.lines.len(), window.top);
    if rows.foot > 0 {
        let rule = painter.alphabet.pick("─", "-").repeat(width);
        painter.line(part(rows.head + rows.body, 1), &Line::of(Role::Border, rule));
        painter.lines(part(rows.head + rows.body + 1, rows.foot - 1), &body.foot, (0, 0));
    }
}

fn as_u16(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

fn draw_popup(painter: &mut Painter<'_>, area: Rect, popup: &Popup) -> Option<Position> {
    match popup {
        Popup::Choice(choice) => draw_choice(painter, area, choice),
        Popup::Page(page) => {
            draw_page(painter, area, page);
            None
        }
        Popup::Entry(entry) => draw_entry(painter, area, entry),
        Popup::Question(question) => {
            draw_question(painter, area, question);
            None
        }
    }
}

/// Clears a place in the middle and frames it.
fn open(painter: &mut Painter<'_>, area: Rect, size: (usize, usize), title: &str) -> Rect {
    let popup = layout::centred(area, as_u16(size.0.saturating_add(2)), as_u16(size.1.saturating_add(2)));
    painter.blank(popup);
    painter.frame(popup, &Line::of(Role::Title, format!(" {title} ")), &Line::empty(), true);
    layout::inside(popup)
}

fn draw_choice(painter: &mut Painter<'_>, area: Rect, choice: &Choice) -> Option<Position> {
    let lines = choice.lines();
    // The list keeps its size while it is narrowed.
    let inner = open(painter, area, (usize::from(area.width).min(100), 18), &choice.title);
    let prompt = Line::of(Role::Key, ":");
    painter.line(Rect { height: inner.height.min(1), ..inner }, &prompt);
    let field = Rect {
        x: inner.x.saturating_add(1),
        width: inner.width.saturating_sub(1),
        height: inner.height.min(1),
        ..inner
    };
    let cursor = type_in(painter, field, &choice.area, "");
    // The last two rows say more about the highlighted entry, where there is room.
    let about = if inner.height >= 10 { 2 } else { 0 };
    let list =
        Rect { y: inner.y + inner.height.min(1), height: inner.height.saturating_sub(1 + about), ..inner };
    let rows = usize::from(list.height);
    let top = (choice.selected() + 1).saturating_sub(rows);
    for (row, (i, line)) in lines.iter().enumerate().skip(top).take(rows).enumerate() {
        let place = Rect { y: list.y + as_u16(row), height: 1, ..list };
        let width = usize::from(list.width);
        let line = line.clone().clean(painter.alphabet).fit(width, painter.alphabet);
        let line = if i == choice.selected() { line.pad(width).marked(Mark::Selected) } else { line };
        painter.line(place, &line);
    }
    if lines.is_empty() {
        painter.line(list, &Line::of(Role::Dim, "Nothing matches."));
    }
    if let Some(item) = choice.highlighted() {
        let reason = item.disabled.as_ref().map(|reason| format!(" Not now: {reason}")).unwrap_or_default();
        let text = Line::of(Role::Hint, format!("{}{reason}", item.doc));
        let place = Rect { y: list.bottom(), height: about, ..inner };
        painter.lines(place, &text.wrap(usize::from(place.width), 0), (0, 0));
    }
    cursor
}

/// Draws text to read over an area.
pub(super) fn draw_page(painter: &mut Painter<'_>, area: Rect, page: &Page) {
    let widest = page.lines.iter().map(Line::width).max().unwrap_or(0);
    let size = (widest.max(page.title.len() + 2).max(30), page.lines.len().max(1));
    let most = (usize::from(area.width).saturating_sub(4), usize::from(area.height).saturating_sub(2));
    let inner = open(painter, area, (size.0.min(most.0), size.1.min(most.1)), &page.title);
    let rows = usize::from(inner.height);
    let top = page.scroll.0.min(page.lines.len().saturating_sub(rows));
    painter.lines(inner, &page.lines, (top, page.scroll.1));
    let edge = Rect { width: inner.width + 1, ..inner };
    painter.scrollbar(edge, page.lines.len(), top);
}

fn draw_entry(painter: &mut Painter<'_>, area: Rect, entry: &Entry) -> Option<Position> {
    let width = usize::from(area.width).saturating_sub(4).min(100);
    let text_rows = if entry.kind.is_multiline() { entry.area.lines().len().clamp(3, 10) } else { 1 };
    let problems: Vec<Line> = entry.problems.iter().flat_map(|line| line.wrap(width, 2)).collect();
    let size = (width, text_rows + problems.len());
    let inner = open(painter, area, size, entry.kind.title());
    let text_rows = as_u16(text_rows).min(inner.height);
    let field = Rect { height: text_rows, ..inner };
    let cursor = type_in(painter, field, &entry.area, entry.kind.example());
    let below = Rect { y: inner.y + text_rows, height: inner.height - text_rows, ..inner };
    painter.lines(below, &problems, (0, 0));
    cursor
}

/// Draws text that is being typed, scrolled so that its cursor is seen, and returns where the cursor is.
fn type_in(
    painter: &mut Painter<'_>,
    area: Rect,
    text: &ratatui_textarea::TextArea<'static>,
    example: &str,
) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let (row, column) = (text.cursor().0, text.cursor().1);
    let line = |i: usize| text.lines().get(i).map(String::as_str).unwrap_or_default();
    let before: String = line(row).chars().take(column).collect();
    let at = Line::plain(painter.alphabet.clean(&before).into_owned()).width();
    let top = (row + 1).saturating_sub(usize::from(area.height));
    let left = (at + 1).saturating_sub(usize::from(area.width));
    if text.is_empty() && !example.is_empty() {
        painter.line(area, &Line::of(Role::Dim, format!("for example: {example}")));
    }
    for (y, i) in (area.y..area.bottom()).zip(top..text.lines().len()) {
        let shown = Line::plain(line(i).to_owned()).clean(painter.alphabet);
        painter.line_from(Rect { y, height: 1, ..area }, &shown, left);
    }
    Some(Position::new(area.x + as_u16(at - left), area.y + as_u16(row - top)))
}

fn draw_question(painter: &mut Painter<'_>, area: Rect, question: &Question) {
    let widest = question.lines.iter().map(Line::width).max().unwrap_or(0);
    let size = (widest.min(usize::from(area.width).saturating_sub(4)), question.lines.len());
    let inner = open(painter, area, size, "Question");
    painter.lines(inner, &question.lines, (0, 0));
}

/// The rows and columns inside the frame of a pane, if it is shown.
pub fn room(app: &App, pane: Pane) -> Option<(usize, usize)> {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    let Layout::Panes { places, .. } = layout::layout(area, app.focus) else { return None };
    let place = places.iter().find(|place| place.pane == pane)?;
    let inner = layout::inside(place.area);
    Some((usize::from(inner.height), usize::from(inner.width)))
}
