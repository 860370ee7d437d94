//! What others call strategies and give to them, and what to write instead.

use super::script::{Script, names_of};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::syntax::ast::{self, Node, Shape, ShapeKind, Strategy, StrategyKind};

/// Names, and what is written for what they mean elsewhere.
const ROWS: &[(&[&str], &str)] = &[
    (
        &[
            "gpu",
            "cuda",
            "device",
            "ocl",
            "nvidia",
            "amd",
            "metal",
            "vulkan",
            "hip",
            "rocm",
            "sycl",
            "accelerator",
        ],
        "Code for devices is OpenCL's: `auto(opencl)`.",
    ),
    (
        &["openmp", "omp", "threads", "host", "parallel", "parallelise", "parallelize", "multicore"],
        "Code for processors, on threads where there is enough to compute, is made by `auto`.",
    ),
    (
        &["simd", "vectorise", "vectorize", "avx"],
        "`auto` takes vectors where they help; `shine-tui strategies` lists what makes them by name.",
    ),
    (
        &["search", "find", "explore", "synthesize", "synthesise"],
        "A search is written `reach SKETCH`, as in `reach contains(mapPar)`.",
    ),
    (
        &["fuse", "fusion", "fuseAll"],
        "`topDown(mapFusion)` fuses two maps, `normalize(mapFusion)` all of them.",
    ),
    (
        &["everywhere", "anywhere", "wherever"],
        "`tryAll(s)` applies `s` wherever it succeeds, `normalize(s)` as long as it succeeds anywhere.",
    ),
    (
        &["optimise", "optimize", "schedule", "default", "best", "fastest"],
        "Good code for any program is made by `auto`.",
    ),
];

/// What to write for a name of others.
pub(super) fn named(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let row = ROWS.iter().find(|(names, _)| names.iter().any(|n| n.to_lowercase() == lower));
    row.map(|(_, hint)| *hint)
}

/// A strategy that lacks arguments where it is to run, with what to write instead where others write it so.
pub(super) fn mended_lack(problem: Diagnostic, text: &Strategy, script: &Script) -> Diagnostic {
    let (name, args) = match &text.kind {
        StrategyKind::Name(name) => (name, &[][..]),
        StrategyKind::Call(head, args) => (&head.kind, args.as_slice()),
        _ => return problem,
    };
    let clause = script.strategy(name).and_then(|def| def.clauses.first());
    let (Some(clause), "E0308") = (clause, problem.code) else { return problem };
    let params = names_of(&clause.def.params);
    let has_value = |p: &Shape| matches!(p.kind, ShapeKind::Default(..));
    let required = names_of(&clause.def.params)
        .into_iter()
        .zip(&clause.def.params)
        .filter(|(_, p)| !has_value(p))
        .map(|(name, _)| name.to_string())
        .collect::<Vec<_>>();
    let hint = match args {
        [] if is_option_of_auto(&params) => option_of_auto(name),
        [Strategy { kind: StrategyKind::List(items), .. }] if items.len() == params.len() => {
            match items.iter().map(number).collect::<Option<Vec<_>>>() {
                Some(numbers) => no_list(name, &numbers),
                None => return problem,
            }
        }
        // The first clause may have a number in the place of a name.
        _ if required.is_empty() || required.iter().any(|name| name == "_") => return problem,
        _ => format!("Write `{name}({})`, with a value for each.", required.join(", ")),
    };
    Diagnostic { hints: vec![hint], ..problem }
}

/// That arguments are given as one list.
pub(super) fn no_list(name: &str, items: &[String]) -> String {
    format!("They are arguments, and no list: write `{name}({})`.", items.join(", "))
}

/// That a strategy is what `auto` can be told.
pub(super) fn option_of_auto(name: &str) -> String {
    format!("It is an option, and no strategy by itself: write `auto({name})`.")
}

/// Are these the parameters of what `auto` can be told?
pub(super) fn is_option_of_auto(params: &[Name]) -> bool {
    params.len() == 3 && params.first().is_some_and(|p| &**p == "next")
}

/// A call that has too many arguments, with what to write instead where others write such calls.
pub(super) fn mended_call(problem: Diagnostic, head: &Node<Name>, args: &[Strategy]) -> Diagnostic {
    if problem.code != "E0308" {
        return problem;
    }
    let numbers: Option<Vec<String>> = args.iter().map(number).collect();
    let hint = match (&*head.kind, numbers, args) {
        ("reorder", Some(numbers), _) => {
            format!("The numbers of the loops stand in a list: write `reorder([{}])`.", numbers.join(", "))
        }
        ("interchange", Some(_), _) => {
            "Loops in another order are a list of their numbers, `reorder([2, 1])`; `interchange(1)` \
                                        exchanges the first with the one in it."
                .into()
        }
        ("repeat", _, [a, b]) if let Some(n) = number(a).or_else(|| number(b)) => {
            format!("`repeatN({n}, s)` applies `s` so many times, `repeat(s)` as often as it can be applied.")
        }
        _ => return problem,
    };
    Diagnostic { hints: vec![hint], ..problem }
}

/// A number as it is written.
fn number(s: &ast::Strategy) -> Option<String> {
    match &s.kind {
        StrategyKind::Number(number) => Some(number.digits.to_string()),
        _ => None,
    }
}
