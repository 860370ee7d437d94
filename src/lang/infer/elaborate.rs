//! From expressions as written to elaborated trees.
//!
//! One walk creates unknowns and equations; what depends on types that are not known yet (`x |> f`, numbers,
//! operators) is kept for later. An expected type is passed inwards, so that functions know their parameters before
//! their bodies are read; functions among arguments are read after the other arguments for the same reason.
//! After a mistake an unknown stands for what was meant, and the walk goes on.

use super::check::What;
use super::codes;
use super::relation::Relation;
use super::report::Why;
use super::scheme::{ExplicitKind, Scheme, size_is_written};
use super::state::{Infer, Joining, Joint, Undeclared};
use super::tree::{Node, Steps, Tree, TreeArg};
use super::words::OpenFunction;
use crate::lang::declared::ALWAYS;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::{Name, Nat, NatFun};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::steps;
use crate::lang::syntax::ast::{Component, Expr, ExprKind, Ident, Number, Op, Param, ParamKind};
use crate::lang::syntax::{elsewhere, pairs};
use crate::lang::ty::{Scalar, Type, TypeKind, TypeVar};

/// How the names of sizes of steps start, each of which is one in trees; terms name them by depth.
pub const SIZE_OF_STEP: &str = "%step";

/// The longest chain of operators, arguments, elements or stages: terms nest them.
const MAX_CHAIN: usize = 2 * crate::lang::MAX_DEPTH;

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

/// An argument of an application.
enum Given<'a> {
    Written(&'a Expr),
    /// What stands before `|>`.
    Piped(Box<Tree>),
}

