//! OpenCL devices through a real worker process. The tests that need a device say loudly that they were skipped where
//! there is none, and fail instead when `SHINE_REQUIRE_OPENCL=1`.

use crate::device_common;
use crate::device_common::{
    assert_gone, devices, double, doubled, list, opencl, request, run, unknown_devices,
};
use shine_tui::device::{
    Cause, DeviceKind, Devices, FloatMode, HostData, HostScalar, Mode, Param, RunControl, RunRequest, Timer,
    roofline,
};
use shine_tui::lang::ty::Scalar;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// A kernel with one output of `len` floats and this body.
fn body(device: &str, text: &str, len: usize) -> RunRequest {
    let source = format!("kernel void f(global float* restrict output) {{\n{text}\n}}\n");
    request(device, &source, "f", vec![Param::Output { elem: Scalar::F32, len }])
}

/// A library that stands for the OpenCL library of a machine.
fn library(folder: &Path, text: &str) -> PathBuf {
    let (source, object) = (folder.join("cl.c"), folder.join("libOpenCL.so.1"));
    std::fs::write(&source, text).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&object).arg(&source).status().unwrap();
    assert!(built.success());
    object
}

#[test]
fn the_program_does_not_need_opencl_to_start() {
    let needed = Command::new("ldd").arg(env!("CARGO_BIN_EXE_shine-tui")).output().unwrap();
    let needed = String::from_utf8_lossy(&needed.stdout).into_owned();
    assert!(needed.contains("libc.so"), "{needed}");
    assert!(!needed.contains("OpenCL"), "{needed}");
}

