//! The keeper: a small parent process that keeps the terminal while the screen is up.
//!
//! The screen and its searches run in a child process. Whatever ends that (a failed allocation, a stack that overflows,
//! the system for want of memory), the keeper is there to give the terminal back, and to say what happened and where
//! the session is. Both are of one process group, so that the shell's job control works as if they were one; signals
//! that the keeper alone gets it passes on.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTOU};
use signal_hook::iterator::Signals;

use super::screen;
use crate::lang::source::harmless;
use crate::session::known;

/// The hidden first argument of the child. The second says whether a shell would continue it after a stop, and which
/// process keeps it.
pub const FLAG: &str = "__screen";

/// Added to the signal that ended a kept process, its exit code where it could not give the terminal back: what it wrote last
/// still waits for the terminal.
pub const NOT_LEFT: i32 = 192;

/// Is this process a kept one?
pub fn is_kept() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == FLAG)
}

/// What a kept process is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Would a shell continue it after a stop?
    pub shell: bool,
    /// The process that keeps it.
    keeper: i32,
}

impl Kept {
    /// Is the keeper still there?
    pub fn lives(self) -> bool {
        rustix::process::getppid().is_some_and(|parent| parent.as_raw_nonzero().get() == self.keeper)
    }
}

/// The most of the log that is read for the child's last words, in bytes.
const WORDS: u64 = 16 << 10;

/// What the command line of a kept process says, and the arguments of the user.
pub fn kept(mut arguments: Vec<OsString>) -> (Option<Kept>, Vec<OsString>) {
    if arguments.get(1).is_some_and(|first| first == FLAG) && arguments.len() > 2 {
        let told = arguments[2].to_string_lossy().into_owned();
        let (shell, keeper) = told.split_once(':').unwrap_or((&told, ""));
        let kept = Kept { shell: shell == "shell", keeper: keeper.parse().unwrap_or_default() };
        arguments.drain(1..3);
        return (Some(kept), arguments);
    }
    (None, arguments)
}

/// Runs this program again with the screen, and waits for its end: the exit code. None when there is no terminal to
/// keep or no process to be had; the screen can then be shown, or refused, right here.
pub fn keep(arguments: &[OsString], log: &Path) -> Option<u8> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return None;
    }
    let before = tcgetattr(io::stdin()).ok()?;
    // Giving the terminal back from the background must not stop the keeper.
    let _ = signal_hook::flag::register(SIGTTOU, Arc::new(AtomicBool::new(false)));
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT]).ok()?;
    let stop = signals.handle();
    let words = std::fs::metadata(log).map_or(0, |meta| meta.len());
    let (name, rest) = arguments.split_first()?;
    let shell = if screen::has_shell() { "shell" } else { "alone" };
    let told = format!("{shell}:{}", std::process::id());
    let mut child = Command::new("/proc/self/exe").arg0(name).args([FLAG, &told]).args(rest).spawn().ok()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    let asked = Arc::new(AtomicI32::new(0));
    let passed = asked.clone();
    let passing = std::thread::spawn(move || {
        for number in signals.forever() {
            if ![SIGCONT, SIGTSTP].contains(&number) {
                passed.store(number, Ordering::Release);
            }
            if let Some(signal) = Signal::from_named_raw(number) {
                let _ = kill_process(pid, signal);
            }
        }
    });
    // Its number stays taken until nobody passes signals on to it any more.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), ended) {}
    stop.close();
    let _ = passing.join();
    let number = child.id();
    let status = reap(&mut child)?;
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    if let Some(code) = status.code() {
        if code > NOT_LEFT {
            give_back();
            return Some(u8::try_from(code - NOT_LEFT + 128).unwrap_or(u8::MAX));
        }
        return Some(u8::try_from(code).unwrap_or(u8::MAX));
    }
    let signal = status.signal().unwrap_or_default();
    // One that was asked to end before it could answer has no screen yet.
    if signal != asked.load(Ordering::Acquire) {
        let mut out = io::stdout();
        let _ = screen::leave(&mut out);
        let text = message(signal, &last_words(log, words), number);
        let _ = io::stderr().write_all(harmless(&text).as_bytes());
    }
    Some(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// Says to the terminal that the screen is over. One that takes nothing is not waited for.
fn give_back() {
    const PATIENCE: Duration = Duration::from_secs(2);
    let last = std::thread::spawn(|| {
        let _ = screen::leave(&mut io::stdout());
        let _ = io::stderr().write_all(b"\nshine-tui was ended while it did not answer.\n");
    });
    let begin = Instant::now();
    while !last.is_finished() && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// For the child: a keeper that is killed takes the screen with it, in good order. False if it has ended already.
pub fn die_with_the_keeper(kept: Kept) -> bool {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
    // One that ended before that sends no signal.
    kept.lives()
}

fn reap(child: &mut Child) -> Option<ExitStatus> {
    loop {
        match child.wait() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other.ok(),
        }
    }
}

/// What the end of a process is told by, in what it writes last.
const CAUSES: [&str; 2] = ["memory allocation of", "overflowed its stack"];

/// The line that went to the log since the child began and tells the most: the cause, else the last one.
fn last_words(log: &Path, from: u64) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = crate::session::files::open_file(log)?;
        let length = file.metadata()?.len();
        let from = if from > length { 0 } else { from };
        file.seek(SeekFrom::Start(from.max(length.saturating_sub(WORDS))))?;
        let mut bytes = vec![];
        file.take(WORDS).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let text = crate::device::printable(&read().unwrap_or_default());
    let mut lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last = lines.clone().next().unwrap_or_default();
    lines.find(|line| CAUSES.iter().any(|cause| line.contains(cause))).unwrap_or(last).to_owned()
}

