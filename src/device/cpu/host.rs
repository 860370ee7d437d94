//! Functions of the host in C: compiled and loaded, ready to be called.
use super::super::error::line_number;
use super::super::proto::Language;
use super::super::threads;
use super::super::worker::wire::{Job, Slot};
use super::super::{Cause, DeviceError};
use super::call::Loaded;
use super::toolchain::{Ran, Toolchain, no_space, storage};
use crate::lang::digest::Digest;
use crate::lang::ty::Scalar;
use std::ffi::c_void;
use std::fmt::Write;
use std::path::Path;

/// The functions of a job.
pub struct HostCode {
    code: Loaded,
    /// Their names; the code knows them by number.
    entries: Vec<String>,
    /// The compiler with its version and the flags used.
    pub compiler: String,
    pub warnings: Vec<String>,
    /// Whether a loop of it is shared out to threads.
    is_shared_out: bool,
}

impl HostCode {
    /// What a job's C is compiled from and with: jobs of one key have the same object. None where there is no C.
    pub fn key(job: &Job, toolchain: &Toolchain) -> Option<Digest> {
        let entries = job.entries(Language::C);
        let compiler = [toolchain.command.join("\0"), toolchain.version.clone()];
        let flags = toolchain.flags(job.float, &job.settings).join("\0");
        let all = [compiler.join("\0"), flags, source(job, &entries)].join("\0\0");
        (!entries.is_empty()).then(|| Digest::of(all.as_bytes()))
    }

    /// Loads a job's C, which is compiled in `folder`, unless `object` is what came of that before. The folder is made and
    /// removed. `compiled` is given a new object.
    ///
    /// # Errors
    /// What the compiler says against the text; that files cannot be written.
    pub fn build(
        job: &Job,
        toolchain: &Toolchain,
        folder: &Path,
        object: &[u8],
        compiled: &mut dyn FnMut(&[u8]),
    ) -> Result<HostCode, DeviceError> {
        let flags = toolchain.flags(job.float, &job.settings);
        let stored = |error: std::io::Error| storage(&error.to_string());
        let entries: Vec<String> = job.entries(Language::C).into_iter().map(str::to_owned).collect();
        let first = entries.first().map_or("host", String::as_str);
        let path = folder.join(format!("{first}.so"));
        std::fs::create_dir_all(folder).map_err(stored)?;
        if object.is_empty() {
            compile(job, first, toolchain, &flags, folder)?;
            compiled(&std::fs::read(&path).map_err(stored)?);
        } else {
            std::fs::write(&path, object).map_err(stored)?;
        }
        let code = Loaded::open(&path, entries.len())?;
        if let Some(threads) = job.settings.threads {
            code.start_threads(threads);
        }
        // The code stays in memory without its file.
        let _ = std::fs::remove_dir_all(folder);
        let mut warnings = Vec::new();
        if !toolchain.passed_over.is_empty() {
            let names: Vec<String> = toolchain.passed_over.iter().map(|cc| format!("`{cc}`")).collect();
            let (used, failed) = (toolchain.command.join(" "), names.join(" and "));
            warnings.push(format!("The C compiler is `{used}`, since {failed} could not be used."));
        }
        if !toolchain.openmp {
            let what = "The C compiler does not know OpenMP: parallel loops run on one thread.";
            warnings.push(what.to_owned());
        }
        let is_shared_out = job.texts.host.contains("#pragma omp parallel");
        if is_shared_out && code.threads() > 1 {
            warnings.extend(threads::slow(&threads::set(&|name| std::env::var_os(name))));
        }
        let compiler = format!("{} ({} {})", toolchain.version, toolchain.command.join(" "), flags.join(" "));
        Ok(HostCode { code, entries, compiler, warnings, is_shared_out })
    }

    pub fn number(&self, entry: &str) -> Option<usize> {
        self.entries.iter().position(|name| name == entry)
    }

    /// Calls the function of this number, and returns the nanoseconds it took; see [`Loaded::run`].
    ///
    /// # Errors
    /// It divided an integer where that has no result.
    pub fn run(&self, number: usize, arguments: &[*mut c_void]) -> Result<u64, DeviceError> {
        match self.code.run(number, arguments) {
            (time, true) => Ok(time),
            (_, false) => {
                let name = self.entries.get(number).map_or("", String::as_str);
                let message =
                    format!("The function `{name}` divided an integer by zero, or the least one by -1.");
                Err(DeviceError::new(Cause::NoResult, message))
            }
        }
    }

    /// The threads that there are for parallel loops.
    pub fn threads(&self) -> u32 {
        self.code.threads()
    }

    /// How many of them the code uses at most.
    pub fn used(&self) -> u32 {
        if self.is_shared_out { self.threads() } else { 1 }
    }
}

/// A job's C, with the functions by which it is called.
fn source(job: &Job, entries: &[&str]) -> String {
    let mut source = job.texts.host.clone();
    source.push_str(&wrappers(job, entries));
    source
}

