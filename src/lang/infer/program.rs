//! A program: one definition, typed, with every other definition unfolded.

use super::build::{Builder, MAX_NODES, MAX_TERM_DEPTH, MAX_TYPE, Unbuilt, is_large};
use super::codes;
use super::constraint::{Sizes, asks_for, check_constraint, constraints_of};
use super::defs::{self, Unknowns};
use super::report::Names;
use super::state::Infer;
use super::tree::{DefId, Local, Node, Tree};
use super::unify::Equation;
use super::words::last_index;
use crate::constraint::SizeConstraint;
use crate::declared::Patterns;
use crate::diag::{Diagnostic, Span, Subject};
use crate::literal::Literal;
use crate::nat::{self, Name, Nat, NatVar};
use crate::path::Path;
use crate::syntax::{MAX_PROBLEMS, ast};
use crate::term::{Arg, Expr, Term};
use crate::ty::{Type, TypeSubst, TypeVar};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A closed, typed term with the names of its parameters and sizes.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: Name,
    /// The names of the term's outermost functions' parameters.
    pub params: Vec<Name>,
    /// The sizes that the program is generic in, in order of first appearance.
    pub sizes: Vec<Name>,
    /// `\params. body`; `check` holds, and sizes are named variables.
    pub term: Term,
    pub ty: Type,
    /// What must hold of the sizes, each condition once.
    pub constraints: Vec<SizeConstraint>,
    /// The patterns that the text knows: those of the table and its own.
    pub patterns: Patterns,
    /// Where each part of the term was written.
    pub spans: Spans,
}

impl Program {
    /// The same program with another term of the same type, for example a rewritten one. Its parts have no places in
    /// the text.
    #[must_use]
    pub fn with_term(&self, term: Term) -> Program {
        let constraints = self.constraints_with(&term);
        Program { ty: term.ty().clone(), term, constraints, spans: Spans::default(), ..self.clone() }
    }

    /// What must hold of the sizes where another term stands for the program's own: what that term asks for, and what the
    /// program asks for besides.
    pub fn constraints_with(&self, term: &Term) -> Vec<SizeConstraint> {
        let mut all = constraints_of(term);
        let besides: Vec<_> = self.constraints.iter().filter(|c| !c.follows_from(&all)).cloned().collect();
        all.extend(besides);
        all
    }

    /// Checks the constraints with values for the sizes.
    pub fn check_sizes(&self, sizes: &Sizes) -> Vec<Diagnostic> {
        let check = |c: &SizeConstraint| {
            let problem = check_constraint(c, sizes).err()?;
            let path = match c {
                SizeConstraint::Permutes(..) => self.reorder_of(c),
                _ if problem.code == "E0150" => asks_for(&self.term, c),
                _ => None,
            };
            Some(match path.as_ref().and_then(|path| self.spans.at(path)) {
                Some(span) => problem.label(span, "for this"),
                // A rewritten program may still have the part where the text has it.
                None => path.into_iter().fold(problem, |p, path| p.about(Subject::At(path))),
            })
        };
        self.constraints.iter().filter_map(check).collect()
    }

    /// The conditions that hold for no sizes, where the text asks for them.
    fn never(&self) -> Vec<Diagnostic> {
        let empty = |t: &Term| {
            let mut found = false;
            t.ty().for_each_nat(&mut |n| found |= n.as_constant().is_some_and(|n| n < 1));
            found && t.ty().as_fun().is_none()
        };
        // What depends on a size has no answer yet (E0151).
        let failed: Vec<Diagnostic> = self
            .constraints
            .iter()
            .filter_map(|c| Some((c, check_constraint(c, &Sizes::new()).err()?)))
            .filter(|(_, d)| d.code == "E0150")
            .map(|(c, d)| {
                let asking = || asks_for(&self.term, c).and_then(|path| self.spans.at(&path));
                self.never_an_index(c).unwrap_or_else(|| match asking().filter(|_| !c.is_of_numbers()) {
                    Some(span) => d.label(span, "for this"),
                    None => d,
                })
            })
            .collect();
        if failed.is_empty() {
            return failed;
        }
        let place = self.term.positions().into_iter().rfind(|(_, t)| empty(t));
        let span = place.and_then(|(path, _)| self.spans.at(&path)).or_else(|| self.spans.at(&Path::root()));
        let placed = |d: Diagnostic| match span {
            Some(span) if d.labels.is_empty() => d.label(span, "of this"),
            _ => d,
        };
        failed.into_iter().map(placed).collect()
    }

