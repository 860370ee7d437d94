//! The worker process: where text is compiled, drivers are loaded and kernels run.
//!
//! A worker is this same program, started again with [`FLAG`] as its only argument, or with `worker` by a command of the
//! user, on another machine say. It reads a question from its standard input, answers on its standard output (`wire`), and
//! ends, unless it was told to stay for another one (`kept`). Whatever compilers, drivers and kernels print is caught through
//! its standard error.
//!
//! What holds:
//! * A worker that crashes, hangs or prints takes nothing with it: `parent` turns it into a `DeviceError`.
//! * It is the leader of a process group of its own, so that the terminal's Ctrl-C is not for it, and so that one
//!   signal ends it together with a compiler it started. The parent always does that, and always reaps it.
//! * It does not outlive the parent: when its standard input closes it removes its folder and ends its group.
//!   (The kernel's parent-death signal is tied to the thread that started the process and leaves no time to clean
//!   up, hence the pipe.) A command of the user's that leads to a worker may not look at its input, so a process
//!   beside it does.
mod child;
mod kept;
pub(super) mod measure;
mod parent;
pub(super) mod wire;

pub use child::{main, serve};
pub(super) use kept::Kept;
pub(super) use parent::{Limits, WorkerCommand, ask};

/// The hidden first argument that makes the program a worker.
pub const FLAG: &str = "__worker";

/// So long a worker waits for another question before it ends.
const IDLE: std::time::Duration = std::time::Duration::from_secs(10);
