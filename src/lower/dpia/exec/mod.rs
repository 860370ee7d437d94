//! What imperative DPIA means: commands run on memory that holds values.
//!
//! It is the reference for passes: each must leave the result as it was. Expressions are evaluated by the interpreter
//! of RISE, as terms whose free variables are the contents of memory, so that only commands and acceptors have their
//! meaning here; what is only scalars and cells of memory takes a short way. Slow; for small sizes.

mod direct;
mod term;

use super::{Imperative, Kind, Layout, Loop, Phrase, PhraseType, extent};
use crate::lang::diag::Diagnostic;
use crate::lang::eval::{self, Limits, Sizes, failure};
use crate::lang::nat::{Name, Nat, NatVar, Worker};
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeSubst};
use crate::lang::value::{Value, eval_nat};
use crate::target::Storage;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How to run a program.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Work-items in each dimension, and those of a group.
    pub global: [i64; 3],
    pub local: [i64; 3],
    /// Whether parallel loops run backwards, the last work-item goes first, and undefined conditions are false; the
    /// result must not depend on it.
    pub backwards: bool,
    /// Commands and evaluations at most.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { global: [1; 3], local: [1; 3], backwards: false, steps: 1_000_000 }
    }
}

/// The value of the first output. Of the work-items of a group each runs as far as to a barrier before the next one does.
///
/// # Errors
/// When an expression has no value, the steps are used up, or a barrier is not reached by all work-items.
pub fn run(p: &Imperative, sizes: &Sizes, inputs: &[Value], options: Options) -> Result<Value, Diagnostic> {
    if options.global != [1; 3] && p.body.any(&mut is_not_shared_out) {
        return Err(failure::ill_typed("a loop over work-items that is not shared out"));
    }
    let mut machine = Machine {
        memory: BTreeMap::new(),
        own: BTreeMap::new(),
        numbers: sizes.clone(),
        steps: options.steps,
        options,
    };
    for ((x, ty), v) in p.inputs.iter().zip(inputs) {
        machine.memory.insert(x.clone(), (ty.clone(), v.clone()));
    }
    for (x, ty) in &p.outputs {
        machine.share(x, ty)?;
    }
    let temporaries = |machine: &mut Machine, is_local: bool| {
        let first = WorkItem { group: [0; 3], id: [0; 3], options };
        let of = p.temporaries.iter().filter(|t| (t.storage == Storage::Local) == is_local);
        of.into_iter().try_for_each(|t| machine.share(&t.name, &t.ty.subst(&first)))
    };
    temporaries(&mut machine, false)?;
    let groups = [0, 1, 2].map(|d| options.global[d] / options.local[d].max(1));
    for group in points(groups) {
        temporaries(&mut machine, true)?;
        let told = |id: [i64; 3]| WorkItem { group, id, options }.told(&p.body);
        machine.group(points(options.local).map(told).collect())?;
    }
    let output = p.outputs.first().and_then(|(x, _)| machine.memory.remove(x));
    output.map(|(_, v)| v).ok_or_else(|| failure::ill_typed("no output"))
}

/// Every point below the ends, the first dimension running fastest.
fn points([nx, ny, nz]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

/// Before its iterations are shared among work-items, a loop over them stands for all of them.
fn is_not_shared_out(c: &Phrase) -> bool {
    matches!(c.kind(), Kind::For(l) if l.kind.is_of_work_items() && l.init.is_zero())
}

/// One of the work-items that run a program.
struct WorkItem {
    group: [i64; 3],
    /// Within the group.
    id: [i64; 3],
    options: Options,
}

impl TypeSubst for WorkItem {
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        let NatVar::Worker(w) = v else { return None };
        let (global, local) = (self.options.global, self.options.local);
        let of = |d: &u8, f: &dyn Fn(usize) -> i64| Some(Nat::constant(f(usize::from(*d))));
        match w {
            Worker::GlobalId(d) => of(d, &|d| self.group[d] * local[d] + self.id[d]),
            Worker::GlobalSize(d) => of(d, &|d| global[d]),
            Worker::GroupId(d) => of(d, &|d| self.group[d]),
            Worker::Groups(d) => of(d, &|d| global[d] / local[d]),
            Worker::LocalId(d) => of(d, &|d| self.id[d]),
            Worker::LocalSize(d) => of(d, &|d| local[d]),
        }
    }
}

