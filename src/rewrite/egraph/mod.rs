//! Typed RISE terms in an e-graph (thesis section 5.4): De Bruijn indices, one type a class, types and sizes
//! hash-consed beside the graph, substitution and shifting on the best members of classes.
//!
//! Terms go in by [`Graph::encode`], the best member of a class comes out by [`Graph::extract`]. In between,
//! [`compile`] makes a matcher and a builder of each rule. Nothing here decides when to stop: `rewrite::search` does.
//! What must hold: every class has one type; a class's best members are finite terms, each heavier than its parts.

pub mod analysis;
pub mod build;
pub mod changes;
pub mod compile;
pub mod congruence;
pub mod gaps;
pub mod log;
pub mod matcher;
pub mod members;
pub mod node;
pub mod rename;
pub mod tables;
pub mod times;

use crate::lang::MAX_DEPTH;
use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::lang::term::{Expr, Prim, Term};
use crate::lang::ty::Type;
use analysis::{Best, Data, MAX_COST, MAX_SIZE, size_of};
use changes::Changes;
pub use congruence::Touched;
use congruence::{EGraph, Nodes};
use gaps::{Gap, Gaps};
use log::Reason;
use node::{Kind, Node};
use rustc_hash::FxHashMap;
use tables::{Leaf, LeafId, Tables, TypeId, TypeRow};

pub use node::Id;

/// Terms that are nested deeper are neither encoded nor built.
pub const MAX_NESTING: usize = 4 * MAX_DEPTH;

/// What is not worth building: terms of such types or sizes lead nowhere (thesis section 5.6, upstream's filters).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The deepest nesting of arrays in the type of any sub-term.
    pub dims: u8,
    /// The greatest size of a class's smallest term.
    pub size: u32,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { dims: u8::MAX, size: MAX_SIZE }
    }
}

/// An e-graph of typed terms.
#[derive(Default)]
pub struct Graph {
    egraph: EGraph,
    tables: Tables,
    pub filter: Filter,
    /// Steps that need a term take every member of a class, not the best one (see [`gaps`]).
    pub thorough: bool,
    /// Thorough steps take no more members once there are so many ids.
    pub room: Option<usize>,
    /// Thorough steps move no variable to a higher index. `\x. f x` is `f`, so among all members of a class there can be
    /// `\x. (\y. (… ) y) x` of any depth.
    pub highest: Option<u32>,
    pub gaps: Gaps,
    /// Nodes are added as they are, not as what is equal to them: for terms that a union is to be a reason of.
    pub exact: bool,
    /// Unions that thorough steps made.
    joined: usize,
    /// Names that the encoded terms give to binders: of a body, and of a type.
    names_of_bodies: Vec<(Id, Name)>,
    names_of_types: FxHashMap<TypeId, Name>,
}

impl Graph {
    pub fn new() -> Graph {
        Graph::default()
    }

