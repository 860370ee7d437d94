//! The texts of `rules/`, embedded.

use super::load::Source;
use include_dir::{Dir, include_dir};

static RULES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// The files of rules, sorted by name.
pub fn rules() -> Vec<Source<'static>> {
    files("", "rules")
}

/// The files of strategies, sorted by name.
pub fn strategies() -> Vec<Source<'static>> {
    files("elevate", "elevate")
}

fn files(folder: &str, extension: &str) -> Vec<Source<'static>> {
    let dir = if folder.is_empty() { Some(&RULES) } else { RULES.get_dir(folder) };
    let mut out: Vec<Source> = dir
        .into_iter()
        .flat_map(Dir::files)
        .filter(|f| f.path().extension().is_some_and(|e| e == extension))
        .filter_map(|f| Some(Source { label: f.path().to_str()?, text: f.contents_utf8()? }))
        .collect();
    out.sort_by_key(|s| s.label);
    out
}
