//! The history of a session: a tree of revisions, in which nothing is ever lost.
//!
//! Undo moves to the parent and redo to the child that was visited last; both are actions like any other.

use super::action::{Action, Measurement, RevisionId, SearchOutcome, Sizes};
use crate::lang::path::{Path, PathMap};
use crate::lang::syntax::without_comments;
use crate::lang::term::Term;
use crate::rewrite::rule::Marks;
use crate::rewrite::rule::apply::Counts;
use crate::rewrite::sharing;
use petgraph::Direction;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};

/// A state of the program.
#[derive(Clone, Debug)]
pub struct Revision {
    pub term: Term,
    /// What made it of its parent, as text: the ELEVATE that does the same.
    pub label: String,
    /// The strategy for the whole program that leads here from the parent, where a rule or a strategy did.
    pub elevate: Option<String>,
    /// The sizes that were given then, where what was done depends on them.
    pub at_sizes: Option<Sizes>,
    /// The single rewrites that led here from the parent, in order.
    pub steps: Vec<RevisionStep>,
    /// What the searches on the way to it came to.
    pub searches: Vec<SearchOutcome>,
    /// Measurements taken of it, oldest first.
    pub measurements: Vec<Measurement>,
    /// How many rules were tried and applied on the way to it.
    pub counts: Counts,
}

impl Revision {
    pub fn new(term: Term, label: &str) -> Revision {
        let label = label.to_owned();
        Revision {
            term,
            label,
            elevate: None,
            at_sizes: None,
            steps: vec![],
            searches: vec![],
            measurements: vec![],
            counts: Counts::default(),
        }
    }

    /// What it takes on a device at these sizes: what was measured last of it in turns with others that were disturbed alike, else
    /// what was measured last.
    pub fn price(&self, device: &str, sizes: &Sizes) -> Option<Price<'_>> {
        let alike = || self.measurements.iter().rev().filter(|m| m.device == device && m.sizes == *sizes);
        let measured = alike().find(|m| m.is_in_even_turns()).or_else(|| alike().next())?;
        Some(Price { measured, contradicted: alike().find(|m| m.is_apart(measured)) })
    }

    /// The marks of all the rules that led to it from the revision before.
    pub fn marks(&self) -> Marks {
        self.steps.iter().flat_map(|s| s.marks.iter()).collect()
    }
}

/// One rule application between two revisions.
#[derive(Clone, Debug)]
pub struct RevisionStep {
    pub rule: String,
    /// What the rule may change in floating-point results.
    pub marks: Marks,
    pub at: Path,
    pub after: Term,
}

/// The rule, its marks and the place: `reduceOnto [reassociates] at 0.1`.
impl std::fmt::Display for RevisionStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let between = if self.marks.is_empty() { "" } else { " " };
        write!(f, "{}{between}{} at {}", self.rule, self.marks, self.at)
    }
}

/// What a state takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Price<'a> {
    pub measured: &'a Measurement,
    /// Another measurement of the same state, of which the interval does not overlap with that of this one: the machine was
    /// not the same.
    pub contradicted: Option<&'a Measurement>,
}

impl Price<'_> {
    /// Whether the times of two states tell that they differ. What contradicts itself tells nothing.
    pub fn is_apart(self, other: Price<'_>) -> bool {
        let is_sure = |price: Price<'_>| price.contradicted.is_none() || price.measured.is_in_even_turns();
        is_sure(self) && is_sure(other) && self.measured.differs_from(other.measured)
    }
}

/// The tree of revisions and where the user is in it.
#[derive(Clone, Debug)]
pub struct History {
    tree: StableDiGraph<Revision, PathMap>,
    current: NodeIndex,
    /// For each revision the child to redo to.
    last_child: Vec<Option<RevisionId>>,
}

impl History {
    /// A history that starts with `term` as revision 0.
    pub fn new(term: Term, label: &str) -> History {
        let mut tree = StableDiGraph::new();
        let first = Revision::new(term, label);
        let current = tree.add_node(first);
        History { tree, current, last_child: vec![None] }
    }