#[test]
fn without_a_library_there_is_the_cpu() {
    let list = list(&unknown_devices().env("SHINE_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so.1"));
    assert_eq!(list.devices.len(), 1);
    assert_eq!((list.devices[0].id.as_str(), &list.devices[0].problem), ("cpu", &None));
    assert!(list.notes[0].contains("No OpenCL library"), "{:?}", list.notes);
    let error =
        run(&unknown_devices().env("SHINE_OPENCL_LIBRARY", "/nonexistent"), &double("gpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::NoDevice, "{error}");
}

#[test]
fn libraries_that_are_old_empty_or_broken() {
    let folder = tempfile::tempdir().unwrap();
    let with =
        |text: &str| list(&unknown_devices().env("SHINE_OPENCL_LIBRARY", library(folder.path(), text)));
    // One without a single function.
    let old = with("int nothing;");
    assert_eq!((old.devices.len(), old.notes.len()), (1, 1), "{old:?}");
    // A loader without drivers; `ocl` by itself would now ask again for ten seconds.
    let bare = with("int clGetPlatformIDs(unsigned n, void *p, unsigned *count) { return -1001; }");
    // Where drivers are announced it is told that these have none.
    let none = ["no driver with a device", "none of them has a device"];
    assert!(none.iter().any(|said| bare.notes[0].contains(said)), "{:?}", bare.notes);
    // One that writes where the answer of the worker goes, and then crashes.
    let broken = with(
        "#include <stdio.h>\n#include <stdlib.h>\nint clGetPlatformIDs(unsigned n, void *p, unsigned *count) {\n\
                       puts(\"a driver talks\"); abort(); }",
    );
    assert_eq!(broken.devices.len(), 1);
    assert!(broken.notes[0].contains("aborted"), "{:?}", broken.notes);
    // One that finds a platform and then lacks everything else.
    let half = with(
        "int clGetPlatformIDs(unsigned n, void **p, unsigned *count) { if (count) *count = 1; if (p) *p = &count; return 0; }",
    );
    assert_eq!((half.devices.len(), half.notes.len()), (1, 1), "{half:?}");
}

#[test]
fn devices_tell_of_themselves() {
    let Some(id) = opencl() else { return };
    let list = list(devices());
    let device = list.devices.iter().find(|device| device.id == id).unwrap();
    assert!(device.version.contains("OpenCL"), "{device:?}");
    assert!(device.compute_units > 0 && device.max_work_group > 0 && device.global_memory > 0, "{device:?}");
    assert_ne!(device.kind, DeviceKind::Host);
}

#[test]
fn a_kernel_gives_its_output() {
    let Some(device) = opencl() else { return };
    let report = run(devices(), &double(&device, 1000)).unwrap();
    assert_eq!(report.outputs, [doubled(1000)]);
    assert_eq!(report.device, device);
    assert!(report.compiler.contains("OpenCL"), "{}", report.compiler);
}

#[test]
fn a_measurement_is_timed_by_the_device() {
    let Some(device) = opencl() else { return };
    let mut request = double(&device, 1 << 16);
    request.mode = Mode::Measure { min_runs: 5, max_runs: 6, max_seconds: 60.0 };
    let report = run(devices(), &request).unwrap();
    assert_eq!((report.timer, report.samples_ns.len()), (Timer::DeviceEvents, 6));
    assert!(report.samples_ns.iter().all(|time| *time > 0));
    assert_eq!(report.outputs, [doubled(1 << 16)]);
}

#[test]
fn every_kind_of_parameter_arrives() {
    let Some(device) = opencl() else { return };
    let source = "kernel void every(global long* restrict out, int n, uchar u, short s, ulong big, float f,\n\
                  const global char* restrict x, local int* restrict tile, global float* restrict temp) {\n\
                  int i = get_local_id(0);\n\
                  tile[i] = i; temp[i] = f; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n\
                  if (i == 0) { out[0] = n; out[1] = u; out[2] = s; out[3] = big; out[4] = (long)(f * 4); out[5] = x[1];\n\
                  out[6] = tile[3]; out[7] = (long)temp[2]; } }\n";
    let params = vec![
        Param::Output { elem: Scalar::I64, len: 8 },
        Param::Int(-9),
        Param::Scalar(HostScalar::U8(200)),
        Param::Scalar(HostScalar::I16(-300)),
        Param::Scalar(HostScalar::U64(1 << 62)),
        Param::Scalar(HostScalar::F32(2.25)),
        Param::Input(HostData::I8(vec![0, -7])),
        Param::Local { bytes: 16 },
        Param::Temp { elem: Scalar::F32, len: 4 },
    ];
    let mut request = request(&device, source, "every", params);
    request.steps[0].global = Some([4, 1, 1]);
    request.steps[0].local = Some([4, 1, 1]);
    let report = run(devices(), &request).unwrap();
    assert_eq!(report.outputs, [HostData::I64(vec![-9, 200, -300, 1 << 62, 9, -7, 3, 2])]);
}

#[test]
fn ranges_of_every_dimension() {
    let Some(device) = opencl() else { return };
    let text = "int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);\n\
                output[(k * 4 + j) * 2 + i] = 100 * i + 10 * j + k;";
    let mut request = body(&device, text, 24);
    request.steps[0].global = Some([2, 4, 3]);
    let report = run(devices(), &request).unwrap();
    let [HostData::F32(output)] = report.outputs.as_slice() else { panic!() };
    for (index, value) in output.iter().enumerate() {
        let (i, j, k) = (index % 2, index / 2 % 4, index / 8);
        assert_eq!(*value, (100 * i + 10 * j + k) as f32);
    }
}

#[test]
fn cells_that_are_not_written_show() {
    let Some(device) = opencl() else { return };
    let report = run(devices(), &body(&device, "output[1] = 7;", 3)).unwrap();
    let [HostData::F32(output)] = report.outputs.as_slice() else { panic!() };
    assert!(output[0].is_nan() && output[1] == 7.0 && output[2].is_nan());
}

#[test]
fn fused_multiply_adds_only_where_they_are_allowed() {
    let Some(device) = opencl() else { return };
    let source = "kernel void f(global float* restrict output, const global float* restrict x) { output[0] = 1.0f - x[0] * x[0]; }\n";
    let x = 1.0f32 + f32::EPSILON;
    let params = vec![Param::Output { elem: Scalar::F32, len: 1 }, Param::Input(HostData::F32(vec![x]))];
    let mut strict = request(&device, source, "f", params);
    strict.float = FloatMode::Strict;
    assert_eq!(run(devices(), &strict).unwrap().outputs, [HostData::F32(vec![1.0 - x * x])]);
}

#[test]
fn what_goes_wrong_is_said() {
    let Some(device) = opencl() else { return };
    let refused = run(devices(), &body(&device, "output[0] = undeclared;", 1)).unwrap_err();
    assert_eq!(refused.cause, Cause::CompileFailed, "{refused}");
    assert!(refused.message.contains("undeclared"), "{refused}");
    assert!(
        refused.message.contains("of its text: `") && refused.message.contains("output[0] = undeclared"),
        "{refused}"
    );
    assert!(!refused.message.contains("####"), "{refused}");

    let mut other = body(&device, "output[0] = 1;", 1);
    other.steps[0].entry = "g".into();
    let error = run(devices(), &other).unwrap_err();
    assert!(error.message.contains("`g`"), "{error}");

    let mut uneven = body(&device, "output[0] = 1;", 1);
    for (global, local, said) in [(7, 2, "no whole groups of 2"), (1 << 20, 1 << 20, "in groups of at most")]
    {
        (uneven.steps[0].global, uneven.steps[0].local) = (Some([global, 1, 1]), Some([local, 1, 1]));
        let error = run(devices(), &uneven).unwrap_err();
        assert_eq!(error.cause, Cause::BadRequest, "{error}");
        assert!(error.message.contains("`f`") && error.message.contains(said), "{error}");
    }

    let mut nothing = body(&device, "output[0] = 1;", 1);
    nothing.steps[0].global = Some([0, 1, 1]);
    assert_eq!(run(devices(), &nothing).unwrap_err().cause, Cause::BadRequest);

    let error = run(devices(), &body(&device, "output[0] = 1;", 1 << 38)).unwrap_err();
    assert_eq!(error.cause, Cause::OutOfMemory, "{error}");

    let error = run(devices(), &double("no such device", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::NoDevice);
    assert!(error.hint.unwrap().contains(&device));
}

#[test]
fn a_kernel_without_end_meets_the_time_limit() {
    let Some(device) = opencl() else { return };
    let mut request = body(&device, "volatile global float* cell = output; while (cell[0] != 1.0f) {}", 1);
    request.time_limit_s = 4.0;
    let error =
        run(&unknown_devices().env("SHINE_TEST", "an_opencl_kernel_without_end"), &request).unwrap_err();
    assert_eq!(error.cause, Cause::TimeLimit, "{error}");
    assert_gone("an_opencl_kernel_without_end");
}

#[test]
fn a_kernel_that_crashes_the_driver() {
    let Some(device) = opencl() else { return };
    if !list(devices()).devices.iter().any(|found| found.id == device && found.kind == DeviceKind::Cpu) {
        return;
    }
    let text = "for (long i = 0; i < 1L << 32; i += 512) output[i] = 1;";
    let error = run(devices(), &body(&device, text, 1)).unwrap_err();
    assert_eq!(error.cause, Cause::Crashed, "{error}");
    assert_eq!(run(devices(), &double(&device, 100)).unwrap().outputs, [doubled(100)]);
}

#[test]
fn a_library_put_in_front_is_the_one_used() {
    let oclgrind = Path::new("/usr/lib/oclgrind/liboclgrind-rt.so");
    if !oclgrind.exists() {
        assert!(std::env::var_os("SHINE_REQUIRE_OPENCL").is_none(), "Oclgrind is not installed");
        device_common::skipped("Oclgrind is not installed");
        return;
    }
    let devices = unknown_devices().env("LD_PRELOAD", oclgrind);
    let found = list(&devices);
    assert!(found.devices.iter().any(|device| device.platform == "Oclgrind"), "{found:?}");
    let mut racy = body("oclgrind", "output[0] = get_global_id(0);", 1);
    racy.steps[0].global = Some([4, 1, 1]);
    let report = run(&devices.env("OCLGRIND_DATA_RACES", "1"), &racy).unwrap();
    assert!(report.stderr.contains("race"), "{}", report.stderr);
}

#[test]
fn the_peak_of_a_device() {
    let Some(id) = opencl() else { return };
    let devices = devices();
    let list = list(devices);
    let device = list.devices.iter().find(|device| device.id == id).unwrap();
    let mut control = RunControl { cancel: &AtomicBool::new(false), progress: &mut |_| () };
    let peak = roofline::measure(devices, device, &mut control).unwrap();
    assert!(peak.gflops.is_finite() && peak.gflops > 0.0, "{peak:?}");
    assert!(peak.gbytes.is_finite() && peak.gbytes > 0.0, "{peak:?}");
}

/// A worker stays for other questions and is replaced where it cannot answer; none outlives who asks.
#[test]
fn workers_stay() {
    let Some(device) = opencl() else { return };
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let program = env!("CARGO_BIN_EXE_shine-tui");
    let devices =
        Devices::elsewhere(&format!("echo $$ >> '{}' && exec '{program}' worker", started.display()));
    let workers = || -> Vec<i32> {
        let text = std::fs::read_to_string(&started).unwrap();
        text.lines().map(|line| line.parse().unwrap()).collect()
    };
    let lives = |pid: i32| Path::new(&format!("/proc/{pid}")).exists();
    for n in [5, 7, 1] {
        assert_eq!(run(&devices, &double(&device, n)).unwrap().outputs, [doubled(n)]);
    }
    let [first] = workers()[..] else { panic!("{:?}", workers()) };
    assert!(lives(first));
    // What memory held before is not taken for a result.
    let nothing = run(&devices, &body(&device, "", 4)).unwrap();
    assert!((0..4).all(|i| nothing.outputs[0].get(i).is_some_and(|value| value.to_f64().is_nan())));
    // One that died meanwhile is replaced, without a word.
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(first), nix::sys::signal::Signal::SIGKILL).unwrap();
    assert_eq!(run(&devices, &double(&device, 9)).unwrap().outputs, [doubled(9)]);
    let [_, second] = workers()[..] else { panic!("{:?}", workers()) };
    // One that failed answers nothing else.
    let refused = run(&devices, &body(&device, "this is no text of a kernel", 4)).unwrap_err();
    assert_eq!(refused.cause, Cause::CompileFailed, "{refused}");
    assert!(!lives(second));
    assert_eq!(run(&devices, &double(&device, 3)).unwrap().outputs, [doubled(3)]);
    let last = *workers().last().unwrap();
    assert!(lives(last));
    drop(devices);
    assert!(!lives(last));
}
