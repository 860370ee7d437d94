//! The tree of revisions.
//!
//! In comes the history; out comes a line a revision, branches indented, the present one marked, each with its
//! price and what the step bought, before what may be cut: what made it, and which state before is the same.
//! Single steps that follow each other are one line until that is opened, and a line opens to the rewrites that made its state.

use super::bench::Devices;
use super::figures;
use super::text::{Alphabet, Line, Role};
use crate::lang::digest::Digest;
use crate::session::action::{Measurement, RevisionId, Sizes};
use crate::session::history::{History, Price, Revision};
use indexmap::{IndexMap, IndexSet};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a row stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A state.
    State,
    /// All single steps from this state on.
    Steps { first: RevisionId },
    /// The rewrite of this number on the way to the state.
    Rewrite(usize),
}

/// A row of the history.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The state, of several the last.
    pub revision: RevisionId,
    /// What of it.
    pub part: Part,
    /// What is opened and closed from here: the revision that stands for it in [`Looked::opened`].
    pub opens: Option<RevisionId>,
    /// What is shown.
    pub line: Line,
}

/// How the history is looked at.
#[derive(Clone, Copy, Default)]
pub struct Looked<'a> {
    /// The state that is kept to compare with.
    pub pinned: Option<RevisionId>,
    /// What is open: of single steps the first, else the state that rewrites led to. Without it every state has its row.
    pub opened: Option<&'a BTreeSet<RevisionId>>,
    /// The sizes at which prices are compared; measurements at others say theirs.
    pub sizes: Option<&'a Sizes>,
    /// So many columns there are for prices: what has no room goes on in the next row.
    pub width: Option<usize>,
}

/// So many columns of what made a state stand behind its price; where there are fewer, it has a row of its own.
const LABEL: usize = 16;

/// So many single steps that follow each other have rows of their own; more are one row.
const FEW: usize = 2;
/// Branches are indented so often, that what a step bought stays in sight.
const DEEPEST: usize = 6;

/// The history in the order of the tree.
pub fn rows(history: &History, looked: Looked<'_>, alphabet: Alphabet) -> Vec<Row> {
    let mut rows = Rows::new(history, looked, alphabet);
    let mut outline = history.outline();
    let merged: BTreeSet<RevisionId> = rows.merged.values().flatten().copied().collect();
    outline.retain(|(id, _)| !merged.contains(id));
    let stems = stems(history, &outline);
    let mut at = 0;
    while let Some(&(id, _)) = outline.get(at) {
        let run = if looked.opened.is_some() { rows.run(&outline[at..]) } else { 0 };
        if run > FEW {
            rows.steps(&outline[at..at + run], stems[at]);
            at += run;
        } else {
            rows.state(id, stems[at], None);
            at += 1;
        }
    }
    rows.out
}

/// The row at which the state after that of a row begins, or the one before it, or its own where the row goes on what has no room
/// beside the price.
pub fn next_state(rows: &[Row], at: usize, down: bool) -> Option<usize> {
    let of = |i: usize| rows.get(i).map(|row| (row.revision, row.part));
    let begins = |i: &usize| *i == 0 || of(*i) != of(*i - 1);
    match down {
        true => (at + 1..rows.len()).find(begins),
        false => (0..at.min(rows.len())).rfind(begins),
    }
}

/// The way to a state: the states from the program as it was read on, each with what made it and its price.
pub fn way(history: &History, to: RevisionId, looked: Looked<'_>, alphabet: Alphabet) -> Vec<Line> {
    let mut rows = Rows::new(history, Looked { opened: None, ..looked }, alphabet);
    history.line(to).into_iter().for_each(|id| rows.state(id, Stem::default(), None));
    rows.out.into_iter().map(|row| row.line).collect()
}

/// Where a state stands among branches.
#[derive(Clone, Copy, Default)]
struct Stem {
    depth: usize,
    /// It is the first state of a branch.
    starts: bool,
    /// At which depths another branch follows.
    follows: u8,
    /// It stands within an open row.
    within: bool,
}

impl Stem {
    fn drawn(self, alphabet: Alphabet) -> String {
        let depth = self.depth.min(DEEPEST);
        let level = |at: usize| {
            let follows = self.follows & (1 << at) != 0;
            match (at == self.depth && self.starts, follows) {
                (true, true) => alphabet.pick("├ ", "|-"),
                (true, false) => alphabet.pick("└ ", "`-"),
                (false, true) => alphabet.pick("│ ", "| "),
                (false, false) => "  ",
            }
        };
        let branches: String = (1..=depth).map(level).collect();
        branches + if self.within { "  " } else { "" }
    }

    /// The same for what stands below its row.
    fn below(self) -> Stem {
        Stem { starts: false, ..self }
    }
}

/// The stem of every state of the outline.
fn stems(history: &History, outline: &[(RevisionId, usize)]) -> Vec<Stem> {
    let mut follows = 0u8;
    let mut out: Vec<Stem> = vec![];
    for &(id, depth) in outline.iter().rev() {
        let starts = history.parent(id).is_some_and(|parent| history.branches(parent));
        // What follows at greater depths is of another branch.
        let shown = depth.min(DEEPEST);
        follows &= (1u8 << (shown + 1)).wrapping_sub(1);
        out.push(Stem { depth, starts, follows, within: false });
        if starts && depth <= DEEPEST {
            follows |= 1 << depth;
        }
    }
    out.reverse();
    out
}

