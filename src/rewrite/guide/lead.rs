//! Which rule leads on from a program towards a sketch, as one that a search did not have from the program that came nearest:
//! found by trying each that may help.

use super::choice::{Step, breadths, rules};
use super::sizes::sizes_of;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::normal::{normal_form_with, written_params};
use crate::rule::apply::apply_at;
use crate::rule::{RuleSet, RuleUse};
use crate::search::insight::{Nearest, levels, levels_met};
use crate::sketch::Sketch;
use std::collections::HashSet;
use std::fmt;

/// A rule after which more of a sketch is met.
#[derive(Clone, Debug)]
pub struct Lead {
    pub rule: RuleUse,
    pub at: Path,
    /// Of how many of its nested `contains` the program is like the sketch then.
    pub levels: usize,
    pub of: usize,
    /// The program satisfies the sketch then.
    pub reached: bool,
}

impl fmt::Display for Lead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lead { rule, reached, .. } = self;
        write!(
            f,
            "`{rule}`, which is not in `using`, leads on from the program that comes nearest: after it "
        )?;
        match reached {
            true => write!(f, "that is like the sketch."),
            false => write!(f, "{}.", self.more()),
        }
    }
}

impl Lead {
    /// How much of the sketch is met then, where not all of it is.
    fn more(&self) -> String {
        match self.of {
            0 => "there is more that is like the sketch".to_owned(),
            of => format!("{} of {of} nested `contains` hold", self.levels),
        }
    }

    /// The same of a term of which it is asked whether it is in the sketch, and that stands at a place of the program.
    pub fn told(&self, place: &Path) -> String {
        let at = place.join(&self.at);
        let to = if at.is_root() { "to the whole".to_owned() } else { format!("at {at}") };
        let rule = &self.rule;
        match self.reached {
            true => format!("The term is in the sketch once `{rule}` was applied {to}."),
            false => format!("Once `{rule}` was applied {to}, {}.", self.more()),
        }
    }
}

/// Programs of so many nodes in all are made and looked at, so that what is told does not depend on how fast the machine is.
const MOST_NODES: u64 = 400_000;

/// The rule by which a term that is not in a sketch comes to be in it, or nearer to that.
pub fn lead_into(library: &RuleSet, sketch: &Sketch, term: &Term) -> Option<Lead> {
    let (levels, of) = (levels_met(sketch, term, 0), levels(sketch));
    let nearest = Nearest { term: term.clone(), levels, of, but_for_sizes: false };
    lead(library, &[], sketch, &nearest, &|| false)
}

