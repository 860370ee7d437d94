//! Arithmetic of scalars in C and OpenCL C that means what the interpreter's does, whatever the flags, but those that
//! promise that there is no NaN or no zero with a sign.
//!
//! C leaves open what happens when signed arithmetic overflows, computes narrow integers in `int`, and leaves open what
//! a float out of an integer type's range becomes, which zero `fmin` gives, and what a division by zero is. So sums,
//! products and negations are computed in an unsigned type and converted back, where all compilers wrap; the rest are
//! functions that the kernel brings along.

use super::Language;
use super::code::{Generator, Helper};
use super::interval::never_wraps;
use super::nan::is_written_number;
use super::number::Variable;
use super::syntax::Expr;
use crate::lang::literal::Literal;
use crate::lang::nat::Name;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type};
use crate::lower::dpia::{Kind, Phrase};
use std::collections::BTreeMap;

/// The symbol of an operation on numbers that integers compute modulo a power of two.
pub fn ring(p: Pattern) -> Option<&'static str> {
    match p {
        Pattern::Add => Some("+"),
        Pattern::Sub | Pattern::Neg => Some("-"),
        Pattern::Mul => Some("*"),
        _ => None,
    }
}

/// Does C compute with these integers as they wrap, with nothing said?
pub fn wraps(s: Scalar) -> bool {
    matches!(s, Scalar::U32 | Scalar::U64)
}

/// Has every number a quotient by it: is it a float, or a literal that no integer overflows at?
pub fn is_divisible(ty: &Type, by: Option<&Phrase>) -> bool {
    ty.as_scalar().is_some_and(Scalar::is_float)
        || matches!(by.map(Phrase::kind), Some(Kind::Lit(Literal::Int(n, _))) if !matches!(n, -1 | 0))
}

impl Generator {
    /// A sum, product or negation of integers that need to be made to wrap: `(int)((unsigned)a + b)`.
    pub(super) fn wrapping(&mut self, symbol: &'static str, s: Scalar, operands: Vec<Expr>) -> Expr {
        let unsigned = if s.bytes() == 8 { self.scalar_type(Scalar::U64) } else { "unsigned" };
        // What was converted back need not be: only the lowest bits count. One unsigned operand makes the other so.
        let strip = |e: Expr| if let Expr::Wrapped(_, inner) = e { (*inner, true) } else { (e, false) };
        let mut operands: Vec<(Expr, bool)> = operands.into_iter().map(strip).collect();
        if !operands.iter().any(|(_, unsigned)| *unsigned) {
            let is_literal = |e: &Expr| matches!(e, Expr::Text(_) | Expr::Unary(..));
            let k = operands.iter().position(|(e, _)| !is_literal(e)).unwrap_or(0);
            if let Some((e, _)) = operands.get_mut(k) {
                *e = e.clone().cast(unsigned);
            }
        }
        let mut operands = operands.into_iter().map(|(e, _)| e);
        let sum = match (operands.next(), operands.next()) {
            (Some(a), Some(b)) => Expr::binary(symbol, a, b),
            (a, _) => Expr::Unary(symbol, Box::new(a.unwrap_or_else(|| Expr::int(0)))),
        };
        Expr::Wrapped(self.scalar_type(s).to_string(), Box::new(sum))
    }

    /// `(int)((unsigned)a << (n & 31))`: C leaves open what a shift by no fewer places than there are bits is, and one to the
    /// left that changes the sign. To the right the sign is repeated, by all compilers.
    pub(super) fn shift(&mut self, p: Pattern, s: Scalar, a: Expr, count: Expr) -> Expr {
        let bits = 8 * s.bytes();
        let is_below = |t: &str| t.trim_end_matches(['u', 'U', 'L']).parse().is_ok_and(|n: usize| n < bits);
        let count = match &count {
            Expr::Text(t) if is_below(t) => count,
            _ => Expr::binary("&", count, Expr::int(bits - 1)),
        };
        if p == Pattern::ShiftRight {
            return Expr::binary(">>", a, count);
        }
        if wraps(s) {
            return Expr::binary("<<", a, count);
        }
        let unsigned = if bits == 64 { self.scalar_type(Scalar::U64) } else { "unsigned" };
        let a = if let Expr::Wrapped(_, inner) = a { *inner } else { a.cast(unsigned) };
        Expr::Wrapped(self.scalar_type(s).to_string(), Box::new(Expr::binary("<<", a, count)))
    }

