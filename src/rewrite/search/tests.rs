//! Whenever a search says that something is impossible, applying its rules anywhere must not get there.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

use super::cost::Cost;
use super::forecast::unmet;
use super::options::{Held, When};
use super::{Budget, Control, Limit, Outcome, Phase, Report, Search, reach, trail};
use crate::egraph::build::Builder;
use crate::egraph::compile::compile;
use crate::egraph::gaps::Gap;
use crate::egraph::matcher::{self, SizeMemo};
use crate::egraph::{Filter, Graph, Id};
use crate::lang::diag::{FileId, Sources};
use crate::lang::eval::inputs::Rng;
use crate::lang::infer::program;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::syntax::{parse_program, parse_sketch};
use crate::lang::term::{Expr, Term};
use crate::normal::{normal_form, normal_form_with, written_params};
use crate::rule::library::reductions;
use crate::rule::load::Source;
use crate::rule::{RuleSet, RuleUse, Searched, apply_at};
use crate::sharing::told;
use crate::sketch::automaton::Automaton;
use crate::sketch::best::k_best;
use crate::sketch::classes::Satisfied;
use crate::sketch::extract::{Extracted, Weights};
use crate::sketch::{ArgSketch, Library, Number, Shape, Sketch, read};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn term(text: &str) -> Term {
    let mut sources = Sources::new();
    let file = sources.add("test.rise", text);
    let (tree, mut problems) = parse_program(file, text);
    let (program, more) = program(&tree, None);
    problems.extend(more);
    let shown: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
    program.unwrap_or_else(|| panic!("{text}\n{}", shown.join("\n"))).term
}

fn rule_set() -> RuleSet {
    RuleSet::builtin(&mut Sources::new()).0
}

fn uses(set: &RuleSet, names: &[&str]) -> Vec<RuleUse> {
    names.iter().map(|text| rule_use(set, text)).collect()
}

/// A rule, with at most one argument.
fn rule_use(set: &RuleSet, text: &str) -> RuleUse {
    use crate::lang::nat::Nat;
    use crate::rule::RuleArg;
    let (name, arg) = text.trim_end_matches(')').split_once('(').unwrap_or((text, ""));
    let given = arg.parse().ok().map(|n| vec![RuleArg::Nat(Nat::constant(n))]);
    set.use_of(name, given.unwrap_or_default()).unwrap_or_else(|| panic!("{text}"))
}

fn sketch(text: &str) -> Sketch {
    let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
    assert!(problems.is_empty(), "{problems:?}");
    read(&tree, &Library::builtin(), &["n".into(), "m".into(), "k".into()]).unwrap()
}

/// Runs a search, in which what is matched where something has changed is compared with what is matched everywhere. What
/// it finds it must be able to derive, with steps that the rules repeat.
fn search(start: &Term, goal: &Sketch, rules: &[RuleUse], budget: &Budget) -> Report {
    let cancel = AtomicBool::new(false);
    let mut control = Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
    let mut search = Search::new(start, goal, rules, budget).unwrap();
    search.audit();
    let report = search.run(&mut control);
    if let Some(found) = report.found() {
        let forecast = unmet(goal, start, rules, &RuleSet::default());
        assert!(forecast.as_ref().is_none_or(|f| !f.never), "{forecast:?}: {goal}");
        for k in [1, 2, 8, 40] {
            let best = search.best(k).terms;
            // What computes much more than the program given comes last.
            let is_wasteful =
                |t: &Term| budget.cost == Cost::Size && told(start, t, &Default::default()).is_some();
            let order = |t: &Extracted| (is_wasteful(&t.term), t.cost);
            assert!(best.len() <= k && best.is_sorted_by_key(order), "{best:?}");
            assert!(
                best[0].term == found.term || k > 8 && best[0].cost < budget.cost.of(&found.term),
                "{best:?}"
            );
        }
        let derived = trail(&mut search, start, &report, &control);
        let derived = derived.unwrap_or_else(|why| panic!("{why}\n{start:?}\n{goal}\n{rules:?}"));
        let mut here = start.clone();
        for step in &derived.steps {
            assert_eq!(here.at(&step.at), Some(&step.before));
            let use_of = |r: &&RuleUse| r.rule.name == step.rule && r.args == step.args;
            let rule = rules.iter().chain(reductions()).find(use_of).unwrap();
            let (from, to) =
                if step.reverse { (&step.after, &step.before) } else { (&step.before, &step.after) };
            assert_eq!(rule.rule.apply(from, &rule.args).unwrap().term, *to, "{rule}");
            here = here.replace_at(&step.at, step.after.clone()).unwrap();
        }
        assert_eq!(here, found.term);
    }
    report
}

fn small() -> Budget {
    Budget { nodes: 4000, iterations: 12, ..Budget::default() }
}

/// What is written out in several places is shared again, so the lightest programs compute it in one way: not those that are rewritten
/// in one of the places, which are lighter as they stand.
#[test]
fn what_is_shared_is_rewritten_wherever_it_is_written_out() {
    let set = rule_set();
    let start = term(
        "def f (a: n.f32): (f32 * n.f32) =
           let s = a |> map (\\x. x * x) |> reduce (+) 0 in (s, map (\\x. x / s) a)",
    );
    let goal = sketch("contains(reduceSeq)");
    let weight = |rules: &[&str]| {
        let report = search(&start, &goal, &uses(&set, rules), &small());
        Budget::default().cost.of(&report.found().unwrap().term)
    };
    let fused = weight(&["reduceMapFusion"]);
    assert!(fused < weight(&["blockedReduce(4)"]));
    // What else could be done makes it no worse.
    assert_eq!(weight(&["splitJoin(4)", "reduceMapFusion", "blockedReduce(4)"]), fused);
    assert_eq!(weight(&["splitJoin(4)", "splitJoin(8)", "reduceMapFusion", "blockedReduce(4)"]), fused);
}

#[test]
fn a_sketch_that_only_some_members_of_a_class_lead_to_is_found() {
    let set = rule_set();
    let start = term(
        "def f (a: n.m.k.f32) = a |> map (\\y. map (map sqrt) y) |> transpose |> transpose
           |> map (\\z. transpose (transpose z))",
    );
    let rules = uses(&set, &["mapFusion", "removeTransposePair"]);
    let goal = sketch("contains(transpose (transpose (map (map sqrt) ?)))");
    let report = search(&start, &goal, &rules, &Budget::default());
    assert!(goal.satisfied_by(&report.found().unwrap_or_else(|| panic!("{report}")).term));
}

