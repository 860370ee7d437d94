//! Between the session's own types and the wire types of format 1.

use super::v1;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::rewrite::search::Held;
use crate::rewrite::search::options::When;
use crate::session::Written;
use crate::session::action::{
    Action, Decision, Measurement, Outcome, PartTime, Paused, SearchOutcome, Sizes, Target, TrailStep,
};
use crate::session::files::Text;
use indexmap::IndexMap;

/// Sizes as they are written.
pub fn sizes_out(sizes: &Sizes) -> IndexMap<String, i64> {
    sizes.iter().map(|(n, v)| (n.to_string(), *v)).collect()
}

/// Sizes as they were read.
pub fn sizes_in(sizes: &IndexMap<String, i64>) -> Sizes {
    sizes.iter().map(|(n, v)| (n.as_str().into(), *v)).collect()
}

fn path(text: &str) -> Result<Path, String> {
    Path::parse(text).ok_or_else(|| format!("`{text}` is not a position"))
}

fn digest(text: &str) -> Result<Digest, String> {
    Digest::parse(text).ok_or_else(|| format!("`{text}` is not a digest"))
}

fn target(text: &str) -> Result<Target, String> {
    Target::from_name(text).ok_or_else(|| format!("`{text}` is not a target"))
}

impl From<&Action> for v1::Action {
    fn from(a: &Action) -> v1::Action {
        match a.clone() {
            Action::Apply { rule, at } => v1::Action::Apply { rule, at: at.to_string() },
            Action::Strategy { text, at } => v1::Action::Strategy { text, at: at.to_string() },
            Action::Goto { revision } => v1::Action::Goto { revision },
            Action::Sizes { sizes } => v1::Action::Sizes { sizes: sizes_out(&sizes) },
            Action::Reload { label, text } => v1::Action::Reload { label, text },
            Action::Definitions { files } => {
                v1::Action::Definitions { files: files.into_iter().map(|t| (t.label, t.text)).collect() }
            }
            Action::Compile { target } => v1::Action::Compile { target: target.name().into() },
            Action::Bench { device } => v1::Action::Bench { device },
            Action::Tune { strategy, device, seconds } => v1::Action::Tune { strategy, device, seconds },
        }
    }
}

impl TryFrom<&v1::Action> for Action {
    type Error = String;
    fn try_from(a: &v1::Action) -> Result<Action, String> {
        Ok(match a.clone() {
            v1::Action::Apply { rule, at } => Action::Apply { rule, at: path(&at)? },
            v1::Action::Strategy { text, at } => Action::Strategy { text, at: path(&at)? },
            v1::Action::Goto { revision } => Action::Goto { revision },
            v1::Action::Sizes { sizes } => Action::Sizes { sizes: sizes_in(&sizes) },
            v1::Action::Reload { label, text } => Action::Reload { label, text },
            v1::Action::Definitions { files } => Action::Definitions {
                files: files.into_iter().map(|(label, text)| Text { label, text }).collect(),
            },
            v1::Action::Compile { target: t } => Action::Compile { target: target(&t)? },
            v1::Action::Bench { device } => Action::Bench { device },
            v1::Action::Tune { strategy, device, seconds } => Action::Tune { strategy, device, seconds },
        })
    }
}

impl From<&SearchOutcome> for v1::Search {
    fn from(s: &SearchOutcome) -> v1::Search {
        let step = |t: &TrailStep| v1::Step {
            rule: t.rule.clone(),
            at: t.at.to_string(),
            after: t.after.to_string(),
            reversed: t.reversed.as_ref().map(|w| w.text().to_owned()),
        };
        let paused = |p: &Paused| v1::Paused {
            iteration: p.iteration,
            rule: p.rule.clone(),
            matches: p.matches,
            nodes: p.nodes,
            held: p.held.iter().map(v1::Held::from).collect(),
            given_back: p.given_back,
        };
        v1::Search {
            sketch: s.sketch.clone(),
            iteration: s.iteration,
            rule: s.rule.clone(),
            matches: s.matches,
            paused: s.paused.iter().map(paused).collect(),
            stop: s.stop.clone(),
            nodes: s.nodes,
            classes: s.classes,
            found: s.found.map(|d| d.to_string()),
            trail: s.trail.as_ref().map(|t| t.iter().map(step).collect()),
            chain: s.chain,
        }
    }
}

impl TryFrom<&v1::Search> for SearchOutcome {
    type Error = String;
    fn try_from(s: &v1::Search) -> Result<SearchOutcome, String> {
        let step = |t: &v1::Step| {
            Ok(TrailStep {
                rule: t.rule.clone(),
                at: path(&t.at)?,
                after: digest(&t.after)?,
                reversed: t.reversed.clone().map(Written::from),
            })
        };
        let paused = |p: &v1::Paused| Paused {
            iteration: p.iteration,
            rule: p.rule.clone(),
            matches: p.matches,
            nodes: p.nodes,
            held: p.held.iter().map(Held::from).collect(),
            given_back: p.given_back,
        };
        Ok(SearchOutcome {
            sketch: s.sketch.clone(),
            iteration: s.iteration,
            rule: s.rule.clone(),
            matches: s.matches,
            paused: s.paused.iter().map(paused).collect(),
            stop: s.stop.clone(),
            nodes: s.nodes,
            classes: s.classes,
            found: s.found.as_deref().map(digest).transpose()?,
            trail: s.trail.as_ref().map(|t| t.iter().map(step).collect::<Result<_, String>>()).transpose()?,
            chain: s.chain,
            no_trail: None,
            untold: None,
        })
    }
}

