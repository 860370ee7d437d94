//! One kernel in C: compiled, loaded, with its memory.
use super::super::buffer::Buffer;
use super::super::proto::Timer;
use super::super::worker::measure::{About, Kernel};
use super::super::worker::wire::{Job, Slot};
use super::super::{Cause, DeviceError, Elem};
use super::call::Loaded;
use super::toolchain::{Ran, Toolchain, no_space, storage};
use std::ffi::c_void;
use std::fmt::Write;
use std::path::Path;

/// A kernel in C that is ready to run.
pub struct CpuKernel {
    code: Loaded,
    arguments: Vec<Argument>,
    about: About,
    entry: String,
}

enum Argument {
    Output(Buffer),
    Array(Buffer),
    Scalar([u8; 8]),
}

impl CpuKernel {
    /// Compiles a job in `folder`, which it makes and removes, and takes memory for its outputs.
    ///
    /// # Errors
    /// What the compiler says against the text; that files cannot be written, or that memory is missing.
    pub fn build(
        job: &Job,
        inputs: Vec<Buffer>,
        toolchain: &Toolchain,
        folder: &Path,
    ) -> Result<CpuKernel, DeviceError> {
        let flags = toolchain.flags(job.float);
        let code = compile(job, toolchain, &flags, folder)?;
        let mut inputs = inputs.into_iter();
        let mut arguments = Vec::new();
        for slot in &job.params {
            arguments.push(match *slot {
                Slot::Output { elem, len } => Argument::Output(Buffer::new(elem, len)?),
                Slot::Temp { elem, len } => Argument::Array(Buffer::new(elem, len)?),
                Slot::Input { .. } => Argument::Array(inputs.next().ok_or_else(missing)?),
                Slot::Scalar { bits, .. } => Argument::Scalar(bits.to_le_bytes()),
                Slot::Local { .. } => return Err(missing()),
            });
        }
        let mut warnings = Vec::new();
        if !toolchain.openmp {
            let what = "The C compiler does not know OpenMP: parallel loops run on one thread.";
            warnings.push(what.to_owned());
        }
        let about = About {
            timer: Timer::Host,
            compiler: format!("{} ({} {})", toolchain.version, toolchain.command.join(" "), flags.join(" ")),
            device: "cpu".to_owned(),
            threads: code.threads(),
            warnings,
        };
        Ok(CpuKernel { code, arguments, about, entry: job.entry.clone() })
    }
}

fn missing() -> DeviceError {
    DeviceError::new(Cause::Protocol, "The worker process was asked something strange.")
}

impl Kernel for CpuKernel {
    fn run(&mut self) -> Result<u64, DeviceError> {
        let mut pointers: Vec<*mut c_void> = Vec::with_capacity(self.arguments.len());
        for argument in &mut self.arguments {
            pointers.push(match argument {
                Argument::Output(buffer) | Argument::Array(buffer) => buffer.cells_mut().as_mut_ptr().cast(),
                Argument::Scalar(bytes) => bytes.as_mut_ptr().cast(),
            });
        }
        Ok(self.code.run(&pointers))
    }

    fn outputs(&mut self) -> Result<Vec<u8>, DeviceError> {
        let mut outputs = Vec::new();
        for (index, argument) in self.arguments.iter_mut().enumerate() {
            let (Argument::Output(buffer) | Argument::Array(buffer)) = argument else { continue };
            if !buffer.guards_hold() {
                return Err(DeviceError::new(
                    Cause::OutOfBounds,
                    format!("The kernel `{}` wrote outside the array of parameter {index} (counted from 0).", self.entry),
                )
                .hint("Its times and output mean nothing; this is a fault of the generated code or of its sizes."));
            }
            if let Argument::Output(buffer) = argument {
                outputs.try_reserve_exact(buffer.cells().len()).map_err(|_| {
                    DeviceError::new(Cause::OutOfMemory, "There is no memory for the outputs of the kernel.")
                })?;
                outputs.extend_from_slice(buffer.cells());
            }
        }
        Ok(outputs)
    }

    fn about(&self) -> About {
        self.about.clone()
    }
}

