//! `shine-tui patterns`: the patterns of the language.

use super::args;
use super::exit::Exit;
use super::load;
use super::output;
use crate::lang::columns;
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, Sources};
use crate::lang::infer;
use crate::lang::pattern::{Pattern, Row, all};
use crate::lang::syntax::parse_program;
use crate::session::workspace::Problems;
use serde_json::{Value, json};

/// Prints the table of patterns, or one row in full.
pub fn run(args: &args::Patterns) -> Result<Exit, Exit> {
    let patterns = match &args.program {
        Some(program) => own_patterns(program)?,
        None => Patterns::default(),
    };
    let rows: Vec<&Row> = match &args.name {
        None => all().iter().chain(patterns.declared().map(|d| Pattern::Declared(d).row())).collect(),
        Some(name) => match patterns.find(name) {
            Some(p) => vec![p.row()],
            None => {
                let known = patterns.names();
                let problem = Diagnostic::error("E0902", format!("There is no pattern `{name}`."));
                output::diagnostic(
                    &problem.did_you_mean(name, known).hint("`shine-tui patterns` lists them."),
                );
                return Err(Exit::BadInput);
            }
        },
    };
    if args.json.json {
        output::json(&Value::Array(rows.iter().map(|r| as_json(r)).collect()))?;
    } else if args.name.is_some() {
        rows.iter().try_for_each(|r| output::print(&in_full(r)))?;
    } else {
        let name = columns::widest(rows.iter().map(|r| &r.names[0]), columns::NAMES);
        let text: String = rows
            .iter()
            .map(|r| format!("{}  {:6}  {}\n", columns::left(r.names[0], name), r.level.name(), r.doc))
            .collect();
        output::print(&text)?;
    }
    Ok(Exit::Done)
}

/// The patterns that a program declares; mistakes in it are told.
fn own_patterns(program: &std::path::Path) -> Result<Patterns, Exit> {
    let texts = load::texts(program, &args::ProgramOptions::default())?;
    let mut sources = Sources::new();
    let file = sources.add(&texts.program.label, &texts.program.text);
    let (tree, mut list) = parse_program(file, &texts.program.text);
    list.extend(infer::program(&tree, None).1);
    if list.iter().any(Diagnostic::is_error) {
        return Err(load::fail_all(&Problems { sources, list }));
    }
    Ok(infer::patterns(&tree))
}

fn in_full(row: &Row) -> String {
    let access =
        if row.access.is_empty() { "none: it is rewritten before code is generated" } else { row.access };
    let mut text = format!(
        "{} : {}\n\n{}\n\nlevel   {}\naccess  {access}\n",
        row.names[0],
        row.scheme,
        row.doc,
        row.level.name()
    );
    if let Some(example) = row.example {
        text += &format!("example {example}\n");
    }
    if row.names.len() > 1 {
        text += &format!("also    {}\n", row.names[1..].join(", "));
    }
    text
}

fn as_json(row: &Row) -> Value {
    json!({
        "name": row.names[0],
        "aliases": row.names[1..],
        "level": row.level.name(),
        "type": row.scheme,
        "access": row.access,
        "doc": row.doc,
        "example": row.example,
    })
}
