//! Text to tokens, for all four languages, in ASCII or Unicode spelling.
//!
//! In: a text. Out: its tokens with byte offsets, its comments, and problems with characters.
//! Holds: brackets that have no partner are reported here, once; closing ones are then left out, opening ones have
//! no mate. Tokens are cut into items at the reserved words that start one, so no mistake spreads over its item.
//!
//! Integers and `.` are tokens of their own: whether `3.3` is a number or the start of `3.3.f32` the parser knows. Which
//! characters belong together, [`scan`](super::scan) says.

use super::codes;
use super::scan::Scanner;
pub use super::scan::Tok;
use crate::diag::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
    /// Characters before it on its line.
    pub column: u32,
    /// Whether it is the first token on its line.
    pub first: bool,
    /// Index of the matching bracket; of the `in` of a surface `let`.
    pub mate: Option<u32>,
}

/// A comment, from `--` to the end of its line.
#[derive(Clone, Copy, Debug)]
pub struct Comment {
    pub start: u32,
    pub end: u32,
    /// Whether nothing stands before it on its line.
    pub own_line: bool,
}

/// A text cut into tokens.
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    /// Index of the first token of each item: reserved words that start one.
    pub items: Vec<usize>,
    pub problems: Vec<Diagnostic>,
}

/// Words that start an item, with what it is.
pub const ITEM_WORDS: [&str; 11] = [
    "def", "pattern", "foreign", "declare", "rule", "rules", "example", "alias", "strategy", "sketch",
    "import",
];

/// Words that name nothing. `let` may stand for the pattern of that name, `div` between sizes is an operator.
const OTHER_WORDS: [&str; 11] =
    ["in", "where", "or", "and", "notin", "divides", "reach", "satisfies", "using", "with", "else"];

pub fn is_item_word(word: &str) -> bool {
    ITEM_WORDS.contains(&word)
}

pub fn is_reserved(word: &str) -> bool {
    is_item_word(word) || OTHER_WORDS.contains(&word)
}

/// Cuts a text of at most [`MAX_SOURCE`](crate::source::MAX_SOURCE) bytes into tokens.
pub fn lex(file: FileId, text: &str) -> Lexed {
    lex_from(file, text, 0)
}

/// Cuts a text into tokens from a place at the start of a line on.
pub fn lex_from(file: FileId, text: &str, from: usize) -> Lexed {
    let mut lexed =
        Lexed { tokens: Vec::new(), comments: Vec::new(), items: Vec::new(), problems: Vec::new() };
    let mut lexer = Scanner::new(text, from);
    let mut columns = Columns { text, at: from, column: 0, first: true };
    // Characters that start no token, gathered while they touch.
    let mut unknown: Option<(usize, usize)> = None;
    while let Some(result) = lexer.next() {
        let span = lexer.span();
        let (column, first) = columns.advance(span.start);
        if let (Err(()), Some((_, end))) = (&result, &mut unknown)
            && *end == span.start
        {
            *end = span.end;
            continue;
        }
        if let Some(range) = unknown.take() {
            lexed.problems.push(unknown_characters(file, text, range));
        }
        if result.is_err()
            && let Some((c, meant)) = meant_by(&text[span.start..])
        {
            let shown = (span.start, span.start + c.len_utf8());
            lexed.problems.push(unknown_characters(file, text, shown));
            if meant == Tok::Word {
                lexer.bump(word_length(&text[span.end..]));
            }
            let (start, end) = (span.start as u32, lexer.span().end as u32);
            match lexed.tokens.last_mut() {
                Some(before) if meant == Tok::Word && before.tok == Tok::Word && before.end == start => {
                    before.end = end;
                }
                _ => lexed.tokens.push(Token { tok: meant, start, end, column, first, mate: None }),
            }
            columns.first = false;
            continue;
        }
        if let Some((length, mark)) = foreign_comment(&text[span.start..], first) {
            let end = span.start + length;
            let shown = Span::new(file, span.start as u32, (span.start + mark.len()) as u32);
            lexed.problems.push(comment_problem(shown, &text[span.start..end], mark));
            lexer.bump(end - span.end);
            continue;
        }
        let (start, end) = (span.start as u32, span.end as u32);
        match result {
            Err(()) => unknown = Some((span.start, span.end)),
            Ok(Tok::Comment) => {
                let end = start + text[span].trim_end().len() as u32;
                lexed.comments.push(Comment { start, end, own_line: first });
            }
            Ok(tok) => {
                // In `foreign def` the first word starts the item.
                let foreign =
                    lexed.tokens.last().is_some_and(|t| &text[t.start as usize..t.end as usize] == "foreign");
                if tok == Tok::Word && is_item_word(&text[span]) && !foreign {
                    lexed.items.push(lexed.tokens.len());
                }
                lexed.tokens.push(Token { tok, start, end, column, first, mate: None });
                columns.first = false;
            }
        }
    }
    if let Some(range) = unknown {
        lexed.problems.push(unknown_characters(file, text, range));
    }
    match_brackets(file, text, &mut lexed);
    lexed
}

