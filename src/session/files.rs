//! The files that a session is made of: the program, the rules and strategies beside it, those of the user's
//! configuration folder and of `--rules`. Nothing is ever read from a folder that merely is the current one.

use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::source::{MAX_SOURCE, Sources};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};

/// A text with the label under which problems in it are reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub label: String,
    pub text: String,
}

impl Text {
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
}

/// Everything that a session is made of, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texts {
    pub program: Text,
    /// Rules and strategies that are not built in, in the order of loading; a later one wins.
    pub files: Vec<Text>,
    /// Sizes that a file `sizes.ron` beside the program gives.
    pub default_sizes: IndexMap<String, i64>,
}

/// Where rules and strategies may come from besides the program's own folder.
#[derive(Clone, Default, Debug)]
pub struct Places {
    /// Folders of `--rules`, in order.
    pub rules: Vec<PathBuf>,
    /// The configuration folder.
    pub config: Option<PathBuf>,
}

/// Reads a program with what stands beside it: `X.rules` and `X.elevate` for `X.rise`, and `sizes.ron`.
///
/// # Errors
/// A file that is missing, unreadable, too large or not text; a folder of `--rules` that is none.
pub fn read(program: &Path, places: &Places) -> Result<Texts, Diagnostic> {
    let text = read_text(program)?;
    let mut files = read_places(places)?;
    for beside in beside(program) {
        if beside.is_file() {
            files.push(read_text(&beside)?);
        }
    }
    let sizes = program.with_file_name("sizes.ron");
    let default_sizes = if sizes.is_file() { parse_sizes(&read_text(&sizes)?)? } else { IndexMap::new() };
    Ok(Texts { program: text, files, default_sizes })
}

/// Where the rules and strategies of a program may stand.
pub fn beside(program: &Path) -> [PathBuf; 2] {
    ["rules", "elevate"].map(|ending| program.with_extension(ending))
}

/// Reads the rules and strategies of the configuration folder and of `--rules`.
///
/// # Errors
/// As [`read`].
pub fn read_places(places: &Places) -> Result<Vec<Text>, Diagnostic> {
    let mut files = vec![];
    if let Some(config) = &places.config {
        files.extend(read_folder(config)?);
    }
    for folder in &places.rules {
        if !folder.is_dir() {
            return Err(Diagnostic::error("E0005", format!("There is no folder `{}`.", folder.display()))
                .hint("`--rules` takes a folder with files that end in .rules or .elevate."));
        }
        files.extend(read_folder(folder)?);
    }
    Ok(files)
}

fn parse_sizes(text: &Text) -> Result<IndexMap<String, i64>, Diagnostic> {
    ron::from_str(&text.text).map_err(|e| {
        Diagnostic::error("E0006", format!("`{}` does not give sizes: {e}.", text.label))
            .hint("Sizes are written as `{ \"m\": 1024, \"n\": 1024 }`.")
    })
}

fn read_folder(folder: &Path) -> Result<Vec<Text>, Diagnostic> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(vec![]) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let wanted = |p: &PathBuf| p.is_file() && p.extension().is_some_and(|e| e == "rules" || e == "elevate");
    paths.iter().filter(|p| wanted(p)).map(|p| read_text(p)).collect()
}

/// Reads a source file.
///
/// # Errors
/// `E0004` when it cannot be read; when it is too large or not text, what [`Sources::add_bytes`] says.
pub fn read_text(path: &Path) -> Result<Text, Diagnostic> {
    let label = path.display().to_string();
    let cannot = |why: String| Diagnostic::error("E0004", format!("`{label}` cannot be read: {why}."));
    let file = std::fs::File::open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => cannot("there is no such file".into())
            .hint("The program is the first argument: `shine-tui PROGRAM.rise`."),
        _ => cannot(e.to_string()),
    })?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(cannot("it is a folder".into()).hint("Name the program file in it."));
    }
    // A pipe has no length, so the reading itself is bounded.
    let mut bytes = vec![];
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_SOURCE as u64 + 1), &mut bytes)
        .map_err(|e| cannot(e.to_string()))?;
    let mut sources = Sources::new();
    let id = sources.add_bytes(&label, &bytes)?;
    let text = sources.get(id).map(|f| f.text.to_string()).unwrap_or_default();
    Ok(Text { label, text })
}

/// The folder of the user's rules, strategies, themes and keys: `SHINE_CONFIG_DIR`, else `shine-tui` in the
/// platform's configuration folder.
pub fn config_folder() -> Option<PathBuf> {
    folder("SHINE_CONFIG_DIR", |s| Some(etcetera::BaseStrategy::config_dir(s)))
}

/// The folder of sessions that have no name yet: `SHINE_STATE_DIR`, else `shine-tui` in the platform's state folder.
pub fn state_folder() -> Option<PathBuf> {
    folder("SHINE_STATE_DIR", etcetera::BaseStrategy::state_dir)
}

fn folder(variable: &str, of: impl Fn(&etcetera::base_strategy::Xdg) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os(variable).filter(|d| !d.is_empty()) {
        return Some(PathBuf::from(dir));
    }
    let strategy = etcetera::base_strategy::Xdg::new().ok()?;
    Some(of(&strategy)?.join("shine-tui"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_a_program_is_read_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        for (name, text) in
            [("a.rise", "def a = 1"), ("a.rules", "--"), ("b.rules", "--"), ("sizes.ron", "{\"m\": 3}")]
        {
            std::fs::write(at(name), text).unwrap();
        }
        let texts = read(&at("a.rise"), &Places::default()).unwrap();
        assert_eq!(texts.files.len(), 1);
        assert_eq!(texts.default_sizes.get("m"), Some(&3));
        let both = read(&at("a.rise"), &Places { rules: vec![dir.path().into()], config: None }).unwrap();
        assert_eq!(both.files.len(), 3);
    }

    #[test]
    fn unreadable_files_are_clear_errors() {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        std::fs::write(at("binary.rise"), [0xff, 0xfe, 0]).unwrap();
        assert_eq!(read_text(&at("none.rise")).unwrap_err().code, "E0004");
        assert_eq!(read_text(&at("binary.rise")).unwrap_err().code, "E0002");
        assert_eq!(read_text(dir.path()).unwrap_err().code, "E0004");
        let large = std::fs::File::create(at("large.rise")).unwrap();
        large.set_len(100 << 20).unwrap();
        assert_eq!(read_text(&at("large.rise")).unwrap_err().code, "E0003");
    }
}
