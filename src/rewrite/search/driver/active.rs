//! A rule in a search: its compiled left sides, their matches, and how many of them may still be applied.

use crate::clearing::clears;
use crate::egraph::Graph;
use crate::egraph::compile::{Program, compile};
use crate::egraph::matcher::{Matches, SizeMemo};
use crate::lang::nat::Name;
use crate::rule::RuleUse;
use crate::search::RuleReport;
use crate::search::options::When;

/// A rule in a search.
pub(super) struct Active {
    /// Most rules have one left side.
    pub(super) sides: Vec<Side>,
    pub(super) report: RuleReport,
    /// The rule's label, to share.
    pub(super) name: Name,
    pub(super) rule: RuleUse,
    /// So many matches have been applied, or said nothing new.
    pub(super) taken: usize,
    /// Bytes of the most matches that it had at once.
    pub(super) most: u64,
    pub(super) held: Vec<When>,
    /// It only takes views away.
    pub(super) clears: bool,
}

/// A left side of a rule, with its matches that are to be applied.
pub(super) struct Side {
    pub(super) program: Program,
    pub(super) memo: SizeMemo,
    pub(super) matches: Matches,
}

impl Active {
    /// So many of its matches may still be applied, after so many iterations.
    pub(super) fn allowed(&self, iterations: usize) -> usize {
        let allowed = self.held.iter().map(|when| match when {
            When::Iterations(n) if iterations < *n => usize::MAX,
            When::Iterations(_) => 0,
            When::Matches(n) => n.saturating_sub(self.taken),
        });
        allowed.min().unwrap_or(usize::MAX)
    }

    pub(super) fn new(rule: RuleUse, programs: Vec<Program>, held: Vec<When>) -> Active {
        let side = |program| {
            let matches = Matches::new(&program);
            Side { program, memo: SizeMemo::default(), matches }
        };
        let sides = programs.into_iter().map(side).collect();
        let label = rule.to_string();
        let name = label.as_str().into();
        let report = RuleReport { label, ..RuleReport::default() };
        let clears = clears(&rule.rule);
        Active { sides, report, name, rule, taken: 0, most: 0, held, clears }
    }

    /// So many matches are to be applied.
    pub(super) fn matches(&self) -> usize {
        self.sides.iter().map(|side| side.matches.len()).sum()
    }

    /// Takes back those matches that may not be applied any more, of which so many were: says how many those are.
    pub(super) fn take_back(&mut self, iterations: usize, applied: usize) -> usize {
        let matches = self.matches();
        self.taken -= matches;
        let kept = self.allowed(iterations).max(applied).min(matches);
        self.taken += kept;
        self.report.matches -= matches - kept;
        let mut left = kept;
        for side in &mut self.sides {
            side.matches.truncate(left);
            left -= side.matches.len();
        }
        matches - kept
    }

    pub(super) fn drop_matches(&mut self) {
        self.sides.iter_mut().for_each(|side| side.matches = Matches::new(&side.program));
    }
}

/// Where the match of this number is, among those of all left sides.
pub(super) fn side_of(sides: &mut [Side], mut number: usize) -> Option<(&mut Side, usize)> {
    for side in sides {
        match number.checked_sub(side.matches.len()) {
            None => return Some((side, number)),
            Some(rest) => number = rest,
        }
    }
    None
}

/// Can searches use the rule with these arguments?
pub fn usable(rule: &RuleUse) -> bool {
    let compiles = |s| compile(&mut Graph::new(), s, &rule.rule.params, &rule.args).is_ok();
    rule.rule.in_searches(&rule.args).is_ok_and(|sides| sides.into_iter().all(compiles))
}
