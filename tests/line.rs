//! The assistant as plain text, beside the screen and through the binary.

use crate::cli_common::{Ran, run};
use crate::ui_common::{TestApp, UNICODE};
use shine_tui::ui::command::{Command as Commands, Context};
use shine_tui::ui::layout::Pane;
use shine_tui::ui::line::Dialogue;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `shine-tui line` on a kernel, with these lines as its input.
fn line(dir: &Path, kernel: &str, lines: &str) -> Ran {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(kernel);
    line_of(dir, &folder.join(format!("{kernel}.rise")), lines)
}

/// The same on a program of the test's own.
pub fn line_of(dir: &Path, file: &Path, lines: &str) -> Ran {
    line_with(dir, file, lines, &[])
}

fn line_with(dir: &Path, file: &Path, lines: &str, more: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.arg("line").arg(file).args(more).current_dir(dir).env("LC_ALL", "C.UTF-8");
    command.env("SHINE_CONFIG_DIR", dir.join("config")).env("SHINE_STATE_DIR", dir.join("state"));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

/// What is said of a device is said of it: a check on another one is told as that.
#[test]
fn a_check_is_told_with_the_device_that_it_was_on() {
    let dir = tempfile::tempdir().unwrap();
    let lines =
        "sizes k=64\ntopDown(useMapSeq)\ndevice cpu[unroll,1 thread]\nbench\nstatus\ndevice cpu\nstatus\n";
    let ran = line(dir.path(), "dot", lines);
    let all: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("dot · rev 1/1 · check ✓")).collect();
    let [there, elsewhere] = all[..] else { panic!("{}", ran.out) };
    assert!(!there.contains(" only ") && there.ends_with(" · cpu[unroll, 1 thread]"), "{there}");
    assert!(
        elsewhere.contains(" on cpu[unroll, 1 thread] only · ") && elsewhere.ends_with(" · cpu"),
        "{elsewhere}"
    );
}

/// Why a rule does not apply at the selected part names what makes room for it there, also where it matches more inside.
#[test]
fn what_makes_room_for_a_rule_at_the_selected_part_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("w.rise");
    let program =
        "def w (x: n.f32) (y: n.f32): n.f32 = zip x y |> map (\\p. fst p * snd p) |> reverse |> map sqrt";
    std::fs::write(&file, program).unwrap();
    std::fs::write(dir.path().join("w.rules"), "rule revMap = reverse (map f xs) ~> map f (reverse xs)\n")
        .unwrap();
    let ran = line_of(dir.path(), &file, "select 0.0\nwhy mapFusion\n");
    assert!(ran.out.contains("`mapFusion` applies at 0.0 once `revMap` was applied at 0.0.1"), "{}", ran.out);
}

/// The rows of the rules that apply to a program.
fn rules_of(dir: &Path, text: &str, sizes: &[&str]) -> Vec<String> {
    let file = dir.join("f.rise");
    std::fs::write(&file, text).unwrap();
    let ran = line_with(dir, &file, "rules\n", sizes);
    let rows = ran.out.lines().filter(|line| line.contains('✓'));
    rows.map(str::to_owned).collect()
}

const SOFTMAX: &str = "def softmax (x: m.n.f32): m.n.f32 =
  x |> map (\\row.
    let biggest = reduce max (-3.4e38) row in
    let es = map (\\v. exp (v - biggest)) row in
    let total = reduce (+) 0 es in
    map (\\e. e / total) es)
";

/// What a rule is shown to make is what it makes, with the names that the program gives.
#[test]
fn a_preview_has_the_names_of_what_is_applied() {
    let dir = tempfile::tempdir().unwrap();
    let rows = rules_of(dir.path(), SOFTMAX, &[]);
    let row = rows.iter().find(|row| row.contains("storeShared")).unwrap();
    let number = row.trim_start_matches('>').split_whitespace().next().unwrap();
    let lines = format!("rules\n{number}\npreview\nopen\nterm\n");
    let ran = line_of(dir.path(), &dir.path().join("f.rise"), &lines);
    let (_, after) = ran.out.split_once(": term\n").unwrap();
    let (shown, applied) = after.split_once("Revision 1").unwrap();
    let put: Vec<&str> = shown.lines().filter_map(|line| Some(line.strip_prefix("+ ")?.trim())).collect();
    assert!(!put.is_empty(), "{}", ran.out);
    for line in put {
        assert!(applied.contains(line), "{line}: {}", ran.out);
    }
    assert!(!after.contains("x1"), "{}", ran.out);
}

/// Best first are no rules after which nothing can be run, or more is computed; what is dearer stands in the row.
#[test]
fn rows_say_what_is_dearer_after_a_rule() {
    let dir = tempfile::tempdir().unwrap();
    let rows = rules_of(dir.path(), SOFTMAX, &[]);
    let without = |rows: &[String]| rows.iter().position(|row| row.contains("no code (")).unwrap();
    assert!(
        rows.iter().any(|row| row.contains("useMapStream") && row.contains("no code (E0532)")),
        "{rows:#?}"
    );
    assert!(rows[..without(&rows)].iter().any(|row| row.contains("useMapSeq ")), "{rows:#?}");
    let twice = "def blur (x: (n+2).(m+2).f32): n.m.f32 =
  x |> map (slide 3 1) |> slide 3 1 |> map transpose |> map (map (\\w. reduce (+) 0 (join w) / 9))
def pipe (x: (n+4).(m+4).f32): n.m.f32 = x |> blur |> blur
";
    let rows = rules_of(dir.path(), twice, &["--size", "n=256", "--size", "m=256"]);
    assert!(!rows[0].contains("operations +"), "{rows:#?}");
    let of = |rule: &str, says: &str| rows.iter().any(|row| row.contains(rule) && row.contains(says));
    assert!(of("separateSumVH", "operations +"), "{rows:#?}");
}

/// The figures of a search are those with which it ended, wherever they stand in its pane.
#[test]
fn a_search_that_ended_has_one_number_of_classes() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "matmul", "reach baseline using baselineRules\nsearch-pane\n");
    let pane = ran.out.split("== Search").nth(1).unwrap();
    let before = |line: &str| line.split(" classes").next().unwrap().rsplit(' ').next().unwrap().to_owned();
    let told: Vec<String> = pane.lines().filter(|line| line.contains(" classes,")).map(before).collect();
    let grown = pane.lines().find_map(|line| line.trim().strip_prefix("classes ")).unwrap();
    assert!(told.len() == 2 && told.iter().all(|n| *n == told[0]), "{pane}");
    assert!(grown.ends_with(&format!(" {}", told[0])), "{pane}");
}

