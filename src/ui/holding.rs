//! Holding a rule of the last search back: the one that grows the graph most is seen first, and the search goes on without it.

use super::app::App;
use super::popup::{Choice, Item, Popup, Value};
use crate::rewrite::search::Grown;
use crate::session::best::Search;
use crate::view::figures;
use crate::view::{Role, problem, search};

/// Asks which of the rules that matched something is held back; taking one types the search that does so.
pub fn hold(app: &mut App) {
    let (Some(text), Some(progress)) = (app.search.clone(), app.found.progress.clone()) else { return };
    let search = match Search::read(app.session.workspace(), &text) {
        Ok(search) => search,
        Err(problem) => return app.say(Role::Warning, problem::in_a_line(&problem)),
    };
    let after = after(&progress.now.grown, progress.now.bound);
    let mut names: Vec<&str> = vec![];
    let mut items = vec![];
    for rule in search::fired(&progress.now.rules) {
        // A rule is held back whatever its arguments.
        let name = rule.label.split('(').next().unwrap_or_default();
        if names.contains(&name) {
            continue;
        }
        names.push(name);
        let way = if app.found.way.contains(&rule.label) { "on the way to what was found; " } else { "" };
        items.push(Item {
            name: rule.label.clone(),
            key: match rule.nodes {
                1 => "1 node".to_owned(),
                n => format!("{} nodes", figures::count(n as u64)),
            },
            doc: format!(
                "{way}{} {}, {}, {}",
                figures::count(rule.matches as u64),
                if rule.matches == 1 { "match" } else { "matches" },
                figures::time(rule.time.as_secs_f64() * 1e9),
                figures::bytes(rule.memory)
            ),
            disabled: None,
            value: Value::Search(search.holding(name, after)),
        });
    }
    if items.is_empty() {
        return app.say(Role::Warning, "No rule of the last search has matched anything.");
    }
    let iterations = if after == 1 { "one iteration".to_owned() } else { format!("{after} iterations") };
    let title = format!("Hold which rule back after {iterations}?");
    app.popups.push(Popup::Choice(Box::new(Choice::new(title, items, None))));
}

/// After how many iterations a rule is held back: from here on, so that the search goes on with its graph; of one that has met its
/// limit of nodes, as its report has it, before most of them came.
fn after(grown: &[Grown], bound: usize) -> usize {
    let nodes = grown.last().map_or(0, |last| last.nodes);
    let full = nodes >= bound;
    let before = grown.iter().position(|then| 10 * then.nodes >= nodes).filter(|_| full);
    before.unwrap_or(grown.len()).max(1)
}
