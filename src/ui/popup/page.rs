//! Text to read: a preview, the steps of a strategy, a message.

use crate::view::surface::lines_on_the_screen;
use crate::view::{Line, Mark, quoted};
use std::borrow::Cow;

/// What the text is for, which decides what Enter does.
#[derive(Clone, PartialEq, Debug)]
pub enum Purpose {
    /// Only to read.
    Read,
    /// To read, and nobody asked for it just now.
    Result,
    /// What Enter would do: apply the highlighted rule.
    Apply,
    /// The steps of a strategy, taken one by one.
    Steps,
    /// The steps that led to a state, looked at one by one.
    Trail,
    /// How the code of two states differs.
    Code,
    /// What is wrong with files, problem by problem.
    Mend,
}

/// Text to read, with the part that is seen.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// The text.
    pub lines: Vec<Line>,
    /// What it is for.
    pub purpose: Purpose,
    /// Of sentences, how far the rows after a line's first are indented: they are broken where the screen ends, whatever it
    /// becomes. Code and pictures are not broken.
    pub broken: Option<usize>,
    /// The first line and column that are seen.
    pub scroll: (usize, usize),
}

/// Sentences in longer rows are not read well.
const WIDEST: usize = 120;

impl Page {
    /// A text seen from its beginning.
    pub fn new(title: impl Into<String>, lines: Vec<Line>, purpose: Purpose) -> Page {
        Page { title: title.into(), lines, purpose, broken: None, scroll: (0, 0) }
    }

    /// Sentences to read, each broken where the screen ends, with what follows indented so far. Those that warn name commands of
    /// the screen.
    pub fn sentences(title: impl Into<String>, lines: Vec<Line>, indent: usize) -> Page {
        let lines = lines_on_the_screen(lines);
        Page { broken: Some(indent), ..Page::new(title, lines, Purpose::Read) }
    }

    /// The rows of the text in so many columns.
    pub fn rows(&self, columns: usize) -> Cow<'_, [Line]> {
        match self.broken {
            None => Cow::Borrowed(&self.lines),
            Some(indent) => {
                let width = columns.min(WIDEST);
                Cow::Owned(quoted::rows(&self.lines, width, indent))
            }
        }
    }

    /// A difference, seen from a little above its first change.
    pub fn difference(title: impl Into<String>, lines: Vec<Line>, purpose: Purpose) -> Page {
        let changed =
            |line: &Line| line.spans.iter().any(|s| matches!(s.mark, Mark::Inserted | Mark::Deleted));
        let first = lines.iter().position(changed).unwrap_or(0).saturating_sub(3);
        Page { scroll: (first, 0), ..Page::new(title, lines, purpose) }
    }

    /// Moves what is seen by rows and columns, staying on the text, of which so many rows and columns are seen at once.
    pub fn scroll_by(&mut self, by: (isize, isize), seen: (usize, usize)) {
        let rows = self.rows(seen.1);
        let widest = rows.iter().map(Line::width).max().unwrap_or(0);
        let (row, column) = self.scroll;
        self.scroll = (
            row.saturating_add_signed(by.0).min(rows.len().saturating_sub(seen.0.max(1))),
            column.saturating_add_signed(by.1).min(widest.saturating_sub(1)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_stays_on_the_text() {
        let mut page = Page::new("t", vec![Line::plain("abc"), Line::plain("d")], Purpose::Read);
        page.scroll_by((9, 9), (1, 9));
        assert_eq!(page.scroll, (1, 2));
        page.scroll_by((isize::MIN, isize::MIN), (1, 9));
        assert_eq!(page.scroll, (0, 0));
        // What is seen whole does not move.
        page.scroll_by((9, 0), (4, 9));
        assert_eq!(page.scroll, (0, 0));
        let mut empty = Page::new("t", Vec::new(), Purpose::Read);
        empty.scroll_by((1, 1), (4, 9));
        assert_eq!(empty.scroll, (0, 0));
    }

    #[test]
    fn sentences_are_broken_where_the_screen_ends() {
        let mut page = Page::sentences("t", vec![Line::plain("one two three"), Line::plain("four")], 2);
        let rows = |page: &Page, columns| page.rows(columns).iter().map(Line::text).collect::<Vec<_>>();
        assert_eq!(rows(&page, 40), ["one two three", "four"]);
        assert_eq!(rows(&page, 8), ["one two", "  three", "four"]);
        page.scroll_by((9, 0), (2, 8));
        assert_eq!(page.scroll, (1, 0), "the last row is reached");
    }
}
