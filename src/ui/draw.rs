//! From the state to a frame. Reads everything, changes nothing.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui_textarea::TextArea;

use super::app::App;
use super::command::Command;
use super::layout::{self, LEAST, Layout, Pane, Place, Wishes};
use super::mending::Mending;
use super::paint::{Painter, tabs};
use super::popup::{Choice, Entry, EntryKind, Page, Popup, Purpose, Question};
use super::window::found;
use super::{complete, hints, strategies};
use crate::view::{Line, Mark, Role};

/// Draws the screen.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut painter = Painter::new(frame.buffer_mut(), &app.setup.theme, app.setup.terminal);
    painter.blank(area);
    let cursor = match layout::layout(area, app.focus, app.wishes()) {
        Layout::TooSmall => {
            too_small(app, &mut painter, area);
            None
        }
        Layout::Panes { places, status, hints, .. } => {
            for place in &places {
                pane(app, &mut painter, place);
            }
            let body = Rect { height: status.y.saturating_sub(area.y), ..area };
            let cursor = app.popups.iter().fold(None, |_, popup| draw_popup(app, &mut painter, body, popup));
            let said = hint_line(app, usize::from(hints.width));
            // What has just happened is said whole: until the next key it lies over the panes, with the state of things above it.
            let said = if app.notice.is_some() { message(app, &said, hints) } else { vec![said] };
            let rows = as_u16(said.len()).min(area.height.saturating_sub(1));
            let below = Rect { y: hints.bottom().saturating_sub(rows), height: rows, ..hints };
            let status = Rect { y: below.y.saturating_sub(1), ..status };
            painter.blank(status);
            painter.blank(below);
            painter.line(status, &app.status_in(usize::from(status.width)));
            if let [line] = said.as_slice() {
                painter.line(below, line);
            } else {
                painter.lines(below, &said, (0, 0));
            }
            cursor.filter(|at| at.y < status.y)
        }
    };
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
}

/// A message in rows. What takes more than a few, and more than a third of the screen, is read where all messages are.
fn message(app: &App, said: &Line, hints: Rect) -> Vec<Line> {
    let most = usize::from(hints.bottom() / 3).max(8);
    let mut rows: Vec<Line> = said.wrapped(usize::from(hints.width), 2).take(most + 1).collect();
    if rows.len() > most {
        rows.truncate(most - 1);
        let alphabet = app.setup.terminal.alphabet;
        let text = format!("  {} all of it is with the messages: {{jobs}}", alphabet.pick("…", "..."));
        rows.push(Line::of(Role::Hint, app.setup.keys.fill(&text)).fit(usize::from(hints.width), alphabet));
    }
    rows
}

fn too_small(app: &App, painter: &mut Painter<'_>, area: Rect) {
    let (width, height) = LEAST;
    let quit = app.setup.keys.key(Command::Quit).unwrap_or_default();
    let text = Line::plain(format!(
        "needs {width}×{height}, you have {}×{} – {quit} quits",
        area.width, area.height
    ));
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
        // What is said while a page opens does not hide the way out of it, where there is room for both.
        let room = width.saturating_sub(notice.width() + 2);
        let page = app.popups.last().filter(|popup| matches!(popup, Popup::Page(_)));
        let hints = page.map(|popup| hints::of_popup(&popup_hints(app, popup), &facts, keys, room));
        return match hints.filter(|hints| !hints.is_empty() && hints.width() <= room) {
            Some(hints) => {
                let mut line = notice.clone().with(Role::Plain, "  ");
                line.append(hints);
                line
            }
            None => notice.clone(),
        };
    }
    match app.popups.last() {
        Some(popup) => hints::of_popup(&popup_hints(app, popup), &facts, keys, width),
        None => hints::of_panes(&facts, keys, width),
    }
}

/// The commands of its context that mean nothing in a popup.
pub(super) fn unused(popup: &Popup) -> &'static [Command] {
    match popup {
        Popup::Page(page) => match page.purpose {
            Purpose::Read | Purpose::Result | Purpose::Code => &[
                Command::PageAccept,
                Command::PageView,
                Command::PageNext,
                Command::PagePrevious,
                Command::PageRun,
            ],
            Purpose::Apply => &[Command::PageNext, Command::PagePrevious, Command::PageRun],
            Purpose::Steps => &[Command::PageAccept, Command::PageView],
            Purpose::Trail | Purpose::Mend => &[Command::PageAccept, Command::PageView, Command::PageRun],
        },
        // In a list of rules both keys go back to it with what is typed.
        Popup::Entry(entry) if entry.kind == EntryKind::Find => {
            &[Command::EntryNewline, Command::TypingPlace, Command::EntryOlder, Command::EntryComplete]
        }
        Popup::Entry(entry) if !entry.kind.is_elevate() => &[Command::EntryNewline, Command::TypingPlace],
        Popup::Choice(choice) if choice.typed.is_none() => &[Command::TypingPlace],
        Popup::Question(question) if !question.can_save => &[Command::QuestionSave],
        _ => &[],
    }
}

