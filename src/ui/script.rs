//! What can be read off strategies without running them: whether one searches, whether it only asks, how it is called.

use std::collections::BTreeSet;

use crate::lang::nat::Name;
use crate::lang::syntax::ast::{self, Part, StrategyKind};
use crate::rewrite::strategy::Script;
use crate::rewrite::strategy::native::{Changes, Native};
use crate::rewrite::strategy::script::Definition;
use crate::session::workspace::Workspace;

/// Whether a strategy, or one that it calls, runs a search.
pub fn searches(workspace: &Workspace, text: &str) -> bool {
    let Ok(strategy) = workspace.parse_strategy(text) else { return false };
    let mut known: BTreeSet<Name> = BTreeSet::new();
    reaches(&strategy.tree, &workspace.script, &mut known)
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

fn is_question(name: &str) -> bool {
    name.strip_prefix("is").and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_ascii_uppercase())
}

fn asks(workspace: &Workspace, definition: &Definition, known: &mut BTreeSet<Name>) -> bool {
    // What is looked at already asks if all else does.
    is_question(&definition.name)
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
        let written = definition.clauses.iter().map(|clause| workspace.sources.text(clause.span));
        // The clause that names its parameters; others are for special values of them.
        let named = definition.params().into_iter().find(|p| &**p != "_");
        let named = named.as_deref().unwrap_or_default().to_owned();
        let heads: Vec<&str> = written.filter_map(|text| head(text, name)).collect();
        let best = heads.iter().find(|head| head.contains(&named)).or(heads.first());
        return Some(best.map_or_else(|| name.to_owned(), |head| (*head).to_owned()));
    }
    let rule = workspace.rules.get(name)?;
    let params: Vec<String> = rule.params.iter().map(|p| format!("{}: {}", p.name, p.kind.word())).collect();
    Some(if params.is_empty() { name.to_owned() } else { format!("{name}({})", params.join(", ")) })
}

/// `tile(x, y)` of `strategy tile(x, y) = …`.
fn head<'a>(clause: &'a str, name: &str) -> Option<&'a str> {
    let start = clause.find(&format!("strategy {name}"))? + "strategy ".len();
    let rest = clause.get(start..)?;
    let mut depth = 0i32;
    let end = rest.char_indices().find_map(|(i, c)| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        (depth == 0 && (c == ')' || c == '=')).then_some(if c == ')' { i + 1 } else { i })
    })?;
    rest.get(..end).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_clause_is_what_a_call_looks_like() {
        assert_eq!(head("strategy tile(x, y) = tileList([x, y])", "tile"), Some("tile(x, y)"));
        assert_eq!(head("strategy b(x = 32, y = f(3)) =\n  x", "b"), Some("b(x = 32, y = f(3))"));
        assert_eq!(head("--| Doc.\nstrategy tidy =\n  normalize(id)", "tidy"), Some("tidy"));
    }
}
