//! Patterns and their explicit arguments in sketches.

use super::{Meaning, Reader, Scope};
use crate::lang::build::arity as arguments_of;
use crate::lang::diag::Diagnostic;
use crate::lang::infer::scheme::size_is_written;
use crate::lang::nat::NatFun;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::syntax::ast::{self, ExprKind, Ident};
use crate::sketch::{ArgSketch, NatSketch, Shape, Sketch};

impl Reader<'_> {
    pub(super) fn explicit_arguments(
        &mut self,
        p: Pattern,
        args: &mut std::slice::Iter<'_, ast::Expr>,
        scope: &Scope,
    ) -> Sketch {
        let mut out = vec![];
        for (kind, optional) in explicit_params(p) {
            let Some(arg) = args.as_slice().first() else { break };
            let left_out = optional
                && kind == "nat"
                && {
                    let is_size = |e: &ast::Expr| matches!(&e.kind, ExprKind::Name(n) if matches!(scope.param(n), Some(Meaning::Size(_))));
                    !size_is_written(p, args.as_slice(), is_size)
                };
            let found = match kind {
                "nat" if left_out => None,
                "nat" => {
                    let n = self.size(arg, scope);
                    if p.needs_one() || p == Pattern::Take {
                        let why = format!("`{p}` needs 1 or more, so that no program satisfies this.");
                        self.counts_from_one(&n, arg.span, &why);
                    }
                    Some(ArgSketch::Nat(n))
                }
                "nat2nat" => match self.function(arg, scope) {
                    // What is wrong with it has been said.
                    None if matches!(arg.kind, ExprKind::NatLam(..)) => Some(ArgSketch::Any),
                    f => f.map(ArgSketch::Fun),
                },
                "addr" => self.address(arg, scope).map(ArgSketch::Addr),
                _ => self.dim(arg, scope).map(ArgSketch::Dim),
            };
            match (found, optional, &arg.kind) {
                (Some(a), ..) => {
                    out.push(a);
                    args.next();
                }
                // Left out: any will do.
                (None, true, _) => out.push(ArgSketch::Any),
                (None, false, ExprKind::Hole(_)) => {
                    out.push(ArgSketch::Any);
                    args.next();
                }
                (None, false, _) => {
                    let d = Diagnostic::error("E0406", format!("`{p}` needs a {kind} here."));
                    self.problem(d.label(arg.span, "not one"));
                    args.next();
                    out.push(ArgSketch::Any);
                }
            }
        }
        while out.last() == Some(&ArgSketch::Any) {
            out.pop();
        }
        Sketch::new(Shape::Pattern(p, out))
    }

    /// A function of sizes; none where it is none, or where a problem was reported.
    pub(super) fn function(&mut self, e: &ast::Expr, scope: &Scope) -> Option<NatFun> {
        let ExprKind::NatLam(params, body) = &e.kind else { return None };
        let names: Vec<&Ident> = params.iter().flat_map(|p| p.kind.names()).collect();
        let [name] = names.as_slice() else {
            let d = Diagnostic::error("E0406", "This function takes one size.");
            self.problem(d.label(e.span, "more than one parameter"));
            return None;
        };
        let mut inner = scope.clone();
        inner.params.push((name.kind.clone(), Meaning::Size(NatSketch::Is(NatFun::parameter()))));
        match self.size(body, &inner) {
            NatSketch::Is(n) => Some(NatFun::new(&name.kind, n)),
            NatSketch::Any => None,
        }
    }

    pub(super) fn address(&self, e: &ast::Expr, scope: &Scope) -> Option<AddressSpace> {
        let ExprKind::Name(name) = &e.kind else { return None };
        match scope.param(name) {
            Some(Meaning::Address(a)) => Some(*a),
            Some(_) => None,
            None => AddressSpace::from_name(name),
        }
    }

    pub(super) fn dim(&self, e: &ast::Expr, scope: &Scope) -> Option<u8> {
        match &e.kind {
            ExprKind::Number(n) => n.as_int().and_then(|d| u8::try_from(d).ok()).filter(|d| *d < 3),
            ExprKind::Name(name) => match scope.param(name) {
                Some(Meaning::Dim(d)) => Some(*d),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The most values that the pattern can be applied to, where that does not depend on its explicit arguments.
pub(super) fn most_arguments(p: Pattern) -> Option<usize> {
    if matches!(p, Pattern::MakeArray) { None } else { arguments_of(p, &[]) }
}

/// May a whole application of the pattern be a truth value?
pub(super) fn gives_truth_value(p: Pattern) -> bool {
    let result = p.row().scheme.rsplit("->").next().unwrap_or_default().trim();
    // A type variable can be any.
    result == "bool" || result.len() == 1
}

/// The kinds of a pattern's explicit arguments, and whether they may be left out, from its type scheme.
pub fn explicit_params(p: Pattern) -> Vec<(&'static str, bool)> {
    let mut out = vec![];
    let mut rest = p.row().scheme.trim_start();
    while let Some(open) = rest.chars().next().filter(|c| matches!(c, '(' | '{')) {
        let close = if open == '(' { ')' } else { '}' };
        let Some((binder, after)) = rest[1..].split_once(close) else { break };
        // A pair type at the front of a type has no colon.
        let Some((names, kind)) = binder.split_once(':') else { break };
        rest = after.trim_start();
        if open == '(' {
            let (kind, optional) = match kind.split_once('=') {
                Some((kind, _)) => (kind.trim(), true),
                None => (kind.trim(), false),
            };
            out.extend(names.split_whitespace().map(|_| (kind, optional)));
        }
    }
    out
}
