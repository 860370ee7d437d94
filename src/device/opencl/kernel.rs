//! One kernel in OpenCL C: built, with its buffers and arguments.
#![expect(unsafe_code, reason = "buffers and kernels of OpenCL are not checked by the compiler")]
use super::super::buffer::Buffer;
use super::super::proto::{DeviceInfo, DeviceKind, FloatMode, Timer};
use super::super::select::select;
use super::super::worker::measure::{About, Kernel};
use super::super::worker::wire::{Job, Slot};
use super::super::{Cause, DeviceError, Elem};
use super::failure::{failure, refused};
use super::list::{Found, find};
use ocl::core::{
    self, ArgVal, CommandQueue, CommandQueueProperties, Context, ContextProperties, Event, Mem, MemFlags,
    ProfilingInfo, ProfilingInfoResult,
};
use std::ffi::CString;
use std::time::Instant;

/// A kernel in OpenCL C that is ready to run.
pub struct OpenClKernel {
    kernel: core::Kernel,
    queue: CommandQueue,
    range: Range,
    /// With their sizes in bytes.
    outputs: Vec<(Mem, usize)>,
    about: About,
    /// Not all drivers keep what is set as an argument (PoCL 3.1 aborts when it has gone).
    _memory: Vec<Mem>,
    _context: Context,
}

#[derive(Debug, PartialEq)]
struct Range {
    dimensions: u32,
    global: [usize; 3],
    local: Option<[usize; 3]>,
}

impl OpenClKernel {
    /// Finds the device, builds the job's text for it, and fills its memory.
    ///
    /// # Errors
    /// That the device is not there, its compiler refuses the text, memory is missing, or a call fails.
    pub fn build(job: &Job, inputs: Vec<Buffer>) -> Result<OpenClKernel, DeviceError> {
        let all = find()?;
        let infos: Vec<DeviceInfo> = all.iter().map(|found| found.info.clone()).collect();
        let wanted = select(&infos, &job.device)?;
        let Some(Found { info, platform, device }) = all.iter().find(|found| found.info.id == wanted.id)
        else {
            return Err(strange());
        };
        let range = range(job, info)?;
        fits(job, info)?;
        let properties = ContextProperties::new().platform(*platform);
        let context = core::create_context(Some(&properties), &[*device], None, None)
            .map_err(|error| failure("opening the device", &error))?;
        let queue =
            core::create_command_queue(&context, device, Some(CommandQueueProperties::new().profiling()))
                .map_err(|error| failure("opening a queue", &error))?;
        let (source, options) = text(job)?;
        let program = core::create_program_with_source(&context, &[source])
            .map_err(|error| failure("loading the text of the kernel", &error))?;
        core::build_program(&program, Some(&[*device]), &options, None, None)
            .map_err(|error| refused(&job.entry, &error))?;
        let kernel = core::create_kernel(&program, &job.entry)
            .map_err(|error| failure(&format!("looking for the kernel `{}`", job.entry), &error))?;
        let mut memory = Memory { context: &context, queue: &queue, kept: Vec::new() };
        let outputs = memory.arguments(job, inputs, &kernel)?;
        let kept = memory.kept;
        core::finish(&queue).map_err(|error| failure("filling buffers", &error))?;
        let about = About {
            timer: Timer::DeviceEvents,
            compiler: format!("{}, driver {} [{}]", info.version, info.driver, options.to_string_lossy()),
            device: info.id.clone(),
            threads: info.compute_units,
            warnings: Vec::new(),
        };
        Ok(OpenClKernel { kernel, queue, range, outputs, about, _memory: kept, _context: context })
    }
}

fn strange() -> DeviceError {
    DeviceError::new(Cause::Protocol, "The worker process was asked something strange.")
}

/// The text and the options of the driver's compiler.
fn text(job: &Job) -> Result<(CString, CString), DeviceError> {
    let (prefix, options) = match job.float {
        FloatMode::Strict => ("#pragma OPENCL FP_CONTRACT OFF\n#line 1\n", ""),
        FloatMode::Contract => ("", ""),
        FloatMode::Relaxed => ("", "-cl-fast-relaxed-math"),
    };
    let c_string = |text: String| {
        CString::new(text)
            .map_err(|_| DeviceError::new(Cause::BadRequest, "The text of the kernel has a zero byte in it."))
    };
    Ok((c_string(format!("{prefix}{}", job.source))?, c_string(options.to_owned())?))
}

