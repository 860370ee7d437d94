//! The part of C that generated code uses, as a tree, and its text. OpenCL C is printed by the same printer.
//!
//! The printer puts parentheses where precedence asks for them, and where few people know it: there C compilers warn.

use crate::lang::nat::Worker;
use crate::lang::origin::Origin;
pub use crate::lang::origin::{Line, Part};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number or a constant, as it is written.
    Text(String),
    /// What a work-item is told: `get_local_id(0)`.
    Worker(Worker),
    Name(String),
    Index(Box<Expr>, Box<Expr>),
    /// `v.s0`
    Member(Box<Expr>, String),
    Call(String, Vec<Expr>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Cast(String, Box<Expr>),
    /// A number of a type whose value was computed in an unsigned one, where it wraps.
    Wrapped(String, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub fn int(n: impl fmt::Display) -> Expr {
        let text = n.to_string();
        match text.strip_prefix('-') {
            Some(positive) => Expr::Unary("-", Box::new(Expr::Text(positive.to_string()))),
            None => Expr::Text(text),
        }
    }
    pub fn name(n: &str) -> Expr {
        Expr::Name(n.to_string())
    }
    pub fn index(self, i: Expr) -> Expr {
        Expr::Index(Box::new(self), Box::new(i))
    }
    pub fn binary(op: &'static str, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }
    pub fn call(f: &str, args: Vec<Expr>) -> Expr {
        Expr::Call(f.to_string(), args)
    }
    pub fn cast(self, ty: &str) -> Expr {
        Expr::Cast(ty.to_string(), Box::new(self))
    }

    pub fn children(&self) -> SmallVec<[&Expr; 3]> {
        match self {
            Expr::Text(_) | Expr::Worker(_) | Expr::Name(_) => smallvec![],
            Expr::Member(e, _) | Expr::Unary(_, e) | Expr::Cast(_, e) | Expr::Wrapped(_, e) => {
                smallvec![&**e]
            }
            Expr::Index(a, b) | Expr::Binary(_, a, b) => smallvec![&**a, &**b],
            Expr::Call(_, args) => args.iter().collect(),
            Expr::Conditional(c, a, b) => smallvec![&**c, &**a, &**b],
        }
    }
    fn children_mut(&mut self) -> SmallVec<[&mut Expr; 3]> {
        match self {
            Expr::Text(_) | Expr::Worker(_) | Expr::Name(_) => smallvec![],
            Expr::Member(e, _) | Expr::Unary(_, e) | Expr::Cast(_, e) | Expr::Wrapped(_, e) => {
                smallvec![&mut **e]
            }
            Expr::Index(a, b) | Expr::Binary(_, a, b) => smallvec![&mut **a, &mut **b],
            Expr::Call(_, args) => args.iter_mut().collect(),
            Expr::Conditional(c, a, b) => smallvec![&mut **c, &mut **a, &mut **b],
        }
    }
    /// The expression and all in it.
    pub fn for_each(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        match self {
            Expr::Text(_) | Expr::Worker(_) | Expr::Name(_) => {}
            Expr::Member(e, _) | Expr::Unary(_, e) | Expr::Cast(_, e) | Expr::Wrapped(_, e) => e.for_each(f),
            Expr::Index(a, b) | Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| e.for_each(f)),
            Expr::Call(_, args) => args.iter().for_each(|e| e.for_each(f)),
            Expr::Conditional(c, a, b) => [c, a, b].into_iter().for_each(|e| e.for_each(f)),
        }
    }
    /// Does it read what has this name?
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.for_each(&mut |e| found |= matches!(e, Expr::Name(x) if x == name));
        found
    }
    /// Does it call no other functions than these?
    pub fn calls_only(&self, functions: &BTreeSet<String>) -> bool {
        let mut only = true;
        self.for_each(&mut |e| only &= !matches!(e, Expr::Call(f, _) if !functions.contains(f)));
        only
    }
    /// How much there is of it.
    pub fn nodes(&self) -> usize {
        let mut n = 0;
        self.for_each(&mut |_| n += 1);
        n
    }
    /// Puts something else in the place of what there is something for; what is put there is left alone.
    pub fn replace(&mut self, by: &mut dyn FnMut(&Expr) -> Option<Expr>) {
        match by(self) {
            Some(other) => *self = other,
            None => self.children_mut().into_iter().for_each(|e| e.replace(by)),
        }
    }

    fn level(&self) -> u8 {
        match self {
            Expr::Text(_) | Expr::Name(_) => 16,
            Expr::Index(..) | Expr::Member(..) | Expr::Call(..) | Expr::Worker(_) => 15,
            Expr::Unary(..) | Expr::Cast(..) | Expr::Wrapped(..) => 14,
            Expr::Binary(op, ..) => match *op {
                "*" | "/" | "%" => 13,
                "+" | "-" => 12,
                "<<" | ">>" => 11,
                "<" | ">" | "<=" | ">=" => 10,
                "==" | "!=" => 9,
                "&" => 8,
                "^" => 7,
                "|" => 6,
                "&&" => 5,
                _ => 4,
            },
            Expr::Conditional(..) => 3,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, at: u8) -> fmt::Result {
        if self.level() < at {
            f.write_char('(')?;
            self.write(f, 0)?;
            return f.write_char(')');
        }
        match self {
            Expr::Text(t) | Expr::Name(t) => f.write_str(t),
            Expr::Worker(w) => write!(f, "{w}"),
            Expr::Index(a, i) => {
                a.write(f, 15)?;
                f.write_char('[')?;
                i.write(f, 0)?;
                f.write_char(']')
            }
            Expr::Member(a, name) => {
                a.write(f, 15)?;
                write!(f, ".{name}")
            }
            Expr::Call(g, args) => {
                write!(f, "{g}(")?;
                for (i, a) in args.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    a.write(f, 1)?;
                }
                f.write_char(')')
            }
            // Two minus signs in a row would be one operator.
            Expr::Unary(op, e) => {
                f.write_str(op)?;
                e.write(f, if matches!(**e, Expr::Unary(..)) { 15 } else { 14 })
            }
            Expr::Cast(t, e) | Expr::Wrapped(t, e) => {
                write!(f, "({t})")?;
                e.write(f, 14)
            }
            Expr::Binary(op, a, b) => {
                let level = self.level();
                let least = |e: &Expr, least: u8| if surprises(level, e.level()) { 14 } else { least };
                a.write(f, least(a, level))?;
                write!(f, " {op} ")?;
                b.write(f, least(b, level + 1))
            }
            Expr::Conditional(c, a, b) => {
                c.write(f, 4)?;
                f.write_str(" ? ")?;
                a.write(f, 4)?;
                f.write_str(" : ")?;
                b.write(f, 3)
            }
        }
    }
}

