//! Program text with roles: RISE and its neighbours, C and OpenCL C.
//!
//! In comes any text, well formed or not; out come its lines, character for character, with roles. This is for
//! the eye alone; nothing else depends on it.

use super::text::{Line, Role};
use crate::lang::pattern::{Level, Pattern};

/// Which words and comments a text has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Programs, rules, strategies, sketches, and the stages between them and code.
    Rise,
    /// C with OpenMP, and OpenCL C.
    C,
}

const RISE_KEYWORDS: &[&str] = &[
    "def",
    "let",
    "in",
    "fun",
    "rule",
    "rules",
    "strategy",
    "sketch",
    "where",
    "and",
    "or",
    "notin",
    "divides",
    "reach",
    "using",
    "with",
    "pattern",
    "if",
    "then",
    "else",
    "for",
    "parFor",
    "new",
    "nat",
    "data",
    "addr",
    "normalize",
    "repeat",
    "try",
    "topDown",
    "bottomUp",
    "all",
    "one",
    "some",
    "id",
    "fail",
];
const C_KEYWORDS: &[&str] = &[
    "break", "case", "continue", "default", "do", "else", "for", "goto", "if", "return", "sizeof", "switch",
    "while",
];
const C_TYPES: &[&str] = &[
    "bool", "char", "const", "double", "enum", "extern", "float", "half", "inline", "int", "long",
    "register", "restrict", "short", "signed", "size_t", "static", "struct", "typedef", "union", "unsigned",
    "void", "volatile", "uchar", "ushort", "uint", "ulong",
];
const OPENCL_WORDS: &[&str] =
    &["kernel", "global", "local", "private", "constant", "barrier", "read_only", "write_only"];

/// The lines of a text, with roles.
pub fn highlight(text: &str, dialect: Dialect) -> Vec<Line> {
    let mut in_comment = false;
    text.lines().map(|line| highlight_line(line, dialect, &mut in_comment)).collect()
}

fn highlight_line(text: &str, dialect: Dialect, in_comment: &mut bool) -> Line {
    let mut line = Line::empty();
    if dialect == Dialect::C && !*in_comment && text.trim_start().starts_with('#') {
        return Line::of(Role::Directive, text.to_owned());
    }
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, role) = piece(rest, first, dialect, in_comment);
        let (token, after) = rest.split_at(length);
        match line.spans.last_mut() {
            Some(last) if last.role == role => last.text.to_mut().push_str(token),
            _ => line.push(role, token.to_owned()),
        }
        rest = after;
    }
    line
}

/// The length in bytes (never 0) and the role of what the text begins with.
fn piece(text: &str, first: char, dialect: Dialect, in_comment: &mut bool) -> (usize, Role) {
    let until = |stop: &dyn Fn(char) -> bool| text.find(stop).unwrap_or(text.len());
    if *in_comment {
        let end = text.find("*/").map(|i| i + 2);
        *in_comment = end.is_none();
        return (end.unwrap_or(text.len()), Role::Comment);
    }
    let comment = if dialect == Dialect::Rise { "--" } else { "//" };
    if text.starts_with(comment) {
        return (text.len(), Role::Comment);
    }
    if dialect == Dialect::C && text.starts_with("/*") {
        *in_comment = true;
        let end = text[2..].find("*/").map(|i| i + 4);
        *in_comment = end.is_none();
        return (end.unwrap_or(text.len()), Role::Comment);
    }
    if first.is_whitespace() {
        return (until(&|c: char| !c.is_whitespace()), Role::Plain);
    }
    if first == '"' {
        let end = text[1..].find('"').map_or(text.len(), |i| i + 2);
        return (end, Role::Literal);
    }
    if first.is_ascii_digit() {
        let dot_counts = dialect == Dialect::C;
        let end = until(&|c: char| !(c.is_ascii_alphanumeric() || c == '_' || dot_counts && c == '.'));
        return (end, Role::Literal);
    }
    if is_word(first) && !matches!(first, 'λ' | 'Λ') {
        let end = until(&|c: char| !(is_word(c) || c.is_ascii_digit() || c == '\''));
        return (end, word(&text[..end], dialect));
    }
    let role = if matches!(first, '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '.') {
        Role::Punctuation
    } else {
        Role::Operator
    };
    (first.len_utf8(), role)
}

fn is_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn word(word: &str, dialect: Dialect) -> Role {
    match dialect {
        Dialect::Rise if RISE_KEYWORDS.contains(&word) => Role::Keyword,
        Dialect::Rise if is_scalar(word) => Role::Type,
        Dialect::Rise => Pattern::from_name(word).map_or(Role::Variable, of_pattern),
        Dialect::C if C_KEYWORDS.contains(&word) => Role::Keyword,
        Dialect::C if OPENCL_WORDS.contains(&word.trim_start_matches("__")) => Role::PatternOpencl,
        Dialect::C if word.starts_with("get_") => Role::PatternOpencl,
        Dialect::C if is_c_type(word) => Role::Type,
        Dialect::C => Role::Variable,
    }
}

fn of_pattern(pattern: Pattern) -> Role {
    of_level(pattern.level())
}

/// The role of the names of patterns of a level.
pub fn of_level(level: Level) -> Role {
    match level {
        Level::High => Role::PatternHigh,
        Level::Low | Level::OpenMp => Role::PatternLow,
        Level::OpenCl => Role::PatternOpencl,
    }
}

fn is_scalar(word: &str) -> bool {
    matches!(
        word,
        "bool"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "f16"
            | "f32"
            | "f64"
            | "idx"
            | "natType"
    )
}

/// `float`, `float4`, `int32_t`.
fn is_c_type(word: &str) -> bool {
    C_TYPES.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()))
        || word.strip_suffix("_t").is_some_and(|w| w.starts_with("int") || w.starts_with("uint"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn roles(text: &str, dialect: Dialect) -> String {
        let lines = highlight(text, dialect);
        let line = |line: &Line| -> String {
            line.spans
                .iter()
                .flat_map(|s| s.text.chars().map(|c| if c == ' ' { ' ' } else { s.role.letter() }))
                .collect()
        };
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn words_of_rise() {
        assert_eq!(
            roles("def f (a: n.f32) = a |> mapSeq (\\x. x * 2) -- twice", Dialect::Rise),
            "kkk v ,vo v,ttt, o v oo LLLLLL ,ov, v o 0, cc ccccc"
        );
        assert_eq!(roles("mapGlobal 0 map λx. 3.3", Dialect::Rise), "OOOOOOOOO 0 HHH ov, 0,0");
    }

    #[test]
    fn words_of_c() {
        assert_eq!(roles("for (int i = 0; i < 4; i++) /* a", Dialect::C), "kkk ,ttt v o 0, v o 0, voo, cc c");
        assert_eq!(roles("/* a\nb */ float4 x\n#pragma omp", Dialect::C), "cc c\nc cc tttttt v\n####### ###");
        assert_eq!(roles("get_global_id(0) + 1.0f", Dialect::C), "OOOOOOOOOOOOO,0, o 0000");
    }

    proptest! {
        #[test]
        fn no_character_is_lost(text in any::<String>()) {
            for dialect in [Dialect::Rise, Dialect::C] {
                let out: Vec<String> = highlight(&text, dialect).iter().map(Line::text).collect();
                prop_assert_eq!(out, text.lines().map(str::to_owned).collect::<Vec<_>>());
            }
        }
    }
}