    pub fn current(&self) -> RevisionId {
        self.current.index()
    }

    pub fn revision(&self, id: RevisionId) -> Option<&Revision> {
        self.tree.node_weight(NodeIndex::new(id))
    }

    pub fn revision_mut(&mut self, id: RevisionId) -> Option<&mut Revision> {
        self.tree.node_weight_mut(NodeIndex::new(id))
    }

    /// The current term.
    pub fn term(&self) -> &Term {
        &self.tree[self.current].term
    }

    pub fn len(&self) -> usize {
        self.tree.node_count()
    }

    /// A history always holds revision 0.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn parent(&self, id: RevisionId) -> Option<RevisionId> {
        self.tree.neighbors_directed(NodeIndex::new(id), Direction::Incoming).next().map(NodeIndex::index)
    }

    /// Does more than one state come of it?
    pub fn branches(&self, id: RevisionId) -> bool {
        self.tree.neighbors(NodeIndex::new(id)).nth(1).is_some()
    }

    /// Children, oldest first.
    pub fn children(&self, id: RevisionId) -> Vec<RevisionId> {
        let mut out: Vec<_> = self.tree.neighbors(NodeIndex::new(id)).map(NodeIndex::index).collect();
        out.sort_unstable();
        out
    }

    /// Adds a revision below `base` and goes there. `paths` says where the positions of `base` went.
    pub fn add(&mut self, base: RevisionId, revision: Revision, paths: PathMap) -> RevisionId {
        let parent = NodeIndex::new(base);
        let node = self.tree.add_node(revision);
        self.tree.add_edge(parent, node, paths);
        self.last_child.push(None);
        self.visit(node);
        node.index()
    }

    /// Adds a revision that follows from no other: the program was read again.
    pub fn add_root(&mut self, revision: Revision) -> RevisionId {
        let node = self.tree.add_node(revision);
        self.last_child.push(None);
        self.visit(node);
        node.index()
    }

    fn visit(&mut self, node: NodeIndex) {
        if let Some(parent) = self.parent(node.index())
            && let Some(slot) = self.last_child.get_mut(parent)
        {
            *slot = Some(node.index());
        }
        self.current = node;
    }

    /// Goes to a revision; false when there is none with that number.
    pub fn goto(&mut self, id: RevisionId) -> bool {
        let node = NodeIndex::new(id);
        if self.tree.node_weight(node).is_none() {
            return false;
        }
        self.visit(node);
        true
    }

    /// The revisions from the program as it was read to this one.
    pub fn line(&self, id: RevisionId) -> Vec<RevisionId> {
        let mut line = vec![id];
        while let Some(parent) = line.last().and_then(|r| self.parent(*r)) {
            line.push(parent);
        }
        line.reverse();
        line
    }

    /// The program as it was read that the revision was made of.
    pub fn root(&self, id: RevisionId) -> RevisionId {
        std::iter::successors(Some(id), |at| self.parent(*at)).last().unwrap_or(id)
    }

    /// The sizes on which the way from the program as it was read to the revision depends, each once: none where it is the
    /// same at all sizes, several where they were changed on the way.
    pub fn sizes_on_the_way(&self, id: RevisionId) -> Vec<&Sizes> {
        let line = self.line(id);
        let all = line.iter().filter_map(|id| self.revision(*id)?.at_sizes.as_ref());
        all.fold(vec![], |mut different, sizes| {
            if !different.contains(&sizes) {
                different.push(sizes);
            }
            different
        })
    }

    /// That what searches found in the revision computes much more than the program before it, if it does: at these sizes, if there are.
    pub fn computes_more(&self, id: RevisionId, sizes: &Sizes) -> Option<String> {
        let made = self.revision(id).filter(|made| !made.searches.is_empty())?;
        sharing::told(&self.revision(self.parent(id)?)?.term, &made.term, sizes)
    }

    /// Every rule application from the program as it was read to the revision.
    pub fn steps_to(&self, id: RevisionId) -> Vec<RevisionStep> {
        self.line(id).into_iter().filter_map(|id| self.revision(id)).flat_map(|r| r.steps.clone()).collect()
    }

    /// Where undo would go.
    pub fn undo_target(&self) -> Option<RevisionId> {
        self.parent(self.current())
    }

    /// Where redo would go.
    pub fn redo_target(&self) -> Option<RevisionId> {
        self.last_child.get(self.current()).copied().flatten()
    }

    /// Where positions of `from` are in `to`, along the tree's edge between a revision and its parent or child.
    pub fn paths_between(&self, from: RevisionId, to: RevisionId) -> Option<&PathMap> {
        let edge = self.tree.find_edge(NodeIndex::new(from), NodeIndex::new(to))?;
        self.tree.edge_weight(edge)
    }

    /// Every revision with its depth in the tree, parents before children, for printing.
    pub fn outline(&self) -> Vec<(RevisionId, usize)> {
        let roots = self.tree.externals(Direction::Incoming).map(NodeIndex::index);
        let mut stack: Vec<(RevisionId, usize)> = roots.map(|r| (r, 0)).collect();
        stack.sort_unstable_by(|a, b| b.cmp(a));
        let mut out = vec![];
        while let Some((id, depth)) = stack.pop() {
            out.push((id, depth));
            let children = self.children(id);
            // A single child continues its parent's line; only branches are indented.
            let deeper = depth + usize::from(children.len() > 1);
            stack.extend(children.into_iter().rev().map(|c| (c, deeper)));
        }
        out
    }
}

