//! `shine-tui patterns`: the patterns of the language.

use super::args::Patterns;
use super::exit::Exit;
use super::output;
use crate::lang::diag::Diagnostic;
use crate::lang::pattern::{Pattern, Row, all};
use serde_json::{Value, json};

/// Prints the table of patterns, or one row in full.
pub fn run(args: &Patterns) -> Result<Exit, Exit> {
    let rows: Vec<&Row> = match &args.name {
        None => all().iter().collect(),
        Some(name) => match Pattern::from_name(name) {
            Some(p) => vec![p.row()],
            None => {
                let known = all().iter().flat_map(|r| r.names).copied();
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
        let name = rows.iter().map(|r| r.names[0].len()).max().unwrap_or(0);
        let text: String =
            rows.iter().map(|r| format!("{:name$}  {:6}  {}\n", r.names[0], r.level.name(), r.doc)).collect();
        output::print(&text)?;
    }
    Ok(Exit::Done)
}

fn in_full(row: &Row) -> String {
    let access = if row.access.is_empty() {
        "none: it must be rewritten before code is generated"
    } else {
        row.access
    };
    let mut text = format!(
        "{} : {}\n\n{}\n\nlevel   {}\naccess  {access}\n",
        row.names[0],
        row.scheme,
        row.doc,
        row.level.name()
    );
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
    })
}
