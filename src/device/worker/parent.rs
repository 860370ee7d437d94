//! The parent's side: starts a worker, talks to it, and ends it.
//!
//! One thread, one `poll` loop: the question is written, answers and noise are read, the clock and the user's wish
//! to stop are looked at 40 times a second. Nothing in here can block for longer.
use super::super::text::Capture;
use super::super::threads;
use super::super::{Cause, DeviceError, Progress, RunControl};
use super::FLAG;
use super::wire::{self, Ask, MAX_OBJECT, PREFIX, Tell};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often the clock and the wish to stop are looked at.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };
/// How long a worker that has answered may take to end by itself (drivers write their caches then).
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// Where a command of the user's leads to no worker.
const NO_WORKER: &str =
    "The command of `--worker` has to end in `shine-tui worker`, of this version, and reach it.";

/// What comes before an answer, as a greeting of the shell that starts the worker does.
const NO_GREETING: &str = "The command of `--worker` has to print nothing of its own, and to end in `shine-tui worker`, of this version.";
/// So many bytes of it are shown.
const MOST_OF_GREETING: usize = 400;

/// What ends the group of a user's command when this program is gone, however that came: then its input ends. Workers that
/// the command leads to see that themselves, and have some time to clean up.
const GUARD: &str = "read -r _; sleep 2; kill -KILL 0";

/// How to start a worker.
#[derive(Clone, Debug)]
pub enum WorkerCommand {
    /// This program, with changes of the environment.
    Own {
        /// `/proc/self/exe` unless told otherwise, which stays right when the file is replaced.
        program: PathBuf,
        env: Vec<(OsString, OsString)>,
    },
    /// Whatever a user's command for a shell starts, on another machine say. It must end in `shine-tui worker`.
    Shell(String),
}

impl WorkerCommand {
    fn process(&self, question: &Ask) -> Command {
        match self {
            WorkerCommand::Own { program, env } => {
                let mut process = Command::new(program);
                process.arg0("shine-tui").arg(FLAG).envs(threads::usual());
                if let Ask::Run { folder, .. } | Ask::Probe { folder, .. } = question {
                    process.env("TMPDIR", folder);
                }
                process.envs(env.iter().map(|(name, value)| (name, value)));
                process
            }
            WorkerCommand::Shell(command) => {
                let mut process = Command::new("sh");
                process.args(["-c", command]);
                process
            }
        }
    }

    /// What decides how fast kernels run in it: the user's command, or what the environment says of threads.
    pub fn decides(&self) -> Vec<String> {
        let env = match self {
            WorkerCommand::Own { env, .. } => env,
            WorkerCommand::Shell(command) => return vec![command.clone()],
        };
        threads::set(&|name| {
            let own = env.iter().rev().find(|(of, _)| of == name).map(|(_, value)| value.clone());
            own.or_else(|| std::env::var_os(name))
        })
    }

    fn shown(&self) -> String {
        match self {
            WorkerCommand::Own { program, .. } => program.display().to_string(),
            WorkerCommand::Shell(command) => command.clone(),
        }
    }
}

/// The bounds of one question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// The most bytes an answer's body may have.
    pub body: u64,
}

/// What a worker answered.
#[derive(Debug)]
pub struct Answer {
    pub tell: Tell,
    pub body: Vec<u8>,
    /// The objects that were compiled, with the numbers of their jobs.
    pub compiled: Vec<(usize, Vec<u8>)>,
    /// What was printed meanwhile.
    pub stderr: String,
}

/// Starts a worker, asks it one question and returns its answer.
///
/// # Errors
/// Whatever the worker answers with; that it could not be started, died, took too long, was cancelled, or said
/// something that is no answer. In every case the worker and all that it started are gone when this returns.
pub fn ask(
    command: &WorkerCommand,
    question: &Ask,
    body: &[&[u8]],
    limits: Limits,
    control: &mut RunControl<'_>,
) -> Result<Answer, DeviceError> {
    let mut worker = Worker::start(command, question)?;
    let answer = worker.talk(question, body, limits, control)?;
    worker.finish();
    Ok(answer)
}

