//! Measurements that tunings took on this machine: one file in the state folder, a line each, by what they are of. At its end
//! each line has its own digest, so that a damaged line is none and costs no other.
//!
//! Several tunings may append at once. What was kept only tells which points are worth comparing: the last few of a
//! tuning are always measured again.

use crate::lang::digest::Digest;
use crate::lang::source::is_harmful;
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
const HEADER: &str = "(measurements: 2)";

/// What came before: its lines do not say on how many threads they were measured, so none of them is used any more.
const BEFORE: &str = "(measurements: 1)";

/// Of more than so many the older half is forgotten.
const MOST: usize = 20_000;

/// No kernel takes less, in nanoseconds: what says so is damaged, or of a clock that says nothing.
const LEAST_NS: f64 = 1.0;

/// A measurement has no more runs.
const MOST_RUNS: usize = 1_000_000;

/// No file of these is longer, in bytes.
const LONGEST: u64 = 32 << 20;

/// A measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename = "measured")]
pub struct Entry {
    /// Digest of kernel, sizes, device, compiler and what else decides how fast it is.
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
            Ok(Found { entries, is_of_before }) => {
                let count = entries.len();
                let kept = Kept {
                    entries: entries.iter().map(|e| (e.key.clone(), e.clone())).collect(),
                    path: Some(path),
                };
                if is_of_before || count > MOST {
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
            text += &sealed(&entry)?;
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
            entries.iter().try_for_each(|e| writeln!(out, "{}", sealed(e)?))
        })
        .and_then(Whole::place);
    }
}

/// A measurement as a line, with the digest of the line at its end.
fn sealed(entry: &Entry) -> io::Result<String> {
    let text = line(entry).map_err(io::Error::other)?;
    Ok(format!("{text} {}", Digest::of(text.as_bytes())))
}

/// The measurement of a line. One that was changed, or not written to its end, is none, and neither is what no tuning measures
/// or what a screen would not show on one line.
fn unsealed(line: &[u8]) -> Option<Entry> {
    let (text, seal) = std::str::from_utf8(line).ok()?.trim_end().rsplit_once(' ')?;
    if Digest::of(text.as_bytes()).to_string() != seal {
        return None;
    }
    let entry: Entry = ron::from_str(text).ok()?;
    let is_measured = entry.median_ns.is_finite() && entry.median_ns >= LEAST_NS;
    let texts = [&entry.kernel, &entry.device].into_iter().chain(&entry.check);
    let is_shown = texts.into_iter().all(|text| !text.contains(|c: char| c.is_control() || is_harmful(c)));
    (is_measured && (1..=MOST_RUNS).contains(&entry.runs) && is_shown).then_some(entry)
}

/// What a file holds.
#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    /// Was it written by the version before, of which nothing is used?
    is_of_before: bool,
}

/// The measurements in a file.
fn read(path: &std::path::Path) -> Result<Found, String> {
    let file = match open_file(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Found::default()),
        Err(_) if path.is_dir() => return Err("is a folder".into()),
        Err(e) => return Err(format!("cannot be read: {e}")),
    };
    let mut bytes = vec![];
    let read = file.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|e| format!("cannot be read: {e}"))?;
    if bytes.len() as u64 > LONGEST {
        return Err("is too long".into());
    }
    let mut lines = bytes.split(|b| *b == b'\n');
    let head = lines.next().unwrap_or_default().trim_ascii_end();
    match std::str::from_utf8(head) {
        Ok("" | HEADER) => {}
        Ok(BEFORE) => return Ok(Found { is_of_before: true, ..Found::default() }),
        Ok(head) if head.starts_with(HEADER.trim_end_matches("2)")) => {
            return Err("was written by another version".into());
        }
        _ => return Err("holds no measurements, but something else".into()),
    }
    Ok(Found { entries: lines.filter_map(unsealed).collect(), is_of_before: false })
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

    /// A line that was damaged costs itself alone, whatever is in it.
    #[test]
    fn a_damaged_line_costs_itself_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("measurements.ron");
        let mut kept = Kept::at(path.clone()).0;
        (1..=4).for_each(|n| assert_eq!(kept.keep(entry(n)), None));
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
        // Another figure, and a byte that is no text.
        lines[1] = text.lines().nth(1).unwrap().replace("median_ns: 1.0", "median_ns: 99991.0").into_bytes();
        assert_ne!(lines[1], text.lines().nth(1).unwrap().as_bytes());
        lines[3][20] = 0xff;
        std::fs::write(&path, [lines.join(&b'\n'), b"\n".to_vec()].concat()).unwrap();
        let (mut again, problem) = Kept::at(path.clone());
        assert_eq!((again.by_device(), problem), (vec![("cpu".to_owned(), 2)], None));
        let is_there = |kept: &Kept, n: u8| kept.get(Digest::of(&[n])).is_some();
        assert_eq!([1, 2, 3, 4].map(|n| is_there(&again, n)), [false, true, false, true]);
        // What is kept from here on is.
        assert_eq!(again.keep(entry(5)), None);
        assert!(is_there(&Kept::at(path).0, 5));
    }

    /// Texts of the file are shown: none of them makes a line of its own, or moves what stands around it.
    #[test]
    fn texts_that_would_not_be_shown_on_one_line_are_no_measurements() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("measurements.ron");
        let mut kept = Kept::at(path.clone()).0;
        let device = "dev\n   99999  fake".to_owned();
        assert_eq!(kept.keep(Entry { device, ..entry(1) }), None);
        let check = Some("ok\nbest      something else".to_owned());
        assert_eq!(kept.keep(Entry { check, ..entry(2) }), None);
        assert_eq!(kept.keep(Entry { kernel: "\u{202e}".into(), ..entry(3) }), None);
        assert_eq!(kept.keep(Entry { runs: usize::MAX, ..entry(4) }), None);
        assert_eq!(kept.keep(Entry { check: Some("agrees".into()), ..entry(5) }), None);
        assert_eq!(Kept::at(path).0.by_device(), [("cpu".to_owned(), 1)]);
    }

    #[test]
    fn what_the_version_before_kept_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("measurements.ron");
        std::fs::write(&path, format!("{BEFORE}\n{}\n", line(&entry(1)).unwrap())).unwrap();
        let (mut kept, problem) = Kept::at(path.clone());
        assert_eq!((kept.by_device(), problem, kept.keep(entry(2))), (vec![], None, None));
        assert_eq!(Kept::at(path.clone()).0.by_device(), [("cpu".to_owned(), 1)]);
        assert!(std::fs::read_to_string(path).unwrap().starts_with(HEADER));
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
