//! The reference interpreter: what a program means, for given sizes and inputs.
//!
//! [`naive`] is slow and obviously right: it says in one place what each pattern means. [`run`] is the one to call;
//! it is fast, and tests compare it with [`naive`].
//!
//! Arithmetic is that of C without contraction: each `f32` operation rounds to `f32`, `f16` is computed as `f32`
//! and rounded after each operation, integers wrap around at the width of their type, as C's unsigned arithmetic does,
//! integer division rounds towards zero and fails where it has no result: at zero, and for the least number of a signed
//! type by -1. Plain numbers (`natType`) have 64 bits and divide as sizes do, with a remainder that is never negative.
//! `min` and `max` of a float and NaN are the float, of equal ones the first. Generated code does the same. Indices are checked. `padEmpty` leaves undefined cells:
//! arithmetic on them is undefined, and a result agrees with a reference if it does wherever the reference is defined.
//! Reductions run from left to right, `reduceLocal` part by part. `select` evaluates only what it selects. A number without a value, named or in an
//! array, is a failure of [`run`] only where the result needs it.

mod arith;
mod arithmetic;
pub mod failure;
mod fast;
pub mod inputs;
pub mod naive;

use super::declared::{Declared, unfolded};
use super::diag::Diagnostic;
use super::nat::Name;
use super::pattern::Pattern;
use super::term::Term;
use super::ty::Type;
use super::value::Value;
pub use arithmetic::Arithmetic;
use indexmap::IndexMap;
use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many elements each part of a `reduceLocal` has, but for the last, which may have fewer.
fn part_of_reduction(length: i64, parts: i64) -> i64 {
    let parts = parts.clamp(1, length.max(1));
    (length / parts + i64::from(length % parts != 0)).max(1)
}

/// What the size parameters of a program are.
pub type Sizes = IndexMap<Name, i64>;

/// Runs foreign functions, for whoever has the user's leave to.
pub trait Foreign: std::fmt::Debug + Sync {
    /// The result for defined arguments.
    ///
    /// # Errors
    /// When the function cannot be run.
    fn call(&self, function: Declared, args: &[Value]) -> Result<Value, Diagnostic>;
}

/// How long and how large an evaluation may get.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Applications of patterns, and elements of arrays.
    pub steps: u64,
    /// The most elements of one array.
    pub elements: u64,
    /// Set by someone else to stop.
    pub cancel: Option<&'a AtomicBool>,
    /// What runs foreign functions; without it they are not run.
    pub foreign: Option<&'a dyn Foreign>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { steps: 10_000_000_000, elements: 1 << 28, cancel: None, foreign: None }
    }
}

impl Limits<'_> {
    /// Enough for tests, and over in seconds at the worst.
    pub const TEST: Limits<'static> =
        Limits { steps: 20_000_000, elements: 1 << 20, cancel: None, foreign: None };

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// Evaluates a closed term, applied to the inputs. A number without a value is a failure only where the result needs it.
///
/// # Errors
/// When sizes or inputs do not fit the term, an operation has no result, or a limit is reached.
pub fn run(term: &Term, sizes: &Sizes, inputs: &[Value], limits: &Limits) -> Result<Value, Diagnostic> {
    check_inputs(term, sizes, inputs)?;
    let term = &unfolded(term);
    let outcome = match fast::run(term, sizes, inputs, limits) {
        fast::Outcome::Done(Err(problem)) if failure::is_without_value(&problem) => {
            fast::Outcome::Done(fast::run_forgiving(term, sizes, inputs, limits).ok_or(problem))
        }
        outcome => outcome,
    };
    or_naive(outcome, term, sizes, inputs, limits)
}

/// As [`run`], where all that is named or kept in memory needs a value, as in a kernel that computes arrays as a whole.
///
/// # Errors
/// As [`run`].
pub fn run_whole(term: &Term, sizes: &Sizes, inputs: &[Value], limits: &Limits) -> Result<Value, Diagnostic> {
    check_inputs(term, sizes, inputs)?;
    let term = &unfolded(term);
    or_naive(fast::run(term, sizes, inputs, limits), term, sizes, inputs, limits)
}

/// What a pattern that goes lane by lane makes of scalars.
///
/// # Errors
/// The operands are of no type that the pattern takes, or the operation has no result.
pub fn scalar(
    arithmetic: Arithmetic,
    pattern: Pattern,
    operands: &[Value],
    result: &Type,
) -> Result<Value, Diagnostic> {
    arithmetic.scalar(pattern, operands, result)
}

