//! What a compiled program runs on: typed cells, and statements that change them.

use crate::diag::Diagnostic;
use crate::eval::{Limits, failure};
use crate::pattern::Pattern;
use crate::ty::Scalar;
use std::cell::Cell;
use std::rc::Rc;

/// An expression: reads cells, and notes a failure if there is no result.
pub type Ex<T> = Rc<dyn Fn(&Frame) -> T>;

pub type Statement = Box<dyn Fn(&mut Frame)>;

pub type Block = Vec<Statement>;

/// Why there is no result.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    OutOfBounds(Pattern, i64, i64),
    DivisionByZero(Pattern),
    QuotientTooLarge(Pattern, Scalar),
    TooLarge(Pattern),
    WrittenTwice(i64),
    UndefinedIndex,
    Steps,
    Cancelled,
}

impl Failure {
    pub fn diagnostic(self, limits: &Limits) -> Diagnostic {
        match self {
            Failure::OutOfBounds(p, i, n) => failure::out_of_bounds(p, i, n),
            Failure::DivisionByZero(p) => failure::division_by_zero(p),
            Failure::QuotientTooLarge(p, s) => failure::quotient_too_large(p, s),
            Failure::TooLarge(p) => failure::number_too_large(p),
            Failure::WrittenTwice(i) => failure::written_twice(i),
            Failure::UndefinedIndex => failure::undefined_place(),
            Failure::Steps => failure::out_of_steps(limits.steps),
            Failure::Cancelled => failure::cancelled(),
        }
    }
}

/// Cells of each kind: scalars by slot, arrays by number. `f16` lives in `f32` cells, all integers in `i64` cells
/// (`u64` as its bits).
pub struct Frame<'l> {
    pub scalars: Cells,
    pub arrays: Arrays,
    steps: u64,
    limits: &'l Limits<'l>,
    failed: Cell<Option<Failure>>,
}

#[derive(Clone, Default)]
pub struct Cells {
    pub f32s: Vec<f32>,
    pub f64s: Vec<f64>,
    pub ints: Vec<i64>,
    pub bools: Vec<bool>,
}

#[derive(Clone, Default)]
pub struct Arrays {
    pub f32s: Vec<Vec<f32>>,
    pub f64s: Vec<Vec<f64>>,
    pub ints: Vec<Vec<i64>>,
    pub bools: Vec<Vec<bool>>,
}

/// A type of cells.
pub trait Kind: Copy + Default + PartialEq + 'static {
    fn cells(cells: &Cells) -> &Vec<Self>;
    fn cells_mut(cells: &mut Cells) -> &mut Vec<Self>;
    fn arrays(arrays: &Arrays) -> &Vec<Vec<Self>>;
    fn arrays_mut(arrays: &mut Arrays) -> &mut Vec<Vec<Self>>;
}

macro_rules! kinds {
    ($($ty:ty: $field:ident),*) => {$(
        impl Kind for $ty {
            fn cells(cells: &Cells) -> &Vec<Self> {
                &cells.$field
            }
            fn cells_mut(cells: &mut Cells) -> &mut Vec<Self> {
                &mut cells.$field
            }
            fn arrays(arrays: &Arrays) -> &Vec<Vec<Self>> {
                &arrays.$field
            }
            fn arrays_mut(arrays: &mut Arrays) -> &mut Vec<Vec<Self>> {
                &mut arrays.$field
            }
        }
    )*};
}
kinds!(f32: f32s, f64: f64s, i64: ints, bool: bools);

impl<'l> Frame<'l> {
    pub fn new(scalars: Cells, arrays: Arrays, limits: &'l Limits<'l>) -> Frame<'l> {
        Frame { scalars, arrays, steps: 0, limits, failed: Cell::new(None) }
    }

    /// Notes a failure; the first one counts.
    pub fn fail(&self, why: Failure) {
        if self.failed.get().is_none() {
            self.failed.set(Some(why));
        }
    }

    pub fn failure(&self) -> Option<Failure> {
        self.failed.get()
    }

    /// Counts a step. May the program go on?
    fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps > self.limits.steps {
            self.fail(Failure::Steps);
        }
        if self.steps & 0xfff == 0 && self.limits.is_cancelled() {
            self.fail(Failure::Cancelled);
        }
        self.failed.get().is_none()
    }

    pub fn run(&mut self, block: &[Statement]) {
        for statement in block {
            statement(self);
        }
    }
}

/// Runs the body for every value of the slot from 0 to `n`.
pub fn for_loop(slot: usize, n: i64, body: Block) -> Statement {
    Box::new(move |f| {
        for i in 0..n {
            if !f.step() {
                return;
            }
            if let Some(cell) = f.scalars.ints.get_mut(slot) {
                *cell = i;
            }
            f.run(&body);
        }
    })
}

