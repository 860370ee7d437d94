//! The themes and key tables that are built in, and files that take their place.

use std::io::ErrorKind;
use std::path::Path;

use include_dir::{Dir, include_dir};

use crate::session::files::read_text;

static ASSETS: Dir<'static> = include_dir!("$SHINE_ASSETS");

/// The built-in table of keys.
pub const KEYS: &str = include_str!("../../assets/keys.ron");

/// The text of a built-in theme.
pub fn theme(name: &str) -> Option<&'static str> {
    ASSETS.get_file(format!("themes/{name}.ron"))?.contents_utf8()
}

/// The names of the built-in themes, in alphabetical order.
pub fn theme_names() -> Vec<&'static str> {
    let files = ASSETS.get_dir("themes").map(Dir::files).into_iter().flatten();
    let mut names: Vec<_> = files.filter_map(|file| file.path().file_stem()?.to_str()).collect();
    names.sort_unstable();
    names
}

/// A file of the user's that is laid over what is built in, if there is one.
///
/// # Errors
/// Why one that is there cannot be read, in a sentence.
pub fn own(file: &Path) -> Result<Option<String>, String> {
    match file.symlink_metadata() {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        _ => read_text(file).map(|text| Some(text.text)).map_err(|problem| problem.message),
    }
}

/// Reads a RON text; the error names the line and what is wrong with it, without a full stop.
pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(text).map_err(|error| {
        let at = error.span.start;
        format!("line {}, column {}: {}", at.line, at.col, error.code)
    })
}
