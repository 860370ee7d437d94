//! `reorder` and its functions of sizes: written, printed, compared, matched, and checked once the sizes are known.

use crate::lang_common::read;
use shine_tui::lang::eval::{self, Limits};
use shine_tui::lang::infer::Sizes;
use shine_tui::lang::path::Path;
use shine_tui::lang::print::{self, Options};
use shine_tui::lang::source::Sources;
use shine_tui::lang::term::Term;
use shine_tui::lang::value::Value;
use shine_tui::rewrite::rule::load::Source;
use shine_tui::rewrite::rule::{RuleSet, apply_at};

const STRIDE: &str = "def byStride {n: nat} {t: data} (s: nat) (xs: n.t): n.t =
  xs |> reorder n (/\\i. i / (n/s) + s * (i % (n/s))) (/\\i. i / s + (n/s) * (i % s))\n";

fn term(text: &str) -> Term {
    read(text).unwrap().term
}

fn body(of: &Term) -> &Term {
    of.as_lam().map_or(of, |(_, b)| body(b))
}

#[test]
fn what_is_printed_is_read_back() {
    let functions = [
        "(/\\i. n - 1 - i) (/\\i. n - 1 - i)",
        "(/\\k. (k + 1) % n) (/\\k. (k + n - 1) % n)",
        "(/\\n1. n1 div (n/s) + s * (n1 % (n/s))) (/\\x. x div s + n * (x % s) / s)",
        "(/\\i. i / s + (n/s) * (i % s)) (/\\i. (i - i % (n/s)) / (n/s) + s * (i % (n/s)))",
        "(/\\i. i + 1 / (i + 2)) (/\\i. i)",
        "(/\\i. (i*i + i)/2) (/\\i. i - (s/3) * i + 1/2 * i)",
        "(/\\s1. s - s1 * (s/(n + 1)) + (3*s1) div (n + s)) (/\\i. 0)",
    ];
    for fs in functions {
        let text = format!("def f (n s: nat) (a: n.f32) = a |> map sqrt |> reorder n {fs} |> map sqrt");
        let program = read(&text).unwrap();
        for options in [
            Options { unicode: false, ..Options::default() },
            Options { unicode: true, ..Options::default() },
        ] {
            let printed = print::program(&program.name, &program.sizes, &program.term, &options).text;
            let again = read(&printed).unwrap_or_else(|why| panic!("{printed}\n{why}"));
            assert_eq!(again.term, program.term, "{printed}");
        }
    }
}

#[test]
fn the_parameters_name_and_the_way_of_writing_do_not_matter() {
    let of = |f: &str| term(&format!("def f (n: nat) (a: n.f32) = reorder n (/\\i. n - 1 - i) ({f}) a"));
    assert_eq!(of("/\\i. n - 1 - i"), of("/\\j. -j + (n - 1)"));
    assert_eq!(of("/\\i. n - 1 - i").digest(), of("Λx. n - x - 1").digest());
    assert_ne!(of("/\\i. n - 1 - i"), of("/\\i. i"));
}

#[test]
fn sizes_are_put_into_functions() {
    let text = format!("{STRIDE}def f (a: 12.f32) = byStride 4 a");
    let plain = "def f (a: 12.f32) = reorder 12 (/\\i. i div 3 + 4*(i % 3)) (/\\i. i div 4 + 3*(i % 4)) a";
    let (program, by_hand) = (read(&text).unwrap(), term(plain));
    assert_eq!(program.term, by_hand);
    assert!(program.constraints.is_empty(), "{:?}", program.constraints);
    let input = Value::array((0..12).map(|i| Value::F32(i as f32)).collect());
    let found = eval::run(&program.term, &Sizes::new(), &[input], &Limits::TEST).unwrap();
    let expected = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11];
    assert_eq!(found, Value::array(expected.iter().map(|i| Value::F32(*i as f32)).collect()));
}

#[test]
fn what_no_range_proves_is_checked_with_the_sizes() {
    let problems = |text: &str, sizes: &[(&str, i64)]| -> Vec<String> {
        let program = read(text).unwrap();
        let sizes: Sizes = sizes.iter().map(|(n, v)| ((*n).into(), *v)).collect();
        let found = program.check_sizes(&sizes);
        found.iter().map(|d| format!("{} {}", d.code, d.notes.join(" "))).collect()
    };
    let stride = format!("{STRIDE}def f (n s: nat) (a: n.f32) = byStride s a");
    assert!(problems(&stride, &[("n", 12), ("s", 4)]).is_empty());
    assert_eq!(problems(&stride, &[("n", 12), ("s", 5)])[0][..5], *"E0150");
    let thrice = "def f (n: nat) (a: n.f32) = reorder n (/\\i. 3*i % n) (/\\i. 3*i % n) a";
    assert!(problems(thrice, &[("n", 8)]).is_empty());
    let found = problems(thrice, &[("n", 10)]);
    assert_eq!(found, ["E0153 From 1, the first leads to 3, and the second from there to 9. Here, n = 10."]);
    let outside = "def f (n s: nat) (a: n.f32) = reorder n (/\\i. (i + 1) % s) (/\\i. (i - 1) % n) a";
    assert_eq!(problems(outside, &[("n", 4), ("s", 9)]), ["E0153 It leads from 3 to 4. Here, n = 4, s = 9."]);
    assert!(problems(outside, &[("n", 4), ("s", 4)]).is_empty());
    let zero = "def f (n s: nat) (a: n.f32) = reorder n (/\\i. i % (s - 4)) (/\\i. i) a";
    assert_eq!(problems(zero, &[("n", 3), ("s", 4)])[0], "E0150 Here, s = 4.");
    let zero = "def f (n s: nat) (a: n.f32) = reorder n (/\\i. i % (s - i)) (/\\i. i) a";
    assert!(problems(zero, &[("n", 3), ("s", 1)])[0].contains("/\\i. i % (s - i) divides by zero"));
    let large = problems(thrice, &[("n", 1 << 30)]);
    assert!(large[0].starts_with("E0153 Of 1073741824 elements"), "{large:?}");
}

