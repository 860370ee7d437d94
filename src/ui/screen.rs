//! The terminal: taken over, given back, whatever happens.
//!
//! While the screen is up the terminal is in raw mode on its alternate screen, and file descriptor 2 points at the
//! log, because drivers and libraries write to it. [`restore`] undoes all of it; it can be called from anywhere,
//! any number of times: at the end, before a suspension, from the panic hook.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Read, Seek, SeekFrom, Stdout, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{self, BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{cursor, execute, queue, style};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{getppid, getsid};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};

use super::capabilities::{self, Environment};

/// The log is started anew when it is longer than this, in bytes.
const LOG_LIMIT: u64 = 1 << 20;

/// A stop that was asked for comes within this time.
const STOPPING: Duration = Duration::from_secs(2);

/// What [`restore`] has to undo; none while the terminal is the shell's.
static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

struct Taken {
    /// The file descriptor 2 of before.
    stderr: Option<OwnedFd>,
}

fn taken() -> MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why no screen can be shown here, and what to run instead; none when it can.
pub fn refusal(env: Environment<'_>) -> Option<String> {
    let instead = "Run `shine-tui --help` for the subcommands that need no screen: line, which is the assistant \
                   as plain text, replay, compile, apply, bench, devices, rules.";
    let reason = if !io::stdout().is_terminal() {
        "The output is not a terminal, so the screen is not shown."
    } else if !io::stdin().is_terminal() {
        "The input is not a terminal, so nobody could press a key."
    } else if capabilities::is_dumb(env) {
        "The terminal cannot place a cursor (TERM is unset or `dumb`), so the screen is not shown."
    } else {
        return None;
    };
    Some(format!("{reason}\n{instead}"))
}

/// Columns and rows of the terminal, if it tells them.
pub fn size() -> Option<(u16, u16)> {
    terminal::size().ok()
}

/// Whether the mouse is taken.
static MOUSE: AtomicBool = AtomicBool::new(false);
/// Presses, the wheel, and movements while a button is held, with places beyond column 223: crossterm's own way asks for every movement, too.
const MOUSE_ON: &str = "\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l";

/// The terminal with the screen on it.
pub struct Screen {
    /// None only while it is dropped.
    terminal: Option<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    log: PathBuf,
    /// Is there a shell that would continue the program after a stop?
    shell: bool,
}

impl Screen {
    /// Takes the terminal over; stray output goes to the file `log` from now on.
    ///
    /// # Errors
    /// When the terminal cannot be set up. It is then as it was.
    pub fn enter(log: &Path, shell: bool) -> io::Result<Screen> {
        // Our themes decide about colours. Crossterm's own way with NO_COLOR would reset reverse video too.
        style::force_color_output(true);
        rotate(log);
        take(log)?;
        let terminal = new_terminal().inspect_err(|_| restore())?;
        Ok(Screen { terminal: Some(terminal), log: log.to_owned(), shell })
    }

    /// Draws a frame, in one piece where the terminal knows how.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let Some(terminal) = &mut self.terminal else { return Ok(()) };
        queue!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
        terminal.draw(render)?;
        execute!(terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// Forgets what is on the terminal, so that the next frame is drawn whole.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn repaint(&mut self) -> io::Result<()> {
        // `Terminal::clear` asks the terminal where its cursor is and would wait for the answer, which the thread
        // that reads keys gets.
        execute!(io::stdout(), terminal::Clear(terminal::ClearType::All))?;
        self.terminal = Some(new_terminal()?);
        Ok(())
    }

    /// Columns and rows of the terminal.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        terminal::size()
    }

    /// Sets the terminal up again, because the shell may have changed it, and draws the next frame whole.
    ///
    /// # Errors
    /// When the terminal cannot be set up.
    pub fn reclaim(&mut self) -> io::Result<()> {
        restore();
        self.resume()
    }

    /// Puts a text on the clipboard of the terminal, wherever it is.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Takes the mouse, or leaves it to the terminal, now and whenever the terminal is taken over.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        MOUSE.store(on, Ordering::Release);
        execute!(io::stdout(), style::Print(if on { MOUSE_ON } else { MOUSE_OFF }))
    }

    /// Takes the terminal over again after [`restore`].
    ///
    /// # Errors
    /// When the terminal cannot be set up.
    pub fn resume(&mut self) -> io::Result<()> {
        take(&self.log)?;
        self.repaint()
    }

    /// Gives the terminal to the shell and stops, until the shell says to go on.
    ///
    /// # Errors
    /// When no shell would ever say so, or when the terminal cannot be taken over again.
    pub fn suspend(&mut self) -> Result<(), String> {
        if !self.shell {
            return Err("There is no shell to go to; this is the terminal's only program.".to_owned());
        }
        restore();
        let stopped = stop();
        self.resume().map_err(|error| format!("The terminal cannot be taken over: {error}."))?;
        stopped.map_err(|error| format!("The program cannot be stopped: {error}."))
    }

    /// Is there a shell that would continue the program after a stop?
    pub fn has_shell(&self) -> bool {
        self.shell
    }

    /// Runs something that needs the terminal for itself, such as an editor.
    ///
    /// # Errors
    /// When the terminal cannot be taken over again.
    pub fn aside<T>(&mut self, run: impl FnOnce(&Screen) -> T) -> io::Result<T> {
        restore();
        let result = run(self);
        self.resume()?;
        Ok(result)
    }
}

