//! A program around a kernel: it allocates, fills the inputs from a fixed seed, calls the kernel and prints checksums.
//!
//! For C it is compiled together with the function; for OpenCL with the library of the module. Sizes that are still
//! parameters are arguments of the program.

mod header;
mod library;
mod python;

pub use header::header;
pub use library::{Library, RUNTIME};
pub use python::{library_module, module, module_name};

/// The first lines of what is generated and looks as if somebody had written it, in C and for what begins comments with `#`.
pub const MARKS: [&str; 2] = [header::MARK, python::MARK];

use super::Language;
use super::code::Leaf;
use super::kernel::{Kernel, KernelParam, ParamKind, UNDEFINED, floor_functions};
use super::number::{Printer, Variable};
use super::syntax::Expr;
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Nat, NatVar, Ranges};
use crate::lang::ty::Scalar;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of `NAME_host.c`, which lies beside `NAME.c`: around a function in C, which calls those of the files `with`.
/// `constraints`: what must hold of the sizes that are parameters.
pub fn host(kernel: &Kernel, with: &[String], constraints: &[SizeConstraint]) -> String {
    let (name, usage, sources) = (&kernel.name, usage(kernel), header::sources(kernel, with));
    let head = format!(
        "// Calls the kernel with numbers from a fixed seed and prints a checksum of each output.\n\
         //   cc -O3 -fopenmp {sources} {name}_host.c -lm -o {name} && ./{name}{usage}\n\n\
         #include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n{};\n",
        kernel.prototype
    );
    program(kernel, constraints, head)
}

/// The text of `NAME_host.c`, which lies beside the library of a module.
pub fn library_host(library: &Library) -> String {
    let kernel = library.interface();
    let (name, usage) = (&kernel.name, usage(&kernel));
    let head = format!(
        "// Runs the kernels with numbers from a fixed seed and prints a checksum of each output. The last argument is a part\n\
         // of the name of an OpenCL device.\n\
         //   cc -O3 -fopenmp {name}_host.c {name}.c shine_opencl.c -lOpenCL -lm -o {name} && ./{name}{usage} [DEVICE]\n\n\
         #include \"{name}.h\"\n#include <stdio.h>\n#include <stdlib.h>\n"
    );
    program(&kernel, library.constraints(), head)
}

/// A constraint as it stands between quotes in C.
fn in_quotes(c: &SizeConstraint) -> String {
    c.to_string().replace('\\', "\\\\").replace('"', "\\\"")
}

/// The condition in C under which a constraint does not hold; none for one that C cannot ask for.
pub(super) fn broken(c: &SizeConstraint, number: &dyn Fn(&Nat) -> String) -> Option<String> {
    Some(match c {
        SizeConstraint::Divides(a, b) => {
            let rest = format!("({}) % ({}) != 0", number(b), number(a));
            // Nothing is divided by 0, which numbers are not.
            match a.as_constant() {
                Some(_) => rest,
                None => format!("({}) == 0 || {rest}", number(a)),
            }
        }
        // What is larger than any number is not to be seen of numbers.
        SizeConstraint::AtMost(_, b) if b.as_constant() == Some(i64::MAX) => return None,
        SizeConstraint::AtMost(a, b) => format!("{} > {}", number(a), number(b)),
        SizeConstraint::Equal(a, b) => format!("{} != {}", number(a), number(b)),
        SizeConstraint::Permutes(..) => return None,
    })
}

/// The sizes that a program around the kernel takes.
fn usage(kernel: &Kernel) -> String {
    sizes(kernel).map(|p| format!(" {}", p.name)).collect()
}

fn sizes(kernel: &Kernel) -> impl Iterator<Item = &KernelParam> {
    kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Size(_)))
}

fn program(kernel: &Kernel, constraints: &[SizeConstraint], head: String) -> String {
    let mut out = head;
    out.push_str(COMMON);
    let mut body = String::new();
    main(kernel, constraints, &mut body);
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

#if __STDC_VERSION__ < 201112L
#error "aligned_alloc is a function of C11: compile this file with -std=c11 or a later one"
#endif

static void* host_memory(size_t bytes) {
  void* start = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (start == NULL) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    exit(1);
  }
  return start;
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
        let name = size.map_or(text, |p| p.name.clone());
        Variable { expr: Expr::Name(name), long: true }
    }
}

/// A number of elements or work-items, in the names of the kernel's sizes.
pub(super) fn count(kernel: &Kernel, n: &Nat) -> String {
    let ranges = Ranges::default();
    let mut printer = Printer { ranges: &ranges, variable: &variables(kernel), rounds_down: false };
    printer.number(n).to_string()
}

