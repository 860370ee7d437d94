//! A member of a class that satisfies a sketch and computes little, where the lightest ones compute much.
//!
//! What is computed is added up from the leaves on, for the best member of each class that is known so far, until none gets better.
//! What a program shares is written out in the graph of a search, and shared again in what is found ([`crate::sharing`]): a value in
//! a loop counts as often as what it depends on changes there, not as often as the loop computes it where it stands. What a member
//! computes depends on where it stands, so that what is found is not the least for sure: who takes it counts for himself.

use super::automaton::{ANY, Automaton, StateId, Step};
use super::best::{Free, free_in};
use super::classes::{Satisfied, atom_matches};
use crate::egraph::node::Node;
use crate::egraph::{Decoder, Graph, Id, MAX_NESTING};
use crate::lang::sort::Sort;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::sharing;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many binders are told from each other, the innermost first; what depends on none of these comes last.
const LEVELS: usize = 8;
/// All sizes count as the one with which programs are compared.
const SIZE: f64 = sharing::SIZE as f64;
/// So often all members are looked at: terms that are nested deeper than that are not met.
const MOST_ROUNDS: usize = 128;
/// Of larger graphs it takes too long.
const MOST_CLASSES: usize = 60_000;
/// Whether it is time to give up is asked after so many classes.
const ASKED_AFTER: usize = 256;
/// What differs by no more than this part computes as much.
const SAME: f64 = 1e-9;

/// How much a term computes.
#[derive(Clone, Copy, Default, Debug)]
struct Work {
    /// By the innermost of the binders that each part depends on.
    at: [f64; LEVELS],
    /// A function, each time that it is given all that it takes.
    each_time: f64,
}

impl Work {
    /// Less of it is better: what is within fewer binders counts as much less as loops are long.
    fn weight(&self) -> f64 {
        self.at.iter().rev().fold(0.0, |outer, at| outer / SIZE + at) / SIZE + self.each_time
    }

    fn and(mut self, other: &Work) -> Work {
        self.at.iter_mut().zip(other.at).for_each(|(at, other)| *at += other);
        self.each_time += other.each_time;
        self
    }

    /// That of a function with this body, where values that do not depend on its parameter are shared, or where they are not.
    fn within_binder(&self, shares: bool) -> Work {
        if !shares {
            return Work { at: [0.0; LEVELS], each_time: self.at.iter().sum::<f64>() + self.each_time };
        }
        let mut at = self.at;
        at[..LEVELS - 1].copy_from_slice(&self.at[1..]);
        Work { at, each_time: self.at[0] + self.each_time }
    }

    /// That of a value that is computed where the term stands.
    fn once(mut self, term: &Term) -> Work {
        let innermost = (0..LEVELS - 1).find(|i| term.has_free(*i as u32)).unwrap_or(LEVELS - 1);
        self.at[innermost] += std::mem::take(&mut self.each_time);
        self
    }
}

/// A member of a class, the best that is known.
#[derive(Clone)]
struct Made {
    term: Term,
    work: Work,
    weight: f64,
}

impl Made {
    fn new(term: Term, work: Work) -> Made {
        let weight = work.weight();
        Made { term, work, weight }
    }

    /// Does it compute less, or as much as a larger one?
    fn is_better(&self, other: &Made) -> bool {
        let most = other.weight * (1.0 + SAME);
        self.weight < other.weight * (1.0 - SAME)
            || self.weight <= most && self.term.size() < other.term.size()
    }
}

/// Of a class: a member that is no abstraction, and one that is.
type OfClass = [Option<Made>; 2];
type Table = FxHashMap<Id, OfClass>;

/// A member of the class at the root that satisfies the automaton's start, with no variables but these; `shares` says whether values
/// are shared in what is found. None where there is none, the graph is large, or `over` says so before one is known.
pub fn thrifty(
    graph: &Graph,
    automaton: &Automaton,
    satisfied: &Satisfied,
    (root, free): (Id, &Free),
    shares: bool,
    over: &dyn Fn() -> bool,
) -> Option<Term> {
    if graph.classes() > MOST_CLASSES {
        return None;
    }
    let decoder = graph.decoder();
    let mut thrift = Thrift { graph, automaton, satisfied, shares, decoder, tables: vec![] };
    for state in 0..automaton.states.len() {
        thrift.fill(state, over)?;
    }
    let found = thrift.best(automaton.start, root, false)?.term.clone();
    let is_whole = free_in(&found).iter().all(|variable| free.contains(variable));
    (is_whole && is_well_typed(&found, free)).then_some(found)
}