impl WorkItem {
    /// The program with the work-item's numbers for the questions that it asks.
    fn told(&self, p: &Phrase) -> Phrase {
        let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.told(c)));
        let nat = |n: &Nat| n.subst(&|v| self.nat(v));
        let kind = match p.kind() {
            Kind::Number(n, parts) => Kind::Number(nat(n), parts.clone()),
            Kind::For(l) => Kind::For(Box::new(Loop {
                init: nat(&l.init),
                n: nat(&l.n),
                step: nat(&l.step),
                ..(**l).clone()
            })),
            Kind::New(space, t, x, body) => Kind::New(*space, t.subst(self), x.clone(), body.clone()),
            other => other.clone(),
        };
        let ty = match p.ty() {
            PhraseType::Exp(t, access) => PhraseType::Exp(t.subst(self), *access),
            PhraseType::Acc(t) => PhraseType::Acc(t.subst(self)),
            other => other.clone(),
        };
        Phrase::new(kind, ty)
    }
}

type Memory = BTreeMap<Name, (Type, Value)>;

struct Machine {
    /// What work-items share.
    memory: Memory,
    /// The memory of the one that runs.
    own: Memory,
    /// Sizes and its loop variables.
    numbers: Sizes,
    steps: u64,
    options: Options,
}

/// A work-item that waits, and what is left for it to do, the next thing last.
struct Waiting {
    own: Memory,
    numbers: Sizes,
    left: Vec<Left>,
}

enum Left {
    Command(Phrase),
    /// A loop's iterations that are left, the next one last.
    Iterations(Box<Loop>, Vec<i64>),
    /// The end of memory.
    End(Name),
}

#[derive(Clone, Debug)]
enum Step {
    At(usize),
    First,
    Second,
}

impl Machine {
    fn fresh(&self, ty: &Type) -> Result<(Type, Value), Diagnostic> {
        let undefined = Value::undefined(ty, &self.numbers).map_err(failure::size)?;
        Ok((ty.clone(), undefined))
    }

    fn share(&mut self, x: &Name, ty: &Type) -> Result<(), Diagnostic> {
        let fresh = self.fresh(ty)?;
        self.memory.insert(x.clone(), fresh);
        Ok(())
    }

    fn find(&self, x: &Name) -> Option<&(Type, Value)> {
        self.own.get(x).or_else(|| self.memory.get(x))
    }

    fn nat(&self, n: &Nat) -> Result<i64, Diagnostic> {
        eval_nat(n, &self.numbers).map_err(failure::size)
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.steps = self.steps.checked_sub(1).ok_or_else(|| failure::out_of_steps(self.options.steps))?;
        Ok(())
    }

    /// Runs the programs of a group's work-items.
    fn group(&mut self, programs: Vec<Phrase>) -> Result<(), Diagnostic> {
        let start =
            |p| Waiting { own: Memory::new(), numbers: self.numbers.clone(), left: vec![Left::Command(p)] };
        let mut items: Vec<Waiting> = programs.into_iter().map(start).collect();
        if self.options.backwards {
            items.reverse();
        }
        loop {
            let mut waiting = 0;
            for item in &mut items {
                std::mem::swap(&mut self.own, &mut item.own);
                std::mem::swap(&mut self.numbers, &mut item.numbers);
                waiting += usize::from(self.run_to_barrier(&mut item.left)?);
                std::mem::swap(&mut self.own, &mut item.own);
                std::mem::swap(&mut self.numbers, &mut item.numbers);
            }
            match waiting {
                0 => return Ok(()),
                n if n == items.len() => {}
                _ => return Err(failure::ill_typed("a barrier that not all work-items reach")),
            }
        }
    }

    /// Runs what is left until it waits at a barrier; whether it does.
    fn run_to_barrier(&mut self, left: &mut Vec<Left>) -> Result<bool, Diagnostic> {
        while let Some(next) = left.pop() {
            match next {
                Left::Command(c) if matches!(c.kind(), Kind::Barrier(_)) => return Ok(true),
                Left::Command(c) => self.command(&c, left)?,
                Left::Iterations(l, mut all) => match all.pop() {
                    Some(i) => {
                        self.numbers.insert(l.var.clone(), i);
                        let body = l.body.clone();
                        left.extend([Left::Iterations(l, all), Left::Command(body)]);
                    }
                    None => {
                        self.numbers.shift_remove(&l.var);
                    }
                },
                Left::End(x) => {
                    self.own.remove(&x);
                }
            }
        }
        Ok(false)
    }

