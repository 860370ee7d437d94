//! A tuning, while it runs and when it is done: what was tried, what is best, and why the others lost.

use super::figures::{bytes, count_of, digits, time};
use super::roofline::above;
use super::text::{Alphabet, Line, Role};
use crate::device::roofline::Peak;
use crate::device::stats::CLOSE;
use crate::lang::columns;
use crate::session::action::beside_plain_c;
use crate::session::amounts::{Amounts, Bound, Rates};
use crate::session::tune::{Ending, Fate, Lead, Standing, Tried, Tuned, reasons};

/// So many points, and so many reasons, are shown unless all are asked for.
const SHOWN: usize = 10;
const REASONS: usize = 5;

/// The widest bar of the chart and the narrowest, and how many of its rows are shown, the last ones.
const BAR: usize = 40;
const LEAST_BAR: usize = 8;
const ROWS: usize = 12;

/// What reaches less of all that the device could do is not bound by it.
const LITTLE: f64 = 0.1;

/// The columns of a point's number and its time.
const FIGURES: usize = 18;

/// How far a tuning is, with a chart of the best so far: a row for each point that was faster than all before it.
pub fn standing(standing: &Standing, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let Standing { tried, measured, ruled_out, failed, course, lost, comparing } = standing;
    let mut lines = vec![
        Line::plain("tried    ")
            .with(Role::Number, tried.to_string())
            .with(Role::Plain, format!(": {measured} measured, {ruled_out} ruled out, {failed} failed")),
    ];
    if *comparing {
        lines.push(Line::of(Role::Plain, "now      the last few take turns"));
    }
    lines.extend(chart(course, width, alphabet));
    lines.extend(lost.iter().map(|(why, number)| lost_line(why, *number)));
    lines.iter().flat_map(|line| line.wrap(width, 8)).collect()
}

/// The best so far, the best first; the slowest has the widest bar. A strategy that has no room beside its bar stands below it.
fn chart(course: &[Lead], width: usize, alphabet: Alphabet) -> Vec<Line> {
    let most = course.iter().map(|lead| lead.ns).fold(1.0, f64::max);
    let widest = course.iter().map(|lead| lead.strategy.chars().count()).max().unwrap_or(0);
    let beside = width.saturating_sub(FIGURES + 2 + widest);
    let below = beside < LEAST_BAR;
    let bar = if below { width.saturating_sub(FIGURES) } else { beside }.clamp(1, BAR);
    let rows = course.iter().rev().take(ROWS).flat_map(|lead| {
        let len = ((lead.ns / most * bar as f64).round() as usize).clamp(1, bar);
        let drawn = alphabet.pick("█", "#").repeat(len);
        let row = Line::of(Role::Number, format!("{:>5}  {:>9}  ", lead.number + 1, time(lead.ns)));
        match below {
            true => {
                let name = Line::plain(format!("       {}", lead.strategy));
                std::iter::once(row.with(Role::Good, drawn)).chain(name.wrap(width, 7)).collect()
            }
            false => {
                let row = row.with(Role::Good, columns::left(&drawn, bar));
                vec![row.with(Role::Plain, format!("  {}", lead.strategy))]
            }
        }
    });
    let rows: Vec<Line> = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    let head = Line::of(Role::Title, format!("point  {:>9}  best so far", "time"));
    std::iter::once(head).chain(rows).collect()
}

fn lost_line(why: &str, number: usize) -> Line {
    Line::of(Role::Number, format!("{number:>5} × ")).with(Role::Plain, why.to_owned())
}

/// What came of a tuning: the points that were tried, the fastest first, why others lost, and the best beside the start, and
/// beside the state before it.
pub fn report(tuned: &Tuned, all: bool) -> Vec<Line> {
    [course(tuned, all), vec![Line::default()], outcome(tuned)].concat()
}

/// The same where it is read from its first line on.
pub fn page(tuned: &Tuned) -> Vec<Line> {
    [outcome(tuned), vec![Line::default()], course(tuned, false)].concat()
}

fn fact(name: &str, text: String) -> Line {
    Line::plain(format!("{name:<10}{text}"))
}

