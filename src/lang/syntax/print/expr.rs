//! Expressions, sizes and types as documents. The levels are those of the parser, from loose to tight.

use super::super::ast::{
    Arg, Component, Expr, ExprKind, Ident, Number, Op, Param, ParamKind, Size, Type, TypeKind,
};
use super::{Doc, Printer};

// What a place accepts without parentheses: anything at least this tight.
const OPEN: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const PIPE: u8 = 3;
const COMPOSE: u8 = 4;
const COMPARISON: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const UNARY: u8 = 8;
const POWER: u8 = 9;
const APPLICATION: u8 = 10;
const ATOM: u8 = 11;

const FUNCTION: u8 = 0;
const ARRAY: u8 = 1;

fn op_level(op: Op) -> u8 {
    match op {
        op if op.is_comparison() => COMPARISON,
        Op::Add | Op::Sub => SUM,
        Op::Pow => POWER,
        _ => PRODUCT,
    }
}

fn level(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Lam(..) | ExprKind::NatLam(..) | ExprKind::Let { .. } => OPEN,
        ExprKind::Or(_) => OR,
        ExprKind::And(_) => AND,
        ExprKind::Pipe(..) => PIPE,
        ExprKind::Compose(..) => COMPOSE,
        ExprKind::Infix(_, rest) => rest.first().map_or(ATOM, |(op, _)| op_level(*op)),
        ExprKind::Neg(_) => UNARY,
        ExprKind::App(..) => APPLICATION,
        _ => ATOM,
    }
}

impl Printer {
    /// The expression, in parentheses where it is looser than `least`.
    pub fn expr(&self, e: &Expr, least: u8) -> Doc {
        let doc = self.expr_bare(e);
        self.parens(level(e) < least, doc)
    }

