//! The types of RISE (thesis section 3.1.2): data types, which can be stored, and functions, which cannot.
//!
//! Types are immutable and shared; equality is equality of digests, sizes being compared by normal form.
//! Unknowns of inference and of matching are [`TypeVar::Meta`] and [`NatVar::Meta`].

use super::digest::{Bytes, Digest};
use super::nat::{Name, Nat, NatVar};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

impl Scalar {
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.name() == name)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    pub fn is_signed_integer(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The least and the greatest number of an integer type.
    pub fn extremes(self) -> (i128, i128) {
        let most = (1i128 << (8 * self.bytes() - usize::from(self.is_signed_integer()))) - 1;
        (if self.is_signed_integer() { -most - 1 } else { 0 }, most)
    }

    pub fn is_integer(self) -> bool {
        self != Scalar::Bool && !self.is_float()
    }

    /// Size in bytes, in memory.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TypeVar {
    /// A rigid variable of a rule or of a polymorphic definition.
    Named(Name),
    Meta(u32),
}

#[derive(Clone, PartialEq, Eq)]
pub enum TypeKind {
    Scalar(Scalar),
    /// A size used as a value.
    NatType,
    /// A number below the size.
    Index(Nat),
    Vector(Nat, Type),
    Pair(Type, Type),
    Array(Nat, Type),
    Fun(Type, Type),
    Var(TypeVar),
    /// The type of a term that was put together wrongly; it never passes a check.
    Ill,
}

struct Node {
    kind: TypeKind,
    /// Taken when it is first asked for.
    digest: OnceLock<Digest>,
    has_metas: bool,
    depth: u32,
}

/// Types that are nested no deeper are compared part by part where their digests are not known.
const MOST_WALKED: u32 = 4;

/// A type. Cloning is cheap, comparison takes constant time.
#[derive(Clone)]
pub struct Type(Arc<Node>);

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b)
            || a.depth == b.depth
                && match (a.digest.get(), b.digest.get()) {
                    (Some(a), Some(b)) => a == b,
                    // Of deeper types parts may be the same over and over.
                    _ if a.depth <= MOST_WALKED => a.kind == b.kind,
                    _ => self.digest() == other.digest(),
                }
    }
}
impl Eq for Type {}
impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}
impl PartialOrd for Type {
    fn partial_cmp(&self, other: &Type) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Type {
    fn cmp(&self, other: &Type) -> std::cmp::Ordering {
        self.digest().cmp(&other.digest())
    }
}

/// Replacement of variables in types. The default replaces nothing.
pub trait TypeSubst {
    fn ty(&self, _v: &TypeVar) -> Option<Type> {
        None
    }
    fn nat(&self, _v: &NatVar) -> Option<Nat> {
        None
    }
}

impl Type {
    pub fn new(kind: TypeKind) -> Type {
        let (has_metas, depth) = match &kind {
            TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Var(TypeVar::Named(_)) | TypeKind::Ill => {
                (false, 0)
            }
            TypeKind::Var(TypeVar::Meta(_)) => (true, 0),
            TypeKind::Index(n) => (n.has_metas(), 0),
            TypeKind::Vector(n, t) | TypeKind::Array(n, t) => (n.has_metas() || t.has_metas(), t.depth() + 1),
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
                (a.has_metas() || b.has_metas(), a.depth().max(b.depth()) + 1)
            }
        };
        Type(Arc::new(Node { digest: OnceLock::new(), kind, has_metas, depth }))
    }

