//! Random programs with `oclRun` at random places, as modules on an OpenCL device.

use super::check::{self, Fate, Ran, told};
use super::choices::Choices;
use super::draw::{self, Dialect};
use crate::device_common;
use crate::emit_common;
use crate::emit_common::simulator::oclgrind;
use shine_tui::device::{Devices, FloatMode, Mode};
use shine_tui::emit::{compile, data};
use shine_tui::lang::build as b;
use shine_tui::lang::infer::Program;
use shine_tui::lang::nat::Nat;
use shine_tui::lang::pattern::Pattern;
use shine_tui::lang::term::{Arg, Term};
use shine_tui::lang::value::Tolerance;
use shine_tui::lower::{Target, default_lowering};
use shine_tui::session::bench::cells::{buffer, host_data};
use shine_tui::session::bench::{Inputs, request};
use std::path::Path;
use std::sync::LazyLock;

/// What may be refused: kernels in loops whose iterations run at once, in branches that depend on data, in each other
/// once functions are unfolded; work-items that would race.
const REFUSALS: [&str; 9] = ["E0501", "E0508", "E0523", "E0524", "E0525", "E0527", "E0531", "E0540", "E0542"];

/// The program that the choices make.
pub fn program(choices: &mut Choices) -> (Program, [shine_tui::lang::eval::Sizes; 2]) {
    let drawn = draw::program(choices, Dialect::High);
    let term = kernels(&drawn.term, choices);
    (emit_common::program("f", Ok(term)), drawn.trials)
}

/// The term with some of its values computed by kernels.
fn kernels(t: &Term, choices: &mut Choices) -> Term {
    let is_value = t.ty().is_data() && t.ty().has_array() && t.as_app().is_some();
    if is_value && choices.below(4) == 1 {
        return kernel(t, choices);
    }
    let children: Vec<Term> = t.children().into_iter().map(|c| kernels(c, choices)).collect();
    if children.is_empty() { t.clone() } else { t.with_children(children) }
}

/// The value, computed by work-items where it is a `map`.
fn kernel(t: &Term, choices: &mut Choices) -> Term {
    let one = Nat::constant(1);
    let (mut body, mut items) = (t.clone(), one.clone());
    if let (head, [f, xs]) = (t.spine().0, t.spine().1.as_slice())
        && head.as_pattern() == Some(Pattern::Map)
    {
        let map = Term::prim(Pattern::MapGlobal, vec![Arg::Dim(0)], head.ty().clone());
        body = Term::apps(map, [(*f).clone(), (*xs).clone()]);
        if let (Some((n, _)), true) = (t.ty().as_array(), choices.below(2) == 1) {
            items = n.clone();
        }
    }
    let args = [&one, &one, &one, &items, &one, &one].map(|n| Arg::Nat(n.clone()));
    b::apply(Pattern::OclRun, args.to_vec(), vec![body]).unwrap_or_else(|why| panic!("{why}"))
}

/// A device to run modules on.
#[derive(Clone, Copy)]
pub struct On<'a> {
    pub id: &'a str,
    pub devices: &'a Devices,
    /// Whether it knows races, and says what it finds.
    pub finds_races: bool,
}

/// The device of OpenCL that the tests use.
pub fn device() -> Option<On<'static>> {
    static ID: LazyLock<Option<String>> = LazyLock::new(device_common::opencl);
    ID.as_deref().map(|id| On { id, devices: device_common::devices(), finds_races: false })
}

/// The simulator, as a device that finds races.
pub fn simulator() -> Option<On<'static>> {
    static DEVICES: LazyLock<Option<Devices>> = LazyLock::new(|| {
        let library = Path::new("/usr/lib/oclgrind/liboclgrind-rt.so");
        let there = oclgrind() && library.exists();
        let devices = device_common::unknown_devices().env("LD_PRELOAD", library);
        there.then(|| devices.env("OCLGRIND_DATA_RACES", "1"))
    });
    DEVICES.as_ref().map(|devices| On { id: "Oclgrind", devices, finds_races: true })
}

/// Runs the program at its trials, with sizes as parameters and as constants.
pub fn check(choices: &mut Choices, device: Option<On>) -> Result<Fate, String> {
    let (program, all) = program(choices);
    check::each_trial(program, all, &REFUSALS, |program, trial, is_fixed| {
        ran(program, trial, is_fixed, device)
    })
}

/// Runs a program as a module at the sizes of a trial, which are constants in it or parameters.
pub fn ran(
    program: &Program,
    trial: &check::Trial,
    is_fixed: bool,
    device: Option<On>,
) -> Result<Ran, String> {
    let sizes = &trial.sizes;
    let lowered = match default_lowering(program) {
        Ok(lowered) => lowered,
        Err(d) => return Ok(Ran::Refused(d)),
    };
    let module = match compile(&lowered, Target::OpenCl, is_fixed.then_some(sizes)) {
        Ok(done) => done.module,
        Err(d) => return Ok(Ran::Refused(d)),
    };
    if module.text().contains("cl_khr_fp16") {
        return Ok(Ran::WithHalves);
    }
    let shown = || format!("{}\n{}\n{:?}", check::text(&lowered), module.text(), module.host);
    let (types, result) = program.ty.signature();
    let parts =
        trial.inputs.iter().zip(&types).map(|(value, ty)| {
            data::split(value, ty, sizes).map(|parts| parts.iter().map(host_data).collect())
        });
    let inputs = Inputs(parts.collect::<Result<_, _>>().map_err(|d| told(&d))?);
    let asked = device.map_or("none", |on| on.id);
    let request = request(asked, &module, sizes, &inputs, Mode::Once, FloatMode::Strict);
    let request = request.map_err(|d| format!("{}\n{}", told(&d), shown()))?;
    if let Some(on) = device {
        let report = device_common::run(on.devices, &request).map_err(|e| format!("{e:?}\n{}", shown()))?;
        // A compiler says how many warnings it gave, of `x == x` for one: that is no race.
        let is_race = |line: &str| !line.is_empty() && !line.ends_with("generated.");
        if on.finds_races && report.stderr.lines().any(|line| is_race(line.trim())) {
            return Err(format!("{}\n{}", report.stderr, shown()));
        }
        let parts: Vec<_> = report.outputs.iter().map(buffer).collect();
        let found = data::join(&parts, &result, sizes).map_err(|d| told(&d))?;
        let agrees = trial.expected.agrees(&found, Tolerance::Exact);
        agrees.map_err(|why| format!("{why}\n{}", shown()))?;
    }
    Ok(Ran::Agrees)
}
