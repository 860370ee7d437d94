//! Files that a command writes: all of them are looked at before any is written, and all are written before the first is put
//! in its place.

use super::exit::Exit;
use super::load::fail;
use super::output;
use crate::lang::diag::Diagnostic;
use crate::session::files::open_file;
use crate::session::whole::{Asked, Whole, in_the_way, not_written};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

/// A file to be written.
pub struct Output {
    pub path: PathBuf,
    pub text: String,
    /// How a file begins that was generated; one that begins so is replaced without `--force`.
    pub mark: Option<String>,
    /// The option that names its place.
    pub option: &'static str,
}

impl Output {
    fn refused(&self, e: &std::io::Error) -> Diagnostic {
        let problem = not_written(&self.path, e, Asked { by: self.option, force: true });
        match (&self.mark, e.kind()) {
            (Some(_), ErrorKind::AlreadyExists) => problem.note("It was not generated."),
            _ => problem,
        }
    }

    /// Whether a file that lies there may be replaced.
    fn replaces(&self, force: bool) -> bool {
        let begins_with = |mark: &String| {
            let mut start = vec![];
            let read =
                open_file(&self.path).and_then(|file| file.take(mark.len() as u64).read_to_end(&mut start));
            read.is_ok() && start == mark.as_bytes()
        };
        force || self.mark.as_ref().is_some_and(begins_with)
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

/// Writes all of them and prints their names. What lies there is replaced, not written into: it may be a link to another
/// file.
///
/// # Errors
/// As [`look`]; then none is written.
pub fn write(files: &[Output], force: bool) -> Result<(), Exit> {
    look(files, force)?;
    let write = |file: &Output| {
        let Output { path, text, .. } = file;
        Whole::write(path, file.replaces(force), |out| out.write_all(text.as_bytes()))
            .map_err(|e| fail(&file.refused(&e)))
    };
    let written = files.iter().map(write).collect::<Result<Vec<_>, _>>()?;
    for (file, whole) in files.iter().zip(written) {
        whole.place().map_err(|e| fail(&file.refused(&e)))?;
    }
    output::print(&files.iter().map(|file| format!("{}\n", file.path.display())).collect::<String>())
}
