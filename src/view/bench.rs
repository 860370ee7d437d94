//! Measured times.

use super::bars::{Time, bar};
use super::figures;
use super::roofline::{above, limit};
use super::table::{self, Column};
use super::text::{Alphabet, Line, Role};
use crate::device::roofline::{self, Peak, rate};
use crate::device::stats::{CLOSE, Comparison, Verdict};
use crate::lang::columns;
use crate::lang::work::Work;
use crate::session::action::{Measurement, RevisionId, Sizes};
use crate::session::bench::{Outputs, Pair, TIME_LIMIT_S, of_comparison, plain_seconds};
use crate::session::history::History;
use std::collections::BTreeSet;

/// A table of all measurements, oldest revision first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The heading.
    pub head: Line,
    /// A line a measurement.
    pub rows: Vec<Line>,
    /// The revision of each line.
    pub revisions: Vec<RevisionId>,
}

/// What is said before a measurement whose program takes so many operations that the plain C with which its kernel is
/// compared may not come to its end: that would be found out only when the time of each run is over.
pub fn foreseen(operations: f64, threads: usize) -> Option<String> {
    let seconds = plain_seconds(operations, threads);
    (seconds > TIME_LIMIT_S).then(|| {
        let threads = if threads > 1 { format!("{threads} threads") } else { "one thread".to_owned() };
        let (operations, time) = (figures::count_of(operations), figures::long(seconds));
        format!(
            "The program as it is written takes {operations} operations at these sizes: in plain C, with which its kernel is \
             compared, by that about {time} on {threads}, if not a few times less or more, and a run is ended after {}. Smaller \
             sizes can be checked.",
            figures::long(TIME_LIMIT_S)
        )
    })
}

/// What can differ between measurements and is said first where it does.
struct Differing<'a> {
    devices: Devices<'a>,
    /// The names of sizes.
    sizes: Vec<String>,
}

/// The devices of measurements, for names that are no longer than they have to be.
pub struct Devices<'a>(BTreeSet<&'a str>);

impl<'a> Devices<'a> {
    pub fn of(all: impl Iterator<Item = &'a Measurement>) -> Devices<'a> {
        Devices(all.map(|m| m.device.as_str()).collect())
    }

    /// The name of a device without its platform's, unless another one has that, too.
    pub fn short<'b>(&self, device: &'b str) -> &'b str {
        let own = |name: &'b str| name.split_once(" / ").map_or(name, |(_, own)| own);
        let is_own = |other: &&&str| other.split_once(" / ").map_or(**other, |(_, own)| own) == own(device);
        if self.0.iter().filter(is_own).count() > 1 { device } else { own(device) }
    }
}

