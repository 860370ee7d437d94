//! Calls, methods, parts of arrays and functions as other languages write them.

use super::MAX_LOOK;
use super::methods::method;
use crate::diag::{Diagnostic, Span};
use crate::pattern::Pattern;
use crate::syntax::ast::{Expr, ExprKind, Language, Node};
use crate::syntax::codes;
use crate::syntax::elsewhere;
use crate::syntax::lexer::{self, Tok};
use crate::syntax::parse::Parser;
use crate::ty::Scalar;

impl Parser<'_> {
    /// Whether `f . g`, `f $ x` or `f <| x` goes on here.
    pub(in crate::syntax::parse) fn at_foreign_chain(&self) -> bool {
        let operand =
            matches!(self.nth(1), Tok::Word | Tok::LParen | Tok::Number | Tok::Lambda | Tok::LBracket);
        match self.peek() {
            // `.5` is a number, as others write it.
            Tok::Dot if self.nth(1) == Tok::Number && self.touches(1) => false,
            Tok::Dot => self.in_program() && operand && !self.touches(0),
            Tok::Foreign => operand && matches!(self.spelling(self.at), "$" | "<|"),
            _ => false,
        }
    }

    /// Reads `f . g $ x` behind its first part, which starts at `from`.
    pub(in crate::syntax::parse) fn foreign_chain(&mut self, from: usize, start: Span) -> Expr {
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
        let text = |&(a, b): &(usize, usize)| self.stage(a, b);
        // The body of a function that has no parentheses has taken in what was meant to follow it.
        let in_function =
            from.checked_sub(1).and_then(|i| self.tokens.get(i)).is_some_and(|t| t.tok == Tok::Dot);
        let argument = if groups.len() > 1 { groups.pop() } else { None };
        let mut functions: Vec<String> = groups.iter().flatten().map(text).collect();
        functions.reverse();
        // What is applied behind a pipe, or to a function, keeps its place.
        let stays = |group: &[(usize, usize)]| {
            let is = |part: &(usize, usize), tok: Tok| {
                (part.0..part.1).filter_map(|i| self.tokens.get(i)).any(|t| t.tok == tok)
            };
            let piped = groups.iter().flatten().any(|part| is(part, Tok::PipeTo));
            let function =
                |(a, _): &(usize, usize)| self.tokens.get(*a).is_some_and(|t| t.tok == Tok::Lambda);
            piped || group.iter().any(function)
        };
        let written = match &argument {
            None => functions.join(" >> "),
            Some(group) if functions.len() == 1 && group.len() == 1 && stays(group) => {
                format!("{} {}", functions[0], self.argument_or(group[0].0, group[0].1, "…"))
            }
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
        // What was piped before goes through what it was piped into first.
        let is_piped = |&(a, b): &(usize, usize)| self.find_in(a, b, |tok, _| tok == Tok::PipeTo).is_some();
        let hint = if groups.iter().flatten().any(is_piped) && argument.is_none() {
            format!("{what}: `f . g` of two functions is `g >> f`.")
        } else if let (true, None, [group]) = (dot, &argument, groups.as_slice())
            && let Some(piped) = self.piped(group)
        {
            format!("A value is given to a function by `|>`: `{piped}`.")
        } else if in_function {
            format!("{what}; a function among them stands in parentheses, `(\\x. x + 1)`.")
        } else if let (true, None, [group]) = (dot, &argument, groups.as_slice())
            && let [(a, b), (c, d)] = group.as_slice()
            && (b - a == 1 && d - c > 1)
        {
            let (value, function) = (text(&(*a, *b)), text(&(*c, *d)));
            match Pattern::from_name(&value) {
                // It takes what follows as its first argument, or as a function that is applied before.
                Some(_) => format!("{what}: `f . g` of two functions is `g >> f`."),
                None => format!(
                    "{what}: `{written}`. A value is given to a function by `|>`: `{value} |> {function}`."
                ),
            }
        } else {
            format!("{what}: `{written}`.")
        };
        let problem = Diagnostic::error(code, message)
            .label(self.span_at(first), "a sign of other languages")
            .hint(hint);
        self.problems.push(problem);
        Node::new(self.since(start), ExprKind::Error)
    }

    /// The text of what is composed: in parentheses where it would reach further, or not as far, as it does.
    fn stage(&self, from: usize, to: usize) -> String {
        let is_loose = |tok: Tok, text: &str| {
            matches!(tok, Tok::And | Tok::Or) || matches!(text, "and" | "or" | "&&" | "||")
        };
        let is_let = self.spelling(from) == "let";
        let text = self.quote_or(from, to, "…");
        if is_let || self.find_in(from, to, is_loose).is_some() { format!("({text})") } else { text }
    }

    /// What was composed, where the first or the last part of it is a value: that goes through the others.
    fn piped(&self, group: &[(usize, usize)]) -> Option<String> {
        let text = |&(a, b): &(usize, usize)| self.quote_or(a, b, "…");
        let is_value = |&(a, b): &(usize, usize)| b == a + 1 && self.is_parameter_of_data(a);
        let mut parts: Vec<String> = group.iter().map(text).collect();
        match (group.first(), group.last()) {
            (Some(first), _) if is_value(first) => {}
            (_, Some(last)) if is_value(last) => parts.reverse(),
            _ => return None,
        }
        Some(parts.join(" |> "))
    }

    /// Is the word at this token a parameter whose type, which is written before, is none of functions?
    fn is_parameter_of_data(&self, at: usize) -> bool {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        if tok(at) != Some(Tok::Word) {
            return false;
        }
        // `(a b: n.f32)`
        let declared = |i: &usize| {
            let words = |i: &usize| tok(*i) == Some(Tok::Word);
            let open = (0..*i).rev().find(|i| !words(i)).filter(|i| tok(*i) == Some(Tok::LParen));
            let colon = (*i..at).find(|i| !words(i)).filter(|i| tok(*i) == Some(Tok::Colon));
            let close = open.and_then(|open| self.mate(open));
            colon.zip(close).is_some_and(|(colon, close)| (colon..close).all(|i| tok(i) != Some(Tok::Arrow)))
        };
        let before = (at.saturating_sub(MAX_LOOK)..at).rev();
        let mut same =
            before.filter(|i| tok(*i) == Some(Tok::Word) && self.spelling(*i) == self.spelling(at));
        same.find(declared).is_some()
    }

    /// The sizes of the array that a name stands for here, if it is a parameter whose type is written in the definition.
    pub(in crate::syntax::parse) fn sizes_of(&self, name: &str) -> Option<Vec<String>> {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        for at in (self.at.saturating_sub(MAX_LOOK)..self.at).rev() {
            if tok(at) == Some(Tok::Word) && self.spelling(at) == name {
                let words = |i: &usize| tok(*i) == Some(Tok::Word);
                let near = at.saturating_sub(MAX_LOOK)..at;
                let is_first =
                    near.clone().rev().find(|i| !words(i)).is_some_and(|i| tok(i) == Some(Tok::LParen));
                let colon = (at..at + MAX_LOOK).find(|i| !words(i));
                if let Some(colon) = colon.filter(|colon| is_first && tok(*colon) == Some(Tok::Colon)) {
                    return self.sizes_behind(colon);
                }
                // What a function or a `let` binds has no type that is written.
                let is_between = |i: &usize| {
                    let among = matches!(tok(*i), Some(Tok::Word | Tok::Comma | Tok::LParen | Tok::RParen));
                    among && self.spelling(*i) != "let"
                };
                let before = near.rev().find(|i| !is_between(i))?;
                if tok(before) == Some(Tok::Lambda) || self.spelling(before) == "let" {
                    return None;
                }
            }
            if self.tokens.get(at).is_some_and(|t| t.first && t.column == 0) {
                return None;
            }
        }
        None
    }

    /// The sizes in the type of data behind the colon at a token.
    fn sizes_behind(&self, colon: usize) -> Option<Vec<String>> {
        let mut sizes = vec![];
        let mut from = colon + 1;
        loop {
            let is_end = |tok: Tok, _: &str| matches!(tok, Tok::Dot | Tok::RParen | Tok::Arrow);
            let end = self.find_in(from, from + MAX_LOOK, is_end)?;
            match self.peek_at(end) {
                Tok::Dot => sizes.push(self.quote(from, end).filter(|_| end > from)?),
                Tok::RParen => return (!sizes.is_empty()).then_some(sizes),
                _ => return None,
            }
            from = end + 1;
        }
    }

    /// Reads what other languages put behind a value, which starts at `from`; none where nothing of the kind follows.
    pub(in crate::syntax::parse) fn foreign_suffix(&mut self, from: usize) -> bool {
        let behind = |p: &Self| {
            p.at.checked_sub(1)
                .and_then(|i| p.tokens.get(i))
                .is_some_and(|t| matches!(t.tok, Tok::Word | Tok::RParen | Tok::RBracket))
        };
        if !self.in_program() || !behind(self) || !self.touches(0) {
            return false;
        }
        let start = self.at;
        let first = self.start_of_call(from);
        let known = first.and_then(|first| match first == from {
            true => Some(self.argument_or(from, start, "…")),
            false => self.quote(first, start),
        });
        // Of what is not known for sure nothing is repeated.
        let mut value = known.unwrap_or_else(|| "…".into());
        let mut hint = None;
        loop {
            let (next, close) = (self.at + 1, self.mate(self.at + 1));
            match (self.peek(), self.nth(1)) {
                (Tok::Dot, _) if !self.touches(1) => break,
                (Tok::Dot, Tok::Word) => {
                    let name = self.spelling(next).to_string();
                    self.at += 2;
                    let called = self.peek() == Tok::LParen && self.touches(0);
                    let args = if called { self.foreign_args() } else { vec![] };
                    let known = |name: &str| self.sizes_of(name);
                    (value, hint) = method(&value, &name, args, called, hint.is_some(), &known);
                }
                (Tok::Dot, Tok::Number) => {
                    let number = self.spelling(next).to_string();
                    let part = number.parse::<usize>().unwrap_or(0).min(8);
                    let of = as_argument(&value);
                    let written = match part {
                        0 => format!("`fst {of}`"),
                        1 => format!("`snd {of}`"),
                        // Some languages count components from 1, some from 0: which of both is known by how many there are.
                        2 => format!(
                            "`snd {of}` for the second of two, `fst (snd {of})` and `snd (snd {of})` for the second and third of three"
                        ),
                        _ => format!("`snd {of}` for all but the first, and `fst` or `snd` of that again"),
                    };
                    hint = Some(format!(
                        "The components of a pair `p` are `fst p` and `snd p`: write {written}. An element of an array is read by its \
                         index first: `idx {number} {of}`."
                    ));
                    value = match part {
                        0 => format!("fst {of}"),
                        1 => format!("snd {of}"),
                        _ => "…".to_owned(),
                    };
                    self.at += 2;
                }
                (Tok::Dot, Tok::LBracket) if close.is_some() => {
                    self.at += 1;
                    let end = close.unwrap_or(self.at);
                    value =
                        format!("idx {} {}", self.argument_or(self.at + 1, end, "i"), as_argument(&value));
                    hint = Some(format!("An element is read by its index first: write `{value}`."));
                    self.at = end + 1;
                }
                (Tok::Dot, Tok::LParen) if close.is_some() => {
                    self.at += 1;
                    let args = self.foreign_args();
                    let written = elementwise(&as_argument(&value), &args);
                    hint = Some(match &written {
                        Some(written) => format!("For every element of an array, write `{written}`."),
                        None => "For every element of an array, `map` takes a function; `zip` pairs the elements of two arrays, and \
                                 `select c a b` chooses."
                            .to_owned(),
                    });
                    value = written.unwrap_or_else(|| "…".to_owned());
                }
                (Tok::LBracket, _) if self.touches(0) && self.slice().is_some() => {
                    let Some((slice, close)) = self.slice() else { break };
                    hint = Some(match slice {
                        Some(slice) => {
                            value = slice.replace(ARRAY, &as_argument(&value));
                            format!(
                                "A part of an array is taken by `take`, `drop` and `reverse`: write `{value}`."
                            )
                        }
                        None => {
                            value = "…".into();
                            "A part of an array is taken by `take`, `drop` and `reverse`; places are counted from its first element.".to_owned()
                        }
                    });
                    self.at = close + 1;
                }
                _ => break,
            }
        }
        let Some(hint) = hint else { return false };
        let first = first.unwrap_or(from);
        let alone = first == self.began && matches!(self.peek(), Tok::End | Tok::Comma | Tok::PipeTo);
        let is_argument = first > self.began && self.ends_value(first - 1) || self.at_operand();
        let hint = if is_argument {
            in_parentheses(&hint, |text| text.contains(' '))
        } else if !alone {
            // What reaches further than an operator does would take in what stands beside it.
            elsewhere::in_its_place(&hint)
        } else {
            hint
        };
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

    /// Where the call starts whose last argument starts at a token, or the value that starts there; none where that is
    /// called more than once, `f(x)(y)`, or is an element, `a[0]`.
    fn start_of_call(&self, from: usize) -> Option<usize> {
        let here = self.tokens.get(from)?;
        let Some(before) = from.checked_sub(1).and_then(|i| self.tokens.get(i)) else { return Some(from) };
        let is_bracket = matches!(here.tok, Tok::LParen | Tok::LBracket);
        if !is_bracket || before.end != here.start {
            return Some(from);
        }
        match before.tok {
            Tok::Word if lexer::is_reserved(self.spelling(from - 1)) => Some(from),
            Tok::Word if here.tok == Tok::LParen => Some(from - 1),
            Tok::Word | Tok::RParen | Tok::RBracket => None,
            _ => Some(from),
        }
    }

    /// The arguments in the parentheses at the next token, as text.
    fn foreign_args(&mut self) -> Vec<String> {
        let Some(close) = self.mate(self.at) else { return vec![] };
        let mut args = vec![];
        let (mut from, mut at) = (self.at + 1, self.at + 1);
        while at <= close {
            let tok = self.tokens.get(at).map(|t| t.tok);
            if at == from
                && let Some((names, body)) = self.function_at(from, false, close)
            {
                let end = self.find_in(body, close, |tok, _| tok == Tok::Comma).unwrap_or(close);
                args.push(format!("(\\{}. {})", names.join(" "), self.body_of(body, end)));
                (from, at) = (end + 1, end + 1);
                continue;
            }
            if (at == close || tok == Some(Tok::Comma)) && at > from {
                // `...xs`, `*xs`
                while at > from + 1 && matches!(self.peek_at(from), Tok::Dot | Tok::Star) {
                    from += 1;
                }
                // `&b`
                let from = from
                    + usize::from(
                        self.peek_at(from) == Tok::Foreign && self.spelling(from) == "&" && at > from + 1,
                    );
                let text = self.argument_or(from, self.without_going_through(from, at), "…");
                let is_sign = !text.starts_with('(') && text.chars().all(|c| c.is_ascii_punctuation());
                args.push(if is_sign { format!("({text})") } else { text });
            }
            if at == close || tok == Some(Tok::Comma) {
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

    /// What a function of another language computes, without the braces and words around it.
    fn body_of(&self, body: usize, end: usize) -> String {
        let (mut from, mut to) = (body, end);
        if self.peek_at(from) == Tok::LBrace && self.mate(from) == to.checked_sub(1) {
            (from, to) = (from + 1, to - 1);
        }
        from += usize::from(self.spelling(from) == "return" && to > from + 1);
        to -= usize::from(to > from + 1 && self.peek_at(to - 1) == Tok::Semi);
        let is_plain = self.find_in(from, to, |tok, _| matches!(tok, Tok::Semi | Tok::LBrace)).is_none();
        if is_plain { self.quote_or(from, to, "…") } else { "…".to_owned() }
    }

    /// The end of an argument before `.iter()` and the like, with which it ends.
    fn without_going_through(&self, from: usize, to: usize) -> usize {
        let Some(dot) = to.checked_sub(4).filter(|dot| *dot > from) else { return to };
        let toks: Vec<Tok> = (dot..to).map(|i| self.peek_at(i)).collect();
        let is_call = toks == [Tok::Dot, Tok::Word, Tok::LParen, Tok::RParen];
        if is_call && elsewhere::is_going_through(self.spelling(dot + 1)) { dot } else { to }
    }

    /// What `xs[i:j]` at the bracket stands for, and where the bracket ends.
    fn slice(&self) -> Option<(Option<String>, usize)> {
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
        // Of several dimensions, or counted from the end by a word.
        let first = self.at + 1;
        if let Some(comma) = self.find_in(first, close, |tok, _| tok == Tok::Comma) {
            let is_all = |a: usize, b: usize| b == a + 1 && self.tokens[a].tok == Tok::Colon;
            let one = |a: usize, b: usize| (b == a + 1).then(|| self.spelling(a));
            let more = self.find_in(comma + 1, close, |tok, _| tok == Tok::Comma);
            let written = match (one(first, comma), one(comma + 1, close)) {
                (Some(_), Some("None" | "newaxis")) if is_all(first, comma) => {
                    Some(format!("map (\\v. [v]) {ARRAY}"))
                }
                (Some("None" | "newaxis"), Some(_)) if is_all(comma + 1, close) => Some(format!("[{ARRAY}]")),
                (Some(_), Some(column)) if is_all(first, comma) && more.is_none() => {
                    (column != ":").then(|| format!("map (\\r. idx {column} r) {ARRAY}"))
                }
                (Some(row), Some(_)) if is_all(comma + 1, close) => Some(format!("idx {row} {ARRAY}")),
                _ => None,
            };
            return Some((written, close));
        }
        if (first..close).any(|i| self.spelling(i) == "end") {
            return Some((None, close));
        }
        let text = |i: usize| parts.get(i).filter(|(a, b)| b > a).map(|&(a, b)| self.argument_or(a, b, "i"));
        let minus = |i: usize| {
            parts.get(i).is_some_and(|&(a, _)| self.tokens.get(a).is_some_and(|t| t.tok == Tok::Minus))
        };
        let number = |t: &Option<String>| t.as_ref().and_then(|t| t.parse::<u64>().ok());
        let (lo, hi, step) = (text(0), text(1), text(2));
        let written = match (&lo, &hi, &step) {
            (None, None, Some(_)) if minus(2) => format!("reverse {ARRAY}"),
            (None, None, Some(_)) if number(&step).is_some_and(|by| by > 0) => {
                format!("split {} {ARRAY} |> map (\\c. idx 0 c)", step.as_deref().unwrap_or_default())
            }
            _ if step.is_some() || minus(0) || minus(1) => return Some((None, close)),
            (Some(lo), None, None) => format!("drop {lo} {ARRAY}"),
            (None, Some(hi), None) => format!("take {hi} {ARRAY}"),
            (Some(lo), Some(hi), None) => match (number(&Some(lo.clone())), number(&Some(hi.clone()))) {
                (Some(a), Some(b)) => format!("take {} (drop {lo} {ARRAY})", b.saturating_sub(a)),
                _ => format!("take ({hi} - {lo}) (drop {lo} {ARRAY})"),
            },
            _ => ARRAY.to_string(),
        };
        Some((Some(written), close))
    }

    /// Says so where a function stands as other languages write it, `(x -> e)`, `lambda x: e`, `|x| e`, `(x. e)`, and reads
    /// it to its end. Within parentheses at the next token, or from the next token on.
    pub(in crate::syntax::parse) fn foreign_function(&mut self) -> Option<Expr> {
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
        let found = self.function_at(first, inside, close.unwrap_or(self.limit));
        if let Some(absolute) = self.absolute(first, found.as_ref().map(|(_, body)| *body), inside) {
            return Some(absolute);
        }
        let (names, body) = found?;
        let end = close.unwrap_or(body);
        // `map(x -> e, xs)`: what stands behind the function is given to what stands before the parentheses.
        let is_call = inside && self.touches(0) && first >= 2 && self.tokens[first - 2].tok == Tok::Word;
        let comma = self.find_in(body, end, |tok, _| tok == Tok::Comma).filter(|_| is_call);
        let mut behind = vec![];
        let mut at = comma.map_or(end, |comma| comma + 1);
        while at < end {
            let next = self.find_in(at, end, |tok, _| tok == Tok::Comma).unwrap_or(end);
            behind.push(self.argument_or(at, next, "…"));
            at = next + 1;
        }
        let (body, end) = self.without_braces(body, comma.unwrap_or(end));
        let body = if inside && body < end { self.quote_or(body, end, "…") } else { "…".into() };
        if comma.is_some() && !behind.is_empty() {
            let name = self.spelling(first - 2);
            let function = format!("(\\{}. {body})", names.join(" "));
            let args: Vec<String> = std::iter::once(function.clone()).chain(behind.iter().cloned()).collect();
            let own = elsewhere::written_here(name, &args).filter(|_| Pattern::from_name(name).is_none());
            let own = own.unwrap_or_else(|| format!("Write `{name} {}`.", args.join(" ")));
            let here = self.span_at(first);
            let problem = Diagnostic::error(
                codes::UNEXPECTED,
                "A function starts with `\\`, a `.` stands before its body, and arguments are separated by spaces.",
            )
            .label(here, "not how functions are written here")
            .hint(own);
            self.report(|| problem);
            self.at = close.map_or(self.limit, |close| close + 1);
            return Some(Node::new(here, ExprKind::Error));
        }
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

    /// What `{ return e; }` gives, from the first token to the one behind it; all of it where it is no such block.
    fn without_braces(&self, body: usize, end: usize) -> (usize, usize) {
        let is_block =
            self.peek_at(body) == Tok::LBrace && self.mate(body).is_some_and(|close| close + 1 == end);
        if !is_block {
            return (body, end);
        }
        let (first, last) = (body + 1 + usize::from(self.spelling(body + 1) == "return"), end - 1);
        let semi = self.find_in(first, last, |tok, _| tok == Tok::Semi);
        // What is done before is no value.
        let is_one = semi.is_none_or(|semi| semi + 1 == last);
        if is_one { (first, semi.unwrap_or(last)) } else { (body, end) }
    }

    /// `|x|`, at the first bar, where no body stands behind it, which would start at a token.
    fn absolute(&mut self, first: usize, body: Option<usize>, inside: bool) -> Option<Expr> {
        if self.peek_at(first) != Tok::Bar || inside && self.at == first {
            return None;
        }
        let last =
            self.find_in(first + 1, self.limit, |tok, _| tok == Tok::Bar).filter(|last| *last > first + 1)?;
        // Behind a function there is what it computes.
        let behind = self.peek_at(last + 1);
        let ends = last + 1 >= self.limit
            || matches!(behind, Tok::RParen | Tok::Comma | Tok::RBracket | Tok::PipeTo)
            || super::super::expr::infix_operator(behind).is_some();
        if inside || !ends || body.is_some_and(|body| body != last + 1) {
            return None;
        }
        let (here, value) = (self.span_at(first), self.argument_or(first + 1, last, "x"));
        let problem = Diagnostic::error(codes::UNEXPECTED, "Bars around a value are not its absolute value.")
            .label(here, "a form of other languages")
            .hint(format!("Write `abs {value}`."));
        self.report(|| problem);
        self.at = last + 1;
        self.reported_at = Some(self.at);
        Some(Node::new(here, ExprKind::Error))
    }

    /// The kind of a token.
    fn peek_at(&self, at: usize) -> Tok {
        self.tokens.get(at).map_or(Tok::End, |t| t.tok)
    }

    /// Says so where a name or a function has the sign of one, `@sqrt` and `@(x) x + 1`, and reads it.
    pub(in crate::syntax::parse) fn function_handle(&mut self) -> Option<Expr> {
        if !self.at_function_handle() {
            return None;
        }
        let here = self.nth_span(0);
        let error = || {
            Diagnostic::error(codes::UNEXPECTED, "A function has no sign before it.")
                .label(here, "a sign of other languages")
        };
        if self.nth(1) == Tok::Word {
            let name = self.spelling(self.at + 1).to_owned();
            self.bump();
            self.report(|| error().hint(format!("Write `{name}`, without `@`.")));
            // What it is called here is told as well.
            let span = self.bump();
            return Some(Node::new(span, ExprKind::Name(name.as_str().into())));
        }
        let (names, body) = self.function_at(self.at, false, self.limit)?;
        let end = self.find_in(body, self.limit, |tok, _| tok == Tok::Comma).unwrap_or(self.limit);
        let body = self.quote_or(body, end, "…");
        self.report(|| error().hint(format!("Write `(\\{}. {body})`.", names.join(" "))));
        self.at = end;
        self.reported_at = Some(self.at);
        Some(Node::new(here, ExprKind::Error))
    }

    /// Does `@` come next, and touch the name or the parameters behind it alone?
    pub(in crate::syntax::parse) fn at_function_handle(&self) -> bool {
        let behind_value = self.at.checked_sub(1).is_some_and(|i| self.ends_value(i));
        self.peek() == Tok::At
            && self.in_program()
            && self.touches(1)
            && matches!(self.nth(1), Tok::Word | Tok::LParen)
            && !(behind_value && (self.touches(0) || self.is_parameter_of_data(self.at - 1)))
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
            // `|&x|`
            let is_reference = |i: usize| tok(i) == Tok::Foreign && self.spelling(i) == "&" && is_name(i + 1);
            while (is_name(i) || is_reference(i)) && names.len() < 16 {
                i += usize::from(is_reference(i));
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
        // `@(x) x + 1`
        if tok(at) == Tok::At {
            return bracketed(at + 1).filter(|(_, body)| tok(*body) != Tok::End);
        }
        // `|(x, y)| x * y`
        if tok(at) == Tok::Bar
            && let Some((names, i)) = bracketed(at + 1)
        {
            return (tok(i) == Tok::Bar).then(|| (vec![format!("({})", names.join(", "))], i + 1));
        }
        if tok(at) == Tok::Bar {
            let (names, i) = names(at + 1);
            return (!names.is_empty() && tok(i) == Tok::Bar).then_some((names, i + 1));
        }
        // `(x y => e)`: the names stand before the sign from the parenthesis on.
        if inside
            && is_name(at)
            && let (spaced, i) = names(at)
            && spaced.len() > 1
            && tok(i) == Tok::FatArrow
        {
            return Some((spaced, i + 1));
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
    pub(in crate::syntax::parse) fn body_mark(&mut self, start: usize, said: bool) {
        if self.eat(Tok::Dot) {
            return;
        }
        let (sign, shown) = (self.spelling(self.at).to_string(), self.nth_span(0));
        if !matches!(self.peek(), Tok::Arrow | Tok::FatArrow | Tok::Rewrites | Tok::Colon | Tok::Equals) {
            self.expect(Tok::Dot, "`.` and the body of the function");
            return;
        }
        if self.peek() == Tok::Colon && self.types_of_parameters(start, said) {
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

    /// `\x: f32. e`: reads what stands in the place of `(x: f32).`, up to the body.
    fn types_of_parameters(&mut self, start: usize, said: bool) -> bool {
        let tok = |i: usize| {
            if i < self.limit { self.tokens.get(i).map_or(Tok::End, |t| t.tok) } else { Tok::End }
        };
        let touching =
            |i: usize| self.tokens.get(i).zip(self.tokens.get(i + 1)).is_some_and(|(a, b)| a.end == b.start);
        // A point behind the type of an element, or one that touches nothing behind it, ends the type.
        let ends = |i: usize| match tok(i) {
            Tok::Dot => !touching(i) || Scalar::from_name(self.spelling(i - 1)).is_some(),
            Tok::Arrow | Tok::FatArrow => true,
            _ => false,
        };
        // Each group of names with its type: where its type starts, and where the next names do.
        let (mut groups, mut colons) = (vec![], vec![]);
        let mut i = self.at;
        while i < self.at + MAX_LOOK && tok(i) != Tok::End && !ends(i) {
            if tok(i) == Tok::Colon {
                colons.push(i);
            }
            i = self.mate(i).filter(|_| matches!(tok(i), Tok::LParen | Tok::LBracket)).unwrap_or(i) + 1;
        }
        if !ends(i) || i == self.at + 1 {
            return false;
        }
        let mut from = start;
        for (k, colon) in colons.iter().enumerate() {
            let to = colons.get(k + 1).map_or(i, |next| next - 1);
            let comma = (*colon..to).find(|i| tok(*i) == Tok::Comma);
            let type_end = comma.unwrap_or(to);
            let skip = usize::from(tok(from) == Tok::Lambda);
            let (Some(names), Some(ty)) = (self.quote(from + skip, *colon), self.quote(colon + 1, type_end))
            else {
                return false;
            };
            // The types of the components are those of the pair.
            groups.push(if names.contains(['(', ',']) { names } else { format!("({names}: {ty})") });
            from = comma.map_or(to, |c| c + 1);
        }
        let inside = self.tokens.get(self.limit).is_some_and(|t| matches!(t.tok, Tok::RParen));
        let body = if inside { self.quote_or(i + 1, self.limit, "…") } else { "…".into() };
        let written = format!("\\{}. {body}", groups.join(" "));
        let shown = self.nth_span(0);
        self.at = i + 1;
        if !said {
            self.report(|| {
                Diagnostic::error(codes::UNEXPECTED, "A parameter with its type stands in parentheses.")
                    .label(shown, "a type behind a name alone")
                    .hint(format!("Write `{written}`."))
            });
        }
        true
    }

    /// `(* 2)`, `(2 *)`: an operator with one operand, which is a function in other languages.
    pub(in crate::syntax::parse) fn foreign_section(&mut self) -> Option<Expr> {
        let close = self.mate(self.at).filter(|_| self.in_program())?;
        let is_operator = |i: usize| {
            self.tokens.get(i).is_some_and(|t| {
                super::super::expr::infix_operator(t.tok).is_some()
                    || t.tok == Tok::Foreign && super::signs::operator(self.spelling(i)).is_some()
                    || self.is_power(i)
            })
        };
        let (first, last) = (self.at + 1, close.checked_sub(1)?);
        if last <= first {
            return None;
        }
        let minus = self.tokens.get(first).is_some_and(|t| t.tok == Tok::Minus);
        let before = is_operator(first) && !minus && !is_operator(first + 1);
        let behind = is_operator(last) && !is_operator(first);
        // The body of `(\x. x +)` lacks an operand, but it is a function already.
        let is_function = self.tokens.get(first).is_some_and(|t| t.tok == Tok::Lambda);
        if (!before && !behind) || is_function {
            return None;
        }
        if self.find_in(first, close, |tok, _| tok == Tok::Comma).is_some() {
            return Some(self.operator_among_arguments());
        }
        let used = |v: &str| (first..close).any(|i| self.spelling(i) == v);
        let v = ["x", "y", "v", "w"].into_iter().find(|v| !used(v)).unwrap_or("x1");
        let inside = self.quote_or(first, close, "…");
        let inside = inside.trim_start_matches('.');
        let word = |i: usize| self.spelling(i).strip_prefix('`').and_then(|w| w.strip_suffix('`'));
        let written = if before { word(first) } else { word(last) };
        let hint = if let Some(word) = written {
            let operand = match before {
                true => self.argument_or(first + 1, close, "…"),
                false => self.argument_or(first, last, "…"),
            };
            let (x, y) = if before { (v, operand.as_str()) } else { (operand.as_str(), v) };
            format!("Write `(\\{v}. {})`.", super::signs::in_backquotes(word, x, y))
        } else if before && self.is_power(first) {
            format!("Write `(\\{v}. {})`.", self.power(v, first + 1, close))
        } else if self.is_power(if before { first } else { last }) {
            format!("Write `(\\{v}. pow {} {v})`.", self.argument_or(first, last, "2"))
        } else if before {
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

    /// Is it the sign of a power?
    fn is_power(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.tok == Tok::Caret) || self.spelling(i) == "**"
    }

    /// The power of a value whose exponent stands between two tokens.
    pub(super) fn power(&self, v: &str, from: usize, to: usize) -> String {
        match self.quote(from, to).as_deref() {
            Some(number) if matches!(number, "2" | "3") => elsewhere::product(v, number).unwrap_or_default(),
            Some(number) if number.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') => {
                format!("pow {v} {number}")
            }
            _ => format!("pow {v} {}", self.argument_or(from, to, "2")),
        }
    }

    /// `reduce(+, 0, xs)`, at the bracket.
    fn operator_among_arguments(&mut self) -> Expr {
        let (here, head) = (self.here(), self.at.checked_sub(1).filter(|i| self.tokens[*i].tok == Tok::Word));
        let args = self.foreign_args();
        let mut call: Vec<String> =
            head.map(|i| self.spelling(i).to_string()).into_iter().chain(args).collect();
        // `reduce(+, xs)` lacks the value that it starts from.
        if let [reduce, op, xs] = call.as_slice()
            && Pattern::from_name(reduce).is_some_and(Pattern::is_reduce)
            && xs.starts_with(|c: char| c.is_alphabetic() || c == '(')
            && let Some(start) = elsewhere::start_of(op)
        {
            call.insert(2, start.to_owned());
        }
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
}

/// The place of an array in what is written for a part of it.
pub(super) const ARRAY: &str = "\u{1}";

/// `f.(x, 0)`: a function of each element, where one operand may be a number; none where what is given is none of that.
fn elementwise(f: &str, args: &[String]) -> Option<String> {
    let is_number =
        |text: &String| text.trim_start_matches(['(', '-']).starts_with(|c: char| c.is_ascii_digit());
    match args {
        [x] => Some(format!("map {f} {x}")),
        [x, y] if is_number(y) && !is_number(x) => Some(format!("map (\\v. {f} v {y}) {x}")),
        [x, y] if is_number(x) && !is_number(y) => Some(format!("map (\\v. {f} {x} v) {y}")),
        [x, y] => Some(format!("zip {x} {y} |> map (\\(v, w). {f} v w)")),
        [..] if matches!(f, "ifelse" | "select") => {
            let args: Vec<String> = args.iter().map(|a| a.replace(" .", " ")).collect();
            let hint = elsewhere::where_of_arrays(&args)?;
            Some(hint.strip_prefix("Write `")?.strip_suffix("`.")?.to_owned())
        }
        [..] => None,
    }
}

/// What a text is where it is an argument: in parentheses, unless it is one word or stands in brackets as a whole.
pub(super) fn as_argument(text: &str) -> String {
    let mut depth = 0;
    let mut ends = text.char_indices().filter(|(_, c)| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        depth == 0 && matches!(c, ')' | ']')
    });
    let is_whole = text.starts_with(['(', '[']) && ends.next().is_some_and(|(i, _)| i + 1 == text.len());
    let is_word = !text.contains(|c: char| c.is_whitespace() || matches!(c, '(' | '['));
    if is_whole || is_word { text.to_owned() } else { format!("({text})") }
}

/// A hint with the text that it says to write in parentheses, if that needs them.
fn in_parentheses(hint: &str, needs: impl Fn(&str) -> bool) -> String {
    let Some((before, (text, behind))) =
        hint.split_once("rite `").and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    else {
        return hint.to_owned();
    };
    let text = if needs(text) { as_argument(text) } else { text.to_owned() };
    format!("{before}rite `{text}`{behind}")
}
