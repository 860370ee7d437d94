//! Files that a command writes: all of them are looked at before any is written, and all are written before the first is put
//! in its place.

use super::exit::Exit;
use super::load::fail;
use super::output;
use crate::lang::diag::Diagnostic;
use crate::session::files::open_file;
use crate::session::generated;
use crate::session::whole::{Asked, Whole, in_the_way, not_written};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A file to be written.
pub struct Output {
    pub path: PathBuf,
    pub text: String,
    pub replaces: Replaces,
    /// The option that names its place.
    pub option: &'static str,
}

/// What may lie in the place of a file and is replaced without `--force`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    Nothing,
    /// A file that begins so; what is said of another one.
    Beginning(&'static str, &'static str),
    /// Generated text that nobody changed.
    Generated,
}

impl Replaces {
    /// Whether it is such a file.
    fn is(self, path: &Path) -> bool {
        match self {
            Replaces::Nothing => false,
            Replaces::Beginning(begin, _) => {
                let mut start = vec![];
                let read = open_file(path).and_then(|f| f.take(begin.len() as u64).read_to_end(&mut start));
                read.is_ok() && start == begin.as_bytes()
            }
            Replaces::Generated => generated::is_as_written(path),
        }
    }

    /// What is said of another file.
    fn otherwise(self) -> Option<String> {
        match self {
            Replaces::Nothing => None,
            Replaces::Beginning(_, what) => Some(format!("It is {what}.")),
            Replaces::Generated => Some(generated::OTHERWISE.to_owned()),
        }
    }
}

impl Output {
    fn refused(&self, e: &std::io::Error) -> Diagnostic {
        let problem = not_written(&self.path, e, Asked { by: self.option, force: true });
        let why = self.replaces.otherwise().filter(|_| e.kind() == ErrorKind::AlreadyExists);
        why.into_iter().fold(problem, Diagnostic::note)
    }

    /// Whether a file that lies there may be replaced.
    fn replaces(&self, force: bool) -> bool {
        force || self.replaces.is(&self.path)
    }

    /// What is written.
    fn whole(&self) -> Cow<'_, str> {
        match self.replaces {
            Replaces::Generated => generated::sealed(&self.path, &self.text).into(),
            Replaces::Nothing | Replaces::Beginning(..) => (&self.text).into(),
        }
    }
}

/// Looks whether all of them can be written.
///
/// # Errors
/// The first that cannot.
pub fn look(files: &[Output], force: bool) -> Result<(), Exit> {
    let look =
        |file: &Output| in_the_way(&file.path, file.replaces(force)).map_err(|e| fail(&file.refused(&e)));
    let mut seen = BTreeSet::new();
    if let Some(twice) =
        files.iter().find(|file| !seen.insert(std::path::absolute(&file.path).unwrap_or(file.path.clone())))
    {
        let problem = Diagnostic::error("E0918", format!("`{}` would be two files.", twice.path.display()));
        return Err(fail(&problem.hint(format!("Name another place with `{}`.", twice.option))));
    }
    files.iter().try_for_each(look)
}

/// Writes all of them. What lies there is replaced, not written into: it may be a link to another file.
///
/// # Errors
/// As [`look`]; then none is written.
pub fn place(files: &[Output], force: bool) -> Result<(), Exit> {
    look(files, force)?;
    let write = |file: &Output| {
        let text = file.whole();
        Whole::write(&file.path, file.replaces(force), |out| out.write_all(text.as_bytes()))
            .map_err(|e| fail(&file.refused(&e)))
    };
    let written = files.iter().map(write).collect::<Result<Vec<_>, _>>()?;
    for (file, whole) in files.iter().zip(written) {
        whole.place().map_err(|e| fail(&file.refused(&e)))?;
    }
    Ok(())
}

/// Writes all of them and prints their names.
///
/// # Errors
/// As [`place`].
pub fn write(files: &[Output], force: bool) -> Result<(), Exit> {
    place(files, force)?;
    output::print(&files.iter().map(|file| format!("{}\n", file.path.display())).collect::<String>())
}
