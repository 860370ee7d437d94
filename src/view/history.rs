//! The tree of revisions.
//!
//! In comes the history; out comes a line a revision, branches indented, the present one marked, each with its
//! newest measurement and what the step bought, before what may be cut: what made it, and which state before is the same.

use super::figures;
use super::text::{Alphabet, Line, Role};
use crate::lang::digest::Digest;
use crate::session::action::{Measurement, RevisionId};
use crate::session::history::{History, Revision};
use std::collections::HashMap;

/// A revision and its line.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Which revision.
    pub revision: RevisionId,
    /// What is shown.
    pub line: Line,
}

/// Every revision in the order of the tree. `pinned` is the revision that is kept to compare with.
pub fn rows(history: &History, pinned: Option<RevisionId>, alphabet: Alphabet) -> Vec<Row> {
    let current = history.current();
    let outline = history.outline();
    let mut first_with: HashMap<Digest, RevisionId> = HashMap::new();
    for id in 0..history.len() {
        if let Some(revision) = history.revision(id) {
            first_with.entry(revision.term.digest()).or_insert(id);
        }
    }
    outline
        .into_iter()
        .filter_map(|(id, depth)| {
            let revision = history.revision(id)?;
            let mut line = Line::empty();
            let sign = if id == current { alphabet.pick("●", "*") } else { alphabet.pick("○", "o") };
            line.push(Role::Dim, "  ".repeat(depth));
            line.push(if id == current { Role::Good } else { Role::Dim }, format!("{sign} "));
            line.push(Role::Number, format!("{id} "));
            if let Some(measured) = revision.measurements.last() {
                line.push(Role::Number, figures::time(measured.median_ns));
                if let Some((before, change)) = bought(history, id, measured) {
                    let role = if change.starts_with('-') { Role::Good } else { Role::Warning };
                    line.push(role, format!(" {change}"));
                    line.push(Role::Dim, format!(" from {before}"));
                }
                line.push(Role::Plain, "  ");
            }
            if pinned == Some(id) {
                line.push(Role::Hint, "pinned  ");
            }
            if let Some(same) = first_with.get(&revision.term.digest()).filter(|same| **same != id) {
                line.push(Role::Dim, format!("same as {same}  "));
            }
            let label: String = revision.label.split_whitespace().collect::<Vec<_>>().join(" ");
            line.push(if id == current { Role::Title } else { Role::Plain }, label);
            if let Some(text) = revision.elevate.as_ref().filter(|text| **text != revision.label) {
                line.push(Role::Dim, format!(", {text}"));
            }
            if !revision.marks().is_empty() {
                line.push(Role::Warning, format!(" {}", revision.marks()));
            }
            if revision.steps.len() > 1 {
                line.push(Role::Dim, format!(" ({})", rewrites(revision)));
            }
            if id == current {
                line.push(Role::Hint, "  now");
            }
            Some(Row { revision: id, line })
        })
        .collect()
}

/// How many rewrites made a revision; of how many that were tried, where rules were tried one by one.
pub fn rewrites(revision: &Revision) -> String {
    let steps = revision.steps.len();
    match usize::try_from(revision.counts.tried) {
        Ok(tried) if tried >= steps => format!("{steps} rewrites of {tried} tried"),
        _ => format!("{steps} rewrites"),
    }
}

/// The states that were measured as the present one was, or else the state above it or the newest: on the same device at the
/// same sizes, the fastest first.
pub fn ranked(history: &History) -> Vec<(RevisionId, &Measurement)> {
    let newest = |id: RevisionId| history.revision(id)?.measurements.last();
    let above = std::iter::successors(Some(history.current()), |id| history.parent(*id));
    let Some(like) = above.chain((0..history.len()).rev()).find_map(newest) else { return vec![] };
    let comparable = |id: RevisionId| {
        let all = history.revision(id)?.measurements.iter().rev();
        Some((id, all.into_iter().find(|m| m.device == like.device && m.sizes == like.sizes)?))
    };
    let mut all: Vec<_> = (0..history.len()).filter_map(comparable).collect();
    all.sort_by(|(_, a), (_, b)| a.median_ns.total_cmp(&b.median_ns));
    all
}

/// Whether two medians differ: intervals that overlap are no difference.
pub fn are_apart(a: &Measurement, b: &Measurement) -> bool {
    a.interval_ns.0 > b.interval_ns.1 || b.interval_ns.0 > a.interval_ns.1
}

/// The nearest revision above that was measured on the same device at the same sizes, and the change since.
fn bought(history: &History, id: RevisionId, measured: &Measurement) -> Option<(RevisionId, String)> {
    let mut above = history.parent(id);
    while let Some(id) = above {
        let comparable = |m: &&Measurement| m.device == measured.device && m.sizes == measured.sizes;
        if let Some(before) = history.revision(id)?.measurements.iter().rev().find(comparable) {
            let change = if are_apart(before, measured) {
                figures::change(before.median_ns, measured.median_ns)?
            } else {
                "no measurable difference".to_owned()
            };
            return Some((id, change));
        }
        above = history.parent(id);
    }
    None
}
