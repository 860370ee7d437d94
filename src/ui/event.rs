//! What wakes the screen: keys, sizes, signals, jobs that have news, the clock.
//!
//! Two threads wait for the outside world, one for the terminal and one for signals, and send [`Msg`]s. They also see
//! to it that a signal to end and Ctrl-C are answered: where the thread of the screen takes no messages, they end the
//! program themselves. Jobs send
//! nothing but the word that there is news; the news itself is fetched, so that a job that reports a thousand times
//! a second cannot fill the queue.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::{Handle, Signals};

use super::panic::Scene;

/// How often the thread that reads keys looks whether it shall pause.
const PAUSE_CHECK: Duration = Duration::from_millis(50);
/// How long the thread of the screen may take to take a signal to end, and to end because of it.
const ANSWER: Duration = Duration::from_secs(1);
const LEAVING: Duration = Duration::from_secs(10);
/// How long it may take to take a Ctrl-C, which is for a search that it shall stop.
const PATIENCE: Duration = Duration::from_secs(3);
/// One stop of the whole process group may arrive twice; what comes so soon after it is the same.
const SAME_STOP: Duration = Duration::from_millis(500);

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Msg {
    /// A key was pressed, at this moment.
    Key(KeyEvent, Instant),
    /// The mouse was moved, pressed or scrolled.
    Mouse(MouseEvent),
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
    state: Arc<State>,
    threads: Mutex<Option<(JoinHandle<()>, Handle)>>,
}

/// What the threads know of each other.
#[derive(Default)]
struct State {
    /// Another program has the terminal.
    paused: AtomicBool,
    /// The screen is over.
    ended: AtomicBool,
    /// How often messages were taken.
    pulse: AtomicU64,
}

impl Default for Events {
    fn default() -> Self {
        let (sender, queue) = mpsc::channel();
        Events { queue, sender, news: Arc::default(), state: Arc::default(), threads: Mutex::default() }
    }
}

impl Events {
    /// Takes the signals, which wait until the threads are there. Before the terminal is taken: one that ended the program
    /// between the two would leave it so.
    ///
    /// # Errors
    /// The system gives no signals.
    pub fn arm() -> io::Result<Signals> {
        Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])
    }

    /// Starts the threads. Keys are read from here on, so the terminal must be ready for it.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(&self, signals: Signals, scene: &Scene) -> io::Result<()> {
        let (keys, state, end) = (self.sender.clone(), self.state.clone(), scene.clone());
        let keys = thread::Builder::new().name("keys".to_owned()).spawn(move || {
            let _last = LastWord(&keys);
            read_terminal(&keys, &state, &end);
        })?;
        let handle = signals.handle();
        let (sender, state, scene) = (self.sender.clone(), self.state.clone(), scene.clone());
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || wait_for_signals(signals, &sender, &state, &scene))?;
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) = Some((keys, handle));
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
        self.state.pulse.fetch_add(1, Ordering::AcqRel);
        // Whatever comes from here on is news again.
        self.news.store(false, Ordering::Release);
        let mut all = vec![first];
        all.extend(self.queue.try_iter().take(256));
        all
    }

    /// Lets another program read the terminal while `run` runs, which has to wait for messages meanwhile.
    pub fn paused<T>(&self, run: impl FnOnce() -> T) -> T {
        self.state.paused.store(true, Ordering::Release);
        thread::sleep(PAUSE_CHECK * 2);
        let result = run();
        self.state.paused.store(false, Ordering::Release);
        result
    }

    /// Leaves messages for whoever waits next.
    pub fn put_back(&self, messages: Vec<Msg>) {
        for msg in messages {
            let _ = self.sender.send(msg);
        }
    }
}

/// Where reading the terminal fails in a way that nobody foresaw, no key would come any more: the session ends in order.
struct LastWord<'a>(&'a Sender<Msg>);

impl Drop for LastWord<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Msg::Gone);
        }
    }
}

impl Drop for Events {
    /// The terminal is for whoever comes next: nothing here reads it any more.
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::Release);
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((keys, signals)) = threads {
            signals.close();
            // One that reads a terminal that is gone may never come back.
            let begin = Instant::now();
            while !keys.is_finished() && begin.elapsed() < PAUSE_CHECK * 4 {
                thread::sleep(PAUSE_CHECK / 10);
            }
        }
    }
}

fn wait_for_signals(mut signals: Signals, sender: &Sender<Msg>, state: &Arc<State>, scene: &Scene) {
    let mut stopped: Option<Instant> = None;
    for signal in signals.forever() {
        let aside = state.paused.load(Ordering::Acquire);
        let msg = match signal {
            // They are for the program that has the terminal.
            SIGINT | SIGQUIT | SIGTSTP if aside => continue,
            SIGTSTP if stopped.is_some_and(|at| at.elapsed() < SAME_STOP) => continue,
            SIGTSTP => {
                stopped = Some(Instant::now());
                Msg::Suspend
            }
            SIGCONT => {
                stopped = Some(Instant::now());
                Msg::Continued
            }
            other => {
                let (state, scene) = (state.clone(), scene.clone());
                // Before the message is there to be taken.
                let pulse = state.pulse.load(Ordering::Acquire);
                // Without a thread to watch it, the screen still gets the message.
                let _ = thread::Builder::new().spawn(move || oversee(&state, &scene, other, pulse));
                Msg::Terminate(other)
            }
        };
        if sender.send(msg).is_err() {
            return;
        }
    }
}

/// Ends the program if the screen does not take the message that it shall, or does not come to its end. `pulse` is how often it
/// had taken messages before this one.
fn oversee(state: &State, scene: &Scene, signal: i32, pulse: u64) {
    let mut waited = Duration::ZERO;
    while waited < LEAVING && (waited < ANSWER || state.pulse.load(Ordering::Acquire) != pulse) {
        thread::sleep(PAUSE_CHECK);
        waited += PAUSE_CHECK;
    }
    scene.give_up(signal);
}

/// Reads the terminal until it is gone.
fn read_terminal(sender: &Sender<Msg>, state: &State, scene: &Scene) {
    // When Ctrl-C was pressed, and how often messages had been taken then.
    let mut interrupted: Option<(Instant, u64)> = None;
    while !state.ended.load(Ordering::Acquire) {
        if state.paused.load(Ordering::Acquire) {
            // The screen takes nothing meanwhile, which is no want of an answer.
            interrupted = None;
            thread::sleep(PAUSE_CHECK);
            continue;
        }
        let pulse = state.pulse.load(Ordering::Acquire);
        interrupted = interrupted.filter(|(_, before)| *before == pulse);
        if interrupted.is_some_and(|(at, _)| at.elapsed() > PATIENCE) {
            scene.give_up(SIGINT);
        }
        let msg = match crossterm::event::poll(PAUSE_CHECK) {
            Ok(false) => continue,
            Ok(true) => match crossterm::event::read() {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
                        interrupted = interrupted.or(Some((Instant::now(), pulse)));
                    }
                    Msg::Key(key, Instant::now())
                }
                Ok(Event::Mouse(event)) => Msg::Mouse(event),
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
