//! Terms as RISE: the syntax that the parser reads back, laid out in a given width.
//!
//! In comes a term, out come its text, what each token is, and where each sub-term stands. Data flow is written with
//! `|>`, arithmetic infix, a redex as `let x = v`. Parsing and inferring the text gives the same term again (its
//! digest covers everything but names). Time is linear in the text; terms that unfold to more nodes than
//! [`Options::nodes`] are cut off with `…`.

mod annotate;
mod names;
mod term;

use super::doc::Doc;
use super::nat::Name;
use super::path::Path;
use super::pattern::Level;
use super::preorder::{number_of, path_of};
use super::term::Term;
use std::ops::Range;

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// `λ → × ▷` instead of `\ -> * |>`.
    pub unicode: bool,
    /// Columns to stay within where possible.
    pub width: usize,
    /// The most nodes of the term that are printed.
    pub nodes: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { unicode: false, width: 100, nodes: 100_000 }
    }
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    Keyword,
    /// A pattern, and whether it says what to compute or how.
    Pattern(Level),
    /// A variable, the name of a binder, or the name of a program.
    Variable,
    Literal,
    Size,
    Type,
    Operator,
    Punctuation,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    pub range: Range<usize>,
    pub role: Role,
}

/// A printed term.
#[derive(Clone, Debug)]
pub struct Printed {
    pub text: String,
    /// The byte ranges of the lines, without their ends.
    pub lines: Vec<Range<usize>>,
    /// Every token, in order; what lies between is white space.
    pub tokens: Vec<Token>,
    term: Term,
    /// The text of each node, by its number in preorder (function before argument); by number, then by place.
    nodes: Vec<(u32, Range<usize>)>,
}

/// What a part of the document is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mark {
    Node(u32),
    Token(Role),
}

type D = Doc<Mark>;

impl Printed {
    fn new(term: &Term, doc: &D, width: usize) -> Printed {
        let (text, marks) = doc.render_marked(width);
        let mut nodes = vec![];
        let mut tokens = vec![];
        for (mark, range) in marks {
            match mark {
                Mark::Node(id) if !range.is_empty() => nodes.push((id, range)),
                Mark::Token(role) if !range.is_empty() => tokens.push(Token { range, role }),
                _ => {}
            }
        }
        nodes.sort_by_key(|(id, range)| (*id, range.start, range.end));
        tokens.sort_by_key(|t| t.range.start);
        let mut lines = vec![];
        let mut start = 0;
        for line in text.split('\n') {
            lines.push(start..start + line.len());
            start += line.len() + 1;
        }
        Printed { text, lines, tokens, term: term.clone(), nodes }
    }

    /// The term that was printed.
    pub fn term(&self) -> &Term {
        &self.term
    }

    /// Where the sub-term at `path` stands. A function that is written as `let` has two parts, its name and its body.
    pub fn ranges_of(&self, path: &Path) -> Vec<Range<usize>> {
        let Some(id) = number_of(&self.term, path) else { return vec![] };
        let first = self.nodes.partition_point(|(n, _)| *n < id);
        self.nodes[first..].iter().take_while(|(n, _)| *n == id).map(|(_, r)| r.clone()).collect()
    }

    /// The innermost sub-term whose text contains the byte.
    pub fn path_at(&self, byte: usize) -> Option<Path> {
        let holds = |(_, r): &&(u32, Range<usize>)| r.contains(&byte);
        // Of equal ranges the outer node has the smaller number.
        let (id, _) = self.nodes.iter().filter(holds).min_by_key(|(_, r)| r.end - r.start)?;
        path_of(&self.term, *id)
    }

    /// Every sub-term that has a text of its own, with its range; sub-terms in preorder.
    pub fn ranges(&self) -> Vec<(Path, Range<usize>)> {
        let mut out = Vec::with_capacity(self.nodes.len());
        let mut todo = vec![(Path::root(), &self.term, 0u32)];
        let mut rest = self.nodes.as_slice();
        while let (Some((path, t, id)), false) = (todo.pop(), rest.is_empty()) {
            let here = rest.iter().take_while(|(n, _)| *n == id).count();
            out.extend(rest[..here].iter().map(|(_, r)| (path.clone(), r.clone())));
            rest = &rest[here..];
            let end = id.saturating_add(t.size());
            if rest.first().is_none_or(|(n, _)| *n >= end) {
                continue;
            }
            let mut next = id + 1;
            let mut children = vec![];
            for (i, child) in t.children().into_iter().enumerate() {
                children.push((path.child(i as u8), child, next));
                next = next.saturating_add(child.size());
            }
            todo.extend(children.into_iter().rev());
        }
        out
    }
}

/// Prints a closed term.
pub fn term(t: &Term, options: &Options) -> Printed {
    open_term(t, &[], options)
}

/// Prints a term whose free variables have the given names, the first being variable 0.
pub fn open_term(t: &Term, free: &[Name], options: &Options) -> Printed {
    t.with_stack(|| {
        let named = names::with_sizes_of_steps(t);
        Printed::new(t, &term::Printer::new(&named, free, &[], options).term(&named), options.width)
    })
}

/// Prints a program: `def name (a: k.f32) …: t = body`. `sizes` are its size parameters in order.
pub fn program(name: &str, sizes: &[Name], t: &Term, options: &Options) -> Printed {
    t.with_stack(|| {
        let named = names::with_sizes_of_steps(t);
        let doc = term::Printer::new(&named, &[], &[name.into()], options).program(name, sizes, &named);
        Printed::new(t, &doc, options.width)
    })
}

/// A closed term on one line, cut off after some characters: for lists and messages.
pub fn short(t: &Term, free: &[Name], characters: usize) -> String {
    let options = Options { width: usize::MAX, nodes: (characters as u32).max(8), ..Options::default() };
    let text = open_term(t, free, &options).text;
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= characters {
        return text;
    }
    text.chars().take(characters.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
