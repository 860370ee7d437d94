//! Where the work-items of a group must wait for each other, and whether they do (thesis section 3.2).
//!
//! In: a kernel whose loops are shared out, with its memory among its parameters. Of each command it is known which uses
//! of shared memory may come before its first barrier, and which after its last one. Two uses of a cell with no barrier
//! between them, one of them a write, are a race unless one and the same work-item makes them. A sequence joins what is
//! left open by a command with what the next one begins with, a loop its end with its beginning.
//!
//! [`place`] puts a barrier wherever there would be a race; [`check`] is the same walk, which finds none. A barrier
//! must be reached by all work-items or none: where a loop over work-items has one in it, all of them run it equally
//! often, and those whose iteration there is not do nothing but wait.

use super::cells::{Meeting, Use, race};
use super::effects::{self, Around};
use super::uniform::Varying;
use super::{Imperative, Kind, Loop, LoopKind, Phrase, Workers, condition};
use crate::lang::diag::Subject;
use crate::lang::nat::{Name, Nat, NatVar, Ranges, Worker};
use crate::target::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// A barrier, with what it is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barrier {
    pub races: Vec<Race>,
}

impl Barrier {
    fn storages(&self) -> BTreeSet<Storage> {
        self.races.iter().map(|r| r.storage).collect()
    }
    pub fn is_local(&self) -> bool {
        self.storages().contains(&Storage::Local)
    }
    pub fn is_global(&self) -> bool {
        self.storages().contains(&Storage::Global)
    }
    /// The address spaces whose order it keeps.
    pub fn spaces(&self) -> Vec<&'static str> {
        let both = [(self.is_local(), "local"), (self.is_global(), "global")];
        both.into_iter().filter(|(used, _)| *used).map(|(_, name)| name).collect()
    }
}

/// Two work-items that would use one cell at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    pub memory: Name,
    pub storage: Storage,
    pub first: Touch,
    pub second: Touch,
    /// The variable of the loop in whose next iteration the second use is.
    pub next_of: Option<Name>,
}

/// A use of a cell, as DPIA prints it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    pub writes: bool,
    /// The innermost loop around it.
    pub within: Option<Name>,
    pub cell: String,
}

impl std::fmt::Display for Race {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = |t: &Touch| if t.writes { "writes" } else { "reads" };
        let (a, b) = (&self.first, &self.second);
        let when =
            self.next_of.as_ref().map_or_else(String::new, |x| format!(" in the next iteration over {x}"));
        write!(f, "a work-item {} `{}`, another one {} `{}`{when}", verb(a), a.cell, verb(b), b.cell)
    }
}

/// Why barriers cannot be where they are needed, or are missing.
#[derive(Debug)]
pub struct Fault {
    /// A sentence without a full stop.
    pub why: String,
    /// What it is about, where that is a part of the program.
    pub about: Option<Subject>,
}

impl From<String> for Fault {
    fn from(why: String) -> Fault {
        Fault { why, about: None }
    }
}

/// The body with barriers where they are needed, and no more of them.
///
/// # Errors
/// A barrier would stand where not all work-items come by.
pub fn place(p: &Imperative) -> Result<Phrase, Fault> {
    Walk::new(p, true).command(&p.body).map(|(body, _)| body)
}

/// # Errors
/// A sentence that names a race that no barrier prevents, or a barrier that not all work-items reach.
pub fn check(p: &Imperative) -> Result<(), String> {
    if !has_groups(&p.body) {
        return Ok(());
    }
    Walk::new(p, false).command(&p.body).map(|_| ()).map_err(|fault| fault.why)
}

/// Is the work shared out among groups?
pub fn has_groups(c: &Phrase) -> bool {
    c.any(&mut |p| told_of(p).iter().any(|w| matches!(w, Worker::GroupId(_) | Worker::LocalId(_))))
}

/// The dimensions in which the groups of a kernel may have several work-items: what is asked for, or those that the code
/// uses.
pub fn dimensions(p: &Imperative) -> BTreeSet<u8> {
    if let Some(launch) = &p.launch {
        return (0..3).filter(|d| launch.local[usize::from(*d)] != Nat::constant(1)).collect();
    }
    let mut found = BTreeSet::new();
    let _ = p.body.any(&mut |p| {
        found.extend(told_of(p).into_iter().filter_map(|w| match w {
            Worker::GroupId(d) | Worker::LocalId(d) => Some(d),
            _ => None,
        }));
        false
    });
    found
}

/// What work-items are told that a command or number asks for, now or once its loop is shared out.
fn told_of(p: &Phrase) -> Vec<Worker> {
    let of = |n: &Nat| {
        let worker = |v: NatVar| if let NatVar::Worker(w) = v { Some(w) } else { None };
        n.vars().into_iter().filter_map(worker).collect()
    };
    match p.kind() {
        Kind::For(l) => {
            let shared = if let LoopKind::Parallel(w) = l.kind { w.share() } else { None };
            shared.map(|(id, _)| id).into_iter().chain(of(&l.init)).collect()
        }
        Kind::Number(n, _) => of(n),
        _ => vec![],
    }
}

