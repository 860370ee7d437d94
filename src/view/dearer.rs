//! What a rewrite makes dearer: that there is no code for it, more operations, more memory between the loops, many times the code.
//!
//! In come the costs of a program before and after; out come few words for a row, which tell what is got from what it takes.

use super::figures;
use crate::session::costs::Costs;

/// So much more is more: less is a border that was counted otherwise, or what a sum of parts adds at its end, which buys more than it costs.
const MORE: f64 = 1.05;

/// Code is long from so many lines on, and becomes it where it grows so many times: loops of thousands are unrolled, which takes compilers minutes.
const LONG: usize = 500;
const LONGER: usize = 4;

/// What is dearer after a rewrite.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Dearer {
    /// There was code before, and there is none: the error's code.
    no_code: Option<&'static str>,
    /// Operations on floating-point numbers, before and after.
    operations: Option<(f64, f64)>,
    /// Bytes between the loops that are more than before.
    memory: Option<u64>,
    /// The lines of code that is long now and was not.
    lines: Option<usize>,
}

impl Dearer {
    /// What of these costs is more than before.
    pub fn of(before: &Costs, after: &Costs) -> Dearer {
        let operations = before.flops.zip(after.flops).filter(|(old, new)| *new > MORE * *old);
        let memory = before.stored.zip(after.stored).and_then(|(old, new)| new.checked_sub(old));
        let is_long = |(old, new): &(usize, usize)| *new >= LONG && *new >= LONGER * *old;
        let lines = before.lines.zip(after.lines).filter(is_long);
        Dearer {
            // Where the program has no code yet, that says nothing of a rewrite.
            no_code: after.problem.filter(|_| before.problem.is_none()),
            operations,
            memory: memory.filter(|more| *more > 0),
            lines: lines.map(|(_, new)| new),
        }
    }

    /// Whether nothing can be run of it, where the program could be run before.
    pub fn leaves_no_code(&self) -> bool {
        self.no_code.is_some()
    }

    /// Whether more is computed, or the code is many times as long.
    pub fn takes_more(&self) -> bool {
        self.operations.is_some() || self.lines.is_some()
    }

    /// In words, each behind a comma where something stands before it.
    pub fn behind(&self, what: &str) -> String {
        let operations = self.operations.and_then(|(old, new)| match old > 0.0 {
            true => figures::change(old, new),
            false => Some(format!("+{}", figures::count(new as u64))),
        });
        let parts = [
            Some(what.to_owned()).filter(|what| !what.is_empty()),
            self.no_code.map(|code| format!("no code ({code})")),
            operations.map(|change| format!("operations {change}")),
            self.memory.map(|bytes| format!("memory +{}", figures::bytes(bytes))),
            self.lines.map(|lines| format!("{lines} lines of code")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_more_is_told_and_what_costs_less_is_not() {
        let of = |flops, stored, problem| Costs { flops, stored, problem, ..Costs::default() };
        let before = of(Some(1.0e6), Some(1024), None);
        let told = |after: &Costs| Dearer::of(&before, after).behind("loops 6 → 7");
        assert_eq!(told(&of(Some(1.15e6), Some(1024), None)), "loops 6 → 7, operations +15.0 %");
        assert_eq!(told(&of(Some(1.0e6), Some(3072), None)), "loops 6 → 7, memory +2.0 KiB");
        assert_eq!(told(&of(Some(0.5e6), Some(0), None)), "loops 6 → 7");
        let long = |lines| Costs { lines: Some(lines), ..before.clone() };
        let told_of_lines = |old, new| Dearer::of(&long(old), &long(new)).behind("unroll");
        assert_eq!(told_of_lines(18, 28_682), "unroll, 28682 lines of code");
        assert_eq!((&*told_of_lines(18, 60), &*told_of_lines(400, 800)), ("unroll", "unroll"));
        assert!(Dearer::of(&long(18), &long(600)).takes_more());
        let none = of(None, None, Some("E0532"));
        assert_eq!(told(&none), "loops 6 → 7, no code (E0532)");
        assert!(Dearer::of(&before, &none).leaves_no_code() && !Dearer::of(&none, &none).leaves_no_code());
        assert_eq!(Dearer::default().behind(""), "");
    }
}
