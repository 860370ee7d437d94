//! One lane of a vector that takes commands: the commands are for that lane alone.
//!
//! `(let x = v in b)[i]` is `let x = v[i] in b[i]` where `b` uses `x` lane by lane, and so it is with what is stored and
//! with reductions. A lane that does not choose a value then computes nothing of it: it divides by no zero of its own.

use super::translate::{Translated, Translator};
use super::views::{Step, chain};
use crate::dpia::{Access, Kind, Phrase, PhraseType, extent};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type};

impl Translator {
    /// The lane that `steps` lead to, the last of them first, as an expression that stores no other lane; nothing where
    /// that is no lane, or other lanes are needed for it.
    pub(super) fn lane(&mut self, e: &Phrase, steps: &[Step]) -> Option<Phrase> {
        let (lane @ Step::At(_), outer) = steps.split_first()? else { return None };
        let vector = chain(e, outer.to_vec()).data();
        vector.as_vector()?;
        let part = |e: Phrase| chain(&e, steps.to_vec());
        match e.kind() {
            Kind::App(f, value) => {
                let (f, value) = self.lane_of_body(f, value, &extent(&vector), lane, &part)?;
                let PhraseType::Fun(ty) = f.ty().clone() else { return None };
                Some(Phrase::new(Kind::App(f, value), ty.1.clone()))
            }
            Kind::Pattern(p @ Pattern::Let, args, ps) => {
                let [value, f] = ps.as_slice() else { return None };
                let (f, value) = self.lane_of_body(f, value, &extent(&vector), lane, &part)?;
                let PhraseType::Fun(ty) = f.ty().clone() else { return None };
                Some(Phrase::pattern(*p, args.clone(), vec![value, f], ty.1.data()?.clone(), e.access()))
            }
            Kind::Pattern(p @ Pattern::ToMem, args, ps) if !e.data().has_array() => {
                let value = part(ps.first()?.clone());
                let ty = value.data();
                Some(Phrase::pattern(*p, args.clone(), vec![value], ty, e.access()))
            }
            Kind::Pattern(p, args, ps) if p.is_sequential_reduce() && outer.is_empty() => {
                let [f, init, x] = ps.as_slice() else { return None };
                let Kind::Lam(acc, _, step) = f.kind() else { return None };
                let Kind::Lam(_, _, body) = step.kind() else { return None };
                if !is_lanewise(body, acc) {
                    return None;
                }
                let init = narrow(init, lane);
                let (y, step) = self.of_lane(f, &init.data());
                let Kind::Lam(element, of, body) = step.kind() else { return None };
                let step = Phrase::lam(element.clone(), of.clone(), part(body.clone()));
                let f = Phrase::lam(y, PhraseType::read(init.data()), step);
                let ty = init.data();
                Some(Phrase::pattern(*p, args.clone(), vec![f, init, x.clone()], ty, e.access()))
            }
            _ => None,
        }
    }

    /// A division may be computed in a lane of vectors if that is the lane of each choice around it: of others it is not
    /// known that they divide by no zero.
    ///
    /// # Errors
    /// A division in another lane.
    pub(super) fn may_divide(
        &self,
        p: Pattern,
        ty: &Type,
        by: Option<&Phrase>,
        steps: &[Step],
    ) -> Translated<()> {
        let divides =
            matches!(p, Pattern::Div | Pattern::Mod) && !ty.lane().as_scalar().is_some_and(Scalar::is_float);
        let Some(Step::At(lane)) = steps.first().filter(|_| divides) else { return Ok(()) };
        let is_known =
            matches!(by.map(Phrase::kind), Some(Kind::Lit(Literal::Int(n, _))) if !matches!(n, -1 | 0));
        if is_known || self.chosen.iter().all(|chosen| lane.is(chosen)) {
            return Ok(());
        }
        let why = "within a `select` by lanes it is computed in lanes that may not choose it";
        Err(Diagnostic::error("E0508", format!("There is no code for `{p}` here yet: {why}."))
            .about(Subject::Pattern(p))
            .hint("Compute it before the `select`, from divisors that are not zero in any lane, or use scalars."))
    }

