//! The texts of `rules/`, embedded.

use super::load::Source;
use super::{RuleSet, RuleUse};
use crate::lang::nat::Name;
use crate::lang::source::Sources;
use include_dir::{Dir, include_dir};
use std::collections::HashSet;
use std::sync::LazyLock;

static RULES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../rules");

/// The files of rules, sorted by name.
pub fn rules() -> Vec<Source<'static>> {
    files("", "rules")
}

/// The files of strategies, sorted by name.
pub fn strategies() -> Vec<Source<'static>> {
    files("elevate", "elevate")
}

fn files(folder: &str, extension: &str) -> Vec<Source<'static>> {
    let dir = if folder.is_empty() { Some(&RULES) } else { RULES.get_dir(folder) };
    let mut out: Vec<Source> = dir
        .into_iter()
        .flat_map(Dir::files)
        .filter(|f| f.path().extension().is_some_and(|e| e == extension))
        .filter_map(|f| Some(Source { label: f.path().to_str()?, text: f.contents_utf8()? }))
        .collect();
    out.sort_by_key(|s| s.label);
    out
}

/// What shows a rule, where it is one of these: of others it is not known here which files they are of.
pub fn shown_by(rule: &str) -> Option<String> {
    static NAMES: LazyLock<HashSet<Name>> = LazyLock::new(|| {
        let mut all = RuleSet::default();
        all.load_later(&mut Sources::new(), &rules());
        all.rules().map(|rule| rule.name.clone()).collect()
    });
    NAMES.contains(rule).then(|| format!("`shine-tui rules {rule}` shows the rule with an example."))
}

/// The rules that every search has: beta and eta reduction, of `lambda.rules`.
pub fn reductions() -> &'static [RuleUse] {
    static REDUCTIONS: LazyLock<Vec<RuleUse>> = LazyLock::new(|| {
        let mut rules = RuleSet::default();
        let lambda: Vec<Source> = self::rules().into_iter().filter(|s| s.label == "lambda.rules").collect();
        rules.load_later(&mut Sources::new(), &lambda);
        [BETA, ETA].iter().filter_map(|name| rules.use_of(name, vec![])).collect()
    });
    &REDUCTIONS
}

/// Their names.
pub const BETA: &str = "betaReduction";
pub const ETA: &str = "etaReduction";
