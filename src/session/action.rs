//! Everything that a user can do to a session, as one closed list, and what came of it.
//!
//! Screens and subcommands only ever send an [`Action`]; the log is the list of actions with their [`Outcome`]s; a
//! replay is the same function without a screen. Neither type is serialised: `session::log` has its own.

use crate::device::stats::{Interval, Summary};
use crate::device::{BUSY, UNLIKE};
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::pattern::Level;
use crate::lang::term::Term;
use crate::lang::work::Work;
use crate::rewrite::search::Held;

use super::Written;
use super::files::Text;

/// A revision of the program: a node of the history tree. Revision 0 is the program as it was read.
pub type RevisionId = usize;

pub use crate::lang::infer::Sizes;

/// Gives a size its value.
///
/// # Errors
/// It has another one already, in a full sentence: which of the two is meant is not to be guessed.
pub fn give_size(sizes: &mut Sizes, name: &str, value: i64) -> Result<(), String> {
    match sizes.insert(name.into(), value).filter(|other| *other != value) {
        Some(other) => Err(format!("The size `{name}` is given twice, as {other} and as {value}.")),
        None => Ok(()),
    }
}

/// A change that a user can ask for.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Apply a rule, written as a strategy call such as `splitJoin(32)`, at a position of the current term.
    Apply { rule: String, at: Path },
    /// Run a strategy, written in ELEVATE, on the sub-term at a position; `reach … using …` runs a search.
    Strategy { text: String, at: Path },
    /// Go to a revision: undo, redo and jumps along the history tree.
    Goto { revision: RevisionId },
    /// Give values to sizes; they hold for compiling and measuring, never for rewriting.
    Sizes { sizes: Sizes },
    /// Start again from a changed program file.
    Reload { label: String, text: String },
    /// Use these rules and strategies from now on; the program and its history stay.
    Definitions { files: Vec<Text> },
    /// Generate code for the current revision.
    Compile { target: Target },
    /// Compile, check and measure the current revision on a device.
    Bench { device: String },
    /// Choose what a strategy leaves open by measuring on a device for so many seconds, and run it with what was chosen.
    Tune { strategy: String, device: String, seconds: f64 },
}

/// The language to generate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// C with OpenMP, for the host.
    C,
    /// An OpenCL kernel.
    OpenCl,
}

impl Target {
    pub fn name(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::OpenCl => "opencl",
        }
    }

    pub fn from_name(name: &str) -> Option<Target> {
        [Target::C, Target::OpenCl].into_iter().find(|t| t.name() == name)
    }

    /// OpenCL for programs that use its patterns, else C.
    pub fn natural(term: &Term) -> Target {
        let opencl = |t: &Term| t.as_pattern().is_some_and(|p| p.level() == Level::OpenCl);
        if term.has_leaf(&opencl) { Target::OpenCl } else { Target::C }
    }
}

/// What came of an action.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// There is a new term: the revision that the action made.
    Term {
        revision: RevisionId,
        digest: Digest,
        text: Written,
        searches: Vec<SearchOutcome>,
    },
    /// The action is done and made no revision.
    Done,
    Kernel {
        target: Target,
        digest: Digest,
        text: String,
    },
    Measured(Measurement),
    /// There is a new term, of the strategy that was the fastest.
    Tuned {
        revision: RevisionId,
        digest: Digest,
        text: Written,
        searches: Vec<SearchOutcome>,
        decision: Decision,
    },
    /// The term stayed as it was, for this reason.
    Unchanged {
        reason: String,
        searches: Vec<SearchOutcome>,
    },
}

/// The decision that a search took, enough to take it again.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchOutcome {
    pub sketch: String,
    /// Where the search stopped: iterations begun, the rule in progress and how many of its matches were applied.
    pub iteration: usize,
    pub rule: Option<String>,
    pub matches: usize,
    /// Where it had ended before, and went on with its graph.
    pub paused: Vec<Paused>,
    /// `found`, `saturated`, `incomplete`, `stopped`, or the limit that ended it.
    pub stop: String,
    pub nodes: usize,
    pub classes: usize,
    /// The digest of the term that was found.
    pub found: Option<Digest>,
    /// Rule, position and digest after each step, when the derivation could be written as rule applications.
    pub trail: Option<Vec<TrailStep>>,
    /// So many searches led to one goal, of which this is the first, where guides were made for it.
    pub chain: Option<usize>,
    /// Why it could not, as it was found out; not recorded.
    pub no_trail: Option<String>,
    /// What holds of sizes where the program is like the sketch and is not told by the program, as it was found out; the revision's
    /// record has it.
    pub untold: Option<String>,
}