/// The hints of a popup, without those that mean nothing in it, and the words of those that mean something else.
fn popup_hints(app: &App, popup: &Popup) -> Vec<(Command, Option<&'static str>)> {
    let rules = app.focus.pane == Pane::Rules;
    let all = hints::hints_of_context(popup.context()).iter().copied();
    let unused = unused(popup);
    let completes = |entry: &Entry| !complete::at(app, entry.kind, &entry.before_cursor()).offers.is_empty();
    let one_problem = matches!(popup, Popup::Page(page) if page.purpose == Purpose::Mend)
        && !app.mending.as_ref().is_some_and(Mending::has_several);
    let idle = |command: &Command| match (popup, command) {
        (_, Command::PageNext | Command::PagePrevious) if one_problem => true,
        (Popup::Entry(entry), Command::EntryComplete) => !completes(entry),
        (Popup::Entry(entry), Command::EntryOlder) => app.recall.get(entry.kind, 0).is_none(),
        _ => unused.contains(command),
    };
    let word = |command: Command| match (popup, command) {
        (Popup::Entry(entry), Command::EntryAccept) if entry.kind == EntryKind::Find => {
            Some(if rules { "to the list" } else { "find" })
        }
        (Popup::Entry(entry), Command::EntryAccept) if entry.kind == EntryKind::Save => Some("save"),
        _ => None,
    };
    all.filter(|command| !unused.contains(command) && !idle(command)).map(|c| (c, word(c))).collect()
}

fn pane(app: &App, painter: &mut Painter<'_>, place: &Place) {
    let focused = app.focus.pane == place.pane;
    let body = app.content(place.pane);
    let window = app.window(place.pane);
    let inner = layout::inside(place.area);
    let width = usize::from(inner.width);
    let title = tabs(place.tabs, place.pane, focused, &app.setup.keys, width);
    painter.frame(place.area, &title, &body.note, focused);
    let rows = body.rows(usize::from(inner.height));
    let part =
        |from: usize, height: usize| Rect { y: inner.y + as_u16(from), height: as_u16(height), ..inner };
    let alphabet = painter.alphabet;
    // Columns have their names above them; other heads stay where they are.
    let left = if place.pane == Pane::Bench { window.left } else { 0 };
    let head: Vec<Line> = match left {
        0 => body.head.iter().map(|line| line.fit(width, alphabet)).collect(),
        _ => body.head.clone(),
    };
    painter.lines(part(0, rows.head), &head, (0, left));
    let seen = part(rows.head, rows.body);
    for (row, i) in (window.top..body.lines.len()).take(rows.body).enumerate() {
        let Some(line) = body.lines.bare().get(i) else { break };
        // Of a long line only what is seen is looked at; what is looked for may begin before that.
        let marks: Vec<_> = body.lines.marks(i).chain(found(line, &window.find)).collect();
        let mut line = line.shown(&marks, window.left, width, painter.alphabet);
        // Where lines of the selection are marked, the highlight is one more only for who moves it.
        if body.list && i == window.cursor && (focused || body.sight.is_none()) {
            let mark = if focused { Mark::Selected } else { Mark::Remembered };
            line = line.pad(width).marked(mark);
        }
        painter.line_from(Rect { y: seen.y + as_u16(row), height: 1, ..seen }, &line, 0);
    }
    let edge = Rect { width: inner.width + 1, ..seen };
    painter.scrollbar(edge, body.lines.len(), window.top);
    if rows.foot > 0 {
        let rule = painter.alphabet.pick("─", "-").repeat(width);
        painter.line(part(rows.head + rows.body, 1), &Line::of(Role::Border, rule));
        let below = below(&body.foot, rows.foot - 1, &how_to_see_all(app, place.pane));
        let below: Vec<Line> = below.iter().map(|line| line.fit(width, alphabet)).collect();
        painter.lines(part(rows.head + rows.body + 1, rows.foot - 1), &below, (0, 0));
    }
}

