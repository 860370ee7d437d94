//! Where in the program a device's problem with a module comes from.
//!
//! In: what the device says, and the term and module that it is about. Out: the problem, at the part of the program that asks
//! for what the device does not do: an `oclRun`, memory, a type, or the text of a foreign function.

use crate::device::{Cause, DeviceError};
use crate::emit::kernel::{Kernel, LocalMemory};
use crate::emit::module::{Buffer, Role};
use crate::emit::{Language, Module};
use crate::lang::declared::Declared;
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::origin::Origin;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::preorder::path_of;
use crate::lang::term::Term;
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lower::origin;
use crate::session::action::Sizes;
use crate::session::workspace::Workspace;
use crate::session::{device_diagnostic, foreign};

/// What a device is told to run.
pub struct Told<'a> {
    pub workspace: &'a Workspace,
    pub term: &'a Term,
    pub module: &'a Module,
    pub sizes: &'a Sizes,
}

impl Told<'_> {
    /// The device's problem as one of the program.
    pub fn problem(&self, e: &DeviceError) -> Diagnostic {
        let problem = device_diagnostic(e);
        let launch = || self.launch(&e.message);
        let subject = match e.cause {
            Cause::TooMuchLocal => return self.too_much_local(e, problem),
            Cause::OutOfMemory if let Some(largest) = self.largest_of_program() => {
                return self.too_much(largest, problem);
            }
            Cause::NoSuchType => self.first_of_type(&e.message).map(Subject::At),
            Cause::CompileFailed => return self.refused(e, problem),
            _ => launch().map(Subject::At),
        };
        match subject {
            Some(subject) => self.workspace.located(problem.about(subject), self.term),
            None => problem,
        }
    }

    /// The kernel that a message names.
    fn kernel(&self, message: &str) -> Option<&Kernel> {
        self.module.kernels(Language::OpenCl).find(|k| message.contains(&format!("`{}`", k.name)))
    }

    /// The `oclRun` of the kernel that a message names.
    fn launch(&self, message: &str) -> Option<Path> {
        self.first_of(&self.kernel(message)?.origin, Pattern::OclRun)
    }

    /// The first pattern that code comes from and that is this one.
    fn first_of(&self, origin: &Origin, pattern: Pattern) -> Option<Path> {
        self.leaves(origin).find(|(p, _)| *p == pattern).map(|(_, path)| path)
    }

    /// The patterns that code comes from.
    fn leaves(&self, origin: &Origin) -> impl Iterator<Item = (Pattern, Path)> {
        origin.numbers().filter_map(|n| {
            let path = path_of(self.term, n)?;
            Some((self.term.at(&path)?.as_pattern()?, path))
        })
    }

    /// The problem at what asks for the most of a kernel's local memory.
    fn too_much_local(&self, e: &DeviceError, problem: Diagnostic) -> Diagnostic {
        let bytes = |m: &LocalMemory| m.bytes.eval(&|x| self.sizes.get(x).copied()).ok();
        let of_kernel = self.kernel(&e.message).into_iter().flat_map(|k| &k.local_memory);
        let largest = of_kernel.max_by_key(|m| bytes(m));
        let asks = |p: Pattern, path: &Path| {
            p == Pattern::ReduceLocal || origin::local_memory(self.term).contains(path)
        };
        let leaves = || largest.into_iter().flat_map(|m| self.leaves(&m.origin));
        // What work-items accumulate together is kept where they share it, whether the program says so or not.
        let found = leaves()
            .find(|(p, path)| asks(*p, path))
            .or_else(|| leaves().find(|(p, _)| *p == Pattern::Iterate || p.is_reduce()));
        let hint = match &found {
            Some((Pattern::ReduceLocal, _)) => {
                "`reduceLocal` keeps what each part gives in local memory: give it a smaller number of parts."
                    .to_string()
            }
            Some((p, path)) if !asks(*p, path) => {
                format!("What `{p}` goes on with is kept in local memory: give each group a smaller array.")
            }
            _ => "Choose smaller tiles, or other memory than `local`.".to_string(),
        };
        let place = found.map(|(_, path)| path).or_else(|| self.launch(&e.message));
        let problem = problem.hint(hint);
        match place {
            Some(at) => self.workspace.located(problem.about(Subject::At(at)), self.term),
            None => problem,
        }
    }

    /// The largest array, where it is one that the program stores beside its inputs and its result, and its bytes.
    fn largest_of_program(&self) -> Option<(&Buffer, i64)> {
        let bytes = |b: &Buffer| {
            let cells = b.len.eval(&|x| self.sizes.get(x).copied()).ok()?;
            cells.checked_mul(i64::try_from(b.scalar.bytes()).ok()?)
        };
        let all = self.module.buffers.iter().filter_map(|b| Some((b, bytes(b)?)));
        all.max_by_key(|(_, bytes)| *bytes).filter(|(b, _)| b.role == Role::Temp)
    }

    /// The problem at what asks for the largest array.
    fn too_much(&self, (largest, bytes): (&Buffer, i64), problem: Diagnostic) -> Diagnostic {
        let name = &largest.name;
        let problem = if largest.each {
            problem
                .note(format!(
                    "`{name}` takes {bytes} bytes: private memory, of a size that is not known or too large for a work-item's own, is kept in global memory once for each work-item."
                ))
                .hint("Put an `oclRun` around the kernel, which says how many work-items there are: with fewer of them it takes less.")
        } else {
            problem.note(format!("`{name}`, which kernels hand on to each other, takes {bytes} bytes."))
        };
        let leaves = || self.leaves(&largest.origin);
        let place = leaves().find(|(p, _)| *p == Pattern::ToMem).or_else(|| leaves().next());
        match place {
            Some((_, at)) => self.workspace.located(problem.about(Subject::At(at)), self.term),
            None => problem,
        }
    }

    /// The first part without parts that has to do with the type that a message names.
    fn first_of_type(&self, message: &str) -> Option<Path> {
        let scalar =
            [Scalar::F16, Scalar::F64].into_iter().find(|s| message.contains(&format!("`{}`", s.name())))?;
        let is_of = |t: &Term| t.children().is_empty() && has_scalar(t.ty(), scalar);
        self.term.positions().into_iter().find(|(_, t)| is_of(t)).map(|(path, _)| path)
    }

    /// What a compiler refuses is the user's own text where it is that of a foreign function.
    fn refused(&self, e: &DeviceError, problem: Diagnostic) -> Diagnostic {
        let texts = [Language::C, Language::OpenCl].map(|language| self.module.code(language));
        let found = foreign::functions(self.term)
            .into_iter()
            .find_map(|f| Some((f, texts.iter().find_map(|text| line_of_body(f, text, e.line?))?)));
        let Some((function, line)) = found else { return self.refused_line(e, problem) };
        let name = function.name();
        let message =
            format!("The compiler refuses the text of the foreign function `{name}`: {}.", said(&e.message));
        let mut problem = Diagnostic { message, hints: vec![], ..problem };
        problem.notes.insert(0, format!("It is about `{line}`."));
        let subject = Subject::Pattern(Pattern::Declared(function));
        let hint = format!("Mend the text of `{name}`, which is C, and for an OpenCL device OpenCL C.");
        self.workspace.located(problem.hint(hint).about(subject), self.term)
    }

    /// A line of the generated code that a compiler refuses, and the innermost pattern that it comes from.
    fn refused_line(&self, e: &DeviceError, problem: Diagnostic) -> Diagnostic {
        let language = [(Language::C, "The C compiler"), (Language::OpenCl, "The OpenCL compiler")];
        let language = language.into_iter().find(|(_, who)| e.message.starts_with(who)).map(|(l, _)| l);
        let named = |language: &Language| {
            self.module.kernels(*language).any(|k| e.message.contains(&format!("`{}`", k.name)))
        };
        let (Some(language), Some(number)) = (language.filter(named), e.line.and_then(|n| n.checked_sub(1)))
        else {
            return problem;
        };
        let (code, lines) = (self.module.code(language), self.module.lines(language));
        let Some(text) = code.lines().nth(number) else { return problem };
        let problem =
            problem.note(format!("Line {} of the generated code is `{}`.", number + 1, text.trim()));
        let paths = lines.get(number).into_iter().flat_map(|line| self.leaves(&line.origin));
        match paths.max_by_key(|(_, path)| path.len()) {
            Some((_, at)) => self.workspace.located(problem.about(Subject::At(at)), self.term),
            None => problem,
        }
    }
}

