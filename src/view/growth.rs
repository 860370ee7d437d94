//! How the e-graph of a search grows: a bar an iteration, as long as the logarithm of its nodes, towards the limit, and where that
//! leads; below, a sign an iteration for its classes, the memory and the parts of the sketch.

use super::figures;
use super::search::count;
use super::text::{Alphabet, Line, Role};
use crate::lang::columns;
use crate::rewrite::search::{Grown, Phase, Progress};

/// The most iterations that have a bar of their own, the last ones; where there are more, all of them are one row besides.
const ROWS: usize = 8;

/// The signs of a row of bars beside each other, the lowest first.
const HEIGHTS: (&str, &str) = ("▁▂▃▄▅▆▇█", "_.-~=+*#");

/// With less room it is not said what stands before the nodes.
const ROOMY: usize = 60;

/// What the lengths of the bars are, in so many words as there is room for.
const SCALES: [&str; 2] = [", on a logarithmic scale", ", log scale"];

/// The widest bar and the narrowest that is drawn.
const BARS: (usize, usize) = (48, 8);

/// Columns of the number of the iteration and of the nodes.
const FIGURES: usize = 13;

/// An iteration that makes a graph larger by less than this grows no more.
const GROWS: f64 = 1.02;

/// What is foretold of an iteration that runs may be more, so with so much of the limit it may be met.
const NEARLY: f64 = 0.9;

/// The most signs in a row behind which there are figures, and the fewest.
const SIGNS: (usize, usize) = (24, 4);
/// Columns of the names of such rows, where there are few.
const NAMES: usize = 9;

/// The bars; nothing before the second iteration. While the search runs, also where that leads.
pub fn chart(progress: &Progress, runs: bool, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let grown = &progress.grown;
    let room = width.saturating_sub(FIGURES).min(BARS.0);
    if grown.len() < 2 || room < BARS.1 {
        return vec![];
    }
    let limit = progress.bound.max(2) as f64;
    let length =
        |nodes: f64| ((nodes.max(1.0).ln() / limit.ln() * room as f64).round() as usize).clamp(1, room);
    let first = grown.len().saturating_sub(ROWS);
    let bar = |(i, grown): (usize, &Grown)| {
        Line::of(Role::Number, format!("{:>4} {:>7} ", i + 1, count(grown.nodes)))
            .with(Role::Good, alphabet.pick("█", "#").repeat(length(grown.nodes as f64)))
    };
    let iteration = if width < ROOMY { "" } else { "iteration, " };
    let head = format!("  {iteration}nodes, of {} allowed", count(progress.bound));
    let head = Line::of(Role::Title, "growth").with(Role::Dim, head);
    let scale = SCALES.iter().find(|scale| head.width() + scale.len() <= width);
    let mut lines = vec![head.with(Role::Dim, scale.copied().unwrap_or_default())];
    if first > 0 {
        let label = format!("1 to {}", grown.len());
        let label = format!("{label:<FIGURES$}");
        lines.push(row_of_all(&label, grown, &|g| part_of(g.nodes, limit), room, alphabet));
    }
    lines.extend(grown.iter().enumerate().skip(first).map(bar));
    if let Some((next, left)) = forecast(grown, progress.nodes, progress.bound).filter(|_| runs) {
        let text = format!("{:>4} {:>7} ", grown.len() + 1, format!("~{}", count(next as usize)));
        let drawn = alphabet.pick("░", "-").repeat(length(next));
        lines.push(Line::of(Role::Dim, text).with(Role::Dim, drawn));
        let text = match left {
            1 => "At this rate the limit is met in this iteration.".to_owned(),
            2 if next > NEARLY * progress.bound as f64 => {
                "At this rate the limit is met in this iteration or the next.".to_owned()
            }
            2 => "At this rate the limit is met in the next iteration.".to_owned(),
            n => format!("At this rate the limit is met {} iterations after this one.", n - 1),
        };
        lines.extend(Line::of(Role::Hint, text).wrap(width, 2));
    }
    lines.extend(besides(progress, limit, width, alphabet).into_iter().map(|l| l.fit(width, alphabet)));
    lines
}

/// What else grows, each in a row: classes, memory, and the parts of the sketch that are there, with what it is now. The figures are
/// whole: where there are few columns there are fewer signs before them.
fn besides(progress: &Progress, limit: f64, width: usize, alphabet: Alphabet) -> Vec<Line> {
    type Height<'a> = Box<dyn Fn(&Grown) -> f64 + 'a>;
    let grown = &progress.grown;
    let Some(last) = grown.last() else { return vec![] };
    let (most, parts) = (progress.most_memory, progress.parts.len());
    let classes: Height<'_> = Box::new(|g| part_of(g.classes, limit));
    // What is done after the last iteration may make two classes one.
    let is_over = progress.phase == Phase::Done;
    let (all, rss) = if is_over { (progress.classes, progress.rss) } else { (last.classes, last.rss) };
    let mut rows = vec![("classes", classes, count(all))];
    if rss > 0 && most > 0 {
        let now = figures::bytes(rss);
        // That of a replay has no limit.
        let now = if most == u64::MAX { now } else { format!("{now} of {}", figures::bytes(most)) };
        rows.push(("memory", Box::new(move |g| g.rss as f64 / most as f64), now));
    }
    if parts > 0 {
        let now = format!("{} of {parts} parts", last.parts);
        rows.push(("sketch", Box::new(move |g| g.parts as f64 / parts as f64), now));
    }
    let figures = rows.iter().map(|(.., now)| now.chars().count() + 1).max().unwrap_or_default();
    let few = width.saturating_sub(FIGURES + figures) < SIGNS.0;
    let (names, indent) = if few { (NAMES, " ") } else { (FIGURES, "   ") };
    let room = width.saturating_sub(names + figures).clamp(SIGNS.1, SIGNS.0);
    let row = |(what, height, now): (&str, Height<'_>, String)| {
        let label = columns::left(&format!("{indent}{what}"), names);
        row_of_all(&label, grown, &height, room, alphabet).with(Role::Number, format!(" {now}"))
    };
    rows.into_iter().map(row).collect()
}

