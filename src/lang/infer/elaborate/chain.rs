//! Chains of functions: `x |> f` and `f >> g`. A stage whose type is not known yet is joined to the others later.

use super::super::codes;
use super::super::report::Why;
use super::super::scheme::Scheme;
use super::super::state::{Infer, Joining, Joint};
use super::super::tree::{Node, Tree};
use super::Expected;
use crate::diag::{Diagnostic, Span};
use crate::nat::Name;
use crate::syntax::ast::{Expr, ExprKind};
use crate::ty::{Type, TypeKind, TypeVar};

impl Infer {
    /// `x - 1 >> 1` and `x >> 1 == 0`, where other languages shift bits: looser than a sum, tighter than a comparison.
    fn shifted(&self, first: &Expr, rest: &[Expr]) -> Option<String> {
        let [right] = rest else { return None };
        let is_compared = |e: &Expr| matches!(&e.kind, ExprKind::Infix(_, all) if all.iter().any(|(op, _)| op.is_comparison()));
        let by = |k: &Expr| format!("shiftRight {} {}", self.argument(first), self.argument(k));
        match &right.kind {
            _ if is_compared(first) => None,
            ExprKind::Infix(k, behind) if is_compared(right) => match behind.as_slice() {
                [(op, e)] => Some(format!("{} {} {}", by(k), op.symbol(), self.plain(e))),
                _ => None,
            },
            _ => Some(by(right)),
        }
    }

    pub(super) fn compose(
        &mut self,
        first: &Expr,
        rest: &[Expr],
        span: Span,
        expected: Option<&Expected>,
    ) -> Tree {
        if !self.not_too_long(rest.len(), span) {
            return self.error_tree(span);
        }
        if let ExprKind::Name(name) = &first.kind
            && self.is_data(name)
        {
            self.problem(
                Diagnostic::error(codes::NOT_DATA, format!("`>>` composes functions, and `{name}` is none."))
                    .label(first.span, "this is data")
                    .hint(format!(
                        "Write `{name} |> f` to apply a function, `{}` to shift the bits of an integer.",
                        self.shifted(first, rest).unwrap_or_else(|| format!("shiftRight {name} 1"))
                    )),
            );
            return self.error_tree(span);
        }
        if std::iter::once(first).chain(rest).any(|e| matches!(left_most(e).kind, ExprKind::Number(_))) {
            let written = self.shifted(first, rest).unwrap_or_else(|| "shiftRight x k".to_owned());
            self.problem(
                Diagnostic::error(codes::NOT_DATA, "`>>` composes functions, and a number is none.")
                    .label(span, "numbers are not composed")
                    .hint(format!("Write `{written}` to shift the bits of an integer.")),
            );
            return self.error_tree(span);
        }
        let wanted = expected.and_then(|x| self.u.resolve(&x.ty).as_fun().map(|(a, _)| a.clone()));
        let from = wanted.unwrap_or_else(|| self.any());
        let mut at = from.clone();
        let mut stages = vec![];
        for e in std::iter::once(first).chain(rest) {
            let to = self.any();
            if let ExprKind::Name(name) = &e.kind
                && !stages.is_empty()
                && self.is_data(name)
            {
                self.problem(
                    Diagnostic::error(
                        codes::NOT_DATA,
                        format!("`>>` composes functions, and `{name}` is none."),
                    )
                    .label(e.span, "this is data")
                    .hint(format!("What a function is given stands before it: `{name} |> f`.")),
                );
                return self.error_tree(span);
            }
            let wanted = Expected::new(Type::fun(at, to.clone()), Why::Context);
            stages.push(self.expr(e, Some(wanted)));
            at = to;
        }
        Tree::new(Node::Compose(stages), Type::fun(from, at), span)
    }

    /// Is this certainly the name of a value that is no function?
    fn is_data(&self, name: &Name) -> bool {
        let is = |t: Type| {
            use TypeKind as K;
            matches!(t.kind(), K::Scalar(_) | K::Vector(..) | K::Array(..) | K::Pair(..))
        };
        self.scope.value(name).is_some_and(|local| is(self.u.resolve(&self.locals[local as usize].ty)))
    }

    pub(super) fn pipe(
        &mut self,
        first: &Expr,
        stages: &[Expr],
        span: Span,
        expected: Option<Expected>,
    ) -> Tree {
        if !self.not_too_long(stages.len(), span) {
            return self.error_tree(span);
        }
        let mut left = self.expr(first, None);
        for stage in stages {
            let so_far = first.span.to(stage.span);
            left = self.stage(left, stage, so_far);
        }
        self.fits(left, expected)
    }