/// What the help gives as an example of a script leads to code.
#[test]
fn the_script_in_the_help_does_what_it_shows() {
    let dir = tempfile::tempdir().unwrap();
    let help = crate::cli_common::run(dir.path(), &["line", "--help"]).out;
    let (_, script) = help.split_once("printf '").unwrap();
    let (script, rest) = script.split_once('\'').unwrap();
    assert!(rest.starts_with(" | shine-tui line dot.rise"), "{rest}");
    let ran = line(dir.path(), "dot", &script.replace("\\n", "\n"));
    assert!(
        ran.code == 0 && ran.out.contains("Revision 1") && ran.out.contains("dot("),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn a_session_is_led_line_by_line() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(
        dir.path(),
        "dot",
        "topDown(reduceMapFusion)\nrules\nselect 0.0\nterm\nundo\nhistory\nkernel\nsave my\nstatus\nquit\nterm\n",
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for said in [
        "Revision 1: topDown(reduceMapFusion)",
        "== Rules",
        "== Term",
        "selected:",
        "== History",
        "● 0 ",
        "== Kernel",
        "void dot(",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert_eq!(ran.out.matches("== Term").count(), 1, "nothing is read after `quit`: {}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    assert!(dir.path().join("my.ron").exists());
    // A command that a list does not have leaves the list; a strategy at its end is not another one yet.
    let lines = "step topDown(reduceMapFusion)\npage-next\nstep\nstep\nhistory\n";
    let ran = line(dir.path(), "dot", lines);
    let ends = ran.out.find("has come to its end");
    let (asks, goes_on) = (ran.out.find("== Step through which"), ran.out.find("== History"));
    assert!(ran.code == 0 && ends.is_some() && ends < asks && asks < goes_on, "{}", ran.out);
}

/// Whatever is printed: messages, lists, pages, what a file holds and what is copied.
#[test]
fn with_ascii_nothing_else_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = Path::new("f.rise");
    std::fs::write(
        dir.join(file),
        "--| Größe λ ✓\ndef f (a: n.m.f32): n.m.f32 = a |> map (map (\\x. x * x))",
    )
    .unwrap();
    std::fs::write(dir.join("f.elevate"), "--| Schöner µ\nstrategy mine = topDown(useMapPar)").unwrap();
    let lines = "sizes n=64 m=64\nmine\nbench\nbench-pane\nopen\nkernel\nundo\npin\nredo\nbench\ncompare\nresults\nhistory\ncopy\n\
                 rules\nwhy\nloops\nterm\njobs\nsearch-pane\nnothing-like-µ\ntopDown(µ)\nhelp\n\nsave\nÜ.ron\n";
    let plain = line_of(dir, file, lines);
    let wide = plain.out.chars().filter(|c| !c.is_ascii()).collect::<String>();
    for sign in ['✓', 'µ', '…', '›', '–', 'Ü'] {
        assert!(wide.contains(sign), "without it there is something to replace: {sign} {}", plain.out);
    }
    let ascii = line_with(dir, file, lines, &["--ascii"]);
    let first = |text: &str| text.lines().find(|line| !line.is_ascii()).map(str::to_owned);
    assert_eq!((first(&ascii.out), first(&ascii.err)), (None, None));
    for said in ["ok ", "... > "] {
        assert!(ascii.out.contains(said), "{said}: {}", ascii.out);
    }
}

/// What is shown of loops is what the code does, whatever the words for it: a map that lacks its array, and a transposition that is
/// only read otherwise.
#[test]
fn loops_and_the_effects_of_rules_are_those_of_the_code() {
    let dir = tempfile::tempdir().unwrap();
    let of = |name: &str, text: &str, lines: &str| {
        let file = dir.path().join(name);
        std::fs::write(&file, text).unwrap();
        line_of(dir.path(), &file, lines).out
    };
    let sc = "def sc (x: n.f32): n.f32 = x |> map (\\v. sqrt (v * v + 1))";
    let out = of("sc.rise", sc, "topDown(useMapPar)\nrules\ntopDown(etaReduction)\nloops\n");
    let (rules, loops) = out.split_once("Revision 2").unwrap();
    let eta = rules.lines().find(|line| line.contains("etaReduction")).unwrap();
    assert!(!eta.contains("loops"), "{eta}");
    assert!(loops.contains("for n (par):") && loops.contains("sqrt("), "{loops}");
    let two = "def two (x: n.m.f32): n.m.f32 = x |> map (map (\\v. v + 1)) |> map (map (\\v. v * v))";
    let out = of("two.rise", two, "loops\nrules\n");
    let loops = out.split("== Rules").next().unwrap();
    assert_eq!(loops.matches("for ").count(), 2, "{out}");
    // Of the inner map; the outer one's loops change their order.
    let around = out.lines().filter(|line| line.contains("transposeAround"));
    assert!(around.clone().count() > 0 && around.clone().all(|line| !line.contains("loops 2")), "{out}");
    let gap =
        "def gap (x: n.m.f32): m.n.f32 = x |> map (map (\\v. v + 1)) |> transpose |> map (map (\\v. v * v))";
    let out = of("gap.rise", gap, "loops\n");
    assert_eq!(out.matches("for ").count(), 2, "{out}");
}

/// What the screen shows of a tuning is printed, and the decision is a state of the session.
#[test]
fn a_tuning_tells_what_was_tried_and_is_in_the_history() {
    let dir = tempfile::tempdir().unwrap();
    let lines = "sizes k=64\ntune 9s choose(id, topDown(reduceMapFusion), fail)\nhistory\n";
    let ran = line(dir.path(), "dot", lines);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for said in [
        "== Tuned",
        "3 points, of which 3 were tried: ",
        "1 × ",
        "tune choose(id, topDown(reduceMapFusion), fail) on cpu",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
}

/// The best programs of a search are measured; who takes one gets that one, and a replay as well, searched again or not.
#[test]
fn the_best_programs_of_a_search_are_measured_and_one_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let search =
        "reach contains(reduceSeq) using { reduceMapFusion, useReduceSeq, blockedReduce(10), useMapSeq }";
    let lines = format!("sizes k=1000\nbest 4 {search}\nbest-pane\n1\n");
    let ran = line(dir.path(), "dot", &lines);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("4 programs of the search on cpu k=1000: "), "{}", ran.out);
    let rows: Vec<&str> = ran.out.lines().filter(|row| row.contains(" to ") && row.contains('█')).collect();
    assert!(rows.len() > 1 && ran.out.contains("agrees with the interpreter"), "{}", ran.out);
    // The second by its weight is another program than the first.
    let lines =
        format!("{search} with (best: 4, rank: 2)\nundo\n{search} with (best: 4)\nhistory\nsave my\n");
    let taken = line(dir.path(), "dot", &lines);
    assert_eq!(taken.code, 0, "{}", taken.out);
    let rank =
        |row: &str| row.trim_start_matches('>').split_whitespace().nth(1).unwrap_or_default().to_owned();
    let second = rows.iter().position(|row| rank(row) == "2");
    let place = second.map_or(String::new(), |at| format!("{}\nopen\n", at + 1));
    let lines = format!("sizes k=1000\nbest 4 {search}\nbest-pane\n{place}history\nterm\nsave other\n");
    let ran = line(dir.path(), "dot", &lines);
    assert_eq!(ran.code, 0, "{}", ran.out);
    // The fastest keeps the time that the list showed.
    let lines = format!("sizes k=1000\nbest 4 {search}\nbest-pane\n1\nopen\nbench-pane\nsave fastest\n");
    let ran = line(dir.path(), "dot", &lines);
    assert!(ran.code == 0 && !ran.out.contains("Nothing has been measured"), "{}", ran.out);
    let log = std::fs::read_to_string(dir.path().join("fastest.ron")).unwrap();
    assert_eq!(log.matches("Measured(").count(), 1, "{log}");
    for session in ["my.ron", "other.ron", "fastest.ron"] {
        for how in ["trail", "exact", "free"] {
            let mut again = std::process::Command::new(env!("CARGO_BIN_EXE_shine-tui"));
            again.args(["replay", session, "--search", how]).current_dir(dir.path());
            let again = again.output().unwrap();
            assert!(again.status.success(), "{session} {how}: {}", String::from_utf8_lossy(&again.stdout));
        }
    }
}

/// Sizes that are only proposed are not said to be there; an empty line takes them, and keeps those that are.
#[test]
fn proposed_sizes_are_told_from_those_that_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let file = sum_of_squares(dir.path());
    let ran = line_of(dir.path(), &file, "pin\ntopDown(useMapSeq)\ncompare\n");
    assert!(ran.out.contains("Sizes, proposed n=1048576 (an empty line takes that)?"), "{}", ran.out);
    let ran = line_of(dir.path(), &file, "tune 0s id\n\nstatus\nsizes\n\nstatus\n");
    assert!(ran.out.contains("proposed n=1048576") && ran.out.contains("n=1048576 ·"), "{}", ran.out);
    assert!(ran.out.contains("Sizes, now n=1048576? For example"), "{}", ran.out);
}

/// A program with one size.
fn sum_of_squares(dir: &Path) -> PathBuf {
    let file = dir.join("sq.rise");
    std::fs::write(&file, "def sq (a: n.f32): f32 = a |> map (\\x. x * x) |> reduce (+) 0").unwrap();
    file
}

/// What shows a rule of the program's own files is told as it works.
#[test]
fn what_shows_a_rule_of_ones_own_is_told_with_its_program() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("own rule.rise");
    std::fs::write(&file, "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)").unwrap();
    std::fs::write(
        dir.path().join("own rule.rules"),
        "--| Own.\nrule own = map f (map g xs) ~> map (\\x. f (g x)) xs\n",
    )
    .unwrap();
    let ran = line_of(dir.path(), &file, "apply own\napply mapFusion\n");
    let place = file.display();
    let hint = format!("`shine-tui rules --program '{place}' own` shows the rule.");
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&hint), "{}", ran.out);
    assert!(words.contains("`shine-tui rules mapFusion` shows the rule with an example."), "{}", ran.out);
    let shown = crate::cli_common::run(dir.path(), &["rules", "--program", "own rule.rise", "own"]);
    assert!(shown.code == 0 && shown.out.starts_with("rule own = "), "{}{}", shown.out, shown.err);
}