/// Where a search ended and later went on: as in [`SearchOutcome`], with what held until then.
#[derive(Clone, PartialEq, Debug)]
pub struct Paused {
    pub iteration: usize,
    pub rule: Option<String>,
    pub matches: usize,
    /// The bound of nodes.
    pub nodes: usize,
    /// Which rules were held back.
    pub held: Vec<Held>,
    /// Memory was short: matches were given back.
    pub given_back: bool,
}

/// A rule application of a search's derivation.
#[derive(Clone, PartialEq, Debug)]
pub struct TrailStep {
    pub rule: String,
    pub at: Path,
    /// The digest of the whole program after it.
    pub after: Digest,
    /// The whole program after it, for a rule that was used from right to left: the rule leads back from it.
    pub reversed: Option<Written>,
}

/// A checked measurement of a kernel. Times are in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    pub device: String,
    pub kernel: Digest,
    pub sizes: Sizes,
    pub median_ns: f64,
    /// A 95 % confidence interval of the median; of too few runs it has no end.
    pub interval_ns: (f64, f64),
    pub runs: usize,
    /// Where the time went, of a program of several kernels.
    pub parts: Vec<PartTime>,
    /// Operations in floating point, operations on integers, and bytes of input and output of one run. Logs of older versions do not
    /// tell those on integers.
    pub flops: Option<f64>,
    pub integer_operations: Option<f64>,
    pub bytes: Option<f64>,
    /// How the output was checked, with the largest relative error.
    pub check: String,
    /// None where it is not known.
    pub max_error: Option<f64>,
    pub warnings: Vec<String>,
    /// Whether it was measured in turns with others, see [`Measurement::is_in_even_turns`].
    pub in_turns: bool,
}

/// The decision that a tuning took, with its figures. Times are in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The fastest strategy, with values for all that was left open.
    pub strategy: String,
    /// The device's name, and what compiles for it.
    pub device: String,
    /// The text by which it is chosen, with flags and threads where those were tuned; empty in logs of older versions.
    pub chosen: String,
    pub compiler: String,
    pub kernel: Digest,
    pub sizes: Sizes,
    /// How many points there were, as a number, and how many were tried and measured.
    pub points: String,
    pub tried: usize,
    pub measured: usize,
    pub median_ns: f64,
    /// None where it is of few runs.
    pub interval_ns: Option<(f64, f64)>,
    pub runs: usize,
    /// The start's time divided by this one, of runs that took turns, with an interval.
    pub start: Option<(f64, f64, f64)>,
    pub check: String,
}

/// The median time of a kernel, a function of the host, or copies between them.
#[derive(Clone, PartialEq, Debug)]
pub struct PartTime {
    pub name: String,
    pub median_ns: f64,
}

impl Decision {
    /// The time of the fastest as a measurement of the state that it leads to, on the device
    /// that was asked for and for a program that does this work.
    pub fn measurement(&self, device: &str, work: &Work) -> Measurement {
        let device = if self.chosen.is_empty() { device } else { &self.chosen };
        let interval_ns = self.interval_ns.unwrap_or((0.0, f64::INFINITY));
        let time = MedianTime { median_ns: self.median_ns, interval_ns, runs: self.runs };
        Measurement::beside_others(device, self.kernel, &self.sizes, time, work, &self.check)
    }
}

/// The median time of some runs, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MedianTime {
    pub median_ns: f64,
    /// See [`Measurement::interval_ns`].
    pub interval_ns: (f64, f64),
    pub runs: usize,
}

impl From<&Summary> for MedianTime {
    fn from(summary: &Summary) -> MedianTime {
        let Interval { low, high, .. } = summary.interval;
        let interval_ns = if summary.interval.is_sure() { (low, high) } else { (0.0, f64::INFINITY) };
        MedianTime { median_ns: summary.median, interval_ns, runs: summary.runs }
    }
}

