//! Host memory for a kernel: aligned for any vector instruction, poisoned, and guarded at both ends.
use super::data::poison;
use super::{Cause, DeviceError};
use crate::lang::ty::Scalar;

/// Every array handed to a kernel in C starts at a multiple of so many bytes.
pub const ALIGNMENT: usize = 128;
/// Bytes in front of and behind the array that nobody may change. A multiple of the alignment.
const GUARD: usize = 2 * ALIGNMENT;
const GUARD_BYTE: u8 = 0xA5;

/// One array.
#[derive(Debug)]
pub struct Buffer {
    /// Slack for the alignment, guard, cells, guard. Never grows, so the cells stay where they are.
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// Poisoned memory for `len` elements.
    ///
    /// # Errors
    /// That there is not so much memory.
    pub fn new(elem: Scalar, len: usize) -> Result<Buffer, DeviceError> {
        let none = || {
            DeviceError::new(
                Cause::OutOfMemory,
                format!("There is no memory for an array of {len} elements of type {}.", elem.name()),
            )
            .hint("Choose smaller sizes.")
        };
        let length = len.checked_mul(elem.bytes()).ok_or_else(none)?;
        let total = length.checked_add(ALIGNMENT + 2 * GUARD).ok_or_else(none)?;
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(total).map_err(|_| none())?;
        let start = bytes.as_ptr().align_offset(ALIGNMENT) + GUARD;
        let pattern: Vec<u8> = poison(elem).iter().copied().cycle().take(4096).collect();
        bytes.resize(start, GUARD_BYTE);
        while bytes.len() < start + length {
            let rest = start + length - bytes.len();
            bytes.extend_from_slice(pattern.get(..rest).unwrap_or(&pattern));
        }
        bytes.resize(total, GUARD_BYTE);
        Ok(Buffer { bytes, start, length })
    }

    pub fn cells(&self) -> &[u8] {
        self.bytes.get(self.start..self.start + self.length).unwrap_or_default()
    }

    pub fn cells_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.start..self.start + self.length).unwrap_or_default()
    }

    /// Whether the memory in front of and behind the cells is as it was.
    pub fn guards_hold(&self) -> bool {
        let untouched =
            |bytes: Option<&[u8]>| bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == GUARD_BYTE));
        untouched(self.bytes.get(..self.start)) && untouched(self.bytes.get(self.start + self.length..))
    }
}

/// The bytes of memory this process may still take, where the system tells: what is free without swapping, and no
/// more than its control group may have. Systems that promise more memory than there is would otherwise let a kernel's arrays
/// drive out everything else before they fail.
pub fn available() -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let meminfo = read("/proc/meminfo");
    let free = meminfo.as_deref().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    });
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.into_iter().filter_map(|file| read(file)?.trim().parse::<u64>().ok());
    free.into_iter().chain(limits).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_poisoned_and_guarded() {
        for len in [0, 1, 3, 5000] {
            let mut buffer = Buffer::new(Scalar::F32, len).unwrap();
            assert_eq!(buffer.cells().as_ptr() as usize % ALIGNMENT, 0);
            assert_eq!(buffer.cells().len(), 4 * len);
            assert!(buffer.cells().chunks(4).all(|cell| *cell == poison(Scalar::F32)[..4]));
            buffer.cells_mut().fill(7);
            assert!(buffer.guards_hold());
            let behind = buffer.start + buffer.length;
            buffer.bytes[behind] = 0;
            assert!(!buffer.guards_hold());
        }
    }

    #[test]
    fn too_much_memory_is_an_error() {
        assert_eq!(Buffer::new(Scalar::F64, usize::MAX / 2).unwrap_err().cause, Cause::OutOfMemory);
        assert_eq!(Buffer::new(Scalar::F64, 1 << 57).unwrap_err().cause, Cause::OutOfMemory);
    }
}
