//! Which binders a rule's variables stand under, and the two sides with that made explicit.
//!
//! A variable `e` that stands under a binder `x` of the left side may mention it, so it is read as a function of it:
//! `e` becomes `e x`. On the right it must stand under a binder of the same name, or get something for it by
//! `e[a/x]`, which is read as `e a`. What inference then finds is that both binders have one type.

use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::infer::scheme::{ExplicitKind, Scheme, size_is_written};
use crate::lang::nat::Name;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::syntax::ast::{self, Component, Expr, ExprKind, Ident, Node, Part, TypeKind};
use crate::lang::syntax::elsewhere;
use crate::lang::syntax::pairs;
use crate::rule::Mark;
use indexmap::{IndexMap, IndexSet};

/// What is known of a rule's names before its types are.
pub(super) struct Scopes<'a> {
    /// Names for address spaces and dimensions.
    pub slots: &'a [Name],
    /// Names that are sizes.
    pub sizes: Vec<Name>,
    /// Names that are patterns.
    pub patterns: &'a Patterns,
    /// For each variable of the left side, the binders that it may mention, outermost first.
    pub vars: IndexMap<Name, Vec<Name>>,
    /// Binders that a condition forbids, each with the variable.
    forbidden: Vec<(Name, Name)>,
    /// The names of pairs that the sides take apart, with their components.
    pub apart: Vec<(Name, Vec<Component>)>,
    /// The functions of `vectorise n f`: the size, the function, and the name that stands for it.
    pub vectorised: IndexMap<Name, (Expr, Ident)>,
    pub problems: Vec<Diagnostic>,
}

/// What a binder of the left side is at some place of the right.
#[derive(Clone)]
enum Meaning {
    Binder,
    Put(Expr),
}

type Env = Vec<(Name, Meaning)>;

