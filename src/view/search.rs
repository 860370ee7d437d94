//! A search while it grows, and what came of it.

use std::sync::Arc;
use std::time::Duration;

use super::figures;
use super::growth;
use super::table::{self, Column};
use super::text::{Alphabet, Line, Role};
use crate::lang::diag::Diagnostic;
use crate::rewrite::search::{PartReport, Phase, Progress as Moment, RuleReport};
use crate::session::action::{Outcome, RevisionId, SearchOutcome};
use crate::session::guided::GuideLine;
use crate::session::jobs::JobView;
use crate::session::searching::SearchProgress;
use crate::session::state::Progress;

/// The last search: what was asked, how far it is or came, and how it ended.
#[derive(Clone, Debug, Default)]
pub struct Last {
    /// The text of the strategy that searches.
    pub text: Option<String>,
    /// The same, also where no search ran then, and the state that it was begun in.
    pub from: Option<(String, RevisionId)>,
    /// How far.
    pub progress: Option<Arc<SearchProgress>>,
    /// For how long, without what was done before: other searches of the same strategy have clocks of their own.
    pub elapsed: Duration,
    /// How long the strategy had run when the search began.
    before: Duration,
    /// What came of it; nothing while it runs.
    pub end: Option<Vec<Line>>,
    /// The revision that it found.
    pub revision: Option<RevisionId>,
    /// The rules that lead to what it found, as they were used.
    pub way: Vec<String>,
}

impl Last {
    /// A search was started.
    pub fn begun(&mut self, text: &str, from: RevisionId) {
        let from = Some((text.to_owned(), from));
        *self = Last { text: Some(text.to_owned()), from, ..Last::default() };
    }

    /// Takes over how far the running search is; true when one is running.
    pub fn watch(&mut self, jobs: &[JobView<Progress>]) -> bool {
        for job in jobs {
            if let Progress::Search(progress) = &job.progress {
                let is_another =
                    self.progress.as_ref().is_none_or(|last| progress.now.elapsed < last.now.elapsed);
                // What is told was so some time ago.
                let before = job.elapsed.saturating_sub(progress.now.elapsed);
                self.before = if is_another { before } else { self.before.min(before) };
                self.progress = Some(progress.clone());
                self.elapsed = job.elapsed.saturating_sub(self.before);
                self.end = None;
                return true;
            }
        }
        false
    }

    /// It ended with an outcome.
    pub fn ended(&mut self, outcome: &Outcome) {
        let (head, searches) = match outcome {
            Outcome::Term { revision, searches, .. } => {
                (Line::of(Role::Good, format!("Found: revision {revision}.")), searches)
            }
            Outcome::Unchanged { reason, searches } => (Line::of(Role::Warning, reason.clone()), searches),
            Outcome::Done | Outcome::Kernel { .. } | Outcome::Measured(_) | Outcome::Tuned { .. } => return,
        };
        if searches.is_empty() {
            self.text = None;
        } else {
            let trail = searches.last().and_then(|search| search.trail.as_ref()).into_iter().flatten();
            self.way = trail.map(|step| step.rule.clone()).collect();
            self.end = Some(std::iter::once(head).chain(searches.iter().map(decision)).collect());
        }
    }

    /// What it was for has ended as well: its best programs were measured, or that came to nothing.
    pub fn over(&mut self, said: Line) {
        self.end.get_or_insert_with(|| vec![said]);
    }

    /// It ended with a problem.
    pub fn failed(&mut self, problem: &Diagnostic) {
        self.end = Some(super::problem::brief(problem));
    }
}

/// How a search ended.
pub(super) fn decision(search: &SearchOutcome) -> Line {
    let role = if search.found.is_some() { Role::Good } else { Role::Warning };
    let mut line = Line::of(Role::Plain, format!("{}: ", search.sketch)).with(role, search.stop.clone());
    line.push(
        Role::Plain,
        format!(
            " in iteration {}, {} nodes, {} classes",
            search.iteration,
            count(search.nodes),
            count(search.classes)
        ),
    );
    if let Some(trail) = &search.trail {
        let by = match trail.len() {
            0 => ", without a rewrite: the program is like the sketch as it is".to_owned(),
            1 => ", by 1 rewrite".to_owned(),
            n => format!(", by {n} rewrites"),
        };
        line.push(Role::Plain, by);
    }
    if let Some(why) = &search.no_trail {
        line.push(Role::Warning, format!("; its rule applications are not known: {why}"));
    }
    if let Some(told) = &search.untold {
        line.push(Role::Warning, format!(". {told}"));
    }
    line
}

