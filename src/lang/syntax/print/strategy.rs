//! Strategies as documents.

use super::super::ast::{
    Among, ExprKind, Ident, Local, Op, Open, Reach, RuleRef, SeqOp, Shape, ShapeKind, Strategy, StrategyKind,
};
use super::expr::is_tight;
use super::item::quoted;
use super::{Doc, Printer};

const OPEN: u8 = 0;
const CHOICE: u8 = 1;
const SEQ: u8 = 2;
const ELSE: u8 = 3;
const AT: u8 = 4;
const CONS: u8 = 5;
const COMPARE: u8 = 6;
const SUM: u8 = 7;
const PRODUCT: u8 = 8;
const ATOM: u8 = 9;

fn op_level(op: Op) -> u8 {
    if matches!(op, Op::Add | Op::Sub) { SUM } else { PRODUCT }
}

fn level(s: &Strategy) -> u8 {
    match &s.kind {
        StrategyKind::Let { .. } => OPEN,
        StrategyKind::Choice(_) => CHOICE,
        StrategyKind::Seq(..) => SEQ,
        StrategyKind::Else(..) | StrategyKind::With(..) => ELSE,
        StrategyKind::At(..) => AT,
        StrategyKind::Compare(..) => COMPARE,
        // What follows could belong to the sketch.
        StrategyKind::Cons(..) | StrategyKind::Satisfies(_) => CONS,
        StrategyKind::Reach(reach) if reach.rules.is_none() && reach.options.is_empty() => CONS,
        StrategyKind::Infix(_, rest) => rest.first().map_or(ATOM, |(op, _)| op_level(*op)),
        _ => ATOM,
    }
}

impl Printer {
    /// The strategy, in parentheses where it is looser than `least`.
    pub fn strategy(&self, s: &Strategy, least: u8) -> Doc {
        let doc = self.strategy_bare(s);
        self.parens(level(s) < least, doc)
    }

    fn strategy_bare(&self, s: &Strategy) -> Doc {
        match &s.kind {
            StrategyKind::Name(name) => self.name(name),
            StrategyKind::Number(number) => self.number(number),
            StrategyKind::Call(head, args) => Doc::concat([
                self.name(&head.kind),
                self.bracketed("(", args.iter().map(|s| self.strategy(s, OPEN)).collect(), ")"),
            ]),
            StrategyKind::List(all) => {
                self.bracketed("[", all.iter().map(|s| self.strategy(s, OPEN)).collect(), "]")
            }
            StrategyKind::Cons(first, rest) => {
                Doc::concat([self.strategy(first, CONS + 1), " :: ".into(), self.strategy(rest, CONS)])
            }
            StrategyKind::Infix(head, rest) => self.strategy_infix(head, rest),
            StrategyKind::Choice(all) => {
                let all = all.iter().map(|s| self.strategy(s, SEQ));
                Doc::join(all, || Doc::concat([Doc::line(), "<+ ".into()])).align().group()
            }
            StrategyKind::Seq(head, rest) => {
                let mut parts = vec![self.strategy(head, ELSE)];
                for (op, next) in rest {
                    let sign = match op {
                        SeqOp::Then => " ;",
                        SeqOp::ThenNormal => " ;;",
                    };
                    parts.extend([sign.into(), Doc::line(), self.strategy(next, ELSE)]);
                }
                Doc::concat(parts).align().group()
            }
            StrategyKind::At(head, rest) => {
                let mut parts = vec![self.strategy(head, CONS)];
                for traversal in rest {
                    parts.extend([" @ ".into(), self.strategy(traversal, CONS)]);
                }
                Doc::concat(parts)
            }
            StrategyKind::Compare(a, op, b) => Doc::concat([
                self.strategy(a, SUM),
                Doc::text(format!(" {} ", self.operator(*op))),
                self.strategy(b, SUM),
            ]),
            StrategyKind::Else(s, text) => {
                let text = Doc::concat([Doc::line(), "else ".into(), quoted(&text.kind)]).nest(2);
                Doc::concat([self.strategy(s, ELSE), text]).group()
            }
            StrategyKind::Open(open) => self.open(open),
            StrategyKind::With(s, values) => {
                // What a search is told begins with the same word.
                let inner = self.parens(matches!(s.kind, StrategyKind::Reach(_)), self.strategy(s, ATOM));
                Doc::concat([inner, Doc::line(), self.options_with(values)]).nest(2).group()
            }
            StrategyKind::Reach(reach) => self.reach(reach),
            StrategyKind::Satisfies(sketch) => {
                Doc::concat(["satisfies ".into(), self.expr(sketch, 0).nest(2)]).group()
            }
            StrategyKind::Let { .. } => {
                let (mut at, mut bindings) = (s, vec![]);
                while let StrategyKind::Let { name, value, body } = &at.kind {
                    let opens_let = matches!(value.kind, StrategyKind::Let { .. });
                    bindings
                        .push((self.name(&name.kind), self.parens(opens_let, self.strategy(value, OPEN))));
                    at = body;
                }
                self.lets(bindings, self.strategy(at, OPEN))
            }
            StrategyKind::Error => "<error>".into(),
        }
    }

