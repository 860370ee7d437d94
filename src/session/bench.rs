//! Measuring a kernel, and checking it first.
//!
//! A time is only ever shown for a kernel whose output was checked: at small sizes against the interpreter, and at
//! the measured sizes against the program as it was written, compiled plainly to sequential C, in double precision where
//! that decides nothing. Rounding hides what is missing from a long sum; so sums are checked on small integers as well,
//! at odd sizes, where they are exact in any order.

use super::action::{Measurement, Sizes, Target};
use super::workspace::Workspace;
use super::{device_diagnostic, foreign, trial};
use crate::device::check::{self, Check, Tolerance};
use crate::device::{
    Backend, Elem, FloatMode, HostData, HostScalar, Language, Mode, Param, Progress as DeviceProgress,
    RunControl, RunReport, RunRequest, stats,
};
use crate::emit::code::leaves;
use crate::emit::{self, Kernel, ParamKind, data};
use crate::lang::declared::{Declared, Patterns};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::eval::failure::not_run;
use crate::lang::eval::{self, Foreign, Limits, inputs};
use crate::lang::infer::{Program, Spans};
use crate::lang::nat::{Name, Nat};
use crate::lang::rounding;
use crate::lang::term::Term;
use crate::lang::ty::{Scalar, Type};
use crate::lang::undefined;
use crate::lang::value::{Buffer, Value};
use crate::lang::work;
use crate::lower;
use std::sync::atomic::AtomicBool;

/// The seed of every input.
const SEED: u64 = 0x5EED;

/// How long one kernel may take, compilation and all its runs included, in seconds.
const TIME_LIMIT_S: f64 = 120.0;

/// What a measurement is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchProgress {
    Compiling,
    CheckingSmall,
    Reference,
    Running { done: u32, of: u32 },
}

/// What is to be measured.
pub struct Asked<'a> {
    pub workspace: &'a Workspace,
    pub term: &'a Term,
    pub sizes: &'a Sizes,
    pub device: &'a str,
    /// Is it enough to check, without measuring times?
    pub check_only: bool,
    /// May the program's foreign functions run?
    pub foreign: bool,
}

/// Compiles, checks and measures.
///
/// # Errors
/// The program does not compile, the device fails, or the output is wrong (`E0820`).
pub fn measure(
    asked: &Asked<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
    report: &dyn Fn(BenchProgress),
) -> Result<Measurement, Diagnostic> {
    if let Some(function) =
        foreign::functions(&asked.workspace.program.term).first().filter(|_| !asked.foreign)
    {
        return Err(not_run(*function));
    }
    report(BenchProgress::Compiling);
    let target = target_of(asked.device);
    let compiled = asked.workspace.compile(asked.term, target, asked.sizes);
    let kernel = compiled.map_err(on_another_device)?.kernel;
    let run = Run { asked, backend, cancel, target };

    report(BenchProgress::CheckingSmall);
    let small = run.check_small()?;

    report(BenchProgress::Reference);
    let exact = run.check_exact()?;
    let inputs = Inputs::random(asked.term, asked.sizes, inputs::Kind::Uniform)?;
    let reference = run.reference(&inputs, asked.sizes)?;

    let mode = if asked.check_only { Mode::Once } else { Mode::MEASURE };
    let result =
        run.kernel(asked.device, &kernel, asked.sizes, &inputs, mode, FloatMode::Contract, &mut |p| {
            if let DeviceProgress::Running { done, of } = p {
                report(BenchProgress::Running { done, of });
            }
        })?;
    let work = work::of(&asked.workspace.program.term, asked.sizes);
    let tolerance = run.tolerance(&reference, &inputs, work.flops)?;
    let large = agree(
        &reference.outputs,
        &result.outputs,
        &tolerance,
        "at these sizes against the program as written, in plain C",
    )?;
    let reference = reference.outputs;
    let summary = stats::summary(&result.samples_ns);
    let mut warnings = result.warnings;
    warnings.extend(small.is_none().then(|| {
        "The sizes of the program are fixed or cannot be small, so the interpreter was not asked.".to_string()
    }));
    let not_numbers: usize = reference.iter().map(not_numbers).sum();
    if 2 * not_numbers > large.cells {
        let all = large.cells;
        let about = "NaN agrees with NaN, so the check says little";
        warnings.push(format!("{not_numbers} of {all} cells of the result are not a number: {about}."));
    }
    let small: String = [small, exact].into_iter().flatten().map(|s| format!("{s}; ")).collect();
    let cells =
        if large.cells == 1 { "the cell agrees".to_owned() } else { format!("{} cells agree", large.cells) };
    let error = match large.error {
        0.0 => " exactly".to_owned(),
        error => format!(", largest relative error {error:.1e}"),
    };
    Ok(Measurement {
        device: result.device,
        kernel: Digest::of(kernel.text.as_bytes()),
        sizes: asked.sizes.clone(),
        median_ns: summary.map_or(0.0, |s| s.median),
        interval_ns: summary.map_or((0.0, 0.0), |s| (s.interval.low, s.interval.high)),
        runs: result.samples_ns.len(),
        flops: (work.flops > 0.0).then_some(work.flops),
        bytes: Some(work.bytes),
        check: format!("{small}{cells} with plain C{error}"),
        max_error: large.error,
        warnings,
    })
}

