//! The loops that run: those of a program as the default lowering makes it, each with its place in the program.
//!
//! In: any term. Out: the picture of its low-level form ([`crate::lang::loops`]), and whether there is one. A term that
//! cannot be lowered, or that would take long to be, still has the picture of itself.

use super::default::lowered_normal;
use super::normal::normalise;
use crate::access;
use crate::lang::decided::decided;
use crate::lang::eval::Sizes;
use crate::lang::loops::{self, LoopLine};
use crate::lang::path::Path;
use crate::lang::preorder::{application, path_of};
use crate::lang::term::Term;

/// The lines of a picture, and what it is a picture of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nest {
    pub lines: Vec<LoopLine>,
    pub drawn: Drawn,
}

/// What a picture was drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drawn {
    /// From what the default lowering makes: these loops run.
    Lowered,
    /// From the term itself, which cannot be lowered.
    NotLowered,
    /// From the term itself, which is too large to be lowered for a picture.
    TooLarge,
}

/// Pictures are drawn again and again while rules are looked at: larger terms are not lowered for them.
const LARGEST: u32 = 3_000;

/// The loops that run, each with its place; at these sizes, as far as they are known.
pub fn nest(term: &Term, sizes: &Sizes) -> Nest {
    crate::with_stack(|| {
        let numbered = term.numbered();
        let runs = decided(&numbered, sizes);
        let drawn = lowered(&runs).and_then(|lowered| match access::infer(&lowered) {
            Ok(_) => Ok(lowered),
            Err(_) => Err(Drawn::NotLowered),
        });
        let placed = |mut lines: Vec<LoopLine>, of: &Term| {
            lines.iter_mut().for_each(|line| line.path = place(term, of, &line.path));
            lines
        };
        match drawn {
            Ok(lowered) => {
                Nest { lines: placed(loops::of_lowered(&lowered), &lowered), drawn: Drawn::Lowered }
            }
            Err(drawn) if runs.is_same(&numbered) => Nest { lines: loops::of(term), drawn },
            Err(drawn) => Nest { lines: placed(loops::of(&runs), &runs), drawn },
        }
    })
}

/// The same for comparisons with others, in half the time: no line tells its place, and that what the default lowering made can
/// be translated is taken for granted.
pub fn outline(term: &Term) -> Nest {
    crate::with_stack(|| match lowered(term) {
        Ok(lowered) => Nest { lines: loops::of_lowered(&lowered), drawn: Drawn::Lowered },
        Err(drawn) => Nest { lines: loops::of(term), drawn },
    })
}

/// The loops of a program that the default lowering made: those of its normal form, as the translation takes it.
pub fn of_lowered(lowered: &Term) -> Vec<LoopLine> {
    crate::with_stack(|| loops::of_lowered(normalise(lowered).as_ref().unwrap_or(lowered)))
}

/// The normal form of what the default lowering makes.
fn lowered(term: &Term) -> Result<Term, Drawn> {
    if term.size() > LARGEST {
        return Err(Drawn::TooLarge);
    }
    // Functions that are used often can make a short term a long one.
    lowered_normal(term, LARGEST).map_err(|_| Drawn::NotLowered)?.ok_or(Drawn::TooLarge)
}

