//! What a search looks for: a sketch, asked of the graph as it grows, and for a sketch with holes for sizes, the ways to
//! fill them.

use super::PartReport;
use super::throughout::Throughout;
use crate::clearing::Cleared;
use crate::egraph::{Graph, Id};
use crate::lang::digest::Digest;
use crate::lang::term::Term;
use crate::sketch::Sketch;
use crate::sketch::automaton::{Automaton, Part, TooComplex};
use crate::sketch::best::{Free, Members};
use crate::sketch::classes::Satisfied;
use crate::sketch::extract::{Extracted, Lightest, Weights};
use crate::sketch::holes::{Filling, are_whole, solutions};
use crate::sketch::thrift::thrifty;
use rustc_hash::FxHashMap;

/// Holes are filled in so many ways at most; the lightest program of these is taken.
const MOST_FILLINGS: usize = 16;
/// So many are looked at of programs that are alike but for views that cancel out.
const MOST_ALIKE: usize = 8;

/// A form in which a program is shown.
#[derive(Clone)]
pub struct Form {
    pub term: Term,
    /// What was taken away from its normal form.
    pub cleared: Vec<Cleared>,
}

/// The first of the forms in which a program is shown that satisfies the sketch; whether a program does is asked of the function
/// that comes with it.
pub type Shows<'a> = &'a dyn Fn(&Term, &dyn Fn(&Term) -> bool) -> Option<Form>;

/// A sketch without holes and the classes that satisfy it.
struct Asked {
    sketch: Sketch,
    automaton: Automaton,
    satisfied: Satisfied,
    filling: Filling,
}

impl Asked {
    fn new(sketch: Sketch, filling: Filling) -> Result<Asked, TooComplex> {
        let automaton = Automaton::new(&sketch)?;
        let satisfied = Satisfied::none(&automaton);
        Ok(Asked { sketch, automaton, satisfied, filling })
    }
    /// Does the program satisfy it? None where `over` says so before that is known.
    fn update(&mut self, graph: &Graph, root: Id, over: &dyn Fn() -> bool) -> Option<bool> {
        let asked = self.satisfied.update_until(graph, &self.automaton, over);
        asked.then(|| self.satisfied.has(graph, &self.automaton, self.automaton.start, root))
    }

    /// A program that is like the sketch, if it satisfies it: as it is shown, or as it stands.
    fn reached(&self, found: Extracted, shows: Shows<'_>) -> Option<Reached> {
        let Extracted { term: extracted, cost } = found;
        let holds = |t: &Term| self.sketch.satisfied_by(t) && are_whole(&self.filling, t);
        let as_it_stands = || {
            let form = Form { term: extracted.clone(), cleared: vec![] };
            Some(form).filter(|form| holds(&form.term))
        };
        let Form { term, cleared } = shows(&extracted, &holds).or_else(as_it_stands)?;
        Some(Reached { extracted, cleared, term, cost, filling: self.filling.clone() })
    }
}

/// What is looked for.
pub struct Goal {
    sketch: Sketch,
    has_holes: bool,
    /// The sketch with any size in the place of each hole.
    relaxed: Asked,
    /// The sketch with its holes filled so that the program satisfies it.
    filled: Vec<Asked>,
}

/// What was found of a goal.
#[derive(Clone)]
pub struct Reached {
    /// As it stands in the graph.
    pub extracted: Term,
    /// What was taken away from its normal form.
    pub cleared: Vec<Cleared>,
    /// As it is shown.
    pub term: Term,
    /// What its choice was made by.
    pub cost: u32,
    /// What the sketch's holes stand for.
    pub filling: Filling,
}

/// The lightest programs that satisfy a sketch.
#[derive(Clone)]
pub struct Programs {
    /// No two the same up to the names of binders.
    pub programs: Vec<Reached>,
    /// There are no others, or as many were looked at as were asked for.
    pub complete: bool,
    /// There are no others.
    pub all: bool,
    /// All of them are shown as they stand in the graph: what comes after them is no lighter.
    pub as_they_stand: bool,
    /// So many that are like the sketch were looked at, those included that are so only by what nobody reads.
    pub looked_at: usize,
    /// So many parts have those of them together that are not like others but for views that cancel out.
    pub parts: usize,
    /// One of these.
    pub unread: Option<Term>,
    /// Others are nested too deeply.
    pub too_deep: bool,
}

impl Goal {
    /// # Errors
    /// When the sketch asks too much of one term together.
    pub fn new(sketch: &Sketch) -> Result<Goal, TooComplex> {
        let has_holes = !sketch.holes().is_empty();
        let relaxed = Asked::new(sketch.filled(&[]), vec![])?;
        Ok(Goal { sketch: sketch.clone(), has_holes, relaxed, filled: vec![] })
    }

    /// Has all of the graph been asked?
    pub fn is_current(&self, graph: &Graph) -> bool {
        self.relaxed.satisfied.is_current(graph)
    }

