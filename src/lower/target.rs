//! What code is made for, and what a program asks of it.

use crate::lang::constraint::may_be_none;
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::infer::shared_out;
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
    /// Do the work-items of a group share it?
    pub fn is_shared(self) -> bool {
        matches!(self, Storage::Local | Storage::Global)
    }

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
#[derive(Clone, PartialEq, Eq, Debug)]
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

    /// How many work-items and groups there are in each dimension: one at least, where any of them runs.
    pub fn counts(&self) -> impl Iterator<Item = Nat> {
        let of = |d| [Worker::LocalSize(d), Worker::GlobalSize(d), Worker::Groups(d)];
        (0..3).flat_map(of).filter_map(|of| self.number(of))
    }

    /// What `oclRun` says, if it is said in full.
    pub fn of(args: &[Arg]) -> Option<Launch> {
        let nat = |i: usize| if let Some(Arg::Nat(n)) = args.get(i) { Some(n.clone()) } else { None };
        let three = |i: usize| Some([nat(i)?, nat(i + 1)?, nat(i + 2)?]);
        Some(Launch { local: three(0)?, global: three(3)? })
    }

    pub fn numbers(&self) -> impl Iterator<Item = &Nat> {
        self.local.iter().chain(&self.global)
    }

    /// Are there no work-items, whatever the sizes are?
    pub fn is_of_nothing(&self) -> bool {
        self.global.iter().any(Nat::is_zero)
    }

    /// Can a device run so many work-items in such groups, for a value where it is known?
    ///
    /// # Errors
    /// No work-items, though there is something to share out, or groups that are not whole; what depends on sizes may be either.
    fn check(&self, value: Option<&Term>) -> Result<(), Diagnostic> {
        let wrong = |why: String| Diagnostic::error("E0531", why);
        for (d, (local, global)) in (0u8..).zip(self.local.iter().zip(&self.global)) {
            let may_be_none = || value.is_some_and(|value| may_be_none(global, &shared_out(value, d)));
            let none = |n: &Nat, least: i64| n.as_constant().filter(|n| *n < least);
            if let Some(n) = none(local, 1).or_else(|| none(global, if may_be_none() { 0 } else { 1 })) {
                return Err(wrong(format!("`oclRun` asks for {n} work-items in dimension {d}."))
                    .hint("Ask for at least one in each dimension, of a group and of all."));
            }
            if global.modulo(local).as_constant().is_some_and(|left| left != 0) {
                let hint = "Ask for a multiple of the group's work-items; loops over work-items may be shorter than that.";
                return Err(wrong(format!("{global} work-items cannot be shared out to groups of {local}."))
                    .hint(hint));
            }
        }
        Ok(())
    }

    #[must_use]
    pub fn map(&self, f: &dyn Fn(&Nat) -> Nat) -> Launch {
        Launch { local: self.local.each_ref().map(f), global: self.global.each_ref().map(f) }
    }
}

impl std::fmt::Display for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let three = |[x, y, z]: &[Nat; 3]| format!("({x}, {y}, {z})");
        write!(f, "{} work-items, in groups of {}", three(&self.global), three(&self.local))
    }
}

/// Where code runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A C program, or the host of a program whose kernels stand in `oclRun`.
    Host,
    /// A loop of the host that its threads share.
    Threads,
    Kernel,
}

/// Does the target have the patterns of the program, where they stand?
///
/// # Errors
/// The first pattern that belongs to another target or place, with its position.
pub fn check(t: &Term, target: Target) -> Result<(), Diagnostic> {
    let is_module = target == Target::OpenCl && t.positions().iter().any(|(_, t)| is_kernel(t));
    let place = if target == Target::OpenCl && !is_module { Place::Kernel } else { Place::Host };
    Checker { target, is_module }.term(t, &Path::root(), place)
}

fn is_kernel(t: &Term) -> bool {
    t.as_pattern() == Some(Pattern::OclRun)
}

