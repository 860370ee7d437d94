//! Which rule, of those that a search did not have, leads on from the program that came nearest to its sketch: found by
//! trying each that may help.

use super::choice::{Step, breadths, rules};
use super::plan::sizes_of;
use crate::lang::term::Term;
use crate::normal::{normal_form_with, written_params};
use crate::rule::apply::apply_at;
use crate::rule::{RuleSet, RuleUse};
use crate::search::insight::{Nearest, levels_met};
use crate::sketch::Sketch;
use std::fmt;

/// A rule after which more of a sketch is met.
#[derive(Clone, Debug)]
pub struct Lead {
    pub rule: RuleUse,
    /// Of how many of its nested `contains` the program is like the sketch then.
    pub levels: usize,
    pub of: usize,
    /// The program satisfies the sketch then.
    pub reached: bool,
}

impl fmt::Display for Lead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lead { rule, levels, of, reached } = self;
        write!(f, "`{rule}`, which is not in `using`, leads on from the program that comes nearest: ")?;
        match reached {
            true => write!(f, "after it that is like the sketch."),
            false => write!(f, "after it {levels} of {of} nested `contains` hold."),
        }
    }
}

/// The rule that leads furthest in one step. None is told where `over` says that it is time before all were tried, and none so
/// far leads on.
pub fn lead(
    library: &RuleSet,
    used: &[RuleUse],
    sketch: &Sketch,
    nearest: &Nearest,
    over: &dyn Fn() -> bool,
) -> Option<Lead> {
    let start = &nearest.term;
    let sizes = sizes_of(sketch);
    let step = Step { sketch, sizes: &sizes, makes: &[] };
    let mut tried: Vec<RuleUse> = used.to_vec();
    let mut best: Option<Lead> = None;
    for breadth in breadths(library, start) {
        for rule in rules(library, start, &step, breadth) {
            if tried.contains(&rule) {
                continue;
            }
            for term in results(start, &rule) {
                if over() {
                    return best;
                }
                let levels = levels_met(sketch, &term, nearest.levels);
                let reached = levels == nearest.of && sketch.satisfied_by(&term);
                let so_far = best.as_ref().map_or((false, nearest.levels), |b| (b.reached, b.levels));
                if (reached, levels) > so_far {
                    best = Some(Lead { rule: rule.clone(), levels, of: nearest.of, reached });
                }
            }
            if best.as_ref().is_some_and(|b| b.reached) {
                return best;
            }
            tried.push(rule);
        }
    }
    best
}

/// What one step of a rule makes of a program, in normal form.
fn results<'a>(start: &'a Term, rule: &'a RuleUse) -> impl Iterator<Item = Term> + 'a {
    let params = written_params(start);
    start.positions().into_iter().filter_map(move |(path, _)| {
        let after = apply_at(start, &path, &rule.rule, &rule.args).ok()?.term;
        normal_form_with(&params, &after)
    })
}
