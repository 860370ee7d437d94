//! Programs from text, with their problems as text.

use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::source::Sources;
use shine_tui::lang::syntax;

/// The program of a text, or its errors.
pub fn read(text: &str) -> Result<Program, String> {
    let mut sources = Sources::new();
    let (file, mut problems) = syntax::parse_program(sources.add("p.rise", text), text);
    let (program, found) = infer::program(&file, None);
    problems.extend(found);
    let errors: Vec<String> = problems.iter().filter(|d| d.is_error()).map(|d| d.render(&sources)).collect();
    if errors.is_empty() { Ok(program.unwrap()) } else { Err(errors.join("\n")) }
}