impl From<&Held> for v1::Held {
    fn from(h: &Held) -> v1::Held {
        let after = match h.when {
            When::Iterations(n) => v1::HeldAfter::Iterations(n),
            When::Matches(n) => v1::HeldAfter::Matches(n),
        };
        v1::Held { rule: h.rule.to_string(), after }
    }
}

impl From<&v1::Held> for Held {
    fn from(h: &v1::Held) -> Held {
        let when = match h.after {
            v1::HeldAfter::Iterations(n) => When::Iterations(n),
            v1::HeldAfter::Matches(n) => When::Matches(n),
        };
        Held { rule: h.rule.as_str().into(), when }
    }
}

impl From<&Decision> for v1::Decision {
    fn from(d: &Decision) -> v1::Decision {
        v1::Decision {
            strategy: d.strategy.clone(),
            device: d.device.clone(),
            chosen: d.chosen.clone(),
            compiler: d.compiler.clone(),
            kernel: d.kernel.to_string(),
            sizes: sizes_out(&d.sizes),
            points: d.points.clone(),
            tried: d.tried,
            measured: d.measured,
            median_ns: d.median_ns,
            interval_ns: d.interval_ns,
            runs: d.runs,
            start: d.start,
            check: d.check.clone(),
        }
    }
}

impl TryFrom<&v1::Decision> for Decision {
    type Error = String;
    fn try_from(d: &v1::Decision) -> Result<Decision, String> {
        Ok(Decision {
            strategy: d.strategy.clone(),
            device: d.device.clone(),
            chosen: d.chosen.clone(),
            compiler: d.compiler.clone(),
            kernel: digest(&d.kernel)?,
            sizes: sizes_in(&d.sizes),
            points: d.points.clone(),
            tried: d.tried,
            measured: d.measured,
            median_ns: d.median_ns,
            interval_ns: d.interval_ns,
            runs: d.runs,
            start: d.start,
            check: d.check.clone(),
        })
    }
}

impl From<&Outcome> for v1::Outcome {
    fn from(o: &Outcome) -> v1::Outcome {
        let all = |s: &[SearchOutcome]| s.iter().map(v1::Search::from).collect();
        match o {
            Outcome::Term { revision, digest, text, searches } => v1::Outcome::Term {
                revision: *revision,
                digest: digest.to_string(),
                text: text.text().to_owned(),
                searches: all(searches),
            },
            Outcome::Done => v1::Outcome::Done,
            Outcome::Kernel { target, digest, text } => v1::Outcome::Kernel {
                target: target.name().into(),
                digest: digest.to_string(),
                text: text.clone(),
            },
            Outcome::Measured(m) => v1::Outcome::Measured(v1::Measurement {
                device: m.device.clone(),
                kernel: m.kernel.to_string(),
                sizes: sizes_out(&m.sizes),
                median_ns: m.median_ns,
                interval_ns: m.interval_ns,
                runs: m.runs,
                parts: m.parts.iter().map(|p| (p.name.clone(), p.median_ns)).collect(),
                flops: m.flops,
                integer_operations: m.integer_operations,
                bytes: m.bytes,
                check: m.check.clone(),
                max_error: m.max_error.unwrap_or_default(),
                error_unknown: m.max_error.is_none(),
                warnings: m.warnings.clone(),
                in_turns: m.in_turns,
            }),
            Outcome::Tuned { revision, digest, text, searches, decision } => v1::Outcome::Tuned {
                revision: *revision,
                digest: digest.to_string(),
                text: text.text().to_owned(),
                searches: all(searches),
                decision: decision.into(),
            },
            Outcome::Unchanged { reason, searches } => {
                v1::Outcome::Unchanged { reason: reason.clone(), searches: all(searches) }
            }
        }
    }
}

impl TryFrom<&v1::Outcome> for Outcome {
    type Error = String;
    fn try_from(o: &v1::Outcome) -> Result<Outcome, String> {
        let all = |s: &[v1::Search]| s.iter().map(SearchOutcome::try_from).collect::<Result<Vec<_>, _>>();
        Ok(match o {
            v1::Outcome::Term { revision, digest: d, text, searches } => Outcome::Term {
                revision: *revision,
                digest: digest(d)?,
                text: text.clone().into(),
                searches: all(searches)?,
            },
            v1::Outcome::Done => Outcome::Done,
            v1::Outcome::Kernel { target: t, digest: d, text } => {
                Outcome::Kernel { target: target(t)?, digest: digest(d)?, text: text.clone() }
            }
            v1::Outcome::Measured(m) => Outcome::Measured(Measurement {
                device: m.device.clone(),
                kernel: digest(&m.kernel)?,
                sizes: sizes_in(&m.sizes),
                median_ns: m.median_ns,
                interval_ns: m.interval_ns,
                runs: m.runs,
                parts: m
                    .parts
                    .iter()
                    .map(|(name, median_ns)| PartTime { name: name.clone(), median_ns: *median_ns })
                    .collect(),
                flops: m.flops,
                integer_operations: m.integer_operations,
                bytes: m.bytes,
                check: m.check.clone(),
                max_error: Some(m.max_error).filter(|_| !m.error_unknown),
                warnings: m.warnings.clone(),
                in_turns: m.in_turns,
            }),
            v1::Outcome::Tuned { revision, digest: d, text, searches, decision } => Outcome::Tuned {
                revision: *revision,
                digest: digest(d)?,
                text: text.clone().into(),
                searches: all(searches)?,
                decision: decision.try_into()?,
            },
            v1::Outcome::Unchanged { reason, searches } => {
                Outcome::Unchanged { reason: reason.clone(), searches: all(searches)? }
            }
        })
    }
}
