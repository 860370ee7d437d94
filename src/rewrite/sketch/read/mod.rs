//! Text to sketches: names get their meaning, abbreviations unfold.
//!
//! In: a tree, the definitions, the names of the program's sizes. Out: a closed [`Sketch`], or the problems.

mod abbreviations;
mod patterns;
pub(super) use patterns::explicit_params;
mod sizes;

use super::holes::holes_in;
use super::{ArgSketch, Library, NatSketch, Number, Shape, Sketch, TypeSketch};
use crate::lang::MAX_DEPTH;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::{self, AddressSpace, Pattern};
use crate::lang::syntax::ast::{self, ExprKind, Ident, Kind, Op, ParamKind};
use crate::lang::syntax::{pairs, print};
use crate::lang::ty::Scalar;
use patterns::{gives_truth_value, most_arguments};

/// The one sketch that is no pattern and no abbreviation.
pub(crate) const CONTAINS: &str = "contains";
/// What leaves out programs that are in a sketch, where it does not stand before a truth value.
pub(super) const NOT: &str = "not";

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
    let mut reader = Reader {
        library,
        sizes,
        problems: vec![],
        parts: 0,
        unfolding: vec![],
        holes: vec![],
        quotients: vec![],
        negated: false,
    };
    let values = values.iter().rev();
    let params = values.map(|(name, n)| (name.clone(), Meaning::Size(NatSketch::Is(n.clone())))).collect();
    let scope = Scope { params, ..Scope::default() };
    let read = reader.sketch(sketch, &scope);
    let sizes = read.holes();
    if let Some(hole) = read.holes_in_conditions().into_iter().find(|h| !sizes.contains(h)) {
        let (what, hint) = match read.whole().into_iter().any(|n| holes_in(n).contains(&hole)) {
            true => (
                format!("`{hole}` cancels out of the sizes that the sketch asks for."),
                "Write the size that is meant in its place.",
            ),
            false => (
                format!("`{hole}` is compared, and the sketch asks for no such size."),
                "Name the size where it stands, as in `containsMap(m/?t, ?) and ?t >= 8`.",
            ),
        };
        let d = Diagnostic::error("E0409", what);
        reader.problem(d.label(sketch.span, "nothing tells what it is").hint(hint));
    }
    let read = read.without_single_holes();
    if reader.problems.is_empty() { Ok(read) } else { Err(reader.problems) }
}

