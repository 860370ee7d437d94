//! Values that may not exist are computed where they are surely read.
//!
//! A value that several readers share is computed before them, and a branch of `select` may be the only one to read it.
//! Where the value divides by a number, or is read where a number says, it may have no value unless that branch is taken.
//! Then the branch computes it: `let y = 100 / z in select (z == 0) 0 (y * y)` divides in the second branch only. Loops
//! are taken to run.

use super::translate::Translator;
use crate::dpia::{Kind, Names, Phrase, PhraseType};
use crate::lang::literal::Literal;
use crate::lang::nat::Name;
use crate::lang::pattern::{AddressSpace, Level, Pattern};
use crate::lang::term::Arg;
use crate::lang::ty::Type;

impl Translator {
    /// The body of `f`, in whose branches the value is computed, if it may have none and is not surely read.
    pub fn deferred(&mut self, f: &Phrase, value: &Phrase) -> Option<Phrase> {
        let Kind::Lam(x, ty, body) = f.kind() else { return None };
        let moves = must_be_chosen(value) && !reads(body, &Reading { x, by_lanes: goes_by_lanes(value) });
        moves.then(|| computed_by_readers(body, &Shared { x, ty, value }, &mut self.names))
    }

    /// As [`Translator::deferred`] for a readable pair, by components.
    pub fn deferred_parts(&mut self, f: &Phrase, pair: &Phrase) -> Option<Phrase> {
        pair.data().as_pair().filter(|_| may_fail(pair))?;
        let parts = match pair.kind() {
            Kind::Pattern(Pattern::MakePair, _, ps) => ps.clone(),
            _ => vec![Phrase::fst(pair.clone()), Phrase::snd(pair.clone())],
        };
        let names: Vec<Name> = parts.iter().map(|_| self.names.fresh("x")).collect();
        let variables = names.iter().zip(&parts).map(|(x, p)| Phrase::var(x, p.ty().clone())).collect();
        let variables = Phrase::pattern(Pattern::MakePair, vec![], variables, pair.data(), pair.access());
        let body = f.instantiate(&variables, &mut self.names);
        let is_read = |x: &Name, part: &Phrase| reads(&body, &Reading { x, by_lanes: goes_by_lanes(part) });
        if names.iter().zip(&parts).all(|(x, part)| !may_fail(part) || is_read(x, part)) {
            return None;
        }
        Some(names.into_iter().zip(parts).fold(body, |body, (x, part)| sharing(x, &body, part)))
    }
}

/// A value with the name that its readers know it by.
struct Shared<'a> {
    x: &'a Name,
    ty: &'a PhraseType,
    value: &'a Phrase,
}

/// `(\x. body) value`
fn shared(x: Name, ty: PhraseType, body: Phrase, value: Phrase) -> Phrase {
    let result = body.ty().clone();
    Phrase::new(Kind::App(Phrase::lam(x, ty, body), value), result)
}

/// As [`shared`], behind the parameters of a body that is a function.
fn sharing(x: Name, body: &Phrase, value: Phrase) -> Phrase {
    match body.kind() {
        Kind::Lam(y, ty, inner) => Phrase::lam(y.clone(), ty.clone(), sharing(x, inner, value)),
        _ => shared(x, value.ty().clone(), body.clone(), value),
    }
}

/// The phrase, each part of it that surely reads the value computing it.
fn computed_by_readers(e: &Phrase, s: &Shared<'_>, names: &mut Names) -> Phrase {
    if !e.mentions(s.x) {
        return e.clone();
    }
    // A component of a pair that is put together reads that alone; computed around the pair, the value would have to be taken
    // apart again.
    if let Some(part) = component(e) {
        return computed_by_readers(part, s, names);
    }
    if reads(e, &Reading { x: s.x, by_lanes: goes_by_lanes(s.value) }) && !matches!(e.kind(), Kind::Lam(..)) {
        let x = names.fresh(s.x);
        let f = Phrase::lam(s.x.clone(), s.ty.clone(), e.clone());
        let body = f.instantiate(&Phrase::var(&x, s.ty.clone()), names);
        return shared(x, s.ty.clone(), body, s.value.clone());
    }
    let Ok(e) = e.map_children::<std::convert::Infallible>(&mut |c| Ok(computed_by_readers(c, s, names)));
    e
}

