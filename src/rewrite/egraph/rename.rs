//! Renaming and substitution of variables, in the terms that stand for classes (thesis sections 5.4.1 and 5.4.2), or in
//! all members where the graph is to be thorough.
//!
//! A part in which nothing changes is returned itself, and with it all that equals it; only the path to a variable that
//! changes is built anew. So equalities of closed sub-terms survive substitution.

use super::analysis::Indices;
use super::congruence::EGraph;
use super::gaps::Gap;
use super::log::{Reason, Renamed};
use super::members::some_without;
use super::node::{Id, Kind, Node};
use super::{Graph, MAX_NESTING};
use crate::lang::term::{Expr, Term};
use rustc_hash::FxHashMap;

/// What becomes of one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    Index(u32),
    /// It must not occur.
    Gone,
    /// A term replaces it, which stands where the renamed term will stand.
    Term(Id),
}

/// What becomes of the free variables of a class: those below `local.len()` one by one, the others move by `shift`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Renaming {
    local: Vec<To>,
    shift: i32,
    /// The variables that change.
    changes: Indices,
}

impl Renaming {
    /// The variables below `local.len()` become what it says; those above move down or up to start at `outside`.
    pub fn new(local: Vec<To>, outside: u32) -> Renaming {
        let shift = i64::from(outside) - local.len() as i64;
        let shift = i32::try_from(shift).unwrap_or(0);
        let mut changes = if shift == 0 { Indices::NONE } else { Indices::from(local.len() as u32) };
        for (i, to) in local.iter().enumerate() {
            if *to != To::Index(i as u32) {
                changes = changes.union(Indices::one(i as u32));
            }
        }
        Renaming { local, shift, changes }
    }

    /// Every variable moves up.
    pub fn shift_up(by: u32) -> Renaming {
        Renaming::new(vec![], by)
    }

    pub fn is_identity(&self) -> bool {
        self.changes.is_empty()
    }

    /// Does a variable become another one, and not only none?
    pub fn moves(&self) -> bool {
        let stays = |(i, to): (usize, &To)| matches!(to, To::Gone) || *to == To::Index(i as u32);
        self.shift != 0 || !self.local.iter().enumerate().all(stays)
    }

    /// The variables that change.
    pub fn changes(&self) -> Indices {
        self.changes
    }

    /// The variables that must not occur, in what stands under so many binders.
    fn gone(&self, binders: u32) -> Indices {
        let gone = (0..).zip(&self.local).filter(|(_, to)| matches!(to, To::Gone));
        let gone = gone.fold(Indices::NONE, |all, (i, _)| all.union(Indices::one(i)));
        (0..binders).fold(gone, |all, _| all.above_binder())
    }

    pub(super) fn of(&self, index: u32) -> To {
        match self.local.get(index as usize) {
            Some(to) => *to,
            None => index.checked_add_signed(self.shift).map_or(To::Gone, To::Index),
        }
    }
}

impl Renaming {
    /// Is `to` the class of what `from` becomes? Asked of the best member, without adding to the graph; a renaming
    /// that puts terms in the place of variables has no answer.
    pub(super) fn sends(&self, graph: &EGraph, from: Id, to: Id) -> bool {
        if !graph.data(from).free.meets(self.changes) {
            return from == to;
        }
        self.lookup(graph, graph.data(from).best().term, Position::of(self.changes)) == Some(to)
    }

    fn lookup(&self, graph: &EGraph, id: Id, at: Position) -> Option<Id> {
        if !graph.data(id).free.meets(at.changes) {
            return Some(graph.find(id));
        }
        if at.depth > MAX_NESTING {
            return None;
        }
        let node = graph.node(id);
        match node.op.kind() {
            Kind::Leaf(_) => Some(graph.find(id)),
            Kind::Var(i) if i < at.binders => Some(graph.find(id)),
            Kind::Var(i) => match self.of(i - at.binders) {
                To::Index(j) => graph.lookup(Node::var(j.checked_add(at.binders)?, node.ty)),
                To::Gone | To::Term(_) => None,
            },
            Kind::Lam => {
                let body = self.lookup(graph, node.as_lam()?, at.below_binder())?;
                graph.lookup(Node::lam(body, node.ty))
            }
            Kind::App => {
                let (f, e) = node.as_app()?;
                let f = self.lookup(graph, f, at.below())?;
                let e = self.lookup(graph, e, at.below())?;
                graph.lookup(Node::app(f, e, node.ty))
            }
        }
    }

