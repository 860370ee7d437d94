//! How fast the interpreter is. The goal: a matrix multiplication of 256 in each dimension below 2 s.
#![allow(clippy::unwrap_used, clippy::panic, reason = "this measures, and stops at the first mistake")]

mod programs;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shine_tui::lang::diag::Sources;
use shine_tui::lang::eval::{self, Limits, inputs};
use shine_tui::lang::{infer, syntax, work};
use std::hint::black_box;

/// Programs and the sizes to run them at.
const RUNS: &[(&str, &[(&str, i64)])] = &[
    ("matmul", &[("m", 256), ("n", 256), ("k", 256)]),
    ("dot", &[("k", 1 << 20)]),
    ("transposition", &[("m", 512), ("n", 512)]),
    ("convolution", &[("n", 128), ("m", 128)]),
    ("harris", &[("n", 64), ("m", 64)]),
    ("kMeans", &[("n", 1024), ("k", 10), ("d", 8)]),
    ("nBody", &[("n", 256)]),
    ("molecularDynamics", &[("n", 256), ("k", 32)]),
    ("mriQ", &[("n", 256), ("k", 256)]),
];

fn programs(c: &mut Criterion) {
    let mut group = c.benchmark_group("interpreter");
    group.sample_size(10);
    for (kernel, sizes) in RUNS {
        let (_, text) = programs::kernels().into_iter().find(|(name, _)| name == kernel).unwrap();
        let id = Sources::new().add(kernel, text.as_str());
        let program = infer::program(&syntax::parse_program(id, &text).0, None).0.unwrap();
        let sizes = eval::sizes(sizes.iter().copied());
        let inputs = inputs::for_program(&program.ty, &sizes, 1, inputs::Kind::Uniform).unwrap();
        group.throughput(Throughput::Elements(work::of(&program.term, &sizes).flops as u64));
        group.bench_function(*kernel, |b| {
            b.iter(|| eval::run(black_box(&program.term), &sizes, &inputs, &Limits::default()).unwrap());
        });
    }
}

criterion_group!(benches, programs);
criterion_main!(benches);