fn message(signal: i32, words: &str, process: u32) -> String {
    let how = match Signal::from_named_raw(signal) {
        Some(Signal::KILL) => "was killed, most likely by the system for want of memory".to_owned(),
        Some(Signal::ABORT) if words.contains("memory allocation") => "ran out of memory".to_owned(),
        Some(Signal::ABORT) if words.contains("overflowed its stack") => "ran out of stack".to_owned(),
        Some(Signal::ABORT) if words.is_empty() => {
            "aborted and said nothing; where memory is limited, as by `ulimit -v`, that may be too little"
                .to_owned()
        }
        Some(Signal::ABORT) => "aborted".to_owned(),
        Some(Signal::SEGV | Signal::BUS) => "touched memory that is not its own".to_owned(),
        _ => format!("was ended by signal {signal}"),
    };
    let words = if words.is_empty() { String::new() } else { format!(" Its last words: {words}") };
    // Numbers of processes come again: the log that was written last is the one of this process.
    let written = |k: &known::Known| std::fs::metadata(&k.session).and_then(|m| m.modified()).ok();
    let of_process = known::all().into_iter().filter(|k| k.process == Some(process));
    let session = of_process.max_by_key(written).map(|k| k.session);
    let session = session.map_or_else(String::new, |path| {
        let path = path.display();
        format!(
            " Nothing that you did is lost: the session is in {path} ; `shine-tui {path}` opens it again, and so does \
             opening its program."
        )
    });
    format!("\nshine-tui {how}.{session}{words}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hidden_flag_makes_a_child() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(kept(words("s a.rise --ascii")), (None, words("s a.rise --ascii")));
        let told = |shell, keeper| Some(Kept { shell, keeper });
        assert_eq!(kept(words("s __screen shell:7 a.rise")), (told(true, 7), words("s a.rise")));
        assert_eq!(kept(words("s __screen alone:8 a.rise")), (told(false, 8), words("s a.rise")));
        assert_eq!(kept(words("s __screen alone a.rise")), (told(false, 0), words("s a.rise")));
    }

    #[test]
    fn a_process_that_does_not_keep_this_one_has_ended() {
        let parent = rustix::process::getppid().unwrap().as_raw_nonzero().get();
        assert!(parent > 0);
        // The signal is for the process that calls; a test has none to lose, and takes it back.
        assert!(die_with_the_keeper(Kept { shell: false, keeper: parent }));
        assert!(!die_with_the_keeper(Kept { shell: false, keeper: parent + 1 }));
        let _ = rustix::process::set_parent_process_death_signal(None);
    }

    #[test]
    fn last_words_are_harmless_and_new() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        std::fs::write(&log, "old\n").unwrap();
        assert_eq!(last_words(&log, 4), "");
        std::fs::write(&log, "old\n\u{1b}[31mmemory allocation of 3 bytes failed\n at here\n\n").unwrap();
        assert_eq!(last_words(&log, 4), "[31mmemory allocation of 3 bytes failed");
        assert!(message(6, &last_words(&log, 4), u32::MAX).contains("ran out of memory"));
        assert_eq!(last_words(&folder.path().join("none"), 0), "");
    }
}
