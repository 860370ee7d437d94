//! The types of a rule: both sides inferred, what the left side leaves open made rigid, so that the right side is
//! well-typed for every match.

use super::condition;
use super::scope::Scopes;
use super::sizes::undetermined;
use crate::lang::constraint::SizeConstraint;
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, Span, nearest};
use crate::lang::infer::unify::Kind;
use crate::lang::infer::{Elaborated, Frozen, Open, has_size_of_step};
use crate::lang::nat::{Name, Nat, NatFun, NatVar};
use crate::lang::syntax::ast::{self, ExprKind};
use crate::lang::syntax::pairs;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeSubst, TypeVar};
use crate::rule::condition::Condition;
use crate::rule::equation::{Equation, RuleSlot, RuleType, RuleVar, Sides, SlotKind};
use crate::rule::pat::{Entry, Pat, PatArg, PatNode};
use crate::rule::vectorise::vector_type;
use crate::rule::{ParamKind, RuleParam};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) struct Typed {
    pub equation: Equation,
    pub params: Vec<RuleParam>,
    pub warnings: Vec<Diagnostic>,
}

/// Both sides with their context, while names are still names.
struct Inferred {
    left: Term,
    right: Term,
    /// The variables of the context, in its order.
    context: Vec<(Name, Type)>,
    frozen: Frozen,
    /// What the names in the sizes of conditions and of `vectorise` stand for.
    sizes: IndexMap<Name, Nat>,
}

/// Reads a rule's sides, parameters and conditions.
///
/// # Errors
/// All problems.
pub(super) fn equation(rule: &ast::Rule, patterns: &Patterns) -> Result<Typed, Vec<Diagnostic>> {
    read(rule, patterns, true)
}

/// `explains`: is it told which condition would make the rule well-typed?
fn read(rule: &ast::Rule, patterns: &Patterns, explains: bool) -> Result<Typed, Vec<Diagnostic>> {
    let declared = Declared::of(&rule.params)?;
    let slots: Vec<Name> = declared.slots.iter().map(|s| s.name.clone()).collect();
    let mut scopes = Scopes::new(&slots, &declared.nats, patterns);
    let [lhs, rhs] =
        [&rule.lhs, &rule.rhs].map(|side| pairs::written_out(side, true, &mut vec![], &mut scopes.apart));
    for c in &rule.conditions {
        if let ast::ConditionKind::NotIn(binder, within) = &c.kind {
            scopes.forbid(binder, within);
        }
    }
    scopes.bound_once(&rule.lhs);
    let lhs = scopes.left(&lhs);
    scopes.check_forbidden(&rule.conditions);
    let rhs = scopes.right(&rhs);
    if !scopes.problems.is_empty() {
        return Err(scopes.problems);
    }
    // Most rules pass on data alone, and patterns on the right say so; those of the lambda calculus pass on functions.
    let inferred = match infer(rule, &declared, &scopes, &lhs, &rhs, false) {
        Ok(inferred) => inferred,
        Err(first) => infer(rule, &declared, &scopes, &lhs, &rhs, true).map_err(|_| match explains {
            true => unforbidden(rule, patterns, misspelt(first, &scopes), &scopes),
            false => vec![],
        })?,
    };
    assemble(rule, &declared, &scopes, inferred)
}

