//! The real binary in a pseudo-terminal, with a world of its own: keys go in, what a terminal shows comes out.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take before the test gives up. Far above what is needed, for slow machines.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Seen {
    pub parser: vt100::Parser,
    pub bytes: Vec<u8>,
}

/// What is ended with its test, so that one that fails leaves nothing behind. A screen goes with its keeper.
pub struct Running(pub Box<dyn Child + Send + Sync>);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program in a terminal of its own.
pub struct Terminal {
    pub master: Box<dyn MasterPty + Send>,
    pub child: Running,
    pub writer: Box<dyn Write + Send>,
    pub seen: Arc<Mutex<Seen>>,
    pub folder: tempfile::TempDir,
}

pub fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// A program of the language, in a folder of its own.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("dot.rise"),
        "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0\n",
    )
    .unwrap();
    folder
}

/// A command in a folder, with its state and configuration there too.
pub fn in_world(folder: &Path, command: &[&str], environment: &[(&str, &str)]) -> CommandBuilder {
    let mut builder = CommandBuilder::new(command[0]);
    builder.args(&command[1..]);
    builder.cwd(folder);
    for (name, _) in std::env::vars() {
        if name.starts_with("LC_") || ["NO_COLOR", "COLORTERM", "CLICOLOR_FORCE", "EDITOR"].contains(&&*name)
        {
            builder.env_remove(name);
        }
    }
    builder.env("TERM", "xterm-256color");
    builder.env("LANG", "C.UTF-8");
    builder.env("SHINE_STATE_DIR", folder.join("state"));
    builder.env("SHINE_CONFIG_DIR", folder.join("config"));
    for (name, value) in environment {
        builder.env(name, value);
    }
    builder
}

impl Terminal {
    /// Starts the assistant on a small program.
    pub fn assistant(columns: u16, rows: u16, environment: &[(&str, &str)]) -> Terminal {
        Terminal::run(&[env!("CARGO_BIN_EXE_shine-tui"), "dot.rise"], columns, rows, environment)
    }

    pub fn run(command: &[&str], columns: u16, rows: u16, environment: &[(&str, &str)]) -> Terminal {
        Terminal::run_in(folder(), command, columns, rows, environment)
    }

    /// As [`Terminal::run`], in a folder that was prepared; the state and the configuration lie in it.
    pub fn run_in(
        folder: tempfile::TempDir,
        command: &[&str],
        columns: u16,
        rows: u16,
        environment: &[(&str, &str)],
    ) -> Terminal {
        let pty = native_pty_system().openpty(size(columns, rows)).unwrap();
        let builder = in_world(folder.path(), command, environment);
        let child = Running(pty.slave.spawn_command(builder).unwrap());
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

    pub fn text(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    /// Waits until something holds of what is seen.
    pub fn until(&self, what: &str, holds: impl Fn(&Seen) -> bool) {
        let begin = Instant::now();
        while !holds(&self.seen.lock().unwrap()) {
            assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}; seen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn until_text(&self, text: &str) {
        self.until(text, |seen| seen.parser.screen().contents().contains(text));
    }

    pub fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Waits for the end and returns the exit code.
    pub fn end(&mut self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end; seen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.0.process_id().unwrap();
        // The shell's own `kill`: a small system has no other.
        let sent = Command::new("sh").args(["-c", &format!("kill {name} {pid}")]).status();
        assert!(sent.unwrap().success());
    }

    /// The main screen, a visible cursor, lines and echo as a shell wants them.
    pub fn assert_restored(&self) {
        self.until("the main screen", |seen| {
            let screen = seen.parser.screen();
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
        });
        let termios = self.master.get_termios().unwrap();
        let flags = format!("{:?}", termios.local_flags);
        assert!(flags.contains("ICANON") && flags.contains("ECHO"), "{flags}");
    }

    pub fn session_logs(&self) -> usize {
        let folder = self.folder.path().join("state/sessions");
        std::fs::read_dir(folder).map_or(0, |entries| entries.count())
    }
}
