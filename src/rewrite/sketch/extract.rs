//! The lightest member of a class that satisfies a sketch (thesis section 5.3.4), exactly, for weights of choice.
//!
//! States are answered lower ones first; within a `contains`, classes by increasing weight (Dijkstra's algorithm),
//! since a term weighs more than its parts. Choices name the child positions, so that a node with one class twice can
//! choose differently for each.

use super::automaton::{Automaton, StateId, Step};
use super::classes::{Classes, Satisfied, atom_matches, has_types};
use crate::egraph::analysis::REDEX;
use crate::egraph::node::{Kind as Op, Node};
use crate::egraph::tables::{Leaf, weight};
use crate::egraph::{Decoder, Graph, Id, MAX_NESTING};
use crate::lang::term::Term;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A lightest term and its weight.
#[derive(Clone, Debug)]
pub struct Extracted {
    pub term: Term,
    pub cost: u32,
}

/// What terms weigh: each node one but for leaves, and redexes much more
/// ([`analysis`](crate::egraph::analysis)).
#[derive(Clone, Copy)]
pub enum Weights<'a> {
    /// Their size, as the graph knows it.
    Size,
    /// A weight from one upwards for each leaf.
    Leaves(&'a dyn Fn(&Leaf) -> u32),
}

/// Which members of a class are meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Any,
    /// Any, as the function of an application.
    Head,
    Plain,
    Lambda,
}

impl Kind {
    #[inline]
    fn of(lambda: bool) -> Kind {
        if lambda { Kind::Lambda } else { Kind::Plain }
    }
    #[inline]
    pub(super) fn admits(self, node: &Node) -> bool {
        match self {
            Kind::Any | Kind::Head => true,
            Kind::Plain => !node.is_lam(),
            Kind::Lambda => node.is_lam(),
        }
    }
}

/// The lightest term of the class that satisfies the automaton's start.
#[cfg(test)]
fn extract(
    graph: &Graph,
    automaton: &Automaton,
    satisfied: &Satisfied,
    root: Id,
    weights: Weights<'_>,
) -> Option<Extracted> {
    let e = Lightest::of_until(graph, automaton, satisfied, weights, &|| false)?;
    let root = graph.find(root);
    let cost = e.weight(automaton.start, root, Kind::Any)?;
    let term = e.term(&mut graph.decoder(), automaton.start, root, false, 0)?;
    Some(Extracted { term, cost })
}

/// No member.
const NONE: u32 = u32::MAX;

/// What the lightest members of a class weigh: of those that are no abstraction, and of the abstractions. Which is better
/// depends on whether it is applied.
#[derive(Clone, Copy, Debug)]
struct Weighed([u32; 2]);

impl Weighed {
    const NOTHING: Weighed = Weighed([NONE; 2]);

    #[inline]
    fn get(self, lambda: bool) -> Option<u32> {
        Some(self.0[usize::from(lambda)]).filter(|w| *w != NONE)
    }
    #[inline]
    fn of_kind(self, kind: Kind) -> Option<u32> {
        match kind {
            Kind::Plain => self.get(false),
            Kind::Lambda => self.get(true),
            Kind::Any | Kind::Head => {
                choose(self.get(false), self.get(true), kind == Kind::Head).map(|(weight, _)| weight)
            }
        }
    }
    /// Is this lighter? Then it is what counts.
    #[inline]
    fn offer(&mut self, lambda: bool, weight: u32) -> bool {
        let slot = &mut self.0[usize::from(lambda)];
        let weight = weight.min(NONE - 1);
        let better = weight < *slot;
        if better {
            *slot = weight;
        }
        better
    }
}

/// What the classes of a state weigh, by their numbers within its set.
#[derive(Default)]
struct Table {
    numbering: Vec<u32>,
    weights: Vec<Weighed>,
}

impl Table {
    #[inline]
    fn number(&self, set: &Classes, class: Id) -> Option<usize> {
        set.number(&self.numbering, class)
    }
    #[inline]
    fn get(&self, set: &Classes, class: Id) -> Weighed {
        self.number(set, class).map_or(Weighed::NOTHING, |i| self.weights[i])
    }
}

