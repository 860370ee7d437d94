//! Definitions: their order, their types, and what each use of one chooses.
//!
//! A definition is elaborated once, after those that it needs. Its declared sizes and types, and whatever stays
//! unknown in it, are chosen anew at every use, together with the conditions on them that were left open.

use super::build::is_large;
use super::check::{Check, What};
use super::codes;
use super::elaborate::Expected;
use super::relation::Relation;
use super::report::Why;
use super::state::{Infer, Scope, Undeclared};
use super::tree::{DefId, Instance, Local, Node, Tree};
use super::unify::Equation;
use crate::diag::{Diagnostic, Span};
use crate::nat::{Name, Nat, NatVar};
use crate::syntax::ast::{self, Expr, ExprKind, Item, ItemKind, Kind, Param, ParamKind, PatternDecl};
use crate::ty::{Type, TypeKind, TypeSubst, TypeVar};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Unknown types and sizes, by number.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    pub types: FxHashSet<u32>,
    pub nats: FxHashSet<u32>,
}

impl Unknowns {
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.nats.is_empty()
    }

    fn add_nat(&mut self, n: &Nat) {
        self.nats.extend(n.vars().into_iter().filter_map(|v| match v {
            NatVar::Meta(id) => Some(id),
            NatVar::Named(_) | NatVar::Worker(_) => None,
        }));
    }
}

/// The value parameters among the parameters of a definition.
fn values(slots: &[Slot]) -> impl Iterator<Item = Local> + '_ {
    slots.iter().filter_map(|s| match s {
        Slot::Value(local) => Some(*local),
        Slot::Size(_) => None,
    })
}

/// A parameter of a definition.
#[derive(Clone, Debug)]
pub enum Slot {
    Size(Name),
    Value(Local),
}

/// An elaborated definition.
#[derive(Debug)]
pub struct Definition {
    pub name: Name,
    pub span: Span,
    pub slots: Vec<Slot>,
    /// The type with all value parameters.
    pub ty: Type,
    pub body: Tree,
    /// Declared sizes, in order of first appearance, and types.
    pub sizes: Vec<Name>,
    pub types: Vec<Name>,
    /// Unknowns that a use can still decide.
    pub open: Unknowns,
    pub checks: Vec<Check>,
    pub equations: Vec<Equation>,
    /// Problems were reported in it.
    pub broken: bool,
}

impl Definition {
    /// How many of the first `given` arguments are sizes.
    pub fn sizes_among(&self, given: usize) -> usize {
        self.slots.iter().take(given).filter(|s| matches!(s, Slot::Size(_))).count()
    }

    /// The value parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = Local> + '_ {
        values(&self.slots)
    }
}

/// A definition or a pattern that the program declares, as written.
#[derive(Clone, Copy)]
struct Source<'a> {
    item: &'a Item,
    name: &'a ast::Ident,
    params: &'a [Param],
    result: Option<&'a ast::Type>,
    /// None for a pattern that is declared without a meaning.
    body: Option<&'a Expr>,
}

fn source(item: &Item) -> Option<Source<'_>> {
    match &item.kind {
        ItemKind::Def(d) => {
            let result = d.result.as_ref();
            Some(Source { item, name: &d.name, params: &d.params, result, body: Some(&d.body) })
        }
        ItemKind::Pattern(p) => {
            Some(Source { item, name: &p.name, params: &[], result: Some(&p.ty), body: p.body.as_ref() })
        }
        ItemKind::Foreign(d) => {
            Some(Source { item, name: &d.name, params: &d.params, result: Some(&d.result), body: None })
        }
        _ => None,
    }
}

