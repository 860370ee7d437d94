//! Sketch-guided equality saturation (thesis section 5.3.3): from a term, rules and a sketch to an equal term that
//! satisfies the sketch.
//!
//! [`reach`] runs a whole search; a [`Search`] can be advanced piece by piece. It can be stopped at any moment and
//! then still says what it has: time, memory and the wish to stop come in through [`Control`], what happens goes out
//! through its progress. Searches are deterministic: the same start, rules, sketch and bounds give the same term,
//! and a search that was stopped from outside can be repeated up to the same [`StopPoint`].

mod closure;
pub mod cost;
mod driver;
pub mod forecast;
mod goal;
pub mod insight;
mod memory;
pub mod options;
pub mod refuted;
#[cfg(test)]
mod tests;
mod throughout;
pub mod trail;
pub mod unmade;
mod unread;

use crate::clearing::Cleared;
use crate::egraph::gaps::Gap;
use crate::guide::Lead;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::term::Term;
use crate::rule::library::reductions;
use crate::sharing::times_told;
use crate::sketch::holes::Filling;
use crate::sketch::variants::Variant;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use driver::{Last, Search, deepest, reach, usable};
pub use options::{Budget, Held, held_as_options};
pub use trail::{Trail, TrailStep, trail};

/// The world outside a search.
pub struct Control<'a> {
    /// Set from outside to stop.
    pub cancel: &'a AtomicBool,
    /// Time since any fixed moment.
    pub now: &'a dyn Fn() -> Duration,
    /// Memory that the process holds, in bytes.
    pub rss: &'a dyn Fn() -> u64,
    pub progress: &'a mut dyn FnMut(&Progress),
}

/// Where a search was stopped: so many matches of this rule had been applied in this iteration. Rules are numbered
/// as in [`Report::rules`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct StopPoint {
    pub iteration: usize,
    pub rule: usize,
    pub matches: usize,
}

/// Where a search ended and went on later, and what held until then.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pause {
    pub at: StopPoint,
    /// The bound of nodes.
    pub nodes: usize,
    /// Which rules were held back.
    pub held: Vec<Held>,
    /// Memory was short: matches that had not been applied were given back, and looked for once more.
    pub given_back: bool,
}

/// What a search is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Asking whether the sketch is satisfied.
    Check,
    /// Finding the matches of a rule, by its number.
    Match(usize),
    /// Applying the matches of a rule.
    Apply(usize),
    /// Restoring congruence.
    Rebuild,
    Done,
}

/// What a rule has done so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleReport {
    /// The rule with its arguments.
    pub label: String,
    pub matches: usize,
    /// Matches of which the right side was built.
    pub applied: usize,
    /// Applications that made two classes one.
    pub unions: usize,
    /// Nodes that its applications added, with those that turned out equal to others.
    pub nodes: usize,
    /// Bytes of what they take in the graph, and of the most matches that it had at once.
    pub memory: u64,
    pub time: Duration,
}

/// How far a part of the sketch is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartReport {
    pub label: String,
    /// How many parts it is within.
    pub depth: usize,
    /// The number of classes that have a member like it.
    pub classes: usize,
    /// The whole program has.
    pub at_root: bool,
}

/// A moment of a search.
#[derive(Clone, Debug)]
pub struct Progress {
    pub iteration: usize,
    pub phase: Phase,
    /// Exact after each iteration; in between, nodes that turn out equal are counted twice.
    pub nodes: usize,
    pub classes: usize,
    /// What there was after each iteration.
    pub grown: Vec<Grown>,
    /// How many nodes there may be.
    pub bound: usize,
    /// How much memory the process may hold, in bytes.
    pub most_memory: u64,
    /// Entries of the table of nodes, stale ones included.
    pub entries: usize,
    pub rss: u64,
    pub elapsed: Duration,
    /// The weight of the best term that equals the program: redexes, then size.
    pub best_size: u32,
    pub rules: Vec<RuleReport>,
    pub parts: Vec<PartReport>,
}

