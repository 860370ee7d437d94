//! Building the sides of a compiled rule for a match.

use super::analysis::Indices;
use super::compile::{ArgPat, Build, NatPat, NumberPat, Program, Target, TypePat};
use super::gaps::Gap;
use super::matcher::{MOST_CHOICES, Match, SizeMemo};
use super::members::MOST_MEMBERS;
use super::rename::{Renaming, To};
use super::tables::{Leaf, LeafArg, TypeId, TypeRow};
use super::{Graph, Id};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::term::Term;
use crate::rule::vectorise::vectorise;
use crate::rule::{RuleArg, Run};

/// Builds the sides of one rule for a match.
pub struct Builder<'a> {
    graph: &'a mut Graph,
    program: &'a Program,
    memo: &'a mut SizeMemo,
    /// The term that is taken for each variable.
    terms: Vec<Option<Id>>,
    /// Where the types of this match are known.
    types: usize,
    /// The right side that was built last, and whether it is the very term that it says.
    right: Option<Id>,
    right_is_exact: bool,
}

impl<'a> Builder<'a> {
    /// Takes a term for each variable: the best of its class, or where that does not do, and the graph is to be thorough,
    /// one that does. None when there is none.
    pub fn new(
        graph: &'a mut Graph,
        program: &'a Program,
        memo: &'a mut SizeMemo,
        m: Match<'_>,
    ) -> Option<Builder<'a>> {
        let best = |v| m.class(v).map(|class| graph.data(class).best().term);
        let mut terms: Vec<Option<Id>> = (0..program.places.len()).map(best).collect();
        if graph.thorough {
            for (place, term) in program.places.iter().zip(&mut terms) {
                let (Some(place), Some(best)) = (place, *term) else { continue };
                let forbidden = (0..place.depth).filter(|i| !place.scope.contains(i));
                let forbidden = forbidden.fold(Indices::NONE, |all, i| all.union(Indices::one(i)));
                *term = Some(graph.member_without(best, forbidden)?);
            }
            for (i, other) in program.others.iter().enumerate() {
                if !other.renaming.is_identity() {
                    let (from, to) = (m.class(other.var)?, m.other(program, i)?);
                    terms[other.var] = Some(graph.member_sent(&other.renaming, from, to)?);
                }
            }
        }
        for (v, term) in m.asked(program) {
            terms[v] = Some(term);
        }
        let types = memo.types_of(program, m);
        Some(Builder { graph, program, memo, terms, types, right: None, right_is_exact: false })
    }

    /// The class of the right side; none when the filter refuses a part of it, or it cannot be built.
    pub fn right_side(&mut self, m: Match<'_>) -> Option<Id> {
        let program = self.program;
        self.right_is_exact = false;
        self.graph.egraph.took_another = false;
        let right = match &program.computed {
            None => self.build(&program.build, m)?,
            Some((run, args)) => {
                let left = self.left_side(m)?;
                self.computed(left, *run, args)?
            }
        };
        self.right_is_exact = !self.graph.egraph.took_another && !self.graph.thorough;
        self.right = Some(right);
        Some(right)
    }

    /// The left side as the term that it is. It is there already, whatever the filter says of it.
    fn left_side(&mut self, m: Match<'_>) -> Option<Id> {
        let program = self.program;
        self.graph.exact = true;
        let filter = std::mem::take(&mut self.graph.filter);
        let left = self.build(&program.left, m);
        self.graph.filter = filter;
        self.graph.exact = false;
        left
    }

    /// What a procedure makes of a term.
    fn computed(&mut self, left: Id, run: Run, args: &[RuleArg]) -> Option<Id> {
        let left = self.graph.decoder().term(left)?;
        self.graph.encode(&run(&left, args).ok()?.term)
    }

    /// Is what was built in the class of the match?
    pub fn is_known(&self, m: Match<'_>, right: Id) -> bool {
        self.graph.find(right) == self.graph.find(m.root())
    }

    /// Both sides as the terms that they are.
    pub fn sides(&mut self, m: Match<'_>) -> Option<(Id, Id)> {
        let program = self.program;
        let left = self.left_side(m)?;
        if let Some(right) = self.right.filter(|_| self.right_is_exact) {
            return Some((left, right));
        }
        self.graph.exact = true;
        let right = match &program.computed {
            None => self.build(&program.build, m),
            Some((run, args)) => self.computed(left, *run, args),
        };
        self.graph.exact = false;
        Some((left, right?))
    }

    /// Where terms decide what the right side is, both sides for all members of their classes, as far as there are few
    /// enough.
    pub fn sides_of_others(&mut self, m: Match<'_>) -> Vec<(Id, Id)> {
        let program = self.program;
        if program.reads.is_empty() {
            return vec![];
        }
        let mut choices: Vec<Vec<(usize, Term)>> = vec![vec![]];
        let mut all = true;
        for (v, class) in program.reads.iter().filter_map(|v| Some((*v, m.class(*v)?))) {
            let members = self.graph.members(class, MOST_MEMBERS);
            all &= members.all;
            let with = |c: &Vec<(usize, Term)>, t: &Term| c.iter().cloned().chain([(v, t.clone())]).collect();
            choices = choices.iter().flat_map(|c| members.terms.iter().map(move |t| with(c, t))).collect();
            all &= choices.len() <= MOST_CHOICES;
            choices.truncate(MOST_CHOICES);
        }
        if !all {
            self.graph.gaps.some_members(if program.computed.is_some() {
                Gap::Computed
            } else {
                Gap::Vectorised
            });
        }
        let mut sides = vec![];
        for choice in choices {
            for (v, term) in choice {
                self.terms[v] = self.graph.encode_exactly(&term);
            }
            sides.extend(self.sides(m));
        }
        sides
    }

    fn build(&mut self, b: &Build, m: Match<'_>) -> Option<Id> {
        match b {
            Build::Var { var, local, outside } => self.variable(*var, local, *outside, m),
            Build::Bound(i, ty) => {
                let ty = self.built_type(*ty, m)?;
                self.graph.var(*i, ty)
            }
            Build::Lam(param, body) => {
                let param = self.built_type(*param, m)?;
                let body = self.build(body, m)?;
                self.graph.lam(param, body)
            }
            Build::App(f, e) => {
                let f = self.build(f, m)?;
                let e = self.build(e, m)?;
                self.graph.app(f, e)
            }
            Build::Prim(pattern, args, ty) => {
                let ty = self.built_type(*ty, m)?;
                let args = args.iter().map(|a| self.arg(*a, m)).collect::<Option<Vec<_>>>()?;
                let leaf = self.graph.tables_mut().leaf(Leaf::Prim(*pattern, args));
                self.graph.leaf(leaf, ty)
            }
            Build::Leaf(leaf, ty) => {
                let ty = self.built_type(*ty, m)?;
                self.graph.leaf(*leaf, ty)
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

    /// A function on vectors of n elements.
    fn vectors(&mut self, n: &Nat, function: Id) -> Option<Id> {
        let function = self.graph.decoder().term(function)?;
        self.graph.encode(&vectorise(n, &function).ok()?)
    }

    fn variable(&mut self, var: usize, local: &[Target], outside: u32, m: Match<'_>) -> Option<Id> {
        let term = (*self.terms.get(var)?)?;
        if local.is_empty() && outside == 0 {
            return Some(term);
        }
        let local = local.iter().map(|t| {
            Some(match t {
                Target::Index(i) => To::Index(*i),
                Target::Gone => To::Gone,
                Target::Build(b) => To::Term(self.build(b, m)?),
            })
        });
        let renaming = Renaming::new(local.collect::<Option<Vec<_>>>()?, outside);
        self.graph.rename(term, &renaming)
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

    fn built_type(&mut self, number: usize, m: Match<'_>) -> Option<TypeId> {
        let place = self.types + number;
        if let Some(known) = self.memo.built_type(place) {
            return Some(known);
        }
        let program = self.program;
        let ty = self.ty(&program.types[number], m)?;
        self.memo.note_type(place, ty);
        Some(ty)
    }

    fn ty(&mut self, t: &TypePat, m: Match<'_>) -> Option<TypeId> {
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
