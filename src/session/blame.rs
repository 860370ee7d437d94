//! What may be to blame for a kernel that computes something else than the program: said from what was done to it.

use super::auto::WHAT_RAN;
use super::bench::{is_of_contraction, is_of_foreign, is_of_rounding, is_of_the_compiler};
use super::history::RevisionStep;
use super::searching::REACH;
use super::workspace::Workspace;
use crate::lang::diag::{Diagnostic, Sources};
use crate::lang::eval::failure::is_without_value;
use crate::lang::rounding;
use crate::lang::term::Term;
use crate::rewrite::rule::{Rule, RuleSet};

const NO_TIME: &str = "No time is shown for a wrong result.";

/// The failed check (`E0820`) with hints that fit the rules that were applied; that the program has no result, with its place; other
/// problems as they are.
pub fn explained(problem: Diagnostic, workspace: &Workspace, steps: &[RevisionStep]) -> Diagnostic {
    if is_without_value(&problem) {
        return workspace.located(problem, &workspace.program.term);
    }
    if problem.code != "E0820" {
        return problem;
    }
    if is_of_the_compiler(&problem) {
        let hint = "Take another compiler, by `CC`, or go on without vectors.";
        return Diagnostic { hints: vec![hint.to_owned(), NO_TIME.to_owned()], ..problem };
    }
    if is_of_rounding(&problem) {
        let hint = "This may be nobody's mistake: the program compares what is rounded, or cuts it off, and much of it is as near as can be to where that \
                    changes. Inputs of which less is so near tell more.";
        return Diagnostic { hints: vec![hint.to_owned(), NO_TIME.to_owned()], ..problem };
    }
    if is_of_contraction(&problem) {
        let hint = "The program magnifies what is rounded, or compares it or cuts it off, so that this decides its result: nobody's mistake, where its \
             inputs are such.";
        return Diagnostic { hints: vec![hint.to_owned(), NO_TIME.to_owned()], ..problem };
    }
    let mut hints = vec![];
    if is_of_foreign(&problem) {
        hints.push(
            "Look at the foreign functions first: a result can be checked only where each call depends on its arguments alone, and keeps \
             nothing for the next one, as a `static` does."
                .to_owned(),
        );
    }
    let own = own_rules(workspace, steps);
    if !own.is_empty() {
        let (these, one) = if own.len() == 1 { ("This rule", "is") } else { ("These rules", "are") };
        hints.push(format!(
            "{these} of your own {one} among those applied: {}. A rule that `shine-tui rules check` says holds is tested, \
             which is no proof.",
            own.join(", ")
        ));
    }
    let mut marked: Vec<String> = vec![];
    for step in steps.iter().filter(|s| !s.marks.is_empty()) {
        let text = format!("{} {}", step.rule, step.marks);
        if !marked.contains(&text) {
            marked.push(text);
        }
    }
    let floats = has_floats(&workspace.program.term);
    if !marked.is_empty() && floats {
        hints.push(format!(
            "What was applied may change floating-point results: {}. Where sums cancel, overflow or meet NaN this shows; \
             measure without it to see whether it is the cause.",
            marked.join(", ")
        ));
    }
    if floats && problem.notes.iter().any(|note| note.starts_with(WHAT_RAN)) {
        hints.push(
            "Where sums cancel, overflow or meet NaN these rules show; measure without them to see whether they are the cause."
                .to_owned(),
        );
    }
    if hints.is_empty() {
        let applied = if steps.is_empty() {
            "No rule was applied"
        } else {
            "No rule that was applied may change a result"
        };
        let rounding = if floats {
            " Unless the program compares, truncates or subtracts nearly equal floats, which may be rounded differently \
             where a compiler fuses a multiplication with an addition or adds up in another order,"
        } else {
            " So"
        };
        hints.push(format!(
            "{applied}.{rounding} this is a mistake of shine-tui, of the compiler or of the driver: please report it with \
             the session."
        ));
    }
    hints.push(NO_TIME.to_owned());
    Diagnostic { hints, ..problem }
}

/// The rules that are not of the library, among those of the steps; a search may have used any.
fn own_rules(workspace: &Workspace, steps: &[RevisionStep]) -> Vec<String> {
    let (library, _) = RuleSet::builtin(&mut Sources::new());
    let is_own = |rule: &&Rule| rule.span.is_some() && library.get(&rule.name) != Some(*rule);
    let searched = steps.iter().any(|s| s.rule == REACH);
    let named = |rule: &&Rule| {
        steps
            .iter()
            .any(|s| s.rule.split('(').next().and_then(|name| workspace.rules.get(name)) == Some(*rule))
    };
    let own = workspace.rules.rules().filter(is_own).filter(|rule| searched || named(rule));
    own.map(|rule| format!("`{}`", rule.name)).collect()
}

fn has_floats(term: &Term) -> bool {
    term.positions().iter().any(|(_, t)| rounding::has_float(t.ty()))
}
