//! Named sizes of a sketch that are open: `containsMap(m/?t, containsMap(?t, …))` holds of a term if there is a size that
//! can be written for `?t` everywhere.
//!
//! Within a sketch such a hole is a size of a name that no size of a program has. Sizes are tried that make what is
//! said of a hole one of the sizes that occur: whatever else a hole might be, no type or argument would match it. Holes
//! are filled one after the other, those that are still open standing for any size meanwhile, so that hardly more is tried
//! than what holds.

use super::size_condition::Comparison;
use super::{ArgSketch, NatSketch, Shape, SizeCondition, Sketch, TypeSketch};
use crate::lang::constraint::SizeConstraint;
use crate::lang::infer::constraints_of;
use crate::lang::nat::{Name, Nat, NatVar, Solution, solve};
use crate::lang::term::{Arg, Expr, Term};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// Every program where it holds, else none.
fn said(condition: &SizeCondition) -> Shape {
    if condition.holds() { Shape::Any } else { Shape::Or(vec![]) }
}

/// What is written for each hole.
pub type Filling = Vec<(Name, Nat)>;

/// The size that stands for the hole `?name` within a sketch.
pub fn hole(name: &str) -> Nat {
    Nat::var(&format!("?{name}"))
}

fn is_hole(v: &NatVar) -> bool {
    matches!(v, NatVar::Named(n) if n.starts_with('?'))
}

/// The holes in a size.
pub fn holes_in(n: &Nat) -> Vec<Name> {
    let name = |v: NatVar| if let NatVar::Named(n) = v { Some(n) } else { None };
    n.vars().into_iter().filter(is_hole).filter_map(name).collect()
}

/// A size with others in the place of holes.
pub fn fill(n: &Nat, filling: &[(Name, Nat)]) -> Nat {
    n.subst(&|v| match v {
        NatVar::Named(name) => filling.iter().find(|(n, _)| n == name).map(|(_, size)| size.clone()),
        NatVar::Meta(_) | NatVar::Worker(_) => None,
    })
}

/// What to write for a size.
type Replace<'a> = &'a dyn Fn(&Nat) -> NatSketch;

impl NatSketch {
    fn map(&self, to: Replace) -> NatSketch {
        if let NatSketch::Is(n) = self { to(n) } else { NatSketch::Any }
    }
}

impl TypeSketch {
    fn map(&self, to: Replace) -> TypeSketch {
        use TypeSketch as T;
        let boxed = |t: &TypeSketch| Box::new(t.map(to));
        match self {
            T::Any | T::Scalar(_) | T::NatType => self.clone(),
            T::Index(n) => T::Index(n.map(to)),
            T::Vector(n, t) => T::Vector(n.map(to), boxed(t)),
            T::Array(n, t) => T::Array(n.map(to), boxed(t)),
            T::Pair(a, b) => T::Pair(boxed(a), boxed(b)),
            T::Fun(a, b) => T::Fun(boxed(a), boxed(b)),
        }
    }
}

impl Sketch {
    fn map_sizes(&self, to: Replace) -> Sketch {
        let each = |all: &[Sketch]| all.iter().map(|s| s.map_sizes(to)).collect();
        let arg =
            |a: &ArgSketch| if let ArgSketch::Nat(n) = a { ArgSketch::Nat(n.map(to)) } else { a.clone() };
        Sketch::new(match self.shape() {
            Shape::Any | Shape::Var(_) | Shape::Number(_) => return self.clone(),
            Shape::Pattern(p, args) => Shape::Pattern(*p, args.iter().map(arg).collect()),
            Shape::Lam(s) => Shape::Lam(s.map_sizes(to)),
            Shape::App(f, e) => Shape::App(f.map_sizes(to), e.map_sizes(to)),
            Shape::Contains(s) => Shape::Contains(s.map_sizes(to)),
            Shape::Or(all) => Shape::Or(each(all)),
            Shape::And(all) => Shape::And(each(all)),
            Shape::Not(s) => Shape::Not(s.map_sizes(to)),
            // What is said of sizes themselves asks for none.
            Shape::Sizes(_) => return self.clone(),
            Shape::Typed(s, t) => return Sketch::typed(s.map_sizes(to), t.map(to)),
            Shape::Named(label, s) => Shape::Named(label.clone(), s.map_sizes(to)),
        })
    }

    /// Calls `f` on every size that is asked for.
    pub fn each_size(&self, f: &mut dyn FnMut(&Nat)) {
        let f = std::cell::RefCell::new(f);
        self.map_sizes(&|n| {
            f.borrow_mut()(n);
            NatSketch::Is(n.clone())
        });
    }

    /// What is said of sizes with a hole in them, once for each place.
    fn open_sizes(&self) -> Vec<Nat> {
        let mut open = vec![];
        self.each_size(&mut |n| {
            if !holes_in(n).is_empty() {
                open.push(n.clone());
            }
        });
        open
    }

