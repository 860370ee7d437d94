//! Comparing the outputs of a kernel with those of the program as it was written.

use crate::device::check::{self, Check, Tolerance};
use crate::device::{Expected, HostData, poison};
use crate::lang::diag::Diagnostic;

/// How many cells are NaN, and were written.
pub fn not_numbers(due: &Expected) -> usize {
    let data = due.data();
    let poison = poison(data.elem());
    let cells = data.as_bytes().chunks_exact(data.elem().bytes()).enumerate();
    let is_nan = |i: usize| !due.is_unwritten(i) && data.get(i).is_some_and(|v| v.to_f64().is_nan());
    cells.filter(|(i, bytes)| is_nan(*i) && poison.get(..bytes.len()) != Some(*bytes)).count()
}

/// What outputs that agree have in common.
pub struct Agreement {
    pub cells: usize,
    pub error: f64,
    /// How many cells are zeros of the other sign.
    pub signs: usize,
}

/// From this relative error on not one digit is right: no more is known than that rounding does as much to the program as written.
const NOT_A_DIGIT: f64 = 0.1;

impl Agreement {
    /// How well so many of the cells agree, as a sentence without its end.
    pub fn in_words(&self, number: usize) -> String {
        let Agreement { error, signs, .. } = *self;
        let (cells, is) =
            if number == 1 { ("the cell".to_owned(), "is") } else { (format!("{number} cells"), "are") };
        if error >= NOT_A_DIGIT {
            return format!(
                "{cells} {is} no further from double precision than rounding takes the program as written, largest relative error \
                 {error:.1e}"
            );
        }
        let how = match (error, signs) {
            (0.0, 0) => " exactly".to_owned(),
            (0.0, 1) => ", but for the sign of one zero".to_owned(),
            (0.0, _) => format!(", but for the sign of {signs} zeros"),
            _ => format!(", largest relative error {error:.1e}"),
        };
        format!("{cells} agree{} with plain C{how}", if number == 1 { "s" } else { "" })
    }
}

/// How many cells the components of a result have together.
pub fn cells(components: &[Expected]) -> usize {
    components.iter().map(|due| due.data().len()).sum()
}

pub fn something_else() -> Diagnostic {
    Diagnostic::error("E0820", "The kernel computes something else than the program.")
}

/// How the note ends that says whose mistake a wrong result is.
const COMPILERS: &str = "so that this is a mistake of the compiler.";

/// A wrong result of a kernel that is right on the device of this name, where the compiler makes no vectors.
pub fn of_the_compiler(problem: Diagnostic, device: &str) -> Diagnostic {
    problem.note(format!(
        "Where the C compiler makes no vectors (`--device '{device}'`) the same kernel is right, {COMPILERS}"
    ))
}

/// A wrong result of a kernel that is right on the device of this name, where the compiler makes no vectors, of a program in
/// which rounding decides something.
pub fn of_order(problem: Diagnostic, device: &str) -> Diagnostic {
    problem.note(format!(
        "Where the C compiler makes no vectors (`--device '{device}'`) the same kernel is right: either what is added up in another order \
         is rounded otherwise, and the program compares it or cuts it off, or this is a mistake of the compiler."
    ))
}

/// How the note ends that says why a result differs where products and sums are one operation.
const ROUNDED_ONCE: &str = "as one operation, both are rounded once, and overflow less.";

/// A wrong result of a kernel that is right where the compiler rounds each product before it adds to it.
pub fn of_contraction(problem: Diagnostic) -> Diagnostic {
    problem.note(
        format!("Where the C compiler rounds every product before it is added to something (`-ffp-contract=off`) the same kernel is right: {ROUNDED_ONCE}"),
    )
}

/// How the note begins that names foreign functions.
const FOREIGN: &str = "The program runs what is foreign: ";

/// A wrong result of a program that runs foreign functions, by these names: no run of it explains another one.
pub fn of_foreign(problem: Diagnostic, names: &[String]) -> Diagnostic {
    problem.note(format!(
        "{FOREIGN}{}. What it computes is compared with other runs of the same functions, in another order and on other threads.",
        names.join(", ")
    ))
}

