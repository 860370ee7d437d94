//! Signs of other languages, between values and before them.

use super::MAX_LOOK;
use crate::diag::Diagnostic;
use crate::pattern::Pattern;
use crate::syntax::ast::{Language, Op};
use crate::syntax::codes;
use crate::syntax::elsewhere;
use crate::syntax::lexer::{self, Tok};
use crate::syntax::parse::Parser;
use crate::syntax::parse::expr::{Joint, infix_operator};

/// Do other languages declare values by this word?
fn declares(word: &str) -> bool {
    const WORDS: [&str; 8] = ["var", "val", "const", "auto", "mut", "local", "my", "dim"];
    WORDS.contains(&word) || elsewhere::scalar_here(word).is_some()
}

fn is_comparison(tok: Tok, _: &str) -> bool {
    infix_operator(tok).is_some_and(Op::is_comparison)
}

/// Operators of other languages, and what is read instead. The others are no operators, or are read where they stand.
pub(in crate::syntax::parse) fn operator(sign: &str) -> Option<Joint> {
    Some(match sign {
        "&&" | "&" => Joint::And,
        "||" => Joint::Or,
        "<<" | "<<<" | ">>>" => Joint::Shift,
        "=<" => Joint::Infix(Op::Le),
        ".*" | "./" | ".^" | "//" | "!!" | "<$>" => Joint::Infix(Op::Mul),
        "<>" | "/=" | "~=" => Joint::Infix(Op::Ne),
        "===" => Joint::Infix(Op::Eq),
        "++" | ".+" => Joint::Infix(Op::Add),
        _ if sign.starts_with('`') => Joint::Infix(Op::Mul),
        _ => return None,
    })
}

/// Does the sign bind tighter than all operators of this language, where it is one of another?
pub(in crate::syntax::parse) fn is_tightest(sign: &str) -> bool {
    sign == "!!" || sign.starts_with('`') && !matches!(sign, "`mod`" | "`rem`" | "`div`" | "`quot`")
}

const SHIFT_RIGHT: &str = "Write `shiftRight x y`, which fills with the sign: of `u32` and other types without one these are zeros.";

/// What is said of a sign where nothing is known of what stands around it.
pub(in crate::syntax::parse) fn hint_of(sign: &str) -> &'static str {
    match sign {
        "&&" => "Write `a and b`.",
        "||" => "Write `a or b`.",
        "&" => "Write `bitAnd x y` for the bits of integers, `a and b` for truth values.",
        "|" => "Write `bitOr x y` for the bits of integers, `a or b` for truth values.",
        "@" => "Write `zip xs ys |> map (\\(x, y). x * y) |> reduce (+) 0` for the product of two vectors.",
        "!" => {
            "Write `idx i xs` for an element, `not (x > 0)` for what is not so, `a != b` for values that differ."
        }
        "~" => {
            "Write `bitNot x` for the bits of an integer, `not c` for what does not hold, `a != b` for values that differ."
        }
        "**" => "Write `x * x`, or `pow x y` for floating-point numbers.",
        "<<" | "<<<" => "Write `shiftLeft x y` for the bits of integers.",
        ">>>" => SHIFT_RIGHT,
        "=<" => "Write `a <= b`.",
        "<>" | "/=" | "~=" => "Write `a != b`.",
        "===" => "Write `a == b`.",
        "++" => "Write `concat xs ys` for one array after another, `x + 1` for a sum.",
        "!!" => "Write `idx i xs`.",
        "<$>" => "Write `map f xs`.",
        "//" => {
            "A comment starts with `--`. A quotient is `x / y`, which rounds towards zero for whole numbers."
        }
        "+=" | "-=" | "*=" => "A name keeps its value: write `let y = x + 1 in …`.",
        ".^" => "Write `map (\\v. v * v) xs` for squares, `map (\\v. pow v 3) xs` for other powers.",
        ".*" | "./" | ".+" => "Write `zip xs ys |> map (\\(x, y). x * y)`.",
        "$" | "<|" => {
            "A function is applied by writing its argument behind it, `f (g x)`, or by `x |> g |> f`."
        }
        _ => "A function stands before its arguments: `f x y`.",
    }
}

