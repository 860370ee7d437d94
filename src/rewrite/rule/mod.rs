//! Rewrite rules: loading, checking, matching with why-not, applying.
//!
//! In: rule texts, terms. Out: rewritten terms with the positions that moved, or why a rule does not apply.
//! Holds: a rule that loads keeps the type of every term that it rewrites; whether it keeps the meaning is tested
//! against the interpreter (`check`). One definition serves strategies, the e-graph, the screen and the tests.

pub mod apply;
pub mod bindings;
pub mod builtin;
pub mod check;
pub mod condition;
pub mod equation;
pub mod example;
pub mod instance;
pub mod later;
pub mod library;
pub mod lint;
pub mod load;
pub mod makes;
pub mod marks;
pub mod matching;
pub mod offer;
pub mod operators;
pub mod pat;
pub mod proof;
pub mod right_to_left;
mod root;
pub mod set;
mod unfold;
pub mod vectorise;
pub mod why;

use crate::lang::diag::Span;
use crate::lang::digest::Digest;
use crate::lang::nat::{Name, Nat};
use crate::lang::path::Path;
use crate::lang::pattern::AddressSpace;
use crate::lang::root::Root;
use crate::lang::summary;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use std::fmt;
use std::sync::Arc;

pub use operators::Properties;

pub use apply::{Applied, Rewritten, Step, apply_at};
pub use condition::Condition;
pub use equation::Equation;
pub use example::Example;
pub use later::Later;
pub use marks::{Mark, Marks};
pub use right_to_left::RightToLeft;
pub use set::{NamedSet, RuleSet, RuleUse};
pub use why::WhyNot;

/// A rewrite rule. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Rule(Arc<RuleData>);

/// What a rule is.
#[derive(Clone, Debug)]
pub struct RuleData {
    pub name: Name,
    /// The group it is listed in: the stem of its file.
    pub theme: Name,
    pub params: Later<Vec<RuleParam>>,
    pub body: Later<Body>,
    /// What it may change in floating-point results by what it says; see [`Rule::changes`].
    pub marks: Later<Marks>,
    pub doc: Later<String>,
    pub examples: Later<Vec<Example>>,
    /// Covers sides, conditions and parameters, not the documentation.
    pub digest: Later<Digest>,
    /// Where it is written; none for what is built in.
    pub span: Option<Span>,
    /// The rule as text, for display.
    pub text: Later<String>,
}

/// How a rule rewrites.
#[derive(Clone, Debug)]
pub enum Body {
    Equation(Box<Equation>),
    /// An equation for each depth (`load::nest`).
    Family(Vec<Equation>),
    /// What no equation can say.
    Procedure(Procedure),
    /// The other direction of a rule.
    RightToLeft(Box<RightToLeft>),
}

impl Body {
    fn equations_mut(&mut self) -> &mut [Equation] {
        match self {
            Body::Equation(eq) => std::slice::from_mut(eq),
            Body::Family(members) => members,
            Body::Procedure(_) | Body::RightToLeft(_) => &mut [],
        }
    }
}

/// A rule that is a procedure: from a sub-term and the rule's arguments to what replaces it.
#[derive(Clone)]
pub struct Procedure {
    pub run: Run,
    /// The roots of all terms that it may rewrite; none where these may be any.
    pub roots: Option<&'static [Root]>,
    /// By what searches match it, or why they cannot use it.
    pub searched: Result<Later<Shapes>, &'static str>,
}

/// Left sides of which a procedure rewrites some: those of which its conditions hold, too.
pub type Shapes = Vec<Shape>;

/// A left side of a procedure.
#[derive(Clone, Debug)]
pub struct Shape {
    pub equation: Equation,
    /// The variables of which the procedure looks at more than that they are there.
    pub reads: Vec<usize>,
}

impl Shape {
    fn searched(&self, run: Run) -> Searched<'_> {
        Searched { equation: &self.equation, computed: Some((run, &self.reads)) }
    }
}

/// How searches match a rule, once: by an equation's left side.
#[derive(Clone, Copy, Debug)]
pub struct Searched<'a> {
    pub equation: &'a Equation,
    /// What makes its right side, where the equation does not say it, and the variables that this looks into.
    pub computed: Option<(Run, &'a [usize])>,
}

/// What a procedure does.
pub type Run = fn(&Term, &[RuleArg]) -> Result<Applied, WhyNot>;

impl fmt::Debug for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "procedure")
    }
}

/// A parameter of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleParam {
    pub name: Name,
    pub kind: ParamKind,
}

/// What a parameter of a rule is, and for equations which variable it gives a value to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamKind {
    Nat(usize),
    Addr(usize),
    Dim(usize),
    /// The number of maps of a family.
    Depth,
    /// A closed term of the type, which may have rule variables in it.
    Term(usize, Type),
    /// A position inside the sub-term.
    Position,
}

