//! The loop nest that a term stands for.

use super::text::{Alphabet, Line, Mark, Role};
use crate::lang::loops::{self, LineKind, LoopLine};
use crate::lang::path::Path;
use crate::lang::term::Term;

/// A line of the nest and the sub-term it stands for.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What is shown.
    pub line: Line,
    /// The sub-term.
    pub path: Path,
}

/// The nest, with the lines of the selected sub-term marked.
pub fn rows(term: &Term, selection: &Path, alphabet: Alphabet) -> Vec<Row> {
    rows_of(&loops::of(term), selection, alphabet)
}

/// The same of a nest that is known.
pub fn rows_of(nest: &[LoopLine], selection: &Path, alphabet: Alphabet) -> Vec<Row> {
    let guide = alphabet.pick("│ ", "| ");
    let row = |line: &LoopLine| {
        let mut out = Line::of(Role::Dim, guide.repeat(line.depth));
        match (line.kind, line.text.split_once(' ')) {
            (LineKind::Loop, Some((word, rest))) => {
                out.push(Role::Keyword, word.to_owned());
                out.push(Role::Size, format!(" {rest}"));
            }
            (LineKind::Memory, _) => out.push(Role::PatternLow, line.text.clone()),
            (LineKind::More, _) => out.push(Role::Dim, line.text.clone()),
            _ => out.push(Role::Plain, line.text.clone()),
        }
        // The whole program is always selected in part; marking all of it would say nothing.
        let inside = !selection.is_root() && line.path.strip_prefix(selection).is_some();
        let out = if inside { out.marked(Mark::Remembered) } else { out };
        Row { line: out, path: line.path.clone() }
    };
    nest.iter().map(row).collect()
}
