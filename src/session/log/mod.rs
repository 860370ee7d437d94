//! The session log: an append-only text file with one RON value a line, a header and then records.
//!
//! What the user does is on disk before the next action. A log replays to the same digests; it can run nothing but
//! this tool's own actions, opens no path that it names, and sets no compiler option.

pub mod convert;
pub mod made;
mod read;
pub mod seal;
pub mod v1;
mod write;

pub use read::{Contents, Entry, Log, MAX_BYTES, is_first_line, parse};
pub use write::{Fate, LogError, LogWriter};

/// A wire value as its line in the log, without the line's end.
///
/// # Errors
/// Only when a value cannot be written as RON, which none of the wire types can cause.
pub fn line<T: serde::Serialize>(value: &T) -> Result<String, ron::Error> {
    let config = ron::ser::PrettyConfig::new().depth_limit(0).struct_names(true).escape_strings(true);
    ron::ser::to_string_pretty(value, config)
}