/// A class is that of a term wherever it stands, so that a member may have variables which have other types where it comes to stand.
fn is_well_typed(term: &Term, free: &Free) -> bool {
    let most = free.iter().map(|(i, _)| i + 1).max().unwrap_or(0);
    let binder = |i: u32| free.iter().find(|(j, _)| *j == i).map_or_else(Type::f32, |(_, ty)| ty.clone());
    let closed = (0..most).fold(term.clone(), |term, i| Term::lam("x", binder(i), term));
    term.with_stack(|| closed.check().is_ok())
}

struct Thrift<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    satisfied: &'a Satisfied,
    shares: bool,
    decoder: Decoder<'a>,
    /// For each state, those that ask for nothing but a type left out.
    tables: Vec<Table>,
}

impl Thrift<'_> {
    fn best(&self, state: StateId, class: Id, applied: bool) -> Option<&Made> {
        let asked = if self.automaton.states[state].open {
            self.satisfied.has(self.graph, self.automaton, state, class).then_some(ANY)?
        } else {
            state
        };
        let [plain, lambda] = self.tables.get(asked)?.get(&self.graph.find(class))?;
        match (plain, lambda) {
            // What is applied makes a redex.
            (Some(plain), Some(lambda)) if !applied && lambda.is_better(plain) => Some(lambda),
            (Some(plain), _) => Some(plain),
            (None, lambda) => lambda.as_ref(),
        }
    }

    /// Looks at the classes of a state until none has a better member.
    fn fill(&mut self, state: StateId, over: &dyn Fn() -> bool) -> Option<()> {
        self.tables.push(Table::default());
        let open = self.automaton.states[state].open;
        if open && state != ANY {
            return Some(());
        }
        let anything = [Step::App(ANY, ANY), Step::Lam(ANY), Step::Leaf(vec![])];
        let (steps, classes): (&[Step], Vec<Id>) = if open {
            (&anything, self.graph.class_ids())
        } else {
            (&self.automaton.states[state].steps, self.satisfied.set(state).iter().collect())
        };
        let all: FxHashSet<Id> = classes.iter().copied().collect();
        let mut todo = classes;
        for _ in 0..MOST_ROUNDS {
            let mut around = vec![];
            for some in todo.chunks(ASKED_AFTER) {
                if over() {
                    return None;
                }
                for class in some {
                    if self.improve(state, *class, steps) {
                        around.extend(self.graph.parents(*class).map(|(_, parent)| self.graph.find(parent)));
                    }
                }
            }
            around.sort_unstable();
            around.dedup();
            around.retain(|class| all.contains(class));
            todo = around;
        }
        Some(())
    }

    /// Is there a better member of the class, by one of these steps?
    fn improve(&mut self, state: StateId, class: Id, steps: &[Step]) -> bool {
        let mut is_better = false;
        for step in steps {
            if let Step::Same(other) = step {
                for made in self.tables[*other].get(&class).cloned().into_iter().flatten().flatten() {
                    is_better |= self.offer(state, class, made);
                }
                continue;
            }
            for node in self.graph.nodes(class) {
                if let Some(made) = self.made(&node, step) {
                    is_better |= self.offer(state, class, made);
                }
            }
        }
        is_better
    }

    fn offer(&mut self, state: StateId, class: Id, made: Made) -> bool {
        let known = self.tables[state].entry(class).or_default();
        let slot = &mut known[usize::from(made.term.as_lam().is_some())];
        let is_better = slot.as_ref().is_none_or(|known| made.is_better(known));
        if is_better {
            *slot = Some(made);
        }
        is_better
    }

    /// The term of a node whose children satisfy what the step asks of them.
    fn made(&self, node: &Node, step: &Step) -> Option<Made> {
        let made = match (step, node.as_app(), node.as_lam()) {
            (Step::App(f, e), Some((function, argument)), _) => {
                let argument = self.best(*e, argument, false)?;
                applied(self.best(*f, function, true)?, argument)
            }
            (Step::Lam(body), _, Some(class)) => {
                let body = self.best(*body, class, false)?;
                let term = self.decoder.abstraction(node, body.term.clone())?;
                Made::new(term, body.work.within_binder(self.shares))
            }
            (Step::Leaf(sketches), None, None) => {
                let term =
                    atom_matches(self.graph.tables(), sketches, node).then(|| self.decoder.atom(node))?;
                let each_time = f64::from(u8::from(term.is_operation()));
                Made::new(term, Work { each_time, ..Work::default() })
            }
            _ => return None,
        };
        (made.term.depth() as usize <= MAX_NESTING).then_some(made)
    }
}