#[test]
fn what_a_filter_refuses_is_not_impossible() {
    let set = rule_set();
    let start = term("def f (a: (8*n).f32) = a |> map sqrt");
    let rules = uses(&set, &["splitJoin2(2)"]);
    let goal = sketch("contains((split 2 ?) : ?.?.?.f32)");
    let with = |dims: u8| Budget { filter: Filter { dims, ..Filter::default() }, ..small() };
    let report = search(&start, &goal, &rules, &with(2));
    let Outcome::Incomplete(gaps) = &report.outcome else { panic!("{report}") };
    assert!(gaps.contains(&(Gap::Dims, 3)), "{gaps:?}");
    assert!(report.hints()[0].contains("with (dims: 3)"), "{:?}", report.hints());
    assert!(search(&start, &goal, &rules, &with(3)).found().is_some());

    let with = |size: u32| Budget { filter: Filter { size, ..Filter::default() }, ..small() };
    let (rules, goal) = (uses(&set, &["splitJoin(2)"]), sketch("contains(join (map (map ?) (split 2 ?)))"));
    let report = search(&start, &goal, &rules, &with(start.size()));
    let Outcome::Incomplete(gaps) = &report.outcome else { panic!("{report}") };
    assert!(gaps.iter().any(|(gap, _)| *gap == Gap::Size), "{gaps:?}");
    assert!(report.to_string().contains("incomplete") && report.hints()[0].contains("size: "), "{report}");
    assert!(search(&start, &goal, &rules, &with(200)).found().is_some());
}

#[test]
fn a_limit_does_not_hide_what_the_filter_refused_before() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (\\r. reduce (+) 0 (map (\\x. x * x) r))");
    let goal = sketch("containsMap(n/4, containsMap(4, ?))");
    let budget = Budget { iterations: 8, filter: Filter { dims: 2, ..Filter::default() }, ..small() };
    let report = search(&start, &goal, &uses(&set, &["splitJoin(4)", "mapFission"]), &budget);
    assert!(matches!(report.outcome, Outcome::Limit(_)) && report.left_out == [(Gap::Dims, 3)], "{report}");
    assert!(report.to_string().contains("more dimensions were left out"), "{report}");
    assert!(report.hints().iter().any(|h| h.contains("with (dims: 3)")), "{:?}", report.hints());
}

#[test]
fn a_rule_that_is_held_back_leaves_a_search_incomplete() {
    let set = rule_set();
    let start = term("def f (a: (16*n).f32) = a |> map sqrt");
    let rules = uses(&set, &["splitJoin(2)", "splitJoin(4)", "useMapSeq"]);
    let goal = sketch("contains(split 2 (split 2 ?))");
    let with = |when: When| Budget { held: vec![Held { rule: "splitJoin".into(), when }], ..small() };
    // All of the rule's name are held back, each for itself.
    for when in [When::Iterations(1), When::Matches(1)] {
        let report = search(&start, &sketch("contains(gather)"), &rules, &with(when));
        let Outcome::Incomplete(gaps) = &report.outcome else { panic!("{report}") };
        let held = ["splitJoin(2)", "splitJoin(4)"].map(|name| (Gap::Held(name.into()), 0));
        assert!(held.iter().all(|gap| gaps.contains(gap)), "{gaps:?}");
        assert!(report.hints().concat().contains("`freeze` or `cap` allow of `splitJoin(2)`"), "{report}");
        assert!(report.rules.iter().filter(|r| r.label.starts_with("splitJoin")).all(|r| r.applied == 1));
        assert!(search(&start, &sketch("contains(split 4)"), &rules, &with(when)).found().is_some());
    }
    assert!(search(&start, &goal, &rules, &with(When::Iterations(2))).found().is_some());
    assert!(search(&start, &goal, &rules, &with(When::Matches(1))).found().is_none());
}

#[test]
fn a_limit_that_is_met_says_what_the_graph_is_growing_to_and_by_which_rule() {
    let set = rule_set();
    let start = term("def f (a: (64*n).m.f32) = a |> map (map sqrt)");
    let rules = uses(&set, &["splitJoin2(2)", "mapFission"]);
    let budget = Budget { iterations: 3, ..Budget::default() };
    let report = search(&start, &sketch("contains(reduce)"), &rules, &budget);
    let hints = report.hints().concat();
    let [.., before, last] = &report.iterations[..] else { panic!("{report:?}") };
    assert!(hints.contains(&format!("from {} to {} nodes", before.nodes, last.nodes)), "{hints}");
    let most = report.rules.iter().max_by_key(|r| r.nodes).unwrap();
    assert!(hints.contains(&format!("`{}` made", most.label)) && hints.contains("freeze: ["), "{hints}");
}

/// The reductions make most of this graph; a user cannot name them.
#[test]
fn what_is_always_used_is_not_told_to_be_left_out() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (\\r. map (\\x. (\\y. y * y) ((\\z. z + z) x)) r)");
    let budget = Budget { iterations: 2, ..Budget::default() };
    let start = Term::app(Term::lam("a", start.ty().clone(), Term::var(0, start.ty().clone())), start);
    let report = search(
        &start,
        &sketch("contains(gather)"),
        &uses(&set, &["useReduceSeq"]),
        &Budget { normal: false, ..budget },
    );
    let made = |r: &&super::RuleReport| r.nodes > 0;
    assert!(report.rules.iter().any(|r| made(&r) && r.label == "betaReduction"), "{:?}", report.rules);
    assert!(!report.hints().concat().contains("freeze"), "{:?}", report.hints());
}

#[test]
fn constant_indices_are_in_the_graph_as_they_are_written() {
    let set = rule_set();
    let start = term("def f (a: n.3.f32) = a |> map (\\x. idx (natAsIndex 3 1) x + idx (natAsIndex 3 2) x)");
    let rules = uses(&set, &["mapFusion"]);
    let found = |text: &str| search(&start, &sketch(text), &rules, &small()).found().is_some();
    for yes in [
        "contains(natAsIndex)",
        "contains(natAsIndex 3)",
        "contains(idx (natAsIndex 3 1) ?)",
        "contains(idx (natAsIndex ? 2) ?) and contains(1)",
        "contains((natAsIndex 3 ? : idx[3]))",
        "contains(natAsIndex 3 1 and contains(natAsIndex))",
        "contains(idx 1 ?)",
    ] {
        assert!(found(yes) && sketch(yes).satisfied_by(&start), "{yes}");
    }
    for no in [
        "contains(natAsIndex 3 0)",
        "contains(natAsIndex 4 1)",
        "not contains(natAsIndex)",
        "contains(natAsIndex 3 1 and contains(2))",
        "contains(idx (natAsIndex 3 (1 and 2)) ?)",
        "contains(1i32)",
    ] {
        assert!(!found(no) && !sketch(no).satisfied_by(&start), "{no}");
    }
}

