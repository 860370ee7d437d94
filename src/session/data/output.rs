//! Writing what a program computed.

use super::{Format, Refusal, npy, picture, plain, pnm};
use crate::device::HostData;
use crate::emit::code::{Leaf, leaves};
use crate::lang::diag::Diagnostic;
use crate::lang::ty::Type;
use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where a component of the result is to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Which one, in the order of the type's leaves.
    pub component: usize,
    pub path: PathBuf,
}

/// The component's name, `fst` or `snd.fst`; empty where there is only one.
pub(super) fn component_name(leaf: &Leaf) -> String {
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
        all.push(Wanted { component, path: path.into() });
    }
    Ok(all)
}

/// Checks, before anything runs, that a component can be written to the file.
///
/// # Errors
/// `E0906` where the file is there already, or its folder is not; `E0912` for an ending that tells no format; `E0913` or
/// `E0914` for a component that is no picture.
pub fn writable(path: &Path, leaf: &Leaf, force: bool) -> Result<(), Diagnostic> {
    let refused = |r: Refusal| r.of(path, CANNOT);
    if let Format::Png | Format::Pnm = Format::of(path).map_err(refused)? {
        picture::can_be(leaf).map_err(refused)?;
    }
    if path.is_dir() {
        return Err(cannot(path, &"it is a folder"));
    }
    if path.symlink_metadata().is_ok() && !force {
        return Err(exists(path));
    }
    let folder = folder(path);
    if folder.is_dir() {
        Ok(())
    } else {
        Err(cannot(path, &format!("there is no folder `{}`", folder.display())))
    }
}

const CANNOT: &str = "cannot be the output";

fn cannot(path: &Path, why: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("E0906", format!("`{}` cannot be written: {why}.", path.display()))
        .hint("Name another file with `--output`.")
}

fn exists(path: &Path) -> Diagnostic {
    Diagnostic::error("E0906", format!("`{}` is there already.", path.display()))
        .hint("`--force` replaces it; or name another file with `--output`.")
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a component with these dimensions, whole or not at all.
///
/// # Errors
/// As [`writable`]; `E0914` for a picture that such files do not hold; `E0906` if the system refuses.
pub fn write(
    path: &Path,
    data: &HostData,
    shape: &[usize],
    leaf: &Leaf,
    force: bool,
) -> Result<(), Diagnostic> {
    writable(path, leaf, force)?;
    let refused = |r: Refusal| r.of(path, CANNOT);
    let format = Format::of(path).map_err(refused)?;
    let drawn = match format {
        Format::Png | Format::Pnm => Some(picture::of_array(data, shape, leaf).map_err(refused)?),
        _ => None,
    };
    if let Some(picture) = &drawn {
        fits(format, picture, path).map_err(refused)?;
    }
    let failed = |e: io::Error| cannot(path, &e);
    let mut new = tempfile::Builder::new();
    let new = new.permissions(Permissions::from_mode(0o644)).tempfile_in(folder(path)).map_err(failed)?;
    let mut out = BufWriter::new(new);
    let row = shape.last().copied().unwrap_or(1);
    match (format, &drawn) {
        (Format::Png, Some(picture)) => picture::write_png(&mut out, picture),
        (Format::Pnm, Some(picture)) => pnm::write(&mut out, picture),
        (Format::Npy, _) => npy::write(&mut out, data, shape),
        (Format::Text, _) => {
            let between =
                if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) { "," } else { " " };
            plain::write_text(&mut out, data, row, between)
        }
        _ => out.write_all(data.as_bytes()),
    }
    .map_err(failed)?;
    let new = out.into_inner().map_err(|e| failed(e.into_error()))?;
    if force {
        new.persist(path).map_err(|e| failed(e.error))?;
    } else {
        new.persist_noclobber(path).map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists => exists(path),
            _ => failed(e.error),
        })?;
    }
    Ok(())
}

/// What the format, or the ending that was chosen for it, cannot hold.
fn fits(format: Format, picture: &picture::Picture, path: &Path) -> Result<(), Refusal> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let wants = match (format, ending.as_str()) {
        (Format::Png, _) => &[1, 2, 3, 4][..],
        (_, "pgm") => &[1],
        (_, "ppm") => &[3],
        _ => &[1, 3],
    };
    let most = if format == Format::Png { i32::MAX as usize } else { usize::MAX };
    if picture.width == 0 || picture.height == 0 || picture.width > most || picture.height > most {
        let (w, h) = (picture.width, picture.height);
        return Err(Refusal::new("E0914", format!("such files hold no picture of {w} by {h} pixels")));
    }
    if wants.contains(&picture.channels) {
        return Ok(());
    }
    let why = format!("such files hold no picture of {} channels", picture.channels);
    Err(Refusal::new("E0914", why)
        .hint("`.pgm` holds grey, `.ppm` three colours, and `.png` both, with alpha or without."))
}
