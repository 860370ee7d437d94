//! What a device allows, and how near to that measured states come: operations a second over operations for each byte, both
//! doubling from line to line.

use super::bench::{least, unknown};
use super::figures::{digits, time};
use super::text::{Alphabet, Line, Role};
use crate::device::roofline::{Peak, Work, rate};
use crate::lang::columns;
use crate::lang::work;
use crate::session::action::{Measurement, RevisionId};

/// A measured state with its work.
struct Kernel<'a> {
    /// The letter that stands for it in the picture.
    sign: char,
    revision: RevisionId,
    measured: &'a Measurement,
    work: Work,
}

/// The letters for states, as many as are drawn at most.
const SIGNS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The columns left of the picture, and its rows.
const MARGIN: usize = 9;
const ROWS: usize = 12;

/// A roofline: sentences, which can be broken, and the picture, which cannot.
pub struct Roofline {
    pub said: Vec<Line>,
    pub picture: Vec<Line>,
}

impl Roofline {
    /// Both under each other. What the picture says comes first: it is what was asked, and in few rows the picture is not seen
    /// whole.
    pub fn lines(self) -> Vec<Line> {
        self.said.into_iter().chain([Line::empty()]).chain(self.picture).collect()
    }
}

/// The picture, and what it says of each state. Where several measurements of a state are alike but for their time, the last counts.
/// Before anything was measured it says what the device allows for the work of the program.
pub fn page(
    device: &str,
    peak: Peak,
    all: &[(RevisionId, &Measurement)],
    program: Option<work::Work>,
    width: usize,
    alphabet: Alphabet,
) -> Roofline {
    let kernels = kernels(device, all);
    // What is said of the states is seen where there are few rows.
    let mut said = vec![];
    if kernels.is_empty() {
        let text =
            format!("No state has been measured on {device} whose operations in floating point are counted.");
        said.push(Line::of(Role::Hint, text));
        said.extend(program.and_then(|work| least(work, device, Some(peak))));
    }
    said.extend(kernels.iter().map(|kernel| says(kernel, peak)));
    let moving: Vec<Line> =
        last(device, all).into_iter().filter_map(|(revision, m)| moves(revision, m, peak)).collect();
    if !moving.is_empty() {
        said.extend(moving);
        let unknown = unknown(device);
        said.push(Line::of(Role::Hint, format!("Such states are not in the picture: {unknown}.")));
    }
    said.extend([
        Line::empty(),
        Line::of(Role::Title, format!("what {device} allows")),
        Line::plain(format!(
            "{} GFLOP/s of multiply-adds in registers, {} GB/s to and from main memory, as measured now",
            digits(peak.gflops),
            digits(peak.gbytes)
        )),
    ]);
    said.extend(peak.mind().map(|mind| Line::of(Role::Warning, mind)));
    Roofline { said, picture: picture(peak, &kernels, width, alphabet) }
}

/// The states that were measured on the device, the last measurement of each at each sizes.
fn last<'a>(device: &str, all: &[(RevisionId, &'a Measurement)]) -> Vec<(RevisionId, &'a Measurement)> {
    let mut last: Vec<(RevisionId, &Measurement)> = vec![];
    for (revision, m) in all.iter().filter(|(_, m)| m.device == device) {
        last.retain(|(id, other)| (*id, &other.sizes) != (*revision, &m.sizes));
        last.push((*revision, *m));
    }
    last
}

/// Those of them that compute something in floating point.
fn kernels<'a>(device: &str, all: &[(RevisionId, &'a Measurement)]) -> Vec<Kernel<'a>> {
    let works = last(device, all).into_iter().filter_map(|(revision, measured)| {
        let work = Work { flops: measured.flops?, bytes: measured.bytes? };
        (work.flops > 0.0 && work.bytes > 0.0 && measured.median_ns > 0.0)
            .then_some((revision, measured, work))
    });
    let signs = SIGNS.chars();
    works
        .zip(signs)
        .map(|((revision, measured, work), sign)| Kernel { sign, revision, measured, work })
        .collect()
}

