//! One token after the other: which characters of a text belong together.
//!
//! In: a text. Out: the longest token at each place, white space left out; what starts no token comes as an error, for
//! whoever knows what may have been meant.

use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tok {
    Comment,
    Word,
    /// Digits with an exponent and a suffix, but without a decimal point.
    Number,
    Hole,
    /// C text in quotes, over as many lines as it takes; `\"` is a quote in it.
    Text,
    Lambda,
    NatLambda,
    Dot,
    Comma,
    Colon,
    Cons,
    Equals,
    Arrow,
    FatArrow,
    Rewrites,
    PipeTo,
    Compose,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Less,
    Greater,
    LessEq,
    GreaterEq,
    EqEq,
    NotEq,
    LeftChoice,
    Semi,
    SemiSemi,
    At,
    Bar,
    And,
    Or,
    NotIn,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    /// A sign of other languages; the parser says what is meant.
    Foreign,
    /// Past the last token of what is being read; the lexer makes none.
    End,
}

/// Each sign with its token: by first byte, and of one first byte the longest first.
const SIGNS: [(&str, Tok); 78] = [
    ("!!", Tok::Foreign),
    ("!=", Tok::NotEq),
    ("!", Tok::Foreign),
    ("$", Tok::Foreign),
    ("%", Tok::Percent),
    ("&&", Tok::Foreign),
    ("&", Tok::Foreign),
    ("(", Tok::LParen),
    (")", Tok::RParen),
    ("**", Tok::Foreign),
    ("*=", Tok::Foreign),
    ("*", Tok::Star),
    ("++", Tok::Foreign),
    ("+=", Tok::Foreign),
    ("+", Tok::Plus),
    (",", Tok::Comma),
    ("-=", Tok::Foreign),
    ("->", Tok::Arrow),
    ("-", Tok::Minus),
    (".*", Tok::Foreign),
    (".+", Tok::Foreign),
    ("./", Tok::Foreign),
    (".^", Tok::Foreign),
    (".", Tok::Dot),
    ("//", Tok::Foreign),
    ("/=", Tok::Foreign),
    ("/\\", Tok::NatLambda),
    ("/", Tok::Slash),
    ("::", Tok::Cons),
    (":", Tok::Colon),
    (";;", Tok::SemiSemi),
    (";", Tok::Semi),
    ("<$>", Tok::Foreign),
    ("<<<", Tok::Foreign),
    ("<+", Tok::LeftChoice),
    ("<<", Tok::Foreign),
    ("<=", Tok::LessEq),
    ("<>", Tok::Foreign),
    ("<|", Tok::Foreign),
    ("<", Tok::Less),
    ("===", Tok::Foreign),
    ("=<", Tok::Foreign),
    ("==", Tok::EqEq),
    ("=>", Tok::FatArrow),
    ("=", Tok::Equals),
    (">>>", Tok::Foreign),
    (">=", Tok::GreaterEq),
    (">>", Tok::Compose),
    (">", Tok::Greater),
    ("@", Tok::At),
    ("[", Tok::LBracket),
    ("\\", Tok::Lambda),
    ("]", Tok::RBracket),
    ("^", Tok::Caret),
    ("{", Tok::LBrace),
    ("|>", Tok::PipeTo),
    ("||", Tok::Foreign),
    ("|", Tok::Bar),
    ("}", Tok::RBrace),
    ("~=", Tok::Foreign),
    ("~>", Tok::Rewrites),
    ("~", Tok::Foreign),
    ("·", Tok::Star),
    ("×", Tok::Star),
    ("÷", Tok::Slash),
    ("Λ", Tok::NatLambda),
    ("λ", Tok::Lambda),
    ("→", Tok::Arrow),
    ("↦", Tok::Rewrites),
    ("∉", Tok::NotIn),
    ("−", Tok::Minus),
    ("∣", Tok::Bar),
    ("∧", Tok::And),
    ("∨", Tok::Or),
    ("≠", Tok::NotEq),
    ("≤", Tok::LessEq),
    ("≥", Tok::GreaterEq),
    ("▷", Tok::PipeTo),
];

/// Where the signs of a first byte begin in [`SIGNS`].
const FIRST: [u8; 257] = {
    let mut first = [0; 257];
    let (mut byte, mut row) = (0, 0);
    while byte < first.len() {
        while row < SIGNS.len() && (SIGNS[row].0.as_bytes()[0] as usize) < byte {
            row += 1;
        }
        first[byte] = row as u8;
        byte += 1;
    }
    first
};