/// Calls `f` with every name in an expression that nothing in the expression binds.
fn free_names<'a>(e: &'a Expr, bound: &mut Vec<&'a Name>, f: &mut dyn FnMut(&'a Name, Span)) {
    let mut all = |list: &mut dyn Iterator<Item = &'a Expr>, bound: &mut Vec<&'a Name>| {
        for e in list {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || free_names(e, bound, f));
        }
    };
    match &e.kind {
        ExprKind::Name(name) => {
            if !bound.contains(&name) {
                f(name, e.span);
            }
        }
        ExprKind::App(x, rest) | ExprKind::Pipe(x, rest) | ExprKind::Compose(x, rest) => {
            all(&mut std::iter::once(&**x).chain(rest), bound);
        }
        ExprKind::Infix(x, rest) => {
            all(&mut std::iter::once(&**x).chain(rest.iter().map(|(_, e)| e)), bound);
        }
        ExprKind::Lam(params, body) | ExprKind::NatLam(params, body) => {
            let before = bound.len();
            bound.extend(params.iter().flat_map(|p| p.kind.names()).map(|n| &n.kind));
            all(&mut std::iter::once(&**body), bound);
            bound.truncate(before);
        }
        ExprKind::Let { param, value, body } => {
            all(&mut std::iter::once(&**value), bound);
            let before = bound.len();
            bound.extend(param.kind.names().into_iter().map(|n| &n.kind));
            all(&mut std::iter::once(&**body), bound);
            bound.truncate(before);
        }
        ExprKind::Array(list) | ExprKind::Tuple(list) | ExprKind::Or(list) | ExprKind::And(list) => {
            all(&mut list.iter(), bound);
        }
        ExprKind::Neg(x) | ExprKind::Ascribe(x, _) => all(&mut std::iter::once(&**x), bound),
        ExprKind::Subst { body, value, .. } => all(&mut [&**body, &**value].into_iter(), bound),
        ExprKind::Number(_)
        | ExprKind::Section(_)
        | ExprKind::Hole(_)
        | ExprKind::Call(..)
        | ExprKind::Error => {}
    }
}

/// What each definition needs of the others, and where.
fn needs(sources: &[Source], names: &FxHashMap<&Name, usize>) -> Vec<Vec<(usize, Span)>> {
    let of = |s: &Source| {
        let mut out: Vec<(usize, Span)> = vec![];
        let mut seen = FxHashSet::default();
        let Some(body) = s.body else { return out };
        let mut bound: Vec<&Name> = s.params.iter().flat_map(|p| p.kind.names()).map(|n| &n.kind).collect();
        free_names(body, &mut bound, &mut |name, span| {
            if let Some(i) = names.get(name)
                && seen.insert(*i)
            {
                out.push((*i, span));
            }
        });
        out
    };
    sources.iter().map(of).collect()
}

/// The definitions of a file that one of them does not use, neither itself nor through others.
pub fn unused<'a>(file: &'a ast::File, def: &str) -> Vec<&'a Item> {
    let sources: Vec<Source> = file.items.iter().filter_map(source).collect();
    let names = sources.iter().enumerate().map(|(i, s)| (&s.name.kind, i)).collect();
    let all = needs(&sources, &names);
    let mut used = vec![false; sources.len()];
    let mut open: Vec<usize> = (0..sources.len()).filter(|i| *sources[*i].name.kind == *def).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut used[at], true) {
            open.extend(all[at].iter().map(|(next, _)| *next));
        }
    }
    let rest = sources.iter().zip(used).filter(|(s, used)| !used && matches!(s.item.kind, ItemKind::Def(_)));
    rest.map(|(s, _)| s.item).collect()
}

impl Infer {
    /// Elaborates every definition of a file; where one is `wanted`, only that and what it and the patterns need.
    pub fn definitions(&mut self, file: &ast::File, wanted: Option<&str>) {
        let mut sources: Vec<Source> = vec![];
        let mut names: FxHashMap<&Name, usize> = FxHashMap::default();
        for source in file.items.iter().filter_map(source) {
            let name = source.name;
            if self.patterns.find(&name.kind).is_some() || &*name.kind == "true" || &*name.kind == "false" {
                self.problem(
                    Diagnostic::error(codes::TAKEN, format!("`{}` is the name of a pattern.", name.kind))
                        .label(name.span, "taken")
                        .hint("Choose another name for the definition."),
                );
            }
            if let Some(first) = names.get(&name.kind) {
                let first = sources[*first].name.span;
                self.problem(
                    Diagnostic::error(codes::TAKEN, format!("`{}` is defined twice.", name.kind))
                        .label(name.span, "defined again")
                        .label(first, "first defined here")
                        .hint("Choose another name for one of them, or remove one."),
                );
                continue;
            }
            names.insert(&name.kind, sources.len());
            sources.push(source);
        }
        let all = needs(&sources, &names);
        let roots = match wanted.and_then(|def| names.iter().find(|(name, _)| &****name == def)) {
            Some((_, wanted)) => (0..sources.len())
                .filter(|i| i == wanted || !matches!(sources[*i].item.kind, ItemKind::Def(_)))
                .collect(),
            None => (0..sources.len()).collect::<Vec<_>>(),
        };
        for (order, cyclic) in self.order(&sources, &all, &roots) {
            let source = sources[order];
            if let ItemKind::Foreign(def) = &source.item.kind {
                self.foreign(def, source.item);
                continue;
            }
            self.definition(source, cyclic);
            if let ItemKind::Pattern(PatternDecl { body: Some(_), .. }) = &source.item.kind {
                self.declare_pattern(source.item);
            }
        }
    }

