//! What a device says it cannot do or hold, in words better than those of a driver.
use super::super::proto::{DeviceInfo, DeviceKind, Step};
use super::super::worker::wire::{Job, Slot};
use super::super::{Cause, DeviceError};

/// The work-items of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    pub dimensions: u32,
    pub global: [usize; 3],
    pub local: Option<[usize; 3]>,
}

impl Range {
    /// The work-items of a step.
    ///
    /// # Errors
    /// None, or more than there can be; groups that are not whole or larger than the device has.
    pub fn of(step: &Step, info: &DeviceInfo) -> Result<Range, DeviceError> {
        let entry = &step.entry;
        let sizes = |sizes: [u64; 3]| {
            let [Ok(x), Ok(y), Ok(z)] = sizes.map(usize::try_from) else { return None };
            (x > 0 && y > 0 && z > 0).then_some([x, y, z])
        };
        let refuse = |what: &str| {
            DeviceError::new(
                Cause::BadRequest,
                format!("The {what} size of the kernel `{entry}` is 0 or too large."),
            )
        };
        let global = sizes(step.global.unwrap_or([1; 3])).ok_or_else(|| refuse("global"))?;
        let line = global[1..] == [1, 1];
        let local = match step.local {
            Some(local) => Some(sizes(local).ok_or_else(|| refuse("local"))?),
            None if line && info.kind == DeviceKind::Cpu => Some([1; 3]),
            None => None,
        };
        if let Some(local) = local {
            whole_groups(entry, local, global)?;
            small_enough(entry, local, info)?;
        }
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

    /// The work-items of a work-group, where their number was asked for.
    pub fn group(&self) -> Option<usize> {
        self.local.map(|local| local.iter().fold(1, |n: usize, size| n.saturating_mul(*size)))
    }
}

fn whole_groups(entry: &str, local: [usize; 3], global: [usize; 3]) -> Result<(), DeviceError> {
    let uneven = (0..3).find(|d| !global[*d].is_multiple_of(local[*d]));
    uneven.map_or(Ok(()), |d| {
        let message = format!(
            "The kernel `{entry}` runs on {} work-items in dimension {d}, which are no whole groups of {}.",
            global[d], local[d]
        );
        Err(DeviceError::new(Cause::BadRequest, message).hint("Each local size must divide its global size."))
    })
}

fn small_enough(entry: &str, local: [usize; 3], info: &DeviceInfo) -> Result<(), DeviceError> {
    group_fits(entry, local.iter().fold(1u64, |n, size| n.saturating_mul(*size as u64)), info)
}

/// Refuses a kernel whose groups have more work-items than the device takes.
pub fn group_fits(entry: &str, group: u64, info: &DeviceInfo) -> Result<(), DeviceError> {
    if info.max_work_group == 0 || group <= info.max_work_group {
        return Ok(());
    }
    Err(too_large_group(entry, group, info.max_work_group, &info.id))
}

/// A work-group that the device does not run a kernel in.
pub fn too_large_group(entry: &str, group: u64, most: u64, device: &str) -> DeviceError {
    let message = format!(
        "The kernel `{entry}` asks for groups of {group} work-items, and `{device}` runs it in groups of at most {most}."
    );
    DeviceError::new(Cause::BadRequest, message).hint("Ask `oclRun` for smaller local sizes.")
}

/// Refuses what the device says it cannot do or hold, in words better than those of a driver.
pub fn fits(job: &Job, info: &DeviceInfo) -> Result<(), DeviceError> {
    for (extension, there, scalar) in [("cl_khr_fp64", info.f64, "f64"), ("cl_khr_fp16", info.f16, "f16")] {
        if !there && job.texts.device.contains(extension) {
            let message = format!("`{}` does not compute in `{scalar}`, which the kernel uses.", info.id);
            return Err(
                DeviceError::new(Cause::NoSuchType, message).hint("Use `f32`, or choose another device.")
            );
        }
    }
    let mut total = 0u64;
    for slot in &job.params {
        let bytes = slot.bytes().unwrap_or(u64::MAX);
        if !matches!(slot, Slot::Local { .. } | Slot::Scalar { .. }) {
            array_fits(bytes, info)?;
            total = total.saturating_add(bytes);
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
    Ok(())
}

/// Refuses an array that is larger than the device holds.
pub fn array_fits(bytes: u64, info: &DeviceInfo) -> Result<(), DeviceError> {
    if info.max_allocation == 0 || bytes <= info.max_allocation {
        return Ok(());
    }
    let message =
        format!("An array of {bytes} bytes is larger than `{}` can hold ({}).", info.id, info.max_allocation);
    Err(DeviceError::new(Cause::OutOfMemory, message).hint("Choose smaller sizes."))
}

/// Refuses a kernel whose groups need more local memory than there is: drivers may end the process for it.
pub fn local_fits(entry: &str, bytes: u64, info: &DeviceInfo) -> Result<(), DeviceError> {
    if info.local_memory == 0 || bytes <= info.local_memory {
        return Ok(());
    }
    let message = format!(
        "A work-group of the kernel `{entry}` needs {bytes} bytes of local memory, and `{}` has {}.",
        info.id, info.local_memory
    );
    Err(DeviceError::new(Cause::TooMuchLocal, message))
}