/// The text that stands for an action in the history: that of a strategy without the comments that were typed with it.
pub fn label(action: &Action) -> String {
    match action {
        Action::Apply { rule, at } if at.is_root() => rule.clone(),
        Action::Apply { rule, at } => format!("{rule} at {at}"),
        Action::Strategy { text, at } if at.is_root() => without_comments(text).into_owned(),
        Action::Strategy { text, at } => format!("{} at {at}", without_comments(text)),
        Action::Goto { revision } => format!("goto {revision}"),
        Action::Sizes { sizes } => {
            let all: Vec<String> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
            format!("sizes {}", all.join(" "))
        }
        Action::Reload { label, .. } => format!("reload {label}"),
        Action::Definitions { files } => {
            let labels: Vec<&str> = files.iter().map(|t| t.label.as_str()).collect();
            format!("definitions of {}", labels.join(", "))
        }
        Action::Compile { target } => format!("compile {}", target.name()),
        Action::Bench { device } => format!("bench {device}"),
        Action::Tune { strategy, device, .. } => format!("tune {} on {device}", without_comments(strategy)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::literal::Literal;

    fn revision(n: i128) -> Revision {
        let term = Term::lit(Literal::Int(n, crate::lang::ty::Scalar::I32));
        Revision::new(term, &n.to_string())
    }

    #[test]
    fn comments_that_were_typed_are_no_part_of_a_label() {
        let at = Path::root();
        let text = "-- first\ntopDown(useMapPar) -- \"then\" ;\n; f(\"-- kept\")".to_owned();
        let label = label(&Action::Strategy { text, at });
        assert_eq!(label, "topDown(useMapPar)\n; f(\"-- kept\")");
    }

    #[test]
    fn undo_keeps_the_branch_and_redo_finds_it() {
        let mut h = History::new(revision(0).term, "start");
        let a = h.add(0, revision(1), PathMap::identity());
        assert!(h.goto(0));
        let b = h.add(0, revision(2), PathMap::identity());
        assert_eq!(h.children(0), vec![a, b]);
        assert_eq!(h.undo_target(), Some(0));
        assert!(h.goto(0));
        assert_eq!(h.redo_target(), Some(b));
        assert!(h.goto(a) && h.goto(0));
        assert_eq!(h.redo_target(), Some(a));
        assert_eq!(h.outline(), vec![(0, 0), (a, 1), (b, 1)]);
        assert!(!h.goto(99));
    }
}
