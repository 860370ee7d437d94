//! Expressions of programs, sides of rules, and sketches.
//!
//! From loose to tight: `or` · `and` · `|>` · `>>` · comparisons · (shifts of other languages) · `+ -` · `* / % div` ·
//! unary `-` · `^` · application. `\`, `/\` and `let` reach as far right as they can and may be a last operand or argument.
//!
//! `let NAME = …` is the surface `let`; before anything else `let` is the name of the pattern. A `let` whose value ends
//! with `in` takes no notice of lines. Without `in`, its value ends at the first line that is not indented more than
//! the word `let` itself; brackets within the value suspend this.

use super::super::ast::{
    Arg, Component, Expr, ExprKind, Language, Node, Number, Op, Param, ParamKind, Sketch,
};
use super::super::codes;
use super::super::lexer::Tok;
use super::{Parser, foreign, name};
use crate::diag::{Diagnostic, Span, nearest};
use crate::ty::Scalar;

/// Operators between expressions, and how tightly they bind.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Joint {
    Or,
    And,
    Pipe,
    Compose,
    /// `<<` of other languages, which shifts what was added up before.
    Shift,
    Infix(Op),
}

impl Joint {
    fn tightness(self) -> u8 {
        match self {
            Joint::Or => 1,
            Joint::And => 2,
            Joint::Pipe => 3,
            Joint::Compose => 4,
            Joint::Infix(op) if op.is_comparison() => COMPARISON,
            Joint::Shift => 6,
            Joint::Infix(Op::Add | Op::Sub) => 7,
            Joint::Infix(_) => 8,
        }
    }
}

const COMPARISON: u8 = 5;

/// The parts of a `let`.
pub(super) struct LetIn<T> {
    pub param: Param,
    pub value: Box<Node<T>>,
    pub body: Box<Node<T>>,
}

