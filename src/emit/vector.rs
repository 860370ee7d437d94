//! Loops over lanes as vectors of OpenCL C: `float4`, `vload4`, `vstore4`.
//!
//! In: a loop over the lanes of vectors, whose iterations are independent. Out: statements that compute all lanes at once, and
//! mean what the loop does: comparisons of vectors are masks, all bits of a lane or none; `select` computes both sides,
//! so it stands only for choices of which both sides have a value in every lane; integers wrap in an unsigned type.
//! Where vectors have no such operation the loop stays a loop over scalars, and what it uses stays arrays of scalars.

use super::code::{Emitted, Generator, Helper, Lanes, Lies, Place, broken, push_assignment};
use super::number::Variable;
use super::scalar;
use super::syntax::{Expr, Stmt};
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::math;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type};
use crate::lower::dpia::effects::{self, Around, Effect};
use crate::lower::dpia::{Kind, Loop, LoopKind, Phrase, extent};
use crate::lower::target::Storage;
use std::collections::BTreeMap;

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

/// Half precision is an extension that few devices have vectors of.
fn has_vectors(s: Scalar) -> bool {
    s != Scalar::F16
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

    /// Is there memory in the command that is kept as vectors? It is not from now on, and all is to be made again.
    fn take_apart(&mut self, c: &Phrase) -> bool {
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
            let Some(n) = lanes.filter(|_| has_vectors(scalar)) else { continue };
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
            out.push(Stmt::Declare { ty, name: place.name.clone(), len, init: None });
        }
        self.places.insert(x.clone(), places.to_vec());
    }

    fn vector_type(&mut self, s: Scalar, n: i64) -> String {
        format!("{}{n}", self.scalar_type(s))
    }

    /// The statements of a command for all lanes at once.
    fn all_lanes(&mut self, c: &Phrase, at: &mut At, out: &mut Vec<Stmt>) -> Found<()> {
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
                out.push(Stmt::If { condition, then, otherwise });
                Ok(())
            }
            Kind::If(_, a, _) => {
                let to = last_target(a).cloned().ok_or(Unfit::Scalars)?;
                let target = self.kept(&to, at)?.ok_or(Unfit::Scalars)?;
                self.may_store(&to, at)?;
                let s = to.data().in_memory().filter(|s| has_vectors(*s)).ok_or(Unfit::Scalars)?;
                let value = self.all_chosen(c, &to, s, at, out)?;
                let value = self.many(value, s, at)?;
                push_assignment(Stmt::Assign { to: target, op: "=", value }, out);
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
        if !storage.is_near() {
            return Err(Unfit::Scalars);
        }
        let mut places = self.place(x, ty, Lies::Near);
        for place in &mut places {
            let scalar = place.leaf.scalar();
            if place.is_array || !has_vectors(scalar) {
                return Err(Unfit::Scalars);
            }
            place.lanes = Some(Lanes::Of(at.var.clone()));
            let ty = self.vector_type(scalar, at.n);
            out.push(Stmt::Declare { ty, name: place.name.clone(), len: None, init: None });
        }
        self.places.insert(x.clone(), places);
        at.own.push(x.clone());
        Ok(())
    }

    fn store(&mut self, to: &Phrase, value: &Phrase, at: &At, out: &mut Vec<Stmt>) -> Found<()> {
        let scalar = value.data().in_memory().filter(|s| has_vectors(*s)).ok_or(Unfit::Scalars)?;
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
            out.push(Stmt::Assign { to: target.clone(), op, value: change });
            return Ok(());
        }
        let value = self.shared_loads(value, scalar, at, out)?;
        match whole {
            Some(to) => push_assignment(Stmt::Assign { to, op: "=", value }, out),
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

    /// The vector of a value, after statements that name what it loads more than once.
    fn shared_loads(&mut self, e: &Phrase, s: Scalar, at: &At, out: &mut Vec<Stmt>) -> Found<Expr> {
        self.loads = Loads::default();
        let value = self.lanes_of(e, at)?;
        let value = self.many(value, s, at)?;
        let found = std::mem::take(&mut self.loads);
        let again: Vec<Expr> = found.found.into_iter().filter(|(_, k)| *k > 1).map(|(e, _)| e).collect();
        if again.is_empty() || found.has_choice {
            return Ok(value);
        }
        let mut named = vec![];
        for e in again {
            named.push((e, self.namer.name("v")));
        }
        self.loads.named = named.clone();
        let value = self.lanes_of(e, at)?;
        let value = self.many(value, s, at)?;
        self.loads = Loads::default();
        for (load, name) in named {
            let Expr::Cast(ty, load) = load else { return Err(broken("a load without its type").into()) };
            out.push(Stmt::Declare { ty, name, len: None, init: Some(*load) });
        }
        Ok(value)
    }

    /// What is loaded, of a type, or its name.
    fn load(&mut self, ty: String, load: Expr) -> Expr {
        let key = Expr::Cast(ty, Box::new(load.clone()));
        if let Some((_, name)) = self.loads.named.iter().find(|(e, _)| *e == key) {
            return Expr::name(name);
        }
        match self.loads.found.iter_mut().find(|(e, _)| *e == key) {
            Some((_, times)) => *times += 1,
            None => self.loads.found.push((key, 1)),
        }
        load
    }

    /// The vector that the cells of all lanes are kept as.
    fn kept(&mut self, cell: &Phrase, at: &At) -> Found<Option<Expr>> {
        let (place, mut indices) = self.place_of(cell)?;
        match &place.lanes {
            Some(Lanes::Of(x)) if x == at.var => Ok(Some(Expr::Name(place.name))),
            Some(Lanes::Last) => {
                let Some(lane) = indices.pop() else {
                    return Err(broken("a vector without its lane").into());
                };
                if !is_variable(lane, at.var) || !indices.iter().all(|i| at.is_same(i)) {
                    return Err(Unfit::Scalars);
                }
                if !place.is_array {
                    return Ok(Some(Expr::Name(place.name)));
                }
                let offset = self.offset(&indices, &place.leaf.dims)?;
                Ok(Some(Expr::Name(place.name).index(offset)))
            }
            Some(Lanes::Of(_)) => Err(Unfit::Scalars),
            None => Ok(None),
        }
    }

    /// The offset of the first lane of cells in memory that stand one after the other.
    fn first_lane(&mut self, cell: &Phrase, at: &At) -> Found<Option<Run>> {
        let (place, indices) = self.place_of(cell)?;
        if !place.is_array || place.lanes.is_some() {
            return Ok(None);
        }
        let named = indices.iter().filter_map(|i| i.as_number()).flat_map(|(_, parts)| parts);
        for (_, part) in named {
            if !at.is_same(&part) {
                return Ok(None);
            }
        }
        let mut parts = BTreeMap::new();
        let offset = self.offset_number(&indices, &place.leaf.dims, &mut parts)?;
        let offset = self.at_lane(&offset).simplify(&self.ranges);
        if offset.step_of(at.var) != Some(Nat::constant(1)) {
            self.forget(&parts);
            return Ok(None);
        }
        let first = offset.subst(&|v| (*v == NatVar::Named(at.var.clone())).then(|| Nat::constant(0)));
        Ok(Some(Run { place, first, parts }))
    }

    fn is_apart(&mut self, cell: &Phrase, at: &At) -> Found<bool> {
        let first = self.first_lane(cell, at)?;
        if let Some(run) = &first {
            self.forget(&run.parts);
        }
        Ok(first.is_none())
    }

    /// `((global float4*)a)[i]` where it is proved that the vector lies on a multiple of its size: memory of devices starts at
    /// multiples of the largest type's. Else the vector's address, as `vload4` and `vstore4` take it.
    fn address(&mut self, run: &Run, at: &At) -> Address {
        let Run { place, first, parts } = run;
        let name = Expr::name(&place.name);
        // Vectors of three lanes take the room of four.
        let whole = self.whole_part(first, at.n);
        let global = match place.lies {
            Lies::Global => Some("global"),
            Lies::Input => Some("global const"),
            Lies::Near | Lies::Local => None,
        };
        let index = |g: &mut Generator, n: &Nat| name.clone().index(g.number_with(n, parts));
        match (whole, global) {
            (Some(i), Some(space)) if at.n != 3 => {
                let pointer = format!("{space} {}*", self.vector_type(place.leaf.scalar(), at.n));
                Address::Aligned(match i.is_evidently_integral() {
                    true => name.clone().cast(&pointer).index(self.number_with(&i, parts)),
                    false => {
                        let cell = Expr::Unary("&", Box::new(index(self, first)));
                        Expr::Unary("*", Box::new(cell.cast(&pointer)))
                    }
                })
            }
            (Some(i), _) if i.is_evidently_integral() => Address::Any(self.number_with(&i, parts), name),
            _ => Address::Any(Expr::int(0), Expr::Unary("&", Box::new(index(self, first)))),
        }
    }

    fn stored(&mut self, to: &Phrase, value: Expr, s: Scalar, at: &At) -> Found<Stmt> {
        let Some(run) = self.first_lane(to, at)? else { return Err(Unfit::Scalars) };
        let address = self.address(&run, at);
        self.forget(&run.parts);
        if run.place.leaf.scalar() != s {
            return Err(broken("a value of another type than its place").into());
        }
        Ok(match address {
            Address::Aligned(to) => Stmt::Assign { to, op: "=", value },
            Address::Any(i, to) => Stmt::Expr(Expr::call(&format!("vstore{}", at.n), vec![value, i, to])),
        })
    }

    fn cell_of_lanes(&mut self, e: &Phrase, s: Scalar, at: &At) -> Found<Value> {
        let vector = if let Some(kept) = self.kept(e, at)? {
            kept
        } else if let Some(run) = self.first_lane(e, at)? {
            let address = self.address(&run, at);
            self.forget(&run.parts);
            let ty = self.vector_type(s, at.n);
            match address {
                Address::Aligned(e) => self.load(ty, e),
                Address::Any(i, e) => {
                    let load = Expr::call(&format!("vload{}", at.n), vec![i, e]);
                    self.load(ty, load)
                }
            }
        } else {
            self.built(e, s, at)?
        };
        if s != Scalar::Bool {
            return Ok(Value::Many(vector));
        }
        let zero = self.splat(Expr::int(0), s, at);
        Ok(Value::Mask(Expr::binary("!=", vector, zero), 1))
    }

    /// `(float4)(a[…], a[…], a[…], a[…])`
    fn built(&mut self, e: &Phrase, s: Scalar, at: &At) -> Found<Expr> {
        let mut lanes = vec![];
        for k in 0..at.n {
            self.fixed.insert(at.var.clone(), Nat::constant(k));
            let lane = self.value(e);
            self.fixed.remove(at.var);
            lanes.push(lane?);
        }
        let ty = self.vector_type(s, at.n);
        Ok(Expr::Call(format!("({ty})"), lanes))
    }

    fn splat(&mut self, e: Expr, s: Scalar, at: &At) -> Expr {
        let ty = self.vector_type(s, at.n);
        Expr::Call(format!("({ty})"), vec![e])
    }

    /// The vector of a value of a type, as it lies in memory.
    fn many(&mut self, v: Value, s: Scalar, at: &At) -> Found<Expr> {
        Ok(match v {
            Value::One(e) => self.splat(e, s, at),
            Value::Many(e) => e,
            Value::Mask(m, _) if s == Scalar::Bool => self.converted(minus(m), s, at),
            Value::Mask(..) => return Err(broken("a truth value as a number").into()),
        })
    }

    /// The value as an operand of an operation on vectors: a float may stand for all lanes.
    fn operand(&mut self, v: Value, s: Scalar, at: &At) -> Found<Expr> {
        match v {
            Value::One(e) if s.is_float() => Ok(e),
            v => self.many(v, s, at),
        }
    }

    fn converted(&mut self, e: Expr, to: Scalar, at: &At) -> Expr {
        let ty = self.vector_type(to, at.n);
        Expr::Call(format!("convert_{ty}"), vec![e])
    }

    /// A truth value as a mask of so many bytes.
    fn mask(&mut self, v: Value, bytes: usize, at: &At) -> Found<Expr> {
        let s = signed(bytes);
        Ok(match v {
            Value::Mask(m, b) if b == bytes => m,
            Value::Mask(m, _) => self.converted(m, s, at),
            Value::One(c) => {
                let all = match &c {
                    Expr::Text(t) if t == "true" => Expr::int(-1),
                    Expr::Text(t) if t == "false" => Expr::int(0),
                    _ => Expr::Conditional(Box::new(c), Box::new(Expr::int(-1)), Box::new(Expr::int(0))),
                };
                self.splat(all, s, at)
            }
            Value::Many(_) => return Err(broken("a number as a truth value").into()),
        })
    }

    /// A value in all lanes.
    fn lanes_of(&mut self, e: &Phrase, at: &At) -> Found<Value> {
        let scalar = e.data().in_memory().filter(|s| has_vectors(*s)).ok_or(Unfit::Scalars)?;
        if at.is_same(e) {
            return Ok(Value::One(self.value(e)?));
        }
        if self.is_cell(e) {
            return self.cell_of_lanes(e, scalar, at);
        }
        match e.kind() {
            Kind::Number(..) => Ok(Value::Many(self.built(e, scalar, at)?)),
            Kind::Pattern(Pattern::Idx, ..) if scalar != Scalar::Bool => {
                Ok(Value::Many(self.built(e, scalar, at)?))
            }
            Kind::Pattern(Pattern::Select, _, ps) => match ps.as_slice() {
                [c, a, b] => self.selected(c, a, b, scalar, at),
                _ => Err(broken("a choice without its arguments").into()),
            },
            Kind::Pattern(p, _, ps) => self.operation_of_lanes(*p, ps, scalar, at),
            _ => Err(Unfit::Scalars),
        }
    }

    fn selected(&mut self, c: &Phrase, a: &Phrase, b: &Phrase, s: Scalar, at: &At) -> Found<Value> {
        if at.is_same(c) {
            self.loads.has_choice = true;
            let c = self.value(c)?;
            let (a, b) = (self.lanes_of(a, at)?, self.lanes_of(b, at)?);
            let choice = |a: Expr, b: Expr| Expr::Conditional(Box::new(c.clone()), Box::new(a), Box::new(b));
            if s == Scalar::Bool {
                let bytes = bytes_of(&[&a, &b]);
                let (a, b) = (self.mask(a, bytes, at)?, self.mask(b, bytes, at)?);
                return Ok(Value::Mask(choice(a, b), bytes));
            }
            let (a, b) = (self.many(a, s, at)?, self.many(b, s, at)?);
            return Ok(Value::Many(choice(a, b)));
        }
        // Both sides are computed, in all lanes.
        if !self.is_total(a) || !self.is_total(b) {
            return Err(Unfit::Scalars);
        }
        let c = self.lanes_of(c, at)?;
        let (a, b) = (self.lanes_of(a, at)?, self.lanes_of(b, at)?);
        self.one_of(c, a, b, s, at)
    }

    fn one_of(&mut self, c: Value, a: Value, b: Value, s: Scalar, at: &At) -> Found<Value> {
        if s != Scalar::Bool {
            let c = self.mask(c, s.bytes(), at)?;
            let (a, b) = (self.many(a, s, at)?, self.many(b, s, at)?);
            return Ok(Value::Many(Expr::call("select", vec![b, a, c])));
        }
        let is = |v: &Value, text: &str| matches!(v, Value::One(Expr::Text(t)) if t == text);
        let (is_true, is_false) = (is(&a, "true"), is(&b, "false"));
        let bytes = bytes_of(&[&c, &a, &b]);
        let c = self.mask(c, bytes, at)?;
        let (a, b) = (self.mask(a, bytes, at)?, self.mask(b, bytes, at)?);
        let out = match (is_true, is_false) {
            (true, _) => Expr::binary("|", c, b),
            (_, true) => Expr::binary("&", c, a),
            _ => Expr::call("select", vec![b, a, c]),
        };
        Ok(Value::Mask(out, bytes))
    }

    /// Has the expression a value in every lane, whatever is chosen?
    fn is_total(&self, e: &Phrase) -> bool {
        let within = |e: &Phrase| match e.kind() {
            Kind::Pattern(Pattern::Idx, _, ps) => match ps.as_slice() {
                [i, x] => i.as_number().is_some_and(|(n, parts)| {
                    let n = self.at_lane(&n).simplify(&self.ranges);
                    let size = extent(&x.data());
                    parts.is_empty()
                        && n.is_natural(&self.ranges)
                        && size.sub(&n).sub(&Nat::constant(1)).is_natural(&self.ranges)
                }),
                _ => false,
            },
            Kind::Pattern(Pattern::Div | Pattern::Mod, _, ps) => is_divisible(&e.data(), ps.get(1)),
            Kind::Pattern(Pattern::Declared(_), ..) => false,
            _ => true,
        };
        !e.any(&mut |p| !within(p))
    }

    fn operation_of_lanes(&mut self, p: Pattern, ps: &[Phrase], to: Scalar, at: &At) -> Found<Value> {
        let ty = ps.first().map(Phrase::data).ok_or_else(|| broken("an operation without its arguments"))?;
        // Numbers of indices and sizes are computed as such.
        let s = ty.as_scalar().filter(|s| has_vectors(*s)).ok_or(Unfit::Scalars)?;
        let mut values = ps.iter().map(|q| self.lanes_of(q, at)).collect::<Found<Vec<_>>>()?.into_iter();
        let mut next =
            || values.next().ok_or_else(|| Unfit::Failed(broken("an operation without its arguments")));
        let is_float = s.is_float();
        if s == Scalar::Bool {
            return match p {
                Pattern::Not => {
                    let v = next()?;
                    let bytes = bytes_of(&[&v]);
                    let m = self.mask(v, bytes, at)?;
                    Ok(Value::Mask(Expr::Unary("~", Box::new(m)), bytes))
                }
                Pattern::Equal | Pattern::NotEqual => {
                    let (a, b) = (next()?, next()?);
                    let bytes = bytes_of(&[&a, &b]);
                    let (a, b) = (self.mask(a, bytes, at)?, self.mask(b, bytes, at)?);
                    Ok(Value::Mask(Expr::binary(p.operator().unwrap_or_default(), a, b), bytes))
                }
                Pattern::Cast if to == Scalar::Bool => next(),
                Pattern::Cast => {
                    let m = self.mask(next()?, to.bytes(), at)?;
                    let one = minus(m);
                    let is_same = signed(to.bytes()) == to;
                    Ok(Value::Many(if is_same { one } else { self.converted(one, to, at) }))
                }
                _ => Err(Unfit::Scalars),
            };
        }
        if p.is_comparison() {
            let (a, b) = (next()?, next()?);
            let (a, b) = (self.operand(a, s, at)?, self.operand(b, s, at)?);
            return Ok(Value::Mask(Expr::binary(p.operator().unwrap_or_default(), a, b), s.bytes()));
        }
        if let Some(symbol) = scalar::ring(p) {
            let values = if p == Pattern::Neg { vec![next()?] } else { vec![next()?, next()?] };
            let mut operands = vec![];
            for v in values {
                operands.push(match v {
                    Value::One(e) if s.is_signed_integer() => self.splat(e, unsigned(s), at),
                    v => {
                        let e = self.operand(v, s, at)?;
                        if s.is_signed_integer() { self.as_unsigned(e, s, at) } else { e }
                    }
                });
            }
            let mut operands = operands.into_iter();
            let e = match (operands.next(), operands.next()) {
                (Some(a), Some(b)) => Expr::binary(symbol, a, b),
                (Some(a), None) => Expr::Unary(symbol, Box::new(a)),
                _ => return Err(broken("an operation without its arguments").into()),
            };
            return Ok(Value::Many(if s.is_signed_integer() { self.as_signed(e, s, at) } else { e }));
        }
        Ok(Value::Many(match p {
            Pattern::Div | Pattern::Mod if !is_float => {
                if !is_divisible(&ty, ps.get(1)) {
                    return Err(Unfit::Scalars);
                }
                let (a, b) = (next()?, next()?);
                let (a, b) = (self.many(a, s, at)?, self.many(b, s, at)?);
                Expr::binary(if p == Pattern::Div { "/" } else { "%" }, a, b)
            }
            Pattern::Div => {
                let (a, b) = (next()?, next()?);
                Expr::binary("/", self.operand(a, s, at)?, self.operand(b, s, at)?)
            }
            Pattern::BitAnd | Pattern::BitOr | Pattern::BitXor => {
                let symbol = match p {
                    Pattern::BitAnd => "&",
                    Pattern::BitOr => "|",
                    _ => "^",
                };
                let (a, b) = (next()?, next()?);
                Expr::binary(symbol, self.many(a, s, at)?, self.many(b, s, at)?)
            }
            Pattern::BitNot => {
                let v = next()?;
                Expr::Unary("~", Box::new(self.many(v, s, at)?))
            }
            Pattern::ShiftLeft | Pattern::ShiftRight => {
                let (a, count) = (next()?, next()?);
                let (a, count) = (self.many(a, s, at)?, self.many(count, s, at)?);
                let bits = self.splat(Expr::int(8 * s.bytes() - 1), s, at);
                let count = Expr::binary("&", count, bits);
                if p == Pattern::ShiftRight {
                    Expr::binary(">>", a, count)
                } else if s.is_signed_integer() {
                    let (a, count) = (self.as_unsigned(a, s, at), self.as_unsigned(count, s, at));
                    self.as_signed(Expr::binary("<<", a, count), s, at)
                } else {
                    Expr::binary("<<", a, count)
                }
            }
            Pattern::Cast if s == to => {
                let v = next()?;
                self.many(v, s, at)?
            }
            Pattern::Cast if to == Scalar::Bool => {
                let v = next()?;
                let (v, zero) = (self.many(v, s, at)?, self.splat(Expr::int(0), s, at));
                return Ok(Value::Mask(Expr::binary("!=", v, zero), s.bytes()));
            }
            // A float that no integer of the type is near to takes more than a conversion.
            Pattern::Cast if is_float && !to.is_float() => return Err(Unfit::Scalars),
            Pattern::Cast => {
                let v = next()?;
                let v = self.many(v, s, at)?;
                self.converted(v, to, at)
            }
            Pattern::Abs => {
                let v = next()?;
                let v = self.many(v, s, at)?;
                match () {
                    () if is_float => Expr::call("fabs", vec![v]),
                    () if s.is_signed_integer() => {
                        let e = Expr::call("abs", vec![v]);
                        self.as_signed(e, s, at)
                    }
                    () => v,
                }
            }
            Pattern::Min | Pattern::Max => {
                let (a, b) = (next()?, next()?);
                let args = vec![self.many(a, s, at)?, self.many(b, s, at)?];
                match u8::try_from(at.n) {
                    Ok(n) if is_float => self.helper(Helper::Lanes(p, s, n), args),
                    _ => Expr::call(p.name(), args),
                }
            }
            Pattern::Mod => {
                let (a, b) = (next()?, next()?);
                Expr::call("fmod", vec![self.many(a, s, at)?, self.many(b, s, at)?])
            }
            p if let Some(row) = math::of(p) => {
                let f = self.math(row.c_name, Some(s));
                let args = (0..ps.len())
                    .map(|_| {
                        let v = next()?;
                        self.many(v, s, at)
                    })
                    .collect::<Found<Vec<_>>>()?;
                Expr::Call(f, args)
            }
            _ => return Err(Unfit::Scalars),
        }))
    }

    /// The bits of a vector of signed integers, for arithmetic that wraps.
    fn as_unsigned(&mut self, e: Expr, s: Scalar, at: &At) -> Expr {
        let back = format!("as_{}", self.vector_type(s, at.n));
        match e {
            Expr::Call(f, mut args) if f == back && args.len() == 1 => args.remove(0),
            e => {
                let ty = self.vector_type(unsigned(s), at.n);
                Expr::Call(format!("as_{ty}"), vec![e])
            }
        }
    }

    fn as_signed(&mut self, e: Expr, s: Scalar, at: &At) -> Expr {
        let ty = self.vector_type(s, at.n);
        Expr::Call(format!("as_{ty}"), vec![e])
    }

    /// The text of a minimum or maximum of floats in lanes.
    pub(super) fn vector_function(&mut self, p: Pattern, s: Scalar, n: u8) -> String {
        let ty = self.vector_type(s, n.into());
        let name = Helper::Lanes(p, s, n).name();
        let symbol = if p == Pattern::Min { "<=" } else { ">=" };
        format!("\n{ty} {name}({ty} a, {ty} b) {{\n  return select(b, a, (a {symbol} b) | (b != b));\n}}\n")
    }
}

/// Cells in memory that stand one after the other, one for each lane.
struct Run {
    place: Place,
    /// The offset of the first.
    first: Nat,
    parts: BTreeMap<Name, Variable>,
}

/// Where a vector lies.
enum Address {
    Aligned(Expr),
    /// So many vectors behind a pointer to scalars.
    Any(Expr, Expr),
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

fn signed(bytes: usize) -> Scalar {
    match bytes {
        1 => Scalar::I8,
        2 => Scalar::I16,
        4 => Scalar::I32,
        _ => Scalar::I64,
    }
}

fn unsigned(s: Scalar) -> Scalar {
    match s.bytes() {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}

/// The bytes of the first mask.
fn bytes_of(values: &[&Value]) -> usize {
    values.iter().find_map(|v| if let Value::Mask(_, b) = v { Some(*b) } else { None }).unwrap_or(1)
}

/// May all lanes be divided by it: is it a float, or a literal that no integer overflows at?
fn is_divisible(ty: &Type, by: Option<&Phrase>) -> bool {
    ty.as_scalar().is_some_and(Scalar::is_float)
        || matches!(by.map(Phrase::kind), Some(Kind::Lit(Literal::Int(n, _))) if !matches!(n, -1 | 0))
}