/// What comes after a search is asked as long as its limits allow, and it is told where that was not long enough.
#[test]
fn what_is_known_after_a_limit_is_asked_within_it() {
    let set = rule_set();
    let start = term("def f (a: (64*n).m.f32) = a |> map (map sqrt)");
    let rules = uses(&set, &["splitJoin2(2)", "transposePairAfter", "mapFission"]);
    let goal = sketch("containsMap(64*n, containsMap(m, contains(gather))) and containsMap(m, ?)");
    let (now, cancel) = (std::cell::Cell::new(Duration::ZERO), AtomicBool::new(false));
    let clock = || now.get();
    let mut control = Control { cancel: &cancel, now: &clock, rss: &|| 0, progress: &mut |_| {} };
    let second = Duration::from_secs(1);
    let budget = Budget { nodes: 400, time: 10 * second, ..Budget::default() };
    let mut search = Search::new(&start, &goal, &rules, &budget).unwrap();
    search.run(&mut control);
    let told = search.insight(&control);
    assert!(!told.cut_short && told.nearest.is_some_and(|n| (n.levels, n.of) == (2, 3)));
    assert!(told.parts.iter().any(|p| p.witness.is_some()));
    now.set(11 * second);
    let told = search.insight(&control);
    assert!(told.cut_short && told.nearest.is_none() && told.parts.iter().all(|p| p.witness.is_none()));
    now.set(second);
    let mut control = Control { rss: &|| 2 << 30, ..control };
    assert!(search.insight(&control).cut_short);
    control.rss = &|| 0;
    assert!(!search.insight(&control).cut_short);
}

/// A graph is asked for another sketch as long as nobody stops that, and can be asked again.
#[test]
fn what_asks_a_graph_for_another_sketch_can_be_stopped() {
    let set = rule_set();
    let start = term("def f (a: (64*n).m.f32) = a |> map (map sqrt)");
    let rules = uses(&set, &["splitJoin2(2)", "transposePairAfter", "useMapSeq"]);
    let (ticks, cancel) = (std::cell::Cell::new(0), AtomicBool::new(false));
    let clock = || {
        ticks.set(ticks.get() + 1);
        Duration::from_millis(100 * ticks.get())
    };
    let mut told = 0;
    let mut tell = |p: &super::Progress| told += usize::from(p.phase == Phase::Check);
    let mut control = Control { cancel: &cancel, now: &clock, rss: &|| 0, progress: &mut tell };
    let budget = Budget { nodes: 100, time: Duration::from_secs(3600), ..Budget::default() };
    let mut search = Search::new(&start, &sketch("contains(gather)"), &rules, &budget).unwrap();
    assert!(search.run(&mut control).found().is_none() && search.can_go_on());
    let goal = sketch("contains(mapSeq) and not contains(map)");
    let budget = Budget { nodes: 200, ..budget };
    cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    ticks.set(0);
    search.go_on(&goal, &budget, &mut control).unwrap();
    let report = search.run(&mut control);
    assert!(matches!(report.outcome, Outcome::Stopped) && search.can_go_on(), "{report}");
    assert!(report.parts.is_empty() && !report.to_string().contains("No part"), "{report}");
    assert!(ticks.get() < 20, "{}", ticks.get());
    cancel.store(false, std::sync::atomic::Ordering::Relaxed);
    search.go_on(&goal, &budget, &mut control).unwrap();
    assert!(search.run(&mut control).found().is_some());
    assert!(told >= 2, "{told}");
}

/// Of programs that lack how a loop runs that one is nearest that lacks it of the fewest, outermost first.
#[test]
fn the_nearest_program_has_as_many_loops_as_asked_as_there_are() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (reduce (+) 0)");
    let near = |rules: &[&str], text: &str| {
        let cancel = AtomicBool::new(false);
        let mut control =
            Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
        let mut search = Search::new(&start, &sketch(text), &uses(&set, rules), &small()).unwrap();
        assert!(search.run(&mut control).found().is_none());
        let nearest = search.insight(&control).nearest.unwrap();
        (nearest.levels, nearest.of, sketch("contains(mapPar)").satisfied_by(&nearest.term))
    };
    let both = "containsMapPar(n, containsReduceSeq(m, ?))";
    assert_eq!(near(&["useMapPar"], both), (1, 2, true));
    assert_eq!(near(&["useReduceSeq"], both), (0, 2, false));
    assert_eq!(near(&["mapFusion"], both), (0, 2, false));
    // Where nothing is nested, one that lacks how the loops run is near enough.
    assert_eq!(near(&["useMapPar"], "\\a. mapPar (reduceSeq ? ?) a"), (0, 0, false));
}

/// What is like a sketch only by what nobody reads is so too where a limit of time ends the search, and no part of the sketch is said to
/// hold of the whole program.
#[test]
fn what_nobody_reads_does_not_count_when_time_is_over_either() {
    let set = rule_set();
    let start = term("def f (a b: n.f32) = map snd (zip (map abs b) (map sqrt a))");
    let rules = uses(&set, &["useMapPar", "useMapSeq", "splitJoin2(2)", "transposePairAfter"]);
    let (ticks, cancel) = (std::cell::Cell::new(0), AtomicBool::new(false));
    let clock = || {
        ticks.set(ticks.get() + 1);
        Duration::from_millis(ticks.get())
    };
    let mut with_unread = 0;
    for time in (10..2000).step_by(10) {
        ticks.set(0);
        let mut control = Control { cancel: &cancel, now: &clock, rss: &|| 0, progress: &mut |_| {} };
        let budget = Budget { time: Duration::from_millis(time), ..Budget::default() };
        let goal = sketch("contains(mapPar abs ?) and contains(snd)");
        let mut search = Search::new(&start, &goal, &rules, &budget).unwrap();
        let report = search.run(&mut control);
        assert!(report.found().is_none(), "{report}");
        ticks.set(0);
        let told = search.insight(&control);
        assert!(!told.parts.first().is_some_and(|whole| whole.report.at_root), "{time}: {report}");
        if report.unread.is_some() {
            with_unread += usize::from(matches!(report.outcome, Outcome::Limit(Limit::Time { .. })));
            assert!(report.to_string().contains("nobody reads"), "{report}");
            let mut unread = told.parts.iter().filter(|part| part.report.label.contains("mapPar"));
            assert!(told.cut_short || unread.all(|part| !part.report.at_root), "{time}: {:?}", told.parts);
        }
    }
    assert!(with_unread > 0);
}

/// A rule that is held back when a search goes on takes no more of the room that there is now, whatever it had matched.
#[test]
fn what_is_held_back_on_the_way_is_not_applied_where_it_was_matched() {
    let set = rule_set();
    let start = term("def f (a: (64*n).m.f32) = a |> map (map sqrt) |> map (map abs)");
    let rules = uses(&set, &["splitJoin2(2)", "transposePairAfter", "mapFission", "mapFusion"]);
    let goal = sketch("contains(gather)");
    let cancel = AtomicBool::new(false);
    for held in [When::Matches(1), When::Iterations(1)] {
        let mut control =
            Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
        let mut within = 0;
        for nodes in (100..2000).step_by(50) {
            let budget = Budget { nodes, ..Budget::default() };
            let mut search = Search::new(&start, &goal, &rules, &budget).unwrap();
            let of = |report: &Report| {
                let rule = report.rules.iter().find(|r| r.label == "transposePairAfter").unwrap();
                (rule.applied, rule.matches)
            };
            let before = of(&search.run(&mut control));
            within += usize::from(before.0 < before.1);
            let rule = "transposePairAfter".into();
            let more =
                Budget { nodes: 2 * nodes, held: vec![Held { rule, when: held }], ..Budget::default() };
            search.go_on(&goal, &more, &mut control).unwrap();
            let after = of(&search.run(&mut control));
            assert!(after.0 <= before.0.max(1), "{nodes}: {before:?} {after:?}");
        }
        assert!(within > 0, "{held:?}");
    }
}

