//! `iterate k (/\l. f)`, whose steps change the size: as a term of its own, that is printed, rewritten and unfolded.

use crate::cli_common::run as run_binary;
use crate::device_common;
use crate::lang_common::read;
use crate::modules;
use shine_tui::device::Mode;
use shine_tui::lang::build::check_patterns;
use shine_tui::lang::declared::unfolded;
use shine_tui::lang::eval::{self, Limits, Sizes};
use shine_tui::lang::infer;
use shine_tui::lang::path::Path;
use shine_tui::lang::pattern::Pattern;
use shine_tui::lang::print::{self, Options};
use shine_tui::lang::source::Sources;
use shine_tui::lang::term::{Expr, Term};
use shine_tui::lang::value::Value;
use shine_tui::lang::{loops, steps};
use shine_tui::rewrite::rule::check::{Thoroughness, Verdict, check};
use shine_tui::rewrite::rule::load::Source;
use shine_tui::rewrite::rule::{RuleArg, RuleSet, apply_at};

const SUM: &str = "def f (x: n.f32) = x |> iterate 3 (/\\l. split 2 >> map (reduce (+) 0))";
const NESTED: &str =
    "def halves (l: nat) (x: (2*l).f32) = zip (take l x) (drop l x) |> map (\\p. fst p + snd p)
def f (x: n.f32) = x |> iterate 2 (/\\l. split 4 >> map (iterate 2 (/\\l. halves l)) >> join)";

fn run(t: &Term, n: i64) -> Value {
    let sizes: Sizes = [("n".into(), n)].into_iter().collect();
    let input = Value::array((0..n).map(|i| Value::F32((i * i) as f32)).collect());
    eval::run(t, &sizes, &[input], &Limits::TEST).unwrap()
}

/// Positions of the pattern.
fn positions(t: &Term, pattern: Pattern) -> Vec<Path> {
    let mut out = vec![];
    let mut stack = vec![(t, Path::root())];
    while let Some((t, path)) = stack.pop() {
        if t.as_pattern() == Some(pattern) {
            out.push(path.clone());
        }
        stack.extend(t.children().into_iter().enumerate().map(|(i, c)| (c, path.child(i as u8))));
    }
    out
}

#[test]
fn the_steps_stay_one_term_that_is_read_back() {
    let outer = "def f {n l: nat} (x: (4*n*l).f32) (y: (2*l).f32) =
        x |> iterate 2 (/\\l1. \\a. zip (take l1 a) (drop l1 a) |> map (\\p. fst p + idx (natAsIndex (2*l) 0) y))";
    for text in [SUM, NESTED, outer] {
        let program = read(text).unwrap();
        program.term.check().unwrap();
        check_patterns(&program.term).unwrap();
        assert!(!positions(&program.term, Pattern::Iterate).is_empty());
        for unicode in [false, true] {
            let options = Options { unicode, ..Options::default() };
            let printed = print::program(&program.name, &program.sizes, &program.term, &options).text;
            let again = read(&printed).unwrap_or_else(|why| panic!("{printed}\n{why}"));
            assert_eq!(again.term, program.term, "{printed}");
            assert_eq!(again.sizes, program.sizes, "{printed}");
        }
    }
    // The name of the size says nothing, and a step that keeps the size needs none.
    let named = |l: &str| {
        read(&format!("def f (x: n.f32) = iterate 2 (/\\{l}. \\a. take {l} (a : (2*{l}).f32)) x")).unwrap()
    };
    assert_eq!(named("l").term, named("rest").term);
    let kept = |f: &str| read(&format!("def f (x: n.f32) = iterate 2 ({f} map sqrt) x")).unwrap();
    assert_eq!(kept("/\\l.").term, kept("").term);
}

#[test]
fn each_step_has_a_size_of_its_own() {
    let program = read(SUM).unwrap();
    let asked: Vec<String> = program.constraints.iter().map(ToString::to_string).collect();
    assert_eq!(asked, ["8 divides n"]);
    let by_hand = read(
        "def f (x: n.f32) = x |> split 2 |> map (reduce (+) 0) |> split 2 |> map (reduce (+) 0) |> split 2 |> map (reduce (+) 0)",
    );
    assert_eq!(unfolded(&program.term), by_hand.unwrap().term);
    let sums = [0, 1, 2].map(|k| (8 * k..8 * k + 8).map(|i| i * i).sum::<i64>());
    assert_eq!(run(&program.term, 24), Value::array(sums.iter().map(|s| Value::F32(*s as f32)).collect()));
    let nested = read(NESTED).unwrap();
    assert_eq!(
        run(&nested.term, 32),
        Value::array(vec![
            Value::F32((0..16).map(|i| i * i).sum::<i64>() as f32),
            Value::F32((16..32).map(|i| i * i).sum::<i64>() as f32),
        ])
    );
    let shown = loops::text(&loops::of(&program.term));
    assert_eq!(shown.lines().filter(|l| l.starts_with("for n/")).count(), 3, "{shown}");
}

