//! `shine-tui rules`: the rewrite rules, the sets of them, and each with its examples; testing and examining rules.

mod check;
mod lint;

use super::args::{Rules, RulesCommand, RulesList, Which};
use super::exit::Exit;
use super::load::{Definitions, definitions, fail, fail_all, places};
use super::output;
use crate::lang::columns;
use crate::lang::diag::{Diagnostic, Sources};
use crate::lang::infer;
use crate::lang::nat::{Name, Nat};
use crate::lang::summary;
use crate::lang::syntax::parse_program;
use crate::rewrite::rule::load::in_program;
use crate::rewrite::rule::proof::prove;
use crate::rewrite::rule::set::NamedSet;
use crate::rewrite::rule::{Mark, Rule, RuleSet};
use crate::session::files::{self, Text};
use crate::session::workspace::{Own, Problems, library};
use serde_json::{Value, json};
use std::path::Path;

/// Lists the rules, shows one, or hands over to `check` and `lint`.
pub fn run(args: &Rules) -> Result<Exit, Exit> {
    match &args.command {
        Some(RulesCommand::Check(args)) => check::run(args),
        Some(RulesCommand::Lint(args)) => lint::run(args),
        None => list(&args.list),
    }
}

/// The rules that a subcommand is about, among all that are loaded.
struct Selected {
    rules: RuleSet,
    chosen: Vec<Rule>,
}

/// Reads the rules and picks those that were asked for. What is to be warned of is told at once.
fn select(which: &Which) -> Result<Selected, Exit> {
    let is_file = |text: &&String| {
        Path::new(text)
            .extension()
            .is_some_and(|e| ["rules", "rise", "elevate", "ron"].iter().any(|x| e == *x))
    };
    let (paths, names): (Vec<&String>, Vec<&String>) = which.what.iter().partition(is_file);
    let places = places(&which.rules);
    let of_rules = |path: &&&String| Path::new(path).extension().is_some_and(|e| e == "rules");
    let named: Vec<&Path> = paths.iter().filter(of_rules).map(Path::new).collect();
    let mut files = files::read_definitions(&places, &named).map_err(|d| fail(&d))?;
    // The labels of the files whose rules are meant; those of a program are all that are not built in.
    let is_named = |text: &&Text| named.iter().any(|path| files::is_of(text, path));
    let mut meant: Vec<String> = files.iter().filter(is_named).map(|text| text.label.clone()).collect();
    let (mut sources, mut problems) = (Sources::new(), vec![]);
    let mut program: Option<Text> = None;
    for path in &paths {
        let path = Path::new(path);
        match path.extension().and_then(|e| e.to_str()) {
            Some("rules") => {}
            Some("rise") => {
                let texts = files::read(path, &places).map_err(|d| fail(&d))?;
                if program.replace(texts.program).is_some() {
                    let problem =
                        Diagnostic::error("E0901", "The rules of one program are tested at a time.");
                    return Err(fail(&problem.hint("Run the command once for each program.")));
                }
                meant.extend(texts.files.iter().map(|f| f.label.clone()));
                let known: Vec<String> = files.iter().map(|f| f.label.clone()).collect();
                files.extend(texts.files.into_iter().filter(|f| !known.contains(&f.label)));
            }
            _ => {
                let problem = Diagnostic::error("E0901", format!("`{}` holds no rules.", path.display()));
                return Err(fail(
                    &problem.hint("Name a file of rules (.rules), or a program (.rise) that has some."),
                ));
            }
        }
    }
    let read = program.map(|text| {
        let (tree, found) = parse_program(sources.add(&text.label, &text.text), &text.text);
        problems.extend(found);
        (Own::of(&text.label, &tree), tree)
    });
    let (own, tree) = read.unzip();
    let patterns = tree.as_ref().map(infer::patterns).unwrap_or_default();
    let (mut rules, _, _) = library(&patterns, &files, own.as_ref(), &mut sources, &mut problems);
    if let Some(tree) = &tree {
        let (declared, found) = in_program(tree);
        problems.extend(found);
        rules.believe(declared);
    }
    let own: Vec<_> =
        sources.iter().filter(|(_, f)| meant.iter().any(|m| **m == *f.name)).map(|(id, _)| id).collect();
    if problems.iter().any(Diagnostic::is_error) {
        return Err(fail_all(&Problems { sources, list: problems }));
    }
    output::diagnostics(&problems, &sources);
    let mut chosen: Vec<Rule> = rules
        .rules()
        .filter(|r| paths.is_empty() || r.span.is_some_and(|s| own.contains(&s.file)))
        .cloned()
        .collect();
    let names: Vec<&String> = names.into_iter().chain(&which.rule).collect();
    for name in &names {
        if rules.get(name).is_none_or(|r| !chosen.contains(r)) {
            if let Some(problem) = of_no_rules(name) {
                return Err(fail(&problem));
            }
            let problem = Diagnostic::error("E0209", format!("There is no rule `{name}` here."));
            let known: Vec<Name> = chosen.iter().map(|r| r.name.clone()).collect();
            return Err(fail(&problem.did_you_mean(name, known.iter().map(|n| &**n))));
        }
    }
    if !names.is_empty() {
        chosen.retain(|r| names.iter().any(|n| rules.get(n) == Some(r)));
    }
    Ok(Selected { rules, chosen })
}