/// Which key shows what a pane has no room for.
pub(super) fn how_to_see_all(app: &App, pane: Pane) -> String {
    let key = |command| app.setup.keys.key(command).unwrap_or_default();
    match pane {
        Pane::Bench => format!("; {} shows all", key(Command::Open)),
        // Where it is alone already, only the window can make room.
        _ if layout::is_alone(app.size, app.focus) => "; a larger window shows them".to_owned(),
        _ => format!("; {} makes room", key(Command::Zoom)),
    }
}

/// As much of what is said of the highlighted line as there are rows for. A row alone is for what is said first.
fn below(foot: &[Line], rows: usize, how: &str) -> Vec<Line> {
    if rows > 1 { cut(foot, rows, how) } else { foot.to_vec() }
}

/// As many lines as there are rows for. Of what is cut it is said how much that is, and how it is seen: in the only row, if there is one.
pub(super) fn cut(lines: &[Line], rows: usize, how: &str) -> Vec<Line> {
    if lines.len() <= rows {
        return lines.to_vec();
    }
    let kept = rows.saturating_sub(1);
    let left = match (kept, lines.len() - kept) {
        (0, 1) => "one line".to_owned(),
        (0, left) => format!("{left} lines"),
        (_, 1) => "and one more line".to_owned(),
        (_, left) => format!("and {left} more lines"),
    };
    let mut shown = lines[..kept].to_vec();
    shown.push(Line::of(Role::Dim, format!("{left}{how}")));
    shown
}

