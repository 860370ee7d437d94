//! The texts that were read: programs, rules, strategies, and what was typed on the screen.
//!
//! In: names and bytes. Out: checked UTF-8 texts under a [`FileId`], with line and column of any offset.
//! Holds: a text never changes once added (an edited file is added anew), so a [`Span`] stays valid.

use std::sync::Arc;

use super::MAX_DEPTH;
use super::diag::Diagnostic;

/// Largest source text accepted, in bytes.
pub const MAX_SOURCE: usize = 4 * 1024 * 1024;

/// May the character do something to a terminal, or show a text in another order than it has? These are control
/// characters other than tabs and ends of lines and pages, and those that direct the writing ("Trojan source").
pub fn is_harmful(c: char) -> bool {
    let directs =
        matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    directs || c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}')
}

/// Where the text has a harmful character. The return of a carriage is one where no line ends: what follows would stand
/// over what came before.
fn harm_in(text: &str) -> Option<usize> {
    let lone = |(i, c): &(usize, char)| *c == '\r' && !text[i + 1..].starts_with('\n');
    text.char_indices().find(|place| is_harmful(place.1) || lone(place)).map(|(i, _)| i)
}

/// The text with harmful characters written as their numbers.
pub fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(at) = harm_in(rest) {
        let (before, from) = rest.split_at(at);
        let mut chars = from.chars();
        shown += before;
        shown.extend(chars.next().into_iter().flat_map(char::escape_unicode));
        rest = chars.as_str();
    }
    if shown.is_empty() { text.into() } else { (shown + rest).into() }
}

/// Names one text of a [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

impl FileId {
    /// The file of spans that point at no text (see [`Span::NOWHERE`]).
    pub const NOWHERE: FileId = FileId(u32::MAX);
}

/// A half-open range of byte offsets in one text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The span of what no text spells, e.g. a term that a rewrite made.
    pub const NOWHERE: Span = Span { file: FileId::NOWHERE, start: 0, end: 0 };

    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end: end.max(start) }
    }

    /// The smallest span that covers both. A span of another file, or of no file, adds nothing.
    pub fn to(self, other: Span) -> Span {
        if self.file == FileId::NOWHERE {
            other
        } else if other.file == self.file {
            Span::new(self.file, self.start.min(other.start), self.end.max(other.end))
        } else {
            self
        }
    }

    /// The empty span just after this one.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn is_nowhere(self) -> bool {
        self.file == FileId::NOWHERE
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_nowhere() {
            write!(f, "nowhere")
        } else {
            write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
        }
    }
}

/// One text with its name (a path, or `<command line>` and the like).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourceFile {
    pub name: Arc<str>,
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: &str, text: &str) -> SourceFile {
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        SourceFile { name: name.into(), text: text.into(), line_starts }
    }

    /// Line of a byte offset, counted from 0. Offsets past the end belong to the last line.
    pub fn line_index(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Byte range of a line counted from 0, its line end included.
    pub fn line_range(&self, line: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.line_starts.get(line)? as usize;
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |&next| next as usize);
        Some(start..end)
    }

    /// Line and column of a byte offset, both counted from 1, columns in characters.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let line = self.line_index(offset);
        let range = self.line_range(line).unwrap_or(0..0);
        let upto = (offset as usize).clamp(range.start, range.end);
        let column = self.text.get(range.start..upto).map_or(0, |s| s.chars().count());
        (line + 1, column + 1)
    }
}

