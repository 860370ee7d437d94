//! Every code has a page, every page a code; and what each page's example says is kept as a golden.

use shine_tui::lang::explain::{self, Block, Page};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Codes whose messages quote what the machine has: its devices, its compiler. Their examples give the code, and no
/// golden is kept.
const MACHINE: [&str; 2] = ["E0702", "E0703"];

/// The codes that a text has in quotation marks, outside its unit tests.
fn quoted(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let literals = code.split('"').skip(1);
    let is_code = |s: &&str| s.len() == 5 && s.starts_with('E') && s[1..].bytes().all(|b| b.is_ascii_digit());
    literals.filter(is_code).map(str::to_string).collect()
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let mut files = vec![];
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let texts = files.iter().filter(|f| !f.ends_with("explain.rs") || f.parent().unwrap().ends_with("cli"));
    let mut used: BTreeSet<String> =
        texts.flat_map(|f| quoted(&std::fs::read_to_string(f).unwrap())).collect();
    // The one code that stands within a text: what the reader of arguments says is passed on.
    used.insert("E0901".into());
    let pages: BTreeSet<String> = explain::pages().map(|p| p.code.to_string()).collect();
    let missing: Vec<_> = used.difference(&pages).collect();
    let idle: Vec<_> = pages.difference(&used).collect();
    assert!(missing.is_empty(), "codes without a page in assets/explain: {missing:?}");
    assert!(idle.is_empty(), "pages of codes that nothing gives: {idle:?}");
}

/// What the commands of an example print on standard error, the last of them with how it ended.
struct Said {
    err: String,
    exit: Option<i32>,
}

fn run(blocks: &[Block]) -> Said {
    let dir = tempfile::tempdir().unwrap();
    let world = dir.path().join("world");
    std::fs::create_dir(&world).unwrap();
    let mut commands = vec![];
    for block in blocks {
        let name = match block.kind {
            "console" => {
                commands
                    .extend(block.text.lines().map(|l| l.strip_prefix("$ ").expect("a command").to_string()));
                continue;
            }
            "ron" => "session.ron".into(),
            kind => format!("program.{kind}"),
        };
        std::fs::write(world.join(block.name.unwrap_or(&name)), block.text).unwrap();
    }
    if commands.is_empty() {
        commands.push("shine-tui compile program.rise".into());
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_shine-tui")).parent().unwrap();
    let path = std::env::join_paths(
        [binary.to_path_buf()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut last = None;
    for command in &commands {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(&world)
            .env("PATH", path.as_ref().unwrap())
            .env("SHINE_CONFIG_DIR", dir.path().join("config"))
            .env("SHINE_STATE_DIR", dir.path().join("state"))
            .env("HOME", dir.path())
            .env("LC_ALL", "C.UTF-8")
            .env_remove("CC")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        last = Some(output);
    }
    let output = last.expect("every example has a command");
    let err = String::from_utf8(output.stderr).unwrap();
    Said { err: err.replace(&*world.to_string_lossy(), "."), exit: output.status.code() }
}

/// The codes of the problems that a text shows.
fn shown(text: &str) -> Vec<&str> {
    let after = ["error[", "warning[", "note["];
    let heads = text.lines().filter_map(|l| after.iter().find_map(|a| l.strip_prefix(a)));
    heads.filter_map(|l| l.get(..5)).collect()
}

/// Each example gives its code and no other, with something that can be done about it.
#[test]
fn examples_say_what_their_pages_are_about() {
    let pages: Vec<(Page, Vec<Block>)> =
        explain::pages().map(|p| (p, p.blocks())).filter(|(_, b)| !b.is_empty()).collect();
    let next = AtomicUsize::new(0);
    let said: Mutex<Vec<(usize, Said)>> = Mutex::new(vec![]);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
            scope.spawn(|| {
                while let Some((at, (_, blocks))) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, pages.get(i)?)))
                {
                    let result = run(blocks);
                    said.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut said = said.into_inner().unwrap();
    said.sort_by_key(|(at, _)| *at);
    assert_eq!(said.len(), pages.len());
    let mut wrong = vec![];
    for (at, Said { err, exit }) in &said {
        let page = &pages[*at].0;
        // The last line leads here.
        let pointer = format!("\n`shine-tui explain {}` says more.\n", page.code);
        if !err.ends_with(&pointer) && page.code != "E0901" {
            wrong.push(format!("{} does not name its page:\n{err}", page.code));
        }
        let err = err.trim_end_matches(&pointer);
        let codes = shown(err);
        if codes.is_empty() || codes.iter().any(|c| *c != page.code) {
            wrong.push(format!("{} gives {codes:?}:\n{err}", page.code));
            continue;
        }
        if !err.contains("hint: ") && page.code != "E0901" {
            wrong.push(format!("{} gives no hint:\n{err}", page.code));
        }
        if exit.is_none_or(|exit| exit == 101 || exit == 4) {
            wrong.push(format!("{} ends with {exit:?}:\n{err}", page.code));
        }
        if MACHINE.contains(&page.code) {
            continue;
        }
        insta::with_settings!({ prepend_module_to_snapshot => false,
            snapshot_path => "explain",
            omit_expression => true,
        }, {
            insta::assert_snapshot!(page.code, without_chance(err));
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The text, with the names of temporary files as they are every time.
fn without_chance(text: &str) -> String {
    let mut parts = text.split("shine-tui-");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let random = part.len() >= 6 && part.bytes().take(6).all(|b| b.is_ascii_alphanumeric());
        let (name, rest) = if random { ("[RANDOM]", &part[6..]) } else { ("", part) };
        out.extend(["shine-tui-", name, rest]);
    }
    out
}