/// A search in a few words.
pub fn brief(search: &SearchProgress) -> String {
    let now = &search.now;
    let (nodes, classes) = (count(now.nodes), count(now.classes));
    // Of a search that makes its guides, each of its searches begins with the first iteration.
    let step = match search.guides.len() {
        0 => String::new(),
        steps => format!("step {steps}, "),
    };
    let at = match now.phase {
        Phase::Done => "taking the best programs".to_owned(),
        // Where many programs are told apart, nothing grows meanwhile.
        Phase::Check => format!("iteration {}, asking its sketch", now.iteration + 1),
        _ => format!("iteration {}", now.iteration + 1),
    };
    format!("{step}{at}, {nodes} nodes, {classes} classes, {}", figures::bytes(now.rss))
}

pub(super) fn count(n: usize) -> String {
    figures::count(n as u64)
}

/// Everything about the last search; the first key types one, the second stops what runs.
pub fn lines(last: &Last, [key, cancel]: [&str; 2], width: usize, alphabet: Alphabet) -> Vec<Line> {
    let Some(progress) = &last.progress else {
        return match (&last.end, &last.text) {
            (Some(end), _) => end.iter().flat_map(|line| line.wrap(width, 2)).collect(),
            (None, Some(text)) => Line::of(Role::Dim, format!("Starting {text} …")).wrap(width, 2),
            (None, None) => Line::of(
                Role::Dim,
                format!(
                    "No search has run. {key} types one: `reach SKETCH using RULES`. It grows an e-graph of all \
                     programs that the rules can make, until one satisfies the sketch."
                ),
            )
            .wrap(width, 0),
        };
    };
    let mut lines = Line::of(Role::Title, format!("towards {}", progress.sketch)).wrap(width, 2);
    if let Some(warning) = &progress.warning {
        lines.extend(Line::of(Role::Warning, warning.clone()).wrap(width, 2));
    }
    if last.end.is_none() {
        lines.extend(guides(&progress.guides, width, alphabet));
    }
    let progress = &progress.now;
    match &last.end {
        None => lines.extend(Line::of(Role::Warning, phase(progress, cancel)).wrap(width, 2)),
        Some(end) => lines.extend(end.iter().flat_map(|line| line.wrap(width, 2))),
    }
    lines.extend(figures_line(progress, last.elapsed).wrap(width, 2));
    let growth = growth::chart(progress, last.end.is_none(), width, alphabet);
    if !growth.is_empty() {
        lines.push(Line::empty());
        lines.extend(growth);
    }
    if !progress.parts.is_empty() {
        lines.push(Line::empty());
        let mut head = Line::of(Role::Title, "sketch");
        let mut parts: Vec<Line> = progress.parts.iter().map(|p| part(p, alphabet)).collect();
        if parts.iter().any(|line| line.width() > width) {
            head.append(signs(alphabet));
            parts = progress.parts.iter().map(|p| part_in_brief(p, alphabet)).collect();
        }
        lines.extend(std::iter::once(head).chain(parts).map(|line| line.fit(width, alphabet)));
    }
    lines.push(Line::empty());
    lines.extend(rules(progress, &last.way, width, alphabet));
    lines
}

/// The guides that a search has made so far.
fn guides(all: &[GuideLine], width: usize, alphabet: Alphabet) -> Vec<Line> {
    let line = |guide: &GuideLine| {
        let (role, sign) = if guide.reached {
            (Role::Good, alphabet.pick("✓ ", "+ "))
        } else {
            (Role::Dim, alphabet.pick("· ", ". "))
        };
        Line::of(role, sign).with(Role::Plain, guide.what.clone()).fit(width, alphabet)
    };
    all.iter().map(line).collect()
}

fn phase(progress: &Moment, cancel: &str) -> String {
    let rule = |i: usize| progress.rules.get(i).map_or("a rule", |rule| rule.label.as_str());
    let what = match progress.phase {
        Phase::Check => "asking whether the sketch is satisfied".to_owned(),
        Phase::Match(i) => format!("finding matches of {}", rule(i)),
        Phase::Apply(i) => format!("applying {}", rule(i)),
        Phase::Rebuild => "restoring congruence".to_owned(),
        // What can take a while after the end; without it, the end itself stands here at once.
        Phase::Done => {
            return format!(
                "over; taking its best programs and writing down the rule applications of its result ({cancel} stops that)"
            );
        }
    };
    format!("iteration {}: {what}", progress.iteration + 1)
}

