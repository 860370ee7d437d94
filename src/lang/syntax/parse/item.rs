//! Definitions: what may stand at the top level of each language.

use super::super::ast::{
    Alias, Condition, ConditionKind, Declare, Def, Example, Expr, ExprKind, ForeignDef, Ident, Item,
    ItemKind, Language, Name, Node, Op, Param, ParamKind, PatternDecl, Rule, RuleRef, RuleSet, SetParam,
    SketchDef, StrategyDef, Type, TypeKind,
};
use super::super::codes;
use super::super::elsewhere;
use super::super::lexer::Tok;
use super::Parser;
use crate::diag::{Diagnostic, Span};
use std::sync::Arc;

/// The words that start an item of a language.
pub(super) fn words_of(language: Language) -> &'static [&'static str] {
    match language {
        Language::Program => &["def", "pattern", "foreign", "declare", "import"],
        Language::Rules => &["rule", "rules", "alias", "declare", "import"],
        Language::Elevate => &["strategy", "sketch", "rules", "alias", "import"],
    }
}

fn home_of(word: &str) -> &'static str {
    match word {
        "def" | "pattern" | "foreign" => "a program (`.rise`)",
        "rule" | "example" | "declare" => "a file of rules (`.rules`)",
        "rules" | "alias" => "a file of rules (`.rules`) or of strategies (`.elevate`)",
        _ => "a file of strategies (`.elevate`)",
    }
}