/// Two states are measured at several sizes, and what follows from it is written.
#[test]
fn two_states_are_measured_at_several_sizes_and_a_function_chooses() {
    let dir = tempfile::tempdir().unwrap();
    let file = sum_of_squares(dir.path());
    let lines = "dispatch out\n";
    assert_eq!(line_of(dir.path(), &file, lines).code, 1);
    let lines = "pin\nsweep n=1000,2000\n";
    let ran = line_of(dir.path(), &file, lines);
    assert!(ran.code == 1 && ran.out.contains("The pinned state is the present one"), "{}", ran.out);
    // That is said before sizes are asked for.
    let ran = line_of(dir.path(), &file, "pin\nsweep\n");
    assert!(ran.out.contains("The pinned state is the present one"), "{}", ran.out);
    assert!(!ran.out.contains("Measure both at which sizes"), "{}", ran.out);
    let lines =
        "pin\ntopDown(blockedReduce(8))\nsweep q=1..2\nsweep n=4\nsweep n=4000,16000\n\ndispatch out\n";
    let ran = line_of(dir.path(), &file, lines);
    for said in [
        "The program has no size `q`.",
        "at least two are compared",
        "== At several sizes",
        "A  revision 1",
        "n=16000",
        "revision 1 and revision 0 were measured at 2 sizes.",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    // Which is the faster one depends on the machine; where one is, its code is there.
    if ran.out.contains("dispatch FOLDER") {
        let text = std::fs::read_to_string(dir.path().join("out/sq.c")).unwrap();
        assert!(text.contains("void sq(") && ran.out.contains("files of a function that chooses"), "{text}");
    }
}

/// Times of two states that took turns are measurements of both: the history has them as prices, and the log replays.
#[test]
fn comparisons_are_recorded_and_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let file = sum_of_squares(dir.path());
    let lines = "pin\ntopDown(blockedReduce(8))\nsizes n=1000\ncompare\nsweep n=4000,16000\n\nhistory\nsave turns.ron\n";
    let ran = line_of(dir.path(), &file, lines);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let prices = |out: &str| {
        let rows = out.lines().filter(|row| row.contains("○ 0 ") || row.contains("● 1 "));
        rows.map(|row| row.replace("pinned  ", "")).collect::<Vec<_>>()
    };
    let rows = prices(&ran.out);
    // The session is where it was, at its own size: those are the prices that are shown.
    assert!(
        rows.len() >= 2 && rows.iter().all(|row| row.contains(" %)") && !row.contains("at n=")),
        "{}",
        ran.out
    );
    let log = std::fs::read_to_string(dir.path().join("turns.ron")).unwrap();
    assert_eq!(log.matches("Measured(").count(), 6, "{log}");
    for level in ["kernels", "results"] {
        let mut again = std::process::Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        again.args(["replay", "turns.ron", "--level", level]).current_dir(dir.path());
        let again = again.output().unwrap();
        assert!(again.status.success(), "{level}: {}", String::from_utf8_lossy(&again.stdout));
    }
    let resumed = line_of(dir.path(), &dir.path().join("turns.ron"), "history\n");
    assert_eq!(prices(&resumed.out), rows, "{}", resumed.out);
}

