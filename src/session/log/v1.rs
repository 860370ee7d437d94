//! The wire types of session logs, format 1: what stands in a log file, one RON value a line.
//!
//! These types are the format. A released format stays readable for ever, so nothing here is changed: a new
//! format gets a new module. Fields may be added with `#[serde(default)]`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The first line of a log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename = "session")]
pub struct Header {
    /// Always 1 here.
    pub format: u32,
    /// The tool that wrote the log, such as `shine-tui 0.1.0`.
    pub tool: String,
    pub program: Text,
    /// The definition that is the program, where it is not the last one.
    #[serde(default)]
    pub def: Option<String>,
    /// Rules and strategies that are not built in.
    #[serde(default)]
    pub files: Vec<Text>,
    /// The digest of each built-in rule and library strategy by name, so that a divergence can be traced to one.
    #[serde(default)]
    pub rules: IndexMap<String, String>,
    #[serde(default)]
    pub sizes: IndexMap<String, i64>,
    pub seed: u64,
    /// See [`super::seal`]; the last field, and put there as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
}

/// A text that the session was made with. The label says where it came from and is never opened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Text {
    pub label: String,
    pub digest: String,
    pub text: String,
}

/// Every other line of a log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename = "do")]
pub struct Record {
    /// Counts from 1.
    pub n: usize,
    pub action: Action,
    pub outcome: Outcome,
    /// See [`super::seal`]; the last field, and put there as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Action {
    Apply {
        rule: String,
        at: String,
    },
    Strategy {
        text: String,
        at: String,
    },
    Goto {
        revision: usize,
    },
    Sizes {
        sizes: IndexMap<String, i64>,
    },
    Reload {
        label: String,
        text: String,
    },
    /// Texts by their labels.
    Definitions {
        files: IndexMap<String, String>,
    },
    Compile {
        target: String,
    },
    Bench {
        device: String,
    },
    Tune {
        strategy: String,
        device: String,
        seconds: f64,
    },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    Term {
        revision: usize,
        digest: String,
        text: String,
        #[serde(default)]
        searches: Vec<Search>,
    },
    Done,
    Kernel {
        target: String,
        digest: String,
        text: String,
    },
    Measured(Measurement),
    Tuned {
        revision: usize,
        digest: String,
        text: String,
        #[serde(default)]
        searches: Vec<Search>,
        decision: Decision,
    },
    Unchanged {
        reason: String,
        #[serde(default)]
        searches: Vec<Search>,
    },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Search {
    pub sketch: String,
    pub iteration: usize,
    #[serde(default)]
    pub rule: Option<String>,
    pub matches: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paused: Vec<Paused>,
    pub stop: String,
    pub nodes: usize,
    pub classes: usize,
    #[serde(default)]
    pub found: Option<String>,
    #[serde(default)]
    pub trail: Option<Vec<Step>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<usize>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Paused {
    pub iteration: usize,
    #[serde(default)]
    pub rule: Option<String>,
    pub matches: usize,
    pub nodes: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_back: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Held {
    pub rule: String,
    pub after: HeldAfter,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldAfter {
    Iterations(usize),
    Matches(usize),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub rule: String,
    pub at: String,
    pub after: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversed: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Decision {
    pub strategy: String,
    pub device: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chosen: String,
    pub compiler: String,
    pub kernel: String,
    pub sizes: IndexMap<String, i64>,
    pub points: String,
    pub tried: usize,
    pub measured: usize,
    pub median_ns: f64,
    #[serde(default)]
    pub interval_ns: Option<(f64, f64)>,
    pub runs: usize,
    #[serde(default)]
    pub start: Option<(f64, f64, f64)>,
    pub check: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    pub device: String,
    pub kernel: String,
    pub sizes: IndexMap<String, i64>,
    pub median_ns: f64,
    pub interval_ns: (f64, f64),
    pub runs: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<(String, f64)>,
    #[serde(default)]
    pub flops: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integer_operations: Option<f64>,
    #[serde(default)]
    pub bytes: Option<f64>,
    pub check: String,
    pub max_error: f64,
    /// It was checked, and nobody looked how large the error was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub error_unknown: bool,
    #[serde(default)]
    pub warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turns: bool,
}
