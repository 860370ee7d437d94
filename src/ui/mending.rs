//! Texts with problems: each problem with its text, until the files are right.
//!
//! A program that cannot be read has no session, so its problems are shown before there is one, and the assistant
//! opens as soon as the file is right. Within a session the same page shows what is wrong with a changed program, or
//! with rules and strategies, of which the right ones can be used meanwhile.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::popup::{Page, Purpose};
use crate::session::workspace::Problems;
use crate::view::{Alphabet, Line, problem};

/// What is wrong with some texts, and which problem is looked at.
#[derive(Clone, Debug)]
pub struct Mending {
    problems: Problems,
    at: usize,
    /// What happens when the files are right.
    then: &'static str,
}

impl Mending {
    /// Errors come before warnings.
    pub fn new(mut problems: Problems, then: &'static str) -> Mending {
        problems.list.sort_by_key(|problem| !problem.is_error());
        Mending { problems, at: 0, then }
    }

    /// Looks at another problem.
    pub fn step(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.problems.list.len().saturating_sub(1));
    }

    /// Other problems in place of these; the same one is looked at, if there are as many.
    pub fn replace(&mut self, problems: Problems) {
        *self = Mending { at: self.at, ..Mending::new(problems, self.then) };
        self.step(0);
    }

    /// The problem that is looked at, what becomes of it, and the text that it is in.
    pub fn page(&self, alphabet: Alphabet, width: usize) -> Page {
        let sources = &self.problems.sources;
        let Some(shown) = self.problems.list.get(self.at) else {
            return Page::new("No problems", Vec::new(), Purpose::Mend);
        };
        let file = shown.labels.iter().find_map(|label| sources.get(label.span.file));
        let file = file.or_else(|| sources.iter().next().map(|(_, file)| file));
        let name = file.map(|file| file_name(&file.name)).unwrap_or_default();
        let (number, of) = (self.at + 1, self.problems.list.len());
        let title = format!("{name}: problem {number} of {of}");
        let mut lines: Vec<Line> =
            problem::lines(shown, sources, alphabet).iter().flat_map(|line| line.wrap(width, 3)).collect();
        lines.push(Line::empty());
        lines.extend(Line::of(crate::view::Role::Hint, self.then).wrap(width, 0));
        if let Some(file) = file {
            lines.push(Line::empty());
            lines.extend(problem::text(file, &self.problems.list, sources, alphabet));
        }
        Page::new(title, lines, Purpose::Mend)
    }

    /// The files that the texts came from, as far as there are such files.
    pub fn files(&self) -> Vec<PathBuf> {
        let names = self.problems.sources.iter().map(|(_, file)| PathBuf::from(&*file.name));
        names.filter(|path| path.is_file()).collect()
    }
}

fn file_name(label: &str) -> String {
    Path::new(label).file_name().map_or_else(|| label.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// When files were written and how long they are: another state means that one of them has changed.
pub fn state_of(files: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let state = |path: &PathBuf| {
        let meta = std::fs::metadata(path).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    files.iter().map(state).collect()
}
