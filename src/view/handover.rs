//! A session for those who have not got this tool: what was asked, what was done, how long it takes, and where that was found out.

use super::bars::{Time, bar};
use super::html::{self, Section};
use super::table::{self, Column};
use super::term::Printed;
use super::text::{Alphabet, Line, Role, lines_of, one_line};
use super::{bench, best, diff, figures, history, kernel, loops, problem, roofline, search, sweep};
use crate::device::roofline::Peak;
use crate::device::{DeviceInfo, DeviceKind};
use crate::lang::path::Path;
use crate::lang::summary;
use crate::lang::term::Term;
use crate::lang::work;
use crate::lower::nest;
use crate::rewrite::strategy::in_order;
use crate::session::Session;
use crate::session::action::{Measurement, RevisionId, Sizes, Target};
use crate::session::best::Standing;
use crate::session::history::Price;
use crate::session::sweep::Swept;
use std::collections::BTreeSet;

/// What is known beside the session itself.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// What devices allow, as it was measured.
    pub peaks: &'a [(String, Peak)],
    /// The best programs of the last search.
    pub best: Option<&'a Standing>,
    /// Two states at several sizes.
    pub swept: Option<&'a Swept>,
    /// What there is to run on.
    pub devices: &'a [DeviceInfo],
    /// The system on which the page is written.
    pub system: &'a str,
}

/// Columns of what is printed on the page: so many fit a window of 1280 pixels.
const WIDTH: usize = 120;
const ALPHABET: Alphabet = Alphabet::Unicode;

/// Parts of which there are many are led to as one.
const STEPS: &str = "Steps of the history";
const STAGES: &str = "Stages on the way to the code";
const FILES: &str = "Files of rules and strategies";

/// The page.
pub fn page(session: &Session, target: Target, beside: Beside<'_>) -> String {
    html::page(
        &format!("shine-tui: {}", session.workspace().program.name),
        &sections(session, target, beside),
    )
}

/// The parts of the page, what was asked first.
fn sections(session: &Session, target: Target, beside: Beside<'_>) -> Vec<Section> {
    let workspace = session.workspace();
    let mut out = vec![Section::new("Program", plain(&workspace.texts.program.text))];
    let sizes: Vec<String> = session.sizes().iter().map(|(n, v)| format!("{n} = {v}")).collect();
    if !sizes.is_empty() {
        out.push(Section::new("Sizes", plain(&sizes.join("\n"))));
    }
    let looked = history::Looked { sizes: Some(session.sizes()), ..history::Looked::default() };
    let rows = history::rows(session.history(), looked, ALPHABET);
    out.push(Section::new("History", rows.into_iter().map(|row| row.line).collect()));
    out.extend(times(session, beside));
    out.extend(searches(session));
    out.push(Section::new("The program now", printed(session.term()).lines().to_vec()));
    let nest = nest(session.term(), session.sizes());
    let note = loops::note(session.term(), target);
    let rows = loops::rows_of(&nest, note, &Path::root(), target, ALPHABET);
    let compiled = session.compiled(session.current(), target);
    let threadless = compiled.as_ref().as_ref().ok().and_then(|made| loops::threadless(&nest, &made.module));
    let said = threadless.map(|text| Line::of(Role::Dim, text));
    out.push(Section::new(
        "Its loops",
        said.into_iter().chain(rows.into_iter().map(|row| row.line)).collect(),
    ));
    if let Some(strategy) = strategy(session) {
        out.push(Section::new("Its strategy in ELEVATE", plain(&strategy)));
    }
    out.extend(code(session, target));
    out.extend(steps(session));
    for text in &workspace.texts.files {
        out.push(Section::of(FILES, format!("File: {}", text.label), plain(&text.text)));
    }
    out.push(Section::said("Environment", environment(session, beside)));
    out
}

fn plain(text: &str) -> Vec<Line> {
    lines_of(Role::Plain, text)
}