    /// The names of the holes, in the order in which they stand.
    pub fn holes(&self) -> Vec<Name> {
        let names: IndexSet<Name> = self.open_sizes().iter().flat_map(holes_in).collect();
        names.into_iter().collect()
    }

    /// With sizes in the place of holes. Where one is left, any size will do, so that the sketch says less than it did.
    pub fn filled(&self, filling: &[(Name, Nat)]) -> Sketch {
        self.decided(filling).map_sizes(&|n| {
            let n = fill(n, filling);
            if holes_in(&n).is_empty() { NatSketch::Is(n) } else { NatSketch::Any }
        })
    }

    /// With every program, or none, in the place of what is said of sizes without holes.
    #[must_use]
    pub fn without_decided(&self) -> Sketch {
        self.map_conditions(&|c| if c.holes().is_empty() { said(c) } else { Shape::Sizes(c.clone()) })
    }

    /// With every program, or none, in the place of what is said of sizes; every one, where a hole in it is open.
    #[must_use]
    pub fn decided(&self, filling: &[(Name, Nat)]) -> Sketch {
        self.map_conditions(&|c| {
            let c = c.map(&|n| fill(n, filling));
            if c.holes().is_empty() { said(&c) } else { Shape::Any }
        })
    }

    /// What is said of sizes, as it is where sizes have the values that they are given.
    #[must_use]
    pub fn said_at(&self, given: &dyn Fn(&Nat) -> Nat) -> Sketch {
        self.map_conditions(&|c| Shape::Sizes(c.map(given)))
    }

    fn map_conditions(&self, to: &dyn Fn(&SizeCondition) -> Shape) -> Sketch {
        if self.conditions().is_empty() { self.clone() } else { self.decide(to) }
    }

    fn decide(&self, to: &dyn Fn(&SizeCondition) -> Shape) -> Sketch {
        let each = |all: &[Sketch]| all.iter().map(|s| s.decide(to)).collect();
        Sketch::new(match self.shape() {
            Shape::Sizes(c) => to(c),
            Shape::Any | Shape::Var(_) | Shape::Number(_) | Shape::Pattern(..) => return self.clone(),
            Shape::Lam(s) => Shape::Lam(s.decide(to)),
            Shape::App(f, e) => Shape::App(f.decide(to), e.decide(to)),
            Shape::Contains(s) => Shape::Contains(s.decide(to)),
            Shape::Or(all) => Shape::Or(each(all)),
            Shape::And(all) => {
                let mut said: Vec<Sketch> = each(all);
                said.retain(|s| *s.shape() != Shape::Any);
                match (said.pop(), said.is_empty()) {
                    (None, _) => Shape::Any,
                    (Some(alone), true) => return alone,
                    (Some(last), false) => {
                        said.push(last);
                        Shape::And(said)
                    }
                }
            }
            Shape::Not(s) => Shape::Not(s.decide(to)),
            Shape::Typed(s, t) => return Sketch::typed(s.decide(to), t.clone()),
            Shape::Named(label, s) => Shape::Named(label.clone(), s.decide(to)),
        })
    }

    /// What is said of sizes, in order. Sketches of long chains are deeper than a stack of calls.
    fn conditions(&self) -> Vec<&SizeCondition> {
        let (mut found, mut left) = (vec![], vec![self]);
        while let Some(sketch) = left.pop() {
            if let Shape::Sizes(condition) = sketch.shape() {
                found.push(condition);
            }
            left.extend(sketch.children().into_iter().rev());
        }
        found
    }

    /// The holes in what is said of sizes.
    pub(super) fn holes_in_conditions(&self) -> Vec<Name> {
        self.conditions().into_iter().flat_map(SizeCondition::holes).collect()
    }

    /// The sizes that a hole has by what is said to be equal, with others in the place of the other holes.
    pub fn said_equal(&self, hole: &Name, filling: &[(Name, Nat)]) -> Vec<Nat> {
        let unknown = |v: &NatVar| matches!(v, NatVar::Named(n) if n == hole);
        let size = |condition: &SizeCondition| {
            let condition = condition.map(&|n| fill(n, filling));
            let SizeCondition::Compared(left, Comparison::Equal, right) = &condition else { return None };
            match solve(left, right, &unknown) {
                Solution::Bind(_, size) if holes_in(&size).is_empty() && !size.is_poison() => Some(size),
                _ => None,
            }
        };
        self.conditions().into_iter().filter_map(size).collect()
    }

