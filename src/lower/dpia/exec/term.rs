//! Expressions as terms, so that the interpreter of RISE says what they mean.

use crate::dpia::{Kind, Phrase, PhraseType};
use crate::lang::diag::Diagnostic;
use crate::lang::eval::failure;
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::Type;
use std::collections::BTreeMap;

fn rise(t: &PhraseType) -> Type {
    match t {
        PhraseType::Exp(d, _) | PhraseType::Acc(d) => d.clone(),
        PhraseType::Fun(f) => Type::fun(rise(&f.0), rise(&f.1)),
        PhraseType::Comm => Type::ill(),
    }
}

fn prim(p: Pattern, args: Vec<Arg>, operands: Vec<Term>, result: Type) -> Term {
    let params: Vec<Type> = operands.iter().map(|t| t.ty().clone()).collect();
    Term::apps(Term::prim(p, args, Type::function(&params, result)), operands)
}

/// The expression as a term; `binders` are the variables in scope, innermost last.
pub(super) fn term(e: &Phrase, binders: &mut Vec<Name>) -> Result<Term, Diagnostic> {
    Ok(match e.kind() {
        Kind::Var(x) => {
            let i = binders.iter().rev().position(|y| y == x);
            let i = i.ok_or_else(|| failure::ill_typed(format!("the variable {x}")))?;
            Term::var(i as u32, rise(e.ty()))
        }
        Kind::Lam(x, ty, b) => {
            binders.push(x.clone());
            let body = term(b, binders);
            binders.pop();
            Term::lam(x, rise(ty), body?)
        }
        Kind::App(f, a) => Term::app(term(f, binders)?, term(a, binders)?),
        Kind::Lit(l) => Term::lit(l.clone()),
        Kind::Number(n, parts) => number(n, parts, &e.data(), binders)?,
        Kind::Pattern(p, args, ps) => {
            let operands = ps.iter().map(|q| term(q, binders)).collect::<Result<Vec<_>, _>>()?;
            // A lane of a vector is an element of the vector's scalars.
            if let (Pattern::Idx, [i, v]) = (p, operands.as_slice())
                && let Some((n, t)) = v.ty().as_vector()
            {
                let one = Nat::constant(1);
                let single = Type::array(one.clone(), v.ty().clone());
                let single = prim(Pattern::MakeArray, vec![Arg::Nat(one)], vec![v.clone()], single);
                let lanes = prim(Pattern::AsScalar, vec![], vec![single], Type::array(n.clone(), t.clone()));
                prim(Pattern::Idx, vec![], vec![i.clone(), lanes], t.clone())
            } else {
                prim(*p, args.clone(), operands, e.data())
            }
        }
        _ => return Err(failure::ill_typed("a command where an expression is needed")),
    })
}

/// A number as a term: loop variables are sizes to the interpreter, computed parts are terms.
fn number(n: &Nat, parts: &[(Name, Phrase)], ty: &Type, binders: &mut Vec<Name>) -> Result<Term, Diagnostic> {
    let used = |x: &Name| n.vars().contains(&NatVar::Named(x.clone()));
    if !parts.iter().any(|(x, _)| used(x)) {
        return Ok(Term::lit(match ty.as_index() {
            Some(bound) => Literal::Index(n.clone(), bound.clone()),
            None => Literal::Nat(n.clone()),
        }));
    }
    let nat = Type::nat_type;
    let mut terms = BTreeMap::new();
    for (x, e) in parts {
        let t = term(e, binders)?;
        let t =
            if e.data().as_index().is_some() { prim(Pattern::IndexAsNat, vec![], vec![t], nat()) } else { t };
        terms.insert(x.clone(), t);
    }
    let sum = polynomial(n, &terms);
    Ok(match ty.as_index() {
        Some(bound) => prim(Pattern::NatAsIndex, vec![Arg::Nat(bound.clone())], vec![sum], ty.clone()),
        None => sum,
    })
}

fn polynomial(n: &Nat, parts: &BTreeMap<Name, Term>) -> Term {
    use crate::lang::nat::Atom;
    let nat = Type::nat_type;
    let op = |p: Pattern, a: Term, b: Term| prim(p, vec![], vec![a, b], nat());
    let lit = |n: Nat| Term::lit(Literal::Nat(n));
    let mut sum: Option<Term> = None;
    for (m, c) in n.terms() {
        let mut product = lit(Nat::rational(*c));
        for (a, e) in m {
            let factor = match a {
                Atom::Var(NatVar::Named(x)) if parts.contains_key(x) => parts[x].clone(),
                Atom::Floor(x, y) => op(Pattern::Div, polynomial(x, parts), polynomial(y, parts)),
                Atom::Mod(x, y) => op(Pattern::Mod, polynomial(x, parts), polynomial(y, parts)),
                other => lit(Nat::atom(other.clone())),
            };
            for _ in 0..e.unsigned_abs() {
                product = op(if *e > 0 { Pattern::Mul } else { Pattern::Div }, product, factor.clone());
            }
        }
        sum = Some(match sum {
            Some(s) => op(Pattern::Add, s, product),
            None => product,
        });
    }
    sum.unwrap_or_else(|| lit(Nat::constant(0)))
}
