//! Programs of several kernels: in the worker against the interpreter and plain C, and as libraries in C.

use crate::device_common::{devices, opencl};
use shine_tui::device::{Cause, DeviceInfo, DeviceKind, FloatMode, Mode, fake, select};
use shine_tui::emit::ParamKind;
use shine_tui::emit::module::{Argument, Module, Role, Section};
use shine_tui::emit::{Compiled, Language, host};
use shine_tui::lang::diag::Diagnostic;
use shine_tui::lang::eval::inputs::Kind;
use shine_tui::lang::nat::Nat;
use shine_tui::lang::path;
use shine_tui::lower::sequential;
use shine_tui::session::action::{Sizes, Target};
use shine_tui::session::auto;
use shine_tui::session::bench::{Asked, Inputs, Ran, request, run};
use shine_tui::session::files::{Text, Texts};
use shine_tui::session::jobs::Control;
use shine_tui::session::searching::Replayed;
use shine_tui::session::workspace::Workspace;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// A program, sizes, its sections in order, and who uses its temporary buffers.
struct Case {
    text: &'static str,
    sizes: &'static [(&'static str, i64)],
    sections: &'static [&'static str],
    buffers: &'static [&'static str],
}

const ADD3: &str = "def add3 (xs: (4*n).i32): (4*n).i32 =
  let x1 = oclRun 2 1 1 (2*n) 1 1 (mapGlobal (\\x. 3 + x) xs)
  let x2 = mapSeq (\\y. y - 1) x1
  oclRun 4 1 1 (4*n) 1 1 (mapGlobal (\\x. 1 + x) x2)
";

/// The second kernel needs no size.
const FOLDED: &str = "def f (a: n.64.f32): 64.f32 =
  let sums = oclRun 64 1 1 64 1 1 (mapGlobal (reduceSeq (+) 0) (transpose a))
  oclRun 64 1 1 64 1 1 (mapGlobal (\\x. x * 2) sums)
";

const CASES: &[Case] = &[
    Case { text: FOLDED, sizes: &[("n", 3)], sections: &["k0", "k1"], buffers: &["DEVICE_READ | DEVICE_WRITE"] },
    // No call of a kernel: the whole program is one.
    Case { text: "def f (a: n.f32): n.f32 = map (\\x. x * 2) a", sizes: &[("n", 9)], sections: &["f"], buffers: &[] },
    // The thesis's example: two kernels with a step of the host between them.
    Case {
        text: ADD3,
        sizes: &[("n", 5)],
        sections: &["k0", "h0", "k1"],
        buffers: &["HOST_READ | DEVICE_WRITE", "HOST_WRITE | DEVICE_READ"],
    },
    // What threads of the host are given is computed before they run.
    Case {
        text: "def f (a: n.f32): n.f32 = oclRun 2 1 1 4 1 1 (a |> mapGlobal (\\v. v + 1)) |> toMem |> mapPar (\\v. v * 2)",
        sizes: &[("n", 9)],
        sections: &["k0", "h0"],
        buffers: &["HOST_READ | DEVICE_WRITE"],
    },
    // Fixed sizes, and views around the kernel, for which the host has nothing to do.
    Case {
        text: "def f (a: 64.i32): 8.8.i32 = transpose (split 8 (oclRun 8 1 1 64 1 1 (mapGlobal (\\x. x * 3) a)))",
        sizes: &[],
        sections: &["f"],
        buffers: &[],
    },
    // After the kernel, with parameters that are called as what the library defines.
    Case {
        text: "def f (h0: n.f32) (f_run: n.f32): f32 =
  reduceSeq (+) 0 (oclRun 1 1 1 n 1 1 (mapGlobal (\\p. fst p * snd p) (zip h0 f_run)))",
        sizes: &[("n", 100)],
        sections: &["k0", "h0"],
        buffers: &["HOST_READ | DEVICE_WRITE"],
    },
    // As many groups as whole chunks, of which nothing but the kernel's running says that there is one.
    Case {
        text: "def f (a: n.f32): n.f32 = oclRun 4 1 1 (4*(n div 4)) 1 1 (join (split 4 a |> mapWorkGroup (mapLocal (\\x. x + 1))))",
        sizes: &[("n", 8)],
        sections: &["f"],
        buffers: &[],
    },
    // Before the kernel.
    Case {
        text: "def f (a: n.f32): n.f32 =
  let sums = scanSeq (\\x acc. acc + x) 0 a
  oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x * 0.5) sums)",
        sizes: &[("n", 33)],
        sections: &["h0", "k0"],
        buffers: &["HOST_WRITE | DEVICE_READ"],
    },
    // Two kernels.
    Case {
        text: "def f (a: n.m.f32): m.n.f32 =
  let squares = oclRun 1 1 1 n 1 1 (mapGlobal (mapSeq (\\x. x * x)) a)
  oclRun 1 1 1 m n 1 (mapGlobal 0 (mapGlobal 1 (\\x. x + 1)) (transpose squares))",
        sizes: &[("n", 7), ("m", 5)],
        sections: &["k0", "k1"],
        buffers: &["DEVICE_READ | DEVICE_WRITE"],
    },
    // A scalar and pairs from one kernel to the next.
    Case {
        text: "def f (a: n.(f32 * i32)): n.(f32 * i32) =
  let most = oclRun 1 1 1 1 1 1 (reduceSeq (\\acc p. max acc (fst p)) 1 a)
  let scaled = oclRun 1 1 1 n 1 1 (mapGlobal (\\p. (fst p / most, snd p + 1)) a)
  oclRun 1 1 1 n 1 1 (mapGlobal (\\p. (fst p * most, snd p * 2)) scaled)",
        sizes: &[("n", 13)],
        sections: &["k0", "k1", "k2"],
        buffers: &["DEVICE_READ | DEVICE_WRITE"; 3],
    },
    // Memory that a kernel's work-items have in global memory.
    Case {
        text: "def f (a: n.m.f32): n.m.f32 =
  let sorted = oclRun 1 1 1 n 1 1 (mapGlobal (\\r. let (toMem global (mapSeq (\\x. x * x) r)) (\\s. zip r s |> mapSeq (\\p. fst p + snd p))) a)
  mapSeq (mapSeq (\\x. x + 1)) sorted",
        sizes: &[("n", 6), ("m", 9)],
        sections: &["k0", "h0"],
        buffers: &["HOST_READ | DEVICE_WRITE", "DEVICE_READ | DEVICE_WRITE"],
    },
    // Memory that the work-items of a group share.
    Case {
        text: "def f (a: (n*8).f32): (n*8).f32 =
  let sums = oclRun 4 1 1 (4*n) 1 1 (a |> split 8 |> mapWorkGroup (\\c.
    let (toMem local (mapLocal (\\x. x * x) c)) (\\s. zip s (reverse s) |> mapLocal (\\p. fst p + snd p))) |> join)
  mapSeq (\\x. x + 1) sums",
        sizes: &[("n", 3)],
        sections: &["k0", "h0"],
        buffers: &["HOST_READ | DEVICE_WRITE"],
    },
    // A kernel for each row, in a loop of the host, with a step of the host in it.
    Case {
        text: "def f (a: n.m.i32): n.m.i32 =
  a |> mapSeq (\\row.
    let sums = scanSeq (\\x acc. acc + x) 0 row
    oclRun 1 1 1 m 1 1 (mapGlobal (\\x. x * 2) sums))",
        sizes: &[("n", 4), ("m", 6)],
        sections: &["h0", "k0"],
        buffers: &["HOST_WRITE | DEVICE_READ"],
    },
    // A loop of the host whose iterations build on each other.
    Case {
        text: "def f (a: n.m.i32): m.i32 =
  a |> reduceSeq (\\acc row. oclRun 1 1 1 m 1 1 (mapGlobal (\\p. fst p + snd p * 2) (zip acc row))) (generate (\\i. 0)) |> mapSeq (\\x. x)",
        sizes: &[("n", 4), ("m", 6)],
        sections: &["h0", "k0", "k1"],
        buffers: &["HOST_WRITE | DEVICE_READ | DEVICE_WRITE"],
    },
    // The first step and the last one launch one kernel on other memory; that between them updates an array.
    Case {
        text: "def f (a: n.i32): n.i32 = iterate 3 (\\x. oclRun 1 1 1 n 1 1 (mapGlobal (\\y. y * 3 + 1) x)) a",
        sizes: &[("n", 11)],
        sections: &["k0", "k1", "k0"],
        buffers: &["DEVICE_READ | DEVICE_WRITE"],
    },
    // Kernels that differ in a function, and in how many work-items they have, are others.
    Case {
        text: "def f (a: n.f32): n.f32 =
  let b = oclRun 1 1 1 n 1 1 (mapGlobal abs a)
  let c = oclRun 1 1 1 n 1 1 (mapGlobal sqrt b)
  let d = oclRun 2 1 1 2 1 1 (mapGlobal sqrt c)
  oclRun 1 1 1 n 1 1 (mapGlobal sqrt d)",
        sizes: &[("n", 11)],
        sections: &["k0", "k1", "k2", "k1"],
        buffers: &["DEVICE_READ | DEVICE_WRITE"; 3],
    },
];

