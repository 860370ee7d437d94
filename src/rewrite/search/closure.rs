//! Why two terms are equal: congruence closure on terms, with proofs ([`times`](crate::egraph::times)). Equations
//! between terms go in one by one, and each union remembers what it was for.

use crate::egraph::times::{Split, Times};
use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;
use rustc_hash::FxHashMap;

/// A term, by number.
pub type Node = u32;

/// A proof longer than this is not written out.
const MAX_STEPS: usize = 20_000;
/// So many parts of a proof are looked at, with those that undo each other.
const MAX_WORK: usize = 100 * MAX_STEPS;
/// The outside is asked after so many.
const POLL: usize = 256;

/// Terms and the equations between them.
#[derive(Default)]
pub struct Closure {
    terms: Vec<Term>,
    known: FxHashMap<Term, Node>,
    /// Function and argument, or body twice.
    children: Vec<Option<(Node, Node)>>,
    parents: Vec<Vec<Node>>,
    times: Times,
    rank: Vec<u32>,
    unions: Vec<Union>,
    /// Applications and abstractions, those with their types, by the classes of their children.
    signatures: FxHashMap<(Option<Type>, Node, Node), Node>,
}

#[derive(Clone, Copy)]
struct Union {
    left: Node,
    right: Node,
    /// The equation; none for congruence.
    equation: Option<u32>,
}

/// One use of an equation, somewhere in a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewrite {
    pub at: Path,
    pub equation: u32,
    /// From right to left.
    pub reverse: bool,
}

/// Why there is no proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoProof {
    NotEqual,
    TooLong,
    Stopped,
}

impl Closure {
    /// Adds a term with its sub-terms.
    pub fn add(&mut self, term: &Term) -> Node {
        if let Some(node) = self.known.get(term) {
            return *node;
        }
        let children = match term.expr() {
            Expr::App(f, e) => Some((self.add(f), self.add(e))),
            Expr::Lam(_, b) => {
                let body = self.add(b);
                Some((body, body))
            }
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => None,
        };
        let node = self.terms.len() as Node;
        self.terms.push(term.clone());
        self.known.insert(term.clone(), node);
        self.children.push(children);
        self.parents.push(vec![]);
        self.times.push();
        self.rank.push(0);
        if let Some((f, e)) = children {
            let (f, e) = (self.find(f), self.find(e));
            self.parents[f as usize].push(node);
            if e != f {
                self.parents[e as usize].push(node);
            }
            let mut work = vec![];
            self.sign(node, &mut work);
            self.close(work);
        }
        node
    }

    /// Makes two terms equal by an equation.
    pub fn equate(&mut self, left: Node, right: Node, equation: u32) {
        let mut work = vec![];
        self.unite(Union { left, right, equation: Some(equation) }, &mut work);
        self.close(work);
    }

    fn find(&self, node: Node) -> Node {
        self.times.find(node)
    }

    fn close(&mut self, mut work: Vec<(Node, Node)>) {
        while let Some((left, right)) = work.pop() {
            self.unite(Union { left, right, equation: None }, &mut work);
        }
    }

    /// Enters a node by the classes of its children; what is already there is equal to it.
    fn sign(&mut self, node: Node, work: &mut Vec<(Node, Node)>) {
        let Some((f, e)) = self.children[node as usize] else { return };
        let term = &self.terms[node as usize];
        let lambda = matches!(term.expr(), Expr::Lam(..)).then(|| term.ty().clone());
        let key = (lambda, self.find(f), self.find(e));
        match self.signatures.get(&key) {
            Some(other) if *other != node => work.push((*other, node)),
            Some(_) => {}
            None => {
                self.signatures.insert(key, node);
            }
        }
    }

