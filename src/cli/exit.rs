//! The exit codes of the program, all of them.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Done; a replay agrees.
    Done,
    /// A finding: a replay disagrees, a check failed, a sketch was not reached, a strategy did not apply.
    Finding,
    /// Bad usage or unreadable input.
    BadInput,
    /// The environment: no such device, no compiler, a driver failure.
    Environment,
    /// A fault of this program; the message says where the report is.
    Fault,
    /// Interrupted by the user.
    Interrupted,
    /// Ended by this signal, as shells count it: 143 for SIGTERM.
    Signal(i32),
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Finding => 1,
            Exit::BadInput => 2,
            Exit::Environment => 3,
            Exit::Fault => 4,
            Exit::Interrupted => 130,
            Exit::Signal(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        }
    }

    /// The worse of two, for commands over several files: 2 > 1 > 3 > 0.
    pub fn worse(self, other: Exit) -> Exit {
        let rank = |e: Exit| match e {
            Exit::Done => 0,
            Exit::Environment => 1,
            Exit::Finding => 2,
            Exit::BadInput => 3,
            Exit::Fault => 4,
            Exit::Interrupted | Exit::Signal(_) => 5,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
