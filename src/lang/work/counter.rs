//! A program read as what its values take to be read.
//!
//! Values are computed where something reads them, as code does: a `map` says what each of its elements takes, and views which
//! elements those of their results are. What goes to memory is computed as a whole as soon as something of it is read. A value
//! that is given a name counts once, however often it is read.

use super::tally::{Cost, Place, Reads, Tally};
use crate::build;
use crate::decided;
use crate::nat::Nat;
use crate::pattern::Pattern;
use crate::sort::{How, Sort, View};
use crate::term::{Arg, Expr, Prim, Term};
use crate::ty::{Scalar, Type, TypeKind};
use std::rc::Rc;

/// Terms that take more steps to read have no count.
const MAX_STEPS: u32 = 200_000;

#[derive(Clone)]
pub(super) enum Value<'t> {
    /// Takes nothing.
    Free,
    /// What lies at a place, however much of it is read.
    At(Place),
    /// So many elements, or lanes, that are all alike.
    Array(Nat, Rc<Value<'t>>),
    Pair(Rc<Value<'t>>, Rc<Value<'t>>),
    Closure(&'t Term, Env<'t>),
    /// A loop over a function that is given in part computes what it is given in each step.
    Partial(&'t Prim, &'t Type, Vec<Given<'t>>),
}

impl Value<'_> {
    fn array(n: &Nat, element: Self) -> Self {
        Value::Array(n.clone(), Rc::new(element))
    }
    fn pair(a: Self, b: Self) -> Self {
        Value::Pair(Rc::new(a), Rc::new(b))
    }
    fn element(&self) -> Self {
        if let Value::Array(_, element) = self { (**element).clone() } else { self.clone() }
    }
    fn first(&self) -> Self {
        if let Value::Pair(a, _) = self { (**a).clone() } else { self.clone() }
    }
    fn second(&self) -> Self {
        if let Value::Pair(_, b) = self { (**b).clone() } else { self.clone() }
    }
}

#[derive(Clone)]
pub(super) enum Given<'t> {
    Value(Value<'t>),
    Term(&'t Term, Env<'t>),
}

#[derive(Clone, Default)]
pub(super) struct Env<'t>(Option<Rc<(Value<'t>, Env<'t>)>>);

impl<'t> Env<'t> {
    fn with(&self, value: Value<'t>) -> Self {
        Env(Some(Rc::new((value, self.clone()))))
    }
    fn get(&self, index: u32) -> Option<Value<'t>> {
        let mut env = self;
        for _ in 0..index {
            env = &env.0.as_ref()?.1;
        }
        env.0.as_ref().map(|pair| pair.0.clone())
    }
}

pub(super) struct Counter<'s> {
    steps: u32,
    tally: Tally<'s>,
    /// What a step of a reduction without an operation counts.
    least: Nat,
}

impl<'s> Counter<'s> {
    pub fn new(tally: Tally<'s>, least: Nat) -> Self {
        Counter { steps: MAX_STEPS, tally, least }
    }

    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    /// What it takes to compute all of the value.
    pub fn total(&mut self, value: &Value) -> Option<Cost> {
        let reads = self.reads([value])?;
        Some(self.tally.total(&reads))
    }

    /// An input of a program; none of functions.
    pub fn input<'t>(&mut self, ty: &Type) -> Option<Value<'t>> {
        Some(match ty.kind() {
            TypeKind::Vector(n, t) | TypeKind::Array(n, t) => self.each(n, |c| c.input(t))?,
            TypeKind::Pair(a, b) => Value::pair(self.input(a)?, self.input(b)?),
            _ => {
                let bytes = Nat::constant(ty.in_memory()?.bytes() as i64);
                self.place(Cost::bytes(bytes), &[])?
            }
        })
    }

    pub fn eval<'t>(&mut self, term: &'t Term, env: &Env<'t>) -> Option<Value<'t>> {
        self.step()?;
        match term.expr() {
            // What is around the term is there.
            Expr::Var(i) => Some(env.get(*i).unwrap_or(Value::Free)),
            Expr::Lit(_) => Some(Value::Free),
            Expr::Lam(_, body) => Some(Value::Closure(body, env.clone())),
            Expr::Prim(p) => Some(Value::Partial(p, term.ty(), vec![])),
            Expr::App(f, e) => {
                if let Some(chosen) = decided::side(term, self.tally.sizes()) {
                    return self.eval(chosen, env);
                }
                let f = self.eval(f, env)?;
                self.apply(&f, Given::Term(e, env.clone()))
            }
        }
    }

