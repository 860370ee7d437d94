//! The device `cpu` through a real worker process: results, measurements and everything that can go wrong.

use crate::device_common::{assert_gone, devices, double, doubled, request, run, unknown_devices};
use shine_tui::device::{
    Backend, Cause, DeviceError, Devices, FloatMode, HostData, HostScalar, Mode, Param, Progress, RunControl,
    RunReport, RunRequest, Timer,
};
use shine_tui::lang::ty::Scalar;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A kernel with one output of `len` floats and this body.
fn body(text: &str, len: usize) -> RunRequest {
    let source = format!("#include <stdlib.h>\nvoid f(float* restrict output) {{\n{text}\n}}\n");
    request("cpu", &source, "f", vec![Param::Output { elem: Scalar::F32, len }])
}

fn failing(request: &RunRequest) -> DeviceError {
    run(devices(), request).unwrap_err()
}

/// A script that acts as the C compiler.
fn compiler(folder: &Path, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("cc-of-the-test");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn a_kernel_gives_its_output() {
    let report = run(devices(), &double("cpu", 1000)).unwrap();
    assert_eq!(report.outputs, [doubled(1000)]);
    assert_eq!(report.samples_ns.len(), 1);
    assert_eq!((report.timer, report.device.as_str()), (Timer::Host, "cpu"));
    assert!(report.compiler.contains("-O3") && !report.compiler.contains("fast-math"), "{}", report.compiler);
}

#[test]
fn every_kind_of_parameter_arrives() {
    let source = "void all(long long* restrict out, int n, double d, _Bool b, unsigned char u, short s,\n\
                  const signed char* restrict x, const unsigned long long* restrict y, float f, float* restrict temp) {\n\
                  temp[n - 1] = f; out[0] = n; out[1] = (long long)(d * 4); out[2] = b; out[3] = u; out[4] = s;\n\
                  out[5] = x[1]; out[6] = (long long)y[1]; out[7] = (long long)(temp[n - 1] * 2); }\n";
    let params = vec![
        Param::Output { elem: Scalar::I64, len: 8 },
        Param::Int(3),
        Param::Scalar(HostScalar::F64(-0.25)),
        Param::Scalar(HostScalar::Bool(true)),
        Param::Scalar(HostScalar::U8(200)),
        Param::Scalar(HostScalar::I16(-300)),
        Param::Input(HostData::I8(vec![0, -7])),
        Param::Input(HostData::U64(vec![0, 1 << 62])),
        Param::Scalar(HostScalar::F32(1.5)),
        Param::Temp { elem: Scalar::F32, len: 3 },
    ];
    let report = run(devices(), &request("cpu", source, "all", params)).unwrap();
    assert_eq!(report.outputs, [HostData::I64(vec![3, -1, 1, 200, -300, -7, 1 << 62, 3])]);
}

#[test]
fn arrays_are_aligned_and_cells_that_are_not_written_show() {
    let report = run(devices(), &body("output[0] = (float)((size_t)output % 128);", 3)).unwrap();
    let [HostData::F32(output)] = report.outputs.as_slice() else { panic!() };
    assert_eq!(output[0], 0.0);
    assert!(output[1].is_nan() && output[2].is_nan());
}

/// A kernel is checked at several sizes before it is measured.
#[test]
fn what_was_compiled_is_kept_while_the_text_and_the_flags_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let cc = compiler(folder.path(), &format!("echo \"$*\" >> {}\nexec cc \"$@\"", log.display()));
    let devices = unknown_devices().env("CC", cc);
    let compiled = || std::fs::read_to_string(&log).unwrap().matches("twice.so").count();
    for n in [3, 1000, 0] {
        assert_eq!(run(&devices, &double("cpu", n)).unwrap().outputs, [doubled(n)]);
        assert_eq!(compiled(), 1, "at {n}");
    }
    let strict = RunRequest { float: FloatMode::Strict, ..double("cpu", 5) };
    let mut control = RunControl { cancel: &AtomicBool::new(false), progress: &mut |_| () };
    let (first, second) = devices.run_pair(&strict, &double("cpu", 7), &mut control).unwrap();
    assert_eq!((first.outputs, second.outputs), (vec![doubled(5)], vec![doubled(7)]));
    assert_eq!(compiled(), 2);
    let mut thrice = double("cpu", 4);
    thrice.texts.host = thrice.texts.host.replace("2.0f", "3.0f");
    assert_eq!(run(&devices, &thrice).unwrap().outputs, [HostData::F32(vec![0.0, 3.0, 6.0, 9.0])]);
    assert_eq!(compiled(), 3);
}

