//! What is handed over to those who have not got the tool, through the binary.

use crate::cli_common::{run, run_with};
use crate::emit_common;
use crate::line::line_of;
use shine_tui::device::stats::compare_turns;
use shine_tui::emit::compile;
use shine_tui::emit::dispatch::{Way, dispatch};
use shine_tui::emit::kernel::Kernel;
use shine_tui::lang::constraint::SizeConstraint;
use shine_tui::lang::digest::Digest;
use shine_tui::lang::nat::Nat;
use shine_tui::lang::path::Path as Position;
use shine_tui::lower::{Target, default_lowering};
use shine_tui::session::action::{Measurement, Sizes};
use shine_tui::session::bench::{Outputs, Pair};
use shine_tui::session::dispatch::{Side, files, in_the_way, write};
use shine_tui::session::files::{Places, read};
use shine_tui::session::jobs::Control;
use shine_tui::session::searching::Replayed;
use shine_tui::session::sweep::Point;
use shine_tui::session::whole::Asked;
use shine_tui::session::workspace::Workspace;
use std::path::Path;
use std::process::Command;

fn folder_of(lines: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.rise");
    std::fs::write(&file, lines).unwrap();
    let file = file.display().to_string();
    (dir, file)
}

#[test]
fn the_page_of_a_session_has_all_of_it_and_loads_nothing() {
    let (dir, file) = folder_of(
        "--| Adds <b>one</b> & <script>alert(1)</script>.\ndef f (a: n.f32): n.f32 = a |> map (\\x. x + 1)",
    );
    let dir = dir.path();
    let session = ["bench", &file, "-s", "topDown(useMapSeq)", "--size", "n=64", "--session", "s.ron"];
    assert_eq!(run(dir, &session).code, 0);
    let ran = run(dir, &["export", "s.ron", "--html", "s.html"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "s.html\n"), "{}", ran.err);
    let page = std::fs::read_to_string(dir.join("s.html")).unwrap();
    let mut shown = String::new();
    let mut rest = page.as_str();
    while let Some((text, tag)) = rest.split_once('<') {
        shown += text;
        rest = tag.split_once('>').unwrap().1;
    }
    for part in
        ["History", "Measured times", "mapSeq", "void f(", "topDown(useMapSeq)", "Environment", "n = 64"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains(" src="), "{page}");
    // What the times were measured with is there, and many parts of a kind are led to as one.
    for part in ["-O3", "hardware threads", "Stages on the way to the code ("] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(page.matches("<li>").count() < 16, "{page}");
    // Nothing is replaced without a word.
    assert_eq!(run(dir, &["export", "s.ron", "--html", "s.html"]).code, 2);
    assert_eq!(run(dir, &["export", "s.ron", "--html", "s.html", "--force"]).code, 0);
    assert_eq!(run(dir, &["export", "s.ron"]).code, 2);
    // What the device allows is measured where that is asked for, and sketches that were searched for are told.
    let search = "reach contains(mapSeq) using { useMapSeq }";
    let ran = run(dir, &["export", "s.ron", "--html", "roof.html", "--roofline"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let page = std::fs::read_to_string(dir.join("roof.html")).unwrap();
    assert!(page.contains("Roofline of cpu") && page.contains("of what is allowed"), "{page}");
    assert_eq!(run(dir, &["export", &file, "-s", search, "--html", "found.html"]).code, 0);
    let page = std::fs::read_to_string(dir.join("found.html")).unwrap();
    assert!(page.contains(">Sketches</h2>") && page.contains("contains(mapSeq): "), "{page}");
    // As a report for systems of continuous integration.
    std::fs::write(dir.join("<bad>.ron"), "no session").unwrap();
    assert_eq!(run(dir, &["replay", "s.ron", "<bad>.ron", "--junit", "report.xml"]).code, 2);
    let report = std::fs::read_to_string(dir.join("report.xml")).unwrap();
    assert!(report.contains("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\""), "{report}");
    assert!(report.contains("name=\"s.ron\"></testcase>") && report.contains("&lt;bad&gt;.ron"), "{report}");
    // What cannot be read is told with its code and its cause, in both reports.
    assert!(
        report.contains("<error type=\"E0801\" message=\"E0801: This is not a session log.\">"),
        "{report}"
    );
    assert!(report.contains("Its first line is no header: "), "{report}");
    let ran =
        run(dir, &["replay", "<bad>.ron", "s.ron", "none.ron", "<bad>.ron", "--json", "--level", "terms"]);
    assert_eq!(ran.code, 2);
    let listed: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let of = |i: usize| (&listed[i]["file"], &listed[i]["verdict"], &listed[i]["error"]["code"]);
    assert_eq!(listed.as_array().unwrap().len(), 4, "{}", ran.out);
    for i in [0, 3] {
        assert_eq!(of(i), (&"<bad>.ron".into(), &"not replayed".into(), &"E0801".into()));
        assert_eq!(listed[i]["error"]["message"], "This is not a session log.");
    }
    assert_eq!(of(1), (&"s.ron".into(), &"agrees".into(), &serde_json::Value::Null));
    assert_eq!(of(2), (&"none.ron".into(), &"not replayed".into(), &"E0800".into()));
}

/// A comment behind a step, or a step that binds less than `;`, changes nothing of what is put around it.
#[test]
fn a_strategy_that_was_typed_with_comments_is_exported_so_that_it_can_be_read() {
    let (dir, file) =
        folder_of("def two (x: n.m.f32): n.m.f32 = x |> map (map (\\v. v+1)) |> map (map (\\v. v*v))");
    let dir = dir.path();
    for lines in [
        "topDown(useMapPar) -- note\n",
        "topDown(useMapPar) -- one\ntopDown(useMapSeq) <+ id -- two )\n",
        "topDown(useMapPar)\nselect 0\ntopDown(useMapSeq) <+ id -- three\n",
    ] {
        for old in ["c.ron", "f.elevate"] {
            let _ = std::fs::remove_file(dir.join(old));
        }
        let said = line_of(dir, Path::new(&file), &format!("{lines}save c.ron\n"));
        assert!(said.code == 0 && said.out.contains("saved in c.ron"), "{}{}", said.out, said.err);
        assert_eq!(run(dir, &["export", "c.ron", "--folder", "cf", "--force"]).code, 0);
        let strategy = std::fs::read_to_string(dir.join("cf/strategy.elevate")).unwrap();
        std::fs::write(dir.join("f.elevate"), &strategy).unwrap();
        let there = run(dir, &["compile", "c.ron", "--emit", "rise"]);
        let again = run(dir, &["compile", &file, "-s", "twoExported", "--emit", "rise"]);
        assert_eq!((again.code, &again.out), (0, &there.out), "{strategy}{}", again.err);
    }
}

#[test]
fn the_folder_builds_and_its_strategy_leads_there() {
    let (dir, file) = folder_of("def f (a: n.f32): n.f32 = a |> map (\\x. x * x) |> map (\\x. x + 1)");
    let dir = dir.path();
    let export = ["export", &file, "-s", "topDown(mapFusion)", "-s", "topDown(useMapSeq)", "--folder", "out"];
    let ran = run(dir, &export);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let made = Command::new("make").current_dir(dir.join("out")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(dir.join("out/libf.so").exists());
    let strategy = std::fs::read_to_string(dir.join("out/strategy.elevate")).unwrap();
    std::fs::write(Path::new(&file).with_extension("elevate"), strategy).unwrap();
    let again = run(dir, &["compile", &file, "-s", "fExported", "--emit", "rise"]);
    let rewritten = std::fs::read_to_string(dir.join("out/rewritten.rise")).unwrap();
    let (rewritten, _) = rewritten.rsplit_once("-- Generated by shine-tui up to here: ").unwrap();
    assert_eq!((again.code, again.out.trim()), (0, rewritten.trim()), "{}", again.err);
}

/// A strategy may be of the user's own rules and strategies, in several files, of a program that imports another one.
#[test]
fn the_strategy_of_a_folder_runs_where_the_folder_is() {
    let (dir, file) = folder_of(
        "import parts\ndef g (a: n.f32): n.f32 = a |> map (\\x. once x + 0)\ndef f (a: n.f32): n.f32 = a |> map (\\x. once x)",
    );
    let dir = dir.path();
    std::fs::create_dir(dir.join("more")).unwrap();
    for (name, text) in [
        ("parts.rise", "def once (x: f32): f32 = x + x"),
        ("f.rules", "rule twice = (x : f32) + x ~> x * 2"),
        ("f.elevate", "import helpers\nstrategy mine(n) = topDown(twice) ; help(n)"),
        ("helpers.elevate", "strategy help(n) = topDown(splitJoin(n)) ; other"),
        ("more/z.elevate", "strategy other = topDown(useMapSeq)"),
    ] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let more = dir.join("more").display().to_string();
    let export = ["export", &file, "--def", "g", "--rules", &more, "-s", "mine(4)", "--folder", "out"];
    let ran = run(dir, &export);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let out = dir.join("out");
    let strategy = std::fs::read_to_string(out.join("strategy.elevate")).unwrap();
    let command = strategy.lines().next().unwrap().strip_prefix("-- shine-tui ").unwrap();
    let again = run(&out, &command.split_whitespace().collect::<Vec<_>>());
    let there = run(dir, &["apply", &file, "--def", "g", "--rules", &more, "-s", "mine(4)"]);
    assert_eq!((again.code, &again.out), (0, &there.out), "{}{}", again.err, there.err);
}

/// A strategy that asks which sizes were given leads to the same program only where these are given again.
#[test]
fn commands_that_are_handed_over_give_the_sizes_on_which_the_steps_depend() {
    let (dir, file) = folder_of("def f (a: n.f32): n.f32 = a |> map (\\x. x + 1) |> map (\\x. x * x)");
    let dir = dir.path();
    let by_size =
        "strategy bySize = topDown(isFullyAppliedMap ; ifThenElse(hasMoreThan(100), useMapSeq, useMapPar))";
    std::fs::write(dir.join("f.elevate"), by_size).unwrap();
    let rewritten = |name: &str| {
        let text = std::fs::read_to_string(dir.join(name).join("rewritten.rise")).unwrap();
        text.rsplit_once("-- Generated by").unwrap().0.trim().to_owned()
    };
    let command = |name: &str| {
        let strategy = std::fs::read_to_string(dir.join(name).join("strategy.elevate")).unwrap();
        strategy.lines().next().unwrap().to_owned()
    };
    let made_by = |dir: &Path, words: &[&str]| {
        let ran = run(dir, words);
        ran.out
            .lines()
            .filter(|line| !line.starts_with("-- "))
            .collect::<Vec<_>>()
            .join("\n")
            .trim()
            .to_owned()
    };
    for (size, pattern) in [("n=200", "mapSeq"), ("n=50", "mapPar")] {
        let name = format!("out-{size}");
        let ran = run(dir, &["export", &file, "-s", "bySize", "--size", size, "--folder", &name]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(rewritten(&name).contains(pattern), "{}", rewritten(&name));
        let line = command(&name);
        let words: Vec<&str> = line.strip_prefix("-- shine-tui ").unwrap().split_whitespace().collect();
        assert_eq!(made_by(&dir.join(&name), &words), rewritten(&name), "{line}");
    }
    // What asks for no size runs at any.
    let plain = ["export", &file, "-s", "topDown(useMapSeq)", "--size", "n=200", "--folder", "plain"];
    assert_eq!(run(dir, &plain).code, 0);
    assert!(!command("plain").contains("--size"), "{}", command("plain"));
    // The sizes at which a step ran count, not those that were given later; of steps at several sizes no command tells.
    let said = line_of(dir, Path::new(&file), "sizes n=200\nbySize\nsizes n=50\ncopy-command\nsave s.ron\n");
    let copied = said.out.lines().find(|line| line.starts_with("shine-tui apply")).unwrap_or(&said.out);
    assert!(copied.contains(" --size n=200 ") && !copied.contains("n=50"), "{}", said.out);
    assert_eq!(run(dir, &["export", "s.ron", "--folder", "later"]).code, 0);
    assert!(command("later").contains(" --size n=200 "), "{}", command("later"));
    let lines = "sizes n=200\nbySize\nsizes n=50\nbySize\ncopy-command\nsave two.ron\n";
    let said = line_of(dir, Path::new(&file), lines);
    let no_command = "(n=200; n=50), so no command leads here";
    assert!(said.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(no_command), "{}", said.out);
    assert_eq!(run(dir, &["export", "two.ron", "--folder", "two"]).code, 0);
    assert!(command("two").contains("(n=200; n=50): no command leads there"), "{}", command("two"));
}

/// Threads that sleep between loops are told where loops run on threads, and nowhere else.
#[test]
fn threads_that_sleep_are_told_beside_times_of_threads() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        return;
    }
    let (dir, file) = folder_of("def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)");
    let asleep = [("OMP_WAIT_POLICY", "passive")];
    let says = |words: &[&str]| {
        let ran =
            run_with(dir.path(), &[&[words[0], &file, "--size", "n=1000000"], &words[1..]].concat(), &asleep);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        (ran.out + &ran.err).contains("OMP_WAIT_POLICY=passive")
    };
    assert!(!says(&["bench", "-s", "topDown(useMapSeq)"]));
    assert!(says(&["bench", "-s", "topDown(useMapPar)"]));
    let open = "topDown(splitJoin(?p in {32, 64})) ; topDown(useMapPar)";
    assert!(says(&["tune", "-s", open, "--for", "2s"]));
}

/// All files are looked at before any is written.
#[test]
fn an_export_is_replaced_as_a_whole_or_not_at_all() {
    let (dir, file) = folder_of("def f (a: n.f32): n.f32 = a |> map (\\x. x * x)");
    let dir = dir.path();
    let export =
        |more: &[&str]| run(dir, &[&["export", &file, "--folder", "out", "--html", "f.html"], more].concat());
    assert_eq!(export(&[]).code, 0);
    const NAMES: [&str; 6] =
        ["out/f.c", "out/f.h", "out/program.rise", "out/rewritten.rise", "out/Makefile", "f.html"];
    let read = |name: &&str| std::fs::read_to_string(dir.join(name)).unwrap();
    let all = || NAMES.iter().map(read).collect::<Vec<_>>();
    let all_but_the_page = || NAMES[..5].iter().map(read).collect::<Vec<_>>();
    let before = all();
    let other = ["-s", "topDown(splitJoin(8))"];
    let refused = export(&other);
    assert!(refused.code == 2 && refused.err.contains("E0918") && refused.out.is_empty(), "{}", refused.err);
    assert_eq!(all(), before);
    std::fs::remove_file(dir.join("f.html")).unwrap();
    // What somebody wrote or changed is in the way, whichever of the files it is.
    for name in ["f.c", "program.rise", "rewritten.rise", "Makefile"] {
        let file = dir.join("out").join(name);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replacen('f', "g", 1)).unwrap();
        let refused = export(&other);
        assert!(refused.code == 2 && !dir.join("f.html").exists(), "{name}: {}", refused.err);
        for said in ["`--folder`", name, "was changed after that"] {
            assert!(refused.err.contains(said), "{said}: {}", refused.err);
        }
        std::fs::write(&file, text).unwrap();
    }
    assert_eq!(all_but_the_page(), before[..5]);
    // What was generated is not.
    assert_eq!(export(&other).code, 0);
    assert!(all()[0] != before[0]);
    std::fs::write(dir.join("out/Makefile"), "all:\n").unwrap();
    assert_eq!(export(&[&other[..], &["--force"]].concat()).code, 0);
}

#[test]
fn the_doctor_says_what_is_there_and_what_is_missing() {
    let (dir, _) = folder_of("");
    let dir = dir.path();
    // A mistake in the configuration is found.
    std::fs::create_dir(dir.join("config")).unwrap();
    std::fs::write(dir.join("config/keys.ron"), "[(command: \"fly\", keys: [])]").unwrap();
    let ran = run_with(dir, &["doctor", "--json"], &[("OMP_WAIT_POLICY", "passive")]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let of = |what: &str| {
        findings.iter().find(|f| f["what"] == what).unwrap_or_else(|| panic!("{what}: {report}"))
    };
    for what in ["C compiler", "a program", "sessions", "temporary"] {
        assert_eq!(of(what)["state"], "good", "{what}: {report}");
    }
    // Threads that sleep between loops are told, and what lets them.
    let threads = of("threads");
    assert_eq!(threads["state"], "without", "{report}");
    assert!(threads["advice"].as_str().unwrap().contains("`OMP_WAIT_POLICY=passive`"), "{report}");
    // Those are counted on which a loop ran.
    let most = std::thread::available_parallelism().unwrap().get();
    let one = if most == 1 { "1".to_owned() } else { format!("1 of {most}") };
    let said = run_with(dir, &["doctor"], &[("OMP_NUM_THREADS", "1")]).out;
    assert!(said.contains(&format!(" {one}, and as the environment says: OMP_NUM_THREADS=1")), "{said}");
    let configuration = of("configuration");
    assert!(configuration["found"].as_str().unwrap().contains("`fly` is no command"), "{report}");
    assert_eq!((ran.code, configuration["state"].as_str()), (3, Some("wrong")), "{report}");
    // So is one in rules or strategies that every command reads; and no folder is made to say that there is one.
    std::fs::remove_file(dir.join("config/keys.ron")).unwrap();
    std::fs::write(dir.join("config/bad.elevate"), "strategy x = nope(").unwrap();
    let none = dir.join("none").display().to_string();
    let ran = run_with(dir, &["doctor"], &[("TMPDIR", &none), ("SHINE_STATE_DIR", &none)]);
    for said in
        ["bad.elevate: ", "There is no folder ", "Nothing was looked at", "which is made when it is needed"]
    {
        assert!(ran.code == 3 && ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert!(!dir.join("none").exists() && !ran.out.contains("Install a C compiler"), "{}", ran.out);
    // Of a compiler that does not work nothing is said as of OpenCL, and a folder that cannot be made is not said to be.
    std::fs::remove_file(dir.join("config/bad.elevate")).unwrap();
    std::fs::remove_dir(dir.join("config")).unwrap();
    let ran = run_with(dir, &["doctor"], &[("CC", "/bin/false"), ("SHINE_STATE_DIR", "/proc/none")]);
    let lines = |what: &str| ran.out.lines().filter(|line| line.contains(what)).collect::<Vec<_>>();
    assert!(lines("  OpenCL").iter().all(|line| !line.contains("C compiler")), "{}", ran.out);
    assert!(lines("  C compiler").iter().all(|line| line.starts_with("WRONG")), "{}", ran.out);
    assert!(lines("  sessions").iter().all(|line| line.starts_with("WRONG")), "{}", ran.out);
    assert!(lines("  configuration").iter().all(|line| line.contains("is not there")), "{}", ran.out);
}

/// A file in the place of the state folder is named, with what names it, by all that would read or write there.
#[test]
fn a_file_in_the_place_of_the_state_folder_is_told() {
    let (dir, program) = folder_of("def f (a: n.f32) = map sqrt a");
    let dir = dir.path();
    let file = dir.join("file").display().to_string();
    std::fs::write(&file, "").unwrap();
    let within = format!("{file}/state");
    for (named, why) in [
        (&file, format!("SHINE_STATE_DIR names `{file}`, which is no folder.")),
        (&within, format!("SHINE_STATE_DIR names `{within}`, and `{file}` is no folder.")),
    ] {
        let run = |args: &[&str]| run_with(dir, args, &[("SHINE_STATE_DIR", named)]);
        for args in [&["sessions"][..], &["sessions", "--json"], &["tune", "--forget"], &["tune", "--kept"]] {
            let ran = run(args);
            let said = ran.out + &ran.err;
            assert!(said.contains(&why) && said.contains("Name a folder in SHINE_STATE_DIR."), "{said}");
            assert!(!said.contains("--forget"), "it would remove nothing: {said}");
            assert_eq!(ran.code, if args.contains(&"--kept") { 0 } else { 2 }, "{args:?}: {said}");
        }
        let ran = run(&["line", &program]);
        assert!(ran.err.contains(&why) && ran.err.contains("`:save FILE`"), "{}", ran.err);
        let ran = run(&["doctor"]);
        assert!(ran.out.contains("is no folder.") && ran.out.contains("Move that file away"), "{}", ran.out);
    }
}

/// On a full disk files can be made, but nothing be put into them; here none may be that long.
#[test]
fn the_doctor_writes_to_see_whether_that_can_be_done() {
    let (dir, _) = folder_of("");
    std::fs::create_dir(dir.path().join("state")).unwrap();
    let limited = format!("ulimit -f 1; exec '{}' doctor", env!("CARGO_BIN_EXE_shine-tui"));
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &limited]).current_dir(dir.path()).env("LC_ALL", "C");
    command.env("SHINE_CONFIG_DIR", dir.path().join("config"));
    let output = command.env("SHINE_STATE_DIR", dir.path().join("state")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    let sessions = said.lines().find(|line| line.contains("sessions")).unwrap();
    assert!(sessions.starts_with("WRONG") && sessions.contains("Nothing can be written to"), "{said}");
    assert_eq!(std::fs::read_dir(dir.path().join("state")).unwrap().count(), 0, "nothing is left there");
}

/// Two states at a size, with their times in microseconds.
fn point(n: i64, times: [u64; 2]) -> Point {
    let runs = times.map(|us| (0..30).map(|i| us * (1000 + i % 5)).collect::<Vec<u64>>());
    let measured = |us: u64| Measurement {
        device: "cpu".to_owned(),
        kernel: Digest::of(b"kernel"),
        sizes: Sizes::from_iter([("n".into(), n)]),
        median_ns: us as f64 * 1e3,
        interval_ns: (us as f64 * 1e3, us as f64 * 1e3),
        runs: 30,
        parts: vec![],
        flops: None,
        integer_operations: None,
        bytes: None,
        check: String::new(),
        max_error: None,
        warnings: vec![],
        in_turns: false,
    };
    let comparison = compare_turns(&runs[0], &runs[1]).unwrap();
    Point {
        size: n,
        pair: Pair {
            first: measured(times[0]),
            second: measured(times[1]),
            comparison,
            outputs: Outputs::Agree,
        },
    }
}

/// What divides integers tells where there is no quotient, and so does what chooses it.
#[test]
fn a_function_that_chooses_tells_what_the_chosen_one_does() {
    let kernel = |name: &str, body: &str| {
        let text = format!("def {name} (a: n.i32): n.i32 = map (\\x. {body}) a");
        let program = default_lowering(&emit_common::parse(&text)).unwrap();
        compile(&program, Target::C, None).unwrap().into_kernel()
    };
    let (divides, adds) = (kernel("q_a", "7 / x"), kernel("q_b", "x + 7"));
    let way = |kernel, from| Way { kernel, from, below: None, needs: vec![] };
    let of = |first, second| dispatch("q", "n", &[way(first, Some(8)), way(second, None)], &[]).unwrap().text;
    let tells = of(&divides, &adds);
    assert!(tells.contains("int q(int* restrict output, int n, const int* restrict a) {"), "{tells}");
    let calls = "{\n    return q_a(output, n, a);\n  } else {\n    q_b(output, n, a);\n    return 0;\n  }";
    assert!(tells.contains(calls), "{tells}");
    let silent = of(&adds, &adds);
    assert!(silent.contains("void q(") && !silent.contains("return"), "{silent}");
}

/// Whether 64 bits hold a product of sizes is asked without one that 64 bits do not hold.
#[test]
fn a_function_that_chooses_asks_for_products_that_are_not_too_large() {
    let of = |name: &str| {
        let text = format!("def {name} (a: m.k.f32) (b: n.f32): m.f32 = map (\\row. reduce (+) 0 row) a");
        compile(&default_lowering(&emit_common::parse(&text)).unwrap(), Target::C, None)
            .unwrap()
            .into_kernel()
    };
    let kernels = ["q_a", "q_plain"].map(of);
    let [k, m, n] = ["k", "m", "n"].map(Nat::var);
    for (n, largest, too_large) in [
        (k.mul(&m).mul(&n), 2_000_000, [1 << 21, i32::MAX]),
        (Nat::constant(2).mul(&k).mul(&m).mul(&m.add(&n)).sub(&k), 1_300_000, [1_330_000, i32::MAX]),
    ] {
        let needs = vec![SizeConstraint::AtMost(n, Nat::constant(i64::MAX))];
        let way = |kernel, needs| Way { kernel, from: None, below: None, needs };
        let chosen = dispatch("q", "m", &[way(&kernels[0], needs), way(&kernels[1], vec![])], &[]).unwrap();
        let stub = |kernel: &Kernel| format!("{} {{ puts(\"{}\"); }}\n", kernel.prototype, kernel.name);
        let sizes = [1, largest, too_large[0], too_large[1]];
        let calls = sizes.map(|s| format!("q(0, {s}, {s}, {s}, 0, 0); "));
        let stubs: String = kernels.iter().map(stub).collect();
        let main = format!(
            "{}#include <stdio.h>\n{stubs}int main(void) {{ {}return 0; }}\n",
            chosen.text,
            calls.concat()
        );
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("q.c"), main).unwrap();
        let trapping =
            ["-Wall", "-Werror", "-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"];
        let made =
            Command::new("cc").args(trapping).args(["q.c", "-o", "q"]).current_dir(&dir).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let ran = Command::new(dir.path().join("q")).output().unwrap();
        assert!(ran.status.success(), "{}", chosen.text);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "q_a\nq_a\nq_plain\nq_plain\n", "{}", chosen.text);
    }
}

/// What follows from a sweep is a function that chooses by the size, never a kernel that cannot have it, and whatever it chooses
/// computes the same.
#[test]
fn the_function_that_follows_from_a_sweep_chooses_and_computes_the_same() {
    let (dir, file) = folder_of("def sq (a: n.f32): f32 = a |> map (\\x. x * x) |> reduce (+) 0");
    let texts = read(Path::new(&file), &Places::default()).unwrap();
    let workspace = Workspace::load(&texts, None).unwrap_or_else(|p| panic!("{}", p.first().message));
    let start = workspace.program.term.clone();
    let rewritten = |text: &str| {
        let strategy = workspace.parse_strategy(text).unwrap();
        let (at, none) = (Position::root(), Replayed::none());
        workspace.run_strategy(&start, &strategy, &at, &none, &Control::silent()).result.unwrap().term
    };
    let (a, b) = (rewritten("topDown(blockedReduce(8))"), rewritten("topDown(blockedReduce(16))"));
    let side = |term, about| Side { workspace: &workspace, term, about };
    let sides = [side(&a, "blocks of 8"), side(&b, "blocks of 16")];
    let points = [point(1000, [10, 40]), point(2000, [20, 40]), point(4000, [40, 20]), point(8000, [80, 20])];
    let made = files(sides, "cpu", "n", &points).unwrap_or_else(|d| panic!("{}", d.message));
    let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["sq.h", "sq.c", "sq_host.c", "sq_a.c", "sq_b.c", "sq_plain.c", "Makefile"]);
    let out = dir.path().join("out");
    let asked = Asked { by: "--dispatch", force: true };
    assert_eq!(write(&out, &made, false, asked).unwrap().len(), 7);
    // What was generated is replaced; what somebody wrote or changed is not without a word.
    assert_eq!(write(&out, &made, false, asked).unwrap().len(), 7);
    for name in ["sq.h", "Makefile"] {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        std::fs::write(out.join(name), text.replacen("sq", "rt", 1)).unwrap();
        let again = write(&out, &made, false, asked).unwrap_err();
        assert!(again.code == "E0918" && again.notes[0].contains("was changed after that"), "{again:?}");
        let before = in_the_way(sides, "cpu", &out, false, asked).unwrap_err();
        assert_eq!(before.code, "E0918", "it is told before anything is measured");
        std::fs::write(out.join(name), text).unwrap();
    }
    assert!(in_the_way(sides, "cpu", &out, false, asked).is_ok());
    let make = |target: &str| {
        let made = Command::new("make")
            .args([target, "CFLAGS=-O1 -Wall -Werror -fopenmp"])
            .current_dir(&out)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    };
    // As it is said in the files, and by `make`.
    let command_in = |file: &str| {
        let text = std::fs::read_to_string(out.join(file)).unwrap();
        text.lines()
            .find_map(|line| line.strip_prefix("//   ").filter(|c| c.starts_with("cc ")))
            .unwrap()
            .to_owned()
    };
    for (file, made) in [("sq.h", "libsq.so"), ("sq_host.c", "sq")] {
        // Behind it stands how the program is called, with sizes of one's own.
        let command = command_in(file);
        let command = command.split(" && ").next().unwrap();
        let ran = Command::new("sh").args(["-c", command]).current_dir(&out).output().unwrap();
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
        // A library may lack what it calls until it is loaded.
        let missing = ["sq_a", "sq_plain"].map(|name| format!(" U {name}"));
        let symbols = Command::new("nm").arg(out.join(made)).output().unwrap();
        let symbols = String::from_utf8_lossy(&symbols.stdout);
        assert!(missing.iter().all(|name| !symbols.contains(name)), "{command}: {symbols}");
        std::fs::remove_file(out.join(made)).unwrap();
    }
    make("sq");
    make("libsq.so");
    let said = |program: &Path, n: i64| {
        let ran = Command::new(program).arg(n.to_string()).output().unwrap();
        assert!(ran.status.success());
        String::from_utf8(ran.stdout).unwrap()
    };
    let sum =
        |program: &Path, n| said(program, n).trim().strip_prefix("output: ").unwrap().parse::<f64>().unwrap();
    // The program as it was written, by itself.
    assert_eq!(run(dir.path(), &["compile", &file, "-o", "plain"]).code, 0);
    let plain = dir.path().join("plain/sq");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-fopenmp", "sq.c", "sq_host.c", "-lm", "-o", "sq"])
        .current_dir(dir.path().join("plain"));
    assert!(cc.status().unwrap().success());
    for n in [8, 1000, 1001, 4000, 4008, 4001, 1] {
        let (chosen, expected) = (sum(&out.join("sq"), n), sum(&plain, n));
        assert!((chosen - expected).abs() <= 1e-5 * expected.abs(), "{n}: {chosen} {expected}");
    }
    // Which of them it calls: each says its name in the place of its work.
    for name in ["a", "b", "plain"] {
        let text = format!(
            "#include <stdio.h>\nvoid sq_{name}(float* restrict output, int n, const float* restrict a) {{\n  \
             output[0] = 0; puts(\"{name}\");\n}}\n"
        );
        std::fs::write(out.join(format!("sq_{name}.c")), text).unwrap();
    }
    std::fs::remove_file(out.join("sq")).unwrap();
    make("sq");
    let near = 2828;
    for (n, name) in [
        (1000, "a"),
        (1001, "plain"),
        (near - near % 16, "a"),
        (near + 16 - near % 16, "b"),
        (4000, "b"),
        // Blocks of 16 do not fit, blocks of 8 do.
        (4008, "a"),
        (4001, "plain"),
    ] {
        assert_eq!(said(&out.join("sq"), n).lines().next(), Some(name), "n = {n}");
    }
    // Of two that may have the same sizes the second is not asked once more.
    let sides = [side(&a, "blocks of 8"), side(&a, "the same blocks")];
    let made = files(sides, "cpu", "n", &points).unwrap_or_else(|d| panic!("{}", d.message));
    let text = &made.iter().find(|(name, _)| name == "sq.c").unwrap().1;
    assert_eq!((text.matches("sq_a(").count(), text.matches("sq_b(").count()), (2, 2), "{text}");
    // What is chosen nowhere is not written, and it is said of it.
    let made = files(sides, "cpu", "n", &points[..2]).unwrap_or_else(|d| panic!("{}", d.message));
    assert!(!made.iter().any(|(name, _)| name == "sq_b.c"), "{made:?}");
    let head = &made[0].1;
    assert!(head.contains("// sq_a: blocks of 8"), "{head}");
    assert!(head.contains("// sq_b (chosen at no size, so it is not written): the same blocks"), "{head}");
    // Of two that can have all sizes it is the size alone that chooses, and the program as it was written is not needed.
    let [c, d] = ["topDown(reduceMapFusion)", "topDown(useReduceSeq)"].map(&rewritten);
    let made = files([side(&c, "one loop"), side(&d, "in order")], "cpu", "n", &points);
    let made = made.unwrap_or_else(|d| panic!("{}", d.message));
    let text = &made.iter().find(|(name, _)| name == "sq.c").unwrap().1;
    assert!(text.contains("  if (n < ") && text.contains(" else {\n    sq_b("), "{text}");
    assert!(!made.iter().any(|(name, _)| name == "sq_plain.c"), "{text}");
    // Where neither is faster there is nothing to choose; nor for OpenCL.
    let alike = [point(1000, [10, 10]), point(2000, [20, 20])];
    assert_eq!(files(sides, "cpu", "n", &alike).unwrap_err().code, "E0917");
    assert_eq!(files(sides, "portable", "n", &points).unwrap_err().code, "E0917");
}
