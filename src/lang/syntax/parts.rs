//! Texts that somebody typed, put into other texts.
//!
//! What must hold: the whole means what its parts mean, so no comment reaches over what stands behind it, and nothing binds
//! what stands beside a part.

use super::lexer::lex;
use super::scan::Tok;
use crate::diag::FileId;
use std::borrow::Cow;

/// The text without its comments, and without the lines on which nothing else stood.
pub fn without_comments(text: &str) -> Cow<'_, str> {
    let comments = lex(FileId::NOWHERE, text).comments;
    if comments.is_empty() {
        return text.into();
    }
    let (mut out, mut from) = (String::new(), 0);
    for comment in comments {
        let before = text.get(from..comment.start as usize).unwrap_or_default();
        out += before.trim_end_matches([' ', '\t']);
        from = comment.end as usize;
        if comment.own_line {
            // Its line ends where the one before it did.
            out.truncate(out.trim_end_matches(['\n', '\r']).len());
        }
    }
    out += text.get(from..).unwrap_or_default();
    out.trim().to_owned().into()
}

/// A text as one part of a larger one: without comments, and in parentheses unless it is a name, a call, or in parentheses.
pub fn enclosed(text: &str) -> String {
    let text = without_comments(text);
    let tokens = lex(FileId::NOWHERE, &text).tokens;
    let last = tokens.len().checked_sub(1).and_then(|last| u32::try_from(last).ok());
    let ends = |at: usize| tokens.get(at).is_some_and(|t| t.tok == Tok::LParen && t.mate == last);
    let is_one = match tokens.first().map(|t| t.tok) {
        Some(Tok::Word) => tokens.len() == 1 || ends(1),
        Some(Tok::LParen) => ends(0),
        _ => false,
    };
    if is_one { text.into_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_take_their_lines_with_them() {
        let text = "a -- one\n  -- two\n  ; b(\"-- no comment\") -- three";
        assert_eq!(without_comments(text), "a\n  ; b(\"-- no comment\")");
        assert_eq!(without_comments("-- all\na"), "a");
        assert_eq!(without_comments("a ; b"), "a ; b");
    }

    #[test]
    fn what_is_one_needs_no_parentheses() {
        for (text, whole) in [
            ("a", "a"),
            ("f(x, g(y)) -- note", "f(x, g(y))"),
            ("(a ; b)", "(a ; b)"),
            ("a ; b", "(a ; b)"),
            ("(a) ; (b)", "((a) ; (b))"),
            ("f(\"(\") <+ g(\")\")", "(f(\"(\") <+ g(\")\"))"),
            ("reach s", "(reach s)"),
        ] {
            assert_eq!(enclosed(text), whole);
        }
    }
}
