//! A sketch as a tree automaton: states are sets of sketches that one term must satisfy together.
//!
//! Sets make `and` exact: a class may have one member for each of two sketches and none for both, so what a
//! conjunction asks of a node is passed on to its children as conjunctions. A state without a member asks nothing.
//! States are numbered so that each depends only on lower ones, and on itself where a `contains` or a `not contains`
//! is passed on whole: whatever is computed of states can be computed in this order.

use super::{Shape, Sketch, TypeSketch, index, parts};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// A state, by number; [`ANY`] asks nothing.
pub type StateId = usize;
pub const ANY: StateId = 0;

/// Conjunctions can ask for exponentially many states: more than this are refused.
const MAX_STATES: usize = 4000;
/// As many `contains` may be asked of one node together.
const MAX_TOGETHER: usize = 6;

/// How a term may satisfy a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// As it satisfies another state.
    Same(StateId),
    /// As a variable, pattern, number or constant index that all of these allow, those that say what it is not included.
    Leaf(Vec<Sketch>),
    Lam(StateId),
    App(StateId, StateId),
}

#[derive(Clone, Default, Debug)]
pub struct State {
    /// All of these must have the term's type.
    pub types: Vec<TypeSketch>,
    pub steps: Vec<Step>,
    /// Nothing is asked but the type.
    pub open: bool,
}

/// A part of the sketch that is shown while a search runs.
#[derive(Clone, Debug)]
pub struct Part {
    pub label: String,
    /// How many shown parts it is within.
    pub depth: usize,
    pub state: StateId,
    pub sketch: Sketch,
}

#[derive(Clone, Debug)]
pub struct Automaton {
    pub states: Vec<State>,
    pub start: StateId,
    /// The sketch's parts, outside in.
    pub parts: Vec<Part>,
}

/// The sketch asks for too many things of one term together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("The sketch asks too many things of one term together.")]
pub struct TooComplex;

#[derive(Default)]
struct Builder {
    shapes: IndexMap<Sketch, ()>,
    types: IndexMap<TypeSketch, ()>,
    states: Vec<State>,
    known: IndexMap<Key, StateId>,
}

/// What is asked of one node: that it is like these, that they are somewhere in it, that they are nowhere in it.
#[derive(Default)]
struct Asked {
    nodes: Vec<Sketch>,
    contains: Vec<Sketch>,
    avoids: Vec<Sketch>,
}

/// What a state asks: sub-sketches and types by number.
type Key = (BTreeSet<usize>, BTreeSet<usize>);

impl Automaton {
    /// # Errors
    /// [`TooComplex`] when the sketch has too many conjunctions of `contains`.
    pub fn new(sketch: &Sketch) -> Result<Automaton, TooComplex> {
        let mut b = Builder::default();
        b.states.push(State { open: true, ..State::default() });
        b.known.insert(Key::default(), ANY);
        let start = b.state_of(&[sketch])?;
        let mut part = |p: parts::Part<'_>| {
            let state = b.state_of(&[p.sketch])?;
            Ok(Part { label: p.label(), depth: p.depth, state, sketch: p.sketch.clone() })
        };
        let parts = sketch.parts().into_iter().map(&mut part).collect::<Result<_, _>>()?;
        Ok(Automaton { states: b.states, start, parts })
    }
}

/// What is somewhere in a term of which it is asked whether that is somewhere in it.
fn contained(within: &Sketch) -> &Shape {
    match within.shape() {
        Shape::Contains(s) | Shape::Named(_, s) => contained(s),
        shape => shape,
    }
}

impl Builder {
    fn add(&mut self, key: &mut Key, sketch: &Sketch) {
        match sketch.shape() {
            Shape::Any => {}
            Shape::Named(_, s) => self.add(key, s),
            Shape::And(all) => all.iter().for_each(|s| self.add(key, s)),
            Shape::Typed(s, t) => {
                key.1.insert(self.types.insert_full(t.clone(), ()).0);
                self.add(key, s);
            }
            Shape::Contains(within) => match contained(within) {
                Shape::Any => {}
                _ if std::ptr::eq(contained(within), within.shape()) => self.add_shape(key, sketch.clone()),
                shape => self.add_shape(key, Sketch::new(Shape::Contains(Sketch::new(shape.clone())))),
            },
            _ => self.add_shape(key, sketch.clone()),
        }
    }

    fn add_shape(&mut self, key: &mut Key, sketch: Sketch) {
        key.0.insert(self.shapes.insert_full(sketch, ()).0);
    }

    fn state_of(&mut self, sketches: &[&Sketch]) -> Result<StateId, TooComplex> {
        let mut key = Key::default();
        sketches.iter().for_each(|s| self.add(&mut key, s));
        self.state(key)
    }

