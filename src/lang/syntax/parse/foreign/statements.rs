//! Statements, loops, choices and bindings of other languages.

use super::MAX_LOOK;
use crate::diag::Diagnostic;
use crate::syntax::ast::{Expr, ExprKind, Node};
use crate::syntax::codes;
use crate::syntax::elsewhere;
use crate::syntax::lexer::Tok;
use crate::syntax::parse::Parser;

/// What is said of a comprehension that goes through more than two arrays, or is too long to be repeated.
const MANY_GENERATORS: &str = "Write `map (\\x. …) xs` for each element, and one `map` within another for several arrays, of whose rows `join` makes one array.";

impl Parser<'_> {
    /// The statement of another language at the next token: a loop, a choice, a `let` of another form.
    pub(in crate::syntax::parse) fn foreign_statement(&mut self) -> Option<Expr> {
        if !self.in_program() {
            return None;
        }
        let at = self.at;
        let named = self.nth_is_name(1);
        let braces = || self.find(at + 1, |tok, _| tok == Tok::LBrace);
        let counts = || self.find_in(at + 2, self.mate(at + 1)?, |tok, _| tok == Tok::Semi);
        let hint = match self.word()? {
            "for"
                if named
                    && matches!(
                        (self.nth(2), self.nth_word(2)),
                        (Tok::Less | Tok::Equals, _) | (_, Some("in"))
                    )
                    || self.nth(1) == Tok::LParen && (braces().is_some() || counts().is_some()) =>
            {
                self.loop_hint(at)
            }
            "loop" if named && self.nth(2) == Tok::Equals && self.find_word(at + 3, "for").is_some() => {
                let (name, end) = (self.spelling(at + 1), self.find_word(at + 3, "for")?);
                self.accumulation(name, (at + 3, end), end)
                    .or_else(|| elsewhere::written_here("loop", &[]))?
            }
            // A block, of which nothing is repeated.
            "do" if self.nth(1) == Tok::LBrace && self.find_word(at + 1, "while").is_none() => {
                super::super::hints::BLOCK.into()
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
        // What it goes through are positions, where the body asks for elements by them.
        if body.as_ref().is_some_and(|body| body.contains(&format!("[{variable}]"))) {
            return format!(
                "Write `generate (\\{variable}. …)` for each position, where `idx {variable} xs` is an element; `map f xs` goes \
                 through the elements themselves, and `reduce` makes one value of all."
            );
        }
        let body = body.unwrap_or_else(|| "…".into());
        format!(
            "Write `map (\\{variable}. {body}) {array}` for each element; `reduce` makes one value of all."
        )
    }

    /// What makes the value of `s` by a loop, where it starts as the tokens `start`, and `for x in xs: s += e` stands at
    /// `head`. The body `s = s + e` means the same, and in Futhark `s + e` does.
    fn accumulation(&self, name: &str, start: (usize, usize), head: usize) -> Option<String> {
        let word = |i: usize, wanted: &str| self.spelling(i) == wanted;
        if !word(head, "for") || !word(head + 2, "in") && !word(head + 2, "<") {
            return None;
        }
        let begin =
            self.find(head + 3, |tok, text| matches!(tok, Tok::Colon | Tok::LBrace) || text == "do")?;
        let braced = self.tokens.get(begin).is_some_and(|t| t.tok == Tok::LBrace);
        let body = begin + 1;
        let end = if braced {
            self.mate(begin)?
        } else {
            let next = (body + 1..self.limit).take(MAX_LOOK);
            next.into_iter().find(|i| self.tokens.get(*i).is_some_and(|t| t.first)).unwrap_or(self.limit)
        };
        let end = self.find(body, |tok, _| tok == Tok::Semi).filter(|semi| *semi < end).unwrap_or(end);
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        let value = match self.spelling(body + 1) {
            _ if word(begin, "do") => self.quote(body, end)?,
            "=" if word(body, name) => self.quote(body + 2, end)?,
            sign @ ("+=" | "-=" | "*=") if word(body, name) => {
                format!("{name} {} {}", &sign[..1], self.argument_or(body + 2, end, "…"))
            }
            _ => return None,
        };
        let variable = self.spelling(head + 1);
        let numbers =
            tok(head + 3) == Some(Tok::Number) || matches!(self.spelling(head + 3), "range" | "iota");
        if (numbers || word(head + 2, "<"))
            && let Some((array, element)) = read_by(&value, variable)
        {
            let start = self.argument_or(start.0, start.1, "0");
            return Some(format!(
                "Write `reduce (\\{name} x. {element}) {start} {array}`, or `reduceSeq` for what is not associative."
            ));
        }
        if word(head + 2, "<") {
            return None;
        }
        if numbers || value.contains(['[', ';']) || start.0 >= start.1 {
            return None;
        }
        let (start, array) =
            (self.argument_or(start.0, start.1, "0"), self.argument_or(head + 3, begin, "xs"));
        Some(format!(
            "Write `reduce (\\{name} {variable}. {value}) {start} {array}`, or `reduceSeq` for what is not associative."
        ))
    }

    /// What a name stands for that a loop changes, behind the `=` at a token.
    pub(in crate::syntax::parse) fn accumulated(&self, name: &str, equals: usize) -> Option<String> {
        let head = self.find_word(equals + 1, "for")?;
        let end = self.find(equals + 1, |tok, _| tok == Tok::Semi).filter(|semi| *semi < head);
        self.accumulation(name, (equals + 1, end.unwrap_or(head)), head)
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
    pub(in crate::syntax::parse) fn comprehension(&mut self) -> Option<Expr> {
        let close = self.mate(self.at).filter(|_| self.in_program())?;
        let first = self.at + 1;
        let is_mark = |tok: Tok, text: &str| tok == Tok::Bar || tok == Tok::Word && text == "for";
        let mark = self.find_in(first, close, is_mark).filter(|mark| *mark > first)?;
        let (generators, whole) = self.generators(mark, close);
        let (last, outer) = generators.split_last()?;
        let hint = match self.quote(first, mark) {
            _ if outer.len() > 1 => MANY_GENERATORS.to_owned(),
            None => MANY_GENERATORS.to_owned(),
            Some(body) => {
                let inner = format!("map (\\{}. {body}) {}", last.0, last.1);
                let written = outer
                    .iter()
                    .fold(inner, |inner, (names, xs)| format!("join (map (\\{names}. {inner}) {xs})"));
                let kept = if whole {
                    ""
                } else {
                    " All elements are kept: `select c a b` chooses what becomes of each."
                };
                format!("Write `{written}`.{kept}")
            }
        };
        let here = self.here();
        let problem = Diagnostic::error(codes::UNEXPECTED, "Arrays are not made by a loop in brackets.")
            .label(self.span_at(mark), "a form of other languages")
            .hint(hint);
        self.report(|| problem);
        self.at = close + 1;
        Some(Node::new(self.since(here), ExprKind::Error))
    }

    /// What a comprehension goes through behind the mark at a token: the names of elements, and of what array they are. Whether
    /// there is nothing else.
    fn generators(&self, mark: usize, close: usize) -> (Vec<(String, String)>, bool) {
        let mut all = vec![];
        let mut at = mark + 1;
        loop {
            let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
            let touch = |i: usize| self.tokens[i].end == self.tokens[i + 1].start;
            let by_arrow = |i: usize| tok(i) == Some(Tok::Less) && tok(i + 1) == Some(Tok::Minus) && touch(i);
            let names_end = self.find_in(at, close, |tok, text| tok == Tok::Less || text == "in");
            let Some(names_end) =
                names_end.filter(|i| *i > at && (self.spelling(*i) == "in" || by_arrow(*i)))
            else {
                return (all, false);
            };
            let from = names_end + 1 + usize::from(by_arrow(names_end));
            let is_end = |tok: Tok, text: &str| tok == Tok::Comma || matches!(text, "if" | "for");
            let end = self.find_in(from, close, is_end).unwrap_or(close);
            let plain = (at..names_end).all(|i| {
                let brackets = matches!(tok(i), Some(Tok::Comma | Tok::LParen | Tok::RParen));
                brackets || tok(i) == Some(Tok::Word)
            });
            let (Some(names), true) = (self.quote(at, names_end), plain) else { return (all, false) };
            let in_brackets = self.mate(at) == Some(names_end - 1);
            let several = names.contains(',') && !in_brackets;
            let names = if several { format!("({names})") } else { names };
            all.push((names, self.argument_or(from, end, "…")));
            if end == close || self.spelling(end) == "if" {
                return (all, end == close);
            }
            at = end + 1;
        }
    }

    /// A choice by `if`, at the word.
    fn foreign_if(&mut self) -> Option<Expr> {
        let at = self.at;
        let brace = self.find(at + 1, |tok, _| tok == Tok::LBrace);
        let (then, otherwise) = self.then_and_else();
        let in_braces = |open: usize| Some((open + 1, self.mate(open)?));
        let end = self.find(otherwise.unwrap_or(at), |tok, _| tok == Tok::Comma);
        let end = end.unwrap_or_else(|| self.end_of(otherwise.unwrap_or(at)));
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
    pub(in crate::syntax::parse) fn select(
        &self,
        c: (usize, usize),
        a: (usize, usize),
        b: (usize, usize),
    ) -> String {
        match [c, a, b].map(|(from, to)| self.choice_between(from, to)) {
            [Some(c), Some(a), Some(b)] => format!("Write `select {c} {a} {b}`."),
            _ => elsewhere::SELECT.into(),
        }
    }

    /// The text of tokens as an argument, also of a choice `c ? a : b`; none where it cannot be repeated.
    fn choice_between(&self, from: usize, to: usize) -> Option<String> {
        if from >= to || to - from > MAX_LOOK {
            return None;
        }
        let Some(at) = self.find_in(from, to, |tok, _| tok == Tok::Hole) else {
            let text = self.argument_or(from, to, "…");
            return (text != "…").then_some(text);
        };
        let colon = self.colon_of(at, to)?;
        let [c, a, b] =
            [(from, at), (at + 1, colon), (colon + 1, to)].map(|(from, to)| self.choice_between(from, to));
        Some(format!("(select {} {} {})", c?, a?, b?))
    }

    /// The colon that belongs to the `?` at a token.
    fn colon_of(&self, at: usize, to: usize) -> Option<usize> {
        let mut inner = 0;
        let mut next = at;
        loop {
            next = self.find_in(next + 1, to, |tok, _| matches!(tok, Tok::Colon | Tok::Hole))?;
            match self.tokens.get(next)?.tok {
                Tok::Hole => inner += 1,
                _ if inner == 0 => return (self.spelling(at) == "?").then_some(next),
                _ => inner -= 1,
            }
        }
    }

    /// `a if c else b` and `c ? a : b`, where the part at `from` has been read.
    pub(in crate::syntax::parse) fn foreign_choice(&mut self, from: usize) -> Option<Expr> {
        if !self.in_program() {
            return None;
        }
        let at = self.at;
        let end = self.find(at + 1, |tok, _| tok == Tok::Comma).unwrap_or_else(|| self.end_of(at));
        let hint = match self.peek() {
            Tok::Word if self.at_word("if") => {
                let otherwise = self.find_word(at + 1, "else")?;
                self.select((at + 1, otherwise), (from, at), (otherwise + 1, end))
            }
            Tok::Hole => {
                self.find(at + 1, |tok, _| tok == Tok::Colon)?;
                match self.colon_of(at, end) {
                    Some(colon) => self.select((from, at), (at + 1, colon), (colon + 1, end)),
                    None => elsewhere::SELECT.into(),
                }
            }
            _ => return None,
        };
        let problem = self.word_problem(at, hint);
        Some(self.give_up(problem))
    }

    /// `let y: t = v`, `let mut y = v`, `let f x = v`, at the `let`.
    fn foreign_let(&mut self) -> Option<Expr> {
        let at = self.at;
        if self.is_reserved_name(at + 1) && self.nth(2) == Tok::Equals {
            self.at += 1;
            return Some(self.reserved_name());
        }
        if !self.nth_is_name(1) || self.nth(2) == Tok::Equals {
            return None;
        }
        let equals = self.find(at + 2, |tok, text| tok == Tok::Equals || text == "let")?;
        if self.tokens.get(equals).is_none_or(|t| t.tok != Tok::Equals) {
            return None;
        }
        let words = (at + 2..equals).all(|i| self.tokens.get(i).is_some_and(|t| t.tok == Tok::Word));
        let name = self.spelling(at + 1);
        let (message, hint) = if self.nth(2) == Tok::Colon && equals == at + 3 {
            let end = self.mate(at).or_else(|| self.find_word(equals, "in"));
            let value = end.map_or("…".into(), |end| self.quote_or(equals + 1, end, "…"));
            (
                "A `let` names one value, which stays as it is.",
                self.accumulated(name, equals)
                    .unwrap_or_else(|| format!("Write `let {name} = {value} in …`.")),
            )
        } else if self.nth(2) == Tok::Colon {
            let ty = self.quote_or(at + 3, equals, "t");
            let end = self.mate(at).or_else(|| self.find_word(equals, "in")).unwrap_or(equals + 1);
            let value = if end > equals + 1 { self.quote_or(equals + 1, end, "v") } else { "v".into() };
            (
                "A type stands with the value of a `let`, in parentheses.",
                format!("Write `let {name} = ({value} : {ty}) in …`."),
            )
        } else if words && matches!(name, "mut" | "rec" | "val" | "var") {
            let name = self.spelling(at + 2);
            (
                "A `let` names one value, which stays as it is.",
                self.accumulated(name, equals).unwrap_or_else(|| format!("Write `let {name} = … in …`.")),
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
}

/// The one array of which a text reads elements at this position, and the text with `x` in the place of such an element.
fn read_by(text: &str, position: &str) -> Option<(String, String)> {
    let index = format!("[{position}]");
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let array = text.split_once(&index)?.0.rsplit(|c| !part(c)).next().filter(|name| !name.is_empty())?;
    let of_element = text.replace(&format!("{array}{index}"), "x");
    let others =
        of_element.contains('[') || of_element.split(|c| !part(c)).any(|w| w == position || w == array);
    let one_x = !text.split(|c| !part(c)).any(|w| w == "x") || array == "x";
    (!others && one_x).then(|| (array.to_owned(), of_element))
}
