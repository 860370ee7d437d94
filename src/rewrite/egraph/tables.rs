//! Types, sizes and what leaves carry, each once and by number, beside the e-graph (thesis section 5.4.4).

use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatFun};
use crate::lang::pattern::{AddressSpace, Level, Pattern};
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Arg, Prim};
use crate::lang::ty::{Scalar, Type, TypeKind, TypeVar};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NatId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeafId(pub u32);

/// The outermost constructor of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TypeRow {
    Scalar(Scalar),
    NatType,
    Index(NatId),
    Vector(NatId, TypeId),
    Pair(TypeId, TypeId),
    Array(NatId, TypeId),
    Fun(TypeId, TypeId),
    /// A rigid type variable, by its number in the table of names.
    Named(u32),
    /// What is no type of a finished term.
    Ill,
}

/// What filters ask of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeFacts {
    /// The deepest nesting of arrays; of a function the deepest among parameters and result.
    pub dims: u8,
    /// No size in it is certainly below one, or out of range.
    pub inhabited: bool,
    pub data: bool,
}

/// An explicit argument of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LeafArg {
    Nat(NatId),
    /// The body of a function of sizes.
    Fun(NatId),
    Addr(AddressSpace),
    Dim(u8),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    Prim(Pattern, Vec<LeafArg>),
    Lit(Literal),
}

type Set<T> = IndexSet<T, FxBuildHasher>;

#[derive(Default)]
pub struct Tables {
    types: Set<TypeRow>,
    /// Those of functions that were asked for, which are asked for most often.
    functions: FxHashMap<(TypeId, TypeId), TypeId>,
    facts: Vec<TypeFacts>,
    /// The types themselves, made when they are first asked for.
    made: Vec<OnceLock<Type>>,
    type_memo: FxHashMap<Type, TypeId>,
    nats: Set<Nat>,
    inhabited: Vec<bool>,
    leaves: Set<Leaf>,
    by_pattern: FxHashMap<Pattern, Vec<LeafId>>,
    names: Set<Name>,
}

impl Tables {
    pub fn nat(&mut self, n: &Nat) -> NatId {
        if let Some(i) = self.nats.get_index_of(n) {
            return NatId(i as u32);
        }
        let (i, _) = self.nats.insert_full(n.clone());
        self.inhabited.push(!n.is_poison() && !n.is_evidently_below_one());
        NatId(i as u32)
    }

    /// All sizes that have been met.
    pub fn nats(&self) -> impl Iterator<Item = &Nat> {
        self.nats.iter()
    }
    #[inline]
    pub fn nat_of(&self, id: NatId) -> &Nat {
        &self.nats[id.0 as usize]
    }

    /// Is the size neither out of range nor certainly below one?
    #[inline]
    pub fn is_size(&self, id: NatId) -> bool {
        self.inhabited[id.0 as usize]
    }

    pub fn name(&mut self, name: &Name) -> u32 {
        self.names.insert_full(name.clone()).0 as u32
    }

    pub fn row(&mut self, row: TypeRow) -> TypeId {
        if let Some(i) = self.types.get_index_of(&row) {
            return TypeId(i as u32);
        }
        let facts = |t: TypeId| self.facts[t.0 as usize];
        let new = match row {
            TypeRow::Scalar(_) | TypeRow::NatType | TypeRow::Named(_) => {
                TypeFacts { dims: 0, inhabited: true, data: true }
            }
            TypeRow::Index(n) => TypeFacts { dims: 0, inhabited: self.is_size(n), data: true },
            TypeRow::Vector(n, t) => {
                TypeFacts { inhabited: self.is_size(n) && facts(t).inhabited, ..facts(t) }
            }
            TypeRow::Array(n, t) => TypeFacts {
                dims: facts(t).dims.saturating_add(1),
                inhabited: self.is_size(n) && facts(t).inhabited,
                data: facts(t).data,
            },
            TypeRow::Pair(a, b) => TypeFacts {
                dims: facts(a).dims.max(facts(b).dims),
                inhabited: facts(a).inhabited && facts(b).inhabited,
                data: facts(a).data && facts(b).data,
            },
            TypeRow::Fun(a, b) => TypeFacts {
                dims: facts(a).dims.max(facts(b).dims),
                inhabited: facts(a).inhabited && facts(b).inhabited,
                data: false,
            },
            TypeRow::Ill => TypeFacts { dims: 0, inhabited: false, data: false },
        };
        self.facts.push(new);
        self.made.push(OnceLock::new());
        TypeId(self.types.insert_full(row).0 as u32)
    }

