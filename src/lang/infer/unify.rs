//! Unification of types and sizes.
//!
//! In: equations between types with unknowns ([`TypeVar::Meta`], [`NatVar::Meta`]), each with the caller's number
//! for the place that it comes from. Out: what the unknowns are, or which equation cannot hold.
//!
//! Types are solved at once. An equation between sizes that has no single solution yet waits until one of its
//! unknowns is known ([`solve`]); those that wait to the end are solved together ([`Unifier::solve_together`]). So the
//! result does not depend on the order of the equations. Named variables are rigid: they are never replaced.
//!
//! Holds: a failed [`Unifier::unify`] changes nothing; a failure is found and described in constant time beyond the
//! comparison itself, because rules fail to match far more often than they match.

use crate::digest::Digest;
use crate::nat::{Name, Nat, NatVar, Solution, eliminate, solve};
use crate::ty::{Type, TypeKind, TypeSubst, TypeVar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where an equation comes from: a number that means something to the caller alone.
pub type Origin = u32;

/// What may stand for an unknown type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Data or a function.
    Any,
    /// What can be stored (thesis section 3.1.2): no function.
    Data,
}

/// Why an equation cannot hold. The types are as they were given: [`Unifier::zonk`] puts in what is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Two types of different shapes, or two different rigid variables.
    Shape(Type, Type),
    /// Two sizes that no choice of the unknowns makes equal.
    Size(Nat, Nat),
    /// The unknown would have to contain itself.
    Infinite(u32, Type),
    /// A function where only data can be.
    NotData(Type),
}

/// An equation that cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    pub origin: Origin,
    /// The innermost parts that differ.
    pub cause: Cause,
    /// The whole equation, when it was one between types.
    pub types: Option<(Type, Type)>,
}

/// An equation between sizes that is not solved yet.
#[derive(Clone, Debug)]
pub struct Equation {
    pub left: Nat,
    pub right: Nat,
    pub origin: Origin,
    types: Option<(Type, Type)>,
    open: bool,
}

/// A state to which [`Unifier::rollback`] returns.
#[derive(Debug)]
pub struct Snapshot {
    trail: usize,
    equations: usize,
    failures: usize,
}

#[derive(Clone)]
struct Unknown {
    bound: Option<Type>,
    kind: Kind,
}

enum Change {
    Type(u32, Option<Type>),
    Kind(u32, Kind),
    Nat(u32, Option<Nat>),
    Closed(usize),
}

/// Unknowns, what they are, and the equations that wait.
#[derive(Default)]
pub struct Unifier {
    types: Vec<Unknown>,
    nats: Vec<Option<Nat>>,
    equations: Vec<Equation>,
    /// The equations in which an unknown size stands.
    watchers: FxHashMap<u32, Vec<usize>>,
    woken: Vec<usize>,
    failures: Vec<Mismatch>,
    /// Rigid variables that may stand for functions.
    functions: FxHashSet<Name>,
    trail: Vec<Change>,
    snapshots: usize,
}

/// Deep types are walked on as much stack as they need.
fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, f)
}

impl Unifier {
    pub fn new() -> Unifier {
        Unifier::default()
    }

    /// A fresh unknown type.
    pub fn fresh_type(&mut self, kind: Kind) -> Type {
        self.types.push(Unknown { bound: None, kind });
        Type::meta((self.types.len() - 1) as u32)
    }

    /// A fresh unknown size.
    pub fn fresh_nat(&mut self) -> Nat {
        self.nats.push(None);
        Nat::meta((self.nats.len() - 1) as u32)
    }

    /// Makes the unknowns below these numbers known to the unifier, as data: for types whose unknowns were numbered
    /// elsewhere, as those of compiled rules are.
    pub fn reserve(&mut self, types: u32, nats: u32) {
        if self.types.len() < types as usize {
            self.types.resize(types as usize, Unknown { bound: None, kind: Kind::Data });
        }
        if self.nats.len() < nats as usize {
            self.nats.resize(nats as usize, None);
        }
    }

    /// How many unknowns of types and of sizes there are.
    pub fn unknowns(&self) -> (u32, u32) {
        (self.types.len() as u32, self.nats.len() as u32)
    }

