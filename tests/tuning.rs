//! Tuning through the real binary: what is tried, what is written, and what is refused.

use crate::cli::unsealed;
use crate::cli_common::{run, run_with};
use crate::line::line_of;
use serde_json::Value;
use shine_tui::lang::digest::Digest;
use shine_tui::session::log::seal::Chain;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SCALE: &str = "def scale (x: n.f32): n.f32 = x |> map (\\a. a * 3)\n";

fn world(elevate: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("scale.rise"), SCALE).unwrap();
    std::fs::write(dir.path().join("scale.elevate"), elevate).unwrap();
    dir
}

fn tune(dir: &Path, strategy: &str, more: &[&str]) -> crate::cli_common::Ran {
    let all = ["tune", "scale.rise", "--size", "n=96", "-s", strategy];
    run(dir, &[&all[..], more].concat())
}

/// 96 is divided by 4 and 8, not by 7; both ways of the definition are tried, and what is written compiles to what won.
#[test]
fn points_are_ruled_out_measured_and_written() {
    let dir = world("strategy cut(p) = body(splitJoin(p)) ; choose(id, fail)\n");
    let more = ["--for", "40s", "--json", "-o", "best.elevate", "--session", "s.ron"];
    let ran = tune(dir.path(), "cut(? in {7, 4, 8})", &more);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let tried = told["tried"].as_array().unwrap();
    assert_eq!((told["points"].as_str(), tried.len()), (Some("6"), 6));
    let fate = |p: &str, way: &str| {
        let found = tried.iter().find(|t| t["values"]["p"] == p && t["values"]["cut"] == way);
        found.unwrap()["fate"].as_str().unwrap().to_owned()
    };
    assert_eq!([fate("4", "id"), fate("8", "id")], ["measured", "measured"]);
    assert_eq!([fate("7", "id"), fate("4", "fail"), fate("8", "fail")], ["ruled out"; 3]);
    let best = told["best"]["strategy"].as_str().unwrap();
    let written = std::fs::read_to_string(dir.path().join("best.elevate")).unwrap();
    // What was found slower than the state before is written beside the strategy that leaves it as it is.
    let stays = told["before"]["verdict"] == "the state before is faster";
    let decided = if stays { "id" } else { best };
    let is_written = written.ends_with(&format!("strategy tuned = {decided}\n")) && written.contains(best);
    assert!(is_written && written.contains("so it stays") == stays, "{written}");
    let replayed = run(dir.path(), &["replay", "s.ron"]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(!replayed.out.contains("tuned on"), "{}", replayed.out);
    let elsewhere = run(dir.path(), &["replay", "s.ron", "--device", "no such device"]);
    // At the level of kernels no device is asked.
    assert!(elsewhere.code == 0 && elsewhere.out.contains("which is not here"), "{}", elsewhere.out);
    let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
    let outcome = if stays { "Unchanged(" } else { "Tuned(" };
    assert!(log.contains(outcome) && log.contains("Tune("), "{log}");
    let kept = run(dir.path(), &["tune", "--kept"]);
    assert!(kept.out.starts_with("2 measurements in "), "{}", kept.out);
    assert!(run(dir.path(), &["tune", "--forget"]).out.contains("forgotten"));
    assert!(run(dir.path(), &["tune", "--kept"]).out.starts_with("0 measurements"));
    let own = std::fs::read_to_string(dir.path().join("scale.elevate")).unwrap();
    std::fs::write(dir.path().join("scale.elevate"), own + &written).unwrap();
    let compile = |s: &str| run(dir.path(), &["compile", "scale.rise", "--size", "n=96", "-s", s]).out;
    assert_eq!(compile("tuned"), compile(decided));
    assert_ne!(compile(best), compile("id"));
}

/// What a definition leaves open is tuned where it is given to a strategy whose parameter has a value by itself, too.
#[test]
fn what_definitions_leave_open_to_strategies_with_values_is_tuned() {
    let definitions = "strategy cut(p = 16) = body(splitJoin(p))\n\
                       strategy listed = cut(?tile in {4, 8})\n\
                       strategy bare = cut(?tile)\n\
                       strategy around(p) = choose(cut(p), id)\n";
    let dir = world(definitions);
    for (strategy, values) in [
        ("listed", &["listed with (tile: 4)", "listed with (tile: 8)"][..]),
        ("bare", &["bare with (tile: 16)", "bare with (tile: 32)"]),
        ("around(?t in {4, 8})", &["around(4)", "around(8)"]),
    ] {
        let ran = tune(dir.path(), strategy, &["--for", "40s", "--json"]);
        assert_eq!(ran.code, 0, "{strategy}: {}", ran.err);
        let told: Value = serde_json::from_str(&ran.out).unwrap();
        let tried = told["tried"].as_array().unwrap();
        for value in values {
            let is_tried = tried.iter().any(|t| {
                t["fate"] == "measured" && t["strategy"].as_str().is_some_and(|s| s.starts_with(value))
            });
            assert!(is_tried, "{strategy}, {value}: {}", ran.out);
        }
    }
}

/// A value that a definition lists first holds without tuning, and `with` gives another one.
#[test]
fn the_first_value_holds_where_nothing_is_tuned() {
    let dir = world("strategy cut = body(splitJoin(?p in {4, 8}))\n");
    let apply = |s: &str| run(dir.path(), &["apply", "scale.rise", "-s", s]);
    assert!(apply("cut").out.contains("split 4") && apply("body(splitJoin(8))").out.contains("split 8"));
    assert_eq!(apply("cut").out, apply("body(splitJoin(4))").out);
    assert_eq!(apply("cut with (p: 8)").out, apply("body(splitJoin(8))").out);
    assert_eq!(apply("choose(cut with (p: 8), id)").out, apply("body(splitJoin(8))").out);
    assert!(apply("cut with (q: 8)").err.contains("E0315"));
    // The `in` of what is left open ends no `let` before it.
    let own = "strategy cut =\n  let s = id\n  s ; body(splitJoin(?p in {8, 4}))\n";
    std::fs::write(dir.path().join("scale.elevate"), own).unwrap();
    assert!(apply("cut").out.contains("split 8"), "{}", apply("cut").err);
}

#[test]
fn what_is_no_space_is_refused() {
    let dir = world("");
    for (strategy, more, exit, code) in [
        ("splitJoin(?p in {})", &[][..], 2, "E0314"),
        ("splitJoin(?p in {8..4})", &[], 2, "E0314"),
        ("splitJoin(?p in {0})", &[], 2, "E0314"),
        ("splitJoin(?p in {-4})", &[], 2, "E0011"),
        ("splitJoin(?p in {4, -8})", &[], 2, "E0011"),
        ("splitJoin(?p in {two})", &[], 2, "E0301"),
        ("splitJoin(8)", &[], 2, "E0316"),
        ("splitJoin(?p in {4}) ; splitJoin(?p in {8})", &[], 2, "E0314"),
        ("splitJoin(?)", &["--for", "0s"], 2, "E0901"),
        ("splitJoin(?)", &["--for", "soon"], 2, "E0901"),
        ("splitJoin(?)", &["--for", "-5s"], 2, "E0901"),
        ("splitJoin(?)", &["--device", "no such device"], 3, "E0703"),
        ("splitJoin(?)", &["-o", "scale.elevate"], 2, "E0918"),
        ("splitJoin(?) ; nosuch", &[], 2, "E0301"),
        ("nosuch", &[], 2, "E0301"),
        ("body(?)", &[], 2, "E0306"),
        ("topDown(splitJoin(?, 4))", &[], 2, "E0308"),
    ] {
        let ran = tune(dir.path(), strategy, more);
        assert_eq!(ran.code, exit, "{strategy} {more:?}: {}", ran.err);
        assert!(ran.err.contains(&format!("[{code}]")), "{strategy} {more:?}: {}", ran.err);
        // A mistake is shown as it was written, without values.
        assert!(!ran.err.contains("1 │") || ran.err.contains(&format!("1 │ {strategy}")), "{}", ran.err);
    }
    let ran = tune(dir.path(), "body(splitJoin(? in {4}))", &["-o", "no/such/folder.elevate"]);
    assert!(ran.code == 0 && dir.path().join("no/such/folder.elevate").exists(), "{}", ran.err);
}

/// What a text leaves open without a name is a parameter of its own, whatever the library calls its own; and what is one of
/// several strategies is named alone where it stands again.
#[test]
fn names_are_those_of_the_text() {
    let definitions = "strategy cut(p) = body(splitJoin(p))\n\
                       strategy either(s = ?s in {cut(4), cut(8), id}) = s\n\
                       strategy both(p) = try(?way in {fail, id}) ; choose(cut(p), id) ; ?way\n";
    let dir = world(definitions);
    for (strategy, points) in [
        ("topDown(choose(useMapPar, useMapSeq)) ; either", "6"),
        ("try(choose(useMapPar, useMapSeq)) ; either", "6"),
        ("?w in {cut(4), cut(8)} ; try(?w)", "2"),
        ("?w ; try(?w in {cut(4), cut(? in {2, 8})})", "3"),
        ("both(4)", "4"),
    ] {
        let ran = tune(dir.path(), strategy, &["--for", "40s", "--json"]);
        assert_eq!(ran.code, 0, "{strategy}: {}", ran.err);
        let told: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(told["points"].as_str(), Some(points), "{strategy}: {}", ran.out);
    }
    // One of several strategies has a number, which is told where another thing stands.
    let ran = tune(dir.path(), "either with (s: id) ; body(splitJoin(?))", &[]);
    assert!(ran.code == 2 && ran.err.contains("[E0307]") && ran.err.contains("by its number"), "{}", ran.err);
    assert!(ran.err.contains("either with (s: id) ; body"), "{}", ran.err);
    let second = run(dir.path(), &["apply", "scale.rise", "-s", "either with (s: 2)"]);
    assert!(second.out.contains("split 8"), "{}", second.err);
}

/// Foreign functions run only for whom allows it, and the name of a file writes no definitions.
#[test]
fn a_hostile_program_writes_nothing() {
    let dir = world("");
    let witness = dir.path().join("witness");
    let body =
        format!("extern int system(const char*); system(\\\"touch {}\\\"); return x;", witness.display());
    let program = format!(
        "foreign def g (x: f32): f32 = \"{body}\"\ndef f (x: 16.f32): 16.f32 = x |> map (\\a. g a)\n"
    );
    std::fs::write(dir.path().join("g.rise"), program).unwrap();
    let ran = run(dir.path(), &["tune", "g.rise", "-s", "body(splitJoin(?t in {4, 8}))", "--for", "5s"]);
    assert!(ran.code == 3 || ran.code == 2, "{}: {}", ran.code, ran.err);
    assert!(ran.err.contains("E0189") && !witness.exists(), "{}", ran.err);

    let name = "n\nstrategy evil = id --.rise";
    std::fs::write(dir.path().join(name), SCALE).unwrap();
    let tuned = run(
        dir.path(),
        &["tune", name, "--size", "n=96", "-s", "body(splitJoin(?p in {4}))", "-o", "o.elevate"],
    );
    assert_eq!(tuned.code, 0, "{}", tuned.err);
    let written = std::fs::read_to_string(dir.path().join("o.elevate")).unwrap();
    assert_eq!(written.lines().filter(|l| l.starts_with("strategy")).count(), 1, "{written}");
}

/// What differs in numbers alone is one reason.
#[test]
fn reasons_are_counted_together() {
    let dir = world("");
    let ran = tune(dir.path(), "body(splitJoin(?p in {5, 7, 11}))", &[]);
    assert!(ran.code == 1 && ran.err.contains("[E0317]"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("3 of 3: ") && ran.err.contains("The others have other numbers"), "{}", ran.err);
}

/// A strategy that another is told, and does not ask for, leaves nothing open.
#[test]
fn what_is_told_to_a_strategy_that_does_not_ask_for_it_plays_no_part() {
    let definitions = "strategy by(way = first) = way(cut(?wide in {4, 8}), cut(?deep in {2, 3, 6}))\n\
                       strategy first(a, b) = a\nstrategy second(a, b) = b\nstrategy both(a, b) = a <+ b\n\
                       strategy cut(p) = body(splitJoin(p))\n";
    let dir = world(definitions);
    for (strategy, points) in [("by", "2"), ("by(first)", "2"), ("by(second)", "3"), ("by(both)", "6")] {
        let ran = tune(dir.path(), strategy, &["--for", "40s", "--json"]);
        assert_eq!(ran.code, 0, "{strategy}: {}", ran.err);
        let told: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(told["points"].as_str(), Some(points), "{strategy}: {}", ran.out);
    }
}

/// A space of a billion points is not listed, and ends with the time.
#[test]
fn a_large_space_ends_with_the_time() {
    let dir = world("");
    let large = "body(splitJoin(?p in {1..100000}) ; try(splitJoin(?q in {1..100000})))";
    let ran = tune(dir.path(), large, &["--for", "1s"]);
    assert!(ran.code <= 1 && !ran.err.contains("panicked"), "{}{}", ran.out, ran.err);
    let told = ran.out.contains("10000000000 points") && ran.out.contains("less than 0.1 %");
    assert!(told || ran.err.contains("E0317"), "{}{}", ran.out, ran.err);
}

/// A session with a tuning can be gone on with: the decision's time is the price of its state, but only where kernel and sizes
/// are those of the log, and what is done then is recorded behind it.
#[test]
fn a_session_with_a_tuning_is_gone_on_with() {
    // What it leads to is the state from which it begins, which is not faster.
    let dir = world("strategy cut(p) = body(try(fail ; splitJoin(p)))\n");
    let ran = tune(dir.path(), "cut(? in {4, 8})", &["--for", "40s", "--session", "s.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
    let price = |file: &str| {
        let ran = line_of(dir.path(), &dir.path().join(file), "history\n");
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let row = ran.out.lines().find(|line| line.contains("tune cut(")).unwrap_or_default().to_owned();
        assert!(row.contains("now"), "the tuned state is the present one: {}", ran.out);
        row.contains(" ns ") || row.contains(" µs ")
    };
    assert!(price("s.ron"), "{log}");
    // The same decision, as if it had been taken at other sizes or for other code.
    let (header, records) = log.split_once('\n').unwrap();
    let (before, decision) = records.rsplit_once("decision: ").unwrap();
    let kernel = decision.split_once("kernel: \"").unwrap().1.split_once('"').unwrap().0.to_owned();
    let other = Digest::of(b"other code").to_string();
    for changed in [decision.replace("\"n\": 96", "\"n\": 48"), decision.replace(&kernel, &other)] {
        assert_ne!(changed, decision);
        let mut chain = Chain::default();
        let plain = unsealed(&format!("{header}\n{before}decision: {changed}"));
        let sealed: String = plain.lines().map(|line| chain.seal(line) + "\n").collect();
        std::fs::write(dir.path().join("other.ron"), sealed).unwrap();
        assert!(!price("other.ron"), "a time of something else is shown");
    }
    let ran = run(dir.path(), &["compile", "s.ron", "--session", "s.ron", "--emit", "c"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run(dir.path(), &["replay", "s.ron"]);
    assert!(ran.code == 0 && ran.out.contains("agrees"), "{}{}", ran.out, ran.err);
    let again = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
    assert!(again.starts_with(&log) && again.len() > log.len(), "what was recorded stays as it is");
}

/// Flags and threads are chosen with the device, tuned, kept apart, recorded, and taken by `replay` without measuring.
#[test]
fn flags_and_threads_are_tuned() {
    let dir = world("");
    let device = "cpu[unroll?, 1|2 threads]";
    let more = ["--device", device, "--for", "40s", "--json", "-o", "best.elevate", "--session", "s.ron"];
    let ran = tune(dir.path(), "body(splitJoin(4))", &more);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let tried = told["tried"].as_array().unwrap();
    assert_eq!((tried.len(), tried[0]["on"].as_str()), (4, Some("cpu[2 threads]")));
    assert!(tried.iter().all(|t| t["fate"] == "measured"), "{}", ran.out);
    let best = told["best"]["on"].as_str().unwrap();
    let written = std::fs::read_to_string(dir.path().join("best.elevate")).unwrap();
    assert!(written.contains(&format!("`--device '{best}'`")), "{written}");
    let replayed = run(dir.path(), &["replay", "s.ron"]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(run(dir.path(), &["tune", "--kept"]).out.starts_with("4 measurements in "));
    // What was chosen is measured as it was chosen, and says so.
    let bench =
        |device| run(dir.path(), &["bench", "scale.rise", "--size", "n=96", "--json", "--device", device]);
    let measured: Value = serde_json::from_str(&bench(best).out).unwrap();
    assert!(measured["device"].as_str().unwrap().ends_with(best.trim_start_matches("cpu")), "{measured}");
    let marked: Value = serde_json::from_str(&bench("cpu[finite]").out).unwrap();
    assert!(marked["warnings"].to_string().contains("results may change: finite"), "{marked}");
    for (device, says) in [
        ("cpu[unroll?]", "only a tuning may"),
        ("cpu[-fplugin=evil.so]", "`-fplugin=evil.so` is no flag"),
        ("cpu[registers64]", "no flag of C compilers"),
        ("cpu[0 threads]", "no number of threads"),
        ("cpu[O2, O2]", "twice"),
    ] {
        let ran = bench(device);
        assert!(
            ran.code == 3 && ran.err.contains("E0703") && ran.err.contains(says),
            "{device}: {}",
            ran.err
        );
    }
}

/// What a tuning chose is run and checked again like what was measured, where that is asked for.
#[test]
fn replay_checks_what_was_tuned() {
    let dir = world("");
    // The state before sums up for each element, so that it never stays.
    let text = "def scale (x: n.f32): n.f32 = map (\\a. a * reduceSeq (+) 0 x) x\n";
    std::fs::write(dir.path().join("scale.rise"), text).unwrap();
    let once = "rule once = map (\\a. a * s) x ~> let k = s in map (\\a. a * k) x where a notin s\n";
    std::fs::write(dir.path().join("scale.rules"), once).unwrap();
    let strategy = "topDown(once) ; topDown(splitJoin(? in {4, 8}))";
    let ran = tune(dir.path(), strategy, &["--for", "40s", "--session", "s.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let replay = |level: &str, device: &[&str]| {
        let args = [&["replay", "s.ron", "--json", "--level", level], device].concat();
        run(dir.path(), &args)
    };
    let kernels = replay("kernels", &[]);
    assert_eq!(kernels.code, 0, "{}", kernels.err);
    let results = replay("results", &[]);
    assert_eq!(results.code, 0, "{}{}", results.out, results.err);
    let performance = replay("performance", &[]);
    assert_eq!(performance.code, 0, "{}{}", performance.out, performance.err);
    let missing = replay("results", &["--device", "no such device"]);
    assert_eq!(missing.code, 3, "{}{}", missing.out, missing.err);
    assert!(kernels.out.contains("; recorded ") && !kernels.out.contains("agrees with"), "{}", kernels.out);
    assert!(results.out.contains("agrees with the interpreter"), "{}", results.out);
    let told = &performance.out;
    assert!(told.contains("agrees with the interpreter") && told.contains("s, recorded "), "{told}");
    assert!(!told.contains(" 0.000"), "{told}");
}

/// A point that computes what is shared once for each element is not compiled.
#[test]
fn points_that_compute_the_same_over_and_over_are_ruled_out() {
    let dir = tempfile::tempdir().unwrap();
    let text = "def f (a: n.f32): n.f32 = let s = reduce (+) 0 a in map (\\x. x * s) a\n";
    std::fs::write(dir.path().join("f.rise"), text).unwrap();
    let tune = |n: &str, strategy: &str| {
        let ran = run(dir.path(), &["tune", "f.rise", "--size", n, "-s", strategy, "--json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str::<Value>(&ran.out).unwrap()
    };
    // 96 sums of 96 numbers where one is enough: 96 * 97 operations and not 192.
    let told = tune("n=96", "choose(id, body(betaReduction))");
    assert_eq!(told["tried"][1]["fate"], "ruled out", "{told}");
    assert_eq!(told["tried"][1]["why"], "It would compute 48.5 times as much as the start.");
    // A few times as much may be faster, and less than the start always may.
    for (n, strategy) in
        [("n=12", "choose(id, body(betaReduction))"), ("n=96", "choose(body(betaReduction), id)")]
    {
        let told = tune(n, strategy);
        assert_eq!(told["tried"][1]["fate"], "measured", "{told}");
    }
}

/// What a point does, how long it should take at the rates that others reached, and what bounds the best, are told beside its
/// time.
#[test]
fn what_was_measured_stands_beside_what_was_predicted() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def sums (a: m.n.f32): m.f32 = a |> map (\\r. r |> map (\\x. x * x) |> reduce (+) 0)\n";
    std::fs::write(dir.path().join("sums.rise"), program).unwrap();
    let sized = ["tune", "sums.rise", "--size", "m=300", "--size", "n=200", "--for", "20s"];
    let strategy = ["-s", "choose(id, topDown(useMapPar), topDown(splitJoin(10)))"];
    let ran = run(dir.path(), &[&sized[..], &strategy, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let measured = told["tried"].as_array().unwrap().iter().filter(|t| t["fate"] == "measured");
    let mut looked_at = 0;
    for tried in measured {
        let predicted = &tried["predicted"];
        assert_eq!(predicted["operations"], 2.0 * 300.0 * 200.0, "{predicted}");
        assert_eq!(predicted["bytes_moved"], 4.0 * (300.0 * 200.0 + 300.0), "{predicted}");
        // Each element once, or as both operands of a product.
        let read = predicted["bytes_read"].as_f64().unwrap() / (4.0 * 300.0 * 200.0);
        assert!(read == 1.0 || read == 2.0, "{predicted}");
        let (least, ns) = (predicted["median_ns"].as_f64().unwrap(), tried["median_ns"].as_f64().unwrap());
        assert!(least > 0.0 && least <= 1.0001 * ns, "{tried}");
        looked_at += 1;
    }
    assert!(looked_at > 0, "{told}");
    let ran = run(dir.path(), &[&sized[..], &strategy, &["--all"]].concat());
    for part in ["predicted by", "bound     ", " operations: ", " read: "] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

/// What cannot be, or has nowhere to go, is told before anything is computed.
#[test]
fn what_cannot_be_tuned_is_told_at_once() {
    let dir =
        world("strategy ranked = reach mapSeq ? ? using {useMapSeq} with (best: 2, rank: ?r in {1, 2})\n");
    let ran = tune(dir.path(), "nosuch(?)", &["--for", "1000s"]);
    assert!(ran.code == 2 && ran.err.contains("E0301"), "{}", ran.err);
    let ran = tune(dir.path(), "splitJoin(?, ?)", &["--for", "1000s"]);
    assert!(ran.code == 2 && ran.err.contains("E0308"), "{}", ran.err);
    let ran = tune(dir.path(), "body(splitJoin(?))", &["--for", "1000s", "-o", "scale.rise/best.elevate"]);
    assert!(ran.code == 2 && ran.err.contains("E0918") && ran.err.contains("scale.rise"), "{}", ran.err);
    // What an option of a search leaves open has its first value where nothing is tuned.
    let ran = run(dir.path(), &["apply", "scale.rise", "-s", "body(ranked)"]);
    assert!(ran.code == 0 && ran.out.contains("mapSeq"), "{}{}", ran.out, ran.err);
}

/// Whatever stops a tuning, what it has is written and recorded.
#[test]
fn every_signal_that_stops_a_tuning_keeps_the_best() {
    // So many sizes divide that one that the signal comes long before all are measured.
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let dir = world("strategy cut(p, q) = body(splitJoin(p)) ; try(body(splitJoin(q)))\n");
        let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        let args = [
            "tune",
            "scale.rise",
            "--size",
            "n=720720",
            "-s",
            "cut(?, ?)",
            "--for",
            "200s",
            "-o",
            "best.elevate",
        ];
        command.args(args).args(["--session", "s.ron"]).current_dir(dir.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).env("SHINE_STATE_DIR", dir.path().join("state"));
        let child = command.env("SHINE_CONFIG_DIR", dir.path().join("config")).spawn().unwrap();
        until_measured(dir.path());
        // `timeout` sends its signal twice.
        for _ in 0..2 {
            let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
            assert!(sent.is_ok_and(|s| s.success()));
        }
        let ended = child.wait_with_output().unwrap();
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{signal}: {out}");
        assert!(out.contains("until it was stopped") && out.contains("\nbest "), "{signal}: {out}");
        let written = std::fs::read_to_string(dir.path().join("best.elevate")).unwrap();
        let stays = written.ends_with("strategy tuned = id\n");
        assert!(
            written.contains("strategy tuned = ") && out.contains("so it stays") == stays,
            "{signal}: {written}{out}"
        );
        let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
        // It goes where the best is, unless it says that the state before was faster.
        let recorded = if out.contains("so it stays") { "Unchanged(" } else { "Tuned(" };
        assert!(log.contains(recorded), "{signal}: {out}{log}");
        assert_eq!(run(dir.path(), &["replay", "s.ron"]).code, 0, "{signal}");
    }
}

/// Waits until something was measured, and written down.
fn until_measured(dir: &Path) {
    let kept = dir.join("state/measurements.ron");
    let began = Instant::now();
    while std::fs::read_to_string(&kept).map_or(0, |text| text.lines().count()) < 3 {
        assert!(began.elapsed() < Duration::from_secs(150), "nothing was measured");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a session has tuned until it is ended is in its log.
#[test]
fn a_session_that_is_ended_keeps_the_best() {
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let dir = world("strategy cut(p, q) = body(splitJoin(p)) ; try(body(splitJoin(q)))\n");
        let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        command.args(["line", "scale.rise", "--size", "n=720720", "--session", "s.ron"]);
        command.current_dir(dir.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env("SHINE_STATE_DIR", dir.path().join("state"));
        let mut child = command.env("SHINE_CONFIG_DIR", dir.path().join("config")).spawn().unwrap();
        let mut typed = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut typed, b"tune 200s cut(?, ?)\n").unwrap();
        until_measured(dir.path());
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|s| s.success()));
        let ended = child.wait_with_output().unwrap();
        drop(typed);
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{out}");
        let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
        assert!(log.contains("Tuned(") || log.contains("Unchanged("), "{out}{log}");
        assert_eq!(run(dir.path(), &["replay", "s.ron"]).code, 0);
    }
}

/// A time counts for later tunings only where as many threads run it, and the same command leads to the device.
#[test]
fn what_was_measured_on_other_threads_is_not_known() {
    let dir = world("strategy cut(p) = body(splitJoin(p))\n");
    let known = |threads: &str, more: &[&str]| {
        let all =
            ["tune", "scale.rise", "--size", "n=96", "-s", "cut(? in {4, 8})", "--for", "60s", "--json"];
        let ran = run_with(dir.path(), &[&all[..], more].concat(), &[("OMP_NUM_THREADS", threads)]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let told: Value = serde_json::from_str(&ran.out).unwrap();
        let tried = told["tried"].as_array().unwrap();
        assert!(tried.iter().all(|t| t["fate"] == "measured"), "{tried:?}");
        tried.iter().map(|t| t["known"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    let worker = format!("exec '{}' worker", env!("CARGO_BIN_EXE_shine-tui"));
    assert_eq!(known("1", &[]), [false, false]);
    assert_eq!(known("2", &[]), [false, false]);
    assert_eq!(known("1", &[]), [true, true]);
    assert_eq!(known("1", &["--worker", &worker]), [false, false]);
    assert_eq!(known("1", &["--worker", &worker]), [true, true]);
}

/// A worker whose clock stands still measures nothing: its points fail, which is told with the reason.
#[test]
fn times_that_cannot_be_are_no_measurements() {
    let dir = world("");
    let worker = format!(
        "'{}' worker | LC_ALL=C sed -u -e ':a' -e 's/\\(\"samples_ns\":\\[[0, ]*\\)[1-9]/\\10/' -e 'ta' \
         -e ':b' -e 's/\\(\"samples_ns\":[[0, ]*[[, ]\\)0\\(0\\)/\\1 \\2/' -e 'tb'",
        env!("CARGO_BIN_EXE_shine-tui")
    );
    let ran = tune(dir.path(), "body(splitJoin(? in {4, 8}))", &["--for", "60s", "--worker", &worker]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("E0317") && ran.err.contains("times that cannot be"), "{}", ran.err);
}
