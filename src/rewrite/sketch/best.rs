//! The k lightest members of a class that satisfy a sketch, exactly, by increasing weight.
//!
//! A member is built from the root on, leftmost first. What is built so far and the least that its open places can weigh
//! ([`Lightest`]) together bound what it will weigh, so that the first one that is complete is the lightest, and the next
//! one the next: A* with an exact estimate. Hardly more is looked at than the members that are asked for.

use super::automaton::{ANY, Automaton, StateId, Step};
use super::classes::{Satisfied, atom_matches};
use super::extract::{Extracted, Kind, Lightest, Weights};
use crate::egraph::node::{Kind as Op, Node};
use crate::egraph::{Graph, Id, MAX_NESTING};
use crate::lang::digest::Digest;
use crate::lang::term::Term;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// So many parts of terms are looked at. Terms that satisfy a sketch in several ways are met as often.
const WORK: usize = 2_000_000;

/// The lightest members of a class.
#[derive(Clone, Debug)]
pub struct KBest {
    /// By increasing weight, each once up to the names of binders.
    pub terms: Vec<Extracted>,
    /// There are no others, or as many as were asked for; otherwise too much was looked at, or what comes is nested too deeply.
    pub complete: bool,
}

/// The k lightest members of a class that satisfy the automaton's start.
pub fn k_best(
    graph: &Graph,
    automaton: &Automaton,
    satisfied: &Satisfied,
    root: Id,
    k: usize,
    weights: Weights<'_>,
) -> KBest {
    let Some(mut members) = Members::of_until(graph, automaton, satisfied, root, weights, &|| false) else {
        return KBest { terms: vec![], complete: false };
    };
    let complete = members.find(k);
    KBest { terms: members.found, complete }
}

/// The members of a class that satisfy the automaton's start, of which more can be asked for.
pub struct Members<'a> {
    search: Enumeration<'a>,
    /// By increasing weight, each once up to the names of binders.
    pub found: Vec<Extracted>,
    seen: FxHashSet<Digest>,
    /// Too much was looked at, or what comes is nested too deeply.
    given_up: bool,
}

impl<'a> Members<'a> {
    /// None where `over` says so before they are weighed.
    pub fn of_until(
        graph: &'a Graph,
        automaton: &'a Automaton,
        satisfied: &'a Satisfied,
        root: Id,
        weights: Weights<'a>,
        over: &dyn Fn() -> bool,
    ) -> Option<Members<'a>> {
        let lightest = Lightest::of_until(graph, automaton, satisfied, weights, over)?;
        let mut search = Enumeration { graph, automaton, lightest, heap: BinaryHeap::new(), pushed: 0 };
        let root = Place { state: automaton.start, class: graph.find(root), kind: Kind::Any };
        search.push(Partial {
            weight: 0,
            open: Some(Rc::new(Open { place: root, rest: None })),
            ..Partial::default()
        });
        Some(Members { search, found: vec![], seen: FxHashSet::default(), given_up: false })
    }

    /// Goes on until so many are found. Says whether they are, or there are no others.
    pub fn find(&mut self, k: usize) -> bool {
        while self.found.len() < k && !self.given_up {
            let Some(Candidate { partial, .. }) = self.search.heap.pop() else { break };
            match partial.open.clone() {
                Some(open) => self.search.expand(&partial, &open),
                None => match self.search.term(&partial) {
                    Some(term) if self.seen.insert(term.digest()) => {
                        self.found.push(Extracted { term, cost: partial.weight });
                    }
                    Some(_) => {}
                    // What comes now is as heavy.
                    None => self.given_up = true,
                },
            }
            self.given_up |= self.search.pushed > WORK;
        }
        !self.given_up
    }
}

/// Where a member of a class is to stand.
#[derive(Clone, Copy, Debug)]
struct Place {
    state: StateId,
    class: Id,
    kind: Kind,
}

/// Places that are still to be filled, the next one first.
#[derive(Debug)]
struct Open {
    place: Place,
    rest: Option<Rc<Open>>,
}

/// The nodes that were chosen so far, the last one first.
#[derive(Debug)]
struct Chosen {
    node: Node,
    before: Option<Rc<Chosen>>,
}

/// A member that is built in part.
#[derive(Clone, Default, Debug)]
struct Partial {
    weight: u32,
    /// The least that the open places weigh.
    least: u32,
    size: u32,
    open: Option<Rc<Open>>,
    chosen: Option<Rc<Chosen>>,
}

