//! From expressions as written to elaborated trees.
//!
//! One walk creates unknowns and equations; what depends on types that are not known yet (`x |> f`, numbers,
//! operators) is kept for later. An expected type is passed inwards, so that functions know their parameters before
//! their bodies are read; functions among arguments are read after the other arguments for the same reason.
//! After a mistake an unknown stands for what was meant, and the walk goes on.

mod application;
mod chain;
mod explicit;
mod head;
mod operators;

use super::codes;
use super::report::Why;
use super::state::Infer;
use super::tree::{Node, Tree};
use crate::diag::{Diagnostic, Span};
use crate::pattern::Pattern;
use crate::syntax::ast::{Component, Expr, ExprKind, Ident, Op, Param, ParamKind};
use crate::syntax::{pairs, print};
use crate::ty::Type;

/// How the names of sizes of steps start, each of which is one in trees; terms name them by depth.
pub const SIZE_OF_STEP: &str = "%step";

/// The type that the surroundings want, and why.
#[derive(Clone)]
pub struct Expected {
    pub ty: Type,
    pub why: Why,
}

impl Expected {
    pub fn new(ty: Type, why: Why) -> Expected {
        Expected { ty, why }
    }
}

impl Infer {
    pub fn error_tree(&mut self, span: Span) -> Tree {
        Tree::new(Node::Error, self.any(), span)
    }

