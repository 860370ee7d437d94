//! Sketches: sets of programs, by their shape (thesis section 5.3).
//!
//! A sketch is read from text by [`read()`], with the program's sizes known; its abbreviations are definitions in
//! text ([`Library`]), the common ones in `library.elevate`. [`Sketch::satisfied_by`] says whether a term is in the set;
//! [`classes`], [`extract`] and [`count`] answer the same of an e-graph: which classes have a member in the set, the
//! lightest such member, and how many there are up to a size.

pub mod automaton;
pub mod best;
pub mod classes;
mod contradiction;
pub mod count;
mod eta;
pub mod extract;
pub mod holes;
mod implied;
mod index;
pub mod library;
pub mod parts;
pub mod read;
mod size_condition;
mod terms;
pub mod thrift;
pub mod types;
mod typing;
pub mod variants;
mod ways;
pub mod widen;

use crate::lang::literal::Literal;
use crate::lang::nat::{Name, NatFun};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::ty::Scalar;
pub use library::Library;
pub(crate) use read::CONTAINS;
use read::explicit_params;
pub use read::{read, read_with, wrong_definition};
pub use size_condition::{Comparison, SizeCondition};
use std::fmt;
use std::sync::Arc;
pub use types::{NatSketch, TypeSketch};

/// A set of terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sketch(Arc<Shape>);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// `?`: every term
    Any,
    /// A variable that a lambda of the sketch binds, as its De Bruijn index.
    Var(u32),
    Lam(Sketch),
    App(Sketch, Sketch),
    /// A pattern, and what its explicit arguments must be.
    Pattern(Pattern, Vec<ArgSketch>),
    Number(Number),
    /// A term that has a sub-term, perhaps itself, in the set.
    Contains(Sketch),
    Or(Vec<Sketch>),
    And(Vec<Sketch>),
    /// `not contains(s)`, of a pattern or number s: exact, since a term avoids it if each of its parts does.
    Not(Sketch),
    /// What must be known of sizes: of all programs if it is, else of none.
    Sizes(SizeCondition),
    /// `s : t`
    Typed(Sketch, TypeSketch),
    /// An abbreviation as it was written, and what it stands for.
    Named(Label, Sketch),
}

/// How an abbreviation was written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub text: Name,
    /// With `…` for the sketches in it.
    pub short: Name,
}

/// What an explicit argument of a pattern must be.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ArgSketch {
    Any,
    Nat(NatSketch),
    Fun(NatFun),
    Addr(AddressSpace),
    Dim(u8),
}

/// A number as it was written: of every type that can hold it, an index included, unless it names one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    pub digits: Name,
    pub scalar: Option<Scalar>,
}

impl Number {
    /// May it be one of this type?
    pub fn may_be(&self, scalar: Scalar) -> bool {
        self.scalar.is_none_or(|own| own == scalar)
            && (scalar.is_float() || self.digits.parse::<i128>().is_ok())
    }

    pub fn is(&self, literal: &Literal) -> bool {
        let scalar = match literal {
            Literal::Int(_, s) | Literal::Float(_, s) => *s,
            Literal::Nat(n) | Literal::Index(n, _) => {
                let value = n.as_constant().filter(|_| self.scalar.is_none());
                return value.is_some_and(|v| Ok(v) == self.digits.parse());
            }
            Literal::Bool(_) => return false,
        };
        if self.scalar.is_some_and(|s| s != scalar) {
            return false;
        }
        let same = match (self.digits.parse::<i128>(), self.digits.parse::<f64>()) {
            (Ok(v), _) => Literal::number(v, scalar),
            (Err(_), Ok(v)) if scalar.is_float() => Some(Literal::float(v, scalar)),
            _ => None,
        };
        same.as_ref() == Some(literal)
    }
}

impl Sketch {
    pub fn new(shape: Shape) -> Sketch {
        Sketch(Arc::new(shape))
    }
    pub fn any() -> Sketch {
        Sketch::new(Shape::Any)
    }
    /// What no program is like.
    pub fn nothing() -> Sketch {
        Sketch::new(Shape::Or(vec![]))
    }
    pub fn pattern(p: Pattern) -> Sketch {
        Sketch::new(Shape::Pattern(p, vec![]))
    }
    pub fn app(f: Sketch, e: Sketch) -> Sketch {
        Sketch::new(Shape::App(f, e))
    }
    pub fn contains(s: Sketch) -> Sketch {
        Sketch::new(Shape::Contains(s))
    }
    pub fn typed(s: Sketch, t: TypeSketch) -> Sketch {
        if t == TypeSketch::Any { s } else { Sketch::new(Shape::Typed(s, t)) }
    }

    pub fn shape(&self) -> &Shape {
        &self.0
    }