/// The language that a device, as it was asked for, takes.
pub fn target_of(device: &str) -> Target {
    if device == "cpu" { Target::C } else { Target::OpenCl }
}

/// Says where a program for OpenCL can be measured.
fn on_another_device(problem: Diagnostic) -> Diagnostic {
    if problem.code != "E0520" {
        return problem;
    }
    problem.hint(
        "To measure it on an OpenCL device, name one with `--device`, or with `:device` on the screen; `shine-tui devices` \
         lists them.",
    )
}

/// How many cells are NaN, and were written.
fn not_numbers(data: &HostData) -> usize {
    let poison = data.elem().poison();
    let cells = data.as_bytes().chunks_exact(data.elem().bytes()).enumerate();
    let is_nan = |i: usize| data.get(i).is_some_and(|v| v.to_f64().is_nan());
    cells.filter(|(i, bytes)| is_nan(*i) && poison.get(..bytes.len()) != Some(*bytes)).count()
}

/// What outputs that agree have in common.
struct Agreement {
    cells: usize,
    error: f64,
}

/// How many cells the components of a result have together.
fn cells(components: &[HostData]) -> usize {
    components.iter().map(HostData::len).sum()
}

/// Compares the components of two results.
fn agree(
    expected: &[HostData],
    found: &[HostData],
    tolerance: &dyn Fn(&HostData) -> Tolerance,
    where_: &str,
) -> Result<Agreement, Diagnostic> {
    let number = expected.len();
    if number != found.len() {
        let note = format!("Its result has {} components and not {number}.", found.len());
        return Err(
            Diagnostic::error("E0820", "The kernel computes something else than the program.").note(note)
        );
    }
    let mut all = Agreement { cells: 0, error: 0.0 };
    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
        let where_ = match number {
            1 => where_.to_string(),
            _ => format!("{where_}, in component {} of {number} of the result", i + 1),
        };
        let check = agree_in(expected, found, tolerance(expected), &where_)?;
        all.cells += check.cells;
        all.error = all.error.max(check.error);
    }
    Ok(all)
}

/// Compares one component cell by cell. Floats may be summed in another order and fused.
fn agree_in(
    expected: &HostData,
    found: &HostData,
    tolerance: Tolerance,
    where_: &str,
) -> Result<Check, Diagnostic> {
    let check = check::compare(expected, found, tolerance);
    if check.agrees {
        return Ok(check);
    }
    let mut problem = Diagnostic::error("E0820", "The kernel computes something else than the program.")
        .note(format!("This was seen {where_}: {} of {} cells are wrong.", check.wrong, check.cells));
    if let Some(mismatch) = &check.mismatch {
        problem = problem.note(format!("{mismatch}."));
    }
    if let Some(cell) = check.first_wrong {
        let (i, e, f) = (cell.index, cell.expected, cell.found);
        problem = problem.note(format!("Cell {i} should be {e} and is {f}."));
    }
    if check.unwritten > 0 {
        problem = problem.note(format!("{} cells were never written.", check.unwritten));
    }
    Err(problem
        .hint("No time is shown for a wrong result. If rules of your own were applied, test them first."))
}

