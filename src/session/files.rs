//! The files that a session is made of: the program, the rules and strategies beside it, those of the user's
//! configuration folder and of `--rules`. Nothing is ever read from a folder that merely is the current one.

use super::whole::in_place_of;
use crate::lang::diag::{Diagnostic, nearest};
use crate::lang::digest::Digest;
use crate::lang::source::{MAX_SOURCE, Sources};
use crate::lang::syntax::ast::{ItemKind, Language};
use crate::lang::syntax::parse;
use indexmap::IndexMap;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::{DirEntry, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
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
    pub origin: Origin,
}

/// Where texts lie on this machine. It is known of files that this machine read itself and of nothing else: a label
/// is what somebody wrote into a log, and may be an option of an editor or a path that means harm.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Origin {
    pub program: Option<PathBuf>,
    /// By label.
    pub files: IndexMap<String, PathBuf>,
    /// The folders of `--rules`, in order.
    pub rules: Vec<PathBuf>,
    /// The configuration folder.
    pub config: Option<PathBuf>,
}

impl Origin {
    /// The folders of which all files are read, in the order of loading.
    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.config.iter().chain(&self.rules)
    }

    /// The files of rules and strategies that would be read now and were not: they have appeared in a folder, or may appear
    /// beside the program. A folder that cannot be read has none.
    pub fn unread(&self) -> Vec<PathBuf> {
        let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let in_folders = self.folders().filter_map(|folder| definitions_in(folder).ok()).flatten();
        let beside = self.program.iter().flat_map(|program| beside(program));
        let is_new = |path: &PathBuf| self.files.values().all(|known| known != path);
        let new: Vec<PathBuf> = in_folders.chain(beside).filter(is_new).collect();
        if new.is_empty() {
            return new;
        }
        // The same file may be known by another path.
        let mut known: Vec<PathBuf> = self.files.values().map(real).collect();
        let mut is_first = |path: &PathBuf| {
            let real = real(path);
            let is_first = !known.contains(&real);
            known.push(real);
            is_first
        };
        new.into_iter().filter(|path| is_first(path)).collect()
    }

    /// Where a file that was not read comes among those that were, so that the same text wins as if all were read anew.
    pub fn place_of(&self, new: &Path, open: &[Text]) -> usize {
        let folder = |path: &Path| self.folders().position(|folder| path.parent() == Some(folder));
        let Some(own) = folder(new) else { return open.len() };
        // What has appeared before this one has its path for a label.
        let path = |text: &Text| self.files.get(&text.label).cloned().unwrap_or_else(|| (&text.label).into());
        let is_before = |path: PathBuf| folder(&path).is_some_and(|other| (other, &*path) < (own, new));
        open.iter().rposition(|text| is_before(path(text))).map_or(0, |last| last + 1)
    }
}

/// Where rules and strategies may come from besides the program's own folder.
#[derive(Clone, Default, Debug)]
pub struct Places {
    /// Folders of `--rules`, in order.
    pub rules: Vec<PathBuf>,
    /// The configuration folder.
    pub config: Option<PathBuf>,
}

/// The name of the file that gives sizes to the programs beside it.
const SIZES: &str = "sizes.ron";

/// Reads a program with what stands beside it: `X.rules` and `X.elevate` for `X.rise`, and `sizes.ron`.
///
/// # Errors
/// A file that is missing, unreadable, too large or not text; a folder of `--rules` that is none.
pub fn read(program: &Path, places: &Places) -> Result<Texts, Diagnostic> {
    let own = read_found(program)?;
    let mut all = with_imports(found_places(places)?)?;
    for beside in beside(program) {
        if beside.is_dir() {
            in_the_place_of_a_file(&beside, places)?;
        } else if beside.exists() {
            import(read_found(&beside)?, &mut vec![], &mut all)?;
        }
    }
    imports(&own, &mut vec![], &mut all)?;
    let sizes = program.with_file_name(SIZES);
    let default_sizes = if sizes.exists() { parse_sizes(&read_text(&sizes)?)? } else { IndexMap::new() };
    let files = all.iter().map(|f| (f.text.label.clone(), f.path.clone())).collect();
    let (rules, config) = (places.rules.clone(), places.config.clone());
    let origin = Origin { program: Some(own.path), files, rules, config };
    Ok(Texts { program: own.text, files: all.into_iter().map(|f| f.text).collect(), default_sizes, origin })
}

