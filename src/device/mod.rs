//! How a kernel runs: the host's processor through the system's C compiler, and every OpenCL device.
//!
//! In comes a [`RunRequest`] (generated text and its arguments), out comes a [`RunReport`] (the output and the times)
//! or a [`DeviceError`]. [`Devices`] is the real thing, [`fake::FakeDevices`] a scripted stand-in; both are a [`Backend`].
//!
//! What holds:
//! * Compilers, drivers and kernels only ever run in a worker process ([`worker`]). What they do wrong, be it a
//!   crash, a loop without end or a message on the screen, is an error value here.
//! * Nothing is left behind: no process, no zombie, no temporary file.
//! * OpenCL is found when it is first asked for; the program is built and started without it.
//! * `unsafe` is confined to the calls into compiled kernels and into OpenCL.
mod buffer;
pub mod check;
mod cpu;
mod data;
mod error;
mod expected;
pub mod fake;
mod opencl;
mod proto;
mod quiet;
pub mod roofline;
mod select;
mod service;
mod settings;
pub mod stats;
mod text;
pub mod threads;
pub mod worker;

pub use buffer::ALIGNMENT;
pub use data::{HostData, HostScalar, poison};
pub use error::{Cause, DeviceError};
pub use expected::Expected;
pub use opencl::{array_fits, group_fits, local_fits};
pub use proto::{
    Access, Arg, DeviceInfo, DeviceKind, DeviceList, FloatMode, Language, MAX_STEPS, Mode, Param, PartTimes,
    Progress, RunReport, RunRequest, Step, Texts, Timer,
};
pub use quiet::{BUSY, UNLIKE};
pub use select::select;
pub use service::Devices;
pub use settings::{Choice, FLAGS, Flag, SCALAR, Settings, name_in};
pub use text::printable;

use std::sync::atomic::AtomicBool;

/// How a caller follows a run, and stops it.
pub struct RunControl<'a> {
    /// Set it from anywhere to end the run within a tenth of a second.
    pub cancel: &'a AtomicBool,
    /// Called on the calling thread.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// Something that has devices and runs kernels on them.
pub trait Backend: Send + Sync {
    /// Every device, `cpu` first. Slow the first time (drivers are loaded).
    ///
    /// # Errors
    /// Only that it was cancelled; what is wrong with devices stands in the list.
    fn list(&self, control: &mut RunControl<'_>) -> Result<DeviceList, DeviceError>;

    /// The devices among which one of this name is: all, or without loading drivers the host alone.
    ///
    /// # Errors
    /// As [`Backend::list`].
    fn list_for(&self, name: &str, control: &mut RunControl<'_>) -> Result<DeviceList, DeviceError> {
        let _ = name;
        self.list(control)
    }

    /// What else decides how fast kernels run, where their devices are the same: which command leads to them, and what the
    /// environment says of threads.
    fn surroundings(&self) -> Vec<String> {
        vec![]
    }

    /// Compiles a kernel and runs it as often as its mode says.
    ///
    /// # Errors
    /// See [`Cause`].
    fn run(&self, request: &RunRequest, control: &mut RunControl<'_>) -> Result<RunReport, DeviceError>;

    /// Compiles two kernels, then runs them in turns, so that their times compare. Both have the mode of the first.
    ///
    /// # Errors
    /// See [`Cause`].
    fn run_pair(
        &self,
        first: &RunRequest,
        second: &RunRequest,
        control: &mut RunControl<'_>,
    ) -> Result<(RunReport, RunReport), DeviceError>;
}
