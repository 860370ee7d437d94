//! From RISE to functional DPIA: every pattern with all its arguments, every type with its access (thesis 3.1.3).
//!
//! In: a normal term ([`crate::choose::normal`]) with its accesses. Out: the program's parameters and its body as a phrase.

use crate::access::{Accesses, Annotated};
use crate::dpia::{Names, Phrase, PhraseType};
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::nat::Name;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;

/// A program in functional DPIA.
#[derive(Clone, Debug)]
pub struct Functional {
    /// The parameters, read by the body.
    pub params: Vec<(Name, Type)>,
    pub body: Phrase,
}

/// # Errors
/// A program whose parameters or result cannot be stored.
pub fn from_term(t: &Term, annotated: &Annotated, names: &mut Names) -> Result<Functional, Diagnostic> {
    let (mut t, mut annotated) = (t, annotated);
    let mut params = vec![];
    let mut binders = vec![];
    while let (Some((hint, body)), Some((ty, _))) = (t.as_lam(), t.ty().as_fun()) {
        if !ty.is_data() {
            let message = format!("The program's parameter `{hint}` is a function, of type {ty}.");
            return Err(Diagnostic::error("E0507", message)
                .hint("A kernel takes data: apply the program to the function."));
        }
        let name = names.fresh(hint);
        binders.push(Phrase::var(&name, PhraseType::read(ty.clone())));
        params.push((name, ty.clone()));
        t = body;
        annotated = annotated.children.first().ok_or_else(mismatch)?;
    }
    let body = phrase(t, annotated, &mut binders, names)?;
    Ok(Functional { params, body })
}

fn mismatch() -> Diagnostic {
    Diagnostic::error("E0599", "Lowering lost the accesses of a term.")
}

fn phrase_type(ty: &Type, a: &Accesses) -> PhraseType {
    match (ty.as_fun(), a) {
        (Some((p, r)), Accesses::Fun(pa, ra)) => PhraseType::fun(phrase_type(p, pa), phrase_type(r, ra)),
        _ => PhraseType::Exp(ty.clone(), a.result()),
    }
}

fn phrase(
    t: &Term,
    a: &Annotated,
    binders: &mut Vec<Phrase>,
    names: &mut Names,
) -> Result<Phrase, Diagnostic> {
    let child = |i: usize| a.children.get(i).ok_or_else(mismatch);
    match t.expr() {
        Expr::Var(i) => {
            let binder = binders.len().checked_sub(1 + *i as usize).map(|j| &binders[j]);
            Ok(binder.ok_or_else(mismatch)?.with_origin(&t.origin()))
        }
        Expr::Lit(l) => {
            let value = match l {
                Literal::Nat(n) => Phrase::nat(n.clone()),
                Literal::Index(i, n) => Phrase::number(i.clone(), Type::index(n.clone())),
                l => Phrase::lit(l.clone()),
            };
            Ok(value.with_origin(&t.origin()))
        }
        Expr::Lam(hint, body) => {
            let (Some((param, _)), Accesses::Fun(access, _)) = (t.ty().as_fun(), &a.accesses) else {
                return Err(mismatch());
            };
            let name = names.fresh(hint);
            let ty = phrase_type(param, access);
            binders.push(Phrase::var(&name, ty.clone()));
            let body = phrase(body, child(0)?, binders, names);
            binders.pop();
            Ok(Phrase::lam(name, ty, body?))
        }
        Expr::App(f, e) if f.as_lam().is_some() => {
            let f = phrase(f, child(0)?, binders, names)?;
            let e = phrase(e, child(1)?, binders, names)?;
            let ty = PhraseType::Exp(t.ty().clone(), a.accesses.result());
            Ok(Phrase::new(crate::dpia::Kind::App(f, e), ty))
        }
        Expr::Prim(_) | Expr::App(..) => {
            let mut arguments = vec![];
            let (mut head, mut at) = (t, a);
            while let Expr::App(f, e) = head.expr() {
                arguments.push(phrase(e, at.children.get(1).ok_or_else(mismatch)?, binders, names)?);
                head = f;
                at = at.children.first().ok_or_else(mismatch)?;
            }
            arguments.reverse();
            match head.expr() {
                Expr::Prim(p) => Ok(Phrase::pattern(
                    p.pattern,
                    p.args.clone(),
                    arguments,
                    t.ty().clone(),
                    a.accesses.result(),
                )
                .with_origin(&head.origin())),
                _ => Err(mismatch()),
            }
        }
    }
}