/// The comment of another language that the text starts with: how far it reaches, and what it starts with.
fn foreign_comment(text: &str, first: bool) -> Option<(usize, &'static str)> {
    // Most tokens are told from a comment by their first character.
    if !text.starts_with(['#', '/', '{', '"']) {
        return None;
    }
    let below_zero = text.get(2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let marks = [
        ("#", "\n", true),
        ("//", "\n", first),
        ("/*", "*/", true),
        ("{-", "-}", !below_zero),
        ("\"\"\"", "\"\"\"", first),
    ];
    let (start, end, _) = marks.into_iter().find(|(start, _, here)| *here && text.starts_with(start))?;
    let inside = &text[start.len()..];
    // What closes a bracket is no part of a comment.
    let line = inside.split('\n').next().unwrap_or("");
    let depth = |depth: Option<u32>, c: char| match c {
        '(' | '[' | '{' => depth.map(|d| d + 1),
        ')' | ']' | '}' => depth.and_then(|d| d.checked_sub(1)),
        _ => depth,
    };
    if start == "#" && !first && line.chars().fold(Some(0), depth).is_none() {
        return None;
    }
    let length = inside.find(end).map_or(inside.len(), |at| if end == "\n" { at } else { at + end.len() });
    Some((start.len() + length, start))
}

fn comment_problem(span: Span, text: &str, start: &str) -> Diagnostic {
    let inside =
        text.trim_matches(|c: char| start.contains(c) || c.is_whitespace() || matches!(c, '}' | '*'));
    let hint = match inside {
        "" => "Comments start with `--`.".to_string(),
        _ if inside.contains('\n') => {
            "Every line of a comment starts with `--`; the description of a definition with `--|`."
                .to_string()
        }
        _ => format!("Comments start with `--`: `-- {}`.", inside.chars().take(40).collect::<String>()),
    };
    Diagnostic::error(codes::UNKNOWN_CHARACTER, format!("`{start}` starts no comment here."))
        .label(span, "a comment of other languages")
        .hint(hint)
}

/// Characters that look like others, with those.
const LOOKALIKES: [(char, &str, Tok); 23] = [
    ('–', "-", Tok::Minus),
    ('—', "-", Tok::Minus),
    ('（', "(", Tok::LParen),
    ('）', ")", Tok::RParen),
    ('［', "[", Tok::LBracket),
    ('］', "]", Tok::RBracket),
    ('｛', "{", Tok::LBrace),
    ('｝', "}", Tok::RBrace),
    ('，', ",", Tok::Comma),
    ('：', ":", Tok::Colon),
    ('．', ".", Tok::Dot),
    ('＝', "=", Tok::Equals),
    ('＋', "+", Tok::Plus),
    ('＊', "*", Tok::Star),
    ('∗', "*", Tok::Star),
    ('⋅', "*", Tok::Star),
    ('∙', "*", Tok::Star),
    ('•', "*", Tok::Star),
    ('‐', "-", Tok::Minus),
    ('‑', "-", Tok::Minus),
    ('∕', "/", Tok::Slash),
    ('⁄', "/", Tok::Slash),
    ('。', ".", Tok::Dot),
];

/// Letters of other alphabets that look like those of names, with those.
const LETTERS: [(&str, &str); 2] =
    [("аеорсухіАВЕКМНОРСТХІ", "aeopcyxiABEKMHOPCTXI"), ("οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oABEZHIKMNOPTYX")];

/// Where the decimal digits of other scripts begin, each with ten in a row.
const ZEROS: [u32; 12] =
    [0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x2080];

/// The ASCII character that another one is mistaken for.
fn ascii_like(c: char) -> Option<char> {
    let code = u32::from(c);
    let digit = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code)).map(|zero| code - zero);
    if let Some(digit) = digit {
        return char::from_digit(digit, 10);
    }
    // The full width of each visible character of ASCII.
    if let 0xFF01..=0xFF5E = code {
        return char::from_u32(code - 0xFEE0);
    }
    if let Some((_, like, _)) = LOOKALIKES.iter().find(|(like, ..)| *like == c) {
        return like.chars().next();
    }
    let letter = |(from, to): &(&str, &str)| to.chars().nth(from.chars().position(|l| l == c)?);
    LETTERS.iter().find_map(letter)
}

