//! The sessions of this machine, as they are listed, and the one of a program that was never left.

use super::files::{open_file, state_folder};
use super::known::{self, Known};
use super::log::{MAX_BYTES, is_first_line};
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What has become of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Some shine-tui has it open.
    Open,
    /// Its screen ended without being left: a crash, a signal, a power failure.
    Unfinished,
    Left,
    /// It does not begin as a session does, so nothing can go on with it.
    Damaged,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Unfinished => "unfinished",
            State::Left => "left",
            State::Damaged => "damaged",
        }
    }
}

/// A session as it is listed.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed {
    /// The log.
    pub session: PathBuf,
    /// The program's file, where this machine knows it.
    pub program: Option<PathBuf>,
    pub changed: SystemTime,
    /// How many actions are recorded.
    pub actions: usize,
    pub state: State,
}

/// Every session of this machine whose log is still there, the one that was changed last first.
pub fn all() -> Vec<Listed> {
    let mut out: Vec<Listed> = known::all().iter().filter_map(listed).collect();
    let folder = state_folder().map(|state| state.join("sessions"));
    let logs = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    for entry in logs.into_iter().flatten().flatten() {
        let session = std::fs::canonicalize(entry.path()).unwrap_or_else(|_| entry.path());
        // What was cut off a log is kept beside it, under another ending.
        if session.extension().is_some_and(|e| e == "ron") && out.iter().all(|l| l.session != session) {
            out.extend(read(&session, None, false));
        }
    }
    out.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.session.cmp(&b.session)));
    out
}

/// The newest session of a program that was never left and has something in it.
pub fn unfinished(program: &Path) -> Option<Listed> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let wanted = real(program)?;
    let of_program =
        |k: &Known| k.process.is_some() && k.program.as_deref().and_then(real) == Some(wanted.clone());
    let all = known::all().into_iter().filter(of_program);
    let open = all.filter_map(|k| listed(&k)).filter(|l| l.state == State::Unfinished && l.actions > 0);
    open.max_by_key(|l| l.changed)
}

fn listed(known: &Known) -> Option<Listed> {
    read(&known.session, known.program.clone(), known.process.is_some())
}

fn read(session: &Path, program: Option<PathBuf>, on_screen: bool) -> Option<Listed> {
    let file = open_file(session).ok()?;
    let changed = file.metadata().and_then(|m| m.modified()).ok()?;
    let locked = is_locked(&file);
    let (begins, actions) = contents(file);
    let state = match (locked, begins, on_screen) {
        (true, ..) => State::Open,
        (_, false, _) => State::Damaged,
        (_, _, true) => State::Unfinished,
        (_, _, false) => State::Left,
    };
    Some(Listed { session: session.to_owned(), program, changed, actions, state })
}

/// Whoever writes a log has it locked.
fn is_locked(file: &File) -> bool {
    let tried = file.try_lock_shared();
    // Whoever wants to write it must not find it locked by one that only looks.
    let _ = file.unlock();
    matches!(tried, Err(TryLockError::WouldBlock))
}

/// Whether it begins as a session does, or has nothing in it yet, and how many lines follow the first.
fn contents(file: File) -> (bool, usize) {
    let mut from = BufReader::new(file.take(MAX_BYTES as u64));
    let mut first = Vec::new();
    let begins = from.read_until(b'\n', &mut first).is_ok() && (first.is_empty() || is_first_line(&first));
    let mut count = 0;
    while let Ok(bytes) = from.fill_buf()
        && !bytes.is_empty()
    {
        count += bytes.iter().filter(|b| **b == b'\n').count();
        let length = bytes.len();
        from.consume(length);
    }
    (begins, if begins { count } else { 0 })
}