    /// The roots and what they need, each after what it needs, and whether it is part of a cycle. Cycles are reported.
    fn order(
        &mut self,
        sources: &[Source],
        needs: &[Vec<(usize, Span)>],
        roots: &[usize],
    ) -> Vec<(usize, bool)> {
        // Depth first, on a stack of its own: (definition, how many of its needs are done).
        let mut out: Vec<(usize, bool)> = vec![];
        let mut state = vec![0u8; sources.len()];
        let mut cyclic = vec![false; sources.len()];
        for root in roots.iter().copied() {
            if state[root] != 0 {
                continue;
            }
            let mut stack = vec![(root, 0)];
            state[root] = 1;
            while let Some((at, done)) = stack.last_mut() {
                let at = *at;
                let Some((next, span)) = needs[at].get(*done).copied() else {
                    state[at] = 2;
                    out.push((at, false));
                    stack.pop();
                    continue;
                };
                *done += 1;
                match state[next] {
                    0 => {
                        state[next] = 1;
                        stack.push((next, 0));
                    }
                    1 => {
                        let from = stack.iter().position(|(i, _)| *i == next).unwrap_or(0);
                        let cycle: Vec<usize> = stack[from..].iter().map(|(i, _)| *i).collect();
                        if cycle.iter().any(|i| !cyclic[*i]) {
                            self.report_cycle(&cycle, sources, span);
                        }
                        cycle.iter().for_each(|i| cyclic[*i] = true);
                    }
                    _ => {}
                }
            }
        }
        out.iter_mut().for_each(|(i, c)| *c = cyclic[*i]);
        out
    }

    fn without_meaning(&mut self, name: &ast::Node<Name>) {
        let problem = Diagnostic::error(
            codes::WITHOUT_MEANING,
            format!("The pattern `{}` is declared without a meaning.", name.kind),
        );
        self.problem(
            problem
                .label(name.span, "its type is known, and not what it computes")
                .hint(format!(
                    "Say after its type what it computes, as in `pattern {} : ... = \\x. ...`.",
                    name.kind
                ))
                .hint("A function of scalars can be written in C instead, as a `foreign def`."),
        );
    }

    fn report_cycle(&mut self, cycle: &[usize], sources: &[Source], span: Span) {
        let name = |i: &usize| sources[*i].name.kind.clone();
        let problem = match cycle {
            [one] => Diagnostic::error(codes::CYCLE, format!("`{}` is defined by itself.", name(one))),
            _ => {
                let mut shown: Vec<String> = cycle.iter().take(8).map(|i| format!("`{}`", name(i))).collect();
                if cycle.len() > 8 {
                    shown.push("...".into());
                }
                shown.extend(cycle.first().map(|i| format!("`{}`", name(i))));
                Diagnostic::error(
                    codes::CYCLE,
                    format!("These definitions need each other: {}.", shown.join(" -> ")),
                )
            }
        };
        let mut problem = problem.label(span, "this closes the cycle");
        for i in cycle.iter().take(8) {
            problem = problem.label(sources[*i].name.span, "part of the cycle");
        }
        self.problem(
            problem
                .note("Definitions always unfold, so one that needs itself has no end.")
                .hint("Use a pattern to repeat: `map`, `reduce`, `generate`."),
        );
    }