/// The problems with the condition that a variable does not mention a binder, where the rule is well-typed with it: what may
/// mention the binder must find one of its type on the right, too.
fn unforbidden(
    rule: &ast::Rule,
    patterns: &Patterns,
    mut problems: Vec<Diagnostic>,
    scopes: &Scopes,
) -> Vec<Diagnostic> {
    let name = |name: &Name| ast::Node::new(Span::NOWHERE, name.clone());
    let condition = |binder: &Name, variable: &Name| {
        let variable = ast::Node::new(Span::NOWHERE, ExprKind::Name(variable.clone()));
        ast::Node::new(Span::NOWHERE, ast::ConditionKind::NotIn(name(binder), variable))
    };
    let all = scopes.vars.iter().flat_map(|(v, binders)| binders.iter().map(move |b| (b, v)));
    let written = |binder: &&Name| !scopes.apart.iter().any(|(pair, _)| pair == *binder);
    let missing = all.filter(|(b, _)| written(b)).find(|(binder, variable)| {
        let conditions = rule.conditions.iter().cloned().chain([condition(binder, variable)]).collect();
        read(&ast::Rule { conditions, ..rule.clone() }, patterns, false).is_ok()
    });
    if let (Some((binder, variable)), Some(first)) = (missing, problems.first_mut()) {
        let clause = if rule.conditions.is_empty() { "where " } else { ", " };
        first.hints = vec![format!(
            "`{variable}` may mention `{binder}` on the left, which is of another type on the right: add `{clause}{binder} notin {variable}`."
        )];
    }
    problems
}

/// The declared parameters of a rule.
struct Declared {
    nats: Vec<Name>,
    slots: Vec<RuleSlot>,
    terms: Vec<(ast::Ident, ast::Type)>,
    order: Vec<(Name, Span)>,
}

impl Declared {
    fn of(params: &[ast::Param]) -> Result<Declared, Vec<Diagnostic>> {
        let mut out = Declared { nats: vec![], slots: vec![], terms: vec![], order: vec![] };
        let mut problems = vec![];
        for param in params {
            for name in param.kind.names() {
                if out.order.iter().any(|(n, _)| *n == name.kind) {
                    problems.push(
                        Diagnostic::error("E0203", format!("The parameter `{}` stands twice.", name.kind))
                            .label(name.span, "again here")
                            .hint("Choose another name for one of them."),
                    );
                }
                out.order.push((name.kind.clone(), name.span));
                let slot = |kind| RuleSlot { name: name.kind.clone(), kind };
                match &param.kind {
                    ast::ParamKind::Bare(_) | ast::ParamKind::Pair(_) => out.nats.push(name.kind.clone()),
                    ast::ParamKind::Typed(_, ty) => out.terms.push((name.clone(), ty.clone())),
                    ast::ParamKind::Kinded(_, kind) | ast::ParamKind::Implicit(_, kind) => match kind {
                        ast::Kind::Nat => out.nats.push(name.kind.clone()),
                        ast::Kind::Addr => out.slots.push(slot(SlotKind::Addr)),
                        ast::Kind::Dim => out.slots.push(slot(SlotKind::Dim)),
                        ast::Kind::Depth | ast::Kind::Data | ast::Kind::Nat2Nat | ast::Kind::Nat2Data => {
                            let message = format!("A rule has no parameters of kind `{}`.", kind.word());
                            problems.push(
                                Diagnostic::error("E0214", message)
                                    .label(name.span, "not possible")
                                    .hint("Parameters are sizes (`p`), depths (`k: depth`), address spaces (`a: addr`) and dimensions (`d: dim`)."),
                            );
                        }
                    },
                }
            }
        }
        if problems.is_empty() { Ok(out) } else { Err(problems) }
    }
}

