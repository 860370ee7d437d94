//! Running a program's kernel beside what it is checked against.

use super::agree::{self, Agreement, agree, cells, not_numbers};
use super::cells::{at_width, buffer};
use super::drawn::{DRAWS, Draw};
use super::explained::Decision;
use super::inputs::{Inputs, components};
use super::place;
use super::request::{no_value, plain_seconds, request};
use super::{Asked, BenchProgress, Difference, target_of};
use crate::device::Cause;
use crate::device::check::{self, Tolerance};
use crate::device::{
    Backend, Choice, Expected, FloatMode, HostData, HostScalar, Mode, Progress as DeviceProgress, RunControl,
    RunReport, RunRequest, SCALAR, array_fits, group_fits, local_fits, select,
};
use crate::emit::code::leaves;
use crate::emit::{self, Language, Module, data};
use crate::lang::declared::{Declared, Patterns};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::eval::failure::is_of_inputs;
use crate::lang::eval::inputs::Kind;
use crate::lang::eval::{self, Foreign, Limits};
use crate::lang::infer::{Program, Spans};
use crate::lang::nat::{Name, Nat};
use crate::lang::term::Term;
use crate::lang::ty::{Scalar, Type};
use crate::lang::value::Value;
use crate::lang::{partial, rounding, undefined, work};
use crate::lower;
use crate::session::action::{Sizes, Target};
use crate::session::{foreign, trial};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// ` at m=4 n=5`
pub(super) fn at(sizes: &Sizes) -> String {
    let all: Vec<String> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    if all.is_empty() { String::new() } else { format!(" at {}", all.join(" ")) }
}

/// What outputs of plain C are of.
fn key(term: &Term, inputs: &Inputs, sizes: &Sizes) -> Digest {
    let mut bytes = term.digest().bytes().to_vec();
    bytes.extend(at(sizes).into_bytes());
    for data in inputs.0.iter().flatten() {
        bytes.extend(Digest::of(data.as_bytes()).bytes());
    }
    Digest::of(&bytes)
}

/// What a kernel's outputs are compared with.
pub(super) struct Reference {
    pub(super) outputs: Vec<Expected>,
    /// Which of them are computed in double precision.
    pub(super) in_doubles: Vec<bool>,
}

impl Reference {
    /// Is something of it in double precision?
    pub(super) fn has_doubles(&self) -> bool {
        self.in_doubles.contains(&true)
    }
}

/// The interpreter takes no more steps at the sizes that are asked for: at smaller ones it is over sooner.
const FEW_STEPS: u64 = 5_000_000;

/// What is known before the kernel runs at the sizes asked for.
pub struct Beforehand {
    /// With what it agrees at small sizes, or why the interpreter was not asked.
    small: Result<String, String>,
    exact: Option<String>,
    reference: Reference,
}

impl Beforehand {
    /// The cells of each component that the program leaves undefined, where it does.
    pub fn undefined(&self) -> Vec<Vec<bool>> {
        let of = |due: &Expected| (0..due.data().len()).map(|i| due.is_unwritten(i)).collect();
        self.reference.outputs.iter().map(of).collect()
    }
}

/// Why the interpreter was not asked at small sizes.
const NOT_SMALL: &str =
    "The sizes of the program are fixed or cannot be small, so the interpreter was not asked.";
const NOTHING_DRAWN: &str = "At small sizes the program has no result on any inputs that were drawn, so the interpreter was not asked.";

/// What came of the checks.
#[derive(Default)]
pub struct Verdict {
    /// What the output agrees with.
    pub text: Option<String>,
    pub max_error: f64,
    pub warnings: Vec<String>,
}

/// A kernel that is compared with its program wherever it runs.
pub struct Checked<'a> {
    pub asked: &'a Asked<'a>,
    pub backend: &'a dyn Backend,
    pub cancel: &'a AtomicBool,
    pub target: Target,
    /// The interpreter computes what the program as written gives, within these limits, and not plain C: what the interpreter
    /// contradicts, no other run of the same compiler can explain.
    interprets: Option<Limits<'a>>,
}

