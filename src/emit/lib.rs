//! How a program becomes text.

use shine_lang as lang;
use shine_lower as lower;

mod choice;
pub mod code;
pub mod compile;
pub mod data;
pub mod dispatch;
mod gathered;
pub mod host;
mod in_order;
mod interval;
pub mod kernel;
mod mathematics;
pub mod module;
pub mod names;
mod nan;
pub mod number;
pub mod plan;
mod prefetch;
mod reasons;
mod rotation;
mod same;
mod scalar;
mod share;
mod stage;
pub mod syntax;
mod threads;
mod vector;
mod wide;

pub use compile::{Attempt, Compiled, attempt, compile, stages};
pub use kernel::{Kernel, KernelParam, LARGEST_NUMBER, ParamKind, UNDEFINED};
pub use module::Module;
pub use stage::Stage;

/// What compilers of C may be told of all that is generated, since no result depends on it: nothing sees that operations
/// trap, so that choices between numbers go into vectors, or that functions set `errno`, and so do roots.
pub const C_FLAGS: [&str; 2] = ["-fno-trapping-math", "-fno-math-errno"];

/// The language of generated text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// C11, with OpenMP pragmas.
    C,
    /// OpenCL C 1.2.
    OpenCl,
}
