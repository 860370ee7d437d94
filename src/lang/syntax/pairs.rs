//! `\(a, b). e` and `let (a, b) = v in e`, which take pairs apart, written out: with `fst p` for `a` and `snd p` for `b`.
//!
//! In: an expression as it was written. Out: one whose binders are names, and which components they have to have. The name
//! of a pair is one that the expression does not have; `fst` and `snd` are the patterns, also where something else is called
//! so.

use super::ast::{Component, Expr, ExprKind, Ident, Name, Node, Param, ParamKind, Part};
use crate::declared::ALWAYS;
use crate::diag::Span;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// A parameter that is a name, and the components that it has to have.
pub type Named = (Param, Option<Vec<Component>>);

/// How pairs are called, if nothing else has the name.
pub type Naming = fn(&[Component]) -> String;

/// Pairs are called `p`.
pub fn plainly(_: &[Component]) -> String {
    "p".into()
}

/// Pairs are called by their components, `a_b`, so that those of other components have other names.
pub fn by_components(components: &[Component]) -> String {
    Component::names(components).iter().map(|n| &*n.kind).collect::<Vec<_>>().join("_")
}

/// `\params. body` with names for parameters alone.
pub fn function<'e>(params: &[Param], body: &'e Expr, naming: Naming) -> (Vec<Named>, Cow<'e, Expr>) {
    let mut out = vec![];
    let mut body = Cow::Borrowed(body);
    for (i, param) in params.iter().enumerate() {
        let ParamKind::Pair(parts) = &param.kind else {
            out.push((param.clone(), None));
            continue;
        };
        let others = params.iter().flat_map(|p| p.kind.names());
        let pair = Node::new(param.span, fresh(&naming(parts), &body, others.map(|n| &n.kind)));
        // Of two parameters of one name the last one counts.
        let hidden: Vec<&Name> =
            params[i + 1..].iter().flat_map(|p| p.kind.names()).map(|n| &n.kind).collect();
        body = Cow::Owned(components(parts, &named(&pair), &body, &hidden));
        out.push((Node::new(param.span, ParamKind::Bare(pair)), Some(parts.clone())));
    }
    (out, body)
}

/// `let parts = value in body`: the pair to be bound, if the value is not a name or a component of one, and the body.
pub fn binding(parts: &[Component], value: &Expr, body: &Expr, naming: Naming) -> (Option<Ident>, Expr) {
    if view_of(value).is_some_and(|name| !binds(body, name)) {
        return (None, components(parts, value, body, &[]));
    }
    let (pair, body) = bound_pair(parts, value, body, naming);
    (Some(pair), body)
}

/// The pair to be bound to the value, and the body.
fn bound_pair(parts: &[Component], value: &Expr, body: &Expr, naming: Naming) -> (Ident, Expr) {
    let pair = Node::new(
        value.span,
        fresh(&naming(parts), body, Component::names(parts).into_iter().map(|n| &n.kind)),
    );
    let body = components(parts, &named(&pair), body, &[]);
    (pair, body)
}

fn named(name: &Ident) -> Expr {
    Node::new(name.span, ExprKind::Name(name.kind.clone()))
}