#[test]
fn empty_arrays_are_arrays() {
    assert_eq!(run(devices(), &double("cpu", 0)).unwrap().outputs, [HostData::F32(vec![])]);
}

#[test]
fn fused_multiply_adds_only_where_they_are_allowed() {
    // 1 - x*x, where x*x is not exact: fused and separate rounding differ.
    let source =
        "void f(float* restrict output, const float* restrict x) { output[0] = 1.0f - x[0] * x[0]; }\n";
    let x = 1.0f32 + f32::EPSILON;
    let params = vec![Param::Output { elem: Scalar::F32, len: 1 }, Param::Input(HostData::F32(vec![x]))];
    let mut strict = request("cpu", source, "f", params);
    strict.float = FloatMode::Strict;
    assert_eq!(run(devices(), &strict).unwrap().outputs, [HostData::F32(vec![1.0 - x * x])]);
}

#[test]
fn a_measurement_follows_the_protocol() {
    let mut request = double("cpu", 1 << 16);
    request.mode = Mode::Measure { min_runs: 5, max_runs: 7, max_seconds: 60.0 };
    let cancel = AtomicBool::new(false);
    let mut seen = Vec::new();
    let report = devices()
        .run(&request, &mut RunControl { cancel: &cancel, progress: &mut |progress| seen.push(progress) })
        .unwrap();
    assert_eq!(report.samples_ns.len(), 7);
    assert!(report.samples_ns.iter().all(|time| *time > 0));
    assert_eq!(report.outputs, [doubled(1 << 16)]);
    assert_eq!(seen[..2], [Progress::Compiling, Progress::WarmingUp]);
    assert_eq!(seen[2], Progress::Running { done: 0, of: 7 });
}

#[test]
fn two_kernels_take_turns() {
    let mut first = double("cpu", 256);
    first.mode = Mode::Measure { min_runs: 5, max_runs: 5, max_seconds: 60.0 };
    let mut second = body("for (int i = 0; i < 4; i += 1) output[i] = i;", 4);
    second.mode = first.mode;
    let mut control = RunControl { cancel: &AtomicBool::new(false), progress: &mut |_| () };
    let (a, b) = devices().run_pair(&first, &second, &mut control).unwrap();
    assert_eq!((a.outputs, b.outputs), (vec![doubled(256)], vec![HostData::F32(vec![0.0, 1.0, 2.0, 3.0])]));
    assert_eq!((a.samples_ns.len(), b.samples_ns.len()), (5, 5));
}

#[test]
fn a_large_output_comes_back_whole() {
    let n = 24 << 20;
    let source = "void f(unsigned int* restrict output, int n) { for (int i = 0; i < n; i += 1) output[i] = 3u * i; }\n";
    let params = vec![Param::Output { elem: Scalar::U32, len: n }, Param::Int(n as i64)];
    let report = run(devices(), &request("cpu", source, "f", params)).unwrap();
    let [HostData::U32(output)] = report.outputs.as_slice() else { panic!() };
    assert_eq!((output.len(), output[n / 2], output[n - 1]), (n, 3 * (n as u32 / 2), 3 * (n as u32 - 1)));
}

#[test]
fn text_that_does_not_compile() {
    let error = failing(&body("output[0] = undeclared;", 1));
    assert_eq!((error.cause, error.code()), (Cause::CompileFailed, "E0702"));
    assert!(error.message.contains("undeclared"), "{error}");
    assert!(error.message.contains("f.c:3"), "the place in the generated text: {error}");
    assert!(error.details.contains("undeclared"));
    let missing = failing(&body("output[0] = unknown_function(1);", 1));
    assert_eq!(missing.cause, Cause::CompileFailed, "{missing}");
    let mut other_name = body("", 1);
    other_name.steps[0].entry = "g".into();
    assert_eq!(failing(&other_name).cause, Cause::CompileFailed);
}

