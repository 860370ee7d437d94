//! The lightest member of a class that satisfies a sketch (thesis section 5.3.4), exactly for the weight of
//! [`analysis`](crate::rewrite::egraph::analysis): size, and a surcharge for redexes.
//!
//! States are answered lower ones first; within a `contains`, classes by increasing weight (Dijkstra's algorithm),
//! since a term weighs more than its parts. Choices name the child positions, so that a node with one class twice can
//! choose differently for each.

use super::automaton::{Automaton, StateId, Step};
use super::classes::{Satisfied, atom_matches, types_match};
use crate::lang::term::Term;
use crate::rewrite::egraph::analysis::{Data, REDEX};
use crate::rewrite::egraph::node::{Kind, Node};
use crate::rewrite::egraph::tables::weight;
use crate::rewrite::egraph::{Decoder, Graph, Id, MAX_NESTING};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A lightest term and its weight.
#[derive(Clone, Debug)]
pub struct Extracted {
    pub term: Term,
    pub cost: u32,
}

/// The lightest term of the class that satisfies the automaton's start.
pub fn extract(graph: &Graph, automaton: &Automaton, satisfied: &Satisfied, root: Id) -> Option<Extracted> {
    let mut e = Extraction { graph, automaton, satisfied, tables: vec![] };
    for state in 0..automaton.states.len() {
        let table = e.state(state);
        e.tables.push(table);
    }
    let root = graph.find(root);
    let cost = e.cost(automaton.start, root, false)?;
    let term = e.term(&mut graph.decoder(), automaton.start, root, false, 0)?;
    Some(Extracted { term, cost })
}

/// Where a class's lightest member comes from.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// From another state's choice for the same class.
    Same(StateId),
    /// This node, and the states of its children.
    Node(Node, StateId, StateId),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    cost: u32,
    choice: Choice,
}

/// The lightest members of a class among abstractions and among the others: which is better depends on whether it
/// is applied.
#[derive(Clone, Copy, Default, Debug)]
struct Entries {
    plain: Option<Entry>,
    lambda: Option<Entry>,
}

impl Entries {
    fn slot(&mut self, lambda: bool) -> &mut Option<Entry> {
        if lambda { &mut self.lambda } else { &mut self.plain }
    }
    fn offer(&mut self, lambda: bool, new: Entry) -> bool {
        let slot = self.slot(lambda);
        let better = slot.is_none_or(|old| new.cost < old.cost);
        if better {
            *slot = Some(new);
        }
        better
    }
    /// Cost, and whether the abstraction is meant.
    fn best(&self, applied: bool) -> Option<(u32, bool)> {
        choose(self.plain.map(|e| e.cost), self.lambda.map(|e| e.cost), applied)
    }
}

fn choose(plain: Option<u32>, lambda: Option<u32>, applied: bool) -> Option<(u32, bool)> {
    let lambda = lambda.map(|l| if applied { l.saturating_add(REDEX) } else { l });
    match (plain, lambda) {
        (Some(p), Some(l)) if l < p => Some((l, true)),
        (Some(p), _) => Some((p, false)),
        (None, l) => Some((l?, true)),
    }
}

type Table = FxHashMap<Id, Entries>;

struct Extraction<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    satisfied: &'a Satisfied,
    tables: Vec<Table>,
}

