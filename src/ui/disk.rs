//! Noticing that the program's file has changed, or its rules and strategies.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use indexmap::IndexMap;

use crate::session::files::{Text, Texts, beside, read_text};

/// The files of rules and strategies, those that may appear beside the program included.
#[derive(Debug, Default)]
pub struct Definitions {
    watches: IndexMap<String, Watch>,
}

impl Definitions {
    /// Whether a file holds another text than the one that is open.
    pub fn look(&mut self, open: &Texts) -> bool {
        let of = |t: &Text| Some((t.label.clone(), open.origin.files.get(&t.label)?.clone()));
        let mut files: Vec<(String, PathBuf)> = open.files.iter().filter_map(of).collect();
        for path in open.origin.program.iter().flat_map(|program| beside(program)) {
            if files.iter().all(|(_, known)| *known != path) {
                files.push((path.display().to_string(), path));
            }
        }
        let mut changed = false;
        for (label, path) in files {
            let known = open.files.iter().find(|t| t.label == label).cloned();
            let text = known.unwrap_or_else(|| Text { label: label.clone(), text: String::new() });
            changed |= self.watches.entry(label).or_default().look(&path, &text).is_some();
        }
        changed
    }

    /// How often files were read.
    pub fn times(&self) -> u64 {
        self.watches.values().map(Watch::times).sum()
    }

    /// All rules and strategies with the changed texts.
    pub fn changed(&self, open: &Texts) -> Vec<Text> {
        let mut files = open.files.clone();
        for changed in self.watches.values().filter_map(|watch| watch.changed.clone()) {
            match files.iter_mut().find(|t| t.label == changed.label) {
                Some(known) => *known = changed,
                None => files.push(changed),
            }
        }
        files
    }

    /// The changed texts are taken over.
    pub fn taken(&mut self) {
        self.watches.values_mut().for_each(|watch| watch.changed = None);
    }
}

/// The program's file, looked at again and again.
#[derive(Debug, Default)]
pub struct Watch {
    /// When the file was written and how long it is, as seen last.
    stamp: Option<(SystemTime, u64)>,
    changed: Option<Text>,
    times: u64,
}

impl Watch {
    /// What the file holds, if that is another text than `open`. The file is only read when its time or its length
    /// has changed; one that is gone or unreadable counts as unchanged, since editors replace files in two steps.
    pub fn look(&mut self, file: &Path, open: &Text) -> Option<&Text> {
        let meta = fs::metadata(file).ok().filter(fs::Metadata::is_file);
        let stamp = meta.and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        if stamp.is_some() && stamp != self.stamp {
            let Ok(read) = read_text(file) else { return self.changed.as_ref() };
            self.stamp = stamp;
            self.times += 1;
            let text = Text { label: open.label.clone(), text: read.text };
            self.changed = (text.digest() != open.digest()).then_some(text);
        }
        self.changed.as_ref()
    }

    /// How often the file was read.
    pub fn times(&self) -> u64 {
        self.times
    }

    /// The changed text.
    pub fn changed(&self) -> Option<&Text> {
        self.changed.as_ref()
    }

    /// The changed text is taken over.
    pub fn taken(&mut self) {
        self.changed = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_text_counts_as_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rise");
        // A label is no path: nothing is opened by it.
        let text = |text: &str| Text { label: "/dev/full".into(), text: text.to_owned() };
        let mut watch = Watch::default();
        assert_eq!(watch.look(&path, &text("one")), None);
        fs::write(&path, "one").unwrap();
        assert_eq!(watch.look(&path, &text("one")), None);
        fs::write(&path, "other").unwrap();
        assert_eq!(watch.look(&path, &text("one")), Some(&text("other")));
        fs::remove_file(&path).unwrap();
        assert_eq!(watch.look(&path, &text("one")), Some(&text("other")));
        assert_eq!(watch.changed(), Some(&text("other")));
        watch.taken();
        fs::write(&path, [0xff; 9]).unwrap();
        assert_eq!(watch.look(&path, &text("other")), None);
    }
}
