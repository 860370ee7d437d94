//! The type schemes of the patterns, read once from the table.

use crate::diag::FileId;
use crate::nat::{Name, Nat, NatVar};
use crate::pattern::{self, AddressSpace, Pattern};
use crate::syntax::ast::{self, ExprKind, Kind, Op, TypeKind};
use crate::ty::{Scalar, Type, TypeSubst, TypeVar};
use std::sync::LazyLock;

/// An explicit argument of a pattern, in the order of the scheme.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explicit {
    pub name: Name,
    pub kind: ExplicitKind,
}

/// What an explicit argument is, and what it is where it is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExplicitKind {
    Nat,
    /// A size that may be left out.
    NatOr(i64),
    /// A function of sizes.
    Fun,
    Addr(AddressSpace),
    Dim(u8),
}

/// A pattern's type with its variables, which are named.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub explicit: Vec<Explicit>,
    /// Sizes that are inferred.
    pub nats: Vec<Name>,
    /// Data types that are inferred.
    pub types: Vec<Name>,
    pub ty: Type,
}

/// The values of a scheme's variables.
pub struct Choice<'a> {
    pub nats: &'a [(Name, Nat)],
    pub types: &'a [(Name, Type)],
}

impl TypeSubst for Choice<'_> {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        let TypeVar::Named(name) = v else { return None };
        self.types.iter().find(|(n, _)| n == name).map(|(_, t)| t.clone())
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        let NatVar::Named(name) = v else { return None };
        self.nats.iter().find(|(n, _)| n == name).map(|(_, n)| n.clone())
    }
}

impl ExplicitKind {
    pub fn is_nat(self) -> bool {
        matches!(self, ExplicitKind::Nat | ExplicitKind::NatOr(_))
    }
}

/// Is a size that may be left out the first of these arguments of a pattern? It surely is where it can be nothing else,
/// where there is an argument more than the pattern has parameters, and before a function, which its first parameter is.
pub fn size_is_written(pattern: Pattern, args: &[ast::Expr], is_size: impl Fn(&ast::Expr) -> bool) -> bool {
    let Some((first, behind)) = args.split_first() else { return false };
    let is_function = |e: &ast::Expr| match &e.kind {
        ExprKind::Lam(..) | ExprKind::Section(_) | ExprKind::Compose(..) => true,
        ExprKind::Name(name) => Pattern::from_name(name).is_some(),
        _ => false,
    };
    match &first.kind {
        ExprKind::Number(n) => !n.is_float(),
        ExprKind::Infix(..) => true,
        _ if is_function(first) => false,
        _ => {
            is_size(first) || behind.len() >= pattern.parameters() || behind.first().is_some_and(is_function)
        }
    }
}

impl Scheme {
    /// The scheme of a pattern. That of [`Pattern::MakeArray`] is for one element; see [`Scheme::of_array`].
    pub fn of(pattern: Pattern) -> &'static Scheme {
        static SCHEMES: LazyLock<Vec<Scheme>> =
            LazyLock::new(|| pattern::all().iter().map(|row| read(row.scheme)).collect());
        match (pattern, pattern::number(pattern)) {
            (Pattern::Declared(declared), _) => declared.scheme(),
            (_, number) => &SCHEMES[number.unwrap_or(0)],
        }
    }

    /// The type of `makeArray` for so many elements of a type.
    pub fn of_array(elements: usize, element: &Type) -> Type {
        let array = Type::array(Nat::constant(elements as i64), element.clone());
        (0..elements).fold(array, |result, _| Type::fun(element.clone(), result))
    }

    /// The type with the variables replaced.
    pub fn instantiate(&self, nats: &[(Name, Nat)], types: &[(Name, Type)]) -> Type {
        self.ty.subst(&Choice { nats, types })
    }
}