/// The name that the expression is, or is a component of.
fn view_of(e: &Expr) -> Option<&Name> {
    match &e.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::App(f, args) => match (&f.kind, args.as_slice()) {
            (ExprKind::Name(f), [pair])
                if f.strip_prefix(ALWAYS).is_some_and(|f| f == "fst" || f == "snd") =>
            {
                view_of(pair)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The expression without such binders anywhere; `apart` gets the names of the pairs, with their components. Names that
/// `bound` does not have stand for any expression if `open`: what is taken apart then gets a name, be it a name or not.
pub fn written_out(
    e: &Expr,
    open: bool,
    bound: &mut Vec<Name>,
    apart: &mut Vec<(Name, Vec<Component>)>,
) -> Expr {
    let outer = bound.len();
    let kind = match &e.kind {
        ExprKind::Lam(params, body) => {
            let (params, body) = function(params, body, by_components);
            let mut plain = vec![];
            for (param, components) in params {
                if let (Some(components), ParamKind::Bare(name)) = (components, &param.kind) {
                    apart.push((name.kind.clone(), components));
                }
                bound.extend(param.kind.names().into_iter().map(|n| n.kind.clone()));
                plain.push(param);
            }
            ExprKind::Lam(plain, Box::new(written_out(&body, open, bound, apart)))
        }
        ExprKind::Let { param: Param { kind: ParamKind::Pair(parts), .. }, value, body } => {
            let is_any = open && view_of(value).is_some_and(|name| !bound.contains(name));
            let (pair, body) = match binding(parts, value, body, by_components) {
                (None, _) if is_any => bound_pair(parts, value, body, by_components),
                (None, body) => return written_out(&body, open, bound, apart),
                (Some(pair), body) => (pair, body),
            };
            apart.push((pair.kind.clone(), parts.clone()));
            let value = written_out(value, open, bound, apart);
            bound.push(pair.kind.clone());
            ExprKind::Let {
                param: Node::new(pair.span, ParamKind::Bare(pair)),
                value: Box::new(value),
                body: Box::new(written_out(&body, open, bound, apart)),
            }
        }
        ExprKind::Let { param, value, body } => {
            let value = written_out(value, open, bound, apart);
            bound.extend(param.kind.names().into_iter().map(|n| n.kind.clone()));
            let body = written_out(body, open, bound, apart);
            ExprKind::Let { param: param.clone(), value: Box::new(value), body: Box::new(body) }
        }
        _ => return e.map_parts(&mut |part| written_out(part, open, bound, apart)),
    };
    bound.truncate(outer);
    Node::new(e.span, kind)
}

/// The components of a pair, each with its name.
pub fn named_components(parts: &[Component], pair: &Expr) -> Vec<(Name, Expr)> {
    let mut named = vec![];
    Component::each(parts, &mut vec![], &mut |name, path| {
        let span = name.span;
        let of = path.iter().fold(at(pair, span), |e, first| {
            let component = Node::new(
                span,
                ExprKind::Name(format!("{ALWAYS}{}", if *first { "fst" } else { "snd" }).into()),
            );
            Node::new(span, ExprKind::App(Box::new(component), vec![e]))
        });
        named.push((name.kind.clone(), of));
    });
    named
}

/// The body with the components of the pair for their names, but for those that are hidden.
fn components(parts: &[Component], pair: &Expr, body: &Expr, hidden: &[&Name]) -> Expr {
    let mut named = named_components(parts, pair);
    // Of two components of one name the last one counts.
    named.reverse();
    let hidden: Vec<Name> = hidden.iter().map(|n| (*n).clone()).collect();
    put(body, &named, &hidden)
}

/// The expression with others in the place of names, where nothing below binds them.
fn put(e: &Expr, named: &[(Name, Expr)], bound: &[Name]) -> Expr {
    let below = |names: &[&Ident], body: &Expr| {
        let mut bound = bound.to_vec();
        bound.extend(names.iter().map(|n| n.kind.clone()));
        Box::new(put(body, named, &bound))
    };
    let kind = match &e.kind {
        ExprKind::Name(name) if !bound.contains(name) => match named.iter().find(|(n, _)| n == name) {
            // Where it is used, not where it is bound, is what a message is about.
            Some((_, of)) => return at(of, e.span),
            None => return e.clone(),
        },
        ExprKind::Lam(params, body) => ExprKind::Lam(params.clone(), below(&names_of(params), body)),
        ExprKind::NatLam(params, body) => ExprKind::NatLam(params.clone(), below(&names_of(params), body)),
        ExprKind::Let { param, value, body } => ExprKind::Let {
            param: param.clone(),
            value: Box::new(put(value, named, bound)),
            body: below(&param.kind.names(), body),
        },
        // What is put in the place of a name is put there in what is written, too.
        ExprKind::Subst { body, value, var } => ExprKind::Subst {
            body: below(&[var], body),
            value: Box::new(put(value, named, bound)),
            var: var.clone(),
        },
        _ => return e.map_parts(&mut |part| put(part, named, bound)),
    };
    Node::new(e.span, kind)
}

fn names_of(params: &[Param]) -> Vec<&Ident> {
    params.iter().flat_map(|p| p.kind.names()).collect()
}

fn at(e: &Expr, span: Span) -> Expr {
    Node::new(span, e.map_parts(&mut |part| at(part, span)).kind)
}

/// A name for a pair, like this one.
fn fresh<'a>(like: &str, body: &Expr, others: impl Iterator<Item = &'a Name>) -> Name {
    let mut taken: FxHashSet<Name> = others.cloned().collect();
    let mut open = vec![body];
    while let Some(e) = open.pop() {
        each_name(e, &mut |name| {
            taken.insert(name.clone());
        });
        Part::Expr(e).for_each(&mut |part| {
            if let Part::Expr(e) = part {
                open.push(e);
            }
        });
    }
    let numbered = (1..).map(|i| Name::from(format!("{like}{i}")));
    let mut names = std::iter::once(Name::from(like)).chain(numbered);
    names.find(|n| !taken.contains(n)).unwrap_or_else(|| like.into())
}

/// Does the expression bind the name anywhere?
fn binds(e: &Expr, name: &Name) -> bool {
    let mut found = false;
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        if !matches!(e.kind, ExprKind::Name(_)) {
            each_name(e, &mut |n| found |= n == name);
        }
        Part::Expr(e).for_each(&mut |part| {
            if let Part::Expr(e) = part {
                open.push(e);
            }
        });
    }
    found
}

/// The names that the expression itself has or binds.
fn each_name(e: &Expr, f: &mut dyn FnMut(&Name)) {
    match &e.kind {
        ExprKind::Name(name) => f(name),
        ExprKind::Lam(params, _) | ExprKind::NatLam(params, _) => {
            params.iter().flat_map(|p| p.kind.names()).for_each(|n| f(&n.kind));
        }
        ExprKind::Let { param, .. } => param.kind.names().iter().for_each(|n| f(&n.kind)),
        ExprKind::Subst { var, .. } => f(&var.kind),
        _ => {}
    }
}