/// What is pointed at becomes a sketch, which is widened, counted, narrowed and searched for.
#[test]
fn a_sketch_is_made_of_the_selection_and_widened() {
    let dir = tempfile::tempdir().unwrap();
    let lines = "point\nsketch-pane\n2\nopen\nsketch-pane\nnarrow\nnarrow\nundo\n";
    let ran = line(dir.path(), "matmul", lines);
    let flat = |out: &str| out.split_whitespace().collect::<Vec<_>>().join(" ");
    let counted = "describes 1 of 38 sub-terms of the program, and one class of what 2 iterations of rules make of it, with one term of up to \
                   38 nodes";
    assert!(flat(&ran.out).contains(counted), "{}", ran.out);
    for said in [
        "of `\\a b. ",
        "all but its loops: anything",
        "containsMap(m, containsMap(n, containsReduce(k, ?)))",
        "The sketch has not been widened",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    // With a graph that is kept its classes are counted.
    let lines = "reach splitLoops(32, 32, 4) using splitRules with (nodes: 200, dims: 6, size: 200)\npoint\nsketch-pane\n";
    let ran = line(dir.path(), "matmul", lines);
    assert!(ran.out.contains("of the kept graph") && ran.out.contains("sub-terms  classes"), "{}", ran.out);
    // So are those of a search that has found something, with which no search goes on.
    let found = "reach baseline using baselineRules\npoint\nsketch-pane\n";
    let ran = line(dir.path(), "matmul", found);
    assert!(ran.out.contains("of the kept graph") && ran.out.contains("sub-terms  classes"), "{}", ran.out);
    assert!(!ran.out.contains("Its graph is kept"), "{}", ran.out);
    // And those of one that made its guides itself: of its last search.
    let ran = line(dir.path(), "matmul", "reach reorder1(32, 32, 4)\npoint\nsketch-pane\n");
    let counted = flat(&ran.out);
    assert!(counted.contains("of the kept graph, with ") && counted.contains(" of up to "), "{}", ran.out);
}

/// What was taken of the best programs once is gone to, and not made again.
#[test]
fn one_of_the_best_is_taken_once() {
    let dir = tempfile::tempdir().unwrap();
    let best = "best 2 reach contains(reduceSeq) using { useReduceSeq }\nbest-pane\nopen\n";
    let ran = line(dir.path(), "dot", &format!("sizes k=64\n{best}undo\nbest-pane\nopen\nhistory\n"));
    assert!(ran.out.contains(" was taken before: it is revision 1."), "{}", ran.out);
    let (_, history) = ran.out.rsplit_once("== History").unwrap();
    assert_eq!(history.matches("  now").count(), 1, "{history}");
    assert!(history.contains("● 1 ") && !history.contains("○ 2 "), "{history}");
}

/// Of two branches that nobody has measured the faster one is gone to; where both were measured, at once.
#[test]
fn the_better_of_two_branches_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    // A sum of one row after another, and the same in strides: of so many rows it is several times as slow.
    let slow = "topDown(reduceMapFusion)";
    let lines = format!(
        "sizes m=256 n=256 k=256\n{slow}\nundo\nblocking(4, 32, 4)\nselect .\nbetter\nbetter\nhistory\nquit\n"
    );
    let ran = line(dir.path(), "matmul", &lines);
    let kept = ran
        .out
        .lines()
        .find(|line| line.contains("is the faster branch"))
        .unwrap_or_else(|| panic!("{} {}", ran.out, ran.err));
    assert!(
        kept.contains("Revision 2") && kept.contains("as fast as revision 1, measured in turns"),
        "{kept}"
    );
    assert!(
        ran.out.contains("Of the branches that part at revision 0, revision 2 is the faster one"),
        "{}",
        ran.out
    );
}

/// What is named by keys on the screen is named by what can be typed here.
#[test]
fn what_is_said_of_keys_can_be_typed() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "dot", "select 0\ntopDown(mapFission)\nwhole\nwhole\nstop\n");
    assert!(ran.out.contains("`whole` in the prompt switches"), "{}", ran.out);
    assert!(ran.out.contains("on the whole program from now on"), "{}", ran.out);
    assert!(ran.out.contains("Nothing is running"), "{}", ran.out);
}

/// A search that met a limit goes on with its graph where that is raised, also for another sketch; and the log tells so,
/// searched again as well.
#[test]
fn a_search_goes_on_with_its_graph_and_replays() {
    let dir = tempfile::tempdir().unwrap();
    let with = |sketch: &str, nodes: usize| {
        format!("reach {sketch} using splitRules with (nodes: {nodes}, dims: 6, size: 200)\n")
    };
    let (goal, part) = ("splitLoops(32, 32, 4)", "contains(split 32 ?)");
    let held = "nodes: 200, freeze: [mapFission(1)]";
    let short = "nodes: 200, memory: 1MiB";
    let of = |options: &str| format!("reach {goal} using splitRules with ({options}, dims: 6, size: 200)\n");
    let lines = of(held)
        + &of(short)
        + &with(goal, 200)
        + &with(goal, 400)
        + &with(part, 400)
        + "undo\nsave my\nquit\n";
    let ran = line(dir.path(), "matmul", &lines);
    assert_eq!(ran.out.matches("Its graph is kept").count(), 4, "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("Found in"), "{} {}", ran.out, ran.err);
    let log = std::fs::read_to_string(dir.path().join("my.ron")).unwrap();
    assert_eq!(log.matches("paused").count(), 4, "{log}");
    assert!(
        log.contains("given_back: true")
            && log.contains("held: [Held(rule: \"mapFission\", after: iterations(1))]"),
        "{log}"
    );
    for way in ["trail", "exact"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        command.args(["replay", "my.ron", "--search", way]).current_dir(dir.path());
        command.env("SHINE_CONFIG_DIR", dir.path()).env("SHINE_STATE_DIR", dir.path().join("state"));
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, 0, "{way}: {} {}", ran.out, ran.err);
    }
}

#[test]
fn what_is_refused_says_why_and_ends_a_script_with_a_finding() {
    let dir = tempfile::tempdir().unwrap();
    for (lines, why) in [
        ("undo\n", "beginning of the session"),
        ("topDown(mapFusio)\n", "mapFusio"),
        ("zoom\n", "for the screen"),
        ("select 9\n", "no position"),
        ("sizes q=1\n", "no size"),
        ("sizes k=64 k=128\n", "The size `k` is given twice, as 64 and as 128."),
        ("undo twice\n", "takes nothing"),
        ("why splitJion\n", "Did you mean `splitJoin`?"),
        ("sizes k=64\ntune -3s id\n", "is no time"),
        ("sizes k=64\ntune 0s choose(id, id)\n", "In no time"),
        ("sizes k=64\ntune 5s id\n", "leaves nothing open"),
        ("best 3 id\n", "is not one search alone"),
        ("best 0 reach contains(reduceSeq)\n", "Between 1 and 50"),
        ("narrow\n", "has not been widened"),
        ("rules\n999\n", "the lines 1 to"),
        ("page-next\n", "means nothing here"),
        ("size k=100\n", "There is no command, strategy or rule `size`. Did you mean `sizes`?"),
        ("undoo\n", "Did you mean `undo`?"),
        ("goto 3\n", "no command, strategy or rule `goto`. `help` lists the commands."),
        ("splitJon 4\n", "Did you mean `splitJoin`?"),
        ("topDown reduceMapFusion\n", "Strategies are applied with parentheses"),
        ("topDwn(id)\n", "There is no strategy, rule or size `topDwn`"),
        ("topDwn(id)\n", "(E0301)\nDid you mean"),
        ("pin\nundo\nsweep n=1,2\n", "present one"),
        ("sizes\nm=4\n", "For example: k=1024"),
        ("pin\ntopDown(splitJoin(8))\nsweep\nm=4,8\n", "k=1024..65536, doubling)"),
        ("pin\ntopDown(splitJoin(8))\nsweep m=4,8\n", "Its only size is `k`."),
    ] {
        let ran = line(dir.path(), "dot", lines);
        assert_eq!(ran.code, 1, "{lines}: {}", ran.out);
        assert!(ran.out.contains(why), "{lines}: {}", ran.out);
    }
}