/// What the checks beforehand tell, if there were any, and that the output is that of plain C.
pub fn beside_plain_c(check: &str) -> String {
    let all = [check, "the output agrees with plain C"];
    all.into_iter().filter(|told| !told.is_empty()).collect::<Vec<_>>().join("; ")
}

impl Measurement {
    /// The time of a kernel of a program that does this work. How large its errors are, where the time went and what is to be minded
    /// is not known.
    pub fn of(
        device: &str,
        kernel: Digest,
        sizes: &Sizes,
        time: MedianTime,
        work: &Work,
        check: String,
    ) -> Measurement {
        Measurement {
            device: device.to_owned(),
            kernel,
            sizes: sizes.clone(),
            median_ns: time.median_ns,
            interval_ns: time.interval_ns,
            runs: time.runs,
            parts: vec![],
            flops: (work.flops > 0.0).then_some(work.flops),
            integer_operations: (work.integer_operations > 0.0).then_some(work.integer_operations),
            bytes: Some(work.bytes),
            check,
            max_error: None,
            warnings: vec![],
            in_turns: false,
        }
    }

    /// The time of a kernel that was measured beside others, whose output was compared with that of plain C.
    pub fn beside_others(
        device: &str,
        kernel: Digest,
        sizes: &Sizes,
        time: MedianTime,
        work: &Work,
        check: &str,
    ) -> Measurement {
        let check = beside_plain_c(check);
        // Of few runs it is not known in which interval the median lies.
        let measured = Measurement::of(device, kernel, sizes, time, work, check);
        Measurement { in_turns: measured.has_interval(), ..measured }
    }

    /// Whether other programs disturbed what took turns differently, so that this time holds beside them and tells nothing of others.
    pub fn is_disturbed_unlike(&self) -> bool {
        self.warnings.iter().any(|warning| warning.contains(UNLIKE))
    }

    /// Whether what drifts with the machine was the same for this and for what took turns with it.
    pub fn is_in_even_turns(&self) -> bool {
        self.in_turns && !self.is_disturbed_unlike()
    }

    /// Whether it took longer by itself than it may take, as the machine was busy with others. What took turns was compared with what
    /// they disturbed as well.
    pub fn may_take_less(&self) -> bool {
        !self.in_turns && self.warnings.iter().any(|warning| warning.contains(BUSY))
    }

    /// Whether the times of two programs tell that they differ. What was disturbed unlike tells nothing, nor do two times of the same code;
    /// of what may take less it is told that it is the faster one, and no more.
    pub fn differs_from(&self, other: &Measurement) -> bool {
        let tells = !self.is_disturbed_unlike() && !other.is_disturbed_unlike();
        let is_slower = |a: &Measurement, b: &Measurement| a.interval_ns.0 > b.interval_ns.1;
        let is_apart = !self.may_take_less() && is_slower(self, other)
            || !other.may_take_less() && is_slower(other, self);
        tells && !self.is_of_same_code(other) && is_apart
    }

    /// Whether it is known where the median lies: there were enough runs for that.
    pub fn has_interval(&self) -> bool {
        self.interval_ns.1.is_finite()
    }

    /// Whether the two medians differ: intervals that overlap are no difference.
    pub fn is_apart(&self, other: &Measurement) -> bool {
        self.interval_ns.0 > other.interval_ns.1 || other.interval_ns.0 > self.interval_ns.1
    }

    /// Whether the same code ran on the same device at the same sizes: then the times differ by chance alone.
    pub fn is_of_same_code(&self, other: &Measurement) -> bool {
        self.kernel == other.kernel && self.device == other.device && self.sizes == other.sizes
    }

    pub fn gflops(&self) -> Option<f64> {
        self.flops.map(|f| f / self.median_ns)
    }
    /// Billions of operations on integers a second.
    pub fn integer_gops(&self) -> Option<f64> {
        self.integer_operations.map(|n| n / self.median_ns)
    }
    /// Gigabytes a second of compulsory traffic: each input and output cell once.
    pub fn gbytes(&self) -> Option<f64> {
        self.bytes.map(|b| b / self.median_ns)
    }
}