    /// The renaming, of a term that stands under so many binders; `terms` are what ids stand for.
    pub fn of_term(&self, t: &Term, binders: u32, terms: &dyn Fn(Id) -> Option<Term>) -> Option<Term> {
        match t.expr() {
            Expr::Var(i) if *i < binders => Some(t.clone()),
            Expr::Var(i) => match self.of(i - binders) {
                To::Index(j) => Some(Term::var(j.checked_add(binders)?, t.ty().clone())),
                To::Gone => None,
                To::Term(id) => Some(terms(id)?.shift_up(binders)),
            },
            Expr::Lam(_, body) => Some(t.with_children(vec![self.of_term(body, binders + 1, terms)?])),
            Expr::App(f, e) => {
                Some(Term::app(self.of_term(f, binders, terms)?, self.of_term(e, binders, terms)?))
            }
            Expr::Prim(_) | Expr::Lit(_) => Some(t.clone()),
        }
    }
}

/// Where a part stands in the term that is being renamed, and the variables that change there.
#[derive(Clone, Copy)]
struct Position {
    binders: u32,
    depth: usize,
    changes: Indices,
}

impl Position {
    fn of(changes: Indices) -> Position {
        Position { binders: 0, depth: 0, changes }
    }
    fn below(self) -> Position {
        Position { depth: self.depth + 1, ..self }
    }
    fn below_binder(self) -> Position {
        Position { binders: self.binders + 1, depth: self.depth + 1, changes: self.changes.above_binder() }
    }
}

/// So many nodes are renamed for one match, where all members are.
const MOST_NODES: usize = 5_000;

/// One renaming of a term and of what is below it.
#[derive(Default)]
struct Walk {
    /// What a part under so many binders becomes.
    memo: FxHashMap<(Id, u32), Id>,
    /// What was renamed, in order, with where it stands and what it became.
    visited: Vec<(Id, Position, Id)>,
}

impl Graph {
    /// The renamed term, or one that equals it; none when a variable occurs that must not, or the term grows out of
    /// bounds.
    pub fn rename(&mut self, id: Id, renaming: &Renaming) -> Option<Id> {
        if !self.data(id).free.meets(renaming.changes) {
            return Some(id);
        }
        // What is equal after a renaming is so because these very terms are.
        let exact = self.exact;
        self.exact |= self.thorough;
        let mut walk = Walk::default();
        let out = self.rename_under(id, Position::of(renaming.changes), renaming, &mut walk);
        if self.thorough && out.is_some() {
            self.rename_others(renaming, &mut walk);
        }
        self.exact = exact;
        out
    }

    fn rename_under(&mut self, id: Id, at: Position, renaming: &Renaming, walk: &mut Walk) -> Option<Id> {
        if !self.data(id).free.meets(at.changes) {
            return Some(id);
        }
        let key = (id, at.binders);
        if let Some(done) = walk.memo.get(&key) {
            return Some(*done);
        }
        if at.depth > MAX_NESTING {
            self.gaps.note(Gap::Nesting, 0);
            return None;
        }
        let node = self.egraph.node(id);
        let out = match node.op.kind() {
            Kind::Leaf(_) => id,
            Kind::Var(i) if i < at.binders => id,
            Kind::Var(i) => match renaming.of(i - at.binders) {
                To::Index(j) => {
                    let moved = j.checked_add(at.binders)?;
                    if self.thorough && self.highest.is_some_and(|highest| moved > highest.max(i)) {
                        self.gaps.some_members(Gap::Substituted);
                        return None;
                    }
                    self.var(moved, node.ty)?
                }
                To::Gone => return None,
                // A class that does not depend on a variable may have members that mention it, for the sake of a binder
                // of another type around it elsewhere: they mean nothing here.
                To::Term(replacement) if self.ty(replacement) != node.ty => {
                    self.gaps.some_members(Gap::Substituted);
                    return None;
                }
                To::Term(replacement) => self.rename(replacement, &Renaming::shift_up(at.binders))?,
            },
            Kind::Lam => {
                let body = self.rename_under(node.as_lam()?, at.below_binder(), renaming, walk)?;
                self.lam_again(node.ty, body)?
            }
            Kind::App => {
                let (f, e) = node.as_app()?;
                let f = self.rename_under(f, at.below(), renaming, walk)?;
                let e = self.rename_under(e, at.below(), renaming, walk)?;
                self.app(f, e)?
            }
        };
        walk.memo.insert(key, out);
        if self.thorough {
            walk.visited.push((id, at, out));
        }
        Some(out)
    }

