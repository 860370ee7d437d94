//! The term as text, with the place of every sub-term, and how a selection moves over it.
//!
//! In come the printed text and the range of each sub-term in it; out come lines with roles, with the selected
//! sub-term marked. A selection is a [`Path`]; it moves by structure (parent, first part) or by the eye (the next
//! sub-term in the text, the one on the line below).

use std::ops::Range;

use super::code;
use super::lines::Lines;
use super::text::{Alphabet, Line, Mark, Role};
use crate::lang::path::Path;
use crate::lang::print::{self, Options};
use crate::lang::term::Term;

/// A printed term.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Printed {
    lines: Lines,
    /// The byte at which each line begins.
    starts: Vec<usize>,
    /// Every sub-term that can be selected, in the order of the text, outer before inner.
    spans: Vec<(Path, Range<usize>)>,
    /// The spans in the order of their positions.
    by_path: Vec<usize>,
    /// One span a range, in the order of the text: the innermost, which is the body of a function whose binder stands further left.
    distinct: Vec<usize>,
}

impl Printed {
    /// A term, laid out in a width.
    pub fn of(term: &Term, width: usize, alphabet: Alphabet) -> Printed {
        let unicode = alphabet == Alphabet::Unicode;
        let printed = print::term(term, &Options { unicode, width, ..Options::default() });
        let mut lines: Vec<Line> = Vec::with_capacity(printed.lines.len());
        let mut tokens = printed.tokens.iter().peekable();
        for range in &printed.lines {
            let mut line = Line::empty();
            let mut at = range.start;
            while let Some(token) = tokens.next_if(|token| token.range.start < range.end) {
                let text = |r: Range<usize>| printed.text.get(r).unwrap_or_default().to_owned();
                line.push(Role::Plain, text(at..token.range.start));
                line.push(role(token.role), text(token.range.clone()));
                at = token.range.end;
            }
            line.push(Role::Plain, printed.text.get(at..range.end).unwrap_or_default().to_owned());
            lines.push(line);
        }
        Printed::new(&printed.text, lines, printed.ranges())
    }