fn workspace(text: &str) -> Workspace {
    let program = Text { label: "program.rise".into(), text: text.into() };
    let texts =
        Texts { program, files: vec![], default_sizes: Default::default(), origin: Default::default() };
    Workspace::load(&texts, None).unwrap_or_else(|problems| panic!("{}\n{text}", problems.first()))
}

pub fn sizes(pairs: &[(&str, i64)]) -> Sizes {
    pairs.iter().map(|(x, n)| ((*x).into(), *n)).collect()
}

pub fn compiled(text: &str, target: Target) -> Compiled {
    let workspace = workspace(text);
    let done = workspace.compile(&workspace.program.term, target, &Sizes::new());
    done.unwrap_or_else(|d| panic!("{d} {:?}\n{text}", d.notes))
}

/// Runs a program on the device, checked.
pub fn ran(text: &str, sizes: &Sizes, device: &str, mode: Mode) -> Ran {
    let workspace = workspace(text);
    let term = &workspace.program.term;
    let asked = Asked::new(&workspace, term, sizes, device, mode);
    let done = run(&asked, true, devices(), &AtomicBool::new(false), &|_| ());
    done.unwrap_or_else(|d| panic!("{d} {:?}\n{text}", d.notes))
}

/// The text of what a strategy makes of a program for these sizes, of which the result on the device agrees with plain C.
pub fn ran_by(strategy: &str, text: &str, sizes: &str, device: &str) -> String {
    let workspace = workspace(text);
    let pairs = sizes.split(' ').map(|size| size.split_once('=').unwrap());
    let sizes: Sizes = pairs.map(|(x, n)| (x.into(), n.parse().unwrap())).collect();
    let target = if device == "cpu" { Target::C } else { Target::OpenCl };
    let strategy = auto::for_target(strategy, target, &workspace);
    let read = workspace.parse_strategy(strategy).unwrap().knowing(&sizes);
    let (start, at) = (&workspace.program.term, path::Path::root());
    let end = workspace.run_strategy(start, &read, &at, &Replayed::none(), &Control::silent());
    let term = &end.result.unwrap_or_else(|d| panic!("{d}\n{text}")).term;
    let asked = Asked::new(&workspace, term, &sizes, device, Mode::Once);
    let done = run(&asked, true, devices(), &AtomicBool::new(false), &|_| ());
    let check = done.unwrap_or_else(|d| panic!("{d} {:?}\n{text}", d.notes)).check.unwrap_or_default();
    assert!(check.contains("plain C"), "{text}: {check}");
    let compiled = workspace.compile(term, target, &sizes).unwrap();
    compiled.stage(if target == Target::C { "c" } else { "opencl" }).unwrap().to_owned()
}

fn names(module: &Module) -> Vec<&str> {
    module.sections.iter().map(|s| s.kernel.name.as_str()).collect()
}

#[test]
fn programs_are_cut_into_kernels_and_steps_of_the_host() {
    for case in CASES {
        let module = compiled(case.text, Target::OpenCl).module;
        assert_eq!(names(&module), case.sections, "{}\n{}", case.text, module.text());
        let temporary = module.buffers.iter().filter(|b| b.role == Role::Temp);
        let access: Vec<String> = temporary.map(|b| b.access()).collect();
        assert_eq!(access, case.buffers, "{}\n{}", case.text, module.text());
    }
}

#[test]
fn kernels_take_the_sizes_that_they_name() {
    let module = compiled(FOLDED, Target::OpenCl).module;
    let counts = |s: &Section| {
        let sizes = s.kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Size(_))).count();
        let numbers = s.args.iter().filter(|a| matches!(a, Argument::Number(_))).count();
        (sizes, numbers, s.kernel.prototype.contains("int n"))
    };
    assert_eq!(module.sections.iter().map(counts).collect::<Vec<_>>(), [(1, 1, true), (0, 0, false)]);
    // A program that is one kernel is called with all sizes of its type.
    let alone = compiled("def f (a: n.f32): 4.f32 = mapGlobal (\\x. x) (take 4 a)", Target::OpenCl).module;
    assert_eq!(alone.sections.iter().map(counts).collect::<Vec<_>>(), [(1, 1, true)]);
}

#[test]
fn modules_agree_with_the_interpreter_and_plain_c() {
    let Some(device) = opencl() else { return };
    for case in CASES {
        let ran = ran(case.text, &sizes(case.sizes), &device, Mode::Once);
        assert!(ran.check.is_some(), "{}", case.text);
        // Copies are told of where the host has a part in it.
        let on_host = case.sections.iter().any(|s| s.starts_with('h'));
        let mut parts: Vec<&str> = vec![];
        for section in case.sections {
            // What is launched several times has one time.
            parts.extend((!parts.contains(section)).then_some(*section));
        }
        parts.extend(on_host.then_some("copies"));
        let told: Vec<&str> = ran.parts.iter().map(|p| &*p.name).collect();
        assert_eq!(told, if parts.len() > 1 { parts } else { vec![] }, "{}", case.text);
        let total: u64 = ran.parts.iter().map(|p| p.samples_ns[0]).sum();
        assert!(ran.parts.is_empty() || total == ran.samples_ns[0], "{}", case.text);
    }
}

/// Files in a folder: those of `compile -o` for OpenCL.
fn export(folder: &Path, done: &Compiled) {
    let name = &done.module.name;
    let write = |file: String, text: &str| std::fs::write(folder.join(file), text).unwrap();
    for (stage, ending) in [("header", ".h"), ("library", ".c"), ("host", "_host.c")] {
        write(format!("{name}{ending}"), done.stage(stage).unwrap());
    }
    host::RUNTIME.iter().for_each(|(file, text)| write((*file).to_string(), text));
}

/// What a program says that is made of these files.
fn said(folder: &Path, files: &[&str], libraries: &[&str], args: &[String]) -> String {
    build(folder, files, libraries, "program");
    printed(folder, "program", args)
}

