//! Whether there is an OpenCL library on this machine.
#![expect(unsafe_code, reason = "one call of our own C function")]
use super::super::{Cause, DeviceError, text};
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    /// See `shim.c`: why no library could be loaded, or null.
    fn shine_opencl_problem() -> *const c_char;
}

/// Loads the OpenCL library if that has not been done.
///
/// # Errors
/// That there is none, with the words of the system's loader.
pub fn load() -> Result<(), DeviceError> {
    // SAFETY: the function takes nothing, may be called at any time, and returns null or a text that is never changed.
    let problem = unsafe {
        let problem = shine_opencl_problem();
        if problem.is_null() {
            return Ok(());
        }
        text::bounded(CStr::from_ptr(problem).to_bytes())
    };
    Err(DeviceError::new(Cause::NoDevice, "No OpenCL library (libOpenCL.so.1) is installed.")
        .hint(
            "The device `cpu` works without. For OpenCL on the processor: `apt-get install ocl-icd-libopencl1 pocl-opencl-icd`.",
        )
        .details(problem))
}
