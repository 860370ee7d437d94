//! Which rules are proved, and that no wrong rule is. That the prover reads patterns as the interpreter does, and proves
//! no rule of the library in which a mistake was made, is tested beside it.

use shine_tui::lang::diag::Sources;
use shine_tui::rewrite::rule::load::Source;
use shine_tui::rewrite::rule::proof::{Unproved, prove};
use shine_tui::rewrite::rule::{Rule, RuleSet};

fn library() -> RuleSet {
    RuleSet::builtin(&mut Sources::new()).0
}

/// The rules of the library that are tested only, and why.
const UNPROVED: &[(&str, Unproved)] = &[
    ("gentleBeta", Unproved::Procedure),
    ("idxReduction", Unproved::Procedure),
    ("subexpressionElimination", Unproved::Procedure),
    ("separateDotVH", Unproved::Procedure),
    ("separateDotHV", Unproved::Procedure),
    ("reduceFromNeutral", Unproved::Procedure),
    ("chooseByWork", Unproved::Procedure),
    ("mapOfComponent", Unproved::Procedure),
    ("vectorizeMap", Unproved::Procedure),
    // It does not see that these functions of sizes permute the indices.
    ("mapInBlocksApart", Unproved::MayFail),
    ("blocksApartAfter", Unproved::MayFail),
    // That there is a first element is a condition that it does not know.
    ("reduceSeqAhead", Unproved::MayFail),
    // Their sides are equal by an induction over what is left over.
    ("reduceInPartsRest", Unproved::Differ),
    ("reduceInStridesRest", Unproved::Differ),
    ("blockedReduceRest", Unproved::Differ),
    ("reduceInLanesRest", Unproved::Differ),
    ("reduceRestFirst", Unproved::Differ),
    // These by one over what is summed up.
    ("factorIntoSum", Unproved::Differ),
    ("factorIntoSumFirst", Unproved::Differ),
    // And this by one over chunks.
    ("blockedReduceSeq", Unproved::Differ),
    ("blockedReduceSeqRest", Unproved::Differ),
    // So are these, by one over what is padded.
    ("padReduce", Unproved::Differ),
    ("padReduceAgain", Unproved::Differ),
    // The prover knows no law of idempotent operators.
    ("reduceInPartsAgain", Unproved::Differ),
    ("reduceInStridesAgain", Unproved::Differ),
    ("reduceInBlocksAgain", Unproved::Differ),
    ("separateSumVHAgain", Unproved::Differ),
    ("separateFromElement", Unproved::Differ),
    ("exchangeReductionsAgain", Unproved::Differ),
    ("reduceInPartsFromFirst", Unproved::Differ),
    ("reduceInPartsFromFirstRest", Unproved::Differ),
    ("reduceInPartsRestAgain", Unproved::Differ),
    ("reduceInStridesRestAgain", Unproved::Differ),
    ("reduceInLanesAgain", Unproved::Differ),
    ("reduceInLanesRestAgain", Unproved::Differ),
    // That which of two zeros is taken may differ.
    ("scanOfMax", Unproved::Differ),
    ("scanOfMin", Unproved::Differ),
    // Nor what a chunk adds to the running results of another.
    ("scanInParts", Unproved::Differ),
    ("scanInPartsRest", Unproved::Differ),
    ("scanInPartsAgain", Unproved::Differ),
    ("scanInPartsRestAgain", Unproved::Differ),
    ("scanInPartsFromFirst", Unproved::Differ),
    ("scanInPartsFromFirstRest", Unproved::Differ),
    // Nor what steps in any order come to.
    ("exchangeReduceSeqs", Unproved::Differ),
    ("exchangeReduceSeqsOf", Unproved::Differ),
    ("exchangeReduceSeqsWith", Unproved::Differ),
    // It knows none of quotients of products.
    ("divideBySquare", Unproved::Differ),
    ("divideByCube", Unproved::Differ),
    // Nor of remainders of quotients, which say where an element of joined rows lies.
    ("joinRowsFirst", Unproved::Differ),
    // It knows no law of zero.
    ("selectOfOperation", Unproved::Differ),
    ("productOfChoice", Unproved::Differ),
    ("productOfChoiceRight", Unproved::Differ),
    // Nor that a truth value, kept as a number, is the same after each step.
    ("anyAsNumber", Unproved::Differ),
    ("allAsNumber", Unproved::Differ),
    ("anyAsByte", Unproved::Differ),
    ("allAsByte", Unproved::Differ),
    // The prover does not go through steps.
    ("iterateOnce", Unproved::Differ),
    ("iterateFirst", Unproved::Differ),
    ("iterateLast", Unproved::Differ),
    ("iteratePairs", Unproved::Differ),
];

