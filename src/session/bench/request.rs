//! A module with its arguments, for a device.

use super::cells::at_width;
use super::inputs::Inputs;
use crate::device::{
    Access, Arg, Choice, FloatMode, HostData, HostScalar, Language, MAX_STEPS, Mode, Param, RunRequest, Step,
    Texts,
};
use crate::emit;
use crate::emit::module::{Argument, Module, Role, Section};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::ty::Scalar;
use crate::lower::separate::{Host, Use};
use crate::session::action::Sizes;
use crate::session::device_diagnostic;
use std::collections::BTreeMap;

/// About how many seconds plain code takes for so many operations. Programs that compilers make vectors of take a fifth of that,
/// and those that wait for memory several times as long.
pub fn plain_seconds(operations: f64, threads: usize) -> f64 {
    const A_SECOND: f64 = 1e9;
    operations / (A_SECOND * threads.max(1) as f64)
}

/// How long one run may take, compilation and all its repetitions included, in seconds.
pub const TIME_LIMIT_S: f64 = 120.0;

/// A module with its arguments, for a device.
///
/// # Errors
/// Sizes without a value or too large, and loops of the host that launch kernels without an end in sight.
pub fn request(
    device: &str,
    module: &Module,
    sizes: &Sizes,
    inputs: &Inputs,
    mode: Mode,
    float: FloatMode,
) -> Result<RunRequest, Diagnostic> {
    has_an_end(module, sizes)?;
    let choice = Choice::read(device).map_err(|e| device_diagnostic(&e))?;
    let (device, settings) = (choice.name, choice.decided().map_err(|e| device_diagnostic(&e))?);
    let mut request = Request {
        module,
        inputs,
        sizes: sizes.clone(),
        params: vec![],
        of: BTreeMap::new(),
        values: BTreeMap::new(),
        steps: vec![],
    };
    request.memory()?;
    request.run(&module.host)?;
    Ok(RunRequest {
        device: device.to_string(),
        texts: Texts { host: module.code(emit::Language::C), device: module.code(emit::Language::OpenCl) },
        params: request.params,
        steps: request.steps,
        float,
        settings,
        mode,
        time_limit_s: TIME_LIMIT_S,
    })
}

/// What steps that are given the same share a parameter for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// So many bytes of local memory.
    Local(usize),
    /// A component of an input, as an element of this type.
    Value(usize, usize, Scalar),
}

struct Request<'a> {
    module: &'a Module,
    inputs: &'a Inputs,
    /// The program's sizes, and the present iterations of the host's loops.
    sizes: Sizes,
    params: Vec<Param>,
    /// The parameters of buffers.
    of: BTreeMap<usize, usize>,
    /// The parameters that are no buffers, which steps share.
    values: BTreeMap<Shared, usize>,
    steps: Vec<Step>,
}

