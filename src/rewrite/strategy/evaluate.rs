//! From the text of a strategy to its value: names are looked up, sizes computed, calls kept for later.

use super::elsewhere;
use super::machine::Machine;
use super::native::{Native, RENUMBER};
use super::open;
use super::script::{Definition, Script, names_of};
use super::value::{Callee, Node, StrategyId, Value};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::AddressSpace;
use crate::lang::syntax::ast::{self, Local, Op, SeqOp, Shape, ShapeKind, StrategyKind};
use std::rc::Rc;

/// The names that a clause binds.
pub(super) struct Scope<'a> {
    pub parent: Option<u32>,
    pub bindings: Vec<(Name, Value)>,
    pub locals: &'a [Local],
    /// What is chosen for what is left open here, by its number in the machine's table.
    pub choices: u32,
    /// The clause is the library's, not the user's.
    pub library: bool,
}

/// What stands behind `@`.
const WHERE: &str = "Behind `@` stands what takes a strategy and says where it runs: `s @ topDown`, \
                     `s @ outermost(isApplied(isMap))`.";

/// Longer lists come from strategies that do not end.
const LONGEST_LIST: usize = 1000;

type Evaluated<T> = Result<T, Box<Diagnostic>>;

fn problem(code: &'static str, message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
    let hint = match code {
        "E0303" => "Let it stand for a rule or a strategy.",
        "E0306" => {
            "A strategy is a rule, the name of one, or made of others: `topDown(s)`, `a ; b`, `a <+ b`."
        }
        "E0307" => "Sizes are made of whole numbers, sizes of the program and `+ - * / % div`.",
        "E0308" => "Leave it out, or join strategies to one: `a ; b`, `a <+ b`, `a ;; b`.",
        "E0309" => {
            "Call it with other arguments, or add a clause that fits: a name as a parameter fits anything."
        }
        _ => "Mend the definition.",
    };
    Box::new(Diagnostic::error(code, message).label(span, label).hint(hint))
}

/// How many were given, in words.
pub(super) fn number(n: usize) -> String {
    match n {
        0 => "none".into(),
        n => n.to_string(),
    }
}

/// A number of arguments, in words.
pub(super) fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "one argument".into(),
        n => format!("{n} arguments"),
    }
}

/// What is said of a call with more arguments than are taken.
pub(super) fn too_many(name: &str, taken: usize) -> String {
    match taken {
        0 => format!("`{name}` takes no arguments."),
        taken => format!("`{name}` takes {} and is given more.", arguments(taken)),
    }
}

impl<'a> Machine<'a> {
    /// The strategy that a text stands for.
    pub(super) fn strategy(&mut self, text: &'a ast::Strategy, scope: u32) -> Evaluated<StrategyId> {
        let value = self.value(text, scope)?;
        let id = self.as_strategy(value, text.span)?;
        Ok(self.written(id, text, scope))
    }

    /// The strategy, with its place in the text where that is the user's: it is told where it fails.
    fn written(&mut self, id: StrategyId, text: &'a ast::Strategy, scope: u32) -> StrategyId {
        // What is made of others says no more than they do.
        let made =
            matches!(text.kind, StrategyKind::Seq(..) | StrategyKind::Choice(_) | StrategyKind::Let { .. });
        if made || self.scopes[scope as usize].library {
            return id;
        }
        self.nodes.insert(Node::Written(text.span, id))
    }

    /// What stands as an argument.
    fn given(&mut self, text: &'a ast::Strategy, scope: u32) -> Evaluated<Value> {
        Ok(match self.value(text, scope)? {
            Value::Strategy(id) => Value::Strategy(self.written(id, text, scope)),
            other => other,
        })
    }

    pub(super) fn as_strategy(&self, value: Value, span: Span) -> Evaluated<StrategyId> {
        match value {
            Value::Strategy(id) => Ok(id),
            other => Err(problem(
                "E0306",
                format!("Here {} stands instead of a strategy.", other.kind()),
                span,
                "no strategy",
            )),
        }
    }