    /// The digest of a node from those of its children.
    fn digested(&self) -> Digest {
        let mut bytes = Bytes::new();
        match self.kind() {
            TypeKind::Scalar(s) => bytes.extend([0, *s as u8]),
            TypeKind::NatType => bytes.push(1),
            TypeKind::Index(n) => {
                bytes.push(2);
                n.canonical_bytes(&mut bytes);
            }
            TypeKind::Vector(n, t) | TypeKind::Array(n, t) => {
                bytes.push(if matches!(self.kind(), TypeKind::Vector(..)) { 3 } else { 5 });
                bytes.extend_from_slice(t.digest().bytes());
                n.canonical_bytes(&mut bytes);
            }
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
                bytes.push(if matches!(self.kind(), TypeKind::Pair(..)) { 4 } else { 6 });
                bytes.extend_from_slice(a.digest().bytes());
                bytes.extend_from_slice(b.digest().bytes());
            }
            TypeKind::Var(TypeVar::Named(n)) => {
                bytes.push(7);
                bytes.extend_from_slice(n.as_bytes());
            }
            TypeKind::Var(TypeVar::Meta(i)) => {
                bytes.push(8);
                bytes.extend_from_slice(&i.to_le_bytes());
            }
            TypeKind::Ill => bytes.push(9),
        }
        Digest::of(&bytes)
    }

    pub fn scalar(s: Scalar) -> Type {
        Type::new(TypeKind::Scalar(s))
    }
    pub fn f32() -> Type {
        Type::scalar(Scalar::F32)
    }
    pub fn nat_type() -> Type {
        Type::new(TypeKind::NatType)
    }
    pub fn index(n: Nat) -> Type {
        Type::new(TypeKind::Index(n))
    }
    pub fn vector(n: Nat, t: Type) -> Type {
        Type::new(TypeKind::Vector(n, t))
    }
    pub fn array(n: Nat, t: Type) -> Type {
        Type::new(TypeKind::Array(n, t))
    }
    pub fn pair(a: Type, b: Type) -> Type {
        Type::new(TypeKind::Pair(a, b))
    }
    pub fn fun(a: Type, b: Type) -> Type {
        Type::new(TypeKind::Fun(a, b))
    }
    pub fn named(name: &str) -> Type {
        Type::new(TypeKind::Var(TypeVar::Named(name.into())))
    }
    pub fn meta(id: u32) -> Type {
        Type::new(TypeKind::Var(TypeVar::Meta(id)))
    }
    pub fn ill() -> Type {
        Type::new(TypeKind::Ill)
    }

    /// `params[0] -> params[1] -> … -> result`.
    pub fn function(params: &[Type], result: Type) -> Type {
        params.iter().rev().fold(result, |r, p| Type::fun(p.clone(), r))
    }

    pub fn kind(&self) -> &TypeKind {
        &self.0.kind
    }
    pub fn digest(&self) -> Digest {
        *self.0.digest.get_or_init(|| self.digested())
    }
    pub fn has_metas(&self) -> bool {
        self.0.has_metas
    }
    /// Nesting of type constructors; a scalar has depth 0.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Can a value of this type be stored? A variable counts as data: only data is quantified over.
    pub fn is_data(&self) -> bool {
        !matches!(self.kind(), TypeKind::Fun(..) | TypeKind::Ill)
    }
    pub fn as_fun(&self) -> Option<(&Type, &Type)> {
        if let TypeKind::Fun(a, b) = self.kind() { Some((a, b)) } else { None }
    }
    pub fn as_array(&self) -> Option<(&Nat, &Type)> {
        if let TypeKind::Array(n, t) = self.kind() { Some((n, t)) } else { None }
    }
    pub fn as_pair(&self) -> Option<(&Type, &Type)> {
        if let TypeKind::Pair(a, b) = self.kind() { Some((a, b)) } else { None }
    }
    pub fn as_vector(&self) -> Option<(&Nat, &Type)> {
        if let TypeKind::Vector(n, t) = self.kind() { Some((n, t)) } else { None }
    }
    /// What a vector holds, or the type itself.
    pub fn lane(&self) -> &Type {
        self.as_vector().map_or(self, |(_, lane)| lane)
    }
    /// The type of a truth value about it: `bool`, or one for each lane of a vector.
    pub fn truth(&self) -> Type {
        let one = Type::scalar(Scalar::Bool);
        self.as_vector().map_or(one.clone(), |(n, _)| Type::vector(n.clone(), one))
    }
    pub fn as_scalar(&self) -> Option<Scalar> {
        if let TypeKind::Scalar(s) = self.kind() { Some(*s) } else { None }
    }
    /// The scalar type that memory holds it as: plain numbers take 64 bits, indices 32, so that code for larger ones is
    /// refused (E0515). None for what is no single number.
    pub fn in_memory(&self) -> Option<Scalar> {
        match self.kind() {
            TypeKind::Scalar(s) => Some(*s),
            TypeKind::NatType => Some(Scalar::I64),
            TypeKind::Index(_) => Some(Scalar::I32),
            _ => None,
        }
    }
    pub fn as_index(&self) -> Option<&Nat> {
        if let TypeKind::Index(n) = self.kind() { Some(n) } else { None }
    }

    /// Parameters and result of a curried function type; a data type has no parameters.
    pub fn signature(&self) -> (Vec<Type>, Type) {
        let mut params = vec![];
        let mut t = self.clone();
        while let Some((a, b)) = t.clone().as_fun() {
            params.push(a.clone());
            t = b.clone();
        }
        (params, t)
    }

    /// Does the type hold an array anywhere?
    pub fn has_array(&self) -> bool {
        match self.kind() {
            TypeKind::Array(..) => true,
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => a.has_array() || b.has_array(),
            _ => false,
        }
    }

    /// Replaces variables.
    pub fn subst(&self, s: &dyn TypeSubst) -> Type {
        let nat = |n: &Nat| n.subst(&|v| s.nat(v));
        match self.kind() {
            TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Ill => self.clone(),
            TypeKind::Var(v) => s.ty(v).unwrap_or_else(|| self.clone()),
            TypeKind::Index(n) => Type::index(nat(n)),
            TypeKind::Vector(n, t) => Type::vector(nat(n), t.subst(s)),
            TypeKind::Array(n, t) => Type::array(nat(n), t.subst(s)),
            TypeKind::Pair(a, b) => Type::pair(a.subst(s), b.subst(s)),
            TypeKind::Fun(a, b) => Type::fun(a.subst(s), b.subst(s)),
        }
    }

    /// Calls `f` for every size in the type, outside in, left to right.
    pub fn for_each_nat(&self, f: &mut dyn FnMut(&Nat)) {
        match self.kind() {
            TypeKind::Index(n) => f(n),
            TypeKind::Vector(n, t) | TypeKind::Array(n, t) => {
                f(n);
                t.for_each_nat(f);
            }
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
                a.for_each_nat(f);
                b.for_each_nat(f);
            }
            _ => {}
        }
    }

    /// Calls `f` for every type variable, left to right.
    pub fn for_each_var(&self, f: &mut dyn FnMut(&TypeVar)) {
        match self.kind() {
            TypeKind::Var(v) => f(v),
            TypeKind::Vector(_, t) | TypeKind::Array(_, t) => t.for_each_var(f),
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            _ => {}
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            TypeKind::Scalar(s) => write!(f, "{}", s.name()),
            TypeKind::NatType => write!(f, "natType"),
            TypeKind::Index(n) => write!(f, "idx[{n}]"),
            TypeKind::Vector(n, t) => write!(f, "<{n}>{t}"),
            TypeKind::Pair(a, b) => write!(f, "({a} * {b})"),
            TypeKind::Array(n, t) => write!(f, "{}.{t}", n.as_atom_text()),
            TypeKind::Fun(a, b) if a.as_fun().is_some() => write!(f, "({a}) -> {b}"),
            TypeKind::Fun(a, b) => write!(f, "{a} -> {b}"),
            TypeKind::Var(TypeVar::Named(n)) => write!(f, "{n}"),
            TypeKind::Var(TypeVar::Meta(i)) => write!(f, "?t{i}"),
            TypeKind::Ill => write!(f, "<ill-typed>"),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
