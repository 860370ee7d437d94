//! What other languages write: one problem that says what to write instead, in the words of the text.
//!
//! Each form is told by tokens that mean nothing here, so that no text of this language is taken for one. What is written
//! instead is read on with where that is plain; otherwise what is being read ends there.

use super::super::ast::{Expr, ExprKind, Language, Node, Op};
use super::super::codes;
use super::super::elsewhere;
use super::super::lexer::{self, Tok};
use super::Parser;
use super::expr::Joint;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::ty::Scalar;

/// Longer pieces of a text are not repeated in a hint.
const MAX_QUOTE: usize = 72;

/// No form is looked for further than this, in tokens.
const MAX_LOOK: usize = 256;

/// Operators of other languages, and what is read instead. The others are no operators, or are read where they stand.
pub(super) fn operator(sign: &str) -> Option<Joint> {
    Some(match sign {
        "&&" | "&" => Joint::And,
        "||" => Joint::Or,
        "<<" | ".*" | "./" | "//" | "!!" => Joint::Infix(Op::Mul),
        "<>" | "/=" => Joint::Infix(Op::Ne),
        "===" => Joint::Infix(Op::Eq),
        "++" | ".+" => Joint::Infix(Op::Add),
        _ if sign.starts_with('`') => Joint::Infix(Op::Mul),
        _ => return None,
    })
}

/// What is said of a sign where nothing is known of what stands around it.
pub(super) fn hint_of(sign: &str) -> &'static str {
    match sign {
        "&&" => "Write `a and b`.",
        "||" => "Write `a or b`.",
        "&" => "Write `bitAnd x y` for the bits of integers, `a and b` for truth values.",
        "!" => "Write `not (x > 0)`, or `a != b` for values that differ.",
        "~" => "Write `bitNot x`.",
        "**" => "Write `x * x`, or `pow x y` for floating-point numbers.",
        "<<" => "Write `shiftLeft x y` for the bits of integers.",
        "<>" | "/=" => "Write `a != b`.",
        "===" => "Write `a == b`.",
        "++" => "Write `concat xs ys` for one array after another, `x + 1` for a sum.",
        "!!" => "Write `idx i xs`.",
        "//" => "Write `x / y`, which rounds towards zero for whole numbers; comments start with `--`.",
        "+=" | "-=" | "*=" => "A name keeps its value: write `let y = x + 1 in …`.",
        ".*" | "./" | ".+" => "Write `zip xs ys |> map (\\(x, y). x * y)`.",
        "$" | "<|" => {
            "A function is applied by writing its argument behind it, `f (g x)`, or by `x |> g |> f`."
        }
        _ => "A function stands before its arguments: `f x y`.",
    }
}