    fn value(&mut self, text: &'a ast::Strategy, scope: u32) -> Evaluated<Value> {
        // Parsed trees are nested at most MAX_DEPTH levels.
        Ok(match &text.kind {
            StrategyKind::Name(name) => self.name(&ast::Node::new(text.span, name.clone()), scope)?,
            StrategyKind::Number(number) => match number.as_size() {
                Ok(n) => Value::Nat(Nat::constant(n)),
                Err([message, label, hint]) => {
                    let problem = Diagnostic::error("E0307", message).label(text.span, label);
                    return Err(Box::new(problem.hint(hint)));
                }
            },
            StrategyKind::Call(head, args) if head.kind.as_ref() == RENUMBER => {
                let args = args.iter().map(|a| self.value(a, scope)).collect::<Evaluated<Vec<_>>>()?;
                self.renumber(&args).map_err(|message| {
                    let problem = Diagnostic::error("E0306", message);
                    // Of the library, the call of the user's is shown.
                    let problem = match self.scopes[scope as usize].library {
                        true => problem,
                        false => problem.label(text.span, "called here"),
                    };
                    Box::new(problem.hint(
                        "An order names loops by their numbers, the outermost is 1: `reorder([2, 1, 3])`.",
                    ))
                })?
            }
            StrategyKind::Call(head, args) => {
                let mut callee = self.name(head, scope)?;
                for arg in args {
                    let script: &'a Script = self.script;
                    let told = |p: Box<Diagnostic>| Box::new(script.told_what_is_taken(*p, head, arg.span));
                    let value = self.given(arg, scope).map_err(told)?;
                    let mended = |p: Box<Diagnostic>| Box::new(elsewhere::mended_call(*p, head, args));
                    callee = self.apply(callee, value, head.span).map_err(mended)?;
                }
                callee
            }
            StrategyKind::List(items) => {
                Value::List(items.iter().map(|i| self.value(i, scope)).collect::<Evaluated<_>>()?)
            }
            StrategyKind::Cons(first, rest) => {
                let first = self.value(first, scope)?;
                match self.value(rest, scope)? {
                    Value::List(rest) if rest.len() >= LONGEST_LIST => {
                        let message = format!("A list has at most {LONGEST_LIST} elements.");
                        let longer = Diagnostic::error("E0306", message);
                        let longer = longer.label(text.span, "one element too many");
                        let hint = "Does the strategy call itself without end? Say where it ends: `strategy s([]) = …`.";
                        return Err(Box::new(longer.hint(hint)));
                    }
                    Value::List(rest) => {
                        Value::List(std::iter::once(first).chain(rest.iter().cloned()).collect())
                    }
                    other => {
                        let message = format!("After `::` a list is needed, not {}.", other.kind());
                        return Err(problem("E0306", message, text.span, "no list"));
                    }
                }
            }
            StrategyKind::Infix(first, rest) => {
                let mut n = self.size(first, scope)?;
                for (op, other) in rest {
                    let m = self.size(other, scope)?;
                    n = match op {
                        Op::Add => n.add(&m),
                        Op::Sub => n.sub(&m),
                        Op::Mul => n.mul(&m),
                        Op::Div => n.exact_div(&m),
                        Op::FloorDiv => n.floor_div(&m),
                        Op::Rem => n.modulo(&m),
                        _ => {
                            let message = format!("`{}` does not compute a size.", op.symbol());
                            return Err(problem("E0307", message, text.span, "no size"));
                        }
                    };
                }
                if n.is_poison() {
                    return Err(problem(
                        "E0307",
                        "This size cannot be computed.",
                        text.span,
                        "too large, or divided by zero",
                    ));
                }
                Value::Nat(n)
            }
            StrategyKind::Seq(first, rest) => {
                let first = self.strategy(first, scope)?;
                let mut ids = vec![];
                for (op, next) in rest {
                    if *op == SeqOp::ThenNormal {
                        ids.push(self.normal_form(next.span, scope)?);
                    }
                    ids.push(self.strategy(next, scope)?);
                }
                // What comes last is within nothing, so that long sequences are no deeper than short ones.
                let rest = ids.into_iter().rev().reduce(|rest, s| self.nodes.insert(Node::Seq(s, rest)));
                Value::Strategy(rest.map_or(first, |rest| self.nodes.insert(Node::Seq(first, rest))))
            }
            StrategyKind::Choice(all) => {
                let ids = all.iter().map(|s| self.strategy(s, scope)).collect::<Evaluated<Vec<_>>>()?;
                let chain = ids.into_iter().rev().reduce(|rest, s| self.nodes.insert(Node::Choice(s, rest)));
                match chain {
                    Some(id) => Value::Strategy(id),
                    None => return Err(problem("E0306", "A choice needs strategies.", text.span, "empty")),
                }
            }
            StrategyKind::At(first, rest) => {
                let mut value = self.given(first, scope)?;
                for transformer in rest {
                    let f = self.value(transformer, scope)?;
                    value = self.apply(f, value, transformer.span).map_err(|mut problem| {
                        problem.hints = vec![WHERE.to_owned()];
                        problem
                    })?;
                }
                value
            }
            StrategyKind::Compare(a, op, b) => {
                let (a, b) = (self.size(a, scope)?, self.size(b, scope)?);
                Value::Strategy(self.nodes.insert(compared(&a, *op, &b)))
            }
            StrategyKind::Else(s, message) => {
                let s = self.strategy(s, scope)?;
                let message = self.filled(&message.kind, scope);
                Value::Strategy(self.nodes.insert(Node::Else(s, message)))
            }
            StrategyKind::Satisfies(sketch) => {
                let n = self.tests.len() as u32;
                self.tests.push((sketch, scope));
                Value::Strategy(self.nodes.insert(Node::Satisfies(n)))
            }
            StrategyKind::Reach(reach) => {
                let n = self.reaches.len() as u32;
                self.reaches.push((reach, scope));
                Value::Strategy(self.nodes.insert(Node::Reach(n)))
            }
            StrategyKind::Let { name, value, body } => {
                let value = self.given(value, scope)?;
                let library = self.scopes[scope as usize].library;
                let inner = self.open_scope(Some(scope), vec![(name.kind.clone(), value)], &[], library);
                self.given(body, inner)?
            }
            StrategyKind::Open(open) => self.open_value(open, text.span, scope)?,
            StrategyKind::With(inner, values) => {
                let inside = self.choosing(inner, values, scope)?;
                self.value(inner, inside)?
            }
            StrategyKind::Error => {
                return Err(problem(
                    "E0302",
                    "This strategy has a mistake in it.",
                    text.span,
                    "not understood",
                ));
            }
        })
    }

