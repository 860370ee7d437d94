//! A module on an OpenCL device: its kernels are built, its memory is taken, its steps run one after the other.
#![expect(unsafe_code, reason = "kernels of OpenCL are not checked by the compiler")]
use super::super::buffer::Buffer;
use super::super::cpu::HostCode;
use super::super::proto::{Access, Arg, DeviceInfo, DeviceKind, FloatMode, Language, Step, Timer};
use super::super::quiet::Place;
use super::super::select::select;
use super::super::worker::measure::{About, Kernel};
use super::super::worker::wire::{Job, Slot};
use super::super::{Cause, DeviceError};
use super::failure::{failure, refused};
use super::limits::{Range, fits, local_fits, too_large_group};
use super::list::{Found, find};
use super::memory::{Memory, Shared, nanoseconds, strange};
use ocl::core::{
    self, ArgVal, CommandQueueProperties, ContextProperties, DeviceId, Event, KernelWorkGroupInfo,
    KernelWorkGroupInfoResult, PlatformId, ProfilingInfo, ProfilingInfoResult,
};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, c_void};
use std::time::Instant;

/// What the times of copies between host and device are called.
const COPIES: &str = "copies";

/// A module that is ready to run on an OpenCL device.
pub struct OpenClKernel {
    memory: Memory,
    params: Vec<Param>,
    steps: Vec<Call>,
    host: Option<HostCode>,
    about: About,
}

/// The contexts of devices that were opened. A driver may load its library for each context anew.
#[derive(Default)]
pub struct Contexts(BTreeMap<String, core::Context>);

impl Contexts {
    fn of(&mut self, id: &str, platform: PlatformId, device: DeviceId) -> Result<core::Context, DeviceError> {
        if let Some(context) = self.0.get(id) {
            return Ok(context.clone());
        }
        let properties = ContextProperties::new().platform(platform);
        let context = core::create_context(Some(&properties), &[device], None, None)
            .map_err(|error| failure("opening the device", &error))?;
        self.0.insert(id.to_owned(), context.clone());
        Ok(context)
    }
}

/// What a parameter is on the device.
enum Param {
    Output(Shared),
    Array(Shared),
    Local(usize),
    Scalar(Value),
}

/// A value with its size in bytes.
#[derive(Clone, Copy)]
struct Value {
    bytes: usize,
    bits: u64,
}

enum Runs {
    Kernel(core::Kernel, Range),
    /// The function of this number.
    Function(usize),
}

enum Argument {
    Param(usize, Access),
    Number(Value),
}

struct Call {
    runs: Runs,
    arguments: Vec<Argument>,
    entry: String,
    /// The number of the part that its time belongs to.
    part: usize,
}