/// What is wrong with strategies is told without keys, and once.
#[test]
fn strategies_with_errors_are_told_line_by_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.rise");
    std::fs::write(&file, "def f (a: n.f32): n.f32 = map sqrt a").unwrap();
    std::fs::write(dir.path().join("f.elevate"), "strategy bad = topDown(").unwrap();
    let ran = line_of(dir.path(), &file, "page-close\ntopDown(useMapSeq)\n");
    let told = ran.out.contains("can be used meanwhile; `page-close` goes on.");
    assert!(ran.code == 0 && told && ran.out.contains("Revision 1"), "{}", ran.out);
}

/// Where nothing can be written what was done is kept: it is saved elsewhere, and whoever leaves is told why it is not there.
#[test]
fn a_session_without_a_folder_is_saved_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("state"), "").unwrap();
    let saved = |name: &str| {
        let mut again = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        again.args(["replay", name]).current_dir(dir.path()).env("SHINE_STATE_DIR", dir.path());
        let ran: Ran = again.output().unwrap().into();
        assert_eq!((ran.code, ran.out), (0, format!("{name}: agrees (1 action)\n")));
    };
    let work = "topDown(reduceMapFusion)\n";
    let ran = line(dir.path(), "dot", &format!("{work}save a/b/one\nquit\n"));
    assert!(
        ran.code == 0 && ran.err.contains("not on the disk") && ran.err.contains(":save FILE"),
        "{}",
        ran.err
    );
    saved("a/b/one.ron");
    let ran = line(dir.path(), "dot", &format!("{work}quit\ns\ntwo\nquit\n"));
    assert_eq!(ran.code, 0, "{}", ran.out);
    let why = "1 action of this session is not on the disk. The session log";
    assert!(ran.out.contains(why) && ran.out.contains("/state` is no folder."), "{}", ran.out);
    saved("two.ron");
    // A script that ends without is told.
    let ran = line(dir.path(), "dot", work);
    assert!(ran.code == 3 && ran.err.contains(why), "{} {}", ran.code, ran.err);
    // Nothing is advised that cannot be done any more.
    assert!(ran.err.contains("No line follows that could save it, so it is gone."), "{}", ran.err);
    // As soon as there is a folder, it is written.
    let session = "topDown(reduceMapFusion)\n";
    std::fs::remove_file(dir.path().join("state")).unwrap();
    assert_eq!(line(dir.path(), "dot", session).code, 0);
}

/// What the screen shows in a pane of a search that failed is told: why, and what to do; the same again where it fails again.
#[test]
fn a_search_that_fails_says_why_and_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let held =
        "reach contains(mapPar) using {useMapPar, transposeAroundM} with (freeze: [transposeAroundM(2)])\n";
    let ran = line(dir.path(), "matmul", held);
    let hint =
        "`transposeAroundM` stands for `transposeAroundNest` with arguments: write `transposeAroundNest`.";
    assert!(
        ran.out.contains("does not use the rule `transposeAroundM`") && ran.out.contains(hint),
        "{}",
        ran.out
    );
    let limited =
        "reach contains(map (map (map (map (map ?))))) using {mapFusion, mapFission} with (nodes: 300)\n";
    let ran = line(dir.path(), "matmul", &limited.repeat(2));
    assert_eq!(ran.out.matches("`with (nodes: ").count(), 2, "{}", ran.out);
}

/// What is shown of a search that goes on with the graph of another is of its own sketch, also where that is met at once.
#[test]
fn a_search_that_finds_at_once_shows_its_own_sketch() {
    let dir = tempfile::tempdir().unwrap();
    let with = |sketch: &str, nodes: usize| {
        format!("reach {sketch} using {{splitJoin(2), splitJoin(3)}} with (nodes: {nodes})\n")
    };
    let lines = with("contains(gather)", 900) + &with("contains(split 2)", 1000) + "search-pane\n";
    let ran = line(dir.path(), "matmul", &lines);
    let (_, pane) = ran.out.rsplit_once("towards").unwrap();
    assert!(pane.contains("Found") && pane.contains("contains(split 2)"), "{pane}");
    assert!(!pane.contains("contains(gather)"), "{pane}");
}

/// A session goes on in another file where that is named, and its own stays as it is; one whose file cannot be written is
/// opened all the same.
#[test]
fn a_session_goes_on_in_a_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let work = "topDown(reduceMapFusion)\nsave old.ron\n";
    assert_eq!(line(dir.path(), "dot", work).code, 0);
    let old = std::fs::read(dir.path().join("old.ron")).unwrap();
    let on = |args: &[&str], lines: &str| -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        command.args(args).current_dir(dir.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).env("SHINE_STATE_DIR", dir.path().join("state"));
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    };
    let replayed = |name: &str, actions: &str| {
        let ran = on(&["replay", name], "");
        assert!(ran.code == 0 && ran.out.contains(actions), "{name}: {}{}", ran.out, ran.err);
    };
    assert_eq!(on(&["line", "--session", "new.ron", "old.ron"], "undo\n").code, 0);
    assert_eq!(std::fs::read(dir.path().join("old.ron")).unwrap(), old);
    replayed("new.ron", "2 actions");
    let applied = on(&["apply", "old.ron", "-s", "id", "--session", "applied.ron"], "");
    assert_eq!(applied.code, 0, "{}", applied.err);
    replayed("applied.ron", "2 actions");
    assert_eq!(std::fs::read(dir.path().join("old.ron")).unwrap(), old);
    let there = on(&["apply", "old.ron", "-s", "id", "--session", "new.ron"], "");
    assert!(there.code == 2 && there.err.contains("E0918"), "{}", there.err);
    // What has the rights to write everything writes this, too.
    let mut rights = std::fs::metadata(dir.path().join("old.ron")).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(dir.path().join("old.ron"), rights).unwrap();
    if std::fs::OpenOptions::new().write(true).open(dir.path().join("old.ron")).is_err() {
        let ran = on(&["line", "old.ron"], "undo\nsave kept\n");
        assert!(
            ran.code == 0 && ran.err.contains("from here on is not on the disk"),
            "{}{}",
            ran.out,
            ran.err
        );
        replayed("kept.ron", "2 actions");
    }
}

/// What is warned of runs when the same line comes again, and no other line is taken for it.
#[test]
fn a_search_that_is_warned_of_runs_when_it_is_typed_again() {
    let dir = tempfile::tempdir().unwrap();
    let (work, search) = ("topDown(reduceMapFusion)\n", "reach contains(reduceSeq)\n");
    let ran = line(dir.path(), "dot", &format!("{work}{search}{search}"));
    assert!(ran.code == 0 && ran.out.contains("The same line once more"), "{}", ran.out);
    assert!(ran.out.contains("Revision 2: reach"), "{}", ran.out);
    let ran = line(dir.path(), "dot", &format!("{work}{search}undo\n{search}"));
    assert!(ran.code == 1 && ran.out.contains("rev 0/1"), "{}", ran.out);
}

