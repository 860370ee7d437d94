//! What happens when the program itself is at fault: log, restore the terminal, say what happened.

use std::backtrace::Backtrace;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::{self, PanicHookInfo};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{keeper, screen};
use crate::lang::source::harmless;

/// How long giving the terminal back may take at the end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the message needs to know, kept up to date while the screen is up.
#[derive(Clone, Default)]
pub struct Scene(Arc<Mutex<Facts>>);

#[derive(Default)]
struct Facts {
    log: PathBuf,
    session: Option<PathBuf>,
}

impl Scene {
    /// A scene with the log that the details go to.
    pub fn new(log: PathBuf) -> Scene {
        Scene(Arc::new(Mutex::new(Facts { log, session: None })))
    }

    /// Says where the session is on the disk.
    pub fn set_session(&self, session: Option<PathBuf>) {
        self.facts().session = session;
    }

    /// Installs the hook. Only a panic of the calling thread ends the screen; those of jobs are caught by whoever
    /// runs them, and are only logged.
    pub fn install(&self) {
        let scene = self.clone();
        let screen_thread = thread::current().id();
        panic::set_hook(Box::new(move |info| {
            scene.record(info);
            if thread::current().id() == screen_thread {
                screen::restore();
                let _ = io::stderr().write_all(harmless(&scene.message(&what(info))).as_bytes());
            }
        }));
    }

    /// Ends the program at once, because the thread of the screen does not answer a signal.
    pub fn give_up(&self, signal: i32) -> ! {
        let scene = self.clone();
        let last = thread::spawn(move || {
            screen::restore();
            let session = scene.facts().session.as_ref().map_or_else(String::new, |path| {
                let path = path.display();
                format!(" The session is in {path} ; `shine-tui {path}` opens it again.")
            });
            let text = format!("\nshine-tui was ended while it did not answer.{session}\n");
            let _ = io::stderr().write_all(harmless(&text).as_bytes());
        });
        // A terminal that takes nothing must not hold this up; its keeper does the rest.
        let begin = Instant::now();
        while !last.is_finished() && begin.elapsed() < LAST_WORDS {
            thread::sleep(Duration::from_millis(5));
        }
        let is_left = last.is_finished() || !keeper::is_kept();
        signal_hook::low_level::exit(signal + if is_left { 128 } else { keeper::NOT_LEFT })
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the details to the log.
    fn record(&self, info: &PanicHookInfo<'_>) {
        let log = self.facts().log.clone();
        let name = thread::current().name().unwrap_or("unnamed").to_owned();
        let text = format!("panic in thread `{name}`: {info}\n{}\n", Backtrace::force_capture());
        if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(log) {
            let _ = file.write_all(text.as_bytes());
        }
    }

    /// The paragraph for the user.
    fn message(&self, what: &str) -> String {
        let facts = self.facts();
        let session = match &facts.session {
            Some(path) => {
                let path = path.display();
                format!(
                    " Nothing that you did is lost: the session is in {path} ; `shine-tui {path}` opens it \
                     again and `shine-tui replay {path}` checks it."
                )
            }
            None => String::new(),
        };
        format!(
            "\nshine-tui has a fault and had to stop: {what}.{session} The details are in {} ; please send \
             them with a report.\n",
            facts.log.display()
        )
    }
}

/// What went wrong and where, in a line.
fn what(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text =
        payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message").trim_end_matches('.');
    match info.location() {
        Some(at) => format!("{text} (at {}:{})", at.file(), at.line()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_where_the_work_is() {
        let scene = Scene::new("/tmp/log".into());
        assert!(!scene.message("it broke").contains("session"));
        scene.set_session(Some("/tmp/s.ron".into()));
        let message = scene.message("it broke");
        assert!(message.contains("shine-tui replay /tmp/s.ron") && message.contains("/tmp/log"), "{message}");
    }
}