/// The part of a pair that is put together here of which this is the component.
fn component(e: &Phrase) -> Option<&Phrase> {
    let Kind::Pattern(p @ (Pattern::Fst | Pattern::Snd), _, ps) = e.kind() else { return None };
    let [pair] = ps.as_slice() else { return None };
    match component(pair).unwrap_or(pair).kind() {
        Kind::Pattern(Pattern::MakePair, _, parts) => parts.get(usize::from(*p == Pattern::Snd)),
        _ => None,
    }
}

/// A variable, and whether each lane of it can be computed for itself.
struct Reading<'a> {
    x: &'a Name,
    by_lanes: bool,
}

/// Can each lane of the value be computed for itself? Arrays are stored with all lanes.
fn goes_by_lanes(value: &Phrase) -> bool {
    !value.any(&mut |e| matches!(e.kind(), Kind::Pattern(Pattern::ToMem, _, _) if e.data().has_array()))
}

/// Does whoever computes the phrase surely read the variable?
fn reads(e: &Phrase, r: &Reading<'_>) -> bool {
    let of = |y| Reading { x: y, by_lanes: r.by_lanes };
    match e.kind() {
        Kind::Var(y) => r.x == y,
        Kind::App(f, value) => match f.kind() {
            Kind::Lam(y, _, body) => reads(body, r) || (reads(body, &of(y)) && reads(value, r)),
            _ => reads(f, r) || reads(value, r),
        },
        Kind::Pattern(Pattern::Let, _, ps)
            if let [value, f] = ps.as_slice()
                && let Kind::Lam(y, _, body) = f.kind() =>
        {
            reads(body, r) || (reads(body, &of(y)) && reads(value, r))
        }
        // Of vectors each lane is chosen, and computed, for itself.
        Kind::Pattern(Pattern::Select, _, ps)
            if let [c, a, b] = ps.as_slice()
                && (r.by_lanes || c.data().as_vector().is_none()) =>
        {
            reads(c, r) || (reads(a, r) && reads(b, r))
        }
        _ => match component(e) {
            Some(part) => reads(part, r),
            None => e.children().into_iter().any(|c| reads(c, r)),
        },
    }
}

/// May it have no value? A division by anything but a number that divides, a place that a number says, and what the program
/// does not define itself.
pub fn may_fail(e: &Phrase) -> bool {
    e.any(&mut |p| match p.kind() {
        Kind::Pattern(Pattern::Div | Pattern::Mod, _, ps) => {
            !has_floats(&p.data()) && ps.get(1).is_none_or(|divisor| !divides(divisor))
        }
        Kind::Pattern(Pattern::NatAsIndex | Pattern::Declared(_), _, _) => true,
        _ => false,
    })
}

fn has_floats(ty: &Type) -> bool {
    let lane = ty.as_vector().map_or(ty, |(_, lane)| lane);
    lane.as_scalar().is_some_and(|s| s.is_float())
}

/// Is it a constant by which all numbers can be divided?
fn divides(e: &Phrase) -> bool {
    match e.kind() {
        Kind::Lit(Literal::Int(n, _)) => !matches!(n, 0 | -1),
        Kind::Pattern(Pattern::VectorFromScalar, _, ps) => ps.iter().all(divides),
        _ => e.as_number().and_then(|(n, _)| n.as_constant()).is_some_and(|n| n > 0),
    }
}

/// Must it stay in the branch that computes it?
pub fn must_be_chosen(e: &Phrase) -> bool {
    may_fail(e) && !is_of_many(e)
}

/// A pair in memory whose components are computed one by one, where one of them may have no value: then each is a variable.
pub fn by_components(value: &Phrase) -> &Phrase {
    match value.kind() {
        Kind::Pattern(Pattern::ToMem, _, ps)
            if let [pair] = ps.as_slice()
                && pair.data().as_pair().is_some()
                && !pair.data().has_array()
                && must_be_chosen(value) =>
        {
            pair
        }
        _ => value,
    }
}

/// Is it computed by work-items together, or for all of them? They go the same way only where all are.
fn is_of_many(e: &Phrase) -> bool {
    e.any(&mut |p| {
        matches!(p.kind(), Kind::Pattern(p, args, _) if p.level() == Level::OpenCl
            || args.iter().any(|a| matches!(a, Arg::Addr(a) if *a != AddressSpace::Private)))
    })
}
