//! How many terms of an e-graph satisfy a sketch, by their size, exactly.
//!
//! A term may satisfy a sketch in several ways, so it is counted with the set of all states of the automaton that it satisfies: there
//! is one for each term, and those of its parts decide it.

use super::automaton::{ANY, Automaton, StateId, Step};
use super::classes::{atom_matches, has_types};
use crate::egraph::node::Node;
use crate::egraph::{Graph, Id};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// So many terms, of any class, up to a size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counted {
    /// Exact as long as a float can hold it.
    pub terms: f64,
    /// The most nodes that a counted term has.
    pub size: u32,
    /// Whether there was time for all that were to be counted.
    pub whole: bool,
}

/// A set of states, by number.
type Profile = u32;

/// How many terms of one size a class has with each profile.
type Census = Vec<(Profile, f64)>;

/// So many nodes are counted between two looks at the clock.
const BETWEEN_LOOKS: usize = 512;

/// Counts the terms of a clean e-graph that satisfy the automaton's start, of up to so many nodes, and where there is none, of up to
/// twice as many, until there is one. Where `over` says so before all are counted, it is of as many nodes as were counted to the end.
pub fn count(graph: &Graph, automaton: &Automaton, most: u32, over: &dyn Fn() -> bool) -> Counted {
    let mut counting = Counting::new(graph, automaton);
    let mut counted = Counted { terms: 0.0, size: 0, whole: true };
    while counted.size < most || counted.terms == 0.0 && counted.size < most.saturating_mul(2) {
        let Some(terms) = counting.next_size(over) else {
            counted.whole = false;
            break;
        };
        counted = Counted { terms: counted.terms + terms, size: counted.size + 1, ..counted };
    }
    counted
}

/// What has been counted of each class.
struct Counting<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    classes: Vec<Id>,
    /// The place of a class among these.
    place: FxHashMap<Id, usize>,
    /// Of each class the states whose types it has, as the number of a set.
    typed: Vec<Profile>,
    /// Of each class the terms of each size from 1 on.
    of: Vec<Vec<Census>>,
    profiles: IndexSet<Vec<u64>, FxBuildHasher>,
    /// What terms satisfy that are made of such parts, of a class with such types.
    made: FxHashMap<(Profile, Parts), Profile>,
}

/// What the profile of a node with children depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Parts {
    Lam(Profile),
    App(Profile, Profile),
}

