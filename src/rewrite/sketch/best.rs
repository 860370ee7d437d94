//! The k lightest members of a class that satisfy a sketch, exactly, by increasing weight.
//!
//! A member is built from the root on, leftmost first. What is built so far and the least that its open places can weigh
//! ([`Lightest`]) together bound what it will weigh, so that the first one that is complete is the lightest, and the next
//! one the next: A* with an exact estimate. A member may satisfy a sketch in several ways: it is built once, with the ways
//! that are still open beside each other. The nodes of a class come to a place one after the other, by what they weigh there,
//! each when the one before it was taken: hardly more is looked at than the members that are asked for.

use super::automaton::{ANY, Automaton, StateId, Step};
use super::classes::{Satisfied, atom_matches};
use super::extract::{Extracted, Kind, Lightest, Weights};
use crate::egraph::node::{Kind as Op, Node};
use crate::egraph::tables::TypeId;
use crate::egraph::{Decoder, Graph, Id, MAX_NESTING};
use crate::lang::digest::Digest;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// So many parts of terms are looked at for the first member, so many more for each one that is asked for, and so many in all: where
/// hardly any member has all of its variables bound, there is no end to those that have not.
const WORK_FOR_FIRST: usize = 200_000;
const WORK_FOR_EACH: usize = 10_000;
const MOST_WORK: usize = 2_000_000;
/// Whether it is time to give up is asked after so many steps.
const ASKED_AFTER: usize = 256;

/// So many ways to satisfy the sketch are kept beside each other. A term with more is met more than once.
const MOST_WAYS: usize = 32;

/// The lightest members of a class.
#[derive(Clone, Debug)]
pub struct KBest {
    /// By increasing weight, each once up to the names of binders.
    pub terms: Vec<Extracted>,
    /// There are no others, or as many as were asked for; otherwise too much was looked at, or what comes is nested too deeply.
    pub complete: bool,
    /// So many were looked at, where there are others and one of those may be lighter.
    pub of: Option<usize>,
}

/// The variables that may stand free in a member, with their types.
pub type Free = Vec<(u32, Type)>;

/// Those of a term.
pub fn free_in(term: &Term) -> Free {
    fn go(t: &Term, depth: u32, out: &mut Free) {
        if let Expr::Var(i) = t.expr() {
            let free = i.checked_sub(depth).map(|i| (i, t.ty().clone()));
            out.extend(free.filter(|free| !out.contains(free)));
        }
        for child in t.children().into_iter().filter(|_| !t.is_closed()) {
            go(child, depth + u32::from(t.as_lam().is_some()), out);
        }
    }
    let mut out = vec![];
    term.with_stack(|| go(term, 0, &mut out));
    out
}

/// The k lightest members of a class that satisfy the automaton's start, with whatever variables.
pub fn k_best(
    graph: &Graph,
    automaton: &Automaton,
    satisfied: &Satisfied,
    root: Id,
    k: usize,
    weights: Weights<'_>,
) -> KBest {
    let Some(mut members) = Members::of_until(graph, automaton, satisfied, (root, None), weights, &|| false)
    else {
        return KBest { terms: vec![], complete: false, of: None };
    };
    let complete = members.find(k, &|| false);
    KBest { terms: members.found, complete, of: None }
}

/// The members of a class that satisfy the automaton's start, of which more can be asked for.
pub struct Members<'a> {
    search: Enumeration<'a>,
    /// By increasing weight, each once up to the names of binders.
    pub found: Vec<Extracted>,
    seen: FxHashSet<Digest>,
    /// Too much was looked at, or what comes is nested too deeply.
    given_up: bool,
    /// What comes is nested too deeply.
    pub too_deep: bool,
}

