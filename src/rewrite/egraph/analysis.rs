//! What is known of every class: its type, the variables that are free in some member, and the terms that stand for it
//! where one is needed, as in substitution. What a term costs whom is not known here: that is extraction's
//! (`rewrite::sketch::extract`).

use super::node::Id;
use super::tables::{LeafId, TypeId};

/// A set of De Bruijn indices. The last bit stands for itself and everything above it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Indices(u64, u64);

const TOP: u64 = 1 << 63;

impl Indices {
    pub const NONE: Indices = Indices(0, 0);

    #[inline]
    pub fn one(index: u32) -> Indices {
        match index {
            0..64 => Indices(1 << index, 0),
            64..128 => Indices(0, 1 << (index - 64)),
            _ => Indices(0, TOP),
        }
    }
    /// Every index from `index` upwards.
    #[inline]
    pub fn from(index: u32) -> Indices {
        match index {
            0..64 => Indices(u64::MAX << index, u64::MAX),
            64..128 => Indices(0, u64::MAX << (index - 64)),
            _ => Indices(0, TOP),
        }
    }
    #[inline]
    pub fn union(self, other: Indices) -> Indices {
        Indices(self.0 | other.0, self.1 | other.1)
    }
    #[inline]
    pub fn meets(self, other: Indices) -> bool {
        self.0 & other.0 != 0 || self.1 & other.1 != 0
    }
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Indices::NONE
    }
    /// One more than the highest index, of those up to 127.
    pub fn end(self) -> u32 {
        128 - (u128::from(self.1) << 64 | u128::from(self.0)).leading_zeros()
    }
    /// May answer yes for an index from 127 upwards that is absent, never no for one that is present.
    #[inline]
    pub fn contains(self, index: u32) -> bool {
        self.meets(Indices::one(index))
    }
    /// The set of a body, seen from outside its binder.
    #[inline]
    pub fn below_binder(self) -> Indices {
        let low = self.0 >> 1 | self.1 << 63;
        Indices(low, self.1 >> 1 | self.1 & TOP)
    }
    /// The set, seen from inside one more binder.
    #[inline]
    pub fn above_binder(self) -> Indices {
        Indices(self.0 << 1, self.1 << 1 | self.0 >> 63 | self.1 & TOP)
    }
}

/// A term of a class that weighs least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    pub cost: u32,
    pub term: Id,
}

/// What a redex weighs: more than any term's size, so that the term with fewest redexes is best, then the smallest
/// (thesis section 5.4.1). Reduced terms are what substitution and the next search want.
pub const REDEX: u32 = 1 << 20;

/// Terms of this weight are not built. Half of what fits, so that a parent always weighs more than its children.
pub const MAX_COST: u32 = 1 << 31;
/// The greatest size of a term that is built.
pub const MAX_SIZE: u32 = REDEX / 2;

/// The size in a weight.
#[inline]
pub fn size_of(cost: u32) -> u32 {
    cost % REDEX
}

/// What is known of a class.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    pub ty: TypeId,
    /// The union over all members, so that `x notin f` speaks of every member (thesis section 5.4.3).
    pub free: Indices,
    /// The best term that is no abstraction, and the best that is one: which of them is better depends on whether
    /// it is applied.
    plain: Option<Best>,
    lambda: Option<Best>,
}

impl Data {
    /// The best member.
    #[inline]
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
            (None, None) => Best { cost: MAX_COST, term: Id(0) },
        }
    }
    /// The best member as the function of an application.
    #[inline]
    pub fn head(&self) -> Best {
        match (self.plain, self.lambda) {
            (Some(p), Some(l)) => {
                if l.cost.saturating_add(REDEX) < p.cost {
                    l
                } else {
                    p
                }
            }
            _ => self.best(),
        }
    }
    #[inline]
    pub fn cost(&self) -> u32 {
        self.best().cost
    }
    /// The best members among abstractions and among the others.
    #[inline]
    pub fn lambda(&self) -> Option<Best> {
        self.lambda
    }
    #[inline]
    pub fn plain(&self) -> Option<Best> {
        self.plain
    }
    /// What the class adds to the weight of an application whose function it is.
    #[inline]
    pub fn head_cost(&self) -> u32 {
        match (self.plain, self.lambda) {
            (Some(p), Some(l)) => p.cost.min(l.cost.saturating_add(REDEX)),
            (Some(p), None) => p.cost,
            (None, Some(l)) => l.cost.saturating_add(REDEX),
            (None, None) => MAX_COST,
        }
    }

    /// Of a class that nothing is known of yet.
    pub(super) fn unknown(ty: TypeId) -> Data {
        Data { ty, free: Indices::NONE, plain: None, lambda: None }
    }

    #[inline]
    fn of_member(ty: TypeId, free: Indices, cost: u32, lambda: bool) -> Data {
        let best = Some(Best { cost: cost.min(MAX_COST), term: Id(0) });
        let (plain, lambda) = if lambda { (None, best) } else { (best, None) };
        Data { ty, free, plain, lambda }
    }
    pub(super) fn var(ty: TypeId, index: u32) -> Data {
        Data::of_member(ty, Indices::one(index), 1, false)
    }
    pub(super) fn leaf(ty: TypeId, weight: u32) -> Data {
        Data::of_member(ty, Indices::NONE, weight, false)
    }
    pub(super) fn lam(ty: TypeId, body: &Data) -> Data {
        Data::of_member(ty, body.free.below_binder(), body.cost().saturating_add(1), true)
    }
    pub(super) fn app(ty: TypeId, f: &Data, e: &Data) -> Data {
        let cost = f.head_cost().saturating_add(e.cost()).saturating_add(1);
        Data::of_member(ty, f.free.union(e.free), cost, false)
    }
    /// With the term that weighs what is known.
    #[inline]
    pub(super) fn with_term(self, term: Id) -> Data {
        let with = |best: Option<Best>| best.map(|b| Best { term, ..b });
        Data { plain: with(self.plain), lambda: with(self.lambda), ..self }
    }

    /// Is one of these terms lighter than that of its kind which is known?
    #[inline]
    pub(super) fn is_lighter_than(&self, known: &Data) -> bool {
        let cost = |best: Option<Best>| best.map_or(u32::MAX, |b| b.cost);
        cost(self.plain) < cost(known.plain) || cost(self.lambda) < cost(known.lambda)
    }

    /// What is known of both, in place of the first. Says whether that is news to the first, and to the second.
    #[inline]
    pub(super) fn merge(&mut self, other: &Data, typing: &mut Typing) -> (bool, bool) {
        if self.ty != other.ty {
            typing.conflict.get_or_insert((self.ty, other.ty));
        }
        let free = self.free.union(other.free);
        let mut news = (free != self.free, free != other.free);
        self.free = free;
        for (a, b) in [(&mut self.plain, other.plain), (&mut self.lambda, other.lambda)] {
            let cost = |best: Option<Best>| best.map_or(u32::MAX, |b| b.cost);
            let (left, right) = (cost(*a), cost(b));
            if right < left {
                *a = b;
            }
            news = (news.0 || right < left, news.1 || left < right);
        }
        news
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

impl Typing {
    #[inline]
    pub(super) fn weight(&self, leaf: LeafId) -> u32 {
        self.weights.get(leaf.0 as usize).copied().unwrap_or(1)
    }
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
