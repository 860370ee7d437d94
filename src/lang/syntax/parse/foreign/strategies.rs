//! What others write between strategies and in their definitions.

use super::MAX_LOOK;
use crate::syntax::ast::Language;
use crate::syntax::lexer::Tok;
use crate::syntax::parse::Parser;

/// Signs and words, and what is written instead.
const ROWS: &[(&[&str], &str)] = &[
    (&["||", "|", "<|", "or", "??"], "Write `s <+ t`: `t` runs where `s` cannot be applied."),
    (&["&&", "&", "and", ">>", "|>", "++", "$", "->", "=>"], "Write `s ; t`: `t` runs on what `s` makes."),
    (&["!", "~"], "Write `not(s)`, which runs nothing and holds where `s` cannot be applied."),
    (&[","], "Write `s ; t` for one strategy after another; commas stand between arguments, `f(s, t)`."),
];

/// `if s then t else u`.
pub(in crate::syntax::parse) const CHOICE: &str =
    "Write `ifThenElse(s, t, u)`: where `s` can be applied, `t` runs, else `u`.";

impl Parser<'_> {
    /// What to write where a strategy, or a part of its definition, was `expected`; none outside of strategies.
    pub(in crate::syntax::parse) fn strategy_hint(&self, expected: &str) -> Option<String> {
        if self.language != Language::Elevate || self.in_sketch {
            return None;
        }
        let sign = self.spelling(self.at);
        let row = || ROWS.iter().find(|(signs, _)| signs.contains(&sign)).map(|(_, hint)| *hint);
        let behind_joint = || {
            let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map(|t| t.tok);
            matches!(before, Some(Tok::Semi | Tok::SemiSemi | Tok::LeftChoice))
        };
        Some(match (self.peek(), expected) {
            (Tok::Bar, _) if self.is_behind_sketch() => "Write `s or t`.".into(),
            (Tok::Word, "`=`") => {
                "The parameters of a strategy stand in parentheses: `strategy s(n, t) = …`.".into()
            }
            (Tok::Colon, "`,` or `)`") => self
                .named_argument()
                .unwrap_or_else(|| "Parameters of strategies have no types: `strategy s(n, t) = …`.".into()),
            (_, "a strategy") if row().is_none() && behind_joint() => {
                "What joins two strategies stands between them: write the second one, or leave it out.".into()
            }
            _ => row()?.into(),
        })
    }

    /// Does the sketch of a search end here?
    fn is_behind_sketch(&self) -> bool {
        for i in (0..self.at).rev().take(MAX_LOOK) {
            match (self.tokens[i].tok, self.spelling(i)) {
                (_, "reach") => return true,
                (Tok::Semi | Tok::SemiSemi | Tok::LeftChoice, _) | (_, "using" | "with") => return false,
                _ => {}
            }
        }
        false
    }

    /// `s(y: 8)` where `s` is called, at the colon.
    fn named_argument(&self) -> Option<String> {
        let close = |i: usize| self.tokens.get(i).filter(|t| t.tok == Tok::LParen).and_then(|_| self.mate(i));
        let close =
            (0..self.at).rev().take(MAX_LOOK).find_map(|i| close(i).filter(|close| *close > self.at))?;
        // The parameters of a definition have types in other languages.
        if self.tokens.get(close + 1).is_some_and(|t| t.tok == Tok::Equals) {
            return None;
        }
        let end =
            (self.at..close).take(MAX_LOOK).find(|i| self.tokens[*i].tok == Tok::Comma).unwrap_or(close);
        let (value, whole) = (self.quote(self.at + 1, end)?, self.quote(self.at.checked_sub(1)?, end)?);
        Some(format!(
            "Arguments of strategies have no names, each is told by its place: write `{value}` in the place of `{whole}`."
        ))
    }
}