/// Stops until the shell says to go on. The terminal is not ours then.
///
/// # Errors
/// When the system refuses.
pub(super) fn stop() -> rustix::io::Result<()> {
    let continued = Arc::new(AtomicBool::new(false));
    let heard = signal_hook::flag::register(signal_hook::consts::SIGCONT, continued.clone());
    // The whole group, because a program such as `cargo run` waits for us and would keep the terminal.
    let stopped = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
    // The stop reaches another thread first, on a busy machine long before this one, which must not go on drawing.
    let begin = Instant::now();
    while stopped.is_ok() && !continued.load(Ordering::Acquire) && begin.elapsed() < STOPPING {
        std::thread::sleep(Duration::from_millis(10));
    }
    if let Ok(heard) = heard {
        signal_hook::low_level::unregister(heard);
    }
    stopped
}

fn new_terminal() -> io::Result<Terminal<CrosstermBackend<BufWriter<Stdout>>>> {
    Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())))
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Some(mut terminal) = self.terminal.take()
            && terminal.show_cursor().is_err()
        {
            // It would complain on standard error, which may be the terminal that is gone: that would be a panic.
            std::mem::forget(terminal);
        }
        restore();
    }
}

fn take(log: &Path) -> io::Result<()> {
    let mut slot = taken();
    if slot.is_some() {
        return Ok(());
    }
    terminal::enable_raw_mode()?;
    *slot = Some(Taken { stderr: None });
    drop(slot);
    let entered = execute!(io::stdout(), terminal::EnterAlternateScreen, EnableBracketedPaste, cursor::Hide);
    if let Err(error) = entered {
        restore();
        return Err(error);
    }
    if MOUSE.load(Ordering::Acquire) {
        let _ = execute!(io::stdout(), style::Print(MOUSE_ON));
    }
    let stderr = redirect_stderr(log);
    if let Some(taken) = taken().as_mut() {
        taken.stderr = stderr;
    }
    Ok(())
}

/// Points file descriptor 2 at the log and returns what it was. A log that cannot be written is no reason to let
/// drivers write over the screen, so then it points nowhere.
fn redirect_stderr(log: &Path) -> Option<OwnedFd> {
    let open = |path: &Path| OpenOptions::new().create(true).append(true).open(path);
    let file = open(log).or_else(|_| open(Path::new("/dev/null"))).ok()?;
    let before = rustix::io::dup(io::stderr()).ok()?;
    rustix::stdio::dup2_stderr(&file).ok()?;
    Some(before)
}

/// Lets a process of the background set the terminal, as one is whose keeper was killed: the shell has the terminal again,
/// and nobody would tell the process group that it was stopped.
fn allow_in_background() {
    let _ = SigSet::from(Signal::SIGTTOU).thread_block();
}

/// Gives the terminal back. Without effect when it is the shell's already.
pub fn restore() {
    let Some(state) = taken().take() else { return };
    allow_in_background();
    // Each step is tried even if another fails; there is nobody left to tell.
    let _ = leave(&mut io::stdout());
    let _ = terminal::disable_raw_mode();
    if let Some(stderr) = state.stderr {
        let _ = rustix::stdio::dup2_stderr(&stderr);
    }
}

/// Says to the terminal that the screen is over.
///
/// # Errors
/// When the terminal is gone.
pub(super) fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        EndSynchronizedUpdate,
        style::ResetColor,
        style::Print(MOUSE_OFF),
        DisableBracketedPaste,
        terminal::LeaveAlternateScreen,
        cursor::Show
    )
}

/// Whether something would continue this program after a stop: a parent in the same session, that is, a shell with
/// job control or a program that a shell started.
pub fn has_shell() -> bool {
    // In a container, a parent or a session that began outside it has the number 0; as an argument, 0 is oneself.
    let parent = getppid();
    parent.as_raw() > 0 && getsid(Some(parent)).is_ok_and(|session| getsid(None) == Ok(session))
}

/// Starts the log anew when it has grown long.
fn rotate(log: &Path) {
    if std::fs::metadata(log).is_ok_and(|meta| meta.len() > LOG_LIMIT) {
        let _ = std::fs::remove_file(log);
    }
    if let Some(folder) = log.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
}

/// Counts the lines that arrive in the log while the screen is up.
pub struct Stray {
    log: PathBuf,
    offset: Option<u64>,
    /// Lines so far.
    pub lines: usize,
}

impl Stray {
    /// Counts from the present end of the log.
    pub fn new(log: &Path) -> Stray {
        let offset = std::fs::metadata(log).map(|meta| meta.len()).ok();
        Stray { log: log.to_owned(), offset, lines: 0 }
    }

    /// Looks for new lines; true when there were some.
    pub fn poll(&mut self) -> bool {
        let new = File::open(&self.log).and_then(|mut file| {
            let from = self.offset.unwrap_or(0).min(file.metadata()?.len());
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(LOG_LIMIT).read_to_end(&mut bytes)?;
            self.offset = Some(from + bytes.len() as u64);
            Ok(bytes.iter().filter(|&&b| b == b'\n').count())
        });
        let new = new.unwrap_or(0);
        self.lines += new;
        new > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_of_the_log_are_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        std::fs::write(&log, "before\n").unwrap();
        let mut stray = Stray::new(&log);
        assert!(!stray.poll());
        let mut file = OpenOptions::new().append(true).open(&log).unwrap();
        file.write_all(b"one\ntwo\nthr").unwrap();
        assert!(stray.poll());
        file.write_all(b"ee\n").unwrap();
        assert!(stray.poll() && !stray.poll());
        assert_eq!(stray.lines, 3);
    }

    #[test]
    fn restoring_what_was_not_taken_does_nothing() {
        restore();
        assert!(taken().is_none());
    }

    #[test]
    fn a_long_log_is_started_anew() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("deep/log");
        rotate(&log);
        std::fs::write(&log, "short").unwrap();
        rotate(&log);
        assert!(log.exists());
        File::create(&log).unwrap().set_len(LOG_LIMIT + 1).unwrap();
        rotate(&log);
        assert!(!log.exists());
    }
}