#[test]
fn rules_match_functions_and_capture_nothing() {
    let mut rules = RuleSet::default();
    let mut sources = Sources::new();
    let text = "rule undo = reorder n g f (reorder n f g xs) ~> xs
                rule reverse = reorder n (/\\i. n - 1 - i) g xs ~> reorder n g (/\\i. n - 1 - i) xs
                rule moved = reorder n (/\\i. s + i) g xs ~> reorder n (/\\i. i + s) g xs
                rule around = reorder n f g (map h xs) ~> map h (reorder n f g xs)";
    let problems = rules.load(&mut sources, &[Source { label: "own.rules", text }]);
    assert!(problems.is_empty(), "{}", problems[0].render(&sources));
    let applied = |rule: &str, text: &str| {
        let program = term(text);
        rules.get(rule).unwrap().apply(body(&program), &[]).ok().map(|done| done.term)
    };
    let pair = |f: &str, g: &str| {
        format!("def f (n: nat) (a: n.f32) = a |> reorder n ({f}) ({g}) |> reorder n ({g}) ({f})")
    };
    let (next, last) = ("/\\i. (i + 1) % n", "/\\i. (i - 1) % n");
    assert_eq!(
        applied("undo", &pair(next, last)).unwrap(),
        Term::var(0, body(&term(&pair(next, last))).ty().clone())
    );
    let twice = format!(
        "def f (n: nat) (a: n.f32) = a |> reorder n ({next}) ({last}) |> reorder n ({next}) ({last})"
    );
    assert!(applied("undo", &twice).is_none());
    let reverse =
        |i: &str| format!("def f (n: nat) (a: n.f32) = reorder n (/\\{i}. n - 1 - {i}) (/\\i. n - 1 - i) a");
    assert_eq!(applied("reverse", &reverse("j")).unwrap(), *body(&term(&reverse("i"))));
    assert!(applied("reverse", &twice).is_none());
    // `s + i` is no `2*i`: no size is the function's parameter.
    let doubled = "def f (n: nat) (a: n.f32) = reorder n (/\\i. 2*i) (/\\i. i div 2) a";
    assert!(applied("moved", doubled).is_none());
    let mapped = format!("def f (n: nat) (a: n.f32) = a |> map sqrt |> reorder n ({next}) ({last})");
    let expected = format!("def f (n: nat) (a: n.f32) = a |> reorder n ({next}) ({last}) |> map sqrt");
    assert_eq!(applied("around", &mapped).unwrap(), *body(&term(&expected)));
}

#[test]
fn the_library_takes_reorders_apart() {
    let mut sources = Sources::new();
    let (rules, problems) = RuleSet::builtin(&mut sources);
    assert!(problems.is_empty());
    let program = term(&format!(
        "{STRIDE}def f (n s: nat) (a: n.f32) =
           a |> byStride s |> map sqrt |> reorder n (/\\i. i / s + (n/s) * (i % s)) (/\\i. i / (n/s) + s * (i % (n/s)))"
    ));
    let at = |t: &Term, rule: &str, path: &str| {
        apply_at(t, &Path::parse(path).unwrap(), rules.get(rule).unwrap(), &[]).unwrap().term
    };
    let moved = at(&program, "reorderBeforeMap", "0");
    let gone = at(&moved, "removeReorderPair", "0.1");
    assert_eq!(gone, term("def f (n s: nat) (a: n.f32) = map sqrt a"));
}

#[test]
fn what_is_no_function_of_sizes_is_refused() {
    let of = |args: &str| read(&format!("def f (n: nat) (a: n.f32) = reorder {args}")).unwrap_err();
    let id = "(/\\i. i)";
    for (args, said) in [
        (format!("n {id}"), "needs the function of sizes `g`"),
        ("n".to_owned(), "needs the function of sizes `f`"),
        (String::new(), "needs the size `n`"),
        (format!("n (\\i. i) {id} a"), "function of values"),
        (format!("n (/\\i j. i) {id} a"), "takes one size"),
        (format!("n (/\\i. i % 0) {id} a"), "divides by zero"),
        (format!("n (/\\i. i * z) {id} a"), "no size `z`"),
        (format!("n (/\\i. a) {id} a"), "no size `a`"),
        (format!("n n {id} a"), "function of sizes is needed"),
        (format!("4 {id} {id} a"), "sizes `4` and `n` are not equal"),
        ("n (/\\i. i + 1) (/\\i. i - 1) a".to_owned(), "does not permute"),
        (format!("n {id} {id} {id} a"), "5 are given"),
    ] {
        let found = of(&args);
        assert!(found.contains(said), "{args}\n{found}");
    }
    assert!(read("def f (a: n.f32) = map (/\\i. i) a").unwrap_err().contains("as an argument that is one"));
    assert!(read("def f (a: n.f32) = split (/\\i. i) a").unwrap_err().contains("size is needed"));
    let constant = read("def f (a: 10.f32) = reorder 10 (/\\i. 3*i % 10) (/\\i. 3*i % 10) a").unwrap_err();
    assert!(constant.contains("From 1, the first leads to 3, and the second from there to 9."), "{constant}");
}
