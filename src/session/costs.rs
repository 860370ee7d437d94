//! What a state costs, as far as that can be told without running it.

use super::action::{Sizes, Target};
use super::workspace::Workspace;
use crate::emit::Stage;
use crate::emit::module::Role;
use crate::lang::nat::Nat;
use crate::lang::term::Term;
use crate::lang::work;
use crate::lower::dpia::{Phrase, reads};
use indexmap::IndexMap;

/// What a program takes. What depends on a size that has no value, or one that does not fit, is not known.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Costs {
    /// Lines of its code; none where there is no code.
    pub lines: Option<usize>,
    /// The code of what keeps it from having code.
    pub problem: Option<&'static str>,
    /// Operations on floating-point numbers, as often as this very term computes them.
    pub flops: Option<f64>,
    /// Bytes of buffers that are neither inputs nor outputs; none also where there is no code.
    pub stored: Option<u64>,
    /// How many elements of each input the code reads, counted as often as it does; of C alone: work-items of a group read together.
    pub reads: IndexMap<String, f64>,
}

impl Costs {
    /// The costs of a term in a language.
    pub fn of(workspace: &Workspace, term: &Term, target: Target, sizes: &Sizes) -> Costs {
        let compiled = workspace.compile(term, target, sizes);
        let module = compiled.as_ref().ok().map(|compiled| &compiled.module);
        let stages = compiled.as_ref().map_or(&[][..], |compiled| &compiled.stages);
        let bytes = |len: &Nat, size: u64| {
            let len = value(len, sizes)?;
            u64::try_from(len).ok().map(|len| len.saturating_mul(size))
        };
        Costs {
            lines: module.map(|module| module.text().lines().filter(|line| !line.trim().is_empty()).count()),
            problem: compiled.as_ref().err().map(|problem| problem.code),
            flops: work::flops(term, sizes),
            reads: module.filter(|_| target == Target::C).map_or_else(IndexMap::new, |module| {
                let inputs = module.buffers.iter().filter(|buffer| matches!(buffer.role, Role::Input(_)));
                read_of(&inputs.map(|buffer| &*buffer.name).collect::<Vec<_>>(), stages, sizes)
            }),
            stored: module.and_then(|module| {
                let temporaries = module.buffers.iter().filter(|buffer| buffer.role == Role::Temp);
                temporaries.map(|buffer| bytes(&buffer.len, buffer.scalar.bytes() as u64)).sum()
            }),
        }
    }
}

/// How often elements of these inputs are read by the last imperative program on the way to the code.
pub(super) fn read_of(inputs: &[&str], stages: &[Stage], sizes: &Sizes) -> IndexMap<String, f64> {
    let mut out = IndexMap::new();
    for (memory, times) in phrases(stages).iter().flat_map(|(_, command)| reads::of(command)) {
        if inputs.contains(&&*memory) {
            let times = value(&times, sizes).map_or(f64::NAN, |times| times as f64);
            *out.entry(memory.to_string()).or_insert(0.0) += times;
        }
    }
    out.retain(|_, times| !times.is_nan());
    out
}

/// The value of a size, where all that it is made of have one and they fit each other.
fn value(n: &Nat, sizes: &Sizes) -> Option<i64> {
    n.eval(&|name| sizes.get(name).copied()).ok()
}

/// The last imperative program on the way to the code.
pub(super) fn phrases(stages: &[Stage]) -> &[(Option<String>, Phrase)] {
    stages.iter().rev().map(Stage::phrases).find(|phrases| !phrases.is_empty()).unwrap_or_default()
}
