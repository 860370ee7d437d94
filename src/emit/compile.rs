//! From a program to a module, stage by stage.
//!
//! In: a low-level program (the default lowering makes one of any program), a target, and the sizes if they are to be
//! constants. Out: the text of every stage by its name, and the module. The checker of DPIA runs after the translation
//! and after every pass.

use super::Language;
use super::host;
use super::kernel::{Kernel, Request, generate, sizes_of, too_large};
use super::module::{Assembly, Module};
use super::names::Namer;
use super::reasons;
use super::same;
use super::stage::{Origins, Stage, lines_by_name};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::infer::{Program, Sizes};
use crate::lang::loops;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::ty::TypeSubst;
use crate::lower::pipeline::{Lowered, LoweredSection, Made};
use crate::lower::target::Storage;
use crate::lower::{Target, pipeline, with_stack};
use crate::lower::{choose, passes};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Compiled {
    pub stages: Vec<Stage>,
    pub module: Module,
}

impl Compiled {
    /// The kernel or function of a program that is one; of others the first.
    pub fn into_kernel(mut self) -> Kernel {
        self.module.sections.swap_remove(0).kernel
    }

    /// The text of a stage.
    pub fn stage(&self, name: &str) -> Option<&str> {
        self.stages.iter().find(|s| s.name == name).map(Stage::text)
    }
}

/// The names of all stages that a target has, in order.
pub fn stages(target: Target) -> Vec<&'static str> {
    let passes = passes::of(target).map(|p| p.name);
    let code: &[&str] = match target {
        Target::C => &["c", "header", "host", "python"],
        Target::OpenCl => &["opencl", "reasons", "header", "library", "host", "python"],
    };
    ["rise", "loops", "access", "dpia", "imperative"]
        .into_iter()
        .chain(passes)
        .chain(code.iter().copied())
        .collect()
}

/// The stages that were made, and the module or why there is none. The last stage before a failure may be the one that
/// was found ill-formed.
#[derive(Debug)]
pub struct Attempt {
    pub stages: Vec<Stage>,
    pub module: Result<Module, Diagnostic>,
}

/// Compiles a low-level program.
///
/// # Errors
/// What cannot be lowered, with the pattern and what to do; sizes that do not fit.
pub fn compile(program: &Program, target: Target, sizes: Option<&Sizes>) -> Result<Compiled, Diagnostic> {
    let Attempt { stages, module } = attempt(program, target, sizes);
    Ok(Compiled { stages, module: module? })
}

/// Compiles a low-level program as far as it goes.
pub fn attempt(program: &Program, target: Target, sizes: Option<&Sizes>) -> Attempt {
    let mut stages: Vec<Stage> = vec![];
    let module = with_stack(|| run(program, target, sizes, &mut stages));
    Attempt { stages, module }
}

struct Fixed<'a>(&'a Sizes);

impl TypeSubst for Fixed<'_> {
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        match v {
            NatVar::Named(x) => self.0.get(x).map(|n| Nat::constant(*n)),
            NatVar::Meta(_) | NatVar::Worker(_) => None,
        }
    }
}