/// ` at m=4 n=5`
fn at(sizes: &Sizes) -> String {
    let all: Vec<String> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    if all.is_empty() { String::new() } else { format!(" at {}", all.join(" ")) }
}

/// Floats at the width of the type; other cells as they are.
fn at_width(data: HostData, elem: Elem) -> HostData {
    if data.elem() != elem && data.elem().is_float() && elem.is_float() { data.as_floats(elem) } else { data }
}

/// What a kernel's outputs are compared with.
struct Reference {
    outputs: Vec<HostData>,
    in_doubles: bool,
}

struct Run<'a> {
    asked: &'a Asked<'a>,
    backend: &'a dyn Backend,
    cancel: &'a AtomicBool,
    target: Target,
}

impl Run<'_> {
    /// Runs the kernel at small sizes and compares with the interpreter. None when there are no small sizes.
    fn check_small(&self) -> Result<Option<String>, Diagnostic> {
        let workspace = self.asked.workspace;
        let Some(sizes) = trial::small(workspace, self.asked.term) else { return Ok(None) };
        let inputs = Inputs::random(self.asked.term, &sizes, inputs::Kind::Uniform)?;
        let program = &workspace.program.term;
        let values = inputs.values(self.asked.term, &sizes)?;
        let interpret = |foreign: Option<&dyn Foreign>| {
            let limits = Limits { cancel: Some(self.cancel), foreign, ..Limits::default() };
            eval::run(program, &sizes, &values, &limits)
        };
        let value = if foreign::functions(program).is_empty() {
            interpret(None)?
        } else {
            let apply =
                |function, term: &Term, size: &Name, columns| self.table(function, term, size, columns);
            foreign::evaluate(&|table| interpret(Some(table)), &apply)?
        };
        let (_, result) = workspace.program.term.ty().signature();
        let mut expected: Vec<HostData> =
            data::split(&value, &result, &sizes)?.iter().map(host_data).collect();
        for (component, holes) in expected.iter_mut().zip(data::holes(&value, &result)) {
            component.unwrite(&holes);
        }
        let kernel = workspace.compile(self.asked.term, self.target, &sizes)?.kernel;
        let run = self.kernel(
            self.asked.device,
            &kernel,
            &sizes,
            &inputs,
            Mode::Once,
            FloatMode::Contract,
            &mut |_| {},
        )?;
        let work = work::of(&workspace.program.term, &sizes);
        let terms = work.flops / cells(&expected).max(1) as f64;
        let at = at(&sizes);
        let tolerance = |expected: &HostData| Tolerance::rounding(expected, terms);
        agree(&expected, &run.outputs, &tolerance, format!("{at} against the interpreter").trim_start())?;
        Ok(Some(format!("agrees with the interpreter{at}")))
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
            emit::compile(&lower::default_lowering(&program)?, lower::Target::C, Some(&sizes))?.kernel;
        let inputs = columns.into_iter().zip(&types);
        let inputs = inputs.map(|(column, ty)| Value::array(column).to_flat(ty, &sizes).map(Input::Flat));
        let inputs = Inputs(inputs.collect::<Result<_, _>>()?);
        let request = request("cpu", &kernel, &sizes, &types, &inputs, Mode::Once, FloatMode::Strict)?;
        let mut control = RunControl { cancel: self.cancel, progress: &mut |_| {} };
        let report = self.backend.run(&request, &mut control).map_err(|e| device_diagnostic(&e))?;
        let output = report.outputs.first().ok_or_else(|| no_value("the function's result"))?;
        let value = Value::from_flat(&result, &buffer(output), &sizes)?;
        Ok(value.as_array().map(<[Value]>::to_vec).unwrap_or_default())
    }

    /// The outputs of the program as written, compiled plainly to sequential C and run on the host: in double precision,
    /// but where that might decide differently. What the program leaves undefined counts as never written.
    fn reference(&self, inputs: &Inputs, sizes: &Sizes) -> Result<Reference, Diagnostic> {
        let plain = lower::sequential(&self.asked.workspace.program.term, &|_| false);
        let doubles = rounding::in_doubles(&plain);
        let in_doubles = doubles.is_some();
        let term = doubles.unwrap_or(plain);
        let Some(filled) = undefined::filled(&term) else {
            return Ok(Reference { outputs: self.plainly(&term, inputs, sizes)?, in_doubles });
        };
        let mut runs = vec![];
        for term in &filled {
            runs.push(self.plainly(term, inputs, sizes)?);
        }
        let mut outputs = runs.pop().unwrap_or_default();
        for (i, component) in outputs.iter_mut().enumerate() {
            let size = component.elem().bytes();
            let cell =
                |data: &HostData, k: usize| data.as_bytes().get(k * size..(k + 1) * size).map(<[u8]>::to_vec);
            let differs =
                |k: &usize| runs.iter().any(|o| o.get(i).and_then(|o| cell(o, *k)) != cell(component, *k));
            let holes: Vec<usize> = (0..component.len()).filter(differs).collect();
            component.unwrite(&holes);
        }
        Ok(Reference { outputs, in_doubles })
    }

    /// The outputs of sequential C, at the widths of the program's types.
    fn plainly(&self, term: &Term, inputs: &Inputs, sizes: &Sizes) -> Result<Vec<HostData>, Diagnostic> {
        let kernel = self.asked.workspace.compile(term, Target::C, sizes)?.kernel;
        let run = self.kernel("cpu", &kernel, sizes, inputs, Mode::Once, FloatMode::Strict, &mut |_| {})?;
        let (_, result) = self.asked.workspace.program.term.ty().signature();
        let elems = leaves(&result).into_iter().map(|leaf| elem(leaf.scalar()));
        Ok(run.outputs.into_iter().zip(elems).map(|(data, elem)| at_width(data, elem)).collect())
    }

    /// How far cells may be off, for each component of the reference. Where only a few sums come out, one of them may be
    /// small by chance; then what it sums counts.
    fn tolerance(
        &self,
        reference: &Reference,
        inputs: &Inputs,
        flops: f64,
    ) -> Result<impl Fn(&HostData) -> Tolerance + use<>, Diagnostic> {
        const FEW: usize = 64;
        let (program, sizes) = (&self.asked.workspace.program.term, self.asked.sizes);
        let cells = cells(&reference.outputs);
        let steps = match reference.in_doubles {
            true => rounding::steps(self.asked.term, sizes),
            false => (flops / cells.max(1) as f64).max(1.0),
        };
        let mut floor = 0.0;
        if cells < FEW && reference.in_doubles && rounding::counts_up(program) {
            let sums = self.reference(&inputs.magnitudes(), sizes)?.outputs;
            let largest = sums.iter().map(check::magnitude).fold(0.0, f64::max);
            floor = largest / rounding::steps(program, sizes).sqrt();
        }
        Ok(move |expected: &HostData| {
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
            self.sums_agree(self.asked.sizes, inputs::Kind::Ones)?;
        }
        let mut shrink = 1.0;
        let mut sizes = self.asked.sizes.clone();
        for _ in 0..TRIES {
            sizes = trial::odd(workspace, self.asked.term, &sizes, shrink);
            shrink = self.sums_agree(&sizes, inputs::Kind::Positive)?;
            if shrink <= 1.0 {
                return Ok(Some(format!("sums of integers are exact{}", at(&sizes))));
            }
            shrink *= 1.1;
        }
        Ok(None)
    }

    /// Compares sums of small integers, if floats of the program's types hold them in any order; how many times as large
    /// as that they are.
    fn sums_agree(&self, sizes: &Sizes, kind: inputs::Kind) -> Result<f64, Diagnostic> {
        let (workspace, term) = (self.asked.workspace, self.asked.term);
        let inputs = Inputs::random(term, sizes, kind)?;
        let expected = self.reference(&inputs, sizes)?.outputs;
        let values = expected.iter().flat_map(|data| (0..data.len()).filter_map(|i| data.get(i)));
        let largest = values.map(HostScalar::to_f64).fold(0.0, f64::max);
        let excess = largest / rounding::exact_up_to(workspace.program.term.ty());
        if excess <= 1.0 {
            let kernel = workspace.compile(term, self.target, sizes)?.kernel;
            let device = self.asked.device;
            let run =
                self.kernel(device, &kernel, sizes, &inputs, Mode::Once, FloatMode::Contract, &mut |_| {})?;
            let at = at(sizes);
            let where_ =
                format!("{at} on small integers, whose sums are exact, against the program as written");
            agree(&expected, &run.outputs, &|_| Tolerance::EXACT, where_.trim_start())?;
        }
        Ok(excess)
    }

    #[expect(clippy::too_many_arguments, reason = "each of them differs between the three uses")]
    fn kernel(
        &self,
        device: &str,
        kernel: &Kernel,
        sizes: &Sizes,
        inputs: &Inputs,
        mode: Mode,
        float: FloatMode,
        progress: &mut dyn FnMut(DeviceProgress),
    ) -> Result<RunReport, Diagnostic> {
        let (types, _) = self.asked.term.ty().signature();
        let request = request(device, kernel, sizes, &types, inputs, mode, float)?;
        let mut control = RunControl { cancel: self.cancel, progress };
        self.backend.run(&request, &mut control).map_err(|e| device_diagnostic(&e))
    }
}