impl<'a> Scopes<'a> {
    pub fn new(slots: &'a [Name], sizes: &'a [Name], patterns: &'a Patterns) -> Scopes<'a> {
        Scopes {
            slots,
            sizes: sizes.to_vec(),
            patterns,
            vars: IndexMap::new(),
            forbidden: vec![],
            apart: vec![],
            vectorised: IndexMap::new(),
            problems: vec![],
        }
    }

    fn problem(&mut self, code: &'static str, message: String, span: Span, label: &str) -> &mut Diagnostic {
        self.problems.push(Diagnostic::error(code, message).label(span, label));
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    /// Reads `x notin e`: the variables in `e` do not mention `x`.
    pub fn forbid(&mut self, binder: &Ident, within: &Expr) {
        let mut names = vec![];
        free_names(within, &mut vec![], &mut names);
        for name in names {
            // What does not mention a component does not mention the pair.
            let has = |c: &[Component]| Component::names(c).iter().any(|n| n.kind == binder.kind);
            let pairs = self.apart.iter().filter(|(_, c)| has(c)).map(|(pair, _)| pair);
            let binders = pairs.chain(std::iter::once(&binder.kind));
            self.forbidden.extend(binders.map(|b| (b.clone(), name.clone())));
        }
    }

    /// Names that no variable of the left side stands under or for, in conditions `x notin e`.
    pub fn check_forbidden(&mut self, conditions: &[ast::Condition]) {
        for c in conditions {
            let ast::ConditionKind::NotIn(binder, within) = &c.kind else { continue };
            let mut names = vec![];
            free_names(within, &mut vec![], &mut names);
            for name in names {
                if !self.vars.contains_key(&name) {
                    let message = format!("`{name}` is no variable of the left side.");
                    let known: Vec<String> = self.vars.keys().map(ToString::to_string).collect();
                    let about = format!("Its variables are {}.", known.join(", "));
                    self.problem("E0205", message, within.span, "not on the left").hints.push(about);
                }
            }
            let _ = binder;
        }
    }

    /// The binders of the left side, as it is written, must be told apart.
    pub fn bound_once(&mut self, lhs: &Expr) {
        nested_twice(lhs, &mut vec![], &mut self.problems);
    }

    /// The left side, its variables written as functions of the binders that they may mention.
    pub fn left(&mut self, lhs: &Expr) -> Expr {
        self.find_sizes(Part::Expr(lhs), &[]);
        let mut occurrences: IndexMap<Name, Vec<Vec<Name>>> = IndexMap::new();
        visit(self, lhs, &mut vec![], &mut |scopes, name, binders| {
            if !scopes.is_var(name) {
                return;
            }
            occurrences.entry(name.clone()).or_default().push(binders.to_vec());
        });
        for (name, places) in occurrences {
            // A variable that stands in several places may mention what is bound at all of them.
            let mut scope: IndexSet<Name> = places.first().into_iter().flatten().cloned().collect();
            for place in &places {
                scope.retain(|b| place.contains(b));
            }
            scope.retain(|b| !self.forbidden.iter().any(|(x, v)| x == b && *v == name));
            self.vars.insert(name, scope.into_iter().collect());
        }
        let mut env: Env = vec![];
        self.rewrite(lhs, &mut env, true)
    }

    /// Names that stand as sizes, in types and in arguments of patterns, are sizes where they stand as values too.
    fn find_sizes(&mut self, part: Part, bound: &[Name]) {
        let mut found = vec![];
        let mut inner = bound.to_vec();
        match part {
            Part::Expr(e) => match &e.kind {
                ExprKind::App(head, args) => {
                    let explicit = if let ExprKind::Name(name) = &head.kind {
                        self.explicit(name, args)
                    } else {
                        vec![]
                    };
                    for (arg, kind) in args.iter().zip(explicit) {
                        match (kind, &arg.kind) {
                            (ExplicitKind::Nat | ExplicitKind::NatOr(_), _) => {
                                free_names(arg, &mut vec![], &mut found)
                            }
                            (ExplicitKind::Fun, ExprKind::NatLam(params, body)) => {
                                let names = params.iter().flat_map(|p| p.kind.names());
                                free_names(body, &mut names.map(|n| n.kind.clone()).collect(), &mut found);
                            }
                            _ => {}
                        }
                    }
                }
                ExprKind::NatLam(params, _) => {
                    inner.extend(params.iter().flat_map(|p| p.kind.names()).map(|n| n.kind.clone()));
                }
                _ => {}
            },
            Part::Type(t) => match &t.kind {
                TypeKind::Array(n, _) | TypeKind::Vector(n, _) | TypeKind::Index(n) => {
                    free_names(n, &mut vec![], &mut found);
                }
                _ => {}
            },
            Part::Strategy(_) => {}
        }
        let new = found.into_iter().filter(|n| !bound.contains(n) && !self.slots.contains(n));
        for name in new {
            if !self.sizes.contains(&name) {
                self.sizes.push(name);
            }
        }
        part.for_each(&mut |p| self.find_sizes(p, &inner));
    }

    /// The right side, its variables written as functions of what they may mention.
    pub fn right(&mut self, rhs: &Expr) -> Expr {
        let mut env: Env = vec![];
        self.rewrite(rhs, &mut env, false)
    }

    /// Is a name that nothing binds a variable of the rule?
    fn is_var(&self, name: &Name) -> bool {
        self.patterns.find(name).is_none()
            && !matches!(&**name, "true" | "false")
            && !self.slots.contains(name)
            && !self.sizes.contains(name)
    }

    fn variable(&mut self, name: &Name, span: Span, env: &Env, left: bool) -> Expr {
        let plain = Node::new(span, ExprKind::Name(name.clone()));
        if let Some(e) = self.meaning(name, env, span) {
            return e;
        }
        let Some(scope) = self.vars.get(name).cloned() else {
            if !left && self.is_var(name) {
                let known: Vec<Name> = self.vars.keys().cloned().collect();
                let message = format!("`{name}` stands on the right side but not on the left.");
                let problem = self.problem("E0201", message, span, "nothing says what this is");
                if Mark::from_name(name).is_some() {
                    problem
                        .hints
                        .push(format!("Marks stand behind the name of the rule: `rule name [{name}] = …`."));
                    return plain;
                }
                let hint = elsewhere::written_here(name, &[]).unwrap_or_else(|| {
                    "Use a variable of the left side; a size may be a parameter of the rule.".to_owned()
                });
                *problem = std::mem::replace(problem, Diagnostic::error("E0201", "")).did_you_mean_or(
                    name,
                    known.iter().map(|n| &**n),
                    hint,
                );
            }
            return plain;
        };
        let mut args = vec![];
        for binder in scope {
            let (found, missing) = match left {
                // Its own binders stand around it.
                true => (Node::new(span, ExprKind::Name(binder)), vec![]),
                false => self.binder_here(&binder, env, span),
            };
            args.push(found);
            let Some(first) = missing.first() else { continue };
            let names: Vec<&str> = missing.iter().map(|n| &**n).collect();
            let message = format!(
                "`{name}` may mention `{}`, which it stands under on the left but not here.",
                names.join("` and `")
            );
            let put = if &**name == "e" { "v" } else { "e" };
            let hint = format!(
                "Add the condition `{first} notin {name}`, or say what `{first}` is here: `{name}[{put}/{first}]`."
            );
            self.problem("E0202", message, span, "not under the binder").hints.push(hint);
        }
        if args.is_empty() { plain } else { Node::new(span, ExprKind::App(Box::new(plain), args)) }
    }

    /// What a name that is bound on the left stands for at a place: a binder, a component of one, or what is put there.
    fn meaning(&self, name: &Name, env: &Env, span: Span) -> Option<Expr> {
        env.iter().rev().find_map(|(bound, meaning)| {
            let plain = Node::new(span, ExprKind::Name(bound.clone()));
            match meaning {
                Meaning::Put(e) => (bound == name).then(|| e.clone()),
                Meaning::Binder if bound == name => Some(plain),
                Meaning::Binder => {
                    let (_, components) = self.apart.iter().find(|(pair, _)| pair == bound)?;
                    let named = pairs::named_components(components, &plain);
                    named.into_iter().rev().find(|(n, _)| n == name).map(|(_, e)| e)
                }
            }
        })
    }

    /// What stands for a binder of the left side at a place, and which of its names stand for nothing there.
    fn binder_here(&self, binder: &Name, env: &Env, span: Span) -> (Expr, Vec<Name>) {
        let Some((_, components)) = self.apart.iter().find(|(pair, _)| pair == binder) else {
            return match self.meaning(binder, env, span) {
                Some(e) => (e, vec![]),
                None => (Node::new(span, ExprKind::Error), vec![binder.clone()]),
            };
        };
        let itself = Node::new(span, ExprKind::Name(binder.clone()));
        let is_itself = |(name, own): &(Name, Expr)| self.meaning(name, env, span).is_some_and(|e| e == *own);
        if pairs::named_components(components, &itself).iter().all(is_itself) {
            return (itself, vec![]);
        }
        let mut missing = vec![];
        (self.pair_here(components, env, span, &mut missing), missing)
    }

    fn pair_here(&self, components: &[Component], env: &Env, span: Span, missing: &mut Vec<Name>) -> Expr {
        let parts = components.iter().map(|component| match component {
            Component::Name(name) => self.meaning(&name.kind, env, span).unwrap_or_else(|| {
                missing.push(name.kind.clone());
                Node::new(span, ExprKind::Error)
            }),
            Component::Pair(inner) => self.pair_here(inner, env, span, missing),
        });
        Node::new(span, ExprKind::Tuple(parts.collect()))
    }

    /// Is it the name of a binder that a variable of the left side may mention?
    fn is_binder(&self, name: &Name) -> bool {
        self.vars.values().flatten().any(|binder| {
            let components = self.apart.iter().find(|(pair, _)| pair == binder);
            match components {
                Some((_, c)) => Component::names(c).iter().any(|n| n.kind == *name),
                None => binder == name,
            }
        })
    }

    fn rewrite(&mut self, e: &Expr, env: &mut Env, left: bool) -> Expr {
        let kind = match &e.kind {
            ExprKind::Name(name) => return self.variable(name, e.span, env, left),
            ExprKind::App(head, args) => return self.application(head, args, e.span, env, left),
            ExprKind::Lam(params, body) => {
                let names: Vec<Name> =
                    params.iter().flat_map(|p| p.kind.names()).map(|n| n.kind.clone()).collect();
                self.check_capture(&names, env, e.span);
                let outer = env.len();
                env.extend(names.into_iter().map(|n| (n, Meaning::Binder)));
                let body = self.rewrite(body, env, left);
                env.truncate(outer);
                ExprKind::Lam(params.clone(), Box::new(body))
            }
            ExprKind::Let { param, value, body } => {
                let value = self.rewrite(value, env, left);
                let names: Vec<Name> = param.kind.names().into_iter().map(|n| n.kind.clone()).collect();
                self.check_capture(&names, env, e.span);
                let outer = env.len();
                env.extend(names.into_iter().map(|n| (n, Meaning::Binder)));
                let body = self.rewrite(body, env, left);
                env.truncate(outer);
                ExprKind::Let { param: param.clone(), value: Box::new(value), body: Box::new(body) }
            }
            ExprKind::Subst { body, value, var } => {
                if left {
                    let message = "A substitution stands on the right side of a rule alone.".to_owned();
                    self.problem("E0204", message, e.span, "not on the left")
                        .hints
                        .push("Write the left side as what is to be found, without substitutions.".into());
                    return Node::new(e.span, ExprKind::Error);
                }
                if !self.is_binder(&var.kind) && self.meaning(&var.kind, env, var.span).is_none() {
                    let message = format!("No variable of the left side may mention `{}`.", var.kind);
                    self.problem("E0204", message, var.span, "nothing to put something in the place of")
                        .hints
                        .push("What is put in takes the place of a binder of the left side, under which the variable stands.".into());
                }
                let value = self.rewrite(value, env, left);
                env.push((var.kind.clone(), Meaning::Put(value)));
                let body = self.rewrite(body, env, left);
                env.pop();
                return body;
            }
            _ => return e.map_parts(&mut |part| self.rewrite(part, env, left)),
        };
        Node::new(e.span, kind)
    }

    fn application(&mut self, head: &Expr, args: &[Expr], span: Span, env: &mut Env, left: bool) -> Expr {
        if let ExprKind::Name(name) = &head.kind
            && &**name == "vectorise"
            && self.is_free(name, env)
        {
            return self.vectorise(args, span, env, left);
        }
        let explicit = match &head.kind {
            ExprKind::Name(name) if self.is_free(name, env) => self.explicit(name, args).len(),
            _ => 0,
        };
        let head = self.rewrite(head, env, left);
        let mut rewritten: Vec<Expr> = args[..explicit].to_vec();
        for arg in &args[explicit..] {
            rewritten.push(self.rewrite(arg, env, left));
        }
        // A variable with a scope has become an application itself.
        let kind = match head.kind {
            ExprKind::App(inner, mut first) => {
                first.extend(rewritten);
                ExprKind::App(inner, first)
            }
            kind => ExprKind::App(Box::new(Node::new(head.span, kind)), rewritten),
        };
        Node::new(span, kind)
    }

    fn is_free(&self, name: &Name, env: &Env) -> bool {
        !env.iter().any(|(b, _)| b == name)
    }

    fn size_is_written(&self, pattern: Pattern, args: &[Expr]) -> bool {
        size_is_written(pattern, args, |e| matches!(&e.kind, ExprKind::Name(n) if self.sizes.contains(n)))
    }

    /// Which of a pattern's first arguments are sizes, address spaces and dimensions.
    fn explicit(&self, name: &Name, args: &[Expr]) -> Vec<ExplicitKind> {
        let Some(pattern) = self.patterns.find(name) else { return vec![] };
        let mut used = vec![];
        for explicit in &Scheme::of(pattern).explicit {
            let Some(next) = args.get(used.len()) else { break };
            let is_one = match (explicit.kind, &next.kind) {
                (ExplicitKind::Nat | ExplicitKind::Fun, _) => true,
                (ExplicitKind::NatOr(_), _) => self.size_is_written(pattern, &args[used.len()..]),
                (ExplicitKind::Addr(_), ExprKind::Name(n)) => {
                    self.slots.contains(n)
                        || (AddressSpace::from_name(n).is_some() && !self.vars.contains_key(n))
                }
                (ExplicitKind::Dim(_), ExprKind::Number(_)) => true,
                (ExplicitKind::Dim(_), ExprKind::Name(n)) => self.slots.contains(n),
                _ => false,
            };
            if is_one {
                used.push(explicit.kind);
            }
        }
        used
    }

    /// `vectorise n f`, as a variable of its own.
    fn vectorise(&mut self, args: &[Expr], span: Span, env: &Env, left: bool) -> Expr {
        let error = Node::new(span, ExprKind::Error);
        if left {
            let message = "`vectorise` stands on the right side of a rule alone.".to_owned();
            self.problem("E0204", message, span, "not on the left")
                .hints
                .push("Write what is to be found on the left, and what becomes of it on the right.".into());
            return error;
        }
        let [n, f, rest @ ..] = args else {
            let message = "`vectorise` takes a size and a function.".to_owned();
            self.problem("E0204", message, span, "write `vectorise n f`");
            return error;
        };
        let name = match &f.kind {
            ExprKind::Name(name) if self.vars.get(name).is_some_and(Vec::is_empty) => name.clone(),
            _ => {
                let message =
                    "`vectorise` takes a variable of the left side that mentions no binder.".to_owned();
                self.problem("E0204", message, f.span, "not such a variable");
                return error;
            }
        };
        let key = Name::from(format!(
            "vectorise {} {name}",
            crate::lang::syntax::print::expr(n, &Default::default())
        ));
        self.vectorised.insert(key.clone(), (n.clone(), Node::new(f.span, name)));
        let head = Node::new(span, ExprKind::Name(key));
        if rest.is_empty() {
            return head;
        }
        let mut env = env.clone();
        let rest = rest.iter().map(|e| self.rewrite(e, &mut env, left)).collect();
        Node::new(span, ExprKind::App(Box::new(head), rest))
    }

    /// A binder around something that was put in must not have the name of anything in it.
    fn check_capture(&mut self, binders: &[Name], env: &Env, span: Span) {
        for (_, meaning) in env {
            let Meaning::Put(e) = meaning else { continue };
            let mut names = vec![];
            free_names(e, &mut vec![], &mut names);
            if let Some(captured) = binders.iter().find(|b| names.contains(b)).cloned() {
                let message = format!("The binder `{captured}` would capture a name of what is put in here.");
                self.problem("E0204", message, span, "choose another name for this binder");
                return;
            }
        }
    }
}

/// Calls `f` for every name outside explicit arguments, with the binders above it.
fn visit(
    scopes: &mut Scopes,
    e: &Expr,
    binders: &mut Vec<Name>,
    f: &mut impl FnMut(&Scopes, &Name, &[Name]),
) {
    match &e.kind {
        ExprKind::Name(name) => {
            if !binders.contains(name) {
                f(scopes, name, binders);
            }
        }
        ExprKind::App(head, args) => {
            let explicit = match &head.kind {
                ExprKind::Name(name) if !binders.contains(name) => scopes.explicit(name, args).len(),
                _ => 0,
            };
            visit(scopes, head, binders, f);
            args[explicit..].iter().for_each(|a| visit(scopes, a, binders, f));
        }
        ExprKind::Lam(params, body) => {
            let outer = binders.len();
            binders.extend(params.iter().flat_map(|p| p.kind.names()).map(|n| n.kind.clone()));
            visit(scopes, body, binders, f);
            binders.truncate(outer);
        }
        ExprKind::Let { param, value, body } => {
            visit(scopes, value, binders, f);
            let outer = binders.len();
            binders.extend(param.kind.names().into_iter().map(|n| n.kind.clone()));
            visit(scopes, body, binders, f);
            binders.truncate(outer);
        }
        _ => parts(e).into_iter().for_each(|p| visit(scopes, p, binders, f)),
    }
}

/// Two nested binders of one name: what a variable below them mentions would not be clear.
fn nested_twice(e: &Expr, binders: &mut Vec<Name>, problems: &mut Vec<Diagnostic>) {
    let outer = binders.len();
    match &e.kind {
        ExprKind::Lam(..) | ExprKind::Let { .. } => {
            let (names, body) = match &e.kind {
                ExprKind::Lam(params, body) => (params.iter().flat_map(|p| p.kind.names()).collect(), body),
                ExprKind::Let { param, value, body } => {
                    nested_twice(value, binders, problems);
                    (param.kind.names(), body)
                }
                _ => return,
            };
            for name in names {
                if binders.contains(&name.kind) {
                    problems.push(
                        Diagnostic::error(
                            "E0203",
                            format!("The binder `{}` stands inside one of the same name.", name.kind),
                        )
                        .label(name.span, "bound again here")
                        .hint("Choose another name for one of them."),
                    );
                }
                binders.push(name.kind.clone());
            }
            nested_twice(body, binders, problems);
        }
        _ => parts(e).into_iter().for_each(|p| nested_twice(p, binders, problems)),
    }
    binders.truncate(outer);
}

fn free_names(e: &Expr, binders: &mut Vec<Name>, out: &mut Vec<Name>) {
    match &e.kind {
        ExprKind::Name(name) => {
            if !binders.contains(name) && !out.contains(name) {
                out.push(name.clone());
            }
        }
        ExprKind::Lam(params, body) => {
            let outer = binders.len();
            binders.extend(params.iter().flat_map(|p| p.kind.names()).map(|n| n.kind.clone()));
            free_names(body, binders, out);
            binders.truncate(outer);
        }
        ExprKind::Let { param, value, body } => {
            free_names(value, binders, out);
            let outer = binders.len();
            binders.extend(param.kind.names().into_iter().map(|n| n.kind.clone()));
            free_names(body, binders, out);
            binders.truncate(outer);
        }
        _ => parts(e).into_iter().for_each(|p| free_names(p, binders, out)),
    }
}

fn parts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::App(head, args) => std::iter::once(&**head).chain(args).collect(),
        ExprKind::Lam(_, body) | ExprKind::NatLam(_, body) => vec![body],
        ExprKind::Pipe(first, rest) | ExprKind::Compose(first, rest) => {
            std::iter::once(&**first).chain(rest).collect()
        }
        ExprKind::Infix(first, rest) => {
            std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e)).collect()
        }
        ExprKind::Neg(inner) | ExprKind::Ascribe(inner, _) => vec![inner],
        ExprKind::Array(items) | ExprKind::Tuple(items) | ExprKind::Or(items) | ExprKind::And(items) => {
            items.iter().collect()
        }
        ExprKind::Let { value, body, .. } => vec![value, body],
        ExprKind::Subst { body, value, .. } => vec![body, value],
        ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Section(_)
        | ExprKind::Hole(_)
        | ExprKind::Call(..)
        | ExprKind::Error => vec![],
    }
}
