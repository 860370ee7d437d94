//! Which C compiler there is, and what it knows.
use super::super::proto::{DeviceInfo, DeviceKind, FloatMode};
use super::super::{Cause, DeviceError, Settings, text};
use crate::emit::C_FLAGS;
use serde::{Deserialize, Serialize};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// A C compiler that works, or is presumed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// Whether it was seen to compile with these flags.
    pub tried: bool,
    /// The program, and arguments that belong to it (`CC="ccache gcc"`).
    pub command: Vec<String>,
    /// The first line of what it says about its version.
    pub version: String,
    /// The flag that means this very processor, where it has one.
    pub native: Option<String>,
    pub openmp: bool,
    /// The compilers before it that do not work.
    pub passed_over: Vec<String>,
}

/// Always given: a shared object at the usual level of optimisation. A function that is called but not declared is
/// an error, because C would otherwise guess its type. Names are hidden, so that a kernel called `dup` is not taken for
/// the system's.
const BASE: [&str; 5] =
    ["-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-Werror=implicit-function-declaration"];
/// What compilers call the processor that they run on, those of most first.
const NATIVE: [&str; 2] = ["-march=native", "-mcpu=native"];
const OPENMP: &str = "-fopenmp";
/// Of a program that ends as if it had compiled.
const NO_OBJECT: &str = "It says that it succeeded, and there is no object file.";
const PLAIN: &str = "int probe(int x) { return x + 1; }\n";
const PARALLEL: &str = "#include <omp.h>\n\
    int probe(int n) {\n    int sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n\
    for (int i = 0; i < n; i += 1) sum += i;\n    return sum + omp_get_max_threads();\n}\n";

impl Toolchain {
    /// The flags for kernels: the same for every kernel, so that times compare, and what is asked for beside.
    pub fn flags(&self, float: FloatMode, settings: &Settings) -> Vec<&str> {
        let mut flags = [&BASE[..], &C_FLAGS].concat();
        flags.extend(self.native.as_deref());
        flags.extend(self.openmp.then_some(OPENMP));
        match float {
            FloatMode::Strict => flags.push("-ffp-contract=off"),
            FloatMode::Contract => {}
        }
        flags.extend(settings.for_c());
        flags
    }

    /// The compiler with flags, in `folder`, with no input and with its output caught.
    pub fn start(&self, flags: &[&str], folder: &Path) -> Command {
        let (program, arguments) = self
            .command
            .split_first()
            .map_or(("cc", [].as_slice()), |(program, arguments)| (program, arguments));
        let mut command = Command::new(program);
        command.args(arguments).args(flags).current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C");
        command
    }

    fn accepts(&self, flags: &[&str], source: &str, folder: &Path) -> Result<(), DeviceError> {
        let stored = std::fs::write(folder.join("probe.c"), source);
        stored.map_err(|error| storage(&error.to_string()))?;
        let object = folder.join("probe.so");
        let _ = std::fs::remove_file(&object);
        let mut command = self.start(flags, folder);
        let ran = Ran::of(command.args(["-o", "probe.so", "probe.c"]));
        let ran = ran.map_err(|error| DeviceError::new(Cause::NoCompiler, error.to_string()))?;
        if ran.status.success() && object.is_file() {
            return Ok(());
        }
        let said = match ran.status.success() {
            true => NO_OBJECT.to_owned(),
            false if ran.said.trim().is_empty() => ran.ending(),
            false => ran.said.clone(),
        };
        let hindered = no_space(&said).or_else(|| ran.killed());
        Err(hindered.unwrap_or_else(|| DeviceError::new(Cause::NoCompiler, "").details(said)))
    }
}

/// The most that a compiler may print; one that prints more is told that nobody listens.
const MOST: u64 = 8 << 20;

/// How a compiler ended, and what it printed, of which the beginning and the end are kept.
pub struct Ran {
    pub status: ExitStatus,
    /// On its standard output.
    pub printed: String,
    /// On its standard error.
    pub said: String,
}

impl Ran {
    /// Runs it to its end.
    ///
    /// # Errors
    /// It cannot be started or waited for.
    pub fn of(command: &mut Command) -> io::Result<Ran> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (printed, said) = (child.stdout.take(), child.stderr.take());
        let printed = std::thread::Builder::new().spawn(move || text::heard(printed, MOST))?;
        let said = text::heard(said, MOST);
        let printed = printed.join().unwrap_or_default();
        Ok(Ran { status: child.wait()?, printed, said })
    }
}

