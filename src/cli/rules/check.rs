//! `shine-tui rules check`: do rules keep the meaning of programs?

use super::select;
use crate::cli::args::RulesCheck;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::stop::Stops;
use crate::lang::columns;
use crate::lang::print;
use crate::rewrite::rule::Rule;
use crate::rewrite::rule::check::{Counterexample, Report, Thoroughness, Verdict, check};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A rule is tested for so long, and for longer until enough is tested.
const LONG: Duration = Duration::from_secs(8);

pub fn run(args: &RulesCheck) -> Result<Exit, Exit> {
    let selected = select(&args.which)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let stops = Stops::set(&interrupted);
    let mut results = vec![];
    let mut tally = Tally::default();
    let width = columns::widest(selected.chosen.iter().map(|r| &r.name), columns::NAMES);
    for rule in &selected.chosen {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        let began = Instant::now();
        let longest = Duration::from_secs(args.seconds);
        let late = || began.elapsed() > LONG.min(longest);
        let stop = || interrupted.load(Ordering::Relaxed) || began.elapsed() > longest;
        let how = Thoroughness {
            instances: args.instances as usize,
            seed: args.seed,
            late: &late,
            stop: &stop,
            ..Thoroughness::default()
        };
        let report = check(rule, &how);
        let examples: Vec<String> = rule.examples.iter().filter_map(|e| e.differs(rule)).collect();
        tally.count(&report);
        tally.examples += examples.len();
        let seconds = Seconds { taken: began.elapsed().as_secs_f64(), most: args.seconds };
        if args.json.json {
            results.push(as_json(rule, &report, &examples, seconds.taken));
        } else {
            output::print(&(told(rule, &report, seconds, width) + &told_examples(&examples)))?;
        }
    }
    let stopped = interrupted.load(Ordering::Relaxed);
    if args.json.json {
        output::json(&json!({ "seed": args.seed, "interrupted": stopped, "rules": results }))?;
    } else {
        let left = selected.chosen.len() - tally.all();
        output::print(&tally.told(args.seed, if stopped { left } else { 0 }))?;
    }
    Ok(match (stopped, tally.wrong + tally.too_little + tally.untested + tally.examples) {
        (true, _) => stops.exit(),
        (false, 0) => Exit::Done,
        (false, _) => Exit::Finding,
    })
}

#[derive(Default)]
struct Tally {
    proved: usize,
    holds: usize,
    wrong: usize,
    too_little: usize,
    untested: usize,
    /// Examples that are not what their rules do.
    examples: usize,
}

/// How long a rule was tested, and how long it may be.
#[derive(Clone, Copy)]
struct Seconds {
    taken: f64,
    most: u64,
}

impl Tally {
    fn count(&mut self, report: &Report) {
        match report.verdict() {
            Verdict::Proved => self.proved += 1,
            Verdict::Holds => self.holds += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::TooLittle => self.too_little += 1,
            Verdict::NotTested => self.untested += 1,
        }
    }

    fn all(&self) -> usize {
        self.proved + self.holds + self.wrong + self.too_little + self.untested
    }

    fn told(&self, seed: u64, left: usize) -> String {
        let mut parts = vec![];
        let mut add = |n: usize, one: &str, many: &str| {
            if n > 0 {
                parts.push(format!("{n} {}", if n == 1 { one } else { many }));
            }
        };
        add(self.proved, "rule is proved", "rules are proved");
        add(self.holds, "rule holds", "rules hold");
        add(self.wrong, "rule is wrong", "rules are wrong");
        add(self.too_little, "rule is not tested enough", "rules are not tested enough");
        add(self.untested, "rule is not tested", "rules are not tested");
        add(self.examples, "example is not what its rule does", "examples are not what their rules do");
        add(left, "rule was left out, as you interrupted", "rules were left out, as you interrupted");
        let text = if parts.is_empty() { "There are no rules to test".to_owned() } else { parts.join(", ") };
        format!("{text} (seed {seed}).\n")
    }
}

