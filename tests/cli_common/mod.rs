//! The real binary, started as from a shell.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// How a command ended, and what it printed.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs the binary in a world of its own: no configuration, no state, no colours.
pub fn run(dir: &Path, args: &[&str]) -> Ran {
    run_with(dir, args, &[])
}

/// As [`run`], with more in its environment.
pub fn run_with(dir: &Path, args: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.args(args).current_dir(dir).stdin(Stdio::null()).env("LC_ALL", "C");
    command.env("SHINE_CONFIG_DIR", dir.join("config")).env("SHINE_STATE_DIR", dir.join("state"));
    command.envs(environment.iter().copied()).output().unwrap().into()
}
