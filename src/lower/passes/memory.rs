//! Where memory is, and where it is allocated.
//!
//! *decide*: what the target has for each allocation ([`Target::storage`]); whoever comes later reads it there.
//! *hoist*, for C: what is on the heap is allocated outside sequential loops, once for all iterations. Iterations that
//! run at once keep memory of their own.
//! *to_parameters*, for OpenCL: what work-items share, and what does not fit their private memory, becomes a parameter
//! of the kernel; within a parallel loop it gets one more dimension for each loop, one cell for each work-item, and so it does
//! within a loop over lanes.

use super::workers;
use crate::dpia::barriers;
use crate::dpia::{Imperative, Kind, LoopKind, Names, Phrase, PhraseType, Temporary, Workers};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Nat, Worker};
use crate::lang::ty::Type;
use crate::target::{Storage, Target};

/// Bytes of a value, when its sizes are known.
pub fn bytes(ty: &Type) -> Option<u64> {
    bytes_of(ty, &Nat::as_constant)
}

/// Bytes of a value, where `size` knows its sizes.
fn bytes_of(ty: &Type, size: &dyn Fn(&Nat) -> Option<i64>) -> Option<u64> {
    use crate::lang::ty::TypeKind;
    match ty.kind() {
        TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
            u64::try_from(size(n)?).ok()?.checked_mul(bytes_of(t, size)?)
        }
        TypeKind::Pair(a, b) => bytes_of(a, size)?.checked_add(bytes_of(b, size)?),
        _ => Some(ty.in_memory()?.bytes() as u64),
    }
}

/// # Errors
/// None: it is a pass.
pub fn decide(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = decided(&p.body, p.target);
    Ok(p)
}

fn decided(c: &Phrase, target: Target) -> Phrase {
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(decided(d, target)));
    match c.kind() {
        Kind::New(Storage::Asked(space), ty, x, body) => {
            // In C, what is left over of blocks is at most a block.
            let bytes = if target == Target::C { bytes_of(ty, &Nat::most) } else { bytes(ty) };
            Phrase::new_in(target.storage(*space, bytes), ty.clone(), x.clone(), body.clone())
        }
        _ => c,
    }
}

/// # Errors
/// None: it is a pass.
pub fn hoist(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = lift(&p.body);
    Ok(p)
}

type Allocation = (Storage, Type, Name);

/// Large allocations move around the sequential loops that they are in, outwards as far as to one
/// whose iterations run at once.
fn lift(c: &Phrase) -> Phrase {
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(lift(d)));
    let Kind::For(l) = c.kind() else { return c };
    if l.kind.is_at_once() {
        return c;
    }
    let mut found = vec![];
    let mut l = (**l).clone();
    l.body = take(&l.body, &mut found);
    found.into_iter().rev().fold(Phrase::for_loop(l), |b, (space, ty, x)| Phrase::new_in(space, ty, x, b))
}

/// The command without its large allocations outside loops.
fn take(c: &Phrase, found: &mut Vec<Allocation>) -> Phrase {
    match c.kind() {
        Kind::New(storage @ Storage::Heap, ty, x, body) => {
            found.push((*storage, ty.clone(), x.clone()));
            take(body, found)
        }
        Kind::For(_) => c.clone(),
        _ => {
            let Ok(d) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(take(d, found)));
            d
        }
    }
}

/// # Errors
/// Local memory outside a work-group.
pub fn to_parameters(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    let everyone: Vec<(Nat, Nat)> = workers::dimensions(&p.body)
        .into_iter()
        .map(|d| (Worker::GlobalId(d).nat(), size(&p, Worker::GlobalSize(d))))
        .collect();
    let mut found = vec![];
    let to = To { everyone, has_groups: barriers::has_groups(&p.body) };
    p.body = parameters(&p.body, &to, &mut Around::default(), &mut found)?;
    p.temporaries.extend(found);
    Ok(p)
}

/// How many there are, as a number where that is known.
fn size(p: &Imperative, of: Worker) -> Nat {
    p.launch.as_ref().and_then(|l| l.number(of)).unwrap_or_else(|| of.nat())
}

