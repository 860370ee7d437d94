//! The header of a kernel in C: its declaration, for C and C++, and what its arguments are.

use super::count;
use crate::emit::code::Leaf;
use crate::emit::kernel::{Kernel, KernelParam, ParamKind};
use std::fmt::Write;

/// The text of `NAME.h`, which lies beside `NAME.c`. `about` are the lines at its head.
pub fn header(kernel: &Kernel, about: &[String]) -> String {
    let name = &kernel.name;
    let guard = format!("{}_H", name.to_uppercase());
    let mut out = String::new();
    about.iter().for_each(|line| {
        let _ = writeln!(out, "// {line}");
    });
    let _ = write!(
        out,
        "//\n// Compile {name}.c with your program, or to a library of its own:\n\
         //   cc -O3 -fopenmp -fPIC -shared {name}.c -lm -o lib{name}.so\n\
         //\n// Arrays lie row by row, the last dimension side by side, and none overlaps another:\n"
    );
    let width = kernel.params.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for p in &kernel.params {
        let _ = writeln!(out, "//   {:width$}  {}", p.name, argument(kernel, p));
    }
    // C++ has no `restrict`; the declaration means the same without.
    let prototype = kernel.prototype.replace(" restrict ", " ");
    let _ = write!(
        out,
        "\n#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{prototype};\n\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    );
    out
}

/// What an argument is, in words.
fn argument(kernel: &Kernel, p: &KernelParam) -> String {
    let array = |leaf: &Leaf, what: &str| {
        let scalar = p.scalar.name();
        if leaf.dims.is_empty() {
            return format!("{what}: one {scalar}");
        }
        let dims: Vec<String> = leaf.dims.iter().map(|d| count(kernel, d)).collect();
        format!("{what}: {} cells of {scalar}", dims.join(" by "))
    };
    match &p.kind {
        ParamKind::Output(leaf) => array(leaf, "written"),
        ParamKind::Size(_) => "a size".to_owned(),
        ParamKind::Input(_, leaf) if p.by_value => match leaf.elem.as_index() {
            Some(n) => format!("a number from 0 up to and without {}", count(kernel, n)),
            None => format!("a number of {}", p.scalar.name()),
        },
        ParamKind::Input(_, leaf) => match leaf.elem.as_index() {
            Some(n) => format!("{}, each from 0 up to and without {}", array(leaf, "read"), count(kernel, n)),
            None => array(leaf, "read"),
        },
        ParamKind::Temp => {
            format!("memory to work with: {} cells of {}", count(kernel, &p.len), p.scalar.name())
        }
    }
}
