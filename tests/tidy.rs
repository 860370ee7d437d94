//! The invariants of ARCHITECTURE.md that can be read off the sources.

use std::path::{Path, PathBuf};

/// The data's path: each folder may use what stands to its left.
const ORDER: [&str; 9] = ["lang", "rewrite", "lower", "emit", "device", "session", "view", "ui", "cli"];

/// The way within `lower`, likewise.
const LOWER: [&str; 12] = [
    "target",
    "divisions",
    "nesting",
    "reductions",
    "dpia",
    "origin",
    "access",
    "choose",
    "imperative",
    "separate",
    "passes",
    "pipeline",
];

/// Folders that do no I/O, read no clock and start no thread.
const PURE: [&str; 5] = ["lang", "rewrite", "lower", "emit", "view"];

const OUTSIDE: [&str; 12] = [
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "Instant::now",
    "SystemTime",
    "std::env",
    "std::io::stdin",
    "std::io::stdout",
    "println!",
    "eprintln!",
    "print!(",
];

/// Folders, from `src`, in which types may be serialised: what is read or written outside the process.
const WIRE: [&str; 7] =
    ["session/log", "session/files.rs", "session/known.rs", "session/tune/kept.rs", "device", "ui", "cli"];

fn walk(dir: &Path, out: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                walk(&path, out);
            }
        } else if path.extension().is_some_and(|e| e == "rs")
            && !path.ends_with("tests.rs")
            && !path.ends_with("build.rs")
        {
            out.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Every source file with its path from `src`.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut out = vec![];
    walk(&root, &mut out);
    out.sort();
    assert!(out.len() > 30, "the sources are here");
    out.into_iter().map(|(p, t)| (p.strip_prefix(&root).unwrap().to_path_buf(), t)).collect()
}

/// The lines of a file's code, numbered, without comments and unit tests.
fn code(text: &str) -> Vec<(usize, &str)> {
    let before_tests = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines = before_tests.lines().enumerate().map(|(n, l)| (n + 1, l));
    lines.filter(|(_, l)| !l.trim_start().starts_with("//")).collect()
}

fn folder(path: &Path) -> Option<usize> {
    let first = path.components().next()?.as_os_str().to_str()?;
    ORDER.iter().position(|f| *f == first)
}

#[test]
fn imports_go_only_to_the_left() {
    let mut wrong = vec![];
    for (path, text) in sources() {
        let Some(here) = folder(&path) else { continue };
        for (n, line) in code(&text) {
            for name in &ORDER[here + 1..] {
                if line.contains(&format!("crate::{name}::")) || line.contains(&format!("crate::{name};")) {
                    wrong.push(format!("src/{}:{n}: {} uses {name}", path.display(), ORDER[here]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lowering has two journeys, from a term to a low-level term and from that to phrases. Neither asks the other: the
/// pipeline takes one after the other.
#[test]
fn lowering_goes_one_way() {
    let (mut wrong, mut seen) = (vec![], vec![]);
    for (path, text) in sources() {
        let Ok(within) = path.strip_prefix("lower") else { continue };
        let Some(first) = within.components().next().and_then(|c| c.as_os_str().to_str()) else { continue };
        let first = first.trim_end_matches(".rs");
        if first == "lib" {
            continue;
        }
        let here = LOWER.iter().position(|f| *f == first);
        let here = here.unwrap_or_else(|| panic!("src/{} has no place on the way", path.display()));
        seen.push(here);
        let depth = within.components().count();
        for (n, line) in code(&text) {
            for (there, name) in LOWER.iter().enumerate() {
                let asks = line.contains(&format!("crate::{name}"))
                    || line.contains(&format!("{}{name}::", "super::".repeat(depth)));
                let apart = first == "imperative" && *name == "choose";
                if asks && (there > here || apart) {
                    wrong.push(format!("src/{}:{n}: {first} asks {name}", path.display()));
                }
            }
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), LOWER.len(), "each stage has its file or folder");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_pure_folders_touch_nothing_outside() {
    let mut wrong = vec![];
    for (path, text) in sources() {
        if folder(&path).is_some_and(|f| PURE.contains(&ORDER[f])) {
            for (n, line) in code(&text) {
                wrong.extend(
                    OUTSIDE
                        .iter()
                        .filter(|w| line.contains(**w))
                        .map(|w| format!("src/{}:{n}: {w}", path.display())),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_device_is_unsafe() {
    let signs = ["unsafe {", "unsafe fn", "expect(unsafe_code", "allow(unsafe_code"];
    for (path, text) in sources() {
        let is_unsafe = code(&text).iter().any(|(_, l)| signs.iter().any(|s| l.contains(s)));
        assert!(!is_unsafe || path.starts_with("device"), "src/{} is unsafe", path.display());
    }
}

#[test]
fn only_the_screen_draws_and_only_wire_types_are_serialised() {
    for (path, text) in sources() {
        let has = |words: &[&str]| code(&text).iter().any(|(_, l)| words.iter().any(|w| l.contains(w)));
        let draws = has(&["ratatui::", "crossterm::"]);
        assert!(!draws || path.starts_with("ui"), "src/{} draws", path.display());
        let serialises = has(&["Serialize", "Deserialize"]);
        assert!(!serialises || WIRE.iter().any(|a| path.starts_with(a)), "src/{} serialises", path.display());
    }
}

#[test]
fn every_exception_to_a_lint_has_a_reason_and_no_test_is_ignored() {
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (n, line) in lines.iter().enumerate() {
            let place = format!("src/{}:{}", path.display(), n + 1);
            assert!(!line.starts_with("#[ignore"), "{place} is ignored");
            let is_exception =
                ["#[allow", "#[expect", "#![allow", "#![expect"].iter().any(|e| line.starts_with(e));
            let has_reason = lines[n..lines.len().min(n + 4)].iter().any(|l| l.contains("reason ="));
            assert!(!is_exception || has_reason, "{place} gives no reason");
        }
    }
}

/// `format!` panics where a width is above 65,535, as that of a long name is: `lang::columns` aligns texts of any length.
#[test]
fn no_width_of_a_format_is_taken_from_a_text() {
    for (path, text) in sources() {
        for (n, line) in code(&text) {
            // `{:width$}`, not `{:.decimals$}`, `{:>COLUMNS$}` nor the `$}` of a macro.
            let mut formats = line.split("$}").collect::<Vec<_>>();
            formats.pop();
            let is_width = |before: &str| {
                let spec = before.rsplit_once('{').map_or("", |(_, spec)| spec);
                spec.split_once(':').is_some_and(|(_, spec)| {
                    !spec.contains('.') && spec.contains(|c: char| c.is_ascii_lowercase())
                })
            };
            assert!(!formats.into_iter().any(is_width), "src/{}:{n}: {line}", path.display());
        }
    }
}
