//! Which classes of an e-graph have a member that satisfies a sketch (thesis section 5.3.4), exactly.
//!
//! Each state of the sketch's automaton is answered once, lower ones first, starting from the leaves that it names
//! and going up through parents; classes that do not matter are not visited.

use super::automaton::{ANY, Automaton, StateId, Step};
use super::{ArgSketch, NatSketch, Shape, Sketch, TypeSketch};
use crate::rewrite::egraph::node::{Kind, Op};
use crate::rewrite::egraph::tables::{Leaf, LeafArg, NatId, Tables, TypeId, TypeRow};
use crate::rewrite::egraph::{Graph, Id};

/// A set of classes.
#[derive(Clone, Default, Debug)]
pub struct Classes {
    bits: Vec<u64>,
    list: Vec<Id>,
}

impl Classes {
    pub fn has(&self, id: Id) -> bool {
        let i = usize::from(id);
        self.bits.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 != 0)
    }
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
    fn add(&mut self, id: Id) {
        self.insert(id);
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
#[derive(Debug)]
pub struct Satisfied {
    /// [`ANY`] and other states that ask nothing but a type are not listed.
    sets: Vec<Classes>,
}

impl Satisfied {
    /// Asks a clean e-graph (rebuilt since its last change).
    pub fn of(graph: &Graph, automaton: &Automaton) -> Satisfied {
        let mut s = Satisfied { sets: Vec::with_capacity(automaton.states.len()) };
        for state in 0..automaton.states.len() {
            let set = s.state(graph, automaton, state);
            s.sets.push(set);
        }
        s
    }

    /// Has the class a member that satisfies the state?
    pub fn has(&self, graph: &Graph, automaton: &Automaton, state: StateId, class: Id) -> bool {
        let wanted = &automaton.states[state];
        if wanted.open {
            types_match(graph.tables(), &wanted.types, graph.ty(class))
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
            (s, _) if s.open => graph
                .class_ids()
                .into_iter()
                .filter(|c| types_match(graph.tables(), &s.types, graph.ty(*c)))
                .count(),
            _ => self.sets[state].len(),
        }
    }

    fn state(&self, graph: &Graph, automaton: &Automaton, id: StateId) -> Classes {
        let state = &automaton.states[id];
        let mut out = Classes::default();
        if state.open {
            return out;
        }
        let typed = |c: Id| types_match(graph.tables(), &state.types, graph.ty(c));
        let open = |s: StateId| s != id && automaton.states[s].open;
        let mut passed_on = false;
        for step in &state.steps {
            match step {
                Step::Same(s) if open(*s) => {
                    let all = graph.class_ids();
                    all.into_iter()
                        .filter(|c| typed(*c) && self.has(graph, automaton, *s, *c))
                        .for_each(|c| out.add(c));
                }
                Step::Same(s) => self.sets[*s].iter().filter(|c| typed(*c)).for_each(|c| out.add(c)),
                Step::Leaf(sketches) => {
                    for op in leaves(graph, sketches) {
                        graph.classes_with(op).filter(|c| typed(*c)).for_each(|c| out.add(c));
                    }
                }
                Step::Lam(s) | Step::App(s, ANY) | Step::App(ANY, s) if *s == id => passed_on = true,
                Step::Lam(s) if open(*s) => {
                    for c in graph.classes_with(Op::LAM).filter(|c| typed(*c)) {
                        let mut lams = graph.nodes(c).filter_map(|n| n.as_lam());
                        if lams.any(|b| self.has(graph, automaton, *s, b)) {
                            out.insert(c);
                        }
                    }
                }
                Step::Lam(s) => {
                    for b in self.sets[*s].iter() {
                        for (node, c) in graph.parents(b) {
                            if node.is_lam() && typed(c) {
                                out.insert(c);
                            }
                        }
                    }
                }
                Step::App(f, e) if open(*f) && open(*e) => {
                    for c in graph.classes_with(Op::APP).filter(|c| typed(*c)) {
                        let fits =
                            |(a, b)| self.has(graph, automaton, *f, a) && self.has(graph, automaton, *e, b);
                        if graph.nodes(c).filter_map(|n| n.as_app()).any(fits) {
                            out.insert(c);
                        }
                    }
                }
                Step::App(f, e) => {
                    // From the smaller set upwards.
                    let by_argument = open(*f) || (!open(*e) && self.sets[*e].len() < self.sets[*f].len());
                    for child in self.sets[if by_argument { *e } else { *f }].iter() {
                        for (node, c) in graph.parents(child) {
                            let Some((a, b)) = node.as_app() else { continue };
                            let fits = if by_argument {
                                b == child && self.has(graph, automaton, *f, a)
                            } else {
                                a == child && self.has(graph, automaton, *e, b)
                            };
                            if fits && typed(c) {
                                out.insert(c);
                            }
                        }
                    }
                }
            }
        }
        if passed_on {
            let mut next = 0;
            while let Some(class) = out.list.get(next).copied() {
                next += 1;
                for (_, c) in graph.parents(class) {
                    if typed(c) {
                        out.insert(c);
                    }
                }
            }
        }
        out
    }
}

/// The leaf operators of the graph that all the sketches allow.
fn leaves(graph: &Graph, sketches: &[Sketch]) -> Vec<Op> {
    let tables = graph.tables();
    match sketches.first().map(Sketch::shape) {
        Some(Shape::Var(i)) if sketches.iter().all(|s| *s.shape() == Shape::Var(*i)) => vec![Op::var(*i)],
        Some(Shape::Pattern(p, _)) => {
            let all = tables.leaves_of(*p).iter();
            let fitting =
                all.filter(|l| sketches.iter().all(|s| leaf_matches(tables, s, tables.leaf_of(**l))));
            fitting.map(|l| Op::leaf(*l)).collect()
        }
        Some(Shape::Number(_)) => {
            let all = tables.leaves();
            all.filter(|(_, leaf)| sketches.iter().all(|s| leaf_matches(tables, s, leaf)))
                .map(|(id, _)| Op::leaf(id))
                .collect()
        }
        _ => vec![],
    }
}

/// Does a node without children satisfy all the sketches?
pub fn atom_matches(tables: &Tables, sketches: &[Sketch], op: Op) -> bool {
    match op.kind() {
        Kind::Var(i) => sketches.iter().all(|s| *s.shape() == Shape::Var(i)),
        Kind::Leaf(leaf) => sketches.iter().all(|s| leaf_matches(tables, s, tables.leaf_of(leaf))),
        Kind::Lam | Kind::App => false,
    }
}

fn leaf_matches(tables: &Tables, sketch: &Sketch, leaf: &Leaf) -> bool {
    match (sketch.shape(), leaf) {
        (Shape::Number(n), Leaf::Lit(l)) => n.is(l),
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

fn nat_matches(tables: &Tables, sketch: &NatSketch, n: NatId) -> bool {
    match sketch {
        NatSketch::Any => true,
        NatSketch::Is(m) => m == tables.nat_of(n),
    }
}

/// Is the type in all the sets?
pub fn types_match(tables: &Tables, sketches: &[TypeSketch], ty: TypeId) -> bool {
    sketches.iter().all(|s| type_matches(tables, s, ty))
}

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
