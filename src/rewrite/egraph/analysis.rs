//! What is known of every class: its type, the variables that are free in some member, and its best members.

use super::node::{Kind, Node};
use super::tables::TypeId;
use egg::{Analysis, DidMerge, EGraph, Id};

/// A set of De Bruijn indices. The last bit stands for itself and everything above it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Indices(u64, u64);

const TOP: u64 = 1 << 63;

impl Indices {
    pub const NONE: Indices = Indices(0, 0);

    pub fn one(index: u32) -> Indices {
        match index {
            0..64 => Indices(1 << index, 0),
            64..128 => Indices(0, 1 << (index - 64)),
            _ => Indices(0, TOP),
        }
    }
    /// Every index from `index` upwards.
    pub fn from(index: u32) -> Indices {
        match index {
            0..64 => Indices(u64::MAX << index, u64::MAX),
            64..128 => Indices(0, u64::MAX << (index - 64)),
            _ => Indices(0, TOP),
        }
    }
    pub fn union(self, other: Indices) -> Indices {
        Indices(self.0 | other.0, self.1 | other.1)
    }
    pub fn meets(self, other: Indices) -> bool {
        self.0 & other.0 != 0 || self.1 & other.1 != 0
    }
    pub fn is_empty(self) -> bool {
        self == Indices::NONE
    }
    /// May answer yes for an index from 127 upwards that is absent, never no for one that is present.
    pub fn contains(self, index: u32) -> bool {
        self.meets(Indices::one(index))
    }
    /// The set of a body, seen from outside its binder.
    pub fn below_binder(self) -> Indices {
        let low = self.0 >> 1 | self.1 << 63;
        Indices(low, self.1 >> 1 | self.1 & TOP)
    }
    /// The set, seen from inside one more binder.
    pub fn above_binder(self) -> Indices {
        Indices(self.0 << 1, self.1 << 1 | self.0 >> 63 | self.1 & TOP)
    }
}

/// A member of a class that weighs least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    pub cost: u32,
    pub node: Node,
}

/// What a redex weighs: more than any term's size, so that the term with fewest redexes is best, then the smallest
/// (thesis section 5.4.1). Reduced terms are what substitution and the next search want.
pub const REDEX: u32 = 1 << 20;

/// Terms of this weight are not built. Half of what fits, so that a parent always weighs more than its children.
pub const MAX_COST: u32 = 1 << 31;
/// The greatest size of a term that is built.
pub const MAX_SIZE: u32 = REDEX / 2;

/// The size in a weight.
pub fn size_of(cost: u32) -> u32 {
    cost % REDEX
}

/// What is known of a class.
#[derive(Clone, Debug)]
pub struct Data {
    pub ty: TypeId,
    /// The union over all members, so that `x notin f` speaks of every member (thesis section 5.4.3).
    pub free: Indices,
    /// The best member that is no abstraction, and the best that is one: which of them is better depends on whether
    /// it is applied.
    plain: Option<Best>,
    lambda: Option<Best>,
}

impl Data {
    /// The best member.
    pub fn best(&self) -> Best {
        match (self.plain, self.lambda) {
            (Some(p), Some(l)) => {
                if l.cost < p.cost {
                    l
                } else {
                    p
                }
            }
            (Some(best), None) | (None, Some(best)) => best,
            (None, None) => Best { cost: MAX_COST, node: Node::var(0, self.ty) },
        }
    }
    /// The best member as the function of an application.
    pub fn head(&self) -> Best {
        match (self.plain, self.lambda) {
            (Some(p), Some(l)) => {
                if l.cost + REDEX < p.cost {
                    l
                } else {
                    p
                }
            }
            _ => self.best(),
        }
    }
    pub fn cost(&self) -> u32 {
        self.best().cost
    }
    /// The best members among abstractions and among the others.
    pub fn lambda(&self) -> Option<Best> {
        self.lambda
    }
    pub fn plain(&self) -> Option<Best> {
        self.plain
    }
    /// What the class adds to the weight of an application whose function it is.
    pub fn head_cost(&self) -> u32 {
        let head = self.head();
        if head.node.is_lam() { head.cost + REDEX } else { head.cost }
    }
}

/// What the analysis needs beside the nodes, and whether types were ever mixed.
#[derive(Default)]
pub struct Typing {
    /// What each leaf adds to a term's size, by its number.
    pub weights: Vec<u32>,
    /// Two types that a union tried to make equal; a search stops on it.
    pub conflict: Option<(TypeId, TypeId)>,
}

type Graph = EGraph<Node, Typing>;

impl Analysis<Node> for Typing {
    type Data = Data;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Data {
        let (free, cost) = match node.op.kind() {
            Kind::Var(i) => (Indices::one(i), 1),
            Kind::Leaf(leaf) => {
                (Indices::NONE, graph.analysis.weights.get(leaf.0 as usize).copied().unwrap_or(1))
            }
            Kind::Lam => {
                let body = node.as_lam().map(|b| &graph[b].data);
                body.map_or((Indices::NONE, 1), |b| (b.free.below_binder(), b.cost().saturating_add(1)))
            }
            Kind::App => node.as_app().map_or((Indices::NONE, 1), |(f, e)| {
                let (f, e) = (&graph[f].data, &graph[e].data);
                (f.free.union(e.free), f.head_cost().saturating_add(e.cost()).saturating_add(1))
            }),
        };
        let best = Some(Best { cost: cost.min(MAX_COST), node: *node });
        let (plain, lambda) = if node.is_lam() { (None, best) } else { (best, None) };
        Data { ty: node.ty, free, plain, lambda }
    }

    fn merge(&mut self, a: &mut Data, b: Data) -> DidMerge {
        if a.ty != b.ty {
            self.conflict.get_or_insert((a.ty, b.ty));
        }
        let free = a.free.union(b.free);
        let mut changed = DidMerge(free != a.free, free != b.free);
        a.free = free;
        changed = changed | merge_best(&mut a.plain, b.plain);
        changed | merge_best(&mut a.lambda, b.lambda)
    }
}

fn merge_best(a: &mut Option<Best>, b: Option<Best>) -> DidMerge {
    let cost = |best: Option<Best>| best.map_or(u32::MAX, |b| b.cost);
    let (left, right) = (cost(*a), cost(b));
    if right < left {
        *a = b;
    }
    DidMerge(right < left, left < right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_indices_follow_binders() {
        for i in [0, 1, 63, 64, 65, 125] {
            let set = Indices::one(i);
            assert!(set.contains(i) && !set.contains(i + 1));
            assert_eq!(set.above_binder().below_binder(), set, "{i}");
            assert!(Indices::from(i).contains(i) && Indices::from(i).contains(500));
            assert!(i == 0 || !Indices::from(i).contains(i - 1));
        }
        assert!(Indices::one(0).below_binder().is_empty());
        let high = Indices::one(300);
        assert!(high.contains(300) && high.below_binder().contains(299) && high.below_binder().contains(127));
    }
}
