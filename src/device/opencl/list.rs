//! The OpenCL devices of every platform.
use super::super::proto::{DeviceInfo, DeviceKind};
use super::super::select::number;
use super::super::{DeviceError, text};
use super::failure::failure;
use super::loader;
use ocl::core::{self, DeviceId, PlatformId, PlatformInfo};

/// A device with the handles that open it.
pub struct Found {
    pub info: DeviceInfo,
    pub platform: PlatformId,
    pub device: DeviceId,
}

/// All devices, by platform, in the order of the drivers.
///
/// # Errors
/// That there is no OpenCL library, or that it fails.
pub fn list() -> Result<Vec<DeviceInfo>, DeviceError> {
    Ok(find()?.into_iter().map(|found| found.info).collect())
}

/// The same with handles.
pub fn find() -> Result<Vec<Found>, DeviceError> {
    loader::load()?;
    let platforms = core::get_platform_ids().map_err(|error| failure("listing platforms", &error))?;
    let mut all = Vec::new();
    for platform in platforms {
        let name = match core::get_platform_info(platform, PlatformInfo::Name) {
            Ok(name) => text::bounded(name.to_string().as_bytes()),
            Err(error) => return Err(failure("asking a platform for its name", &error)),
        };
        // A platform without devices answers with an error.
        let devices = core::get_device_ids(platform, None, None).unwrap_or_default();
        for device in devices {
            all.push(Found { info: describe(device, name.trim()), platform, device });
        }
    }
    let mut infos: Vec<DeviceInfo> = all.iter().map(|found| found.info.clone()).collect();
    number(&mut infos);
    for (found, info) in all.iter_mut().zip(infos) {
        found.info = info;
    }
    Ok(all)
}

/// What a device tells of itself. Raw answers are read, because `ocl`'s own reading panics on values it does not know.
fn describe(device: DeviceId, platform: &str) -> DeviceInfo {
    let raw = |query: core::DeviceInfo| core::get_device_info_raw(device, query as u32).unwrap_or_default();
    let words = |query| text::printable(&raw(query)).trim().to_owned();
    let number = |query| {
        let bytes = raw(query);
        bytes.iter().take(8).rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let small = |query| u32::try_from(number(query)).unwrap_or(u32::MAX);
    let kind = match number(core::DeviceInfo::Type) {
        bits if bits & 4 != 0 => DeviceKind::Gpu,
        bits if bits & 2 != 0 => DeviceKind::Cpu,
        bits if bits & 8 != 0 => DeviceKind::Accelerator,
        _ => DeviceKind::Other,
    };
    let available =
        number(core::DeviceInfo::Available) != 0 && number(core::DeviceInfo::CompilerAvailable) != 0;
    let extensions = words(core::DeviceInfo::Extensions);
    DeviceInfo {
        kind,
        id: String::new(),
        platform: platform.to_owned(),
        name: words(core::DeviceInfo::Name),
        version: words(core::DeviceInfo::Version),
        driver: words(core::DeviceInfo::DriverVersion),
        flags: String::new(),
        compute_units: small(core::DeviceInfo::MaxComputeUnits),
        max_work_group: number(core::DeviceInfo::MaxWorkGroupSize),
        local_memory: number(core::DeviceInfo::LocalMemSize),
        global_memory: number(core::DeviceInfo::GlobalMemSize),
        max_allocation: number(core::DeviceInfo::MaxMemAllocSize),
        clock_mhz: small(core::DeviceInfo::MaxClockFrequency),
        openmp: false,
        f64: extensions.contains("cl_khr_fp64"),
        f16: extensions.contains("cl_khr_fp16"),
        problem: (!available)
            .then(|| "The driver says that the device or its compiler is not available.".to_owned()),
    }
}