/// The rules of the library whose proofs need laws of operators.
const BY_LAWS: &[(&str, &str)] = &[
    ("blockedReduce", "for all sizes, by associativity of op, the neutral value of op"),
    ("reduceInParts", "for all sizes, by associativity of op, the neutral value of op"),
    (
        "reduceInStrides",
        "for all sizes, by associativity of op, commutativity of op, the neutral value of op",
    ),
    ("joinNestedReductions", "for all sizes, by associativity of op, the neutral value of op"),
    (
        "exchangeReductions",
        "for all sizes, by associativity of op, commutativity of op, the neutral value of op",
    ),
    ("reducePairsInParts", "for all sizes, by associativity of op, the neutral value of op"),
    ("useReduceLocal", "for all sizes, by associativity of op"),
    ("reduceInBlocks", "for all sizes, by associativity of op, the neutral value of op"),
    ("reduceInLanes", "for all sizes, by associativity of op, commutativity of op, the neutral value of op"),
    ("liftReduceSeq2", "for all sizes, by exact sums"),
    ("accumulateOnto", "for all sizes, by exact sums"),
    ("reduceOnto", "for all sizes, by associativity of op, the neutral value of op"),
    ("separateSumVH", "for all sizes, by associativity of op, commutativity of op, the neutral value of op"),
    ("separateSumHV", "for all sizes, by associativity of op, the neutral value of op"),
];

