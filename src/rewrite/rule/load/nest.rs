//! Families of rules: `mapNest k f` is `f` under `k` maps, for a parameter `k: depth` or a number.
//!
//! A rule with such a parameter is one rule for each depth. Each is written out before anything else is done with it,
//! so that each is typed, matched and tested as any other rule is.

use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::Name;
use crate::lang::syntax::ast::{self, ConditionKind, Expr, ExprKind, Kind, Node, Op, ParamKind};
use std::ops::RangeInclusive;

/// The depths that a family has.
pub const DEPTHS: RangeInclusive<u32> = 0..=6;

/// The most maps that a depth with something added to it may mean.
const DEEPEST: i64 = 16;

type Written<T> = Result<T, Box<Diagnostic>>;

/// The parameter for a depth, and its place among the parameters.
///
/// # Errors
/// When there are two.
pub(super) fn parameter(rule: &ast::Rule) -> Written<Option<(usize, ast::Ident)>> {
    let mut found = None;
    let names = rule.params.iter().flat_map(|p| p.kind.names().into_iter().map(move |n| (p, n)));
    for (i, (param, name)) in names.enumerate() {
        if !matches!(param.kind, ParamKind::Kinded(_, Kind::Depth) | ParamKind::Implicit(_, Kind::Depth)) {
            continue;
        }
        if found.is_some() {
            return Err(problem("A rule has one depth at most.", name.span, "a second one"));
        }
        found = Some((i, name.clone()));
    }
    Ok(found)
}

/// The rule at a depth: without the parameter, its nests of maps written out.
///
/// # Errors
/// Where a depth stands that is none, or a nest that is none.
pub(super) fn at_depth(rule: &ast::Rule, depth: Option<(&Name, u32)>) -> Written<ast::Rule> {
    let nest = Nest { depth };
    let params = rule.params.iter().filter(|p| !p.kind.names().iter().any(|n| nest.is_depth(&n.kind)));
    let conditions = rule.conditions.iter().map(|c| nest.condition(c)).collect::<Written<_>>()?;
    Ok(ast::Rule {
        params: params.cloned().collect(),
        lhs: nest.expr(&rule.lhs)?,
        rhs: nest.expr(&rule.rhs)?,
        conditions,
        ..rule.clone()
    })
}

fn problem(message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0214", message).label(span, label).hint(
            "`mapNest k f` is f under k maps, where `k: depth` is a parameter of the rule, or a number.",
        ),
    )
}

struct Nest<'a> {
    depth: Option<(&'a Name, u32)>,
}

