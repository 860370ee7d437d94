//! Definitions, parameters and types as other languages write them.

use crate::diag::Diagnostic;
use crate::syntax::ast::{Expr, Ident, Node};
use crate::syntax::codes;
use crate::syntax::elsewhere;
use crate::syntax::lexer::{self, Tok};
use crate::syntax::parse::Parser;
use crate::ty::Scalar;

impl Parser<'_> {
    /// `a: n,m.f32`: one name whose sizes have commas between them.
    fn sizes_apart(parts: &[String]) -> Option<String> {
        let [first, more @ ..] = parts else { return None };
        let (name, size) = first.split_once(':')?;
        let (last, sizes) = more.split_last()?;
        let is_size = |t: &str| {
            t.chars().all(|c| c.is_alphanumeric() || c == '_') && elsewhere::scalar_here(t).is_none()
        };
        let element = last.rsplit_once('.').filter(|(_, t)| elsewhere::scalar_here(t).is_some());
        let all = is_size(size.trim()) && sizes.iter().all(|s| is_size(s)) && !last.contains(':');
        element.filter(|_| all)?;
        Some(format!("({}: {}.{})", name.trim(), size.trim(), more.join(".")))
    }

    /// The parameters with commas between them from a token to the end of the bracket, each in parentheses.
    pub(in crate::syntax::parse) fn parameters_apart(&self, from: usize) -> String {
        let (mut parts, mut at) = (vec![], from);
        while at < self.limit && parts.len() < 8 {
            let end = self.find(at, |tok, _| tok == Tok::Comma).unwrap_or(self.limit);
            parts.push(self.quote_or(at, end, "x: f32"));
            at = end + 1;
        }
        if let Some(sizes) = Self::sizes_apart(&parts) {
            return sizes;
        }
        // Some languages have types alone.
        let mut letters = ('a'..='z')
            .filter(|l| !parts.iter().any(|p| p.trim_start().starts_with(&format!("{l}:"))))
            .collect::<Vec<_>>()
            .into_iter();
        for part in &mut parts {
            if part.contains('.') && !part.contains([':', ' ']) {
                *part = format!("{}: {part}", letters.next().unwrap_or('x'));
            }
        }
        // Those without a type have that of the next one that has any.
        let mut ty = "f32".to_string();
        for part in parts.iter_mut().rev() {
            let (name, written) = match part.split_once(':') {
                Some((name, t)) => (name, Some(t.trim_start_matches(':'))),
                None => part.split_once(' ').map_or((part.as_str(), None), |(name, t)| (name, Some(t))),
            };
            // Some languages have the type first.
            let is_type = |t: &str| elsewhere::scalar_here(t).is_some();
            let (name, written) = match written {
                Some(other) if is_type(name.trim()) && !is_type(other.trim()) => (other, Some(name)),
                _ => (name, written),
            };
            let written = written.map(|t| elsewhere::type_here(t.trim()).unwrap_or(t));
            if let Some(written) = written {
                ty = written.trim().to_string();
            }
            *part = format!("{}: {ty}", name.trim());
        }
        parts.iter().map(|p| format!("({p})")).collect::<Vec<_>>().join(" ")
    }

    /// The components from a token to the end of the bracket, as pairs of pairs.
    pub(in crate::syntax::parse) fn nested_pair(&self, from: usize) -> Option<String> {
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
    pub(in crate::syntax::parse) fn foreign_array(&mut self, from: usize) -> bool {
        if !self.in_program() || self.spelling(from) == "return" {
            return false;
        }
        let more = match self.peek() {
            Tok::LBracket => self.mate(self.at).is_some() && (self.at == from || self.touches(0)),
            Tok::LBrace => self.at > from && self.touches(0),
            Tok::Word => {
                let is_condition = matches!(self.word(), Some("requires" | "where" | "with" | "such"));
                let is_first = self.tokens.get(self.at).is_none_or(|t| t.first);
                // A definition without a `=` has its body here.
                let in_brackets = self.mate(self.limit).is_some();
                let has_body = in_brackets || self.find(self.at, |tok, _| tok == Tok::Equals).is_some();
                self.at > from && self.nth_is_name(0) && !is_first && !is_condition && has_body
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
        // What is written as it should be stays.
        let mut first = from;
        while first >= 2
            && self.tokens[first - 1].tok == Tok::Dot
            && matches!(self.tokens[first - 2].tok, Tok::Word | Tok::Number)
        {
            first -= 2;
            words.insert(0, self.spelling(first).to_string());
        }
        // One of them says of what the array is, others of how many.
        let is_element = |w: &String| elsewhere::scalar_here(w).is_some();
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
        // `n x m f32`, as it is spoken.
        if words.len() > 1 {
            words.retain(|w| !matches!(&**w, "x" | "by"));
        }
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
    pub(in crate::syntax::parse) fn foreign_let_end(&mut self, named: usize, value: usize) {
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

    /// A reserved word in the place of a parameter, `(in: f32)` or `in =`: what stands for the definition's body.
    pub(in crate::syntax::parse) fn reserved_parameter(&mut self) -> Option<Expr> {
        if !self.in_program() {
            return None;
        }
        let is_word = |i: &usize| self.tokens.get(*i).is_some_and(|t| t.tok == Tok::Word);
        let close = self.mate(self.at).filter(|_| self.peek() == Tok::LParen);
        let mut words = (self.at + 1..close.unwrap_or(self.at)).take_while(is_word);
        let is_bare = self.is_reserved_name(self.at) && matches!(self.nth(1), Tok::Equals | Tok::Colon);
        let bare = is_bare.then_some(self.at);
        self.at = bare.or_else(|| words.find(|i| self.is_reserved_name(*i)))?;
        Some(self.reserved_name())
    }

    /// What stands between the name of a definition and its `=` that is no parameter: `(x, y)`, `<n>`, `[n]`, `{ e }`, `:: t`.
    pub(in crate::syntax::parse) fn foreign_head(&mut self, name: &str) -> bool {
        if !self.in_program() {
            return false;
        }
        let close = self.mate(self.at);
        let (message, hint) = match (self.peek(), close) {
            (Tok::LParen, Some(close)) if !self.at_binder() => {
                let limit = std::mem::replace(&mut self.limit, close);
                // `(float* x)`
                let is_c = self.tokens.get(self.at + 1).is_some_and(|t| t.tok == Tok::Word)
                    && elsewhere::type_here(self.spelling(self.at + 1)).is_some();
                let params = match is_c {
                    true => self.typed_parameters(self.at + 1, close),
                    false => self.parameters_apart(self.at + 1),
                };
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
            (Tok::LBrace, Some(close)) if self.declares(close) => (
                "What is declared in braces says whether it is a size or a type.",
                format!(
                    "Write `{{{}: nat}}` for a size, `data` in the place of `nat` for a type. A size that stands in the type of a \
                     parameter need not be declared.",
                    self.words(self.at + 1..close).join(" ")
                ),
            ),
            (Tok::LBrace, Some(close)) if self.nth_word(1).is_none() || self.nth(2) != Tok::Colon => {
                let body = self.quote_or(self.at + 1, close, "…");
                (super::super::hints::BLOCK, format!("Write `= {body}`."))
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

    /// Is the token a word that is reserved, where it begins no definition?
    pub(in crate::syntax::parse) fn is_reserved_name(&self, at: usize) -> bool {
        let is_word = self.tokens.get(at).is_some_and(|t| t.tok == Tok::Word) && at < self.limit;
        is_word && lexer::is_reserved(self.spelling(at)) && !lexer::is_item_word(self.spelling(at))
    }

    /// Says that the next word is reserved, which stands in the place of a name, and ends what is being read: where it is used
    /// again, it would be told once more.
    pub(in crate::syntax::parse) fn reserved_name(&mut self) -> Expr {
        let (word, here) = (self.spelling(self.at).to_owned(), self.here());
        self.give_up(
            Diagnostic::error(codes::RESERVED, format!("`{word}` is a reserved word and cannot be a name."))
                .label(here, "a name is needed here")
                .hint(format!("Choose another name, e.g. `{word}1`.")),
        )
    }

    /// Do the braces at the next token declare names, without saying of what kind they are: are there only names in them,
    /// and more of the definition's head behind them?
    fn declares(&self, close: usize) -> bool {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        let is_name = |i: usize| matches!(tok(i), Some(Tok::Word | Tok::Comma));
        close > self.at + 1
            && (self.at + 1..close).all(is_name)
            && close + 1 < self.limit
            && matches!(tok(close + 1), Some(Tok::LParen | Tok::LBrace | Tok::Equals | Tok::Colon))
    }

    /// The words among these tokens.
    fn words(&self, tokens: std::ops::Range<usize>) -> Vec<&str> {
        let is_word = |i: &usize| self.tokens.get(*i).is_some_and(|t| t.tok == Tok::Word);
        tokens.filter(is_word).map(|i| self.spelling(i)).collect()
    }

    /// What to write for text before the first definition, which starts at the next token.
    pub(in crate::syntax::parse) fn definition_hint(&self, first: usize) -> String {
        const WORDS: [&str; 20] = [
            "Func",
            "ImageParam",
            "fn",
            "fun",
            "func",
            "function",
            "let",
            "entry",
            "proc",
            "val",
            "var",
            "void",
            "float",
            "double",
            "int",
            "kernel",
            "const",
            "static",
            "define",
            "constexpr",
        ];
        if let Some((path, _)) = self.import_of_names() {
            let path: Vec<&str> = path.iter().map(|part| &*part.kind).collect();
            return format!("A module is imported as a whole: write `import {}`.", path.join("."));
        }
        if matches!(self.spelling(0), "use" | "using" | "include" | "require" | "from" | "module" | "open") {
            return super::super::hints::MODULES.into();
        }
        let is_word = |i: usize| i < first && self.tokens.get(i).is_some_and(|t| t.tok == Tok::Word);
        if matches!(self.spelling(0), "for" | "while" | "loop" | "forall" | "foreach" | "do") {
            return "What is done for every element is a `map` in a definition: `def name (x: n.f32) = map (\\v. v * 2) x`.".into();
        }
        // `function y = f(x)`
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        if self.spelling(0) == "function"
            && let Some(equals) = (1..first.min(12)).find(|i| tok(*i) == Some(Tok::Equals))
            && is_word(equals + 1)
            && tok(equals + 2) == Some(Tok::LParen)
            && let Some(close) = self.mate(equals + 2)
        {
            let params = self.typed_parameters(equals + 3, close);
            return format!("Write `def {} {params}= …`.", self.spelling(equals + 1));
        }
        if self.spelling(0) == "Var" {
            return "The variables of loops are not declared: a function names its values, as in `def f (x: n.f32) = map (\\v. v * 2) x`.".into();
        }
        // `float f(float x)`: what stands right before the bracket has the name, unless that is a part of a value.
        let is = |i: &usize, tok: Tok| self.tokens.get(*i).is_some_and(|t| t.tok == tok);
        let mut head = (1..first.min(8)).take_while(|i| !is(i, Tok::Equals));
        let open = head.find(|i| is(i, Tok::LParen));
        if let Some((open, close)) = open.and_then(|open| Some((open, self.mate(open)?)))
            && is_word(open - 1)
        {
            return format!(
                "Write `def {} {}= …`.",
                self.spelling(open - 1),
                self.typed_parameters(open + 1, close)
            );
        }
        if matches!(self.spelling(0), "type" | "typedef" | "using") && is_word(1) {
            return "Types have no names of their own: write the type where it is meant, as in `def f (x: n.f32) = …`."
                .into();
        }
        if self.tokens.get(1).is_some_and(|t| t.tok == Tok::Cons) && is_word(0) {
            return format!(
                "Types stand with the parameters, and that of the result behind them: `def {} (a: n.f32): n.f32 = …`.",
                self.spelling(0)
            );
        }
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

    /// `from lib.a import b` at the start of the text: the path of the module, and the token of `import`.
    pub(in crate::syntax::parse) fn import_of_names(&self) -> Option<(Vec<Ident>, usize)> {
        let tok = |i: usize| self.tokens.get(i).map(|t| t.tok);
        let mut path = vec![];
        let mut at = 0;
        while at == 0 && self.spelling(0) == "from" || at > 0 && tok(at) == Some(Tok::Dot) {
            at += 1;
            let word =
                (tok(at) == Some(Tok::Word)).then(|| Node::new(self.span_at(at), self.spelling(at).into()));
            path.push(word?);
            at += 1;
        }
        (!path.is_empty() && self.spelling(at) == "import").then_some((path, at))
    }

    /// The parameters of a function of another language between two tokens, as they are written here, each with a space
    /// behind it.
    fn typed_parameters(&self, from: usize, to: usize) -> String {
        let (mut out, mut at) = (String::new(), from);
        while at < to && out.len() < 200 {
            let comma = (at..to).find(|i| self.tokens.get(*i).is_some_and(|t| t.tok == Tok::Comma));
            let end = comma.unwrap_or(to);
            let tok = |i: usize| self.tokens.get(i).map_or(Tok::End, |t| t.tok);
            let words = (at..end).filter(|i| tok(*i) == Tok::Word);
            let colon = (at..end).find(|i| tok(*i) == Tok::Colon);
            let scalar = elsewhere::scalar_here;
            let element = words.clone().find_map(|i| scalar(self.spelling(i)));
            let named = match colon {
                Some(colon) => words.clone().take_while(|i| *i < colon).last(),
                None => words.clone().rfind(|i| scalar(self.spelling(*i)).is_none()),
            };
            let plain = |i: usize| matches!(tok(i), Tok::Word | Tok::Colon);
            // A name alone may be a number as well.
            let is_array = element.is_none() && words.count() > 1 || !(at..end).all(plain);
            // What is a type here stays as it is.
            let is_ours = |i: usize| matches!(tok(i), Tok::Word | Tok::Number | Tok::Dot);
            let own = colon.filter(|colon| {
                (colon + 1..end).all(is_ours) && Scalar::from_name(self.spelling(end - 1)).is_some()
            });
            if let (Some(named), Some(colon)) = (named, own) {
                let written = self.quote_or(colon + 1, end, "f32");
                out.push_str(&format!("({}: {written}) ", self.spelling(named)));
            } else if let Some(named) = named {
                let sizes = if is_array { "n." } else { "" };
                out.push_str(&format!("({}: {sizes}{}) ", self.spelling(named), element.unwrap_or("f32")));
            }
            at = end + 1;
        }
        out
    }
}