impl OpenClKernel {
    /// Finds the device, builds the job's text for it, and fills its memory.
    ///
    /// # Errors
    /// That the device is not there, its compiler refuses the text, memory is missing, or a call fails.
    pub fn build(
        job: &Job,
        inputs: Vec<Buffer>,
        host: Option<HostCode>,
        contexts: &mut Contexts,
    ) -> Result<OpenClKernel, DeviceError> {
        let all = find()?;
        let infos: Vec<DeviceInfo> = all.iter().map(|found| found.info.clone()).collect();
        let wanted = select(&infos, &job.device)?;
        let Some(Found { info, platform, device }) = all.iter().find(|found| found.info.id == wanted.id)
        else {
            return Err(strange());
        };
        for step in job.steps.iter().filter(|step| step.language == Language::OpenCl) {
            Range::of(step, info)?;
        }
        fits(job, info)?;
        let context = contexts.of(&info.id, *platform, *device)?;
        let queue =
            core::create_command_queue(&context, device, Some(CommandQueueProperties::new().profiling()))
                .map_err(|error| failure("opening a queue", &error))?;
        let (source, options) = text(job)?;
        let entries = job.entries(Language::OpenCl);
        let program = core::create_program_with_source(&context, &[source])
            .map_err(|error| failure("loading the text of the kernel", &error))?;
        core::build_program(&program, Some(&[*device]), &options, None, None)
            .map_err(|error| refused(&entries.join("`, `"), &job.texts.device, &error))?;
        let memory = Memory { context, queue, copying: 0 };
        let params = params(job, inputs, &memory)?;
        let mut parts: Vec<String> = Vec::new();
        let mut steps = Vec::new();
        let mut kernels: BTreeMap<&str, BuiltKernel> = BTreeMap::new();
        for step in &job.steps {
            let runs = match (step.language, &host) {
                (Language::OpenCl, _) => {
                    let built = match kernels.entry(&step.entry) {
                        Entry::Occupied(built) => built.into_mut(),
                        Entry::Vacant(new) => new.insert(BuiltKernel::new(&program, *device, &step.entry)?),
                    };
                    let range = Range::of(step, info)?;
                    built.takes(job, step, &range, info)?;
                    Runs::Kernel(built.kernel.clone(), range)
                }
                (Language::C, Some(host)) => Runs::Function(host.number(&step.entry).ok_or_else(strange)?),
                (Language::C, None) => return Err(strange()),
            };
            let part = parts.iter().position(|name| *name == step.entry).unwrap_or_else(|| {
                parts.push(step.entry.clone());
                parts.len() - 1
            });
            steps.push(Call { runs, arguments: arguments(step), entry: step.entry.clone(), part });
        }
        parts.extend(host.is_some().then(|| COPIES.to_owned()));
        core::finish(&memory.queue).map_err(|error| failure("filling buffers", &error))?;
        let options = options.to_string_lossy();
        let mut compiler = format!("{}, driver {} [{options}]", info.version, info.driver);
        let mut warnings = Vec::new();
        if let Some(host) = &host {
            compiler = format!("{compiler}; {}", host.compiler);
            warnings.clone_from(&host.warnings);
        }
        let (device, threads) = (info.id.clone(), info.compute_units);
        let place = if info.kind == DeviceKind::Cpu { Place::Driver } else { Place::Apart };
        let timer = Timer::DeviceEvents;
        let about = About { timer, compiler, device, threads, used: threads, place, warnings, parts };
        Ok(OpenClKernel { memory, params, steps, host, about })
    }

    /// Launches a kernel and waits for it; the nanoseconds it took.
    fn launch(&mut self, kernel: &core::Kernel, range: &Range, call: &Call) -> Result<u64, DeviceError> {
        for (index, argument) in (0u32..).zip(&call.arguments) {
            let to = Parameter { kernel, index, entry: &call.entry };
            match argument {
                Argument::Number(value) => value.set(&to)?,
                Argument::Param(number, access) => match self.params.get_mut(*number).ok_or_else(strange)? {
                    Param::Output(array) | Param::Array(array) => {
                        self.memory.for_device(array, *access)?;
                        to.set(ArgVal::mem(&array.device))?;
                    }
                    Param::Local(bytes) => to.set(ArgVal::local::<u8>(bytes))?,
                    Param::Scalar(value) => value.set(&to)?,
                },
            }
        }
        let mut event = Event::null();
        let start = Instant::now();
        // SAFETY: every argument is set and kept. What the kernel does to the device is why this is a worker process.
        unsafe {
            core::enqueue_kernel(
                &self.memory.queue,
                kernel,
                range.dimensions,
                None,
                &range.global,
                range.local,
                None::<Event>,
                Some(&mut event),
            )
        }
        .map_err(|error| failure(&format!("starting the kernel `{}`", call.entry), &error))?;
        core::finish(&self.memory.queue)
            .map_err(|error| failure(&format!("running the kernel `{}`", call.entry), &error))?;
        let host = nanoseconds(start);
        let device = match self.about.timer {
            Timer::DeviceEvents => device_time(&event),
            Timer::Host => None,
        };
        if device.is_none() && self.about.timer == Timer::DeviceEvents {
            self.about.timer = Timer::Host;
            let what = "The driver gives no times of its own; times are the host's and hold the start of the kernel.";
            self.about.warnings.push(what.to_owned());
        }
        Ok(device.unwrap_or(host))
    }