impl Extraction<'_> {
    fn best(&self, state: StateId, class: Id, applied: bool) -> Option<(u32, bool)> {
        let s = &self.automaton.states[state];
        if s.open {
            let data = self.graph.data(class);
            if !types_match(self.graph.tables(), &s.types, data.ty) {
                return None;
            }
            return choose(data.plain().map(|b| b.cost), data.lambda().map(|b| b.cost), applied);
        }
        self.tables.get(state)?.get(&self.graph.find(class))?.best(applied)
    }

    fn cost(&self, state: StateId, class: Id, applied: bool) -> Option<u32> {
        self.best(state, class, applied).map(|(cost, _)| cost)
    }

    fn state(&self, id: StateId) -> Table {
        let state = &self.automaton.states[id];
        let mut table = Table::default();
        if state.open {
            return table;
        }
        let mut passed_on = false;
        for class in self.satisfied.set(id).iter() {
            let mut entries = Entries::default();
            for step in &state.steps {
                match step {
                    Step::Same(s) => {
                        for lambda in [false, true] {
                            if let Some(cost) = self.cost_of_kind(*s, class, lambda) {
                                entries.offer(lambda, Entry { cost, choice: Choice::Same(*s) });
                            }
                        }
                    }
                    Step::Leaf(sketches) => {
                        for node in self.graph.nodes(class) {
                            if let Kind::Leaf(_) | Kind::Var(_) = node.op.kind()
                                && atom_matches(self.graph.tables(), sketches, node.op)
                            {
                                let cost = match node.as_leaf() {
                                    Some(leaf) => weight(self.graph.tables().leaf_of(leaf)),
                                    None => 1,
                                };
                                entries.offer(false, Entry { cost, choice: Choice::Node(node, 0, 0) });
                            }
                        }
                    }
                    Step::Lam(s) if *s == id => passed_on = true,
                    Step::App(f, e) if *f == id || *e == id => passed_on = true,
                    Step::Lam(s) => {
                        for node in self.graph.nodes(class).filter(|n| n.is_lam()) {
                            if let Some(cost) = node.as_lam().and_then(|b| self.cost(*s, b, false)) {
                                let choice = Choice::Node(node, *s, 0);
                                entries.offer(true, Entry { cost: cost.saturating_add(1), choice });
                            }
                        }
                    }
                    Step::App(f, e) => {
                        for node in self.graph.nodes(class) {
                            let Some((a, b)) = node.as_app() else { continue };
                            if let (Some(x), Some(y)) = (self.cost(*f, a, true), self.cost(*e, b, false)) {
                                let cost = x.saturating_add(y).saturating_add(1);
                                entries.offer(false, Entry { cost, choice: Choice::Node(node, *f, *e) });
                            }
                        }
                    }
                }
            }
            if entries.plain.is_some() || entries.lambda.is_some() {
                table.insert(class, entries);
            }
        }
        if passed_on {
            self.pass_on(id, &mut table);
        }
        table
    }

    /// The cost of the lightest abstraction, or of the lightest other member.
    fn cost_of_kind(&self, state: StateId, class: Id, lambda: bool) -> Option<u32> {
        if self.automaton.states[state].open {
            let data: &Data = self.graph.data(class);
            let fits = types_match(self.graph.tables(), &self.automaton.states[state].types, data.ty);
            let best = if lambda { data.lambda() } else { data.plain() };
            return best.filter(|_| fits).map(|b| b.cost);
        }
        let entries = self.tables.get(state)?.get(&self.graph.find(class))?;
        if lambda { entries.lambda } else { entries.plain }.map(|e| e.cost)
    }

    /// Extends a `contains` from the classes that have what it asks for to the terms around them.
    fn pass_on(&self, id: StateId, table: &mut Table) {
        let mut heap = BinaryHeap::new();
        for (class, entries) in table.iter() {
            for (entry, lambda) in [(entries.plain, false), (entries.lambda, true)] {
                heap.extend(entry.map(|e| Reverse((e.cost, *class, lambda))));
            }
        }
        while let Some(Reverse((cost, class, lambda))) = heap.pop() {
            let Some(entries) = table.get(&class) else { continue };
            let current = if lambda { entries.lambda } else { entries.plain };
            if current.is_none_or(|e| e.cost < cost) {
                continue;
            }
            for (node, parent) in self.graph.parents(class) {
                let mut offer = |lambda, cost: Option<u32>, choice| {
                    if let Some(cost) = cost
                        && self.satisfied.set(id).has(parent)
                        && table.entry(parent).or_default().offer(lambda, Entry { cost, choice })
                    {
                        heap.push(Reverse((cost, parent, lambda)));
                    }
                };
                match node.as_app() {
                    Some((f, e)) => {
                        if f == class {
                            let applied = if lambda { cost.saturating_add(REDEX) } else { cost };
                            let total = applied.saturating_add(self.graph.data(e).cost()).saturating_add(1);
                            offer(false, Some(total), Choice::Node(node, id, 0));
                        }
                        if e == class {
                            let total = self.graph.data(f).head_cost().saturating_add(cost).saturating_add(1);
                            offer(false, Some(total), Choice::Node(node, 0, id));
                        }
                    }
                    None if node.is_lam() => {
                        offer(true, Some(cost.saturating_add(1)), Choice::Node(node, id, 0));
                    }
                    None => {}
                }
            }
        }
    }

    fn term(
        &self,
        decoder: &mut Decoder<'_>,
        state: StateId,
        class: Id,
        applied: bool,
        depth: usize,
    ) -> Option<Term> {
        let class = self.graph.find(class);
        if depth > MAX_NESTING {
            return None;
        }
        if self.automaton.states[state].open {
            return if applied { decoder.head(class) } else { decoder.best(class) };
        }
        let (_, lambda) = self.best(state, class, applied)?;
        self.term_of_kind(decoder, state, class, lambda, depth)
    }

    fn term_of_kind(
        &self,
        decoder: &mut Decoder<'_>,
        state: StateId,
        class: Id,
        lambda: bool,
        depth: usize,
    ) -> Option<Term> {
        if depth > MAX_NESTING {
            return None;
        }
        if self.automaton.states[state].open {
            return decoder.best_of_kind(class, lambda);
        }
        let entries = self.tables.get(state)?.get(&self.graph.find(class))?;
        let entry = if lambda { entries.lambda } else { entries.plain }?;
        match entry.choice {
            Choice::Same(s) => self.term_of_kind(decoder, s, class, lambda, depth + 1),
            Choice::Node(node, first, second) => match node.op.kind() {
                Kind::App => {
                    let (f, e) = node.as_app()?;
                    let f = self.term(decoder, first, f, true, depth + 1)?;
                    Some(Term::app(f, self.term(decoder, second, e, false, depth + 1)?))
                }
                Kind::Lam => {
                    let body = self.term(decoder, first, node.as_lam()?, false, depth + 1)?;
                    decoder.abstraction(&node, body)
                }
                Kind::Var(_) | Kind::Leaf(_) => Some(decoder.atom(&node)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::ty::Type;
    use crate::rewrite::egraph::log::Reason;
    use crate::rewrite::egraph::tables::weight as weight_of;
    use crate::rewrite::sketch::{Library, Sketch, read};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn sketch(text: &str) -> Sketch {
        let (tree, problems) = crate::lang::syntax::parse_sketch(crate::lang::diag::Span::NOWHERE.file, text);
        assert!(problems.is_empty(), "{problems:?}");
        read(&tree, &Library::builtin(), &[]).unwrap()
    }

    /// The weight of a term, by definition.
    fn cost(t: &Term) -> u32 {
        use crate::lang::term::Expr;
        match t.expr() {
            Expr::Var(_) | Expr::Lit(_) => 1,
            Expr::Prim(p) => {
                let leaf = crate::rewrite::egraph::tables::Leaf::Prim(p.pattern, vec![]);
                weight_of(&leaf)
            }
            Expr::Lam(_, body) => 1 + cost(body),
            Expr::App(f, e) => {
                let redex = if f.as_lam().is_some() { REDEX } else { 0 };
                1 + cost(f) + cost(e) + redex
            }
        }
    }

    /// Every term of every class up to a size, by size.
    fn enumerate(graph: &Graph, limit: u32) -> BTreeMap<Id, Vec<Term>> {
        let mut all: BTreeMap<Id, Vec<Term>> = BTreeMap::new();
        for _ in 0..limit {
            let mut next = all.clone();
            for class in graph.class_ids() {
                let mut terms: Vec<Term> = vec![];
                for node in graph.nodes(class) {
                    let of = |c: Id| all.get(&graph.find(c)).cloned().unwrap_or_default();
                    match node.op.kind() {
                        Kind::App => {
                            let (f, e) = node.as_app().unwrap();
                            for f in of(f) {
                                terms.extend(of(e).into_iter().map(|e| Term::app(f.clone(), e)));
                            }
                        }
                        Kind::Lam => {
                            let d = graph.decoder();
                            terms.extend(
                                of(node.as_lam().unwrap())
                                    .into_iter()
                                    .filter_map(|t| d.abstraction(&node, t)),
                            );
                        }
                        Kind::Var(_) | Kind::Leaf(_) => terms.push(graph.decoder().atom(&node)),
                    }
                }
                terms.retain(|t| t.size() <= limit);
                terms.sort_by_key(Term::digest);
                terms.dedup();
                terms.truncate(400);
                next.insert(class, terms);
            }
            if next == all {
                break;
            }
            all = next;
        }
        all
    }

    const SKETCHES: [&str; 14] = [
        "?",
        "contains(neg)",
        "contains(mul) and contains(neg)",
        "contains(neg (neg ?))",
        "? + contains(neg)",
        "contains(? + ?) and contains(? * ?)",
        "neg ? or (? + ?)",
        r"contains((\x. ?) ?)",
        r"contains(\x. contains(mul))",
        "contains(contains(mul) + contains(neg))",
        "contains(neg) and (? + ?)",
        "(contains(neg) or contains(mul)) and contains(add)",
        r"contains(\x. x)",
        "contains(mul ? contains(neg)) and contains(add contains(neg) ?)",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn extraction_is_the_lightest_member(
            ops in proptest::collection::vec((0u8..6, 0usize..64, 0usize..64), 1..14),
            unions in proptest::collection::vec((0usize..64, 0usize..64), 0..4),
        ) {
            let f32s = Type::f32;
            let mut terms: Vec<Term> = (0..3).map(|i| Term::var(i, f32s())).collect();
            for (op, i, j) in ops {
                let (x, y) = (terms[i % terms.len()].clone(), terms[j % terms.len()].clone());
                let new = match op {
                    0 => b::neg(x).unwrap(),
                    1 => b::add(x, y).unwrap(),
                    2 => b::mul(x, y).unwrap(),
                    3 => b::share("z", x, |z| b::add(z, y)).unwrap(),
                    4 => Term::app(Term::lam("z", f32s(), x), y),
                    _ => Term::app(b::partial(crate::lang::pattern::Pattern::Add, vec![], vec![x], &[f32s()]).unwrap(), y),
                };
                if new.size() < 40 {
                    terms.push(new);
                }
            }
            let mut graph = Graph::new();
            let ids: Vec<Id> = terms.iter().map(|t| graph.encode(t).unwrap()).collect();
            for (i, j) in unions {
                graph.union(ids[i % ids.len()], ids[j % ids.len()], Reason::Rule(0));
            }
            graph.rebuild();
            graph.check();
            let all = enumerate(&graph, 9);
            for text in SKETCHES {
                let sketch = sketch(text);
                let automaton = Automaton::new(&sketch).unwrap();
                let satisfied = Satisfied::of(&graph, &automaton);
                for (class, members) in &all {
                    let best = members.iter().filter(|t| sketch.satisfied_by(t)).map(cost).min();
                    let found = extract(&graph, &automaton, &satisfied, *class);
                    prop_assert_eq!(found.is_some(), satisfied.has(&graph, &automaton, automaton.start, *class));
                    if let Some(Extracted { term, cost: claimed }) = &found {
                        prop_assert!(sketch.satisfied_by(term), "{} {:?}", text, term);
                        prop_assert_eq!(cost(term), *claimed);
                        prop_assert!(best.is_none_or(|b| *claimed <= b), "{} {:?}", text, term);
                        // What is small enough to have been enumerated is a member.
                        let listed = members.len() < 400 && term.size() <= 9;
                        prop_assert!(!listed || members.contains(term), "{} {:?}", text, term);
                    } else {
                        prop_assert!(best.is_none(), "{} {:?}", text, members);
                    }
                }
            }
        }
    }
}
