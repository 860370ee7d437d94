//! Whether a kernel computed what it should: its output against a reference, cell by cell.
use super::data::poison;
use super::{Expected, HostData};
use crate::lang::ty::Scalar;

/// How far a cell may be off. A cell `found` agrees with `expected` when
/// `|expected - found| <= relative * max(|expected|, floor)`; integers and booleans always have to be equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    pub relative: f64,
    /// Below this magnitude the error counts as if the value had it, because sums that cancel keep the error of
    /// their terms.
    pub floor: f64,
}

impl Tolerance {
    /// Every bit (zeros may differ in sign, and any NaN is as good as another).
    pub const EXACT: Tolerance = Tolerance { relative: 0.0, floor: 0.0 };

    /// What `steps` roundings in a row may change: ε · (32 + 2 · √steps), because they add up like a random walk. Sums of
    /// numbers of one sign walk 0.12 · ε · √steps on average; 32 ε are left for functions and for what cancels. Where
    /// steps · ε is more than 2, a sum may be so large that it no longer grows, and all that holds is ε · steps / 2. The
    /// floor is the root mean square of the expected values.
    pub fn rounding(expected: &HostData, steps: f64) -> Tolerance {
        let epsilon = match expected.elem() {
            Scalar::F16 => 2f64.powi(-10),
            Scalar::F32 => f64::from(f32::EPSILON),
            Scalar::F64 => f64::EPSILON,
            _ => return Tolerance::EXACT,
        };
        let relative =
            if steps * epsilon > 2.0 { epsilon * steps / 2.0 } else { epsilon * (32.0 + 2.0 * steps.sqrt()) };
        Tolerance { relative, floor: magnitude(expected) }
    }
}

/// The root mean square of values, those that are finite.
pub fn magnitude(data: &HostData) -> f64 {
    let (mut squares, mut count) = (0.0, 0.0f64);
    let values = (0..data.len()).filter_map(|index| data.get(index));
    for value in values.map(|value| value.to_f64()).filter(|value| value.is_finite()) {
        squares += value * value;
        count += 1.0;
    }
    (squares / count.max(1.0)).sqrt()
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Whether all cells agree, and there are equally many of the same type.
    pub agrees: bool,
    /// The cells compared: all that the reference has a value for.
    pub cells: usize,
    /// The cells that do not agree.
    pub wrong: usize,
    /// The largest `|expected - found| / max(|expected|, floor)`; infinite where one of both is not finite.
    pub error: f64,
    /// The cells that agree, and are zeros of the other sign.
    pub signs: usize,
    /// The largest distance in units in the last place; floats only.
    pub ulps: Option<u64>,
    /// The cell with the largest error, where there is an error at all.
    pub worst: Option<Cell>,
    /// The first cell that does not agree.
    pub first_wrong: Option<Cell>,
    /// The wrong cells that hold what memory held before the run.
    pub unwritten: usize,
    /// What memory held says so of one cell; small integers may have any pattern by chance.
    telling: bool,
    /// Why cells could not be compared at all.
    pub mismatch: Option<String>,
}

impl Check {
    /// How many cells were never written, where that is known of any.
    pub fn never_written(&self) -> Option<usize> {
        let is_known = self.telling || self.unwritten > 2 && 2 * self.unwritten > self.wrong;
        (self.unwritten > 0 && is_known).then_some(self.unwritten)
    }
}

/// One cell of two arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Row-major, from 0.
    pub index: usize,
    pub expected: f64,
    pub found: f64,
}

