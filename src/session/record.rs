//! The session's hand on its log: where it is written, what could not be written, and giving it a name.

use super::action::{Action, Outcome};
use super::files::{self, Origin};
use super::known::{self, Known};
use super::log::seal::Chain;
use super::log::{Fate, Log, LogError, LogWriter, v1};
use super::whole::{is_full, limited};
use crate::lang::diag::Diagnostic;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Writes what happens, if there is anywhere to write it.
pub struct Recorder {
    writer: Option<LogWriter>,
    /// Where the log is to be as soon as that can be written, while there is no writer.
    wanted: Option<PathBuf>,
    /// The file that holds the session, where that is only read.
    read: Option<PathBuf>,
    named: bool,
    problem: Option<String>,
    /// The lines of the log, for giving it another name. They are on disk as well, where that can be written.
    lines: Vec<String>,
    /// Their seals.
    chain: Chain,
    origin: Origin,
    /// Is the session written down for this machine? A test's is not.
    known: bool,
    /// On a screen that was not left?
    open: bool,
    /// How many records there are.
    records: usize,
    /// How many of them are on the disk in a file that cannot be gone on with.
    before: usize,
    /// Before this moment what could not be written is not tried again.
    next_try: Option<Instant>,
}

/// What could not be written is tried again after so many times as long as that took, and so long at least and at most: a long log takes
/// its time, and a full disk is no reason to write all day.
const REST: u32 = 20;
const SOONEST: Duration = Duration::from_millis(500);
const LATEST: Duration = Duration::from_secs(60);

/// What the status line says about saving.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SaveState {
    pub path: Option<PathBuf>,
    /// Did the user choose the path?
    pub named: bool,
    /// Records that are not on disk.
    pub unsaved: usize,
    pub problem: Option<String>,
}

/// What can be done where nothing is written.
pub const WAY_OUT: &str = "`:save FILE` writes all of it to another place.";

/// What is said where a log cannot be written.
pub fn diagnostic(e: &LogError) -> Diagnostic {
    // A file in the place of the log's folder, whichever way the system says it.
    let in_the_way = |kind: ErrorKind| {
        matches!(kind, ErrorKind::NotADirectory | ErrorKind::IsADirectory | ErrorKind::AlreadyExists)
    };
    let code = match e {
        LogError::Exists { .. } => "E0918",
        LogError::Io { source, .. } if in_the_way(source.kind()) => "E0918",
        LogError::Io { .. } | LogError::InUse { .. } => "E0805",
    };
    let d = Diagnostic::error(code, e.to_string());
    match e {
        LogError::Io { source, .. } if is_full(source) => {
            d.hint("Make room there, or record the session in another place.")
        }
        LogError::Io { source, .. } if let Some(limit) = limited(source) => {
            d.hint(format!("Raise the limit (`{limit}`)."))
        }
        LogError::Io { .. } => d.hint("Record the session in another place."),
        LogError::InUse { .. } => d.hint(
            "Close the other one, or go on in a copy: `--session COPY.ron` beside the session makes one.",
        ),
        LogError::Exists { .. } => d.hint("Choose another name; a log is never overwritten."),
    }
}

impl Recorder {
    /// Records nothing.
    pub fn none() -> Recorder {
        Recorder {
            writer: None,
            wanted: None,
            read: None,
            named: false,
            problem: None,
            lines: vec![],
            chain: Chain::default(),
            origin: Origin::default(),
            known: false,
            open: false,
            records: 0,
            before: 0,
            next_try: None,
        }
    }

    /// Records nothing, since all that is done is in this file.
    pub fn reading(path: &Path) -> Recorder {
        Recorder { read: Some(path.to_path_buf()), ..Recorder::none() }
    }

    /// A log that is nowhere yet.
    ///
    /// # Errors
    /// `E0805`: the header cannot be written as a line.
    pub fn begin(header: &v1::Header, origin: &Origin) -> Result<Recorder, Diagnostic> {
        let line = super::log::line(header).map_err(|e| {
            Diagnostic::error("E0805", format!("The session's header cannot be written: {e}."))
        })?;
        let mut chain = Chain::default();
        let line = chain.seal(&line);
        Ok(Recorder { lines: vec![line], chain, origin: origin.clone(), ..Recorder::none() })
    }

