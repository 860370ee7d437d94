//! The types of DPIA, checked again: after translation and after every pass.
//!
//! A well-typed imperative phrase stores only what can be read, at places of the same type, and every identifier is
//! bound once.

use super::signature::{Signature, signature};
use super::{Access, Kind, Layout, Phrase, PhraseType, extent};
use crate::lang::build;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Subject;
use crate::lang::nat::{Name, Nat, NatFun, NatVar, Ranges};
use crate::lang::origin::Origin;
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::lang::ty::Type;
use crate::target::Launch;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// What was found well-typed.
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// Assignments and conditions by their pieces, which are kept so that no other one takes their place, each with all
    /// that was asked about names.
    pieces: FxHashMap<usize, (Phrase, Vec<(Name, Bound)>)>,
    /// Patterns with their arguments, and the types of their phrases and of the whole.
    instances: FxHashSet<(Pattern, Vec<Arg>, Vec<Type>)>,
}

/// Where a number is too large to be written, if there is one: a loop or memory, or what a command comes from.
pub fn too_large(p: &Phrase) -> Option<Subject> {
    fn find(p: &Phrase, around: &Origin) -> Option<Subject> {
        let here = if p.origin().is_none() { around } else { p.origin() };
        let mut fits = true;
        let mut see = |n: &Nat| fits &= n.is_writable();
        if let Some(t) = p.ty().data() {
            t.for_each_nat(&mut see);
        }
        match p.kind() {
            Kind::Number(n, _) => see(n),
            Kind::Lit(l) => l.sizes().into_iter().for_each(see),
            Kind::Pattern(_, args, _) => args.iter().for_each(|arg| {
                if let Arg::Nat(n) = arg {
                    see(n);
                }
            }),
            Kind::For(l) => [&l.init, &l.n, &l.step].into_iter().for_each(see),
            Kind::New(_, t, _, _) => t.for_each_nat(&mut see),
            _ => {}
        }
        let own = || match p.kind() {
            Kind::For(l) => Subject::Made(l.var.clone()),
            Kind::New(_, _, x, _) => Subject::Made(x.clone()),
            _ => Subject::From(here.clone()),
        };
        let within = p.children().into_iter().find_map(|c| find(c, here));
        within.or_else(|| (!fits).then(own))
    }
    find(p, &Origin::default())
}

/// `constraints`: what holds of the sizes; `known`: from programs that were checked before.
///
/// # Errors
/// A sentence that says what does not fit.
pub fn check(
    p: &Phrase,
    params: &[(Name, PhraseType)],
    memory: &[(Name, Type)],
    sizes: &[Name],
    constraints: &[SizeConstraint],
    launch: Option<&Launch>,
    known: &mut Known,
) -> Result<(), String> {
    let mut env = FxHashMap::default();
    for x in sizes {
        env.insert(x.clone(), Bound::Number);
    }
    for (x, t) in params {
        env.insert(x.clone(), Bound::Phrase(t.clone()));
    }
    for (x, t) in memory {
        env.insert(x.clone(), Bound::Memory(t.clone()));
    }
    let ranges = SizeConstraint::ranges(constraints);
    let mut checker = Checker { env, ranges, launched: vec![], known, asked: RefCell::new(None) };
    checker.launched.extend(launch.into_iter().flat_map(Launch::counts));
    params
        .iter()
        .filter_map(|(_, t)| t.data())
        .chain(memory.iter().map(|(_, t)| t))
        .try_for_each(|t| checker.sizes(t))?;
    checker.phrase(p)
}

#[derive(Clone, PartialEq, Debug)]
enum Bound {
    Phrase(PhraseType),
    /// Memory: readable and writable.
    Memory(Type),
    /// A size, or the variable of a loop.
    Number,
}

struct Checker<'a> {
    env: FxHashMap<Name, Bound>,
    /// Of the variables of loops, and what holds of the sizes.
    ranges: Ranges,
    /// Numbers of work-items and groups: there is one at least of those that run this.
    launched: Vec<Nat>,
    known: &'a mut Known,
    /// The names that the piece at hand asked about; none where it can not be remembered by these.
    asked: RefCell<Option<Vec<Name>>>,
}

