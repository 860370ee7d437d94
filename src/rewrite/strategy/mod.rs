//! ELEVATE: strategies that say which rules rewrite a program, where, and in which order (thesis section 4.1).
//!
//! In: a strategy as text, a program, rules, definitions. Out: the rewritten program with every rule application,
//! which replays one by one; or where and why the strategy is stuck. A strategy that does not end is stopped by its
//! fuel, its depth or the caller.

mod elsewhere;
mod evaluate;
mod machine;
mod names;
pub mod native;
pub mod open;
pub mod script;
mod strides;
mod value;

use crate::lang::diag::{Diagnostic, Span};
use crate::lang::digest::Digest;
use crate::lang::eval::Sizes;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::path::Path;
use crate::lang::syntax::{ast, enclosed, without_comments};
use crate::lang::term::Term;
use crate::rule::apply::Counts;
use crate::rule::{Rewritten, RuleSet, RuleUse, WhyNot};
use crate::sketch::{self, Sketch};
use std::fmt;
use std::sync::atomic::AtomicBool;

pub use names::Known;
pub use script::Script;

/// Fuel that no strategy of the library needs on programs of a usual size.
pub const FUEL: u64 = 200_000_000;

/// What a strategy may refer to.
pub struct Env<'a> {
    pub rules: &'a RuleSet,
    /// The sizes of the program.
    pub sizes: &'a [Name],
    /// What sizes were given.
    pub known: Option<&'a Sizes>,
}

/// Limits on a run, and the search that `reach` calls.
pub struct Control<'a> {
    /// Set from outside to stop.
    pub cancel: &'a AtomicBool,
    /// How many strategies may run before it counts as endless.
    pub fuel: u64,
    pub search: &'a mut dyn SearchRunner,
}

/// What `reach … using … with …` asks for, or `reach … with …`.
pub struct ReachRequest<'a> {
    pub sketch: &'a ast::Sketch,
    /// None where the search is to choose them, and guides, itself.
    pub rules: Option<Vec<RuleUse>>,
    pub options: &'a [(ast::Ident, ast::Strategy)],
    /// Sizes that the strategy's parameters stand for, innermost first.
    pub sizes: Vec<(Name, Nat)>,
    /// Definitions of sketches.
    pub script: &'a Script,
    /// What sizes were given.
    pub known: Option<&'a Sizes>,
}

impl ReachRequest<'_> {
    /// A size with the values of sizes that were given.
    pub fn given(&self, n: &Nat) -> Nat {
        at_sizes(self.known, n)
    }
}

/// A size with the values of those that are known.
fn at_sizes(known: Option<&Sizes>, n: &Nat) -> Nat {
    n.subst(&|v| match v {
        NatVar::Named(x) => known?.get(x).copied().map(Nat::constant),
        NatVar::Meta(_) | NatVar::Worker(_) => None,
    })
}

/// Runs a search for a strategy.
pub trait SearchRunner {
    /// Searches from `start` for a term that satisfies the sketch.
    ///
    /// # Errors
    /// Why none was found.
    fn reach(&mut self, start: &Term, request: &ReachRequest) -> Result<Rewritten, SearchFailure>;

    /// The sketch, where a term is not in it; `values` are further names for sizes, of two the first.
    ///
    /// # Errors
    /// What is wrong with the sketch.
    fn unsatisfied(
        &mut self,
        term: &Term,
        sketch: &ast::Sketch,
        sizes: &[Name],
        values: &[(Name, Nat)],
    ) -> Result<Option<Sketch>, Box<Diagnostic>> {
        unsatisfied(&sketch::Library::builtin(), term, sketch, sizes, values)
    }

    /// Hears now and then how many rules the strategy has tried and applied.
    fn counted(&mut self, _: &Counts) {}
}

/// The strategy that applies another one at a position of a term: `body(argument(mapFusion))`.
pub fn at_position(term: &Term, at: &Path, strategy: &str) -> String {
    let (mut here, mut way) = (term.clone(), vec![]);
    for step in at.steps() {
        way.push(match (here.as_lam(), step) {
            (Some(_), _) => "body",
            (None, 0) => "function",
            (None, _) => "argument",
        });
        let Some(next) = here.children().get(usize::from(*step)).map(|part| (*part).clone()) else { break };
        here = next;
    }
    let open: String = way.iter().map(|word| format!("{word}(")).collect();
    match way.len() {
        0 => strategy.to_owned(),
        deep => format!("{open}{}{}", without_comments(strategy), ")".repeat(deep)),
    }
}

/// Strategies as they were typed, one after the other; `between` stands between two of them.
pub fn in_order<S: AsRef<str>>(strategies: &[S], between: &str) -> String {
    match strategies {
        [one] => without_comments(one.as_ref()).into_owned(),
        all => all.iter().map(|one| enclosed(one.as_ref())).collect::<Vec<_>>().join(between),
    }
}

/// The sketch, where a term is not in it; it may use the definitions of a library.
///
/// # Errors
/// What is wrong with the sketch.
pub fn unsatisfied(
    library: &sketch::Library,
    term: &Term,
    text: &ast::Sketch,
    sizes: &[Name],
    values: &[(Name, Nat)],
) -> Result<Option<Sketch>, Box<Diagnostic>> {
    let read = sketch::read_with(text, library, sizes, values);
    read.map(|sketch| (!sketch.satisfied_by(term)).then_some(sketch))
        .map_err(|mut all| Box::new(all.swap_remove(0)))
}

/// Why a search gave nothing.
#[derive(Clone, Debug)]
pub enum SearchFailure {
    /// No term was found; the text says why, the hints what can be done. The strategy fails here.
    NotFound { text: String, hints: Vec<String> },
    /// The user stopped it.
    Stopped,
    /// The sketch or an option is not understood.
    Invalid(Box<Diagnostic>),
}

