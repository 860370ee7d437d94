//! Inference of expressions with free names: the sides of rules, what is typed on the screen, examples.
//!
//! In: expressions, and what their free names are, as far as that is known. Out: terms in which the free names are
//! the variables of one context, and the types of those variables.
//!
//! For a rule: read the left side with [`Open::of_rule`], in which every free name becomes a variable, unknown sizes
//! and types become unknowns; [`Open::solve`]; then [`Open::freeze`] makes everything that is still unknown a
//! rigid variable, and the right side, read in the same context, cannot ask for more than the left side gives.

use super::build::{Builder, Unbuilt};
use super::codes;
use super::elaborate::Expected;
use super::report::Why;
use super::state::{Infer, Scope, Undeclared};
use super::tree::{Local, Node, Tree};
use super::unify::{Kind, Unifier};
use crate::declared::Patterns;
use crate::diag::{Diagnostic, Span};
use crate::nat::{Name, Nat, NatVar};
use crate::syntax::ast;
use crate::term::Term;
use crate::ty::{Type, TypeSubst, TypeVar};
use indexmap::IndexMap;

/// An inference over one or several expressions in one context.
pub struct Open {
    infer: Infer,
    context: Vec<Local>,
}

/// An expression with types that may not be known yet. It belongs to the [`Open`] that made it.
#[derive(Debug)]
pub struct Elaborated(Tree);

impl Elaborated {
    pub fn span(&self) -> Span {
        self.0.span
    }
}

/// The rigid variables that [`Open::freeze`] made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frozen {
    /// Names of types; [`Kind::Any`] ones may be functions too.
    pub types: Vec<(Name, Kind)>,
    pub nats: Vec<Name>,
}

impl Default for Open {
    fn default() -> Open {
        Open::new()
    }
}

impl Open {
    /// An inference in which every name must be declared.
    pub fn new() -> Open {
        Open { infer: Infer::default(), context: vec![] }
    }

    /// Names may mean these patterns.
    pub fn know(&mut self, patterns: &Patterns) {
        self.infer.patterns = patterns.clone();
    }

    /// An inference in which undeclared names become variables of the context, unknown sizes and types.
    pub fn of_rule() -> Open {
        let scope = Scope { undeclared: Undeclared::Unknown, open: true, ..Scope::default() };
        Open { infer: Infer { scope, ..Infer::default() }, context: vec![] }
    }

    /// From now on every name must have been declared or have appeared.
    pub fn close(&mut self) {
        self.infer.scope.undeclared = Undeclared::Refuse;
        self.infer.scope.open = false;
    }

    /// Adds a variable to the context.
    pub fn declare(&mut self, name: &str, ty: Type, span: Span) {
        let name: Name = name.into();
        let local = self.infer.local(&name, ty, span);
        self.infer.scope.enter(&name, local);
        self.context.push(local);
    }

    /// Says what a name means as a size.
    pub fn declare_size(&mut self, name: &str, size: Nat) {
        self.infer.scope.sizes.insert(name.into(), size);
    }

    /// Says what a name means as a type.
    pub fn declare_type(&mut self, name: &str, ty: Type) {
        self.infer.scope.types.insert(name.into(), ty);
    }

    /// Says that a name is a variable for an address space or a dimension. In terms it stands as the size of that
    /// name, in the place of the address space or dimension.
    pub fn declare_slot(&mut self, name: &str) {
        self.infer.scope.slots.push(name.into());
    }

    /// Declares what parameters of rules, examples and sketches say: values, sizes and types. Sizes and types are
    /// rigid. One-letter names in their types are declared too.
    pub fn declare_params(&mut self, params: &[ast::Param]) {
        let before = std::mem::replace(&mut self.infer.scope.undeclared, Undeclared::OneLetter);
        for param in params {
            match &param.kind {
                ast::ParamKind::Bare(_) | ast::ParamKind::Pair(_) => {
                    for name in param.kind.names() {
                        let ty = self.infer.any();
                        self.declare(&name.kind, ty, name.span);
                    }
                }
                ast::ParamKind::Typed(names, ty) => {
                    let ty = self.infer.ty(ty);
                    for name in names {
                        self.declare(&name.kind, ty.clone(), name.span);
                    }
                }
                ast::ParamKind::Kinded(names, kind) | ast::ParamKind::Implicit(names, kind) => {
                    for name in names {
                        match kind {
                            ast::Kind::Nat => self.declare_size(&name.kind, Nat::var(&name.kind)),
                            ast::Kind::Data => self.declare_type(&name.kind, Type::named(&name.kind)),
                            ast::Kind::Addr | ast::Kind::Dim => self.declare_slot(&name.kind),
                            ast::Kind::Depth | ast::Kind::Nat2Nat | ast::Kind::Nat2Data => {
                                let message =
                                    format!("Parameters of kind `{}` are not supported.", kind.word());
                                let problem = Diagnostic::error(codes::MISPLACED, message);
                                self.infer.problem(problem.label(name.span, "not possible"));
                            }
                        }
                    }
                }
            }
        }
        self.infer.scope.undeclared = before;
    }

