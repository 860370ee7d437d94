//! The two sides of a rule as typed patterns.
//!
//! A pattern is a term with rule variables. A variable that stands under binders of the left side may mention
//! them: it is written `Var(v, args)`, where the arguments say what each binder of its scope is at that place. On
//! the left they are the binders themselves, on the right what takes their place (`b[e/x]` puts `e` there).
//!
//! Types and sizes of patterns use [`TypeVar::Meta`]`(i)` and [`NatVar::Meta`]`(i)` for the rule's own `i`-th type
//! and size variable, so they never clash with the sizes of a program.
//!
//! [`TypeVar::Meta`]: crate::lang::ty::TypeVar::Meta
//! [`NatVar::Meta`]: crate::lang::nat::NatVar::Meta

use crate::lang::infer::scheme::{ExplicitKind, Scheme};
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatFun, NatVar};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::Type;

/// An explicit argument of a pattern in a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatArg {
    /// A size, in which `NatVar::Meta` are the rule's.
    Nat(Nat),
    /// A function of sizes, in whose body `NatVar::Meta` are the rule's.
    Fun(NatFun),
    Addr(AddressSpace),
    Dim(u8),
    /// The rule's address or dimension variable of this number.
    Slot(usize),
}

/// A node of a side of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pat {
    pub node: PatNode,
    pub ty: Type,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatNode {
    /// A rule variable, and what the binders of its scope are here, outermost first.
    Var(usize, Vec<Pat>),
    /// A binder of the rule, as De Bruijn index.
    Bound(u32),
    Lam(Name, Box<Pat>),
    App(Box<Pat>, Box<Pat>),
    Prim(Pattern, Vec<PatArg>),
    Lit(Literal),
    /// On the right: the function that the variable stands for, at vectors of the given length.
    Vectorise(Nat, usize),
}

/// What a free variable of a side is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A variable of the rule, and of how many binders it is a function.
    Variable(usize, usize),
    /// The vectorised function of a variable.
    Vectorised(Nat, usize),
}

impl Pat {
    pub fn new(node: PatNode, ty: Type) -> Pat {
        Pat { node, ty }
    }

    /// `f e`; the type is the result of `f`'s.
    pub fn app(f: Pat, e: Pat) -> Pat {
        let ty = f.ty.as_fun().map_or_else(Type::ill, |(_, r)| r.clone());
        Pat::new(PatNode::App(Box::new(f), Box::new(e)), ty)
    }

    /// Reads a side from a term whose free variables are `entries`, the outermost of the context first. A variable
    /// with binders stands applied to what they are. Sizes that `slot` knows, in the place of an address space or a
    /// dimension, are slots.
    pub fn read(t: &Term, entries: &[Entry], slot: &dyn Fn(&str) -> Option<usize>) -> Option<Pat> {
        fn go(t: &Term, depth: u32, entries: &[Entry], slot: &dyn Fn(&str) -> Option<usize>) -> Option<Pat> {
            let (head, args) = t.spine();
            if let Expr::Var(i) = head.expr()
                && *i >= depth
            {
                let entry = &entries[entries.len().checked_sub(1 + (*i - depth) as usize)?];
                let mut read =
                    args.iter().map(|a| go(a, depth, entries, slot)).collect::<Option<Vec<_>>>()?;
                let (node, rest, arity) = match entry {
                    Entry::Variable(v, arity) => {
                        if read.len() < *arity {
                            return None;
                        }
                        let rest = read.split_off(*arity);
                        (PatNode::Var(*v, read), rest, *arity)
                    }
                    Entry::Vectorised(n, v) => (PatNode::Vectorise(n.clone(), *v), read, 0),
                };
                let ty = (0..arity).try_fold(head.ty().clone(), |ty, _| Some(ty.as_fun()?.1.clone()))?;
                return Some(rest.into_iter().fold(Pat::new(node, ty), Pat::app));
            }
            let node = match t.expr() {
                Expr::Var(i) => PatNode::Bound(*i),
                Expr::Lam(name, body) => {
                    PatNode::Lam(name.clone(), Box::new(go(body, depth + 1, entries, slot)?))
                }
                Expr::App(f, e) => PatNode::App(
                    Box::new(go(f, depth, entries, slot)?),
                    Box::new(go(e, depth, entries, slot)?),
                ),
                Expr::Prim(p) => {
                    let explicit = &Scheme::of(p.pattern).explicit;
                    let args = p.args.iter().enumerate().map(|(i, a)| match a {
                        Arg::Nat(n) => match (explicit.get(i).map(|e| e.kind), n.as_variable()) {
                            (
                                Some(ExplicitKind::Addr(_) | ExplicitKind::Dim(_)),
                                Some(NatVar::Named(name)),
                            ) => slot(name).map(PatArg::Slot),
                            _ => Some(PatArg::Nat(n.clone())),
                        },
                        Arg::Fun(f) => Some(PatArg::Fun(f.clone())),
                        Arg::Addr(a) => Some(PatArg::Addr(*a)),
                        Arg::Dim(d) => Some(PatArg::Dim(*d)),
                    });
                    PatNode::Prim(p.pattern, args.collect::<Option<Vec<_>>>()?)
                }
                Expr::Lit(l) => PatNode::Lit(l.clone()),
            };
            Some(Pat::new(node, t.ty().clone()))
        }
        go(t, 0, entries, slot)
    }