    /// Writes the log at `named`, else under a name of its own in the state folder. Where that cannot be, all of it is
    /// kept, so that another place can be given to it, and the place in the state folder is tried again.
    ///
    /// # Errors
    /// `E0805`: the log cannot be written.
    pub fn place(&mut self, named: Option<&Path>, label: &str) -> Result<(), Diagnostic> {
        let placed = match named.map(Path::to_path_buf).or_else(|| unnamed(label)) {
            Some(path) => {
                self.wanted = Some(path.clone()).filter(|_| named.is_none());
                let nowhere = || files::no_state_folder().filter(|_| named.is_none());
                self.copy(&path).map_err(|e| nowhere().unwrap_or_else(|| diagnostic(&e)))
            }
            None => {
                let why = "There is no folder for session logs: no home folder is set.";
                Err(Diagnostic::error("E0805", why)
                    .hint("Set SHINE_STATE_DIR, or name a file with `--session FILE`."))
            }
        };
        match placed {
            Ok(writer) => {
                (self.writer, self.wanted, self.named) = (Some(writer), None, named.is_some());
                Ok(())
            }
            Err(problem) => {
                self.problem = Some(problem.message.clone());
                Err(problem)
            }
        }
    }

    /// Goes on with a log that was read from a file.
    ///
    /// # Errors
    /// The log cannot be written, or is in use.
    pub fn resume(path: &Path, log: &Log, origin: &Origin) -> Result<Recorder, LogError> {
        let writer = LogWriter::resume(path, log.intact_bytes as u64, log.read)?;
        Ok(Recorder { writer: Some(writer), named: true, ..Recorder::of(log, origin) })
    }

    /// Goes on in a new file with a log that was read from another, which stays as it is.
    ///
    /// # Errors
    /// As [`Recorder::place`].
    pub fn copy_of(path: &Path, log: &Log, origin: &Origin) -> Result<Recorder, Diagnostic> {
        let mut recorder = Recorder::of(log, origin);
        recorder.place(Some(path), &log.header.program.label)?;
        Ok(recorder)
    }

    /// Goes on with a log whose file cannot be written for this reason.
    pub fn beside(log: &Log, origin: &Origin, problem: String) -> Recorder {
        Recorder { before: log.entries.len(), problem: Some(problem), ..Recorder::of(log, origin) }
    }

    fn of(log: &Log, origin: &Origin) -> Recorder {
        Recorder {
            lines: log.lines(),
            chain: log.chain.clone(),
            origin: origin.clone(),
            records: log.entries.len(),
            ..Recorder::none()
        }
    }

    /// Writes down for this machine what the log does not say.
    fn remember(&self) {
        if let (Some(writer), Some(header), true) = (&self.writer, self.lines.first(), self.known) {
            let mut known = Known::new(writer.path(), header, &self.origin);
            known.process = self.open.then(std::process::id);
            known.remember();
        }
    }

    /// Writes the session down for this machine, with whether it is on a screen that was not left.
    pub fn set_open(&mut self, open: bool) {
        (self.known, self.open) = (true, open);
        self.remember();
    }

    /// Leaves the log; one without a name and without records goes away.
    pub fn give_up(&mut self) {
        self.set_open(false);
        if !self.named
            && self.records == 0
            && let Some(old) = self.writer.take()
        {
            known::forget(old.path());
            let _ = std::fs::remove_file(old.path());
        }
    }

    /// Writes an action with its outcome. A failure is kept in the state and tried again with the next record.
    pub fn record(&mut self, action: &Action, outcome: &Outcome) {
        self.records += 1;
        // Without a header there is no log.
        if self.lines.is_empty() {
            return;
        }
        let (action, outcome) = (action.into(), outcome.into());
        let record = v1::Record { n: self.records, action, outcome, seal: String::new() };
        let Ok(line) = super::log::line(&record) else { return };
        let line = self.chain.seal(&line);
        self.lines.push(line.clone());
        match &mut self.writer {
            Some(writer) => self.problem = writer.append(line).err().map(|e| e.to_string()),
            None => self.try_again(),
        }
    }

    /// Writes what could not be written before, where that can be now.
    fn try_again(&mut self) {
        if self.next_try.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let began = Instant::now();
        self.try_now();
        let rest = (began.elapsed() * REST).clamp(SOONEST, LATEST);
        self.next_try = self.problem.as_ref().map(|_| Instant::now() + rest);
    }

    /// The same, whenever it was tried last.
    pub fn try_now(&mut self) {
        if let Some(writer) = self.writer.as_mut().filter(|writer| writer.unsaved() > 0) {
            self.problem = writer.flush().err().map(|e| e.to_string());
        }
        if let (None, Some(path)) = (&self.writer, self.wanted.clone()) {
            match self.copy(&path) {
                Ok(writer) => {
                    (self.writer, self.wanted, self.problem) = (Some(writer), None, None);
                    self.remember();
                }
                Err(e) => self.problem = Some(e.to_string()),
            }
        }
    }

    /// Copies the log to a new file and goes on there. A log without a name is then removed.
    ///
    /// # Errors
    /// `E0805`: the file exists or cannot be written.
    pub fn save_as(&mut self, path: &Path) -> Result<(), Diagnostic> {
        if self.lines.is_empty() {
            return Err(Diagnostic::error("E0805", "This session is not recorded."));
        }
        let writer = self.copy(path).map_err(|e| diagnostic(&e))?;
        let old = self.writer.replace(writer);
        self.wanted = None;
        match old {
            // The session goes on under the new name; the file with the old one is left as it is.
            Some(old) if self.named => known::left(old.path()),
            Some(old) => {
                known::forget(old.path());
                let _ = std::fs::remove_file(old.path());
            }
            None => {}
        }
        self.remember();
        self.named = true;
        self.problem = None;
        Ok(())
    }

