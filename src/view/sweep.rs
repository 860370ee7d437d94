//! Two states at several sizes: which is faster where, as a chart, and between which sizes that changes.

use super::figures::{digits, time};
use super::text::{Alphabet, Line, Role};
use crate::device::stats::{CLOSE, Verdict};
use crate::lang::columns;
use crate::session::action::Measurement;
use crate::session::bench::of_comparison;
use crate::session::sweep::{Point, all_the_same, crossovers, decided};
use indexmap::IndexMap;

/// The columns of a bar to one side: so that a row with what it says fits a terminal of 80 columns.
const HALF: usize = 8;

/// A row a size: both times, and a bar towards the faster one, as long as the logarithm of how much faster it is.
pub fn chart(name: &str, of: [&str; 2], points: &[Point], alphabet: Alphabet) -> Vec<Line> {
    let log = |point: &Point| point.pair.comparison.ratio.log2();
    let longest = points.iter().map(|point| log(point).abs()).fold(1.0_f64, f64::max);
    let sizes: Vec<String> = points.iter().map(|point| format!("{name}={}", point.size)).collect();
    let widest = columns::widest(&sizes, columns::NAMES);
    let mut lines =
        vec![Line::of(Role::Dim, format!("A  {}", of[0])), Line::of(Role::Dim, format!("B  {}", of[1]))];
    // What is first of this is seen where there are few rows.
    lines.extend(conclusion(name, points));
    lines.extend(points.first().map(|point| Line::of(Role::Dim, on(name, &point.pair.first))));
    let faster = format!("{:>HALF$}{}{:<HALF$}", "A faster", alphabet.pick("│", "|"), "B faster");
    // It is not that of the two medians: each run is compared with the one beside it.
    let ratio = "median ratio in turns";
    lines.push(Line::of(
        Role::Dim,
        format!("{}  {:>8}  {:>8}  {faster}  {ratio}", columns::left("", widest), "A", "B"),
    ));
    for (point, size) in points.iter().zip(&sizes) {
        let length = ((log(point).abs() / longest * HALF as f64).round() as usize).min(HALF);
        let bar = alphabet.pick("█", "#").repeat(length);
        let apart = !decided(std::slice::from_ref(point)).is_empty();
        let (left, right) = if log(point) < 0.0 { (bar.as_str(), "") } else { ("", bar.as_str()) };
        let pad = |text: &str| " ".repeat(HALF - text.chars().count());
        let [a, b] = [&point.pair.first, &point.pair.second].map(|m| time(m.median_ns));
        let mut line = Line::plain(format!("{}  {a:>8}  {b:>8}  ", columns::left(size, widest)));
        let role = if apart { Role::Good } else { Role::Dim };
        line.push(role, format!("{}{left}", pad(left)));
        line.push(Role::Dim, alphabet.pick("│", "|"));
        line.push(role, format!("{right}{}", pad(right)));
        let says = match point.pair.comparison.verdict {
            Verdict::NoMeasurableDifference => "no measurable difference".to_owned(),
            Verdict::SameCode => "the same code".to_owned(),
            Verdict::DisturbedUnlike => "disturbed unlike".to_owned(),
            Verdict::Close => format!("within {} %", 100.0 * CLOSE),
            Verdict::FirstFaster => format!("A {} times as fast", digits(1.0 / point.pair.comparison.ratio)),
            Verdict::SecondFaster => format!("B {} times as fast", digits(point.pair.comparison.ratio)),
        };
        line.push(role, format!("  {says}"));
        lines.push(line);
    }
    lines.extend(minded(name, points));
    lines
}