    /// The numbers of the unknowns of types and of sizes from these numbers upwards that stand for nothing yet.
    pub fn unbound_since(&self, types: u32, nats: u32) -> (Vec<u32>, Vec<u32>) {
        let free = |i: &u32| self.bound_type(*i).is_none();
        let types = (types..self.types.len() as u32).filter(free).collect();
        let nats = (nats..self.nats.len() as u32).filter(|i| self.bound_nat(*i).is_none()).collect();
        (types, nats)
    }

    /// Lets a rigid variable stand for functions too; others are data.
    pub fn allow_function(&mut self, name: &Name) {
        self.functions.insert(name.clone());
    }

    pub fn is_unbound_type(&self, id: u32) -> bool {
        self.bound_type(id).is_none()
    }

    pub fn is_unbound_nat(&self, id: u32) -> bool {
        self.bound_nat(id).is_none()
    }

    /// What may stand for an unknown type.
    pub fn kind(&self, id: u32) -> Kind {
        self.types.get(id as usize).map_or(Kind::Data, |u| u.kind)
    }

    /// Marks the state, so that later changes can be undone.
    pub fn snapshot(&mut self) -> Snapshot {
        self.snapshots += 1;
        Snapshot { trail: self.trail.len(), equations: self.equations.len(), failures: self.failures.len() }
    }

    /// Forgets everything since the snapshot. Snapshots end in the reverse of the order in which they were made.
    pub fn rollback(&mut self, to: Snapshot) {
        let mut sizes_changed = false;
        while self.trail.len() > to.trail {
            match self.trail.pop() {
                Some(Change::Type(id, old)) => self.types[id as usize].bound = old,
                Some(Change::Kind(id, old)) => self.types[id as usize].kind = old,
                Some(Change::Nat(id, old)) => {
                    self.nats[id as usize] = old;
                    sizes_changed = true;
                }
                Some(Change::Closed(i)) => {
                    self.equations[i].open = true;
                    sizes_changed = true;
                }
                None => {}
            }
        }
        self.equations.truncate(to.equations);
        self.failures.truncate(to.failures);
        self.woken.clear();
        self.snapshots = self.snapshots.saturating_sub(1);
        if sizes_changed {
            for i in 0..self.equations.len() {
                if self.equations[i].open {
                    let (left, right) = (self.equations[i].left.clone(), self.equations[i].right.clone());
                    let (left, right) = (self.zonk_nat(&left), self.zonk_nat(&right));
                    self.watch(i, &left, &right);
                }
            }
        }
    }

    /// Keeps what happened since the snapshot.
    pub fn commit(&mut self, _from: Snapshot) {
        self.snapshots = self.snapshots.saturating_sub(1);
        if self.snapshots == 0 {
            self.trail.clear();
        }
    }

    fn note(&mut self, change: Change) {
        if self.snapshots > 0 {
            self.trail.push(change);
        }
    }

    fn set_type(&mut self, id: u32, to: Type) {
        let old = self.types[id as usize].bound.replace(to);
        self.note(Change::Type(id, old));
    }

    fn set_nat(&mut self, id: u32, to: Nat) {
        let old = self.nats[id as usize].replace(to);
        self.note(Change::Nat(id, old));
    }

    fn bound_type(&self, id: u32) -> Option<&Type> {
        self.types.get(id as usize)?.bound.as_ref()
    }

    /// The unknown that a size stands for, if it is one alone.
    pub fn unknown_nat(&self, n: &Nat) -> Option<u32> {
        let NatVar::Meta(id) = n.as_variable()? else { return None };
        match self.bound_nat(*id) {
            Some(known) => self.unknown_nat(known),
            None => Some(*id),
        }
    }

    fn bound_nat(&self, id: u32) -> Option<&Nat> {
        self.nats.get(id as usize)?.as_ref()
    }

    /// The type with its outermost constructor known, if it is; and the last unknown that stands for it.
    fn head(&self, t: &Type) -> (Option<u32>, Type) {
        let mut t = t;
        let mut last = None;
        while let TypeKind::Var(TypeVar::Meta(id)) = t.kind() {
            last = Some(*id);
            match self.bound_type(*id) {
                Some(next) => t = next,
                None => break,
            }
        }
        (last, t.clone())
    }

    /// The unknown that stands for a type and all that were found equal to it, if the type is one.
    pub fn root(&self, t: &Type) -> Option<u32> {
        self.head(t).0
    }

