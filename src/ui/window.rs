//! What a pane shows and which part of it is seen.
//!
//! A [`Content`] is what a pane shows; a [`Window`] is the highlight, the scroll position and what is looked for. What
//! must hold after [`Window::settle`]: the highlight is on a line of the content and within what is seen.

use crate::view::{Line, Lines, Mark};
use std::ops::Range;

/// What a pane shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Content {
    /// A short note for the frame.
    pub note: Line,
    /// Lines that do not scroll, above.
    pub head: Vec<Line>,
    /// So many lines more the head has where there is room for them.
    pub unseen: usize,
    /// Lines that scroll.
    pub lines: Lines,
    /// Lines about the highlighted one, below; shown where there is room.
    pub foot: Vec<Line>,
    /// Whether a line is highlighted.
    pub list: bool,
    /// The lines to bring in sight when they change: first and last. The highlight goes there.
    pub sight: Option<(usize, usize)>,
}

impl Content {
    /// Content that says one thing.
    pub fn says(lines: Vec<Line>) -> Content {
        Content { lines: lines.into(), ..Content::default() }
    }
}

/// Which part of a pane is seen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Window {
    /// The highlighted line.
    pub cursor: usize,
    /// The first line that is seen.
    pub top: usize,
    /// The first column that is seen.
    pub left: usize,
    /// What is looked for, in lower case; empty when nothing is.
    pub find: String,
    /// What was kept in sight last, so that scrolling away from it is possible.
    seen: Option<(usize, usize)>,
}

/// How rows are divided between head, body and foot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Rows of the head.
    pub head: usize,
    /// Rows of the lines that scroll.
    pub body: usize,
    /// Rows of the foot, with its rule.
    pub foot: usize,
}

/// How many of these rows are for what is below a list of so many lines, without the rule between them: at most half, and only where
/// the list keeps four rows.
pub fn most_below(rows: usize, lines: usize) -> usize {
    let spare = rows.saturating_sub(lines.max(4)).max(rows / 2);
    if rows >= 8 { spare - 1 } else { 0 }
}

impl Content {
    /// Divides the rows.
    pub fn rows(&self, height: usize) -> Rows {
        let head = self.head.len().min(height);
        let rest = height - head;
        let most = most_below(rest, self.lines.len());
        let foot = if self.foot.is_empty() || most == 0 { 0 } else { self.foot.len().min(most) + 1 };
        Rows { head, body: rest - foot, foot }
    }
}

/// Where a text contains another one, whatever the case: byte ranges of the text.
pub fn occurrences(text: &str, find: &str) -> Vec<Range<usize>> {
    if find.is_empty() {
        return Vec::new();
    }
    if text.is_ascii() && find.is_ascii() {
        return ascii_occurrences(text.as_bytes(), find.as_bytes());
    }
    let find: Vec<char> = find.chars().flat_map(char::to_lowercase).collect();
    let chars: Vec<(usize, char)> =
        text.char_indices().flat_map(|(i, c)| c.to_lowercase().map(move |c| (i, c))).collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i + find.len() <= chars.len() {
        if chars[i..i + find.len()].iter().map(|(_, c)| c).eq(&find) {
            let start = chars[i].0;
            let end =
                chars[i + find.len()..].iter().map(|(b, _)| *b).find(|b| *b > chars[i + find.len() - 1].0);
            out.push(start..end.unwrap_or(text.len()));
            i += find.len();
        } else {
            i += 1;
        }
    }
    out
}

/// The same where every character is a byte, as nearly all of long texts are.
fn ascii_occurrences(text: &[u8], find: &[u8]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(here) = text.get(i..i + find.len()) {
        if here.eq_ignore_ascii_case(find) {
            out.push(i..i + find.len());
            i += find.len();
        } else {
            i += 1;
        }
    }
    out
}

/// Where a line contains what is looked for, to be marked.
pub fn found(line: &Line, find: &str) -> Vec<(Range<usize>, Mark)> {
    if find.is_empty() {
        return Vec::new();
    }
    occurrences(&line.text(), find).into_iter().map(|range| (range, Mark::Found)).collect()
}

impl Window {
    /// Moves the highlight, or what is seen where there is none, by so many lines.
    pub fn step(&mut self, content: &Content, by: isize) {
        let last = content.lines.len().saturating_sub(1);
        if content.list {
            self.cursor = self.cursor.saturating_add_signed(by).min(last);
        } else {
            self.top = self.top.saturating_add_signed(by).min(last);
        }
    }

