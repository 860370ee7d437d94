//! From lines with roles to cells with styles.
//!
//! Everything that reaches the terminal passes through [`Painter::line`], which cleans it for the alphabet and
//! cuts it to its place; nothing else writes cells, so nothing can disturb the terminal or leave its area.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::capabilities::{Capabilities, Depth};
use super::keys::Keymap;
use super::layout::Pane;
use super::panes;
use super::theme::{Theme, with_pixels};
use crate::lang::source::harmless;
use crate::view::{Alphabet, Line, Mark, Role};

/// Paints lines into a buffer.
pub struct Painter<'a> {
    /// The cells.
    pub buffer: &'a mut Buffer,
    /// The styles.
    pub theme: &'a Theme,
    /// The alphabet.
    pub alphabet: Alphabet,
    /// How many colours.
    pub depth: Depth,
}

/// The characters of a frame.
struct Shape {
    horizontal: &'static str,
    vertical: &'static str,
    corners: [&'static str; 4],
}

const UNICODE_BOX: Shape =
    Shape { horizontal: "─", vertical: "│", corners: ["┌", "┐", "└", "┘"] };
const ASCII_BOX: Shape = Shape { horizontal: "-", vertical: "|", corners: ["+", "+", "+", "+"] };

impl<'a> Painter<'a> {
    /// A painter of these cells.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme, capabilities: Capabilities) -> Self {
        Painter { buffer, theme, alphabet: capabilities.alphabet, depth: capabilities.depth }
    }

    /// The style of a role without a mark.
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role, Mark::None)
    }

    /// Paints the columns of a line from `from` on into the first row of an area. Returns the columns painted.
    pub fn line_from(&mut self, area: Rect, line: &Line, from: usize) -> u16 {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return 0;
        }
        let line = line.shown(&[], from, usize::from(area.width), self.alphabet);
        let mut x = area.x;
        for span in &line.spans {
            let style = self.theme.style(span.role, span.mark);
            let style = span.pixels.map_or(style, |pixels| with_pixels(style, pixels, self.depth));
            let room = usize::from(area.right().saturating_sub(x));
            (x, _) = self.buffer.set_stringn(x, area.y, harmless(span.text.as_ref()), room, style);
        }
        x - area.x
    }

    /// Paints a line into the first row of an area, with an ellipsis if it does not fit.
    pub fn line(&mut self, area: Rect, line: &Line) -> u16 {
        let width = usize::from(area.width);
        let line = line.shown(&[], 0, width + 1, self.alphabet).fit(width, self.alphabet);
        self.line_from(area, &line, 0)
    }

    /// Paints lines from `scroll` (line, column) on, one a row.
    pub fn lines(&mut self, area: Rect, lines: &[Line], scroll: (usize, usize)) {
        let shown = lines.iter().skip(scroll.0).take(usize::from(area.height));
        for (y, line) in (area.y..area.bottom()).zip(shown) {
            self.line_from(Rect { y, height: 1, ..area }, line, scroll.1);
        }
    }

    /// Makes an area blank.
    pub fn blank(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        let style = self.style(Role::Plain);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_symbol(" ").set_style(style);
                }
            }
        }
    }

    /// Paints a frame with a title line at the top left and a note at the top right.
    pub fn frame(&mut self, area: Rect, title: &Line, note: &Line, focused: bool) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let shape = if self.alphabet == Alphabet::Ascii { &ASCII_BOX } else { &UNICODE_BOX };
        let role = if focused { Role::Focus } else { Role::Border };
        let across = shape.horizontal.repeat(usize::from(area.width - 2));
        let [top_left, top_right, bottom_left, bottom_right] = shape.corners;
        let row = |y| Rect { y, height: 1, ..area };
        self.line_from(row(area.y), &Line::of(role, format!("{top_left}{across}{top_right}")), 0);
        self.line_from(
            row(area.bottom() - 1),
            &Line::of(role, format!("{bottom_left}{across}{bottom_right}")),
            0,
        );
        for y in area.y + 1..area.bottom() - 1 {
            for x in [area.x, area.right() - 1] {
                self.line_from(Rect { x, y, width: 1, height: 1 }, &Line::of(role, shape.vertical), 0);
            }
        }
        let inner = Rect { x: area.x + 1, width: area.width - 2, ..row(area.y) };
        let used = self.line(inner, title);
        let room = usize::from(inner.width.saturating_sub(used + 1));
        let note = note.clone().clean(self.alphabet);
        if note.width() > 0 && note.width() <= room {
            let width = u16::try_from(note.width()).unwrap_or(inner.width);
            self.line(Rect { x: inner.right() - width, width, ..inner }, &note);
        }
    }

    /// Marks at the right edge where the part that is seen lies in a longer text.
    pub fn scrollbar(&mut self, area: Rect, total: usize, from: usize) {
        let height = usize::from(area.height);
        if total <= height || height == 0 || area.width == 0 {
            return;
        }
        let thumb = (height * height / total).clamp(1, height);
        let at = from.min(total - height) * (height - thumb) / (total - height).max(1);
        let symbol = self.alphabet.pick("┃", "#");
        for y in at..at + thumb {
            let y = area.y + u16::try_from(y).unwrap_or(0);
            self.line_from(
                Rect { x: area.right() - 1, y, width: 1, height: 1 },
                &Line::of(Role::Hint, symbol),
                0,
            );
        }
    }
}

