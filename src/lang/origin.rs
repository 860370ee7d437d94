//! Which parts of a program a part of its code comes from.
//!
//! The leaves of the term that the user knows get numbers ([`Term::numbered`]), and everything that is made of them keeps
//! theirs: leaves of rewritten and lowered terms, phrases, loops and memory, lines of code. What is copied has one origin in
//! several places; what is fused has the origins of all that it was fused from. Nothing is decided by origins, and no
//! comparison sees them.

use super::path::Path;
use super::preorder::number_of;
use super::term::Term;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The numbers of leaves, where a node's number is how many nodes come before it: parents before children, functions
/// before arguments.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Origin(Option<Arc<BTreeSet<u32>>>);

impl Origin {
    pub fn of(numbers: impl IntoIterator<Item = u32>) -> Origin {
        let numbers: BTreeSet<u32> = numbers.into_iter().collect();
        Origin((!numbers.is_empty()).then(|| Arc::new(numbers)))
    }

    /// Is nothing known?
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|numbers| numbers.iter().copied())
    }

    /// This where something is known, else the other.
    pub fn or(&self, other: &Origin) -> Origin {
        if self.is_none() { other.clone() } else { self.clone() }
    }

    /// All of both.
    pub fn with(&self, other: &Origin) -> Origin {
        match (&self.0, &other.0) {
            (_, None) => self.clone(),
            (None, _) => other.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) || b.is_subset(a) => self.clone(),
            _ => Origin::of(self.numbers().chain(other.numbers())),
        }
    }

    /// Is one of the numbers among these?
    pub fn is_in(&self, numbers: &Range<u32>) -> bool {
        self.0.as_ref().is_some_and(|all| all.range(numbers.clone()).next().is_some())
    }
}

/// What a line of code is, and which part of the program it comes from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Line {
    pub part: Part,
    pub origin: Origin,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Part {
    /// The head of a loop over this variable.
    Loop(String),
    /// Memory of this name.
    Memory(String),
    Barrier,
    /// Another statement.
    Statement,
    /// The end of a block, and what is said before a loop.
    Around,
    /// No part of a function's body, or of no part of the program alone.
    #[default]
    Outside,
}

/// Terms of more nodes are not numbered: nothing is said of where their code comes from.
const MOST: u32 = 1 << 20;

impl Term {
    /// The term with each leaf's own number as its origin.
    pub fn numbered(&self) -> Term {
        fn go(t: &Term, number: &mut u32) -> Term {
            let own = *number;
            *number += 1;
            match t.children().as_slice() {
                [] => t.clone().with_origin(&Origin::of([own])),
                children => t.with_children(children.iter().map(|c| go(c, number)).collect()),
            }
        }
        if self.size() > MOST { self.clone() } else { self.with_stack(|| go(self, &mut 0)) }
    }

    /// The numbers of the nodes at a position and below it.
    pub fn numbers_at(&self, path: &Path) -> Option<Range<u32>> {
        let first = number_of(self, path)?;
        Some(first..first.saturating_add(self.at(path)?.size()))
    }

    /// The term that a rewrite made of another one: leaves that it put there come from those that it took away.
    #[must_use]
    pub fn rewritten_from(self, before: &Term) -> Term {
        if !before.has_origins() {
            return self;
        }
        let all = |t: &Term| {
            Origin::of(t.leaves().iter().flat_map(|leaf| leaf.origin().numbers().collect::<Vec<_>>()))
        };
        let (old, kept) = (all(before), all(&self));
        let taken = Origin::of(old.numbers().filter(|n| !kept.is_in(&(*n..n + 1))));
        self.made_from(&taken.or(&before.origin()))
    }

    fn leaves(&self) -> Vec<&Term> {
        let mut stack = vec![self];
        let mut out = vec![];
        while let Some(t) = stack.pop() {
            match t.children().as_slice() {
                [] => out.push(t),
                children => stack.extend(children),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::diag::FileId;
    use crate::infer;
    use crate::preorder::path_of;
    use crate::syntax::parse_program;

    #[test]
    fn numbers_and_positions_are_each_others_inverse() {
        let text = "def f (a: n.m.f32): n.f32 = a |> map (\\r. r |> map (\\x. x * 2) |> map (\\x. x * 2) |> reduce (+) 0)";
        let (file, problems) = parse_program(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{problems:?}");
        let term = infer::program(&file, None).0.unwrap().term;
        let numbered = term.numbered();
        assert_eq!(numbered, term);
        for (number, (path, part)) in numbered.positions().into_iter().enumerate() {
            let number = number as u32;
            assert_eq!(path_of(&term, number), Some(path.clone()));
            assert_eq!(term.numbers_at(&path), Some(number..number + part.size()));
            if part.children().is_empty() {
                assert_eq!(part.origin().numbers().collect::<Vec<_>>(), [number], "{path}");
            }
        }
        assert_eq!(path_of(&term, term.size()), None);
        // Equal parts keep apart, also where a function is copied and renamed.
        let shifted = numbered.shift_up(3).shift_down(3).unwrap();
        let origins =
            |t: &crate::term::Term| t.positions().iter().map(|(_, t)| t.origin()).collect::<Vec<_>>();
        assert_eq!(origins(&shifted), origins(&numbered));
    }
}
