//! What explains that a kernel's result is not what it should be, and is no mistake: rounding, which moves cells or decides what
//! is compared or cut off, and overflow on the way.

use super::agree::{Agreement, agree, cells};
use super::checked::{Checked, Reference};
use super::decided::Decided;
use super::inputs::Inputs;
use crate::device::check::{self, Tolerance};
use crate::device::{Expected, FloatMode, HostData, Mode, stats};
use crate::lang::diag::Diagnostic;
use crate::lang::rounding;
use crate::lang::term::Term;
use crate::lang::ty::Scalar;
use crate::session::action::Sizes;

/// One in so many cells is few, or so many where there are few. Of pictures in bytes, weighted by thousandths, every thousandth
/// pixel is as near to the next byte as can be; of grey ones far more are.
const DECIDED: usize = 500;
const MOST_DECIDED: usize = 2;
/// So often, and at least so often where cells are not few, the program as written is asked what rounding decides.
const TURNS: u32 = 24;
const LEAST_TURNS: u32 = 4;

/// A kernel adds up in another order than the program as written, so it may be that many times as far from what would be exact,
/// of which so many runs with other last digits tell.
const AS_FAR: f64 = 16.0;
const MOVES: u32 = 5;
/// This share of cells may move less than a cell that is as far away as others move.
const STILL: f64 = 0.1;

/// Are there as many cells of the same types in both?
fn alike(some: &[Expected], others: &[impl AsRef<HostData>]) -> bool {
    let same = |(a, b): (&HostData, &HostData)| (a.elem(), a.len()) == (b.elem(), b.len());
    let (some, others) = (some.iter().map(Expected::data), others.iter().map(AsRef::as_ref));
    some.len() == others.len() && some.zip(others).all(same)
}

/// What was found without these components, which are as they should be instead.
fn without(found: &[HostData], due: &[Expected], these: &[bool]) -> Vec<HostData> {
    let all = found.iter().zip(due).zip(these);
    all.map(|((found, due), is_left)| if *is_left { due.data() } else { found }.clone()).collect()
}

/// Are there components of which double precision tells, and others, which floats decide?
fn has_both(plain: &Term) -> bool {
    rounding::in_doubles(plain).is_some_and(|(_, in_doubles)| in_doubles.contains(&false))
}

/// Why a result is right that is not what the interpreter gives.
pub(super) enum Explained {
    /// It is what double precision gives.
    Doubles,
    /// Rounding as the program is written moves so many cells as far.
    Moved(usize),
    /// Rounding decides so many cells.
    Decided(usize),
}

/// What decides that cells are not what the reference has.
pub(super) enum Decision {
    /// Rounding does: the reference with what was found in these cells, and how many there are.
    ByRounding(Vec<Expected>, usize),
    /// Rounding does, and so much of the result that it tells nothing.
    TooMuch,
    /// Something else does.
    Elsewhere,
}

impl Explained {
    /// With what it agrees, at sizes that are told so.
    pub(super) fn in_words(&self, at: &str) -> String {
        match self {
            Explained::Doubles => format!("double precision{at}, which the interpreter misses by rounding"),
            Explained::Moved(number) => format!(
                "the interpreter{at}, where rounding as the program is written moves {number} cells as far as the kernel does"
            ),
            Explained::Decided(1) => format!("the interpreter{at}, but for one cell that rounding decides"),
            Explained::Decided(number) => {
                format!("the interpreter{at}, but for {number} cells that rounding decides")
            }
        }
    }
}

