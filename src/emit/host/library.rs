//! A module for OpenCL as a library in C: `NAME_init` builds its kernels, `NAME_run` runs it on buffers that host and
//! device use in turn, `NAME_call` on arrays of the host, and `NAME_destroy` frees what was built (thesis section 3.3).
//!
//! The functions stay the same however the program is cut into kernels. What they need of OpenCL is the same for every
//! program, [`RUNTIME`].

use super::{broken, c_type, header, in_quotes, is_scattered};
use crate::Language;
use crate::kernel::{Kernel, KernelParam, ParamKind, UNDEFINED, floor_functions};
use crate::lang::columns;
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Name, Nat, Ranges};
use crate::lang::origin::Origin;
use crate::lang::ty::Scalar;
use crate::lower::separate::{Host, Use};
use crate::module::{Argument, Buffer, Module, Role, Section};
use crate::names::{LIBRARY, Namer};
use crate::number::{Printer, Variable};
use crate::syntax::Expr;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The files that every library needs beside its own, with their names.
pub const RUNTIME: [(&str, &str); 2] = [
    ("shine_opencl.h", include_str!("../../../assets/runtime/shine_opencl.h")),
    ("shine_opencl.c", include_str!("../../../assets/runtime/shine_opencl.c")),
];

/// A parameter of the program, the same however it is cut into kernels.
pub struct Parameter {
    pub name: String,
    pub kind: Kind,
}

pub enum Kind {
    /// The buffer of this number.
    Array(usize),
    Size,
    /// A scalar of the input of this number.
    Value(usize, Scalar),
}

/// The text of a library as it is written.
pub struct Library<'a> {
    module: &'a Module,
    constraints: &'a [SizeConstraint],
    pub params: Vec<Parameter>,
    /// The names of buffers.
    buffers: Vec<String>,
    /// The names of sizes and of the variables of the host's loops.
    numbers: BTreeMap<Name, String>,
    namer: Namer,
}