/// The points that were tried, and why others lost.
fn course(tuned: &Tuned, all: bool) -> Vec<Line> {
    let mut lines =
        vec![fact("device", tuned.device.clone()), fact("points", points_tried(tuned)), Line::default()];
    if all {
        lines.push(Line::of(
            Role::Title,
            "point       time    ratio  predicted by           private  strategy".to_owned(),
        ));
    }
    lines.extend(table(tuned, all));
    let limit = if all { usize::MAX } else { REASONS };
    lines.extend(reasons(&tuned.tried).into_iter().take(limit).map(|(why, number)| lost_line(&why, number)));
    lines
}

/// The best, beside the start and the state before it.
fn outcome(tuned: &Tuned) -> Vec<Line> {
    let mut lines = vec![];
    if let Some(best) = tuned.best() {
        lines.push(Line::plain(format!("{:<10}", "best")).with(Role::Good, best.shown()));
    }
    let interval = tuned.interval_ns.map(|(low, high)| format!("; {} to {}", time(low), time(high)));
    let (median, runs) = (time(tuned.median_ns), tuned.runs);
    lines.push(fact("time", format!("{median} (median of {runs} runs{})", interval.unwrap_or_default())));
    lines.push(fact("start", verdict(tuned)));
    lines.extend(tuned.before.as_ref().map(|before| fact("before", before.says())));
    let of_best = tuned.best().and_then(|best| Some((best.amounts?, tuned.median_ns)));
    lines.extend(of_best.map(|(amounts, ns)| fact("bound", bound(&amounts, ns, tuned.rates(), tuned.peak))));
    lines.push(fact("check", beside_plain_c(&tuned.check)));
    let mind = tuned.peak.as_ref().and_then(|peak| peak.mind());
    lines.extend(
        tuned.warnings.iter().chain(&mind).map(|w| Line::of(Role::Warning, format!("{:<10}{w}", "warning"))),
    );
    lines
}

fn points_tried(tuned: &Tuned) -> String {
    let count = |kept: &dyn Fn(&Fate) -> bool| tuned.tried.iter().filter(|t| kept(&t.fate)).count();
    format!(
        "{}, of which {} tried{}: {} measured, {} ruled out, {} failed, {} like others{}",
        match tuned.points {
            u128::MAX => "more than 10^38".into(),
            1 => "1 point".into(),
            n => format!("{n} points"),
        },
        match tuned.tried.len() {
            1 => "1 was".to_owned(),
            n => format!("{n} were"),
        },
        match tuned.ending {
            Ending::All | Ending::Alike => "",
            Ending::Time => " in the time",
            Ending::Stopped => " until it was stopped",
            Ending::Device => " until the device failed",
        },
        count(&|f| matches!(f, Fate::Measured { .. })),
        count(&|f| matches!(f, Fate::RuledOut { .. })),
        count(&|f| matches!(f, Fate::Failed { .. })),
        count(&|f| matches!(f, Fate::Same(_))),
        match count(&|f| matches!(f, Fate::Unfinished)) {
            0 => "",
            _ => ", the last was not finished",
        },
    )
}