fn main(kernel: &Kernel, constraints: &[SizeConstraint], out: &mut String) {
    let opencl = kernel.language == Language::OpenCl;
    let first = sizes(kernel).count() + 1;
    let limit =
        if opencl { format!("argc != {first} && argc != {}", first + 1) } else { format!("argc != {first}") };
    let (usage, optional) = (usage(kernel), if opencl { " [DEVICE]" } else { "" });
    let _ = write!(
        out,
        "  if ({limit}) {{\n    fprintf(stderr, \"usage: %s{usage}{optional}\\n\", argv[0]);\n    return 2;\n  }}\n"
    );
    for (i, p) in sizes(kernel).enumerate() {
        let (name, most) = (&p.name, kernel.most);
        let _ = write!(
            out,
            "  const long {name} = atol(argv[{}]);\n  if ({name} < 1 || {name} > {most}) {{\n    \
             fprintf(stderr, \"{name} must be from 1 to {most}\\n\");\n    return 2;\n  }}\n",
            i + 1
        );
    }
    for c in constraints {
        let Some(broken) = broken(c, &|n| count(kernel, n)) else { continue };
        let _ = write!(
            out,
            "  if ({broken}) {{\n    fprintf(stderr, \"it does not hold that %s\\n\", \"{}\");\n    return 2;\n  }}\n",
            in_quotes(c)
        );
    }
    for p in kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Input(..) | ParamKind::Output(_))) {
        fill(kernel, p, out);
    }
    let args: Vec<String> = kernel
        .params
        .iter()
        .map(|p| match p.kind {
            ParamKind::Size(_) => format!("(int){}", p.name),
            _ if p.scalar == Scalar::Bool && !p.by_value && !opencl => format!("(bool*){}", p.name),
            _ => p.name.clone(),
        })
        .collect();
    if opencl {
        call(&kernel.name, first, &args, out);
    } else {
        let call = format!("{}({})", kernel.name, args.join(", "));
        let _ = match kernel.divides {
            false => writeln!(out, "  {call};"),
            true => writeln!(
                out,
                "  if ({call} != 0) {{\n    fprintf(stderr, \"{UNDEFINED}\\n\");\n    return 1;\n  }}"
            ),
        };
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

/// Is this an array of indices of the input of this number that a `scatter` takes?
fn is_scattered(scattered: &BTreeSet<usize>, input: usize, leaf: &Leaf) -> bool {
    leaf.elem.as_index().is_some() && !leaf.dims.is_empty() && scattered.contains(&input)
}

/// Fills an array of indices with each row's own numbers, in any order: a cell that is written twice would be a race, and
/// another one would not be written.
fn fill_once(kernel: &Kernel, p: &KernelParam, leaf: &Leaf, out: &mut String) {
    let (name, len) = (&p.name, count(kernel, &p.len));
    let row = leaf.dims.last().map_or_else(|| "1".to_owned(), |n| count(kernel, n));
    let most = leaf.elem.as_index().map_or_else(|| row.clone(), |n| count(kernel, n));
    let _ = write!(
        out,
        "  for (long host_i = 0; host_i < {len}; host_i++) {{\n    \
         const long host_at = host_i % ({row});\n    \
         const long host_other = host_i - host_at + (long)((host_next() + 1.0) / 2.0 * (double)(host_at + 1));\n    \
         {name}[host_i] = (int)(host_at % ({most}));\n    \
         const int host_kept = {name}[host_other];\n    \
         {name}[host_other] = {name}[host_i];\n    \
         {name}[host_i] = host_kept;\n  }}\n"
    );
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
    if let ParamKind::Input(i, leaf) = &p.kind
        && is_scattered(&kernel.scattered, *i, leaf)
    {
        fill_once(kernel, p, leaf, out);
    } else if !value.is_empty() {
        let _ = writeln!(
            out,
            "  for (long host_i = 0; host_i < {len}; host_i++) {{\n    {name}[host_i] = {value};\n  }}"
        );
    }
}

/// Opens the device and calls the library.
fn call(name: &str, first: usize, args: &[String], out: &mut String) {
    let _ = write!(
        out,
        "  shine_context* host_context = shine_open(argc > {first} ? argv[{first}] : NULL, SHINE_COPY);\n\
         \x20 {name}_t host_self = {{0}};\n\
         \x20 if (shine_error(host_context) != NULL || !{name}_init(host_context, &host_self)\n\
         \x20     || !{name}_call(host_context, &host_self, {})) {{\n\
         \x20   fprintf(stderr, \"%s\\n\", shine_error(host_context));\n\
         \x20   return 1;\n\
         \x20 }}\n\
         \x20 {name}_destroy(&host_self);\n\
         \x20 shine_close(host_context);\n",
        args.join(", ")
    );
}
