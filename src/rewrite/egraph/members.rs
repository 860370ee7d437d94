//! Questions about all members of a class, where the best one does not answer for the others.
//!
//! Classes may have members without end, so every answer has a bound on its work; what was not found out within it is
//! `None`, or said to be incomplete.

use super::analysis::{Indices, Typing};
use super::node::{Kind, Node, Op};
use super::rename::{Renaming, To};
use super::{Decoder, Graph, MAX_NESTING};
use crate::lang::term::Term;
use egg::{EGraph, Id};
use rustc_hash::{FxHashMap, FxHashSet};

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
                    let around = |body| self.decoder.abstraction(node, body);
                    Members { terms: terms.into_iter().filter_map(around).collect(), all }
                }
                _ => Members { terms: vec![self.decoder.atom(node)], all: true },
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

/// Has the class a member in which none of these variables is free?
pub fn some_without(graph: &EGraph<Node, Typing>, class: Id, free: Indices) -> Option<bool> {
    let mut work = WORK;
    without(graph, class, free, &mut FxHashSet::default(), &mut work)
}

fn without(
    graph: &EGraph<Node, Typing>,
    class: Id,
    free: Indices,
    open: &mut FxHashSet<(Id, Indices)>,
    work: &mut usize,
) -> Option<bool> {
    let class = graph.find(class);
    if !graph[class].data.free.meets(free) {
        return Some(true);
    }
    *work = work.checked_sub(1)?;
    // The smallest such member does not have the class within itself.
    if !open.insert((class, free)) {
        return Some(false);
    }
    let mut answer = Some(false);
    for node in &graph[class].nodes {
        let found = match node.op.kind() {
            Kind::Var(i) => Some(!free.contains(i)),
            Kind::Leaf(_) => Some(true),
            Kind::Lam => match node.as_lam() {
                Some(body) => without(graph, body, free.above_binder(), open, work),
                None => Some(false),
            },
            Kind::App => match node.as_app() {
                Some((f, e)) => match without(graph, f, free, open, work) {
                    Some(true) => without(graph, e, free, open, work),
                    other => other,
                },
                None => Some(false),
            },
        };
        match found {
            Some(true) => {
                answer = Some(true);
                break;
            }
            Some(false) => {}
            None => answer = None,
        }
    }
    open.remove(&(class, free));
    answer
}

impl Renaming {
    /// Has `from` a member that becomes a member of `to`? A renaming that puts classes in the place of variables has no
    /// answer.
    pub(super) fn may_send(&self, graph: &EGraph<Node, Typing>, from: Id, to: Id) -> Option<bool> {
        let mut pairs = Pairs { graph, renaming: self, open: FxHashMap::default(), work: WORK };
        pairs.meet(from, to, 0, self.changes())
    }
}

struct Pairs<'a> {
    graph: &'a EGraph<Node, Typing>,
    renaming: &'a Renaming,
    /// What is being asked, and under how many binders.
    open: FxHashMap<(Id, Id, u32), ()>,
    work: usize,
}

impl Pairs<'_> {
    fn meet(&mut self, from: Id, to: Id, binders: u32, changes: Indices) -> Option<bool> {
        let graph = self.graph;
        let (from, to) = (graph.find(from), graph.find(to));
        if !graph[from].data.free.meets(changes) {
            return Some(from == to);
        }
        self.work = self.work.checked_sub(1)?;
        if from == to && some_without(graph, from, changes)? {
            return Some(true);
        }
        if self.open.insert((from, to, binders), ()).is_some() {
            return Some(false);
        }
        let mut answer = Some(false);
        'nodes: for a in &graph[from].nodes {
            for b in graph[to].nodes.iter().filter(|b| b.ty == a.ty) {
                match self.nodes_meet(a, b, binders, changes) {
                    Some(true) => {
                        answer = Some(true);
                        break 'nodes;
                    }
                    Some(false) => {}
                    None => answer = None,
                }
            }
        }
        self.open.remove(&(from, to, binders));
        answer
    }

    fn nodes_meet(&mut self, a: &Node, b: &Node, binders: u32, changes: Indices) -> Option<bool> {
        match a.op.kind() {
            Kind::Leaf(_) => Some(a.op == b.op),
            Kind::Var(i) if i < binders => Some(a.op == b.op),
            Kind::Var(i) => Some(match self.renaming.of(i - binders) {
                To::Index(j) => j.checked_add(binders).is_some_and(|j| b.op == Op::var(j)),
                To::Gone | To::Class(_) => false,
            }),
            Kind::Lam => match (a.as_lam(), b.as_lam()) {
                (Some(s), Some(t)) => self.meet(s, t, binders + 1, changes.above_binder()),
                _ => Some(false),
            },
            Kind::App => match (a.as_app(), b.as_app()) {
                (Some((f, e)), Some((g, h))) => match self.meet(f, g, binders, changes) {
                    Some(true) => self.meet(e, h, binders, changes),
                    other => other,
                },
                _ => Some(false),
            },
        }
    }
}