    fn value<'t>(&mut self, given: &Given<'t>) -> Option<Value<'t>> {
        match given {
            Given::Value(value) => Some(value.clone()),
            Given::Term(term, env) => self.eval(term, env),
        }
    }

    pub fn apply<'t>(&mut self, f: &Value<'t>, given: Given<'t>) -> Option<Value<'t>> {
        match f {
            Value::Closure(body, env) => {
                let value = self.value(&given)?;
                self.eval(body, &env.with(value))
            }
            Value::Partial(p, ty, all) => {
                let mut all = all.clone();
                all.push(given);
                if build::arity(p.pattern, &p.args)? > all.len() {
                    return Some(Value::Partial(p, ty, all));
                }
                let all: Option<Vec<_>> = all.iter().map(|given| self.value(given)).collect();
                self.pattern(p, ty, &all?)
            }
            Value::Free | Value::At(_) | Value::Array(..) | Value::Pair(..) => None,
        }
    }

    fn call<'t>(
        &mut self,
        f: &Value<'t>,
        arguments: impl IntoIterator<Item = Value<'t>>,
    ) -> Option<Value<'t>> {
        arguments.into_iter().try_fold(f.clone(), |f, value| self.apply(&f, Given::Value(value)))
    }

    /// An array of what is computed once for each of its elements.
    fn each<'t>(
        &mut self,
        n: &Nat,
        element: impl FnOnce(&mut Self) -> Option<Value<'t>>,
    ) -> Option<Value<'t>> {
        let begun = self.tally.begin();
        let element = element(self)?;
        self.tally.end(&begun, n);
        Some(Value::array(n, element))
    }

    /// What is computed of all of these values, as a whole.
    fn place<'t>(&mut self, cost: Cost, values: &[Value<'t>]) -> Option<Value<'t>> {
        let reads = self.reads(values)?;
        Some(self.tally.place(cost, reads).map_or(Value::Free, Value::At))
    }

    /// The element that an iteration works on: however often it asks for it, it is the same one.
    fn taken<'t>(&mut self, element: Value<'t>) -> Option<Value<'t>> {
        match element {
            Value::Pair(a, b) => Some(Value::pair(self.taken((*a).clone())?, self.taken((*b).clone())?)),
            Value::At(_) => self.stored(element),
            other => Some(other),
        }
    }

    fn stored<'t>(&mut self, value: Value<'t>) -> Option<Value<'t>> {
        self.place(Cost::none(), &[value])
    }

    fn reads<'v, 't: 'v>(&mut self, values: impl IntoIterator<Item = &'v Value<'t>>) -> Option<Reads> {
        let mut reads = Reads::default();
        for value in values {
            self.read(value, &Nat::constant(1), &mut reads)?;
        }
        Some(reads)
    }

    fn read(&mut self, value: &Value, times: &Nat, reads: &mut Reads) -> Option<()> {
        self.step()?;
        match value {
            Value::Free | Value::Closure(..) | Value::Partial(..) => {}
            Value::At(place) => self.tally.read(*place, times, reads),
            Value::Array(n, element) => self.read(element, &times.mul(n), reads)?,
            Value::Pair(a, b) => {
                self.read(a, times, reads)?;
                self.read(b, times, reads)?;
            }
        }
        Some(())
    }

    fn pattern<'t>(&mut self, p: &Prim, ty: &Type, args: &[Value<'t>]) -> Option<Value<'t>> {
        use Pattern as P;
        let (params, result) = ty.signature();
        let length = |parameter: usize| Some(params.get(parameter)?.as_array()?.0);
        match (p.pattern, args) {
            (map, [f, xs]) if map.is_map() => {
                let all = self.each(length(1)?, |c| {
                    let x = c.taken(xs.element())?;
                    c.call(f, [x])
                })?;
                let is_written = !matches!(map.sort(), Sort::Map(How::Open | How::Stream));
                if is_written { self.stored(all) } else { Some(all) }
            }
            (buffer, [f, xs]) if buffer.sort() == Sort::Buffer => {
                let loaded = loaded(&p.args, length(1)?, &result)?;
                let all = self.each(&loaded, |c| {
                    let x = c.taken(xs.element())?;
                    c.call(f, [x])
                })?;
                self.stored(all)
            }
            (reduce, [f, first, xs]) if reduce.accumulates() => {
                let n = length(2)?;
                let from = self.tally.next();
                let all = self.each(n, |c| {
                    let x = c.taken(xs.element())?;
                    let operands =
                        if reduce.sort() == Sort::Scan { [x, Value::Free] } else { [Value::Free, x] };
                    c.call(f, operands)
                })?;
                let least = if self.tally.is_idle(from) { self.least.mul(n) } else { Nat::constant(0) };
                self.place(Cost::integers(least), &[first.clone(), all])
            }
            (P::Generate, [f]) => self.each(result.as_array()?.0, |c| c.call(f, [Value::Free])),
            (P::MapFst, [f, x]) => Some(Value::pair(self.call(f, [x.first()])?, x.second())),
            (P::MapSnd, [f, x]) => Some(Value::pair(x.first(), self.call(f, [x.second()])?)),
            (P::Let, [x, f]) => {
                let x = self.stored(x.clone())?;
                self.call(f, [x])
            }
            (P::MakePair, [a, b]) => Some(Value::pair(a.clone(), b.clone())),
            (P::Fst, [x]) => Some(x.first()),
            (P::Snd, [x]) => Some(x.second()),
            (P::Zip, [a, b]) => {
                Some(Value::array(result.as_array()?.0, Value::pair(a.element(), b.element())))
            }
            (P::Unzip, [x @ Value::Array(n, _)]) => {
                let part = |part: Value<'t>| Value::array(n, part);
                Some(Value::pair(part(x.element().first()), part(x.element().second())))
            }
            (P::Unzip, [x]) => Some(x.clone()),
            (view, [others @ .., xs])
                if matches!(view.sort(), Sort::View(_))
                    && view != P::MakeArray
                    && self.reads(others)?.is_none() =>
            {
                Some(shown(view, xs, &result))
            }
            (scalar, _) if scalar.is_lanewise() => {
                let operand = params.first()?;
                let cost = if scalar.is_numeric() { operation(operand) } else { Cost::none() };
                match operand.kind() {
                    TypeKind::Vector(lanes, _) => {
                        let lane: Vec<_> = args.iter().map(Value::element).collect();
                        self.each(lanes, |c| c.place(cost, &lane))
                    }
                    _ => self.place(cost, args),
                }
            }
            (foreign, _) if foreign.is_foreign() => self.place(operation(params.first()?), args),
            _ => self.place(Cost::none(), args),
        }
    }
}