    /// Does the command, or says what is to be done for it.
    fn command(&mut self, c: &Phrase, left: &mut Vec<Left>) -> Result<(), Diagnostic> {
        self.step()?;
        match c.kind() {
            Kind::Skip => Ok(()),
            Kind::Kernel(_, body) => {
                left.push(Left::Command(body.clone()));
                Ok(())
            }
            Kind::Seq(cs) => {
                left.extend(cs.iter().rev().cloned().map(Left::Command));
                Ok(())
            }
            Kind::Assign(to, e) => {
                let value = self.value(e)?;
                self.store(to, vec![], value)
            }
            Kind::New(storage, ty, x, body) => {
                if storage.is_shared() && self.options.local != [1; 3] {
                    return Err(failure::ill_typed("memory of a group within its code"));
                }
                let fresh = self.fresh(ty)?;
                self.own.insert(x.clone(), fresh);
                left.extend([Left::End(x.clone()), Left::Command(body.clone())]);
                Ok(())
            }
            Kind::For(l) => {
                let all = self.iterations(l)?;
                left.push(Left::Iterations(l.clone(), all));
                Ok(())
            }
            Kind::If(c, a, b) => {
                let branch = match self.value(c)? {
                    Value::Bool(true) => a,
                    Value::Bool(false) => b,
                    // Which branch a kernel takes here is not known. Nothing defined may depend on it.
                    Value::Undefined => {
                        if self.options.backwards {
                            b
                        } else {
                            a
                        }
                    }
                    other => return Err(failure::ill_typed(format!("the condition {other}"))),
                };
                left.push(Left::Command(branch.clone()));
                Ok(())
            }
            _ => Err(failure::ill_typed("an expression where a command is needed")),
        }
    }

    /// The iterations of a loop, the first one last.
    fn iterations(&mut self, l: &Loop) -> Result<Vec<i64>, Diagnostic> {
        let (init, n, step) = (self.nat(&l.init)?, self.nat(&l.n)?, self.nat(&l.step)?);
        let mut all: Vec<i64> = vec![];
        let mut i = init;
        while i < n && step > 0 {
            all.push(i);
            i += step;
            self.step()?;
        }
        if !(l.kind.is_at_once() && self.options.backwards) {
            all.reverse();
        }
        Ok(all)
    }

    fn index(&mut self, i: &Phrase) -> Result<usize, Diagnostic> {
        match self.value(i)? {
            Value::Nat(i) => usize::try_from(i).map_err(|_| failure::ill_typed(format!("the index {i}"))),
            other => Err(failure::ill_typed(format!("the index {other}"))),
        }
    }