/// The rule that leads furthest in one step. None is told where enough was looked at, or `over` says that it is time, before all
/// were tried, and none so far leads on.
pub fn lead(
    library: &RuleSet,
    used: &[RuleUse],
    sketch: &Sketch,
    nearest: &Nearest,
    over: &dyn Fn() -> bool,
) -> Option<Lead> {
    let start = &nearest.term;
    let sizes = sizes_of(sketch);
    let step = Step { sketch, sizes: &sizes, makes: &[], exchanges: false };
    let mut tried: Vec<RuleUse> = used.to_vec();
    let mut best: Option<Lead> = None;
    let mut looked_at = 0;
    // What a rule of the search makes of it as well is no other way.
    let mut own: HashSet<Digest> = HashSet::new();
    for (_, term) in used.iter().flat_map(|rule| results(start, rule)) {
        looked_at += u64::from(term.size());
        if looked_at > MOST_NODES || over() {
            return None;
        }
        own.insert(term.digest());
    }
    looked_at = 0;
    for breadth in breadths(library, start, &step) {
        for rule in rules(library, start, &step, breadth) {
            if tried.contains(&rule) {
                continue;
            }
            for (at, term) in results(start, &rule) {
                looked_at += u64::from(term.size());
                if looked_at > MOST_NODES || over() {
                    return best;
                }
                if own.contains(&term.digest()) {
                    continue;
                }
                let levels = levels_met(sketch, &term, nearest.levels);
                let reached = levels == nearest.of && sketch.satisfied_by(&term);
                let so_far = best.as_ref().map_or((false, nearest.levels), |b| (b.reached, b.levels));
                if (reached, levels) > so_far {
                    best = Some(Lead { rule: rule.clone(), at, levels, of: nearest.of, reached });
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

/// What one step of a rule makes of a program at each place, in normal form.
fn results<'a>(start: &'a Term, rule: &'a RuleUse) -> impl Iterator<Item = (Path, Term)> + 'a {
    let params = written_params(start);
    start.positions().into_iter().filter_map(move |(path, _)| {
        let after = apply_at(start, &path, &rule.rule, &rule.args).ok()?.term;
        Some((path, normal_form_with(&params, &after)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{FileId, Sources};
    use crate::lang::infer::program;
    use crate::lang::nat::Nat;
    use crate::lang::syntax::{parse_program, parse_sketch};
    use crate::rule::RuleArg;
    use crate::sketch::{Library, read};

    #[test]
    fn the_rule_that_leads_furthest_is_found() {
        let set = RuleSet::builtin(&mut Sources::new()).0;
        let text = "def f (a: n.m.f32) = a |> map (\\r. r |> map abs |> reduceSeq (+) 0)";
        let start = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let found = |goal: &str, levels, of, used: &[&str], over: bool| {
            let (tree, problems) = parse_sketch(FileId::NOWHERE, goal);
            assert!(problems.is_empty(), "{problems:?}");
            let goal = read(&tree, &Library::builtin(), &["n".into(), "m".into()]).unwrap();
            assert_eq!(levels_met(&goal, &start, 0), levels, "{goal}");
            let nearest = Nearest { term: start.clone(), levels, of, but_for_sizes: false };
            let used: Vec<RuleUse> = used.iter().filter_map(|name| set.use_of(name, vec![])).collect();
            let lead = lead(&set, &used, &goal, &nearest, &|| over)?;
            Some((lead.rule.to_string(), lead.levels, lead.reached))
        };
        let fused = "containsMap(n, containsReduceSeq(m, contains(? + abs ?)))";
        let by = |name: &str, levels, reached| Some((name.to_owned(), levels, reached));
        assert_eq!(found(fused, 2, 3, &[], false), by("reduceSeqMapFusion", 3, true));
        // Not one that the search had, nor one in the time that it does not have.
        assert_eq!(found(fused, 2, 3, &["reduceSeqMapFusion"], false), None);
        assert_eq!(found(fused, 2, 3, &[], true), None);
        // One that leads on, though not to the end; with sizes that the sketch has.
        let tiled = "containsMap(n/8, containsMap(8, contains(gather)))";
        assert_eq!(found(tiled, 0, 3, &[], false).map(|(rule, ..)| rule), Some("splitJoin(8)".to_owned()));
        assert_eq!(found("contains(gather (scatter ?))", 0, 1, &[], false), None);
    }

    #[test]
    fn what_the_rules_of_the_search_do_as_well_leads_nowhere_else() {
        let set = RuleSet::builtin(&mut Sources::new()).0;
        let text = "def f (a: n.f32) = a |> map abs";
        let start = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let (tree, _) = parse_sketch(FileId::NOWHERE, "containsMap(n/8, containsMap(8, ?))");
        let goal = read(&tree, &Library::builtin(), &["n".into()]).unwrap();
        let nearest = Nearest { term: start, levels: 0, of: 2, but_for_sizes: false };
        let eight = set.use_of("splitJoin", vec![RuleArg::Nat(Nat::constant(8))]).unwrap();
        let led = |used: &[RuleUse]| lead(&set, used, &goal, &nearest, &|| false).map(|l| l.rule.to_string());
        assert_eq!(led(&[]), Some("splitJoin(8)".to_owned()));
        assert_eq!(led(&[eight]), None);
    }
}