/// The rows so far, and what they are made of.
struct Rows<'a> {
    history: &'a History,
    looked: Looked<'a>,
    alphabet: Alphabet,
    /// The first state with a term.
    same: HashMap<Digest, RevisionId>,
    /// The states that are shown in the row of such a one.
    merged: HashMap<RevisionId, Vec<RevisionId>>,
    /// The measurements of each code, by the states in the order in which they were made, one for each device and sizes.
    codes: HashMap<Digest, Vec<(RevisionId, &'a Measurement)>>,
    devices: Devices<'a>,
    /// Whether states were measured at several sizes.
    several_sizes: bool,
    out: Vec<Row>,
}

impl<'a> Rows<'a> {
    fn new(history: &'a History, looked: Looked<'a>, alphabet: Alphabet) -> Rows<'a> {
        let mut same = HashMap::new();
        for id in 0..history.len() {
            if let Some(revision) = history.revision(id) {
                same.entry(revision.term.digest()).or_insert(id);
            }
        }
        let all = || (0..history.len()).filter_map(|id| history.revision(id)).flat_map(|r| &r.measurements);
        let differ = |of: &dyn Fn(&Measurement, &Measurement) -> bool| {
            all().next().is_some_and(|first| all().any(|m| of(first, m)))
        };
        let several_sizes = differ(&|a, b| a.sizes != b.sizes);
        let mut codes: HashMap<Digest, Vec<(RevisionId, &Measurement)>> = HashMap::new();
        for id in 0..history.len() {
            for m in history.revision(id).into_iter().flat_map(|r| &r.measurements) {
                let alike = codes.entry(m.kernel).or_default();
                if alike.iter().all(|(_, known)| !known.is_of_same_code(m)) {
                    alike.push((id, m));
                }
            }
        }
        let merged = HashMap::new();
        let devices = Devices::of(all());
        let out = vec![];
        let mut rows = Rows { history, looked, alphabet, same, merged, codes, devices, several_sizes, out };
        if looked.opened.is_some() {
            let goes_on: HashSet<RevisionId> =
                (0..history.len()).filter_map(|id| history.parent(id)).collect();
            for id in (0..history.len()).filter(|id| !goes_on.contains(id)) {
                if let Some(first) = rows.equal_row(id) {
                    rows.merged.entry(first).or_default().push(id);
                }
            }
        }
        rows
    }

    /// The row that says all that the row of a state would say which nothing follows: it is the same program, and has no price of its own.
    fn equal_row(&self, id: RevisionId) -> Option<RevisionId> {
        let history = self.history;
        let revision = history.revision(id)?;
        let first = *self.same.get(&revision.term.digest()).filter(|first| **first != id)?;
        let shown = history.revision(first)?;
        // What is single and has no price may be folded away.
        let has_row = first == 0 || shown.steps.len() != 1 || !shown.measurements.is_empty();
        let is_priced = |m: &Measurement| shown.measurements.iter().any(|n| n.device == m.device);
        let alone = id != history.current() && Some(id) != self.looked.pinned;
        (alone && has_row && revision.measurements.iter().all(is_priced)).then_some(first)
    }

    fn is_open(&self, id: RevisionId) -> bool {
        self.looked.opened.is_some_and(|opened| opened.contains(&id))
    }

    /// How many states from the first of these on are single steps of one line that nobody measured.
    fn run(&self, outline: &[(RevisionId, usize)]) -> usize {
        let single = |id: RevisionId| {
            let revision = self.history.revision(id);
            revision.is_some_and(|r| r.steps.len() == 1 && r.measurements.is_empty())
        };
        let follows = |pair: &&[(RevisionId, usize)]| match pair {
            [(before, depth), (id, other)] => {
                depth == other && single(*id) && self.history.parent(*id) == Some(*before)
            }
            _ => false,
        };
        match outline.first() {
            Some((id, _)) if single(*id) => 1 + outline.windows(2).take_while(follows).count(),
            _ => 0,
        }
    }

    /// Single steps: all where they are open, else the present and the pinned state between what is folded.
    fn steps(&mut self, steps: &[(RevisionId, usize)], stem: Stem) {
        let Some(&(first, _)) = steps.first() else { return };
        if self.is_open(first) {
            self.fold(steps, first, stem);
            let within = Stem { within: true, ..stem.below() };
            steps.iter().for_each(|(id, _)| self.state(*id, within, Some(first)));
            return;
        }
        let (current, pinned) = (self.history.current(), self.looked.pinned);
        let stands_alone = |(id, _): &(RevisionId, usize)| *id == current || Some(*id) == pinned;
        let mut stem = stem;
        for piece in steps.chunk_by(|a, b| !stands_alone(a) && !stands_alone(b)) {
            if piece.len() > FEW {
                self.fold(piece, first, stem);
                stem = stem.below();
            } else {
                for (id, _) in piece {
                    self.state(*id, stem, Some(first));
                    stem = stem.below();
                }
            }
        }
    }

    /// One row for several steps.
    fn fold(&mut self, steps: &[(RevisionId, usize)], opens: RevisionId, stem: Stem) {
        let (Some(&(first, _)), Some(&(last, _))) = (steps.first(), steps.last()) else { return };
        let mut line = Line::empty();
        line.push(Role::Dim, stem.drawn(self.alphabet));
        // Where the steps are open, the present one has the sign itself.
        let sign = if self.is_open(opens) { self.alphabet.pick("○", "o") } else { self.sign(last) };
        line.push(Role::Dim, format!("{sign} "));
        line.push(Role::Hint, self.open_sign(opens));
        line.push(Role::Number, format!("{first}{}{last} ", self.alphabet.pick("–", "-")));
        line.push(Role::Plain, format!("{} steps", steps.len()));
        let mut rules: IndexMap<&str, usize> = IndexMap::new();
        let made = steps.iter().filter_map(|(id, _)| self.history.revision(*id)?.steps.first());
        made.for_each(|step| *rules.entry(step.rule.as_str()).or_default() += 1);
        rules.sort_by(|_, a, _, b| b.cmp(a));
        let times = self.alphabet.pick("×", "x");
        let each: Vec<String> = rules.iter().map(|(rule, count)| format!("{rule} {count}{times}")).collect();
        line.push(Role::Dim, format!(": {}", each.join(", ")));
        self.out.push(Row { revision: last, part: Part::Steps { first }, opens: Some(opens), line });
    }

    /// A time and what it changed, its interval, the device, and the sizes where there are several: parts that are not torn apart.
    fn price(&self, id: RevisionId, price: Price<'_>) -> Vec<Line> {
        let measured = price.measured;
        let mut parts = vec![Line::of(Role::Number, figures::time(measured.median_ns))];
        if let Some(Bought { before, change, alone }) = bought(self.history, id, price) {
            let role = if change.starts_with('-') { Role::Good } else { Role::Warning };
            let how = if alone { ", both alone" } else { "" };
            parts.push(Line::of(role, change).with(Role::Dim, format!(" from {before}{how}")));
        }
        if let Some(first) = self.first_with_code(measured).filter(|first| *first < id) {
            parts.push(Line::of(Role::Dim, format!("same code as {first}")));
        }
        let spread = figures::spread(measured.median_ns, measured.interval_ns);
        parts.extend(spread.map(|spread| Line::of(Role::Dim, spread)));
        let device = Line::of(Role::Dim, self.devices.short(&measured.device).to_owned());
        parts.push(device.fit(DEVICE, self.alphabet));
        let elsewhere = self.looked.sizes.map_or(self.several_sizes, |sizes| *sizes != measured.sizes);
        if elsewhere {
            let at: Vec<String> = measured.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
            parts.push(Line::of(Role::Dim, format!("at {}", at.join(" "))));
        }
        if let Some(other) = contradiction(price) {
            parts.iter_mut().rev().take(1).for_each(|last| last.push(Role::Dim, ","));
            parts.push(Line::of(Role::Warning, other));
        }
        parts
    }

    /// The first state that was measured with this code, there and at these sizes.
    fn first_with_code(&self, measured: &Measurement) -> Option<RevisionId> {
        let alike = self.codes.get(&measured.kernel)?;
        alike.iter().find(|(_, m)| m.is_of_same_code(measured)).map(|(id, _)| *id)
    }

    fn sign(&self, id: RevisionId) -> &'static str {
        if id == self.history.current() {
            self.alphabet.pick("●", "*")
        } else {
            self.alphabet.pick("○", "o")
        }
    }

    fn open_sign(&self, id: RevisionId) -> &'static str {
        if self.is_open(id) { self.alphabet.pick("▾ ", "- ") } else { self.alphabet.pick("▸ ", "+ ") }
    }

    /// The row of a state, and where it is open those of its rewrites. `within` is what it was folded into.
    fn state(&mut self, id: RevisionId, stem: Stem, within: Option<RevisionId>) {
        let history = self.history;
        let Some(revision) = history.revision(id) else { return };
        let now = id == history.current();
        let opens = (self.looked.opened.is_some() && revision.steps.len() > 1).then_some(id);
        let mut line = Line::empty();
        line.push(Role::Dim, stem.drawn(self.alphabet));
        line.push(if now { Role::Good } else { Role::Dim }, format!("{} ", self.sign(id)));
        if let Some(opens) = opens {
            line.push(Role::Hint, self.open_sign(opens));
        }
        line.push(Role::Number, format!("{id} "));
        let row = |line: Line| Row { revision: id, part: Part::State, opens: opens.or(within), line };
        let alphabet = self.alphabet;
        let below =
            |between: &str| Line::of(Role::Dim, format!("{}   {between}", stem.below().drawn(alphabet)));
        for (i, price) in prices(revision, self.looked.sizes).into_iter().enumerate() {
            for (j, part) in self.price(id, price).into_iter().enumerate() {
                let between = if i > 0 && j == 0 { " · " } else { " " };
                let needed = line.width() + between.chars().count() + part.width();
                let full = self.looked.width.is_some_and(|most| needed > most);
                let first = i + j == 0;
                if full && !first {
                    self.out.push(row(std::mem::replace(&mut line, below(between))));
                } else if !first {
                    line.push(Role::Plain, between);
                }
                line.append(part);
            }
        }
        let mut made = Line::empty();
        if self.looked.pinned == Some(id) {
            made.push(Role::Hint, "pinned  ");
        }
        if let Some(same) = self.same.get(&revision.term.digest()).filter(|same| **same != id) {
            made.push(Role::Dim, format!("same as {same}  "));
        }
        if id != 0 && self.history.parent(id).is_none() {
            made.push(Role::Hint, "read again: ");
        }
        if let Some(rank) = rank(&revision.label) {
            made.push(Role::Dim, format!("rank {rank} of "));
        }
        let before = made.width();
        let label: String = revision.label.split_whitespace().collect::<Vec<_>>().join(" ");
        made.push(if now { Role::Title } else { Role::Plain }, label);
        if !revision.measurements.is_empty() {
            // What made it can be told from what made others, also behind a long price.
            // A column is for the sign that more follows.
            let needed = line.width() + 2 + made.width().min(before + LABEL) + 1;
            if self.looked.width.is_some_and(|most| needed > most) {
                self.out.push(row(std::mem::replace(&mut line, below(" "))));
            } else {
                line.push(Role::Plain, "  ");
            }
        }
        line.append(made);
        if let Some(text) = revision.elevate.as_ref().filter(|text| **text != revision.label) {
            line.push(Role::Dim, format!(", {text}"));
        }
        if !revision.marks().is_empty() {
            line.push(Role::Warning, format!(" {}", revision.marks()));
        }
        if revision.steps.len() > 1 {
            line.push(Role::Dim, format!(" ({})", rewrites(revision)));
        }
        if let Some(others) = self.merged.get(&id) {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            line.push(Role::Dim, format!(", also {}", others.join(", ")));
        }
        if now {
            line.push(Role::Hint, "  now");
        }
        self.out.push(row(line));
        if opens.is_some_and(|id| self.is_open(id)) {
            for (i, step) in revision.steps.iter().enumerate() {
                let line =
                    Line::of(Role::Dim, format!("{}    {} ", stem.below().drawn(self.alphabet), i + 1))
                        .with(Role::Plain, step.to_string());
                self.out.push(Row { revision: id, part: Part::Rewrite(i), opens, line });
            }
        }
    }
}

