//! Searches in large graphs: the hundred best programs of 100,000 nodes, how soon a search of a million nodes answers when it
//! is stopped, and how far above its limits one gets.
//!
//! The goals: the hundred best in a second, an answer in a second, no limit exceeded by more than a tenth. Each part has a
//! process of its own, since memory that was freed stays with a process: `cargo bench --bench search -- best`, `stop`,
//! `nodes`, `memory`; `nodes 10000000` for as many.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "this measures, and stops at the first mistake"
)]

use shine_tui::lang::diag::{FileId, Sources};
use shine_tui::lang::term::Term;
use shine_tui::lang::{infer, syntax};
use shine_tui::rewrite::egraph::Filter;
use shine_tui::rewrite::rule::{RuleArg, RuleSet, RuleUse};
use shine_tui::rewrite::search::{Budget, Control, Limit, Outcome, Progress, Report, Search};
use shine_tui::rewrite::sketch::automaton::Automaton;
use shine_tui::rewrite::sketch::best::k_best;
use shine_tui::rewrite::sketch::classes::Satisfied;
use shine_tui::rewrite::sketch::extract::Weights;
use shine_tui::rewrite::sketch::{Library, Sketch, read};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

const PROGRAM: &str = "def f (a: (64*n).m.k.f32): (64*n).m.k.f32 =
  a |> map (map (map sqrt)) |> map (map (map abs)) |> map (map (map (\\x. x * x)))";

fn start() -> Term {
    let file = Sources::new().add("search.rise", PROGRAM);
    infer::program(&syntax::parse_program(file, PROGRAM).0, None).0.unwrap().term
}

/// Rules that never come to an end.
fn rules() -> Vec<RuleUse> {
    let set = RuleSet::builtin(&mut Sources::new()).0;
    let by_two = || vec![RuleArg::Nat(shine_tui::lang::nat::Nat::constant(2))];
    let plain = ["transposePairAfter", "mapFusion", "mapFission", "useMapSeq", "useMapPar"];
    let plain = plain.iter().map(|name| set.use_of(name, vec![]).unwrap());
    plain.chain([set.use_of("splitJoin2", by_two()).unwrap()]).collect()
}

fn sketch(text: &str) -> Sketch {
    let tree = syntax::parse_sketch(FileId::NOWHERE, text).0;
    read(&tree, &Library::builtin(), &["n".into(), "m".into(), "k".into()]).unwrap()
}

/// Something that no rule makes.
fn unreachable() -> Sketch {
    sketch("contains(gather)")
}

