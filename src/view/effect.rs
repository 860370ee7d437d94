//! What a rewrite does to the loops of a program, in a few words.
//!
//! In come the pictures of the loops that run before and after ([`crate::lower::nest`]); out comes what differs, by which rewrites
//! can be ranked.

use super::text::Alphabet;
use crate::lang::loops::{LineKind, LoopLine};
use std::cmp::Ordering;

/// What differs, what is worth most first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// So many loops before and after, and so many places where values are stored.
    Loops { loops: (usize, usize), stores: (usize, usize) },
    /// The same loops, within each other in another order.
    Order,
    /// A loop that is another one now: `for n:` and `parfor n:`.
    Loop(String, String),
    /// The same loops, which compute something in another way.
    Computation,
    /// The same loops, which fewer patterns stand for.
    Fused,
    /// The picture is the same.
    None,
    /// It undoes what was done since this state.
    Back(usize),
    /// The loops are again those of this state; the program is another one.
    LoopsOf(usize),
}

impl Effect {
    /// What differs between two pictures.
    pub fn of(before: &[LoopLine], after: &[LoopLine]) -> Effect {
        let count = |lines: &[LoopLine], kind| lines.iter().filter(|l| l.kind == kind).count();
        let both = |kind| (count(before, kind), count(after, kind));
        let (loops, stores) = (both(LineKind::Loop), both(LineKind::Memory));
        if loops.0 != loops.1 || stores.0 != stores.1 {
            return Effect::Loops { loops, stores };
        }
        let shape = |lines: &[LoopLine]| -> Vec<(usize, String)> {
            let kept = lines.iter().filter(|l| l.kind != LineKind::Compute);
            kept.map(|l| (l.depth, l.text.trim_end_matches(':').to_owned())).collect()
        };
        let (old, new) = (shape(before), shape(after));
        let first = old.iter().zip(&new).find(|(a, b)| a != b);
        if let Some(((_, a), (_, b))) = first {
            let sorted = |lines: &[(usize, String)]| {
                let mut texts: Vec<String> = lines.iter().map(|(_, text)| text.clone()).collect();
                texts.sort();
                texts
            };
            return if sorted(&old) == sorted(&new) {
                Effect::Order
            } else {
                Effect::Loop(a.clone(), b.clone())
            };
        }
        let same = before.iter().map(|l| &l.text).eq(after.iter().map(|l| &l.text));
        if same { Effect::None } else { Effect::Computation }
    }

    /// In words; nothing where nothing differs.
    pub fn text(&self, alphabet: Alphabet) -> String {
        let arrow = alphabet.pick("→", "->");
        match self {
            Effect::Loops { loops, stores } => {
                let part = |what: &str, (old, new): (usize, usize)| {
                    (old != new).then(|| format!("{what} {old} {arrow} {new}"))
                };
                let parts = [part("loops", *loops), part("stores", *stores)];
                parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
            Effect::Order => "reorders".to_owned(),
            Effect::Loop(old, new) if new.starts_with(old.as_str()) => {
                new.strip_prefix("for ").unwrap_or(new).to_owned()
            }
            Effect::Loop(old, new) => format!("{old} {arrow} {new}"),
            Effect::Computation => "computes otherwise".to_owned(),
            Effect::Fused => "fuses".to_owned(),
            Effect::None => String::new(),
            Effect::Back(state) => format!("back to {state}"),
            Effect::LoopsOf(state) => format!("loops as in {state}"),
        }
    }

    /// In fewer columns.
    pub fn brief(&self, alphabet: Alphabet) -> String {
        match self {
            Effect::Loops { loops, stores } => {
                let part = |what: &str, (old, new): (usize, usize)| match new.cmp(&old) {
                    Ordering::Equal => None,
                    Ordering::Greater => Some(format!("{what} +{}", new - old)),
                    Ordering::Less => Some(format!("{what} -{}", old - new)),
                };
                let parts = [part("loops", *loops), part("stores", *stores)];
                parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
            // How the loop runs tells more than over what.
            Effect::Loop(old, new) if new.starts_with(old.as_str()) => {
                new.strip_prefix(old.as_str()).unwrap_or(new).trim().to_owned()
            }
            other => other.text(alphabet),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{FileId, Sources};
    use crate::lang::eval::sizes;
    use crate::lang::infer::program;
    use crate::lang::nat::Nat;
    use crate::lang::syntax::parse_program;
    use crate::lang::term::Term;
    use crate::lower::nest;
    use crate::rewrite::rule::{RuleArg, RuleSet};

    #[test]
    fn the_effect_of_a_rule_is_what_it_does_to_the_loops() {
        let text =
            "def f (a: (32*n).m.f32): (32*n).f32 = a |> map (\\r. r |> map (\\x. x * x) |> reduce (+) 0)";
        let term = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let rules = RuleSet::builtin(&mut Sources::new()).0;
        let effects = |name: &str, args: &[i64]| {
            let args: Vec<_> = args.iter().map(|n| RuleArg::Nat(Nat::constant(*n))).collect();
            let rule = rules.use_of(name, args).unwrap();
            let nest = |term: &Term| nest(term, &sizes([])).lines;
            let before = nest(&term);
            let applied = term.positions().into_iter().filter_map(|(at, part)| {
                let after = rule.rule.apply(part, &rule.args).ok()?.term;
                Some(Effect::of(&before, &nest(&term.replace_at(&at, after)?)).text(Alphabet::Unicode))
            });
            applied.collect::<Vec<_>>()
        };
        assert_eq!(effects("splitJoin", &[32])[0], "loops 2 → 3");
        assert_eq!(effects("reduceMapFusion", &[]), [""]);
        assert_eq!(effects("idAfter", &[])[0], "");
        assert_eq!(effects("useMapPar", &[])[0], "32*n (par)");
        assert!(effects("storeToMem", &[]).iter().any(|e| e.contains("stores 0 → 1")));
    }
}