/// How far a search had come after an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Grown {
    pub nodes: usize,
    pub classes: usize,
    /// Memory that the process held, in bytes.
    pub rss: u64,
    /// Of how many of the sketch's parts there was a member.
    pub parts: usize,
}

/// One iteration: all rules matched, then all applied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IterationReport {
    pub matches: usize,
    pub unions: usize,
    /// Unions that followed by congruence.
    pub congruences: usize,
    pub nodes: usize,
    pub classes: usize,
    pub check: Duration,
    pub search: Duration,
    pub apply: Duration,
    pub rebuild: Duration,
}

/// A term that satisfies the sketch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// In normal form, if that was asked for and still satisfies the sketch.
    pub term: Term,
    /// As it was extracted.
    pub extracted: Term,
    /// What was taken away from the normal form of that.
    pub cleared: Vec<Cleared>,
    /// What its types and sizes ask for.
    pub assumed: Vec<SizeConstraint>,
    /// What the sketch's holes for sizes stand for.
    pub filling: Filling,
    /// How many times as much it computes as the program that the search was given, where sizes are large and that is much.
    pub times: Option<u64>,
}

/// A bound of a search, and what it was when the search met it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Nodes {
        bound: usize,
        reached: usize,
    },
    Iterations {
        bound: usize,
    },
    Time {
        bound: Duration,
    },
    /// In bytes; `reached` includes what the next growth of a table would have taken.
    Memory {
        bound: u64,
        reached: u64,
    },
}

/// What came of a search.
#[derive(Clone, Debug)]
pub enum Outcome {
    Found(Found),
    /// The rules have nothing more to say, and nothing was left out: the sketch cannot be reached with them.
    Impossible,
    /// The rules have nothing more to say, but the search left something out, or took one of several equal programs
    /// for all; with what of a limit would have been needed.
    Incomplete(Vec<(Gap, u32)>),
    /// The sketch may be reachable, but is too far for the bounds.
    Limit(Limit),
    /// Stopped from outside, or at the point that was asked for.
    Stopped,
    /// A defect of a rule or of this program.
    Broken(Box<Diagnostic>),
}

/// Programs that are like the sketch only by what nobody reads.
#[derive(Clone, Debug)]
pub struct Unread {
    /// There are no others: all were looked at.
    pub all: bool,
    /// What nobody reads in one of them.
    pub part: Option<String>,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct Report {
    pub outcome: Outcome,
    /// What had been left out when the rules had nothing more to say, before the search went on more thoroughly; of one that
    /// did not get so far, what its filter refused.
    pub left_out: Vec<(Gap, u32)>,
    /// The sketch asks for what these rules never make: no limit would have helped.
    pub never: bool,
    /// There are programs that are like the sketch, and all that were looked at are so only by what nobody reads.
    pub unread: Option<Unread>,
    /// So many programs are like the sketch, which is fewer than the number of the one that was asked for.
    pub fewer: Option<usize>,
    /// The rules were chosen for what is looked for.
    pub chosen: bool,
    /// The bound of nodes that can be raised, which is larger than its own where it is one of several searches for a goal.
    pub most_nodes: usize,
    /// The time that can be raised, likewise.
    pub most_time: Duration,
    /// Memory that the process held before it began, in bytes; and before the first of the searches that it is one of.
    pub held_before: u64,
    pub held_at_first: u64,
    /// Nothing was found, and a part of some program is like the sketch.
    pub in_part: bool,
    /// The program is a function.
    pub of_function: bool,
    /// A map stands without its array in some program, and no rule writes one to it.
    pub bare_map: bool,
    /// What a rule that it did not have would have led to, where that was tried.
    pub lead: Option<Lead>,
    /// What the sketch may have been meant to say, which is met, where that was asked.
    pub variant: Option<Variant>,
    /// Where it stopped. A search that found its term, or was saturated, stops before an iteration.
    pub stop: StopPoint,
    pub iterations: Vec<IterationReport>,
    /// What there was after each of them that came to its end.
    pub grown: Vec<Grown>,
    pub rules: Vec<RuleReport>,
    pub parts: Vec<PartReport>,
    pub nodes: usize,
    pub classes: usize,
    pub elapsed: Duration,
}

/// That a graph became at least twice as large, and no further part of the sketch was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unmoved {
    pub from: usize,
    pub to: usize,
    /// Each part was met by itself.
    pub all: bool,
}