#[test]
fn rules_apply_within_a_step() {
    let (rules, problems) = RuleSet::builtin(&mut Sources::new());
    assert!(problems.is_empty());
    let program = read(SUM).unwrap();
    let at = positions(&program.term, Pattern::Reduce).remove(0);
    let sequential = apply_at(&program.term, &at, rules.get("useReduceSeq").unwrap(), &[]).unwrap().term;
    assert_eq!(sequential, read(&SUM.replace("reduce ", "reduceSeq ")).unwrap().term);
    assert_eq!(run(&sequential, 16), run(&program.term, 16));
    // What the rule asks of the size of a step is asked of that of each.
    let map = positions(&program.term, Pattern::Map).remove(0);
    let map = Path::new(map.steps()[..map.len() - 2].iter().copied());
    let by = [RuleArg::Nat(4.into())];
    let split = apply_at(&program.term, &map, rules.get("splitJoin").unwrap(), &by).unwrap().term;
    let asked: Vec<String> = infer::constraints_of(&split).iter().map(ToString::to_string).collect();
    assert_eq!(asked, ["32 divides n"]);
    assert_eq!(run(&split, 32), run(&program.term, 32));
}

/// A rule that takes the length of a step for one that it is in no step leaves nothing that can be run.
#[test]
fn what_can_hold_in_no_step_is_refused() {
    let world = tempfile::tempdir().unwrap();
    let text = "def f (a: (4*n).f32): n.f32 = iterate 2 (/\\l. \\x. x |> split 2 |> map (reduce (+) 0)) a";
    std::fs::write(world.path().join("p.rise"), text).unwrap();
    for strategy in ["topDown(mapWholeFirst(2))", "topDown(splitJoinRest(2))"] {
        let ran = run_binary(world.path(), &["apply", "p.rise", "-s", strategy]);
        assert_ne!(ran.code, 0, "{strategy}: {}", ran.out);
        assert!(
            ran.err.contains("which never holds") || ran.err.contains("E0311"),
            "{strategy}: {}",
            ran.err
        );
    }
}

#[test]
fn rules_speak_of_steps() {
    let load = |text: &str| {
        let (mut rules, mut sources) = (RuleSet::default(), Sources::new());
        let problems = rules.load(&mut sources, &[Source { label: "own.rules", text }]);
        let said: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
        (rules, said.join("\n"))
    };
    let (rules, said) = load(
        "rule sequential = iterate 3 (/\\l. split 2 >> map (reduce op z)) xs
                         ~> iterate 3 (/\\l. split 2 >> map (reduceSeq op z)) xs
         rule wrong = iterate 2 (/\\l. split 2 >> map (reduce op z)) xs ~> iterate 2 (/\\l. split 2 >> map (\\y. z)) xs",
    );
    assert_eq!(said, "");
    let program = read(SUM).unwrap().term;
    let at = Path::new([0]);
    let done = apply_at(&program, &at, rules.get("sequential").unwrap(), &[]).unwrap().term;
    assert_eq!(done, read(&SUM.replace("reduce ", "reduceSeq ")).unwrap().term);
    assert!(apply_at(&program, &at, rules.get("wrong").unwrap(), &[]).is_err());
    let tested = |name: &str| check(rules.get(name).unwrap(), &Thoroughness::default());
    assert!(tested("sequential").verdict().is_good());
    let wrong = tested("wrong");
    assert!(matches!(wrong.verdict(), Verdict::Wrong));
    assert!(wrong.counterexample.unwrap().sizes.is_empty());
    let (_, said) = load("rule any = iterate 2 (/\\l. f) xs ~> iterate 2 (/\\l. f) xs");
    assert!(said.contains("`f` would have another size in each step"), "{said}");
}

