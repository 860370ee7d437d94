//! Arrays that the host hands on from kernel to kernel stay on the device.
//!
//! The translation writes the new value of an accumulator aside and copies it back. Where kernels make it, that would be a
//! copy on the host, of what lies on the device, in each step. Here the next step reads what was written aside, so that two
//! arrays take turns: steps come in pairs, of which the second one writes what the first one has read. The first step reads
//! what the accumulator starts from where that is an array, too, and the last one writes where the result is copied to.
//! Steps that can be updated in place are, but for these two.

use super::in_place::{cells_of, copies, in_place, reads, writes};
use super::memory::redirect;
use crate::dpia::effects::Place;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, PhraseType};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, Ranges};
use crate::lang::ty::Type;
use crate::separate::has_kernel;
use crate::target::Storage;
use std::collections::BTreeSet;

/// Steps of more phrases than this are not repeated for the first, the last and every other one of them.
const MOST: u32 = 20_000;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    if !has_kernel(&p.body) {
        return Ok(p);
    }
    let ranges = p.ranges();
    p.body = Swapping { ranges, own: BTreeSet::new(), names }.command(&p.body);
    Ok(p)
}

struct Swapping<'a> {
    ranges: Ranges,
    /// Memory that the host allocates around the command.
    own: BTreeSet<Name>,
    names: &'a mut Names,
}

type Allocation = (Storage, Type, Name);

/// What is done in each step: it reads one array and writes another one of the same type.
struct Steps<'a> {
    around: &'a Loop,
    ty: Type,
    /// What it reads, and what it writes.
    read: Name,
    written: Allocation,
    step: Phrase,
    /// Other memory that each step uses anew.
    memory: Vec<Allocation>,
    /// Can what they write be written where they read?
    in_place: bool,
}