    #[inline]
    pub fn row_of(&self, id: TypeId) -> TypeRow {
        self.types[id.0 as usize]
    }

    #[inline]
    pub fn facts(&self, id: TypeId) -> TypeFacts {
        self.facts[id.0 as usize]
    }

    /// The number of a type; unknowns have none.
    pub fn ty(&mut self, t: &Type) -> TypeId {
        if let Some(id) = self.type_memo.get(t) {
            return *id;
        }
        let row = match t.kind() {
            TypeKind::Scalar(s) => TypeRow::Scalar(*s),
            TypeKind::NatType => TypeRow::NatType,
            TypeKind::Index(n) => TypeRow::Index(self.nat(n)),
            TypeKind::Vector(n, e) => TypeRow::Vector(self.nat(n), self.ty(e)),
            TypeKind::Array(n, e) => TypeRow::Array(self.nat(n), self.ty(e)),
            TypeKind::Pair(a, b) => TypeRow::Pair(self.ty(a), self.ty(b)),
            TypeKind::Fun(a, b) => TypeRow::Fun(self.ty(a), self.ty(b)),
            TypeKind::Var(TypeVar::Named(n)) => TypeRow::Named(self.name(n)),
            TypeKind::Var(TypeVar::Meta(_)) | TypeKind::Ill => TypeRow::Ill,
        };
        let id = self.row(row);
        self.type_memo.insert(t.clone(), id);
        id
    }

    /// The number of a type that has one.
    pub fn known_ty(&self, t: &Type) -> Option<TypeId> {
        if let Some(id) = self.type_memo.get(t) {
            return Some(*id);
        }
        let row = match t.kind() {
            TypeKind::Scalar(s) => TypeRow::Scalar(*s),
            TypeKind::NatType => TypeRow::NatType,
            TypeKind::Index(n) => TypeRow::Index(self.known_nat(n)?),
            TypeKind::Vector(n, e) => TypeRow::Vector(self.known_nat(n)?, self.known_ty(e)?),
            TypeKind::Array(n, e) => TypeRow::Array(self.known_nat(n)?, self.known_ty(e)?),
            TypeKind::Pair(a, b) => TypeRow::Pair(self.known_ty(a)?, self.known_ty(b)?),
            TypeKind::Fun(a, b) => TypeRow::Fun(self.known_ty(a)?, self.known_ty(b)?),
            TypeKind::Var(TypeVar::Named(n)) => TypeRow::Named(self.names.get_index_of(n)? as u32),
            TypeKind::Var(TypeVar::Meta(_)) | TypeKind::Ill => return None,
        };
        Some(TypeId(self.types.get_index_of(&row)? as u32))
    }

    fn known_nat(&self, n: &Nat) -> Option<NatId> {
        Some(NatId(self.nats.get_index_of(n)? as u32))
    }

    /// The number of a pattern with its explicit arguments, if it has one.
    pub fn known_prim(&self, prim: &Prim) -> Option<LeafId> {
        let args = prim.args.iter().map(|a| {
            Some(match a {
                Arg::Nat(n) => LeafArg::Nat(self.known_nat(n)?),
                Arg::Fun(f) => LeafArg::Fun(self.known_nat(f.body())?),
                Arg::Addr(a) => LeafArg::Addr(*a),
                Arg::Dim(d) => LeafArg::Dim(*d),
            })
        });
        self.known_leaf(&Leaf::Prim(prim.pattern, args.collect::<Option<_>>()?))
    }

    pub fn known_leaf(&self, leaf: &Leaf) -> Option<LeafId> {
        Some(LeafId(self.leaves.get_index_of(leaf)? as u32))
    }

    pub fn ty_of(&self, id: TypeId) -> Type {
        self.made[id.0 as usize].get_or_init(|| self.make(id)).clone()
    }

