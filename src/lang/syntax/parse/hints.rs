//! What to write where the text has something else: the hints of "expected … found …".

use super::super::elsewhere;
use super::super::lexer::{self, Tok};

use super::expr::infix_operator;
use super::{A_MODULE, A_PARAMETER, A_RULE, END_OF_MODULE, Language, Parser};

/// What is said of a block in braces.
pub(super) const BLOCK: &str = "What a definition computes stands behind `=`, without braces.";

/// How a module is named.
pub(super) const MODULES: &str = "A module is named by its folders and its file, without the ending, and all of it is imported: `import lib.tiling` is \
     `lib/tiling` beside this file.";

impl Parser<'_> {
    fn in_empty_parentheses(&self) -> bool {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        tok(self.at) == Some(Tok::RParen)
            && self.at.checked_sub(1).is_some_and(|before| tok(before) == Some(Tok::LParen))
    }

    /// `f()` is a call without arguments elsewhere.
    fn empty_hint(&self) -> String {
        let called = self.at.checked_sub(2).and_then(|i| self.tokens.get(i).map(|t| (i, t.tok)));
        match called {
            Some((i, Tok::Word)) => format!(
                "Nothing stands between the parentheses: write `{}` without them, and what it is given behind it.",
                self.spelling(i)
            ),
            _ => "Nothing stands between the parentheses: leave them out.".to_owned(),
        }
    }

    /// `(n, m).f32`, at the comma.
    fn sizes_hint(&self) -> Option<String> {
        let open = self.mate(self.limit)?;
        let sizes = self.quote(open + 1, self.limit)?.replace(", ", ".").replace(',', ".");
        Some(format!("Sizes stand one before the other: `{sizes}.f32`."))
    }

    /// `f xs axis=1` and `f(xs, axis=1)`, at the sign.
    fn is_named_argument(&self, expected: &str) -> bool {
        let tok = |back: usize| self.at.checked_sub(back).and_then(|i| self.tokens.get(i)).map(|t| t.tok);
        let behind_arguments = self.touches(0)
            && self.touches(1)
            && tok(1) == Some(Tok::Word)
            && self.finished + 2 < self.at
            && tok(2) != Some(Tok::Equals);
        tok(2) == Some(Tok::Comma) && expected.contains(')')
            || behind_arguments && expected.starts_with("the end")
    }

    /// Has the definition no `=` yet?
    fn is_before_body(&self) -> bool {
        let outermost = |i: &usize| self.tokens.get(*i).is_some_and(|t| t.column == 0 && t.first);
        let Some(start) = (0..=self.at).rev().find(outermost) else { return false };
        self.language == Language::Program
            && !self.tokens[start..self.at].iter().any(|t| t.tok == Tok::Equals)
    }

    /// `map { it * 2 }`, at the brace.
    fn braces_hint(&self) -> String {
        let close = self.mate(self.at);
        let is_named = |close: usize| (self.at..close).any(|i| self.spelling(i) == "it");
        let body = close.filter(|close| is_named(*close)).and_then(|close| self.quote(self.at + 1, close));
        match body {
            Some(body) => format!("A function names its value: write `(\\it. {body})`."),
            None => "Functions stand in parentheses and name their values: `(\\x. x * 2)`.".into(),
        }
    }

    /// `0 : xs`, at the colon: an element before an array.
    fn cons_hint(&self) -> Option<String> {
        let array = self.at + 1;
        let ends = array + 1 == self.limit && self.sizes_of(self.spelling(array)).is_some();
        let x = self.quote(self.finished, self.at).filter(|_| ends && self.finished < self.at)?;
        Some(format!("One array after the other is `concat`: write `concat [{x}] {}`.", self.spelling(array)))
    }

    /// What the token at a problem suggests, where `expected` is missing.
    pub(super) fn hint(&self, expected: &str) -> Option<String> {
        let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map(|t| t.tok);
        let written = match self.peek() {
            _ if expected == "an expression" && self.in_empty_parentheses() => Some(self.empty_hint()),
            Tok::Equals if expected != "a type" => self.equals_hint(),
            Tok::Word if self.at_word("where") => self.where_hint(),
            Tok::Colon if expected.starts_with("the end") => self.cons_hint(),
            Tok::Star => self.star_hint(),
            Tok::Comma if self.tokens.get(self.limit + 1).is_some_and(|t| t.tok == Tok::Dot) => {
                self.sizes_hint()
            }
            Tok::Word if expected.contains("`:` or `=`") && self.nth(1) == Tok::Equals => self
                .nth_word(0)
                .and_then(elsewhere::scalar_here)
                .map(|ty| format!("The type of the result stands behind a colon: `: {ty}`.")),
            Tok::Arrow if expected.contains("`:`") && self.nth(1) == Tok::Word => {
                let from = self.at + 1;
                let ends = |i: &usize| {
                    let over = |tok| matches!(tok, Tok::Equals | Tok::LBrace | Tok::Colon);
                    self.tokens.get(*i).is_none_or(|t| t.first || over(t.tok))
                };
                let to = (from..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
                let ty = self.quote_or(from, to, "n.f32");
                Some(format!("The type of the result stands behind a colon: `: {ty}`."))
            }
            Tok::Dot if expected.contains("`:` or `=`") && before == Some(Tok::Word) => {
                let from = self.at - 1;
                let over = |i: &usize| self.tokens[*i].first || self.tokens[*i].tok == Tok::Equals;
                let to = (self.at..self.tokens.len()).find(over).unwrap_or(self.tokens.len());
                let ty = self.quote_or(from, to, "n.f32");
                Some(format!("The type of the result stands behind a colon: `: {ty}`."))
            }
            Tok::Dot
                if self.nth(1) == Tok::Dot
                    && before == Some(Tok::Number)
                    && self.language == Language::Elevate =>
            {
                Some("Numbers stand one by one, with commas between them: `[1, 2, 3]`.".into())
            }
            Tok::Dot if self.nth(1) == Tok::Dot && before == Some(Tok::Number) => Some(
                "Write `generate (\\i. cast (indexAsNat i))` for the numbers from 0, without brackets: how many they are stands in \
                 the type."
                    .into(),
            ),
            Tok::Dot if self.touches(1) && infix_operator(self.nth(1)).is_some() => Some(self.of_each_element(
                self.spelling(self.at + 1),
                (self.finished, self.at),
                (self.at + 2, self.limit),
            )),
            Tok::Dot if self.touches(0) && before == Some(Tok::Number) => {
                let number = self.spelling(self.at - 1);
                Some(format!("A number has digits before and after its point: `{number}.0`."))
            }
            Tok::Dot if self.nth(1) == Tok::Number && self.touches(1) => Some(format!(
                "A number has digits before and after its point: `0.{}`.",
                self.spelling(self.at + 1)
            )),
            _ => None,
        };
        if written.is_some() {
            return written;
        }
        let is_operator = |tok: Tok| {
            matches!(tok, Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::Percent | Tok::Caret)
                || matches!(
                    tok,
                    Tok::Less | Tok::Greater | Tok::LessEq | Tok::GreaterEq | Tok::EqEq | Tok::NotEq
                )
        };
        let hint = match self.peek() {
            _ if expected == END_OF_MODULE && self.at_word("as") => {
                "What a module defines is called here as it is there: leave `as` out."
            }
            _ if expected == A_MODULE || expected == END_OF_MODULE => MODULES,
            _ if expected.starts_with("`.`") => {
                "Functions are written `\\x. x * 2`: a `.` stands before the body."
            }
            _ if expected == A_PARAMETER => {
                "Parameters are names: `rule r(p) = …`. Their values are given where it is used: `r(4)`."
            }
            _ if expected == "a parameter" => "A function names its value: `\\x. x * 2`.",
            Tok::Dot if self.touches(0) && self.touches(1) && self.nth(1) == Tok::Word => {
                "A function is applied by `map f xs` or `xs |> map f`."
            }
            Tok::Colon if self.nth(1) == Tok::Equals && self.is_before_body() => {
                "What a definition computes stands behind `=`: write `=` in the place of `:=`."
            }
            Tok::Colon if self.nth(1) == Tok::Equals && before == Some(Tok::Word) => {
                let name = self.spelling(self.at - 1);
                return Some(format!("A value gets its name by `let`: `let {name} = e in …`, and keeps it."));
            }
            Tok::Colon if self.nth(1) == Tok::Equals => {
                "A value gets its name by `let`: `let s = e in …`, and keeps it."
            }
            Tok::Colon if expected.contains("`=`") || self.is_before_body() => {
                "What a definition computes stands behind `=`."
            }
            Tok::Colon if matches!(self.language, Language::Program | Language::Rules) => {
                "A type stands with its expression in parentheses: `(cast x : i32)`."
            }
            Tok::LBracket if expected.contains(')') && before == Some(Tok::Word) => {
                "The size of an array type stands before a dot: `n.f32`; an element is read by `idx 0 xs`."
            }
            Tok::Less if expected.contains(')') => {
                "An array of n numbers has the type `n.f32`, a vector of four `<4>f32`."
            }
            Tok::Arrow if expected.contains("`:`") => {
                "The type of the result stands behind a colon: `def f (a: n.f32): f32 = …`."
            }
            Tok::Equals if expected == "a type" => "Write `=` alone, or a type between `:` and `=`.",
            Tok::LBrace
                if before == Some(Tok::Word)
                    && (expected == "an expression" || expected.starts_with("the end"))
                    || before == Some(Tok::LParen) && expected == "an expression" =>
            {
                return Some(self.braces_hint());
            }
            Tok::LBrace if expected.contains("`=`") || before == Some(Tok::Equals) => BLOCK,
            Tok::Semi if self.tokens.get(self.at + 1).is_none_or(|t| t.first) => {
                "Nothing ends a definition: leave `;` out."
            }
            Tok::Semi if expected.contains(']') => {
                "Rows are arrays of their own, with commas between them: `[[1, 2], [3, 4]]`."
            }
            Tok::Semi if self.language == Language::Rules && expected == "`,`" => {
                "Conditions stand one behind the other with commas between them: `where p > 1, p < 9`."
            }
            Tok::Semi if self.language == Language::Program => {
                "Write `let x = 3 in e`; definitions need nothing between them."
            }
            Tok::Bar if self.in_sketch => "Write `s or t`.",
            Tok::LBrace if expected == A_RULE => {
                "Rules stand in one pair of braces; a set that has a name is written by its name."
            }
            Tok::Minus if expected == "a strategy" => "Numbers of strategies are not below zero.",
            Tok::Bar => "Write `bitOr x y` for the bits of integers, `a or b` for truth values.",
            Tok::Comma if expected.starts_with("the end") => {
                "Arguments are separated by spaces, `f x y`; a pair stands in parentheses, `(x, y)`."
            }
            Tok::Text if self.language == Language::Elevate => {
                "Strategies, rules and numbers stand without quotes; a text stands behind `else`."
            }
            Tok::Text => "There is no text in programs, but for the C of a `foreign def`.",
            Tok::PipeTo if expected == "an expression" => {
                "What is given to the function stands before `|>`: `xs |> map f`."
            }
            Tok::Word if self.at_word("in") => {
                "`in` belongs to `let x = v in e`; for each element of an array write `map (\\x. x * 2) xs`."
            }
            Tok::Word if expected == "`where`" => {
                "The conditions of a rule stand behind `where`: `where x notin f`."
            }
            Tok::Word if self.at_word("where") && self.language == Language::Rules => {
                "Conditions stand at the end of a rule: `lhs ~> rhs where x notin f`."
            }
            Tok::Word if (self.at_word("where") || self.at_word("requires")) && expected.contains("`=`") => {
                "Sizes have no conditions of their own, their types say them: `(n + 4).f32` has at least four elements, `(4*n).f32` a multiple of four."
            }
            Tok::Word if self.at_word("where") && expected == "an expression" => elsewhere::SELECT,
            Tok::Word if self.at_word("where") && self.language != Language::Program => {
                "A condition on sizes is joined to a sketch by `and`: `containsMap(m/?t, ?) and ?t > 4`."
            }
            Tok::Word if self.at_word("where") => {
                "A value gets its name before it is used: `let x = 3 in e`. Sizes have no conditions of their own, their types say them: `(n + 4).f32` has at least four elements."
            }
            Tok::Word if self.at_word("and") && self.language == Language::Rules => {
                "Conditions stand one behind the other with commas between them: `where assoc f, commutative f`."
            }
            Tok::Word if self.at_word("and") || self.at_word("or") => {
                "It stands between two truth values, `a and b`, or alone in parentheses, `(and)`."
            }
            Tok::Plus if expected == "an expression" && before.is_some_and(is_operator) => {
                "A number has no sign `+`: leave it out."
            }
            tok if expected == "an expression" && is_operator(tok) => {
                "An operator stands between two values, `x + 1`; alone it is a function in parentheses, `(+)`; with one value, `\\x. x + 1`."
            }
            Tok::Rewrites if before == Some(Tok::Less) => {
                "A rule leads from left to right, `lhs ~> rhs`: strategies also apply it as `rightToLeft(rule)`, and its other direction may \
                 be a rule of its own."
            }
            Tok::Dot if expected == "an expression" && before.is_some_and(is_operator) => {
                "Operators are the same for all numbers: leave the `.` out."
            }
            _ if expected == "an expression" && before.is_some_and(is_operator) => {
                "The operator before it needs a second value; with one value, write `\\x. x + 1`."
            }
            _ if expected == "an expression" && matches!(before, Some(Tok::PipeTo | Tok::Compose)) => {
                "A function stands behind it: `xs |> map f`."
            }
            _ if expected == "an expression" && before == Some(Tok::Dot) => {
                "The body of the function is missing: `\\x. x + 1`."
            }
            _ if expected == "an expression" && before == Some(Tok::Equals) => {
                "What is computed stands behind `=`."
            }
            _ if expected == "an expression" && before == Some(Tok::Comma) => {
                "Remove the comma, or write what stands behind it."
            }
            Tok::Cons
                if before == Some(Tok::Word)
                    && self.touches(0)
                    && self.touches(1)
                    && self.nth(1) == Tok::Word =>
            {
                let (of, name) = (self.spelling(self.at - 1), self.spelling(self.at + 1));
                return Some(match elsewhere::limit_of_type(of, name) {
                    Some(number) => format!("Write `{number}`."),
                    None => format!("A name stands alone, without where it comes from: `{name}`."),
                });
            }
            Tok::Cons => "A type is given with one colon: `e : t`.",
            Tok::FatArrow if expected.contains("`=`") => "What a definition computes stands behind `=`.",
            _ if expected == "`=`" && self.spelling(self.at.saturating_sub(1)) == "return" => {
                "What a definition computes stands behind `=`: write `=` in the place of `return`."
            }
            Tok::Less | Tok::Word if expected.contains("`=`") && self.is_before_body() => {
                "What a definition computes stands behind `=`."
            }
            Tok::FatArrow => "Functions are written `\\x. e`, their types `s -> t`, rules `lhs ~> rhs`.",
            Tok::Arrow | Tok::Equals if expected.starts_with("`~>`") => "Rules are written `lhs ~> rhs`.",
            Tok::Equals if self.is_named_argument(expected) => {
                "Arguments have no names, each is told by its place. What is done for each row is a map: `map (reduce (+) 0) a`."
            }
            Tok::Equals
                if expected.starts_with("the end") || self.at != self.limit && expected.contains(')') =>
            {
                return Some(self.equality_hint());
            }
            Tok::LBracket if expected == "a type" => {
                "The size stands before a dot: `n.f32` is an array of n `f32`."
            }
            Tok::Dot => "Functions are composed with `>>`; a number needs digits before and after its point.",
            Tok::Star => "Products of sizes and pairs of types stand in parentheses: `(n*p).t`, `(s * t)`.",
            Tok::Semi | Tok::SemiSemi if self.language != Language::Elevate => {
                "`;` joins strategies; definitions need nothing between them."
            }
            Tok::Word if self.at_word("with") && expected.starts_with("the end") => {
                "An element is not replaced, an array is made anew: `map f xs` of each element, `generate (\\i. …)` of each index."
            }
            Tok::Word => {
                let word =
                    self.word().filter(|w| lexer::is_reserved(w) && !expected.starts_with("the end"))?;
                return Some(format!("`{word}` is a reserved word, so it cannot be a name."));
            }
            _ => return None,
        };
        Some(hint.to_string())
    }
}
