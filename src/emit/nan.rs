//! Which memory holds no NaN, whatever a kernel is given, so that minima and maxima need not ask for it.

use crate::lang::literal::Literal;
use crate::lang::nat::Name;
use crate::lang::pattern::Pattern;
use crate::lower::dpia::effects::Place;
use crate::lower::dpia::{Imperative, Kind, Phrase};
use std::collections::BTreeSet;

/// Memory, and a component of what it holds.
type Memory = (Name, Vec<bool>);

/// Memory that never holds a NaN where a kernel reads what it wrote: what a maximum has been taken of since it began as a number,
/// for one.
#[derive(Clone, Default)]
pub struct NeverNan(BTreeSet<Memory>);

impl NeverNan {
    /// What the kernel writes numbers to, and nothing else. What it is given may hold anything.
    pub fn of(kernel: &Imperative) -> NeverNan {
        let mut written = vec![];
        collect(&kernel.body, &mut written);
        let is_given = |memory: &Memory| kernel.temporaries.iter().any(|t| t.name == memory.0);
        let mut never =
            NeverNan(written.iter().map(|(to, _)| to).filter(|to| !is_given(to)).cloned().collect());
        // All are taken to hold none, until that is found to be wrong of nothing more.
        loop {
            let is_wrong = |(to, value): &&(Memory, &Phrase)| never.0.contains(to) && !never.is_number(value);
            let wrong: Vec<Memory> = written.iter().filter(is_wrong).map(|(to, _)| to.clone()).collect();
            if wrong.is_empty() {
                return never;
            }
            never.0.retain(|memory| !wrong.contains(memory));
        }
    }

    /// Is the value surely no NaN?
    pub fn is_number(&self, e: &Phrase) -> bool {
        if e.data().as_scalar().is_some_and(|s| !s.is_float()) {
            return true;
        }
        if let Some(memory) = memory(e) {
            return self.0.contains(&memory);
        }
        match e.kind() {
            Kind::Lit(Literal::Float(bits, _)) => !f64::from_bits(*bits).is_nan(),
            Kind::Pattern(p, _, ps) => match p {
                // They give the other one where one is NaN.
                Pattern::Min | Pattern::Max => ps.iter().any(|e| self.is_number(e)),
                Pattern::Select => ps.iter().skip(1).all(|e| self.is_number(e)),
                Pattern::MakeArray => ps.iter().all(|e| self.is_number(e)),
                Pattern::Idx => ps.last().is_some_and(|e| self.is_number(e)),
                Pattern::Cast
                | Pattern::Neg
                | Pattern::Abs
                | Pattern::Exp
                | Pattern::Atan
                | Pattern::Tanh => ps.iter().all(|e| self.is_number(e)),
                _ => false,
            },
            _ => false,
        }
    }
}

/// The memory that a cell or a part is of.
fn memory(e: &Phrase) -> Option<Memory> {
    let place = Place::of(e)?;
    let component = place.component();
    Some((place.memory?, component))
}

fn collect<'p>(c: &'p Phrase, out: &mut Vec<(Memory, &'p Phrase)>) {
    if let Kind::Assign(to, value) = c.kind() {
        out.extend(memory(to).map(|memory| (memory, value)));
    }
    c.children().into_iter().for_each(|c| collect(c, out));
}

/// Is it a number whose value is written, and not a zero, of which there are two?
pub fn is_written_number(e: &Phrase) -> bool {
    match e.kind() {
        Kind::Lit(Literal::Float(bits, _)) => {
            let value = f64::from_bits(*bits);
            !value.is_nan() && value != 0.0
        }
        Kind::Pattern(Pattern::Neg, _, ps) => ps.iter().all(is_written_number),
        _ => false,
    }
}
