//! What the user does: actions, the history they make, the log they leave, and its replay.

pub mod action;
pub mod amounts;
pub mod auto;
pub mod bench;
pub mod beside;
pub mod best;
mod blame;
pub mod costs;
pub mod data;
pub mod derivation;
pub mod dispatch;
pub mod files;
mod foreign;
pub mod foretold;
pub mod generated;
pub mod guided;
pub mod guides;
pub mod history;
pub mod jobs;
pub mod known;
pub mod listing;
pub mod log;
mod measuring;
pub mod metering;
mod programs;
pub mod record;
pub mod renew;
pub mod replay;
mod running;
pub mod searching;
mod shortcut;
pub mod shown;
pub mod state;
mod stuck;
pub mod sweep;
pub mod trial;
pub mod tune;
pub mod unguided;
mod unreduced;
pub mod whole;
pub mod workspace;
mod written;

pub use measuring::peak;
pub use state::Session;
pub use written::Written;

use crate::device::DeviceError;
use crate::lang::diag::Diagnostic;

/// Lines of what a compiler or driver said that are shown, from its beginning and from its end.
const SHOWN: (usize, usize) = (24, 8);

/// What was said, without its middle where that is long.
fn shortened(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    let (first, last) = SHOWN;
    let Some(left_out) = lines.len().checked_sub(first + last).filter(|n| *n > 1) else {
        return said.to_string();
    };
    let (start, end) = (lines[..first].join("\n"), lines[first + left_out..].join("\n"));
    format!("{start}\n[… {left_out} lines left out …]\n{end}")
}

/// A device's failure, as it is shown.
pub fn device_diagnostic(e: &DeviceError) -> Diagnostic {
    let mut d = Diagnostic::error(e.code(), e.message.clone());
    if !e.details.is_empty() {
        d = d.note(shortened(&e.details));
    }
    match &e.hint {
        Some(hint) => d.hint(hint.clone()),
        None => d,
    }
}

/// The system that this runs on, and its processor's kind.
pub fn system() -> String {
    format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH)
}