    /// A scope in which values are chosen for what s leaves open.
    fn choosing(
        &mut self,
        s: &'a ast::Strategy,
        values: &'a [(ast::Ident, ast::Strategy)],
        scope: u32,
    ) -> Evaluated<u32> {
        let open = open::parameters(s, self.script)?;
        let Scope { library, choices, .. } = self.scopes[scope as usize];
        let mut chosen = self.choices[choices as usize].clone();
        for (name, value) in values {
            if !open.iter().any(|p| p.name == name.kind) {
                let message = format!("Nothing is left open here under the name `{}`.", name.kind);
                let names: Vec<&str> = open.iter().map(|p| &*p.name).collect();
                let none = "`with` gives values to what is written `?name` in a strategy.";
                let problem = Diagnostic::error("E0315", message).label(name.span, "not known");
                return Err(Box::new(problem.did_you_mean_or(&name.kind, names, none)));
            }
            let value = self.size(value, scope).map_err(|problem| Box::new(problem.hint(open::BY_NUMBER)))?;
            chosen.retain(|(n, _)| *n != name.kind);
            chosen.push((name.kind.clone(), value));
        }
        chosen.sort_by(|a, b| a.0.cmp(&b.0));
        let number = self.choices.iter().position(|c| *c == chosen).unwrap_or_else(|| {
            self.choices.push(chosen);
            self.choices.len() - 1
        });
        let inside = self.open_scope(Some(scope), vec![], &[], library);
        self.scopes[inside as usize].choices = number as u32;
        Ok(inside)
    }