impl Swapping<'_> {
    fn command(&mut self, c: &Phrase) -> Phrase {
        if !has_kernel(c) {
            return c.clone();
        }
        match c.kind() {
            Kind::Kernel(..) => c.clone(),
            Kind::New(storage, ty, x, body) => {
                self.own.insert(x.clone());
                let body = self.command(body);
                self.own.remove(x);
                let allocated = (*storage, ty.clone(), x.clone());
                let body = self.taken_over(&allocated, &body).unwrap_or(body);
                let body = self.taking_turns(&allocated, &body).unwrap_or(body);
                allocate([allocated], body)
            }
            _ => {
                let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| {
                    Ok(if d.ty() == &PhraseType::Comm { self.command(d) } else { d.clone() })
                });
                c
            }
        }
    }

    /// The command in which the steps of a loop do not copy what they make to the memory that they read.
    fn taking_turns(&mut self, (_, ty, x): &Allocation, body: &Phrase) -> Option<Phrase> {
        let commands = commands(body);
        let (at, steps) = commands.iter().enumerate().find_map(|(at, c)| Some((at, steps(c, x, ty)?)))?;
        let (before, after) = (&commands[..at], &commands[at + 1..]);
        let n = &steps.around.n;
        if n.as_constant().is_some_and(|n| n <= 0) {
            return Some(Phrase::seq(before.iter().chain(after).cloned()));
        }
        let at_least = |k: i64| n.sub(&Nat::constant(k)).is_natural(&self.ranges);
        let target = copied_to(after, x, ty)
            .filter(|(m, rest)| !steps.step.mentions(m) && !mention(rest, x) && at_least(1));
        let is_last = i64::from(target.is_some());
        let source = copied_from(before, x, ty)
            .filter(|(a, rest)| !writes(&steps.step, a) && !mention(rest, x) && at_least(1 + is_last))
            .or_else(|| {
                // The one step there is reads what there is and writes the result.
                let source = copied_from(before, x, ty)?;
                let (a, rest) = &source;
                (n.as_constant() == Some(1) && !writes(&steps.step, a) && !mention(rest, x)).then_some(source)
            });
        let (before, source) = source.map_or((before, None), |(a, rest)| (rest, Some(a)));
        let (after, target) = target.map_or((after, None), |(m, rest)| (rest, Some(m)));
        let (made, last) = self.turns(&steps, source, target.as_ref());
        let after = Phrase::seq(after.iter().cloned());
        let after = if last == *x || target.is_some() { after } else { steps.renamed(&after, x, &last) };
        let all = Phrase::seq(before.iter().cloned().chain(made).chain([after]));
        let memory = std::iter::once(steps.written).chain(steps.memory);
        Some(allocate(memory, all))
    }

    /// All steps, the first of which may read other memory and the last of which may write other memory, and where the
    /// result is.
    fn turns(&mut self, s: &Steps, source: Option<Name>, target: Option<&Name>) -> (Vec<Phrase>, Name) {
        let (one, two) = (Nat::constant(1), Nat::constant(2));
        let (x, y, n) = (&s.read, &s.written.2, &s.around.n);
        let mut out = vec![];
        let (mut first, mut now) = (Nat::constant(0), source.clone().unwrap_or_else(|| x.clone()));
        let is_only = n.as_constant() == Some(1) && target.is_some();
        if source.is_some() && !is_only {
            out.push(self.step(s, &first, &now, x));
            (first, now) = (one.clone(), x.clone());
        }
        let end = if target.is_some() { n.sub(&one) } else { n.clone() };
        let left = end.sub(&first);
        if !is_only && s.in_place {
            out.extend(self.updates(s, &first, &left));
        } else if !is_only {
            let pairs = left.floor_div(&two);
            let pair = |t: &mut Self, from: &Nat| [t.step(s, from, x, y), t.step(s, &from.add(&one), y, x)];
            if pairs == one {
                out.extend(pair(self, &first));
            } else if !pairs.is_zero() {
                let var = self.names.fresh(&s.around.var);
                let body = Phrase::seq(pair(self, &first.add(&two.mul(&Nat::var(&var)))));
                out.push(Phrase::for_each(LoopKind::Sequential, var, pairs, body));
            }
            let odd = left.modulo(&two);
            match odd.as_constant() {
                Some(0) => {}
                Some(_) => {
                    out.push(self.step(s, &end.sub(&one), x, y));
                    now = y.clone();
                }
                // Whether there is one more is known when it runs: what follows reads the same memory in either case.
                None => {
                    let var = self.names.fresh(&s.around.var);
                    let step = self.step(s, &end.sub(&one), x, y);
                    let copy = self.copy(&s.ty, (x, y), &mut vec![]);
                    let body = Phrase::seq([step].into_iter().chain(copy));
                    out.push(Phrase::for_each(LoopKind::Sequential, var, odd, body));
                }
            }
        }
        if let Some(m) = target {
            out.push(self.step(s, &n.sub(&one), &now, m));
            now = m.clone();
        }
        (out, now)
    }

    /// So many steps from this number on, as they are: the copies in them are dropped later.
    fn updates(&mut self, s: &Steps, first: &Nat, count: &Nat) -> Option<Phrase> {
        if count.as_constant().is_some_and(|n| n <= 0) {
            return None;
        }
        let var = self.names.fresh(&s.around.var);
        let number = first.add(&Nat::var(&var));
        let body = s.around.body.at_iteration(&s.around.var, &number, self.names);
        Some(Phrase::for_each(LoopKind::Sequential, var, count.clone(), body))
    }

    /// The step of this number, from one memory to another one.
    fn step(&mut self, s: &Steps, number: &Nat, from: &Name, to: &Name) -> Phrase {
        let step = s.step.at_iteration(&s.around.var, number, self.names);
        // Neither may be renamed before the other one is put in its place.
        let aside: Name = format!("{} aside", s.written.2).into();
        let step = s.renamed(&step, &s.written.2, &aside);
        s.renamed(&s.renamed(&step, &s.read, from), &aside, to)
    }

    /// Copies all of a memory, component by component.
    fn copy(&mut self, ty: &Type, (to, from): (&Name, &Name), path: &mut Vec<bool>) -> Vec<Phrase> {
        fn components(ty: &Type, path: &mut Vec<bool>, out: &mut Vec<Vec<bool>>) {
            match (ty.as_array(), ty.as_pair()) {
                (Some((_, t)), _) => components(t, path, out),
                (None, Some((a, b))) => {
                    for (second, t) in [(false, a), (true, b)] {
                        path.push(second);
                        components(t, path, out);
                        path.pop();
                    }
                }
                _ => out.push(path.clone()),
            }
        }
        let mut all = vec![];
        components(ty, path, &mut all);
        let memory = |x: &Name, acc: bool| {
            let ty = if acc { PhraseType::Acc(ty.clone()) } else { PhraseType::read(ty.clone()) };
            Phrase::var(x, ty)
        };
        all.into_iter().map(|path| self.copy_of(&path, memory(to, true), memory(from, false))).collect()
    }

    /// Copies a component.
    fn copy_of(&mut self, path: &[bool], to: Phrase, from: Phrase) -> Phrase {
        let ty = from.data();
        if let Some((n, _)) = ty.as_array() {
            let var = self.names.numbered("i");
            let i = Phrase::number(Nat::var(&var), Type::index(n.clone()));
            let body = self.copy_of(path, Phrase::idx_acc(i.clone(), to), Phrase::idx(i, from));
            return Phrase::for_each(LoopKind::Sequential, var, n.clone(), body);
        }
        match path.split_first() {
            Some((false, rest)) => self.copy_of(rest, Phrase::fst_acc(to), Phrase::fst(from)),
            Some((true, rest)) => self.copy_of(rest, Phrase::snd_acc(to), Phrase::snd(from)),
            None => Phrase::assign(to, from),
        }
    }

    /// The command in which other memory, to which all of this one is copied and which nothing uses before, takes its place.
    fn taken_over(&self, (_, ty, x): &Allocation, body: &Phrase) -> Option<Phrase> {
        let commands = commands(body);
        (1..commands.len()).find_map(|at| {
            let (before, after) = commands.split_at(at);
            let (m, rest) = copied_to(after, x, ty)?;
            let before = Phrase::seq(before.iter().cloned());
            let is_free = self.own.contains(&m) || !reads(&before, x);
            (is_free && !mention(rest, x) && !before.mentions(&m)).then(|| {
                let before = renamed(&before, x, &m, ty);
                Phrase::seq(std::iter::once(before).chain(rest.iter().cloned()))
            })
        })
    }
}

