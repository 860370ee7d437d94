//! What code is made for, and what a program asks of it.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::Nat;
use crate::lang::path::Path;
use crate::lang::pattern::{Level, Pattern};
use crate::lang::term::{Arg, Term};

/// What the code is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// C with OpenMP.
    C,
    OpenCl,
}

/// The work-items that `oclRun` asks for, in each dimension: those of a work-group, and all.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    pub local: [Nat; 3],
    pub global: [Nat; 3],
}

/// What the `oclRun` around a program's body asks for, and where it stands.
pub fn launch(program: &Term) -> Option<(Launch, Path)> {
    let (mut body, mut path) = (program, Path::root());
    while let Some((_, inner)) = body.as_lam() {
        (body, path) = (inner, path.child(0));
    }
    let prim = body.as_app()?.0.as_prim().filter(|p| p.pattern == Pattern::OclRun)?;
    let nat = |i: usize| if let Some(Arg::Nat(n)) = prim.args.get(i) { Some(n.clone()) } else { None };
    let three = |i: usize| Some([nat(i)?, nat(i + 1)?, nat(i + 2)?]);
    Some((Launch { local: three(0)?, global: three(3)? }, path.child(0)))
}

/// Does the target have the patterns of the program?
///
/// # Errors
/// The first pattern that belongs to another target, with its position.
pub fn check(t: &Term, target: Target) -> Result<(), Diagnostic> {
    let kernel = launch(t).map(|(_, path)| path);
    let wrong = |p: Pattern| match target {
        Target::C => (p.level() == Level::OpenCl).then_some((
            "E0520",
            "runs on work-items of an OpenCL device, and C has none",
            if p == Pattern::OclRun {
                "Leave it out, or compile for OpenCL."
            } else {
                "Use `mapPar` for threads, `mapSeq` for a loop, or compile for OpenCL."
            },
        )),
        Target::OpenCl => matches!(p, Pattern::MapPar).then_some((
            "E0521",
            "runs on threads of the host, and an OpenCL kernel has none",
            "Use `mapGlobal` for work-items, `mapSeq` for a loop, or compile for C.",
        )),
    };
    for (path, t) in t.positions() {
        if let Some(p) = t.as_pattern() {
            if let Some((code, why, hint)) = wrong(p) {
                return Err(at(Diagnostic::error(code, format!("`{p}` {why}.")), &path).hint(hint));
            }
            if matches!(p, Pattern::MapWorkGroup | Pattern::MapLocal) {
                return Err(at(untranslated(p), &path));
            }
            if p == Pattern::OclRun && Some(&path) != kernel.as_ref() {
                return Err(at(inner_kernel(), &path));
            }
        }
    }
    Ok(())
}

fn untranslated(p: Pattern) -> Diagnostic {
    Diagnostic::error("E0508", format!("There is no code for `{p}` yet: it needs barriers."))
        .hint("Use `mapGlobal` over all elements, and `mapSeq` within.")
}

fn inner_kernel() -> Diagnostic {
    Diagnostic::error("E0508", "There is no code for `oclRun` within a program: a program is one kernel.")
        .hint("Put it around the whole body, or leave it out.")
}

fn at(d: Diagnostic, path: &Path) -> Diagnostic {
    d.note(format!("It stands at position {path} of the program.")).about(Subject::At(path.clone()))
}