impl<'a> Library<'a> {
    /// `constraints`: what must hold of the sizes that are parameters.
    pub fn new(module: &'a Module, constraints: &'a [SizeConstraint]) -> Library<'a> {
        let mut namer = Namer::new(Language::C);
        // A parameter would hide what is defined outside the functions. Other names there are reserved (`emit::names`).
        let own = LIBRARY.map(|part| format!("{}_{part}", module.name));
        let sections = module.sections.iter().map(|s| s.kernel.name.as_str());
        for taken in
            ["context", "self", &module.name].into_iter().chain(sections).chain(own.iter().map(|n| &**n))
        {
            namer.name(taken);
        }
        let mut library = Library {
            module,
            constraints,
            params: vec![],
            buffers: vec![String::new(); module.buffers.len()],
            numbers: BTreeMap::new(),
            namer,
        };
        library.parameters();
        for (number, buffer) in module.buffers.iter().enumerate().filter(|(_, b)| b.role == Role::Temp) {
            library.buffers[number] = library.namer.name(&buffer.name);
        }
        library
    }

    /// Outputs, sizes, inputs.
    fn parameters(&mut self) {
        let module = self.module;
        let all = || module.buffers.iter().enumerate();
        for (number, buffer) in all().filter(|(_, b)| b.role == Role::Output) {
            self.array(number, buffer);
        }
        for size in &module.sizes {
            let name = self.namer.name(size);
            self.numbers.insert(size.clone(), name.clone());
            self.params.push(Parameter { name, kind: Kind::Size });
        }
        for (number, buffer) in all() {
            let Role::Input(input) = buffer.role else { continue };
            if buffer.leaf.is_scalar() {
                let name = self.namer.name(&buffer.name);
                self.buffers[number].clone_from(&name);
                self.params.push(Parameter { name, kind: Kind::Value(input, buffer.scalar) });
            } else {
                self.array(number, buffer);
            }
        }
    }

    fn array(&mut self, number: usize, buffer: &Buffer) {
        let name = self.namer.name(&buffer.name);
        self.buffers[number].clone_from(&name);
        self.params.push(Parameter { name, kind: Kind::Array(number) });
    }

    fn buffer(&self, number: usize) -> &'a Buffer {
        &self.module.buffers[number]
    }

    /// A number in sizes and variables of loops.
    fn number(&self, n: &Nat) -> String {
        let ranges = Ranges::default();
        let variable = |v: &crate::lang::nat::NatVar| {
            let text = v.to_string();
            let name =
                self.numbers.iter().find(|(x, _)| ***x == *text).map_or(text, |(_, name)| name.clone());
            // Sizes and the variables of the host's loops are each an `int`; what is made of them may not be one.
            Variable { expr: Expr::Name(name), long: false }
        };
        Printer { ranges: &ranges, variable: &variable, rounds_down: false }.number(n).to_string()
    }

    fn bytes(&self, buffer: &Buffer) -> String {
        let ty = c_type(buffer.scalar, Language::OpenCl);
        format!("sizeof({ty}) * (size_t)({})", self.number(&buffer.len))
    }

    /// The parameters behind the first two, for buffers or for arrays of the host.
    fn signature(&self, arrays: bool) -> String {
        let one = |p: &Parameter| match p.kind {
            Kind::Size => format!(", int {}", p.name),
            Kind::Value(_, scalar) => format!(", {} {}", c_type(scalar, Language::OpenCl), p.name),
            Kind::Array(_) if !arrays => format!(", shine_buffer* {}", p.name),
            Kind::Array(number) => {
                let buffer = self.buffer(number);
                let constant = if buffer.role == Role::Output { "" } else { "const " };
                format!(", {constant}{}* {}", c_type(buffer.scalar, Language::OpenCl), p.name)
            }
        };
        self.params.iter().map(one).collect()
    }

    /// The functions' heads, without semicolons.
    fn prototypes(&self) -> [String; 4] {
        let name = &self.module.name;
        let first = format!("shine_context* context, {name}_t* self");
        [
            format!("bool {name}_init({first})"),
            format!("bool {name}_run({first}{})", self.signature(false)),
            format!("bool {name}_call({first}{})", self.signature(true)),
            format!("void {name}_destroy({name}_t* self)"),
        ]
    }

    /// `NAME.h`
    pub fn header(&self) -> String {
        let name = &self.module.name;
        let guard = format!("{}_H", name.to_uppercase());
        let mut out = format!("{}\n", header::MARK);
        self.module.comments.iter().for_each(|line| {
            let _ = writeln!(out, "// {line}");
        });
        let _ = write!(
            out,
            "//\n// Compile {name}.c and shine_opencl.c with your program:\n\
             //   cc -O3 -fopenmp -c {name}.c shine_opencl.c\n//\n\
             // Arrays lie row by row, the last dimension side by side, and none overlaps another:\n"
        );
        let width = columns::widest(self.params.iter().map(|p| &p.name), columns::NAMES);
        for p in &self.params {
            let _ = writeln!(out, "//   {}  {}", columns::left(&p.name, width), self.described(p));
        }
        if self.module.kernels(Language::OpenCl).any(|k| k.divides) {
            let _ = write!(out, "//\n// In kernels the quotient is taken as 0 where {UNDEFINED}.\n");
        }
        if self.module.kernels(Language::C).any(|k| k.divides) {
            let _ = write!(out, "//\n// Steps of the host fail where {UNDEFINED}.\n");
        }
        let kernels: String =
            self.module.kernels(Language::OpenCl).map(|k| format!("  shine_kernel* {};\n", k.name)).collect();
        let [init, run, call, destroy] = self.prototypes();
        let _ = write!(
            out,
            "\n#ifndef {guard}\n#define {guard}\n\n#include \"shine_opencl.h\"\n#include <stdint.h>\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
             typedef struct {name}_t {{\n  shine_program* program;\n{kernels}}} {name}_t;\n\n\
             // Builds the kernels. What fails is said by shine_error, and false comes back.\n{init};\n\
             // Runs on buffers, wherever they were used last.\n{run};\n\
             // Runs on arrays of the host.\n{call};\n\
             // Frees what was built.\n{destroy};\n\n\
             #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
        );
        out
    }

    fn described(&self, p: &Parameter) -> String {
        match p.kind {
            Kind::Size => "a size".to_owned(),
            Kind::Value(_, scalar) => format!("a number of {}", scalar.name()),
            Kind::Array(number) => {
                let buffer = self.buffer(number);
                let what = if buffer.role == Role::Output { "written" } else { "read" };
                let dims: Vec<String> = buffer.leaf.dims.iter().map(|d| self.number(d)).collect();
                let cells = if dims.is_empty() {
                    "one".to_owned()
                } else {
                    format!("{} cells of", dims.join(" by "))
                };
                let once = match buffer.role {
                    Role::Input(i) if is_scattered(&self.module.scattered, i, &buffer.leaf) => header::ONCE,
                    _ => "",
                };
                format!("{what}: {cells} {}{once}", buffer.scalar.name())
            }
        }
    }

    /// `NAME.c`
    pub fn text(&mut self) -> String {
        let module = self.module;
        let name = &module.name;
        let mut out = String::new();
        module.comments.iter().for_each(|line| {
            let _ = writeln!(out, "// {line}");
        });
        let _ = write!(out, "\n#include \"{name}.h\"\n#include <string.h>\n");
        let code = module.code(Language::C);
        if !code.is_empty() {
            let _ = write!(out, "\n{code}");
        }
        let mut body = String::new();
        let [init, run, call, destroy] = self.prototypes();
        let _ = write!(
            body,
            "\nstatic const char {name}_source[] =\n{};\n",
            literal(&module.code(Language::OpenCl))
        );
        let kernels: Vec<&Kernel> = module.kernels(Language::OpenCl).collect();
        let _ = write!(body, "\n{init} {{\n  self->program = shine_program_new(context, {name}_source);\n");
        for k in &kernels {
            let k = &k.name;
            let _ = writeln!(body, "  self->{k} = shine_kernel_new(context, self->program, \"{k}\");");
        }
        let _ = write!(body, "  return shine_error(context) == NULL;\n}}\n\n{destroy} {{\n");
        for k in kernels.iter().rev() {
            let _ = writeln!(body, "  shine_kernel_free(self->{});", k.name);
        }
        let _ = write!(body, "  shine_program_free(self->program);\n}}\n\n{run} {{\n");
        self.run(&mut body);
        let _ = write!(body, "}}\n\n{call} {{\n");
        self.call(&mut body);
        body.push_str("}\n");
        let divides = ["floor_div(", "floor_mod("].iter().any(|f| body.contains(f));
        if divides && !code.contains("long floor_div(") {
            out.push_str(&floor_functions(Language::C));
        }
        out + &body
    }

    /// What must hold of the sizes that are parameters.
    pub fn constraints(&self) -> &[SizeConstraint] {
        self.constraints
    }

    fn checks(&self, out: &mut String) {
        for p in self.params.iter().filter(|p| matches!(p.kind, Kind::Size)) {
            let _ = write!(
                out,
                "  if ({0} < 1) {{\n    shine_fail(context, \"{0} is less than 1\");\n    return false;\n  }}\n",
                p.name
            );
        }
        let most = self.most();
        for p in self.params.iter().filter(|p| matches!(p.kind, Kind::Size) && most < i32::MAX.into()) {
            let _ = write!(
                out,
                "  if ({0} > {most}) {{\n    shine_fail(context, \"{0} is more than {most}\");\n    return false;\n  }}\n",
                p.name
            );
        }
        for c in self.constraints {
            let Some(broken) = broken(c, &|n| self.number(n)) else { continue };
            let _ = write!(
                out,
                "  if ({broken}) {{\n    shine_fail(context, \"it does not hold that {}\");\n    return false;\n  }}\n",
                in_quotes(c)
            );
        }
    }

    fn run(&mut self, out: &mut String) {
        self.checks(out);
        for p in &self.params {
            if let Kind::Array(number) = p.kind {
                let bytes = self.bytes(self.buffer(number));
                let _ = writeln!(out, "  shine_buffer_expect(context, {0}, {bytes}, \"{0}\");", p.name);
            }
        }
        out.push_str("  if (shine_error(context) != NULL) {\n    return false;\n  }\n");
        let module = self.module;
        let own: Vec<usize> = (0..module.buffers.len())
            .filter(|b| module.buffers[*b].role == Role::Temp && module.plan.memory[*b] == *b)
            .collect();
        for number in &own {
            let bytes = self.bytes(self.buffer(*number));
            let tenants = (0..module.buffers.len()).filter(|b| module.plan.memory[*b] == *number);
            let access = tenants
                .map(|b| &module.buffers[b])
                .fold((Use::default(), Use::default()), |(h, d), b| (join(h, b.host), join(d, b.device)));
            let access = flags(access.0, access.1);
            let _ = writeln!(
                out,
                "  shine_buffer* {} = shine_buffer_new(context, {bytes}, {access});",
                self.buffers[*number]
            );
        }
        self.steps(&module.host, 1, out);
        for number in own.iter().rev() {
            let _ = writeln!(out, "  shine_buffer_free(context, {});", self.buffers[*number]);
        }
        out.push_str("  shine_finish(context);\n  return shine_error(context) == NULL;\n");
    }

    fn steps(&mut self, host: &'a [Host], depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        for step in host {
            match step {
                Host::Run(section) => {
                    let section = &self.module.sections[*section];
                    let _ = writeln!(out, "{indent}{{");
                    if section.kernel.language == Language::OpenCl {
                        self.launch(section, depth + 1, out);
                    } else {
                        self.host_call(section, depth + 1, out);
                    }
                    let _ = writeln!(out, "{indent}}}");
                }
                Host::Loop { var, n, body } => {
                    let name = self.namer.name(var);
                    let end = self.number(n);
                    self.numbers.insert(var.clone(), name.clone());
                    let _ = writeln!(out, "{indent}for (int {name} = 0; {name} < {end}; {name} += 1) {{");
                    self.steps(body, depth + 1, out);
                    let _ = writeln!(out, "{indent}}}");
                }
            }
        }
    }

    /// The memory that a buffer lies in.
    fn memory(&self, number: usize) -> &str {
        &self.buffers[self.module.plan.memory[number]]
    }

    fn launch(&self, section: &Section, depth: usize, out: &mut String) {
        let (indent, kernel) = ("  ".repeat(depth), &section.kernel);
        let mut args = vec![];
        for (i, (argument, p)) in section.args.iter().zip(&kernel.params).enumerate() {
            let declared = match argument {
                Argument::Local(scalar, len) => {
                    let bytes = format!(
                        "sizeof({}) * (size_t)({})",
                        c_type(*scalar, Language::OpenCl),
                        self.number(len)
                    );
                    args.push(format!("{{{bytes}, NULL}}"));
                    continue;
                }
                Argument::Buffer(number, access) => {
                    let access = flags(Use::default(), *access);
                    format!(
                        "void* const shine_{i} = shine_device(context, {}, {access})",
                        self.memory(*number)
                    )
                }
                Argument::Number(n) => format!("const int shine_{i} = (int)({})", self.number(n)),
                Argument::Value(..) => {
                    let ty = c_type(p.scalar, Language::OpenCl);
                    format!("const {ty} shine_{i} = {}", self.value(argument))
                }
            };
            let _ = writeln!(out, "{indent}{declared};");
            args.push(format!("{{sizeof(shine_{i}), &shine_{i}}}"));
        }
        let sizes = |n: &[Nat; 3]| n.each_ref().map(|n| format!("(size_t)({})", self.number(n))).join(", ");
        let _ = writeln!(out, "{indent}const size_t shine_global[3] = {{{}}};", sizes(&kernel.global_size));
        let local = kernel.local_size.as_ref().map_or("NULL", |local| {
            let _ = writeln!(out, "{indent}const size_t shine_local[3] = {{{}}};", sizes(local));
            "shine_local"
        });
        let _ = write!(
            out,
            "{indent}const shine_argument shine_arguments[] = {{{}}};\n\
             {indent}shine_launch(context, self->{}, shine_global, {local}, {}, shine_arguments);\n",
            args.join(", "),
            kernel.name,
            args.len()
        );
    }

    fn host_call(&self, section: &Section, depth: usize, out: &mut String) {
        let (indent, kernel) = ("  ".repeat(depth), &section.kernel);
        let mut args = vec![];
        for (i, (argument, p)) in section.args.iter().zip(&kernel.params).enumerate() {
            args.push(match argument {
                Argument::Buffer(number, access) => {
                    let access = flags(*access, Use::default());
                    let memory = self.memory(*number);
                    let _ = writeln!(
                        out,
                        "{indent}void* const shine_{i} = shine_host(context, {memory}, {access});"
                    );
                    format!("shine_{i}")
                }
                Argument::Number(n) => format!("(int)({})", self.number(n)),
                Argument::Value(..) if p.scalar == Scalar::F16 => {
                    format!("*(const _Float16*)&{}", self.value(argument))
                }
                Argument::Value(..) | Argument::Local(..) => self.value(argument),
            });
        }
        let call = format!("{}({})", kernel.name, args.join(", "));
        let _ = write!(
            out,
            "{indent}if (shine_error(context) == NULL{}) {{\n{indent}  {}\n{indent}}}\n",
            if kernel.divides { format!(" && {call} != 0") } else { String::new() },
            if kernel.divides {
                format!("shine_fail(context, \"{UNDEFINED}\");")
            } else {
                format!("{call};")
            },
        );
    }

    /// The name of a scalar parameter.
    fn value(&self, argument: &Argument) -> String {
        let Argument::Value(input, leaf) = argument else { return String::new() };
        let is_it = |b: &Buffer| b.role == Role::Input(*input) && b.leaf.path == leaf.path;
        self.module.buffers.iter().position(is_it).map(|i| self.buffers[i].clone()).unwrap_or_default()
    }

    fn call(&self, out: &mut String) {
        self.checks(out);
        let arrays: Vec<(&str, &Buffer)> = self
            .params
            .iter()
            .filter_map(|p| if let Kind::Array(n) = p.kind { Some((&*p.name, self.buffer(n))) } else { None })
            .collect();
        for (i, (name, buffer)) in arrays.iter().enumerate() {
            let bytes = self.bytes(buffer);
            let (by_host, by_device) = match buffer.role {
                Role::Output => ("SHINE_HOST_READ", "SHINE_DEVICE_WRITE"),
                _ => ("SHINE_HOST_WRITE", "SHINE_DEVICE_READ"),
            };
            let _ = writeln!(out, "  const size_t shine_bytes_{i} = {bytes};");
            let _ = writeln!(
                out,
                "  shine_buffer* shine_{i} = shine_buffer_new(context, shine_bytes_{i}, {by_host} | {by_device});"
            );
            if buffer.role != Role::Output {
                let _ = write!(
                    out,
                    "  void* const shine_to_{i} = shine_host(context, shine_{i}, SHINE_HOST_WRITE);\n\
                     \x20 if (shine_to_{i} != NULL) {{\n    memcpy(shine_to_{i}, {name}, shine_bytes_{i});\n  }}\n"
                );
            }
        }
        let mut next = 0..;
        let mut argument = |p: &Parameter| match p.kind {
            Kind::Array(_) => format!("shine_{}", next.next().unwrap_or(0)),
            _ => p.name.clone(),
        };
        let args: Vec<String> = self.params.iter().map(&mut argument).collect();
        let name = &self.module.name;
        let _ = writeln!(
            out,
            "  if (shine_error(context) == NULL) {{\n    {name}_run(context, self, {});\n  }}",
            args.join(", ")
        );
        for (i, (name, _)) in arrays.iter().enumerate().filter(|(_, (_, b))| b.role == Role::Output) {
            let _ = write!(
                out,
                "  const void* const shine_from_{i} = shine_host(context, shine_{i}, SHINE_HOST_READ);\n\
                 \x20 if (shine_from_{i} != NULL) {{\n    memcpy({name}, shine_from_{i}, shine_bytes_{i});\n  }}\n"
            );
        }
        for i in 0..arrays.len() {
            let _ = writeln!(out, "  shine_buffer_free(context, shine_{i});");
        }
        out.push_str("  return shine_error(context) == NULL;\n");
    }

    /// What a program gives `NAME_call`, as a function in C would take it.
    pub fn interface(&self) -> Kernel {
        let module = self.module;
        let mut sizes = module.sizes.iter();
        let one = |p: &Parameter| {
            let number = self.buffers.iter().position(|b| *b == p.name);
            match (&p.kind, number.map(|n| &module.buffers[n])) {
                (Kind::Size, _) | (_, None) => KernelParam {
                    name: p.name.clone(),
                    kind: ParamKind::Size(sizes.next().cloned().unwrap_or_else(|| p.name.as_str().into())),
                    scalar: Scalar::I32,
                    len: Nat::constant(1),
                    by_value: true,
                },
                (kind, Some(buffer)) => KernelParam {
                    name: p.name.clone(),
                    kind: match buffer.role {
                        Role::Input(i) => ParamKind::Input(i, buffer.leaf.clone()),
                        _ => ParamKind::Output(buffer.leaf.clone()),
                    },
                    scalar: buffer.scalar,
                    len: buffer.len.clone(),
                    by_value: matches!(kind, Kind::Value(..)),
                },
            }
        };
        Kernel {
            language: Language::OpenCl,
            name: module.name.clone(),
            prototype: String::new(),
            text: String::new(),
            prelude: vec![],
            function: String::new(),
            lines: vec![],
            params: self.params.iter().map(one).collect(),
            passed: vec![],
            scattered: module.scattered.clone(),
            global_size: [Nat::constant(1), Nat::constant(1), Nat::constant(1)],
            local_size: None,
            local_memory: vec![],
            origin: Origin::default(),
            parallel: false,
            divides: false,
            most: self.most(),
            most_items: None,
        }
    }

    /// How many kernels are built.
    pub fn kernels(&self) -> usize {
        self.module.kernels(Language::OpenCl).count()
    }

    /// The lines at the head of each file.
    pub fn about(&self) -> &'a [String] {
        &self.module.comments
    }

    /// The most that a size may be, for every section.
    fn most(&self) -> i64 {
        self.module.sections.iter().map(|s| s.kernel.most).min().unwrap_or(i32::MAX.into())
    }
}

fn join(a: Use, b: Use) -> Use {
    Use { reads: a.reads || b.reads, writes: a.writes || b.writes }
}

/// `SHINE_HOST_READ | SHINE_DEVICE_WRITE`
fn flags(host: Use, device: Use) -> String {
    let all = [
        (host.reads, "SHINE_HOST_READ"),
        (host.writes, "SHINE_HOST_WRITE"),
        (device.reads, "SHINE_DEVICE_READ"),
        (device.writes, "SHINE_DEVICE_WRITE"),
    ];
    let used: Vec<&str> = all.into_iter().filter(|(used, _)| *used).map(|(_, name)| name).collect();
    if used.is_empty() { "0".to_owned() } else { used.join(" | ") }
}

/// A text as a literal of C, a line of it in each line.
fn literal(text: &str) -> String {
    let line = |l: &str| {
        let escaped = l.replace('\\', "\\\\").replace('"', "\\\"").replace("??", "?\\?");
        format!("  \"{escaped}\\n\"")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
