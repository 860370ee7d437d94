//! Which device a user means.
use super::proto::{DeviceInfo, DeviceKind};
use super::{Cause, DeviceError, name_in};

/// Is this the name of the host, however it is to compile and run?
pub fn is_host(name: &str) -> bool {
    name_in(name).trim().eq_ignore_ascii_case("cpu")
}

/// Finds a device: `cpu` by exactly this name, any other by a part of its id (`platform / name`) in any case, or, where
/// no id has it, by a part of its version, which is where PoCL says its short name.
/// Of several equal devices the first is meant; ` #2` names the second. Settings in brackets are no part of the name.
///
/// # Errors
/// That there is none, or that several different ones have the part, with the list of what is there.
pub fn select<'a>(devices: &'a [DeviceInfo], wanted: &str) -> Result<&'a DeviceInfo, DeviceError> {
    let there = || {
        let mut ids: Vec<String> = devices.iter().map(|device| format!("`{}`", device.id)).collect();
        if ids.is_empty() {
            return "No device is there.".to_owned();
        }
        // The host is always there, also where only OpenCL was asked.
        if !devices.iter().any(|device| device.kind == DeviceKind::Host) {
            ids.insert(0, "`cpu`".to_owned());
        }
        format!("There are: {}.", ids.join(", "))
    };
    let wanted = name_in(wanted);
    let lower = wanted.trim().to_lowercase();
    let exact = devices.iter().find(|device| device.id.to_lowercase() == lower);
    let found: Vec<&DeviceInfo> = match exact {
        Some(device) => vec![device],
        None if lower.is_empty() => Vec::new(),
        None => {
            let with_part = |text: fn(&DeviceInfo) -> &str| -> Vec<&DeviceInfo> {
                let others = devices.iter().filter(|device| device.kind != DeviceKind::Host);
                others.filter(|device| text(device).to_lowercase().contains(&lower)).collect()
            };
            let by_id = with_part(|device| &device.id);
            if by_id.is_empty() { with_part(|device| &device.version) } else { by_id }
        }
    };
    let Some((first, rest)) = found.split_first() else {
        // No name that is there has half of the brackets in which settings stand.
        let is_open = wanted.contains('[') && !wanted.trim_end().ends_with(']');
        let hint = if is_open { format!("The bracket is not closed: `{wanted}]`.") } else { there() };
        return Err(DeviceError::new(Cause::NoDevice, format!("There is no device `{wanted}`.")).hint(hint));
    };
    if rest.iter().any(|other| (&other.platform, &other.name) != (&first.platform, &first.name)) {
        let message = format!("`{wanted}` is part of the names of {} devices.", found.len());
        return Err(DeviceError::new(Cause::AmbiguousDevice, message).hint(there()));
    }
    Ok(first)
}

/// Gives each device its id; equal names are numbered from the second on.
pub fn number(devices: &mut [DeviceInfo]) {
    let mut seen: Vec<String> = Vec::new();
    for device in devices {
        let id = format!("{} / {}", device.platform, device.name);
        let before = seen.iter().filter(|other| **other == id).count();
        device.id = if before == 0 { id.clone() } else { format!("{id} #{}", before + 1) };
        seen.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::device;
    use super::*;

    fn devices() -> Vec<DeviceInfo> {
        let mut all = vec![
            device(DeviceKind::Cpu, "Portable Computing Language", "pthread-skylake CPU"),
            device(DeviceKind::Gpu, "NVIDIA CUDA", "NVIDIA H200"),
            device(DeviceKind::Gpu, "NVIDIA CUDA", "NVIDIA H200"),
        ];
        number(&mut all);
        let mut host = device(DeviceKind::Host, "host", "AMD EPYC CPU");
        host.id = "cpu".into();
        all[0].version = "OpenCL 3.0 PoCL HSTR: pthread".into();
        all.insert(0, host);
        all
    }

    #[test]
    fn parts_of_names_in_any_case() {
        let devices = devices();
        for (wanted, index) in
            [("cpu", 0), ("PORTABLE", 1), ("skylake", 1), ("pocl", 1), ("h200", 2), ("H200 #2", 3)]
        {
            assert_eq!(select(&devices, wanted).unwrap(), &devices[index], "{wanted}");
        }
    }

    #[test]
    fn what_is_not_there_or_not_one_is_an_error_that_lists() {
        let devices = devices();
        let absent = select(&devices, "mali").unwrap_err();
        assert_eq!(absent.cause, Cause::NoDevice);
        assert!(absent.hint.unwrap().contains("`NVIDIA CUDA / NVIDIA H200 #2`"));
        assert_eq!(select(&devices, "u").unwrap_err().cause, Cause::AmbiguousDevice);
        assert_eq!(select(&devices, "").unwrap_err().cause, Cause::NoDevice);
        let open = select(&devices, "cpu[unroll?").unwrap_err();
        assert_eq!(open.hint.unwrap(), "The bracket is not closed: `cpu[unroll?]`.");
        assert_eq!(select(&[], "cpu").unwrap_err().hint.unwrap(), "No device is there.");
    }
}
