//! Rules that are wrong are caught: by typing, or by a counterexample.

use shine_tui::lang::diag::Sources;
use shine_tui::rewrite::rule::RuleSet;
use shine_tui::rewrite::rule::check::{Thoroughness, check};
use shine_tui::rewrite::rule::load::Source;

enum Caught {
    /// Refused with this code.
    Refused(&'static str),
    /// A counterexample is found.
    Counterexample,
}

use Caught::{Counterexample, Refused};

/// Rules with one subtle mistake each.
const WRONG: &[(&str, Caught)] = &[
    // Freshness: what depends on the element is taken out of the map.
    ("rule bad = map (\\x. f e) ~> \\xs. map f (map (\\x. e) xs)", Refused("E0202")),
    // facts 2.6.3: lifting an operator that depends on the element.
    (
        "rule bad = map (\\x. reduceSeq op init x) ~> \\xs. reduceSeq (\\acc y. map (\\z. op (fst z) (snd z)) (zip acc y)) (generate (\\i. init)) (transpose xs)",
        Refused("E0202"),
    ),
    // facts 2.6.4: the accumulator escapes.
    (
        "rule bad = reduceSeq (\\acc y. op acc e) init ~> \\xs. reduceSeq op init (map (\\y. e) xs) where y notin op",
        Refused("E0202"),
    ),
    // A swapped transpose.
    ("rule bad = map (map f) (xs : n.n.t) ~> transpose (map (map f) xs)", Counterexample),
    // A wrong slide step.
    (
        "rule bad = split p (slide sz sp xs) ~> map (slide sz sp) (slide (sp*(p - 1) + sz) p xs)",
        Refused("E0208"),
    ),
    // facts 2.6.0: slideBeforeSplit with the window of step 1 for every step.
    ("rule bad = slide m k (slide sz 2 xs) ~> map (slide sz 2) (slide (m + sz - 1) k xs)", Refused("E0208")),
    // Reduction of any operator in blocks.
    (
        "rule bad(p) = reduce op init (xs : (n*p).t) ~> reduceSeq (\\acc y. op acc (reduce op init y)) init (split p xs)",
        Counterexample,
    ),
    // The start value is used once for each block, so it must be neutral.
    (
        "rule bad(p) = reduce op init (xs : (n*p).t) ~> reduceSeq (\\acc y. op acc (reduce op init y)) init (split p xs) where assoc op",
        Counterexample,
    ),
    // facts 2.6.2: the lifted reduction starts with a value that is added, but the operator does not add.
    (
        "rule bad = map (\\x. fst x + reduceSeq op init (snd x)) ~> \\xs. reduceSeq (\\acc y. map (\\z. op (fst z) (snd z)) (zip acc y)) (fst (unzip xs)) (transpose (snd (unzip xs))) where x notin op, x notin init",
        Counterexample,
    ),
    // The components of pairs exchanged.
    ("rule bad = zip (a : n.t) (b : n.t) ~> zip b a", Counterexample),
    // facts 8.1.4: always the same element.
    ("rule bad = idx i (makeArray 2 a b) ~> b", Counterexample),
    // One window too many dropped.
    ("rule bad = drop l (slide sz 1 xs) ~> map (take sz) (slide (sz + l) 1 xs)", Counterexample),
    // Fusion in the wrong order, where the types do not say so.
    ("rule bad = map (f : t -> t) (map (g : t -> t) xs) ~> map (\\y. g (f y)) xs", Counterexample),
    // A product is not a sum.
    ("rule bad = (x : t) * y ~> x + y", Counterexample),
    // Something unbound.
    ("rule bad = map f xs ~> map g xs", Refused("E0201")),
    // Something of another type.
    ("rule bad = map f xs ~> xs", Refused("E0208")),
];

#[test]
fn every_wrong_rule_is_caught() {
    let mut missed = vec![];
    for (text, caught) in WRONG {
        let mut sources = Sources::new();
        let mut rules = RuleSet::default();
        let problems = rules.load(&mut sources, &[Source { label: "wrong.rules", text }]);
        let codes: Vec<&str> = problems.iter().map(|p| p.code).collect();
        match (caught, rules.get("bad")) {
            (Refused(code), None) if codes.contains(code) => {}
            (Counterexample, Some(rule)) => {
                let report = check(rule, &Thoroughness::default());
                match report.counterexample {
                    Some(example) => assert!(example.to_string().contains("right:")),
                    None => {
                        missed.push(format!("{text}\n  {} agreed, {} missed", report.agreed, report.missed))
                    }
                }
            }
            _ => {
                let shown: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
                missed.push(format!("{text}\n  {}", shown.join("\n")));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}