/// How near a state that computes nothing in floating point comes to what memory allows.
fn moves(revision: RevisionId, measured: &Measurement, peak: Peak) -> Option<Line> {
    let bytes = measured.bytes.filter(|bytes| *bytes > 0.0 && measured.flops.is_none())?;
    let rate = rate(Work { flops: 0.0, bytes }, measured.median_ns, Some(peak));
    let share = rate.share?;
    let says = match above(share, true, bytes, peak) {
        Some(above) => format!(", over 100 % of what is allowed: {above}"),
        None => {
            format!(", {} % of what {} allows", digits(100.0 * share), limit(true, bytes, peak))
        }
    };
    Some(
        Line::of(Role::Number, format!("   revision {revision}  "))
            .with(Role::Plain, format!("{}  {}  ", sizes(measured), time(measured.median_ns)))
            .with(Role::Good, format!("{} GB/s", digits(rate.gbytes)))
            .with(Role::Plain, says),
    )
}

fn sizes(measured: &Measurement) -> String {
    measured.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(" ")
}

fn says(kernel: &Kernel<'_>, peak: Peak) -> Line {
    let Kernel { sign, revision, measured, work } = kernel;
    let rate = rate(*work, measured.median_ns, Some(peak));
    let memory = rate.memory_bound == Some(true);
    let share = rate.share.unwrap_or_default();
    let says = match above(share, memory, work.bytes, peak) {
        Some(above) => format!(", over 100 % of what is allowed: {above}"),
        None => {
            let by = if memory { limit(memory, work.bytes, peak) } else { "its operations" };
            format!(", {} % of what is allowed, bound by {by}", digits(100.0 * share))
        }
    };
    Line::of(Role::Number, format!("{sign}  revision {revision}  "))
        .with(Role::Plain, format!("{}  {}  ", sizes(measured), time(measured.median_ns)))
        .with(Role::Good, format!("{} GFLOP/s", digits(rate.gflops)))
        .with(Role::Plain, says)
}

/// So much of what a device was found to allow is no more than that: the one measurement and the other differ by as much.
const ALLOWED: f64 = 1.05;

/// What is said of a time that comes to more than a device was found to allow: nothing that was measured bounds it.
pub fn above(share: f64, memory: bool, bytes: f64, peak: Peak) -> Option<&'static str> {
    (share > ALLOWED).then_some(match (peak.busy, memory) {
        (_, true) if peak.caches(bytes) => "more than main memory gave, since caches hold so little data",
        (true, _) => "more than the busy machine gave when that was measured",
        (false, true) => "more than main memory gave, so its data may lie in caches",
        (false, false) => "more than the multiply-adds gave with which that was measured",
    })
}

/// What bounds so much work: of data that a cache may hold it is not known whether main memory does.
pub fn limit(memory: bool, bytes: f64, peak: Peak) -> &'static str {
    match memory {
        true if peak.caches(bytes) => "memory (unless caches hold the data)",
        true => "memory",
        false => "arithmetic",
    }
}