#[test]
fn a_kernel_without_end_meets_the_time_limit() {
    let mut request = body("volatile int go = 1; while (go) {}", 1);
    request.time_limit_s = 2.0;
    let devices = unknown_devices().env("SHINE_TEST", "a_kernel_without_end");
    let error = run(&devices, &request).unwrap_err();
    assert_eq!(error.cause, Cause::TimeLimit, "{error}");
    assert!(error.message.contains("2 s") && error.message.contains("run"), "{error}");
    assert_gone("a_kernel_without_end");
}

#[test]
fn a_kernel_without_end_can_be_stopped() {
    let request = body("volatile int go = 1; while (go) {}", 1);
    let cancel = AtomicBool::new(false);
    let mut stopped = None;
    let error = devices().run(
        &request,
        &mut RunControl {
            cancel: &cancel,
            progress: &mut |progress| {
                if let Progress::Running { .. } | Progress::WarmingUp = progress {
                    cancel.store(true, Ordering::Relaxed);
                    stopped.get_or_insert_with(Instant::now);
                }
            },
        },
    );
    assert_eq!(error.unwrap_err().cause, Cause::Cancelled);
    assert!(stopped.is_some());
}

#[test]
fn kernels_that_crash() {
    let crashes = [
        ("*(volatile int *)8 = 1;", "segmentation fault"),
        ("abort();", "aborted"),
        ("exit(3);", "exit status 3"),
        ("volatile int seven = 7, zero = 0; output[0] = seven / zero;", "dividing by zero"),
        ("__builtin_trap();", "instruction"),
    ];
    for (text, words) in crashes {
        // Other architectures do not trap a division by zero, and have other signals.
        if words == "dividing by zero" && !cfg!(target_arch = "x86_64") {
            continue;
        }
        let error = failing(&body(text, 1));
        assert_eq!(error.cause, Cause::Crashed, "{error}");
        if cfg!(target_arch = "x86_64") {
            assert!(error.message.contains(words), "{error}");
        }
    }
}

#[test]
fn a_kernel_that_writes_outside_its_array() {
    for text in ["output[4] = 1;", "output[-1] = 1;", "output[20] = 1;"] {
        let error = failing(&body(text, 4));
        assert_eq!(error.cause, Cause::OutOfBounds, "{error}");
    }
}

#[test]
fn what_a_kernel_prints_is_caught() {
    let source = "#include <stdio.h>\nvoid f(float* restrict output) { output[0] = 1; puts(\"to stdout\"); fflush(stdout);\n\
                  fputs(\"to \\033[2Jstderr\", stderr); }\n";
    let report =
        run(devices(), &request("cpu", source, "f", vec![Param::Output { elem: Scalar::F32, len: 1 }]))
            .unwrap();
    assert_eq!(report.outputs, [HostData::F32(vec![1.0])]);
    assert!(
        report.stderr.contains("to stdout") && report.stderr.contains("to [2Jstderr"),
        "{:?}",
        report.stderr
    );
}

#[test]
fn a_worker_leads_a_group_of_its_own_so_that_ctrl_c_is_not_for_it() {
    let source = "#include <unistd.h>\nvoid f(int* restrict output) { output[0] = getpgrp() == getpid(); }\n";
    let request = request("cpu", source, "f", vec![Param::Output { elem: Scalar::I32, len: 1 }]);
    assert_eq!(run(devices(), &request).unwrap().outputs, [HostData::I32(vec![1])]);
}

#[test]
fn no_memory() {
    let error = failing(&body("", 1 << 39));
    assert_eq!(error.cause, Cause::OutOfMemory, "{error}");
}

#[test]
fn no_compiler() {
    let devices = unknown_devices().env("PATH", "/nonexistent").env("CC", "");
    let error = run(&devices, &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::NoCompiler, "{error}");
    assert!(error.hint.unwrap().contains("CC"));
    let mut control = RunControl { cancel: &AtomicBool::new(false), progress: &mut |_| () };
    let list = devices.list(&mut control).unwrap();
    assert_eq!(list.devices[0].id, "cpu");
    assert!(list.devices[0].problem.as_ref().unwrap().contains("No C compiler"));
}