/// Infers both sides. `data`: what the left side leaves open is data.
fn infer(
    rule: &ast::Rule,
    declared: &Declared,
    scopes: &Scopes,
    lhs: &ast::Expr,
    rhs: &ast::Expr,
    data: bool,
) -> Result<Inferred, Vec<Diagnostic>> {
    let mut open = Open::of_rule();
    open.know(scopes.patterns);
    for n in &declared.nats {
        open.declare_size(n, Nat::var(n));
    }
    for slot in &declared.slots {
        open.declare_slot(&slot.name);
    }
    for (name, ty) in &declared.terms {
        let ty = open.ty(ty);
        open.declare(&name.kind, ty, name.span);
    }
    // A size may be used as a value before it stands as a size.
    for n in &scopes.sizes {
        open.size(&ast::Node::new(Span::NOWHERE, ExprKind::Name(n.clone())));
    }
    let left = open.expr(lhs, None);
    open.solve();
    if data {
        restrict_to_data(&mut open);
    }
    let frozen = open.freeze();
    let problems = open.problems();
    if problems.iter().any(Diagnostic::is_error) {
        return Err(of_side(problems, "left", &rule.name.kind));
    }
    let context = open.context();
    if let Some(at) = context.iter().position(|(_, ty)| has_size_of_step(ty)) {
        let problem = format!("`{}` would have another size in each step of `iterate`.", context[at].0);
        return Err(vec![
            Diagnostic::error("E0207", problem)
                .label(open.context_spans().get(at).copied().unwrap_or(rule.lhs.span), "in a step")
                .hint("Write out what has the size, and leave to variables what has it not: `split 2 >> map f`."),
        ]);
    }
    for (key, (n, f)) in &scopes.vectorised {
        let size = open.size(n);
        let size = open.unifier().zonk_nat(&size);
        let Some((_, ty)) = context.iter().find(|(name, _)| *name == f.kind) else { continue };
        let Some(vector) = vector_type(&size, ty) else {
            return Err(vec![
                Diagnostic::error("E0204", format!("`{}` has no vector counterpart.", f.kind))
                    .label(f.span, format!("this is {ty}"))
                    .note("Functions on scalars and pairs of scalars have one.")
                    .hint("Say what it is on the left, e.g. `(f : f32 -> f32)`."),
            ]);
        };
        open.declare(key, vector, f.span);
    }
    open.close();
    let mut sizes = IndexMap::new();
    for e in size_texts(rule, scopes) {
        for name in size_names(e) {
            let size = open.size(&name);
            let size = open.unifier().zonk_nat(&size);
            if let ExprKind::Name(name) = name.kind {
                sizes.insert(name, size);
            }
        }
    }
    let wanted = open.type_of(&left);
    let right = open.expr(rhs, Some(&wanted));
    open.solve();
    let terms = both(&mut open, &left, &right);
    let problems = open.problems();
    let context = open.context();
    match terms {
        Some((left, right)) if !problems.iter().any(Diagnostic::is_error) => {
            Ok(Inferred { left, right, context, frozen, sizes })
        }
        _ => {
            let told = |p: Diagnostic| match p.span().and_then(|span| compared_value(rule, scopes, span)) {
                Some(name) => vec![of_values(p, &name)],
                None => of_side(vec![of_operator(rule, p)], "right", &rule.name.kind),
            };
            Err(problems.into_iter().flat_map(told).collect())
        }
    }
}

/// The variable of the left side that stands at this place in a condition on sizes.
fn compared_value(rule: &ast::Rule, scopes: &Scopes, at: Span) -> Option<Name> {
    let sizes = rule.conditions.iter().flat_map(|c| match &c.kind {
        ast::ConditionKind::Divides(a, b) | ast::ConditionKind::Compare(_, a, b) => vec![a, b],
        _ => vec![],
    });
    sizes.flat_map(size_names).find_map(|e| match e.kind {
        ExprKind::Name(name) if e.span == at && scopes.vars.contains_key(&name) => Some(name),
        _ => None,
    })
}

/// That a value is compared in a condition.
fn of_values(problem: Diagnostic, name: &Name) -> Diagnostic {
    let hint = format!(
        "Conditions compare sizes, and a rule holds for every value. Where values decide, the right side does: `select ({name} < 0) a b`."
    );
    Diagnostic { code: "E0208", hints: vec![], ..problem }.hint(hint)
}