/// Which part of the limit this is, by logarithms.
fn part_of(n: usize, limit: f64) -> f64 {
    (n as f64).max(1.0).ln() / limit.ln()
}

/// All iterations in one row, each as high as it is a part of the most; of more than there is room for, every second or third.
fn row_of_all(
    label: &str,
    grown: &[Grown],
    height: &dyn Fn(&Grown) -> f64,
    room: usize,
    alphabet: Alphabet,
) -> Line {
    let signs: Vec<char> = alphabet.pick(HEIGHTS.0, HEIGHTS.1).chars().collect();
    let every = grown.len().div_ceil(room.max(1)).max(1);
    let sign = |g: &Grown| {
        let at = (height(g) * (signs.len() - 1) as f64).round() as usize;
        signs.get(at.min(signs.len() - 1)).copied().unwrap_or(' ')
    };
    // The last one is what there is now.
    let mut row: Vec<char> = grown.iter().rev().step_by(every).map(sign).collect();
    row.reverse();
    Line::of(Role::Number, label.to_owned()).with(Role::Good, row.into_iter().collect::<String>())
}

/// The nodes after the iteration that runs, at the rate of the last one, or at its own where it has made more already, and in how
/// many iterations that leads to the limit, this one included; none where the graph hardly grows.
fn forecast(grown: &[Grown], now: usize, bound: usize) -> Option<(f64, usize)> {
    let [.., before, last] = grown else { return None };
    let (before, last, now, bound) = (before.nodes as f64, last.nodes as f64, now as f64, bound as f64);
    let rate = (last / before.max(1.0)).max(now / last.max(1.0));
    if rate < GROWS || last.max(now) >= bound {
        return None;
    }
    let left = ((bound / last).ln() / rate.ln()).ceil().max(1.0);
    Some((last * rate, left as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_nodes(nodes: usize) -> Grown {
        Grown { nodes, ..Grown::default() }
    }

    #[test]
    fn all_iterations_are_seen_where_there_are_many() {
        let grown: Vec<Grown> = (1..=30).map(|i| of_nodes(i * i * 10)).collect();
        let row = |room| {
            row_of_all("1 to 30      ", &grown, &|g| part_of(g.nodes, 10_000.0), room, Alphabet::Ascii).text()
        };
        assert!(row(48).starts_with("1 to 30") && row(48).chars().count() == FIGURES + 30, "{}", row(48));
        // The graph has grown: the first sign is lower than the last.
        let height = |sign: char| HEIGHTS.1.find(sign).unwrap();
        let signs: Vec<char> = row(48).chars().skip(FIGURES).collect();
        assert!(height(signs[0]) < height(signs[29]), "{}", row(48));
        assert_eq!(row(10).chars().count(), FIGURES + 10);
    }

    #[test]
    fn where_growth_leads_is_foretold() {
        let forecast = |nodes: &[usize], bound| {
            let grown: Vec<Grown> = nodes.iter().map(|n| of_nodes(*n)).collect();
            super::forecast(&grown, nodes.last().copied().unwrap_or_default(), bound)
        };
        assert_eq!(forecast(&[10, 100], 100_000), Some((1000.0, 3)));
        assert_eq!(forecast(&[50, 100], 150), Some((200.0, 1)));
        // What hardly grows, or is there already, or has not grown yet, leads nowhere.
        assert_eq!(forecast(&[100, 101], 1000), None);
        assert_eq!(forecast(&[100, 1000], 1000), None);
        assert_eq!(forecast(&[100], 1000), None);
        // An iteration that has made more than the last one foretold goes on from there.
        let grown = [of_nodes(10), of_nodes(100)];
        assert_eq!(super::forecast(&grown, 900, 100_000), Some((1000.0, 3)));
        assert_eq!(super::forecast(&grown, 5_000, 100_000), Some((5000.0, 2)));
        assert_eq!(super::forecast(&grown, 100_000, 100_000), None);
        let progress = Progress {
            iteration: 2,
            phase: Phase::Apply(0),
            nodes: 5_000,
            classes: 100,
            grown: grown.to_vec(),
            bound: 100_000,
            most_memory: 0,
            entries: 0,
            rss: 0,
            elapsed: std::time::Duration::ZERO,
            best_size: 1,
            rules: vec![],
            parts: vec![],
        };
        let rows: Vec<String> = chart(&progress, true, 60, Alphabet::Ascii).iter().map(Line::text).collect();
        assert!(rows.iter().any(|row| row.starts_with("   3   ~5000 -")), "{rows:#?}");
        let head = |width| chart(&progress, true, width, Alphabet::Ascii)[0].text();
        assert!(head(80).ends_with(" allowed, on a logarithmic scale"), "{}", head(80));
        assert!(head(50).ends_with(" allowed, log scale") && head(50).len() <= 50, "{}", head(50));
        let told = "At this rate the limit is met in the next iteration.";
        assert!(rows.iter().any(|row| row == told), "{rows:#?}");
        let progress = Progress { bound: 5_400, ..progress };
        let rows: Vec<String> = chart(&progress, true, 80, Alphabet::Ascii).iter().map(Line::text).collect();
        let told = "At this rate the limit is met in this iteration or the next.";
        assert!(rows.iter().any(|row| row == told), "{rows:#?}");
    }
}