/// The tabs of a frame: each pane with the key that jumps to it, the shown one marked; in brackets where there is
/// more than one, so that it can be told without colours. Where the names do not fit only the keys of the others
/// are shown.
pub fn tabs(panes: &[Pane], shown: Pane, focused: bool, keys: &Keymap, width: usize) -> Line {
    let mut line = Line::empty();
    for (pane, text) in tab_texts(panes, shown, keys, width) {
        if pane == shown {
            let mark = if focused { Mark::Selected } else { Mark::None };
            line.append(Line::of(Role::Title, text).marked(mark));
        } else {
            line.push(Role::Dim, text);
        }
    }
    line
}

/// The tab of the frame that is in this column.
pub fn tab_at(panes: &[Pane], shown: Pane, keys: &Keymap, width: usize, column: usize) -> Option<Pane> {
    let mut end = 0;
    tab_texts(panes, shown, keys, width).into_iter().find_map(|(pane, text)| {
        end += Line::plain(text).width();
        (column < end).then_some(pane)
    })
}

fn tab_texts(panes: &[Pane], shown: Pane, keys: &Keymap, width: usize) -> Vec<(Pane, String)> {
    let text = |pane: Pane, short: bool| {
        let (key, title) = (keys.key(panes::of(pane).reached_by).unwrap_or_default(), panes::of(pane).title);
        match (pane == shown, short) {
            (true, _) if panes.len() > 1 => format!("[{key} {title}]"),
            (false, true) => format!(" {key} "),
            _ => format!(" {key} {title} "),
        }
    };
    let all =
        |short| -> Vec<(Pane, String)> { panes.iter().map(|pane| (*pane, text(*pane, short))).collect() };
    let long = all(false);
    let room = long.iter().map(|(_, text)| Line::plain(text.clone()).width()).sum::<usize>() <= width;
    if room { long } else { all(true) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::capabilities::Depth;
    use proptest::prelude::*;

    #[test]
    fn tabs_shrink_to_their_keys() {
        let keys = Keymap::load(None).unwrap();
        let text = |width| tabs(&Pane::ALL, Pane::Rules, true, &keys, width).text();
        assert!(text(100).starts_with(" 1 Term  2 Loops [3 Rules]"), "{}", text(100));
        assert_eq!(text(48), " 1  2 [3 Rules] 4  5  6  7  8  9  w ");
    }

    proptest! {
        #[test]
        fn nothing_is_painted_outside(
            x in 0u16..30, y in 0u16..30, width in 0u16..60, height in 0u16..60, from in 0usize..20
        ) {
            let whole = Rect::new(0, 0, 20, 10);
            let mut buffer = Buffer::empty(whole);
            let theme = Theme::load("default", None, Depth::Ansi16).unwrap();
            for alphabet in [Alphabet::Unicode, Alphabet::Ascii] {
                let mut painter = Painter { buffer: &mut buffer, theme: &theme, alphabet, depth: Depth::True };
                let area = Rect::new(x, y, width, height);
                let text = Line::plain("λx. 日本語 ▷ map");
                painter.blank(area);
                painter.frame(area, &text, &text, true);
                painter.lines(area, &vec![text.clone(); 5], (from, from));
                painter.scrollbar(area, 100, from);
            }
            prop_assert_eq!(buffer.area, whole);
        }
    }
}