/// Compares a kernel's output with what it should be. What the reference left unwritten may be anything.
pub fn compare(due: &Expected, found: &HostData, tolerance: Tolerance) -> Check {
    let expected = due.data();
    let mut check = Check {
        agrees: true,
        cells: 0,
        wrong: 0,
        error: 0.0,
        signs: 0,
        ulps: expected.elem().is_float().then_some(0),
        worst: None,
        first_wrong: None,
        unwritten: 0,
        telling: is_telling(found.elem()),
        mismatch: None,
    };
    if (expected.elem(), expected.len()) != (found.elem(), found.len()) {
        let describe = |data: &HostData| format!("{} cells of type {}", data.len(), data.elem().name());
        check.agrees = false;
        check.mismatch = Some(format!("expected {}, found {}", describe(expected), describe(found)));
        return check;
    }
    let poison = poison(found.elem());
    let size = found.elem().bytes();
    let float = found.elem().is_float();
    let bytes = expected.as_bytes().chunks_exact(size).zip(found.as_bytes().chunks_exact(size));
    for (index, (one, other)) in bytes.enumerate() {
        if due.is_unwritten(index) {
            continue;
        }
        check.cells += 1;
        let untouched = found.elem() != Scalar::Bool && poison.get(..size) == Some(other) && one != other;
        check.unwritten += usize::from(untouched);
        if one == other {
            continue;
        }
        let (Some(expected), Some(found)) = (expected.get(index), found.get(index)) else { continue };
        let cell = Cell { index, expected: expected.to_f64(), found: found.to_f64() };
        let error = cell_error(cell, float, tolerance);
        check.signs += usize::from(float && cell.expected == 0.0 && cell.found == 0.0);
        if let Some(ulps) = &mut check.ulps {
            *ulps = (*ulps).max(distance(one, other));
        }
        if error > check.error {
            check.error = error;
            check.worst = Some(cell);
        }
        if error > tolerance.relative {
            check.wrong += 1;
            check.first_wrong.get_or_insert(cell);
        }
    }
    check.agrees = check.wrong == 0;
    check
}

/// The cells that are wrong.
pub fn wrong_cells(expected: &Expected, found: &HostData, tolerance: Tolerance) -> Vec<usize> {
    (0..expected.data().len()).filter(|index| is_wrong(expected, found, tolerance, *index)).collect()
}

/// Is this cell wrong? Not one that the reference left unwritten.
pub fn is_wrong(due: &Expected, found: &HostData, tolerance: Tolerance, index: usize) -> bool {
    let expected = due.data();
    let size = expected.elem().bytes();
    let cell = index * size..(index + 1) * size;
    let (one, other) = (expected.as_bytes().get(cell.clone()), found.as_bytes().get(cell));
    if one == other || due.is_unwritten(index) {
        return false;
    }
    let (Some(e), Some(f)) = (expected.get(index), found.get(index)) else { return true };
    let cell = Cell { index, expected: e.to_f64(), found: f.to_f64() };
    cell_error(cell, expected.elem().is_float(), tolerance) > tolerance.relative
}

/// Does the pattern of a cell that was not written say so? Small integers may have any pattern by chance.
fn is_telling(elem: Scalar) -> bool {
    elem.is_float() || elem.bytes() >= 4
}

/// The error of a cell whose bits differ.
fn cell_error(cell: Cell, float: bool, tolerance: Tolerance) -> f64 {
    if float { error_of(cell, tolerance.floor) } else { 1.0f64.max(error_of(cell, 0.0)) }
}

/// The relative error of one cell. Equal infinities agree, and so do two NaNs.
fn error_of(cell: Cell, floor: f64) -> f64 {
    let Cell { expected, found, .. } = cell;
    if expected == found || (expected.is_nan() && found.is_nan()) {
        return 0.0;
    }
    let error = (expected - found).abs() / expected.abs().max(floor);
    if error.is_nan() { f64::INFINITY } else { error }
}

/// How many numbers of the type lie between two floats, given as their bytes; the most there can be for a NaN.
fn distance(one: &[u8], other: &[u8]) -> u64 {
    let size = one.len();
    let line = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let sign = 1u64 << (8 * size - 1);
        let magnitude = bits & (sign - 1);
        let infinity = match size {
            2 => 0x7C00,
            4 => 0x7F80_0000,
            _ => 0x7FF0_0000_0000_0000,
        };
        // The numbers of the type in their order, with both zeros in the middle.
        (magnitude <= infinity)
            .then(|| if bits & sign == 0 { i128::from(magnitude) } else { -i128::from(magnitude) })
    };
    match (line(one), line(other)) {
        (Some(one), Some(other)) => u64::try_from((one - other).unsigned_abs()).unwrap_or(u64::MAX),
        (None, None) => 0,
        _ => u64::MAX,
    }
}

