//! A module of Python around a kernel in C: arrays of NumPy in and out, sizes from their shapes.
//!
//! It compiles the kernel when it is first called, checks what it is given, for a kernel trusts its arguments, and
//! allocates the result.

use super::variables;
use crate::emit::kernel::{Kernel, KernelParam, ParamKind};
use crate::emit::number::Printer;
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Name, Nat, NatVar, Ranges, Solution, solve};
use crate::lang::ty::Scalar;
use std::fmt::Write;

/// The keywords of Python, of which no argument can have the name, and what the module calls its own.
const TAKEN: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "ctypes",
    "np", "_array", "_check", "_kernel", "_pointer", "_shape",
];

/// A name that Python takes.
fn python(name: &str) -> String {
    if TAKEN.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// The type of NumPy and that of `ctypes`.
fn types(scalar: Scalar) -> (&'static str, &'static str) {
    match scalar {
        Scalar::Bool => ("bool_", "c_bool"),
        Scalar::I8 => ("int8", "c_int8"),
        Scalar::I16 => ("int16", "c_int16"),
        Scalar::I32 => ("int32", "c_int32"),
        Scalar::I64 => ("int64", "c_int64"),
        Scalar::U8 => ("uint8", "c_uint8"),
        Scalar::U16 => ("uint16", "c_uint16"),
        Scalar::U32 => ("uint32", "c_uint32"),
        Scalar::U64 => ("uint64", "c_uint64"),
        Scalar::F16 => ("float16", "c_uint16"),
        Scalar::F32 => ("float32", "c_float"),
        Scalar::F64 => ("float64", "c_double"),
    }
}

/// The text of `NAME.py`, which lies beside `NAME.c`; None for a kernel that cannot be called from there, one that takes a
/// half by value. `about` are the lines at its head.
pub fn module(kernel: &Kernel, about: &[String], constraints: &[SizeConstraint]) -> Option<String> {
    if kernel.params.iter().any(|p| p.by_value && p.scalar == Scalar::F16) {
        return None;
    }
    let name = python(&kernel.name);
    let inputs: Vec<&KernelParam> =
        kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Input(..))).collect();
    let (solved, open) = sizes(kernel);
    let mut arguments: Vec<String> = inputs.iter().map(|p| python(&p.name)).collect();
    arguments.extend(open.iter().map(|n| python(n)));
    let mut out = String::from("\"\"\"");
    for line in about {
        let _ = writeln!(out, "{line}");
    }
    let call = format!("{name}({})", arguments.join(", "));
    let _ = write!(
        out,
        "\n    import {name}\n    result = {name}.{call}\n\n\
         Arrays are NumPy's; they are copied where they do not lie row by row. The kernel is compiled from {c}.c, beside this\n\
         file, when it is first called; CC names another compiler than cc.\n\"\"\"\n\n",
        c = kernel.name
    );
    out.push_str(&PRELUDE.replace("KERNEL", &kernel.name));
    let _ = write!(out, "\n\ndef {call}:\n    \"\"\"{}\n\n", about.first().map_or("", String::as_str));
    for p in &inputs {
        let _ = writeln!(out, "    {}: {}", python(&p.name), described(kernel, p));
    }
    for n in &open {
        let _ = writeln!(out, "    {}: a size", python(n));
    }
    let outputs: Vec<&KernelParam> =
        kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Output(_))).collect();
    let results: Vec<String> = outputs.iter().map(|p| described(kernel, p)).collect();
    let _ = write!(out, "    Returns {}.\n    \"\"\"\n", results.join(", and "));
    body(kernel, &inputs, &outputs, &solved, constraints, &mut out);
    Some(out)
}