    /// The type with its outermost constructor known, if it is.
    pub fn resolve(&self, t: &Type) -> Type {
        self.head(t).1
    }

    /// Makes two types equal. Sizes that cannot be compared yet wait; [`Unifier::failures`] has those that turned out
    /// to be different later.
    ///
    /// # Errors
    /// When no choice of the unknowns makes them equal; then nothing has changed.
    pub fn unify(&mut self, expected: &Type, found: &Type, origin: Origin) -> Result<(), Mismatch> {
        let start = self.snapshot();
        let mut whole = None;
        let done = self.unify_types(expected, found, origin, (expected, found), &mut whole);
        self.end(start, done, origin, Some((expected, found)))
    }

    /// Makes two sizes equal, as [`Unifier::unify`].
    ///
    /// # Errors
    /// When no choice of the unknowns makes them equal.
    pub fn unify_nats(&mut self, expected: &Nat, found: &Nat, origin: Origin) -> Result<(), Mismatch> {
        let start = self.snapshot();
        let done = self.equate(expected, found, origin, None);
        self.end(start, done, origin, None)
    }

    fn end(
        &mut self,
        start: Snapshot,
        done: Result<(), Cause>,
        origin: Origin,
        types: Option<(&Type, &Type)>,
    ) -> Result<(), Mismatch> {
        match done {
            Ok(()) => {
                self.settle();
                self.commit(start);
                Ok(())
            }
            Err(cause) => {
                self.rollback(start);
                let types = types.map(|(a, b)| (a.clone(), b.clone()));
                Err(Mismatch { origin, cause, types })
            }
        }
    }

    fn unify_types(
        &mut self,
        a: &Type,
        b: &Type,
        origin: Origin,
        whole: (&Type, &Type),
        shared: &mut Option<(Type, Type)>,
    ) -> Result<(), Cause> {
        if a == b {
            return Ok(());
        }
        let differ = || Err(Cause::Shape(a.clone(), b.clone()));
        if !a.has_metas() && !b.has_metas() {
            return differ();
        }
        let (ra, ta) = self.head(a);
        let (rb, tb) = self.head(b);
        if ta == tb {
            return Ok(());
        }
        use TypeKind as K;
        match (ta.kind(), tb.kind()) {
            (K::Var(TypeVar::Meta(i)), K::Var(TypeVar::Meta(j))) => {
                // The older unknown stands for both, and is data if either is.
                let (old, new) = if i < j { (*i, *j) } else { (*j, *i) };
                self.reserve(new + 1, 0);
                if self.kind(new) == Kind::Data && self.kind(old) == Kind::Any {
                    self.note(Change::Kind(old, Kind::Any));
                    self.types[old as usize].kind = Kind::Data;
                }
                self.set_type(new, Type::meta(old));
                Ok(())
            }
            (K::Var(TypeVar::Meta(i)), _) => self.bind(*i, &tb),
            (_, K::Var(TypeVar::Meta(j))) => self.bind(*j, &ta),
            (K::Array(n, s), K::Array(m, t)) | (K::Vector(n, s), K::Vector(m, t)) => {
                self.equate_within(n, m, origin, whole, shared)?;
                self.linked(ra, rb, &[(s, t)], origin, whole, shared)
            }
            (K::Index(n), K::Index(m)) => self.equate_within(n, m, origin, whole, shared),
            (K::Pair(s, t), K::Pair(u, v)) | (K::Fun(s, t), K::Fun(u, v)) => {
                self.linked(ra, rb, &[(s, u), (t, v)], origin, whole, shared)
            }
            _ => Err(Cause::Shape(ta.clone(), tb.clone())),
        }
    }

    /// Unifies the parts, then lets one unknown stand for both wholes, so that shared parts are compared once.
    fn linked(
        &mut self,
        a: Option<u32>,
        b: Option<u32>,
        parts: &[(&Type, &Type)],
        origin: Origin,
        whole: (&Type, &Type),
        shared: &mut Option<(Type, Type)>,
    ) -> Result<(), Cause> {
        for (s, t) in parts {
            with_stack(|| self.unify_types(s, t, origin, whole, shared))?;
        }
        if let (Some(i), Some(j)) = (a, b)
            && i != j
        {
            let (old, new) = if i < j { (i, j) } else { (j, i) };
            self.set_type(new, Type::meta(old));
        }
        Ok(())
    }

