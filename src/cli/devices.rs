//! `shine-tui devices`: what kernels can run on.

use super::args::Json;
use super::exit::Exit;
use super::output;
use super::workers;
use crate::device::{Backend, DeviceInfo, DeviceKind, FLAGS, Flag, RunControl};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Lists the devices. Exits with 3 when none of them can be used.
pub fn run(args: &Json) -> Result<Exit, Exit> {
    let cancel = AtomicBool::new(false);
    let mut control = RunControl { cancel: &cancel, progress: &mut |_| {} };
    let list = workers::devices().list(&mut control).map_err(|e| {
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
    if !args.json {
        output::print(
            "Flags and a number of threads may stand behind a name, `cpu[vectors512, 1 thread]`; ≈ marks those that may change \
             results.\n",
        )?;
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
    let flags: Vec<String> = flags_of(d).map(in_short).collect();
    text += &format!("  flags: {}\n", flags.join(", "));
    for line in [&d.version, &d.driver].into_iter().filter(|l| !l.is_empty()) {
        text += &format!("  {line}\n");
    }
    if let Some(problem) = &d.problem {
        text += &format!("  cannot be used: {problem}\n");
    }
    text
}

/// The flags that may be asked for in brackets.
fn flags_of(d: &DeviceInfo) -> impl Iterator<Item = &'static Flag> {
    FLAGS.iter().filter(|flag| flag.is_for(d.kind == DeviceKind::Host))
}

/// A flag with its mark.
fn in_short(flag: &Flag) -> String {
    if flag.marks.is_empty() { flag.name.to_owned() } else { format!("{} ≈", flag.name) }
}

fn as_json(d: &DeviceInfo) -> Value {
    let flags = flags_of(d).map(|f| json!({ "name": f.name, "marks": f.marks, "what": f.what }));
    json!({
        "flags": flags.collect::<Vec<_>>(),
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
