//! What can go wrong when a program is evaluated, in sentences (codes E0187 to E0199).

use crate::declared::Declared;
use crate::diag::{Diagnostic, Subject};
use crate::nat::NatError;
use crate::pattern::Pattern;
use crate::ty::{Scalar, Type};
use crate::value::Buffer;
use std::fmt::Display;

/// A size that has no value.
pub fn size(why: NatError) -> Diagnostic {
    let d = Diagnostic::error("E0191", format!("A size cannot be computed: {why}."));
    match why {
        NatError::Unknown(name) => d.hint(format!("Give it a value with `--size {name}=…`.")),
        NatError::Fraction(_) => d.hint("Choose sizes that are multiples of the divisor."),
        NatError::DivisionByZero(_) | NatError::Overflow(_) => d,
    }
}

pub fn negative(n: i64, ty: &Type) -> Diagnostic {
    Diagnostic::error("E0191", format!("A size in the type {ty} is {n}, but sizes are not negative."))
}

pub fn too_large(what: impl Display) -> Diagnostic {
    Diagnostic::error("E0198", format!("A value of type {what} is too large to evaluate."))
        .hint("Choose smaller sizes.")
}

pub fn no_data(ty: &Type) -> Diagnostic {
    Diagnostic::error("E0196", format!("Values of type {ty} cannot be stored."))
}

pub fn no_value_of(ty: &Type) -> Diagnostic {
    Diagnostic::error("E0190", format!("The value given is no value of type {ty} at these sizes."))
}

pub fn wrong_buffer(ty: &Type, buffer: &Buffer) -> Diagnostic {
    let found = buffer.scalar().map_or("records", |s| s.name());
    Diagnostic::error("E0190", format!("Memory that holds {found} cannot hold a value of type {ty}."))
}

pub fn wrong_length(ty: &Type, found: usize, expected: usize) -> Diagnostic {
    let message =
        format!("A value of type {ty} takes {expected} cells of memory here, but {found} are given.");
    Diagnostic::error("E0190", message)
}

pub fn wrong_inputs(found: usize, expected: usize) -> Diagnostic {
    Diagnostic::error("E0190", format!("The program takes {expected} inputs, but {found} are given."))
}

pub fn out_of_bounds(pattern: Pattern, index: impl Display, length: impl Display) -> Diagnostic {
    Diagnostic::error("E0192", format!("`{pattern}` accesses element {index} of {length} elements."))
        .about(Subject::Pattern(pattern))
}

pub fn division_by_zero(pattern: Pattern) -> Diagnostic {
    Diagnostic::error("E0193", format!("`{pattern}` divides an integer by zero."))
        .note("What a kernel would compute there is undefined.")
        .hint("Make sure that the divisor is never zero, for instance with `max 1 d`.")
        .about(Subject::Pattern(pattern))
}

/// The least number of a signed type by -1: no number of the type is that large.
pub fn quotient_too_large(pattern: Pattern, scalar: Scalar) -> Diagnostic {
    Diagnostic::error(
        "E0193",
        format!("`{pattern}` divides the least `{}` by -1, and the quotient is too large.", scalar.name()),
    )
    .note("What a kernel would compute there is undefined.")
    .hint(match scalar {
        Scalar::I64 => {
            "There is no wider type: choose what is to be there, as with `select (d == -1) … (x / d)`."
        }
        _ => "Convert the numbers to a wider type first, with `cast`.",
    })
    .about(Subject::Pattern(pattern))
}

/// A number that `natType` does not hold.
pub fn number_too_large(pattern: Pattern) -> Diagnostic {
    Diagnostic::error("E0187", format!("`{pattern}` gives a number that `natType` does not hold."))
        .note("Numbers of `natType` have 64 bits. What a kernel would compute there is undefined.")
        .hint(
            "Choose smaller numbers, or compute it in another type, with `cast`: integers wrap around, and floats hold more.",
        )
        .about(Subject::Pattern(pattern))
}

/// An element that a `scatter` gives two values, of which a kernel would keep either.
pub fn written_twice(element: impl Display) -> Diagnostic {
    Diagnostic::error("E0199", format!("`scatter` writes element {element} twice."))
        .note("What a kernel would leave there is undefined.")
        .hint("Give each index once. Where several values belong to one place, add them up before they are written.")
}

pub fn undefined_place() -> Diagnostic {
    Diagnostic::error("E0199", "`scatter` takes an index that is undefined.")
        .note("Cells that `padEmpty` makes, and those that a `scatter` leaves unwritten, have no value.")
        .hint("Pad with a value, as `padCst` does, where the indices are padded.")
}

/// A foreign function, which runs only with the user's leave.
pub fn not_run(function: Declared) -> Diagnostic {
    Diagnostic::error("E0189", format!("The foreign function `{}` is not run.", function.name()))
        .note("Its C text comes with the program, so it runs only if you allow it.")
        .hint("Read it, then allow it with `--allow-foreign`, or on the screen with `:allow-foreign yes`.")
}

pub fn out_of_steps(steps: u64) -> Diagnostic {
    Diagnostic::error("E0194", format!("The evaluation was stopped after {steps} steps."))
        .hint("Choose smaller sizes, or allow more steps.")
}

/// A number without rounding that would be longer than anybody can wait for.
pub fn too_long() -> Diagnostic {
    Diagnostic::error("E0194", "Numbers that are not rounded become too long here.")
        .hint("Choose smaller sizes.")
}

/// Did the evaluation end before it was known what the value is?
pub fn is_limit(problem: &Diagnostic) -> bool {
    matches!(problem.code, "E0194" | "E0195" | "E0198")
}

/// Does a number that the program asks for not exist?
pub fn is_without_value(problem: &Diagnostic) -> bool {
    matches!(problem.code, "E0192" | "E0193") || is_number_too_large(problem)
}

/// Does `natType` not hold a number that the program asks for?
pub fn is_number_too_large(problem: &Diagnostic) -> bool {
    problem.code == "E0187"
}

/// Has the program no result on these inputs, as they have a number without a value, or places that do not differ?
pub fn is_of_inputs(problem: &Diagnostic) -> bool {
    is_without_value(problem) || problem.code == "E0199"
}

pub fn cancelled() -> Diagnostic {
    Diagnostic::error("E0195", "The evaluation was stopped.")
}

pub fn ill_typed(what: impl Display) -> Diagnostic {
    Diagnostic::error("E0196", format!("The term is ill-typed: {what}."))
}

/// Sizes of a pattern's arguments that do not fit each other.
pub fn misfit(pattern: Pattern, why: impl Display) -> Diagnostic {
    Diagnostic::error("E0197", format!("`{pattern}` cannot be evaluated at these sizes: {why}."))
}
