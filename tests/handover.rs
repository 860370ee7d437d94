//! What is handed over to those who have not got the tool, through the binary.

use crate::cli_common::run;
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
    // Nothing is replaced without a word.
    assert_eq!(run(dir, &["export", "s.ron", "--html", "s.html"]).code, 2);
    assert_eq!(run(dir, &["export", "s.ron", "--html", "s.html", "--force"]).code, 0);
    assert_eq!(run(dir, &["export", "s.ron"]).code, 2);
    // As a report for systems of continuous integration.
    std::fs::write(dir.join("<bad>.ron"), "no session").unwrap();
    assert_eq!(run(dir, &["replay", "s.ron", "<bad>.ron", "--junit", "report.xml"]).code, 2);
    let report = std::fs::read_to_string(dir.join("report.xml")).unwrap();
    assert!(report.contains("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\""), "{report}");
    assert!(report.contains("name=\"s.ron\"></testcase>") && report.contains("&lt;bad&gt;.ron"), "{report}");
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
    assert_eq!((again.code, again.out.trim()), (0, rewritten.trim()), "{}", again.err);
}

#[test]
fn the_doctor_says_what_is_there_and_what_is_missing() {
    let (dir, _) = folder_of("");
    let dir = dir.path();
    // A mistake in the configuration is found.
    std::fs::create_dir(dir.join("config")).unwrap();
    std::fs::write(dir.join("config/keys.ron"), "[(command: \"fly\", keys: [])]").unwrap();
    let ran = run(dir, &["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let of = |what: &str| {
        findings.iter().find(|f| f["what"] == what).unwrap_or_else(|| panic!("{what}: {report}"))
    };
    for what in ["C compiler", "a program", "sessions", "temporary"] {
        assert_eq!(of(what)["state"], "good", "{what}: {report}");
    }
    let configuration = of("configuration");
    assert!(configuration["found"].as_str().unwrap().contains("`fly` is no command"), "{report}");
    assert_eq!((ran.code, configuration["state"].as_str()), (3, Some("wrong")), "{report}");
}
