//! Which classes of an e-graph have a member that satisfies a sketch (thesis section 5.3.4), exactly.
//!
//! Each state of the sketch's automaton is answered once, lower ones first, and what has been answered stays true while
//! the graph grows: only nodes that are new are asked, and nodes around classes that are new to a state or have become one.

use super::automaton::{ANY, Automaton, StateId, Step};
use super::{ArgSketch, NatSketch, Shape, Sketch, TypeSketch, index};
use crate::egraph::node::{Kind, Node};
use crate::egraph::tables::{Leaf, LeafArg, NatId, Tables, TypeId, TypeRow};
use crate::egraph::{Graph, Id};
use crate::lang::literal::Literal;

/// A set of classes.
#[derive(Clone, Default, Debug)]
pub struct Classes {
    bits: Vec<u64>,
    list: Vec<Id>,
}

impl Classes {
    #[inline]
    pub fn has(&self, id: Id) -> bool {
        let i = usize::from(id);
        self.bits.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 != 0)
    }
    #[inline]
    pub fn insert(&mut self, id: Id) -> bool {
        let i = usize::from(id);
        if self.bits.len() <= i / 64 {
            self.bits.resize(i / 64 + 1, 0);
        }
        let new = self.bits[i / 64] >> (i % 64) & 1 == 0;
        if new {
            self.bits[i / 64] |= 1 << (i % 64);
            self.list.push(id);
        }
        new
    }
    /// For each word of bits the number of classes before it, so that each class has a number within the set.
    pub(super) fn numbering(&self) -> Vec<u32> {
        let before = |all: &mut u32, word: &u64| {
            let before = *all;
            *all += word.count_ones();
            Some(before)
        };
        self.bits.iter().scan(0, before).collect()
    }
    /// The number of a class within the set.
    #[inline]
    pub(super) fn number(&self, numbering: &[u32], id: Id) -> Option<usize> {
        let (word, bit) = (usize::from(id) / 64, usize::from(id) % 64);
        let bits = self.bits.get(word)?;
        let below = (bits & ((1 << bit) - 1)).count_ones();
        (bits >> bit & 1 != 0).then(|| (numbering[word] + below) as usize)
    }
    /// The set, after some of its classes have become one with others.
    fn canonical(&self, graph: &Graph) -> Classes {
        let mut out = Classes { bits: Vec::with_capacity(self.bits.len()), list: vec![] };
        self.list.iter().for_each(|id| {
            out.insert(graph.find(*id));
        });
        out
    }
    /// In the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = Id> + '_ {
        self.list.iter().copied()
    }
    pub fn len(&self) -> usize {
        self.list.len()
    }
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The classes of each state.
#[derive(Default, Debug)]
pub struct Satisfied {
    /// [`ANY`] and other states that ask nothing but a type are not listed.
    sets: Vec<Classes>,
    /// The ids and the unions that have been looked at.
    ids: usize,
    unions: usize,
}

/// What has come to a graph: nodes, each with its class, and classes that were several.
#[derive(Default)]
struct News {
    leaves: Vec<(Node, Id)>,
    lams: Vec<(Id, Id)>,
    apps: Vec<(Id, Id, Id)>,
    merged: Vec<Id>,
}

/// Bytes of an application that has come to a graph, and of an id.
const APP_BYTES: usize = std::mem::size_of::<(Id, Id, Id)>();
const ID_BYTES: usize = std::mem::size_of::<Id>();

impl News {
    fn since(graph: &Graph, ids: usize, unions: usize) -> News {
        // Most are applications.
        let mut news = News { apps: Vec::with_capacity(graph.ids() - ids), ..News::default() };
        for id in (ids..graph.ids()).map(Id::from) {
            let (node, class) = (graph.node(id), graph.find(id));
            match (node.as_app(), node.as_lam()) {
                (Some((f, e)), _) => news.apps.push((f, e, class)),
                (_, Some(body)) => news.lams.push((body, class)),
                _ => news.leaves.push((node, class)),
            }
        }
        let unions = unions..graph.log().len();
        news.merged = unions.map(|time| graph.find(graph.log().union_at(time as u32).left)).collect();
        news.merged.sort_unstable();
        news.merged.dedup();
        news
    }

