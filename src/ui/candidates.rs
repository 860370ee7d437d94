//! Which rules apply, at a position and inside of it, best first.
//!
//! Whether a rule applies depends on the sub-term alone, so what was found for one is remembered by its digest:
//! after a rewrite only what is new is tried.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexSet;

use crate::lang::constraint::SizeConstraint;
use crate::lang::decided::decided;
use crate::lang::digest::Digest;
use crate::lang::loops::{self, LineKind, LoopLine};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::sort::Sort;
use crate::lang::summary;
use crate::lang::term::{Expr, Term};
use crate::lower::{Drawn, Nest, outline};
use crate::rewrite::rule::apply::Applied;
use crate::rewrite::rule::offer::{Miss, asks, choices, is_for_strategies, says_nothing, specificity};
use crate::rewrite::rule::{Marks, Rule, RuleArg, RuleUse, apply_at};
use crate::session::action::{RevisionId, Sizes, Target};
use crate::session::history::History;
use crate::session::workspace::Workspace;
use crate::view::Alphabet;
use crate::view::dearer::Dearer;
use crate::view::effect::Effect;

/// A rule at a position: what it makes of the term, or why it does not apply.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rule with its arguments, as text.
    pub call: String,
    /// What the rule may change in floating-point results.
    pub marks: Marks,
    /// One line about it.
    pub doc: String,
    /// Where.
    pub at: Path,
    /// Whether arguments have to be given before it can be applied.
    pub open: bool,
    /// Whether some set gives it arguments, or it takes none: it is looked for inside of positions as well.
    pub usual: bool,
    /// Arguments with which it applies, as the call and what that assumes; what is said of it is of the first.
    pub choices: Vec<(String, String)>,
    /// What it makes, or why not, in a sentence.
    pub result: Result<Made, String>,
    /// What it assumes of the sizes.
    pub assumed: Vec<String>,
    /// The position at which the match stops, when it does not apply.
    pub stops: Option<Path>,
    /// How many nodes matched.
    pub depth: u32,
    /// What it does to the loops of the program.
    pub effect: Effect,
    /// What is dearer after it, and in which language that was found out, once it was.
    pub price: Option<(Target, Dearer)>,
    /// The shape of the loops after it.
    shape: Option<Digest>,
    /// How much it is worth.
    pub rank: Rank,
}

/// What a rewrite makes, held as the part at its position: a large program has thousands of rewrites, and each whole term would have
/// its own nodes from the root on.
#[derive(Clone, Debug)]
pub struct Made {
    part: Term,
    /// Of the whole term.
    pub digest: Digest,
}

impl Made {
    fn of(whole: &Term, part: Term) -> Made {
        Made { part, digest: whole.digest() }
    }
}

impl Candidate {
    /// The term after it, from the one before.
    pub fn after(&self, before: &Term) -> Option<Term> {
        before.replace_at(&self.at, self.result.as_ref().ok()?.part.clone())
    }

    /// The rule with its arguments and marks.
    pub fn marked(&self) -> String {
        let between = if self.marks.is_empty() { "" } else { " " };
        format!("{}{between}{}", self.call, self.marks)
    }

    /// The rule, and the rule with each of the arguments that are offered.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.call).chain(self.choices.iter().map(|(call, _)| &**call))
    }

    /// What can be applied of it and is called this, whatever the case of letters.
    pub fn named(&self, name: &str) -> Option<&str> {
        let mut known = self.calls().skip(usize::from(self.open));
        known.find(|call| call.eq_ignore_ascii_case(name))
    }

    /// The same, and where it is tried.
    pub fn heading(&self) -> String {
        format!("{} at {}", self.marked(), self.at)
    }
}

/// How much a rewrite is worth: first those that change something, then those that say most about the term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    idle: bool,
    specificity: Reverse<(usize, usize)>,
    reworded: bool,
}

impl Rank {
    fn of(rule: &Rule, before: &Term, after: Option<&Term>) -> Rank {
        let reworded = after.is_some_and(|after| before == after || patterns(before) == patterns(after));
        let longer = after.is_some_and(|after| before == after || after.size() > before.size());
        let idle = says_nothing(rule) || is_for_strategies(rule) || reworded && longer;
        Rank { idle, specificity: Reverse(specificity(rule)), reworded }
    }
}

