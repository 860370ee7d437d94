//! Loops over lanes as vectors of OpenCL C: `float4`, `vload4`, `vstore4`.
//!
//! In: a loop over the lanes of vectors, whose iterations are independent. Out: statements that compute all lanes at once, and
//! mean what the loop does: comparisons of vectors are masks, all bits of a lane or none; `select` computes both sides,
//! so it stands only for choices of which both sides have a value in every lane; integers wrap in an unsigned type.
//! Where vectors have no such operation the loop stays a loop over scalars, and what it uses stays arrays of scalars.

pub mod halves;
mod memory;
mod operations;
mod values;

use crate::code::{Emitted, Generator, Lanes, Lies, Place, push_assignment};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type};
use crate::lower::dpia::effects::{self, Around, Effect};
use crate::lower::dpia::{Kind, Loop, LoopKind, Phrase};
use crate::lower::target::Storage;
use crate::syntax::{Expr, Stmt, What};

/// The lanes that OpenCL has vectors of.
const WIDTHS: &[i64] = &[2, 3, 4, 8, 16];

/// What a statement loads. Where something is loaded more than once and nothing is chosen, it gets a name.
#[derive(Clone, Default)]
pub struct Loads {
    found: Vec<(Expr, u32)>,
    named: Vec<(Expr, String)>,
    has_choice: bool,
}

/// Why there is no vector.
enum Unfit {
    /// It takes scalars.
    Scalars,
    Failed(Diagnostic),
}

impl From<Diagnostic> for Unfit {
    fn from(d: Diagnostic) -> Unfit {
        Unfit::Failed(d)
    }
}

type Found<T> = Result<T, Unfit>;

/// The lanes of a loop.
struct At<'a> {
    var: &'a Name,
    n: i64,
    /// Memory that each lane has of its own.
    own: Vec<Name>,
    /// In what only some lanes choose, but all compute: how much of their own memory stands outside it.
    within: Option<usize>,
}

impl At<'_> {
    /// Is the value the same in all lanes?
    fn is_same(&self, e: &Phrase) -> bool {
        !e.mentions(self.var) && !self.own.iter().any(|x| e.mentions(x))
    }
}

/// A value in all lanes.
enum Value {
    /// The same in each.
    One(Expr),
    Many(Expr),
    /// A truth value in each, as all or none of the bits of so many bytes.
    Mask(Expr, usize),
}

/// How many lanes the loop goes over, if there are such vectors.
fn width(l: &Loop) -> Option<i64> {
    let is_plain = l.kind == LoopKind::Lanes && l.init.is_zero() && l.step == Nat::constant(1);
    l.n.as_constant().filter(|n| is_plain && WIDTHS.contains(n))
}

fn is_variable(i: &Phrase, x: &Name) -> bool {
    i.as_number()
        .is_some_and(|(n, parts)| parts.is_empty() && n.as_variable() == Some(&NatVar::Named(x.clone())))
}

fn minus(e: Expr) -> Expr {
    Expr::Unary("-", Box::new(e))
}
impl Generator {
    /// The statements of a loop over lanes.
    pub(super) fn lanes_statements(&mut self, l: &Loop, out: &mut Vec<Stmt>) -> Emitted<()> {
        if let Some(n) = width(l) {
            let before = self.clone();
            let mut at = At { var: &l.var, n, own: vec![], within: None };
            self.ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
            let mut found = vec![];
            match self.all_lanes(&l.body, &mut at, &mut found) {
                Ok(()) => {
                    self.ranges.remove(&l.var);
                    found.into_iter().for_each(|s| push_assignment(s, out));
                    return Ok(());
                }
                Err(Unfit::Failed(d)) => return Err(d),
                Err(Unfit::Scalars) => *self = before,
            }
            if self.take_apart(&l.body) {
                return Ok(());
            }
        }
        let s = self.loop_around(l, |g| g.command(&l.body))?;
        out.push(s);
        Ok(())
    }

    /// Is there memory in the phrase that is kept as vectors? It is not from now on, and all is to be made again.
    pub(super) fn take_apart(&mut self, c: &Phrase) -> bool {
        let before = self.apart.len();
        let _ = c.any(&mut |p| {
            if let Kind::Var(x) = p.kind()
                && self.places.get(x).is_some_and(|ps| ps.iter().any(|p| p.lanes.is_some()))
            {
                self.apart.insert(x.clone());
            }
            false
        });
        self.apart.len() > before
    }

