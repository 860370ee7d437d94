//! Files that are written: whole or not at all, into folders that are made where they are not there. What is in the way is
//! told before anything is computed, and alike wherever something is written.

use crate::lang::diag::Diagnostic;
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Seek};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

/// A file that is written whole or not at all: beside its place first, and then put there.
pub struct Whole {
    new: tempfile::NamedTempFile,
    path: std::path::PathBuf,
    replace: bool,
    /// What is there has other names, or an owner to whom nothing can be given: its contents are replaced, and not the file.
    into: bool,
}

impl Whole {
    /// Writes beside `path`, in a folder that is made if it is not there. A file that lies there is to be replaced, or
    /// nothing may lie there.
    ///
    /// # Errors
    /// As [`in_the_way`], and the system's.
    pub fn write(
        path: &Path,
        replace: bool,
        contents: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> io::Result<Whole> {
        in_the_way(path, replace)?;
        let folder = folder_of(path);
        std::fs::create_dir_all(folder)?;
        // Who may read what is replaced may read what takes its place, and it stays its owner's.
        let there = path.metadata().ok().filter(|there| replace && there.is_file());
        let mut into = there.as_ref().is_some_and(|there| there.nlink() > 1) && !path.is_symlink();
        let mut builder = tempfile::Builder::new();
        let new =
            builder.permissions(Permissions::from_mode(0o644)).tempfile_in(folder).map_err(without_name)?;
        if let Some(there) = there {
            let made = new.as_file().metadata()?;
            if (there.uid(), there.gid()) != (made.uid(), made.gid()) {
                let given = fchown(new.as_file(), Some(there.uid()), Some(there.gid()));
                into |= given.is_err() && !path.is_symlink();
            }
            // What is made gets no more than the mask of new files allows; what was there has that already.
            new.as_file().set_permissions(there.permissions())?;
        }
        let mut out = io::BufWriter::new(new);
        contents(&mut out).map_err(without_name)?;
        let new = out.into_inner().map_err(io::IntoInnerError::into_error).map_err(without_name)?;
        Ok(Whole { new, path: path.to_path_buf(), replace, into })
    }

    /// Puts it in its place; where a link was, not into what it leads to.
    ///
    /// # Errors
    /// The system's; `AlreadyExists` where nothing may be replaced.
    pub fn place(self) -> io::Result<()> {
        let Whole { mut new, path, replace, into } = self;
        if into {
            return copied(new.as_file_mut(), &path);
        }
        let placed = if replace { new.persist(path) } else { new.persist_noclobber(path) };
        placed.map(|_| ()).map_err(|e| e.error)
    }
}

/// Writes what stands in one file into another one that is there, which stays the same file. There was room for it beside that.
fn copied(from: &mut File, path: &Path) -> io::Result<()> {
    from.rewind()?;
    let mut there = File::options().write(true).open(path)?;
    let length = io::copy(from, &mut there)?;
    there.set_len(length)?;
    there.sync_data()
}

/// The system's error without the name of the temporary file, which tells the user nothing.
fn without_name(e: io::Error) -> io::Error {
    match e.to_string().split_once(" at path \"") {
        Some((said, _)) => {
            number_in(said).map_or_else(|| io::Error::new(e.kind(), said), io::Error::from_raw_os_error)
        }
        None => e,
    }
}

/// The system's number of an error, in what it says.
fn number_in(said: &str) -> Option<i32> {
    said.strip_suffix(')')?.rsplit_once("(os error ")?.1.parse().ok()
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Looks, before anything is computed, whether a file could be written. Nothing is made.
///
/// # Errors
/// `AlreadyExists` for a file that is not to be replaced, `IsADirectory` for a folder, `NotADirectory` where a file is in the
/// place of a folder; what is no file with contents of its own; and what the system says of a folder that may not be written.
pub fn in_the_way(path: &Path, replace: bool) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if !replace && path.symlink_metadata().is_ok() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "it is there already"));
    }
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("a pipe, a socket or a device is there"));
    }
    room_for(folder_of(path))
}

