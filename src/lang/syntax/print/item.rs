//! Definitions as documents.

use super::super::ast::{
    Condition, ConditionKind, Def, Example, Expr, Ident, Item, ItemKind, Name, Param, Rule, SetParam,
    StrategyDef, Type,
};
use super::{Doc, Printer};

/// A text in double quotes.
pub(super) fn quoted(text: &str) -> Doc {
    Doc::text(format!("\"{}\"", text.replace('"', "\\\"")))
}

impl Printer {
    pub fn item(&self, item: &Item) -> Doc {
        Doc::concat([self.doc_lines(&item.doc), self.item_kind(&item.kind)])
    }

    fn doc_lines(&self, lines: &[Name]) -> Doc {
        let text = super::documentation(lines);
        Doc::concat(text.lines().flat_map(|line| [Doc::text(line.to_string()), Doc::HardLine]))
    }

    fn item_kind(&self, kind: &ItemKind) -> Doc {
        match kind {
            ItemKind::Def(def) => self.def(def),
            ItemKind::Pattern(pattern) => {
                let head = Doc::concat(["pattern ".into(), self.name(&pattern.name.kind), " : ".into()]);
                let head = head.then(self.ty(&pattern.ty, 0).nest(4));
                match &pattern.body {
                    Some(body) => self.with_body(head, self.expr(body, 0)),
                    None => head,
                }
            }
            ItemKind::Foreign(def) => {
                let name = self.name(&def.name.kind);
                let head = Doc::concat(["foreign def ".into(), name, self.params(&def.params)]);
                self.with_body(head.then(self.result(Some(&def.result))), quoted(&def.body.kind))
            }
            ItemKind::Declare(declare) => {
                Doc::concat(["declare ".into(), self.marked_condition(&declare.condition, &declare.marks)])
            }
            ItemKind::Rule(rule) => self.rule(rule),
            ItemKind::RuleSet(set) => Doc::concat([
                "rules ".into(),
                self.name(&set.name.kind),
                self.set_params(&set.params),
                " = ".into(),
                self.rule_refs(&set.rules),
            ]),
            ItemKind::Alias(alias) => Doc::concat([
                "alias ".into(),
                self.name(&alias.name.kind),
                " = ".into(),
                self.rule_ref(&alias.target),
            ]),
            ItemKind::Strategy(def) => self.strategy_def(def),
            ItemKind::Sketch(def) => {
                let head =
                    Doc::concat(["sketch ".into(), self.name(&def.name.kind), self.param_list(&def.params)]);
                self.with_body(head, self.expr(&def.body, 0))
            }
            ItemKind::Import(path) => {
                let path = Doc::join(path.iter().map(|p| self.name(&p.kind)), || ".".into());
                Doc::concat(["import ".into(), path])
            }
            ItemKind::Error => "<error>".into(),
        }
    }

    /// `head = body`, the body on lines of its own where it does not fit.
    fn with_body(&self, head: Doc, body: Doc) -> Doc {
        Doc::concat([head, " =".into(), Doc::concat([Doc::line(), body]).nest(2)]).group()
    }

    fn params(&self, params: &[Param]) -> Doc {
        Doc::concat(params.iter().map(|p| Doc::concat([" ".into(), self.param(p)])))
    }

    fn param_list(&self, params: &[Param]) -> Doc {
        if params.is_empty() {
            return Doc::nil();
        }
        self.bracketed("(", params.iter().map(|p| self.listed_param(p)).collect(), ")")
    }

    fn def(&self, def: &Def) -> Doc {
        let head = Doc::concat(["def ".into(), self.name(&def.name.kind), self.params(&def.params)]);
        self.with_body(head.then(self.result(def.result.as_ref())), self.expr(&def.body, 0))
    }

    fn result(&self, ty: Option<&Type>) -> Doc {
        match ty {
            Some(ty) => Doc::concat([": ".into(), self.ty(ty, 0).nest(4)]),
            None => Doc::nil(),
        }
    }

