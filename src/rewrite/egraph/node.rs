//! The e-nodes: 16 bytes, an operator, a type and at most two children.
//!
//! Types, sizes and what leaves carry are numbers into [`super::tables::Tables`]. The type is part of the node, so a
//! pattern at two types is two leaves and a class never mixes types (thesis section 5.4.4).

use std::hash::{Hash, Hasher};

use super::tables::{LeafId, TypeId};

/// A node, by number, and with it the class that it is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(pub(super) u32);

impl From<usize> for Id {
    #[inline]
    fn from(i: usize) -> Id {
        Id(i as u32)
    }
}
impl From<Id> for usize {
    #[inline]
    fn from(id: Id) -> usize {
        id.0 as usize
    }
}

/// What a node is; the upper bits are the kind, so that nodes sort by kind first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op(u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// De Bruijn index
    Var(u32),
    Lam,
    App,
    Leaf(LeafId),
}

const PAYLOAD: u32 = (1 << 30) - 1;

impl Op {
    pub const LAM: Op = Op(1 << 30);
    pub const APP: Op = Op(2 << 30);

    #[inline]
    pub fn var(index: u32) -> Op {
        Op(index & PAYLOAD)
    }
    #[inline]
    pub fn leaf(leaf: LeafId) -> Op {
        Op(3 << 30 | (leaf.0 & PAYLOAD))
    }
    #[inline]
    pub fn kind(self) -> Kind {
        match self.0 >> 30 {
            0 => Kind::Var(self.0 & PAYLOAD),
            1 => Kind::Lam,
            2 => Kind::App,
            _ => Kind::Leaf(LeafId(self.0 & PAYLOAD)),
        }
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.kind())
    }
}

/// Children that a node does not have are class 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node {
    pub op: Op,
    pub ty: TypeId,
    children: [Id; 2],
}

/// Two words in the place of four numbers and a length: nodes are hashed more often than anything else.
impl Hash for Node {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let word = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        state.write_u64(word(self.op.0, self.ty.0));
        state.write_u64(word(self.children[0].0, self.children[1].0));
    }
}

impl Node {
    #[inline]
    pub fn var(index: u32, ty: TypeId) -> Node {
        Node { op: Op::var(index), ty, children: [Id::from(0); 2] }
    }
    #[inline]
    pub fn lam(body: Id, ty: TypeId) -> Node {
        Node { op: Op::LAM, ty, children: [body, Id::from(0)] }
    }
    #[inline]
    pub fn app(function: Id, argument: Id, ty: TypeId) -> Node {
        Node { op: Op::APP, ty, children: [function, argument] }
    }
    #[inline]
    pub fn leaf(leaf: LeafId, ty: TypeId) -> Node {
        Node { op: Op::leaf(leaf), ty, children: [Id::from(0); 2] }
    }

    #[inline]
    pub fn is_lam(&self) -> bool {
        self.op == Op::LAM
    }
    /// Function and argument of an application.
    #[inline]
    pub fn as_app(&self) -> Option<(Id, Id)> {
        (self.op == Op::APP).then_some((self.children[0], self.children[1]))
    }
    /// The body of an abstraction.
    #[inline]
    pub fn as_lam(&self) -> Option<Id> {
        self.is_lam().then_some(self.children[0])
    }
    #[inline]
    pub fn children(&self) -> &[Id] {
        match self.op {
            Op::APP => &self.children,
            Op::LAM => &self.children[..1],
            _ => &[],
        }
    }
    /// The node with other children, function first.
    #[inline]
    pub fn map_children(mut self, mut f: impl FnMut(Id) -> Id) -> Node {
        match self.op {
            Op::APP => self.children = [f(self.children[0]), f(self.children[1])],
            Op::LAM => self.children[0] = f(self.children[0]),
            _ => {}
        }
        self
    }
    #[inline]
    pub fn as_leaf(&self) -> Option<LeafId> {
        if let Kind::Leaf(leaf) = self.op.kind() { Some(leaf) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small_and_their_operators_are_told_apart() {
        assert_eq!(std::mem::size_of::<Node>(), 16);
        assert_eq!(Op::var(7).kind(), Kind::Var(7));
        assert_eq!(Op::leaf(LeafId(7)).kind(), Kind::Leaf(LeafId(7)));
        assert_eq!(Op::LAM.kind(), Kind::Lam);
        assert_eq!(Op::APP.kind(), Kind::App);
        assert!(Op::var(PAYLOAD) < Op::LAM && Op::LAM < Op::APP && Op::APP < Op::leaf(LeafId(0)));
    }
}
