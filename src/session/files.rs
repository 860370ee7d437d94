//! The files that a session is made of: the program, the rules and strategies beside it, those of the user's
//! configuration folder and of `--rules`. Nothing is ever read from a folder that merely is the current one.

use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::source::{MAX_SOURCE, Sources};
use crate::lang::syntax::ast::{ItemKind, Language};
use crate::lang::syntax::parse;
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
    let mut files = vec![];
    for open in read_places(places)? {
        import(open, &mut files)?;
    }
    for beside in beside(program) {
        if beside.is_file() {
            import(read_text(&beside)?, &mut files)?;
        }
    }
    imports(&text, &mut files)?;
    let sizes = program.with_file_name("sizes.ron");
    let default_sizes = if sizes.is_file() { parse_sizes(&read_text(&sizes)?)? } else { IndexMap::new() };
    Ok(Texts { program: text, files, default_sizes })
}

/// Where the rules and strategies of a program may stand.
pub fn beside(program: &Path) -> [PathBuf; 2] {
    ["rules", "elevate"].map(|ending| program.with_extension(ending))
}

/// Adds a file after those that it imports.
fn import(text: Text, all: &mut Vec<Text>) -> Result<(), Diagnostic> {
    if all.iter().any(|t| t.label == text.label) {
        return Ok(());
    }
    // In its place before its imports are read, so that files that import each other end.
    let at = all.len();
    all.push(text.clone());
    imports(&text, all)?;
    all[at..].rotate_left(1);
    Ok(())
}

/// Adds the files that a text imports: `import lib.tiling` is `lib/tiling.elevate`, `.rules` or, in a program, `.rise`,
/// in the folder of the file that says so.
fn imports(text: &Text, all: &mut Vec<Text>) -> Result<(), Diagnostic> {
    let path = Path::new(&text.label);
    let Some(language) = Language::of_path(&text.label) else { return Ok(()) };
    let endings: &[&str] = match language {
        Language::Program => &["rise"],
        Language::Rules => &["rules"],
        Language::Elevate => &["elevate", "rules"],
    };
    let mut sources = Sources::new();
    let (tree, _) = parse(language, sources.add(&text.label, &text.text), &text.text);
    for item in &tree.items {
        let ItemKind::Import(parts) = &item.kind else { continue };
        let names: Vec<&str> = parts.iter().map(|part| &*part.kind).collect();
        let wanted = path.with_file_name(names.join("/"));
        let files = endings.iter().map(|ending| wanted.with_extension(ending)).filter(|f| f.is_file());
        let files: Vec<PathBuf> = files.collect();
        if files.is_empty() {
            let problem = Diagnostic::error("E0034", format!("There is no module `{}`.", names.join(".")));
            return Err(problem.note(format!("`{}` imports it.", text.label)).hint(format!(
                "A module is a file: `{}.{}`.",
                wanted.display(),
                endings[0]
            )));
        }
        for file in files {
            import(read_text(&file)?, all)?;
        }
    }
    Ok(())
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
            return Err(Diagnostic::error("E0007", format!("There is no folder `{}`.", folder.display()))
                .hint("`--rules` takes a folder with files that end in .rules or .elevate."));
        }
        files.extend(read_folder(folder)?);
    }
    Ok(files)
}

fn parse_sizes(text: &Text) -> Result<IndexMap<String, i64>, Diagnostic> {
    ron::from_str(&text.text).map_err(|e| {
        Diagnostic::error("E0008", format!("`{}` does not give sizes: {e}.", text.label))
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
        _ => cannot(e.to_string()).hint("Check who may read it and the folders that it is in."),
    })?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(cannot("it is a folder".into()).hint("Name the program file in it."));
    }
    // A pipe has no length, so the reading itself is bounded.
    let mut bytes = vec![];
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_SOURCE as u64 + 1), &mut bytes)
        .map_err(|e| cannot(e.to_string()).hint("Copy it, and try with the copy."))?;
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
        assert_eq!(both.files.len(), 2, "none is read twice");
    }

    #[test]
    fn imported_modules_come_first_and_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        std::fs::create_dir(at("lib")).unwrap();
        for (name, text) in [
            ("a.rise", "import lib.parts\ndef a (x: n.f32): n.f32 = x |> map twice"),
            ("lib/parts.rise", "def twice (x: f32): f32 = x * 2"),
            ("a.elevate", "import lib.one\nimport lib.two\nstrategy a = first ; second"),
            ("lib/one.elevate", "import two\nstrategy first = second"),
            ("lib/one.rules", "rule own = map f x ~> mapSeq f x"),
            ("lib/two.elevate", "import one\nstrategy second = id"),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        let texts = read(&at("a.rise"), &Places::default()).unwrap();
        let short = |t: &Text| t.label.rsplit('/').next().unwrap().to_owned();
        let names: Vec<String> = texts.files.iter().map(short).collect();
        assert_eq!(names, ["one.rules", "two.elevate", "one.elevate", "a.elevate", "parts.rise"]);
        let loaded = crate::session::workspace::Workspace::load(&texts, None);
        let workspace = loaded.unwrap_or_else(|p| panic!("{}", p.first()));
        assert!(workspace.script.strategy("second").is_some() && workspace.rules.get("own").is_some());
        std::fs::write(at("a.elevate"), "import lib.three").unwrap();
        assert_eq!(read(&at("a.rise"), &Places::default()).unwrap_err().code, "E0034");
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