    /// What stands for something that is left open: what was chosen, or else the first value.
    pub(super) fn open_value(&mut self, open: &'a ast::Open, span: Span, scope: u32) -> Evaluated<Value> {
        let name = open.name.as_ref();
        let choices = &self.choices[self.scopes[scope as usize].choices as usize];
        let chosen = choices.iter().find(|(n, _)| Some(n) == name).map(|(_, value)| value.clone());
        let shown = name.map_or("?".to_owned(), |name| format!("?{name}"));
        let none = |message: String| {
            let problem = Diagnostic::error("E0315", message).label(span, "left open");
            let name = name.map_or("name", |name| &**name);
            Box::new(
                problem.hint(format!("`shine-tui tune` chooses a value; `s with ({name}: 8)` gives one.")),
            )
        };
        let among = open.among.as_deref().unwrap_or_default();
        match chosen {
            Some(value) if open.is_size() => Ok(Value::Nat(value)),
            None if open.is_size() => match open::domain(open, span)? {
                open::Domain::Sizes(Some(ranges)) if !ranges.is_empty() => {
                    Ok(Value::Nat(Nat::constant(ranges[0].0)))
                }
                _ => Err(none(format!("`{shown}` has no value here."))),
            },
            chosen => {
                let number = chosen.map_or(Some(1), |n| n.as_constant());
                let index = number.and_then(|n| usize::try_from(n).ok()?.checked_sub(1));
                match index.and_then(|i| among.get(i)) {
                    Some(ast::Among::One(way)) => self.given(way, scope),
                    _ => {
                        let message =
                            format!("`{shown}` is one of {} strategies, counted from 1.", among.len());
                        Err(none(message))
                    }
                }
            }
        }
    }

    pub(super) fn open_scope(
        &mut self,
        parent: Option<u32>,
        bindings: Vec<(Name, Value)>,
        locals: &'a [Local],
        library: bool,
    ) -> u32 {
        let choices = parent.map_or(0, |p| self.scopes[p as usize].choices);
        self.scopes.push(Scope { parent, bindings, locals, choices, library });
        (self.scopes.len() - 1) as u32
    }

    /// A message with the values of the parameters that it names in braces.
    fn filled(&self, message: &str, scope: u32) -> Name {
        let mut out = String::new();
        let mut rest = message;
        while let Some((before, after)) = rest.split_once('{') {
            out += before;
            let value = after.split_once('}').and_then(|(name, next)| Some((self.bound(name, scope)?, next)));
            match value {
                Some((value, next)) => (out, rest) = (out + &self.show(&value), next),
                None => (out, rest) = (out + "{", after),
            }
        }
        (out + rest).into()
    }

    /// What a parameter stands for.
    fn bound(&self, name: &str, scope: u32) -> Option<Value> {
        let scopes = std::iter::successors(Some(scope), |s| self.scopes[*s as usize].parent);
        let mut all = scopes.flat_map(|s| self.scopes[s as usize].bindings.iter().rev());
        all.find(|(n, _)| &**n == name).map(|(_, value)| value.clone())
    }

    fn normal_form(&mut self, span: Span, scope: u32) -> Evaluated<StrategyId> {
        match self.name(&ast::Node::new(span, "DFNF".into()), scope) {
            Ok(Value::Strategy(id)) => Ok(id),
            _ => {
                let message = "`;;` needs the strategy DFNF, which is not defined.";
                Err(problem("E0301", message, span, "after this `;;`"))
            }
        }
    }

    fn size(&mut self, text: &'a ast::Strategy, scope: u32) -> Evaluated<Nat> {
        match self.value(text, scope)? {
            Value::Nat(n) => Ok(n),
            other => {
                let message = format!("Here {} stands instead of a size.", other.kind());
                Err(problem("E0307", message, text.span, "no size"))
            }
        }
    }

    /// What a name means: a parameter, a local, a definition, a built-in, a rule, a pattern, an address space, or a
    /// size of the program, in this order.
    fn name(&mut self, name: &ast::Ident, scope: u32) -> Evaluated<Value> {
        let none: Rc<[Value]> = Rc::from([]);
        let mut at = Some(scope);
        while let Some(i) = at {
            let s = &self.scopes[i as usize];
            if let Some((_, value)) = s.bindings.iter().rev().find(|(n, _)| *n == name.kind) {
                return Ok(value.clone());
            }
            if s.locals.iter().any(|l| l.name.kind == name.kind) {
                let call = Node::Call(Callee::Local(i, name.kind.clone()), none);
                return Ok(Value::Strategy(self.nodes.insert(call)));
            }
            at = s.parent;
        }
        // The user's names mean nothing to the library.
        let Scope { library, choices, .. } = self.scopes[scope as usize];
        if library && self.script.replaced(&name.kind).is_some() {
            let call = Node::Call(Callee::Replaced(name.kind.clone(), choices), none);
            return Ok(Value::Strategy(self.nodes.insert(call)));
        }
        if self.script.strategy(&name.kind).is_some_and(|d| d.library || !library) {
            let call = Node::Call(Callee::Global(name.kind.clone(), choices), none);
            return Ok(Value::Strategy(self.nodes.insert(call)));
        }
        if let Some(alias) = self.script.alias(&name.kind).filter(|a| a.library || !library) {
            return self.alias(&alias.target);
        }
        if let Some(native) = Native::find(&name.kind, self.env.rules.patterns()) {
            return Ok(Value::Strategy(self.nodes.insert(Node::Native(native, none))));
        }
        if let Some(rule) = self.env.rules.use_of(&name.kind, vec![]) {
            let args: Rc<[Value]> = rule.args.iter().filter_map(value_of_argument).collect();
            let id = self.rule(rule.rule);
            return Ok(Value::Strategy(self.nodes.insert(Node::Rule(id, args))));
        }
        if let Some(size) = self.env.sizes.iter().find(|s| **s == name.kind) {
            return Ok(Value::Nat(Nat::var(size)));
        }
        if let Some(p) = self.env.rules.patterns().find(&name.kind) {
            return Ok(Value::Pattern(p));
        }
        if let Some(a) = AddressSpace::from_name(&name.kind) {
            return Ok(Value::Addr(a));
        }
        let others = self.env.rules.names().chain(self.env.sizes.iter());
        let script: &'a Script = self.script;
        Err(Box::new(script.unknown(name, self.env.rules.patterns(), others)))
    }

