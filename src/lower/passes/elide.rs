//! Accumulators that are another accumulator's part, copied in and copied out, work on that part in place.
//!
//! `new t in { t := M[p]; c; M[p] := t }` becomes `c` with `M[p]` for `t`, when `c` does not mention `M`. Nested
//! reductions over arrays make such copies (thesis, appendix B: `t2 := t1 row; …; t1 row := t2`). `M` must be memory of
//! the function's own that is near: accumulating in a large array instead of a small one would be slower. Memory of the
//! heap that is copied to all of other memory there is of the same length: that memory is worked on from the start.
//!
//! Accumulators that fit vector registers stay where their cells are updated again and again: compilers keep such a local
//! array in registers between unrolled steps, and do not do so for part of a larger one. (Matrix multiplication of 1024, one thread of an AVX-512 machine, gcc 12:
//! with a row of 32 floats as local array 65 GFLOP/s, in place 42; with a block of 1024 floats 23, in place 31.)

use crate::dpia::effects::{self, Effect, Place};
use crate::dpia::{Imperative, Kind, Layout, LoopKind, Names, Phrase, PhraseType, element, extent};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::ty::Type;
use crate::target::Storage;
use std::collections::BTreeMap;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = elide(&p.body, &mut BTreeMap::new(), names);
    Ok(p)
}

/// The same of memory that is a work-item's own, before it is decided where it is: what can become registers then does.
pub fn private(c: &Phrase, names: &mut Names) -> Phrase {
    elide(c, &mut BTreeMap::new(), names)
}

/// Is this a work-item's own, wherever that will be?
pub(super) fn is_private(storage: Storage) -> bool {
    storage == Storage::Asked(AddressSpace::Private)
}

/// `own`: memory in scope that may take over a part's work.
fn elide(c: &Phrase, own: &mut BTreeMap<Name, Storage>, names: &mut Names) -> Phrase {
    let Kind::New(storage, ty, x, body) = c.kind() else {
        let Ok(d) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(elide(d, own, names)));
        return if is_idle(&d) { Phrase::skip() } else { d };
    };
    let is_near = storage.is_near() || is_private(*storage);
    let elides = is_near || *storage == Storage::Heap;
    if elides {
        own.insert(x.clone(), *storage);
    }
    let body = elide(body, own, names);
    own.remove(x);
    let may_take_over = |target: &Phrase, memory: &Name| match own.get(memory) {
        Some(Storage::Heap) => *storage == Storage::Heap && matches!(target.kind(), Kind::Var(_)),
        Some(_) => is_near,
        None => false,
    };
    if elides
        && (*storage != Storage::Register || is_updated_once(&body, x))
        && let Some(merged) = merge(x, ty, &body, &may_take_over, names)
    {
        return merged;
    }
    Phrase::new_in(*storage, ty.clone(), x.clone(), body)
}

/// Between being filled and being copied, is each cell of the memory written once at most?
fn is_updated_once(body: &Phrase, x: &Name) -> bool {
    let Kind::Seq(commands) = body.kind() else { return false };
    let [_, update, _] = commands.as_slice() else { return false };
    let written: Vec<Effect> = effects::of_memory(update, x).into_iter().filter(|e| e.writes).collect();
    let [write] = written.as_slice() else { return false };
    let indices = write.place.indices();
    let is_index =
        |v: &Name| indices.iter().any(|i| i.and_then(Nat::as_variable) == Some(&NatVar::Named(v.clone())));
    write.loops.iter().all(|l| is_index(&l.var))
}

fn merge(
    x: &Name,
    ty: &Type,
    body: &Phrase,
    may_take_over: &dyn Fn(&Phrase, &Name) -> bool,
    names: &mut Names,
) -> Option<Phrase> {
    ty.as_array()?;
    let Kind::Seq(commands) = body.kind() else { return None };
    let (last, before) = commands.split_last()?;
    let (target, read) = copied_to(last, x, ty)?;
    let memory = &Place::of(&target)?.memory?;
    if !may_take_over(&target, memory) {
        return None;
    }
    // What fills `x` may read the part, if that is all it does.
    let (first, rest) = before.split_first()?;
    let fills = filled_from(first, x, ty).is_some_and(|from| from == read) || !first.mentions(memory);
    if !fills || rest.iter().any(|c| c.mentions(memory)) {
        return None;
    }
    names.comes_from(memory, &names.origin(x));
    let moved = before.iter().map(|c| without_self_copies(&super::memory::redirect(c, x, &read, &target)));
    Some(Phrase::seq(moved.collect::<Vec<_>>()))
}

