//! What every encoding finds, and what none of them may find.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use super::*;
use crate::lang::diag::Sources;
use crate::lang::infer;
use crate::lang::nat::Name;
use crate::lang::syntax;
use crate::rule::{RuleSet, RuleUse};
use crate::sketch;
use std::cell::Cell;
use std::time::Duration;

/// The clock counts how often it is looked at, so that searches end alike everywhere.
const BOUNDS: Bounds = Bounds { time: Duration::from_secs(40), memory: u64::MAX };

/// Searches from a program, as it is written, in every encoding.
fn searched(program: &str, wanted: &str, rules: &[&str]) -> Vec<Result<Outcome, String>> {
    let mut sources = Sources::new();
    let file = sources.add("program", program);
    let (tree, problems) = syntax::parse_program(file, program);
    assert!(problems.is_empty(), "{problems:?}");
    let (read, found) = infer::program(&tree, None);
    let read = read.unwrap_or_else(|| panic!("{found:?}"));
    let (set, _) = RuleSet::builtin(&mut sources);
    let rules: Vec<RuleUse> = rules.iter().map(|name| set.use_of(name, vec![]).unwrap()).collect();
    let sizes: Vec<Name> = read.sizes.clone();
    let (wanted, problems) = syntax::parse_sketch(file, wanted);
    assert!(problems.is_empty(), "{problems:?}");
    let sketch = sketch::read::read(&wanted, &sketch::Library::builtin(), &sizes).unwrap();
    let rss = || 0;
    let looked = Cell::new(0);
    let now = || Duration::from_secs(looked.replace(looked.get() + 1));
    let world = World { now: &now, rss: &rss };
    Encoding::ALL.iter().map(|e| run(*e, &read.term, &sketch, &rules, false, &BOUNDS, &world)).collect()
}

fn found(program: &str, wanted: &str, rules: &[&str]) {
    for (encoding, outcome) in Encoding::ALL.iter().zip(searched(program, wanted, rules)) {
        assert_eq!(outcome.map(|o| o.found), Ok(Found::Yes), "{encoding}: {wanted}");
    }
}

/// The rules say nothing more, but where fresh names go on for ever, or steps of substitution into what is equal to a
/// part of itself.
fn not_found(program: &str, wanted: &str, rules: &[&str]) {
    for (encoding, outcome) in Encoding::ALL.iter().zip(searched(program, wanted, rules)) {
        let outcome = outcome.unwrap();
        let ended = outcome.found == Found::Saturated
            || (encoding.named || encoding.explicit) && outcome.found == Found::OutOfTime;
        assert!(ended && outcome.iterations > 0, "{encoding}: {wanted}: {outcome:?}");
    }
}

#[test]
fn a_variable_is_not_captured_by_a_binder_that_it_comes_under() {
    let program = "def f (y: f32): f32 -> f32 = (\\x. \\z. x + z) y";
    found(program, "\\y. \\z. y + z", &[]);
    not_found(program, "\\y. \\z. z + z", &[]);
    // Twice the same function in itself: its binders meet.
    let twice = "def f (y: f32): f32 -> f32 = (\\g. g (g y 2.0)) (\\a. \\b. a - b)";
    found(twice, "\\y. \\b. (y - 2.0) - b", &[]);
    not_found(twice, "\\y. \\b. (b - 2.0) - b", &[]);
    not_found(twice, "\\y. \\b. (y - 2.0) - y", &[]);
    // A value with variables of its own comes under a binder.
    let under = "def f (a: n.f32) (b: n.m.f32): n.m.f32 = zip a b |> map (\\p. (\\x. map (\\q. q + x) (snd p)) (fst p))";
    found(under, "contains(map (\\p. map (\\q. q + fst p) (snd p)))", &[]);
    not_found(under, "contains(map (\\p. map (\\q. q + fst q) (snd p)))", &[]);
}

#[test]
fn functions_are_only_reduced_where_their_variable_is_not_used() {
    let program = "def f (g: f32): f32 -> f32 = \\x. (\\y. y + g) x";
    found(program, "\\g. \\x. x + g", &[]);
    not_found(program, "\\g. (+) g", &[]);
    found("def f (g: f32): f32 -> f32 = \\x. g + x", "\\g. (+) g", &[]);
    found("def f (g: f32): f32 -> f32 = \\x. g + x", "(+)", &[]);
}

#[test]
fn rules_make_binders_and_take_terms_from_under_them() {
    let program = "def f (c: f32) (a: n.f32): n.f32 = map (\\x. sqrt (abs (x + c))) a";
    let fissioned = "\\c. \\a. map sqrt (map (\\x. abs (x + c)) a)";
    let wrong = "\\c. \\a. map sqrt (map (\\x. abs (x + x)) a)";
    found(program, fissioned, &["mapFission"]);
    not_found(program, wrong, &["mapFission"]);
    let back = "def f (c: f32) (a: n.f32): n.f32 = map sqrt (map (\\x. x + c) a)";
    found(back, "\\c. \\a. map (\\x. sqrt (x + c)) a", &["mapFusion"]);
    let sizes = "def f (a: (n+2).f32): n.3.f32 = slide 3 1 (map sqrt a)";
    found(sizes, "\\a. map (map sqrt) (slide 3 1 a)", &["slideBeforeMap"]);
    not_found(sizes, "\\a. map (map sqrt) (slide 3 2 a)", &["slideBeforeMap"]);
}

#[test]
fn what_needs_types_is_refused() {
    let program = "def f (a: (4*n).f32): (4*n).f32 = map sqrt a";
    for (wanted, rule) in [("contains(map : ? -> 8.? -> ?)", "mapFusion"), ("not contains(map)", "mapFusion")]
    {
        assert!(searched(program, wanted, &[rule]).iter().all(Result::is_err), "{wanted}");
    }
    for rule in ["vectorizeBeforeMap", "reduceMapFission", "betaReduction"] {
        let refused = searched(program, "contains(mapSeq)", &[rule]).iter().all(Result::is_err);
        assert_eq!(refused, rule != "betaReduction", "{rule}");
    }
}