/// Where the rules and strategies of a program may stand.
pub fn beside(program: &Path) -> [PathBuf; 2] {
    ["rules", "elevate"].map(|ending| program.with_extension(ending))
}

/// A folder where a file of rules or strategies is looked for, unless it is one of those of `--rules`.
fn in_the_place_of_a_file(folder: &Path, places: &Places) -> Result<(), Diagnostic> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if places.rules.iter().any(|given| real(given) == real(folder)) {
        return Ok(());
    }
    let shown = folder.display();
    let what = if folder.extension().is_some_and(|e| e == "rules") { "rules" } else { "strategies" };
    let message =
        format!("`{shown}` is a folder, and the {what} beside the program are a file of this name.");
    Err(Diagnostic::error("E0004", message).hint(format!(
        "Give the folder another name; what it holds is read where it is given as `--rules {shown}`."
    )))
}

/// A text with the file that it was read from.
struct Found {
    path: PathBuf,
    /// The path without links and detours, by which files are told apart.
    real: PathBuf,
    text: Text,
}

fn read_found(path: &Path) -> Result<Found, Diagnostic> {
    let text = read_text(path)?;
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Ok(Found { path: path.to_owned(), real, text })
}

/// Adds a file after those that it imports. `chain` are the programs that led here.
fn import(file: Found, chain: &mut Vec<(PathBuf, String)>, all: &mut Vec<Found>) -> Result<(), Diagnostic> {
    if all.iter().any(|f| f.real == file.real) {
        return Ok(());
    }
    let program = Language::of_path(&file.text.label) == Some(Language::Program);
    if program {
        // A definition is unfolded where it is used, so programs must come one after the other.
        imports(&file, chain, all)?;
        all.push(file);
        return Ok(());
    }
    // Strategies and rules may use each other: in its place before its imports are read, so that this ends.
    let at = all.len();
    let (path, real, text) = (file.path.clone(), file.real.clone(), file.text.clone());
    all.push(Found { path, real, text });
    imports(&file, chain, all)?;
    all[at..].rotate_left(1);
    Ok(())
}

/// Adds the files that a text imports: `import lib.tiling` is `lib/tiling.elevate`, `.rules` or, in a program, `.rise`,
/// in the folder of the file that says so.
fn imports(of: &Found, chain: &mut Vec<(PathBuf, String)>, all: &mut Vec<Found>) -> Result<(), Diagnostic> {
    let Some(language) = Language::of_path(&of.text.label) else { return Ok(()) };
    let endings: &[&str] = match language {
        Language::Program => &["rise"],
        Language::Rules => &["rules"],
        Language::Elevate => &["elevate", "rules"],
    };
    let mut sources = Sources::new();
    let (tree, _) = parse(language, sources.add(&of.text.label, &of.text.text), &of.text.text);
    chain.push((of.real.clone(), of.text.label.clone()));
    for item in &tree.items {
        let ItemKind::Import(parts) = &item.kind else { continue };
        let names: Vec<&str> = parts.iter().map(|part| &*part.kind).collect();
        let wanted = of.path.with_file_name(names.join("/"));
        let files = endings.iter().map(|ending| wanted.with_extension(ending)).filter(|f| f.exists());
        let files: Vec<PathBuf> = files.collect();
        if files.is_empty() {
            let problem = Diagnostic::error("E0034", format!("There is no module `{}`.", names.join(".")));
            return Err(problem.note(format!("`{}` imports it.", of.text.label)).hint(format!(
                "A module is a file: `{}.{}`.",
                wanted.display(),
                endings[0]
            )));
        }
        for file in files {
            let file = read_found(&file)?;
            if language == Language::Program
                && let Some(first) = chain.iter().position(|(f, _)| *f == file.real)
            {
                return Err(cycle(&chain[first..]));
            }
            import(file, chain, all)?;
        }
    }
    chain.pop();
    Ok(())
}

