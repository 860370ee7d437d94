//! Text to sketches: names get their meaning, abbreviations unfold.
//!
//! In: a tree, the definitions, the names of the program's sizes. Out: a closed [`Sketch`], or the problems.

use super::library::{Definition, Library, arity};
use super::{ArgSketch, Label, NatSketch, Number, Shape, Sketch, TypeSketch};
use crate::lang::MAX_DEPTH;
use crate::lang::build::arity as arguments_of;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::{Name, Nat, NatFun};
use crate::lang::pattern::{self, AddressSpace, Pattern};
use crate::lang::permutation;
use crate::lang::syntax::ast::{self, Arg, ExprKind, Ident, Kind, Op, ParamKind};
use crate::lang::syntax::pairs;
use crate::lang::ty::Scalar;

/// The one sketch that is no pattern and no abbreviation.
const CONTAINS: &str = "contains";

/// Abbreviations that unfold to more parts than this are refused.
const MAX_PARTS: usize = 10_000;

/// Reads a sketch. `sizes` are the names that the program gives to its sizes.
///
/// # Errors
/// Every problem found: an unknown name, wrong arguments, what has no meaning in a sketch.
pub fn read(sketch: &ast::Sketch, library: &Library, sizes: &[Name]) -> Result<Sketch, Vec<Diagnostic>> {
    read_with(sketch, library, sizes, &[])
}

/// As [`read()`], where further names stand for sizes; of two the first counts.
///
/// # Errors
/// As [`read()`].
pub fn read_with(
    sketch: &ast::Sketch,
    library: &Library,
    sizes: &[Name],
    values: &[(Name, Nat)],
) -> Result<Sketch, Vec<Diagnostic>> {
    let mut reader = Reader { library, sizes, problems: vec![], parts: 0, unfolding: vec![], holes: vec![] };
    let values = values.iter().rev();
    let params = values.map(|(name, n)| (name.clone(), Meaning::Size(NatSketch::Is(n.clone())))).collect();
    let read = reader.sketch(sketch, &Scope { params, ..Scope::default() });
    if reader.problems.is_empty() { Ok(read) } else { Err(reader.problems) }
}

/// What the names mean that are bound in a sketch or by the definition it stands in.
#[derive(Clone, Default)]
struct Scope {
    params: Vec<(Name, Meaning)>,
    /// Binders of the sketch's lambdas, innermost last; those below `closed` are outside a `contains`.
    binders: Vec<Name>,
    closed: usize,
}

#[derive(Clone)]
enum Meaning {
    Size(NatSketch),
    Type(TypeSketch),
    Sketch(Sketch),
    Address(AddressSpace),
    Dim(u8),
}

/// What can be done about a problem where nothing more special is known.
fn usual_hint(code: &str) -> &'static str {
    match code {
        "E0403" => "Write `?` where any will do.",
        "E0404" => "`shine-tui patterns` lists the patterns.",
        "E0406" | "E0409" => "Write a size of the program, a number, or `?` for any.",
        "E0407" => "Call it as it is defined, with `?` for what is open.",
        "E0408" => "Write it with `contains`, which looks at every depth by itself.",
        "E0410" => "Use fewer abbreviations within each other.",
        _ => "Describe the program that is wanted, with `?` for what is open.",
    }
}

struct Reader<'a> {
    library: &'a Library,
    sizes: &'a [Name],
    problems: Vec<Diagnostic>,
    parts: usize,
    /// Definitions that are being unfolded.
    unfolding: Vec<Name>,
    /// The names that holes have, with their places.
    holes: Vec<Ident>,
}

impl Scope {
    fn param(&self, name: &str) -> Option<&Meaning> {
        self.params.iter().rev().find(|(n, _)| **n == *name).map(|(_, m)| m)
    }
    fn under(&self, name: &Name) -> Scope {
        let mut inner = self.clone();
        inner.binders.push(name.clone());
        inner
    }
    fn within_contains(&self) -> Scope {
        let mut inner = self.clone();
        inner.closed = inner.binders.len();
        inner
    }
}

