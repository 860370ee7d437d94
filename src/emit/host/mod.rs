//! A program around a kernel: it allocates, fills the inputs from a fixed seed, calls the kernel and prints checksums.
//!
//! For C it is compiled together with the kernel; for OpenCL it loads the kernel's text, from the file that its last
//! argument names or from the one that is called like the kernel. Sizes that are still parameters are arguments of the program.

mod header;
mod python;

pub use header::header;
pub use python::{module, module_name};

/// The first lines of what is generated under names that a user's own files may have.
pub const MARKS: [&str; 2] = [header::MARK, python::MARK];

use super::Language;
use super::kernel::{Kernel, KernelParam, ParamKind, floor_functions};
use super::number::{Printer, Variable};
use super::syntax::Expr;
use crate::lang::nat::{Nat, NatVar, Ranges, Worker};
use crate::lang::ty::Scalar;
use std::fmt::Write;

/// The text of `NAME_host.c`, which lies beside `NAME.c` or `NAME.cl`.
pub fn host(kernel: &Kernel) -> String {
    let mut out = String::new();
    let sizes: Vec<&KernelParam> =
        kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Size(_))).collect();
    let name = &kernel.name;
    let usage: String = sizes.iter().map(|p| format!(" {}", p.name)).collect();
    match kernel.language {
        Language::C => {
            let _ = write!(
                out,
                "// Calls the kernel with numbers from a fixed seed and prints a checksum of each output.\n\
                 //   cc -O3 -fopenmp {name}.c {name}_host.c -lm -o {name} && ./{name}{usage}\n\n\
                 #include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n{};\n",
                kernel.prototype
            );
        }
        Language::OpenCl => {
            let _ = write!(
                out,
                "// Runs the kernel in {name}.cl with numbers from a fixed seed and prints a checksum of each output.\n\
                 //   cc {name}_host.c -lOpenCL -o {name} && ./{name}{usage} [{name}.cl]\n\n\
                 #define CL_TARGET_OPENCL_VERSION 120\n\
                 #include <CL/cl.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
            );
            out.push_str(OPENCL);
        }
    }
    out.push_str(COMMON);
    let mut body = String::new();
    main(kernel, &sizes, &usage, &mut body);
    // No other function has these names (`emit::names`).
    if body.contains("floor_div(") || body.contains("floor_mod(") {
        out.push_str(&floor_functions(Language::C));
    }
    let _ = write!(out, "\nint main(int argc, char** argv) {{\n{body}  return 0;\n}}\n");
    out
}

const COMMON: &str = r#"
// Uniform in [-1, 1).
static double host_next(void) {
  static uint64_t state = 1;
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1.0;
}

static void* host_memory(size_t bytes) {
  void* start = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (start == NULL) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    exit(1);
  }
  return start;
}
"#;

const OPENCL: &str = r#"
static void host_check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s failed with error %d\n", what, status);
    exit(1);
  }
}

static char* host_text_of(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  const long length = ftell(file);
  char* text = calloc((size_t)length + 1, 1);
  rewind(file);
  if (text == NULL || fread(text, 1, (size_t)length, file) != (size_t)length) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  fclose(file);
  return text;
}
"#;

