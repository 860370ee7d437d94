//! Tokens to trees. Never gives up: where the text has a mistake, the tree has an `Error` node and goes on.
//!
//! Recovery rests on the brackets: the lexer has matched them, so a mistake within a pair ends at its closing
//! bracket, a mistake in an item at the next item, a mistake in a list at the next comma.
//! One mistake is reported once: nothing is said twice at one token.

mod expr;
mod foreign;
mod hints;
mod item;
mod strategy;
mod types;

use std::ops::Range;
use std::sync::Arc;

use super::ast::{
    Expr, ExprKind, File, Ident, Item, ItemKind, Language, Name, Node, Part, Size, Sketch, Strategy,
    StrategyKind, Type, TypeKind,
};
use super::codes;
use super::lexer::{self, Comment, Lexed, Tok, Token};
use crate::MAX_DEPTH;
use crate::diag::{Diagnostic, FileId, Severity, Span, nearest};
use crate::source::{self, MAX_SOURCE};

/// So many problems of one text are reported; a last one says that there are more.
pub const MAX_PROBLEMS: usize = 50;

/// What is expected where rules are listed.
const A_RULE: &str = "the name of a rule";
/// What is expected in the parentheses behind the name of a rule or a sketch.
const A_PARAMETER: &str = "the name of a parameter";
const A_MODULE: &str = "the name of a module";
const END_OF_MODULE: &str = "the end of the name of a module";

/// Deepest tree: a term of [`MAX_DEPTH`] levels, signs and types that are written around it.
const MAX_HEIGHT: usize = MAX_DEPTH + 8;

/// Deepest recursion of the parser: a level of a tree may stand in parentheses.
const MAX_READING: usize = 4 * MAX_HEIGHT;

/// Parses a program (`.rise`): `def`s, `pattern`s, `declare`s.
pub fn parse_program(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    parse(Language::Program, file, text)
}

/// Parses rules (`.rules`): rules with their examples, rule sets, aliases, `declare`s.
pub fn parse_rules(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    parse(Language::Rules, file, text)
}

/// Parses strategies and sketches (`.elevate`), with rule sets and aliases beside them.
pub fn parse_elevate(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    parse(Language::Elevate, file, text)
}

/// Parses a whole text. Problems come in source order.
pub fn parse(language: Language, file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    let (tree, problems, _) = parse_with_comments(language, file, text);
    (tree, problems)
}

/// As [`parse`], with the comments of the text beside the tree.
pub(super) fn parse_with_comments(
    language: Language,
    file: FileId,
    text: &str,
) -> (File, Vec<Diagnostic>, Vec<Comment>) {
    if text.len() > MAX_SOURCE {
        return (File { file, items: Vec::new(), text: "".into() }, vec![too_large()], Vec::new());
    }
    let lexed = lexer::lex(file, text);
    let mut parser = Parser::new(language, file, text, &lexed);
    let items = parser.items();
    let mut problems = std::mem::take(&mut parser.problems);
    problems.extend(lexed.problems.iter().cloned());
    (File { file, items, text: text.into() }, in_order(problems), lexed.comments)
}

/// Parses one definition of a text, with its documentation; none where the text is wrong.
pub fn parse_item(language: Language, file: FileId, text: &str, range: Range<usize>) -> Option<Item> {
    let text = text.get(..range.end)?;
    let lexed = lexer::lex_from(file, text, range.start);
    let mut parser = Parser { from: range.start, ..Parser::new(language, file, text, &lexed) };
    let item = parser.items().into_iter().next()?;
    (lexed.problems.is_empty() && parser.problems.is_empty()).then_some(item)
}

/// Parses an expression of a program, as it may be typed on the screen.
pub fn parse_expr(file: FileId, text: &str) -> (Expr, Vec<Diagnostic>) {
    fragment(Language::Program, file, text, ExprKind::Error, |p| p.expr(), |e| Part::Expr(e))
}

/// Parses a side of a rule: an expression in which `b[e/x]` substitutes.
pub fn parse_rule_side(file: FileId, text: &str) -> (Expr, Vec<Diagnostic>) {
    fragment(Language::Rules, file, text, ExprKind::Error, |p| p.expr(), |e| Part::Expr(e))
}

/// Parses a symbolic size, e.g. `m/32`.
pub fn parse_size(file: FileId, text: &str) -> (Size, Vec<Diagnostic>) {
    fragment(Language::Program, file, text, ExprKind::Error, |p| p.size(), |e| Part::Expr(e))
}