    /// Asks the graph, which must be clean. Says whether the program satisfies the sketch; nothing where `over` says so before
    /// that is known.
    pub fn update(&mut self, graph: &Graph, root: Id, over: &dyn Fn() -> bool) -> Option<bool> {
        let found = self.relaxed.update(graph, root, over)?;
        #[cfg(test)]
        assert_eq!(
            self.relaxed.satisfied.listed(),
            Satisfied::of(graph, &self.relaxed.automaton).listed(),
            "what was asked bit by bit"
        );
        if !found || !self.has_holes {
            return Some(found);
        }
        let occurring = graph.tables().nats().cloned().collect();
        let holds = |asked: &mut Asked| asked.update(graph, root, over) == Some(true);
        let mut can_hold =
            |s: &Sketch| Asked::new(s.clone(), vec![]).is_ok_and(|mut asked| holds(&mut asked));
        let found = solutions(&self.sketch, &occurring, MOST_FILLINGS, &mut can_hold);
        let asked = found.into_iter().filter_map(|f| Asked::new(self.sketch.filled(&f), f).ok());
        self.filled = asked.filter_map(|mut a| holds(&mut a).then_some(a)).collect();
        (!over()).then_some(!self.filled.is_empty())
    }

    /// The bytes that are taken at once to ask what has come to the graph.
    pub fn coming(&self, graph: &Graph) -> u64 {
        // With sizes in the place of holes it is asked of everything.
        if self.has_holes { Satisfied::default().coming(graph) } else { self.relaxed.satisfied.coming(graph) }
    }

    pub fn has_holes(&self) -> bool {
        self.has_holes
    }

    /// Has it holes for sizes, and are none known that can stand there?
    pub fn is_unfilled(&self) -> bool {
        self.has_holes && self.filled.is_empty()
    }

    /// Has any graph been asked?
    pub fn was_asked(&self) -> bool {
        self.relaxed.satisfied.was_asked()
    }

    /// How far each part of the sketch is, with any size in the place of a hole.
    pub fn parts(&self, graph: &Graph, root: Id) -> Vec<PartReport> {
        let Asked { automaton, satisfied, .. } = &self.relaxed;
        let part = |p: &Part| PartReport {
            label: p.label.clone(),
            depth: p.depth,
            classes: satisfied.count(graph, automaton, p.state),
            at_root: satisfied.has(graph, automaton, p.state, root),
        };
        automaton.parts.iter().map(part).collect()
    }

    /// The sketch with any size in the place of each hole.
    pub fn relaxed_sketch(&self) -> &Sketch {
        &self.relaxed.sketch
    }

    /// Has the class a term that is like a part of the sketch?
    pub fn part_holds(&self, graph: &Graph, part: usize, class: Id) -> bool {
        let Asked { automaton, satisfied, .. } = &self.relaxed;
        automaton.parts.get(part).is_some_and(|p| satisfied.has(graph, automaton, p.state, class))
    }

    /// For each part of the sketch the lightest term that is like it; none where `over` says so before they are known.
    pub fn witnesses(&self, graph: &Graph, over: &dyn Fn() -> bool) -> Option<Vec<Option<Term>>> {
        let Asked { automaton, satisfied, .. } = &self.relaxed;
        let lightest = Lightest::of_until(graph, automaton, satisfied, Weights::Size, over)?;
        Some(automaton.parts.iter().map(|part| lightest.of_state(part.state)).collect())
    }

    /// For each part of the sketch: is the lightest term of the class like it by what is read? None where `over` says so before that is
    /// known.
    pub fn are_read(&self, graph: &Graph, class: Id, over: &dyn Fn() -> bool) -> Option<Vec<bool>> {
        let Asked { automaton, satisfied, .. } = &self.relaxed;
        let lightest = Lightest::of_until(graph, automaton, satisfied, Weights::Size, over)?;
        let is_read = |part: &Part| {
            lightest.of_class(part.state, class).is_some_and(|term| part.sketch.satisfied_by(&term))
        };
        Some(automaton.parts.iter().map(is_read).collect())
    }

    fn asked(&self) -> &[Asked] {
        if self.has_holes { &self.filled } else { std::slice::from_ref(&self.relaxed) }
    }

    /// The programs with no variables but these that satisfy the sketch, lightest first; none where `over` says so before they are weighed.
    /// Where that is asked for, also those that compute a value in one way throughout which one of these computes in several.
    pub fn ranking<'a>(
        &'a self,
        graph: &'a Graph,
        (root, free): (Id, &'a Free),
        weights: Weights<'a>,
        throughout: bool,
        over: &dyn Fn() -> bool,
    ) -> Option<Ranking<'a>> {
        let of = |asked: &'a Asked| {
            let members = Members::of_until(
                graph,
                &asked.automaton,
                &asked.satisfied,
                (root, Some(free)),
                weights,
                over,
            )?;
            Some(Ranked {
                asked,
                members,
                looked_at: 0,
                parts: 0,
                reached: vec![],
                tried: FxHashMap::default(),
                throughout: throughout.then(|| Throughout::new(graph)),
                unread: None,
            })
        };
        let each = self.asked().iter().map(of).collect::<Option<_>>()?;
        Some(Ranking { each, graph, all_fillings: self.filled.len() < MOST_FILLINGS })
    }
}