/// A function that is applied: its tree, its name for messages, and the arguments that are left for it.
struct Head<'a> {
    tree: Tree,
    name: Option<Name>,
    /// How many arguments it took that are no terms.
    explicit: usize,
    rest: Vec<&'a Expr>,
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
                    self.problem(
                        Diagnostic::error(
                            codes::MISMATCH,
                            "A function does not have this type, which is of data.",
                        )
                        .label(written.span, "the type of the whole function")
                        .label(body.span, "perhaps meant for this")
                        .hint(format!(
                            "Put the part that has the type into parentheses: `\\x. (cast x : {ty})`."
                        )),
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

    fn number(&mut self, number: &Number, negative: bool, span: Span) -> Tree {
        let ty = match &number.suffix {
            None => self.data(),
            Some(suffix) => match Scalar::from_name(suffix) {
                Some(scalar) => Type::scalar(scalar),
                None => {
                    let problem =
                        Diagnostic::error(codes::LITERAL, format!("`{suffix}` is no type of numbers."));
                    let scalars = Scalar::ALL.iter().map(|s| s.name());
                    self.problem(problem.label(span, "in this number").did_you_mean(suffix, scalars));
                    return Tree::new(Node::Error, self.data(), span);
                }
            },
        };
        let what = What::Number { digits: number.digits.clone(), negative, float: number.is_float() };
        self.check_later(what, &ty, span);
        Tree::new(Node::Number { digits: number.digits.clone(), negative }, ty, span)
    }

    fn operator(&mut self, op: Op, span: Span, operands: Option<(&Expr, &Expr)>) -> Option<Pattern> {
        let (message, hint) = match op {
            Op::Add => return Some(Pattern::Add),
            Op::Sub => return Some(Pattern::Sub),
            Op::Mul => return Some(Pattern::Mul),
            Op::Div => return Some(Pattern::Div),
            Op::Rem => return Some(Pattern::Mod),
            Op::Lt => return Some(Pattern::Lt),
            Op::Gt => return Some(Pattern::Gt),
            Op::Eq => return Some(Pattern::Equal),
            Op::Le => return Some(Pattern::Le),
            Op::Ge => return Some(Pattern::Ge),
            Op::Ne => return Some(Pattern::NotEqual),
            Op::And => return Some(Pattern::And),
            Op::Or => return Some(Pattern::Or),
            Op::FloorDiv => ("`div` divides sizes, not values.", "`/` of integers rounds towards zero."),
            Op::Pow => ("`^` is for sizes, not for values.", "Write `x * x`."),
        };
        let operands = operands.map(|(base, exponent)| match op {
            Op::Pow => self.power(base, exponent),
            _ => format!(
                "Write `{} / {}`: of integers it rounds towards zero.",
                self.argument(base),
                self.argument(exponent)
            ),
        });
        let hint = operands.unwrap_or_else(|| hint.into());
        self.problem(Diagnostic::error(codes::MISPLACED, message).label(span, "here").hint(hint));
        None
    }

    fn infix(&mut self, whole: &Expr, first: &Expr, rest: &[(Op, Expr)]) -> Tree {
        if let Some(size) = self.as_size(whole) {
            self.written_sizes.insert(whole.span, size.clone());
            return Tree::new(Node::Size(size), Type::nat_type(), whole.span);
        }
        self.operators(whole.span, first, rest.iter().map(|(op, e)| (*op, e)))
    }

    /// An operator behind a function: it is meant for an argument, or what is around it is.
    fn operator_as_argument(&mut self, function: &Expr, op: Op, right: &Expr) {
        let name = match &function.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::App(head, _) => match &head.kind {
                ExprKind::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let symbol = op.symbol();
        let number = match &right.kind {
            ExprKind::Number(n) => Some(n),
            ExprKind::App(head, _) => match &head.kind {
                ExprKind::Number(n) => Some(n),
                _ => None,
            },
            _ => None,
        };
        let of = name.map_or_else(|| "the function".to_string(), |n| format!("`{n}`"));
        let problem = Diagnostic::error(codes::NOT_DATA, format!("`{symbol}` stands between two values."))
            .label(function.span, "this is a function");
        self.problem(match number {
            Some(n) if op == Op::Sub => problem.hint(format!(
                "A negative number that is given to {of} stands in parentheses: `(-{}{})`.",
                n.digits,
                n.suffix.as_deref().unwrap_or_default()
            )),
            _ => match self.negated_argument(function, right).filter(|_| op == Op::Sub) {
                Some(written) => problem.hint(format!(
                    "What is given to {of} stands in parentheses: `{written}`, or the operator alone, `({symbol})`."
                )),
                None => problem.hint(format!(
                    "What is given to {of} stands in parentheses: the operator alone, `({symbol})`, or all of `(a {symbol} b)`."
                )),
            },
        });
    }

    /// Operators that group from the left.
    fn operators<'e>(
        &mut self,
        span: Span,
        first: &Expr,
        rest: impl ExactSizeIterator<Item = (Op, &'e Expr)>,
    ) -> Tree {
        if !self.not_too_long(rest.len(), span) {
            return self.error_tree(span);
        }
        let before = self.problems.len();
        let mut left = self.expr(first, None);
        let mut next = first;
        for (op, right) in rest {
            let span = first.span.to(right.span);
            let before_it = std::mem::replace(&mut next, right);
            if self.problems.len() == before && self.u.resolve(&left.ty).as_fun().is_some() {
                self.operator_as_argument(first, op, right);
                return self.error_tree(span);
            }
            if self.problems.len() > before {
                // What the others are for is not known.
                return self.error_tree(span);
            }
            let Some(pattern) = self.operator(op, span, Some((before_it, right))) else {
                self.expr(right, None);
                left = self.error_tree(span);
                continue;
            };
            let since = self.checks.len();
            let f = self.prim(pattern, vec![], span);
            self.needed_at(since, Some(pattern), left.span);
            let (operand, result) = match f.ty.as_fun() {
                Some((a, rest)) => (a.clone(), rest.as_fun().map_or_else(Type::ill, |(_, r)| r.clone())),
                None => (self.any(), self.any()),
            };
            let fits = self.equal(&operand, &left.ty, left.span, Why::Operand(op.symbol()));
            self.relate(since);
            if !fits || self.problems.len() > before {
                return self.error_tree(span);
            }
            let right = self.expr(right, Some(Expected::new(operand.clone(), Why::Operand(op.symbol()))));
            self.relate(since);
            let own = [&left, &right].map(|t| (t.span, t.ty.clone()));
            self.operands.insert(span, own);
            if self.value_with_array(pattern, &left, &right, before, span) {
                return self.error_tree(span);
            }
            let partial = Type::fun(operand, result.clone());
            left = Tree::app(Tree::app(f, left, partial, span), right, result, span);
        }
        left
    }

    fn array(&mut self, elements: &[Expr], span: Span) -> Tree {
        if !self.not_too_long(elements.len(), span) {
            return self.error_tree(span);
        }
        if elements.is_empty() {
            self.problem(
                Diagnostic::error(codes::MISPLACED, "An array has at least one element.")
                    .label(span, "empty"),
            );
            return self.error_tree(span);
        }
        let element = self.data();
        let ty = Scheme::of_array(elements.len(), &element);
        let size = Nat::constant(elements.len() as i64);
        let mut tree = Tree::new(Node::Prim(Pattern::MakeArray, vec![TreeArg::Nat(size)]), ty.clone(), span);
        let mut rest = ty;
        for e in elements {
            let e = self.expr(e, Some(Expected::new(element.clone(), Why::Element)));
            let next = rest.as_fun().map_or_else(Type::ill, |(_, r)| r.clone());
            tree = Tree::app(tree, e, next.clone(), span);
            rest = next;
        }
        tree
    }

    /// `(a, b, c)` is `(a, (b, c))`.
    fn tuple(&mut self, parts: &[Expr], span: Span) -> Tree {
        if !self.not_too_long(parts.len(), span) {
            return self.error_tree(span);
        }
        let mut trees: Vec<Tree> = parts.iter().map(|p| self.expr(p, None)).collect();
        let Some(mut right) = trees.pop() else { return self.error_tree(span) };
        while let Some(left) = trees.pop() {
            let f = self.prim(Pattern::MakePair, vec![], span);
            let (s, t) = match f.ty.as_fun() {
                Some((s, rest)) => (s.clone(), rest.as_fun().map_or_else(Type::ill, |(t, _)| t.clone())),
                None => (self.any(), self.any()),
            };
            self.equal(&s, &left.ty, left.span, Why::Argument(Some("makePair".into()), 1));
            self.equal(&t, &right.ty, right.span, Why::Argument(Some("makePair".into()), 2));
            let pair = Type::pair(s, t.clone());
            let span = left.span.to(right.span);
            right = Tree::app(Tree::app(f, left, Type::fun(t, pair.clone()), span), right, pair, span);
        }
        right
    }

    fn not_too_long(&mut self, length: usize, span: Span) -> bool {
        if length <= MAX_CHAIN {
            return true;
        }
        self.problem(
            Diagnostic::error(codes::TOO_LARGE, format!("These are {length} parts, more than {MAX_CHAIN}."))
                .label(span, "too long"),
        );
        false
    }

    fn lambda(&mut self, params: &[Param], body: &Expr, span: Span, expected: Option<Expected>) -> Tree {
        let mut want = expected.as_ref().map(|x| x.ty.clone());
        let mut bound = vec![];
        let mut refused = false;
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

    fn compose(&mut self, first: &Expr, rest: &[Expr], span: Span, expected: Option<&Expected>) -> Tree {
        if !self.not_too_long(rest.len(), span) {
            return self.error_tree(span);
        }
        if let ExprKind::Name(name) = &first.kind
            && self.is_data(name)
        {
            self.problem(
                Diagnostic::error(codes::NOT_DATA, format!("`>>` composes functions, and `{name}` is none."))
                    .label(first.span, "this is data")
                    .hint(format!("Write `{name} |> f` to apply a function, `shiftRight {name} 1` to shift the bits of an integer.")),
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

    fn pipe(&mut self, first: &Expr, stages: &[Expr], span: Span, expected: Option<Expected>) -> Tree {
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
            TypeKind::Var(TypeVar::Meta(id)) if self.u.kind(*id) == super::unify::Kind::Any => None,
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
            TypeKind::Var(TypeVar::Meta(id)) if self.u.kind(*id) == super::unify::Kind::Any => None,
            _ => Some(false),
        }
    }

    /// The address space that an argument names, if it names one.
    fn address(&self, e: &Expr) -> Option<TreeArg> {
        let ExprKind::Name(name) = &e.kind else { return None };
        if self.scope.value(name).is_some() {
            return None;
        }
        if self.scope.slots.contains(name) {
            return Some(TreeArg::Slot(name.clone()));
        }
        AddressSpace::from_name(name).map(TreeArg::Addr)
    }

    fn dimension(&self, e: &Expr) -> Option<Option<TreeArg>> {
        match &e.kind {
            ExprKind::Number(n) => {
                let dim = n.as_int().and_then(|i| u8::try_from(i).ok()).filter(|d| *d < 3);
                Some(dim.map(TreeArg::Dim))
            }
            ExprKind::Name(name) if self.scope.slots.contains(name) => {
                Some(Some(TreeArg::Slot(name.clone())))
            }
            _ => None,
        }
    }

    /// How many of the arguments are explicit arguments of the pattern.
    fn explicit_count(&self, pattern: Pattern, args: &[Expr]) -> usize {
        let mut used = 0;
        for explicit in &Scheme::of(pattern).explicit {
            let Some(next) = args.get(used) else { break };
            used += usize::from(match explicit.kind {
                ExplicitKind::Nat | ExplicitKind::Fun => true,
                ExplicitKind::NatOr(_) => self.size_is_written(pattern, &args[used..]),
                ExplicitKind::Addr(_) => self.address(next).is_some(),
                ExplicitKind::Dim(_) => self.dimension(next).is_some(),
            });
        }
        used
    }

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
    fn head<'a>(&mut self, e: &'a Expr, args: &'a [Expr], piped: Option<Span>) -> Head<'a> {
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
    fn truth_value(&self, name: &Name) -> Option<bool> {
        let value = match &**name {
            "true" => true,
            "false" => false,
            _ => return None,
        };
        self.scope.value(name).is_none().then_some(value)
    }

    /// `true` or `false`, of which a vector has one in every lane.
    fn truth(&mut self, name: &Name, span: Span, expected: Option<&Expected>) -> Tree {
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

    fn other_name(&mut self, name: &Name, span: Span, args: &[Expr], piped: Option<Span>) -> Tree {
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
        let mut known: Vec<Name> = self.scope.value_names();
        known.extend(self.defs.iter().map(|d| d.name.clone()));
        let patterns: Vec<&str> = self.patterns.names().collect();
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("There is no `{name}` here."))
            .label(span, "not defined");
        let problem = match self.written_here(name, args, piped) {
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
    fn is_value(&self, e: &Expr) -> bool {
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

    /// Reports a name that means nothing but is near that of an address space.
    fn misspelt_address(&mut self, e: &Expr) -> bool {
        let ExprKind::Name(name) = &e.kind else { return false };
        let known = self.def_names.contains_key(name)
            || self.scope.value(name).is_some()
            || self.scope.sizes.contains_key(name)
            || self.patterns.find(name).is_some()
            || self.scope.open;
        let spaces = AddressSpace::ALL.iter().map(|a| a.name());
        if known || crate::lang::diag::nearest(name, spaces.clone()).is_none() {
            return false;
        }
        let problem = Diagnostic::error(codes::EXPLICIT, format!("There is no address space `{name}`."));
        self.problem(problem.label(e.span, "not known").did_you_mean(name, spaces));
        true
    }

    fn is_zero(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Number(n) if n.as_int() == Some(0))
    }

    fn size_is_written(&self, pattern: Pattern, args: &[Expr]) -> bool {
        let is_size = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => self.scope.value(name).is_none() && self.scope.sizes.contains_key(name),
            _ => false,
        };
        size_is_written(pattern, args, is_size) && !args.first().is_some_and(|e| self.is_value(e))
    }

    /// Reads the explicit arguments of a pattern; says also how many of the written ones they are.
    fn explicit(
        &mut self,
        pattern: Pattern,
        name: &Name,
        args: &[Expr],
        span: Span,
    ) -> (Option<Vec<TreeArg>>, usize) {
        let mut out = vec![];
        let mut used = 0;
        for explicit in &Scheme::of(pattern).explicit {
            let next = args.get(used);
            if let ExplicitKind::NatOr(left_out) = explicit.kind
                && !self.size_is_written(pattern, args.get(used..).unwrap_or_default())
            {
                out.push(TreeArg::Nat(Nat::constant(left_out)));
                continue;
            }
            let arg = match explicit.kind {
                ExplicitKind::Nat | ExplicitKind::NatOr(_)
                    if next.is_some_and(|e| self.is_zero(e) && needs_one(pattern)) =>
                {
                    let span = next.map_or(span, |e| e.span);
                    self.problem(
                        Diagnostic::error(
                            codes::EXPLICIT,
                            format!("`{}` of `{name}` is at least 1.", explicit.name),
                        )
                        .label(span, "this is 0")
                        .hint(if pattern == Pattern::Iterate {
                            NO_STEP
                        } else {
                            "Write 1 or more."
                        }),
                    );
                    return (None, used + 1);
                }
                ExplicitKind::Nat | ExplicitKind::NatOr(_) => match next {
                    Some(e) if self.is_value(e) => {
                        self.missing_size(name, &explicit.name, span);
                        return (None, used);
                    }
                    Some(e) => {
                        used += 1;
                        TreeArg::Nat(self.size(e))
                    }
                    None => {
                        self.missing_size(name, &explicit.name, span);
                        return (None, used);
                    }
                },
                ExplicitKind::Fun => match next {
                    Some(e) => {
                        used += 1;
                        match self.nat_function(e) {
                            Some(f) => TreeArg::Fun(f),
                            None => {
                                // Functions behind it belong to the pattern too.
                                let more = args[used..].iter();
                                used += more.take_while(|e| matches!(e.kind, ExprKind::NatLam(..))).count();
                                return (None, used);
                            }
                        }
                    }
                    None => {
                        self.missing_function(name, &explicit.name, span);
                        return (None, used);
                    }
                },
                ExplicitKind::Addr(default) => match next.and_then(|e| self.address(e)) {
                    Some(arg) => {
                        used += 1;
                        arg
                    }
                    None => {
                        used += usize::from(next.is_some_and(|e| self.misspelt_address(e)));
                        TreeArg::Addr(default)
                    }
                },
                ExplicitKind::Dim(default) => match next.and_then(|e| Some((e, self.dimension(e)?))) {
                    Some((e, arg)) => {
                        used += 1;
                        arg.unwrap_or_else(|| {
                            self.problems.push(
                                Diagnostic::error(codes::EXPLICIT, "A dimension is 0, 1 or 2.")
                                    .label(e.span, "this is none of them"),
                            );
                            TreeArg::Dim(default)
                        })
                    }
                    None => TreeArg::Dim(default),
                },
            };
            out.push(arg);
        }
        (Some(out), used)
    }

    fn missing_function(&mut self, of: &Name, function: &Name, span: Span) {
        self.problem(
            Diagnostic::error(codes::EXPLICIT, format!("`{of}` needs the function of sizes `{function}`."))
                .label(span, "the function is missing")
                .hint("Write it as `(/\\i. n - 1 - i)`."),
        );
    }

    /// A function of sizes, `/\i. size`, or a variable of a rule that stands for one.
    fn nat_function(&mut self, e: &Expr) -> Option<NatFun> {
        let problem =
            |message: &str, label: &str| Diagnostic::error(codes::EXPLICIT, message).label(e.span, label);
        let (params, body) = match &e.kind {
            ExprKind::NatLam(params, body) => (params, body),
            ExprKind::Name(name) if self.scope.undeclared == Undeclared::Unknown => {
                return self.function_variable(name, e.span);
            }
            ExprKind::Name(name) if self.scope.functions.contains(name) => {
                return self.function_variable(name, e.span);
            }
            ExprKind::Error => return None,
            kind => {
                let problem = problem("A function of sizes is needed here.", "this is none");
                self.problem(match kind {
                    ExprKind::Lam(..) => problem
                        .note("This is a function of values.")
                        .hint("Write `/\\` in the place of `\\`."),
                    _ => problem.hint("Write one as `(/\\i. n - 1 - i)`."),
                });
                return None;
            }
        };
        let names: Vec<&Name> = params.iter().flat_map(|p| p.kind.names()).map(|n| &n.kind).collect();
        let sizes = params.iter().all(|p| {
            matches!(p.kind, ParamKind::Bare(_) | ParamKind::Kinded(_, crate::lang::syntax::ast::Kind::Nat))
        });
        let ([name], true) = (names.as_slice(), sizes) else {
            let problem = problem("This function takes one size.", "not one parameter that is a size");
            self.problem(problem.hint("Write it as `(/\\i. n - 1 - i)`."));
            return None;
        };
        let outer = self.scope.sizes.insert((*name).clone(), NatFun::parameter());
        let before = self.problems.len();
        let size = self.size(body);
        match outer {
            Some(size) => self.scope.sizes.insert((*name).clone(), size),
            None => self.scope.sizes.shift_remove(*name),
        };
        if self.problems.len() > before {
            return None;
        }
        if self.scope.open && size.as_variable().is_some_and(|_| !NatFun::is_inside(&size)) {
            let problem = problem("This function does not use its parameter.", "always the same number");
            self.problem(problem.hint("For any function of sizes, write a name."));
            return None;
        }
        Some(NatFun::new(name, size))
    }

    /// The function that a variable of a rule stands for: any, which is the variable as the body.
    fn function_variable(&mut self, name: &Name, span: Span) -> Option<NatFun> {
        if self.scope.functions.contains(name) {
            let body = self.scope.sizes.get(name)?.clone();
            return Some(NatFun::new("i", body));
        }
        if self.scope.sizes.contains_key(name) {
            self.problem(
                Diagnostic::error(codes::EXPLICIT, "A function of sizes is needed here.")
                    .label(span, format!("`{name}` is a size")),
            );
            return None;
        }
        let body = self.u.fresh_nat();
        self.scope.sizes.insert(name.clone(), body.clone());
        self.scope.functions.push(name.clone());
        Some(NatFun::new("i", body))
    }

    pub fn missing_size(&mut self, of: &Name, size: &Name, span: Span) {
        self.problem(
            Diagnostic::error(codes::EXPLICIT, format!("`{of}` needs the size `{size}`."))
                .label(span, "the size is missing")
                .hint(format!("Write it first, e.g. `{of} 4 ...`.")),
        );
    }

    /// `head args`, or `piped |> head args`.
    fn application(
        &mut self,
        head: &Expr,
        args: &[Expr],
        piped: Option<Tree>,
        span: Span,
        expected: Option<Expected>,
    ) -> Tree {
        if !self.not_too_long(args.len(), span) {
            return self.error_tree(span);
        }
        if let Some(problem) = self.foreign_call(head, args, piped.as_ref()) {
            self.problem(problem);
            return self.error_tree(span);
        }
        if let Some(last) = args.last().map(|a| a.span).or(piped.as_ref().map(|p| p.span)) {
            self.last_arguments.insert(head.span, last);
        }
        let written = head;
        let since = self.checks.len();
        let Head { tree: head, name, explicit, rest } = self.head(head, args, piped.as_ref().map(|p| p.span));
        let mut given: Vec<Given> = rest.into_iter().map(Given::Written).collect();
        given.extend(piped.map(|tree| Given::Piped(Box::new(tree))));
        if given.is_empty() {
            return self.fits(head, expected);
        }
        // The types of the parameters and of the function after each argument.
        let mut params = vec![];
        let mut results = vec![];
        let mut ty = head.ty.clone();
        let mut refused = false;
        for i in 0..given.len() {
            let (from, to) = self.function(
                &ty,
                &head,
                name.as_ref(),
                (explicit + i, explicit + given.len()),
                span,
                &mut refused,
            );
            params.push(from);
            results.push(to.clone());
            ty = to;
        }
        let mut trees: Vec<Option<Tree>> = given.iter().map(|_| None).collect();
        let mut late = vec![];
        let before = self.problems.len();
        for (i, given) in given.into_iter().enumerate() {
            let why = match &given {
                Given::Written(_) => Why::Argument(name.clone(), explicit + i + 1),
                Given::Piped(_) => Why::PipedInto(name.clone()),
            };
            match given {
                // Of too many arguments none is in its place.
                Given::Written(e) if refused || self.problems.len() > before => {
                    trees[i] = Some(self.expr(e, None))
                }
                Given::Written(e) if self.negative_section(e, &params[i]).is_some() => {
                    let problem = self.negative_section(e, &params[i]);
                    self.problems.extend(problem);
                }
                Given::Written(e) if is_late(e) => late.push((i, e, why)),
                // The array tells what it is below.
                Given::Written(e) if !self.scope.open && self.u.resolve(&params[i]).as_index().is_some() => {
                    late.push((i, e, why))
                }
                Given::Written(e) => {
                    trees[i] = Some(self.expr(e, Some(Expected::new(params[i].clone(), why))));
                }
                Given::Piped(tree) if self.problems.len() > before => trees[i] = Some(*tree),
                Given::Piped(tree) => {
                    self.equal(&params[i], &tree.ty, tree.span, why);
                    trees[i] = Some(*tree);
                }
            }
        }
        if self.problems.len() > before {
            // Nothing is known of what it would return.
            for (i, e, _) in late {
                trees[i] = Some(self.expr(e, None));
            }
            return self.error_tree(span);
        }
        if let Some(Expected { ty: wanted, why }) = expected {
            self.equal(&wanted, &ty, span, why);
        }
        let pattern = if let Node::Prim(pattern, _) = &head.node { Some(*pattern) } else { None };
        if let Some(Some(first)) = trees.first() {
            self.needed_at(since, pattern, first.span);
        }
        self.relate(since);
        for (i, e, why) in late {
            // Parentheses around the function would end it before the application.
            let open = matches!(e.kind, ExprKind::Lam(..)) && e.span.end == span.end;
            if open {
                let before = args.split_last().map_or(&[][..], |(_, before)| before);
                let call = std::iter::once(written)
                    .chain(before)
                    .map(|e| self.argument(e))
                    .collect::<Vec<_>>()
                    .join(" ");
                self.open_functions.push(OpenFunction { call, function: e.clone() });
            }
            trees[i] = Some(self.expr(e, Some(Expected::new(params[i].clone(), why))));
            if open {
                self.open_functions.pop();
            }
        }
        self.relate(since);
        let mut out = head;
        let last = trees.len().saturating_sub(1);
        for (i, (tree, ty)) in trees.into_iter().flatten().zip(results).enumerate() {
            self.index_literal(&out, &tree);
            let here = if i == last { span } else { out.span.to(tree.span) };
            out = Tree::app(out, tree, ty, here);
        }
        out
    }

    /// What other languages write as a call or between operands, in the place of an application.
    fn foreign_call(&mut self, head: &Expr, args: &[Expr], piped: Option<&Tree>) -> Option<Diagnostic> {
        if let Some(problem) = self.index_in_brackets(head, args) {
            return Some(problem);
        }
        let is_known = |name: &Name| {
            self.scope.value(name).is_some()
                || self.def_names.contains_key(name)
                || self.patterns.find(name).is_some()
        };
        for (i, arg) in args.iter().enumerate() {
            if let ExprKind::Name(name) = &arg.kind
                && elsewhere::is_infix(name)
                && !is_known(name)
                && !self.scope.open
            {
                let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("There is no `{name}` here."))
                    .label(arg.span, "a word of other languages");
                // What stands before it and what stands behind it.
                let before: Vec<&Expr> = std::iter::once(head).chain(&args[..i]).collect();
                let operands: Vec<String> = match (before.as_slice(), &args[i + 1..]) {
                    ([a], [b]) => [*a, b].map(|e| self.argument(e)).into(),
                    _ => vec![],
                };
                return Some(problem.hint(elsewhere::written_here(name, &operands)?));
            }
        }
        let ExprKind::Name(name) = &head.kind else { return None };
        if let Some(local) = self.scope.value(name)
            && let [Expr { kind: ExprKind::Name(operator), span }, right] = args
            && self.patterns.find(operator).is_some_and(Pattern::is_arithmetic)
            && let TypeKind::Scalar(scalar) = self.u.resolve(&self.locals[local as usize].ty).kind()
        {
            let message = format!("`{operator}` stands before its operands.");
            let problem = Diagnostic::error(codes::NOT_A_FUNCTION, message).label(*span, "between them");
            let right = self.argument(right);
            let written = if &**operator == "mod" && scalar.is_float() {
                super::check::rest_of_floats(name, &right)
            } else {
                format!("{operator} {name} {right}")
            };
            return Some(problem.hint(format!("Write `{written}`.")));
        }
        let is_pattern = self.scope.value(name).is_none() && !self.def_names.contains_key(name);
        let pattern = self.patterns.find(name).filter(|_| is_pattern)?;
        let scheme = Scheme::of(pattern);
        let several = |parts: &[Expr]| match scheme.explicit.first().map(|e| e.kind) {
            // A size is no pair.
            Some(ExplicitKind::Nat) => true,
            Some(_) => false,
            None => {
                crate::lang::build::arity(pattern, &[]).is_some_and(|n| n > 1 && n >= parts.len())
                    && !self.takes_pairs(pattern)
            }
        };
        if let [Expr { kind: ExprKind::Tuple(parts), span }] = args
            && several(parts)
        {
            let names: Vec<String> = parts.iter().map(|e| self.argument(e)).collect();
            return Some(
                Diagnostic::error(codes::NOT_A_FUNCTION, "Arguments are separated by spaces, not by commas.")
                    .label(*span, "one pair in the place of several arguments")
                    .hint(format!("Write `{name} {}`.", names.join(" "))),
            );
        }
        if let Some(problem) = self.misplaced_arguments(pattern, name, args, piped) {
            return Some(problem);
        }
        if pattern.is_reduce()
            && let ([op], Some(piped)) = (args, piped)
            && self.is_operator(op)
            && self.u.resolve(&piped.ty).as_array().is_some()
        {
            return Some(
                Diagnostic::error(
                    codes::NOT_A_FUNCTION,
                    format!("`{name}` starts from a value, which is missing here."),
                )
                .label(op.span, "the value stands behind this")
                .hint(format!(
                    "Write it behind the operator, as in `{name} (+) 0` and `{name} max (-3.4e38)`."
                )),
            );
        }
        if pattern.is_reduce()
            && let [op, last] = args
            && self.is_operator(op)
            && let ExprKind::Name(xs) = &last.kind
            && let Some(local) = self.scope.value(xs)
            && self.u.resolve(&self.locals[local as usize].ty).as_array().is_some()
        {
            return Some(
                Diagnostic::error(
                    codes::NOT_A_FUNCTION,
                    format!("`{name}` starts from a value, which is missing here."),
                )
                .label(last.span, "an array")
                .hint(format!(
                    "Write it before the array, as in `{name} (+) 0 {xs}` and `{name} max (-3.4e38) {xs}`."
                )),
            );
        }
        None
    }

    /// Is the first argument of the pattern a pair, or anything?
    fn takes_pairs(&self, pattern: Pattern) -> bool {
        let is_of_numbers = pattern.is_numeric() || pattern.is_comparison();
        let params = Scheme::of(pattern).ty.signature().0;
        !is_of_numbers
            && params.first().is_some_and(|p| matches!(p.kind(), TypeKind::Pair(..) | TypeKind::Var(_)))
    }

    /// Is this an operator on numbers, as it is given to `reduce`?
    fn is_operator(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Section(_) => true,
            ExprKind::Name(name) => {
                self.scope.value(name).is_none()
                    && self.patterns.find(name).is_some_and(Pattern::is_arithmetic)
            }
            _ => false,
        }
    }

    /// `natAsIndex n 3` is a constant whose range can be checked.
    fn index_literal(&mut self, f: &Tree, e: &Tree) {
        let Node::Prim(Pattern::NatAsIndex, args) = &f.node else { return };
        let [TreeArg::Nat(n)] = args.as_slice() else { return };
        let value = match &e.node {
            Node::Number { digits, negative: false } => digits.parse().ok().map(Nat::constant),
            Node::Size(size) => Some(size.clone()),
            _ => None,
        };
        if let Some(value) = value {
            let what = What::Below { value, size: n.clone() };
            self.check_later(what, &Type::nat_type(), e.span);
        }
    }

    /// Parameter and result of a type that must be a function's.
    fn function(
        &mut self,
        ty: &Type,
        head: &Tree,
        name: Option<&Name>,
        (taken, given): (usize, usize),
        span: Span,
        refused: &mut bool,
    ) -> (Type, Type) {
        let resolved = self.u.resolve(ty);
        if let Some((a, b)) = resolved.as_fun() {
            return (a.clone(), b.clone());
        }
        let (from, to) = (self.any(), self.any());
        if let TypeKind::Var(TypeVar::Meta(id)) = resolved.kind()
            && self.u.kind(*id) == super::unify::Kind::Any
        {
            self.equal(&resolved, &Type::fun(from.clone(), to.clone()), span, Why::Context);
            return (from, to);
        }
        if !std::mem::replace(refused, true) && !matches!(resolved.kind(), TypeKind::Ill) {
            let names = self.names();
            let ty = self.show(&head.ty, &names);
            let what = name.map_or_else(|| "This".to_string(), |n| format!("`{n}`"));
            let plural = |n: usize| if n == 1 { "1 argument".into() } else { format!("{n} arguments") };
            let swallowed = self.swallowed(span, 0);
            let what = match &head.node {
                Node::Number { digits, .. } => format!("The number {digits}"),
                _ => what,
            };
            let ty = if matches!(head.node, Node::Number { .. }) { "a number".into() } else { ty };
            let problem = if taken == 0 {
                Diagnostic::error(codes::NOT_A_FUNCTION, format!("{what} is no function, but is applied."))
                    .label(head.span, format!("this is {ty}"))
                    .hint(match resolved.kind() {
                        _ if swallowed.is_some() => swallowed.as_deref().unwrap_or_default(),
                        TypeKind::Array(..) => "An element is read by `idx 0 xs`, with its index first; arguments are separated by spaces, elements of a literal array by commas.",
                        _ => "Is an operator or a `,` missing before what stands behind it, or are there no parentheses around a function, `(\\x. x + 1)`?",
                    })
            } else {
                let message = format!("{what} takes {}, but {} are given.", plural(taken), given);
                let hint = self.swallowed(span, taken);
                Diagnostic::error(codes::NOT_A_FUNCTION, message)
                    .label(span, "too many arguments")
                    .note(format!("Its type is {ty}."))
                    .hint(hint.unwrap_or_else(|| {
                        "Remove an argument, or put one that is a call itself into parentheses.".into()
                    }))
            };
            let problem = names.explain(problem);
            self.problem(problem);
        }
        (from, to)
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
            TypeKind::Var(TypeVar::Meta(id)) => self.u.kind(*id) == super::unify::Kind::Any,
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

    fn join(&mut self, joint: &Joint, joining: Joining) {
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

/// What to write for `iterate 0`.
const NO_STEP: &str = "Without a step nothing changes: leave `iterate` and its function out.";

/// Is there no such pattern with an explicit size of 0?
fn needs_one(pattern: Pattern) -> bool {
    use Pattern as P;
    matches!(
        pattern,
        P::Split
            | P::AsVector
            | P::AsVectorAligned
            | P::Slide
            | P::CircularBuffer
            | P::RotateValues
            | P::NatAsIndex
            | P::Iterate
    )
}

/// Is this read after the other arguments, because it is a function whose parameters they may tell?
fn is_late(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Lam(..) | ExprKind::Compose(..) | ExprKind::Pipe(..) => true,
        ExprKind::App(_, args) => args.iter().any(is_late),
        _ => false,
    }
}
