//! Abbreviations: which definition is meant by the kinds of the arguments, and what it stands for.

use super::{CONTAINS, Meaning, NOT, Reader, Scope};
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::Name;
use crate::lang::syntax::ast::{Arg, Expr, ExprKind, Ident, Kind, ParamKind};
use crate::lang::syntax::print;
use crate::lang::ty::Scalar;
use crate::sketch::library::{Definition, arity};
use crate::sketch::{Label, NatSketch, Shape, Sketch, TypeSketch};

impl Reader<'_> {
    /// Is this a pattern, and no sketch?
    fn is_pattern(&self, name: &str) -> bool {
        self.library.get(name).is_empty() && self.library.patterns.find(name).is_some()
    }

    /// The call of a pattern as an application, and so the calls of patterns within it.
    fn with_spaces(&self, head: &str, args: &[Arg]) -> String {
        let options = print::Options::default();
        let written = |arg: &Arg| match arg {
            Arg::Expr(e) => match &e.kind {
                ExprKind::Call(head, args) if self.is_pattern(&head.kind) => {
                    format!("({})", self.with_spaces(&head.kind, args))
                }
                _ => print::argument(e, &options),
            },
            Arg::Type(t) => print::ty(t, &options),
        };
        std::iter::once(head.to_string()).chain(args.iter().map(written)).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn call(&mut self, span: Span, name: &Ident, args: &[Arg], scope: &Scope) -> Sketch {
        if &*name.kind == NOT
            && scope.param(&name.kind).is_none()
            && let [Arg::Expr(left_out)] = args
        {
            return self.negation(name.span, left_out, scope);
        }
        if &*name.kind == CONTAINS {
            return match args {
                [Arg::Expr(s)] => Sketch::contains(self.sketch(s, &scope.within_contains())),
                _ => {
                    let d = Diagnostic::error("E0407", "`contains` takes one sketch.");
                    self.problem(d.label(span, "here"));
                    Sketch::any()
                }
            };
        }
        let library = self.library;
        let definitions = library.get(&name.kind);
        if definitions.is_empty() {
            // Reports the name, with the nearest one, unless it is a pattern.
            self.name(name.span, &name.kind, &Scope::default());
            if self.is_pattern(&name.kind) {
                let d = Diagnostic::error("E0407", format!("`{}` is a pattern, not a sketch.", name.kind));
                let hint = format!("Apply it with spaces: `{}`.", self.with_spaces(&name.kind, args));
                self.problem(d.label(span, "called like one").hint(hint));
            }
            return Sketch::any();
        }
        if self.unfolding.contains(&name.kind) {
            let d = Diagnostic::error("E0408", format!("The sketch `{}` is defined by itself.", name.kind));
            self.problem(d.label(span, "used in its own definition"));
            return Sketch::any();
        }
        let before = self.problems.len();
        for definition in definitions {
            if arity(&definition.def) != args.len() {
                continue;
            }
            if let Some(params) = self.bind(definition, args, scope) {
                let label = label(&name.kind, &params, scope.binders.len() as u32);
                self.unfolding.push(name.kind.clone());
                let inside = self.problems.len();
                let body = self.sketch(&definition.def.body, &Scope { params, ..Scope::default() });
                self.unfolding.pop();
                if self.problems.len() > inside
                    && let Some(d) = self.problems.last_mut()
                    && d.labels.iter().all(|l| l.span != span)
                {
                    *d = d.clone().label(span, format!("unfolded from here, with `{}`", label.text));
                }
                return Sketch::new(Shape::Named(label, body));
            }
            // The arguments are of other kinds: what was read of them is read again for the next definition.
            self.problems.truncate(before);
        }
        if self.problems.len() == before {
            let mut ways: Vec<String> = definitions.iter().map(shown).collect();
            ways.dedup();
            let d = Diagnostic::error("E0407", format!("`{}` does not take these arguments.", name.kind));
            let d = d.label(span, "here").note(format!("It is defined as {}.", ways.join(", ")));
            let mut sketches: Vec<String> = vec![];
            for arg in args {
                if let Arg::Expr(e) = arg {
                    sketches_in(e, scope, &mut |x| sketches.push(format!("`({x}: nat)`")));
                }
            }
            sketches.dedup();
            self.problem(match sketches.as_slice() {
                [] => d,
                all => d.hint(format!(
                    "A parameter without a type is a sketch; one that is a size is declared so: {}.",
                    all.join(", ")
                )),
            });
        }
        Sketch::any()
    }

    /// What the parameters of a definition mean, if the arguments have their kinds.
    pub(super) fn bind(
        &mut self,
        d: &Definition,
        args: &[Arg],
        scope: &Scope,
    ) -> Option<Vec<(Name, Meaning)>> {
        let mut out = vec![];
        let mut args = args.iter();
        for p in &d.def.params {
            for name in p.kind.names() {
                let meaning = match &p.kind {
                    ParamKind::Implicit(..) => continue,
                    ParamKind::Kinded(_, kind) => self.bind_kinded(*kind, args.next()?, scope)?,
                    ParamKind::Bare(_) | ParamKind::Pair(_) => {
                        let Arg::Expr(s) = args.next()? else { return None };
                        Meaning::Sketch(self.sketch(s, scope))
                    }
                    ParamKind::Typed(_, t) => {
                        let Arg::Expr(s) = args.next()? else { return None };
                        let s = self.sketch(s, scope);
                        Meaning::Sketch(Sketch::typed(s, self.ty(t, &Scope::default())))
                    }
                };
                out.push((name.kind.clone(), meaning));
            }
        }
        Some(out)
    }

    pub(super) fn bind_kinded(&mut self, kind: Kind, arg: &Arg, scope: &Scope) -> Option<Meaning> {
        match (kind, arg) {
            (Kind::Nat, Arg::Expr(e)) if self.looks_like_size(e, scope) => {
                Some(Meaning::Size(self.size(e, scope)))
            }
            (Kind::Data, Arg::Type(t)) => Some(Meaning::Type(self.ty(t, scope))),
            (Kind::Data, Arg::Expr(e)) => match &e.kind {
                ExprKind::Hole(_) => Some(Meaning::Type(TypeSketch::Any)),
                ExprKind::Name(name) => match scope.param(name) {
                    Some(Meaning::Type(t)) => Some(Meaning::Type(t.clone())),
                    _ => Scalar::from_name(name).map(|s| Meaning::Type(TypeSketch::Scalar(s))),
                },
                _ => None,
            },
            (Kind::Addr, Arg::Expr(e)) => self.address(e, scope).map(Meaning::Address),
            (Kind::Dim, Arg::Expr(e)) => self.dim(e, scope).map(Meaning::Dim),
            _ => None,
        }
    }
}

