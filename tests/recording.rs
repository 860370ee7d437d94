//! Sessions as pictures that move, through the binary.

use crate::cli_common::{Ran, run, run_with};
use crate::line::line_of;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The session of which the README has the picture.
const SHOWN: &str = "sessions/matmul-search-blocking.ron";
const PICTURE: &str = "assets/recording.svg";

fn record(dir: &Path, session: &Path, more: &[&str]) -> (Ran, String) {
    let session = session.display().to_string();
    let ran = run(dir, &[&["export", &session, "--recording", "s.svg", "--force"], more].concat());
    let picture = std::fs::read_to_string(dir.join("s.svg")).unwrap_or_default();
    (ran, picture)
}

/// What an SVG is made of: its elements, each with its attributes, and the text of each of its groups and elements for reading.
#[derive(Default, Debug)]
struct Svg {
    elements: Vec<(String, Vec<(String, String)>)>,
    /// The text in each element that has some, without the spaces; the text of a group is that of all within.
    texts: Vec<(String, String)>,
}

impl Svg {
    fn texts_of(&self, name: &str) -> impl Iterator<Item = &str> {
        self.texts.iter().filter(move |(of, _)| of == name).map(|(_, text)| text.as_str())
    }

    /// Whether a row shows the text, in whatever pieces.
    fn shows(&self, text: &str) -> bool {
        let text: String = text.split_whitespace().collect();
        self.texts_of("g").any(|row| row.contains(&text))
    }
}

/// Reads XML as strictly as a browser: what is not well-formed is a failure.
fn parsed(xml: &str) -> Svg {
    let mut svg = Svg::default();
    let mut open: Vec<(String, String)> = vec![];
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        let text = plain(text);
        match open.last_mut() {
            Some((_, inside)) => inside.push_str(&text),
            None => assert_eq!(text.trim(), "", "text stands in the root alone"),
        }
        let (tag, behind) = tag[1..].split_once('>').expect("a tag ends");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            let (opened, inside) = open.pop().expect("what ends has begun");
            assert_eq!(opened, name);
            if let Some((_, outer)) = open.last_mut().filter(|(outer, _)| outer == "g") {
                outer.push_str(&inside);
            }
            svg.texts.push((opened, inside.split_whitespace().collect()));
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{tag}");
        let mut all: Vec<(String, String)> = vec![];
        while !attributes.trim().is_empty() {
            let (key, value) = attributes.trim_start().split_once("=\"").expect("an attribute has a value");
            let (value, behind) = value.split_once('"').expect("a value ends");
            assert!(all.iter().all(|(other, _)| other != key), "{key} stands twice: {tag}");
            all.push((key.to_owned(), plain(value)));
            attributes = behind;
        }
        svg.elements.push((name.to_owned(), all));
        if !closed {
            open.push((name.to_owned(), String::new()));
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    svg
}

/// A text with its entities read.
fn plain(text: &str) -> String {
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(|c| allowed(c) && c != '<'), "{text}");
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (entity, behind) = part.split_once(';').expect("an entity ends");
        out.push_str(match entity {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "#39" => "'",
            other => panic!("&{other}; is no entity"),
        });
        out.push_str(behind);
    }
    out
}

/// That it needs nothing from elsewhere, and runs nothing.
fn needs_nothing(picture: &str, svg: &Svg) {
    assert_eq!(picture.matches("://").count(), 1, "the namespace, and no address");
    assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
    let known = ["svg", "title", "desc", "style", "rect", "g", "text"];
    for (name, attributes) in &svg.elements {
        assert!(known.contains(&name.as_str()), "{name}");
        let of = |key: &str| key.starts_with("on") || key.contains("href") || key == "style";
        assert!(!attributes.iter().any(|(key, _)| of(key)), "{name} {attributes:?}");
    }
    // Styles read nothing, and every font is the generic one.
    let style: String = svg.texts_of("style").collect();
    assert!(!style.contains("url(") && !style.contains("@import") && !style.contains("@font"), "{style}");
    assert_eq!(style.matches("font:").count(), 1, "{style}");
    assert!(style.contains("font:15pxmonospace;"), "{style}");
    for (name, attributes) in svg.elements.iter().filter(|(name, _)| name == "text") {
        assert!(attributes.iter().any(|(key, _)| key == "textLength"), "{name} {attributes:?}");
    }
    let moves = style.contains("@keyframes");
    assert_eq!(style.contains("@media(prefers-reduced-motion:no-preference)"), moves, "{style}");
}