fn printed(term: &Term) -> Printed {
    Printed::of(term, WIDTH, ALPHABET)
}

/// What was measured: as a table, the fastest first, by size, under the roof, and all about each.
fn times(session: &Session, beside: Beside<'_>) -> Vec<Section> {
    let history = session.history();
    let all = bench::measurements(history);
    let mut out = vec![];
    if !all.is_empty() {
        let table = bench::table(history, None, WIDTH, ALPHABET);
        out.push(Section::new("Measured times", std::iter::once(table.head).chain(table.rows).collect()));
        let ranked = history::ranked(history, session.sizes());
        if ranked.len() > 1 {
            out.push(Section::new("The fastest first", fastest(session, &ranked)));
        }
        out.extend(by_size(&all).map(|lines| Section::new("Times by size", lines)));
        for (device, peak) in beside.peaks {
            let page = roofline::page(device, *peak, &all, None, WIDTH, ALPHABET);
            let section = Section::said(format!("Roofline of {device}"), page.said);
            out.push(Section { lines: page.picture, ..section });
        }
    }
    if let Some(standing) = beside.best {
        let mut lines = best::head(standing, WIDTH, ALPHABET);
        lines.extend(best::rows(standing, WIDTH, ALPHABET));
        out.push(Section::new("The best programs of a search", lines));
    }
    if let Some(swept) = beside.swept {
        let names = [swept.of.0, swept.of.1].map(|id| format!("revision {id}"));
        let lines = sweep::chart(&swept.of_sizes.name(), [&names[0], &names[1]], &swept.points, ALPHABET);
        out.push(Section::new("Two states at several sizes", lines));
    }
    if !all.is_empty() {
        let peak = |m: &Measurement| beside.peaks.iter().find(|(d, _)| *d == m.device).map(|(_, peak)| *peak);
        let mut lines = vec![];
        for (id, m) in &all {
            let computes = history.revision(*id).and_then(|state| work::flops(&state.term, &m.sizes));
            lines.extend(bench::details(*id, m, computes, peak(m)));
            lines.push(Line::empty());
        }
        out.push(Section { folded: true, ..Section::said("All about each measurement", lines) });
    }
    out
}