/// For a nest of loops that copies all of `x` to one place: the place, as acceptor and as expression.
fn copied_to(c: &Phrase, x: &Name, ty: &Type) -> Option<(Phrase, Phrase)> {
    let (to, from, loops) = copy(c)?;
    let vars = all_of(ty, &loops)?;
    let whole = strip(&from, &vars)?;
    let target = strip(&to, &vars)?;
    (matches!(whole.kind(), Kind::Var(y) if y == x) && target.data() == *ty).then_some(())?;
    let read = as_expression(&target)?;
    Some((target, read))
}

/// For a nest of loops that copies one place to all of `x`: the place.
fn filled_from(c: &Phrase, x: &Name, ty: &Type) -> Option<Phrase> {
    let (to, from, loops) = copy(c)?;
    let vars = all_of(ty, &loops)?;
    let whole = strip(&to, &vars)?;
    let source = strip(&from, &vars)?;
    (matches!(whole.kind(), Kind::Var(y) if y == x) && source.data() == *ty).then_some(source)
}

/// The loops' variables, when the loops run over all cells of the type.
fn all_of(ty: &Type, loops: &[(Name, Nat)]) -> Option<Vec<Name>> {
    let mut rest = ty.clone();
    for (_, n) in loops {
        (*n == extent(&rest)).then_some(())?;
        rest = element(&rest);
    }
    (rest.as_array().is_none() && rest.as_vector().is_none())
        .then(|| loops.iter().map(|(x, _)| x.clone()).collect())
}

/// A loop's variable and its bound.
type Loop = (Name, Nat);

/// The assignment in a nest of loops, with the loops outermost first.
fn copy(c: &Phrase) -> Option<(Phrase, Phrase, Vec<Loop>)> {
    match c.kind() {
        Kind::Assign(to, from) => Some((to.clone(), from.clone(), vec![])),
        Kind::For(l)
            if !matches!(l.kind, LoopKind::Parallel(_)) && l.init.is_zero() && l.step == Nat::constant(1) =>
        {
            let (to, from, mut loops) = copy(&l.body)?;
            loops.insert(0, (l.var.clone(), l.n.clone()));
            Some((to, from, loops))
        }
        _ => None,
    }
}

/// The cell without its last indices, which must be exactly the variables.
fn strip(cell: &Phrase, vars: &[Name]) -> Option<Phrase> {
    let mut cell = cell.clone();
    for x in vars.iter().rev() {
        let (Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps)) = cell.kind() else {
            return None;
        };
        let [i, whole] = ps.as_slice() else { return None };
        let (n, parts) = i.as_number()?;
        (parts.is_empty() && n.as_variable() == Some(&NatVar::Named(x.clone()))).then_some(())?;
        let whole = whole.clone();
        cell = whole;
    }
    // The variables must not stand in the rest.
    (!vars.iter().any(|x| cell.mentions(x))).then_some(cell)
}

fn as_expression(target: &Phrase) -> Option<Phrase> {
    Some(match target.kind() {
        Kind::Var(x) => Phrase::var(x, PhraseType::read(target.data())),
        Kind::Acceptor(Layout::Index, ps) => Phrase::idx(ps.first()?.clone(), as_expression(ps.get(1)?)?),
        Kind::Acceptor(Layout::First, ps) => Phrase::fst(as_expression(ps.first()?)?),
        Kind::Acceptor(Layout::Second, ps) => Phrase::snd(as_expression(ps.first()?)?),
        _ => return None,
    })
}

/// Does the command nothing: a copy of a cell to itself, or a loop over it?
pub(super) fn is_idle(c: &Phrase) -> bool {
    match c.kind() {
        Kind::Assign(to, from) => as_expression(to).as_ref() == Some(from),
        Kind::For(l) => matches!(l.body.kind(), Kind::Skip),
        _ => false,
    }
}

fn without_self_copies(c: &Phrase) -> Phrase {
    if c.ty() != &PhraseType::Comm {
        return c.clone();
    }
    let Ok(d) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(without_self_copies(d)));
    if is_idle(&d) { Phrase::skip() } else { d }
}
