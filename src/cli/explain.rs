//! `shine-tui explain`: what the code of a diagnostic means, with an example.

use super::args::Explain;
use super::exit::Exit;
use super::{load, output};
use crate::lang::diag::Diagnostic;
use crate::lang::explain;

/// Shows the page of a code, or lists all codes, or those with a word in their titles.
pub fn run(args: &Explain) -> Result<Exit, Exit> {
    let Some(code) = &args.code else {
        output::print(&explain::listing())?;
        return Ok(Exit::Done);
    };
    if let Some(page) = explain::page(code) {
        output::print(&page.text())?;
        return Ok(Exit::Done);
    }
    if let Some(found) = explain::with_word(code) {
        output::print(&found)?;
        return Ok(Exit::Done);
    }
    let problem = Diagnostic::error("E0908", format!("There is no code `{code}`."));
    let problem = explain::meant(code)
        .into_iter()
        .fold(problem, |problem, page| problem.hint(format!("Did you mean {}: {}?", page.code, page.title)));
    Err(load::fail(&problem.hint("`shine-tui explain` lists all codes.")))
}