    fn alias(&mut self, target: &'a ast::RuleRef) -> Evaluated<Value> {
        // An alias of itself would never end.
        if self.aliases_open > 16 {
            let message = format!("The alias `{}` leads back to itself.", target.name.kind);
            return Err(problem("E0303", message, target.name.span, "cyclic"));
        }
        self.aliases_open += 1;
        let callee = self.name(&target.name, 0);
        self.aliases_open -= 1;
        let mut callee = callee?;
        for arg in &target.args {
            let value = match arg {
                ast::Arg::Expr(e) => self.argument(e)?,
                ast::Arg::Type(t) => {
                    return Err(problem("E0306", "A type is no argument of a strategy.", t.span, "a type"));
                }
            };
            callee = self.apply(callee, value, target.name.span)?;
        }
        Ok(callee)
    }

    /// An argument of a rule in a set or an alias: a size, an address space.
    pub(super) fn argument(&mut self, e: &ast::Expr) -> Evaluated<Value> {
        if let ast::ExprKind::Name(n) = &e.kind
            && let Some(a) = AddressSpace::from_name(n)
        {
            return Ok(Value::Addr(a));
        }
        let known = |n: &str| self.env.sizes.iter().any(|s| &**s == n).then(|| Nat::var(n));
        crate::rule::load::size(e, &known).map(Value::Nat)
    }

    /// The value with one more argument.
    fn apply(&mut self, callee: Value, arg: Value, span: Span) -> Evaluated<Value> {
        let Value::Strategy(id) = callee else {
            let message = format!("Here {} is called as if it were a strategy.", callee.kind());
            return Err(problem("E0306", message, span, "takes no arguments"));
        };
        let id = self.nodes.bare(id);
        let extended =
            |args: &Rc<[Value]>| args.iter().cloned().chain(std::iter::once(arg.clone())).collect();
        let node = match self.nodes.get(id) {
            Node::Native(n, args) if args.len() < n.arity() => Node::Native(*n, extended(args)),
            Node::Call(c, args) if args.len() < self.arity(c) => Node::Call(c.clone(), extended(args)),
            Node::Rule(r, args) if args.len() < self.rules[*r as usize].params.len() => {
                Node::Rule(*r, extended(args))
            }
            _ => {
                let (name, given) = self.head(id);
                let mut problem = problem("E0308", too_many(&name, given), span, "called here");
                if let Node::Rule(r, _) = self.nodes.get(id) {
                    let rule = &self.rules[*r as usize];
                    let names: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
                    problem.hints = vec![match names.len() {
                        0 => format!(
                            "Write `{}` alone: all that it has to know stands in the program.",
                            rule.name
                        ),
                        _ => format!(
                            "Write `{}({})`: what else it has to know stands in the program.",
                            rule.name,
                            names.join(", ")
                        ),
                    }];
                }
                return Err(problem);
            }
        };
        Ok(Value::Strategy(self.nodes.insert(node)))
    }

    pub(super) fn arity(&self, callee: &Callee) -> usize {
        match callee {
            Callee::Global(..) | Callee::Replaced(..) => self.definition(callee).map_or(0, Definition::arity),
            Callee::Local(scope, name) => {
                let locals = self.scopes[*scope as usize].locals;
                locals.iter().find(|l| l.name.kind == *name).map_or(0, |l| l.params.len())
            }
        }
    }

