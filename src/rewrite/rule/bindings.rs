//! What a rule's variables stand for.

use super::pat::{Pat, PatArg};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::path::Path;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Type, TypeSubst, TypeVar};

/// A term that a rule variable stands for.
#[derive(Clone, Debug)]
pub struct Bound {
    /// In the context of the matched term, extended by the binders of the variable's scope.
    pub term: Term,
    /// Where it stands in the matched term; none when it is an argument of the rule.
    pub at: Option<Path>,
}

/// What each variable of a rule stands for. Indices are those of the rule.
#[derive(Clone, Debug)]
pub struct Bindings {
    pub terms: Vec<Option<Bound>>,
    pub types: Vec<Option<Type>>,
    pub nats: Vec<Option<Nat>>,
    pub slots: Vec<Option<Arg>>,
    /// Sizes that were computed rather than found; whether they are sizes at all must be checked.
    pub solved: Vec<Nat>,
    /// The names of shared values, in the rule and in the term: where the right side shares the value too, it keeps its name.
    pub shared: Vec<(Name, Name)>,
}

impl Bindings {
    pub fn new(terms: usize, types: usize, nats: usize, slots: usize) -> Bindings {
        Bindings {
            terms: vec![None; terms],
            types: vec![None; types],
            nats: vec![None; nats],
            slots: vec![None; slots],
            solved: vec![],
            shared: vec![],
        }
    }

    pub fn term(&self, v: usize) -> Option<&Term> {
        self.terms.get(v)?.as_ref().map(|b| &b.term)
    }

    /// A size of the rule, as far as its variables are known.
    pub fn size(&self, n: &Nat) -> Nat {
        if n.has_metas() { n.subst(&|v| self.nat(v)) } else { n.clone() }
    }

    /// The name of a binder of the rule in what it builds.
    pub fn name<'a>(&'a self, own: &'a Name) -> &'a Name {
        let mut known = self.shared.iter().filter(|(rule, _)| rule == own).map(|(_, term)| term);
        known.next().filter(|first| known.all(|other| other == *first)).unwrap_or(own)
    }

    /// A type of the rule, as far as its variables are known.
    pub fn ty_of(&self, p: &Pat) -> Type {
        if p.ty.has_metas() { p.ty.subst(self) } else { p.ty.clone() }
    }

    pub fn arg(&self, a: &PatArg) -> Option<Arg> {
        Some(match a {
            PatArg::Nat(n) => Arg::Nat(self.size(n)),
            PatArg::Fun(f) => Arg::Fun(f.with_body(self.size(f.body()))),
            PatArg::Addr(a) => Arg::Addr(*a),
            PatArg::Dim(d) => Arg::Dim(*d),
            PatArg::Slot(i) => self.slots.get(*i)?.clone()?,
        })
    }
}

impl TypeSubst for Bindings {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        if let TypeVar::Meta(i) = v { self.types.get(*i as usize)?.clone() } else { None }
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        if let NatVar::Meta(i) = v { self.nats.get(*i as usize)?.clone() } else { None }
    }
}