    /// `~a`, which C computes in `int` for narrow types.
    pub(super) fn complement(&mut self, s: Scalar, a: Expr) -> Expr {
        // Compilers warn of a complement that is compared with an unsigned number, also where it was cut off.
        match (self.language, s) {
            (Language::C, Scalar::U8) => return Expr::binary("^", a, Expr::int(u8::MAX)),
            (Language::C, Scalar::U16) => return Expr::binary("^", a, Expr::int(u16::MAX)),
            _ => {}
        }
        let out = Expr::Unary("~", Box::new(a));
        if matches!(s, Scalar::U8 | Scalar::U16) { out.cast(self.scalar_type(s)) } else { out }
    }

    /// `min`, `max` or `abs`: OpenCL has the first two of integers, the rest are brought along. Its own `abs` is not taken,
    /// because compilers are wrong about the least number.
    pub(super) fn of_type(&mut self, p: Pattern, s: Scalar, ps: &[Phrase], mut args: Vec<Expr>) -> Expr {
        match ps {
            [a, b] if s.is_float() => {
                // Only of zeros it can be told which of two equal ones it is, so that others may change places.
                let changes_places = !self.never_nan.is_number(a) && is_written_number(b);
                if changes_places {
                    args.reverse();
                }
                if changes_places || self.never_nan.is_number(a) {
                    return self.helper(Helper::Eased(p, s), args);
                }
            }
            [_] if self.language == Language::C && never_wraps(p, ps, s) => {
                return self.helper(Helper::Eased(p, s), args);
            }
            _ => {}
        }
        if self.language == Language::C || s.is_float() || p == Pattern::Abs {
            return self.helper(Helper::Scalar(p, s, None), args);
        }
        // They are defined for arguments of one type, which literals and numbers may not have.
        let ty = self.scalar_type(s);
        let is_of_type = |e: &Phrase, a: &Expr| {
            e.data().as_scalar() == Some(s) && (self.is_cell(e) || matches!(a, Expr::Call(..)))
        };
        let typed = |(e, a): (&Phrase, Expr)| if is_of_type(e, &a) { a } else { a.cast(ty) };
        Expr::call(p.name(), ps.iter().zip(args).map(typed).collect())
    }

    /// A quotient of integers or whole numbers or what is left over, by what may be zero: processors end a program that divides
    /// by it, and C and OpenCL leave open what comes of it. It is 0 where there is none, and functions in C tell it.
    pub(super) fn quotient(&mut self, p: Pattern, s: Option<Scalar>, a: Expr, b: Expr) -> Expr {
        if s.is_none() {
            self.helpers.insert(Helper::FloorDiv);
        }
        let mut args = vec![a, b];
        if self.language == Language::C {
            let undefined = match self.undefined.take() {
                Some(name) => name,
                None => self.namer.name("undefined"),
            };
            args.push(Expr::name(&undefined));
            self.undefined = Some(undefined);
        }
        self.helper(Helper::Quotient(p, s), args)
    }

    /// Divides numbers so where they are divided by what the program computes: by these parts, rather than by sizes.
    pub(super) fn guard(&mut self, e: &mut Expr, parts: &BTreeMap<Name, Variable>) {
        if parts.is_empty() {
            return;
        }
        e.replace(&mut |e| {
            let (p, a, b) = match e {
                Expr::Binary("/", a, b) => (Pattern::Div, &**a, &**b),
                Expr::Binary("%", a, b) => (Pattern::Mod, &**a, &**b),
                Expr::Call(f, args) => match (f.as_str(), args.as_slice()) {
                    ("floor_div", [a, b]) => (Pattern::Div, a, b),
                    ("floor_mod", [a, b]) => (Pattern::Mod, a, b),
                    _ => return None,
                },
                _ => return None,
            };
            let mut is_computed = false;
            b.for_each(&mut |e| is_computed |= parts.values().any(|part| part.expr == *e));
            if !is_computed {
                return None;
            }
            let (mut a, mut b) = (a.clone(), b.clone());
            self.guard(&mut a, parts);
            self.guard(&mut b, parts);
            Some(self.quotient(p, None, a, b))
        });
    }

    /// The text of such a function.
    pub(super) fn quotient_function(&mut self, p: Pattern, s: Option<Scalar>) -> String {
        let name = Helper::Quotient(p, s).name();
        let ty = s.map_or("long", |s| self.scalar_type(s));
        let without = match s.filter(|s| s.is_signed_integer()) {
            Some(s) => format!("b == 0 || (b == -1 && a == {})", self.extremes(s).0),
            None => "b == 0".to_owned(),
        };
        let quotient = match (p, s) {
            (Pattern::Div, Some(_)) => "a / b",
            (_, Some(_)) => "a % b",
            (Pattern::Div, None) => "floor_div(a, b)",
            (_, None) => "floor_mod(a, b)",
        };
        match self.language {
            Language::C => format!(
                "\nstatic inline {ty} {name}({ty} a, {ty} b, int* undefined) {{\n  if ({without}) {{\n    *undefined = 1;\n    \
                 return 0;\n  }}\n  return {quotient};\n}}\n"
            ),
            Language::OpenCl => {
                format!("\n{ty} {name}({ty} a, {ty} b) {{\n  return {without} ? 0 : {quotient};\n}}\n")
            }
        }
    }