/// Would few people expect that operators of the second level bind tighter, or first, than those of the first?
fn surprises(level: u8, within: u8) -> bool {
    match level {
        // Sums that are shifted, and comparisons that are compared.
        11 => within == 12,
        9 | 10 => matches!(within, 9 | 10),
        // All but shifts and products in operations on bits, other ones included.
        6..=8 => (level + 1..=12).contains(&within) && within != 11,
        // `a && b || c`
        4 => within == 5,
        _ => false,
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// A statement, and which part of the program it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    pub what: What,
    pub origin: Origin,
}

/// The type with which an array is declared in C that begins at a multiple of so many bytes.
pub fn aligned_type(element: &str, bytes: i64) -> String {
    format!("{ALIGNED}({bytes}) {element}")
}

const ALIGNED: &str = "_Alignas";

/// The type of the elements of an array that is declared with this type: a pointer to them says nothing of where they begin.
pub fn element_type(declared: &str) -> &str {
    let aligned = declared.strip_prefix(ALIGNED).and_then(|rest| rest.split_once(' '));
    aligned.map_or(declared, |(_, element)| element)
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// `ty name[len] = init;`
    Declare {
        ty: String,
        name: String,
        len: Option<Expr>,
        init: Option<Expr>,
    },
    /// `ty name[len] = { … };`
    Table {
        ty: String,
        name: String,
        values: Vec<Expr>,
    },
    /// `ty name = value;`, of a value that is used more than once.
    Name {
        ty: String,
        name: String,
        value: Expr,
    },
    /// `to op value;` with `=`, `+=`, …
    Assign {
        to: Expr,
        op: &'static str,
        value: Expr,
    },
    /// `for (ty var = init; var < end; var += step) { … }`, after pragmas.
    For {
        pragma: Option<Pragma>,
        ty: String,
        var: String,
        init: Expr,
        end: Expr,
        step: Expr,
        body: Vec<Stmt>,
    },
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Block(Vec<Stmt>),
    Barrier(Expr),
    Expr(Expr),
    Return(Expr),
}

/// What is said to the compiler before a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum Pragma {
    Text(&'static str),
    /// Threads share out the iterations.
    Threads(Threads),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Threads {
    /// Holds where the loop has too little to compute for threads to pay; none where that is not known of any size.
    pub too_little: Option<Expr>,
    /// Whether the iterations of the loop in it are shared out together with its own.
    pub both: bool,
}

impl fmt::Display for Pragma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pragma::Text(text) => f.write_str(text),
            Pragma::Threads(_) => f.write_str("omp parallel for"),
        }
    }
}