/// The character that the text starts with and that no token does, and the token that is taken for it so that one
/// mistake is one problem.
fn meant_by(text: &str) -> Option<(char, Tok)> {
    let c = text.chars().next()?;
    let meant = LOOKALIKES.iter().find(|(like, ..)| *like == c).map(|(.., tok)| *tok);
    let is_of_words = c.is_alphabetic() || ascii_like(c).is_some_and(|c| c.is_ascii_alphanumeric());
    Some((c, meant.or(is_of_words.then_some(Tok::Word))?))
}

/// How many bytes of the text go on with a word.
fn word_length(text: &str) -> usize {
    let part = |c: char| !matches!(c, 'λ' | 'Λ') && (c.is_alphanumeric() || matches!(c, '_' | '\''));
    text.find(|c| !part(c)).unwrap_or(text.len())
}

/// Where the lexer is on its line.
struct Columns<'a> {
    text: &'a str,
    at: usize,
    column: u32,
    first: bool,
}

impl Columns<'_> {
    fn advance(&mut self, to: usize) -> (u32, bool) {
        for c in self.text[self.at..to].chars() {
            if c == '\n' {
                self.column = 0;
                self.first = true;
            } else {
                self.column += 1;
            }
        }
        self.at = to;
        (self.column, self.first)
    }
}

fn unknown_characters(file: FileId, text: &str, (start, end): (usize, usize)) -> Diagnostic {
    let shown: String = text[start..end].chars().take(12).collect();
    // What cannot be seen is said by its number.
    let written = |c: char| {
        if c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
        {
            format!("U+{:04X}", u32::from(c))
        } else {
            c.to_string()
        }
    };
    let message = match shown.chars().count() {
        1 => {
            format!("The character `{}` means nothing here.", shown.chars().map(written).collect::<String>())
        }
        _ => format!(
            "The characters `{}` mean nothing here.",
            shown.chars().map(written).collect::<Vec<_>>().join("")
        ),
    };
    let problem = Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
        .label(Span::new(file, start as u32, end as u32), "not part of the language");
    let Some(c) = shown.chars().next() else { return problem };
    let hint = match c {
        '#' => "Comments start with `--`; the rest of a division is `x % y`.",
        '"' | '\'' | '`' | '“' | '”' | '‘' | '’' => {
            "Text in double quotes is the C text of a `foreign def`, or what a strategy says that fails: `s else \"…\"`."
        }
        '∘' => "Functions are composed from left to right: `f >> g` applies `f` first.",
        '²' | '³' => "Write a product: `x * x`.",
        c if c.is_whitespace() => "It looks like a space and is none: type a space instead.",
        c if written(c).len() > c.len_utf8() => "It cannot be seen: remove it.",
        c => match ascii_like(c) {
            Some(ascii) => {
                return problem.hint(format!("It looks like `{ascii}` and is none: write `{ascii}`."));
            }
            None if c.is_alphabetic() => "Names are made of a-z, A-Z, 0-9, `_` and `'`.",
            None => "Remove it, or write what is meant with the signs of the language.",
        },
    };
    problem.hint(hint)
}

