//! The guides that searches made, as ELEVATE text: sketches, and strategies that search towards one after the other with
//! the rules that were chosen, as somebody would have written them. Whatever is written was run.

use super::guided::Made;
use super::jobs::Control;
use super::searching::{Examined, Replayed};
use super::state::Progress;
use super::workspace::Workspace;
use crate::lang::diag::sentence;
use crate::lang::eval::Sizes;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::search::held_as_options;

/// Between the rules of a set.
const WIDTH: usize = 100;

/// A definition for each sketch, and a strategy for each search that made guides, where these sizes were given.
///
/// # Errors
/// Why they cannot be written, in a sentence.
pub fn written(workspace: &Workspace, sizes: &Sizes, searches: &[Examined]) -> Result<String, String> {
    let mut text = String::new();
    let mut taken = vec![];
    for chain in chains(searches) {
        text += &one(workspace, sizes, &chain, &mut taken)?;
    }
    if text.is_empty() {
        Err("No search made guides: `reach SKETCH` without `using` does.".to_owned())
    } else {
        Ok(text)
    }
}

/// The searches that made guides and got to their goals.
fn chains(searches: &[Examined]) -> Vec<Vec<(&Examined, &Made)>> {
    let (mut out, mut now) = (vec![], vec![]);
    for search in searches {
        let Some(made) = &search.guide else { continue };
        now.push((search, made));
        if made.is_goal {
            out.push(std::mem::take(&mut now));
        }
    }
    out.retain(|chain: &Vec<(&Examined, &Made)>| chain.iter().all(|(s, _)| s.report.found().is_some()));
    out
}

fn one(
    workspace: &Workspace,
    sizes: &Sizes,
    chain: &[(&Examined, &Made)],
    taken: &mut Vec<String>,
) -> Result<String, String> {
    let (mut text, mut calls) = (String::new(), vec![]);
    for (search, made) in chain {
        let sketch = if made.is_goal {
            made.sketch.clone()
        } else {
            let name = free(workspace, "guide", taken);
            text += &format!("--| {}.\nsketch {name} =\n  {}\n\n", sentence(&made.what), made.sketch);
            name
        };
        calls.push(format!("reach {sketch} {}", options(workspace, sizes, search, made)?));
    }
    let name = free(workspace, "guided", taken);
    let goal = chain.last().map_or("", |(_, made)| &made.sketch);
    let count = chain.len() - 1;
    let guides = match count {
        0 => "without a guide".to_owned(),
        1 => "by one guide".to_owned(),
        _ => format!("by {count} guides"),
    };
    text += &format!("--| Searches for {goal}, {guides}.\nstrategy {name} =\n  {}\n\n", calls.join(" ;\n  "));
    Ok(text)
}

/// The fewest rules and options with which the search is known to find what it found: the rules on the way, or those that
/// matched.
fn options(workspace: &Workspace, sizes: &Sizes, search: &Examined, made: &Made) -> Result<String, String> {
    let all = || made.rules.iter().map(ToString::to_string);
    let on_the_way = all().filter(|label| search.on_the_way.contains(label)).collect();
    let has_matched = |label: &String| search.report.rules.iter().any(|r| r.label == *label && r.matches > 0);
    let rules: [Vec<String>; 3] = [on_the_way, all().filter(has_matched).collect(), all().collect()];
    let exact = Some(made.exact.as_str()).filter(|exact| !exact.is_empty());
    let found = search.report.found().map(|f| f.term.digest());
    let leads = |options: &String| {
        let text = format!("reach {} {options}", made.sketch);
        run(workspace, sizes, &text, &search.start).map(|t| t.digest()) == found
    };
    let mut ways = rules
        .iter()
        .flat_map(|rules| [Some(""), exact].into_iter().flatten().map(|exact| using(rules, made, exact)));
    ways.find(leads).ok_or_else(|| format!("The search for {} does not repeat what was found.", made.sketch))
}

fn using(rules: &[String], made: &Made, exact: &str) -> String {
    let mut lines = vec![String::new()];
    for (i, rule) in rules.iter().enumerate() {
        let comma = if i + 1 < rules.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.len() + rule.len() < WIDTH => *line += &format!(" {rule}{comma}"),
            _ => lines.push(format!("   {rule}{comma}")),
        }
    }
    let is_used = |name: &str| rules.iter().any(|r| r.split('(').next() == Some(name));
    let held = held_as_options(made.held.iter().filter(|h| is_used(&h.rule)));
    let held: String = held.iter().map(|option| format!(", {option}")).collect();
    format!("using {{{} }} with (nodes: {}{}{exact}{held})", lines.join("\n "), made.nodes, made.options)
}

fn run(workspace: &Workspace, sizes: &Sizes, text: &str, start: &Term) -> Option<Term> {
    let strategy = workspace.parse_strategy(text).ok()?.knowing(sizes);
    let control = Control::unwatched(Progress::Strategy { tried: 0, applied: 0 });
    let end = workspace.run_strategy(start, &strategy, &Path::root(), &Replayed::none(), &control);
    end.result.ok().map(|change| change.term)
}

/// A name that nothing has: `guide1`, `guide2`, …
fn free(workspace: &Workspace, word: &str, taken: &mut Vec<String>) -> String {
    let name = workspace.free_name((1..).map(|n| format!("{word}{n}")), taken).unwrap_or_default();
    taken.push(name.clone());
    name
}
