//! What each program of `kernels/` computes, as plain loops over indices.
//!
//! A reference is written from the meaning of the program, not from its text: a stencil reads `image[i + 1][j]` where
//! the program slides and transposes.

mod dense;
mod images;
mod physics;

use shine_tui::device::HostData;
use shine_tui::lang::eval::Sizes;

/// A program's reference, and what to compare at.
pub struct Reference {
    pub kernel: &'static str,
    /// Small sizes, two choices of them: ones, primes and what does not divide anything.
    pub sizes: [&'static [(&'static str, i64)]; 2],
    /// How far a cell may be off, as a part of the largest magnitude in the component of the result that it is in.
    /// Integers have to be equal.
    pub tolerance: f64,
    pub compute: fn(&Given) -> Vec<Expected>,
}

/// A component of a result, flat. A NaN stands for a cell that the program leaves undefined.
pub enum Expected {
    Floats(Vec<f32>),
    Ints(Vec<i32>),
}

/// Every reference.
pub fn all() -> Vec<Reference> {
    dense::ALL.into_iter().chain(images::ALL).chain(physics::ALL).collect()
}

/// The sizes and inputs of a run. Inputs that are pairs, or arrays of pairs, are one component after the other.
pub struct Given {
    pub sizes: Sizes,
    pub inputs: Vec<HostData>,
}

impl Given {
    pub fn size(&self, name: &str) -> usize {
        usize::try_from(self.sizes[name]).unwrap()
    }

    pub fn floats(&self, input: usize) -> &[f32] {
        match &self.inputs[input] {
            HostData::F32(xs) => xs,
            other => panic!("input {input} is {other:?}"),
        }
    }

    /// An input that is a single number.
    pub fn number(&self, input: usize) -> f32 {
        self.floats(input)[0]
    }

    pub fn ints(&self, input: usize) -> &[i32] {
        match &self.inputs[input] {
            HostData::I32(xs) => xs,
            other => panic!("input {input} is {other:?}"),
        }
    }
}

/// One component: the value of `cell` at each index below `n`.
fn floats(n: usize, cell: impl Fn(usize) -> f32) -> Expected {
    Expected::Floats((0..n).map(cell).collect())
}

/// One component of two dimensions, row by row.
fn floats2(n: usize, m: usize, cell: impl Fn(usize, usize) -> f32) -> Expected {
    floats(n * m, |i| cell(i / m, i % m))
}

fn sum(n: usize, term: impl Fn(usize) -> f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..n {
        sum += term(i);
    }
    sum
}