/// How often each pattern stands in a term.
fn patterns(term: &Term) -> HashMap<Pattern, usize> {
    fn count(term: &Term, all: &mut HashMap<Pattern, usize>) {
        match term.as_pattern() {
            Some(pattern) => *all.entry(pattern).or_default() += 1,
            None => term.children().into_iter().for_each(|part| count(part, all)),
        }
    }
    let mut all = HashMap::new();
    count(term, &mut all);
    all
}

/// A rule that applies to a sub-term.
#[derive(Debug)]
struct Found {
    rule: Rule,
    call: String,
    marks: Marks,
    doc: String,
    after: Term,
    assumed: Vec<SizeConstraint>,
    rank: Rank,
}

/// The rules that apply to sub-terms, and the loops of terms, by their digests.
#[derive(Debug, Default)]
pub struct Known {
    rules: Mutex<HashMap<Digest, Arc<Vec<Found>>>>,
    loops: Mutex<HashMap<Digest, Arc<Nest>>>,
}

/// More sub-terms than this are not remembered, and of so many terms their loops.
const KEPT: usize = 50_000;
const KEPT_LOOPS: usize = 4_000;

impl Known {
    fn of(&self, part: &Term, uses: &[RuleUse]) -> Arc<Vec<Found>> {
        let find = || uses.iter().filter_map(|rule| found(rule, part)).collect();
        remembered(&self.rules, part.digest(), KEPT, find)
    }

    /// The loops that run, without their places.
    fn loops(&self, term: &Term) -> Arc<Nest> {
        remembered(&self.loops, term.digest(), KEPT_LOOPS, || outline(term))
    }
}

/// What is known of a digest, or found out now.
fn remembered<T>(
    all: &Mutex<HashMap<Digest, Arc<T>>>,
    digest: Digest,
    most: usize,
    find: impl FnOnce() -> T,
) -> Arc<T> {
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().get(&digest).cloned();
    known.unwrap_or_else(|| {
        let found = Arc::new(find());
        let mut all = lock();
        if all.len() >= most {
            all.clear();
        }
        all.insert(digest, found.clone());
        found
    })
}

fn found(rule_use: &RuleUse, part: &Term) -> Option<Found> {
    let applied = rule_use.rule.apply(part, &rule_use.args).ok()?;
    if applied.term == *part {
        return None;
    }
    let rank = Rank::of(&rule_use.rule, part, Some(&applied.term));
    let assumed = asks(&rule_use.rule, part, &applied.assumed, &applied.term);
    let (doc, marks) = (summary::of(&rule_use.rule.doc), rule_use.rule.changes());
    Some(Found {
        rule: rule_use.rule.clone(),
        call: rule_use.to_string(),
        marks,
        doc,
        after: applied.term,
        assumed,
        rank,
    })
}

/// How a rule is tried everywhere: as it is, or with the first arguments that some set gives it.
fn tried_as(workspace: &Workspace, rule: &Rule) -> Option<RuleUse> {
    if rule.params.is_empty() {
        return Some(RuleUse { rule: rule.clone(), args: Vec::new() });
    }
    let mut sets = workspace.rules.sets().flat_map(|set| set.rules.iter());
    sets.find(|used| used.rule == *rule && !used.args.is_empty()).cloned()
}

/// The loops of a program, with which those of others are compared, and how many patterns repeat something in it.
struct Pictures<'a> {
    before: Option<Before>,
    sizes: &'a Sizes,
    known: &'a Known,
}

/// What runs of the program that there is, at the sizes that are known.
struct Before {
    term: Term,
    nest: Arc<Nest>,
    repetitions: usize,
}

/// How many patterns of a term go over an array. Two that share a loop in the picture may be two still.
fn repetitions(term: &Term) -> usize {
    match term.expr() {
        Expr::Lam(_, body) => repetitions(body),
        Expr::App(f, e) => repetitions(f) + repetitions(e),
        Expr::Prim(p) => usize::from(matches!(p.pattern.sort(), Sort::Map(_) | Sort::Reduce(_) | Sort::Scan)),
        Expr::Var(_) | Expr::Lit(_) => 0,
    }
}