    #[inline]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }
    #[inline]
    pub fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }
    /// The classes to read and the tables to extend, at once.
    pub(crate) fn split(&mut self) -> (&EGraph, &mut Tables, &mut Gaps) {
        (&self.egraph, &mut self.tables, &mut self.gaps)
    }

    /// The class that an id stands for now.
    #[inline]
    pub fn find(&self, id: Id) -> Id {
        self.egraph.find(id)
    }
    #[inline]
    pub fn data(&self, class: Id) -> &Data {
        self.egraph.data(class)
    }
    #[inline]
    pub fn ty(&self, class: Id) -> TypeId {
        self.egraph.data(class).ty
    }
    /// The node of an id, with representatives as children.
    #[inline]
    pub fn node(&self, id: Id) -> Node {
        self.egraph.canonical(self.egraph.node(id))
    }
    /// The members of a class. Between a union and the next [`Graph::rebuild`] some may be missing or stand twice.
    #[inline]
    pub fn nodes(&self, class: Id) -> Nodes<'_> {
        self.egraph.members(class)
    }
    pub fn classes(&self) -> usize {
        self.egraph.class_count()
    }
    /// Entries of the hash table of nodes, of which some may be out of date; nodes are at most as many.
    pub fn entries(&self) -> usize {
        self.egraph.entries()
    }
    /// So many entries may come to that table when congruence is restored.
    pub fn pending(&self) -> usize {
        self.egraph.pending()
    }
    /// Every id ever given is below this.
    pub fn ids(&self) -> usize {
        self.egraph.ids()
    }
    /// The number of members of all classes.
    pub fn count_nodes(&self) -> usize {
        self.egraph.member_count()
    }
    /// The highest index of a variable.
    pub fn highest_index(&self) -> u32 {
        let index = |n: &Node| if let Kind::Var(i) = n.op.kind() { i } else { 0 };
        let of_class = |class: Id| self.nodes(class).map(|n| index(&n)).max();
        self.egraph.roots().filter_map(of_class).max().unwrap_or(0)
    }
    /// Every class, in order of id.
    pub fn class_ids(&self) -> Vec<Id> {
        self.egraph.roots().collect()
    }
    /// What has changed since this was last asked.
    pub fn take_touched(&mut self) -> Touched {
        self.egraph.take_touched()
    }
    /// What has changed, and what lies above it, so many levels up.
    pub fn above(&self, touched: Touched, levels: u8) -> Changes {
        Changes::above(touched, &self.egraph, levels)
    }
    /// Why ids are equal.
    pub fn log(&self) -> &log::Log {
        &self.egraph.log
    }
    /// The unions that prove two ids equal.
    pub fn proof(&self, from: Id, to: Id) -> Option<Vec<u32>> {
        self.egraph.log.needed(&|id| self.egraph.node(id), from, to)
    }

    /// The nodes that have the class as a child, with their classes; one may appear more than once.
    #[inline]
    pub fn parents(&self, class: Id) -> impl Iterator<Item = (Node, Id)> + '_ {
        let parents = self.egraph.parents(class).iter();
        parents.map(|id| (self.egraph.canonical(self.egraph.node(*id)), self.egraph.find(*id)))
    }

    /// The classes that have a node with the operator; one may come more than once.
    pub fn classes_with(&self, op: node::Op) -> impl Iterator<Item = Id> + '_ {
        self.egraph.with_op(op).iter().map(|id| self.egraph.find(*id))
    }

    #[inline]
    fn insert(&mut self, node: Node) -> Id {
        if self.exact { self.egraph.add_exactly(node) } else { self.egraph.add(node) }
    }

    /// Is a term of this type worth building? No program has a type without values, so to refuse it leaves nothing out.
    #[inline]
    fn admits(&mut self, ty: TypeId) -> bool {
        let facts = self.tables.facts(ty);
        if facts.inhabited && facts.dims > self.filter.dims {
            self.gaps.note(Gap::Dims, facts.dims.into());
        }
        facts.inhabited && facts.dims <= self.filter.dims
    }
    /// Is a term of this weight, and of this size but for itself, worth building?
    #[inline]
    fn holds(&mut self, cost: u32, size: u32) -> bool {
        let fits = cost < MAX_COST && size < self.filter.size;
        if !fits {
            self.gaps.note(Gap::Size, size.saturating_add(1));
        }
        fits
    }

    /// A variable; none when the filter refuses its type, as for the other nodes.
    #[inline]
    pub fn var(&mut self, index: u32, ty: TypeId) -> Option<Id> {
        self.admits(ty).then(|| self.insert(Node::var(index, ty)))
    }
    pub fn leaf(&mut self, leaf: LeafId, ty: TypeId) -> Option<Id> {
        if !self.admits(ty) {
            return None;
        }
        let weights = &mut self.egraph.typing.weights;
        while weights.len() <= leaf.0 as usize {
            weights.push(tables::weight(self.tables.leaf_of(LeafId(weights.len() as u32))));
        }
        Some(self.insert(Node::leaf(leaf, ty)))
    }
    #[inline]
    pub fn lam(&mut self, param: TypeId, body: Id) -> Option<Id> {
        let data = self.egraph.data(body);
        let (result, cost) = (data.ty, data.cost());
        if !self.holds(cost, size_of(cost)) {
            return None;
        }
        let ty = self.tables.fun(param, result);
        self.admits(ty).then(|| self.insert(Node::lam(body, ty)))
    }

    /// An abstraction around another body of the same type.
    fn lam_again(&mut self, ty: TypeId, body: Id) -> Option<Id> {
        let cost = self.data(body).cost();
        (self.holds(cost, size_of(cost)) && self.admits(ty)).then(|| self.insert(Node::lam(body, ty)))
    }
    /// An application; none also when the types do not fit.
    #[inline]
    pub fn app(&mut self, function: Id, argument: Id) -> Option<Id> {
        let (f, e) = (self.data(function), self.data(argument));
        let (param, result) = self.tables.as_fun(f.ty)?;
        let cost = f.head_cost().saturating_add(e.cost());
        let size = size_of(f.cost()) + size_of(e.cost());
        if param != e.ty || !self.holds(cost, size) {
            return None;
        }
        self.admits(result).then(|| self.insert(Node::app(function, argument, result)))
    }

    /// Makes two classes one, for a reason that holds of these very terms. Says whether they were two.
    pub fn union(&mut self, a: Id, b: Id, reason: Reason) -> bool {
        self.egraph.union(a, b, reason)
    }
    /// The unions that thorough steps made since this was last asked.
    pub fn take_joined(&mut self) -> usize {
        std::mem::take(&mut self.joined)
    }
    /// As [`Graph::union`], for two results of one step.
    fn join(&mut self, a: Id, b: Id, reason: Reason) {
        self.joined += usize::from(self.egraph.union(a, b, reason));
    }
    /// Restores congruence after unions; the number of classes that congruence merged.
    pub fn rebuild(&mut self) -> usize {
        self.egraph.rebuild_until(&mut |_| false).0
    }
    /// The same, unless what these tables need says to leave it for later: entries, classes and ids. With that number, whether
    /// congruence is restored.
    pub fn rebuild_until(&mut self, over: &mut dyn FnMut(usize, usize, usize) -> bool) -> (usize, bool) {
        self.egraph.rebuild_until(&mut |graph| over(graph.entries(), graph.class_count(), graph.ids()))
    }
    /// What must hold after a rebuild.
    #[cfg(test)]
    pub fn check(&self) {
        self.egraph.check();
    }
    /// The types that a union would have mixed, if one ever did: a defect of a rule or of this program.
    pub fn conflict(&self) -> Option<(Type, Type)> {
        let (a, b) = self.egraph.typing.conflict?;
        Some((self.tables.ty_of(a), self.tables.ty_of(b)))
    }

    /// Adds a term as it is, so that the id stands for this very term.
    pub fn encode_exactly(&mut self, term: &Term) -> Option<Id> {
        let exact = std::mem::replace(&mut self.exact, true);
        let id = self.encode(term);
        self.exact = exact;
        id
    }

    /// Adds a term; none when it is nested too deep, ill-typed, or refused by the filter.
    pub fn encode(&mut self, term: &Term) -> Option<Id> {
        if term.depth() as usize > MAX_NESTING || term.has_metas() {
            self.gaps.note(Gap::Nesting, 0);
            return None;
        }
        self.encode_memo(term, &mut FxHashMap::default())
    }

    fn encode_memo(&mut self, term: &Term, memo: &mut FxHashMap<Term, Id>) -> Option<Id> {
        if let Some(id) = memo.get(term) {
            return Some(*id);
        }
        let id = match term.expr() {
            Expr::Var(i) => {
                let ty = self.tables.ty(term.ty());
                self.var(*i, ty)?
            }
            Expr::Lam(name, body) => {
                let id = self.encode_memo(body, memo)?;
                let param = self.tables.ty(term.ty().as_fun()?.0);
                self.names_of_bodies.push((id, name.clone()));
                self.names_of_types.entry(param).or_insert_with(|| name.clone());
                self.lam(param, id)?
            }
            Expr::App(f, e) => {
                let f = self.encode_memo(f, memo)?;
                let e = self.encode_memo(e, memo)?;
                self.app(f, e)?
            }
            Expr::Prim(p) => {
                let ty = self.tables.ty(term.ty());
                let leaf = self.tables.prim(p);
                self.leaf(leaf, ty)?
            }
            Expr::Lit(l) => {
                let ty = self.tables.ty(term.ty());
                let leaf = self.tables.leaf(Leaf::Lit(l.clone()));
                self.leaf(leaf, ty)?
            }
        };
        memo.insert(term.clone(), id);
        Some(id)
    }

    /// The class of a term that is in the graph; `known` are those that were asked for.
    pub fn class_of(&self, term: &Term, known: &mut FxHashMap<Digest, Option<Id>>) -> Option<Id> {
        if let Some(class) = known.get(&term.digest()) {
            return *class;
        }
        let class = self.node_of(term, known).and_then(|node| self.egraph.lookup(node));
        known.insert(term.digest(), class);
        class
    }

    /// A term as a node whose children are in the graph.
    fn node_of(&self, term: &Term, known: &mut FxHashMap<Digest, Option<Id>>) -> Option<Node> {
        let ty = self.tables.known_ty(term.ty())?;
        Some(match term.expr() {
            Expr::Var(i) => Node::var(*i, ty),
            Expr::Lam(_, body) => Node::lam(self.class_of(body, known)?, ty),
            Expr::App(f, e) => Node::app(self.class_of(f, known)?, self.class_of(e, known)?, ty),
            Expr::Prim(p) => Node::leaf(self.tables.known_prim(p)?, ty),
            Expr::Lit(l) => Node::leaf(self.tables.known_leaf(&Leaf::Lit(l.clone()))?, ty),
        })
    }

    /// The best member of a class, as a term.
    pub fn extract(&self, class: Id) -> Option<Term> {
        self.decoder().best(class)
    }

    /// Makes terms of nodes; for several terms of one graph use one decoder.
    pub fn decoder(&self) -> Decoder<'_> {
        let names = self.names_of_bodies.iter().rev();
        let names = names.map(|(body, name)| (self.find(*body), name.clone())).collect();
        Decoder { graph: self, names, memo: FxHashMap::default() }
    }
}

