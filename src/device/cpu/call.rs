//! The call into generated code: the only place where the device `cpu` is unsafe.
#![expect(unsafe_code, reason = "loading and calling generated code cannot be checked by the compiler")]
use super::super::{Cause, DeviceError};
use libloading::{Library, Symbol};
use std::error::Error;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::time::Instant;

/// A loaded kernel. The wrapper that is compiled with every kernel gives both functions their types.
pub struct Loaded {
    // The functions stay valid because the library is never closed: OpenMP's threads may still be in it, and the
    // process ends soon anyway.
    entry: unsafe extern "C" fn(*const *mut c_void),
    threads: unsafe extern "C" fn() -> c_int,
}

impl Loaded {
    pub fn open(file: &Path) -> Result<Loaded, DeviceError> {
        let refuse = |error: libloading::Error| {
            let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            DeviceError::new(Cause::Storage, format!("The compiled kernel cannot be loaded: {why}."))
                .hint("Set TMPDIR to a folder from which programs may be loaded; is CC a compiler for this machine?")
        };
        // SAFETY: the library was just built from generated text; its initialisers are those of the C library and
        // of OpenMP. The two symbols are defined by our own wrapper with exactly these types.
        unsafe {
            let library = Library::new(file).map_err(refuse)?;
            let entry: Symbol<unsafe extern "C" fn(*const *mut c_void)> =
                library.get(b"shine_worker_entry\0").map_err(refuse)?;
            let threads: Symbol<unsafe extern "C" fn() -> c_int> =
                library.get(b"shine_worker_threads\0").map_err(refuse)?;
            let loaded = Loaded { entry: *entry, threads: *threads };
            std::mem::forget(library);
            Ok(loaded)
        }
    }

    /// Runs the kernel once and returns the nanoseconds it took.
    ///
    /// The wrapper gives argument i of the kernel from `arguments[i]`: the array itself, or what the pointer points at.
    /// Each must point at memory as large as the request said. A kernel that is wrong can still do anything, and
    /// that is why it runs in a process of its own.
    pub fn run(&self, arguments: &[*mut c_void]) -> u64 {
        let start = Instant::now();
        // SAFETY: see above; the pointers live as long as the borrow.
        unsafe { (self.entry)(arguments.as_ptr()) };
        u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The threads that a parallel loop of the kernel gets.
    pub fn threads(&self) -> u32 {
        // SAFETY: the function takes and touches nothing.
        u32::try_from(unsafe { (self.threads)() }).unwrap_or(1)
    }
}
