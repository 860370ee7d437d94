//! Loops over the lanes of vectors that follow each other are one loop, and a vector that only it uses is a number in it.
//! So is an array that is computed on vectors, with the loops that copy it.
//!
//! `new t: <n>f32 in { lanes i: t[i] := 0; lanes i: t[i] := t[i] + a[i]; lanes i: b[i] := t[i] }` becomes
//! `lanes i: new t: f32 in { t := 0; t := t + a[i]; b[i] := t }`. C compilers keep numbers in registers, and do not keep
//! there what goes through an array from one loop to the next. Two loops are one only where no lane of the second needs
//! what another lane of the first did.

use crate::dpia::effects::{self, Effect, Step};
use crate::dpia::{Imperative, Kind, Layout, Loop, LoopKind, Names, Phrase};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use crate::target::Storage;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = joined(&p.body, names);
    Ok(p)
}

fn joined(c: &Phrase, names: &mut Names) -> Phrase {
    if let Kind::New(_, ty, _, body) = c.kind()
        && (ty.as_vector().is_some() || is_row(ty) && computes_on_vectors(body))
        && let Some(block) = Block::of(c).in_one_loop(names)
    {
        return joined(&block, names);
    }
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(joined(d, names)));
    c
}

/// Is this the type of numbers that are no array?
fn is_row(ty: &Type) -> bool {
    ty.as_array().is_some_and(|(_, element)| element.as_scalar().is_some())
}

/// Is there a loop over lanes among the commands that follow each other here?
fn computes_on_vectors(c: &Phrase) -> bool {
    match c.kind() {
        Kind::Seq(commands) => commands.iter().any(computes_on_vectors),
        Kind::New(.., body) => computes_on_vectors(body),
        Kind::For(l) => l.kind == LoopKind::Lanes,
        _ => false,
    }
}

/// Memory that is allocated for commands that follow each other.
#[derive(Default)]
struct Block {
    memory: Vec<(Storage, Type, Name)>,
    commands: Vec<Phrase>,
}

impl Block {
    fn of(c: &Phrase) -> Block {
        let mut block = Block::default();
        block.add(c);
        block
    }

    fn add(&mut self, c: &Phrase) {
        match c.kind() {
            Kind::New(storage, ty, x, body) => {
                self.memory.push((*storage, ty.clone(), x.clone()));
                self.add(body);
            }
            Kind::Seq(commands) => commands.iter().for_each(|c| self.add(c)),
            Kind::Skip => {}
            _ => self.commands.push(c.clone()),
        }
    }

    /// The block with neighbouring loops over lanes made one, if that makes a vector a number.
    fn in_one_loop(self, names: &mut Names) -> Option<Phrase> {
        let mut commands: Vec<Phrase> = vec![];
        for c in self.commands {
            let last = commands.last().and_then(lanes);
            match (last, lanes(&c)) {
                (Some(first), Some(second)) if first.n == second.n && apart(first, second) => {
                    names.comes_from(&first.var, &names.origin(&second.var));
                    let more = second.body.at_iteration(&second.var, &Nat::var(&first.var), names);
                    let body = Phrase::seq([first.body.clone(), more]);
                    let both = Phrase::for_loop(Loop { kind: LoopKind::Lanes, body, ..first.clone() });
                    commands.pop();
                    commands.push(both);
                }
                _ => commands.push(c),
            }
        }
        let before = self.memory.len();
        let mut kept = vec![];
        for (storage, ty, x) in self.memory {
            match commands.iter().position(|c| c.mentions(&x)) {
                Some(at) if !commands[at + 1..].iter().any(|c| c.mentions(&x)) => {
                    match number_in(&commands[at], storage, &ty, &x) {
                        Some(loop_) => commands[at] = loop_,
                        None => kept.push((storage, ty, x)),
                    }
                }
                _ => kept.push((storage, ty, x)),
            }
        }
        let is_less = kept.len() < before;
        let body = Phrase::seq(commands);
        let whole = kept.into_iter().rev().fold(body, |body, (s, ty, x)| Phrase::new_in(s, ty, x, body));
        is_less.then_some(whole)
    }
}

/// A loop over all lanes of vectors, or over as many elements that are as much apart, such as what copies lanes.
fn lanes(c: &Phrase) -> Option<&Loop> {
    let Kind::For(l) = c.kind() else { return None };
    let is_plain = l.init.is_zero() && l.step == Nat::constant(1);
    let is_apart = match l.kind {
        LoopKind::Lanes => true,
        LoopKind::Sequential => apart(l, l),
        _ => false,
    };
    (is_plain && is_apart).then_some(l)
}

/// Does no lane of the second loop need what another lane of the first did, or spoil what one needs?
fn apart(first: &Loop, second: &Loop) -> bool {
    let (a, b) = (effects::of(&first.body), effects::of(&second.body));
    a.iter().all(|x| {
        b.iter()
            .filter(|y| x.memory == y.memory && (x.writes || y.writes))
            .all(|y| own_cell(x, &first.var).is_some_and(|cell| own_cell(y, &second.var) == Some(cell)))
    })
}

/// The cell of a use that no other lane uses in this way, with one name for the lane's number; none if there may be one.
fn own_cell(e: &Effect, lane: &Name) -> Option<Vec<Step>> {
    let own: Name = "lane".into();
    if !e.loops.is_empty() || !e.place.computed.is_empty() {
        return None;
    }
    let is_lane = |v: &NatVar| matches!(v, NatVar::Named(x) if x == lane);
    let tells = |i: &Nat| {
        let step = i.step_of(lane).filter(|s| s.as_constant().is_some_and(|s| s != 0));
        step.is_some_and(|s| !i.sub(&s.mul(&Nat::var(lane))).vars().iter().any(is_lane))
    };
    e.place.steps.iter().any(|s| matches!(s, Step::At(Some(i), _) if tells(i))).then(|| {
        let named = |i: &Nat| i.subst(&|v| is_lane(v).then(|| Nat::var(&own)));
        let steps = e.place.steps.iter();
        steps
            .map(
                |s| {
                    if let Step::At(Some(i), n) = s { Step::At(Some(named(i)), n.clone()) } else { s.clone() }
                },
            )
            .collect()
    })
}

/// The loop over lanes with a number for each lane of the vector `x`, if it uses only that.
fn number_in(c: &Phrase, storage: Storage, ty: &Type, x: &Name) -> Option<Phrase> {
    let l = lanes(c)?;
    let (n, element) = ty.as_vector().or_else(|| ty.as_array())?;
    if *n != l.n {
        return None;
    }
    let body = by_lane(&l.body, x, &l.var)?;
    let body = Phrase::new_in(storage, element.clone(), x.clone(), body);
    Some(Phrase::for_loop(Loop { body, ..l.clone() }))
}

/// The phrase with `x` for `x[lane]`; nothing if it uses `x` in another way.
fn by_lane(p: &Phrase, x: &Name, lane: &Name) -> Option<Phrase> {
    match p.kind() {
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) if matches!(ps.as_slice(), [_, whole] if matches!(whole.kind(), Kind::Var(y) if y == x)) =>
        {
            let (i, parts) = ps.first()?.as_number()?;
            let is_own = parts.is_empty() && i.as_variable() == Some(&NatVar::Named(lane.clone()));
            is_own.then(|| Phrase::var(x, p.ty().clone()))
        }
        Kind::Var(y) if y == x => None,
        _ => p.map_children(&mut |c| by_lane(c, x, lane).ok_or(())).ok(),
    }
}