#[test]
fn every_recorded_session_is_a_picture_that_needs_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = std::fs::read_dir(root().join("sessions")).unwrap().map(|entry| entry.unwrap().path());
    let mut sessions: Vec<PathBuf> =
        sessions.filter(|path| path.extension().is_some_and(|e| e == "ron")).collect();
    sessions.sort();
    assert!(!sessions.is_empty());
    for session in sessions {
        let (ran, picture) = record(dir.path(), &session, &["--screen", "120x60"]);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "s.svg\n", ""));
        let svg = parsed(&picture);
        needs_nothing(&picture, &svg);
        let log = std::fs::read_to_string(&session).unwrap();
        let name = log.split_once("def: Some(\"").map_or_else(
            || session.file_name().unwrap().to_str().unwrap().split(['-', '.']).next().unwrap().to_owned(),
            |(_, from)| from.split_once('"').unwrap().0.to_owned(),
        );
        // What was written, the code that was made of it, each action in the history, and what was measured.
        assert!(svg.shows(&format!("void {name}(float* restrict output")), "{name}: {}", session.display());
        let (start, _) = log.split_once("\ndo(").unwrap();
        assert!(start.contains("reduce") && svg.shows("reduce"), "{}", session.display());
        let captions: String = svg.texts_of("desc").collect();
        for action in log.split("action: Strategy(text: \"").skip(1) {
            let text: String = action.split('"').next().unwrap().split_whitespace().collect();
            assert!(captions.contains(&text), "{text}: {captions}");
            let begin: String = text.chars().take(12).collect();
            assert!(svg.shows(&begin), "{begin}: {}", session.display());
        }
        assert!(captions.contains("benchcpu") && svg.shows("GFLOP/s"), "{captions}");
    }
}

#[test]
fn the_picture_of_the_readme_is_the_one_that_is_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let (ran, picture) = record(dir.path(), &root().join(SHOWN), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(root().join(PICTURE), &picture).unwrap();
    }
    let there = std::fs::read_to_string(root().join(PICTURE)).unwrap();
    assert!(there == picture, "{PICTURE} is not what is recorded of {SHOWN}; BLESS=1 writes it anew");
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(
        readme.contains(&format!("]({PICTURE})")) && readme.contains(SHOWN),
        "the README shows it, and says of what"
    );
    // The user's own theme and keys are not in it, unless asked for.
    std::fs::create_dir_all(dir.path().join("config/themes")).unwrap();
    let theme = "(name: \"default\", roles: {\"keyword\": (fg: \"#123456\")})";
    std::fs::write(dir.path().join("config/themes/default.ron"), theme).unwrap();
    std::fs::write(dir.path().join("config/keys.ron"), "no keys").unwrap();
    let (_, again) = record(dir.path(), &root().join(SHOWN), &[]);
    assert!(again == picture, "the same log makes the same picture");
    let (_, own) = record(dir.path(), &root().join(SHOWN), &["--theme", "default"]);
    assert!(own.contains("fill:#123456"));
}

