//! What is known while a rule is being proved: its sizes and how they lie, its functions of sizes, its operators.

use super::value::{Cases, Neutral, Value};
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Atom, Name, Nat, NatFun, NatVar, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind, TypeSubst};
use crate::rule::condition::Condition;
use crate::rule::equation::Equation;
use crate::rule::pat::{Pat, PatArg, PatNode};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Steps after which a proof is given up; those of the library need a few thousand.
const FUEL: u32 = 30_000;

pub(super) struct Context {
    pub eq: Equation,
    pub reassociates: bool,
    /// Every size variable of the rule as a number; those that may be zero are one less than a variable.
    sizes: Vec<Option<Nat>>,
    ranges: RefCell<Ranges>,
    fresh: Cell<u32>,
    fuel: Cell<u32>,
    /// Values of functions of sizes that have been named.
    named: RefCell<Vec<Named>>,
    /// What indices and truths are supposed to be.
    suppositions: RefCell<Vec<(Rc<Neutral>, Value)>>,
    /// The functions that `reorder` takes on the left, with their inverses, and what they permute.
    permutations: Vec<(u32, u32, Nat)>,
    /// What of the operators has been used.
    axioms: RefCell<BTreeSet<String>>,
}

/// The value of a function of sizes at a number.
struct Named {
    function: u32,
    at: Nat,
    value: Nat,
}

/// Where the rule's sizes are put in their places.
struct Sizes<'a>(&'a [Option<Nat>]);

impl TypeSubst for Sizes<'_> {
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        if let NatVar::Meta(i) = v { self.0.get(*i as usize)?.clone() } else { None }
    }
}

impl Context {
    pub fn new(eq: &Equation, params: &[u32], reassociates: bool) -> Context {
        let left = eq.sides.lhs.nodes();
        let functions: BTreeSet<u32> = left.iter().flat_map(|p| functions(p)).collect();
        // Programs have no array of no elements, and no negative size.
        let mut lengths: Vec<Nat> = vec![];
        let mut naturals: Vec<Nat> = vec![];
        for node in &left {
            node.ty.for_each_nat(&mut |n| lengths.push(n.clone()));
            naturals.extend(explicit(node));
            naturals.extend(left_over(node));
        }
        // What the left side calls has a value.
        for node in called(&eq.sides.lhs) {
            match (&node.node, explicit(node).as_slice()) {
                (PatNode::Prim(Pattern::Slide | Pattern::RotateValues, _), [_, step]) => {
                    lengths.push(step.clone());
                }
                (PatNode::Prim(Pattern::CircularBuffer, _), [alloc, size, step]) => {
                    lengths.push(step.clone());
                    naturals.push(alloc.sub(size));
                }
                _ => {}
            }
        }
        let one = Nat::constant(1);
        let is_positive = |i: u32| !eq.may_be_none(i, params);
        let mut sizes: Vec<Option<Nat>> = (0..eq.nats.len() as u32)
            .map(|i| {
                let name = Nat::var(&eq.nats[i as usize]);
                let size = if is_positive(i) { name } else { name.sub(&one) };
                (!functions.contains(&i)).then_some(size)
            })
            .collect();
        let (mut facts, mut quotients) = (vec![], 0);
        for c in &eq.conditions {
            let Condition::Size(c) = c else { continue };
            let here = |n: &Nat| n.subst(&|v| Sizes(&sizes).nat(v));
            match c {
                SizeConstraint::AtMost(a, b) => facts.push(b.sub(a)),
                SizeConstraint::Divides(by, n) => {
                    if let Some(NatVar::Meta(i)) = n.as_variable()
                        && is_positive(*i)
                        && sizes[*i as usize].as_ref().is_some_and(|n| n.as_variable().is_some())
                        && !here(by).vars().contains(&NatVar::Named(eq.nats[*i as usize].clone()))
                    {
                        quotients += 1;
                        let quotient = Nat::var(&format!("%q{quotients}"));
                        let product = here(by).mul(&quotient);
                        sizes[*i as usize] = Some(product.clone());
                        let name = eq.nats[*i as usize].clone();
                        for size in sizes.iter_mut().flatten() {
                            *size =
                                size.subst(&|v| (*v == NatVar::Named(name.clone())).then(|| product.clone()));
                        }
                    }
                }
                SizeConstraint::Equal(..) | SizeConstraint::Permutes(..) => {}
            }
        }
        facts.extend(lengths.iter().map(|n| n.sub(&one)));
        facts.extend(naturals);
        facts.extend(eq.needs.iter().cloned());
        // What is below the length of an array that a rule makes may be nothing.
        let mut ranges = Ranges::maybe_empty();
        for fact in facts {
            let fact = fact.subst(&|v| Sizes(&sizes).nat(v));
            // What holds of all sizes need not be kept.
            if !fact.has_metas() && !fact.is_natural(&ranges) {
                ranges.assume(&fact);
            }
        }
        let permutations = left
            .iter()
            .filter_map(|p| reordered(p))
            .map(|(n, f, g)| (f, g, n.subst(&|v| Sizes(&sizes).nat(v))));
        let permutations = permutations.collect();
        Context {
            eq: eq.clone(),
            reassociates,
            sizes,
            ranges: RefCell::new(ranges),
            fresh: Cell::new(0),
            fuel: Cell::new(FUEL),
            named: RefCell::default(),
            suppositions: RefCell::default(),
            permutations,
            axioms: RefCell::default(),
        }
    }

