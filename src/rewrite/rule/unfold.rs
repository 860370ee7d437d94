//! The rule that puts the meaning of a declared pattern in its place.

use super::equation::{Equation, RuleType, RuleVar, Sides};
use super::pat::Pat;
use super::{Body, Marks, Rule, RuleData};
use crate::lang::declared::{Chosen, Declared, applied, unfolded_once};
use crate::lang::digest::Digest;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::print;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::Type;

/// `unfoldStencil` for the pattern `stencil`; none for foreign functions, whose meaning is no term.
pub fn rule(declared: Declared) -> Option<Rule> {
    let scheme = declared.scheme();
    let args: Vec<Arg> = scheme.explicit.iter().map(|e| Arg::Nat(Nat::var(&e.name))).collect();
    let head = Term::prim(Pattern::Declared(declared), args, scheme.ty.clone());
    let mut meaning = unfolded_once(&head)?;
    let whole = meaning.clone();
    let (params, _) = scheme.ty.signature();
    let mut names: Vec<Name> = vec![];
    for i in 0..params.len() {
        let hint = match meaning.as_lam() {
            Some((name, body)) => {
                let name = name.clone();
                meaning = body.clone();
                name
            }
            None => "x".into(),
        };
        names.push(if names.contains(&hint) { format!("{hint}{}", i + 1).into() } else { hint });
    }
    // The first parameter is the outermost variable of the context.
    let last = params.len() as u32;
    let vars: Vec<Term> =
        params.iter().enumerate().map(|(i, ty)| Term::var(last - 1 - i as u32, ty.clone())).collect();
    let left = Term::apps(head.clone(), vars.iter().cloned());
    let right = applied(&whole, &vars);
    // In normal form a program may have the pattern without its last argument.
    let (last_type, last_name) = (params.last()?, names.last()?);
    let function =
        Term::apps(head, vars[..vars.len() - 1].iter().map(|v| v.shift_down(1)).collect::<Option<Vec<_>>>()?);
    let meaning = Term::lam(last_name, last_type.clone(), right.clone());

    let nats: Vec<Name> =
        scheme.explicit.iter().map(|e| e.name.clone()).chain(scheme.nats.iter().cloned()).collect();
    let numbers = Chosen {
        nats: nats.iter().enumerate().map(|(i, n)| (n.clone(), Nat::meta(i as u32))).collect(),
        types: scheme.types.iter().enumerate().map(|(i, t)| (t.clone(), Type::meta(i as u32))).collect(),
    };
    let none = vec![0; params.len()];
    let pat = |t: &Term, context: &[usize]| Pat::from_term(&t.map_types(&numbers), context);
    let whole = Sides { lhs: pat(&left, &none)?, rhs: pat(&right, &none)? };
    let sides = Sides { lhs: pat(&function, &none[1..])?, rhs: pat(&meaning, &none[1..])? };
    let named = params.iter().zip(&names);
    let vars = named
        .clone()
        .map(|(ty, name)| RuleVar { name: name.clone(), scope: vec![], ty: ty.subst(&numbers) })
        .collect();
    let needs = super::load::needs(&whole.lhs, &whole.rhs);
    let options = print::Options { unicode: false, width: 100, ..print::Options::default() };
    // As functions, so that the names of the variables are printed.
    let closed =
        |t: &Term| named.clone().rev().fold(t.clone(), |t, (ty, name)| Term::lam(name, ty.clone(), t));
    let shown = |t: &Term| {
        let text = print::term(&closed(t), &options).text;
        match text.strip_prefix('\\').and_then(|t| t.split_once(". ")) {
            Some((_, body)) => body.to_string(),
            None => text,
        }
    };
    let name = declared.name();
    let mut letters = name.chars();
    let capital = letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters);
    Some(Rule::new(RuleData {
        name: format!("unfold{}", capital.collect::<String>()).into(),
        theme: "declared".into(),
        params: vec![].into(),
        body: Body::Equation(Box::new(Equation {
            declared: Default::default(),
            vars,
            types: scheme.types.iter().map(|t| RuleType { name: t.clone(), data: true }).collect(),
            nats,
            slots: vec![],
            sides,
            applied: Some(whole),
            conditions: vec![],
            needs,
        }))
        .into(),
        marks: Marks::NONE.into(),
        doc: format!("What the pattern `{name}` of the program means.").into(),
        examples: vec![].into(),
        digest: Digest::of([b"unfold".as_slice(), declared.digest().bytes()].concat().as_slice()).into(),
        span: None,
        text: format!("{} ~> {}", shown(&left), shown(&right)).into(),
    }))
}