#[test]
fn nothing_with_the_size_of_a_step_leaves_it() {
    let text = "def f (x: n.f32) = x |> iterate 2 (/\\l.
        \\a. zip (take l a) (generate (\\(i: idx[l]). 1.0)) |> map (\\p. fst p + snd p) |> map (\\v. v + idx (natAsIndex (2*l) 0) a))";
    let program = read(text).unwrap();
    let (rules, _) = RuleSet::builtin(&mut Sources::new());
    let mut generate = positions(&program.term, Pattern::Generate).remove(0).steps().to_vec();
    generate.pop();
    let share = rules.get("subexpressionElimination").unwrap();
    let position = |from: usize| [RuleArg::Position(Path::new(generate[from..].iter().copied()))];
    let why = apply_at(&program.term, &Path::root(), share, &position(0)).unwrap_err();
    assert!(why.to_string().contains("another size in each step"), "{why}");
    // Within the step it may be shared.
    let step = generate.len() - 3;
    let inside = Path::new(generate[..step].iter().copied());
    let shared = apply_at(&program.term, &inside, share, &position(step)).unwrap().term;
    assert!(matches!(shared.at(&inside).unwrap().expr(), Expr::App(f, _) if f.as_lam().is_some()));
    assert_eq!(run(&shared, 12), run(&program.term, 12));
    let around = steps::around(&program.term, &Path::new(generate.iter().copied()));
    assert_eq!(around.len(), 1);
}

#[test]
fn what_is_no_step_is_refused() {
    let of = |step: &str| {
        read(&format!("def f {{k: nat}} (x: n.f32) (y: m.f32) = x |> iterate {step}")).unwrap_err()
    };
    let halve = "split 2 >> map (reduce (+) 0)";
    for (step, said) in [
        (format!("k (/\\l. {halve})"), "counted by a number from 1 to 64"),
        (format!("0 (/\\l. {halve})"), "counted by a number from 1 to 64"),
        (format!("65 (/\\l. {halve})"), "counted by a number from 1 to 64"),
        (format!("2 (/\\l m. {halve})"), "knows one size"),
        (format!("2 (/\\l. /\\m. {halve})"), "as an argument that is one"),
        ("2 (/\\l. \\a. zip (take l a) y |> map fst)".to_owned(), "must do for every `l`"),
        ("2 (/\\l. \\a. padEmpty l a)".to_owned(), "must do for every `l`"),
        ("2 (/\\l. split 2)".to_owned(), "is `(2*"),
        ("2 (/\\l. 3)".to_owned(), "This is data"),
        ("2 (/\\l. take l)".to_owned(), "not determined"),
    ] {
        let found = of(&step);
        assert!(found.contains(said) && !found.contains('%'), "{step}\n{found}");
    }
    let escapes = "def f (x: 8.f32) = let ys = generate (\\i. 1.0) in
        x |> iterate 2 (/\\l. \\a. zip (take l a) ys |> map (\\p. fst p + snd p + idx (natAsIndex (2*l) 0) a))";
    let escapes = read(escapes).unwrap_err();
    assert!(escapes.contains("have to change with each step"), "{escapes}");
    let odd = read("def f (x: 10.f32) = x |> iterate 2 (/\\l. split 2 >> map (reduce (+) 0))").unwrap_err();
    assert!(odd.contains("`4*n`") || odd.contains("`(4*n).t`"), "{odd}");
    let many = format!(
        "def f (x: n.f32) = x |> iterate 60 (/\\l. split (2*l) >> map (iterate 60 (/\\l. {halve})) >> join)"
    );
    assert!(read(&many).is_err());
}