/// The states that were measured alike, with how they were made.
fn fastest(session: &Session, ranked: &[(RevisionId, Price<'_>)]) -> Vec<Line> {
    const COLUMNS: &[Column] = &[
        Column::figures("rev"),
        Column::figures("median"),
        Column::words("95 % interval"),
        Column::words(""),
        Column::words("mind"),
        Column::flexible("made by"),
    ];
    let label = |id: RevisionId| session.history().revision(id).map_or("", |r| r.label.as_str());
    let longest = ranked.iter().map(|(_, price)| end_of(price.measured)).fold(0.0, f64::max);
    let rows: Vec<Vec<Line>> = ranked
        .iter()
        .map(|(id, price)| {
            let mut row = timed(*id, price.measured, longest);
            // The first is the fastest only of those of which the times tell.
            let alike = ranked.first().filter(|(first, best)| first != id && !best.is_apart(*price));
            let unclear = alike.map(|(first, best)| match best.measured {
                best if best.is_of_same_code(price.measured) => format!("same code as {first}"),
                best if best.has_interval()
                    && price.measured.has_interval()
                    && !best.is_apart(price.measured) =>
                {
                    format!("intervals overlap with {first}")
                }
                _ => format!("not told from {first}"),
            });
            let mind: Vec<String> = history::contradiction(*price).into_iter().chain(unclear).collect();
            row.push(Line::of(Role::Warning, mind.join(", ")));
            row.push(Line::plain(one_line(label(*id))));
            row
        })
        .collect();
    let (head, rows) = table::layout(COLUMNS, &rows, WIDTH, ALPHABET);
    std::iter::once(head).chain(rows).collect()
}

/// The times of states that were measured at more than one size; none where none was.
fn by_size(all: &[(RevisionId, &Measurement)]) -> Option<Vec<Line>> {
    const COLUMNS: &[Column] = &[
        Column::words("at"),
        Column::words("device"),
        Column::figures("rev"),
        Column::figures("median"),
        Column::words("95 % interval"),
        Column::words(""),
    ];
    let sizes: BTreeSet<Vec<i64>> = all.iter().map(|(_, m)| m.sizes.values().copied().collect()).collect();
    if sizes.len() < 2 {
        return None;
    }
    let key = |m: &Measurement| (m.sizes.values().copied().collect::<Vec<i64>>(), m.device.clone());
    let mut sorted = all.to_vec();
    sorted.sort_by(|(_, a), (_, b)| key(a).cmp(&key(b)).then(a.median_ns.total_cmp(&b.median_ns)));
    let rows: Vec<Vec<Line>> = sorted
        .iter()
        .map(|(id, m)| {
            let alike = sorted.iter().filter(|(_, other)| key(other) == key(m));
            let longest = alike.map(|(_, other)| end_of(other)).fold(0.0, f64::max);
            let at: Vec<String> = m.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
            let mut row = vec![Line::plain(at.join(" ")), Line::plain(m.device.clone())];
            row.extend(timed(*id, m, longest));
            row
        })
        .collect();
    let (head, rows) = table::layout(COLUMNS, &rows, WIDTH, ALPHABET);
    Some(std::iter::once(head).chain(rows).collect())
}

/// The longest bar's columns.
const BAR: usize = 24;

/// A state, its median, the interval of that and a bar.
fn timed(id: RevisionId, m: &Measurement, longest: f64) -> Vec<Line> {
    let time = Time { low: m.interval_ns.0, median: m.median_ns, high: m.interval_ns.1 };
    vec![
        Line::of(Role::Number, id.to_string()),
        Line::of(Role::Number, figures::time(m.median_ns)),
        Line::plain(bench::short_interval(m)),
        bar(time, longest, BAR, Role::Good, ALPHABET),
    ]
}

/// Where the bar of a time ends.
fn end_of(m: &Measurement) -> f64 {
    if m.interval_ns.1.is_finite() { m.interval_ns.1 } else { m.median_ns }
}

/// The sketches that were searched for and what came of it, and those that the user has defined.
fn searches(session: &Session) -> Option<Section> {
    let history = session.history();
    let mut lines = vec![];
    for id in 0..history.len() {
        let Some(revision) = history.revision(id) else { continue };
        for search in &revision.searches {
            lines.push(Line::of(Role::Title, format!("revision {id}")));
            lines.push(search::decision(search));
        }
    }
    let script = &session.workspace().script;
    for (sketch, doc) in script.sketches() {
        let doc = summary::of(doc);
        lines.push(
            Line::of(Role::Keyword, "sketch ").with(Role::Plain, format!("{}  {doc}", sketch.name.kind)),
        );
    }
    let section = Section::said("Sketches", lines);
    (!section.said.is_empty()).then_some(section)
}

/// The single states, each as a difference from the one before.
fn steps(session: &Session) -> Vec<Section> {
    let history = session.history();
    let step = |id: RevisionId| {
        let (revision, parent) = (history.revision(id)?, history.parent(id)?);
        let before = history.revision(parent)?;
        let (mut lines, _) =
            diff::of_lines(printed(&before.term).lines(), printed(&revision.term).lines(), Some(3));
        if revision.steps.len() > 1 {
            lines.push(Line::empty());
            lines.extend(revision.steps.iter().map(|step| Line::of(Role::Dim, step.to_string())));
        }
        let title = format!("Revision {id}, from {parent}: {}", one_line(&revision.label));
        Some(Section::of(STEPS, title, lines))
    };
    (1..history.len()).filter_map(step).collect()
}

/// The code of the present state, then what led to it; or why there is none.
fn code(session: &Session, target: Target) -> Vec<Section> {
    let compiled = session.compiled(session.current(), target);
    let compiled = match &*compiled {
        Ok(compiled) => compiled,
        Err(why) => {
            let lines = problem::lines(why, &session.workspace().sources, ALPHABET);
            return vec![Section::said("No code", lines)];
        }
    };
    let lines = |stage: &crate::emit::Stage| kernel::lines(stage.name, stage.text());
    let is_code = |stage: &&crate::emit::Stage| stage.name == target.name();
    let code = compiled.stages.iter().filter(is_code);
    let before = compiled.stages.iter().filter(|stage| !is_code(stage));
    code.map(|stage| Section::new(format!("Code: {}", stage.name), lines(stage)))
        .chain(before.map(|stage| Section::of(STAGES, format!("Code: {}", stage.name), lines(stage))))
        .collect()
}

/// With what it was written, what it was measured on, and what there is here to run on.
fn environment(session: &Session, Beside { devices, system, .. }: Beside<'_>) -> Vec<Line> {
    let mut lines = vec![
        format!("shine-tui {}", env!("CARGO_PKG_VERSION")),
        format!("This page was written on {system}."),
    ];
    let measured: BTreeSet<String> =
        bench::measurements(session.history()).iter().map(|(_, m)| m.device.clone()).collect();
    lines.extend(measured.iter().map(|device| format!("Measured on {device}.")));
    if !devices.is_empty() {
        lines.push("What there was to run on where this page was written:".to_owned());
    }
    lines.extend(devices.iter().map(in_words));
    lines.into_iter().map(Line::plain).collect()
}

/// A device with its compiler or driver, and the flags with which kernels are compiled for it.
fn in_words(device: &DeviceInfo) -> String {
    let units = if device.kind == DeviceKind::Host { "hardware threads" } else { "compute units" };
    let mut parts = vec![device.name.clone(), format!("{} {units}", device.compute_units)];
    let made = [device.version.clone(), device.driver.clone(), device.flags.clone()];
    parts.extend(made.into_iter().filter(|text| !text.is_empty()));
    if device.kind == DeviceKind::Host && !device.openmp {
        parts.push("no OpenMP".to_owned());
    }
    parts.extend(device.problem.iter().map(|problem| format!("cannot be used: {problem}")));
    format!("{}: {}", device.id, parts.join(", "))
}

/// The strategy for the whole program that leads to the present revision; none where the program was read again, or nothing
/// was done.
pub fn strategy(session: &Session) -> Option<String> {
    let history = session.history();
    let line = history.line(session.current());
    let steps: Option<Vec<String>> =
        line.iter().skip(1).map(|id| history.revision(*id)?.elevate.clone()).collect();
    let steps = steps.filter(|steps| !steps.is_empty())?;
    let name: String = session.workspace().program.name.chars().filter(|c| c.is_alphanumeric()).collect();
    let def = &session.workspace().program.name;
    let asked = history.sizes_on_the_way(session.current());
    let how = if let [] | [_] = *asked {
        let sizes = asked.iter().flat_map(|sizes| sizes.iter());
        let sizes: String = sizes.map(|(name, value)| format!(" --size {name}={value}")).collect();
        format!("-- shine-tui apply program.rise --def {def} --rules .{sizes} -s {name}Exported")
    } else {
        // A command has one value for each.
        let each = each(&asked);
        format!(
            "-- Its steps depend on the sizes, which were changed between them ({each}): no command leads there."
        )
    };
    Some(format!("{how}\nstrategy {name}Exported =\n  {}\n", in_order(&steps, "\n  ; ")))
}

/// Several values of the sizes, one after the other.
pub fn each(all: &[&Sizes]) -> String {
    let one = |sizes: &&Sizes| match sizes.is_empty() {
        true => "none were given".to_owned(),
        false => sizes.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "),
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
}
