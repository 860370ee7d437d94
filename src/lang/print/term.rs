//! Terms as documents.

use super::annotate::{self, Needed};
use super::names::{Scope, sizes_of, sizes_of_steps};
use super::{D, Mark, Options, Role};
use crate::build;
use crate::doc::Doc;
use crate::infer::scheme::{ExplicitKind, Scheme};
use crate::literal::Literal;
use crate::nat::{Name, Nat, NatFun, NatVar};
use crate::pattern::{AddressSpace, Level, Pattern};
use crate::preorder::At;
use crate::steps;
use crate::term::{Arg, Expr, Prim, Term};
use crate::ty::Type;

/// How tightly a text binds, from loose to tight; a looser part needs parentheses in a tighter place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tight {
    /// `\x. b` and `let`, which reach as far to the right as they can.
    Open,
    Or,
    And,
    Pipe,
    Compose,
    Comparison,
    Sum,
    Product,
    Sign,
    Application,
    Atom,
}

pub(super) struct Printer<'o> {
    options: &'o Options,
    scope: Scope,
    /// Nodes that may still be printed.
    budget: u32,
    needed: Needed,
}

/// Nested applications: the head, and for each argument the application and the argument, first argument first.
struct Spine<'t> {
    head: At<'t>,
    args: Vec<(At<'t>, At<'t>)>,
}