/// At most this many brackets that never close are reported for one item.
const MAX_UNCLOSED: usize = 2;

/// Gives brackets their mates, and surface `let`s their `in`; drops closing brackets that close nothing.
fn match_brackets(file: FileId, text: &str, lexed: &mut Lexed) {
    let mut open: Vec<usize> = Vec::new();
    let mut counts = [0usize; 3];
    let mut stray: Vec<usize> = Vec::new();
    let items = lexed.items.clone();
    let mut next_item = items.iter().copied().peekable();
    let word = |t: &Token| if t.tok == Tok::Word { &text[t.start as usize..t.end as usize] } else { "" };
    let total = lexed.tokens.len();
    for i in 0..=total {
        let at_item = next_item.peek() == Some(&i);
        if at_item || i == total {
            if at_item {
                next_item.next();
            }
            report_unclosed(file, text, lexed, &mut open, i, 0);
            counts = [0; 3];
        }
        let Some(token) = lexed.tokens.get(i).copied() else { break };
        match token.tok {
            Tok::LParen | Tok::LBracket | Tok::LBrace => {
                counts[bracket_kind(token.tok)] += 1;
                open.push(i);
            }
            Tok::RParen | Tok::RBracket | Tok::RBrace => {
                let kind = bracket_kind(token.tok);
                if counts[kind] == 0 {
                    stray.push(i);
                    continue;
                }
                // What was opened since then and is not of this kind is never closed.
                let mut below = open.len();
                while below > 0 {
                    below -= 1;
                    let tok = lexed.tokens[open[below]].tok;
                    if tok != Tok::Word {
                        counts[bracket_kind(tok)] -= 1;
                        if bracket_kind(tok) == kind {
                            break;
                        }
                    }
                }
                let opener = open[below];
                report_unclosed(file, text, lexed, &mut open, i, below + 1);
                open.truncate(below);
                lexed.tokens[opener].mate = Some(i as u32);
                lexed.tokens[i].mate = Some(opener as u32);
            }
            Tok::Word if word(&token) == "let" => {
                let next = |k: usize| lexed.tokens.get(i + k);
                let named = next(1).is_some_and(|t| t.tok == Tok::Word && !is_reserved(word(t)));
                let behind = if named { 2 } else { 1 + pair_length(text, &lexed.tokens[i + 1..]) };
                if behind > 1 && next(behind).is_some_and(|t| t.tok == Tok::Equals) {
                    open.push(i);
                }
            }
            // `?tile in {4, 8}` says what is left open.
            Tok::Word if word(&token) == "in" && is_behind_hole(&lexed.tokens, i) => {}
            Tok::Word if word(&token) == "in" => {
                if let Some(&opener) = open.last()
                    && lexed.tokens[opener].tok == Tok::Word
                {
                    open.pop();
                    lexed.tokens[opener].mate = Some(i as u32);
                }
            }
            _ => {}
        }
    }
    drop_stray(file, text, lexed, &stray);
}