    /// A term from its text, its lines and the ranges of its sub-terms (in bytes).
    fn new(text: &str, lines: Vec<Line>, ranges: impl IntoIterator<Item = (Path, Range<usize>)>) -> Printed {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(i, _)| i + 1));
        let mut spans: Vec<(Path, Range<usize>)> =
            ranges.into_iter().filter(|(_, r)| r.start < r.end && r.end <= text.len()).collect();
        spans.sort_by(|(p, a), (q, b)| {
            a.start.cmp(&b.start).then(b.end.cmp(&a.end)).then(p.len().cmp(&q.len())).then(p.cmp(q))
        });
        let mut by_path: Vec<usize> = (0..spans.len()).collect();
        by_path.sort_by(|a, b| spans[*a].0.cmp(&spans[*b].0).then(a.cmp(b)));
        let mut distinct: Vec<usize> = Vec::with_capacity(spans.len());
        for (i, (_, range)) in spans.iter().enumerate() {
            match distinct.last_mut() {
                Some(last) if spans[*last].1 == *range => *last = i,
                _ => distinct.push(i),
            }
        }
        Printed { lines: lines.into(), starts, spans, by_path, distinct }
    }

    /// The text of a sub-term.
    pub fn text(&self, path: &Path) -> String {
        let Some(range) = self.range(path) else { return String::new() };
        let (first, last) = (self.line_of(range.start), self.line_of(range.end.saturating_sub(1)));
        let before = self.starts.get(first).copied().unwrap_or(0);
        let lines: Vec<String> =
            self.lines().iter().skip(first).take(last + 1 - first).map(Line::text).collect();
        let text = lines.join("\n");
        text.get(range.start - before..range.end - before).unwrap_or_default().to_owned()
    }

    /// The lines without a selection.
    pub fn lines(&self) -> &[Line] {
        self.lines.bare()
    }

    /// The same, shared.
    pub fn shared(&self) -> Lines {
        self.lines.clone()
    }

    /// The lines with the sub-term at `path` marked.
    pub fn marked(&self, path: &Path, mark: Mark) -> Lines {
        let mut lines = self.shared();
        let mut path = path.clone();
        while self.ranges(&path).next().is_none() {
            let Some(parent) = path.parent() else { return lines };
            path = parent;
        }
        for range in self.ranges(&path) {
            let (first, last) = (self.line_of(range.start), self.line_of(range.end.saturating_sub(1)));
            for (i, start) in self.starts.iter().enumerate().take(last + 1).skip(first) {
                let indent = || self.lines().get(i).map_or(0, Line::indent);
                let from = if range.start < *start { indent() } else { range.start - start };
                lines.mark(i, from..range.end.saturating_sub(*start), mark);
            }
        }
        lines
    }

    /// The ranges of a sub-term in the text: a function that is written as `let` has two.
    fn ranges(&self, path: &Path) -> impl Iterator<Item = &Range<usize>> {
        let first = self.by_path.partition_point(|&i| self.spans[i].0 < *path);
        let own = self.by_path[first..].iter().map(|&i| &self.spans[i]);
        own.take_while(move |(p, _)| p == path).map(|(_, r)| r)
    }

    /// The range of a sub-term in the text, or of the nearest enclosing one that has a text of its own.
    pub fn range(&self, path: &Path) -> Option<Range<usize>> {
        let mut path = path.clone();
        loop {
            if let Some(range) = self.ranges(&path).next() {
                return Some(range.clone());
            }
            path = path.parent()?;
        }
    }

    /// The lines (first and last) and the first column of a sub-term.
    pub fn place(&self, path: &Path) -> Option<(usize, usize, usize)> {
        let range = self.range(path)?;
        let (first, last) = (self.line_of(range.start), self.line_of(range.end.saturating_sub(1)));
        Some((first, last, range.start - self.starts.get(first).copied().unwrap_or(0)))
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// Whether there is a sub-term with a text of its own below `path`.
    pub fn has_parts(&self, path: &Path) -> bool {
        self.first_part(path).is_some()
    }

    /// The first part of a sub-term, in the order of the text, that is smaller than it.
    pub fn first_part(&self, path: &Path) -> Option<Path> {
        let whole = self.range(path)?;
        let inside = |(p, r): &(&Path, &Range<usize>)| {
            p.steps().starts_with(path.steps()) && r.end <= whole.end && **r != whole
        };
        let from = self.distinct().skip(self.first_at(whole.start));
        from.take_while(|(_, r)| r.start < whole.end).find(inside).map(|(p, _)| p.clone())
    }

    /// The next enclosing sub-term with a text of its own: from the first part back to where that was taken of.
    pub fn parent(&self, path: &Path) -> Option<Path> {
        let own = self.range(path);
        let mut above = path.parent();
        while let Some(path) = above {
            let next = path.parent();
            if next.is_none() || self.ranges(&path).any(|range| Some(range) != own.as_ref()) {
                return Some(path);
            }
            above = next;
        }
        None
    }

    /// The sub-term `by` places further in the order of the text, stopping at the ends.
    pub fn step(&self, path: &Path, by: isize) -> Option<Path> {
        let own = self.range(path)?;
        let first = self.first_at(own.start);
        let at = first + self.distinct().skip(first).position(|(_, r)| *r == own)?;
        let to = at.saturating_add_signed(by).min(self.distinct.len().saturating_sub(1));
        self.distinct().nth(to).map(|(p, _)| p.clone())
    }

    /// The largest sub-term that begins `by` lines further down, or on the nearest line beyond that has one.
    pub fn step_lines(&self, path: &Path, by: isize) -> Option<Path> {
        let (line, _, column) = self.place(path)?;
        let wanted = line.saturating_add_signed(by).min(self.lines.len().saturating_sub(1));
        let beginning = |line: usize| {
            let first = self.distinct().nth(self.first_at(*self.starts.get(line)?));
            first.filter(|(_, r)| self.line_of(r.start) == line)
        };
        let found = if by >= 0 {
            (wanted..self.lines.len()).find_map(beginning)
        } else {
            (0..=wanted).rev().find_map(beginning)
        };
        let (found, range) = found?;
        // On its own line a step back goes to the line's beginning rather than nowhere.
        let moved = self.line_of(range.start) != line || (by < 0 && column > 0);
        moved.then(|| found.clone())
    }

    /// The first sub-term of the text from this line on whose text contains the byte range of a match.
    pub fn covering(&self, line: usize, columns: Range<usize>) -> Option<Path> {
        let start = self.starts.get(line)?;
        let wanted = start + columns.start..start + columns.end;
        let covers = |(_, r): &(&Path, &Range<usize>)| r.start <= wanted.start && wanted.end <= r.end;
        self.distinct()
            .take_while(|(_, r)| r.start <= wanted.start)
            .filter(covers)
            .min_by_key(|(_, r)| r.end - r.start)
            .map(|(p, _)| p.clone())
    }

    /// The sub-terms, one a range.
    fn distinct(&self) -> impl ExactSizeIterator<Item = (&Path, &Range<usize>)> {
        self.distinct.iter().map(|&i| (&self.spans[i].0, &self.spans[i].1))
    }

    /// The first of [`Printed::distinct`] that begins at a byte or behind it.
    fn first_at(&self, byte: usize) -> usize {
        self.distinct.partition_point(|&i| self.spans[i].1.start < byte)
    }
}