    /// A condition that never holds, where an index asks for it: with its place, if that is known.
    fn never_an_index(&self, constraint: &SizeConstraint) -> Option<Diagnostic> {
        let path = asks_for(&self.term, constraint)?;
        let part = self.term.at(&path)?;
        let Expr::Lit(Literal::Index(i, n)) = part.expr() else { return None };
        let problem = Diagnostic::error(codes::SIZES_DO_NOT_FIT, format!("The index {i} is not below {n}."))
            .hint(format!("The last index below `{n}` is `{}`.", last_index(n)));
        Some(match self.spans.at(&path) {
            Some(span) => problem.label(span, "out of range"),
            None => problem,
        })
    }

    /// Where the functions of a condition reorder an array.
    fn reorder_of(&self, constraint: &SizeConstraint) -> Option<Path> {
        let SizeConstraint::Permutes(n, there, back) = constraint else { return None };
        let wanted = [Arg::Nat(n.clone()), Arg::Fun(there.clone()), Arg::Fun(back.clone())];
        let mut stack = vec![(&self.term, Path::root())];
        while let Some((t, path)) = stack.pop() {
            if t.as_prim().is_some_and(|p| p.args == wanted) {
                return Some(path);
            }
            let children = t.children().into_iter().enumerate();
            stack.extend(children.map(|(i, c)| (c, path.child(i as u8))));
        }
        None
    }
}

/// Elaborates a file and builds the program that `def` names, or the last definition.
///
/// Problems come in the order of the text. There is a program when there are no errors.
pub fn program(file: &ast::File, def: Option<&str>) -> (Option<Program>, Vec<Diagnostic>) {
    program_with(file, def, &Patterns::default())
}

/// As [`program`], for a text that may use patterns that another one declares.
pub fn program_with(
    file: &ast::File,
    def: Option<&str>,
    patterns: &Patterns,
) -> (Option<Program>, Vec<Diagnostic>) {
    let mut infer =
        Infer { patterns: patterns.clone(), text: Some((file.file, file.text.clone())), ..Infer::default() };
    infer.definitions(file, def);
    let chosen = infer.choose(file, def);
    let program = chosen.and_then(|def| infer.finish(def));
    let mut problems = causes(without_results(infer.problems, &infer.returned));
    if let Some(program) = &program {
        problems.extend(program.never());
    }
    problems.sort_by_key(|p| p.span().map(|s| (s.file, s.start, s.end)));
    if let Some(def) = chosen {
        tell_unused(&mut problems, file, &infer.defs[def].name);
    }
    let failed = problems.iter().any(Diagnostic::is_error);
    (program.filter(|_| !failed), problems)
}

/// Says of what is wrong in definitions that the program does not use that it does not: it can do without them.
fn tell_unused(problems: &mut [Diagnostic], file: &ast::File, program: &str) {
    if !problems.iter().any(Diagnostic::is_error) {
        return;
    }
    let mut unused = defs::unused(file, program);
    // That a name is taken is so whoever uses it.
    for problem in problems.iter_mut().filter(|p| p.is_error() && p.code != codes::TAKEN) {
        let Some(span) = problem.span() else { continue };
        let around = |item: &&ast::Item| {
            item.span.file == span.file && item.span.start <= span.start && span.end <= item.span.end
        };
        let Some(at) = unused.iter().position(around) else { continue };
        // Once for each of them.
        if let Some(name) = unused.remove(at).kind.name() {
            problem
                .notes
                .push(format!("`{program}` does not use `{}`, but a file is read as a whole.", name.kind));
            problem.hints.push(format!(
                "Mend `{0}`, or remove it; `--def {program}` reads only what `{program}` uses.",
                name.kind
            ));
        }
    }
}

