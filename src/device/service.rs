//! The real devices: questions go to worker processes.
use super::cpu::{self, HostCode, Objects, Toolchain};
use super::worker::wire::{Ask, Job, MAX_BODY, Tell};
use super::worker::{Kept, Limits, WorkerCommand, ask};
use super::{
    Backend, Cause, DeviceError, DeviceInfo, DeviceList, HostData, Language, Mode, RunControl, RunReport,
    RunRequest, select,
};
use crate::lang::digest::Digest;
use crate::lang::ty::Scalar;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long the search for a compiler or for devices may take.
const SEARCH: Duration = Duration::from_secs(60);

/// The devices of this machine, or of one that a command leads to. What was found once is remembered; what was not is looked for again.
#[derive(Debug)]
pub struct Devices {
    worker: WorkerCommand,
    toolchain: Mutex<Option<Toolchain>>,
    opencl: Mutex<Option<Vec<DeviceInfo>>>,
    objects: Objects,
    kept: Kept,
}

impl Default for Devices {
    fn default() -> Devices {
        Devices::new()
    }
}

impl Devices {
    /// Workers are this very program, even where its file has since been replaced.
    pub fn new() -> Devices {
        Devices::with_worker("/proc/self/exe")
    }

    /// Workers are the given program, which must call [`super::worker::main`] when told to (for tests).
    pub fn with_worker(program: impl Into<PathBuf>) -> Devices {
        Devices::of(WorkerCommand::Own { program: program.into(), env: Vec::new() })
    }

    /// Workers are what this command of a shell starts, which ends in `shine-tui worker`: the devices are those of the machine
    /// that it leads to.
    pub fn elsewhere(command: &str) -> Devices {
        Devices::of(WorkerCommand::Shell(command.to_owned()))
    }

    fn of(worker: WorkerCommand) -> Devices {
        let (toolchain, opencl) = (Mutex::new(None), Mutex::new(None));
        Devices { worker, toolchain, opencl, objects: Objects::default(), kept: Kept::default() }
    }