impl Request<'_> {
    /// A parameter for each buffer that is used and has memory of its own.
    fn memory(&mut self) -> Result<(), Diagnostic> {
        let mut component: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, buffer) in self.module.buffers.iter().enumerate() {
            let memory = self.module.plan.memory.get(number).copied().unwrap_or(number);
            let (elem, len) = (buffer.scalar, self.value(&buffer.len)? as usize);
            let param = match buffer.role {
                Role::Output => Param::Output { elem, len },
                Role::Temp if memory != number => {
                    let shared = self.of.get(&memory).copied();
                    self.of.extend(shared.map(|param| (number, param)));
                    continue;
                }
                Role::Temp => Param::Temp { elem, len },
                Role::Input(i) => {
                    let next = component.entry(i).or_default();
                    let part = *next;
                    *next += 1;
                    if !self.module.is_used(number) {
                        continue;
                    }
                    Param::Input(at_width(self.input(i, part, &buffer.name)?, elem))
                }
            };
            self.of.insert(number, self.params.len());
            self.params.push(param);
        }
        Ok(())
    }

    /// A component of an input.
    fn input(&self, i: usize, component: usize, name: &str) -> Result<HostData, Diagnostic> {
        let data = self.inputs.0.get(i).and_then(|parts| parts.get(component));
        data.cloned().ok_or_else(|| no_value(name))
    }

    fn run(&mut self, host: &[Host]) -> Result<(), Diagnostic> {
        for step in host {
            match step {
                Host::Run(section) => {
                    let module = self.module;
                    let section = module.sections.get(*section).ok_or_else(|| no_value("a section"))?;
                    let step = self.step(section)?;
                    self.steps.extend(step);
                }
                Host::Loop { var, n, body } => {
                    for i in 0..self.value(n)? {
                        self.sizes.insert(var.clone(), i as i64);
                        self.run(body)?;
                    }
                    self.sizes.shift_remove(var);
                }
            }
        }
        Ok(())
    }

    /// None where there are no work-items: a kernel over nothing is not launched.
    fn step(&mut self, section: &Section) -> Result<Option<Step>, Diagnostic> {
        let kernel = &section.kernel;
        let three = |[x, y, z]: &[Nat; 3]| Ok([self.value(x)?, self.value(y)?, self.value(z)?]);
        let global = three(&kernel.global_size)?;
        let local = kernel.local_size.as_ref().map(three).transpose()?;
        kernel.check_counts(&|x| self.sizes.get(x).copied(), global)?;
        let is_kernel = kernel.language == emit::Language::OpenCl;
        if is_kernel && global.contains(&0) {
            return Ok(None);
        }
        let mut args = vec![];
        for (argument, p) in section.args.iter().zip(&kernel.params) {
            args.push(match argument {
                Argument::Buffer(number, Use { reads, writes }) => {
                    let param = *self.of.get(number).ok_or_else(|| no_value(&p.name))?;
                    Arg::Param(param, Access { reads: *reads, writes: *writes })
                }
                Argument::Number(n) => Arg::Int(self.value(n)? as i64),
                Argument::Local(scalar, len) => {
                    let bytes = scalar.bytes() * self.value(len)? as usize;
                    // The device makes memory for each argument, also where two of a step share the parameter.
                    let param = self.shared(Shared::Local(bytes), |_| Ok(Param::Local { bytes }))?;
                    Arg::Param(param, Access { reads: true, writes: true })
                }
                Argument::Value(i, leaf) => {
                    let part = self.module.component(*i, leaf);
                    let param = self.shared(Shared::Value(*i, part, p.scalar), |request| {
                        let data = at_width(request.input(*i, part, &p.name)?, p.scalar);
                        Ok(Param::Scalar(data.get(0).unwrap_or(HostScalar::I32(0))))
                    })?;
                    Arg::Param(param, Access { reads: true, writes: false })
                }
            });
        }
        let language = match kernel.language {
            emit::Language::C => Language::C,
            emit::Language::OpenCl => Language::OpenCl,
        };
        let (global, local) = (is_kernel.then_some(global), local.filter(|_| is_kernel));
        let divides = kernel.divides && !is_kernel;
        Ok(Some(Step { language, entry: kernel.name.clone(), args, global, local, divides }))
    }

    /// The parameter for this, which is made where it is new.
    fn shared(
        &mut self,
        what: Shared,
        make: impl FnOnce(&Self) -> Result<Param, Diagnostic>,
    ) -> Result<usize, Diagnostic> {
        if let Some(param) = self.values.get(&what) {
            return Ok(*param);
        }
        let (param, number) = (make(self)?, self.params.len());
        self.params.push(param);
        self.values.insert(what, number);
        Ok(number)
    }

    fn value(&self, n: &Nat) -> Result<u64, Diagnostic> {
        value(n, &self.sizes)
    }
}

/// A number that is at least zero.
fn value(n: &Nat, sizes: &Sizes) -> Result<u64, Diagnostic> {
    let value = n.eval(&|name| sizes.get(name).copied());
    value.ok().and_then(|v| u64::try_from(v).ok()).ok_or_else(|| no_value(&n.to_string()))
}

/// Refuses a module whose sections the host would run more often than a device takes (`E0544`), before anything is made
/// for it.
///
/// # Errors
/// That, and sizes without a value.
pub fn has_an_end(module: &Module, sizes: &Sizes) -> Result<(), Diagnostic> {
    let steps = count(&module.host, &mut sizes.clone())?;
    if steps > MAX_STEPS { Err(endless()) } else { Ok(()) }
}

/// How often the host runs sections. Beyond [`MAX_STEPS`] it is only counted that they are more.
fn count(host: &[Host], sizes: &mut Sizes) -> Result<usize, Diagnostic> {
    let mut steps = 0_usize;
    for step in host {
        let Host::Loop { var, n, body } = step else {
            steps = steps.saturating_add(1);
            continue;
        };
        let n = value(n, sizes)?;
        if is_bound(var, body) {
            for i in 0..n {
                sizes.insert(var.clone(), i as i64);
                steps = steps.saturating_add(count(body, sizes)?);
                if steps > MAX_STEPS {
                    break;
                }
            }
            sizes.shift_remove(var);
        } else {
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            steps = steps.saturating_add(count(body, sizes)?.saturating_mul(n));
        }
    }
    Ok(steps)
}

/// Does the number of iterations of a loop in there depend on `var`?
fn is_bound(var: &Name, host: &[Host]) -> bool {
    host.iter().any(|step| match step {
        Host::Run(_) => false,
        Host::Loop { n, body, .. } => {
            let is_it = |v: &NatVar| matches!(v, NatVar::Named(x) if x == var);
            n.vars().iter().any(is_it) || is_bound(var, body)
        }
    })
}

fn endless() -> Diagnostic {
    let message = format!("The host would launch kernels and call functions more than {MAX_STEPS} times.");
    Diagnostic::error("E0544", message)
        .hint("Choose smaller sizes, or put the `oclRun` around a loop instead of into it.")
}

pub fn no_value(what: &str) -> Diagnostic {
    Diagnostic::error("E0151", format!("{what} has no value."))
        .hint("Give every size a value, as in `--size m=1024`.")
}
