//! What the user does: actions, the history they make, the log they leave, and its replay.

pub mod action;
pub mod auto;
pub mod bench;
mod blame;
pub mod data;
pub mod derivation;
pub mod files;
mod foreign;
pub mod guided;
pub mod guides;
pub mod history;
pub mod jobs;
pub mod known;
pub mod listing;
pub mod log;
pub mod record;
pub mod replay;
pub mod searching;
pub mod shown;
pub mod state;
mod stuck;
mod trial;
pub mod unguided;
pub mod workspace;
mod written;

pub use state::Session;
pub use written::Written;

use crate::device::DeviceError;
use crate::lang::diag::Diagnostic;

/// A device's failure, as it is shown.
pub fn device_diagnostic(e: &DeviceError) -> Diagnostic {
    let mut d = Diagnostic::error(e.code(), e.message.clone());
    if !e.details.is_empty() {
        d = d.note(e.details.clone());
    }
    match &e.hint {
        Some(hint) => d.hint(hint.clone()),
        None => d,
    }
}
