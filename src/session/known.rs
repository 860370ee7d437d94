//! The sessions that this machine recorded: where their logs lie, where their texts came from, and which of them were
//! never left. One small file each in the state folder.
//!
//! A log cannot say any of this: it may have been written elsewhere, by somebody who means harm.

use super::files::{Origin, open_file, state_folder};
use crate::lang::digest::Digest;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// No file of this folder is longer than this, in bytes.
const LONGEST: u64 = 1 << 20;

/// A session of this machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename = "known")]
pub struct Known {
    /// The log.
    pub session: PathBuf,
    /// The digest of its first line: another log that takes its place is not the one that is known.
    header: String,
    /// Where the program and the other texts lie, by label.
    pub program: Option<PathBuf>,
    files: IndexMap<String, PathBuf>,
    /// The folders of `--rules`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<PathBuf>,
    /// The configuration folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    config: Option<PathBuf>,
    /// The process on whose screen it was opened, until it is left.
    pub process: Option<u32>,
}

impl Known {
    /// What is to be known of a session whose log was just begun or opened. Paths are kept whole, because the program
    /// may be started elsewhere the next time.
    pub fn new(session: &Path, header: &str, origin: &Origin) -> Known {
        let whole = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone());
        Known {
            session: real(session),
            header: Digest::of(header.as_bytes()).to_string(),
            program: origin.program.as_ref().map(whole),
            files: origin.files.iter().map(|(label, path)| (label.clone(), whole(path))).collect(),
            rules: origin.rules.iter().map(whole).collect(),
            config: origin.config.as_ref().map(whole),
            process: None,
        }
    }

    /// Writes it down. That it cannot be is no reason to stop: then nothing is known.
    pub fn remember(&self) {
        let write = || -> Option<()> {
            let file = file_of(&self.session)?;
            let folder = file.parent()?;
            std::fs::create_dir_all(folder).ok()?;
            let mut new = tempfile::NamedTempFile::new_in(folder).ok()?;
            new.write_all(super::log::line(self).ok()?.as_bytes()).ok()?;
            new.persist(file).ok().map(|_| ())
        };
        let _ = write();
    }

    /// Where the session's texts lie.
    pub fn origin(&self) -> Origin {
        let (program, files) = (self.program.clone(), self.files.clone());
        Origin { program, files, rules: self.rules.clone(), config: self.config.clone() }
    }
}

/// What is known of the log at a path whose first line is `header`.
pub fn of(session: &Path, header: &str) -> Option<Known> {
    let known = read(&file_of(&real(session))?)?;
    (known.header == Digest::of(header.as_bytes()).to_string()).then_some(known)
}

/// All sessions that are known, whether or not their logs are still there.
pub fn all() -> Vec<Known> {
    let entries = folder().and_then(|folder| std::fs::read_dir(folder).ok());
    // A file of another name was not written to its end.
    let one = |file: PathBuf| read(&file).filter(|known| file_of(&known.session).as_ref() == Some(&file));
    entries.into_iter().flatten().filter_map(|entry| one(entry.ok()?.path())).collect()
}

/// Says that a session was left, or that nobody wants to go on with it.
pub fn left(session: &Path) {
    if let Some(known) = file_of(&real(session)).and_then(|file| read(&file)) {
        Known { process: None, ..known }.remember();
    }
}

/// Forgets a session whose log will be gone.
pub fn forget(session: &Path) {
    if let Some(file) = file_of(&real(session)) {
        let _ = std::fs::remove_file(file);
    }
}

fn read(file: &Path) -> Option<Known> {
    let mut text = String::new();
    open_file(file).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    ron::from_str(&text).ok()
}

/// One name for each log, however it is reached.
fn real(session: &Path) -> PathBuf {
    std::fs::canonicalize(session)
        .or_else(|_| std::path::absolute(session))
        .unwrap_or_else(|_| session.into())
}

fn folder() -> Option<PathBuf> {
    Some(state_folder()?.join("known"))
}

fn file_of(session: &Path) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let name = Digest::of(session.as_os_str().as_bytes()).to_string().replace(':', "-");
    Some(folder()?.join(format!("{name}.ron")))
}