/// With any size in the place of a hole it is, and no size is as the sketch says.
#[test]
fn a_program_may_be_like_a_sketch_but_for_its_sizes() {
    let set = rule_set();
    let start = term("def f (a: (64*n).f32) = a |> map sqrt");
    let rules = uses(&set, &["splitJoin(4)", "mapEtaAbstraction"]);
    let near = |text: &str| {
        let cancel = AtomicBool::new(false);
        let mut control =
            Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
        let mut search = Search::new(&start, &sketch(text), &rules, &small()).unwrap();
        let found = search.run(&mut control).found().is_some();
        (found, search.insight(&control).nearest.map(|n| (n.but_for_sizes, n.levels)))
    };
    assert_eq!(near("containsMap(64*n/?t, containsMap(?t, ?)) and ?t > 7"), (false, Some((true, 2))));
    assert_eq!(near("containsMap(64*n/?t, containsMap(?t, ?)) and ?t > 3"), (true, None));
    assert_eq!(near("containsMap(64*n, contains(gather))"), (false, Some((false, 1))));
}

/// That a hole is so many rows of whole vectors is known where something else asks for it, and not assumed.
#[test]
fn a_size_is_not_assumed_to_be_whole_for_a_hole() {
    let set = rule_set();
    let goal = sketch("contains(let ((toMem : ? -> (8*?q).?) ?))");
    let rules = uses(&set, &["storeToMem", "splitJoin(8)", "splitJoin(12)"]);
    let budget = Budget { iterations: 2, ..small() };
    let report = search(&term("def f (a: n.f32) = a |> map sqrt"), &goal, &rules[..1], &budget);
    assert!(report.found().is_none(), "{report}");
    let report = search(&term("def f (a: (16*n).f32) = a |> map sqrt"), &goal, &rules[..1], &budget);
    assert!(report.found().is_some(), "{report}");
    let split = sketch("contains(split 8) and contains(let ((toMem : ? -> (8*?q).f32) ?))");
    let report = search(&term("def f (a: n.f32) = a |> map sqrt"), &split, &rules[..2], &budget);
    assert!(report.found().is_some_and(|f| !f.assumed.is_empty()), "{report}");
}

#[test]
fn a_limit_that_is_met_later_does_not_hide_what_was_left_out() {
    let set = rule_set();
    let start = term(
        "def f (a: (8*n).m.k.f32) = a |> map (\\y. map (map sqrt) y) |> transpose |> transpose
           |> map (\\z. transpose (transpose z))",
    );
    let rules = uses(&set, &["mapFusion", "removeTransposePair", "splitJoin2(2)"]);
    let filter = Filter { dims: 3, ..Filter::default() };
    let after = |iterations| {
        let budget = Budget { iterations, filter, ..small() };
        search(&start, &sketch("contains(gather)"), &rules, &budget)
    };
    let late = |r: &Report| matches!(r.outcome, Outcome::Limit(_)) && !r.left_out.is_empty();
    let report = (1..12).map(after).find(late).unwrap();
    assert!(
        report.to_string().contains("also incomplete: programs with arrays of more dimensions"),
        "{report}"
    );
    assert!(report.hints()[0].contains("with (dims: 4)") && report.hints()[1].contains("iterations: "));
}

#[test]
fn a_size_that_is_left_open_is_one_size_everywhere() {
    let set = rule_set();
    let start = term("def f (a: (32*n).f32) = a |> map sqrt");
    let rules = uses(&set, &["splitJoin(4)", "splitJoin(8)"]);
    let found_with = |text: &str| {
        let report = search(&start, &sketch(text), &rules, &small());
        let found = report.found().unwrap_or_else(|| panic!("{text}: {report}"));
        assert!(report.to_string().contains(", with ?"), "{report}");
        assert!(sketch(text).satisfied_by(&found.term));
        found.filling.iter().map(|(h, n)| (h.to_string(), n.to_string())).collect::<HashMap<_, _>>()
    };
    let sizes = found_with("containsMap(32*n/?t, containsMap(?t, ?))");
    assert!(["4", "8", "8*n", "4*n"].contains(&&*sizes["?t"]), "{sizes:?}");
    let sizes =
        found_with("containsMap(32*n/?t, containsMap(?t/?u, containsMap(?u, ?))) and contains(split (2*?u))");
    assert!(["8", "32"].contains(&&*sizes["?t"]) && sizes["?u"] == "4", "{sizes:?}");
    let never = sketch("containsMap(3*?t, containsMap(?t, ?))");
    let report = search(&start, &never, &uses(&set, &["splitJoin(4)"]), &Budget { iterations: 3, ..small() });
    assert!(report.found().is_none(), "{report}");
}

#[test]
fn what_is_to_be_left_out_is() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt) |> map (map abs)");
    let rules = uses(&set, &["mapFusion", "useMapSeq"]);
    let goal = sketch("contains(mapSeq) and not contains(map)");
    let found = search(&start, &goal, &rules, &small()).found().unwrap().term.clone();
    assert!(goal.satisfied_by(&found) && !sketch("contains(map)").satisfied_by(&found));
    let report = search(&start, &sketch("not contains(sqrt)"), &rules, &small());
    assert!(matches!(report.outcome, Outcome::Impossible), "{report}");
}

#[test]
fn a_condition_on_a_type_alone_is_asked() {
    let set = rule_set();
    let start = term("def f (a: (4*n).(f32 * f32)) = a |> map (\\p. p)");
    let report = search(&start, &sketch("contains(asVector)"), &uses(&set, &["vectorizeAfter(4)"]), &small());
    assert!(matches!(report.outcome, Outcome::Impossible), "{report}");
}

#[test]
fn what_is_impossible_is_said_to_be() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt) |> transpose |> transpose");
    let rules = uses(&set, &["mapFusion", "removeTransposePair"]);
    for goal in
        ["contains(reduce)", "contains(map ? (map ? ?))", "contains(transpose (map ? ?)) and contains(join)"]
    {
        let report = search(&start, &sketch(goal), &rules, &small());
        assert!(matches!(report.outcome, Outcome::Impossible), "{goal}: {report}");
        assert!(report.to_string().starts_with("No program like this can be reached"), "{report}");
    }
}

#[test]
fn the_program_as_it_was_given_can_be_found() {
    let set = rule_set();
    let start = term("def f (a: n.f32) = let b = map sqrt a in zip b b |> map fst");
    for goal in ["contains((\\x. zip x x |> ?) ?)", "contains((\\x. ?) (map sqrt ?))"] {
        let report = search(&start, &sketch(goal), &uses(&set, &["mapFusion"]), &small());
        assert!(
            report.found().is_some() || matches!(report.outcome, Outcome::Incomplete(_)),
            "{goal}: {report}"
        );
        let found = &report.found().unwrap_or_else(|| panic!("{goal}: {report}")).term;
        assert!(sketch(goal).satisfied_by(found));
    }
}