fn c_type(s: Scalar, language: Language) -> &'static str {
    match s {
        Scalar::Bool => "uint8_t",
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 => "int",
        Scalar::I64 => "int64_t",
        Scalar::U8 => "uint8_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 => "uint32_t",
        Scalar::U64 => "uint64_t",
        // Halves have no portable type on the host of a device: their bits do.
        Scalar::F16 if language == Language::OpenCl => "uint16_t",
        Scalar::F16 => "_Float16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// What the variables of sizes are called.
fn variables(kernel: &Kernel) -> impl Fn(&NatVar) -> Variable {
    |v: &NatVar| {
        let text = v.to_string();
        let size = kernel.params.iter().find(|p| matches!(&p.kind, ParamKind::Size(x) if **x == *text));
        let name = match (size, v) {
            (Some(p), _) => p.name.clone(),
            (None, NatVar::Worker(Worker::GlobalSize(d))) => format!("host_global[{d}]"),
            (None, NatVar::Worker(Worker::LocalSize(d))) => format!("host_local[{d}]"),
            (None, NatVar::Worker(Worker::Groups(d))) => format!("(host_global[{d}] / host_local[{d}])"),
            (None, _) => text,
        };
        Variable { expr: Expr::Name(name), long: true }
    }
}

/// A number of elements or work-items, in the names of the kernel's sizes.
fn count(kernel: &Kernel, n: &Nat) -> String {
    let ranges = Ranges::default();
    let mut printer = Printer { ranges: &ranges, variable: &variables(kernel), rounds_down: false };
    printer.number(n).to_string()
}

fn main(kernel: &Kernel, sizes: &[&KernelParam], usage: &str, out: &mut String) {
    let opencl = kernel.language == Language::OpenCl;
    let first = sizes.len() + 1;
    let limit =
        if opencl { format!("argc != {first} && argc != {}", first + 1) } else { format!("argc != {first}") };
    let optional = if opencl { format!(" [{}.cl]", kernel.name) } else { String::new() };
    let _ = write!(
        out,
        "  if ({limit}) {{\n    fprintf(stderr, \"usage: %s{usage}{optional}\\n\", argv[0]);\n    return 2;\n  }}\n"
    );
    for (i, p) in sizes.iter().enumerate() {
        let (name, most) = (&p.name, kernel.most);
        let _ = write!(
            out,
            "  const long {name} = atol(argv[{}]);\n  if ({name} < 1 || {name} > {most}) {{\n    \
             fprintf(stderr, \"{name} must be from 1 to {most}\\n\");\n    return 2;\n  }}\n",
            i + 1
        );
    }
    if opencl {
        for (name, sizes) in [("global", Some(&kernel.global_size)), ("local", kernel.local_size.as_ref())] {
            let sizes =
                sizes.map(|s| s.each_ref().map(|n| format!("(size_t)({})", count(kernel, n))).join(", "));
            if let Some(sizes) = sizes {
                let _ = writeln!(out, "  const size_t host_{name}[3] = {{{sizes}}};");
            }
        }
        // Without `oclRun` there are no more of them than a size says.
        if let (Some(most), Some(_)) = (kernel.most_items, &kernel.local_size) {
            let _ = write!(
                out,
                "  for (int host_i = 0; host_i < 3; host_i++) {{\n    if (host_global[host_i] > {most}) {{\n      \
                 fprintf(stderr, \"there can be at most {most} work-items\\n\");\n      return 2;\n    }}\n  }}\n"
            );
        }
    }
    for p in kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Input(..) | ParamKind::Output(_))) {
        fill(kernel, p, out);
    }
    if opencl {
        launch(kernel, first, out);
    } else {
        let args: Vec<String> = kernel
            .params
            .iter()
            .map(|p| match p.kind {
                ParamKind::Size(_) => format!("(int){}", p.name),
                _ if p.scalar == Scalar::Bool && !p.by_value => format!("(bool*){}", p.name),
                _ => p.name.clone(),
            })
            .collect();
        let _ = writeln!(out, "  {}({});", kernel.name, args.join(", "));
    }
    for p in kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Output(_))) {
        let (name, len) = (&p.name, count(kernel, &p.len));
        let _ = write!(
            out,
            "  double host_sum_{name} = 0.0;\n  for (long host_i = 0; host_i < {len}; host_i++) {{\n    host_sum_{name} += (double){name}[host_i];\n  }}\n\
             \x20 printf(\"{name}: %.9g\\n\", host_sum_{name});\n"
        );
    }
    let on_host = |p: &&KernelParam| matches!(p.kind, ParamKind::Input(..) | ParamKind::Output(_));
    for p in kernel.params.iter().filter(on_host).filter(|p| !p.by_value) {
        let _ = writeln!(out, "  free({});", p.name);
    }
}

/// Declares an input or output on the host.
fn fill(kernel: &Kernel, p: &KernelParam, out: &mut String) {
    let ty = c_type(p.scalar, kernel.language);
    let (name, len) = (&p.name, count(kernel, &p.len));
    let value = match &p.kind {
        ParamKind::Input(_, leaf) => match leaf.elem.as_index() {
            Some(n) => format!("(int)((host_next() + 1.0) / 2.0 * (double)({}))", count(kernel, n)),
            None if p.scalar == Scalar::Bool => "host_next() > 0.0".to_string(),
            None if p.scalar == Scalar::F16 && kernel.language == Language::OpenCl => {
                // Bits of halves from 1 to 2, which no host type is needed for.
                "(uint16_t)(0x3c00 + (int)((host_next() + 1.0) * 511.0))".to_string()
            }
            None if p.scalar.is_float() => format!("({ty})host_next()"),
            None if p.scalar.is_signed_integer() => format!("({ty})(host_next() * 100.0)"),
            None => format!("({ty})((host_next() + 1.0) * 50.0)"),
        },
        _ => String::new(),
    };
    if p.by_value {
        let _ = writeln!(out, "  const {ty} {name} = {value};");
        return;
    }
    let _ = writeln!(out, "  {ty}* {name} = host_memory(sizeof({ty}) * ({len}));");
    if !value.is_empty() {
        let _ = writeln!(
            out,
            "  for (long host_i = 0; host_i < {len}; host_i++) {{\n    {name}[host_i] = {value};\n  }}"
        );
    }
}

