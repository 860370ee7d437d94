//! What others write between strategies and in their definitions.

use super::MAX_LOOK;
use crate::syntax::ast::Language;
use crate::syntax::lexer::{Tok, is_item_word};
use crate::syntax::parse::Parser;

/// Signs and words, and what is written instead.
const ROWS: &[(&[&str], &str)] = &[
    (&["||", "|", "<|", "or", "??"], "Write `s <+ t`: `t` runs where `s` cannot be applied."),
    (&["&&", "&", "and", ">>", "|>", "++", "$", "->", "=>"], "Write `s ; t`: `t` runs on what `s` makes."),
    (&["!", "~"], "Write `not(s)`, which runs nothing and holds where `s` cannot be applied."),
    (&[","], "Write `s ; t` for one strategy after another; commas stand between arguments, `f(s, t)`."),
];

/// What stands behind the `with` of a search, and of another strategy.
pub(in crate::syntax::parse) const OPTIONS: &str = "`(` and options, e.g. `(nodes: 200000)`";
pub(in crate::syntax::parse) const VALUES: &str = "`(` and values, e.g. `(tile: 8)`";

/// `if s then t else u`.
pub(in crate::syntax::parse) const CHOICE: &str =
    "Write `ifThenElse(s, t, u)`: where `s` can be applied, `t` runs, else `u`.";

/// Where a definition belongs that was typed in the place of a strategy, by its first word.
fn definition_in_place(word: &str) -> String {
    let (file, said) = match word {
        "strategy" | "sketch" => ("`.elevate`", "here stands a strategy alone, what a definition has behind its `=`"),
        "rule" | "rules" | "example" | "alias" => ("`.rules`", "here stands a strategy, which calls rules by their names"),
        "import" => ("`.elevate`", "here stands a strategy alone"),
        _ => return "Programs have definitions of their own, and a strategy stands here: `topDown(s)`, `a ; b`.".into(),
    };
    format!("A definition belongs into a file, the {file} beside the program: {said}.")
}

