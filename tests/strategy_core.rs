//! Strategies on programs: combinators, traversals, normal forms, failures, limits.

use shine_tui::lang::build::check_patterns;
use shine_tui::lang::diag::{FileId, Severity, Sources};
use shine_tui::lang::eval::Sizes;
use shine_tui::lang::infer::{Program, program};
use shine_tui::lang::nat::Nat;
use shine_tui::lang::path::{Path, PathMap};
use shine_tui::lang::print;
use shine_tui::lang::syntax::{parse_program, parse_strategy};
use shine_tui::lang::term::Term;
use shine_tui::rewrite::rule::load::Source;
use shine_tui::rewrite::rule::{Rewritten, RuleArg, RuleSet, apply_at};
use shine_tui::rewrite::strategy::{self, Cause, Control, Env, FUEL, NoSearch, Script, Stuck};
use std::sync::atomic::AtomicBool;

const DOT: &str = "def dot (a b: n.f32): f32 = zip a b |> map (\\x. fst x * snd x) |> reduce (+) 0";
const MATMUL: &str = "
def dot (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
def matmul (a: m.k.f32) (b: k.n.f32): m.n.f32 =
  a |> map (\\row. transpose b |> map (\\col. dot row col))";

fn read(text: &str) -> Program {
    let mut sources = Sources::new();
    let id = sources.add("test.rise", text);
    let (file, mut problems) = parse_program(id, text);
    let (program, more) = program(&file, None);
    problems.extend(more);
    let shown: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
    program.unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

struct Setting {
    rules: RuleSet,
    script: Script,
}

impl Setting {
    fn new(text: &str) -> Setting {
        let mut sources = Sources::new();
        let (rules, mut problems) = RuleSet::builtin(&mut sources);
        let (mut script, more) = Script::library(&mut sources);
        problems.extend(more);
        problems.extend(script.load(&mut sources, &[Source { label: "test.elevate", text }], false));
        let shown: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
        assert!(problems.iter().all(|p| p.severity < Severity::Warning), "{}", shown.join("\n"));
        Setting { rules, script }
    }

    fn run_with(&self, text: &str, p: &Program, fuel: u64) -> Result<Rewritten, Box<Stuck>> {
        let (tree, problems) = parse_strategy(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{problems:?}");
        let cancel = AtomicBool::new(false);
        let env = Env { rules: &self.rules, sizes: &p.sizes, known: None };
        let mut search = NoSearch;
        let mut control = Control { cancel: &cancel, fuel, search: &mut search };
        strategy::run(&tree, &p.term, &self.script, &env, &mut control)
    }

    fn run(&self, text: &str, p: &Program) -> Result<Rewritten, Box<Stuck>> {
        self.run_with(text, p, FUEL)
    }

    fn done(&self, text: &str, p: &Program) -> Rewritten {
        let done = self.run(text, p).unwrap_or_else(|stuck| panic!("{text}: {stuck}"));
        assert!(done.term.check().is_ok(), "{:?}", done.term.check());
        assert!(check_patterns(&done.term).is_ok());
        assert_eq!(done.term.ty(), p.term.ty());
        replay(&self.rules, &p.term, &done);
        done
    }
}

/// The steps lead to the same term one by one, and the maps of the steps make up the map of the whole.
fn replay(rules: &RuleSet, start: &Term, done: &Rewritten) {
    let mut term = start.clone();
    let mut paths = PathMap::identity();
    for step in &done.steps {
        let rule = rules.get(&step.rule).unwrap();
        assert_eq!(term.at(&step.at), Some(&step.before));
        let next =
            apply_at(&term, &step.at, rule, &step.args).unwrap_or_else(|why| panic!("{}: {why}", step.rule));
        assert_eq!(next.term.at(&step.at), Some(&step.after));
        term = next.term;
        paths = paths.then(&next.paths);
    }
    assert_eq!(term, done.term);
    for (path, _) in start.positions() {
        assert_eq!(paths.get(&path), done.paths.get(&path));
    }
}

fn show(t: &Term) -> String {
    let options = print::Options { width: 100, ..print::Options::default() };
    print::term(t, &options).text
}

#[test]
fn lower_dot_is_the_sequential_dot_product_of_the_thesis() {
    let dot = read(DOT);
    let setting = Setting::new("strategy lowerDot = topDown(reduceMapFusion)");
    let done = setting.done("lowerDot", &dot);
    assert_eq!(show(&done.term), "\\a b. zip a b |> reduceSeq (\\acc x. acc + fst x * snd x) 0.0");
    assert_eq!(done.steps.len(), 1);
    assert_eq!(done.steps[0].at, Path::parse("0.0").unwrap());
}

#[test]
fn the_baseline_fuses_the_inner_product_of_matmul() {
    let done = Setting::new("").done("DFNF ; topDown(reduceMapFusion)", &read(MATMUL));
    insta::assert_snapshot!(show(&done.term), @r"
    \a b.
      a |> map (\row.
        transpose b |> map (\col. zip row col |> reduceSeq (\acc x. acc + fst x * snd x) 0.0))
    ");
}

#[test]
fn every_combinator_does_what_its_definition_says() {
    let p = read("def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1) |> map (\\x. x * 2)");
    let s = Setting::new(
        "strategy twice(s) = s ; s
         strategy count([]) = fail
         strategy count(x :: xs) = repeatN(x, mapFusion @ topDown) ; try(count(xs))
         strategy pick(0, s, t) = s
         strategy pick(n, s, t) = t
         strategy local(s) = go(2) where go(0) = id, go(n) = topDown(s) ; go(n - 1)",
    );
    let maps = |text: &str| show(&s.done(text, &p).term).matches("map").count();
    assert_eq!(maps("id"), 3);
    assert_eq!(maps("topDown(mapFusion)"), 2);
    assert_eq!(maps("mapFusion @ topDown @ twice"), 1);
    assert_eq!(maps("normalize(mapFusion)"), 1);
    assert_eq!(maps("try(fail)"), 3);
    assert_eq!(maps("fail <+ topDown(mapFusion)"), 2);
    assert_eq!(maps("repeat(topDown(mapFusion))"), 1);
    assert_eq!(maps("not(fail) ; not(topDown(fstReduction))"), 3);
    assert_eq!(maps("ifThenElse(topDown(isMap), topDown(mapFusion), fail)"), 2);
    assert_eq!(maps("ifThenElse(fail, fail, topDown(mapFusion))"), 2);
    assert_eq!(maps("count([1])"), 2);
    assert_eq!(maps("count([1, 1])"), 1);
    assert_eq!(maps("pick(0, id, fail) ; pick(3, fail, id)"), 3);
    assert_eq!(maps("local(mapFusion)"), 1);
    assert_eq!(maps("body(mapFusion)"), 2);
    assert_eq!(maps("body(argument(mapFusion))"), 2);
    assert_eq!(maps("body(argument(argument(not(mapFusion))))"), 3);
    assert_eq!(maps("test(topDown(mapFusion))"), 3);
    assert_eq!(maps("let s = topDown(mapFusion) in s ; s"), 1);
    assert_eq!(maps("bottomUp(mapFusion)"), 2);
    // Of two places, the inner one.
    let inner = s.done("bottomUp(mapFusion)", &p);
    assert_eq!(inner.steps[0].at, Path::parse("0.1").unwrap());
    let second = s.done("skip(1, mapFusion)", &p);
    assert_eq!(second.steps[0].at, Path::parse("0.1").unwrap());
    let node = s.done("position(2, mapFusion)", &p);
    assert_eq!(node.steps[0].at, Path::parse("0.1").unwrap());
    assert!(s.run("position(3, mapFusion)", &p).is_err());
    assert!(s.run("skip(2, mapFusion)", &p).is_err());
}

#[test]
fn children_are_tried_in_the_order_asked_for() {
    // An application whose function and argument both have a redex.
    let p = read("def f (a: n.f32): n.f32 = map (\\x. (\\y. y + x) 1) ((\\z. z) a)");
    let s = Setting::new("");
    let at = |text: &str| s.done(text, &p).steps[0].at.to_string();
    assert_eq!(at("body(one(one(one(betaReduction)) <+ betaReduction))"), "0.1");
    assert_eq!(at("body(oneArgumentFirst(topDown(betaReduction)))"), "0.1");
    assert_eq!(at("body(oneFunctionFirst(topDown(betaReduction)))"), "0.0.1.0");
    assert_eq!(s.done("body(some(topDown(betaReduction)))", &p).steps.len(), 2);
    assert_eq!(s.done("body(all(topDown(betaReduction)))", &p).steps.len(), 2);
}

#[test]
fn failure_says_who_where_and_how_far() {
    let p = read("def f (a: n.f32): f32 = reduce (+) 0 (map (\\x. -x) (transpose (split 4 a) |> join))");
    let s = Setting::new("strategy wrong = topDown(useReduceSeq) ; topDown(reduceMapFusion)");
    let stuck = s.run("wrong", &p).unwrap_err();
    assert_eq!(stuck.strategies.iter().map(|n| &**n).collect::<Vec<_>>(), ["wrong", "topDown"]);
    assert_eq!(
        stuck.to_string(),
        "`reduceMapFusion` does not apply: expected reduce with 3 arguments, found reduceSeq with 3 arguments, at 0"
    );
    assert_eq!(stuck.so_far.steps.len(), 1);
    assert!(show(&stuck.so_far.term).contains("reduceSeq"));
    let stuck = s.run("topDown(splitJoin(4)) ; topDown(fuse)", &p).unwrap_err();
    assert!(matches!(&stuck.cause, Cause::Invalid(d) if d.code == "E0301"), "{stuck}");
    let stuck = s.run("body(useMapSeq)", &p).unwrap_err();
    assert_eq!(
        stuck.to_string(),
        "`useMapSeq` does not apply: expected map with 2 arguments, found reduce with 3 arguments, at 0"
    );
}

#[test]
fn sizes_that_do_not_divide_are_refused_and_others_assumed() {
    let s = Setting::new("");
    let stuck =
        s.run("topDown(splitJoin(32))", &read("def f (a: 100.f32): 100.f32 = map (\\x. -x) a")).unwrap_err();
    assert!(stuck.to_string().contains("32 does not divide 100"), "{stuck}");
    // Whatever the sizes are; and where the elements are of another kind, no size is to blame.
    let line = "def f (a: n.f32): n.f32 = map (\\x. -x) a";
    let rows = "def f (a: 6.10.f32): 6.10.f32 = a |> map (\\y. map (\\x. -x) y)";
    let whole = "def f (a: 10.f32): 10.f32 = map (\\x. -x) a";
    for (program, strategy, told) in [
        (line, "topDown(splitJoin(n + 1))", "`splitJoin(n + 1)` does not apply: n + 1 does not divide n"),
        (line, "topDown(splitJoin(2 * n))", "`splitJoin(2*n)` does not apply: 2*n does not divide n"),
        (rows, "topDown(vectorizeAfter(4))", "`vectorizeAfter(4)` does not apply: 4 does not divide 10"),
        (rows, "body(vectorizeAfter(4))", "scalar t, where t is 10.f32"),
        (
            whole,
            "vectorizeAfter(4)",
            "expected an array of the form (4*n).t, found a function of the type 10.f32",
        ),
        (whole, "storeTo(private)", "expected data of the type t, found a function of the type 10.f32"),
        (whole, "body(chooseByWork(0))", "its argument p is 0, and sizes count from 1"),
        (line, "topDown(vectorizeMap(0))", "`vectorizeMap` takes no arguments"),
        (line, "topDown(splitJoin(4, 5))", "`splitJoin` takes one argument and is given more"),
        // A size that is too large to be written.
        ("def f (a: 12.10.f32) = id a", "topDown(rowsAsVectors(9223372036854775807))", "too large"),
    ] {
        let stuck = s.run(strategy, &read(program)).unwrap_err();
        assert!(stuck.to_string().contains(told), "{strategy}: {stuck}");
    }
    let p = read("def f (a: n.f32): n.f32 = map (\\x. -x) a");
    let done = s.done("topDown(splitJoin(32))", &p);
    assert_eq!(done.assumed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["32 divides n"]);
    // A size of the program as argument.
    assert_eq!(
        show(&s.done("topDown(splitJoin(n))", &p).term),
        "\\a. split n a |> map (map (\\x. -x)) |> join"
    );
}

/// Of what was tried alike the user's call is told, where it came deepest, rather than what the library asked on its way there.
#[test]
fn what_the_user_asked_for_is_told_rather_than_the_way_there() {
    let p = read(DOT);
    let s = Setting::new("");
    for (text, told, at) in [
        ("inLambda(splitJoin(4))", "`splitJoin(4)` does not apply: expected map", "0.0"),
        ("inLambda(mapFusion)", "`mapFusion` does not apply: expected map", "0.0"),
        ("inLambda(fail)", "`fail` fails", "0.0"),
        ("inLambda(isMap)", "`isMap` does not apply", "0.0"),
        ("inLambda(isFullyAppliedMap)", "`isMap` does not apply", "0.0.0.0"),
        ("inLambda(interchange(3))", "the last loop of this nest is number 1", "0.0"),
        ("inLambda(inLambda(useMapPar))", "`useMapPar` does not apply", "0.0"),
        // Seen before under another call.
        ("try(topDown(useMapPar ; fail)) ; inLambda(useMapPar)", "`useMapPar` does not apply", "0.0"),
    ] {
        let stuck = s.run(text, &p).unwrap_err();
        assert!(stuck.to_string().contains(told), "{text}: {stuck}");
        assert_eq!(stuck.at.to_string(), at, "{text}: {stuck}");
        assert!(!stuck.to_string().contains("isLambda"), "{text}: {stuck}");
        assert!(stuck.calls.first().is_some_and(|call| call.start > 0), "{text}: told where it is called");
    }
}

/// A sequence is no nesting: its steps are taken one after the other, however many there are.
#[test]
fn sequences_may_be_long() {
    let p = read(DOT);
    let s = Setting::new("strategy there = topDown(reduceMapFusion)");
    for between in [" ; ", " ;; "] {
        let text = vec!["id"; 20_000].join(between) + " ; there";
        assert_eq!(s.run(&text, &p).unwrap().steps.len(), 1);
        // What fails at the end of it is told as in a short one.
        let stuck = s.run(&format!("{text} ; topDown(mapFusion)"), &p).unwrap_err();
        assert_eq!(stuck.so_far.steps.len(), 1, "{stuck}");
    }
}

#[test]
fn what_does_not_end_is_stopped() {
    let p = read(DOT);
    let s = Setting::new(
        "strategy loop = loop
         strategy grow(n) = grow(n + 1)
         strategy deep = deep ; id
         strategy longer(ns) = longer(1 :: ns)
         strategy around(s) = s ; around(s)",
    );
    let cause = |text: &str, fuel: u64| s.run_with(text, &p, fuel).unwrap_err();
    assert!(matches!(cause("loop", 10_000).cause, Cause::OutOfFuel));
    assert!(matches!(cause("grow(0)", 10_000).cause, Cause::OutOfFuel));
    assert!(matches!(cause("deep", FUEL).cause, Cause::TooDeep));
    assert!(matches!(cause("repeat(id)", FUEL).cause, Cause::NoProgress { .. }));
    // What comes back to where it was, at once or after some rounds that do not.
    let mut s = s;
    let text = "rule turn = (x : f32) * y ~> y * x";
    let problems = s.rules.load(&mut Sources::new(), &[Source { label: "own.rules", text }]);
    assert!(problems.iter().all(|p| p.severity < Severity::Warning), "{problems:?}");
    let cause = |text: &str, fuel: u64| s.run_with(text, &p, fuel).unwrap_err();
    for (text, most) in [
        ("repeat(topDown(turn))", 4),
        ("normalize(turn)", 4),
        ("repeat(id ; topDown(turn))", 4),
        ("repeat(topDown(reduceMapFusion) <+ topDown(turn))", 8),
    ] {
        let stuck = cause(text, FUEL);
        assert!(
            matches!(&stuck.cause, Cause::Repeats { rounds, again: true, .. } if *rounds <= most),
            "{text}: {stuck}"
        );
        assert!(stuck.to_string().contains("turn") || text.contains([';', '<']), "{stuck}");
    }
    let stuck = cause("topDown(reduceMapFusion) ; loop", 10_000);
    assert_eq!(stuck.so_far.steps.len(), 1);
    assert_eq!(stuck.strategies.last().map(|n| &**n), Some("loop"));
    // What grows for ever is stopped where terms are nested too deeply, also in a repetition, which ends with a failure.
    for text in ["body(body(around(idAfter)))", "body(body(repeat(idAfter)))", "normalize(mapArray)"] {
        let stuck = cause(text, FUEL);
        assert!(matches!(&stuck.cause, Cause::TooLarge { .. }), "{text}: {stuck}");
        assert!(stuck.to_string().contains("nest it too deeply"), "{stuck}");
        let told = stuck.to_string().contains(" of the repetition of ");
        assert_eq!(told, !text.contains("around"), "{stuck}");
    }
    // So are sizes: the number that divides `n` here ends somewhere.
    let stuck = cause("repeat(topDown(splitJoin(2)))", FUEL);
    assert!(matches!(&stuck.cause, Cause::TooLarge { repeated: Some(_), .. }), "{stuck}");
    assert!(stuck.to_string().contains("a size in it too large"), "{stuck}");
    let stuck = cause("longer([])", FUEL);
    let Cause::Invalid(problem) = &stuck.cause else { panic!("{stuck}") };
    assert_eq!(problem.message, "A list has at most 1000 elements.");
    let cancel = AtomicBool::new(true);
    let (tree, _) = parse_strategy(FileId::NOWHERE, "loop");
    let env = Env { rules: &s.rules, sizes: &p.sizes, known: None };
    let mut search = NoSearch;
    let mut control = Control { cancel: &cancel, fuel: FUEL, search: &mut search };
    let stuck = strategy::run(&tree, &p.term, &s.script, &env, &mut control).unwrap_err();
    assert!(matches!(stuck.cause, Cause::Cancelled));
}

/// What an array has more elements than follows from its type, or from sizes that were given.
#[test]
fn lengths_are_known_by_types_and_by_given_sizes() {
    let s = Setting::new("");
    let p = read("def f (a: (m + 3).f32) (b: n.f32) = makePair (map abs a) (map abs b)");
    let holds = |text: &str, known: Option<&Sizes>| {
        let (tree, problems) = parse_strategy(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{problems:?}");
        let (cancel, env) = (AtomicBool::new(false), Env { rules: &s.rules, sizes: &p.sizes, known });
        let mut control = Control { cancel: &cancel, fuel: FUEL, search: &mut NoSearch };
        strategy::run(&tree, &p.term, &s.script, &env, &mut control).is_ok()
    };
    let first = |n: i64| format!("body(body(function(argument(argument(hasMoreThan({n}))))))");
    let second = |n: i64| format!("body(body(argument(argument(hasMoreThan({n})))))");
    assert!(holds(&first(3), None) && !holds(&first(4), None));
    assert!(holds(&second(0), None) && !holds(&second(1), None));
    let sizes = Sizes::from_iter([("n".into(), 2048)]);
    assert!(holds(&second(2047), Some(&sizes)) && !holds(&second(2048), Some(&sizes)));
    assert!(!holds(&first(4), Some(&sizes)));
    let whole = |n: i64| format!("body(body(argument(argument(hasWholeParts({n})))))");
    assert!(holds(&whole(1), None) && !holds(&whole(2), None));
    assert!(holds(&whole(16), Some(&sizes)) && !holds(&whole(3), Some(&sizes)));
    // Of all places the nearest is told: an array, rather than the whole.
    let p = read("def f (x: 64.f32): 64.f32 = x |> map abs |> map sqrt");
    for asked in ["hasMoreThan(100)", "hasMultipleOf(5)", "hasAtMost(5)", "hasWholeParts(5)"] {
        let stuck = s.run(&format!("topDown({asked})"), &p).unwrap_err();
        assert!(stuck.to_string().contains("found an array of 64 elements, at 0"), "{stuck}");
    }
}

#[test]
fn normal_forms_are_reached_and_stable() {
    let s = Setting::new("");
    for text in [DOT, MATMUL] {
        let p = read(text);
        for normal in
            ["BENF", "DFNF", "RNF", "CNF", "reducedFusedForm", "reducedFissionedForm", "stronglyReducedForm"]
        {
            let once = s.done(normal, &p);
            let again = s.done(normal, &p_with(&p, &once.term));
            assert_eq!(show(&once.term), show(&again.term), "{normal}");
        }
    }
    let rnf = s.done("RNF", &read("def f (a: n.f32): n.f32 = map (\\x. -(x + 1)) a"));
    assert_eq!(show(&rnf.term), "\\a. a |> map (\\x. x + 1.0) |> map (\\x. -x)");
}

fn p_with(p: &Program, term: &Term) -> Program {
    p.with_term(term.clone())
}

#[test]
fn a_sketch_is_a_predicate() {
    let p = read(DOT);
    let setting = Setting::new(
        "sketch sums = contains(reduce ? ? ?)\n\
         strategy here(n) = satisfies containsMap(n, contains(mul))\n\
         strategy fuse = satisfies contains(mul) ; topDown(reduceMapFusion)",
    );
    assert_eq!(setting.done("fuse", &p).steps.len(), 1);
    assert_eq!(setting.done("here(n)", &p).term, p.term);
    assert!(setting.run("here(3)", &p).is_err());
    assert!(setting.run("satisfies contains(sqrt)", &p).is_err());
    // Where the traversal is, not the whole program.
    assert_eq!(setting.done("topDown(satisfies (zip ? ?))", &p).term, p.term);
    assert!(matches!(setting.run("satisfies nowhere", &p).unwrap_err().cause, Cause::Invalid(_)));
}

#[test]
fn a_rule_at_a_position_is_a_strategy() {
    let p = read(MATMUL);
    let setting = Setting::new("");
    let mut applied = 0;
    for (at, _) in p.term.positions() {
        for rule in ["etaAbstraction", "splitJoin(4)", "mapFission", "useMapSeq"] {
            let text = strategy::at_position(&p.term, &at, rule);
            let by_strategy = setting.run(&text, &p).ok().map(|done| done.term);
            let (name, size) = rule.split_once('(').map_or((rule, None), |(n, _)| (n, Some(4)));
            let args: Vec<_> = size.map(|n| RuleArg::Nat(Nat::constant(n))).into_iter().collect();
            let at_place =
                apply_at(&p.term, &at, setting.rules.get(name).unwrap(), &args).ok().map(|r| r.term);
            assert_eq!(by_strategy, at_place, "{text}");
            applied += usize::from(at_place.is_some());
        }
    }
    assert!(applied > 10);
}

/// What a rule says of a function it says of it in either form: applied to what a binder binds, or alone.
#[test]
fn rules_match_functions_in_either_form() {
    let setting = Setting::new("");
    for rows in ["reduce (+) 0", "\\row. reduce (+) 0 row"] {
        let p = read(&format!("def f (a: m.n.f32): f32 = a |> map ({rows}) |> reduce (+) 0"));
        for rule in ["joinNestedReductions", "exchangeReductions"] {
            setting.done(&format!("topDown({rule})"), &p);
        }
        for between in ["id", "repeat(topDown(etaReduction))"] {
            let back =
                format!("topDown(reduceInParts(4)) ; {between} ; topDown(rightToLeft(reduceInParts(4)))");
            assert!(setting.run(&back, &p).is_ok(), "{back}");
        }
    }
}

#[test]
fn strategies_that_end_in_each_other_for_ever_are_stopped() {
    let p = read(DOT);
    let setting = Setting::new(
        "strategy forever = forever\n\
         strategy ping = transposed ; pong\n\
         strategy pong = id ; ping\n\
         strategy transposed = id\n\
         strategy up(n) = down(n + 1)\n\
         strategy down(n) = up(n)",
    );
    for text in ["forever", "ping", "topDown(ping)"] {
        let stuck = setting.run(text, &p).unwrap_err();
        assert!(matches!(stuck.cause, Cause::OutOfFuel), "{text}: {stuck}");
    }
    let stuck = setting.run("up(0)", &p).unwrap_err();
    assert!(matches!(stuck.cause, Cause::TooDeep), "{stuck}");
}

#[test]
fn a_traversal_that_fails_says_what_it_tried_not_where_it_ended() {
    let p = read(DOT);
    let stuck = Setting::new("").run("useReduceSeq @ innermost(isReduceSeq)", &p).unwrap_err();
    assert!(stuck.to_string().starts_with("`isReduceSeq` does not apply"), "{stuck}");
}

/// Of thousands of failures nobody notes why there are, but of the one that is told.
#[test]
fn what_fails_late_is_told_as_what_fails_at_once() {
    let (dot, setting) = (read(DOT), Setting::new(""));
    let told = |strategy: &str| {
        let stuck = setting.run(strategy, &dot).unwrap_err();
        (stuck.to_string(), stuck.within, stuck.at, stuck.elsewhere, stuck.so_far.steps.len())
    };
    for fails in [
        "topDown(splitJoin(7) ; mapFusion)",
        "body(argument(mapFusion))",
        "inLambda(mapNest(2))",
        "reorder([3, 1])",
        "topDown(reduceMapFusion) ; topDown(reduceMapFusion)",
        "position(99, mapFusion)",
    ] {
        assert_eq!(told(&format!("repeatN(1500, id) ; {fails}")), told(&format!("id ; {fails}")), "{fails}");
    }
}

/// What a strategy has nothing to do with is seen at a glance, but where it is noted why strategies fail: that changes nothing but how
/// long it takes.
#[test]
fn what_is_seen_at_a_glance_is_what_a_run_comes_to() {
    let setting = Setting::new(
        "strategy inFunctions(s) = s <+ function(inFunctions(s))\n\
         strategy zipInFunctions = isZip <+ function(zipInFunctions)\n\
         strategy slides = isSlide <+ body(slides) <+ argument(slides) <+ function(slides)\n\
         strategy fused = function(fused) <+ argumentOf(map, fused) <+ argument(fused) <+ body(fused) <+ mapFusion\n\
         strategy even = all(odd) ; try(gentleBeta <+ useMapSeq)\n\
         strategy odd = all(even)\n\
         strategy tangled = all(tangled) ; ifThenElse(one(tangled), try(useMapSeq), id)",
    );
    let shared = "def f (a: n.f32): n.f32 = let b = map abs a in zip b a |> map (\\p. (\\x. x * snd p) (fst p)) |> map sqrt";
    for text in [DOT, MATMUL, shared] {
        let p = read(text);
        for strategy in [
            "normalize(gentleBeta <+ mapFusion)",
            "normalize(isShared ; gentleBeta <+ isFullyAppliedMap ; loopBody(gentleBeta))",
            "tryAll(mapFusion)",
            "tryAll(useMapSeq <+ useReduceSeq) ; tryAll(not(isShared) ; betaReduction)",
            "topDown(isFullyAppliedReduce ; reduceMapFusion)",
            "bottomUp(etaAbstraction) ; normalize(etaReduction)",
            "topDown(zipInFunctions)",
            "topDown(inFunctions(isFullyAppliedMap ; useMapSeq))",
            "topDown(inFunctions(function(body(gentleBeta))))",
            "try(slides) ; repeat(fused)",
            "alltd(function(argument(isLambda)) ; useMapSeq)",
            "sometd(test(topDown(isZip)) ; useMapSeq)",
            "even ; odd",
            "tangled",
            "tryAll(ifThenElse(isFullyAppliedMap, useMapSeq, isApplied(isAbs) <+ id))",
            "all(not(topDown(isSlide))) ; topDown(ifThenElse(isApply, fail, isVariable))",
            "topDown(rightToLeft(mapFusion) <+ splitJoin(2))",
        ] {
            let run = |text: &str| {
                let done = setting.run(text, &p).map_err(|stuck| stuck.to_string())?;
                let steps: Vec<String> =
                    done.steps.iter().map(|s| format!("{} at {}", s.rule, s.at)).collect();
                Ok::<_, String>((show(&done.term), steps))
            };
            assert_eq!(
                run(&format!("repeatN(1500, id) ; {strategy}")),
                run(strategy),
                "{strategy} on {text}"
            );
        }
    }
    let long = format!("def f (a: n.f32): n.f32 = map (\\x. x{}) a", " + x".repeat(150));
    let often =
        |strategy: &str| setting.run_with(&format!("repeatN(1500, id) ; {strategy}"), &read(&long), 30_000);
    assert!(often("repeatN(50, tryAll(mapFusion))").is_ok());
    assert!(often("repeatN(50, try(topDown(reduceMapFusion)))").is_ok());
}

#[test]
fn a_clause_that_is_never_reached_is_a_mistake() {
    for (text, unreachable) in [
        ("strategy a = id\nstrategy a = fail", true),
        ("strategy a(n) = id\nstrategy a(0) = fail", true),
        ("strategy a(0) = id\nstrategy a(n) = fail", false),
    ] {
        let (mut script, mut sources) = (Script::default(), Sources::new());
        let problems = script.load(&mut sources, &[Source { label: "a.elevate", text }], false);
        let said: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
        let expected: &[&str] = if unreachable { &["This clause of `a` is never reached."] } else { &[] };
        assert_eq!(said, expected, "{text}");
    }
}
