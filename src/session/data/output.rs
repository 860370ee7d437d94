//! Writing what a program computed.

use super::{Format, Refusal, npy, picture, plain, pnm};
use crate::device::HostData;
use crate::emit::code::{Leaf, leaves};
use crate::lang::diag::Diagnostic;
use crate::lang::ty::Type;
use crate::session::whole::{Asked, Whole, in_the_way, not_written};
use std::io;
use std::path::{Path, PathBuf};

/// Where a component of the result is to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Which one, in the order of the type's leaves.
    pub component: usize,
    pub path: PathBuf,
}

/// The component's name, `fst` or `snd.fst`; empty where there is only one.
/// What follows the name of a value for one of its components: `fst`, `snd.fst`; nothing for a value that is no pair.
pub fn component_name(leaf: &Leaf) -> String {
    let steps: Vec<&str> = leaf.path.iter().map(|second| if *second { "snd" } else { "fst" }).collect();
    steps.join(".")
}

/// What `FILE` or `COMPONENT=FILE` asks for.
///
/// # Errors
/// `E0910` for a component that the result does not have, or none where it has several; `E0911` for one that is named
/// twice.
pub fn named(asked: &[String], result: &Type) -> Result<Vec<Wanted>, Diagnostic> {
    let names: Vec<String> = leaves(result).iter().map(component_name).collect();
    let mut all: Vec<Wanted> = vec![];
    for text in asked {
        let (component, path) = match (names.as_slice(), text.split_once('=')) {
            ([_], _) => (0, text.as_str()),
            (_, Some((name, path))) if names.iter().any(|n| n == name) => {
                (names.iter().position(|n| n == name).unwrap_or(0), path)
            }
            _ => {
                let example: Vec<String> = names.iter().map(|n| format!("`--output {n}=FILE`")).collect();
                let count = names.len();
                let problem =
                    format!("`{text}` does not say which of the result's {count} components it is.");
                return Err(Diagnostic::error("E0910", problem).hint(format!("Give {}.", example.join(", "))));
            }
        };
        if all.iter().any(|w| w.component == component) {
            let problem = format!("`{text}` is a second file for the same output.");
            return Err(Diagnostic::error("E0911", problem).hint("Copy the first one afterwards."));
        }
        let path = PathBuf::from(path);
        if all.iter().any(|w| place(&w.path) == place(&path)) {
            let problem = format!("`{}` is to be two outputs.", path.display());
            return Err(Diagnostic::error("E0911", problem).hint("Give each component a file of its own."));
        }
        all.push(Wanted { component, path });
    }
    Ok(all)
}

/// Checks, before anything runs, that a component can be written to the file.
///
/// # Errors
/// As [`in_the_way`]; `E0912` for an ending that tells no format; `E0913` or
/// `E0914` for a component that is no picture.
pub fn writable(path: &Path, leaf: &Leaf, force: bool) -> Result<(), Diagnostic> {
    let refused = |r: Refusal| r.of(path, CANNOT);
    if let Format::Png | Format::Pnm = Format::of(path).map_err(refused)? {
        picture::can_be(leaf).map_err(refused)?;
    }
    // Through a link, the folder that matters is that of the file it leads to.
    in_the_way(&place(path), force).map_err(|e| cannot(path, &e))?;
    if path.is_symlink() && !path.exists() {
        let why = io::Error::new(io::ErrorKind::NotADirectory, "it is a link to a file that is not there");
        return Err(cannot(path, &why));
    }
    Ok(())
}

/// Where a file lies, however it is named: a link leads to another file, which is the one that is written.
fn place(path: &Path) -> PathBuf {
    let in_folder = || Some(std::fs::canonicalize(folder(path)).ok()?.join(path.file_name()?));
    std::fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_path_buf())
}

const CANNOT: &str = "cannot be the output";

fn cannot(path: &Path, why: &io::Error) -> Diagnostic {
    not_written(path, why, Asked { by: "--output", force: true })
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Checks, as [`writable`], what is known when the sizes are: can the file hold an array of this shape?
///
/// # Errors
/// `E0914` for a picture that such files do not hold.
pub fn holds(path: &Path, shape: &[usize], leaf: &Leaf) -> Result<(), Diagnostic> {
    let refused = |r: Refusal| r.of(path, CANNOT);
    match Format::of(path).map_err(refused)? {
        format @ (Format::Png | Format::Pnm) => fits(format, shape, leaf, path).map_err(refused),
        _ => Ok(()),
    }
}

/// A component that is written, but not yet in its place.
pub struct Written {
    file: Whole,
    path: PathBuf,
    /// What the file does not hold as it was computed, as a full sentence.
    pub warning: Option<String>,
}

impl Written {
    /// Puts the file in its place.
    ///
    /// # Errors
    /// If the system refuses, or there is a file by now that must not be replaced.
    pub fn place(self) -> Result<(), Diagnostic> {
        let Written { file, path, .. } = self;
        file.place().map_err(|e| cannot(&path, &e))
    }
}

/// Writes a component with these dimensions beside its place.
///
/// # Errors
/// As [`writable`] and [`holds`], or if the system refuses.
pub fn write(
    path: &Path,
    data: &HostData,
    shape: &[usize],
    leaf: &Leaf,
    force: bool,
) -> Result<Written, Diagnostic> {
    writable(path, leaf, force)?;
    holds(path, shape, leaf)?;
    let refused = |r: Refusal| r.of(path, CANNOT);
    let format = Format::of(path).map_err(refused)?;
    let drawn = match format {
        Format::Png | Format::Pnm => Some(picture::of_array(data, shape, leaf).map_err(refused)?),
        _ => None,
    };
    let row = shape.last().copied().unwrap_or(1);
    let clipped = drawn.as_ref().map_or(0, |_| picture::clipped(data));
    let warning = (clipped > 0).then(|| {
        format!(
            "`{}` shows numbers from 0 to 1: {clipped} of {} are less, more or no numbers at all, and are drawn as 0 or 1.",
            path.display(),
            data.len()
        )
    });
    let file = Whole::write(&place(path), force, |out| match (format, &drawn) {
        (Format::Png, Some(picture)) => picture::write_png(out, picture),
        (Format::Pnm, Some(picture)) => pnm::write(out, picture),
        (Format::Npy, _) => npy::write(out, data, shape),
        (Format::Text, _) => {
            let is_csv = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
            plain::write_text(out, data, row, if is_csv { "," } else { " " })
        }
        _ => out.write_all(data.as_bytes()),
    });
    Ok(Written { file: file.map_err(|e| cannot(path, &e))?, path: path.to_path_buf(), warning })
}

/// What the format, or the ending that was chosen for it, cannot hold.
fn fits(format: Format, shape: &[usize], leaf: &Leaf, path: &Path) -> Result<(), Refusal> {
    let (height, width, channels) = picture::extent(shape, leaf)?;
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let wants = match (format, ending.as_str()) {
        (Format::Png, _) => &[1, 2, 3, 4][..],
        (_, "pgm") => &[1],
        (_, "ppm") => &[3],
        _ => &[1, 3],
    };
    if format == Format::Png && (width > i32::MAX as usize || height > i32::MAX as usize) {
        return Err(Refusal::new(
            "E0914",
            format!("such files hold no picture of {width} by {height} pixels"),
        ));
    }
    if wants.contains(&channels) {
        return Ok(());
    }
    let why = match channels {
        1 => "such files hold no grey picture".to_owned(),
        n => format!("such files hold no picture of {n} channels"),
    };
    Err(Refusal::new("E0914", why)
        .hint("`.pgm` holds grey, `.ppm` three colours, and `.png` both, with alpha or without."))
}