/// All texts of a run, in the order in which they were added.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a text. Adding the same name and text again gives the same id.
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        if let Some(known) = self.files.iter().position(|f| &*f.name == name && &*f.text == text) {
            return FileId(known as u32);
        }
        self.files.push(SourceFile::new(name, text));
        FileId((self.files.len() - 1) as u32)
    }

    /// Adds the bytes of a file, or says why they are no source text.
    ///
    /// A reader needs to read no more than [`MAX_SOURCE`] + 1 bytes: more are refused all the same.
    ///
    /// # Errors
    /// `E0001` not UTF-8, `E0002` binary (a NUL byte), `E0003` larger than [`MAX_SOURCE`], `E0009` a character that is
    /// for terminals.
    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<FileId, Diagnostic> {
        if bytes.len() > MAX_SOURCE {
            return Err(too_large(name));
        }
        if let Some(at) = bytes.iter().position(|&b| b == 0) {
            return Err(Diagnostic::error("E0002", format!("`{name}` is a binary file."))
                .note(format!("Byte {at} is zero, which no source text contains."))
                .hint("Give the path of a text file, e.g. `matmul.rise`."));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => match refuse_harmful(name, text) {
                Some(problem) => Err(problem),
                None => Ok(self.add(name, text.strip_prefix('\u{feff}').unwrap_or(text))),
            },
            Err(error) => {
                let line = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
                Err(Diagnostic::error("E0001", format!("`{name}` is not UTF-8 text."))
                    .note(format!(
                        "Line {line} holds the first byte that is not (offset {}).",
                        error.valid_up_to()
                    ))
                    .hint("Convert the file, e.g. `iconv -f latin1 -t utf-8`."))
            }
        }
    }

    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The text that a span covers, empty where it points at nothing.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }
}

/// What is wrong with a text that has a harmful character in it.
pub fn refuse_harmful(name: &str, text: &str) -> Option<Diagnostic> {
    let at = harm_in(text)?;
    let c = text[at..].chars().next()?;
    let line = text[..at].matches('\n').count() + 1;
    let what = if c.is_control() {
        "is a command for terminals"
    } else {
        "changes the order in which text is shown"
    };
    let name = harmless(name);
    Some(
        Diagnostic::error("E0009", format!("`{name}` has a character that no text of a program needs."))
            .note(format!("The character {} on line {line} {what}.", c.escape_unicode()))
            .hint("Take it out. In C text it can be written with its number, as `\\x1b`."),
    )
}

/// The diagnostic for a text over the limit.
pub fn too_large(name: &str) -> Diagnostic {
    Diagnostic::error("E0003", format!("`{name}` is larger than {} MiB.", MAX_SOURCE / 1024 / 1024))
        .note(format!("Source texts are read up to {MAX_SOURCE} bytes and {MAX_DEPTH} levels of nesting."))
        .hint("Split it into several files, or check that the path is the right one.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_survive_any_offset() {
        let mut sources = Sources::new();
        let id = sources.add("a", "λx.\ny\n");
        let file = sources.get(id).unwrap();
        assert_eq!(file.position(0), (1, 1));
        assert_eq!(file.position(2), (1, 2));
        assert_eq!(file.position(5), (2, 1));
        assert_eq!(file.position(7), (3, 1));
        assert_eq!(file.position(999), (3, 1));
        assert_eq!(file.position(1), (1, 1), "an offset inside a character does not panic");
        assert_eq!(sources.text(Span::new(id, 2, 4)), "x.");
        assert_eq!(sources.text(Span::new(id, 1, 90)), "");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let mut sources = Sources::new();
        let code = |r: Result<FileId, Diagnostic>| r.unwrap_err().code;
        assert_eq!(code(sources.add_bytes("a", b"\x7fELF\0")), "E0002");
        assert_eq!(code(sources.add_bytes("a", b"def \xff")), "E0001");
        assert_eq!(code(sources.add_bytes("a", &vec![b'a'; MAX_SOURCE + 1])), "E0003");
        for text in ["-- \x1b[2J", "-- \u{9b}31m", "x\u{202e}y", "a\rb", "\x7f", "\x07", "a\u{2066}"] {
            assert_eq!(code(sources.add_bytes("a", text.as_bytes())), "E0009", "{text:?}");
        }
        assert!(sources.add_bytes("a", "tab\t, end\r\n\x0c".as_bytes()).is_ok());
        assert_eq!(harmless("a\x1bb\rc\r\n\u{202e}"), "a\\u{1b}b\\u{d}c\r\n\\u{202e}");
        let id = sources.add_bytes("a", "\u{feff}def".as_bytes()).unwrap();
        assert_eq!(&*sources.get(id).unwrap().text, "def");
        assert_eq!(sources.add("a", "def"), id);
    }
}