/// Parses a type, type schemes of patterns included.
pub fn parse_type(file: FileId, text: &str) -> (Type, Vec<Diagnostic>) {
    fragment(Language::Program, file, text, TypeKind::Error, |p| p.ty(), |t| Part::Type(t))
}

/// Parses a sketch.
pub fn parse_sketch(file: FileId, text: &str) -> (Sketch, Vec<Diagnostic>) {
    fragment(Language::Elevate, file, text, ExprKind::Error, |p| p.sketch(), |e| Part::Expr(e))
}

/// Parses a strategy; a rule with its arguments, e.g. `splitJoin(32)`, is one too.
pub fn parse_strategy(file: FileId, text: &str) -> (Strategy, Vec<Diagnostic>) {
    fragment(Language::Elevate, file, text, StrategyKind::Error, |p| p.strategy(), |s| Part::Strategy(s))
}

fn too_large() -> Diagnostic {
    source::too_large("this text")
}

fn fragment<T>(
    language: Language,
    file: FileId,
    text: &str,
    error: T,
    read: fn(&mut Parser<'_>) -> Node<T>,
    part: for<'x> fn(&'x Node<T>) -> Part<'x>,
) -> (Node<T>, Vec<Diagnostic>) {
    if text.len() > MAX_SOURCE {
        return (Node::new(Span::new(file, 0, 0), error), vec![too_large()]);
    }
    let lexed = lexer::lex(file, text);
    let mut parser = Parser::new(language, file, text, &lexed);
    let mut node = read(&mut parser);
    parser.expect_end("the end");
    if !parser.is_shallow(vec![(part(&node), 1)]) {
        node.kind = error;
    }
    let mut problems = parser.problems;
    problems.extend(lexed.problems.iter().cloned());
    (node, in_order(problems))
}

/// Sorts problems by place and cuts them off at [`MAX_PROBLEMS`].
fn in_order(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.sort_by_key(|p| p.span().map_or((0, 0), |s| (s.start, s.end)));
    if problems.len() > MAX_PROBLEMS {
        let hidden = problems.len() - MAX_PROBLEMS;
        problems.truncate(MAX_PROBLEMS);
        problems.push(
            Diagnostic::new(Severity::Note, codes::MANY, format!("{hidden} more problems are not shown."))
                .hint("The first ones may have caused the others."),
        );
    }
    problems
}

/// The problem of a tree that is nested too deeply, found without recursion. Types within expressions and sizes within
/// types are counted from anew.
fn too_deep(mut open: Vec<(Part<'_>, usize)>) -> Option<Diagnostic> {
    while let Some((part, depth)) = open.pop() {
        if depth > MAX_HEIGHT {
            return Some(depth_problem(part.span()));
        }
        part.for_each(&mut |below| {
            let same = std::mem::discriminant(&below) == std::mem::discriminant(&part);
            open.push((below, if same { depth + 1 } else { 1 }));
        });
    }
    None
}

fn depth_problem(span: Span) -> Diagnostic {
    Diagnostic::error(codes::DEPTH, format!("This is nested more than {MAX_DEPTH} levels deep."))
        .label(Span { end: span.end.min(span.start + 1), ..span }, "too deep here")
        .hint("Give parts of it names, with `def` or `let`.")
}

/// Reads one text.
pub(super) struct Parser<'a> {
    language: Language,
    file: FileId,
    text: &'a str,
    /// Where in the text it starts to read.
    from: usize,
    tokens: &'a [Token],
    item_starts: &'a [usize],
    /// Index of the next token.
    at: usize,
    /// Where what is being read ends: at the closing bracket, the next item or the end of the text.
    limit: usize,
    /// A token that starts a line in this column or left of it ends the value of a `let`.
    offside: Option<u32>,
    /// Reading a sketch: holes, calls, `or`, `and` and types as arguments are allowed.
    in_sketch: bool,
    depth: usize,
    /// Whether the item is nested too deeply to be read.
    gave_up: bool,
    /// The token at which the last problem was reported.
    reported_at: Option<usize>,
    /// The token at which the expression starts that is being read.
    began: usize,
    /// The token at which the expression starts that was read last.
    finished: usize,
    /// The signs of other languages of which it has been said in this definition what is meant.
    signs: Vec<&'a str>,
    problems: Vec<Diagnostic>,
}

/// What [`Parser::enter`] keeps for [`Parser::leave`].
struct Outside {
    limit: usize,
    offside: Option<u32>,
    close: Option<usize>,
}

