//! What a name means that is applied or stands alone: a pattern, a definition, a parameter, a truth value.

use super::super::check::What;
use super::super::codes;
use super::super::relation::Relation;
use super::super::report::Why;
use super::super::scheme::Scheme;
use super::super::state::Infer;
use super::super::tree::{Node, Steps, Tree, TreeArg};
use super::explicit::NO_STEP;
use super::operators::MAX_CHAIN;
use super::{Expected, SIZE_OF_STEP};
use crate::declared::ALWAYS;
use crate::diag::{Diagnostic, Span};
use crate::nat::{Name, Nat};
use crate::pattern::{AddressSpace, Pattern};
use crate::steps;
use crate::syntax::ast::{Expr, ExprKind, Param};
use crate::ty::{Scalar, Type, TypeKind, TypeVar};

/// A function that is applied: its tree, its name for messages, and the arguments that are left for it.
pub(super) struct Head<'a> {
    pub(super) tree: Tree,
    pub(super) name: Option<Name>,
    /// How many arguments it took that are no terms.
    pub(super) explicit: usize,
    pub(super) rest: Vec<&'a Expr>,
}

impl Infer {
    /// A pattern with its explicit arguments, at a fresh instance of its type.
    pub fn prim(&mut self, pattern: Pattern, args: Vec<TreeArg>, span: Span) -> Tree {
        let scheme = Scheme::of(pattern);
        let mut nats: Vec<(Name, Nat)> =
            scheme.nats.iter().map(|n| (n.clone(), self.u.fresh_nat())).collect();
        for (explicit, arg) in scheme.explicit.iter().zip(&args) {
            if let TreeArg::Nat(n) = arg {
                nats.push((explicit.name.clone(), n.clone()));
            }
        }
        let types: Vec<(Name, Type)> = scheme.types.iter().map(|t| (t.clone(), self.data())).collect();
        let ty = match (pattern, args.as_slice()) {
            (Pattern::MakeArray, [TreeArg::Nat(n)]) => match n.as_constant() {
                Some(k) if (1..=MAX_CHAIN as i64).contains(&k) => {
                    types.first().map_or_else(Type::ill, |(_, t)| Scheme::of_array(k as usize, t))
                }
                _ => {
                    self.problem(
                        Diagnostic::error(codes::EXPLICIT, "The number of elements is a constant from 1.")
                            .label(span, "`makeArray` takes as many values as its size says"),
                    );
                    self.any()
                }
            },
            _ => scheme.instantiate(&nats, &types),
        };
        self.checks_of_pattern(pattern, &types, span);
        if let Some(declared) = pattern.declared() {
            self.checks_of(declared, &nats, &types, span);
        }
        if let [TreeArg::Nat(n), TreeArg::Fun(there), TreeArg::Fun(back)] = args.as_slice() {
            let what = What::Permutes { size: n.clone(), there: there.clone(), back: back.clone() };
            self.check_later(what, &Type::nat_type(), span);
        }
        Tree::new(Node::Prim(pattern, args), ty, span)
    }

