//! Which of the programs that satisfy a search's sketch are the best, and how they are shown.

use super::shown::Shown;
use super::{MOST_UNREAD, Search};
use crate::clearing::Clearer;
use crate::lang::digest::Digest;
use crate::lang::infer::constraints_of;
use crate::lang::term::Term;
use crate::normal::normal_form_with;
use crate::rule::RuleUse;
use crate::search::about;
use crate::search::cost::{Cost, repeats_dimension};
use crate::search::goal::{Programs, Ranking, Reached};
use crate::sharing::times;
use crate::sketch::best::{KBest, free_in};
use crate::sketch::extract::Extracted;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Of so many programs, lightest as they stand in the graph, the one is found that costs least as it is shown.
const CANDIDATES: usize = 8;
/// Where one of these is not shown as it stands, so many are looked at: those with redexes come late in the graph, and may
/// be small in normal form.
const MORE_CANDIDATES: usize = 24;
/// Where they have fewer parts than this together, as many are looked at for one as for several; or, of a program that shares values,
/// fewer than `MOST_PARTS`: these are written out in the graph.
const FEW_PARTS: usize = 1_000;
/// Where several are asked for that may not be the lightest as they stand, so many are looked at for them: how many are asked for does
/// not decide which they are.
const CANDIDATES_FOR_SEVERAL: usize = 256;
/// So many where many of them are alike.
const MOST_CANDIDATES: usize = 2048;
/// No more are looked at where they have so many parts together: those of a graph in which a term is a part of itself get larger and
/// larger.
const MOST_PARTS: usize = 15_000;
/// Or so many times as many as the programs that are asked for have where these are as large as the one given, if that is more.
const MOST_TIMES: usize = 8;
/// Where the smallest of these computes much more than the program given, so many are looked at for one that does not.
const THRIFTY_CANDIDATES: usize = 64;

/// Why a program stands behind others, whatever it weighs: nothing of that where it does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Last {
    /// The values that sizes were given do not meet what it asks.
    pub misfits: bool,
    /// It computes so many times as much as the program given, where that is much and not left to a table of costs.
    pub times: Option<u64>,
    /// Two loops of work-items within each other have one dimension, which no device can run.
    pub repeats: bool,
}

impl Last {
    /// Why, in words, if it does.
    pub fn told(&self) -> Option<String> {
        let times = self.times.map(|n| format!("it computes about {} times as much", about(n as f64)));
        let reasons = [
            self.misfits.then(|| "the sizes do not fit it".to_owned()),
            times,
            self.repeats.then(|| "it repeats a dimension of work-items".to_owned()),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        (!reasons.is_empty()).then(|| reasons.join(", and "))
    }

    /// Programs that have it in common stand together, by their weights.
    fn order(&self) -> (bool, bool, bool) {
        (self.misfits, self.times.is_some(), self.repeats)
    }
}

/// The programs that satisfy a search's sketch, by what they cost as they are shown.
pub(super) struct Best<'a> {
    ranking: Ranking<'a>,
    search: &'a Search,
    shown: Shown<'a>,
    /// It is time to give up.
    over: &'a dyn Fn() -> bool,
}

/// Of how many the lightest are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// Of as many as it takes until there is one.
    Any,
    /// Of a few, of which one is found.
    Few,
    /// Of as many as it takes, where they are shown as they stand.
    Lightest,
    Many,
}