/// The most columns of a device's name: what made a state stands behind it.
const DEVICE: usize = 24;

/// What it takes on each device at these sizes, else at those of the last measurement, in the order in which the devices were first
/// measured on.
fn prices<'a>(revision: &'a Revision, sizes: Option<&Sizes>) -> Vec<Price<'a>> {
    let devices: IndexSet<&str> = revision.measurements.iter().map(|m| m.device.as_str()).collect();
    let price = |device: &&str| {
        let here = sizes.and_then(|sizes| revision.price(device, sizes));
        let last = || revision.measurements.iter().rev().find(|m| m.device == *device);
        here.or_else(|| revision.price(device, &last()?.sizes))
    };
    devices.iter().filter_map(price).collect()
}

/// How many rewrites made a revision; of how many that were tried, where rules were tried one by one.
pub fn rewrites(revision: &Revision) -> String {
    let steps = revision.steps.len();
    match usize::try_from(revision.counts.tried) {
        Ok(tried) if tried >= steps => format!("{steps} rewrites of {tried} tried"),
        _ => format!("{steps} rewrites"),
    }
}

/// The states of the present program that were measured as the present one was, or else the state above it or the newest: on the
/// same device at the same sizes, the fastest first. It is asked first of what was measured at `sizes`, the present ones.
pub fn ranked<'a>(history: &'a History, sizes: &Sizes) -> Vec<(RevisionId, Price<'a>)> {
    let root = history.root(history.current());
    let states = || (0..history.len()).filter(|id| history.root(*id) == root);
    let newest = |counts: &dyn Fn(&Measurement) -> bool| {
        let of = |id| history.revision(id)?.measurements.iter().rev().find(|m| counts(m));
        std::iter::successors(Some(history.current()), |id| history.parent(*id))
            .chain(states().rev())
            .find_map(of)
    };
    let Some(like) = newest(&|m| m.sizes == *sizes).or_else(|| newest(&|_| true)) else { return vec![] };
    let priced = |id: RevisionId| Some((id, history.revision(id)?.price(&like.device, &like.sizes)?));
    let mut all: Vec<_> = states().filter_map(priced).collect();
    all.sort_by(|(_, a), (_, b)| a.measured.median_ns.total_cmp(&b.measured.median_ns));
    all
}