    /// Elaborates one definition. One of a cycle keeps its type as far as it is declared.
    fn definition(&mut self, source: Source, cyclic: bool) {
        let before = self.problems.len();
        let (types_from, nats_from) = self.u.unknowns();
        self.scope = Scope { undeclared: Undeclared::OneLetter, ..Scope::default() };
        let mut slots = vec![];
        self.declared_twice(source.params);
        for param in source.params {
            self.param(param, &mut slots);
        }
        let result = source.result.map(|t| self.signature(t, &mut slots));
        if self.problems.len() == before {
            self.sizes_called_as_values(&slots);
        }
        self.scope.undeclared = Undeclared::Refuse;
        let mut body = source.body;
        while let Some(Expr { kind: ExprKind::NatLam(params, inner), .. }) = body {
            for param in params {
                self.size_param(param, &mut slots);
            }
            body = Some(inner);
        }
        let span = source.name.span;
        let tree = match body {
            Some(body) if !cyclic => {
                let why = Why::Returned(source.name.kind.clone());
                self.expr(body, result.clone().map(|ty| Expected::new(ty, why)))
            }
            _ => Tree::new(Node::Error, result.clone().unwrap_or_else(|| self.any()), span),
        };
        self.settle_joints();
        self.relate(0);
        self.u.solve_together();
        self.report_failures();
        let params: Vec<Local> = values(&slots).collect();
        let types = params.iter().map(|l| self.locals[*l as usize].ty.clone()).collect::<Vec<_>>();
        let ty = Type::function(&types, result.unwrap_or_else(|| tree.ty.clone()));
        let mut ty = self.u.zonk(&ty);
        if is_large(&ty) {
            self.problem(super::program::type_too_large(span));
            ty = self.any();
        }
        let equations = self.u.take_open_equations();
        let open = self.open_to_uses(&ty, &equations);
        self.defaults(&open.types);
        self.run_checks();
        if !cyclic && self.problems.len() == before {
            let (types, nats) = self.u.unbound_since(types_from, nats_from);
            let types = types.into_iter().filter(|t| !open.types.contains(t)).collect();
            let nats = nats.into_iter().filter(|n| !open.nats.contains(n)).collect();
            self.undetermined(&params, &tree, Unknowns { types, nats }, &equations);
        }
        let broken = cyclic || self.problems.len() > before;
        let checks = std::mem::take(&mut self.checks);
        self.def_names.insert(source.name.kind.clone(), self.defs.len());
        self.defs.push(Definition {
            name: source.name.kind.clone(),
            span,
            slots,
            ty,
            body: tree,
            sizes: self.scope.sizes.keys().cloned().collect(),
            types: self.scope.types.keys().cloned().collect(),
            open,
            checks,
            equations,
            broken: broken || source.body.is_none(),
        });
        if source.body.is_none() {
            self.without_meaning(source.name);
        }
    }

    /// What a use of a definition can still decide: what its type shows, and what equations tie to that.
    fn open_to_uses(&self, ty: &Type, equations: &[Equation]) -> Unknowns {
        let mut open = Unknowns::default();
        ty.for_each_var(&mut |v| {
            if let TypeVar::Meta(id) = v {
                open.types.insert(*id);
            }
        });
        ty.for_each_nat(&mut |n| open.add_nat(n));
        for equation in equations {
            open.add_nat(&equation.left);
            open.add_nat(&equation.right);
        }
        self.truths_of(&mut open.types);
        open
    }

    /// The truth values that comparisons of what is open are.
    fn truths_of(&self, open: &mut FxHashSet<u32>) {
        let unknown = |t: &Type| match self.u.resolve(t).kind() {
            TypeKind::Var(TypeVar::Meta(id)) => Some(*id),
            _ => None,
        };
        loop {
            let before = open.len();
            for check in &self.checks {
                if let What::Related(Relation::Compares { operand, truth }, _) = &check.what
                    && let Some(id) = unknown(truth)
                    && unknown(operand).is_none_or(|of| open.contains(&of))
                {
                    open.insert(id);
                }
            }
            if open.len() == before {
                return;
            }
        }
    }