/// As messages write a command of the screen, it works here too.
/// Another program that writes into the session's log is noticed at the next line, as on the screen.
#[test]
fn a_log_that_was_changed_is_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let file = sum_of_squares(dir.path());
    let log = dir.path().join("s.ron");
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.args(["line", "--session"]).arg(&log).arg(&file).current_dir(dir.path()).env("LC_ALL", "C.UTF-8");
    command
        .env("SHINE_CONFIG_DIR", dir.path().join("config"))
        .env("SHINE_STATE_DIR", dir.path().join("state"));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"topDown(reduceMapFusion)\n").unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("rev 1/1") {
        assert!(output.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let written = std::fs::read_to_string(&log).unwrap();
    // Its time of writing is another one also where the file system counts these coarsely.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    std::fs::write(&log, format!("{written}what another program wrote\n")).unwrap();
    input.write_all(b"status\nquit\n").unwrap();
    drop(input);
    output.read_to_string(&mut said).unwrap();
    let ended = child.wait().unwrap();
    assert!(ended.success() && said.contains("was changed by another program"), "{said}");
    let now = std::fs::read_to_string(&log).unwrap();
    assert!(now.starts_with(&written) && !now.contains("what another program wrote"), "{now}");
}

/// Rows that would read alike say where they are, and what does not apply is counted where it is shown.
#[test]
fn rules_at_places_of_the_same_name_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("two.rise");
    let text = "def two (a: n.f32) (b: n.f32): n.f32 =\n  zip (a |> map sqrt |> map abs) (b |> map sqrt |> map abs) |> map (\\p. fst p + snd p)";
    std::fs::write(&file, text).unwrap();
    let ran = line_of(dir.path(), &file, "rules\nall-rules\nrules\n");
    assert_eq!(ran.code, 0, "{}", ran.out);
    let list = ran.out.split("== Rules").nth(1).unwrap();
    // A place is named in the first of its rows.
    let (mut place, mut rows) = (String::new(), vec![]);
    for row in list.lines().filter_map(|row| row.split_once("✓ ")).map(|(_, row)| row) {
        let width = row.chars().take_while(|c| *c == ' ').count();
        let (name, rest) =
            if width > 1 { ("", row.trim_start()) } else { row.split_once("  ").unwrap_or((row, "")) };
        if !name.is_empty() {
            place = name.to_owned();
        }
        rows.push(format!("{place} | {}", rest.trim_start()));
    }
    let mut distinct = rows.clone();
    distinct.sort();
    distinct.dedup();
    assert!(rows.len() > 10 && rows.len() == distinct.len(), "{rows:#?}");
    let heads: Vec<&str> = ran.out.lines().filter(|line| line.contains(" places, ")).collect();
    assert!(heads.iter().any(|head| head.ends_with(" do not here")), "{heads:?}");
    assert!(!heads[0].contains("do not"), "{heads:?}");
}

/// A rule that asks of sizes what they do not meet is not among those that apply, whether or not it takes arguments.
#[test]
fn what_the_sizes_do_not_meet_is_not_offered() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.rise");
    std::fs::write(&file, "def f (a: n.f32): n.f32 = a |> map sqrt").unwrap();
    let turn = "reorder n (/\\i. (i + n/3) % n) (/\\i. (i + n - n/3) % n)";
    let rules = format!(
        "rule ownFours = map f (xs : n.t) ~> join (map (map f) (split 4 xs))\n\
         rule ownTurn = map f (xs : n.t) ~> map f ({turn} ({turn} ({turn} xs)))\n\
         rule ownSwap = map f (xs : n.t) ~> map f (reorder n (/\\i. n - 1 - i) (/\\i. n - 1 - i) \
         (reorder n (/\\i. n - 1 - i) (/\\i. n - 1 - i) xs))\n"
    );
    std::fs::write(file.with_extension("rules"), rules).unwrap();
    for (n, applies) in [(36, [true, true, true]), (33, [false, true, true]), (35, [false, false, true])] {
        // At the position of the map, and inside of the whole program.
        for go in ["", "select 0.\n"] {
            let ran = line_of(dir.path(), &file, &format!("sizes n={n}\n{go}rules\n"));
            let offered = ["ownFours", "ownTurn", "ownSwap"].map(|name| ran.out.contains(name));
            assert_eq!(offered, applies, "{n} {go}: {}", ran.out);
        }
    }
    let ran = line_of(dir.path(), &file, "sizes n=35\nselect 0.\nall-rules\nrules\n");
    assert!(ran.out.contains("ownFours") && ran.out.contains("do not"), "{}", ran.out);
}

#[test]
fn a_colon_before_a_command_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "dot", ":topDown(reduceMapFusion)\n: undo\n");
    assert!(ran.code == 0 && ran.out.contains("rev 0/1"), "{}", ran.out);
}

/// What is asked for is answered by the next line, and a list is picked from by numbers.
#[test]
fn questions_are_answered_by_the_next_line() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "dot", "sizes\nk=64\nrules\n1\npreview\nopen\n1\nhelp\n");
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("Sizes") && ran.out.contains("k=64"), "{}", ran.out);
    assert!(ran.out.contains(": term") && ran.out.contains("Revision 1: "), "{}", ran.out);
    assert!(ran.out.contains("undo") && ran.out.contains("Not now: "), "help lists commands: {}", ran.out);
}

/// Every word that the screen shows in a pane is in what the line mode prints of it, in every state of a session.
#[test]
fn both_show_the_same_facts() {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2).map(str::to_owned).collect()
    };
    let commands = ["topDown(reduceMapFusion)", "undo"];
    let mut screen = TestApp::new("dot", (200, 60), UNICODE);
    let plain = TestApp::new("dot", (200, 60), UNICODE);
    let mut dialogue = Dialogue::new(plain.app, 200);
    for command in commands {
        screen.press(":").type_text(command).press("Enter").idle();
        assert!(screen.app.popups.is_empty(), "{}", screen.text());
        dialogue.take(command);
        while dialogue.is_busy() {
            shine_tui::ui::actions::news(dialogue.app());
            dialogue.app().settle();
        }
        assert!(!dialogue.output().is_empty(), "{command}");
        for pane in Pane::ALL {
            let name = shine_tui::ui::panes::of(pane).reached_by.name();
            screen.app.focus.go(pane);
            screen.app.focus.zoomed = true;
            screen.app.touch_all();
            screen.app.settle();
            screen.idle();
            dialogue.take(name);
            while dialogue.is_busy() {
                shine_tui::ui::actions::news(dialogue.app());
                dialogue.app().settle();
            }
            let shown = screen.text();
            let printed = words(&dialogue.output());
            let body = shown.lines().skip(1).take(57).collect::<Vec<_>>().join("\n");
            for word in words(&body) {
                assert!(
                    printed.contains(&word),
                    "{name} after {command}: `{word}` of\n{shown}\nnot in {printed:?}"
                );
            }
        }
    }
}