    /// Elaborates an expression. If a type is expected, the tree has it, or the difference has been reported.
    pub fn expr(&mut self, e: &Expr, expected: Option<Expected>) -> Tree {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.expr_here(e, expected))
    }

    fn expr_here(&mut self, e: &Expr, expected: Option<Expected>) -> Tree {
        let tree = match &e.kind {
            ExprKind::Name(name) if self.truth_value(name).is_some() => {
                self.truth(name, e.span, expected.as_ref())
            }
            ExprKind::Name(_) => return self.application(e, &[], None, e.span, expected),
            ExprKind::App(head, args) => return self.application(head, args, None, e.span, expected),
            ExprKind::Pipe(first, stages) => return self.pipe(first, stages, e.span, expected),
            ExprKind::Lam(params, body) => return self.lambda(params, body, e.span, expected),
            ExprKind::Compose(first, rest) => self.compose(first, rest, e.span, expected.as_ref()),
            ExprKind::Let { param: Param { kind: ParamKind::Pair(components), .. }, value, body } => {
                self.named_twice(&Component::names(components));
                let (pair, body) = pairs::binding(components, value, body, pairs::plainly);
                let ty = self.pair_type(components);
                let before = self.problems.len();
                let value = self.expr(value, Some(Expected::new(ty, Why::TakenApart)));
                // What is no pair has no components.
                if self.problems.len() > before {
                    return self.error_tree(e.span);
                }
                let Some(name) = pair else { return self.expr(&body, expected) };
                return self.shared(&name, value, &body, e.span, expected);
            }
            ExprKind::Let { param, value, body } => {
                let value = self.expr(value, None);
                let names = param.kind.names();
                let [name] = names.as_slice() else { return self.error_tree(e.span) };
                return self.shared(name, value, body, e.span, expected);
            }
            ExprKind::Number(number) => self.number(number, false, e.span),
            ExprKind::Neg(inner) => match &inner.kind {
                ExprKind::Number(number) => self.number(number, true, e.span),
                _ => {
                    let operand = self.expr(inner, None);
                    let f = self.prim(Pattern::Neg, vec![], e.span);
                    let ty = self.any();
                    let wanted = Type::fun(operand.ty.clone(), ty.clone());
                    self.equal(&f.ty, &wanted, inner.span, Why::Operand("-"));
                    Tree::app(f, operand, ty, e.span)
                }
            },
            ExprKind::Section(op) => match self.operator(*op, e.span, None) {
                Some(p) => self.prim(p, vec![], e.span),
                None => self.error_tree(e.span),
            },
            ExprKind::Infix(first, rest) => self.infix(e, first, rest),
            ExprKind::Array(elements) => self.array(elements, e.span),
            ExprKind::Tuple(parts) => self.tuple(parts, e.span),
            ExprKind::Ascribe(inner, written) => {
                let ty = self.ty(written);
                if let ExprKind::Lam(_, body) = &inner.kind
                    && ty.as_fun().is_none()
                {
                    let shown = print::ty(written, &print::Options::default());
                    let meant = match ty.as_array() {
                        None => format!("`\\x. (cast x : {shown})`"),
                        Some(_) => format!(
                            "`(map (\\x. …) xs : {shown})`, or `\\x. (… : {shown})` where it is the body's"
                        ),
                    };
                    self.problem(
                        Diagnostic::error(
                            codes::MISMATCH,
                            "A function does not have this type, which is of data.",
                        )
                        .label(written.span, "the type of the whole function")
                        .label(body.span, "perhaps meant for this")
                        .hint(format!("Put the part that has the type into parentheses: {meant}.")),
                    );
                    return self.error_tree(e.span);
                }
                self.expr(inner, Some(Expected::new(ty, Why::Ascribed)))
            }
            ExprKind::NatLam(..) => {
                self.problem(
                    Diagnostic::error(
                        codes::MISPLACED,
                        "A function of sizes stands only where a definition starts, or as an argument that is one.",
                    )
                    .label(e.span, "not here")
                    .note("`iterate k` and `reorder n` take functions of sizes.")
                    .hint("Declare the size as a parameter of a definition: `def f (n: nat) ...`."),
                );
                self.error_tree(e.span)
            }
            ExprKind::Or(all) | ExprKind::And(all) => {
                let op = if matches!(e.kind, ExprKind::Or(_)) { Op::Or } else { Op::And };
                match all.split_first() {
                    Some((first, rest)) => self.operators(e.span, first, rest.iter().map(|e| (op, e))),
                    None => self.error_tree(e.span),
                }
            }
            ExprKind::Call(..) => {
                self.problem(
                    Diagnostic::error(codes::MISPLACED, "This stands in sketches, not in programs.")
                        .label(e.span, "not here"),
                );
                self.error_tree(e.span)
            }
            ExprKind::Subst { .. } => {
                self.problem(
                    Diagnostic::error(
                        codes::MISPLACED,
                        "A substitution stands on the right side of a rule alone.",
                    )
                    .label(e.span, "not here"),
                );
                self.error_tree(e.span)
            }
            // The parser has said that holes stand in sketches alone.
            ExprKind::Hole(_) | ExprKind::Error => self.error_tree(e.span),
        };
        self.fits(tree, expected)
    }

    /// `let name = value in body`
    fn shared(
        &mut self,
        name: &Ident,
        value: Tree,
        body: &Expr,
        span: Span,
        expected: Option<Expected>,
    ) -> Tree {
        let local = self.local(&name.kind, value.ty.clone(), name.span);
        self.scope.enter(&name.kind, local);
        let body = self.expr(body, expected);
        self.scope.leave(&name.kind);
        let ty = body.ty.clone();
        let function = Type::fun(value.ty.clone(), ty.clone());
        let lam = Tree::new(Node::Lam(local, Box::new(body)), function, span);
        Tree::app(lam, value, ty, span)
    }

    /// The type of a pair that has these components.
    fn pair_type(&mut self, components: &[Component]) -> Type {
        let mut types = components.iter().map(|c| match c {
            Component::Name(_) => self.data(),
            Component::Pair(inner) => self.pair_type(inner),
        });
        let types: Vec<Type> = types.by_ref().collect();
        types.into_iter().rev().reduce(|rest, first| Type::pair(first, rest)).unwrap_or_else(Type::ill)
    }

    fn fits(&mut self, tree: Tree, expected: Option<Expected>) -> Tree {
        if let Some(Expected { ty, why }) = expected {
            self.equal(&ty, &tree.ty, tree.span, why);
        }
        tree
    }

    /// Says so where two names are one, of which the first would stand for nothing. `_` is the name of what is not used.
    fn named_twice(&mut self, names: &[&Ident]) {
        for (i, name) in names.iter().enumerate() {
            let before = names[..i].iter().find(|before| before.kind == name.kind && &*name.kind != "_");
            if let Some(before) = before {
                self.problem(
                    Diagnostic::error(codes::TAKEN, format!("Two names here are `{}`.", name.kind))
                        .label(name.span, "again")
                        .label(before.span, "first here")
                        .hint("Choose another name for one of them, or `_` where it is not used."),
                );
            }
        }
    }

    fn lambda(&mut self, params: &[Param], body: &Expr, span: Span, expected: Option<Expected>) -> Tree {
        let mut want = expected.as_ref().map(|x| x.ty.clone());
        let mut bound = vec![];
        let mut refused = false;
        let names: Vec<&Ident> = params.iter().flat_map(|p| p.kind.names()).collect();
        self.named_twice(&names);
        let (params, body) = pairs::function(params, body, pairs::plainly);
        for (param, components) in &params {
            let apart = components.as_ref().map(|c| self.pair_type(c));
            let written = match &param.kind {
                ParamKind::Bare(_) => apart.clone(),
                ParamKind::Typed(_, ty) => Some(self.ty(ty)),
                ParamKind::Kinded(..) | ParamKind::Implicit(..) | ParamKind::Pair(_) => {
                    self.problem(
                        Diagnostic::error(
                            codes::MISPLACED,
                            "A function inside a program takes values, not sizes.",
                        )
                        .label(param.span, "not here")
                        .hint("Declare the size as a parameter of the definition."),
                    );
                    continue;
                }
            };
            for name in param.kind.names() {
                let (from, rest) = match want.as_ref().map(|t| self.u.resolve(t)) {
                    Some(t) => match t.as_fun() {
                        Some((a, b)) => (Some(a.clone()), Some(b.clone())),
                        None => (None, None),
                    },
                    None => (None, None),
                };
                want = rest;
                let ty = match (&written, from) {
                    (Some(written), Some(from)) => {
                        let why = if apart.is_some() { Why::TakenApart } else { Why::Context };
                        if !self.equal(&from, written, param.span, why) && apart.is_some() {
                            // What is wrong with the function has been said.
                            refused = true;
                        }
                        written.clone()
                    }
                    (Some(written), None) => written.clone(),
                    (None, Some(from)) => from,
                    (None, None) => self.any(),
                };
                let local = self.local(&name.kind, ty, name.span);
                self.scope.enter(&name.kind, local);
                bound.push((local, name.kind.clone()));
            }
        }
        let why = match expected.as_ref().map(|x| &x.why) {
            Some(why @ (Why::Returned(_) | Why::Ascribed)) => why.clone(),
            _ => Why::Context,
        };
        let matched = want.is_some() || refused;
        let want = want.filter(|_| !refused);
        let mut tree = self.expr(&body, want.map(|ty| Expected::new(ty, why)));
        for (local, name) in bound.into_iter().rev() {
            self.scope.leave(&name);
            let ty = Type::fun(self.locals[local as usize].ty.clone(), tree.ty.clone());
            tree = Tree::new(Node::Lam(local, Box::new(tree)), ty, span);
        }
        if matched { tree } else { self.fits(tree, expected) }
    }
}
