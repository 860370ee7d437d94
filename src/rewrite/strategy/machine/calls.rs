//! The calls that end in one another, of which a run remembers that they failed where the last of them does.

use super::super::value::StrategyId;
use super::failure::Chain;
use crate::lang::digest::Digest;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A strategy on a term.
pub(super) type Key = (StrategyId, Digest);

/// A strategy on a term, and what was running around it.
type Call = (Key, Option<Rc<Chain>>);

/// So many calls are looked through faster than a table.
const FEW: usize = 16;

/// Calls, each once.
#[derive(Default)]
pub(super) struct Calls {
    /// The first by itself: often there is no other.
    first: Option<Call>,
    others: Vec<Call>,
    /// Of more than a few others, which there are.
    known: FxHashSet<Key>,
}

impl Calls {
    /// Adds a call; false where it is there already.
    pub(super) fn insert(&mut self, key: Key, chain: &Option<Rc<Chain>>) -> bool {
        let call = (key, chain.clone());
        let Some((first, _)) = &self.first else {
            self.first = Some(call);
            return true;
        };
        if self.others.len() == FEW {
            self.known = self.others.iter().map(|(known, _)| *known).collect();
        }
        let is_new = *first != key
            && match self.others.len() < FEW {
                true => self.others.iter().all(|(known, _)| *known != key),
                false => self.known.insert(key),
            };
        if is_new {
            self.others.push(call);
        }
        is_new
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    pub(super) fn all(self) -> impl Iterator<Item = Call> {
        self.first.into_iter().chain(self.others)
    }
}
