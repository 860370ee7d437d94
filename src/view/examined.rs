//! All that a search knows when it ends, as text: what it found, where each part of its sketch holds, what its rules did.

use super::figures;
use super::search::{count, idle, part};
use super::table::{self, Column};
use super::text::{Alphabet, Line, Role};
use crate::lang::print;
use crate::lower::nest;
use crate::rewrite::search::{Last, RuleReport};
use crate::session::action::Sizes;
use crate::session::searching::Examined;
use crate::session::workspace::Workspace;

const CUT_SHORT: &str = "A limit was met before all was asked: of which part there is one, and what comes nearest, may not be told.";

/// A witness is shown in so many characters.
const WITNESS: usize = 90;

/// What is to be shown of searches.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub width: usize,
    pub alphabet: Alphabet,
}

/// Everything that there is to say of a search.
pub fn lines(search: &Examined, workspace: &Workspace, shown: Shown) -> Vec<Line> {
    let Shown { width, alphabet } = shown;
    let mut lines = Line::of(Role::Title, format!("towards {}", search.sketch)).wrap(width, 2);
    if let Some(made) = &search.guide {
        let what = if made.is_goal { "the goal: " } else { "a guide: " };
        lines.extend(Line::of(Role::Dim, format!("{what}{}", made.what)).wrap(width, 2));
    }
    if let Some(warning) = &search.warning {
        lines.extend(Line::of(Role::Warning, warning.clone()).wrap(width, 2));
    }
    lines.extend(Line::plain(search.report.to_string()).wrap(width, 2));
    for hint in search.report.hints() {
        lines.extend(Line::of(Role::Dim, hint).wrap(width, 2));
    }
    lines.extend([Line::empty(), Line::of(Role::Title, "sketch")]);
    lines.extend(parts(search, shown));
    lines.push(Line::empty());
    lines.extend(rules(search, width, alphabet));
    match search.report.found() {
        Some(_) => lines.extend(best(search, workspace, width)),
        None if search.report.fewer.is_some() => lines.extend(best(search, workspace, width)),
        None => lines.extend(nearest(search, workspace, alphabet)),
    }
    if search.insight.cut_short {
        lines.push(Line::empty());
        lines.extend(Line::of(Role::Warning, CUT_SHORT).wrap(width, 2));
    }
    if let (Some(_), Err(why)) = (search.report.found(), &search.steps) {
        lines.push(Line::empty());
        lines.extend(
            Line::of(Role::Warning, format!("The rewrites that lead there are not known: {why}"))
                .wrap(width, 2),
        );
    }
    lines
}

fn parts(search: &Examined, shown: Shown) -> Vec<Line> {
    let Shown { width, alphabet } = shown;
    let mut lines = vec![];
    for p in &search.insight.parts {
        let mut line = part(&p.report, alphabet);
        if !p.report.at_root && !p.places.is_empty() {
            let places: Vec<String> = p.places.iter().map(ToString::to_string).collect();
            line.push(Role::Dim, format!("  at {}", places.join(" ")));
        }
        lines.push(line.fit(width, alphabet));
        if let Some(witness) = p.witness.as_ref().filter(|_| !p.report.at_root) {
            let indent = "  ".repeat(p.report.depth + 2);
            let text = print::short(witness, &[], WITNESS);
            lines.push(Line::of(Role::Dim, format!("{indent}as in {text}")).fit(width, alphabet));
        }
    }
    lines
}

const COLUMNS: &[Column] = &[
    Column::flexible("rule"),
    Column::words("way"),
    Column::figures("nodes"),
    Column::figures("matches"),
    Column::figures("applied"),
    Column::figures("unions"),
    Column::figures("memory"),
    Column::figures("time"),
];