fn as_u16(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

fn draw_popup(app: &App, painter: &mut Painter<'_>, area: Rect, popup: &Popup) -> Option<Position> {
    match popup {
        Popup::Choice(choice) => draw_choice(app, painter, area, choice),
        Popup::Page(page) => {
            draw_page(painter, area, page);
            None
        }
        Popup::Entry(entry) => draw_entry(app, painter, area, entry),
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

/// Lists and what is typed have so many columns at least, where the screen has them.
const USUAL_COLUMNS: usize = 100;

fn draw_choice(app: &App, painter: &mut Painter<'_>, area: Rect, choice: &Choice) -> Option<Position> {
    let title = match choice.typed {
        Some(_) => format!("{}, on {}", choice.title, strategies::place_in_words(app)),
        None => choice.title.clone(),
    };
    let most = usize::from(area.width).saturating_sub(2);
    let all = choice.room();
    let widest = all.columns.max(USUAL_COLUMNS).min(most);
    let lines = choice.lines(widest);
    let text = typed_rows(&choice.area, widest.saturating_sub(1), painter);
    let typed = text.lines.len().min(3);
    // The last rows say more about the highlighted entry, where there is room. The list keeps its size while it is narrowed.
    let about = choice.about().map(|said| Line::of(Role::Hint, said).wrap(widest, 0)).unwrap_or_default();
    let below = if usize::from(area.height) >= 12 { choice.room_about(widest).min(4) } else { 0 };
    let inner = open(painter, area, (widest, typed + all.rows.max(1) + below), &title);
    let prompt = Line::of(Role::Key, ":");
    painter.line(Rect { height: inner.height.min(1), ..inner }, &prompt);
    let width = usize::from(inner.width).saturating_sub(1);
    let typed = as_u16(typed).min(inner.height);
    let field = Rect { x: inner.x.saturating_add(1), width: as_u16(width), height: typed, ..inner };
    let cursor = type_in(painter, field, &text, &[]);
    let below = as_u16(below);
    let list = Rect { y: inner.y + typed, height: inner.height.saturating_sub(typed + below), ..inner };
    let rows = usize::from(list.height);
    let top = (choice.selected() + 1).saturating_sub(rows);
    for (row, (i, line)) in lines.iter().enumerate().skip(top).take(rows).enumerate() {
        let place = Rect { y: list.y + as_u16(row), height: 1, ..list };
        let width = usize::from(list.width);
        let line = line.clone().clean(painter.alphabet).fit(width, painter.alphabet);
        let line = if i == choice.selected() { line.pad(width).marked(Mark::Selected) } else { line };
        painter.line(place, &line);
    }
    painter.scrollbar(Rect { width: list.width + 1, ..list }, lines.len(), top);
    if lines.is_empty() {
        painter.line(list, &Line::of(Role::Dim, "Nothing matches."));
    }
    painter.lines(Rect { y: list.bottom(), height: below, ..inner }, &about, (0, 0));
    cursor
}

/// The rows and columns in which text to read is seen at most.
pub fn room_of_pages(area: Rect) -> (usize, usize) {
    (usize::from(area.height).saturating_sub(2), usize::from(area.width).saturating_sub(4))
}

/// Draws text to read over an area.
pub(super) fn draw_page(painter: &mut Painter<'_>, area: Rect, page: &Page) {
    let (most_rows, most_columns) = room_of_pages(area);
    let text = page.rows(most_columns);
    let widest = text.iter().map(Line::width).max().unwrap_or(0);
    let size = (widest.max(page.title.chars().count() + 2).max(30), text.len().max(1));
    let inner = open(painter, area, (size.0.min(most_columns), size.1.min(most_rows)), &page.title);
    let rows = usize::from(inner.height);
    let top = page.scroll.0.min(text.len().saturating_sub(rows));
    painter.lines(inner, &text, (top, page.scroll.1));
    let edge = Rect { width: inner.width + 1, ..inner };
    painter.scrollbar(edge, text.len(), top);
}

/// The most rows of names that are offered below what is typed.
const OFFERS: usize = 5;

fn draw_entry(app: &App, painter: &mut Painter<'_>, area: Rect, entry: &Entry) -> Option<Position> {
    let (most_rows, most_columns) = room_of_pages(area);
    // A cursor behind the longest line needs a column too.
    let typed =
        entry.area.lines().iter().map(|line| Line::plain(line.clone()).width() + 1).max().unwrap_or(0);
    let width = typed.max(USUAL_COLUMNS).min(most_columns);
    let least = if entry.kind.is_multiline() { 3 } else { 1 };
    let mut text = typed_rows(&entry.area, width, painter);
    if entry.is_offered() {
        text.lines = text.lines.into_iter().map(|line| line.marked(Mark::Selected)).collect();
    }
    let mut below = offers(app, entry, width);
    below.extend(entry.problems.iter().flat_map(|line| line.wrap(width, 2)));
    // What is wrong is seen with what is typed: where there is no room for all, each has half of it.
    let half = (most_rows / 2).max(1);
    // An example is only worth something as a whole.
    let example = entry.area.is_empty().then(|| entry.kind.example(app.session.workspace()));
    let example: Vec<Line> = example
        .filter(|example| !example.is_empty())
        .map(|example| Line::of(Role::Dim, format!("for example: {example}")).wrap(width, 2))
        .unwrap_or_default();
    let text_rows =
        text.lines.len().max(least).max(example.len()).min(most_rows.saturating_sub(below.len()).max(half));
    if below.len() > most_rows.saturating_sub(text_rows) {
        let kept = most_rows.saturating_sub(text_rows + 1);
        let left = below.len().saturating_sub(kept);
        below.truncate(kept);
        below.push(Line::of(Role::Dim, format!("and {left} more lines; a larger window shows them")));
    }
    let title = match entry.kind {
        kind if kind.is_elevate() => format!("{} on {}", kind.title(), strategies::place_in_words(app)),
        EntryKind::Rule if app.selection.is_root() => "Rule on the whole program".to_owned(),
        EntryKind::Rule => format!("Rule at {}", strategies::selection_in_words(app, &app.selection)),
        EntryKind::Find if app.focus.pane == Pane::Rules => "Only the rules with".to_owned(),
        kind => kind.title().to_owned(),
    };
    let inner = open(painter, area, (width, text_rows + below.len()), &title);
    let text_rows = as_u16(text_rows).min(inner.height);
    let field = Rect { height: text_rows, ..inner };
    let cursor = type_in(painter, field, &text, &example);
    let rest = Rect { y: inner.y + text_rows, height: inner.height - text_rows, ..inner };
    painter.lines(rest, &below, (0, 0));
    cursor
}

/// How the call at the cursor is written, and the names that go on what is typed.
fn offers(app: &App, entry: &Entry, width: usize) -> Vec<Line> {
    let fits = complete::at(app, entry.kind, &entry.before_cursor());
    let mut lines: Vec<Line> = fits.call.map(|call| Line::of(Role::Size, call)).into_iter().collect();
    let widest = fits.offers.iter().take(OFFERS).map(|offer| offer.text.len()).max().unwrap_or(0);
    for offer in fits.offers.iter().take(OFFERS) {
        let name = Line::of(Role::Key, offer.text.clone()).pad(widest + 2);
        let alphabet = app.setup.terminal.alphabet;
        lines.push(name.with(Role::Hint, offer.doc.clone()).fit(width, alphabet));
    }
    if fits.offers.len() > OFFERS {
        lines.push(Line::of(Role::Dim, format!("and {} more", fits.offers.len() - OFFERS)));
    }
    lines
}

/// Text that is being typed, broken into rows, with the place of its cursor: row and column.
struct Typed {
    lines: Vec<Line>,
    cursor: (usize, usize),
}

/// Breaks text that is being typed at the width, wherever that is.
fn typed_rows(text: &TextArea<'static>, width: usize, painter: &Painter<'_>) -> Typed {
    let width = width.max(1);
    let (row, column) = (text.cursor().0, text.cursor().1);
    let mut typed = Typed { lines: Vec::new(), cursor: (0, 0) };
    for (i, line) in text.lines().iter().enumerate() {
        let first = typed.lines.len();
        let clean = |text: &str| Line::plain(painter.alphabet.clean(text).into_owned());
        let whole = clean(line);
        if i == row {
            let before: String = line.chars().take(column).collect();
            let at = clean(&before).width();
            typed.cursor = (first + at / width, at % width);
        }
        // A cursor behind a full row stands on the next one.
        let rows = whole.width() / width + 1;
        typed.lines.extend((0..rows).map(|n| whole.columns(n * width, width)));
    }
    typed
}

/// Draws text that is being typed, scrolled so that its cursor is seen, or an example of it, and returns where the cursor is.
fn type_in(painter: &mut Painter<'_>, area: Rect, text: &Typed, example: &[Line]) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let (row, column) = text.cursor;
    let top = (row + 1).saturating_sub(usize::from(area.height));
    match example {
        [] => painter.lines(area, &text.lines, (top, 0)),
        example => painter.lines(area, example, (0, 0)),
    }
    Some(Position::new(area.x + as_u16(column), area.y + as_u16(row - top)))
}

fn draw_question(painter: &mut Painter<'_>, area: Rect, question: &Question) {
    let most = room_of_pages(area).1;
    let lines: Vec<Line> = question.lines.iter().flat_map(|line| line.wrap(most, 2)).collect();
    let widest = lines.iter().map(Line::width).max().unwrap_or(0);
    let inner = open(painter, area, (widest, lines.len()), "Question");
    // The last line says which keys answer.
    painter.lines(inner, &lines, (lines.len().saturating_sub(usize::from(inner.height)), 0));
}

/// The rows and columns inside the frame of a pane, if it is shown.
pub fn room(app: &App, pane: Pane) -> Option<(usize, usize)> {
    room_for(app, pane, app.wishes())
}

/// The columns inside the frame of the term's pane where it leaves none to code, and where it leaves as many as that needs; and the rows
/// that are its part of a column. What is broken for so many is never too long for fewer that it then has.
pub fn room_of_term(app: &App) -> Option<(usize, usize, usize)> {
    let mut wishes = *app.wishes();
    wishes.columns[Pane::Term as usize] = 1;
    let (_, least) = room_for(app, Pane::Term, &wishes)?;
    wishes.columns = Wishes::default().columns;
    let (_, most) = room_for(app, Pane::Term, &wishes)?;
    Some((least, most, usize::from(app.size.1) * 3 / 5))
}

fn room_for(app: &App, pane: Pane, wishes: &Wishes) -> Option<(usize, usize)> {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    let Layout::Panes { places, .. } = layout::layout(area, app.focus, wishes) else { return None };
    let place = places.iter().find(|place| place.pane == pane)?;
    let inner = layout::inside(place.area);
    Some((usize::from(inner.height), usize::from(inner.width)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_below_a_list_is_said_to_be() {
        let foot: Vec<Line> = (1..=4).map(|i| Line::plain(format!("line {i}"))).collect();
        let shown = |rows| below(&foot, rows, "; Enter shows all").iter().map(Line::text).collect::<Vec<_>>();
        assert_eq!(shown(4), ["line 1", "line 2", "line 3", "line 4"]);
        assert_eq!(shown(3), ["line 1", "line 2", "and 2 more lines; Enter shows all"]);
        assert_eq!(shown(2), ["line 1", "and 3 more lines; Enter shows all"]);
        let cut = |rows| cut(&foot, rows, "; f makes room").iter().map(Line::text).collect::<Vec<_>>();
        assert_eq!(cut(1), ["4 lines; f makes room"]);
        assert_eq!(cut(0), cut(1));
    }
}
