//! Why two terms are equal: congruence closure on terms, with proofs (Nieuwenhuis and Oliveras 2005, in the form
//! that recurses on time).
//!
//! Equations between terms go in one by one. Each union remembers when it happened and what it was for, and a
//! union-find without path compression tells when two terms became equal. The last union between two terms splits
//! the proof of their equality in two earlier ones, so proofs never go round in circles.

use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};
use rustc_hash::FxHashMap;

/// A term, by number.
pub type Node = u32;

/// A proof longer than this is not written out.
const MAX_STEPS: usize = 20_000;

/// Terms and the equations between them.
#[derive(Default)]
pub struct Closure {
    terms: Vec<Term>,
    known: FxHashMap<Term, Node>,
    /// Function and argument, or body twice.
    children: Vec<Option<(Node, Node)>>,
    parents: Vec<Vec<Node>>,
    /// Union-find: the parent, and the union that linked the node to it.
    link: Vec<Option<(Node, u32)>>,
    rank: Vec<u32>,
    unions: Vec<Union>,
    /// Applications and abstractions by the classes of their children.
    signatures: FxHashMap<(bool, Node, Node), Node>,
    memo: FxHashMap<(Node, Node), Option<Vec<Rewrite>>>,
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

/// No proof, or none of reasonable length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoProof;

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
        self.link.push(None);
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

    fn find(&self, mut node: Node) -> Node {
        while let Some((parent, _)) = self.link[node as usize] {
            node = parent;
        }
        node
    }

    fn close(&mut self, mut work: Vec<(Node, Node)>) {
        while let Some((left, right)) = work.pop() {
            self.unite(Union { left, right, equation: None }, &mut work);
        }
    }

    /// Enters a node by the classes of its children; what is already there is equal to it.
    fn sign(&mut self, node: Node, work: &mut Vec<(Node, Node)>) {
        let Some((f, e)) = self.children[node as usize] else { return };
        let lambda = matches!(self.terms[node as usize].expr(), Expr::Lam(..));
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
        self.link[b as usize] = Some((a, time));
        let parents = std::mem::take(&mut self.parents[b as usize]);
        for p in &parents {
            self.sign(*p, work);
        }
        self.parents[a as usize].extend(parents);
    }

    /// The union that made two different terms equal: the latest on the way between them.
    fn when(&self, a: Node, b: Node) -> Option<u32> {
        let chain = |mut n: Node| {
            let mut all = vec![(n, None)];
            while let Some((parent, time)) = self.link[n as usize] {
                all.push((parent, Some(time)));
                n = parent;
            }
            all
        };
        let (left, right) = (chain(a), chain(b));
        let meeting = left.iter().find(|(n, _)| right.iter().any(|(m, _)| n == m))?.0;
        let times = |chain: &[(Node, Option<u32>)]| {
            let upto = chain.iter().position(|(n, _)| *n == meeting).unwrap_or(0);
            chain[..=upto].iter().filter_map(|(_, t)| *t).max()
        };
        times(&left).max(times(&right))
    }

    /// The rewrites that lead from one term to an equal one.
    ///
    /// # Errors
    /// When they are not equal, or the way is too long to be written out.
    pub fn explain(&mut self, from: Node, to: Node) -> Result<Vec<Rewrite>, NoProof> {
        self.prove(from, to).ok_or(NoProof)
    }

    fn prove(&mut self, from: Node, to: Node) -> Option<Vec<Rewrite>> {
        if from == to {
            return Some(vec![]);
        }
        if let Some(done) = self.memo.get(&(from, to)) {
            return done.clone();
        }
        let proof = self.prove_anew(from, to);
        self.memo.insert((from, to), proof.clone());
        if let Some(steps) = &proof {
            let back = steps.iter().rev().map(|s| Rewrite { reverse: !s.reverse, ..s.clone() });
            self.memo.insert((to, from), Some(back.collect()));
        }
        proof
    }

    fn prove_anew(&mut self, from: Node, to: Node) -> Option<Vec<Rewrite>> {
        let time = self.when(from, to)?;
        let Union { left, right, equation } = self.unions[time as usize];
        // Which side of the union each term is on is known from before it.
        let forwards = from == left || self.when(from, left).is_some_and(|t| t < time);
        let (near, far) = if forwards { (left, right) } else { (right, left) };
        let mut steps = self.prove(from, near)?;
        match equation {
            Some(equation) => steps.push(Rewrite { at: Path::root(), equation, reverse: !forwards }),
            None => {
                let (a, b) = (self.children[near as usize]?, self.children[far as usize]?);
                let lambda = matches!(self.terms[near as usize].expr(), Expr::Lam(..));
                let below = |steps: Vec<Rewrite>, i: u8| {
                    let at = Path::root().child(i);
                    steps.into_iter().map(move |s| Rewrite { at: at.join(&s.at), ..s })
                };
                let first = self.prove(a.0, b.0)?;
                steps.extend(below(first, 0));
                if !lambda {
                    let second = self.prove(a.1, b.1)?;
                    steps.extend(below(second, 1));
                }
            }
        }
        steps.extend(self.prove(far, to)?);
        if steps.len() > MAX_STEPS {
            return None;
        }
        Some(without_detours(steps))
    }
}

/// Removes neighbouring steps that undo each other, again and again.
fn without_detours(steps: Vec<Rewrite>) -> Vec<Rewrite> {
    let mut out: Vec<Rewrite> = Vec::with_capacity(steps.len());
    for s in steps {
        match out.last() {
            Some(last) if last.at == s.at && last.equation == s.equation && last.reverse != s.reverse => {
                out.pop();
            }
            _ => out.push(s),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::ty::Type;

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
        let steps = c.explain(one, x).unwrap();
        assert_eq!(walk(&c, &equations, &f(v(0)), &steps), v(0));
        let y = c.add(&v(1));
        assert_eq!(c.explain(one, y), Err(NoProof));
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
        assert!(c.explain(fx, fz).is_ok() && c.explain(fy, fz).is_ok());
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
        let steps = c.explain(a, z).unwrap();
        assert_eq!(walk(&c, &equations, &from, &steps), to);
        assert_eq!(steps.len(), 3);
    }
}