/// The points that were tried, the fastest first.
fn table(tuned: &Tuned, all: bool) -> Vec<Line> {
    let mut sorted: Vec<(usize, &Tried)> = tuned.tried.iter().enumerate().collect();
    let rank = |t: &Tried| t.median_ns().unwrap_or(f64::INFINITY);
    sorted.sort_by(|(_, a), (_, b)| rank(a).total_cmp(&rank(b)));
    let least = sorted.first().map_or(1.0, |(_, t)| rank(t)).max(1.0);
    let kept = |t: &Tried| all || t.median_ns().is_some();
    let limit = if all { usize::MAX } else { SHOWN };
    // Where it started is shown however many were faster.
    let shown = |(i, (number, _)): &(usize, (usize, &Tried))| *i < limit || *number == 0;
    // What one kernel alone did foretells nothing.
    let (rates, told) = (tuned.rates(), compares(tuned));
    let row = |(number, tried): (usize, &Tried)| {
        let what = match &tried.fate {
            Fate::Measured { median_ns, known, .. } => {
                let known = if *known { "  (known)" } else { "" };
                let predicted = match tried.amounts.filter(|_| told).and_then(|amounts| rates.least(&amounts))
                {
                    Some((bound, ns)) if all => {
                        let private = tried.amounts.map_or(0, |amounts| amounts.private);
                        format!("  {:>9} {:<10} {:>9}", time(ns), word(bound), bytes(private))
                    }
                    _ => String::new(),
                };
                format!("{:>9}  {:>6}×{predicted}{known}", time(*median_ns), digits(median_ns / least))
            }
            Fate::Same(other) => format!("as number {}", other + 1),
            Fate::RuledOut { why, .. } => format!("ruled out: {why}"),
            Fate::Failed { why, .. } => format!("failed: {why}"),
            Fate::Unfinished => "not finished".to_owned(),
        };
        let start = if number == 0 { "  (start)" } else { "" };
        // The strategy as it can be run, in which a way that was chosen has its number.
        Line::plain(format!("{:>5}  {what}{start}  {}", number + 1, tried.shown()))
    };
    sorted
        .into_iter()
        .filter(|(_, t)| kept(t))
        .enumerate()
        .filter(shown)
        .map(|(_, tried)| row(tried))
        .collect()
}

/// What bounds a point, in a word.
pub fn word(bound: Bound) -> &'static str {
    match bound {
        Bound::Operations => "operations",
        Bound::Moved => "memory",
        Bound::Read => "reads",
    }
}

/// Were several kernels measured, so that what one does says something of another?
fn compares(tuned: &Tuned) -> bool {
    tuned.tried.iter().filter(|t| t.amounts.is_some() && t.median_ns().is_some()).count() > 1
}

