//! Questions about all members of a class, where the best one does not answer for the others.
//!
//! Classes may have members without end, so every answer has a bound on its work; what was not found out within it is
//! `None`, or said to be incomplete.

use super::analysis::Indices;
use super::congruence::EGraph;
use super::node::{Id, Kind, Node, Op};
use super::rename::{Renaming, To};
use super::{Decoder, Graph, MAX_NESTING};
use crate::lang::term::Term;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// So many nodes are looked at for one answer.
const WORK: usize = 10_000;

/// So many members of a class are taken one by one, where what is done with them takes a term.
pub const MOST_MEMBERS: usize = 64;

/// Members of a class.
#[derive(Clone, Debug)]
pub struct Members {
    pub terms: Vec<Term>,
    /// There are no others.
    pub all: bool,
}

impl Graph {
    /// Members of a class, at most `most`, and the best member in any case.
    pub fn members(&self, class: Id, most: usize) -> Members {
        let mut walk =
            Walk { decoder: self.decoder(), graph: self, open: FxHashSet::default(), most, work: WORK };
        let mut found = walk.members(class, 0);
        if found.terms.is_empty() {
            found.terms.extend(self.extract(class));
        }
        found
    }
}

struct Walk<'g> {
    graph: &'g Graph,
    decoder: Decoder<'g>,
    /// Classes that are being listed.
    open: FxHashSet<Id>,
    most: usize,
    work: usize,
}

impl Walk<'_> {
    fn members(&mut self, class: Id, depth: usize) -> Members {
        let class = self.graph.find(class);
        // A class within itself has members without end.
        if depth > MAX_NESTING || !self.open.insert(class) {
            return Members { terms: vec![], all: false };
        }
        let mut out = Members { terms: vec![], all: true };
        for node in self.graph.nodes(class) {
            let Some(work) = self.work.checked_sub(1) else {
                out.all = false;
                break;
            };
            self.work = work;
            let more = match (node.as_app(), node.as_lam()) {
                (Some((f, e)), _) => {
                    let (f, e) = (self.members(f, depth + 1), self.members(e, depth + 1));
                    let pairs =
                        f.terms.iter().flat_map(|f| e.terms.iter().map(|e| Term::app(f.clone(), e.clone())));
                    Members { terms: pairs.take(self.most + 1).collect(), all: f.all && e.all }
                }
                (_, Some(body)) => {
                    let Members { terms, all } = self.members(body, depth + 1);
                    let around = |body| self.decoder.abstraction(&node, body);
                    Members { terms: terms.into_iter().filter_map(around).collect(), all }
                }
                _ => Members { terms: vec![self.decoder.atom(&node)], all: true },
            };
            out.all &= more.all;
            out.terms.extend(more.terms);
        }
        if out.terms.len() > self.most {
            out.terms.sort_by_key(Term::size);
            out.terms.truncate(self.most);
            out.all = false;
        }
        self.open.remove(&class);
        out
    }
}

/// A member of a class, which may not be in the graph as a term of its own.
#[derive(Clone, Debug)]
pub enum Member {
    Id(Id),
    Node(Node, Rc<[Member]>),
}

/// A member that was asked for, none where there is none, or nothing where that was not found out.
pub type Answer = Option<Option<Member>>;

impl Graph {
    /// Adds a member as the term that it is.
    pub fn add_member(&mut self, member: &Member) -> Id {
        match member {
            Member::Id(id) => *id,
            Member::Node(node, parts) => {
                let parts: Vec<Id> = parts.iter().map(|p| self.add_member(p)).collect();
                let mut parts = parts.into_iter();
                self.egraph.add_exactly(node.map_children(|c| parts.next().unwrap_or(c)))
            }
        }
    }

    /// A member of a class in which none of these variables is free.
    pub fn member_without(&mut self, class: Id, free: Indices) -> Option<Id> {
        let best = self.data(class).best().term;
        if !self.mentions(best, free, 0) {
            return Some(best);
        }
        let member = some_without(&self.egraph, class, free)??;
        Some(self.add_member(&member))
    }

    /// A member of one class that a renaming makes one of another.
    pub fn member_sent(&mut self, renaming: &Renaming, from: Id, to: Id) -> Option<Id> {
        let (from, to) = (self.find(from), self.find(to));
        if renaming.sends(&self.egraph, from, to) {
            return Some(self.data(from).best().term);
        }
        let member = renaming.may_send(&self.egraph, from, to)??;
        Some(self.add_member(&member))
    }

    /// Is one of the variables free in this very term? Of a term that is nested too deeply: as far as its class tells.
    pub(super) fn mentions(&self, id: Id, free: Indices, depth: usize) -> bool {
        let node = self.egraph.node(id);
        let below = |id, free| self.mentions(id, free, depth + 1);
        self.data(id).free.meets(free)
            && match (node.op.kind(), node.as_app(), node.as_lam()) {
                _ if depth > MAX_NESTING => true,
                (Kind::Var(i), ..) => free.contains(i),
                (_, Some((f, e)), _) => below(f, free) || below(e, free),
                (_, _, Some(body)) => below(body, free.above_binder()),
                _ => false,
            }
    }
}