#[inline]
fn choose(plain: Option<u32>, lambda: Option<u32>, applied: bool) -> Option<(u32, bool)> {
    let lambda = lambda.map(|l| if applied { l.saturating_add(REDEX) } else { l });
    match (plain, lambda) {
        (Some(p), Some(l)) if l < p => Some((l, true)),
        (Some(p), _) => Some((p, false)),
        (None, l) => Some((l?, true)),
    }
}

/// What the lightest members of classes weigh that satisfy the states of a sketch, and which they are.
pub struct Lightest<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    satisfied: &'a Satisfied,
    weights: Weights<'a>,
    /// Of members that no sketch asks anything of, where the graph does not know it: the lightest abstraction's weight and
    /// that of the lightest other one, by id.
    open: Vec<[Option<u32>; 2]>,
    tables: Vec<Table>,
}

impl<'a> Lightest<'a> {
    /// None where `over` says so before all is weighed.
    pub fn of_until(
        graph: &'a Graph,
        automaton: &'a Automaton,
        satisfied: &'a Satisfied,
        weights: Weights<'a>,
        over: &dyn Fn() -> bool,
    ) -> Option<Lightest<'a>> {
        let mut e = Lightest { graph, automaton, satisfied, weights, open: vec![], tables: vec![] };
        e.weigh(over).then_some(e)
    }

    /// Says whether all was weighed.
    fn weigh(&mut self, over: &dyn Fn() -> bool) -> bool {
        if let Weights::Leaves(_) = self.weights {
            self.weigh_all();
        }
        for state in 0..self.automaton.states.len() {
            if over() {
                return false;
            }
            let table = self.state(state);
            self.tables.push(table);
        }
        true
    }

    /// The weight of every class's lightest members, the lightest first: a term weighs more than its parts, so that what comes
    /// from the queue gets no lighter.
    fn weigh_all(&mut self) {
        self.open = vec![[None; 2]; self.graph.ids()];
        let mut queue: BinaryHeap<Reverse<(u32, Id, bool)>> = BinaryHeap::new();
        for class in self.graph.class_ids() {
            let leaves = self.graph.nodes(class).filter(|node| node.children().is_empty());
            leaves.for_each(|node| self.offer(class, &node, &mut queue));
        }
        while let Some(Reverse((weight, class, is_lam))) = queue.pop() {
            if self.open[usize::from(class)][usize::from(is_lam)] == Some(weight) {
                let parents = self.graph.parents(class);
                parents.for_each(|(node, parent)| self.offer(self.graph.find(parent), &node, &mut queue));
            }
        }
    }

    /// Notes what the lightest term of the node weighs, if that is known and less than what was noted of its class.
    fn offer(&mut self, class: Id, node: &Node, queue: &mut BinaryHeap<Reverse<(u32, Id, bool)>>) {
        let Some(weight) = self.open_weight_of(node) else { return };
        let slot = &mut self.open[usize::from(class)][usize::from(node.is_lam())];
        if slot.is_none_or(|old| weight < old) {
            *slot = Some(weight);
            queue.push(Reverse((weight, class, node.is_lam())));
        }
    }

    /// What the lightest term of a node weighs.
    fn open_weight_of(&self, node: &Node) -> Option<u32> {
        let (first, second) = match (node.as_app(), node.as_lam()) {
            (Some((f, e)), _) => self.open_weight(f, Kind::Head).zip(self.open_weight(e, Kind::Any))?,
            (_, Some(body)) => (self.open_weight(body, Kind::Any)?, 0),
            _ => (0, 0),
        };
        Some(self.own_weight(node, Kind::Any).saturating_add(first).saturating_add(second))
    }

    /// The lightest term of a class of which nothing is asked.
    fn open_term(&self, decoder: &mut Decoder<'_>, class: Id, kind: Kind, depth: usize) -> Option<Term> {
        if depth > MAX_NESTING {
            return None;
        }
        if let Weights::Size = self.weights {
            return match kind {
                Kind::Any => decoder.best(class),
                Kind::Head => decoder.head(class),
                Kind::Plain | Kind::Lambda => decoder.best_of_kind(class, kind == Kind::Lambda),
            };
        }
        let [plain, lambda] = [Kind::Plain, Kind::Lambda].map(|kind| self.open_weight(class, kind));
        let (weight, is_lambda) = match kind {
            Kind::Any | Kind::Head => {
                let (_, is_lambda) = choose(plain, lambda, kind == Kind::Head)?;
                (if is_lambda { lambda } else { plain }, is_lambda)
            }
            Kind::Plain => (plain, false),
            Kind::Lambda => (lambda, true),
        };
        let is_lightest = |n: &Node| n.is_lam() == is_lambda && self.open_weight_of(n) == weight;
        let node = self.graph.nodes(class).find(is_lightest)?;
        match (node.as_app(), node.as_lam()) {
            (Some((f, e)), _) => {
                let f = self.open_term(decoder, f, Kind::Head, depth + 1)?;
                Some(Term::app(f, self.open_term(decoder, e, Kind::Any, depth + 1)?))
            }
            (_, Some(body)) => {
                let body = self.open_term(decoder, body, Kind::Any, depth + 1)?;
                decoder.abstraction(&node, body)
            }
            _ => Some(decoder.atom(&node)),
        }
    }

    /// What a node weighs without its children, where it stands.
    pub fn own_weight(&self, node: &Node, at: Kind) -> u32 {
        match (node.op.kind(), self.weights) {
            (Op::Leaf(leaf), Weights::Size) => weight(self.graph.tables().leaf_of(leaf)),
            (Op::Leaf(leaf), Weights::Leaves(of)) => of(self.graph.tables().leaf_of(leaf)).max(1),
            (Op::Lam, _) if at == Kind::Head => 1 + REDEX,
            _ => 1,
        }
    }

    #[inline]
    fn open_weight(&self, class: Id, kind: Kind) -> Option<u32> {
        let [plain, lambda] = match self.weights {
            Weights::Size => {
                let data = self.graph.data(class);
                [data.plain(), data.lambda()].map(|best| best.map(|b| b.cost))
            }
            Weights::Leaves(_) => self.open[usize::from(self.graph.find(class))],
        };
        match kind {
            Kind::Plain => plain,
            Kind::Lambda => lambda,
            Kind::Any | Kind::Head => choose(plain, lambda, kind == Kind::Head).map(|(cost, _)| cost),
        }
    }

    fn best(&self, state: StateId, class: Id, applied: bool) -> Option<(u32, bool)> {
        choose(self.weight(state, class, Kind::Plain), self.weight(state, class, Kind::Lambda), applied)
    }

    /// The weight of the lightest member that satisfies a state.
    #[inline]
    pub fn weight(&self, state: StateId, class: Id, kind: Kind) -> Option<u32> {
        let s = &self.automaton.states[state];
        if s.open {
            return if has_types(self.graph, &s.types, class) { self.open_weight(class, kind) } else { None };
        }
        let table = self.tables.get(state)?;
        table.get(self.satisfied.set(state), self.graph.find(class)).of_kind(kind)
    }

    /// The lightest term of any class that satisfies a state; none for a state that asks no more than a type.
    pub fn of_state(&self, state: StateId) -> Option<Term> {
        if self.automaton.states[state].open {
            return None;
        }
        let weighed = |class: Id| Some((self.weight(state, class, Kind::Any)?, class));
        let (_, class) = self.satisfied.set(state).iter().filter_map(weighed).min()?;
        self.term(&mut self.graph.decoder(), state, class, false, 0)
    }

    /// The lightest term of a class that satisfies a state.
    pub fn of_class(&self, state: StateId, class: Id) -> Option<Term> {
        self.term(&mut self.graph.decoder(), state, self.graph.find(class), false, 0)
    }

    /// What a node weighs whose children satisfy these states; `of` weighs those.
    #[inline]
    fn app_weight(
        &self,
        (f, e): (StateId, StateId),
        (a, b): (Id, Id),
        of: &impl Fn(StateId, Id, Kind) -> Option<u32>,
    ) -> Option<u32> {
        // States that ask for something are the ones that a class may not satisfy.
        let ask_first = self.automaton.states[f].open;
        let second = if ask_first { Some(of(e, b, Kind::Any)?) } else { None };
        let first = of(f, a, Kind::Head)?;
        let second = second.or_else(|| of(e, b, Kind::Any))?;
        Some(first.saturating_add(second).saturating_add(1))
    }

    fn state(&self, id: StateId) -> Table {
        let state = &self.automaton.states[id];
        if state.open {
            return Table::default();
        }
        let set = self.satisfied.set(id);
        let mut table = Table { numbering: set.numbering(), weights: vec![Weighed::NOTHING; set.len()] };
        let own = |step: &Step| match step {
            Step::Lam(s) => *s == id,
            Step::App(f, e) => *f == id || *e == id,
            Step::Same(_) | Step::Leaf(_) => false,
        };
        let of_nodes: Vec<&Step> =
            state.steps.iter().filter(|s| !own(s) && !matches!(s, Step::Same(_))).collect();
        let of = |state, class, kind| self.weight(state, class, kind);
        for class in set.iter() {
            let Some(number) = table.number(set, class) else { continue };
            let weighed = &mut table.weights[number];
            for step in &state.steps {
                let Step::Same(s) = step else { continue };
                for lambda in [false, true] {
                    if let Some(weight) = self.weight(*s, class, Kind::of(lambda)) {
                        weighed.offer(lambda, weight);
                    }
                }
            }
            if of_nodes.is_empty() {
                continue;
            }
            for node in self.graph.nodes(class) {
                for step in &of_nodes {
                    let weight = match (step, node.as_app(), node.as_lam()) {
                        (Step::App(f, e), Some(children), _) => self.app_weight((*f, *e), children, &of),
                        (Step::Lam(s), _, Some(body)) => {
                            self.weight(*s, body, Kind::Any).map(|w| w.saturating_add(1))
                        }
                        (Step::Leaf(sketches), None, None) => {
                            let fits = atom_matches(self.graph.tables(), sketches, &node);
                            fits.then(|| self.own_weight(&node, Kind::Any))
                        }
                        _ => None,
                    };
                    if let Some(weight) = weight {
                        weighed.offer(node.is_lam(), weight);
                    }
                }
            }
        }
        if state.steps.iter().any(own) {
            self.pass_on(id, &mut table);
        }
        table
    }

    /// Extends a `contains` from the classes that have what it asks for to the terms around them, and a `not contains`
    /// from the leaves. What has the lightest weight when it is taken from the queue weighs so for good.
    fn pass_on(&self, id: StateId, table: &mut Table) {
        let set = self.satisfied.set(id);
        let steps = &self.automaton.states[id].steps;
        let apps: Vec<(StateId, StateId)> = steps
            .iter()
            .filter_map(|s| if let Step::App(f, e) = s { Some((*f, *e)) } else { None })
            .filter(|(f, e)| *f == id || *e == id)
            .collect();
        let below_binders = steps.contains(&Step::Lam(id));
        let mut first = vec![];
        for class in set.iter() {
            let weighed = table.get(set, class);
            for lambda in [false, true] {
                first.extend(weighed.get(lambda).map(|weight| Reverse((weight, class, lambda))));
            }
        }
        let mut heap = BinaryHeap::from(first);
        while let Some(Reverse((weight, class, lambda))) = heap.pop() {
            if table.get(set, class).get(lambda).is_none_or(|least| least < weight) {
                continue;
            }
            for (node, parent) in self.graph.parents(class) {
                let Some(number) = table.number(set, parent) else { continue };
                if let Some(children) = node.as_app() {
                    let of = |state: StateId, class: Id, kind: Kind| {
                        if state == id {
                            table.get(set, self.graph.find(class)).of_kind(kind)
                        } else {
                            self.weight(state, class, kind)
                        }
                    };
                    let least =
                        apps.iter().filter_map(|states| self.app_weight(*states, children, &of)).min();
                    if let Some(weight) = least
                        && table.weights[number].offer(false, weight)
                    {
                        heap.push(Reverse((weight, parent, false)));
                    }
                } else if below_binders && node.is_lam() {
                    let weight = weight.saturating_add(1);
                    if table.weights[number].offer(true, weight) {
                        heap.push(Reverse((weight, parent, true)));
                    }
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
            let kind = if applied { Kind::Head } else { Kind::Any };
            return self.open_term(decoder, class, kind, depth);
        }
        let (_, lambda) = self.best(state, class, applied)?;
        self.term_of_kind(decoder, state, class, lambda, depth)
    }

    /// The first step by which the class has a member of its least weight: parts weigh less than what they are in, so that
    /// this comes to an end.
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
        let s = &self.automaton.states[state];
        if s.open {
            return self.open_term(decoder, class, Kind::of(lambda), depth);
        }
        let least = self.weight(state, class, Kind::of(lambda))?;
        let of = |state, class, kind| self.weight(state, class, kind);
        for step in &s.steps {
            if let Step::Same(other) = step {
                if self.weight(*other, class, Kind::of(lambda)) == Some(least) {
                    return self.term_of_kind(decoder, *other, class, lambda, depth + 1);
                }
                continue;
            }
            for node in self.graph.nodes(class).filter(|n| n.is_lam() == lambda) {
                match (step, node.as_app(), node.as_lam()) {
                    (Step::App(f, e), Some((a, b)), _)
                        if self.app_weight((*f, *e), (a, b), &of) == Some(least) =>
                    {
                        let function = self.term(decoder, *f, a, true, depth + 1)?;
                        return Some(Term::app(function, self.term(decoder, *e, b, false, depth + 1)?));
                    }
                    (Step::Lam(inner), _, Some(body))
                        if self.weight(*inner, body, Kind::Any).map(|w| w.saturating_add(1))
                            == Some(least) =>
                    {
                        let body = self.term(decoder, *inner, body, false, depth + 1)?;
                        return decoder.abstraction(&node, body);
                    }
                    (Step::Leaf(sketches), None, None)
                        if self.own_weight(&node, Kind::Any) == least
                            && atom_matches(self.graph.tables(), sketches, &node) =>
                    {
                        return Some(decoder.atom(&node));
                    }
                    _ => {}
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egraph::log::Reason;
    use crate::egraph::tables::weight as weight_of;
    use crate::lang::build as b;
    use crate::lang::ty::Type;
    use crate::sketch::best::{KBest, k_best};
    use crate::sketch::count::count;
    use crate::sketch::{Library, Sketch, read};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn sketch(text: &str) -> Sketch {
        let (tree, problems) = crate::lang::syntax::parse_sketch(crate::lang::diag::Span::NOWHERE.file, text);
        assert!(problems.is_empty(), "{problems:?}");
        read(&tree, &Library::builtin(), &[]).unwrap()
    }

    /// The weight of a term, by definition.
    fn cost(t: &Term) -> u32 {
        cost_by(&weight_of, t)
    }

    fn cost_by(weight: &dyn Fn(&Leaf) -> u32, t: &Term) -> u32 {
        use crate::lang::term::Expr;
        match t.expr() {
            Expr::Var(_) => 1,
            Expr::Lit(l) => weight(&Leaf::Lit(l.clone())),
            Expr::Prim(p) => weight(&Leaf::Prim(p.pattern, vec![])),
            Expr::Lam(_, body) => 1 + cost_by(weight, body),
            Expr::App(f, e) => {
                let redex = if f.as_lam().is_some() { REDEX } else { 0 };
                1 + cost_by(weight, f) + cost_by(weight, e) + redex
            }
        }
    }

    /// What somebody else may think that numbers cost.
    fn other_weight(leaf: &Leaf) -> u32 {
        use crate::lang::pattern::Pattern;
        match leaf {
            Leaf::Prim(Pattern::Neg, _) => 9,
            Leaf::Prim(Pattern::Mul, _) => 4,
            _ => 1,
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
                        Op::App => {
                            let (f, e) = node.as_app().unwrap();
                            for f in of(f) {
                                terms.extend(of(e).into_iter().map(|e| Term::app(f.clone(), e)));
                            }
                        }
                        Op::Lam => {
                            let d = graph.decoder();
                            terms.extend(
                                of(node.as_lam().unwrap())
                                    .into_iter()
                                    .filter_map(|t| d.abstraction(&node, t)),
                            );
                        }
                        Op::Var(_) | Op::Leaf(_) => terms.push(graph.decoder().atom(&node)),
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

    const SKETCHES: [&str; 19] = [
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
        "not contains(neg)",
        "contains(mul) and not contains(neg)",
        "not contains(neg or add)",
        "contains(neg) and contains(add) and not contains(mul)",
        "? + contains(neg) or contains(mul ? (not contains(add)))",
    ];

    /// What there was no time for is no number of terms.
    #[test]
    fn counting_that_is_stopped_is_not_whole() {
        use crate::lang::{literal::Literal, ty::Scalar};
        let mut graph = Graph::new();
        for n in 0..1000 {
            graph.encode(&Term::lit(Literal::Int(n, Scalar::I32))).unwrap();
        }
        graph.rebuild();
        let automaton = Automaton::new(&sketch("?")).unwrap();
        let [all, stopped] = [false, true].map(|over| count(&graph, &automaton, 1, &|| over));
        assert_eq!((all.terms, all.size, all.whole), (1000.0, 1, true));
        assert_eq!((stopped.terms, stopped.size, stopped.whole), (0.0, 0, false));
    }

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
                // A term that satisfies a sketch in several ways is one term.
                if all.values().all(|members| members.len() < 400) {
                    let described = all.values().flatten().filter(|t| sketch.describes(t)).count();
                    let counted = count(&graph, &automaton, 9, &|| false);
                    let found = if counted.size == 9 { counted.terms as usize } else { 0 };
                    prop_assert_eq!(found, described, "{}", text);
                }
                for (class, members) in &all {
                    let best = members.iter().filter(|t| sketch.describes(t)).map(cost).min();
                    let found = extract(&graph, &automaton, &satisfied, *class, Weights::Size);
                    prop_assert_eq!(found.is_some(), satisfied.has(&graph, &automaton, automaton.start, *class));
                    if let Some(Extracted { term, cost: claimed }) = &found {
                        prop_assert!(sketch.describes(term), "{} {:?}", text, term);
                        prop_assert_eq!(cost(term), *claimed);
                        prop_assert!(best.is_none_or(|b| *claimed <= b), "{} {:?}", text, term);
                        // What is small enough to have been enumerated is a member.
                        let listed = members.len() < 400 && term.size() <= 9;
                        prop_assert!(!listed || members.contains(term), "{} {:?}", text, term);
                    } else {
                        prop_assert!(best.is_none(), "{} {:?}", text, members);
                    }
                    for (weights, cost) in [
                        (Weights::Size, &weight_of as &dyn Fn(&Leaf) -> u32),
                        (Weights::Leaves(&other_weight), &other_weight),
                    ] {
                        if let Some(found) = extract(&graph, &automaton, &satisfied, *class, weights) {
                            prop_assert!(sketch.describes(&found.term), "{} {:?}", text, found.term);
                            prop_assert_eq!(cost_by(cost, &found.term), found.cost);
                            let described = members.iter().filter(|t| sketch.describes(t));
                            prop_assert!(described.map(|t| cost_by(cost, t)).all(|other| found.cost <= other));
                        }
                        const K: usize = 7;
                        let KBest { terms, complete, .. } = k_best(&graph, &automaton, &satisfied, *class, K, weights);
                        prop_assert!(complete && terms.len() <= K);
                        prop_assert!(terms.is_sorted_by_key(|t| t.cost), "{} {:?}", text, terms);
                        let mut digests: Vec<_> = terms.iter().map(|t| t.term.digest()).collect();
                        digests.sort();
                        digests.dedup();
                        prop_assert_eq!(digests.len(), terms.len());
                        for t in &terms {
                            prop_assert!(sketch.describes(&t.term), "{} {:?}", text, t);
                            prop_assert_eq!(cost_by(cost, &t.term), t.cost);
                        }
                        // Whatever is lighter than the last one is among them.
                        let last = if terms.len() == K { terms[K - 1].cost } else { u32::MAX };
                        for t in members.iter().filter(|t| sketch.describes(t) && cost_by(cost, t) < last) {
                            prop_assert!(terms.iter().any(|x| x.term == *t), "{} {:?} {:?}", text, t, terms);
                        }
                    }
                }
            }
        }
    }
}