impl Steps<'_> {
    fn renamed(&self, c: &Phrase, x: &Name, by: &Name) -> Phrase {
        renamed(c, x, by, &self.ty)
    }
}

fn renamed(c: &Phrase, x: &Name, by: &Name, ty: &Type) -> Phrase {
    let read = Phrase::var(by, PhraseType::read(ty.clone()));
    let write = Phrase::var(by, PhraseType::Acc(ty.clone()));
    redirect(c, x, &read, &write)
}

fn commands(c: &Phrase) -> Vec<Phrase> {
    if let Kind::Seq(cs) = c.kind() { cs.clone() } else { vec![c.clone()] }
}

fn mention(cs: &[Phrase], x: &Name) -> bool {
    cs.iter().any(|c| c.mentions(x))
}

/// The command with the memory of these that it uses.
fn allocate(memory: impl IntoIterator<Item = Allocation>, c: Phrase) -> Phrase {
    memory
        .into_iter()
        .filter(|(_, _, x)| c.mentions(x))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .fold(c.clone(), |c, (storage, ty, x)| Phrase::new_in(storage, ty, x, c))
}

/// The loop of the host whose steps read `x`, and copy to all of it what they have made aside.
fn steps<'a>(c: &'a Phrase, x: &Name, ty: &Type) -> Option<Steps<'a>> {
    let Kind::For(l) = c.kind() else { return None };
    let is_plain = l.init.is_zero() && l.step == Nat::constant(1);
    if !is_plain || l.kind.is_at_once() || !has_kernel(&l.body) || l.body.size() > MOST {
        return None;
    }
    let (written, memory, step) = made_aside(&l.body, x, ty)?;
    let in_place = made_aside(&in_place(&l.body), x, ty).is_none();
    let (ty, read) = (ty.clone(), x.clone());
    Some(Steps { around: l, ty, read, written, step, memory, in_place })
}

/// For a command that copies at its end to all of `x` what it has made aside: that memory, other memory that it allocates,
/// and what it does before.
fn made_aside(c: &Phrase, x: &Name, ty: &Type) -> Option<(Allocation, Vec<Allocation>, Phrase)> {
    let (mut memory, step) = allocated(c);
    let made = commands(&step);
    let (written, made) = copied_from(&made, x, ty)?;
    let written = memory.iter().position(|(_, t, y)| *y == written && t == ty)?;
    let written = memory.remove(written);
    let (more, step) = allocated(&Phrase::seq(made.iter().cloned()));
    memory.extend(more);
    (!writes(&step, x)).then_some((written, memory, step))
}

/// The memory that is allocated around all of the command, and what is done with it.
fn allocated(c: &Phrase) -> (Vec<Allocation>, Phrase) {
    let (mut out, mut c) = (vec![], c.clone());
    while let Kind::New(storage, ty, x, body) = c.kind() {
        out.push((*storage, ty.clone(), x.clone()));
        let body = body.clone();
        c = body;
    }
    (out, c)
}

/// The memory from which the commands copy to all of `x` at their end, and what they do before.
fn copied_from<'a>(cs: &'a [Phrase], x: &Name, ty: &Type) -> Option<(Name, &'a [Phrase])> {
    let (mut left, mut rest, mut from) = (cells_of(ty), cs, None);
    while left > 0 {
        let (last, before) = rest.split_last()?;
        let source = source_of(last)?;
        let (to, copied) = copies(last, &source, &mut vec![])?;
        (to == *x && from.get_or_insert_with(|| source.clone()) == &source).then_some(())?;
        (left, rest) = (left.checked_sub(copied)?, before);
    }
    from.filter(|a| a != x).map(|a| (a, rest))
}

/// The memory to which the commands copy all of `x` at their beginning, and what they do after that.
fn copied_to<'a>(cs: &'a [Phrase], x: &Name, ty: &Type) -> Option<(Name, &'a [Phrase])> {
    let (mut left, mut rest, mut to) = (cells_of(ty), cs, None);
    while left > 0 {
        let (first, after) = rest.split_first()?;
        let (memory, copied) = copies(first, x, &mut vec![])?;
        (to.get_or_insert_with(|| memory.clone()) == &memory).then_some(())?;
        (left, rest) = (left.checked_sub(copied)?, after);
    }
    to.filter(|m| m != x).map(|m| (m, rest))
}

/// The memory that is read in the first assignment of a nest of loops.
fn source_of(c: &Phrase) -> Option<Name> {
    match c.kind() {
        Kind::Assign(_, from) => Place::of(from)?.memory,
        Kind::For(l) => source_of(&l.body),
        Kind::Seq(cs) => source_of(cs.first()?),
        _ => None,
    }
}