impl Reader<'_> {
    fn problem(&mut self, d: Diagnostic) {
        if self.problems.len() < 20 {
            let hint = usual_hint(d.code);
            self.problems.push(if d.hints.is_empty() { d.hint(hint) } else { d });
        }
    }

    fn sketch(&mut self, e: &ast::Expr, scope: &Scope) -> Sketch {
        self.parts += 1;
        if self.parts > MAX_PARTS || self.unfolding.len() > MAX_DEPTH {
            if self.problems.is_empty() {
                let d = Diagnostic::error("E0410", "This sketch unfolds to too many parts.");
                self.problem(d.label(e.span, format!("more than {MAX_PARTS} parts")));
            }
            return Sketch::any();
        }
        match &e.kind {
            ExprKind::Hole(name) => {
                self.hole(e.span, name.as_ref());
                Sketch::any()
            }
            ExprKind::Error => Sketch::any(),
            ExprKind::Name(name) => self.name(e.span, name, scope),
            ExprKind::Number(n) => Self::number(n, false),
            ExprKind::App(f, args) => self.application(f, args, scope),
            ExprKind::Lam(params, body) => self.lambda(params, body, scope),
            ExprKind::Pipe(first, stages) => {
                let first = self.sketch(first, scope);
                stages.iter().fold(first, |x, stage| {
                    let f = self.sketch(stage, scope);
                    Sketch::app(f, x)
                })
            }
            ExprKind::Compose(first, rest) => {
                let inner = scope.under(&"".into());
                let x = Sketch::new(Shape::Var(0));
                let body = std::iter::once(&**first).chain(rest).fold(x, |x, f| {
                    let f = self.sketch(f, &inner);
                    Sketch::app(f, x)
                });
                Sketch::new(Shape::Lam(body))
            }
            ExprKind::Infix(first, rest) => {
                let first = self.sketch(first, scope);
                rest.iter().fold(first, |left, (op, right)| {
                    let right = self.sketch(right, scope);
                    let f = self.operator(e.span, *op);
                    Sketch::app(Sketch::app(f, left), right)
                })
            }
            ExprKind::Neg(x) => {
                let inner = self.sketch(x, scope);
                let negated = Sketch::app(Sketch::pattern(Pattern::Neg), inner);
                match &x.kind {
                    ExprKind::Number(n) => Sketch::new(Shape::Or(vec![Self::number(n, true), negated])),
                    _ => negated,
                }
            }
            ExprKind::Section(op) => self.operator(e.span, *op),
            ExprKind::Array(items) => {
                let k = ArgSketch::Nat(NatSketch::Is(Nat::constant(items.len() as i64)));
                let head = Sketch::new(Shape::Pattern(Pattern::MakeArray, vec![k]));
                items.iter().fold(head, |f, x| {
                    let x = self.sketch(x, scope);
                    Sketch::app(f, x)
                })
            }
            ExprKind::Tuple(items) => {
                let mut items: Vec<Sketch> = items.iter().map(|x| self.sketch(x, scope)).collect();
                let mut pair = items.pop().unwrap_or_else(Sketch::any);
                while let Some(x) = items.pop() {
                    pair = Sketch::app(Sketch::app(Sketch::pattern(Pattern::MakePair), x), pair);
                }
                pair
            }
            ExprKind::Let { param, value, body } => {
                let names = param.kind.names();
                let [name] = names.as_slice() else {
                    return self.sketch(&pairs::written_out(e, &mut vec![]), scope);
                };
                let value = self.sketch(value, scope);
                let body = self.sketch(body, &scope.under(&name.kind));
                Sketch::app(Sketch::new(Shape::Lam(body)), value)
            }
            ExprKind::Ascribe(x, t) => {
                let x = self.sketch(x, scope);
                Sketch::typed(x, self.ty(t, scope))
            }
            ExprKind::Call(name, args) => self.call(e.span, name, args, scope),
            ExprKind::Or(all) | ExprKind::And(all) => {
                let parts = all.iter().map(|s| self.sketch(s, scope)).collect();
                let or = matches!(e.kind, ExprKind::Or(_));
                Sketch::new(if or { Shape::Or(parts) } else { Shape::And(parts) })
            }
            ExprKind::Subst { .. } | ExprKind::NatLam(..) => {
                let d = Diagnostic::error("E0401", "This has no meaning in a sketch.");
                self.problem(
                    d.label(e.span, "substitutions and size parameters belong to rules and programs"),
                );
                Sketch::any()
            }
        }
    }

    fn name(&mut self, span: Span, name: &Name, scope: &Scope) -> Sketch {
        if let Some(at) = scope.binders.iter().rposition(|b| b == name) {
            if at < scope.closed {
                let d = Diagnostic::error("E0402", format!("`{name}` cannot be used within `contains`."));
                self.problem(
                    d.label(span, "bound outside of it")
                        .note("Inside `contains`, the number of binders between this place and the lambda is open.")
                        .hint("Bind the variable inside `contains`, or write `?` here."),
                );
                return Sketch::any();
            }
            return Sketch::new(Shape::Var((scope.binders.len() - 1 - at) as u32));
        }
        match scope.param(name) {
            Some(Meaning::Sketch(s)) => return s.clone(),
            Some(Meaning::Size(NatSketch::Is(n))) => {
                if let Some(c) = n.as_constant() {
                    let digits = c.to_string().into();
                    return Sketch::new(Shape::Number(Number { digits, scalar: None }));
                }
            }
            Some(_) | None => {}
        }
        if scope.param(name).is_none() {
            if let Some(p) = self.library.patterns.find(name) {
                return Sketch::pattern(p);
            }
            if &**name == CONTAINS {
                let d = Diagnostic::error("E0407", "`contains` takes its sketch in parentheses.");
                self.problem(d.label(span, "without one").hint("Write `contains(map)`."));
                return Sketch::any();
            }
            if !self.library.get(name).is_empty() {
                let ident = Ident::new(span, name.clone());
                return self.call(span, &ident, &[], scope);
            }
        }
        if scope.param(name).is_some() || self.sizes.contains(name) {
            let d = Diagnostic::error("E0403", format!("`{name}` is a size or a type, not a sketch."));
            self.problem(d.label(span, "a set of terms is needed here"));
            return Sketch::any();
        }
        let patterns = self.library.patterns.names();
        let known: Vec<&str> = patterns
            .chain(self.library.names().map(|n| &**n))
            .chain([CONTAINS, "and", "or"])
            .chain(scope.params.iter().map(|(n, _)| &**n))
            .chain(scope.binders.iter().map(|n| &**n))
            .collect();
        let d = Diagnostic::error("E0404", format!("There is no pattern or sketch called `{name}`."));
        self.problem(d.label(span, "not known").did_you_mean(name, known));
        Sketch::any()
    }

    fn number(n: &ast::Number, negative: bool) -> Sketch {
        let scalar = n.suffix.as_ref().and_then(|s| Scalar::from_name(s));
        let digits = if negative { format!("-{}", n.digits).into() } else { n.digits.clone() };
        Sketch::new(Shape::Number(Number { digits, scalar }))
    }

    fn operator(&mut self, span: Span, op: Op) -> Sketch {
        match pattern::all().iter().find(|r| r.pattern.operator() == Some(op.symbol())) {
            Some(row) => Sketch::pattern(row.pattern),
            None => {
                let d = Diagnostic::error("E0401", format!("`{}` has no meaning in a sketch.", op.symbol()));
                self.problem(d.label(span, "an operator on sizes"));
                Sketch::any()
            }
        }
    }

    fn lambda(&mut self, params: &[ast::Param], body: &ast::Expr, scope: &Scope) -> Sketch {
        let mut inner = scope.clone();
        let mut types = vec![];
        let (params, body) = pairs::function(params, body, pairs::plainly);
        for (p, _) in &params {
            let t = match &p.kind {
                ParamKind::Typed(_, t) => self.ty(t, scope),
                ParamKind::Bare(_) => TypeSketch::Any,
                ParamKind::Kinded(..) | ParamKind::Implicit(..) | ParamKind::Pair(_) => {
                    let d = Diagnostic::error("E0401", "Lambdas of a sketch bind terms only.");
                    self.problem(d.label(p.span, "sizes and types cannot be bound here"));
                    TypeSketch::Any
                }
            };
            for name in p.kind.names() {
                inner.binders.push(name.kind.clone());
                types.push(t.clone());
            }
        }
        let body = self.sketch(&body, &inner);
        types.into_iter().rev().fold(body, |body, t| {
            let lam = Sketch::new(Shape::Lam(body));
            if t == TypeSketch::Any { lam } else { Sketch::typed(lam, TypeSketch::fun(t, TypeSketch::Any)) }
        })
    }

    /// An application: a pattern takes its explicit arguments first.
    fn application(&mut self, f: &ast::Expr, args: &[ast::Expr], scope: &Scope) -> Sketch {
        if self.is_no_function(f, args, scope) {
            return Sketch::any();
        }
        let mut args = args.iter();
        let head = match &f.kind {
            ExprKind::Name(name) if scope.param(name).is_none() && !scope.binders.contains(name) => {
                match self.library.patterns.find(name) {
                    Some(p) => self.explicit_arguments(p, &mut args, scope),
                    None => self.sketch(f, scope),
                }
            }
            _ => self.sketch(f, scope),
        };
        let left = args.as_slice().len();
        if let Shape::Pattern(p, _) = head.shape()
            && let Some(most) = most_arguments(*p)
            && left > most
        {
            let takes = if most == 1 { "one argument".to_owned() } else { format!("{most} arguments") };
            let d = Diagnostic::error("E0407", format!("`{p}` takes {takes}, and here are {left}."));
            self.problem(
                d.label(f.span, "no program has more")
                    .hint("Remove one, or put it into parentheses with what it belongs to."),
            );
        }
        args.fold(head, |f, x| {
            let x = self.sketch(x, scope);
            Sketch::app(f, x)
        })
    }

    /// Reports what is written as an application and means something else to who wrote it.
    fn is_no_function(&mut self, f: &ast::Expr, args: &[ast::Expr], scope: &Scope) -> bool {
        let problem = match &f.kind {
            ExprKind::Call(name, _) => {
                let message = format!("A set of programs, `{}(…)`, is applied here.", name.kind);
                let d = Diagnostic::error("E0407", message).label(f.span, "no function");
                d.hint("Put `and` or `or` between two sketches; for an application whose function is like this, write `(… : ? -> ?) ?`.")
            }
            ExprKind::Name(name)
                if &**name == "not"
                    && scope.param(name).is_none()
                    && !scope.binders.contains(name)
                    && !args.first().is_some_and(|e| self.is_truth_value(e, scope)) =>
            {
                self.no_negation(f.span)
            }
            _ => return false,
        };
        self.problem(problem);
        true
    }

    /// Is this plainly a value that the pattern `not` can be applied to, and no set of programs to be left out?
    fn is_truth_value(&self, e: &ast::Expr, scope: &Scope) -> bool {
        match &e.kind {
            ExprKind::Hole(_) | ExprKind::Ascribe(..) => true,
            ExprKind::Infix(_, rest) => rest.iter().any(|(op, _)| op.is_comparison()),
            ExprKind::Name(name) => scope.binders.contains(name),
            ExprKind::App(f, _) => match &f.kind {
                ExprKind::Name(name) => self.library.patterns.find(name).is_some_and(gives_truth_value),
                _ => false,
            },
            _ => false,
        }
    }

    fn no_negation(&self, span: Span) -> Diagnostic {
        Diagnostic::error("E0417", "A sketch cannot say what a program must not be like.")
            .label(span, "sketches have no negation")
            .note("`not` is the pattern on truth values: `not ?`, `not (? == ?)`, `not (… : bool)`.")
            .hint("Say what should stand there instead, or leave out of `using` the rules that make what is not wanted.")
    }

    /// Notes a hole. A name promises that equal names stand for equal programs, which is not so.
    fn hole(&mut self, span: Span, name: Option<&Name>) {
        let Some(name) = name else { return };
        if let Some(first) = self.holes.iter().find(|h| h.kind == *name).map(|h| h.span)
            && first != span
        {
            let d = Diagnostic::error("E0418", format!("The hole `?{name}` stands twice."));
            self.problem(
                d.label(span, "again")
                    .label(first, "first here")
                    .note("Each hole stands for any program, and nothing says that two are the same.")
                    .hint("Write `?` for both."),
            );
        }
        self.holes.push(Ident::new(span, name.clone()));
    }

    fn explicit_arguments(
        &mut self,
        p: Pattern,
        args: &mut std::slice::Iter<'_, ast::Expr>,
        scope: &Scope,
    ) -> Sketch {
        let mut out = vec![];
        for (kind, optional) in explicit_params(p) {
            let Some(arg) = args.as_slice().first() else { break };
            let found = match kind {
                "nat" => Some(ArgSketch::Nat(self.size(arg, scope))),
                "nat2nat" => match self.function(arg, scope) {
                    // What is wrong with it has been said.
                    None if matches!(arg.kind, ExprKind::NatLam(..)) => Some(ArgSketch::Any),
                    f => f.map(ArgSketch::Fun),
                },
                "addr" => self.address(arg, scope).map(ArgSketch::Addr),
                _ => self.dim(arg, scope).map(ArgSketch::Dim),
            };
            match (found, optional, &arg.kind) {
                (Some(a), ..) => {
                    out.push(a);
                    args.next();
                }
                // Left out: any will do.
                (None, true, _) => out.push(ArgSketch::Any),
                (None, false, ExprKind::Hole(_)) => {
                    out.push(ArgSketch::Any);
                    args.next();
                }
                (None, false, _) => {
                    let d = Diagnostic::error("E0406", format!("`{p}` needs a {kind} here."));
                    self.problem(d.label(arg.span, "not one"));
                    args.next();
                    out.push(ArgSketch::Any);
                }
            }
        }
        while out.last() == Some(&ArgSketch::Any) {
            out.pop();
        }
        Sketch::new(Shape::Pattern(p, out))
    }

    /// A function of sizes; none where it is none, or where a problem was reported.
    fn function(&mut self, e: &ast::Expr, scope: &Scope) -> Option<NatFun> {
        let ExprKind::NatLam(params, body) = &e.kind else { return None };
        let names: Vec<&Ident> = params.iter().flat_map(|p| p.kind.names()).collect();
        let [name] = names.as_slice() else {
            let d = Diagnostic::error("E0406", "This function takes one size.");
            self.problem(d.label(e.span, "more than one parameter"));
            return None;
        };
        let mut inner = scope.clone();
        inner.params.push((name.kind.clone(), Meaning::Size(NatSketch::Is(NatFun::parameter()))));
        match self.size(body, &inner) {
            NatSketch::Is(n) => Some(NatFun::new(&name.kind, n)),
            NatSketch::Any => None,
        }
    }

    fn address(&self, e: &ast::Expr, scope: &Scope) -> Option<AddressSpace> {
        let ExprKind::Name(name) = &e.kind else { return None };
        match scope.param(name) {
            Some(Meaning::Address(a)) => Some(*a),
            Some(_) => None,
            None => AddressSpace::from_name(name),
        }
    }

    fn dim(&self, e: &ast::Expr, scope: &Scope) -> Option<u8> {
        match &e.kind {
            ExprKind::Number(n) => n.as_int().and_then(|d| u8::try_from(d).ok()).filter(|d| *d < 3),
            ExprKind::Name(name) => match scope.param(name) {
                Some(Meaning::Dim(d)) => Some(*d),
                _ => None,
            },
            _ => None,
        }
    }

    fn call(&mut self, span: Span, name: &Ident, args: &[Arg], scope: &Scope) -> Sketch {
        if &*name.kind == "not" && scope.param(&name.kind).is_none() {
            let d = self.no_negation(name.span);
            self.problem(d);
            return Sketch::any();
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
            if self.library.patterns.find(&name.kind).is_some() {
                let d = Diagnostic::error("E0407", format!("`{}` is a pattern, not a sketch.", name.kind));
                self.problem(d.label(span, "called like one").hint("Apply it with spaces: `map f x`."));
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
                let label = label(&name.kind, &params);
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
            self.problem(d.label(span, "here").note(format!("It is defined as {}.", ways.join(", "))));
        }
        Sketch::any()
    }

    /// What the parameters of a definition mean, if the arguments have their kinds.
    fn bind(&mut self, d: &Definition, args: &[Arg], scope: &Scope) -> Option<Vec<(Name, Meaning)>> {
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

    fn bind_kinded(&mut self, kind: Kind, arg: &Arg, scope: &Scope) -> Option<Meaning> {
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

    /// Whether an argument is meant as a size: so that an unknown name is reported as one.
    fn looks_like_size(&self, e: &ast::Expr, scope: &Scope) -> bool {
        match &e.kind {
            ExprKind::Hole(_) | ExprKind::Error => true,
            ExprKind::Number(n) => n.as_int().is_some(),
            ExprKind::Name(name) => match scope.param(name) {
                Some(Meaning::Size(_)) => true,
                Some(_) => false,
                None => {
                    !scope.binders.contains(name)
                        && self.library.patterns.find(name).is_none()
                        && self.library.get(name).is_empty()
                        && Scalar::from_name(name).is_none()
                }
            },
            ExprKind::Neg(x) => self.looks_like_size(x, scope),
            ExprKind::Infix(first, rest) => {
                self.looks_like_size(first, scope) && rest.iter().all(|(_, x)| self.looks_like_size(x, scope))
            }
            _ => false,
        }
    }

    fn size(&mut self, e: &ast::Size, scope: &Scope) -> NatSketch {
        if let ExprKind::Hole(name) = &e.kind {
            self.hole(e.span, name.as_ref());
            return NatSketch::Any;
        }
        if let ExprKind::Error = e.kind {
            return NatSketch::Any;
        }
        match self.nat(e, scope) {
            Some(n) => n,
            None => NatSketch::Any,
        }
    }

    /// The size, or none after a problem was reported.
    fn nat(&mut self, e: &ast::Size, scope: &Scope) -> Option<NatSketch> {
        let refuse = |reader: &mut Self, what: &str| {
            let d = Diagnostic::error("E0409", "This is not a size.");
            reader.problem(d.label(e.span, what.to_owned()));
            None
        };
        let n = match &e.kind {
            ExprKind::Number(n) => match n.as_int() {
                Some(i) => Nat::constant(i),
                None => return refuse(self, "sizes are whole numbers without a type"),
            },
            ExprKind::Name(name) => match scope.param(name) {
                Some(Meaning::Size(n)) => return Some(n.clone()),
                Some(_) => return refuse(self, "this name stands for something else"),
                None if self.sizes.contains(name) => Nat::var(name),
                None => {
                    let known: Vec<&str> = self.sizes.iter().map(|n| &**n).collect();
                    let mut d =
                        Diagnostic::error("E0403", format!("The program has no size called `{name}`."))
                            .label(e.span, "not a size of the program");
                    d = if known.is_empty() {
                        d.note("The program has no named sizes.")
                    } else {
                        d.note(format!("Its sizes are {}.", known.join(", ")))
                    };
                    self.problem(d.did_you_mean(name, known));
                    return None;
                }
            },
            ExprKind::Neg(x) => Nat::constant(0).sub(&self.known(x, scope)?),
            ExprKind::Infix(first, rest) => {
                let mut n = self.known(first, scope)?;
                for (op, x) in rest {
                    let m = self.known(x, scope)?;
                    n = match op {
                        Op::Add => n.add(&m),
                        Op::Sub => n.sub(&m),
                        Op::Mul => n.mul(&m),
                        Op::Div if !permutation::divides_evenly(&n, &m) => n.floor_div(&m),
                        Op::Div => n.exact_div(&m),
                        Op::FloorDiv => n.floor_div(&m),
                        Op::Rem => n.modulo(&m),
                        Op::Pow => match m.as_constant().and_then(|c| u32::try_from(c).ok()) {
                            Some(c) => n.pow(c),
                            None => return refuse(self, "an exponent must be a number"),
                        },
                        _ => return refuse(self, "comparisons are no sizes"),
                    };
                }
                n
            }
            _ => return refuse(self, "sizes are made of names, numbers and + - * / % div ^"),
        };
        if n.is_poison() {
            return refuse(self, "out of range, or a division by zero");
        }
        Some(NatSketch::Is(n))
    }

    /// A size within a larger one, where a hole would say nothing.
    fn known(&mut self, e: &ast::Size, scope: &Scope) -> Option<Nat> {
        let n = if let ExprKind::Hole(_) = e.kind { Some(NatSketch::Any) } else { self.nat(e, scope) };
        match n? {
            NatSketch::Is(n) => Some(n),
            NatSketch::Any => {
                let d = Diagnostic::error("E0409", "A hole must be a whole size.");
                self.problem(d.label(e.span, "part of a larger one").hint("Write `?` for the whole size."));
                None
            }
        }
    }

    fn ty(&mut self, t: &ast::Type, scope: &Scope) -> TypeSketch {
        use ast::TypeKind as T;
        match &t.kind {
            T::Hole(name) => {
                self.hole(t.span, name.as_ref());
                TypeSketch::Any
            }
            T::Error => TypeSketch::Any,
            T::Name(name) => match (scope.param(name), Scalar::from_name(name)) {
                (Some(Meaning::Type(t)), _) => t.clone(),
                (None, Some(s)) => TypeSketch::Scalar(s),
                (None, None) if &**name == "natType" => TypeSketch::NatType,
                _ => {
                    let params = scope.params.iter().map(|(n, _)| &**n);
                    let known: Vec<&str> = Scalar::ALL.iter().map(|s| s.name()).chain(params).collect();
                    let d = Diagnostic::error("E0403", format!("There is no type called `{name}`."));
                    self.problem(
                        d.label(t.span, "not known")
                            .did_you_mean(name, known)
                            .hint("Write `?` for any type."),
                    );
                    TypeSketch::Any
                }
            },
            T::Array(n, t) => TypeSketch::Array(self.size(n, scope), Box::new(self.ty(t, scope))),
            T::Vector(n, t) => TypeSketch::Vector(self.size(n, scope), Box::new(self.ty(t, scope))),
            T::Index(n) => TypeSketch::Index(self.size(n, scope)),
            T::Pair(a, b) => TypeSketch::Pair(Box::new(self.ty(a, scope)), Box::new(self.ty(b, scope))),
            T::Fun(a, b) => TypeSketch::fun(self.ty(a, scope), self.ty(b, scope)),
            T::Forall { .. } => {
                let d = Diagnostic::error("E0401", "Sketches speak of types without parameters.");
                self.problem(d.label(t.span, "write `?` for what may vary"));
                TypeSketch::Any
            }
        }
    }
}

/// The abbreviation as it was written, with its sizes as they are.
fn label(name: &Name, params: &[(Name, Meaning)]) -> Label {
    if params.is_empty() {
        return Label { text: name.clone(), short: name.clone() };
    }
    let shown = |short: bool| {
        let args = params.iter().map(|(_, m)| match m {
            Meaning::Size(NatSketch::Is(n)) => n.to_string(),
            Meaning::Type(t) => t.to_string(),
            Meaning::Sketch(s) if short && !matches!(s.shape(), Shape::Any) => "…".to_owned(),
            Meaning::Sketch(s) => s.to_string(),
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

/// The most values that the pattern can be applied to, where that does not depend on its explicit arguments.
fn most_arguments(p: Pattern) -> Option<usize> {
    if matches!(p, Pattern::MakeArray) { None } else { arguments_of(p, &[]) }
}

/// May a whole application of the pattern be a truth value?
fn gives_truth_value(p: Pattern) -> bool {
    let result = p.row().scheme.rsplit("->").next().unwrap_or_default().trim();
    // A type variable can be any.
    result == "bool" || result.len() == 1
}

/// The kinds of a pattern's explicit arguments, and whether they may be left out, from its type scheme.
pub fn explicit_params(p: Pattern) -> Vec<(&'static str, bool)> {
    let mut out = vec![];
    let mut rest = p.row().scheme.trim_start();
    while let Some(open) = rest.chars().next().filter(|c| matches!(c, '(' | '{')) {
        let close = if open == '(' { ')' } else { '}' };
        let Some((binder, after)) = rest[1..].split_once(close) else { break };
        // A pair type at the front of a type has no colon.
        let Some((names, kind)) = binder.split_once(':') else { break };
        rest = after.trim_start();
        if open == '(' {
            let (kind, optional) = match kind.split_once('=') {
                Some((kind, _)) => (kind.trim(), true),
                None => (kind.trim(), false),
            };
            out.extend(names.split_whitespace().map(|_| (kind, optional)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::Sources;
    use crate::lang::syntax::{parse_elevate, parse_sketch};

    fn read_text(text: &str) -> Result<Sketch, Vec<Diagnostic>> {
        let file = Sources::new().add("s", text);
        let (tree, problems) = parse_sketch(file, text);
        assert!(problems.is_empty(), "{problems:?}");
        read(&tree, &Library::builtin(), &["m".into(), "n".into(), "k".into()])
    }

    fn messages(text: &str) -> Vec<String> {
        read_text(text).unwrap_err().into_iter().map(|d| format!("{}: {}", d.code, d.message)).collect()
    }

    #[test]
    fn abbreviations_unfold_by_kind_and_number() {
        let shown = |text: &str| read_text(text).unwrap().bare().to_string();
        assert_eq!(shown("containsMap(m / 32, ?)"), "contains((map : ? -> (m/32).? -> ?) ?)");
        assert_eq!(shown("containsMap(32.f32, ?)"), "contains((map : ? -> 32.f32 -> ?) ?)");
        assert_eq!(
            shown("containsMap(n, ?, transpose ?)"),
            "contains((map : ? -> n.? -> ?) ? (transpose ?))"
        );
        assert_eq!(shown("containsAddMul"), "contains(add ? contains(mul))");
        assert_eq!(shown("containsToMem(n.k.f32, ?)"), "contains(let ((toMem : ? -> n.k.f32) ?))");
        assert_eq!(shown("containsMap(?, f) or ?".replace("f", "?").as_str()), "containsMap(?, ?) or ?");
        assert_eq!(shown(r"\x y. x + ?"), r"\x0. \x1. add x0 ?");
        assert_eq!(shown("? |> split 32 |> join"), "join (split 32 ?)");
        assert_eq!(shown("(? : <?>f32)"), "(? : <?>f32)");
        assert_eq!(shown("mapGlobal ? ?"), "mapGlobal ? ?");
        assert_eq!(shown("toMem global ?"), "(toMem global) ?".replace(['(', ')'], ""));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "containsMap(m/32, containsMap(n/32, containsReduceSeq(k/4, containsAddMul)))",
            "contains((let (toMem ?)) and contains(mapPar))",
            r"\x0. add x0 (mul ? 2.5f32)",
        ] {
            let once = read_text(text).unwrap();
            assert_eq!(read_text(&once.to_string()).unwrap(), once, "{once}");
        }
    }

    #[test]
    fn mistakes_have_their_own_messages() {
        assert_eq!(messages("containsMap(q, ?)"), ["E0403: The program has no size called `q`."]);
        assert_eq!(
            messages("containsMpa(n, ?)"),
            ["E0404: There is no pattern or sketch called `containsMpa`."]
        );
        assert_eq!(messages("containsMap(n)"), ["E0407: `containsMap` does not take these arguments."]);
        assert_eq!(messages("n"), ["E0403: `n` is a size or a type, not a sketch."]);
        assert_eq!(messages(r"\x. contains(x)"), ["E0402: `x` cannot be used within `contains`."]);
        assert_eq!(messages("(? : 3.t -> ?)"), ["E0403: There is no type called `t`."]);
        assert_eq!(messages("containsMap(32 * ?, ?)"), ["E0409: A hole must be a whole size."]);
        assert_eq!(messages("containsMap(n/0, ?)"), ["E0409: This is not a size."]);
        assert_eq!(messages("map(n, ?)"), ["E0407: `map` is a pattern, not a sketch."]);
        assert_eq!(messages("foo and bar").len(), 2);
    }

    #[test]
    fn words_that_would_mean_something_else_are_refused() {
        let negation = ["E0417: A sketch cannot say what a program must not be like."];
        for text in [
            "not contains(map)",
            "contains(map) and not contains(zip)",
            "not(map)",
            "not map",
            "not (map ? ?)",
        ] {
            assert_eq!(messages(text), negation, "{text}");
        }
        assert_eq!(messages("contains(not containsMap(n, ?))"), negation);
        for text in [
            "not ?",
            "contains(not)",
            "not (? == ?)",
            "not (lt ? ?)",
            "not (contains(map) : bool)",
            r"\x. not x",
        ] {
            assert!(read_text(text).is_ok(), "{text}");
        }
        assert!(read_text("contains(map) |> not").is_ok());

        assert_eq!(messages("map ?f (map ?f ?)"), ["E0418: The hole `?f` stands twice."]);
        assert_eq!(messages("containsMap(?n, containsMap(?n, ?))"), ["E0418: The hole `?n` stands twice."]);
        assert!(read_text("containsMap(?n, containsMap(?m, ?g))").is_ok());

        assert_eq!(messages("map ? ? ?"), ["E0407: `map` takes 2 arguments, and here are 3."]);
        assert_eq!(messages("split 32 ? ?"), ["E0407: `split` takes one argument, and here are 2."]);
        assert_eq!(
            messages("contains(map) contains(zip)"),
            ["E0407: A set of programs, `contains(…)`, is applied here."]
        );
        assert!(read_text("(contains(map) : ? -> ?) ?").is_ok());
        for text in ["contains map", "contains (map) ?", "contains", "contains(contains)"] {
            assert!(messages(text)[0].starts_with("E0407: "), "{text}: {:?}", messages(text));
        }
        for (text, hint) in
            [("contain(map)", "`contains`"), ("conatins(map)", "`contains`"), ("Contains(map)", "`contains`")]
        {
            let problems = read_text(text).unwrap_err();
            assert!(problems[0].hints[0].contains(hint), "{text}: {problems:?}");
        }
    }

    #[test]
    fn definitions_that_do_not_end_are_refused() {
        let text = "sketch a = contains(b)\nsketch b = a\nsketch c0 = ?\n".to_owned()
            + &(1..30).map(|i| format!("sketch c{i} = c{0} or c{0}\n", i - 1)).collect::<String>();
        let (file, problems) = parse_elevate(Sources::new().add("s", &text), &text);
        assert!(problems.is_empty());
        let mut library = Library::builtin();
        library.add(&file);
        for (name, code) in [("a", "E0408"), ("c29", "E0410")] {
            let (tree, _) = parse_sketch(Sources::new().add("s", name), name);
            let problems = read(&tree, &library, &[]).unwrap_err();
            assert_eq!(problems[0].code, code);
        }
    }

    #[test]
    fn explicit_arguments_follow_the_schemes() {
        assert_eq!(explicit_params(Pattern::Slide), [("nat", false), ("nat", false)]);
        assert_eq!(explicit_params(Pattern::ReduceSeq), [("addr", true)]);
        assert_eq!(
            explicit_params(Pattern::CircularBuffer),
            [("addr", true), ("nat", false), ("nat", false)]
        );
        assert_eq!(explicit_params(Pattern::Fst), []);
    }
}
