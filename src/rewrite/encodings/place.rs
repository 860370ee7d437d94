//! Right sides: what the variables of a rule stand for, put in their places by one of two kinds of substitution, with
//! names or with De Bruijn indices.

use super::node::{Constants, Graph, Kind, Node};
use super::rule::{Hole, Match, Rule, Side};
use egg::{Id, Language};
use rustc_hash::FxHashMap;

/// Larger terms are not taken from a class to be substituted in.
const LARGEST: u32 = 100_000;

/// Fresh names: a function of the class that a rule matched, so that one that matches again makes the same terms.
#[derive(Default)]
pub struct Names {
    known: FxHashMap<(Id, u32), u32>,
    next: u32,
}

impl Names {
    /// A name that no other call gave.
    pub fn new_name(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn of(&mut self, class: Id, number: u32) -> u32 {
        if let Some(name) = self.known.get(&(class, number)) {
            return *name;
        }
        let name = self.new_name();
        self.known.insert((class, number), name);
        name
    }

    /// The first name of a class that is not taken.
    pub fn fresh(&mut self, class: Id, taken: &dyn Fn(u32) -> bool) -> u32 {
        let mut number = 0;
        loop {
            let name = self.of(class, number);
            if !taken(name) {
                return name;
            }
            number += 1;
        }
    }
}

pub struct Builder<'g> {
    pub graph: &'g mut Graph,
    pub constants: &'g mut Constants,
    pub names: &'g mut Names,
    /// Substitution is left to rules, rather than carried out on the smallest terms of classes.
    pub explicit: bool,
}

/// What takes the place of a variable: a class, and at which depth it was made.
#[derive(Clone, Copy)]
enum Value {
    Index(u32),
    Class(Id),
}

/// How indices change: those below `from` are of binders that are left, the others move from `from` to `to`.
struct Move<'v> {
    from: u32,
    to: u32,
    values: &'v [(u32, Value)],
}