    /// As [`Pat::read`], for variables alone; `arities` says of how many binders each is a function.
    pub fn from_term(t: &Term, arities: &[usize]) -> Option<Pat> {
        let entries: Vec<Entry> = arities.iter().enumerate().map(|(v, k)| Entry::Variable(v, *k)).collect();
        Pat::read(t, &entries, &|_| None)
    }

    /// The pattern at the head of an application, and the number of arguments it has here.
    pub fn head(&self) -> Option<(Pattern, usize)> {
        let mut at = self;
        let mut args = 0;
        loop {
            match &at.node {
                PatNode::App(f, _) => {
                    at = f;
                    args += 1;
                }
                PatNode::Prim(p, _) => return Some((*p, args)),
                _ => return None,
            }
        }
    }

    pub fn children(&self) -> Vec<&Pat> {
        match &self.node {
            PatNode::Var(_, args) => args.iter().collect(),
            PatNode::Lam(_, b) => vec![b],
            PatNode::App(f, e) => vec![f, e],
            PatNode::Bound(_) | PatNode::Prim(..) | PatNode::Lit(_) | PatNode::Vectorise(..) => vec![],
        }
    }

    /// Every node, outside in.
    pub fn nodes(&self) -> Vec<&Pat> {
        let mut out = vec![];
        let mut stack = vec![self];
        while let Some(p) = stack.pop() {
            out.push(p);
            stack.extend(p.children().into_iter().rev());
        }
        out
    }

    /// The number of nodes, binders of a variable's scope not counted.
    pub fn size(&self) -> usize {
        1 + match &self.node {
            PatNode::Lam(_, b) => b.size(),
            PatNode::App(f, e) => f.size() + e.size(),
            _ => 0,
        }
    }

    /// The number of patterns of the language in it.
    pub fn patterns(&self) -> usize {
        match &self.node {
            PatNode::Lam(_, b) => b.patterns(),
            PatNode::App(f, e) => f.patterns() + e.patterns(),
            PatNode::Prim(..) => 1,
            _ => 0,
        }
    }

    /// Without the binders below the root whose functions do nothing but apply another one to them: `f` for `\c. f c`. Programs
    /// have the one or the other, and what is not applied matches both.
    #[must_use]
    pub fn without_eta(&self) -> Pat {
        let node = match &self.node {
            PatNode::Lam(n, b) => PatNode::Lam(n.clone(), Box::new(b.eta_reduced())),
            PatNode::App(f, e) => PatNode::App(Box::new(f.eta_reduced()), Box::new(e.eta_reduced())),
            other => other.clone(),
        };
        Pat::new(node, self.ty.clone())
    }

    fn eta_reduced(&self) -> Pat {
        let inner = self.without_eta();
        if let PatNode::Lam(_, body) = &inner.node
            && let PatNode::App(f, e) = &body.node
            && e.node == PatNode::Bound(0)
            && !f.mentions(0)
        {
            return f.subst0(e);
        }
        inner
    }

    fn mentions(&self, binder: u32) -> bool {
        match &self.node {
            PatNode::Bound(i) => *i == binder,
            PatNode::Lam(_, b) => b.mentions(binder + 1),
            _ => self.children().into_iter().any(|p| p.mentions(binder)),
        }
    }

    /// The body with binder 0 replaced by a pattern from outside the binder (beta reduction of patterns).
    pub fn subst0(&self, arg: &Pat) -> Pat {
        self.substituted(0, arg)
    }

    fn substituted(&self, depth: u32, arg: &Pat) -> Pat {
        let go = |p: &Pat, d: u32| p.substituted(d, arg);
        let node = match &self.node {
            PatNode::Bound(i) if *i == depth => return arg.shifted(depth, 0),
            PatNode::Bound(i) if *i > depth => PatNode::Bound(i - 1),
            PatNode::Var(v, args) => PatNode::Var(*v, args.iter().map(|a| go(a, depth)).collect()),
            PatNode::Lam(n, b) => PatNode::Lam(n.clone(), Box::new(go(b, depth + 1))),
            PatNode::App(f, e) => PatNode::App(Box::new(go(f, depth)), Box::new(go(e, depth))),
            other => other.clone(),
        };
        Pat::new(node, self.ty.clone())
    }

    /// Adds `by` to the binders from `cutoff` upwards.
    pub fn shifted(&self, by: u32, cutoff: u32) -> Pat {
        let go = |p: &Pat, c: u32| p.shifted(by, c);
        let node = match &self.node {
            PatNode::Bound(i) if *i >= cutoff => PatNode::Bound(i + by),
            PatNode::Var(v, args) => PatNode::Var(*v, args.iter().map(|a| go(a, cutoff)).collect()),
            PatNode::Lam(n, b) => PatNode::Lam(n.clone(), Box::new(go(b, cutoff + 1))),
            PatNode::App(f, e) => PatNode::App(Box::new(go(f, cutoff)), Box::new(go(e, cutoff))),
            other => other.clone(),
        };
        Pat::new(node, self.ty.clone())
    }
}
