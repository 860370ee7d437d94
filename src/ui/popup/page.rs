//! Text to read: a preview, the steps of a strategy, a message.

use crate::view::{Line, Mark};

/// What the text is for, which decides what Enter does.
#[derive(Clone, PartialEq, Debug)]
pub enum Purpose {
    /// Only to read.
    Read,
    /// What Enter would do: apply the highlighted rule.
    Apply,
    /// The steps of a strategy, taken one by one.
    Steps,
    /// The steps that led to a state, looked at one by one.
    Trail,
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
    /// The first line and column that are seen.
    pub scroll: (usize, usize),
}

impl Page {
    /// A text seen from its beginning.
    pub fn new(title: impl Into<String>, lines: Vec<Line>, purpose: Purpose) -> Page {
        Page { title: title.into(), lines, purpose, scroll: (0, 0) }
    }

    /// A difference, seen from a little above its first change.
    pub fn difference(title: impl Into<String>, lines: Vec<Line>, purpose: Purpose) -> Page {
        let changed =
            |line: &Line| line.spans.iter().any(|s| matches!(s.mark, Mark::Inserted | Mark::Deleted));
        let first = lines.iter().position(changed).unwrap_or(0).saturating_sub(3);
        Page { scroll: (first, 0), ..Page::new(title, lines, purpose) }
    }

    /// Moves what is seen by lines and columns, staying on the text.
    pub fn scroll_by(&mut self, lines: isize, columns: isize) {
        let widest = self.lines.iter().map(Line::width).max().unwrap_or(0);
        let (row, column) = self.scroll;
        self.scroll = (
            row.saturating_add_signed(lines).min(self.lines.len().saturating_sub(1)),
            column.saturating_add_signed(columns).min(widest.saturating_sub(1)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_stays_on_the_text() {
        let mut page = Page::new("t", vec![Line::plain("abc"), Line::plain("d")], Purpose::Read);
        page.scroll_by(9, 9);
        assert_eq!(page.scroll, (1, 2));
        page.scroll_by(isize::MIN, isize::MIN);
        assert_eq!(page.scroll, (0, 0));
        let mut empty = Page::new("t", Vec::new(), Purpose::Read);
        empty.scroll_by(1, 1);
        assert_eq!(empty.scroll, (0, 0));
    }
}
