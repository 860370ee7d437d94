//! Expressions of operators and lists: numbers, `a + b * c`, `[a, b]` and `(a, b)`.

use super::super::check::What;
use super::super::codes;
use super::super::report::Why;
use super::super::scheme::Scheme;
use super::super::state::Infer;
use super::super::tree::{Node, Tree, TreeArg};
use super::Expected;
use crate::diag::{Diagnostic, Span};
use crate::nat::Nat;
use crate::pattern::Pattern;
use crate::syntax::ast::{Expr, ExprKind, Number, Op};
use crate::syntax::elsewhere;
use crate::ty::{Scalar, Type};

/// The longest chain of operators, arguments, elements or stages: terms nest them.
pub(super) const MAX_CHAIN: usize = 2 * crate::MAX_DEPTH;

impl Infer {
    pub(super) fn number(&mut self, number: &Number, negative: bool, span: Span) -> Tree {
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

    pub(super) fn operator(
        &mut self,
        op: Op,
        span: Span,
        operands: Option<(&Expr, &Expr)>,
    ) -> Option<Pattern> {
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
            Op::Pow => self.in_place_of(span, self.power(base, exponent)),
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

    pub(super) fn infix(&mut self, whole: &Expr, first: &Expr, rest: &[(Op, Expr)]) -> Tree {
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
        let first = match &right.kind {
            ExprKind::Infix(first, _) => first,
            _ => right,
        };
        let number = match &first.kind {
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
        let given = match &right.kind {
            ExprKind::App(head, _) => &head.kind,
            kind => kind,
        };
        // `-1 / 0`
        let is_zero = |e: &Expr| match &e.kind {
            ExprKind::App(head, _) => matches!(&head.kind, ExprKind::Number(n) if n.as_int() == Some(0)),
            kind => matches!(kind, ExprKind::Number(n) if n.as_int() == Some(0)),
        };
        let is_quotient = matches!(&right.kind, ExprKind::Infix(_, rest)
            if rest.first().is_some_and(|(op, e)| *op == Op::Div && is_zero(e)));
        let is_infinite = op == Op::Sub
            && (matches!(given, ExprKind::Name(name) if elsewhere::INFINITY.contains(&&**name))
                || is_quotient);
        let size = match &function.kind {
            ExprKind::App(_, args) => args.last().and_then(|last| match &last.kind {
                ExprKind::Name(name) if self.scope.sizes.contains_key(name) => Some(name.clone()),
                _ => None,
            }),
            _ => None,
        };
        self.problem(match number {
            Some(n) if size.is_some() => problem.hint(format!(
                "What is given to {of} stands in parentheses: `({} {symbol} {})`.",
                size.unwrap_or_default(),
                n.digits
            )),
            // More is computed with the number.
            Some(_) if op == Op::Sub && !is_infinite && matches!(right.kind, ExprKind::Infix(..)) => problem
                .hint(format!("What is given to {of} stands in parentheses, with the `-` and all that belongs to it: `(-a)`.")),
            _ if is_infinite => problem.hint(format!("What is given to {of} is written `(-1 / 0)`.")),
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

    /// Is it certainly a function, where it is a name or one that is applied to names and numbers?
    fn is_function(&mut self, e: &Expr) -> bool {
        let is_atom = |e: &Expr| matches!(e.kind, ExprKind::Name(_) | ExprKind::Number(_));
        let is_plain = match &e.kind {
            ExprKind::App(head, args) => is_atom(head) && args.iter().all(is_atom),
            _ => matches!(e.kind, ExprKind::Name(_)),
        };
        // The free names of a rule are its variables, in their order: none is read before its place.
        is_plain && !self.scope.open && self.type_in_passing(e).is_some_and(|ty| ty.as_fun().is_some())
    }

    /// Operators that group from the left.
    pub(super) fn operators<'e>(
        &mut self,
        span: Span,
        first: &Expr,
        rest: impl ExactSizeIterator<Item = (Op, &'e Expr)>,
    ) -> Tree {
        if !self.not_too_long(rest.len(), span) {
            return self.error_tree(span);
        }
        let before = self.problems.len();
        let mut rest = rest.peekable();
        // `2 * exp -x` and `1 + exp -x`: the sign behind a function, which stands behind an operator itself.
        if let Some((Op::Sub, right)) = rest.peek()
            && let ExprKind::Infix(_, inner) = &first.kind
            && let Some((_, last)) = inner.last()
            && self.is_function(last)
        {
            self.operator_as_argument(last, Op::Sub, right);
            return self.error_tree(span);
        }
        let mut left = self.expr(first, None);
        let mut next = first;
        while let Some((op, right)) = rest.next() {
            let last = match &right.kind {
                ExprKind::Infix(_, inner) => inner.last().map_or(right, |(_, last)| last),
                _ => right,
            };
            if let Some((Op::Sub, negated)) = rest.peek()
                && self.problems.len() == before
                && self.is_function(last)
            {
                self.operator_as_argument(last, Op::Sub, negated);
                return self.error_tree(span);
            }
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
            self.left_operands.insert(right.span, left.span);
            let right = self.expr(right, Some(Expected::new(operand.clone(), Why::Operand(op.symbol()))));
            self.relate(since);
            let own = [&left, &right].map(|t| (t.span, t.ty.clone()));
            self.operands.insert(span, own);
            if self.value_with_array(pattern, &left, &right, before, span) {
                return self.error_tree(span);
            }
            if self.array_beside(pattern, &left, &right, before) {
                return self.error_tree(span);
            }
            let partial = Type::fun(operand, result.clone());
            left = Tree::app(Tree::app(f, left, partial, span), right, result, span);
        }
        left
    }

    pub(super) fn array(&mut self, elements: &[Expr], span: Span) -> Tree {
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
    pub(super) fn tuple(&mut self, parts: &[Expr], span: Span) -> Tree {
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

    pub(super) fn not_too_long(&mut self, length: usize, span: Span) -> bool {
        if length <= MAX_CHAIN {
            return true;
        }
        self.problem(
            Diagnostic::error(codes::TOO_LARGE, format!("These are {length} parts, more than {MAX_CHAIN}."))
                .label(span, "too long"),
        );
        false
    }

    /// Is this an operator on numbers, as it is given to `reduce`?
    pub(super) fn is_operator(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Section(_) => true,
            ExprKind::Name(name) => {
                self.scope.value(name).is_none()
                    && self.patterns.find(name).is_some_and(Pattern::is_arithmetic)
            }
            _ => false,
        }
    }
}