impl Unmoved {
    /// What is said of a higher limit, by these options.
    pub fn told(&self, options: &str) -> String {
        let (from, to) = (about(self.from as f64), about(self.to as f64));
        let met = match self.all {
            false => "no further part of the sketch was met",
            true => "no more was met than each part of the sketch by itself",
        };
        format!(
            "From {from} to {to} nodes {met}, so a higher limit, as in `with ({options})`, may not be \
             enough: reach a sketch half way first, or ask for less."
        )
    }
}

const NOT_READ: &str =
    "What nobody reads does not count: ask for something that the result is computed by, or for less.";

const ADD_RULES: &str = "Add rules to `using`, or ask for less in the sketch.";

const NAME_RULES: &str =
    "Ask for less in the sketch, or name rules that lead there: `reach SKETCH using RULES`.";

const BARE_MAP: &str = "A rule for `map f xs` does not see a `map f` that stands alone, as in `map (map f) xs`; the rule \
                        `mapEtaAbstraction` writes it out.";

pub const IN_PART: &str = "`contains(…)` around the sketch asks for it in any part of the program.";

pub const OF_FUNCTION: &str = "The program is a function, so a sketch of all of it begins with `\\x.` for each argument; \
                           `contains(…)` around the sketch asks for it in any part.";

const LOWER: &str = "Ask for one of these with a lower `rank`.";

/// So many gaps are told one by one.
const MOST_GAPS: usize = 4;

impl Report {
    /// What can be done about it that nothing was found: the limit that stopped it, or what was left out.
    pub fn hints(&self) -> Vec<String> {
        if matches!(self.outcome, Outcome::Found(_) | Outcome::Stopped | Outcome::Broken(_)) {
            return vec![];
        }
        if self.unread.is_some() {
            // What is said of programs that are nearer or like the sketch would be true of those that do not count.
            return std::iter::once(NOT_READ.to_owned()).chain(self.of_outcome()).collect();
        }
        if self.fewer.is_some() {
            // The sketch is met, so nothing has to be done about that.
            let limited = matches!(self.outcome, Outcome::Limit(_)).then(|| self.of_outcome());
            let others = (!self.chosen).then(|| ADD_RULES.to_owned());
            return limited.into_iter().flatten().chain([LOWER.to_owned()]).chain(others).collect();
        }
        let in_part = self.in_part.then_some(if self.of_function { OF_FUNCTION } else { IN_PART });
        let of_sketch =
            in_part.into_iter().chain((self.bare_map && !self.never).then_some(BARE_MAP)).map(str::to_owned);
        let lead = self.lead.as_ref().map(ToString::to_string);
        let variant = self.variant.as_ref().map(|Variant { part, instead, .. }| {
            format!("With `{instead}` in the place of `{part}` the sketch is met.")
        });
        // Where a limit stopped it, that is the first thing to change.
        let limited = matches!(self.outcome, Outcome::Limit(_));
        let (first, then) = if limited {
            (self.of_outcome(), of_sketch.collect())
        } else {
            (of_sketch.collect(), self.of_outcome())
        };
        variant.into_iter().chain(lead).chain(first).chain::<Vec<String>>(then).collect()
    }