fn told(rule: &Rule, report: &Report, seconds: Seconds, width: usize) -> String {
    let Seconds { taken: seconds, most } = seconds;
    let tried = || {
        let early = if report.stopped { ", then stopped" } else { "" };
        let beyond = report.beyond.filter(|_| report.verdict() == Verdict::Holds);
        let beyond = beyond.map_or(String::new(), |n| format!(", none with a size near {n}"));
        let rounded: Vec<String> = report.rounded.iter().map(|p| format!("`{p}`")).collect();
        let rounded = match report.verdict() {
            Verdict::Holds if !rounded.is_empty() => {
                format!(", with {} as rounded on this machine", rounded.join(", "))
            }
            _ => String::new(),
        };
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (instances, inputs) = (count(report.agreed, "instance"), count(report.inputs, "input"));
        format!("{instances}, {inputs}{beyond}{rounded}{early}")
    };
    let verdict = report.verdict();
    let name = columns::left(&rule.name, width);
    let mut text = match verdict {
        Verdict::Proved => {
            format!("{name}  proved      {}{}, {seconds:.2} s\n", proof(report), tried())
        }
        Verdict::Holds => format!("{name}  holds       on {}, {seconds:.2} s\n", tried()),
        Verdict::Wrong if report.agreed == 0 => {
            format!("{name}  WRONG       at the first instance, {seconds:.2} s\n")
        }
        Verdict::Wrong => format!("{name}  WRONG       after {}, {seconds:.2} s\n", tried()),
        Verdict::TooLittle => {
            format!("{name}  not tested enough: {}, {seconds:.2} s\n", tried())
        }
        Verdict::NotTested => format!("{name}  not tested  {}, {seconds:.2} s\n", tried()),
    };
    if report.contradicts_itself() {
        text += &format!("    {CONTRADICTION}\n");
    }
    if let Some(example) = &report.counterexample {
        text += &example.to_string().lines().map(|l| format!("    {l}\n")).collect::<String>();
    }
    if verdict == Verdict::TooLittle {
        text += &format!(
            "    at least {} instances are to agree; `--seconds {}` gives it longer\n",
            report.least,
            2 * most
        );
    }
    if verdict == Verdict::NotTested {
        text += &reasons(report).into_iter().map(|l| format!("    {l}\n")).collect::<String>();
    }
    text
}

/// The examples that are not what the rule makes of them.
fn told_examples(examples: &[String]) -> String {
    let lines = |e: &String| e.lines().map(|l| format!("    {l}\n")).collect::<String>();
    let told =
        |e: &String| format!("    WRONG example: what it stands for is not what the rule does\n{}", lines(e));
    examples.iter().map(told).collect()
}

const CONTRADICTION: &str = "shine-tui also proves this rule, so one of the two is a mistake of shine-tui: please report it with the rule.";

/// What the proof takes for granted.
fn proof(report: &Report) -> String {
    report.proof.as_ref().map_or_else(String::new, |p| format!("{p}; "))
}

/// Why a rule was not tested.
fn reasons(report: &Report) -> Vec<String> {
    let mut out = vec![];
    if report.agreed > 0 && !report.untested.is_empty() {
        let depths: Vec<String> = report.untested.iter().map(u64::to_string).collect();
        out.push(format!("nothing agreed at depth {}", depths.join(", ")));
    }
    let all = report.in_vain();
    let were = if all == 1 { "draw was" } else { "draws were" };
    out.push(format!("{all} {were} in vain:"));
    let times = |n: &usize| if *n == 1 { "once".to_owned() } else { format!("{n} times") };
    out.extend(report.missed.iter().take(3).map(|(why, n)| format!("  {}: {why}", times(n))));
    out
}

fn as_json(rule: &Rule, report: &Report, examples: &[String], seconds: f64) -> Value {
    let missed = |(why, n): &(String, usize)| json!({ "why": why, "draws": n });
    json!({
        "rule": &*rule.name,
        "theme": &*rule.theme,
        "verdict": report.verdict().name(),
        "proof": report.proof.as_ref().map(|p| json!({ "axioms": p.axioms })),
        "instances": report.agreed,
        "different": report.different,
        "inputs": report.inputs,
        "rounded_as_on_this_machine": report.rounded.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "no_size_near": report.beyond.map(|n| n.to_string()),
        "stopped": report.stopped,
        "missed": report.missed.iter().map(missed).collect::<Vec<_>>(),
        "untested_depths": report.untested,
        "seconds": (seconds * 1000.0).round() / 1000.0,
        "wrong_examples": examples,
        "counterexample": report.counterexample.as_deref().map(example),
    })
}

fn example(c: &Counterexample) -> Value {
    let options = print::Options::default();
    json!({
        "call": c.call(),
        "before": print::term(&c.before, &options).text,
        "after": print::term(&c.after, &options).text,
        "sizes": c.sizes.iter().map(|(n, v)| (n.to_string(), json!(v))).collect::<serde_json::Map<_, _>>(),
        "inputs": c.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "left": c.left,
        "right": c.right,
    })
}