impl Nest<'_> {
    fn is_depth(&self, name: &Name) -> bool {
        self.depth.is_some_and(|(d, _)| d == name)
    }

    fn condition(&self, c: &ast::Condition) -> Written<ast::Condition> {
        let kind = match &c.kind {
            ConditionKind::NotIn(x, e) => ConditionKind::NotIn(x.clone(), self.expr(e)?),
            ConditionKind::Divides(a, b) => ConditionKind::Divides(self.expr(a)?, self.expr(b)?),
            ConditionKind::Compare(op, a, b) => ConditionKind::Compare(*op, self.expr(a)?, self.expr(b)?),
            ConditionKind::Predicate(name, args) => ConditionKind::Predicate(name.clone(), self.all(args)?),
            ConditionKind::Error => ConditionKind::Error,
        };
        Ok(Node::new(c.span, kind))
    }

    fn all(&self, list: &[Expr]) -> Written<Vec<Expr>> {
        list.iter().map(|e| self.expr(e)).collect()
    }

    fn boxed(&self, e: &Expr) -> Written<Box<Expr>> {
        Ok(Box::new(self.expr(e)?))
    }

    fn expr(&self, e: &Expr) -> Written<Expr> {
        let kind = match &e.kind {
            ExprKind::Name(name) if self.is_depth(name) => {
                let message = format!("The depth `{name}` is no size and no term.");
                return Err(problem(message, e.span, "it stands behind `mapNest` alone"));
            }
            ExprKind::Name(name) if &**name == "mapNest" => {
                return Err(problem("`mapNest` takes a depth and a function.", e.span, "without them"));
            }
            ExprKind::App(head, args) => {
                if matches!(&head.kind, ExprKind::Name(n) if &**n == "mapNest") {
                    return self.nest(args, e.span);
                }
                ExprKind::App(self.boxed(head)?, self.all(args)?)
            }
            _ => return e.try_map_parts(&mut |part| self.expr(part)),
        };
        Ok(Node::new(e.span, kind))
    }

    /// `mapNest depth function`, and what it is applied to.
    fn nest(&self, args: &[Expr], span: Span) -> Written<Expr> {
        let [depth, function, rest @ ..] = args else {
            return Err(problem("`mapNest` takes a depth and a function.", span, "something is missing"));
        };
        let depth = self.depth(depth)?;
        let mut nested = self.expr(function)?;
        for _ in 0..depth {
            let map = Node::new(span, ExprKind::Name("map".into()));
            nested = Node::new(span, ExprKind::App(Box::new(map), vec![nested]));
        }
        let rest = self.all(rest)?;
        if rest.is_empty() {
            return Ok(nested);
        }
        let kind = match nested.kind {
            ExprKind::App(head, mut first) => {
                first.extend(rest);
                ExprKind::App(head, first)
            }
            kind => ExprKind::App(Box::new(Node::new(nested.span, kind)), rest),
        };
        Ok(Node::new(span, kind))
    }

    fn depth(&self, e: &Expr) -> Written<i64> {
        let value = self.value(e)?;
        if (0..=DEEPEST).contains(&value) {
            return Ok(value);
        }
        Err(problem(format!("{value} is no depth."), e.span, "from 0 to 16"))
    }

    fn value(&self, e: &Expr) -> Written<i64> {
        let none =
            || problem("This is no depth.", e.span, "a depth, a number, or a depth and a number added");
        match &e.kind {
            ExprKind::Name(name) => {
                self.depth.filter(|(d, _)| *d == name).map(|(_, k)| i64::from(k)).ok_or_else(none)
            }
            ExprKind::Number(n) => n.as_int().ok_or_else(none),
            ExprKind::Infix(first, rest) => {
                let mut value = self.value(first)?;
                for (op, e) in rest {
                    let by = self.value(e)?;
                    value = match op {
                        Op::Add => value.checked_add(by).ok_or_else(none)?,
                        Op::Sub => value.checked_sub(by).ok_or_else(none)?,
                        _ => return Err(none()),
                    };
                }
                Ok(value)
            }
            _ => Err(none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::build as b;
    use crate::lang::nat::Nat;
    use crate::lang::source::Sources;
    use crate::lang::term::Term;
    use crate::lang::ty::Type;
    use crate::rule::load::Source;
    use crate::rule::{RuleArg, RuleSet};

    fn load(text: &str) -> (RuleSet, Vec<String>) {
        let (mut rules, _) = RuleSet::builtin(&mut Sources::new());
        let mut sources = Sources::new();
        let problems = rules.load(&mut sources, &[Source { label: "own.rules", text }]);
        let shown = problems.iter().map(|p| format!("{} {}", p.code, p.message)).collect();
        (rules, shown)
    }

    fn maps(depth: usize) -> Term {
        let size = |i: usize| Nat::var(["k", "l", "m", "n"][i]);
        let arrays = (0..=depth).fold(Type::f32(), |t, i| Type::array(size(i), t));
        let mut f = b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
        let mut at = Type::f32();
        for i in 0..depth {
            at = Type::array(size(i), at);
            let line = f.clone();
            f = b::lam("r", at.clone(), |r| b::map(line, r)).unwrap();
        }
        b::map(f, Term::var(0, arrays)).unwrap()
    }

    #[test]
    fn a_family_is_one_rule_at_every_depth() {
        let (rules, problems) = load("alias splitThird = splitJoinNest(2)");
        assert!(problems.is_empty(), "{problems:?}");
        let n = |n| RuleArg::Nat(Nat::constant(n));
        for (depth, fits) in [(0, true), (1, true), (2, true), (3, false)] {
            let use_ = rules.use_of("splitJoinNest", vec![n(depth), n(4)]).unwrap();
            assert_eq!(use_.rule.apply(&maps(2), &use_.args).is_ok(), fits, "{depth}");
        }
        let third = rules.use_of("splitThird", vec![n(4)]).unwrap();
        assert_eq!(third.to_string(), "splitJoinNest(2, 4)");
        let why = third.rule.apply(&maps(2), &[n(7), n(4)]).unwrap_err();
        let says = "`splitJoinNest` takes k (a depth from 0 to 6), p (a size); given: 7, 4";
        assert_eq!(why.to_string(), says);
    }

    #[test]
    fn what_is_no_depth_is_said() {
        for (text, says) in [
            ("rule a(k: depth) = mapNest k f xs ~> mapNest p f xs", "This is no depth."),
            ("rule a(k: depth) = take k xs ~> mapNest k f xs", "The depth `k` is no size and no term."),
            (
                "rule a(k: depth, l: depth) = mapNest k f xs ~> mapNest l f xs",
                "A rule has one depth at most.",
            ),
            ("rule a = mapNest 17 f xs ~> f xs", "17 is no depth."),
            ("rule a = mapNest ~> map", "`mapNest` takes a depth and a function."),
            ("rules s = { transposeAroundNest }", "`transposeAroundNest` takes one argument and is given 0."),
            (
                "alias a = transposeAroundNest(1, 2)",
                "`transposeAroundNest` takes one argument and is given 2.",
            ),
        ] {
            let (_, problems) = load(text);
            assert!(problems.iter().any(|p| p.contains(says)), "{text}: {problems:?}");
        }
    }
}
