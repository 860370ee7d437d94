//! Programs in which a value is computed in one way wherever it stands.
//!
//! What a program shares is written out in the graph of a search, and the lightest of its programs are rewritten in one of the places
//! where a value stands. As they are shown, those are lightest that compute it in the same way everywhere: they share it again.

use crate::egraph::{Graph, Id};
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::sharing::{Value, values};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many programs are made of one.
const MOST_MADE: usize = 8;
/// A program with more values that may be one is left as it is.
const MOST_VALUES: usize = 64;

/// What the graph knows of values that are met in many programs.
pub struct Throughout<'a> {
    graph: &'a Graph,
    /// The classes of terms that were asked for.
    classes: FxHashMap<Digest, Option<Id>>,
    /// Can the first stand in the place of the second, below so many binders?
    same: FxHashMap<(Digest, Digest, u32), bool>,
}

impl<'a> Throughout<'a> {
    pub fn new(graph: &'a Graph) -> Throughout<'a> {
        Throughout { graph, classes: FxHashMap::default(), same: FxHashMap::default() }
    }

    /// The programs that differ from a member of the graph in that values that it computes in several ways are computed in one of these.
    pub fn of(&mut self, program: &Term) -> Vec<Term> {
        program.with_stack(|| self.made_of(program))
    }

    fn made_of(&mut self, program: &Term) -> Vec<Term> {
        let mut made = vec![program.clone()];
        let mut seen: FxHashSet<Digest> = FxHashSet::from_iter([program.digest()]);
        let mut at = 0;
        while let Some(here) = made.get(at).cloned()
            && made.len() <= MOST_MADE
        {
            at += 1;
            let more = self.one_more(&here);
            made.extend(more.into_iter().filter(|term| seen.insert(term.digest())));
        }
        made.split_off(1)
    }

    /// Those in which one value is computed like another one.
    fn one_more(&mut self, program: &Term) -> Vec<Term> {
        let all = values(program);
        if all.len() > MOST_VALUES {
            return vec![];
        }
        let mut alike: Vec<(&[u8], &Type, Vec<Ways<'_, '_>>)> = vec![];
        for value in &all {
            let Some(what) = value.what() else { continue };
            let (home, ty) = (value.home(), value.part.ty());
            let at = alike.iter().position(|(other, of, _)| *other == home && *of == ty);
            let at = at.unwrap_or_else(|| {
                alike.push((home, ty, vec![]));
                alike.len() - 1
            });
            match alike[at].2.iter_mut().find(|ways| ways.what == what) {
                Some(ways) => ways.places.push(value),
                None => alike[at].2.push(Ways { what, places: vec![value] }),
            }
        }
        let mut made = vec![];
        for (_, _, ways) in alike.iter().filter(|(_, _, ways)| ways.len() > 1) {
            for (this, other) in ways.iter().flat_map(|this| ways.iter().map(move |other| (this, other))) {
                if this.what != other.what && other.places.iter().all(|place| self.fits(&this.what, place)) {
                    made.extend(other.replaced(program, &this.what));
                }
            }
        }
        made
    }

    /// Does the graph know that a value, as it is where it may stand, equals the one in this place?
    fn fits(&mut self, what: &Term, place: &Value<'_>) -> bool {
        let key = (what.digest(), place.part.digest(), place.below);
        if let Some(known) = self.same.get(&key) {
            return *known;
        }
        let there = self.class(place.part);
        let same = there.is_some() && self.class(&what.shift_up(place.below)) == there;
        self.same.insert(key, same);
        same
    }

    fn class(&mut self, term: &Term) -> Option<Id> {
        self.graph.class_of(term, &mut self.classes)
    }
}

/// A value and the places in which it is computed in this way.
struct Ways<'v, 't> {
    what: Term,
    places: Vec<&'v Value<'t>>,
}

impl Ways<'_, '_> {
    /// The program with another value in these places.
    fn replaced(&self, program: &Term, what: &Term) -> Option<Term> {
        let within = |outer: &Path, place: &Path| place.strip_prefix(outer).is_some_and(|p| !p.is_root());
        let mut here = program.clone();
        for place in &self.places {
            // What stands within another place goes with it.
            if !self.places.iter().any(|other| within(&other.at, &place.at)) {
                here = here.replace_at(&place.at, what.shift_up(place.below))?;
            }
        }
        Some(here)
    }
}
