//! The mathematical functions of floating-point numbers: one table, a row a function.
//!
//! A function is a row here and one in `lang/pattern.rs`; the interpreters, the counts of work and the code generators
//! read it from here.

use super::pattern::Pattern;

/// What computes a function, at both widths. Half precision is computed as `f32` and rounded.
#[derive(Clone, Copy)]
pub enum Function {
    Unary(fn(f32) -> f32, fn(f64) -> f64),
    Binary(fn(f32, f32) -> f32, fn(f64, f64) -> f64),
}

pub struct Row {
    pub pattern: Pattern,
    /// The name in C for `double`, and in OpenCL C for every type.
    pub c_name: &'static str,
    pub function: Function,
}

macro_rules! table {
    ($($pattern:ident $c:literal $kind:ident $f:ident;)*) => {
        static ROWS: &[Row] = &[$(Row {
            pattern: Pattern::$pattern,
            c_name: $c,
            function: Function::$kind(f32::$f, f64::$f),
        }),*];
    };
}

table! {
    Sqrt "sqrt" Unary sqrt;
    Exp "exp" Unary exp;
    Exp2 "exp2" Unary exp2;
    Log "log" Unary ln;
    Log2 "log2" Unary log2;
    Log10 "log10" Unary log10;
    Sin "sin" Unary sin;
    Cos "cos" Unary cos;
    Tan "tan" Unary tan;
    Asin "asin" Unary asin;
    Acos "acos" Unary acos;
    Atan "atan" Unary atan;
    Sinh "sinh" Unary sinh;
    Cosh "cosh" Unary cosh;
    Tanh "tanh" Unary tanh;
    Floor "floor" Unary floor;
    Ceil "ceil" Unary ceil;
    Round "round" Unary round;
    Trunc "trunc" Unary trunc;
    Pow "pow" Binary powf;
    Atan2 "atan2" Binary atan2;
}

/// The row of a pattern, if it is such a function.
pub fn of(pattern: Pattern) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.pattern == pattern)
}

/// Is the pattern such a function of one number?
pub fn is_unary(pattern: Pattern) -> bool {
    of(pattern).is_some_and(|row| matches!(row.function, Function::Unary(..)))
}

/// Is the pattern such a function of two numbers?
pub fn is_binary(pattern: Pattern) -> bool {
    of(pattern).is_some_and(|row| matches!(row.function, Function::Binary(..)))
}

/// Is the pattern such a function whose last places IEEE 754 leaves to each library?
pub fn is_rounded_by_libraries(pattern: Pattern) -> bool {
    use Pattern::{Ceil, Floor, Round, Sqrt, Trunc};
    of(pattern).is_some() && !matches!(pattern, Sqrt | Floor | Ceil | Round | Trunc)
}

/// Every row.
pub fn all() -> &'static [Row] {
    ROWS
}