    /// The unknowns, for equations of one's own.
    pub fn unifier(&mut self) -> &mut Unifier {
        &mut self.infer.u
    }

    /// Reads a type in the context.
    pub fn ty(&mut self, t: &ast::Type) -> Type {
        self.infer.ty(t)
    }

    /// Reads a size in the context.
    pub fn size(&mut self, e: &ast::Size) -> Nat {
        self.infer.size(e)
    }

    /// Elaborates an expression, which must have the expected type if there is one.
    pub fn expr(&mut self, e: &ast::Expr, expected: Option<&Type>) -> Elaborated {
        let expected = expected.map(|ty| Expected::new(ty.clone(), Why::Context));
        let tree = self.infer.expr(e, expected);
        self.context.append(&mut self.infer.scope.free);
        Elaborated(tree)
    }

    /// Makes two types equal, or reports that they are not.
    pub fn equal(&mut self, expected: &Type, found: &Type, span: Span) -> bool {
        self.infer.equal(expected, found, span, Why::Context)
    }

    /// The type of an expression, as far as it is known.
    pub fn type_of(&mut self, e: &Elaborated) -> Type {
        self.infer.u.zonk(&e.0.ty)
    }

    /// Decides everything that can be decided; numbers that may have any type get the usual one.
    pub fn solve(&mut self) {
        self.infer.settle_joints();
        self.infer.u.solve_together();
        self.infer.defaults(&Default::default());
        self.infer.u.solve_together();
        self.infer.report_failures();
        self.infer.run_checks();
    }

    /// Makes every unknown a rigid variable with a name of its own: that which the text uses, if it does.
    pub fn freeze(&mut self) -> Frozen {
        self.solve();
        // An equation that is still open holds wherever the left side matches, but the right side cannot use it.
        self.infer.u.take_open_equations();
        let mut frozen = Frozen::default();
        let mut taken: Vec<Name> = vec![];
        let written = |list: Vec<(Name, Option<u32>)>| -> IndexMap<u32, Name> {
            list.into_iter().filter_map(|(name, id)| Some((id?, name))).rev().collect()
        };
        let types: Vec<(Name, Type)> =
            self.infer.scope.types.iter().map(|(n, t)| (n.clone(), t.clone())).collect();
        let types = types.into_iter().map(|(n, t)| {
            let id = match self.infer.u.resolve(&t).kind() {
                crate::ty::TypeKind::Var(TypeVar::Meta(id)) => Some(*id),
                _ => None,
            };
            (n, id)
        });
        let type_names = written(types.collect());
        let nats: Vec<(Name, Nat)> =
            self.infer.scope.sizes.iter().map(|(n, s)| (n.clone(), s.clone())).collect();
        let nats = nats.into_iter().map(|(n, s)| {
            let id = match self.infer.u.zonk_nat(&s).as_variable() {
                Some(NatVar::Meta(id)) => Some(*id),
                _ => None,
            };
            (n, id)
        });
        let nat_names = written(nats.collect());
        taken.extend(type_names.values().chain(nat_names.values()).cloned());
        taken.extend(self.infer.scope.types.keys().chain(self.infer.scope.sizes.keys()).cloned());
        let mut fresh = |letters: &str| -> Name {
            let numbered = (0..).flat_map(|i| {
                letters.chars().map(move |c| if i == 0 { c.to_string() } else { format!("{c}{i}") })
            });
            let name = numbered.map(Name::from).find(|n| !taken.contains(n)).unwrap_or_else(|| "t".into());
            taken.push(name.clone());
            name
        };
        let (open_types, open_nats) = self.infer.u.unbound_since(0, 0);
        for id in open_types {
            let kind = self.infer.u.kind(id);
            let name = type_names.get(&id).cloned().unwrap_or_else(|| fresh("tsuvw"));
            if kind == Kind::Any {
                self.infer.u.allow_function(&name);
            }
            let place = self.infer.place(Span::NOWHERE, Why::Context);
            let bound = self.infer.u.unify(&Type::meta(id), &Type::named(&name), place);
            if bound.is_ok() {
                frozen.types.push((name, kind));
            }
        }
        for id in open_nats {
            let name = nat_names.get(&id).cloned().unwrap_or_else(|| fresh("nmkpqrij"));
            let place = self.infer.place(Span::NOWHERE, Why::Context);
            if self.infer.u.unify_nats(&Nat::meta(id), &Nat::var(&name), place).is_ok() {
                frozen.nats.push(name);
            }
        }
        self.infer.u.failures();
        // From here on the names mean the rigid variables.
        let names: Vec<Name> = self.infer.scope.sizes.keys().cloned().collect();
        for name in names {
            if let Some(size) = self.infer.scope.sizes.get(&name).cloned() {
                let known = self.infer.u.zonk_nat(&size);
                self.infer.scope.sizes.insert(name, known);
            }
        }
        frozen
    }

