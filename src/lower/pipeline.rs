//! From a low-level term to code that can be printed: access inference, functional DPIA, imperative DPIA, passes.
//!
//! In: a closed, well-typed term and a target. Out: what every stage made. The checker of DPIA has run after the
//! translation and after every pass.

use super::access::{self, Annotated};
use super::choose::normal;
use super::dpia::races::{self, Checked, Unproved};
use super::dpia::{Imperative, Names};
use super::imperative::functional::{self, Functional};
use super::imperative::translate;
use super::nesting;
use super::passes;
use super::target::{self, Target};
use crate::lang::diag::Diagnostic;
use crate::lang::infer;
use crate::lang::nat::Name;
use crate::lang::term::Term;

/// The stages of a program.
#[derive(Debug)]
pub struct Lowered {
    /// The term with its functions unfolded.
    pub normal: Term,
    pub accesses: Annotated,
    pub functional: Functional,
    /// The imperative program after the translation, called `imperative`, and after each pass, by its name.
    pub imperative: Vec<(&'static str, Imperative)>,
    /// The parallel loops of which it was not proved that their iterations keep apart.
    pub unproved: Vec<Unproved>,
}

impl Lowered {
    /// The program after the last pass.
    pub fn last(&self) -> Option<&Imperative> {
        self.imperative.last().map(|(_, p)| p)
    }
}

/// A stage as soon as it is made, before it is checked.
pub enum Made<'a> {
    Accesses(&'a Term, &'a Annotated),
    Functional(&'a Functional),
    Imperative(&'static str, &'a Imperative),
}

/// Lowers a term; `sizes` are names that identifiers must not take.
///
/// # Errors
/// What cannot be lowered, with the pattern, its position and what to do.
pub fn lower(term: &Term, sizes: &[Name], target: Target) -> Result<Lowered, Diagnostic> {
    lower_seeing(term, sizes, target, &mut |_| ())
}

/// As [`lower`]; shows each stage, so that those before a failure are seen, too.
///
/// # Errors
/// As [`lower`].
pub fn lower_seeing(
    term: &Term,
    sizes: &[Name],
    target: Target,
    see: &mut dyn FnMut(Made),
) -> Result<Lowered, Diagnostic> {
    super::with_stack(|| run(term, sizes, target, see))
}

fn run(
    term: &Term,
    sizes: &[Name],
    target: Target,
    see: &mut dyn FnMut(Made),
) -> Result<Lowered, Diagnostic> {
    target::check(term, target)?;
    let normal = normal::normalise(term)?;
    // The user knows the positions in the term as it was given, so its problems are looked for there first.
    nesting::check(term)?;
    nesting::check(&normal)?;
    let accesses = match access::infer(&normal) {
        Ok(accesses) => accesses,
        Err(in_normal) => return Err(access::infer(term).err().unwrap_or(in_normal)),
    };
    see(Made::Accesses(&normal, &accesses));
    let mut names = Names::new(sizes.iter().cloned());
    let output = names.fresh(translate::OUTPUT);
    let functional = functional::from_term(&normal, &accesses, &mut names)?;
    see(Made::Functional(&functional));
    let body = translate::translate(&functional, &output, &mut names)?;
    let mut program = Imperative {
        target,
        output: (output, functional.body.data()),
        inputs: functional.params.clone(),
        sizes: sizes.to_vec(),
        constraints: infer::constraints_of(&normal),
        temporaries: vec![],
        launch: target::launch(&normal).map(|(launch, _)| launch),
        synchronised: false,
        body,
    };
    let mut imperative = vec![];
    let mut checked = Checked::default();
    let mut passes = passes::of(target);
    let mut name = "imperative";
    loop {
        see(Made::Imperative(name, &program));
        // Of a loop that is shared out by now, what the last check before said holds.
        checked.extend(program.check(name)?);
        imperative.push((name, program.clone()));
        let Some(pass) = passes.next() else { break };
        program = (pass.run)(program, &mut names)?;
        name = pass.name;
    }
    let unproved = races::unproved(&program.body, &checked);
    Ok(Lowered { normal, accesses, functional, imperative, unproved })
}
