//! Rules that are wrong are caught, by typing or by a counterexample; rules that are right are not refused.

use crate::cli_common;
use shine_tui::lang::diag::Sources;
use shine_tui::rewrite::rule::RuleSet;
use shine_tui::rewrite::rule::check::{LEAST, Report, Thoroughness, Verdict, check};
use shine_tui::rewrite::rule::load::Source;
use std::cell::Cell;
use std::process::{Command, Stdio};

enum Caught {
    /// Refused with this code.
    Refused(&'static str),
    /// A counterexample is found.
    Counterexample,
}

use Caught::{Counterexample, Refused};

/// Rules with one subtle mistake each.
const WRONG: &[(&str, Caught)] = &[
    // Which of zeros of either sign is the first to be the smallest or the greatest.
    ("rule bad = reduce min z (xs : n.f32) ~> reduce min z (reverse xs)", Counterexample),
    (
        "rule bad(m) = reduce max z (xs : (n*m).f32) ~> reduce max z (join (transpose (split m xs)))",
        Counterexample,
    ),
    // The greatest number of a type, and what is next to it.
    ("rule bad = (x : u64) + 18446744073709551615 ~> x", Counterexample),
    // Plain numbers as large as they can be.
    ("rule bad = (x : natType) ~> select (x > 1000000000000000) 0 x", Counterexample),
    ("rule bad = (cast (x : natType) : f32) ~> cast (cast x : f64)", Counterexample),
    ("rule bad = (cast (cast (x : natType) : f64) : natType) ~> x", Counterexample),
    // Long arrays whose truth values, numbers or indices are all alike.
    ("rule bad = reduce (and) true (xs : n.bool) ~> reduce (and) true xs and n < 100", Counterexample),
    (
        "rule bad = not (reduce (or) false (xs : n.bool)) ~> not (reduce (or) false xs) and n < 100",
        Counterexample,
    ),
    (
        "rule bad = reduceSeq (\\a x. a and x) true (xs : n.bool) ~> select (n > 60) false (reduceSeq (\\a x. a and x) true xs)",
        Counterexample,
    ),
    (
        "rule bad = (xs : n.(bool * i32)) ~> select (n > 12 and reduce (and) true (map fst xs)) (reverse xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : n.<4>bool) ~> select (n > 12 and reduce (and) true (asScalar xs)) (map (\\v. not v) xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : n.natType) ~> select (n > 12 and reduce (and) true (map (\\x. x == 7) xs)) (map (\\x. 0) xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : n.idx[m]) ~> select (n > 12 and m > 5 and reduce (and) true (map (\\x. indexAsNat x == m - 1) xs)) (map (\\i. 0) xs) xs",
        Counterexample,
    ),
    // All but one, and those that rise.
    (
        "rule bad = (xs : n.bool) ~> select (n > 12 and reduce (+) 0 (map (\\x. select x 1 0) xs) == (cast (n - 1) : i32)) (reverse xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : (n+1).natType) ~> select (n > 12 and reduce (and) true (map (\\w. idx 0 w < idx 1 w) (slide 2 1 xs))) (reverse xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : (n+1).f32) ~> select (n > 12 and reduce (and) true (map (\\w. idx 0 w < idx 1 w) (slide 2 1 xs))) (reverse xs) xs",
        Counterexample,
    ),
    // Freshness: what depends on the element is taken out of the map.
    ("rule bad = shiftRight (x : i32) 1 ~> x / 2", Counterexample),
    // What is put in the place of one component is put there.
    ("rule bad = map (\\(x, y). b) (xs : n.(t * t)) ~> map (\\(x, y). b[x/y]) xs", Counterexample),
    (
        "rule bad = map (\\(x, (y, z)). b) (xs : n.(t * (t * t))) ~> map (\\(x, (y, z)). b[y/z]) xs",
        Counterexample,
    ),
    (
        "rule bad = map (\\(x, y). b) (zip (xs : n.t) (ys : n.t)) ~> map (\\(y, x). b) (zip xs ys)",
        Counterexample,
    ),
    ("rule bad = let (x, y) = (e : (t * t)) in b ~> let (y, x) = e in b", Counterexample),
    ("rule bad = map (\\x. b) (xs : n.t) ~> map (\\x. b[x/z]) xs", Refused("E0204")),
    ("rule bad = map (\\(x, y). b) (zip xs ys) ~> map (\\x. b) xs", Refused("E0202")),
    ("rule bad = map (\\(x, y). map (\\x. b) ys) xs ~> map (\\(x, y). map (\\x. b) ys) xs", Refused("E0203")),
    // One function of `reorder` is the inverse of the other.
    ("rule bad = reverse (xs : n.t) ~> reorder n (/\\i. n - 1 - i) (/\\i. i) xs", Refused("E0208")),
    ("rule bad = (xs : n.t) ~> reorder n (/\\i. i) (/\\i. n - 1 - i) xs", Refused("E0208")),
    ("rule bad = (xs : n.t) ~> reorder n (/\\i. i) (/\\i. 0) xs", Refused("E0208")),
    (
        "rule bad(p) = join (transpose (split p (xs : (n*p).t))) ~> reorder (n*p) (/\\i. (i % n) * p + i div n) (/\\i. (i % n) * p + i) xs",
        Refused("E0208"),
    ),
    ("rule bad = bitOr (x : u16) y ~> x + y", Counterexample),
    // What takes any order does not take its accumulator for an element, nor an element twice.
    ("rule bad [reassociates] = (f : t -> t -> t) a b ~> f b a where anyOrder f", Counterexample),
    (
        "rule bad [reassociates] = reduceSeq f init xs ~> reduceSeq f (reduceSeq f init xs) xs where anyOrder f",
        Counterexample,
    ),
    (
        "rule bad [reassociates] = reduceSeq (\\acc y. reduceSeq f acc ys) init xs ~> reduceSeq f init (join (map (\\y. reverse ys) (reverse xs))) where acc notin f, acc notin ys, y notin f",
        Counterexample,
    ),
    ("rule bad = x or y and z ~> (x or y) and z", Counterexample),
    ("rule bad = reverse (xs : n.f32) ~> xs", Counterexample),
    // What would be divided by nothing nowhere: numbers that are looked for grow without end.
    ("rule bad = 1.0 / (1.0 / (x : f32)) ~> x", Counterexample),
    ("rule bad = (x : i32) / (y / z) ~> x", Counterexample),
    ("rule bad = (x : f32) / max (1.0 / y) z ~> x", Counterexample),
    // Steps that come back after an even number of times are not all that there are.
    ("rule bad = iterate 5 f (xs : n.t) ~> iterate 3 f xs", Counterexample),
    ("rule bad = iterate 9 f xs ~> iterate 3 f xs", Counterexample),
    ("rule bad = iterate 6 f xs ~> iterate 4 f xs", Counterexample),
    ("rule bad = iterate 7 f (xs : n.t) ~> iterate 1 f xs", Counterexample),
    // What is rounded twice is not what is rounded once.
    ("rule bad = ((cast (a : f64)) : f16) ~> ((cast ((cast a) : f32)) : f16)", Counterexample),
    ("rule bad = ((cast (a : i64)) : f32) ~> ((cast ((cast a) : f64)) : f32)", Counterexample),
    ("rule bad = ((cast (a : u64)) : f32) ~> ((cast ((cast a) : f64)) : f32)", Counterexample),
    // What is compared is one step away from what is written, by bits or a root.
    ("rule bad = (x : i32) ~> select (bitXor x 987654 == 123) 0 x", Counterexample),
    ("rule bad = (x : f32) ~> select (x * x == 1522756.0) 0.0 x", Counterexample),
    ("rule bad = (x : i32) ~> select (x * x + x == 1001000) 0 x", Counterexample),
    // What is compared is far away from what is written: an inverse that wraps around, a root, several steps.
    ("rule bad = (x : i32) ~> select (x * 7 == 5) 0 x", Counterexample),
    ("rule bad = (x : i32) ~> select ((x - 1000) * 3 == 54321) 0 x", Counterexample),
    ("rule bad = (x : i32) ~> select (bitXor x (shiftLeft x 13) == 77777) 0 x", Counterexample),
    ("rule bad = (xs : n.t) ~> select (n == 9973) (reverse xs) xs", Counterexample),
    // Several sizes at once, and a product of them.
    ("rule bad = (xs : n.m.t) ~> select (n * m == 391) (reverse xs) xs", Counterexample),
    ("rule bad = (xs : n.m.t) ~> select (n == 3 * m + 17) (reverse xs) xs", Counterexample),
    (
        "rule bad = (xs : n.m.k.t) ~> select (n * m * k == 210 and n > m and m > k and k > 1) (reverse xs) xs",
        Counterexample,
    ),
    // As many of several sizes as a number says, together.
    (
        "rule bad = (xs : n.m.k.i32) ~> select (n == m and m == k and k > 9) (map (\\r. map (\\q. map (\\y. 0) q) r) xs) xs",
        Counterexample,
    ),
    ("rule bad = (xs : n.m.k.i32) ~> select (n == m and m == k and k == 77) (reverse xs) xs", Counterexample),
    (
        "rule bad = (xs : n.m.k.t) ~> select (n == 2 * m and m == k + 5 and k >= 23) (reverse xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : n.m.k.l.t) ~> select (n == m and m == k and k == l and l > 13) (reverse xs) xs",
        Counterexample,
    ),
    // A quotient and a difference, and two equations whose solution is rounded in each.
    ("rule bad = (x : f32) + y ~> select (x / y == 3.0 and x - y == 5.0) 0.0 (x + y)", Counterexample),
    ("rule bad = (x : f32) + y ~> select (x / y == 2.5 and x * y == 90.0) 0.0 (x + y)", Counterexample),
    (
        "rule bad = (x : f64) * y ~> select ((x + 1.0) / (y - 2.0) == 8.0 and x + 3.0 * y == 21.0) 0.0 (x * y)",
        Counterexample,
    ),
    // What is said of all elements of an array.
    (
        "rule bad = (xs : 5.i32) ~> select (reduce (and) true (map (\\w. reduce (+) 0 w == 3) (slide 2 1 xs))) (map (\\x. 0) xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : 7.i32) ~> select (reduce (and) true (map (\\w. reduce (+) 0 w == 11) (slide 3 1 xs))) (reverse xs) xs",
        Counterexample,
    ),
    (
        "rule bad = (xs : 6.i32) ~> select (reduce (and) true (map (\\w. idx 1 w - idx 0 w == 4) (slide 2 1 xs))) (reverse xs) xs",
        Counterexample,
    ),
    ("rule bad = (xs : (n*m).t) ~> join (split n xs)", Refused("E0221")),
    ("rule bad = (x : f32) ~> select (x * 4.0 == 51.0) 0.0 x", Counterexample),
    ("rule bad = (x : f16) ~> select (x * 3.0 == 7.0) 0.0 x", Counterexample),
    ("rule bad = (x : f32) ~> select (((cast (x * 8.0)) : i32) == 1001) 0.0 x", Counterexample),
    ("rule bad = map (\\x. select (x * 7 == 5) 0 x) (xs : n.i32) ~> xs", Counterexample),
    ("rule bad = (x : i32) + (y : i32) ~> select (x * 1000 + y == 54321) 0 (x + y)", Counterexample),
    ("rule bad = (x : i32) ~> x + 0 * (5 / (x * 7 - 5))", Counterexample),
    ("rule bad = (x : i32) ~> select (x * x * x == 77) 0 x", Counterexample),
    ("rule bad = (x : u64) ~> select (x * x * x == 1000000000000000003) 0 x", Counterexample),
    ("rule bad = (x : i32) ~> select (x * x * 3 + x * 5 == 987654320) 0 x", Counterexample),
    ("rule bad = (x : i32) + y ~> select ((x + y) * (x - y) == 10001) 0 (x + y)", Counterexample),
    (
        "rule bad = (x : i32) + y ~> select (x * y * x == 10007 and y * y == x * 3 + 2) 0 (x + y)",
        Counterexample,
    ),
    ("rule bad = (x : f32) ~> select (sin x > 0.99999) 0.0 x", Counterexample),
    ("rule bad = (x : f32) ~> select (cos x < (-0.9999999)) 0.0 x", Counterexample),
    (
        "rule bad = (x : f64) ~> select (exp2 (x * 3.0) > 77.0 and exp2 (x * 3.0) < 77.0001) 0.0 x",
        Counterexample,
    ),
    // Several comparisons that are true at one point alone: linear, of parts of a pair, of elements, of remainders.
    ("rule bad = (a : i32) + b ~> select (a + b == 77777 and a - b == 11111) 0 (a + b)", Counterexample),
    (
        "rule bad = (p : (i32 * i32)) ~> select (fst p * 31 + snd p == 123456789 and snd p == 7) (0, 0) p",
        Counterexample,
    ),
    (
        "rule bad = map (\\p. fst p + snd p) (zip (xs : n.f32) ys) ~> map (\\p. select (fst p + snd p == 300.5 and fst p * 2.0 == 201.0) 0.0 (fst p + snd p)) (zip xs ys)",
        Counterexample,
    ),
    ("rule bad = (x : i32) ~> select (x % 9973 == 5 and x % 7919 == 7) 0 x", Counterexample),
    (
        "rule bad = (a : f32) + b ~> select (a > 1.5 and a < 1.500001 and b > 2.5 and b < 2.500001) 0.0 (a + b)",
        Counterexample,
    ),
    // No float solves it, but a fraction does.
    ("rule bad [reassociates] = (x : f32) ~> select (x * 7.0 == 3.0) 0.0 x", Counterexample),
    // Types of eight bits have few values, two of them not many.
    ("rule bad = (x : u8) ~> select (bitXor (x * x) (x / 3) == 102) 1 x", Counterexample),
    ("rule bad = (x : u8) * (y : u8) ~> select (x * y == 201 and x - y == 64) 0 (x * y)", Counterexample),
    ("rule bad = map (\\(a, b). f) xs ~> map f xs", Refused("E0202")),
    ("rule bad = map (\\(a, b). a) xs ~> map snd xs", Refused("E0208")),
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
    // Freshness that typing cannot see: x is the element on the left and what was made of it on the right.
    ("rule bad = map (\\x. f (e : t)) (xs : n.t) ~> map (\\x. f x) (map (\\x. e) xs)", Counterexample),
    // The accumulator escapes, with the start value put in its place.
    (
        "rule bad(a: addr) = reduceSeq a (\\acc y. op acc e) init ~> \\xs. reduceSeq a op init (map (\\y. e[init/acc]) xs) where acc notin op, y notin op",
        Counterexample,
    ),
    // liftReduceSeq with the operands of the operator exchanged.
    (
        "rule bad(a: addr) = map (reduceSeq a (op : t -> t -> t) init) ~> \\xs. reduceSeq a (\\acc y. map (\\z. op (snd z) (fst z)) (zip acc y)) (generate (\\i. init)) (transpose xs)",
        Counterexample,
    ),
    // facts 2.6.2: the start value of liftReduceSeq2 is added once more.
    (
        "rule bad = map (\\x. fst x + reduceSeq op init (snd x)) ~> \\xs. reduceSeq (\\acc y. map (\\z. op (fst z) (snd z)) (zip acc y)) (fst (unzip xs)) (transpose (snd (unzip xs))) where x notin op, x notin init, additive op",
        Counterexample,
    ),
    // facts 2.6.0: liftReduce of zip u v where x is v, with the pairs the wrong way round.
    (
        "rule bad = map (\\x. reduceSeq op init (zip (w : m.s) (x : m.s))) ~> \\xs. reduceSeq (\\acc y. map (\\z. op (fst z) (snd z)) (zip acc (map (\\b. makePair b (fst y)) (snd y)))) (generate (\\i. init)) (zip w (transpose xs)) where x notin op, x notin init, x notin w",
        Counterexample,
    ),
    // A transposition left out, where sizes do not tell.
    ("rule bad = map (map f) (xs : n.n.t) ~> map (map f) (transpose xs)", Counterexample),
    // The wrong dimension is slid over.
    (
        "rule bad = transpose (map (slide sz sp) (xs : n.n.t)) ~> map transpose (slide sz sp xs)",
        Counterexample,
    ),
    // The last windows instead of the first.
    ("rule bad = take r (slide sz 1 (xs : (r + k + sz - 1).t)) ~> slide sz 1 (drop k xs)", Counterexample),
    // facts 2.6.0: the padding of alignSlide that fits p = 2 alone.
    (
        "rule bad = transpose (map (asVector v) (transpose (padEmpty p (slide 3 1 (xs : n.t))))) ~> map (\\w. asVector v (join (slide v 1 (take (v + 2) (asScalar w))))) (slide 2 1 (asVectorAligned v (padEmpty v xs))) where scalar t",
        Refused("E0208"),
    ),
    // alignSlide that keeps the last elements of two vectors.
    (
        "rule bad = transpose (map (asVector v) (transpose (padEmpty p (slide sz 1 (xs : n.t))))) ~> map (\\w. asVector v (join (slide v 1 (drop (v + 1 - sz) (asScalar w))))) (slide 2 1 (asVectorAligned v (padEmpty (p + v + 1 - sz) xs))) where scalar t, sz <= v + 1",
        Counterexample,
    ),
    // alignSlide for windows that two vectors do not hold.
    (
        "rule bad = transpose (map (asVector v) (transpose (padEmpty p (slide sz 1 (xs : n.t))))) ~> map (\\w. asVector v (join (slide v 1 (take (v + sz - 1) (asScalar w))))) (slide 2 1 (asVectorAligned v (padEmpty (p + v + 1 - sz) xs))) where scalar t",
        Counterexample,
    ),
    // A shuffle moves lanes, so what is done in them must not depend on the lane.
    (
        "rule bad = asVector v (join (slide v 1 (take l (asScalar (map (f : <v>s -> <v>t) xs))))) ~> map f (asVector v (join (slide v 1 (take l (asScalar xs)))))",
        Counterexample,
    ),
    // Rows before columns, for an operator that does not commute.
    (
        "rule bad [reassociates] = reduce op init (join xs) ~> reduce op init (map (reduce op init) (transpose xs)) where assoc op, neutral op init",
        Counterexample,
    ),
    // Operands exchanged, for an operator that is only associative.
    (
        "rule bad [reassociates] = reduce op init xs ~> reduce (\\a b. op b a) init xs where assoc op, neutral op init",
        Counterexample,
    ),
    // Two values that need not be the same.
    (
        "rule bad = let (e : t) (\\x. let (d : t) (\\y. b)) ~> let e (\\x. b[x/y]) where x notin d",
        Counterexample,
    ),
    // The last cells are lost.
    ("rule bad = (xs : (n + 1).t) ~> padEmpty 1 (take n xs)", Counterexample),
    // Components exchanged.
    ("rule bad = mapFst (f : t -> t) (p : (t * t)) ~> mapSnd f p", Counterexample),
    // A rule that is right but for one depth of its family.
    (
        "rule bad(k: depth) = mapNest 2 (f : t -> t) (xs : n.n.t) ~> mapNest 2 f (mapNest k (\\y. y) (transpose xs))",
        Refused("E0208"),
    ),
    (
        "rule bad(k: depth) = mapNest (k + 1) (f : t -> t) xs ~> mapNest (k + 1) (\\x. f (f x)) xs",
        Counterexample,
    ),
    // Wrong at one value, at numbers that are no whole ones, by rounding.
    ("rule bad = select (x == 7) a b ~> b where scalar t", Counterexample),
    ("rule bad = min (x : i32) 50 ~> x", Counterexample),
    ("rule bad = (cast (cast (x : f32) : i32) : f32) ~> x", Counterexample),
    ("rule bad = (x : f32) + y + z ~> x + (y + z)", Counterexample),
    // The first elements of windows instead of the last.
    (
        "rule bad = map (\\w. idx (natAsIndex sz (sz - 1)) w) (slide sz 1 (xs : (n + sz - 1).t)) ~> take n xs",
        Counterexample,
    ),
    // What a reduction by other steps than sums gives is a number of the rule.
    (
        "rule bad = reduce (\\a x. a * 31 + x) 7 (xs : n.i32) ~> select (reduce (\\a x. a * 31 + x) 7 xs == 123) 1 (reduce (\\a x. a * 31 + x) 7 xs)",
        Counterexample,
    ),
    (
        "rule bad = reduce (\\a x. bitXor (5 * a) x) 1 (map (\\x. 3 * x) (xs : n.i32)) == 77777 ~> false",
        Counterexample,
    ),
    // Something unbound.
    ("rule bad = map f xs ~> map g xs", Refused("E0201")),
    // Something of another type.
    ("rule bad = map f xs ~> xs", Refused("E0208")),
];

/// What is written in rules that are none, and a part of what is told of it.
const NO_RULES: &[(&str, &str, &str)] = &[
    ("rule bad = max (x : f32) 0 ~> 0 where x < 0", "E0208", "the right side does: `select (x < 0) a b`"),
    ("rule bad = (x : i32) ~> abs x where x >= 0", "E0208", "Conditions compare sizes"),
    ("rule bad = (x : f32) * y + z ~> fma x y z", "E0201", "Write `x * y + z`"),
    ("rule bad = reduce (+) 0 (xs : n.f32) ~> sum xs", "E0201", "Write `reduce (+) 0 xs`"),
    ("rule bad = map f (xs : n.t) <~> mapSeq f xs", "E0020", "`rightToLeft(rule)`"),
    ("rule bad = (e : type) ~> id e", "E0207", "one or two letters: `(xs : n.t)`, `(e : t)`"),
    ("rule bad = (e : t) ~> id (e : type)", "E0208", "which stands on the left side, too"),
];

#[test]
fn what_is_no_rule_is_told_with_what_to_write() {
    for (text, code, hint) in NO_RULES {
        let problems = RuleSet::default().load(&mut Sources::new(), &[Source { label: "bad.rules", text }]);
        let told = problems.iter().flat_map(|p| p.hints.clone()).collect::<Vec<_>>().join(" ");
        let is_one = problems.len() == 1 && problems[0].code == *code;
        assert!(is_one && told.contains(hint), "{text}: {problems:?}");
    }
}

/// Rules that are right for most sizes and values, by what they forget. Each is wrong, and loads.
const HOSTILE: &[(&str, &[&str])] = &[
    (
        "numbers so small that they have fewer digits",
        &[
            "rule bad = (x : f32) / 4.0 * 2.0 ~> x / 2.0",
            "rule bad = (x : f32) * 0.125 ~> x * 0.25 * 0.5",
            "rule bad = (x : f64) / 4.0 / 4.0 ~> x / 16.0",
            "rule bad = (cast ((x : f64) * 2.0) : f16) ~> cast x * 2.0",
            "rule bad = (cast ((x : f64) * 2.0) : f32) ~> cast x * 2.0",
        ],
    ),
    (
        "long arrays, of which all elements are as large as they can be",
        &[
            "rule bad = reduce (+) 0 (map (\\x. (cast x : i32)) (xs : n.u8)) ~> cast (reduce (+) 0.0 (map (\\x. (cast x : f32)) xs))",
            "rule bad = reduce (+) 0 (map (\\x. (cast x : i64)) (xs : n.i16)) ~> cast (reduce (+) 0 (map (\\x. (cast x : i32)) xs))",
            "rule bad = (generate (\\i. (cast (indexAsNat i * 10000) : i64)) : n.i64) ~> generate (\\i. cast ((cast (indexAsNat i) : i32) * 10000))",
            "rule bad = (generate (\\i. (cast (indexAsNat i / 4) : i32)) : n.i32) ~> generate (\\i. cast (cast (indexAsNat i / 4) : u16))",
        ],
    ),
    (
        "numbers that a narrower type does not tell apart",
        &[
            "rule bad = (cast (x : i64) : i32) == 4711 ~> x == 4711",
            "rule bad = (cast (x : natType) : i32) == 4711 ~> x == 4711",
            "rule bad = (x : natType) > 5000000000000 ~> false",
            "rule bad = (x : i32) ~> select ((cast x : u16) == 4711 and x < (-1000000)) 0 x",
        ],
    ),
    (
        "nothing on one side, and something on the other",
        &[
            "rule bad = padClamp l r (xs : n.t) ~> select (l == 0 and r == 2) (reverse (padClamp l r xs)) (padClamp l r xs)",
            "rule bad = padCst l r c (xs : n.t) ~> select (l == 3 and r == 0) (reverse (padCst l r c xs)) (padCst l r c xs)",
        ],
    ),
    (
        "operators that have a property but for rounding",
        &[
            "rule bad = reduce (op : f32 -> f32 -> f32) z (generate (\\i. z) : n.f32) ~> z where idempotent op, i notin z",
            "rule bad [unsignedZeros] = reduce (op : f32 -> f32 -> f32) z xs ~> reduce (\\a b. op b a) z xs where commutative op",
        ],
    ),
    (
        "all elements in a range, one that is true, the same twice",
        &[
            "rule bad = reduce (+) 0 (map (\\x. cast x) (xs : 16.bool)) == 1 ~> false",
            "rule bad = (xs : n.bool) ~> select (n > 12 and reduce (+) 0 (map (\\x. cast x) xs) == 1) (reverse xs) xs",
            "rule bad = (xs : 8.i32) ~> select (reduce (and) true (map (\\x. x > 10 and x < 20) xs)) (reverse xs) xs",
            "rule bad = (xs : n.(i32 * i32)) ~> select (reduce (and) true (map (\\p. fst p == snd p) xs) and n > 5) (reverse xs) xs",
        ],
    ),
    (
        "products of several numbers",
        &[
            "rule bad = reduce (*) 1 (xs : 8.i32) == 720 ~> false",
            "rule bad = reduce (*) 1 (xs : 6.i64) == 1001 ~> false",
            "rule bad = reduce (*) 1 (xs : n.i32) == neg 5040 ~> false",
        ],
    ),
    (
        "next to whole numbers that a quotient is rounded to, and to the greatest number of a narrower type",
        &[
            "rule bad [finite] = floor ((x : f32) / 3.0) ~> floor (x * 0.33333334)",
            "rule bad [finite] = (cast ((x : f32) / 10.0) : i32) ~> cast (x * 0.1)",
            "rule bad [finite] = ceil ((x : f32) / 7.0) ~> ceil (x * 0.14285715)",
            "rule bad [finite] = round ((x : f32) / 3.0) ~> round (x * 0.33333334)",
            "rule bad [finite] = (cast (x : f32) : f16) ~> cast (min x 60000.0)",
            "rule bad [finite] = (cast (x : f32) : f16) ~> cast (max x (neg 60000.0))",
        ],
    ),
    (
        "one element is unlike all others, and a scalar is above them, below them or one of them",
        &[
            "rule bad = reduce (and) true (map (\\x. x < c) (xs : n.f32)) ~> reduce max (neg 3.4e38) xs < c where x notin c",
            "rule bad = reduce (and) true (map (\\x. x > c) (xs : n.f32)) ~> reduce min 3.4e38 xs > c where x notin c",
            "rule bad = (cast (reduce max z (xs : n.f32)) : i32) ~> reduce max (cast z) (map (\\x. (cast x : i32)) xs)",
            "rule bad = (reduce (\\a x. select (x > a) x a) (neg 3.4e38) (xs : n.f32)) < c ~> reduce (and) true (map (\\x. x < c) xs)",
        ],
    ),
    (
        "nothing is padded or dropped",
        &[
            "rule bad = reduce (or) false (padCst 0 r true (xs : n.bool)) ~> true",
            "rule bad = idx (natAsIndex (n+r) 0) (padCst r 0 c (xs : n.t)) ~> c",
            "rule bad = idx (natAsIndex (n+r) (n+r-1)) (padCst 0 r c (xs : n.t)) ~> c",
            "rule bad = reduce max z (padCst 0 r c (xs : n.i32)) ~> max c (reduce max z xs)",
            "rule bad = reduce (and) true (padCst l r false (xs : n.bool)) ~> false",
            "rule bad = scanSeq (+) 0 (padCst r 0 1 (xs : n.i32)) |> idx (natAsIndex (n+r) 0) ~> 1",
            "rule bad = reduce (+) 0 (padEmpty r (xs : n.i32)) ~> 5",
            "rule bad = drop r (xs : (n+r).i32) ~> drop r (map (\\x. select (r == 0) (x + 1) x) xs)",
        ],
    ),
    (
        "functions of indices, plain numbers, vectors and rows depend on all of them",
        &[
            "rule bad = (generate f : n.t) ~> generate (\\i. f (natAsIndex n (n - 1 - indexAsNat i)))",
            "rule bad = (generate (\\i. generate (\\j. f i j)) : n.n.t) ~> generate (\\i. generate (\\j. f j i))",
            "rule bad = map f (xs : n.idx[m]) ~> map f (reverse xs)",
            "rule bad = (generate (\\i. f (indexAsNat i)) : n.t) ~> generate (\\i. f 0)",
            "rule bad = (generate (\\i. f (idx i xs) i) : n.t) ~> generate (\\i. f (idx i xs) (natAsIndex n 0))",
            "rule bad = map f (xs : n.<4>f32) ~> map f (reverse xs)",
            "rule bad = map f (xs : n.bool) ~> map f (reverse xs)",
            "rule bad = reduceSeq f z (xs : n.idx[n]) ~> reduceSeq f z (reverse xs)",
            "rule bad = map f (xs : n.m.t) ~> map (\\r. f (reverse r)) xs",
        ],
    ),
    (
        "floats next to those that are mentioned, and what parts without variables amount to",
        &[
            "rule bad = (x : f32) ~> select (x > 1000.0 and x < 1000.001) 0.0 x",
            "rule bad = (x : f32) ~> select (x > 1.0e20 and x < 1.001e20) 0.0 x",
            "rule bad = (x : f64) ~> select (x == 0.1 + 0.2) 0.3 x",
            "rule bad = (x : i32) ~> select (x == 2 * 1000 * 1000 + 7) 0 x",
            "rule bad = (x : i32) ~> select (x * 3 == 300000) 0 x",
            "rule bad = (x : i32) ~> select (shiftRight x 20 == 77) 0 x",
        ],
    ),
    (
        "right below some size",
        &[
            "rule bad = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (indexAsNat i % 4)) xs)",
            "rule bad = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (indexAsNat i % 100)) xs)",
            "rule bad = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (min 37 (indexAsNat i))) xs)",
            "rule bad = map f (xs : n.t) ~> generate (\\i. f (idx (natAsIndex n (indexAsNat i % (8*9))) xs))",
            "rule bad = (xs : (n + 12).t) ~> generate (\\i. idx (natAsIndex (n + 12) (indexAsNat i % 16)) xs)",
            "rule bad = (xs : n.m.t) ~> map (\\r. generate (\\i. idx (natAsIndex m (indexAsNat i % 20)) r)) xs",
            "rule bad = (generate (\\i. cast (indexAsNat i)) : n.i32) ~> generate (\\i. cast (cast (indexAsNat i) : u8))",
            "rule bad = (generate (\\i. cast (indexAsNat i)) : n.f32) ~> generate (\\i. cast (cast (indexAsNat i) : f16))",
        ],
    ),
    (
        "right for even, odd, composite sizes, or powers of two",
        &[
            "rule bad = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (2 * (indexAsNat i % (n div 2 + 1)) % n)) xs)",
            "rule bad = (xs : (2*n).t) ~> generate (\\i. idx (natAsIndex (2*n) (indexAsNat i % (2 * (n div 3) + 4) % (2*n))) xs)",
            "rule bad = (xs : n.t) ~> generate (\\i. idx (natAsIndex n (indexAsNat i % (n - n % 7 + 5) % n)) xs)",
        ],
    ),
    (
        "NaN and infinities",
        &[
            "rule bad = (x : f32) - x ~> 0.0",
            "rule bad = (x : f64) / x ~> 1.0f64",
            "rule bad = (x : f16) == x ~> true",
            "rule bad = (a : f32) < b ~> not (b < a)",
            "rule bad = (a : f64) > b ~> not (select (a == b) true (a < b))",
            "rule bad = select ((a : f32) < b) a b ~> min a b",
            "rule bad = max (x : f32) y ~> select (x > y) x y",
            "rule bad = min (x : f32) (max x y) ~> x",
            "rule bad = sqrt (x : f32) * sqrt x ~> x",
            "rule bad = 0.0 * (x : f32) + y ~> y",
            "rule bad = pow (x : f32) 0.5 ~> sqrt x",
            "rule bad = (cast (floor (x : f32)) : i32) ~> cast x",
            "rule bad = (x : f64) * 2.0f64 / 2.0f64 ~> x",
            "rule bad = (x : f32) == y ~> x - y == 0.0",
        ],
    ),
    (
        "the sign of zero",
        &[
            "rule bad = (x : f32) + 0.0 ~> x",
            "rule bad = (x : f64) * 0.0f64 ~> 0.0f64",
            "rule bad = 0.0 - (x : f32) ~> neg x",
            "rule bad = max (x : f32) y ~> max y x",
            "rule bad = min (x : f64) y ~> min y x",
            "rule bad = abs (x : f32) ~> max x (neg x)",
            "rule bad = select ((x : f32) < 0.0) (neg x) x ~> abs x",
            "rule bad = neg ((x : f32) - y) ~> y - x",
            "rule bad = select ((x : f32) == 0.0) 0.0 x ~> x",
            "rule bad = (cast (cast (x : i32) : f32) : i32) ~> x",
        ],
    ),
    (
        "overflow, underflow and rounding of floats",
        &[
            "rule bad = (x : f32) * y / y ~> x",
            "rule bad = (x : f32) + y - y ~> x",
            "rule bad = (cast (cast (x : f32) : f16) : f32) ~> x",
            "rule bad = (cast (cast (x : f64) : f32) : f64) ~> x",
            "rule bad = sqrt ((x : f32) * x) ~> abs x",
            "rule bad = ((x : f32) + y) * 0.5 ~> x * 0.5 + y * 0.5",
            "rule bad = (x : f16) * 2.0f16 < y * 2.0f16 ~> x < y",
            "rule bad = (x : f32) / 3.0 ~> x * 0.33333334",
        ],
    ),
    (
        "overflow and signs of integers",
        &[
            "rule bad = (a : i32) < b ~> a - b < 0",
            "rule bad = (a : i8) + 1 > a ~> true",
            "rule bad = (a : u32) - b > 0 ~> a > b",
            "rule bad = (x : i32) * 2 / 2 ~> x",
            "rule bad = abs (x : i32) < 0 ~> false",
            "rule bad = (cast (cast (x : i32) : i8) : i32) ~> x",
            "rule bad = (cast (cast (x : u16) : u8) : u16) ~> x",
            "rule bad = (cast (cast (x : i64) : i32) : i64) ~> x",
            "rule bad = (cast (cast (x : i64) : f64) : i64) ~> x",
            "rule bad = (cast (x : i8) : u32) ~> cast (cast x : u8)",
            "rule bad = ((a : i32) + b) / 2 ~> a / 2 + b / 2 + (a % 2 + b % 2) / 2",
            "rule bad = (cast (x : f32) : u8) ~> cast (cast x : i32)",
            "rule bad = neg (x : u8) ~> x",
        ],
    ),
    (
        "what re-association does not admit",
        &[
            "rule bad [reassociates] = (x : f32) ~> floor x",
            "rule bad [reassociates] = (x : f32) - x ~> 0.0",
            "rule bad [reassociates] = (x : f64) / x ~> 1.0f64",
            "rule bad [reassociates] = (x : f32) ~> cast (cast x : f16)",
            "rule bad [reassociates] = (x : f32) * 0.1 ~> x / 10.1",
            "rule bad [reassociates] = (x : f32) + y ~> x + y * 1.0000001",
            "rule bad [reassociates] = (x : f32) ~> x + 0.0000000000000000000001",
            "rule bad [reassociates] = min (x : f32) 1000000.0 ~> x",
            "rule bad [reassociates] = (x : f32) + y - y ~> x",
            "rule bad [reassociates] = sqrt (x : f32) * sqrt x ~> abs x",
            "rule bad [reassociates] = exp (x : f32) * exp y ~> exp (x + y)",
            "rule bad [reassociates] = ((a : i32) + b) / 2 ~> a / 2 + b / 2",
            "rule bad [reassociates] = (a : i32) / b * c ~> a * c / b",
            "rule bad [reassociates] = (cast (cast (x : i32) : f32) : i32) ~> x",
            "rule bad [reassociates] = reduce (+) 0 (xs : n.f32) ~> reduce (+) 0 (take 8 xs) where 8 <= n",
            "rule bad [reassociates] = reduce (+) 0.0 (map f (xs : n.f32)) ~> f (reduce (+) 0.0 xs)",
            "rule bad [reassociates] = reduce max 0.0 (xs : n.f32) ~> reduce max 0.0 (map abs xs)",
        ],
    ),
    (
        "what another property of the operator would be needed for",
        &[
            "rule bad [reassociates] = reduce op init (join xs) ~> reduce op init (map (reduce op init) (transpose xs)) where assoc op, neutral op init",
            "rule bad [reassociates] = reduce op init (join xs) ~> reduce op init (map (reduce op init) (transpose xs)) where commutative op, neutral op init",
            "rule bad [reassociates] = (op : t -> t -> t) (op a b) c ~> op a (op b c) where commutative op",
            "rule bad [reassociates] = (op : t -> t -> t) (op a b) c ~> op (op c b) a where assoc op",
            "rule bad [reassociates] = (op : t -> t -> t) a a ~> a where assoc op, commutative op",
            "rule bad [reassociates] = (op : t -> t -> t) a b ~> op b a where assoc op",
            "rule bad [reassociates] = reduce op init xs ~> op init (reduce op init xs) where assoc op",
            "rule bad [reassociates] = op a (reduce op init xs) ~> reduceSeq op a xs where assoc op",
            "rule bad [reassociates] = (op : t -> t -> t) (op a b) (op a c) ~> op a (op b c) where assoc op, commutative op",
            "rule bad = (op : t -> t -> t) (op a b) c ~> op a (op b c) where assoc op",
            "rule bad [reassociates] = reduce op init (xs : (2*n).t) ~> op (reduce op init (take n xs)) (reduce op init (drop n xs)) where assoc op",
            "rule bad [reassociates] = c + reduceSeq op init xs ~> reduceSeq op c xs where additive op",
            "rule bad [reassociates] = (op : t -> t -> t) a (max b c) ~> max (op a b) (op a c) where assoc op, commutative op",
            "rule bad [reassociates] = (op : i32 -> i32 -> i32) a b ~> op b a where assoc op",
            "rule bad [reassociates] = (op : f32 -> f32 -> f32) a (op b c) ~> op (op a b) c where commutative op",
        ],
    ),
    (
        "what the other marks do not admit",
        &[
            "rule bad [finite] = (x : f32) + y - y ~> x",
            "rule bad [finite] = (x : f32) + 0.0 ~> x",
            "rule bad [finite] = (x : f32) ~> x / x * x",
            "rule bad [unsignedZeros] = (x : f32) * 0.0 ~> 0.0",
            "rule bad [unsignedZeros] = max (x : f32) y ~> select (x > y) x y",
            "rule bad [finite, unsignedZeros] = (x : f32) + y + z ~> x + (y + z)",
            "rule bad [finite, unsignedZeros] = (a : i32) + 1 > a ~> true",
            "rule bad [reassociates, finite, unsignedZeros] = (x : f32) ~> floor x",
        ],
    ),
    (
        "what a function is given may be a function, and the lanes of vectors differ",
        &[
            "rule bad = f (\\x. g (x : i32)) ~> f (\\x. g (x + 1))",
            "rule bad = f (\\x y. g (x : i32) (y : i32)) ~> f (\\x y. g x x)",
            "rule bad = f (\\(xs : n.i32). g xs) ~> f (\\xs. g (reverse xs))",
            "rule bad = f (\\x. g (x : f32)) ~> f (\\x. g (x + 0.0))",
            "rule bad = f (\\x. (x : i32)) ~> f (\\x. x * 3 / 3)",
            "rule bad = f (\\p. (p : (i32 * i32))) ~> f (\\p. (snd p, fst p))",
            "rule bad = asScalar (map f (asVector 4 (xs : (4*n).f32))) |> reverse ~> asScalar (map f (asVector 4 (reverse xs)))",
            "rule bad = (f ((vectorFromScalar (x : f32)) : <4>f32) : <4>f32) ~> vectorFromScalar (idx (natAsIndex 4 0) (asScalar [f (vectorFromScalar x)]))",
        ],
    ),
    (
        "natural numbers are large, and sums are of so many numbers that they wrap around",
        &[
            "rule bad = (i : natType) ~> select (i < 1000) i 0",
            "rule bad = abs (x : natType) ~> x",
            "rule bad = max (x : natType) 0 ~> x",
            "rule bad = (x : natType) < 0 ~> false",
            "rule bad = select ((x : natType) >= 0 and x < n) (a : t) b ~> select (x < n) a b",
            "rule bad = (cast (x : natType) : i64) >= 0 ~> true",
            "rule bad = f (i : natType) ~> f (min i 1000)",
            "rule bad = f (i : natType) ~> f (i % 1000000)",
            "rule bad = (p : (natType * i32)) ~> select (fst p < 70000) p (0, snd p)",
            "rule bad = indexAsNat (i : idx[100000]) == 77777 ~> false",
            "rule bad = indexAsNat (i : idx[n]) == 777 ~> false",
            "rule bad = (cast (indexAsNat (i : idx[n])) : f32) ~> (cast (cast (indexAsNat i) : u16) : f32)",
            "rule bad = select ((x : f32) > 0.0) (cast x : natType) 0 ~> 0",
            "rule bad = reduce (+) (0 : i32) (generate (\\(i : idx[n]). cast (indexAsNat i))) ~> (cast n) * ((cast n) - 1) / 2",
        ],
    ),
    (
        "what is known of an operator is not known of the signs of zeros",
        &[
            "rule bad = reduce f z (xs : (n+1).f32) ~> reduce f (idx (natAsIndex (n+1) 0) xs) (drop 1 xs) where neutral f z",
            "rule bad = reduce f z (concat (xs : n.t) (reverse xs)) ~> reduce f z xs where assoc f, idempotent f",
        ],
    ),
    (
        "what a loop computes is computed, whether or not it is read",
        &[
            "rule bad = map (\\x. x) (xs : n.i32) ~> map (\\p. fst p) (mapSeq (\\x. (x, 1 / x)) xs)",
            "rule bad = map (\\x. x) (xs : n.i32) ~> let ys = mapSeq (\\x. (x, 1 / x)) xs in map (\\p. fst p) ys",
            "rule bad = (xs : n.i32) ~> take n (concat xs (mapSeq (\\x. 1 / x) xs))",
        ],
    ),
    (
        "the right operand of `and` and `or` need have no value where the left decides",
        &[
            "rule bad = (x : bool) and y ~> y and x",
            "rule bad = (x : bool) or y ~> y or x",
            "rule bad = (x : bool) and (y and z) ~> x and (z and y)",
        ],
    ),
    (
        "numbers that are computed only where they matter need have no value elsewhere",
        &[
            "rule bad = (x : i32) < y and x < z ~> x < min y z",
            "rule bad = (x : i32) > 0 and y > 0 ~> min x y > 0",
            "rule bad = (x : i32) > 0 or y > 0 ~> max x y > 0",
            "rule bad = (x : i32) == 0 and y == 0 ~> bitOr x y == 0",
            "rule bad = (x : i32) < 0 or y < 0 ~> bitOr x y < 0",
            "rule bad = (x : f32) < 0.0 or y < 0.0 ~> min x y < 0.0",
            "rule bad = select c (x : i32) y ~> x * cast c + y * (1 - cast c)",
        ],
    ),
    (
        "what the result does not need has no value, in memory and elsewhere",
        &[
            "rule bad = let (toMem [x, 10 / (y : i32)]) (\\b. idx (natAsIndex 2 0) b) ~> select (y == 0) 77 x",
            "rule bad = idx (natAsIndex 2 0) [x, 10 % (y : i32)] ~> select (y == 0) 77 x",
            "rule bad = let (10 / (y : i32)) (\\q. select (y == 0) x q) ~> select (y == 0) (x + 1) (10 / y) where q notin x",
        ],
    ),
    (
        "few functions of arrays tell one zero from the other",
        &[
            "rule bad = f (xs : n.f32) ~> f (map (\\x. x * 1.0 + 0.0) xs)",
            "rule bad = f (xs : n.m.f32) ~> f (map (map (\\x. x + 0.0)) xs)",
            "rule bad = f (xs : n.(f32 * i32)) ~> f (map (\\p. (fst p + 0.0, snd p)) xs)",
        ],
    ),
    (
        "functions of arrays of arrays depend on the innermost elements",
        &[
            "rule bad = f (xs : n.m.k.i32) ~> f (map (map reverse) xs)",
            "rule bad = f (xs : n.m.k.l.i32) ~> f (map (map (map reverse)) xs)",
            "rule bad = f (xs : n.m.<4>i32) ~> f (map reverse xs)",
            "rule bad = f (xs : n.(i32 * m.i32)) ~> f (map (\\p. makePair (fst p) (reverse (snd p))) xs)",
            "rule bad = map (map (map f)) (xs : n.m.k.3.3.3.t) ~> map (map (map (\\w. f (transpose w)))) xs",
            "rule bad = reduceSeq f z (xs : n.m.k.l.t) ~> reduceSeq f z (map (map (map reverse)) xs)",
        ],
    ),
    (
        "differences of natural numbers are negative, and functions give large ones",
        &[
            "rule bad = abs (x : natType) ~> x",
            "rule bad = (x : natType) < 0 ~> false",
            "rule bad = (x : natType) + y >= x ~> true",
            "rule bad = select ((x : natType) >= 0 and x < n) (a : t) b ~> select (x < n) a b",
            "rule bad = (x : natType) % y ~> select (x < y) x (x % y)",
            "rule bad = f (\\(i : natType). g i) ~> f (\\i. g (max i 0))",
            "rule bad = (f (x : s) : natType) ~> min (f x) 5",
            "rule bad = (f (x : i32) : natType) ~> min (f x) 100",
        ],
    ),
    (
        "floats are compared with numbers that no integer is as large as",
        &[
            "rule bad = (x : f32) > 3e38 ~> false",
            "rule bad = min (x : f64) 1e300 ~> x",
            "rule bad = (x : f64) ~> select (x > 1e300) 1e300 x",
        ],
    ),
    (
        "several sizes are large together, and of a single element no order is seen",
        &[
            "rule bad = (xs : n.m.t) ~> select (n > 41 and m > 37) (reverse xs) xs",
            "rule bad = (xs : n.m.t) ~> select (n > 300 and m > 5) (reverse xs) xs",
            "rule bad = (xs : n.m.t) ~> select (n > 1000 and m > 37) (reverse xs) xs",
            "rule bad = (xs : n.m.k.t) ~> select (n > 16 and m > 16 and k > 16) (reverse xs) xs",
            "rule bad(p, q) = (xs : (n*p*q).t) ~> select (p > 9 and q > 9 and n > 9) (reverse xs) xs",
            "rule bad(p, q) = (xs : (n*p).(m*q).t) ~> select (p > 5 and q > 5 and n > 5 and m > 5) (reverse xs) xs",
            "rule bad(p) = (xs : (n*p).t) ~> select (p > 37 and n > 41) (reverse xs) xs",
            "rule bad(p, q, r) = (xs : (n*p*q*r).t) ~> select (p > q and q > r and r > 5) (reverse xs) xs",
            "rule bad = padClamp l r (xs : n.t) ~> select (l > 9 and r > 9 and n > 9) (reverse (padClamp l r xs)) (padClamp l r xs)",
            "rule bad = (xs : n.idx[m]) ~> select (m > 3000) (reverse xs) xs",
            "rule bad(p) = (xs : n.t) ~> select (p == 100) (reverse xs) xs",
            "rule bad = padClamp l r xs ~> select (l == r + 17) (reverse (padClamp r l xs)) (padClamp l r xs)",
            "rule bad = map f (xs : n.u16) ~> map (\\x. f (bitAnd x 4095)) xs",
        ],
    ),
    (
        "numbers are larger than any integer",
        &["rule bad = (x : f32) > 3e38 ~> false", "rule bad = min (x : f64) 1e300 ~> x"],
    ),
    (
        "operators on pairs, arrays, vectors and truth values are not all that more is known of",
        &[
            "rule bad = (f : n.i32 -> n.i32 -> n.i32) a b ~> f b a where assoc f",
            "rule bad = (f : (i32 * f32) -> (i32 * f32) -> (i32 * f32)) a b ~> f b a where assoc f",
            "rule bad = (f : bool -> bool -> bool) a b ~> f b a where assoc f",
            "rule bad = (f : bool -> bool -> bool) (f a b) c ~> f a (f b c) where commutative f",
            "rule bad = (f : <4>i32 -> <4>i32 -> <4>i32) a z ~> z where neutral f z",
            "rule bad = (f : n.i32 -> n.i32 -> n.i32) a z ~> z where neutral f z",
            "rule bad = (f : n.i32 -> n.i32 -> n.i32) a (f a b) ~> f a b where commutative f",
            "rule bad = (a : <4>i32) * z ~> a where zero z",
            "rule bad = reduce f z (xs : n.m.i32) ~> reduce f z (reverse xs) where assoc f",
            "rule bad = reduce f z (xs : n.m.i32) ~> reduce f z (reverse xs) where commutative f",
        ],
    ),
    (
        "what is idempotent need be nothing else",
        &[
            "rule bad = (f : bool -> bool -> bool) a b ~> f b a where idempotent f",
            "rule bad [unsignedZeros] = (f : t -> t -> t) a b ~> f b a where idempotent f",
            "rule bad [unsignedZeros] = reduce f z (map g xs) ~> reduce f z (map g (reverse xs)) where idempotent f",
            "rule bad [reassociates] = (f : t -> t -> t) a (f a b) ~> f a b where idempotent f",
        ],
    ),
    (
        "the last that is not zero",
        &[
            "rule bad [reassociates] = reduce op z (xs : n.t) ~> reduce op z (map (\\x. op z x) xs) where assoc op, idempotent op",
        ],
    ),
    (
        "work-items that reduce group what they reduce in another way",
        &[
            "rule bad(p) = reduce op init (xs : n.t) ~> reduceLocal p op init xs",
            "rule bad(p) = reduce op init (xs : n.t) ~> reduceLocal p op init xs where assoc op",
            "rule bad(p) [reassociates] = reduce op init (xs : n.t) ~> reduceLocal p op init xs",
            "rule bad(p) [reassociates] = reduceSeq (\\acc x. op acc (neg x)) (init : i32) (xs : n.i32) ~> reduceLocal p (\\acc x. op acc (neg x)) init xs where assoc op",
        ],
    ),
    (
        "sizes that are small are ruled out, or quotients and the least of sizes are compared",
        &[
            "rule bad = (xs : n.m.t) ~> select (n * n == m) (reverse xs) xs where n > 4",
            "rule bad = (xs : n.m.t) ~> select (min n m == 77) (reverse xs) xs",
            "rule bad = (xs : n.m.t) ~> select (n % m == 0 and n / m == 3 and m > 50) (reverse xs) xs",
        ],
    ),
    (
        "indices that go round, or backwards",
        &[
            "rule bad = gather (is : n.idx[n]) (xs : n.t) ~> select (reduce (and) true (map (\\i. indexAsNat (idx i is) == n - 1 - indexAsNat i) (generate (\\(i : idx[n]). i))) and n > 6) xs (gather is xs)",
            "rule bad = gather (is : n.idx[n]) (xs : n.t) ~> select (reduce (and) true (map (\\i. indexAsNat (idx i is) == (1 + indexAsNat i) % n) (generate (\\(i : idx[n]). i))) and n > 6) xs (gather is xs)",
        ],
    ),
    (
        "each element of an array has to do with one of another",
        &[
            "rule bad = zip (xs : n.i32) (ys : n.i32) ~> select (n > 6 and reduce (and) true (map (\\(x, y). x == y + 1) (zip xs ys))) (reverse (zip xs ys)) (zip xs ys)",
            "rule bad = zip (xs : n.i32) (ys : n.i32) ~> select (n > 6 and reduce (and) true (map (\\(x, y). x == y) (zip xs (reverse ys)))) (reverse (zip xs ys)) (zip xs ys)",
            "rule bad = zip (xs : n.f32) (ys : n.f32) ~> select (n > 6 and reduce (and) true (map (\\(x, y). x * y == 12.0) (zip xs ys))) (reverse (zip xs ys)) (zip xs ys)",
        ],
    ),
    (
        "all rows sum to one number",
        &[
            "rule bad = (xs : n.m.i32) ~> select (n > 3 and m > 3 and reduce (and) true (map (\\r. reduce (+) 0 r == 10) xs)) (reverse xs) xs",
        ],
    ),
    (
        "squares wrap around",
        &[
            "rule bad = (a : i32) * a != 2147395601 ~> true",
            "rule bad = (a : u32) ~> select (a * a == 57) 7 a",
            "rule bad = (a : i64) ~> select (a * a == 10193) 7 a",
            "rule bad = (a : i32) ~> select ((a + 3) * (a + 3) == 2147395601) 7 a",
        ],
    ),
];

/// Every wrong rule that loads.
fn wrong_rules() -> Vec<&'static str> {
    let planted = WRONG.iter().filter(|(_, c)| matches!(c, Counterexample)).map(|(text, _)| *text);
    planted.chain(HOSTILE.iter().flat_map(|(_, rules)| rules.iter().copied())).collect()
}

