//! What other languages write: one problem that says what to write instead, in the words of the text.
//!
//! Each form is told by tokens that mean nothing here, so that no text of this language is taken for one. What is written
//! instead is read on with where that is plain; otherwise what is being read ends there.

mod calls;
mod definitions;
pub(super) mod signs;
mod statements;
pub(super) mod strategies;

use super::super::ast::{Expr, ExprKind, Language, Node};
use super::super::codes;
use super::super::lexer::Tok;
use super::Parser;
use crate::diag::{Diagnostic, Span};

/// Longer pieces of a text are not repeated in a hint.
const MAX_QUOTE: usize = 72;

/// No form is looked for further than this, in tokens.
const MAX_LOOK: usize = 256;

impl Parser<'_> {
    /// Whether programs are being read, in which these forms have no other meaning.
    fn in_program(&self) -> bool {
        self.language == Language::Program && !self.in_sketch
    }

    /// The text of some tokens on one line, and nothing of what is too long to be repeated.
    pub(in crate::syntax::parse) fn quote(&self, from: usize, to: usize) -> Option<String> {
        let (first, last) = (self.tokens.get(from)?, self.tokens.get(to.checked_sub(1)?)?);
        let text = self.text.get(first.start as usize..last.end as usize)?;
        // What is quoted is to be written, so there must be nothing in it that cannot.
        let foreign = |i: usize| {
            self.tokens.get(i).is_some_and(|t| t.tok == Tok::Foreign)
                && !matches!(self.spelling(i), "&&" | "||")
        };
        // The length first: what stands around a deep nest is asked for at each level of it.
        if text.len() > 4 * MAX_QUOTE || (from..to).any(foreign) {
            return None;
        }
        let text = text.replace("&&", " and ").replace("||", " or ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.contains("--") && text.chars().count() <= MAX_QUOTE).then_some(text)
    }

    /// As [`Self::quote`], or a name for what is too long.
    pub(super) fn quote_or(&self, from: usize, to: usize, other: &str) -> String {
        self.quote(from, to).unwrap_or_else(|| other.into())
    }

    /// The text of some tokens as an argument.
    fn argument_or(&self, from: usize, to: usize, other: &str) -> String {
        let text = self.quote_or(from, to, other);
        let whole = to == from + 1 || self.mate(from) == to.checked_sub(1);
        if whole || text == other { text } else { format!("({text})") }
    }

    pub(super) fn nth_span(&self, n: usize) -> Span {
        self.span_at(self.at + n)
    }

    fn span_at(&self, index: usize) -> Span {
        self.tokens.get(index).map_or_else(|| self.here(), |t| Span::new(self.file, t.start, t.end))
    }

    /// Reports the problem and ends what is being read.
    fn give_up(&mut self, problem: Diagnostic) -> Expr {
        let here = self.here();
        self.report(|| problem);
        self.at = self.limit.max(self.at);
        self.reported_at = Some(self.at);
        Node::new(here, ExprKind::Error)
    }

    /// What other languages write in the place of an operand.
    pub(super) fn foreign_form(&mut self) -> Option<Expr> {
        match self.peek() {
            Tok::Word => self.foreign_statement().or_else(|| self.foreign_function()),
            Tok::Bar => self.foreign_function(),
            Tok::LParen => {
                self.foreign_function().or_else(|| self.foreign_section()).or_else(|| self.comprehension())
            }
            Tok::LBracket => self.comprehension(),
            _ => None,
        }
    }

    /// Where a token stands in what is being read, outside of the brackets in it.
    fn find(&self, from: usize, wanted: impl Fn(Tok, &str) -> bool) -> Option<usize> {
        let mut at = from;
        for _ in 0..MAX_LOOK {
            if at >= self.limit {
                break;
            }
            let tok = self.tokens.get(at)?.tok;
            if wanted(tok, self.spelling(at)) {
                return Some(at);
            }
            at = self.mate(at).filter(|close| tok != Tok::Word && *close > at).unwrap_or(at) + 1;
        }
        None
    }

    fn find_word(&self, from: usize, word: &str) -> Option<usize> {
        self.find(from, |tok, text| tok == Tok::Word && text == word)
    }

    fn word_problem(&self, at: usize, hint: impl Into<String>) -> Diagnostic {
        let word = self.spelling(at);
        Diagnostic::error(codes::UNEXPECTED, format!("There is no `{word}` in this language."))
            .label(self.span_at(at), "a word of other languages")
            .hint(hint)
    }
}