impl<'a> Parser<'a> {
    fn new(language: Language, file: FileId, text: &'a str, lexed: &'a Lexed) -> Parser<'a> {
        Parser {
            language,
            file,
            text,
            from: 0,
            tokens: &lexed.tokens,
            item_starts: &lexed.items,
            at: 0,
            limit: lexed.tokens.len(),
            offside: None,
            in_sketch: false,
            depth: 0,
            gave_up: false,
            reported_at: None,
            began: 0,
            finished: 0,
            signs: Vec::new(),
            problems: Vec::new(),
        }
    }

    // --- looking ---

    fn nth(&self, n: usize) -> Tok {
        let index = self.at + n;
        match self.tokens.get(index) {
            Some(t) if index < self.limit && !self.is_offside(t) => t.tok,
            _ => Tok::End,
        }
    }

    fn is_offside(&self, t: &Token) -> bool {
        t.first && self.offside.is_some_and(|column| t.column <= column)
    }

    fn peek(&self) -> Tok {
        self.nth(0)
    }

    fn token(&self) -> Option<&Token> {
        if self.peek() == Tok::End { None } else { self.tokens.get(self.at) }
    }

    fn spelling(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }

    /// The word at the next token, reserved or not.
    fn word(&self) -> Option<&'a str> {
        self.nth_word(0)
    }

    fn nth_word(&self, n: usize) -> Option<&'a str> {
        if self.nth(n) == Tok::Word { Some(self.spelling(self.at + n)) } else { None }
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    /// Whether the `n`th token is a word that can be a name.
    fn nth_is_name(&self, n: usize) -> bool {
        self.nth_word(n).is_some_and(|w| !lexer::is_reserved(w))
    }

    /// Whether nothing stands between the `n`th token and the one before it.
    fn touches(&self, n: usize) -> bool {
        let index = self.at + n;
        match (index.checked_sub(1).and_then(|i| self.tokens.get(i)), self.tokens.get(index)) {
            (Some(before), Some(t)) => before.end == t.start,
            _ => false,
        }
    }

    /// Index of the bracket that closes the one at `index`.
    fn mate(&self, index: usize) -> Option<usize> {
        self.tokens.get(index).and_then(|t| t.mate).map(|m| m as usize)
    }

    /// The span of the next token, empty at an end.
    fn here(&self) -> Span {
        match self.token() {
            Some(t) => Span::new(self.file, t.start, t.end),
            None => match self.at.checked_sub(1).and_then(|i| self.tokens.get(i)) {
                Some(last) => Span::new(self.file, last.end, last.end),
                None => Span::new(self.file, 0, 0),
            },
        }
    }

    /// The span of the last token read.
    fn last(&self) -> Span {
        match self.at.checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some(t) => Span::new(self.file, t.start, t.end),
            None => Span::new(self.file, 0, 0),
        }
    }

    /// From `start` to the last token read.
    fn since(&self, start: Span) -> Span {
        let last = self.last();
        if last.end >= start.start { start.to(last) } else { start }
    }

    // --- reading ---

    fn bump(&mut self) -> Span {
        let span = self.here();
        if self.peek() != Tok::End {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.at += 1;
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, tok: Tok, what: &str) -> bool {
        let found = self.eat(tok);
        if !found {
            self.unexpected(what);
        }
        found
    }

    /// Reads a name, or says that one is missing.
    fn ident(&mut self, what: &str) -> Option<Ident> {
        if let Some(word) = self.word() {
            if !lexer::is_reserved(word) {
                let span = self.bump();
                return Some(Node::new(span, word.into()));
            }
            let here = self.here();
            self.report(|| {
                Diagnostic::error(
                    codes::RESERVED,
                    format!("`{word}` is a reserved word and cannot be a name."),
                )
                .label(here, format!("{what} is needed here"))
                .hint(format!("Choose another name, e.g. `{word}1`."))
            });
            // A reserved word in the place of a name is most likely just that.
            if !lexer::is_item_word(word) {
                let span = self.bump();
                return Some(Node::new(span, word.into()));
            }
            return None;
        }
        let next = self.tokens.get(self.at).filter(|t| self.at == self.limit && !t.first);
        match next.map(|t| Span::new(self.file, t.start, t.end)) {
            // A word that starts a definition, in the middle of a line.
            Some(span) if lexer::is_item_word(self.spelling(self.at)) => {
                let word = self.spelling(self.at);
                self.report(|| reserved(word, span, what));
            }
            _ => self.unexpected(what),
        }
        None
    }

    /// Enters the bracket at the next token: until [`Self::leave`], the text ends at its mate.
    fn enter(&mut self) -> Outside {
        let close = self.mate(self.at);
        let outside = Outside { limit: self.limit, offside: self.offside, close };
        self.at += 1;
        if let Some(close) = close {
            self.limit = close;
            self.offside = None;
        }
        outside
    }

    /// Leaves a bracket; what has not been read in it is a mistake.
    fn leave(&mut self, outside: Outside, expected: &str) {
        if outside.close.is_some() {
            self.expect_end(expected);
        }
        self.limit = outside.limit;
        self.offside = outside.offside;
        if let Some(close) = outside.close {
            self.at = close + 1;
        }
    }

    /// Reports what stands between here and the limit, and skips it.
    fn expect_end(&mut self, expected: &str) {
        if self.at < self.limit {
            self.unexpected(expected);
            self.at = self.limit;
        }
    }

    /// Reads elements separated by commas up to the limit; a broken element ends at the next comma.
    fn list<T>(&mut self, expected: &str, mut element: impl FnMut(&mut Self) -> Option<T>) -> Vec<T> {
        let mut all = Vec::new();
        while self.peek() != Tok::End {
            let before = self.at;
            all.extend(element(self));
            if self.peek() != Tok::Comma && self.peek() != Tok::End {
                self.unexpected(expected);
                self.skip_to(&[Tok::Comma]);
            }
            if !self.eat(Tok::Comma) && self.at == before {
                break;
            }
        }
        all.shrink_to_fit();
        all
    }

    /// Skips to one of these tokens, past whole brackets.
    fn skip_to(&mut self, stop: &[Tok]) {
        while self.peek() != Tok::End && !stop.contains(&self.peek()) {
            match self.mate(self.at) {
                Some(close) if self.peek() != Tok::Word && close > self.at && close < self.limit => {
                    self.at = close + 1
                }
                _ => self.at += 1,
            }
        }
    }

    /// Runs one level deeper, or gives up on this part of the text when that is too deep.
    fn deeper<T>(&mut self, error: T, read: impl FnOnce(&mut Self) -> Node<T>) -> Node<T> {
        if self.depth >= MAX_READING {
            let here = self.here();
            if !self.gave_up {
                self.gave_up = true;
                self.problems.push(depth_problem(here));
            }
            self.at = self.limit.max(self.at);
            self.reported_at = Some(self.at);
            return Node::new(here, error);
        }
        self.depth += 1;
        // A level takes a few kilobytes in an unoptimised build.
        let node = stacker::maybe_grow(64 * 1024, 1024 * 1024, || read(self));
        self.depth -= 1;
        node
    }

    // --- problems ---

    /// Reports a problem at the next token, unless one was reported there already.
    fn report(&mut self, problem: impl FnOnce() -> Diagnostic) {
        if self.reported_at != Some(self.at) {
            self.reported_at = Some(self.at);
            self.problems.push(problem());
        }
    }

    /// Reports that `expected` is missing at the next token.
    fn unexpected(&mut self, expected: &str) {
        if self.peek() == Tok::Foreign {
            let sign = self.at;
            if self.reported_at.replace(sign) != Some(sign) {
                let hint = match self.spelling(sign) {
                    _ if expected == A_MODULE || expected == END_OF_MODULE => hints::MODULES.into(),
                    "&" if expected == "a type" => "An array of n numbers has the type `n.f32`.".into(),
                    spelling => self
                        .strategy_hint(expected)
                        .unwrap_or_else(|| foreign::signs::hint_of(spelling).to_string()),
                };
                self.foreign_sign(sign, hint);
            }
            return;
        }
        let hint = self.strategy_hint(expected).or_else(|| self.hint(expected));
        let (here, found) = (self.here(), self.found());
        self.report(|| {
            let problem =
                Diagnostic::error(codes::UNEXPECTED, format!("Expected {expected}, found {found}."))
                    .label(here, format!("expected {expected}"));
            match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        });
    }

    /// The next token, in words.
    fn found(&self) -> String {
        match self.tokens.get(self.at) {
            None => "the end of the text".to_string(),
            Some(_) if self.peek() != Tok::End => format!("`{}`", shorten(self.spelling(self.at))),
            Some(t) if matches!(t.tok, Tok::RParen | Tok::RBracket | Tok::RBrace) => {
                format!("`{}`", self.spelling(self.at))
            }
            Some(t) if t.tok == Tok::Word && lexer::is_item_word(self.spelling(self.at)) => {
                "the end of the definition".to_string()
            }
            Some(t) if self.is_offside(t) => "the end of the indented lines".to_string(),
            Some(_) => format!("`{}`", shorten(self.spelling(self.at))),
        }
    }
}