/// What a tuning measured is a measurement of the state that it led to, and what is said of a strategy that changes nothing is
/// no refusal.
#[test]
fn a_tuned_state_has_its_price_and_warnings_end_no_script() {
    let dir = tempfile::tempdir().unwrap();
    let lines = "sizes k=64\ntune 9s choose(id, topDown(reduceMapFusion), fail)\nbench-pane\nhistory\ntry(mapFusion)\n";
    let ran = line(dir.path(), "dot", lines);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(!ran.out.contains("Nothing has been measured"), "{}", ran.out);
    let bench = ran.out.split("== Bench").nth(1).unwrap_or_default();
    assert!(bench.contains("k=64") && bench.contains("revision 1 on cpu"), "{}", ran.out);
    let row = ran.out.lines().find(|l| l.contains("● 1 ")).unwrap_or_default();
    let price = row.find(" µs").or(row.find(" ns"));
    assert!(price.is_some() && price < row.find("tune choose"), "{row}");
}

/// What was typed behind a command is not asked for again when sizes had to be asked for first.
#[test]
fn a_tuning_keeps_its_arguments_while_sizes_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sum.rise");
    std::fs::write(&file, "def sum (a: q.f32): f32 = a |> map (\\x. x * x) |> reduce (+) 0").unwrap();
    let ran = line_of(dir.path(), &file, "tune 9s choose(id, topDown(reduceMapFusion))\nq=64\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("Sizes") && ran.out.contains("== Tuned"), "{}", ran.out);
}

/// The fastest state is gone to with the way that leads there; that is recorded.
#[test]
fn the_way_to_the_fastest_state_is_shown_with_its_prices() {
    let dir = tempfile::tempdir().unwrap();
    // The present state is one that was not measured, so that there is somewhere to go.
    let lines = "sizes k=64\nbench\ntopDown(reduceMapFusion)\nbench\ntopDown(zipSwap)\nfastest\nsave way\n";
    let ran = line(dir.path(), "dot", lines);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let way = ran.out.split("== The way to revision ").nth(1).unwrap_or_default();
    let best = way.trim_start().chars().next().and_then(|c| c.to_digit(10)).unwrap();
    // Where the present state is the fastest, the next line is that of what was asked next.
    let states: Vec<&str> = way.lines().skip(1).take_while(|row| row.starts_with(['○', '●'])).collect();
    assert_eq!(states.len(), best as usize + 1, "{}", ran.out);
    assert!(states.iter().all(|row| row.contains(" %)")), "each has its price: {}", ran.out);
    let log = std::fs::read_to_string(dir.path().join("way.ron")).unwrap();
    assert!(
        log.contains(&format!("Goto(revision:{best}")) || log.contains(&format!("Goto(revision: {best}")),
        "{log}"
    );
    let mut again = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    let again = again.args(["replay", "way.ron"]).current_dir(dir.path()).output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
}

/// Right after a search its best programs are measured from where it began: what it found is there already. A program among them that
/// is a state already gives it its price.
#[test]
fn the_best_are_measured_right_after_their_search() {
    let dir = tempfile::tempdir().unwrap();
    let search = "reach contains(reduceSeq) using { useReduceSeq }";
    let lines = format!("sizes k=64\n{search}\nbest 2 {search}\nbest-pane\nhistory\nsave my\n");
    let ran = line(dir.path(), "dot", &lines);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("it begins in revision 0, as before"), "{}", ran.out);
    assert!(ran.out.contains("from revision 0"), "{}", ran.out);
    let (_, history) = ran.out.rsplit_once("== History").unwrap();
    let found = history.lines().find(|row| row.contains("● 1 ")).unwrap();
    assert!(found.contains(" ns") || found.contains(" µs"), "{history}");
    // What has the code of another one is no row of the ranking.
    assert!(!ran.out.contains("same code as rank"), "{}", ran.out);
    // Another search begins where the session is.
    let other = "reach contains(reduceSeq) using { useReduceSeq, reduceMapFusion }";
    let lines = format!("sizes k=64\n{search}\nbest 2 {other}\n");
    let ran = line(dir.path(), "dot", &lines);
    assert!(ran.code == 1 && ran.out.contains("The program is like this sketch as it is"), "{}", ran.out);
}

/// Sizes are typed as they are shown, also where several are alike.
#[test]
fn sizes_that_are_alike_are_typed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "matmul", "sizes m=n=k=256\nstatus\n");
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("m=256 n=256 k=256"), "{}", ran.out);
}

/// A chart that was closed is shown again.
#[test]
fn results_are_shown_again() {
    let dir = tempfile::tempdir().unwrap();
    let file = sum_of_squares(dir.path());
    let lines = "results\npin\ntopDown(blockedReduce(8))\nsweep n=1000,2000\n\nresults\n\nsizes n=1000\ncompare\n\nresults\n2\n";
    let ran = line_of(dir.path(), &file, lines);
    assert!(ran.out.contains("Nothing has come of work in the background yet"), "{}", ran.out);
    // As it came, alone, and chosen from two.
    assert_eq!(ran.out.matches("== At several sizes").count(), 3, "{}", ran.out);
    assert!(ran.out.contains("== Show which result again?") && ran.out.contains("1 In turns"), "{}", ran.out);
}

/// A sub-term below a `let` is metered as searches see it: they begin in normal form, in which it has no name.
#[test]
fn what_stands_below_a_let_is_metered_in_normal_form() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "jacobi2d", "select 0\npoint\nsketch-pane\n");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("as searches see it, in normal form, and one class of"), "{}", ran.out);
    assert!(!said.contains("with 0 terms") && !said.contains("describes 0 of"), "{}", ran.out);
}

/// A line that is too long is refused like any other, and the next one is taken.
#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let lines = format!("{}\ntopDown(reduceMapFusion)\n", "x".repeat(3 << 20));
    let ran = line(dir.path(), "dot", &lines);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{}", ran.out);
    assert!(ran.out.contains("A line of more than 1 MiB was left out"), "{}", ran.out);
    assert!(ran.out.contains("Revision 1: topDown(reduceMapFusion)"), "{}", ran.out);
}

