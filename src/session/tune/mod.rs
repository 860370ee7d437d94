//! Tuning: what a strategy leaves open is chosen by measuring on a device.
//!
//! `space` says which points there are, `order` in which order they are tried; `race` rules them out, checks and measures
//! them, and compares the best with the start; what came of it is a [`Tuned`].

mod alike;
pub mod kept;
mod order;
mod race;
mod reasons;
mod space;
#[cfg(test)]
mod tests;
mod tree;

#[cfg(test)]
use race::tune_with;
pub use race::{Wanted, tune};
pub(super) use race::{of_point, started};
pub use reasons::reasons;
pub use space::{Dimension, Point, Space};

use crate::device::roofline::Peak;
use crate::device::stats::{Comparison, Interval, Verdict};
use crate::device::{DeviceInfo, DeviceKind, name_in};
use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::session::action::{Decision, Sizes};
use crate::session::amounts::{Amounts, Rates};
use crate::session::bench;

/// A point that was faster than all before it.
#[derive(Clone, PartialEq, Debug)]
pub struct Lead {
    /// Its number among those that were tried.
    pub number: usize,
    /// The strategy with its values, as text.
    pub strategy: String,
    pub ns: f64,
}

/// What a tuning is doing.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Standing {
    pub tried: usize,
    pub measured: usize,
    pub ruled_out: usize,
    pub failed: usize,
    /// Who led, in order: the last is the best so far.
    pub course: Vec<Lead>,
    /// The most frequent reasons why points were lost, with how many of them.
    pub lost: Vec<(String, usize)>,
    /// Are the last few being compared?
    pub comparing: bool,
}

impl Standing {
    /// The fastest so far.
    pub fn best(&self) -> Option<&Lead> {
        self.course.last()
    }
}

/// Reads a time for a tuning, such as `90s` or `5min`, in seconds.
///
/// # Errors
/// A full sentence.
pub fn seconds(text: &str) -> Result<f64, String> {
    const HINT: &str = "Write a time such as 90s or 5min.";
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is no time. {HINT}"))?;
    let seconds = match unit {
        "" | "s" => number,
        "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time. {HINT}")),
    };
    match seconds {
        s if s <= 0.0 => Err("In no time nothing can be measured.".into()),
        s if s > 1e6 => Err("A tuning takes at most 1000000 s.".into()),
        s => Ok(s),
    }
}

/// What became of a point.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// It was never compiled: the strategy does not get to its end there, sizes do not fit, or the device has no room.
    RuledOut { code: &'static str, why: String },
    /// Its code is that of another point, by its number.
    Same(usize),
    /// It does not compile, crashes, hangs or computes something else.
    Failed { code: &'static str, why: String },
    /// The tuning was over before it was measured.
    Unfinished,
    /// Its output was compared at the sizes asked for, now or, where it is known, in a tuning before. What is known and may be the
    /// best has the time that it took when it was measured again.
    Measured { median_ns: f64, runs: usize, known: bool },
}

/// A point that was tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Tried {
    /// The strategy with its values, as text.
    pub strategy: String,
    /// The text by which the device is chosen, with how the kernel is compiled and run on it.
    pub device: String,
    pub values: Vec<(Name, String)>,
    pub kernel: Option<Digest>,
    pub fate: Fate,
    /// What its code does, where it was measured.
    pub amounts: Option<Amounts>,
}

impl Tried {
    /// The strategy, with the device where it is not used as usual, marked where flags may change results.
    pub fn shown(&self) -> String {
        match name_in(&self.device) == self.device {
            true => self.strategy.clone(),
            false => {
                let mark = if self.changing().is_some() { " ≈" } else { "" };
                format!("{}  on {}{mark}", self.strategy, self.device)
            }
        }
    }

    /// What is said of it where it is compiled so that results may change.
    pub fn changing(&self) -> Option<String> {
        bench::changing(&self.device)
    }

    pub fn median_ns(&self) -> Option<f64> {
        match self.fate {
            Fate::Measured { median_ns, .. } => Some(median_ns),
            _ => None,
        }
    }
}

/// Why no further point was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All were.
    All,
    /// Those that are left are expected to be like others that were.
    Alike,
    Time,
    /// The user stopped it.
    Stopped,
    /// The device failed.
    Device,
}

/// How the best compares with the state that a tuning began from.
#[derive(Clone, PartialEq, Debug)]
pub struct Before {
    /// Its time divided by that of the best.
    pub ratio: f64,
    /// Of runs that took turns, where they did.
    pub comparison: Option<Comparison>,
    /// Does it stay, because it is faster?
    pub stays: bool,
}

