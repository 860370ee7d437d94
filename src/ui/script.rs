//! What can be read off strategies without running them: whether one searches, whether it only asks, how it is called.

use std::collections::BTreeSet;

use crate::lang::nat::Name;
use crate::lang::summary;
use crate::lang::syntax::ast::{self, Part, StrategyKind};
use crate::rewrite::strategy::Script;
use crate::rewrite::strategy::native::{self, Changes, Native};
use crate::rewrite::strategy::script::Definition;
use crate::session::workspace::Workspace;

/// Whether a strategy, or one that it calls, runs a search.
pub fn searches(workspace: &Workspace, text: &str) -> bool {
    let Ok(strategy) = workspace.parse_strategy(text) else { return false };
    let mut known: BTreeSet<Name> = BTreeSet::new();
    reaches(&strategy.tree, &workspace.script, &mut known)
}

/// What is to be searched with, as it was typed or, of a sketch alone, with the `reach` that goes without saying. None is a strategy
/// that does not search.
pub fn as_search(workspace: &Workspace, text: &str) -> Option<String> {
    // What is wrong with a search is told when it is run.
    if searches(workspace, text) || text.trim_start().starts_with("reach") {
        return Some(text.to_owned());
    }
    let begins = text.trim_start().split(|c: char| !c.is_alphanumeric()).next();
    // A sketch may have the name of a strategy; only of a search it is said with which rules.
    let with_rules = text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "using");
    let is_strategy = !with_rules && names(workspace).any(|name| Some(name) == begins);
    (!is_strategy).then(|| format!("reach {text}"))
}

fn reaches(strategy: &ast::Strategy, script: &Script, known: &mut BTreeSet<Name>) -> bool {
    let called = match &strategy.kind {
        StrategyKind::Reach(_) => return true,
        StrategyKind::Name(name) => Some(name),
        StrategyKind::Call(name, _) => Some(&name.kind),
        _ => None,
    };
    if let Some(definition) = called.and_then(|name| script.strategy(name))
        && known.insert(definition.name.clone())
        && definition.clauses.iter().any(|clause| reaches(&clause.def.body, script, known))
    {
        return true;
    }
    let mut found = false;
    Part::Strategy(strategy).for_each(&mut |part| {
        if let Part::Strategy(inner) = part {
            found = found || reaches(inner, script, known);
        }
    });
    found
}

/// Whether a strategy changes nothing and only asks: its name says so, or all that it is made of only asks.
pub fn only_asks(workspace: &Workspace, definition: &Definition) -> bool {
    let mut known = BTreeSet::new();
    asks(workspace, definition, &mut known)
}

/// Is it said to be a question, by its name or in words?
fn is_question(definition: &Definition) -> bool {
    let named = definition.name.strip_prefix("is").and_then(|rest| rest.chars().next());
    named.is_some_and(|c| c.is_ascii_uppercase()) || summary::of(definition.doc()).ends_with('?')
}

fn asks(workspace: &Workspace, definition: &Definition, known: &mut BTreeSet<Name>) -> bool {
    // What is looked at already asks if all else does.
    is_question(definition)
        || !known.insert(definition.name.clone())
        || definition.clauses.iter().all(|clause| {
            let params = clause.def.params.iter().flat_map(|shape| shape.kind.names()).collect();
            all_ask(workspace, &clause.def.body, &params, known)
        })
}

/// What a strategy is given as a parameter may change something.
fn all_ask(
    workspace: &Workspace,
    strategy: &ast::Strategy,
    params: &BTreeSet<Name>,
    known: &mut BTreeSet<Name>,
) -> bool {
    let name = match &strategy.kind {
        StrategyKind::Satisfies(_) | StrategyKind::Number(_) | StrategyKind::Compare(..) => return true,
        StrategyKind::Reach(_) | StrategyKind::Error => return false,
        StrategyKind::Name(name) => Some(name),
        StrategyKind::Call(name, _) => Some(&name.kind),
        _ => None,
    };
    if let Some(name) = name {
        match changes(workspace, name, params, known) {
            Changes::Nothing => return true,
            Changes::AsItsArguments => {}
            Changes::Something => return false,
        }
    }
    let mut all = true;
    Part::Strategy(strategy).for_each(&mut |part| {
        if let Part::Strategy(inner) = part {
            all = all && all_ask(workspace, inner, params, known);
        }
    });
    all
}

fn changes(
    workspace: &Workspace,
    name: &Name,
    params: &BTreeSet<Name>,
    known: &mut BTreeSet<Name>,
) -> Changes {
    if params.contains(name) {
        return Changes::Something;
    }
    if let Some(native) = Native::find(name, workspace.rules.patterns()) {
        return native.changes();
    }
    match workspace.script.strategy(name) {
        Some(definition) if asks(workspace, definition, known) => Changes::Nothing,
        _ => Changes::Something,
    }
}

/// A strategy with its parameters as they are written, such as `tile(x, y)`; a rule with its own.
pub fn signature(workspace: &Workspace, name: &str) -> Option<String> {
    if let Some(definition) = workspace.script.strategy(name) {
        return Some(definition.call(&workspace.sources));
    }
    let rule = workspace.rules.get(name)?;
    let params: Vec<String> = rule.params.iter().map(|p| format!("{}: {}", p.name, p.kind.word())).collect();
    Some(if params.is_empty() { name.to_owned() } else { format!("{name}({})", params.join(", ")) })
}

/// Whether a strategy, a rule or a set of rules has this name.
pub fn is_known(workspace: &Workspace, name: &str) -> bool {
    workspace.script.is_taken(name, &workspace.rules) || workspace.rules.sets().any(|set| *set.name == *name)
}

/// The names of strategies and rules.
pub fn names(workspace: &Workspace) -> impl Iterator<Item = &str> {
    let defined = workspace.script.strategies().map(|strategy| &*strategy.name);
    let rules = workspace.rules.callable().map(|(name, _)| &**name);
    defined.chain(rules).chain(native::TABLE.iter().map(|row| row.name))
}
