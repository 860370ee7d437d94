//! What searches found as a strategy: ELEVATE text that makes the same rewrites without an e-graph.
//!
//! A place is said by a traversal where one leads there (`topDown(splitJoin(32))`), else step by step; whatever is
//! written was run and gave what the search found.

use super::history::RevisionStep;
use super::jobs::Control;
use super::searching::{Examined, FROM_THE_RIGHT};
use super::shortcut;
use super::state::Progress;
use super::unreduced::{expanded_first, expansions};
use super::workspace::{Examination, Leg, StrategyText, Workspace};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::rule::right_to_left::RIGHT_TO_LEFT;
use crate::rewrite::strategy::at_position;

/// The strategy whose normal form programs are in between two steps.
pub(super) const NORMAL: &str = "BENF";

/// What strategies end their steps in.
const NORMALISING: [&str; 2] = [NORMAL, "DFNF"];

/// Traversals pass over so many places at which a rule would apply.
const MOST_SKIPPED: usize = 9;

/// The strategy that makes of a program, without a search, what this one makes of it.
///
/// # Errors
/// It does not get to its end, or `E0419`: its rewrites cannot be written.
pub fn frozen(
    workspace: &Workspace,
    term: &Term,
    strategy: &StrategyText,
    control: &Control<Progress>,
) -> Result<String, Diagnostic> {
    let Examination { end, searches, way } = workspace.examine(term, strategy, 1, control);
    end.result?;
    written(workspace, &searches, &way).map_err(not_written)
}

/// What is told where the rewrites of searches cannot be written.
pub fn not_written(why: String) -> Diagnostic {
    Diagnostic::error("E0419", "The rewrites cannot be written as a strategy.").note(why)
}

/// The strategies of searches that followed each other and of the rewrites in between, and one that runs them all.
///
/// # Errors
/// Why one cannot be written, in a sentence.
pub fn written(workspace: &Workspace, searches: &[Examined], way: &[Leg]) -> Result<String, String> {
    let mut names: Vec<String> = vec![];
    let (mut text, mut calls, mut bodies) = (String::new(), vec![], vec![]);
    if way.is_empty() {
        calls.push("id".to_owned());
    }
    for leg in way {
        let (name, doc, lines) = match leg.reach {
            Some(reach) => found(workspace, searches, reach, &names)?,
            None => (
                free(workspace, "rewrites", &names),
                format!("{} that a strategy makes.", count(leg.steps.len())),
                rewrites(workspace, &leg.before, &leg.steps)?,
            ),
        };
        let body = if lines.is_empty() { "id".to_owned() } else { lines.join(" ;\n  ") };
        text += &format!("--| {doc}\nstrategy {name} =\n  {body}\n\n");
        let there = |strategy: &str| match leg.reach {
            Some(_) => at_position(&leg.before, &leg.at, strategy),
            None => strategy.to_owned(),
        };
        calls.push(there(&name));
        bodies.push(there(&format!("({body})")));
        names.push(name);
    }
    if let (Some(first), Some(last)) = (way.first(), way.iter().rev().find_map(|leg| leg.steps.last()))
        && run(workspace, &bodies.join(" ; "), &first.before).as_ref() != Some(&last.after)
    {
        return Err("The strategies do not repeat what was done.".to_owned());
    }
    if let ([one], [name]) = (&calls[..], &names[..])
        && one == name
    {
        return Ok(text);
    }
    text += &format!("strategy {} =\n  {}\n", free(workspace, "wholeWay", &names), calls.join(" ;\n  "));
    Ok(text)
}

/// The name of what a search found, what it is, and its lines.
fn found(
    workspace: &Workspace,
    searches: &[Examined],
    (start, end): (Digest, Digest),
    taken: &[String],
) -> Result<(String, String, Vec<String>), String> {
    let is_it =
        |s: &&Examined| s.start.digest() == start && s.report.found().is_some_and(|f| f.term.digest() == end);
    let search = searches.iter().find(is_it).ok_or("The rewrites of a search are not known.")?;
    let steps = search.steps.as_ref().map_err(Clone::clone)?;
    let word: String = search.sketch.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let word =
        if word.is_empty() || word == "contains" { "found".to_owned() } else { format!("{word}Found") };
    let matched = search.report.rules.iter().filter(|r| r.matches > 0).map(|r| r.label.as_str());
    let lines = strategies(workspace, &search.start, steps, &matched.collect::<Vec<_>>())?;
    let of = match steps.len() {
        all if all == lines.len() => String::new(),
        all => format!(", of {all} that the search tells"),
    };
    let doc = format!("{} towards {}{of}.", count(lines.len()), search.sketch);
    Ok((free(workspace, &word, taken), doc, grouped(lines)))
}

