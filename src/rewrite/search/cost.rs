//! What programs cost, by which a search chooses among those that satisfy its sketch (thesis section 5.3.4):
//! `with (cost: [mapSeq(10), iterateStream(10)])`.

use crate::egraph::tables::{Leaf, weight};
use crate::lang::diag::Diagnostic;
use crate::lang::pattern::Pattern;
use crate::lang::syntax::ast::{Strategy, StrategyKind};
use crate::lang::term::{Expr, Term};
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
            let found = pattern(&name.kind).ok_or_else(|| wrong(entry))?;
            let [weight] = &args[..] else { return Err(wrong(entry)) };
            let weight =
                number(weight).and_then(|n| u32::try_from(n).ok()).filter(|w| (1..=MOST).contains(w));
            table.push((found, weight.ok_or_else(|| wrong(entry))?));
        }
        Ok(Cost::Table(table.into()))
    }

    /// What a term costs.
    pub fn of(&self, term: &Term) -> u32 {
        let own = |t: &Term| match (self, t.expr()) {
            (Cost::Table(table), Expr::Prim(p)) => {
                table.iter().find(|(q, _)| *q == p.pattern).map(|(_, weight)| *weight)
            }
            _ => None,
        };
        let all = term.positions().into_iter().map(|(_, t)| own(t).unwrap_or(1));
        all.fold(0, u32::saturating_add)
    }

    /// Gives the weights to `with`.
    pub fn weights<T>(&self, with: impl FnOnce(Weights<'_>) -> T) -> T {
        match self {
            Cost::Size => with(Weights::Size),
            Cost::Table(table) => with(Weights::Leaves(&|leaf| match leaf {
                Leaf::Prim(pattern, _) => {
                    table.iter().find(|(p, _)| p == pattern).map_or_else(|| weight(leaf), |(_, w)| *w)
                }
                Leaf::Lit(_) => weight(leaf),
            })),
        }
    }
}
