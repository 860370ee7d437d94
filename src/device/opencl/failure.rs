//! Errors of the OpenCL library as errors of ours.
use super::super::error::line_number;
use super::super::{Cause, DeviceError, text};
use ocl::core::{Error, Status};

/// A failed call, in words: `doing` completes "OpenCL failed while …".
pub fn failure(doing: &str, error: &Error) -> DeviceError {
    let Some(status) = error.api_status() else {
        return DeviceError::new(Cause::OpenCl, format!("OpenCL failed while {doing}."))
            .details(text::bounded(error.to_string().as_bytes()));
    };
    let name = format!("{status:?}");
    match status {
        Status::CL_MEM_OBJECT_ALLOCATION_FAILURE
        | Status::CL_OUT_OF_HOST_MEMORY
        | Status::CL_INVALID_BUFFER_SIZE => {
            DeviceError::new(Cause::OutOfMemory, format!("The device has no memory left while {doing} ({name})."))
                .hint("Choose smaller sizes.")
        }
        Status::CL_OUT_OF_RESOURCES => {
            DeviceError::new(Cause::OpenCl, format!("The device ran out of resources while {doing} ({name})."))
                .hint("Either the kernel needs more memory or registers than there are, or it touched memory that is not its own.")
        }
        Status::CL_INVALID_WORK_GROUP_SIZE | Status::CL_INVALID_WORK_ITEM_SIZE => {
            DeviceError::new(Cause::OpenCl, format!("The device does not accept the work-group size ({name})."))
                .hint("Each local size must divide its global size, and their product must not exceed the device's largest work-group (see the list of devices).")
        }
        _ => DeviceError::new(Cause::OpenCl, format!("OpenCL failed while {doing} ({name}).")),
    }
}

/// Text refused by the driver's compiler: what it says, with the line of the text that it is about.
pub fn refused(entry: &str, source: &str, error: &Error) -> DeviceError {
    let Error::ProgramBuild(log) = error else { return failure("compiling the kernel", error) };
    let log = text::bounded(log.to_string().as_bytes());
    let line = log.lines().find(|line| line.contains("error")).map_or("it gave no reason", str::trim);
    let number = line_number(line);
    let about = number.and_then(|n| Some((n, source.lines().nth(n.checked_sub(1)?)?.trim())));
    let about = about.map_or_else(String::new, |(n, text)| format!(" (line {n} of its text: `{text}`)"));
    DeviceError::new(
        Cause::CompileFailed,
        format!("The OpenCL compiler refused the kernel `{entry}`: {line}{about}"),
    )
    .line(number)
    .details(log)
}