    /// Sizes and types may be used before they are declared, but be declared only once.
    fn declared_twice(&mut self, params: &[Param]) {
        let mut first: FxHashMap<&Name, Span> = FxHashMap::default();
        for param in params {
            let (ParamKind::Kinded(names, _) | ParamKind::Implicit(names, _)) = &param.kind else { continue };
            for name in names {
                let Some(before) = first.insert(&name.kind, name.span) else { continue };
                self.problem(
                    Diagnostic::error(codes::TAKEN, format!("Two parameters are called `{}`.", name.kind))
                        .label(name.span, "again")
                        .label(before, "first here")
                        .hint("Choose another name for one of them, or remove one."),
                );
            }
        }
    }

    /// One name is a value or a size: in `(x: n.f32) (k: i32): k.f32` who reads takes the two for one.
    fn sizes_called_as_values(&mut self, slots: &[Slot]) {
        for local in values(slots) {
            let local = &self.locals[local as usize];
            let (name, span) = (local.name.clone(), local.span);
            if self.scope.sizes.contains_key(&name) {
                self.problem(
                    Diagnostic::error(codes::TAKEN, format!("`{name}` is a value, and a size of the same name stands in the types."))
                        .label(span, "a value")
                        .note("A value is known only when the program runs, so the two would have nothing to do with each other.")
                        .hint(format!("If it is to be the size, declare it as one, `({name}: nat)`; if not, choose another name for one of them.")),
                );
            }
        }
    }

    fn param(&mut self, param: &Param, slots: &mut Vec<Slot>) {
        let (names, ty) = match &param.kind {
            ParamKind::Bare(name) => (std::slice::from_ref(name), None),
            ParamKind::Typed(names, ty) => (names.as_slice(), Some(self.ty(ty))),
            ParamKind::Kinded(..) | ParamKind::Implicit(..) | ParamKind::Pair(_) => {
                return self.size_param(param, slots);
            }
        };
        for name in names {
            let ty = ty.clone().unwrap_or_else(|| self.any());
            let known = self.scope.value(&name.kind);
            if let Some(first) = known {
                let first = self.locals[first as usize].span;
                self.problem(
                    Diagnostic::error(codes::TAKEN, format!("Two parameters are called `{}`.", name.kind))
                        .label(name.span, "again")
                        .label(first, "first here")
                        .hint("Choose another name for one of them."),
                );
            }
            let local = self.local(&name.kind, ty, name.span);
            self.scope.enter(&name.kind, local);
            slots.push(Slot::Value(local));
        }
    }

    /// `{n: nat}`, `(n: nat)` or `{t: data}`; in `/\n.` a bare name is a size.
    fn size_param(&mut self, param: &Param, slots: &mut Vec<Slot>) {
        let (names, kind, explicit) = match &param.kind {
            ParamKind::Bare(name) => (std::slice::from_ref(name), Kind::Nat, true),
            ParamKind::Kinded(names, kind) => (names.as_slice(), *kind, true),
            ParamKind::Implicit(names, kind) => (names.as_slice(), *kind, false),
            ParamKind::Typed(..) | ParamKind::Pair(_) => {
                let problem = Diagnostic::error(codes::MISPLACED, "`/\\` binds sizes, not values.");
                self.problem(problem.label(param.span, "a value").hint("Write `\\x. ...` for a value."));
                return;
            }
        };
        for name in names {
            self.declare(name, kind, explicit, slots);
        }
    }

    fn declare(&mut self, name: &ast::Ident, kind: Kind, explicit: bool, slots: &mut Vec<Slot>) {
        let taken = self.scope.sizes.contains_key(&name.kind) || self.scope.types.contains_key(&name.kind);
        match kind {
            // A size may be used in the types before it is declared, e.g. by `(a: n.f32) (n: nat)`.
            Kind::Nat if !self.scope.types.contains_key(&name.kind) => {
                self.scope.sizes.insert(name.kind.clone(), Nat::var(&name.kind));
                if explicit {
                    slots.push(Slot::Size(name.kind.clone()));
                }
            }
            Kind::Data if !taken && !explicit => {
                self.scope.types.insert(name.kind.clone(), Type::named(&name.kind));
            }
            Kind::Nat | Kind::Data if taken => {
                let what = if kind == Kind::Nat { "size" } else { "type" };
                let problem = Diagnostic::error(
                    codes::TAKEN,
                    format!("`{}` stands for something else than a {what} already.", name.kind),
                );
                self.problem(problem.label(name.span, "taken"));
            }
            _ => {
                let problem = Diagnostic::error(
                    codes::MISPLACED,
                    format!("A definition has no parameter of kind `{}` here.", kind.word()),
                );
                self.problem(
                    problem
                        .label(name.span, "not possible")
                        .note("Sizes are `(n: nat)` or `{n: nat}`, types are inferred: `{t: data}`."),
                );
            }
        }
    }