/// What may come before the first barrier of a command, and what after its last one. A barrier keeps the order of uses
/// of its own address spaces alone.
#[derive(Default)]
struct Exposed {
    entry: Vec<Use>,
    exit: Vec<Use>,
    /// The address spaces for which work-items that come through wait in any case.
    waits: BTreeSet<Storage>,
}

impl Exposed {
    /// A barrier for these address spaces comes behind.
    fn wait(&mut self, spaces: &BTreeSet<Storage>) {
        self.exit.retain(|u| !spaces.contains(&u.storage));
        self.waits.extend(spaces);
    }

    /// Another command comes behind.
    fn then(&mut self, next: Exposed) {
        self.entry.extend(next.entry.into_iter().filter(|u| !self.waits.contains(&u.storage)));
        self.wait(&next.waits);
        self.exit.extend(next.exit);
    }
}

struct Walk<'a> {
    shared: BTreeMap<&'a Name, Storage>,
    outputs: Vec<&'a Name>,
    /// The dimensions in which a group may have several work-items.
    dimensions: Vec<u8>,
    ranges: Ranges,
    places: bool,
    varying: Varying,
    around: Vec<Around>,
    /// Numbers that are at least zero here.
    known: Vec<Nat>,
}

impl Walk<'_> {
    fn new(p: &Imperative, places: bool) -> Walk<'_> {
        let shared: BTreeMap<&Name, Storage> = p.shared().collect();
        Walk {
            varying: Varying::of(&p.body, &|x| shared.contains_key(x)),
            shared,
            outputs: p.outputs.iter().map(|(x, _)| x).collect(),
            dimensions: dimensions(p).into_iter().collect(),
            ranges: p.ranges(),
            places,
            around: vec![],
            known: vec![],
        }
    }

    fn command(&mut self, c: &Phrase) -> Result<(Phrase, Exposed), Fault> {
        match c.kind() {
            Kind::Seq(cs) => self.sequence(cs),
            Kind::For(l) => self.looped(l),
            Kind::New(storage, ty, x, body) => {
                let (body, exposed) = self.command(body)?;
                Ok((Phrase::new_in(*storage, ty.clone(), x.clone(), body), exposed))
            }
            Kind::If(condition, a, b) => {
                let mut all = self.uses(condition);
                let depth = self.known.len();
                self.known.extend(condition::where_true(condition));
                let then = self.command(a);
                self.known.truncate(depth);
                let ((a, then), (b, or)) = (then?, self.command(b)?);
                let whole = Phrase::if_else(condition.clone(), a, b).with_origin(c.origin());
                if whole.has_barrier() && self.varying.has(condition) {
                    let why = format!(
                        "a barrier would stand where {condition} decides, which need not be the same for all work-items of a group"
                    );
                    return Err(Fault { why, about: Some(Subject::From(c.origin().clone())) });
                }
                // No barrier can stand between them.
                let begins: Vec<Use> = then.entry.iter().chain(&or.entry).cloned().collect();
                if let Some(race) = self.races(&all, &begins, None).first() {
                    return Err(race.to_string().into());
                }
                let mut entry = all.clone();
                entry.extend(then.entry);
                entry.extend(or.entry);
                all.extend(then.exit);
                all.extend(or.exit);
                let waits = then.waits.intersection(&or.waits).copied().collect();
                Ok((whole, Exposed { entry, exit: all, waits }))
            }
            Kind::Barrier(b) => Ok((c.clone(), Exposed { waits: b.storages(), ..Exposed::default() })),
            _ => {
                let uses = self.uses(c);
                Ok((c.clone(), Exposed { entry: uses.clone(), exit: uses, ..Exposed::default() }))
            }
        }
    }

    /// The uses of shared memory in a command or expression without loops.
    fn uses(&self, c: &Phrase) -> Vec<Use> {
        let shared = |m: &Name| self.shared.get(m).copied();
        let of = |e: effects::Effect| {
            let storage = shared(&e.memory)?;
            Some(Use::new(e, storage, &self.around, &self.known))
        };
        effects::of_some(c, &|m| self.shared.contains_key(m)).into_iter().filter_map(of).collect()
    }

    fn sequence(&mut self, cs: &[Phrase]) -> Result<(Phrase, Exposed), Fault> {
        let mut out = vec![];
        let mut all = Exposed::default();
        // The last barrier that was put here, and the uses that are open although they come before it.
        let mut last: Option<(usize, Barrier)> = None;
        let mut before: Vec<Use> = vec![];
        for c in cs {
            let (c, next) = self.command(c)?;
            let mut races = self.races(&before, &next.entry, None);
            let since = self.races(&all.exit, &next.entry, None);
            if !since.is_empty() || !races.is_empty() {
                let spaces: BTreeSet<Storage> = races.iter().chain(&since).map(|r| r.storage).collect();
                match &mut last {
                    // The barrier that is there keeps these apart, too.
                    Some((at, barrier)) if since.is_empty() => {
                        barrier.races.append(&mut races);
                        out[*at] = self.barrier(barrier.clone())?;
                    }
                    _ => {
                        races.extend(since);
                        let barrier = Barrier { races };
                        last = Some((out.len(), barrier.clone()));
                        out.push(self.barrier(barrier)?);
                        before.append(&mut all.exit);
                    }
                }
                before.retain(|u| !spaces.contains(&u.storage));
                all.waits.extend(spaces);
            }
            out.push(c);
            before.retain(|u| !next.waits.contains(&u.storage));
            all.then(next);
        }
        all.exit.append(&mut before);
        Ok((Phrase::seq(out), all))
    }

    /// The body of a loop with its barriers for these races, too, if that keeps iterations apart: one barrier for both
    /// address spaces costs less than two. For each space the last barrier that does it, of those that every iteration
    /// comes by.
    fn with_wider_barriers(
        &mut self,
        l: &Loop,
        body: &Phrase,
        races: &[Race],
    ) -> Result<Option<(Phrase, Exposed)>, Fault> {
        let count = if self.places { top_level(body, &mut |_| None).1 } else { 0 };
        let mut best = None;
        for space in races.iter().map(|r| r.storage).collect::<BTreeSet<_>>() {
            let of_space: Vec<Race> = races.iter().filter(|r| r.storage == space).cloned().collect();
            let before = best.take().map_or_else(|| body.clone(), |(body, _)| body);
            for chosen in (0..count).rev() {
                let mut number = 0;
                let (wider, _) = top_level(&before, &mut |b| {
                    number += 1;
                    let all = || b.races.iter().chain(&of_space).cloned().collect();
                    (number == chosen + 1).then(|| Barrier { races: all() })
                });
                let (wider, exposed) = self.body(l, &wider)?;
                let left = self.races(&exposed.exit, &exposed.entry, Some(l));
                if left.iter().all(|r| r.storage != space) {
                    best = Some((wider, exposed));
                    break;
                }
            }
            if best.is_none() {
                return Ok(None);
            }
        }
        Ok(best)
    }

    /// The body of a loop, within it.
    fn body(&mut self, l: &Loop, body: &Phrase) -> Result<(Phrase, Exposed), Fault> {
        self.around.push(Around::of(l));
        self.ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
        let done = self.command(body);
        self.ranges.remove(&l.var);
        self.around.pop();
        done
    }

    fn looped(&mut self, l: &Loop) -> Result<(Phrase, Exposed), Fault> {
        let (mut body, mut exposed) = self.body(l, &l.body)?;
        if !l.is_at_most_once(&self.ranges) {
            let races = self.races(&exposed.exit, &exposed.entry, Some(l));
            if !races.is_empty() {
                if let Some(better) = self.with_wider_barriers(l, &body, &races)? {
                    (body, exposed) = better;
                } else {
                    let barrier = Barrier { races };
                    exposed.wait(&barrier.storages());
                    body = Phrase::seq([body, self.barrier(barrier)?]);
                }
            }
        }
        let mut l = Loop { body, ..l.clone() };
        if l.body.has_barrier() {
            l = self.run_by_all(l)?;
        }
        let runs = l.n.sub(&l.init).sub(&Nat::constant(1)).is_natural(&self.ranges);
        if !runs {
            exposed.waits.clear();
        }
        Ok((Phrase::for_loop(l), exposed))
    }

    /// Is no cell of the memory written twice: because it is an output, or because the writes are those of the iterations
    /// of one loop that is shared out, which keep apart? Memory within such a loop is used again by each iteration;
    /// a work-item's number tells where it is.
    fn is_written_once(&self, u: &Use, next_of: Option<&Loop>) -> bool {
        let of_iterations = next_of.is_some_and(|l| match l.kind {
            LoopKind::Parallel(Workers::Local(d)) => !u.is_in_own_part(d),
            _ => false,
        });
        of_iterations || self.outputs.contains(&&u.memory)
    }

    fn barrier(&self, barrier: Barrier) -> Result<Phrase, Fault> {
        match barrier.races.first() {
            Some(race) if !self.places => Err(race.to_string().into()),
            _ => Ok(Phrase::barrier(barrier)),
        }
    }

    /// The races between uses with no barrier between them; in the next iteration of a loop, where there is one.
    fn races(&self, before: &[Use], after: &[Use], next_of: Option<&Loop>) -> Vec<Race> {
        let at =
            Meeting { around: &self.around, next_of, dimensions: &self.dimensions, ranges: &self.ranges };
        let mut found: Vec<Race> = vec![];
        for a in before {
            for b in after {
                // Each cell of an output is written once.
                let matters = a.memory == b.memory
                    && (a.writes != b.writes || a.writes && !self.is_written_once(a, next_of));
                // One race of a kind tells of all.
                let is_new = |r: &Race| {
                    (&r.memory, r.first.writes, r.second.writes) != (&a.memory, a.writes, b.writes)
                };
                if matters && found.iter().all(is_new) && race(a, b, &at) {
                    found.push(Race {
                        memory: a.memory.clone(),
                        storage: a.storage,
                        first: Touch { writes: a.writes, within: a.within(), cell: a.cell() },
                        second: Touch { writes: b.writes, within: b.within(), cell: b.cell() },
                        next_of: next_of.map(|l| l.var.clone()),
                    });
                }
            }
        }
        found
    }

    /// The loop with a barrier in it so that all work-items of a group run it equally often.
    fn run_by_all(&self, mut l: Loop) -> Result<Loop, Fault> {
        if !is_local(l.kind) {
            let varies = [&l.init, &l.n, &l.step].into_iter().any(|n| self.varying.has_number(n));
            return if varies { Err(unequal(&l.var)) } else { Ok(l) };
        }
        if l.n.exact_div(&l.step).is_evidently_integral() {
            return Ok(l);
        }
        if !self.places {
            return Err(unequal(&l.var));
        }
        let var = Phrase::nat(Nat::var(&l.var));
        let there_is = Phrase::less(var, Phrase::nat(l.n.clone()));
        l.body = where_there_is(&l.body, &there_is)?;
        l.n = if l.step.sub(&l.n).is_natural(&self.ranges) {
            l.step.clone()
        } else {
            l.n.add(&l.step).sub(&Nat::constant(1)).floor_div(&l.step).mul(&l.step)
        };
        Ok(l)
    }
}