/// The work-items of a job.
fn range(job: &Job, info: &DeviceInfo) -> Result<Range, DeviceError> {
    let sizes = |sizes: [u64; 3]| {
        let [Ok(x), Ok(y), Ok(z)] = sizes.map(usize::try_from) else { return None };
        (x > 0 && y > 0 && z > 0).then_some([x, y, z])
    };
    let refuse = |what: &str| {
        DeviceError::new(Cause::BadRequest, format!("The {what} size of the kernel is 0 or too large."))
    };
    let global = sizes(job.global.unwrap_or([1; 3])).ok_or_else(|| refuse("global"))?;
    let line = global[1..] == [1, 1];
    let local = match job.local {
        Some(local) => Some(sizes(local).ok_or_else(|| refuse("local"))?),
        None if line && info.kind == DeviceKind::Cpu => Some([1; 3]),
        None => None,
    };
    let flat = |sizes: Option<[usize; 3]>, from: usize| {
        sizes.is_none_or(|sizes| sizes[from..].iter().all(|size| *size == 1))
    };
    let dimensions = match () {
        () if line && flat(local, 1) => 1,
        () if global[2] == 1 && flat(local, 2) => 2,
        () => 3,
    };
    Ok(Range { dimensions, global, local })
}

/// Refuses what the device says it cannot do or hold, in words better than those of a driver.
fn fits(job: &Job, info: &DeviceInfo) -> Result<(), DeviceError> {
    for (extension, there, scalar) in [("cl_khr_fp64", info.f64, "f64"), ("cl_khr_fp16", info.f16, "f16")] {
        if !there && job.source.contains(extension) {
            let message = format!("`{}` does not compute in `{scalar}`, which the kernel uses.", info.id);
            return Err(
                DeviceError::new(Cause::CompileFailed, message).hint("Use `f32`, or choose another device.")
            );
        }
    }
    let (mut local, mut total) = (0u64, 0u64);
    for slot in &job.params {
        let bytes = slot.bytes().unwrap_or(u64::MAX);
        match slot {
            Slot::Local { .. } => local = local.saturating_add(bytes),
            Slot::Scalar { .. } => {}
            _ if info.max_allocation == 0 || bytes <= info.max_allocation => {
                total = total.saturating_add(bytes)
            }
            _ => {
                return Err(DeviceError::new(
                    Cause::OutOfMemory,
                    format!(
                        "An array of {bytes} bytes is larger than `{}` can hold ({}).",
                        info.id, info.max_allocation
                    ),
                )
                .hint("Choose smaller sizes."));
            }
        }
    }
    if info.global_memory > 0 && total > info.global_memory {
        return Err(DeviceError::new(
            Cause::OutOfMemory,
            format!(
                "The arrays of the kernel need {total} bytes and `{}` has {}.",
                info.id, info.global_memory
            ),
        )
        .hint("Choose smaller sizes."));
    }
    if info.local_memory > 0 && local > info.local_memory {
        return Err(DeviceError::new(
            Cause::OutOfMemory,
            format!(
                "The kernel needs {local} bytes of local memory and `{}` has {}.",
                info.id, info.local_memory
            ),
        )
        .hint("Choose smaller tiles."));
    }
    Ok(())
}

/// Makes the buffers of a kernel.
struct Memory<'a> {
    context: &'a Context,
    queue: &'a CommandQueue,
    kept: Vec<Mem>,
}

