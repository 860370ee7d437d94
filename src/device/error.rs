//! What can go wrong with a device: one error type for the parent and the worker process.
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of failure, each with its own diagnostic code (`E07xx`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// No C compiler was found, or the one found does not work.
    NoCompiler,
    /// The compiler refused the generated text.
    CompileFailed,
    /// The compiler was ended before it was done with the text.
    CompilerEnded,
    /// The device does not compute in a type that the text uses.
    NoSuchType,
    /// No device has the name that was asked for.
    NoDevice,
    /// Several different devices have the name that was asked for.
    AmbiguousDevice,
    /// The request does not make sense, e.g. an entry name that is no identifier.
    BadRequest,
    /// The worker process could not be started.
    WorkerMissing,
    /// The worker process died (signal, abort) while it compiled or ran.
    Crashed,
    /// A function divided an integer where that has no result.
    NoResult,
    /// The time limit passed.
    TimeLimit,
    /// The user stopped the run.
    Cancelled,
    /// Memory of the host or of the device ran out.
    OutOfMemory,
    /// A work-group needs more local memory than the device has.
    TooMuchLocal,
    /// Temporary files could not be written (disk full, read-only, no right to execute).
    Storage,
    /// The kernel wrote outside its arrays.
    OutOfBounds,
    /// A call of the OpenCL library failed.
    OpenCl,
    /// The worker said something that is not part of the protocol.
    Protocol,
}

impl Cause {
    /// The code shown with the diagnostic.
    pub fn code(self) -> &'static str {
        match self {
            Cause::NoCompiler => "E0701",
            Cause::CompileFailed | Cause::NoSuchType => "E0702",
            Cause::NoDevice => "E0703",
            Cause::AmbiguousDevice => "E0704",
            Cause::BadRequest => "E0705",
            Cause::WorkerMissing => "E0706",
            Cause::Crashed | Cause::NoResult | Cause::CompilerEnded => "E0707",
            Cause::TimeLimit => "E0708",
            Cause::Cancelled => "E0709",
            Cause::OutOfMemory | Cause::TooMuchLocal => "E0710",
            Cause::Storage => "E0711",
            Cause::OutOfBounds => "E0712",
            Cause::OpenCl => "E0713",
            Cause::Protocol => "E0714",
        }
    }
}

/// A failure of a device: what happened, what to do about it, and what the compiler or driver said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct DeviceError {
    pub cause: Cause,
    /// One full sentence.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
    /// The line of the text that a compiler refused, counted from 1.
    pub line: Option<usize>,
    /// What compiler, driver or kernel printed; may be empty, is never long (32 KiB).
    pub details: String,
}

impl DeviceError {
    pub fn new(cause: Cause, message: impl Into<String>) -> DeviceError {
        DeviceError { cause, message: message.into(), hint: None, line: None, details: String::new() }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> DeviceError {
        self.hint = Some(hint.into());
        self
    }

    pub fn line(mut self, line: Option<usize>) -> DeviceError {
        self.line = line;
        self
    }

    pub fn details(mut self, details: impl Into<String>) -> DeviceError {
        self.details = details.into();
        self
    }

    /// The code shown with the diagnostic.
    pub fn code(&self) -> &'static str {
        self.cause.code()
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)
    }
}

/// The line that a compiler names, as in `file.cl:12:5: error: …`, `error: file.cl:12:5: …` or `12:5: …`.
pub fn line_number(said: &str) -> Option<usize> {
    said.split(':').find_map(|part| part.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::line_number;

    #[test]
    fn compilers_name_lines() {
        for said in
            ["/x.cl:12:5: error: no", "<kernel>:12:5: no", "12:5: error: 7: no", "error: /x.cl:12:5: no"]
        {
            assert_eq!(line_number(said), Some(12), "{said}");
        }
        assert_eq!(line_number("error: out of registers"), None);
    }
}
