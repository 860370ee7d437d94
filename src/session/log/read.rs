//! Reading session logs: whole ones, ones cut off by a power failure, damaged and hostile ones.

use super::seal::{Chain, Seal};
use super::v1;
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::source::{harmless, refuse_harmful};

/// The largest log that is read, in bytes.
pub const MAX_BYTES: usize = 256 << 20;

/// A log as read.
#[derive(Debug)]
pub struct Log {
    pub header: v1::Header,
    /// The header as it stands.
    pub header_line: String,
    pub entries: Vec<Entry>,
    /// What was left out, to be told to the user.
    pub warnings: Vec<String>,
    /// How many bytes from the start are whole records. What follows is a torn tail.
    pub intact_bytes: usize,
    /// The seals up to there.
    pub chain: Chain,
    /// All that was read.
    pub read: Contents,
}

/// What tells whether a file still has what was read of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contents {
    length: usize,
    digest: Digest,
}

impl Contents {
    pub fn of(bytes: &[u8]) -> Contents {
        Contents { length: bytes.len(), digest: Digest::of(bytes) }
    }
}

impl Log {
    /// The lines of the header and of all records, as they stand.
    pub fn lines(&self) -> Vec<String> {
        let entries = self.entries.iter().map(|e| match e {
            Entry::Known { raw, .. } | Entry::Unknown { raw, .. } => raw.clone(),
        });
        std::iter::once(self.header_line.clone()).chain(entries).collect()
    }
}

/// A line of a log after the header.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly every line is a known one")]
pub enum Entry {
    Known {
        line: usize,
        raw: String,
        record: v1::Record,
        /// Does a seal say that it is as it was recorded?
        sealed: bool,
    },
    /// A whole record that this version cannot read: a newer version wrote it. It is kept as it stands.
    Unknown { line: usize, raw: String, reason: String },
}

/// Reads a log.
///
/// # Errors
/// `E0801` when it is no session log, `E0802` when it is too large or of a newer format, `E0803` when it is damaged
/// before its end, `E0804` when a text does not have the digest that stands beside it, `E0808` when a line was changed
/// after it was recorded, `E0009` when a text has a character that is for terminals.
pub fn parse(bytes: &[u8]) -> Result<Log, Diagnostic> {
    if bytes.len() > MAX_BYTES {
        return Err(Diagnostic::error(
            "E0802",
            format!("The session log is larger than {} MiB, the most that is read.", MAX_BYTES >> 20),
        ));
    }
    let mut lines = Lines { bytes, at: 0, number: 0 };
    let not_a_log = |why: String| {
        Diagnostic::error("E0801", "This is not a session log.").note(why).hint(
            "A session log starts with a line `session(format: 1, …)`, as written by `:save` and `--session`.",
        )
    };
    let Some(first) = lines.next() else { return Err(not_a_log("The file is empty.".into())) };
    let header = header(&first, &not_a_log)?;
    let header_line = first.text.unwrap_or_default();
    let mut chain = Chain::default();
    texts_are_as_recorded(&header)?;
    let seal = chain.check(&header_line);
    if seal == Seal::Broken {
        return Err(changed(1));
    }
    if let Some(problem) = texts(&header).find_map(|t| refuse_harmful(&t.label, &t.text)) {
        return Err(problem);
    }
    let (entries, warnings) = (vec![], vec![]);
    let mut log = Log {
        header,
        header_line,
        entries,
        warnings,
        intact_bytes: lines.at,
        chain,
        read: Contents::of(bytes),
    };
    while let Some(line) = lines.next() {
        let before = log.chain.clone();
        match entry(&line, log.entries.len() + 1, &mut log.chain) {
            Ok(Read::Entry(e)) => log.entries.push(*e),
            Ok(Read::Empty) => {}
            // Only what a power failure leaves has no end of its line.
            Ok(Read::Changed) | Err(_) if !line.ended => {
                log.warnings.push(format!(
                    "The last record of the session log, on line {}, is incomplete and was left out.",
                    line.number
                ));
                log.chain = before;
                return Ok(log);
            }
            Ok(Read::Changed) => return Err(changed(line.number)),
            Err(why) => {
                return Err(Diagnostic::error(
                    "E0803",
                    format!("The session log is damaged on line {}.", line.number),
                )
                .note(why)
                .note("The file was left as it is.")
                .hint(format!(
                    "Restore the file from a copy. `head -n {} OLD.ron > NEW.ron` keeps what comes before.",
                    line.number - 1
                )));
            }
        }
        log.intact_bytes = lines.at;
    }
    Ok(log)
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

struct Line {
    number: usize,
    text: Result<String, String>,
    ended: bool,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Line> {
        let rest = self.bytes.get(self.at..).filter(|r| !r.is_empty())?;
        let end = rest.iter().position(|b| *b == b'\n');
        let raw = &rest[..end.unwrap_or(rest.len())];
        self.at += end.map_or(rest.len(), |e| e + 1);
        self.number += 1;
        let text =
            std::str::from_utf8(raw).map(str::to_string).map_err(|_| "The line is not UTF-8 text.".into());
        Some(Line { number: self.number, text, ended: end.is_some() })
    }
}

/// The format alone.
#[derive(serde::Deserialize)]
#[serde(rename = "session")]
struct Format {
    format: u32,
}

/// Whether this is the first line of a session log, of any format.
pub fn is_first_line(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|text| ron::from_str::<Format>(text).is_ok())
}