impl<'a> Checked<'a> {
    pub fn new(asked: &'a Asked<'a>, backend: &'a dyn Backend, cancel: &'a AtomicBool) -> Checked<'a> {
        Checked { asked, backend, cancel, target: target_of(asked.device), interprets: None }
    }

    /// Asks, before anything is computed, whether the device has the memory that the kernels use at these sizes.
    pub fn fits(&self, module: &Module) -> Result<(), Diagnostic> {
        let Asked { device, sizes, .. } = *self.asked;
        let known = |n: &Nat| u64::try_from(n.eval(&|x| sizes.get(x).copied()).ok()?).ok();
        let groups: Vec<(&str, u64)> = module
            .kernels(Language::OpenCl)
            .filter_map(|k| {
                let sizes = k.local_size.as_ref()?.iter().map(known).collect::<Option<Vec<u64>>>()?;
                Some((&*k.name, sizes.into_iter().fold(1, u64::saturating_mul)))
            })
            .collect();
        let mut needed = module.kernels(Language::OpenCl).filter_map(|k| {
            let bytes = k.local_bytes().eval(&|x| sizes.get(x).copied()).ok()?;
            Some((k, u64::try_from(bytes).ok().filter(|bytes| *bytes > 0)?))
        });
        let first = needed.next();
        if self.target == Target::C && first.is_none() && groups.is_empty() {
            return Ok(());
        }
        let mut control = RunControl { cancel: self.cancel, progress: &mut |_| {} };
        // A device that is not there is told of when it is to run something.
        let Ok(list) = self.backend.list(&mut control) else { return Ok(()) };
        let Ok(info) = select(&list.devices, device) else { return Ok(()) };
        let buffers = module.buffers.iter().enumerate().filter(|(i, _)| module.is_used(*i));
        let mut arrays = buffers.filter_map(|(_, b)| known(&b.len)?.checked_mul(b.scalar.bytes() as u64));
        let told = groups.iter().try_for_each(|(name, group)| group_fits(name, *group, info));
        told.and_then(|()| {
            first.into_iter().chain(needed).try_for_each(|(k, bytes)| local_fits(&k.name, bytes, info))
        })
        .and_then(|()| arrays.try_for_each(|bytes| array_fits(bytes, info)))
        .map_err(|e| self.told(module, sizes).problem(&e))
    }

    /// Computes what the output at the sizes asked for must be, and nothing else.
    pub fn at_these_sizes(&self, inputs: &Inputs) -> Result<Beforehand, Diagnostic> {
        let small = Err(NOT_SMALL.to_owned());
        Ok(Beforehand { small, exact: None, reference: self.reference(inputs, self.asked.sizes)? })
    }

    /// Checks at small and at odd sizes; what agrees.
    pub fn elsewhere(&self) -> Result<String, Diagnostic> {
        let all = [self.check_small()?.ok(), self.check_exact()?];
        self.check_truths()?;
        Ok(all.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }

    /// Checks at small and at odd sizes, and computes what the output at the sizes asked for must be.
    pub fn beforehand(
        &self,
        inputs: &Inputs,
        report: &dyn Fn(BenchProgress),
    ) -> Result<Beforehand, Diagnostic> {
        report(BenchProgress::CheckingSmall);
        let small = self.check_small()?;
        report(BenchProgress::Reference { about: self.time_of_reference() });
        let exact = self.check_exact()?;
        self.check_truths()?;
        Ok(Beforehand { small, exact, reference: self.reference(inputs, self.asked.sizes)? })
    }

    /// Runs the kernel as it was asked for.
    pub fn measured(
        &self,
        kernel: &Module,
        inputs: &Inputs,
        progress: &mut dyn FnMut(DeviceProgress),
    ) -> Result<RunReport, Diagnostic> {
        let Asked { device, sizes, mode, .. } = *self.asked;
        self.kernel(device, kernel, sizes, inputs, mode, FloatMode::Contract, progress)
    }

    /// Compares an output at the sizes asked for.
    pub fn verdict(
        &self,
        before: &Beforehand,
        inputs: &Inputs,
        outputs: &[HostData],
    ) -> Result<Verdict, Diagnostic> {
        let work = work::of(&self.asked.workspace.program.term, self.asked.sizes);
        let usual = self.tolerance(&before.reference, inputs, work.flops)?;
        let reference = &before.reference.outputs;
        let mut warnings = vec![];
        let where_ = "at these sizes against the program as written, in plain C";
        let here = (self.asked.sizes, inputs);
        let parted = match agree(reference, outputs, &usual, where_) {
            Err(_) if before.reference.has_doubles() => {
                self.parted_by_overflow(reference, outputs, &usual, inputs)?
            }
            _ => None,
        };
        if let Some((_, number)) = &parted {
            let cells = cells(reference);
            warnings.push(format!(
                "{number} of {cells} cells of the result overflow on the way, in the program as written or in double precision: they are \
                 compared with what it gives as written."
            ));
        }
        let reference = parted.as_ref().map_or(reference, |(eased, _)| eased);
        let decision = match agree(reference, outputs, &usual, where_) {
            Ok(_) => Decision::Elsewhere,
            Err(_) => self.decided_by_rounding(reference, outputs, &usual, inputs, self.asked.sizes)?,
        };
        let agreement = |reference: &[Expected], tolerance: &dyn Fn(usize, &HostData) -> Tolerance| {
            if let Decision::TooMuch = decision {
                return agree(reference, outputs, tolerance, where_).map_err(agree::of_rounding);
            }
            self.agreement(reference, outputs, tolerance, where_, here)
        };
        let decided = match &decision {
            Decision::ByRounding(eased, number) => Some((eased, *number)),
            Decision::TooMuch | Decision::Elsewhere => None,
        };
        if let Some((_, number)) = &decided {
            warnings.push(format!(
                "Rounding decides {number} of {} cells of the result: there the program as written gives what was found, or values on both \
                 sides of it, where its inputs and the numbers in it differ in their last digits, or the kernel gives what it should \
                 where each product is rounded before it goes into a sum.",
                cells(reference)
            ));
        }
        let reference = decided.map_or(reference, |(eased, _)| eased);
        let large = match agree(reference, outputs, &usual, where_) {
            Err(_) if before.reference.has_doubles() => {
                let own = self.own_errors(&before.reference, reference, inputs)?;
                let wider = |i: usize, expected: &HostData| {
                    let known = usual(i, expected);
                    Tolerance {
                        relative: known.relative.max(2.0 * own.get(i).copied().unwrap_or(0.0)),
                        ..known
                    }
                };
                match agree(reference, outputs, &wider, where_) {
                    Ok(large) => {
                        let most = own.iter().copied().fold(0.0, f64::max);
                        warnings.push(format!("Rounding takes the program as written {most:.1e} away from what it is in double precision; twice as much is allowed here."));
                        large
                    }
                    Err(_) => match self.moved_as_far(reference, outputs, &usual, inputs)? {
                        Some((large, number)) => {
                            warnings.push(format!("Rounding as the program is written moves {number} of {} cells of the result as far as the kernel does.", large.cells));
                            large
                        }
                        None => agreement(reference, &wider)?,
                    },
                }
            }
            Err(_) => agreement(reference, &usual)?,
            Ok(large) => large,
        };
        warnings.extend(before.small.clone().err());
        let not_numbers: usize = reference.iter().map(not_numbers).sum();
        if 2 * not_numbers > large.cells {
            let all = large.cells;
            let about = "NaN agrees with NaN, so the check says little";
            warnings.push(format!("{not_numbers} of {all} cells of the result are not a number: {about}."));
        }
        let others: String = [before.small.as_ref().ok(), before.exact.as_ref()]
            .into_iter()
            .flatten()
            .map(|s| format!("{s}; "))
            .collect();
        if large.cells == 0 && cells(reference) > 0 {
            warnings.push(
                "No cell of the result could be compared with double precision, so the check says little."
                    .to_owned(),
            );
        }
        let number = large.cells - decided.map_or(0, |(_, number)| number.min(large.cells));
        let text = Some(format!("{others}{}", large.in_words(number)));
        Ok(Verdict { text, max_error: large.error, warnings })
    }

    /// Where another program, which has the same types, gives something else on the same inputs, as both are written. What the
    /// checks of either allow is no difference.
    pub fn difference(
        &self,
        own: &Beforehand,
        (other, others): (&Checked<'_>, &Beforehand),
        inputs: &Inputs,
    ) -> Result<Option<Difference>, Diagnostic> {
        let of = |checked: &Checked<'_>, before: &Beforehand| {
            let work = work::of(&checked.asked.workspace.program.term, checked.asked.sizes);
            checked.tolerance(&before.reference, inputs, work.flops)
        };
        let (one, two) = (of(self, own)?, of(other, others)?);
        let (expected, found) = (&own.reference.outputs, &others.reference.outputs);
        let (mut first, mut wrong, mut all) = (None, 0, 0);
        for (i, (e, f)) in expected.iter().zip(found).enumerate() {
            let (a, b) = (one(i, e.data()), two(i, e.data()));
            let tolerance = Tolerance { relative: a.relative.max(b.relative), floor: a.floor.max(b.floor) };
            let check = check::compare(e, f.data(), tolerance);
            wrong += check.wrong;
            all += check.cells;
            first = first.or_else(|| check.first_wrong.map(|cell| (i, cell)));
        }
        Ok(first.map(|(component, cell)| {
            let place = match expected.len() {
                1 => String::new(),
                n => format!(" of component {} of {n}", component + 1),
            };
            Difference {
                cell: format!("cell {}{place}", cell.index),
                values: [cell.expected.to_string(), cell.found.to_string()],
                number: (wrong, all),
            }
        }))
    }

    /// Compares outputs of the kernel at these sizes. A wrong result says whether the same kernel is right where the
    /// compiler makes no vectors: then the compiler is wrong; or where products are rounded before they are added to something.
    fn agreement(
        &self,
        expected: &[Expected],
        found: &[HostData],
        tolerance: &dyn Fn(usize, &HostData) -> Tolerance,
        where_: &str,
        (sizes, inputs): (&Sizes, &Inputs),
    ) -> Result<Agreement, Diagnostic> {
        agree(expected, found, tolerance, where_).map_err(|mut problem| {
            let told = self.asked.workspace.compile_telling(self.asked.term, self.target, sizes);
            problem.notes.extend(told.ok().and_then(|(_, unasked)| unasked?.warning()));
            let foreign = foreign::functions(&self.asked.workspace.program.term);
            if !foreign.is_empty() {
                let names: Vec<String> = foreign.iter().map(|f| format!("`{}`", f.name())).collect();
                return agree::of_foreign(problem, &names);
            }
            let again = |device: &str, float: FloatMode| {
                let kernel = self.asked.workspace.compile(self.asked.term, self.target, sizes).ok()?.module;
                let run = self.kernel(device, &kernel, sizes, inputs, Mode::Once, float, &mut |_| {}).ok()?;
                agree(expected, &run.outputs, tolerance, where_).ok()
            };
            let device = Choice::read(self.asked.device).ok().and_then(|choice| choice.without_vectors());
            if let Some(device) = device.filter(|device| again(device, FloatMode::Contract).is_some()) {
                return if rounding::decides_somewhere(&self.plain()) {
                    agree::of_order(problem, &device)
                } else {
                    agree::of_the_compiler(problem, &device)
                };
            }
            let strictly = self.target == Target::C && again(self.asked.device, FloatMode::Strict).is_some();
            if strictly { agree::of_contraction(problem) } else { problem }
        })
    }

    /// What the interpreter says where a run was ended by the processor: a division that has no result is the program's,
    /// or that of what it was rewritten to, and not the kernel's. None where it finds nothing, or is too slow to get there.
    pub fn without_result(&self, inputs: &Inputs) -> Option<Diagnostic> {
        let Asked { term, sizes, workspace, .. } = *self.asked;
        let values = inputs.values(term, sizes).ok()?;
        let limits = Limits { cancel: Some(self.cancel), steps: 100_000_000, ..Limits::default() };
        // What is said of a division, if it is known.
        let divides = |value: Result<Value, Diagnostic>| match value {
            Err(problem) => (problem.code == "E0193").then_some(Some(problem)),
            Ok(_) => Some(None),
        };
        if let Some(problem) = divides(eval::run(&workspace.program.term, sizes, &values, &limits))? {
            return Some(problem);
        }
        if let Some(zeroed) = undefined::zeroed(&workspace.program.term)
            && let Some(problem) = divides(eval::run(&zeroed, sizes, &values, &limits))?
        {
            return Some(problem.note(
                "It divides by a cell that `padEmpty` or `scatter` leaves undefined, where anything may stand, also a zero.",
            ));
        }
        if let Some(problem) = divides(eval::run(term, sizes, &values, &limits))? {
            let note = format!(
                "On these inputs the program as written has a result, and what it was rewritten to has none: {}",
                problem.message
            );
            return Some(agree::something_else().note(note));
        }
        let problem = divides(eval::run_whole(term, sizes, &values, &limits))??;
        Some(problem.note(
            "It is part of an array in memory, which is computed as a whole, also where nothing reads it.",
        ))
    }

    /// Runs the kernel at small sizes, those that are asked for if they are, and compares with the interpreter: what agrees, or why
    /// it was not asked. Where the program has a result on nothing that is drawn, it is asked of what is given.
    fn check_small(&self) -> Result<Result<String, String>, Diagnostic> {
        let Asked { workspace, sizes: asked, inputs: given, .. } = *self.asked;
        let mut why_not = NOT_SMALL;
        if trial::are_small(workspace, asked) {
            let limits = Limits { steps: FEW_STEPS, cancel: Some(self.cancel), ..Limits::default() };
            let mut checked = self.check_at(asked, &limits);
            if let (Some(given), true) = (given, checked.as_ref().is_err_and(is_of_inputs)) {
                checked = self.check_on(given, asked, " on the inputs given", &limits);
            }
            match checked {
                Err(problem) if eval::failure::is_limit(&problem) && !self.cancel.load(Ordering::Relaxed) => {
                }
                // Other inputs may have a result at other sizes.
                Err(problem)
                    if is_of_inputs(&problem) && partial::depends_on_inputs(&workspace.program.term) => {}
                done => return done.map(Ok),
            }
        }
        for sizes in trial::small(workspace, self.asked.term) {
            let limits = Limits { cancel: Some(self.cancel), ..Limits::default() };
            match self.check_at(&sizes, &limits) {
                Err(problem) if is_of_inputs(&problem) => why_not = NOTHING_DRAWN,
                checked => return checked.map(Ok),
            }
        }
        Ok(Err(why_not.to_owned()))
    }

    /// Runs the kernel at these sizes on the first inputs drawn on which the program as written has a result.
    fn check_at(&self, sizes: &Sizes, limits: &Limits<'_>) -> Result<String, Diagnostic> {
        let on = if self.asked.inputs.is_some() { " on drawn inputs" } else { "" };
        let check = |draw: &Draw| {
            let inputs = Inputs::drawn(vec![], self.asked.term, sizes, *draw)?;
            self.check_on(&inputs, sizes, on, limits)
        };
        let [usual, others @ ..] = &DRAWS;
        let first = check(usual);
        if !first.as_ref().is_err_and(is_of_inputs)
            || !partial::depends_on_inputs(&self.asked.workspace.program.term)
        {
            return first;
        }
        others.iter().map(check).find(|checked| !checked.as_ref().is_err_and(is_of_inputs)).unwrap_or(first)
    }

    /// Runs the kernel on these inputs and compares with the interpreter.
    fn check_on(
        &self,
        inputs: &Inputs,
        sizes: &Sizes,
        on: &str,
        limits: &Limits<'_>,
    ) -> Result<String, Diagnostic> {
        let workspace = self.asked.workspace;
        let mut interpreting = Checked { interprets: Some(*limits), ..*self };
        let expected = interpreting.defined(&workspace.program.term, inputs, sizes)?;
        // What explains a difference takes as many steps again and again, and is not to be given up for that.
        interpreting.interprets = Some(Limits { steps: Limits::default().steps, ..*limits });
        let kernel = workspace.compile(self.asked.term, self.target, sizes)?.module;
        let run = self.kernel(
            self.asked.device,
            &kernel,
            sizes,
            inputs,
            Mode::Once,
            FloatMode::Contract,
            &mut |_| {},
        )?;
        let work = work::of(&workspace.program.term, sizes);
        let terms = work.flops / cells(&expected).max(1) as f64;
        let at = format!("{}{on}", at(sizes));
        let tolerance = |_: usize, expected: &HostData| Tolerance::rounding(expected, terms);
        let where_ = format!("{at} against the interpreter");
        let expected = match agree(&expected, &run.outputs, &tolerance, where_.trim_start()) {
            Ok(_) => expected,
            Err(_) => interpreting.not_overflown(expected, &run.outputs, &tolerance, inputs, sizes)?,
        };
        let problem =
            match self.agreement(&expected, &run.outputs, &tolerance, where_.trim_start(), (sizes, inputs)) {
                Ok(_) => return Ok(format!("agrees with the interpreter{at}")),
                Err(problem) => problem,
            };
        match interpreting.explained(&expected, &run.outputs, &tolerance, inputs, sizes) {
            Ok(Some(explained)) => Ok(format!("agrees with {}", explained.in_words(&at))),
            Ok(None) => Err(problem),
            Err(stopped) if self.cancel.load(Ordering::Relaxed) => Err(stopped),
            // Where numbers that differ in their last digits have no result, nothing is explained.
            Err(_) => Err(problem),
        }
    }

    /// The outputs by the interpreter, at the widths of the program's types. What has no value counts as never written.
    pub(super) fn interpreted(
        &self,
        limits: &Limits<'_>,
        term: &Term,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Vec<Expected>, Diagnostic> {
        let values = inputs.at_widths_of(term).values(term, sizes)?;
        let interpret =
            |foreign: Option<&dyn Foreign>| eval::run(term, sizes, &values, &Limits { foreign, ..*limits });
        let value = if foreign::functions(term).is_empty() {
            interpret(None)?
        } else {
            let apply =
                |function, term: &Term, size: &Name, columns| self.table(function, term, size, columns);
            foreign::evaluate(&|table| interpret(Some(table)), &apply)?
        };
        let (_, result) = term.ty().signature();
        let (outputs, holes) = (components(&value, &result, sizes)?, data::holes(&value, &result));
        let mut outputs: Vec<Expected> =
            self.at_own_widths(outputs).into_iter().map(Expected::from).collect();
        for (component, holes) in outputs.iter_mut().zip(holes) {
            component.unwrite(&holes);
        }
        Ok(outputs)
    }

    /// The components of a result at the widths of the program's types.
    fn at_own_widths(&self, outputs: Vec<HostData>) -> Vec<HostData> {
        let (_, result) = self.asked.workspace.program.term.ty().signature();
        let elems = leaves(&result).into_iter().map(|leaf| leaf.scalar());
        outputs.into_iter().zip(elems).map(|(data, elem)| at_width(data, elem)).collect()
    }

    /// The values of a foreign function, from a kernel that applies it to all the arguments.
    fn table(
        &self,
        function: Declared,
        term: &Term,
        size: &Name,
        columns: Vec<Vec<Value>>,
    ) -> Result<Vec<Value>, Diagnostic> {
        let (types, result) = term.ty().signature();
        let count = columns.first().map_or(0, Vec::len) as i64;
        let sizes: Sizes = [(size.clone(), count)].into_iter().collect();
        let program = Program {
            name: "table".into(),
            params: (0..function.arity()).map(|i| format!("x{i}").into()).collect(),
            sizes: vec![size.clone()],
            ty: term.ty().clone(),
            term: term.clone(),
            constraints: vec![],
            patterns: Patterns::default(),
            spans: Spans::default(),
        };
        let kernel =
            emit::compile(&lower::default_lowering(&program)?, lower::Target::C, Some(&sizes))?.module;
        let inputs = columns.into_iter().zip(&types);
        let inputs = inputs.map(|(column, ty)| components(&Value::array(column), ty, &sizes));
        let inputs = Inputs(inputs.collect::<Result<_, _>>()?);
        let request = request("cpu", &kernel, &sizes, &inputs, Mode::Once, FloatMode::Strict)?;
        let mut control = RunControl { cancel: self.cancel, progress: &mut |_| {} };
        let told = self.told(&kernel, &sizes);
        let report = self.backend.run(&request, &mut control).map_err(|e| told.problem(&e))?;
        let output = report.outputs.first().ok_or_else(|| no_value("the function's result"))?;
        let value = Value::from_flat(&result, &buffer(output), &sizes)?;
        Ok(value.as_array().map(<[Value]>::to_vec).unwrap_or_default())
    }

    /// About how long the reference takes, by what the program as written computes: less where the compiler makes vectors of it,
    /// and more where it waits for memory.
    fn time_of_reference(&self) -> Duration {
        let work = work::of(&self.asked.workspace.program.term, self.asked.sizes);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let seconds = plain_seconds(work.flops + work.integer_operations, threads);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// The outputs of the program as written, compiled plainly to C and run on the host: in double precision, but for what
    /// that might decide differently.
    pub(super) fn reference(&self, inputs: &Inputs, sizes: &Sizes) -> Result<Reference, Diagnostic> {
        self.reference_of(self.plain(), inputs, sizes)
    }

    /// The program as written, one loop after the other.
    pub(super) fn plain(&self) -> Term {
        lower::sequential(&self.asked.workspace.program.term, &|_| false)
    }

    pub(super) fn reference_of(
        &self,
        plain: Term,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Reference, Diagnostic> {
        let run = |term: &Term| {
            self.defined(term, inputs, sizes).map_err(|problem| {
                if problem.code != Cause::TimeLimit.code() {
                    return problem;
                }
                problem.note("What ran is not the kernel, but the program as it is written, in plain C, with which the kernel is compared.")
            })
        };
        let Some((doubles, in_doubles)) = rounding::in_doubles(&plain) else {
            let outputs = run(&plain)?;
            return Ok(Reference { in_doubles: vec![false; outputs.len()], outputs });
        };
        let mut outputs = run(&doubles)?;
        if in_doubles.contains(&false) {
            let own = run(&plain)?.into_iter().zip(&in_doubles).enumerate();
            for (i, (own, _)) in own.filter(|(_, (_, in_doubles))| !**in_doubles) {
                if let Some(output) = outputs.get_mut(i) {
                    *output = own;
                }
            }
        }
        Ok(Reference { outputs, in_doubles })
    }

    /// The outputs of plain C, or of the interpreter. What the program leaves undefined counts as never written.
    pub(super) fn defined(
        &self,
        term: &Term,
        inputs: &Inputs,
        sizes: &Sizes,
    ) -> Result<Vec<Expected>, Diagnostic> {
        if let Some(limits) = &self.interprets {
            return self.interpreted(limits, term, inputs, sizes);
        }
        let Some(filled) = undefined::filled(term) else {
            return Ok(self.plainly(term, inputs, sizes)?.into_iter().map(Expected::from).collect());
        };
        let mut runs = vec![];
        for term in &filled {
            runs.push(self.plainly(term, inputs, sizes)?);
        }
        let outputs = runs.pop().unwrap_or_default();
        let defined = |(i, component): (usize, HostData)| {
            let size = component.elem().bytes();
            let cell =
                |data: &HostData, k: usize| data.as_bytes().get(k * size..(k + 1) * size).map(<[u8]>::to_vec);
            let differs =
                |k: &usize| runs.iter().any(|o| o.get(i).and_then(|o| cell(o, *k)) != cell(&component, *k));
            let holes: Vec<usize> = (0..component.len()).filter(differs).collect();
            let mut expected = Expected::from(component);
            expected.unwrite(&holes);
            expected
        };
        Ok(outputs.into_iter().enumerate().map(defined).collect())
    }

    /// The outputs of plain C, at the widths of the program's types. Its outermost loop runs on threads where it can, which
    /// gives the same bits; each element is computed in the order that is written.
    fn plainly(&self, term: &Term, inputs: &Inputs, sizes: &Sizes) -> Result<Vec<HostData>, Diagnostic> {
        let key = self.asked.known.map(|known| (known, key(term, inputs, sizes)));
        if let Some(outputs) = key.and_then(|(known, key)| known.get(key)) {
            return Ok(outputs);
        }
        let compiled = |term: &Term| self.asked.workspace.compile(term, Target::C, sizes);
        let shared_out = lower::on_threads(term).and_then(|threads| compiled(&threads).ok());
        let kernel = shared_out.map_or_else(|| compiled(term), Ok)?.module;
        // What is compared is not to have been compiled in the same way.
        let device = format!("cpu[{SCALAR}]");
        let run = self.kernel(&device, &kernel, sizes, inputs, Mode::Once, FloatMode::Strict, &mut |_| {})?;
        if let Some(known) = self.asked.known {
            known.ran_on(run.threads);
        }
        let outputs = self.at_own_widths(run.outputs);
        if let Some((known, key)) = key {
            known.keep(key, &outputs);
        }
        Ok(outputs)
    }

    /// How far cells may be off, for each component of the reference. Where only a few sums come out, one of them may be
    /// small by chance; then what it sums counts.
    fn tolerance(
        &self,
        reference: &Reference,
        inputs: &Inputs,
        flops: f64,
    ) -> Result<impl Fn(usize, &HostData) -> Tolerance + use<>, Diagnostic> {
        const FEW: usize = 64;
        let (program, sizes) = (&self.asked.workspace.program.term, self.asked.sizes);
        let cells = cells(&reference.outputs);
        let in_turn = rounding::steps(self.asked.term, sizes);
        let each = (flops / cells.max(1) as f64).max(1.0);
        let mut floor = 0.0;
        if cells < FEW && reference.has_doubles() && rounding::counts_up(program) {
            let sums = self.reference(&inputs.magnitudes(), sizes)?.outputs;
            let largest = sums.iter().map(|due| check::magnitude(due.data())).fold(0.0, f64::max);
            floor = largest / rounding::steps(program, sizes).sqrt();
        }
        // Of what is in double precision anyway the reference rounds as much as the program as written, and where numbers are
        // of one sign, by more than chance: the kernel may be nearer to what it should be.
        let both = 16.0 * (in_turn + rounding::steps(program, sizes));
        let in_doubles = reference.in_doubles.clone();
        Ok(move |component: usize, expected: &HostData| {
            let steps = match in_doubles.get(component) {
                Some(true) if expected.elem() == Scalar::F64 => both,
                Some(true) => in_turn,
                _ => each,
            };
            let tolerance = Tolerance::rounding(expected, steps);
            Tolerance { floor: tolerance.floor.max(floor), ..tolerance }
        })
    }

    /// Runs sums on small integers and compares every bit: at odd sizes where the program has them, and at the measured
    /// ones where sums are so long that rounding hides a missing term. None when the program has no sums of floats that
    /// would be exact.
    fn check_exact(&self) -> Result<Option<String>, Diagnostic> {
        const LONG: f64 = 4096.0;
        const TRIES: usize = 4;
        let (workspace, program) = (self.asked.workspace, &self.asked.workspace.program.term);
        if !rounding::counts_up(program) {
            return Ok(None);
        }
        if rounding::steps(program, self.asked.sizes) > LONG {
            self.sums_agree(self.asked.sizes, Kind::Ones)?;
        }
        let mut shrink = 1.0;
        let mut sizes = self.asked.sizes.clone();
        for _ in 0..TRIES {
            sizes = trial::odd(workspace, self.asked.term, &sizes, shrink);
            let Some(too_large) = self.sums_agree(&sizes, Kind::Positive)? else { return Ok(None) };
            shrink = too_large;
            if shrink <= 1.0 {
                return Ok(Some(format!("sums of integers are exact{}", at(&sizes))));
            }
            shrink *= 1.1;
        }
        Ok(None)
    }

    /// Runs the kernel where all truth values of its inputs are the same: of many that are drawn there are always some of both, and
    /// whether all of them hold, or none, is what programs ask.
    fn check_truths(&self) -> Result<(), Diagnostic> {
        let (workspace, term, sizes) = (self.asked.workspace, self.asked.term, self.asked.sizes);
        if !term.ty().signature().0.iter().any(has_truths) {
            return Ok(());
        }
        for all in [true, false] {
            let inputs = Inputs::random(term, sizes, Kind::Truths(all))?;
            if partial::depends_on_inputs(&workspace.program.term) {
                match self.has_result(&inputs, sizes) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(problem) if is_of_inputs(&problem) => continue,
                    Err(problem) => return Err(problem),
                }
            }
            let before = self.at_these_sizes(&inputs)?;
            let kernel = workspace.compile(term, self.target, sizes)?.module;
            let device = self.asked.device;
            let run =
                self.kernel(device, &kernel, sizes, &inputs, Mode::Once, FloatMode::Contract, &mut |_| {})?;
            self.verdict(&before, &inputs, &run.outputs).map_err(|problem| {
                problem.note(format!("So it is on drawn inputs whose truth values are all {all}."))
            })?;
        }
        Ok(())
    }

    /// Compares sums of small integers, if floats of the program's types hold them in any order; how many times as large
    /// as that they are, or as is known to have a result. None where the program has none.
    fn sums_agree(&self, sizes: &Sizes, kind: Kind) -> Result<Option<f64>, Diagnostic> {
        const MUCH: f64 = 8.0;
        let (workspace, term) = (self.asked.workspace, self.asked.term);
        let inputs = Inputs::random(term, sizes, kind)?;
        if partial::depends_on_inputs(&workspace.program.term) {
            match self.has_result(&inputs, sizes) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(MUCH)),
                Err(problem) if is_of_inputs(&problem) => return Ok(None),
                Err(problem) => return Err(problem),
            }
        }
        let expected = self.reference(&inputs, sizes)?.outputs;
        let written = |due: &Expected, i: &usize| !due.is_unwritten(*i);
        let values = expected.iter().flat_map(|due| {
            let cells = (0..due.data().len()).filter(move |i| written(due, i));
            cells.filter_map(|i| due.data().get(i))
        });
        let largest = values.map(HostScalar::to_f64).fold(0.0, f64::max);
        let excess = largest / rounding::exact_up_to(workspace.program.term.ty());
        if excess <= 1.0 {
            let kernel = workspace.compile(term, self.target, sizes)?.module;
            let device = self.asked.device;
            let run =
                self.kernel(device, &kernel, sizes, &inputs, Mode::Once, FloatMode::Contract, &mut |_| {})?;
            let at = at(sizes);
            let where_ =
                format!("{at} on small integers, whose sums are exact, against the program as written");
            let exact = |_: usize, _: &HostData| Tolerance::EXACT;
            self.agreement(&expected, &run.outputs, &exact, where_.trim_start(), (sizes, &inputs))?;
        }
        Ok(Some(excess))
    }

    #[expect(clippy::too_many_arguments, reason = "each of them differs between the uses")]
    pub(super) fn kernel(
        &self,
        device: &str,
        kernel: &Module,
        sizes: &Sizes,
        inputs: &Inputs,
        mode: Mode,
        float: FloatMode,
        progress: &mut dyn FnMut(DeviceProgress),
    ) -> Result<RunReport, Diagnostic> {
        let mut request = request(device, kernel, sizes, inputs, mode, float)?;
        self.limit(&mut request);
        let mut control = RunControl { cancel: self.cancel, progress };
        self.backend.run(&request, &mut control).map_err(|e| self.told(kernel, sizes).problem(&e))
    }

    /// What is asked of a device for a measurement.
    pub fn request_of(
        &self,
        device: &str,
        kernel: &Module,
        inputs: &Inputs,
    ) -> Result<RunRequest, Diagnostic> {
        let Asked { sizes, mode, .. } = *self.asked;
        let mut request = request(device, kernel, sizes, inputs, mode, FloatMode::Contract)?;
        self.limit(&mut request);
        Ok(request)
    }

    fn limit(&self, request: &mut RunRequest) {
        if let Some(limit) = self.asked.limit_s {
            request.time_limit_s = request.time_limit_s.min(limit);
        }
    }

    fn told<'b>(&'b self, module: &'b Module, sizes: &'b Sizes) -> place::Told<'b> {
        place::Told { workspace: self.asked.workspace, term: self.asked.term, module, sizes }
    }
}

/// Are there truth values in what has this type?
fn has_truths(ty: &Type) -> bool {
    match (ty.as_pair(), ty.as_array().or(ty.as_vector())) {
        (Some((a, b)), _) => has_truths(a) || has_truths(b),
        (None, Some((_, element))) => has_truths(element),
        (None, None) => ty.as_scalar() == Some(Scalar::Bool),
    }
}
