//! The codes of problems with names, types and sizes.

/// A name that means nothing here.
pub const UNKNOWN_NAME: &str = "E0101";
/// A size that is not declared.
pub const UNKNOWN_SIZE: &str = "E0102";
/// A type that is not declared.
pub const UNKNOWN_TYPE: &str = "E0103";
/// A name that is defined twice, or that a pattern has.
pub const TAKEN: &str = "E0104";
/// Definitions that need each other.
pub const CYCLE: &str = "E0105";
/// A type where another is needed.
pub const MISMATCH: &str = "E0110";
/// Sizes that must be equal and are not.
pub const SIZES: &str = "E0111";
/// A type that would contain itself.
pub const INFINITE: &str = "E0112";
/// A function where only data can be.
pub const NOT_DATA: &str = "E0113";
/// Something applied that is no function, or to too many arguments.
pub const NOT_A_FUNCTION: &str = "E0114";
/// A size, address space or dimension that is missing or is none.
pub const EXPLICIT: &str = "E0115";
/// An operator on something that it does not work on.
pub const OPERAND: &str = "E0117";
/// A number that its type cannot hold.
pub const LITERAL: &str = "E0118";
/// A type or size that nothing determines.
pub const UNDETERMINED: &str = "E0119";
/// A program that takes or returns a function.
pub const STORED_FUNCTION: &str = "E0120";
/// There is no such program.
pub const NO_PROGRAM: &str = "E0121";
/// A program that is generic in a type.
pub const GENERIC_PROGRAM: &str = "E0122";
/// Something that does not stand in a program.
pub const MISPLACED: &str = "E0123";
/// A program that is too large or nested too deep once its definitions are unfolded.
pub const TOO_LARGE: &str = "E0124";
/// A foreign function that is none.
pub const FOREIGN: &str = "E0125";
/// A declared pattern whose sizes or types its type does not tell.
pub const AMBIGUOUS_PATTERN: &str = "E0126";
/// A declared pattern that does not say what it computes.
pub const WITHOUT_MEANING: &str = "E0127";
/// Sizes with which a program cannot run.
pub const SIZES_DO_NOT_FIT: &str = "E0150";
/// A `reorder` whose functions are no permutation and its inverse.
pub const NO_PERMUTATION: &str = "E0153";
/// A size without a value.
pub const SIZE_WITHOUT_VALUE: &str = "E0151";
