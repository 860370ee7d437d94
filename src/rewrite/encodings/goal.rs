//! Sketches on untyped e-graphs: which classes have a member that satisfies one.

use super::node::{Constant, Constants, Graph, Kind};
use crate::lang::term::Arg;
use crate::sketch::{ArgSketch, NatSketch, Shape, Sketch};
use egg::{Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};

/// Can the sketch be asked of terms without types?
///
/// # Errors
/// What it asks for that they do not tell.
pub fn check(sketch: &Sketch) -> Result<(), String> {
    let needs = |what: &str| Err(format!("The sketch {what}, which terms without types do not tell."));
    match sketch.shape() {
        Shape::Typed(..) => return needs("asks for a type"),
        Shape::Not(_) => return needs("leaves something out"),
        Shape::Sizes(_) => return needs("says something of sizes"),
        Shape::Contains(s) if mentions(s, 0) => {
            return Err("A `contains` mentions a variable that is bound outside of it.".to_owned());
        }
        _ => {}
    }
    sketch.children().into_iter().try_for_each(check)
}

/// Does the sketch mention a variable that it does not bind?
fn mentions(sketch: &Sketch, depth: u32) -> bool {
    match sketch.shape() {
        Shape::Var(i) => *i >= depth,
        Shape::Lam(body) => mentions(body, depth + 1),
        _ => sketch.children().into_iter().any(|s| mentions(s, depth)),
    }
}

/// Asks one e-graph.
pub struct Asked<'g> {
    graph: &'g Graph,
    constants: &'g Constants,
    /// By sketch, class and the names of the lambdas around.
    known: FxHashMap<(*const Shape, Id, Vec<u32>), bool>,
    containing: FxHashMap<*const Shape, FxHashSet<Id>>,
}

impl<'g> Asked<'g> {
    pub fn new(graph: &'g Graph, constants: &'g Constants) -> Asked<'g> {
        Asked { graph, constants, known: FxHashMap::default(), containing: FxHashMap::default() }
    }

    pub fn holds(&mut self, sketch: &Sketch, class: Id) -> bool {
        self.below(sketch, class, &mut vec![])
    }

    fn below(&mut self, sketch: &Sketch, class: Id, names: &mut Vec<u32>) -> bool {
        let class = self.graph.find(class);
        let key = (std::ptr::from_ref(sketch.shape()), class, names.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let holds = self.ask(sketch, class, names);
        self.known.insert(key, holds);
        holds
    }

    fn ask(&mut self, sketch: &Sketch, class: Id, names: &mut Vec<u32>) -> bool {
        let graph = self.graph;
        let nodes = &graph[class].nodes;
        match sketch.shape() {
            Shape::Any => true,
            Shape::Named(_, s) => self.below(s, class, names),
            Shape::Or(all) => all.iter().any(|s| self.below(s, class, names)),
            // Members may differ: what is found holds of each part, and is said of the class alone.
            Shape::And(all) => all.iter().all(|s| self.below(s, class, names)),
            Shape::Var(i) => {
                let Some(level) = names.len().checked_sub(1 + *i as usize) else { return false };
                let hidden = self.graph.analysis.named && names[level + 1..].contains(&names[level]);
                let variable = if self.graph.analysis.named { names[level] } else { *i };
                !hidden && nodes.iter().any(|n| n.kind == Kind::Var(variable))
            }
            Shape::Lam(body) => nodes.iter().any(|n| {
                let Kind::Lam(name) = n.kind else { return false };
                names.push(name);
                let holds = self.below(body, n.children()[0], names);
                names.pop();
                holds
            }),
            Shape::App(f, e) => nodes
                .iter()
                .filter(|n| n.kind == Kind::App)
                .any(|n| self.below(f, n.children()[0], names) && self.below(e, n.children()[1], names)),
            Shape::Pattern(..) | Shape::Number(_) => nodes.iter().any(|n| match n.kind {
                Kind::Constant(number) => is(sketch, self.constants.get(number)),
                _ => false,
            }),
            Shape::Contains(s) => {
                let all = self.classes_containing(s);
                all.contains(&class)
            }
            Shape::Not(_) | Shape::Typed(..) | Shape::Sizes(_) => false,
        }
    }

    /// Every class with a member in which something satisfies the sketch.
    fn classes_containing(&mut self, sketch: &Sketch) -> &FxHashSet<Id> {
        let key = std::ptr::from_ref(sketch.shape());
        if !self.containing.contains_key(&key) {
            let graph = self.graph;
            let ids: Vec<Id> = graph.classes().map(|c| c.id).collect();
            let mut above: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
            for class in graph.classes() {
                for part in class.nodes.iter().flat_map(|n| n.children()) {
                    above.entry(graph.find(*part)).or_default().push(class.id);
                }
            }
            let mut open: Vec<Id> =
                ids.into_iter().filter(|id| self.below(sketch, *id, &mut vec![])).collect();
            let mut all: FxHashSet<Id> = open.iter().copied().collect();
            while let Some(id) = open.pop() {
                for parent in above.get(&id).into_iter().flatten() {
                    if all.insert(*parent) {
                        open.push(*parent);
                    }
                }
            }
            self.containing.insert(key, all);
        }
        &self.containing[&key]
    }
}

/// Is the constant what a pattern or a number of a sketch asks for?
fn is(sketch: &Sketch, constant: &Constant) -> bool {
    match (sketch.shape(), constant) {
        (Shape::Number(n), Constant::Literal(l)) => n.is(l),
        (Shape::Pattern(p, asked), Constant::Pattern(q, given)) => {
            p == q
                && asked.iter().zip(given).all(|(a, b)| match (a, b) {
                    (ArgSketch::Any | ArgSketch::Nat(NatSketch::Any), _) => true,
                    (ArgSketch::Nat(n), Arg::Nat(m)) => n.has(m),
                    (ArgSketch::Fun(f), Arg::Fun(g)) => f == g,
                    (ArgSketch::Addr(a), Arg::Addr(b)) => a == b,
                    (ArgSketch::Dim(a), Arg::Dim(b)) => a == b,
                    _ => false,
                })
        }
        _ => false,
    }
}