/// Looks whether there is a folder, or could be one, into which a file can be put.
///
/// # Errors
/// As [`in_the_way`].
pub fn room_for(folder: &Path) -> io::Result<()> {
    let there = nearest(folder);
    if !there.is_dir() {
        let why = format!("`{}` is no folder", there.display());
        return Err(io::Error::new(ErrorKind::NotADirectory, why));
    }
    Ok(access(there, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// What lies in the place of a folder, or of one that it would have to be in, and is none.
pub fn in_place_of(folder: &Path) -> Option<&Path> {
    Some(nearest(folder)).filter(|there| !there.is_dir())
}

/// The folder, or the nearest around it that is there.
pub fn nearest(folder: &Path) -> &Path {
    let there = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    there.filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Is there no room for what is to be written?
pub fn is_full(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// What names a place to write to.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The option or command, as it is typed.
    pub by: &'a str,
    /// Whether `--force` replaces what is there.
    pub force: bool,
}

/// Why something is not written: `E0918` for what is in the way, which can be had otherwise, and `E0906` for what the system
/// does not do.
pub fn not_written(path: &Path, e: &io::Error, asked: Asked<'_>) -> Diagnostic {
    let (path, by) = (path.display(), asked.by);
    let another = format!("Name another place with `{by}`.");
    match e.kind() {
        ErrorKind::AlreadyExists => {
            Diagnostic::error("E0918", format!("`{path}` is there already.")).hint(if asked.force {
                format!("`--force` replaces it; or name another place with `{by}`.")
            } else {
                another
            })
        }
        ErrorKind::IsADirectory | ErrorKind::NotADirectory => {
            Diagnostic::error("E0918", format!("`{path}` cannot be written: {e}.")).hint(another)
        }
        _ if is_full(e) => Diagnostic::error("E0906", format!("`{path}` cannot be written: {e}."))
            .hint(format!("Make room there, or name another place with `{by}`.")),
        _ => Diagnostic::error("E0906", format!("`{path}` cannot be written: {e}.")).hint(match limited(e) {
            Some(limit) => format!("Raise the limit (`{limit}`)."),
            None => another,
        }),
    }
}

/// The limit of the shell that was met.
pub fn limited(e: &io::Error) -> Option<&'static str> {
    match e.raw_os_error().map(Errno::from_raw_os_error)? {
        Errno::MFILE => Some("ulimit -n"),
        Errno::FBIG => Some("ulimit -f"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_way_is_told_and_nothing_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        for (path, replace, kind) in [
            ("file", false, Some(ErrorKind::AlreadyExists)),
            ("file", true, None),
            (".", true, Some(ErrorKind::IsADirectory)),
            ("file/a/b", true, Some(ErrorKind::NotADirectory)),
            ("new", false, None),
            ("new/a/b", false, None),
        ] {
            assert_eq!(in_the_way(&at(path), replace).err().map(|e| e.kind()), kind, "{path}");
        }
        assert!(!at("new").exists());
        // What has two names has the new text under both.
        std::fs::write(at("one"), "a longer text than the new one").unwrap();
        std::fs::hard_link(at("one"), at("two")).unwrap();
        let written = Whole::write(&at("one"), true, |out| out.write_all(b"text"));
        written.and_then(Whole::place).unwrap();
        for name in ["one", "two"] {
            assert_eq!(std::fs::read_to_string(at(name)).unwrap(), "text");
        }
        // And who owned it does, where that can be given.
        if std::os::unix::fs::chown(at("file"), Some(65534), Some(65534)).is_ok() {
            let written = Whole::write(&at("file"), true, |out| out.write_all(b"text"));
            written.and_then(Whole::place).unwrap();
            let there = at("file").metadata().unwrap();
            assert_eq!((there.uid(), there.gid()), (65534, 65534));
        }
        let written = Whole::write(&at("new/a/b"), false, |out| out.write_all(b"text"));
        written.and_then(Whole::place).unwrap();
        assert_eq!(std::fs::read_to_string(at("new/a/b")).unwrap(), "text");
    }
}
