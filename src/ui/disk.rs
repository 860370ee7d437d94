//! Noticing that the program's file has changed.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::session::files::{Text, read_text};

/// The program's file, looked at again and again.
#[derive(Debug, Default)]
pub struct Watch {
    /// When the file was written and how long it is, as seen last.
    stamp: Option<(SystemTime, u64)>,
    changed: Option<Text>,
}

impl Watch {
    /// What the file holds, if that is another text than `open`. The file is only read when its time or its length
    /// has changed; one that is gone or unreadable counts as unchanged, since editors replace files in two steps.
    pub fn look(&mut self, open: &Text) -> Option<&Text> {
        let path = PathBuf::from(&open.label);
        let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
        let stamp = meta.and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        if stamp.is_some() && stamp != self.stamp {
            let Ok(text) = read_text(&path) else { return self.changed.as_ref() };
            self.stamp = stamp;
            self.changed = (text.digest() != open.digest()).then_some(text);
        }
        self.changed.as_ref()
    }

    /// The changed text is taken over.
    pub fn take(&mut self) -> Option<Text> {
        self.changed.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_text_counts_as_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rise");
        let label = path.display().to_string();
        let text = |text: &str| Text { label: label.clone(), text: text.to_owned() };
        let mut watch = Watch::default();
        assert_eq!(watch.look(&text("one")), None);
        fs::write(&path, "one").unwrap();
        assert_eq!(watch.look(&text("one")), None);
        fs::write(&path, "other").unwrap();
        assert_eq!(watch.look(&text("one")), Some(&text("other")));
        fs::remove_file(&path).unwrap();
        assert_eq!(watch.look(&text("one")), Some(&text("other")));
        assert_eq!(watch.take(), Some(text("other")));
        fs::write(&path, [0xff; 9]).unwrap();
        assert_eq!(watch.look(&text("other")), None);
    }
}