    fn strategy_infix(&self, head: &Strategy, rest: &[(Op, Strategy)]) -> Doc {
        let Some((first, _)) = rest.first() else { return self.strategy_bare(head) };
        let level = op_level(*first);
        let (as_head, as_rest): (ExprKind, Vec<_>) =
            (size_kind(head), rest.iter().map(|(op, s)| (*op, size_kind(s))).collect());
        let tight = is_tight(&as_head, as_rest.iter().map(|(op, kind)| (*op, kind)));
        let mut parts = vec![self.strategy(head, level + 1)];
        for (op, operand) in rest {
            let operand = self.strategy(operand, level + 1);
            let sign = self.operator(*op);
            parts.extend(if tight {
                [sign.into(), operand]
            } else {
                [Doc::text(format!(" {sign} ")), operand]
            });
        }
        Doc::concat(parts)
    }

    fn reach(&self, reach: &Reach) -> Doc {
        let mut parts = vec!["reach ".into(), self.expr(&reach.sketch, 0)];
        if let Some(rules) = &reach.rules {
            parts.extend([Doc::line(), "using ".into()]);
            parts.push(match rules.as_slice() {
                [rule] => self.rule_ref(rule),
                rules => self.rule_refs(rules),
            });
        }
        if !reach.options.is_empty() {
            parts.extend([Doc::line(), self.options_with(&reach.options)]);
        }
        Doc::concat(parts).nest(2).group()
    }

    /// `with (name: value)`
    fn options_with(&self, options: &[(Ident, Strategy)]) -> Doc {
        let options = options.iter().map(|(option, value)| {
            Doc::concat([self.name(&option.kind), ": ".into(), self.strategy(value, OPEN)])
        });
        Doc::concat(["with ".into(), self.bracketed("(", options.collect(), ")")])
    }

    fn open(&self, open: &Open) -> Doc {
        let name = self.hole(open.name.as_deref());
        let Some(among) = &open.among else { return name };
        let among = among.iter().map(|among| match among {
            Among::One(s) => self.strategy(s, OPEN),
            Among::Range(low, high) => {
                Doc::concat([self.number(&low.kind), "..".into(), self.number(&high.kind)])
            }
        });
        Doc::concat([name, " in ".into(), self.bracketed("{", among.collect(), "}")])
    }

    pub(super) fn rule_ref(&self, rule: &RuleRef) -> Doc {
        let args = if rule.args.is_empty() { Doc::nil() } else { self.args(&rule.args) };
        Doc::concat([self.name(&rule.name.kind), args])
    }

    /// `{ a, b(32) }`
    pub(super) fn rule_refs(&self, rules: &[RuleRef]) -> Doc {
        if rules.is_empty() {
            return "{}".into();
        }
        let rules =
            Doc::join(rules.iter().map(|r| self.rule_ref(r)), || Doc::concat([",".into(), Doc::line()]));
        Doc::concat(["{".into(), Doc::concat([Doc::line(), rules]).nest(2), Doc::line(), "}".into()]).group()
    }

    pub(super) fn shapes(&self, shapes: &[Shape]) -> Doc {
        if shapes.is_empty() {
            return Doc::nil();
        }
        self.bracketed("(", shapes.iter().map(|s| self.shape(s, false)).collect(), ")")
    }

    fn shape(&self, shape: &Shape, before_cons: bool) -> Doc {
        match &shape.kind {
            ShapeKind::Name(name) => self.name(name),
            ShapeKind::Number(value) => Doc::text(value.to_string()),
            ShapeKind::List(all) => {
                self.bracketed("[", all.iter().map(|s| self.shape(s, false)).collect(), "]")
            }
            ShapeKind::Cons(first, rest) => {
                let doc = Doc::concat([self.shape(first, true), " :: ".into(), self.shape(rest, false)]);
                self.parens(before_cons, doc)
            }
            ShapeKind::Default(name, value) => {
                Doc::concat([self.name(name), " = ".into(), self.strategy(value, OPEN)])
            }
            ShapeKind::Error => "<error>".into(),
        }
    }

    /// `name(params) = body`, after a word.
    pub(super) fn local(&self, local: &Local) -> Doc {
        let body = Doc::concat([Doc::line(), self.strategy(&local.body, OPEN)]).nest(2);
        Doc::concat([self.name(&local.name.kind), self.shapes(&local.params), " =".into(), body]).group()
    }
}

/// What decides about spaces in a size.
fn size_kind(s: &Strategy) -> ExprKind {
    match &s.kind {
        StrategyKind::Name(name) => ExprKind::Name(name.clone()),
        StrategyKind::Number(number) => ExprKind::Number(number.clone()),
        _ => ExprKind::Error,
    }
}