/// The inputs of a program. Those without pairs are flat, for they may be large.
struct Inputs(Vec<Input>);

enum Input {
    Flat(Buffer),
    Tree(Value),
}

impl Inputs {
    fn random(term: &Term, sizes: &Sizes, kind: inputs::Kind) -> Result<Inputs, Diagnostic> {
        let (params, _) = term.ty().signature();
        let one = |(i, ty): (usize, &Type)| {
            let seed = SEED + i as u64;
            Ok(if has_pair(ty) {
                Input::Tree(inputs::random(ty, sizes, seed, kind)?)
            } else {
                Input::Flat(inputs::random_flat(ty, sizes, seed, kind)?)
            })
        };
        params.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>().map(Inputs)
    }

    /// The same with the magnitudes of all floats that are flat.
    fn magnitudes(&self) -> Inputs {
        let positive = |input: &Input| match input {
            Input::Flat(Buffer::F32(v)) => Input::Flat(Buffer::F32(v.iter().map(|x| x.abs()).collect())),
            Input::Flat(Buffer::F64(v)) => Input::Flat(Buffer::F64(v.iter().map(|x| x.abs()).collect())),
            Input::Flat(buffer) => Input::Flat(buffer.clone()),
            Input::Tree(value) => Input::Tree(value.clone()),
        };
        Inputs(self.0.iter().map(positive).collect())
    }