    /// Calls a function of the host; the nanoseconds it took.
    fn call(&mut self, function: usize, call: &mut Call) -> Result<u64, DeviceError> {
        let mut pointers: Vec<*mut c_void> = Vec::with_capacity(call.arguments.len());
        // Copies come first: they may move nothing that a pointer is to.
        for argument in &call.arguments {
            if let Argument::Param(number, access) = argument
                && let Some(Param::Output(array) | Param::Array(array)) = self.params.get_mut(*number)
            {
                self.memory.for_host(array, *access)?;
            }
        }
        for argument in &mut call.arguments {
            pointers.push(match argument {
                Argument::Number(value) => (&raw mut value.bits).cast(),
                Argument::Param(number, access) => match self.params.get_mut(*number).ok_or_else(strange)? {
                    Param::Output(array) | Param::Array(array) => {
                        self.memory.for_host(array, *access)?.cells_mut().as_mut_ptr().cast()
                    }
                    Param::Scalar(value) => (&raw mut value.bits).cast(),
                    Param::Local(_) => return Err(strange()),
                },
            });
        }
        let host = self.host.as_ref().ok_or_else(strange)?;
        host.run(function, &pointers)
    }

    fn arrays(&mut self) -> impl Iterator<Item = &mut Shared> {
        self.params.iter_mut().filter_map(|param| match param {
            Param::Output(array) | Param::Array(array) => Some(array),
            Param::Local(_) | Param::Scalar(_) => None,
        })
    }

    fn step(&mut self, call: &mut Call) -> Result<u64, DeviceError> {
        match &call.runs {
            Runs::Kernel(kernel, range) => self.launch(kernel, range, call),
            Runs::Function(function) => self.call(*function, call),
        }
    }
}

impl Value {
    fn set(self, to: &Parameter<'_>) -> Result<(), DeviceError> {
        let [a, b, c, d, ..] = self.bits.to_le_bytes();
        match self.bytes {
            1 => to.set(ArgVal::primitive(&a)),
            2 => to.set(ArgVal::primitive(&u16::from_le_bytes([a, b]))),
            4 => to.set(ArgVal::primitive(&u32::from_le_bytes([a, b, c, d]))),
            _ => to.set(ArgVal::primitive(&self.bits)),
        }
    }
}

/// A parameter of a kernel that is to be set.
struct Parameter<'a> {
    kernel: &'a core::Kernel,
    index: u32,
    entry: &'a str,
}

impl Parameter<'_> {
    fn set(&self, value: ArgVal<'_>) -> Result<(), DeviceError> {
        core::set_kernel_arg(self.kernel, self.index, value).map_err(|error| {
            let Parameter { index, entry, .. } = self;
            failure(&format!("setting parameter {index} (counted from 0) of `{entry}`"), &error)
        })
    }
}

/// The text and the options of the driver's compiler.
fn text(job: &Job) -> Result<(CString, CString), DeviceError> {
    let prefix = match job.float {
        FloatMode::Strict => "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n",
        FloatMode::Contract => "",
    };
    let options = job.settings.for_opencl().join(" ");
    let c_string = |text: String| {
        CString::new(text)
            .map_err(|_| DeviceError::new(Cause::BadRequest, "The text of the kernel has a zero byte in it."))
    };
    Ok((c_string(format!("{prefix}{}", job.texts.device))?, c_string(options)?))
}

fn params(job: &Job, inputs: Vec<Buffer>, memory: &Memory) -> Result<Vec<Param>, DeviceError> {
    let on_host = job.steps.iter().filter(|step| step.language == Language::C).flat_map(|step| &step.args);
    let used_by_host: BTreeSet<usize> = on_host
        .filter_map(|arg| if let Arg::Param(number, _) = arg { Some(*number) } else { None })
        .collect();
    let mut inputs = inputs.into_iter();
    let mut params = Vec::new();
    for (index, slot) in job.params.iter().enumerate() {
        let on_host = used_by_host.contains(&index);
        params.push(match *slot {
            Slot::Input { .. } => Param::Array(memory.input(inputs.next().ok_or_else(strange)?, on_host)?),
            Slot::Output { elem, len } => Param::Output(memory.scratch(elem, len, on_host)?),
            Slot::Temp { elem, len } => Param::Array(memory.scratch(elem, len, on_host)?),
            Slot::Local { bytes } => Param::Local(bytes),
            Slot::Scalar { elem, bits } => Param::Scalar(Value { bytes: elem.bytes(), bits }),
        });
    }
    Ok(params)
}

fn arguments(step: &Step) -> Vec<Argument> {
    let argument = |arg: &Arg| match *arg {
        Arg::Param(index, access) => Argument::Param(index, access),
        Arg::Int(value) => Argument::Number(Value { bytes: 4, bits: value.cast_unsigned() }),
    };
    step.args.iter().map(argument).collect()
}

