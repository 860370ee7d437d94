//! Whether the files from which a session was made still have the text that it holds: a session that holds its own program
//! replays however that was changed since, unless it is to be replayed with what is there now.

use super::files::read_text;
use super::known;
use super::log::{self, Entry, v1};
use indexmap::IndexMap;
use std::path::{Component, Path, PathBuf};

/// A text that a session holds, and the file that it was read from.
struct Looked {
    label: String,
    text: String,
    /// None where nothing says where that may be.
    path: Option<PathBuf>,
    /// It is the program, or rules or strategies of its name.
    is_of_program: bool,
}

/// The files that a session was made from: its program, and the rules and strategies that stand beside a program. They are looked for
/// where this machine read them, and else in the folder of the session. Of a label, which anybody may have written, only the name of
/// the file counts; where it is a way down from the program to another source, as imports are, that way counts in this folder.
fn looked_for(session: &Path, bytes: &[u8]) -> Vec<Looked> {
    let Ok(log) = log::parse(bytes) else { return vec![] };
    let origin = known::of(session, &log.header_line).map(|known| known.origin());
    let stem = |label: &str| Some(Path::new(label).file_stem()?.to_owned());
    let program = stem(&log.header.program.label);
    let folder = session.parent().unwrap_or(Path::new(""));
    let look = |(label, text): (String, String)| {
        let is_program = label == log.header.program.label;
        let read_here = origin.as_ref().and_then(|origin| match is_program {
            true => origin.program.clone(),
            false => origin.files.get(&label).cloned(),
        });
        let is_of_program = stem(&label) == program && is_source(&label);
        let in_folder = match Path::new(&label).file_name().filter(|_| is_of_program) {
            Some(name) => Some(folder.join(name)),
            None => below(folder, &log.header.program.label, &label),
        };
        // A file that is not where it was read any more may lie beside the session by now.
        let path = read_here.filter(|path| path.exists()).or(in_folder);
        Looked { label, text, path, is_of_program }
    };
    texts(&log.header, &log.entries).into_iter().map(look).collect()
}

/// Where a source lies in the folder of a session, if it lay below the program's folder or is named from where that was, and is
/// there. Nothing outside of the folder is looked at, by whatever links it is reached.
fn below(folder: &Path, program: &str, label: &str) -> Option<PathBuf> {
    let label = Path::new(label);
    let way = label.strip_prefix(Path::new(program).parent()?).unwrap_or(label);
    let is_down = way.components().all(|step| matches!(step, Component::Normal(_)));
    let file = folder.join(Some(way).filter(|way| is_down && is_source(&way.to_string_lossy()))?);
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    real(&file)?.starts_with(real(here)?).then_some(file)
}

/// A file that has another text than a session holds.
#[derive(Clone, Debug)]
pub struct Changed {
    pub path: PathBuf,
    /// What the session holds.
    pub held: String,
    /// What is there.
    pub there: String,
}

/// The files that have another text than the session holds, by label.
pub fn changed(session: &Path, bytes: &[u8]) -> IndexMap<String, Changed> {
    let mut out = IndexMap::new();
    for Looked { label, text: held, path, .. } in looked_for(session, bytes) {
        let Some(path) = path else { continue };
        let there = read_text(&path).ok().map(|there| there.text).filter(|there| *there != held);
        if let Some(there) = there {
            out.insert(label, Changed { path, held, there });
        }
    }
    out
}

/// The files that are not there.
#[derive(Default)]
pub struct Gone {
    /// Those of the program's name, where they were looked for.
    pub of_program: Vec<PathBuf>,
    /// Others, by label.
    pub others: Vec<String>,
}

/// The files that a session was made from and that cannot be read any more.
pub fn gone(session: &Path, bytes: &[u8]) -> Gone {
    let mut gone = Gone::default();
    for Looked { label, path, is_of_program, .. } in looked_for(session, bytes) {
        match path {
            Some(path) if read_text(&path).is_ok() => {}
            Some(path) if is_of_program => gone.of_program.push(path),
            _ => gone.others.push(label),
        }
    }
    gone
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
pub(super) fn take_over(log: &mut log::Log, texts: &IndexMap<String, Changed>) {
    let take = |label: &str, text: &mut String| {
        if let Some(file) = texts.get(label) {
            text.clone_from(&file.there);
        }
    };
    let v1::Header { program, files, .. } = &mut log.header;
    for text in std::iter::once(program).chain(files) {
        take(&text.label, &mut text.text);
    }
    for entry in &mut log.entries {
        let Entry::Known { record, .. } = entry else { continue };
        match &mut record.action {
            v1::Action::Reload { label, text } => take(label, text),
            v1::Action::Definitions { files } => files.iter_mut().for_each(|(label, text)| take(label, text)),
            _ => {}
        }
    }
}

fn is_source(label: &str) -> bool {
    Path::new(label).extension().is_some_and(|e| ["rise", "rules", "elevate"].iter().any(|of| e == *of))
}