/// A condition asks for an operator, and the left side does not say that both of its operands have one type.
fn of_operator(rule: &ast::Rule, problem: Diagnostic) -> Diagnostic {
    let operators = rule.conditions.iter().filter_map(|c| match &c.kind {
        ast::ConditionKind::Predicate(name, args) if condition::is_of_operators(&name.kind) => {
            args.first().and_then(|f| if let ExprKind::Name(f) = &f.kind { Some((f, name)) } else { None })
        }
        _ => None,
    });
    let mut operators = operators.collect::<Vec<_>>().into_iter();
    let is_told = |f: &Name| problem.notes.iter().any(|note| note.ends_with(&format!("argument of `{f}`.")));
    let Some((f, property)) = operators.find(|(f, _)| is_told(f)) else { return problem };
    let hint = format!(
        "Where `{}` is asked of `{f}`, both of its operands have one type: say so on the left, where it is applied, `({f} : t -> t -> t)`.",
        property.kind
    );
    Diagnostic { hints: vec![], ..problem }.hint(hint)
}

/// The sizes that stand in conditions and behind `vectorise`.
fn size_texts<'a>(rule: &'a ast::Rule, scopes: &'a Scopes) -> Vec<&'a ast::Size> {
    let mut out: Vec<&ast::Size> = scopes.vectorised.values().map(|(n, _)| n).collect();
    for c in &rule.conditions {
        match &c.kind {
            ast::ConditionKind::Divides(a, b) | ast::ConditionKind::Compare(_, a, b) => out.extend([a, b]),
            ast::ConditionKind::Predicate(name, args) if &*name.kind == "vectorisable" => {
                out.extend(args.first())
            }
            _ => {}
        }
    }
    out
}

fn size_names(e: &ast::Size) -> Vec<ast::Size> {
    match &e.kind {
        ExprKind::Name(_) => vec![e.clone()],
        ExprKind::Infix(first, rest) => {
            let mut out = size_names(first);
            rest.iter().for_each(|(_, e)| out.extend(size_names(e)));
            out
        }
        ExprKind::Neg(inner) => size_names(inner),
        _ => vec![],
    }
}

fn both(open: &mut Open, left: &Elaborated, right: &Elaborated) -> Option<(Term, Term)> {
    let left = open.term(left)?;
    let right = open.term(right)?;
    Some((left, right))
}

/// A name that is no pattern is a variable; says so where one is meant, it seems.
fn misspelt(mut problems: Vec<Diagnostic>, scopes: &Scopes) -> Vec<Diagnostic> {
    let long = scopes.vars.keys().filter(|name| name.len() > 3);
    let meant = long.filter_map(|name| Some((name, nearest(name, scopes.patterns.names())?)));
    if let Some(first) = problems.first_mut() {
        for (name, pattern) in meant {
            first.hints.push(format!("`{name}` is a variable here: did you mean the pattern `{pattern}`?"));
        }
    }
    problems
}

fn of_side(problems: Vec<Diagnostic>, side: &str, rule: &str) -> Vec<Diagnostic> {
    let note = match side {
        "left" => format!("The left side of `{rule}` is not well-typed."),
        _ => format!(
            "The right side of `{rule}` must be well-typed for everything that the left side matches."
        ),
    };
    problems
        .into_iter()
        .map(|p| {
            let code = if side == "left" { "E0207" } else { "E0208" };
            if p.is_error() { Diagnostic { code, ..p }.note(note.clone()) } else { p }
        })
        .collect()
}

/// Makes every unknown type of the left side one of data.
fn restrict_to_data(open: &mut Open) {
    let (types, _) = open.unifier().unbound_since(0, 0);
    for id in types {
        if open.unifier().kind(id) == Kind::Any {
            let data = open.unifier().fresh_type(Kind::Data);
            open.equal(&data, &Type::meta(id), Span::NOWHERE);
        }
    }
}

/// The rule's own variables by number.
struct Numbers<'a> {
    types: &'a [Name],
    nats: &'a [Name],
}

impl TypeSubst for Numbers<'_> {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        let TypeVar::Named(name) = v else { return None };
        Some(Type::meta(self.types.iter().position(|t| t == name)? as u32))
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        let NatVar::Named(name) = v else { return None };
        Some(Nat::meta(self.nats.iter().position(|n| n == name)? as u32))
    }
}