    fn classes(&self) -> impl Iterator<Item = Id> + '_ {
        let leaves = self.leaves.iter().map(|(_, c)| *c);
        leaves.chain(self.lams.iter().map(|(_, c)| *c)).chain(self.apps.iter().map(|(_, _, c)| *c))
    }
}

impl Satisfied {
    /// Before any graph was asked.
    pub fn none(automaton: &Automaton) -> Satisfied {
        let sets = vec![Classes::default(); automaton.states.len()];
        Satisfied { sets, ids: 0, unions: 0 }
    }

    /// Has all of the graph been asked?
    pub fn is_current(&self, graph: &Graph) -> bool {
        (self.ids, self.unions) == (graph.ids(), graph.log().len())
    }

    /// Has any graph been asked?
    pub fn was_asked(&self) -> bool {
        self.ids > 0
    }

    /// The bytes that are taken at once to ask what has come to a graph since it was last asked.
    pub fn coming(&self, graph: &Graph) -> u64 {
        let (ids, unions) = (graph.ids() - self.ids, graph.log().len() - self.unions);
        (ids * APP_BYTES + unions * ID_BYTES) as u64
    }

    /// Asks a clean e-graph (rebuilt since its last change).
    pub fn of(graph: &Graph, automaton: &Automaton) -> Satisfied {
        let mut s = Satisfied::none(automaton);
        s.update(graph, automaton);
        s
    }

    /// As [`Satisfied::of`]; none where `over` says so before all is asked.
    pub fn of_until(graph: &Graph, automaton: &Automaton, over: &dyn Fn() -> bool) -> Option<Satisfied> {
        let mut s = Satisfied::none(automaton);
        s.update_until(graph, automaton, over).then_some(s)
    }

    /// Asks what has come to the graph, which must be clean, since it was last asked.
    pub fn update(&mut self, graph: &Graph, automaton: &Automaton) {
        self.update_until(graph, automaton, &|| false);
    }

    /// As [`Satisfied::update`]; where `over` says so before all is asked, nothing has been. Says whether all was.
    pub fn update_until(&mut self, graph: &Graph, automaton: &Automaton, over: &dyn Fn() -> bool) -> bool {
        let news = News::since(graph, self.ids, self.unions);
        let all_is_new = self.ids == 0;
        (self.ids, self.unions) = (graph.ids(), graph.log().len());
        if !news.merged.is_empty() {
            self.sets.iter_mut().for_each(|set| *set = set.canonical(graph));
        }
        // Of each state the classes around which nodes are to be asked.
        let mut fresh: Vec<Vec<Id>> = Vec::with_capacity(automaton.states.len());
        for state in 0..automaton.states.len() {
            if over() {
                *self = Satisfied::none(automaton);
                return false;
            }
            let found = self.state(graph, automaton, state, &news, all_is_new, &fresh);
            fresh.push(found);
        }
        true
    }

    /// Has the class a member that satisfies the state?
    #[inline]
    pub fn has(&self, graph: &Graph, automaton: &Automaton, state: StateId, class: Id) -> bool {
        let wanted = &automaton.states[state];
        if wanted.open {
            has_types(graph, &wanted.types, class)
        } else {
            self.sets[state].has(graph.find(class))
        }
    }

    /// The classes of a state that asks more than a type.
    pub fn set(&self, state: StateId) -> &Classes {
        &self.sets[state]
    }

    /// The number of classes that satisfy a state.
    pub fn count(&self, graph: &Graph, automaton: &Automaton, state: StateId) -> usize {
        match (&automaton.states[state], state) {
            (_, ANY) => graph.classes(),
            (s, _) if s.open => {
                graph.class_ids().into_iter().filter(|c| has_types(graph, &s.types, *c)).count()
            }
            _ => self.sets[state].len(),
        }
    }

