//! Functions of mathematics that a C library computes lane by lane, so that loops that call them become vectors.

use super::code::Feature;
use crate::lang::ty::Scalar;
use std::collections::BTreeSet;

/// Those that libmvec has wherever glibc is for x86-64, and the numbers that they take. It keeps to 4 units in the last place.
const IN_LANES: [(&str, usize); 5] = [("exp", 1), ("log", 1), ("sin", 1), ("cos", 1), ("pow", 2)];

/// What is to be said where this function is called, by its name in C for doubles; nothing of others.
pub fn in_lanes(name: &str, s: Scalar) -> Option<Feature> {
    IN_LANES.iter().find(|(known, _)| *known == name).map(|(known, count)| Feature::Lanes(known, *count, s))
}

/// Declares the functions that are used. The header of glibc does so only where a compiler may calculate as it likes; clang
/// knows the library by a flag, and others do not have it.
pub fn declarations(uses: &BTreeSet<Feature>) -> Option<String> {
    let one = |feature: &Feature| {
        let Feature::Lanes(name, count, s) = feature else { return None };
        let (ty, suffix) = if *s == Scalar::F64 { ("double", "") } else { ("float", "f") };
        let params = vec![ty; *count].join(", ");
        Some(format!("extern {ty} {name}{suffix}({params}) __attribute__((__simd__(\"notinbranch\")));\n"))
    };
    let all: String = uses.iter().filter_map(one).collect();
    let has_them = "defined __GNUC__ && !defined __clang__ && defined __GLIBC__ && defined __x86_64__";
    (!all.is_empty()).then(|| format!("#if {has_them}\n{all}#endif\n"))
}