    /// Looks whether the log is still what was written. One that is gone or was changed is written again, and one that
    /// another file has taken the place of goes on elsewhere; what happened, in words. What could not be written is tried
    /// again.
    pub fn look(&mut self) -> Option<String> {
        self.try_again();
        let writer = self.writer.as_mut()?;
        let (path, fate) = (writer.path().to_path_buf(), writer.fate());
        let shown = path.display();
        let done = match fate {
            Fate::AsWritten => return None,
            Fate::Changed => match writer
                .rewrite(&self.lines.iter().flat_map(|l| [l.as_str(), "\n"]).collect::<String>())
            {
                Ok(None) => {
                    self.problem = None;
                    return None;
                }
                Ok(Some(kept)) => Ok(format!(
                    "The session's file {shown} was changed by another program. It was written again; what was found is in {}.",
                    kept.display()
                )),
                Err(e) => Err(e.to_string()),
            },
            Fate::Gone => self
                .elsewhere(&path)
                .map(|()| format!("The session's file {shown} was gone; it was written again.")),
            Fate::Replaced => {
                let new = unnamed(&shown.to_string());
                let moved = new.ok_or_else(|| "there is no folder for it".to_owned()).and_then(|new| {
                    self.elsewhere(&new)?;
                    // What lies there now is not known.
                    known::forget(&path);
                    self.named = false;
                    Ok(new)
                });
                moved.map(|new| {
                    format!(
                        "Another file has taken the place of {shown}; the session goes on in {}.",
                        new.display()
                    )
                })
            }
        };
        match done {
            Ok(news) => {
                self.problem = None;
                self.remember();
                Some(news)
            }
            Err(why) => {
                let problem = format!(
                    "The session's file {shown} is not what was written, and cannot be written again: {why}."
                );
                (self.problem.as_ref() != Some(&problem)).then(|| self.problem.insert(problem).clone())
            }
        }
    }

    /// Writes the whole log into a new file, and goes on there.
    fn elsewhere(&mut self, path: &Path) -> Result<(), String> {
        self.writer = Some(self.copy(path).map_err(|e| e.to_string())?);
        Ok(())
    }

    /// A new log of the lines so far, or none: what could not be written whole is removed.
    fn copy(&self, path: &Path) -> Result<LogWriter, LogError> {
        let (header, records) =
            self.lines.split_first().map_or((String::new(), &[][..]), |(h, r)| (h.clone(), r));
        let mut writer = LogWriter::create(path, header)?;
        if let Err(error) = writer.append_all(records.to_vec()) {
            drop(writer);
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(writer)
    }

    pub fn state(&self) -> SaveState {
        SaveState {
            path: self.writer.as_ref().map(|w| w.path().to_path_buf()).or_else(|| self.read.clone()),
            named: self.named,
            // Without a header there is no log, and nothing that would have to be saved.
            unsaved: match &self.writer {
                Some(writer) => writer.unsaved(),
                None if self.lines.is_empty() => 0,
                None => self.records.saturating_sub(self.before),
            },
            problem: self.problem.clone(),
        }
    }

    /// The whole log as text, whether or not it is on disk.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|l| [l.as_str(), "\n"]).collect()
    }
}

/// A new file for a session of the program, named after it and the moment.
fn unnamed(label: &str) -> Option<PathBuf> {
    let folder = files::state_folder()?.join("sessions");
    let stem =
        Path::new(label).file_stem().map_or_else(|| "session".into(), |s| s.to_string_lossy().into_owned());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(folder.join(format!("{stem}-{}-{}.ron", now.as_millis(), std::process::id())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cannot be written is not tried over and over, but at the end it is tried at once.
    #[test]
    fn what_cannot_be_written_is_tried_again_after_a_rest() {
        let dir = tempfile::tempdir().unwrap();
        let (blocked, path) = (dir.path().join("file"), dir.path().join("file/s.ron"));
        std::fs::write(&blocked, "").unwrap();
        let lines: Vec<String> = (0..3).map(|i| format!("line {i}")).collect();
        let mut recorder = Recorder { wanted: Some(path.clone()), lines, records: 2, ..Recorder::none() };
        assert!(recorder.look().is_none() && recorder.state().problem.is_some());
        std::fs::remove_file(&blocked).unwrap();
        recorder.look();
        assert!(!path.exists(), "it rests");
        recorder.try_now();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "line 0\nline 1\nline 2\n");
        assert_eq!(recorder.state().problem, None);
    }
}
