//! Renaming and substitution of variables, on the best members of classes (thesis sections 5.4.1 and 5.4.2), or on all
//! members where the graph is to be thorough.
//!
//! A class in which nothing changes is returned itself, with all its members; only the path to a variable that
//! changes is built anew, from best members. So equalities of closed sub-terms survive substitution.

use super::analysis::{Indices, Typing};
use super::gaps::Gap;
use super::node::{Kind, Node};
use super::{Graph, MAX_NESTING};
use egg::{EGraph, Id};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    Index(u32),
    /// It must not occur.
    Gone,
    /// A class replaces it, which stands where the renamed term will stand.
    Class(Id),
}

/// What becomes of the free variables of a class: those below `local.len()` one by one, the others move by `shift`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Renaming {
    local: Vec<To>,
    shift: i32,
    /// The variables that change.
    changes: Indices,
}

impl Renaming {
    /// The variables below `local.len()` become what it says; those above move down or up to start at `outside`.
    pub fn new(local: Vec<To>, outside: u32) -> Renaming {
        let shift = i64::from(outside) - local.len() as i64;
        let shift = i32::try_from(shift).unwrap_or(0);
        let mut changes = if shift == 0 { Indices::NONE } else { Indices::from(local.len() as u32) };
        for (i, to) in local.iter().enumerate() {
            if *to != To::Index(i as u32) {
                changes = changes.union(Indices::one(i as u32));
            }
        }
        Renaming { local, shift, changes }
    }

    /// Every variable moves up.
    pub fn shift_up(by: u32) -> Renaming {
        Renaming::new(vec![], by)
    }

    /// Variable 0 becomes the class, the others move down: beta reduction.
    pub fn substitute(class: Id) -> Renaming {
        Renaming::new(vec![To::Class(class)], 0)
    }

    pub fn is_identity(&self) -> bool {
        self.changes.is_empty()
    }

    /// The variables that change.
    pub fn changes(&self) -> Indices {
        self.changes
    }

    pub(super) fn of(&self, index: u32) -> To {
        match self.local.get(index as usize) {
            Some(to) => *to,
            None => index.checked_add_signed(self.shift).map_or(To::Gone, To::Index),
        }
    }
}

/// Where a class stands in the term that is being renamed.
#[derive(Clone, Copy, Default)]
struct Position {
    /// as the function of an application
    applied: bool,
    binders: u32,
    depth: usize,
}

impl Renaming {
    /// Is `to` the class of what `from` becomes? Asked of the best member, without adding to the graph; a renaming
    /// that puts classes in the place of variables has no answer.
    pub(super) fn sends(&self, graph: &EGraph<Node, Typing>, from: Id, to: Id) -> bool {
        if !graph[from].data.free.meets(self.changes) {
            return from == to;
        }
        self.lookup(graph, from, Position::default(), self.changes) == Some(to)
    }

    fn lookup(&self, graph: &EGraph<Node, Typing>, class: Id, at: Position, changes: Indices) -> Option<Id> {
        let Position { applied, binders, depth } = at;
        let data = &graph[class].data;
        if !data.free.meets(changes) {
            return Some(graph.find(class));
        }
        if depth > MAX_NESTING {
            return None;
        }
        let below = |applied, binders| Position { applied, binders, depth: depth + 1 };
        let node = if applied { data.head().node } else { data.best().node };
        match node.op.kind() {
            Kind::Leaf(_) => Some(graph.find(class)),
            Kind::Var(i) if i < binders => Some(graph.find(class)),
            Kind::Var(i) => match self.of(i - binders) {
                To::Index(j) => graph.lookup(Node::var(j.checked_add(binders)?, node.ty)),
                To::Gone | To::Class(_) => None,
            },
            Kind::Lam => {
                let inner = changes.above_binder();
                let body = self.lookup(graph, node.as_lam()?, below(false, binders + 1), inner)?;
                graph.lookup(Node::lam(body, node.ty))
            }
            Kind::App => {
                let (f, e) = node.as_app()?;
                let f = self.lookup(graph, f, below(true, binders), changes)?;
                let e = self.lookup(graph, e, below(false, binders), changes)?;
                graph.lookup(Node::app(f, e, node.ty))
            }
        }
    }
}

/// So many nodes are renamed for one match, where all members are.
const MOST_NODES: usize = 5_000;

/// A class that is renamed, as the function of an application or not, under so many binders.
type Key = (Id, bool, u32);