fn assemble(
    rule: &ast::Rule,
    declared: &Declared,
    scopes: &Scopes,
    inferred: Inferred,
) -> Result<Typed, Vec<Diagnostic>> {
    let types: Vec<RuleType> = inferred
        .frozen
        .types
        .iter()
        .map(|(name, kind)| RuleType { name: name.clone(), data: *kind == Kind::Data })
        .collect();
    let mut nats = declared.nats.clone();
    nats.extend(inferred.frozen.nats.iter().filter(|n| !declared.nats.contains(n)).cloned());
    let type_names: Vec<Name> = types.iter().map(|t| t.name.clone()).collect();
    let numbers = Numbers { types: &type_names, nats: &nats };

    let known = |name: &str| inferred.sizes.get(name).map(|n| n.subst(&|v| numbers.nat(v)));
    // Variables of the context are the rule's, but those that stand for vectorised functions.
    let mut vars: Vec<RuleVar> = vec![];
    let mut entries: Vec<Entry> = vec![];
    for (name, ty) in &inferred.context {
        if let Some((n, f)) = scopes.vectorised.get(name) {
            let of = inferred.context.iter().position(|(v, _)| *v == f.kind).unwrap_or(0);
            let known = |name: &str| nats.iter().position(|n| &**n == name).map(|i| Nat::meta(i as u32));
            let size = super::size(n, &known).map_err(|p| vec![*p])?;
            entries.push(Entry::Vectorised(size, of));
            continue;
        }
        let binders = scopes.vars.get(name).cloned().unwrap_or_default();
        let mut ty = ty.subst(&numbers);
        let mut scope = vec![];
        for binder in binders {
            let Some((param, rest)) = ty.as_fun().map(|(p, r)| (p.clone(), r.clone())) else { break };
            scope.push((binder, param));
            ty = rest;
        }
        entries.push(Entry::Variable(vars.len(), scope.len()));
        vars.push(RuleVar { name: name.clone(), scope, ty });
    }
    let slots = &declared.slots;
    let read = |t: &Term| {
        let slot = |name: &str| slots.iter().position(|s| &*s.name == name);
        Pat::read(&t.map_types(&numbers), &entries, &slot)
    };
    let problem = |side: &str, span: Span| {
        vec![
            Diagnostic::error("E0215", format!("The {side} side cannot be used as a pattern."))
                .label(span, "a variable stands without what it may mention")
                .hint("Write it below the binders that it may mention, in this order."),
        ]
    };
    let mut lhs = read(&inferred.left).ok_or_else(|| problem("left", rule.lhs.span))?.without_eta();
    let mut rhs = read(&inferred.right).ok_or_else(|| problem("right", rule.rhs.span))?;

    // A composition on the left is applied to a variable.
    let composed = matches!(rule.lhs.kind, ExprKind::Pipe(..) | ExprKind::Compose(..));
    if composed && let PatNode::Lam(..) = &lhs.node {
        let argument = fresh(&mut vars, &lhs);
        lhs = apply(&lhs, &argument);
        rhs = apply(&rhs, &argument);
    }
    let mut applied = None;
    if lhs.head().is_some() && lhs.ty.as_fun().is_some() {
        let (mut l, mut r) = (lhs.clone(), rhs.clone());
        while l.ty.as_fun().is_some() {
            let argument = fresh(&mut vars, &l);
            l = Pat::app(l, argument.clone());
            r = apply(&r, &argument);
        }
        applied = Some(Sides { lhs: l, rhs: r });
    }

    let mut params = vec![];
    let mut warnings = vec![];
    let matched: Vec<usize> = lhs
        .nodes()
        .iter()
        .filter_map(|p| if let PatNode::Prim(_, args) = &p.node { Some(args) } else { None })
        .flatten()
        .filter_map(|a| if let PatArg::Slot(i) = a { Some(*i) } else { None })
        .collect();
    for (name, span) in &declared.order {
        let kind = if let Some(i) = declared.nats.iter().position(|n| n == name) {
            if !uses_nat(&[&lhs, &rhs], i as u32) {
                warnings.push(unused(name, *span));
            }
            ParamKind::Nat(i)
        } else if let Some(i) = slots.iter().position(|s| s.name == *name) {
            // What the left side has is found by matching: the parameter only says what it is.
            if matched.contains(&i) {
                continue;
            }
            if !uses_slot(&rhs, i) {
                warnings.push(unused(name, *span));
            }
            match slots[i].kind {
                SlotKind::Addr => ParamKind::Addr(i),
                SlotKind::Dim => ParamKind::Dim(i),
            }
        } else {
            let Some(i) = vars.iter().position(|v| v.name == *name) else { continue };
            ParamKind::Term(i, vars[i].ty.clone())
        };
        params.push(RuleParam { name: name.clone(), kind });
    }
    let given: Vec<usize> = params
        .iter()
        .filter_map(|p| if let ParamKind::Term(i, _) = p.kind { Some(i) } else { None })
        .collect();
    let unbound = unbound_variables(&lhs, vars.len());
    if let Some(v) = unbound.iter().find(|v| {
        !given.contains(v)
            && applied.as_ref().is_none_or(|s| unbound_variables(&s.lhs, vars.len()).contains(v))
    }) {
        let name = &vars[*v].name;
        return Err(vec![
            Diagnostic::error("E0201", format!("`{name}` stands on the right side but not on the left."))
                .label(rule.rhs.span, "nothing says what it is")
                .hint("Use a variable of the left side."),
        ]);
    }

    let needs = needs(&lhs, &rhs);
    let mut equation = Equation {
        vars,
        types,
        nats: nats.clone(),
        slots: declared.slots.clone(),
        sides: Sides { lhs, rhs },
        applied,
        conditions: vec![],
        needs,
        declared: Arc::default(),
    };
    if let Some((size, missing)) = undetermined(&equation, &(0..declared.nats.len() as u32).collect()) {
        return Err(vec![never_found(&equation, &size, &missing, rule.lhs.span)]);
    }
    let mut problems = vec![];
    for c in &rule.conditions {
        match condition::read(c, &equation, &known) {
            Ok(Some(condition)) => equation.conditions.push(condition),
            Ok(None) => {}
            Err(problem) => problems.push(*problem),
        }
    }
    let implied = Condition::implied(&equation.sides);
    problems.extend(implied.iter().filter_map(|c| no_permutation(&equation, c, rule.rhs.span)));
    equation.conditions.extend(implied);
    if problems.is_empty() { Ok(Typed { equation, params, warnings }) } else { Err(problems) }
}

