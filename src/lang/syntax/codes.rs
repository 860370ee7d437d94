//! The codes of problems with texts and their syntax.

/// A character that starts no token.
pub const UNKNOWN_CHARACTER: &str = "E0010";
/// A number that is none: digits followed by letters, a point without digits.
pub const NUMBER: &str = "E0011";
/// Something else was expected here.
pub const UNEXPECTED: &str = "E0020";
/// An opening bracket that is never closed.
pub const UNCLOSED: &str = "E0021";
/// A closing bracket that closes nothing.
pub const UNOPENED: &str = "E0022";
/// No definition starts here, or one of another language.
pub const NOT_AN_ITEM: &str = "E0023";
/// A `let` without the expression that uses it.
pub const LET_BODY: &str = "E0024";
/// A reserved word where a name is needed.
pub const RESERVED: &str = "E0025";
/// `a < b < c`
pub const COMPARISON_CHAIN: &str = "E0026";
/// A pair type that is not `(s * t)`.
pub const PAIR_TYPE: &str = "E0027";
/// A size that is not followed by `.` and the type of the elements.
pub const SIZE_WITHOUT_ELEMENTS: &str = "E0028";
/// A strategy that is applied without parentheses.
pub const CALL: &str = "E0029";
/// A substitution that is not `b[e/x]`.
pub const SUBSTITUTION: &str = "E0030";
/// An example that follows no rule.
pub const EXAMPLE: &str = "E0031";
/// `?` outside of a sketch.
pub const HOLE: &str = "E0032";
/// A text without a definition.
pub const EMPTY: &str = "E0033";
/// Nesting deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
pub const DEPTH: &str = "E0005";
/// More problems than are worth showing.
pub const MANY: &str = "E0006";