/// What bounds the best: each thing that it does, at which rate, and how much of what the device could do that is; where that was not
/// measured, of what the best point for it here did, if another did more of anything.
fn bound(amounts: &Amounts, ns: f64, rates: Rates, peak: Option<Peak>) -> String {
    let least = rates.parts(amounts).into_iter().map(|(_, least)| least).filter(|least| *least > 0.0);
    let least = least.fold(ns, f64::min);
    let is_told = least < ns * (1.0 - CLOSE);
    let mut most = 0.0_f64;
    let parts = rates.parts(amounts).into_iter().map(|(bound, _)| {
        let (amount, done, best, could, unit) = match bound {
            Bound::Operations => {
                let amount = format!("{} operations", count_of(amounts.operations));
                (amount, amounts.operations, rates.operations, peak.map(|p| p.gflops), "G/s")
            }
            Bound::Moved => {
                let amount = format!("{} of memory", bytes(amounts.moved as u64));
                (amount, amounts.moved, rates.moved, peak.map(|p| p.gbytes), "GB/s")
            }
            Bound::Read => {
                let read = amounts.read.unwrap_or(0.0);
                (format!("{} read", bytes(read as u64)), read, rates.read, None, "GB/s")
            }
        };
        let rate = done / ns;
        let share = match could.zip(peak) {
            Some((could, peak)) => {
                most = most.max(rate / could);
                match above(rate / could, bound == Bound::Moved, done, peak) {
                    // No share of what does not bound it.
                    Some(above) => format!(", {above}, {}", digits(could)),
                    None => format!(", {} % of the device's {}", digits(100.0 * rate / could), digits(could)),
                }
            }
            None if is_told => format!(", {} % of the most here", digits(100.0 * rate / best.max(rate))),
            None => String::new(),
        };
        format!("{amount}: {} {unit}{share}", digits(rate))
    });
    let mut said: Vec<String> = parts.collect();
    let kept = [(amounts.private, "private to each thread"), (amounts.local, "of local memory")];
    said.extend(kept.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", bytes(*n))));
    if amounts.lanes > 1 {
        said.push(format!("vectors of {} lanes", amounts.lanes));
    }
    match peak {
        Some(_) if most < LITTLE => {
            said.push("that is so little of what the device could do that neither bounds it".into())
        }
        None if !is_told => {
            said.push("no other did more of any of these, so that they do not tell what bounds it".into())
        }
        _ => {}
    }
    said.join("; ")
}

fn verdict(tuned: &Tuned) -> String {
    if tuned.best == 0 {
        return "nothing that was tried is faster than the start".into();
    }
    let start = tuned.tried.first();
    match (tuned.comparison, start.map(|t| &t.fate)) {
        (Some(c), _) => format!(
            "takes {} times as long ({} to {}, in turns)",
            digits(c.ratio),
            digits(c.interval.low),
            digits(c.interval.high)
        ),
        (None, Some(Fate::Measured { .. })) => {
            format!("takes {} times as long, by few runs", tuned.ratio().map(digits).unwrap_or_default())
        }
        (None, Some(Fate::RuledOut { why, .. } | Fate::Failed { why, .. })) => format!("does not run: {why}"),
        _ => "was not measured".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_so_far_is_a_chart() {
        let lead = |number, ns| Lead { number, strategy: format!("s({number})"), ns };
        let course = vec![lead(0, 8e6), lead(3, 4e6), lead(5, 1e6)];
        let now = Standing {
            tried: 9,
            measured: 6,
            ruled_out: 3,
            course,
            lost: vec![("It does not fit.".into(), 3)],
            ..Standing::default()
        };
        let texts = |width| -> Vec<String> {
            standing(&now, width, Alphabet::Ascii).iter().map(Line::text).collect()
        };
        let bars = |text: &[String]| -> Vec<usize> {
            text.iter().map(|line| line.matches('#').count()).filter(|n| *n > 0).collect()
        };
        let text = texts(80);
        assert_eq!(bars(&text), [5, 20, 40]);
        assert!(
            text[0].contains("9: 6 measured, 3 ruled out, 0 failed")
                && text[5].contains("3 × It does not fit.")
        );
        assert!(text[4].contains("8.000 ms") && text[4].ends_with("s(0)"), "{text:?}");
        // Where there is less room bars are shorter, and then strategies stand below; none is cut.
        assert_eq!(bars(&texts(40)), [2, 8, 16]);
        let narrow = texts(22);
        assert!(narrow.iter().all(|line| line.chars().count() <= 22), "{narrow:?}");
        assert!(["s(0)", "s(3)", "s(5)"].iter().all(|s| narrow.iter().any(|line| line.trim() == *s)));
    }

    /// What lies in caches is not held against main memory.
    #[test]
    fn more_than_a_device_was_found_to_give_is_no_share() {
        let amounts = Amounts { operations: 4e6, moved: 2e5, read: None, local: 0, private: 0, lanes: 1 };
        let peak = |busy| Peak { gflops: 200.0, gbytes: 3.5, busy, cache: 0 };
        let rates = Rates { operations: 40.0, moved: 2.0, read: 0.0 };
        let says = |ns, busy| bound(&amounts, ns, rates, Some(peak(busy)));
        let slow = says(1e5, false);
        assert!(slow.contains("40.00 G/s, 20.00 % of the device's 200.0"), "{slow}");
        assert!(slow.contains("2.000 GB/s, 57.14 % of the device's 3.500"), "{slow}");
        let fast = says(1e4, false);
        assert!(
            fast.contains("400.0 G/s, more than the multiply-adds gave with which that was measured, 200.0"),
            "{fast}"
        );
        assert!(
            fast.contains("20.00 GB/s, more than main memory gave, so its data may lie in caches, 3.500"),
            "{fast}"
        );
        assert!(says(1e4, true).contains("more than the busy machine gave when that was measured, 3.500"));
        assert!(!fast.contains('%'), "{fast}");
        // What waits reaches little of anything, and what does most of everything is not held against itself.
        assert!(says(1e7, false).contains("neither bounds it") && !slow.contains("neither"));
        let alone = bound(&amounts, 1e5, rates, None);
        assert!(bound(&amounts, 2e5, rates, None).contains("50.00 % of the most here"));
        assert!(
            alone.contains("40.00 G/s; ") && alone.contains("do not tell") && !alone.contains('%'),
            "{alone}"
        );
    }
}