/// What each rule did that matched something, those on the way to what was found first.
fn rules(search: &Examined, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let on_the_way = |r: &RuleReport| search.on_the_way.contains(&r.label);
    let rules = &search.report.rules;
    let mut all: Vec<&RuleReport> = rules.iter().filter(|r| r.matches > 0).collect();
    all.sort_by_key(|r| std::cmp::Reverse((on_the_way(r), r.nodes, r.matches)));
    let number = |n: usize| Line::of(Role::Number, count(n));
    let row = |r: &&RuleReport| {
        vec![
            Line::plain(r.label.clone()),
            Line::of(Role::Good, if on_the_way(r) { "yes" } else { "" }),
            number(r.nodes),
            number(r.matches),
            number(r.applied),
            number(r.unions),
            Line::of(Role::Number, figures::bytes(r.memory)),
            Line::of(Role::Number, figures::time(r.time.as_secs_f64() * 1e9)),
        ]
    };
    let rows: Vec<Vec<Line>> = all.iter().map(row).collect();
    let (head, mut lines) = table::layout(COLUMNS, &rows, width, alphabet);
    lines.insert(0, head);
    lines.extend(idle(rules.len() - all.len()).map(|line| line.fit(width, alphabet)));
    lines
}

/// The lightest programs, with what they weigh.
fn best(search: &Examined, workspace: &Workspace, width: usize) -> Vec<Line> {
    let mut lines = vec![];
    let took = figures::time(search.extraction.as_secs_f64() * 1e9);
    let all = if search.best.complete { "" } else { "; there may be others" };
    let ranked = || search.best.terms.iter().zip(&search.last);
    let is_behind = |last: &Last| search.best.terms.len() > 1 && last.told().is_some();
    let before = ranked().filter(|(_, last)| !is_behind(last)).map(|(found, _)| found.cost);
    let first = if before.is_sorted() { "" } else { "; the first is the one that was found" };
    let behind = match search.last.iter().any(is_behind) {
        true => "; those that are said to come last stand behind heavier ones",
        false => "",
    };
    let programs = match (search.best.terms.len(), search.best.of) {
        (1, None) => "The lightest program".to_owned(),
        (n, None) => format!("The {n} lightest programs"),
        (1, Some(of)) => format!("The lightest of {of} programs that were looked at"),
        (n, Some(of)) => format!("The {n} lightest of {of} programs that were looked at"),
    };
    lines.push(Line::empty());
    lines.extend(
        Line::of(Role::Title, format!("{programs}, found in {took}{all}{first}{behind}")).wrap(width, 2),
    );
    for (i, (found, last)) in ranked().enumerate() {
        let why = last
            .told()
            .filter(|_| is_behind(last))
            .map_or_else(String::new, |why| format!(", comes last: {why}"));
        lines.extend(Line::of(Role::Dim, format!("{}. weight {}{why}", i + 1, found.cost)).wrap(width, 2));
        lines.extend(workspace.print(&found.term).lines().map(|l| Line::plain(format!("  {l}"))));
    }
    lines
}

/// The program that satisfies most of the sketch, as a term and as loops.
fn nearest(search: &Examined, workspace: &Workspace, alphabet: Alphabet) -> Vec<Line> {
    let Some(nearest) = &search.insight.nearest else { return vec![] };
    let (levels, of) = (nearest.levels, nearest.of);
    let head = match nearest.but_for_sizes {
        true => "A program that is like the sketch but for the sizes in the place of its holes.".to_owned(),
        false if of == 0 => "The program that comes nearest.".to_owned(),
        false => format!("The program that comes nearest: {levels} of {of} nested `contains` hold of it."),
    };
    let mut lines = vec![Line::empty(), Line::of(Role::Title, head)];
    lines.extend(workspace.print(&nearest.term).lines().map(|l| Line::plain(format!("  {l}"))));
    let guide = alphabet.pick("│ ", "| ");
    for line in nest(&nearest.term, &Sizes::default()).lines {
        lines.push(Line::plain(format!("  {}{}", guide.repeat(line.depth), line.text)));
    }
    lines
}