/// A kernel, which all its steps share, with what the device says of it.
struct BuiltKernel {
    kernel: core::Kernel,
    /// The work-items of the largest group that it runs in.
    most: Option<usize>,
    /// The bytes of local memory that its text declares.
    local: u64,
}

impl BuiltKernel {
    fn new(program: &core::Program, device: DeviceId, entry: &str) -> Result<BuiltKernel, DeviceError> {
        let kernel = core::create_kernel(program, entry)
            .map_err(|error| failure(&format!("looking for the kernel `{entry}`"), &error))?;
        let info = |what| core::get_kernel_work_group_info(&kernel, device, what);
        // A kernel that says its group was built for it: NVIDIA's driver tells less than it runs such a kernel in.
        let most =
            match (info(KernelWorkGroupInfo::CompileWorkGroupSize), info(KernelWorkGroupInfo::WorkGroupSize))
            {
                (Ok(KernelWorkGroupInfoResult::CompileWorkGroupSize(group)), _) if group != [0; 3] => None,
                (_, Ok(KernelWorkGroupInfoResult::WorkGroupSize(most))) => Some(most),
                _ => None,
            };
        let local = match info(KernelWorkGroupInfo::LocalMemSize) {
            Ok(KernelWorkGroupInfoResult::LocalMemSize(bytes)) => bytes,
            _ => 0,
        };
        Ok(BuiltKernel { kernel, most, local })
    }

    /// Refuses a work-group that is larger than the device runs this very kernel in, or that needs more local memory.
    fn takes(&self, job: &Job, step: &Step, range: &Range, info: &DeviceInfo) -> Result<(), DeviceError> {
        let entry = &step.entry;
        let arguments = job.slots(step).into_iter().map(|slot| match slot {
            Slot::Local { bytes } => bytes as u64,
            _ => 0,
        });
        local_fits(entry, arguments.fold(self.local, u64::saturating_add), info)?;
        match (range.group(), self.most) {
            (Some(group), Some(most)) if group > most => {
                Err(too_large_group(entry, group as u64, most as u64, &info.id))
            }
            _ => Ok(()),
        }
    }
}

impl Kernel for OpenClKernel {
    fn run(&mut self) -> Result<Vec<u64>, DeviceError> {
        let mut times = vec![0; self.about.parts.len()];
        self.memory.copying = 0;
        for param in &mut self.params {
            if let Param::Output(array) | Param::Array(array) = param {
                self.memory.begin(array);
            }
        }
        let mut steps = std::mem::take(&mut self.steps);
        let done = steps.iter_mut().try_for_each(|call| {
            let took = self.step(call)?;
            if let Some(time) = times.get_mut(call.part) {
                *time += took;
            }
            Ok(())
        });
        self.steps = steps;
        done?;
        if self.host.is_some()
            && let Some(time) = times.last_mut()
        {
            *time += self.memory.copying;
        }
        Ok(times)
    }

    fn outputs(&mut self) -> Result<Vec<u8>, DeviceError> {
        if let Some(index) = self.arrays().position(|array| !array.guards_hold()) {
            let message = format!("A function of the host wrote outside array {index} (counted from 0).");
            return Err(DeviceError::new(Cause::OutOfBounds, message).hint(
                "Its times and output mean nothing; this is a fault of the generated code or of its sizes.",
            ));
        }
        let outputs =
            self.params.iter().filter_map(|p| if let Param::Output(o) = p { Some(o) } else { None });
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(outputs.clone().map(Shared::len).sum()).map_err(|_| {
            DeviceError::new(Cause::OutOfMemory, "There is no memory for the outputs of the kernel.")
        })?;
        for output in outputs {
            self.memory.bytes(output, &mut bytes)?;
        }
        Ok(bytes)
    }

    fn about(&self) -> About {
        self.about.clone()
    }
}

/// The nanoseconds between start and end of a kernel, where the driver tells.
fn device_time(event: &Event) -> Option<u64> {
    let (Ok(ProfilingInfoResult::Start(start)), Ok(ProfilingInfoResult::End(end))) = (
        core::get_event_profiling_info(event, ProfilingInfo::Start),
        core::get_event_profiling_info(event, ProfilingInfo::End),
    ) else {
        return None;
    };
    (end > start && start > 0).then(|| end - start)
}