#[test]
fn every_rule_of_the_library_is_proved_but_for_these() {
    let mut wrong = vec![];
    for rule in library().rules() {
        let unproved = UNPROVED.iter().find(|(name, _)| *name == &*rule.name);
        let by = BY_LAWS.iter().find(|(name, _)| *name == &*rule.name);
        let expected = match (unproved, by) {
            (Some((_, why)), _) => Err(*why),
            (None, Some((_, by))) => Ok((*by).to_owned()),
            (None, None) => Ok("for all sizes".to_owned()),
        };
        let found = prove(rule).map(|p| p.to_string());
        if found != expected {
            wrong.push(format!("{}: {found:?} instead of {expected:?}", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn load(text: &str, name: &str) -> Option<Rule> {
    let (mut sources, mut rules) = (Sources::new(), RuleSet::default());
    rules.load(&mut sources, &[Source { label: "own.rules", text }]);
    rules.get(name).cloned()
}

/// Right rules that are not among the library's, and whether they are proved.
const RIGHT: &[(&str, bool)] = &[
    ("rule own = idx i (map f xs) ~> f (idx i xs)", true),
    ("rule own = select c (f x) (f y) ~> f (select c x y)", true),
    ("rule own = map f (generate (\\i. e)) ~> generate (\\i. f e) where i notin f", true),
    (
        "rule own = join (take (n/p - 1) (split p (xs : n.t))) ~> take (n - p) xs where p divides n, p < n",
        true,
    ),
    ("rule own = join (split (n/2) (xs : n.t)) ~> xs where 2 divides n, n >= 2", true),
    ("rule own = split p (split q (xs : (n*p*q).t)) ~> map (split q) (split (p*q) xs)", true),
    ("rule own = slide sz sz (xs : (n*sz).t) ~> split sz xs", true),
    (
        "rule own = map (\\w. idx (natAsIndex sz (sz - 1)) w) (slide sz 1 (xs : (n + sz - 1).t)) ~> drop (sz - 1) xs",
        true,
    ),
    ("rule own = concat (take n xs) (drop n (xs : (n + m).t)) ~> xs", true),
    ("rule own = take n (concat (a : n.t) b) ~> a", true),
    ("rule own = drop l (take (l + n) (padCst l r c (xs : n.t))) ~> xs", true),
    ("rule own = map f (padCst l r c xs) ~> padCst l r (f c) (map f xs)", true),
    ("rule own = map f (padClamp l r xs) ~> padClamp l r (map f xs)", true),
    ("rule own = padClamp l r (padClamp k m xs) ~> padClamp (l + k) (m + r) xs", true),
    ("rule own = padEmpty 1 (take n (xs : (n + 1).t)) ~> xs", true),
    ("rule own = gather i (map f xs) ~> map f (gather i xs)", true),
    ("rule own = reverse (reverse xs) ~> xs", true),
    ("rule own = reverse (join xs) ~> join (map reverse (reverse xs))", true),
    (
        "rule own = reverse (join (join xs)) ~> join (join (map (map reverse) (map reverse (reverse xs))))",
        true,
    ),
    ("rule own = reverse (split n xs) ~> map reverse (split n (reverse xs))", true),
    ("rule own = select (not c) x y ~> select c y x", true),
    ("rule own = select (not (not c)) x y ~> select c x y", true),
    (
        "rule own = map (\\x. select (not (p x)) (f x) (g x)) xs ~> map (\\x. select (p x) (g x) (f x)) xs",
        true,
    ),
    ("rule own = reverse (map f xs) ~> map f (reverse xs)", true),
    ("rule own = reverse (take n (reverse (xs : (m + n).t))) ~> drop m xs", true),
    ("rule own = map reverse (reverse (split n xs)) ~> split n (reverse xs)", true),
    ("rule own = (x : i32) * 1 ~> x", true),
    ("rule own = 1 * (x : f32) ~> x", true),
    ("rule own = (x : i32) - x ~> 0", true),
    ("rule own = ((a : i32) + b) * (a + b) ~> a * a + 2 * a * b + b * b", true),
    ("rule own = (a : u8) + b - b ~> a", true),
    ("rule own = map (\\x. (x : f32) - y) xs ~> map (\\x. x + neg y) xs", true),
    ("rule own = not ((a : i32) < b) ~> b <= a", true),
    ("rule own = not (not (a : bool)) ~> a", true),
    ("rule own = max (a : i64) (max b a) ~> max a b", true),
    ("rule own = bitXor (a : u16) b ~> bitXor b a", true),
    ("rule own = reduce (\\x y. x + (y : i32) * 1) 0 xs ~> reduce (\\x y. y + x) 0 xs", true),
    ("rule own [reassociates] = (x : f32) * (y * z) ~> z * x * y", true),
    ("rule own = scatter i (map f xs) ~> map f (scatter i xs)", false),
    ("rule own [reassociates] = (x : f32) + (y + z) ~> z + x + y", true),
    ("rule own = (x : f32) + (y + z) ~> (x + y) + z", false),
    ("rule own = iterate k (f : n.t -> n.t) xs ~> iterate k (\\x. f x) xs", true),
    ("rule own = scanSeq f z (map g xs) ~> scanSeq (\\x acc. f (g x) acc) z xs", true),
];

#[test]
fn right_rules_are_proved_where_the_sides_read_the_same() {
    for (text, proved) in RIGHT {
        let Some(rule) = load(text, "own") else {
            assert!(!proved, "{text} does not load");
            continue;
        };
        let found = prove(&rule);
        assert_eq!(found.is_ok(), *proved, "{text}: {found:?}");
    }
}

/// Wrong where sizes are large or odd, a reduction is long, a cell is undefined, an operation may fail: what a test of small
/// instances may miss.
const WRONG: &[&str] = &[
    // Laws of integers that floats do not have, and laws that would hide a failure.
    "rule own = (x : f32) - x ~> 0",
    "rule own = (x : f32) + 0 ~> x",
    "rule own = (x : f32) * 0 ~> 0",
    "rule own = not ((a : f32) < b) ~> b <= a",
    "rule own = max (a : f32) b ~> max b a",
    "rule own = (x : f32) * (y + z) ~> x * y + x * z",
    "rule own = (x : f32) + (y + z) ~> (x + y) + z",
    "rule own = makePair ((a : i32) + b) (c : i32) ~> makePair (a + b + (a / c - a / c)) c",
    "rule own = makePair (a : i32) (b : i32) ~> makePair a (b + (a / b - a / b))",
    "rule own = (a : i32) / a ~> 1",
    "rule own = (a : i32) - b ~> b - a",
    "rule own = (a : i32) < b ~> a - b < 0",
    "rule own = (a : u8) - b < 0 ~> a < b",
    "rule own = (c : bool) and not c ~> true",
    "rule own = (c : bool) and ((a : i32) / b == d) ~> (a / b == d) and c",
    // What is bound as a value alone may be any number.
    "rule own = (k : natType) < 0 ~> false",
    "rule own = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (indexAsNat i % 4)) xs)",
    "rule own = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (indexAsNat i % 1000003)) xs)",
    "rule own = generate (\\i. idx i (xs : n.t)) ~> generate (\\i. idx (natAsIndex n (indexAsNat i % 1000003)) xs)",
    "rule own = take n (padEmpty m (xs : n.t)) ~> take n (padEmpty m (concat (take 1 xs) (take (n - 1) xs))) where 2 <= n",
    "rule own = (xs : (n + 1).t) ~> padEmpty 1 (take n xs)",
    "rule own = reduce op init xs ~> reduceSeq (\\a b. op b a) init xs where assoc op, neutral op init",
    "rule own(n) = reduceSeq op init (xs : (n + m).t) ~> reduceSeq op init (take n xs)",
    "rule own [reassociates] = reduce op init (join xs) ~> reduce op init (map (reduce op init) (transpose xs)) where assoc op, neutral op init",
    "rule own [reassociates] = reduce op c (xs : (n*2).t) ~> op (reduce op c (take n xs)) (reduce op c (drop n xs)) where assoc op",
    "rule own [reassociates] = (x : f32) + y ~> y",
    "rule own [reassociates] = (x : f32) ~> x + x",
    "rule own [reassociates] = (x : f32) - y ~> y - x",
    "rule own = (x : f32) + (y + z) ~> (x + y) + z",
    "rule own = (x : f32) + 0.0 ~> x",
    "rule own = (x : f32) - x ~> 0.0",
    "rule own = fst (makePair (x : i32) (y : i32)) ~> fst (makePair x (x / y))",
    "rule own = (a : i32) < b ~> a - b < 0",
    "rule own = select (x == 1000003) a b ~> b where scalar t",
    "rule own = slide 2 2 (xs : (2*n).t) ~> take n (slide 2 1 xs)",
    "rule own = f (idx i (generate (\\j. c))) ~> f c where j notin c",
    "rule own = map f (padEmpty n xs) ~> padEmpty n (map f xs)",
    // As many elements as are taken there may not be.
    "rule own = transpose (map (asVector v) (transpose (padEmpty (v*v - v) (slide sz 1 (xs : (sz + v - 1).t))))) ~> map (\\w. asVector v (join (slide v 1 (take (v + sz - 1) (asScalar w))))) (slide 2 1 (asVectorAligned v (padEmpty (v*v + 1 - sz) xs))) where scalar t",
    "rule own = reverse (split n xs) ~> split n (reverse xs)",
    "rule own = reverse (join xs) ~> join (reverse xs)",
    "rule own = reverse (join xs) ~> join (map reverse xs)",
    "rule own = select (not c) x y ~> select c x y",
    "rule own = select (not (not c)) x y ~> select c y x",
    "rule own = reverse (xs : n.t) ~> xs",
    "rule own = concat (a : n.t) (b : n.t) ~> concat b a",
    "rule own = padClamp l r (xs : n.t) ~> padCst l r (idx (natAsIndex n 0) xs) xs",
    "rule own = reorder n f g (reorder n f g xs) ~> xs",
    "rule own = reorder n f g xs ~> reorder n g f xs",
    "rule own = scanSeq (f : t -> t -> t) z xs ~> scanSeq (\\x acc. f acc x) z xs",
    "rule own = iterate k f xs ~> iterate (k + 1) f xs",
    "rule own = iterate k (f : n.t -> n.t) xs ~> iterate 2 f xs",
    "rule own = scatter (i : n.idx[n]) (xs : n.t) ~> gather i xs",
    // Sizes that have no value.
    "rule own = (xs : n.i32) ~> map (\\x. fst (makePair x (cast (n / (n - 1)) : i32))) xs",
    "rule own = (xs : n.m.t) ~> take n (padEmpty (n % (m - 1)) xs)",
    "rule own = natAsIndex n (indexAsNat (i : idx[n])) ~> natAsIndex n (indexAsNat i + 1)",
];

#[test]
fn no_wrong_rule_is_proved() {
    let mut refused = vec![];
    for text in WRONG {
        match load(text, "own") {
            Some(rule) => assert!(prove(&rule).is_err(), "{text}"),
            None => refused.push(text),
        }
    }
    assert!(refused.is_empty(), "not loaded: {refused:#?}");
}
