//! Sizes and depths that are accepted, and what happens beyond.

use super::super::*;
use crate::MAX_DEPTH;
use crate::diag::FileId;
use crate::source::MAX_SOURCE;

fn codes(problems: &[crate::diag::Diagnostic]) -> Vec<&'static str> {
    problems.iter().map(|p| p.code).collect()
}

#[test]
fn nesting_is_accepted_up_to_the_limit_and_refused_beyond() {
    let nested = |n: usize| format!("def f = {}x{}", "(g ".repeat(n), ")".repeat(n));
    assert!(parse_program(FileId(0), &nested(MAX_DEPTH - 1)).1.is_empty());
    let (tree, problems) = parse_program(FileId(0), &nested(MAX_DEPTH + 20));
    assert_eq!(codes(&problems), [codes::DEPTH]);
    assert_eq!(tree.items.len(), 1);
    for deep in [10_000, 100_000] {
        assert_eq!(codes(&parse_program(FileId(0), &nested(deep)).1), [codes::DEPTH], "{deep}");
    }
    // Parentheses alone nest nothing.
    let redundant = format!("{}x{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
    assert!(parse_expr(FileId(0), &redundant).1.is_empty());
}

#[test]
fn nesting_of_every_kind_is_limited() {
    let deep = 20_000;
    for text in [
        "- ".repeat(deep) + "x",
        "\\x. ".repeat(deep) + "x",
        "[".repeat(deep) + &"]".repeat(deep),
        "let x = 1 in ".repeat(deep) + "x",
        "let x = 1\n".repeat(deep) + "x",
        "(".repeat(deep) + "x" + &" : t)".repeat(deep),
        "x ^ ".repeat(deep) + "x",
    ] {
        let (_, problems) = parse_expr(FileId(0), &text);
        assert!(codes(&problems).contains(&codes::DEPTH), "{:?} {}", codes(&problems), &text[..20]);
    }
    for text in [
        "n.".repeat(deep) + "t",
        "s -> ".repeat(deep) + "t",
        "<2>".repeat(deep) + "t",
        "{n: nat} ".repeat(deep) + "t",
    ] {
        let (_, problems) = parse_type(FileId(0), &text);
        assert!(codes(&problems).contains(&codes::DEPTH), "{:?} {}", codes(&problems), &text[..20]);
    }
    for text in ["a(".repeat(deep) + "b" + &")".repeat(deep), "a :: ".repeat(deep) + "b", "[".repeat(deep)] {
        let (_, problems) = parse_strategy(FileId(0), &text);
        assert!(!problems.is_empty() && problems.len() < 5, "{:?}", codes(&problems));
    }
}

#[test]
fn chains_are_no_nesting() {
    let long = 10_000;
    for text in [
        "x + ".repeat(long) + "x",
        "x |> ".repeat(long) + "f",
        "f ".repeat(long) + "x",
        "f >> ".repeat(long) + "f",
    ] {
        assert!(parse_expr(FileId(0), &text).1.is_empty());
    }
    assert!(parse_strategy(FileId(0), &("s ; ".repeat(long) + "s <+ t")).1.is_empty());
}

#[test]
fn a_text_over_the_limit_is_not_read() {
    let text = " ".repeat(MAX_SOURCE + 1);
    assert_eq!(codes(&parse_program(FileId(0), &text).1), ["E0003"]);
    assert_eq!(codes(&parse_expr(FileId(0), &text).1), ["E0003"]);
}

#[test]
fn many_problems_are_cut_off() {
    let (_, problems) = parse_program(FileId(0), &"def = \n".repeat(1000));
    assert_eq!(problems.len(), MAX_PROBLEMS + 1);
    assert_eq!(problems.last().unwrap().code, codes::MANY);
    let (_, problems) = parse_program(FileId(0), &"(".repeat(MAX_SOURCE / 32));
    assert!(problems.len() < 5, "{:?}", codes(&problems));
    let (_, problems) =
        parse_program(FileId(0), &("(".repeat(MAX_SOURCE / 32) + &"]".repeat(MAX_SOURCE / 32)));
    assert!(problems.len() <= MAX_PROBLEMS + 1);
}
