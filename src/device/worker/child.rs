//! The worker's side: one question, one answer.
use super::super::buffer::{Buffer, available};
use super::super::cpu::{self, CpuKernel, HostCode};
use super::super::opencl::{self, OpenClKernel};
use super::super::proto::{Language, PartTimes, Progress};
use super::super::service::temporary;
use super::super::{Cause, DeviceError};
use super::FLAG;
use super::measure::{Kernel, measure};
use super::parent::surroundings;
use super::wire::{self, Ask, Job, MAX_OBJECT, Outcome, Slot, Tell};
use nix::unistd::{getpgrp, getpid};
use rustix::process::{Resource, Rlimit, Signal, kill_current_process_group, setrlimit};
use std::fs::File;
use std::io::{self, Read, StdinLock};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;
use tempfile::TempDir;

/// Runs a worker to its end. The command line calls this when its first argument is [`super::FLAG`].
pub fn main() -> ExitCode {
    let Ok(mut answers) = answers() else { return ExitCode::FAILURE };
    modest();
    let mut questions = io::stdin().lock();
    let Ok((question, length)) = wire::receive::<Ask>(&mut questions) else { return ExitCode::FAILURE };
    let (tell, outputs) = answer(question, length, questions, &mut answers);
    let parts: Vec<&[u8]> = outputs.iter().map(Vec::as_slice).collect();
    match wire::send(&mut answers, &tell, &parts) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Becomes a worker with the surroundings that one has here; only an error returns.
pub fn serve() -> io::Error {
    std::process::Command::new("/proc/self/exe").arg0("shine-tui").arg(FLAG).envs(surroundings()).exec()
}

/// Takes standard output for the answers and sends what anybody else prints there to standard error.
fn answers() -> rustix::io::Result<File> {
    let answers: OwnedFd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(File::from(answers))
}

/// A crash leaves no core file, and when memory runs out it is the worker that goes.
fn modest() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Ends the group as soon as the parent is gone, which closes the pipe, and leaves no files behind.
fn watch(folder: Option<PathBuf>) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(io::stdin().read(&mut byte), Ok(1)) {}
        if let Some(folder) = folder {
            let _ = std::fs::remove_dir_all(folder);
        }
        // Only a group of its own: who starts a worker by hand keeps the shell it was started from.
        if getpgrp() == getpid() {
            let _ = kill_current_process_group(Signal::KILL);
        }
        std::process::exit(1);
    });
}

/// The folder for temporary files that was named, or, where that is on another machine, one of its own.
fn at_hand(named: PathBuf) -> Result<(PathBuf, Option<TempDir>), DeviceError> {
    if named.is_dir() {
        return Ok((named, None));
    }
    let own = temporary()?;
    Ok((own.path().to_owned(), Some(own)))
}

fn answer(question: Ask, length: u64, questions: StdinLock<'_>, answers: &mut File) -> (Tell, Vec<Vec<u8>>) {
    let told = match question {
        Ask::Probe { folder } => {
            drop(questions);
            probed(folder)
        }
        Ask::List => {
            drop(questions);
            watch(None);
            opencl::list().map(|devices| (Tell::Listed(devices), Vec::new()))
        }
        Ask::Run { folder, toolchain, jobs, objects } => {
            let mut tell = |said: Tell, body: &[u8]| {
                // A parent that does not listen is gone, and then so is this process.
                let _ = wire::send(answers, &said, &[body]);
            };
            run(folder, toolchain.as_ref(), &jobs, &objects, length, questions, &mut tell)
        }
    };
    told.unwrap_or_else(|error| (Tell::Failed(error), Vec::new()))
}

fn probed(folder: PathBuf) -> Result<(Tell, Vec<Vec<u8>>), DeviceError> {
    let (folder, _own) = at_hand(folder)?;
    watch(Some(folder.clone()));
    let toolchain = cpu::probe(&folder)?;
    Ok((Tell::Probed(toolchain), Vec::new()))
}

