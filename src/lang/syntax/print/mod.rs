//! Trees to text: the one look of the four languages.
//!
//! In: a tree of [`ast`](super::ast). Out: text in a given width, in ASCII or Unicode, that parses to the same tree.
//! `Error` nodes print as `<error>`, which does not parse: whoever formats a text checks for problems first.

mod expr;
mod item;
mod strategy;

use super::ast::{Expr, File, Item, Name, Strategy, Type};
use crate::declared::ALWAYS;
use crate::diag::Charset;
use crate::doc::Doc as LayoutDoc;

pub(super) type Doc = LayoutDoc<()>;

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub charset: Charset,
    /// Columns of a line.
    pub width: usize,
}

impl Default for Options {
    /// As files are written: ASCII, 100 columns.
    fn default() -> Options {
        Options { charset: Charset::Ascii, width: 100 }
    }
}

/// A whole file. Comments that are not documentation are no part of a tree; see [`super::format`].
pub fn file(file: &File, options: &Options) -> String {
    let printer = Printer { charset: options.charset };
    let mut text = String::new();
    for (i, item) in file.items.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        text.push_str(&printer.item(item).render(options.width));
        text.push('\n');
    }
    text
}

/// One definition, without a line end behind it.
pub fn item(item: &Item, options: &Options) -> String {
    Printer { charset: options.charset }.item(item).render(options.width)
}

/// The `--|` lines of a definition, with their line ends.
pub fn documentation(lines: &[Name]) -> String {
    lines
        .iter()
        .map(|line| if line.is_empty() { "--|\n".to_string() } else { format!("--| {line}\n") })
        .collect()
}

pub fn expr(e: &Expr, options: &Options) -> String {
    Printer { charset: options.charset }.expr(e, 0).render(options.width)
}

/// As [`expr`], in parentheses where it could not stand as an argument.
pub fn argument(e: &Expr, options: &Options) -> String {
    Printer { charset: options.charset }.argument(e).render(options.width)
}

pub fn ty(t: &Type, options: &Options) -> String {
    Printer { charset: options.charset }.ty(t, 0).render(options.width)
}

pub fn strategy(s: &Strategy, options: &Options) -> String {
    Printer { charset: options.charset }.strategy(s, 0).render(options.width)
}

/// Turns trees into documents.
pub(super) struct Printer {
    pub charset: Charset,
}

impl Printer {
    /// The spelling for the character set.
    fn spell(&self, ascii: &'static str, unicode: &'static str) -> &'static str {
        match self.charset {
            Charset::Ascii => ascii,
            Charset::Unicode => unicode,
        }
    }

    fn name(&self, name: &Name) -> Doc {
        Doc::text(name.trim_start_matches(ALWAYS).to_string())
    }

    /// `(doc)` if it must be.
    fn parens(&self, needed: bool, doc: Doc) -> Doc {
        if needed { Doc::concat(["(".into(), doc.align(), ")".into()]) } else { doc }
    }

    /// Elements between brackets, separated by commas; one a line where they do not fit.
    fn bracketed(&self, open: &'static str, all: Vec<Doc>, close: &'static str) -> Doc {
        if all.is_empty() {
            return Doc::concat([open.into(), close.into()]);
        }
        let elements = Doc::join(all, || Doc::concat([",".into(), Doc::line()]));
        Doc::concat([open.into(), Doc::concat([Doc::soft(), elements]).nest(2), Doc::soft(), close.into()])
            .group()
    }
}