    /// `\x. body` and its argument as a function to the part of the body, and the lane of the argument where no other
    /// one is needed.
    fn lane_of_body(
        &mut self,
        f: &Phrase,
        value: &Phrase,
        lanes: &Nat,
        lane: &Step,
        part: &dyn Fn(Phrase) -> Phrase,
    ) -> Option<(Phrase, Phrase)> {
        let Kind::Lam(x, of, body) = f.kind() else { return None };
        if !is_of_lanes(&value.data(), &|n| n == lanes) || !is_lanewise(body, x) {
            return Some((Phrase::lam(x.clone(), of.clone(), part(body.clone())), value.clone()));
        }
        let value = narrow(value, lane);
        let (y, body) = self.of_lane(f, &value.data());
        Some((Phrase::lam(y, PhraseType::read(value.data()), part(body)), value))
    }

    /// The body of a function of vectors for one whose lanes are all the same, with the variable for that lane.
    fn of_lane(&mut self, f: &Phrase, ty: &Type) -> (Name, Phrase) {
        let (hint, whole): (Name, Type) = match f.kind() {
            Kind::Lam(x, t, _) => (x.clone(), t.data().cloned().unwrap_or_else(Type::ill)),
            _ => ("x".into(), Type::ill()),
        };
        let y = self.names.fresh(&hint);
        let wide = widened(&Phrase::var(&y, PhraseType::read(ty.clone())), &whole);
        let body = f.instantiate(&wide, &mut self.names);
        (y, body)
    }
}

/// Is it a vector, or pairs of vectors, of so many lanes?
fn is_of_lanes(t: &Type, lanes: &dyn Fn(&Nat) -> bool) -> bool {
    match (t.as_pair(), t.as_vector()) {
        (Some((a, b)), _) => is_of_lanes(a, lanes) && is_of_lanes(b, lanes),
        (_, Some((n, _))) => lanes(n),
        _ => false,
    }
}

/// Does each lane of the vectors need no other lane of `x`?
fn is_lanewise(e: &Phrase, x: &Name) -> bool {
    let is_apart = |q: &Phrase| !q.mentions(x) || (is_of_lanes(&q.data(), &|_| true) && is_lanewise(q, x));
    let shared = |f: &Phrase, value: &Phrase| match f.kind() {
        Kind::Lam(y, _, body) => {
            is_apart(value) && is_lanewise(body, x) && (!value.mentions(x) || is_lanewise(body, y))
        }
        _ => false,
    };
    match e.kind() {
        Kind::Var(_) => true,
        Kind::App(f, value) => shared(f, value),
        Kind::Pattern(Pattern::Let, _, ps) => matches!(ps.as_slice(), [value, f] if shared(f, value)),
        Kind::Pattern(p, _, ps)
            if p.is_scalar()
                || matches!(
                    p,
                    Pattern::Select | Pattern::MakePair | Pattern::Fst | Pattern::Snd | Pattern::ToMem
                ) =>
        {
            ps.iter().all(is_apart)
        }
        _ => !e.mentions(x),
    }
}

/// A lane of a vector, or of each vector of pairs.
fn narrow(e: &Phrase, lane: &Step) -> Phrase {
    if e.data().as_pair().is_none() {
        return chain(e, vec![lane.clone()]);
    }
    pair(narrow(&Phrase::fst(e.clone()), lane), narrow(&Phrase::snd(e.clone()), lane))
}

/// Vectors of the type, all lanes of which are this.
fn widened(e: &Phrase, ty: &Type) -> Phrase {
    match ty.as_pair() {
        Some((a, b)) => pair(widened(&Phrase::fst(e.clone()), a), widened(&Phrase::snd(e.clone()), b)),
        None => Phrase::pattern(Pattern::VectorFromScalar, vec![], vec![e.clone()], ty.clone(), Access::Read),
    }
}

fn pair(a: Phrase, b: Phrase) -> Phrase {
    let ty = Type::pair(a.data(), b.data());
    Phrase::pattern(Pattern::MakePair, vec![], vec![a, b], ty, Access::Read)
}

/// Are there vectors in values of the type?
pub(super) fn has_vectors(t: &Type) -> bool {
    match (t.as_pair(), t.as_array()) {
        (Some((a, b)), _) => has_vectors(a) || has_vectors(b),
        (_, Some((_, t))) => has_vectors(t),
        _ => t.as_vector().is_some(),
    }
}