/// The programs that satisfy a sketch, as far as they have been asked for.
pub struct Ranking<'a> {
    /// For each way to fill the sketch's holes.
    each: Vec<Ranked<'a>>,
    graph: &'a Graph,
    all_fillings: bool,
}

struct Ranked<'a> {
    asked: &'a Asked,
    members: Members<'a>,
    looked_at: usize,
    /// So many parts have those together of which more was made.
    parts: usize,
    reached: Vec<Reached>,
    /// How many had this left once views that cancel out are taken away.
    tried: FxHashMap<Digest, usize>,
    /// What makes of a program those that compute a value in one way.
    throughout: Option<Throughout<'a>>,
    unread: Option<Term>,
}

impl Ranked<'_> {
    /// Looks at what was found since. Of what becomes one of the programs here once views that cancel out are taken away, as
    /// `clear` takes them, nothing more is made, nor of more than a few that are alike but for views which cancel out somewhere.
    /// Once there is one, no more are looked at when `over` says so. Says whether all were.
    fn look(
        &mut self,
        shows: Shows<'_>,
        clear: &mut dyn FnMut(&Term) -> Term,
        over: &dyn Fn() -> bool,
    ) -> bool {
        while let Some(found) = self.members.found.get(self.looked_at).cloned() {
            if !self.reached.is_empty() && over() {
                return false;
            }
            self.looked_at += 1;
            self.look_at(found, shows, clear);
        }
        true
    }

    /// Looks at one of them, and at what computes a value of it in one way throughout.
    fn look_at(&mut self, found: Extracted, shows: Shows<'_>, clear: &mut dyn FnMut(&Term) -> Term) {
        let cost = found.cost;
        let others = self.throughout.as_mut().map(|t| t.of(&found.term)).unwrap_or_default();
        let others = others.into_iter().map(|term| Extracted { term, cost });
        for found in std::iter::once(found).chain(others) {
            let tried = self.tried.entry(clear(&found.term).digest()).or_default();
            if *tried >= MOST_ALIKE {
                continue;
            }
            *tried += 1;
            self.parts += found.term.size() as usize;
            match self.asked.reached(found.clone(), shows) {
                Some(reached) => {
                    let digest = reached.term.digest();
                    if clear(&reached.term).digest() == digest {
                        self.tried.insert(digest, MOST_ALIKE);
                    }
                    self.reached.push(reached);
                }
                None => self.unread = self.unread.take().or(Some(found.term)),
            }
        }
    }
}

impl Ranking<'_> {
    /// Looks at a member for each way to fill the holes that computes little, whatever it weighs.
    pub fn look_at_thrifty(
        &mut self,
        (root, free): (Id, &Free),
        shares: bool,
        (shows, clear): (Shows<'_>, &mut dyn FnMut(&Term) -> Term),
        over: &dyn Fn() -> bool,
    ) {
        for ranked in &mut self.each {
            let Asked { automaton, satisfied, .. } = ranked.asked;
            if let Some(term) = thrifty(self.graph, automaton, satisfied, (root, free), shares, over) {
                let cost = term.size();
                ranked.look_at(Extracted { term, cost }, shows, clear);
            }
        }
    }

    /// What the k lightest members for each way to fill the holes are as they are shown.
    pub fn best(
        &mut self,
        k: usize,
        shows: Shows<'_>,
        clear: &mut dyn FnMut(&Term) -> Term,
        over: &dyn Fn() -> bool,
    ) -> Programs {
        let mut best = Programs {
            programs: vec![],
            complete: self.all_fillings,
            all: self.all_fillings,
            as_they_stand: true,
            looked_at: 0,
            parts: 0,
            unread: None,
            too_deep: false,
        };
        for ranked in &mut self.each {
            best.complete &= ranked.members.find(k, over);
            best.too_deep |= ranked.members.too_deep;
            best.complete &= ranked.look(shows, clear, over);
            best.all &= best.complete && ranked.looked_at < k;
            best.unread = best.unread.or_else(|| ranked.unread.clone());
            best.looked_at += ranked.looked_at;
            best.parts += ranked.parts;
            for reached in &ranked.reached {
                if best.programs.iter().all(|b| b.term != reached.term) {
                    best.as_they_stand &= reached.extracted == reached.term;
                    best.programs.push(reached.clone());
                }
            }
        }
        best.programs.sort_by_key(|r| r.cost);
        best
    }
}