/// A text without its imports, for where what these name is read with it.
pub fn without_imports(text: &Text) -> String {
    let Some(language) = Language::of_path(&text.label) else { return text.text.clone() };
    let mut sources = Sources::new();
    let (tree, _) = parse(language, sources.add(&text.label, &text.text), &text.text);
    let imports = tree.items.iter().filter(|item| matches!(item.kind, ItemKind::Import(_)));
    let mut left = text.text.clone();
    for item in imports.rev() {
        left.replace_range(item.span.start as usize..item.span.end as usize, "");
    }
    left
}

/// Programs that import each other, in the order in which they do.
fn cycle(files: &[(PathBuf, String)]) -> Diagnostic {
    let names = files.iter().chain(files.first()).map(|(_, label)| format!("`{label}`"));
    let problem = match files {
        [(_, one)] => Diagnostic::error("E0035", format!("`{one}` imports itself.")),
        _ => Diagnostic::error("E0035", "These programs import each other in a circle.")
            .note(format!("{}.", names.collect::<Vec<_>>().join(" imports "))),
    };
    problem
        .hint("Definitions are unfolded where they are used: move what several need into a file of its own.")
}

/// Reads the rules and strategies of these files, of the configuration folder and of `--rules`, with what they import.
///
/// # Errors
/// As [`read`].
pub fn read_definitions(places: &Places, files: &[&Path]) -> Result<Vec<Text>, Diagnostic> {
    let mut all = vec![];
    for file in files {
        all.push(read_found(file)?);
    }
    all.extend(found_places(places)?);
    Ok(with_imports(all)?.into_iter().map(|f| f.text).collect())
}

/// Is it the text of this file, perhaps by another path?
pub fn is_of(text: &Text, file: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let own = Path::new(&text.label);
    own == file || real(own).is_some_and(|own| real(file) == Some(own))
}

/// Files, each after those that it imports, and each once.
fn with_imports(files: Vec<Found>) -> Result<Vec<Found>, Diagnostic> {
    let mut all = vec![];
    for file in files {
        import(file, &mut vec![], &mut all)?;
    }
    Ok(all)
}

fn found_places(places: &Places) -> Result<Vec<Found>, Diagnostic> {
    let mut files = vec![];
    if let Some(config) = &places.config {
        files.extend(read_folder(config)?);
    }
    for folder in &places.rules {
        if !folder.is_dir() {
            let shown = folder.display();
            let message = match folder.exists() {
                true => format!("`{shown}` is no folder."),
                false => format!("There is no folder `{shown}`."),
            };
            return Err(Diagnostic::error("E0007", message)
                .hint("`--rules` takes a folder with files that end in .rules or .elevate."));
        }
        files.extend(read_folder(folder)?);
    }
    Ok(files)
}

/// Is it a file that gives sizes to the programs beside it?
pub fn gives_sizes(file: &Path) -> bool {
    file.file_name() == Some(OsStr::new(SIZES))
        && read_text(file).is_ok_and(|text| parse_sizes(&text).is_ok())
}

fn parse_sizes(text: &Text) -> Result<IndexMap<String, i64>, Diagnostic> {
    ron::from_str(&text.text).map_err(|e| {
        Diagnostic::error("E0008", format!("`{}` does not give sizes: {e}.", text.label))
            .hint("Sizes are written as `{ \"m\": 1024, \"n\": 1024 }`.")
    })
}

fn read_folder(folder: &Path) -> Result<Vec<Found>, Diagnostic> {
    let paths = definitions_in(folder).map_err(|e| {
        let message = format!("The folder `{}` cannot be read: {e}.", folder.display());
        Diagnostic::error("E0007", message).hint("Check who may read it and the folders that it is in.")
    })?;
    paths.iter().map(|path| read_found(path)).collect()
}

/// The files of rules and strategies in a folder, by name; none where there is no folder.
fn definitions_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(vec![]);
        }
        entries => entries?,
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    // What is no file is told of, unless it is hidden: editors mark what they edit by links that lead nowhere.
    let is_hidden = |p: &PathBuf| p.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    paths.retain(|p| {
        p.extension().is_some_and(|e| e == "rules" || e == "elevate") && (p.is_file() || !is_hidden(p))
    });
    Ok(paths)
}

