//! A search that stopped, for want of memory or otherwise: another one of the same stops where it did, and both go on alike.

use crate::lang_common::read;
use shine_tui::lang::diag::{FileId, Sources};
use shine_tui::lang::nat::Nat;
use shine_tui::lang::syntax::parse_sketch;
use shine_tui::lang::term::Term;
use shine_tui::rewrite::rule::{RuleArg, RuleSet, RuleUse};
use shine_tui::rewrite::search::options::When;
use shine_tui::rewrite::search::{
    Budget, Control, Held, Limit, Outcome, Pause, Report, Search, reach, trail,
};
use shine_tui::rewrite::sketch::{self, Library, Sketch};
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn sketch(text: &str) -> Sketch {
    let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
    assert!(problems.is_empty(), "{problems:?}");
    sketch::read(&tree, &Library::builtin(), &["n".into(), "m".into()]).unwrap()
}

/// A program, and rules that change it again and again.
fn start() -> (Term, Vec<RuleUse>) {
    let program = read("def f (a: (8*n).m.f32) = a |> map (map sqrt) |> map (map abs)").unwrap();
    let set = RuleSet::builtin(&mut Sources::new()).0;
    let by_two = vec![RuleArg::Nat(Nat::constant(2))];
    let rules = [("mapFusion", vec![]), ("splitJoin", by_two), ("mapFission", vec![])];
    (program.term, rules.map(|(name, args)| set.use_of(name, args).unwrap()).into())
}

fn small() -> Budget {
    Budget { nodes: 4000, iterations: 12, ..Budget::default() }
}

/// Runs what is stopped when it has looked at its clock so often.
fn stopped_after<T>(most: usize, run: impl FnOnce(&mut Control<'_>) -> T) -> T {
    let calls = std::cell::Cell::new(0);
    let cancel = AtomicBool::new(false);
    let clock = || {
        calls.set(calls.get() + 1);
        cancel.store(calls.get() > most, std::sync::atomic::Ordering::Relaxed);
        Duration::ZERO
    };
    run(&mut Control { cancel: &cancel, now: &clock, rss: &|| 0, progress: &mut |_| {} })
}

/// As [`stopped_after`], but memory is short from then on.
fn short_after<T>(most: usize, run: impl FnOnce(&mut Control<'_>) -> T) -> T {
    let calls = std::cell::Cell::new(0);
    let rss = || {
        calls.set(calls.get() + 1);
        if calls.get() > most { u64::MAX / 2 } else { 0 }
    };
    let never = AtomicBool::new(false);
    run(&mut Control { cancel: &never, now: &|| Duration::ZERO, rss: &rss, progress: &mut |_| {} })
}

/// Where a search stopped says where another is to stop, and what it then has.
#[test]
fn a_search_can_be_stopped_where_another_stopped() {
    let (start, rules) = start();
    let goal = sketch("contains(gather)");
    let mut labels = HashSet::new();
    for most in 1..400 {
        let first = stopped_after(most, |stops| reach(&start, &goal, &rules, &small(), stops)).unwrap();
        let label = first.rules.get(first.stop.rule).map(|r| r.label.clone());
        let never = AtomicBool::new(false);
        let mut control =
            Control { cancel: &never, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
        let mut again = Search::new(&start, &goal, &rules, &small()).unwrap();
        again.stop_at(first.stop.iteration, label.as_deref(), first.stop.matches);
        let again = again.run(&mut control);
        assert_eq!((again.stop, again.nodes, again.classes), (first.stop, first.nodes, first.classes));
        labels.insert(label);
    }
    assert!(labels.len() > 3 && labels.contains(&None), "{labels:?}");
}

/// Where a search ended, for want of memory or otherwise, and went on, with a higher limit and perhaps for another sketch and
/// with other rules held back, another one of the same does so, and comes to the same end.
#[test]
fn a_search_goes_on_where_it_ended_and_another_repeats_that() {
    let (start, rules) = start();
    let goals =
        ["contains(gather)", "contains(split 2 (split 2 ?))", "contains(\\x. abs (sqrt ?))"].map(sketch);
    let (mut found, mut given, mut labels) = (0, 0, HashSet::new());
    for most in 1..400 {
        let held =
            Held { rule: "mapFission".into(), when: [When::Iterations(1), When::Matches(2)][most % 2] };
        let held = if most % 4 == 1 { vec![held] } else { vec![] };
        let few = Budget { nodes: 40 + 3 * most, held, ..small() };
        let mut search = Search::new(&start, &goals[0], &rules, &few).unwrap();
        let first = match most % 2 {
            0 => short_after(most / 2, |stops| search.run(stops)),
            _ => stopped_after(most, |stops| search.run(stops)),
        };
        assert!(search.can_go_on(), "{first}");
        let given_back = matches!(first.outcome, Outcome::Limit(Limit::Memory { .. }));
        given += usize::from(given_back);
        let never = AtomicBool::new(false);
        let mut control =
            Control { cancel: &never, now: &|| Duration::ZERO, rss: &|| 0, progress: &mut |_| {} };
        let goal = &goals[most % 3];
        search.go_on(goal, &small(), &mut control).unwrap();
        let last = search.run(&mut control);
        let label = first.rules.get(first.stop.rule).map(|r| r.label.clone());
        let mut again = Search::new(&start, goal, &rules, &small()).unwrap();
        let pause = Pause { at: first.stop, nodes: few.nodes, held: few.held.clone(), given_back };
        again.pause_at(&[(pause, label.clone())]);
        let repeated = again.run(&mut control);
        let term = |r: &Report| r.found().map(|f| f.term.clone());
        assert_eq!(
            (repeated.stop, repeated.nodes, repeated.classes, term(&repeated)),
            (last.stop, last.nodes, last.classes, term(&last)),
            "{most}"
        );
        if last.found().is_some() {
            found += 1;
            assert!(trail(&mut search, &start, &last, &control).is_ok());
        }
        labels.insert(label);
    }
    assert!(found > 20 && given > 10 && labels.len() > 3, "{found} {given} {labels:?}");
}