    fn bind(&mut self, id: u32, to: &Type) -> Result<(), Cause> {
        self.reserve(id + 1, 0);
        match to.kind() {
            TypeKind::Fun(..) if self.kind(id) == Kind::Data => return Err(Cause::NotData(to.clone())),
            TypeKind::Var(TypeVar::Named(name))
                if self.kind(id) == Kind::Data && self.functions.contains(name) =>
            {
                return Err(Cause::NotData(to.clone()));
            }
            TypeKind::Ill => return Err(Cause::Shape(Type::meta(id), to.clone())),
            _ => {}
        }
        if self.occurs(id, to, &mut FxHashSet::default()) {
            return Err(Cause::Infinite(id, to.clone()));
        }
        self.set_type(id, to.clone());
        Ok(())
    }

    fn occurs(&self, id: u32, t: &Type, seen: &mut FxHashSet<Digest>) -> bool {
        if !t.has_metas() {
            return false;
        }
        match t.kind() {
            TypeKind::Var(TypeVar::Meta(i)) if *i == id => true,
            TypeKind::Var(TypeVar::Meta(i)) => match self.bound_type(*i) {
                Some(bound) if seen.insert(t.digest()) => with_stack(|| self.occurs(id, bound, seen)),
                _ => false,
            },
            TypeKind::Vector(_, t) | TypeKind::Array(_, t) => with_stack(|| self.occurs(id, t, seen)),
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) if seen.insert(t.digest()) => {
                with_stack(|| self.occurs(id, a, seen)) || with_stack(|| self.occurs(id, b, seen))
            }
            _ => false,
        }
    }

    fn equate_within(
        &mut self,
        a: &Nat,
        b: &Nat,
        origin: Origin,
        whole: (&Type, &Type),
        shared: &mut Option<(Type, Type)>,
    ) -> Result<(), Cause> {
        if a == b {
            return Ok(());
        }
        let types = shared.get_or_insert_with(|| (whole.0.clone(), whole.1.clone())).clone();
        self.equate(a, b, origin, Some(types))
    }

    fn equate(&mut self, a: &Nat, b: &Nat, origin: Origin, types: Option<(Type, Type)>) -> Result<(), Cause> {
        let (left, right) = (self.zonk_nat(a), self.zonk_nat(b));
        match solved(&left, &right) {
            Solution::Equal => Ok(()),
            Solution::Bind(NatVar::Meta(id), value) => {
                self.bind_nat(id, value);
                Ok(())
            }
            Solution::Contradiction => Err(Cause::Size(left, right)),
            Solution::Stuck | Solution::Bind(..) => {
                self.watch(self.equations.len(), &left, &right);
                self.equations.push(Equation { left, right, origin, types, open: true });
                Ok(())
            }
        }
    }

    fn bind_nat(&mut self, id: u32, value: Nat) {
        self.reserve(0, id + 1);
        self.set_nat(id, value);
        if let Some(waiting) = self.watchers.remove(&id) {
            self.woken.extend(waiting);
        }
    }

    /// Looks again at the equations that something new is known about, until nothing changes.
    fn settle(&mut self) {
        while let Some(i) = self.woken.pop() {
            let Some(equation) = self.equations.get(i).filter(|e| e.open) else { continue };
            let (left, right) = (equation.left.clone(), equation.right.clone());
            let (left, right) = (self.zonk_nat(&left), self.zonk_nat(&right));
            match solved(&left, &right) {
                Solution::Equal => self.close(i),
                Solution::Bind(NatVar::Meta(id), value) => {
                    self.close(i);
                    self.bind_nat(id, value);
                }
                Solution::Contradiction => {
                    self.close(i);
                    let Equation { origin, types, .. } = self.equations[i].clone();
                    self.failures.push(Mismatch { origin, cause: Cause::Size(left, right), types });
                }
                Solution::Stuck | Solution::Bind(..) => self.watch(i, &left, &right),
            }
        }
    }

    /// The equation is looked at again when one of its unknowns is known.
    fn watch(&mut self, i: usize, left: &Nat, right: &Nat) {
        for v in left.vars().into_iter().chain(right.vars()) {
            if let NatVar::Meta(id) = v {
                let list = self.watchers.entry(id).or_default();
                if !list.contains(&i) {
                    list.push(i);
                }
            }
        }
    }

    /// Solves the open equations together, as far as it goes. Call it when all equations have been given.
    pub fn solve_together(&mut self) {
        // More waiting equations than this are not worth the cube of their number.
        const MANY: usize = 24;
        loop {
            let open: Vec<usize> = (0..self.equations.len()).filter(|i| self.equations[*i].open).collect();
            if open.len() < 2 || open.len() > MANY {
                return;
            }
            let mut sides = vec![];
            for i in &open {
                let Equation { left, right, .. } = &self.equations[*i];
                let (left, right) = (left.clone(), right.clone());
                sides.push((self.zonk_nat(&left), self.zonk_nat(&right)));
            }
            match eliminate(&sides, &is_meta) {
                Solution::Bind(NatVar::Meta(id), value) => {
                    self.bind_nat(id, value);
                    self.settle();
                }
                Solution::Contradiction => {
                    for (i, (left, right)) in open.into_iter().zip(sides) {
                        self.close(i);
                        let Equation { origin, types, .. } = self.equations[i].clone();
                        self.failures.push(Mismatch { origin, cause: Cause::Size(left, right), types });
                    }
                }
                Solution::Equal | Solution::Stuck | Solution::Bind(..) => return,
            }
        }
    }

    fn close(&mut self, i: usize) {
        self.equations[i].open = false;
        self.note(Change::Closed(i));
    }

    /// The equations that turned out to be impossible after they had been accepted; each is told once.
    pub fn failures(&mut self) -> Vec<Mismatch> {
        std::mem::take(&mut self.failures)
    }

    /// The equations between sizes that are still open.
    pub fn open_equations(&self) -> impl Iterator<Item = &Equation> {
        self.equations.iter().filter(|e| e.open)
    }

    /// Stops waiting for the open equations and returns them, as far as they are known.
    pub fn take_open_equations(&mut self) -> Vec<Equation> {
        let open: Vec<usize> = (0..self.equations.len()).filter(|i| self.equations[*i].open).collect();
        let mut out = vec![];
        for i in open {
            self.close(i);
            let mut equation = self.equations[i].clone();
            equation.left = self.zonk_nat(&equation.left);
            equation.right = self.zonk_nat(&equation.right);
            out.push(equation);
        }
        out
    }

    /// The size with everything put in that is known.
    pub fn zonk_nat(&mut self, n: &Nat) -> Nat {
        if !n.has_metas() {
            return n.clone();
        }
        let known: Vec<(u32, Nat)> = n
            .vars()
            .into_iter()
            .filter_map(|v| if let NatVar::Meta(id) = v { Some(id) } else { None })
            .filter_map(|id| Some((id, self.bound_nat(id)?.clone())))
            .collect();
        if known.is_empty() {
            return n.clone();
        }
        let mut values: Vec<(u32, Nat)> = vec![];
        for (id, value) in known {
            let new = with_stack(|| self.zonk_nat(&value));
            if new != value {
                self.set_nat(id, new.clone());
            }
            values.push((id, new));
        }
        n.subst(&|v| match v {
            NatVar::Meta(id) => values.iter().find(|(i, _)| i == id).map(|(_, n)| n.clone()),
            NatVar::Named(_) | NatVar::Worker(_) => None,
        })
    }

    /// The type with everything put in that is known.
    pub fn zonk(&mut self, t: &Type) -> Type {
        if t.has_metas() { self.zonk_with(t, &mut FxHashMap::default()) } else { t.clone() }
    }

    /// A part that a type shares with itself is walked once: types are trees on paper, but graphs in memory.
    fn zonk_with(&mut self, t: &Type, memo: &mut FxHashMap<Digest, Type>) -> Type {
        if !t.has_metas() {
            return t.clone();
        }
        if let Some(done) = memo.get(&t.digest()) {
            return done.clone();
        }
        let out = match t.kind() {
            TypeKind::Var(TypeVar::Meta(id)) => {
                let Some(bound) = self.bound_type(*id).cloned() else { return t.clone() };
                let new = with_stack(|| self.zonk_with(&bound, memo));
                if new != bound {
                    self.set_type(*id, new.clone());
                }
                new
            }
            TypeKind::Index(n) => Type::index(self.zonk_nat(n)),
            TypeKind::Vector(n, t) => {
                let n = self.zonk_nat(n);
                Type::vector(n, with_stack(|| self.zonk_with(t, memo)))
            }
            TypeKind::Array(n, t) => {
                let n = self.zonk_nat(n);
                Type::array(n, with_stack(|| self.zonk_with(t, memo)))
            }
            TypeKind::Pair(a, b) => {
                let a = with_stack(|| self.zonk_with(a, memo));
                Type::pair(a, with_stack(|| self.zonk_with(b, memo)))
            }
            TypeKind::Fun(a, b) => {
                let a = with_stack(|| self.zonk_with(a, memo));
                Type::fun(a, with_stack(|| self.zonk_with(b, memo)))
            }
            _ => return t.clone(),
        };
        memo.insert(t.digest(), out.clone());
        out
    }
}