#[test]
fn a_program_that_is_too_large_as_it_is_written_is_not_forgotten() {
    use crate::lang::build as b;
    use crate::lang::ty::Type;
    // Four thousand redexes weigh more than any class may; the normal form has none.
    let identity = b::lam("x", Type::f32(), Ok).unwrap();
    let start = b::lam("a", Type::f32(), |a| {
        let redex = b::app(identity, a)?;
        (0..12).try_fold(redex, |t, _| b::add(t.clone(), t))
    });
    let report = search(&start.unwrap(), &sketch("contains(gather)"), &[], &small());
    let Outcome::Incomplete(gaps) = &report.outcome else { panic!("{report}") };
    assert!(gaps.contains(&(Gap::Written, 0)), "{gaps:?}");
    assert!(report.to_string().contains("only its normal form was looked at"), "{report}");
}

/// Whatever stops a search, and wherever: a program that is in its graph by then is found.
#[test]
fn what_a_search_has_reached_when_it_is_stopped_is_found() {
    let set = rule_set();
    let start = term("def f (a: (8*n).m.f32) = a |> map (map sqrt) |> map (map abs)");
    let rules = uses(&set, &["mapFusion", "splitJoin(2)", "mapFission"]);
    let goal = sketch("contains(join (map (map ?) (split 2 ?))) and contains((\\x. abs (sqrt ?)))");
    let cancel = AtomicBool::new(false);
    let (mut found, mut not_found) = (0, 0);
    let mut stopped_by = |budget: &Budget| {
        let calls = std::cell::Cell::new(0);
        let clock = || {
            calls.set(calls.get() + 1);
            Duration::from_millis(calls.get())
        };
        let mut control = Control { cancel: &cancel, now: &clock, rss: &|| 0, progress: &mut |_| {} };
        let mut search = Search::new(&start, &goal, &rules, budget).unwrap();
        assert!(search.best(1).terms.is_empty());
        let report = search.run(&mut control);
        let automaton = Automaton::new(&goal).unwrap();
        let has = Satisfied::of(search.graph(), &automaton);
        let has = has.has(search.graph(), &automaton, automaton.start, search.root());
        assert_eq!(has, report.found().is_some(), "{report} {budget:?}");
        assert_eq!(has, !search.best(1).terms.is_empty());
        *(if has { &mut found } else { &mut not_found }) += 1;
    };
    let unbounded = || Budget { time: Duration::MAX, ..Budget::default() };
    (0..100).for_each(|n| stopped_by(&Budget { time: Duration::from_millis(n), ..Budget::default() }));
    (1..100).for_each(|n| stopped_by(&Budget { nodes: 4 * n, ..unbounded() }));
    assert!(found > 0 && not_found > 0, "{found} {not_found}");
}

#[test]
fn to_write_the_way_down_takes_as_long_as_the_search_may_and_can_be_stopped() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt) |> map (map abs)");
    let goal = sketch("contains((\\x. abs (sqrt ?)))");
    let cancel = AtomicBool::new(false);
    let mut control = Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
    let mut search = Search::new(&start, &goal, &uses(&set, &["mapFusion"]), &small()).unwrap();
    let report = search.run(&mut control);
    assert!(trail(&mut search, &start, &report, &control).is_ok());
    let calls = std::cell::Cell::new(0);
    let late = || {
        calls.set(calls.get() + 1);
        if calls.get() < 4 { Duration::ZERO } else { Duration::from_secs(3600) }
    };
    let slow = Control { cancel: &cancel, now: &late, rss: &|| 0, progress: &mut |_| {} };
    let why = trail(&mut search, &start, &report, &slow).unwrap_err();
    assert!(why.to_string().contains("longer than the search may"), "{why}");
    cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let why = trail(&mut search, &start, &report, &control).unwrap_err();
    assert!(why.to_string().contains("stopped"), "{why}");
}

#[test]
fn a_size_that_follows_from_a_later_one_is_known_by_then() {
    let mut set = rule_set();
    let text =
        "rule both = makePair (xs : (n+m).t) (ys : m.s) ~> makePair (concat (take n xs) (drop n xs)) ys";
    let problems = set.load(&mut Sources::new(), &[Source { label: "test.rules", text }]);
    assert!(problems.is_empty(), "{problems:?}");
    let start = term("def f (a: (n+m).f32) (b: m.f32) = makePair a b");
    let report =
        search(&start, &sketch("contains(concat (take n ?) (drop n ?))"), &uses(&set, &["both"]), &small());
    assert!(report.found().is_some(), "{report}");
}

#[test]
fn what_is_to_be_replaced_is_never_refused() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt) |> transpose |> transpose");
    let rule = rule_use(&set, "removeTransposePair");
    let mut graph = Graph::new();
    graph.encode(&start).unwrap();
    let equation = rule.rule.equation(&rule.args).unwrap();
    let searched = Searched { equation, computed: None };
    let program = compile(&mut graph, searched, &rule.rule.params, &rule.args).unwrap();
    graph.rebuild();
    // As where the class that matches has a lighter member.
    graph.filter = Filter { size: 3, ..Filter::default() };
    let mut memo = SizeMemo::default();
    let found = matcher::search(&mut graph, &program, &mut memo, None, &mut |_| false).unwrap();
    assert_eq!(found.len(), 1);
    let mut builder = Builder::new(&mut graph, &program, &mut memo, found.get(0)).unwrap();
    assert!(builder.sides(found.get(0)).is_some());
    assert_eq!(graph.filter.size, 3);
}

/// Of a large graph the hundred best programs are told apart, and each is one that the rules make of the first.
#[test]
fn the_best_of_many_programs_are_in_order() {
    let set = rule_set();
    let start = term("def f (a: (64*n).m.k.f32) = a |> map (map (map sqrt)) |> map (map (map abs))");
    let rules = uses(&set, &["splitJoin2(2)", "transposePairAfter", "mapFusion", "mapFission", "useMapSeq"]);
    let goal = sketch("contains(mapSeq) and contains(split)");
    // Searched to the limit for something else, asked for the goal afterwards.
    let cancel = AtomicBool::new(false);
    let mut control = Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
    let budget = Budget { nodes: 4000, filter: Filter { dims: 6, size: 200 }, ..Budget::default() };
    let mut search = Search::new(&start, &sketch("contains(gather)"), &rules, &budget).unwrap();
    assert!(matches!(search.run(&mut control).outcome, Outcome::Limit(_)));
    let automaton = Automaton::new(&goal).unwrap();
    let satisfied = Satisfied::of(search.graph(), &automaton);
    let best = k_best(search.graph(), &automaton, &satisfied, search.root(), 100, Weights::Size);
    assert!(best.complete && best.terms.len() == 100 && best.terms.is_sorted_by_key(|t| t.cost));
    let digests: HashSet<_> = best.terms.iter().map(|t| t.term.digest()).collect();
    assert_eq!(digests.len(), 100);
    for found in &best.terms {
        assert!(
            found.term.check().is_ok() && found.term.ty() == start.ty() && goal.satisfied_by(&found.term)
        );
    }
}

