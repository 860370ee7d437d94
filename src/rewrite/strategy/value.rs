//! What strategy texts stand for: values, and strategies as shared nodes.
//!
//! Equal strategies are one node, so what failed on a term can be remembered by two small keys. A call is kept
//! unevaluated until it runs, so a definition may mention itself.

use super::native::Native;
use crate::lang::diag::Span;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::{AddressSpace, Pattern};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A strategy, as a number in [`Nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StrategyId(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Strategy(StrategyId),
    Nat(Nat),
    List(Rc<[Value]>),
    Pattern(Pattern),
    Addr(AddressSpace),
}

impl Value {
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Strategy(_) => "a strategy",
            Value::Nat(_) => "a size",
            Value::List(_) => "a list",
            Value::Pattern(_) => "a pattern",
            Value::Addr(_) => "an address space",
        }
    }
}

/// Whose definition a call unfolds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// With what is chosen for what it leaves open, by its number in the machine's table.
    Global(Name, u32),
    /// The library's own, whose name the user has taken.
    Replaced(Name, u32),
    /// A local definition of the clause that made the scope.
    Local(u32, Name),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Seq(StrategyId, StrategyId),
    Choice(StrategyId, StrategyId),
    Native(Native, Rc<[Value]>),
    Call(Callee, Rc<[Value]>),
    /// A rule, by its number in the machine's table.
    Rule(u32, Rc<[Value]>),
    /// A search, by its number in the machine's table.
    Reach(u32),
    /// A test of a sketch, by its number in the machine's table.
    Satisfies(u32),
    /// The text says why, where the strategy fails.
    Else(StrategyId, Name),
    /// A comparison of sizes that does not hold.
    Unmet(Name),
    /// The strategy, as it stands in a text of the user's.
    Written(Span, StrategyId),
}

#[derive(Default)]
pub struct Nodes {
    nodes: Vec<Rc<Node>>,
    known: FxHashMap<Rc<Node>, StrategyId>,
}

impl Nodes {
    pub fn insert(&mut self, node: Node) -> StrategyId {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let (id, node) = (StrategyId(self.nodes.len() as u32), Rc::new(node));
        self.nodes.push(node.clone());
        self.known.insert(node, id);
        id
    }

    pub fn get(&self, id: StrategyId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node, for who changes others meanwhile.
    pub fn shared(&self, id: StrategyId) -> Rc<Node> {
        self.nodes[id.0 as usize].clone()
    }

    /// The number of strategies, places where they are written included.
    pub fn all(&self) -> usize {
        self.nodes.len()
    }

    /// The strategy without the places where it is written.
    pub fn bare(&self, mut id: StrategyId) -> StrategyId {
        while let Node::Written(_, inner) = self.get(id) {
            id = *inner;
        }
        id
    }

    /// The number of different strategies.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| !matches!(***node, Node::Written(..))).count()
    }
}
