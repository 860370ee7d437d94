//! Elaborated trees: every name has a meaning and every node a type, which may still have unknowns.

use crate::diag::Span;
use crate::nat::{Name, Nat, NatFun, NatVar};
use crate::pattern::{AddressSpace, Pattern};
use crate::ty::{Type, TypeSubst, TypeVar};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A variable: each binder and each free name has its own number.
pub type Local = u32;

/// The number of a definition.
pub type DefId = usize;

/// The number of an `x |> f` whose meaning depends on the types.
pub type JointId = usize;

/// An explicit argument of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeArg {
    Nat(Nat),
    Fun(NatFun),
    Addr(AddressSpace),
    Dim(u8),
    /// An address space or dimension that is a variable of a rule.
    Slot(Name),
}

/// What a use of a definition chose for the definition's own variables.
#[derive(Debug, Default)]
pub struct Instance {
    pub nats: FxHashMap<NatVar, Nat>,
    pub types: FxHashMap<TypeVar, Type>,
}

impl Instance {
    pub fn is_empty(&self) -> bool {
        self.nats.is_empty() && self.types.is_empty()
    }
}

impl TypeSubst for Instance {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        self.types.get(v).cloned()
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        self.nats.get(v).cloned()
    }
}

/// `iterate k (/\l. step)`
#[derive(Clone, Debug)]
pub struct Steps {
    pub count: u32,
    /// The name of `l` below.
    pub size: Name,
    /// There are `l*factor` elements before a step.
    pub factor: Nat,
    /// What is left after the last one.
    pub left: Nat,
    pub element: Type,
    pub step: Tree,
}

/// An elaborated expression.
#[derive(Clone, Debug)]
pub struct Tree {
    pub node: Node,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Node {
    Local(Local),
    Lam(Local, Box<Tree>),
    App(Box<Tree>, Box<Tree>),
    Prim(Pattern, Vec<TreeArg>),
    Bool(bool),
    /// A number as written; its type says which one it is.
    Number {
        digits: Name,
        negative: bool,
    },
    /// A size as a value.
    Size(Nat),
    Def(DefId, Rc<Instance>),
    /// `f >> g >> h`
    Compose(Vec<Tree>),
    /// `x |> f`, to be applied or composed.
    Joint(JointId, Box<Tree>, Box<Tree>),
    /// `iterate k` with a step of a size of its own: the size's name in the types below, and the size where it is kept.
    Steps(Box<Steps>),
    /// What has been reported.
    Error,
}

impl Tree {
    pub fn new(node: Node, ty: Type, span: Span) -> Tree {
        Tree { node, ty, span }
    }

    pub fn app(f: Tree, e: Tree, ty: Type, span: Span) -> Tree {
        Tree::new(Node::App(Box::new(f), Box::new(e)), ty, span)
    }

    /// The parts, in order.
    pub fn parts(&self) -> Vec<&Tree> {
        match &self.node {
            Node::Lam(_, b) => vec![b],
            Node::App(f, e) | Node::Joint(_, f, e) => vec![f, e],
            Node::Compose(all) => all.iter().collect(),
            Node::Steps(s) => vec![&s.step],
            _ => vec![],
        }
    }
}