    /// The side with its sizes put in.
    pub fn settled(&self, p: &Pat) -> Pat {
        let all = |ps: &[Pat]| ps.iter().map(|p| self.settled(p)).collect();
        let boxed = |p: &Pat| Box::new(self.settled(p));
        let node = match &p.node {
            PatNode::Var(v, args) => PatNode::Var(*v, all(args)),
            PatNode::Lam(name, b) => PatNode::Lam(name.clone(), boxed(b)),
            PatNode::App(f, e) => PatNode::App(boxed(f), boxed(e)),
            PatNode::Prim(pattern, args) => {
                PatNode::Prim(*pattern, args.iter().map(|a| self.argument(a)).collect())
            }
            PatNode::Lit(l) => PatNode::Lit(l.map_sizes(&|n| self.size(n))),
            PatNode::Vectorise(n, v) => PatNode::Vectorise(self.size(n), *v),
            PatNode::Bound(i) => PatNode::Bound(*i),
        };
        Pat::new(node, self.ty(&p.ty))
    }

    fn argument(&self, a: &PatArg) -> PatArg {
        match a {
            PatArg::Nat(n) => PatArg::Nat(self.size(n)),
            PatArg::Fun(f) => PatArg::Fun(f.with_body(self.size(f.body()))),
            other => other.clone(),
        }
    }

    pub fn size(&self, n: &Nat) -> Nat {
        n.subst(&|v| Sizes(&self.sizes).nat(v))
    }

    pub fn ty(&self, t: &Type) -> Type {
        t.subst(&Sizes(&self.sizes))
    }

    /// Counts a step; false when there have been too many.
    pub fn step(&self) -> bool {
        let left = self.fuel.get().saturating_sub(1);
        self.fuel.set(left);
        left > 0
    }

    pub fn is_spent(&self) -> bool {
        self.fuel.get() == 0
    }

    fn number(&self) -> u32 {
        self.fresh.set(self.fresh.get() + 1);
        self.fresh.get()
    }

    /// An index below `n` of which nothing else is known.
    pub fn index(&self, n: &Nat) -> Nat {
        let name = Name::from(format!("%i{}", self.number()));
        self.ranges.borrow_mut().insert(name.clone(), Nat::constant(0), n.clone());
        Nat::variable(NatVar::Named(name))
    }

    /// The number of a variable that stands for nothing yet.
    pub fn variable(&self) -> u32 {
        self.number()
    }

    /// A value of the type of which nothing else is known.
    pub fn unknown(&self, ty: &Type) -> Value {
        Neutral::Fresh(self.number()).value(ty)
    }

    pub fn simplified(&self, n: &Nat) -> Nat {
        n.simplify(&self.ranges.borrow())
    }

    pub fn div(&self, a: &Nat, b: &Nat) -> Nat {
        let quotient = match before_multiple(a, b) {
            // Before a multiple is that of what it is before it, counted down.
            Some((whole, x)) => whole.sub(&one()).sub(&x.floor_div(b)),
            None => a.floor_div(b),
        };
        self.simplified(&quotient)
    }

    pub fn modulo(&self, a: &Nat, b: &Nat) -> Nat {
        let rest = match before_multiple(a, b) {
            Some((_, x)) => b.sub(&one()).sub(&x.modulo(b)),
            None => a.modulo(b),
        };
        self.simplified(&rest)
    }