    fn sides(&self, before: &Expr, after: &Expr) -> Doc {
        let sign = self.spell("~> ", "↦ ");
        Doc::concat([self.expr(before, 0), Doc::line(), sign.into(), self.expr(after, 0)]).group()
    }

    fn rule(&self, rule: &Rule) -> Doc {
        let mut head =
            Doc::concat(["rule ".into(), self.name(&rule.name.kind), self.param_list(&rule.params)]);
        if !rule.marks.is_empty() {
            let marks = rule.marks.iter().map(|m| self.name(&m.kind)).collect();
            head = Doc::concat([head, " ".into(), self.bracketed("[", marks, "]")]);
        }
        let mut body = self.sides(&rule.lhs, &rule.rhs);
        if !rule.conditions.is_empty() {
            let conditions = rule.conditions.iter().map(|c| self.condition(c));
            let conditions = Doc::join(conditions, || Doc::concat([",".into(), Doc::line()]));
            body = Doc::concat([body, Doc::line(), "where ".into(), conditions.align().group()]);
        }
        let mut all = self.with_body(head, body);
        for example in &rule.examples {
            all = Doc::concat([all, Doc::concat([Doc::HardLine, self.example(example)]).nest(2)]);
        }
        all
    }

    fn example(&self, example: &Example) -> Doc {
        let args = if example.args.is_empty() { Doc::nil() } else { self.args(&example.args) };
        let head = Doc::concat(["example".into(), args, self.params(&example.params)]);
        let body = self.with_body(head, self.sides(&example.before, &example.after));
        Doc::concat([self.doc_lines(&example.doc), body])
    }

    fn condition(&self, condition: &Condition) -> Doc {
        self.marked_condition(condition, &[])
    }

    /// A condition, of which the property has marks.
    fn marked_condition(&self, condition: &Condition, marks: &[Ident]) -> Doc {
        // Tighter than a comparison.
        let side = |e: &Expr| self.expr(e, 6);
        match &condition.kind {
            ConditionKind::NotIn(var, within) => {
                let word = self.spell(" notin ", " ∉ ");
                Doc::concat([self.name(&var.kind), word.into(), side(within)])
            }
            ConditionKind::Divides(a, b) => Doc::concat([side(a), " divides ".into(), side(b)]),
            ConditionKind::Compare(op, a, b) => {
                Doc::concat([side(a), " ".into(), self.operator(*op).into(), " ".into(), side(b)])
            }
            ConditionKind::Predicate(name, args) => {
                let args = args.iter().map(|arg| Doc::concat([" ".into(), self.argument(arg)]));
                let marks = (!marks.is_empty()).then(|| {
                    let names = marks.iter().map(|mark| self.name(&mark.kind));
                    Doc::concat([" [".into(), Doc::join(names, || ", ".into()), "]".into()])
                });
                Doc::concat(std::iter::once(self.name(&name.kind)).chain(marks).chain(args))
            }
            ConditionKind::Error => "<error>".into(),
        }
    }

    fn set_params(&self, params: &[SetParam]) -> Doc {
        if params.is_empty() {
            return "".into();
        }
        let each = params.iter().map(|p| match &p.default {
            Some(size) => Doc::concat([self.name(&p.name.kind), " = ".into(), self.size(size, 0)]),
            None => self.name(&p.name.kind),
        });
        Doc::concat(["(".into(), Doc::join(each, || ", ".into()), ")".into()])
    }

    fn strategy_def(&self, def: &StrategyDef) -> Doc {
        let head = Doc::concat(["strategy ".into(), self.name(&def.name.kind), self.shapes(&def.params)]);
        let mut body = self.strategy(&def.body, 0);
        if !def.locals.is_empty() {
            let locals = def.locals.iter().map(|local| self.local(local));
            let locals = Doc::join(locals, || Doc::concat([",".into(), Doc::HardLine])).align();
            body = Doc::concat([body, Doc::HardLine, "where ".into(), locals]);
        }
        self.with_body(head, body)
    }
}