    fn unite(&mut self, union: Union, work: &mut Vec<(Node, Node)>) {
        let (mut a, mut b) = (self.find(union.left), self.find(union.right));
        if a == b {
            return;
        }
        let time = self.unions.len() as u32;
        self.unions.push(union);
        if self.rank[a as usize] < self.rank[b as usize] {
            std::mem::swap(&mut a, &mut b);
        }
        if self.rank[a as usize] == self.rank[b as usize] {
            self.rank[a as usize] += 1;
        }
        self.times.link(a, b, time);
        let parents = std::mem::take(&mut self.parents[b as usize]);
        for p in &parents {
            self.sign(*p, work);
        }
        self.parents[a as usize].extend(parents);
    }

    /// The rewrites that lead from one term to an equal one. Steps that undo the one before are left out, and proofs of
    /// one equality, wherever they stand, are the same or each other's reverse, so that they are left out whole.
    ///
    /// # Errors
    /// When they are not equal, the way is too long to be written out, or `poll` says to stop.
    pub fn explain(
        &self,
        from: Node,
        to: Node,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Rewrite>, NoProof> {
        let mut steps: Vec<Rewrite> = vec![];
        let mut open = vec![Part::Way { from, to, at: Path::root() }];
        for work in 0.. {
            let Some(part) = open.pop() else { break };
            if work > MAX_WORK || open.len() > MAX_WORK {
                return Err(NoProof::TooLong);
            }
            if work % POLL == 0 && poll() {
                return Err(NoProof::Stopped);
            }
            match part {
                Part::Way { from, to, .. } if from == to => {}
                Part::Way { from, to, at } => {
                    open.extend(self.split(from, to, &at).ok_or(NoProof::NotEqual)?.into_iter().rev());
                }
                Part::Step(step) if steps.last().is_some_and(|last| last.is_undone_by(&step)) => {
                    steps.pop();
                }
                Part::Step(step) => steps.push(step),
            }
        }
        if steps.len() > MAX_STEPS { Err(NoProof::TooLong) } else { Ok(steps) }
    }

    /// The way between two different terms: to one side of the union that made them equal, over it, and on.
    fn split(&self, from: Node, to: Node, at: &Path) -> Option<Vec<Part>> {
        let left = |time: u32| self.unions[time as usize].left;
        let Split { time, forwards } = self.times.split(from, to, &left)?;
        let Union { left, right, equation } = self.unions[time as usize];
        let (near, far) = if forwards { (left, right) } else { (right, left) };
        let mut parts = vec![Part::Way { from, to: near, at: at.clone() }];
        match equation {
            Some(equation) => {
                parts.push(Part::Step(Rewrite { at: at.clone(), equation, reverse: !forwards }));
            }
            None => {
                let (a, b) = (self.children[near as usize]?, self.children[far as usize]?);
                let lambda = matches!(self.terms[near as usize].expr(), Expr::Lam(..));
                let mut below = vec![Part::Way { from: a.0, to: b.0, at: at.child(0) }];
                if !lambda {
                    below.push(Part::Way { from: a.1, to: b.1, at: at.child(1) });
                }
                // The way back is the reverse of the way there.
                if !forwards {
                    below.reverse();
                }
                parts.extend(below);
            }
        }
        parts.push(Part::Way { from: far, to, at: at.clone() });
        Some(parts)
    }
}

/// What is still to be written of a way.
enum Part {
    Way { from: Node, to: Node, at: Path },
    Step(Rewrite),
}

impl Rewrite {
    fn is_undone_by(&self, next: &Rewrite) -> bool {
        self.at == next.at && self.equation == next.equation && self.reverse != next.reverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;

    fn v(i: u32) -> Term {
        Term::var(i, Type::f32())
    }

    fn walk(c: &Closure, equations: &[(Term, Term)], from: &Term, steps: &[Rewrite]) -> Term {
        let mut t = from.clone();
        for s in steps {
            let (l, r) = &equations[s.equation as usize];
            let (before, after) = if s.reverse { (r, l) } else { (l, r) };
            assert_eq!(t.at(&s.at), Some(before));
            t = t.replace_at(&s.at, after.clone()).unwrap();
        }
        let _ = c;
        t
    }

    #[test]
    fn equal_terms_have_a_proof_that_can_be_walked() {
        let f = |x: Term| b::neg(x).unwrap();
        // f (f (f x0)) = x0, f (f (f (f (f x0)))) = x0: so f x0 = x0.
        let three = f(f(f(v(0))));
        let five = f(f(three.clone()));
        let equations = [(three, v(0)), (five, v(0))];
        let mut c = Closure::default();
        for (i, (l, r)) in equations.iter().enumerate() {
            let (l, r) = (c.add(l), c.add(r));
            c.equate(l, r, i as u32);
        }
        let (one, x) = (c.add(&f(v(0))), c.add(&v(0)));
        let steps = c.explain(one, x, &mut || false).unwrap();
        assert_eq!(walk(&c, &equations, &f(v(0)), &steps), v(0));
        let y = c.add(&v(1));
        assert_eq!(c.explain(one, y, &mut || false), Err(NoProof::NotEqual));
    }

    #[test]
    fn what_is_added_after_a_union_follows_later_ones() {
        let f = |x: Term| b::neg(x).unwrap();
        let mut c = Closure::default();
        let [x, y, z] = [0, 1, 2].map(|i| c.add(&v(i)));
        c.equate(x, y, 0);
        // One of the two is no longer what stands for both.
        let (fx, fy, fz) = (c.add(&f(v(0))), c.add(&f(v(1))), c.add(&f(v(2))));
        c.equate(y, z, 1);
        assert!(c.explain(fx, fz, &mut || false).is_ok() && c.explain(fy, fz, &mut || false).is_ok());
    }

    #[test]
    fn equalities_go_under_binders() {
        let f = |x: Term| b::neg(x).unwrap();
        let mut c = Closure::default();
        let equations = [(f(v(0)), v(0))];
        let (l, r) = (c.add(&equations[0].0), c.add(&equations[0].1));
        c.equate(l, r, 0);
        let from = Term::lam("x", Type::f32(), b::add(f(f(v(0))), v(0)).unwrap());
        let to = Term::lam("x", Type::f32(), b::add(v(0), f(v(0))).unwrap());
        let (a, z) = (c.add(&from), c.add(&to));
        let steps = c.explain(a, z, &mut || false).unwrap();
        assert_eq!(walk(&c, &equations, &from, &steps), to);
        assert_eq!(steps.len(), 3);
    }

    #[test]
    fn a_long_way_is_written_once_and_can_be_stopped() {
        let mut c = Closure::default();
        let long = MAX_STEPS as u32;
        let nodes: Vec<Node> = (0..=long + 1).map(|i| c.add(&v(i))).collect();
        for i in 0..long + 1 {
            c.equate(nodes[i as usize], nodes[i as usize + 1], i);
        }
        let (first, last) = (nodes[0], nodes[long as usize]);
        let there = c.explain(first, last, &mut || false).unwrap();
        assert!(there.iter().map(|s| s.equation).eq(0..long) && there.iter().all(|s| !s.reverse));
        let back = c.explain(last, first, &mut || false).unwrap();
        assert!(back.iter().map(|s| s.equation).eq((0..long).rev()) && back.iter().all(|s| s.reverse));
        assert_eq!(c.explain(first, nodes[long as usize + 1], &mut || false), Err(NoProof::TooLong));
        let mut polls = 0;
        let mut stop = || {
            polls += 1;
            polls > 3
        };
        assert_eq!(c.explain(first, last, &mut stop), Err(NoProof::Stopped));
        assert_eq!(polls, 4);
    }

    #[test]
    fn functions_of_different_types_are_different() {
        let mut c = Closure::default();
        let [one, two] = [Type::f32(), Type::pair(Type::f32(), Type::f32())]
            .map(|ty| c.add(&Term::lam("x", ty, b::f32(1.0))));
        assert_eq!(c.explain(one, two, &mut || false), Err(NoProof::NotEqual));
    }
}