    /// Declares what of the memory can be kept as vectors: what is used in loops over lanes. Lanes that are known may be read
    /// besides.
    pub(super) fn keep_as_vectors(
        &mut self,
        places: &mut [Place],
        x: &Name,
        body: &Phrase,
        out: &mut Vec<Stmt>,
    ) {
        let mut uses: Option<Vec<Effect>> = None;
        for place in places.iter_mut() {
            if self.apart.contains(x) {
                break;
            }
            let lanes = place.leaf.dims.last().and_then(Nat::as_constant).filter(|n| WIDTHS.contains(n));
            let scalar = place.leaf.scalar();
            let Some(n) = lanes else { continue };
            let uses = uses.get_or_insert_with(|| effects::of(body));
            let mut of_place =
                uses.iter().filter(|e| e.memory == *x && e.place.component() == place.leaf.path);
            let lane = |e: &Effect| e.place.indices().last().copied().flatten().cloned();
            let in_loop = |e: &Effect| {
                let Some(NatVar::Named(v)) = lane(e)?.as_variable().cloned() else { return None };
                let is_lanes =
                    |l: &Around| l.kind == LoopKind::Lanes && l.is_plain && l.n.as_constant() == Some(n);
                e.loops.iter().any(|l| l.var == v && is_lanes(l)).then_some(())
            };
            let known = |e: &Effect| {
                !e.writes && lane(e).is_some_and(|i| i.as_constant().is_some_and(|k| (0..n).contains(&k)))
            };
            let whole = place.leaf.dims.len();
            let is_kept = of_place
                .clone()
                .all(|e| e.place.indices().len() == whole && (in_loop(e).is_some() || known(e)));
            if !is_kept || !of_place.any(|e| in_loop(e).is_some()) {
                continue;
            }
            place.lanes = Some(Lanes::Last);
            place.is_array = whole > 1;
            let ty = self.vector_type(scalar, n);
            let count = place.leaf.dims[..whole - 1].iter().fold(Nat::constant(1), |n, d| n.mul(d));
            let len = place.is_array.then(|| self.number(&count));
            out.push(self.stmt(What::Declare { ty, name: place.name.clone(), len, init: None }));
        }
        self.places.insert(x.clone(), places.to_vec());
    }

    fn vector_type(&mut self, s: Scalar, n: i64) -> String {
        format!("{}{n}", self.scalar_type(s))
    }

    /// The statements of a command for all lanes at once.
    fn all_lanes(&mut self, c: &Phrase, at: &mut At, out: &mut Vec<Stmt>) -> Found<()> {
        self.made_for(c, |g| g.in_all_lanes(c, at, out))
    }

    fn in_all_lanes(&mut self, c: &Phrase, at: &mut At, out: &mut Vec<Stmt>) -> Found<()> {
        match c.kind() {
            Kind::Skip => Ok(()),
            Kind::Seq(cs) => cs.iter().try_for_each(|c| self.all_lanes(c, at, out)),
            Kind::Assign(to, value) => self.store(to, value, at, out),
            Kind::New(storage, ty, x, body) => {
                self.own(*storage, ty, x, at, out)?;
                self.all_lanes(body, at, out)
            }
            Kind::For(l) if matches!(l.kind, LoopKind::Sequential | LoopKind::Unrolled) => {
                if [&l.init, &l.n, &l.step].iter().any(|n| n.vars().contains(&NatVar::Named(at.var.clone())))
                {
                    return Err(Unfit::Scalars);
                }
                let s = self.loop_around(l, |g| {
                    let mut body = vec![];
                    g.all_lanes(&l.body, at, &mut body)?;
                    Ok::<_, Unfit>(body)
                })?;
                out.push(s);
                Ok(())
            }
            Kind::If(c, a, b) if at.is_same(c) && (at.within.is_none() || self.is_total(c)) => {
                let condition = self.value(c)?;
                let (mut then, mut otherwise) = (vec![], vec![]);
                self.all_lanes(a, at, &mut then)?;
                self.all_lanes(b, at, &mut otherwise)?;
                out.push(self.stmt(What::If { condition, then, otherwise }));
                Ok(())
            }
            Kind::If(_, a, _) => {
                let to = last_target(a).cloned().ok_or(Unfit::Scalars)?;
                let target = self.kept(&to, at)?.ok_or(Unfit::Scalars)?;
                self.may_store(&to, at)?;
                let s = to.data().in_memory().ok_or(Unfit::Scalars)?;
                let value = self.all_chosen(c, &to, s, at, out)?;
                let value = self.many(value, s, at)?;
                push_assignment(self.stmt(What::Assign { to: target, op: "=", value }), out);
                Ok(())
            }
            _ => Err(Unfit::Scalars),
        }
    }

    /// What the command stores at last, `to`, in all lanes, whoever chooses it; what comes before is computed in all of them.
    fn all_chosen(
        &mut self,
        c: &Phrase,
        to: &Phrase,
        s: Scalar,
        at: &mut At,
        out: &mut Vec<Stmt>,
    ) -> Found<Value> {
        match c.kind() {
            Kind::Assign(place, value) if place == to && self.is_total(value) => {
                self.loads = Loads::default();
                self.lanes_of(value, at)
            }
            Kind::Seq(cs) => {
                let (last, before) = cs.split_last().ok_or(Unfit::Scalars)?;
                before.iter().try_for_each(|c| self.all_lanes(c, at, out))?;
                self.all_chosen(last, to, s, at, out)
            }
            Kind::New(storage, ty, x, body) => {
                self.own(*storage, ty, x, at, out)?;
                self.all_chosen(body, to, s, at, out)
            }
            Kind::If(c, a, b) if at.within.is_none() || self.is_total(c) => {
                let outside = at.within;
                at.within = Some(outside.unwrap_or(at.own.len()));
                let a = self.all_chosen(a, to, s, at, out);
                let b = self.all_chosen(b, to, s, at, out);
                at.within = outside;
                let (a, b) = (a?, b?);
                let c = self.lanes_of(c, at)?;
                self.one_of(c, a, b, s, at)
            }
            _ => Err(Unfit::Scalars),
        }
    }