/// Which is faster where, as far as the points tell.
fn conclusion(name: &str, points: &[Point]) -> Vec<Line> {
    let mut lines = vec![];
    let crossed = crossovers(points);
    for crossover in &crossed {
        let (from, to) = crossover.between;
        let (from_on, near) = (if crossover.to_second { "B" } else { "A" }, crossover.near.round());
        let text = format!(
            "{from_on} is faster from between {name}={from} and {name}={to} on, by the figures near {near}."
        );
        lines.push(Line::of(Role::Hint, text));
    }
    if crossed.is_empty() {
        let at_least = format!("measurably and by more than {} %", 100.0 * CLOSE);
        let unlike = points.iter().any(|point| point.pair.comparison.verdict == Verdict::DisturbedUnlike);
        let wherever = if unlike { "that is known".to_owned() } else { format!("they differ {at_least}") };
        let text = match decided(points).first().map(|point| point.pair.comparison.verdict) {
            Some(Verdict::FirstFaster) => format!("A is the faster one wherever {wherever}."),
            Some(Verdict::SecondFaster) => format!("B is the faster one wherever {wherever}."),
            _ if all_the_same(points) => {
                "Both have the same code at all of these sizes: neither is faster.".to_owned()
            }
            _ if unlike => "At none of these sizes is it known which is faster.".to_owned(),
            _ => format!("At none of these sizes do they differ {at_least}."),
        };
        lines.push(Line::of(Role::Hint, text));
    }
    lines
}

/// Where all was measured, and at which sizes besides those of this name, which are the same for all.
fn on(name: &str, measured: &Measurement) -> String {
    let is_held = |size: &str| name.split('=').all(|swept| swept != size);
    let held = measured.sizes.iter().filter(|(size, _)| is_held(size));
    let held: Vec<String> = held.map(|(size, value)| format!("{size}={value}")).collect();
    let at = if held.is_empty() { String::new() } else { format!(", at {}", held.join(" ")) };
    format!("on {}, in turns{at}", measured.device)
}

