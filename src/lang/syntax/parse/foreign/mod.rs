//! What other languages write: one problem that says what to write instead, in the words of the text.
//!
//! Each form is told by tokens that mean nothing here, so that no text of this language is taken for one. What is written
//! instead is read on with where that is plain; otherwise what is being read ends there.

mod calls;
mod definitions;
mod methods;
pub(super) mod signs;
mod statements;
pub(super) mod strategies;

use super::super::ast::{Expr, ExprKind, Language, Node};
use super::super::codes;
use super::super::elsewhere;
use super::super::lexer::{self, Tok};
use super::Parser;
use crate::diag::{Diagnostic, Span};

/// Longer pieces of a text are not repeated in a hint.
const MAX_QUOTE: usize = 72;

/// No form is looked for further than this, in tokens.
const MAX_LOOK: usize = 256;

/// Is a text one name, or one number in parentheses?
fn is_one(text: &str) -> bool {
    let inside = text.strip_prefix("(-").and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    inside.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// A text with names alone in the place of those that say where they come from, `f32::max`.
fn without_paths(text: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = text.to_owned();
    while let Some(at) = out.find("::") {
        let start = out[..at].trim_end_matches(part).len();
        let behind = &out[at + 2..];
        let end = at + 2 + behind.find(|c| !part(c)).unwrap_or(behind.len());
        let name = elsewhere::limit_of_type(&out[start..at], &out[at + 2..end]);
        let name = name.unwrap_or_else(|| out[at + 2..end].to_owned());
        out.replace_range(start..end, &name);
    }
    // `Math.sqrt`
    let mut rest = out.as_str();
    let mut plain = String::new();
    while let Some(dot) = rest.find('.') {
        let (before, behind) = (&rest[..dot], &rest[dot + 1..]);
        let start = before.trim_end_matches(part).len();
        let is_module = elsewhere::is_module(&before[start..]) && behind.starts_with(char::is_alphabetic);
        plain.push_str(if is_module { &before[..start] } else { &rest[..=dot] });
        rest = behind;
    }
    plain + rest
}

impl Parser<'_> {
    /// Whether programs are being read, in which these forms have no other meaning.
    fn in_program(&self) -> bool {
        self.language == Language::Program && !self.in_sketch
    }

    /// The text of some tokens on one line, and nothing of what is too long to be repeated.
    pub(in crate::syntax::parse) fn quote(&self, from: usize, to: usize) -> Option<String> {
        let (first, last) = (self.tokens.get(from)?, self.tokens.get(to.checked_sub(1)?)?);
        let text = self.text.get(first.start as usize..last.end as usize)?;
        // On one line, what follows a `let` would be a part of its value.
        let is_let = |i: &usize| self.spelling(*i) == "let";
        let mut lines = (from..to).skip_while(|i| !is_let(i)).skip(1);
        // What is quoted is to be written, so there must be nothing in it that cannot.
        let foreign = |i: usize| {
            self.tokens.get(i).is_some_and(|t| t.tok == Tok::Foreign)
                && !matches!(self.spelling(i), "&&" | "||")
        };
        // The length first: what stands around a deep nest is asked for at each level of it.
        if text.len() > 4 * MAX_QUOTE
            || (from..to).any(foreign)
            || lines.any(|i| self.tokens.get(i).is_some_and(|t| t.first))
        {
            return None;
        }
        let text = if self.in_program() { self.with_calls(from, to)? } else { text.to_owned() };
        let text = text.replace("&&", " and ").replace("||", " or ");
        let text = if self.in_program() { without_paths(&text) } else { text };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.contains("--") && text.chars().count() <= MAX_QUOTE).then_some(text)
    }

    /// The text of some tokens with each call of other languages, `f(a, b)`, as it is written here.
    fn with_calls(&self, from: usize, to: usize) -> Option<String> {
        let tok = |i: usize| if i < to { self.tokens.get(i).map_or(Tok::End, |t| t.tok) } else { Tok::End };
        let mut out = String::new();
        let mut at = from;
        while at < to {
            if at > from {
                let (before, token) = (self.tokens.get(at - 1)?, self.tokens.get(at)?);
                out.push_str(self.text.get(before.end as usize..token.start as usize)?);
            }
            let Some(close) = self.call_with_commas(from, at).filter(|close| *close < to) else {
                out.push_str(self.spelling(at));
                at += 1;
                continue;
            };
            let call = self.call(at, close)?;
            // It stands among arguments, or something is taken of it.
            let among =
                at > from && self.ends_value(at - 1) || self.starts_value(close + 1) && close + 1 < to;
            let taken = matches!(tok(close + 1), Tok::Dot | Tok::LBracket | Tok::LParen);
            out.push_str(&if among || taken { format!("({call})") } else { call });
            at = close + 1;
        }
        Some(out)
    }

    /// Where the call ends whose function is the token: a name that parentheses touch in which commas stand.
    fn call_with_commas(&self, from: usize, at: usize) -> Option<usize> {
        let is_name = self.tokens.get(at)?.tok == Tok::Word && !lexer::is_reserved(self.spelling(at));
        let open = self.tokens.get(at + 1).filter(|t| t.tok == Tok::LParen)?;
        let before = at.checked_sub(1).filter(|i| *i >= from).map(|i| self.tokens[i].tok);
        if !is_name || open.start != self.tokens[at].end || matches!(before, Some(Tok::Lambda | Tok::Dot)) {
            return None;
        }
        let close = self.mate(at + 1)?;
        self.find_in(at + 2, close, |tok, _| tok == Tok::Comma).map(|_| close)
    }

    /// A call whose parentheses stand behind the token and end at another, as it is written here; none where an argument
    /// cannot be repeated.
    fn call(&self, name: usize, close: usize) -> Option<String> {
        let mut call = self.spelling(name).to_owned();
        let mut at = name + 2;
        while at < close {
            let end = self.find_in(at, close, |tok, _| tok == Tok::Comma).unwrap_or(close);
            let text = self.quote(at, end).filter(|_| end > at)?;
            let is_sign = text.chars().all(|c| c.is_ascii_punctuation());
            let argument = if is_sign { format!("({text})") } else { self.argument_or(at, end, "…") };
            call = format!("{call} {argument}");
            at = end + 1;
        }
        Some(call)
    }

    /// May a value end with the token, so that what follows it is an argument?
    fn ends_value(&self, at: usize) -> bool {
        match self.tokens.get(at).map(|t| t.tok) {
            Some(Tok::Word) => !lexer::is_reserved(self.spelling(at)) && !self.is_infix_word(at),
            Some(Tok::Number | Tok::RParen | Tok::RBracket) => true,
            _ => false,
        }
    }

    /// May a value start with the token?
    fn starts_value(&self, at: usize) -> bool {
        match self.tokens.get(at).map(|t| t.tok) {
            Some(Tok::Word) => !lexer::is_reserved(self.spelling(at)) && !self.is_infix_word(at),
            Some(Tok::Number | Tok::LParen | Tok::LBracket | Tok::Lambda) => true,
            _ => false,
        }
    }

    fn is_infix_word(&self, at: usize) -> bool {
        matches!(self.spelling(at), "div" | "and" | "or" | "if" | "else" | "then" | "for" | "in" | "where")
    }

    /// As [`Self::quote`], or a name for what is too long.
    pub(super) fn quote_or(&self, from: usize, to: usize, other: &str) -> String {
        self.quote(from, to).unwrap_or_else(|| other.into())
    }

    /// The text of some tokens as an argument.
    fn argument_or(&self, from: usize, to: usize, other: &str) -> String {
        let text = self.quote_or(from, to, other);
        let is_number = text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let whole = to == from + 1 || self.mate(from) == to.checked_sub(1) || is_number || is_one(&text);
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
            Tok::At => self.function_handle(),
            Tok::LParen => {
                self.foreign_function().or_else(|| self.foreign_section()).or_else(|| self.comprehension())
            }
            Tok::LBracket => self.comprehension(),
            _ => None,
        }
    }

    /// Where what is being read ends: at its bracket, or at a line that does not belong to it.
    fn end_of(&self, from: usize) -> usize {
        let ends = |i: &usize| *i > from && self.tokens.get(*i).is_some_and(|t| self.is_offside(t));
        (from..self.limit).take(MAX_LOOK).find(ends).unwrap_or(self.limit)
    }

    /// Where a token stands in what is being read, outside of the brackets in it.
    fn find(&self, from: usize, wanted: impl Fn(Tok, &str) -> bool) -> Option<usize> {
        let ends = |i: usize| i > from && self.tokens.get(i).is_some_and(|t| self.is_offside(t));
        self.find_before(from, self.limit, ends, wanted)
    }

    /// Where a token stands between two others, outside of the brackets between them.
    fn find_in(&self, from: usize, to: usize, wanted: impl Fn(Tok, &str) -> bool) -> Option<usize> {
        self.find_before(from, to, |_| false, wanted)
    }

    fn find_before(
        &self,
        from: usize,
        to: usize,
        ends: impl Fn(usize) -> bool,
        wanted: impl Fn(Tok, &str) -> bool,
    ) -> Option<usize> {
        let mut at = from;
        for _ in 0..MAX_LOOK {
            if at >= to || ends(at) {
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