impl Parser<'_> {
    /// An expression, reaching as far as it can.
    pub(super) fn expr(&mut self) -> Expr {
        let outside = std::mem::replace(&mut self.began, self.at);
        let expr = self.expr_above(0);
        self.finished = std::mem::replace(&mut self.began, outside);
        expr
    }

    /// A sketch, with the type it may be followed by.
    pub(super) fn sketch(&mut self) -> Sketch {
        let outside = std::mem::replace(&mut self.in_sketch, true);
        let sketch = self.ascribed();
        self.in_sketch = outside;
        sketch
    }

    /// `e` or `e : t`.
    fn ascribed(&mut self) -> Expr {
        let start = self.here();
        let inner = self.expr();
        if matches!(self.peek(), Tok::Colon | Tok::Cons) {
            if self.peek() == Tok::Cons {
                self.unexpected("`:`");
            }
            self.bump();
            let ty = self.ty();
            return Node::new(self.since(start), ExprKind::Ascribe(Box::new(inner), Box::new(ty)));
        }
        inner
    }

    pub(super) fn comparison(&mut self) -> Expr {
        self.expr_above(COMPARISON)
    }

    pub(super) fn expr_above(&mut self, least: u8) -> Expr {
        self.deeper(ExprKind::Error, |p| {
            let (start, from) = (p.here(), p.at);
            let mut left = p.unary();
            // The tightness of the chain that `left` is, if this loop made it, and where its last operand starts.
            let (mut chain, mut last) = (None, from);
            while let Some(joint) = p.joint()
                && joint.tightness() >= least
            {
                let (tightness, sign) = (joint.tightness(), p.at);
                let chained = chain == Some(COMPARISON) && tightness == COMPARISON;
                let foreign = p.peek() == Tok::Foreign || matches!(p.peek(), Tok::At | Tok::Bar);
                p.bump();
                // An operator of other languages at an end has one operand.
                let ends = foreign && p.peek() == Tok::End;
                let right =
                    if ends { Node::new(p.here(), ExprKind::Error) } else { p.expr_above(tightness + 1) };
                if chained {
                    p.comparison_chain(from, last, sign);
                }
                if foreign {
                    let from = if foreign::signs::is_tightest(p.spelling(sign)) { last } else { from };
                    p.foreign_operator(from, sign, p.at, [is_truth(&left), is_truth(&right)]);
                }
                left = p.join(start, left, joint, right, chain == Some(tightness));
                (chain, last) = (Some(tightness), sign + 1);
            }
            if least == 0 && p.at_foreign_chain() {
                return p.foreign_chain(from, start);
            }
            left
        })
    }

    /// A part of what other languages compose or apply.
    pub(super) fn chain_part(&mut self) {
        self.expr_above(1);
    }

    fn joint(&self) -> Option<Joint> {
        Some(match self.peek() {
            Tok::PipeTo => Joint::Pipe,
            Tok::Compose => Joint::Compose,
            Tok::Or => Joint::Or,
            Tok::And => Joint::And,
            Tok::Foreign => foreign::signs::operator(self.spelling(self.at))?,
            Tok::At if self.at_function_handle() => return None,
            Tok::At if self.language == Language::Program && !self.in_sketch => Joint::Infix(Op::Mul),
            Tok::Bar if self.language == Language::Program && !self.in_sketch => Joint::Or,
            Tok::Word => match self.word() {
                Some("div") => Joint::Infix(Op::FloorDiv),
                Some("or") => Joint::Or,
                Some("and") => Joint::And,
                _ => return None,
            },
            tok => Joint::Infix(infix_operator(tok)?),
        })
    }

    fn join(&self, start: Span, left: Expr, joint: Joint, right: Expr, continues: bool) -> Expr {
        let kind = match (joint, left.kind) {
            (Joint::Pipe, ExprKind::Pipe(head, mut rest)) if continues => {
                rest.push(right);
                ExprKind::Pipe(head, rest)
            }
            (Joint::Compose, ExprKind::Compose(head, mut rest)) if continues => {
                rest.push(right);
                ExprKind::Compose(head, rest)
            }
            (Joint::Or, ExprKind::Or(mut all)) if continues => {
                all.push(right);
                ExprKind::Or(all)
            }
            (Joint::And, ExprKind::And(mut all)) if continues => {
                all.push(right);
                ExprKind::And(all)
            }
            (Joint::Infix(op), ExprKind::Infix(head, mut rest)) if continues => {
                rest.push((op, right));
                ExprKind::Infix(head, rest)
            }
            (joint, kind) => {
                let left = Node::new(left.span, kind);
                match joint {
                    Joint::Pipe => ExprKind::Pipe(Box::new(left), vec![right]),
                    Joint::Compose => ExprKind::Compose(Box::new(left), vec![right]),
                    Joint::Shift => ExprKind::Infix(Box::new(left), vec![(Op::Mul, right)]),
                    Joint::Or => ExprKind::Or(vec![left, right]),
                    Joint::And => ExprKind::And(vec![left, right]),
                    Joint::Infix(op) => ExprKind::Infix(Box::new(left), vec![(op, right)]),
                }
            }
        };
        Node::new(self.since(start), kind)
    }

    fn unary(&mut self) -> Expr {
        let start = self.here();
        if self.eat(Tok::Minus) {
            let inner = self.deeper(ExprKind::Error, |p| p.unary());
            return Node::new(self.since(start), ExprKind::Neg(Box::new(inner)));
        }
        let from = self.at;
        if self.peek() == Tok::Foreign && matches!(self.spelling(from), "!" | "~") {
            self.bump();
            let inner = self.deeper(ExprKind::Error, |p| p.unary());
            self.foreign_prefix(from);
            return inner;
        }
        let base = self.application();
        if self.peek() == Tok::Foreign && self.spelling(self.at) == "**" {
            let sign = self.at;
            self.bump();
            let exponent = self.deeper(ExprKind::Error, |p| p.unary());
            self.foreign_operator(from, sign, self.at, [false, false]);
            let rest = vec![(Op::Mul, exponent)];
            return Node::new(self.since(start), ExprKind::Infix(Box::new(base), rest));
        }
        if self.eat(Tok::Caret) {
            let exponent = self.deeper(ExprKind::Error, |p| p.unary());
            let rest = vec![(Op::Pow, exponent)];
            return Node::new(self.since(start), ExprKind::Infix(Box::new(base), rest));
        }
        base
    }

    fn application(&mut self) -> Expr {
        let start = self.here();
        let head = self.operand();
        let mut args = Vec::new();
        while self.at_operand() {
            if matches!(self.peek(), Tok::Hole | Tok::Word)
                && let Some(choice) = self.foreign_choice(self.began)
            {
                return choice;
            }
            args.push(self.operand());
        }
        if args.is_empty() {
            return head;
        }
        // What is read of the library is kept as long as the program runs.
        args.shrink_to_fit();
        Node::new(self.since(start), ExprKind::App(Box::new(head), args))
    }

    /// Whether an argument comes next; `div` is an operator there.
    pub(super) fn at_operand(&self) -> bool {
        match self.peek() {
            Tok::Number | Tok::LParen | Tok::LBracket | Tok::Lambda | Tok::NatLambda | Tok::Hole => true,
            Tok::Word => self.nth_is_name(0) && !self.at_word("div") && !self.at_foreign_condition(),
            Tok::At => self.at_function_handle(),
            _ => false,
        }
    }

    /// An argument: an atom with the substitutions behind it, or a prefix form.
    fn operand(&mut self) -> Expr {
        let (start, from) = (self.here(), self.at);
        let mut atom = self.atom();
        if self.foreign_suffix(from) {
            return Node::new(self.since(start), ExprKind::Error);
        }
        while self.language == Language::Rules && self.peek() == Tok::LBracket && self.touches(0) {
            atom = self.substitution(start, atom);
        }
        atom
    }

    fn atom(&mut self) -> Expr {
        let start = self.here();
        if let Some(foreign) = self.foreign_form() {
            return foreign;
        }
        match self.peek() {
            Tok::Word if self.at_surface_let() || self.at_pair_let() => {
                let LetIn { param, value, body } = self.let_in(|p| p.expr());
                Node::new(self.since(start), ExprKind::Let { param, value, body })
            }
            Tok::Word
                if self.in_sketch && self.nth_is_name(0) && self.nth(1) == Tok::LParen && self.touches(1) =>
            {
                match self.ident("a name") {
                    Some(head) => {
                        let args = self.args();
                        Node::new(self.since(start), ExprKind::Call(head, args))
                    }
                    None => Node::new(start, ExprKind::Error),
                }
            }
            Tok::Word if self.nth_is_name(0) => {
                let word = self.spelling(self.at);
                Node::new(self.bump(), ExprKind::Name(name(word)))
            }
            Tok::Number => self.number(),
            Tok::Hole => {
                let hole = self.hole();
                Node::new(start, ExprKind::Hole(hole))
            }
            Tok::LParen => self.parenthesised(),
            Tok::LBracket => {
                let outside = self.enter();
                let elements = self.list("`,` or `]`", |p| Some(p.expr()));
                self.leave(outside, "`,` or `]`");
                Node::new(self.since(start), ExprKind::Array(elements))
            }
            Tok::Lambda | Tok::NatLambda => self.lambda(),
            _ => {
                self.unexpected(if self.in_sketch { "a sketch" } else { "an expression" });
                // An operator or the like without its left operand: the operand is missing, not the rest.
                if self.peek() == Tok::LBrace {
                    self.at = self.mate(self.at).map_or(self.at + 1, |close| close + 1);
                } else if self.joint().is_none() && !self.ends_operand() {
                    self.bump();
                }
                Node::new(start, ExprKind::Error)
            }
        }
    }

    /// Whether the next token belongs to what the expression stands in.
    fn ends_operand(&self) -> bool {
        matches!(
            self.peek(),
            Tok::Comma
                | Tok::Colon
                | Tok::Equals
                | Tok::Rewrites
                | Tok::RParen
                | Tok::RBracket
                | Tok::RBrace
                | Tok::Word
                | Tok::Semi
                | Tok::SemiSemi
                | Tok::LeftChoice
                | Tok::Bar
                | Tok::NotIn
        )
    }

    fn lambda(&mut self) -> Expr {
        let (start, from) = (self.here(), self.at);
        let of_sizes = self.peek() == Tok::NatLambda;
        self.bump();
        let (mut params, before) = (Vec::new(), self.problems.len());
        loop {
            if !of_sizes && self.at_pair() {
                params.push(self.pair());
            } else if self.peek() == Tok::LParen && !self.at_binder() && self.mate(self.at).is_some() {
                let here = self.here();
                self.report(|| {
                    Diagnostic::error(codes::UNEXPECTED, "This is no parameter of a function.")
                        .label(here, "expected a name, `(x: type)` or `(a, b)`")
                        .hint("Write `\\x. …` for one value, `\\x y. …` for two, `\\(a, b). …` for the components of a pair.")
                });
                params.push(Node::new(here, ParamKind::Bare(Node::new(here, name("_")))));
                self.at = self.mate(self.at).map_or(self.at + 1, |close| close + 1);
            } else if self.peek() == Tok::LParen {
                params.push(self.param_in_parens());
            } else if self.peek() == Tok::Comma && self.nth_is_name(1) && self.names_until_dot() {
                let here = self.here();
                self.report(|| {
                    Diagnostic::error(
                        codes::UNEXPECTED,
                        "Parameters of a function have no commas between them.",
                    )
                    .label(here, "not here")
                    .hint("Write `\\x y. …` for two values, `\\(a, b). …` for the components of a pair.")
                });
                self.bump();
            } else if self.nth_is_name(0) {
                params.extend(self.ident("a parameter").map(|id| Node::new(id.span, ParamKind::Bare(id))));
            } else if !of_sizes && self.language == Language::Program && self.is_reserved_name(self.at) {
                return self.reserved_name();
            } else {
                break;
            }
        }
        if params.is_empty() {
            self.unexpected("a parameter");
        }
        self.body_mark(from, self.problems.len() > before);
        let body = Box::new(self.expr());
        let kind = if of_sizes { ExprKind::NatLam(params, body) } else { ExprKind::Lam(params, body) };
        Node::new(self.since(start), kind)
    }

    /// Whether names with commas between them come next, and then the body of a function.
    fn names_until_dot(&self) -> bool {
        let mut at = 0;
        while self.nth(at) == Tok::Comma && self.nth_is_name(at + 1) {
            at += 2;
        }
        at > 0 && self.nth(at) == Tok::Dot
    }

    /// Whether `(a, …` or `((…` comes next: a pair that is taken apart.
    fn at_pair(&self) -> bool {
        self.peek() == Tok::LParen
            && (self.nth(1) == Tok::LParen || self.nth(1) == Tok::Word && self.nth(2) == Tok::Comma)
    }

    /// `(a, (b, c))`
    fn pair(&mut self) -> Param {
        let start = self.here();
        let mut components = self.components();
        // After a mistake, what there is.
        let kind = match (components.len(), components.pop()) {
            (1, Some(Component::Name(name))) => ParamKind::Bare(name),
            (_, Some(last)) => {
                components.push(last);
                ParamKind::Pair(components)
            }
            (_, None) => ParamKind::Bare(Node::new(start, name("_"))),
        };
        Node::new(self.since(start), kind)
    }

    fn components(&mut self) -> Vec<Component> {
        let outside = self.enter();
        let before = self.problems.len();
        let components = self.list("`,` or `)`", |p| {
            if p.peek() == Tok::LParen {
                let mut inner = None;
                p.deeper(ExprKind::Error, |p| {
                    inner = Some(p.components());
                    Node::new(p.here(), ExprKind::Error)
                });
                return inner.map(Component::Pair);
            }
            if p.nth_is_name(0) && matches!(p.nth(1), Tok::Comma | Tok::End) {
                return p.ident("a name").map(Component::Name);
            }
            p.no_component();
            p.skip_to(&[Tok::Comma]);
            None
        });
        if components.len() < 2 && self.problems.len() == before {
            self.no_component();
        }
        self.leave(outside, "`,` or `)`");
        components
    }

    fn no_component(&mut self) {
        let here = self.here();
        self.report(|| {
            Diagnostic::error(codes::UNEXPECTED, "A pair is taken apart by a name for each component.")
                .label(here, "no name")
                .hint("Write `(a, b)`, or `(a, (b, c))` where a component is a pair; `_` is a name too.")
        });
    }

    pub(super) fn param_in_parens(&mut self) -> Param {
        let start = self.here();
        let outside = self.enter();
        let mut param = self.binder(start, false);
        self.leave(outside, "`)`");
        param.span = self.since(start);
        param
    }

    fn parenthesised(&mut self) -> Expr {
        let start = self.here();
        if let Some(op) = self.section() {
            let outside = self.enter();
            self.bump();
            self.leave(outside, "`)`");
            return Node::new(self.since(start), ExprKind::Section(op));
        }
        let outside = self.enter();
        let first = self.ascribed();
        if self.peek() == Tok::Comma {
            let mut all = vec![first];
            while self.eat(Tok::Comma) {
                all.push(self.expr());
                if self.peek() != Tok::Comma && self.peek() != Tok::End {
                    self.unexpected("`,` or `)`");
                    self.skip_to(&[Tok::Comma]);
                }
            }
            self.leave(outside, "`,` or `)`");
            return Node::new(self.since(start), ExprKind::Tuple(all));
        }
        self.leave(outside, "`)`");
        match first.kind {
            ExprKind::Ascribe(..) => Node::new(self.since(start), first.kind),
            _ => first,
        }
    }

    /// The operator of `(op)` at the next token.
    fn section(&self) -> Option<Op> {
        if self.mate(self.at) != Some(self.at + 2) {
            return None;
        }
        match self.nth(1) {
            Tok::Caret => Some(Op::Pow),
            Tok::And => Some(Op::And),
            Tok::Or => Some(Op::Or),
            Tok::Word => match self.nth_word(1) {
                Some("and") => Some(Op::And),
                Some("or") => Some(Op::Or),
                _ => None,
            },
            tok => infix_operator(tok),
        }
    }

    /// Whether `let NAME =` comes next.
    pub(super) fn at_surface_let(&self) -> bool {
        self.at_word("let") && self.nth_is_name(1) && self.nth(2) == Tok::Equals
    }

    /// Whether `let (a, b) =` comes next.
    fn at_pair_let(&self) -> bool {
        self.at_word("let")
            && self.nth(1) == Tok::LParen
            && self.mate(self.at + 1).is_some_and(|close| self.nth(close + 1 - self.at) == Tok::Equals)
    }

    /// `let NAME = value in body`, or with the body on the next line.
    pub(super) fn let_in<T>(&mut self, read: fn(&mut Self) -> Node<T>) -> LetIn<T> {
        let start = self.here();
        let (word, by_in) = (self.tokens[self.at], self.mate(self.at));
        self.bump();
        let shown = self.at;
        let param = if self.peek() == Tok::LParen {
            self.pair()
        } else {
            let spelling = self.spelling(self.at);
            let ident = Node::new(self.bump(), name(spelling));
            Node::new(ident.span, ParamKind::Bare(ident))
        };
        self.bump();
        let outside = (self.limit, self.offside);
        match by_in {
            Some(at) => (self.limit, self.offside) = (at, None),
            None => self.offside = Some(self.offside.map_or(word.column, |c| c.max(word.column))),
        }
        let from = self.at;
        let value = Box::new(read(self));
        self.foreign_let_end(shown, from);
        if by_in.is_some() {
            self.expect_end("`in`");
        }
        (self.limit, self.offside) = outside;
        if by_in.is_some() {
            self.bump();
        }
        if self.peek() == Tok::End {
            let end = self.here();
            let shown = if let ParamKind::Bare(_) = param.kind { self.spelling(shown) } else { "(…)" };
            self.report(|| {
                let message = format!("`let {shown}` is not followed by an expression that uses it.");
                Diagnostic::error(codes::LET_BODY, message)
                    .label(start, "this `let`")
                    .label(end, "nothing follows here")
                    .hint("Write `let x = v in e`, or put `e` on a line of its own, not indented more than `let`.")
            });
        }
        let body = Box::new(read(self));
        LetIn { param, value, body }
    }

    /// `b[e/x]`.
    fn substitution(&mut self, start: Span, body: Expr) -> Expr {
        let outside = self.enter();
        let inner = self.expr();
        if self.peek() != Tok::End {
            // Said below, better.
            self.reported_at = Some(self.at);
        }
        let whole = self.peek() == Tok::End;
        self.leave(outside, "`]`");
        let span = self.since(start);
        if inner.kind == ExprKind::Error {
            return Node::new(span, ExprKind::Error);
        }
        if whole
            && let ExprKind::Infix(first, mut rest) = inner.kind
            && let Some((Op::Div, Node { span: at, kind: ExprKind::Name(var) })) = rest.pop()
        {
            let value = if rest.is_empty() {
                first
            } else {
                Box::new(Node::new(inner.span, ExprKind::Infix(first, rest)))
            };
            let var = Node::new(at, var);
            return Node::new(span, ExprKind::Subst { body: Box::new(body), value, var });
        }
        self.problems.push(
            Diagnostic::error(codes::SUBSTITUTION, "This is not a substitution.")
                .label(inner.span, "expected `e/x`")
                .note("In rules, a bracket that touches what stands before it substitutes: `b[e/x]` is `b` with `e` for `x`.")
                .hint("Put looser operators into parentheses, `b[(a + c)/x]`; put a space before an array."),
        );
        Node::new(span, ExprKind::Error)
    }

    /// Arguments in parentheses, separated by commas: expressions, or types by their look.
    pub(super) fn args(&mut self) -> Vec<Arg> {
        let outside = self.enter();
        let args = self.list("`,` or `)`", |p| {
            Some(if p.at_type_argument() {
                Arg::Type(p.ty())
            } else if p.in_sketch {
                Arg::Expr(p.ascribed())
            } else {
                Arg::Expr(p.expr())
            })
        });
        self.leave(outside, "`,` or `)`");
        args
    }

    /// Whether the next argument is a type: a size and a dot, a vector, an arrow after its first part, a scalar type.
    fn at_type_argument(&self) -> bool {
        let word = self.word();
        if self.peek() == Tok::Less
            || (word == Some("idx") && self.nth(1) == Tok::LBracket && self.touches(1))
            || word.is_some_and(|w| w == "natType" || Scalar::from_name(w).is_some())
        {
            return true;
        }
        let mut n = 0;
        loop {
            let part = n;
            n = match self.nth(n) {
                Tok::Number | Tok::Hole => n + 1,
                Tok::Word if self.nth_is_name(n) => n + 1,
                Tok::LParen => match self.mate(self.at + n) {
                    Some(close) => close + 1 - self.at,
                    None => return false,
                },
                _ => return false,
            };
            match self.nth(n) {
                Tok::Arrow => return true,
                Tok::Dot => {
                    let decimal = self.nth(part) == Tok::Number
                        && self.nth(n + 1) == Tok::Number
                        && self.touches(n)
                        && self.touches(n + 1);
                    if !decimal {
                        return true;
                    }
                    n += 2;
                    return self.nth(n) == Tok::Dot;
                }
                Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::Percent | Tok::Caret => n += 1,
                Tok::Word if self.nth_word(n) == Some("div") => n += 1,
                _ => return false,
            }
        }
    }

    // --- numbers ---

    /// A number without a decimal point, for sizes.
    pub(super) fn whole_number(&mut self) -> Expr {
        let spelling = self.spelling(self.at);
        let span = self.bump();
        let number = split_number(spelling);
        if number.suffix.is_some() || number.is_float() {
            let is_whole = !number.digits.contains(['.', 'e', 'E']);
            let hint =
                number.suffix.as_ref().filter(|_| is_whole).map(|suffix| match Scalar::from_name(suffix) {
                    Some(_) if self.peek() == Tok::Dot => format!("Write `{}`.", number.digits),
                    Some(_) => {
                        format!("An array of {0} elements has the type `{0}.{suffix}`.", number.digits)
                    }
                    None => format!("A product is written `{}*{suffix}`.", number.digits),
                });
            self.number_problem(span, "A size is a whole number without a type.", hint);
        }
        let digits: String = number.digits.chars().take_while(char::is_ascii_digit).collect();
        Node::new(span, ExprKind::Number(Number { digits: digits.as_str().into(), suffix: None }))
    }

    fn number(&mut self) -> Expr {
        let (span, number) = self.number_token();
        if let Some(suffix) = &number.suffix {
            let numeric = Scalar::from_name(suffix).filter(|s| s.is_float() || s.is_integer());
            match numeric {
                Some(s) if number.is_float() && !s.is_float() => {
                    self.number_problem(
                        span,
                        &format!("A number of type `{suffix}` has no decimal point and no exponent."),
                        None,
                    );
                }
                Some(_) => {}
                None => {
                    let scalars = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"];
                    self.number_problem(
                        span,
                        &format!("`{suffix}` is no type of numbers."),
                        Some(match nearest(suffix, scalars) {
                            Some(near) => format!("Did you mean `{near}`?"),
                            None if matches!(&**suffix, "f" | "F" | "d" | "u" | "U" | "L" | "l") => {
                                let meant = match &**suffix {
                                    "f" | "F" => "f32",
                                    "d" => "f64",
                                    "u" | "U" => "u32",
                                    _ => "i64",
                                };
                                format!("Write `{}{meant}`.", number.digits)
                            }
                            None if other_base(&number.digits, suffix).is_some() => format!(
                                "Numbers are decimal: write `{}`.",
                                other_base(&number.digits, suffix).unwrap_or_default()
                            ),
                            None if suffix.eq_ignore_ascii_case("e") => {
                                "An exponent has digits: `1e3`.".to_string()
                            }
                            None => format!(
                                "The types of numbers are {}; a product is written `{}*{suffix}`.",
                                super::one_of(&scalars),
                                number.digits
                            ),
                        }),
                    );
                    return Node::new(span, ExprKind::Number(Number { suffix: None, ..number }));
                }
            }
        }
        Node::new(span, ExprKind::Number(number))
    }

    /// Reads a number token, and the decimal point and digits that touch it. The suffix may be any word.
    pub(super) fn number_token(&mut self) -> (Span, Number) {
        let first = self.spelling(self.at);
        let whole = first.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        let span = self.bump();
        if whole
            && self.peek() == Tok::Dot
            && self.touches(0)
            && self.nth(1) == Tok::Number
            && self.touches(1)
        {
            self.bump();
            let rest = split_number(self.spelling(self.at));
            self.bump();
            let digits = format!("{}.{}", first.replace('_', ""), rest.digits);
            return (self.since(span), Number { digits: digits.into(), ..rest });
        }
        (span, split_number(first))
    }

    fn number_problem(&mut self, span: Span, message: &str, hint: Option<String>) {
        let problem = Diagnostic::error(codes::NUMBER, message).label(span, "this number");
        self.problems.push(match hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        });
    }
}

