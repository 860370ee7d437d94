//! Figures as people read them: four digits and a unit.

use super::text::{Alphabet, Line, Role};
use crate::session::costs::Costs;

/// A time given in nanoseconds: `812.4 µs`.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        0.0 => return "0 ns".to_owned(),
        n if n < 1e3 => (ns, "ns"),
        n if n < 1e6 => (ns / 1e3, "µs"),
        n if n < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// From one time to another, with the unit once where it is the same: `597.4–674.8 ms`.
pub fn times(from: f64, to: f64) -> String {
    let (from, to) = (time(from), time(to));
    match (from.rsplit_once(' '), to.rsplit_once(' ')) {
        (Some((figure, unit)), Some((_, other))) if unit == other => format!("{figure}–{to}"),
        _ => format!("{from}–{to}"),
    }
}

/// How far an interval goes below and above its median: `(-1.0/+12 %)`; none where it has no end.
pub fn spread(median: f64, (low, high): (f64, f64)) -> Option<String> {
    let part = |end: f64| (end - median) / median * 100.0;
    let figure = |p: f64| if p.abs() < 9.95 { format!("{p:+.1}") } else { format!("{p:+.0}") };
    (median > 0.0 && high.is_finite()).then(|| format!("({}/{} %)", figure(part(low)), figure(part(high))))
}

/// Four significant digits, without an exponent for everyday figures.
pub fn digits(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return "-".to_owned();
    }
    if magnitude >= 1e7 || (magnitude > 0.0 && magnitude < 1e-3) {
        return format!("{value:.2e}");
    }
    let decimals = match magnitude {
        m if m >= 1000.0 => 0,
        m if m >= 100.0 => 1,
        m if m >= 10.0 => 2,
        m if m >= 1.0 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// A count that may be beyond all whole numbers: as [`count`], then `3.2e15`.
pub fn count_of(n: f64) -> String {
    if n < 1e12 { count(n as u64) } else { format!("{n:.1e}") }
}

/// A count: `940`, `11.2 k`, `1.04 M`.
pub fn count(n: u64) -> String {
    let value = n as f64;
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.1} k", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} M", value / 1e6),
        _ => format!("{:.2} G", value / 1e9),
    }
}

/// An amount of memory, in binary units.
pub fn bytes(n: u64) -> String {
    let value = n as f64;
    match n {
        0..1024 => format!("{n} B"),
        1024..1_048_576 => format!("{:.1} KiB", value / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", value / 1_048_576.0),
        _ => format!("{:.2} GiB", value / 1_073_741_824.0),
    }
}

/// How long something has been running: `3.1 s`, `2 min 05 s`.
pub fn elapsed(seconds: f64) -> String {
    if seconds < 100.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds as u64;
    format!("{} min {:02} s", whole / 60, whole % 60)
}

/// About how long something will take: `120 s`, `33 min`, `28 h`, `12 days`, `3.2e4 years`.
pub fn long(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(60.0, "s"), (60.0, "min"), (24.0, "h"), (365.0, "days")];
    let mut value = seconds;
    for (next, unit) in UNITS {
        // Twice as many of a unit are still said in it.
        if value <= 2.0 * next {
            return format!("{value:.0} {unit}");
        }
        value /= next;
    }
    if value < 1e4 { format!("{value:.0} years") } else { format!("{value:.1e} years") }
}

/// A change from one figure to another, in per cent: `-35.2 %`.
pub fn change(from: f64, to: f64) -> Option<String> {
    (from > 0.0 && from.is_finite() && to.is_finite())
        .then(|| format!("{:+.1} %", (to - from) / from * 100.0))
}