impl Checker<'_> {
    /// An assignment or a condition, unless it is known and its names are what they were.
    fn piece(&mut self, p: &Phrase) -> Result<(), String> {
        // What is around it, if anything that is remembered were, asks more than it asks itself.
        self.asked.take();
        if let Some((_, names)) = self.known.pieces.get(&p.piece())
            && names.iter().all(|(x, b)| self.env.get(x) == Some(b))
        {
            return Ok(());
        }
        self.asked = RefCell::new(Some(vec![]));
        self.unknown_piece(p)?;
        if let Some(asked) = self.asked.take() {
            let bound = |x: Name| self.env.get(&x).map(|b| (x.clone(), b.clone()));
            if let Some(names) = asked.into_iter().map(bound).collect() {
                self.known.pieces.insert(p.piece(), (p.clone(), names));
            }
        }
        Ok(())
    }

    fn unknown_piece(&mut self, p: &Phrase) -> Result<(), String> {
        let Kind::Assign(to, e) = p.kind() else { return self.phrase(p) };
        self.phrase(to)?;
        self.phrase(e)?;
        comm(p)?;
        match (to.ty(), e.ty()) {
            (PhraseType::Acc(a), PhraseType::Exp(b, Access::Read)) if a == b && !a.has_array() => Ok(()),
            (a, b) => Err(format!("{b} is assigned to {a}")),
        }
    }

    fn bound(&self, x: &Name) -> Option<&Bound> {
        if let Some(asked) = self.asked.borrow_mut().as_mut()
            && !asked.contains(x)
        {
            asked.push(x.clone());
        }
        self.env.get(x)
    }

    fn bind(&mut self, x: &Name, b: Bound) -> Result<(), String> {
        self.asked = RefCell::new(None);
        match self.env.insert(x.clone(), b) {
            None => Ok(()),
            Some(_) => Err(format!("`{x}` is bound twice")),
        }
    }

    /// Is everything known that the number is made of? `parts` are known to it alone.
    fn number(&self, n: &Nat, parts: &[(Name, Phrase)]) -> Result<(), String> {
        if n.as_constant().is_some() {
            return Ok(());
        }
        if !n.is_writable() {
            return Err("a number is too large".into());
        }
        for v in n.vars() {
            match &v {
                NatVar::Worker(_) => {}
                NatVar::Named(x) if parts.iter().any(|(y, _)| x == y) => {}
                NatVar::Named(x) => match self.bound(x) {
                    Some(Bound::Number) => {}
                    Some(_) => return Err(format!("`{x}` in {n} is no loop variable or size")),
                    None => return Err(format!("`{x}` in {n} is not bound")),
                },
                NatVar::Meta(_) => return Err(format!("`{v}` in {n} is not known")),
            }
        }
        Ok(())
    }

    /// Are the sizes in a type known?
    fn sizes(&self, t: &Type) -> Result<(), String> {
        let mut out = Ok(());
        t.for_each_nat(&mut |n| {
            if out.is_ok() {
                out = self.number(n, &[]);
            }
        });
        out
    }

    fn phrase(&mut self, p: &Phrase) -> Result<(), String> {
        if let Some(t) = p.ty().data() {
            self.sizes(t)?;
        }
        match p.kind() {
            Kind::Var(x) => match (self.bound(x), p.ty()) {
                (Some(Bound::Phrase(t)), ty) if t == ty => Ok(()),
                (Some(Bound::Memory(t)), PhraseType::Acc(ty) | PhraseType::Exp(ty, Access::Read))
                    if t == ty =>
                {
                    Ok(())
                }
                (Some(_), ty) => Err(format!("`{x}` does not have the type {ty}")),
                (None, _) => Err(format!("`{x}` is not bound")),
            },
            Kind::Lam(x, t, b) => {
                self.bind(x, Bound::Phrase(t.clone()))?;
                self.phrase(b)?;
                self.env.remove(x);
                same(p.ty(), &PhraseType::fun(t.clone(), b.ty().clone()))
            }
            Kind::App(f, e) => {
                self.phrase(f)?;
                self.phrase(e)?;
                match f.ty() {
                    PhraseType::Fun(ft) if fits(e.ty(), &ft.0) && fits(&ft.1, p.ty()) => Ok(()),
                    t => Err(format!("a function of type {t} is applied to {}", e.ty())),
                }
            }
            Kind::Lit(l) => same(p.ty(), &PhraseType::read(l.ty())),
            Kind::Number(n, parts) => {
                for (x, e) in parts {
                    self.phrase(e)?;
                    if !is_number(&e.data()) {
                        return Err(format!("`{x}` in {n} is no number but {}", e.ty()));
                    }
                }
                self.number(n, parts)?;
                if is_number(&p.data()) { Ok(()) } else { Err(format!("a number has the type {}", p.ty())) }
            }
            Kind::Pattern(pattern, args, ps) => {
                for e in ps {
                    self.phrase(e)?;
                }
                for a in args {
                    match a {
                        Arg::Nat(n) => self.number(n, &[])?,
                        Arg::Fun(f) => self.function(f)?,
                        Arg::Addr(_) | Arg::Dim(_) => {}
                    }
                }
                // A lane of a vector is an element too.
                if *pattern == Pattern::Idx
                    && let [i, x] = ps.as_slice()
                    && let Some((n, t)) = x.data().as_vector()
                    && i.data().as_index() == Some(n)
                {
                    return same(p.ty(), &PhraseType::read(t.clone()));
                }
                let whole = ps.iter().chain([p]).map(|e| rise(e.ty())).collect::<Result<Vec<_>, _>>()?;
                let instance = (*pattern, args.clone(), whole);
                if !self.known.instances.contains(&instance) {
                    let ty = instance
                        .2
                        .split_last()
                        .map_or_else(Type::ill, |(t, ps)| Type::function(ps, t.clone()));
                    if !build::is_instance(*pattern, args, &ty) {
                        return Err(format!("`{pattern}` cannot have the type {ty}"));
                    }
                    self.known.instances.insert(instance);
                }
                self.accesses(*pattern, ps, p.ty())
            }
            Kind::Acceptor(layout, ps) => {
                for e in ps {
                    self.phrase(e)?;
                }
                match layout {
                    Layout::Split(n)
                    | Layout::Join(n)
                    | Layout::AsVector(n)
                    | Layout::AsScalar(n)
                    | Layout::Drop(n) => self.number(n, &[])?,
                    Layout::Reorder(f) => self.function(f)?,
                    _ => {}
                }
                if !matches!(layout, Layout::Index | Layout::First | Layout::Second) {
                    self.asked = RefCell::new(None);
                }
                acceptor(layout, ps, &p.data(), &self.ranges)
            }
            Kind::Skip | Kind::Barrier(_) => comm(p),
            Kind::Assign(..) => self.piece(p),
            Kind::Seq(ps) => {
                comm(p)?;
                ps.iter().try_for_each(|c| self.phrase(c).and_then(|()| comm(c)))
            }
            Kind::New(_, t, x, b) => {
                if !t.is_data() {
                    return Err(format!("memory of type {t}"));
                }
                self.sizes(t)?;
                self.bind(x, Bound::Memory(t.clone()))?;
                self.phrase(b)?;
                self.env.remove(x);
                comm(b)?;
                comm(p)
            }
            Kind::For(l) => {
                for n in [&l.init, &l.n, &l.step] {
                    self.number(n, &[])?;
                }
                let (zero, one) = (Nat::constant(0), Nat::constant(1));
                let reaches = |least: &Nat| l.step.sub(least).is_natural(&self.ranges);
                let steps = reaches(&one) || self.launched.iter().any(reaches);
                if !l.init.is_natural(&self.ranges) || !steps {
                    return Err(format!("the loop over `{}` goes from {} by {}", l.var, l.init, l.step));
                }
                self.bind(&l.var, Bound::Number)?;
                self.ranges.insert(l.var.clone(), zero, l.n.clone());
                self.phrase(&l.body)?;
                self.ranges.remove(&l.var);
                self.env.remove(&l.var);
                comm(&l.body)?;
                comm(p)
            }
            Kind::Kernel(launch, b) => {
                launch.numbers().try_for_each(|n| self.number(n, &[]))?;
                let outside = self.launched.len();
                self.launched.extend(launch.counts());
                self.phrase(b)?;
                self.launched.truncate(outside);
                comm(b)?;
                comm(p)
            }
            Kind::If(c, a, b) => {
                self.piece(c)?;
                self.phrase(a)?;
                self.phrase(b)?;
                same(c.ty(), &PhraseType::read(crate::lang::literal::Literal::Bool(true).ty()))?;
                comm(a)?;
                comm(b)?;
                comm(p)
            }
        }
    }

    fn function(&self, f: &NatFun) -> Result<(), String> {
        f.vars().into_iter().try_for_each(|v| self.number(&Nat::variable(v), &[]))
    }

    fn accesses(&self, pattern: Pattern, ps: &[Phrase], ty: &PhraseType) -> Result<(), String> {
        let Some(signature) = signature(pattern) else {
            return Err(format!("`{pattern}` has no access"));
        };
        let mut s = &*signature;
        let PhraseType::Exp(_, own) = ty else { return Err(format!("`{pattern}` has the type {ty}")) };
        if pattern == Pattern::MakeArray {
            return ps.iter().try_for_each(|e| may_stand(e.ty(), Access::Read));
        }
        for e in ps {
            let Signature::Fun(param, rest) = s else { break };
            check_access(e.ty(), param, *own).map_err(|why| format!("in `{pattern}`, {why}"))?;
            s = rest;
        }
        match s {
            Signature::Fixed(a) => {
                may_stand(&PhraseType::Exp(ty.data().cloned().unwrap_or_else(Type::ill), *a), *own)
            }
            _ => Ok(()),
        }
    }
}

