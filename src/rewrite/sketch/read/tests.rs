//! What is read, and what is refused.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::lang::diag::Sources;
use crate::lang::syntax::{parse_elevate, parse_sketch};

fn read_text(text: &str) -> Result<Sketch, Vec<Diagnostic>> {
    let file = Sources::new().add("s", text);
    let (tree, problems) = parse_sketch(file, text);
    assert!(problems.is_empty(), "{problems:?}");
    read(&tree, &Library::builtin(), &["m".into(), "n".into(), "k".into()])
}

fn messages(text: &str) -> Vec<String> {
    read_text(text).unwrap_err().into_iter().map(|d| format!("{}: {}", d.code, d.message)).collect()
}

#[test]
fn abbreviations_unfold_by_kind_and_number() {
    let shown = |text: &str| read_text(text).unwrap().bare().to_string();
    assert_eq!(shown("containsMap(m / 32, ?)"), "contains((map : ? -> (m/32).? -> ?) ?)");
    assert_eq!(shown("containsMap(32.f32, ?)"), "contains((map : ? -> 32.f32 -> ?) ?)");
    assert_eq!(shown("containsMap(n, ?, transpose ?)"), "contains((map : ? -> n.? -> ?) ? (transpose ?))");
    assert_eq!(shown("containsAddMul"), "contains(add ? contains(mul))");
    assert_eq!(shown("containsToMem(n.k.f32, ?)"), "contains(let ((toMem : ? -> n.k.f32) ?))");
    assert_eq!(shown("containsMap(?, f) or ?".replace("f", "?").as_str()), "containsMap(?, ?) or ?");
    assert_eq!(shown(r"\x y. x + ?"), r"\x0. \x1. add x0 ?");
    assert_eq!(shown("? |> split 32 |> join"), "join (split 32 ?)");
    assert_eq!(shown("(? : <?>f32)"), "(? : <?>f32)");
    assert_eq!(shown("mapGlobal ? ?"), "mapGlobal ? ?");
    assert_eq!(shown("toMem global ?"), "(toMem global) ?".replace(['(', ')'], ""));
}

#[test]
fn what_is_written_is_read_back() {
    for text in [
        "containsMap(m/32, containsMap(n/32, containsReduceSeq(k/4, containsAddMul)))",
        "contains((let (toMem ?)) and contains(mapPar))",
        "containsAlignedRows(m, n/8, 8, ?)",
        r"\x0. add x0 (mul ? 2.5f32)",
        r"contains(rotateValues 3 (\x0. x0) ?)",
        "rotateValues ? 3 ?",
        "rotateValues private ? 3 ? ?",
        "circularBuffer 4 3 ? ?",
        "reduceSeq ? ? ?",
    ] {
        let once = read_text(text).unwrap();
        assert_eq!(read_text(&once.to_string()).unwrap(), once, "{once}");
    }
}

#[test]
fn mistakes_have_their_own_messages() {
    assert_eq!(messages("containsMap(q, ?)"), ["E0403: The program has no size called `q`."]);
    assert_eq!(messages("containsMpa(n, ?)"), ["E0404: There is no pattern or sketch called `containsMpa`."]);
    assert_eq!(messages("containsMap(n)"), ["E0407: `containsMap` does not take these arguments."]);
    assert_eq!(messages("n"), ["E0403: `n` is a size or a type, not a sketch."]);
    assert_eq!(messages(r"\x. contains(x)"), ["E0402: `x` cannot be used within `contains`."]);
    assert_eq!(messages("(? : 3.t -> ?)"), ["E0403: There is no type called `t`."]);
    assert_eq!(messages("containsMap(32 * ?, ?)"), ["E0409: A hole must be a whole size, or have a name."]);
    assert_eq!(messages("containsMap(n/0, ?)"), ["E0409: This is not a size."]);
    assert_eq!(messages("map(n, ?)"), ["E0407: `map` is a pattern, not a sketch."]);
    let called = read_text("contains(split(32, ?))").unwrap_err();
    assert_eq!(called[0].hints, ["Apply it with spaces: `split 32 ?`."]);
    read_text("contains(split 32 ?)").unwrap();
    let within = read_text("contains(join(split(32, ?)))").unwrap_err();
    assert_eq!(within[0].hints, ["Apply it with spaces: `join (split 32 ?)`."]);
    read_text("contains(join (split 32 ?))").unwrap();
    assert_eq!(messages("foo and bar").len(), 2);
}

