//! A module on the host alone, with its memory.
use super::super::buffer::Buffer;
use super::super::proto::{Arg, Timer};
use super::super::quiet::Place;
use super::super::worker::measure::{About, Kernel};
use super::super::worker::wire::{Job, Slot};
use super::super::{Cause, DeviceError};
use super::host::HostCode;
use std::ffi::c_void;

/// Functions in C that are ready to run, one after the other.
pub struct CpuKernel {
    code: HostCode,
    memory: Vec<Memory>,
    steps: Vec<Step>,
    entry: String,
}

enum Memory {
    Output(Buffer),
    Array(Buffer),
    Scalar([u8; 8]),
}

/// A call: the function's number, and its arguments.
struct Step {
    function: usize,
    arguments: Vec<Argument>,
}

enum Argument {
    Memory(usize),
    Number(i32),
}

impl CpuKernel {
    /// Takes memory for the outputs of a job.
    ///
    /// # Errors
    /// That memory is missing.
    pub fn build(job: &Job, inputs: Vec<Buffer>, code: HostCode) -> Result<CpuKernel, DeviceError> {
        let mut inputs = inputs.into_iter();
        let mut memory = Vec::new();
        for slot in &job.params {
            memory.push(match *slot {
                Slot::Output { elem, len } => Memory::Output(Buffer::new(elem, len)?),
                Slot::Temp { elem, len } => Memory::Array(Buffer::new(elem, len)?),
                Slot::Input { .. } => Memory::Array(inputs.next().ok_or_else(missing)?),
                Slot::Scalar { bits, .. } => Memory::Scalar(bits.to_le_bytes()),
                Slot::Local { .. } => return Err(missing()),
            });
        }
        let mut steps = Vec::new();
        for step in &job.steps {
            let function = code.number(&step.entry).ok_or_else(missing)?;
            let argument = |arg: &Arg| match *arg {
                Arg::Param(index, _) => Argument::Memory(index),
                Arg::Int(value) => Argument::Number(i32::try_from(value).unwrap_or(0)),
            };
            steps.push(Step { function, arguments: step.args.iter().map(argument).collect() });
        }
        let entry = job.steps.first().map(|step| step.entry.clone()).unwrap_or_default();
        Ok(CpuKernel { code, memory, steps, entry })
    }
}

fn missing() -> DeviceError {
    DeviceError::new(Cause::Protocol, "The worker process was asked something strange.")
}

impl Kernel for CpuKernel {
    fn run(&mut self) -> Result<Vec<u64>, DeviceError> {
        let mut whole = 0;
        for step in &mut self.steps {
            let mut pointers: Vec<*mut c_void> = Vec::with_capacity(step.arguments.len());
            for argument in &mut step.arguments {
                pointers.push(match argument {
                    Argument::Number(value) => (&raw mut *value).cast(),
                    Argument::Memory(index) => match self.memory.get_mut(*index).ok_or_else(missing)? {
                        Memory::Output(buffer) | Memory::Array(buffer) => {
                            buffer.cells_mut().as_mut_ptr().cast()
                        }
                        Memory::Scalar(bytes) => bytes.as_mut_ptr().cast(),
                    },
                });
            }
            whole += self.code.run(step.function, &pointers)?;
        }
        Ok(vec![whole])
    }

    fn outputs(&mut self) -> Result<Vec<u8>, DeviceError> {
        let mut outputs = Vec::new();
        for (index, memory) in self.memory.iter_mut().enumerate() {
            let (Memory::Output(buffer) | Memory::Array(buffer)) = memory else { continue };
            if !buffer.guards_hold() {
                return Err(DeviceError::new(
                    Cause::OutOfBounds,
                    format!("The kernel `{}` wrote outside the array of parameter {index} (counted from 0).", self.entry),
                )
                .hint("Its times and output mean nothing; this is a fault of the generated code or of its sizes."));
            }
            if let Memory::Output(buffer) = memory {
                outputs.try_reserve_exact(buffer.cells().len()).map_err(|_| {
                    DeviceError::new(Cause::OutOfMemory, "There is no memory for the outputs of the kernel.")
                })?;
                outputs.extend_from_slice(buffer.cells());
            }
        }
        Ok(outputs)
    }

    fn about(&self) -> About {
        About {
            timer: Timer::Host,
            compiler: self.code.compiler.clone(),
            device: "cpu".to_owned(),
            threads: self.code.threads(),
            used: self.code.used(),
            place: Place::Host,
            warnings: self.code.warnings.clone(),
            parts: vec![self.entry.clone()],
        }
    }
}
