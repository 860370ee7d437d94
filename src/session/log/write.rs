//! Writing session logs: each record is on disk before the next action, and a failed write loses nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::MAX_BYTES;
use super::read::Contents;
use crate::session::whole::room_for;

/// Why the log could not be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("The session log {path} cannot be written: {source}.", path = path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("The session log {path} is in use by another shine-tui.", path = path.display())]
    InUse { path: PathBuf },
    #[error("The session log {path} exists already.", path = path.display())]
    Exists { path: PathBuf },
}

/// An open log. Dropping it releases the lock on the file.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    path: PathBuf,
    /// Where the whole records end. A failed write is cut back to here.
    end: u64,
    /// Lines that could not be written yet; they are tried again before the next.
    pending: Vec<String>,
    /// The file as this writer left it.
    stamp: Option<Stamp>,
}

/// What tells of a file that somebody else changed it: which it is, its length, and when it was written.
type Stamp = (u64, u64, u64, Option<SystemTime>);

/// What has become of a log since it was written last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    AsWritten,
    /// There is no file of that name any more.
    Gone,
    /// Another file has its name.
    Replaced,
    /// Somebody else has written into it.
    Changed,
}

impl LogWriter {
    /// Starts a new log. An existing file is not touched.
    ///
    /// # Errors
    /// The file exists, or its folder cannot be written.
    pub fn create(path: &Path, header: String) -> Result<LogWriter, LogError> {
        let io = |source| LogError::Io { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            // It says what is in the way, where the system names no place.
            room_for(folder).map_err(io)?;
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).open(path).map_err(|e| {
                match e.kind() {
                    io::ErrorKind::AlreadyExists => LogError::Exists { path: path.to_path_buf() },
                    _ => io(e),
                }
            })?;
        let mut writer = LogWriter::locked(file, path, 0)?;
        if let Err(error) = writer.append(header) {
            // Nothing is left behind that would look like another's file.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(writer)
    }

    /// Goes on with a log of which the first `intact` bytes are whole records; the rest is cut off, and kept in a file
    /// beside it. It must still have what was `read` of it before it could be locked.
    ///
    /// # Errors
    /// The file cannot be written, or another process writes it or has written it since it was read.
    pub fn resume(path: &Path, intact: u64, read: Contents) -> Result<LogWriter, LogError> {
        let io = |source| LogError::Io { path: path.to_path_buf(), source };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
        let mut writer = LogWriter::locked(file, path, intact)?;
        let mut found = vec![];
        Read::by_ref(&mut writer.file).take(MAX_BYTES as u64 + 1).read_to_end(&mut found).map_err(io)?;
        if Contents::of(&found) != read {
            return Err(LogError::InUse { path: path.to_path_buf() });
        }
        writer.mend().map_err(io)?;
        Ok(writer)
    }

    /// Cuts a torn tail off, and ends the last line.
    fn mend(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end.saturating_sub(1)))?;
        let mut rest = vec![];
        Read::by_ref(&mut self.file).take(MAX_BYTES as u64).read_to_end(&mut rest)?;
        let ended = rest.first().is_none_or(|last| *last == b'\n');
        if rest.len() > 1 {
            keep_beside(&self.path, "torn", &rest[1..])?;
        }
        self.cut_back()?;
        if !ended {
            write_at_end(&mut self.file, b"\n")?;
            self.end += 1;
        }
        self.stamp = self.stamp_now();
        Ok(())
    }

    fn locked(file: File, path: &Path, end: u64) -> Result<LogWriter, LogError> {
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(LogError::InUse { path: path.to_path_buf() });
            }
            // Some file systems have no locks; the log is then only as safe as its user.
            Err(std::fs::TryLockError::Error(_)) => {}
        }
        Ok(LogWriter { file, path: path.to_path_buf(), end, pending: vec![], stamp: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many records wait to be written because the last write failed.
    pub fn unsaved(&self) -> usize {
        self.pending.len()
    }

    /// Appends a line as it stands, and waits until it is on disk.
    ///
    /// # Errors
    /// The line could not be written. It is kept and written before the next one.
    pub fn append(&mut self, line: String) -> Result<(), LogError> {
        self.append_all(vec![line])
    }

    /// Appends lines as they stand, all at once.
    ///
    /// # Errors
    /// As [`LogWriter::append`].
    pub fn append_all(&mut self, lines: Vec<String>) -> Result<(), LogError> {
        self.pending.extend(lines);
        self.flush()
    }

    /// Whether the file is as it was written.
    pub fn fate(&self) -> Fate {
        let Ok(there) = std::fs::metadata(&self.path) else { return Fate::Gone };
        let Ok(ours) = self.file.metadata() else { return Fate::AsWritten };
        if (there.dev(), there.ino()) != (ours.dev(), ours.ino()) {
            Fate::Replaced
        } else if self.stamp.is_some() && self.stamp != self.stamp_now() {
            Fate::Changed
        } else {
            Fate::AsWritten
        }
    }

    /// Writes the whole log anew into the same file, of which another has changed the contents; those are kept in a
    /// file beside it. Nothing is done where they are what they shall be.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn rewrite(&mut self, text: &str) -> io::Result<Option<PathBuf>> {
        let mut found = vec![];
        self.file.seek(SeekFrom::Start(0))?;
        Read::by_ref(&mut self.file).take(MAX_BYTES as u64).read_to_end(&mut found)?;
        self.file.seek(SeekFrom::End(0))?;
        if found == text.as_bytes() {
            self.end = text.len() as u64;
            self.pending.clear();
        }
        // What waits to be written is missing without anybody's doing.
        if usize::try_from(self.end).is_ok_and(|end| text.as_bytes().get(..end) == Some(&found)) {
            return self.write_pending().map(|()| None);
        }
        let kept = keep_beside(&self.path, "damaged", &found)?;
        self.end = 0;
        self.pending = text.lines().map(str::to_owned).collect();
        self.cut_back()?;
        self.write_pending().map(|()| Some(kept))
    }

    fn stamp_now(&self) -> Option<Stamp> {
        let meta = self.file.metadata().ok()?;
        Some((meta.dev(), meta.ino(), meta.len(), meta.modified().ok()))
    }

    /// Tries again to write what waits.
    ///
    /// # Errors
    /// The first line that waits still cannot be written.
    pub fn flush(&mut self) -> Result<(), LogError> {
        self.write_pending().map_err(|source| LogError::Io { path: self.path.clone(), source })
    }

    fn write_pending(&mut self) -> io::Result<()> {
        if !self.pending.is_empty() {
            let bytes: String = self.pending.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            if let Err(error) = write_at_end(&mut self.file, bytes.as_bytes()) {
                // Half a record must not stay: the next write would join it. What is changed so is nobody else's doing.
                let _ = self.cut_back();
                self.stamp = self.stamp_now();
                return Err(error);
            }
            self.end += bytes.len() as u64;
            self.pending.clear();
        }
        self.stamp = self.stamp_now();
        Ok(())
    }

    fn cut_back(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

/// Keeps bytes of a log in a new file beside it.
fn keep_beside(log: &Path, ending: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    for n in 1..1000 {
        let mut name = log.as_os_str().to_owned();
        name.push(if n == 1 { format!(".{ending}") } else { format!(".{ending}{n}") });
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(mut file) => {
                let written = file.write_all(bytes).map(|()| PathBuf::from(&name));
                // What is not whole keeps nothing.
                return written.inspect_err(|_| drop(std::fs::remove_file(&name)));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other(format!("there are too many files `{}.{ending}`", log.display())))
}

fn write_at_end(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_tail_is_cut_and_two_writers_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ron");
        std::fs::write(&path, "one\ntwo\nthr").unwrap();
        let read = Contents::of(b"one\ntwo\nthr");
        let mut w = LogWriter::resume(&path, 8, read).unwrap();
        assert!(matches!(LogWriter::resume(&path, 8, read), Err(LogError::InUse { .. })));
        w.append("Small(3)".into()).unwrap();
        drop(w);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nSmall(3)\n");
        assert_eq!(std::fs::read_to_string(dir.path().join("a.ron.torn")).unwrap(), "thr");
        // A last line that is whole but has no end gets it.
        std::fs::write(&path, "one\ntwo").unwrap();
        LogWriter::resume(&path, 7, Contents::of(b"one\ntwo")).unwrap().append("three".into()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    }

    #[test]
    fn what_was_written_between_reading_and_locking_is_not_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ron");
        let read = Contents::of(b"one\ntwo\n");
        for changed in ["one\ntwo\nthree\n", "one\n", "one\nTWO\n", ""] {
            std::fs::write(&path, changed).unwrap();
            assert!(matches!(LogWriter::resume(&path, 8, read), Err(LogError::InUse { .. })), "{changed}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
        }
        std::fs::write(&path, "one\ntwo\n").unwrap();
        assert!(LogWriter::resume(&path, 8, read).is_ok());
    }

    #[test]
    fn a_full_disk_loses_nothing() {
        // `/dev/full` refuses every write as a full disk does.
        let Ok(file) = OpenOptions::new().write(true).open("/dev/full") else { return };
        let mut w = LogWriter { file, path: "full.ron".into(), end: 0, pending: vec![], stamp: None };
        assert!(w.append("Small(1)".into()).is_err());
        assert!(w.append("Small(2)".into()).is_err());
        assert_eq!(w.unsaved(), 2);
        let dir = tempfile::tempdir().unwrap();
        w.file = File::create(dir.path().join("b.ron")).unwrap();
        w.flush().unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("b.ron")).unwrap(), "Small(1)\nSmall(2)\n");
    }

    /// What fails of a write is not taken for another's, and nothing is kept beside of what nobody has changed.
    #[test]
    fn what_waits_is_nobodys_change() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ron");
        let mut w = LogWriter::create(&path, "one".into()).unwrap();
        // A file that is opened to be read refuses what is written.
        let writable = std::mem::replace(&mut w.file, File::open(&path).unwrap());
        assert!(w.append("two".into()).is_err());
        assert_eq!((w.fate(), w.unsaved()), (Fate::AsWritten, 1));
        let there = || std::fs::read_dir(dir.path()).unwrap().count();
        w.stamp = None;
        assert!(w.rewrite("one\ntwo\n").is_err());
        w.file = writable;
        assert_eq!((w.rewrite("one\ntwo\n").unwrap(), there()), (None, 1));
        assert_eq!((w.unsaved(), std::fs::read_to_string(&path).unwrap().as_str()), (0, "one\ntwo\n"));
        std::fs::write(&path, "other").unwrap();
        assert!(w.rewrite("one\ntwo\n").unwrap().is_some());
        assert_eq!((there(), std::fs::read_to_string(&path).unwrap().as_str()), (2, "one\ntwo\n"));
    }
}
