//! The user's editor: it has the terminal while it runs, and signals are answered all the same.
//!
//! It is of the process group of the screen and its keeper, so that a shell stops and continues them as one.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use nix::unistd::getpgrp;
use rustix::process::{Pid, Signal, kill_process};

use super::event::{Events, Msg};
use super::screen::{self, Screen};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long an editor that was told to end may take, to save what is not saved.
const GRACE: Duration = Duration::from_secs(2);

/// Runs an editor on a file, as a shell would. Its path is whole, so that it looks like no option. A signal to end ends the
/// editor too, and waits among the messages when this returns.
///
/// # Errors
/// The terminal cannot be taken over again. Within: the editor cannot be run.
pub fn edit(
    editor: &str,
    file: &Path,
    screen: &mut Screen,
    events: &Events,
) -> io::Result<io::Result<ExitStatus>> {
    let file = std::path::absolute(file)?;
    events.paused(|| {
        screen.aside(|screen| {
            let mut shell = Command::new("sh");
            let child = shell.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file).spawn()?;
            Running { child, screen, events }.until_ended()
        })
    })
}

/// An editor that has the terminal.
struct Running<'a> {
    child: Child,
    screen: &'a Screen,
    events: &'a Events,
}

impl Running<'_> {
    fn until_ended(&mut self) -> io::Result<ExitStatus> {
        let mut later = vec![];
        let ended = loop {
            for msg in self.events.wait(LOOK) {
                if let Msg::Terminate(signal) = msg {
                    self.end(signal);
                }
                if !matches!(msg, Msg::Tick | Msg::Continued) && !later.contains(&msg) {
                    later.push(msg);
                }
            }
            match self.child.try_wait() {
                Ok(None) => self.stand_still(),
                Ok(Some(status)) => break Ok(status),
                Err(error) => break Err(error),
            }
        };
        self.events.put_back(later);
        ended
    }

    /// An editor that has stopped gives the terminal to the shell, as one does that a shell started. Where there is no shell,
    /// nobody would say to it that it shall go on.
    fn stand_still(&self) {
        if self.stopped().is_empty() {
            return;
        }
        if self.screen.has_shell() {
            // One that cannot be stopped goes on.
            let _ = screen::stop();
        }
        tell(&self.stopped(), Signal::CONT);
    }

    /// What of it has stopped. What an editor runs within itself, such as a shell, has groups of its own, which are its affair.
    fn stopped(&self) -> Vec<Pid> {
        let own = getpgrp().as_raw();
        self.processes().into_iter().filter(|process| state(*process) == Some(('T', own))).collect()
    }

    /// Passes on a signal to end, and sees to it that it is obeyed.
    fn end(&self, signal: i32) {
        let all = self.processes();
        tell(&all, Signal::from_named_raw(signal).unwrap_or(Signal::TERM));
        // Those that have stopped hear nothing else.
        tell(&all, Signal::CONT);
        let begin = Instant::now();
        while begin.elapsed() < GRACE && all.iter().any(|process| lives(*process)) {
            thread::sleep(LOOK);
        }
        tell(&all, Signal::KILL);
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// The editor and all that it has started, each before those that it started.
    fn processes(&self) -> Vec<Pid> {
        let mut all: Vec<Pid> = self.pid().into_iter().collect();
        let mut next = 0;
        while let Some(process) = all.get(next) {
            all.extend(children(*process));
            next += 1;
        }
        all
    }
}

fn tell(processes: &[Pid], signal: Signal) {
    for process in processes.iter().filter(|process| lives(**process)) {
        let _ = kill_process(*process, signal);
    }
}

/// Has it not ended? One that has ended and was not waited for has.
fn lives(process: Pid) -> bool {
    state(process).is_some_and(|(sign, _)| !matches!(sign, 'Z' | 'X'))
}

/// The sign of a process's state, and its group.
fn state(process: Pid) -> Option<(char, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Its name, in brackets, may be anything.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let sign = fields.next()?.chars().next()?;
    Some((sign, fields.nth(1)?.parse().ok()?))
}

/// What the threads of a process have started.
fn children(process: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let of_thread = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let all: Vec<String> = threads.into_iter().flatten().flatten().filter_map(of_thread).collect();
    all.iter()
        .flat_map(|list| list.split_whitespace())
        .filter_map(|n| Pid::from_raw(n.parse().ok()?))
        .collect()
}
