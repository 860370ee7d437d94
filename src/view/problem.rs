//! What is wrong, with the place it is wrong at, and what can be done on the screen.

use super::code::{self, Dialect};
use super::surface::on_the_screen;
use super::text::{Alphabet, Line, Mark, Role};
use crate::lang::columns;
use crate::lang::diag::{self, Charset, Diagnostic, Severity};
use crate::lang::source::{SourceFile, Sources};

/// A problem as the command line shows it, with roles, and with what can be done here.
pub fn lines(problem: &Diagnostic, sources: &Sources, alphabet: Alphabet) -> Vec<Line> {
    let charset = match alphabet {
        Alphabet::Unicode => Charset::Unicode,
        Alphabet::Ascii => Charset::Ascii,
    };
    let mut problem = problem.clone();
    for text in problem.notes.iter_mut().chain(&mut problem.hints) {
        *text = on_the_screen(text);
    }
    let mut lines = vec![Line::empty()];
    for (role, text) in problem.render_styled(sources, charset) {
        for (i, piece) in text.split('\n').enumerate() {
            if i > 0 {
                lines.push(Line::empty());
            }
            if let Some(line) = lines.last_mut() {
                line.push(of(role), piece.trim_end_matches('\r').to_owned());
            }
        }
    }
    while lines.last().is_some_and(|line| line.text().trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// The text of a file with its lines numbered, and what the problems say is wrong marked.
pub fn text(file: &SourceFile, problems: &[Diagnostic], sources: &Sources, alphabet: Alphabet) -> Vec<Line> {
    let mut lines = code::highlight(&file.text, Dialect::Rise);
    let mut wrong = vec![false; lines.len()];
    let labels = problems.iter().filter(|problem| problem.is_error()).flat_map(|problem| &problem.labels);
    let here = |label: &&diag::Label| {
        label.primary && sources.get(label.span.file).is_some_and(|f| f.name == file.name)
    };
    for span in labels.filter(here).map(|label| label.span) {
        // What is missing at the end of a text is marked on its last line.
        let last = lines.len().saturating_sub(1);
        let first = file.line_index(span.start).min(last);
        let end = file.line_index(span.end.saturating_sub(1)).clamp(first, last);
        for (i, wrong) in wrong.iter_mut().enumerate().take(end + 1).skip(first) {
            let (Some(range), Some(line)) = (file.line_range(i), lines.get_mut(i)) else { continue };
            let within = |at: u32| (at as usize).clamp(range.start, range.end) - range.start;
            line.mark(within(span.start)..within(span.end), Mark::Found);
            *wrong = true;
        }
    }
    let digits = lines.len().to_string().len();
    let number = |(i, (line, wrong)): (usize, (Line, bool))| {
        let sign = if wrong { alphabet.pick("✗", "x") } else { " " };
        let mut out = Line::of(Role::Error, format!("{sign} "))
            .with(Role::Dim, format!("{}  ", columns::right(&(i + 1).to_string(), digits)));
        out.append(line);
        out
    };
    lines.into_iter().zip(wrong).enumerate().map(number).collect()
}

/// The message with its code.
pub fn in_a_line(problem: &Diagnostic) -> String {
    format!("{} ({})", problem.message, problem.code)
}

/// Labels that point and say nothing else.
const POINTING: [&str; 6] =
    ["here", "not here", "not known", "this fails", "called here", "called from here"];

/// The message and its hints without the place, for a popup that shows the text itself.
pub fn brief(problem: &Diagnostic) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Error, in_a_line(problem))];
    // Without its place a label that repeats the message says nothing.
    let message = problem.message.to_lowercase();
    let says_more = |label: &&diag::Label| {
        !POINTING.contains(&&*label.message) && !message.contains(&label.message.to_lowercase())
    };
    lines.extend(problem.labels.iter().filter(says_more).map(|label| Line::plain(label.message.clone())));
    lines.extend(problem.notes.iter().map(|note| Line::plain(on_the_screen(note))));
    lines.extend(problem.hints.iter().map(|hint| Line::of(Role::Hint, on_the_screen(hint))));
    lines.iter().flat_map(split).collect()
}

/// A line broken at its line ends.
fn split(line: &Line) -> Vec<Line> {
    let role = line.spans.first().map_or(Role::Plain, |span| span.role);
    super::text::lines_of(role, &line.text())
}

fn of(role: diag::Role) -> Role {
    match role {
        diag::Role::Header(Severity::Error) | diag::Role::Primary(Severity::Error) => Role::Error,
        diag::Role::Header(Severity::Warning) | diag::Role::Primary(Severity::Warning) => Role::Warning,
        diag::Role::Header(Severity::Note) | diag::Role::Primary(Severity::Note) => Role::Hint,
        diag::Role::Message => Role::Title,
        diag::Role::LineNumber | diag::Role::Border => Role::Dim,
        diag::Role::Secondary | diag::Role::Bullet => Role::Hint,
        diag::Role::Text => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_on_the_command_line() {
        let mut sources = Sources::new();
        let file = sources.add("a.rise", "def f = mpa\n");
        let problem = Diagnostic::error("E0101", "There is no `mpa`.")
            .label(diag::Span { file, start: 8, end: 11 }, "this name")
            .hint("Did you mean `map`?");
        let lines = lines(&problem, &sources, Alphabet::Ascii);
        let text = lines.iter().map(Line::text).collect::<Vec<_>>().join("\n");
        assert_eq!(text, problem.render_with(&sources, Charset::Ascii).trim_end());
        assert!(lines.iter().flat_map(|l| &l.spans).any(|s| s.role == Role::Error));
        let brief: Vec<_> = brief(&problem).iter().map(Line::text).collect();
        assert_eq!(brief, ["There is no `mpa`. (E0101)", "this name", "Did you mean `map`?"]);
        // But for what only the command line has.
        let missing =
            Diagnostic::error("E0152", "The size `n` has no value.").hint("Give one with `--size n=8`.");
        let text = |lines: Vec<Line>| lines.iter().map(|line| line.text() + "\n").collect::<String>();
        for shown in [text(super::brief(&missing)), text(super::lines(&missing, &sources, Alphabet::Ascii))] {
            assert!(shown.contains("Give one with `:sizes n=8`."), "{shown}");
        }
    }
}