/// Matching does not find the sizes that are `missing`.
fn never_found(eq: &Equation, size: &Nat, missing: &BTreeSet<u32>, lhs: Span) -> Diagnostic {
    let names: Vec<String> = missing.iter().map(|i| format!("`{}`", eq.nats[*i as usize])).collect();
    let size = eq.readable_size(size);
    let message = format!("Matching does not find {} in `{size}`.", names.join(" and "));
    let label = format!("of `{size}` only the value is known when this is matched");
    let parameter = eq.nats.get(missing.first().map_or(0, |i| *i as usize)).map_or("n", |n| n);
    Diagnostic::error("E0221", message).label(lhs, label).hint(format!(
        "Make one a parameter, which is given where the rule is used: `rule name({parameter}) = …`."
    ))
}

/// The right side reorders by functions that are no permutation and its inverse, at sizes of two and of three.
fn no_permutation(eq: &Equation, c: &Condition, rhs: Span) -> Option<Diagnostic> {
    let Condition::Size(permutes @ SizeConstraint::Permutes(n, there, back)) = c else { return None };
    let is_known = |f: &NatFun| f.body().as_variable().is_none_or(|v| !matches!(v, NatVar::Meta(_)));
    let fails = |size: i64| {
        let size = |v: &NatVar| matches!(v, NatVar::Meta(_)).then(|| Nat::constant(size));
        permutes.subst(&size).decide() == Some(false)
    };
    if !(is_known(there) && is_known(back) && fails(2) && fails(3)) {
        return None;
    }
    let readable = |f: &NatFun| f.with_body(eq.readable_size(f.body()));
    let (n, there, back) = (eq.readable_size(n), readable(there), readable(back));
    let message = format!("{there} does not permute the numbers below {n}, or {back} is not its inverse.");
    Some(Diagnostic::error("E0208", message).label(rhs, "`reorder` takes a permutation and its inverse").hint(
        "Element `i` of the result is element `f i` of the array in `reorder n f g`, and `g (f i)` is `i`.",
    ))
}