/// The problems without those of what a definition returns where something is wrong in what computes it: that is what it is
/// because of this, and to declare the result as it is would mend nothing.
fn without_results(problems: Vec<Diagnostic>, returned: &[Span]) -> Vec<Diagnostic> {
    let is_of_result = |p: &Diagnostic| {
        let code = matches!(p.code, codes::MISMATCH | codes::SIZES);
        p.span().filter(|span| code && returned.contains(span))
    };
    let within = |a: Span, b: Span| a.file == b.file && b.start <= a.start && a.end <= b.end && a != b;
    let is_cause = |p: &Diagnostic, of: Span| {
        let code = matches!(p.code, codes::OPERAND | codes::LITERAL | codes::MISMATCH);
        code && p.span().is_some_and(|span| within(span, of))
    };
    let caused = |p: &Diagnostic| is_of_result(p).is_some_and(|of| problems.iter().any(|q| is_cause(q, of)));
    let caused: Vec<bool> = problems.iter().map(caused).collect();
    problems.into_iter().zip(caused).filter(|(_, caused)| !caused).map(|(p, _)| p).collect()
}

/// The problems without those of operators, numbers and unknown types that lie within what another problem is about, and of
/// the operands of an operator that is wrong: what is wrong with the whole has caused what is wrong with its parts.
fn causes(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // Of so many nobody reads all.
    if problems.len() > 4 * MAX_PROBLEMS {
        return problems;
    }
    let inside = |a: Span, b: Span| a.file == b.file && b.start <= a.start && a.end <= b.end;
    let within = |a: Span, b: Span| inside(a, b) && a != b;
    let caused = |p: &Diagnostic| {
        let part = matches!(p.code, codes::OPERAND | codes::LITERAL | codes::UNDETERMINED);
        let causes = |q: &Diagnostic| part || p.code == codes::MISMATCH && q.code == codes::OPERAND;
        // The type of what an operator gives is that of its operands, which are wrong already.
        let same = |q: &Diagnostic| p.code == codes::MISMATCH && q.code == codes::OPERAND;
        let by = |q: &Diagnostic, a: Span, b: Span| causes(q) && within(a, b) || same(q) && inside(a, b);
        p.span().is_some_and(|a| problems.iter().any(|q| q.span().is_some_and(|b| by(q, a, b))))
    };
    let caused: Vec<bool> = problems.iter().map(caused).collect();
    problems.into_iter().zip(caused).filter(|(_, caused)| !caused).map(|(p, _)| p).collect()
}

impl Infer {
    fn choose(&mut self, file: &ast::File, def: Option<&str>) -> Option<DefId> {
        let names: Vec<&ast::Ident> = file
            .items
            .iter()
            .filter_map(|i| if let ast::ItemKind::Def(d) = &i.kind { Some(&d.name) } else { None })
            .collect();
        let wanted = match def {
            Some(def) => def,
            None => match names.last() {
                Some(last) => &last.kind,
                // The parser has said what is wrong with an empty or broken text.
                None if file.items.iter().all(|i| matches!(i.kind, ast::ItemKind::Error)) => return None,
                None => {
                    self.problem(
                        Diagnostic::error(codes::NO_PROGRAM, "There is no program: the text has no `def`.")
                            .hint("Write one, e.g. `def double (a: n.f32): n.f32 = map (\\x. x + x) a`."),
                    );
                    return None;
                }
            },
        };
        if let Some(id) = self.def_names.get(wanted).filter(|_| names.iter().any(|n| &*n.kind == wanted)) {
            return Some(*id);
        }
        if !names.iter().any(|n| &*n.kind == wanted) {
            let list: Vec<String> = names.iter().take(12).map(|n| format!("`{}`", n.kind)).collect();
            let problem = Diagnostic::error(codes::NO_PROGRAM, format!("There is no definition `{wanted}`."))
                .did_you_mean(wanted, names.iter().map(|n| &*n.kind));
            self.problem(if list.is_empty() {
                problem
            } else {
                problem.note(format!("The definitions are {}.", list.join(", ")))
            });
        }
        None
    }

