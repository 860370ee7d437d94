//! The real binary in a pseudo-terminal: does it draw, and does it leave the terminal as it found it?
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take before the test gives up. Far above what is needed, for slow machines.
const PATIENCE: Duration = Duration::from_secs(60);

struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

/// A program in a terminal of its own.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    seen: Arc<Mutex<Seen>>,
    folder: tempfile::TempDir,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// A program of the language, in a folder of its own.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("dot.rise"),
        "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0\n",
    )
    .unwrap();
    folder
}

impl Terminal {
    /// Starts the assistant on a small program.
    fn assistant(columns: u16, rows: u16, environment: &[(&str, &str)]) -> Terminal {
        Terminal::run(&[env!("CARGO_BIN_EXE_shine-tui"), "dot.rise"], columns, rows, environment)
    }

    fn run(command: &[&str], columns: u16, rows: u16, environment: &[(&str, &str)]) -> Terminal {
        let folder = folder();
        let pty = native_pty_system().openpty(size(columns, rows)).unwrap();
        let mut builder = CommandBuilder::new(command[0]);
        builder.args(&command[1..]);
        builder.cwd(folder.path());
        for (name, _) in std::env::vars() {
            if name.starts_with("LC_")
                || ["NO_COLOR", "COLORTERM", "CLICOLOR_FORCE", "EDITOR"].contains(&&*name)
            {
                builder.env_remove(name);
            }
        }
        builder.env("TERM", "xterm-256color");
        builder.env("LANG", "C.UTF-8");
        builder.env("SHINE_STATE_DIR", folder.path().join("state"));
        builder.env("SHINE_CONFIG_DIR", folder.path().join("config"));
        for (name, value) in environment {
            builder.env(name, value);
        }
        let child = pty.slave.spawn_command(builder).unwrap();
        drop(pty.slave);
        let seen = Arc::new(Mutex::new(Seen { parser: vt100::Parser::new(rows, columns, 0), bytes: vec![] }));
        let (mut reader, shared) = (pty.master.try_clone_reader().unwrap(), seen.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&buffer[..count]);
                seen.bytes.extend_from_slice(&buffer[..count]);
            }
        });
        let writer = pty.master.take_writer().unwrap();
        Terminal { master: pty.master, child, writer, seen, folder }
    }

    fn text(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    /// Waits until something holds of what is seen.
    fn until(&self, what: &str, holds: impl Fn(&Seen) -> bool) {
        let begin = Instant::now();
        while !holds(&self.seen.lock().unwrap()) {
            assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}; seen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn until_text(&self, text: &str) {
        self.until(text, |seen| seen.parser.screen().contents().contains(text));
    }

    fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Waits for the end and returns the exit code.
    fn end(&mut self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end; seen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap();
        // The shell's own `kill`: a small system has no other.
        let sent = Command::new("sh").args(["-c", &format!("kill {name} {pid}")]).status();
        assert!(sent.unwrap().success());
    }

    /// The main screen, a visible cursor, lines and echo as a shell wants them.
    fn assert_restored(&self) {
        self.until("the main screen", |seen| {
            let screen = seen.parser.screen();
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
        });
        let termios = self.master.get_termios().unwrap();
        let flags = format!("{:?}", termios.local_flags);
        assert!(flags.contains("ICANON") && flags.contains("ECHO"), "{flags}");
    }

    fn session_logs(&self) -> usize {
        let folder = self.folder.path().join("state/sessions");
        std::fs::read_dir(folder).map_or(0, |entries| entries.count())
    }
}

#[test]
fn the_first_frame_shows_the_program_and_q_leaves() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("reduce (+) 0");
    terminal.until_text("? help");
    assert!(terminal.seen.lock().unwrap().parser.screen().alternate_screen());
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
    assert_eq!(terminal.session_logs(), 1);
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("? help");
    let mut state = 7u32;
    for _ in 0..200 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (columns, rows) = ((state >> 8) % 200 + 1, (state >> 20) % 60 + 1);
        terminal.master.resize(size(columns as u16, rows as u16)).unwrap();
    }
    terminal.master.resize(size(100, 30)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    // What was drawn for other sizes means nothing on this one.
    terminal.seen.lock().unwrap().parser = vt100::Parser::new(30, 100, 0);
    terminal.press("\x0c");
    terminal.until_text("reduce (+) 0");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_small_terminal_is_told_what_is_needed() {
    let mut terminal = Terminal::assistant(40, 10, &[]);
    terminal.until_text("needs 50×15, you have 40×10");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn signals_end_it_with_the_terminal_restored_and_the_session_saved() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        let mut terminal = Terminal::assistant(100, 30, &[]);
        terminal.until_text("? help");
        terminal.signal(signal);
        assert_eq!(terminal.end(), code, "{signal}");
        terminal.assert_restored();
        assert_eq!(terminal.session_logs(), 1);
    }
}

