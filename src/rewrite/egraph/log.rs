//! Why ids are equal: every union in its order with what it was for, and from it a proof ([`times`](super::times)).

use super::node::{Id, Node};
use super::rename::Renaming;
use super::times::{BYTES, Split, Times};
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
pub const ID_BYTES: usize = BYTES + std::mem::size_of::<Union>();

#[derive(Default)]
pub struct Log {
    times: Times,
    unions: Vec<Union>,
    pub renamed: Vec<Renamed>,
}

impl Log {
    #[inline]
    pub(super) fn new_id(&mut self) {
        self.times.push();
    }

    /// Notes that the class of `gone` is that of `kept` from now on.
    pub(super) fn union(&mut self, kept: Id, gone: Id, (left, right): (Id, Id), reason: Reason) {
        let code = match reason {
            Reason::Congruence => 0,
            Reason::Given => GIVEN,
            Reason::Rule(n) => RULES + n,
            Reason::Renamed(n) => RENAMED | n,
        };
        self.times.link(kept.0, gone.0, self.unions.len() as u32);
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

    /// The unions that prove two ids equal, in their order, but for congruences; none when they are not equal.
    pub fn needed(&self, nodes: &dyn Fn(Id) -> Node, from: Id, to: Id) -> Option<Vec<u32>> {
        let mut needed = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![(from, to)];
        while let Some((a, b)) = open.pop() {
            if a == b || !seen.insert((a.min(b), a.max(b))) {
                continue;
            }
            let Split { time, forwards } = self.times.split(a.0, b.0, &|time| self.union_at(time).left.0)?;
            let union = self.union_at(time);
            let Union { left, right, .. } = union;
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