    /// Builds a definition as a program.
    fn finish(&mut self, def: DefId) -> Option<Program> {
        if self.defs[def].broken {
            return None;
        }
        let before = self.problems.len();
        self.checks = std::mem::take(&mut self.defs[def].checks);
        self.defaults(&FxHashSet::default());
        self.run_checks();
        let name = self.defs[def].name.clone();
        let span = self.defs[def].span;
        if let Some(ty) = self.defs[def].types.first() {
            self.problems.push(
                Diagnostic::error(
                    codes::GENERIC_PROGRAM,
                    format!("The program `{name}` works for any type `{ty}`."),
                )
                .label(span, "a program has one type")
                .hint(format!("Write a type for `{ty}`, e.g. `f32`, or choose another definition.")),
            );
            return None;
        }
        self.stored(def);
        if self.problems.len() > before || self.problems.iter().any(Diagnostic::is_error) {
            return None;
        }
        let open = &self.defs[def].open;
        let open = Unknowns {
            types: open.types.iter().copied().filter(|id| self.u.is_unbound_type(*id)).collect(),
            nats: open.nats.iter().copied().filter(|id| self.u.is_unbound_nat(*id)).collect(),
        };
        let params: Vec<Local> = self.defs[def].params().collect();
        let body = self.defs[def].body.clone();
        let equations = self.defs[def].equations.clone();
        self.undetermined(&params, &body, open, &equations);
        if self.problems.len() > before {
            return None;
        }
        self.u.write_out();
        let (params, body, extra) = self.parameters(def);
        let built = Builder::new(self).build(&[], &params, body, &extra);
        let (term, spans) = match built {
            Ok(built) => built,
            Err(unbuilt) => {
                // What a broken definition left behind has been reported there.
                if self.problems.is_empty() || !matches!(unbuilt, Unbuilt::Unknown(_)) {
                    let problem = self.unbuilt(&name, &unbuilt);
                    self.problem(problem);
                }
                return None;
            }
        };
        let names = (params.iter().map(|l| self.locals[*l as usize].name.clone()))
            .chain(extra.into_iter().map(|(name, _)| name))
            .collect();
        let definition = &self.defs[def];
        Some(Program {
            name,
            params: names,
            sizes: definition.sizes.clone(),
            ty: term.ty().clone(),
            constraints: constraints_of(&term),
            patterns: self.patterns.clone(),
            term,
            spans,
        })
    }

    /// All parameters of a program: those before `=`, those of a function behind it, and those that a definition
    /// without points leaves out, which get names here; with what stands inside the functions.
    pub(super) fn parameters(&self, def: DefId) -> (Vec<Local>, &Tree, Vec<(Name, Type)>) {
        let definition = &self.defs[def];
        let mut params: Vec<Local> = definition.params().collect();
        let mut body = &definition.body;
        while let Node::Lam(local, inner) = &body.node {
            params.push(*local);
            body = inner;
        }
        let taken: Vec<&Name> = params.iter().map(|l| &self.locals[*l as usize].name).collect();
        let mut free = (0..).map(|i| Name::from(if i == 0 { "x".to_string() } else { format!("x{i}") }));
        let rest = self.u.known(&body.ty).signature().0;
        let extra = rest.into_iter().map(|ty| {
            let name = free.by_ref().find(|n| !taken.contains(&n)).unwrap_or_else(|| "x".into());
            (name, ty)
        });
        let extra = extra.collect();
        (params, body, extra)
    }