impl Unifier {
    /// Writes down for every unknown all that is known of it, so that [`Unifier::known`] is quick.
    pub fn write_out(&mut self) {
        for id in 0..self.types.len() as u32 {
            if self.bound_type(id).is_some() {
                self.zonk(&Type::meta(id));
            }
        }
        for id in 0..self.nats.len() as u32 {
            if self.bound_nat(id).is_some() {
                self.zonk_nat(&Nat::meta(id));
            }
        }
    }

    /// As [`Unifier::zonk`] after [`Unifier::write_out`]: one step is enough.
    pub fn known(&self, t: &Type) -> Type {
        struct Written<'a>(&'a Unifier);
        impl TypeSubst for Written<'_> {
            fn ty(&self, v: &TypeVar) -> Option<Type> {
                let TypeVar::Meta(id) = v else { return None };
                self.0.bound_type(*id).cloned()
            }
            fn nat(&self, v: &NatVar) -> Option<Nat> {
                let NatVar::Meta(id) = v else { return None };
                self.0.bound_nat(*id).cloned()
            }
        }
        if t.has_metas() { t.subst(&Written(self)) } else { t.clone() }
    }
}

/// What an equation says of one unknown. Where one side has an unknown more than the other, it is none: `take n` leaves nothing
/// aside of n elements. Where arrays of so many would come of it, that is said of them.
fn solved(left: &Nat, right: &Nat) -> Solution {
    let more = || [left.sub(right), right.sub(left)].into_iter().find_map(|n| n.as_variable().cloned());
    match solve(left, right, &is_meta) {
        Solution::Contradiction => match more().filter(is_meta) {
            Some(v) => Solution::Bind(v, Nat::constant(0)),
            None => Solution::Contradiction,
        },
        solution => solution,
    }
}