impl<'a> Members<'a> {
    /// Of the class at the root, with these variables where that matters. None where `over` says so before they are weighed.
    pub fn of_until(
        graph: &'a Graph,
        automaton: &'a Automaton,
        satisfied: &'a Satisfied,
        (root, free): (Id, Option<&'a Free>),
        weights: Weights<'a>,
        over: &dyn Fn() -> bool,
    ) -> Option<Members<'a>> {
        let lightest = Lightest::of_until(graph, automaton, satisfied, weights, over)?;
        let closures = (0..automaton.states.len()).map(|state| closure(automaton, state)).collect();
        let mut search = Enumeration {
            graph,
            automaton,
            free,
            closures,
            lightest,
            heap: BinaryHeap::new(),
            pushed: 0,
            sets: 0,
            orders: FxHashMap::default(),
            decoder: graph.decoder(),
            made: FxHashMap::default(),
        };
        let root = Place { state: automaton.start, class: graph.find(root), kind: Kind::Any, binders: None };
        if let Some(open) = search.open(root, None) {
            search.go_on(Partial { ways: vec![Some(open)], ..Partial::default() });
        }
        Some(Members { search, found: vec![], seen: FxHashSet::default(), given_up: false, too_deep: false })
    }

    /// Goes on until so many are found, or `over` says that it is time to give up. Says whether they are, or there are no others.
    pub fn find(&mut self, k: usize, over: &dyn Fn() -> bool) -> bool {
        let most = MOST_WORK.min(WORK_FOR_FIRST.saturating_add(WORK_FOR_EACH.saturating_mul(k)));
        let mut popped = 0_usize;
        while self.found.len() < k && !self.given_up {
            popped += 1;
            if popped.is_multiple_of(ASKED_AFTER) && over() {
                self.given_up = true;
                break;
            }
            let Some(candidate) = self.search.heap.pop() else { break };
            for partial in self.search.built(candidate) {
                if partial.next().is_some() {
                    self.search.go_on(partial);
                    continue;
                }
                match self.search.term(&partial) {
                    Some(term) if self.seen.insert(term.digest()) => {
                        self.found.push(Extracted { term, cost: partial.weight });
                    }
                    Some(_) => {}
                    // What comes now is as heavy.
                    None => self.too_deep = true,
                }
            }
            self.given_up |= self.too_deep || self.search.pushed > most;
        }
        !self.given_up
    }
}

/// Where a member of a class is to stand.
#[derive(Clone, Debug)]
struct Place {
    state: StateId,
    class: Id,
    kind: Kind,
    binders: Binders,
}

/// The types of the binders around a place, the innermost first. A class is that of a term wherever it stands, and a member of it
/// may have variables that the others lack, as `map snd (zip a b)` has those of `a`: it stands only where these are bound.
type Binders = Option<Rc<Binder>>;

#[derive(Debug)]
struct Binder {
    ty: TypeId,
    outer: Binders,
}

/// What the variable is within these binders: whether it fits one of them, or its number outside of all.
fn bound(binders: &Binders, index: u32, ty: TypeId) -> Result<bool, u32> {
    let mut at = binders;
    for left in (1..=index).rev() {
        at = &at.as_ref().ok_or(left)?.outer;
    }
    at.as_ref().map(|binder| binder.ty == ty).ok_or(0)
}

/// Places that are still to be filled, the next one first.
#[derive(Debug)]
struct Open {
    place: Place,
    /// The least that they weigh.
    least: u32,
    rest: Way,
}

/// What is asked of the places that are still to be filled; nothing where there are none.
type Way = Option<Rc<Open>>;

fn least(way: &Way) -> u32 {
    way.as_ref().map_or(0, |open| open.least)
}

/// Does whatever satisfies the other way satisfy this one?
fn asks_no_more(this: &Way, other: &Way) -> bool {
    let (mut this, mut other) = (this, other);
    loop {
        match (this, other) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => return true,
            (Some(a), Some(b)) if a.place.state == ANY || a.place.state == b.place.state => {
                (this, other) = (&a.rest, &b.rest);
            }
            (this, other) => return this.is_none() && other.is_none(),
        }
    }
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
    size: u32,
    /// Each way in which it may satisfy the sketch, the lightest first. All have the same places.
    ways: Vec<Way>,
    chosen: Option<Rc<Chosen>>,
}

impl Partial {
    /// Where it is built next.
    fn next(&self) -> Option<(Id, Kind)> {
        self.ways.first()?.as_ref().map(|open| (open.place.class, open.place.kind))
    }
}

/// What is asked of a child of a node: its number, the state that it is to satisfy, and where it stands.
type Child = (usize, StateId, Kind);