/// Views that cancel out make no other program of one, however often they stand there: what is left of each is looked at once, and
/// that there are others is not ruled out.
#[test]
fn views_that_cancel_out_make_no_other_program() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt)");
    let rules = uses(&set, &["removeTransposePair", "transposeAroundNest(0)", "transposePairAfter"]);
    let goal = sketch("contains(map (map ?) ?)");
    let cancel = AtomicBool::new(false);
    let mut control = Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
    let mut search = Search::new(&start, &goal, &rules, &Budget { best: 100, ..small() }).unwrap();
    let report = search.run(&mut control);
    assert!(report.found().is_some(), "{report}");
    let best = search.best(100);
    assert!(best.terms.len() == 2 && !best.complete, "{:?}", best.terms);
}

/// Who stops while more programs are looked for gets those that are known, and waits for no others.
#[test]
fn what_is_known_is_told_when_that_is_over() {
    let set = rule_set();
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt)");
    let rules = uses(&set, &["removeTransposePair", "transposeAroundNest(0)", "transposePairAfter"]);
    let cancel = AtomicBool::new(false);
    let mut control = Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
    let mut search = Search::new(&start, &sketch("contains(map (map ?) ?)"), &rules, &small()).unwrap();
    assert!(search.run(&mut control).found().is_some());
    assert_eq!(search.best_until(100, &|| true).terms.len(), 1);
}

#[test]
fn what_nobody_reads_does_not_count() {
    let set = rule_set();
    let rules = uses(&set, &["useMapPar", "useMapSeq"]);
    let of_abs = sketch("contains(mapPar abs ?)");
    for unread in [
        "def f (a b: n.f32) = (\\x. map sqrt a) (map abs b)",
        "def f (a b: n.f32) = let (toMem (map abs b)) (\\x. map sqrt a)",
        "def f (a b: n.f32) = map snd (zip (map abs b) (map sqrt a))",
        "def f (a b: n.f32) = map (\\x. fst (x, map abs b)) a",
    ] {
        let report = search(&term(unread), &of_abs, &rules, &small());
        assert!(
            matches!(report.outcome, Outcome::Impossible) && report.unread.is_some(),
            "{unread}: {report}"
        );
        let told = report.to_string();
        assert!(told.contains("nobody reads") && !told.contains("can be reached"), "{told}");
        assert!(!report.parts[0].at_root, "{report}");
        // No hint speaks of what does not count.
        assert_eq!(report.hints().len(), 2, "{:?}", report.hints());
        // What is read beside it counts.
        let report = search(&term(unread), &sketch("contains(mapPar ? ?)"), &rules, &small());
        let found = report.found().unwrap_or_else(|| panic!("{unread}: {report}"));
        assert!(!of_abs.describes(&found.term), "{unread}");
    }
}

#[test]
fn a_sketch_that_leaves_much_open_gives_what_costs_least() {
    use crate::lang::pattern::Pattern;
    use crate::search::cost::Cost;
    let set = rule_set();
    let rules = uses(&set, &["useMapPar", "useMapSeq", "mapFusion", "useReduceSeq", "reduceSeqMapFusion"]);
    let start = term("def f (a: n.m.f32) = a |> map (map sqrt) |> map (map abs) |> map (reduce (+) 0)");
    let table = |of: &[(Pattern, u32)]| Cost::Table(of.into());
    for (cost, asked, with, without) in [
        (table(&[(Pattern::Map, 90), (Pattern::MapSeq, 9)]), "contains(mapPar ? ?)", "mapPar", "mapSeq"),
        (table(&[(Pattern::Map, 90), (Pattern::MapPar, 9)]), "contains(mapPar ? ?)", "mapSeq", "map"),
        (table(&[(Pattern::Map, 90), (Pattern::Reduce, 500)]), "contains(?)", "reduceSeq", "reduce"),
        (
            table(&[(Pattern::ReduceSeq, 500)]),
            "contains(reduceSeq) or contains(mapPar)",
            "reduce",
            "reduceSeq",
        ),
    ] {
        let mut search =
            Search::new(&start, &sketch(asked), &rules, &Budget { cost: cost.clone(), best: 40, ..small() })
                .unwrap();
        let cancel = AtomicBool::new(false);
        let mut control =
            Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
        let report = search.run(&mut control);
        let found = &report.found().unwrap_or_else(|| panic!("{report}")).term;
        let least = search.best(40).terms.iter().map(|t| t.cost).min().unwrap();
        assert_eq!(cost.of(found), least, "{asked}: {found:?}");
        assert!(
            sketch(&format!("contains({with}) and not contains({without})")).describes(found),
            "{found:?}"
        );
    }
}

#[test]
fn a_hint_names_the_limit_that_stopped_the_search() {
    let set = rule_set();
    let start = term("def f (a: (64*n).m.f32) = a |> map (map sqrt)");
    let rules = uses(&set, &["splitJoin2(2)", "transposePairAfter", "mapFission"]);
    let goal = sketch("contains(reduce)");
    let says = |budget: Budget, what: &str| {
        let report = search(&start, &goal, &rules, &budget);
        assert!(report.hints().concat().contains(what), "{report} {:?}", report.hints());
    };
    says(Budget { nodes: 40, ..Budget::default() }, "`with (nodes: 80)`");
    says(Budget { iterations: 2, ..Budget::default() }, "`with (iterations: 4)`");
    let calls = std::cell::Cell::new(0);
    let clock = || {
        calls.set(calls.get() + 1);
        Duration::from_millis(calls.get())
    };
    let cancel = AtomicBool::new(false);
    let budget = Budget { time: Duration::from_millis(20), ..Budget::default() };
    let mut control = Control { cancel: &cancel, now: &clock, rss: &|| 0, progress: &mut |_| {} };
    let report = reach(&start, &goal, &rules, &budget, &mut control).unwrap();
    assert!(report.hints()[0].contains("`with (time: 40ms)`"), "{:?}", report.hints());
    let budget = Budget { memory: 64 << 20, ..Budget::default() };
    let mut control =
        Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &|| 65 << 20, progress: &mut |_| {} };
    let report = reach(&start, &goal, &rules, &budget, &mut control).unwrap();
    assert!(report.hints()[0].contains("`with (memory: 128MiB)`"), "{:?}", report.hints());
}