fn or_naive(
    outcome: fast::Outcome,
    term: &Term,
    sizes: &Sizes,
    inputs: &[Value],
    limits: &Limits,
) -> Result<Value, Diagnostic> {
    match outcome {
        fast::Outcome::Done(result) => result,
        fast::Outcome::GaveUp => naive::run(term, sizes, inputs, limits),
    }
}

/// A closed term that is evaluated on one input after the other.
pub struct Evaluator<'a> {
    term: Term,
    sizes: &'a Sizes,
    limits: &'a Limits<'a>,
    arithmetic: Arithmetic,
    /// The statements for inputs without undefined cells, and for others.
    compiled: [OnceCell<Option<fast::Compiled>>; 2],
}

impl<'a> Evaluator<'a> {
    pub fn of(
        term: &Term,
        sizes: &'a Sizes,
        arithmetic: Arithmetic,
        limits: &'a Limits<'a>,
    ) -> Evaluator<'a> {
        Evaluator { term: unfolded(term), sizes, limits, arithmetic, compiled: Default::default() }
    }

    /// The term applied to inputs; floats of the result are exact if the arithmetic is.
    ///
    /// # Errors
    /// As [`run_whole`].
    pub fn run(&self, inputs: &[Value]) -> Result<Value, Diagnostic> {
        let Evaluator { term, sizes, limits, .. } = self;
        if self.arithmetic != Arithmetic::MACHINE {
            return run_in(self.arithmetic, term, sizes, inputs, limits);
        }
        check_inputs(term, sizes, inputs)?;
        let holes = inputs.iter().any(fast::has_hole);
        let [without, with] = &self.compiled;
        let compiled = if holes { with } else { without };
        let compiled = compiled.get_or_init(|| fast::Compiled::whole(term, sizes, limits, holes));
        or_naive(fast::run_compiled(compiled.clone(), inputs, limits), term, sizes, inputs, limits)
    }

    /// The same for inputs that fit, where a number without a value is a failure only if the result needs it: as [`run`]
    /// itself. None where there is a failure, or the arithmetic is not that of machines.
    pub fn run_needed(&self, inputs: &[Value]) -> Option<Value> {
        let Evaluator { term, sizes, limits, arithmetic, .. } = self;
        (*arithmetic == Arithmetic::MACHINE).then(|| fast::run_forgiving(term, sizes, inputs, limits))?
    }
}

/// As [`run`], in another arithmetic; in the exact one, floats of the result are exact too.
///
/// # Errors
/// As [`run`].
pub fn run_in(
    arithmetic: Arithmetic,
    term: &Term,
    sizes: &Sizes,
    inputs: &[Value],
    limits: &Limits,
) -> Result<Value, Diagnostic> {
    run_counted(arithmetic, term, sizes, inputs, limits, &Cell::new(0))
}

/// As [`run_in`]; the steps that it took are added to those before.
///
/// # Errors
/// As of [`run_in`].
pub fn run_counted(
    arithmetic: Arithmetic,
    term: &Term,
    sizes: &Sizes,
    inputs: &[Value],
    limits: &Limits,
    spent: &Cell<u64>,
) -> Result<Value, Diagnostic> {
    let result = naive::run_counted(arithmetic, term, sizes, inputs, limits, spent)?;
    Ok(if arithmetic.exact { arithmetic::exactly(&result) } else { result })
}

/// Inputs that do not fit the term.
fn check_inputs(term: &Term, sizes: &Sizes, inputs: &[Value]) -> Result<(), Diagnostic> {
    let (params, _) = term.ty().signature();
    if params.len() != inputs.len() {
        return Err(failure::wrong_inputs(inputs.len(), params.len()));
    }
    match params.iter().zip(inputs).find(|(ty, input)| !input.fits(ty, sizes)) {
        Some((ty, _)) => Err(failure::no_value_of(ty)),
        None => Ok(()),
    }
}

/// The closed term's sizes from names, e.g. `sizes([("m", 64)])`.
pub fn sizes<'a>(pairs: impl IntoIterator<Item = (&'a str, i64)>) -> Sizes {
    pairs.into_iter().map(|(name, value)| (Name::from(name), value)).collect()
}

#[cfg(test)]
mod tests;
