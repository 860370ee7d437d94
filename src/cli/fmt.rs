//! `shine-tui fmt`: programs, rules and strategies in the standard layout.

use super::args::Fmt;
use super::exit::Exit;
use super::load::fail;
use super::output;
use crate::lang::diag::{Charset, Diagnostic, Sources};
use crate::lang::syntax;
use crate::lang::syntax::ast::Language;
use crate::lang::syntax::print::Options;
use crate::session::files::read_text;
use crate::session::whole::Whole;
use std::path::Path;

/// Formats files in place, or checks that they are formatted.
pub fn run(args: &Fmt) -> Result<Exit, Exit> {
    let mut worst = Exit::Done;
    for file in &args.files {
        worst = worst.worse(one(file, args).unwrap_or_else(|exit| exit));
    }
    Ok(worst)
}

fn one(file: &Path, args: &Fmt) -> Result<Exit, Exit> {
    let text = read_text(file).map_err(|d| fail(&d))?;
    let language = match file.extension().and_then(|e| e.to_str()) {
        Some("rules") => Language::Rules,
        Some("elevate") => Language::Elevate,
        _ => Language::Program,
    };
    let mut sources = Sources::new();
    let id = sources.add(&text.label, &text.text);
    let unicode = !args.ascii && text.text.contains(['λ', '→', '▷', '↦', '×']);
    let charset = if unicode { Charset::Unicode } else { Charset::Ascii };
    let options = Options { charset, ..Options::default() };
    let formatted = syntax::format(language, id, &text.text, &options).map_err(|problems| {
        output::diagnostics(&problems, &sources);
        Exit::BadInput
    })?;
    if formatted == text.text {
        return Ok(Exit::Done);
    }
    if args.check {
        output::print(&format!("{} is not in the standard layout\n", file.display()))?;
        return Ok(Exit::Finding);
    }
    replace(file, &formatted).map_err(|e| {
        fail(
            &Diagnostic::error("E0906", format!("`{}` cannot be written: {e}.", file.display()))
                .hint("`--check` looks at the layout and writes nothing."),
        )
    })?;
    Ok(Exit::Done)
}

/// Puts the text in the place of a file that may be written; through a link, of what it leads to. Where there is no room for
/// it the file stays as it was.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let place = std::fs::canonicalize(file)?;
    std::fs::File::options().append(true).open(&place)?;
    Whole::write(&place, true, |out| out.write_all(text.as_bytes())).and_then(Whole::place)
}
