//! What wakes the screen: keys, sizes, signals, jobs that have news, the clock.
//!
//! Two threads wait for the outside world, one for the terminal and one for signals, and send [`Msg`]s. Jobs send
//! nothing but the word that there is news; the news itself is fetched, so that a job that reports a thousand times
//! a second cannot fill the queue.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyEvent, KeyEventKind};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

/// How often the thread that reads keys looks whether it shall pause.
const PAUSE_CHECK: Duration = Duration::from_millis(50);

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Msg {
    /// A key was pressed, at this moment.
    Key(KeyEvent, Instant),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size: columns and rows.
    Resize(u16, u16),
    /// A job has news.
    News,
    /// Time has passed: look at files, move what moves.
    Tick,
    /// The process was stopped and goes on.
    Continued,
    /// The process shall stop, as `kill -TSTP` asks.
    Suspend,
    /// The process shall end: the number of the signal.
    Terminate(i32),
    /// The terminal is gone.
    Gone,
}

/// The queue of messages, and the threads that fill it.
pub struct Events {
    queue: Receiver<Msg>,
    sender: Sender<Msg>,
    news: Arc<AtomicBool>,
    paused: Arc<AtomicBool>,
}

impl Default for Events {
    fn default() -> Self {
        let (sender, queue) = mpsc::channel();
        Events { queue, sender, news: Arc::default(), paused: Arc::default() }
    }
}

impl Events {
    /// Starts the threads. Keys are read from here on, so the terminal must be ready for it.
    ///
    /// # Errors
    /// The system gives no thread or no signals.
    pub fn start(&self) -> io::Result<()> {
        let (keys, paused) = (self.sender.clone(), self.paused.clone());
        thread::Builder::new().name("keys".to_owned()).spawn(move || read_terminal(&keys, &paused))?;
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT])?;
        let sender = self.sender.clone();
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                let msg = match signal {
                    SIGTSTP => Msg::Suspend,
                    SIGCONT => Msg::Continued,
                    other => Msg::Terminate(other),
                };
                if sender.send(msg).is_err() {
                    return;
                }
            }
        })?;
        Ok(())
    }

    /// For jobs: says that there is news. At most one such message waits at a time.
    pub fn notifier(&self) -> Arc<dyn Fn() + Send + Sync> {
        // `Sender` is shared between threads since Rust 1.72, so no lock is needed.
        let (sender, news) = (self.sender.clone(), self.news.clone());
        Arc::new(move || {
            if !news.swap(true, Ordering::AcqRel) {
                let _ = sender.send(Msg::News);
            }
        })
    }

    /// Waits for messages and returns all that are there; a tick when nothing came for so long.
    pub fn wait(&self, at_most: Duration) -> Vec<Msg> {
        let first = match self.queue.recv_timeout(at_most) {
            Ok(msg) => msg,
            Err(RecvTimeoutError::Timeout) => return vec![Msg::Tick],
            Err(RecvTimeoutError::Disconnected) => return vec![Msg::Gone],
        };
        // Whatever comes from here on is news again.
        self.news.store(false, Ordering::Release);
        let mut all = vec![first];
        all.extend(self.queue.try_iter().take(256));
        all
    }

    /// Lets another program read the terminal while `run` runs.
    pub fn paused<T>(&self, run: impl FnOnce() -> T) -> T {
        self.paused.store(true, Ordering::Release);
        thread::sleep(PAUSE_CHECK * 2);
        let result = run();
        self.paused.store(false, Ordering::Release);
        result
    }
}

/// Reads the terminal until it is gone.
fn read_terminal(sender: &Sender<Msg>, paused: &AtomicBool) {
    loop {
        if paused.load(Ordering::Acquire) {
            thread::sleep(PAUSE_CHECK);
            continue;
        }
        let msg = match crossterm::event::poll(PAUSE_CHECK) {
            Ok(false) => continue,
            Ok(true) => match crossterm::event::read() {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => Msg::Key(key, Instant::now()),
                Ok(Event::Paste(text)) => Msg::Paste(text),
                Ok(Event::Resize(width, height)) => Msg::Resize(width, height),
                Ok(_) => continue,
                Err(_) => Msg::Gone,
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => Msg::Gone,
        };
        let gone = msg == Msg::Gone;
        if sender.send(msg).is_err() || gone {
            return;
        }
    }
}