#[test]
fn a_chosen_compiler_that_does_not_work() {
    let error = run(&unknown_devices().env("CC", "/nonexistent/cc -m64"), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::NoCompiler);
    assert!(error.message.contains("/nonexistent/cc -m64"), "{error}");
}

/// The first compiler on the path that works is used, and it is said where that is not the first one.
#[test]
fn a_usual_compiler_that_does_not_work() {
    // The second names its version, and the third says that it succeeds as well.
    for script in ["exit 1", "[ \"$1\" = --version ] && echo '1.0' || exit 1", "echo '1.0'"] {
        let folder = tempfile::tempdir().unwrap();
        let broken = compiler(folder.path(), script);
        std::fs::rename(broken, folder.path().join("cc")).unwrap();
        let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
        let devices = unknown_devices().env("PATH", path).env("CC", "");
        let report = run(&devices, &double("cpu", 100)).unwrap();
        assert_eq!(report.outputs, vec![doubled(100)]);
        let told = &report.warnings[0];
        assert!(told.contains("is `gcc`") || told.contains("is `clang`"), "{told}");
        assert!(told.contains("`cc`"), "{told}");
    }
}

#[test]
fn a_compiler_that_makes_nothing() {
    let error = run(&unknown_devices().env("CC", "true"), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::NoCompiler, "{error}");
    assert!(error.message.contains("`true`") && error.details.contains("no object file"), "{error}");
    let error = run(&unknown_devices().env("CC", "false"), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.details.trim(), "false: it failed with exit status 1, and said nothing");
}

#[test]
fn a_compiler_without_openmp() {
    let folder = tempfile::tempdir().unwrap();
    let script = "for word in \"$@\"; do case $word in -fopenmp) echo 'error: no OpenMP' >&2; exit 1;; esac; done\nexec cc \"$@\"";
    let cc = compiler(folder.path(), script);
    let report = run(&unknown_devices().env("CC", cc), &double("cpu", 100)).unwrap();
    assert_eq!((report.outputs, report.threads), (vec![doubled(100)], 1));
    assert!(report.warnings[0].contains("OpenMP"), "{:?}", report.warnings);
    assert!(!report.compiler.contains("-fopenmp"));
}

#[test]
fn a_compiler_that_hangs_goes_with_the_worker() {
    let folder = tempfile::tempdir().unwrap();
    let cc = compiler(folder.path(), "case \"$*\" in *loops.c*) sleep 1000;; esac\nexec cc \"$@\"");
    let devices = unknown_devices().env("CC", cc).env("SHINE_TEST", "a_compiler_that_hangs");
    let mut request =
        request("cpu", "void loops(float* o) {}", "loops", vec![Param::Output { elem: Scalar::F32, len: 1 }]);
    request.time_limit_s = 1.0;
    let error = run(&devices, &request).unwrap_err();
    assert_eq!(error.cause, Cause::TimeLimit, "{error}");
    assert!(error.message.contains("compiled"), "{error}");
    assert!(error.hint.is_some_and(|hint| hint.contains("compiler")));
    assert_gone("a_compiler_that_hangs");
}

#[test]
fn a_folder_that_cannot_be_written() {
    // Seen in a process of its own, because the folder for temporary files is chosen by the environment.
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", "device_cpu::helper_storage", "--nocapture"]).env("TMPDIR", "/nonexistent/folder");
    test.env("SHINE_TEST_STORAGE", env!("CARGO_BIN_EXE_shine-tui"));
    assert!(test.status().unwrap().success());
}

/// Not a test by itself: the process of `a_folder_that_cannot_be_written`.
#[test]
fn helper_storage() {
    let Some(program) = std::env::var_os("SHINE_TEST_STORAGE") else { return };
    let error = run(&Devices::with_worker(program), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::Storage, "{error}");
}

#[test]
fn a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let cc = compiler(
        folder.path(),
        "case \"$*\" in *twice.c*) echo 'as: error: No space left on device' >&2; exit 1;; esac\nexec cc \"$@\"",
    );
    let error = run(&unknown_devices().env("CC", cc), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::Storage, "{error}");
    assert!(error.hint.unwrap().contains("TMPDIR"));
}