/// No search: `reach` is refused.
pub struct NoSearch;

impl SearchRunner for NoSearch {
    fn reach(&mut self, _: &Term, _: &ReachRequest) -> Result<Rewritten, SearchFailure> {
        let text = "Searches are not available here.".to_owned();
        Err(SearchFailure::NotFound { text, hints: vec![] })
    }
}

/// A strategy that could not be carried through.
#[derive(Clone, Debug)]
pub struct Stuck {
    pub cause: Cause,
    /// The named strategies that were running, outermost first.
    pub strategies: Vec<Name>,
    /// Where the user's texts call what was running, innermost first, and the strategies inside the innermost call.
    pub calls: Vec<Span>,
    pub within: Vec<Name>,
    /// Where in the program.
    pub at: Path,
    /// What a rule was tried on there: maybe something that steps made which were taken back.
    pub on: Option<Digest>,
    /// The same was tried on other parts of the program, too, and came no further there.
    pub elsewhere: bool,
    /// What the steps before made of the program; nothing of it will be taken back.
    pub so_far: Rewritten,
}

/// Why a strategy ended without result.
#[derive(Clone, Debug)]
pub enum Cause {
    /// A rule or a test came nearest here, and no further.
    NotApplicable { strategy: String, why: WhyNot },
    /// A strategy says in words why it failed; the cause behind that, where, seen from there, and whether it adds to
    /// what the words say.
    Told { message: String, because: (Box<Cause>, Path), adds: bool },
    /// A strategy failed by its nature: `fail`, or `not` of something that holds.
    Failed { strategy: String },
    /// The strategy has a mistake in it.
    Invalid(Box<Diagnostic>),
    /// It ran for so long that it will not end.
    OutOfFuel,
    /// It called itself so deeply that it will not end.
    TooDeep,
    /// `repeat` of something that succeeds and changes nothing would not end.
    NoProgress { strategy: String },
    /// After so many rounds of a `repeat` the program is again what it was, or nothing tells that there will be an end.
    Repeats { strategy: String, rounds: u32, again: bool },
    /// The rewrite would make the program or a size in it larger, or nest it deeper, than any may be; in which round of which
    /// repetition.
    TooLarge { strategy: String, repeated: Option<(String, u32)> },
    /// The user stopped it.
    Cancelled,
}

/// A strategy as it is told: what has no name, as `a sequence`, is none that could be written.
fn quoted(strategy: &str) -> String {
    if strategy.starts_with("a ") { strategy.to_owned() } else { format!("`{strategy}`") }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Told { message, .. } => write!(f, "{message}"),
            Cause::NotApplicable { strategy, why } if why.not_reached().is_some() => {
                write!(f, "`{strategy}` found nothing")
            }
            Cause::NotApplicable { strategy, why } => write!(f, "`{strategy}` does not apply: {why}"),
            Cause::Failed { strategy } => {
                match strategy.strip_prefix("not(").and_then(|s| s.strip_suffix(')')) {
                    Some(inner) => write!(f, "`{strategy}` fails, as {} can be applied", quoted(inner)),
                    None => write!(f, "`{strategy}` fails"),
                }
            }
            Cause::Invalid(problem) => write!(f, "{}", problem.message),
            Cause::OutOfFuel => write!(f, "the strategy does not come to an end"),
            Cause::TooDeep => write!(
                f,
                "the strategy calls itself without end, or has more than {} steps within each other",
                machine::DEEPEST
            ),
            Cause::NoProgress { strategy } => {
                write!(
                    f,
                    "the repetition of {} would not end: it succeeds and changes nothing",
                    quoted(strategy)
                )
            }
            Cause::Repeats { strategy, rounds, again: true } => {
                write!(
                    f,
                    "the repetition of {} would not end: after {rounds} rounds the program is one that it was before",
                    quoted(strategy)
                )
            }
            Cause::Repeats { strategy, rounds, again: false } => {
                write!(
                    f,
                    "the repetition of {} has not come to an end after {rounds} rounds",
                    quoted(strategy)
                )
            }
            Cause::TooLarge { strategy, repeated } => {
                write!(
                    f,
                    "`{strategy}` would make the program or a size in it too large, or nest it too deeply"
                )?;
                match repeated {
                    Some((of, round)) => write!(f, " in round {round} of the repetition of {}", quoted(of)),
                    None => Ok(()),
                }
            }
            Cause::Cancelled => write!(f, "stopped"),
        }
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        if let Some(name) = self.strategies.last()
            && self.calls.is_empty()
        {
            write!(f, ", in `{name}`")?;
        }
        // A position that no screen would hold says no more than how deep it is.
        match self.at.len() {
            0 => Ok(()),
            1..=40 => write!(f, ", at {}", self.at),
            deep => write!(f, ", {deep} levels deep"),
        }
    }
}

/// Runs a strategy on a program.
///
/// # Errors
/// Where and why it is stuck, with what was done before.
pub fn run<'a>(
    strategy: &'a ast::Strategy,
    root: &Term,
    script: &'a Script,
    env: &'a Env<'a>,
    control: &'a mut Control<'a>,
) -> Result<Rewritten, Box<Stuck>> {
    machine::Machine::new(env, script, control, root).start(strategy, root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_strategies_stand_one_after_the_other_without_their_comments() {
        assert_eq!(in_order(&["a <+ b -- note"], " ; "), "a <+ b");
        assert_eq!(in_order(&["f(x) -- one )", "a <+ b -- two", "c"], " ; "), "f(x) ; (a <+ b) ; c");
    }
}