    pub(super) fn unbuilt(&self, name: &Name, unbuilt: &Unbuilt) -> Diagnostic {
        match unbuilt {
            Unbuilt::TooLarge(span) => Diagnostic::error(
                codes::TOO_LARGE,
                format!("`{name}` is too large: its definitions unfold to more than {MAX_NODES} parts."),
            )
            .label(*span, "while this unfolds")
            .hint("Share values with `let`: it does not unfold."),
            Unbuilt::TooDeep(span) => Diagnostic::error(
                codes::TOO_LARGE,
                format!("`{name}` nests more than {MAX_TERM_DEPTH} calls once its definitions are unfolded."),
            )
            .label(*span, "while this unfolds")
            .hint("Write chains of functions with `>>` or `|>`, or use a pattern to repeat."),
            Unbuilt::TypeTooLarge(span) => type_too_large(*span),
            Unbuilt::SizeTooLarge(span) => size_too_large(*span),
            Unbuilt::SizeOfStep(span) => size_of_step(*span),
            Unbuilt::Unknown(span) => {
                Diagnostic::error(codes::UNDETERMINED, "The type of this is not determined.")
                    .label(*span, "any type would do")
                    .hint("Write its type: `(e : type)`.")
            }
        }
    }

    /// Reports what nothing determines, at the first place that has it, each unknown once.
    pub(super) fn undetermined(
        &mut self,
        params: &[Local],
        body: &Tree,
        mut open: Unknowns,
        equations: &[Equation],
    ) {
        if open.is_empty() {
            return;
        }
        let mut places: Vec<(Span, String, Type)> = vec![];
        for local in params {
            let info = &self.locals[*local as usize];
            places.push((info.span, format!("`{}`", info.name), info.ty.clone()));
        }
        if self.untyped_parameters(params, &mut open) && open.is_empty() {
            return;
        }
        let mut lets: Vec<Span> = vec![];
        let mut stack: Vec<&Tree> = vec![body];
        while let Some(t) = stack.pop() {
            match &t.node {
                Node::App(f, _) if matches!(f.node, Node::Lam(..)) => {
                    if let Node::Lam(local, _) = &f.node {
                        lets.push(self.locals[*local as usize].span);
                    }
                    places.push((t.span, "this".into(), t.ty.clone()));
                }
                Node::Lam(local, _) => {
                    let info = &self.locals[*local as usize];
                    places.push((info.span, format!("`{}`", info.name), info.ty.clone()));
                }
                Node::Prim(pattern, _) => places.push((t.span, format!("`{pattern}`"), t.ty.clone())),
                Node::Def(def, instance) => {
                    let name = format!("`{}`", self.defs[*def].name);
                    places.push((t.span, name.clone(), t.ty.clone()));
                    // Unknowns inside the definition that its type does not show.
                    let inner = instance.nats.values().map(|n| Type::index(n.clone()));
                    for ty in inner.chain(instance.types.values().cloned()) {
                        places.push((t.span, name.clone(), ty));
                    }
                }
                _ => places.push((t.span, "this".into(), t.ty.clone())),
            }
            stack.extend(t.parts().into_iter().rev());
        }
        let generated: Vec<(Span, String, Type)> =
            places.iter().filter(|(_, what, _)| what == "`generate`").cloned().collect();
        for (span, what, ty) in places {
            let ty = self.u.zonk(&ty);
            if !ty.has_metas() || is_large(&ty) {
                continue;
            }
            // How much is generated nothing says but what needs it: others only pass that on.
            let (span, what, ty) = match self.generator_of(&ty, &generated) {
                Some(generator) if !lets.contains(&span) && !self.text_is_param(span) => generator,
                _ => (span, what, ty),
            };
            let (mut types, mut sizes) = (false, false);
            ty.for_each_var(&mut |v| {
                if let TypeVar::Meta(id) = v {
                    types |= open.types.remove(id);
                }
            });
            ty.for_each_nat(&mut |n| {
                for v in n.vars() {
                    if let NatVar::Meta(id) = v {
                        sizes |= open.nats.remove(&id);
                    }
                }
            });
            if !types && !sizes {
                continue;
            }
            let names = self.names();
            let shown = self.show(&ty, &names);
            let kind = if types { "type" } else { "size" };
            let mut problem =
                Diagnostic::error(codes::UNDETERMINED, format!("The {kind} of {what} is not determined."))
                    .label(span, format!("this is {shown}"));
            let mut shown_unknowns = FxHashSet::default();
            ty.for_each_nat(&mut |n| shown_unknowns.extend(n.vars()));
            for equation in equations {
                let (left, right) = (self.u.zonk_nat(&equation.left), self.u.zonk_nat(&equation.right));
                if left
                    .vars()
                    .iter()
                    .chain(&right.vars())
                    .any(|v| matches!(v, NatVar::Meta(_)) && shown_unknowns.contains(v))
                {
                    let place = self.places[equation.origin as usize].span;
                    let (left, right) = (self.show_nat(&left, &names), self.show_nat(&right, &names));
                    problem = problem.note(format!(
                        "It must hold that {left} = {right}, which has more than one solution."
                    ));
                    if place != span {
                        problem = problem.label(place, format!("{left} = {right} comes from here"));
                    }
                }
            }
            let problem = names.explain(problem);
            self.problem(if what.starts_with('`') && lets.contains(&span) {
                problem.hint("A `let` has one type: give its value one, `(e : n.f32)`, or make it a `def`, which works for any.")
            } else if what.starts_with('`') && self.text_is_param(span) {
                problem.hint("Write the type of the parameter, e.g. `(a: n.f32)`.")
            } else if what == "`generate`" && !types {
                problem.hint("How many elements it makes stands in a type around it: `(generate f : n.t)`, with the size and the type that are meant.")
            } else if ty.as_fun().is_some() && !types {
                problem.hint("A size follows from nothing that is written: write a type around what has it, `(e : n.f32)`.")
            } else if ty.as_fun().is_some() {
                problem.hint("It is a function: is an argument missing?")
            } else {
                problem.hint("Write a type around it: `(e : n.f32)`.")
            });
        }
    }