fn build(folder: &Path, files: &[&str], libraries: &[&str], program: &str) {
    let built = Command::new("cc")
        .args(["-O2", "-fopenmp", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
        .args(["-Wno-deprecated-declarations", "-idirafter"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/lower/include"))
        .args(files)
        .args(["-o", program])
        .args(libraries)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn printed(folder: &Path, program: &str, args: &[String]) -> String {
    let ran = Command::new(folder.join(program)).args(args).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// The same numbers go into the library and into plain C; the same checksums come out.
#[test]
fn libraries_agree_with_plain_c() {
    if opencl().is_none() {
        return;
    }
    for case in CASES {
        library_agrees(case.text, &[case.sizes]);
    }
}

/// The library and plain C are compiled once, for all sizes.
fn library_agrees(text: &str, at: &[&[(&str, i64)]]) {
    let dir = tempfile::tempdir().unwrap();
    let done = compiled(text, Target::OpenCl);
    export(dir.path(), &done);
    let name = &done.module.name;
    let files = [&*format!("{name}_host.c"), &*format!("{name}.c"), "shine_opencl.c"];
    build(dir.path(), &files, &["-l:libOpenCL.so.1", "-lm"], "library");

    let workspace = workspace(text);
    let plain = sequential(&workspace.program.term, &|_| false);
    let plain = workspace.compile(&plain, Target::C, &Sizes::new()).unwrap();
    std::fs::write(dir.path().join("plain.c"), plain.stage("c").unwrap()).unwrap();
    std::fs::write(dir.path().join("plain_host.c"), plain.stage("host").unwrap()).unwrap();
    build(dir.path(), &["plain.c", "plain_host.c"], &["-lm"], "plain");
    for sizes in at {
        let args: Vec<String> = sizes.iter().map(|(_, n)| n.to_string()).collect();
        let [found, expected] = ["library", "plain"].map(|program| printed(dir.path(), program, &args));
        assert!(found.starts_with("output"), "{found}");
        assert_eq!(found, expected, "{text} {sizes:?}\n{}", done.stage("library").unwrap());
    }
}

/// What has no quotient ends no host: steps of it fail, and kernels go on with 0, which is said.
#[test]
fn divisions_without_a_result_are_told_by_the_host() {
    let of = |text: &str| {
        let done = compiled(text, Target::OpenCl);
        ["library", "header"].map(|stage| done.stage(stage).unwrap().to_owned())
    };
    let [library, header] = of("def f (a: n.i32): n.i32 =
  let x = oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x + 1) a)
  mapSeq (\\x. 7 / x) x");
    let fails = "!= 0) {\n      shine_fail(context, \"an integer is divided by zero, or the least one by -1\");\n    }";
    assert!(library.contains(fails) && library.contains("static int h0("), "{library}");
    assert!(header.contains("// Steps of the host fail where an integer"), "{header}");
    let [library, header] = of("def f (a: n.u8): n.u8 = oclRun 1 1 1 n 1 1 (mapGlobal (\\x. 7 % x) a)");
    assert!(
        library.contains("return b == 0 ? 0 : a % b;") && !library.contains("shine_fail(context, \"an"),
        "{library}"
    );
    assert!(header.contains("// In kernels the quotient is taken as 0 where an integer"), "{header}");
}

/// The interface of the thesis: buffers that stay where they are between runs, with and without copies.
#[test]
fn a_library_runs_on_buffers_with_and_without_copies() {
    if opencl().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    export(dir.path(), &compiled(ADD3, Target::OpenCl));
    let main = r#"#include "add3.h"
#include <stdio.h>
int main(void) {
  for (int buffers = SHINE_COPY; buffers <= SHINE_SHARE; buffers++) {
    shine_context* context = shine_open(NULL, buffers);
    add3_t add3 = {0};
    add3_init(context, &add3);
    const size_t bytes = 8 * sizeof(int);
    const int both = SHINE_HOST_READ | SHINE_HOST_WRITE | SHINE_DEVICE_READ | SHINE_DEVICE_WRITE;
    shine_buffer* in = shine_buffer_new(context, bytes, both);
    shine_buffer* out = shine_buffer_new(context, bytes, both);
    int* xs = shine_host(context, in, SHINE_HOST_WRITE);
    for (int i = 0; i < 8; i++) xs[i] = i;
    // What comes out of the first run goes into the second, without the host.
    bool ok = add3_run(context, &add3, out, 2, in) && add3_run(context, &add3, in, 2, out);
    const int* ys = shine_host(context, in, SHINE_HOST_READ);
    for (int i = 0; ok && i < 8; i++) printf("%d ", ys[i]);
    ok = add3_run(context, &add3, out, 3, in);
    printf("%d %s\n", ok, shine_error(context));
    shine_buffer_free(context, in);
    shine_buffer_free(context, out);
    add3_destroy(&add3);
    shine_close(context);
  }
  return 0;
}
"#;
    std::fs::write(dir.path().join("main.c"), main).unwrap();
    let files = ["main.c", "add3.c", "shine_opencl.c"];
    let line = "6 7 8 9 10 11 12 13 0 output has 32 bytes and needs 48\n";
    assert_eq!(said(dir.path(), &files, &["-l:libOpenCL.so.1"], &[]), format!("{line}{line}"));
}

/// A library opens the device that `--device` means: here are three of them, two of which are equal, in two platforms.
#[test]
fn a_library_knows_devices_by_the_names_that_the_tool_takes() {
    let main = r#"#include "shine_opencl.h"
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* platforms[] = {"Portable Computing Language", " NVIDIA CUDA "};
static const char* names[] = {"pthread-skylake CPU", "NVIDIA H200", "NVIDIA H200"};
static const char* versions[] = {"OpenCL 3.0 PoCL HSTR: pthread", "OpenCL 3.0 CUDA", "OpenCL 3.0 CUDA"};
static long opened = -1;
cl_int clGetPlatformIDs(cl_uint n, cl_platform_id* p, cl_uint* count) {
  for (long i = 0; i < 2; i++) p[i] = (cl_platform_id)(i + 1);
  *count = 2;
  return CL_SUCCESS;
}
cl_int clGetDeviceIDs(cl_platform_id p, cl_bitfield of, cl_uint n, cl_device_id* d, cl_uint* count) {
  *count = (cl_uint)(long)p;
  for (long i = 0; i < *count; i++) d[i] = (cl_device_id)((long)p + i);
  return CL_SUCCESS;
}
static cl_int say(const char* text, size_t room, void* to) {
  if (strlen(text) >= room) return -30;
  strcpy(to, text);
  return CL_SUCCESS;
}
cl_int clGetPlatformInfo(cl_platform_id p, cl_uint what, size_t room, void* to, size_t* size) {
  return say(platforms[(long)p - 1], room, to);
}
cl_int clGetDeviceInfo(cl_device_id d, cl_uint what, size_t room, void* to, size_t* size) {
  return say((what == CL_DEVICE_NAME ? names : versions)[(long)d - 1], room, to);
}
cl_context clCreateContext(const intptr_t* p, cl_uint n, const cl_device_id* d,
    void (*f)(const char*, const void*, size_t, void*), void* x, cl_int* status) {
  opened = (long)*d - 1;
  *status = CL_SUCCESS;
  return NULL;
}
cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_bitfield b, cl_int* status) {
  *status = CL_SUCCESS;
  return NULL;
}
cl_int clReleaseCommandQueue(cl_command_queue q) { return CL_SUCCESS; }
cl_int clReleaseContext(cl_context c) { return CL_SUCCESS; }
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    opened = -1;
    shine_context* context = shine_open(argv[i], SHINE_COPY);
    printf("%ld %s\n", opened, shine_error(context) == NULL ? "" : shine_error(context));
    shine_close(context);
  }
  return 0;
}
"#;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("main.c"), main).unwrap();
    host::RUNTIME.iter().for_each(|(file, text)| std::fs::write(dir.path().join(file), text).unwrap());
    let device = |id: &str, platform: &str, name: &str, version: &str| DeviceInfo {
        id: id.into(),
        version: version.into(),
        ..fake::device(DeviceKind::Gpu, platform, name)
    };
    let (portable, skylake) = ("Portable Computing Language", "pthread-skylake CPU");
    let h200 = |id| device(id, "NVIDIA CUDA", "NVIDIA H200", "OpenCL 3.0 CUDA");
    let devices = [
        device(&format!("{portable} / {skylake}"), portable, skylake, "OpenCL 3.0 PoCL HSTR: pthread"),
        h200("NVIDIA CUDA / NVIDIA H200"),
        h200("NVIDIA CUDA / NVIDIA H200 #2"),
    ];
    let words = [
        "PORTABLE",
        "skylake",
        "pocl",
        "h200",
        "H200 #2",
        "nvidia cuda / nvidia h200",
        "NVIDIA CUDA / NVIDIA H200 #2",
        "Language / pthread",
        " cuda ",
        "3.0",
        "u",
        "",
        "mali",
        "#",
        "hstr",
        "cpu",
    ];
    let args = words.map(str::to_string);
    // What is not called is not there.
    let libraries = ["-Wl,--unresolved-symbols=ignore-all", "-no-pie", "-fno-pie"];
    let said = said(dir.path(), &["main.c", "shine_opencl.c"], &libraries, &args);
    for (word, line) in words.iter().zip(said.lines()) {
        let expected = match select(&devices, word) {
            Ok(device) => format!("{} ", devices.iter().position(|d| d.id == device.id).unwrap()),
            Err(e) if e.cause == Cause::AmbiguousDevice => {
                "-1 the text is part of the names of several OpenCL devices".into()
            }
            Err(_) => "-1 there is no such OpenCL device".into(),
        };
        assert_eq!(line, expected, "{word}");
    }
    assert_eq!(said.lines().count(), words.len());
}

/// What is used first and last at different times lies in the same memory.
#[test]
fn buffers_share_memory_where_their_lives_do_not_overlap() {
    let chain = "def f (a: n.i32): n.i32 =
  let b = oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x + 1) a)
  let c = oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x * 2) b)
  let d = oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x + 3) c)
  oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x * 4) d)";
    let module = compiled(chain, Target::OpenCl).module;
    let temps = module.buffers.iter().enumerate().filter(|(_, b)| b.role == Role::Temp);
    let memory: Vec<usize> = temps.map(|(i, _)| module.plan.memory[i]).collect();
    let [b, c, d] = memory.as_slice() else { panic!("{memory:?}") };
    assert!(b == d && b != c, "{memory:?}");
    // What is needed in the end keeps its memory.
    let kept = chain.replace("(\\x. x * 4) d", "(\\p. fst p * snd p) (zip b d)");
    let module = compiled(&kept, Target::OpenCl).module;
    let own = module.plan.memory.iter().enumerate().all(|(i, m)| i == *m);
    assert!(own, "{:?}", module.plan.memory);
    if let Some(device) = opencl() {
        ran(chain, &sizes(&[("n", 10)]), &device, Mode::Once);
        ran(&kept, &sizes(&[("n", 10)]), &device, Mode::Once);
    }
}

