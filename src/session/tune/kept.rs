//! Measurements that tunings took on this machine: one file in the state folder, a line each, by what they are of.
//!
//! Several tunings may append at once. What was kept only tells which points are worth comparing: the last few of a
//! tuning are always measured again.

use crate::lang::digest::Digest;
use crate::session::files::{no_state_folder, open_file, state_folder};
use crate::session::log::line;
use crate::session::whole::Whole;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// The first line of the file.
const HEADER: &str = "(measurements: 1)";

/// Of more than so many the older half is forgotten.
const MOST: usize = 20_000;

/// No kernel takes less, in nanoseconds: what says so is damaged, or of a clock that says nothing.
const LEAST_NS: f64 = 1.0;

/// No file of these is longer, in bytes.
const LONGEST: u64 = 32 << 20;

/// A measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename = "measured")]
pub struct Entry {
    /// Digest of kernel, sizes, device and compiler.
    pub key: String,
    pub kernel: String,
    pub device: String,
    pub median_ns: f64,
    pub runs: usize,
    /// How it was checked at small and odd sizes, if it was.
    pub check: Option<String>,
}

/// All measurements that are kept.
#[derive(Default)]
pub struct Kept {
    entries: HashMap<String, Entry>,
    /// Where to append; none where that is not possible.
    path: Option<PathBuf>,
}

/// The file, whether or not it is there.
pub fn path() -> Option<PathBuf> {
    Some(state_folder()?.join("measurements.ron"))
}

impl Kept {
    /// Reads what there is; what is wrong with it, as a full sentence. Then nothing is kept.
    pub fn open() -> (Kept, Option<String>) {
        match (path(), no_state_folder()) {
            (None, _) => (Kept::default(), None),
            (_, Some(problem)) => {
                let all: Vec<&str> =
                    [&problem.message].into_iter().chain(&problem.hints).map(|s| &**s).collect();
                (Kept::default(), Some(all.join(" ")))
            }
            (Some(path), None) => Kept::at(path),
        }
    }

    pub(super) fn at(path: PathBuf) -> (Kept, Option<String>) {
        match read(&path) {
            Ok(entries) => {
                let count = entries.len();
                let kept = Kept {
                    entries: entries.iter().map(|e| (e.key.clone(), e.clone())).collect(),
                    path: Some(path),
                };
                if count > MOST {
                    kept.rewrite(&entries[count / 2..]);
                }
                (kept, None)
            }
            Err(why) => {
                let forget = match path.is_dir() {
                    // It is not of this program's making.
                    true => "Move it away",
                    false => "`shine-tui tune --forget` removes it",
                };
                let path = path.display();
                (Kept::default(), Some(format!("Measurements are not kept: `{path}` {why}. {forget}.")))
            }
        }
    }

    pub fn get(&self, key: Digest) -> Option<&Entry> {
        self.entries.get(&key.to_string())
    }

    /// All of them, by device.
    pub fn by_device(&self) -> Vec<(String, usize)> {
        let mut all: Vec<(String, usize)> = vec![];
        for entry in self.entries.values() {
            match all.iter_mut().find(|(device, _)| *device == entry.device) {
                Some((_, count)) => *count += 1,
                None => all.push((entry.device.clone(), 1)),
            }
        }
        all.sort();
        all
    }

    /// Keeps a measurement; why it cannot be kept, once, as a full sentence.
    pub fn keep(&mut self, entry: Entry) -> Option<String> {
        let path = self.path.clone()?;
        let append = || -> io::Result<()> {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let mut file = std::fs::OpenOptions::new().read(true).append(true).create(true).open(&path)?;
            flock(&file, FlockOperation::LockExclusive)?;
            let mut last = [b'\n'];
            let len = file.metadata()?.len();
            if len > 0 {
                file.read_exact_at(&mut last, len - 1)?;
            }
            // A line that was cut off stays one of its own.
            let mut text = match (len, last) {
                (0, _) => format!("{HEADER}\n"),
                (_, [b'\n']) => String::new(),
                _ => "\n".to_owned(),
            };
            text += &line(&entry).map_err(io::Error::other)?;
            text.push('\n');
            file.write_all(text.as_bytes())
        };
        let done = append();
        self.entries.insert(entry.key.clone(), entry);
        done.err().map(|e| {
            self.path = None;
            format!("Measurements are not kept from here on: `{}` cannot be written: {e}.", path.display())
        })
    }

    fn rewrite(&self, entries: &[Entry]) {
        let Some(path) = &self.path else { return };
        // That the file stays as long as it is does no harm now.
        let _ = Whole::write(path, true, |out| {
            writeln!(out, "{HEADER}")?;
            entries.iter().try_for_each(|e| writeln!(out, "{}", line(e).map_err(io::Error::other)?))
        })
        .and_then(Whole::place);
    }
}