/// How many elements a buffer loads: what is in no window is not loaded.
fn loaded(explicit: &[Arg], all: &Nat, result: &Type) -> Option<Nat> {
    let (windows, window) = result.as_array()?;
    let in_windows = windows.mul(window.as_array()?.0);
    let left_out = all.sub(&in_windows).as_constant().is_none_or(|n| n > 0);
    let overlap = matches!(explicit, [.., Arg::Nat(size), Arg::Nat(step)]
        if step.sub(size).as_constant().is_none_or(|gap| gap < 0));
    Some(if left_out && !overlap { in_windows } else { all.clone() })
}

/// What a view shows of a value: so many dimensions are taken apart, and so many are there instead.
fn shown<'t>(view: Pattern, xs: &Value<'t>, result: &Type) -> Value<'t> {
    use Pattern as P;
    let (apart, instead) = match view {
        _ if view.sort() == Sort::View(View::Same) => (0, 0),
        P::VectorFromScalar => (0, 1),
        P::Idx => (1, 0),
        P::Split | P::Slide | P::AsVector | P::AsVectorAligned => (1, 2),
        P::Join | P::AsScalar => (2, 1),
        P::Transpose => (2, 2),
        _ => (1, 1),
    };
    // What lies in one place does so however it is looked at.
    if apart > 0 && !matches!(xs, Value::Array(..)) {
        return xs.clone();
    }
    let inside = (0..apart).fold(xs.clone(), |xs, _| xs.element());
    around(inside, result, instead)
}

fn around<'t>(inside: Value<'t>, ty: &Type, dimensions: usize) -> Value<'t> {
    match ty.kind() {
        TypeKind::Vector(n, t) | TypeKind::Array(n, t) if dimensions > 0 => {
            Value::array(n, around(inside, t, dimensions - 1))
        }
        _ => inside,
    }
}

/// An operation on a scalar, or on a lane of a vector.
fn operation(operand: &Type) -> Cost {
    let scalar = match operand.kind() {
        TypeKind::Vector(_, t) => t.as_scalar(),
        TypeKind::Scalar(s) => Some(*s),
        _ => None,
    };
    let one = Nat::constant(1);
    match scalar {
        Some(s) if s.is_float() => Cost::floats(one),
        Some(s) if s != Scalar::Bool => Cost::integers(one),
        _ => Cost::none(),
    }
}
