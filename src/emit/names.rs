//! Identifiers that C and OpenCL C accept, each once.

use std::collections::BTreeSet;

use super::Language;
use crate::lang::ty::Scalar;

/// Words of C, of its headers and its library that generated code must not take.
const C: &[&str] = &[
    "EOF",
    "FILE",
    "INFINITY",
    "NAN",
    "NULL",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Float16",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "abort",
    "abs",
    "acos",
    "acosh",
    "aligned_alloc",
    "argc",
    "argv",
    "asin",
    "asinh",
    "asm",
    "assert",
    "atan",
    "atan2",
    "atanh",
    "atof",
    "atoi",
    "atol",
    "auto",
    "bool",
    "break",
    "calloc",
    "case",
    "cbrt",
    "ceil",
    "char",
    "complex",
    "const",
    "continue",
    "copysign",
    "cos",
    "cosh",
    "default",
    "div",
    "do",
    "double",
    "else",
    "enum",
    "erf",
    "erfc",
    "errno",
    "exit",
    "exp",
    "exp2",
    "expm1",
    "extern",
    "fabs",
    "false",
    "fdim",
    "float",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "for",
    "fprintf",
    "free",
    "frexp",
    "gamma",
    "goto",
    "hypot",
    "if",
    "ilogb",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intptr_t",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "j0",
    "j1",
    "jn",
    "labs",
    "ldexp",
    "lgamma",
    "linux",
    "llabs",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "long",
    "main",
    "malloc",
    "memcpy",
    "memset",
    "modf",
    "nan",
    "nextafter",
    "pow",
    "printf",
    "ptrdiff_t",
    "puts",
    "rand",
    "realloc",
    "register",
    "remainder",
    "remquo",
    "restrict",
    "return",
    "rint",
    "round",
    "short",
    "signbit",
    "signed",
    "sin",
    "sinh",
    "size_t",
    "sizeof",
    "sqrt",
    "static",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "tan",
    "tanh",
    "tgamma",
    "true",
    "trunc",
    "typedef",
    "typeof",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uintptr_t",
    "union",
    "unix",
    "unsigned",
    "void",
    "volatile",
    "while",
    "y0",
    "y1",
    "yn",
    // Helpers that kernels define.
    "allocate",
    "floor_div",
    "floor_mod",
];

/// Words and built-in functions that OpenCL C adds.
const OPENCL: &[&str] = &[
    "__constant",
    "__global",
    "__kernel",
    "__local",
    "__private",
    "acospi",
    "all",
    "any",
    "asinpi",
    "atan2pi",
    "atanpi",
    "barrier",
    "bitselect",
    "clamp",
    "clz",
    "constant",
    "cospi",
    "cross",
    "degrees",
    "distance",
    "dot",
    "event_t",
    "exp10",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fract",
    "global",
    "half",
    "hadd",
    "image1d_t",
    "image2d_t",
    "image3d_t",
    "isequal",
    "isgreater",
    "isless",
    "kernel",
    "length",
    "local",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "maxmag",
    "mem_fence",
    "min",
    "minmag",
    "mix",
    "mul24",
    "mul_hi",
    "ndrange_t",
    "normalize",
    "pipe",
    "popcount",
    "pown",
    "powr",
    "prefetch",
    "private",
    "queue_t",
    "radians",
    "read_imagef",
    "read_mem_fence",
    "read_only",
    "read_write",
    "reserve_id_t",
    "rhadd",
    "rootn",
    "rotate",
    "rsqrt",
    "sampler_t",
    "select",
    "shuffle",
    "shuffle2",
    "sign",
    "sincos",
    "sinpi",
    "smoothstep",
    "step",
    "sub_sat",
    "add_sat",
    "tanpi",
    "uchar",
    "uint",
    "ulong",
    "uniform",
    "upsample",
    "ushort",
    "vec_step",
    "wait_group_events",
    "write_mem_fence",
    "write_only",
];

/// Types with a width, such as `float4`, library functions with a type, such as `expf`, and what generated code defines.
fn is_family(name: &str) -> bool {
    let chunk = name.rsplit_once("_chunk").map(|(_, number)| number);
    let vector = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let typed = name.strip_suffix(['f', 'l']);
    let quotient = ["div_", "mod_"].iter().find_map(|p| name.strip_prefix(p));
    chunk.is_some_and(|k| !k.is_empty() && k.bytes().all(|b| b.is_ascii_digit()))
        || (vector != name
            && [
                "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
            ]
            .contains(&vector))
        || quotient.is_some_and(|of| of == "number" || Scalar::ALL.iter().any(|s| s.name() == of))
        || typed.is_some_and(|base| {
            [
                "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "exp", "exp2", "fabs", "floor",
                "fma", "fmax", "fmin", "fmod", "log", "log10", "log2", "pow", "rint", "round", "sin", "sinh",
                "sqrt", "tan", "tanh", "trunc",
            ]
            .contains(&base)
        })
        || [
            "native_", "half_", "convert_", "as_", "atomic_", "cl_", "CL_", "omp_", "host_", "shine_",
            "SHINE_", "min_", "max_", "abs_", "cast_", "foreign_",
        ]
        .iter()
        .any(|p| name.starts_with(p))
}

/// Words of C++ alone: a kernel's header is for both.
const CPP: &[&str] = &[
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "catch",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_cast",
    "template",
    "this",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
    "char8_t",
    "char16_t",
    "char32_t",
];

pub fn is_reserved(name: &str, language: Language) -> bool {
    C.contains(&name)
        || CPP.contains(&name)
        || is_family(name)
        || (language == Language::OpenCl
            && (OPENCL.contains(&name)
                || ["CLK_", "get_", "vload", "vstore", "async_", "work_group_", "sub_group_"]
                    .iter()
                    .any(|p| name.starts_with(p))))
}

/// Makes identifiers and remembers which are taken.
#[derive(Clone)]
pub struct Namer {
    language: Language,
    used: BTreeSet<String>,
}

impl Namer {
    pub fn new(language: Language) -> Namer {
        Namer { language, used: BTreeSet::new() }
    }

    /// A legal identifier near the hint that nothing else has.
    pub fn name(&mut self, hint: &str) -> String {
        let mut base: String = hint
            .chars()
            .map(|c| match c {
                'λ' | 'Λ' => 'l',
                c if c.is_ascii_alphanumeric() || c == '_' => c,
                _ => '_',
            })
            .collect();
        // A leading underscore belongs to the implementation.
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert(0, 'x');
        }
        base.truncate(60);
        if is_reserved(&base, self.language) {
            base.push('_');
        }
        let mut name = base.clone();
        let mut k = 1;
        while !self.used.insert(name.clone()) {
            name = format!("{base}_{k}");
            k += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_unique() {
        let mut namer = Namer::new(Language::OpenCl);
        assert_eq!(Namer::new(Language::C).name("dot"), "dot");
        assert_eq!(namer.name("float"), "float_");
        assert_eq!(namer.name("float4"), "float4_");
        assert_eq!(namer.name("expf"), "expf_");
        assert_eq!(namer.name("dot"), "dot_");
        assert_eq!(namer.name("x'"), "x_");
        assert_eq!(namer.name("x''"), "x__");
        assert_eq!(namer.name("x_"), "x__1");
        assert_eq!(namer.name("größe"), "gr__e");
        assert_eq!(namer.name("_x"), "x_x");
        assert_eq!(namer.name(""), "x");
        assert_eq!(namer.name("a"), "a");
        assert_eq!(namer.name("a"), "a_1");
    }
}