    /// The `generate` that makes as many elements as a size of the type says that is not known.
    fn generator_of(
        &mut self,
        ty: &Type,
        generated: &[(Span, String, Type)],
    ) -> Option<(Span, String, Type)> {
        let unknown = |ty: &Type| {
            let mut all = FxHashSet::default();
            ty.for_each_nat(&mut |n| {
                all.extend(n.vars().into_iter().filter(|v| matches!(v, NatVar::Meta(_))))
            });
            all
        };
        let wanted = unknown(ty);
        let mut typed = generated.iter().map(|(span, what, ty)| (*span, what.clone(), self.u.zonk(ty)));
        typed.find(|(_, _, ty)| !unknown(ty).is_disjoint(&wanted))
    }

    /// Says of all parameters together whose types are not determined what they are and what could be written.
    fn untyped_parameters(&mut self, params: &[Local], open: &mut Unknowns) -> bool {
        let names = self.names();
        let (mut untyped, mut written) = (vec![], vec![]);
        for local in params {
            let info = self.locals[*local as usize].clone();
            let ty = self.u.zonk(&info.ty);
            if !ty.has_metas() || is_large(&ty) {
                continue;
            }
            let mut found = false;
            ty.for_each_var(&mut |v| {
                if let TypeVar::Meta(id) = v {
                    found |= open.types.remove(id);
                }
            });
            ty.for_each_nat(&mut |n| {
                for v in n.vars() {
                    if let NatVar::Meta(id) = v {
                        found |= open.nats.remove(&id);
                    }
                }
            });
            // A later one may have the unknowns of an earlier one.
            if found || !untyped.is_empty() {
                written.push(format!("({}: {})", info.name, ty.subst(&Usual(&names))));
                untyped.push((info.span, info.name, ty));
            }
        }
        let [(span, name, ty), more @ ..] = untyped.as_slice() else { return false };
        let shown: Vec<String> = untyped.iter().map(|(_, name, _)| format!("`{name}`")).collect();
        let message = match more {
            [] => format!("The type of `{name}` is not determined."),
            _ => {
                let (last, init) =
                    shown.split_last().map_or((String::new(), &[][..]), |(l, i)| (l.clone(), i));
                format!("The types of {} and {last} are not determined.", init.join(", "))
            }
        };
        let first = self.show(ty, &names);
        let mut problem =
            Diagnostic::error(codes::UNDETERMINED, message).label(*span, format!("this is {first}"));
        for (span, _, ty) in more {
            let ty = self.show(ty, &names);
            problem = problem.label(*span, format!("this is {ty}"));
        }
        let problem = names.explain(problem);
        self.problem(
            problem.hint(format!("Write the types that are meant, such as `{}`.", written.join(" "))),
        );
        true
    }