#[test]
fn every_kernel_has_its_time() {
    let Some(device) = opencl() else { return };
    let measured = ran(
        ADD3,
        &sizes(&[("n", 100)]),
        &device,
        Mode::Measure { min_runs: 3, max_runs: 3, max_seconds: 1.0 },
    );
    assert_eq!(measured.samples_ns.len(), 3);
    for part in &measured.parts {
        assert_eq!(part.samples_ns.len(), 3, "{part:?}");
    }
    let module = compiled(ADD3, Target::OpenCl).module;
    assert_eq!(module.kernels(Language::OpenCl).count(), 2);
    assert!(module.text().contains("void k1(") && module.text().contains("void h0"), "{}", module.text());
}

/// What the groupings of Harris are made of (thesis 3.3.4), with the names of the operators of upstream.
const HARRIS: &str =
    "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
def slide2d (image: (n + 2).(m + 2).s): n.m.3.3.s = image |> map (slide 3 1) |> slide 3 1 |> map transpose
def gradients (nb: 3.3.f32): (f32 * f32) =
  (dot [-1, 0, 1, -2, 0, 2, -1, 0, 1] (join nb), dot [-1, -2, -1, 0, 0, 0, 1, 2, 1] (join nb))
def products (p: (f32 * f32)): (f32 * (f32 * f32)) = (fst p * fst p, (fst p * snd p, snd p * snd p))
def weigh (nb: 9.f32): f32 = dot [1, 2, 1, 2, 4, 2, 1, 2, 1] nb
def sums (nb: 3.3.(f32 * (f32 * f32))): (f32 * (f32 * f32)) =
  let all = join nb
  (weigh (map fst all), (weigh (map (\\p. fst (snd p)) all), weigh (map (\\p. snd (snd p)) all)))
def coarsity (p: (f32 * (f32 * f32))): f32 =
  let (xx, (xy, yy)) = p in xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy)
";

/// The four groupings, each group a kernel of four work-items over rows, with a sequential loop over columns.
const GROUPINGS: [(usize, &str); 4] = [
    (
        5,
        "let ix = oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq (\\nb. fst (gradients nb))) (slide2d image))
  let iy = oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq (\\nb. snd (gradients nb))) (slide2d image))
  let ps = oclRun 1 1 1 4 1 1 (mapGlobal (\\r. mapSeq products (zip (fst r) (snd r))) (zip ix iy))
  let ss = oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq sums) (slide2d ps))
  oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq coarsity) ss)",
    ),
    (
        2,
        "let ps = oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq (\\nb. products (gradients nb))) (slide2d image))
  oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq (\\nb. coarsity (sums nb))) (slide2d ps))",
    ),
    (
        2,
        "let gs = oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq gradients) (slide2d image))
  oclRun 1 1 1 4 1 1 (mapGlobal (mapSeq (\\nb. coarsity (sums (map (map products) nb)))) (slide2d gs))",
    ),
    (
        1,
        "oclRun 1 1 1 4 1 1 (image |> map (slide 5 1) |> slide 5 1 |> map transpose |>
    mapGlobal (mapSeq (\\nb. coarsity (sums (map (map (\\g. products (gradients g))) (slide2d nb))))))",
    ),
];

#[test]
fn harris_is_grouped_into_kernels_in_each_way_of_the_thesis() {
    for (kernels, body) in GROUPINGS {
        let text = format!("{HARRIS}def harris (image: (n + 4).(m + 4).f32): n.m.f32 =\n  {body}\n");
        let module = compiled(&text, Target::OpenCl).module;
        assert_eq!(module.sections.len(), kernels, "{}", module.text());
        assert_eq!(module.kernels(Language::OpenCl).count(), kernels, "{}", module.text());
        if let Some(device) = opencl() {
            ran(&text, &sizes(&[("n", 9), ("m", 7)]), &device, Mode::Once);
        }
    }
}