    fn definition(&self, callee: &Callee) -> Option<&'a Definition> {
        let script: &'a Script = self.script;
        match callee {
            Callee::Global(name, _) => script.strategy(name),
            Callee::Replaced(name, _) => script.replaced(name),
            Callee::Local(..) => None,
        }
    }

    /// The body of a call: that of the first clause whose parameters fit.
    pub(super) fn unfold(&mut self, callee: &Callee, args: &[Value]) -> Evaluated<StrategyId> {
        match callee {
            Callee::Global(name, choices) | Callee::Replaced(name, choices) => {
                let Some(def) = self.definition(callee) else {
                    return Err(Box::new(Diagnostic::error(
                        "E0301",
                        format!("There is no strategy `{name}`."),
                    )));
                };
                let span = def.clauses.first().map_or(Span::NOWHERE, |c| c.def.name.span);
                let params: &[Shape] = def.clauses.first().map_or(&[], |c| &c.def.params);
                let given = args;
                let args = &self.with_defaults(args, params, *choices)?;
                if args.len() != def.arity() {
                    let problem = self.too_few(name, params, given);
                    // The hint says what those of the library take.
                    let problem = if def.library { problem } else { problem.label(span, "defined here") };
                    return Err(Box::new(problem));
                }
                for clause in def.clauses.iter() {
                    let mut bindings = vec![];
                    if fits_all(&clause.def.params, args, &mut bindings) {
                        let scope = self.open_scope(Some(0), bindings, &clause.def.locals, def.library);
                        self.scopes[scope as usize].choices = *choices;
                        return self.strategy(&clause.def.body, scope);
                    }
                }
                let clauses: Vec<&[Shape]> = def.clauses.iter().map(|c| &*c.def.params).collect();
                Err(Box::new(self.no_clause(callee, &clauses, args, (span, def.library))))
            }
            Callee::Local(outer, name) => {
                let Scope { locals, choices, library, .. } = self.scopes[*outer as usize];
                let mut span = Span::NOWHERE;
                let first = locals.iter().find(|l| l.name.kind == *name);
                let given = args;
                let args = &self.with_defaults(args, first.map_or(&[], |l| &l.params), choices)?;
                let clauses: Vec<&Local> = locals.iter().filter(|l| l.name.kind == *name).collect();
                for local in &clauses {
                    span = local.name.span;
                    if local.params.len() != args.len() {
                        let problem = self.too_few(name, &local.params, given);
                        return Err(Box::new(problem.label(span, "defined here")));
                    }
                    let mut bindings = vec![];
                    if fits_all(&local.params, args, &mut bindings) {
                        let scope = self.open_scope(Some(*outer), bindings, &[], library);
                        return self.strategy(&local.body, scope);
                    }
                }
                let clauses: Vec<&[Shape]> = clauses.iter().map(|l| &*l.params).collect();
                Err(Box::new(self.no_clause(callee, &clauses, args, (span, library))))
            }
        }
    }

    /// The arguments of a call, with the values of the parameters that it leaves out.
    fn with_defaults(&mut self, args: &[Value], params: &'a [Shape], choices: u32) -> Evaluated<Vec<Value>> {
        let mut all = args.to_vec();
        let mut scope = 0;
        if choices > 0 && args.len() < params.len() {
            scope = self.open_scope(Some(0), vec![], &[], false);
            self.scopes[scope as usize].choices = choices;
        }
        for param in params.iter().skip(args.len()) {
            let ShapeKind::Default(_, value) = &param.kind else { break };
            all.push(self.value(value, scope)?);
        }
        Ok(all)
    }

    /// What is left of a list of numbers when one is taken out: the greater ones count one less. Each number counts from 1
    /// and stands once.
    fn renumber(&self, args: &[Value]) -> Result<Value, String> {
        let [out, Value::List(list)] = args else {
            return Err("`renumber` takes a number and a list of numbers: renumber(2, [1, 3]).".to_owned());
        };
        let number = |v: &Value| match v {
            Value::Nat(n) if n.as_constant().is_some() => Ok(n.as_constant().unwrap_or_default()),
            other => Err(format!("An order is a list of numbers, and `{}` is none.", self.show(other))),
        };
        let (out, list) = (number(out)?, list.iter().map(number).collect::<Result<Vec<_>, _>>()?);
        if let Some(low) = std::iter::once(&out).chain(&list).find(|n| **n < 1) {
            return Err(format!("An order counts from 1, and here is {low}."));
        }
        if list.contains(&out) {
            return Err("An order names each number once, and here one comes twice.".to_owned());
        }
        let left = list.iter().map(|n| Value::Nat(Nat::constant(if *n > out { n - 1 } else { *n })));
        Ok(Value::List(left.collect()))
    }

    /// That a call lacks arguments.
    fn too_few(&self, name: &str, params: &[Shape], args: &[Value]) -> Diagnostic {
        let (names, given) = (names_of(params), number(args.len()));
        let has_value = |p: &&Shape| matches!(p.kind, ShapeKind::Default(..));
        let needs = params.iter().filter(|p| !has_value(p)).count();
        let (needed, others) = names.split_at(needs);
        let wanted = match others.len() {
            0 => arguments(needs),
            _ => format!("{needs} to {}", arguments(names.len())),
        };
        let problem = Diagnostic::error("E0308", format!("`{name}` takes {wanted} and is given {given}."));
        let call = format!("`{name}({})`", needed.join(", "));
        let of_their_own: Vec<String> = others.iter().map(|n| format!("`{n}`")).collect();
        problem.hint(match (args.last(), needed) {
            (None, needed) if elsewhere::is_option_of_auto(needed) => elsewhere::option_of_auto(name),
            (Some(Value::List(items)), needed) if args.len() == 1 && items.len() == needed.len() => {
                let items: Vec<String> = items.iter().map(|i| self.show(i)).collect();
                elsewhere::no_list(name, &items)
            }
            _ if !of_their_own.is_empty() => {
                let has =
                    if others.len() == 1 { "has a value of its own" } else { "have values of their own" };
                format!("Write {call}; {} {has}.", of_their_own.join(", "))
            }
            // What stands behind `@` is given the last one.
            (Some(Value::Strategy(_)), [first @ .., last])
                if !first.is_empty() && first.len() == args.len() =>
            {
                format!("Write {call}, or `{last} @ {name}({})`, with a value for each.", first.join(", "))
            }
            (_, []) => format!("Write `{name}` alone."),
            _ => format!("Write {call}, with a value for each."),
        })
    }

    /// That no clause of a definition fits. Nobody can add one to the library: what is told is what the user's text calls.
    fn no_clause(
        &self,
        callee: &Callee,
        clauses: &[&[Shape]],
        args: &[Value],
        at: (Span, bool),
    ) -> Diagnostic {
        let (name, (span, library)) = (callee_name(callee), at);
        let shown: Vec<String> = args.iter().map(|a| self.show(a)).collect();
        let message = format!("No clause of `{name}` fits {name}({}).", shown.join(", "));
        if !library {
            return *problem("E0309", message, span, "defined here");
        }
        let asked = self.asked().unwrap_or_else(|| name.clone());
        let is_list =
            |i: usize| move |c: &&[Shape]| matches!(c[i].kind, ShapeKind::List(_) | ShapeKind::Cons(..));
        let no_list =
            (0..args.len()).find(|i| !matches!(args[*i], Value::List(_)) && clauses.iter().all(is_list(*i)));
        match no_list.and_then(|i| shown.get(i)) {
            Some(one) => {
                let message = format!("`{asked}` takes a list, and `{one}` stands in its place.");
                Diagnostic::error("E0309", message)
                    .hint(format!("A list has brackets, of one element, too: `[{one}]`."))
            }
            None => {
                let message = format!("`{asked}` does not take these arguments.");
                let hint = format!("`shine-tui strategies {asked}` shows it with its parameters.");
                Diagnostic::error("E0309", message)
                    .note(format!("In the library, no clause of `{name}` fits {name}({}).", shown.join(", ")))
                    .hint(hint)
            }
        }
    }

    pub(super) fn show(&self, value: &Value) -> String {
        match value {
            Value::Strategy(id) => self.describe(*id),
            Value::Nat(n) => n.to_string(),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(|i| self.show(i)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Pattern(p) => p.to_string(),
            Value::Addr(a) => a.name().to_owned(),
        }
    }

    /// What a call calls, and how many arguments it has.
    fn head(&self, id: StrategyId) -> (String, usize) {
        match self.nodes.get(id) {
            Node::Native(n, args) => (n.name(), args.len()),
            Node::Call(c, args) => (callee_name(c).to_string(), args.len()),
            Node::Rule(r, args) => (self.rules[*r as usize].name.to_string(), args.len()),
            _ => (self.describe(id), 0),
        }
    }

    /// A strategy in a few words.
    pub(super) fn describe(&self, id: StrategyId) -> String {
        let call = |name: &str, args: &[Value]| {
            if args.is_empty() {
                return name.to_owned();
            }
            let args: Vec<String> = args
                .iter()
                .map(|a| match a {
                    Value::Strategy(id) => match self.nodes.get(self.nodes.bare(*id)) {
                        // Deeper it is not told.
                        Node::Call(_, args) | Node::Rule(_, args) | Node::Native(_, args)
                            if !args.iter().any(|a| matches!(a, Value::Strategy(_))) =>
                        {
                            self.describe(*id)
                        }
                        _ => "…".to_owned(),
                    },
                    other => self.show(other),
                })
                .collect();
            format!("{name}({})", args.join(", "))
        };
        match self.nodes.get(id) {
            Node::Seq(..) => "a sequence".to_owned(),
            Node::Choice(..) => "a choice".to_owned(),
            Node::Native(n, args) => call(&n.name(), args),
            Node::Call(c, args) => call(callee_name(c), args),
            Node::Rule(r, args) => call(&self.rules[*r as usize].name, args),
            Node::Reach(_) => "reach".to_owned(),
            Node::Satisfies(_) => "satisfies".to_owned(),
            Node::Unmet(text) => text.to_string(),
            Node::Else(inner, _) | Node::Written(_, inner) => self.describe(*inner),
        }
    }
}