    /// What the end of the search says of what can be done.
    fn of_outcome(&self) -> Vec<String> {
        let nearer = "reach a sketch that is half way first";
        let rules = if self.chosen { NAME_RULES } else { ADD_RULES };
        let raise = |option: &str| format!("Raise that limit, as in `with ({option})`, or {nearer}.");
        match &self.outcome {
            Outcome::Found(_) | Outcome::Stopped | Outcome::Broken(_) => vec![],
            Outcome::Impossible => vec![rules.to_owned()],
            _ if self.never => vec![rules.to_owned()],
            Outcome::Limit(limit) => {
                let filters = filters(&self.left_out).into_iter();
                let limit = match *limit {
                    Limit::Nodes { reached, .. } => Limit::Nodes { bound: self.most_nodes, reached },
                    Limit::Time { .. } => Limit::Time { bound: self.most_time },
                    limit => limit,
                };
                let higher = match self.unmoved() {
                    Some(unmoved) => unmoved.told(&limit.doubled()),
                    None => raise(&limit.doubled()),
                };
                let before = self.before(limit);
                let mut hints: Vec<String> = filters.chain([higher]).chain(before).collect();
                hints.extend(self.forecast());
                hints.extend(self.most_of_it());
                // Of a graph that is too large already, what was left out would make it larger.
                hints.extend(held(&self.left_out).filter(|_| matches!(limit, Limit::Iterations { .. })));
                hints
            }
            Outcome::Incomplete(gaps) => {
                let mut hints: Vec<String> = filters(gaps).into_iter().chain(held(gaps)).collect();
                if gaps.iter().any(|(gap, _)| !matches!(gap, Gap::Dims | Gap::Size | Gap::Held(_))) {
                    hints.push(format!(
                        "A strategy may get there; or {nearer}: every `reach` begins with one program."
                    ));
                }
                hints
            }
        }
    }

    /// While the graph became at least twice as large, no further part of the sketch was met.
    pub fn unmoved(&self) -> Option<Unmoved> {
        let last = self.grown.last()?;
        let before = self.grown.iter().rev().find(|then| 2 * then.nodes <= last.nodes)?;
        let is_limit = matches!(self.outcome, Outcome::Limit(_));
        let all = last.parts >= self.parts.len();
        (is_limit && before.parts == last.parts).then_some(Unmoved {
            from: before.nodes,
            to: last.nodes,
            all,
        })
    }

    /// That most of the memory that is allowed was taken before the search began, and by what.
    pub fn before(&self, limit: Limit) -> Option<String> {
        let Limit::Memory { bound, .. } = limit else { return None };
        let [before, first, all] = [self.held_before, self.held_at_first, bound].map(|bytes| bytes >> 20);
        let counted = format!("is counted in the {all} MiB that it may hold");
        if self.held_at_first > bound / 2 {
            return Some(format!("Before the search began the process held {first} MiB, which {counted}."));
        }
        (self.held_before > bound / 2).then(|| {
            format!(
                "The searches before this one for the same goal left {before} MiB in use, {first} MiB of it from before them, which {counted}."
            )
        })
    }

    /// How the graph has grown, and how far that leads.
    fn forecast(&self) -> Option<String> {
        let [.., before, last] = &self.iterations[..] else { return None };
        let (from, to) = (before.nodes as f64, last.nodes as f64);
        if from == 0.0 || to < GROWS * from {
            return None;
        }
        let next = to * to / from;
        Some(format!(
            "The last iteration took the graph from {} to {} nodes; at that rate the next one takes it to {}, the third to {}.",
            about(from),
            about(to),
            about(next),
            about(next * (to / from) * (to / from))
        ))
    }

    /// The rule that made most of the graph, and how to do without it after a while.
    fn most_of_it(&self) -> Option<String> {
        let all: usize = self.rules.iter().map(|r| r.nodes).sum();
        let last = self.iterations.len();
        // The reductions come first, are always used, and cannot be named.
        let named = self.rules.iter().skip(reductions().len());
        let most = named.max_by_key(|r| r.nodes).filter(|r| last > 1 && 2 * r.nodes > all)?;
        let share = 100 * most.nodes / all.max(1);
        let name = most.label.split('(').next().unwrap_or_default();
        // From where on there is a tenth of it.
        let all = self.iterations.last().map_or(0, |i| i.nodes);
        let after = self.iterations.iter().position(|i| 10 * i.nodes >= all).unwrap_or(0).max(1);
        let times = if after == 1 { "one iteration".to_owned() } else { format!("{after} iterations") };
        Some(format!(
            "`{}` made {share} % of what was added. `with (freeze: [{name}({after})])` leaves it out after {times}.",
            most.label
        ))
    }