/// Stands the token between a `?` and a brace?
fn is_behind_hole(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|i| tokens.get(i));
    before.is_some_and(|t| t.tok == Tok::Hole) && tokens.get(at + 1).is_some_and(|t| t.tok == Tok::LBrace)
}

/// How many tokens the pair `(a, (b, c))` at the front has, which may have mistakes; none where there are no parentheses.
fn pair_length(text: &str, tokens: &[Token]) -> usize {
    // No two `let`s look at the same tokens: a `let` that starts one of its own ends the search.
    let is_name = |i: usize| {
        let word = &text[tokens[i].start as usize..tokens[i].end as usize];
        let ends = |t: &Token| matches!(t.tok, Tok::Comma | Tok::RParen);
        !is_reserved(word) && (word != "let" || tokens.get(i + 1).is_some_and(ends))
    };
    let mut depth = 0;
    for (i, t) in tokens.iter().enumerate() {
        match t.tok {
            Tok::LParen => depth += 1,
            Tok::RParen if depth == 1 => return i + 1,
            Tok::RParen if depth > 1 => depth -= 1,
            Tok::Word if !is_name(i) => return 0,
            _ if depth > 0 => {}
            _ => return 0,
        }
    }
    0
}

fn bracket_kind(tok: Tok) -> usize {
    match tok {
        Tok::LParen | Tok::RParen => 0,
        Tok::LBracket | Tok::RBracket => 1,
        _ => 2,
    }
}

/// Reports the brackets `open[from..]`, found unclosed at token `at`, and forgets them.
fn report_unclosed(
    file: FileId,
    text: &str,
    lexed: &mut Lexed,
    open: &mut Vec<usize>,
    at: usize,
    from: usize,
) {
    let spelt = |t: &Token| &text[t.start as usize..t.end as usize];
    let brackets = open.iter().skip(from).filter(|&&i| lexed.tokens[i].tok != Tok::Word);
    let mut problems = Vec::new();
    for &i in brackets.take(MAX_UNCLOSED) {
        let opener = lexed.tokens[i];
        let bracket = spelt(&opener);
        let close = match opener.tok {
            Tok::LParen => ")",
            Tok::LBracket => "]",
            _ => "}",
        };
        let problem = Diagnostic::error(codes::UNCLOSED, format!("This `{bracket}` is never closed."))
            .label(Span::new(file, opener.start, opener.end), "opened here");
        let line = text[opener.end as usize..].lines().next().unwrap_or_default();
        let problem = match line.split_once("--") {
            Some((_, behind)) if behind.contains(close) => problem.hint(format!(
                "`--` starts a comment, to which its `{close}` belongs: `- -` is twice a sign."
            )),
            _ => problem.hint(format!("Add the `{close}`, or remove the `{bracket}`.")),
        };
        let problem = match lexed.tokens.get(at) {
            Some(t) if matches!(t.tok, Tok::RParen | Tok::RBracket | Tok::RBrace) => problem.label(
                Span::new(file, t.start, t.end),
                format!("`{close}` is missing before this `{}`", spelt(t)),
            ),
            _ => match at.checked_sub(1).and_then(|last| lexed.tokens.get(last)) {
                Some(t) if t.end > opener.end => problem
                    .label(Span::new(file, t.end, t.end), format!("`{close}` is missing here at the latest")),
                _ => problem,
            },
        };
        problems.push(problem);
    }
    lexed.problems.extend(problems);
    open.truncate(from);
}