pub(super) fn infix_operator(tok: Tok) -> Option<Op> {
    Some(match tok {
        Tok::Less => Op::Lt,
        Tok::Greater => Op::Gt,
        Tok::LessEq => Op::Le,
        Tok::GreaterEq => Op::Ge,
        Tok::EqEq => Op::Eq,
        Tok::NotEq => Op::Ne,
        Tok::Plus => Op::Add,
        Tok::Minus => Op::Sub,
        Tok::Star => Op::Mul,
        Tok::Slash => Op::Div,
        Tok::Percent => Op::Rem,
        _ => return None,
    })
}

/// The number that `0x…`, `0b…` or `0o…` is.
fn other_base(digits: &str, suffix: &str) -> Option<u64> {
    let (base, rest) = [('x', 16), ('b', 2), ('o', 8)]
        .into_iter()
        .find_map(|(c, base)| Some((base, suffix.strip_prefix([c, c.to_ascii_uppercase()])?)))
        .filter(|_| digits == "0")?;
    u64::from_str_radix(&rest.replace('_', ""), base).ok()
}

/// Is this certainly a truth value?
fn is_truth(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Infix(_, rest) => rest.last().is_some_and(|(op, _)| op.is_comparison()),
        ExprKind::And(_) | ExprKind::Or(_) => true,
        _ => false,
    }
}

/// Digits and exponent, and the letters behind them.
fn split_number(spelling: &str) -> Number {
    let bytes = spelling.as_bytes();
    let digits_from =
        |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    let mut end = digits_from(0);
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits_from(end + 1 + sign);
        }
    }
    let digits = spelling[..end].replace('_', "").replace('E', "e").replace("e+", "e");
    let suffix = &spelling[end..];
    Number { digits: digits.into(), suffix: (!suffix.is_empty()).then(|| suffix.into()) }
}

#[cfg(test)]
mod tests {
    use super::split_number;

    #[test]
    fn numbers_are_split_into_digits_and_suffix() {
        let split = |s: &str| {
            let n = split_number(s);
            (n.digits.to_string(), n.suffix.map(|s| s.to_string()))
        };
        assert_eq!(split("1_000"), ("1000".into(), None));
        assert_eq!(split("1E+3f32"), ("1e3".into(), Some("f32".into())));
        assert_eq!(split("1e-3"), ("1e-3".into(), None));
        assert_eq!(split("5e"), ("5".into(), Some("e".into())));
        assert_eq!(split("4GiB"), ("4".into(), Some("GiB".into())));
        assert_eq!(split("3_f32"), ("3".into(), Some("f32".into())));
    }
}