/// A compiler that was ended has refused nothing, and nobody is asked to report the program.
#[test]
fn a_compiler_that_is_killed() {
    let memory = "for want of memory";
    for (end, says) in [
        ("kill -KILL $$", memory),
        ("echo 'cc: fatal error: Killed signal terminated program cc1' >&2; exit 1", memory),
        ("echo 'collect2: fatal error: ld terminated with signal 9 [Killed]' >&2; exit 1", memory),
        ("echo 'clang: error: unable to execute command: Killed' >&2; exit 254", memory),
        ("echo 'cc1: out of memory allocating 65536 bytes' >&2; exit 1", "no memory"),
        ("kill -TERM $$", "signal 15"),
        ("echo 'cc: fatal error: Terminated signal terminated program cc1' >&2; exit 1", "Terminated signal"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("case \"$*\" in *twice.c*) {end};; esac\nexec cc \"$@\"");
        let cc = compiler(folder.path(), &script);
        let error = run(&unknown_devices().env("CC", cc), &double("cpu", 4)).unwrap_err();
        assert_eq!(error.cause, Cause::CompilerEnded, "{end}: {error}");
        assert!(error.message.contains(says) && !error.message.contains("refused"), "{end}: {error}");
        assert!(error.hint.is_some_and(|hint| !hint.contains("report")));
    }
    // So it is where it is only tried.
    let folder = tempfile::tempdir().unwrap();
    let cc = compiler(folder.path(), "kill -KILL $$");
    let error = run(&unknown_devices().env("CC", cc), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::CompilerEnded, "{error}");
}

#[test]
fn a_compiler_for_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let script = "cc \"$@\" || exit 1\ncase \"$*\" in *twice.so*) echo 'not for here' > twice.so;; esac";
    let cc = compiler(folder.path(), script);
    let error = run(&unknown_devices().env("CC", cc), &double("cpu", 4)).unwrap_err();
    assert_eq!(error.cause, Cause::Storage, "{error}");
    assert!(error.message.contains("twice.so"), "{error}");
}

#[test]
fn workers_that_are_not_there_or_are_something_else() {
    let missing = run(&Devices::with_worker("/nonexistent/shine-tui"), &double("cpu", 4)).unwrap_err();
    assert_eq!(missing.cause, Cause::WorkerMissing, "{missing}");
    let other = run(&Devices::with_worker("/bin/echo"), &double("cpu", 4)).unwrap_err();
    assert!(matches!(other.cause, Cause::Crashed | Cause::Protocol), "{other}");
}

#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_shine-tui");
    // The parent is a process of its own here, because its temporary folder is chosen by its environment.
    let run_once = |fatal: bool| {
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "device_cpu::helper_parent", "--nocapture"])
            .env("TMPDIR", folder.path())
            .env("SHINE_TEST_PARENT", program);
        test.env("SHINE_TEST_FATAL", if fatal { "1" } else { "0" });
        test
    };
    assert!(run_once(false).output().unwrap().status.success());
    let left = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left(), 0);

    // A parent that is killed takes its worker along, and the worker its folder.
    let mut parent = run_once(true).env("SHINE_TEST", "nothing_is_left_behind").spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let wait = |what: &dyn Fn() -> bool| {
        while !what() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let marker = folder.path().join("running");
    wait(&|| marker.exists());
    assert!(marker.exists(), "the kernel never ran");
    std::fs::remove_file(&marker).unwrap();
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_gone("nothing_is_left_behind");
    wait(&|| left() == 0);
    assert_eq!(left(), 0);
}

/// Not a test by itself: the parent of `nothing_is_left_behind`.
#[test]
fn helper_parent() {
    let Some(program) = std::env::var_os("SHINE_TEST_PARENT") else { return };
    let devices = Devices::with_worker(program);
    if std::env::var("SHINE_TEST_FATAL").unwrap() == "0" {
        let report: RunReport = run(&devices, &double("cpu", 10)).unwrap();
        assert_eq!(report.outputs, [doubled(10)]);
        let mut endless = body("volatile int go = 1; while (go) {}", 1);
        endless.time_limit_s = 1.0;
        assert_eq!(run(&devices, &endless).unwrap_err().cause, Cause::TimeLimit);
        assert_eq!(run(&devices, &body("abort();", 1)).unwrap_err().cause, Cause::Crashed);
        return;
    }
    let marker = std::env::temp_dir().join("running");
    let text = format!(
        "#include <stdio.h>\nvoid f(float* restrict output) {{ fclose(fopen(\"{}\", \"w\")); volatile int go = 1; while (go) {{}} }}",
        marker.display()
    );
    let _ = run(&devices, &request("cpu", &text, "f", vec![Param::Output { elem: Scalar::F32, len: 1 }]));
}

