//! Why a rule does not apply: what the matcher met, as far as it came.

use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Type, TypeKind};
use crate::sketch::Sketch;
use std::fmt;

/// The point at which a rule stops to apply. Cheap to make: text is written only when somebody reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhyNot {
    /// Where, inside the sub-term that the rule was tried on.
    pub at: Path,
    /// How many nodes of the left side had matched; greater is nearer to a match.
    pub depth: u32,
    pub reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Another kind of term stands here.
    Shape { expected: Shape, found: Term },
    /// The term has another type.
    Type { expected: Type, found: Type },
    /// A size of the left side cannot be this one; where it has to be a multiple, of what.
    Size { expected: Nat, found: Nat, divisor: Option<Nat> },
    /// An explicit argument of a pattern is another one.
    Argument { expected: String, found: String },
    /// The variable stands for two different terms.
    Differs { variable: Name, first: Term, found: Term },
    /// The term mentions a binder that the variable must not.
    Mentions { variable: Name, binder: Name },
    /// A side condition does not hold.
    Condition(String),
    /// A side condition does not hold that asks what kind of term stands here, rather than what can be done with it.
    Unfit(String),
    /// A condition on sizes does not hold, as `32 divides n`.
    Sizes(String),
    /// The rule's own arguments are missing or of the wrong kind.
    Arguments(String),
    /// The result, or a size in it, would be larger or nested deeper than any may be.
    TooLarge,
    /// A search did not find what it should; what it says of that, in sentences, and what can be done.
    NotReached { text: String, hints: Vec<String> },
    /// A term is asked to be in a sketch, and is not.
    NotInSketch { sketch: Sketch, term: Term },
}

/// What a node of the left side asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A pattern with this number of arguments.
    Pattern(Pattern, usize),
    Lambda,
    Application,
    Literal(Literal),
    /// The variable that the rule's binder of this name binds.
    Bound(Name),
    /// Anything else, in words: `an applied reduction`.
    Words(&'static str),
}

const IN_SKETCH: &str = "a term that is in the sketch";

const TOO_LARGE: &str = "the result or a size in it would be too large, or nested too deeply";

impl WhyNot {
    pub fn here(reason: Reason) -> WhyNot {
        WhyNot { at: Path::root(), depth: 0, reason }
    }

    /// Why a rule does not apply, where nobody asks.
    pub fn untold() -> WhyNot {
        WhyNot::here(Reason::Condition(String::new()))
    }

    /// For procedures: another kind of term stands here.
    pub fn shape(expected: &'static str, found: &Term) -> WhyNot {
        WhyNot::here(Reason::Shape { expected: Shape::Words(expected), found: found.clone() })
    }

    /// For procedures: a condition in words does not hold.
    pub fn condition(text: impl Into<String>) -> WhyNot {
        WhyNot::here(Reason::Condition(text.into()))
    }

    /// The same, seen from a term that has the sub-term at `above`.
    #[must_use]
    pub fn below(mut self, above: &Path) -> WhyNot {
        self.at = above.join(&self.at);
        self
    }

    /// What the rule asked for here.
    pub fn expected(&self) -> String {
        match &self.reason {
            Reason::Shape { expected, .. } => expected.to_string(),
            Reason::Type { expected, .. } => format!("the type {expected}"),
            Reason::Size { expected, .. } => format!("the size {expected}"),
            Reason::Argument { expected, .. } => expected.clone(),
            Reason::Differs { variable, .. } => format!("the same {variable} again"),
            Reason::Mentions { variable, binder } => format!("a {variable} without {binder}"),
            Reason::Condition(c) | Reason::Unfit(c) | Reason::Sizes(c) => c.clone(),
            Reason::Arguments(a) => a.clone(),
            Reason::TooLarge => TOO_LARGE.to_owned(),
            Reason::NotReached { text, .. } => text.clone(),
            Reason::NotInSketch { .. } => IN_SKETCH.to_owned(),
        }
    }

    /// What stands there, in a few words.
    pub fn found(&self) -> String {
        match &self.reason {
            Reason::Shape { expected: Shape::Words(wanted), found }
                if wanted.contains("elements") || wanted.contains("length") =>
            {
                match found.ty().as_array() {
                    Some((length, _)) => format!("an array of {length} elements"),
                    None => describe(found),
                }
            }
            Reason::Shape { found, .. } | Reason::Differs { found, .. } => describe(found),
            Reason::Type { found, .. } => found.to_string(),
            Reason::Size { found, .. } => found.to_string(),
            Reason::Argument { found, .. } => found.clone(),
            Reason::Mentions { binder, .. } => binder.to_string(),
            Reason::Condition(_)
            | Reason::Unfit(_)
            | Reason::Sizes(_)
            | Reason::Arguments(_)
            | Reason::TooLarge
            | Reason::NotReached { .. }
            | Reason::NotInSketch { .. } => String::new(),
        }
    }