    /// Elaborates what is applied, together with those arguments that are no terms.
    pub(super) fn head<'a>(
        &mut self,
        e: &'a Expr,
        args: &'a [Expr],
        piped: Option<(Span, Type)>,
    ) -> Head<'a> {
        let rest: Vec<&Expr> = args.iter().collect();
        let ExprKind::Name(name) = &e.kind else {
            return Head { tree: self.expr(e, None), name: None, explicit: 0, rest };
        };
        if let Some(local) = self.scope.value(name) {
            let ty = self.locals[local as usize].ty.clone();
            let tree = Tree::new(Node::Local(local), ty, e.span);
            return Head { tree, name: Some(name.clone()), explicit: 0, rest };
        }
        if let Some(def) = self.def_names.get(name) {
            let (tree, rest) = self.use_of(*def, e.span, args);
            let explicit = args.len() - rest.len();
            return Head { tree, name: Some(name.clone()), explicit, rest };
        }
        if let Some(pattern) = self.patterns.find(name) {
            let shown: Name = name.trim_start_matches(ALWAYS).into();
            if let (Pattern::Iterate, [steps, Expr { kind: ExprKind::NatLam(params, body), .. }, rest @ ..]) =
                (pattern, args)
            {
                let tree = self.steps(steps, params, body, e.span);
                return Head { tree, name: Some(shown), explicit: 2, rest: rest.iter().collect() };
            }
            let (args, used) = self.explicit(pattern, &shown, args, e.span);
            let tree = match args {
                Some(args) => self.prim(pattern, args, e.span),
                None => self.error_tree(e.span),
            };
            let rest = rest.into_iter().skip(used).collect();
            return Head { tree, name: Some(shown), explicit: used, rest };
        }
        let tree = self.other_name(name, e.span, args, piped);
        Head { tree, name: Some(name.clone()), explicit: 0, rest }
    }

    /// `iterate k (/\l. f)`: from `l*n` elements to `l`, for any `l`.
    fn steps(&mut self, written: &Expr, params: &[Param], body: &Expr, span: Span) -> Tree {
        let count = self.size(written).as_constant();
        let none = count == Some(0);
        let count = count.filter(|k| (1..=steps::MOST).contains(k));
        let count = count.and_then(|k| u32::try_from(k).ok());
        let (Some(count), [param]) = (count, params) else {
            let problem = if count.is_none() {
                Diagnostic::error(
                    codes::EXPLICIT,
                    format!("Steps that change the size are counted by a number from 1 to {}.", steps::MOST),
                )
                .label(written.span, "not such a number")
                .hint(if none {
                    NO_STEP
                } else {
                    "A function that keeps the size may be applied any number of times from 1: `iterate k f`."
                })
            } else {
                Diagnostic::error(codes::MISPLACED, "A step of `iterate` knows one size.")
                    .label(body.span, "more than one")
            };
            self.problem(problem);
            return self.error_tree(span);
        };
        let names = param.kind.names();
        let [name] = names.as_slice() else { return self.error_tree(span) };
        let size: Name = format!("{SIZE_OF_STEP}{}", self.steps.len()).into();
        self.steps.push(name.kind.clone());
        let (factor, left, element) = (self.u.fresh_nat(), self.u.fresh_nat(), self.data());
        let outer = self.scope.sizes.insert(name.kind.clone(), Nat::var(&size));
        let ty = steps::ty(count, &Nat::var(&size), &factor, &left, &element);
        let (step, rest) =
            ty.as_fun().map_or_else(|| (self.any(), self.any()), |(s, r)| (s.clone(), r.clone()));
        let before = self.problems.len();
        let step = self.expr(body, Some(Expected::new(step, Why::Argument(Some("iterate".into()), 2))));
        match outer {
            Some(size) => self.scope.sizes.insert(name.kind.clone(), size),
            None => self.scope.sizes.shift_remove(&name.kind),
        };
        if self.problems.len() > before {
            return self.error_tree(span);
        }
        Tree::new(Node::Steps(Box::new(Steps { count, size, factor, left, element, step })), rest, span)
    }

    /// The truth value that a name is.
    pub(super) fn truth_value(&self, name: &Name) -> Option<bool> {
        let value = match &**name {
            "true" => true,
            "false" => false,
            _ => return None,
        };
        self.scope.value(name).is_none().then_some(value)
    }

    /// `true` or `false`, of which a vector has one in every lane.
    pub(super) fn truth(&mut self, name: &Name, span: Span, expected: Option<&Expected>) -> Tree {
        let value = self.truth_value(name).unwrap_or(false);
        let may_be_vector = expected.is_none_or(|x| {
            matches!(self.u.resolve(&x.ty).kind(), TypeKind::Vector(..) | TypeKind::Var(TypeVar::Meta(_)))
        });
        if !may_be_vector {
            return Tree::new(Node::Bool(value), Type::scalar(Scalar::Bool), span);
        }
        let ty = self.data();
        self.relate_later(Relation::Truth(ty.clone()), if value { "true" } else { "false" }, span);
        Tree::new(Node::Bool(value), ty, span)
    }

    fn other_name(&mut self, name: &Name, span: Span, args: &[Expr], piped: Option<(Span, Type)>) -> Tree {
        if let Some(value) = self.truth_value(name) {
            return Tree::new(Node::Bool(value), Type::scalar(Scalar::Bool), span);
        }
        if let Some(size) = self.scope.sizes.get(name).cloned() {
            self.written_sizes.insert(span, size.clone());
            return Tree::new(Node::Size(size), Type::nat_type(), span);
        }
        if self.scope.open {
            let ty = self.any();
            let local = self.local(name, ty.clone(), span);
            self.scope.enter(name, local);
            self.scope.free.push(local);
            return Tree::new(Node::Local(local), ty, span);
        }
        let elsewhere = self.written_here(name, span, args, piped);
        let mut known: Vec<Name> = self.scope.value_names();
        known.extend(self.defs.iter().map(|d| d.name.clone()));
        let patterns: Vec<&str> = self.patterns.names().collect();
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("There is no `{name}` here."))
            .label(span, "not defined");
        let problem = match elsewhere {
            Some(hint) => problem.hint(hint),
            None => problem.did_you_mean_or(
                name,
                known.iter().map(|n| &**n).chain(patterns),
                "Names come from `def`, parameters, `\\x.` and `let`; `shine-tui patterns` lists the patterns.",
            ),
        };
        let problem = if AddressSpace::from_name(name).is_some() {
            problem.note(format!("`{name}` is an address space, which only some patterns take."))
        } else {
            problem
        };
        self.problem(problem);
        self.error_tree(span)
    }

    /// Is this certainly a value rather than a size?
    /// Is it the name of a number, and of no size?
    pub(super) fn is_number_value(&self, name: &Name) -> bool {
        let local = self.scope.value(name).filter(|_| !self.scope.sizes.contains_key(name));
        local.is_some_and(|i| self.u.resolve(&self.locals[i as usize].ty).as_scalar().is_some())
    }

    pub(super) fn is_value(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                let value = self.scope.value(name).is_some() || self.def_names.contains_key(name);
                value && !self.scope.sizes.contains_key(name)
            }
            ExprKind::Lam(..) | ExprKind::Array(_) | ExprKind::Tuple(_) | ExprKind::Section(_) => true,
            ExprKind::Number(n) => n.is_float(),
            _ => false,
        }
    }
}