/// The peak signal-to-noise ratio of an image in decibels: 10 · log₁₀(peak² / mean squared error), where the peak is
/// the largest magnitude expected. Infinite for equal images; `None` where cells cannot be compared.
pub fn psnr(expected: &HostData, found: &HostData) -> Option<f64> {
    if (expected.elem(), expected.len()) != (found.elem(), found.len()) || expected.is_empty() {
        return None;
    }
    let (mut squares, mut peak) = (0.0, 0.0f64);
    for index in 0..expected.len() {
        let (one, other) = (expected.get(index)?.to_f64(), found.get(index)?.to_f64());
        squares += (one - other) * (one - other);
        peak = peak.max(one.abs());
    }
    if squares.is_nan() {
        return Some(f64::NEG_INFINITY);
    }
    let noise = squares / expected.len() as f64;
    Some(if noise == 0.0 { f64::INFINITY } else { 10.0 * (peak * peak / noise).log10() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_byte_that_is_like_unwritten_memory_says_nothing() {
        let poison = poison(Scalar::U8)[0];
        let found =
            |bytes: Vec<u8>| compare(&HostData::U8(vec![7; 8]), &HostData::U8(bytes), Tolerance::EXACT);
        let one = found(vec![7, 7, poison, 7, 7, 8, 9, 7]);
        assert_eq!((one.wrong, one.unwritten, one.never_written()), (3, 1, None));
        assert_eq!(found(vec![poison; 8]).never_written(), Some(8));
    }

    #[test]
    fn what_the_reference_left_unwritten_may_be_anything() {
        let mut expected = Expected::from(HostData::F32(vec![1.0, 2.0, 3.0]));
        expected.unwrite(&[1, 7]);
        let check = compare(&expected, &HostData::F32(vec![1.0, 9.0, 3.0]), Tolerance::EXACT);
        assert!(check.agrees && check.cells == 2, "{check:?}");
        let found = expected.data().clone();
        let check = compare(&HostData::F32(vec![1.0, 2.0, 3.0]), &found, Tolerance::EXACT);
        assert!(!check.agrees && check.unwritten == 1, "{check:?}");
    }

    /// Of small integers, too, whose patterns say nothing: the same pattern that was written is compared.
    #[test]
    fn unwritten_cells_of_any_type_may_be_anything() {
        let all = [
            HostData::Bool(vec![true; 3]),
            HostData::I8(vec![7; 3]),
            HostData::U8(vec![poison(Scalar::U8)[0]; 3]),
            HostData::I16(vec![-3; 3]),
            HostData::U16(vec![9; 3]),
            HostData::F16(vec![0; 3]),
            HostData::I32(vec![1; 3]),
            HostData::U64(vec![1; 3]),
        ];
        for data in all {
            let mut expected = Expected::from(data.clone());
            expected.unwrite(&[1]);
            let other = HostData::from_bytes(data.elem(), &vec![0xFF; 3 * data.elem().bytes()]);
            let with = |indices: &[usize]| {
                let mut found = data.clone();
                found.take_from(&other, indices);
                found
            };
            let check = compare(&expected, &with(&[1]), Tolerance::EXACT);
            assert!(check.agrees && check.cells == 2, "{data:?} {check:?}");
            assert!(wrong_cells(&expected, &with(&[1]), Tolerance::EXACT).is_empty(), "{data:?}");
            if with(&[2]) != data {
                assert_eq!(wrong_cells(&expected, &with(&[1, 2]), Tolerance::EXACT), [2], "{data:?}");
            }
        }
    }

    use super::*;

    fn floats(values: &[f32]) -> HostData {
        HostData::F32(values.to_vec())
    }

    fn compare(expected: &(impl Clone + Into<Expected>), found: &HostData, tolerance: Tolerance) -> Check {
        super::compare(&expected.clone().into(), found, tolerance)
    }

    fn wrong_cells(
        expected: &(impl Clone + Into<Expected>),
        found: &HostData,
        tolerance: Tolerance,
    ) -> Vec<usize> {
        super::wrong_cells(&expected.clone().into(), found, tolerance)
    }

    #[test]
    fn equal_arrays_agree_exactly() {
        let data = floats(&[1.0, f32::NAN, f32::INFINITY, -0.0]);
        let other = floats(&[1.0, -f32::NAN, f32::INFINITY, 0.0]);
        let check = compare(&data, &other, Tolerance::EXACT);
        assert!(check.agrees, "{check:?}");
        assert_eq!((check.cells, check.error, check.ulps, check.worst), (4, 0.0, Some(0), None));
    }

    #[test]
    fn the_worst_cell_is_named() {
        let expected = floats(&[1.0, 2.0, 4.0]);
        let found = floats(&[1.0, 2.0 + f32::EPSILON * 2.0, 5.0]);
        let check = compare(&expected, &found, Tolerance { relative: 1e-6, floor: 0.0 });
        assert!(!check.agrees);
        assert_eq!((check.wrong, check.error), (1, 0.25));
        assert_eq!(check.worst, Some(Cell { index: 2, expected: 4.0, found: 5.0 }));
        assert_eq!(check.first_wrong, check.worst);
        assert_eq!(check.ulps, Some(1 << 21));
        assert!(compare(&expected, &found, Tolerance { relative: 0.25, floor: 0.0 }).agrees);
    }

    #[test]
    fn what_is_not_finite_is_wrong() {
        for bad in [f32::NAN, f32::INFINITY] {
            let check = compare(&floats(&[1.0]), &floats(&[bad]), Tolerance { relative: 1.0, floor: 1.0 });
            assert!(!check.agrees && check.error.is_infinite(), "{check:?}");
        }
        assert!(
            !compare(
                &floats(&[f32::INFINITY]),
                &floats(&[f32::NEG_INFINITY]),
                Tolerance { relative: 9.0, floor: 0.0 }
            )
            .agrees
        );
        assert!(
            !compare(&floats(&[f32::INFINITY]), &floats(&[1.0]), Tolerance { relative: 9.0, floor: 0.0 })
                .agrees
        );
    }

    #[test]
    fn cells_that_were_not_written_are_counted() {
        let found =
            HostData::from_bytes(Scalar::F32, &[&poison(Scalar::F32)[..4], &1f32.to_le_bytes()].concat());
        let check = compare(&floats(&[1.0, 1.0]), &found, Tolerance { relative: 0.1, floor: 0.0 });
        assert_eq!((check.unwritten, check.wrong, check.agrees), (1, 1, false));
    }

    #[test]
    fn the_cells_that_are_wrong_are_those_that_are_counted() {
        let (expected, found) =
            (floats(&[1.0, 2.0, f32::NAN, 4.0]), floats(&[1.0, 2.1, f32::NAN, 4.000_001]));
        let tolerance = Tolerance { relative: 1e-4, floor: 0.0 };
        assert_eq!(wrong_cells(&expected, &found, tolerance), [1]);
        assert_eq!(compare(&expected, &found, tolerance).wrong, 1);
        let mut eased = Expected::from(expected);
        eased.unwrite(&[1]);
        assert!(wrong_cells(&eased, &found, tolerance).is_empty());
        assert!(compare(&eased, &found, tolerance).agrees);
    }

    #[test]
    fn integers_are_equal_or_wrong() {
        let expected = HostData::I64(vec![i64::MAX, 3]);
        let found = HostData::I64(vec![i64::MAX - 1, 3]);
        let check = compare(&expected, &found, Tolerance { relative: 0.5, floor: 0.0 });
        assert_eq!(
            (check.wrong, check.ulps),
            (1, None),
            "doubles cannot tell these apart, the comparison must"
        );
        assert!(compare(&expected, &expected, Tolerance::EXACT).agrees);
    }

    #[test]
    fn different_shapes_do_not_agree() {
        let check = compare(&floats(&[1.0]), &floats(&[1.0, 2.0]), Tolerance::EXACT);
        assert_eq!(check.mismatch.unwrap(), "expected 1 cells of type f32, found 2 cells of type f32");
        assert!(!check.agrees);
    }

    #[test]
    fn rounding_leaves_room_for_another_order_and_no_more() {
        let terms: Vec<f32> = (0..1024).map(|i| ((i * 7919) % 1000) as f32 / 1000.0).collect();
        let forward: f32 = terms.iter().sum();
        let backward: f32 = terms.iter().rev().sum();
        let expected = floats(&[forward]);
        let tolerance = Tolerance::rounding(&expected, 1024.0);
        assert!(compare(&expected, &floats(&[backward]), tolerance).agrees);
        assert!(!compare(&expected, &floats(&[forward - 0.5]), tolerance).agrees);
        // From 2^24 numbers, 32 thousand cannot be missing; of more, nothing is known.
        let [few, many] = [24, 26].map(|n| Tolerance::rounding(&expected, 2f64.powi(n)).relative);
        assert!(few < 1e-3 && many >= 2.0, "{few} {many}");
    }

    #[test]
    fn peak_signal_to_noise() {
        assert_eq!(psnr(&floats(&[1.0, 2.0]), &floats(&[1.0, 2.0])), Some(f64::INFINITY));
        let decibels = psnr(&floats(&[0.0, 10.0]), &floats(&[1.0, 9.0])).unwrap();
        assert!((decibels - 20.0).abs() < 1e-9);
        assert_eq!(psnr(&floats(&[1.0]), &floats(&[f32::NAN])), Some(f64::NEG_INFINITY));
        assert_eq!(psnr(&floats(&[1.0]), &floats(&[])), None);
    }
}