    fn values(&self, term: &Term, sizes: &Sizes) -> Result<Vec<Value>, Diagnostic> {
        let (params, _) = term.ty().signature();
        let one = |(input, ty): (&Input, &Type)| match input {
            Input::Flat(buffer) => Value::from_flat(ty, buffer, sizes),
            Input::Tree(value) => Ok(value.clone()),
        };
        self.0.iter().zip(&params).map(one).collect()
    }

    /// The components of an input, in the order of a kernel's parameters.
    fn components(&self, input: usize, ty: &Type, sizes: &Sizes) -> Result<Vec<HostData>, Diagnostic> {
        match self.0.get(input) {
            Some(Input::Flat(buffer)) => Ok(vec![host_data(buffer)]),
            Some(Input::Tree(value)) => Ok(data::split(value, ty, sizes)?.iter().map(host_data).collect()),
            None => Ok(vec![]),
        }
    }
}

fn has_pair(ty: &Type) -> bool {
    match (ty.as_pair(), ty.as_array().or(ty.as_vector())) {
        (Some(_), _) => true,
        (None, Some((_, element))) => has_pair(element),
        (None, None) => false,
    }
}

/// The cells as a device takes them.
pub fn host_data(buffer: &Buffer) -> HostData {
    match buffer.clone() {
        Buffer::Bool(v) => HostData::Bool(v),
        Buffer::I8(v) => HostData::I8(v),
        Buffer::I16(v) => HostData::I16(v),
        Buffer::I32(v) => HostData::I32(v),
        Buffer::I64(v) => HostData::I64(v),
        Buffer::U8(v) | Buffer::Records(v) => HostData::U8(v),
        Buffer::U16(v) => HostData::U16(v),
        Buffer::U32(v) => HostData::U32(v),
        Buffer::U64(v) => HostData::U64(v),
        Buffer::F16(v) => HostData::F16(v),
        Buffer::F32(v) => HostData::F32(v),
        Buffer::F64(v) => HostData::F64(v),
    }
}