/// What is said of a file that holds no rules, by its name.
fn of_no_rules(name: &str) -> Option<Diagnostic> {
    let path = Path::new(name);
    let problem = |what: String| Diagnostic::error("E0901", what);
    Some(match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => problem(format!("`{name}` is a folder, and no file of rules."))
            .hint(format!("`--rules {name}` reads the rules in it, and `{name}/*.rules` names its files.")),
        Ok(_) => problem(format!("`{name}` is no file of rules: its name does not end in `.rules`."))
            .hint(format!("Rename it to `{}`.", path.with_extension("rules").display())),
        // No rule has such a name.
        Err(_) if name.contains(['.', '/']) => {
            problem(format!("There is no file `{name}`, and files of rules end in `.rules`."))
                .hint("Name a rule, a file of rules (.rules), or a program (.rise) that has some.")
        }
        Err(_) => return None,
    })
}

/// Lists the rules, or shows one.
fn list(args: &RulesList) -> Result<Exit, Exit> {
    let Definitions { patterns, files, own, tree } = definitions(args.program.as_deref(), &args.rules)?;
    let (mut sources, mut problems) = (Sources::new(), vec![]);
    let (mut rules, _, _) = library(&patterns, &files, own.as_ref(), &mut sources, &mut problems);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(fail_all(&Problems { sources, list: problems }));
    }
    output::diagnostics(&problems, &sources);
    if let Some(tree) = &tree {
        rules.believe(in_program(tree).0);
    }
    match (&args.name, args.json.json) {
        (None, true) => output::json(&Value::Array(rules.rules().map(as_json).collect()))?,
        (None, false) => output::print(&listing(&rules))?,
        (Some(name), as_data) => match (rules.get(name), rules.set(name)) {
            (Some(rule), _) if as_data => output::json(&as_json(rule))?,
            (Some(rule), _) => output::print(&in_full(rule, &aliases(&rules, rule)))?,
            (None, Some(set)) => output::print(&set_in_full(set))?,
            (None, None) => {
                if Path::new(name).exists() {
                    let problem = Diagnostic::error("E0901", format!("`{name}` is a file, and no rule."));
                    let hint = "`--rules DIR` lists the rules of a folder too; `shine-tui rules check FILE` tests those of a file.";
                    return Err(fail(&problem.hint(hint)));
                }
                let problem = Diagnostic::error("E0209", format!("There is no rule `{name}`."));
                let problem = problem.did_you_mean(name, rules.names().map(|n| &**n));
                return Err(fail(&problem.hint("`shine-tui rules` lists them.")));
            }
        },
    }
    Ok(Exit::Done)
}

fn call(rule: &Rule) -> String {
    if rule.params.is_empty() {
        return rule.name.to_string();
    }
    let params: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
    format!("{}({})", rule.name, params.join(", "))
}

fn listing(rules: &RuleSet) -> String {
    let width = columns::widest(rules.rules().map(call), columns::NAMES);
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
            text += &format!("  {}  {}\n", columns::left(&call(rule), width), rule.summary());
        }
    }
    text += "sets\n";
    rules.sets().for_each(|s| {
        text += &format!("  {}  {}\n", columns::left(&set_call(s), width), summary::of(&s.doc))
    });
    text
}

fn aliases(rules: &RuleSet, rule: &Rule) -> Vec<String> {
    rules.aliases().filter(|(_, of)| of.rule == *rule).map(|(name, _)| name.to_string()).collect()
}

fn in_full(rule: &Rule, aliases: &[String]) -> String {
    let mut text = format!("{}\n\n{}\n", rule.text.trim_end(), rule.doc.trim_end());
    for example in rule.examples.iter() {
        text += &format!("\nbefore  {}\nafter   {}\n", example.text.0, example.text.1);
    }
    for (i, mark) in rule.changes().iter().enumerate() {
        let above = if i == 0 { "\n" } else { "" };
        text += &format!("{above}[{}]  {}\n", mark.name(), mark.meaning());
    }
    if let Ok(proof) = prove(rule) {
        text += &format!("\nproved  {proof}\n");
    }
    if !aliases.is_empty() {
        text += &format!("\nalso    {}\n", aliases.join(", "));
    }
    text
}

fn set_in_full(set: &NamedSet) -> String {
    let rules: Vec<String> = set.open.iter().map(ToString::to_string).collect();
    format!("rules {} = {{ {} }}\n\n{}\n", set_call(set), rules.join(", "), set.doc.trim_end())
}

/// A set as it is used, with what its parameters are where they are left out.
fn set_call(set: &NamedSet) -> String {
    let param = |(name, default): &(Name, Option<Nat>)| match default {
        Some(size) => format!("{name} = {size}"),
        None => name.to_string(),
    };
    let params: Vec<String> = set.params.iter().map(param).collect();
    if params.is_empty() { set.name.to_string() } else { format!("{}({})", set.name, params.join(", ")) }
}

fn as_json(rule: &Rule) -> Value {
    let example = |e: &crate::rewrite::rule::Example| json!({ "before": e.text.0, "after": e.text.1 });
    json!({
        "name": &*rule.name,
        "call": call(rule),
        "theme": &*rule.theme,
        "text": *rule.text,
        "doc": *rule.doc,
        "marks": rule.changes().iter().map(Mark::name).collect::<Vec<_>>(),
        "digest": rule.digest.to_string(),
        "examples": rule.examples.iter().map(example).collect::<Vec<_>>(),
    })
}