#[test]
fn the_peak_of_the_processor() {
    let cancel = AtomicBool::new(false);
    let mut control = RunControl { cancel: &cancel, progress: &mut |_| () };
    let devices = devices();
    let list = devices.list(&mut control).unwrap();
    let peak = shine_tui::device::roofline::measure(devices, &list.devices[0], &mut control).unwrap();
    assert!(peak.gflops.is_finite() && peak.gflops > 0.0, "{peak:?}");
    assert!(peak.gbytes.is_finite() && peak.gbytes > 0.0, "{peak:?}");
}

/// Whatever ends the program ends the command that was to lead to a worker too.
#[test]
fn a_command_that_leads_to_no_worker_goes_with_the_program() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sq.rise"), "def sq (x: n.f32): n.f32 = map sqrt x").unwrap();
    let ended = &|signal: &str| {
        let (begun, word) = (folder.path().join(signal), format!("a_command_that_leads_nowhere_{signal}"));
        let worker = format!("echo begun > {}; sleep 1000; :", begun.display());
        let mut bench = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
        bench.args(["bench", "sq.rise", "--size", "n=8", "--worker", &worker]).current_dir(folder.path());
        bench.env("SHINE_TEST", &word).env("SHINE_STATE_DIR", folder.path());
        bench.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut bench = bench.spawn().unwrap();
        while std::fs::read(&begun).unwrap_or_default().is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let kill = format!("kill -{signal} {}", bench.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        bench.wait().unwrap();
        assert_gone(&word);
    };
    std::thread::scope(|s| {
        for signal in ["TERM", "HUP", "INT", "KILL"] {
            s.spawn(move || ended(signal));
        }
    });
}

/// A worker may be started by a command, where the folders of this machine are not; what such a command does wrong is told.
#[test]
fn workers_may_be_elsewhere() {
    let program = env!("CARGO_BIN_EXE_shine-tui");
    let far = Devices::elsewhere(&format!("cd / && echo noise >&2 && exec '{program}' worker"));
    assert_eq!(run(&far, &double("cpu", 5)).unwrap().outputs, [doubled(5)]);
    for (command, says) in [("exit 3", "exit status 3"), ("no-such-command worker", "exit status 127")] {
        let error = run(&Devices::elsewhere(command), &double("cpu", 5)).unwrap_err();
        assert!(error.message.contains(says), "{command}: {error}");
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("`--worker`")), "{command}");
        // It is the environment that is wrong, not the kernel, and the command is named.
        assert_eq!(error.cause, Cause::WorkerMissing, "{command}: {error}");
        assert!(error.message.contains(&format!("`{command}`")), "{command}: {error}");
    }
    // What it printed in the place of an answer is shown, however short.
    let error = run(&Devices::elsewhere("echo hello"), &double("cpu", 5)).unwrap_err();
    assert_eq!((error.cause, error.details.trim()), (Cause::WorkerMissing, "hello"), "{error}");
    let (silent, stopped) = (Devices::elsewhere("exec sleep 1000"), AtomicBool::new(true));
    let mut control = RunControl { cancel: &stopped, progress: &mut |_| {} };
    let error = silent.run(&double("cpu", 5), &mut control).unwrap_err();
    assert_eq!(error.cause, Cause::Cancelled, "{error}");
    assert!(
        error.message.contains("the worker that `exec sleep 1000` is to start has not answered"),
        "{error}"
    );
    let nonsense = run(&Devices::elsewhere("head -c 100 /dev/zero"), &double("cpu", 5)).unwrap_err();
    assert_eq!(nonsense.cause, Cause::Protocol);
}