/// That a state took another time, too, when it was measured.
pub fn contradiction(price: Price<'_>) -> Option<String> {
    let other = price.contradicted?;
    let how = match (price.measured.in_turns, other.in_turns) {
        (true, false) => " alone",
        _ => "",
    };
    Some(format!("also took {}{how}", figures::time(other.median_ns)))
}

/// Which of the programs of a search a text takes, where that is not the first: it stands at the end of the text, which may be cut.
fn rank(label: &str) -> Option<&str> {
    let (_, behind) = label.split_once("rank: ")?;
    let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
    behind.get(..digits).filter(|rank| !rank.is_empty() && *rank != "1")
}

/// What a state bought.
struct Bought {
    /// The nearest revision above that was measured on the same device at the same sizes.
    before: RevisionId,
    /// The change since.
    change: String,
    /// It is told by the times that both took alone, where the one that is shown was taken in turns with others.
    alone: bool,
}

/// Whether a state was measured like one above it, so that its row tells what it bought, or that the code is the same.
pub fn tells_worth(history: &History, id: RevisionId) -> bool {
    let all = history.revision(id).map(|own| &*own.measurements).unwrap_or_default();
    let above = history.line(id);
    all.iter().any(|m| {
        above.iter().any(|before| {
            *before != id && history.revision(*before).is_some_and(|r| r.price(&m.device, &m.sizes).is_some())
        })
    })
}