impl<'a> Counting<'a> {
    fn new(graph: &'a Graph, automaton: &'a Automaton) -> Counting<'a> {
        let classes = graph.class_ids();
        let place = classes.iter().enumerate().map(|(i, class)| (*class, i)).collect();
        let of = vec![vec![]; classes.len()];
        let mut profiles = IndexSet::default();
        let typed = classes.iter().map(|class| number(&mut profiles, types_of(graph, automaton, *class)));
        let typed = typed.collect();
        Counting { graph, automaton, classes, place, typed, of, profiles, made: FxHashMap::default() }
    }

    /// Counts the terms of the next size, and says how many of them satisfy the start; none where it was over before.
    fn next_size(&mut self, over: &dyn Fn() -> bool) -> Option<f64> {
        let mut all: Vec<Census> = Vec::with_capacity(self.classes.len());
        let (mut terms, mut looked) = (0.0, 0);
        for at in 0..self.classes.len() {
            let mut census: FxHashMap<Profile, f64> = FxHashMap::default();
            for node in self.graph.nodes(self.classes[at]) {
                looked += 1;
                if looked % BETWEEN_LOOKS == 0 && over() {
                    return None;
                }
                self.count_node(at, &node, &mut census);
            }
            let mut census: Census = census.into_iter().collect();
            census.sort_unstable_by_key(|(profile, _)| *profile);
            let is_like = |profile: Profile| self.satisfies(profile, self.automaton.start);
            terms += census.iter().filter(|(p, _)| is_like(*p)).map(|(_, n)| n).sum::<f64>();
            all.push(census);
        }
        // Terms of a size are made of smaller ones alone.
        self.of.iter_mut().zip(all).for_each(|(of, census)| of.push(census));
        Some(terms)
    }

    /// Adds the terms of the size that is being counted which have this node at their root.
    fn count_node(&mut self, at: usize, node: &Node, census: &mut FxHashMap<Profile, f64>) {
        let size = self.of[at].len() + 1;
        let mut add = |profile: Profile, terms: f64| *census.entry(profile).or_default() += terms;
        if let Some((f, e)) = node.as_app() {
            let (Some(&f), Some(&e)) = (self.place.get(&f), self.place.get(&e)) else { return };
            for of_f in 1..size.saturating_sub(1) {
                for i in 0..self.of[f][of_f - 1].len() {
                    let (p, m) = self.of[f][of_f - 1][i];
                    for j in 0..self.of[e][size - 2 - of_f].len() {
                        let (q, n) = self.of[e][size - 2 - of_f][j];
                        add(self.profile(at, Parts::App(p, q)), m * n);
                    }
                }
            }
        } else if let Some(body) = node.as_lam() {
            let Some(&body) = self.place.get(&body).filter(|_| size > 1) else { return };
            for i in 0..self.of[body][size - 2].len() {
                let (p, n) = self.of[body][size - 2][i];
                add(self.profile(at, Parts::Lam(p)), n);
            }
        } else if size == 1 {
            let fits = |step: &Step| matches!(step, Step::Leaf(sketches) if atom_matches(self.graph.tables(), sketches, node));
            let states = self.states(self.typed[at], &fits);
            add(number(&mut self.profiles, states), 1.0);
        }
    }

    /// What a node of these parts in a class satisfies.
    fn profile(&mut self, at: usize, parts: Parts) -> Profile {
        let key = (self.typed[at], parts);
        if let Some(known) = self.made.get(&key) {
            return *known;
        }
        let fits = |step: &Step| match (parts, step) {
            (Parts::App(p, q), Step::App(f, e)) => self.satisfies(p, *f) && self.satisfies(q, *e),
            (Parts::Lam(p), Step::Lam(body)) => self.satisfies(p, *body),
            _ => false,
        };
        let states = self.states(key.0, &fits);
        let made = number(&mut self.profiles, states);
        self.made.insert(key, made);
        made
    }

    /// The states that are satisfied by what has these types, and by which some of their steps are taken.
    fn states(&self, typed: Profile, fits: &dyn Fn(&Step) -> bool) -> Vec<u64> {
        let mut out = nothing(self.automaton);
        for (id, state) in self.automaton.states.iter().enumerate() {
            // Another state of the same term is a lower one.
            let taken = |step: &Step| if let Step::Same(s) = step { has(&out, *s) } else { fits(step) };
            let holds = id == ANY || state.open || state.steps.iter().any(taken);
            if holds && self.satisfies(typed, id) {
                set(&mut out, id);
            }
        }
        out
    }

    fn satisfies(&self, profile: Profile, state: StateId) -> bool {
        self.profiles.get_index(profile as usize).is_some_and(|states| has(states, state))
    }
}

/// The states whose types the class has.
fn types_of(graph: &Graph, automaton: &Automaton, class: Id) -> Vec<u64> {
    let mut out = nothing(automaton);
    for (id, state) in automaton.states.iter().enumerate() {
        if has_types(graph, &state.types, class) {
            set(&mut out, id);
        }
    }
    out
}

fn nothing(automaton: &Automaton) -> Vec<u64> {
    vec![0; automaton.states.len().div_ceil(64)]
}

fn set(states: &mut [u64], id: StateId) {
    if let Some(word) = states.get_mut(id / 64) {
        *word |= 1 << (id % 64);
    }
}

fn has(states: &[u64], id: StateId) -> bool {
    states.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 != 0)
}

fn number(profiles: &mut IndexSet<Vec<u64>, FxBuildHasher>, states: Vec<u64>) -> Profile {
    let at = profiles.insert_full(states).0;
    Profile::try_from(at).unwrap_or(Profile::MAX)
}