fn header(line: &Line, not_a_log: &dyn Fn(String) -> Diagnostic) -> Result<v1::Header, Diagnostic> {
    let text = line.text.as_ref().map_err(|why| not_a_log(why.clone()))?;
    // The format is read first, so that a newer one is named as such whatever else it holds.
    let format: Format =
        ron::from_str(text).map_err(|e| not_a_log(format!("Its first line is no header: {e}.")))?;
    if format.format != 1 {
        return Err(Diagnostic::error(
            "E0802",
            format!("The session log has format {}, this version reads format 1.", format.format),
        )
        .hint("Use the version of shine-tui that wrote it, or a newer one."));
    }
    ron::from_str(text).map_err(|e| not_a_log(format!("Its header is incomplete: {e}.")))
}

/// The program and the files that the session is about.
fn texts(header: &v1::Header) -> impl Iterator<Item = &v1::Text> {
    std::iter::once(&header.program).chain(&header.files)
}

fn texts_are_as_recorded(header: &v1::Header) -> Result<(), Diagnostic> {
    for t in texts(header) {
        let found = Digest::of(t.text.as_bytes()).to_string();
        if found != t.digest {
            return Err(Diagnostic::error(
                "E0804",
                format!(
                    "The text of `{}` in the session log does not have the digest that the log records.",
                    harmless(&t.label)
                ),
            )
            .note(format!("The log records {}, the text has {found}.", harmless(&t.digest)))
            .hint("The log was changed by hand or damaged. Record the session again."));
        }
    }
    Ok(())
}

/// What a line holds.
enum Read {
    Empty,
    Entry(Box<Entry>),
    /// Its seal does not hold.
    Changed,
}

fn entry(line: &Line, expected: usize, chain: &mut Chain) -> Result<Read, String> {
    let raw = line.text.clone()?;
    if raw.trim().is_empty() {
        return Ok(Read::Empty);
    }
    if !is_whole(&raw) {
        return Err("The line is no whole record.".into());
    }
    let sealed = match chain.check(&raw) {
        Seal::Broken => return Ok(Read::Changed),
        seal => seal == Seal::Holds,
    };
    let line = line.number;
    let entry = match ron::from_str::<v1::Record>(&raw) {
        Ok(record) if record.n == expected => Entry::Known { line, raw, record, sealed },
        Ok(record) => return Err(format!("The record has number {}, but {expected} is next.", record.n)),
        Err(e) => Entry::Unknown { line, raw, reason: e.to_string() },
    };
    Ok(Read::Entry(Box::new(entry)))
}

fn changed(line: usize) -> Diagnostic {
    let what = match line {
        1 => "The first line of the session log was changed after it was recorded.".into(),
        n => format!("Line {n} of the session log, or one before it, was changed after it was recorded."),
    };
    Diagnostic::error("E0808", what)
        .note("Each line ends in a digest of all lines up to it, and this one is another.")
        .note("The file was left as it is.")
        .hint("Restore the file from a copy, or record the session again.")
}

