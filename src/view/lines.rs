//! Many lines that are shown again and again with few of them marked: they are shared, and a mark is drawn where it is looked at.

use super::text::{Line, Mark};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Lines, of which some have marks that the shared ones do not have.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lines {
    all: Arc<Shared>,
    /// By their lines.
    marks: Vec<Marked>,
}

#[derive(Debug, Default)]
struct Shared {
    lines: Vec<Line>,
    /// The columns of the longest one, once somebody asked.
    widest: OnceLock<usize>,
}

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        self.lines == other.lines
    }
}

/// The bytes of a line that have a mark.
#[derive(Clone, PartialEq, Debug)]
struct Marked {
    line: usize,
    bytes: Range<usize>,
    mark: Mark,
}

impl Lines {
    pub fn len(&self) -> usize {
        self.all.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.lines.is_empty()
    }

    /// The lines with their marks.
    pub fn iter(&self) -> impl Iterator<Item = Line> {
        let marked = |(at, line): (usize, &Line)| line.with_marks(&self.marks(at).collect::<Vec<_>>());
        self.bare().iter().enumerate().map(marked)
    }

    /// The lines without these marks.
    pub fn bare(&self) -> &[Line] {
        &self.all.lines
    }

    /// The marks of a line, of which the last counts where several are over each other.
    pub fn marks(&self, line: usize) -> impl Iterator<Item = (Range<usize>, Mark)> {
        let first = self.marks.partition_point(|marked| marked.line < line);
        let own = self.marks[first..].iter().take_while(move |marked| marked.line == line);
        own.map(|marked| (marked.bytes.clone(), marked.mark))
    }

    /// The columns of the longest line.
    pub fn widest(&self) -> usize {
        let widest = || self.bare().iter().map(Line::width).max().unwrap_or(0);
        *self.all.widest.get_or_init(widest)
    }

    /// Marks bytes of a line, if there is one of this number; what is beyond its end is none.
    pub fn mark(&mut self, line: usize, bytes: Range<usize>, mark: Mark) {
        let at = self.marks.partition_point(|marked| marked.line <= line);
        self.marks.insert(at, Marked { line, bytes, mark });
    }
}

impl From<Vec<Line>> for Lines {
    fn from(lines: Vec<Line>) -> Lines {
        Lines { all: Arc::new(Shared { lines, widest: OnceLock::new() }), marks: vec![] }
    }
}

impl FromIterator<Line> for Lines {
    fn from_iter<T: IntoIterator<Item = Line>>(lines: T) -> Lines {
        lines.into_iter().collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_seen_everywhere_and_nothing_is_copied() {
        let all = Lines::from(vec![Line::plain("a"), Line::plain("bcd"), Line::plain("c")]);
        let mut lines = all.clone();
        lines.mark(2, 0..usize::MAX, Mark::Found);
        lines.mark(7, 0..1, Mark::Found);
        lines.mark(1, 0..1, Mark::Selected);
        lines.mark(1, 2..9, Mark::Found);
        let marks = |line: &Line| line.spans.iter().map(|span| (span.text.to_string(), span.mark)).collect();
        let all_marks: Vec<Vec<(String, Mark)>> = lines.iter().map(|line| marks(&line)).collect();
        let of = |text: &str, mark| (text.to_owned(), mark);
        assert_eq!(
            all_marks,
            [
                vec![of("a", Mark::None)],
                vec![of("b", Mark::Selected), of("c", Mark::None), of("d", Mark::Found)],
                vec![of("c", Mark::Found)],
            ]
        );
        assert_eq!((lines.len(), lines.marks(0).count(), lines.widest()), (3, 0, 3));
        assert_eq!((all.marks(1).count(), Arc::strong_count(&all.all)), (0, 2));
    }
}