/// The abbreviation as it was written under so many binders, with its sizes as they are.
fn label(name: &Name, params: &[(Name, Meaning)], binders: u32) -> Label {
    if params.is_empty() {
        return Label { text: name.clone(), short: name.clone() };
    }
    let shown = |short: bool| {
        let args = params.iter().map(|(_, m)| match m {
            Meaning::Size(NatSketch::Is(n)) => n.to_string(),
            Meaning::Type(t) => t.to_string(),
            Meaning::Sketch(s) if short && !matches!(s.shape(), Shape::Any) => "…".to_owned(),
            Meaning::Sketch(s) => s.within(binders),
            Meaning::Address(a) => a.name().to_owned(),
            Meaning::Dim(d) => d.to_string(),
            Meaning::Size(NatSketch::Any) => "?".to_owned(),
        });
        format!("{name}({})", args.collect::<Vec<_>>().join(", ")).into()
    };
    Label { text: shown(false), short: shown(true) }
}

/// The head of a definition, for messages.
fn shown(d: &Definition) -> String {
    let params = d.def.params.iter().map(|p| {
        let names = p.kind.names().iter().map(|n| n.kind.to_string()).collect::<Vec<_>>().join(" ");
        match &p.kind {
            ParamKind::Kinded(_, kind) | ParamKind::Implicit(_, kind) => format!("{names}: {}", kind.word()),
            ParamKind::Bare(_) | ParamKind::Typed(..) | ParamKind::Pair(_) => names,
        }
    });
    format!("`{}({})`", d.def.name.kind, params.collect::<Vec<_>>().join(", "))
}

/// The parameters that are sketches, among the names that a size would be computed from.
fn sketches_in(e: &Expr, scope: &Scope, found: &mut dyn FnMut(&Name)) {
    match &e.kind {
        ExprKind::Name(name) if matches!(scope.param(name), Some(Meaning::Sketch(_))) => found(name),
        ExprKind::Neg(x) => sketches_in(x, scope, found),
        ExprKind::Infix(first, rest) => {
            [&**first]
                .into_iter()
                .chain(rest.iter().map(|(_, x)| x))
                .for_each(|x| sketches_in(x, scope, found));
        }
        _ => {}
    }
}