/// Is the line a whole record as far as brackets and quotes tell, whatever it says?
fn is_whole(raw: &str) -> bool {
    let Some(body) = raw.trim().strip_prefix("do(") else { return false };
    let (mut depth, mut in_string, mut escaped) = (1usize, false, false);
    let mut ended = false;
    for c in body.chars() {
        if ended {
            return false;
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                ended = depth == 0;
            }
            _ => {}
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;
    use crate::session::action::{Action, Outcome};
    use indexmap::IndexMap;

    fn header_line(program: &str) -> String {
        let text = v1::Text {
            label: "dot.rise".into(),
            digest: Digest::of(program.as_bytes()).to_string(),
            text: program.into(),
        };
        line(&v1::Header {
            format: 1,
            tool: "shine-tui 0.1.0".into(),
            program: text,
            def: None,
            files: vec![],
            rules: IndexMap::new(),
            sizes: IndexMap::new(),
            seed: 1,
            seal: String::new(),
        })
        .unwrap()
    }

    fn record_line(n: usize) -> String {
        let action = Action::Strategy {
            text: "topDown(mapFusion)\n-- \"quoted\"".into(),
            at: crate::lang::path::Path::root(),
        };
        line(&v1::Record {
            n,
            action: (&action).into(),
            outcome: (&Outcome::Done).into(),
            seal: String::new(),
        })
        .unwrap()
    }

    fn whole() -> String {
        format!("{}\n{}\n{}\n", header_line("def a = 1"), record_line(1), record_line(2))
    }

    #[test]
    fn what_is_written_is_read() {
        let log = parse(whole().as_bytes()).unwrap();
        assert_eq!(log.entries.len(), 2);
        assert!(log.warnings.is_empty());
        assert_eq!(whole().lines().count(), 3, "one line a record");
    }

    #[test]
    fn a_sealed_header_that_was_changed_is_told_as_changed_whatever_stands_in_it() {
        let sealed = Chain::default().seal(&header_line("def a = 1"));
        assert!(parse(sealed.as_bytes()).is_ok());
        for (was, is, code) in [
            ("dot.rise", "\\u{0}.rise", "E0808"),
            ("dot.rise", "\\u{1b}[31m.rise", "E0808"),
            ("def a = 1", "def\\u{0}a = 1", "E0804"),
        ] {
            let changed = sealed.replacen(was, is, 1);
            assert_ne!(changed, sealed);
            assert_eq!(parse(changed.as_bytes()).unwrap_err().code, code, "{is:?}");
        }
    }

    #[test]
    fn a_cut_tail_is_left_out_wherever_it_is_cut() {
        let text = whole();
        let second = text.lines().take(2).map(|l| l.len() + 1).sum::<usize>();
        for cut in second + 1..text.len() - 1 {
            let log = parse(&text.as_bytes()[..cut]).unwrap();
            assert_eq!(
                (log.entries.len(), log.warnings.len(), log.intact_bytes),
                (1, 1, second),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn damage_in_the_middle_and_wrong_digests_are_errors() {
        let cut = whole().replacen("Done", "Do", 1).replacen(")\n", "\n", 2);
        assert!(parse(cut.as_bytes()).is_err());
        let altered = whole().replace("def a = 1", "def a = 2");
        assert_eq!(parse(altered.as_bytes()).unwrap_err().code, "E0804");
        assert_eq!(parse(b"").unwrap_err().code, "E0801");
        assert_eq!(parse(b"\xff\xfe\x00").unwrap_err().code, "E0801");
        assert_eq!(parse(b"(format: 7)").unwrap_err().code, "E0802");
        let gap = format!("{}\n{}\n{}\n", header_line("x"), record_line(2), record_line(3));
        assert_eq!(parse(gap.as_bytes()).unwrap_err().code, "E0803");
    }

    #[test]
    fn what_a_newer_version_wrote_is_kept() {
        let text = format!("{}\ndo(n: 1, action: Teleport(to: \"(\"), outcome: Done)\n", header_line("x"));
        let log = parse(text.as_bytes()).unwrap();
        assert!(matches!(&log.entries[0], Entry::Unknown { raw, .. } if raw.contains("Teleport")));
    }
}