/// The command with other barriers where `f` gives them, and how many barriers it has that whoever runs it comes by.
fn top_level(c: &Phrase, f: &mut dyn FnMut(&Barrier) -> Option<Barrier>) -> (Phrase, usize) {
    match c.kind() {
        Kind::Barrier(b) => (f(b).map_or_else(|| c.clone(), Phrase::barrier), 1),
        Kind::Seq(_) | Kind::New(..) => {
            let mut count = 0;
            let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| {
                let (d, n) = top_level(d, f);
                count += n;
                Ok(d)
            });
            (c, count)
        }
        _ => (c.clone(), 0),
    }
}

pub(super) fn is_local(kind: LoopKind) -> bool {
    matches!(kind, LoopKind::Parallel(Workers::Local(_)))
}

fn unequal(var: &Name) -> Fault {
    let why = format!(
        "not all work-items reach a barrier in the loop over {var}: they do not run it equally often"
    );
    Fault { why, about: Some(Subject::Made(var.clone())) }
}

/// What is not a barrier only where there is an iteration.
fn where_there_is(c: &Phrase, there_is: &Phrase) -> Result<Phrase, Fault> {
    let only = |c: Phrase| match c.kind() {
        Kind::Skip => c,
        _ => Phrase::if_else(there_is.clone(), c, Phrase::skip()),
    };
    if !c.has_barrier() {
        return Ok(only(c.clone()));
    }
    match c.kind() {
        Kind::Seq(cs) => {
            let (mut out, mut free) = (vec![], vec![]);
            for c in cs {
                if c.has_barrier() {
                    out.push(only(Phrase::seq(std::mem::take(&mut free))));
                    out.push(where_there_is(c, there_is)?);
                } else {
                    free.push(c.clone());
                }
            }
            out.push(only(Phrase::seq(free)));
            Ok(Phrase::seq(out))
        }
        Kind::For(l) => {
            Ok(Phrase::for_loop(Loop { body: where_there_is(&l.body, there_is)?, ..(**l).clone() }))
        }
        Kind::If(condition, ..) => {
            let why = format!(
                "a barrier would stand where {condition} decides, in a loop of which not all work-items of a group may have an iteration"
            );
            Err(Fault { why, about: Some(Subject::From(c.origin().clone())) })
        }
        Kind::New(..) => c.map_children(&mut |d| where_there_is(d, there_is)),
        _ => Ok(c.clone()),
    }
}

/// Every barrier of a command, in order.
pub fn all(c: &Phrase) -> Vec<Barrier> {
    let mut found = vec![];
    let _ = c.any(&mut |p| {
        if let Kind::Barrier(b) = p.kind() {
            found.push((**b).clone());
        }
        false
    });
    found
}