#[test]
fn a_fault_restores_the_terminal_and_says_where_the_work_is() {
    let mut terminal = Terminal::assistant(100, 30, &[("SHINE_FAULT", "1")]);
    assert_eq!(terminal.end(), 4);
    terminal.assert_restored();
    terminal.until_text("shine-tui has a fault");
    terminal.until_text("replay");
    assert_eq!(terminal.session_logs(), 1);
}

#[test]
fn the_shell_can_suspend_and_resume_it() {
    let mut terminal = Terminal::run(&["/bin/sh", "-i"], 100, 30, &[("PS1", "PROMPT "), ("ENV", "")]);
    terminal.until_text("PROMPT");
    terminal.press(&format!("set -m; {} dot.rise\n", env!("CARGO_BIN_EXE_shine-tui")));
    terminal.until_text("? help");
    terminal.press("\x1a");
    // Before the shell has its terminal back, what is typed is not for it.
    let prompts = |seen: &Seen| seen.parser.screen().contents().matches("PROMPT").count();
    terminal.until("the prompt again", |seen| !seen.parser.screen().alternate_screen() && prompts(seen) == 2);
    terminal.assert_restored();
    terminal.press("fg\n");
    terminal.until("the screen again", |seen| {
        seen.parser.screen().alternate_screen() && seen.parser.screen().contents().contains("? help")
    });
    terminal.press("q");
    terminal
        .until("the prompt at last", |seen| !seen.parser.screen().alternate_screen() && prompts(seen) == 3);
    terminal.press("exit\n");
    terminal.end();
}

#[test]
fn without_a_shell_suspending_is_refused() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("? help");
    terminal.press("\x1a");
    terminal.until_text("no shell to go to");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn without_colours_the_selection_is_still_seen() {
    let mut terminal = Terminal::assistant(100, 30, &[("NO_COLOR", "1")]);
    terminal.until_text("? help");
    terminal.press("J");
    terminal.until("a selection in reverse video", |seen| {
        let screen = seen.parser.screen();
        (0..30).any(|row| (0..50).any(|column| screen.cell(row, column).is_some_and(vt100::Cell::inverse)))
    });
    {
        let seen = terminal.seen.lock().unwrap();
        let screen = seen.parser.screen();
        let coloured = |row, column| {
            screen.cell(row, column).is_some_and(|cell| cell.fgcolor() != vt100::Color::Default)
        };
        assert!((0..30).all(|row| (0..100).all(|column| !coloured(row, column))));
    }
    terminal.press("q");
    terminal.end();
}

#[test]
fn a_changed_program_is_noticed_and_read_again() {
    let mut terminal = Terminal::assistant(120, 36, &[]);
    terminal.until_text("reduce (+) 0");
    let program = terminal.folder.path().join("dot.rise");
    std::fs::write(program, "def twice (a: k.f32): k.f32 = a |> map (\\x. 2 * x)\n").unwrap();
    terminal.until_text("file changed");
    terminal.press("Ry");
    terminal.until_text("twice");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn figures_of_the_wait_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frames.json");
    let command = [env!("CARGO_BIN_EXE_shine-tui"), "dot.rise", "--frame-stats", file.to_str().unwrap()];
    let mut terminal = Terminal::run(&command, 100, 30, &[]);
    terminal.until_text("? help");
    terminal.press("7");
    terminal.until_text("[7 History]");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    let stats: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(stats["first_frame_ms"].as_f64().unwrap() > 0.0);
    assert!(stats["key_to_frame_idle"]["count"].as_u64().unwrap() >= 1);
}

#[test]
fn a_dumb_terminal_is_refused_politely() {
    let mut terminal = Terminal::assistant(100, 30, &[("TERM", "dumb")]);
    assert_ne!(terminal.end(), 0);
    terminal.until_text("shine-tui --help");
    let seen = terminal.seen.lock().unwrap();
    assert!(!seen.bytes.contains(&0x1b), "no escape sequence reaches it");
}

/// Runs the assistant without a terminal.
fn without_terminal(stdin: Stdio) -> std::process::Output {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.arg("dot.rise").current_dir(folder.path()).env("TERM", "xterm").stdin(stdin);
    command.env("SHINE_STATE_DIR", Path::new(folder.path()).join("state"));
    command.output().unwrap()
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let output = without_terminal(Stdio::null());
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("not a terminal") && text.contains("replay"), "{text}");
    assert!(!text.contains('\u{1b}'));
}