/// The part of the term that a part of its low-level form was made of: the application of its first pattern.
fn place(term: &Term, lowered: &Term, path: &Path) -> Path {
    let leaf = lowered.at(path).and_then(|part| path_of(term, part.origin().numbers().next()?));
    leaf.map_or_else(Path::root, |leaf| application(term, leaf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::eval::sizes;
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;

    fn term(text: &str) -> Term {
        program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term
    }

    fn drawn(text: &str) -> (String, Drawn) {
        let nest = nest(&term(text), &sizes([]));
        (loops::text(&nest.lines), nest.drawn)
    }

    #[test]
    fn a_map_that_is_partially_applied_has_a_loop() {
        let written = "def f (x: n.f32): n.f32 = x |> mapPar (\\v. sqrt (v * v + 1))";
        let reduced = "def f : n.f32 -> n.f32 = mapPar (\\v. sqrt (v * v + 1))";
        assert_eq!(drawn(written), drawn(reduced));
        assert!(drawn(reduced).0.starts_with("for n (par):\n  "), "{:?}", drawn(reduced));
    }

    #[test]
    fn patterns_that_only_reshape_add_no_loops() {
        let plain = "def f (x: n.m.f32): n.m.f32 = x |> map (map (\\v. v + 1)) |> map (map (\\v. v * v))";
        let around = "def f (x: n.m.f32): n.m.f32 = x |> map (map (\\v. v + 1)) |> transpose |> transpose |> map (map (\\v. v * v))";
        let between = "def f (x: n.m.f32): m.n.f32 = x |> map (map (\\v. v + 1)) |> transpose |> map (map (\\v. v * v))";
        assert_eq!(drawn(plain), drawn(around));
        assert_eq!(drawn(between).0.matches("for ").count(), 2, "{}", drawn(between).0);
    }

    #[test]
    fn each_loop_has_the_place_of_the_pattern_that_it_comes_from() {
        let term = term("def f (x: n.m.f32): n.f32 = x |> map (\\r. r |> map (\\v. v * v) |> reduce (+) 0)");
        let nest = nest(&term, &sizes([]));
        let patterns: Vec<_> = nest
            .lines
            .iter()
            .filter(|line| line.kind == loops::LineKind::Loop)
            .map(|line| term.at(&line.path).unwrap().as_pattern_app().unwrap().0.pattern.name())
            .collect();
        assert_eq!(patterns, ["map", "reduce"]);
    }

    #[test]
    fn of_a_choice_by_size_both_sides_are_drawn_or_the_one_that_runs() {
        let written =
            "def f {n: nat} (a: n.f32): n.f32 = select (n < 100) (a |> map sqrt) (a |> mapPar (\\x. x + 1))";
        let term = term(written);
        let at = |known| loops::text(&nest(&term, &known).lines);
        let (few, many) = ("for n:\n  sqrt(..)\n", "for n (par):\n  .. + 1.0\n");
        let below = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
        assert_eq!(at(sizes([])), format!("if n < 100:\n{}else:\n{}", below(few), below(many)));
        assert_eq!((at(sizes([("n", 99)])), at(sizes([("n", 100)]))), (few.to_owned(), many.to_owned()));
        // What runs has its place in the whole.
        let line = &nest(&term, &sizes([("n", 100)])).lines[0];
        assert_eq!(term.at(&line.path).unwrap().as_pattern_app().unwrap().0.pattern.name(), "mapPar");
        let choice = &nest(&term, &sizes([])).lines[0];
        assert_eq!(
            (choice.kind, term.at(&choice.path).unwrap().as_pattern_app().unwrap().0.pattern.name()),
            (loops::LineKind::Choice, "select")
        );
    }

    #[test]
    fn of_a_choice_by_data_each_side_has_the_loops_that_it_takes() {
        let row = "def f {n m: nat} (a: n.m.f32) (x: n.f32): n.f32 = zip a x |> map (\\p. select (snd p < 0) (reduceSeq (+) 0 (fst p)) 1)";
        assert_eq!(
            drawn(row).0,
            "for n:\n  if .. < 0.0:\n    for m (reduce):\n      .. += ..\n  else:\n    .. = ..\n"
        );
        let moved = "def f {n: nat} (a b: n.f32) (x: f32): n.f32 = select (x < 0) (a |> mapSeq id) (b |> mapSeq sqrt)";
        assert_eq!(drawn(moved).0, "if x < 0.0:\n  for n:\n    .. = ..\nelse:\n  for n:\n    sqrt(..)\n");
        // What takes no loop of its own is chosen where it is read, and what is stored is stored before that.
        let stored = "def f {n: nat} (a b: n.f32) (x: f32): n.f32 = select (x < 0) a (b |> mapSeq sqrt)";
        let then = "for n:\n  .. = ..\n";
        assert_eq!(drawn(stored).0, format!("in private memory, n.f32:\n  for n:\n    sqrt(..)\n{then}"));
        let read = "def f {n: nat} (a: n.f32) (x: f32): n.f32 = select (x < 0) (a |> map sqrt) (a |> map (\\x. x + 1))";
        assert_eq!(drawn(read).0, "for n:\n  select(.., sqrt(..), .. + 1.0)\n");
    }

    #[test]
    fn an_outline_has_the_same_lines_without_places() {
        for text in [
            "def f (x: n.m.f32): n.f32 = x |> map (\\r. r |> map (\\v. v * v) |> reduce (+) 0)",
            "def f (x: (n + 2).f32): n.f32 = x |> map (\\v. v * v) |> slide 3 1 |> map (reduce (+) 0)",
        ] {
            let term = term(text);
            let shown = |nest: Nest| (loops::text(&nest.lines), nest.drawn);
            assert_eq!(shown(outline(&term)), shown(nest(&term, &sizes([]))));
        }
    }

    #[test]
    fn what_is_too_large_to_be_lowered_for_a_picture_still_has_one() {
        let steps = " |> map (\\v. v + 1)".repeat(600);
        let (text, drawn) = drawn(&format!("def f (x: n.f32): n.f32 = x{steps}"));
        assert_eq!(drawn, Drawn::TooLarge);
        assert!(text.starts_with("for n:"), "{text}");
    }
}