/// The states of a branch that was left, what was tried in vain, and sizes that were given later are shown as they were.
#[test]
fn branches_and_what_was_tried_in_vain_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. x * x) |> map (\\x. x + 1)")
        .unwrap();
    // Taken again, a search that cannot succeed is run.
    let lines = "topDown(useMapSeq)\nundo\nreach contains(mapPar) using { useMapSeq }\nreach contains(mapPar) using { useMapSeq }\ntopDown(useMapPar)\nsizes n=4096\nsave s\n";
    assert!(line_of(dir, Path::new("f.rise"), lines).out.contains("saved in s.ron"));
    let (ran, picture) = record(dir, Path::new("s.ron"), &["--screen", "160x50"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let svg = parsed(&picture);
    for shown in ["1topDown(useMapSeq)", "2topDown(useMapPar)", "mapPar", "n=4096", "saturated"] {
        assert!(svg.shows(shown), "{shown}: {:?}", svg.texts_of("g").collect::<Vec<_>>());
    }
    // A frame that looks as the one before is none.
    let captions = |svg: &Svg| svg.texts_of("desc").next().unwrap().to_owned();
    assert_eq!(captions(&svg).matches("goto0").count(), 1, "{}", captions(&svg));
}

#[test]
fn of_a_long_session_the_last_actions_are_shown_and_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. x * x)").unwrap();
    let lines = format!("topDown(useMapSeq)\n{}save s\n", "undo\nredo\n".repeat(40));
    assert!(line_of(dir, Path::new("f.rise"), &lines).out.contains("saved in s.ron"));
    let (ran, picture) = record(dir, Path::new("s.ron"), &["--screen", "60x20"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.err,
        "warning: The session has 81 actions, and the recording shows what the last 60 of them did.\n"
    );
    let svg = parsed(&picture);
    needs_nothing(&picture, &svg);
    let frames = svg.texts_of("desc").next().unwrap().matches("goto").count();
    assert_eq!(frames, 61, "the state before them, and each of them");
}

#[test]
fn hostile_texts_are_no_markup() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = "a<script>&'b.rise";
    std::fs::write(
        dir.join(file),
        "--| </text><script>alert(1)</script>\ndef f (a: n.f32): n.f32 = a |> map (\\x. x * x)",
    )
    .unwrap();
    std::fs::write(dir.join("x<image href='http:evil'>.elevate"), "").unwrap();
    let lines =
        "topDown(useMapSeq) else \"</text></g><script>alert(1)</script>&lt;\" -- ]]><style>\nsave s\n";
    assert!(line_of(dir, Path::new(file), lines).out.contains("saved in s.ron"));
    let (ran, picture) = record(dir, Path::new("s.ron"), &[]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let svg = parsed(&picture);
    needs_nothing(&picture, &svg);
    assert!(svg.shows("else \"</text></g><script>alert(1)</script>&lt;\""), "{picture}");
    // What is a comment is no part of a label.
    assert!(!svg.shows("]]><style>"), "{picture}");
}

#[test]
fn what_cannot_be_recorded_is_said_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. x * x)").unwrap();
    std::fs::write(dir.join("bad.ron"), "no session").unwrap();
    let dot = root().join("sessions/dot.ron").display().to_string();
    for (args, code, said) in [
        (&["f.rise"][..], "E0901", "`f.rise` is no saved session, and only these are recorded."),
        (&["bad.ron"], "E0801", "This is not a session log."),
        (&[&dot, "--screen", "10x10"], "E0901", "A screen has 50x15 cells at least and 240x80 at most."),
        (&[&dot, "--screen", "wide"], "E0901", "Columns and rows are written as in 120x36."),
        (&[&dot, "--theme", "nope"], "E0901", "There is no theme `nope`"),
        (&[&dot, "-s", "id"], "E0901", "cannot be used with"),
    ] {
        let ran = run(dir, &[&["export", "--recording", "s.svg"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains(&format!("error[{code}]")) && ran.err.contains(said), "{}", ran.err);
        assert!(!dir.join("s.svg").exists());
    }
    // What lies there is not replaced without a word.
    std::fs::write(dir.join("s.svg"), "mine").unwrap();
    let ran = run_with(dir, &["export", "--recording", "s.svg", &dot], &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("E0918"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(dir.join("s.svg")).unwrap(), "mine");
    // Nor is the session, whatever is forced.
    std::fs::copy(root().join("sessions/dot.ron"), dir.join("dot.ron")).unwrap();
    for option in ["--recording", "--html"] {
        let ran = run(dir, &["export", "dot.ron", option, "./dot.ron", "--force"]);
        assert!(ran.code == 2 && ran.err.contains("`./dot.ron` is what is to be exported."), "{}", ran.err);
    }
    assert_eq!(
        std::fs::read(dir.join("dot.ron")).unwrap(),
        std::fs::read(root().join("sessions/dot.ron")).unwrap()
    );
}