/// Goes through a text token by token, from some place on.
pub struct Scanner<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, from: usize) -> Scanner<'a> {
        Scanner { text, start: from, end: from }
    }

    /// The bytes of the token that came last.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Lets the token that came last reach so many bytes further.
    pub fn bump(&mut self, bytes: usize) {
        self.end += bytes;
    }
}

impl Iterator for Scanner<'_> {
    /// A token, or that none starts here.
    type Item = Result<Tok, ()>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.end..];
        let text = rest.trim_start_matches([' ', '\t', '\r', '\n', '\x0c']);
        self.start = self.text.len() - text.len();
        let (token, length) = token(text)?;
        self.end = self.start + length;
        Some(token)
    }
}

/// What the text starts with, and its bytes; nothing at the end of the text.
fn token(text: &str) -> Option<(Result<Tok, ()>, usize)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let token = match first {
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => (Tok::Word, 1 + run(&bytes[1..], in_word)),
        b'0'..=b'9' => (Tok::Number, number(bytes)),
        b'?' => (Tok::Hole, 1 + run(&bytes[1..], in_word)),
        b'-' if bytes.get(1) == Some(&b'-') => (Tok::Comment, text.find('\n').unwrap_or(text.len())),
        b'"' => match quoted(bytes) {
            Some(length) => (Tok::Text, length),
            None => return Some((Err(()), text.len())),
        },
        b'`' => match back_quoted(bytes) {
            Ok(length) => (Tok::Foreign, length),
            Err(length) => return Some((Err(()), length)),
        },
        _ => {
            let (from, to) = (FIRST[usize::from(first)], FIRST[usize::from(first) + 1]);
            let signs = &SIGNS[usize::from(from)..usize::from(to)];
            match signs.iter().find(|(sign, _)| text.starts_with(sign)) {
                Some((sign, tok)) => (*tok, sign.len()),
                None => return Some((Err(()), text.chars().next().map_or(1, char::len_utf8))),
            }
        }
    };
    Some((Ok(token.0), token.1))
}

/// How many bytes at the front are of a kind.
fn run(bytes: &[u8], kind: fn(u8) -> bool) -> usize {
    bytes.iter().position(|b| !kind(*b)).unwrap_or(bytes.len())
}

fn in_word(byte: u8) -> bool {
    in_suffix(byte) || byte == b'\''
}

/// What a number ends with, `f32` say, and what stands in it.
fn in_suffix(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The bytes of a number; a sign belongs to it only in its exponent, before a digit.
fn number(bytes: &[u8]) -> usize {
    let digits = run(bytes, |b| b.is_ascii_digit() || b == b'_');
    let signed = matches!(bytes[digits..], [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..]);
    let exponent = digits + if signed { 2 } else { 0 };
    exponent + run(&bytes[exponent..], in_suffix)
}

/// The bytes of text in quotes; nothing where it never ends.
fn quoted(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The bytes of a name in back quotes; else how many of them there are.
fn back_quoted(bytes: &[u8]) -> Result<usize, usize> {
    match bytes.get(1) {
        Some(b) if in_word(*b) && !b.is_ascii_digit() && *b != b'\'' => {
            let length = 1 + run(&bytes[1..], in_word);
            if bytes.get(length) == Some(&b'`') { Ok(length + 1) } else { Err(length) }
        }
        _ => Err(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_signs_come_before_what_they_start_with() {
        for pair in SIGNS.windows(2) {
            let [(a, _), (b, _)] = pair else { continue };
            let key = |sign: &str| (sign.as_bytes()[0], usize::MAX - sign.len());
            assert!(key(a) <= key(b), "{a} and {b}");
        }
    }

    #[test]
    fn what_starts_no_token_is_an_error_of_its_own_length() {
        let all = |text: &str| {
            let mut scanner = Scanner::new(text, 0);
            let mut spans = Vec::new();
            while let Some(token) = scanner.next() {
                spans.push((token, scanner.span()));
            }
            spans
        };
        let foreign = Ok(Tok::Foreign);
        assert_eq!(all("`map` `x"), [(foreign, 0..5), (Err(()), 6..8)]);
        assert_eq!(all("∘ é"), [(Err(()), 0..3), (Err(()), 4..6)]);
        assert_eq!(all(r#""a\"" "b"#), [(Ok(Tok::Text), 0..5), (Err(()), 6..8)]);
        assert_eq!(all("1e-x"), [(Ok(Tok::Number), 0..2), (Ok(Tok::Minus), 2..3), (Ok(Tok::Word), 3..4)]);
    }
}