/// Those that load are checked on the command line, with the hostile ones.
#[test]
fn every_wrong_rule_is_refused_or_loads() {
    let mut missed = vec![];
    for (text, caught) in WRONG {
        let mut sources = Sources::new();
        let mut rules = RuleSet::default();
        let problems = rules.load(&mut sources, &[Source { label: "wrong.rules", text }]);
        let codes: Vec<&str> = problems.iter().map(|p| p.code).collect();
        match (caught, rules.get("bad")) {
            (Refused(code), None) if codes.contains(code) => {}
            (Counterexample, Some(_)) => {}
            _ => {
                let shown: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
                missed.push(format!("{text}\n  {}", shown.join("\n")));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

/// Rules that are right, if unusual.
const RIGHT: &[&str] = &[
    // The negative zero is no zero.
    "rule good = (x : f32) - z ~> x where zero z",
    "rule good = 1.0 / z ~> 1.0 / (0.0 : f32) where zero z",
    // Components are told by their names, wherever they are bound.
    "rule good = map (\\(x, y). b) (zip (xs : n.t) (ys : n.t)) ~> map (\\(y, x). b) (zip ys xs)",
    "rule good = map (\\(x, y). b) (zip (xs : n.t) (ys : n.t)) ~> map (\\p. b[snd p/x][fst p/y]) (zip ys xs)",
    "rule good = let (x, y) = p in b ~> let (x, y) = p in b",
    "rule good = let (x, y) = e in b ~> (\\(x, y). b) e",
    "rule good = let (x, y) = (e : (t * t)) in b ~> let (y, x) = (makePair (snd e) (fst e)) in b",
    // Types that the patterns take are drawn.
    "rule good = bitAnd (x : t) y ~> bitAnd y x",
    "rule good = (cast (x : t) : i32) ~> cast x",
    "rule good = (cast y : f64) + z ~> z + cast y",
    "rule good = floor (floor (x : t)) ~> floor x",
    "rule good = (x : t) % y ~> x % y",
    // Arrays are computed where they are read.
    "rule good = map (\\x. f and g) xs ~> map (\\(a, b). a and b) (zip (map (\\x. f) xs) (map (\\x. g) xs))",
    "rule good = (cast (x : bool) : i32) ~> select x 1 0",
    // A number without rounding does not know the sign of its zero.
    "rule good [reassociates] = (a : f32) / b / c ~> a / (b * c)",
    "rule good = f (\\x. g (x : i32)) ~> f (\\x. g (x + 1 - 1))",
    "rule good = (i : natType) ~> select (i < 1000) i (max i 1000)",
    "rule good = idx i (map f xs) ~> f (idx i xs)",
    "rule good = map f (generate (\\i. e)) ~> generate (\\i. f e) where i notin f",
    "rule good = zip (generate (\\i. a)) (generate (\\j. b)) ~> generate (\\i. makePair a b[i/j])",
    "rule good = map (\\p. makePair (snd p) (fst p)) (zip a b) ~> zip b a",
    "rule good = join (take (n/p - 1) (split p (xs : n.t))) ~> take (n - p) xs where p divides n, p < n",
    "rule good = join (split (n/2) (xs : n.t)) ~> xs where 2 divides n, n >= 2",
    "rule good = (x : i32) * 1 ~> x",
    "rule good = 2.0 * (x : f32) ~> x + x",
    "rule good = reduce (+) 0 (map (\\x. x * c) (xs : n.i32)) ~> c * reduce (+) 0 xs where x notin c",
    "rule good = drop m (take n (xs : s.t)) ~> take (n - m) (drop m xs) where m < n, n < s",
    "rule good = let e (\\x. map (\\y. b) ys) ~> map (\\y. let e (\\x. b)) ys where x notin ys",
    "rule good = fst (mapFst f p) ~> f (fst p)",
    "rule good = select c (f x) (f y) ~> f (select c x y)",
    "rule good = asVector v (generate (\\i. c)) ~> generate (\\j. vectorFromScalar c) where i notin c, scalar t",
    "rule good(k: depth) = mapNest (k + 1) f (mapNest (k + 1) g xs) ~> mapNest (k + 1) (\\y. f (g y)) xs",
    "rule good = map (\\p. map (\\q. e) (snd p)) (zip a b) ~> map (\\p. map (\\q. e) (snd p)) (zip a b) where q notin a",
    "rule good = split p (split q (xs : (n*p*q).t)) ~> map (split q) (split (p*q) xs)",
    "rule good [reassociates] = reduce op init (join xs) ~> reduce (\\a b. op a b) init (map (reduce op init) xs) where assoc op, neutral op init",
    "rule good = makePair (fst (makePair a b)) (snd (makePair c d)) ~> makePair a d",
    "rule good = map (\\w. idx (natAsIndex sz (sz - 1)) w) (slide sz 1 (xs : (n + sz - 1).t)) ~> drop (sz - 1) xs",
    "rule good = idx (natAsIndex n 0) (generate f : n.t) ~> f (natAsIndex n 0)",
    "rule good = (cast n : f32) * reduce (+) 0 (xs : n.f32) ~> reduce (+) 0 xs * cast n",
    "rule good = slide sz sz (xs : (n*sz).t) ~> split sz xs",
    "rule good = map (\\(a, b). f a) xs ~> map f (map (\\(a, b). a) xs) where a notin f, b notin f",
    "rule good = map (\\(a, b). map (\\x. e) ys) xs ~> transpose (map (\\x. map (\\(a, b). e) xs) ys) where a notin ys",
    "rule good = not (x and y) ~> not x or not y",
    "rule good = (x : f32) >= y ~> y <= x",
    "rule good = reverse (map f xs) ~> map f (reverse xs)",
    "rule good = shiftLeft (x : i32) 1 ~> x + x",
    "rule good = bitXor (bitXor (x : u8) y) y ~> x",
    // Special numbers that are not touched.
    "rule good = (x : f32) * 1.0 ~> x",
    "rule good = (x : f32) - 0.0 ~> x",
    "rule good = (x : f32) + neg 0.0 ~> x",
    "rule good = neg (neg (x : f64)) ~> x",
    "rule good = (x : f32) + y ~> y + x",
    "rule good = (x : f16) * y ~> y * x",
    "rule good = (a : f32) < b ~> a - b < 0.0",
    "rule good = (a : f32) < b ~> b > a",
    "rule good = (x : f32) - y ~> x + neg y",
    "rule good = abs (neg (x : f32)) ~> abs x",
    "rule good = (cast (cast (x : f32) : f64) : f32) ~> x",
    "rule good = (cast (cast (x : i16) : f32) : i16) ~> x",
    "rule good = (x : f32) * 0.5 ~> x / 2.0",
    "rule good = max (max (x : f32) y) z ~> max x (max y z)",
    "rule good = neg ((a : i32) - b) ~> b - a",
    "rule good = (a : i32) - b < 0 ~> not (select (a - b == 0) true (a - b > 0))",
    "rule good = (x : u8) + x ~> 2 * x",
    "rule good = abs (neg (x : i32)) ~> abs x",
    "rule good = (cast (cast (x : i32) : i64) : i32) ~> x",
    "rule good = (cast (cast (x : u32) : i32) : u32) ~> x",
    // Operators of which enough is asked.
    "rule good [reassociates] = reduce op init (join xs) ~> reduce op init (map (reduce op init) xs) where assoc op, neutral op init",
    "rule good [reassociates] = reduce op init (join xs) ~> reduce op init (map (reduce op init) (transpose xs)) where assoc op, neutral op init, commutative op",
    "rule good [reassociates] = (op : t -> t -> t) (op a b) c ~> op a (op b c) where assoc op",
    "rule good [reassociates] = (op : t -> t -> t) (op a b) c ~> op c (op b a) where assoc op, commutative op",
    "rule good [reassociates] = (op : t -> t -> t) a b ~> op b a where commutative op",
    "rule good [reassociates] = op a (reduce op init xs) ~> reduceSeq op a xs where assoc op, neutral op init",
    "rule good [reassociates] = reduce op init (xs : (2*n).t) ~> op (reduce op init (take n xs)) (reduce op init (drop n xs)) where assoc op, neutral op init",
    "rule good [reassociates] = (op : f32 -> f32 -> f32) a (op b c) ~> op (op a b) c where assoc op",
    // Those on pairs, arrays, vectors and truth values, too.
    "rule good [reassociates] = reduce f z (xs : n.m.t) ~> reduce f z (reverse xs) where assoc f, commutative f",
    "rule good = reduce f z (xs : n.m.i32) ~> reduce f z (reverse xs) where assoc f, commutative f",
    "rule good = reduce f z (xs : n.(i32 * i32)) ~> reduce f z (reverse xs) where assoc f, commutative f",
    "rule good = (f : <4>i32 -> <4>i32 -> <4>i32) a z ~> a where neutral f z",
    "rule good = (f : m.<4>i32 -> m.<4>i32 -> m.<4>i32) a z ~> a where neutral f z",
    "rule good = (f : (bool * n.i32) -> (bool * n.i32) -> (bool * n.i32)) z a ~> a where neutral f z",
    "rule good = (a : <4>i32) * z ~> z where zero z",
    "rule good = (f : n.i32 -> n.i32 -> n.i32) a a ~> a where idempotent f",
    "rule good = (f : bool -> bool -> bool) a (f b c) ~> f (f a b) c where assoc f",
    "rule good [reassociates] = (f : t -> t -> t) a (f a b) ~> f a b where assoc f, idempotent f",
    // Marks that are needed, and that are enough.
    "rule good [reassociates] = (x : f32) + y + z ~> x + (y + z)",
    "rule good [reassociates, finite] = (x : f32) * (y + z) ~> x * y + x * z",
    "rule good [reassociates] = (x : f32) / 3.0 ~> x * (1.0 / 3.0)",
    "rule good [reassociates] = (x : f32) / 10.0 ~> x * 0.1",
    "rule good [reassociates] = (x : f32) + x + x ~> 3.0 * x",
    "rule good [reassociates] = max (x : f32) y ~> max (max x y) y",
    "rule good [reassociates] = (a : i32) + b + c ~> a + (b + c)",
    "rule good [reassociates, finite] = reduce (+) 0.0 (map (\\x. x * c) (xs : n.f32)) ~> reduce (+) 0.0 xs * c where x notin c",
    "rule good [reassociates, finite] = (x : f32) - x ~> 0.0",
    "rule good [reassociates, finite] = (x : f32) + y - y ~> x",
    "rule good [reassociates, finite] = (x : f32) / x ~> 1.0",
    "rule good [unsignedZeros] = (x : f32) + 0.0 ~> x",
    "rule good [finite, unsignedZeros] = (x : f32) * 0.0 ~> 0.0",
    "rule good [finite] = (x : f32) - x ~> 0.0",
    "rule good [finite] = (x : f64) == x ~> true",
    "rule good [finite, unsignedZeros] = max (x : f32) y ~> select (x > y) x y",
];

fn load(text: &str) -> (RuleSet, Vec<String>) {
    let (mut sources, mut rules) = (Sources::new(), RuleSet::default());
    let problems = rules.load(&mut sources, &[Source { label: "own.rules", text }]);
    (rules, problems.iter().map(|p| p.render(&sources)).collect())
}

#[test]
fn an_operator_of_two_types_is_told_to_be_of_one() {
    let (_, problems) = load("rule swap [reassociates] = f a b ~> f b a where commutative f");
    assert!(problems.len() == 1 && problems[0].contains("[E0208]"), "{problems:?}");
    assert!(problems[0].contains("`(f : t -> t -> t)`"), "{problems:?}");
    let (rules, problems) =
        load("rule swap [reassociates] = (f : t -> t -> t) a b ~> f b a where commutative f");
    assert!(problems.is_empty() && rules.get("swap").is_some(), "{problems:?}");
    // What is wrong elsewhere is told as it is.
    let (_, problems) = load("rule swap = reduce f a xs ~> reduce f xs xs where commutative f");
    assert!(!problems.is_empty() && !problems[0].contains("t -> t -> t"), "{problems:?}");
}

#[test]
fn no_right_rule_is_refused() {
    let mut refused = vec![];
    for text in RIGHT {
        let (rules, problems) = load(text);
        let Some(rule) = rules.get("good") else {
            refused.push(format!("{text}\n{}", problems.join("\n")));
            continue;
        };
        let report = check(rule, &Thoroughness { instances: 60, ..Thoroughness::default() });
        if let Some(example) = &report.counterexample {
            refused.push(format!("{text}\n{example}"));
        } else if !report.verdict().is_good() || report.agreed < 60 {
            refused.push(format!("{text}\n{} agreed, missed {:?}", report.agreed, report.missed));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
}

/// Rules that hold of most operators with what they ask: of those that are commutative or have a neutral value, of the first and
/// the last of two, of those that round nothing.
const OF_MOST_OPERATORS: &[&str] = &[
    "rule bad [unsignedZeros] = (op : t -> t -> t) z a ~> a where neutral op z",
    "rule bad [unsignedZeros] = reduce op z (xs : n.m.t) ~> reduce op (op z z) xs where neutral op z",
    // What an operator has rounded it rounds again.
    "rule bad = reduce op z xs ~> op z (reduce op z xs) where neutral op z",
    "rule bad [unsignedZeros] = reduce op z xs ~> op (reduce op z xs) z where neutral op z",
    "rule bad [unsignedZeros] = (op : t -> t -> t) z (op a b) ~> op a b where neutral op z",
    "rule bad [unsignedZeros] = (op : t -> t -> t) a (op b c) ~> op (op a b) c where assoc op, commutative op, idempotent op",
    "rule bad [unsignedZeros] = (op : f32 -> f32 -> f32) (op a z) b ~> op a b where idempotent op, neutral op z",
    "rule bad(p) [reassociates] =
       reduce op init (xs : (n*p).t) ~> reduce op init (map (\\c. reduce op init c) (split p xs)) where assoc op, idempotent op",
    "rule bad [reassociates] =
       reduce op (z : t) (concat xs (ys : m.t)) ~> reduce op (reduce op (reduce op z xs) [z]) ys where assoc op, idempotent op",
    "rule bad [reassociates] = op (op (x : t) y) x ~> op x y where assoc op, idempotent op",
    "rule bad [reassociates] = op (op (x : t) y) x ~> op y x where assoc op, idempotent op",
    "rule bad [reassociates] = op (x : t) (op y (op x z)) ~> op x (op y z) where assoc op, idempotent op",
    "rule bad [reassociates] = op (op (x : t) y) (op x e) ~> op (op x y) e where assoc op, idempotent op, neutral op e",
    "rule bad [reassociates] = op (op (x : t) y) (op x z) ~> op x (op y z) where assoc op",
    "rule bad [reassociates] = op (x : t) (op y z) ~> op x z where assoc op",
    "rule bad [reassociates] = op (op (x : t) (y : t)) e ~> op (op y x) e where idempotent op, neutral op e",
];

#[test]
fn rules_of_operators_that_only_some_operators_break_are_caught_whatever_the_seed() {
    let mut missed = vec![];
    for text in OF_MOST_OPERATORS {
        let (rules, problems) = load(text);
        let rule = rules.get("bad").unwrap_or_else(|| panic!("{text}\n{problems:?}"));
        for seed in 1..=6 {
            let report = check(rule, &Thoroughness { seed, ..Thoroughness::default() });
            if report.counterexample.is_none() {
                missed.push(format!("{text} (seed {seed})"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Rules that are wrong at few numbers, which take long to be tested.
const SELDOM_WRONG: &[&str] = &[
    "rule bad = (x : i16) * y == 12321 ~> x == 111 and y == 111",
    "rule bad = (x : i32) * y == 1022117 ~> x == 1009 and y == 1013",
    "rule bad = (x : i16) * y * z == 12321 ~> false",
    "rule bad = not ((x : u16) * y == 4711 and y > 2) ~> true",
    "rule bad = (x : f32) ~> select (floor x == x and x > 1000.0 and x < 1010.0) 0.0 x",
    "rule bad = generate (\\(i : idx[n]). select (indexAsNat i == 77777) 1 0) ~> generate (\\(i : idx[n]). 0)",
    "rule bad = generate (\\(i : idx[n]). select (indexAsNat i == 5000) 1 0) ~> generate (\\(i : idx[n]). 0)",
    "rule bad = generate (\\(i : idx[n]). select (indexAsNat i == 99999) 1.5 0.5) ~> generate (\\(i : idx[n]). 0.5)",
];

/// As `rules check` tests them: after a while it ends as soon as enough is tested.
#[test]
fn rules_that_are_seldom_wrong_are_caught_before_time_is_over() {
    let mut missed = vec![];
    for text in SELDOM_WRONG {
        let (rules, problems) = load(text);
        let rule = rules.get("bad").unwrap_or_else(|| panic!("{text}\n{problems:?}"));
        let report = check(rule, &Thoroughness { instances: LEAST, ..Thoroughness::default() });
        if report.counterexample.is_none() {
            missed.push(format!("{text}: {} agreed", report.agreed));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_stopped_before_enough_was_tested_does_not_hold() {
    let (rules, _) =
        load("rule good = (x : i32) + y ~> y + x\nrule other = map f (xs : n.i32) ~> map (\\x. f x) xs");
    let good = rules.get("good").unwrap();
    let draws = Cell::new(0);
    let after = |n: usize| {
        let report = check(
            good,
            &Thoroughness {
                stop: &|| {
                    draws.set(draws.get() + 1);
                    draws.get() > n
                },
                ..Thoroughness::default()
            },
        );
        Report { proof: None, ..report }
    };
    let report = after(40);
    assert!(report.stopped && (1..LEAST).contains(&report.agreed), "{}", report.agreed);
    assert_eq!(report.verdict(), Verdict::TooLittle);
    assert!(!report.verdict().is_good());
    // Where it takes long, what is enough is tested all the same.
    let late = check(good, &Thoroughness { late: &|| true, ..Thoroughness::default() });
    assert!(late.stopped && late.agreed >= LEAST && late.verdict().is_good(), "{}", late.agreed);
    // What is asked for may be less.
    let few = check(good, &Thoroughness { instances: 3, late: &|| true, ..Thoroughness::default() });
    assert!(few.verdict().is_good());
}

/// Nothing is known of a value that takes too long to find.
#[test]
fn what_cannot_be_evaluated_is_no_counterexample() {
    let sum = "generate (\\(i : idx[n*n*n]). 0) |> reduce (+) 0";
    let text = format!("rule good = map (\\(x : i32). x) (xs : n.i32) ~> map (\\x. x + ({sum})) xs");
    let (rules, problems) = load(&text);
    let rule = rules.get("good").unwrap_or_else(|| panic!("{problems:?}"));
    let report = check(rule, &Thoroughness { instances: 6, ..Thoroughness::default() });
    assert!(report.counterexample.is_none(), "{}", report.counterexample.unwrap());
    assert!(
        report.agreed > 0 && report.missed.iter().any(|m| m.0.contains("was stopped after")),
        "{:?}",
        report.missed
    );
}

/// Runs `shine-tui rules …` in a folder with these rules.
fn shine(text: &str, args: &[&str]) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("own.rules"), text).unwrap();
    let ran = cli_common::run(dir.path(), &[&["rules"], args].concat());
    (ran.code, ran.out, ran.err)
}

/// The longest of these tests; by its name it is begun first.
#[test]
fn all_wrong_rules_are_found_on_the_command_line() {
    let typed = wrong_rules();
    let named = |i: usize, text: &str| text.replacen("rule bad", &format!("rule bad{i}"), 1);
    let all: Vec<String> = typed.iter().enumerate().map(|(i, text)| named(i, text)).collect();
    let (code, out, err) = shine(&all.join("\n"), &["check", "own.rules", "--json"]);
    assert_eq!(code, 1, "{err}");
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rules = told["rules"].as_array().unwrap();
    assert_eq!(rules.len(), typed.len());
    let is_wrong = |rule: &serde_json::Value| rule["verdict"] == "wrong";
    let missed: Vec<_> = rules.iter().zip(&typed).filter(|(r, _)| !is_wrong(r)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    for (rule, text) in rules.iter().zip(&typed) {
        // What is wrong is never proved.
        assert!(rule["proof"].is_null(), "{text}: {rule}");
        let example = &rule["counterexample"];
        assert_ne!(example["left"], example["right"], "{text}: {rule}");
        // Small enough to be read.
        assert!(example["before"].as_str().unwrap().len() < 400, "{text}: {rule}");
    }
}

#[test]
fn what_could_not_be_tested_is_not_said_to_hold() {
    let odd = "rule odd = map (map f) xs ~> map (map f) xs where separable f f f";
    let (code, out, _) = shine(odd, &["check", "own.rules"]);
    assert_eq!(code, 1);
    assert!(out.contains("odd  not tested  0 instances"), "{out}");
    assert!(out.contains("does not fulfil the condition `separable f f f`"), "{out}");
    assert!(!out.contains("holds"), "{out}");
}

/// Where one of two functions is open that must be each other's inverse, no size is to blame.
#[test]
fn what_is_drawn_for_an_open_function_beside_a_written_one_is_told() {
    let open = "rule own = reorder (2*n) (/\\i. 2*(i % n) + i div n) g (xs : (2*n).t) ~> join (transpose (split n xs))";
    let (code, out, err) = shine(open, &["check", "own.rules"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(
        out.contains("own  not tested") && out.contains("`g` would have to be the inverse"),
        "{out}{err}"
    );
    assert!(!out.contains("the drawn sizes do not fit"), "{out}");
}

/// Positions that are converted are not all numbers of the type, where there are more than can be tried.
#[test]
fn sizes_that_nobody_can_try_are_told() {
    let floats = "rule own = (generate (\\i. cast (indexAsNat i)) : n.i32) ~> generate (\\i. cast (cast (indexAsNat i) : f32))";
    let (_, out, _) = shine(floats, &["check", "own.rules"]);
    assert!(out.contains("none with a size near 16777216"), "{out}");
    // Not of numbers that no size of the rule may be near to.
    let bounded = |condition: &str| {
        let text = format!("rule own = (xs : n.i32) ~> map (\\x. x + cast n - cast n) xs where {condition}");
        shine(&text, &["check", "own.rules", "--instances", "3"]).1
    };
    for (condition, told) in [("n < 40000", false), ("n < 2000, 3 < n", false), ("3 < n", true)] {
        let out = bounded(condition);
        assert_eq!(out.contains("none with a size near 2147483648"), told, "{condition}: {out}");
        assert!(out.contains("holds"), "{condition}: {out}");
    }
    let one = "rule own = map f (xs : n.i32) ~> map f (reverse xs)";
    let (_, out, _) = shine(one, &["check", "own.rules", "--instances", "1"]);
    assert!(!out.contains("1 instances") && !out.contains("1 inputs"), "{out}");
}

#[test]
fn own_rules_are_checked_by_file_by_name_and_by_seed() {
    let own = "--| Twice is once more.\nrule own = map f (map g xs) ~> map (\\y. f (g y)) xs\nrule id2 = id (id x) ~> id x";
    let (code, out, err) = shine(own, &["check", "own.rules", "--seed", "7", "--instances", "30"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("own  proved      for all sizes; 30 instances, 150 inputs"), "{out}");
    assert!(out.contains("2 rules are proved (seed 7)."), "{out}");
    let (code, out, _) = shine(own, &["check", "own.rules", "id2", "--instances", "5"]);
    assert_eq!((code, out.lines().count()), (0, 2), "{out}");
    let (code, _, err) = shine(own, &["check", "own.rules", "--rule", "mapFusion"]);
    assert!(code == 2 && err.contains("[E0209]"), "{err}");
    for (what, said) in [
        ("own.rule", "There is no file `own.rule`, and files of rules end in `.rules`."),
        (".", "`.` is a folder, and no file of rules."),
    ] {
        let (code, _, err) = shine(own, &["check", what]);
        assert!(code == 2 && err.contains("[E0901]") && err.contains(said), "{err}");
    }
    let (code, _, err) = shine("rule a = b", &["check", "own.rules"]);
    assert!(code == 2 && err.contains("error"), "{err}");
    let (code, out, _) = shine(own, &["check", "removeTransposePair", "--instances", "5"]);
    assert!(code == 0 && out.contains("1 rule is proved"), "{out}");
}

#[test]
fn lint_tells_mistakes_from_what_is_worth_knowing() {
    let own = "rule again = map f (map g xs) ~> map (\\y. f (g y)) xs
--| Undone by transposePairAfter.
rule fine = transpose (transpose (transpose xs)) ~> transpose xs
example {n m: nat} (a: n.m.f32) = transpose (transpose (transpose a)) ~> transpose a
--| Has a wrong example.
rule off = idx i (map f xs) ~> f (idx i xs)
example (a: 4.f32) (i: idx[4]) = idx i (map sqrt a) ~> abs (idx i a)";
    let (code, out, err) = shine(own, &["lint", "own.rules"]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("error: `again` does the same as `mapFusion`."), "{out}");
    assert!(out.contains("warning: `again` has no example"), "{out}");
    assert!(out.contains("error: An example of `off` is not what it does"), "{out}");
    assert!(out.contains("3 rules: 2 errors"), "{out}");
    let (code, out, _) = shine(own, &["lint", "own.rules", "--rule", "fine", "--json"]);
    let findings: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0, "{findings}");
    assert!(findings.as_array().unwrap().iter().all(|f| f["level"] == "warning"), "{findings}");
}

#[test]
fn declared_properties_are_tested_before_they_are_believed() {
    let dir = tempfile::tempdir().unwrap();
    let run = |program: &str| {
        std::fs::write(dir.path().join("p.rise"), program).unwrap();
        let apply = ["apply", "p.rise", "--rule", "blockedReduce(4)", "--at", "0"];
        let ran = cli_common::run(dir.path(), &apply);
        (ran.code, ran.out + &ran.err)
    };
    let circle = "def op (a: i32) (b: i32): i32 = a + b + a * b\n";
    let program = "def sum (a: (4*n).i32): i32 = reduce op 0 a\n";
    let (code, text) = run(&format!("{circle}declare assoc op\ndeclare neutral op 0\n{program}"));
    assert!(code == 0 && text.contains("split 4 a |> reduceSeq"), "{text}");
    let (code, text) = run(&format!("{circle}declare assoc op\n{program}"));
    assert!(code == 1 && text.contains("neutral op init"), "{text}");
    let (code, text) = run(&format!("{circle}declare assoc op\ndeclare neutral op 1\n{program}"));
    assert!(code == 2 && text.contains("[E0218]") && text.contains("not a ="), "{text}");
    let mean = "def op (a: i32) (b: i32): i32 = (a + b) / 2\n";
    let (code, text) = run(&format!("{mean}declare assoc op\n{program}"));
    assert!(code == 2 && text.contains("f (f a b) c ="), "{text}");
    // The mark of what is finite is no way around a whole number that is divided by zero, and is not offered for it.
    let divides = "def op (a: i32) (b: i32): i32 = a + b + 0 / (b - 7)\n";
    let (code, text) = run(&format!("{divides}declare assoc op\n{program}"));
    assert!(code == 2 && text.contains("[E0218]") && !text.contains("[finite]"), "{text}");
    let (code, text) = run(&format!("{divides}declare assoc [finite] op\n{program}"));
    assert!(code == 2 && text.contains("[E0213]"), "{text}");
    // What nobody runs is not tested, and what would take minutes is tested for a moment.
    let foreign = "foreign def op (a: i32) (b: i32): i32 = \"return a - b;\"\n";
    let (code, text) = run(&format!("{foreign}declare assoc op\n{program}"));
    assert!(code == 2 && text.contains("[E0218]") && text.contains("is not run here"), "{text}");
    let part = "def op (a: i32) (b: i32): i32 = select (a > 5) (far a b) (a + b)\n";
    let (code, text) = run(&format!("{}{part}declare assoc op\n{program}", foreign.replace("op", "far")));
    assert!(code == 2 && text.contains("is not run here"), "{text}");
    let product = "def op (a: 16.16.i32) (b: 16.16.i32): 16.16.i32 =
  a |> map (\\r. transpose b |> map (\\c. zip r c |> map (\\(x, y). x * y) |> reduce (+) 0))
declare assoc op
def f (a: (4*n).16.16.i32): 16.16.i32 = reduce op (generate (\\i. generate (\\j. 0))) a
";
    let (code, text) = run(product);
    assert!(code == 1 && text.contains("neutral op init"), "{text}");
    // In that moment not all is tried that floats need: products of infinities are not associative.
    let (code, text) = run(&product.replace("i32", "f32"));
    assert!(
        code == 2 && text.contains("too large to be tested") && text.contains("assoc [finite]"),
        "{text}"
    );
    // What holds but for NaN is marked wherever it is relied on, and rules that rely on nothing of it are not.
    let larger = "def op (a: f32) (b: f32): f32 = select (a < b) b a\ndef most (xs: (4*n).f32): f32 = reduce op 0 xs\n";
    std::fs::write(dir.path().join("p.rise"), format!("{larger}declare assoc [finite] op\n")).unwrap();
    let steps = ["apply", "p.rise", "--strategy", "topDown(reduceInPartsFromFirst(2))", "--steps"];
    let told = cli_common::run(dir.path(), &steps).out;
    assert!(told.contains("-- reduceInPartsFromFirst(2) [reassociates, finite] at 0\n"), "{told}");
    let listed = cli_common::run(dir.path(), &["rules", "--program", "p.rise"]).out;
    assert!(listed.contains("blockedReduce(p)  ") && listed.contains("[reassociates, finite] "), "{listed}");
    // Rules of products with zero say so themselves, and `padScan` asks for it, whose operator must have a value everywhere.
    let others = ["productOfChoice", "padScan"];
    let mut marked =
        listed.lines().filter(|l| l.contains("finite") && !others.iter().any(|rule| l.contains(rule)));
    assert!(marked.all(|l| l.contains("reassociates")), "{listed}");
    // In a file of rules the operator is written out.
    let (rules, problems) = load("declare assoc (\\(a: i32) (b: i32). max (abs a) (abs b))");
    assert!(problems.is_empty() && rules.is_empty(), "{problems:?}");
    let (_, problems) = load("declare commutative (\\(a: i32) (b: i32). a - b)");
    assert!(problems[0].contains("[E0218]"), "{problems:?}");
}

/// Declarations, and whether they are so.
const DECLARED: &[(&str, bool)] = &[
    // Several parts of its operands have to be infinite or NaN.
    ("assoc (\\(a: (f32 * f32)) (b: (f32 * f32)). (fst a + fst b, max (snd a + fst b) (snd b)))", false),
    // Two numbers in its text have to stand in the places of two operands.
    ("assoc (\\(a: i32) (b: i32). select (a == 123457) a (select (b == 98765) b a))", false),
    ("assoc (\\(a: i32) (b: i32). select (a == 123457) a (select (b == 123457) b a))", true),
    ("assoc (\\(a: i32) (b: i32). a + b + a * b)", true),
    ("assoc (\\(a: f32) (b: f32). a + b - 1)", true),
    ("neutral (\\(a: f32) (b: f32). a + b - 1) 1", true),
    ("assoc (\\(a: f32) (b: f32). 2 * a * b)", true),
    ("assoc (\\(a: f64) (b: f64). max (abs a) (abs b))", true),
    ("assoc (\\(a: u8) (b: u8). min (max a b) 200)", true),
    ("assoc (\\(a: f32) (b: f32). a)", true),
    ("commutative (\\(a: f32) (b: f32). abs (a - b))", true),
    ("assoc (\\(a: (f32 * i32)) (b: (f32 * i32)). (fst a + fst b, snd a + snd b))", true),
    ("neutral (\\(a: (f32 * i32)) (b: (f32 * i32)). (fst a + fst b, snd a + snd b)) (0.0, 0)", true),
    ("idempotent (\\(a: i32) (b: i32). select (a % 2 == 0) a b)", true),
    // But for NaN and infinities, or not even so.
    ("assoc (\\(a: f32) (b: f32). select (a < b) b a)", false),
    ("assoc [finite] (\\(a: f32) (b: f32). select (a < b) b a)", true),
    ("commutative [finite] (\\(a: f64) (b: f64). select (a < b) b a)", true),
    ("neutral (\\(a: f32) (b: f32). a + b + (a - a)) 0", false),
    ("neutral [finite] (\\(a: f32) (b: f32). a + b + (a - a)) 0", true),
    ("assoc [finite] (\\(a: f32) (b: f32). select (a < b) a (b + 1))", false),
    ("commutative [finite] (\\(a: f32) (b: f32). a - b)", false),
    ("idempotent [finite] (\\(a: f32) (b: f32). max a (a * b))", false),
    // What has no value because a whole number is divided by zero is neither NaN nor infinite.
    ("assoc [finite] (\\(a: f32) (b: f32). a + b + (cast (0 / ((cast b : i32) - 7)) : f32))", false),
    ("commutative [finite] (\\(a: f32) (b: f32). max a b + (cast (0 / ((cast a : i32) - 7)) : f32))", false),
    ("idempotent [finite] (\\(a: f32) (b: f32). max a b + (cast (0 / ((cast a : i32) - 7)) : f32))", false),
    ("neutral [finite] (\\(a: f32) (b: f32). a + b + (cast (0 / ((cast b : i32) - 7)) : f32)) 0", false),
    ("idempotent (\\(a: i32) (b: i32). select (a == 4321) 0 (min a b))", false),
    ("idempotent (\\(a: f32) (b: f32). abs (min a b))", false),
    ("assoc (\\(a: 3.f32) (b: 3.f32). map (\\p. fst p + snd p) (zip a b))", true),
    // Right for small numbers.
    ("assoc (\\(a: i32) (b: i32). min (a + b) 1000)", false),
    ("assoc (\\(a: i32) (b: i32). a + b + select (bitXor a 987654 == 123) 1 0)", false),
    ("assoc (\\(a: i32) (b: i32). min (a + b) 123456)", false),
    ("assoc (\\(a: f32) (b: f32). min (a + b) 1000)", false),
    ("assoc (\\(a: f32) (b: f32). max (a + b) (-5000.5))", false),
    ("assoc (\\(a: i32) (b: i32). select (a > 77) b (a + b))", false),
    ("commutative (\\(a: i32) (b: i32). select (a == 4321) a (a + b))", false),
    ("neutral (\\(a: i32) (b: i32). select (a == 4321) 0 (a + b)) 0", false),
    // Right for numbers that are not negative, finite, or far from overflow.
    ("neutral (\\(a: i32) (b: i32). a * b + select (5 / (a - 77) == a) 1 0) 1", false),
    ("assoc (\\(a: f32) (b: f32). log (exp a + exp b))", false),
    ("idempotent (\\(a: f32) (b: f32). sqrt (a * b))", false),
    ("assoc (\\(a: f32) (b: f32). select (sqrt a == 1.25 and b == 9) 7.0 (a + b))", false),
    ("assoc (\\(a: i32) (b: i32). a + b + 0 / (a - 98761))", false),
    ("assoc (\\(a: i32) (b: i32). abs (a + b))", false),
    ("neutral (\\(a: f32) (b: f32). max (abs a) (abs b)) 0", false),
    ("neutral (\\(a: i32) (b: i32). max a b) (-1000000)", false),
    ("neutral (\\(a: i32) (b: i32). max a b) (-2147483647)", false),
    ("neutral (\\(a: f32) (b: f32). max a b) (-3.4e38)", false),
    ("neutral [finite] (\\(a: f32) (b: f32). max a b) (-3.4e38)", false),
    // No finite number of its type is less.
    ("neutral [finite] (\\(a: f32) (b: f32). max a b) (-3.4028235e38)", true),
    ("neutral [finite] (\\(a: f16) (b: f16). min a b) 65504", true),
    ("assoc (\\(a: i8) (b: i8). (cast ((cast a : i32) + (cast b : i32)) : i8))", true),
    ("assoc (\\(a: i8) (b: i8). (cast (min ((cast a : i32) + (cast b : i32)) 127) : i8))", false),
    ("assoc (\\(a: f32) (b: f32). select (a == a) (a + b) 0)", false),
    ("assoc (\\(a: f32) (b: f32). a + b + a * b)", false),
    ("neutral (\\(a: f32) (b: f32). a + b + a * b) 0", false),
    ("commutative (\\(a: f32) (b: f32). select (a < b) a b)", false),
    ("assoc (\\(a: f32) (b: f32). a + b * 1.0001)", false),
    ("assoc (\\(a: f64) (b: f64). sqrt (a * a + b * b))", false),
    ("assoc (\\(a: u32) (b: u32). max a b - min a b)", false),
    ("assoc (\\(a: f32) (b: f32). floor (a + b))", false),
];

#[test]
fn declarations_are_tested_on_hostile_operands() {
    let mut wrong = vec![];
    for (text, so) in DECLARED {
        let (_, problems) = load(&format!("declare {text}"));
        let refused = problems.iter().any(|p| p.contains("[E0218]"));
        if refused == *so || (*so && !problems.is_empty()) {
            wrong.push(format!("{text}\n{}", problems.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn rules_are_tested_with_the_operators_that_are_declared() {
    // Right for every other operator on indices that is known to be associative: there is none.
    let rule = "rule own = (op : idx[3] -> idx[3] -> idx[3]) a b ~> op b a where assoc op";
    let first = "declare assoc (\\(a: idx[3]) (b: idx[3]). a)\n";
    let (code, out, _) = shine(rule, &["check", "own.rules"]);
    assert!(code == 1 && out.contains("own  not tested"), "{out}");
    let (code, out, _) = shine(&format!("{first}{rule}"), &["check", "own.rules"]);
    assert!(code == 1 && out.contains("own  WRONG"), "{out}");
}

#[test]
fn mistakes_in_rules_say_what_to_write() {
    for (text, said) in [
        ("rule r = mapp f xs ~> map f xs", "`mapp` is a variable here: did you mean the pattern `map`?"),
        ("rule r = map f xs = map f xs", "Rules are written `lhs ~> rhs`."),
        ("rule r = map f xs ~> map f xs where", "Expected a condition"),
        ("rule r = cast (cast (x : i64) : i32) : i64 ~> x", "parentheses: `(cast x : i32)`"),
        ("declare assoc (-)", "Say at which type it is so"),
        ("declare assoc [finit] (-)", "Did you mean `finite`?"),
        (
            "declare assoc [finite] (\\(a: i32) (b: i32). a + b + 0 / (b - 7))",
            "without floating-point numbers",
        ),
        ("declare idempotent [finite] (\\(a: u8) (b: u8). a % b + a)", "without floating-point numbers"),
        ("declare neutral 5 (\\(a: i32) (b: i32). a + b)", "The operator stands first"),
        ("declare neutral 5 (+)", "The operator stands first"),
        ("declare neutral 0 0", "The operator stands first"),
        ("declare neutral (\\(a: i32) (b: i32). a + b) (\\x. x)", "is a `i32`, and this is none"),
        ("declare assoc [unsignedZeros] (-)", "`unsignedZeros` is no mark of a declaration."),
        ("declare assoc (\\(a: f32) (b: f32). select (a < b) b a)", "`declare assoc [finite] …` says so"),
        ("rule r = (xs : n.f32) ~> take m xs", "or is a parameter: `rule r(m) = …`"),
        ("rule r = map (\\x. (c : f32)) (xs : n.f32) ~> map (\\x. c) (zip xs xs)", "add `where x notin c`."),
        ("rule r(k) = map (\\x. c) (xs : n.s) ~> generate (\\x. c) where k <= n", "add `, x notin c`."),
        (
            "rule r = generate (\\i. cast (indexAsNat i) : n.i32) ~> generate (\\i. 0)",
            "`(map (\\x. …) xs : n.i32)`",
        ),
        ("rule r = (xs : k.f32) ~> map (\\x. cast x : i32) xs", "parentheses: `\\x. (cast x : i32)`."),
        ("rule r = reduce f z xs ~> reduce f z xs where f is commutative", "`commutative f`"),
        ("rule r = reduce (\\(s, c) x. (s + x, c)) (0, 0) (xs : n.i32) ~> 0", "This is `n.i32`"),
    ] {
        let (_, problems) = load(text);
        assert!(problems.iter().any(|p| p.contains(said)), "{text}\n{}", problems.join("\n"));
    }
}

/// Runs the program in a folder with these files.
fn shine_in(files: &[(&str, &str)], args: &[&str], compiler: Option<&str>) -> (i32, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.args(args).current_dir(dir.path()).env("LC_ALL", "C").stdin(Stdio::null());
    command
        .env("SHINE_CONFIG_DIR", dir.path().join("config"))
        .env("SHINE_STATE_DIR", dir.path().join("state"));
    if let Some(compiler) = compiler {
        command.env("CC", compiler);
    }
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout) + &text(output.stderr))
}

#[test]
fn marks_are_shown_wherever_a_rule_is_listed_or_applied() {
    let program = ("p.rise", "def sum (a: (4*n).f32): f32 = reduce (+) 0 a\n");
    let said = |args: &[&str], wanted: &str| {
        let (code, text) = shine_in(&[program], args, None);
        assert!(code == 0 && text.contains(wanted), "{args:?}: {text}");
    };
    said(&["rules"], "[reassociates] A reduction of chunks of p elements");
    said(&["rules", "blockedReduce"], "rule blockedReduce(p) [reassociates] =");
    said(&["rules", "blockedReduce"], "[reassociates]  Floating-point results may be rounded differently");
    said(&["rules", "blockedReduce", "--json"], "\"reassociates\"");
    said(
        &["apply", "p.rise", "--rule", "blockedReduce(4)", "--at", "0", "--steps"],
        "-- blockedReduce(4) [reassociates] at 0",
    );
    said(&["apply", "p.rise", "--strategy", "topDown(blockedReduce(4))", "--json"], "\"reassociates\"");
}

#[test]
fn a_failed_check_says_what_may_be_to_blame() {
    let failing = |program: &str, rules: &str, strategy: &[&str]| {
        let args = [&["bench", "p.rise", "--size", "n=64"], strategy].concat();
        let (code, text) =
            shine_in(&[("p.rise", program), ("p.rules", rules)], &args, Some("cc -Dsqrtf=cosf -Dabs=labs"));
        assert!(code != 0 && text.contains("[E0820]"), "{text}");
        text
    };
    let roots = "def f (a: (4*n).f32): f32 = reduce (+) 0 (map sqrt a)\n";
    let text = failing(roots, "", &[]);
    assert!(text.contains("No rule was applied") && !text.contains("of your own"), "{text}");
    let text = failing(roots, "", &["--strategy", "topDown(blockedReduce(4))"]);
    assert!(text.contains("may change floating-point results: blockedReduce(4) [reassociates]"), "{text}");
    let own = "rule mine = map f xs ~> mapSeq f xs\n";
    let text = failing(roots, own, &["--strategy", "topDown(mine)"]);
    assert!(text.contains("This rule of your own is among those applied: `mine`"), "{text}");
    assert!(!text.contains("No rule"), "{text}");
    let text = failing(roots, own, &["--strategy", "topDown(useMapSeq)"]);
    assert!(text.contains("No rule that was applied may change a result"), "{text}");
}

/// A name that a strategy has calls the strategy, so a rule of that name would be lost.
#[test]
fn a_rule_is_not_called_like_a_strategy() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.rise"), "def f (a: n.f32): n.f32 = a |> map sqrt |> map sqrt\n")
        .unwrap();
    for (name, own) in [("repeat", ""), ("DFNF", ""), ("isMap", ""), ("mine", "strategy mine = id\n")] {
        std::fs::write(
            dir.path().join("p.rules"),
            format!("rule {name} = map f (map g xs) ~> map (\\x. f (g x)) xs\n"),
        )
        .unwrap();
        std::fs::write(dir.path().join("p.elevate"), own).unwrap();
        let ran = cli_common::run(dir.path(), &["apply", "p.rise", "-s", "id"]);
        let said = format!("[E0305]: `{name}` is the name of a rule and of a strategy");
        assert!(ran.err.contains(&said), "{name}: {}", ran.err);
        let place = if own.is_empty() { "p.rules:1:1" } else { "p.elevate:1:10" };
        assert!(ran.err.contains(place), "{}", ran.err);
    }
    // A rule of the library that a strategy of the user's would hide, and other names likewise.
    for (rules, elevate, place) in [
        ("", "strategy mapFusion = id\n", "p.elevate:1:10"),
        ("", "strategy tileReduce = id\n", "p.elevate:1:10"),
        ("", "alias mapFusion = fail\n", "p.elevate:1:7"),
        ("", "alias repeat = fail\n", "p.elevate:1:7"),
        ("alias DFNF = mapFusion\n", "", "p.rules:1:1"),
        ("alias all = mapFusion\n", "", "p.rules:1:1"),
        ("alias mine = mapFusion\n", "alias mine = mapFusion\n", "p.elevate:1:7"),
    ] {
        std::fs::write(dir.path().join("p.rules"), rules).unwrap();
        std::fs::write(dir.path().join("p.elevate"), elevate).unwrap();
        let ran = cli_common::run(dir.path(), &["apply", "p.rise", "-s", "id"]);
        assert!(ran.err.contains("[E0305]") && ran.err.contains(place), "{rules}{elevate}{}", ran.err);
    }
    // What is of one kind is replaced: the last definition is the one that is meant.
    for (rules, elevate, called) in [
        ("alias mapFusion = useMapSeq\n", "", "topDown(mapFusion)"),
        ("", "alias try = useMapSeq\n", "topDown(try)"),
        // The library's `attempt`s and `everywhere`s go on with its own.
        (
            "",
            "strategy try(s) = fail\nstrategy DFNF = fail\nalias topDown = useMapPar\n",
            "tryAll(useMapSeq)",
        ),
        ("", "alias topDown = useMapPar\n", "repeatN(1, normalize(useMapSeq))"),
        // Nor do patterns and address spaces mean anything else to it.
        (
            "",
            "strategy map = fail\nstrategy reduce = fail\nstrategy private = fail\n",
            "auto ; tryAll(mapParToMapSeq)",
        ),
    ] {
        std::fs::write(dir.path().join("p.rules"), rules).unwrap();
        std::fs::write(dir.path().join("p.elevate"), elevate).unwrap();
        let ran = cli_common::run(dir.path(), &["apply", "p.rise", "-s", called]);
        assert!(ran.out.contains("mapSeq"), "{rules}{elevate}{}{}", ran.out, ran.err);
    }
}

/// What takes the place of a part of the language is told; of other strategies of the library it is quite usual.
#[test]
fn a_strategy_that_takes_the_place_of_a_traversal_is_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.rise"), "def f (a: n.f32): n.f32 = a |> map sqrt\n").unwrap();
    for (elevate, told) in [
        ("strategy topDown(s) = id\n", Some("p.elevate:1:10")),
        ("alias normalize = try\n", Some("p.elevate:1:7")),
        ("strategy parallel = id\n", None),
        ("strategy mine(s) = topDown(s)\n", None),
    ] {
        std::fs::write(dir.path().join("p.elevate"), elevate).unwrap();
        let ran = cli_common::run(dir.path(), &["apply", "p.rise", "-s", "id"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        match told {
            Some(place) => {
                assert!(ran.err.contains("warning[E0305]") && ran.err.contains(place), "{}", ran.err)
            }
            None => assert!(!ran.err.contains("E0305"), "{}", ran.err),
        }
    }
}
