//! Two programs measured in turns, so that what drifts with the machine is the same for both.

use super::{Asked, BenchProgress, Prepared, measurement, report_runs};
use crate::device::stats::{Comparison, compare_turns};
use crate::device::{Backend, RunControl};
use crate::lang::diag::Diagnostic;
use crate::session::action::Measurement;
use crate::session::device_diagnostic;
use std::sync::atomic::AtomicBool;

/// What came of two programs that took turns on a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    pub first: Measurement,
    pub second: Measurement,
    /// The first's time by the second's, of runs side by side.
    pub comparison: Comparison,
}

/// Compiles and checks two programs, and measures them in turns. Both run on the device of the first.
///
/// # Errors
/// As [`super::measure`], of either of them.
pub fn compare(
    first: &Asked<'_>,
    second: &Asked<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
    report: &dyn Fn(BenchProgress),
) -> Result<Pair, Diagnostic> {
    let a = Prepared::of(first, true, backend, cancel, report)?;
    let b = Prepared::of(second, true, backend, cancel, report)?;
    let request = |p: &Prepared<'_>| p.checked.request_of(first.device, &p.ready.module, p.inputs());
    let (of_a, of_b) = (request(&a)?, request(&b)?);
    let mut progress = |p| report_runs(p, report);
    let mut control = RunControl { cancel, progress: &mut progress };
    let ran = backend.run_pair(&of_a, &of_b, &mut control);
    let (ran_a, ran_b) = ran.map_err(|e| a.blamed(device_diagnostic(&e)))?;
    let comparison = compare_turns(&ran_a.samples_ns, &ran_b.samples_ns).ok_or_else(|| {
        Diagnostic::error("E0711", "The device gave no times for these runs that could be compared.")
    })?;
    Ok(Pair {
        first: measurement(first, a.ran(ran_a)?),
        second: measurement(second, b.ran(ran_b)?),
        comparison,
    })
}