fn unused(name: &Name, span: Span) -> Diagnostic {
    Diagnostic::warning("E0216", format!("The parameter `{name}` is not used."))
        .label(span, "not used on any side")
        .hint("Remove it, or use it.")
}

/// A new variable of the type that the function takes.
fn fresh(vars: &mut Vec<RuleVar>, function: &Pat) -> Pat {
    let ty = function.ty.as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
    let hint = match &function.node {
        PatNode::Lam(name, _) => name.to_string(),
        _ => "xs".to_owned(),
    };
    let mut name = hint.clone();
    let mut i = 0;
    while vars.iter().any(|v| *v.name == name) {
        i += 1;
        name = format!("{hint}{i}");
    }
    vars.push(RuleVar { name: name.into(), scope: vec![], ty: ty.clone() });
    Pat::new(PatNode::Var(vars.len() - 1, vec![]), ty)
}

/// `f e`, reduced if `f` is a lambda.
fn apply(f: &Pat, e: &Pat) -> Pat {
    match &f.node {
        PatNode::Lam(_, body) => body.subst0(e),
        _ => Pat::app(f.clone(), e.clone()),
    }
}

fn unbound_variables(lhs: &Pat, count: usize) -> Vec<usize> {
    let bound: Vec<usize> = lhs
        .nodes()
        .iter()
        .filter_map(|p| if let PatNode::Var(v, _) = p.node { Some(v) } else { None })
        .collect();
    (0..count).filter(|v| !bound.contains(v)).collect()
}

fn uses_nat(sides: &[&Pat], i: u32) -> bool {
    let within = |n: &Nat| n.vars().contains(&NatVar::Meta(i));
    sides.iter().flat_map(|s| s.nodes()).any(|p| {
        let mut found = false;
        p.ty.for_each_nat(&mut |n| found |= within(n));
        match &p.node {
            PatNode::Prim(_, args) => {
                found
                    || args.iter().any(|a| match a {
                        PatArg::Nat(n) => within(n),
                        PatArg::Fun(f) => within(f.body()),
                        _ => false,
                    })
            }
            PatNode::Lit(l) => found || l.sizes().into_iter().any(within),
            PatNode::Vectorise(n, _) => found || within(n),
            _ => found,
        }
    })
}

fn uses_slot(side: &Pat, i: usize) -> bool {
    side.nodes().iter().any(|p| matches!(&p.node, PatNode::Prim(_, args) if args.contains(&PatArg::Slot(i))))
}

fn sizes(side: &Pat) -> Vec<Nat> {
    let mut out: Vec<Nat> = vec![];
    for p in side.nodes() {
        p.ty.for_each_nat(&mut |n| out.push(n.clone()));
        if let PatNode::Prim(_, args) = &p.node {
            out.extend(
                args.iter().filter_map(|a| if let PatArg::Nat(n) = a { Some(n.clone()) } else { None }),
            );
        }
    }
    out
}

/// The sizes of the right side that are not evidently sizes and that the left side does not have.
pub(in crate::rule) fn needs(lhs: &Pat, rhs: &Pat) -> Vec<Nat> {
    let left = sizes(lhs);
    let mut out: Vec<Nat> = vec![];
    for n in sizes(rhs) {
        if !left.contains(&n) && !out.contains(&n) && !SizeConstraint::of_size(&n).is_empty() {
            out.push(n);
        }
    }
    out
}