    pub fn is_natural(&self, n: &Nat) -> bool {
        let ranges = self.ranges.borrow();
        n.is_natural(&ranges) || n.simplify(&ranges).is_natural(&ranges)
    }

    pub fn is_below(&self, a: &Nat, b: &Nat) -> bool {
        self.is_natural(&b.sub(a).sub(&Nat::constant(1)))
    }

    /// Are the numbers the same, whatever the sizes are?
    pub fn same(&self, a: &Nat, b: &Nat) -> bool {
        let difference = self.simplified(&a.sub(b));
        if difference.is_poison() {
            return false;
        }
        difference.is_zero()
            || (self.is_natural(&difference) && self.is_natural(&Nat::constant(0).sub(&difference)))
    }

    /// Which case it is, where that is known.
    pub fn decide(&self, c: &Cases) -> Option<bool> {
        if self.is_natural(&c.natural) {
            Some(true)
        } else if self.is_natural(&negative(&c.natural)) {
            Some(false)
        } else {
            None
        }
    }

    /// Does `f` hold in both cases?
    pub fn in_both(&self, natural: &Nat, f: &dyn Fn(bool) -> bool) -> bool {
        [true, false].into_iter().all(|case| {
            let before = self.ranges.borrow().clone();
            let fact = if case { natural.clone() } else { negative(natural) };
            let fact = self.simplified(&fact);
            self.ranges.borrow_mut().assume(&fact);
            let holds = f(case);
            self.ranges.borrow_mut().go_back(before);
            holds
        })
    }

    /// Does `f` hold where the index or truth is this?
    pub fn suppose(&self, what: &Rc<Neutral>, is: Value, f: &dyn Fn() -> bool) -> bool {
        self.suppositions.borrow_mut().push((what.clone(), is));
        let holds = f();
        self.suppositions.borrow_mut().pop();
        holds
    }

    /// What is supposed of an index or truth that is found.
    pub fn supposed(&self, is: &dyn Fn(&Neutral) -> bool) -> Option<Value> {
        let known = self.suppositions.borrow().clone();
        known.into_iter().find(|(n, _)| is(n)).map(|(_, value)| value)
    }

    /// The value of a function of sizes that is a variable of the rule.
    pub fn permuted(&self, n: &Nat, function: u32, at: &Nat) -> Option<Nat> {
        let (inverse, known) = self.permutations.iter().find_map(|(f, g, n)| match (*f, *g) {
            (f, g) if f == function => Some((g, n)),
            (f, g) if g == function => Some((f, n)),
            _ => None,
        })?;
        if !self.same(n, known) {
            return None;
        }
        let at = self.simplified(at);
        let found = self.named.borrow().iter().find_map(|known| {
            if known.function == function && known.at == at {
                Some(known.value.clone())
            } else if known.function == inverse && known.value == at {
                Some(known.at.clone())
            } else {
                None
            }
        });
        Some(found.unwrap_or_else(|| {
            let value = self.index(n);
            self.named.borrow_mut().push(Named { function, at, value: value.clone() });
            value
        }))
    }

    /// Does a `reorder` of these arguments read elements of its array alone?
    pub fn stays_inside(&self, args: &[PatArg]) -> bool {
        let [PatArg::Nat(n), PatArg::Fun(f), PatArg::Fun(_)] = args else { return false };
        let i = self.index(n);
        match function(f) {
            Some(f) => self.permuted(n, f, &i).is_some(),
            None => {
                let at = self.simplified(&f.apply(&i));
                self.is_natural(&at) && self.is_below(&at, n)
            }
        }
    }

    /// Are all divisions in the size by one or more?
    pub fn has_value(&self, n: &Nat) -> bool {
        let one_or_more = |n: &Nat| self.has_value(n) && self.is_natural(&n.sub(&Nat::constant(1)));
        n.terms().iter().flat_map(|(m, _)| m).all(|(atom, e)| match atom {
            // What is rounded down may be zero, and is no divisor.
            Atom::Floor(x, by) | Atom::Mod(x, by) => *e > 0 && self.has_value(x) && one_or_more(by),
            Atom::Sum(x) => one_or_more(x),
            Atom::Var(_) => true,
            Atom::Poison => false,
        })
    }