impl ParamKind {
    pub fn word(&self) -> &'static str {
        match self {
            ParamKind::Nat(_) => "a size",
            ParamKind::Addr(_) => "an address space",
            ParamKind::Dim(_) => "a dimension",
            ParamKind::Depth => "a depth from 0 to 6",
            ParamKind::Term(..) => "a term",
            ParamKind::Position => "a position",
        }
    }
}

/// An argument of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RuleArg {
    Nat(Nat),
    Addr(AddressSpace),
    Dim(u8),
    Term(Term),
    Position(Path),
}

impl fmt::Display for RuleArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleArg::Nat(n) => write!(f, "{n}"),
            RuleArg::Addr(a) => write!(f, "{}", a.name()),
            RuleArg::Dim(d) => write!(f, "{d}"),
            RuleArg::Term(t) => write!(f, "{t:?}"),
            // As a list, which ELEVATE reads back: `0.1` is no number, and `1` another one.
            RuleArg::Position(p) => write!(f, "{:?}", p.steps()),
        }
    }
}

impl std::ops::Deref for Rule {
    type Target = RuleData;
    fn deref(&self) -> &RuleData {
        &self.0
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.name == other.name && *self.digest == *other.digest
    }
}
impl Eq for Rule {}

impl Rule {
    pub fn new(data: RuleData) -> Rule {
        Rule(Arc::new(data))
    }

    /// Which of its sizes are parameters.
    pub fn size_params(&self) -> Vec<u32> {
        let size = |p: &RuleParam| if let ParamKind::Nat(i) = p.kind { Some(i as u32) } else { None };
        self.params.iter().filter_map(size).collect()
    }

    /// The first sentence of its documentation, after its marks.
    pub fn summary(&self) -> String {
        let (line, marks) = (summary::of(&self.doc), self.changes());
        if marks.is_empty() { line } else { format!("{marks} {line}") }
    }

    /// What it may change: its own marks, and those under which operators that it may meet have what it asks for.
    pub fn changes(&self) -> Marks {
        let relied = self.forwards().equations().iter();
        let relied = relied.flat_map(|eq| eq.conditions.iter().filter_map(|c| eq.declared.mark_of(c)));
        self.marks.iter().chain(relied).collect()
    }

    /// The rule with these properties of operators known to its conditions.
    #[must_use]
    pub fn knowing(&self, declared: &Arc<Properties>) -> Rule {
        let (before, declared) = (self.body.clone(), declared.clone());
        let body = Later::new(move || {
            let mut body = Body::clone(&before);
            body.equations_mut().iter_mut().for_each(|eq| eq.declared = declared.clone());
            body
        });
        Rule::new(RuleData { body, ..RuleData::clone(self) })
    }

    /// The equation that the rule is with these arguments; none for a procedure, or a depth that there is none for.
    pub fn equation(&self, args: &[RuleArg]) -> Option<&Equation> {
        match &*self.body {
            Body::Equation(e) => Some(e),
            Body::Family(members) => members.get(self.depth(args)?),
            Body::Procedure(_) | Body::RightToLeft(_) => None,
        }
    }

    /// By what searches match the rule.
    ///
    /// # Errors
    /// Why they cannot, as a sentence.
    pub fn in_searches(&self, args: &[RuleArg]) -> Result<Vec<Searched<'_>>, &'static str> {
        match &*self.body {
            Body::Procedure(p) => {
                let shapes = p.searched.as_ref().map_err(|why| *why)?;
                Ok(shapes.iter().map(|shape| shape.searched(p.run)).collect())
            }
            _ => match self.equation(args) {
                Some(equation) => Ok(vec![Searched { equation, computed: None }]),
                None => Err("It is no rule at this depth."),
            },
        }
    }

    /// The rule as it is written.
    pub fn forwards(&self) -> &Rule {
        if let Body::RightToLeft(back) = &*self.body { &back.of } else { self }
    }

    pub fn is_right_to_left(&self) -> bool {
        matches!(*self.body, Body::RightToLeft(_))
    }

    /// All equations that the rule is: one, one for each depth, or none.
    pub fn equations(&self) -> &[Equation] {
        match &*self.body {
            Body::Equation(e) => std::slice::from_ref(e),
            Body::Family(members) => members,
            Body::Procedure(_) | Body::RightToLeft(_) => &[],
        }
    }

    fn depth(&self, args: &[RuleArg]) -> Option<usize> {
        let at = self.params.iter().position(|p| p.kind == ParamKind::Depth)?;
        match args.get(at)? {
            RuleArg::Nat(n) => usize::try_from(n.as_constant()?).ok(),
            _ => None,
        }
    }
}