#[test]
fn words_that_would_mean_something_else_are_refused() {
    for (text, shown) in [
        ("not contains(map)", "not contains(map)"),
        ("contains(map) and not(contains(zip or 3))", "contains(map) and (not contains(zip or 3))"),
        (
            "contains(not contains(mapSeq : ? -> n.? -> ?))",
            "contains((not contains((mapSeq : ? -> n.? -> ?))))",
        ),
    ] {
        let sketch = read_text(text).unwrap();
        assert_eq!(sketch, read_text(shown).unwrap());
        assert_eq!(sketch, read_text(&sketch.to_string()).unwrap(), "{sketch}");
    }
    let negation = ["E0417: A sketch can leave out patterns and numbers only."];
    for text in ["not contains(map ? ?)", "not(map)", "not map", "not (map ? ?)"] {
        assert_eq!(messages(text), negation, "{text}");
    }
    assert_eq!(messages("contains(not containsMap(n, ?))"), negation);
    for text in
        ["not ?", "contains(not)", "not (? == ?)", "not (lt ? ?)", "not (contains(map) : bool)", r"\x. not x"]
    {
        assert!(read_text(text).is_ok(), "{text}");
    }
    assert!(read_text("contains(map) |> not").is_ok());

    assert_eq!(messages("map ?f (map ?f ?)"), ["E0418: The hole `?f` stands twice."]);
    assert_eq!(messages("contains(map ?n ?) and containsMap(?n, ?)"), ["E0418: The hole `?n` stands twice."]);
    assert_eq!(messages("containsMap(?n, ?) and not ?n == 32"), ["E0418: The hole `?n` stands twice."]);
    let same =
        |a: &str, b: &str| assert_eq!(read_text(a).unwrap().to_string(), read_text(b).unwrap().to_string());
    same("not (contains(map) or contains(zip))", "not contains(map) and not contains(zip)");
    same("not (contains(map) and not contains(zip))", "not contains(map) or contains(zip)");
    assert_eq!(
        messages("not (contains(map) or ?)"),
        ["E0417: A sketch can leave out patterns and numbers only."]
    );
    assert_eq!(messages("not contains(split ?n)"), ["E0417: A size that is left out cannot have a name."]);
    assert_eq!(read_text("containsMap(?n, ?)").unwrap().holes().len(), 0);
    assert_eq!(read_text("containsMap(m/?t, containsMap(?t, ?))").unwrap().holes().len(), 1);
    assert!(read_text("containsMap(?n, containsMap(?m, ?g))").is_ok());
    let conditional = read_text("containsMap(?n, ?) and ?n >= 8 and ?n % 4 == 0").unwrap();
    assert_eq!(conditional.holes().len(), 1);
    assert_eq!(conditional, read_text(&conditional.to_string()).unwrap(), "{conditional}");
    assert_eq!(
        messages("contains(map) and ?t >= 8"),
        ["E0409: `?t` is compared, and the sketch asks for no such size."]
    );
    assert_eq!(
        messages("containsAlignedRows(m, n/?q, ?q, ?)"),
        ["E0409: `?q` cancels out of the sizes that the sketch asks for."]
    );
    // What is divided is whole, also where nobody sees that it was.
    let divided =
        |text: &str| read_text(text).unwrap().whole().into_iter().map(ToString::to_string).collect();
    for (text, whole) in [
        ("containsAlignedRows(m, n/8, 8, ?)", vec!["n/8"]),
        ("containsMap(n/8 * 4, containsMap(m/2 * 2, ?))", vec!["m/2", "n/8"]),
        ("containsMap(n/8, ?)", vec![]),
        ("containsMap(n/8 * 8, ?) or containsMap(m, ?)", vec![]),
        ("containsMap(?t, ?) and ?t <= n/8 * 8", vec![]),
        ("containsMap(8 * n / 8, ?)", vec![]),
    ] {
        let mut found: Vec<String> = divided(text);
        found.sort();
        assert_eq!(found, whole, "{text}");
    }
    // Elsewhere it is a comparison of the program.
    assert!(read_text("not (?a == ?b)").is_ok() && read_text("contains(? >= 8) and contains(map)").is_ok());

    assert_eq!(messages("map ? ? ?"), ["E0407: `map` takes 2 arguments, and here are 3."]);
    assert_eq!(messages("split 32 ? ?"), ["E0407: `split` takes one argument, and here are 2."]);
    assert_eq!(
        messages("contains(map) contains(zip)"),
        ["E0407: A set of programs, `contains(…)`, is applied here."]
    );
    assert!(read_text("(contains(map) : ? -> ?) ?").is_ok());
    for text in ["contains map", "contains (map) ?", "contains", "contains(contains)"] {
        assert!(messages(text)[0].starts_with("E0407: "), "{text}: {:?}", messages(text));
    }
    for (text, hint) in [
        ("contain(map)", "`contains`"),
        ("conatins(map)", "`contains`"),
        ("Contains(map)", "`contains`"),
        ("contains mapSeq", "`contains(mapSeq)`"),
        ("contains map ?", "`contains(map ?)`"),
    ] {
        let problems = read_text(text).unwrap_err();
        assert!(problems[0].hints[0].contains(hint), "{text}: {problems:?}");
    }
}

#[test]
fn definitions_that_do_not_end_are_refused() {
    let text = "sketch a = contains(b)\nsketch b = a\nsketch c0 = ?\n".to_owned()
        + &(1..30).map(|i| format!("sketch c{i} = c{0} or c{0}\n", i - 1)).collect::<String>();
    let (file, problems) = parse_elevate(Sources::new().add("s", &text), &text);
    assert!(problems.is_empty());
    let mut library = Library::builtin();
    assert!(library.add(&file).is_empty());
    for (name, code) in [("a", "E0408"), ("c29", "E0410")] {
        let (tree, _) = parse_sketch(Sources::new().add("s", name), name);
        let problems = read(&tree, &library, &[]).unwrap_err();
        assert_eq!(problems[0].code, code);
    }
}

#[test]
fn explicit_arguments_follow_the_schemes() {
    assert_eq!(explicit_params(Pattern::Slide), [("nat", false), ("nat", false)]);
    assert_eq!(explicit_params(Pattern::ReduceSeq), [("addr", true)]);
    assert_eq!(
        explicit_params(Pattern::CircularBuffer),
        [("addr", true), ("nat", false), ("nat", false), ("nat", true)]
    );
    assert_eq!(explicit_params(Pattern::Fst), []);
}