    /// Gives workers that are this program another value of an environment variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Devices {
        if let WorkerCommand::Own { env, .. } = &mut self.worker {
            env.push((name.into(), value.into()));
        }
        self
    }

    /// The C compiler, tried where that is to be `thorough`, else perhaps presumed.
    fn toolchain(&self, thorough: bool, control: &mut RunControl<'_>) -> Result<Toolchain, DeviceError> {
        if let Some(toolchain) = known(&self.toolchain).filter(|known| known.tried || !thorough) {
            return Ok(toolchain);
        }
        let folder = temporary()?;
        let question = Ask::Probe { folder: folder.path().to_owned(), thorough };
        match ask(&self.worker, &question, &[], Limits { time: SEARCH, body: 0 }, control)?.tell {
            Tell::Probed(toolchain) => Ok(remember(&self.toolchain, toolchain)),
            _ => Err(strange()),
        }
    }

    fn opencl(&self, control: &mut RunControl<'_>) -> Result<Vec<DeviceInfo>, DeviceError> {
        if let Some(devices) = known(&self.opencl) {
            return Ok(devices);
        }
        match ask(&self.worker, &Ask::List, &[], Limits { time: SEARCH, body: 0 }, control)?.tell {
            Tell::Listed(devices) if devices.is_empty() => Ok(devices),
            Tell::Listed(devices) => Ok(remember(&self.opencl, devices)),
            _ => Err(strange()),
        }
    }

    fn run_all(
        &self,
        requests: &[&RunRequest],
        control: &mut RunControl<'_>,
    ) -> Result<Vec<RunReport>, DeviceError> {
        let mut jobs = Vec::new();
        let mut limit = 0.0;
        for request in requests {
            jobs.push(Job::of(request)?);
            limit += request.time_limit_s;
        }
        let time = Duration::try_from_secs_f64(limit).map_err(|_| {
            DeviceError::new(Cause::BadRequest, format!("A time limit of {limit} s makes no sense."))
        })?;
        let toolchain = match jobs.iter().any(|job| !job.entries(Language::C).is_empty()) {
            true => Some(self.toolchain(false, control)?),
            false => None,
        };
        let presumed = toolchain.as_ref().filter(|toolchain| !toolchain.tried).cloned();
        let ran = self.run_with(toolchain, requests, &jobs, time, control);
        let (Some(presumed), Err(error)) = (presumed, &ran) else { return ran };
        if !matches!(error.cause, Cause::CompileFailed | Cause::NoCompiler) {
            return ran;
        }
        // What fails with a compiler that was presumed to work may be the compiler's fault.
        let tried = self.toolchain(true, control)?;
        if tried == (Toolchain { tried: true, ..presumed }) {
            return ran;
        }
        self.run_with(Some(tried), requests, &jobs, time, control)
    }

    /// Runs jobs, those in C with this compiler.
    fn run_with(
        &self,
        toolchain: Option<Toolchain>,
        requests: &[&RunRequest],
        jobs: &[Job],
        time: Duration,
        control: &mut RunControl<'_>,
    ) -> Result<Vec<RunReport>, DeviceError> {
        let key = |job: &Job| HostCode::key(job, toolchain.as_ref()?);
        let keys: Vec<Option<Digest>> = jobs.iter().map(key).collect();
        let objects: Vec<Option<Arc<[u8]>>> =
            keys.iter().map(|key| key.and_then(|key| self.objects.get(key))).collect();
        let inputs = requests.iter().flat_map(|request| request.inputs());
        let body: Vec<&[u8]> = inputs.chain(objects.iter().flatten().map(|object| &**object)).collect();
        let lengths: Vec<u64> =
            objects.iter().map(|object| object.as_ref().map_or(0, |object| object.len() as u64)).collect();
        let outputs: Vec<_> = jobs.iter().map(Job::outputs).collect();
        let bytes = |(elem, len): &(Scalar, usize)| elem.bytes() as u64 * *len as u64;
        let most = outputs.iter().flatten().map(bytes).sum::<u64>().min(MAX_BODY);
        // Kernels in C run in the worker's own memory, of which nothing may be left to the next.
        let stay = !jobs.iter().any(|job| select::is_host(&job.device));
        let question = |folder: &Path| Ask::Run {
            folder: folder.to_owned(),
            toolchain: toolchain.clone(),
            jobs: jobs.to_vec(),
            objects: lengths.clone(),
            stay,
        };
        let limits = Limits { time, body: most };
        let began = Instant::now();
        let answer = match stay {
            true => self.kept.ask(&self.worker, &question, &body, limits, control)?,
            false => {
                let folder = temporary()?;
                ask(&self.worker, &question(folder.path()), &body, limits, control)?
            }
        };
        for (job, object) in answer.compiled {
            if let Some(key) = keys.get(job).copied().flatten() {
                self.objects.keep(key, object);
            }
        }
        let took = began.elapsed();
        let Tell::Ran(outcomes) = answer.tell else { return Err(strange()) };
        if outcomes.len() != outputs.len() || answer.body.len() as u64 != most {
            return Err(strange());
        }
        let mut rest = answer.body.as_slice();
        let mut reports = Vec::new();
        for (outcome, outputs) in outcomes.into_iter().zip(outputs) {
            let mut data = Vec::new();
            for (elem, len) in outputs {
                let (output, behind) = rest.split_at(elem.bytes() * len);
                rest = behind;
                data.push(HostData::from_bytes(elem, output));
            }
            reports.push(outcome.report(data, answer.stderr.clone()));
        }
        // What runs once is not timed, and may be over before a coarse clock goes on.
        let mut timed = requests.iter().zip(&reports).filter(|(request, _)| request.mode != Mode::Once);
        timed.try_for_each(|(_, report)| could_be(&report.samples_ns, took))?;
        Ok(reports)
    }
}

/// Times that no runs can have taken say that the worker, or its clock, is not to be believed: most runs none at all, or all of
/// them together longer than it took to answer.
fn could_be(samples_ns: &[u64], took: Duration) -> Result<(), DeviceError> {
    let none = samples_ns.iter().filter(|ns| **ns == 0).count();
    let all = samples_ns.iter().map(|ns| u128::from(*ns)).fold(0, u128::saturating_add);
    let what = if none > 0 && 2 * none >= samples_ns.len() {
        format!("{none} of {} runs took no time", samples_ns.len())
    } else if all > took.as_nanos().saturating_mul(2) {
        format!("the runs took longer than the {:.1} s in which it answered", took.as_secs_f64())
    } else {
        return Ok(());
    };
    let message = format!("The worker process gave times that cannot be: {what}.");
    Err(DeviceError::new(Cause::Protocol, message)
        .hint("Is its clock right, and is it the same version of this program?"))
}

