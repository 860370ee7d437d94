//! Equality saturation without guides, in an encoding of lambda terms: one search, and what it took (thesis 5.5, 5.7).

use super::searching::resident_bytes;
use super::stuck;
use super::workspace::{StrategyText, Workspace};
use crate::lang::diag::Diagnostic;
use crate::lang::term::Term;
use crate::rewrite::encodings::{self, Bounds, Encoding, Found, Outcome, World};
use crate::rewrite::guide;
use crate::rewrite::rule::Rewritten;
use crate::rewrite::search::options::Names;
use crate::rewrite::search::{self, Budget, Limit, Search};
use crate::rewrite::sketch;
use crate::rewrite::strategy::{self, ReachRequest, SearchFailure, SearchRunner};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Runs the search of a strategy in an encoding, or in the tool's own typed e-graph, within these bounds alone.
///
/// # Errors
/// The strategy does not get to a search, or makes several; or the rules or the sketch need the types that the encoding does not have
/// (`E0420`).
pub fn run(
    workspace: &Workspace,
    text: &str,
    encoding: Option<Encoding>,
    bounds: &Bounds,
) -> Result<Outcome, Diagnostic> {
    ran(Runner { workspace, encoding, chooses: false, bounds, outcome: None }, text)
}

/// As [`run`] in the typed e-graph, with all rules of the library that can help, where the search names none.
///
/// # Errors
/// As [`run`].
pub fn with_library(workspace: &Workspace, text: &str, bounds: &Bounds) -> Result<Outcome, Diagnostic> {
    ran(Runner { workspace, encoding: None, chooses: true, bounds, outcome: None }, text)
}

/// Looks at a strategy for [`run`] before it searches.
///
/// # Errors
/// It cannot be read, searches more than once, or names no rules.
pub fn check(workspace: &Workspace, text: &str) -> Result<(), Diagnostic> {
    looked_at(workspace, text, false).map(drop)
}

/// The strategy of a search that has its rules, or `chooses` them.
fn looked_at(workspace: &Workspace, text: &str, chooses: bool) -> Result<StrategyText, Diagnostic> {
    let strategy = workspace.parse_strategy(text)?;
    let mut counter = Counter { searches: 0, without_rules: false };
    // What it fails of is told where it is run.
    let _ = run_by(&mut counter, workspace, &strategy);
    if counter.without_rules && !chooses {
        let problem = Diagnostic::error("E0915", "A search without guides is given its rules.");
        return Err(problem.hint("Write `reach SKETCH using RULES`."));
    }
    if counter.searches > 1 {
        let text = "This strategy searches more than once, and a row is of one search.";
        let hint =
            "Give each search by itself: `reach SKETCH using RULES`. `shine-tui search` makes several.";
        return Err(Diagnostic::error("E0915", text).hint(hint));
    }
    Ok(strategy)
}

fn run_by(
    search: &mut dyn SearchRunner,
    workspace: &Workspace,
    strategy: &StrategyText,
) -> Result<Rewritten, Box<strategy::Stuck>> {
    let env = strategy::Env { rules: &workspace.rules, sizes: &workspace.program.sizes, known: None };
    let never = AtomicBool::new(false);
    let mut control = strategy::Control { cancel: &never, fuel: strategy::FUEL, search };
    strategy::run(&strategy.tree, &workspace.program.term, &workspace.script, &env, &mut control)
}

fn ran(mut runner: Runner<'_>, text: &str) -> Result<Outcome, Diagnostic> {
    let workspace = runner.workspace;
    let strategy = looked_at(workspace, text, runner.chooses)?;
    let end = run_by(&mut runner, workspace, &strategy);
    match (runner.outcome, end) {
        (Some(outcome), _) => Ok(outcome),
        (None, Err(stuck)) => Err(stuck::diagnostic(&stuck, &workspace.script).within(strategy.texts())),
        (None, Ok(_)) => {
            let problem = Diagnostic::error("E0915", "This strategy searches for nothing.");
            Err(problem.hint("Write `reach SKETCH using RULES`, or a strategy that does."))
        }
    }
}

