//! What goes wrong, said to the user: code, places, cause, hint.
//!
//! In: problems of every stage. Out: text for a terminal or a pane ([`Diagnostic::render`]), or pieces of
//! text with roles for the screen to colour ([`Diagnostic::render_styled`]).
//! Holds: rendering never fails, never prints a control character from a source, and keeps long lines short.
//!
//! Codes: `E00xx` reading and syntax, `E01xx` names, types and sizes, `E02xx` rules, `E03xx` strategies, `E04xx`
//! sketches and search, `E05xx` lowering, `E06xx` code, `E07xx` devices, `E08xx` sessions, `E09xx` command line.

use std::sync::Arc;

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{self, Files};
use codespan_reporting::term::{self, Chars, Config, WriteStyle};

use super::nat::Name;
use super::origin::Origin;
use super::path::Path;
use super::pattern::Pattern;
pub use super::source::{FileId, SourceFile, Sources, Span};
use super::term::Arg;

/// Lines longer than this (in bytes) are shown as an excerpt around the problem.
const MAX_LINE: usize = 400;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A place in a source with what is to be said about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub span: Span,
    pub message: String,
    /// Whether this is where the problem is, rather than something that explains it.
    pub primary: bool,
}

/// Parts of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// The part at a position.
    At(Path),
    /// What a command comes from, where whoever found the problem knows no positions.
    From(Origin),
    /// The patterns of this name that a command comes from.
    PatternFrom(Pattern, Origin),
    /// What the loop over this variable, or the memory of this name, comes from.
    Made(Name),
    /// All patterns of this name.
    Pattern(Pattern),
    /// All patterns of this name with these arguments; of this name, where the text has none with them.
    With(Pattern, Vec<Arg>),
    /// The low-level patterns that no function of this one has.
    Outside(Pattern),
}

/// What most problems go without.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context {
    /// What the problem is with, where whoever found it knew the term but not its text.
    pub subject: Option<Subject>,
    /// The texts that the labels point into, where whoever gets the problem may not have them.
    pub texts: Option<Arc<Sources>>,
}

