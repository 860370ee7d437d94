//! The types of DPIA, checked again: after translation and after every pass.
//!
//! A well-typed imperative phrase stores only what can be read, at places of the same type, and every identifier is
//! bound once.

use super::signature::{Signature, signature};
use super::{Access, Kind, Layout, Phrase, PhraseType, extent};
use crate::lang::build;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use std::collections::BTreeMap;

/// # Errors
/// A sentence that says what does not fit.
pub fn check(p: &Phrase, params: &[(Name, PhraseType)], memory: &[(Name, Type)]) -> Result<(), String> {
    let mut env = BTreeMap::new();
    for (x, t) in params {
        env.insert(x.clone(), Bound::Phrase(t.clone()));
    }
    for (x, t) in memory {
        env.insert(x.clone(), Bound::Memory(t.clone()));
    }
    Checker { env }.phrase(p)
}

enum Bound {
    Phrase(PhraseType),
    /// Memory: readable and writable.
    Memory(Type),
    Loop,
}

struct Checker {
    env: BTreeMap<Name, Bound>,
}

impl Checker {
    fn bind(&mut self, x: &Name, b: Bound) -> Result<(), String> {
        match self.env.insert(x.clone(), b) {
            None => Ok(()),
            Some(_) => Err(format!("`{x}` is bound twice")),
        }
    }

    fn phrase(&mut self, p: &Phrase) -> Result<(), String> {
        match p.kind() {
            Kind::Var(x) => match (self.env.get(x), p.ty()) {
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
                for v in n.vars() {
                    let name = v.to_string();
                    if let Some(Bound::Phrase(_) | Bound::Memory(_)) = self.env.get(name.as_str()) {
                        return Err(format!("`{name}` in {n} is no loop variable or size"));
                    }
                }
                if n.is_poison() {
                    return Err("a number left the range of numbers".into());
                }
                if is_number(&p.data()) { Ok(()) } else { Err(format!("a number has the type {}", p.ty())) }
            }
            Kind::Pattern(pattern, args, ps) => {
                for e in ps {
                    self.phrase(e)?;
                }
                // A lane of a vector is an element too.
                if *pattern == Pattern::Idx
                    && let [i, x] = ps.as_slice()
                    && let Some((n, t)) = x.data().as_vector()
                    && i.data().as_index() == Some(n)
                {
                    return same(p.ty(), &PhraseType::read(t.clone()));
                }
                let params: Vec<Type> = ps.iter().map(|e| rise(e.ty())).collect::<Result<_, _>>()?;
                let ty = Type::function(&params, rise(p.ty())?);
                if !build::is_instance(*pattern, args, &ty) {
                    return Err(format!("`{pattern}` cannot have the type {ty}"));
                }
                self.accesses(*pattern, ps, p.ty())
            }
            Kind::Acceptor(layout, ps) => {
                for e in ps {
                    self.phrase(e)?;
                }
                acceptor(layout, ps, &p.data())
            }
            Kind::Skip => comm(p),
            Kind::Assign(to, e) => {
                self.phrase(to)?;
                self.phrase(e)?;
                comm(p)?;
                match (to.ty(), e.ty()) {
                    (PhraseType::Acc(a), PhraseType::Exp(b, Access::Read)) if a == b && !a.has_array() => {
                        Ok(())
                    }
                    (a, b) => Err(format!("{b} is assigned to {a}")),
                }
            }
            Kind::Seq(ps) => {
                comm(p)?;
                ps.iter().try_for_each(|c| self.phrase(c).and_then(|()| comm(c)))
            }
            Kind::New(_, t, x, b) => {
                if !t.is_data() {
                    return Err(format!("memory of type {t}"));
                }
                self.bind(x, Bound::Memory(t.clone()))?;
                self.phrase(b)?;
                self.env.remove(x);
                comm(b)?;
                comm(p)
            }
            Kind::For(l) => {
                self.bind(&l.var, Bound::Loop)?;
                self.phrase(&l.body)?;
                self.env.remove(&l.var);
                comm(&l.body)?;
                comm(p)
            }
            Kind::If(c, a, b) => {
                for q in [c, a, b] {
                    self.phrase(q)?;
                }
                same(c.ty(), &PhraseType::read(crate::lang::literal::Literal::Bool(true).ty()))?;
                comm(a)?;
                comm(b)?;
                comm(p)
            }
        }
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

/// Does an argument of this type fit a parameter of this signature?
fn check_access(t: &PhraseType, s: &Signature, shared: Access) -> Result<(), String> {
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
            check_access(&f.1, b, shared)
        }
        (t, Signature::Fixed(a)) => may_stand(t, *a),
        (t, Signature::Shared) => may_stand(t, shared),
        (t, Signature::Fun(..)) => Err(format!("{t} is no function")),
    }
}

fn may_stand(t: &PhraseType, needed: Access) -> Result<(), String> {
    match t {
        PhraseType::Exp(d, a) if *a == needed || (*a == Access::Read && !d.has_array()) => Ok(()),
        _ => Err(format!("{t} stands where {needed} is needed")),
    }
}

/// Can a phrase of the first type stand where the second is expected?
fn fits(a: &PhraseType, b: &PhraseType) -> bool {
    match (a, b) {
        (PhraseType::Exp(s, x), PhraseType::Exp(t, y)) => {
            s == t && (x == y || (*x == Access::Read && !s.has_array()))
        }
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

fn acceptor(layout: &Layout, ps: &[Phrase], ty: &Type) -> Result<(), String> {
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
            let (n, s) = a.as_array().ok_or_else(wrong)?;
            is(array(n, &Type::pair(s.clone(), super::element(b))))
        }
        Layout::Split(n) => {
            let (m, row) = whole.as_array().ok_or_else(wrong)?;
            is(array(&m.mul(n), &super::element(row)))
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
            is(array(&m.mul(n), &super::element(v)))
        }
        Layout::AsScalar(n) => {
            let (mn, t) = whole.as_array().ok_or_else(wrong)?;
            is(array(&mn.exact_div(n), &Type::vector(n.clone(), t.clone())))
        }
        Layout::Take | Layout::Drop(_) | Layout::Scatter | Layout::Map => {
            if whole.as_array().is_some() && ty.as_array().is_some() { Ok(()) } else { Err(wrong()) }
        }
    }
}
