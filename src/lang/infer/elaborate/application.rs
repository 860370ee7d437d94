//! Applications: which arguments are read in which order, and what is said of those that do not fit.

use super::super::check::What;
use super::super::codes;
use super::super::report::Why;
use super::super::scheme::{ExplicitKind, Scheme};
use super::super::state::Infer;
use super::super::tree::{Node, Tree, TreeArg};
use super::super::words::OpenFunction;
use super::Expected;
use super::head::Head;
use crate::diag::{Diagnostic, Span};
use crate::nat::{Name, Nat};
use crate::pattern::Pattern;
use crate::sort::Sort;
use crate::syntax::ast::{Expr, ExprKind};
use crate::syntax::elsewhere;
use crate::ty::{Type, TypeKind, TypeVar};

/// An argument of an application.
enum Given<'a> {
    Written(&'a Expr),
    /// What stands before `|>`.
    Piped(Box<Tree>),
}

impl Infer {
    /// `head args`, or `piped |> head args`.
    pub(super) fn application(
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
        let Head { tree: head, name, explicit, rest } =
            self.head(head, args, piped.as_ref().map(|p| (p.span, p.ty.clone())));
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
        let is_unknown = matches!(head.node, Node::Error);
        let mut trees: Vec<Option<Tree>> = given.iter().map(|_| None).collect();
        let mut late = vec![];
        let before = self.problems.len();
        let element = self.mapped_element(&head, &given);
        for (i, given) in given.into_iter().enumerate() {
            let why = match &given {
                Given::Written(_) => Why::Argument(name.clone(), explicit + i + 1),
                Given::Piped(_) => Why::PipedInto(name.clone()),
            };
            match given {
                // What it is called here stands in the hint.
                Given::Written(Expr { kind: ExprKind::Name(f), span })
                    if is_unknown && name.as_deref() == Some("flip") && !self.is_known(f) =>
                {
                    trees[i] = Some(self.error_tree(*span));
                }
                // Of too many arguments none is in its place.
                // What is written as the arguments of a function that is not known is no pair.
                Given::Written(Expr { kind: ExprKind::Tuple(_), span }) if is_unknown => {
                    trees[i] = Some(self.error_tree(*span));
                }
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
                    // What is written with a function before it is told as what is written with an operator.
                    if let (1, Some(Some(left)), Node::Prim(p, _)) = (i, trees.first(), &head.node)
                        && (p.is_arithmetic() || p.is_comparison())
                    {
                        self.left_operands.insert(e.span, left.span);
                    }
                    let is_name = matches!(e.kind, ExprKind::Name(_));
                    let outer = std::mem::replace(&mut self.mapped_over, element.clone().filter(|_| is_name));
                    trees[i] = Some(self.expr(e, Some(Expected::new(params[i].clone(), why))));
                    self.mapped_over = outer;
                }
                Given::Piped(tree) if self.problems.len() > before => trees[i] = Some(*tree),
                Given::Piped(tree) => {
                    self.equal(&params[i], &tree.ty, tree.span, why);
                    trees[i] = Some(*tree);
                }
            }
        }
        let scalar = match &head.node {
            Node::Prim(pattern, _) if matches!(pattern.sort(), Sort::Scalar(_)) => Some(*pattern),
            _ => None,
        };
        if let (Some(pattern), [Some(left), Some(right)]) = (scalar, trees.as_slice()) {
            let own = [left, right].map(|t| (t.span, t.ty.clone()));
            self.operands.insert(head.span, own);
            if self.value_with_array(pattern, left, right, before, head.span) {
                return self.error_tree(span);
            }
            if self.array_beside(pattern, left, right, before) {
                return self.error_tree(span);
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

    /// The type of the elements that `map` gives to a function of a name that is not known, which they tell more of.
    fn mapped_element(&mut self, head: &Tree, given: &[Given]) -> Option<Type> {
        let (Node::Prim(Pattern::Map, _), [Given::Written(f), xs]) = (&head.node, given) else { return None };
        let ExprKind::Name(name) = &f.kind else { return None };
        if self.is_known(name) || self.scope.open {
            return None;
        }
        let ty = match xs {
            Given::Piped(tree) => self.u.resolve(&tree.ty),
            Given::Written(e) => self.type_of_given(e)?,
        };
        ty.as_array().map(|(_, element)| element.clone())
    }

    /// Does the name stand for something?
    fn is_known(&self, name: &Name) -> bool {
        self.scope.value(name).is_some()
            || self.def_names.contains_key(name)
            || self.patterns.find(name).is_some()
    }

    /// What other languages write as a call or between operands, in the place of an application.
    fn foreign_call(&mut self, head: &Expr, args: &[Expr], piped: Option<&Tree>) -> Option<Diagnostic> {
        if let Some(problem) = self.index_in_brackets(head, args) {
            return Some(problem);
        }
        if let Some(problem) = self.indices_among(head, args) {
            return Some(problem);
        }
        // `map shl xs`: what stands before it is a function.
        let is_function = match &head.kind {
            ExprKind::Name(name) => self.scope.value(name).is_none(),
            _ => false,
        };
        for (i, arg) in args.iter().enumerate() {
            if let ExprKind::Name(name) = &arg.kind
                && elsewhere::is_infix(name)
                && !self.is_known(name)
                && !self.scope.open
                && !(i == 0 && is_function)
            {
                let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("There is no `{name}` here."))
                    .label(arg.span, "a word of other languages");
                // What stands before it and what stands behind it.
                let before: Vec<&Expr> = std::iter::once(head).chain(&args[..i]).collect();
                let operands: Vec<String> = match (before.as_slice(), &args[i + 1..]) {
                    ([a], [b]) => [*a, b].map(|e| self.argument(e)).into(),
                    _ => vec![],
                };
                let whole = head.span.to(args.last().map_or(head.span, |last| last.span));
                let hint = elsewhere::written_here(name, &operands)?;
                return Some(problem.hint(self.in_place_of(whole, hint)));
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
                super::super::check::rest_of_floats(name, &right)
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
                crate::build::arity(pattern, &[]).is_some_and(|n| n > 1 && n >= parts.len())
                    && !self.takes_pairs(pattern)
            }
        };
        if let [Expr { kind: ExprKind::Tuple(parts), span }] = args
            && several(parts)
        {
            if pattern == Pattern::Select
                && let Some(problem) = self.select_of_arrays(parts)
            {
                return Some(problem);
            }
            let mut names: Vec<String> = parts.iter().map(|e| self.argument(e)).collect();
            // `reduce(max, xs)` lacks the value that it starts from.
            if let ([op, xs], true) = (parts.as_slice(), pattern.is_reduce())
                && self.is_operator(op)
                && self.is_array(xs)
                && let Some(start) = elsewhere::start_of(&names[0])
            {
                names.insert(1, start.to_owned());
            }
            let in_order = self.misplaced_arguments(pattern, name, parts, None).map(|problem| problem.hints);
            let hint = in_order.and_then(|hints| hints.into_iter().next());
            return Some(
                Diagnostic::error(codes::NOT_A_FUNCTION, "Arguments are separated by spaces, not by commas.")
                    .label(*span, "one pair in the place of several arguments")
                    .hint(hint.unwrap_or_else(|| format!("Write `{name} {}`.", names.join(" ")))),
            );
        }
        if pattern == Pattern::Select
            && let Some(problem) = self.select_of_arrays(args)
        {
            return Some(problem);
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
                    "Write it behind the operator, as in `{name} (+) 0` and `{name} max (-1 / 0)`; of whole numbers with the \
                     least one of their type in the place of `-1 / 0`."
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
                    "Write it before the array, as in `{name} (+) 0 {xs}` and `{name} max (-1 / 0) {xs}`; of \
                     whole numbers with the least one of their type in the place of `-1 / 0`."
                )),
            );
        }
        None
    }

    /// Is the first argument of the pattern a pair, or anything?
    fn takes_pairs(&self, pattern: Pattern) -> bool {
        // What decides is no pair, of whatever it chooses.
        let is_of_numbers = pattern.is_numeric() || pattern.is_comparison() || pattern == Pattern::Select;
        let params = Scheme::of(pattern).ty.signature().0;
        !is_of_numbers
            && params.first().is_some_and(|p| matches!(p.kind(), TypeKind::Pair(..) | TypeKind::Var(_)))
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
    pub(super) fn function(
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
            && self.u.kind(*id) == super::super::unify::Kind::Any
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
                        TypeKind::Pair(..) => "The components of a pair `p` are `fst p` and `snd p`.",
                        _ if self.in_brackets(head.span) => "Elements stand with commas between them: `[1, 2]`.",
                        _ => "Is an operator or a `,` missing before what stands behind it, or are there no parentheses around a function, `(\\x. x + 1)`?",
                    })
            } else {
                let message = format!("{what} takes {}, but {} are given.", plural(taken), given);
                let among = |f| format!("Is an operator missing before `{f}`?");
                let hint = self.swallowed(span, taken).or_else(|| self.nested_map(span));
                let hint = hint.or_else(|| self.function_among(span).map(among));
                Diagnostic::error(codes::NOT_A_FUNCTION, message)
                    .label(span, "too many arguments")
                    .note(format!("Its type is {ty}."))
                    .hint(hint.unwrap_or_else(|| match name.map(|n| &**n) {
                        Some("idx") => {
                            "`idx` takes one index: an element of a matrix is `idx j (idx i a)`.".into()
                        }
                        Some("cast") => {
                            "The type stands behind what is made of it, as in `(cast x : f32)`.".into()
                        }
                        Some("map") if given == 3 => {
                            "Of two arrays, write `zip xs ys |> map (\\(x, y). f x y)`.".into()
                        }
                        _ => "Remove an argument, or put one that is a call itself into parentheses.".into(),
                    }))
            };
            let problem = names.explain(problem);
            self.problem(problem);
        }
        (from, to)
    }
}

/// Is this read after the other arguments, because it is a function whose parameters they may tell?
fn is_late(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Lam(..) | ExprKind::Compose(..) | ExprKind::Pipe(..) => true,
        ExprKind::App(_, args) => args.iter().any(is_late),
        _ => false,
    }
}