/// A member of the class in which none of these variables is free.
pub fn some_without(graph: &EGraph, class: Id, free: Indices) -> Answer {
    let mut work = WORK;
    without(graph, class, free, &mut FxHashSet::default(), &mut work)
}

fn without(
    graph: &EGraph,
    class: Id,
    free: Indices,
    open: &mut FxHashSet<(Id, Indices)>,
    work: &mut usize,
) -> Answer {
    let class = graph.find(class);
    if !graph.data(class).free.meets(free) {
        return Some(Some(Member::Id(graph.data(class).best().term)));
    }
    *work = work.checked_sub(1)?;
    // The smallest such member does not have the class within itself.
    if !open.insert((class, free)) {
        return Some(None);
    }
    let mut answer = Some(None);
    for node in graph.members(class) {
        let found = match node.op.kind() {
            Kind::Var(i) => Some((!free.contains(i)).then(|| Member::Node(node, [].into()))),
            Kind::Leaf(_) => Some(Some(Member::Node(node, [].into()))),
            Kind::Lam => {
                let body = node.children()[0];
                let found = without(graph, body, free.above_binder(), open, work);
                found.map(|body| body.map(|body| Member::Node(node, [body].into())))
            }
            Kind::App => {
                let [f, e] = [node.children()[0], node.children()[1]];
                match without(graph, f, free, open, work) {
                    Some(Some(f)) => {
                        let found = without(graph, e, free, open, work);
                        found.map(|e| e.map(|e| Member::Node(node, [f, e].into())))
                    }
                    other => other,
                }
            }
        };
        match found {
            Some(Some(member)) => {
                answer = Some(Some(member));
                break;
            }
            Some(None) => {}
            None => answer = None,
        }
    }
    open.remove(&(class, free));
    answer
}

impl Renaming {
    /// A member of `from` that becomes a member of `to`. A renaming that puts terms in the place of variables has no
    /// answer.
    pub(super) fn may_send(&self, graph: &EGraph, from: Id, to: Id) -> Answer {
        let mut pairs = Pairs { graph, renaming: self, open: FxHashMap::default(), work: WORK };
        pairs.meet(from, to, 0, self.changes())
    }
}

struct Pairs<'a> {
    graph: &'a EGraph,
    renaming: &'a Renaming,
    /// What is being asked, and under how many binders.
    open: FxHashMap<(Id, Id, u32), ()>,
    work: usize,
}

impl Pairs<'_> {
    fn meet(&mut self, from: Id, to: Id, binders: u32, changes: Indices) -> Answer {
        let graph = self.graph;
        let (from, to) = (graph.find(from), graph.find(to));
        if !graph.data(from).free.meets(changes) {
            return Some((from == to).then(|| Member::Id(graph.data(from).best().term)));
        }
        self.work = self.work.checked_sub(1)?;
        if from == to
            && let Some(member) = some_without(graph, from, changes)?
        {
            return Some(Some(member));
        }
        if self.open.insert((from, to, binders), ()).is_some() {
            return Some(None);
        }
        let mut answer = Some(None);
        'nodes: for a in graph.members(from) {
            for b in graph.members(to).filter(|b| b.ty == a.ty) {
                match self.nodes_meet(a, b, binders, changes) {
                    Some(Some(member)) => {
                        answer = Some(Some(member));
                        break 'nodes;
                    }
                    Some(None) => {}
                    None => answer = None,
                }
            }
        }
        self.open.remove(&(from, to, binders));
        answer
    }

    fn nodes_meet(&mut self, a: Node, b: Node, binders: u32, changes: Indices) -> Answer {
        let leaf = |same: bool| Some(same.then(|| Member::Node(a, [].into())));
        match a.op.kind() {
            Kind::Leaf(_) => leaf(a.op == b.op),
            Kind::Var(i) if i < binders => leaf(a.op == b.op),
            Kind::Var(i) => leaf(match self.renaming.of(i - binders) {
                To::Index(j) => j.checked_add(binders).is_some_and(|j| b.op == Op::var(j)),
                To::Gone | To::Term(_) => false,
            }),
            Kind::Lam => match (a.as_lam(), b.as_lam()) {
                (Some(s), Some(t)) => {
                    let found = self.meet(s, t, binders + 1, changes.above_binder());
                    found.map(|body| body.map(|body| Member::Node(a, [body].into())))
                }
                _ => Some(None),
            },
            Kind::App => match (a.as_app(), b.as_app()) {
                (Some((f, e)), Some((g, h))) => match self.meet(f, g, binders, changes) {
                    Some(Some(f)) => {
                        let found = self.meet(e, h, binders, changes);
                        found.map(|e| e.map(|e| Member::Node(a, [f, e].into())))
                    }
                    other => other,
                },
                _ => Some(None),
            },
        }
    }
}