/// Opens a file to read it. A folder, pipe, socket or device is refused: it may have no end, or never begin.
///
/// # Errors
/// The system's, or that it is no file with contents of its own.
pub fn open_file(path: &Path) -> io::Result<File> {
    let refuse = |kind: std::fs::FileType| match kind {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        _ => Err(io::Error::other("it is no regular file, but a pipe, a socket or a device")),
    };
    refuse(std::fs::metadata(path)?.file_type())?;
    // It may be another one by now: opening must not wait for a writer either.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    refuse(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a source file.
///
/// # Errors
/// `E0004` when it cannot be read; when it is too large or not text, what [`Sources::add_bytes`] says.
pub fn read_text(path: &Path) -> Result<Text, Diagnostic> {
    let label = path.display().to_string();
    let cannot =
        |why: &dyn std::fmt::Display| Diagnostic::error("E0004", format!("`{label}` cannot be read: {why}."));
    let is_of_definitions = path.extension().is_some_and(|e| e == "rules" || e == "elevate");
    let file = open_file(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => {
            cannot(&"it is a link that leads nowhere").hint("Remove the link, or let it lead to a file.")
        }
        io::ErrorKind::NotFound if is_of_definitions => {
            cannot(&"there is no such file").hint("Check the name, and the folder that it is looked for in.")
        }
        io::ErrorKind::NotFound => cannot(&"there is no such file").hint(not_there(path)),
        io::ErrorKind::IsADirectory if is_of_definitions => {
            cannot(&e).hint("Give the folder another name: rules and strategies are files.")
        }
        io::ErrorKind::IsADirectory => cannot(&e).hint("Name the program file in it."),
        io::ErrorKind::Other => cannot(&e).hint("Write what it gives into a file, and name that."),
        _ => cannot(&e).hint("Check who may read it and the folders that it is in."),
    })?;
    // A file may grow while it is read, so the reading itself is bounded.
    let mut bytes = vec![];
    io::Read::read_to_end(&mut io::Read::take(file, MAX_SOURCE as u64 + 1), &mut bytes)
        .map_err(|e| cannot(&e).hint("Copy it, and try with the copy."))?;
    let mut sources = Sources::new();
    let id = sources.add_bytes(&label, &bytes)?;
    let text = sources.get(id).map(|f| f.text.to_string()).unwrap_or_default();
    Ok(Text { label, text })
}

/// Names of a folder beyond so many are not compared with one that is not there.
const MOST_NAMES: usize = 10_000;

/// What is said of a program that is not there: the one of the same folder with a name most like it, or that there is no such
/// folder.
fn not_there(path: &Path) -> String {
    const FIRST: &str = "The program is the first argument: `shine-tui PROGRAM.rise`.";
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    match std::fs::read_dir(folder.unwrap_or(Path::new("."))) {
        Ok(entries) => {
            let name = |entry: io::Result<DirEntry>| entry.ok()?.file_name().into_string().ok();
            let names = entries.filter_map(name).take(MOST_NAMES);
            let mut programs: Vec<String> =
                names.filter_map(|name| Some(name.strip_suffix(".rise")?.to_owned())).collect();
            programs.sort();
            let exact = programs.iter().map(String::as_str).find(|name| *name == stem);
            match exact.or_else(|| nearest(stem, programs.iter().map(String::as_str))) {
                Some(near) => {
                    format!("Did you mean `{}`?", path.with_file_name(format!("{near}.rise")).display())
                }
                None if path.extension().is_some() => {
                    "Check the name, and the folder that it is looked for in.".to_owned()
                }
                None => FIRST.to_owned(),
            }
        }
        Err(_) => folder.map_or(FIRST.to_owned(), |folder| {
            format!("There is no folder `{}`: check where the path begins.", folder.display())
        }),
    }
}