/// The measurements in a file; a line that was not written to its end is none.
fn read(path: &std::path::Path) -> Result<Vec<Entry>, String> {
    let file = match open_file(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(_) if path.is_dir() => return Err("is a folder".into()),
        Err(e) => return Err(format!("cannot be read: {e}")),
    };
    let mut text = String::new();
    let read = file.take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|e| format!("cannot be read: {e}"))?;
    if text.len() as u64 > LONGEST {
        return Err("is too long".into());
    }
    let mut lines = text.lines();
    match lines.next() {
        None | Some(HEADER) => {}
        Some(head) if head.starts_with(HEADER.trim_end_matches("1)")) => {
            return Err("was written by another version".into());
        }
        Some(_) => return Err("holds no measurements, but something else".into()),
    }
    let is_measurement = |e: &Entry| e.median_ns.is_finite() && e.median_ns >= LEAST_NS && e.runs > 0;
    Ok(lines.filter_map(|l| ron::from_str(l).ok()).filter(is_measurement).collect())
}

/// Forgets all measurements; false where there were none.
///
/// # Errors
/// The system's.
pub fn forget() -> io::Result<bool> {
    match path().map(std::fs::remove_file) {
        None => Ok(false),
        Some(Err(e)) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Some(done) => done.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u8) -> Entry {
        let key = Digest::of(&[n]).to_string();
        Entry { key, kernel: "b3:".into(), device: "cpu".into(), median_ns: 1.0, runs: 1, check: None }
    }

    #[test]
    fn two_tunings_keep_what_both_measured() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/measurements.ron");
        let ((mut a, _), (mut b, _)) = (Kept::at(path.clone()), Kept::at(path.clone()));
        assert_eq!((a.keep(entry(1)), b.keep(entry(2)), a.keep(entry(3))), (None, None, None));
        let (all, problem) = Kept::at(path.clone());
        assert_eq!((all.by_device(), problem), (vec![("cpu".to_owned(), 3)], None));
        assert_eq!(all.get(Digest::of(&[2])), Some(&entry(2)));
        // A line that was cut off is none.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        assert_eq!(Kept::at(path).0.by_device(), [("cpu".to_owned(), 2)]);
    }

    #[test]
    fn what_another_version_wrote_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("measurements.ron");
        let other = "(measurements: 9)\n(other)\n";
        std::fs::write(&path, other).unwrap();
        let (mut kept, problem) = Kept::at(path.clone());
        assert!(problem.is_some_and(|p| p.contains("another version") && p.contains("--forget")));
        assert_eq!(kept.keep(entry(1)), None);
        assert_eq!(std::fs::read_to_string(path).unwrap(), other);
    }

    #[test]
    fn what_is_no_measurement_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("measurements.ron");
        let (mut kept, _) = Kept::at(path.clone());
        for (n, (median_ns, runs)) in
            [(0.0, 5), (1e-300, 5), (5.0, 0), (f64::NAN, 5), (-1.0, 5), (5.0, 5)].into_iter().enumerate()
        {
            assert_eq!(kept.keep(Entry { median_ns, runs, ..entry(n as u8) }), None);
        }
        let (again, problem) = Kept::at(path.clone());
        assert_eq!((again.by_device(), problem), (vec![("cpu".to_owned(), 1)], None));
        assert!(again.get(Digest::of(&[5])).is_some());
        // What is no such file is not said to be one of another version, nor a folder to be removed.
        std::fs::write(&path, "\u{1}garbage\n").unwrap();
        let problem = Kept::at(path.clone()).1.unwrap();
        assert!(problem.contains("something else") && problem.contains("--forget"), "{problem}");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let problem = Kept::at(path).1.unwrap();
        assert!(problem.contains("is a folder. Move it away.") && !problem.contains("--forget"), "{problem}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("state"), "a file").unwrap();
        let mut kept = Kept { path: Some(dir.path().join("state/measurements.ron")), ..Kept::default() };
        assert!(kept.keep(entry(1)).is_some_and(|p| p.contains("cannot be written")));
        assert_eq!(kept.keep(entry(2)), None);
        assert!(kept.get(Digest::of(&[2])).is_none() && kept.get(Digest::of(&[1])).is_some());
    }

    #[test]
    fn a_full_disk_is_told_and_nothing_is_lost() {
        let mut kept = Kept { path: Some("/dev/full".into()), ..Kept::default() };
        assert!(kept.keep(entry(1)).is_some_and(|p| p.contains("No space left")));
        assert!(kept.get(Digest::of(&[1])).is_some());
    }
}
