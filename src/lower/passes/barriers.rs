//! Barriers where the work-items of a group must wait for each other ([`crate::dpia::barriers`]).

use crate::dpia::{Imperative, Names, barriers};
use crate::lang::diag::{Diagnostic, Subject, sentence};
use crate::lang::pattern::Pattern;

/// # Errors
/// A barrier that not all work-items would reach.
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    if barriers::has_groups(&p.body) {
        p.body = barriers::place(&p).map_err(divergent)?;
        p.synchronised = true;
    }
    Ok(p)
}

fn divergent(fault: barriers::Fault) -> Diagnostic {
    Diagnostic::error("E0530", format!("{}.", sentence(&fault.why)))
        .about(fault.about.unwrap_or(Subject::Pattern(Pattern::MapLocal)))
        .note("A barrier must be reached by all work-items of a work-group, or by none of them.")
        .hint("Choose by what is the same for all work-items of a group; or use `mapSeq` for `mapLocal` in this part, so that each work-item computes it for itself.")
}
