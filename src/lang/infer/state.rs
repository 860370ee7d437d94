//! What inference knows while it walks: unknowns, names in scope, what is to be checked later, and the problems.

use super::check::Check;
use super::defs::Definition;
use super::report::{Place, Why};
use super::tree::{DefId, JointId, Local};
use super::unify::{Kind, Origin, Unifier};
use super::words::OpenFunction;
use crate::declared::{Declared, Patterns};
use crate::diag::{Diagnostic, FileId, Span};
use crate::nat::{Name, Nat};
use crate::ty::Type;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// What happens to names in types and sizes that nothing declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undeclared {
    /// They are mistakes.
    Refuse,
    /// Names of one letter become rigid variables: the types of a definition.
    OneLetter,
    /// They become unknowns: the sides of a rule.
    Unknown,
}

/// A variable that something binds.
#[derive(Clone, Debug)]
pub struct LocalInfo {
    pub name: Name,
    pub ty: Type,
    pub span: Span,
}

/// The names that mean something, beside patterns and definitions.
pub struct Scope {
    pub values: FxHashMap<Name, Vec<Local>>,
    pub sizes: IndexMap<Name, Nat>,
    pub types: IndexMap<Name, Type>,
    /// The sizes that stand for the bodies of functions of sizes: variables of a rule.
    pub functions: Vec<Name>,
    /// Address spaces and dimensions that are variables.
    pub slots: Vec<Name>,
    pub undeclared: Undeclared,
    /// Unknown names of values become variables.
    pub open: bool,
    /// The variables made so, in order of appearance.
    pub free: Vec<Local>,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope {
            values: FxHashMap::default(),
            sizes: IndexMap::new(),
            types: IndexMap::new(),
            functions: vec![],
            slots: vec![],
            undeclared: Undeclared::Refuse,
            open: false,
            free: vec![],
        }
    }
}

impl Scope {
    pub fn enter(&mut self, name: &Name, local: Local) {
        self.values.entry(name.clone()).or_default().push(local);
    }

    pub fn leave(&mut self, name: &Name) {
        if let Some(list) = self.values.get_mut(name) {
            list.pop();
        }
    }

    pub fn value(&self, name: &str) -> Option<Local> {
        self.values.get(name)?.last().copied()
    }

    /// The names of values in scope, sorted.
    pub fn value_names(&self) -> Vec<Name> {
        let mut names: Vec<Name> =
            self.values.iter().filter(|(_, l)| !l.is_empty()).map(|(n, _)| n.clone()).collect();
        names.sort();
        names
    }
}

/// An `x |> f` between which the types must decide.
pub struct Joint {
    pub id: JointId,
    pub left: Type,
    pub right: Type,
    pub result: Type,
    pub span: Span,
}

/// How `x |> f` was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joining {
    /// `f x`
    Apply,
    /// `\y. f (x y)`
    Compose,
}

#[derive(Default)]
pub struct Infer {
    pub u: Unifier,
    pub scope: Scope,
    pub locals: Vec<LocalInfo>,
    pub places: Vec<Place>,
    pub checks: Vec<Check>,
    pub joints: Vec<Joint>,
    pub joinings: Vec<Joining>,
    pub problems: Vec<Diagnostic>,
    /// The sizes of steps of `iterate`, as they are written.
    pub steps: Vec<Name>,
    pub defs: Vec<Definition>,
    pub def_names: FxHashMap<Name, DefId>,
    /// The patterns that there are.
    pub patterns: Patterns,
    /// The definitions that say what this text's declared patterns mean.
    pub meanings: FxHashMap<Declared, DefId>,
    /// The text that is read, where it is known.
    pub text: Option<(FileId, Name)>,
    /// The applications around what is being read that end with a function without parentheses.
    pub open_functions: Vec<OpenFunction>,
    /// The last argument of what is applied at a place.
    pub last_arguments: FxHashMap<Span, Span>,
    /// The sizes that stand where values do.
    pub written_sizes: FxHashMap<Span, Nat>,
    /// The operands of an operator, with their own types.
    pub operands: FxHashMap<Span, [(Span, Type); 2]>,
    /// What stands before an operator, by what stands behind it.
    pub left_operands: FxHashMap<Span, Span>,
    /// The type of the elements that a function is given which is being read.
    pub mapped_over: Option<Type>,
    /// Where a definition was said to return another type than it declares.
    pub returned: Vec<Span>,
}

impl Infer {
    pub fn any(&mut self) -> Type {
        self.u.fresh_type(Kind::Any)
    }

    pub fn data(&mut self) -> Type {
        self.u.fresh_type(Kind::Data)
    }

    pub fn local(&mut self, name: &Name, ty: Type, span: Span) -> Local {
        self.locals.push(LocalInfo { name: name.clone(), ty, span });
        (self.locals.len() - 1) as Local
    }

    pub fn place(&mut self, span: Span, why: Why) -> Origin {
        self.places.push(Place { span, why, used_at: None });
        (self.places.len() - 1) as Origin
    }

    /// Makes the types equal, or reports why they are not.
    pub fn equal(&mut self, expected: &Type, found: &Type, span: Span, why: Why) -> bool {
        if expected == found {
            return true;
        }
        let origin = self.place(span, why);
        let done = self.u.unify(expected, found, origin);
        self.report_failures();
        match done {
            Ok(()) => true,
            Err(mismatch) => {
                self.report_mismatch(&mismatch);
                false
            }
        }
    }

    /// Reports equations that had been accepted and turned out impossible.
    pub fn report_failures(&mut self) {
        for failure in self.u.failures() {
            self.report_mismatch(&failure);
        }
    }

    pub fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }
}