/// The matches of one rule alone are too many for the memory, and dropping them frees it again: the search ends all the same.
#[test]
fn matches_that_exceed_memory_end_the_search() {
    const BOUND: u64 = 64 << 20;
    let set = rule_set();
    let start = term("def f (a: (64*n).m.k.f32) = a |> map (map (map sqrt)) |> map (map (map abs))");
    let rules = uses(&set, &["splitJoin2(2)", "transposePairAfter", "mapFission", "mapFusion"]);
    let budget = Budget { memory: BOUND, ..Budget::default() };
    let cancel = AtomicBool::new(false);
    let mut search = Search::new(&start, &sketch("contains(gather)"), &rules, &budget).unwrap();
    // What is held already is asked for before the first step.
    let nothing = || 0;
    let mut before =
        Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &nothing, progress: &mut |_| {} };
    assert!(!search.advance(&mut before));
    // Between two steps there is memory. While a rule is matched there is none from the second time on that it is asked.
    let asked = std::cell::Cell::new(0);
    let rss = || {
        asked.set(asked.get() + 1);
        if asked.get() > 1 { BOUND + 1 } else { 0 }
    };
    let mut control = Control { cancel: &cancel, now: &|| Duration::ZERO, rss: &rss, progress: &mut |_| {} };
    let mut steps = 0;
    loop {
        let matching = matches!(search.phase(), Phase::Match(_));
        asked.set(0);
        if search.advance(&mut control) {
            assert!(matching, "it ended elsewhere");
            break;
        }
        steps += 1;
        assert!(steps < 50_000, "the rule is matched again and again");
    }
    let report = search.run(&mut control);
    assert!(
        matches!(report.outcome, Outcome::Limit(Limit::Memory { bound: BOUND, reached }) if reached == BOUND + 1),
        "{report}"
    );
}

/// Random pipelines over arrays.
struct Draw {
    rng: Rng,
}

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n as u64) as usize
    }
    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn program(&mut self) -> String {
        let dims = 1 + self.below(3);
        let sizes = ["(4*n).", "m.", "k."];
        let ty: String = sizes[..dims].concat();
        let stages = 1 + self.below(3);
        let body = self.stages("a", dims, stages);
        match self.below(4) {
            0 => format!("def f (a: {ty}f32) (b: {ty}f32) = zip ({body}) b |> map fst"),
            1 => format!("def f (a: {ty}f32) = let c = {} in {}", body, self.stages("c", dims, 1)),
            _ => format!("def f (a: {ty}f32) = {body}"),
        }
    }

    /// What keeps the number of dimensions.
    fn stages(&mut self, x: &str, dims: usize, count: usize) -> String {
        (0..count).fold(x.to_owned(), |text, _| format!("{text} |> {}", self.stage(dims)))
    }

    fn stage(&mut self, dims: usize) -> String {
        match (self.below(8), dims) {
            (_, 0) => self
                .pick(&["sqrt", "abs", "(\\x. x + 1)", "(\\x. x * x)", "(\\x. fst (makePair x 1.0f32))"])
                .into(),
            (0, 2..) => "transpose |> transpose".into(),
            (1, _) => "split 2 |> join".into(),
            (2, _) => "map (\\x. x)".into(),
            (3, _) => format!("map (\\y. {})", self.stages("y", dims - 1, 1)),
            (4, _) => format!("(\\q. {})", self.stages("q", dims, 1)),
            (5, _) => format!("map (\\y. fst (makePair ({}) y))", self.stages("y", dims - 1, 1)),
            (_, 1) => format!("map {}", self.stage(0)),
            (_, _) => format!("map ({})", self.section(dims - 1)),
        }
    }

    fn section(&mut self, dims: usize) -> String {
        if dims == 0 { self.stage(0) } else { format!("map ({})", self.section(dims - 1)) }
    }

    fn rules(&mut self, set: &RuleSet) -> Vec<RuleUse> {
        const POOL: [&str; 19] = [
            "mapFusion",
            "mapFission",
            "mapLastFission",
            "removeTransposePair",
            "eliminateMapIdentity",
            "splitJoin(2)",
            "splitJoin2(2)",
            "removeSplitJoin",
            "removeJoinSplit",
            "splitBeforeMap",
            "mapMapFBeforeJoin",
            "mapMapFBeforeTranspose",
            "transposeBeforeMapMapF",
            "fstReduction",
            "mapFstZip",
            "mapEtaAbstraction",
            "useMapSeq",
            "mapOutsideZip1",
            "zipSame",
        ];
        let count = 1 + self.below(3);
        let names: Vec<&str> = (0..count).map(|_| self.pick(&POOL)).collect();
        let mut rules = uses(set, &names);
        rules.dedup();
        rules
    }

    /// A rule that is held back, now and then.
    fn held(&mut self, rules: &[RuleUse]) -> Vec<Held> {
        let when = [When::Iterations(1 + self.below(3)), When::Matches(1 + self.below(30))][self.below(2)];
        let rule = rules[self.below(rules.len())].rule.name.clone();
        if self.below(4) == 0 { vec![Held { rule, when }] } else { vec![] }
    }

    /// A sketch that the term satisfies.
    fn sketch(&mut self, t: &Term) -> Sketch {
        if self.below(3) == 0 {
            return self.shape(t, 0);
        }
        let all = t.positions();
        let parts: Vec<&Term> = all.iter().map(|(_, part)| *part).filter(|p| p.size() > 2).collect();
        match parts.len() {
            0 => Sketch::any(),
            n => {
                let part = parts[self.below(n)];
                Sketch::contains(self.shape(part, 0))
            }
        }
    }

    /// The term with holes in it; variables that are bound outside are holes.
    fn shape(&mut self, t: &Term, binders: u32) -> Sketch {
        if self.below(12) == 0 {
            return Sketch::any();
        }
        match t.expr() {
            Expr::Var(i) if *i < binders => Sketch::new(Shape::Var(*i)),
            Expr::Var(_) => Sketch::any(),
            Expr::Lam(_, body) => Sketch::new(Shape::Lam(self.shape(body, binders + 1))),
            Expr::App(f, e) => {
                let f = self.shape(f, binders);
                Sketch::app(f, self.shape(e, binders))
            }
            Expr::Prim(p) => {
                Sketch::new(Shape::Pattern(p.pattern, p.args.iter().map(|_| ArgSketch::Any).collect()))
            }
            Expr::Lit(_) => {
                let digits: Name = "1".into();
                let one = Sketch::new(Shape::Number(Number { digits, scalar: None }));
                if one.satisfied_by(t) { one } else { Sketch::any() }
            }
        }
    }
}

/// Every program that the rules make of one, in at most so many steps; breadth first, and no more than so many.
fn reachable(start: &Term, rules: &[RuleUse], depth: usize, most: usize) -> Vec<Term> {
    let mut seen: HashSet<_> = [start.digest()].into();
    let mut all = vec![start.clone()];
    let mut level = 0..1;
    for _ in 0..depth {
        for i in level.clone() {
            let here = all[i].clone();
            let places: Vec<Path> = here.positions().into_iter().map(|(path, _)| path).collect();
            for (path, rule) in places.iter().flat_map(|path| rules.iter().map(move |r| (path, r))) {
                if all.len() >= most {
                    return all;
                }
                if let Ok(next) = apply_at(&here, path, &rule.rule, &rule.args)
                    && seen.insert(next.term.digest())
                {
                    all.push(next.term);
                }
            }
        }
        level = level.end..all.len();
    }
    all
}

