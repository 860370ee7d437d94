//! What code is made for, and what a program asks of it.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Nat, Worker};
use crate::lang::path::Path;
use crate::lang::pattern::{AddressSpace, Level, Pattern};
use crate::lang::term::{Arg, Term};

/// What the code is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// C with OpenMP.
    C,
    OpenCl,
}

/// Where memory that a program allocates is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Storage {
    /// Not decided: what the program asks for.
    Asked(AddressSpace),
    /// So small that compilers keep it in registers.
    Register,
    /// On the stack of a C function.
    Stack,
    /// Allocated and freed.
    Heap,
    /// A work-item's own.
    Private,
    /// A work-group's.
    Local,
    /// All work-items': a parameter of the kernel.
    Global,
    /// A work-item's own, but too large for it: a part of a parameter of the kernel.
    Parameter,
}

impl Storage {
    pub fn name(self) -> &'static str {
        match self {
            Storage::Asked(space) => space.name(),
            Storage::Register => "register",
            Storage::Stack => "stack",
            Storage::Heap => "heap",
            Storage::Private => "private",
            Storage::Local => "local",
            Storage::Global => "global",
            Storage::Parameter => "parameter",
        }
    }

    /// Is it small, and of the one who runs the code alone?
    pub fn is_near(self) -> bool {
        matches!(self, Storage::Register | Storage::Stack | Storage::Private)
    }
}

/// What a target has for memory that a program allocates.
struct Memory {
    /// Arrays of at most so many bytes are in registers.
    register_bytes: u64,
    /// Those of at most so many are on the stack, or a work-item's own.
    near_bytes: u64,
}

impl Target {
    fn memory(self) -> Memory {
        match self {
            // gcc keeps so many bytes in the vector registers of AVX-512 between unrolled steps.
            Target::C => Memory { register_bytes: 512, near_bytes: 64 * 1024 },
            // Half of the 255 registers that a work-item of a GPU can have.
            Target::OpenCl => Memory { register_bytes: 512, near_bytes: 16 * 1024 },
        }
    }

    /// Where a value of so many bytes is stored when a program asks for an address space. All memory of C is private.
    pub fn storage(self, asked: AddressSpace, bytes: Option<u64>) -> Storage {
        let has = self.memory();
        let fits = |limit: u64| bytes.is_some_and(|b| b <= limit);
        match (self, asked) {
            (Target::OpenCl, AddressSpace::Local) => Storage::Local,
            (Target::OpenCl, AddressSpace::Global | AddressSpace::Constant) => Storage::Global,
            _ if fits(has.register_bytes) => Storage::Register,
            (Target::C, _) if fits(has.near_bytes) => Storage::Stack,
            (Target::C, _) => Storage::Heap,
            (Target::OpenCl, AddressSpace::Private) if fits(has.near_bytes) => Storage::Private,
            (Target::OpenCl, AddressSpace::Private) => Storage::Parameter,
        }
    }
}

/// The work-items that `oclRun` asks for, in each dimension: those of a work-group, and all.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    pub local: [Nat; 3],
    pub global: [Nat; 3],
}

impl Launch {
    /// How many of these there are; none where that is no whole number for all sizes.
    pub fn number(&self, of: Worker) -> Option<Nat> {
        let (local, global) =
            (|d: u8| self.local.get(usize::from(d)), |d: u8| self.global.get(usize::from(d)));
        match of {
            Worker::LocalSize(d) => local(d).cloned(),
            Worker::GlobalSize(d) => global(d).cloned(),
            Worker::Groups(d) => Some(global(d)?.exact_div(local(d)?)).filter(Nat::is_evidently_integral),
            Worker::LocalId(_) | Worker::GroupId(_) | Worker::GlobalId(_) => None,
        }
    }
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
            if p == Pattern::OclRun && Some(&path) != kernel.as_ref() {
                return Err(at(inner_kernel(), &path));
            }
        }
    }
    Ok(())
}

fn inner_kernel() -> Diagnostic {
    Diagnostic::error("E0508", "There is no code for `oclRun` within a program: a program is one kernel.")
        .hint("Put it around the whole body, or leave it out.")
}

fn at(d: Diagnostic, path: &Path) -> Diagnostic {
    d.note(format!("It stands at position {path} of the program.")).about(Subject::At(path.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_has_a_place_for_all_memory() {
        use AddressSpace::{Constant, Global, Local, Private};
        let c = |bytes| [Private, Local, Global, Constant].map(|space| Target::C.storage(space, bytes));
        assert_eq!(c(Some(512)), [Storage::Register; 4]);
        assert_eq!(c(Some(65536)), [Storage::Stack; 4]);
        assert_eq!([c(Some(65537)), c(None)], [[Storage::Heap; 4]; 2]);
        let private = |bytes| Target::OpenCl.storage(Private, bytes);
        assert_eq!([private(Some(4)), private(Some(16384))], [Storage::Register, Storage::Private]);
        assert_eq!([private(Some(16385)), private(None)], [Storage::Parameter; 2]);
        for bytes in [Some(4), Some(1 << 30), None] {
            let far = [Local, Global, Constant].map(|space| Target::OpenCl.storage(space, bytes));
            assert_eq!(far, [Storage::Local, Storage::Global, Storage::Global]);
        }
    }
}
