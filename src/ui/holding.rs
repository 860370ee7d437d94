//! Holding a rule of the last search back: the one that grows the graph most is seen first, and the search goes on without it.

use super::app::App;
use super::popup::{Choice, Item, Popup, Value};
use crate::rewrite::search::{Grown, RuleReport};
use crate::session::best::Search;
use crate::view::figures;
use crate::view::{Role, problem, search};
use std::time::Duration;

/// Asks which of the rules that matched something is held back; taking one types the search that does so.
pub fn hold(app: &mut App) {
    let (Some(text), Some(progress)) = (app.search.clone(), app.found.progress.clone()) else { return };
    let search = match Search::read(app.session.workspace(), &text) {
        Ok(search) => search,
        Err(problem) => return app.say(Role::Warning, problem::in_a_line(&problem)),
    };
    let after = after(&progress.now.grown, progress.now.bound);
    let item = |held: &Held<'_>| {
        let on_the_way = held.labels.iter().any(|label| app.found.way.iter().any(|step| step == label));
        let way = if on_the_way { "on the way to what was found; " } else { "" };
        let of = match held.labels.len() {
            1 => String::new(),
            n => format!("with {n} choices of arguments, "),
        };
        Item {
            name: held.title().to_owned(),
            key: match held.nodes {
                1 => "1 node".to_owned(),
                n => format!("{} nodes", figures::count(n as u64)),
            },
            doc: format!(
                "{way}{of}{} {}, {}, {}",
                figures::count(held.matches as u64),
                if held.matches == 1 { "match" } else { "matches" },
                figures::time(held.time.as_secs_f64() * 1e9),
                figures::bytes(held.memory)
            ),
            disabled: None,
            value: Value::Search(search.holding(held.name, after)),
        }
    };
    let items: Vec<Item> = held(&progress.now.rules).iter().map(item).collect();
    if items.is_empty() {
        return app.say(Role::Warning, "No rule of the last search has matched anything.");
    }
    let iterations = if after == 1 { "one iteration".to_owned() } else { format!("{after} iterations") };
    let title = format!("Hold which rule back after {iterations}?");
    app.popups.push(Popup::Choice(Box::new(Choice::new(title, items, None))));
}

/// A rule that can be held back, which is done whatever its arguments: what it came to with all of them.
struct Held<'a> {
    name: &'a str,
    /// The rule with each of its arguments.
    labels: Vec<&'a str>,
    nodes: usize,
    matches: usize,
    time: Duration,
    memory: u64,
}

impl Held<'_> {
    /// Its arguments are said where there are none but these.
    fn title(&self) -> &str {
        match self.labels[..] {
            [label] => label,
            _ => self.name,
        }
    }
}

/// The rules that matched something, those that grow the graph most first.
fn held(all: &[RuleReport]) -> Vec<Held<'_>> {
    let mut out: Vec<Held<'_>> = vec![];
    for rule in search::fired(all) {
        let name = rule.label.split('(').next().unwrap_or_default();
        let known = out.iter().position(|held| held.name == name);
        let at = known.unwrap_or(out.len());
        if known.is_none() {
            let (labels, time) = (vec![], Duration::ZERO);
            out.push(Held { name, labels, nodes: 0, matches: 0, time, memory: 0 });
        }
        let held = &mut out[at];
        held.labels.push(&rule.label);
        held.nodes += rule.nodes;
        held.matches += rule.matches;
        held.time += rule.time;
        held.memory += rule.memory;
    }
    out.sort_by_key(|held| std::cmp::Reverse(held.nodes));
    out
}

/// After how many iterations a rule is held back: from here on, so that the search goes on with its graph; of one that has met its
/// limit of nodes, as its report has it, before most of them came.
fn after(grown: &[Grown], bound: usize) -> usize {
    let nodes = grown.last().map_or(0, |last| last.nodes);
    let full = nodes >= bound;
    let before = grown.iter().position(|then| 10 * then.nodes >= nodes).filter(|_| full);
    before.unwrap_or(grown.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule is held back with all its arguments, so what it came to with all of them is told.
    #[test]
    fn a_rule_is_told_once_with_all_that_it_came_to() {
        let rule = |label: &str, nodes| RuleReport {
            label: label.to_owned(),
            nodes,
            matches: 10,
            memory: 100,
            ..RuleReport::default()
        };
        let all =
            [rule("splitJoin(8)", 25), rule("mapFusion", 40), rule("splitJoin(4)", 30), rule("slide(3)", 1)];
        let held = held(&all);
        let told: Vec<_> = held.iter().map(|h| (h.title(), h.name, h.nodes, h.matches, h.memory)).collect();
        assert_eq!(
            told,
            [
                ("splitJoin", "splitJoin", 55, 20, 200),
                ("mapFusion", "mapFusion", 40, 10, 100),
                ("slide(3)", "slide", 1, 10, 100),
            ]
        );
    }
}