/// Do two programs of the same type have the same value? No where that cannot be told, as of sizes that do not divide.
fn means_the_same(start: &Term, found: &Term, seed: u64) -> bool {
    use crate::lang::eval::inputs::{Kind, for_program};
    use crate::lang::eval::{Limits, run, sizes};
    let sizes = sizes([("n", 24), ("m", 12), ("k", 8)]);
    let inputs = for_program(start.ty(), &sizes, seed, Kind::SmallIntegers).unwrap();
    let (Ok(a), Ok(b)) =
        (run(start, &sizes, &inputs, &Limits::TEST), run(found, &sizes, &inputs, &Limits::TEST))
    else {
        return false;
    };
    assert_eq!(format!("{a:?}"), format!("{b:?}"), "seed {seed}: {start:?}\n{found:?}");
    true
}

/// The seeds `0..60`, or others, as `SEARCHES=60..10060` in the environment.
#[test]
fn what_a_strategy_reaches_is_never_said_to_be_impossible() {
    let given = std::env::var("SEARCHES").unwrap_or_else(|_| "0..60".to_owned());
    let (from, to) = given.split_once("..").unwrap();
    check(from.parse().unwrap()..to.parse().unwrap());
}

/// Random programs, rules and goals that a few steps reach: none of these is said to be impossible, and what is found means the
/// same.
fn check(seeds: std::ops::Range<u64>) {
    let set = rule_set();
    let reductions = uses(&set, &["betaReduction", "etaReduction"]);
    let mut told: std::collections::BTreeMap<&str, usize> = Default::default();
    for seed in seeds {
        let mut draw = Draw { rng: Rng::new(seed) };
        let text = draw.program();
        let start = term(&text);
        let rules = draw.rules(&set);
        let all: Vec<RuleUse> = rules.iter().chain(&reductions).cloned().collect();
        let reached = reachable(&start, &all, 4, 400);
        let dims = [1, 2, 3, 4, 6][draw.below(5)];
        let size = [10, 30, 60, 300][draw.below(4)];
        let budget = Budget {
            filter: Filter { dims, size },
            normal: draw.below(4) != 0,
            nodes: 1500,
            iterations: 10,
            held: draw.held(&rules),
            ..Budget::default()
        };
        for _ in 0..2 {
            let goal_term = &reached[draw.below(reached.len())];
            let goal = draw.sketch(goal_term);
            assert!(goal.describes(goal_term), "{goal}");
            assert_eq!(goal.ill_typed(), None, "{goal}");
            if !goal.satisfied_by(goal_term) {
                continue;
            }
            let report = search(&start, &goal, &rules, &budget);
            let names: Vec<String> = rules.iter().map(ToString::to_string).collect();
            let kind = match &report.outcome {
                Outcome::Found(found) => {
                    if means_the_same(&start, &found.term, seed) {
                        *told.entry("agrees").or_default() += 1;
                    }
                    "found"
                }
                Outcome::Impossible => panic!(
                    "seed {seed}: {text}\nusing {names:?} with {budget:?}\nsaid to be impossible: {goal}\nreached: {goal_term:?}"
                ),
                Outcome::Incomplete(_) => "incomplete",
                Outcome::Limit(_) => "limit",
                Outcome::Stopped => "stopped",
                Outcome::Broken(d) => panic!("seed {seed}: {text}\nusing {names:?}: {d} {:?}", d.notes),
            };
            *told.entry(kind).or_default() += 1;
            // Something that nothing reaches.
            let none = search(&start, &sketch("contains(gather)"), &rules, &budget);
            *told
                .entry(if matches!(none.outcome, Outcome::Impossible) {
                    "none: impossible"
                } else {
                    "none: other"
                })
                .or_default() += 1;
        }
    }
    assert!(told["found"] > 0 && told["none: impossible"] > 0, "{told:?}");
    assert!(2 * told["agrees"] > told["found"], "{told:?}");
}

/// In a graph of one program every class is one part of it, so that the e-graph's matcher must find what the matcher on
/// terms finds, part by part, and make the same of it.
#[test]
fn both_matchers_find_the_same() {
    let set = rule_set();
    let (mut matched, mut not_matched) = (0, 0);
    for seed in 0..150 {
        let mut draw = Draw { rng: Rng::new(seed) };
        let start = term(&draw.program());
        let params = written_params(&start);
        let start = normal_form_with(&params, &start).unwrap();
        for rule in draw.rules(&set) {
            let equation = rule.rule.equation(&rule.args).unwrap();
            let mut graph = Graph::new();
            graph.encode(&start).unwrap();
            let searched = Searched { equation, computed: None };
            let program = compile(&mut graph, searched, &rule.rule.params, &rule.args).unwrap();
            graph.rebuild();
            let mut memo = SizeMemo::default();
            let found = matcher::search(&mut graph, &program, &mut memo, None, &mut |_| false).unwrap();
            let mut made: HashMap<Id, Vec<Term>> = HashMap::new();
            for m in found.iter() {
                let mut builder = Builder::new(&mut graph, &program, &mut memo, m).unwrap();
                let Some((left, right)) = builder.sides(m) else { continue };
                let [left, right] = [left, right].map(|id| graph.decoder().term(id).unwrap());
                assert_eq!(graph.decoder().best(m.root()), Some(left));
                made.entry(m.root()).or_default().push(normal_form(&right).unwrap());
            }
            for (at, part) in start.positions() {
                // Functions that are written out with their parameters are the program's own, not in normal form.
                if at.len() < params.len() {
                    continue;
                }
                let class = graph.encode(part).map(|id| graph.find(id)).unwrap();
                let here = made.get(&class).map_or(&[][..], Vec::as_slice);
                match rule.rule.apply(part, &rule.args) {
                    Ok(done) if equation.applied.is_none() || !here.is_empty() => {
                        matched += 1;
                        let expected = normal_form(&done.term).unwrap();
                        assert!(
                            here.contains(&expected),
                            "seed {seed}: {rule} at {at}: {part:?} gives {here:?}"
                        );
                    }
                    Ok(_) => {}
                    Err(why) => {
                        not_matched += 1;
                        assert!(
                            here.is_empty(),
                            "seed {seed}: {rule} at {at}: {part:?}: {why}, gives {here:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(matched > 200 && not_matched > 200, "{matched} {not_matched}");
}

#[test]
fn an_iteration_that_a_limit_cut_short_is_among_those_by_which_the_graph_has_grown() {
    let start =
        term("def f (a: n.f32): n.f32 = a |> map (\\x. x + 1) |> map (\\x. x * 2) |> map (\\x. x + 3)");
    let rules = uses(&rule_set(), &["mapFusion", "mapFission", "splitJoin(4)", "splitJoin(8)"]);
    let goal = sketch("contains(reduceSeq)");
    let cut = [300, 400, 600, 900, 1500].into_iter().filter(|nodes| {
        let report = search(&start, &goal, &rules, &Budget { nodes: *nodes, ..Budget::default() });
        assert!(matches!(report.outcome, Outcome::Limit(Limit::Nodes { .. })), "{:?}", report.outcome);
        assert_eq!(report.grown.len(), report.iterations.len(), "{nodes}");
        let last = (report.grown.last().unwrap(), report.iterations.last().unwrap());
        assert_eq!((last.0.nodes, last.0.classes), (last.1.nodes, last.1.classes));
        report.stop.matches > 0
    });
    assert!(cut.count() > 0, "no limit was met within an iteration");
}