    /// A call of a function that the kernel brings along.
    pub(super) fn helper(&mut self, helper: Helper, args: Vec<Expr>) -> Expr {
        let name = helper.name();
        self.helpers.insert(helper);
        Expr::Call(name, args)
    }

    /// The least and the greatest number of an integer type, as literals.
    pub(super) fn extremes(&mut self, s: Scalar) -> (Expr, Expr) {
        let (least, most) = s.extremes();
        (self.literal(&Literal::Int(least, s)), self.literal(&Literal::Int(most, s)))
    }

    /// The text of a minimum or maximum whose first number is no NaN, with the second number first: one operation of
    /// processors. So is the absolute value of what is not the least integer.
    pub(super) fn eased_function(&mut self, p: Pattern, s: Scalar) -> String {
        let (ty, name) = (self.scalar_type(s), Helper::Eased(p, s).name());
        let inline = if self.language == Language::C { "static inline " } else { "" };
        let (params, value) = match p {
            Pattern::Abs => (format!("{ty} a"), "a < 0 ? -a : a"),
            Pattern::Min => (format!("{ty} a, {ty} b"), "b < a ? b : a"),
            _ => (format!("{ty} a, {ty} b"), "b > a ? b : a"),
        };
        format!("\n{inline}{ty} {name}({params}) {{\n  return {value};\n}}\n")
    }

    /// The text of a function that the kernel brings along.
    pub(super) fn scalar_function(&mut self, p: Pattern, s: Scalar, from: Option<Scalar>) -> String {
        let ty = self.scalar_type(s);
        let name = Helper::Scalar(p, s, from).name();
        let inline = if self.language == Language::C { "static inline " } else { "" };
        let (params, lines) = match (p, from) {
            (Pattern::Cast, Some(from)) => self.saturating(s, from),
            (Pattern::Abs, _) => {
                let minus = self.wrapping("-", s, vec![Expr::name("a")]);
                let abs = match self.language {
                    Language::C => format!("a < 0 ? {minus} : a"),
                    Language::OpenCl => format!("max(a, {minus})"),
                };
                (format!("{ty} a"), format!("return {abs};"))
            }
            (Pattern::Min | Pattern::Max, _) if s.is_float() => {
                let symbol = if p == Pattern::Min { "<=" } else { ">=" };
                let lines = match self.language {
                    // One choice after the other: of a choice by two comparisons gcc makes branches, which are no vectors.
                    Language::C => {
                        format!("{ty} number = b != b ? a : b;\n  return a {symbol} number ? a : number;")
                    }
                    Language::OpenCl => format!("return a {symbol} b || b != b ? a : b;"),
                };
                (format!("{ty} a, {ty} b"), lines)
            }
            (Pattern::Min, _) => (format!("{ty} a, {ty} b"), "return a < b ? a : b;".into()),
            (_, _) => (format!("{ty} a, {ty} b"), "return a > b ? a : b;".into()),
        };
        format!("\n{inline}{ty} {name}({params}) {{\n  {lines}\n}}\n")
    }

    /// A float as the nearest integer of a type, rounded towards zero, and NaN as zero. The conversion itself is of a
    /// number in range whatever comes, so that nothing keeps it from being vectorised.
    fn saturating(&mut self, to: Scalar, from: Scalar) -> (String, String) {
        let ty = self.scalar_type(to);
        let (least, most) = self.extremes(to);
        let bits = 8 * to.bytes() as i32 - i32::from(to.is_signed_integer());
        // Halves are compared as what holds both limits.
        let (float, suffix) = if from == Scalar::F64 { ("double", "") } else { ("float", "f") };
        let above = format!("{:.1}{suffix}", 2f64.powi(bits));
        let below = if to.is_signed_integer() { format!("-{above}") } else { format!("0.0{suffix}") };
        (
            format!("{float} a"),
            format!(
                "{ty} whole = ({ty})(a >= {below} && a < {above} ? a : 0.0{suffix});\n  \
                 return a >= {above} ? {most} : a < {below} ? {least} : whole;"
            ),
        )
    }
}
