//! Vectors and matrices.

use super::{Expected, Given, Reference, floats, floats2, sum};

pub const ALL: [Reference; 9] = [
    Reference { kernel: "dot", sizes: [&[("k", 1)], &[("k", 37)]], tolerance: 1e-5, compute: dot },
    Reference { kernel: "scal", sizes: [&[("n", 1)], &[("n", 37)]], tolerance: 1e-6, compute: scal },
    Reference { kernel: "asum", sizes: [&[("n", 1)], &[("n", 37)]], tolerance: 1e-5, compute: asum },
    Reference {
        kernel: "gemv",
        sizes: [&[("m", 1), ("n", 1)], &[("m", 5), ("n", 7)]],
        tolerance: 1e-5,
        compute: gemv,
    },
    Reference {
        kernel: "gesummv",
        sizes: [&[("m", 1), ("n", 1)], &[("m", 5), ("n", 7)]],
        tolerance: 1e-5,
        compute: gesummv,
    },
    Reference {
        kernel: "atax",
        sizes: [&[("m", 1), ("n", 1)], &[("m", 5), ("n", 7)]],
        tolerance: 1e-5,
        compute: atax,
    },
    Reference {
        kernel: "matmul",
        sizes: [&[("m", 1), ("n", 1), ("k", 1)], &[("m", 3), ("n", 5), ("k", 7)]],
        tolerance: 1e-5,
        compute: matmul,
    },
    Reference {
        kernel: "batchedMatmul",
        sizes: [&[("s", 1), ("m", 1), ("n", 1), ("k", 1)], &[("s", 2), ("m", 3), ("n", 5), ("k", 7)]],
        tolerance: 1e-5,
        compute: batched_matmul,
    },
    Reference {
        kernel: "transposition",
        sizes: [&[("m", 1), ("n", 5)], &[("m", 3), ("n", 7)]],
        tolerance: 0.0,
        compute: transposition,
    },
];

fn dot(g: &Given) -> Vec<Expected> {
    let (a, b) = (g.floats(0), g.floats(1));
    vec![floats(1, |_| sum(g.size("k"), |i| a[i] * b[i]))]
}

fn scal(g: &Given) -> Vec<Expected> {
    let (alpha, x) = (g.number(0), g.floats(1));
    vec![floats(g.size("n"), |i| alpha * x[i])]
}

fn asum(g: &Given) -> Vec<Expected> {
    let x = g.floats(0);
    vec![floats(1, |_| sum(g.size("n"), |i| x[i].abs()))]
}

fn gemv(g: &Given) -> Vec<Expected> {
    let (alpha, beta, a, x, y) = (g.number(0), g.number(1), g.floats(2), g.floats(3), g.floats(4));
    let n = g.size("n");
    vec![floats(g.size("m"), |i| alpha * sum(n, |j| a[i * n + j] * x[j]) + beta * y[i])]
}

fn gesummv(g: &Given) -> Vec<Expected> {
    let (alpha, beta, a, b, x) = (g.number(0), g.number(1), g.floats(2), g.floats(3), g.floats(4));
    let n = g.size("n");
    let row = |matrix: &[f32], i: usize| sum(n, |j| matrix[i * n + j] * x[j]);
    vec![floats(g.size("m"), |i| alpha * row(a, i) + beta * row(b, i))]
}

fn atax(g: &Given) -> Vec<Expected> {
    let (a, x) = (g.floats(0), g.floats(1));
    let (m, n) = (g.size("m"), g.size("n"));
    let ax: Vec<f32> = (0..m).map(|i| sum(n, |j| a[i * n + j] * x[j])).collect();
    vec![floats(n, |j| sum(m, |i| a[i * n + j] * ax[i]))]
}

fn matmul(g: &Given) -> Vec<Expected> {
    let (a, b) = (g.floats(0), g.floats(1));
    let (n, k) = (g.size("n"), g.size("k"));
    vec![floats2(g.size("m"), n, |i, j| sum(k, |l| a[i * k + l] * b[l * n + j]))]
}

fn batched_matmul(g: &Given) -> Vec<Expected> {
    let (a, b) = (g.floats(0), g.floats(1));
    let (m, n, k) = (g.size("m"), g.size("n"), g.size("k"));
    vec![floats2(g.size("s") * m, n, |row, j| {
        let (s, i) = (row / m, row % m);
        sum(k, |l| a[(s * m + i) * k + l] * b[(s * k + l) * n + j])
    })]
}

fn transposition(g: &Given) -> Vec<Expected> {
    let (a, n) = (g.floats(0), g.size("n"));
    vec![floats2(n, g.size("m"), |i, j| a[j * n + i])]
}