/// Runs one of two blocks.
pub fn branch(condition: Ex<bool>, then: Block, otherwise: Block) -> Statement {
    Box::new(move |f| f.run(if condition(f) { &then } else { &otherwise }))
}

pub fn read_slot<T: Kind>(slot: usize) -> Ex<T> {
    Rc::new(move |f| T::cells(&f.scalars).get(slot).copied().unwrap_or_default())
}

pub fn write_slot<T: Kind>(slot: usize, value: Ex<T>) -> Statement {
    Box::new(move |f| {
        let value = value(f);
        if let Some(cell) = T::cells_mut(&mut f.scalars).get_mut(slot) {
            *cell = value;
        }
    })
}

pub fn read_array<T: Kind>(array: usize, index: &Index) -> Ex<T> {
    fn cell<T: Kind>(f: &Frame, array: usize, at: i64) -> T {
        T::arrays(&f.arrays).get(array).and_then(|a| a.get(at as usize)).copied().unwrap_or_default()
    }
    fn int(f: &Frame, slot: usize) -> i64 {
        f.scalars.ints.get(slot).copied().unwrap_or_default()
    }
    let k = index.constant;
    match *index.terms.as_slice() {
        [] => Rc::new(move |f| cell(f, array, k)),
        [(s, c)] => Rc::new(move |f| cell(f, array, k + c * int(f, s))),
        [(s, c), (t, d)] => Rc::new(move |f| cell(f, array, k + c * int(f, s) + d * int(f, t))),
        [(s, c), (t, d), (u, e)] => {
            Rc::new(move |f| cell(f, array, k + c * int(f, s) + d * int(f, t) + e * int(f, u)))
        }
        _ => {
            let index = index.clone();
            Rc::new(move |f| cell(f, array, index.value(f)))
        }
    }
}

pub fn write_array<T: Kind>(array: usize, index: Index, value: Ex<T>) -> Statement {
    Box::new(move |f| {
        let value = value(f);
        let at = index.value(f) as usize;
        if let Some(cell) = T::arrays_mut(&mut f.arrays).get_mut(array).and_then(|a| a.get_mut(at)) {
            *cell = value;
        }
    })
}

/// Exchanges the contents of two arrays.
pub fn swap_arrays<T: Kind>(a: usize, b: usize) -> Statement {
    Box::new(move |f| {
        let arrays = T::arrays_mut(&mut f.arrays);
        if a < arrays.len() && b < arrays.len() {
            arrays.swap(a, b);
        }
    })
}

/// A position in an array: a constant and multiples of integer slots, which are loop variables or positions that were computed
/// before. A number of the program is none, as it may be larger than any array is long.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Index {
    pub constant: i64,
    /// Slot and factor, by slot; no factor is zero.
    pub terms: Vec<(usize, i64)>,
}

impl Index {
    pub fn constant(constant: i64) -> Index {
        Index { constant, terms: vec![] }
    }

    pub fn slot(slot: usize) -> Index {
        Index { constant: 0, terms: vec![(slot, 1)] }
    }

    /// The sum; none when it leaves the range of integers.
    pub fn plus(&self, other: &Index) -> Option<Index> {
        let mut terms = self.terms.clone();
        for (slot, factor) in &other.terms {
            match terms.iter_mut().find(|(s, _)| s == slot) {
                Some((_, f)) => *f = f.checked_add(*factor)?,
                None => terms.push((*slot, *factor)),
            }
        }
        terms.retain(|(_, f)| *f != 0);
        terms.sort_unstable();
        Some(Index { constant: self.constant.checked_add(other.constant)?, terms })
    }

    pub fn times(&self, by: i64) -> Option<Index> {
        if by == 0 {
            return Some(Index::default());
        }
        let terms = self.terms.iter().map(|(s, f)| Some((*s, f.checked_mul(by)?)));
        Some(Index { constant: self.constant.checked_mul(by)?, terms: terms.collect::<Option<_>>()? })
    }

    /// Is its value a number of 64 bits, whatever positions stand in its slots?
    pub fn is_small(&self) -> bool {
        const MOST: u64 = 1 << 31;
        let factors = self.terms.iter().map(|(_, factor)| factor.unsigned_abs());
        factors.fold(self.constant.unsigned_abs(), u64::saturating_add) <= MOST
    }

    pub fn value(&self, f: &Frame) -> i64 {
        let slot = |s: usize| f.scalars.ints.get(s).copied().unwrap_or_default();
        self.terms
            .iter()
            .fold(self.constant, |sum, (s, factor)| sum.wrapping_add(factor.wrapping_mul(slot(*s))))
    }

    pub fn code(&self) -> Ex<i64> {
        match *self.terms.as_slice() {
            [(slot, 1)] if self.constant == 0 => read_slot(slot),
            _ => {
                let index = self.clone();
                Rc::new(move |f| index.value(f))
            }
        }
    }
}
