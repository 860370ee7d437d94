//! What code needs and no part of the program asks for: headers, `allocate`, divisions that round down. It is folded into a line.

use super::text::{Alphabet, Line, Role};
use crate::lang::origin::Line as CodeLine;
use std::ops::Range;

/// Fewer lines than these are not worth a fold.
const FEW: usize = 4;

/// The lines that can be folded: pieces of the text, with what is between them, of which no line comes from the program. Where no
/// line of the text does, or nothing is known of them, there are none.
pub fn preambles(text: &str, lines: &[CodeLine]) -> Vec<Range<usize>> {
    let from_program = |i: usize| lines.get(i).is_some_and(|line| !line.origin.is_none());
    let all: Vec<&str> = text.lines().collect();
    if !(0..all.len()).any(from_program) {
        return vec![];
    }
    let mut out: Vec<Range<usize>> = vec![];
    // Whether the piece before is one of the last range.
    let mut goes_on = false;
    for piece in pieces(&all) {
        let mut text = all.get(piece.clone()).unwrap_or_default().iter();
        let says = text.all(|line| line.starts_with("//"));
        let folds = !says && !piece.clone().any(from_program);
        match out.last_mut().filter(|_| folds && goes_on) {
            Some(last) => last.end = piece.end,
            None if folds => out.push(piece),
            None => {}
        }
        goes_on = folds;
    }
    out.retain(|range| range.len() >= FEW);
    out
}

/// The pieces of a text: between two is an empty line, after which the text begins at the left again.
fn pieces(lines: &[&str]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = vec![];
    let mut apart = true;
    for (i, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            apart = true;
            continue;
        }
        match out.last_mut().filter(|_| !apart || line.starts_with([' ', '}'])) {
            Some(piece) => piece.end = i + 1,
            None => out.push(i..i + 1),
        }
        apart = false;
    }
    out
}

/// The line that stands for folded ones: how many they are, and which headers and functions.
pub fn line(folded: &[&str], alphabet: Alphabet) -> Line {
    let mut names: Vec<&str> = vec![];
    for name in folded.iter().filter_map(|line| name(line)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let count = format!("{} {} lines", alphabet.pick("▸", "+"), folded.len());
    let line = Line::of(Role::Hint, count);
    if names.is_empty() { line } else { line.with(Role::Dim, format!(": {}", names.join(", "))) }
}

/// The header that a line includes, or the function that begins in it.
fn name(line: &str) -> Option<&str> {
    if let Some(header) = line.strip_prefix("#include") {
        return Some(header.trim().trim_matches(['<', '>', '"']));
    }
    let begins = line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.ends_with(['{', '(', ',']);
    let before = line.split_once('(').filter(|_| begins)?.0;
    before.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next_back().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::origin::{Origin, Part};

    const CODE: &str = "\
// f: n.f32 -> n.f32
// n = 4

#include <stdio.h>
#include <stdlib.h>

static void* allocate(size_t bytes) {
  void* memory = aligned_alloc(64, bytes);

  return memory;
}

void f(float* output) {
  float* t0 = allocate(16);
}

static long floor_div(long a, long b) {
  return a / b;
}
";

    /// The lines of [`CODE`], of which these come from a program.
    fn lines(from_program: &[usize]) -> Vec<CodeLine> {
        let line = |i: usize| match from_program.contains(&i) {
            true => CodeLine { part: Part::Statement, origin: Origin::of([1]) },
            false => CodeLine::default(),
        };
        (0..CODE.lines().count()).map(line).collect()
    }

    #[test]
    fn what_no_part_of_the_program_asks_for_is_one_line() {
        let folds = preambles(CODE, &lines(&[13]));
        // A few lines after the function stay as they are, and so does what is said at the head.
        assert_eq!((folds.len(), folds[0].clone()), (1, 3..11));
        let all: Vec<&str> = CODE.lines().collect();
        let said = |alphabet| line(&all[folds[0].clone()], alphabet).text();
        assert_eq!(said(Alphabet::Unicode), "▸ 8 lines: stdio.h, stdlib.h, allocate");
        assert_eq!(said(Alphabet::Ascii), "+ 8 lines: stdio.h, stdlib.h, allocate");
    }

    #[test]
    fn where_nothing_is_known_nothing_is_folded() {
        assert!(preambles(CODE, &lines(&[])).is_empty());
        assert!(preambles(CODE, &[]).is_empty());
        assert!(preambles("", &[]).is_empty());
    }
}
