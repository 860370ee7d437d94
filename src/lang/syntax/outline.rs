//! What a text defines, without reading it: for texts that are known to be right, of which most is never used.
//!
//! In: a text in the standard layout, in which definitions start at the margin. Out: where each of them is.

use super::lexer::is_item_word;
use crate::diag::{FileId, Span};
use std::ops::Range;

/// A definition that [`parse_item`](super::parse_item) reads when it is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline<'a> {
    /// The word that it starts with, such as `strategy`.
    pub word: &'a str,
    pub name: &'a str,
    /// Its bytes, and those of its documentation.
    pub range: Range<usize>,
    /// Where it starts, after its documentation.
    start: usize,
}

impl Outline<'_> {
    /// Its place in the file, without its documentation; of a rule with its examples.
    pub fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start as u32, self.range.end as u32)
    }
}

/// The definitions of a text in the standard layout, in which no comment stands behind one on its line.
pub fn outline(text: &str) -> Vec<Outline<'_>> {
    let mut found: Vec<Outline> = Vec::new();
    // Where the documentation right above the line starts.
    let mut doc = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, line) = (at, {
            at += line.len();
            line.trim_end()
        });
        let end = start + line.len();
        let (word, rest) = line.split_at(length_of_word(line));
        if line.starts_with("--|") {
            doc = doc.or(Some(start));
            continue;
        }
        let doc = doc.take();
        // An example belongs to the rule above it.
        if is_item_word(word) && word != "example" {
            let rest = rest.trim_start();
            let range = doc.unwrap_or(start)..end;
            found.push(Outline { word, name: &rest[..length_of_word(rest)], range, start });
        } else if !line.is_empty()
            && !line.starts_with("--")
            && let Some(last) = found.last_mut()
        {
            last.range.end = end;
        }
    }
    found
}

fn length_of_word(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'')).count()
}