    /// What is computed in all lanes is stored in memory that no lane but those that chose it uses.
    fn may_store(&self, to: &Phrase, at: &At) -> Found<()> {
        let Some(outside) = at.within else { return Ok(()) };
        if at.own.iter().skip(outside).any(|x| to.mentions(x)) { Ok(()) } else { Err(Unfit::Scalars) }
    }

    /// Declares memory that each lane has of its own.
    fn own(&mut self, storage: Storage, ty: &Type, x: &Name, at: &mut At, out: &mut Vec<Stmt>) -> Found<()> {
        if !storage.is_near() || self.apart.contains(x) {
            return Err(Unfit::Scalars);
        }
        let mut places = self.place(x, ty, Lies::Near);
        for place in &mut places {
            let scalar = place.leaf.scalar();
            if place.is_array {
                return Err(Unfit::Scalars);
            }
            place.lanes = Some(Lanes::Of(at.var.clone()));
            let ty = self.vector_type(scalar, at.n);
            out.push(self.stmt(What::Declare { ty, name: place.name.clone(), len: None, init: None }));
        }
        self.places.insert(x.clone(), places);
        at.own.push(x.clone());
        Ok(())
    }

    fn store(&mut self, to: &Phrase, value: &Phrase, at: &At, out: &mut Vec<Stmt>) -> Found<()> {
        if let Kind::Pattern(Pattern::Cast, _, ps) = value.kind()
            && let [e] = ps.as_slice()
            && self.is_given_half(to)?
        {
            let is_float = e.data().as_scalar() == Some(Scalar::F32);
            if !is_float || at.within.is_some() || self.is_apart(to, at)? {
                return Err(Unfit::Scalars);
            }
            let e = self.shared_loads(e, Scalar::F32, at, out)?;
            let s = self.stored_as_halves(to, e, at)?;
            out.push(s);
            return Ok(());
        }
        let scalar = value.data().in_memory().ok_or(Unfit::Scalars)?;
        self.may_store(to, at)?;
        if at.within.is_some() && !self.is_total(value) {
            return Err(Unfit::Scalars);
        }
        let whole = match self.kept(to, at)? {
            Some(kept) => Some(kept),
            // No vector is gained where neither side is one.
            None if self.is_apart(to, at)? => return Err(Unfit::Scalars),
            None => None,
        };
        if let Some(target) = &whole
            && let Some((op, change)) = self.update(target, value, at)?
        {
            let change = self.shared_loads(change, scalar, at, out)?;
            out.push(self.stmt(What::Assign { to: target.clone(), op, value: change }));
            return Ok(());
        }
        let value = self.shared_loads(value, scalar, at, out)?;
        match whole {
            Some(to) => push_assignment(self.stmt(What::Assign { to, op: "=", value }), out),
            None => {
                let s = self.stored(to, value, scalar, at)?;
                out.push(s);
            }
        }
        Ok(())
    }

    /// The operator and the operand of `to += …`, where the value is such a sum of floats.
    fn update<'p>(
        &mut self,
        to: &Expr,
        value: &'p Phrase,
        at: &At,
    ) -> Found<Option<(&'static str, &'p Phrase)>> {
        let Kind::Pattern(p, _, ps) = value.kind() else { return Ok(None) };
        let op = match p {
            Pattern::Add => "+=",
            Pattern::Sub => "-=",
            Pattern::Mul => "*=",
            Pattern::Div => "/=",
            _ => return Ok(None),
        };
        let [a, b] = ps.as_slice() else { return Ok(None) };
        if !value.data().as_scalar().is_some_and(Scalar::is_float) {
            return Ok(None);
        }
        let mut is_old =
            |e: &Phrase| Ok::<_, Unfit>(self.is_cell(e) && self.kept(e, at)?.as_ref() == Some(to));
        if is_old(a)? {
            return Ok(Some((op, b)));
        }
        let commutes = matches!(p, Pattern::Add | Pattern::Mul);
        Ok(if commutes && is_old(b)? { Some((op, a)) } else { None })
    }
}

/// Where the command stores at last.
fn last_target(c: &Phrase) -> Option<&Phrase> {
    match c.kind() {
        Kind::Assign(to, _) => Some(to),
        Kind::Seq(cs) => last_target(cs.last()?),
        Kind::New(_, _, _, b) | Kind::If(_, b, _) => last_target(b),
        _ => None,
    }
}