    /// With any size in the place of a hole that stands alone and only there.
    pub(super) fn without_single_holes(self) -> Sketch {
        let open = self.open_sizes();
        let places = |hole: &Name| open.iter().filter(|n| holes_in(n).contains(hole)).count();
        let said = self.holes_in_conditions();
        let alone = |hole: &Name| places(hole) == 1 && !said.contains(hole);
        let is_single = |n: &Nat| holes_in(n).first().is_some_and(|h| *n == Nat::var(h) && alone(h));
        self.map_sizes(&|n| if is_single(n) { NatSketch::Any } else { NatSketch::Is(n.clone()) })
    }
}

/// Ways to fill the holes of a sketch so that it holds, at most so many, in the order of the sizes that occur.
pub fn solutions(
    sketch: &Sketch,
    occurring: &IndexSet<Nat>,
    most: usize,
    holds: &mut dyn FnMut(&Sketch) -> bool,
) -> Vec<Filling> {
    let mut search = Solutions {
        open: sketch.open_sizes(),
        holes: sketch.holes(),
        sketch,
        occurring,
        most,
        found: vec![],
    };
    search.go_on(&mut vec![], holds);
    search.found
}

struct Solutions<'a> {
    sketch: &'a Sketch,
    open: Vec<Nat>,
    holes: Vec<Name>,
    occurring: &'a IndexSet<Nat>,
    most: usize,
    found: Vec<Filling>,
}

impl Solutions<'_> {
    fn go_on(&mut self, filling: &mut Filling, holds: &mut dyn FnMut(&Sketch) -> bool) {
        let Some(hole) = self.holes.get(filling.len()).cloned() else {
            self.found.push(filling.clone());
            return;
        };
        for size in self.candidates(&hole, filling) {
            if self.found.len() >= self.most {
                return;
            }
            filling.push((hole.clone(), size));
            if holds(&self.sketch.filled(filling)) {
                self.go_on(filling, holds);
            }
            filling.pop();
        }
    }

    /// The sizes that make everything that is said of the hole alone a size that occurs.
    fn candidates(&self, hole: &Name, filling: &Filling) -> Vec<Nat> {
        let said: Vec<Nat> = self.open.iter().map(|n| fill(n, filling)).collect();
        let alone: Vec<&Nat> = said.iter().filter(|n| holes_in(n) == [hole.clone()]).collect();
        let unknown = |v: &NatVar| matches!(v, NatVar::Named(n) if n == hole);
        let Some(first) = alone.first() else { return self.occurring.iter().cloned().collect() };
        let solved = self.occurring.iter().filter_map(|n| match solve(first, n, &unknown) {
            Solution::Bind(_, size) if !size.is_poison() && size.as_constant() != Some(0) => Some(size),
            _ => None,
        });
        // That a size is whole is only assumed where it stands.
        let whole = |size: &Nat| divisions(size).is_empty() || self.occurring.contains(size);
        let sizes: IndexSet<Nat> = solved.filter(whole).collect();
        let occurs = |said: &Nat, size: &Nat| {
            let size = fill(said, &[(hole.clone(), size.clone())]);
            self.occurring.contains(&size)
        };
        sizes.into_iter().filter(|size| alone.iter().all(|said| occurs(said, size))).collect()
    }
}

/// What must hold for a size to be whole, where that is not evident.
fn divisions(n: &Nat) -> Vec<SizeConstraint> {
    let all = SizeConstraint::of_size(n).into_iter();
    all.filter(|c| matches!(c, SizeConstraint::Divides(..))).collect()
}

/// Are the sizes of holes whole numbers whenever the term makes sense?
pub fn are_whole(filling: &Filling, term: &Term) -> bool {
    let asked: Vec<SizeConstraint> = filling.iter().flat_map(|(_, n)| divisions(n)).collect();
    if asked.is_empty() {
        return true;
    }
    let assumed = constraints_of(term);
    let multiple = |b: &Nat, a: &Nat| match (b.as_constant(), a.as_constant()) {
        (Some(b), Some(a)) if a > 0 => b % a == 0,
        _ => a == b,
    };
    let follows = |c: &SizeConstraint| {
        assumed.iter().any(|known| match (known, c) {
            (SizeConstraint::Divides(b, n), SizeConstraint::Divides(a, m)) => n == m && multiple(b, a),
            _ => false,
        })
    };
    asked.iter().all(follows)
}

/// The sizes in the types and arguments of a term.
pub fn sizes_in(term: &Term) -> IndexSet<Nat> {
    let (mut out, mut seen, mut open) = (IndexSet::new(), FxHashSet::default(), vec![term]);
    while let Some(t) = open.pop() {
        if !seen.insert(t.digest()) {
            continue;
        }
        t.ty().for_each_nat(&mut |n| {
            out.insert(n.clone());
        });
        if let Expr::Prim(p) = t.expr() {
            out.extend(
                p.args.iter().filter_map(|a| if let Arg::Nat(n) = a { Some(n.clone()) } else { None }),
            );
        }
        open.extend(t.children());
    }
    out
}