/// What was found before. No lock is held while a worker is asked, so that nobody waits who cannot be stopped.
fn known<T: Clone>(memory: &Mutex<Option<T>>) -> Option<T> {
    memory.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn remember<T: Clone>(memory: &Mutex<Option<T>>, found: T) -> T {
    *memory.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
    found
}

fn strange() -> DeviceError {
    DeviceError::new(Cause::Protocol, "The worker process gave an answer to another question.")
        .hint("Is the worker the same version of this program?")
}

/// A folder for temporary files, removed when it is dropped; every file of a worker lies in one.
pub(super) fn temporary() -> Result<TempDir, DeviceError> {
    tempfile::Builder::new().prefix("shine-tui-").tempdir().map_err(|error| cpu::storage(&error.to_string()))
}

impl Backend for Devices {
    fn list(&self, control: &mut RunControl<'_>) -> Result<DeviceList, DeviceError> {
        let toolchain = match self.toolchain(true, control) {
            Err(error) if is_without_worker(&error) => return Err(error),
            toolchain => toolchain,
        };
        let mut devices = vec![cpu::describe(toolchain.as_ref())];
        let mut notes = Vec::new();
        for error in toolchain.err().into_iter().chain(match self.opencl(control) {
            Ok(found) if found.is_empty() => Some(no_platform(&self.worker)),
            Ok(found) => {
                devices.extend(found);
                None
            }
            Err(error) => Some(error),
        }) {
            if error.cause == Cause::Cancelled {
                return Err(error);
            }
            let mut note = error.message;
            if let Some(last) = error.details.lines().rev().find(|line| !line.trim().is_empty()) {
                note.push_str(&format!(" The last that was said: “{}”.", last.trim()));
            }
            note.extend(error.hint.map(|hint| format!(" {hint}")));
            notes.push(note);
        }
        Ok(DeviceList { devices, notes })
    }

    fn list_for(&self, name: &str, control: &mut RunControl<'_>) -> Result<DeviceList, DeviceError> {
        if !select::is_host(name) {
            return self.list(control);
        }
        match self.toolchain(true, control) {
            Err(error) if error.cause == Cause::Cancelled || is_without_worker(&error) => Err(error),
            toolchain => Ok(DeviceList {
                devices: vec![cpu::describe(toolchain.as_ref())],
                notes: toolchain.err().map(|error| error.message).into_iter().collect(),
            }),
        }
    }

    fn surroundings(&self) -> Vec<String> {
        self.worker.decides()
    }

    fn run(&self, request: &RunRequest, control: &mut RunControl<'_>) -> Result<RunReport, DeviceError> {
        self.run_all(&[request], control)?.pop().ok_or_else(strange)
    }

    fn run_pair(
        &self,
        first: &RunRequest,
        second: &RunRequest,
        control: &mut RunControl<'_>,
    ) -> Result<(RunReport, RunReport), DeviceError> {
        let mut reports = self.run_all(&[first, second], control)?;
        match (reports.pop(), reports.pop()) {
            (Some(second), Some(first)) => Ok((first, second)),
            _ => Err(strange()),
        }
    }
}

/// Did nobody answer? Then nothing is known of devices.
fn is_without_worker(error: &DeviceError) -> bool {
    matches!(error.cause, Cause::WorkerMissing | Cause::Protocol)
}

fn no_platform(worker: &WorkerCommand) -> DeviceError {
    // What a worker has that is started elsewhere is not to be seen here.
    let drivers = if matches!(worker, WorkerCommand::Shell(_)) { vec![] } else { drivers() };
    if drivers.is_empty() {
        return DeviceError::new(Cause::NoDevice, "The OpenCL library is installed, but no driver with a device.").hint(
            "The device `cpu` works without. For OpenCL on the processor: `apt-get install ocl-icd-libopencl1 pocl-opencl-icd`.",
        );
    }
    let found = format!(
        "OpenCL is installed with the drivers of {}, and none of them has a device.",
        drivers.join(", ")
    );
    DeviceError::new(Cause::NoDevice, found).hint(
        "The device `cpu` works without. Some drivers need a folder that they can write to: of PoCL it is POCL_CACHE_DIR, or else lies \
         below XDG_CACHE_HOME or HOME.",
    )
}

/// The files by which drivers are announced to the OpenCL library.
fn drivers() -> Vec<String> {
    let folder =
        std::env::var_os("OCL_ICD_VENDORS").map_or_else(|| "/etc/OpenCL/vendors".into(), PathBuf::from);
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "icd"));
    let mut names: Vec<String> =
        files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_cannot_be_are_refused() {
        let took = Duration::from_micros(10);
        let says = |samples: &[u64]| could_be(samples, took).map_err(|e| e.message);
        assert_eq!((says(&[]), says(&[0, 20, 30]), says(&[9_000, 900])), (Ok(()), Ok(()), Ok(())));
        assert!(says(&[0, 0, 0]).is_err_and(|m| m.ends_with("3 of 3 runs took no time.")));
        assert!(says(&[u64::MAX, u64::MAX]).is_err_and(|m| m.contains("took longer than")));
        assert!(says(&[30_000]).is_err_and(|m| m.contains("took longer than")));
    }
}