fn figures_line(progress: &Moment, elapsed: Duration) -> Line {
    let mut line = Line::empty();
    // The clock of the job goes on after the search.
    let elapsed =
        if progress.phase == Phase::Done { progress.elapsed } else { elapsed.max(progress.elapsed) };
    let seconds = elapsed.as_secs_f64();
    for (value, what) in [
        (if seconds < 1.0 { figures::time(seconds * 1e9) } else { figures::elapsed(seconds) }, ""),
        (count(progress.nodes), " nodes"),
        (count(progress.classes), " classes"),
        (figures::bytes(progress.rss), " of memory"),
        (progress.best_size.to_string(), " the weight of the lightest term, nothing shared"),
    ] {
        line.push(Role::Dim, if line.is_empty() { "" } else { ", " });
        line.push(Role::Number, value);
        line.push(Role::Plain, what);
    }
    line
}

/// Where a part of a sketch holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    AtRoot,
    Elsewhere,
    Nowhere,
}

impl Holds {
    fn of(part: &PartReport) -> Holds {
        match part.classes {
            _ if part.at_root => Holds::AtRoot,
            0 => Holds::Nowhere,
            _ => Holds::Elsewhere,
        }
    }

    fn sign(self, alphabet: Alphabet) -> (Role, &'static str) {
        match self {
            Holds::AtRoot => (Role::Good, alphabet.pick("✓ ", "+ ")),
            Holds::Elsewhere => (Role::Warning, alphabet.pick("~ ", "~ ")),
            Holds::Nowhere => (Role::Dim, alphabet.pick("✗ ", "- ")),
        }
    }
}

/// A part of the sketch: where it holds.
pub(super) fn part(part: &PartReport, alphabet: Alphabet) -> Line {
    let where_ = match Holds::of(part) {
        Holds::AtRoot => "the whole term".to_owned(),
        Holds::Elsewhere if part.classes == 1 => "one class".to_owned(),
        Holds::Elsewhere => format!("{} classes", count(part.classes)),
        Holds::Nowhere => "nowhere yet".to_owned(),
    };
    let (role, sign) = Holds::of(part).sign(alphabet);
    Line::of(Role::Plain, "  ".repeat(part.depth))
        .with(role, sign)
        .with(role, where_)
        .with(Role::Plain, format!("  {}", part.label))
}

/// The same where there is less room: a sign alone says where it holds, and the heading what the signs are; the text of a part is what
/// tells it from the others.
fn part_in_brief(part: &PartReport, alphabet: Alphabet) -> Line {
    let (role, sign) = Holds::of(part).sign(alphabet);
    let mut line = Line::of(Role::Plain, " ".repeat(part.depth)).with(role, sign);
    if Holds::of(part) == Holds::Elsewhere {
        line.push(role, format!("{} ", count(part.classes)));
    }
    line.with(Role::Plain, part.label.clone())
}

/// What the signs of the parts mean.
fn signs(alphabet: Alphabet) -> Line {
    let all = [(Holds::AtRoot, "whole"), (Holds::Elsewhere, "classes"), (Holds::Nowhere, "nowhere")];
    all.into_iter().fold(Line::empty(), |line, (holds, word)| {
        let (role, sign) = holds.sign(alphabet);
        line.with(role, format!(" {sign}{word}"))
    })
}

/// What a rule costs comes first: that decides which one is held back.
const COLUMNS: &[Column] = &[
    Column::flexible("rule"),
    Column::words("way"),
    Column::figures("nodes"),
    Column::figures("time"),
    Column::figures("memory"),
    Column::figures("matches"),
    Column::figures("applied"),
];

/// Why the nodes of all rules are more than the graph has.
const MERGED: &str = "Nodes are counted as rules add them; the graph has fewer, since equal ones become one.";

/// How many rules are left out of a list, because they have matched nothing.
pub(super) fn idle(rules: usize) -> Option<Line> {
    let text = if rules == 1 { "One rule has".to_owned() } else { format!("{rules} rules have") };
    (rules > 0).then(|| Line::of(Role::Dim, format!("{text} matched nothing.")))
}

