//! The worker's side: a question, an answer, and another one where it is to stay.
use super::super::Mode;
use super::super::buffer::{Buffer, available};
use super::super::cpu::{self, CpuKernel, HostCode, storage};
use super::super::opencl::{self, Contexts, OpenClKernel};
use super::super::proto::{Language, PartTimes, Progress};
use super::super::quiet::{Turns, Watch};
use super::super::service::temporary;
use super::super::threads;
use super::super::{Cause, DeviceError};
use super::measure::{Kernel, measure};
use super::parent::GRACE;
use super::wire::{self, Ask, Job, MAX_OBJECT, Outcome, Slot, Tell};
use super::{FLAG, IDLE};
use nix::unistd::{getpgrp, getpid};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Resource, Rlimit, Signal, kill_current_process_group, setrlimit};
use std::fs::File;
use std::io::{self, Read, StdinLock, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// What a worker does.
struct State {
    /// Is it at work on a question, or has it answered?
    at_work: bool,
    /// Has a question come?
    was_asked: bool,
    /// The folder of its temporary files.
    folder: Option<PathBuf>,
}

static STATE: Mutex<State> = Mutex::new(State { at_work: true, was_asked: false, folder: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a worker to its end. The command line calls this when its first argument is [`super::FLAG`].
pub fn main() -> ExitCode {
    let Ok(mut answers) = answers() else { return ExitCode::FAILURE };
    modest();
    watch();
    let done = answer_all(&mut answers);
    if is_alone(Some(&Timespec::default())) {
        remove_files();
    }
    let Err(problem) = done else { return ExitCode::SUCCESS };
    if !state().was_asked {
        // Nobody may be there to read it.
        let _ = write!(io::stderr(), "{}", unasked(&problem));
    }
    ExitCode::FAILURE
}

/// What is said where no question came.
fn unasked(problem: &io::Error) -> String {
    let what = match problem.kind() {
        io::ErrorKind::UnexpectedEof => {
            "No question of another `shine-tui` has come to this worker before its input ended."
        }
        _ => "What has come to this worker is no question of a `shine-tui` of this version.",
    };
    format!(
        "error[E0714]: {what}\n = hint: A worker is started by another `shine-tui`, on this or on another machine: \
         `shine-tui bench PROGRAM.rise --worker 'ssh node shine-tui worker'`.\n"
    )
}

/// Answers questions until none comes after one that the worker stays for.
fn answer_all(answers: &mut File) -> io::Result<()> {
    let mut questions = io::stdin().lock();
    let mut contexts = Contexts::default();
    loop {
        let (question, length) = wire::receive::<Ask>(&mut questions)?;
        {
            let mut state = state();
            (state.at_work, state.was_asked) = (true, true);
        }
        let stays = matches!(question, Ask::Run { stay: true, .. });
        let (tell, outputs) = answer(question, length, &mut questions, &mut contexts, answers);
        state().at_work = false;
        let parts: Vec<&[u8]> = outputs.iter().map(Vec::as_slice).collect();
        wire::send(answers, &tell, &parts)?;
        if !stays || !matches!(tell, Tell::Ran(_)) || !is_asked_again() {
            return Ok(());
        }
    }
}

/// Waits for another question, for a while; whether there is one.
fn is_asked_again() -> bool {
    let limit = Timespec::try_from(IDLE).ok();
    polled(PollFlags::IN, limit.as_ref()).contains(PollFlags::IN)
}

/// Waits until the parent is gone, which closes the pipe; whether it is, where there is a limit.
fn is_alone(limit: Option<&Timespec>) -> bool {
    !polled(PollFlags::RDHUP, limit).is_empty()
}

/// What there is of the pipe that questions come from, as soon as there is something or the time is over.
fn polled(flags: PollFlags, limit: Option<&Timespec>) -> PollFlags {
    let stdin = rustix::stdio::stdin();
    let mut fds = [PollFd::new(&stdin, flags)];
    match retry_on_intr(|| poll(&mut fds, limit)) {
        Ok(_) => fds[0].revents(),
        Err(_) => PollFlags::ERR,
    }
}

fn remove_files() {
    let folder = state().folder.take();
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Becomes a worker with the surroundings that one has here; only an error returns.
pub fn serve() -> io::Error {
    std::process::Command::new("/proc/self/exe").arg0("shine-tui").arg(FLAG).envs(threads::usual()).exec()
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

/// Ends the group as soon as the parent is gone, and leaves no files behind. A worker that has answered has a while to end by
/// itself, as drivers write their caches then, and so has one that was asked nothing, which says so.
fn watch() {
    std::thread::spawn(|| {
        is_alone(None);
        let may_end_by_itself = {
            let state = state();
            !state.at_work || !state.was_asked
        };
        if may_end_by_itself {
            std::thread::sleep(GRACE);
        }
        remove_files();
        // Only a group of its own: who starts a worker by hand keeps the shell it was started from.
        if getpgrp() == getpid() {
            let _ = kill_current_process_group(Signal::KILL);
        }
        std::process::exit(1);
    });
}

/// The folder for temporary files that was named, or, where that is on another machine, one of its own.
fn at_hand(named: PathBuf) -> Result<(PathBuf, Option<TempDir>), DeviceError> {
    let own = if named.is_dir() { None } else { Some(temporary()?) };
    let folder = own.as_ref().map_or(named, |own| own.path().to_owned());
    state().folder = Some(folder.clone());
    Ok((folder, own))
}

fn answer(
    question: Ask,
    length: u64,
    questions: &mut StdinLock<'_>,
    contexts: &mut Contexts,
    answers: &mut File,
) -> (Tell, Vec<Vec<u8>>) {
    let told = match question {
        Ask::Probe { folder, thorough } => probed(folder, thorough),
        Ask::List => opencl::list().map(|devices| (Tell::Listed(devices), Vec::new())),
        Ask::Run { folder, toolchain, jobs, objects, .. } => {
            let mut tell = |said: Tell, body: &[u8]| {
                // A parent that does not listen is gone, and then so is this process.
                let _ = wire::send(answers, &said, &[body]);
            };
            let memories = memories(&jobs, &objects, length, questions);
            memories.and_then(|given| run(folder, toolchain.as_ref(), &jobs, given, contexts, &mut tell))
        }
    };
    told.unwrap_or_else(|error| (Tell::Failed(error), Vec::new()))
}

fn probed(folder: PathBuf, thorough: bool) -> Result<(Tell, Vec<Vec<u8>>), DeviceError> {
    let (folder, _own) = at_hand(folder)?;
    let presumed = if thorough { None } else { cpu::presume(&folder) };
    let toolchain = presumed.map_or_else(|| cpu::probe(&folder), Ok)?;
    Ok((Tell::Probed(toolchain), Vec::new()))
}

/// The inputs of a job, and its C where that was compiled before.
type Given = (Vec<Buffer>, Vec<u8>);

/// Reads the body of the question.
fn memories(
    jobs: &[Job],
    objects: &[u64],
    length: u64,
    questions: &mut StdinLock<'_>,
) -> Result<Vec<Given>, DeviceError> {
    let bytes = jobs.iter().map(Job::input_bytes).chain(objects.iter().copied().map(Some));
    let expected = bytes.into_iter().try_fold(0u64, |sum, bytes| sum.checked_add(bytes?));
    if expected != Some(length) || objects.len() != jobs.len() || objects.iter().any(|o| *o > MAX_OBJECT) {
        return Err(strange());
    }
    enough(jobs)?;
    let mut memories = Vec::new();
    for job in jobs {
        memories.push(inputs(job, questions)?);
    }
    let mut given = Vec::new();
    for (inputs, bytes) in memories.into_iter().zip(objects) {
        let mut object = vec![0; usize::try_from(*bytes).map_err(|_| strange())?];
        questions.read_exact(&mut object).map_err(|error| lost(&error))?;
        given.push((inputs, object));
    }
    Ok(given)
}

fn run(
    folder: PathBuf,
    toolchain: Option<&cpu::Toolchain>,
    jobs: &[Job],
    given: Vec<Given>,
    contexts: &mut Contexts,
    tell: &mut dyn FnMut(Tell, &[u8]),
) -> Result<(Tell, Vec<Vec<u8>>), DeviceError> {
    let mode = jobs.first().map(|job| job.mode).ok_or_else(strange)?;
    let (folder, _own) = at_hand(folder)?;
    tell(Tell::Progress(Progress::Compiling), &[]);
    let mut kernels: Vec<Box<dyn Kernel>> = Vec::new();
    // What is loaded from a path that was loaded before may be what was there then.
    let fresh =
        tempfile::Builder::new().prefix("run-").tempdir_in(&folder).map_err(|e| storage(&e.to_string()))?;
    for (index, (job, (inputs, object))) in jobs.iter().zip(given).enumerate() {
        let folder = fresh.path().join(index.to_string());
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
            host => Box::new(OpenClKernel::build(job, inputs, host, contexts)?),
        });
    }
    let watch = Watch::new();
    let samples = measure(&mut kernels, mode, &mut |progress| tell(Tell::Progress(progress), &[]))?;
    // Of a kernel that is not timed it is no matter.
    let elsewhere = watch.elsewhere().filter(|_| mode != Mode::Once);
    let in_turns = Turns::of(&kernels.iter().map(|kernel| kernel.about().used).collect::<Vec<_>>());
    let mut outcomes = Vec::new();
    let mut outputs = Vec::new();
    for (kernel, runs) in kernels.iter_mut().zip(samples) {
        outputs.push(kernel.outputs()?);
        let mut about = kernel.about();
        let disturbed = elsewhere.and_then(|e| e.disturbed(about.used, about.place, in_turns));
        about.warnings.extend(disturbed);
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

fn strange() -> DeviceError {
    DeviceError::new(Cause::Protocol, "The worker process was asked something strange.")
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
