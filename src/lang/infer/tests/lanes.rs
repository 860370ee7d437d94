//! Truth values lane by lane: what is found of their types, in whatever order it becomes known, and what is said where
//! nothing fits.

use super::{bad, good};

fn shown(text: &str) -> String {
    good(text).ty.to_string()
}

/// Programs with the result of their types.
const RESULTS: &[(&str, &str)] = &[
    ("def f (a: n.<4>f32) = map (\\v. v < 0) a", "n.<4>bool"),
    ("def f (a: n.<4>f32) = map (\\v. 0 != v) a", "n.<4>bool"),
    ("def f (a: n.f32) = map (\\v. v < 0) a", "n.bool"),
    ("def f (a: n.<4>f32) = map (lt 0) a", "n.<4>bool"),
    ("def f (a: n.<4>bool) = map (\\v. v == not v) a", "n.<4>bool"),
    ("def f (a: n.<4>i32) = map (\\v. bitAnd v 3 == 0 or v < 2 and true) a", "n.<4>bool"),
    ("def f (a: n.<4>f32) = map (\\v. true and v > 0) a", "n.<4>bool"),
    ("def f (a: n.<4>f32) = map (\\v. select (v < 0) 0 v) a", "n.<4>f32"),
    ("def f (a: n.<4>f32) = map (\\v. select (v < 0) 1 2) a", "n.<4>i32"),
    ("def f (a: n.<4>f32) = map (\\v. select (v < 0) 1.5 2) a", "n.<4>f32"),
    ("def f (a: n.<4>f32) = map (\\v. select (v > 0) true (v < 3)) a", "n.<4>bool"),
    ("def f (c: bool) (a: n.<4>f32) = map (\\v. select c v 0) a", "n.<4>f32"),
    ("def f (c: bool) (a b: n.f32) = select c a b", "n.f32"),
    ("def f (c: bool) (a b: (f32 * i32)) = select c a b", "(f32 * i32)"),
    ("def f (a: n.<4>f32) = reduce (\\x y. select (x < y) x y) 0 a", "<4>f32"),
    ("def f (a: n.<4>bool) = reduce (and) true a", "<4>bool"),
    ("def f (a: n.bool) = reduce (or) false a", "bool"),
    ("def f (a: n.<4>bool): n.<4>i32 = map cast a", "n.<4>i32"),
    // What is compared becomes known only later.
    ("def f (a: n.<4>f32) = let g = (\\x. x < 0) in map g a", "n.<4>bool"),
    ("def f (a: n.<4>f32) = let g = (\\x. select (x < 0) 0 x) in map g a", "n.<4>f32"),
    ("def f (a: n.f32) = let g = (\\x. select (x < 0) 0 x) in map g a", "n.f32"),
    ("def f (a: n.<4>f32) = let g = (\\x y. (x < y) == (y < x)) in map (\\v. g v 1) a", "n.<4>bool"),
    ("def f (a: n.<4>f32) = map ((\\v. v < 0) >> (\\b. select b 1 2)) a", "n.<4>i32"),
    ("def f (a: n.<4>f32) = map (\\v. v < 0) a |> map not |> map (\\b. select b 1.5 2)", "n.<4>f32"),
    // As many lanes as are converted.
    ("def f (a: n.<4>f32) = map (\\v. cast v + vectorFromScalar 1i8) a", "n.<4>i8"),
    ("def f (a: n.<4>f32) = reduceSeq (\\k v. k + cast (v > 0)) (vectorFromScalar 0i32) a", "<4>i32"),
    ("def f (a: n.<4>i32) = map (\\v. v + cast (let w = 2.5 in w + cast v)) a", "n.<4>i32"),
    // From what is needed, backwards.
    ("def f : n.<4>f32 -> n.<4>bool = map (\\v. v < 0)", "n.<4>bool"),
    ("def f (a: n.i32): n.<4>bool = map (\\x. let k = 0.5 in k < 1) a", "n.<4>bool"),
    // Where nothing says otherwise, a single one.
    ("def f x = not x", "bool"),
    ("def f x y = x and y or x", "bool"),
    ("def f = select (0 < 1) 2 3", "i32"),
    ("def f c = select c 2 3", "i32"),
    ("def f = true", "bool"),
];

#[test]
fn truth_values_are_one_or_one_a_lane() {
    for (text, result) in RESULTS {
        let found = good(text).ty.signature().1.to_string();
        assert_eq!(found, *result, "{text}");
    }
}

#[test]
fn definitions_compare_scalars_and_vectors() {
    let uses = "def f (a: n.<4>f32) (b: n.f32) = (map (\\v. g v 0) a, map (\\x. g x 0) b)";
    for (g, of) in [
        ("def g x y = select (x < y) x y", "(n.<4>f32 * n.f32)"),
        ("def g x y = not (x < y) or x == y", "(n.<4>bool * n.bool)"),
        ("def g {t: data} (x y: t) = x >= y", "(n.<4>bool * n.bool)"),
        ("def h x y = x < y\ndef g x y = select (h x y) 1 2.5", "(n.<4>f32 * n.f32)"),
    ] {
        assert_eq!(shown(&format!("{g}\n{uses}")), format!("n.<4>f32 -> n.f32 -> {of}"), "{g}");
    }
}