    fn expr_bare(&self, e: &Expr) -> Doc {
        match &e.kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Number(number) => self.number(number),
            ExprKind::App(head, args) => self.application(head, args),
            ExprKind::Lam(params, body) => self.lambda(self.spell("\\", "λ"), params, body),
            ExprKind::NatLam(params, body) => self.lambda(self.spell("/\\", "Λ"), params, body),
            ExprKind::Pipe(head, rest) => self.chain(head, rest, self.spell("|> ", "▷ "), COMPOSE),
            ExprKind::Compose(head, rest) => self.chain(head, rest, ">> ", COMPARISON),
            ExprKind::Infix(head, rest) => self.infix(head, rest),
            // `--` would be a comment.
            ExprKind::Neg(inner) if matches!(inner.kind, ExprKind::Neg(_)) => {
                Doc::concat(["-".into(), self.parens(true, self.expr_bare(inner))])
            }
            ExprKind::Neg(inner) => Doc::concat(["-".into(), self.expr(inner, UNARY)]),
            ExprKind::Section(op) => Doc::concat(["(".into(), self.operator(*op).into(), ")".into()]),
            ExprKind::Array(all) => {
                self.bracketed("[", all.iter().map(|e| self.expr(e, OPEN)).collect(), "]")
            }
            ExprKind::Tuple(all) => {
                self.bracketed("(", all.iter().map(|e| self.expr(e, OPEN)).collect(), ")")
            }
            ExprKind::Let { .. } => {
                let (mut at, mut bindings) = (e, vec![]);
                while let ExprKind::Let { param, value, body } = &at.kind {
                    bindings
                        .push((self.param(param), self.parens(ends_in_let(value), self.expr(value, OPEN))));
                    at = body;
                }
                self.lets(bindings, self.expr(at, OPEN))
            }
            ExprKind::Ascribe(inner, ty) => {
                let inner = self.expr(inner, OR);
                Doc::concat(["(".into(), inner, " : ".into(), self.ty(ty, FUNCTION).align(), ")".into()])
            }
            // `idx[n]` would be a type.
            ExprKind::Subst { body, value, var } => Doc::concat([
                self.parens(body.kind == ExprKind::Name("idx".into()), self.argument(body)),
                "[".into(),
                self.expr(value, PRODUCT),
                "/".into(),
                self.name(&var.kind),
                "]".into(),
            ]),
            ExprKind::Hole(name) => self.hole(name.as_deref()),
            ExprKind::Call(head, args) => Doc::concat([self.name(&head.kind), self.args(args)]),
            ExprKind::Or(all) => self.words(all, self.spell("or ", "∨ "), AND),
            ExprKind::And(all) => self.words(all, self.spell("and ", "∧ "), PIPE),
            ExprKind::Error => "<error>".into(),
        }
    }

    pub(super) fn hole(&self, name: Option<&str>) -> Doc {
        Doc::text(format!("?{}", name.unwrap_or("")))
    }

    pub(super) fn number(&self, number: &Number) -> Doc {
        Doc::text(format!("{}{}", number.digits, number.suffix.as_deref().unwrap_or("")))
    }

    pub(super) fn operator(&self, op: Op) -> &'static str {
        match op {
            Op::Le => self.spell("<=", "≤"),
            Op::Ge => self.spell(">=", "≥"),
            Op::Ne => self.spell("!=", "≠"),
            Op::And => self.spell("and", "∧"),
            Op::Or => self.spell("or", "∨"),
            Op::Mul => self.spell("*", "×"),
            _ => op.symbol(),
        }
    }

    /// Arguments in parentheses. Calls among them stand below the others, one a line, as sketches are drawn.
    pub(super) fn args(&self, args: &[Arg]) -> Doc {
        self.args_open(args).group()
    }

    /// The arguments, broken into lines where the call around them is.
    fn args_open(&self, args: &[Arg]) -> Doc {
        let first_call = args.iter().position(|arg| as_call(arg).is_some()).filter(|i| *i > 0);
        let Some((plain, calls)) = first_call.and_then(|i| args.split_at_checked(i)) else {
            return self.bracketed("(", args.iter().map(|arg| self.arg(arg)).collect(), ")");
        };
        let plain = Doc::join(plain.iter().map(|arg| self.arg(arg)), || ", ".into());
        let calls = calls.iter().map(|arg| match as_call(arg) {
            Some((head, args)) => Doc::concat([Doc::line(), self.name(&head.kind), self.args_open(args)]),
            None => Doc::concat([Doc::line(), self.arg(arg)]),
        });
        let calls = Doc::join(calls, || ",".into()).nest(2);
        Doc::concat(["(".into(), plain, ",".into(), calls, ")".into()])
    }

    fn arg(&self, arg: &Arg) -> Doc {
        match arg {
            Arg::Expr(e) => self.expr(e, OPEN),
            Arg::Type(t) => self.ty(t, FUNCTION),
        }
    }

    /// `f a b`: the last argument, if it is a function, opens on the line of the first ones.
    fn application(&self, head: &Expr, args: &[Expr]) -> Doc {
        let mut parts = vec![self.expr(head, ATOM)];
        let (last, init) = match args.split_last() {
            Some((last, init)) if matches!(last.kind, ExprKind::Lam(..) | ExprKind::NatLam(..)) => {
                (Some(last), init)
            }
            _ => (None, args),
        };
        let init = init.iter().map(|arg| Doc::concat([Doc::line(), self.argument(arg)]));
        parts.push(Doc::concat(init).nest(2));
        let front = Doc::concat(parts).group();
        match last.map(|last| &last.kind) {
            Some(ExprKind::Lam(params, body)) => Doc::concat([
                front,
                " (".into(),
                self.lambda(self.spell("\\", "λ"), params, body),
                ")".into(),
            ]),
            Some(ExprKind::NatLam(params, body)) => Doc::concat([
                front,
                " (".into(),
                self.lambda(self.spell("/\\", "Λ"), params, body),
                ")".into(),
            ]),
            _ => front,
        }
    }

    /// An argument of an application.
    pub(super) fn argument(&self, arg: &Expr) -> Doc {
        // Between operands `div` is an operator.
        let is_div = matches!(&arg.kind, ExprKind::Name(name) if &**name == "div");
        self.parens(is_div, self.expr(arg, ATOM))
    }

    fn lambda(&self, sign: &'static str, params: &[Param], body: &Expr) -> Doc {
        let params = Doc::join(params.iter().map(|p| self.param(p)), || " ".into());
        let body = Doc::concat([Doc::line(), self.expr(body, OPEN)]).nest(2);
        Doc::concat([sign.into(), params, ".".into(), body]).group()
    }

    /// `head |> stage |> stage`, a stage a line where they do not fit.
    fn chain(&self, head: &Expr, rest: &[Expr], sign: &'static str, least: u8) -> Doc {
        let mut parts = vec![self.expr(head, least)];
        for stage in rest {
            parts.extend([Doc::line(), sign.into(), self.expr(stage, least)]);
        }
        Doc::concat(parts).align().group()
    }

    fn words(&self, all: &[Expr], word: &'static str, least: u8) -> Doc {
        match all.split_first() {
            Some((head, rest)) => self.chain(head, rest, word, least),
            None => Doc::nil(),
        }
    }

    fn infix(&self, head: &Expr, rest: &[(Op, Expr)]) -> Doc {
        let Some((first, _)) = rest.first() else { return self.expr_bare(head) };
        let level = op_level(*first);
        if level == POWER {
            let base = self.expr(head, APPLICATION);
            let exponents = rest.iter().map(|(_, e)| Doc::concat(["^".into(), self.expr(e, UNARY)]));
            return Doc::concat(std::iter::once(base).chain(exponents));
        }
        let tight = is_tight(&head.kind, rest.iter().map(|(op, e)| (*op, &e.kind)));
        let mut parts = vec![self.expr(head, level + 1)];
        for (op, operand) in rest {
            let operand = self.expr(operand, level + 1);
            let op = self.operator(*op).into();
            parts.push(if tight {
                Doc::concat([op, operand])
            } else {
                Doc::concat([Doc::line(), op, " ".into(), operand])
            });
        }
        Doc::concat(parts).align().group()
    }

    /// `let x = value in body` on one line, or the body on the next, where the `let` starts. Several bindings never share
    /// a line.
    pub(super) fn lets(&self, bindings: Vec<(Doc, Doc)>, body: Doc) -> Doc {
        let mut parts = vec![];
        let last = bindings.len().saturating_sub(1);
        for (i, (name, value)) in bindings.into_iter().enumerate() {
            let value = Doc::concat([Doc::line(), value]).nest(4).group();
            let between = if i < last { Doc::HardLine } else { Doc::either(Doc::HardLine, " in ".into()) };
            parts.extend(["let ".into(), name, " =".into(), value, between]);
        }
        parts.push(body);
        Doc::concat(parts).align().group()
    }

    pub(super) fn param(&self, param: &Param) -> Doc {
        let (open, close) =
            if matches!(param.kind, ParamKind::Implicit(..)) { ("{", "}") } else { ("(", ")") };
        let kind: Doc = match &param.kind {
            ParamKind::Bare(name) => return self.name(&name.kind),
            ParamKind::Pair(components) => return self.components(components),
            ParamKind::Typed(_, ty) => self.ty(ty, FUNCTION),
            ParamKind::Kinded(_, kind) | ParamKind::Implicit(_, kind) => kind.word().into(),
        };
        Doc::concat([open.into(), self.names(param.kind.names()), ": ".into(), kind, close.into()])
    }

    fn components(&self, all: &[Component]) -> Doc {
        let all = all.iter().map(|c| match c {
            Component::Name(name) => self.name(&name.kind),
            Component::Pair(inner) => self.components(inner),
        });
        Doc::concat(["(".into(), Doc::join(all, || ", ".into()), ")".into()])
    }

    /// A parameter in a list: `n: nat`.
    pub(super) fn listed_param(&self, param: &Param) -> Doc {
        match &param.kind {
            ParamKind::Bare(name) => self.name(&name.kind),
            ParamKind::Pair(components) => self.components(components),
            ParamKind::Typed(names, ty) => {
                Doc::concat([self.names(names), ": ".into(), self.ty(ty, FUNCTION)])
            }
            ParamKind::Kinded(names, kind) | ParamKind::Implicit(names, kind) => {
                Doc::concat([self.names(names), ": ".into(), kind.word().into()])
            }
        }
    }

    fn names<'n>(&self, names: impl IntoIterator<Item = &'n Ident>) -> Doc {
        Doc::join(names.into_iter().map(|n| self.name(&n.kind)), || " ".into())
    }

    // --- types ---

    pub fn ty(&self, t: &Type, least: u8) -> Doc {
        let loose = matches!(t.kind, TypeKind::Fun(..) | TypeKind::Forall { .. });
        let doc = self.ty_bare(t);
        self.parens(loose && least > FUNCTION, doc)
    }

    fn ty_bare(&self, t: &Type) -> Doc {
        let arrow = self.spell("-> ", "→ ");
        match &t.kind {
            TypeKind::Name(name) => self.name(name),
            TypeKind::Array(size, element) => {
                Doc::concat([self.size(size, ATOM), ".".into(), self.ty(element, ARRAY)])
            }
            TypeKind::Vector(size, element) => {
                Doc::concat(["<".into(), self.size(size, SUM), ">".into(), self.ty(element, ARRAY)])
            }
            TypeKind::Index(size) => Doc::concat(["idx[".into(), self.size(size, SUM), "]".into()]),
            TypeKind::Pair(a, b) => {
                let sign = self.spell(" * ", " × ");
                Doc::concat(["(".into(), self.ty(a, ARRAY), sign.into(), self.ty(b, ARRAY), ")".into()])
            }
            TypeKind::Fun(a, b) => {
                Doc::concat([self.ty(a, ARRAY), Doc::line(), arrow.into(), self.ty(b, FUNCTION)]).group()
            }
            TypeKind::Forall { implicit, names, kind, default, body } => {
                let (open, close) = if *implicit { ("{", "} ") } else { ("(", ") ") };
                let mut parts = vec![open.into(), self.names(names), ": ".into(), kind.word().into()];
                if let Some(default) = default {
                    parts.extend([" = ".into(), self.size(default, SUM)]);
                }
                parts.push(close.into());
                if !implicit {
                    parts.push(arrow.into());
                }
                parts.push(self.ty(body, FUNCTION));
                Doc::concat(parts)
            }
            TypeKind::Hole(name) => self.hole(name.as_deref()),
            TypeKind::Error => "<error>".into(),
        }
    }

    /// A size, with its products written without spaces: `(sp*n + sz - sp)`.
    pub fn size(&self, e: &Size, least: u8) -> Doc {
        let ExprKind::Infix(head, rest) = &e.kind else { return self.expr(e, least) };
        let level = level(e);
        let (left, right) = if level == POWER { (ATOM, UNARY) } else { (level + 1, level + 1) };
        let mut parts = vec![self.size(head, left)];
        for (op, operand) in rest {
            parts.push(match op {
                Op::Mul | Op::Div | Op::Pow => self.operator(*op).into(),
                _ => Doc::text(format!(" {} ", self.operator(*op))),
            });
            parts.push(self.size(operand, right));
        }
        self.parens(level < least, Doc::concat(parts))
    }
}