fn applied(function: &Made, argument: &Made) -> Made {
    let mut of_argument = argument.work;
    if is_loop(&function.term) {
        of_argument.each_time *= function.term.ty().as_fun().map_or(1.0, |(_, rest)| steps_of(rest));
    }
    let work = function.work.and(&of_argument);
    let term = Term::app(function.term.clone(), argument.term.clone());
    let work = if term.ty().as_fun().is_some() { work } else { work.once(&term) };
    Made::new(term, work)
}

/// Does it take first what it does in each of its steps?
fn is_loop(function: &Term) -> bool {
    let is_loop =
        |sort| matches!(sort, Sort::Map(_) | Sort::Reduce(_) | Sort::Scan | Sort::Repeated | Sort::Lazy);
    function.as_prim().is_some_and(|prim| is_loop(prim.pattern.sort()))
}

/// How many steps a loop has that takes, or makes, all of this: as many as the last array that it takes has elements, or the one that
/// it makes.
fn steps_of(ty: &Type) -> f64 {
    let length = |ty: &Type| ty.as_array().and_then(|(n, _)| n.approximately(&|_| SIZE));
    match ty.as_fun() {
        Some((_, rest)) if rest.as_fun().is_some() => steps_of(rest),
        Some((last, _)) => length(last).unwrap_or(1.0),
        None => length(ty).unwrap_or(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egraph::log::Reason;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::{parse_program, parse_sketch};
    use crate::normal::{normal_form_with, written_params};
    use crate::sketch::{Library, read};

    fn term(body: &str) -> Term {
        let text = format!("def f (x: m.n.f32) = {body}");
        let term = program(&parse_program(FileId::NOWHERE, &text).0, None).0.unwrap().term;
        normal_form_with(&written_params(&term), &term).unwrap()
    }

    /// Of members that are equal the one is taken that computes least where values are shared, though it weighs more, and where they are
    /// not; what the sketch asks for it has.
    #[test]
    fn what_computes_little_is_taken_whatever_it_weighs() {
        // The sum of a row for each element of it, and once for all, with a view that is of no use.
        let again =
            term("x |> map (\\r. zip r (generate (\\i. r)) |> map (\\p. fst p / reduce (+) 0 (snd p)))");
        let once = term(
            "x |> map (\\r. r |> map (\\v. v / reduce (+) 0 (r |> split 1 |> join |> split 1 |> join)))",
        );
        // Nothing is computed in a loop twice, but for what is written twice.
        let plain = term("x |> map (\\r. r |> map (\\v. v / 2.0) |> map (\\v. v / 3.0))");
        let taken = |members: &[&Term], goal: &str, shares: bool| {
            let mut graph = Graph::new();
            let ids: Vec<Id> = members.iter().map(|t| graph.encode(t).unwrap()).collect();
            for id in &ids[1..] {
                graph.union(ids[0], *id, Reason::Rule(0));
            }
            graph.rebuild();
            let (tree, problems) = parse_sketch(FileId::NOWHERE, goal);
            assert!(problems.is_empty(), "{problems:?}");
            let sketch = read(&tree, &Library::builtin(), &["m".into(), "n".into()]).unwrap();
            let automaton = Automaton::new(&sketch).unwrap();
            let satisfied = Satisfied::of(&graph, &automaton);
            let free = free_in(members[0]);
            thrifty(&graph, &automaton, &satisfied, (graph.find(ids[0]), &free), shares, &|| false)
        };
        let any = "containsMap(m, ?)";
        assert_eq!(taken(&[&again, &once], any, true).as_ref(), Some(&once));
        assert_eq!(taken(&[&once, &again], any, true).as_ref(), Some(&once));
        assert_eq!(taken(&[&again, &once, &plain], any, true).as_ref(), Some(&plain));
        assert_eq!(taken(&[&again, &once, &plain], any, false).as_ref(), Some(&plain));
        assert_eq!(taken(&[&again, &once, &plain], "contains(zip)", true).as_ref(), Some(&again));
        assert_eq!(taken(&[&once, &plain], "contains(gather)", true), None);
    }
}