    fn with(&mut self, key: &Key, sketch: &Sketch) -> Result<StateId, TooComplex> {
        let mut key = key.clone();
        self.add(&mut key, sketch);
        self.state(key)
    }

    fn state(&mut self, key: Key) -> Result<StateId, TooComplex> {
        if let Some(id) = self.known.get(&key) {
            return Ok(*id);
        }
        if self.known.len() > MAX_STATES {
            return Err(TooComplex);
        }
        let shapes: Vec<Sketch> =
            key.0.iter().filter_map(|i| Some(self.shapes.get_index(*i)?.0.clone())).collect();
        let types = key.1.iter().filter_map(|i| Some(self.types.get_index(*i)?.0.clone())).collect();
        let without = |i: usize| {
            let mut rest = key.clone();
            if let Some(n) = key.0.iter().nth(i) {
                rest.0.remove(n);
            }
            rest
        };

        let mut steps = vec![];
        if let Some(i) = shapes.iter().position(|s| matches!(s.shape(), Shape::Or(_))) {
            if let Shape::Or(all) = shapes[i].shape() {
                for s in all {
                    steps.push(Step::Same(self.with(&without(i), s)?));
                }
            }
        } else {
            let mut asked = Asked::default();
            for (i, s) in shapes.iter().enumerate() {
                match s.shape() {
                    Shape::Contains(inner) => {
                        steps.push(Step::Same(self.with(&without(i), inner)?));
                        asked.contains.push(s.clone());
                    }
                    Shape::Not(_) => asked.avoids.push(s.clone()),
                    Shape::Lam(_) => {
                        if let Some(function) = s.eta_reduced() {
                            steps.push(Step::Same(self.with(&without(i), &function)?));
                        }
                        asked.nodes.push(s.clone());
                    }
                    _ => asked.nodes.push(s.clone()),
                }
            }
            if asked.contains.len() > MAX_TOGETHER {
                return Err(TooComplex);
            }
            self.node_steps(&key, &asked, &mut steps)?;
        }
        // The same state may have been reached below only if it had depended on itself other than as a whole.
        let id = self.states.len();
        for step in &mut steps {
            match step {
                Step::Lam(s) | Step::Same(s) if *s == usize::MAX => *s = id,
                Step::App(f, e) => {
                    for s in [f, e] {
                        if *s == usize::MAX {
                            *s = id;
                        }
                    }
                }
                _ => {}
            }
        }
        self.states.push(State { types, steps, open: shapes.is_empty() });
        self.known.insert(key, id);
        Ok(id)
    }

    /// The ways in which a node can satisfy what is asked, and its children what is left of it. A child that is asked
    /// what the state `key` itself asks is written `usize::MAX`.
    fn node_steps(&mut self, key: &Key, asked: &Asked, steps: &mut Vec<Step>) -> Result<(), TooComplex> {
        let Asked { nodes, contains, avoids } = asked;
        let child = |b: &mut Builder, sketches: Vec<&Sketch>| {
            let mut wanted = Key::default();
            sketches.into_iter().for_each(|s| b.add(&mut wanted, s));
            if wanted == *key { Ok(usize::MAX) } else { b.state(wanted) }
        };
        let is_lam = |n: &Sketch| matches!(n.shape(), Shape::Lam(_));
        let is_app = |n: &Sketch| matches!(n.shape(), Shape::App(..));
        let is_leaf = |n: &Sketch| !is_lam(n) && !is_app(n) || index::describes_indices(n);
        if nodes.is_empty() && contains.is_empty() && avoids.is_empty() {
            return Ok(());
        }
        if nodes.iter().all(is_lam) {
            let bodies =
                nodes.iter().filter_map(|n| if let Shape::Lam(b) = n.shape() { Some(b) } else { None });
            steps.push(Step::Lam(child(self, bodies.chain(contains).chain(avoids).collect())?));
        }
        if nodes.iter().all(is_app) {
            let apps = || {
                nodes
                    .iter()
                    .filter_map(|n| if let Shape::App(f, e) = n.shape() { Some((f, e)) } else { None })
            };
            for split in 0..1u32 << contains.len() {
                let share = |side: u32| {
                    let given = contains.iter().enumerate().filter(move |(i, _)| split >> i & 1 == side);
                    given.map(|(_, s)| s).chain(avoids)
                };
                let f = child(self, apps().map(|(f, _)| f).chain(share(0)).collect())?;
                let e = child(self, apps().map(|(_, e)| e).chain(share(1)).collect())?;
                steps.push(Step::App(f, e));
            }
        }
        if nodes.iter().all(is_leaf) && contains.is_empty() {
            steps.push(Step::Leaf(nodes.iter().chain(avoids).cloned().collect()));
        }
        Ok(())
    }
}