/// The groupings of the thesis as strategies, each with every variant of its kernels: fifty kernels, which agree with plain C at a
/// size that neither vectors nor tiles divide.
#[test]
fn strategies_group_harris_into_fifty_kernels() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/harrisGrouped"));
    let groupings =
        [("separateOperators", 5), ("productsStored", 2), ("changesStored", 2), ("nothingStored", 1)];
    let variants = ["base", "lineVec", "rotvVec", "tiled", "tiledVec"];
    let strategies = || {
        let each = |variant| groupings.map(|(grouping, count)| (format!("{grouping}({variant})"), count));
        variants.into_iter().flat_map(each)
    };
    assert_eq!(strategies().map(|(_, count)| count).sum::<usize>(), 50);
    if let Some(device) = opencl() {
        // One session for all of them: a driver is started once.
        let steps: String =
            strategies().map(|(strategy, _)| format!("{strategy}\nbench\nkernel\nundo\n")).collect();
        let state = tempfile::tempdir().unwrap();
        let lines = format!("sizes n=13 m=37\ndevice {device}\n{steps}");
        let ran = crate::line::line_of(state.path(), &folder.join("harrisGrouped.rise"), &lines);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        let parts: Vec<&str> = ran.out.split("\nRevision ").skip(1).collect();
        assert_eq!(parts.len(), 20);
        for ((strategy, count), part) in strategies().zip(parts) {
            let is_right = part.contains(&strategy) && part.contains("481 cells agree with plain C");
            assert!(is_right, "{strategy}: {part}");
            assert_eq!(part.matches(" kernel __attribute__").count(), count, "{strategy}: {part}");
        }
    } else {
        for (strategy, count) in strategies() {
            let compile = ["compile", "--emit", "opencl", "harrisGrouped.rise", "-s", &strategy];
            let text = crate::cli_common::run(folder, &compile).out;
            assert_eq!(text.matches("\nkernel __attribute__").count(), count, "{strategy}: {text}");
        }
    }
    // What does not fit is said in the words of the text.
    let wrong =
        crate::cli_common::run(folder, &["apply", "harrisGrouped.rise", "-s", "grouped([5, 5], base)"]);
    assert!(wrong.code == 1 && wrong.err.contains("which is not 5"), "{}", wrong.err);
}

/// What `oclRun` asks of sizes is asked of all that a program is checked at.
#[test]
fn groups_are_whole_at_every_size_that_is_checked() {
    let text = "def f (a: n.f32): n.f32 = oclRun 64 1 1 n 1 1 (mapGlobal (\\x. x * 2) a)";
    let Some(device) = opencl() else { return };
    for n in [64, 192] {
        let check = ran(text, &sizes(&[("n", n)]), &device, Mode::Once).check.unwrap();
        assert!(check.starts_with(&format!("agrees with the interpreter at n={n};")), "{check}");
    }
    let problems = workspace(text).program.check_sizes(&sizes(&[("n", 96)]));
    assert!(problems[0].message.ends_with("64 divides n."), "{problems:?}");
}

/// What comes of a run that is refused.
fn refused(text: &str, sizes: &Sizes, device: &str) -> Diagnostic {
    let workspace = workspace(text);
    let term = &workspace.program.term;
    let asked = Asked {
        workspace: &workspace,
        term,
        sizes,
        device,
        inputs: None,
        mode: Mode::Once,
        foreign: false,
        limit_s: None,
        known: None,
    };
    run(&asked, false, devices(), &AtomicBool::new(false), &|_| ()).err().unwrap()
}

/// What a device refuses is shown where the program asks for it.
#[test]
fn what_the_device_does_not_run_is_shown_in_the_program() {
    let Some(device) = opencl() else { return };
    let group = "def f (a: n.f32): n.f32 =
  let b = oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x + 1) a)
  oclRun n 1 1 n 1 1 (mapGlobal (\\x. x * 2) b)
";
    // Memory that the kernel's text declares where its size is known, and an argument where it is not.
    let local = |m: &str| {
        format!(
            "def f (a: n.{m}.f32): n.{m}.f32 =
  let b = oclRun 1 1 1 1 1 1 (mapGlobal (mapSeq (\\x. x + 1)) a)
  oclRun 4 1 1 (4*n) 1 1 (b |> mapWorkGroup (\\c. let (toMem local (mapLocal (\\x. x * x) c)) (\\s.
    zip s (reverse s) |> mapLocal (\\p. fst p + snd p))))"
        )
    };
    let (known, open) = (local("1000000"), local("m"));
    let cases = [
        (group, vec![("n", 1 << 20)], "`k1` asks for groups of 1048576 work-items", "oclRun n"),
        (&known, vec![("n", 1)], "`k1` needs 4000000 bytes of local memory", "toMem local"),
        (&open, vec![("n", 1), ("m", 1_000_000)], "`k1` needs 4000000 bytes of local memory", "toMem local"),
    ];
    for (text, given, said, place) in cases {
        let problem = refused(text, &sizes(&given), &device);
        assert!(problem.message.contains(said), "{problem} {:?}", problem.notes);
        let at = problem.labels.first().unwrap().span;
        assert!(text[at.start as usize..].starts_with(place), "{at:?}");
    }
}

/// A kernel for each element, launched by the host.
const LOOP: &str = "def f (a: n.f32) (s: f32): n.f32 = a |> mapSeq (\\x. oclRun 1 1 1 1 1 1 (x * s))";

/// Before there are inputs of such sizes.
#[test]
fn too_many_launches_are_refused_at_once() {
    let Some(device) = opencl() else { return };
    assert_eq!(refused(LOOP, &sizes(&[("n", 2_000_000_000)]), &device).code, "E0544");
    assert_eq!(refused(LOOP, &sizes(&[("n", 50_001)]), &device).code, "E0544");
}

/// A loop of the host with no iterations launches nothing, and its result has no cells.
#[test]
fn no_launches_are_a_run() {
    let Some(device) = opencl() else { return };
    let text = "def f (a: n.m.f32): (n div 4).m.f32 =
  a |> take (n div 4) |> mapSeq (\\r. oclRun 1 1 1 m 1 1 (mapGlobal (\\x. x * 2) r))";
    for (n, cells) in [(3, 0), (8, 6)] {
        let ran = ran(text, &sizes(&[("n", n), ("m", 3)]), &device, Mode::Once);
        assert_eq!(ran.outputs[0].len(), cells);
    }
}

/// Arrays that may be empty, in one and two dimensions, by themselves and beside others, reduced and in tiles.
const MAYBE_EMPTY: &[&str] = &[
    "def f (a: n.f32) (b: m.f32): (n div 4).f32 = a |> take (4 * (n div 4)) |> split 4 |> map (\\w. reduce (+) (idx 0 b) w)",
    "def f (a: n.f32) (b: m.f32): n.f32 =
       concat
         (a |> take (4 * (n div 4)) |> split 4 |> map (\\w. w |> map (\\x. x * reduce (+) 0 w)) |> join)
         (a |> drop (4 * (n div 4)) |> map (\\x. x + idx 0 b))",
    "def f (a: n.f32) (b: m.f32): f32 =
       a |> take (4 * (n div 4)) |> split 4 |> map (\\w. reduce (+) 0 w) |> reduce max (idx 0 b)",
    "def f (a: n.m.f32): (n div 4).f32 =
       a |> take (4 * (n div 4)) |> split 4 |> map (\\w. reduce (+) 0 (join w))",
    "def f (a: n.m.f32): (n div 4).m.f32 =
       a |> take (4 * (n div 4)) |> split 4 |> map (\\w. w |> transpose |> map (\\c. reduce (+) 0 c))",
    "def f (a: n.m.f32): (n div 4).(m div 8).f32 =
       a |> take (4 * (n div 4)) |> map (take (8 * (m div 8))) |> split 4
         |> map (\\r. r |> transpose |> split 8 |> map (\\w. reduce (+) 0 (join w)))",
    "def f (a: n.m.f32): (n div 2).n.f32 =
       a |> take (2 * (n div 2)) |> split 2
         |> map (\\r. a |> map (\\c. zip (idx 0 r) c |> map (\\p. fst p * snd p) |> reduce (+) 0))",
    "def f (a: n.m.f32): (n div 4).m.f32 =
       mapGlobal 1 (\\w. mapGlobal 0 (\\x. x + 1) (idx 0 w)) (split 4 (take (4 * (n div 4)) a))",
];

