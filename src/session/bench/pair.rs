//! Two programs measured in turns, so that what drifts with the machine is the same for both.

use super::checked::Checked;
use super::{Asked, Beforehand, BenchProgress, Inputs, Pace, Prepared, Ready, measurement};
use crate::device::stats::{Comparison, Verdict, compare_same, compare_turns};
use crate::device::{Backend, Progress, RunControl, RunReport, UNLIKE};
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
    pub outputs: Outputs,
}

/// What two programs, as they are written, give on the same inputs.
#[derive(Clone, PartialEq, Debug)]
pub enum Outputs {
    /// The same, as far as checks tell rounding from mistakes.
    Agree,
    Differ(Difference),
    /// They take or give other things, so that nothing could be compared.
    OfOtherTypes,
}

/// The first cell in which two outputs differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// `cell 3`, and of a result of several components in which.
    pub cell: String,
    /// What is there in each.
    pub values: [String; 2],
    /// How many cells differ, of how many.
    pub number: (usize, usize),
}

/// One of two programs, as problems of it are told.
pub struct Side<'a> {
    pub asked: Asked<'a>,
    /// `revision 2`.
    pub name: &'a str,
}

/// Compiles and checks two programs, and measures them in turns. Both run on the device of the first. Those that have the same
/// code are measured as one.
///
/// # Errors
/// As [`super::measure`], of either of them.
pub fn compare(
    [one, other]: [&Side<'_>; 2],
    backend: &dyn Backend,
    cancel: &AtomicBool,
    report: &dyn Fn(BenchProgress),
) -> Result<Pair, Diagnostic> {
    let (first, second) = (&one.asked, &other.asked);
    // Both run on the same: where only others than usual have a result in one of them, these.
    let params = |asked: &Asked<'_>| asked.term.ty().signature().0;
    let unusual = |asked: &Asked<'_>| Checked::new(asked, backend, cancel).drawn_unusually();
    let drawn = if params(first) == params(second) { unusual(first)?.or(unusual(second)?) } else { None };
    let [of_first, of_second] =
        [first, second].map(|asked| asked.inputs.or(drawn.as_ref().map(|d| &d.inputs)));
    let (first, second) = (&Asked { inputs: of_first, ..*first }, &Asked { inputs: of_second, ..*second });
    // Which of the two cannot be measured is not to be guessed.
    let of = |side: &Side<'_>, d: Diagnostic| d.note(format!("That is said of {}.", side.name));
    let mut a = Prepared::of(first, true, backend, cancel, report).map_err(|d| of(one, d))?;
    a.of_inputs = drawn.as_ref().and_then(|d| d.warning.clone()).or(a.of_inputs);
    let b = Prepared::of(second, true, backend, cancel, report).map_err(|d| of(other, d))?;
    let sides = [&a, &b].map(|p| (&p.checked, &p.ready, p.inputs()));
    let outputs = outputs(&a, &b)?;
    let mut pace = Pace::of(first.mode);
    let progress = &mut |p| pace.report(p, report);
    let is_same = a.ready.digest == b.ready.digest && first.device == second.device;
    let ran = if is_same {
        a.checked.measured(&a.ready.module, a.inputs(), progress).map(|ran| (ran.clone(), ran))
    } else {
        turns(sides, progress)
    };
    let (ran_a, ran_b) = ran.map_err(|problem| a.blamed(problem))?;
    let comparison = match is_same {
        true => compare_same(&ran_a.samples_ns),
        false => compare_turns(&ran_a.samples_ns, &ran_b.samples_ns),
    };
    let comparison = comparison.ok_or_else(|| {
        Diagnostic::error("E0711", "The device gave no times for these runs that could be compared.")
    })?;
    let comparison = weighed(comparison, [&*ran_a.warnings, &*ran_b.warnings]);
    let in_turns = !is_same;
    Ok(Pair {
        first: Measurement { in_turns, ..measurement(first, a.ran(ran_a)?) },
        second: Measurement { in_turns, ..measurement(second, b.ran(ran_b)?) },
        comparison,
        outputs,
    })
}

/// What turns say of kernels of which this was told.
fn weighed(comparison: Comparison, told: [&[String]; 2]) -> Comparison {
    match told.into_iter().flatten().any(|warning| warning.contains(UNLIKE)) {
        true => Comparison { verdict: Verdict::DisturbedUnlike, ..comparison },
        false => comparison,
    }
}

/// Both kernels are compared with the programs that they come from, so that these are what is left to compare.
fn outputs(a: &Prepared<'_>, b: &Prepared<'_>) -> Result<Outputs, Diagnostic> {
    let [one, other] = [a, b].map(|p| &p.checked.asked.workspace.program.term);
    if one.digest() == other.digest() {
        return Ok(Outputs::Agree);
    }
    let (true, Some(first), Some(second)) = (one.ty() == other.ty(), &a.beforehand, &b.beforehand) else {
        return Ok(Outputs::OfOtherTypes);
    };
    let difference = a.checked.difference(first, (&b.checked, second), a.inputs())?;
    Ok(difference.map_or(Outputs::Agree, Outputs::Differ))
}

/// Runs two kernels in turns on the same inputs, and compares their outputs at the sizes asked for.
///
/// # Errors
/// The device fails, or an output is wrong (`E0820`).
pub fn in_turns(
    first: (&Asked<'_>, &Ready),
    second: (&Asked<'_>, &Ready),
    inputs: &Inputs,
    expected: &Beforehand,
    backend: &dyn Backend,
    cancel: &AtomicBool,
) -> Result<(RunReport, RunReport), Diagnostic> {
    let [a, b] = [first, second].map(|(asked, _)| Checked::new(asked, backend, cancel));
    let ran = turns([(&a, first.1, inputs), (&b, second.1, inputs)], &mut |_| {})?;
    a.verdict(expected, inputs, &ran.0.outputs)?;
    b.verdict(expected, inputs, &ran.1.outputs)?;
    Ok(ran)
}

/// Runs two kernels in turns, each with the flags and on as many threads of the device as it is asked on.
fn turns(
    [a, b]: [(&Checked<'_>, &Ready, &Inputs); 2],
    progress: &mut dyn FnMut(Progress),
) -> Result<(RunReport, RunReport), Diagnostic> {
    let Checked { backend, cancel, .. } = a.0;
    let request = |(checked, ready, inputs): (&Checked<'_>, &Ready, &Inputs)| {
        checked.request_of(checked.asked.device, &ready.module, inputs)
    };
    let (of_a, of_b) = (request(a)?, request(b)?);
    let ran = backend.run_pair(&of_a, &of_b, &mut RunControl { cancel, progress });
    ran.map_err(|e| device_diagnostic(&e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::fake::{FakeDevices, Reply};
    use crate::device::{HostData, Mode, Param, RunRequest};
    use crate::lang::ty::Scalar;
    use crate::session::files::{Text, Texts};
    use crate::session::workspace::Workspace;

    /// What its input is.
    fn copied(request: &RunRequest) -> Vec<HostData> {
        let input = |param: &Param| match param {
            Param::Input(data) => Some(data.as_floats(Scalar::F64)),
            _ => None,
        };
        let input = request.params.iter().find_map(input);
        let elem = request.params.iter().find_map(|param| match param {
            Param::Output { elem, .. } => Some(*elem),
            _ => None,
        });
        vec![input.zip(elem).map(|(input, elem)| input.as_floats(elem)).unwrap()]
    }

    /// Each takes its turns with its own flags and threads, by which the two may differ.
    #[test]
    fn each_of_two_runs_as_it_is_asked_to() {
        let devices = (0..20).fold(FakeDevices::new(), |devices, _| {
            devices.reply(Reply::Compute(Box::new(copied), vec![1000, 1001, 1002, 1003, 1004, 1005]))
        });
        let text = "def same (x: n.f32): n.f32 = x |> map (\\a. a)".to_owned();
        let program = Text { label: "same.rise".into(), text };
        let texts =
            Texts { program, files: vec![], default_sizes: Default::default(), origin: Default::default() };
        let workspace = Workspace::load(&texts, None).unwrap_or_else(|p| panic!("{}", p.first()));
        let sizes = [("n".into(), 64)].into_iter().collect();
        let asked = |device| Asked::new(&workspace, &workspace.program.term, &sizes, device, Mode::MEASURE);
        let sides = ["cpu[1 thread]", "cpu[2 threads]"].map(|name| Side { asked: asked(name), name });
        let never = AtomicBool::new(false);
        let pair = compare(sides.each_ref(), &devices, &never, &|_| {}).unwrap();
        assert!(pair.first.in_turns && pair.second.in_turns);
        let asked = devices.asked();
        let [.., first, second] = asked.as_slice() else { panic!("{asked:?}") };
        assert_ne!(first.settings, second.settings);
        assert_ne!(pair.first.device, pair.second.device);
    }

    /// On a quiet machine what is faster on two threads than on one is faster; beside other programs that is not known.
    #[test]
    fn a_busy_machine_decides_nothing_between_different_numbers_of_threads() {
        let turns = compare_turns(&[200; 30], &[100; 30]).unwrap();
        let of = |told: &str| weighed(turns, [&[], &[told.to_owned()]]).verdict;
        assert_eq!(of(&format!("Others were busy. {UNLIKE}")), Verdict::DisturbedUnlike);
        assert_eq!(of("What took turns was disturbed alike."), Verdict::SecondFaster);
    }
}
