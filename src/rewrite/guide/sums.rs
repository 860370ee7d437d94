//! What a goal asks of sums that no rule makes.

use super::nest::{Loop, Nest, chains};
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::sketch::Sketch;

/// That the goal asks for a `reduce` around other loops, where the program has none: it sums in any order, so that it is taken apart
/// only by becoming a loop that sums in order.
pub fn unmade_sum(goal: &Sketch, start: &Term) -> Option<String> {
    let (spine, _) = Nest::read(goal).spine();
    let is_asked =
        spine.split_last().is_some_and(|(_, outer)| outer.iter().any(|l| l.pattern == Pattern::Reduce));
    let is_around =
        |chain: &Vec<Loop>| chain.split_last().is_some_and(|(_, outer)| outer.iter().any(|l| l.reduces));
    let is_there = chains(start).iter().any(is_around);
    let text = "The sketch asks for a `reduce` around other loops, and the rules of the library make none: what sums up whole arrays, or \
                parts one after the other, is a `reduceSeq`. Write `containsReduceSeq` for it.";
    (is_asked && !is_there).then(|| text.to_owned())
}