/// The loops of larger terms are not compared for each rule.
const LARGEST: u32 = 5_000;

/// The loops of a picture and what they store, whatever they compute.
fn shape(lines: &[LoopLine]) -> Digest {
    let kept = lines.iter().filter(|line| line.kind != LineKind::Compute);
    let text: Vec<String> = kept.map(|line| format!("{} {}", line.depth, line.text)).collect();
    Digest::of(text.join("\n").as_bytes())
}

impl Pictures<'_> {
    /// None of terms that are too large.
    fn of<'a>(term: &Term, sizes: &'a Sizes, known: &'a Known) -> Pictures<'a> {
        let before = (term.size() <= LARGEST).then(|| {
            let term = decided(term, sizes);
            Before { nest: known.loops(&term), repetitions: repetitions(&term), term }
        });
        Pictures { before, sizes, known }
    }

    /// What differs, and the shape of what is there after.
    fn effect(&self, after: &Term) -> (Effect, Option<Digest>) {
        let Some(before) = &self.before else { return (Effect::None, None) };
        let after = &decided(after, self.sizes);
        let nest = self.known.loops(after);
        // What runs is compared with what runs, and terms with terms.
        let (effect, shape) = match (before.nest.drawn, nest.drawn) {
            (Drawn::Lowered, Drawn::Lowered) => {
                (Effect::of(&before.nest.lines, &nest.lines), shape(&nest.lines))
            }
            _ => {
                let lines = loops::of(after);
                (Effect::of(&loops::of(&before.term), &lines), shape(&lines))
            }
        };
        let effect = match effect {
            Effect::None if repetitions(after) < before.repetitions => Effect::Fused,
            effect => effect,
        };
        (effect, Some(shape))
    }
}

/// Every rule at a position, whether it applies or not; `sizes` are the values that are known.
pub fn here(workspace: &Workspace, term: &Term, at: &Path, sizes: &Sizes, known: &Known) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    let pictures = Pictures::of(term, sizes, known);
    for rule in workspace.rules.rules() {
        out.push(candidate(workspace, rule, term, at, sizes, &pictures));
    }
    out
}

fn candidate(
    workspace: &Workspace,
    rule: &Rule,
    term: &Term,
    at: &Path,
    sizes: &Sizes,
    pictures: &Pictures<'_>,
) -> Candidate {
    match rule.params.is_empty() {
        true => tried(&RuleUse { rule: rule.clone(), args: Vec::new() }, term, at, sizes, pictures),
        false => with_choices(workspace, rule, term, at, sizes, pictures),
    }
}

/// A rule that does not apply at a position, where it comes nearest to that inside: where most of its left side matches. None where
/// nothing inside matches more of it.
pub fn nearest(
    workspace: &Workspace,
    term: &Term,
    at: &Path,
    call: &str,
    sizes: &Sizes,
) -> Option<Candidate> {
    let rule = workspace.rules.get(call.split('(').next()?)?;
    let depth = |part: &Term| {
        let stops = match rule.params.is_empty() {
            true => rule.apply(part, &[]).err(),
            false => rule.stops_without(part),
        };
        // Where nothing stops the match, arguments are missing, or it applies.
        stops.map_or(u32::MAX, |why| why.depth)
    };
    let mut nearest = (depth(term.at(at)?), None);
    for (path, part) in term.at(at)?.positions().into_iter().skip(1) {
        let depth = depth(part);
        if depth > nearest.0 {
            nearest = (depth, Some(path));
        }
    }
    let place = at.join(&nearest.1?);
    let pictures = Pictures { before: None, sizes, known: &Known::default() };
    Some(candidate(workspace, rule, term, &place, sizes, &pictures))
}

