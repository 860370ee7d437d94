//! The themes and key tables that are built in.

use include_dir::{Dir, include_dir};

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

/// Reads a RON text; the error names the line and what is wrong with it, without a full stop.
pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(text).map_err(|error| {
        let at = error.span.start;
        format!("line {}, column {}: {}", at.line, at.col, error.code)
    })
}