    pub fn used(&self, axiom: String) {
        self.axioms.borrow_mut().insert(axiom);
    }

    pub fn axioms(&self) -> Vec<String> {
        self.axioms.borrow().iter().cloned().collect()
    }

    /// The condition that says something of the variable.
    pub fn says(&self, is: impl Fn(&Condition) -> bool) -> bool {
        self.eq.conditions.iter().any(is)
    }

    pub fn name(&self, variable: usize) -> &str {
        &self.eq.vars[variable].name
    }
}

fn one() -> Nat {
    Nat::constant(1)
}

/// The number as `whole * by - 1 - x`, where it counts down from a multiple.
fn before_multiple(n: &Nat, by: &Nat) -> Option<(Nat, Nat)> {
    let mut whole = Nat::constant(0);
    let mut before = Nat::constant(-1);
    for (m, c) in n.terms() {
        let term = Nat::from_terms([(m.clone(), *c)]);
        let quotient = term.exact_div(by);
        match quotient.is_evidently_integral() && !quotient.is_poison() {
            true => whole = whole.add(&quotient),
            false => before = before.sub(&term),
        }
    }
    let counts_down = before.terms().iter().all(|(_, c)| *c.numer() > 0) && before.is_evidently_integral();
    (counts_down && !before.is_zero()).then_some((whole, before))
}

/// At least zero where `n` is not.
fn negative(n: &Nat) -> Nat {
    Nat::constant(-1).sub(n)
}

/// The sizes that a pattern is given.
fn explicit(p: &Pat) -> Vec<Nat> {
    let PatNode::Prim(_, args) = &p.node else { return vec![] };
    args.iter().filter_map(|a| if let PatArg::Nat(n) = a { Some(n.clone()) } else { None }).collect()
}

/// How many elements `take` leaves, which its type does not say.
pub(super) fn left_over(p: &Pat) -> Option<Nat> {
    match (&p.node, p.ty.as_fun()) {
        (PatNode::Prim(Pattern::Take, _), Some((all, some))) => {
            Some(all.as_array()?.0.sub(some.as_array()?.0))
        }
        _ => None,
    }
}

/// The patterns that are called whenever the side is: not those in what only one case needs, or maybe no step.
fn called(side: &Pat) -> Vec<&Pat> {
    let (mut head, mut given) = (side, vec![]);
    while let PatNode::App(f, e) = &head.node {
        given.push(&**e);
        head = f;
    }
    given.reverse();
    let calls_all = match &head.node {
        PatNode::Prim(Pattern::Select, _) => {
            given.truncate(1);
            false
        }
        PatNode::Prim(p, _) => p.is_map() || p.is_reduce(),
        _ => false,
    };
    let given = given.into_iter().filter(|e| calls_all || e.ty.as_fun().is_none());
    let mut out: Vec<&Pat> = given.flat_map(called).collect();
    match &head.node {
        PatNode::Prim(..) => out.push(head),
        PatNode::Lam(_, body) => out.extend(called(body)),
        _ => {}
    }
    out
}

/// The functions of sizes, variables of the rule, that a pattern takes.
fn functions(p: &Pat) -> Vec<u32> {
    let PatNode::Prim(_, args) = &p.node else { return vec![] };
    args.iter().filter_map(|a| if let PatArg::Fun(f) = a { function(f) } else { None }).collect()
}

/// The number of the function, where it is a variable of the rule.
pub(super) fn function(f: &NatFun) -> Option<u32> {
    if let Some(NatVar::Meta(i)) = f.body().as_variable() { Some(*i) } else { None }
}

/// What a `reorder` permutes by functions that are variables: these and the length.
fn reordered(p: &Pat) -> Option<(Nat, u32, u32)> {
    match &p.node {
        PatNode::Prim(Pattern::Reorder, args) => match args.as_slice() {
            [PatArg::Nat(n), PatArg::Fun(f), PatArg::Fun(g)] => Some((n.clone(), function(f)?, function(g)?)),
            _ => None,
        },
        _ => None,
    }
}

/// Lanes of a value: of a vector its own, of a pair those of its components.
pub(super) fn lane(x: &Value, ty: &Type, l: &Nat) -> Value {
    match ty.kind() {
        TypeKind::Pair(a, b) => Value::pair(lane(&x.first(), a, l), lane(&x.second(), b, l)),
        _ => x.at(l),
    }
}