/// `x `max` y` as it is written here, by the word between the signs.
pub(super) fn in_backquotes(word: &str, x: &str, y: &str) -> String {
    match word {
        "mod" | "rem" => format!("{x} % {y}"),
        "div" | "quot" => format!("{x} / {y}"),
        _ => {
            let own = elsewhere::of_two(word, x, y).filter(|_| Pattern::from_name(word).is_none());
            own.unwrap_or_else(|| format!("{word} {x} {y}"))
        }
    }
}

impl Parser<'_> {
    /// Says what to write instead of the sign at a token, once in a definition.
    pub(in crate::syntax::parse) fn foreign_sign(&mut self, sign: usize, hint: String) {
        let spelling = self.spelling(sign);
        if self.signs.contains(&spelling) {
            return;
        }
        self.signs.push(spelling);
        let word = spelling.trim_matches('`');
        let message = if spelling.starts_with('`') {
            format!("`{word}` stands before its operands, not between them.")
        } else {
            format!("There is no `{spelling}` in this language.")
        };
        let problem = Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
            .label(self.span_at(sign), "a sign of other languages");
        self.problems.push(problem.hint(hint));
    }

    /// Says what to write instead of an operator between the operands `from..sign` and `sign+1..to`.
    pub(in crate::syntax::parse) fn foreign_operator(
        &mut self,
        from: usize,
        sign: usize,
        to: usize,
        truth: [bool; 2],
    ) {
        let spelling = self.spelling(sign);
        if to == sign + 1 {
            return self.foreign_sign(sign, hint_of(spelling).to_string());
        }
        // Where an operand is not repeated, the other would stand beside a name that is none of the text's.
        let (Some(l), Some(r)) = (self.quote(from, sign), self.quote(sign + 1, to)) else {
            return self.foreign_sign(sign, hint_of(spelling).to_string());
        };
        let (x, y) = (self.argument_or(from, sign, "x"), self.argument_or(sign + 1, to, "y"));
        let starts_with_number = self.tokens.get(sign + 1).is_some_and(|t| t.tok == Tok::Number);
        let number = starts_with_number && to == sign + 2;
        // Of bits that are compared: what stands before the comparison, and that itself.
        let bits = if spelling == "&" { "bitAnd" } else { "bitOr" };
        let compared = self.find_in(sign + 1, to, is_comparison).filter(|_| truth == [false, true]);
        let compared = compared.and_then(|at| {
            let y = self.argument_or(sign + 1, at, "…");
            Some(format!("{bits} {x} {y} {}", self.quote(at, to)?))
        });
        let unsure = truth[0] && starts_with_number;
        let truth = truth[0] || truth[1];
        let hint = match spelling {
            "&&" => format!("Write `{l} and {r}`."),
            "&" if self.in_sketch => format!("Write `{l} and {r}`."),
            "||" => format!("Write `{l} or {r}`."),
            "&" | "|" if unsure => {
                format!("Put what is compared into parentheses; `{bits} x y` is of the bits of integers.")
            }
            "&" if number => format!("Write `bitAnd {x} {y}`."),
            "|" if number => format!("Write `bitOr {x} {y}`."),
            "&" | "|"
                if let Some(compared) = &compared
                    && starts_with_number =>
            {
                format!("Write `{compared}`.")
            }
            "&" | "|" if let Some(compared) = &compared => {
                let word = if spelling == "&" { "and" } else { "or" };
                format!("Write `{l} {word} {r}` for truth values, `{compared}` for the bits of integers.")
            }
            "&" if truth => format!("Write `{l} and {r}`."),
            "&" => {
                format!("Write `bitAnd {x} {y}` for the bits of integers, `{l} and {r}` for truth values.")
            }
            "|" if self.is_absolute(sign) => {
                format!("The absolute value of `{0}` is `abs {0}`.", self.spelling(sign + 1))
            }
            "|" if self.is_function_between_bars(sign) => format!(
                "A function starts with `\\`, and a `.` stands before its body: write `(\\{}. …)`.",
                self.spelling(sign + 1)
            ),
            "|" if truth => format!("Write `{l} or {r}`."),
            "|" => format!(
                "Write `{l} |> {r}` to apply a function, `{l} or {r}` for truth values, `bitOr {x} {y}` for the bits of integers."
            ),
            "**" => match elsewhere::product(&x, &r) {
                Some(product) => {
                    format!("Write `{product}`, or `pow {x} {r}` for floating-point numbers.")
                }
                None if l == "2" => format!(
                    "Write `pow {x} {y}` for floating-point numbers, `shiftLeft 1 {y}` for whole numbers."
                ),
                None => format!(
                    "Write `pow {x} {y}` for floating-point numbers; of whole numbers there are products alone."
                ),
            },
            "<<" | "<<<" if number => format!("Write `shiftLeft {x} {y}`."),
            "<<<" => format!("Write `shiftLeft {x} {y}`."),
            ">>>" => format!(
                "Write `shiftRight {x} {y}`, which fills with the sign: of `u32` and other types without one these are zeros."
            ),
            "=<" => format!("Write `{l} <= {r}`."),
            "<<" => format!(
                "Write `shiftLeft {x} {y}` for the bits of integers, `{r} >> {l}` for one function after the other."
            ),
            "<>" | "/=" | "~=" => format!("Write `{l} != {r}`."),
            "===" => format!("Write `{l} == {r}`."),
            "++" => format!("Write `concat {x} {y}` for one array after another, `{l} + {r}` for a sum."),
            "!!" => format!("Write `idx {y} {x}`."),
            "<$>" => format!("Write `map {x} {y}`."),
            "//" if self.in_sketch => "A comment starts with `--`.".to_string(),
            "//" => format!(
                "A comment starts with `--`. A quotient is `{l} / {r}`, which rounds towards zero for whole numbers."
            ),
            "`rem`" => format!("Write `{l} % {r}`, which has the sign of `{l}`."),
            "`mod`" => format!(
                "Write `{l} % {r}`, which has the sign of `{l}`, or `({x} % {y} + {y}) % {y}`, which has that of `{r}`."
            ),
            "`div`" | "`quot`" => format!("Write `{l} / {r}`, which rounds towards zero for whole numbers."),
            ".*" | "./" | ".+" | ".^" => {
                self.of_each_element(spelling.trim_start_matches('.'), (from, sign), (sign + 1, to))
            }
            "@" => {
                let row = elsewhere::fresh("r", &[&x, &y]);
                let column = elsewhere::fresh("c", &[&x, &y, &row]);
                let product =
                    |a: &str, b: &str| format!("zip {a} {b} |> map (\\(v, w). v * w) |> reduce (+) 0");
                format!(
                    "Write `{}` for vectors, `{x} |> map (\\{row}. {})` for a matrix and a vector, and for matrices `{x} |> map (\\{row}. transpose {y} |> map (\\{column}. {}))`.",
                    product(&x, &y),
                    product(&row, &y),
                    product(&row, &column)
                )
            }
            // What is given to another function has no operands.
            _ if spelling.starts_with('`')
                && from + 1 == sign
                && Pattern::from_name(self.spelling(from)).is_some() =>
            {
                format!("Write `{}` without the signs around it.", spelling.trim_matches('`'))
            }
            _ if spelling.starts_with('`') => {
                format!("Write `{}`.", in_backquotes(spelling.trim_matches('`'), &x, &y))
            }
            _ => hint_of(spelling).to_string(),
        };
        // What binds less tightly than the sign stands in parentheses beside other operators.
        let hint = match self.is_beside_operators(from, to) {
            true => elsewhere::in_its_place(&hint),
            false => hint,
        };
        self.foreign_sign(sign, hint);
    }

    /// Does an operator of sums and products, or a function, stand before or behind these tokens?
    fn is_beside_operators(&self, from: usize, to: usize) -> bool {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        let joins = |tok: Option<Tok>| {
            matches!(tok, Some(Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::Percent | Tok::Caret))
        };
        let before = from.checked_sub(1).filter(|_| self.tokens.get(from).is_some_and(|t| !t.first));
        before.is_some_and(|i| joins(tok(i)) || self.ends_value(i)) || to < self.limit && joins(tok(to))
    }

    /// `xs .* ys`: an operator of each element, where one operand may be a number.
    pub(in crate::syntax::parse) fn of_each_element(
        &self,
        op: &str,
        l: (usize, usize),
        r: (usize, usize),
    ) -> String {
        let number = |(from, to): (usize, usize)| {
            let is_number = |t: &String| t.chars().all(|c| c.is_ascii_digit() || c == '.');
            self.quote(from, to).filter(is_number)
        };
        let of = |x: &str, y: &str| if op == "^" { format!("pow {x} {y}") } else { format!("{x} {op} {y}") };
        let (x, y) = (self.argument_or(l.0, l.1, "xs"), self.argument_or(r.0, r.1, "ys"));
        match (number(l), number(r)) {
            (None, Some(_)) if op == "^" => format!("Write `map (\\v. {}) {x}`.", self.power("v", r.0, r.1)),
            (None, Some(n)) => format!("Write `map (\\v. {}) {x}`.", of("v", &n)),
            (Some(n), None) => format!("Write `map (\\v. {}) {y}`.", of(&n, "v")),
            _ => format!("Write `zip {x} {y} |> map (\\(v, w). {})`.", of("v", "w")),
        }
    }

    /// Is this the first sign of `|x|`, behind which there is nothing that a function would compute?
    fn is_absolute(&self, sign: usize) -> bool {
        let behind = self.tokens.get(sign + 3).filter(|t| !t.first).map(|t| t.tok);
        let ends = |tok: Tok| {
            matches!(tok, Tok::RParen | Tok::Comma | Tok::PipeTo | Tok::RBracket)
                || infix_operator(tok).is_some()
        };
        self.is_function_between_bars(sign) && behind.is_none_or(ends)
    }

    /// Is this the first sign of `|x| e`?
    fn is_function_between_bars(&self, sign: usize) -> bool {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        tok(sign + 1) == Some(Tok::Word)
            && tok(sign + 2) == tok(sign)
            && self.spelling(sign + 2) == self.spelling(sign)
    }

    /// `!x` and `~x`, after the sign.
    pub(in crate::syntax::parse) fn foreign_prefix(&mut self, sign: usize) {
        let x = self.argument_or(sign + 1, self.at, "x");
        let hint = match self.spelling(sign) {
            _ if self.at == sign + 1 => hint_of(self.spelling(sign)).to_string(),
            "!" if self.in_sketch => format!("Write `not({})`.", self.quote_or(sign + 1, self.at, "s")),
            "!" => format!("Write `not {x}`, or `a != b` for values that differ."),
            _ if self.compares_within(sign + 1, self.at) => format!("Write `not {x}`."),
            _ => format!("Write `bitNot {x}`."),
        };
        self.foreign_sign(sign, hint);
    }

    /// Is something compared between two tokens, in parentheses around that or not?
    fn compares_within(&self, from: usize, to: usize) -> bool {
        let whole = self.mate(from).filter(|close| close + 1 == to);
        let (from, to) = whole.map_or((from, to), |close| (from + 1, close));
        self.find_in(from, to, is_comparison).is_some()
    }

    /// `a < b < c`, read up to here: the second comparison, and where the operand between starts.
    pub(in crate::syntax::parse) fn comparison_chain(&mut self, from: usize, middle: usize, second: usize) {
        let here = self.span_at(second);
        let types = (second == middle + 1).then(|| self.spelling(middle));
        let scalar = types.and_then(elsewhere::scalar_here);
        let joint = (middle..second).find(|i| matches!(self.spelling(*i), "AND" | "OR"));
        let joined = joint.and_then(|i| Some((self.quote(from, i)?, i, self.quote(i + 1, self.at)?)));
        let hint = match (self.quote(from, second), self.quote(middle, self.at)) {
            _ if let Some((first, joint, last)) = joined => {
                let joint = self.spelling(joint);
                format!("`{joint}` is written small: `{first} {} {last}`.", joint.to_lowercase())
            }
            _ if scalar.is_some() => {
                format!("A conversion is written `(cast x : {})`.", scalar.unwrap_or_default())
            }
            (Some(first), Some(last)) if self.at > second + 1 => {
                format!(
                    "Write `{first} and {last}`, or put the comparison that is compared into parentheses."
                )
            }
            _ => "Put the one meant to come first into parentheses.".to_string(),
        };
        self.problems.push(
            Diagnostic::error(codes::COMPARISON_CHAIN, "A comparison cannot be compared with another value.")
                .label(here, "the second comparison")
                .hint(hint),
        );
    }

    /// What a `=` stands for that is not expected: a value or a definition without its first word.
    pub(in crate::syntax::parse) fn equals_hint(&self) -> Option<String> {
        let line =
            (0..self.at).rev().take(MAX_LOOK).find(|i| self.tokens.get(*i).is_some_and(|t| t.first))?;
        let of = |tok: Tok| self.tokens[line..self.at].iter().filter(|t| t.tok == tok).count();
        let is_option = (line..self.at).any(|i| self.spelling(i) == "with");
        if self.language == Language::Elevate && of(Tok::LParen) > of(Tok::RParen) && !is_option {
            let name = self.spelling(self.at.saturating_sub(1));
            return Some(format!(
                "Arguments have no names where they are given, but an order: the value of `{name}` alone."
            ));
        }
        let name = self.spelling(line);
        if self.tokens.get(line)?.tok != Tok::Word || lexer::is_reserved(name) || lexer::is_item_word(name) {
            return None;
        }
        if self.tokens.get(line)?.column == 0 {
            let word = match self.language {
                Language::Program => "def",
                Language::Rules => "rule",
                Language::Elevate => "strategy",
            };
            let begun = self.quote_or(line, self.at, name);
            return Some(format!("A definition starts with `{word}`: `{word} {begun} = …`."));
        }
        if let Some(declared) = self.declared_value(line) {
            return Some(declared);
        }
        (line + 1 == self.at).then(|| {
            let summed = self.in_program().then(|| self.accumulated(name, self.at)).flatten();
            summed.unwrap_or_else(|| format!("A value gets its name by `let`: `let {name} = …`, and what uses it stands behind `in` or on the next line."))
        })
    }

    /// `var b = v` on a line of its own, at the sign.
    fn declared_value(&self, line: usize) -> Option<String> {
        if !declares(self.spelling(line))
            || line + 2 != self.at
            || !self.in_program()
            || self.tokens.get(line + 1)?.tok != Tok::Word
        {
            return None;
        }
        let end = self.find(self.at + 1, |tok, _| tok == Tok::Semi).unwrap_or(self.limit);
        let first = (self.at + 2..end).take(MAX_LOOK).find(|i| self.tokens.get(*i).is_some_and(|t| t.first));
        let value = self.quote_or(self.at + 1, first.unwrap_or(end), "…");
        let name = self.spelling(line + 1);
        Some(format!(
            "A value gets its name by `let`: write `let {name} = {value}`, and what uses it stands on the next line."
        ))
    }

    /// Is it the name of a value: by itself, all of a function's body so far, or behind a word that declares it?
    fn begins_value(&self, name: usize) -> bool {
        let is_behind = |i: usize| self.tokens[i].tok == Tok::Dot || declares(self.spelling(i));
        name == self.finished || name.checked_sub(1).is_some_and(is_behind)
    }

    /// `x = y` where it is compared, at the sign.
    pub(in crate::syntax::parse) fn equality_hint(&self) -> String {
        if let Some(hint) = self.array_taken_apart() {
            return hint;
        }
        // `s = s + x`
        if let Some(name) = self.at.checked_sub(1).filter(|i| self.tokens[*i].tok == Tok::Word)
            && self.nth(1) == Tok::Word
            && self.spelling(name) == self.spelling(self.at + 1)
            && self.in_program()
        {
            return "A name keeps its value. The sum of all elements is `reduce (+) 0 xs`, and `reduceSeq (\\acc x. …) 0 xs` adds up \
                    what is computed of each."
                .into();
        }
        // `x = v in e`, `var x = v in e` and `x = v; e`
        if let Some(name) = self.at.checked_sub(1).filter(|i| self.tokens[*i].tok == Tok::Word)
            && self.begins_value(name)
            && let Some(end) =
                self.find(self.at + 1, |tok, text| tok == Tok::Semi || tok == Tok::Word && text == "in")
        {
            let value = self.quote_or(self.at + 1, end, "…");
            return format!("A value gets its name by `let`: `let {} = {value} in …`.", self.spelling(name));
        }
        let right = self.quote(self.at + 1, self.limit).filter(|_| self.at + 1 < self.limit);
        let inside = self
            .finished
            .checked_sub(1)
            .and_then(|i| self.tokens.get(i))
            .is_some_and(|t| t.tok == Tok::LParen);
        match (self.quote(self.finished, self.at).filter(|_| inside), right) {
            (Some(l), Some(r)) => format!("Equality is `==`, as in `{l} == {r}`; `=` stands in definitions."),
            _ => "Equality is `==`; `=` stands in definitions.".into(),
        }
    }

    /// `let [x] = xs in e` and `let [x, y] = xs in e`, at the sign.
    fn array_taken_apart(&self) -> Option<String> {
        let close = self.at.checked_sub(1)?;
        let is_open = |i: &usize| self.tokens[*i].tok == Tok::LBracket && self.mate(*i) == Some(close);
        let open = (0..close).rev().take(MAX_LOOK).find(is_open)?;
        open.checked_sub(1).filter(|i| self.spelling(*i) == "let")?;
        let names: Vec<&str> = (open + 1..close)
            .filter(|i| self.tokens[*i].tok == Tok::Word)
            .map(|i| self.spelling(i))
            .collect();
        let end = (self.at..self.limit).take(MAX_LOOK).find(|i| self.spelling(*i) == "in");
        let xs = end.and_then(|end| self.quote(self.at + 1, end)).unwrap_or_else(|| "xs".into());
        let xs = if xs.contains(' ') { format!("({xs})") } else { xs };
        let lets: Vec<String> =
            names.iter().enumerate().map(|(i, x)| format!("let {x} = idx {i} {xs} in")).collect();
        let written = lets.join(" ");
        (!names.is_empty())
            .then(|| format!("An element of an array gets its name by its index: `{written}`."))
    }

    /// `f32 * f32` without parentheses, at the sign.
    pub(in crate::syntax::parse) fn star_hint(&self) -> Option<String> {
        let (a, b) = (self.spelling(self.at.checked_sub(1)?), self.nth_word(1)?);
        let scalar = elsewhere::scalar_here;
        Some(match (scalar(a), scalar(b)) {
            (Some(a), Some(b)) => format!("A pair type stands in parentheses: `({a} * {b})`."),
            (None, Some(b)) if !a.starts_with(|c: char| c.is_alphanumeric()) => {
                format!("The size of an array type stands before a dot: `n.{b}`.")
            }
            (None, Some(b)) => format!("The sizes of an array type stand before a dot: `{a}.{b}`."),
            _ => return None,
        })
    }

    /// `e where y = v`, at the word.
    pub(in crate::syntax::parse) fn where_hint(&self) -> Option<String> {
        let named = self.nth(1) == Tok::Word && self.nth(2) == Tok::Equals;
        if !named || !self.in_program() {
            return None;
        }
        let mut open = 0;
        let closes = |i: &usize| {
            open += match self.tokens[*i].tok {
                Tok::LParen | Tok::LBracket => 1,
                Tok::RParen | Tok::RBracket => -1,
                _ => 0,
            };
            open < 0
        };
        let end = (self.at + 3..self.limit).find(closes).unwrap_or(self.limit);
        let value = self.quote_or(self.at + 3, end, "v");
        // Where no expression ends before it, the last one that was read ended long before.
        let ends = self.at.checked_sub(1).is_some_and(|i| {
            matches!(self.tokens[i].tok, Tok::Word | Tok::Number | Tok::RParen | Tok::RBracket)
        });
        let body = if ends { self.quote_or(self.finished, self.at, "e") } else { "e".into() };
        Some(format!(
            "A value gets its name before it is used: `let {} = {value} in {body}`.",
            self.spelling(self.at + 1)
        ))
    }
}