/// One problem, in full sentences.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub labels: Vec<Label>,
    /// Causes and circumstances.
    pub notes: Vec<String>,
    /// What the user can do.
    pub hints: Vec<String>,
    /// Boxed, because problems are passed around as errors.
    pub context: Option<Box<Context>>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            message: sentence(&message.into()),
            labels: Vec::new(),
            notes: Vec::new(),
            hints: Vec::new(),
            context: None,
        }
    }

    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// Adds a place: the first one is where the problem is, later ones explain it.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        let primary = self.labels.is_empty();
        self.labels.push(Label { span, message: message.into(), primary });
        self
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub fn about(mut self, subject: Subject) -> Diagnostic {
        self.context.get_or_insert_default().subject = Some(subject);
        self
    }

    /// Without what it is about.
    #[must_use]
    pub fn without_subject(mut self) -> Diagnostic {
        if let Some(context) = &mut self.context {
            context.subject = None;
        }
        self
    }

    /// Adds "did you mean" where a near name is known.
    #[must_use]
    pub fn did_you_mean<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        match nearest(name, known) {
            Some(near) => self.hint(format!("Did you mean `{near}`?")),
            None => self,
        }
    }

    /// Carries the texts along that the labels point into: for what was typed, which no session keeps.
    #[must_use]
    pub fn within(mut self, texts: &Sources) -> Diagnostic {
        if !self.labels.is_empty() {
            self.context.get_or_insert_default().texts.get_or_insert_with(|| Arc::new(texts.clone()));
        }
        self
    }

    /// As [`Self::did_you_mean`], with another hint where no near name is known.
    #[must_use]
    pub fn did_you_mean_or<'a>(
        self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
        hint: impl Into<String>,
    ) -> Diagnostic {
        let hints = self.hints.len();
        let problem = self.did_you_mean(name, known);
        if problem.hints.len() > hints { problem } else { problem.hint(hint) }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Where the problem is.
    pub fn span(&self) -> Option<Span> {
        self.labels.iter().find(|l| l.primary).or(self.labels.first()).map(|l| l.span)
    }

    /// The message with its source lines, in Unicode frames, without colour.
    pub fn render(&self, sources: &Sources) -> String {
        self.render_with(sources, Charset::Unicode)
    }

    pub fn render_with(&self, sources: &Sources, charset: Charset) -> String {
        self.render_styled(sources, charset).into_iter().map(|(_, text)| text).collect()
    }

    /// As [`Self::render_with`], cut into pieces with the role of each, for a screen that has colours.
    pub fn render_styled(&self, sources: &Sources, charset: Charset) -> Vec<(Role, String)> {
        let sources = self.context.as_ref().and_then(|c| c.texts.as_deref()).unwrap_or(sources);
        let mut shown =
            cs::Diagnostic::new(self.severity.into()).with_code(self.code).with_message(clean(&self.message));
        let mut excerpts = Vec::new();
        for label in &self.labels {
            let Some(file) = sources.get(label.span.file) else { continue };
            let range = within(&file.text, label.span);
            match excerpt(file, &range) {
                Some(text) => excerpts.push(format!("{text}: {}", label.message)),
                None => {
                    let style =
                        if label.primary { cs::LabelStyle::Primary } else { cs::LabelStyle::Secondary };
                    shown = shown.with_label(
                        cs::Label::new(style, label.span.file, range).with_message(clean(&label.message)),
                    );
                }
            }
        }
        let notes = excerpts.iter().chain(&self.notes).map(|n| clean(n));
        let hints = self.hints.iter().map(|h| format!("hint: {}", clean(h)));
        shown = shown.with_notes(notes.chain(hints).collect());

        let mut out = Pieces::default();
        let chars = if charset == Charset::Ascii { Chars::ascii() } else { Chars::box_drawing() };
        let config = Config { chars, ..Config::default() };
        if term::emit_to_write_style(&mut out, &config, sources, &shown).is_err() {
            out = Pieces::default();
            out.push(format!("{}[{}]: {}\n", self.severity.word(), self.code, clean(&self.message)));
        }
        while out.pieces.last_mut().is_some_and(|(_, last)| {
            last.truncate(last.trim_end_matches('\n').len());
            last.is_empty()
        }) {
            out.pieces.pop();
        }
        out.push("\n".into());
        out.pieces
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.word(), self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// The text with a capital letter at its beginning.
pub fn sentence(text: &str) -> String {
    let mut out = text.to_string();
    if let Some(first) = out.get(..1).map(str::to_uppercase) {
        out.replace_range(..1, &first);
    }
    out
}

/// All problems below each other, with a blank line between.
pub fn render_all(problems: &[Diagnostic], sources: &Sources, charset: Charset) -> String {
    problems.iter().map(|p| p.render_with(sources, charset)).collect::<Vec<_>>().join("\n")
}

/// Which characters a text may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Charset {
    Ascii,
    #[default]
    Unicode,
}

/// What a piece of a rendered diagnostic is, for colours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    Text,
    Header(Severity),
    Message,
    LineNumber,
    Border,
    Primary(Severity),
    Secondary,
    Bullet,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl From<Severity> for cs::Severity {
    fn from(severity: Severity) -> cs::Severity {
        match severity {
            Severity::Note => cs::Severity::Note,
            Severity::Warning => cs::Severity::Warning,
            Severity::Error => cs::Severity::Error,
        }
    }
}

impl From<cs::Severity> for Severity {
    fn from(severity: cs::Severity) -> Severity {
        match severity {
            cs::Severity::Bug | cs::Severity::Error => Severity::Error,
            cs::Severity::Warning => Severity::Warning,
            cs::Severity::Note | cs::Severity::Help => Severity::Note,
        }
    }
}

/// The name of `known` that a misspelt `name` most likely meant; the first of equally near ones.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let far = if candidate.eq_ignore_ascii_case(name) { 0 } else { distance(name, candidate, limit) };
        if far <= limit && best.is_none_or(|(least, _)| far < least) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance in which swapping two neighbours counts as one edit; anything over `limit` is `limit + 1`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// A span as a byte range that lies in the text, on character boundaries.
fn within(text: &str, span: Span) -> std::ops::Range<usize> {
    let floor = |at: u32| {
        let mut at = (at as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    floor(span.start)..floor(span.end).max(floor(span.start))
}

/// The surroundings of a problem on a line that is too long to print, and nothing for other lines.
fn excerpt(file: &SourceFile, range: &std::ops::Range<usize>) -> Option<String> {
    let line = file.line_range(file.line_index(range.start as u32))?;
    let last = file.line_range(file.line_index(range.end as u32))?;
    if line.len() <= MAX_LINE && last.len() <= MAX_LINE {
        return None;
    }
    let rest = file.text.get(range.start..line.end)?;
    let here: String = rest.chars().take(40).collect();
    let (row, column) = file.position(range.start as u32);
    Some(format!("{}:{row}:{column}, at `{}`", in_a_line(&file.name), here.trim()))
}

/// Control characters and direction marks could change what a terminal shows: they are replaced.
fn clean(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The name of a file where it stands in a line of its own.
fn in_a_line(name: &str) -> String {
    name.chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

impl<'a> Files<'a> for Sources {
    type FileId = FileId;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<String, files::Error> {
        self.get(id).map(|f| in_a_line(&f.name)).ok_or(files::Error::FileMissing)
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, files::Error> {
        self.get(id).map(|f| &*f.text).ok_or(files::Error::FileMissing)
    }

    fn line_index(&'a self, id: FileId, at: usize) -> Result<usize, files::Error> {
        self.get(id).map(|f| f.line_index(at as u32)).ok_or(files::Error::FileMissing)
    }

    fn line_range(&'a self, id: FileId, line: usize) -> Result<std::ops::Range<usize>, files::Error> {
        let file = self.get(id).ok_or(files::Error::FileMissing)?;
        file.line_range(line).ok_or(files::Error::LineTooLarge { given: line, max: file.text.len() })
    }
}

/// Collects what the renderer writes, with the role in force.
#[derive(Default)]
struct Pieces {
    pieces: Vec<(Role, String)>,
    role: Option<Role>,
    /// Bytes of a character that has not arrived whole.
    partial: Vec<u8>,
}

impl Pieces {
    fn push(&mut self, mut text: String) {
        // No line ends in spaces.
        while let Some(at) = text.find(" \n") {
            let end = text[..at].trim_end_matches(' ').len();
            text.replace_range(end..=at, "");
        }
        if text.starts_with('\n') {
            while let Some((_, last)) = self.pieces.last_mut() {
                last.truncate(last.trim_end_matches(' ').len());
                if !last.is_empty() {
                    break;
                }
                self.pieces.pop();
            }
        }
        let role = self.role.unwrap_or(Role::Text);
        match self.pieces.last_mut() {
            Some((last, so_far)) if *last == role => so_far.push_str(&text),
            _ => self.pieces.push((role, text)),
        }
    }

    fn set(&mut self, role: Role) -> std::io::Result<()> {
        self.role = Some(role);
        Ok(())
    }
}

impl std::io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.partial.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.partial) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.partial.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.partial, rest)).into_owned();
        if !text.is_empty() {
            self.push(clean(&text));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl WriteStyle for Pieces {
    fn set_header(&mut self, severity: cs::Severity) -> std::io::Result<()> {
        self.set(Role::Header(severity.into()))
    }
    fn set_header_message(&mut self) -> std::io::Result<()> {
        self.set(Role::Message)
    }
    fn set_line_number(&mut self) -> std::io::Result<()> {
        self.set(Role::LineNumber)
    }
    fn set_note_bullet(&mut self) -> std::io::Result<()> {
        self.set(Role::Bullet)
    }
    fn set_source_border(&mut self) -> std::io::Result<()> {
        self.set(Role::Border)
    }
    fn set_label(&mut self, severity: cs::Severity, style: cs::LabelStyle) -> std::io::Result<()> {
        self.set(match style {
            cs::LabelStyle::Primary => Role::Primary(severity.into()),
            cs::LabelStyle::Secondary => Role::Secondary,
        })
    }
    fn reset(&mut self) -> std::io::Result<()> {
        self.set(Role::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Sources, Diagnostic) {
        let mut sources = Sources::new();
        let id = sources.add("dot.rise", "def dot a b =\n  zip a c |> reduce (+) 0\n");
        let problem = Diagnostic::error("E0101", "There is no `c` here.")
            .label(Span::new(id, 22, 23), "not defined")
            .label(Span::new(id, 4, 7), "in this definition")
            .note("The names in scope are `a` and `b`.")
            .hint("Did you mean `b`?");
        (sources, problem)
    }

    #[test]
    fn renders_places_notes_and_hints() {
        let (sources, problem) = sample();
        insta::assert_snapshot!(problem.render(&sources), @r"
        error[E0101]: There is no `c` here.
          ┌─ dot.rise:2:9
          │
        1 │ def dot a b =
          │     --- in this definition
        2 │   zip a c |> reduce (+) 0
          │         ^ not defined
          │
          = The names in scope are `a` and `b`.
          = hint: Did you mean `b`?
        ");
        insta::assert_snapshot!(problem.render_with(&sources, Charset::Ascii), @r"
        error[E0101]: There is no `c` here.
          --> dot.rise:2:9
          |
        1 | def dot a b =
          |     --- in this definition
        2 |   zip a c |> reduce (+) 0
          |         ^ not defined
          |
          = The names in scope are `a` and `b`.
          = hint: Did you mean `b`?
        ");
    }

    #[test]
    fn a_name_stands_in_a_line() {
        let mut sources = Sources::new();
        let id = sources.add("a\nb\t.rise", "x y");
        let long = sources.add("c\nd", &"(".repeat(MAX_LINE + 1));
        for (span, shown) in
            [(Span::new(id, 0, 1), "a\u{fffd}b\u{fffd}.rise:1:1"), (Span::new(long, 0, 1), "c\u{fffd}d:1:1")]
        {
            let text = Diagnostic::error("E0101", "No.").label(span, "here").render(&sources);
            assert!(text.contains(shown), "{text}");
        }
    }

    #[test]
    fn pieces_carry_roles_and_add_up_to_the_text() {
        let (sources, problem) = sample();
        let pieces = problem.render_styled(&sources, Charset::Unicode);
        assert_eq!(pieces[0], (Role::Header(Severity::Error), "error[E0101]".to_string()));
        assert!(
            pieces.iter().any(|(role, text)| *role == Role::Primary(Severity::Error) && text.contains('^'))
        );
        assert!(pieces.iter().any(|(role, _)| *role == Role::Secondary));
    }

    #[test]
    fn hostile_spans_and_texts_do_not_harm() {
        let mut sources = Sources::new();
        let id = sources.add("x\u{1b}[2J", "a\u{1b}[31m\u{202e}λ");
        let long = sources.add("long", &"(".repeat(100_000));
        for span in [
            Span::new(id, 0, 9999),
            Span::new(id, 4_000_000_000, 4_000_000_001),
            Span::new(id, 9, 10),
            Span::new(FileId(77), 0, 1),
            Span::NOWHERE,
            Span::new(long, 50_000, 50_001),
        ] {
            let text =
                Diagnostic::error("E0010", "Bad \u{7} character.").label(span, "here").render(&sources);
            assert!(text.starts_with("error[E0010]: Bad \u{fffd} character."), "{text}");
            assert!(!text.chars().any(|c| is_unsafe(c) && c != '\n'), "{text:?}");
            assert!(text.len() < 1000, "{} bytes", text.len());
        }
    }

    #[test]
    fn near_names() {
        let known = ["map", "mapSeq", "reduce", "transpose"];
        assert_eq!(nearest("tranpsose", known), Some("transpose"));
        assert_eq!(nearest("Mapseq", known), Some("mapSeq"));
        assert_eq!(nearest("redcue", known), Some("reduce"));
        assert_eq!(nearest("zip", known), None);
        assert_eq!(nearest("x", known), None);
    }
}
