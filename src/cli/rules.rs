//! `shine-tui rules`: the rewrite rules, the sets of them, and each with its examples.

use super::args::Rules;
use super::exit::Exit;
use super::load::{fail, fail_all, places};
use super::output;
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, FileId, Sources};
use crate::lang::infer;
use crate::lang::syntax::parse_program;
use crate::rewrite::rule::set::NamedSet;
use crate::rewrite::rule::{Rule, RuleSet};
use crate::session::files::{self, Text};
use crate::session::workspace::{Problems, library};
use serde_json::{Value, json};

/// Lists the rules, or shows one.
pub fn run(args: &Rules) -> Result<Exit, Exit> {
    let (patterns, files) = own_files(args)?;
    let (mut sources, mut problems) = (Sources::new(), vec![]);
    let (rules, _, _) = library(&patterns, &files, &mut sources, &mut problems);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(fail_all(&Problems { sources, list: problems }));
    }
    match (&args.name, args.json.json) {
        (None, true) => output::json(&Value::Array(rules.rules().map(as_json).collect()))?,
        (None, false) => output::print(&listing(&rules))?,
        (Some(name), as_data) => match (rules.get(name), rules.set(name)) {
            (Some(rule), _) if as_data => output::json(&as_json(rule))?,
            (Some(rule), _) => output::print(&in_full(rule, &aliases(&rules, rule)))?,
            (None, Some(set)) => output::print(&set_in_full(set))?,
            (None, None) => {
                let problem = Diagnostic::error("E0209", format!("There is no rule `{name}`."));
                let problem = problem.did_you_mean(name, rules.names().map(|n| &**n));
                return Err(fail(&problem.hint("`shine-tui rules` lists them.")));
            }
        },
    }
    Ok(Exit::Done)
}

/// The rules of the user: those beside a program, of the configuration folder and of `--rules`.
fn own_files(args: &Rules) -> Result<(Patterns, Vec<Text>), Exit> {
    let places = places(&args.rules);
    let files = match &args.program {
        Some(program) => files::read(program, &places).map(|texts| {
            let (tree, _) = parse_program(FileId::NOWHERE, &texts.program.text);
            (infer::patterns(&tree), texts.files)
        }),
        None => files::read_places(&places).map(|files| (Patterns::default(), files)),
    };
    files.map_err(|d| fail(&d))
}

fn call(rule: &Rule) -> String {
    if rule.params.is_empty() {
        return rule.name.to_string();
    }
    let params: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
    format!("{}({})", rule.name, params.join(", "))
}

fn first_line(doc: &str) -> &str {
    doc.lines().next().unwrap_or("")
}

fn listing(rules: &RuleSet) -> String {
    let width = rules.rules().map(|r| call(r).len()).max().unwrap_or(0);
    let mut themes: Vec<&str> = rules.rules().map(|r| &*r.theme).collect();
    themes.dedup();
    let mut seen: Vec<&str> = vec![];
    let mut text = String::new();
    for theme in themes {
        if seen.contains(&theme) {
            continue;
        }
        seen.push(theme);
        text += &format!("{theme}\n");
        for rule in rules.rules().filter(|r| &*r.theme == theme) {
            text += &format!("  {:width$}  {}\n", call(rule), first_line(&rule.doc));
        }
    }
    text += "sets\n";
    rules.sets().for_each(|s| text += &format!("  {:width$}  {}\n", s.name, first_line(&s.doc)));
    text
}

fn aliases(rules: &RuleSet, rule: &Rule) -> Vec<String> {
    rules.aliases().filter(|(_, of)| of.rule == *rule).map(|(name, _)| name.to_string()).collect()
}

fn in_full(rule: &Rule, aliases: &[String]) -> String {
    let mut text = format!("{}\n\n{}\n", rule.text.trim_end(), rule.doc.trim_end());
    for example in &rule.examples {
        text += &format!("\nbefore  {}\nafter   {}\n", example.text.0, example.text.1);
    }
    if rule.reassociates {
        text += "\nThis rule re-associates: floating-point results may differ by rounding.\n";
    }
    if !aliases.is_empty() {
        text += &format!("\nalso    {}\n", aliases.join(", "));
    }
    text
}

fn set_in_full(set: &NamedSet) -> String {
    let rules: Vec<String> = set.rules.iter().map(ToString::to_string).collect();
    format!("rules {} = {{ {} }}\n\n{}\n", set.name, rules.join(", "), set.doc.trim_end())
}

fn as_json(rule: &Rule) -> Value {
    let example = |e: &crate::rewrite::rule::Example| json!({ "before": e.text.0, "after": e.text.1 });
    json!({
        "name": &*rule.name,
        "call": call(rule),
        "theme": &*rule.theme,
        "text": rule.text,
        "doc": rule.doc,
        "reassociates": rule.reassociates,
        "digest": rule.digest.to_string(),
        "examples": rule.examples.iter().map(example).collect::<Vec<_>>(),
    })
}