/// Reads the notation of the table, `{n: nat} (k: nat) (a: addr = private) type`.
fn read(text: &str) -> Scheme {
    let (tree, problems) = crate::syntax::parse_type(FileId::NOWHERE, text);
    let mut scheme = Scheme { explicit: vec![], nats: vec![], types: vec![], ty: Type::ill() };
    if !problems.is_empty() {
        return scheme;
    }
    let mut at = &tree;
    while let TypeKind::Forall { implicit, names, kind, default, body } = &at.kind {
        for name in names {
            let name = name.kind.clone();
            let written = default.as_ref().map(|d| &d.kind);
            match (implicit, kind) {
                (true, Kind::Nat) => scheme.nats.push(name),
                (true, _) => scheme.types.push(name),
                (false, Kind::Addr) => {
                    let space = match written {
                        Some(ExprKind::Name(n)) => AddressSpace::from_name(n),
                        _ => None,
                    };
                    let kind = ExplicitKind::Addr(space.unwrap_or(AddressSpace::Private));
                    scheme.explicit.push(Explicit { name, kind });
                }
                (false, Kind::Dim) => {
                    let dim = match written {
                        Some(ExprKind::Number(n)) => n.as_int().and_then(|i| u8::try_from(i).ok()),
                        _ => None,
                    };
                    scheme.explicit.push(Explicit { name, kind: ExplicitKind::Dim(dim.unwrap_or(0)) });
                }
                (false, Kind::Nat2Nat) => scheme.explicit.push(Explicit { name, kind: ExplicitKind::Fun }),
                (false, _) => {
                    let left_out = match written {
                        Some(ExprKind::Number(n)) => n.as_int(),
                        _ => None,
                    };
                    let kind = left_out.map_or(ExplicitKind::Nat, ExplicitKind::NatOr);
                    scheme.explicit.push(Explicit { name, kind });
                }
            }
        }
        at = body;
    }
    scheme.ty = read_type(at);
    scheme
}

fn read_type(t: &ast::Type) -> Type {
    match &t.kind {
        TypeKind::Name(n) if &**n == "natType" => Type::nat_type(),
        TypeKind::Name(n) => Scalar::from_name(n).map_or_else(|| Type::named(n), Type::scalar),
        TypeKind::Array(n, t) => Type::array(read_size(n), read_type(t)),
        TypeKind::Vector(n, t) => Type::vector(read_size(n), read_type(t)),
        TypeKind::Index(n) => Type::index(read_size(n)),
        TypeKind::Pair(a, b) => Type::pair(read_type(a), read_type(b)),
        TypeKind::Fun(a, b) => Type::fun(read_type(a), read_type(b)),
        TypeKind::Forall { .. } | TypeKind::Hole(_) | TypeKind::Error => Type::ill(),
    }
}

fn read_size(e: &ast::Size) -> Nat {
    match &e.kind {
        ExprKind::Name(n) => Nat::var(n),
        ExprKind::Number(n) => n.as_int().map_or_else(Nat::poison, Nat::constant),
        ExprKind::Infix(first, rest) => rest.iter().fold(read_size(first), |a, (op, b)| match op {
            Op::Add => a.add(&read_size(b)),
            Op::Sub => a.sub(&read_size(b)),
            Op::Mul => a.mul(&read_size(b)),
            _ => Nat::poison(),
        }),
        _ => Nat::poison(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_is_read() {
        for row in pattern::all() {
            let scheme = Scheme::of(row.pattern);
            assert!(!format!("{:?}", scheme.ty).contains("ill-typed"), "{}", row.names[0]);
            let mut nats = vec![];
            scheme.ty.for_each_nat(&mut |n| {
                assert!(!n.is_poison(), "{}", row.names[0]);
                nats.extend(n.vars());
            });
            let known = |n: &Name| scheme.nats.contains(n) || scheme.explicit.iter().any(|e| e.name == *n);
            assert!(nats.iter().all(|v| matches!(v, NatVar::Named(n) if known(n))), "{}", row.names[0]);
            scheme.ty.for_each_var(&mut |v| {
                assert!(matches!(v, TypeVar::Named(n) if scheme.types.contains(n)), "{}", row.names[0]);
            });
        }
        let slide = Scheme::of(Pattern::Slide);
        let length = Nat::var("sp").mul(&Nat::var("n")).add(&Nat::var("sz")).sub(&Nat::var("sp"));
        assert_eq!(slide.ty.as_fun().and_then(|(a, _)| a.as_array()).map(|(n, _)| n.clone()), Some(length));
        let reduce = Scheme::of(Pattern::ReduceSeq);
        assert_eq!(reduce.explicit[0].kind, ExplicitKind::Addr(AddressSpace::Private));
        assert_eq!(Scheme::of(Pattern::MapGlobal).explicit[0].kind, ExplicitKind::Dim(0));
    }
}
