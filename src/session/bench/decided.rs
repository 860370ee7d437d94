//! Cells of a result that rounding decides, by a comparison or where a number is cut off, told from those that are wrong.

use crate::device::check::{self, Tolerance};
use crate::device::{Expected, HostData};

/// Last digits may move this share of how much the cells of a result differ; from a result that they move more nothing can be
/// told.
const MOVED: f64 = 0.1;

/// Cells that are not what the reference has, and what the program as written gives there when last digits differ.
pub struct Decided<'a> {
    reference: &'a [Expected],
    found: &'a [HostData],
    tolerance: &'a dyn Fn(usize, &HostData) -> Tolerance,
    wrong: Vec<Cell>,
    /// What last digits moved of each component, in the turn in which that was most.
    moved: Vec<f64>,
}

struct Cell {
    component: usize,
    index: usize,
    found: f64,
    /// The least and the greatest value that the program as written had.
    least: f64,
    most: f64,
    /// Whether it had the value that was found, or only the rounding of products keeps it from that.
    is_met: bool,
}

impl Cell {
    fn is_between(&self) -> bool {
        self.is_met || self.least <= self.found && self.found <= self.most
    }
}

fn value(data: &HostData, k: usize) -> f64 {
    data.get(k).map_or(f64::NAN, |v| v.to_f64())
}

impl<'a> Decided<'a> {
    /// Of results that have as many cells of the same types.
    pub fn new(
        reference: &'a [Expected],
        found: &'a [HostData],
        tolerance: &'a dyn Fn(usize, &HostData) -> Tolerance,
    ) -> Self {
        let cell = |component: usize, index: usize| {
            let due = value(reference[component].data(), index);
            let found = value(&found[component], index);
            Cell { component, index, found, least: due, most: due, is_met: false }
        };
        let wrong_in =
            |i: usize| check::wrong_cells(&reference[i], &found[i], tolerance(i, reference[i].data()));
        let wrong = (0..reference.len())
            .flat_map(|i| wrong_in(i).into_iter().map(move |k| (i, k)))
            .map(|(i, k)| cell(i, k))
            .collect();
        Decided { reference, found, tolerance, wrong, moved: vec![0.0; reference.len()] }
    }

    /// How many cells are not what the reference has.
    pub fn number(&self) -> usize {
        self.wrong.len()
    }

    /// Takes what the program as written gives with other last digits.
    pub fn take(&mut self, other: &[Expected]) {
        for cell in self.wrong.iter_mut().filter(|cell| !cell.is_met) {
            let moved = &other[cell.component];
            let known = (self.tolerance)(cell.component, moved.data());
            cell.is_met = !check::is_wrong(moved, &self.found[cell.component], known, cell.index);
            let is = value(moved.data(), cell.index);
            // NaN is neither less nor more than anything.
            cell.least = cell.least.min(is);
            cell.most = cell.most.max(is);
        }
        for (i, ((reference, other), most)) in
            self.reference.iter().zip(other).zip(&mut self.moved).enumerate()
        {
            let cells = check::wrong_cells(reference, other.data(), (self.tolerance)(i, reference.data()));
            // What becomes infinite or no number is moved too far.
            let by = |k: usize| {
                Some(value(other.data(), k) - value(reference.data(), k)).filter(|by| by.is_finite())
            };
            *most = most.max(cells.into_iter().map(|k| by(k).map_or(f64::INFINITY, f64::abs)).sum());
        }
    }

    /// Takes what the kernel gives where each product is rounded before it goes into a sum: where that is what the reference has,
    /// nothing but the rounding of products makes the difference.
    pub fn take_rounded_apart(&mut self, apart: &[HostData]) {
        for cell in self.wrong.iter_mut().filter(|cell| !cell.is_met) {
            let due = &self.reference[cell.component];
            let known = (self.tolerance)(cell.component, due.data());
            cell.is_met = !check::is_wrong(due, &apart[cell.component], known, cell.index);
        }
    }

    /// Did the program as written have each of these values?
    pub fn are_all_met(&self) -> bool {
        self.wrong.iter().all(|cell| cell.is_met)
    }

    /// Did it have each of these values, or some below and some above?
    pub fn are_all_between(&self) -> bool {
        self.wrong.iter().all(Cell::is_between)
    }

    /// Is that so of most of them?
    pub fn are_most_between(&self) -> bool {
        2 * self.wrong.iter().filter(|cell| cell.is_between()).count() > self.wrong.len()
    }

    /// Do last digits move so little of the result that it tells something?
    pub fn tells(&self) -> bool {
        (0..self.moved.len()).all(|component| self.tells_in(component))
    }

    /// Do they move little of this component, beside how much its cells differ, or, where they do not, how large they are?
    fn tells_in(&self, component: usize) -> bool {
        let data = self.reference[component].data();
        let values = || (0..data.len()).map(|k| value(data, k)).filter(|v| v.is_finite());
        let mean = values().sum::<f64>() / values().count().max(1) as f64;
        let spread: f64 = values().map(|v| (v - mean).abs()).sum();
        let all = if spread > 0.0 { spread } else { values().map(f64::abs).sum() };
        self.moved[component] <= MOVED * all
    }

    /// The reference with what was found in these cells.
    pub fn eased(&self) -> Vec<Expected> {
        let mut eased = self.reference.to_vec();
        for (i, eased) in eased.iter_mut().enumerate() {
            let here = self.wrong.iter().filter(|cell| cell.component == i);
            eased.take_from(&self.found[i], &here.map(|cell| cell.index).collect::<Vec<_>>());
        }
        eased
    }
}