    /// The type of a result, or of a pattern that the program declares: sizes and types may be declared in front.
    fn signature(&mut self, t: &ast::Type, slots: &mut Vec<Slot>) -> Type {
        let mut at = t;
        while let ast::TypeKind::Forall { implicit, names, kind, body, .. } = &at.kind {
            for name in names {
                self.declare(name, *kind, !implicit, slots);
            }
            at = body;
        }
        self.ty(at)
    }

    /// A use of a definition: its tree, and the arguments that are left for its value parameters.
    pub fn use_of<'a>(&mut self, def: DefId, span: Span, args: &'a [Expr]) -> (Tree, Vec<&'a Expr>) {
        let mut instance = Instance::default();
        let slots = self.defs[def].slots.clone();
        let name = self.defs[def].name.clone();
        let last_size = slots.iter().rposition(|s| matches!(s, Slot::Size(_))).map_or(0, |i| i + 1);
        let mut rest = vec![];
        for (i, slot) in slots.iter().enumerate() {
            match (slot, args.get(i)) {
                (Slot::Size(size), Some(arg)) => {
                    let value = self.size(arg);
                    instance.nats.insert(NatVar::Named(size.clone()), value);
                }
                (Slot::Value(_), Some(arg)) => rest.push(arg),
                (Slot::Size(size), None) => {
                    let sizes = slots.iter().filter_map(|s| match s {
                        Slot::Size(size) => Some(size.clone()),
                        Slot::Value(_) => None,
                    });
                    self.missing_size(&name, size, &sizes.collect::<Vec<_>>(), span);
                    return (self.error_tree(span), rest);
                }
                (Slot::Value(_), None) if i < last_size => {}
                (Slot::Value(_), None) => break,
            }
        }
        rest.extend(args.iter().skip(slots.len()));
        let definition = &self.defs[def];
        let (sizes, types) = (definition.sizes.clone(), definition.types.clone());
        let mut open_nats: Vec<u32> = definition.open.nats.iter().copied().collect();
        let mut open_types: Vec<u32> = definition.open.types.iter().copied().collect();
        open_nats.sort_unstable();
        open_types.sort_unstable();
        for size in sizes {
            instance.nats.entry(NatVar::Named(size)).or_insert_with(|| self.u.fresh_nat());
        }
        for ty in types {
            instance.types.insert(TypeVar::Named(ty), self.data());
        }
        for id in open_nats {
            instance.nats.insert(NatVar::Meta(id), self.u.fresh_nat());
        }
        for id in open_types {
            let kind = self.u.kind(id);
            instance.types.insert(TypeVar::Meta(id), self.u.fresh_type(kind));
        }
        let definition = &self.defs[def];
        let ty = definition.ty.subst(&instance);
        let subst = |n: &Nat| n.subst(&|v| instance.nat(v));
        self.checks.extend(definition.checks.iter().map(|check| check.at_use(&instance, span)));
        let equations: Vec<(Nat, Nat, u32)> =
            definition.equations.iter().map(|e| (subst(&e.left), subst(&e.right), e.origin)).collect();
        for (left, right, origin) in equations {
            let mut place = self.places[origin as usize].clone();
            place.used_at = Some(span);
            self.places.push(place);
            let origin = (self.places.len() - 1) as u32;
            if let Err(mismatch) = self.u.unify_nats(&left, &right, origin) {
                self.report_mismatch(&mismatch);
            }
        }
        (Tree::new(Node::Def(def, Rc::new(instance)), ty, span), rest)
    }
}