/// The number of a process, which is that of its group where it leads one.
fn number(process: &Child) -> Option<Pid> {
    i32::try_from(process.id()).ok().and_then(Pid::from_raw)
}

/// Starts what ends its group when this program is gone. Without it, a worker sees that itself.
fn guard() -> Option<Child> {
    let mut guard = Command::new("sh");
    guard.args(["-c", GUARD]).process_group(0);
    guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// A running worker. Dropping it ends its whole process group and reaps it.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// What it is asked.
    asked: Asked,
    /// The command of the user that leads to it, where there is one.
    command: Option<String>,
    /// What ends that command when this program is gone, and leads its group.
    guard: Option<Child>,
    /// Has it said anything that is an answer, or the beginning of one?
    spoke: bool,
    /// The last that was heard of it.
    progress: Option<Progress>,
    noise: Capture,
    ended: bool,
}

/// The kinds of questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Probe,
    List,
    Run,
}

impl Asked {
    fn of(question: &Ask) -> Asked {
        match question {
            Ask::Probe { .. } => Asked::Probe,
            Ask::List => Asked::List,
            Ask::Run { .. } => Asked::Run,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

impl Worker {
    /// Starts a worker whose first question will be this one.
    ///
    /// # Errors
    /// That it cannot be started.
    pub fn start(command: &WorkerCommand, question: &Ask) -> Result<Worker, DeviceError> {
        // First, so that there is no moment in which the command has none.
        let is_shell = matches!(command, WorkerCommand::Shell(_));
        let guard = if is_shell { guard() } else { None };
        let mut process = command.process(question);
        process.process_group(guard.as_ref().and_then(number).map_or(0, |pid| pid.as_raw_pid()));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let missing = |what: &str| {
            DeviceError::new(
                Cause::WorkerMissing,
                format!("The worker process `{}` cannot be started: {what}.", command.shown()),
            )
        };
        let mut child = process.spawn().map_err(|error| {
            let hint = match error.raw_os_error().map(Errno::from_raw_os_error) {
                Some(Errno::MFILE) => "Raise the limit for open files (`ulimit -n`).",
                Some(Errno::AGAIN | Errno::NOMEM) => {
                    "Raise the limit for processes (`ulimit -u`), or end some that take memory."
                }
                _ => "Kernels run in a second process of this program; check that it may be executed.",
            };
            missing(&error.to_string()).hint(hint)
        })?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(missing("its pipes are missing"));
        };
        let worker = Worker {
            child,
            guard,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            asked: Asked::of(question),
            command: is_shell.then(|| command.shown()),
            spoke: false,
            progress: None,
            noise: Capture::default(),
            ended: false,
        };
        worker.unblock().map_err(|error| missing(&error.to_string()))?;
        Ok(worker)
    }

    fn unblock(&self) -> rustix::io::Result<()> {
        fcntl_setfl(&self.stdout, OFlags::NONBLOCK)?;
        if let (Some(stdin), Some(stderr)) = (&self.stdin, &self.stderr) {
            fcntl_setfl(stdin, OFlags::NONBLOCK)?;
            fcntl_setfl(stderr, OFlags::NONBLOCK)?;
        }
        Ok(())
    }

    /// Asks a question and waits for its answer.
    ///
    /// # Errors
    /// As [`ask`]; then the worker is gone, or is when it is dropped.
    pub fn talk(
        &mut self,
        question: &Ask,
        body: &[&[u8]],
        limits: Limits,
        control: &mut RunControl<'_>,
    ) -> Result<Answer, DeviceError> {
        let start = Instant::now();
        let length = body.iter().map(|part| part.len() as u64).sum();
        let head = wire::head(question, length).map_err(|error| {
            DeviceError::new(Cause::BadRequest, format!("The request cannot be sent: {error}."))
        })?;
        (self.asked, self.progress, self.noise) = (Asked::of(question), None, Capture::default());
        let mut parts: Vec<&[u8]> = body.iter().rev().copied().chain([head.as_slice()]).collect();
        let mut heard = Vec::new();
        let mut compiled = Vec::new();
        let most = limits.body.max(MAX_OBJECT);
        loop {
            if control.cancel.load(Ordering::Relaxed) {
                return Err(match self.silent() {
                    Some(silent) => {
                        let message = format!("{} was stopped: {silent}.", self.what());
                        DeviceError::new(Cause::Cancelled, message).hint(NO_WORKER)
                    }
                    None => DeviceError::new(Cause::Cancelled, format!("{} was stopped.", self.what())),
                });
            }
            self.wait(!parts.is_empty());
            self.write(&mut parts);
            self.listen();
            let open = self.read(&mut heard)?;
            while let Some((tell, body)) = self.next(&mut heard, most)? {
                self.spoke = true;
                match tell {
                    Tell::Progress(progress) => {
                        self.progress = Some(progress);
                        (control.progress)(progress);
                    }
                    Tell::Compiled(job) => compiled.push((job, body)),
                    Tell::Failed(error) => return Err(self.failed(error)),
                    tell => {
                        self.listen();
                        return Ok(Answer { tell, body, compiled, stderr: self.noise.text() });
                    }
                }
            }
            if !open {
                return Err(self.died(&heard));
            }
            // Last, so that an answer that came while this program was suspended counts.
            if start.elapsed() >= limits.time {
                return Err(self.too_slow(limits.time));
            }
        }
    }

    /// Waits until there is something to write, to read, or to look at.
    fn wait(&self, writing: bool) {
        let mut fds = vec![PollFd::new(&self.stdout, PollFlags::IN)];
        fds.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        if writing {
            fds.extend(self.stdin.as_ref().map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        }
        // An interrupted wait is as good as one that is over.
        let _ = poll(&mut fds, Some(&TICK));
    }

    /// Writes as much of the question as the pipe takes. A worker that does not listen has died, which shows when
    /// its answer is read.
    fn write(&mut self, parts: &mut Vec<&[u8]>) {
        let Some(stdin) = &mut self.stdin else { return };
        while let Some(part) = parts.last_mut() {
            if part.is_empty() {
                parts.pop();
                continue;
            }
            match stdin.write(part) {
                Ok(written) => *part = part.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => parts.clear(),
            }
        }
    }

    /// Takes what was printed.
    fn listen(&mut self) {
        let mut chunk = [0; 4096];
        // A bound on the turns, because one that prints without end must not keep the clock from being looked at.
        for _ in 0..256 {
            let Some(stderr) = &mut self.stderr else { return };
            match stderr.read(&mut chunk) {
                Ok(0) => self.stderr = None,
                Ok(count) => self.noise.push(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.stderr = None,
            }
        }
    }

    /// Takes what was answered; whether more may come.
    fn read(&mut self, heard: &mut Vec<u8>) -> Result<bool, DeviceError> {
        let mut chunk = [0; 64 << 10];
        // A bound on the turns keeps the loop responsive while a large answer streams in.
        for _ in 0..64 {
            match self.stdout.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    heard.try_reserve(count).map_err(|_| {
                        DeviceError::new(
                            Cause::OutOfMemory,
                            "There is no memory for the outputs of the kernel.",
                        )
                    })?;
                    heard.extend_from_slice(chunk.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The next whole message, taken off `heard`.
    fn next(&self, heard: &mut Vec<u8>, most: u64) -> Result<Option<(Tell, Vec<u8>)>, DeviceError> {
        let Some((prefix, rest)) = heard.split_first_chunk::<PREFIX>() else { return Ok(None) };
        let strange = || {
            let message = "The worker process said something that is no answer.";
            let problem = DeviceError::new(Cause::Protocol, message);
            if self.spoke || self.command.is_none() {
                let hint = "Is the worker the same version of this program?";
                return problem.hint(hint).details(self.noise.text());
            }
            problem.hint(NO_GREETING).details(self.printed(heard))
        };
        let (head, body) = wire::lengths(prefix).filter(|(_, body)| *body <= most).ok_or_else(strange)?;
        let body = usize::try_from(body).map_err(|_| strange())?;
        let Some(json) = rest.get(..head) else { return Ok(None) };
        if rest.len() < head + body {
            return Ok(None);
        }
        let tell = serde_json::from_slice(json).map_err(|_| strange())?;
        heard.drain(..PREFIX + head);
        let later = heard.split_off(body);
        Ok(Some((tell, std::mem::replace(heard, later))))
    }

    /// What a worker printed that has not answered, in the place of an answer too.
    fn printed(&self, heard: &[u8]) -> String {
        let first = heard.get(..heard.len().min(MOST_OF_GREETING)).unwrap_or_default();
        // What may follow is an answer, which is no text.
        let first = String::from_utf8_lossy(first);
        let line = first.lines().next().unwrap_or_default();
        let line = match line.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
            true => "It said what is no text.",
            false => line,
        };
        format!("{}{line}", self.noise.text())
    }

    /// Lets a worker that has answered its last question end by itself, for a while.
    pub fn finish(&mut self) {
        self.stdin = None;
        let start = Instant::now();
        let mut rest = Vec::new();
        while start.elapsed() < GRACE && self.read(&mut rest).unwrap_or(false) {
            rest.clear();
            self.wait(false);
            self.listen();
        }
        self.listen();
        self.end();
    }

    /// Waits until a worker that has closed its answers is dead, for a while. It stays to be reaped, so that the number
    /// of its group stays taken.
    fn await_death(&mut self) {
        let Some(worker) = number(&self.child) else { return };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let start = Instant::now();
        while start.elapsed() < GRACE && matches!(waitid(WaitId::Pid(worker), options), Ok(None)) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the whole group and reaps the worker. The group goes first, because its number stays taken until then.
    /// A worker that is already dying keeps the status it dies with.
    fn end(&mut self) -> Option<ExitStatus> {
        if !self.ended {
            self.ended = true;
            if let Some(group) = number(self.guard.as_ref().unwrap_or(&self.child)) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            if let Some(mut guard) = self.guard.take() {
                let _ = guard.wait();
            }
        }
        self.child.wait().ok()
    }

    /// What was going on, as the beginning of a sentence.
    fn what(&self) -> &'static str {
        match self.asked {
            Asked::Probe => "The search for a C compiler",
            Asked::List => "The search for OpenCL devices",
            Asked::Run => "The run",
        }
    }

    /// Where it stood, as the end of a sentence.
    fn phase(&self) -> String {
        match (self.asked, self.progress) {
            (Asked::Probe, _) => "while the C compiler was tried".to_owned(),
            (Asked::List, _) => "while OpenCL devices were listed".to_owned(),
            (_, None) => "before anything was compiled".to_owned(),
            (_, Some(Progress::Compiling)) => "while the kernel was compiled".to_owned(),
            (_, Some(Progress::WarmingUp | Progress::Running { done: 0, .. })) => {
                "in the first runs of the kernel".to_owned()
            }
            (_, Some(Progress::Running { done, .. })) => format!("after at least {done} runs of the kernel"),
        }
    }

    /// That a worker of the user's has not answered at all, as a part of a sentence.
    fn silent(&self) -> Option<String> {
        let command = self.command.as_ref().filter(|_| !self.spoke)?;
        Some(format!("the worker that `{command}` is to start has not answered"))
    }

    fn too_slow(&self, limit: Duration) -> DeviceError {
        if let Some(silent) = self.silent() {
            let message = format!("{} was ended after {} s: {silent}.", self.what(), limit.as_secs_f64());
            return DeviceError::new(Cause::TimeLimit, message).hint(NO_WORKER).details(self.noise.text());
        }
        let hint = match self.asked {
            Asked::Probe => "Set CC to a C compiler that works.",
            Asked::List => {
                "A driver hangs; `clinfo` may tell which. OCL_ICD_VENDORS narrows the drivers that are asked."
            }
            Asked::Run if matches!(self.progress, Some(Progress::Compiling)) => {
                "The compiler hangs, or the kernel is too long for it: does it come to its end elsewhere? For `cpu`, CC names another one."
            }
            Asked::Run => {
                "Does a loop of the kernel end for these sizes? If it does, run it at smaller ones."
            }
        };
        DeviceError::new(
            Cause::TimeLimit,
            format!("{} was ended after {} s, {}.", self.what(), limit.as_secs_f64(), self.phase()),
        )
        .hint(hint)
        .details(self.noise.text())
    }

    /// An error that the worker reports itself, with what was printed meanwhile.
    fn failed(&mut self, mut error: DeviceError) -> DeviceError {
        self.finish();
        let noise = self.noise.text();
        if !noise.trim().is_empty() {
            if !error.details.is_empty() && !error.details.ends_with('\n') {
                error.details.push('\n');
            }
            error.details.push_str(&noise);
        }
        error
    }

    /// Why a worker ended that did not answer.
    fn died(&mut self, heard: &[u8]) -> DeviceError {
        self.await_death();
        let status = self.end();
        self.listen();
        let signal = status.and_then(|status| status.signal());
        if let Some(silent) = self.silent() {
            let code = status.and_then(|status| status.code());
            let how = match (code, signal) {
                (Some(code), _) => format!(" (exit status {code})"),
                (_, Some(signal)) => format!(" (by signal {signal})"),
                _ => String::new(),
            };
            let message = format!("{}: {silent}, and has ended{how}.", self.what());
            let printed = self.printed(heard);
            return DeviceError::new(Cause::WorkerMissing, message).hint(NO_WORKER).details(printed);
        }
        let (cause, how) = match signal.and_then(Signal::from_named_raw) {
            Some(Signal::SEGV | Signal::BUS) => {
                (Cause::Crashed, "touched memory that is not its own (segmentation fault)".to_owned())
            }
            Some(Signal::FPE) => {
                (Cause::Crashed, "made an arithmetic error, such as dividing by zero".to_owned())
            }
            Some(Signal::ILL) => {
                (Cause::Crashed, "used an instruction this processor does not have".to_owned())
            }
            Some(Signal::ABORT) => (Cause::Crashed, "aborted".to_owned()),
            Some(Signal::XFSZ) => (Cause::Storage, "met the limit for the size of files".to_owned()),
            Some(Signal::KILL) => {
                (Cause::OutOfMemory, "was ended by the system, most likely for want of memory".to_owned())
            }
            _ => match (signal, status.and_then(|status| status.code())) {
                (Some(signal), _) => (Cause::Crashed, format!("died of signal {signal}")),
                (_, Some(code)) => (Cause::Crashed, format!("ended without an answer (exit status {code})")),
                _ => (Cause::Crashed, "ended without an answer".to_owned()),
            },
        };
        let hint = match (self.asked, cause) {
            (_, Cause::OutOfMemory) => "Choose smaller sizes.",
            (_, Cause::Storage) => "Raise the limit (`ulimit -f`).",
            _ if self.command.is_some() => {
                "The kernel, its driver or the command of `--worker` is at fault; that command has to end in `shine-tui worker`, \
                 of this version."
            }
            (Asked::Run, _) => "The kernel, or the driver that ran it, is at fault; the session goes on.",
            _ => "A driver or compiler is at fault; the session goes on without it.",
        };
        DeviceError::new(cause, format!("{}: the worker process {how}, {}.", self.what(), self.phase()))
            .hint(hint)
            .details(self.noise.text())
    }
}
