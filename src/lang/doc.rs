//! Text laid out in a given width: the document printer that syntax trees and terms share.
//!
//! In: a [`Doc`], built from texts, lines and groups. Out: text, with the byte ranges of annotated parts.
//! Holds: a group is on one line where it fits and breaks all of its own lines where it does not (Wadler's printer);
//! time is linear in the document times the width; deep documents do not overflow the stack.

use std::borrow::Cow;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// A text that may break into lines. `A` marks parts whose place in the output is wanted.
#[derive(Clone, Debug)]
pub enum Doc<A = ()> {
    Text(Cow<'static, str>),
    /// A line break, or this text where the group around it fits on a line.
    Line(&'static str),
    /// A line break that breaks every group around it.
    HardLine,
    /// One thing where the group around it breaks, another where it is on one line.
    Either(Box<Doc<A>>, Box<Doc<A>>),
    Concat(Vec<Doc<A>>),
    /// Lines within are indented by so many more columns.
    Nest(usize, Box<Doc<A>>),
    /// Lines within are indented to the column where this starts.
    Align(Box<Doc<A>>),
    Group(Box<Doc<A>>),
    Mark(A, Box<Doc<A>>),
}

impl<A> Doc<A> {
    pub fn nil() -> Doc<A> {
        Doc::Concat(Vec::new())
    }

    pub fn text(text: impl Into<Cow<'static, str>>) -> Doc<A> {
        Doc::Text(text.into())
    }

    /// A line break or a space.
    pub fn line() -> Doc<A> {
        Doc::Line(" ")
    }

    /// A line break or nothing.
    pub fn soft() -> Doc<A> {
        Doc::Line("")
    }

    pub fn concat(parts: impl IntoIterator<Item = Doc<A>>) -> Doc<A> {
        Doc::Concat(parts.into_iter().collect())
    }

    /// The parts with `separator` between.
    pub fn join(parts: impl IntoIterator<Item = Doc<A>>, mut separator: impl FnMut() -> Doc<A>) -> Doc<A> {
        let mut all = Vec::new();
        for part in parts {
            if !all.is_empty() {
                all.push(separator());
            }
            all.push(part);
        }
        Doc::Concat(all)
    }

    #[must_use]
    pub fn then(self, next: impl Into<Doc<A>>) -> Doc<A> {
        match self {
            Doc::Concat(mut parts) => {
                parts.push(next.into());
                Doc::Concat(parts)
            }
            other => Doc::Concat(vec![other, next.into()]),
        }
    }

    #[must_use]
    pub fn nest(self, by: usize) -> Doc<A> {
        Doc::Nest(by, Box::new(self))
    }

    #[must_use]
    pub fn align(self) -> Doc<A> {
        Doc::Align(Box::new(self))
    }

    #[must_use]
    pub fn group(self) -> Doc<A> {
        Doc::Group(Box::new(self))
    }

    #[must_use]
    pub fn mark(self, mark: A) -> Doc<A> {
        Doc::Mark(mark, Box::new(self))
    }

    pub fn either(broken: Doc<A>, flat: Doc<A>) -> Doc<A> {
        Doc::Either(Box::new(broken), Box::new(flat))
    }

    /// The text with its lines in `width` columns where they can be.
    pub fn render(&self, width: usize) -> String
    where
        A: Clone,
    {
        self.render_marked(width).0
    }

    /// As [`Self::render`], with the byte range of every mark, in the order of their ends.
    pub fn render_marked(&self, width: usize) -> (String, Vec<(A, Range<usize>)>)
    where
        A: Clone,
    {
        let mut out = Output { text: String::new(), column: 0, pending: 0 };
        let mut marks = Vec::new();
        let mut todo = vec![Step::Print(0, Mode::Broken, self)];
        while let Some(step) = todo.pop() {
            let (indent, mode, doc) = match step {
                Step::Print(indent, mode, doc) => (indent, mode, doc),
                Step::EndMark(mark, start) => {
                    let start = start.min(out.text.len());
                    marks.push((mark.clone(), start..out.text.len()));
                    continue;
                }
            };
            match doc {
                Doc::Text(text) => out.push(text),
                Doc::Line(flat) if mode == Mode::Flat => out.push(flat),
                Doc::Line(_) | Doc::HardLine => out.new_line(indent),
                Doc::Either(broken, flat) => {
                    todo.push(Step::Print(indent, mode, if mode == Mode::Flat { flat } else { broken }));
                }
                Doc::Concat(parts) => {
                    todo.extend(parts.iter().rev().map(|part| Step::Print(indent, mode, part)));
                }
                Doc::Nest(by, inner) => todo.push(Step::Print(indent + by, mode, inner)),
                Doc::Align(inner) => todo.push(Step::Print(out.column, mode, inner)),
                Doc::Group(inner) => {
                    let flat = mode == Mode::Flat || fits(inner, width.saturating_sub(out.column), &todo);
                    todo.push(Step::Print(indent, if flat { Mode::Flat } else { Mode::Broken }, inner));
                }
                Doc::Mark(mark, inner) => {
                    todo.push(Step::EndMark(mark, out.next_offset()));
                    todo.push(Step::Print(indent, mode, inner));
                }
            }
        }
        (out.text, marks)
    }
}

impl<A> From<&'static str> for Doc<A> {
    fn from(text: &'static str) -> Doc<A> {
        Doc::Text(Cow::Borrowed(text))
    }
}

impl<A> From<String> for Doc<A> {
    fn from(text: String) -> Doc<A> {
        Doc::Text(Cow::Owned(text))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Flat,
    Broken,
}

enum Step<'a, A> {
    Print(usize, Mode, &'a Doc<A>),
    EndMark(&'a A, usize),
}

/// The text so far. Indentation is written with the text that follows it, so no line ends in spaces.
struct Output {
    text: String,
    column: usize,
    pending: usize,
}

impl Output {
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text.extend(std::iter::repeat_n(' ', self.pending));
        self.pending = 0;
        self.text.push_str(text);
        self.column += text.width();
    }

    fn new_line(&mut self, indent: usize) {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        self.text.push('\n');
        self.pending = indent;
        self.column = indent;
    }

    fn next_offset(&self) -> usize {
        self.text.len() + self.pending
    }
}

/// Whether `doc`, and what follows it on its line, fits on one line of `width` columns.
fn fits<A>(doc: &Doc<A>, width: usize, rest: &[Step<'_, A>]) -> bool {
    let mut left = width;
    let mut rest = rest.iter().rev();
    let mut todo = vec![(Mode::Flat, doc)];
    loop {
        let Some((mode, doc)) = todo.pop() else {
            match rest.next() {
                None => return true,
                Some(Step::EndMark(..)) => {}
                Some(Step::Print(_, mode, doc)) => todo.push((*mode, doc)),
            }
            continue;
        };
        match doc {
            Doc::Text(text) => match left.checked_sub(text.width()) {
                Some(less) => left = less,
                None => return false,
            },
            Doc::Line(_) if mode == Mode::Broken => return true,
            Doc::Line(flat) => match left.checked_sub(flat.len()) {
                Some(less) => left = less,
                None => return false,
            },
            Doc::HardLine => return mode == Mode::Broken,
            Doc::Either(broken, flat) => todo.push((mode, if mode == Mode::Flat { flat } else { broken })),
            Doc::Concat(parts) => todo.extend(parts.iter().rev().map(|part| (mode, part))),
            Doc::Nest(_, inner) | Doc::Align(inner) | Doc::Mark(_, inner) => todo.push((mode, inner)),
            // What follows is broken where it must be.
            Doc::Group(inner) => todo.push((mode, inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &'static str, args: Vec<Doc<u8>>) -> Doc<u8> {
        let args = Doc::join(args, || Doc::from(",").then(Doc::line()));
        Doc::concat([name.into(), "(".into(), Doc::soft().then(args).nest(2), Doc::soft(), ")".into()])
            .group()
    }

    #[test]
    fn groups_break_from_the_outside_in() {
        let inner = call("inner", vec!["alpha".into(), "beta".into()]);
        let doc = call("outer", vec![inner.mark(7), Doc::from("gamma").mark(8)]);
        assert_eq!(doc.render(40), "outer(inner(alpha, beta), gamma)");
        let (text, marks) = doc.render_marked(22);
        assert_eq!(text, "outer(\n  inner(alpha, beta),\n  gamma\n)");
        assert_eq!(
            marks.iter().map(|(m, r)| (*m, &text[r.clone()])).collect::<Vec<_>>(),
            [(7, "inner(alpha, beta)"), (8, "gamma")]
        );
        assert_eq!(doc.render(12), "outer(\n  inner(\n    alpha,\n    beta\n  ),\n  gamma\n)");
    }

    #[test]
    fn hard_lines_break_what_is_around_them_and_align_keeps_the_column() {
        let body: Doc = Doc::concat(["a".into(), Doc::HardLine, "b".into()]).align();
        let doc = Doc::concat(["x = ".into(), body, Doc::line(), "end".into()]).group();
        assert_eq!(doc.render(80), "x = a\n    b\nend");
        let either: Doc = Doc::either("long".into(), "short".into()).group();
        assert_eq!(either.render(80), "short");
    }

    #[test]
    fn deep_documents_do_not_overflow() {
        let mut doc: Doc = "x".into();
        for _ in 0..10_000 {
            doc = Doc::concat(["(".into(), doc, ")".into()]).group();
        }
        assert_eq!(doc.render(20).len(), 20_001);
        // Dropping recurses: keep to the depth that trees have.
        std::mem::forget(doc);
    }
}