    /// Scrolls sideways by so many columns.
    pub fn slide(&mut self, content: &Content, by: isize) {
        self.left = self.left.saturating_add_signed(by).min(content.lines.widest().saturating_sub(1));
    }

    /// Puts highlight and scroll position where they belong, for content of which so many rows are seen.
    pub fn settle(&mut self, content: &Content, rows: usize) {
        let last = content.lines.len().saturating_sub(1);
        self.cursor = self.cursor.min(last);
        if content.sight != self.seen {
            if let Some((first, last)) = content.sight {
                if !(first..=last).contains(&self.cursor) {
                    self.cursor = first;
                }
                self.show(first, last, rows);
            }
            self.seen = content.sight;
        }
        if content.list {
            self.show(self.cursor, self.cursor, rows);
        }
        self.top = self.top.min(content.lines.len().saturating_sub(rows.max(1)));
    }

    /// Scrolls as little as possible so that these lines are seen; the first if not all can be.
    fn show(&mut self, first: usize, last: usize, rows: usize) {
        let rows = rows.max(1);
        if last >= self.top + rows {
            self.top = last + 1 - rows;
        }
        if first < self.top {
            self.top = first;
        }
    }

    /// Goes to the next line (or the previous one) that has what is looked for, around the ends. Returns the line.
    /// `from` is the present line, which does not count; `None` is before the first.
    pub fn find_next(&mut self, content: &Content, from: Option<usize>, forward: bool) -> Option<usize> {
        let lines = content.lines.bare();
        let has = |i: &usize| lines.get(*i).is_some_and(|l| !occurrences(&l.text(), &self.find).is_empty());
        let line = if forward {
            let after = from.map_or(0, |from| from + 1).min(lines.len());
            (after..lines.len()).chain(0..after).find(has)
        } else {
            let before = from.unwrap_or(0).min(lines.len());
            (before..lines.len()).chain(0..before).rfind(has)
        }?;
        if content.list {
            self.cursor = line;
        } else {
            self.top = line.saturating_sub(2);
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content_of(lines: usize, list: bool) -> Content {
        Content {
            lines: (0..lines).map(|i| Line::plain(format!("line {i}"))).collect(),
            list,
            ..Content::default()
        }
    }

    #[test]
    fn the_highlight_stays_in_sight() {
        let content = content_of(100, true);
        let mut window = Window::default();
        window.step(&content, 50);
        window.settle(&content, 10);
        assert_eq!((window.cursor, window.top), (50, 41));
        window.step(&content, -50);
        window.settle(&content, 10);
        assert_eq!((window.cursor, window.top), (0, 0));
    }

    #[test]
    fn one_can_scroll_away_from_what_was_kept_in_sight() {
        let mut content = content_of(100, false);
        content.sight = Some((60, 62));
        let mut window = Window::default();
        window.settle(&content, 10);
        assert_eq!(window.top, 53);
        window.step(&content, -53);
        window.settle(&content, 10);
        assert_eq!(window.top, 0);
    }

    #[test]
    fn finding_goes_around() {
        let content = content_of(30, true);
        let mut window = Window { find: "LINE 2".to_owned(), ..Window::default() };
        let mut lines = Vec::new();
        let mut from = None;
        for _ in 0..12 {
            from = window.find_next(&content, from, true);
            lines.extend(from);
        }
        assert_eq!(lines, [2, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 2]);
        assert_eq!(window.find_next(&content, Some(2), false), Some(29));
        assert_eq!(occurrences("İx ẞX x", "x"), [2..3, 7..8, 9..10]);
    }

    proptest! {
        #[test]
        fn settled_windows_are_on_the_content(
            lines in 0usize..50, list in any::<bool>(), rows in 0usize..30, height in 0usize..40,
            steps in prop::collection::vec(-60isize..60, 0..10)
        ) {
            let mut content = content_of(lines, list);
            content.foot = content.lines.bare().to_vec();
            let mut window = Window::default();
            for by in steps {
                window.step(&content, by);
                window.slide(&content, by);
                window.settle(&content, rows);
                prop_assert!(window.top == 0 || window.top < lines);
                prop_assert!(window.cursor < lines.max(1));
                if list && rows > 0 && lines > 0 {
                    prop_assert!((window.top..window.top + rows).contains(&window.cursor));
                }
            }
            let split = content.rows(height);
            prop_assert_eq!(split.head + split.body + split.foot, height);
        }

        #[test]
        fn occurrences_are_on_boundaries(text in "\\PC{0,20}", find in "\\PC{0,3}") {
            for range in occurrences(&text, &find) {
                prop_assert!(text.get(range).is_some());
            }
        }
    }
}
