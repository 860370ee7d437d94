//! `shine-tui strategies`: the strategies and sketches that there are, and each with its text.

use super::args;
use super::exit::Exit;
use super::load::{Definitions, definitions, fail_all};
use super::output;
use crate::lang::columns;
use crate::lang::diag::{Diagnostic, Sources, Span};
use crate::lang::summary;
use crate::lang::syntax::ast::{File, ItemKind, SketchDef};
use crate::lang::syntax::parse_elevate;
use crate::rewrite::sketch::library::BUILTIN;
use crate::rewrite::strategy::native;
use crate::rewrite::strategy::script::{Definition, Script, head};
use crate::session::workspace::{Problems, library};
use serde_json::{Value, json};

/// A strategy or a sketch as it is listed.
struct Row {
    /// The file of the library, or the user's; of what is built in there is none.
    file: String,
    kind: &'static str,
    name: String,
    call: String,
    doc: String,
    text: String,
}

/// Prints all strategies and sketches, or one in full.
pub fn run(args: &args::Strategies) -> Result<Exit, Exit> {
    let Definitions { patterns, files, own, .. } = definitions(args.program.as_deref(), &args.rules)?;
    let (mut sources, mut list) = (Sources::new(), vec![]);
    let (_, script, _) = library(&patterns, &files, own.as_ref(), &mut sources, &mut list);
    let sketches = parse_elevate(sources.add("sketches", BUILTIN), BUILTIN).0;
    if list.iter().any(Diagnostic::is_error) {
        return Err(fail_all(&Problems { sources, list }));
    }
    output::diagnostics(&list, &sources);
    let rows = rows(&script, &sketches, &sources);
    let Some(name) = &args.name else {
        return if args.json.json { as_json(&rows) } else { output::print(&listing(&rows)) }
            .map(|()| Exit::Done);
    };
    let known: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    let chosen: Vec<Row> = rows.into_iter().filter(|row| row.name == *name).collect();
    if chosen.is_empty() {
        let problem = Diagnostic::error("E0301", format!("There is no strategy or sketch `{name}`."));
        let problem = problem.did_you_mean(name, known.iter().map(String::as_str));
        output::diagnostic(&problem.hint("`shine-tui strategies` lists them."));
        return Err(Exit::BadInput);
    }
    if args.json.json {
        as_json(&chosen)?;
    } else {
        output::print(&chosen.iter().map(in_full).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Done)
}

fn rows(script: &Script, sketches: &File, sources: &Sources) -> Vec<Row> {
    let file = |span: Span| sources.get(span.file).map(|file| file.name.to_string()).unwrap_or_default();
    let built_in = native::TABLE.iter().map(|row| Row {
        file: "built in".to_owned(),
        kind: "strategy",
        name: row.name.to_owned(),
        call: match row.arity {
            0 => row.name.to_owned(),
            1 => format!("{}(s)", row.name),
            more => format!("{}({})", row.name, vec!["_"; more].join(", ")),
        },
        doc: row.doc.to_owned(),
        text: String::new(),
    });
    let strategy = |s: &Definition| Row {
        file: s.clauses.first().map(|clause| file(clause.span)).unwrap_or_default(),
        kind: "strategy",
        name: s.name.to_string(),
        call: s.call(sources),
        doc: s.doc().to_owned(),
        text: s.clauses.iter().map(|clause| sources.text(clause.span).trim().to_owned() + "\n").collect(),
    };
    let sketch = |(sketch, doc): (&SketchDef, String)| {
        let name = sketch.name.kind.to_string();
        let text = format!("sketch {}\n", sources.text(sketch.name.span.to(sketch.body.span)));
        Row {
            file: file(sketch.name.span),
            kind: "sketch",
            call: head(&text, "sketch", &name).unwrap_or(&name).to_owned(),
            name,
            doc,
            text,
        }
    };
    let shipped = sketches.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Sketch(def) => Some((def, item.doc.join("\n"))),
        _ => None,
    });
    let others = script.sketches().map(|(def, doc)| (&**def, doc.to_owned()));
    // The user's come last, where a terminal shows the end.
    let of = |library| script.strategies().filter(move |s| s.library == library).map(strategy);
    let library = built_in.chain(of(true)).chain(shipped.map(sketch));
    library.chain(of(false)).chain(others.map(sketch)).collect()
}

/// All of them, file by file.
fn listing(rows: &[Row]) -> String {
    let width = columns::widest(rows.iter().map(|row| &row.call), MOST);
    let mut text = String::new();
    let mut file = "";
    for row in rows {
        if row.file != file {
            file = &row.file;
            text += &format!("{file}\n");
        }
        let about = summary::of(&row.doc);
        let kind = if row.kind == "sketch" { "sketch  " } else { "" };
        let call = row.call.split_whitespace().collect::<Vec<_>>().join(" ");
        text += format!("  {}  {kind}{about}", columns::left(&call, width)).trim_end();
        text.push('\n');
    }
    text
}

/// What is longer than this does not push the documentation of all others to the right.
const MOST: usize = 40;

fn in_full(row: &Row) -> String {
    let head = if row.text.is_empty() { format!("{}\n", row.call) } else { row.text.clone() };
    if row.doc.is_empty() { head } else { format!("{head}\n{}\n", row.doc.trim_end()) }
}

fn as_json(rows: &[Row]) -> Result<(), Exit> {
    let row = |row: &Row| {
        json!({
            "name": row.name,
            "kind": row.kind,
            "call": row.call,
            "file": row.file,
            "doc": row.doc,
            "text": row.text,
        })
    };
    output::json(&Value::Array(rows.iter().map(row).collect()))
}
