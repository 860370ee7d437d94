//! The book under `docs/`: every listing is read, every command runs and prints what the book says, and the reference is
//! what the tables hold.
//!
//! A listing whose first line names a file, as `-- blur.rise`, is that file for the commands behind it. Behind commands, a
//! block of `text` holds what they print, in order; `…` stands for anything, alone on a line for any number of lines.

use crate::cli_common::run;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn docs() -> PathBuf {
    root().join("docs")
}

fn read(chapter: &str) -> String {
    std::fs::read_to_string(docs().join(chapter)).unwrap_or_else(|error| panic!("{chapter}: {error}"))
}

/// The targets of the links of a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// The chapters that the summary lists, but for those that are made of tables.
fn chapters() -> Vec<String> {
    let summary = read("SUMMARY.md");
    links(&summary).filter(|chapter| !chapter.starts_with("reference/")).map(str::to_owned).collect()
}

/// A block of a chapter between fences.
struct Block {
    kind: String,
    text: String,
}

fn blocks(chapter: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![];
    let mut inside = false;
    for line in chapter.lines() {
        match line.strip_prefix("```") {
            Some(kind) if !inside => {
                inside = true;
                blocks.push(Block { kind: kind.to_owned(), text: String::new() });
            }
            Some(_) => inside = false,
            None if inside => {
                let block = blocks.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!inside, "a block is not closed");
    blocks
}

/// A folder with what a reader finds in a clone.
fn world() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["kernels", "rules", "sessions", "assets"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

/// Commands that install something; they are not run.
const INSTALLS: [&str; 2] = ["cargo install --path .", "apt-get install ocl-icd-libopencl1 pocl-opencl-icd"];

/// Runs commands as a shell does, up to the first that fails; what they print.
fn shell(folder: &Path, commands: &str) -> Result<String, String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_shine-tui"));
    let paths = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", commands]).current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C.UTF-8");
    shell.env("PATH", format!("{}:{paths}", binary.parent().unwrap().display()));
    shell.env("SHINE_CONFIG_DIR", folder.join("config")).env("SHINE_STATE_DIR", folder.join("state"));
    let ran = shell.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    if ran.status.success() { Ok(out.into_owned()) } else { Err(format!("it fails\n{out}\n{err}")) }
}

/// Whether a line is one of the book: `…` in it stands for anything.
fn is_line(line: &str, expected: &str) -> bool {
    let mut parts = expected.trim_end().split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    rest.trim_end().is_empty() || last.is_some_and(|last| last.is_empty() || line.trim_end().ends_with(last))
}

/// Checks that the lines of a book's block stand in what was printed, in order, and that none is left out between them but
/// where the book has a line `…`.
fn is_printed(printed: &str, expected: &str) -> Result<(), String> {
    let mut lines = printed.lines();
    let mut anything = true;
    for wanted in expected.lines() {
        if wanted == "…" {
            anything = true;
            continue;
        }
        let found = if anything {
            lines.find(|l| is_line(l, wanted))
        } else {
            lines.next().filter(|l| is_line(l, wanted))
        };
        if found.is_none() {
            return Err(format!("there is no line `{wanted}` where the book has one in\n{printed}"));
        }
        anything = false;
    }
    Ok(())
}

#[test]
fn lines_of_the_book_are_compared_as_it_says() {
    for (line, expected, same) in [
        ("a b", "a b", true),
        ("a b", "a", false),
        ("a b c", "a … c", true),
        ("a b c", "a …", true),
        ("a b c", "…c", true),
        ("a b c", "…d", false),
    ] {
        assert_eq!(is_line(line, expected), same, "{line} | {expected}");
    }
    assert!(is_printed("a\nb\nc\n", "a\n…\nc\n").is_ok());
    assert!(is_printed("a\nb\nc\n", "a\nc\n").is_err());
}

/// Reads or runs a block; what is printed is kept for the block behind it.
fn holds(folder: &Path, Block { kind, text }: &Block, printed: &mut Option<String>) -> Result<(), String> {
    match kind.as_str() {
        "sh" if text.lines().all(|line| INSTALLS.contains(&line)) => Ok(()),
        "sh" => {
            *printed = Some(shell(folder, text)?);
            Ok(())
        }
        "text" => is_printed(&printed.take().ok_or("nothing was printed before")?, text),
        _ => {
            let file =
                text.lines().next().and_then(|line| line.strip_prefix("-- ")).ok_or("it names no file")?;
            let (kind, wrong) =
                kind.strip_suffix("-with-mistakes").map_or((&**kind, false), |kind| (kind, true));
            std::fs::write(folder.join(file), text).unwrap();
            let command: &[&str] = match kind {
                "rise" => &["compile", file, "--emit", "rise"],
                "rules" => &["rules", "check", file],
                "elevate" => &["fmt", "--check", file],
                other => return Err(format!("nobody knows what `{other}` is")),
            };
            let ran = run(folder, command);
            let same = (ran.code != 0) == wrong && file.ends_with(&format!(".{kind}"));
            if same { Ok(()) } else { Err(format!("exit code {}\n{}{}", ran.code, ran.out, ran.err)) }
        }
    }
}

#[test]
fn every_listing_is_read_and_every_command_does_what_the_book_says() {
    let mut wrong = vec![];
    for name in &chapters() {
        let (folder, mut printed) = (world(), None);
        for block in &blocks(&read(name)) {
            if let Err(why) = holds(folder.path(), block, &mut printed) {
                wrong.push(format!("docs/{name}:\n{}{why}", block.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn links_of_the_book_lead_somewhere_and_every_chapter_is_listed() {
    let summary = read("SUMMARY.md");
    let listed: Vec<&str> = links(&summary).collect();
    let mut there = vec![];
    for folder in ["", "reference/"] {
        for entry in std::fs::read_dir(docs().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") && name != "SUMMARY.md" {
                there.push(format!("{folder}{name}"));
            }
        }
    }
    for chapter in &there {
        assert!(listed.contains(&chapter.as_str()), "{chapter} is not in the summary");
        let text = read(chapter);
        let here = docs().join(chapter);
        // Types of patterns have brackets and parentheses side by side.
        for target in links(&text).filter(|_| !chapter.starts_with("reference/")) {
            assert!(here.parent().unwrap().join(target).exists(), "{chapter}: {target}");
            // What is rendered as pages holds nothing from outside.
            assert!(!target.starts_with(".."), "{chapter}: {target}");
        }
    }
    assert_eq!(listed.len(), there.len(), "{listed:?}");
}

fn listed(command: &str) -> Vec<serde_json::Value> {
    let folder = world();
    let ran = run(folder.path(), &[command, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Text as a cell of a table, in which Markdown finds no markup but code, or as code in one.
fn cell(text: &str) -> String {
    let as_text = |word: &str| if is_markup(word) { in_code(word) } else { word.to_owned() };
    let part = |(i, part): (usize, &str)| match i % 2 {
        0 => part.split(' ').map(as_text).collect::<Vec<_>>().join(" "),
        _ => format!("`{part}`"),
    };
    one_line(text).split('`').enumerate().map(part).collect()
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", one_line(text)) }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Would Markdown take something of a word for markup: a tag, emphasis, an escape, an entity, a link?
fn is_markup(word: &str) -> bool {
    let begins_a_tag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
    word.split('<').skip(1).any(begins_a_tag)
        || word.len() > 1 && word.contains(['*', '_', '&'])
        || word
            .replace("\\|", "")
            .split('\\')
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()))
        || word.contains("](")
}

/// The word as code, without the punctuation around it.
fn in_code(word: &str) -> String {
    let inner = word.trim_start_matches('(').trim_end_matches([')', '.', ',', ';', ':']);
    let from = word.find(inner).unwrap_or_default();
    let (before, after) = (&word[..from], &word[from + inner.len()..]);
    format!("{before}`{inner}`{after}")
}

/// What is between the backticks of a line, every other part of it, is code.
#[test]
fn no_text_of_the_reference_is_taken_for_markup() {
    assert_eq!(
        cell("Of a <n>bool, l*p or `x*y` (<n>t): x * y <= z"),
        "Of a `<n>bool`, `l*p` or `x*y` (`<n>t`): x * y <= z"
    );
    for name in ["patterns", "rules", "strategies"] {
        for line in read(&format!("reference/{name}.md")).lines() {
            let marked =
                line.split('`').step_by(2).flat_map(|text| text.split(' ')).find(|word| is_markup(word));
            assert_eq!(marked, None, "{name}: {line}");
        }
    }
}

const MADE: &str = "This chapter is made of the tool's own tables.";

fn patterns() -> String {
    let mut page = format!("# Patterns\n\n{MADE} `shine-tui patterns NAME` shows one with an example.\n");
    for (level, about) in [
        ("high", "say what is computed"),
        ("low", "say how, on any device"),
        ("openmp", "say how, on threads"),
        ("opencl", "say how, on work-items"),
    ] {
        let _ = write!(page, "\n## Those that {about}\n\n| Pattern | Type | Meaning |\n|---|---|---|\n");
        for row in listed("patterns").iter().filter(|row| row["level"] == level) {
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let _ = writeln!(
                page,
                "| {} | {} | {} |",
                code(&field("name")),
                code(&field("type")),
                cell(&field("doc"))
            );
        }
    }
    page
}

fn rules() -> String {
    let mut page =
        format!("# Rules\n\n{MADE} `shine-tui rules NAME` shows one with its examples and its proof.\n");
    let mut theme = String::new();
    for row in listed("rules") {
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if field("theme") != theme {
            theme = field("theme");
            let _ = write!(page, "\n## {theme}\n\n| Rule | Meaning | Marks |\n|---|---|---|\n");
        }
        let marks: Vec<String> =
            row["marks"].as_array().unwrap().iter().map(|m| code(m.as_str().unwrap())).collect();
        let doc = field("doc");
        let about = doc.lines().next().unwrap_or_default();
        let _ = writeln!(page, "| {} | {} | {} |", code(&field("call")), cell(about), marks.join(" "));
    }
    page
}

fn strategies() -> String {
    let mut page =
        format!("# Strategies and sketches\n\n{MADE} `shine-tui strategies NAME` shows the text of one.\n");
    let mut file = String::new();
    for row in listed("strategies") {
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if field("file") != file {
            file = field("file");
            let _ = write!(page, "\n## {file}\n\n| Call | Meaning |\n|---|---|\n");
        }
        let _ = writeln!(page, "| {} | {} |", code(&field("call")), cell(&field("doc")));
    }
    page
}

/// `BLESS=1` writes them anew.
#[test]
fn the_reference_is_what_the_tables_say() {
    for (name, page) in [("patterns", patterns()), ("rules", rules()), ("strategies", strategies())] {
        let chapter = format!("reference/{name}.md");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(docs().join(&chapter), &page).unwrap();
        }
        assert!(read(&chapter) == page, "docs/{chapter} is not what the tables say; BLESS=1 writes it anew");
    }
}

#[test]
fn the_commands_of_the_readme_do_what_they_say() {
    crate::pty_tour::the_commands_without_a_screen();
}