impl Builder<'_> {
    /// The right side of a rule; none when a term would be too large.
    pub fn right(&mut self, rule: &Rule, m: &Match) -> Option<Id> {
        let mut names = vec![0; rule.binders.1];
        self.side(&rule.right, m, &mut vec![], &mut names)
    }

    fn named(&self) -> bool {
        self.graph.analysis.named
    }

    fn side(&mut self, side: &Side, m: &Match, above: &mut Vec<usize>, names: &mut Vec<u32>) -> Option<Id> {
        let node = match side {
            Side::Hole(v, args) => {
                let hole = m.holes[*v].as_ref()?;
                return if self.named() {
                    self.hole_by_name(hole, args, m, above, names)
                } else {
                    self.hole_by_index(hole, args, m, above, names)
                };
            }
            Side::Bound(b) if self.named() => Node::leaf(Kind::Var(names[*b])),
            Side::Bound(b) => Node::leaf(Kind::Var(index(above, *b))),
            Side::Lam(b, body) => {
                let name = if self.named() { self.name_for(*b, body, m, above, names) } else { 0 };
                names[*b] = name;
                above.push(*b);
                let body = self.side(body, m, above, names);
                above.pop();
                Node::one(Kind::Lam(name), body?)
            }
            Side::App(f, e) => {
                let function = self.side(f, m, above, names)?;
                Node::two(Kind::App, function, self.side(e, m, above, names)?)
            }
            Side::Pattern(..) | Side::Literal(_) => {
                let number = self.constants.number(m.constant(side)?);
                Node::leaf(Kind::Constant(number))
            }
        };
        Some(self.graph.add(node))
    }

    /// The name of a binder of the right side: that of the binder of the left side whose variable it binds, if nothing
    /// else would be captured; else a fresh one.
    fn name_for(&mut self, binder: usize, body: &Side, m: &Match, above: &[usize], names: &[u32]) -> u32 {
        let mut inside = vec![];
        holes(body, &mut inside);
        let is_it = |arg: &Side| matches!(arg, Side::Bound(b) if *b == binder);
        let mut wanted: Vec<u32> = vec![];
        for (v, args) in &inside {
            let Some(hole) = &m.holes[*v] else { continue };
            let of_it = hole.scope.iter().zip(args.iter()).filter(|(_, arg)| is_it(arg));
            wanted.extend(of_it.map(|(left, _)| m.names[*left]));
        }
        let graph = &self.graph;
        let captured = |name: u32| {
            let outer = above.iter().any(|b| names[*b] == name && mentions(body, *b));
            outer
                || inside.iter().filter_map(|(v, args)| Some((m.holes[*v].as_ref()?, args))).any(
                    |(hole, args)| {
                        let given =
                            hole.scope.iter().zip(args.iter()).any(|(left, _)| m.names[*left] == name);
                        !given && graph[graph.find(hole.class)].data.free.has(name)
                    },
                )
        };
        match wanted.split_first() {
            Some((name, others)) if others.iter().all(|o| o == name) && !captured(*name) => *name,
            _ => self.names.fresh(m.class, &captured),
        }
    }

    fn hole_by_name(
        &mut self,
        hole: &Hole,
        args: &[Side],
        m: &Match,
        above: &mut Vec<usize>,
        names: &mut Vec<u32>,
    ) -> Option<Id> {
        let mut values = vec![];
        for (left, arg) in hole.scope.iter().zip(args) {
            let name = m.names[*left];
            let same = matches!(arg, Side::Bound(b) if names[*b] == name);
            if !same && self.graph[self.graph.find(hole.class)].data.free.has(name) {
                values.push((name, self.side(arg, m, above, names)?));
            }
        }
        if !self.explicit {
            return self.substituted(hole.class, &values);
        }
        // Several at once: through fresh names, so that no value is substituted into another.
        let mut out = hole.class;
        let mut late = vec![];
        for (name, value) in values.iter().copied() {
            let value = if values.len() == 1 {
                value
            } else {
                let between = self.names.new_name();
                late.push((between, value));
                self.graph.add(Node::leaf(Kind::Var(between)))
            };
            out = self.graph.add(Node::two(Kind::Subst(name), out, value));
        }
        for (name, value) in late {
            out = self.graph.add(Node::two(Kind::Subst(name), out, value));
        }
        Some(out)
    }

    fn hole_by_index(
        &mut self,
        hole: &Hole,
        args: &[Side],
        m: &Match,
        above: &mut Vec<usize>,
        names: &mut Vec<u32>,
    ) -> Option<Id> {
        let (from, to) = (hole.above.len() as u32, above.len() as u32);
        let mut values: Vec<(u32, Value)> = vec![];
        for (left, arg) in hole.scope.iter().zip(args) {
            let value = match arg {
                Side::Bound(b) => Value::Index(index(above, *b)),
                _ => Value::Class(self.side(arg, m, above, names)?),
            };
            values.push((index(&hole.above, *left), value));
        }
        values.sort_by_key(|(i, _)| *i);
        let stays = |(i, v): &(u32, Value)| matches!(v, Value::Index(j) if i == j);
        if from == to && values.iter().all(stays) {
            return Some(hole.class);
        }
        if self.explicit {
            return Some(self.moved_explicitly(hole.class, from, to, &values));
        }
        self.moved(hole.class, 0, &Move { from, to, values: &values }, &mut FxHashMap::default())
    }

    /// By `φ` and `σ` of the λs-calculus, which rules carry out.
    fn moved_explicitly(&mut self, class: Id, from: u32, to: u32, values: &[(u32, Value)]) -> Id {
        let mut out = class;
        for i in (0..from).rev().filter(|i| values.iter().all(|(j, _)| i != j)) {
            out = self.graph.add(Node::one(Kind::Shift(-1, i + 1), out));
        }
        let kept = values.len() as u32;
        let stays = |(i, (_, v)): (usize, &(u32, Value))| matches!(v, Value::Index(j) if i as u32 == *j);
        if kept <= to && values.iter().enumerate().all(stays) {
            return self.shift_explicitly(out, (to - kept) as i32, kept);
        }
        out = self.shift_explicitly(out, to as i32, kept);
        for (done, (_, value)) in values.iter().enumerate() {
            let value = match value {
                Value::Index(i) => self.graph.add(Node::leaf(Kind::Var(*i))),
                Value::Class(class) => *class,
            };
            let value = self.shift_explicitly(value, (kept - 1) as i32 - done as i32, 0);
            out = self.graph.add(Node::two(Kind::Subst(0), out, value));
        }
        out
    }

    fn shift_explicitly(&mut self, class: Id, by: i32, cutoff: u32) -> Id {
        if by == 0 { class } else { self.graph.add(Node::one(Kind::Shift(by, cutoff), class)) }
    }

    /// The smallest term of a class with its indices moved, below `depth` binders of its own.
    fn moved(
        &mut self,
        class: Id,
        depth: u32,
        by: &Move<'_>,
        memo: &mut FxHashMap<(Id, u32), Id>,
    ) -> Option<Id> {
        let class = self.graph.find(class);
        if let Some(done) = memo.get(&(class, depth)) {
            return Some(*done);
        }
        let known = &self.graph[class].data;
        if (depth..64).all(|i| !known.free.has(i)) {
            return Some(class);
        }
        if known.size > LARGEST {
            return None;
        }
        let node = known.best.clone();
        let part = |i: usize| node.children()[i];
        let new = match node.kind {
            Kind::Var(i) if i < depth => return Some(class),
            Kind::Var(i) if i - depth >= by.from => Node::leaf(Kind::Var(i - by.from + by.to)),
            Kind::Var(i) => match by.values.iter().find(|(j, _)| *j == i - depth)?.1 {
                Value::Index(j) => Node::leaf(Kind::Var(j + depth)),
                Value::Class(value) => {
                    let up = Move { from: 0, to: depth, values: &[] };
                    return self.moved(value, 0, &up, &mut FxHashMap::default());
                }
            },
            Kind::Constant(_) => return Some(class),
            Kind::App => {
                let function = self.moved(part(0), depth, by, memo)?;
                Node::two(Kind::App, function, self.moved(part(1), depth, by, memo)?)
            }
            Kind::Lam(x) => Node::one(Kind::Lam(x), self.moved(part(0), depth + 1, by, memo)?),
            // Where substitution is not explicit there are none.
            Kind::Subst(_) | Kind::Shift(..) => return None,
        };
        let new = self.graph.add(new);
        memo.insert((class, depth), new);
        Some(new)
    }

    /// The smallest term of a class with its free names replaced, all at once.
    fn substituted(&mut self, class: Id, values: &[(u32, Id)]) -> Option<Id> {
        let class = self.graph.find(class);
        let known = &self.graph[class].data;
        let inside: Vec<(u32, Id)> =
            values.iter().copied().filter(|(name, _)| known.free.has(*name)).collect();
        if inside.is_empty() {
            return Some(class);
        }
        if known.size > LARGEST {
            return None;
        }
        let node = known.best.clone();
        let part = |i: usize| node.children()[i];
        let new = match node.kind {
            Kind::Var(x) => {
                return Some(inside.iter().find(|(name, _)| *name == x).map_or(class, |(_, v)| *v));
            }
            Kind::Constant(_) => return Some(class),
            Kind::App => {
                let function = self.substituted(part(0), &inside)?;
                Node::two(Kind::App, function, self.substituted(part(1), &inside)?)
            }
            Kind::Lam(x) => {
                let mut inner: Vec<(u32, Id)> = inside.into_iter().filter(|(name, _)| *name != x).collect();
                let name = self.uncaptured(class, x, part(0), &inner);
                if name != x {
                    inner.push((x, self.graph.add(Node::leaf(Kind::Var(name)))));
                }
                Node::one(Kind::Lam(name), self.substituted(part(0), &inner)?)
            }
            Kind::Subst(_) | Kind::Shift(..) => return None,
        };
        Some(self.graph.add(new))
    }

    /// The name of a binder around a body into which values are put: another one where it would capture.
    pub fn uncaptured(&mut self, class: Id, name: u32, body: Id, values: &[(u32, Id)]) -> u32 {
        let graph = &self.graph;
        let free = |class: Id, name: u32| graph[graph.find(class)].data.free.has(name);
        let captures = |name: u32| values.iter().any(|(x, value)| *x == name || free(*value, name));
        if captures(name) { self.names.fresh(class, &|n| captures(n) || free(body, n)) } else { name }
    }
}

/// The index of a binder below these.
fn index(above: &[usize], binder: usize) -> u32 {
    above.iter().rev().position(|b| *b == binder).unwrap_or(0) as u32
}

fn holes<'s>(side: &'s Side, out: &mut Vec<(usize, &'s [Side])>) {
    match side {
        Side::Hole(v, args) => {
            out.push((*v, args));
            args.iter().for_each(|a| holes(a, out));
        }
        Side::Lam(_, body) => holes(body, out),
        Side::App(f, e) => {
            holes(f, out);
            holes(e, out);
        }
        Side::Bound(_) | Side::Pattern(..) | Side::Literal(_) => {}
    }
}

fn mentions(side: &Side, binder: usize) -> bool {
    match side {
        Side::Bound(b) => *b == binder,
        Side::Hole(_, args) => args.iter().any(|a| mentions(a, binder)),
        Side::Lam(_, body) => mentions(body, binder),
        Side::App(f, e) => mentions(f, binder) || mentions(e, binder),
        Side::Pattern(..) | Side::Literal(_) => false,
    }
}
