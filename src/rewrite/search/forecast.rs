//! What can be said of a search before it runs.

use crate::lang::nat::Nat;
use crate::lang::term::Term;
use crate::rewrite::rule::{RuleArg, RuleUse};
use crate::rewrite::sketch::Sketch;
use crate::rewrite::sketch::holes::sizes_in;
use std::collections::BTreeSet;

/// The numbers that a sketch asks for as sizes although neither the program nor the rules have them, nor the product or
/// quotient of two that they have: a tile of 64 where loops are split by 32. None where there are none.
pub fn unmet_sizes(sketch: &Sketch, start: &Term, rules: &[RuleUse]) -> Option<String> {
    let mut known: BTreeSet<i64> = BTreeSet::new();
    sizes_in(start).iter().for_each(|n| numbers(n, &mut known));
    for rule in rules {
        for arg in &rule.args {
            if let RuleArg::Nat(n) = arg {
                numbers(n, &mut known);
            }
        }
    }
    let said = known.clone();
    for rule in rules {
        let words = rule.rule.text.split(|c: char| !c.is_ascii_digit());
        known.extend(words.filter_map(|w| w.parse::<i64>().ok()).filter(|n| *n > 1));
    }
    let mut asked = BTreeSet::new();
    sketch.each_size(&mut |n| numbers(n, &mut asked));
    let product = |n: i64, a: &i64| n % a == 0 && known.contains(&(n / a));
    let quotient = |n: i64, a: &i64| n.checked_mul(*a).is_some_and(|all| known.contains(&all));
    let made = |n: i64| known.contains(&n) || known.iter().any(|a| product(n, a) || quotient(n, a));
    let unmet: Vec<i64> = asked.into_iter().filter(|n| !made(*n)).collect();
    if unmet.is_empty() {
        return None;
    }
    let had = match listed(&said) {
        text if text.is_empty() => "no numbers".to_owned(),
        text => text,
    };
    let unmet = listed(&unmet.into_iter().collect());
    Some(format!(
        "The sketch asks for sizes with {unmet}, and the program and the arguments of the rules have {had}: this is hardly ever met."
    ))
}

/// The whole numbers other than one that a size is made of.
fn numbers(n: &Nat, out: &mut BTreeSet<i64>) {
    for (_, c) in n.terms() {
        let parts = [*c.numer(), *c.denom()];
        out.extend(parts.into_iter().filter_map(|n| i64::try_from(n).ok()).map(i64::abs).filter(|n| *n > 1));
    }
}

fn listed(numbers: &BTreeSet<i64>) -> String {
    let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