impl Best<'_> {
    /// The k best, first the one that is found: the lightest of those that are looked at for it that does not [come last](Last),
    /// if there is one. Then the lightest of the others, of which those that do come last. Before the search is over it only matters
    /// whether there are as many.
    pub(super) fn of(&mut self, k: usize, at_end: bool) -> Programs {
        if !at_end {
            let mut some = self.among(k, if k == 1 { Among::Any } else { Among::Lightest });
            some.complete |= some.programs.len() >= k;
            some.programs.truncate(k);
            return some;
        }
        let first = self.first();
        if k == 1 {
            return first;
        }
        self.after(first.programs.first(), k)
    }

    /// The one that was found, and the lightest of the others.
    fn after(&mut self, found: Option<&Reached>, k: usize) -> Programs {
        // What no rule says more of is lightest for sure; of the rest it takes many to tell.
        let mut best = self.among(k, if self.search.is_settled { Among::Lightest } else { Among::Many });
        best.programs.sort_by_cached_key(|r| self.search.last(&r.term).order());
        best.programs.truncate(k);
        if let Some(found) = found {
            best.programs.retain(|r| r.term != found.term);
            best.programs.truncate(k.saturating_sub(1));
            best.programs.insert(0, found.clone());
        }
        best.complete &= best.all || best.programs.len() == k;
        best
    }

    /// The one that is found.
    fn first(&mut self) -> Programs {
        let mut found = self.among(CANDIDATES, Among::Few);
        found
            .programs
            .sort_by_cached_key(|r| (self.search.misfits(&r.term), repeats_dimension(&r.term), r.cost));
        if found
            .programs
            .first()
            .is_some_and(|r| self.search.misfits(&r.term) || self.search.wastes(&r.term).is_some())
        {
            self.look_at_thrifty();
            found = self.among(THRIFTY_CANDIDATES, Among::Few);
            found.programs.sort_by_cached_key(|r| (self.search.last(&r.term).order(), r.cost));
        }
        found.programs.truncate(1);
        found.complete |= !found.programs.is_empty();
        found
    }

    /// What is left of a program in normal form once views that cancel out are taken away. Of many the same is left.
    fn clearer(search: &Search) -> impl FnMut(&Term) -> Term + '_ {
        let clears = search.budget.normal && search.budget.clears;
        let mut clearer = Clearer::new(search.clearing().filter(move |_| clears));
        let mut normal: FxHashMap<Digest, Term> = FxHashMap::default();
        move |t: &Term| {
            let clear = clearer.clear(t);
            let form = || normal_form_with(&search.params, &clear).filter(|_| clears);
            normal.entry(clear.digest()).or_insert_with(|| form().unwrap_or_else(|| clear.clone())).clone()
        }
    }

    /// Among the lightest may be none that computes little: looks at one that does, whatever it weighs.
    fn look_at_thrifty(&mut self) {
        let (search, shown) = (self.search, &self.shown);
        let form = |t: &Term, holds: &dyn Fn(&Term) -> bool| shown.form(t, holds);
        let (root, free) = (search.root(), free_in(&search.start));
        let mut clear = Best::clearer(search);
        self.ranking.look_at_thrifty((root, &free), search.shares, (&form, &mut clear), self.over);
    }

    /// So many programs, the lightest first, where there are as many.
    fn among(&mut self, k: usize, among: Among) -> Programs {
        let search = self.search;
        let mut clear = Best::clearer(search);
        let shown = &self.shown;
        let form = |t: &Term, holds: &dyn Fn(&Term) -> bool| shown.form(t, holds);
        let mut best = |asked: usize| self.ranking.best(asked, &form, &mut clear, self.over);
        let most_parts = MOST_PARTS.max(MOST_TIMES * k * search.start.size() as usize);
        let mut asked = if among == Among::Any { 1 } else { k.max(CANDIDATES) };
        let mut found = best(asked);
        let (least, most) = match among {
            Among::Any => (asked, asked),
            Among::Few if found.as_they_stand && found.programs.len() >= asked => (asked, 16 * k),
            Among::Few => (MORE_CANDIDATES, 16 * k),
            Among::Lightest if found.as_they_stand => (asked, MOST_CANDIDATES.max(16 * k)),
            Among::Lightest | Among::Many => (CANDIDATES_FOR_SEVERAL, MOST_CANDIDATES.max(16 * k)),
        };
        loop {
            // Several may have one normal form.
            let most = if found.programs.is_empty() { MOST_UNREAD.max(k) } else { most };
            let wanted = if among == Among::Any { 1 } else { k };
            let few = found.programs.len() < wanted && asked < most;
            let again = search.computes_again;
            let few_parts = if again { MOST_PARTS } else { FEW_PARTS };
            let are_small = among == Among::Few && found.parts < few_parts && (again || !found.as_they_stand);
            let least = if are_small { CANDIDATES_FOR_SEVERAL } else { least };
            let goes_on = found.complete && found.looked_at >= asked && found.parts < most_parts;
            if !goes_on || !few && asked >= least {
                break;
            }
            asked = if asked < least { least.min(2 * asked) } else { 2 * asked };
            let before = found.programs.len();
            found = best(asked);
            // Twice as many that are all alike say that there are no others nearby.
            let many = if among == Among::Few { least } else { least.max(CANDIDATES_FOR_SEVERAL).max(8 * k) };
            if found.programs.len() == before && before > 0 && asked > many {
                break;
            }
        }
        found.programs.iter_mut().for_each(|r| r.cost = self.search.budget.cost.of(&r.term));
        found.programs.sort_by_key(|r| r.cost);
        found
    }
}