fn count(steps: usize) -> String {
    if steps == 1 { "One rewrite".to_owned() } else { format!("{steps} rewrites") }
}

/// The name, with a number where it is taken.
fn free(workspace: &Workspace, word: &str, taken: &[String]) -> String {
    let numbered = (2..).map(|n| format!("{word}{n}"));
    let names = std::iter::once(word.to_owned()).chain(numbered);
    workspace.free_name(names, taken).unwrap_or_else(|| word.to_owned())
}

pub(super) fn run(workspace: &Workspace, text: &str, term: &Term) -> Option<Term> {
    let strategy = workspace.parse_strategy(text).ok()?;
    workspace.run_without_search(&strategy.tree, term, None).ok().map(|done| done.term)
}

/// The rewrites of a strategy between searches, each exactly as it was made. Where many of them make a normal form, that
/// is written.
fn rewrites(workspace: &Workspace, start: &Term, steps: &[RevisionStep]) -> Result<Vec<String>, String> {
    let (mut lines, mut now, mut rest) = (vec![], start, steps);
    while let Some((step, others)) = rest.split_first() {
        let whole = NORMALISING.iter().filter_map(|normal| {
            let end = run(workspace, normal, now)?;
            let at = rest.iter().rposition(|s| s.after == end).filter(|at| *at > 0)?;
            Some((at, *normal))
        });
        if let Some((at, normal)) = whole.max_by_key(|(at, _)| *at) {
            lines.push(normal.to_owned());
            (now, rest) = (&rest[at].after, &rest[at + 1..]);
            continue;
        }
        let ways = [step.rule.clone(), format!("topDown({})", step.rule), format!("bottomUp({})", step.rule)];
        let mut ways = ways.into_iter().chain([at_position(now, &step.at, &step.rule)]);
        let line = ways.find(|way| run(workspace, way, now).as_ref() == Some(&step.after));
        lines.push(line.ok_or_else(|| format!("`{}` cannot be written with its arguments.", step.rule))?);
        (now, rest) = (&step.after, others);
    }
    Ok(grouped(lines))
}

/// One strategy for each step. Reductions are not written one by one, nor taken back: from step to step the program is
/// in normal form.
fn strategies(
    workspace: &Workspace,
    start: &Term,
    steps: &[RevisionStep],
    matched: &[&str],
) -> Result<Vec<String>, String> {
    let normal =
        |t: &Term| run(workspace, NORMAL, t).ok_or("A program of the way has no normal form.".to_owned());
    let first = normal(start)?;
    let states = steps.iter().map(|s| normal(&s.after)).collect::<Result<Vec<Term>, String>>()?;
    // The program that is found need not be in normal form: the last steps are made exactly.
    let by_normal_forms = steps.iter().zip(&states).rposition(|(s, normal)| s.after == *normal);
    let (steps, exact) = steps.split_at(by_normal_forms.map_or(0, |last| last + 1));
    let states = &states[..steps.len()];
    let begins_so = steps.is_empty() || first == *start;
    let mut lines: Vec<String> = if begins_so { vec![] } else { vec![NORMAL.to_owned()] };
    lines.extend(shortcut::shortest(workspace, &first, start, steps, states, matched)?);
    let mut now = steps.last().map_or(start, |s| &s.after);
    for step in exact {
        lines.push(exactly(workspace, now, step)?);
        now = &step.after;
    }
    Ok(lines)
}