impl Parser<'_> {
    /// What to write where a strategy, or a part of its definition, was `expected`; none outside of strategies.
    pub(in crate::syntax::parse) fn strategy_hint(&self, expected: &str) -> Option<String> {
        if self.language != Language::Elevate || self.in_sketch {
            return None;
        }
        let sign = self.spelling(self.at);
        if sign == "//" {
            return Some(self.slashes());
        }
        let row = || ROWS.iter().find(|(signs, _)| signs.contains(&sign)).map(|(_, hint)| *hint);
        let behind_joint = || {
            let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map(|t| t.tok);
            matches!(before, Some(Tok::Semi | Tok::SemiSemi | Tok::LeftChoice))
        };
        let at = self.at;
        Some(match (self.peek(), expected) {
            (Tok::Word, "a strategy") if at == 0 && is_item_word(sign) => {
                definition_in_place(sign)
            }
            (Tok::Word, _) if sign == "where" && expected.starts_with("the end") && !self.is_behind_sketch() => {
                let condition = self.quote_or(at + 1, self.limit, "n > 3");
                let strategy = self.quote_or(0, at, "s");
                format!("A condition on sizes is a strategy, which stands before others: write `{condition} ; {strategy}`.")
            }
            (Tok::Comma | Tok::Word, _)
                if matches!(sign, "," | "and" | "or")
                    && expected.starts_with("the end")
                    && let Some(rules) = self.names_rules() =>
            {
                format!("Rules of a search stand in one pair of braces: write `using {rules}`.")
            }
            (Tok::Comma, _) if expected.starts_with("the end") && self.is_behind_sketch() => {
                "A sketch of two parts is `s and t` where a program is like both, `s or t` where it is like one.".into()
            }
            (_, "`:` and a value") => {
                format!("An option has a colon before its value: write `{}`.", self.option_from(at.checked_sub(1)?))
            }
            (Tok::Word, OPTIONS | VALUES) => {
                format!("What follows `with` stands in parentheses: write `with ({})`.", self.option_from(at))
            }
            (Tok::Lambda, "a strategy") => {
                "A strategy acts on the program without naming it, as `id` does: leave the function around it out. Parameters belong to \
                 a definition, `strategy s(p) = splitJoin(p)`.".into()
            }
            (Tok::LBracket | Tok::LParen, super::super::A_RULE) if self.mate(at).is_some() => {
                let rules = self.mate(at).and_then(|close| self.quote(at + 1, close));
                let rules = rules.unwrap_or_else(|| "mapFusion, useMapPar".into());
                format!("Rules of a search stand in braces: write `using {{{}}}`.", rules.replace(';', ","))
            }
            (Tok::Semi, "`,` or `}`") => "Rules stand with commas between them: `{mapFusion, useMapPar}`.".into(),
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

    /// The option whose name stands here, written as options are, whatever stands before its value.
    fn option_from(&self, name: usize) -> String {
        let is_sign = |i: usize| matches!(self.tokens.get(i).map(|t| t.tok), Some(Tok::Colon | Tok::Equals));
        let value = if is_sign(name + 1) { name + 2 } else { name + 1 };
        let end = self.mate(value).filter(|close| *close > value).unwrap_or(value) + 1;
        let is_there = end <= self.limit && self.starts_value(value);
        let value = if is_there { self.quote_or(value, end, "…") } else { "…".into() };
        format!("{}: {value}", self.spelling(name))
    }

    /// The rules of a search that stand behind its `using` without braces, with commas or words between them, where what is being
    /// read goes on with one of these.
    pub(in crate::syntax::parse) fn names_rules(&self) -> Option<String> {
        let using = (0..self.at).rev().take(MAX_LOOK).find(|i| self.spelling(*i) == "using")?;
        let is_between = |word: &str| matches!(word, "," | "and" | "or");
        let (mut rules, mut at) = (vec![], using + 1);
        while let Some(end) = self.end_of_call(at).filter(|_| self.spelling(at) != "with") {
            rules.push(self.quote(at, end)?);
            let goes_on = end < self.limit && is_between(self.spelling(end));
            at = end + usize::from(goes_on);
        }
        (self.at < at && !rules.is_empty()).then(|| format!("{{{}}}", rules.join(", ")))
    }

    /// Where a name ends that begins here, with its arguments in parentheses if it has some.
    fn end_of_call(&self, at: usize) -> Option<usize> {
        let tok = |i: usize| self.tokens.get(i).filter(|_| i < self.limit).map(|t| t.tok);
        match (tok(at)?, tok(at + 1)) {
            (Tok::Word, Some(Tok::LParen)) => self.mate(at + 1).map(|close| close + 1),
            (Tok::Word, _) => Some(at + 1),
            _ => None,
        }
    }

    /// `10 s`, at the unit: a number of an option with what follows it.
    pub(in crate::syntax::parse) fn unit_apart(&self) -> Option<String> {
        const UNITS: [(&str, &[&str]); 10] = [
            ("s", &["s", "sec", "secs", "second", "seconds"]),
            ("ms", &["ms", "msec", "millisecond", "milliseconds"]),
            ("min", &["min", "m", "mins", "minute", "minutes"]),
            ("h", &["h", "hour", "hours"]),
            ("KB", &["kb"]),
            ("MB", &["mb"]),
            ("GB", &["gb"]),
            ("KiB", &["kib"]),
            ("MiB", &["mib"]),
            ("GiB", &["gib"]),
        ];
        let written = self.spelling(self.at).to_lowercase();
        let (unit, _) = UNITS.iter().find(|(_, names)| names.contains(&&*written))?;
        let number = self.at.checked_sub(1)?;
        let is_option = self.tokens.get(number.checked_sub(1)?)?.tok == Tok::Colon;
        is_option.then(|| format!("A unit touches its number: write `{}{unit}`.", self.spelling(number)))
    }

    /// What to write instead of `//`, which starts comments elsewhere, and rounds quotients down between sizes.
    fn slashes(&self) -> String {
        let in_brackets = self.tokens.get(self.limit).is_some_and(|t| t.tok == Tok::RParen);
        match in_brackets {
            true => {
                "A comment starts with `--`; a size is divided by `/`, and by `div` where it is rounded down."
                    .into()
            }
            false => "A comment starts with `--`.".into(),
        }
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