/// Where memory goes.
struct To {
    /// The number of the work-item and the number of work-items in each dimension that is used.
    everyone: Vec<(Nat, Nat)>,
    has_groups: bool,
}

/// What the iterations of loops around a command are told apart by, and how many there are, outermost first.
#[derive(Default)]
struct Around {
    workers: Vec<(Nat, Nat)>,
    /// Those of work-items within their group alone.
    locals: Vec<(Nat, Nat)>,
    lanes: Vec<(Nat, Nat)>,
}

fn parameters(
    c: &Phrase,
    to: &To,
    around: &mut Around,
    found: &mut Vec<Temporary>,
) -> Result<Phrase, Diagnostic> {
    match c.kind() {
        Kind::New(storage, ty, x, body) => {
            let body = parameters(body, to, around, found)?;
            match storage {
                Storage::Global | Storage::Parameter => {}
                Storage::Local if to.has_groups => {}
                Storage::Local => {
                    return Err(Diagnostic::error(
                        "E0511",
                        "Local memory needs a work-group, and this kernel has none.",
                    )
                    .hint("Use global memory.")
                    .about(Subject::Made(x.clone())));
                }
                _ => return Ok(Phrase::new_in(*storage, ty.clone(), x.clone(), body)),
            }
            // What is private stays every work-item's own, wherever it is.
            let workers = match storage {
                Storage::Parameter => &to.everyone,
                Storage::Local => &around.locals,
                _ => &around.workers,
            };
            let around = [workers.as_slice(), &around.lanes].concat();
            let whole = around.iter().rev().fold(ty.clone(), |t, (_, n)| Type::array(n.clone(), t));
            let place = |ty: &dyn Fn(Type) -> PhraseType| {
                let mut at = Phrase::var(x, ty(whole.clone()));
                for (id, n) in around.iter() {
                    let id = Phrase::number(id.clone(), Type::index(n.clone()));
                    at = match at.ty() {
                        PhraseType::Acc(_) => Phrase::idx_acc(id, at),
                        _ => Phrase::idx(id, at),
                    };
                }
                at
            };
            let read = place(&PhraseType::read);
            let write = place(&PhraseType::Acc);
            found.push(Temporary { name: x.clone(), ty: whole.clone(), storage: *storage });
            Ok(redirect(&body, x, &read, &write))
        }
        Kind::For(l) => {
            let mut l = (**l).clone();
            let (workers, locals, lanes) = (around.workers.len(), around.locals.len(), around.lanes.len());
            match l.kind {
                LoopKind::Parallel(Workers::Threads) => {}
                LoopKind::Parallel(workers) => {
                    // No more of them have an iteration than there are iterations.
                    let many = match (l.step.as_constant(), l.n.as_constant()) {
                        (Some(step), Some(n)) => Nat::constant(step.min(n)),
                        (None, Some(_)) => l.n.clone(),
                        _ => l.step.clone(),
                    };
                    around.workers.push((l.init.clone(), many.clone()));
                    if matches!(workers, Workers::Local(_)) {
                        around.locals.push((l.init.clone(), many));
                    }
                }
                LoopKind::Lanes => around.lanes.push((Nat::var(&l.var), l.n.clone())),
                _ => {}
            }
            let body = parameters(&l.body, to, around, found);
            around.workers.truncate(workers);
            around.locals.truncate(locals);
            around.lanes.truncate(lanes);
            l.body = body?;
            Ok(Phrase::for_loop(l))
        }
        _ => c.map_children(&mut |d| parameters(d, to, around, found)),
    }
}

/// Replaces memory by other memory, as expression and as acceptor.
pub(super) fn redirect(p: &Phrase, x: &Name, read: &Phrase, write: &Phrase) -> Phrase {
    match (p.kind(), p.ty()) {
        (Kind::Var(y), PhraseType::Acc(_)) if y == x => write.clone(),
        (Kind::Var(y), _) if y == x => read.clone(),
        _ => {
            let Ok(q) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(redirect(c, x, read, write)));
            q
        }
    }
}