fn compile(job: &Job, toolchain: &Toolchain, flags: &[&str], folder: &Path) -> Result<Loaded, DeviceError> {
    let stored = |error: std::io::Error| storage(&error.to_string());
    std::fs::create_dir_all(folder).map_err(stored)?;
    let (text, object) = (format!("{}.c", job.entry), format!("{}.so", job.entry));
    let mut source = job.source.clone();
    source.push_str(&wrapper(&job.entry, &job.params));
    std::fs::write(folder.join(&text), source).map_err(stored)?;
    let mut command = toolchain.start(flags, folder);
    let ran = Ran::of(command.args(["-o", &object, &text, "-lm"])).map_err(|error| {
        DeviceError::new(
            Cause::NoCompiler,
            format!("The C compiler `{}` cannot be started: {error}.", toolchain.command.join(" ")),
        )
    })?;
    if !ran.status.success() {
        return Err(refused(&ran.said, &job.entry));
    }
    let loaded = Loaded::open(&folder.join(&object))?;
    // The code stays in memory without its file.
    let _ = std::fs::remove_dir_all(folder);
    Ok(loaded)
}

/// What a compiler that failed has said, as an error of ours.
fn refused(said: &str, entry: &str) -> DeviceError {
    if let Some(error) = no_space(said) {
        return error;
    }
    let line = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    let line = line.map_or("it gave no reason", str::trim);
    if line.contains("_Float16") {
        let message =
            "The C compiler has no half precision, which the kernel uses: `f16` is `_Float16` in C.";
        return DeviceError::new(Cause::CompileFailed, message)
            .hint("Use `f32`, or name a newer compiler in CC, such as GCC 12.")
            .details(said);
    }
    DeviceError::new(Cause::CompileFailed, format!("The C compiler refused the kernel `{entry}`: {line}"))
        .hint("Is CC a sound C compiler? If it is, please report this with the program.")
        .details(said)
}

/// The function that gives a kernel of any signature one signature: it takes its arguments from an array of
/// pointers. Compiled in the same file, so the kernel may be static, and its own types convert the arguments.
fn wrapper(entry: &str, params: &[Slot]) -> String {
    let mut arguments = String::new();
    for (index, slot) in params.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // Writing into a string cannot fail.
        let _ = match slot {
            Slot::Scalar { elem, .. } => {
                write!(arguments, "{comma}*(const {} *)shine_arguments[{index}]", c_name(*elem))
            }
            _ => write!(arguments, "{comma}shine_arguments[{index}]"),
        };
    }
    format!(
        "\n#line 1 \"entry of {entry}\"\n\
         #define SHINE_WORKER __attribute__((visibility(\"default\")))\n\
         SHINE_WORKER void shine_worker_entry(void *const *shine_arguments) {{ {entry}({arguments}); }}\n\
         #ifdef _OPENMP\nextern int omp_get_max_threads(void);\n\
         SHINE_WORKER int shine_worker_threads(void) {{ return omp_get_max_threads(); }}\n\
         #else\nSHINE_WORKER int shine_worker_threads(void) {{ return 1; }}\n#endif\n"
    )
}

/// The C type of a scalar, on the two architectures that are supported.
fn c_name(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "_Bool",
        Elem::I8 => "signed char",
        Elem::I16 => "short",
        Elem::I32 => "int",
        Elem::I64 => "long long",
        Elem::U8 => "unsigned char",
        Elem::U16 => "unsigned short",
        Elem::U32 => "unsigned int",
        Elem::U64 => "unsigned long long",
        Elem::F16 => "_Float16",
        Elem::F32 => "float",
        Elem::F64 => "double",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrapper_passes_arrays_as_they_are_and_scalars_by_value() {
        let params = [
            Slot::Output { elem: Elem::F32, len: 4 },
            Slot::Scalar { elem: Elem::I32, bits: 4 },
            Slot::Input { elem: Elem::F32, len: 4 },
            Slot::Scalar { elem: Elem::F64, bits: 0 },
        ];
        let text = wrapper("axpy", &params);
        let call = "axpy(shine_arguments[0], *(const int *)shine_arguments[1], shine_arguments[2], \
                    *(const double *)shine_arguments[3]);";
        assert!(text.contains(call), "{text}");
    }

    #[test]
    fn the_first_error_is_the_message() {
        let error = refused("f.c: In function 'f':\nf.c:2:3: error: expected ';'\n    2 | x\n", "f");
        assert_eq!(error.message, "The C compiler refused the kernel `f`: f.c:2:3: error: expected ';'");
        let halves = refused("f.c:1:8: error: unknown type name '_Float16'", "f");
        assert!(
            halves.message.contains("no half precision") && halves.details.contains("f.c:1:8"),
            "{halves}"
        );
        assert_eq!(refused("ld: final link failed: No space left on device", "f").cause, Cause::Storage);
    }
}