impl Parser<'_> {
    /// Whether programs are being read, in which these forms have no other meaning.
    fn in_program(&self) -> bool {
        self.language == Language::Program && !self.in_sketch
    }

    /// The text of some tokens on one line, and nothing of what is too long to be repeated.
    fn quote(&self, from: usize, to: usize) -> Option<String> {
        let (first, last) = (self.tokens.get(from)?, self.tokens.get(to.checked_sub(1)?)?);
        let text = self.text.get(first.start as usize..last.end as usize)?;
        if text.len() > 4 * MAX_QUOTE {
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

    // --- operators ---

    /// Says what to write instead of the sign at a token, once in a definition.
    pub(super) fn foreign_sign(&mut self, sign: usize, hint: String) {
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
    pub(super) fn foreign_operator(&mut self, from: usize, sign: usize, to: usize, truth: bool) {
        let spelling = self.spelling(sign);
        if to == sign + 1 {
            return self.foreign_sign(sign, hint_of(spelling).to_string());
        }
        let (l, r) = (self.quote_or(from, sign, "a"), self.quote_or(sign + 1, to, "b"));
        let (x, y) = (self.argument_or(from, sign, "x"), self.argument_or(sign + 1, to, "y"));
        let number = self.tokens.get(sign + 1).is_some_and(|t| t.tok == Tok::Number) && to == sign + 2;
        let hint = match spelling {
            "&&" => format!("Write `{l} and {r}`."),
            "||" => format!("Write `{l} or {r}`."),
            "&" if truth => format!("Write `{l} and {r}`."),
            "&" => {
                format!("Write `bitAnd {x} {y}` for the bits of integers, `{l} and {r}` for truth values.")
            }
            "|" if truth => format!("Write `{l} or {r}`."),
            "|" => format!(
                "Write `{l} |> {r}` to apply a function, `{l} or {r}` for truth values, `bitOr {x} {y}` for the bits of integers."
            ),
            "**" if l == x && r == "2" => {
                format!("Write `{x} * {x}`, or `pow {x} 2` for floating-point numbers.")
            }
            "**" => format!("Write `pow {x} {y}` for floating-point numbers, a product for others: `x * x`."),
            "<<" => format!("Write `shiftLeft {x} {y}` for the bits of integers."),
            "<>" | "/=" => format!("Write `{l} != {r}`."),
            "===" => format!("Write `{l} == {r}`."),
            "++" => format!("Write `concat {x} {y}` for one array after another, `{l} + {r}` for a sum."),
            "!!" => format!("Write `idx {y} {x}`."),
            "//" => format!(
                "Write `{l} / {r}`, which rounds towards zero for whole numbers; comments start with `--`."
            ),
            "`mod`" | "`rem`" => format!("Write `{l} % {r}`."),
            "`div`" | "`quot`" => format!("Write `{l} / {r}`, which rounds towards zero for whole numbers."),
            ".*" | "./" | ".+" if number => {
                format!("Write `map (\\v. v {} {r}) {x}`.", spelling.trim_start_matches('.'))
            }
            ".*" | "./" | ".+" => {
                format!("Write `zip {x} {y} |> map (\\(v, w). v {} w)`.", spelling.trim_start_matches('.'))
            }
            "@" => format!(
                "Write `zip {x} {y} |> map (\\(v, w). v * w) |> reduce (+) 0` for vectors, and for matrices `{x} |> map (\\r. transpose {y} |> map (\\c. zip r c |> map (\\(v, w). v * w) |> reduce (+) 0))`."
            ),
            _ if spelling.starts_with('`') => format!("Write `{} {x} {y}`.", spelling.trim_matches('`')),
            _ => hint_of(spelling).to_string(),
        };
        self.foreign_sign(sign, hint);
    }

    /// `!x` and `~x`, after the sign.
    pub(super) fn foreign_prefix(&mut self, sign: usize) {
        let x = self.argument_or(sign + 1, self.at, "x");
        let hint = match self.spelling(sign) {
            _ if self.at == sign + 1 => hint_of(self.spelling(sign)).to_string(),
            "!" => format!("Write `not {x}`, or `a != b` for values that differ."),
            _ => format!("Write `bitNot {x}`."),
        };
        self.foreign_sign(sign, hint);
    }

    /// `a < b < c`, read up to here: the second comparison, and where the operand between starts.
    pub(super) fn comparison_chain(&mut self, from: usize, middle: usize, second: usize) {
        let here = self.span_at(second);
        let hint = match (self.quote(from, second), self.quote(middle, self.at)) {
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

    // --- composition and application ---

    /// Whether `f . g`, `f $ x` or `f <| x` goes on here.
    pub(super) fn at_foreign_chain(&self) -> bool {
        let operand =
            matches!(self.nth(1), Tok::Word | Tok::LParen | Tok::Number | Tok::Lambda | Tok::LBracket);
        match self.peek() {
            Tok::Dot => self.in_program() && operand && !self.touches(0),
            Tok::Foreign => operand && matches!(self.spelling(self.at), "$" | "<|"),
            _ => false,
        }
    }

    /// Reads `f . g $ x` behind its first part, which starts at `from`.
    pub(super) fn foreign_chain(&mut self, from: usize, start: Span) -> Expr {
        let (first, dot) = (self.at, self.peek() == Tok::Dot);
        // What is composed, between the signs that apply.
        let mut groups: Vec<Vec<(usize, usize)>> = vec![vec![(from, self.at)]];
        while self.at_foreign_chain() {
            if self.peek() != Tok::Dot {
                groups.push(vec![]);
            }
            self.bump();
            let part = self.at;
            self.chain_part();
            if let Some(group) = groups.last_mut() {
                group.push((part, self.at));
            }
        }
        let text = |&(a, b): &(usize, usize)| self.quote_or(a, b, "…");
        // The body of a function that has no parentheses has taken in what was meant to follow it.
        let in_function =
            from.checked_sub(1).and_then(|i| self.tokens.get(i)).is_some_and(|t| t.tok == Tok::Dot);
        let argument = if groups.len() > 1 { groups.pop() } else { None };
        let mut functions: Vec<String> = groups.iter().flatten().map(text).collect();
        functions.reverse();
        let written = match &argument {
            None => functions.join(" >> "),
            Some(group) => {
                let mut group: Vec<String> = group.iter().map(text).collect();
                group.reverse();
                format!("{} |> {}", group.join(" >> "), functions.join(" |> "))
            }
        };
        let sign = self.spelling(first).to_string();
        let (code, message) = if dot {
            (codes::UNEXPECTED, "`.` does not compose functions.".to_string())
        } else {
            (codes::UNKNOWN_CHARACTER, format!("There is no `{sign}` in this language."))
        };
        let what = if argument.is_some() {
            "What a function is given stands before `|>`, or behind the function"
        } else {
            "`>>` composes functions, and the left one is applied first"
        };
        let hint = if in_function {
            format!("{what}; a function among them stands in parentheses, `(\\x. x + 1)`.")
        } else {
            format!("{what}: `{written}`.")
        };
        let problem = Diagnostic::error(code, message)
            .label(self.span_at(first), "a sign of other languages")
            .hint(hint);
        self.problems.push(problem);
        Node::new(self.since(start), ExprKind::Error)
    }

    // --- what touches a value: `a.map(f)`, `p.0`, `a[1:3]`, `f.(x)` ---

    /// Reads what other languages put behind a value, which starts at `from`; none where nothing of the kind follows.
    pub(super) fn foreign_suffix(&mut self, from: usize) -> bool {
        let behind = |p: &Self| {
            p.at.checked_sub(1)
                .and_then(|i| p.tokens.get(i))
                .is_some_and(|t| matches!(t.tok, Tok::Word | Tok::RParen | Tok::RBracket))
        };
        if !self.in_program() || !behind(self) || !self.touches(0) {
            return false;
        }
        let start = self.at;
        let mut value = self.argument_or(from, start, "xs");
        let mut hint = None;
        loop {
            let (next, close) = (self.at + 1, self.mate(self.at + 1));
            match (self.peek(), self.nth(1)) {
                (Tok::Dot, _) if !self.touches(1) => break,
                (Tok::Dot, Tok::Word) => {
                    let name = self.spelling(next).to_string();
                    self.at += 2;
                    let args = if self.peek() == Tok::LParen && self.touches(0) {
                        self.foreign_args()
                    } else {
                        vec![]
                    };
                    (value, hint) = method(&value, &name, args, hint.is_some());
                }
                (Tok::Dot, Tok::Number) => {
                    let part = self.spelling(next).parse::<usize>().unwrap_or(0).min(8);
                    let rest = "snd (".repeat(part.saturating_sub(1));
                    let last = if part == 0 { "fst" } else { "snd" };
                    value = format!("{rest}{last} {value}{}", ")".repeat(part.saturating_sub(1)));
                    hint = Some(format!(
                        "The components of a pair `p` are `fst p` and `snd p`: write `{value}`."
                    ));
                    self.at += 2;
                }
                (Tok::Dot, Tok::LBracket) if close.is_some() => {
                    self.at += 1;
                    let end = close.unwrap_or(self.at);
                    value = format!("idx {} {value}", self.argument_or(self.at + 1, end, "i"));
                    hint = Some(format!("An element is read by its index first: write `{value}`."));
                    self.at = end + 1;
                }
                (Tok::Dot, Tok::LParen) if close.is_some() => {
                    self.at += 1;
                    let args = self.foreign_args();
                    value = format!("map {value} {}", args.join(" "));
                    hint = Some(format!("For every element of an array, write `{value}`."));
                }
                (Tok::LBracket, _) if self.touches(0) && self.slice().is_some() => {
                    let Some((slice, close)) = self.slice() else { break };
                    value = slice.replace("xs", &value);
                    hint = Some(format!(
                        "A part of an array is taken by `take`, `drop` and `reverse`: write `{value}`."
                    ));
                    self.at = close + 1;
                }
                _ => break,
            }
            if value.contains(' ')
                && matches!(self.peek(), Tok::Dot | Tok::LBracket)
                && self.touches(0)
                && !value.contains("|>")
            {
                value = format!("({value})");
            }
        }
        let Some(hint) = hint else { return false };
        let (sign, end) = (self.span_at(start), self.at);
        let shown = Span { end: self.span_at(end.saturating_sub(1)).end, ..sign };
        let message = match self.tokens.get(start).map(|t| t.tok) {
            Some(Tok::LBracket) => "A part of an array is not taken by brackets.",
            _ => "Nothing is reached by a `.` behind a value.",
        };
        self.problems.push(
            Diagnostic::error(codes::UNEXPECTED, message)
                .label(shown, "written as in other languages")
                .hint(hint),
        );
        self.reported_at = Some(self.at);
        true
    }

    /// The arguments in the parentheses at the next token, as text.
    fn foreign_args(&mut self) -> Vec<String> {
        let Some(close) = self.mate(self.at) else { return vec![] };
        let mut args = vec![];
        let (mut from, mut at) = (self.at + 1, self.at + 1);
        while at <= close {
            let tok = self.tokens.get(at).map(|t| t.tok);
            if (at == close || tok == Some(Tok::Comma)) && at > from {
                args.push(self.argument_or(from, at, "…"));
                from = at + 1;
            }
            at = match self.mate(at) {
                Some(mate) if mate > at && tok != Some(Tok::Word) => mate + 1,
                _ => at + 1,
            };
        }
        self.at = close + 1;
        args
    }

    /// What `xs[i:j]` at the bracket stands for, and where the bracket ends.
    fn slice(&self) -> Option<(String, usize)> {
        let close = self.mate(self.at)?;
        let mut parts: Vec<(usize, usize)> = vec![];
        let (mut from, mut at) = (self.at + 1, self.at + 1);
        while at < close {
            match self.tokens.get(at)?.tok {
                Tok::Colon | Tok::Cons => {
                    parts.push((from, at));
                    if self.tokens.get(at)?.tok == Tok::Cons {
                        parts.push((at, at));
                    }
                    from = at + 1;
                }
                Tok::LParen | Tok::LBracket | Tok::LBrace => at = self.mate(at).filter(|m| *m > at)?,
                _ => {}
            }
            at += 1;
        }
        if parts.is_empty() {
            return None;
        }
        parts.push((from, close));
        let text = |i: usize| parts.get(i).filter(|(a, b)| b > a).map(|&(a, b)| self.argument_or(a, b, "i"));
        let minus = |i: usize| {
            parts.get(i).is_some_and(|&(a, _)| self.tokens.get(a).is_some_and(|t| t.tok == Tok::Minus))
        };
        let number = |t: &Option<String>| t.as_ref().and_then(|t| t.parse::<u64>().ok());
        let (lo, hi, step) = (text(0), text(1), text(2));
        let written = match (&lo, &hi, &step) {
            (None, None, Some(_)) if minus(2) => "reverse xs".to_string(),
            _ if step.is_some() || minus(0) || minus(1) => "take k (drop i xs)".to_string(),
            (Some(lo), None, None) => format!("drop {lo} xs"),
            (None, Some(hi), None) => format!("take {hi} xs"),
            (Some(lo), Some(hi), None) => match (number(&Some(lo.clone())), number(&Some(hi.clone()))) {
                (Some(a), Some(b)) => format!("take {} (drop {lo} xs)", b.saturating_sub(a)),
                _ => format!("take ({hi} - {lo}) (drop {lo} xs)"),
            },
            _ => "xs".to_string(),
        };
        Some((written, close))
    }

    // --- functions ---

    /// Says so where a function stands as other languages write it, `(x -> e)`, `lambda x: e`, `|x| e`, `(x. e)`, and reads
    /// it to its end. Within parentheses at the next token, or from the next token on.
    pub(super) fn foreign_function(&mut self) -> Option<Expr> {
        if self.language == Language::Elevate {
            return None;
        }
        let inside = self.peek() == Tok::LParen && self.mate(self.at).is_some();
        // In rules an arrow is one of the text.
        if !inside && !self.in_program() {
            return None;
        }
        let close = if inside { self.mate(self.at) } else { None };
        let first = self.at + usize::from(inside);
        let (names, body) = self.function_at(first, inside, close.unwrap_or(self.limit))?;
        let end = close.unwrap_or(body);
        let body = if inside && body < end { self.quote_or(body, end, "…") } else { "…".into() };
        let hint = match names.as_slice() {
            [one] => format!("Write `(\\{one}. {body})`."),
            many => format!(
                "Write `(\\{}. {body})` for so many values, `(\\({}). {body})` for the components of a pair.",
                many.join(" "),
                many.join(", ")
            ),
        };
        let here = self.span_at(first);
        let problem = Diagnostic::error(
            codes::UNEXPECTED,
            "A function starts with `\\`, and a `.` stands before its body.",
        )
        .label(here, "not how functions are written here")
        .hint(hint);
        match close {
            Some(close) => {
                self.report(|| problem);
                self.at = close + 1;
                Some(Node::new(here, ExprKind::Error))
            }
            None => Some(self.give_up(problem)),
        }
    }

    /// The parameters of a function of another language at a token, and where its body starts.
    fn function_at(&self, at: usize, inside: bool, end: usize) -> Option<(Vec<String>, usize)> {
        let tok = |i: usize| if i < end { self.tokens.get(i).map_or(Tok::End, |t| t.tok) } else { Tok::End };
        let is_name = |i: usize| tok(i) == Tok::Word && !lexer::is_reserved(self.spelling(i));
        let touching = |i: usize| {
            i > 0 && self.tokens.get(i).zip(self.tokens.get(i - 1)).is_some_and(|(b, a)| a.end == b.start)
        };
        // Names with commas or spaces between them.
        let names = |mut i: usize| {
            let mut names = vec![];
            while is_name(i) && names.len() < 16 {
                names.push(self.spelling(i).to_string());
                i += 1;
                // A type of a parameter.
                if tok(i) == Tok::Colon
                    && is_name(i + 1)
                    && matches!(tok(i + 2), Tok::Comma | Tok::RParen | Tok::Bar)
                {
                    i += 2;
                }
                i += usize::from(tok(i) == Tok::Comma);
            }
            (names, i)
        };
        let bracketed = |i: usize| {
            let close = self.mate(i).filter(|_| tok(i) == Tok::LParen)?;
            let (names, after) = names(i + 1);
            (after == close && !names.is_empty()).then_some((names, close + 1))
        };
        let arrow = |i: usize| matches!(tok(i), Tok::Arrow | Tok::FatArrow);
        let word = if tok(at) == Tok::Word { self.spelling(at) } else { "" };
        if matches!(word, "lambda" | "fun" | "fn" | "func" | "function") {
            let (names, i) = bracketed(at + 1).unwrap_or_else(|| names(at + 1));
            let colon = word == "lambda" && tok(i) == Tok::Colon;
            let block = word.starts_with("func") && tok(at + 1) == Tok::LParen && tok(i) != Tok::End;
            return (!names.is_empty() && (colon || arrow(i) || tok(i) == Tok::Dot || block))
                .then(|| (names, if block && !arrow(i) { i } else { i + 1 }));
        }
        if tok(at) == Tok::Bar {
            let (names, i) = names(at + 1);
            return (!names.is_empty() && tok(i) == Tok::Bar).then_some((names, i + 1));
        }
        let plain = if is_name(at) {
            Some(if inside { names(at) } else { (vec![word.to_string()], at + 1) })
        } else {
            bracketed(at)
        };
        let (names, i) = plain?;
        let commas = i > at + 1 && tok(at) == Tok::Word;
        let dot = inside
            && tok(i) == Tok::Dot
            && tok(i + 1) != Tok::End
            && (commas || tok(at) == Tok::LParen || touching(i) && !touching(i + 1));
        // Names that only spaces separate are an application.
        let spaces = commas && tok(at + 1) != Tok::Comma;
        (!spaces && (arrow(i) || dot)).then_some((names, i + 1))
    }

    /// `\x -> e`: reads what stands in the place of the `.`.
    pub(super) fn body_mark(&mut self, start: usize, said: bool) {
        if self.eat(Tok::Dot) {
            return;
        }
        let (sign, shown) = (self.spelling(self.at).to_string(), self.nth_span(0));
        if !matches!(self.peek(), Tok::Arrow | Tok::FatArrow | Tok::Rewrites | Tok::Colon | Tok::Equals) {
            self.expect(Tok::Dot, "`.` and the body of the function");
            return;
        }
        let inside = self.tokens.get(self.limit).is_some_and(|t| matches!(t.tok, Tok::RParen));
        let body = if inside { self.quote_or(self.at + 1, self.limit, "…") } else { "…".into() };
        let params = self.quote_or(start, self.at, "\\x");
        if !said {
            self.report(|| {
                Diagnostic::error(
                    codes::UNEXPECTED,
                    format!("A `.` stands before the body of a function, not `{sign}`."),
                )
                .label(shown, "expected `.`")
                .hint(format!("Write `{params}. {body}`."))
            });
        }
        self.bump();
    }

    /// `(* 2)`, `(2 *)`: an operator with one operand, which is a function in other languages.
    pub(super) fn foreign_section(&mut self) -> Option<Expr> {
        let close = self.mate(self.at).filter(|_| self.in_program())?;
        let is_operator = |i: usize| {
            self.tokens.get(i).is_some_and(|t| {
                super::expr::infix_operator(t.tok).is_some()
                    || t.tok == Tok::Foreign && operator(self.spelling(i)).is_some()
            })
        };
        let (first, last) = (self.at + 1, close.checked_sub(1)?);
        if last <= first {
            return None;
        }
        let minus = self.tokens.get(first).is_some_and(|t| t.tok == Tok::Minus);
        let before = is_operator(first) && !minus && !is_operator(first + 1);
        let behind = is_operator(last) && !is_operator(first);
        if !before && !behind {
            return None;
        }
        let limit = std::mem::replace(&mut self.limit, close);
        let comma = self.find(first, |tok, _| tok == Tok::Comma);
        self.limit = limit;
        if comma.is_some() {
            return Some(self.operator_among_arguments());
        }
        let used = |v: &str| (first..close).any(|i| self.spelling(i) == v);
        let v = ["x", "y", "v", "w"].into_iter().find(|v| !used(v)).unwrap_or("x1");
        let inside = self.quote_or(first, close, "…");
        let inside = inside.trim_start_matches('.');
        let hint = if before {
            format!("Write `(\\{v}. {v} {inside})`.")
        } else {
            format!("Write `(\\{v}. {inside} {v})`.")
        };
        let at = if before { first } else { last };
        let problem = Diagnostic::error(codes::UNEXPECTED, "An operator with one operand is no function.")
            .label(self.span_at(at), "it needs two operands")
            .hint(hint);
        self.report(|| problem);
        let here = self.here();
        self.at = close + 1;
        Some(Node::new(self.since(here), ExprKind::Error))
    }

    /// `reduce(+, 0, xs)`, at the bracket.
    fn operator_among_arguments(&mut self) -> Expr {
        let (here, head) = (self.here(), self.at.checked_sub(1).filter(|i| self.tokens[*i].tok == Tok::Word));
        let args =
            self.foreign_args().into_iter().map(|a| match a.chars().all(|c| c.is_ascii_punctuation()) {
                true => format!("({a})"),
                false => a,
            });
        let call: Vec<String> = head.map(|i| self.spelling(i).to_string()).into_iter().chain(args).collect();
        self.problems.push(
            Diagnostic::error(
                codes::UNEXPECTED,
                "Arguments are separated by spaces, and an operator alone stands in parentheses.",
            )
            .label(here, "these arguments")
            .hint(format!("Write `{}`.", call.join(" "))),
        );
        self.reported_at = Some(self.at);
        Node::new(self.since(here), ExprKind::Error)
    }

    // --- words ---

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

    /// The statement of another language at the next token: a loop, a choice, a `let` of another form.
    pub(super) fn foreign_statement(&mut self) -> Option<Expr> {
        if !self.in_program() {
            return None;
        }
        let at = self.at;
        let named = self.nth_is_name(1);
        let braces = || self.find(at + 1, |tok, _| tok == Tok::LBrace);
        let hint = match self.word()? {
            "for"
                if named
                    && matches!(
                        (self.nth(2), self.nth_word(2)),
                        (Tok::Less | Tok::Equals, _) | (_, Some("in"))
                    )
                    || self.nth(1) == Tok::LParen && braces().is_some() =>
            {
                self.loop_hint(at)
            }
            word @ ("while" | "loop" | "do" | "foreach")
                if braces().is_some()
                    || self.find_word(at + 1, "do").is_some()
                    || self.find(at + 1, |tok, _| tok == Tok::Equals).is_some() =>
            {
                elsewhere::written_here(word, &[])?
            }
            word @ ("match" | "case" | "switch")
                if braces().is_some()
                    || ["with", "of"].iter().any(|w| self.find_word(at + 1, w).is_some()) =>
            {
                self.match_hint(at).or_else(|| elsewhere::written_here(word, &[]))?
            }
            "if" => return self.foreign_if(),
            "let" => return self.foreign_let(),
            _ => return None,
        };
        let problem = self.word_problem(at, hint);
        Some(self.give_up(problem))
    }

    /// `for x in xs: e`, at the `for`.
    fn loop_hint(&self, at: usize) -> String {
        let generic = elsewhere::written_here("for", &[]).unwrap_or_default();
        let head = self.find(at + 3, |tok, text| matches!(tok, Tok::Colon | Tok::LBrace) || text == "do");
        let (Some(head), Some("in")) = (head, self.nth_word(2)) else { return generic };
        let body = if self.tokens.get(head).is_some_and(|t| t.tok == Tok::LBrace) {
            None
        } else {
            self.quote(head + 1, self.limit)
        };
        let variable = self.spelling(at + 1);
        let array = self.argument_or(at + 3, head, "xs");
        if matches!(self.nth_word(3), Some("range" | "iota")) || self.nth(3) == Tok::Number {
            return format!(
                "Write `generate (\\{variable}. …)` for each index; `reduce` makes one value of all."
            );
        }
        let body = body.unwrap_or_else(|| "…".into());
        format!(
            "Write `map (\\{variable}. {body}) {array}` for each element; `reduce` makes one value of all."
        )
    }

    /// `match p with (a, b) -> e`, at the first word.
    fn match_hint(&self, at: usize) -> Option<String> {
        let with = self.find_word(at + 1, "with").or_else(|| self.find_word(at + 1, "of"))?;
        let pair = with + 1;
        let close =
            self.mate(pair).filter(|_| self.tokens.get(pair).is_some_and(|t| t.tok == Tok::LParen))?;
        let body = self
            .tokens
            .get(close + 1)
            .filter(|t| matches!(t.tok, Tok::Arrow | Tok::FatArrow))
            .map(|_| close + 2);
        let body =
            body.filter(|b| *b < self.limit).map_or("…".into(), |b| self.quote_or(b, self.limit, "…"));
        let (pattern, value) = (self.quote(pair, close + 1)?, self.quote(at + 1, with)?);
        Some(format!("Write `let {pattern} = {value} in {body}`."))
    }

    /// `[e for x in xs]`, `[e | x <- xs]`, in the bracket at the next token.
    pub(super) fn comprehension(&mut self) -> Option<Expr> {
        let close = self.mate(self.at).filter(|_| self.in_program())?;
        let first = self.at + 1;
        let limit = std::mem::replace(&mut self.limit, close);
        let by_word = self.find_word(first, "for").filter(|f| self.find_word(*f, "in").is_some());
        let bar = self.find(first, |tok, _| tok == Tok::Bar).filter(|b| {
            let tok = |i: usize| self.tokens.get(b + i).map(|t| t.tok);
            tok(1) == Some(Tok::Word) && tok(2) == Some(Tok::Less) && tok(3) == Some(Tok::Minus)
        });
        let found = by_word.map(|f| (f, f + 3)).or(bar.map(|b| (b, b + 4))).filter(|(f, _)| *f > first);
        let end = found.map(|(_, from)| {
            let more = self.find(from, |tok, text| tok == Tok::Comma || text == "if" || text == "for");
            more.unwrap_or(close)
        });
        self.limit = limit;
        let ((mark, from), end) = (found?, end?);
        let (body, array) = (self.quote_or(first, mark, "…"), self.argument_or(from, end, "xs"));
        let variable = self.spelling(mark + 1);
        let mut hint = format!("Write `map (\\{variable}. {body}) {array}`.");
        if end < close {
            hint.push_str(" All elements are kept: `select c a b` chooses what becomes of each.");
        }
        let here = self.here();
        let problem = Diagnostic::error(codes::UNEXPECTED, "Arrays are not made by a loop in brackets.")
            .label(self.span_at(mark), "a form of other languages")
            .hint(hint);
        self.report(|| problem);
        self.at = close + 1;
        Some(Node::new(self.since(here), ExprKind::Error))
    }

    /// A choice by `if`, at the word.
    fn foreign_if(&mut self) -> Option<Expr> {
        let at = self.at;
        let brace = self.find(at + 1, |tok, _| tok == Tok::LBrace);
        let (then, otherwise) = self.then_and_else();
        let in_braces = |open: usize| Some((open + 1, self.mate(open)?));
        let end = self.find(otherwise.unwrap_or(at), |tok, _| tok == Tok::Comma).unwrap_or(self.limit);
        let parts = match (brace, then, otherwise) {
            (_, Some(then), Some(otherwise)) => {
                Some(((at + 1, then), (then + 1, otherwise), (otherwise + 1, end)))
            }
            (Some(open), ..) => {
                let second = otherwise
                    .map(|e| e + 1)
                    .filter(|o| self.tokens.get(*o).is_some_and(|t| t.tok == Tok::LBrace));
                in_braces(open).zip(second.and_then(in_braces)).map(|(a, b)| ((at + 1, open), a, b))
            }
            (None, None, Some(otherwise)) => {
                let close = self.mate(at + 1).filter(|c| self.nth(1) == Tok::LParen && c + 1 < otherwise);
                close.map(|c| ((at + 1, c + 1), (c + 1, otherwise), (otherwise + 1, end)))
            }
            _ => return None,
        };
        let hint = match parts {
            Some((c, a, b)) => self.select(c, a, b),
            None => elsewhere::SELECT.into(),
        };
        let problem = self.word_problem(at, hint);
        Some(self.give_up(problem))
    }

    /// Where the `then` and the `else` stand that belong to the `if` at the next token.
    fn then_and_else(&self) -> (Option<usize>, Option<usize>) {
        let (mut inner, mut then) = (0, None);
        let mut at = self.at;
        loop {
            let next =
                self.find(at + 1, |tok, text| tok == Tok::Word && matches!(text, "if" | "then" | "else"));
            let Some(next) = next else { return (then, None) };
            match self.spelling(next) {
                "if" => inner += 1,
                "then" if inner == 0 && then.is_none() => then = Some(next),
                "else" if inner == 0 => return (then, Some(next)),
                "else" => inner -= 1,
                _ => {}
            }
            if next > self.at + MAX_LOOK {
                return (then, None);
            }
            at = next;
        }
    }

    /// What stands for a choice between the texts of tokens.
    pub(super) fn select(&self, c: (usize, usize), a: (usize, usize), b: (usize, usize)) -> String {
        let [c, a, b] =
            [(c, "c"), (a, "a"), (b, "b")].map(|((from, to), name)| self.argument_or(from, to, name));
        format!("Write `select {c} {a} {b}`.")
    }

    /// `a if c else b` and `c ? a : b`, where the part at `from` has been read.
    pub(super) fn foreign_choice(&mut self, from: usize) -> Option<Expr> {
        if !self.in_program() {
            return None;
        }
        let at = self.at;
        let end = self.find(at + 1, |tok, _| tok == Tok::Comma).unwrap_or(self.limit);
        let hint = match self.peek() {
            Tok::Word if self.at_word("if") => {
                let otherwise = self.find_word(at + 1, "else")?;
                self.select((at + 1, otherwise), (from, at), (otherwise + 1, end))
            }
            Tok::Hole => {
                let colon = self.find(at + 1, |tok, _| tok == Tok::Colon)?;
                self.select((from, at), (at + 1, colon), (colon + 1, end))
            }
            _ => return None,
        };
        let problem = self.word_problem(at, hint);
        Some(self.give_up(problem))
    }

    /// `let y: t = v`, `let mut y = v`, `let f x = v`, at the `let`.
    fn foreign_let(&mut self) -> Option<Expr> {
        let at = self.at;
        if !self.nth_is_name(1) || self.nth(2) == Tok::Equals {
            return None;
        }
        let equals = self.find(at + 2, |tok, text| tok == Tok::Equals || text == "let")?;
        if self.tokens.get(equals).is_none_or(|t| t.tok != Tok::Equals) {
            return None;
        }
        let words = (at + 2..equals).all(|i| self.tokens.get(i).is_some_and(|t| t.tok == Tok::Word));
        let name = self.spelling(at + 1);
        let (message, hint) = if self.nth(2) == Tok::Colon {
            let ty = self.quote_or(at + 3, equals, "t");
            let end = self.mate(at).or_else(|| self.find_word(equals, "in")).unwrap_or(equals + 1);
            let value = if end > equals + 1 { self.quote_or(equals + 1, end, "v") } else { "v".into() };
            (
                "A type stands with the value of a `let`, in parentheses.",
                format!("Write `let {name} = ({value} : {ty}) in …`."),
            )
        } else if words && matches!(name, "mut" | "rec" | "val" | "var") {
            (
                "A `let` names one value, which stays as it is.",
                format!("Write `let {} = … in …`.", self.spelling(at + 2)),
            )
        } else if words {
            let params = self.quote_or(at + 2, equals, "x");
            (
                "A `let` names one value.",
                format!("Write `let {name} = \\{params}. … in …`, or a `def` of its own."),
            )
        } else {
            return None;
        };
        let problem =
            Diagnostic::error(codes::UNEXPECTED, message).label(self.nth_span(2), "not here").hint(hint);
        Some(self.give_up(problem))
    }

    /// What a `=` stands for that is not expected: a value or a definition without its first word.
    pub(super) fn equals_hint(&self) -> Option<String> {
        let line =
            (0..self.at).rev().take(MAX_LOOK).find(|i| self.tokens.get(*i).is_some_and(|t| t.first))?;
        let name = self.spelling(line);
        if self.tokens.get(line)?.tok != Tok::Word || lexer::is_reserved(name) || lexer::is_item_word(name) {
            return None;
        }
        if self.tokens.get(line)?.column == 0 {
            return Some(format!(
                "A definition starts with `def`: `def {}…`.",
                self.quote_or(line, self.at, name) + " = "
            ));
        }
        (line + 1 == self.at).then(|| {
            format!("A value gets its name by `let`: `let {name} = …`, and what uses it stands behind `in` or on the next line.")
        })
    }

    /// `x = y` where it is compared, at the sign.
    pub(super) fn equality_hint(&self) -> String {
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

    /// `f32 * f32` without parentheses, at the sign.
    pub(super) fn star_hint(&self) -> Option<String> {
        let (a, b) = (self.spelling(self.at.checked_sub(1)?), self.nth_word(1)?);
        let scalar = |w: &str| elsewhere::type_here(w).or(Scalar::from_name(w).map(|s| s.name()));
        Some(match (scalar(a), scalar(b)) {
            (Some(a), Some(b)) => format!("A pair type stands in parentheses: `({a} * {b})`."),
            (None, Some(b)) => format!("The sizes of an array type stand before a dot: `{a}.{b}`."),
            _ => return None,
        })
    }

    /// `e where y = v`, at the word.
    pub(super) fn where_hint(&self) -> Option<String> {
        let named = self.nth(1) == Tok::Word && self.nth(2) == Tok::Equals;
        if !named || !self.in_program() {
            return None;
        }
        let value = self.quote_or(self.at + 3, self.limit, "v");
        let body = self.quote_or(self.finished, self.at, "e");
        Some(format!(
            "A value gets its name before it is used: `let {} = {value} in {body}`.",
            self.spelling(self.at + 1)
        ))
    }
}

// --- types and definitions ---

impl Parser<'_> {
    /// The parameters with commas between them from a token to the end of the bracket, each in parentheses.
    pub(super) fn parameters_apart(&self, from: usize) -> String {
        let (mut parts, mut at) = (vec![], from);
        while at < self.limit && parts.len() < 8 {
            let end = self.find(at, |tok, _| tok == Tok::Comma).unwrap_or(self.limit);
            parts.push(self.quote_or(at, end, "x: f32"));
            at = end + 1;
        }
        // Those without a type have that of the next one that has any.
        let mut ty = "f32".to_string();
        for part in parts.iter_mut().rev() {
            let (name, written) = match part.split_once(':') {
                Some((name, t)) => (name, Some(t.trim_start_matches(':'))),
                None => part.split_once(' ').map_or((part.as_str(), None), |(name, t)| (name, Some(t))),
            };
            if let Some(written) = written {
                ty = written.trim().to_string();
            }
            *part = format!("{}: {ty}", name.trim());
        }
        parts.iter().map(|p| format!("({p})")).collect::<Vec<_>>().join(" ")
    }

    /// The components from a token to the end of the bracket, as pairs of pairs.
    pub(super) fn nested_pair(&self, from: usize) -> Option<String> {
        let mut parts = vec![];
        let mut at = from;
        loop {
            let end = self.find(at, |tok, _| matches!(tok, Tok::Comma | Tok::Star)).unwrap_or(self.limit);
            parts.push(self.quote(at, end).filter(|_| end > at)?);
            if end >= self.limit {
                break;
            }
            at = end + 1;
        }
        let last = parts.pop()?;
        Some(parts.into_iter().rev().fold(last, |rest, part| format!("({part} * {rest})")))
    }

    /// Says so where an array type stands as in other languages, `[n]f32`, `f32[n]`, `n m f32`, `Array f32`, and reads it. It
    /// starts at a token, and a name has been read of it or nothing.
    pub(super) fn foreign_array(&mut self, from: usize) -> bool {
        if !self.in_program() || self.spelling(from) == "return" {
            return false;
        }
        let more = match self.peek() {
            Tok::LBracket => self.mate(self.at).is_some() && (self.at == from || self.touches(0)),
            Tok::LBrace => self.at > from && self.touches(0),
            Tok::Word => {
                self.at > from && self.nth_is_name(0) && self.tokens.get(self.at).is_some_and(|t| !t.first)
            }
            _ => false,
        };
        if !more {
            return false;
        }
        let shown = self.nth_span(0);
        let mut words: Vec<String> = (from..self.at).map(|i| self.spelling(i).to_string()).collect();
        while words.len() < 16 {
            match (self.peek(), self.mate(self.at)) {
                (Tok::Word, _) if self.nth_is_name(0) => words.push(self.spelling(self.at).to_string()),
                (Tok::LBracket | Tok::LBrace, Some(close)) => {
                    let parts = (self.at + 1..close).filter(|i| {
                        self.tokens.get(*i).is_some_and(|t| matches!(t.tok, Tok::Word | Tok::Number))
                    });
                    words.extend(parts.take(16).map(|i| self.spelling(i).to_string()));
                    self.at = close;
                }
                _ => break,
            }
            self.bump();
        }
        // One of them says of what the array is, others of how many.
        let is_element = |w: &String| Scalar::from_name(w).is_some() || elsewhere::type_here(w).is_some();
        let element = words.iter().position(is_element).map(|at| words.remove(at));
        let element =
            element.map_or("f32".to_string(), |e| elsewhere::type_here(&e).map_or(e.clone(), String::from));
        words.retain(|w| {
            !matches!(
                &**w,
                "Array"
                    | "array"
                    | "Vec"
                    | "Vector"
                    | "List"
                    | "list"
                    | "Matrix"
                    | "Tensor"
                    | "tensor"
                    | "ndarray"
            )
        });
        if words.is_empty() {
            words.push("n".into());
        }
        let written = words.into_iter().chain([element]).collect::<Vec<_>>().join(".");
        self.report(|| {
            Diagnostic::error(
                codes::UNEXPECTED,
                "The sizes of an array type stand before its elements, each with a dot.",
            )
            .label(shown, "written as in other languages")
            .hint(format!("Write `{written}`."))
        });
        self.reported_at = Some(self.at);
        true
    }

    /// `let y = v; e` and `let y = v, z = w in e`, at the sign behind the value, whose `let` names what stands at `named`.
    pub(super) fn foreign_let_end(&mut self, named: usize, value: usize) {
        let sign = self.peek();
        if !matches!(sign, Tok::Semi | Tok::Comma) || !self.in_program() {
            return;
        }
        let (name, value) = (self.quote_or(named, value - 1, "x"), self.quote_or(value, self.at, "v"));
        let (message, rest) = if sign == Tok::Semi {
            (
                "`in` stands between a `let` and what uses it, or a new line.",
                self.quote_or(self.at + 1, self.limit, "…"),
            )
        } else {
            ("A `let` names one value.", format!("let {} …", self.quote_or(self.at + 1, self.at + 3, "z =")))
        };
        let here = self.here();
        self.give_up(
            Diagnostic::error(codes::UNEXPECTED, message)
                .label(here, "not here")
                .hint(format!("Write `let {name} = {value} in {rest}`.")),
        );
    }

    /// What stands between the name of a definition and its `=` that is no parameter: `(x, y)`, `<n>`, `[n]`, `{ e }`, `:: t`.
    pub(super) fn foreign_head(&mut self, name: &str) -> bool {
        if !self.in_program() {
            return false;
        }
        let close = self.mate(self.at);
        let (message, hint) = match (self.peek(), close) {
            (Tok::LParen, Some(close)) if !self.at_binder() => {
                let limit = std::mem::replace(&mut self.limit, close);
                let params = self.parameters_apart(self.at + 1);
                self.limit = limit;
                let written = format!("def {name} {params}");
                (
                    "A parameter in parentheses has a type.",
                    format!("Write `{} = …`, with the types that are meant.", written.trim_end()),
                )
            }
            (Tok::LBracket, Some(_)) | (Tok::Less, _) => (
                "Sizes are not declared in brackets.",
                "A size may stand in the types at once, `(a: n.f32)`, or be a parameter, `(n: nat)`.".into(),
            ),
            (Tok::LBrace, Some(close)) if self.nth_word(1).is_none() || self.nth(2) != Tok::Colon => {
                let body = self.quote_or(self.at + 1, close, "…");
                (
                    "What a definition computes stands behind `=`, without braces.",
                    format!("Write `= {body}`."),
                )
            }
            (Tok::Cons, _) => (
                "A definition says its types with its parameters.",
                format!("Write `def {name} (a: n.f32): n.f32 = …`."),
            ),
            _ => return false,
        };
        let shown = self.nth_span(0);
        let is_signature = self.peek() == Tok::Cons;
        let equals = self.find(self.at, |tok, _| tok == Tok::Equals).filter(|_| !is_signature);
        self.give_up(Diagnostic::error(codes::UNEXPECTED, message).label(shown, "not here").hint(hint));
        self.at = equals.unwrap_or(self.at);
        true
    }

    /// What to write for text before the first definition, which starts at the next token.
    pub(super) fn definition_hint(&self, first: usize) -> String {
        const WORDS: [&str; 14] = [
            "fn", "fun", "func", "function", "let", "entry", "proc", "val", "var", "void", "float", "double",
            "int", "kernel",
        ];
        let is_word = |i: usize| i < first && self.tokens.get(i).is_some_and(|t| t.tok == Tok::Word);
        let name = if WORDS.contains(&self.spelling(0)) && is_word(1) { 1 } else { 0 };
        if !is_word(name) {
            return "Write `def name (x: n.f32) = …`.".into();
        }
        let equals = (name + 1..first.min(name + 16))
            .find(|i| self.tokens.get(*i).is_some_and(|t| t.tok == Tok::Equals));
        let params: Vec<String> = match equals {
            Some(equals) if (name + 1..equals).all(is_word) => {
                (name + 1..equals).map(|i| format!("({}: n.f32)", self.spelling(i))).collect()
            }
            _ => vec!["…".into()],
        };
        let params = if params.is_empty() { String::new() } else { format!(" {}", params.join(" ")) };
        format!("Write `def {}{params} = …`.", self.spelling(name))
    }
}

/// `value.name(args)`, as it is written here, and what is said of it; `piped` if the value is the rest of such a chain.
fn method(value: &str, name: &str, mut args: Vec<String>, piped: bool) -> (String, Option<String>) {
    let module = elsewhere::is_module(value);
    let call = |args: &[String]| {
        std::iter::once(name.to_string()).chain(args.iter().cloned()).collect::<Vec<_>>().join(" ")
    };
    if module {
        let hint = elsewhere::written_here(name, &args).unwrap_or_else(|| {
            format!(
                "Functions stand before what they are given, by their names alone: write `{}`.",
                call(&args)
            )
        });
        return (call(&args), Some(hint));
    }
    let mut all = args.clone();
    all.push(value.to_string());
    if !piped && let Some(hint) = elsewhere::written_here(name, &all) {
        return (format!("{value} |> {name}"), Some(hint));
    }
    // What is known of a name with its last argument left out is a stage.
    all.pop();
    all.push("\u{1}".into());
    let stage = elsewhere::written_here(name, &all)
        .and_then(|hint| hint.strip_prefix("Write `")?.split('`').next().map(String::from))
        .and_then(|written| written.strip_suffix(" \u{1}").map(String::from));
    args.retain(|a| !a.is_empty());
    let value = format!("{value} |> {}", stage.unwrap_or_else(|| call(&args)));
    let hint =
        format!("A function is applied by standing before its arguments, or behind `|>`: write `{value}`.");
    (value, Some(hint))
}