    /// The sketch without the names of abbreviations around it.
    pub fn bare(&self) -> &Sketch {
        let mut s = self;
        while let Shape::Named(_, inner) = s.shape() {
            s = inner;
        }
        s
    }

    /// Is it a pattern or a number, perhaps of a type, or one of several?
    pub fn is_leaf(&self) -> bool {
        match self.shape() {
            Shape::Pattern(..) | Shape::Number(_) => true,
            Shape::Named(_, s) | Shape::Typed(s, _) => s.is_leaf(),
            Shape::Or(all) => all.iter().all(Sketch::is_leaf),
            _ => false,
        }
    }

    /// Does it stand beside what is written, rather than being written?
    fn is_unwritten(&self) -> bool {
        matches!(self.shape(), Shape::Sizes(SizeCondition::Whole(_)))
    }

    pub fn children(&self) -> Vec<&Sketch> {
        match self.shape() {
            Shape::Any | Shape::Var(_) | Shape::Pattern(..) | Shape::Number(_) | Shape::Sizes(_) => vec![],
            Shape::Lam(s) | Shape::Contains(s) | Shape::Not(s) | Shape::Typed(s, _) | Shape::Named(_, s) => {
                vec![s]
            }
            Shape::App(f, e) => vec![f, e],
            Shape::Or(all) | Shape::And(all) => all.iter().collect(),
        }
    }

    /// The text of a part that stands under so many binders.
    pub fn within(&self, binders: u32) -> String {
        struct Within<'a>(&'a Sketch, u32);
        impl fmt::Display for Within<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, self.1)
            }
        }
        Within(self, binders).to_string()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, binders: u32) -> fmt::Result {
        let atom = |s: &Sketch, f: &mut fmt::Formatter<'_>| match s.shape() {
            Shape::App(..) | Shape::Lam(_) | Shape::Or(_) | Shape::And(_) | Shape::Not(_) => {
                write!(f, "(")?;
                s.write(f, binders)?;
                write!(f, ")")
            }
            Shape::Number(n) if n.digits.starts_with('-') => {
                write!(f, "({}{})", n.digits, n.scalar.map_or("", Scalar::name))
            }
            Shape::Pattern(_, args) if !args.is_empty() => {
                write!(f, "(")?;
                s.write(f, binders)?;
                write!(f, ")")
            }
            _ => s.write(f, binders),
        };
        match self.shape() {
            Shape::Any => write!(f, "?"),
            Shape::Var(i) => write!(f, "x{}", i64::from(binders) - 1 - i64::from(*i)),
            Shape::Lam(body) => {
                write!(f, "\\x{binders}. ")?;
                body.write(f, binders + 1)
            }
            Shape::App(g, e) => {
                match g.shape() {
                    Shape::App(..) | Shape::Pattern(..) => g.write(f, binders)?,
                    _ => atom(g, f)?,
                }
                write!(f, " ")?;
                atom(e, f)
            }
            Shape::Pattern(p, args) => {
                write!(f, "{p}")?;
                let kinds = explicit_params(*p);
                args.iter().zip(kinds).try_for_each(|(a, (kind, optional))| match a {
                    // A hole in its place would be read as the next one.
                    ArgSketch::Any if optional && kind != "nat" => Ok(()),
                    ArgSketch::Any => write!(f, " ?"),
                    ArgSketch::Nat(n) => write!(f, " {}", n.atom()),
                    ArgSketch::Fun(g) => write!(f, " ({g})"),
                    ArgSketch::Addr(a) => write!(f, " {}", a.name()),
                    ArgSketch::Dim(d) => write!(f, " {d}"),
                })
            }
            Shape::Number(n) => write!(f, "{}{}", n.digits, n.scalar.map_or("", Scalar::name)),
            Shape::Contains(s) => {
                write!(f, "contains(")?;
                s.write(f, binders)?;
                write!(f, ")")
            }
            Shape::Not(s) => {
                write!(f, "not ")?;
                s.write(f, binders)
            }
            Shape::Or(all) | Shape::And(all) => {
                let word = if matches!(self.shape(), Shape::Or(_)) { "or" } else { "and" };
                // That sizes are whole is not written.
                let written: Vec<&Sketch> = all.iter().filter(|s| !s.is_unwritten()).collect();
                if let [alone] = written.as_slice() {
                    return alone.write(f, binders);
                }
                for (i, s) in written.into_iter().enumerate() {
                    if i > 0 {
                        write!(f, " {word} ")?;
                    }
                    atom(s, f)?;
                }
                Ok(())
            }
            Shape::Sizes(c) => write!(f, "{c}"),
            Shape::Typed(s, t) => {
                write!(f, "(")?;
                s.write(f, binders)?;
                write!(f, " : {t})")
            }
            Shape::Named(label, _) => write!(f, "{}", label.text),
        }
    }
}

/// Prints what the reader reads back; abbreviations as they were written.
impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}