fn has_scalar(ty: &Type, scalar: Scalar) -> bool {
    match ty.kind() {
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => has_scalar(t, scalar),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => has_scalar(a, scalar) || has_scalar(b, scalar),
        _ => ty.as_scalar() == Some(scalar),
    }
}

/// The line of this number in a text, counted from 1, if it is one of the function's body.
fn line_of_body(function: Declared, text: &str, number: usize) -> Option<String> {
    let body = function.foreign()?.body.lines().count();
    let head = format!(" foreign_{}(", function.name());
    let start = text.lines().position(|l| l.contains(&head) && l.ends_with('{'))? + 1;
    // The line after the body closes it, where a compiler misses something.
    let is_of_body = number > start && number <= start + body + 1;
    let line = text.lines().nth(number.checked_sub(1)?).filter(|_| is_of_body)?;
    Some(line.trim().to_string())
}

/// What a compiler says, without where and how it says it.
fn said(message: &str) -> &str {
    let after = |text: &'_ str| -> usize {
        let mut numbers = text.match_indices(':').filter(|(i, _)| {
            let before = text[..*i].rsplit(':').next().unwrap_or_default().trim();
            !before.is_empty() && before.bytes().all(|b| b.is_ascii_digit())
        });
        numbers.next_back().map_or(0, |(i, _)| i + 1)
    };
    let rest = message[after(message)..].trim();
    let rest = rest.split(" (line ").next().unwrap_or(rest);
    rest.strip_prefix("fatal error:")
        .or(rest.strip_prefix("error:"))
        .unwrap_or(rest)
        .trim()
        .trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn where_a_compiler_found_something_is_left_out() {
        for (message, what) in [
            (
                "The C compiler refused the kernel `f`: f.c:7:13: error: expected expression before ';' token",
                "expected expression before ';' token",
            ),
            (
                "The OpenCL compiler refused the kernel `f`: error: /tmp/x.cl:5:12: 'math.h' file not found (line 5 of its text: `#include <math.h>`)",
                "'math.h' file not found",
            ),
        ] {
            assert_eq!(said(message), what);
        }
    }
}