fn is_meta(v: &NatVar) -> bool {
    matches!(v, NatVar::Meta(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(n: i64) -> Nat {
        Nat::constant(n)
    }
    fn v(n: &str) -> Nat {
        Nat::var(n)
    }

    #[test]
    fn functions_are_no_data() {
        let mut u = Unifier::new();
        let data = u.fresh_type(Kind::Data);
        let any = u.fresh_type(Kind::Any);
        let f = Type::fun(Type::f32(), Type::f32());
        assert_eq!(u.unify(&data, &f, 0).unwrap_err().cause, Cause::NotData(f.clone()));
        u.unify(&any, &data, 0).unwrap();
        assert!(u.unify(&any, &f, 0).is_err(), "an unknown that equals data is data");
    }

    #[test]
    fn no_type_contains_itself() {
        let mut u = Unifier::new();
        let (a, b) = (u.fresh_type(Kind::Any), u.fresh_type(Kind::Any));
        u.unify(&a, &Type::fun(b.clone(), Type::f32()), 0).unwrap();
        assert!(matches!(u.unify(&b, &a, 7), Err(Mismatch { origin: 7, cause: Cause::Infinite(..), .. })));
    }

    #[test]
    fn a_failure_changes_nothing() {
        let mut u = Unifier::new();
        let (a, n) = (u.fresh_type(Kind::Data), u.fresh_nat());
        let pattern = Type::pair(Type::array(n.clone(), a.clone()), Type::f32());
        let subject = Type::pair(Type::array(v("m"), Type::f32()), Type::scalar(crate::ty::Scalar::I32));
        assert!(u.unify(&pattern, &subject, 0).is_err());
        assert_eq!((u.zonk(&a), u.zonk_nat(&n)), (a.clone(), n.clone()));
        assert!(u.unify(&pattern, &Type::pair(Type::array(v("m"), Type::f32()), Type::f32()), 0).is_ok());
        assert_eq!((u.zonk(&a), u.zonk_nat(&n)), (Type::f32(), v("m")));
    }

    #[test]
    fn rigid_names_stay() {
        let mut u = Unifier::new();
        assert!(u.unify(&Type::named("s"), &Type::named("t"), 0).is_err());
        assert!(u.unify_nats(&v("n"), &v("m"), 0).is_err());
        let q = u.fresh_nat();
        u.unify_nats(&v("n"), &q.mul(&c(32)), 0).unwrap();
        assert_eq!(u.zonk_nat(&q).to_string(), "n/32");
    }

    #[test]
    fn the_patterns_size_equations_are_solved() {
        let mut u = Unifier::new();
        let q = u.fresh_nat();
        // slide 3 2 on 2*n + 1 elements
        u.unify_nats(&c(2).mul(&q).add(&c(3)).sub(&c(2)), &c(2).mul(&v("n")).add(&c(1)), 0).unwrap();
        assert_eq!(u.zonk_nat(&q), v("n"));
        // (n + sz - 1) with both known later
        let (n, sz) = (u.fresh_nat(), u.fresh_nat());
        u.unify_nats(&n.add(&sz).sub(&c(1)), &v("h").add(&c(2)), 1).unwrap();
        u.unify_nats(&sz, &c(3), 2).unwrap();
        assert_eq!(u.zonk_nat(&n), v("h"));
        // a product waits for one of its factors
        let (a, b) = (u.fresh_nat(), u.fresh_nat());
        u.unify_nats(&a.mul(&b), &v("m"), 3).unwrap();
        assert_eq!(u.open_equations().count(), 1);
        u.unify_nats(&a, &c(4), 4).unwrap();
        assert_eq!(u.zonk_nat(&b).to_string(), "m/4");
        assert_eq!(u.open_equations().count(), 0);
    }

    #[test]
    fn a_waiting_equation_may_fail_later() {
        let mut u = Unifier::new();
        let (a, b) = (u.fresh_nat(), u.fresh_nat());
        u.unify_nats(&a.mul(&b), &c(12), 5).unwrap();
        u.unify_nats(&a, &c(5), 6).unwrap();
        let failures = u.failures();
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].origin, 5);
        assert!(u.failures().is_empty());
    }

    #[test]
    fn rolled_back_equations_wait_again() {
        let mut u = Unifier::new();
        let (a, b) = (u.fresh_nat(), u.fresh_nat());
        u.unify_nats(&a.mul(&b), &v("m"), 0).unwrap();
        let s = u.snapshot();
        u.unify_nats(&a, &c(4), 1).unwrap();
        assert_eq!(u.zonk_nat(&b).to_string(), "m/4");
        u.rollback(s);
        assert_eq!(u.zonk_nat(&b), b);
        u.unify_nats(&b, &c(8), 2).unwrap();
        assert_eq!(u.zonk_nat(&a).to_string(), "m/8");
    }

    #[test]
    fn shared_structure_takes_no_exponential_time() {
        let mut u = Unifier::new();
        let tower = |u: &mut Unifier| {
            let mut t = u.fresh_type(Kind::Data);
            for _ in 0..300 {
                let next = u.fresh_type(Kind::Data);
                u.unify(&next, &Type::pair(t.clone(), t.clone()), 0).unwrap();
                t = next;
            }
            t
        };
        let (a, b) = (tower(&mut u), tower(&mut u));
        u.unify(&a, &b, 0).unwrap();
        assert_eq!(u.zonk(&a), u.zonk(&b));
    }

    /// The equations of a random chain of patterns on an array of `h` elements, and its unknowns.
    fn chain(u: &mut Unifier, mut draw: impl FnMut(u64) -> i64) -> (Vec<(Nat, Nat)>, Vec<Nat>) {
        let mut length = v("h").mul(&c(64)).add(&c(draw(5)));
        let (mut equations, mut unknowns) = (vec![], vec![]);
        for _ in 0..3 + draw(6) {
            let (n, sz, sp) = (u.fresh_nat(), u.fresh_nat(), u.fresh_nat());
            unknowns.extend([n.clone(), sz.clone(), sp.clone()]);
            equations.push((sz.clone(), c(draw(4) + 1)));
            equations.push((sp.clone(), c([1, 2, 4][draw(3) as usize])));
            let next = u.fresh_nat();
            unknowns.push(next.clone());
            match draw(4) {
                // slide, and the windows' starts
                0 => equations.extend([(sp.mul(&n).add(&sz).sub(&sp), length), (next.clone(), n)]),
                // split and the number of chunks
                1 => equations.extend([(n.mul(&sp), length), (next.clone(), n)]),
                // padClamp
                2 => equations.extend([(sz.add(&length).add(&sp), next.clone()), (n, next.clone())]),
                // split and join
                _ => equations.extend([(n.mul(&sp), length), (n.mul(&sp), next.clone())]),
            }
            length = next;
        }
        (equations, unknowns)
    }

    proptest::proptest! {
        /// Whatever the patterns and the order of their equations, the sizes are the same, and all are found.
        #[test]
        fn chains_of_patterns_are_solved_in_any_order(seed in 0u64..u64::MAX) {
            let draws = |seed: u64| {
                let mut state = seed;
                move |n: u64| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((state >> 33) % n) as i64
                }
            };
            let solved = |shuffle: Option<u64>| {
                let mut u = Unifier::new();
                let (mut equations, unknowns) = chain(&mut u, draws(seed));
                if let Some(shuffle) = shuffle {
                    let mut draw = draws(shuffle);
                    for i in (1..equations.len()).rev() {
                        equations.swap(i, draw(i as u64 + 1) as usize);
                    }
                }
                let mut failed = false;
                for (i, (left, right)) in equations.iter().enumerate() {
                    failed |= u.unify_nats(left, right, i as u32).is_err();
                }
                u.solve_together();
                failed |= !u.failures().is_empty();
                let known: Vec<Nat> = unknowns.iter().map(|n| u.zonk_nat(n)).collect();
                (failed, known)
            };
            let (failed, reference) = solved(None);
            for shuffle in 0..6 {
                let (also, known) = solved(Some(seed.wrapping_add(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(shuffle + 1))));
                proptest::prop_assert_eq!(also, failed);
                if !failed {
                    proptest::prop_assert_eq!(&known, &reference);
                    proptest::prop_assert!(known.iter().all(|n| !n.has_metas()), "{:?}", known);
                }
            }
        }

        /// Any order of the equations gives the same sizes.
        #[test]
        fn the_order_of_equations_does_not_matter(seed in 0u64..1_000_000) {
            let build = |order: &[usize]| {
                let mut u = Unifier::new();
                let m: Vec<Nat> = (0..6).map(|_| u.fresh_nat()).collect();
                // split 32, join, slide 3 1, a product of two unknowns, a sum of two unknowns
                let equations = [
                    (m[0].mul(&c(32)), v("n")),
                    (m[0].mul(&m[1]), m[2].clone()),
                    (m[1].add(&c(2)), m[3].clone()),
                    (m[3].clone(), v("h").add(&c(2))),
                    (m[4].mul(&m[5]), m[2].clone()),
                    (m[4].add(&m[1]), v("h").mul(&c(2))),
                ];
                for i in order {
                    u.unify_nats(&equations[*i].0, &equations[*i].1, *i as u32).unwrap();
                }
                u.solve_together();
                assert!(u.failures().is_empty());
                let open: Vec<Equation> = u.open_equations().cloned().collect();
                let known: Vec<Nat> = m.iter().map(|n| u.zonk_nat(n)).collect();
                assert!(open.is_empty(), "{order:?}: {open:?}, {known:?}");
                m.iter().map(|n| u.zonk_nat(n)).collect::<Vec<_>>()
            };
            let mut order: Vec<usize> = (0..6).collect();
            let mut state = seed;
            for i in (1..6).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                order.swap(i, (state >> 33) as usize % (i + 1));
            }
            let reference = build(&[0, 1, 2, 3, 4, 5]);
            proptest::prop_assert_eq!(build(&order), reference.clone());
            proptest::prop_assert!(reference.iter().all(|n| !n.has_metas()));
        }
    }
}