/// A strategy that makes a step as it was made.
fn exactly(workspace: &Workspace, now: &Term, step: &RevisionStep) -> Result<String, String> {
    let at = |strategy: &str| at_position(now, &step.at, strategy);
    let ways = match step.rule.strip_suffix(FROM_THE_RIGHT) {
        None => vec![format!("topDown({})", step.rule), at(&step.rule)],
        Some(rule) => {
            let part = step.after.at(&step.at);
            let expanded = part.map(|part| expansions(part, &|t| Some(t.clone()))).unwrap_or_default();
            std::iter::once(format!("{RIGHT_TO_LEFT}({rule})")).chain(expanded).map(|way| at(&way)).collect()
        }
    };
    let found = ways.into_iter().find(|way| run(workspace, way, now).as_ref() == Some(&step.after));
    found.ok_or_else(|| format!("A step uses `{}`, which cannot be written there.", step.rule))
}

/// Lines that follow each other and are the same, as one.
fn grouped(lines: Vec<String>) -> Vec<String> {
    let mut out: Vec<(String, usize)> = vec![];
    for line in lines {
        match out.last_mut() {
            Some((last, times)) if *last == line => *times += 1,
            _ => out.push((line, 1)),
        }
    }
    let text = |(line, times): (String, usize)| match times {
        1 => line,
        _ => format!("repeatN({times}, {line})"),
    };
    out.into_iter().map(text).collect()
}

/// A strategy that makes the step from one normal form to the next. Where its rule was used from right to left, another
/// rule that leads there says more than that one read backwards.
pub(super) fn one(
    workspace: &Workspace,
    now: &Term,
    before: &Term,
    step: &RevisionStep,
    then: &Term,
) -> Result<String, String> {
    let leads = |text: &String| run(workspace, text, now).as_ref() == Some(then);
    let label = step.rule.strip_suffix(FROM_THE_RIGHT);
    let rules: Vec<String> = match label {
        None => std::iter::once(step.rule.clone()).chain(others(workspace)).collect(),
        Some(label) => others(workspace).chain([format!("{RIGHT_TO_LEFT}({label})")]).collect(),
    };
    if let Some(found) = rules.iter().find_map(|rule| placed(workspace, now, rule, then)) {
        return Ok(found);
    }
    if let Some(found) = expanded_first(now, before, step).into_iter().find(leads) {
        return Ok(found);
    }
    Err(match label {
        None => format!("`{}` does not make its step on programs in normal form.", step.rule),
        Some(label) => format!(
            "A step uses `{label}` from right to left, and neither that nor another rule makes it on programs in normal form."
        ),
    })
}

/// The rule where it makes the step from one normal form to the next, with its place.
pub(super) fn placed(workspace: &Workspace, now: &Term, rule: &str, then: &Term) -> Option<String> {
    let at = place(workspace, now, &workspace.parse_strategy(rule).ok()?, then)?;
    let skipped = (1..=MOST_SKIPPED).map(|n| format!("skip({n}, {rule})"));
    let traversals = [rule.to_owned(), format!("topDown({rule})"), format!("bottomUp({rule})")];
    let ways = traversals.into_iter().chain(skipped).chain([at_position(now, &at, rule)]);
    let mut ways = ways.flat_map(or_normalised);
    ways.find(|way| run(workspace, way, now).as_ref() == Some(then))
}

/// Where a rule makes of a program what has this normal form.
pub(super) fn place(workspace: &Workspace, now: &Term, rule: &StrategyText, then: &Term) -> Option<Path> {
    let makes_it = |(at, part): &(Path, &Term)| {
        let after = workspace.run_without_search(&rule.tree, part, None).ok().map(|done| done.term);
        let whole = after.and_then(|after| now.replace_at(at, after));
        whole.is_some_and(|t| run(workspace, NORMAL, &t).as_ref() == Some(then))
    };
    now.positions().into_iter().find(makes_it).map(|(at, _)| at)
}

/// A way, and the same one with what it makes brought into normal form.
pub(super) fn or_normalised(way: String) -> [String; 2] {
    let normalised = format!("({way} ; {NORMAL})");
    [way, normalised]
}

/// The rules that need no arguments.
fn others(workspace: &Workspace) -> impl Iterator<Item = String> {
    workspace.rules.rules().filter(|r| r.params.is_empty()).map(|r| r.name.to_string())
}