/// The comparison as a strategy: it fails where it is certainly false.
fn compared(a: &Nat, op: Op, b: &Nat) -> Node {
    use SizeConstraint::{AtMost, Equal};
    let one = Nat::constant(1);
    let constraint = match op {
        Op::Lt => AtMost(a.add(&one), b.clone()),
        Op::Gt => AtMost(b.add(&one), a.clone()),
        Op::Le => AtMost(a.clone(), b.clone()),
        Op::Ge => AtMost(b.clone(), a.clone()),
        _ => Equal(a.clone(), b.clone()),
    };
    match constraint.decide() {
        Some(false) => Node::Unmet(format!("{a} {} {b}", op.symbol()).into()),
        _ => Node::Native(Native::Id, Rc::from([])),
    }
}

pub(super) fn callee_name(callee: &Callee) -> &Name {
    match callee {
        Callee::Global(name, _) | Callee::Replaced(name, _) | Callee::Local(_, name) => name,
    }
}

fn value_of_argument(arg: &crate::rule::RuleArg) -> Option<Value> {
    use crate::rule::RuleArg;
    Some(match arg {
        RuleArg::Nat(n) => Value::Nat(n.clone()),
        RuleArg::Dim(d) => Value::Nat(Nat::constant((*d).into())),
        RuleArg::Addr(a) => Value::Addr(*a),
        RuleArg::Position(p) => {
            Value::List(p.steps().iter().map(|step| Value::Nat(Nat::constant((*step).into()))).collect())
        }
        RuleArg::Term(_) => return None,
    })
}

fn fits_all(shapes: &[Shape], args: &[Value], bindings: &mut Vec<(Name, Value)>) -> bool {
    shapes.len() == args.len() && shapes.iter().zip(args).all(|(s, a)| fits(s, a, bindings))
}

fn fits(shape: &Shape, value: &Value, bindings: &mut Vec<(Name, Value)>) -> bool {
    match (&shape.kind, value) {
        (ShapeKind::Name(name) | ShapeKind::Default(name, _), _) => {
            if &**name != "_" {
                bindings.push((name.clone(), value.clone()));
            }
            true
        }
        (ShapeKind::Number(n), Value::Nat(m)) => m.as_constant() == Some(*n),
        (ShapeKind::List(shapes), Value::List(values)) => fits_all(shapes, values, bindings),
        (ShapeKind::Cons(first, rest), Value::List(values)) => match values.split_first() {
            Some((v, vs)) => fits(first, v, bindings) && fits(rest, &Value::List(vs.into()), bindings),
            None => false,
        },
        _ => false,
    }
}
