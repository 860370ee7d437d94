//! How long it takes from a rewritten program to its code: the default lowering, every pass with the check after it, and
//! the text. The goal: the largest program, `cbufRrot` of Harris, below 50 ms.
#![allow(clippy::unwrap_used, clippy::panic, reason = "this measures, and stops at the first mistake")]

mod programs;

use criterion::{Criterion, criterion_group, criterion_main};
use shine_tui::lang::diag::{FileId, Sources};
use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::syntax;
use shine_tui::lower::Target;
use shine_tui::rewrite::rule::RuleSet;
use shine_tui::rewrite::strategy::{self, Control, Env, NoSearch, Script};
use shine_tui::{emit, lower};
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Programs, and the strategies before they are compiled.
const RUNS: &[(&str, &str, Target)] = &[
    ("harris", "cbufRrot", Target::C),
    ("harrisPadded", "cbufRrot", Target::C),
    ("harris", "cbuf", Target::C),
    ("harris", "auto", Target::C),
    ("harris", "auto(opencl)", Target::OpenCl),
    ("matmul", "parallel", Target::C),
    ("matmul", "anySize(32, 32, 4, parallel)", Target::C),
    ("matmul", "workItems", Target::OpenCl),
    ("matmul", "auto(opencl)", Target::OpenCl),
    ("molecularDynamics", "auto(opencl)", Target::OpenCl),
];

/// The kernel after the strategy, which may be one of the file beside it.
fn rewritten(kernel: &str, strategy: &str) -> Program {
    let (_, text) = programs::kernels().into_iter().find(|(name, _)| name == kernel).unwrap();
    let mut sources = Sources::new();
    let id = sources.add(kernel, text.as_str());
    let program = infer::program(&syntax::parse_program(id, &text).0, None).0.unwrap();
    let rules = RuleSet::builtin(&mut sources).0;
    let mut script = Script::library(&mut sources).0;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../kernels/{kernel}/{kernel}.elevate"));
    if let Ok(own) = std::fs::read_to_string(own) {
        script.add(&syntax::parse_elevate(sources.add("own", own.as_str()), &own).0, false);
    }
    let (tree, problems) = syntax::parse_strategy(FileId::NOWHERE, strategy);
    assert!(problems.is_empty(), "{strategy}");
    let env = Env { rules: &rules, sizes: &program.sizes, known: None };
    let mut search = NoSearch;
    let mut control = Control { cancel: &AtomicBool::new(false), fuel: 10_000_000, search: &mut search };
    let done = strategy::run(&tree, &program.term, &script, &env, &mut control);
    let done = done.unwrap_or_else(|_| panic!("{kernel}: {strategy} does not apply"));
    program.with_term(done.term.numbered())
}

fn compilation(c: &mut Criterion) {
    let mut group = c.benchmark_group("compile");
    group.sample_size(20);
    for (kernel, strategy, target) in RUNS {
        let program = rewritten(kernel, strategy);
        group.bench_function(format!("{kernel} {strategy}"), |b| {
            b.iter(|| {
                let lowered = lower::default_lowering(black_box(&program)).unwrap();
                emit::compile(&lowered, *target, None).unwrap()
            });
        });
    }
}

criterion_group!(benches, compilation);
criterion_main!(benches);