fn run(
    program: &Program,
    target: Target,
    sizes: Option<&Sizes>,
    stages: &mut Vec<Stage>,
) -> Result<Module, Diagnostic> {
    let term = match sizes {
        Some(sizes) => {
            check_sizes(program, sizes)?;
            let is_given = program.sizes.iter().any(|x| sizes.contains_key(x));
            if is_given { program.term.map_types(&Fixed(sizes)) } else { program.term.clone() }
        }
        None => program.term.clone(),
    };
    let open: Vec<Name> =
        program.sizes.iter().filter(|n| sizes.is_none_or(|s| !s.contains_key(*n))).cloned().collect();
    let text = |name, text| Stage::of_text(name, text, vec![]);
    stages.push(Stage::of_program("rise", &program.name, &open, &term));
    stages.push(text("loops", loops::text(&choose::of_lowered(&term))));
    let lowered = pipeline::lower_seeing(&term, &program.sizes, target, &mut |made| match made {
        Made::Accesses(normal, annotated) => stages.push(Stage::of_accesses("access", normal, annotated)),
        Made::Functional(functional) => stages.push(Stage::of_phrase("dpia", None, &functional.body)),
        // Of a program in several sections a stage is what was made of each of them.
        Made::Imperative(name, p, section) => match stages.iter_mut().find(|s| s.name == name) {
            Some(stage) => stage.add(section, &p.body),
            None => stages.push(Stage::of_phrase(name, section, &p.body)),
        },
    })?;
    let origins = Arc::new(lowered.origins.clone());
    stages.iter_mut().for_each(|stage| stage.come_from(&origins));
    let mut kernel_sizes = open;
    for size in lowered.sections.iter().flat_map(|s| sizes_of(&s.section.program)) {
        let is_turn = lowered.sections.iter().any(|s| s.section.turns.iter().any(|turn| turn.name == size));
        if !kernel_sizes.contains(&size) && !is_turn {
            kernel_sizes.push(size);
        }
    }
    let mut comments = vec![format!("{}: {}", program.name, program.ty)];
    let given = program.sizes.iter().filter_map(|x| Some(format!("{x} = {}", sizes?.get(x)?)));
    let given: Vec<String> = given.collect();
    if !given.is_empty() {
        comments.push(given.join(", "));
    }
    if !kernel_sizes.is_empty() {
        comments.extend(SizeConstraint::telling(&program.constraints).map(|c| format!("requires {c}")));
    }
    let module = assembled(program, &lowered, kernel_sizes, comments, &origins)?;
    let reasons = reasons::text(&lowered, &module);
    let constraints = if sizes.is_none() { program.constraints.as_slice() } else { &[] };
    let named = module.named(&origins);
    let by_name = |name, text: String| {
        let lines = lines_by_name(&text, &named);
        Stage::of_text(name, text, lines)
    };
    if let Some(kernel) = module.only().filter(|k| k.language == Language::C) {
        stages.push(Stage::of_text("c", kernel.text.clone(), module.lines(Language::C)));
        stages.push(by_name("header", host::header(kernel, &module.comments, &[])));
        stages.push(by_name("host", host::host(kernel, &[], constraints)));
        stages.extend(host::module(kernel, &module.comments, constraints).map(|t| by_name("python", t)));
    } else {
        let mut library = host::Library::new(&module, constraints);
        stages.push(Stage::of_text("opencl", module.code(Language::OpenCl), module.lines(Language::OpenCl)));
        stages.push(text("reasons", reasons));
        stages.push(by_name("header", library.header()));
        stages.push(by_name("library", library.text()));
        stages.push(by_name("host", host::library_host(&library)));
        stages.push(by_name("python", host::library_module(&library, constraints)));
    }
    Ok(module)
}

/// The module of a lowered program.
fn assembled(
    program: &Program,
    lowered: &Lowered,
    sizes: Vec<Name>,
    mut comments: Vec<String>,
    origins: &Origins,
) -> Result<Module, Diagnostic> {
    let alone = lowered.sections.len() == 1;
    let (mut kernels, mut told) = (vec![], vec![]);
    for LoweredSection { section, unproved, .. } in &lowered.sections {
        let mut about: Vec<String> = unproved.iter().map(ToString::to_string).collect();
        about.extend(section.program.launch.as_ref().map(|launch| format!("runs on {launch}")));
        let moved = section.program.temporaries.iter().filter(|t| t.storage == Storage::Parameter);
        about.extend(moved.map(|t| {
            format!("keeps the private {} in global memory: a work-item may have less of its own", t.name)
        }));
        if alone {
            comments.append(&mut about);
        } else {
            let name = section.name.as_deref().unwrap_or_default();
            told.push(about.into_iter().map(|line| format!("{name} {line}")).collect::<Vec<_>>());
        }
        let turns = section.turns.iter().map(|turn| turn.name.clone());
        let request = Request {
            name: section.name.as_deref().unwrap_or(&program.name),
            sizes: &sizes.iter().cloned().chain(turns).collect::<Vec<_>>(),
            turns: &section.turns,
            comments: if alone { &comments } else { &[] },
            is_whole: alone,
            origins,
            origin: &section.origin,
        };
        kernels.push(generate(&section.program, section.program.target, &request)?);
    }
    let name = match kernels.as_slice() {
        // One that the host launches in a loop is called `k0`, as the first of several is.
        [kernel] if lowered.sections.iter().all(|s| s.section.name.is_none()) => kernel.name.clone(),
        _ => Namer::new(Language::C).function(&program.name),
    };
    let launched = same::first_of_equals(&kernels);
    let of_first = told.into_iter().enumerate().filter(|(i, _)| launched[*i] == *i);
    comments.extend(of_first.flat_map(|(_, lines)| lines));
    Assembly { lowered, kernels, launched, comments, sizes, name }.module()
}

fn check_sizes(program: &Program, sizes: &Sizes) -> Result<(), Diagnostic> {
    for size in &program.sizes {
        match sizes.get(size) {
            None => {
                return Err(Diagnostic::error("E0513", format!("The size `{size}` has no value.")).hint(
                    format!(
                        "Give it with `--size {size}=…`, or give no sizes at all to keep them parameters."
                    ),
                ));
            }
            Some(n) if *n < 1 => {
                return Err(Diagnostic::error(
                    "E0514",
                    format!("The size `{size}` is {n}, but a size is at least 1."),
                )
                .hint("Give it another value with `--size`, or in `sizes.ron` beside the program."));
            }
            Some(n) if i32::try_from(*n).is_err() => {
                return Err(too_large(size, *n, i32::MAX.into()));
            }
            Some(_) => {}
        }
    }
    match program.check_sizes(sizes).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}