impl Memory<'_> {
    /// Sets every argument of the kernel; returns the outputs with their sizes in bytes.
    fn arguments(
        &mut self,
        job: &Job,
        inputs: Vec<Buffer>,
        kernel: &core::Kernel,
    ) -> Result<Vec<(Mem, usize)>, DeviceError> {
        let mut inputs = inputs.into_iter();
        let mut outputs = Vec::new();
        for (index, slot) in (0u32..).zip(&job.params) {
            let set = |value| {
                core::set_kernel_arg(kernel, index, value).map_err(|error| {
                    failure(&format!("setting parameter {index} (counted from 0) of `{}`", job.entry), &error)
                })
            };
            match *slot {
                Slot::Input { .. } => {
                    let buffer = inputs.next().ok_or_else(strange)?;
                    let memory = self.filled(buffer.cells())?;
                    set(ArgVal::mem(&memory))?;
                    self.kept.push(memory);
                }
                Slot::Output { elem, len } | Slot::Temp { elem, len } => {
                    let memory = self.poisoned(elem, len)?;
                    set(ArgVal::mem(&memory))?;
                    if matches!(slot, Slot::Output { .. }) {
                        outputs.push((memory.clone(), elem.bytes() * len));
                    }
                    self.kept.push(memory);
                }
                Slot::Local { bytes } => set(ArgVal::local::<u8>(&bytes))?,
                Slot::Scalar { elem, bits } => {
                    let bytes = bits.to_le_bytes();
                    let [a, b, c, d, ..] = bytes;
                    match elem.bytes() {
                        1 => set(ArgVal::primitive(&a))?,
                        2 => set(ArgVal::primitive(&u16::from_le_bytes([a, b])))?,
                        4 => set(ArgVal::primitive(&u32::from_le_bytes([a, b, c, d])))?,
                        _ => set(ArgVal::primitive(&bits))?,
                    }
                }
            }
        }
        Ok(outputs)
    }

    /// A buffer of so many bytes; at least one, because OpenCL has no empty buffers.
    fn fresh(&self, bytes: usize) -> Result<Mem, DeviceError> {
        // SAFETY: no host memory is given, so none can be too short or go away.
        unsafe {
            core::create_buffer::<_, u8>(self.context, MemFlags::new().read_write(), bytes.max(1), None)
        }
        .map_err(|error| failure("taking memory of the device", &error))
    }

    fn filled(&self, bytes: &[u8]) -> Result<Mem, DeviceError> {
        let memory = self.fresh(bytes.len())?;
        if !bytes.is_empty() {
            // SAFETY: the call blocks until the bytes are copied.
            unsafe {
                core::enqueue_write_buffer(
                    self.queue,
                    &memory,
                    true,
                    0,
                    bytes,
                    None::<Event>,
                    None::<&mut Event>,
                )
            }
            .map_err(|error| failure("copying an input to the device", &error))?;
        }
        Ok(memory)
    }

    fn poisoned(&self, elem: Elem, len: usize) -> Result<Mem, DeviceError> {
        let bytes = elem.bytes().checked_mul(len).ok_or_else(strange)?;
        let memory = self.fresh(bytes)?;
        let pattern = elem.poison();
        let [a, b, c, d, ..] = pattern;
        let none = || (None::<Event>, None::<&mut Event>);
        let (wait, event) = none();
        let filled = match elem.bytes() {
            _ if bytes == 0 => Ok(()),
            1 => core::enqueue_fill_buffer(self.queue, &memory, a, 0, len, wait, event, None),
            2 => core::enqueue_fill_buffer(
                self.queue,
                &memory,
                u16::from_le_bytes([a, b]),
                0,
                len,
                wait,
                event,
                None,
            ),
            4 => core::enqueue_fill_buffer(
                self.queue,
                &memory,
                u32::from_le_bytes([a, b, c, d]),
                0,
                len,
                wait,
                event,
                None,
            ),
            _ => core::enqueue_fill_buffer(
                self.queue,
                &memory,
                u64::from_le_bytes(pattern),
                0,
                len,
                wait,
                event,
                None,
            ),
        };
        filled.map_err(|error| failure("filling memory of the device", &error))?;
        Ok(memory)
    }
}

impl Kernel for OpenClKernel {
    fn run(&mut self) -> Result<u64, DeviceError> {
        let mut event = Event::null();
        let start = Instant::now();
        // SAFETY: every argument is set and kept. What the kernel does to the device is why this is a worker process.
        unsafe {
            core::enqueue_kernel(
                &self.queue,
                &self.kernel,
                self.range.dimensions,
                None,
                &self.range.global,
                self.range.local,
                None::<Event>,
                Some(&mut event),
            )
        }
        .map_err(|error| failure("starting the kernel", &error))?;
        core::finish(&self.queue).map_err(|error| failure("running the kernel", &error))?;
        let host = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
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

    fn outputs(&mut self) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.outputs.iter().map(|(_, size)| size).sum()).map_err(|_| {
            DeviceError::new(Cause::OutOfMemory, "There is no memory for the outputs of the kernel.")
        })?;
        for (memory, size) in self.outputs.iter().filter(|(_, size)| *size > 0) {
            let start = bytes.len();
            bytes.resize(start + size, 0u8);
            // SAFETY: the call blocks until the bytes are copied.
            unsafe {
                core::enqueue_read_buffer(
                    &self.queue,
                    memory,
                    true,
                    0,
                    &mut bytes[start..],
                    None::<Event>,
                    None::<&mut Event>,
                )
            }
            .map_err(|error| failure("copying the output from the device", &error))?;
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