/// Kernels over nothing are not launched, and ask for nothing.
#[test]
fn arrays_that_may_be_empty_are_computed_by_work_items() {
    let Some(device) = opencl() else { return };
    for text in MAYBE_EMPTY {
        for (n, m) in [(1, 1), (1, 9), (3, 7), (4, 8), (9, 3), (8, 40), (37, 101)] {
            let ran = ran(text, &sizes(&[("n", n), ("m", m)]), &device, Mode::Once);
            assert!(ran.check.is_some(), "{text} {n} {m}");
        }
        // Whole numbers are summed alike in any order.
        library_agrees(&text.replace("f32", "i32"), &[&[("n", 3), ("m", 5)], &[("n", 9), ("m", 5)]]);
    }
}

/// Tiles of work-items below one tile: what is left over is all there is.
#[test]
fn tiles_of_work_items_may_be_none() {
    let Some(device) = opencl() else { return };
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/matmul"));
    for [m, n, k] in [[1, 1, 1], [1, 40, 7], [7, 3, 4], [40, 3, 9], [9, 9, 2], [33, 17, 5]] {
        let given = [("m", m), ("n", n), ("k", k)].map(|(x, n): (&str, i64)| format!("--size={x}={n}"));
        let [m, n, k] = given.each_ref().map(String::as_str);
        let strategy = "anySize(8, 4, 3, workItems(8, 4, 4, 8, 4))";
        let all = ["bench", "matmul.rise", "-s", strategy, "--device", &device, m, n, k];
        let ran = crate::cli_common::run(folder, &all);
        assert!(ran.code == 0 && ran.out.contains("plain C"), "{given:?}: {}{}", ran.out, ran.err);
    }
}

/// Where something is shared out, or nothing tells what, there is a work-item.
#[test]
fn something_is_not_computed_by_nobody() {
    let asked = |text: &str| {
        let problems = workspace(text).program.check_sizes(&sizes(&[("n", 3)]));
        problems.iter().map(|d| d.message.clone()).collect::<Vec<_>>()
    };
    let launch =
        |of: &str| format!("def f (a: n.f32): n.f32 = oclRun 1 1 1 {of} 1 1 (mapGlobal (\\x. x * 2) a)");
    assert_eq!(asked(&launch("(n div 4)")), ["The sizes do not fit: it must hold that 1 <= n div 4."]);
    assert!(asked(&launch("n")).is_empty() && asked(&launch("(n div 2)")).is_empty());
    let none = "def f (a: n.f32): n.f32 = oclRun 1 1 1 0 1 1 (mapGlobal (\\x. x * 2) a)";
    let problem = workspace(none).compile(&workspace(none).program.term, Target::OpenCl, &Sizes::new());
    assert!(problem.is_err_and(|d| d.code == "E0531"));
    // Of an array without elements nothing is left to share out, and nothing is written twice.
    let chunks = "def f (a: n.f32): (n div 4).f32 =
        oclRun 8 1 1 8 1 1 (mapLocal (reduceSeq (+) 0) (split 4 (take (4 * (n div 4)) a)))";
    for n in [3, 9] {
        let term = workspace(chunks).program.term;
        let compiled = workspace(chunks).compile(&term, Target::OpenCl, &sizes(&[("n", n)]));
        assert!(compiled.is_ok(), "{n}: {:?}", compiled.err());
    }
}

/// What a kernel computes is kept for the host, whether or not the program says where.
#[test]
fn a_result_beside_a_step_of_the_host_takes_memory_of_its_own() {
    let kernel = "oclRun 1 1 1 n 1 1 (mapGlobal (\\x. x * 2) a)";
    for kernel in [kernel, &format!("toMem global ({kernel})")] {
        let text =
            format!("def f (a: n.f32): (n.f32 * n.f32) =\n  let b = {kernel}\n  (b, mapSeq (\\x. x + 1) a)");
        assert_eq!(names(&compiled(&text, Target::OpenCl).module), ["k0", "k1", "h0"], "{text}");
        if let Some(device) = opencl() {
            ran(&text, &sizes(&[("n", 9)]), &device, Mode::Once);
        }
    }
}

/// Launches share what they are given alike: the output, the input and the scalar.
#[test]
fn parameters_do_not_grow_with_launches() {
    let (module, sizes) = (compiled(LOOP, Target::OpenCl).module, sizes(&[("n", 1000)]));
    let inputs = Inputs::random(&workspace(LOOP).program.term, &sizes, Kind::Uniform).unwrap();
    let made = request("any", &module, &sizes, &inputs, Mode::Once, FloatMode::Strict).unwrap();
    assert_eq!((made.steps.len(), made.params.len()), (1000, 3));
}

/// A step that reads the neighbours of what it writes, so that it needs another array.
const STEP: &str = "(x |> padClamp 1 1 |> slide 3 1 |> mapGlobal (reduceSeq (\\acc y. acc * 2 + y) 1) |> oclRun 4 1 1 64 1 1)";

/// Two arrays take turns, the first step reads the input and the last one writes the output: nothing is copied but, where it
/// is not known whether their number is even, once on the device.
#[test]
fn arrays_that_steps_hand_on_are_not_copied() {
    let Some(device) = opencl() else { return };
    let check = |text: &str, at: &[(&str, i64)], kernels: usize, buffers: usize| {
        let module = compiled(text, Target::OpenCl).module;
        let of = |language| module.sections.iter().filter(|s| s.kernel.language == language).count();
        assert_eq!((of(Language::OpenCl), of(Language::C)), (kernels, 0), "{text}\n{}", module.text());
        let temporary = module.buffers.iter().filter(|b| b.role == Role::Temp).count();
        assert_eq!(temporary, buffers, "{text}");
        for n in [1, 7, 131] {
            let ran = ran(text, &sizes(&[at, &[("n", n)]].concat()), &device, Mode::Once);
            assert!(ran.check.is_some(), "{text}");
        }
    };
    for (k, kernels, buffers) in
        [(1, 1, 0), (2, 2, 1), (3, 3, 2), (4, 4, 2), (5, 5, 2), (9, 5, 2), (100, 4, 2)]
    {
        check(&format!("def f (a: n.i32): n.i32 = a |> iterate {k} (\\x. {STEP})"), &[], kernels, buffers);
        let auto = "def f (a: (n + 512).i32): (n + 512).i32 =
            a |> iterate K (\\x. x |> padClamp 1 1 |> slide 3 1 |> map (\\w. reduceSeq (\\acc y. acc * 2 + y) 1 w))";
        let module = compiled(&auto.replace('K', &k.to_string()), Target::OpenCl).module;
        assert_eq!(module.kernels(Language::C).count(), 0, "{}", module.text());
        // All steps do the same, on other memory.
        assert_eq!(module.kernels(Language::OpenCl).count(), 1, "{}", module.text());
        let is_copy = |l: &str| l.trim().starts_with("output[") && l.contains("] = t") && l.ends_with("];");
        assert!(!module.text().lines().any(is_copy), "{}", module.text());
    }
    for k in [1, 2, 3, 8, 9] {
        let text = format!("def f (k: nat) (a: n.i32): n.i32 = a |> iterate k (\\x. {STEP})");
        check(&text, &[("k", k)], 6, 2);
    }
    // The number of a step is known in each.
    let numbered = "def f (b: k.i32) (a: n.i32): n.i32 = b |> reduceSeq (\\x v.
        x |> padClamp 1 1 |> slide 3 1 |> mapGlobal (reduceSeq (\\acc y. acc * 2 + y) v) |> oclRun 4 1 1 64 1 1) a";
    for k in [1, 2, 3, 6] {
        check(numbered, &[("k", k)], 6, 2);
    }
    // Pairs, what others read before and after, and steps of several kernels.
    let pairs = "def f (a: n.(i32 * i32)): n.(i32 * i32) = a |> iterate 6 (\\x.
        zip (reverse x) x |> mapGlobal (\\p. (fst (fst p) + 1, snd (snd p) * 2)) |> oclRun 4 1 1 64 1 1)";
    check(pairs, &[], 4, 4);
    let between = format!(
        "def f (a: n.i32): n.i32 =
           let b = a |> mapGlobal (\\v. v + 1) |> oclRun 4 1 1 64 1 1
           let c = b |> iterate 5 (\\x. {STEP})
           zip b c |> mapGlobal (\\p. fst p * snd p) |> oclRun 4 1 1 64 1 1"
    );
    check(&between, &[], 5, 3);
    let both = format!(
        "def f (a: n.i32): n.i32 = a |> iterate 4 (\\x. let y = {STEP} in {})",
        STEP.replace("x |>", "y |>")
    );
    check(&both, &[], 6, 3);
}