fn run(
    folder: PathBuf,
    toolchain: Option<&cpu::Toolchain>,
    jobs: &[Job],
    objects: &[u64],
    length: u64,
    mut questions: StdinLock<'_>,
    tell: &mut dyn FnMut(Tell, &[u8]),
) -> Result<(Tell, Vec<Vec<u8>>), DeviceError> {
    let strange = || DeviceError::new(Cause::Protocol, "The worker process was asked something strange.");
    let bytes = jobs.iter().map(Job::input_bytes).chain(objects.iter().copied().map(Some));
    let expected = bytes.into_iter().try_fold(0u64, |sum, bytes| sum.checked_add(bytes?));
    let mode = jobs.first().map(|job| job.mode).ok_or_else(strange)?;
    if expected != Some(length) || objects.len() != jobs.len() || objects.iter().any(|o| *o > MAX_OBJECT) {
        return Err(strange());
    }
    enough(jobs)?;
    let mut memories = Vec::new();
    for job in jobs {
        memories.push(inputs(job, &mut questions)?);
    }
    let mut compiled = Vec::new();
    for bytes in objects {
        let mut object = vec![0; usize::try_from(*bytes).map_err(|_| strange())?];
        questions.read_exact(&mut object).map_err(|error| lost(&error))?;
        compiled.push(object);
    }
    drop(questions);
    let (folder, _own) = at_hand(folder)?;
    watch(Some(folder.clone()));
    tell(Tell::Progress(Progress::Compiling), &[]);
    let mut kernels: Vec<Box<dyn Kernel>> = Vec::new();
    for (index, ((job, inputs), object)) in jobs.iter().zip(memories).zip(compiled).enumerate() {
        let folder = folder.join(index.to_string());
        let host = match (job.entries(Language::C).is_empty(), toolchain) {
            (true, _) => None,
            (false, Some(toolchain)) => {
                let mut keep = |object: &[u8]| {
                    if object.len() as u64 <= MAX_OBJECT {
                        tell(Tell::Compiled(index), object);
                    }
                };
                Some(HostCode::build(job, toolchain, &folder, &object, &mut keep)?)
            }
            (false, None) => return Err(strange()),
        };
        kernels.push(match host {
            Some(host) if job.device == "cpu" => Box::new(CpuKernel::build(job, inputs, host)?),
            host => Box::new(OpenClKernel::build(job, inputs, host)?),
        });
    }
    let samples = measure(&mut kernels, mode, &mut |progress| tell(Tell::Progress(progress), &[]))?;
    let mut outcomes = Vec::new();
    let mut outputs = Vec::new();
    for (kernel, runs) in kernels.iter_mut().zip(samples) {
        outputs.push(kernel.outputs()?);
        let about = kernel.about();
        let several = about.parts.len() > 1;
        let part = |(part, name): (usize, String)| PartTimes {
            name,
            samples_ns: runs.iter().filter_map(|run| run.get(part).copied()).collect(),
        };
        let parts =
            if several { about.parts.into_iter().enumerate().map(part).collect() } else { Vec::new() };
        outcomes.push(Outcome {
            samples_ns: runs.iter().map(|run| run.iter().sum()).collect(),
            parts,
            timer: about.timer,
            compiler: about.compiler,
            device: about.device,
            threads: about.threads,
            warnings: about.warnings,
        });
    }
    Ok((Tell::Ran(outcomes), outputs))
}

fn lost(error: &io::Error) -> DeviceError {
    DeviceError::new(Cause::Protocol, format!("The worker process lost its question: {error}."))
}

/// Whether the host has memory for all arrays that the jobs keep there.
fn enough(jobs: &[Job]) -> Result<(), DeviceError> {
    let kept = |job: &Job, slot: &Slot| match slot {
        Slot::Input { .. } => true,
        Slot::Output { .. } | Slot::Temp { .. } => !job.entries(Language::C).is_empty(),
        Slot::Local { .. } | Slot::Scalar { .. } => false,
    };
    let arrays = jobs.iter().flat_map(|job| job.params.iter().filter(move |slot| kept(job, slot)));
    let needed = arrays.fold(0u64, |sum, slot| sum.saturating_add(slot.bytes().unwrap_or(u64::MAX)));
    match available() {
        Some(free) if needed > free => Err(DeviceError::new(
            Cause::OutOfMemory,
            format!("The arrays of the kernel need {needed} bytes of memory, and {free} are free."),
        )
        .hint("Choose smaller sizes.")),
        _ => Ok(()),
    }
}

/// The memory of the job's inputs, filled from the body of the question, in the order of its parameters.
fn inputs(job: &Job, from: &mut impl Read) -> Result<Vec<Buffer>, DeviceError> {
    let mut buffers = Vec::new();
    for slot in &job.params {
        if let Slot::Input { elem, len } = *slot {
            let mut buffer = Buffer::new(elem, len)?;
            from.read_exact(buffer.cells_mut()).map_err(|error| lost(&error))?;
            buffers.push(buffer);
        }
    }
    Ok(buffers)
}