/// A rule that takes arguments: those with which it applies, and what it does with the first of them.
fn with_choices(
    workspace: &Workspace,
    rule: &Rule,
    term: &Term,
    at: &Path,
    sizes: &Sizes,
    pictures: &Pictures<'_>,
) -> Candidate {
    let part = term.at(at).unwrap_or(term);
    let multiples: Vec<i64> = sizes.values().copied().collect();
    let (found, miss) = match choices(rule, part, &multiples, &|c| is_refuted(c, sizes)) {
        Ok(found) => (found, None),
        Err(miss) => (vec![], Some(miss)),
    };
    let assumptions = |applied: &Applied| in_words(&asks(rule, part, &applied.assumed, &applied.term));
    let first = found.first().map(|(_, applied)| applied);
    let made = first.map(|applied| applied.term.clone());
    let whole = made.clone().and_then(|part| term.replace_at(at, part));
    let (effect, shape) = whole.as_ref().map_or((Effect::None, None), |whole| pictures.effect(whole));
    let made = whole.zip(made).map(|(whole, part)| Made::of(&whole, part));
    let stops = match &miss {
        Some(Miss::Always(why) | Miss::With(_, why)) => Some(why),
        _ => None,
    };
    let names: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
    let call = |args: &[RuleArg]| RuleUse { rule: rule.clone(), args: args.to_vec() }.to_string();
    Candidate {
        call: format!("{}({})", rule.name, names.join(", ")),
        marks: rule.changes(),
        doc: summary::of(&rule.doc),
        at: at.clone(),
        open: true,
        usual: tried_as(workspace, rule).is_some(),
        choices: found.iter().map(|(args, a)| (call(args), assumptions(a).join(", "))).collect(),
        effect,
        price: None,
        shape,
        rank: Rank::of(rule, part, first.map(|applied| &applied.term)),
        assumed: first.map(assumptions).unwrap_or_default(),
        result: made.ok_or_else(|| missing(rule, miss.as_ref())),
        stops: stops.map(|why| at.join(&why.at)),
        depth: stops.map_or(0, |why| why.depth),
    }
}

/// Of the arguments with which a rule applies at its place, as a call: the first that these sizes rule out nowhere within a position.
/// None where they rule out each of them somewhere.
pub fn throughout(
    workspace: &Workspace,
    term: &Term,
    within: &Path,
    candidate: &Candidate,
    sizes: &Sizes,
) -> Option<String> {
    let rule = workspace.rules.get(candidate.call.split('(').next()?)?;
    let multiples: Vec<i64> = sizes.values().copied().collect();
    let refuted = |c: &SizeConstraint| is_refuted(c, sizes);
    let found = choices(rule, term.at(&candidate.at)?, &multiples, &refuted).ok()?;
    let places = term.at(within)?.positions();
    let fits = |args: &[RuleArg]| {
        places.iter().all(|(_, part)| {
            // Where it does not match, arguments do no harm.
            let asked = rule.apply(part, args).map(|a| asks(rule, part, &a.assumed, &a.term));
            asked.map_or(true, |all| !all.iter().any(refuted))
        })
    };
    let args = found.into_iter().map(|(args, _)| args).find(|args| fits(args))?;
    Some(RuleUse { rule: rule.clone(), args }.to_string())
}

/// Why a rule with parameters does not apply: where its left side stops, or, where that matches, that arguments are missing.
fn missing(rule: &Rule, miss: Option<&Miss>) -> String {
    let words = rule.params.iter().map(|p| format!("{} is {}", p.name, p.kind.word()));
    let needs = format!("it needs arguments: {}", words.collect::<Vec<_>>().join(", "));
    let with = |args: &[RuleArg]| {
        format!("with {}", args.iter().map(RuleArg::to_string).collect::<Vec<_>>().join(", "))
    };
    match miss {
        Some(Miss::Always(why)) => why.to_string(),
        Some(Miss::With(args, why)) => format!("{needs}; {}, for one, {why}", with(args)),
        Some(Miss::Refuted(args, c)) => {
            format!("{needs}; {}, for one, {}", with(args), not_met(c))
        }
        Some(Miss::Arguments) | None => needs,
    }
}

/// Is it known of the sizes that they do not meet it?
fn is_refuted(c: &SizeConstraint, sizes: &Sizes) -> bool {
    c.holds(&|name| sizes.get(name).copied()) == Ok(false)
}

fn not_met(c: &SizeConstraint) -> String {
    format!("it asks that {c}, which these sizes do not meet")
}

fn in_words(assumed: &[SizeConstraint]) -> Vec<String> {
    assumed.iter().map(ToString::to_string).collect()
}