impl Stmt {
    /// The statements within.
    pub fn bodies(&self) -> Vec<&[Stmt]> {
        match &self.what {
            What::For { body, .. } | What::Block(body) => vec![body],
            What::If { then, otherwise, .. } => vec![then, otherwise],
            _ => vec![],
        }
    }
    /// The expressions of the statement itself, in order.
    pub fn for_each_own_expr(&self, f: &mut dyn FnMut(&Expr)) {
        match &self.what {
            What::Declare { len, init, .. } => len.iter().chain(init).for_each(f),
            What::Table { values, .. } => values.iter().for_each(f),
            What::Name { value, .. } => f(value),
            What::Assign { to, value, .. } => [to, value].into_iter().for_each(f),
            What::For { pragma, init, end, step, .. } => {
                if let Some(Pragma::Threads(Threads { too_little: Some(e), .. })) = pragma {
                    f(e);
                }
                [init, end, step].into_iter().for_each(f);
            }
            What::If { condition, .. } => f(condition),
            What::Expr(e) | What::Barrier(e) | What::Return(e) => f(e),
            What::Block(_) => {}
        }
    }
    /// The same and those of the statements within.
    pub fn for_each_expr(&self, f: &mut dyn FnMut(&Expr)) {
        self.for_each_own_expr(f);
        self.bodies().into_iter().flatten().for_each(|s| s.for_each_expr(f));
    }
    /// The names of values here and within.
    pub fn for_each_name(&mut self, f: &mut dyn FnMut(&mut String)) {
        match &mut self.what {
            What::Name { name, .. } => f(name),
            What::For { body, .. } | What::Block(body) => body.iter_mut().for_each(|s| s.for_each_name(f)),
            What::If { then, otherwise, .. } => {
                then.iter_mut().chain(otherwise).for_each(|s| s.for_each_name(f));
            }
            _ => {}
        }
    }
    /// Puts something else in the place of expressions, here and within ([`Expr::replace`]).
    pub fn replace(&mut self, by: &mut dyn FnMut(&Expr) -> Option<Expr>) {
        let all = |block: &mut Vec<Stmt>, by: &mut dyn FnMut(&Expr) -> Option<Expr>| {
            block.iter_mut().for_each(|s| s.replace(by));
        };
        match &mut self.what {
            What::Declare { len, init, .. } => len.iter_mut().chain(init).for_each(|e| e.replace(by)),
            What::Table { values, .. } => values.iter_mut().for_each(|e| e.replace(by)),
            What::Name { value, .. } => value.replace(by),
            What::Assign { to, value, .. } => [to, value].into_iter().for_each(|e| e.replace(by)),
            What::For { pragma, init, end, step, body, .. } => {
                if let Some(Pragma::Threads(Threads { too_little: Some(e), .. })) = pragma {
                    e.replace(by);
                }
                [init, end, step].into_iter().for_each(|e| e.replace(by));
                all(body, by);
            }
            What::If { condition, then, otherwise } => {
                condition.replace(by);
                all(then, by);
                all(otherwise, by);
            }
            What::Block(body) => all(body, by),
            What::Expr(e) | What::Barrier(e) | What::Return(e) => e.replace(by),
        }
    }
}

/// Text by lines.
#[derive(Default)]
pub struct Lines {
    pub text: String,
    pub lines: Vec<Line>,
}

impl Lines {
    /// Statements, `depth` steps of indentation deep.
    pub fn print(&mut self, stmts: &[Stmt], depth: usize) {
        stmts.iter().for_each(|s| self.print_one(s, depth));
    }

