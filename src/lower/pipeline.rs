//! From a low-level term to code that can be printed: access inference, functional DPIA, imperative DPIA, sections, passes.
//!
//! In: a closed, well-typed term and a target. Out: what every stage made. The checker of DPIA has run after the
//! translation and after every pass.

use super::access::{self, Annotated};
use super::choose::normal;
use super::divisions;
use super::dpia::races::{self, Checked, Unproved};
use super::dpia::{Imperative, Names, Remembered};
use super::imperative::functional::{self, Functional};
use super::imperative::translate;
use super::nesting;
use super::origin;
use super::passes::{self, Pass};
use super::reductions;
use super::separate::{Host, Section, separate};
use super::target::{self, Target};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::infer;
use crate::lang::nat::{Name, Nat};
use crate::lang::origin::Origin;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;
use std::collections::BTreeMap;

/// The stages of a program.
#[derive(Debug)]
pub struct Lowered {
    /// The term with its functions unfolded.
    pub normal: Term,
    pub accesses: Annotated,
    pub functional: Functional,
    /// The imperative program after the translation, called `imperative`, and after each pass, by its name. Of a program
    /// in several sections only what comes before they are separated.
    pub imperative: Vec<(&'static str, Imperative)>,
    /// Its kernels, and what the host does around them. There is at least one.
    pub sections: Vec<LoweredSection>,
    /// What sections use beside the program's own memory.
    pub buffers: Vec<(Name, Type)>,
    /// In which order the sections run.
    pub host: Vec<Host>,
    /// Where loops and memory come from, by their names.
    pub origins: BTreeMap<Name, Origin>,
}

/// A kernel, or a function of the host.
#[derive(Debug)]
pub struct LoweredSection {
    /// With its program as the last pass left it.
    pub section: Section,
    /// What each pass made of it.
    pub made: Vec<(&'static str, Imperative)>,
    /// The parallel loops of which it was not proved that their iterations keep apart.
    pub unproved: Vec<Unproved>,
}

/// A stage as soon as it is made, before it is checked.
pub enum Made<'a> {
    Accesses(&'a Term, &'a Annotated),
    Functional(&'a Functional),
    /// Of the whole program, or of the section of this name where there are several.
    Imperative(&'static str, &'a Imperative, Option<&'a str>),
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
    let lower = |t: &Term| {
        let mut names = Names::new(sizes.iter().cloned());
        let done = run(t, sizes, target, &mut names, &mut |_| ());
        done.map(|_| ()).map_err(|problem| origin::located(problem, t, &names))
    };
    super::with_stack(|| {
        let term = if term.has_origins() { term.clone() } else { term.numbered() };
        let mut names = Names::new(sizes.iter().cloned());
        run(&term, sizes, target, &mut names, see)
            .map_err(|problem| origin::placed(problem, &term, &names, &lower))
    })
}

/// What is wrong with the `oclRun` of a kernel, which the passes of that kernel take for the only one.
fn of_own_kernel(problem: Diagnostic, kernel: &Origin) -> Diagnostic {
    match problem.context.as_ref().and_then(|context| context.subject.as_ref()) {
        Some(Subject::Pattern(Pattern::OclRun)) if !kernel.is_none() => {
            problem.about(Subject::PatternFrom(Pattern::OclRun, kernel.clone()))
        }
        _ => problem,
    }
}

/// Are all sizes numbers that can be written? At the sizes that a program is asked for one may be too large.
fn sizes_in_range(term: &Term) -> Result<(), Diagnostic> {
    let children = term.children();
    if !children.is_empty() {
        return children.into_iter().try_for_each(sizes_in_range);
    }
    let mut fits = true;
    term.ty().for_each_nat(&mut |n| fits &= n.is_writable());
    if let Expr::Lit(l) = term.expr() {
        fits &= l.sizes().into_iter().all(Nat::is_writable);
    }
    if fits {
        return Ok(());
    }
    Err(Diagnostic::error("E0191", "A size cannot be computed: it is too large for a size.")
        .hint("Choose smaller sizes.")
        .about(Subject::From(term.origin())))
}

fn run(
    term: &Term,
    sizes: &[Name],
    target: Target,
    names: &mut Names,
    see: &mut dyn FnMut(Made),
) -> Result<Lowered, Diagnostic> {
    sizes_in_range(term)?;
    let normal = normal::normalise(term)?;
    // The user knows the positions in the term as it was given, so its problems are looked for there first.
    if let Err(in_normal) = target::check(&normal, target) {
        return Err(target::check(term, target).err().unwrap_or(in_normal));
    }
    nesting::check(term)?;
    nesting::check(&normal)?;
    reductions::check(term)?;
    divisions::check(&normal)?;
    let accesses = match access::infer(&normal) {
        Ok(accesses) => accesses,
        Err(in_normal) => return Err(access::infer(term).err().unwrap_or(in_normal)),
    };
    see(Made::Accesses(&normal, &accesses));
    let output = names.fresh(translate::OUTPUT);
    let mut constraints = infer::constraints_of(&normal);
    // A normal form need not have all parts that ask for something.
    constraints.extend(
        infer::constraints_of(term).into_iter().filter(|c| !c.follows_from(&constraints)).collect::<Vec<_>>(),
    );
    let functional = functional::from_term(&normal, &accesses, names)?;
    see(Made::Functional(&functional));
    let body = translate::translate(&functional, &output, names)?;
    let program = Imperative {
        target,
        outputs: vec![(output, functional.body.data())],
        inputs: functional.params.clone(),
        sizes: sizes.to_vec(),
        constraints,
        temporaries: vec![],
        launch: None,
        synchronised: false,
        body,
    };
    let mut stages = Stages::default();
    let whole = |name, p: &Imperative| see(Made::Imperative(name, p, None));
    let program = stages.through(Stages::FIRST, program, passes::of_programs(target), names, whole)?;
    let separated = separate(program, names)?;
    let alone = separated.sections.len() == 1;
    let mut sections = vec![];
    for mut section in separated.sections {
        let mut own = Stages { made: vec![], ..stages.clone() };
        let of_section = passes::of_sections(section.program.target);
        let see = |name, p: &Imperative| see(Made::Imperative(name, p, section.name.as_deref()));
        section.program = own
            .passes(section.program, of_section, names, see)
            .map_err(|problem| of_own_kernel(problem, &section.origin))?;
        let unproved = races::unproved(&section.program.body, &own.checked);
        section.from_zero(names);
        if alone {
            stages.made.extend(own.made.iter().cloned());
        }
        sections.push(LoweredSection { section, made: own.made, unproved });
    }
    let (imperative, buffers, host) = (stages.made, separated.buffers, separated.host);
    let origins = names.origins().clone();
    Ok(Lowered { normal, accesses, functional, imperative, sections, buffers, host, origins })
}

/// Imperative programs as they are made.
#[derive(Clone, Default)]
struct Stages {
    made: Vec<(&'static str, Imperative)>,
    /// What the last check of each loop said; of one that is shared out by now, what was said before.
    checked: Checked,
    /// The program that was checked last.
    last: Option<Imperative>,
    remembered: Remembered,
}

impl Stages {
    /// What the translation makes.
    const FIRST: &'static str = "imperative";

    /// The program and what passes make of it.
    fn through(
        &mut self,
        name: &'static str,
        program: Imperative,
        passes: impl Iterator<Item = &'static Pass>,
        names: &mut Names,
        mut see: impl FnMut(&'static str, &Imperative),
    ) -> Result<Imperative, Diagnostic> {
        self.keep(name, &program, &mut see)?;
        self.passes(program, passes, names, see)
    }

    fn passes(
        &mut self,
        mut program: Imperative,
        passes: impl Iterator<Item = &'static Pass>,
        names: &mut Names,
        mut see: impl FnMut(&'static str, &Imperative),
    ) -> Result<Imperative, Diagnostic> {
        for pass in passes {
            program = (pass.run)(program, names)?;
            self.keep(pass.name, &program, &mut see)?;
        }
        Ok(program)
    }

    fn keep(
        &mut self,
        name: &'static str,
        program: &Imperative,
        see: &mut impl FnMut(&'static str, &Imperative),
    ) -> Result<(), Diagnostic> {
        see(name, program);
        // What a pass leaves as it is was checked already.
        if !self.last.as_ref().is_some_and(|last| last == program) {
            self.checked.extend(program.check(name, &mut self.remembered)?);
            // Before its views are resolved a program is checked for less.
            self.last = (name != Stages::FIRST).then(|| program.clone());
        }
        self.made.push((name, program.clone()));
        Ok(())
    }
}