/// What an input or output is.
fn described(kernel: &Kernel, p: &KernelParam) -> String {
    let (ParamKind::Input(_, leaf) | ParamKind::Output(leaf)) = &p.kind else { return String::new() };
    let ty = types(p.scalar).0;
    match leaf.dims.as_slice() {
        [] => format!("a number ({ty})"),
        dims => {
            let dims: Vec<String> = dims.iter().map(|d| size(kernel, d)).collect();
            format!("an array of {ty}, {}", dims.join(" by "))
        }
    }
}

/// A size as an expression of Python.
fn size(kernel: &Kernel, n: &Nat) -> String {
    let names = variables(kernel);
    let variable = |v: &NatVar| {
        let mut variable = names(v);
        if let crate::emit::syntax::Expr::Name(name) = &mut variable.expr {
            *name = python(name);
        }
        variable
    };
    let ranges = Ranges::default();
    let mut printer = Printer { ranges: &ranges, variable: &variable, rounds_down: false };
    printer.number(n).to_string().replace('/', "//")
}

/// The kernel's sizes in the order in which shapes determine them, each with what it is, and those that none does.
fn sizes(kernel: &Kernel) -> (Vec<(Name, Nat)>, Vec<Name>) {
    let mut open: Vec<Name> = kernel
        .params
        .iter()
        .filter_map(|p| if let ParamKind::Size(n) = &p.kind { Some(n.clone()) } else { None })
        .collect();
    let mut equations = vec![];
    for p in &kernel.params {
        if let (ParamKind::Input(_, leaf), false) = (&p.kind, p.by_value) {
            let name = python(&p.name);
            let shape = leaf.dims.iter().enumerate();
            equations.extend(shape.map(|(i, dim)| (dim.clone(), Nat::var(&format!("{name}.shape[{i}]")))));
        }
    }
    let mut solved = vec![];
    loop {
        let is_open = |v: &NatVar| matches!(v, NatVar::Named(n) if open.contains(n));
        let found = equations.iter().find_map(|(dim, shape)| match solve(dim, shape, &is_open) {
            Solution::Bind(NatVar::Named(name), n) if !n.vars().iter().any(is_open) => Some((name, n)),
            _ => None,
        });
        let Some((name, n)) = found else { return (solved, open) };
        open.retain(|o| *o != name);
        solved.push((name, n));
    }
}