/// What changed from some costs to others, in a line of so many columns; none where nothing did. What has no room is left out as a
/// whole, what tells least first.
pub fn costs(old: &Costs, new: &Costs, width: usize, alphabet: Alphabet) -> Option<Line> {
    let arrow = alphabet.pick("→", "->");
    let mut parts = Vec::new();
    let mut part = |what: &str, old: Option<String>, new: Option<String>| {
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            parts.push(format!("{what} {old} {arrow} {new}"));
        }
    };
    let operations = |costs: &Costs| costs.flops.map(|flops| count(flops as u64));
    part("operations", operations(old), operations(new));
    part("stored between", old.stored.map(bytes), new.stored.map(bytes));
    part("lines of code", old.lines.map(|n| n.to_string()), new.lines.map(|n| n.to_string()));
    let less = old.reads.iter().filter_map(|(input, before)| {
        let after = new.reads.get(input).copied().unwrap_or(0.0);
        reads(input, *before, after, alphabet)
    });
    parts.splice(0..0, less);
    let whole = |shown: &[String]| {
        let more = if shown.len() < parts.len() { alphabet.pick(", …", ", ...") } else { "" };
        Line::of(Role::Size, shown.join(", ") + more)
    };
    let most = (1..=parts.len()).rev().map(|n| whole(&parts[..n])).find(|line| line.width() <= width);
    most.or_else(|| Some(whole(parts.get(..1)?).fit(width, alphabet)))
}

/// How much less of an input is read, or more; none where it is less than twice that.
fn reads(input: &str, before: f64, after: f64, alphabet: Alphabet) -> Option<String> {
    let times = alphabet.pick("×", "x");
    let (ratio, word) = if after < before { (before / after, "less") } else { (after / before, "more") };
    let figure = if ratio < 9.95 { digits_of_two(ratio) } else { format!("{ratio:.0}") };
    (ratio.is_finite() && ratio >= 2.0).then(|| format!("reads {input} {figure}{times} {word}"))
}

/// Two significant digits of a figure below ten, without a zero behind the point.
fn digits_of_two(n: f64) -> String {
    format!("{n:.1}").trim_end_matches(".0").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_less_or_more_is_told() {
        let of = |a: f64, b: f64| Costs {
            reads: [("a".to_owned(), a), ("b".to_owned(), b)].into_iter().collect(),
            ..Costs::default()
        };
        let within = |old: &Costs, new: &Costs, width| {
            costs(old, new, width, Alphabet::Unicode).map(|line| line.text())
        };
        let told = |old: &Costs, new: &Costs| within(old, new, 80);
        assert_eq!(told(&of(10.0, 3200.0), &of(11.0, 100.0)).as_deref(), Some("reads b 32× less"));
        assert_eq!(
            told(&of(10.0, 100.0), &of(25.0, 50.0)).as_deref(),
            Some("reads a 2.5× more, reads b 2× less")
        );
        assert_eq!(told(&of(10.0, 100.0), &of(15.0, 60.0)), None);
        // What has no room is left out as a whole.
        let narrow = |width| within(&of(10.0, 100.0), &of(25.0, 50.0), width);
        assert_eq!(narrow(33).as_deref(), Some("reads a 2.5× more, …"));
        assert_eq!(narrow(12).as_deref(), Some("reads a 2.5…"));
        let flops = |flops| Costs { flops, ..Costs::default() };
        assert_eq!(told(&flops(Some(4.0)), &flops(Some(8.0))).as_deref(), Some("operations 4 → 8"));
        assert_eq!(told(&flops(Some(4.0)), &flops(None)), None);
    }

    #[test]
    fn four_digits_and_a_unit() {
        assert_eq!(time(812.0), "812.0 ns");
        assert_eq!(time(812_412.0), "812.4 µs");
        assert_eq!(time(1_234_567_890.0), "1.235 s");
        assert_eq!(times(812.0, 840.5), "812.0–840.5 ns");
        assert_eq!(times(812.0, 1840.5), "812.0 ns–1.841 µs");
        assert_eq!(spread(100.0, (99.0, 112.0)).as_deref(), Some("(-1.0/+12 %)"));
        assert_eq!(spread(100.0, (99.0, f64::INFINITY)), None);
        assert_eq!(digits(0.0), "0.0000");
        assert_eq!(digits(f64::NAN), "-");
        assert_eq!(digits(2.5e-7), "2.50e-7");
        assert_eq!(count(9_999), "9999");
        assert_eq!(count(11_200), "11.2 k");
        assert_eq!(bytes(3 << 30), "3.00 GiB");
        assert_eq!(elapsed(125.4), "2 min 05 s");
        assert_eq!(change(100.0, 64.8).as_deref(), Some("-35.2 %"));
        assert_eq!(change(0.0, 1.0), None);
    }
}