impl Ran {
    /// How a program ended that failed and said nothing.
    pub fn ending(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (_, Some(signal)) => format!("it was ended by signal {signal}, and said nothing"),
            (Some(code), _) => format!("it failed with exit status {code}, and said nothing"),
            (None, None) => "it failed, and said nothing".to_owned(),
        }
    }
}

/// What compilers say where the system, or somebody, killed a program that they had started.
const KILLED: [&str; 3] =
    ["Killed signal terminated program", "terminated with signal 9", "unable to execute command: Killed"];
/// What they say where no memory is left.
const NO_MEMORY: [&str; 3] =
    ["out of memory allocating", "virtual memory exhausted", "Cannot allocate memory"];
/// What they say where another signal ended a program that they had started.
const ENDED: [&str; 3] =
    ["signal terminated program", "terminated with signal", "command failed due to signal"];

impl Ran {
    /// Whether a compiler failed for want of memory, as far as can be told: it was killed, or says so itself.
    pub fn killed(&self) -> Option<DeviceError> {
        let how = if self.status.signal() == Some(libc::SIGKILL) || self.says(&KILLED).is_some() {
            "was killed, most likely for want of memory"
        } else if self.says(&NO_MEMORY).is_some() {
            "found no memory"
        } else {
            return None;
        };
        Some(self.ended_so(how).hint("Free some memory, and run it again."))
    }

    /// Whether a signal ended a compiler, so that nothing is known of the text.
    pub fn ended(&self) -> Option<DeviceError> {
        let itself = || Some(format!("was ended by signal {}", self.status.signal()?));
        let part = || Some(format!("was ended: {}", self.says(&ENDED)?));
        let hint = "Run it again. If it is ended each time, name another compiler in CC.";
        self.killed().or_else(|| Some(self.ended_so(&itself().or_else(part)?).hint(hint)))
    }

    fn ended_so(&self, how: &str) -> DeviceError {
        DeviceError::new(Cause::CompilerEnded, format!("The C compiler {how}.")).details(self.said.clone())
    }

    fn says(&self, signs: &[&str]) -> Option<&str> {
        self.said.lines().find(|line| signs.iter().any(|sign| line.contains(sign))).map(str::trim)
    }
}

/// What is said where a file would be larger than the limit for files.
const LIMITED: [&str; 2] = ["File size limit exceeded", "File too large"];

/// Whether a compiler failed for want of space, by what it said.
pub fn no_space(said: &str) -> Option<DeviceError> {
    let signs = ["No space left on device", "Disk quota exceeded", "Read-only file system"];
    let is_told = |line: &&str| signs.iter().chain(&LIMITED).any(|sign| line.contains(sign));
    let line = said.lines().find(is_told)?;
    Some(storage(line.trim()).details(said))
}

/// Temporary files could not be written.
pub fn storage(what: &str) -> DeviceError {
    // However much space there is, no file may be larger than the shell's limit.
    let hint = match LIMITED.iter().any(|sign| what.contains(sign)) {
        true => "Raise the limit (`ulimit -f`).",
        false => "Free some space, or set TMPDIR to a folder with space from which programs may be loaded.",
    };
    DeviceError::new(Cause::Storage, format!("Temporary files cannot be written: {what}.")).hint(hint)
}

/// What `$CC` names, if it is set.
fn chosen() -> Option<String> {
    std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty())
}

/// The compilers that are tried, the first first.
fn candidates(chosen: Option<&str>) -> Vec<Vec<String>> {
    match chosen {
        Some(cc) => vec![cc.split_whitespace().map(str::to_owned).collect()],
        None => ["cc", "gcc", "clang"].map(|name| vec![name.to_owned()]).to_vec(),
    }
}

/// The compiler that comes first, where it names its version: nearly every one knows what is asked for, and to try it takes
/// longer than to compile a small kernel. Where that fails, it is to be probed.
pub fn presume(folder: &Path) -> Option<Toolchain> {
    let command = candidates(chosen().as_deref()).into_iter().next()?;
    let mut toolchain = Toolchain {
        tried: false,
        command,
        version: String::new(),
        native: Some(NATIVE[0].to_owned()),
        openmp: true,
        passed_over: vec![],
    };
    toolchain.name_version(folder).then_some(toolchain)
}