    pub fn found(&self) -> Option<&Found> {
        if let Outcome::Found(f) = &self.outcome { Some(f) } else { None }
    }

    /// The smallest part of the sketch that no class satisfies, when that is so: where to help the search.
    pub fn missing(&self) -> Option<&PartReport> {
        let without = self.parts.iter().enumerate().filter(|(_, p)| p.classes == 0);
        // The deepest of a chain of parts that are within each other.
        without.map(|(_, p)| p).max_by_key(|p| p.depth)
    }
}

/// An iteration that makes a graph larger by this factor is told to grow.
const GROWS: f64 = 1.2;

/// A number with what matters of it.
pub(crate) fn about(n: f64) -> String {
    match n {
        1e12.. => format!("{n:.0e}"),
        1e10.. => format!("{:.0} G", n / 1e9),
        1e9.. => format!("{:.1} G", n / 1e9),
        1e7.. => format!("{:.0} M", n / 1e6),
        1e6.. => format!("{:.1} M", n / 1e6),
        1e4.. => format!("{:.0} k", n / 1e3),
        _ => format!("{n:.0}"),
    }
}

/// How rules that were held back can be used longer.
fn held(gaps: &[(Gap, u32)]) -> Option<String> {
    let rules: Vec<String> = gaps
        .iter()
        .filter_map(|(gap, _)| if let Gap::Held(rule) = gap { Some(format!("`{rule}`")) } else { None })
        .collect();
    (!rules.is_empty()).then(|| format!("Raise what `freeze` or `cap` allow of {}.", rules.join(", ")))
}

/// How what the filter refused can be let through.
fn filters(gaps: &[(Gap, u32)]) -> Option<String> {
    let option = |(gap, needed): &(Gap, u32)| match gap {
        Gap::Dims => Some(format!("dims: {needed}")),
        Gap::Size => Some(format!("size: {needed}")),
        _ => None,
    };
    let options: Vec<String> = gaps.iter().filter_map(option).collect();
    let options = options.join(", ");
    (!options.is_empty()).then(|| {
        format!("Let the search build what was left out, as in `with ({options})`; more may be needed.")
    })
}

/// Gaps in words.
fn listed(gaps: &[(Gap, u32)]) -> String {
    let mut all: Vec<String> = gaps.iter().take(MOST_GAPS).map(|(gap, _)| gap.to_string()).collect();
    match gaps.len().saturating_sub(MOST_GAPS) {
        0 => {}
        n => all.push(format!("and {n} more of the kind")),
    }
    all.join("; ")
}