/// Compiles a job's C to an object that is named as its first function.
fn compile(
    job: &Job,
    first: &str,
    toolchain: &Toolchain,
    flags: &[&str],
    folder: &Path,
) -> Result<(), DeviceError> {
    let (text, object) = (format!("{first}.c"), format!("{first}.so"));
    let source = source(job, &job.entries(Language::C));
    std::fs::write(folder.join(&text), source).map_err(|error| storage(&error.to_string()))?;
    let mut command = toolchain.start(flags, folder);
    let ran = Ran::of(command.args(["-o", &object, &text, "-lm"])).map_err(|error| {
        DeviceError::new(
            Cause::NoCompiler,
            format!("The C compiler `{}` cannot be started: {error}.", toolchain.command.join(" ")),
        )
    })?;
    match ran.status.success() {
        true if folder.join(&object).is_file() => Ok(()),
        true => {
            let message = format!(
                "The C compiler wrote no object file for the kernel `{first}`, and says that it succeeded."
            );
            Err(DeviceError::new(Cause::CompileFailed, message).hint("Is CC a sound C compiler?"))
        }
        false => Err(no_space(&ran.said)
            .or_else(|| ran.ended())
            .unwrap_or_else(|| refused(&ran.said, &ran.ending(), first))),
    }
}

/// What a compiler that failed has said, or how it ended without a word, as an error of ours.
fn refused(said: &str, ending: &str, entry: &str) -> DeviceError {
    let line = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    let line = line.map_or(ending, str::trim);
    if line.contains("_Float16") {
        let message =
            "The C compiler has no half precision, which the kernel uses: `f16` is `_Float16` in C.";
        return DeviceError::new(Cause::CompileFailed, message)
            .hint("Use `f32`, or name a newer compiler in CC, such as GCC 12.")
            .details(said);
    }
    DeviceError::new(Cause::CompileFailed, format!("The C compiler refused the kernel `{entry}`: {line}"))
        .hint("Is CC a sound C compiler? If it is, please report this with the program.")
        .line(line_number(line))
        .details(said)
}

/// The functions that give functions of any signature one signature: they take their arguments from an array of
/// pointers. Compiled in the same file, so a function may be static, and its own types convert the arguments.
fn wrappers(job: &Job, entries: &[&str]) -> String {
    const EXPORTED: &str = "__attribute__((visibility(\"default\")))";
    let mut out = String::new();
    for (number, entry) in entries.iter().enumerate() {
        let step = job.steps.iter().find(|step| step.language == Language::C && step.entry == **entry);
        let slots = step.map(|step| job.slots(step)).unwrap_or_default();
        let mut arguments = String::new();
        for (index, slot) in slots.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            // Writing into a string cannot fail.
            let _ = match slot {
                Slot::Scalar { elem, .. } => {
                    write!(arguments, "{comma}*(const {} *)shine_arguments[{index}]", c_name(*elem))
                }
                _ => write!(arguments, "{comma}shine_arguments[{index}]"),
            };
        }
        let call = format!("{entry}({arguments});");
        let called = match step.is_some_and(|step| step.divides) {
            true => format!("return {call}"),
            false => format!("{call} return 0;"),
        };
        let _ = write!(
            out,
            "\n#line 1 \"entry of {entry}\"\n\
             {EXPORTED} int shine_worker_entry_{number}(void *const *shine_arguments) {{ {called} }}\n"
        );
    }
    let _ = write!(
        out,
        "#ifdef _OPENMP\nextern int omp_get_max_threads(void);\nextern void omp_set_num_threads(int);\n\
         {EXPORTED} int shine_worker_threads(int n) {{\n    if (n > 0) omp_set_num_threads(n);\n    \
         return omp_get_max_threads();\n}}\n\
         #else\n{EXPORTED} int shine_worker_threads(int n) {{ (void)n; return 1; }}\n#endif\n"
    );
    out
}

/// The C type of a scalar, on the two architectures that are supported.
fn c_name(elem: Scalar) -> &'static str {
    match elem {
        Scalar::Bool => "_Bool",
        Scalar::I8 => "signed char",
        Scalar::I16 => "short",
        Scalar::I32 => "int",
        Scalar::I64 => "long long",
        Scalar::U8 => "unsigned char",
        Scalar::U16 => "unsigned short",
        Scalar::U32 => "unsigned int",
        Scalar::U64 => "unsigned long long",
        Scalar::F16 => "_Float16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{HostData, HostScalar, Param, RunRequest};

    #[test]
    fn the_wrapper_passes_arrays_as_they_are_and_scalars_by_value() {
        let params = vec![
            Param::Output { elem: Scalar::F32, len: 4 },
            Param::Int(4),
            Param::Input(HostData::F32(vec![0.0; 4])),
            Param::Scalar(HostScalar::F64(0.0)),
        ];
        let job = Job::of(&RunRequest::single("cpu", "", "axpy", params)).unwrap();
        let text = wrappers(&job, &["axpy"]);
        let call = "axpy(shine_arguments[0], *(const int *)shine_arguments[1], shine_arguments[2], \
                    *(const double *)shine_arguments[3]);";
        assert!(text.contains(call), "{text}");
    }

    #[test]
    fn the_first_error_is_the_message() {
        let error = refused("f.c: In function 'f':\nf.c:2:3: error: expected ';'\n    2 | x\n", "", "f");
        assert_eq!(error.message, "The C compiler refused the kernel `f`: f.c:2:3: error: expected ';'");
        let halves = refused("f.c:1:8: error: unknown type name '_Float16'", "", "f");
        assert!(
            halves.message.contains("no half precision") && halves.details.contains("f.c:1:8"),
            "{halves}"
        );
        let silent = refused("", "it failed with exit status 4, and said nothing", "f");
        assert_eq!(
            (&*silent.message, &*silent.details),
            ("The C compiler refused the kernel `f`: it failed with exit status 4, and said nothing", "")
        );
    }
}