impl<'a> Differing<'a> {
    fn of(all: &[(RevisionId, &'a Measurement)], now: Option<&Sizes>) -> Differing<'a> {
        let several = |texts: Vec<String>| texts.windows(2).any(|pair| pair[0] != pair[1]);
        let names: BTreeSet<String> =
            all.iter().flat_map(|(_, m)| m.sizes.keys().map(ToString::to_string)).collect();
        let value = |sizes: &Sizes, name: &str| sizes.get(name).map(ToString::to_string).unwrap_or_default();
        let differs = |name: &String| {
            several(all.iter().map(|(_, m)| &m.sizes).chain(now).map(|sizes| value(sizes, name)).collect())
        };
        Differing {
            devices: Devices::of(all.iter().map(|(_, m)| *m)),
            sizes: names.into_iter().filter(differs).collect(),
        }
    }

    /// The columns of the table, most important first.
    fn columns(&self) -> Vec<Column> {
        let first = [Column::figures("rev"), Column::figures("median")];
        let at = (!self.sizes.is_empty()).then_some(Column::words("at"));
        let rest = [
            Column::words("95 % interval"),
            Column::words(""),
            Column::figures("GFLOP/s"),
            Column::figures("GB/s"),
            Column::words("check"),
            Column::words("sizes"),
        ];
        let all = first.into_iter().chain(at).chain([Column::flexible("on")]).chain(rest);
        all.chain([Column::figures("runs")]).collect()
    }

    /// The cells of these columns.
    fn row(&self, id: RevisionId, m: &Measurement, longest: f64, alphabet: Alphabet) -> Vec<Line> {
        let number = |text: String| Line::of(Role::Number, text);
        let rate = |value: Option<f64>| number(value.map(figures::digits).unwrap_or_default());
        let at = m.sizes.iter().filter(|(name, _)| self.sizes.iter().any(|differing| **differing == ***name));
        let at: Vec<String> = at.map(|(name, value)| format!("{name}={value}")).collect();
        let mut cells = vec![number(id.to_string()), number(figures::time(m.median_ns))];
        cells.extend((!self.sizes.is_empty()).then(|| Line::plain(at.join(" "))));
        cells.extend([
            Line::plain(self.devices.short(&m.device).to_owned()),
            Line::plain(short_interval(m)),
            bar(time_of(m), longest, BAR, Role::Good, alphabet),
            rate(m.gflops()),
            rate(m.gbytes()),
            Line::of(Role::Good, format!("✓ {}", m.max_error.map(error).unwrap_or_default())),
            Line::plain(sizes(m)),
        ]);
        cells.push(number(m.runs.to_string()));
        cells
    }
}

/// The table at a width. Sizes at which all was measured are said first where they are not those that are looked at now.
pub fn table(history: &History, now: Option<&Sizes>, width: usize, alphabet: Alphabet) -> Table {
    let all = measurements(history);
    // Bars compare what was measured alike.
    let longest = |m: &Measurement| {
        let alike = all.iter().filter(|(_, other)| other.device == m.device && other.sizes == m.sizes);
        alike
            .map(|(_, m)| time_of(m))
            .map(|t| if t.high.is_finite() { t.high } else { t.median })
            .fold(0.0, f64::max)
    };
    let differing = Differing::of(&all, now);
    let rows: Vec<Vec<Line>> =
        all.iter().map(|(id, m)| differing.row(*id, m, longest(m), alphabet)).collect();
    let (head, rows) = table::layout(&differing.columns(), &rows, width, alphabet);
    Table { head, rows, revisions: all.iter().map(|(id, _)| *id).collect() }
}

/// Every measurement with its revision.
pub fn measurements(history: &History) -> Vec<(RevisionId, &Measurement)> {
    (0..history.len())
        .filter_map(|id| Some((id, history.revision(id)?)))
        .flat_map(|(id, revision)| revision.measurements.iter().map(move |m| (id, m)))
        .collect()
}

/// Columns of a bar.
const BAR: usize = 10;

fn time_of(m: &Measurement) -> Time {
    Time { low: m.interval_ns.0, median: m.median_ns, high: m.interval_ns.1 }
}

/// The interval in which the median lies.
fn interval(m: &Measurement, between: &str) -> String {
    let (low, high) = m.interval_ns;
    match m.has_interval() {
        true => format!("{}{between}{}", figures::time(low), figures::time(high)),
        false => "too few runs".to_owned(),
    }
}

/// The interval, with its unit once: `597.4–674.8 ms`.
pub fn short_interval(m: &Measurement) -> String {
    let (low, high) = m.interval_ns;
    match m.has_interval() {
        true => figures::times(low, high),
        false => "too few runs".to_owned(),
    }
}

fn error(max_error: f64) -> String {
    if max_error == 0.0 { "exact".to_owned() } else { format!("{max_error:.1e}") }
}

fn sizes(m: &Measurement) -> String {
    m.sizes.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// All about one measurement; `computes` is how many operations the measured state makes of those of the program, where that is known.
pub fn details(id: RevisionId, m: &Measurement, computes: Option<f64>, peak: Option<Peak>) -> Vec<Line> {
    let mut lines = vec![
        Line::of(Role::Title, format!("revision {id} on {}", m.device)),
        Line::plain("median  ")
            .with(Role::Number, figures::time(m.median_ns))
            .with(Role::Plain, format!(" of {} runs, 95 % interval ", m.runs))
            .with(Role::Number, interval(m, " – ")),
    ];
    // What is first of this is seen where there are few rows.
    lines.extend(bound(m, peak));
    for part in &m.parts {
        let time = figures::time(part.median_ns);
        lines.push(Line::plain(format!("  {:<6} ", part.name)).with(Role::Number, time));
    }
    if let (Some(flops), Some(gflops)) = (m.flops, m.gflops()) {
        lines.push(
            Line::plain("work    ")
                .with(Role::Number, format!("{} GFLOP/s", figures::digits(gflops)))
                .with(
                    Role::Plain,
                    format!(" of {} operations of the program a run", figures::count(flops as u64)),
                )
                .with(
                    Role::Plain,
                    others(flops, computes).map_or(String::new(), |n| format!("; this state makes {n}")),
                ),
        );
    }
    if let (Some(operations), Some(rate)) = (m.integer_operations, m.integer_gops()) {
        let of = figures::count(operations as u64);
        lines.push(
            Line::plain("work    ")
                .with(
                    Role::Number,
                    format!("{} billion operations on integers a second", figures::digits(rate)),
                )
                .with(Role::Plain, format!(" of {of} of the program a run")),
        );
    }
    if let (Some(bytes), Some(rate)) = (m.bytes, m.gbytes()) {
        lines.push(
            Line::plain("traffic ")
                .with(Role::Number, format!("{} GB/s", figures::digits(rate)))
                .with(Role::Plain, format!(" of {} in and out", figures::bytes(bytes as u64))),
        );
    }
    lines.extend([
        Line::plain(format!("sizes   {}", sizes(m))),
        Line::plain("check   ").with(Role::Good, format!("✓ {}", m.check)),
        Line::plain(format!("kernel  {}", m.kernel)),
    ]);
    lines.extend(m.warnings.iter().map(|w| Line::of(Role::Warning, format!("mind: {w}"))));
    lines
}

/// The operations of a state where they are others than those of the program as it is written.
fn others(program: f64, state: Option<f64>) -> Option<String> {
    let state = state.filter(|state| *state > OTHERS * program || program > OTHERS * *state)?;
    Some(figures::count_of(state))
}

/// Less of a difference is that of a border.
const OTHERS: f64 = 1.05;

/// What bounds a measured state, and how near to that it comes.
fn bound(m: &Measurement, peak: Option<Peak>) -> Option<Line> {
    let (flops, bytes, peak) = (m.flops.unwrap_or(0.0), m.bytes.filter(|bytes| *bytes > 0.0)?, peak?);
    let work = roofline::Work { flops, bytes };
    let rate = rate(work, m.median_ns, Some(peak));
    let (share, memory) = (rate.share?, rate.memory_bound?);
    Some(match above(share, memory, work.bytes, peak) {
        // A busy machine may give more, and then that may bound it.
        Some(above) if peak.busy && !(memory && peak.caches(work.bytes)) => {
            Line::plain(format!("bound   not known: {above}"))
        }
        Some(above) => {
            let by = if memory { "memory" } else { "arithmetic" };
            Line::plain(format!("bound   not by {by}: {above}"))
        }
        // What else there is to do may take longer.
        None if m.flops.is_none() => Line::plain(format!("bound   not known: {}, ", by_memory(bytes, peak)))
            .with(Role::Number, format!("{} %", figures::digits(share * 100.0)))
            .with(Role::Plain, format!(" of that time; {}", unknown(&m.device))),
        None => Line::plain(format!("bound   by {}, ", limit(memory, work.bytes, peak)))
            .with(Role::Number, format!("{} %", figures::digits(share * 100.0)))
            .with(Role::Plain, format!(" of what {} allows{}", m.device, or_less(peak))),
    })
}

/// What is said behind a figure that is taken from what a device allows.
fn or_less(peak: Peak) -> &'static str {
    if peak.busy { " or less: the machine was busy when that was measured" } else { "" }
}

/// The time that memory allows for so many bytes.
fn by_memory(bytes: f64, peak: Peak) -> String {
    let time = figures::time(bytes / peak.gbytes);
    format!("{} allows {time}{}", limit(true, bytes, peak), or_less(peak))
}

/// What is said of a program of other operations than those with which it is measured what a device allows.
pub fn unknown(device: &str) -> String {
    format!("what {device} allows of other operations than those in floating point is not measured")
}

/// The operations of a program that are told: those in floating point, else those on integers.
fn operations(work: Work) -> Option<(f64, &'static str)> {
    let all = [(work.flops, "operations"), (work.integer_operations, "operations on integers")];
    all.into_iter().find(|(count, _)| *count > 0.0)
}

/// What a program has to do at least, and what bounds it on a device, where that is known what it allows.
pub fn least(work: Work, device: &str, peak: Option<Peak>) -> Option<Line> {
    let Work { flops, bytes, .. } = work;
    if bytes <= 0.0 {
        return None;
    }
    let moved = figures::bytes(bytes as u64);
    let mut text = match operations(work) {
        Some((count, what)) => format!(
            "The program computes {} {what} on {moved} of inputs and output, {} for each byte",
            figures::count(count as u64),
            figures::digits(count / bytes)
        ),
        None => {
            format!("The program moves {moved} of inputs and output, and no operations of it are counted")
        }
    };
    if let Some(peak) = peak {
        let (arithmetic, memory) = (flops / peak.gflops, bytes / peak.gbytes);
        text += &match flops > 0.0 {
            true => format!(
                "; on {device} {} bounds that, which allows {}{}",
                limit(memory > arithmetic, bytes, peak),
                figures::time(arithmetic.max(memory)),
                or_less(peak)
            ),
            false => format!("; on {device} {}; {}", by_memory(bytes, peak), unknown(device)),
        };
    }
    Some(Line::plain(format!("{text}.")))
}

/// The same in few words, with what the present state computes where that is something else; `key` measures what the device allows,
/// `fastest` is the least time that was measured there.
pub fn least_in_brief(
    work: Work,
    computes: Option<f64>,
    device: &str,
    peak: Option<Peak>,
    fastest: Option<f64>,
    key: &str,
) -> Option<Line> {
    let Work { flops, bytes, .. } = work;
    if bytes <= 0.0 {
        return None;
    }
    let floats = flops > 0.0;
    let bound = match peak {
        Some(peak) => {
            let memory = bytes / peak.gbytes > flops / peak.gflops;
            let work = roofline::Work { flops, bytes };
            let share = fastest.and_then(|time| rate(work, time, Some(peak)).share);
            match share.and_then(|share| above(share, memory, bytes, peak)) {
                Some(above) => format!("on {device} they come to {above}"),
                None if floats => format!("{} bounds them on {device}", limit(memory, bytes, peak)),
                None => format!("on {device} {}", by_memory(bytes, peak)),
            }
        }
        None if floats => format!("{key} says what bounds them"),
        None => format!("{key} says what memory allows"),
    };
    let said = match operations(work) {
        Some((count, what)) => {
            let (of_program, each) = (figures::count(count as u64), figures::digits(count / bytes));
            let count = match others(flops, computes).filter(|_| floats) {
                Some(here) => format!("{here} {what}; the program as it is written: {of_program}"),
                None => format!("{of_program} {what}"),
            };
            format!("{count}, {each} a byte")
        }
        None => format!("{} in and out, no operations that are counted", figures::bytes(bytes as u64)),
    };
    Some(Line::of(Role::Dim, format!("{said}; {bound}")))
}

/// Two programs that were measured in turns: what their times say, which is seen where there are few rows, and these.
pub fn in_turns(names: [&str; 2], pair: &Pair) -> Vec<Line> {
    let widest = columns::widest(names, usize::MAX);
    let both = [&pair.first, &pair.second];
    let first = both[0];
    let mut lines: Vec<Line> = differing(names, pair).into_iter().collect();
    lines.push(verdict(names, &pair.comparison));
    lines.extend(names.iter().zip(both).map(|(name, m)| {
        let interval = interval(m, " to ");
        Line::plain(format!("{}  ", columns::left(name, widest)))
            .with(Role::Number, figures::time(m.median_ns))
            .with(Role::Plain, format!(" (median of {} runs; {interval})", m.runs))
    }));
    lines.push(Line::plain(format!("device  {}", first.device)));
    if !first.sizes.is_empty() {
        lines.push(Line::plain(format!("sizes   {}", sizes(first))));
    }
    let checked =
        |(name, m): (&&str, &Measurement)| Line::of(Role::Good, format!("{name} checked: {}", m.check));
    lines.extend(names.iter().zip(both).map(checked));
    lines.extend(of_comparison(&pair.comparison).map(|w| Line::of(Role::Warning, format!("mind: {w}"))));
    let [first, second] = [&pair.first.warnings, &pair.second.warnings];
    let minded = |text: String| Line::of(Role::Warning, format!("mind: {text}"));
    // What holds of both is said once.
    lines.extend(first.iter().filter(|w| second.contains(w)).map(|w| minded(w.clone())));
    for (name, own, other) in [(names[0], first, second), (names[1], second, first)] {
        lines.extend(own.iter().filter(|w| !other.contains(w)).map(|w| minded(format!("{name}: {w}"))));
    }
    lines
}

/// That two programs do not compute the same, so that neither can stand for the other.
pub fn differing(names: [&str; 2], pair: &Pair) -> Option<Line> {
    let Outputs::Differ(difference) = &pair.outputs else { return None };
    let ([first, second], (wrong, all)) = (&difference.values, difference.number);
    let cells = match (wrong, all) {
        (_, 1) => String::new(),
        (1, all) => format!("; 1 of {all} cells differs"),
        (wrong, all) => format!("; {wrong} of {all} cells differ"),
    };
    let text = format!(
        "mind: the two compute different things: on the same inputs {} of the result is {first} for {} and {second} for {}{cells}.",
        difference.cell, names[0], names[1]
    );
    Some(Line::of(Role::Warning, text))
}

fn verdict(names: [&str; 2], comparison: &Comparison) -> Line {
    let interval = comparison.interval;
    let (low, high) = (figures::digits(interval.low), figures::digits(interval.high));
    said(
        names,
        comparison,
        &format!(" ({low} to {high} with {:.0} % confidence)", interval.confidence * 100.0),
    )
}

/// The verdict of two programs that were measured in turns, for one line.
pub fn verdict_in_brief(names: [&str; 2], comparison: &Comparison) -> Line {
    said(names, comparison, "")
}

/// The verdict, with something behind the ratio.
fn said(names: [&str; 2], comparison: &Comparison, sure: &str) -> Line {
    let Comparison { ratio, verdict, .. } = comparison;
    let ratio = format!("{} takes {} of the time of {}{sure}", names[0], figures::digits(*ratio), names[1]);
    match verdict {
        Verdict::FirstFaster => Line::of(Role::Good, format!("{} is faster: {ratio}.", names[0])),
        Verdict::SecondFaster => Line::of(Role::Good, format!("{} is faster: {ratio}.", names[1])),
        Verdict::Close => {
            let most = 100.0 * CLOSE;
            Line::of(
                Role::Warning,
                format!("They differ by at most {most} %, which counts for neither: {ratio}."),
            )
        }
        Verdict::SameCode => {
            Line::of(Role::Warning, "Both have the same code, which was measured once: neither is faster.")
        }
        Verdict::DisturbedUnlike => Line::of(
            Role::Warning,
            format!(
                "Which is faster is not known: they ran on different numbers of threads beside other programs. Then, {ratio}."
            ),
        ),
        Verdict::NoMeasurableDifference => {
            Line::of(Role::Warning, format!("There is no measurable difference: {ratio}."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::digest::Digest;
    use crate::lang::literal::Literal;
    use crate::lang::path::PathMap;
    use crate::lang::term::Term;
    use crate::session::history::Revision;
    use crate::view::history::{self, Looked};

    #[test]
    fn what_takes_longer_than_it_may_is_told_beforehand() {
        assert_eq!(foreseen(1e11, 2), None);
        assert_eq!(foreseen(0.0, 1), None);
        let told = foreseen(4e12, 2).unwrap();
        for said in ["takes 4.0e12 operations", "about 33 min on 2 threads", "ended after 120 s"] {
            assert!(told.contains(said), "{said}: {told}");
        }
        assert!(foreseen(4e12, 1).unwrap().contains("about 67 min on one thread"));
        assert!(foreseen(1e30, 64).unwrap().contains(" years on 64 threads"));
    }

    fn measured(median_ns: f64) -> Measurement {
        Measurement {
            device: "cpu".to_owned(),
            kernel: Digest::of(&median_ns.to_le_bytes()),
            sizes: [("m".into(), 64)].into_iter().collect(),
            median_ns,
            interval_ns: (median_ns * 0.99, median_ns * 1.01),
            runs: 30,
            parts: vec![],
            flops: Some(524_288.0),
            integer_operations: None,
            bytes: Some(49_152.0),
            check: "the high-level program".to_owned(),
            max_error: Some(2e-7),
            warnings: vec!["The clock changed.".to_owned()],
            in_turns: false,
        }
    }

    fn sample() -> History {
        let term = |n| Term::lit(Literal::Int(n, crate::lang::ty::Scalar::I32));
        let revision = |n, label: &str, times: &[f64]| Revision {
            measurements: times.iter().map(|t| measured(*t)).collect(),
            ..Revision::new(term(n), label)
        };
        let mut history = History::new(term(0), "matmul.rise");
        history.goto(0);
        if let Some(first) = history.revision_mut(0) {
            first.measurements.push(measured(100_000.0));
        }
        let one = history.add(0, revision(1, "topDown(\n  mapFusion)", &[]), PathMap::identity());
        history.add(one, revision(2, "splitJoin(32)", &[64_800.0]), PathMap::identity());
        history.goto(0);
        history.add(0, revision(1, "noise", &[100_500.0]), PathMap::identity());
        history
    }

    #[test]
    fn the_tree_shows_the_present_state_and_what_each_step_bought() {
        let rows =
            history::rows(&sample(), Looked { pinned: Some(0), ..Looked::default() }, Alphabet::Unicode);
        let texts: Vec<_> = rows.iter().map(|row| row.line.text()).collect();
        assert_eq!(
            texts,
            [
                "○ 0 100.0 µs (-1.0/+1.0 %) cpu  pinned  matmul.rise",
                "├ ○ 1 topDown( mapFusion)",
                "│ ○ 2 64.80 µs -35.2 % from 0 (-1.0/+1.0 %) cpu  splitJoin(32)",
                "└ ● 3 100.5 µs not told apart from 0 (-1.0/+1.0 %) cpu  same as 1  noise  now",
            ]
        );
    }

    #[test]
    fn what_a_program_costs_at_least_is_said_before_it_is_measured() {
        let work = Work { flops: 2.0e9, integer_operations: 0.0, bytes: 1.0e6 };
        let says = |peak| least(work, "cpu", peak).unwrap().text();
        assert_eq!(
            says(None),
            "The program computes 2.00 G operations on 976.6 KiB of inputs and output, 2000 for each byte."
        );
        let bound = "; on cpu arithmetic bounds that, which allows 200.0 ms.";
        assert!(says(Some(Peak { gflops: 10.0, gbytes: 2.0, busy: false, cache: 1024 })).ends_with(bound));
        assert_eq!(least(Work { flops: 0.0, integer_operations: 0.0, bytes: 0.0 }, "cpu", None), None);
    }

    /// Of operations on integers it is not known what a device allows, and of a program that only moves data there are none: what
    /// memory allows is known of both.
    #[test]
    fn what_a_program_without_floats_costs_is_said_too() {
        let integers = Work { flops: 0.0, integer_operations: 8.0e6, bytes: 1.0e6 };
        let moves = Work { integer_operations: 0.0, ..integers };
        let peak = Some(Peak { gflops: 10.0, gbytes: 2.0, busy: false, cache: 1024 });
        let unknown = "what cpu allows of other operations than those in floating point is not measured";
        let says = |work, peak| least(work, "cpu", peak).unwrap().text();
        assert_eq!(
            says(integers, peak),
            format!(
                "The program computes 8.00 M operations on integers on 976.6 KiB of inputs and output, 8.000 for each byte; on cpu \
                 memory allows 500.0 µs; {unknown}."
            )
        );
        assert_eq!(
            says(moves, None),
            "The program moves 976.6 KiB of inputs and output, and no operations of it are counted."
        );
        let brief = |work, peak| least_in_brief(work, Some(0.0), "cpu", peak, None, "o").unwrap().text();
        assert_eq!(
            brief(integers, peak),
            "8.00 M operations on integers, 8.000 a byte; on cpu memory allows 500.0 µs"
        );
        assert_eq!(
            brief(moves, None),
            "976.6 KiB in and out, no operations that are counted; o says what memory allows"
        );
        let m = Measurement {
            flops: None,
            integer_operations: Some(8.0e6),
            bytes: Some(1.0e6),
            ..measured(1.0e6)
        };
        let told: Vec<String> = details(0, &m, None, peak).iter().map(Line::text).collect();
        let bound = format!("bound   not known: memory allows 500.0 µs, 50.00 % of that time; {unknown}");
        assert!(told.contains(&bound), "{told:#?}");
        let work = "work    8.000 billion operations on integers a second of 8.00 M of the program a run";
        assert!(told.contains(&work.to_owned()), "{told:#?}");
    }

    #[test]
    fn every_device_has_its_price() {
        let mut history = sample();
        let on_gpu = |ns| Measurement { device: "gpu".to_owned(), ..measured(ns) };
        history.revision_mut(0).unwrap().measurements.push(on_gpu(20_000.0));
        history.revision_mut(2).unwrap().measurements.extend([on_gpu(9_000.0), on_gpu(10_000.0)]);
        let rows = history::rows(&history, Looked::default(), Alphabet::Unicode);
        assert_eq!(
            rows[2].line.text(),
            "│ ○ 2 64.80 µs -35.2 % from 0 (-1.0/+1.0 %) cpu · 10.00 µs -50.0 % from 0 (-1.0/+1.0 %) gpu, also took 9.000 µs  splitJoin(32)"
        );
        // At other sizes than those that are looked at, they are said.
        let sizes = [("m".into(), 32)].into_iter().collect();
        history.revision_mut(1).unwrap().measurements.push(Measurement { sizes, ..measured(7_000.0) });
        let sizes = measured(1.0).sizes;
        let rows =
            history::rows(&history, Looked { sizes: Some(&sizes), ..Looked::default() }, Alphabet::Unicode);
        assert_eq!(rows[1].line.text(), "├ ○ 1 7.000 µs (-1.0/+1.0 %) cpu at m=32  topDown( mapFusion)");
        assert!(!rows[2].line.text().contains("at m="), "{}", rows[2].line.text());
    }

    #[test]
    fn states_that_were_measured_alike_are_ranked() {
        let sizes = Sizes::new();
        let ids = |history: &History| {
            history::ranked(history, &sizes).iter().map(|(id, _)| *id).collect::<Vec<_>>()
        };
        let mut history = sample();
        assert_eq!(ids(&history), [2, 0, 3]);
        // Another device is another matter, and so are other sizes.
        let faster = Measurement { device: "gpu".to_owned(), ..measured(10.0) };
        let smaller = Measurement { sizes: [("m".into(), 2)].into_iter().collect(), ..measured(20.0) };
        history.revision_mut(1).unwrap().measurements.extend([smaller, faster]);
        assert_eq!(ids(&history), [2, 0, 3]);
        history.goto(1);
        assert_eq!(ids(&history), [1]);
        assert!(measured(100.0).is_apart(&measured(103.0)));
        assert!(!measured(100.0).is_apart(&measured(101.0)));
        assert_eq!(ids(&History::new(Term::lit(Literal::Bool(true)), "f")), [0; 0]);
    }

    /// A name is that of the device alone, unless that is another one's, too.
    #[test]
    fn devices_are_named_in_few_columns() {
        let on = |name: &str| Measurement { device: name.to_owned(), ..measured(1.0) };
        let all = [on("cpu"), on("A / gpu"), on("B / gpu"), on("B / other")];
        let devices = Devices::of(all.iter());
        let names = ["cpu", "A / gpu", "B / other"].map(|name| devices.short(name));
        assert_eq!(names, ["cpu", "A / gpu", "other"]);
        let mut history = sample();
        let long = on("A platform / a device whose name is long");
        history.revision_mut(2).unwrap().measurements = vec![long];
        let rows = history::rows(&history, Looked::default(), Alphabet::Unicode);
        assert!(
            rows[2].line.text().contains("a device whose name is …  splitJoin(32)"),
            "{}",
            rows[2].line.text()
        );
    }

    #[test]
    fn the_table_has_a_row_a_measurement() {
        let table = table(&sample(), None, 140, Alphabet::Unicode);
        assert_eq!(table.revisions, [0, 2, 3]);
        assert_eq!(
            table.head.text(),
            "rev    median  on   95 % interval               GFLOP/s    GB/s  check     sizes  runs"
        );
        assert_eq!(
            table.rows[0].text(),
            "  0  100.0 µs  cpu  99.00–101.0 µs  ██████████    5.243  0.4915  ✓ 2.0e-7  m=64     30"
        );
        // In few columns the time stays, with what differs between measurements and the device, then its interval.
        let mut history = sample();
        let narrow = |history: &History| super::table(history, None, 38, Alphabet::Unicode);
        assert_eq!(narrow(&history).rows[0].text().trim_end(), "  0  100.0 µs  cpu  99.00–101.0 µs");
        // Sizes that are not those of now are said, too, if all rows have them.
        let now = |m: i64| [("m".into(), m)].into_iter().collect::<Sizes>();
        let looked = |now: &Sizes| super::table(&history, Some(now), 38, Alphabet::Unicode);
        assert_eq!(looked(&now(64)).rows[0].text().trim_end(), "  0  100.0 µs  cpu  99.00–101.0 µs");
        assert_eq!(looked(&now(32)).rows[0].text().trim_end(), "  0  100.0 µs  m=64  cpu");
        let sizes = now(32);
        history.revision_mut(2).unwrap().measurements.push(Measurement { sizes, ..measured(9_000.0) });
        assert_eq!(narrow(&history).rows[2].text().trim_end(), "  2  9.000 µs  m=32  cpu");
        let on_gpu = Measurement { device: "gpu".to_owned(), ..measured(7_000.0) };
        history.revision_mut(2).unwrap().measurements.push(on_gpu);
        let wide = super::table(&history, None, 48, Alphabet::Unicode);
        assert_eq!(wide.rows[3].text().trim_end(), "  2  7.000 µs  m=64  gpu  6.930–7.070 µs");
        let peak = Peak { gflops: 10.0, gbytes: 2.0, busy: false, cache: 1024 };
        let details = details(2, &measured(64_800.0), None, Some(peak));
        let bound = "bound   by arithmetic, 80.91 % of what cpu allows";
        assert!(details.iter().any(|line| line.text() == bound), "{details:?}");
        // What comes to more than main memory gave is not bound by it.
        let slow = Peak { gflops: 100.0, gbytes: 0.5, busy: false, cache: 1024 };
        let beyond = |peak: Peak| super::bound(&measured(64_800.0), Some(peak)).unwrap().text();
        assert!(beyond(slow).starts_with("bound   not by memory: "), "{}", beyond(slow));
        let caches = "bound   not by memory: more than main memory gave, so its data may lie in caches";
        assert_eq!(beyond(slow), caches);
        let held = Peak { cache: 1 << 20, ..slow };
        assert_eq!(
            beyond(Peak { busy: true, ..held }),
            "bound   not by memory: more than main memory gave, since caches hold so little data"
        );
        let m = measured(64_800.0);
        let work = Work { flops: m.flops.unwrap(), integer_operations: 0.0, bytes: m.bytes.unwrap() };
        let brief = |time| least_in_brief(work, None, "cpu", Some(slow), time, "o").unwrap().text();
        assert!(brief(None).ends_with("; memory bounds them on cpu"), "{}", brief(None));
        let of_held = least_in_brief(work, None, "cpu", Some(held), None, "o").unwrap().text();
        assert!(of_held.ends_with("; memory (unless caches hold the data) bounds them on cpu"), "{of_held}");
        let above = "; on cpu they come to more than main memory gave, so its data may lie in caches";
        assert!(brief(Some(m.median_ns)).ends_with(above), "{}", brief(Some(m.median_ns)));
        // What a state computes besides is not said to be the program's.
        let more =
            least_in_brief(work, Some(100.0 * work.flops), "cpu", Some(slow), None, "o").unwrap().text();
        assert!(more.starts_with("52.43 M operations; the program as it is written: 524.3 k, "), "{more}");
        let told = super::details(2, &m, Some(100.0 * work.flops), None);
        let said = |what: &str| told.iter().any(|line| line.text().contains(what));
        assert!(said(" operations of the program a run; this state makes 52.43 M"), "{told:?}");
        let busy = super::details(2, &measured(64_800.0), None, Some(Peak { busy: true, ..peak }));
        assert!(busy.iter().any(|line| line.text().contains("the machine was busy")), "{busy:?}");
        assert!(details.iter().any(|line| line.text() == format!("check   ✓ {}", measured(64_800.0).check)));
        assert!(details.iter().any(|line| line.text() == "mind: The clock changed."));
    }
}
