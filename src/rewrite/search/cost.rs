//! What programs cost, by which a search chooses among those that satisfy its sketch (thesis section 5.3.4):
//! `with (cost: [mapSeq(10), iterateStream(10)])`.

use crate::egraph::tables::{Leaf, weight_of};
use crate::lang::diag::Diagnostic;
use crate::lang::pattern::{self, Pattern};
use crate::lang::syntax::ast::{Strategy, StrategyKind};
use crate::lang::term::{Arg, Expr, Prim, Term};
use crate::sketch::extract::Weights;
use std::sync::Arc;

/// The name of the usual cost.
pub const SIZE: &str = "size";

/// A pattern may weigh so much at most, so that no program weighs as much as one redex.
const MOST: u32 = 10_000;

/// What the parts of a program cost.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Cost {
    /// Each one, so that the smallest program is best.
    #[default]
    Size,
    /// These patterns so much, everything else one.
    Table(Arc<[(Pattern, u32)]>),
}

/// Does a loop of work-items stand in another one of its sort and dimension, which no device can run?
pub fn repeats_dimension(t: &Term) -> bool {
    fn within(t: &Term, around: &mut Vec<Prim>) -> bool {
        let Some((p, args)) = t.as_pattern_app() else {
            return t.children().into_iter().any(|t| within(t, around));
        };
        let is_loop = p.args.iter().any(|a| matches!(a, Arg::Dim(_)));
        if is_loop && around.contains(p) {
            return true;
        }
        // What the loop runs stands first, what it runs on is computed before.
        args.into_iter().enumerate().any(|(i, arg)| {
            let inside = is_loop && i == 0;
            if inside {
                around.push(p.clone());
            }
            let found = within(arg, around);
            if inside {
                around.pop();
            }
            found
        })
    }
    within(t, &mut vec![])
}

impl Cost {
    /// A table, or the usual cost, as an option of a search says it. `named` is what a name is defined as, `number` what a
    /// weight is: a number, or a parameter that stands for one.
    ///
    /// # Errors
    /// `E0412` for what is no table of patterns with their weights.
    pub fn read<'a>(
        value: &'a Strategy,
        pattern: &dyn Fn(&str) -> Option<Pattern>,
        named: &dyn Fn(&str) -> Option<&'a Strategy>,
        number: &dyn Fn(&Strategy) -> Option<u64>,
    ) -> Result<Cost, Diagnostic> {
        let wrong = |at: &Strategy| {
            Diagnostic::error("E0412", "The option `cost` takes patterns with what each weighs.")
                .label(at.span, "not that")
                .note(format!("Weights are whole numbers from 1 to {MOST}; what is not listed weighs one."))
                .hint("Write `cost: [mapSeq(10), mapPar(2)]`, `cost: size`, or the name of a strategy without parameters that is defined as such a list.")
        };
        let list = match &value.kind {
            StrategyKind::List(list) => list,
            StrategyKind::Name(name) => match named(name).map(|s| &s.kind) {
                Some(StrategyKind::List(list)) => list,
                None if &**name == SIZE => return Ok(Cost::Size),
                _ => return Err(wrong(value)),
            },
            _ => return Err(wrong(value)),
        };
        let mut table = vec![];
        for entry in list {
            let StrategyKind::Call(name, args) = &entry.kind else { return Err(wrong(entry)) };
            let unknown = || {
                let text = format!("The table of costs names `{}`, which is no pattern.", name.kind);
                Diagnostic::error("E0412", text)
                    .label(name.span, "not a pattern")
                    .did_you_mean(&name.kind, pattern::all().iter().flat_map(|row| row.names).copied())
                    .hint("`shine-tui patterns` lists them.")
            };
            let found = pattern(&name.kind).ok_or_else(unknown)?;
            let [weight] = &args[..] else { return Err(wrong(entry)) };
            let weight =
                number(weight).and_then(|n| u32::try_from(n).ok()).filter(|w| (1..=MOST).contains(w));
            table.push((found, weight.ok_or_else(|| wrong(entry))?));
        }
        Ok(Cost::Table(table.into()))
    }

    /// What a term costs.
    pub fn of(&self, term: &Term) -> u32 {
        let own = |t: &Term| if let Expr::Prim(p) = t.expr() { self.of_pattern(p.pattern) } else { 1 };
        let all = term.positions().into_iter().map(|(_, t)| own(t));
        all.fold(0, u32::saturating_add)
    }

    /// What a pattern costs where it stands.
    fn of_pattern(&self, pattern: Pattern) -> u32 {
        match self {
            Cost::Size => weight_of(pattern),
            Cost::Table(table) => table.iter().find(|(p, _)| *p == pattern).map_or(1, |(_, weight)| *weight),
        }
    }

    /// Gives the weights to `with`.
    pub fn weights<T>(&self, with: impl FnOnce(Weights<'_>) -> T) -> T {
        match self {
            Cost::Size => with(Weights::Size),
            Cost::Table(_) => with(Weights::Leaves(&|leaf| match leaf {
                Leaf::Prim(pattern, _) => self.of_pattern(*pattern),
                Leaf::Lit(_) => 1,
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;

    #[test]
    fn loops_within_each_other_repeat_a_dimension_and_those_one_after_the_other_do_not() {
        let repeats = |body: &str| {
            let text = format!("def f (a: n.m.f32): n.m.f32 = {body}");
            repeats_dimension(&program(&parse_program(FileId::NOWHERE, &text).0, None).0.unwrap().term)
        };
        assert!(repeats("a |> mapGlobal 0 (mapGlobal 0 sqrt)"));
        assert!(repeats("a |> mapGlobal 1 (\\r. map sqrt r |> mapGlobal 1 sqrt)"));
        assert!(!repeats("a |> mapGlobal 1 (mapGlobal 0 sqrt)"));
        assert!(!repeats("a |> mapWorkGroup 0 (mapLocal 0 sqrt)"));
        assert!(!repeats("a |> mapGlobal 0 (map sqrt) |> mapGlobal 0 (map sqrt)"));
    }
}