/// A node at a place, with what the member weighs at least then, without what was chosen before.
#[derive(Clone, Copy, Debug)]
struct Ordered {
    least: u32,
    node: Node,
}

/// A partial member, and the next of the nodes that may come to its next place. In the queue lighter ones come first, then those
/// that are built farther, then those that came first.
#[derive(Debug)]
struct Candidate {
    partial: Rc<Partial>,
    /// The nodes, lighter ones first.
    nodes: Rc<[Ordered]>,
    /// What is added to the weight of each.
    rest: u32,
    at: usize,
    number: usize,
}

impl Candidate {
    fn key(&self) -> (u32, std::cmp::Reverse<u32>, usize, usize) {
        let node = self.nodes.get(self.at).map_or(u32::MAX, |n| n.least);
        let weight = self.partial.weight.saturating_add(node).saturating_add(self.rest);
        (weight, std::cmp::Reverse(self.partial.size), self.number, self.at)
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

/// The states as which a term may satisfy a state, itself included.
fn closure(automaton: &Automaton, state: StateId) -> Vec<StateId> {
    let mut all = vec![state];
    let mut at = 0;
    while let Some(state) = all.get(at) {
        for step in &automaton.states[*state].steps {
            if let Step::Same(other) = step
                && !all.contains(other)
            {
                all.push(*other);
            }
        }
        at += 1;
    }
    all
}

struct Enumeration<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    /// What may stand free; none where anything may.
    free: Option<&'a Free>,
    /// For each state, those by which a term may satisfy it.
    closures: Vec<Vec<StateId>>,
    lightest: Lightest<'a>,
    heap: BinaryHeap<Candidate>,
    pushed: usize,
    /// So many sets of nodes have come to a place.
    sets: usize,
    /// The nodes of a class in the order in which they come to a place.
    orders: FxHashMap<(StateId, Id, Kind), Rc<[Ordered]>>,
    decoder: Decoder<'a>,
    /// The terms of nodes with these children: what many members have in common is one term.
    made: FxHashMap<(Node, [Option<Digest>; 2]), Term>,
}

impl Enumeration<'_> {
    fn push(&mut self, candidate: Candidate) {
        if candidate.at < candidate.nodes.len() {
            self.pushed += 1;
            self.heap.push(candidate);
        }
    }

    /// A place before others; none where nothing can stand there.
    fn open(&self, place: Place, rest: Way) -> Way {
        let least = self.lightest.weight(place.state, place.class, place.kind)?.saturating_add(least(&rest));
        Some(Rc::new(Open { place, least, rest }))
    }

    /// Goes on with a member that is not complete: nodes come to its next place.
    fn go_on(&mut self, partial: Partial) {
        let Some((class, kind)) = partial.next() else { return };
        let open = partial.ways.iter().flatten();
        let ways: Vec<(StateId, u32)> = open.map(|o| (o.place.state, least(&o.rest))).collect();
        let (nodes, rest) = match ways.as_slice() {
            [(state, rest)] => (self.order(*state, class, kind), *rest),
            several => {
                let as_one = |node: &Node, (state, rest): &(StateId, u32)| {
                    Some(self.least_as(*state, class, node, kind)?.saturating_add(*rest))
                };
                let least = |node: &Node| several.iter().filter_map(|way| as_one(node, way)).min();
                (self.ordered(class, kind, &least), 0)
            }
        };
        self.sets += 1;
        let (partial, number) = (Rc::new(partial), self.sets);
        self.push(Candidate { partial, nodes, rest, at: 0, number });
    }

    /// The nodes of a class that may stand where a state is asked for.
    fn order(&mut self, state: StateId, class: Id, kind: Kind) -> Rc<[Ordered]> {
        let key = (state, class, kind);
        if let Some(known) = self.orders.get(&key) {
            return known.clone();
        }
        let order = self.ordered(class, kind, &|node| self.least_as(state, class, node, kind));
        self.orders.insert(key, order.clone());
        order
    }

