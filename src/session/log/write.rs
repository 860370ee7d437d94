//! Writing session logs: each record is on disk before the next action, and a failed write loses nothing.

use super::{line, v1};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

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
}

impl LogWriter {
    /// Starts a new log. An existing file is not touched.
    ///
    /// # Errors
    /// The file exists, or its folder cannot be written.
    pub fn create(path: &Path, header: &v1::Header) -> Result<LogWriter, LogError> {
        let io = |source| LogError::Io { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
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
        writer.append(header)?;
        Ok(writer)
    }

    /// Goes on with a log of which the first `intact` bytes are whole records; the rest is cut off.
    ///
    /// # Errors
    /// The file cannot be written, or another process writes it.
    pub fn resume(path: &Path, intact: u64) -> Result<LogWriter, LogError> {
        let io = |source| LogError::Io { path: path.to_path_buf(), source };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
        let mut writer = LogWriter::locked(file, path, intact)?;
        writer.cut_back().map_err(io)?;
        Ok(writer)
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
        Ok(LogWriter { file, path: path.to_path_buf(), end, pending: vec![] })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many records wait to be written because the last write failed.
    pub fn unsaved(&self) -> usize {
        self.pending.len()
    }

    /// Appends a value as a line and waits until it is on disk.
    ///
    /// # Errors
    /// The value could not be written. It is kept and written before the next one.
    pub fn append<T: serde::Serialize>(&mut self, value: &T) -> Result<(), LogError> {
        let text =
            line(value).map_err(|e| LogError::Io { path: self.path.clone(), source: io::Error::other(e) })?;
        self.append_line(text)
    }

    /// Appends a line as it stands: a record that another version wrote.
    ///
    /// # Errors
    /// As [`LogWriter::append`].
    pub fn append_line(&mut self, text: String) -> Result<(), LogError> {
        self.pending.push(text);
        self.flush()
    }

    /// Tries again to write what waits.
    ///
    /// # Errors
    /// The first line that waits still cannot be written.
    pub fn flush(&mut self) -> Result<(), LogError> {
        while let Some(text) = self.pending.first() {
            let bytes = format!("{text}\n");
            if let Err(source) = write_at_end(&mut self.file, bytes.as_bytes()) {
                // Half a record must not stay: the next write would join it.
                let _ = self.cut_back();
                return Err(LogError::Io { path: self.path.clone(), source });
            }
            self.end += bytes.len() as u64;
            self.pending.remove(0);
        }
        Ok(())
    }

    fn cut_back(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

fn write_at_end(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Serialize)]
    struct Small(u32);

    #[test]
    fn a_damaged_tail_is_cut_and_two_writers_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ron");
        std::fs::write(&path, "one\ntwo\nthr").unwrap();
        let mut w = LogWriter::resume(&path, 8).unwrap();
        assert!(matches!(LogWriter::resume(&path, 8), Err(LogError::InUse { .. })));
        w.append(&Small(3)).unwrap();
        drop(w);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nSmall(3)\n");
    }

    #[test]
    fn a_full_disk_loses_nothing() {
        // `/dev/full` refuses every write as a full disk does.
        let Ok(file) = OpenOptions::new().write(true).open("/dev/full") else { return };
        let mut w = LogWriter { file, path: "full.ron".into(), end: 0, pending: vec![] };
        assert!(w.append(&Small(1)).is_err());
        assert!(w.append(&Small(2)).is_err());
        assert_eq!(w.unsaved(), 2);
        let dir = tempfile::tempdir().unwrap();
        w.file = File::create(dir.path().join("b.ron")).unwrap();
        w.flush().unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("b.ron")).unwrap(), "Small(1)\nSmall(2)\n");
    }
}
