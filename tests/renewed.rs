//! Sessions that no longer hold are made anew: what their actions lead to is accepted, or what they led to is searched for.

use crate::cli::unsealed;
use crate::cli_common::run;
use crate::line::line_of;
use shine_tui::lang::digest::Digest;
use std::path::Path;

const PROGRAM: &str = "def f (a: n.f32): n.f32 = a |> map sqrt |> map (\\x. x + 1)\n";

/// A session of two strategies and the code, as a version without seals would have written it.
fn recorded(folder: &Path, last: &str) -> String {
    std::fs::write(folder.join("p.rise"), PROGRAM).unwrap();
    let steps = ["-s", "topDown(mapFusion)", "-s", last, "--session", "s.ron"];
    let ran = run(folder, &[&["apply", "p.rise"], &steps[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(run(folder, &["compile", "s.ron", "--session", "s.ron"]).code, 0);
    let log = std::fs::read_to_string(folder.join("s.ron")).unwrap();
    unsealed(&log)
}

/// Other code of the same state is accepted: it is shown, and the log that is written has whole seals and holds.
#[test]
fn other_code_is_accepted_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let log = recorded(dir.path(), "topDown(useMapSeq)");
    let (_, from) = log.rsplit_once("text: \"").unwrap();
    let code = from.split_once("\"))").unwrap().0;
    let unescaped: String = ron::from_str(&format!("\"{code}\"")).unwrap();
    let older = |text: &str| text.replace("int i", "long i");
    assert_ne!(older(code), code);
    let digests = [unescaped.clone(), older(&unescaped)].map(|text| Digest::of(text.as_bytes()).to_string());
    let log = log.replace(code, &older(code)).replace(&digests[0], &digests[1]);
    let file = "old.ron";
    std::fs::write(dir.path().join(file), &log).unwrap();
    let ran = run(dir.path(), &["replay", file]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let ran = run(dir.path(), &["replay", "--bless", file]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in ["compile c", "-   for (long i", "+   for (int i", "written: "] {
        assert!(ran.out.contains(line), "`{line}` in {}", ran.out);
    }
    let ran = run(dir.path(), &["replay", file]);
    assert_eq!((ran.code, ran.out.contains("warning")), (0, false), "{}{}", ran.out, ran.err);
    let again = run(dir.path(), &["replay", "--bless", file]);
    assert!(again.out.contains("nothing is written"), "{}", again.out);
}

/// What is no longer possible is not accepted, and the file stays as it is; a search finds a way to the old state, and what
/// follows holds again.
#[test]
fn a_step_that_fails_is_not_accepted_and_is_repaired_by_a_search() {
    let dir = tempfile::tempdir().unwrap();
    let log = recorded(dir.path(), "topDown(useMapSeq)")
        .replace("text: \"topDown(useMapSeq)\"", "text: \"topDown(reduceMapFusion)\"");
    let file = "old.ron";
    std::fs::write(dir.path().join(file), &log).unwrap();
    let ran = run(dir.path(), &["replay", "--bless", file]);
    assert!(ran.code == 1 && ran.err.contains("[E0812]"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("hint: The same command with `--repair`"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(dir.path().join("old.ron")).unwrap(), log);
    let ran = run(dir.path(), &["replay", "--repair", file]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("instead: reach (") && ran.out.contains("old.repaired.ron"), "{}", ran.out);
    assert_eq!(std::fs::read_to_string(dir.path().join("old.ron")).unwrap(), log);
    let ran = run(dir.path(), &["replay", "old.repaired.ron", "--search", "exact"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(run(dir.path(), &["replay", "--repair", file]).code, 2, "nothing is overwritten");
}

/// Where no search leads to the old state, it is told what was searched for and why that ended.
#[test]
fn a_repair_that_finds_nothing_tells_what_was_tried() {
    let dir = tempfile::tempdir().unwrap();
    let rule = |by: &str| {
        let text = format!("rule scaled = map sqrt (x : n.f32) ~> map (\\y. {by} * y / {by}) (map sqrt x)\n");
        std::fs::write(dir.path().join("p.rules"), text).unwrap();
    };
    let program = "def f (a: n.f32): n.f32 = a |> map sqrt |> map exp\n";
    std::fs::write(dir.path().join("p.rise"), program).unwrap();
    rule("2.5");
    let ran = run(dir.path(), &["apply", "p.rise", "-s", "topDown(scaled)", "--session", "s.ron"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    rule("3.5");
    let ran = run(dir.path(), &["replay", "--repair", "--files", "s.ron"]);
    assert!(ran.code == 1 && ran.err.contains("[E0812]"), "{}{}", ran.out, ran.err);
    for told in ["The sketch asks for `2.5`", "What was tried in its place", "`reach (", "`shine-tui search`"]
    {
        assert!(ran.err.contains(told), "`{told}` in {}", ran.err);
    }
}

/// A rule that stood elsewhere is applied where it leads to the recorded state, and no search is needed.
#[test]
fn a_rule_at_another_place_is_found_again() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("p.rise"),
        "def f (a: n.f32): n.f32 = a |> map sqrt |> map exp |> map sqrt\n",
    )
    .unwrap();
    let lines = "select 0\napply mapFusion\nsave s.ron\nquit\n";
    let ran = line_of(dir.path(), &dir.path().join("p.rise"), lines);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let log = std::fs::read_to_string(dir.path().join("s.ron")).unwrap();
    assert!(log.contains("at: \"0\""), "{log}");
    let log = unsealed(&log).replace("at: \"0\"", "at: \"0.1\"");
    let file = "moved.ron";
    std::fs::write(dir.path().join(file), &log).unwrap();
    assert_eq!(run(dir.path(), &["replay", file]).code, 1);
    let ran = run(dir.path(), &["replay", "--repair", file]);
    assert!(ran.code == 0 && ran.out.contains("instead: mapFusion at 0\n"), "{}{}", ran.out, ran.err);
    assert_eq!(run(dir.path(), &["replay", "moved.repaired.ron"]).code, 0);
}

/// Code is no state that a search could look for: where it can no longer be made, no hint speaks of a search.
#[test]
fn code_that_is_no_longer_possible_has_no_other_way() {
    let dir = tempfile::tempdir().unwrap();
    // Threads of the host have no code in OpenCL.
    let log = recorded(dir.path(), "topDown(useMapPar)").replace("target: \"c\"", "target: \"opencl\"");
    std::fs::write(dir.path().join("old.ron"), log).unwrap();
    for how in ["--bless", "--repair"] {
        let ran = run(dir.path(), &["replay", how, "old.ron"]);
        assert!(ran.code == 1 && ran.err.contains("[E0812]"), "{how}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("action 3"), "{how}: {}", ran.err);
        assert!(ran.err.contains("hint: Record the session again from there."), "{how}: {}", ran.err);
    }
}

/// Searches end in normal forms. Where the recorded program writes a function out, or shares a value, as in `map (\\r. f r)`, what was
/// found is made that.
#[test]
fn a_state_that_is_not_in_normal_form_is_repaired() {
    let shared = "  x |> map (\\r. let s = reduce (+) 0 r in s * s) |> map (\\y. 2 * y + 1)\n";
    let written_out = "  x |> map (\\r. reduce (+) 0 r) |> map (\\y. 2 * y + 1)\n";
    for body in [written_out, shared] {
        let dir = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| std::fs::write(dir.path().join(file), text).unwrap();
        write("q.rise", &format!("def q (x: m.n.f32): m.f32 =\n{body}"));
        write("q.elevate", "strategy chunked(c) = topDown(splitJoin(c)) ; topDown(useMapPar)\n");
        let ran = run(dir.path(), &["apply", "q.rise", "-s", "chunked(64)", "--session", "q.ron"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        write("q.elevate", "strategy chunked(c) = topDown(useMapPar)\n");
        let ran = run(dir.path(), &["replay", "q.ron", "--files", "--repair"]);
        assert!(ran.code == 0 && ran.out.contains("instead: reach ("), "{body}: {}{}", ran.out, ran.err);
        let ran = run(dir.path(), &["replay", "q.repaired.ron"]);
        assert_eq!(ran.code, 0, "{body}: {}{}", ran.out, ran.err);
    }
}