/// Reports and removes closing brackets that close nothing.
fn drop_stray(file: FileId, text: &str, lexed: &mut Lexed, stray: &[usize]) {
    if stray.is_empty() {
        return;
    }
    for &i in stray {
        let t = lexed.tokens[i];
        let bracket = &text[t.start as usize..t.end as usize];
        lexed.problems.push(
            Diagnostic::error(codes::UNOPENED, format!("This `{bracket}` closes nothing."))
                .label(Span::new(file, t.start, t.end), "no bracket is open here")
                .hint("Remove it, or add the opening bracket."),
        );
    }
    // Where each token goes: its index less the strays before it.
    let mut moved: Vec<u32> = Vec::with_capacity(lexed.tokens.len() + 1);
    let mut gone = stray.iter().copied().peekable();
    let mut kept = 0;
    for i in 0..=lexed.tokens.len() {
        moved.push(kept);
        if gone.peek() == Some(&i) {
            gone.next();
        } else {
            kept += 1;
        }
    }
    let mut index = 0;
    let mut gone = stray.iter().copied().peekable();
    lexed.tokens.retain(|_| {
        let stays = gone.peek() != Some(&index);
        if !stays {
            gone.next();
        }
        index += 1;
        stays
    });
    for t in &mut lexed.tokens {
        t.mate = t.mate.map(|m| moved[m as usize]);
    }
    for i in &mut lexed.items {
        *i = moved[*i] as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toks(text: &str) -> Vec<Tok> {
        lex(FileId(0), text).tokens.iter().map(|t| t.tok).collect()
    }

    #[test]
    fn unicode_and_ascii_spell_the_same_tokens() {
        let ascii = r"\x. /\n. a |> f ~> b -> c * d - e <= g >= h / i | j != k";
        let unicode = "λx. Λn. a ▷ f ↦ b → c × d − e ≤ g ≥ h ÷ i ∣ j ≠ k";
        assert_eq!(toks(ascii), toks(unicode));
        assert_eq!(toks("a·b"), toks("a*b"));
    }

    #[test]
    fn numbers_keep_clear_of_the_dot() {
        use Tok::{Dot, Greater, Hole, Less, Number, Star, Word};
        assert_eq!(toks("3.3.f32"), [Number, Dot, Number, Dot, Word]);
        assert_eq!(toks("1e-3 2.5f64 3i32"), [Number, Number, Dot, Number, Number]);
        assert_eq!(toks("1.<32>f32"), [Number, Dot, Less, Number, Greater, Word]);
        assert_eq!(toks("?*?t'"), [Hole, Star, Hole]);
    }

    #[test]
    fn comments_are_kept_apart() {
        let lexed = lex(FileId(0), "--| doc\ndef f -- end  \n= x--y\n");
        assert_eq!(lexed.comments.len(), 3);
        assert!(lexed.comments[0].own_line && !lexed.comments[1].own_line);
        assert_eq!(lexed.comments[1].end - lexed.comments[1].start, 6);
        assert_eq!(lexed.tokens.len(), 4);
    }

    #[test]
    fn brackets_find_their_mates() {
        let lexed = lex(FileId(0), "def f = ) (a [b ) c) def g = (x");
        let codes: Vec<_> = lexed.problems.iter().map(|p| p.code).collect();
        assert_eq!(codes, [codes::UNCLOSED, codes::UNCLOSED, codes::UNOPENED, codes::UNOPENED]);
        let text: String = lexed.tokens.iter().map(|t| if t.mate.is_some() { 'm' } else { '.' }).collect();
        // def f = ( a [ b ) c def g = ( x
        assert_eq!(text, "...m...m......");
        assert_eq!(lexed.items, [0, 9]);
        assert_eq!(lexed.tokens[3].mate, Some(7));
    }

    #[test]
    fn a_let_finds_its_in() {
        let mates = |text: &str| {
            let lexed = lex(FileId(0), text);
            let lets = lexed.tokens.iter().filter(|t| &text[t.start as usize..t.end as usize] == "let");
            lets.map(|t| t.mate.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(mates("let x = let y = 1 in y"), [false, true]);
        assert_eq!(mates("let x = let y = 1 in y in x"), [true, true]);
        assert_eq!(mates("let x = (let y = 1) in x"), [true, false]);
        assert_eq!(mates(r"let (toMem e) (\x. x)"), [false]);
    }
}
