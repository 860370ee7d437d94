//! Memory that host and device use in turn: copies are made when one needs what the other wrote, and not before.
#![expect(unsafe_code, reason = "buffers of OpenCL are not checked by the compiler")]
use super::super::buffer::Buffer;
use super::super::data::poison;
use super::super::proto::Access;
use super::super::{Cause, DeviceError};
use super::failure::failure;
use crate::lang::ty::Scalar;
use ocl::core::{self, CommandQueue, Context, Event, Mem, MemFlags};
use std::time::Instant;

/// Who has what was written last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fresh {
    Nobody,
    Host,
    Device,
    Both,
}

/// An array of a job.
pub struct Shared {
    pub device: Mem,
    /// Only where a function of the host uses it.
    host: Option<Buffer>,
    bytes: usize,
    fresh: Fresh,
    /// Whether runs begin with it as it is.
    is_input: bool,
}

/// Makes and copies arrays.
pub struct Memory {
    pub context: Context,
    pub queue: CommandQueue,
    /// The nanoseconds that copies took in this run.
    pub copying: u64,
}

impl Memory {
    /// An input, on the device; also on the host where a function of it reads it.
    ///
    /// # Errors
    /// That memory is missing, or a call fails.
    pub fn input(&self, buffer: Buffer, on_host: bool) -> Result<Shared, DeviceError> {
        let device = self.filled(buffer.cells())?;
        let bytes = buffer.cells().len();
        Ok(Shared { device, host: on_host.then_some(buffer), bytes, fresh: Fresh::Both, is_input: true })
    }

    /// An array that is written first; poisoned on both sides.
    ///
    /// # Errors
    /// As [`Memory::input`].
    pub fn scratch(&self, elem: Scalar, len: usize, on_host: bool) -> Result<Shared, DeviceError> {
        let device = self.poisoned(elem, len)?;
        let host = if on_host { Some(Buffer::new(elem, len)?) } else { None };
        let bytes = elem.bytes() * len;
        Ok(Shared { device, host, bytes, fresh: Fresh::Nobody, is_input: false })
    }

    /// Forgets what an earlier run wrote.
    pub fn begin(&self, array: &mut Shared) {
        if !array.is_input {
            array.fresh = Fresh::Nobody;
        }
    }

    /// Makes the device's copy one that a kernel may use so.
    ///
    /// # Errors
    /// That a call fails.
    pub fn for_device(&mut self, array: &mut Shared, access: Access) -> Result<(), DeviceError> {
        if array.fresh == Fresh::Host
            && let Some(host) = &array.host
        {
            let start = Instant::now();
            self.write(&array.device, host.cells())?;
            self.copying += nanoseconds(start);
            array.fresh = Fresh::Both;
        }
        array.use_on(Fresh::Device, access);
        Ok(())
    }

    /// The host's copy, for a function that uses it so.
    ///
    /// # Errors
    /// That a call fails, or that the host has no copy.
    pub fn for_host<'a>(
        &mut self,
        array: &'a mut Shared,
        access: Access,
    ) -> Result<&'a mut Buffer, DeviceError> {
        if array.fresh == Fresh::Device {
            let start = Instant::now();
            let cells = array.host.as_mut().ok_or_else(strange)?.cells_mut();
            read(&self.queue, &array.device, cells)?;
            self.copying += nanoseconds(start);
            array.fresh = Fresh::Both;
        }
        array.use_on(Fresh::Host, access);
        array.host.as_mut().ok_or_else(strange)
    }

    /// The bytes of an array, wherever they are.
    ///
    /// # Errors
    /// That a call fails.
    pub fn bytes(&self, array: &Shared, into: &mut Vec<u8>) -> Result<(), DeviceError> {
        if let (Fresh::Host | Fresh::Both, Some(host)) = (array.fresh, &array.host) {
            into.extend_from_slice(host.cells());
            return Ok(());
        }
        let start = into.len();
        into.resize(start + array.bytes, 0);
        if array.bytes > 0 {
            read(&self.queue, &array.device, &mut into[start..])?;
        }
        Ok(())
    }

    fn write(&self, memory: &Mem, bytes: &[u8]) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the call blocks until the bytes are copied.
        unsafe {
            core::enqueue_write_buffer(&self.queue, memory, true, 0, bytes, None::<Event>, None::<&mut Event>)
        }
        .map_err(|error| failure("copying an array to the device", &error))
    }

    /// A buffer of so many bytes; at least one, because OpenCL has no empty buffers.
    fn fresh(&self, bytes: usize) -> Result<Mem, DeviceError> {
        // SAFETY: no host memory is given, so none can be too short or go away.
        unsafe {
            core::create_buffer::<_, u8>(&self.context, MemFlags::new().read_write(), bytes.max(1), None)
        }
        .map_err(|error| failure("taking memory of the device", &error))
    }

    fn filled(&self, bytes: &[u8]) -> Result<Mem, DeviceError> {
        let memory = self.fresh(bytes.len())?;
        self.write(&memory, bytes)?;
        Ok(memory)
    }

    fn poisoned(&self, elem: Scalar, len: usize) -> Result<Mem, DeviceError> {
        let bytes = elem.bytes().checked_mul(len).ok_or_else(strange)?;
        let memory = self.fresh(bytes)?;
        let pattern = poison(elem);
        let [a, b, c, d, ..] = pattern;
        let none = || (None::<Event>, None::<&mut Event>);
        let (wait, event) = none();
        let filled = match elem.bytes() {
            _ if bytes == 0 => Ok(()),
            1 => core::enqueue_fill_buffer(&self.queue, &memory, a, 0, len, wait, event, None),
            2 => core::enqueue_fill_buffer(
                &self.queue,
                &memory,
                u16::from_le_bytes([a, b]),
                0,
                len,
                wait,
                event,
                None,
            ),
            4 => core::enqueue_fill_buffer(
                &self.queue,
                &memory,
                u32::from_le_bytes([a, b, c, d]),
                0,
                len,
                wait,
                event,
                None,
            ),
            _ => core::enqueue_fill_buffer(
                &self.queue,
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

impl Shared {
    fn use_on(&mut self, side: Fresh, access: Access) {
        if access.writes {
            self.fresh = side;
        }
    }

    /// Whether the memory around the host's copy is as it was.
    pub fn guards_hold(&self) -> bool {
        self.host.as_ref().is_none_or(Buffer::guards_hold)
    }

    pub fn len(&self) -> usize {
        self.bytes
    }
}

fn read(queue: &CommandQueue, memory: &Mem, into: &mut [u8]) -> Result<(), DeviceError> {
    if into.is_empty() {
        return Ok(());
    }
    // SAFETY: the call blocks until the bytes are copied.
    unsafe { core::enqueue_read_buffer(queue, memory, true, 0, into, None::<Event>, None::<&mut Event>) }
        .map_err(|error| failure("copying an array from the device", &error))
}

pub fn nanoseconds(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

pub fn strange() -> DeviceError {
    DeviceError::new(Cause::Protocol, "The worker process was asked something strange.")
}