/// Programs whose steps `auto(opencl)` shares out among the work-items of groups, and such steps by hand; with sizes.
const IN_KERNELS: &[(&str, &[&str])] = &[
    (
        "(v: n.f32): n.f32 = iterate 4 (\\y. let s = reduce (+) 0.0 (map abs y) in y |> map (\\q. q / s)) v",
        &["n=3700"],
    ),
    ("(v: n.n.f32): n.n.f32 = iterate 4 (\\x. x |> transpose |> map (map sqrt)) v", &["n=37"]),
    // Signs differ, so that rounding is magnified in some rows: that alone is no mistake.
    (
        "(v: n.n.f32): n.n.f32 =
           iterate 4 (\\x. x |> map (\\r. let s = reduce (+) 0.0 r in r |> map (\\q. q / s))) v",
        &["n=200"],
    ),
    (
        "(k: nat) (v: n.f32): n.f32 =
           iterate k (\\x. x |> padClamp 1 1 |> slide 3 1 |> map (\\w. reduce (+) 0.0 w / 3.0)) v",
        &["k=3", "n=3700"],
    ),
];
const BY_HAND: &[(&str, &[&str])] = &[
    (
        "(v: n.8.f32): n.8.f32 = iterate 4 (\\x. oclRun 8 1 1 64 1 1 (x |> mapWorkGroup (mapLocal sqrt))) v",
        &["n=37"],
    ),
    (
        "(x: m.n.8.f32): n.8.f32 = x |> reduceSeq global (\\acc r. oclRun 8 1 1 64 1 1 (zip acc r
           |> mapWorkGroup (\\(a, b). zip a b |> mapLocal (\\(p, q). p + q)))) (generate (\\i. generate (\\j. 0.0)))",
        &["m=5", "n=37"],
    ),
    // A cell of joined rows tells the work-item of both dimensions.
    (
        "(v: (8*n).f32): (8*n).f32 =
           iterate 4 (\\x. oclRun 8 8 1 8 8 1 (split 8 x |> mapGlobal 1 (mapGlobal 0 sqrt)) |> join) v",
        &["n=37"],
    ),
    (
        "(v: (8*n).f32): (8*n).f32 =
           iterate 4 (\\x. oclRun 8 1 1 8 1 1 (split 8 x |> mapWorkGroup (mapSeq sqrt)) |> join) v",
        &["n=37"],
    ),
];

#[test]
fn steps_run_as_kernels() {
    let dir = tempfile::tempdir().unwrap();
    let device = device_common::opencl();
    let by_auto = IN_KERNELS.iter().map(|program| (program, &["--strategy", "auto(opencl)"][..]));
    for ((program, sizes), strategy) in by_auto.chain(BY_HAND.iter().map(|program| (program, &[][..]))) {
        std::fs::write(dir.path().join("f.rise"), format!("def f {program}\n")).unwrap();
        let compile = ["compile", "f.rise", "--target", "opencl"];
        let ran = run_binary(dir.path(), &[&compile, strategy].concat());
        let is_shared_out = ran.out.contains("get_global_id") || ran.out.contains("get_local_id");
        assert!(ran.code == 0 && is_shared_out, "{program}: {}{}", ran.out, ran.err);
        let Some(device) = &device else { continue };
        let sizes: Vec<_> = sizes.iter().map(|size| size.split_once('=').unwrap()).collect();
        let sizes: Vec<_> = sizes.iter().map(|(x, n)| (*x, n.parse().unwrap())).collect();
        let text = format!("def f {program}");
        let ran = modules::ran(&text, &modules::sizes(&sizes), device, Mode::Once);
        assert!(ran.check.is_some(), "{program}");
        assert!(!ran.warnings.concat().contains("as it stands"), "{program}: {:?}", ran.warnings);
    }
}

/// What rounding explains hides no wrong rule, also where it is magnified.
#[test]
fn what_rounding_magnifies_is_not_taken_for_everything() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "def f (v: n.n.f32): n.n.f32 = v |> map (\\r. let s = reduce (+) 0.0 r in r |> map (\\q. q / s))\n";
    std::fs::write(dir.path().join("f.rise"), text).unwrap();
    std::fs::create_dir(dir.path().join("own")).unwrap();
    std::fs::write(dir.path().join("own/own.rules"), "rule more = (x : f32) / y ~> (x / y) * 1.001\n")
        .unwrap();
    let own = ["bench", "f.rise", "--size", "n=200", "--rules", "own", "--strategy", "topDown(more)"];
    let ran = run_binary(dir.path(), &own);
    assert!(ran.code != 0 && ran.err.contains("E0820"), "{}{}", ran.out, ran.err);
}

/// The host has no loop of which the steps change the size: `auto` leaves such to one work-item.
#[test]
fn steps_that_change_the_size_stay_in_one_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let text = "def g (a: (8*n).f32): n.f32 = a |> iterate 3 (/\\l. split 2 >> map (reduce (+) 0))";
    std::fs::write(folder.path().join("g.rise"), text).unwrap();
    let compile = ["compile", "g.rise", "--target", "opencl", "-s", "auto(opencl)"];
    let done = crate::cli_common::run(folder.path(), &compile);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.out.matches("\nkernel ").count(), 1, "{}", done.out);
}