    /// Every member of every class that was renamed becomes a member of the result.
    fn rename_others(&mut self, renaming: &Renaming, walk: &mut Walk) {
        let mut results: FxHashMap<(Id, u32), (Id, Id)> = FxHashMap::default();
        let (mut next, mut work) = (0, 0);
        while let Some((id, at, out)) = walk.visited.get(next).copied() {
            next += 1;
            let class = self.find(id);
            if let Some((other, there)) = results.insert((class, at.binders), (id, out)) {
                self.join_renamed((other, id), (there, out), renaming, at.binders);
                continue;
            }
            let at = Position { depth: 0, ..at };
            for node in self.nodes(class).collect::<Vec<_>>() {
                work += 1;
                if work > MOST_NODES || self.room.is_some_and(|room| self.ids() > room) {
                    self.gaps.some_members(Gap::Substituted);
                    return;
                }
                let Some(member) = self.lightest_without(node, renaming.gone(at.binders)) else { continue };
                // Between a union and a rebuild a node may not be found; the next iteration sees to it.
                if self.find(member) != self.find(id) {
                    continue;
                }
                if let Some(same) = self.rename_under(member, at, renaming, walk) {
                    self.join_renamed((id, member), (out, same), renaming, at.binders);
                }
            }
        }
    }

    fn join_renamed(&mut self, of: (Id, Id), (a, b): (Id, Id), renaming: &Renaming, binders: u32) {
        if self.find(a) != self.find(b) {
            let number = self.egraph.log.renamed.len() as u32;
            self.egraph.log.renamed.push(Renamed { of, renaming: renaming.clone(), binders });
            self.join(a, b, Reason::Renamed(number));
        }
    }

    /// The term of a node around the terms that stand for its children, or where one of those mentions what must not
    /// occur, around another of the child's members that does not; none where there is none.
    fn lightest_without(&mut self, node: Node, gone: Indices) -> Option<Id> {
        let inside = if node.is_lam() { gone.above_binder() } else { gone };
        let mut children = vec![];
        for (i, child) in node.children().iter().enumerate() {
            let data = self.egraph.data(*child);
            let best = if i == 0 && node.as_app().is_some() { data.head() } else { data.best() }.term;
            if !self.mentions(best, inside, 0) {
                children.push(best);
                continue;
            }
            let Some(found) = some_without(&self.egraph, *child, inside) else {
                self.gaps.some_members(Gap::Mentions);
                return None;
            };
            children.push(self.add_member(&found?));
        }
        let mut children = children.into_iter();
        Some(self.egraph.add_exactly(node.map_children(|c| children.next().unwrap_or(c))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::ty::Type;

    #[test]
    fn a_member_is_renamed_around_parts_without_the_variable_that_goes() {
        let v = |i: u32| Term::var(i, Type::f32());
        let neg = |t: Term| b::neg(t).unwrap();
        let twice = |t: Term| b::add(t.clone(), t).unwrap();
        let mut graph = Graph::new();
        let mut equal = |left: &Term, right: &Term| {
            let [left, right] = [left, right].map(|t| graph.encode(t).unwrap());
            graph.union(left, right, Reason::Rule(0));
            graph.rebuild();
            left
        };
        // The lightest part mentions the variable that goes; another does not.
        equal(&neg(v(0)), &neg(neg(neg(v(1)))));
        let whole = equal(&twice(neg(v(1))), &twice(twice(neg(v(0)))));
        graph.thorough = true;
        let out = graph.rename(whole, &Renaming::new(vec![To::Gone], 0)).unwrap();
        graph.rebuild();
        let [plain, other] =
            [twice(neg(v(0))), twice(twice(neg(neg(neg(v(0))))))].map(|t| graph.encode(&t).unwrap());
        assert_eq!(graph.find(out), graph.find(plain));
        assert_eq!(graph.find(out), graph.find(other));
    }
}