/// What is to be minded of measurements, once each with the first size of which it was said; the same of others may have other figures.
fn minded(name: &str, points: &[Point]) -> Vec<Line> {
    let mut all: IndexMap<String, Vec<(i64, String)>> = IndexMap::new();
    for Point { size, pair } in points {
        let own = pair.first.warnings.iter().chain(&pair.second.warnings).cloned();
        for warning in own.chain(of_comparison(&pair.comparison)) {
            let kind = warning.chars().filter(|c| !c.is_ascii_digit()).collect();
            let said = all.entry(kind).or_default();
            if said.last().is_none_or(|(last, _)| last != size) {
                said.push((*size, warning));
            }
        }
    }
    let line = |said: &Vec<(i64, String)>| {
        let (size, warning) = said.first()?;
        let more = match said.len() - 1 {
            0 => String::new(),
            1 => " (and at another size)".to_owned(),
            more => format!(" (and at {more} other sizes)"),
        };
        Some(Line::of(Role::Warning, format!("mind: {name}={size}{more}: {warning}")))
    };
    all.values().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::stats::compare_turns;
    use crate::lang::digest::Digest;
    use crate::session::bench::{Outputs, Pair};
    use crate::session::sweep::reaches;

    /// Two states whose times at a size are these, in nanoseconds.
    fn point(size: i64, times: [u64; 2]) -> Point {
        let runs = times.map(|time| (0..30).map(|i| time * (1000 + i % 5) / 1000).collect::<Vec<u64>>());
        let measured = |time: u64| Measurement {
            device: "cpu".to_owned(),
            kernel: Digest::of(b"kernel"),
            sizes: [("k".into(), size)].into_iter().collect(),
            median_ns: time as f64,
            interval_ns: (time as f64, time as f64),
            runs: 30,
            parts: vec![],
            flops: None,
            integer_operations: None,
            bytes: None,
            check: String::new(),
            max_error: None,
            warnings: vec![],
            in_turns: false,
        };
        let comparison = compare_turns(&runs[0], &runs[1]).unwrap();
        Point {
            size,
            pair: Pair {
                first: measured(times[0]),
                second: measured(times[1]),
                comparison,
                outputs: Outputs::Agree,
            },
        }
    }

    #[test]
    fn a_crossover_is_where_the_faster_one_changes() {
        let points = [
            point(1000, [1_000_000, 4_000_000]),
            point(2000, [2_000_000, 4_000_000]),
            point(4000, [4_000_000, 4_000_000]),
            point(8000, [8_000_000, 4_000_000]),
        ];
        let found = crossovers(&points);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].between, found[0].to_second), ((2000, 8000), true));
        assert!((3900.0..4100.0).contains(&found[0].near), "{found:?}");
        let shown: Vec<String> = chart("k", ["a.rise", "b.rise"], &points, Alphabet::Ascii)
            .iter()
            .map(|line| line.text().trim_end().to_owned())
            .collect();
        assert_eq!(shown[2], "B is faster from between k=2000 and k=8000 on, by the figures near 4000.");
        assert_eq!(shown[3], "on cpu, in turns");
        assert!(shown[4].ends_with("A faster|B faster  median ratio in turns"), "{}", shown[4]);
        assert_eq!(shown[5], "k=1000  1.000 ms  4.000 ms  ########|          A 4.000 times as fast");
        assert_eq!(shown[7], "k=4000  4.000 ms  4.000 ms          |          no measurable difference");
        assert_eq!(shown[8], "k=8000  8.000 ms  4.000 ms          |####      B 2.000 times as fast");
        // The sizes of three dimensions leave each row whole in a page of 80 columns.
        let wide = chart("m=n=k", ["a.rise", "b.rise"], &points, Alphabet::Ascii);
        assert!(wide.iter().skip(3).take(6).all(|line| line.width() <= 76), "{wide:#?}");
        assert!(crossovers(&points[..3]).is_empty() && crossovers(&points[3..]).is_empty());
    }

    /// Times of a size hold at the others that there are.
    #[test]
    fn the_sizes_that_were_held_are_said() {
        let mut points = [point(1000, [1_000_000, 4_000_000])];
        points[0].pair.first.sizes.extend([("b".into(), 16), ("c".into(), 3)]);
        let where_ = |name| chart(name, ["a", "b"], &points, Alphabet::Ascii)[3].text();
        assert_eq!(where_("k"), "on cpu, in turns, at b=16 c=3");
        assert_eq!(where_("k=c"), "on cpu, in turns, at b=16");
    }

    /// What is to be minded of each is told, once where only its figures differ.
    #[test]
    fn what_is_to_be_minded_is_told_with_its_size() {
        let mut points = [1000, 2000, 4000].map(|size| point(size, [1_000_000, 4_000_000]));
        for (i, point) in points.iter_mut().enumerate() {
            point.pair.first.warnings = vec![format!("The machine was busy: {i}.5 of it.")];
        }
        points[1].pair.second.warnings = vec!["The clock changed.".to_owned()];
        let shown: Vec<String> =
            chart("k", ["a", "b"], &points, Alphabet::Ascii).iter().map(Line::text).collect();
        let minded = [
            "mind: k=1000 (and at 2 other sizes): The machine was busy: 0.5 of it.",
            "mind: k=2000: The clock changed.",
        ];
        assert!(shown.ends_with(&minded.map(str::to_owned)), "{shown:?}");
    }

    /// Times of the same code may differ by chance, and decide nothing.
    #[test]
    fn the_same_code_is_on_neither_side() {
        let mut points = vec![point(1000, [1_000_000, 4_000_000]), point(2000, [2_000_000, 1_000_000])];
        points[0].pair.comparison.verdict = Verdict::SameCode;
        let shown = |points: &[Point]| {
            let lines = chart("k", ["a.rise", "b.rise"], points, Alphabet::Ascii);
            lines.iter().map(|line| line.text().trim_end().to_owned()).collect::<Vec<_>>()
        };
        assert!(crossovers(&points).is_empty() && reaches(&points).len() == 1);
        assert!(shown(&points)[5].ends_with("  the same code"), "{:?}", shown(&points));
        assert_eq!(
            shown(&points[..1])[2],
            "Both have the same code at all of these sizes: neither is faster."
        );
    }

    /// A difference of a few thousandths can be measurable and means nothing: it is no crossover.
    #[test]
    fn what_is_close_is_on_neither_side() {
        let concluded =
            |points: &[Point]| chart("k", ["a.rise", "b.rise"], points, Alphabet::Ascii)[2].text();
        let points = [
            point(1000, [1_000_000, 1_008_000]),
            point(2000, [2_006_000, 2_000_000]),
            point(4000, [4_000_000, 8_000_000]),
        ];
        let verdicts: Vec<Verdict> = points.iter().map(|point| point.pair.comparison.verdict).collect();
        assert_eq!(verdicts, [Verdict::Close, Verdict::Close, Verdict::FirstFaster]);
        assert!(crossovers(&points).is_empty());
        assert_eq!(
            concluded(&points),
            "A is the faster one wherever they differ measurably and by more than 1 %."
        );
        assert_eq!(
            concluded(&points[..2]),
            "At none of these sizes do they differ measurably and by more than 1 %."
        );
    }
}