/// Counts searches, which find what they start from.
struct Counter {
    searches: usize,
    /// One of them names no rules.
    without_rules: bool,
}

impl SearchRunner for Counter {
    fn reach(&mut self, start: &Term, request: &ReachRequest) -> Result<Rewritten, SearchFailure> {
        self.searches += 1;
        self.without_rules |= request.rules.is_none();
        Ok(Rewritten::unchanged(start.clone()))
    }
}

struct Runner<'a> {
    workspace: &'a Workspace,
    encoding: Option<Encoding>,
    /// It chooses rules where none are named; otherwise they are.
    chooses: bool,
    bounds: &'a Bounds,
    outcome: Option<Outcome>,
}

impl SearchRunner for Runner<'_> {
    fn reach(&mut self, start: &Term, request: &ReachRequest) -> Result<Rewritten, SearchFailure> {
        let invalid = |d| SearchFailure::Invalid(Box::new(d));
        let library = &self.workspace.sketches;
        let sketch =
            sketch::read_with(request.sketch, library, &self.workspace.program.sizes, &request.sizes)
                .map_err(|mut all| invalid(all.swap_remove(0)))?;
        let chosen;
        let rules = match &request.rules {
            Some(rules) => rules,
            // Whoever does not choose them was given them.
            None => {
                let sizes = guide::sizes_of(&sketch);
                let step = guide::Step { sketch: &sketch, sizes: &sizes, makes: &[], exchanges: false };
                chosen = guide::rules(&self.workspace.rules, start, &step, guide::Breadth::Wide);
                &chosen
            }
        };
        let names = Names {
            size: &|name| request.sizes.iter().find(|(n, _)| **n == *name).map(|(_, size)| size.clone()),
            pattern: &|name| library.patterns.find(name),
            strategy: &|name| request.script.strategy(name)?.plain(),
        };
        let mut budget = Budget::read(request.options, names).map_err(invalid)?;
        let started = Instant::now();
        let now = || started.elapsed();
        self.outcome = Some(match self.encoding {
            Some(encoding) => {
                let world = World { now: &now, rss: &resident_bytes };
                encodings::run(encoding, start, &sketch, rules, budget.normal, self.bounds, &world).map_err(
                    |why| {
                        let problem =
                            Diagnostic::error("E0420", "The search needs types, and this encoding has none.");
                        invalid(problem.note(why).hint("`--encoding typed` runs it with types."))
                    },
                )?
            }
            None => {
                (budget.nodes, budget.iterations) = (usize::MAX, usize::MAX);
                (budget.time, budget.memory) = (self.bounds.time, self.bounds.memory);
                let never = AtomicBool::new(false);
                let mut world = search::Control {
                    cancel: &never,
                    now: &now,
                    rss: &resident_bytes,
                    progress: &mut |_| {},
                };
                let report = Search::new(start, &sketch, rules, &budget).map_err(invalid)?.run(&mut world);
                Outcome {
                    found: match report.outcome {
                        search::Outcome::Found(_) => Found::Yes,
                        search::Outcome::Impossible | search::Outcome::Incomplete(_) => Found::Saturated,
                        search::Outcome::Limit(Limit::Memory { .. }) => Found::OutOfMemory,
                        search::Outcome::Limit(_) | search::Outcome::Stopped => Found::OutOfTime,
                        search::Outcome::Broken(problem) => return Err(SearchFailure::Invalid(problem)),
                    },
                    time: report.elapsed,
                    iterations: report.iterations.len(),
                    applied: report.rules.iter().map(|r| r.unions).sum(),
                    nodes: report.nodes,
                    classes: report.classes,
                }
            }
        });
        Err(SearchFailure::Stopped)
    }
}
