//! From a program to a kernel, stage by stage.
//!
//! In: a low-level program (the default lowering makes one of any program), a target, and the sizes if they are to be
//! constants. Out: the text of every stage by its name, and the kernel. The checker of DPIA runs after the translation
//! and after every pass.

use super::Language;
use super::host;
use super::kernel::{Kernel, Request, generate, sizes_of, too_large};
use crate::lang::diag::Diagnostic;
use crate::lang::infer::{Program, Sizes};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::term::Term;
use crate::lang::ty::TypeSubst;
use crate::lang::{loops, print};
use crate::lower::passes;
use crate::lower::pipeline::Made;
use crate::lower::target::Launch;
use crate::lower::{Target, access, pipeline, with_stack};

/// A stage of the compilation, printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    pub name: &'static str,
    pub text: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Compiled {
    pub stages: Vec<Stage>,
    pub kernel: Kernel,
}

impl Compiled {
    /// The text of a stage.
    pub fn stage(&self, name: &str) -> Option<&str> {
        self.stages.iter().find(|s| s.name == name).map(|s| s.text.as_str())
    }
}

/// The names of all stages that a target has, in order.
pub fn stages(target: Target) -> Vec<&'static str> {
    let passes = passes::of(target).map(|p| p.name);
    let code: &[&str] = match target {
        Target::C => &["c", "header", "host", "python"],
        Target::OpenCl => &["opencl", "host"],
    };
    ["rise", "loops", "access", "dpia", "imperative"]
        .into_iter()
        .chain(passes)
        .chain(code.iter().copied())
        .collect()
}

/// The stages that were made, and the kernel or why there is none. The last stage before a failure may be the one that
/// was found ill-formed.
#[derive(Debug)]
pub struct Attempt {
    pub stages: Vec<Stage>,
    pub kernel: Result<Kernel, Diagnostic>,
}

/// Compiles a low-level program.
///
/// # Errors
/// What cannot be lowered, with the pattern and what to do; sizes that do not fit.
pub fn compile(program: &Program, target: Target, sizes: Option<&Sizes>) -> Result<Compiled, Diagnostic> {
    let Attempt { stages, kernel } = attempt(program, target, sizes);
    Ok(Compiled { stages, kernel: kernel? })
}

/// Compiles a low-level program as far as it goes.
pub fn attempt(program: &Program, target: Target, sizes: Option<&Sizes>) -> Attempt {
    let mut stages = vec![];
    let mut stage = |name: &'static str, text: String| stages.push(Stage { name, text });
    let kernel = with_stack(|| run(program, target, sizes, &mut stage));
    Attempt { stages, kernel }
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
    stage: &mut dyn FnMut(&'static str, String),
) -> Result<Kernel, Diagnostic> {
    let term = match sizes {
        Some(sizes) => {
            check_sizes(program, sizes)?;
            program.term.map_types(&Fixed(sizes))
        }
        None => program.term.clone(),
    };
    let open: Vec<Name> =
        program.sizes.iter().filter(|n| sizes.is_none_or(|s| !s.contains_key(*n))).cloned().collect();
    stage("rise", print::program(&program.name, &open, &term, &print::Options::default()).text);

    stage("loops", loops::text(&loops::of(&term)));
    let lowered = pipeline::lower_seeing(&term, &program.sizes, target, &mut |made| match made {
        Made::Accesses(normal, annotated) => stage("access", accesses(normal, annotated)),
        Made::Functional(functional) => stage("dpia", functional.body.to_string()),
        Made::Imperative(name, p) => stage(name, p.body.to_string()),
    })?;
    let imperative = lowered.last().ok_or_else(|| Diagnostic::error("E0599", "Lowering made no code."))?;
    let mut kernel_sizes = open;
    for size in sizes_of(imperative) {
        if !kernel_sizes.contains(&size) {
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
        comments.extend(program.constraints.iter().map(|c| format!("requires {c}")));
    }
    comments.extend(lowered.unproved.iter().map(ToString::to_string));
    if let Some(Launch { local, global }) = &imperative.launch {
        let [local, global] = [local, global].map(|[x, y, z]| format!("({x}, {y}, {z})"));
        comments.push(format!("runs on {global} work-items, in groups of {local}"));
    }
    let request = Request { name: &program.name, sizes: &kernel_sizes, comments: &comments };
    let kernel = generate(imperative, target, &request)?;
    if kernel.language == Language::OpenCl {
        stage("opencl", kernel.text.clone());
        stage("host", host::host(&kernel));
        return Ok(kernel);
    }
    stage("c", kernel.text.clone());
    stage("header", host::header(&kernel, &comments));
    stage("host", host::host(&kernel));
    let constraints = if sizes.is_none() { program.constraints.as_slice() } else { &[] };
    if let Some(module) = host::module(&kernel, &comments, constraints) {
        stage("python", module);
    }
    Ok(kernel)
}

/// Each part of the term that is data, with its access.
fn accesses(term: &Term, annotated: &access::Annotated) -> String {
    fn go(t: &Term, a: &access::Annotated, free: &mut Vec<Name>, depth: usize, out: &mut String) {
        use std::fmt::Write;
        let (head, args) = t.spine();
        if head.as_lam().is_none() || !args.is_empty() {
            let line = print::short(t, &free.iter().rev().cloned().collect::<Vec<_>>(), 70);
            let _ = writeln!(out, "{}{line} : {}", "  ".repeat(depth), a.accesses);
        }
        let mut at = a;
        let mut arguments = vec![];
        for e in args.iter().rev() {
            if let [f, x] = at.children.as_slice() {
                arguments.push((*e, x));
                at = f;
            }
        }
        if let (Some((name, body)), [inner]) = (head.as_lam(), at.children.as_slice()) {
            free.push(name.clone());
            go(body, inner, free, depth, out);
            free.pop();
        }
        for (e, x) in arguments.into_iter().rev() {
            go(e, x, free, depth + 1, out);
        }
    }
    let mut out = String::new();
    go(term, annotated, &mut vec![], 0, &mut out);
    out
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
