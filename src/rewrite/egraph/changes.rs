//! Which classes may have new matches since the graph was last matched.
//!
//! A match reads the members of some classes below its root, and what is known of those that variables stand for. So it
//! can be new only if one of the former, as many levels down as the left side reaches, has new members, or of one of the
//! latter something new is known: which variables are free in it, and the term that stands for it, of which conditions
//! are asked and which substitution uses. That term changes with its weight, and then so does every one around it, or
//! where two classes become one.

use super::compile::Reach;
use super::congruence::{EGraph, Touched};
use super::node::Id;

/// For each id how many levels it lies above what has changed.
#[derive(Debug)]
pub struct Changes {
    members: Vec<u8>,
    data: Vec<u8>,
}

const FAR: u8 = u8::MAX;

impl Changes {
    pub(super) fn above(touched: Touched, graph: &EGraph, levels: u8) -> Changes {
        let [members, data] = [touched.members, touched.data].map(|t| distances(t, graph, levels));
        Changes { members, data }
    }

    /// Has one of these classes new members, or is something new known of one of those?
    pub fn touch(&self, mut members: impl Iterator<Item = Id>, mut data: impl Iterator<Item = Id>) -> bool {
        let is = |of: &[u8], class: Id| of.get(usize::from(class)) == Some(&0);
        members.any(|class| is(&self.members, class)) || data.any(|class| is(&self.data, class))
    }

    /// May a rule whose left side reaches so far have a new match at the class?
    pub fn concern(&self, root: Id, reach: Reach) -> bool {
        match reach {
            Reach::Anywhere => true,
            Reach::Levels { members, data } => {
                let at = |of: &[u8], levels: u8| of.get(usize::from(root)).is_some_and(|d| *d <= levels);
                at(&self.members, members) || at(&self.data, data)
            }
        }
    }
}

fn distances(touched: Vec<Id>, graph: &EGraph, levels: u8) -> Vec<u8> {
    let mut out = vec![FAR; graph.ids()];
    // Many have the same parents: each class is listed once.
    let mut reach = |ids: &mut dyn Iterator<Item = Id>, distance: u8, reached: &mut Vec<Id>| {
        for class in ids.map(|id| graph.find(id)) {
            if out[usize::from(class)] == FAR {
                out[usize::from(class)] = distance;
                reached.push(class);
            }
        }
    };
    let mut level = vec![];
    reach(&mut touched.into_iter(), 0, &mut level);
    for distance in 1..=levels.min(FAR - 1) {
        let mut above = vec![];
        for class in level {
            reach(&mut graph.parents(class).iter().copied(), distance, &mut above);
        }
        level = above;
    }
    out
}