/// Finds a C compiler, with files in `folder`: `$CC` where it is set, else the first of `cc`, `gcc` and `clang` that works.
///
/// # Errors
/// That there is none, or none that works; with what was tried.
pub fn probe(folder: &Path) -> Result<Toolchain, DeviceError> {
    let chosen = chosen();
    let mut tried = String::new();
    let mut passed_over = vec![];
    for command in candidates(chosen.as_deref()) {
        let name = command.join(" ");
        let version = String::new();
        let passed = passed_over.clone();
        let mut toolchain =
            Toolchain { tried: true, command, version, native: None, openmp: false, passed_over: passed };
        // Most compilers know all that is asked for, which one question tells.
        if toolchain.knows(&[NATIVE[0], OPENMP], PARALLEL, folder) {
            toolchain.name_version(folder);
            toolchain.native = Some(NATIVE[0].to_owned());
            toolchain.openmp = true;
            return Ok(toolchain);
        }
        match toolchain.accepts(&BASE, PLAIN, folder) {
            Err(error) if matches!(error.cause, Cause::Storage | Cause::CompilerEnded) => return Err(error),
            Err(error) => {
                let said = format!("{} {}", error.message, error.details);
                tried.push_str(&format!("{name}: {}\n", said.trim()));
                passed_over.push(name);
            }
            Ok(()) => {
                toolchain.complete(folder);
                return Ok(toolchain);
            }
        }
    }
    let message = match chosen {
        Some(cc) => format!("The C compiler `{cc}`, which the variable CC names, does not work."),
        None => "No C compiler that works was found (`cc`, `gcc` and `clang` were tried).".to_owned(),
    };
    Err(DeviceError::new(Cause::NoCompiler, message)
        .hint("Install one, e.g. `apt-get install gcc`, or set CC to one. OpenCL devices run without, but what they compute is checked by what it compiles.")
        .details(tried))
}

impl Toolchain {
    /// Asks a compiler that works what else it knows.
    fn complete(&mut self, folder: &Path) {
        self.name_version(folder);
        let native = NATIVE.into_iter().find(|flag| self.knows(&[flag], PLAIN, folder));
        self.native = native.map(str::to_owned);
        self.openmp = self.knows(&[OPENMP], PARALLEL, folder);
    }

    /// Whether it compiles a text with more flags than those of every kernel.
    fn knows(&self, more: &[&str], source: &str, folder: &Path) -> bool {
        let flags: Vec<&str> = BASE.iter().chain(more).copied().collect();
        self.accepts(&flags, source, folder).is_ok()
    }

    /// Asks for its version, which is its name where it does not tell; whether it told.
    fn name_version(&mut self, folder: &Path) -> bool {
        let ran = Ran::of(&mut self.start(&["--version"], folder)).ok().filter(|ran| ran.status.success());
        let told = ran.as_ref().and_then(|ran| ran.printed.lines().next()).map(str::trim);
        let told = told.filter(|line| !line.is_empty());
        self.version = told.map_or_else(|| self.command.join(" "), str::to_owned);
        told.is_some()
    }
}

/// The device `cpu` as it is listed, with its compiler or why there is none.
pub fn describe(toolchain: Result<&Toolchain, &DeviceError>) -> DeviceInfo {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let kibibytes = field(&read("/proc/meminfo"), "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = kibibytes.unwrap_or(0) * 1024;
    let problem = toolchain.err().map(|error| match &error.hint {
        Some(hint) => format!("{} {hint}", error.message),
        None => error.message.clone(),
    });
    DeviceInfo {
        kind: DeviceKind::Host,
        id: "cpu".to_owned(),
        platform: "host".to_owned(),
        name: field(&read("/proc/cpuinfo"), "model name")
            .unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        version: toolchain.map(|toolchain| toolchain.version.clone()).unwrap_or_default(),
        driver: toolchain.map(|toolchain| toolchain.command.join(" ")).unwrap_or_default(),
        flags: toolchain
            .map(|t| t.flags(FloatMode::Contract, &Settings::default()).join(" "))
            .unwrap_or_default(),
        compute_units: u32::try_from(threads).unwrap_or(u32::MAX),
        max_work_group: 0,
        local_memory: 0,
        global_memory: memory,
        max_allocation: memory,
        clock_mhz: 0,
        openmp: toolchain.is_ok_and(|toolchain| toolchain.openmp),
        f64: true,
        f16: true,
        problem,
    }
}
