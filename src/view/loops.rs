//! The loop nest of a program: the loops that run.

use super::text::{Alphabet, Line, Mark, Role};
use crate::emit::{Language, Module};
use crate::lang::loops::{LineKind, LoopLine};
use crate::lang::path::Path;
use crate::lang::pattern::{Level, Pattern};
use crate::lang::term::Term;
use crate::lower::{Drawn, Nest, nest};
use crate::session::action::{Sizes, Target};

/// A line of the nest and the sub-term it stands for.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What is shown.
    pub line: Line,
    /// The sub-term.
    pub path: Path,
}

/// The nest at these sizes, with the lines of the selected sub-term marked.
pub fn rows(term: &Term, sizes: &Sizes, selection: &Path, target: Target, alphabet: Alphabet) -> Vec<Row> {
    rows_of(&nest(term, sizes), note(term, target), selection, target, alphabet)
}

/// What has to be known of the loops of a term as it is written for a target: where something else runs.
pub fn note(term: &Term, target: Target) -> Option<&'static str> {
    let says = |t: &Term| t.as_pattern().is_some_and(|p| p.level() == Level::OpenCl || p == Pattern::MapPar);
    let is_open = target == Target::OpenCl && !term.positions().iter().any(|(_, t)| says(t));
    is_open.then_some("As written; OpenCL runs what `auto(opencl)` makes of it, if anything.")
}

/// Why these are not the loops that run; nothing where they are.
pub fn caveat(drawn: Drawn) -> Option<&'static str> {
    match drawn {
        Drawn::Lowered => None,
        Drawn::NotLowered => Some("The loops of the term, which cannot be compiled as it stands."),
        Drawn::TooLarge => Some("The loops of the term, which is too large to show those of its code."),
    }
}

/// Whether a line is a loop that threads are asked to share out, as its mark says.
pub fn asks_for_threads(line: &LoopLine) -> bool {
    let marks = line.text.trim_end_matches([':', ')']).rsplit_once('(').map_or("", |(_, marks)| marks);
    line.kind == LineKind::Loop && marks.split(", ").any(|mark| mark == "par")
}

/// What is said where loops ask for threads and their code starts none.
pub fn threadless(nest: &Nest, module: &Module) -> Option<&'static str> {
    let asks = nest.lines.iter().any(asks_for_threads);
    let starts_none = || module.sections.iter().all(|section| !section.kernel.parallel);
    (module.language == Language::C && asks && starts_none())
        .then_some("(par), but no threads are started: at these sizes there is too little work to share out.")
}

/// The same of a nest that is known, below what is said of all of it.
pub fn rows_of(
    nest: &Nest,
    note: Option<&'static str>,
    selection: &Path,
    target: Target,
    alphabet: Alphabet,
) -> Vec<Row> {
    let guide = alphabet.pick("│ ", "| ");
    let row = |line: &LoopLine| {
        let mut out = Line::of(Role::Dim, guide.repeat(line.depth));
        match (line.kind, line.text.split_once(' ')) {
            (LineKind::Loop | LineKind::Choice, Some((word, rest))) => {
                out.push(Role::Keyword, word.to_owned());
                out.push(Role::Size, format!(" {rest}"));
            }
            (LineKind::Choice, None) => out.push(Role::Keyword, line.text.clone()),
            (LineKind::Memory, _) => out.push(Role::PatternLow, memory(&line.text, target)),
            (LineKind::More, _) => out.push(Role::Dim, line.text.clone()),
            _ => out.push(Role::Plain, line.text.clone()),
        }
        // The whole program is always selected in part; marking all of it would say nothing.
        let inside = !selection.is_root() && line.path.strip_prefix(selection).is_some();
        let out = if inside { out.marked(Mark::Remembered) } else { out };
        Row { line: out, path: line.path.clone() }
    };
    let said = caveat(nest.drawn).or(note);
    let said = said.map(|text| Row { line: Line::of(Role::Dim, text), path: Path::root() });
    said.into_iter().chain(nest.lines.iter().map(row)).collect()
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

    #[test]
    fn loops_that_do_not_run_say_what_they_are() {
        let path = Path::root();
        let rows = |drawn, note| {
            let nest = Nest { lines: vec![], drawn };
            rows_of(&nest, note, &path, Target::C, Alphabet::Unicode)
        };
        assert!(rows(Drawn::Lowered, None).is_empty());
        for drawn in [Drawn::NotLowered, Drawn::TooLarge] {
            assert!(rows(drawn, None)[0].line.text().starts_with("The loops of the term, which "));
        }
        assert_eq!(rows(Drawn::Lowered, Some("As written.")).len(), 1);
    }
}