/// A session that was saved under another name is not one that nobody left.
#[test]
fn a_session_is_left_under_its_first_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("it's.rise");
    std::fs::write(&file, "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)").unwrap();
    let ran = line_of(dir.path(), &file, "topDown(useMapSeq)\nsave one.ron\nsave two.ron\nquit\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let listed = run(dir.path(), &["sessions"]);
    assert!(listed.out.contains("one.ron") && listed.out.contains("two.ron"), "{}", listed.out);
    assert!(!listed.out.contains("unfinished"), "{}", listed.out);
    // One that nobody left is named as a shell reads it.
    let mut child = begun(dir.path(), &file);
    let log = || std::fs::read_dir(dir.path().join("state/sessions")).into_iter().flatten().flatten();
    child.stdin.as_mut().unwrap().write_all(b"topDown(useMapSeq)\n").unwrap();
    let begin = std::time::Instant::now();
    while !log().any(|log| std::fs::read_to_string(log.path()).unwrap().lines().count() == 2) {
        assert!(begin.elapsed() < crate::pty_common::PATIENCE, "nothing is recorded");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for ran in [line_of(dir.path(), &file, ""), run(dir.path(), &["apply", "it's.rise", "-s", "id"])] {
        assert!(ran.err.contains("was never left") && ran.err.contains("/it'\\''s-"), "{}", ran.err);
    }
    // Of two that are the same file it is told once.
    let both = run(dir.path(), &["bench", "it's.rise", "--size", "n=64", "--against", "./it's.rise"]);
    assert_eq!((both.code, both.err.matches("was never left").count()), (0, 1), "{}", both.err);
}

/// `shine-tui line`, to be talked to.
fn begun(dir: &Path, file: &Path) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.arg("line").arg(file).args(["--size", "n=4194304"]).current_dir(dir).env("LC_ALL", "C.UTF-8");
    command.env("SHINE_CONFIG_DIR", dir.join("config")).env("SHINE_STATE_DIR", dir.join("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A line that stops what runs, or asks after it, speaks of what the lines before it have begun, and of nothing that begins by itself.
#[test]
fn jobs_are_those_of_the_lines_before() {
    let dir = tempfile::tempdir().unwrap();
    let ran = line(dir.path(), "dot", "sizes k=64\njobs\nbench\njobs\nhistory\n");
    assert!(place_of(&ran.out, "[dot · rev 0/0") < place_of(&ran.out, "Nothing is running."), "{}", ran.out);
    let last = ran.out.rfind("== Jobs").unwrap();
    assert!(ran.out[last..].contains("bench cpu"), "{}", ran.out);
    // A tuning without end is ended by the line behind it, and the next line is taken.
    let ran = line(dir.path(), "dot", "sizes k=64\ntune 600s topDown(splitJoin(?))\ncancel\nhistory\n");
    assert!(place_of(&ran.out, "Stopping `tune") < place_of(&ran.out, "== History"), "{}", ran.out);
}

fn place_of(said: &str, text: &str) -> usize {
    said.find(text).unwrap_or_else(|| panic!("{text}: {said}"))
}

/// Ctrl-C ends a tuning with the best so far. Where nobody sits there, it ends the session after that, and in order.
#[test]
fn an_interrupted_script_says_how_far_it_came() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.rise");
    std::fs::write(&file, "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)").unwrap();
    let mut child = begun(dir.path(), &file);
    let mut input = child.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"tune 600s topDown(splitJoin(?))\n").unwrap();
    let mut said = String::new();
    let begin = std::time::Instant::now();
    while !said.contains("best ") {
        assert!(begin.elapsed() < crate::pty_common::PATIENCE, "{said}");
        std::thread::sleep(std::time::Duration::from_millis(100));
        input.write_all(b"jobs\n").unwrap();
        output.read_line(&mut said).unwrap();
    }
    input.write_all(b"topDown(useMapSeq)\n").unwrap();
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(sent.unwrap().success());
    output.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("Stopping `tune") && said.contains("== Tuned"), "{said}");
    // It goes where the best is, unless it says that the state before was faster.
    assert!(said.contains("rev 1/1") != said.contains("so it stays"), "{said}");
    assert!(!said.contains("Revision 2"), "{said}");
    let listed = run(dir.path(), &["sessions"]);
    assert!(listed.out.contains("action") && !listed.out.contains("unfinished"), "{}", listed.out);
}

/// A dialogue on a kernel, with these lines taken, and what the last one printed.
fn after_lines(kernel: &str, lines: &[&str]) -> (Dialogue, String) {
    let opened = TestApp::new(kernel, (200, 60), UNICODE);
    let mut dialogue = Dialogue::new(opened.app, 200);
    let mut printed = String::new();
    for line in lines {
        settled(&mut dialogue, |dialogue| {
            dialogue.awaits(line);
        });
        dialogue.output();
        settled(&mut dialogue, |dialogue| dialogue.take(line));
        printed = dialogue.output();
    }
    // The files of the test are none of the disk, which is said once.
    let of_line = printed.lines().filter(|line| !line.contains(" are gone from the disk. "));
    let printed = of_line.map(|line| format!("{line}\n")).collect();
    (dialogue, printed)
}

/// Does something and waits until all is done that it began.
fn settled(dialogue: &mut Dialogue, act: impl FnOnce(&mut Dialogue)) {
    act(dialogue);
    while dialogue.is_busy() {
        shine_tui::ui::actions::news(dialogue.app());
        dialogue.app().settle();
    }
}

/// What a line changes of what is seen is printed: of the pane that it is about, which need not have been looked at.
#[test]
fn what_a_line_changes_of_what_is_seen_is_printed() {
    let code = |lines: &[&str]| after_lines("dot", lines).1;
    let (shown, before) = (code(&["kernel"]), code(&["kernel", "previous-stage"]));
    assert!(before.starts_with("== Kernel\n") && before != shown, "{before}");
    assert_eq!(code(&["kernel", "previous-stage", "next-stage"]), shown);
    let all = code(&["all-rules"]);
    assert!(all.starts_with("== Rules\n") && all.contains(" do not here"), "{all}");
    let (mut dialogue, other) = after_lines("dot", &["rules", "target"]);
    assert!(other.starts_with("== Kernel\n") && other.contains("CLK_LOCAL_MEM_FENCE"), "{other}");
    // The keys are where they were.
    assert_eq!(dialogue.app().focus.pane, Pane::Rules);
    let selected = code(&["kernel", "select 0.0"]);
    assert!(selected.contains("reduce (0.0) : f32") && selected.contains("\n> "), "{selected}");
    assert!(code(&["next-pane"]).starts_with("== "));
    // What tells of itself prints no pane besides.
    for told in ["pin", "sizes k=64", "topDown(reduceMapFusion)", "status", "nosuchcommand(", "device cpu"] {
        let printed = code(&["rules", told]);
        assert!(!printed.is_empty() && !printed.contains("== "), "{told}: {printed}");
    }
}

/// Where a command changes the screen, the same command as a line is answered.
#[test]
fn no_command_that_changes_the_screen_is_without_an_answer() {
    for command in Commands::ALL.iter().filter(|c| c.context() == Context::Screen && !c.needs_a_screen()) {
        // These leave, or stop what runs; and that its files are none of the disk is what `reload` answers here.
        if matches!(command, Commands::Quit | Commands::Interrupt | Commands::Reload) {
            continue;
        }
        let mut screen = TestApp::new("dot", (200, 60), UNICODE);
        screen.press("3").idle();
        let before = screen.text();
        screen.press(":").type_text(command.name()).press("Enter").idle();
        let changes = screen.text() != before;
        let answered = || !after_lines("dot", &["rules", command.name()]).1.is_empty();
        assert!(!changes || answered(), "{}: {}", command.name(), screen.text());
    }
}

/// The help lists no command that is for the screen: each of these is refused, and no other one is.
#[test]
fn help_lists_what_can_be_given_as_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let help = line(dir.path(), "dot", "help\n").out;
    let listed: Vec<&str> = help.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    for command in Commands::ALL.iter().filter(|c| c.context() == Context::Screen) {
        assert_eq!(listed.contains(&command.name()), !command.needs_a_screen(), "{}: {help}", command.name());
    }
    for command in Commands::ALL.iter().filter(|c| c.needs_a_screen()) {
        let (dialogue, said) = after_lines("dot", &[command.name()]);
        assert!(
            dialogue.refused() == 1 && (said.contains("for the screen") || said.contains("No editor")),
            "{said}"
        );
    }
}
