//! What a state costs, as far as that can be told without running it.

use super::action::{Sizes, Target};
use super::workspace::Workspace;
use crate::emit::module::Role;
use crate::lang::term::Term;
use crate::lang::work;

/// What a program takes. Sizes without a value count as 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// Lines of its code; none where there is no code.
    pub lines: Option<usize>,
    /// Operations on floating-point numbers, as often as this very term computes them.
    pub flops: f64,
    /// Bytes of buffers that are neither inputs nor outputs; none where there is no code.
    pub stored: Option<u64>,
}

impl Costs {
    /// The costs of a term in a language.
    pub fn of(workspace: &Workspace, term: &Term, target: Target, sizes: &Sizes) -> Costs {
        let compiled = workspace.compile(term, target, sizes);
        let module = compiled.as_ref().ok().map(|compiled| &compiled.module);
        let bytes = |len: &crate::lang::nat::Nat, size: u64| {
            let len = len.eval(&|name| Some(sizes.get(name).copied().unwrap_or(1))).unwrap_or(0);
            u64::try_from(len).unwrap_or(0).saturating_mul(size)
        };
        Costs {
            lines: module.map(|module| module.text().lines().filter(|line| !line.trim().is_empty()).count()),
            flops: work::of(term, sizes).flops,
            stored: module.map(|module| {
                let temporaries = module.buffers.iter().filter(|buffer| buffer.role == Role::Temp);
                temporaries.map(|buffer| bytes(&buffer.len, buffer.scalar.bytes() as u64)).sum()
            }),
        }
    }
}