    fn text_is_param(&self, span: Span) -> bool {
        self.locals.iter().any(|l| l.span == span)
    }

    /// A program takes and returns data.
    fn stored(&mut self, def: DefId) {
        let definition = &self.defs[def];
        let (name, span) = (definition.name.clone(), definition.span);
        let params: Vec<Local> = definition.params().collect();
        let result = definition.body.ty.clone();
        let body = definition.body.span;
        let _ = span;
        for local in params {
            let info = self.locals[local as usize].clone();
            let ty = self.u.zonk(&info.ty);
            if ty.as_fun().is_some() {
                let names = self.names();
                let shown = self.show(&ty, &names);
                self.problem(
                    Diagnostic::error(
                        codes::STORED_FUNCTION,
                        format!("The program `{name}` takes a function: `{}`.", info.name),
                    )
                    .label(info.span, format!("this is {shown}"))
                    .note("A program's parameters come from memory, and functions cannot be stored.")
                    .hint("Choose another definition with `--def`, or apply this one in a further `def`."),
                );
            }
        }
        // A result that is a function has further parameters, which are data all the same.
        let ty = self.u.zonk(&result);
        let (params, result) = ty.signature();
        if params.iter().any(|p| p.as_fun().is_some()) || result.as_fun().is_some() {
            let names = self.names();
            let shown = self.show(&ty, &names);
            self.problem(
                Diagnostic::error(codes::STORED_FUNCTION, format!("The program `{name}` takes a function."))
                    .label(body, format!("this is {shown}"))
                    .note("A program's parameters come from memory, and functions cannot be stored."),
            );
        }
    }
}

/// A type that could be meant: numbers for unknown types, and unknown sizes by their names.
struct Usual<'a>(&'a Names);

impl TypeSubst for Usual<'_> {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        matches!(v, TypeVar::Meta(_)).then(Type::f32)
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        self.0.nat(v)
    }
}

pub(super) fn size_of_step(span: Span) -> Diagnostic {
    Diagnostic::error(codes::SIZES, "The size of this would have to change with each step of `iterate`.")
        .label(span, "outside of the step")
        .note("A step `/\\l. f` knows the size `l` after it. What stands outside of the step has one size for all steps.")
        .hint("Take a part in the step: `take l xs`.")
}

pub(super) fn size_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(codes::TOO_LARGE, "A size in the type of this is too large.")
        .label(span, "here")
        .note(nat::TOO_LARGE)
        .hint("Give what is computed in between a size of its own, as a parameter of one letter.")
}

pub(super) fn type_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(codes::TOO_LARGE, format!("The type of this has more than {MAX_TYPE} parts."))
        .label(span, "pairs of pairs, or functions of functions")
        .hint("Use arrays for many values of one type, and return fewer components.")
}

/// The places in the text of a term's parts.
#[derive(Clone, Debug)]
pub struct Spans(Arc<SpanNode>);

#[derive(Debug)]
struct SpanNode {
    span: Span,
    children: Vec<Spans>,
}

impl Default for Spans {
    fn default() -> Spans {
        Spans::new(Span::NOWHERE, vec![])
    }
}

impl Spans {
    pub(super) fn new(span: Span, children: Vec<Spans>) -> Spans {
        Spans(Arc::new(SpanNode { span, children }))
    }

    /// The place of the part at `path`, or of the nearest part around it that has one.
    pub fn at(&self, path: &Path) -> Option<Span> {
        let mut node = self;
        let mut found = (!node.0.span.is_nowhere()).then_some(node.0.span);
        for step in path.steps() {
            let Some(child) = node.0.children.get(usize::from(*step)) else { break };
            node = child;
            if !node.0.span.is_nowhere() {
                found = Some(node.0.span);
            }
        }
        found
    }
}