/// A path as a shell reads it.
pub fn shell(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%".contains(c);
    let path = if path.starts_with('-') { format!("./{path}") } else { path };
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
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

/// Why nothing can be kept in the state folder: what lies there, or on the way there, is no folder.
pub fn no_state_folder() -> Option<Diagnostic> {
    let folder = state_folder()?;
    let there = in_place_of(&folder)?;
    let (named, itself) = (is_named("SHINE_STATE_DIR"), folder == there);
    let (place, there) = (folder.display(), there.display());
    let why = match (named, itself) {
        (true, true) => format!("SHINE_STATE_DIR names `{place}`, which is no folder"),
        (true, false) => format!("SHINE_STATE_DIR names `{place}`, and `{there}` is no folder"),
        (false, _) => format!("their place is `{place}`, and `{there}` is no folder"),
    };
    let problem = format!("Sessions and measurements cannot be kept: {why}.");
    Some(Diagnostic::error("E0918", problem).hint(if named {
        "Name a folder in SHINE_STATE_DIR."
    } else {
        "Move that file away, or name a folder in SHINE_STATE_DIR."
    }))
}

fn is_named(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|dir| !dir.is_empty())
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
    fn a_circle_of_programs_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        std::fs::create_dir(at("lib")).unwrap();
        let imports =
            |from: &str, what: &str| std::fs::write(at(from), format!("import {what}\ndef x = 1")).unwrap();
        imports("a.rise", "lib.b");
        std::fs::write(at("lib/b.rise"), "import c").unwrap();
        std::os::unix::fs::symlink(at("a.rise"), at("lib/c.rise")).unwrap();
        let problem = read(&at("a.rise"), &Places::default()).unwrap_err();
        assert_eq!(problem.code, "E0035");
        assert!(
            problem.notes[0].matches("a.rise` imports").count() == 1 && problem.notes[0].contains("b.rise")
        );
        imports("self.rise", "self");
        let problem = read(&at("self.rise"), &Places::default()).unwrap_err();
        assert!(problem.message.ends_with("self.rise` imports itself."), "{problem:?}");
        // What two programs import is no circle.
        std::fs::write(at("d.rise"), "import lib.e\nimport lib.f\ndef d = 1").unwrap();
        std::fs::write(at("lib/e.rise"), "import g").unwrap();
        std::fs::write(at("lib/f.rise"), "import g").unwrap();
        std::fs::write(at("lib/g.rise"), "def g = 1").unwrap();
        assert_eq!(read(&at("d.rise"), &Places::default()).unwrap().files.len(), 3);
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("a.rise");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for path in [&*fifo, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert_eq!(read_text(path).unwrap_err().code, "E0004", "{}", path.display());
        }
        std::fs::write(dir.path().join("b.rise"), "import a\ndef b = 1").unwrap();
        assert_eq!(read(&dir.path().join("b.rise"), &Places::default()).unwrap_err().code, "E0004");
        std::fs::rename(&fifo, dir.path().join("b.elevate")).unwrap();
        assert_eq!(read(&dir.path().join("b.rise"), &Places::default()).unwrap_err().code, "E0004");
    }

    #[test]
    fn unreadable_files_are_clear_errors() {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        std::fs::write(at("binary.rise"), [0xff, 0xfe, 0]).unwrap();
        assert_eq!(read_text(&at("none.rise")).unwrap_err().code, "E0004");
        // A program that is there under another name is named.
        let hint = |name: &str| read_text(&at(name)).unwrap_err().hints.join(" ");
        std::fs::write(at("matmul.rise"), "").unwrap();
        for name in ["matmull.rise", "matmul", "MATMUL.rise"] {
            assert!(
                hint(name).starts_with("Did you mean `") && hint(name).contains("/matmul.rise`"),
                "{name}"
            );
        }
        assert!(hint("other.rise").starts_with("Check the name"), "{}", hint("other.rise"));
        assert!(hint("no/other.rise").starts_with("There is no folder `"), "{}", hint("no/other.rise"));
        assert!(hint("comple").contains("`shine-tui PROGRAM.rise`"), "{}", hint("comple"));
        assert_eq!(read_text(&at("binary.rise")).unwrap_err().code, "E0002");
        assert_eq!(read_text(dir.path()).unwrap_err().code, "E0004");
        let large = std::fs::File::create(at("large.rise")).unwrap();
        large.set_len(100 << 20).unwrap();
        assert_eq!(read_text(&at("large.rise")).unwrap_err().code, "E0003");
    }
}