    /// Writes a value to a part of where an acceptor points; the last step is taken first.
    fn store(&mut self, to: &Phrase, mut steps: Vec<Step>, value: Value) -> Result<(), Diagnostic> {
        let ill = || failure::ill_typed("an acceptor that leads nowhere");
        let (layout, ps) = match to.kind() {
            Kind::Var(x) => {
                steps.reverse();
                let (_, memory) = match self.own.get_mut(x) {
                    Some(own) => own,
                    None => self.memory.get_mut(x).ok_or_else(ill)?,
                };
                return replace(memory, &steps, value);
            }
            Kind::Acceptor(layout, ps) => (layout, ps),
            _ => return Err(ill()),
        };
        let whole = ps.last().ok_or_else(ill)?;
        let at = |steps: &mut Vec<Step>| match steps.pop() {
            Some(Step::At(i)) => Ok(i),
            _ => Err(failure::ill_typed("a whole array is assigned")),
        };
        let size = |m: &Machine, n: &Nat| m.nat(n).and_then(|n| usize::try_from(n).map_err(|_| ill()));
        match layout {
            Layout::Index => {
                let i = self.index(ps.first().ok_or_else(ill)?)?;
                steps.push(Step::At(i));
            }
            Layout::First => steps.push(Step::First),
            Layout::Second => steps.push(Step::Second),
            Layout::ZipFirst | Layout::ZipSecond => {
                let i = at(&mut steps)?;
                steps.push(if *layout == Layout::ZipFirst { Step::First } else { Step::Second });
                steps.push(Step::At(i));
            }
            Layout::Unzip => {
                let i = at(&mut steps)?;
                match steps.pop() {
                    Some(component) => steps.extend([Step::At(i), component]),
                    // Both components at once.
                    None => {
                        let (a, b) = value.as_pair().ok_or_else(ill)?;
                        let (a, b) = (a.clone(), b.clone());
                        self.store(whole, vec![Step::At(i), Step::First], a)?;
                        return self.store(whole, vec![Step::At(i), Step::Second], b);
                    }
                }
            }
            Layout::Split(n) | Layout::AsVector(n) => {
                let (i, n) = (at(&mut steps)?, size(self, n)?);
                steps.extend([Step::At(i % n), Step::At(i / n)]);
            }
            Layout::Join(n) | Layout::AsScalar(n) => {
                let (i, n) = (at(&mut steps)?, size(self, n)?);
                match (steps.pop(), &value) {
                    (Some(Step::At(j)), _) => steps.push(Step::At(i * n + j)),
                    (None, Value::Vector(lanes)) => {
                        for (j, lane) in lanes.iter().enumerate() {
                            self.store(whole, vec![Step::At(i * n + j)], lane.clone())?;
                        }
                        return Ok(());
                    }
                    _ => return Err(ill()),
                }
            }
            Layout::Transpose => {
                let (i, j) = (at(&mut steps)?, at(&mut steps)?);
                steps.extend([Step::At(i), Step::At(j)]);
            }
            Layout::Reorder(f) => {
                let i = at(&mut steps)?;
                let i = size(self, &f.apply(&Nat::constant(i as i64)))?;
                steps.push(Step::At(i));
            }
            Layout::Take => {}
            Layout::Longer => {
                let i = at(&mut steps)?;
                if i >= size(self, &extent(&whole.data()))? {
                    return Ok(());
                }
                steps.push(Step::At(i));
            }
            Layout::Drop(n) => {
                let i = at(&mut steps)? + size(self, n)?;
                steps.push(Step::At(i));
            }
            Layout::Scatter => {
                let indices = ps.first().ok_or_else(ill)?;
                let i = at(&mut steps)? as i64;
                let i = Phrase::number(Nat::constant(i), Type::index(extent(&indices.data())));
                let target = self.index(&Phrase::idx(i, indices.clone()))?;
                steps.push(Step::At(target));
            }
            Layout::Map => {
                let i = at(&mut steps)? as i64;
                let i = Phrase::number(Nat::constant(i), Type::index(extent(&whole.data())));
                let mut names = super::Names::default();
                let inner =
                    ps.first().ok_or_else(ill)?.instantiate(&Phrase::idx_acc(i, whole.clone()), &mut names);
                return self.store(&inner, steps, value);
            }
            Layout::MapFirst | Layout::MapSecond => {
                let first = *layout == Layout::MapFirst;
                let part = |step: &Step| match (step, first) {
                    (Step::First, true) => Some(Phrase::fst_acc(whole.clone())),
                    (Step::Second, false) => Some(Phrase::snd_acc(whole.clone())),
                    _ => None,
                };
                match steps.pop() {
                    Some(step) => {
                        let Some(part) = part(&step) else {
                            steps.push(step);
                            return self.store(whole, steps, value);
                        };
                        let mut names = super::Names::default();
                        let inner = ps.first().ok_or_else(ill)?.instantiate(&part, &mut names);
                        return self.store(&inner, steps, value);
                    }
                    // Both components at once.
                    None => {
                        let (a, b) = value.as_pair().ok_or_else(ill)?;
                        let (a, b) = (a.clone(), b.clone());
                        self.store(to, vec![Step::First], a)?;
                        return self.store(to, vec![Step::Second], b);
                    }
                }
            }
        }
        self.store(whole, steps, value)
    }

    /// The value of an expression: that of a term whose parameters are the memory it reads.
    fn value(&mut self, e: &Phrase) -> Result<Value, Diagnostic> {
        if let Some(value) = self.direct(e) {
            return Ok(value);
        }
        let mut free: Vec<(Name, Type)> = vec![];
        let _ = e.any(&mut |p| {
            if let Kind::Var(x) = p.kind()
                && let Some((ty, _)) = self.find(x)
                && !free.iter().any(|(y, _)| y == x)
            {
                free.push((x.clone(), ty.clone()));
            }
            false
        });
        let mut binders: Vec<Name> = free.iter().map(|(x, _)| x.clone()).collect();
        let body = term::term(e, &mut binders)?;
        let term = free.iter().rev().fold(body, |b, (x, ty)| Term::lam(x, ty.clone(), b));
        let inputs: Vec<Value> = free.iter().filter_map(|(x, _)| Some(self.find(x)?.1.clone())).collect();
        let limits = Limits { steps: self.steps.max(1), ..Limits::TEST };
        eval::run(&term, &self.numbers, &inputs, &limits)
    }
}

fn replace(whole: &mut Value, steps: &[Step], value: Value) -> Result<(), Diagnostic> {
    let Some((step, rest)) = steps.split_first() else {
        *whole = value;
        return Ok(());
    };
    let outside = || failure::ill_typed(format!("a write outside of memory at {step:?}"));
    match (whole, step) {
        (Value::Array(vs) | Value::Vector(vs), Step::At(i)) => {
            replace(Arc::make_mut(vs).get_mut(*i).ok_or_else(outside)?, rest, value)
        }
        (Value::Pair(p), Step::First) => replace(&mut Arc::make_mut(p).0, rest, value),
        (Value::Pair(p), Step::Second) => replace(&mut Arc::make_mut(p).1, rest, value),
        _ => Err(outside()),
    }
}
