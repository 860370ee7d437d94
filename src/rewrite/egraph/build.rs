//! Building the right side of a compiled rule for a match.

use super::Graph;
use super::compile::{ArgPat, Build, NatPat, NumberPat, Program, Target, TypePat};
use super::gaps::Gap;
use super::matcher::{Match, SizeMemo};
use super::members::{MOST_MEMBERS, Members};
use super::rename::{Renaming, To};
use super::tables::{Leaf, LeafArg, TypeId, TypeRow};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::rewrite::rule::vectorise::vectorise;
use egg::Id;

/// Builds right sides of one rule.
pub struct Builder<'a> {
    pub graph: &'a mut Graph,
    pub program: &'a Program,
    pub memo: &'a mut SizeMemo,
}

impl Builder<'_> {
    /// The class of the right side; none when the filter refuses a part of it, or it cannot be built.
    pub fn right_side(&mut self, m: Match<'_>) -> Option<Id> {
        let program = self.program;
        self.build(&program.build, m)
    }

    fn build(&mut self, b: &Build, m: Match<'_>) -> Option<Id> {
        match b {
            Build::Var { var, local, outside } => self.variable(*var, local, *outside, m),
            Build::Bound(i, ty) => {
                let ty = self.ty(ty, m)?;
                self.graph.var(*i, ty)
            }
            Build::Lam(param, body) => {
                let param = self.ty(param, m)?;
                let body = self.build(body, m)?;
                self.graph.lam(param, body)
            }
            Build::App(f, e) => {
                let f = self.build(f, m)?;
                let e = self.build(e, m)?;
                self.graph.app(f, e)
            }
            Build::Prim(pattern, args, ty) => {
                let ty = self.ty(ty, m)?;
                let args = args.iter().map(|a| self.arg(*a, m)).collect::<Option<Vec<_>>>()?;
                let leaf = self.graph.tables_mut().leaf(Leaf::Prim(*pattern, args));
                self.graph.leaf(leaf, ty)
            }
            Build::Lit(leaf) => {
                let Leaf::Lit(l) = self.graph.tables().leaf_of(*leaf) else { return None };
                let ty = l.ty();
                let ty = self.graph.tables_mut().ty(&ty);
                self.graph.leaf(*leaf, ty)
            }
            Build::Number(number) => {
                let literal = self.number(*number, m)?;
                let ty = self.graph.tables_mut().ty(&literal.ty());
                let leaf = self.graph.tables_mut().leaf(Leaf::Lit(literal));
                self.graph.leaf(leaf, ty)
            }
            Build::Vectorise { size, var, local, outside } => {
                let size = self.program.size(self.graph.tables_mut(), m, *size, self.memo)?;
                let class = self.variable(*var, local, *outside, m)?;
                let n = self.graph.tables().nat_of(size).clone();
                self.vectors(&n, class)
            }
        }
    }

    /// The class of a function on vectors of n elements.
    fn vectors(&mut self, n: &Nat, class: Id) -> Option<Id> {
        if !self.graph.thorough {
            let function = self.graph.extract(class)?;
            return self.graph.encode(&vectorise(n, &function).ok()?);
        }
        let Members { terms, all } = self.graph.members(class, MOST_MEMBERS);
        if !all {
            self.graph.gaps.some_members(Gap::Vectorised);
        }
        let mut out = None;
        for function in terms {
            let Ok(vectors) = vectorise(n, &function) else { continue };
            let Some(class) = self.graph.encode(&vectors) else { continue };
            self.graph.join(*out.get_or_insert(class), class);
        }
        out
    }

    fn variable(&mut self, var: usize, local: &[Target], outside: u32, m: Match<'_>) -> Option<Id> {
        let class = m.class(var)?;
        if local.is_empty() && outside == 0 {
            return Some(self.graph.find(class));
        }
        let local = local.iter().map(|t| {
            Some(match t {
                Target::Index(i) => To::Index(*i),
                Target::Gone => To::Gone,
                Target::Build(b) => To::Class(self.build(b, m)?),
            })
        });
        let renaming = Renaming::new(local.collect::<Option<Vec<_>>>()?, outside);
        self.graph.rename(class, &renaming)
    }

    pub fn number(&mut self, number: NumberPat, m: Match<'_>) -> Option<Literal> {
        Some(match number {
            NumberPat::Nat(n) => Literal::Nat(self.size(n, m)?),
            NumberPat::Index(i, n) => Literal::Index(self.size(i, m)?, self.size(n, m)?),
        })
    }

    fn size(&mut self, n: NatPat, m: Match<'_>) -> Option<Nat> {
        let id = self.program.size(self.graph.tables_mut(), m, n, self.memo)?;
        Some(self.graph.tables().nat_of(id).clone())
    }

    pub fn arg(&mut self, a: ArgPat, m: Match<'_>) -> Option<LeafArg> {
        match a {
            ArgPat::Is(a) => Some(a),
            ArgPat::Slot(i) => m.slot(self.program, i),
            ArgPat::Fun(n) => {
                Some(LeafArg::Fun(self.program.size(self.graph.tables_mut(), m, n, self.memo)?))
            }
            ArgPat::Nat(n) => {
                Some(LeafArg::Nat(self.program.size(self.graph.tables_mut(), m, n, self.memo)?))
            }
        }
    }

    pub fn ty(&mut self, t: &TypePat, m: Match<'_>) -> Option<TypeId> {
        let row = match t {
            TypePat::Ground(t) => return Some(*t),
            TypePat::Var(i, _) => return m.ty(self.program, *i),
            TypePat::Never => return None,
            TypePat::Index(n) => {
                TypeRow::Index(self.program.size(self.graph.tables_mut(), m, *n, self.memo)?)
            }
            TypePat::Vector(n, t) => {
                let t = self.ty(t, m)?;
                TypeRow::Vector(self.program.size(self.graph.tables_mut(), m, *n, self.memo)?, t)
            }
            TypePat::Array(n, t) => {
                let t = self.ty(t, m)?;
                TypeRow::Array(self.program.size(self.graph.tables_mut(), m, *n, self.memo)?, t)
            }
            TypePat::Pair(a, b) => TypeRow::Pair(self.ty(a, m)?, self.ty(b, m)?),
            TypePat::Fun(a, b) => TypeRow::Fun(self.ty(a, m)?, self.ty(b, m)?),
        };
        Some(self.graph.tables_mut().row(row))
    }
}