fn reserved(word: &str, span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(codes::RESERVED, format!("`{word}` is a reserved word and cannot be a name."))
        .label(span, format!("{what} is needed here"))
        .hint(format!("Choose another name, e.g. `{word}1`."))
}

/// A spelling that fits in a message.
fn shorten(text: &str) -> String {
    if text.chars().count() > 24 { text.chars().take(23).chain(['…']).collect() } else { text.to_string() }
}

fn name(text: &str) -> Name {
    Arc::from(text)
}

impl Parser<'_> {
    /// Reads the whole text as items.
    fn items(&mut self) -> Vec<Item> {
        let end = self.tokens.len();
        let mut items: Vec<Item> = Vec::new();
        let mut starts = self.item_starts;
        let mut first = starts.first().copied().unwrap_or(end);
        // What is imported by a line of another language is imported, so that nothing else is told of it.
        if let Some((path, _)) = self.import_of_names().filter(|(_, import)| *import == first) {
            starts = &starts[1..];
            first = starts.first().copied().unwrap_or(end);
            let span = Span::new(self.file, self.tokens[0].start, self.tokens[first - 1].end);
            items.push(Item { span, doc: vec![], kind: ItemKind::Import(path) });
        }
        if first > 0 {
            self.limit = first;
            self.no_item(first);
        }
        if self.tokens.is_empty() && self.language == Language::Program {
            self.problems.push(
                Diagnostic::error(codes::EMPTY, "There is no definition here.")
                    .label(Span::new(self.file, 0, 0), "no definition in this text")
                    .hint("A program is a `def`, e.g. `def double (x: n.f32) = map (\\v. v + v) x`."),
            );
        }
        let mut doc_from = 0;
        for (i, &start) in starts.iter().enumerate() {
            self.at = start;
            self.limit = starts.get(i + 1).copied().unwrap_or(end);
            self.offside = None;
            self.in_sketch = false;
            self.depth = 0;
            self.signs.clear();
            let limit = self.limit;
            let doc = self.doc(doc_from, start);
            doc_from = limit;
            if self.spelling(start) == "example" {
                self.example(doc, &mut items);
                continue;
            }
            let from = self.here();
            let kind = self.item();
            let mut item = Item { span: self.since(from), doc, kind };
            self.check_depth(&mut item);
            items.push(item);
        }
        items
    }

    /// What stands before the first item.
    fn no_item(&mut self, first: usize) {
        let span = Span::new(self.file, self.tokens[0].start, self.tokens[first - 1].end);
        let word = if self.peek() == Tok::Word { self.spelling(0) } else { "" };
        let allowed = item::words_of(self.language);
        let problem = Diagnostic::error(
            codes::NOT_AN_ITEM,
            format!("Expected a definition, found `{}`.", shorten(self.spelling(0))),
        )
        .label(
            Span { end: span.end.min(span.start.saturating_add(self.spelling(0).len() as u32)), ..span },
            "no definition starts here",
        )
        .note(format!("A definition starts with {}.", one_of(allowed)));
        self.problems.push(match nearest(word, allowed.iter().copied()) {
            Some(near) => problem.hint(format!("Did you mean `{near}`?")),
            None if allowed.contains(&"def") => problem.hint(self.definition_hint(first)),
            None => problem.hint("Is one of these words missing before it?"),
        });
    }

    /// Puts an error in the place of an item that is nested too deeply.
    fn check_depth(&mut self, item: &mut Item) {
        let mut open = Vec::new();
        item.for_each_part(&mut |part| open.push((part, 1)));
        if !self.is_shallow(open) {
            item.kind = ItemKind::Error;
        }
    }

    /// Whether the trees are nested no deeper than they may be; reports it once if they are not.
    fn is_shallow(&mut self, trees: Vec<(Part<'_>, usize)>) -> bool {
        if !self.gave_up {
            let problem = too_deep(trees);
            self.gave_up = problem.is_some();
            self.problems.extend(problem);
        }
        !std::mem::take(&mut self.gave_up)
    }
}

/// "`a`, `b` or `c`"
fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.join(""),
    }
}