/// A partial member in the queue: lighter ones first, then those that are built farther, then those that came first.
#[derive(Debug)]
struct Candidate {
    partial: Partial,
    number: usize,
}

impl Candidate {
    fn key(&self) -> (u32, std::cmp::Reverse<u32>, usize) {
        let weight = self.partial.weight.saturating_add(self.partial.least);
        (weight, std::cmp::Reverse(self.partial.size), self.number)
    }
}
impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        other.key().cmp(&self.key())
    }
}
impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Candidate {}

struct Enumeration<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    lightest: Lightest<'a>,
    heap: BinaryHeap<Candidate>,
    pushed: usize,
}

impl Enumeration<'_> {
    fn push(&mut self, partial: Partial) {
        self.pushed += 1;
        self.heap.push(Candidate { partial, number: self.pushed });
    }

    /// The partial member with its next place filled, or asked of another state.
    fn filled(
        &self,
        p: &Partial,
        at: &Open,
        weight: u32,
        node: Option<Node>,
        places: &[Place],
    ) -> Option<Partial> {
        let before = self.lightest.weight(at.place.state, at.place.class, at.place.kind)?;
        let mut least = p.least.saturating_sub(before);
        let mut open = at.rest.clone();
        for place in places.iter().rev() {
            least = least.saturating_add(self.lightest.weight(place.state, place.class, place.kind)?);
            open = Some(Rc::new(Open { place: *place, rest: open }));
        }
        let mut chosen = p.chosen.clone();
        if let Some(node) = node {
            chosen = Some(Rc::new(Chosen { node, before: chosen }));
        }
        let size = p.size + u32::from(node.is_some());
        Some(Partial { weight: p.weight.saturating_add(weight), least, size, open, chosen })
    }

    fn expand(&mut self, p: &Partial, at: &Open) {
        let Place { state, class, kind } = at.place;
        let s = &self.automaton.states[state];
        let mut next = vec![];
        for step in &s.steps {
            if let Step::Same(other) = step {
                let place = Place { state: *other, class, kind };
                next.extend(self.filled(p, at, 0, None, &[place]));
            }
        }
        for node in self.graph.nodes(class).filter(|n| kind.admits(n)) {
            let own = self.lightest.own_weight(&node, kind);
            let [f, e] = [0, 1].map(|i| node.children().get(i).map_or(class, |c| self.graph.find(*c)));
            let mut fill = |places: &[Place]| next.extend(self.filled(p, at, own, Some(node), places));
            let place = |state, class, kind| Place { state, class, kind };
            if s.open {
                match node.op.kind() {
                    Op::App => fill(&[place(ANY, f, Kind::Head), place(ANY, e, Kind::Any)]),
                    Op::Lam => fill(&[place(ANY, f, Kind::Any)]),
                    Op::Var(_) | Op::Leaf(_) => fill(&[]),
                }
                continue;
            }
            for step in &s.steps {
                match (step, node.op.kind()) {
                    (Step::App(a, b), Op::App) => fill(&[place(*a, f, Kind::Head), place(*b, e, Kind::Any)]),
                    (Step::Lam(a), Op::Lam) => fill(&[place(*a, f, Kind::Any)]),
                    (Step::Leaf(sketches), Op::Var(_) | Op::Leaf(_))
                        if atom_matches(self.graph.tables(), sketches, &node) =>
                    {
                        fill(&[]);
                    }
                    _ => {}
                }
            }
        }
        next.into_iter().for_each(|partial| self.push(partial));
    }

    /// The term of a member that is complete, unless it is nested too deeply: its nodes come last first, so arguments are met
    /// before functions.
    fn term(&self, partial: &Partial) -> Option<Term> {
        let decoder = self.graph.decoder();
        let mut built: Vec<Term> = vec![];
        let mut at = partial.chosen.as_ref();
        while let Some(chosen) = at {
            let node = chosen.node;
            let term = match node.op.kind() {
                Op::App => Term::app(built.pop()?, built.pop()?),
                Op::Lam => decoder.abstraction(&node, built.pop()?)?,
                Op::Var(_) | Op::Leaf(_) => decoder.atom(&node),
            };
            if term.depth() as usize > MAX_NESTING {
                return None;
            }
            built.push(term);
            at = chosen.before.as_ref();
        }
        built.pop().filter(|_| built.is_empty())
    }
}
