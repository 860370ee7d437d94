//! The call into generated code: the only place where the device `cpu` is unsafe.
#![expect(unsafe_code, reason = "loading and calling generated code cannot be checked by the compiler")]
use super::super::{Cause, DeviceError};
use libloading::{Library, Symbol};
use std::error::Error;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::time::Instant;

/// What calls a function with these arguments, and returns what it tells.
type Entry = unsafe extern "C" fn(*const *mut c_void) -> c_int;

/// Loaded functions. The wrappers that are compiled with them give all of them their types.
pub struct Loaded {
    // The functions stay valid because the library is never closed: OpenMP's threads may still be in it, and the
    // process ends soon anyway.
    entries: Vec<Entry>,
    threads: unsafe extern "C" fn(c_int) -> c_int,
}

impl Loaded {
    /// Loads the wrappers of so many functions.
    ///
    /// # Errors
    /// That the system refuses to load the file.
    pub fn open(file: &Path, count: usize) -> Result<Loaded, DeviceError> {
        let refuse = |error: libloading::Error| {
            let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            DeviceError::new(Cause::Storage, format!("The compiled kernel cannot be loaded: {why}."))
                .hint("Set TMPDIR to a folder from which programs may be loaded; is CC a compiler for this machine?")
        };
        // SAFETY: the library was just built from generated text; its initialisers are those of the C library and
        // of OpenMP. The symbols are defined by our own wrappers with exactly these types.
        unsafe {
            let library = Library::new(file).map_err(refuse)?;
            let mut entries = Vec::with_capacity(count);
            for number in 0..count {
                let name = format!("shine_worker_entry_{number}\0");
                let entry: Symbol<Entry> = library.get(name.as_bytes()).map_err(refuse)?;
                entries.push(*entry);
            }
            let threads: Symbol<unsafe extern "C" fn(c_int) -> c_int> =
                library.get(b"shine_worker_threads\0").map_err(refuse)?;
            let loaded = Loaded { entries, threads: *threads };
            std::mem::forget(library);
            Ok(loaded)
        }
    }

    /// Runs the function of this number and returns the nanoseconds it took, and whether it has a result; one that there is
    /// not takes none.
    ///
    /// The wrapper gives argument i of the function from `arguments[i]`: the array itself, or what the pointer points at.
    /// Each must point at memory as large as the request said. A kernel that is wrong can still do anything, and
    /// that is why it runs in a process of its own.
    pub fn run(&self, number: usize, arguments: &[*mut c_void]) -> (u64, bool) {
        let Some(entry) = self.entries.get(number) else { return (0, true) };
        let start = Instant::now();
        // SAFETY: see above; the pointers live as long as the borrow.
        let told = unsafe { entry(arguments.as_ptr()) };
        (u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), told == 0)
    }

    /// The threads that a parallel loop of the kernel gets.
    pub fn threads(&self) -> u32 {
        // SAFETY: our own wrapper, which at zero only reads a setting.
        u32::try_from(unsafe { (self.threads)(0) }).unwrap_or(1)
    }

    /// Gives parallel loops so many threads from now on.
    pub fn start_threads(&self, number: u32) {
        // SAFETY: our own wrapper; any number from one on is one that OpenMP takes.
        unsafe { (self.threads)(c_int::try_from(number).unwrap_or(c_int::MAX)) };
    }
}