    /// The context: variables in the order in which they were declared or appeared. In terms the last one is
    /// variable 0.
    pub fn context(&mut self) -> Vec<(Name, Type)> {
        let context = self.context.clone();
        context
            .into_iter()
            .map(|local| {
                let info = self.infer.locals[local as usize].clone();
                (info.name, self.infer.u.zonk(&info.ty))
            })
            .collect()
    }

    /// Where the variables of the context were declared or appeared first.
    pub fn context_spans(&self) -> Vec<Span> {
        self.context.iter().map(|l| self.infer.locals[*l as usize].span).collect()
    }

    /// The term of an expression, after [`Open::solve`]. None when problems were reported, or when something in it
    /// is not determined, which is then reported.
    pub fn term(&mut self, e: &Elaborated) -> Option<Term> {
        if self.infer.problems.iter().any(Diagnostic::is_error) {
            return None;
        }
        self.infer.u.write_out();
        let built = Builder::new(&self.infer).build(&self.context, &[], &e.0, &[]);
        match built {
            Ok((term, _)) => Some(term),
            Err(Unbuilt::Unknown(span)) => {
                self.undetermined(e, span);
                None
            }
            Err(Unbuilt::SizeOfStep(span)) => {
                self.infer.problem(super::program::size_of_step(span));
                None
            }
            Err(Unbuilt::TypeTooLarge(span)) => {
                self.infer.problem(super::program::type_too_large(span));
                None
            }
            Err(Unbuilt::SizeTooLarge(span)) => {
                self.infer.problem(super::program::size_too_large(span));
                None
            }
            Err(Unbuilt::TooLarge(span) | Unbuilt::TooDeep(span)) => {
                let problem = Diagnostic::error(codes::TOO_LARGE, "This is too large or nested too deep.");
                self.infer.problem(problem.label(span, "here"));
                None
            }
        }
    }

    fn undetermined(&mut self, e: &Elaborated, span: Span) {
        let mut stack = vec![&e.0];
        let mut ty = e.0.ty.clone();
        while let Some(t) = stack.pop() {
            if t.span == span {
                ty = match &t.node {
                    Node::Lam(local, _) => self.infer.locals[*local as usize].ty.clone(),
                    _ => t.ty.clone(),
                };
                break;
            }
            stack.extend(t.parts());
        }
        let names = self.infer.names();
        let shown = self.infer.show(&ty, &names);
        let problem = Diagnostic::error(codes::UNDETERMINED, "The type of this is not determined.")
            .label(span, format!("this is {shown}"))
            .hint("Write its type: `(e : type)`.");
        self.infer.problem(names.explain(problem));
    }

    /// The problems so far, in the order of the text; each is told once.
    pub fn problems(&mut self) -> Vec<Diagnostic> {
        let mut problems = std::mem::take(&mut self.infer.problems);
        problems.sort_by_key(|p| p.span().map(|s| (s.file, s.start, s.end)));
        problems
    }
}

/// Infers an expression in a context of named, typed variables (the last one is variable 0 of the term) and declared
/// sizes. Rigid type variables of the context may be written by their names.
///
/// # Errors
/// All problems, in the order of the text.
pub fn expr(
    e: &ast::Expr,
    context: &[(Name, Type)],
    sizes: &[Name],
    expected: Option<&Type>,
) -> Result<Term, Vec<Diagnostic>> {
    let mut open = Open::new();
    for size in sizes {
        open.declare_size(size, Nat::var(size));
    }
    for (name, ty) in context {
        open.declare(name, ty.clone(), Span::NOWHERE);
        ty.for_each_var(&mut |v| {
            if let TypeVar::Named(name) = v {
                open.declare_type(name, Type::named(name));
            }
        });
    }
    let tree = open.expr(e, expected);
    open.solve();
    match open.term(&tree) {
        Some(term) => Ok(term),
        None => Err(open.problems()),
    }
}

/// Replaces rigid variables by the unknown of the same place in [`Frozen`]: what compiled rules use.
pub struct Numbered<'a>(pub &'a Frozen);

impl TypeSubst for Numbered<'_> {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        let TypeVar::Named(name) = v else { return None };
        let i = self.0.types.iter().position(|(n, _)| n == name)?;
        Some(Type::meta(i as u32))
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        let NatVar::Named(name) = v else { return None };
        let i = self.0.nats.iter().position(|n| n == name)?;
        Some(Nat::meta(i as u32))
    }
}