/// Does an argument of this type fit a parameter of this signature, of a pattern whose result has the access `own`?
fn check_access(t: &PhraseType, s: &Signature, own: Access) -> Result<(), String> {
    // The elements of a stream are read.
    let shared = if own == Access::Stream { Access::Read } else { own };
    match (t, s) {
        (PhraseType::Fun(f), Signature::Fun(a, b)) => {
            let required = match &**a {
                Signature::Fixed(x) => *x,
                _ => shared,
            };
            if let PhraseType::Exp(d, _) = &f.0 {
                // Contravariant: what the pattern passes must suit the function.
                if !fits(&PhraseType::Exp(d.clone(), required), &f.0) {
                    return Err(format!("a function that takes {} is given {required}", f.0));
                }
            }
            check_access(&f.1, b, own)
        }
        (t, Signature::Fixed(a)) => may_stand(t, *a),
        (t, Signature::Shared) => may_stand(t, shared),
        (t, Signature::Through) => may_stand(t, own),
        (t, Signature::Fun(..)) => Err(format!("{t} is no function")),
    }
}

fn may_stand(t: &PhraseType, needed: Access) -> Result<(), String> {
    match t {
        PhraseType::Exp(d, a) if suits(d, *a, needed) => Ok(()),
        _ => Err(format!("{t} stands where {needed} is needed")),
    }
}

