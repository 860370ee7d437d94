//! Functions of mathematics that a C library computes lane by lane, so that loops that call them become vectors.

use super::code::Feature;
use crate::lang::ty::Scalar;
use std::collections::BTreeSet;

/// A function that libmvec has: its name in C for doubles, and how many numbers it takes. It keeps to 4 units in the last place,
/// and to what is said of infinities, of zeros with a sign and of what has no result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InLanes {
    /// Whether only later versions of glibc have it than those that have any.
    is_late: bool,
    name: &'static str,
    count: usize,
}

const fn early(name: &'static str, count: usize) -> InLanes {
    InLanes { is_late: false, name, count }
}

const fn late(name: &'static str, count: usize) -> InLanes {
    InLanes { is_late: true, name, count }
}

/// The first are there wherever glibc is for x86-64, the others since glibc 2.35.
const IN_LANES: [InLanes; 16] = [
    early("exp", 1),
    early("log", 1),
    early("sin", 1),
    early("cos", 1),
    early("pow", 2),
    late("exp2", 1),
    late("log2", 1),
    late("log10", 1),
    late("tan", 1),
    late("asin", 1),
    late("acos", 1),
    late("atan", 1),
    late("sinh", 1),
    late("cosh", 1),
    late("tanh", 1),
    late("atan2", 2),
];

/// What is to be said where this function is called, by its name in C for doubles; nothing of others.
pub fn in_lanes(name: &str, s: Scalar) -> Option<Feature> {
    IN_LANES.iter().find(|known| known.name == name).map(|known| Feature::Lanes(*known, s))
}

/// Declares the functions that are used. The header of glibc does so only where a compiler may calculate as it likes; clang
/// knows the library by a flag, and others do not have it.
pub fn declarations(uses: &BTreeSet<Feature>) -> Option<String> {
    let all = |is_late: bool| -> String {
        let used = uses.iter().filter_map(|feature| match feature {
            Feature::Lanes(function, s) if function.is_late == is_late => Some(declaration(*function, *s)),
            _ => None,
        });
        used.collect()
    };
    let (early, mut late) = (all(false), all(true));
    if !late.is_empty() {
        late = format!("#if __GLIBC__ > 2 || __GLIBC_MINOR__ >= 35\n{late}#endif\n");
    }
    let has_them = "defined __GNUC__ && !defined __clang__ && defined __GLIBC__ && defined __x86_64__";
    (!early.is_empty() || !late.is_empty()).then(|| format!("#if {has_them}\n{early}{late}#endif\n"))
}

fn declaration(function: InLanes, s: Scalar) -> String {
    let InLanes { name, count, .. } = function;
    let (ty, suffix) = if s == Scalar::F64 { ("double", "") } else { ("float", "f") };
    let params = vec![ty; count].join(", ");
    format!("extern {ty} {name}{suffix}({params}) __attribute__((__simd__(\"notinbranch\")));\n")
}