    fn state(
        &mut self,
        graph: &Graph,
        automaton: &Automaton,
        id: StateId,
        news: &News,
        all_is_new: bool,
        fresh: &[Vec<Id>],
    ) -> Vec<Id> {
        let state = &automaton.states[id];
        if state.open {
            return vec![];
        }
        let mut set = std::mem::take(&mut self.sets[id]);
        let mut found: Vec<Id> = news.merged.iter().copied().filter(|c| set.has(*c)).collect();
        let open = |s: StateId| s != id && automaton.states[s].open;
        let typed = |c: Id| has_types(graph, &state.types, c);
        let mut add = |set: &mut Classes, c: Id| {
            if !set.has(c) && typed(c) {
                set.insert(c);
                found.push(c);
            }
        };
        // No class has it yet, so that nothing around one does.
        let nowhere = |set: &Classes, s: StateId| {
            if s == id { set.is_empty() } else { !open(s) && self.sets[s].is_empty() }
        };
        let has = |set: &Classes, s: StateId, c: Id| {
            if s == id { set.has(graph.find(c)) } else { self.has(graph, automaton, s, c) }
        };
        // Classes of a lower state, around which nodes are to be asked; what asks nothing is asked of new nodes alone.
        let around = |s: StateId| if open(s) { &[][..] } else { fresh.get(s).map_or(&[][..], Vec::as_slice) };
        // Nodes around these are new themselves where all are.
        let beyond = |s: StateId| if all_is_new { &[][..] } else { around(s) };
        let mut passed_on = false;
        for step in &state.steps {
            match step {
                Step::Same(s) if open(*s) => {
                    news.classes()
                        .filter(|c| has(&set, *s, *c))
                        .collect::<Vec<_>>()
                        .into_iter()
                        .for_each(|c| add(&mut set, c));
                }
                Step::Same(s) => around(*s).iter().for_each(|c| add(&mut set, *c)),
                Step::Leaf(sketches) => {
                    let fits = |n: &Node| atom_matches(graph.tables(), sketches, n);
                    news.leaves.iter().filter(|(n, _)| fits(n)).for_each(|(_, c)| add(&mut set, *c));
                }
                Step::Lam(s) => {
                    passed_on |= *s == id;
                    if nowhere(&set, *s) {
                        continue;
                    }
                    for (body, c) in &news.lams {
                        if has(&set, *s, *body) {
                            add(&mut set, *c);
                        }
                    }
                    for (node, c) in beyond(*s).iter().flat_map(|b| graph.parents(*b)) {
                        if node.is_lam() {
                            add(&mut set, c);
                        }
                    }
                }
                Step::App(f, e) => {
                    passed_on |= *f == id || *e == id;
                    if nowhere(&set, *f) || nowhere(&set, *e) {
                        continue;
                    }
                    for (a, b, c) in &news.apps {
                        if has(&set, *f, *a) && has(&set, *e, *b) {
                            add(&mut set, *c);
                        }
                    }
                    for (node, c) in beyond(*f).iter().chain(beyond(*e)).flat_map(|x| graph.parents(*x)) {
                        if let Some((a, b)) = node.as_app()
                            && has(&set, *f, a)
                            && has(&set, *e, b)
                        {
                            add(&mut set, c);
                        }
                    }
                }
            }
        }
        if passed_on {
            // A node around a class of this very state may be one of it.
            let passes_on = |set: &Classes, node: &Node| {
                state.steps.iter().any(|step| match (step, node.as_app(), node.as_lam()) {
                    (Step::Lam(s), _, Some(body)) => *s == id && has(set, *s, body),
                    (Step::App(f, e), Some((a, b)), _) => {
                        (*f == id || *e == id) && has(set, *f, a) && has(set, *e, b)
                    }
                    _ => false,
                })
            };
            let mut next = 0;
            while let Some(class) = found.get(next).copied() {
                next += 1;
                for (node, c) in graph.parents(class) {
                    if !set.has(c) && typed(c) && passes_on(&set, &node) {
                        set.insert(c);
                        found.push(c);
                    }
                }
            }
        }
        self.sets[id] = set;
        found
    }