    /// `left |> stage`
    fn stage(&mut self, left: Tree, stage: &Expr, span: Span) -> Tree {
        let from = self.u.resolve(&left.ty);
        let joining = match from.kind() {
            TypeKind::Fun(..) => match self.takes_function(stage) {
                Some(true) => None,
                Some(false) => Some(Joining::Compose),
                None if matches!(stage.kind, ExprKind::Lam(..)) => Some(Joining::Compose),
                None => None,
            },
            TypeKind::Var(TypeVar::Meta(id)) if self.u.kind(*id) == super::super::unify::Kind::Any => None,
            _ => Some(Joining::Apply),
        };
        match (joining, &stage.kind) {
            (Some(Joining::Apply), ExprKind::App(head, args)) => {
                self.application(head, args, Some(left), span, None)
            }
            (Some(Joining::Apply), ExprKind::Name(_)) => self.application(stage, &[], Some(left), span, None),
            (Some(Joining::Apply), _) => {
                let result = self.any();
                let wanted = Type::fun(left.ty.clone(), result.clone());
                let f = self.expr(stage, Some(Expected::new(wanted, Why::Piped)));
                Tree::app(f, left, result, span)
            }
            (Some(Joining::Compose), _) => {
                let (a, b) = match from.as_fun() {
                    Some((a, b)) => (a.clone(), b.clone()),
                    None => (self.any(), self.any()),
                };
                let result = self.any();
                let wanted = Type::fun(b, result.clone());
                let f = self.expr(stage, Some(Expected::new(wanted, Why::Piped)));
                let stages = match left.node {
                    Node::Compose(mut stages) => {
                        stages.push(f);
                        stages
                    }
                    _ => vec![left, f],
                };
                Tree::new(Node::Compose(stages), Type::fun(a, result), span)
            }
            (None, _) => {
                let f = self.expr(stage, None);
                let result = self.any();
                let id = self.joinings.len();
                self.joinings.push(Joining::Apply);
                self.joints.push(Joint {
                    id,
                    left: left.ty.clone(),
                    right: f.ty.clone(),
                    result: result.clone(),
                    span,
                });
                let (left, f) = (Box::new(left), Box::new(f));
                Tree::new(Node::Joint(id, left, f), result, span)
            }
        }
    }

    /// Does what the expression is applied to next have to be a function? None when that is not known yet.
    fn takes_function(&self, e: &Expr) -> Option<bool> {
        let (head, args): (&Expr, &[Expr]) = match &e.kind {
            ExprKind::App(head, args) => (head, args),
            _ => (e, &[]),
        };
        let ExprKind::Name(name) = &head.kind else {
            return if let ExprKind::Section(_) = head.kind { Some(false) } else { None };
        };
        let (ty, used) = if let Some(local) = self.scope.value(name) {
            (self.locals[local as usize].ty.clone(), 0)
        } else if let Some(def) = self.def_names.get(name) {
            let def = self.defs.get(*def)?;
            (def.ty.clone(), def.sizes_among(args.len()))
        } else {
            let pattern = self.patterns.find(name)?;
            (Scheme::of(pattern).ty.clone(), self.explicit_count(pattern, args))
        };
        let mut ty = self.u.resolve(&ty);
        for _ in used..args.len() {
            let (_, rest) = ty.as_fun()?;
            ty = self.u.resolve(rest);
        }
        let (from, _) = ty.as_fun()?;
        let from = self.u.resolve(from);
        match from.kind() {
            TypeKind::Fun(..) => Some(true),
            TypeKind::Var(TypeVar::Meta(id)) if self.u.kind(*id) == super::super::unify::Kind::Any => None,
            _ => Some(false),
        }
    }

    /// Decides `x |> f` where the types have become known; in the end, all of them.
    pub fn settle_joints(&mut self) {
        while !self.joints.is_empty() {
            self.relate(0);
            let mut open = vec![];
            let mut changed = false;
            for joint in std::mem::take(&mut self.joints) {
                match self.joining(&joint) {
                    Some(joining) => {
                        self.join(&joint, joining);
                        changed = true;
                    }
                    None => open.push(joint),
                }
            }
            if !changed {
                let first = open.remove(0);
                let function = self.u.resolve(&first.left).as_fun().is_some();
                self.join(&first, if function { Joining::Compose } else { Joining::Apply });
            }
            self.joints = open;
        }
    }

    fn joining(&self, joint: &Joint) -> Option<Joining> {
        let unknown = |t: &Type| match t.kind() {
            TypeKind::Var(TypeVar::Meta(id)) => self.u.kind(*id) == super::super::unify::Kind::Any,
            _ => false,
        };
        let left = self.u.resolve(&joint.left);
        if unknown(&left) {
            return None;
        }
        let Some((_, result)) = left.as_fun() else { return Some(Joining::Apply) };
        let right = self.u.resolve(&joint.right);
        let from = self.u.resolve(right.as_fun()?.0);
        if unknown(&from) {
            return None;
        }
        if from.as_fun().is_none() {
            return Some(Joining::Compose);
        }
        let result = self.u.resolve(result);
        if unknown(&result) {
            return None;
        }
        // A function is given to one that takes a function: as it is if it has as many parameters.
        let arity = |t: &Type| {
            let mut n = 0;
            let mut t = self.u.resolve(t);
            while let Some((_, rest)) = t.clone().as_fun() {
                n += 1;
                t = self.u.resolve(rest);
            }
            n
        };
        Some(if arity(&left) == arity(&from) { Joining::Apply } else { Joining::Compose })
    }

    pub(super) fn join(&mut self, joint: &Joint, joining: Joining) {
        self.joinings[joint.id] = joining;
        let left = self.u.resolve(&joint.left);
        match (joining, left.as_fun()) {
            (Joining::Compose, Some((a, b))) => {
                let to = self.any();
                self.equal(&Type::fun(b.clone(), to.clone()), &joint.right, joint.span, Why::Piped);
                self.equal(&joint.result, &Type::fun(a.clone(), to), joint.span, Why::Context);
            }
            _ => {
                let wanted = Type::fun(joint.left.clone(), joint.result.clone());
                self.equal(&wanted, &joint.right, joint.span, Why::Piped);
            }
        }
    }
}

/// The first operand of what operators stand in.
fn left_most(e: &Expr) -> &Expr {
    if let ExprKind::Infix(first, _) = &e.kind { left_most(first) } else { e }
}