impl Limit {
    /// The option of a search that allows twice as much, or, where the program alone took more, twice that.
    pub fn doubled(&self) -> String {
        let twice = |bound: usize, reached: usize| {
            let doubled = bound.saturating_mul(2);
            if reached < doubled { doubled } else { reached.saturating_mul(2) }
        };
        match self {
            Limit::Nodes { bound, reached } => format!("nodes: {}", twice(*bound, *reached)),
            Limit::Iterations { bound } => format!("iterations: {}", bound.saturating_mul(2)),
            Limit::Time { bound } => {
                let seconds = 2.0 * bound.as_secs_f64();
                if seconds < 1.0 {
                    format!("time: {:.0}ms", 1e3 * seconds)
                } else {
                    format!("time: {seconds:.0}s")
                }
            }
            Limit::Memory { bound, reached } => {
                format!("memory: {}MiB", (twice(*bound as usize, *reached as usize) >> 20).max(1))
            }
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is less than one is not told as none.
        let mib = |bytes: u64| match bytes >> 20 {
            0 => format!("{} KiB", bytes >> 10),
            mib => format!("{mib} MiB"),
        };
        match self {
            Limit::Nodes { bound, reached } => write!(f, "{reached} nodes, of {bound} allowed"),
            Limit::Iterations { bound } => write!(f, "{}", iterations(*bound)),
            Limit::Time { bound } => write!(f, "{:.1} s", bound.as_secs_f64()),
            Limit::Memory { bound, reached } => {
                write!(f, "{} of memory needed, of {} allowed", mib(*reached), mib(*bound))
            }
        }
    }
}

fn iterations(n: usize) -> String {
    if n == 1 { "1 iteration".to_owned() } else { format!("{n} iterations") }
}

/// What came of a search, in sentences.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let took = iterations(self.iterations.len());
        match &self.outcome {
            Outcome::Found(found) => {
                write!(f, "Found a program of size {} in {took} ({} nodes)", found.term.size(), self.nodes)?;
                let sizes: Vec<String> = found.filling.iter().map(|(h, n)| format!("{h} = {n}")).collect();
                let with =
                    if sizes.is_empty() { ".".to_owned() } else { format!(", with {}.", sizes.join(", ")) };
                f.write_str(&with)?;
                return found.times.map_or(Ok(()), |times| write!(f, " {}", times_told(times)));
            }
            // Some were reached, as is said below.
            Outcome::Impossible if self.fewer.is_some() || self.unread.is_some() => {
                write!(f, "These rules have nothing more to say after {took} ({} nodes).", self.nodes)?;
            }
            Outcome::Impossible => {
                write!(f, "No program like this can be reached: these rules have nothing more to say")?;
                write!(f, " after {took} ({} nodes).", self.nodes)?;
            }
            Outcome::Incomplete(gaps) => {
                write!(f, "Not found, and this search is incomplete: {}.", listed(gaps))?;
                write!(f, " Otherwise these rules have nothing more to say")?;
                write!(f, " after {took} ({} nodes).", self.nodes)?;
            }
            Outcome::Limit(limit @ Limit::Iterations { .. }) => {
                write!(f, "Not found within the bounds: {limit} ({} nodes).", self.nodes)?;
            }
            Outcome::Limit(limit) => {
                write!(f, "Not found within the bounds: {limit}; ")?;
                write!(f, "{took}, {} nodes.", self.nodes)?;
            }
            Outcome::Stopped => {
                write!(f, "Stopped in iteration {}, at {} nodes.", self.stop.iteration + 1, self.nodes)?;
            }
            Outcome::Broken(d) => return write!(f, "{}", d.message),
        }
        if let Outcome::Limit(_) = self.outcome
            && !self.left_out.is_empty()
        {
            write!(f, " The search is also incomplete: {}.", listed(&self.left_out))?;
        }
        match self.fewer {
            Some(1) => {
                return write!(f, " One program like the sketch was found, and another one was asked for.");
            }
            Some(n) => {
                return write!(f, " {n} programs like the sketch were found, and a later one was asked for.");
            }
            None => {}
        }
        if let Some(Unread { part, .. }) = &self.unread {
            f.write_str(" Programs are like the sketch only by what nobody reads, ")?;
            match part {
                Some(part) => write!(f, "as `{part}` in one of them")?,
                None => {
                    f.write_str("as the value of a `let` that is not used, or a component that is not taken")?
                }
            }
            return f.write_str(", which does not count.");
        }
        match self.missing() {
            _ if self.in_part => {
                write!(f, " A part of a program is like the sketch, but no whole program is.")
            }
            Some(part) => write!(f, " No part of any program met so far is like {}.", part.label),
            None if self.parts.iter().skip(1).any(|p| p.classes > 0) => {
                write!(f, " Each part of the sketch was met somewhere, but not together.")
            }
            None => Ok(()),
        }
    }
}