/// Makes terms of ids, each once.
pub struct Decoder<'g> {
    graph: &'g Graph,
    names: FxHashMap<Id, Name>,
    memo: FxHashMap<Id, Term>,
}

impl Decoder<'_> {
    /// The best member of a class.
    pub fn best(&mut self, class: Id) -> Option<Term> {
        self.term(self.graph.data(class).best().term)
    }

    /// The best member of a class as the function of an application.
    pub fn head(&mut self, class: Id) -> Option<Term> {
        self.term(self.graph.data(class).head().term)
    }

    /// The best abstraction of a class, or the best other member.
    pub fn best_of_kind(&mut self, class: Id, lambda: bool) -> Option<Term> {
        let data = self.graph.data(class);
        let best: Option<Best> = if lambda { data.lambda() } else { data.plain() };
        self.term(best?.term)
    }

    /// The term that an id is.
    pub fn term(&mut self, id: Id) -> Option<Term> {
        self.nested(id, 0)
    }

    fn nested(&mut self, id: Id, depth: usize) -> Option<Term> {
        if let Some(done) = self.memo.get(&id) {
            return Some(done.clone());
        }
        if depth > MAX_NESTING {
            return None;
        }
        let node = self.graph.egraph.node(id);
        let term = match node.op.kind() {
            Kind::App => {
                let (f, e) = node.as_app()?;
                let f = self.nested(f, depth + 1)?;
                Term::app(f, self.nested(e, depth + 1)?)
            }
            Kind::Lam => {
                let body = self.nested(node.as_lam()?, depth + 1)?;
                self.abstraction(&node, body)?
            }
            Kind::Var(_) | Kind::Leaf(_) => self.atom(&node),
        };
        self.memo.insert(id, term.clone());
        Some(term)
    }

    /// The abstraction of a node, around a term for its body.
    pub fn abstraction(&self, node: &Node, body: Term) -> Option<Term> {
        let class = self.graph.find(node.as_lam()?);
        let (param, _) = self.graph.tables().as_fun(node.ty)?;
        let by_type = || match (self.graph.names_of_types.get(&param), self.graph.tables().row_of(param)) {
            (Some(name), _) => name.clone(),
            (None, TypeRow::Array(..)) => "xs".into(),
            (None, TypeRow::Pair(..)) => "p".into(),
            (None, TypeRow::Fun(..)) => "f".into(),
            (None, _) => "x".into(),
        };
        let name = self.names.get(&class).cloned().unwrap_or_else(by_type);
        Some(Term::lam(&name, self.graph.tables().ty_of(param), body))
    }

    /// The term of a node without children.
    pub fn atom(&self, node: &Node) -> Term {
        let ty = self.graph.tables().ty_of(node.ty);
        match node.op.kind() {
            Kind::Leaf(leaf) => match self.graph.tables().leaf_of(leaf) {
                Leaf::Lit(l) => Term::lit(l.clone()),
                Leaf::Prim(p, args) => {
                    let args = args.iter().map(|a| self.graph.tables().arg_of(*a)).collect();
                    let Prim { pattern, args } = Prim { pattern: *p, args };
                    Term::prim(pattern, args, ty)
                }
            },
            Kind::Var(i) => Term::var(i, ty),
            Kind::Lam | Kind::App => Term::var(0, Type::ill()),
        }
    }
}