/// A rule, tried at a position. One that matches, and assumes what the sizes do not meet, does not apply at these.
fn tried(rule_use: &RuleUse, term: &Term, at: &Path, sizes: &Sizes, pictures: &Pictures<'_>) -> Candidate {
    let part = term.at(at).unwrap_or(term);
    let (result, assumed, stops, depth) = match apply_at(term, at, &rule_use.rule, &rule_use.args) {
        Ok(done) => {
            let asked = asks(&rule_use.rule, part, &done.assumed, done.term.at(at).unwrap_or(&done.term));
            match asked.iter().find(|c| is_refuted(c, sizes)) {
                None => (Ok(done.term), in_words(&asked), None, 0),
                Some(c) => {
                    let all = u32::try_from(specificity(&rule_use.rule).1).unwrap_or_default();
                    (Err(not_met(c)), Vec::new(), None, all)
                }
            }
        }
        Err(why) => (Err(why.to_string()), Vec::new(), Some(at.join(&why.at)), why.depth),
    };
    let (effect, shape) = result.as_ref().map_or((Effect::None, None), |whole| pictures.effect(whole));
    let result = result.map(|whole: Term| Made::of(&whole, whole.at(at).unwrap_or(&whole).clone()));
    let after = result.as_ref().ok().map(|made| &made.part);
    Candidate {
        call: rule_use.to_string(),
        marks: rule_use.rule.changes(),
        doc: summary::of(&rule_use.rule.doc),
        at: at.clone(),
        open: false,
        usual: true,
        choices: Vec::new(),
        rank: Rank::of(&rule_use.rule, part, after),
        result,
        assumed,
        stops,
        depth,
        effect,
        price: None,
        shape,
    }
}

/// The rules that apply inside of a position, from its part number `from` on, and where to look on if `stop` said to
/// stop after so many parts. Rules that apply to anything whatever are left out: they apply everywhere.
pub fn inside(
    workspace: &Workspace,
    term: &Term,
    at: &Path,
    from: usize,
    sizes: &Sizes,
    known: &Known,
    stop: &dyn Fn(usize) -> bool,
) -> (Vec<Candidate>, Option<usize>) {
    let Some(part) = term.at(at) else { return (Vec::new(), None) };
    let says_something = workspace.rules.rules().filter(|rule| !says_nothing(rule));
    let uses: Vec<RuleUse> = says_something.filter_map(|rule| tried_as(workspace, rule)).collect();
    let mut out = Vec::new();
    let pictures = Pictures::of(term, sizes, known);
    for (number, (path, part)) in part.positions().into_iter().enumerate().skip(from.max(1)) {
        let place = at.join(&path);
        for found in known.of(part, &uses).iter() {
            // Values are offered at this place; what was found holds of one of them.
            if !found.rule.params.is_empty() {
                let candidate = with_choices(workspace, &found.rule, term, &place, sizes, &pictures);
                out.extend(Some(candidate).filter(|c| c.result.is_ok()));
                continue;
            }
            if found.assumed.iter().any(|c| is_refuted(c, sizes)) {
                continue;
            }
            let Some(whole) = term.replace_at(&place, found.after.clone()) else { continue };
            let (effect, shape) = pictures.effect(&whole);
            out.push(Candidate {
                call: found.call.clone(),
                marks: found.marks,
                doc: found.doc.clone(),
                at: place.clone(),
                open: false,
                usual: true,
                choices: Vec::new(),
                result: Ok(Made::of(&whole, found.after.clone())),
                assumed: in_words(&found.assumed),
                stops: None,
                depth: 0,
                effect,
                price: None,
                shape,
                rank: found.rank,
            });
        }
        if stop(number + 1 - from) {
            return (out, Some(number + 1));
        }
    }
    (out, None)
}

/// How much use a rewrite is, roughly: what it does to the loops counts first, then whether it does anything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Use {
    /// It changes the loops or what they compute.
    Changes,
    /// The loops stay as they are.
    Prepares,
    /// It does something, with arguments that are to be chosen.
    Asks,
    /// One of these, and more is computed, or the code is many times as long.
    TakesMore,
    /// The program had code, and after it there is none until something else is done.
    NoCode,
    /// It computes the same in the same way, in other words.
    Idle,
    /// It undoes what was done.
    Undoes,
    /// It does not apply.
    Nothing,
}

