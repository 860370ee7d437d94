//! The rules of `rules/`: they load, their examples hold, and they keep the meaning of random programs.

use shine_tui::lang::diag::{Severity, Sources};
use shine_tui::lang::root::Root;
use shine_tui::rewrite::rule::check::{Thoroughness, check};
use shine_tui::rewrite::rule::lint::{FindingKind, Level, lint};
use shine_tui::rewrite::rule::{Rule, RuleSet};

fn library() -> RuleSet {
    let mut sources = Sources::new();
    let (rules, problems) = RuleSet::builtin_checked(&mut sources);
    let shown: Vec<String> = problems.iter().map(|p| p.render(&sources)).collect();
    assert!(problems.iter().all(|p| p.severity < Severity::Warning), "{}", shown.join("\n"));
    rules
}

#[test]
fn every_rule_loads() {
    assert!(library().len() > 90);
}

#[test]
fn rules_that_are_read_when_they_are_used_are_those_that_were_read_at_once() {
    let (now, (later, problems)) = (library(), RuleSet::builtin(&mut Sources::new()));
    assert!(problems.is_empty() && now.len() == later.len());
    for (a, b) in now.rules().zip(later.rules()) {
        // Equations and examples have no equality; their texts are told apart by all that is in them.
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
    assert_eq!(now.aliases().collect::<Vec<_>>(), later.aliases().collect::<Vec<_>>());
    let sets = |rules: &RuleSet| rules.sets().map(|s| format!("{s:?}")).collect::<Vec<_>>();
    assert_eq!(sets(&now), sets(&later));
}

#[test]
fn every_example_is_what_its_rule_does() {
    let mut wrong = vec![];
    for rule in library().rules() {
        assert!(
            rule.theme.as_ref() == "built-in" || !rule.examples.is_empty(),
            "{} has no example",
            rule.name
        );
        for example in rule.examples.iter() {
            let roots = rule.roots(&example.args);
            assert!(roots.is_none_or(|roots| roots.contains(&Root::of(&example.before))), "{}", rule.name);
            wrong.extend(example.differs(rule).map(|how| format!("{}: {how}", rule.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_keeps_the_meaning() {
    let library = library();
    let rules: Vec<&Rule> = library.rules().collect();
    let (first, second) = rules.split_at(rules.len() / 2);
    let wrong = std::thread::scope(|scope| {
        let others = scope.spawn(|| that_change_the_meaning(second));
        let mut wrong = that_change_the_meaning(first);
        wrong.extend(others.join().unwrap());
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn that_change_the_meaning(rules: &[&Rule]) -> Vec<String> {
    let mut wrong = vec![];
    for rule in rules {
        let report = check(rule, &Thoroughness { instances: 40, ..Thoroughness::default() });
        if let Some(example) = &report.counterexample {
            wrong.push(example.to_string());
        } else if report.agreed < 40 || !report.verdict().is_good() {
            let draws = report.agreed + report.in_vain();
            wrong.push(format!(
                "{}: only {} of {draws} draws were instances: {:?}",
                rule.name, report.agreed, report.missed
            ));
        }
    }
    wrong
}

#[test]
fn no_rule_says_what_another_says() {
    let rules = library();
    let findings = lint(&rules, &|_| true);
    let errors: Vec<String> =
        findings.iter().filter(|f| f.kind.level() == Level::Error).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    let bare = |k: &FindingKind| matches!(k, FindingKind::NoExample | FindingKind::NoDoc);
    let undocumented: Vec<&str> = findings.iter().filter(|f| bare(&f.kind)).map(|f| &*f.rule.name).collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
}
