//! What is known of a search before it begins: that its sketch is satisfied by nothing that its rules make, or hardly so, or by the
//! program as it is.

use super::searching::{of_other_type, undecided};
use super::workspace::{StrategyText, Workspace};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::path::Path;
use crate::lang::syntax::ast::StrategyKind;
use crate::lang::term::Term;
use crate::rewrite::guide::{filled, unmade};
use crate::rewrite::rule::Rewritten;
use crate::rewrite::search::forecast::unmet;
use crate::rewrite::search::refuted::{contradiction, possible};
use crate::rewrite::sketch::holes::sizes_in;
use crate::rewrite::sketch::{self, Sketch};
use crate::rewrite::strategy::{self, ReachRequest, SearchFailure, SearchRunner};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// What is known of a search before it begins.
pub struct Foretold {
    /// As sentences.
    pub text: String,
    /// It is said of a part, and of the same search on the whole program nothing is.
    pub of_part: bool,
}

/// What stands in the way of a strategy that is one search on the sub-term at a position; none where nothing is known, and of other
/// strategies, which may come to their search by any way.
pub fn of(workspace: &Workspace, term: &Term, strategy: &StrategyText, at: &Path) -> Option<Foretold> {
    let text = look(workspace, term, strategy, at).0?;
    let of_part = !at.is_root() && look(workspace, term, strategy, &Path::root()).0.is_none();
    Some(Foretold { text, of_part })
}

/// What is said, and whether that is that there is nothing to search for.
fn look(workspace: &Workspace, term: &Term, strategy: &StrategyText, at: &Path) -> (Option<String>, bool) {
    let named = match &strategy.tree.kind {
        StrategyKind::Name(name) => workspace.script.strategy(name).and_then(|found| found.plain()),
        _ => None,
    };
    let tree = named.unwrap_or(&strategy.tree);
    let (StrategyKind::Reach(_), Some(part)) = (&tree.kind, term.at(at)) else { return (None, false) };
    let mut teller = Teller { workspace, whole: at.is_root(), said: None, there: false };
    let (sizes, known) = (&workspace.program.sizes, Some(&strategy.known));
    let env = strategy::Env { rules: &workspace.rules, sizes, known };
    let never = AtomicBool::new(false);
    let mut control = strategy::Control { cancel: &never, fuel: strategy::FUEL, search: &mut teller };
    // It ends where the search would begin.
    let _ = strategy::run(tree, part, &workspace.script, &env, &mut control);
    (teller.said, teller.there)
}

/// Whether the sub-term at a position is like the sketch of the search as it is.
pub fn is_there(workspace: &Workspace, term: &Term, strategy: &StrategyText, at: &Path) -> bool {
    look(workspace, term, strategy, at).1
}

/// What is said where there is nothing to search for.
const ALREADY: &str = " is like this sketch as it is, so the search is over at once. Write into the sketch what it is to become: another size, \
                       another pattern, one more loop.";

/// Looks at a search instead of running it.
struct Teller<'a> {
    workspace: &'a Workspace,
    /// It is asked of the whole program.
    whole: bool,
    said: Option<String>,
    /// What is searched for is there.
    there: bool,
}

impl SearchRunner for Teller<'_> {
    fn reach(&mut self, start: &Term, request: &ReachRequest) -> Result<Rewritten, SearchFailure> {
        let sizes = &self.workspace.program.sizes;
        let read = sketch::read_with(request.sketch, &self.workspace.sketches, sizes, &request.sizes);
        if let Ok(sketch) = read {
            let by_rules = || match &request.rules {
                Some(rules) => {
                    unmet(&sketch, start, rules, &self.workspace.rules).map(|forecast| forecast.text)
                }
                None => unmade(&sketch, start, &self.workspace.rules, &|n| request.given(n)),
            };
            let given = |n: &Nat| request.given(n);
            let by_conditions = || match request.rules {
                None if filled(&sketch, start, &given).len() == 1 => undecided(&sketch, &given),
                _ => None,
            };
            let other_type = of_other_type(&sketch, start).map(|(text, hint)| format!("{text} {hint}"));
            let refuted = contradiction(&sketch, &|n| request.given(n)).or(other_type);
            let sketch = possible(&sketch, &|n| request.given(n));
            self.there = refuted.is_none() && sketch.satisfied_by(start);
            let what = if self.whole { "The program" } else { "The selection" };
            let already = self.there.then(|| format!("{what}{ALREADY}"));
            let sizes_of_others = || if self.whole { None } else { self.without_sizes(&sketch, start) };
            self.said = refuted.or(already).or_else(by_rules).or_else(by_conditions).or_else(sizes_of_others);
        }
        Err(SearchFailure::Stopped)
    }
}

impl Teller<'_> {
    /// That a sketch asks for sizes of the program which a part of it does not have: they are hardly ever made of those that it has.
    fn without_sizes(&self, sketch: &Sketch, part: &Term) -> Option<String> {
        let name = |v: NatVar| if let NatVar::Named(name) = v { Some(name) } else { None };
        let named = |n: &Nat| n.vars().into_iter().filter_map(name).collect::<Vec<Name>>();
        let there: BTreeSet<Name> = sizes_in(part).iter().flat_map(named).collect();
        let mut missing: BTreeSet<Name> = BTreeSet::new();
        sketch.each_size(&mut |n| {
            let sizes = &self.workspace.program.sizes;
            missing.extend(named(n).into_iter().filter(|name| sizes.contains(name) && !there.contains(name)));
        });
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| {
            format!(
                "The sketch asks for sizes with {}, which nothing in the selection has.",
                names.join(" and ")
            )
        })
    }
}