fn body(
    kernel: &Kernel,
    inputs: &[&KernelParam],
    outputs: &[&KernelParam],
    solved: &[(Name, Nat)],
    constraints: &[SizeConstraint],
    out: &mut String,
) {
    let arrays = |p: &&&KernelParam| !p.by_value;
    for p in inputs.iter().filter(arrays) {
        let ParamKind::Input(_, leaf) = &p.kind else { continue };
        let (name, ty) = (python(&p.name), types(p.scalar).0);
        let _ = writeln!(out, "    {name} = _array(\"{name}\", {name}, np.{ty}, {})", leaf.dims.len());
    }
    for (name, n) in solved {
        let _ = writeln!(out, "    {} = {}", python(name), size(kernel, n));
    }
    for p in kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Size(_))) {
        let name = python(&p.name);
        let _ = writeln!(out, "    _check(1 <= {name} < 2**31, f\"the size {name} cannot be {{{name}}}\")");
    }
    for c in constraints {
        let holds = match c {
            SizeConstraint::Divides(by, n) => format!("({}) % ({}) == 0", size(kernel, n), size(kernel, by)),
            SizeConstraint::AtMost(a, b) => format!("{} <= {}", size(kernel, a), size(kernel, b)),
            SizeConstraint::Equal(a, b) => format!("{} == {}", size(kernel, a), size(kernel, b)),
            SizeConstraint::Permutes(..) => continue,
        };
        let _ = writeln!(out, "    _check({holds}, \"the sizes do not fit: {c}\")");
    }
    for p in inputs.iter() {
        let ParamKind::Input(_, leaf) = &p.kind else { continue };
        let name = python(&p.name);
        if !p.by_value {
            let shape: String = leaf.dims.iter().map(|d| format!("{}, ", size(kernel, d))).collect();
            let _ = writeln!(out, "    _shape(\"{name}\", {name}, ({}))", shape.trim_end());
        }
        if let Some(end) = leaf.elem.as_index() {
            let end = size(kernel, end);
            let all = if p.by_value {
                format!("0 <= {name} < {end}")
            } else {
                format!("np.all((0 <= {name}) & ({name} < {end}))")
            };
            let _ =
                writeln!(out, "    _check({all}, f\"{name} holds an index that is not below {{{end}}}\")");
        }
    }
    for p in outputs {
        let ParamKind::Output(leaf) = &p.kind else { continue };
        let dims: String = leaf.dims.iter().map(|d| format!("{}, ", size(kernel, d))).collect();
        let shape = if dims.is_empty() { "1,".to_owned() } else { dims.trim_end().to_owned() };
        let _ = writeln!(out, "    {} = np.empty(({shape}), np.{})", python(&p.name), types(p.scalar).0);
    }
    for p in kernel.params.iter().filter(|p| p.kind == ParamKind::Temp) {
        let _ = writeln!(
            out,
            "    {} = np.empty({}, np.{})",
            python(&p.name),
            size(kernel, &p.len),
            types(p.scalar).0
        );
    }
    let call: Vec<String> = kernel
        .params
        .iter()
        .map(|p| {
            let name = python(&p.name);
            match &p.kind {
                ParamKind::Size(_) => format!("ctypes.c_int({name})"),
                ParamKind::Input(..) if p.by_value => format!("ctypes.{}({name})", types(p.scalar).1),
                ParamKind::Temp => {
                    format!("_pointer(np.empty({}, np.{}))", size(kernel, &p.len), types(p.scalar).0)
                }
                _ => format!("_pointer({name})"),
            }
        })
        .collect();
    let _ = writeln!(out, "    _kernel()(\n        {},\n    )", call.join(",\n        "));
    let results: Vec<String> = outputs
        .iter()
        .map(|p| {
            let is_scalar = matches!(&p.kind, ParamKind::Output(leaf) if leaf.dims.is_empty());
            python(&p.name) + if is_scalar { "[0]" } else { "" }
        })
        .collect();
    let _ = writeln!(out, "    return {}", results.join(", "));
}

const PRELUDE: &str = r#"import ctypes
import os
import shutil
import subprocess
import tempfile

import numpy as np

_LOADED = []


def _kernel():
    """The compiled kernel."""
    if not _LOADED:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "KERNEL.c")
        folder = tempfile.mkdtemp()
        try:
            library = os.path.join(folder, "libKERNEL.so")
            compiler = os.environ.get("CC", "cc").split()
            flags = ["-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"]
            subprocess.run(compiler + flags + [source, "-lm", "-o", library], check=True)
            _LOADED.append(ctypes.CDLL(library).KERNEL)
            _LOADED[0].restype = None
        finally:
            # What is loaded stays where it is when its file goes.
            shutil.rmtree(folder, ignore_errors=True)
    return _LOADED[0]


def _check(holds, problem):
    if not holds:
        raise ValueError(problem)


def _array(name, value, dtype, rank):
    """The argument as it is, or a copy that lies row by row."""
    array = value if isinstance(value, np.ndarray) else np.asarray(value, dtype)
    if array.dtype != dtype:
        wanted = np.dtype(dtype).name
        raise TypeError(f"{name} is of {array.dtype.name}: use {name}.astype(np.{wanted})")
    if array.ndim != rank:
        raise ValueError(f"{name} has {array.ndim} dimensions and needs {rank}")
    return np.ascontiguousarray(array)


def _shape(name, array, shape):
    if array.shape != shape:
        raise ValueError(f"the shape of {name} is {array.shape} and has to be {shape}")


def _pointer(array):
    return ctypes.c_void_p(array.ctypes.data)
"#;
