//! Where the lanes of a loop are loaded from and stored to: a vector that is kept as such, cells side by side, or each
//! by itself.

use super::{At, Found, Loads, Unfit, Value, is_variable};
use crate::code::{Generator, LOCAL_ALIGNMENT, Lanes, Lies, Place, broken};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::ty::Scalar;
use crate::lower::dpia::Phrase;
use crate::number::Variable;
use crate::syntax::{Expr, Stmt, What};
use std::collections::BTreeMap;

impl Generator {
    /// The vector of a value, after statements that name what it loads more than once.
    pub(super) fn shared_loads(
        &mut self,
        e: &Phrase,
        s: Scalar,
        at: &At,
        out: &mut Vec<Stmt>,
    ) -> Found<Expr> {
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
            out.push(self.stmt(What::Name { ty, name, value: *load }));
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
    pub(super) fn kept(&mut self, cell: &Phrase, at: &At) -> Found<Option<Expr>> {
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

    pub(super) fn is_apart(&mut self, cell: &Phrase, at: &At) -> Found<bool> {
        let first = self.first_lane(cell, at)?;
        if let Some(run) = &first {
            self.forget(&run.parts);
        }
        Ok(first.is_none())
    }

    /// `((global float4*)a)[i]` where it is proved that the vector lies on a multiple of its size: memory of devices starts at
    /// multiples of the largest type's, and local arrays where it is said. Else the vector's address, as `vload4` and `vstore4` take it.
    fn address(&mut self, run: &Run, at: &At) -> Address {
        let Run { place, first, parts } = run;
        let name = Expr::name(&place.name);
        // Vectors of three lanes take the room of four.
        let whole = self.whole_part(first, at.n);
        let fits = || at.n * place.leaf.scalar().bytes() as i64 <= LOCAL_ALIGNMENT;
        let space = match place.lies {
            Lies::Global => Some("global"),
            Lies::Input => Some("global const"),
            Lies::Local if place.is_aligned_array() && fits() => Some("local"),
            Lies::Near | Lies::Local => None,
        };
        let index = |g: &mut Generator, n: &Nat| name.clone().index(g.number_with(n, parts));
        match (whole, space) {
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

    pub(super) fn stored(&mut self, to: &Phrase, value: Expr, s: Scalar, at: &At) -> Found<Stmt> {
        let Some(run) = self.first_lane(to, at)? else { return Err(Unfit::Scalars) };
        let address = self.address(&run, at);
        self.forget(&run.parts);
        if run.place.leaf.scalar() != s {
            return Err(broken("a value of another type than its place").into());
        }
        let what = match address {
            Address::Aligned(to) => What::Assign { to, op: "=", value },
            Address::Any(i, to) => What::Expr(Expr::call(&format!("vstore{}", at.n), vec![value, i, to])),
        };
        Ok(self.stmt(what))
    }

    pub(super) fn cell_of_lanes(&mut self, e: &Phrase, s: Scalar, at: &At) -> Found<Value> {
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

    /// The vector of the halves in memory of all lanes, as floats.
    pub(super) fn halves_of_lanes(&mut self, half: &Phrase, e: &Phrase, at: &At) -> Found<Value> {
        let Some(run) = self.first_lane(half, at)? else {
            return Ok(Value::Many(self.built(e, Scalar::F32, at)?));
        };
        let (f, i, p) = self.address_of_halves(&run, at);
        self.forget(&run.parts);
        let ty = self.vector_type(Scalar::F32, at.n);
        let load = Expr::call(&format!("vload{f}"), vec![i, p]);
        Ok(Value::Many(self.load(ty, load)))
    }

    /// Stores a vector of floats as halves in memory.
    pub(super) fn stored_as_halves(&mut self, to: &Phrase, value: Expr, at: &At) -> Found<Stmt> {
        let Some(run) = self.first_lane(to, at)? else { return Err(Unfit::Scalars) };
        let (f, i, p) = self.address_of_halves(&run, at);
        self.forget(&run.parts);
        Ok(self.stmt(What::Expr(Expr::call(&format!("vstore{f}"), vec![value, i, p]))))
    }

    /// What stands after `vload`, the number of vectors before, and the pointer: `a_half4` where it is proved that vectors lie
    /// on multiples of their size.
    fn address_of_halves(&mut self, run: &Run, at: &At) -> (String, Expr, Expr) {
        let name = Expr::name(&run.place.name);
        match self.whole_part(&run.first, at.n).filter(|i| at.n != 3 && i.is_evidently_integral()) {
            Some(i) => (format!("a_half{}", at.n), self.number_with(&i, &run.parts), name),
            None => {
                let cell = name.index(self.number_with(&run.first, &run.parts));
                (format!("_half{}", at.n), Expr::int(0), Expr::Unary("&", Box::new(cell)))
            }
        }
    }

    /// `(float4)(a[…], a[…], a[…], a[…])`
    pub(super) fn built(&mut self, e: &Phrase, s: Scalar, at: &At) -> Found<Expr> {
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