impl Candidate {
    /// Whether the same loops run, and compute the same in them.
    pub fn keeps_loops(&self) -> bool {
        matches!(self.effect, Effect::None | Effect::Fused)
    }

    /// Whether the rewrite computes the same in the same way, in other words.
    pub fn is_idle(&self) -> bool {
        self.rank.idle || !self.open && self.keeps_loops() && self.rank.reworded
    }

    /// What it does in words, and in fewer, with what is dearer after it.
    pub fn told(&self, alphabet: Alphabet) -> [String; 2] {
        let dearer = self.price.map(|(_, dearer)| dearer).unwrap_or_default();
        [self.effect.text(alphabet), self.effect.brief(alphabet)].map(|effect| dearer.behind(&effect))
    }

    fn usefulness(&self) -> Use {
        let dearer = self.price.map(|(_, dearer)| dearer).unwrap_or_default();
        match &self.result {
            Err(_) => Use::Nothing,
            Ok(_) if matches!(self.effect, Effect::Back(_) | Effect::LoopsOf(_)) => Use::Undoes,
            Ok(_) if self.is_idle() => Use::Idle,
            Ok(_) if dearer.leaves_no_code() => Use::NoCode,
            Ok(_) if dearer.takes_more() => Use::TakesMore,
            Ok(_) if self.open && (self.keeps_loops() || !self.usual) => Use::Asks,
            Ok(_) if self.keeps_loops() => Use::Prepares,
            Ok(_) => Use::Changes,
        }
    }
}

/// The loops of the state before the present one, and its number.
pub type LeftLoops = (Digest, RevisionId);

/// What the present state's loops were before, where they are others now: who has them again leads back, in whatever words.
pub fn left_loops(now: &Term, before: Option<&(RevisionId, Term)>, known: &Known) -> Option<LeftLoops> {
    let (id, before) = before?;
    if now.size().max(before.size()) > LARGEST {
        return None;
    }
    let [now, before] = [now, before].map(|term| shape(&known.loops(term).lines));
    (now != before).then_some((before, *id))
}

/// Candidates in the order in which they are listed: first those that change the loops, then those that leave them as they are, those
/// whose arguments are to be chosen, those of all these by which more is computed or code becomes long, those that leave no code where there was some, as far as
/// these two are known, those that change nothing, and those that lead back to a state that the present one was made of, or to its loops; each
/// grouped by place, the best first. Last come those that do not apply, by how much of them matches. A rewrite that several places offer is listed at the first.
///
/// `left` is the state before, as [`left_loops`] tells of it.
pub fn ordered(mut all: Vec<Candidate>, history: &History, left: Option<LeftLoops>) -> Vec<Candidate> {
    let line = history.line(history.current());
    let before: HashMap<Digest, RevisionId> =
        line.iter().rev().filter_map(|id| Some((history.revision(*id)?.term.digest(), *id))).collect();
    for c in &mut all {
        let Ok(made) = &c.result else { continue };
        let alike = left.filter(|(before, _)| c.shape == Some(*before)).map(|(_, id)| Effect::LoopsOf(id));
        if let Some(leads_back) = before.get(&made.digest).copied().map(Effect::Back).or(alike) {
            c.effect = leads_back;
        }
    }
    let mut seen: IndexSet<(String, Digest)> = IndexSet::new();
    let mut out = all;
    out.sort_by(|a, b| a.at.cmp(&b.at));
    out.retain(|c| match &c.result {
        Ok(made) => seen.insert((c.call.clone(), made.digest)),
        Err(_) => true,
    });
    let mut best: HashMap<(Path, Use), Rank> = HashMap::new();
    for c in out.iter().filter(|c| c.result.is_ok()) {
        let best = best.entry((c.at.clone(), c.usefulness())).or_insert(c.rank);
        *best = c.rank.min(*best);
    }
    out.sort_by_cached_key(|c| {
        let usefulness = c.usefulness();
        match &c.result {
            Ok(_) => {
                let place = best.get(&(c.at.clone(), usefulness)).copied();
                (usefulness, place, c.at.clone(), Some(c.rank), Reverse(0))
            }
            Err(_) => (usefulness, None, Path::root(), None, Reverse(c.depth)),
        }
    });
    out
}
