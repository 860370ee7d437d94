//! Where kernels are compiled and run: on this machine, or where a command of the user leads.

use crate::device::Devices;
use std::sync::OnceLock;

/// The command by which workers are started; said once, when the command line is read.
static COMMAND: OnceLock<String> = OnceLock::new();

/// From now on workers are started by this command of a shell.
pub fn start_by(command: &str) {
    // A second command line is never read.
    let _ = COMMAND.set(command.to_owned());
}

/// The devices there.
pub fn devices() -> Devices {
    COMMAND.get().map_or_else(Devices::new, |command| Devices::elsewhere(command))
}
