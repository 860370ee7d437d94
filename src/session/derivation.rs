//! What searches found as a strategy: ELEVATE text that makes the same rewrites without an e-graph.
//!
//! A place is said by a traversal where one leads there (`topDown(splitJoin(32))`), else step by step; whatever is
//! written was run and gave what the search found.

use super::history::RevisionStep;
use super::searching::{BACKWARDS, Examined};
use super::workspace::Workspace;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::strategy::at_position;

/// The strategy whose normal form programs are in between two steps.
const NORMAL: &str = "BENF";

/// Traversals pass over so many places at which a rule would apply.
const MOST_SKIPPED: usize = 4;

/// The strategies of searches that followed each other, and one that runs them all.
///
/// # Errors
/// Why one cannot be written, in a sentence.
pub fn written(workspace: &Workspace, searches: &[Examined]) -> Result<String, String> {
    let mut names: Vec<String> = vec![];
    let mut text = String::new();
    // A search that found nothing, where a strategy tried another way, is no part of the way.
    let found: Vec<&Examined> = searches.iter().filter(|s| s.report.found().is_some()).collect();
    for search in found {
        let steps = search.steps.as_ref().map_err(Clone::clone)?;
        let name = name_of(&search.sketch, &names);
        let lines = strategies(workspace, &search.start, steps)?;
        let body = if lines.is_empty() { "id".to_owned() } else { lines.join(" ;\n  ") };
        let last = steps.last().map_or(&search.start, |s| &s.after);
        if run(workspace, &body, &search.start).as_ref() != Some(last) {
            return Err(format!("The strategy of `{}` does not repeat what the search did.", search.sketch));
        }
        let count =
            if steps.len() == 1 { "One rewrite".to_owned() } else { format!("{} rewrites", steps.len()) };
        text += &format!("--| {count} towards {}.\n", search.sketch);
        text += &format!("strategy {name} =\n  {body}\n\n");
        names.push(name);
    }
    if names.len() > 1 {
        text += &format!("strategy wholeWay =\n  {}\n", names.join(" ;\n  "));
    }
    Ok(text)
}

/// A name after the sketch's, other than those before.
fn name_of(sketch: &str, taken: &[String]) -> String {
    let word: String = sketch.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let word =
        if word.is_empty() || word == "contains" { "found".to_owned() } else { format!("{word}Found") };
    let numbered = (2..).map(|n| format!("{word}{n}"));
    std::iter::once(word.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(word)
}

fn run(workspace: &Workspace, text: &str, term: &Term) -> Option<Term> {
    let strategy = workspace.parse_strategy(text).ok()?;
    workspace.run_without_search(&strategy.tree, term).ok().map(|done| done.term)
}

/// One strategy for each step. Reductions are not written one by one, nor taken back: from step to step the program is
/// in normal form.
fn strategies(workspace: &Workspace, start: &Term, steps: &[RevisionStep]) -> Result<Vec<String>, String> {
    let normal =
        |t: &Term| run(workspace, NORMAL, t).ok_or("A program of the way has no normal form.".to_owned());
    let first = normal(start)?;
    let mut lines: Vec<String> = if first == *start { vec![] } else { vec![NORMAL.to_owned()] };
    let states = steps.iter().map(|s| normal(&s.after)).collect::<Result<Vec<Term>, String>>()?;
    if steps.last().is_some_and(|s| states.last() != Some(&s.after)) {
        return Err("The program that was found is not in normal form.".to_owned());
    }
    // What is done and taken back is left out.
    let (mut now, mut next) = (&first, 0);
    loop {
        next = states.iter().rposition(|s| s == now).map_or(next, |same| same + 1);
        let (Some(step), Some(then)) = (steps.get(next), states.get(next)) else { break };
        lines.push(one(workspace, now, step, then)?);
        (now, next) = (then, next + 1);
    }
    Ok(grouped(lines))
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

/// A strategy that makes the step from one normal form to the next.
fn one(workspace: &Workspace, now: &Term, step: &RevisionStep, then: &Term) -> Result<String, String> {
    let leads = |text: &String| run(workspace, text, now).as_ref() == Some(then);
    let backwards = step.rule.strip_suffix(BACKWARDS);
    let label = backwards.unwrap_or(&step.rule);
    let rules = match backwards {
        None => vec![step.rule.clone()],
        Some(_) => others(workspace),
    };
    let places: Vec<Path> = now.positions().into_iter().map(|(path, _)| path).collect();
    for rule in rules {
        let applied = |at: &&Path| workspace.apply(now, &rule, at).ok();
        let reduced = |t: Term| run(workspace, NORMAL, &t).as_ref() == Some(then);
        let Some(at) = places.iter().find(|at| applied(at).is_some_and(|done| reduced(done.term))) else {
            continue;
        };
        let skipped = (1..=MOST_SKIPPED).map(|n| format!("skip({n}, {rule})"));
        let traversals = [rule.clone(), format!("topDown({rule})"), format!("bottomUp({rule})")];
        let ways = traversals.into_iter().chain(skipped).chain([at_position(now, at, &rule)]);
        let ways = ways.flat_map(|way| [way.clone(), format!("({way} ; {NORMAL})")]);
        if let Some(found) = ways.into_iter().find(leads) {
            return Ok(found);
        }
    }
    Err(match backwards {
        None => format!("`{label}` does not make its step on programs in normal form."),
        Some(_) => format!(
            "A step uses `{label}` from right to left, and no rule without parameters leads that way."
        ),
    })
}

/// The rules that need no arguments.
fn others(workspace: &Workspace) -> Vec<String> {
    workspace.rules.rules().filter(|r| r.params.is_empty()).map(|r| r.name.to_string()).collect()
}
