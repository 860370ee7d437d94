//! What a search left out, and what it took one member of a class for: why it proves nothing that a program is not in
//! a saturated graph. Everything that drops a term, or looks at some members of a class instead of all, says so here.
//!
//! A class stands for all of its members. Steps that need a term (putting one in the place of a variable, moving it
//! under other binders, making it compute on vectors, asking a condition) take the best member while the graph grows:
//! that is fast, and loses nothing that is needed in most searches. When the graph has nothing more to say they are
//! taken once more, thoroughly: with every member, as far as there are few enough. What is left then is a gap.

use crate::lang::nat::Name;
use indexmap::IndexMap;
use std::fmt;

/// A step that did not take all that it could have taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gap {
    /// The filter refused types with arrays of more dimensions.
    Dims,
    /// The filter refused terms of more nodes.
    Size,
    /// Terms that are nested deeper than any may be were not built.
    Nesting,
    /// The program as it is written was not looked at, only its normal form.
    Written,
    /// A rule put some members of a class in the place of a variable, or under other binders, and not all.
    Substituted(Name),
    /// A rule made some members of a class compute on vectors, and not all.
    Vectorised(Name),
    /// A procedure looked into some members of a class, and not into all.
    Computed(Name),
    /// A rule's condition was asked of some members of a class, and not of all.
    Condition(Name, Name),
    /// It was not found out whether a class has a member that does not mention a binder.
    Mentions(Name),
    /// It was not found out whether two occurrences of a rule's variable have a common member.
    Differs(Name),
    /// A rule was held back: not all of its matches were applied.
    Held(Name),
    /// Of the programs that are like the sketch only the lightest were looked at, which are so by what nobody reads.
    Unread,
}

/// The gaps of an iteration. Of what the filter refused, the least that would have been needed.
#[derive(Clone, Default, Debug)]
pub struct Gaps {
    /// The rule that is matched or applied now.
    pub rule: Name,
    found: IndexMap<Gap, u32>,
}

impl Gaps {
    pub fn clear(&mut self) {
        self.found.clear();
    }

    /// Notes a gap; of what the filter refuses, how much was needed.
    pub fn note(&mut self, gap: Gap, needed: u32) {
        let least = self.found.entry(gap).or_insert(needed);
        *least = needed.min(*least);
    }

    /// Notes that the present rule did not take all members of a class.
    pub fn some_members(&mut self, gap: fn(Name) -> Gap) {
        if !self.rule.is_empty() {
            self.note(gap(self.rule.clone()), 0);
        }
    }

    /// In the order in which they were found, with what would have been needed.
    pub fn all(&self) -> impl Iterator<Item = (&Gap, u32)> {
        self.found.iter().map(|(gap, needed)| (gap, *needed))
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Dims => write!(f, "programs with arrays of more dimensions were left out"),
            Gap::Size => write!(f, "larger programs were left out"),
            Gap::Nesting => write!(f, "programs that are nested too deeply were left out"),
            Gap::Written => {
                write!(f, "the program as it is written is too large: only its normal form was looked at")
            }
            Gap::Substituted(rule) => {
                write!(
                    f,
                    "`{rule}` puts one of several equal programs in the place of a variable, not all of them"
                )
            }
            Gap::Vectorised(rule) => {
                write!(f, "`{rule}` vectorises one of several equal functions, not all of them")
            }
            Gap::Computed(rule) => {
                write!(f, "`{rule}` looks into one of several equal programs, not into all of them")
            }
            Gap::Condition(rule, condition) => {
                write!(f, "`{rule}` asks `{condition}` of one of several equal programs, not of all of them")
            }
            Gap::Mentions(rule) => {
                write!(
                    f,
                    "`{rule}` may miss a program that does not mention a parameter, among equal ones that do"
                )
            }
            Gap::Differs(rule) => {
                write!(f, "`{rule}` compares one of several equal programs with another, not all of them")
            }
            Gap::Held(rule) => write!(f, "`{rule}` was held back by `freeze` or `cap`"),
            Gap::Unread => {
                write!(
                    f,
                    "of the programs that are like the sketch by what nobody reads, only the lightest were looked at"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_was_needed_is_kept() {
        let mut gaps = Gaps { rule: "betaReduction".into(), ..Gaps::default() };
        gaps.note(Gap::Dims, 8);
        gaps.note(Gap::Dims, 7);
        gaps.some_members(Gap::Substituted);
        gaps.some_members(Gap::Substituted);
        let all: Vec<(&Gap, u32)> = gaps.all().collect();
        assert_eq!(all, [(&Gap::Dims, 7), (&Gap::Substituted("betaReduction".into()), 0)]);
        gaps.clear();
        assert_eq!(gaps.all().count(), 0);
    }
}
