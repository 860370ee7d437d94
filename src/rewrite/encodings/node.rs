//! The nodes of untyped terms, with names or with De Bruijn indices, and what is known of their classes.

use crate::lang::literal::Literal;
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a node is. A name is a number; of a De Bruijn index the number is the index, and lambdas have 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Var(u32),
    /// A pattern with its explicit arguments, or a literal, as a number of [`Constants`].
    Constant(u32),
    App,
    Lam(u32),
    /// `b[e/x]`, not yet carried out; of indices `σ`, which also takes the binder away. Children: `b`, `e`.
    Subst(u32),
    /// `φ`: the indices from the cutoff upwards are moved by the number.
    Shift(i32, u32),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    pub kind: Kind,
    parts: [Id; 2],
}

impl Node {
    pub fn leaf(kind: Kind) -> Node {
        Node { kind, parts: [Id::from(0); 2] }
    }
    pub fn one(kind: Kind, part: Id) -> Node {
        Node { kind, parts: [part, Id::from(0)] }
    }
    pub fn two(kind: Kind, first: Id, second: Id) -> Node {
        Node { kind, parts: [first, second] }
    }
}

impl Language for Node {
    type Discriminant = std::mem::Discriminant<Kind>;

    fn discriminant(&self) -> Self::Discriminant {
        std::mem::discriminant(&self.kind)
    }
    fn matches(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
    fn children(&self) -> &[Id] {
        &self.parts[..arity(self.kind)]
    }
    fn children_mut(&mut self) -> &mut [Id] {
        let n = arity(self.kind);
        &mut self.parts[..n]
    }
}

fn arity(kind: Kind) -> usize {
    match kind {
        Kind::Var(_) | Kind::Constant(_) => 0,
        Kind::Lam(_) | Kind::Shift(..) => 1,
        Kind::App | Kind::Subst(_) => 2,
    }
}

/// The free variables of a class: of any of its members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Free {
    Names(Rc<[u32]>),
    /// A bit for each index; the last one stands for all that are greater, so that sets stay finite.
    Indices(u64),
}

const LAST: u32 = 63;

impl Free {
    pub fn has(&self, variable: u32) -> bool {
        match self {
            Free::Names(names) => names.binary_search(&variable).is_ok(),
            Free::Indices(bits) => bits >> variable.min(LAST) & 1 == 1,
        }
    }

    fn one(variable: u32, named: bool) -> Free {
        if named { Free::Names([variable].into()) } else { Free::Indices(1 << variable.min(LAST)) }
    }

    fn union(&self, other: &Free) -> Free {
        match (self, other) {
            (Free::Indices(a), Free::Indices(b)) => Free::Indices(a | b),
            (Free::Names(a), Free::Names(b)) if b.is_empty() || a == b => Free::Names(a.clone()),
            (Free::Names(a), Free::Names(b)) if a.is_empty() => Free::Names(b.clone()),
            (Free::Names(a), Free::Names(b)) => {
                let mut all: Vec<u32> = a.iter().chain(b.iter()).copied().collect();
                all.sort_unstable();
                all.dedup();
                Free::Names(all.into())
            }
            // An e-graph has variables of one kind.
            (Free::Names(_), Free::Indices(_)) | (Free::Indices(_), Free::Names(_)) => self.clone(),
        }
    }

    /// Without the variable that a binder around binds.
    fn bound(&self, variable: u32) -> Free {
        match self {
            Free::Names(names) if names.binary_search(&variable).is_ok() => {
                Free::Names(names.iter().copied().filter(|n| *n != variable).collect())
            }
            Free::Names(_) => self.clone(),
            Free::Indices(bits) => Free::Indices(bits & !1).moved(-1, 0),
        }
    }

    /// Indices from the cutoff upwards moved; those that would be below zero are gone.
    fn moved(&self, by: i32, cutoff: u32) -> Free {
        let Free::Indices(bits) = self else { return self.clone() };
        let mut out = 0;
        for i in (0..=LAST).filter(|i| bits >> i & 1 == 1) {
            match i.checked_add_signed(by) {
                _ if i < cutoff => out |= 1 << i,
                // What stands for all that are greater stays where it is when they come down.
                _ if i == LAST => out |= 1 << LAST,
                Some(j) => out |= 1 << j.min(LAST),
                None => {}
            }
        }
        Free::Indices(out)
    }
}

/// What is known of a class.
#[derive(Clone, Debug)]
pub struct Known {
    pub free: Free,
    /// The size of its smallest member.
    pub size: u32,
    /// The node at the root of the smallest member.
    pub best: Node,
}

/// Free variables and smallest members.
pub struct Facts {
    pub named: bool,
}

pub type Graph = EGraph<Node, Facts>;

impl Analysis<Node> for Facts {
    type Data = Known;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Known {
        let part = |i: usize| &graph[node.children()[i]].data;
        let named = graph.analysis.named;
        let none = || if named { Free::Names([].into()) } else { Free::Indices(0) };
        let free = match node.kind {
            Kind::Var(x) => Free::one(x, named),
            Kind::Constant(_) => none(),
            Kind::App => part(0).free.union(&part(1).free),
            Kind::Lam(x) => part(0).free.bound(x),
            Kind::Subst(x) if named => part(0).free.bound(x).union(&part(1).free),
            Kind::Subst(i) => {
                let value = if part(0).free.has(i) { part(1).free.moved(i as i32, 0) } else { none() };
                let Free::Indices(bits) = part(0).free else { return known(none(), node, 1) };
                let others = Free::Indices(if i < LAST { bits & !(1 << i) } else { bits });
                others.moved(-1, i + 1).union(&value)
            }
            Kind::Shift(by, cutoff) => part(0).free.moved(by, cutoff),
        };
        let size = (0..node.children().len()).fold(1, |n: u32, i| n.saturating_add(part(i).size));
        known(free, node, size)
    }

    fn merge(&mut self, a: &mut Known, b: Known) -> DidMerge {
        let free = a.free.union(&b.free);
        let (mut changed, mut other) = (free != a.free, free != b.free);
        a.free = free;
        if b.size < a.size {
            (a.size, a.best) = (b.size, b.best);
            changed = true;
        } else {
            other |= a.size < b.size;
        }
        DidMerge(changed, other)
    }
}

fn known(free: Free, node: &Node, size: u32) -> Known {
    Known { free, size, best: node.clone() }
}

/// What has no parts and no variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    Pattern(Pattern, Vec<Arg>),
    Literal(Literal),
}

/// Constants by number.
#[derive(Default)]
pub struct Constants {
    list: Vec<Constant>,
    known: FxHashMap<Constant, u32>,
}

impl Constants {
    pub fn number(&mut self, constant: Constant) -> u32 {
        if let Some(n) = self.known.get(&constant) {
            return *n;
        }
        let n = self.list.len() as u32;
        self.list.push(constant.clone());
        self.known.insert(constant, n);
        n
    }

    pub fn get(&self, number: u32) -> &Constant {
        &self.list[number as usize]
    }
}