fn spine(at: At<'_>) -> Spine<'_> {
    let mut head = at;
    let mut args = vec![];
    while let Some((f, e)) = head.app() {
        args.push((head, e));
        head = f;
    }
    args.reverse();
    Spine { head, args }
}

fn mark(at: At, doc: D) -> D {
    doc.mark(Mark::Node(at.id))
}

fn token(role: Role, text: impl Into<std::borrow::Cow<'static, str>>) -> D {
    Doc::text(text).mark(Mark::Token(role))
}

fn punctuation(text: &'static str) -> D {
    token(Role::Punctuation, text)
}

fn space() -> D {
    Doc::text(" ")
}

/// The patterns that `|>` feeds: those whose last argument is an array, or is copied as a whole.
fn flows(pattern: Pattern) -> bool {
    use Pattern as P;
    match pattern {
        // Both arguments of these are alike, or the first says more.
        P::Zip | P::Concat | P::Idx | P::Iterate | P::Declared(_) => false,
        P::ToMem | P::OclRun => true,
        other => Scheme::of(other).ty.signature().0.last().is_some_and(|t| t.as_array().is_some()),
    }
}

fn operator_tightness(pattern: Pattern) -> Option<Tight> {
    Some(match pattern {
        Pattern::Or => Tight::Or,
        Pattern::And => Tight::And,
        p if p.is_comparison() => Tight::Comparison,
        Pattern::Add | Pattern::Sub => Tight::Sum,
        Pattern::Mul | Pattern::Div | Pattern::Mod => Tight::Product,
        _ => return None,
    })
}

impl<'o> Printer<'o> {
    /// `also` are names that no binder may have.
    pub fn new(term: &Term, free: &[Name], also: &[Name], options: &'o Options) -> Printer<'o> {
        let scope = Scope::new(term, free, also);
        Printer { options, scope, budget: options.nodes, needed: Needed::default() }
    }

    pub fn term(&mut self, t: &Term) -> D {
        self.part(At::root(t), Tight::Open).group()
    }

    /// `def name {sizes} (a: t) …: result = body`
    pub fn program(&mut self, name: &str, sizes: &[Name], t: &Term) -> D {
        if t.size() <= self.options.nodes {
            self.needed = annotate::needed(t);
        }
        let mut head = vec![token(Role::Keyword, "def"), space(), token(Role::Variable, name.to_owned())];
        let mut implied: Vec<Name> = vec![];
        t.ty().for_each_nat(&mut |n| {
            for v in n.vars() {
                if let NatVar::Named(n) = v
                    && !implied.contains(&n)
                {
                    implied.push(n);
                }
            }
        });
        let mut wanted = if sizes.is_empty() { implied.clone() } else { sizes.to_vec() };
        let bound = sizes_of_steps(t);
        wanted.extend(
            sizes_of(t).into_iter().filter(|n| !wanted.contains(n) && !bound.contains(n)).collect::<Vec<_>>(),
        );
        // One-letter sizes are parameters without being declared, in the order in which the types mention them.
        if implied != wanted || implied.iter().any(|n| n.len() != 1) {
            let names = wanted.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
            let kind = [punctuation(":"), space(), token(Role::Keyword, "nat"), punctuation("}")];
            head.extend([Doc::line(), punctuation("{"), token(Role::Size, names)]);
            head.extend(kind);
        }
        let mut at = At::root(t);
        let mut above = vec![];
        while let Some((hint, body)) = at.lam() {
            let Some((param, _)) = at.term.ty().as_fun() else { break };
            let name = self.scope.push(hint);
            head.extend([Doc::line(), punctuation("("), token(Role::Variable, name.to_string())]);
            head.extend([punctuation(":"), space(), self.ty(param), punctuation(")")]);
            above.push(at);
            at = body;
        }
        head.extend([punctuation(":"), space(), self.ty(at.term.ty()), space(), punctuation("=")]);
        let mut body = self.part(at, Tight::Open);
        for lam in above.iter().rev() {
            self.scope.pop();
            body = mark(*lam, body);
        }
        Doc::concat([Doc::concat(head).nest(4).group(), Doc::line().then(body).nest(2).group()])
    }

    fn ty(&self, t: &Type) -> D {
        let text = t.to_string();
        token(
            Role::Type,
            if self.options.unicode { text.replace("->", "→").replace(" * ", " × ") } else { text },
        )
    }

    /// A node in a place that asks for something at least as tight.
    fn part(&mut self, at: At, place: Tight) -> D {
        if self.budget == 0 {
            return token(Role::Punctuation, "…");
        }
        self.budget -= 1;
        let (mut doc, mut tight) = self.bare(at);
        if self.needed.values.contains(&at.id) {
            let (ty, inner) = (self.ty(at.term.ty()), doc);
            doc = Doc::concat([
                punctuation("("),
                inner,
                space(),
                punctuation(":"),
                space(),
                ty,
                punctuation(")"),
            ]);
            tight = Tight::Atom;
        }
        let doc = mark(at, doc);
        if tight < place { Doc::concat([punctuation("("), doc, punctuation(")")]) } else { doc }
    }

    fn bare(&mut self, at: At) -> (D, Tight) {
        match at.term.expr() {
            Expr::Var(i) => {
                let name = self.scope.get(*i).map_or_else(|| format!("%{i}"), Name::to_string);
                (token(Role::Variable, name), Tight::Atom)
            }
            Expr::Lit(l) => self.literal(l),
            Expr::Prim(p) => self.prim(p),
            Expr::Lam(..) => (self.lambda(at).group(), Tight::Open),
            Expr::App(f, _) if f.as_lam().is_some() => (self.let_in(at).align().group(), Tight::Open),
            Expr::App(..) => self.application(at),
        }
    }

    fn literal(&self, l: &Literal) -> (D, Tight) {
        match l {
            Literal::Nat(n) => (token(Role::Size, n.with_rounded_quotients().as_atom_text()), Tight::Atom),
            Literal::Index(i, n) => {
                let parts = [
                    token(Role::Pattern(Level::High), Pattern::NatAsIndex.name()),
                    space(),
                    token(Role::Size, n.as_atom_text()),
                    space(),
                    token(Role::Size, i.with_rounded_quotients().as_atom_text()),
                ];
                (Doc::concat(parts), Tight::Application)
            }
            _ => {
                let text = l.to_string();
                let tight = if text.starts_with('-') { Tight::Sign } else { Tight::Atom };
                (token(Role::Literal, text), tight)
            }
        }
    }

    fn prim(&self, p: &Prim) -> (D, Tight) {
        if let Some(op) = p.pattern.operator() {
            let parts = [punctuation("("), token(Role::Operator, self.symbol(op)), punctuation(")")];
            return (Doc::concat(parts), Tight::Atom);
        }
        let mut doc = vec![token(Role::Pattern(p.pattern.level()), p.pattern.name())];
        let explicit = &Scheme::of(p.pattern).explicit;
        for (i, arg) in p.args.iter().enumerate() {
            match arg {
                // Where an argument is what it is by default, it is left out.
                Arg::Nat(n) if is_left_out(explicit.get(i).map(|e| e.kind), n) => {}
                Arg::Nat(n) => doc.extend([space(), token(Role::Size, n.as_atom_text())]),
                Arg::Fun(f) => doc.extend([space(), self.nat_function(f)]),
                Arg::Addr(AddressSpace::Private) | Arg::Dim(0) => {}
                Arg::Addr(a) => doc.extend([space(), token(Role::Keyword, a.name())]),
                Arg::Dim(d) => doc.extend([space(), token(Role::Literal, d.to_string())]),
            }
        }
        let tight = if doc.len() == 1 { Tight::Atom } else { Tight::Application };
        (Doc::concat(doc), tight)
    }

    /// `(/\i. n - 1 - i)`
    fn nat_function(&self, f: &NatFun) -> D {
        let (name, body) = f.written();
        Doc::concat([
            punctuation(if self.options.unicode { "(Λ" } else { "(/\\" }),
            token(Role::Size, name.to_string()),
            punctuation("."),
            space(),
            token(Role::Size, body),
            punctuation(")"),
        ])
    }

    fn symbol(&self, ascii: &'static str) -> &'static str {
        match ascii {
            "*" if self.options.unicode => "×",
            "|>" if self.options.unicode => "▷",
            "\\" if self.options.unicode => "λ",
            "->" if self.options.unicode => "→",
            ">=" if self.options.unicode => "≥",
            "<=" if self.options.unicode => "≤",
            "!=" if self.options.unicode => "≠",
            "and" if self.options.unicode => "∧",
            "or" if self.options.unicode => "∨",
            other => other,
        }
    }

    /// `\x y. body`, to be grouped by the caller.
    fn lambda(&mut self, at: At) -> D {
        let mut doc = vec![punctuation(self.symbol("\\"))];
        let mut inner = at;
        let mut above = vec![];
        while let Some((hint, body)) = inner.lam() {
            let name = self.scope.push(hint);
            if !above.is_empty() {
                doc.push(space());
            }
            match inner.term.ty().as_fun() {
                Some((param, _)) if self.needed.params.contains(&inner.id) => doc.extend([
                    punctuation("("),
                    token(Role::Variable, name.to_string()),
                    punctuation(":"),
                    space(),
                    self.ty(param),
                    punctuation(")"),
                ]),
                _ => doc.push(token(Role::Variable, name.to_string())),
            }
            above.push(inner);
            inner = body;
        }
        doc.push(punctuation("."));
        let mut body = self.part(inner, Tight::Open);
        for lam in above.iter().skip(1).rev() {
            body = mark(*lam, body);
        }
        above.iter().for_each(|_| self.scope.pop());
        Doc::concat(doc).then(Doc::line().then(body).nest(2))
    }

    /// `let x = v in b`, or over lines; to be aligned and grouped by the caller.
    fn let_in(&mut self, at: At) -> D {
        let Some((f, value)) = at.app() else { return Doc::nil() };
        let Some((hint, body)) = f.lam() else { return Doc::nil() };
        // A `let` in a value would end it, so it takes parentheses.
        let value = self.part(value, Tight::Pipe);
        let name = self.scope.push(hint);
        let flat = Doc::concat([space(), token(Role::Keyword, "in"), space()]);
        let nested_let = matches!(body.term.expr(), Expr::App(f, _) if f.as_lam().is_some());
        let body = if nested_let && self.budget > 0 {
            // In one group with this one, so that both are on one line or neither is.
            self.budget -= 1;
            let inner = self.let_in(body);
            mark(body, inner)
        } else {
            self.part(body, Tight::Open)
        };
        self.scope.pop();
        Doc::concat([
            token(Role::Keyword, "let"),
            space(),
            mark(f, token(Role::Variable, name.to_string())),
            space(),
            punctuation("="),
            space(),
            value.nest(4).group(),
            Doc::either(Doc::line(), flat),
            mark(f, body),
        ])
    }

    fn application(&mut self, at: At) -> (D, Tight) {
        let spine = spine(at);
        if let Some(p) = spine.head.term.as_prim() {
            let arity = build::arity(p.pattern, &p.args);
            let full = arity == Some(spine.args.len());
            match (p.pattern, spine.args.as_slice()) {
                (op, [(partial, left), (_, right)])
                    if let Some(tight) = operator_tightness(op)
                        && !(tight > Tight::Comparison
                            && looks_like_size(left.term)
                            && looks_like_size(right.term)) =>
                {
                    let chain = self.infix(p, spine.head, (*partial, *left, *right), tight);
                    return (chain.nest(2).group(), tight);
                }
                (Pattern::Neg, [(_, e)]) if !starts_with_minus(e.term) && !is_literal(e.term) => {
                    let sign = mark(spine.head, token(Role::Operator, "-"));
                    return (sign.then(self.part(*e, Tight::Application)), Tight::Sign);
                }
                (Pattern::MakePair, [(partial, a), (_, b)]) => {
                    return (self.tuple(spine.head, *partial, *a, *b), Tight::Atom);
                }
                (Pattern::MakeArray, args) if full => return (self.array(spine.head, args), Tight::Atom),
                (pattern, _) if full && flows(pattern) && self.is_pipeline(&spine) => {
                    return (self.pipeline(at), Tight::Pipe);
                }
                _ => {}
            }
        }
        (self.call(&spine), Tight::Application)
    }

    /// `a + b + c`, to be nested and grouped by the caller: all of a chain is on one line, or each operand on its own.
    fn infix(&mut self, p: &Prim, head: At, (partial, left, right): (At, At, At), tight: Tight) -> D {
        let symbol = self.symbol(p.pattern.operator().unwrap_or_default());
        // Operators group from the left; comparisons do not group at all.
        let above = |t: Tight| match t {
            Tight::Or => Tight::And,
            Tight::And => Tight::Pipe,
            Tight::Comparison => Tight::Sum,
            Tight::Sum => Tight::Product,
            _ => Tight::Sign,
        };
        let first = if tight == Tight::Comparison { above(tight) } else { tight };
        let left = match self.chained(left, first) {
            Some(chain) => chain,
            None => self.part(left, first),
        };
        let operator = mark(head, token(Role::Operator, symbol));
        let left = mark(partial, Doc::concat([left, space(), operator]));
        Doc::concat([
            left,
            Doc::line(),
            self.part(right, if starts_with_minus(right.term) { Tight::Atom } else { above(tight) }),
        ])
    }

    /// The left operand of an operator, where it is one that binds as tightly and groups with it.
    fn chained(&mut self, at: At, outer: Tight) -> Option<D> {
        let spine = spine(at);
        let p = spine.head.term.as_prim()?;
        let [(partial, left), (_, right)] = spine.args.as_slice() else { return None };
        let is_chain = operator_tightness(p.pattern) == Some(outer)
            && !(looks_like_size(left.term) && looks_like_size(right.term))
            && !self.needed.values.contains(&at.id)
            && self.budget > 0;
        if !is_chain {
            return None;
        }
        self.budget -= 1;
        let chain = self.infix(p, spine.head, (*partial, *left, *right), outer);
        Some(mark(at, chain))
    }

    fn tuple(&mut self, head: At, partial: At, a: At, b: At) -> D {
        let first = self.part(a, Tight::Open);
        let open = mark(head, punctuation("("));
        let first = mark(partial, Doc::concat([open, first, punctuation(",")]));
        Doc::concat([first, Doc::line(), self.part(b, Tight::Open), punctuation(")")]).nest(1).group()
    }

    fn array(&mut self, head: At, args: &[(At, At)]) -> D {
        let mut doc = mark(head, punctuation("["));
        for (i, (app, e)) in args.iter().enumerate() {
            let element = self.part(*e, Tight::Open);
            let separator = if i == 0 { Doc::soft() } else { punctuation(",").then(Doc::line()) };
            doc = Doc::concat([doc, separator, element]);
            if i + 1 < args.len() {
                doc = mark(*app, doc);
            }
        }
        doc.then(punctuation("]")).nest(1).group()
    }

    /// Is the data given to this stage the result of another stage, or is the stage a long function?
    fn is_pipeline(&self, spine: &Spine) -> bool {
        let Some((last, before)) = spine.args.split_last() else { return false };
        let fed = last.1.term.as_pattern_app().is_some_and(|(p, args)| {
            flows(p.pattern) && build::arity(p.pattern, &p.args) == Some(args.len())
        });
        fed || before.iter().any(|(_, e)| e.term.as_lam().is_some())
    }

    /// `data |> stage |> stage`
    fn pipeline(&mut self, at: At) -> D {
        let mut stages = vec![];
        let mut data = at;
        while let Some((f, e)) = data.app() {
            let (head, args) = data.term.spine();
            match head.as_prim() {
                Some(p) if flows(p.pattern) && build::arity(p.pattern, &p.args) == Some(args.len()) => {
                    stages.push((data, f));
                    data = e;
                }
                _ => break,
            }
        }
        // `transpose b |> map f` reads better than `b |> transpose |> map f`.
        if stages.len() > 1
            && let Some((first, _)) = stages.last()
            && matches!(data.term.expr(), Expr::Var(_))
            && spine(*first).args.len() == 1
        {
            data = *first;
            stages.pop();
        }
        stages.reverse();
        let mut doc = self.part(data, Tight::Compose);
        let several = stages.len() > 1;
        for (i, (app, f)) in stages.iter().enumerate() {
            let arrow = token(Role::Operator, self.symbol("|>"));
            let stage = self.part(*f, Tight::Compose);
            // A single stage stays on the line of its data; its function breaks instead.
            let gap = if several { Doc::line() } else { space() };
            doc = Doc::concat([doc, gap, arrow, space(), stage]);
            // The last one is marked by the caller.
            if i + 1 < stages.len() {
                doc = mark(*app, doc);
            }
        }
        if several { doc.nest(2).group() } else { doc }
    }

    /// The size that the first argument knows.
    fn size_of_step(&self, head: &Term) -> Option<Name> {
        (head.as_pattern() == Some(Pattern::Iterate)).then(|| Some(steps::of(head.ty())?.size))?
    }

    /// `(/\l. f)`
    fn step(&mut self, size: &Name, at: At) -> D {
        Doc::concat([
            punctuation(if self.options.unicode { "(Λ" } else { "(/\\" }),
            token(Role::Size, size.to_string()),
            punctuation("."),
            space(),
            self.part(at, Tight::Open),
            punctuation(")"),
        ])
    }

    /// `f a b`. A single function among the arguments stays on the line and breaks within; otherwise arguments that
    /// do not fit get lines of their own.
    fn call(&mut self, spine: &Spine) -> D {
        let big = |e: &Term| e.as_lam().is_some() || e.size() > 12;
        let hanging = spine.args.iter().filter(|(_, e)| big(e.term)).count() == 1;
        let mut doc = self.part(spine.head, Tight::Application);
        for (i, (app, e)) in spine.args.iter().enumerate() {
            let size = if i == 0 { self.size_of_step(spine.head.term) } else { None };
            let arg = match size {
                Some(size) => self.step(&size, *e),
                None => self.part(*e, Tight::Atom),
            };
            let gap = if hanging { space() } else { Doc::line() };
            doc = Doc::concat([doc, gap, arg]);
            if i + 1 < spine.args.len() {
                doc = mark(*app, doc);
            }
        }
        if hanging { doc } else { doc.nest(2).group() }
    }
}

/// Would the text be read as one size? Arithmetic between two of these is written as a call.
fn looks_like_size(t: &Term) -> bool {
    match t.expr() {
        Expr::Lit(Literal::Nat(_)) => true,
        Expr::App(f, e) => match f.expr() {
            Expr::App(op, first) => {
                op.as_pattern().is_some_and(|p| operator_tightness(p).is_some_and(|t| t > Tight::Comparison))
                    && looks_like_size(first)
                    && looks_like_size(e)
            }
            _ => false,
        },
        _ => false,
    }
}

/// A sign before a number belongs to the number.
fn is_literal(t: &Term) -> bool {
    matches!(t.expr(), Expr::Lit(_))
}

/// Two signs in a row would start a comment, and read badly.
fn starts_with_minus(t: &Term) -> bool {
    match t.expr() {
        Expr::Lit(Literal::Nat(_) | Literal::Index(..)) => false,
        Expr::Lit(l) => l.to_string().starts_with('-'),
        Expr::App(f, _) => f.as_pattern() == Some(Pattern::Neg),
        _ => false,
    }
}

fn is_left_out(kind: Option<ExplicitKind>, n: &Nat) -> bool {
    matches!(kind, Some(ExplicitKind::NatOr(by_default)) if n.as_constant() == Some(by_default))
}