/// None where that revision has the same code: whatever the times say, nothing was bought.
fn bought(history: &History, id: RevisionId, price: Price<'_>) -> Option<Bought> {
    let shown = price.measured;
    let own = history.revision(id)?;
    let mut above = history.parent(id);
    while let Some(id) = above {
        let revision = history.revision(id)?;
        if let Some(before) = revision.price(&shown.device, &shown.sizes) {
            if before.measured.is_of_same_code(shown) {
                return None;
            }
            // Beside others a state may take longer than alone: like is compared with like, where it is there.
            let alone = |revision| alone(revision, shown);
            let alike = match before.measured.in_turns == shown.in_turns {
                true => None,
                false => alone(revision).zip(alone(own)),
            };
            let (from, to) = alike.unwrap_or((before.measured, shown));
            let change = if from.differs_from(to) {
                figures::change(from.median_ns, to.median_ns)?
            } else {
                // Two programs that run in turns may still be told apart.
                "not told apart".to_owned()
            };
            return Some(Bought { before: id, change, alone: alike.is_some() && shown.in_turns });
        }
        above = history.parent(id);
    }
    None
}

/// What a state took alone, last, where the other measurement was taken.
fn alone<'a>(revision: &'a Revision, like: &Measurement) -> Option<&'a Measurement> {
    let alike = |m: &&Measurement| !m.in_turns && m.device == like.device && m.sizes == like.sizes;
    revision.measurements.iter().rev().find(alike)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{BUSY, UNLIKE};
    use crate::lang::literal::Literal;
    use crate::lang::path::{Path, PathMap};
    use crate::lang::term::Term;
    use crate::lang::work::Work;
    use crate::rewrite::rule::Marks;
    use crate::session::action::MedianTime;
    use crate::session::history::RevisionStep;

    /// A history of single steps, each a rewrite by the rule of its name, and at its end a strategy of two rewrites.
    fn stepped(rules: &[&str]) -> History {
        let term = |n: usize| Term::lit(Literal::Int(n as i128, crate::lang::ty::Scalar::I32));
        let step = |rule: &str, n| RevisionStep {
            rule: rule.to_owned(),
            marks: Marks::default(),
            at: Path::root(),
            after: term(n),
        };
        let mut history = History::new(term(0), "f.rise");
        for (i, rule) in rules.iter().enumerate() {
            let steps = vec![step(rule, i + 1)];
            history.add(i, Revision { steps, ..Revision::new(term(i + 1), rule) }, PathMap::identity());
        }
        let (last, n) = (history.current(), rules.len() + 1);
        let steps = vec![step("first", n + 1), step("second", n)];
        history.add(last, Revision { steps, ..Revision::new(term(n), "both") }, PathMap::identity());
        history
    }

    fn texts(history: &History, pinned: Option<RevisionId>, opened: &[RevisionId]) -> Vec<String> {
        let opened = opened.iter().copied().collect();
        let rows =
            rows(history, Looked { pinned, opened: Some(&opened), ..Looked::default() }, Alphabet::Unicode);
        rows.iter().map(|row| row.line.text()).collect()
    }

    #[test]
    fn single_steps_are_one_row_that_opens() {
        let mut history = stepped(&["beta", "eta", "beta", "split", "beta", "split"]);
        let folded = "○ ▸ 1–6 6 steps: beta 3×, split 2×, eta 1×";
        assert_eq!(texts(&history, None, &[]), ["○ 0 f.rise", folded, "● ▸ 7 both (2 rewrites)  now"]);
        let open = texts(&history, None, &[1, 7]);
        assert_eq!(open[1..4], ["○ ▾ 1–6 6 steps: beta 3×, split 2×, eta 1×", "  ○ 1 beta", "  ○ 2 eta"]);
        assert_eq!(open[8..], ["● ▾ 7 both (2 rewrites)  now", "    1 first at .", "    2 second at ."]);
        // Where the present state is the last of the open steps, its own row alone has the sign.
        history.goto(6);
        let present = texts(&history, None, &[1]).into_iter().filter(|row| row.contains('●'));
        assert_eq!(present.collect::<Vec<_>>(), ["  ● 6 split  now"]);
        // The present and the pinned state keep their rows, and what is left alone is no fold.
        history.goto(4);
        let apart = texts(&history, Some(5), &[]);
        assert_eq!(
            apart[1..5],
            ["○ ▸ 1–3 3 steps: beta 2×, eta 1×", "● 4 split  now", "○ 5 pinned  beta", "○ 6 split"]
        );
        // A branch ends it.
        history.goto(2);
        history.add(2, Revision::new(history.term().clone(), "other"), PathMap::identity());
        let branched = texts(&history, None, &[]);
        assert!(branched.iter().any(|row| row.contains("3–6 4 steps")), "{branched:?}");
        assert!(branched.iter().all(|row| !row.contains("1–")), "{branched:?}");
    }

    #[test]
    fn prices_that_have_no_room_go_on_in_the_next_row() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let on = |device: &str, median_ns: f64| {
            let time = MedianTime { median_ns, interval_ns: (median_ns * 0.9, median_ns * 1.1), runs: 30 };
            let kernel = Digest::of(&median_ns.to_le_bytes());
            Measurement::of(device, kernel, &Sizes::new(), time, &work, String::new())
        };
        let term = |n: i128| Term::lit(Literal::Int(n, crate::lang::ty::Scalar::I32));
        let mut history = History::new(term(0), "f.rise");
        if let Some(first) = history.revision_mut(0) {
            first.measurements.push(on("cpu", 8.1e6));
        }
        let measurements = vec![on("cpu", 8e6), on("a device of a long name", 9e6)];
        let id =
            history.add(0, Revision { measurements, ..Revision::new(term(1), "step") }, PathMap::identity());
        let opened = BTreeSet::new();
        for width in 20..120 {
            let looked = Looked { opened: Some(&opened), width: Some(width), ..Looked::default() };
            let rows = rows(&history, looked, Alphabet::Unicode);
            let shown: Vec<String> = rows
                .iter()
                .filter(|row| row.revision == id)
                .map(|row| row.line.fit(width, Alphabet::Unicode).text())
                .collect();
            let shown = shown.join("\n");
            for figure in ["8.000 ms", "9.000 ms"] {
                assert!(shown.contains(figure), "{width}: {shown}");
            }
            assert_eq!(shown.matches("(-10/+10 %)").count(), 2, "{width}: {shown}");
            assert!(shown.contains("  step") || shown.contains("\n    step"), "{width}: {shown}");
            // What the change is from is not dropped where the whole of it has room.
            assert!(width < 28 || shown.contains("not told apart from 0"), "{width}: {shown}");
        }
        // What a state is compared with is measured on its device.
        let elsewhere = Revision { measurements: vec![on("gpu", 1e6)], ..Revision::new(term(2), "gpu") };
        let elsewhere = history.add(id, elsewhere, PathMap::identity());
        assert_eq!([0, id, elsewhere].map(|id| tells_worth(&history, id)), [false, true, false]);
    }

    #[test]
    fn states_that_say_nothing_new_are_in_the_row_of_the_first() {
        let term = |n: i128| Term::lit(Literal::Int(n, crate::lang::ty::Scalar::I32));
        let mut history = History::new(term(0), "f.rise");
        for n in [1, 1, 2] {
            history.add(0, Revision::new(term(n), "s"), PathMap::identity());
        }
        assert_eq!(texts(&history, None, &[])[1..], ["├ ○ 1 s, also 2", "└ ● 3 s  now"]);
        // Which of the programs of a search it is stands before what may be cut.
        let ranked = "reach contains(mapSeq) with (best: 10, rank: 3)";
        history.add(0, Revision::new(term(7), ranked), PathMap::identity());
        assert!(texts(&history, None, &[]).iter().any(|row| row.contains(" rank 3 of reach contains(")));
        // The present one and the pinned one have rows of their own, and so has what is gone on from.
        assert_eq!(texts(&history, Some(2), &[])[2], "├ ○ 2 pinned  same as 1  s");
        history.add(2, Revision::new(term(4), "s"), PathMap::identity());
        assert_eq!(texts(&history, None, &[])[2], "├ ○ 2 same as 1  s");
    }

    #[test]
    fn what_a_step_bought_is_in_sight_however_deep_the_branch_is() {
        let term = |n: usize| Term::lit(Literal::Int(n as i128, crate::lang::ty::Scalar::I32));
        let mut history = History::new(term(0), "f.rise");
        for n in 1..40 {
            let from = history.current();
            history.add(from, Revision::new(term(2 * n), "side"), PathMap::identity());
            history.add(from, Revision::new(term(2 * n + 1), "on"), PathMap::identity());
        }
        let before = |row: &String| row.chars().take_while(|c| " │├└".contains(*c)).count();
        assert_eq!(texts(&history, None, &[]).iter().map(before).max(), Some(12));
    }

    #[test]
    fn what_goes_on_is_told_from_what_branches_off() {
        let term = |n: usize| Term::lit(Literal::Int(n as i128, crate::lang::ty::Scalar::I32));
        let mut history = History::new(term(0), "f.rise");
        let add = |history: &mut History, from, n| {
            history.goto(from);
            history.add(from, Revision::new(term(n), "s"), PathMap::identity())
        };
        for (from, n) in [(0, 1), (1, 2), (0, 3), (3, 4), (3, 5), (5, 6)] {
            add(&mut history, from, n);
        }
        history.goto(0);
        let drawn = texts(&history, None, &[]);
        let wanted =
            ["● 0 f.rise  now", "├ ○ 1 s", "│ ○ 2 s", "└ ○ 3 s", "  ├ ○ 4 s", "  └ ○ 5 s", "    ○ 6 s"];
        assert_eq!(drawn, wanted);
    }

    #[test]
    fn states_are_ranked_at_the_present_sizes_before_others() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let sizes = |n: i64| Sizes::from_iter([("n".into(), n)]);
        let of = |id: RevisionId, n: i64, median_ns: f64| {
            let time = MedianTime { median_ns, interval_ns: (median_ns, median_ns), runs: 30 };
            Measurement::of("cpu", Digest::of(&id.to_le_bytes()), &sizes(n), time, &work, String::new())
        };
        let mut history = stepped(&["one", "two"]);
        // A sweep comes after what was measured alone.
        for (id, times) in [(1, [(1024, 900.0), (64, 10.0)]), (2, [(1024, 500.0), (64, 20.0)])] {
            let measured = times.map(|(n, median)| of(id, n, median)).to_vec();
            history.revision_mut(id).unwrap().measurements = measured;
        }
        let ids = |n| ranked(&history, &sizes(n)).iter().map(|(id, _)| *id).collect::<Vec<_>>();
        assert_eq!((ids(1024), ids(64)), (vec![2, 1], vec![1, 2]));
        assert_eq!(ids(7), [1, 2], "where nothing was measured at these, at the last sizes");
    }

    #[test]
    fn what_was_measured_in_turns_is_the_price_and_what_contradicts_it_is_told() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let mut history = stepped(&["one", "two", "three"]);
        let of = |id: RevisionId, median_ns: f64, in_turns: bool| {
            let time = MedianTime { median_ns, interval_ns: (median_ns * 0.97, median_ns * 1.03), runs: 30 };
            let kernel = Digest::of(&id.to_le_bytes());
            let measured = Measurement::of("cpu", kernel, &Sizes::new(), time, &work, String::new());
            Measurement { in_turns, ..measured }
        };
        let mut measure = |id, all: Vec<Measurement>| {
            if let Some(r) = history.revision_mut(id) {
                r.measurements = all;
            }
        };
        measure(1, vec![of(1, 496.1, false)]);
        // The last of those that were measured apart counts, and the first is not forgotten.
        measure(2, vec![of(2, 160.8, false), of(2, 556.3, false)]);
        // What was measured in turns counts more than what was measured later.
        measure(3, vec![of(3, 520.0, true), of(3, 200.0, false)]);
        let order = ranked(&history, &Sizes::new());
        let ids: Vec<RevisionId> = order.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, [1, 3, 2]);
        let rows = texts(&history, None, &[1]);
        for said in ["also took 160.8 ns", "also took 200.0 ns alone", "496.1 ns"] {
            assert!(rows.iter().any(|row| row.contains(said)), "{said}: {rows:?}");
        }
        // Like is compared with like: 3 was measured alone, too, as 2 was.
        let row = rows.iter().find(|row| row.contains("520.0 ns")).unwrap();
        assert!(row.contains("520.0 ns -64.0 % from 2, both alone (-3.0/+3.0 %) cpu, also took"), "{row}");
        // What contradicts itself tells nothing of others, unless it was measured in turns.
        let price = |at: usize| order[at].1;
        assert!(price(0).measured.is_apart(price(2).measured) && !price(0).is_apart(price(2)));
        assert_eq!(contradiction(price(0)), None);
    }

    /// Turns that refused to say which is faster leave no gain in the history, nor are they taken before what was measured later.
    #[test]
    fn times_that_were_disturbed_unlike_tell_no_gain() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let of = |id: RevisionId, median_ns: f64, unlike: bool| {
            let time = MedianTime { median_ns, interval_ns: (median_ns * 0.97, median_ns * 1.03), runs: 30 };
            let kernel = Digest::of(&id.to_le_bytes());
            let measured = Measurement::of("cpu", kernel, &Sizes::new(), time, &work, String::new());
            let warnings = if unlike { vec![format!("Others were busy. {UNLIKE}")] } else { vec![] };
            Measurement { in_turns: true, warnings, ..measured }
        };
        let mut history = stepped(&["one"]);
        // Of one thread and several, only those of several may have met other programs.
        for (id, unlike) in [(0, false), (1, true)] {
            let median_ns = if unlike { 100.0 } else { 300.0 };
            history.revision_mut(id).unwrap().measurements.push(of(id, median_ns, unlike));
        }
        let row = &texts(&history, None, &[])[1];
        assert!(row.contains("100.0 ns not told apart from 0"), "{row}");
        let price = |id: RevisionId| history.revision(id).unwrap().price("cpu", &Sizes::new()).unwrap();
        assert!(!price(0).is_apart(price(1)) && !price(1).is_apart(price(0)));
        // Alone on a quiet machine it takes as long as it takes.
        let later = Measurement { in_turns: false, ..of(1, 200.0, false) };
        history.revision_mut(1).unwrap().measurements.push(later);
        let row = &texts(&history, None, &[])[1];
        assert!(row.contains("200.0 ns -33.3 % from 0") && row.contains("also took 100.0 ns"), "{row}");
    }

    /// What made a state has a row of its own where there is no room for it beside the price.
    #[test]
    fn states_are_gone_to_however_many_rows_they_have() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let mut history = stepped(&["one"]);
        for id in 0..3usize {
            let time = MedianTime { median_ns: 100.0, interval_ns: (97.0, 103.0), runs: 30 };
            let kernel = Digest::of(&id.to_le_bytes());
            let measured = Measurement::of("cpu", kernel, &Sizes::new(), time, &work, String::new());
            history.revision_mut(id).unwrap().measurements.push(measured);
        }
        let rows = rows(&history, Looked { width: Some(24), ..Looked::default() }, Alphabet::Unicode);
        let first = |id| rows.iter().position(|row| row.revision == id);
        assert!(rows.len() > 4, "{rows:?}");
        for (from, to) in [(0, 1), (1, 2)] {
            assert_eq!(next_state(&rows, first(from).unwrap(), true), first(to));
            assert_eq!(next_state(&rows, first(to).unwrap(), false), first(from));
        }
        assert_eq!(next_state(&rows, first(2).unwrap(), true), None);
        assert_eq!(next_state(&rows, first(1).unwrap() + 1, false), first(1));
    }

    /// What took long on a busy machine may take less: it tells a gain, and no loss.
    #[test]
    fn a_busy_machine_tells_no_loss() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let of = |id: RevisionId, median_ns: f64, busy: bool| {
            let time = MedianTime { median_ns, interval_ns: (median_ns * 0.97, median_ns * 1.03), runs: 30 };
            let kernel = Digest::of(&id.to_le_bytes());
            let measured = Measurement::of("cpu", kernel, &Sizes::new(), time, &work, String::new());
            Measurement { warnings: if busy { vec![format!("{BUSY}: others.")] } else { vec![] }, ..measured }
        };
        for (times, busy, told) in [
            ([100.0, 150.0], [false, true], "150.0 ns not told apart from 0"),
            ([100.0, 50.0], [false, true], "50.00 ns -50.0 % from 0"),
            ([100.0, 150.0], [true, false], "150.0 ns +50.0 % from 0"),
            ([100.0, 50.0], [true, false], "50.00 ns not told apart from 0"),
            ([100.0, 50.0], [true, true], "50.00 ns not told apart from 0"),
        ] {
            let mut history = stepped(&["one"]);
            for id in [0, 1] {
                history.revision_mut(id).unwrap().measurements.push(of(id, times[id], busy[id]));
            }
            let row = &texts(&history, None, &[])[1];
            assert!(row.contains(told), "{row}: {told}");
        }
    }

    /// Two times of the same code differ by chance, so none of them is a gain, wherever in the tree the states stand.
    #[test]
    fn states_of_the_same_code_bought_nothing() {
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        let of = |code: &str, median_ns: f64| {
            let time = MedianTime { median_ns, interval_ns: (median_ns * 0.99, median_ns * 1.01), runs: 30 };
            let kernel = Digest::of(code.as_bytes());
            Measurement::of("cpu", kernel, &Sizes::new(), time, &work, String::new())
        };
        let term = |n: i128| Term::lit(Literal::Int(n, crate::lang::ty::Scalar::I32));
        let mut history = History::new(term(0), "f.rise");
        history.revision_mut(0).unwrap().measurements.push(of("a", 400.0));
        for (n, from, code, time) in [(1, 0, "a", 300.0), (2, 1, "b", 150.0), (3, 0, "b", 200.0)] {
            let measurements = vec![of(code, time)];
            history.add(from, Revision { measurements, ..Revision::new(term(n), "s") }, PathMap::identity());
        }
        assert_eq!(
            texts(&history, None, &[]),
            [
                "○ 0 400.0 ns (-1.0/+1.0 %) cpu  f.rise",
                "├ ○ 1 300.0 ns same code as 0 (-1.0/+1.0 %) cpu  s",
                "│ ○ 2 150.0 ns -50.0 % from 1 (-1.0/+1.0 %) cpu  s",
                "└ ● 3 200.0 ns -50.0 % from 0 same code as 2 (-1.0/+1.0 %) cpu  s  now",
            ]
        );
        let price = |id: RevisionId| history.revision(id).unwrap().price("cpu", &Sizes::new()).unwrap();
        assert!(!price(0).is_apart(price(1)) && !price(2).is_apart(price(3)) && price(0).is_apart(price(2)));
    }
}
