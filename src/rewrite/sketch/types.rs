//! What sketches say of types and sizes (thesis section 5.3.2, type annotations).

use crate::lang::nat::Nat;
use crate::lang::ty::{Scalar, Type, TypeKind};
use std::fmt;

/// A set of sizes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NatSketch {
    Any,
    /// This one size, compared by normal form.
    Is(Nat),
}

/// A set of types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeSketch {
    Any,
    Scalar(Scalar),
    NatType,
    Index(NatSketch),
    Vector(NatSketch, Box<TypeSketch>),
    Pair(Box<TypeSketch>, Box<TypeSketch>),
    Array(NatSketch, Box<TypeSketch>),
    Fun(Box<TypeSketch>, Box<TypeSketch>),
}

impl NatSketch {
    pub fn has(&self, n: &Nat) -> bool {
        match self {
            NatSketch::Any => true,
            NatSketch::Is(m) => m == n,
        }
    }

    /// The text, in brackets where an operator would bind wrongly.
    pub fn atom(&self) -> String {
        match self {
            NatSketch::Any => "?".into(),
            NatSketch::Is(n) => n.as_atom_text(),
        }
    }
}

impl TypeSketch {
    pub fn fun(a: TypeSketch, b: TypeSketch) -> TypeSketch {
        TypeSketch::Fun(Box::new(a), Box::new(b))
    }

    /// What types of this shape have in common, whatever their sizes and unknowns are.
    pub fn shape_of(t: &Type) -> TypeSketch {
        let shape = |t: &Type| Box::new(TypeSketch::shape_of(t));
        match t.kind() {
            TypeKind::Scalar(s) => TypeSketch::Scalar(*s),
            TypeKind::NatType => TypeSketch::NatType,
            TypeKind::Index(_) => TypeSketch::Index(NatSketch::Any),
            TypeKind::Vector(_, t) => TypeSketch::Vector(NatSketch::Any, shape(t)),
            TypeKind::Array(_, t) => TypeSketch::Array(NatSketch::Any, shape(t)),
            TypeKind::Pair(a, b) => TypeSketch::Pair(shape(a), shape(b)),
            TypeKind::Fun(a, b) => TypeSketch::Fun(shape(a), shape(b)),
            TypeKind::Var(_) | TypeKind::Ill => TypeSketch::Any,
        }
    }

    pub fn has(&self, t: &Type) -> bool {
        match (self, t.kind()) {
            (TypeSketch::Any, _) => true,
            (TypeSketch::Scalar(s), TypeKind::Scalar(t)) => s == t,
            (TypeSketch::NatType, TypeKind::NatType) => true,
            (TypeSketch::Index(n), TypeKind::Index(m)) => n.has(m),
            (TypeSketch::Vector(n, s), TypeKind::Vector(m, t))
            | (TypeSketch::Array(n, s), TypeKind::Array(m, t)) => n.has(m) && s.has(t),
            (TypeSketch::Pair(a, b), TypeKind::Pair(s, t)) | (TypeSketch::Fun(a, b), TypeKind::Fun(s, t)) => {
                a.has(s) && b.has(t)
            }
            _ => false,
        }
    }
}

impl fmt::Display for TypeSketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeSketch::Any => write!(f, "?"),
            TypeSketch::Scalar(s) => write!(f, "{}", s.name()),
            TypeSketch::NatType => write!(f, "natType"),
            TypeSketch::Index(NatSketch::Any) => write!(f, "idx[?]"),
            TypeSketch::Index(NatSketch::Is(n)) => write!(f, "idx[{n}]"),
            TypeSketch::Vector(NatSketch::Any, t) => write!(f, "<?>{t}"),
            TypeSketch::Vector(NatSketch::Is(n), t) => write!(f, "<{n}>{t}"),
            TypeSketch::Array(n, t) => write!(f, "{}.{t}", n.atom()),
            TypeSketch::Pair(a, b) => write!(f, "({a} * {b})"),
            TypeSketch::Fun(a, b) if matches!(**a, TypeSketch::Fun(..)) => write!(f, "({a}) -> {b}"),
            TypeSketch::Fun(a, b) => write!(f, "{a} -> {b}"),
        }
    }
}