/// One renaming of a class and of what is below it.
#[derive(Default)]
struct Walk {
    memo: FxHashMap<Key, Id>,
    /// What was renamed, in order, with where it stands and which variables change there.
    visited: Vec<(Key, Position, Indices)>,
    /// Classes that are being renamed by other members than their best ones.
    open: FxHashSet<Key>,
}

impl Graph {
    /// The class of the renamed term; none when a variable occurs that must not, or the term grows out of bounds.
    pub fn rename(&mut self, class: Id, renaming: &Renaming) -> Option<Id> {
        if !self.data(class).free.meets(renaming.changes) {
            return Some(self.find(class));
        }
        let mut walk = Walk::default();
        let out = self.rename_under(class, Position::default(), renaming, renaming.changes, &mut walk)?;
        if self.thorough {
            self.rename_others(renaming, &mut walk);
        }
        Some(self.find(out))
    }

    fn rename_under(
        &mut self,
        class: Id,
        at: Position,
        renaming: &Renaming,
        changes: Indices,
        walk: &mut Walk,
    ) -> Option<Id> {
        let class = self.find(class);
        let data = self.data(class);
        if !data.free.meets(changes) {
            return Some(class);
        }
        let key = (class, at.applied, at.binders);
        if let Some(done) = walk.memo.get(&key) {
            return Some(*done);
        }
        if at.depth > MAX_NESTING {
            self.gaps.note(Gap::Nesting, 0);
            return None;
        }
        let best = if at.applied { data.head().node } else { data.best().node };
        let mut out = self.rename_node(class, &best, at, renaming, changes, walk);
        if out.is_none() && self.thorough {
            // A variable that must not occur, or the filter, stood against the best member.
            if !walk.open.insert(key) {
                self.gaps.some_members(Gap::Mentions);
                return None;
            }
            for node in self.nodes(class).to_vec() {
                out = out.or_else(|| self.rename_node(class, &node, at, renaming, changes, walk));
            }
            walk.open.remove(&key);
        }
        let out = out?;
        walk.memo.insert(key, out);
        if self.thorough {
            walk.visited.push((key, at, changes));
        }
        Some(out)
    }

    /// The class of a renamed node of a class.
    fn rename_node(
        &mut self,
        class: Id,
        node: &Node,
        at: Position,
        renaming: &Renaming,
        changes: Indices,
        walk: &mut Walk,
    ) -> Option<Id> {
        let Position { binders, depth, .. } = at;
        let below = |applied, binders| Position { applied, binders, depth: depth + 1 };
        match node.op.kind() {
            Kind::Leaf(_) => Some(class),
            Kind::Var(i) if i < binders => Some(class),
            Kind::Var(i) => match renaming.of(i - binders) {
                To::Index(j) => self.var(j.checked_add(binders)?, node.ty),
                To::Gone => None,
                To::Class(replacement) => self.rename(replacement, &Renaming::shift_up(binders)),
            },
            Kind::Lam => {
                let inner = changes.above_binder();
                let body =
                    self.rename_under(node.as_lam()?, below(false, binders + 1), renaming, inner, walk)?;
                let (param, _) = self.tables().as_fun(node.ty)?;
                self.lam(param, body)
            }
            Kind::App => {
                let (f, e) = node.as_app()?;
                let f = self.rename_under(f, below(true, binders), renaming, changes, walk)?;
                let e = self.rename_under(e, below(false, binders), renaming, changes, walk)?;
                self.app(f, e)
            }
        }
    }

    /// Every member of every class that was renamed becomes a member of the result.
    fn rename_others(&mut self, renaming: &Renaming, walk: &mut Walk) {
        let mut results: FxHashMap<(Id, u32), Id> = FxHashMap::default();
        let (mut next, mut work) = (0, 0);
        while let Some((key, at, changes)) = walk.visited.get(next).copied() {
            next += 1;
            let Some(out) = walk.memo.get(&key).copied() else { continue };
            let class = self.find(key.0);
            if let Some(other) = results.insert((class, at.binders), out) {
                self.join(other, out);
                continue;
            }
            let at = Position { depth: 0, ..at };
            for node in self.nodes(class).to_vec() {
                work += 1;
                if work > MOST_NODES {
                    self.gaps.some_members(Gap::Substituted);
                    return;
                }
                if let Some(same) = self.rename_node(class, &node, at, renaming, changes, walk) {
                    self.join(out, same);
                }
            }
        }
    }
}