/// The rules that matched something, those that grow the graph most first.
pub fn fired(all: &[RuleReport]) -> Vec<&RuleReport> {
    let mut fired: Vec<&RuleReport> = all.iter().filter(|rule| rule.matches > 0).collect();
    fired.sort_by_key(|rule| std::cmp::Reverse((rule.nodes, rule.applied, rule.matches)));
    fired
}

/// What they did, and which of them lead to what was found.
fn rules(now: &Moment, way: &[String], width: usize, alphabet: Alphabet) -> Vec<Line> {
    let fired = fired(&now.rules);
    let number = |n: usize| Line::of(Role::Number, count(n));
    let rows: Vec<Vec<Line>> = fired
        .iter()
        .map(|rule| {
            vec![
                Line::plain(rule.label.clone()),
                Line::of(Role::Good, if way.contains(&rule.label) { "yes" } else { "" }),
                number(rule.nodes),
                Line::of(Role::Number, figures::time(rule.time.as_secs_f64() * 1e9)),
                Line::of(Role::Number, figures::bytes(rule.memory)),
                number(rule.matches),
                number(rule.applied),
            ]
        })
        .collect();
    let (head, mut lines) = table::layout(COLUMNS, &rows, width, alphabet);
    lines.insert(0, head);
    // Below the table, where it is read after the figures.
    let added: usize = fired.iter().map(|rule| rule.nodes).sum();
    if added > now.nodes {
        lines.extend(Line::of(Role::Dim, MERGED).wrap(width, 0));
    }
    lines.extend(idle(now.rules.len() - fired.len()).map(|line| line.fit(width, alphabet)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::search::Grown;

    fn sample() -> Last {
        let rule = |label: &str, matches, nodes| RuleReport {
            label: label.to_owned(),
            matches,
            applied: matches / 2,
            unions: matches / 4,
            nodes,
            memory: 100 * nodes as u64,
            time: Duration::from_micros(1500),
        };
        let part = |label: &str, depth, classes, at_root| PartReport {
            label: label.to_owned(),
            depth,
            classes,
            at_root,
        };
        let grown = |(nodes, classes, parts): (usize, usize, usize)| Grown {
            nodes,
            classes,
            rss: 100_000 * nodes as u64,
            parts,
        };
        let now = Moment {
            iteration: 3,
            phase: Phase::Apply(1),
            nodes: 11_200,
            classes: 4_100,
            grown: [(40, 30, 1), (600, 250, 1), (3000, 1200, 2)].map(grown).to_vec(),
            bound: 200_000,
            most_memory: 1 << 30,
            entries: 11_900,
            rss: 322_122_547,
            elapsed: Duration::from_millis(3100),
            best_size: 58,
            rules: vec![rule("splitJoin(32)", 1204, 900), rule("mapFission", 8, 5000), rule("eta", 0, 0)],
            parts: vec![
                part("containsMap(m)", 0, 12, true),
                part("containsReduceSeq(k)", 1, 3, false),
                part("containsAddMul", 2, 0, false),
            ],
        };
        let progress = Some(Arc::new(SearchProgress {
            sketch: "baseline".to_owned(),
            warning: None,
            guides: Arc::default(),
            now,
        }));
        Last { text: Some("reach baseline".to_owned()), progress, ..Last::default() }
    }

    fn text(lines: &[Line]) -> String {
        lines.iter().map(|line| line.text().trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    /// A search that is over says so, also where what it was for came to its end without a state, or before anything was seen of it.
    #[test]
    fn a_search_for_measurements_ends_with_them() {
        let shown = |last: &Last| text(&lines(last, ["S", "C-c"], 70, Alphabet::Ascii));
        let mut last = sample();
        if let Some(progress) = last.progress.as_mut().and_then(Arc::get_mut) {
            progress.now.phase = Phase::Done;
        }
        assert!(
            shown(&last).contains("over; taking") && shown(&last).contains("C-c stops"),
            "{}",
            shown(&last)
        );
        last.over(Line::plain("2 programs."));
        assert!(!shown(&last).contains("over; taking") && shown(&last).contains("2 programs."));
        last.over(Line::plain("Something else."));
        assert!(!shown(&last).contains("Something else."));
        let mut unseen = Last::default();
        unseen.begun("reach baseline", 0);
        assert!(shown(&unseen).contains("Starting reach baseline"));
        unseen.over(Line::plain("2 programs."));
        assert_eq!(shown(&unseen), "2 programs.");
    }

    #[test]
    fn a_growing_search_says_what_it_does_and_which_rule_grows_it() {
        insta::assert_snapshot!(text(&lines(&sample(), ["S", "C-c"], 70, Alphabet::Ascii)), @r"
        towards baseline
        iteration 4: applying mapFission
        3.1 s, 11.2 k nodes, 4100 classes, 307.2 MiB of memory, 58 the weight
          of the lightest term, nothing shared

        growth  iteration, nodes, of 200.0 k allowed, on a logarithmic scale
           1      40 ###############
           2     600 #########################
           3    3000 ###############################
           4 ~15.0 k --------------------------------------
        At this rate the limit is met 2 iterations after this one.
           classes   -~= 1200
           memory    __- 286.1 MiB of 1.00 GiB
           sketch    --+ 2 of 3 parts

        sketch
        + the whole term  containsMap(m)
          ~ 3 classes  containsReduceSeq(k)
            - nowhere yet  containsAddMul

        rule           way  nodes      time     memory  matches  applied
        mapFission           5000  1.500 ms  488.3 KiB        8        4
        splitJoin(32)         900  1.500 ms   87.9 KiB     1204      602
        One rule has matched nothing.
        ");
    }

    /// Where there are few columns parts are told apart by their text, rows of figures are whole, and the way is marked.
    #[test]
    fn nothing_that_decides_is_cut_in_a_narrow_pane() {
        let mut last = sample();
        last.way = vec!["mapFission".to_owned()];
        let deepest =
            PartReport { label: "containsMap(m/32, ...)".to_owned(), depth: 3, classes: 0, at_root: false };
        Arc::make_mut(last.progress.as_mut().unwrap()).now.parts.push(deepest);
        let text = text(&lines(&last, ["S", "C-c"], 36, Alphabet::Ascii));
        for row in [
            " memory  __- 286.1 MiB of 1.00 GiB",
            "sketch + whole ~ classes - nowhere",
            " ~ 3 containsReduceSeq(k)",
            "   - containsMap(m/32, ...)",
            "mapFission     yes   5000  1.500 ms",
            "splitJoin(32)         900  1.500 ms",
        ] {
            assert!(text.lines().any(|line| line == row), "{row}: {text}");
        }
    }

    #[test]
    fn its_end_replaces_what_it_does() {
        let mut last = sample();
        last.ended(&Outcome::Unchanged {
            reason: "The nodes are at their limit.".to_owned(),
            searches: vec![SearchOutcome {
                chain: None,
                paused: vec![],
                sketch: "baseline".to_owned(),
                iteration: 4,
                rule: None,
                matches: 0,
                stop: "limit".to_owned(),
                nodes: 11_200,
                classes: 4_100,
                found: None,
                trail: None,
                no_trail: None,
                untold: Some("Where 8 divides n.".to_owned()),
            }],
        });
        let text = text(&lines(&last, ["S", "C-c"], 70, Alphabet::Ascii));
        assert!(text.contains("The nodes are at their limit.") && text.contains("baseline: limit"), "{text}");
        assert!(text.contains("4100 classes. Where 8\n  divides n."), "{text}");
        assert!(!text.contains("applying"), "{text}");
        assert!(text.contains("growth") && !text.contains("At this rate"), "{text}");
    }

    #[test]
    fn more_nodes_of_rules_than_the_graph_has_are_explained() {
        let mut last = sample();
        let of_graph = |last: &mut Last, nodes: usize| {
            if let Some(progress) = last.progress.as_mut() {
                Arc::make_mut(progress).now.nodes = nodes;
            }
            text(&lines(last, ["S", "C-c"], 100, Alphabet::Ascii)).contains(MERGED)
        };
        assert!(of_graph(&mut last, 5_899) && !of_graph(&mut last, 5_900));
    }

    #[test]
    fn what_ended_before_it_searched_is_not_starting() {
        let shown = |last: &Last| text(&lines(last, ["S", "C-c"], 70, Alphabet::Ascii));
        let mut last = Last::default();
        last.begun("hard", 0);
        assert!(shown(&last).contains("Starting hard"));
        last.failed(&Diagnostic::error("E0412", "A search has no option `seconds`."));
        assert!(
            shown(&last).contains("no option `seconds`") && !shown(&last).contains("Starting"),
            "{}",
            shown(&last)
        );

        last.begun("baseline", 0);
        last.ended(&Outcome::Unchanged { reason: "Nothing to do.".to_owned(), searches: vec![] });
        assert!(shown(&last).contains("No search has run."), "{}", shown(&last));
    }
}