    fn make(&self, id: TypeId) -> Type {
        match self.row_of(id) {
            TypeRow::Scalar(s) => Type::scalar(s),
            TypeRow::NatType => Type::nat_type(),
            TypeRow::Index(n) => Type::index(self.nat_of(n).clone()),
            TypeRow::Vector(n, t) => Type::vector(self.nat_of(n).clone(), self.ty_of(t)),
            TypeRow::Array(n, t) => Type::array(self.nat_of(n).clone(), self.ty_of(t)),
            TypeRow::Pair(a, b) => Type::pair(self.ty_of(a), self.ty_of(b)),
            TypeRow::Fun(a, b) => Type::fun(self.ty_of(a), self.ty_of(b)),
            TypeRow::Named(n) => self.names.get_index(n as usize).map_or_else(Type::ill, |n| Type::named(n)),
            TypeRow::Ill => Type::ill(),
        }
    }

    #[inline]
    pub fn fun(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if let Some(known) = self.functions.get(&(a, b)) {
            return *known;
        }
        let ty = self.row(TypeRow::Fun(a, b));
        self.functions.insert((a, b), ty);
        ty
    }

    #[inline]
    pub fn as_fun(&self, id: TypeId) -> Option<(TypeId, TypeId)> {
        if let TypeRow::Fun(a, b) = self.row_of(id) { Some((a, b)) } else { None }
    }

    pub fn type_count(&self) -> usize {
        self.types.len()
    }

    pub fn leaf(&mut self, leaf: Leaf) -> LeafId {
        if let Some(i) = self.leaves.get_index_of(&leaf) {
            return LeafId(i as u32);
        }
        let pattern = if let Leaf::Prim(p, _) = &leaf { Some(*p) } else { None };
        let id = LeafId(self.leaves.insert_full(leaf).0 as u32);
        if let Some(p) = pattern {
            self.by_pattern.entry(p).or_default().push(id);
        }
        id
    }

    pub fn prim(&mut self, prim: &Prim) -> LeafId {
        let args = prim.args.iter().map(|a| match a {
            Arg::Nat(n) => LeafArg::Nat(self.nat(n)),
            Arg::Fun(f) => LeafArg::Fun(self.nat(f.body())),
            Arg::Addr(a) => LeafArg::Addr(*a),
            Arg::Dim(d) => LeafArg::Dim(*d),
        });
        let args = args.collect();
        self.leaf(Leaf::Prim(prim.pattern, args))
    }

    #[inline]
    pub fn leaf_of(&self, id: LeafId) -> &Leaf {
        &self.leaves[id.0 as usize]
    }

    pub fn leaves(&self) -> impl Iterator<Item = (LeafId, &Leaf)> {
        self.leaves.iter().enumerate().map(|(i, leaf)| (LeafId(i as u32), leaf))
    }

    /// Every leaf of a pattern, whatever its explicit arguments.
    pub fn leaves_of(&self, pattern: Pattern) -> &[LeafId] {
        self.by_pattern.get(&pattern).map_or(&[], Vec::as_slice)
    }

    pub fn arg_of(&self, arg: LeafArg) -> Arg {
        match arg {
            LeafArg::Nat(n) => Arg::Nat(self.nat_of(n).clone()),
            LeafArg::Fun(n) => Arg::Fun(NatFun::new("i", self.nat_of(n).clone())),
            LeafArg::Addr(a) => Arg::Addr(a),
            LeafArg::Dim(d) => Arg::Dim(d),
        }
    }
}

/// What a leaf adds to the size of a term. A pattern that takes a decision that the sketch may not have asked for, to
/// run in parallel or to unroll, weighs one more than the one that leaves it open (thesis section 5.6.5).
pub fn weight(leaf: &Leaf) -> u32 {
    if let Leaf::Prim(pattern, _) = leaf { weight_of(*pattern) } else { 1 }
}

/// What a pattern weighs as a leaf.
pub fn weight_of(pattern: Pattern) -> u32 {
    let unrolls = matches!(pattern.sort(), Sort::Map(How::Unrolled) | Sort::Reduce(How::Unrolled));
    if unrolls || matches!(pattern.level(), Level::OpenMp | Level::OpenCl) { 2 } else { 1 }
}
