//! Whether the files from which a session was made still have the text that it holds: a session that holds its own program
//! replays however that was changed since, unless it is to be replayed with what is there now.

use super::files::read_text;
use super::known;
use super::log::{self, Entry, v1};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};

/// The files that have another text than the session holds: its program, and the rules and strategies that stand beside a
/// program. They are looked for where this machine read them, and else in the folder of the session. Of a label, which
/// anybody may have written, only the name of the file counts. By label: where each lies and what is there.
pub fn changed(session: &Path, bytes: &[u8]) -> IndexMap<String, (PathBuf, String)> {
    let Ok(log) = log::parse(bytes) else { return IndexMap::new() };
    let texts = texts(&log.header, &log.entries);
    let origin = known::of(session, &log.header_line).map(|known| known.origin());
    let stem = |label: &str| Some(Path::new(label).file_stem()?.to_owned());
    let program = stem(&log.header.program.label);
    let folder = session.parent().unwrap_or(Path::new(""));
    let mut out = IndexMap::new();
    for (label, text) in texts {
        let is_program = label == log.header.program.label;
        let read_here = origin.as_ref().and_then(|origin| match is_program {
            true => origin.program.clone(),
            false => origin.files.get(&label).cloned(),
        });
        let name = Path::new(&label).file_name();
        let stands_beside = stem(&label) == program && is_source(&label);
        let in_folder = name.filter(|_| stands_beside).map(|name| folder.join(name));
        // A file that is not where it was read any more may lie beside the session by now.
        let Some(path) = read_here.filter(|path| path.exists()).or(in_folder) else { continue };
        let there = read_text(&path).ok().map(|there| there.text).filter(|there| *there != text);
        if let Some(there) = there {
            out.insert(label, (path, there));
        }
    }
    out
}

/// What the session holds at its end, by label.
fn texts(header: &v1::Header, entries: &[Entry]) -> IndexMap<String, String> {
    let first = std::iter::once(&header.program).chain(&header.files);
    let mut texts: IndexMap<String, String> = first.map(|t| (t.label.clone(), t.text.clone())).collect();
    for entry in entries {
        match entry {
            Entry::Known { record: v1::Record { action: v1::Action::Reload { text, .. }, .. }, .. } => {
                texts.insert(header.program.label.clone(), text.clone());
            }
            Entry::Known { record: v1::Record { action: v1::Action::Definitions { files }, .. }, .. } => {
                texts.extend(files.clone());
            }
            _ => {}
        }
    }
    texts
}

/// Puts other texts in the place of those that a session holds, wherever it takes them up.
pub(super) fn take_over(log: &mut log::Log, texts: &IndexMap<String, String>) {
    let v1::Header { program, files, .. } = &mut log.header;
    for text in std::iter::once(program).chain(files) {
        text.text = texts.get(&text.label).unwrap_or(&text.text).clone();
    }
    for entry in &mut log.entries {
        let Entry::Known { record, .. } = entry else { continue };
        match &mut record.action {
            v1::Action::Reload { label, text } => *text = texts.get(label).unwrap_or(text).clone(),
            v1::Action::Definitions { files } => {
                for (label, text) in files {
                    *text = texts.get(label).unwrap_or(text).clone();
                }
            }
            _ => {}
        }
    }
}

fn is_source(label: &str) -> bool {
    Path::new(label).extension().is_some_and(|e| ["rise", "rules", "elevate"].iter().any(|of| e == *of))
}
