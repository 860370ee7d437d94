//! OpenCL devices, through the crate `ocl`. Everything here happens in the worker process.
//!
//! The OpenCL library is found when it is first needed (`shim.c`); [`loader`] says whether it is there.
mod failure;
mod kernel;
mod limits;
mod list;
mod loader;
mod memory;

pub use kernel::{Contexts, OpenClKernel};
pub use limits::{array_fits, group_fits, local_fits};
pub use list::list;