    /// The nodes of a class by their weight, without those that have none.
    fn ordered(&self, class: Id, kind: Kind, weight: &dyn Fn(&Node) -> Option<u32>) -> Rc<[Ordered]> {
        let nodes = self.graph.nodes(class).filter(|n| kind.admits(n));
        let weighed = nodes.filter_map(|node| Some(Ordered { least: weight(&node)?, node }));
        let mut all: Vec<Ordered> = weighed.collect();
        all.sort_by_key(|n| n.least);
        all.into()
    }

    /// The least that a member weighs that has this node and satisfies the state.
    fn least_as(&self, state: StateId, class: Id, node: &Node, kind: Kind) -> Option<u32> {
        let weight = |(i, state, kind): &Child| {
            self.lightest.weight(*state, self.graph.find(*node.children().get(*i)?), *kind)
        };
        let mut least: Option<u32> = None;
        for state in self.states(state, class, kind) {
            self.each_way(state, node, &mut |children| {
                let all = children.iter().try_fold(0_u32, |sum, c| Some(sum.saturating_add(weight(c)?)));
                least = least.into_iter().chain(all).min();
            });
        }
        Some(least?.saturating_add(self.lightest.own_weight(node, kind)))
    }

    /// The states that some member of the class satisfies and that make it satisfy this one.
    fn states(&self, state: StateId, class: Id, kind: Kind) -> impl Iterator<Item = StateId> {
        let has = move |s: &StateId| self.lightest.weight(*s, class, kind).is_some();
        self.closures[state].iter().copied().filter(has)
    }

    /// The member with the next node at its next place, if it can stand there; several, where it satisfies the sketch in many ways.
    /// The node after it takes its turn in the queue.
    fn built(&mut self, candidate: Candidate) -> Vec<Partial> {
        let Candidate { partial, nodes, rest, at, number } = candidate;
        let (Some(Ordered { node, .. }), Some((class, kind))) = (nodes.get(at).copied(), partial.next())
        else {
            return vec![];
        };
        let mut ways: Vec<Way> = vec![];
        for open in partial.ways.iter().flatten() {
            for state in self.states(open.place.state, class, kind) {
                self.ways(state, &node, open, &mut ways);
            }
        }
        ways.sort_by_key(least);
        let mut kept: Vec<Way> = vec![];
        for way in ways {
            if !kept.iter().any(|other| asks_no_more(other, &way)) {
                kept.push(way);
            }
        }
        let chosen = Some(Rc::new(Chosen { node, before: partial.chosen.clone() }));
        let weight = partial.weight.saturating_add(self.lightest.own_weight(&node, kind));
        let size = partial.size + 1;
        let with = |ways: &[Way]| Partial { weight, size, ways: ways.to_vec(), chosen: chosen.clone() };
        let built = kept.chunks(MOST_WAYS).map(with).collect();
        self.push(Candidate { partial, nodes, rest, at: at + 1, number });
        built
    }

    /// May the variable stand within these binders?
    fn may_stand(&self, binders: &Binders, index: u32, ty: TypeId) -> bool {
        let is_of = |outer: u32| {
            let fits = |(free, of): &(u32, Type)| *free == outer && *of == self.graph.tables().ty_of(ty);
            self.free.is_none_or(|all| all.iter().any(fits))
        };
        bound(binders, index, ty).unwrap_or_else(is_of)
    }

    /// Calls `f` with what is asked of the node's children, its function first, for each way in which it may satisfy a state, other
    /// than as it satisfies another.
    fn each_way(&self, state: StateId, node: &Node, f: &mut dyn FnMut(&[Child])) {
        let s = &self.automaton.states[state];
        if s.open {
            return match node.op.kind() {
                Op::App => f(&[(0, ANY, Kind::Head), (1, ANY, Kind::Any)]),
                Op::Lam => f(&[(0, ANY, Kind::Any)]),
                Op::Var(_) | Op::Leaf(_) => f(&[]),
            };
        }
        for step in &s.steps {
            match (step, node.op.kind()) {
                (Step::App(a, b), Op::App) => f(&[(0, *a, Kind::Head), (1, *b, Kind::Any)]),
                (Step::Lam(a), Op::Lam) => f(&[(0, *a, Kind::Any)]),
                (Step::Leaf(sketches), Op::Var(_) | Op::Leaf(_))
                    if atom_matches(self.graph.tables(), sketches, node) =>
                {
                    f(&[]);
                }
                _ => {}
            }
        }
    }

