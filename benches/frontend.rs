//! How long it takes to read a program: parsing and inference, of every kernel and of generated programs of growing
//! size. The goals: Harris below 10 ms, 10,000 nodes below 150 ms, and growth that is close to linear.
#![allow(clippy::unwrap_used, clippy::panic, reason = "this measures, and stops at the first mistake")]

mod programs;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shine_tui::lang::diag::{Diagnostic, Sources};
use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::syntax;
use std::hint::black_box;

fn read(text: &str) -> Program {
    let mut sources = Sources::new();
    let id = sources.add("program", text);
    let (file, mut problems) = syntax::parse_program(id, text);
    let (program, found) = infer::program(&file, None);
    problems.extend(found);
    let errors: Vec<String> =
        problems.iter().filter(|d| Diagnostic::is_error(d)).map(|d| d.render(&sources)).collect();
    program.unwrap_or_else(|| panic!("{}", errors.join("\n")))
}

fn kernels(c: &mut Criterion) {
    let mut group = c.benchmark_group("kernel");
    group.sample_size(20);
    for (name, text) in programs::kernels() {
        group.throughput(Throughput::Elements(u64::from(read(&text).term.size())));
        group.bench_function(&name, |b| b.iter(|| read(black_box(&text))));
    }
}

fn generated(c: &mut Criterion) {
    for (shape, make) in programs::SHAPES {
        let mut group = c.benchmark_group(*shape);
        group.sample_size(10);
        for nodes in [1_000, 3_000, 10_000, 30_000] {
            let text = make(nodes);
            let size = read(&text).term.size();
            assert!(size as usize >= nodes, "{shape}: {size} of {nodes} nodes");
            group.throughput(Throughput::Elements(u64::from(size)));
            group.bench_with_input(BenchmarkId::from_parameter(nodes), &text, |b, text| {
                b.iter(|| read(black_box(text)))
            });
        }
    }
}

criterion_group!(benches, kernels, generated);
criterion_main!(benches);