/// What `auto` makes of the programs of `kernels/` is computed by work-items alone, in groups of several where there are
/// loops to share out; copies to the host and back would take longer than all else.
#[test]
fn auto_leaves_nothing_to_the_host() {
    let groups = |name: &str| match name {
        "asum" | "dot" => vec![[256, 1, 1]; 2],
        "atax" => vec![[64, 1, 1], [32, 8, 1], [64, 1, 1]],
        // Whole strips of windows, and the rows left over.
        "binomialFilter" | "convolution" | "jacobi2d" | "separableConvolution" | "unsharpMask" => {
            vec![[32, 8, 1]; 2]
        }
        "jacobi4" => vec![[32, 8, 1]; 8],
        // Tiles of 32 by 32, vectors of two for each work-item.
        "transposition" => vec![[16, 8, 1]],
        "twoBlurs" => vec![[32, 8, 1]; 4],
        "harris" | "harrisPadded" => vec![[32, 8, 1]; 6],
        "harrisGrouped" => vec![[32, 8, 1]; 5],
        "canny" => vec![[32, 8, 1]; 7],
        "gaussianPyramid" => vec![[32, 8, 1]; 6],
        "localLaplacian" => vec![[32, 8, 1]; 9],
        "demosaic" => vec![[32, 8, 1]; 3],
        // Whole chunks of long reductions that several work-items share, and the elements left over.
        "mriQ" => vec![[32, 8, 1], [64, 1, 1]],
        // Before these the bodies are stored as vectors.
        "nBody" => vec![[256, 1, 1], [32, 8, 1], [64, 1, 1]],
        "molecularDynamics" => vec![[256, 1, 1], [32, 1, 1]],
        "gemv" | "gesummv" | "kMeans" => vec![[64, 1, 1]],
        "nearestNeighbour" | "scal" => vec![[256, 1, 1]],
        // Tiles of 64 by 64, four by four for each work-item.
        "batchedMatmul" | "matmul" => vec![[16, 16, 1]],
        _ => vec![[32, 8, 1]],
    };
    for folder in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels")).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let text = std::fs::read_to_string(folder.path().join(format!("{name}.rise"))).unwrap();
        let module = compiled(&text, Target::OpenCl).module;
        let found: Vec<_> = module.kernels(Language::OpenCl).map(|k| &k.local_size).collect();
        let asked = groups(&name).into_iter().map(|three| Some(three.map(Nat::constant)));
        assert_eq!(found, asked.collect::<Vec<_>>().iter().collect::<Vec<_>>(), "{name}");
        assert_eq!(module.kernels(Language::C).count(), 0, "{name}\n{}", module.text());
    }
}

/// The program around the code of a `scatter` passes a permutation, so that every cell is written once.
#[test]
fn examples_pass_each_index_of_a_scatter_once() {
    let dir = tempfile::tempdir().unwrap();
    let done = compiled("def f (i: n.idx[n]): n.i32 = generate (\\k. 1) |> scatter i", Target::C);
    for (stage, file) in [("header", "f.h"), ("c", "f.c"), ("host", "f_host.c")] {
        std::fs::write(dir.path().join(file), done.stage(stage).unwrap()).unwrap();
    }
    let told = |done: &Compiled| done.stage("header").unwrap().contains("each index once in a row");
    assert!(told(&done));
    for n in ["1", "1000"] {
        let said = said(dir.path(), &["f.c", "f_host.c"], &["-fopenmp", "-lm"], &[n.into()]);
        assert_eq!(said.trim(), format!("output: {n}"));
    }
    let rows = "def f (i: m.n.idx[n]) (a: m.n.f32): m.n.f32 =
        zip i a |> mapGlobal (\\p. scatter (fst p) (mapSeq (\\x. x + 1) (snd p)))";
    assert!(told(&compiled(rows, Target::OpenCl)));
    if opencl().is_some() {
        library_agrees(rows, &[&[("m", 3), ("n", 50)]]);
    }
}

/// A long reduction is two launches, of which the second writes the result, and kernels take what they use alone.
#[test]
fn the_last_group_of_a_reduction_writes_the_result() {
    let both = "def f (a: n.f32): (f32 * f32) = (a |> reduce (+) 0, a |> reduce max (-1e30))";
    for (text, kernels) in [("def f (a: n.f32): f32 = a |> reduce (+) 0", 2), (both, 4)] {
        let module = compiled(text, Target::OpenCl).module;
        assert_eq!(module.kernels(Language::OpenCl).count(), kernels, "{}", module.text());
        for kernel in module.kernels(Language::OpenCl) {
            let outputs = kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Output(_)));
            assert!(outputs.count() == 1, "{}", kernel.prototype);
        }
        let Some(device) = opencl() else { continue };
        for n in [1, 255, 70_001] {
            assert!(ran(text, &sizes(&[("n", n)]), &device, Mode::Once).check.is_some(), "{text}");
        }
    }
}

/// A pair that is moved behind a kernel is written by it, whether or not the program says how to reduce what is in it.
#[test]
fn pairs_are_unzipped_while_they_are_written() {
    for reduce in ["reduce", "reduceSeq"] {
        let text = format!(
            "def f (a: n.m.f32) (b: n.m.3.f32): (n.m.f32 * n.m.f32) =
               zip a (b |> map (map (\\w. {reduce} (+) 0 w)))
                 |> mapGlobal 1 (\\p. zip (fst p) (snd p) |> mapGlobal 0 (\\x. (snd x, fst x + snd x)))
                 |> oclRun 8 4 1 (8 * ((m + 7) div 8)) (4 * ((n + 3) div 4)) 1 |> map unzip |> unzip"
        );
        let module = compiled(&text, Target::OpenCl).module;
        assert_eq!(names(&module), ["f"], "{}", module.text());
        let Some(device) = opencl() else { continue };
        assert!(ran(&text, &sizes(&[("n", 5), ("m", 11)]), &device, Mode::Once).check.is_some());
    }
}

