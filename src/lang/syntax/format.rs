//! Formatting a text: the printer's look, with the comments and blank lines that its author gave it.
//!
//! Comments between definitions and at their ends stay where they are. A definition with a comment within keeps its
//! lines as they are, since only the author knows what the comment stands beside.
//! Holds: formatting twice changes nothing more, and the tree does not change.

use super::ast::{Item, ItemKind, Language};
use super::lexer::Comment;
use super::parse::parse_with_comments;
use super::print::{self, Options};
use crate::diag::{Diagnostic, FileId};

/// Formats a text.
///
/// # Errors
/// The problems of a text that has any: it is left alone.
pub fn format(
    language: Language,
    file: FileId,
    text: &str,
    options: &Options,
) -> Result<String, Vec<Diagnostic>> {
    let (tree, problems, comments) = parse_with_comments(language, file, text);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(problems);
    }
    let mut layout = Layout { text, out: String::new(), end: 0 };
    let mut comments = comments.as_slice();
    for item in &tree.items {
        let (start, end) = (item.span.start, item.span.end);
        let before = take_before(&mut comments, start);
        let within = take_before(&mut comments, end);
        let (plain, doc) = before.split_at(before.len() - item.doc.len().min(before.len()));
        plain.iter().for_each(|comment| layout.comment(comment));
        let printed = if within.len() > docs_within(item) {
            print::documentation(&item.doc) + &layout.verbatim(start, end)
        } else {
            print::item(item, options)
        };
        layout.piece(doc.first().map_or(start, |c| c.start), end, &printed);
    }
    comments.iter().for_each(|comment| layout.comment(comment));
    if !layout.out.is_empty() {
        layout.out.push('\n');
    }
    Ok(layout.out)
}

/// The comments up to an offset, taken from the front.
fn take_before<'a>(comments: &mut &'a [Comment], offset: u32) -> &'a [Comment] {
    let (before, after) = comments.split_at(comments.partition_point(|c| c.start < offset));
    *comments = after;
    before
}

/// How many comments within an item are documentation of its examples, which the tree keeps.
fn docs_within(item: &Item) -> usize {
    match &item.kind {
        ItemKind::Rule(rule) => rule.examples.iter().map(|example| example.doc.len()).sum(),
        _ => 0,
    }
}

/// The text under construction.
struct Layout<'a> {
    text: &'a str,
    out: String,
    /// Where in the source the last piece ended.
    end: u32,
}

impl Layout<'_> {
    fn source(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn verbatim(&self, start: u32, end: u32) -> String {
        self.source(start, end).lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// Adds what stood at `start..end`, after at most one blank line where there was one.
    fn piece(&mut self, start: u32, end: u32, printed: &str) {
        if !self.out.is_empty() {
            let lines = self.source(self.end, start).matches('\n').count();
            self.out.push_str(if lines > 1 { "\n\n" } else { "\n" });
        }
        self.out.push_str(printed);
        self.end = end;
    }

    fn comment(&mut self, comment: &Comment) {
        let printed = self.source(comment.start, comment.end).to_string();
        if comment.own_line || self.out.is_empty() {
            self.piece(comment.start, comment.end, &printed);
        } else {
            self.out.push_str("  ");
            self.out.push_str(&printed);
            self.end = comment.end;
        }
    }
}