impl Parser<'_> {
    /// The `--|` lines right above the token at `start`, none of them before the token at `from`.
    pub(super) fn doc(&self, from: usize, start: usize) -> Vec<Name> {
        let before = from.checked_sub(1).and_then(|i| self.tokens.get(i));
        let begin = before.map_or(self.from, |t| t.end as usize);
        let end = self.tokens.get(start).map_or(self.text.len(), |t| t.start as usize);
        // What was read of the item before may end before tokens that belong to nothing: those lines are no comments.
        let between = self.text.get(begin..end).unwrap_or("");
        let between = &between[..between.rfind('\n').unwrap_or(0)];
        let mut lines: Vec<Name> = Vec::new();
        // What follows the last item on its line does not belong to the next.
        for line in between.split('\n').map(str::trim).skip(usize::from(before.is_some())) {
            match line.strip_prefix("--|") {
                Some(text) => lines.push(text.strip_prefix(' ').unwrap_or(text).trim_end().into()),
                None if line.is_empty() || line.starts_with("--") => lines.clear(),
                None => {}
            }
        }
        lines
    }

    /// Reads the item at the next token, up to the limit.
    pub(super) fn item(&mut self) -> ItemKind {
        let word = self.word().unwrap_or("");
        let here = self.bump();
        if !words_of(self.language).contains(&word) {
            let name = match self.language {
                Language::Program => "program",
                Language::Rules => "file of rules",
                Language::Elevate => "file of strategies",
            };
            self.problems.push(
                Diagnostic::error(codes::NOT_AN_ITEM, format!("`{word}` does not stand in a {name}."))
                    .label(here, "not here")
                    .hint(format!("Move it into {}.", home_of(word))),
            );
            self.at = self.limit;
            return ItemKind::Error;
        }
        let kind = match word {
            "def" => self.def(),
            "pattern" => self.pattern(),
            "foreign" => self.foreign(),
            "declare" => Some(ItemKind::Declare(self.declare())),
            "rule" => self.rule(),
            "rules" => self.rule_set(),
            "alias" => self.alias(),
            "strategy" => self.strategy_def(),
            "sketch" => self.sketch_def(),
            _ => self.import(),
        };
        match kind {
            Some(kind) => {
                self.expect_end("the end of the definition");
                kind
            }
            None => {
                self.at = self.limit;
                ItemKind::Error
            }
        }
    }

    /// Reads the name and what follows up to `=`, which may be left out with a problem.
    fn equals(&mut self, after: &str) {
        if !self.eat(Tok::Equals) {
            self.unexpected(after);
            // The body is most likely behind the next `=`.
            let mut n = 0;
            while !matches!(self.nth(n), Tok::End | Tok::Equals) {
                n += 1;
            }
            if self.nth(n) == Tok::Equals {
                self.at += n + 1;
            }
        }
    }

    fn def(&mut self) -> Option<ItemKind> {
        let name = self.ident("the name of the definition")?;
        let params = self.params();
        if let Some(body) = self.reserved_parameter() {
            return Some(ItemKind::Def(Def { name, params, result: None, body }));
        }
        if self.foreign_head(&name.kind) {
            if !self.eat(Tok::Equals) {
                return None;
            }
            let body = self.expr();
            return Some(ItemKind::Def(Def { name, params, result: None, body }));
        }
        let result = if self.eat(Tok::Colon) { Some(self.ty()) } else { None };
        self.equals(if result.is_some() { "`=`" } else { "a parameter, `:` or `=`" });
        let body = self.expr();
        Some(ItemKind::Def(Def { name, params, result, body }))
    }

    /// `a (b c: t) {n: nat}`.
    fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        loop {
            match self.peek() {
                // Said by whoever reads the definition.
                Tok::LParen if !self.at_binder() && self.mate(self.at).is_some() => return params,
                Tok::LParen => params.push(self.param_in_parens()),
                Tok::LBrace if !self.at_implicit() => return params,
                Tok::LBrace => {
                    let start = self.here();
                    let outside = self.enter();
                    let mut param = self.binder(start, true);
                    self.leave(outside, "`}`");
                    param.span = self.since(start);
                    params.push(param);
                }
                // The type of the result without its colon.
                Tok::Word
                    if !params.is_empty()
                        && self.nth(1) == Tok::Equals
                        && self.nth_word(0).is_some_and(|w| elsewhere::scalar_here(w).is_some()) =>
                {
                    return params;
                }
                Tok::Word if self.nth_is_name(0) => {
                    params
                        .extend(self.ident("a parameter").map(|id| Node::new(id.span, ParamKind::Bare(id))));
                }
                _ => return params,
            }
        }
    }

    /// Whether `{n m: …` comes next.
    fn at_implicit(&self) -> bool {
        let names = (1..).take_while(|n| self.nth_is_name(*n)).count();
        names == 0 || self.nth(names + 1) == Tok::Colon
    }

    fn pattern(&mut self) -> Option<ItemKind> {
        let name = self.ident("the name of the pattern")?;
        let params = self.params();
        self.expect(Tok::Colon, "`:` and the type of the pattern");
        // `pattern p (n: nat) : type` is `pattern p : (n: nat) type`.
        let ty = params.into_iter().rev().fold(self.ty(), |ty, param| self.quantified(param, ty));
        let body = if self.eat(Tok::Equals) { Some(self.expr()) } else { None };
        Some(ItemKind::Pattern(PatternDecl { name, ty, body }))
    }

    fn quantified(&mut self, param: Param, body: Type) -> Type {
        let span = param.span.to(body.span);
        let (implicit, names, kind) = match param.kind {
            ParamKind::Implicit(names, kind) => (true, names, kind),
            ParamKind::Kinded(names, kind) => (false, names, kind),
            ParamKind::Bare(_) | ParamKind::Typed(..) | ParamKind::Pair(_) => {
                self.report(|| {
                    Diagnostic::error(codes::UNEXPECTED, "The parameters of a pattern are sizes and types.")
                        .label(param.span, "a value")
                        .hint("Values stand in the type: `pattern p (n: nat) : n.f32 -> f32`.")
                });
                return body;
            }
        };
        Node::new(span, TypeKind::Forall { implicit, names, kind, default: None, body: Box::new(body) })
    }

    /// `def name (a b: f32): f32 = "C text"`
    fn foreign(&mut self) -> Option<ItemKind> {
        if self.word() == Some("def") {
            self.bump();
        } else {
            self.unexpected("`def`");
        }
        let name = self.ident("the name of the foreign function")?;
        let params = self.params();
        self.expect(Tok::Colon, "`:` and the type of the result");
        let result = self.ty();
        self.equals("`=`");
        let body = self.quoted("the C text of the function in double quotes")?;
        Some(ItemKind::Foreign(ForeignDef { name, params, result, body }))
    }

    /// A text in double quotes, without them.
    pub(super) fn quoted(&mut self, what: &str) -> Option<Node<Name>> {
        let here = self.here();
        let text = self.text.get(here.start as usize..here.end as usize).unwrap_or("");
        let inside =
            text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).map(|t| t.replace("\\\"", "\""));
        if self.peek() != Tok::Text {
            self.unexpected(what);
            return None;
        }
        self.bump();
        Some(Node::new(here, Name::from(inside.unwrap_or_default())))
    }

    fn rule(&mut self) -> Option<ItemKind> {
        let name = self.ident("the name of the rule")?;
        let params = self.param_list();
        let mut marks = Vec::new();
        if self.peek() == Tok::LBracket {
            let outside = self.enter();
            marks = self.list("`,` or `]`", |p| p.ident("a mark, e.g. `reassociates`"));
            self.leave(outside, "`,` or `]`");
        }
        self.equals("`=`");
        let (lhs, rhs) = self.sides();
        let mut conditions = Vec::new();
        let foreign = self.at_foreign_condition();
        if foreign {
            self.unexpected("`where`");
            self.bump();
        }
        if foreign || self.eat_word("where") {
            conditions = self.list("`,`", |p| Some(p.condition()));
            if conditions.is_empty() {
                self.unexpected("a condition, such as `x notin f`");
            }
        }
        let examples = Vec::new();
        Some(ItemKind::Rule(Arc::new(Rule { name, params, marks, lhs, rhs, conditions, examples })))
    }

    /// `assoc [finite] f`: marks stand where the property's first operand would, which is no array.
    fn declare(&mut self) -> Declare {
        let mut condition = self.condition();
        let mut marks = Vec::new();
        if let ConditionKind::Predicate(_, args) = &mut condition.kind
            && let Some(ExprKind::Array(all)) = args.first().map(|arg| &arg.kind)
            && !all.is_empty()
            && all.iter().all(|mark| matches!(mark.kind, ExprKind::Name(_)))
        {
            let all = match args.remove(0).kind {
                ExprKind::Array(all) => all,
                _ => Vec::new(),
            };
            marks.extend(all.into_iter().filter_map(|mark| match mark.kind {
                ExprKind::Name(name) => Some(Node::new(mark.span, name)),
                _ => None,
            }));
        }
        Declare { condition, marks }
    }

    /// Whether a word comes next that other languages put before the conditions of a rule.
    pub(super) fn at_foreign_condition(&self) -> bool {
        let words = ["if", "when", "unless", "provided"];
        self.language == Language::Rules && self.word().is_some_and(|word| words.contains(&word))
    }

    /// `(p, n: nat)`, or nothing.
    fn param_list(&mut self) -> Vec<Param> {
        if self.peek() != Tok::LParen {
            return Vec::new();
        }
        let outside = self.enter();
        let params = self.list("`,` or `)`", |p| {
            let start = p.here();
            let name = p.ident(super::A_PARAMETER)?;
            let kind = if p.eat(Tok::Colon) { p.annotation(vec![name]) } else { ParamKind::Bare(name) };
            Some(Node::new(p.since(start), kind))
        });
        self.leave(outside, "`,` or `)`");
        params
    }

    /// `lhs ~> rhs`
    fn sides(&mut self) -> (Expr, Expr) {
        let lhs = self.expr();
        if self.eat(Tok::Rewrites) {
            return (lhs, self.expr());
        }
        self.unexpected("`~>` and what the left side becomes");
        let mut n = 0;
        while !matches!(self.nth(n), Tok::End | Tok::Rewrites) {
            n += 1;
        }
        if self.nth(n) == Tok::Rewrites {
            self.at += n + 1;
            return (lhs, self.expr());
        }
        let here = self.here();
        (lhs, Node::new(here, ExprKind::Error))
    }

    /// `x notin f`, `p divides n`, `a <= b`, `assoc f`.
    pub(super) fn condition(&mut self) -> Condition {
        let start = self.here();
        let left = self.comparison();
        let kind = if self.eat_word("notin") || self.eat(Tok::NotIn) {
            let within = self.comparison();
            match left.kind {
                ExprKind::Name(name) => ConditionKind::NotIn(Node::new(left.span, name), within),
                ExprKind::Error => ConditionKind::Error,
                _ => {
                    self.problems.push(
                        Diagnostic::error(codes::UNEXPECTED, "Only a variable can be `notin` an expression.")
                            .label(left.span, "expected a name"),
                    );
                    ConditionKind::Error
                }
            }
        } else if self.eat_word("divides") || self.eat(Tok::Bar) {
            ConditionKind::Divides(left, self.comparison())
        } else {
            let negative = self.negative_operand(&left);
            match left.kind {
                ExprKind::Infix(a, rest) if rest.len() == 1 && rest[0].0.is_comparison() => {
                    let mut rest = rest;
                    match rest.pop() {
                        Some((op, b)) => ConditionKind::Compare(op, *a, b),
                        None => ConditionKind::Error,
                    }
                }
                ExprKind::Name(name) => ConditionKind::Predicate(Node::new(left.span, name), Vec::new()),
                ExprKind::App(head, args) => match head.kind {
                    ExprKind::Name(name) => ConditionKind::Predicate(Node::new(head.span, name), args),
                    _ => self.no_condition(left.span, negative),
                },
                ExprKind::Error => ConditionKind::Error,
                _ => self.no_condition(left.span, negative),
            }
        };
        Node::new(self.since(start), kind)
    }

    fn no_condition(&mut self, span: Span, negative: Option<String>) -> ConditionKind {
        let forms =
            "Conditions are `x notin f`, `p divides n`, `a <= b`, or a property and its operands: `assoc f`.";
        self.problems.push(
            Diagnostic::error(codes::UNEXPECTED, "This is not a condition.")
                .label(span, "expected a condition")
                .hint(negative.unwrap_or_else(|| forms.to_owned())),
        );
        ConditionKind::Error
    }

    /// What is said of `neutral f -1`, which is a difference.
    fn negative_operand(&self, e: &Expr) -> Option<String> {
        let text = |span: Span| self.text.get(span.start as usize..span.end as usize);
        let ExprKind::Infix(property, rest) = &e.kind else { return None };
        let (ExprKind::App(head, _), [(Op::Sub, number)]) = (&property.kind, rest.as_slice()) else {
            return None;
        };
        let is_property = matches!(&head.kind, ExprKind::Name(name) if &**name == "neutral");
        let (property, number) = (text(property.span)?, text(number.span)?);
        is_property.then(|| format!("A number below zero stands in parentheses: `{property} (-{number})`."))
    }

    /// `example(args) {n: nat} (a: t) = before ~> after`, given to the rule above it.
    pub(super) fn example(&mut self, doc: Vec<Name>, items: &mut Vec<Item>) {
        let start = self.here();
        if self.language != Language::Rules {
            let kind = self.item();
            items.push(Item { span: start, doc, kind });
            return;
        }
        self.bump();
        let args = if self.peek() == Tok::LParen && !self.at_binder() { self.args() } else { Vec::new() };
        let params = self.params();
        self.equals("`=`");
        let (before, after) = self.sides();
        self.expect_end("the end of the example");
        let span = self.since(start);
        let example = Example { span, doc, args, params, before, after };
        match items.last_mut() {
            Some(Item { span: whole, kind: ItemKind::Rule(rule), .. }) => {
                let mut open = Vec::new();
                example.for_each_part(&mut |part| open.push((part, 1)));
                if self.is_shallow(open) {
                    *whole = whole.to(span);
                    let examples = &mut Arc::make_mut(rule).examples;
                    examples.reserve_exact(1);
                    examples.push(example);
                }
            }
            // The rule has a mistake, which has been said.
            Some(Item { kind: ItemKind::Error, .. }) => {}
            _ => self.problems.push(
                Diagnostic::error(codes::EXAMPLE, "This example follows no rule.")
                    .label(start, "an example of what?")
                    .hint("Put it below its rule."),
            ),
        }
    }

    fn rule_set(&mut self) -> Option<ItemKind> {
        let name = self.ident("the name of the rule set")?;
        let params = self.set_params();
        self.equals("`=`");
        let rules = self.rule_refs();
        Some(ItemKind::RuleSet(RuleSet { name, params, rules }))
    }

    /// `(x, y = 4)`, or nothing.
    fn set_params(&mut self) -> Vec<SetParam> {
        if self.peek() != Tok::LParen {
            return Vec::new();
        }
        let outside = self.enter();
        let params = self.list("`,` or `)`", |p| {
            let name = p.ident("the name of a size")?;
            let default = p.eat(Tok::Equals).then(|| p.size());
            Some(SetParam { name, default })
        });
        self.leave(outside, "`,` or `)`");
        params
    }

    /// `{ a, b(32) }`
    pub(super) fn rule_refs(&mut self) -> Vec<RuleRef> {
        if self.peek() != Tok::LBrace {
            self.unexpected("`{` and rules");
            return Vec::new();
        }
        let outside = self.enter();
        let rules = self.list("`,` or `}`", |p| p.rule_ref());
        self.leave(outside, "`,` or `}`");
        rules
    }

    pub(super) fn rule_ref(&mut self) -> Option<RuleRef> {
        let name: Ident = self.ident(super::A_RULE)?;
        let args = if self.peek() == Tok::LParen { self.args() } else { Vec::new() };
        Some(RuleRef { name, args })
    }

    fn alias(&mut self) -> Option<ItemKind> {
        let name = self.ident("the new name")?;
        self.equals("`=`");
        let target = self.rule_ref()?;
        Some(ItemKind::Alias(Alias { name, target }))
    }

    fn sketch_def(&mut self) -> Option<ItemKind> {
        let name = self.ident("the name of the sketch")?;
        let params = self.param_list();
        self.equals("`=`");
        let body = self.sketch();
        Some(ItemKind::Sketch(SketchDef { name, params, body }))
    }

    fn strategy_def(&mut self) -> Option<ItemKind> {
        let name = self.ident("the name of the strategy")?;
        let params = self.shape_list();
        self.equals("`=`");
        let body = self.strategy();
        let locals = if self.eat_word("where") { self.locals() } else { Vec::new() };
        Some(ItemKind::Strategy(StrategyDef { name, params, body, locals }))
    }

    fn import(&mut self) -> Option<ItemKind> {
        let mut path = vec![self.ident(super::A_MODULE)?];
        while self.eat(Tok::Dot) {
            path.push(self.ident(super::A_MODULE)?);
        }
        if self.token().is_some_and(|t| !t.first) {
            self.unexpected(super::END_OF_MODULE);
            return None;
        }
        Some(ItemKind::Import(path))
    }
}
