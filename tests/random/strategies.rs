//! What users do with their programs: strategies of the library and lowering rules.

use shine_tui::lang::diag::{FileId, Sources};
use shine_tui::lang::infer::Program;
use shine_tui::lang::syntax::parse_strategy;
use shine_tui::rewrite::rule::RuleSet;
use shine_tui::rewrite::strategy::{self, Control, Env, NoSearch, Script};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

pub const ALL: [&str; 25] = [
    "topDown(useMapPar)",
    "topDown(useMapSeq)",
    "normalize(useMapSeq)",
    "normalize(useReduceSeq)",
    "normalize(useMapSeq <+ useReduceSeq)",
    "topDown(useMapPar) ; normalize(useReduceSeq)",
    "bottomUp(useMapPar)",
    "topDown(useMapStream)",
    "topDown(useIterateStream)",
    "topDown(useCircularBuffer)",
    "topDown(useRotateValues)",
    "normalize(useMapSeqUnroll)",
    "DFNF",
    "RNF",
    "CNF",
    "reducedFusedForm",
    "topDown(mapFusion) ; topDown(useMapPar)",
    "normalize(reduceMapFusion)",
    "topDown(storeToMem)",
    "topDown(mapArray) ; topDown(useMapPar)",
    "topDown(splitJoin(2)) ; topDown(useMapPar)",
    "topDown(vectorizeAfter(2))",
    "topDown(vectorize(2))",
    "vectorize(2) @ innermost(isFullyAppliedMap)",
    "interchange(1)",
];

static LIBRARY: LazyLock<(RuleSet, Script)> = LazyLock::new(|| {
    let mut sources = Sources::new();
    (RuleSet::builtin(&mut sources).0, Script::library(&mut sources).0)
});

/// Strategies take so many steps at most that make pipelines of programs.
pub const OF_PIPELINES: u64 = 5_000_000;

/// The program after the strategy; none where it does not apply.
pub fn apply(program: &Program, strategy: &str) -> Option<Program> {
    apply_within(300_000, program, strategy)
}

/// The program after the strategy, which may take so many steps.
pub fn apply_within(fuel: u64, program: &Program, strategy: &str) -> Option<Program> {
    let (rules, script) = &*LIBRARY;
    let (tree, problems) = parse_strategy(FileId::NOWHERE, strategy);
    assert!(problems.is_empty(), "{strategy}");
    let env = Env { rules, sizes: &program.sizes, known: None };
    let mut search = NoSearch;
    let mut control = Control { cancel: &AtomicBool::new(false), fuel, search: &mut search };
    let done = strategy::run(&tree, &program.term, script, &env, &mut control).ok()?;
    done.term.check().unwrap();
    Some(program.with_term(done.term))
}
