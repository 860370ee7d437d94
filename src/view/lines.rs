//! Many lines that are shown again and again with few of them marked: they are shared, and a mark is drawn where it is looked at.

use super::text::{Line, Mark};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Lines, of which some have marks that the shared ones do not have.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lines {
    all: Arc<Vec<Line>>,
    /// By their lines.
    marks: Vec<Marked>,
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
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A line with its marks.
    pub fn get(&self, at: usize) -> Option<Cow<'_, Line>> {
        let mut line = Cow::Borrowed(self.all.get(at)?);
        let first = self.marks.partition_point(|marked| marked.line < at);
        for marked in self.marks[first..].iter().take_while(|marked| marked.line == at) {
            line.to_mut().mark(marked.bytes.clone(), marked.mark);
        }
        Some(line)
    }

    /// The lines with their marks.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, Line>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The lines without these marks.
    pub fn bare(&self) -> &[Line] {
        &self.all
    }

    /// Marks bytes of a line, if there is one of this number; what is beyond its end is none.
    pub fn mark(&mut self, line: usize, bytes: Range<usize>, mark: Mark) {
        let at = self.marks.partition_point(|marked| marked.line <= line);
        self.marks.insert(at, Marked { line, bytes, mark });
    }
}

impl From<Vec<Line>> for Lines {
    fn from(all: Vec<Line>) -> Lines {
        Lines { all: Arc::new(all), marks: vec![] }
    }
}

impl From<&Arc<Vec<Line>>> for Lines {
    fn from(all: &Arc<Vec<Line>>) -> Lines {
        Lines { all: all.clone(), marks: vec![] }
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
        let all = Arc::new(vec![Line::plain("a"), Line::plain("bcd"), Line::plain("c")]);
        let mut lines = Lines::from(&all);
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
        assert_eq!((lines.len(), lines.get(3), Arc::strong_count(&all)), (3, None, 2));
    }
}