/// How the note ends that says that rounding decides too much.
const UNDECIDED: &str = "that it cannot be checked there.";

/// A result of which rounding decides so much that it is neither right nor wrong.
pub fn of_rounding(problem: Diagnostic) -> Diagnostic {
    problem.note(format!(
        "Where the inputs and the numbers in the program differ in their last digits, the program as written gives what was found, or values \
         on both sides of it: rounding decides so much of the result on these inputs {UNDECIDED}"
    ))
}

/// Does rounding decide too much of the result?
pub fn is_of_rounding(problem: &Diagnostic) -> bool {
    problem.notes.iter().any(|note| note.ends_with(UNDECIDED))
}

/// Does the program run foreign functions?
pub fn is_of_foreign(problem: &Diagnostic) -> bool {
    problem.notes.iter().any(|note| note.starts_with(FOREIGN))
}

/// Is it known that rounding a product and a sum once makes the difference?
pub fn is_of_contraction(problem: &Diagnostic) -> bool {
    problem.notes.iter().any(|note| note.ends_with(ROUNDED_ONCE))
}

/// Is it known to be a mistake of the compiler?
pub fn is_of_the_compiler(problem: &Diagnostic) -> bool {
    problem.notes.iter().any(|note| note.ends_with(COMPILERS))
}

/// Compares the components of two results; the tolerance is that of a component by its number.
pub fn agree(
    expected: &[Expected],
    found: &[HostData],
    tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
    where_: &str,
) -> Result<Agreement, Diagnostic> {
    let number = expected.len();
    if number != found.len() {
        let note = format!("Its result has {} components and not {number}.", found.len());
        return Err(something_else().note(note));
    }
    let mut all = Agreement { cells: 0, error: 0.0, signs: 0 };
    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
        let where_ = match number {
            1 => where_.to_string(),
            _ => format!("{where_}, in component {} of {number} of the result", i + 1),
        };
        let check = agree_in(expected, found, tolerance(i, expected.data()), &where_)?;
        all.cells += check.cells;
        all.signs += check.signs;
        all.error = all.error.max(check.error);
    }
    Ok(all)
}

/// Compares one component cell by cell. Floats may be summed in another order and fused.
fn agree_in(
    expected: &Expected,
    found: &HostData,
    tolerance: Tolerance,
    where_: &str,
) -> Result<Check, Diagnostic> {
    let check = check::compare(expected, found, tolerance);
    if check.agrees {
        return Ok(check);
    }
    let mut problem = something_else()
        .note(format!("This was seen {where_}: {} of {} cells are wrong.", check.wrong, check.cells));
    if let Some(mismatch) = &check.mismatch {
        problem = problem.note(format!("{mismatch}."));
    }
    if let Some(cell) = check.first_wrong {
        let (i, e, f) = (cell.index, cell.expected, cell.found);
        problem = problem.note(format!("Cell {i} should be {e} and is {f}."));
    }
    if let Some(number) = check.never_written() {
        let cells = if number == 1 { "One cell was" } else { &format!("{number} cells were") };
        problem = problem.note(format!("{cells} never written."));
    }
    Err(problem
        .hint("No time is shown for a wrong result. If rules of your own were applied, test them first."))
}

#[cfg(test)]
mod tests {
    use super::Agreement;

    #[test]
    fn words_say_no_more_than_is_known() {
        let words = |error, signs, number| Agreement { cells: number, error, signs }.in_words(number);
        assert_eq!(words(0.0, 0, 1), "the cell agrees with plain C exactly");
        assert_eq!(words(0.0, 2, 3), "3 cells agree with plain C, but for the sign of 2 zeros");
        assert_eq!(words(1e-7, 2, 3), "3 cells agree with plain C, largest relative error 1.0e-7");
        let none_is_right = words(4.3e3, 0, 1);
        assert!(!none_is_right.contains("agree") && none_is_right.ends_with("largest relative error 4.3e3"));
    }
}