impl Checked<'_> {
    /// What explains that the outputs differ from the program's own at these sizes, if rounding does.
    pub(super) fn explained(
        &self,
        own: &[Expected],
        outputs: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Option<Explained>, Diagnostic> {
        if let Some((number, in_doubles)) = self.within_rounding(own, outputs, tolerance, inputs, sizes)? {
            let rest = without(outputs, own, &in_doubles);
            if agree(own, &rest, tolerance, "").is_ok() {
                return Ok(Some(if number == 0 { Explained::Doubles } else { Explained::Moved(number) }));
            }
        } else if has_both(&self.plain()) {
            return Ok(None);
        }
        Ok(match self.decided_by_rounding(own, outputs, tolerance, inputs, sizes)? {
            Decision::ByRounding(_, number) => Some(Explained::Decided(number)),
            Decision::TooMuch | Decision::Elsewhere => None,
        })
    }

    /// The outputs at the sizes asked for, where cells are wrong only as far as rounding moves them, with the number of these
    /// cells ([`Self::within_rounding`]). What floats decide is compared with the reference.
    pub(super) fn moved_as_far(
        &self,
        reference: &[Expected],
        outputs: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        inputs: &Inputs,
    ) -> Result<Option<(Agreement, usize)>, Diagnostic> {
        let own = self.defined(&self.plain(), inputs, self.asked.sizes)?;
        let within = self.within_rounding(&own, outputs, tolerance, inputs, self.asked.sizes)?;
        let Some((number, in_doubles)) = within else { return Ok(None) };
        let is_explained = |i: usize| in_doubles.get(i).copied().unwrap_or(false);
        let anything = |i: usize, e: &HostData| match is_explained(i) {
            true => Tolerance { relative: f64::INFINITY, ..tolerance(i, e) },
            false => tolerance(i, e),
        };
        let due = own.into_iter().zip(reference).enumerate();
        let due: Vec<Expected> =
            due.map(|(i, (own, due))| if is_explained(i) { own } else { due.clone() }).collect();
        Ok(agree(&due, outputs, &anything, "").ok().map(|all| (all, number)))
    }

    /// Whether the cells that are wrong are so only because a comparison, or a number that is cut off, is decided by rounding: with
    /// inputs and numbers that differ in their last digits the program as written has these values itself, or, where they are
    /// counts and the like, some below and some above. Of components of which double precision tells more nothing is asked.
    pub(super) fn decided_by_rounding(
        &self,
        reference: &[Expected],
        outputs: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Decision, Diagnostic> {
        if !alike(reference, outputs) {
            return Ok(Decision::Elsewhere);
        }
        let plain = self.plain();
        let are_decided = rounding::decides_somewhere(&plain);
        let in_doubles = rounding::in_doubles(&plain).filter(|_| are_decided);
        let asked = in_doubles.map(|(_, in_doubles)| without(outputs, reference, &in_doubles));
        let outputs = asked.as_deref().unwrap_or(outputs);
        let mut decided = Decided::new(reference, outputs, tolerance);
        let number = decided.number();
        if number == 0 {
            return Ok(Decision::Elsewhere);
        }
        let are_few = number <= MOST_DECIDED.max(cells(reference) / DECIDED);
        // Where nothing is compared or cut off, double precision tells more.
        if !are_few && !are_decided {
            return Ok(Decision::Elsewhere);
        }
        // Compilers may make one operation of a product and the sum that it goes into: which, only the kernel itself tells.
        if are_few
            && are_decided
            && let Some(apart) = self.rounded_apart(inputs, sizes)
            && alike(reference, &apart)
        {
            decided.take_rounded_apart(&apart);
            if decided.are_all_met() {
                return Ok(Decision::ByRounding(decided.eased(), number));
            }
        }
        for turn in 1..=TURNS {
            let other = self.moved(inputs, sizes, turn - 1)?;
            if !alike(&other, outputs) {
                return Ok(Decision::Elsewhere);
            }
            decided.take(&other);
            let are_between = are_decided && turn >= LEAST_TURNS && decided.are_all_between();
            if are_few && decided.are_all_met() || are_between && decided.tells() {
                return Ok(Decision::ByRounding(decided.eased(), number));
            }
            if !are_few && turn == LEAST_TURNS && !decided.are_most_between() {
                return Ok(Decision::Elsewhere);
            }
        }
        Ok(if are_decided && decided.are_all_between() { Decision::TooMuch } else { Decision::Elsewhere })
    }

    /// What the kernel gives on its device where each product is rounded before it goes into a sum; None where that does not run.
    fn rounded_apart(&self, inputs: &Inputs, sizes: &Sizes) -> Option<Vec<HostData>> {
        let kernel = self.asked.workspace.compile(self.asked.term, self.target, sizes).ok()?.module;
        let (device, float) = (self.asked.device, FloatMode::Strict);
        let ran = self.kernel(device, &kernel, sizes, inputs, Mode::Once, float, &mut |_| {});
        Some(ran.ok()?.outputs)
    }

    /// The reference without the cells in which it parts from the program as written because one of them overflows, and how many
    /// there are: the kernel has there what the program as written has, or nothing finite where that has not. None where there
    /// is no such cell.
    pub(super) fn parted_by_overflow(
        &self,
        reference: &[Expected],
        outputs: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        inputs: &Inputs,
    ) -> Result<Option<(Vec<Expected>, usize)>, Diagnostic> {
        if !alike(reference, outputs) {
            return Ok(None);
        }
        let own = self.defined(&self.plain(), inputs, self.asked.sizes)?;
        if !alike(reference, &own) {
            return Ok(None);
        }
        let mut eased = reference.to_vec();
        let mut number = 0;
        for (i, ((expected, found), own)) in reference.iter().zip(outputs).zip(&own).enumerate() {
            let value = |data: &HostData, k: usize| data.get(k).map_or(f64::NAN, |v| v.to_f64());
            let known = tolerance(i, own.data());
            let is_right = |k: usize| {
                let (due, own_is, is) = (value(expected.data(), k), value(own.data(), k), value(found, k));
                let parts = !due.is_finite() || !own_is.is_finite();
                // What was not written looks like a NaN. Of an infinity comes another order's NaN, and no other infinity.
                let written = !own.is_unwritten(k) && !found.is_unwritten(k);
                let as_own = !check::is_wrong(own, found, known, k);
                parts && written && (as_own || own_is.is_infinite() && is.is_nan())
            };
            let right: Vec<usize> = check::wrong_cells(expected, found, tolerance(i, expected.data()))
                .into_iter()
                .filter(|k| is_right(*k))
                .collect();
            eased[i].unwrite(&right);
            number += right.len();
        }
        Ok((number > 0).then_some((eased, number)))
    }

    /// How many cells are wrong only as far as rounding moves them: so far as the program as written, or with inputs that differ
    /// in their last digits, is away from itself in double precision, there or in nearly all cells. None where a cell is further
    /// away. Nothing is said of components that are not in double precision; which are is given as well.
    pub(super) fn within_rounding(
        &self,
        own: &[Expected],
        found: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Option<(usize, Vec<bool>)>, Diagnostic> {
        let reference = self.reference(inputs, sizes)?;
        if !reference.has_doubles() {
            return Ok(None);
        }
        let Reference { outputs: doubles, in_doubles } = reference;
        if !alike(&doubles, own) || !alike(&doubles, found) {
            return Ok(None);
        }
        let value = |data: &HostData, k: usize| data.get(k).map_or(f64::NAN, |v| v.to_f64());
        let mut wrong: Vec<(usize, usize)> = vec![];
        for (i, (double, found)) in doubles.iter().zip(found).enumerate().filter(|(i, _)| in_doubles[*i]) {
            let known = tolerance(i, double.data());
            let cells = check::wrong_cells(double, found, known);
            // Where double precision has room and the program as written overflows, its own value is right, too.
            wrong.extend(
                cells.into_iter().filter(|k| check::is_wrong(&own[i], found, known, *k)).map(|k| (i, k)),
            );
        }
        let number = wrong.len();
        let mut most = self.moved_in_singles(&doubles, inputs, sizes)?;
        let mut moved = own.to_vec();
        for turn in 0..MOVES {
            for ((most, double), moved) in most.iter_mut().zip(&doubles).zip(&moved) {
                for (k, most) in most.iter_mut().enumerate() {
                    let by = (value(moved.data(), k) - value(double.data(), k)).abs();
                    *most = if by.is_finite() { most.max(by) } else { *most };
                }
            }
            // By chance a cell moves less than nearly all others.
            let least: Vec<f64> =
                most.iter().map(|most| stats::quantile_of(most, STILL).unwrap_or(0.0)).collect();
            wrong.retain(|(i, k)| {
                let away = (value(&found[*i], *k) - value(doubles[*i].data(), *k)).abs();
                let by = most[*i].get(*k).map_or(least[*i], |most| most.max(least[*i]));
                // What is no number is as far away as can be.
                let is_explained = away <= AS_FAR * by;
                !is_explained
            });
            if wrong.is_empty() {
                return Ok(Some((number, in_doubles)));
            }
            moved = self.moved(inputs, sizes, turn)?;
            if !alike(&doubles, &moved) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// How far rounding moves each cell that is in double precision, by how far single precision does; nothing is known of
    /// others.
    fn moved_in_singles(
        &self,
        doubles: &[Expected],
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Vec<Vec<f64>>, Diagnostic> {
        let nothing = || doubles.iter().map(|double| vec![0.0; double.data().len()]).collect();
        let has_doubles = doubles.iter().any(|double| double.data().elem() == Scalar::F64);
        let Some(singles) = rounding::in_singles(&self.plain()).filter(|_| has_doubles) else {
            return Ok(nothing());
        };
        let singles = self.defined(&singles, inputs, sizes)?;
        if !alike(doubles, &singles) {
            return Ok(nothing());
        }
        let one = |(double, single): (&HostData, &HostData)| -> Vec<f64> {
            let by = |k: usize| {
                let (double, single) = (double.get(k)?.to_f64(), single.get(k)?.to_f64());
                Some((single - double).abs() * rounding::DOUBLE_OF_SINGLE).filter(|by| by.is_finite())
            };
            let is_double = double.elem() == Scalar::F64;
            (0..double.len()).map(|k| by(k).filter(|_| is_double).unwrap_or(0.0)).collect()
        };
        Ok(doubles.iter().map(Expected::data).zip(singles.iter().map(Expected::data)).map(one).collect())
    }

    /// What the interpreter expects without the cells that overflow there and have in the kernel what they are in double precision:
    /// one operation of a product and a sum overflows less than two.
    pub(super) fn not_overflown(
        &self,
        mut expected: Vec<Expected>,
        found: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Vec<Expected>, Diagnostic> {
        let reference = self.reference(inputs, sizes)?;
        let doubles = &reference.outputs;
        if !reference.has_doubles() || !alike(&expected, found) || !alike(&expected, doubles) {
            return Ok(expected);
        }
        for (i, ((expected, found), double)) in expected.iter_mut().zip(found).zip(doubles).enumerate() {
            let known = tolerance(i, double.data());
            let finite = |data: &HostData, k: usize| data.get(k).is_some_and(|v| v.to_f64().is_finite());
            let right: Vec<usize> = (0..expected.data().len())
                .filter(|k| !finite(expected.data(), *k) && !expected.is_unwritten(*k))
                .filter(|k| finite(found, *k) && !check::is_wrong(double, found, known, *k))
                .collect();
            expected.unwrite(&right);
        }
        Ok(expected)
    }

    /// The outputs of the reference where its inputs, and the numbers in it, differ in their last digits, in another way in each
    /// turn.
    fn moved(&self, inputs: &Inputs, sizes: &Sizes, turn: u32) -> Result<Vec<Expected>, Diagnostic> {
        let plain = rounding::in_last_digits(&self.plain(), turn);
        Ok(self.reference_of(plain, &inputs.in_last_digits(turn), sizes)?.outputs)
    }

    /// How far the program as written is from a reference in double precision, by what it rounds itself: for each
    /// component the largest relative error, nothing for those that are not in double precision. Sums of numbers whose distribution
    /// is skewed may lose more than chance does.
    pub(super) fn own_errors(
        &self,
        Reference { in_doubles, .. }: &Reference,
        reference: &[Expected],
        inputs: &Inputs,
    ) -> Result<Vec<f64>, Diagnostic> {
        let own = self.defined(&self.plain(), inputs, self.asked.sizes)?;
        let error = |(expected, own): (&Expected, &Expected)| {
            let tolerance = Tolerance::rounding(expected.data(), 1.0);
            let error = check::compare(expected, own.data(), tolerance).error;
            if error.is_finite() { error } else { 0.0 }
        };
        let errors = reference.iter().zip(&own).zip(in_doubles);
        Ok(errors.map(|(of, in_doubles)| if *in_doubles { error(of) } else { 0.0 }).collect())
    }
}