/// Can data of an access stand where another one is needed? What is no array is written by assigning it, and any array
/// is a stream of its elements.
fn suits(d: &Type, a: Access, needed: Access) -> bool {
    a == needed || (a == Access::Read && (needed == Access::Stream || !d.has_array()))
}

/// Can a phrase of the first type stand where the second is expected?
fn fits(a: &PhraseType, b: &PhraseType) -> bool {
    match (a, b) {
        (PhraseType::Exp(s, x), PhraseType::Exp(t, y)) => s == t && suits(s, *x, *y),
        _ => a == b,
    }
}

fn same(a: &PhraseType, b: &PhraseType) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{b} stands where {a} is expected")) }
}

fn comm(p: &Phrase) -> Result<(), String> {
    same(&PhraseType::Comm, p.ty())
}

fn is_number(t: &Type) -> bool {
    t.as_index().is_some() || *t == Type::nat_type()
}

/// The type of a functional phrase as RISE has it.
fn rise(t: &PhraseType) -> Result<Type, String> {
    match t {
        PhraseType::Exp(d, _) => Ok(d.clone()),
        PhraseType::Fun(f) => Ok(Type::fun(rise(&f.0)?, rise(&f.1)?)),
        PhraseType::Acc(_) | PhraseType::Comm => Err(format!("{t} stands in an expression")),
    }
}