    /// The classes of each state, in order, for tests.
    #[cfg(test)]
    pub fn listed(&self) -> Vec<Vec<Id>> {
        let sorted = |set: &Classes| {
            let mut all = set.list.clone();
            all.sort_unstable();
            all
        };
        self.sets.iter().map(sorted).collect()
    }
}

/// Does a node without children satisfy all the sketches?
pub fn atom_matches(tables: &Tables, sketches: &[Sketch], node: &Node) -> bool {
    matches!(node.op.kind(), Kind::Var(_) | Kind::Leaf(_))
        && sketches.iter().all(|s| is_like(tables, s, node))
}

/// Is a node without children in the set?
fn is_like(tables: &Tables, sketch: &Sketch, node: &Node) -> bool {
    match (sketch.shape(), node.op.kind()) {
        (Shape::Any, _) => true,
        (Shape::Named(_, s) | Shape::Contains(s), _) => is_like(tables, s, node),
        (Shape::Typed(s, t), _) => type_matches(tables, t, node.ty) && is_like(tables, s, node),
        (Shape::Or(all), _) => all.iter().any(|s| is_like(tables, s, node)),
        (Shape::And(all), _) => all.iter().all(|s| is_like(tables, s, node)),
        (Shape::Not(s), _) => !is_like(tables, s, node),
        (Shape::Var(i), Kind::Var(j)) => *i == j,
        (_, Kind::Leaf(leaf)) => leaf_matches(tables, sketch, tables.leaf_of(leaf)),
        _ => false,
    }
}

fn leaf_matches(tables: &Tables, sketch: &Sketch, leaf: &Leaf) -> bool {
    match (sketch.shape(), leaf) {
        (Shape::Number(n), Leaf::Lit(l)) => n.is(l),
        (Shape::Pattern(..) | Shape::App(..), Leaf::Lit(Literal::Index(i, n))) => {
            index::is_like(sketch, i, n)
        }
        (Shape::Pattern(p, wanted), Leaf::Prim(q, args)) => {
            p == q
                && wanted.iter().zip(args).all(|(w, a)| match (w, a) {
                    (ArgSketch::Any, _) => true,
                    (ArgSketch::Nat(n), LeafArg::Nat(m)) => nat_matches(tables, n, *m),
                    (ArgSketch::Fun(f), LeafArg::Fun(m)) => f.body() == tables.nat_of(*m),
                    (ArgSketch::Addr(a), LeafArg::Addr(b)) => a == b,
                    (ArgSketch::Dim(d), LeafArg::Dim(e)) => d == e,
                    _ => false,
                })
        }
        _ => false,
    }
}

#[inline]
fn nat_matches(tables: &Tables, sketch: &NatSketch, n: NatId) -> bool {
    match sketch {
        NatSketch::Any => true,
        NatSketch::Is(m) => m == tables.nat_of(n),
    }
}

/// Is the type of the class in all the sets?
#[inline]
pub fn has_types(graph: &Graph, sketches: &[TypeSketch], class: Id) -> bool {
    sketches.is_empty() || {
        let ty = graph.ty(class);
        sketches.iter().all(|s| type_matches(graph.tables(), s, ty))
    }
}

#[inline]
fn type_matches(tables: &Tables, sketch: &TypeSketch, ty: TypeId) -> bool {
    match (sketch, tables.row_of(ty)) {
        (TypeSketch::Any, _) => true,
        (TypeSketch::Scalar(s), TypeRow::Scalar(t)) => *s == t,
        (TypeSketch::NatType, TypeRow::NatType) => true,
        (TypeSketch::Index(n), TypeRow::Index(m)) => nat_matches(tables, n, m),
        (TypeSketch::Vector(n, s), TypeRow::Vector(m, t))
        | (TypeSketch::Array(n, s), TypeRow::Array(m, t)) => {
            nat_matches(tables, n, m) && type_matches(tables, s, t)
        }
        (TypeSketch::Pair(a, b), TypeRow::Pair(s, t)) | (TypeSketch::Fun(a, b), TypeRow::Fun(s, t)) => {
            type_matches(tables, a, s) && type_matches(tables, b, t)
        }
        _ => false,
    }
}