    /// Text that comes from no part of the program: whole lines.
    pub fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.lines.extend(text.lines().map(|_| Line::default()));
    }

    fn line(&mut self, depth: usize, part: Part, origin: &Origin, text: fmt::Arguments<'_>) {
        self.text.push_str(&"  ".repeat(depth));
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
        self.text.push('\n');
        self.lines.push(Line { part, origin: origin.clone() });
    }

    fn print_one(&mut self, s: &Stmt, depth: usize) {
        let at = &s.origin;
        match &s.what {
            What::Declare { ty, name, len, init } => {
                let len = len.as_ref().map_or_else(String::new, |n| format!("[{n}]"));
                let init = init.as_ref().map_or_else(String::new, |e| format!(" = {e}"));
                self.line(depth, Part::Memory(name.clone()), at, format_args!("{ty} {name}{len}{init};"));
            }
            What::Table { ty, name, values } => {
                let values: Vec<String> = values.iter().map(Expr::to_string).collect();
                let (n, values) = (values.len(), values.join(", "));
                let text = format_args!("{ty} {name}[{n}] = {{{values}}};");
                self.line(depth, Part::Memory(name.clone()), at, text);
            }
            What::Name { ty, name, value } => {
                // The number of a work-item is the kernel's, of no part alone.
                let part = if at.is_none() { Part::Outside } else { Part::Statement };
                self.line(depth, part, at, format_args!("{ty} {name} = {value};"));
            }
            What::Assign { to, op, value } => {
                self.line(depth, Part::Statement, at, format_args!("{to} {op} {value};"));
            }
            What::For { pragma, ty, var, init, end, step, body } => {
                if let Some(p) = pragma {
                    self.line(depth, Part::Around, at, format_args!("#pragma {p}"));
                }
                let advance = match step {
                    Expr::Text(one) if one == "1" => format!("{var}++"),
                    step => format!("{var} += {step}"),
                };
                let head = format_args!("for ({ty} {var} = {init}; {var} < {end}; {advance}) {{");
                self.line(depth, Part::Loop(var.clone()), at, head);
                self.print(body, depth + 1);
                self.line(depth, Part::Around, at, format_args!("}}"));
            }
            What::If { condition, then, otherwise } => {
                self.line(depth, Part::Statement, at, format_args!("if ({condition}) {{"));
                self.print(then, depth + 1);
                if !otherwise.is_empty() {
                    self.line(depth, Part::Around, at, format_args!("}} else {{"));
                    self.print(otherwise, depth + 1);
                }
                self.line(depth, Part::Around, at, format_args!("}}"));
            }
            What::Block(body) => {
                self.line(depth, Part::Around, at, format_args!("{{"));
                self.print(body, depth + 1);
                self.line(depth, Part::Around, at, format_args!("}}"));
            }
            What::Barrier(e) => self.line(depth, Part::Barrier, at, format_args!("{e};")),
            What::Expr(e) => self.line(depth, Part::Statement, at, format_args!("{e};")),
            What::Return(e) => self.line(depth, Part::Around, at, format_args!("return {e};")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(x: &str) -> Expr {
        Expr::name(x)
    }

    #[test]
    fn parentheses_follow_precedence() {
        let sum = Expr::binary("+", n("a"), n("b"));
        assert_eq!(Expr::binary("*", sum.clone(), n("c")).to_string(), "(a + b) * c");
        assert_eq!(Expr::binary("+", n("c"), sum.clone()).to_string(), "c + (a + b)");
        assert_eq!(Expr::binary("-", sum.clone(), n("c")).to_string(), "a + b - c");
        assert_eq!(Expr::binary("/", n("c"), Expr::binary("*", n("a"), n("b"))).to_string(), "c / (a * b)");
        assert_eq!(n("x").index(sum.clone()).to_string(), "x[a + b]");
        assert_eq!(sum.clone().cast("int").to_string(), "(int)(a + b)");
        let choice = Expr::Conditional(
            Box::new(Expr::binary("<", n("a"), n("b"))),
            Box::new(n("a")),
            Box::new(n("b")),
        );
        assert_eq!(Expr::binary("*", choice.clone(), n("c")).to_string(), "(a < b ? a : b) * c");
        assert_eq!(Expr::call("f", vec![choice, sum]).to_string(), "f(a < b ? a : b, a + b)");
    }

    /// What `-Wparentheses` of C compilers tells.
    #[test]
    fn precedence_that_few_people_know_is_written() {
        let mixed = |outer, inner| {
            let of = |op, a, b| Expr::binary(op, a, b);
            let (left, right) =
                (of(outer, of(inner, n("a"), n("b")), n("c")), of(outer, n("c"), of(inner, n("a"), n("b"))));
            (left.to_string(), right.to_string())
        };
        let both = |outer, inner| (format!("(a {inner} b) {outer} c"), format!("c {outer} (a {inner} b)"));
        for (outer, inner) in [
            ("<<", "+"),
            (">>", "-"),
            ("==", "<"),
            ("<", "<="),
            ("&", "+"),
            ("&", "=="),
            ("^", "&"),
            ("|", "^"),
            ("|", "-"),
            ("||", "&&"),
        ] {
            assert_eq!(mixed(outer, inner), both(outer, inner));
        }
        for (outer, inner) in [("<<", "*"), ("<", "+"), ("|", "<<"), ("&&", "=="), ("&&", "|")] {
            let plain = (format!("a {inner} b {outer} c"), format!("c {outer} a {inner} b"));
            assert_eq!(mixed(outer, inner), plain);
        }
    }

    #[test]
    fn signs_stay_apart() {
        let minus = |e: Expr| Expr::Unary("-", Box::new(e));
        assert_eq!(minus(minus(n("a"))).to_string(), "-(-a)");
        assert_eq!(Expr::binary("-", n("a"), Expr::int(-3)).to_string(), "a - -3");
        assert_eq!(minus(Expr::int(-3)).to_string(), "-(-3)");
    }
}
