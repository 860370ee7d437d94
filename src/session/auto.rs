//! The strategy `auto` for OpenCL: what a device runs of a program that does not say how, and what `auto` means there.

use super::action::Target;
use super::workspace::Workspace;
use crate::lang::diag::FileId;
use crate::lang::pattern::Level;
use crate::lang::syntax::parse_strategy;
use crate::lang::term::Term;

/// The strategy, of the library or of the user's files.
const STRATEGY: &str = "auto(opencl)";
/// Without rules that may change a result, its rounding included.
const EXACT: &str = "auto(opencl, exact)";

/// The strategy for a target that is known: `auto` alone would be for threads, of which OpenCL has none.
pub fn for_target(text: &str, target: Target) -> &str {
    match (text.trim(), target) {
        ("auto", Target::OpenCl) => STRATEGY,
        ("auto(exact)", Target::OpenCl) => EXACT,
        _ => text,
    }
}

/// The program on work-items. What was rewritten stays exact: a strategy may have been asked to be. None where it says
/// how anything is computed, or the strategy changes nothing.
pub fn on_work_items(workspace: &Workspace, program: &Term) -> Option<Term> {
    let says_how = |t: &Term| t.as_pattern().is_some_and(|p| p.level() != Level::High);
    if program.positions().iter().any(|(_, t)| says_how(t)) {
        return None;
    }
    let is_as_written = *program == workspace.program.term;
    let strategy = if is_as_written { STRATEGY } else { EXACT };
    let (tree, _) = parse_strategy(FileId::NOWHERE, strategy);
    let done = workspace.run_without_search(&tree, program).ok()?;
    (done.term != *program).then_some(done.term)
}