impl Before {
    /// A full sentence.
    pub fn says(&self) -> String {
        let Before { ratio, comparison, stays } = self;
        match (comparison.map(|c| (c.verdict, c.interval)), stays) {
            (Some((_, Interval { low, high, .. })), true) => format!(
                "The state before is faster, so it stays: the best takes {:.4} times as long ({:.4} to {:.4}, in turns).",
                1.0 / ratio,
                1.0 / high,
                1.0 / low
            ),
            (Some((Verdict::SecondFaster, Interval { low, high, .. })), false) => {
                format!("The state before takes {ratio:.4} times as long ({low:.4} to {high:.4}, in turns).")
            }
            (Some((_, Interval { low, high, .. })), false) => format!(
                "The best is not measurably faster or slower than the state before, which takes {ratio:.4} times as long ({low:.4} \
                 to {high:.4}, in turns)."
            ),
            (None, true) => format!(
                "The state before was faster in few runs, so it stays: the best took {:.4} times as long.",
                1.0 / ratio
            ),
            (None, false) => format!("The state before took {ratio:.4} times as long, by few runs."),
        }
    }
}

/// What came of a tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The device's own name, and what compiles for it.
    pub device: String,
    pub compiler: String,
    /// The sizes at which it was measured.
    pub sizes: Sizes,
    /// The number of points that there are, or where a warning says so at most.
    pub points: u128,
    /// In the order in which they were tried; the first is where tuning started.
    pub tried: Vec<Tried>,
    /// The number of the fastest: the start's where runs in turns do not show that another is faster.
    pub best: usize,
    /// How the best was checked.
    pub check: String,
    /// The start's time divided by that of the best, of runs that took turns, where the best is another than the start.
    pub comparison: Option<Comparison>,
    /// How the state before compares with the best, where it runs and has other code.
    pub before: Option<Before>,
    /// The median time of the best in the last comparison, with the number of runs and an interval; of few runs there is none.
    pub median_ns: f64,
    pub interval_ns: Option<(f64, f64)>,
    pub runs: usize,
    pub ending: Ending,
    /// What the device could do, where there was time to measure it.
    pub peak: Option<Peak>,
    /// Full sentences.
    pub warnings: Vec<String>,
}

impl Tuned {
    /// The best rates that any point reached.
    pub fn rates(&self) -> Rates {
        rates(&self.tried)
    }

    /// The fastest.
    pub fn best(&self) -> Option<&Tried> {
        self.tried.get(self.best)
    }

    /// The start's time divided by that of the best: as they took turns, else of few runs each.
    pub fn ratio(&self) -> Option<f64> {
        if self.best == 0 {
            return self.tried.first()?.median_ns().map(|_| 1.0);
        }
        let few = || Some(self.tried.first()?.median_ns()? / self.median_ns.max(1.0));
        self.comparison.map(|c| c.ratio).or_else(few)
    }

    /// What is kept of it.
    pub fn decision(&self) -> Option<Decision> {
        let best = self.best()?;
        Some(Decision {
            strategy: best.strategy.clone(),
            device: self.device.clone(),
            chosen: best.device.clone(),
            compiler: self.compiler.clone(),
            kernel: best.kernel?,
            sizes: self.sizes.clone(),
            points: self.points.to_string(),
            tried: self.tried.len(),
            measured: self.tried.iter().filter(|t| t.median_ns().is_some()).count(),
            median_ns: self.median_ns,
            interval_ns: self.interval_ns,
            runs: self.runs,
            start: self.comparison.map(|c| (c.ratio, c.interval.low, c.interval.high)),
            check: self.check.clone(),
        })
    }
}

/// The best rates that any of these reached.
fn rates(tried: &[Tried]) -> Rates {
    Rates::of(tried.iter().filter_map(|t| Some((t.amounts.as_ref()?, t.median_ns()?))))
}

/// The name by which a device is told from others: that of the processor for the host.
pub fn name_of(info: &DeviceInfo) -> String {
    match info.kind {
        DeviceKind::Host => format!("{} ({})", info.id, info.name),
        _ => info.id.clone(),
    }
}

/// What compiles for a device, with its version.
pub fn compiler_of(info: &DeviceInfo) -> String {
    format!("{} {}", info.driver, info.version).trim().to_owned()
}