/// Is the number at least zero? It is compared with what holds of the sizes as that is said: in whole numbers.
fn is_size(n: &Nat, ranges: &Ranges) -> bool {
    SizeConstraint::of_size(n).iter().all(|c| match c {
        SizeConstraint::AtMost(a, b) => b.sub(a).is_natural(ranges),
        _ => true,
    })
}

fn acceptor(layout: &Layout, ps: &[Phrase], ty: &Type, ranges: &Ranges) -> Result<(), String> {
    let wrong = || format!("the acceptor {layout:?} cannot have the type acc[{ty}]");
    let Some(PhraseType::Acc(whole)) = ps.last().map(Phrase::ty) else { return Err(wrong()) };
    let array = |n: &Nat, t: &Type| Type::array(n.clone(), t.clone());
    let is = |t: Type| if t == *ty { Ok(()) } else { Err(wrong()) };
    match layout {
        Layout::Index => match (ps.first().map(Phrase::data), whole) {
            (Some(i), w) if i.as_index() == Some(&extent(w)) => is(super::element(w)),
            _ => Err(wrong()),
        },
        Layout::First => is(whole.as_pair().ok_or_else(wrong)?.0.clone()),
        Layout::Second => is(whole.as_pair().ok_or_else(wrong)?.1.clone()),
        Layout::ZipFirst | Layout::ZipSecond => {
            let (n, t) = whole.as_array().ok_or_else(wrong)?;
            let (a, b) = t.as_pair().ok_or_else(wrong)?;
            is(array(n, if *layout == Layout::ZipFirst { a } else { b }))
        }
        Layout::Unzip => {
            let (a, b) = whole.as_pair().ok_or_else(wrong)?;
            let ((n, s), (m, t)) = (a.as_array().ok_or_else(wrong)?, b.as_array().ok_or_else(wrong)?);
            if n != m {
                return Err(wrong());
            }
            is(array(n, &Type::pair(s.clone(), t.clone())))
        }
        Layout::Split(n) => {
            let (m, row) = whole.as_array().ok_or_else(wrong)?;
            let (_, t) = row.as_array().filter(|(k, _)| *k == n).ok_or_else(wrong)?;
            is(array(&m.mul(n), t))
        }
        Layout::Join(n) => {
            let (mn, t) = whole.as_array().ok_or_else(wrong)?;
            is(array(&mn.exact_div(n), &array(n, t)))
        }
        Layout::Transpose => {
            let (n, row) = whole.as_array().ok_or_else(wrong)?;
            let (m, t) = row.as_array().ok_or_else(wrong)?;
            is(array(m, &array(n, t)))
        }
        Layout::Reorder(_) => is(whole.clone()),
        Layout::AsVector(n) => {
            let (m, v) = whole.as_array().ok_or_else(wrong)?;
            let (_, t) = v.as_vector().filter(|(k, _)| *k == n).ok_or_else(wrong)?;
            is(array(&m.mul(n), t))
        }
        Layout::AsScalar(n) => {
            let (mn, t) = whole.as_array().ok_or_else(wrong)?;
            is(array(&mn.exact_div(n), &Type::vector(n.clone(), t.clone())))
        }
        Layout::Take | Layout::Drop(_) => {
            let ((m, s), (n, t)) = (whole.as_array().ok_or_else(wrong)?, ty.as_array().ok_or_else(wrong)?);
            let left = if let Layout::Drop(first) = layout { m.sub(first) } else { m.clone() };
            if s == t && is_size(&left.sub(n), ranges) { Ok(()) } else { Err(wrong()) }
        }
        Layout::Longer => {
            let ((n, s), (m, t)) = (whole.as_array().ok_or_else(wrong)?, ty.as_array().ok_or_else(wrong)?);
            if s == t && is_size(&m.sub(n), ranges) { Ok(()) } else { Err(wrong()) }
        }
        Layout::Scatter => {
            let (m, t) = whole.as_array().ok_or_else(wrong)?;
            let indices = ps.first().map(Phrase::data).ok_or_else(wrong)?;
            let (n, i) = indices.as_array().ok_or_else(wrong)?;
            if i.as_index() == Some(m) { is(array(n, t)) } else { Err(wrong()) }
        }
        Layout::Map => {
            let ((n, t), Some(PhraseType::Fun(f))) =
                (whole.as_array().ok_or_else(wrong)?, ps.first().map(Phrase::ty))
            else {
                return Err(wrong());
            };
            match &**f {
                (PhraseType::Acc(to), PhraseType::Acc(from)) if to == t => is(array(n, from)),
                _ => Err(wrong()),
            }
        }
        Layout::MapFirst | Layout::MapSecond => {
            let ((a, b), Some(PhraseType::Fun(f))) =
                (whole.as_pair().ok_or_else(wrong)?, ps.first().map(Phrase::ty))
            else {
                return Err(wrong());
            };
            let first = *layout == Layout::MapFirst;
            match &**f {
                (PhraseType::Acc(to), PhraseType::Acc(from)) if first && to == a => {
                    is(Type::pair(from.clone(), b.clone()))
                }
                (PhraseType::Acc(to), PhraseType::Acc(from)) if !first && to == b => {
                    is(Type::pair(a.clone(), from.clone()))
                }
                _ => Err(wrong()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Loop, LoopKind, Workers};
    use super::*;
    use crate::lang::literal::Literal;
    use crate::lang::nat::Worker;
    use crate::lang::ty::Scalar;

    fn array(n: &Nat) -> Type {
        Type::array(n.clone(), Type::f32())
    }

    /// `x[at] = 1` for an array of `n`.
    fn store(at: &Nat, n: &Nat) -> Phrase {
        let at = Phrase::number(at.clone(), Type::index(n.clone()));
        let to = Phrase::idx_acc(at, Phrase::var(&"x".into(), PhraseType::Acc(array(n))));
        Phrase::assign(to, Phrase::lit(Literal::float(1.0, Scalar::F32)))
    }

    fn checked(p: &Phrase, memory: &Type) -> Result<(), String> {
        check(
            p,
            &[("x".into(), PhraseType::Acc(memory.clone()))],
            &[],
            &["n".into()],
            &[],
            None,
            &mut Known::default(),
        )
    }

    #[test]
    fn code_outside_of_its_loop_is_refused() {
        let (n, i) = (Nat::var("n"), Nat::var("i"));
        let inside = store(&i, &n);
        let whole = Phrase::for_each(LoopKind::Sequential, "i".into(), n.clone(), inside.clone());
        assert_eq!(checked(&whole, &array(&n)), Ok(()));
        let outside = Phrase::seq([whole, inside]);
        assert!(checked(&outside, &array(&n)).unwrap_err().contains("`i` in i is not bound"));
        // Sizes of memory, too.
        let memory = Phrase::new_in(crate::target::Storage::Private, array(&i), "t".into(), Phrase::skip());
        assert!(checked(&memory, &array(&n)).unwrap_err().contains("not bound"));
        assert!(checked(&store(&Nat::meta(0), &n), &array(&n)).is_err());
        assert!(checked(&store(&Nat::var("m"), &n), &array(&n)).is_err());
    }

    #[test]
    fn bounds_of_loops_are_known_and_steps_are_forward() {
        let (n, c) = (Nat::var("n"), Nat::constant);
        let of = |init: Nat, end: Nat, step: Nat| {
            let kind = LoopKind::Parallel(Workers::Global(0));
            let l = Loop { kind, var: "i".into(), init, n: end, step, body: store(&Nat::var("i"), &n) };
            checked(&Phrase::for_loop(l), &array(&n))
        };
        assert_eq!(of(c(0), n.clone(), c(1)), Ok(()));
        assert_eq!(of(Worker::GlobalId(0).nat(), n.clone(), Worker::GlobalSize(0).nat()), Ok(()));
        for (init, end, step) in [
            (c(0), Nat::var("m"), c(1)),
            (c(0), Nat::var("i"), c(1)),
            (c(0), n.clone(), c(0)),
            (c(0), n.clone(), Worker::GlobalId(0).nat()),
            (c(-1), n.clone(), c(1)),
        ] {
            assert!(of(init.clone(), end.clone(), step.clone()).is_err(), "{init} {end} {step}");
        }
    }

    #[test]
    fn acceptors_of_parts_have_their_types() {
        let (n, c) = (Nat::var("n"), Nat::constant);
        let x = |t: &Type| Phrase::var(&"x".into(), PhraseType::Acc(t.clone()));
        let of = |layout: Layout, mut ps: Vec<Phrase>, whole: &Type, ty: &Type| {
            ps.push(x(whole));
            checked(&Phrase::acceptor(layout, ps, ty.clone()), whole)
        };
        let longer = array(&n.add(&c(3)));
        assert_eq!(of(Layout::Take, vec![], &longer, &array(&n)), Ok(()));
        assert!(of(Layout::Take, vec![], &array(&n), &longer).is_err());
        assert_eq!(of(Layout::Longer, vec![], &array(&n), &longer), Ok(()));
        assert!(of(Layout::Longer, vec![], &longer, &array(&n)).is_err());
        assert!(
            of(Layout::Take, vec![], &longer, &Type::array(n.clone(), Type::scalar(Scalar::I32))).is_err()
        );
        assert_eq!(of(Layout::Drop(c(3)), vec![], &longer, &array(&n)), Ok(()));
        assert!(of(Layout::Drop(c(4)), vec![], &longer, &array(&n)).is_err());
        assert!(of(Layout::Drop(Nat::var("k")), vec![], &longer, &array(&n)).is_err());

        let indices = |n: &Nat, m: &Nat| {
            let i = Phrase::number(c(0), Type::index(m.clone()));
            Phrase::pattern(
                Pattern::MakeArray,
                vec![Arg::Nat(n.clone())],
                vec![i],
                Type::array(n.clone(), Type::index(m.clone())),
                Access::Read,
            )
        };
        assert_eq!(of(Layout::Scatter, vec![indices(&c(1), &n)], &array(&n), &array(&c(1))), Ok(()));
        assert!(of(Layout::Scatter, vec![indices(&c(1), &c(9))], &array(&n), &array(&c(1))).is_err());
        assert!(of(Layout::Scatter, vec![indices(&c(1), &n)], &array(&n), &array(&n)).is_err());

        let rows = Type::array(n.clone(), array(&c(4)));
        let first = Phrase::acceptor(
            Layout::Take,
            vec![Phrase::var(&"o".into(), PhraseType::Acc(array(&c(4))))],
            array(&c(2)),
        );
        let part = Phrase::lam("o".into(), PhraseType::Acc(array(&c(4))), first);
        assert_eq!(of(Layout::Map, vec![part.clone()], &rows, &Type::array(n.clone(), array(&c(2)))), Ok(()));
        assert!(of(Layout::Map, vec![part.clone()], &rows, &Type::array(n.clone(), array(&c(4)))).is_err());
        assert!(of(Layout::Map, vec![part], &rows, &Type::array(c(7), array(&c(2)))).is_err());
    }
}