fn as_call(arg: &Arg) -> Option<(&Ident, &[Arg])> {
    match arg {
        Arg::Expr(Expr { kind: ExprKind::Call(head, args), .. }) => Some((head, args)),
        _ => None,
    }
}

/// What is a size by its looks is written without spaces: products of names and holes with a whole number or a hole
/// among them, which are divided by numbers alone: `m/32`, `?*?`.
pub(super) fn is_tight<'a>(head: &ExprKind, rest: impl Iterator<Item = (Op, &'a ExprKind)>) -> bool {
    let is_number = |e: &ExprKind| matches!(e, ExprKind::Number(n) if n.as_int().is_some());
    let is_hole = |e: &ExprKind| matches!(e, ExprKind::Hole(_));
    let is_name = |e: &ExprKind| matches!(e, ExprKind::Name(_));
    let (mut plain, mut open) = (false, false);
    let mut note = |e: &ExprKind| {
        plain |= is_number(e) || is_hole(e);
        open |= is_name(e) || is_hole(e);
        is_number(e) || is_hole(e) || is_name(e)
    };
    if !note(head) {
        return false;
    }
    for (op, operand) in rest {
        let may_stand = match op {
            Op::Mul => true,
            Op::Div => !is_name(operand),
            _ => false,
        };
        if !may_stand || !note(operand) {
            return false;
        }
    }
    plain && open
}

/// Whether the text ends within a `let`, which would take what follows for its own.
fn ends_in_let(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Let { .. } => true,
        ExprKind::Lam(_, body) | ExprKind::NatLam(_, body) => ends_in_let(body),
        _ => false,
    }
}
