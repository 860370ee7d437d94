//! `shine-tui devices`: what kernels can run on.

use super::args::Json;
use super::exit::Exit;
use super::output;
use crate::device::{Backend, DeviceInfo, DeviceKind, Devices, RunControl};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Lists the devices. Exits with 3 when none of them can be used.
pub fn run(args: &Json) -> Result<Exit, Exit> {
    let cancel = AtomicBool::new(false);
    let mut control = RunControl { cancel: &cancel, progress: &mut |_| {} };
    let list = Devices::new().list(&mut control).map_err(|e| {
        output::diagnostic(&crate::session::device_diagnostic(&e));
        Exit::Environment
    })?;
    if args.json {
        let devices: Vec<Value> = list.devices.iter().map(as_json).collect();
        output::json(&json!({ "devices": devices, "notes": list.notes }))?;
    } else {
        let text: String = list.devices.iter().map(in_words).collect();
        output::print(&text)?;
        list.notes.iter().try_for_each(|n| output::print(&format!("note: {n}\n")))?;
    }
    let usable = list.devices.iter().any(|d| d.problem.is_none());
    Ok(if usable { Exit::Done } else { Exit::Environment })
}

fn kind(d: &DeviceInfo) -> &'static str {
    match d.kind {
        DeviceKind::Host => "host",
        DeviceKind::Cpu => "OpenCL CPU",
        DeviceKind::Gpu => "OpenCL GPU",
        DeviceKind::Accelerator => "OpenCL accelerator",
        DeviceKind::Other => "OpenCL device",
    }
}

fn in_words(d: &DeviceInfo) -> String {
    let mut text = format!("{}\n  {}, {}\n", d.id, kind(d), d.name);
    let units = if d.kind == DeviceKind::Host { "hardware threads" } else { "compute units" };
    text += &format!("  {} {units}", d.compute_units);
    if d.kind == DeviceKind::Host {
        text += if d.openmp { ", OpenMP" } else { ", no OpenMP" };
    } else {
        text += &format!(
            ", work-groups of up to {}, {} KiB of local memory",
            d.max_work_group,
            d.local_memory >> 10
        );
    }
    text += "\n";
    for line in [&d.version, &d.driver].into_iter().filter(|l| !l.is_empty()) {
        text += &format!("  {line}\n");
    }
    if let Some(problem) = &d.problem {
        text += &format!("  cannot be used: {problem}\n");
    }
    text
}

fn as_json(d: &DeviceInfo) -> Value {
    json!({
        "id": d.id,
        "kind": kind(d),
        "platform": d.platform,
        "name": d.name,
        "version": d.version,
        "driver": d.driver,
        "compute_units": d.compute_units,
        "max_work_group": d.max_work_group,
        "local_memory": d.local_memory,
        "global_memory": d.global_memory,
        "openmp": d.openmp,
        "problem": d.problem,
    })
}