impl Search {
    /// Where there are fewer programs than were asked for among those that were looked at, those stand beside them that were found
    /// while the graph was smaller: they are in it still, behind many that are alike.
    pub(super) fn with_earlier(&self, best: &mut Programs, earlier: Programs, asked: usize) {
        let room = asked.saturating_sub(best.programs.len());
        if asked == 1 || best.all {
            return;
        }
        let known = |r: &Reached| best.programs.iter().any(|b| b.term == r.term);
        let others: Vec<Reached> = earlier.programs.into_iter().filter(|r| !known(r)).take(room).collect();
        best.as_they_stand &= others.is_empty();
        best.looked_at += others.len();
        best.programs.extend(others);
        best.complete |= best.programs.len() >= asked;
        // The first is the one that is found.
        if let Some((_, rest)) = best.programs.split_first_mut() {
            rest.sort_by_cached_key(|r| (self.last(&r.term).order(), r.cost));
        }
    }

    /// Why a program comes behind others, if it does.
    pub fn last(&self, program: &Term) -> Last {
        Last {
            misfits: self.misfits(program),
            times: self.wastes(program),
            repeats: repeats_dimension(program),
        }
    }

    /// How many times as much it computes as the program given, where that is much and not left to a table of costs.
    fn wastes(&self, program: &Term) -> Option<u64> {
        if self.budget.cost == Cost::Size { self.times(program) } else { None }
    }

    /// Do the values that sizes were given not meet what it asks?
    fn misfits(&self, program: &Term) -> bool {
        let sizes = &self.budget.sizes;
        let value = |name: &str| sizes.get(name).copied();
        !sizes.is_empty() && constraints_of(program).iter().any(|c| c.holds(&value) == Ok(false))
    }

    /// The k lightest programs in the graph that satisfy the sketch, no two the same up to the names of binders: in normal
    /// form, if that was asked for and still satisfies the sketch, with what they cost. Those that the search itself asked
    /// for are known.
    pub fn best(&self, k: usize) -> KBest {
        self.best_until(k, &|| false)
    }

    /// The same, or fewer of them where `over` says so.
    pub fn best_until(&self, k: usize, over: &dyn Fn() -> bool) -> KBest {
        let (known, more) = match &self.best {
            Some((asked, known)) if k <= *asked => (known, None),
            None => return KBest { terms: vec![], complete: true, of: None },
            Some((_, known)) if over() => (known, None),
            Some((_, known)) => (known, self.rank(over, |best| best.after(known.programs.first(), k))),
        };
        // What is known without asking is more than what little was found before that was over.
        let more = more.filter(|more| more.programs.len() >= known.programs.len());
        self.told(more.as_ref().unwrap_or(known), k)
    }

    /// So many of the best programs, with what is known of the others.
    fn told(&self, best: &Programs, k: usize) -> KBest {
        let shown = |r: &Reached| Extracted { cost: r.cost, term: r.term.clone() };
        let terms: Vec<Extracted> = best.programs.iter().take(k).map(shown).collect();
        let are_lightest = best.all || best.as_they_stand && self.is_settled;
        let of = (!are_lightest).then_some(best.looked_at);
        KBest { complete: best.complete || terms.len() == k, terms, of }
    }

    /// How many times as much a program computes as the one given, where that is much.
    pub(super) fn times(&self, program: &Term) -> Option<u64> {
        times(program, self.amount?)
    }

    /// How long it took to extract the programs that the search itself asked for.
    pub fn extraction(&self) -> Duration {
        self.extraction
    }

    /// Extracts programs, the lightest first; none where `over` says so before they are weighed.
    pub(super) fn rank<T>(
        &self,
        over: &dyn Fn() -> bool,
        extract: impl FnOnce(&mut Best<'_>) -> T,
    ) -> Option<T> {
        let free = free_in(&self.start);
        self.budget.cost.weights(|weights| {
            let ranking =
                self.goal.ranking(&self.graph, (self.root(), &free), weights, self.computes_again, over)?;
            Some(extract(&mut Best { ranking, search: self, shown: Shown::of(self), over }))
        })
    }

    /// The rules that take views away, of those that are not held back.
    pub(super) fn clearing(&self) -> impl Iterator<Item = &RuleUse> {
        self.rules.iter().filter(|r| r.clears && r.held.is_empty()).map(|r| &r.rule)
    }
}