/// What is wrong with a definition, whatever it is called with.
pub fn wrong_definition(def: &ast::SketchDef, library: &Library, sizes: &[Name]) -> Vec<Diagnostic> {
    let mut reader = Reader {
        library,
        sizes,
        problems: vec![],
        parts: 0,
        unfolding: vec![def.name.kind.clone()],
        holes: vec![],
        quotients: vec![],
        negated: false,
    };
    let mut scope = Scope::default();
    for param in &def.params {
        for name in param.kind.names() {
            let meaning = match &param.kind {
                ParamKind::Implicit(..) => continue,
                ParamKind::Kinded(_, Kind::Nat) => Meaning::Size(NatSketch::Is(Nat::var(&name.kind))),
                ParamKind::Kinded(_, Kind::Data) => Meaning::Type(TypeSketch::Any),
                ParamKind::Kinded(_, Kind::Addr) => Meaning::Address(AddressSpace::Global),
                ParamKind::Kinded(_, Kind::Dim) => Meaning::Dim(0),
                // Of other kinds no argument can be.
                ParamKind::Kinded(..) => return vec![],
                ParamKind::Bare(_) | ParamKind::Typed(..) | ParamKind::Pair(_) => {
                    Meaning::Sketch(Sketch::any())
                }
            };
            scope.params.push((name.kind.clone(), meaning));
        }
    }
    reader.sketch(&def.body, &scope);
    reader.problems
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
        "E0404" => {
            "`shine-tui patterns` lists the patterns; an input of the program, as any other part of it, is `?` in a sketch."
        }
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
    /// The names that holes have, with their places, and whether they stand for sizes.
    holes: Vec<(Ident, bool)>,
    /// What is written as a division in the sizes of the part that is read. It may cancel out before anybody asks.
    quotients: Vec<Nat>,
    /// Within a negation, where a hole with a name would say nothing.
    negated: bool,
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
        let outside = std::mem::take(&mut self.quotients);
        let sketch = self.part(e, scope);
        let quotients = std::mem::replace(&mut self.quotients, outside);
        self.with_quotients(sketch, quotients)
    }

    fn part(&mut self, e: &ast::Expr, scope: &Scope) -> Sketch {
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
                self.hole(e.span, name.as_ref(), false);
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
                    return self.sketch(&pairs::written_out(e, false, &mut vec![], &mut vec![]), scope);
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
                let or = matches!(e.kind, ExprKind::Or(_));
                let part = |s: &ast::Expr| match if or { None } else { self.size_condition(s, scope) } {
                    Some(said) => said,
                    None => self.sketch(s, scope),
                };
                let parts = all.iter().map(part).collect();
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
                return self.contains_alone(span, &[]);
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
    /// `contains` without parentheses behind it, and what stands there.
    fn contains_alone(&mut self, span: Span, behind: &[ast::Expr]) -> Sketch {
        let options = print::Options::default();
        let inside = match behind {
            [] => "map".to_owned(),
            [one] => print::expr(one, &options),
            several => several.iter().map(|e| print::argument(e, &options)).collect::<Vec<_>>().join(" "),
        };
        let message = "`contains` takes its sketch in parentheses directly behind it.";
        let problem = Diagnostic::error("E0407", message).label(span, "without one");
        self.problem(problem.hint(format!("Write `contains({inside})`.")));
        Sketch::any()
    }

    fn application(&mut self, f: &ast::Expr, args: &[ast::Expr], scope: &Scope) -> Sketch {
        if let ExprKind::Call(name, _) = &f.kind {
            let message = format!("A set of programs, `{}(…)`, is applied here.", name.kind);
            let d = Diagnostic::error("E0407", message).label(f.span, "no function");
            self.problem(d.hint("Put `and` or `or` between two sketches; for an application whose function is like this, write `(… : ? -> ?) ?`."));
            return Sketch::any();
        }
        if let ExprKind::Name(name) = &f.kind
            && &**name == CONTAINS
            && scope.param(name).is_none()
        {
            return self.contains_alone(f.span, args);
        }
        if let [left_out] = args
            && self.is_negation(f, args, scope)
        {
            return self.negation(f.span, left_out, scope);
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
            let hint = match args.clone().next() {
                Some(first) if Self::is_not(f, scope) && Self::is_not(first, scope) => {
                    "What `not` leaves out stands in parentheses where it has several words: `not (not contains(map))`."
                }
                _ => "Remove one, or put it into parentheses with what it belongs to.",
            };
            self.problem(d.label(f.span, "no program has more").hint(hint));
        }
        args.fold(head, |f, x| {
            let x = self.sketch(x, scope);
            Sketch::app(f, x)
        })
    }

    /// Is this `not` before what is to be left out, rather than before a truth value?
    fn is_negation(&self, f: &ast::Expr, args: &[ast::Expr], scope: &Scope) -> bool {
        Self::is_not(f, scope) && !args.first().is_some_and(|e| self.is_truth_value(e, scope))
    }

    fn is_not(f: &ast::Expr, scope: &Scope) -> bool {
        matches!(&f.kind, ExprKind::Name(name) if &**name == NOT
            && scope.param(name).is_none()
            && !scope.binders.contains(name))
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

    /// `not contains(s)`, where s is a pattern or a number, or one of several; and `not` of what such are joined to.
    fn negation(&mut self, span: Span, e: &ast::Expr, scope: &Scope) -> Sketch {
        let outside = std::mem::replace(&mut self.negated, true);
        let problems = self.problems.len();
        let inner = self.sketch(e, scope);
        self.negated = outside;
        if self.problems.len() > problems {
            return Sketch::any();
        }
        if let Some(left_out) = left_out(&inner) {
            return left_out;
        }
        let problem = Diagnostic::error("E0417", "A sketch can leave out patterns and numbers only.")
            .label(span, "leaves out more than that")
            .note("`not contains(mapSeq)` is exact: a program avoids a pattern if each of its parts does. Of other sketches a search would have to know all members of all classes.")
            .note("Before a value `not` is the pattern: `not ?`, `not (? == ?)`, `not (… : bool)`.")
            .hint("Write `not contains(…)` of a pattern, with its type if that matters, or say what should stand there instead.");
        self.problem(problem);
        Sketch::any()
    }

    /// Notes a hole. A hole for a program has a name for who reads it alone; equal names of sizes are equal sizes.
    pub(super) fn hole(&mut self, span: Span, name: Option<&Name>, size: bool) {
        let Some(name) = name else { return };
        let first = self.holes.iter().find(|(h, s)| h.kind == *name && !(size && *s));
        if let Some((first, of_size)) = first.map(|(h, of_size)| (h.span, *of_size))
            && first != span
        {
            let hint = match of_size {
                true => format!(
                    "What is said of a size stands alone behind `and`, not within `or` or `not`: `… and ?{name} != 32`."
                ),
                false => "Write `?` for both.".to_owned(),
            };
            let d = Diagnostic::error("E0418", format!("The hole `?{name}` stands twice."));
            self.problem(
                d.label(span, "again")
                    .label(first, "first here")
                    .note("A hole stands for any program, and nothing says that two are the same; only a size can be named and used again.")
                    .hint(hint),
            );
        }
        if size && self.negated {
            let d = Diagnostic::error("E0417", "A size that is left out cannot have a name.");
            self.problem(
                d.label(span, "within `not`").hint("Write `?` for any size, or the size that is meant."),
            );
        }
        self.holes.push((Ident::new(span, name.clone()), size));
    }
}

/// The sketch of all other programs, where that is exact.
fn left_out(sketch: &Sketch) -> Option<Sketch> {
    let each = |all: &[Sketch]| all.iter().map(left_out).collect::<Option<Vec<_>>>();
    let bare = sketch.bare();
    Some(match bare.shape() {
        Shape::Contains(s) if s.is_leaf() => Sketch::new(Shape::Not(bare.clone())),
        Shape::Not(s) => s.clone(),
        Shape::Or(all) => Sketch::new(Shape::And(each(all)?)),
        Shape::And(all) => Sketch::new(Shape::Or(each(all)?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