#[test]
fn declared_patterns_have_one_type() {
    let declared = "pattern less : {t: data} t -> t -> bool = \\x y. x < y\n";
    assert_eq!(shown(&format!("{declared}def f (a: n.f32) = map (less 0) a")), "n.f32 -> n.bool");
    let found = bad(&format!("{declared}def f (a: n.<4>f32) = map (less 0) a"));
    assert!(
        found.contains("This is `<4>bool`, but `bool` is needed.") && found.contains("used here"),
        "{found}"
    );
    let lanes = "pattern less : {n: nat} <n>f32 -> <n>f32 -> <n>bool = \\x y. x < y\n";
    assert_eq!(shown(&format!("{lanes}def f (a: n.<4>f32) = map (less 0) a")), "n.<4>f32 -> n.<4>bool");
}

#[test]
fn literals_have_a_value_in_every_lane() {
    let term = |e: &str| good(&format!("def f (a: n.<4>f32) = map (\\v. {e}) a")).term;
    let spread = "(v < vectorFromScalar 0) and vectorFromScalar true";
    assert_eq!(term("v < 0 and true"), term(spread));
    assert_eq!(term("select (0 > v) 1 v"), term("select (vectorFromScalar 0 > v) (vectorFromScalar 1) v"));
}

/// Programs with what is said of them.
const WRONG: &[(&str, &[&str])] = &[
    (
        "def f (a: n.<4>f32) = map (\\v. select (v < 0) 1.0f32 2) a",
        &["E0117", "chooses lane by lane here, but finds a floating-point number", "`vectorFromScalar x`"],
    ),
    (
        "def f (c: n.<4>bool) (a: n.m.f32) = zip c a |> map (\\(c, r). select c r r)",
        &["E0117", "finds an array to choose: `m.f32`", "Choose by one truth value"],
    ),
    (
        "def f (a: n.<4>f32) (b: n.<8>f32) = zip a b |> map (\\(v, w). select (v < 0) w w)",
        &["E0111", "The sizes `4` and `8` are not equal", "one for each lane of vectors"],
    ),
    (
        "def f (a: n.<4>f32) (b: n.<8>f32) = zip a b |> map (\\(v, w). v < w)",
        &["E0111", "Both operands of `<` have one type"],
    ),
    ("def f (a: n.<4>f32) = map (\\v. select v v v) a", &["E0110", "`<4>f32`, but `<4>bool` is needed"]),
    ("def f (a: n.f32) = map (\\v. select v v v) a", &["E0110", "`f32`, but `bool` is needed"]),
    (
        "def f (a: n.<4>f32): n.bool = map (\\v. v < 0) a",
        &["E0110", "`<4>bool`, but `bool` is needed", "Vectors are compared lane by lane"],
    ),
    ("def f (a: n.f32): n.<4>bool = map (\\v. v < 0) a", &["E0110", "`bool`, but `<4>bool` is needed"]),
    (
        "def f (a: n.f32) = map (\\x. x and true) a",
        &["E0110", "`f32`, but `bool` is needed", "`and` needs a truth value"],
    ),
    ("def f (a: n.<4>f32) = map (\\v. not v) a", &["E0110", "`<4>f32`, but `<4>bool` is needed"]),
    (
        "def f (a: n.<4>bool) = map (\\v. v < v) a",
        &["E0117", "compares numbers, but found a vector of truth values"],
    ),
    (
        "def f (a: n.<4>bool) = map (\\v. v + 1) a",
        &["E0117", "needs numbers, but found a vector of truth values"],
    ),
    ("def f (a: n.<4>f32) = map (\\v. v % 2) a", &["E0117", "found a vector of floating-point numbers"]),
    ("def f (a: n.<4>bool) = map (\\v. bitAnd v v) a", &["E0117", "joined by `and`, `or`"]),
    ("def f (a: n.<4>f32) = map (\\v. v + true) a", &["E0110", "`<4>bool`"]),
    (
        "def g x = select (x < 0) 1 2\ndef f (a: n.(f32 * f32)) = map g a",
        &["E0117", "found a pair", "used here"],
    ),
    (
        "def g (x: <4>f32) y = select (x < 0) y y\ndef f (a: n.<4>f32) = map (\\v. g v (idx 0 a, 1)) a",
        &["E0110", "`<4>t` is needed", "the second argument of `g`"],
    ),
];

#[test]
fn what_has_no_lanes_is_told_apart() {
    for (text, told) in WRONG {
        let found = bad(text);
        assert_eq!(found.matches("error[").count(), 1, "{text}\n{found}");
        for part in *told {
            assert!(found.contains(part), "{text}\n{part}\n{found}");
        }
    }
}
