//! `shine-tui rules lint`: what stands out in a set of rules.

use super::select;
use crate::cli::args::RulesLint;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::rewrite::rule::lint::{Finding, Level, lint};
use serde_json::{Value, json};

pub fn run(args: &RulesLint) -> Result<Exit, Exit> {
    let selected = select(&args.which)?;
    let mut findings = lint(&selected.rules, &|r| selected.chosen.contains(r));
    let count = |level: Level, of: &[Finding]| of.iter().filter(|f| f.kind.level() == level).count();
    let (errors, warnings) = (count(Level::Error, &findings), count(Level::Warning, &findings));
    let notes = count(Level::Note, &findings);
    if !args.notes {
        findings.retain(|f| f.kind.level() > Level::Note);
    }
    if args.json.json {
        output::json(&Value::Array(findings.iter().map(as_json).collect()))?;
    } else {
        let mut text = String::new();
        for f in &findings {
            text += &format!("{}: {f}\n", f.kind.level().name());
        }
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let hidden = if args.notes || notes == 0 { "" } else { " (--notes shows them)" };
        text += &format!(
            "{}: {}, {}, {}{hidden}.\n",
            plural(selected.chosen.len(), "rule"),
            plural(errors, "error"),
            plural(warnings, "warning"),
            plural(notes, "note"),
        );
        output::print(&text)?;
    }
    Ok(if errors > 0 { Exit::Finding } else { Exit::Done })
}

fn as_json(f: &Finding) -> Value {
    json!({
        "rule": &*f.rule.name,
        "level": f.kind.level().name(),
        "kind": f.kind.name(),
        "message": f.to_string(),
    })
}
