//! What is computed where, and how often it is read.
//!
//! A place is where a program computes something, or where an input lies. It counts as often as its result is read, and no
//! more often than it is there to be read: what nobody reads counts nothing, and what many read counts once.
//!
//! What is repeated together has a scope of its own. Two that read a place of their own scope read the same result, so that it
//! counts as often as the one that counts most; from without, where it may be another one of its results, their reads add up.

use crate::eval::Sizes;
use crate::nat::{Nat, NatVar, Ranges};
use std::collections::{BTreeMap, BTreeSet};

/// Operations, and bytes of inputs.
#[derive(Clone)]
pub(super) struct Cost {
    pub float: Nat,
    pub integer: Nat,
    pub bytes: Nat,
}

impl Cost {
    pub fn none() -> Cost {
        let zero = || Nat::constant(0);
        Cost { float: zero(), integer: zero(), bytes: zero() }
    }
    pub fn floats(n: Nat) -> Cost {
        Cost { float: n, ..Cost::none() }
    }
    pub fn integers(n: Nat) -> Cost {
        Cost { integer: n, ..Cost::none() }
    }
    pub fn bytes(n: Nat) -> Cost {
        Cost { bytes: n, ..Cost::none() }
    }
    fn is_none(&self) -> bool {
        [&self.float, &self.integer, &self.bytes].into_iter().all(Nat::is_zero)
    }
    fn plus(&self, other: &Cost) -> Cost {
        Cost {
            float: self.float.add(&other.float),
            integer: self.integer.add(&other.integer),
            bytes: self.bytes.add(&other.bytes),
        }
    }
    fn times(&self, n: &Nat) -> Cost {
        Cost { float: self.float.mul(n), integer: self.integer.mul(n), bytes: self.bytes.mul(n) }
    }
}

/// A place, by its number. What a place reads has a smaller number.
pub(super) type Place = usize;

/// Which places are read, and how often those that are of other scopes.
#[derive(Clone, Default)]
pub(super) struct Reads {
    near: BTreeSet<Place>,
    far: BTreeMap<Place, Nat>,
}

impl Reads {
    pub fn is_none(&self) -> bool {
        self.near.is_empty() && self.far.is_empty()
    }
}

struct Computed {
    /// Of each time.
    cost: Cost,
    reads: Reads,
    /// How many results there are.
    most: Nat,
    scope: u32,
}

/// All places of a program.
pub(super) struct Tally<'s> {
    places: Vec<Computed>,
    /// The scope that places are added to, and how many there are.
    scope: u32,
    scopes: u32,
    /// The sizes that are known.
    sizes: &'s Sizes,
}

/// What is repeated together: the scope around it, and its first place.
pub(super) struct Repeated {
    around: u32,
    from: Place,
}

impl<'s> Tally<'s> {
    pub fn new(sizes: &'s Sizes) -> Self {
        Tally { places: vec![], scope: 0, scopes: 1, sizes }
    }

    pub fn sizes(&self) -> &'s Sizes {
        self.sizes
    }

    /// A place that computes once. None where that is nothing.
    pub fn place(&mut self, cost: Cost, reads: Reads) -> Option<Place> {
        let is_something = !(cost.is_none() && reads.is_none());
        is_something.then(|| {
            self.places.push(Computed { cost, reads, most: Nat::constant(1), scope: self.scope });
            self.places.len() - 1
        })
    }

    /// The place that comes next.
    pub fn next(&self) -> Place {
        self.places.len()
    }

    /// Adds a place that is read so many times.
    pub fn read(&self, place: Place, times: &Nat, reads: &mut Reads) {
        if self.places.get(place).is_some_and(|read| read.scope == self.scope) {
            reads.near.insert(place);
        } else {
            let all = reads.far.entry(place).or_insert_with(|| Nat::constant(0));
            *all = all.add(times);
        }
    }

    /// What is added from here on is repeated.
    pub fn begin(&mut self) -> Repeated {
        let begun = Repeated { around: self.scope, from: self.places.len() };
        self.scope = self.scopes;
        self.scopes = self.scopes.saturating_add(1);
        begun
    }

    /// What was added since is repeated this many times.
    pub fn end(&mut self, begun: &Repeated, n: &Nat) {
        self.scope = begun.around;
        self.places.iter_mut().skip(begun.from).for_each(|place| place.most = place.most.mul(n));
    }

    /// Do the places from this one on compute nothing?
    pub fn is_idle(&self, from: Place) -> bool {
        self.places.iter().skip(from).all(|place| place.cost.is_none())
    }

    /// What all takes that is needed for these reads.
    pub fn total(&self, result: &Reads) -> Cost {
        let none = || vec![Nat::constant(0); self.places.len()];
        let (mut near, mut far) = (none(), none());
        let read = |reads: &Reads, times: &Nat, near: &mut [Nat], far: &mut [Nat]| {
            for place in &reads.near {
                let (most, before) = (self.places.get(*place), near.get_mut(*place));
                if let (Some(most), Some(before)) = (most, before) {
                    *before = self.larger(before, times, &most.most);
                }
            }
            for (place, n) in &reads.far {
                if let Some(all) = far.get_mut(*place) {
                    *all = all.add(&n.mul(times));
                }
            }
        };
        read(result, &Nat::constant(1), &mut near, &mut far);
        let mut total = Cost::none();
        // The last ones first: whoever reads a place comes after it.
        while let (Some(near_by), Some(afar)) = (near.pop(), far.pop()) {
            let Some(computed) = self.places.get(near.len()) else { continue };
            let times = self.larger(&near_by, &self.at_most(afar, &computed.most), &computed.most);
            if times.is_zero() {
                continue;
            }
            total = total.plus(&computed.cost.times(&times));
            read(&computed.reads, &times, &mut near, &mut far);
        }
        total
    }

    /// The smaller number; where it is not known which one is, as many as there are.
    fn at_most(&self, times: Nat, most: &Nat) -> Nat {
        if times == *most || self.is_less(&times, most) { times } else { most.clone() }
    }

    /// The larger one of two that are no more than this; where it is not known which one is, that.
    fn larger(&self, a: &Nat, b: &Nat, most: &Nat) -> Nat {
        if a == b || b.is_zero() || self.is_less(b, a) {
            a.clone()
        } else if a.is_zero() || self.is_less(a, b) {
            b.clone()
        } else {
            most.clone()
        }
    }

    fn is_less(&self, a: &Nat, b: &Nat) -> bool {
        let is_known = |n: &Nat| {
            n.vars().iter().all(|v| matches!(v, NatVar::Named(name) if self.sizes.contains_key(name)))
        };
        let value = |n: &Nat| {
            n.approximately(&|name| self.sizes.get(name).map_or(1.0, |n| *n as f64)).unwrap_or(f64::INFINITY)
        };
        match is_known(a) && is_known(b) {
            true => value(a) < value(b),
            false => a.is_less(b, &Ranges::default()) == Some(true),
        }
    }
}