    /// Where the right pattern stands there, so many arguments too few.
    pub fn lacking_arguments(&self) -> Option<usize> {
        let Reason::Shape { expected: Shape::Pattern(pattern, n), found } = &self.reason else { return None };
        let (head, args) = found.spine();
        let lacking = n.checked_sub(args.len()).filter(|lacking| *lacking > 0)?;
        head.as_prim().is_some_and(|p| p.pattern == *pattern).then_some(lacking)
    }

    /// What a search says that did not find what it should, and what can be done.
    pub fn not_reached(&self) -> Option<(&str, &[String])> {
        if let Reason::NotReached { text, hints } = &self.reason { Some((text, hints)) } else { None }
    }

    /// The sketch that a term is asked to be in and is not, with the term.
    pub fn not_in_sketch(&self) -> Option<(&Sketch, &Term)> {
        if let Reason::NotInSketch { sketch, term } = &self.reason { Some((sketch, term)) } else { None }
    }
}

/// The head of a term in a few words: `map`, `\x. …`, `the variable 1`.
pub fn describe(t: &Term) -> String {
    let (head, args) = t.spine();
    let mut text = match head.expr() {
        Expr::Prim(p) => p.pattern.to_string(),
        Expr::Lam(name, _) if args.is_empty() => return format!("the function \\{name}. …"),
        Expr::Lam(name, _) => return format!("the shared value {name}"),
        Expr::Lit(l) => l.to_string(),
        Expr::Var(_) | Expr::App(..) => "a variable".to_owned(),
    };
    match (head.expr(), args.len()) {
        (_, 0) => {}
        (Expr::Var(_), _) => text = "an application of a variable".to_owned(),
        (_, 1) => text += " with 1 argument",
        (_, n) => text += &format!(" with {n} arguments"),
    }
    text
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Pattern(p, 0) => write!(f, "{p}"),
            Shape::Pattern(p, 1) => write!(f, "{p} with 1 argument"),
            Shape::Pattern(p, n) => write!(f, "{p} with {n} arguments"),
            Shape::Lambda => write!(f, "a function \\x. …"),
            Shape::Application => write!(f, "an application"),
            Shape::Literal(l) => write!(f, "the constant {l}"),
            Shape::Bound(name) => write!(f, "the variable {name}"),
            Shape::Words(w) => write!(f, "{w}"),
        }
    }
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Condition(c) | Reason::Unfit(c) => write!(f, "the condition does not hold: {c}")?,
            Reason::Sizes(c) => write!(f, "{c}")?,
            Reason::Arguments(a) => write!(f, "{a}")?,
            Reason::TooLarge => write!(f, "{TOO_LARGE}")?,
            Reason::NotReached { text, .. } => write!(f, "{}", text.trim_end_matches('.'))?,
            Reason::NotInSketch { .. } => write!(f, "the term is not in the sketch")?,
            Reason::Mentions { variable, binder } => {
                write!(f, "`{variable}` must not mention {binder}, but does")?
            }
            Reason::Differs { variable, first, found } => {
                write!(f, "`{variable}` is {} at first and {} here", describe(first), describe(found))?;
            }
            Reason::Size { expected, found, divisor } => match divisor {
                Some(divisor) => write!(f, "{divisor} does not divide {found}")?,
                None => write!(f, "the size must be {expected}, but is {found}")?,
            },
            Reason::Type { expected, found } if expected.as_fun().is_none() && found.as_fun().is_some() => {
                let what =
                    if expected.as_array().is_some() { "an array of the form" } else { "data of the type" };
                write!(f, "expected {what} {expected}, found a function of the type {found}")?
            }
            Reason::Type { expected, found } => {
                let (part, other) = difference(expected, found);
                write!(f, "expected the type {part}, found {other}")?;
                if part != expected {
                    write!(f, " in {found}")?;
                }
            }
            _ => write!(f, "expected {}, found {}", self.expected(), self.found())?,
        }
        if self.at.is_root() { Ok(()) } else { write!(f, " (at {})", self.at) }
    }
}

/// The first parts in which two types of functions differ.
fn difference<'a>(expected: &'a Type, found: &'a Type) -> (&'a Type, &'a Type) {
    let (Some((a, b)), Some((c, d))) = (expected.as_fun(), found.as_fun()) else { return (expected, found) };
    // Parts of one form differ further in, if at all; two variables of the rule fit anything.
    if fits(a, c) { difference(b, d) } else { difference(a, c) }
}

/// May the type with variables be the other?
fn fits(pattern: &Type, found: &Type) -> bool {
    match (pattern.kind(), found.kind()) {
        (TypeKind::Var(_), _) => found.as_fun().is_none(),
        (TypeKind::Array(_, s), TypeKind::Array(_, t)) | (TypeKind::Vector(_, s), TypeKind::Vector(_, t)) => {
            fits(s, t)
        }
        (TypeKind::Pair(a, b), TypeKind::Pair(c, d)) | (TypeKind::Fun(a, b), TypeKind::Fun(c, d)) => {
            fits(a, c) && fits(b, d)
        }
        (TypeKind::Index(_), TypeKind::Index(_)) => true,
        _ => pattern == found,
    }
}