/// Stages of large pictures: blurs by columns and by rows, one after the other, their borders repeated or cut off, beside
/// the picture itself.
const STAGES: &str = "
def zip2d (a: n.m.s) (b: n.m.t): n.m.(s * t) = zip a b |> map (\\rows. zip (fst rows) (snd rows))
def sharper (a b: n.m.f32): n.m.f32 = zip2d a b |> map (map (\\p. fst p + 0.5 * (fst p - snd p)))
def dot (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
def weights: 3.f32 = [0.25, 0.5, 0.25]
def others: 5.f32 = [0.125, 0.25, 0.5, 0.0625, 0.0625]
def blurY (a: (n + 2).m.f32): n.m.f32 = a |> slide 3 1 |> map (transpose >> map (dot weights))
def blurX (a: n.(m + 2).f32): n.m.f32 = a |> map (slide 3 1 >> map (dot weights))
def padY (a: n.m.f32): n.m.f32 = a |> padClamp 2 2 |> slide 5 1 |> map (transpose >> map (dot others))
def padX (a: n.m.f32): n.m.f32 = a |> map (padClamp 2 2 >> slide 5 1 >> map (dot others))
def asymmetric (a: n.m.f32): n.m.f32 = a |> padClamp 3 1 |> slide 5 1 |> map (transpose >> map (dot others))
def sum3x3 (a: (n + 2).(m + 2).f32): n.m.f32 =
  a |> map (slide 3 1) |> slide 3 1 |> map (transpose >> map (join >> reduce (+) 0))
def inner (a: (n + 2).(m + 2).f32): n.m.f32 = a |> drop 1 |> take n |> map (drop 1 >> take m)
def inner2 (a: (n + 4).(m + 4).f32): n.m.f32 = a |> drop 2 |> take n |> map (drop 2 >> take m)
def inner3 (a: (n + 6).(m + 6).f32): n.m.f32 = a |> drop 3 |> take n |> map (drop 3 >> take m)
";

/// Programs of them.
const OF_STAGES: [&str; 11] = [
    "def f (a: (n + 2).(m + 2).f32): n.m.f32 = sharper (inner a) (a |> blurY |> blurX)",
    "def f (a: (n + 2).(m + 2).f32): n.m.f32 = a |> blurX |> blurY",
    "def f (a: n.m.f32): n.m.f32 = a |> padY |> padX",
    "def f (a: n.m.f32): n.m.f32 = a |> padX |> padY",
    "def f (a: n.m.f32): n.m.f32 = sharper a (a |> padY |> padX)",
    "def f (a: n.m.f32): n.m.f32 = sharper (a |> asymmetric |> padX) a",
    "def f (a: (n + 4).(m + 4).f32): n.m.f32 = sharper (inner2 a) (a |> blurY |> blurX |> blurY |> blurX)",
    "def f (a: (n + 4).(m + 4).f32): n.m.f32 = sharper (a |> sum3x3 |> sum3x3) (inner2 a)",
    "def f (a: (n + 6).(m + 6).f32): n.m.f32 = sharper (inner3 a) (a |> sum3x3 |> sum3x3 |> sum3x3)",
    "def f (a: (n + 4).(m + 4).f32): n.m.f32 =
           let b = a |> blurY |> blurX
           sharper (inner b) (b |> blurY |> blurX)",
    "def f (a: (n + 4).(m + 4).f32): n.m.f32 =
           sharper (inner2 a) (sharper (a |> sum3x3 |> inner) (a |> sum3x3 |> sum3x3))",
];

/// They are one kernel, also where tiles do not divide them. The first two are one stage, of whose strips rows are left over.
#[test]
fn stages_of_large_pictures_are_one_kernel() {
    let Some(device) = opencl() else { return };
    for (k, text) in OF_STAGES.iter().enumerate() {
        let text = format!("{STAGES}{text}");
        for (n, m, kernels) in [(544, 516, 1), (523, 517, if k < 2 { 2 } else { 1 })] {
            let ran = ran(&text, &sizes(&[("n", n), ("m", m)]), &device, Mode::Once);
            assert!(ran.check.is_some(), "{text}");
            assert_eq!(ran.parts.len().max(1), kernels, "{n}x{m}: {text}");
        }
    }
}

/// Halves that are only moved, read as other numbers and made of these are no type that a device must have.
#[test]
fn halves_in_memory_ask_for_no_halves() {
    let product = "zip x y |> map (\\p. cast (fst p) * cast (snd p)) |> reduce (+) 0";
    let programs = [
        format!(
            "def f (a: n.k.f16) (b: k.m.f16): n.m.f32 = a |> map (\\x. transpose b |> map (\\y. {product}))"
        ),
        format!(
            "def f (a: n.k.f16) (b: m.k.f16): n.m.f16 = a |> map (\\x. b |> map (\\y. cast (({product}) : f32)))"
        ),
        "def f (a: n.k.f16) (b: m.f32): (k.n.f16 * m.f16) = (transpose a, map cast b)".into(),
        "def f (a: n.k.f16) (b: m.(f16 * i32)): (n.f32 * m.(f16 * f64)) =
           (a |> map (padCst 1 1 0 >> slide 3 1 >> map (map cast >> reduce (+) 0) >> reduce max 0),
            b |> map (\\p. (fst p, cast (fst p))))"
            .into(),
    ];
    let sizes = sizes(&[("n", 68), ("k", 36), ("m", 70)]);
    for (k, text) in programs.iter().enumerate() {
        let module = compiled(text, Target::OpenCl).module.text();
        assert!(!module.contains("cl_khr_fp16"), "{module}");
        let in_vectors = |s: &str| module.lines().filter(|l| l.contains(s)).count();
        // Tiles are read in vectors.
        assert!(k > 0 || in_vectors("vload_half4") + in_vectors("vloada_half4") > 0, "{module}");
        if let Some(device) = opencl() {
            assert!(ran(text, &sizes, &device, Mode::Once).check.is_some(), "{text}");
        }
    }
    for computed in ["x * x", "max x 1", "cast (cast x : f32) + x"] {
        let text = format!("def f (a: n.f16): n.f16 = a |> map (\\x. {computed})");
        assert!(compiled(&text, Target::OpenCl).module.text().contains("cl_khr_fp16"), "{text}");
    }
}

/// What is called has the program's name, also where it is one kernel that the host launches several times.
#[test]
fn a_kernel_that_is_launched_in_a_loop_has_not_the_name_of_the_program() {
    let text = "def rows (a: k.n.f32): k.n.f32 =
  a |> mapSeq (\\r. oclRun 4 1 1 8 1 1 (r |> mapGlobal 0 (\\v. v + 1)))\n";
    let done = compiled(text, Target::OpenCl);
    assert_eq!((&*done.module.name, names(&done.module)), ("rows", vec!["k0"]));
    let stage = |name: &str| done.stage(name).unwrap();
    for name in ["header", "library", "host", "python"] {
        assert!(!stage(name).contains("k0_"), "{}", stage(name));
    }
    assert!(stage("header").contains("rows_init(") && stage("header").contains("rows_run("));
    // A kernel that is all of the program is the program.
    let alone = compiled("def rows (a: n.f32): n.f32 = mapGlobal (\\x. x) a", Target::OpenCl).module;
    assert_eq!((&*alone.name, names(&alone)), ("rows", vec!["rows"]));
    if let Some(device) = opencl() {
        ran(text, &sizes(&[("k", 3), ("n", 9)]), &device, Mode::Once);
    }
}
