//! Writing to standard output and standard error. A reader that went away ends a command quietly. Whatever the text is,
//! it is no command to the terminal: names of files and what logs say may have been made to harm.

use super::exit::Exit;
use crate::lang::columns;
use crate::lang::diag::{Charset, Diagnostic, Sources, render_all};
use crate::lang::source::{harmless, is_harmful};
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

/// Writes text to standard output.
///
/// # Errors
/// [`Exit::Done`] when nobody reads any more, [`Exit::Environment`] when it cannot be written for another reason.
pub fn print(text: &str) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    match out.write_all(harmless(text).as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) => Err(unwritten(&e)),
    }
}

/// How a command ends whose output cannot be written.
pub fn unwritten(why: &io::Error) -> Exit {
    if why.kind() == io::ErrorKind::BrokenPipe {
        return Exit::Done;
    }
    complain(&format!("error: Standard output cannot be written: {why}.\n"));
    Exit::Environment
}

/// Writes a value as indented JSON.
///
/// # Errors
/// As [`print`].
pub fn json(value: &serde_json::Value) -> Result<(), Exit> {
    let text = format!("{value:#}\n");
    // In JSON's own spelling; it escapes only the older ones of these characters itself.
    let shown = |c: char| if is_harmful(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    if text.contains(is_harmful) { print(&text.chars().map(shown).collect::<String>()) } else { print(&text) }
}

/// Writes text to standard error; that nobody reads it is no reason to stop.
pub fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(harmless(text).as_bytes());
}

/// A line on standard error that says what goes on, for a person who waits; nothing where none reads it.
#[derive(Default)]
pub struct Standing {
    shown: RefCell<String>,
}

impl Standing {
    /// Shows another text in the place of the last one.
    pub fn show(&self, text: &str) {
        if io::stderr().is_terminal() {
            let line: String = text.chars().take(WIDEST).collect();
            let width = self.shown.replace(line.clone()).chars().count();
            overwrite(&columns::left(&harmless(&line), width));
        }
    }
}

/// Writes over the line of standard error that was written last.
fn overwrite(line: &str) {
    let _ = io::stderr().lock().write_all(format!("\r{line}").as_bytes());
}

/// The line goes before anything else is written.
impl Drop for Standing {
    fn drop(&mut self) {
        let width = self.shown.borrow().chars().count();
        if width > 0 {
            overwrite(&" ".repeat(width));
            overwrite("");
        }
    }
}

/// The longest line that says what goes on, in characters.
const WIDEST: usize = 100;

/// Writes diagnostics to standard error.
pub fn diagnostics(problems: &[Diagnostic], sources: &Sources) {
    let mut text = render_all(problems, sources, charset());
    let mut codes: Vec<&str> = problems.iter().map(|p| p.code).collect();
    codes.sort_unstable();
    codes.dedup();
    if let Some(code) = codes.first() {
        let and = match codes.len() - 1 {
            0 => String::new(),
            1 => ", and one more code".to_owned(),
            others => format!(", and {others} more codes"),
        };
        text += &format!("\n`shine-tui explain {code}` says more{and}.\n");
    }
    complain(&text);
}

/// One diagnostic that is about no source text.
pub fn diagnostic(problem: &Diagnostic) {
    diagnostics(std::slice::from_ref(problem), &Sources::new());
}

/// Unicode where the locale says so.
pub fn charset() -> Charset {
    if unicode() { Charset::Unicode } else { Charset::Ascii }
}

/// Does the locale have Unicode? `LC_ALL` wins over `LC_CTYPE` wins over `LANG`.
pub fn unicode() -> bool {
    let set =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|v| std::env::var(v).ok().filter(|s| !s.is_empty()));
    set.is_some_and(|l| l.to_lowercase().replace('-', "").contains("utf8"))
}

/// The difference of two texts, with three lines around each change.
pub fn diff(old: &str, new: &str) -> String {
    let (lines, _) = crate::view::diff::of_texts(old, new, Some(3));
    lines.iter().map(|l| l.text() + "\n").collect()
}