/// Compiles and runs the kernel on the first device there is.
fn launch(kernel: &Kernel, first: usize, out: &mut String) {
    let name = &kernel.name;
    let _ = write!(
        out,
        "  cl_int host_status;\n\
         \x20 cl_platform_id host_platform;\n\
         \x20 cl_device_id host_device;\n\
         \x20 host_check(clGetPlatformIDs(1, &host_platform, NULL), \"clGetPlatformIDs\");\n\
         \x20 host_check(clGetDeviceIDs(host_platform, CL_DEVICE_TYPE_ALL, 1, &host_device, NULL), \"clGetDeviceIDs\");\n\
         \x20 cl_context host_context = clCreateContext(NULL, 1, &host_device, NULL, NULL, &host_status);\n\
         \x20 host_check(host_status, \"clCreateContext\");\n\
         \x20 cl_command_queue host_queue = clCreateCommandQueue(host_context, host_device, 0, &host_status);\n\
         \x20 host_check(host_status, \"clCreateCommandQueue\");\n\
         \x20 char* host_text = host_text_of(argc > {first} ? argv[{first}] : \"{name}.cl\");\n\
         \x20 cl_program host_program = clCreateProgramWithSource(host_context, 1, (const char**)&host_text, NULL, &host_status);\n\
         \x20 host_check(host_status, \"clCreateProgramWithSource\");\n\
         \x20 if (clBuildProgram(host_program, 1, &host_device, \"\", NULL, NULL) != CL_SUCCESS) {{\n\
         \x20   static char log[1 << 16];\n\
         \x20   clGetProgramBuildInfo(host_program, host_device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);\n\
         \x20   fprintf(stderr, \"%s\\n\", log);\n\
         \x20   return 1;\n\
         \x20 }}\n\
         \x20 cl_kernel host_kernel = clCreateKernel(host_program, \"{name}\", &host_status);\n\
         \x20 host_check(host_status, \"clCreateKernel\");\n"
    );
    let mut buffers = vec![];
    for (i, p) in kernel.params.iter().enumerate() {
        let (name, ty) = (&p.name, c_type(p.scalar, kernel.language));
        if matches!(p.kind, ParamKind::Size(_)) {
            let _ = write!(
                out,
                "  const cl_int host_arg{i} = (cl_int){name};\n  host_check(clSetKernelArg(host_kernel, {i}, sizeof(host_arg{i}), &host_arg{i}), \"clSetKernelArg\");\n"
            );
            continue;
        }
        if p.by_value {
            let _ = writeln!(
                out,
                "  host_check(clSetKernelArg(host_kernel, {i}, sizeof({name}), &{name}), \"clSetKernelArg\");"
            );
            continue;
        }
        let bytes = format!("sizeof({ty}) * ({})", count(kernel, &p.len));
        if p.kind == ParamKind::Local {
            let _ = writeln!(
                out,
                "  host_check(clSetKernelArg(host_kernel, {i}, {bytes}, NULL), \"clSetKernelArg\");"
            );
            continue;
        }
        let (flags, host) = match p.kind {
            ParamKind::Input(..) => ("CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR", name.as_str()),
            _ => ("CL_MEM_READ_WRITE", "NULL"),
        };
        let _ = write!(
            out,
            "  cl_mem host_arg{i} = clCreateBuffer(host_context, {flags}, {bytes}, {host}, &host_status);\n\
             \x20 host_check(host_status, \"clCreateBuffer\");\n\
             \x20 host_check(clSetKernelArg(host_kernel, {i}, sizeof(host_arg{i}), &host_arg{i}), \"clSetKernelArg\");\n"
        );
        buffers.push((i, p, bytes));
    }
    let local = if kernel.local_size.is_some() { "host_local" } else { "NULL" };
    let _ = write!(
        out,
        "  host_check(clEnqueueNDRangeKernel(host_queue, host_kernel, 3, NULL, host_global, {local}, 0, NULL, NULL), \"clEnqueueNDRangeKernel\");\n\
         \x20 host_check(clFinish(host_queue), \"clFinish\");\n"
    );
    for (i, p, bytes) in &buffers {
        if matches!(p.kind, ParamKind::Output(_)) {
            let _ = writeln!(
                out,
                "  host_check(clEnqueueReadBuffer(host_queue, host_arg{i}, CL_TRUE, 0, {bytes}, {}, 0, NULL, NULL), \"clEnqueueReadBuffer\");",
                p.name
            );
        }
    }
    for (i, ..) in &buffers {
        let _ = writeln!(out, "  clReleaseMemObject(host_arg{i});");
    }
    out.push_str(
        "  clReleaseKernel(host_kernel);\n  clReleaseProgram(host_program);\n  clReleaseCommandQueue(host_queue);\n  clReleaseContext(host_context);\n  free(host_text);\n",
    );
}
