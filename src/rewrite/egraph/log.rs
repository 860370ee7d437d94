//! Why ids are equal: every union in its order, and from it a proof (Nieuwenhuis and Oliveras 2005, in the form that
//! recurses on time).
//!
//! Each union remembers what it was for, and a union-find without path compression tells when two ids became equal. The
//! last union between two ids splits the proof of their equality in two earlier ones, so proofs never go in circles.

use super::node::{Id, Node};
use super::rename::Renaming;
use rustc_hash::FxHashSet;

/// What makes two ids equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The same node, with equal children.
    Congruence,
    /// The two sides of a rule, by its number.
    Rule(u32),
    /// Two equal terms with their variables renamed, by number.
    Renamed(u32),
    /// A program and its normal form.
    Given,
}

/// Two equal ids, and what became of the variables of both.
#[derive(Clone, Debug)]
pub struct Renamed {
    pub of: (Id, Id),
    pub renaming: Renaming,
    /// How many binders the renamed terms stand under.
    pub binders: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Union {
    pub left: Id,
    pub right: Id,
    code: u32,
}

const RENAMED: u32 = 1 << 31;
const GIVEN: u32 = 1;
const RULES: u32 = 2;
const NONE: u32 = u32::MAX;

impl Union {
    pub fn reason(&self) -> Reason {
        match self.code {
            0 => Reason::Congruence,
            GIVEN => Reason::Given,
            code if code & RENAMED != 0 => Reason::Renamed(code & !RENAMED),
            code => Reason::Rule(code - RULES),
        }
    }
}

/// Bytes that an id takes here, with the union that made it one of a class.
pub const ID_BYTES: usize = 8 + std::mem::size_of::<Union>();

#[derive(Default)]
pub struct Log {
    /// For each id the one that represented its class after some union, and that union.
    links: Vec<(u32, u32)>,
    unions: Vec<Union>,
    pub renamed: Vec<Renamed>,
}

impl Log {
    pub(super) fn new_id(&mut self) {
        self.links.push((NONE, NONE));
    }

    /// Notes that the class of `gone` is that of `kept` from now on.
    pub(super) fn union(&mut self, kept: Id, gone: Id, (left, right): (Id, Id), reason: Reason) {
        let code = match reason {
            Reason::Congruence => 0,
            Reason::Given => GIVEN,
            Reason::Rule(n) => RULES + n,
            Reason::Renamed(n) => RENAMED | n,
        };
        self.links[usize::from(gone)] = (kept.0, self.unions.len() as u32);
        self.unions.push(Union { left, right, code });
    }

    pub fn len(&self) -> usize {
        self.unions.len()
    }
    pub fn is_empty(&self) -> bool {
        self.unions.is_empty()
    }
    pub fn union_at(&self, time: u32) -> Union {
        self.unions[time as usize]
    }

    /// The union that made two ids equal: the latest on the way between them.
    fn when(&self, a: Id, b: Id) -> Option<u32> {
        let (mut a, mut b) = (a.0, b.0);
        let mut latest = None;
        // Times grow along links, so the earlier of two steps is always safe to take.
        while a != b {
            let ((up_a, time_a), (up_b, time_b)) = (self.links[a as usize], self.links[b as usize]);
            if time_a < time_b {
                (a, latest) = (up_a, latest.max(Some(time_a)));
            } else if time_b < NONE {
                (b, latest) = (up_b, latest.max(Some(time_b)));
            } else {
                return None;
            }
        }
        latest
    }

    /// The unions that prove two ids equal, in their order, but for congruences; none when they are not equal.
    pub fn needed(&self, nodes: &dyn Fn(Id) -> Node, from: Id, to: Id) -> Option<Vec<u32>> {
        let mut needed = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![(from, to)];
        while let Some((a, b)) = open.pop() {
            if a == b || !seen.insert((a.min(b), a.max(b))) {
                continue;
            }
            let time = self.when(a, b)?;
            let union = self.unions[time as usize];
            let Union { left, right, .. } = union;
            // Which side of the union each id is on is known from before it.
            let forwards = a == left || self.when(a, left).is_some_and(|t| t < time);
            let (near, far) = if forwards { (left, right) } else { (right, left) };
            open.extend([(a, near), (far, b)]);
            match union.reason() {
                Reason::Congruence => {
                    let (l, r) = (nodes(left), nodes(right));
                    open.extend(l.children().iter().copied().zip(r.children().iter().copied()));
                }
                Reason::Renamed(n) => {
                    needed.insert(time);
                    open.push(self.renamed[n as usize].of);
                }
                Reason::Rule(_) | Reason::Given => {
                    needed.insert(time);
                }
            }
        }
        let mut all: Vec<u32> = needed.into_iter().collect();
        all.sort_unstable();
        Some(all)
    }
}
