//! The loop nest that a term stands for.

use super::text::{Alphabet, Line, Mark, Role};
use crate::lang::loops::{self, LineKind, LoopLine};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::session::action::Target;

/// A line of the nest and the sub-term it stands for.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What is shown.
    pub line: Line,
    /// The sub-term.
    pub path: Path,
}

/// The nest, with the lines of the selected sub-term marked.
pub fn rows(term: &Term, selection: &Path, target: Target, alphabet: Alphabet) -> Vec<Row> {
    rows_of(&loops::of(term), selection, target, alphabet)
}

/// The same of a nest that is known.
pub fn rows_of(nest: &[LoopLine], selection: &Path, target: Target, alphabet: Alphabet) -> Vec<Row> {
    let guide = alphabet.pick("│ ", "| ");
    let row = |line: &LoopLine| {
        let mut out = Line::of(Role::Dim, guide.repeat(line.depth));
        match (line.kind, line.text.split_once(' ')) {
            (LineKind::Loop, Some((word, rest))) => {
                out.push(Role::Keyword, word.to_owned());
                out.push(Role::Size, format!(" {rest}"));
            }
            (LineKind::Memory, _) => out.push(Role::PatternLow, memory(&line.text, target)),
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

/// What is said of memory. In C there is one kind: whether a buffer is on the stack or the heap follows from its size.
fn memory(text: &str, target: Target) -> String {
    let space = text.strip_prefix("in ").and_then(|rest| rest.split_once(" memory"));
    match (target, space) {
        (Target::C, Some((space, rest))) if !space.contains(' ') => format!("in memory{rest}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_opencl_has_kinds_of_memory() {
        let text = "in private memory, 32.f32:";
        assert_eq!(memory(text, Target::C), "in memory, 32.f32:");
        assert_eq!(memory(text, Target::OpenCl), text);
        assert_eq!(memory("kernel (8 of 4):", Target::C), "kernel (8 of 4):");
    }
}