/// Is this a `map` with its function alone?
fn is_of_function(t: &Term) -> bool {
    t.as_app().is_some_and(|(map, _)| map.as_prim().is_some())
}

struct Checker {
    target: Target,
    /// Do kernels of their own stand in the program?
    is_module: bool,
}

impl Checker {
    fn term(&self, t: &Term, path: &Path, place: Place) -> Result<(), Diagnostic> {
        if let Some(prim) = t.as_prim() {
            return self.pattern(prim.pattern, &prim.args, None, place).map_err(|d| at(d, path));
        }
        let inside = match t.spine().0.as_pattern() {
            Some(Pattern::OclRun) => Place::Kernel,
            // The array that it is given is there before its threads run.
            Some(Pattern::MapPar) if place == Place::Host && is_of_function(t) => Place::Threads,
            _ => place,
        };
        for (i, child) in (0u8..).zip(t.children()) {
            // The head of an application stands where the application does.
            let is_head = i == 0 && t.as_app().is_some();
            if let (true, Some(prim)) = (is_head, child.as_prim()) {
                let value = t.as_app().map(|(_, value)| value);
                self.pattern(prim.pattern, &prim.args, value, place).map_err(|d| at(d, &path.child(i)))?;
                continue;
            }
            self.term(child, &path.child(i), if is_head { place } else { inside })?;
        }
        Ok(())
    }

    /// A pattern, with what it is applied to.
    fn pattern(
        &self,
        p: Pattern,
        args: &[Arg],
        value: Option<&Term>,
        place: Place,
    ) -> Result<(), Diagnostic> {
        match (p, place) {
            (Pattern::OclRun, _) if self.target == Target::C => Err(Diagnostic::error(
                "E0520",
                "`oclRun` runs on work-items of an OpenCL device, and C has none.",
            )
            .hint("Leave it out, or compile for OpenCL.")),
            (Pattern::OclRun, Place::Kernel) => Err(nested_kernel()),
            (Pattern::OclRun, Place::Threads) => Err(Diagnostic::error(
                "E0542",
                "A kernel of `oclRun` cannot be launched here: the threads of `mapPar` would launch it at once.",
            )
            .note("The host launches kernels one after the other, in an order that it knows beforehand.")
            .hint("Use `mapSeq` for `mapPar`, or put the `oclRun` around more of the program.")),
            (Pattern::OclRun, Place::Host) => Launch::of(args).map_or(Ok(()), |launch| launch.check(value)),
            (Pattern::MapPar, Place::Kernel) => Err(Diagnostic::error(
                "E0521",
                "`mapPar` runs on threads of the host, and an OpenCL kernel has none.",
            )
            .hint(
                "The strategy `auto(opencl)` gives work-items what threads were given. `topDown(mapParToMapGlobal(0))` makes the \
                 first `mapPar` a `mapGlobal`, for work-items, none of which can read what another computed.",
            )
            .hint("The strategy `tryAll(mapParToMapSeq)` makes every `mapPar` a loop, however many there are; or compile for C, which `--device cpu` runs.")),
            (p, Place::Host | Place::Threads) if p.level() == Level::OpenCl => Err(self.no_work_items(p)),
            _ => Ok(()),
        }
    }

    fn no_work_items(&self, p: Pattern) -> Diagnostic {
        if self.is_module {
            let what =
                format!("`{p}` stands outside every `oclRun`, where the host computes without work-items.");
            return Diagnostic::error("E0541", what)
                .hint("Put an `oclRun` around it, or use `mapSeq` or `mapPar`, which the host has.");
        }
        Diagnostic::error("E0520", format!("`{p}` runs on work-items of an OpenCL device, and C has none."))
            .hint("Use `mapPar` for threads, `mapSeq` for a loop, or compile for OpenCL.")
    }
}

/// A kernel within a kernel.
pub fn nested_kernel() -> Diagnostic {
    Diagnostic::error("E0540", "An `oclRun` stands within another: a kernel cannot launch a kernel.")
        .hint("Leave the inner one out, or give its value a name with `let` before the outer one.")
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