/// The roof and the states below it.
fn picture(peak: Peak, kernels: &[Kernel<'_>], width: usize, alphabet: Alphabet) -> Vec<Line> {
    let columns = width.saturating_sub(MARGIN + 1).clamp(16, 72);
    let ridge = peak.gflops / peak.gbytes;
    let intensity = |work: &Work| work.flops / work.bytes;
    let reached = |kernel: &Kernel<'_>| kernel.work.flops / kernel.measured.median_ns;
    let all_x = || kernels.iter().map(|k| intensity(&k.work)).chain([ridge]);
    let (left, right) = (all_x().fold(f64::INFINITY, f64::min) / 4.0, all_x().fold(0.0, f64::max) * 4.0);
    let least = kernels.iter().map(reached).fold(peak.gflops, f64::min);
    let (low, high) = (least.min(left * peak.gbytes) / 2.0, peak.gflops * 1.5);
    let column = |x: f64| {
        let part = (x / left).ln() / (right / left).ln();
        ((part * (columns - 1) as f64).round().max(0.0) as usize).min(columns - 1)
    };
    let row = |y: f64| {
        let part = (high / y).ln() / (high / low).ln();
        ((part * (ROWS - 1) as f64).round().max(0.0) as usize).min(ROWS - 1)
    };
    let (slope, flat) = (alphabet.pick("╱", "/"), alphabet.pick("─", "-"));
    let mut cells: Vec<Vec<(Role, String)>> = vec![vec![(Role::Plain, " ".to_owned()); columns]; ROWS];
    let roof = (0..columns).map(|at| {
        let x = left * (right / left).powf(at as f64 / (columns - 1) as f64);
        if x < ridge { (at, x * peak.gbytes, slope) } else { (at, peak.gflops, flat) }
    });
    for (at, y, sign) in roof {
        cells[row(y)][at] = (Role::Dim, sign.to_owned());
    }
    for kernel in kernels {
        let cell = &mut cells[row(reached(kernel))][column(intensity(&kernel.work))];
        // Of several in one place the last is seen; all are told below.
        *cell = (Role::Good, kernel.sign.to_string());
    }
    let label = |row: usize| match row {
        0 => "GFLOP/s".to_owned(),
        _ => {
            let y = high / (high / low).powf(row as f64 / (ROWS - 1) as f64);
            if row.is_multiple_of(3) { digits(y) } else { String::new() }
        }
    };
    let mut lines: Vec<Line> = vec![];
    for (number, row) in cells.into_iter().enumerate() {
        let border = alphabet.pick("│", "|");
        let mut line =
            Line::of(Role::Dim, format!("{} {border}", columns::right(&label(number), MARGIN - 1)));
        row.into_iter().for_each(|(role, sign)| line.push(role, sign));
        lines.push(line);
    }
    let axis = format!("{}{}{}", " ".repeat(MARGIN), alphabet.pick("└", "+"), flat.repeat(columns));
    lines.push(Line::of(Role::Dim, axis));
    let (first, last) = (digits(left), format!("{} operations a byte", digits(right)));
    let gap = columns.saturating_sub(first.len() + last.len());
    lines.push(Line::of(Role::Dim, format!("{}{first}{}{last}", " ".repeat(MARGIN + 1), " ".repeat(gap))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::digest::Digest;

    const PEAK: Peak = Peak { gflops: 64.0, gbytes: 16.0, busy: false, cache: 1 << 20 };

    fn measured(device: &str, n: i64, median_ns: f64, flops: f64, bytes: f64) -> Measurement {
        Measurement {
            device: device.to_owned(),
            kernel: Digest::of(b"kernel"),
            sizes: [("n".into(), n)].into_iter().collect(),
            median_ns,
            interval_ns: (median_ns, median_ns),
            runs: 30,
            parts: vec![],
            flops: Some(flops),
            integer_operations: None,
            bytes: Some(bytes),
            check: String::new(),
            max_error: None,
            warnings: vec![],
            in_turns: false,
        }
    }

    #[test]
    fn states_stand_under_the_roof() {
        let [slow, fast, other] = [
            measured("cpu", 64, 1e6, 2e6, 4e6),
            measured("cpu", 64, 5e5, 3.2e7, 1e6),
            measured("gpu", 64, 1e3, 1e6, 1e6),
        ];
        let all = [(0, &slow), (1, &fast), (2, &other)];
        let text: Vec<String> = page("cpu", PEAK, &all, None, 60, Alphabet::Ascii)
            .lines()
            .iter()
            .map(|l| l.text().trim_end().to_owned())
            .collect();
        let of = |sign: &str| text.iter().find(|line| line.starts_with(sign)).unwrap();
        // What is said of the states is first.
        assert!(text[0].starts_with("A  "), "{text:#?}");
        assert!(of("64").contains(" GFLOP/s of multiply-adds"), "{text:#?}");
        let row = |sign: char| {
            text.iter().position(|line| line.len() > MARGIN && line[MARGIN..].contains(sign)).unwrap()
        };
        let column = |sign: char| text[row(sign)].find(sign).unwrap();
        // The fast one has more operations a byte and stands further up.
        assert!(row('B') < row('A') && column('A') < column('B'), "{text:#?}");
        assert!(of("A  ").contains("bound by memory") && of("A  ").contains("25"), "{text:#?}");
        let says = |share, memory, busy| above(share, memory, 4e6, Peak { busy, ..PEAK });
        assert_eq!(says(1.04, true, false), None);
        assert_eq!(says(2.1, true, false), Some("more than main memory gave, so its data may lie in caches"));
        assert_eq!(
            says(2.1, false, false),
            Some("more than the multiply-adds gave with which that was measured")
        );
        assert_eq!(says(2.1, true, true), Some("more than the busy machine gave when that was measured"));
        assert!(of("B  ").contains("bound by its operations") && of("B  ").contains("100"), "{text:#?}");
        assert!(!text.iter().any(|line| line.starts_with("C  ")), "another device is not on it: {text:#?}");
        for width in 0..120 {
            assert!(page("cpu", PEAK, &all, None, width, Alphabet::Ascii).lines().len() > ROWS);
        }
    }

    #[test]
    fn what_a_busy_machine_gave_is_told_as_a_lower_bound() {
        let measured = measured("cpu", 64, 1e4, 2e6, 4e6);
        let said = |peak| {
            let lines = page("cpu", peak, &[(0, &measured)], None, 60, Alphabet::Ascii).lines();
            lines.iter().map(|line| line.text() + "\n").collect::<String>()
        };
        assert!(!said(PEAK).contains("busy") && said(PEAK).contains("may lie in caches"), "{}", said(PEAK));
        let busy = said(Peak { busy: true, ..PEAK });
        assert!(busy.contains("lower bounds") && !busy.contains("may lie in caches"), "{busy}");
    }

    /// What a cache holds is no matter of main memory, however busy the machine was, and what is above all is no share.
    #[test]
    fn data_that_caches_hold_is_not_held_against_main_memory() {
        let [fast, slow] = [measured("cpu", 64, 1e3, 1e5, 2e5), measured("cpu", 64, 1e5, 1e5, 2e5)];
        for busy in [false, true] {
            let said = |m: &Measurement| {
                let page = page("cpu", Peak { busy, ..PEAK }, &[(0, m)], None, 60, Alphabet::Ascii);
                page.said[0].text()
            };
            assert!(said(&fast).ends_with("100.0 GFLOP/s, over 100 % of what is allowed: more than main memory gave, since caches hold so little data"));
            assert!(said(&slow).ends_with(
                "1.000 GFLOP/s, 12.50 % of what is allowed, bound by memory (unless caches hold the data)"
            ));
        }
    }

    /// What is not in the picture is told of what memory allows.
    #[test]
    fn a_state_without_floats_is_held_against_memory() {
        let integers = Measurement { flops: None, ..measured("cpu", 64, 1e6, 0.0, 4e6) };
        let said = page("cpu", PEAK, &[(3, &integers)], None, 80, Alphabet::Ascii).said;
        let said: Vec<String> = said.iter().map(Line::text).collect();
        let row = "   revision 3  n=64  1.000 ms  4.000 GB/s, 25.00 % of what memory allows";
        assert!(said.contains(&row.to_owned()), "{said:#?}");
        assert!(said.iter().any(|line| line.starts_with("Such states are not in the picture")), "{said:#?}");
    }

    #[test]
    fn the_last_measurement_of_a_state_counts() {
        let (before, after) = (measured("cpu", 64, 1e6, 2e6, 4e6), measured("cpu", 64, 9e5, 2e6, 4e6));
        let all = [(0, &before), (0, &after)];
        let kept = kernels("cpu", &all);
        assert_eq!(kept.len(), 1);
        assert!((kept[0].measured.median_ns - 9e5).abs() < 1.0);
        let said = page("gpu", PEAK, &all, None, 80, Alphabet::Unicode).said;
        assert!(said[0].text().contains("No state"), "{said:#?}");
        // What bounds the program is known before it is measured.
        let work = Some(work::Work { flops: 6.4e7, integer_operations: 0.0, bytes: 1.6e6 });
        let said = page("gpu", PEAK, &all, work, 80, Alphabet::Unicode).said;
        let said = said[1].text();
        assert!(said.contains("on gpu arithmetic bounds that, which allows 1.000 ms"), "{said}");
    }
}