/// A number of the process's status, in bytes.
fn status(what: &str) -> u64 {
    let all = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = all.lines().find(|l| l.starts_with(what)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

fn unbounded() -> Budget {
    let (usizes, time) = (usize::MAX / 4, Duration::from_secs(3600));
    let filter = Filter { dims: 6, size: 300 };
    Budget { nodes: usizes, iterations: 1000, time, memory: u64::MAX, filter, ..Budget::default() }
}

/// Runs a search, which `watch` can stop.
fn run(budget: &Budget, watch: &mut dyn FnMut(&Progress), cancel: &AtomicBool) -> (Search, Report) {
    let began = Instant::now();
    let now = || began.elapsed();
    let rss = || status("VmRSS");
    let mut search = Search::new(&start(), &unreachable(), &rules(), budget).unwrap();
    let report = search.run(&mut Control { cancel, now: &now, rss: &rss, progress: watch });
    (search, report)
}

fn best() {
    let budget = Budget { nodes: 100_000, ..unbounded() };
    let (search, report) = run(&budget, &mut |_| {}, &AtomicBool::new(false));
    let (graph, root) = (search.graph(), search.root());
    println!("best: {} nodes, {} classes", report.nodes, report.classes);
    for text in [
        "?",
        "contains(mapSeq)",
        "contains(mapSeq) and contains(mapPar) and contains(split)",
        "contains(mapPar (\\x. contains(mapSeq) ) ?) or contains(mapSeq (contains(transpose)) ?)",
        "containsMapPar(64*n, ?) and not contains(map)",
    ] {
        let automaton = Automaton::new(&sketch(text)).unwrap();
        let from = Instant::now();
        let satisfied = Satisfied::of(graph, &automaton);
        let asked = from.elapsed();
        let from = Instant::now();
        let best = k_best(graph, &automaton, &satisfied, root, 100, Weights::Size);
        let (first, last) = (best.terms.first().map(|t| t.cost), best.terms.last().map(|t| t.cost));
        println!(
            "  {:>3} best in {:.3} s, and {:.3} s for the sketch, exact: {}, weights {first:?} to {last:?}: {text}",
            best.terms.len(),
            from.elapsed().as_secs_f64(),
            asked.as_secs_f64(),
            best.complete,
        );
    }
}

/// Stops searches of a million nodes at several moments, from another thread.
fn stop() {
    let mut worst = Duration::ZERO;
    for moment in 0..6 {
        let cancel = AtomicBool::new(false);
        let asked = Mutex::new(None);
        let (large, is_large) = mpsc::channel();
        let ended = std::thread::scope(|scope| {
            let (cancel, asked) = (&cancel, &asked);
            scope.spawn(move || {
                is_large.recv().unwrap();
                std::thread::sleep(Duration::from_millis(130 * moment));
                *asked.lock().unwrap() = Some(Instant::now());
                cancel.store(true, Ordering::Relaxed);
            });
            let mut told = false;
            let mut watch = |p: &Progress| {
                if p.nodes > 1_000_000 && !told {
                    told = true;
                    large.send(()).unwrap();
                }
            };
            let (_, report) = run(&unbounded(), &mut watch, cancel);
            let took = asked.lock().unwrap().unwrap().elapsed();
            println!("stop: at {} nodes, answered in {:.3} s", report.nodes, took.as_secs_f64());
            assert!(matches!(report.outcome, Outcome::Stopped));
            took
        });
        worst = worst.max(ended);
    }
    println!("  the longest took {:.3} s", worst.as_secs_f64());
}

fn nodes(bound: usize) {
    let from = Instant::now();
    let (_, report) = run(&Budget { nodes: bound, ..unbounded() }, &mut |_| {}, &AtomicBool::new(false));
    let Outcome::Limit(Limit::Nodes { reached, .. }) = report.outcome else { panic!("{report}") };
    let over = 100.0 * (reached as f64 / bound as f64 - 1.0);
    let (memory, seconds) = (status("VmHWM") >> 20, from.elapsed().as_secs_f64());
    println!("nodes: {reached} of {bound}, {over:.2} % over, in {seconds:.1} s and {memory} MiB");
}

fn memory(bound: u64) {
    let from = Instant::now();
    let (_, report) = run(&Budget { memory: bound, ..unbounded() }, &mut |_| {}, &AtomicBool::new(false));
    assert!(matches!(report.outcome, Outcome::Limit(Limit::Memory { .. })), "{report}");
    let (peak, seconds) = (status("VmHWM"), from.elapsed().as_secs_f64());
    let over = 100.0 * (peak as f64 / bound as f64 - 1.0);
    let (peak, bound) = (peak >> 20, bound >> 20);
    println!("memory: {peak} of {bound} MiB, {over:+.1} %, {} nodes, in {seconds:.1} s", report.nodes);
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let number = |default: u64| args.get(1).map_or(default, |n| n.parse().unwrap());
    match args.first().map(String::as_str) {
        Some("best") => best(),
        Some("stop") => stop(),
        Some("nodes") => nodes(number(2_000_000) as usize),
        Some("memory") => memory(number(512) << 20),
        _ => {
            for part in ["best", "stop", "nodes", "memory"] {
                let mut this = Command::new(std::env::current_exe().unwrap());
                assert!(this.arg(part).status().unwrap().success(), "{part}");
            }
        }
    }
}
