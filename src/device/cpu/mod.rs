//! The device `cpu`: generated C, compiled by the system's C compiler into a shared object, loaded and called.
//!
//! Everything here happens in the worker process, but for keeping what was compiled ([`Objects`]). It needs a C compiler and nothing else; OpenMP is used where the
//! compiler has it.
mod call;
mod host;
mod kernel;
mod objects;
mod toolchain;

pub use host::HostCode;
pub use kernel::CpuKernel;
pub use objects::Objects;
pub use toolchain::{Toolchain, describe, presume, probe, storage};