    /// What is left to be filled when the node has come to a place, for each way in which it may satisfy a state there.
    fn ways(&self, state: StateId, node: &Node, Open { place, rest, .. }: &Open, out: &mut Vec<Way>) {
        let binders = match node.op.kind() {
            Op::Var(index) if !self.may_stand(&place.binders, index, node.ty) => return,
            Op::Lam => {
                let Some((ty, _)) = self.graph.tables().as_fun(node.ty) else { return };
                Some(Rc::new(Binder { ty, outer: place.binders.clone() }))
            }
            _ => place.binders.clone(),
        };
        self.each_way(state, node, &mut |children| {
            let mut way = rest.clone();
            for (i, state, kind) in children.iter().rev() {
                let Some(child) = node.children().get(*i) else { return };
                let (class, binders) = (self.graph.find(*child), binders.clone());
                way = self.open(Place { state: *state, class, kind: *kind, binders }, way);
                if way.is_none() {
                    return;
                }
            }
            out.push(way);
        });
    }

    /// The term of a member that is complete, unless it is nested too deeply: its nodes come last first, so arguments are met
    /// before functions.
    fn term(&mut self, partial: &Partial) -> Option<Term> {
        let mut built: Vec<Term> = vec![];
        let mut at = partial.chosen.as_ref();
        while let Some(chosen) = at {
            let node = chosen.node;
            let mut child = |i: usize| if node.children().len() > i { built.pop() } else { None };
            let children = [child(0), child(1)];
            let key = (node, children.each_ref().map(|c| c.as_ref().map(Term::digest)));
            let term = match self.made.get(&key) {
                Some(term) => term.clone(),
                None => {
                    let term = match (node.op.kind(), children) {
                        (Op::App, [Some(f), Some(e)]) => Term::app(f, e),
                        (Op::Lam, [Some(body), None]) => self.decoder.abstraction(&node, body)?,
                        (Op::Var(_) | Op::Leaf(_), [None, None]) => self.decoder.atom(&node),
                        _ => return None,
                    };
                    self.made.insert(key, term.clone());
                    term
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egraph::log::Reason;
    use crate::lang::build as b;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::{parse_program, parse_sketch};
    use crate::lang::ty::TypeKind;
    use crate::sketch::{Library, read};

    /// What nobody reads may have variables of another place: a program has none that it does not bind.
    #[test]
    fn members_of_programs_have_no_free_variables() {
        let text = "def f (a: n.f32) (b: m.f32): m.f32 = b";
        let start = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let mut graph = Graph::new();
        let root = graph.encode(&start).unwrap();
        let body = start.as_lam().unwrap().1.as_lam().unwrap().1.clone();
        let inner = graph.encode(&body).unwrap();
        // `map snd (zip v b)` is `b` for every v.
        for free in [0, 1, 2] {
            let v = Term::var(free, body.ty().clone());
            let zipped = b::zip(v, body.clone()).unwrap();
            let TypeKind::Array(_, pair) = zipped.ty().kind() else { panic!("no array") };
            let second = b::lam("p", pair.clone(), b::snd).unwrap();
            let same = b::map(second, zipped.clone()).unwrap();
            let class = graph.encode(&same).unwrap();
            graph.union(inner, class, Reason::Given);
        }
        graph.rebuild();
        let any = read(&parse_sketch(FileId::NOWHERE, "?").0, &Library::builtin(), &[]).unwrap();
        let automaton = Automaton::new(&any).unwrap();
        let satisfied = Satisfied::of(&graph, &automaton);
        let of = |free: Option<&Free>| -> Vec<Term> {
            let root = (graph.find(root), free);
            let mut members =
                Members::of_until(&graph, &automaton, &satisfied, root, Weights::Size, &|| false).unwrap();
            members.find(12, &|| false);
            members.found.into_iter().map(|found| found.term).collect()
        };
        assert!(of(None).iter().any(|t| !t.is_closed()));
        let closed = of(Some(&free_in(&start)));
        // The variable `a` has another type, and another number is bound by nothing.
        assert!(closed.len() > 1 && closed.iter().all(|t| t.check().is_ok()), "{closed:?}");
    }
}
