//! What is asked of a device, and what it answers: plain data.
//!
//! A [`RunRequest`] carries everything that a run needs, so that the worker process knows nothing of programs or
//! terms: generated text, memory, and in which order kernels and functions of the host use it.
use super::stats::FEWEST;
use super::{HostData, HostScalar, Settings};
use crate::lang::ty::Scalar;
use serde::{Deserialize, Serialize};

/// The language of generated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// C, for the device `cpu`. OpenMP pragmas take effect where the compiler knows them.
    C,
    /// OpenCL C, for the other devices.
    OpenCl,
}

/// Memory or a value that steps of a run take.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// Memory that a component of the result is written to. A request has at least one.
    Output { elem: Scalar, len: usize },
    /// Memory that is read.
    Input(HostData),
    /// Memory to use as one likes.
    Temp { elem: Scalar, len: usize },
    /// A `local` pointer to so many bytes (OpenCL only).
    Local { bytes: usize },
    /// A size, passed as the C type `int`.
    Int(i64),
    /// A scalar of exactly the given type.
    Scalar(HostScalar),
}

/// How a compiler may treat floating-point arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum FloatMode {
    /// Every operation rounds by itself, as the interpreter does (no fused multiply-add).
    Strict,
    /// Multiply-adds may be fused: what C and OpenCL compilers do when asked nothing.
    #[default]
    Contract,
}

/// How often to run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mode {
    /// Once, for the result.
    Once,
    /// One run that is not counted, then runs until `max_runs` are done, or `max_seconds` have passed and
    /// `min_runs` are done.
    Measure { min_runs: u32, max_runs: u32, max_seconds: f64 },
}

impl Mode {
    /// The protocol of every measurement shown: 30 runs or so many seconds, at least so many that an interval is known.
    pub const MEASURE: Mode = Mode::Measure { min_runs: FEWEST, max_runs: 30, max_seconds: Mode::MEASURED_S };

    /// For so many seconds a measurement runs at most, where the fewest runs do not take longer.
    pub const MEASURED_S: f64 = 10.0;

    /// So often it runs at least, with the run that is not counted.
    pub const LEAST_RUNS: u32 = 1 + FEWEST;
}

/// A run has at most so many steps: a message of them has to have an end.
pub const MAX_STEPS: usize = 50_000;

/// What a step does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub reads: bool,
    pub writes: bool,
}

/// An argument of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// The parameter of this number.
    Param(usize, Access),
    /// A number of the step's own, passed as the C type `int`.
    Int(i64),
}

/// The launch of a kernel, or a call of a function of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// OpenCL C for a kernel, C for a function.
    pub language: Language,
    /// The name of the function (C) or kernel (OpenCL) to call.
    pub entry: String,
    /// In the order of the entry point's signature.
    pub args: Vec<Arg>,
    /// Work-items in each dimension (OpenCL only).
    pub global: Option<[u64; 3]>,
    /// Work-items of a work-group; left to the driver where `None`, except for 1-D ranges on CPU drivers, where it
    /// is 1 (PoCL would otherwise take the largest divisor, often all work-items: one thread).
    pub local: Option<[u64; 3]>,
    /// Does it return whether an integer was divided where that has no result (C only)?
    pub divides: bool,
}

impl Step {
    /// A step that takes all parameters, in their order.
    pub fn over(params: &[Param], language: Language, entry: &str) -> Step {
        let access = |p: &Param| match p {
            Param::Output { .. } => Access { reads: false, writes: true },
            Param::Temp { .. } => Access { reads: true, writes: true },
            _ => Access { reads: true, writes: false },
        };
        let args = params.iter().enumerate().map(|(i, p)| Arg::Param(i, access(p))).collect();
        Step { language, entry: entry.to_owned(), args, global: None, local: None, divides: false }
    }
}

/// The generated text of a module.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Texts {
    /// C: the functions of the host.
    pub host: String,
    /// OpenCL C: the kernels.
    pub device: String,
}