/// The cells that a device gave.
pub fn buffer(data: &HostData) -> Buffer {
    match data.clone() {
        HostData::Bool(v) => Buffer::Bool(v),
        HostData::I8(v) => Buffer::I8(v),
        HostData::I16(v) => Buffer::I16(v),
        HostData::I32(v) => Buffer::I32(v),
        HostData::I64(v) => Buffer::I64(v),
        HostData::U8(v) => Buffer::U8(v),
        HostData::U16(v) => Buffer::U16(v),
        HostData::U32(v) => Buffer::U32(v),
        HostData::U64(v) => Buffer::U64(v),
        HostData::F16(v) => Buffer::F16(v),
        HostData::F32(v) => Buffer::F32(v),
        HostData::F64(v) => Buffer::F64(v),
    }
}

/// How a device calls the scalar type.
pub fn elem(scalar: Scalar) -> Elem {
    match scalar {
        Scalar::Bool => Elem::Bool,
        Scalar::I8 => Elem::I8,
        Scalar::I16 => Elem::I16,
        Scalar::I32 => Elem::I32,
        Scalar::I64 => Elem::I64,
        Scalar::U8 => Elem::U8,
        Scalar::U16 => Elem::U16,
        Scalar::U32 => Elem::U32,
        Scalar::U64 => Elem::U64,
        Scalar::F16 => Elem::F16,
        Scalar::F32 => Elem::F32,
        Scalar::F64 => Elem::F64,
    }
}

/// A kernel with its arguments, for a device.
fn request(
    device: &str,
    kernel: &Kernel,
    sizes: &Sizes,
    types: &[Type],
    inputs: &Inputs,
    mode: Mode,
    float: FloatMode,
) -> Result<RunRequest, Diagnostic> {
    let global = [0, 1, 2].map(|d| positive(&kernel.global_size[d], sizes));
    let global = match global {
        [Ok(x), Ok(y), Ok(z)] => [x, y, z],
        [x, y, z] => {
            return Err(x.and(y).and(z).err().unwrap_or_else(|| no_value("the number of work-items")));
        }
    };
    let local = match &kernel.local_size {
        Some([x, y, z]) => Some([positive(x, sizes)?, positive(y, sizes)?, positive(z, sizes)?]),
        None => None,
    };
    let data = types.iter().enumerate().map(|(i, ty)| inputs.components(i, ty, sizes));
    let mut data: Vec<_> = data.map(|all| Ok(all?.into_iter())).collect::<Result<_, Diagnostic>>()?;
    let mut params = vec![];
    for p in &kernel.params {
        let len = positive(&p.len.at_launch(global), sizes)? as usize;
        params.push(match &p.kind {
            ParamKind::Output(_) => Param::Output { elem: elem(p.scalar), len },
            ParamKind::Temp => Param::Temp { elem: elem(p.scalar), len },
            ParamKind::Size(name) => Param::Int(*sizes.get(name).ok_or_else(|| no_value(name))?),
            ParamKind::Input(i, _) => {
                let next = data.get_mut(*i).and_then(Iterator::next);
                let data = at_width(next.ok_or_else(|| no_value(&p.name))?, elem(p.scalar));
                if p.by_value {
                    Param::Scalar(data.get(0).unwrap_or(HostScalar::I32(0)))
                } else {
                    Param::Input(data)
                }
            }
        });
    }
    let language = if device == "cpu" { Language::C } else { Language::OpenCl };
    Ok(RunRequest {
        device: device.to_string(),
        language,
        source: kernel.text.clone(),
        entry: kernel.name.clone(),
        params,
        global: (language == Language::OpenCl).then_some(global),
        local: local.filter(|_| language == Language::OpenCl),
        float,
        mode,
        time_limit_s: TIME_LIMIT_S,
    })
}

fn positive(n: &Nat, sizes: &Sizes) -> Result<u64, Diagnostic> {
    let value = n.eval(&|name| sizes.get(name).copied());
    value.ok().and_then(|v| u64::try_from(v).ok()).ok_or_else(|| no_value(&n.to_string()))
}

fn no_value(what: &str) -> Diagnostic {
    Diagnostic::error("E0151", format!("{what} has no value."))
        .hint("Give every size a value, as in `--size m=1024`.")
}