fn role(role: print::Role) -> Role {
    match role {
        print::Role::Keyword => Role::Keyword,
        print::Role::Pattern(level) => code::of_level(level),
        print::Role::Variable => Role::Variable,
        print::Role::Literal => Role::Literal,
        print::Role::Size => Role::Size,
        print::Role::Type => Role::Type,
        print::Role::Operator => Role::Operator,
        print::Role::Punctuation => Role::Punctuation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `map f` over two lines, with the ranges of application, function and argument.
    fn sample() -> Printed {
        let text = "map\n  (g x)\n  xs";
        let path = |s: &str| Path::parse(s).unwrap();
        Printed::new(
            text,
            super::super::text::lines_of(Role::Plain, text),
            [
                (path("."), 0..16),
                (path("0"), 0..11),
                (path("0.0"), 0..3),
                (path("0.1"), 6..11),
                (path("0.1.0"), 7..8),
                (path("0.1.1"), 9..10),
                (path("1"), 14..16),
            ],
        )
    }

    fn text(path: Option<Path>) -> String {
        path.map_or("none".to_owned(), |p| p.to_string())
    }

    #[test]
    fn the_selection_moves_by_structure() {
        let printed = sample();
        let p = |s: &str| Path::parse(s).unwrap();
        assert_eq!(text(printed.first_part(&p("."))), "0");
        assert_eq!(text(printed.first_part(&p("0.1"))), "0.1.0");
        assert_eq!(text(printed.first_part(&p("1"))), "none");
        assert_eq!(text(printed.parent(&p("0.1.0"))), "0.1");
        assert_eq!(text(printed.parent(&p("."))), "none");
    }

    #[test]
    fn the_selection_moves_by_the_eye() {
        let printed = sample();
        let p = |s: &str| Path::parse(s).unwrap();
        assert_eq!(text(printed.step(&p("."), 1)), "0");
        assert_eq!(text(printed.step(&p("0.1.1"), 1)), "1");
        assert_eq!(text(printed.step(&p("1"), 9)), "1");
        assert_eq!(text(printed.step_lines(&p("."), 1)), "0.1");
        assert_eq!(text(printed.step_lines(&p("0.1.1"), 1)), "1");
        assert_eq!(text(printed.step_lines(&p("1"), 1)), "none");
        assert_eq!(text(printed.step_lines(&p("1"), -9)), ".");
        assert_eq!(text(printed.covering(1, 2..4)), "0.1");
    }

    #[test]
    fn a_selection_over_lines_leaves_the_indentation_unmarked() {
        let lines = sample().marked(&Path::parse("0").unwrap(), Mark::Selected);
        let marked: Vec<String> = lines
            .iter()
            .map(|l| l.spans.iter().filter(|s| s.mark == Mark::Selected).map(|s| s.text.as_ref()).collect())
            .collect();
        assert_eq!(marked, ["map", "(g x)", ""]);
    }
}