/// A module to compile and run: steps that share memory, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRequest {
    /// `cpu`, or part of an OpenCL device's name (see [`super::select`]).
    pub device: String,
    pub texts: Texts,
    /// What the steps take, inputs and outputs in the order of the program's.
    pub params: Vec<Param>,
    pub steps: Vec<Step>,
    pub float: FloatMode,
    pub settings: Settings,
    pub mode: Mode,
    /// The worker is ended when so many seconds have passed, compilation included.
    pub time_limit_s: f64,
}

impl RunRequest {
    /// Runs the function (C) or kernel (OpenCL) of a text once, on all parameters in their order.
    pub fn single(device: &str, source: &str, entry: &str, params: Vec<Param>) -> RunRequest {
        let language = if device == "cpu" { Language::C } else { Language::OpenCl };
        let (host, kernels) = match language {
            Language::C => (source.to_owned(), String::new()),
            Language::OpenCl => (String::new(), source.to_owned()),
        };
        RunRequest {
            device: device.to_owned(),
            texts: Texts { host, device: kernels },
            steps: vec![Step::over(&params, language, entry)],
            params,
            float: FloatMode::Contract,
            settings: Settings::default(),
            mode: Mode::Once,
            time_limit_s: 120.0,
        }
    }

    /// The bytes of the inputs, in the order of the parameters.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &[u8]> {
        self.params.iter().filter_map(|param| match param {
            Param::Input(data) => Some(data.as_bytes()),
            _ => None,
        })
    }
}

/// What took the times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timer {
    /// The host's monotonic clock around the call.
    Host,
    /// The device's own profiling events, from the start to the end of the kernel.
    DeviceEvents,
}

/// The times of an entry point, or of copies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartTimes {
    pub name: String,
    /// In each counted run, in nanoseconds, all its steps together.
    pub samples_ns: Vec<u64>,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// The outputs after the last run, in the order of the parameters.
    pub outputs: Vec<HostData>,
    /// The time of each counted run in nanoseconds, in the order of the runs: the sum of its parts.
    pub samples_ns: Vec<u64>,
    /// Where the time went, of a run of several entry points: each of them, and copies between host and device.
    pub parts: Vec<PartTimes>,
    pub timer: Timer,
    /// Compiler or driver with its version and the flags used.
    pub compiler: String,
    /// The full name of the device.
    pub device: String,
    /// Threads of OpenMP (`cpu`), or compute units (OpenCL).
    pub threads: u32,
    /// Full sentences about what was not as it could be, e.g. a compiler without OpenMP.
    pub warnings: Vec<String>,
    /// What compiler, driver or kernel printed.
    pub stderr: String,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Progress {
    Compiling,
    /// The run that is not counted.
    WarmingUp,
    /// `done` of at most `of` counted runs; with two kernels, pairs of runs.
    Running {
        done: u32,
        of: u32,
    },
}

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DeviceKind {
    /// The host processor through the C compiler.
    Host,
    /// OpenCL devices.
    Cpu,
    Gpu,
    Accelerator,
    Other,
}

/// A device as listed. Figures a driver does not tell are 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    pub kind: DeviceKind,
    /// What selects the device: `cpu`, or `platform / name`, with ` #2` and so on behind equal names.
    pub id: String,
    pub platform: String,
    pub name: String,
    pub version: String,
    pub driver: String,
    /// With which flags kernels are compiled for it unless others are asked for, where that is known.
    pub flags: String,
    /// Compute units, or hardware threads of the host.
    pub compute_units: u32,
    pub max_work_group: u64,
    pub local_memory: u64,
    pub global_memory: u64,
    pub max_allocation: u64,
    pub clock_mhz: u32,
    /// `cpu`: whether the compiler knows OpenMP. OpenCL: false.
    pub openmp: bool,
    /// Whether doubles can be used.
    pub f64: bool,
    /// Whether halves can be used, as far as is known before compiling.
    pub f16: bool,
    /// Why it cannot be used now, with what to do about it.
    pub problem: Option<String>,
}

/// All devices, and what could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceList {
    /// `cpu` first, then the OpenCL devices by platform.
    pub devices: Vec<DeviceInfo>,
    /// Why there are no OpenCL devices, or fewer than could be.
    pub notes: Vec<String>,
}
