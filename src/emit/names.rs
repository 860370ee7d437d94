//! Identifiers that C and OpenCL C accept, each once.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::Language;
use crate::lang::ty::Scalar;

/// Names that others have, from a file, in which lines with `#` say whose they are.
struct Names {
    whole: BTreeSet<&'static str>,
    /// `name*`: all that begin so.
    beginnings: Vec<&'static str>,
    /// `name+`: there is one for each type, such as `expf` and `M_PIf64`.
    of_types: BTreeSet<&'static str>,
}

impl Names {
    fn read(text: &'static str) -> Names {
        let words =
            || text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_ascii_whitespace);
        Names {
            whole: words().map(|word| word.trim_end_matches('+')).collect(),
            beginnings: words().filter_map(|word| word.strip_suffix('*')).collect(),
            of_types: words().filter_map(|word| word.strip_suffix('+')).collect(),
        }
    }

    fn have(&self, name: &str) -> bool {
        let ends = ["f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "_F", "_H"];
        let of_type = |end: &&str| name.strip_suffix(*end).is_some_and(|base| self.of_types.contains(base));
        self.whole.contains(name)
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
            || ends.iter().any(of_type)
    }
}

static C: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("names/c.txt")));
static CPP: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("names/cpp.txt")));
static OPENCL: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("names/opencl.txt")));
static FUNCTIONS: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("names/functions.txt")));

/// Types with a width, such as `float4`, and what generated code defines.
fn is_family(name: &str) -> bool {
    let chunk = name.rsplit_once("_chunk").map(|(_, number)| number);
    let vector = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let quotient = ["div_", "mod_"].iter().find_map(|p| name.strip_prefix(p));
    chunk.is_some_and(|k| !k.is_empty() && k.bytes().all(|b| b.is_ascii_digit()))
        || (vector != name
            && [
                "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
            ]
            .contains(&vector))
        || quotient.is_some_and(|of| of == "number" || Scalar::ALL.iter().any(|s| s.name() == of))
}

pub fn is_reserved(name: &str, language: Language) -> bool {
    C.have(name) || CPP.have(name) || is_family(name) || (language == Language::OpenCl && OPENCL.have(name))
}

/// May a function not have the name, or what a library makes of it?
fn is_elsewhere(name: &str) -> bool {
    let is_taken = |name: &str| FUNCTIONS.have(name) || is_reserved(name, Language::C);
    is_taken(name) || LIBRARY.iter().any(|part| is_taken(&format!("{name}_{part}")))
}

/// What a library defines for a program: each behind its name and `_`.
pub const LIBRARY: [&str; 6] = ["t", "source", "init", "run", "call", "destroy"];

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

    /// A legal identifier near the hint that nothing else has, within a function.
    pub fn name(&mut self, hint: &str) -> String {
        self.unless(hint, &|base, language| is_reserved(base, language))
    }

    /// A legal identifier near the hint for a function, which is seen by all that a program consists of.
    pub fn function(&mut self, hint: &str) -> String {
        self.unless(hint, &|base, language| is_reserved(base, language) || is_elsewhere(base))
    }

    fn unless(&mut self, hint: &str, is_taken: &dyn Fn(&str, Language) -> bool) -> String {
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
        if is_taken(&base, self.language) {
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
        let as_function = |name| Namer::new(Language::C).function(name);
        assert_eq!(["dot", "remove", "size", "math"].map(as_function), ["dot", "remove_", "size_", "math_"]);
        assert_eq!(Namer::new(Language::C).name("remove"), "remove");
        let macros = ["M_E", "HUGE_VALF", "RAND_MAX", "BUFSIZ", "M_PIf64x", "SEEK_SET", "FP_NAN", "FLT_MAX"];
        for name in macros {
            assert_eq!(Namer::new(Language::C).name(name), format!("{name}_"));
        }
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
