//! Which rules of the library can help from a program to a sketch.
//!
//! A rule is of use if what it says of is there: every pattern on its sides is one of the program, of the sketch, or moves
//! data. A rule that matches every array is only of use where it makes what the sketch asks for and the program lacks;
//! failing that, such rules are all taken. Sizes that a rule takes are those by which the step splits or vectorises.

use super::nest::{Loop, chains};
use super::vectors::asks_for_vectors;
use crate::lang::nat::Nat;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::Term;
use crate::rule::apply::apply_at;
use crate::rule::condition::Condition;
use crate::rule::makes::{Makes, all_made};
use crate::rule::offer::is_for_strategies;
use crate::rule::{ParamKind, Rule, RuleArg, RuleParam, RuleSet, RuleUse};
use crate::search::usable;
use crate::sketch::{ArgSketch, NatSketch, Shape, Sketch};
use std::collections::BTreeSet;

/// How many rules are taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Breadth {
    /// Where all that is asked for is that two maps change places: what takes maps apart and exchanges them.
    Exchanges,
    /// Where weights are separated, or arrays stored in some layout: that, and what moves arrays. Where the program has what
    /// the sketch rules out: what makes something else of it.
    Tight,
    /// Of those that match everything, only those that make what is asked for.
    Narrow,
    /// Nothing but what makes what the sketch asks for and the program lacks, and what that is made of, whatever else comes with it and
    /// whatever sizes it takes.
    Makers,
    /// All.
    Wide,
}

/// What moves data without computing, and what loops are before it is said how they run.
const ALWAYS: [Pattern; 12] = [
    Pattern::Split,
    Pattern::Join,
    Pattern::Transpose,
    Pattern::Zip,
    Pattern::Unzip,
    Pattern::Fst,
    Pattern::Snd,
    Pattern::MakePair,
    Pattern::Generate,
    Pattern::Map,
    Pattern::Reduce,
    Pattern::ReduceSeq,
];

/// What moves whole arrays, and maps, before which and after which that can be done.
const OF_ARRAYS: [Pattern; 5] =
    [Pattern::Map, Pattern::Transpose, Pattern::Slide, Pattern::Split, Pattern::Join];

/// What makes one layout of another.
const OF_LAYOUTS: [Pattern; 4] = [Pattern::Map, Pattern::Transpose, Pattern::Split, Pattern::Join];

/// How loops run that are not to stay as they were before it was said, and that the sketch says nothing of.
const SEQUENTIAL: [Pattern; 2] = [Pattern::MapSeq, Pattern::ReduceSeq];

/// What nested maps need to change places.
const OF_EXCHANGES: [Pattern; 2] = [Pattern::Map, Pattern::Transpose];

const OF_STORES: [Pattern; 2] = [Pattern::Let, Pattern::ToMem];

const OF_VECTORS: [Pattern; 3] = [Pattern::AsVector, Pattern::AsScalar, Pattern::VectorFromScalar];

/// Families of rules are taken up to this depth.
const DEEPEST: i64 = 2;

/// Sizes for a rule that needs one, where the sketch names none and no other rule makes what it asks for. Of programs that are
/// as good the first one is found, and the least of these numbers divides most sizes.
const USUAL_SIZES: [i64; 3] = [4, 8, 32];

/// Where all loops of the program go over numbers of elements that none of these divides, divisors of those are tried as well:
/// so many of each, up to the longest vectors.
const MOST_DIVISORS: usize = 3;
const LONGEST_VECTOR: i64 = 16;

/// Weights of a program that are separated.
const MOST_SEPARATED: usize = 16;

/// What makes what the sketch asks for may be made of what others make, up to so many steps.
const STEPS: usize = 2;

/// A rule with its sizes is taken so many times at most.
const MOST_USES: usize = 12;

/// What is to be done on the way to a sketch.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub sketch: &'a Sketch,
    /// By what loops are split or vectorised.
    pub sizes: &'a [Nat],
    /// What rules may make on the way, those that match everything too.
    pub makes: &'a [Pattern],
    /// Two maps change places, and nothing else is asked for.
    pub exchanges: bool,
}

/// The rules that can help from `now` to a sketch.
pub fn rules(library: &RuleSet, now: &Term, step: &Step<'_>, breadth: Breadth) -> Vec<RuleUse> {
    let Step { sketch, sizes, makes, .. } = *step;
    let had = patterns_of(now);
    let mut asked = patterns_asked_for(sketch);
    if asks_for_vectors(sketch) {
        asked.extend(OF_VECTORS);
    }
    let unwanted: BTreeSet<Pattern> = ruled_out(sketch).intersection(&had).copied().collect();
    if !unwanted.is_empty() {
        asked.extend(SEQUENTIAL.into_iter().filter(|p| !unwanted.contains(p)));
    }
    let mut known: BTreeSet<Pattern> = had.iter().chain(&asked).chain(makes).copied().collect();
    let all_known = known.clone();
    let stores = breadth == Breadth::Tight && asks_for_store(sketch, now);
    match breadth {
        Breadth::Exchanges => known = OF_EXCHANGES.into(),
        Breadth::Tight => {
            known.retain(|p| OF_ARRAYS.contains(p));
            known.extend(OF_LAYOUTS.iter().chain(&OF_STORES).filter(|_| stores));
        }
        Breadth::Narrow | Breadth::Makers | Breadth::Wide => known.extend(ALWAYS),
    }
    let mut lacking: BTreeSet<Pattern> = asked.difference(&had).copied().collect();
    let is_taken = |r: &&Rule| !r.is_right_to_left() && !is_for_strategies(r);
    let rules: Vec<&Rule> = library.rules().filter(is_taken).collect();
    let makers = breadth == Breadth::Makers;
    if makers {
        lacking = made_of(lacking, &rules, &known);
    } else if matches!(breadth, Breadth::Narrow | Breadth::Wide) {
        for pattern in &lacking {
            known.extend(company(*pattern, &rules, &known));
        }
    }
    // What the sketch asks for, and only rules make that take sizes or address spaces.
    let plainly = if makers { BTreeSet::new() } else { made_plainly(&rules, &had) };
    let sole: BTreeSet<Pattern> = lacking.difference(&plainly).copied().collect();
    let usual = usual_sizes(now);
    // Where nothing else leads there, the sizes of what is asked for are those by which it is made.
    let named = if makers { sizes_in(sketch, &lacking) } else { vec![] };
    let sizes: Vec<Nat> = sizes.iter().cloned().chain(named).collect();
    let wanted = |p: &Pattern| lacking.contains(p) || makes.contains(p) || stores && OF_LAYOUTS.contains(p);
    let mut out: Vec<RuleUse> = match breadth {
        Breadth::Exchanges => vec![],
        _ => separations(library, now).collect(),
    };
    let moves = breadth != Breadth::Tight || stores || !out.is_empty();
    for rule in rules {
        for (depth, equation) in rule.equations().iter().enumerate() {
            let Makes { from, made } = Makes::of(equation);
            let unmakes =
                breadth == Breadth::Tight && !from.is_disjoint(&unwanted) && made.is_disjoint(&unwanted);
            let of_known = |p: &Pattern| known.contains(p) || makers && lacking.contains(p);
            let is_known = moves && from.iter().all(of_known) && (makers || made.iter().all(of_known))
                || unmakes && from.union(&made).all(|p| all_known.contains(p));
            // How a loop runs is said only as the sketch says it.
            let is_wanted = made
                .iter()
                .all(|p| ALWAYS.contains(p) || asked.contains(p) || !(p.is_map() || p.is_reduce()));
            // Where the left side is a variable, it matches every term of its type.
            let is_narrow = !makers && !from.is_empty() || made.iter().any(wanted);
            if is_known && is_wanted && (is_narrow || breadth == Breadth::Wide) {
                let depth = i64::try_from(depth).unwrap_or(i64::MAX);
                let is_sole = made.iter().any(|p| sole.contains(p));
                let named = spaces_in(sketch, &made);
                let spaces = if named.is_empty() && is_sole { vec![AddressSpace::Private] } else { named };
                let sizes = if sizes.is_empty() && is_sole { &usual } else { &sizes };
                let uses = arguments(&rule.params, depth, sizes, &spaces);
                let uses = uses.into_iter().map(|args| RuleUse { rule: rule.clone(), args });
                out.extend(uses.filter(usable).take(MOST_USES));
            }
        }
    }
    out
}

/// Sizes to be tried where none is named.
fn usual_sizes(now: &Term) -> Vec<Nat> {
    let odd = |l: &Loop| l.size.as_constant().filter(|n| USUAL_SIZES.iter().all(|size| n % size != 0));
    let lengths: Option<BTreeSet<i64>> = chains(now).iter().flatten().map(odd).collect();
    let divisors = |n: i64| (2..=LONGEST_VECTOR).filter(move |d| n % d == 0).take(MOST_DIVISORS);
    let others: BTreeSet<i64> = lengths.unwrap_or_default().into_iter().flat_map(divisors).collect();
    USUAL_SIZES.into_iter().chain(others).map(Nat::constant).collect()
}

/// The breadths that are tried from a program to a goal, one after the other.
pub fn breadths(library: &RuleSet, now: &Term, step: &Step<'_>) -> Vec<Breadth> {
    let goal = step.sketch;
    let is_tight = asks_for_store(goal, now)
        || separations(library, now).next().is_some()
        || !ruled_out(goal).is_disjoint(&patterns_of(now));
    let exchanges = step.exchanges.then_some(Breadth::Exchanges);
    let tight = is_tight.then_some(Breadth::Tight);
    exchanges.into_iter().chain(tight).chain([Breadth::Narrow, Breadth::Makers, Breadth::Wide]).collect()
}

/// Does a sketch ask for something that is stored, where the program stores nothing?
fn asks_for_store(sketch: &Sketch, now: &Term) -> bool {
    patterns_asked_for(sketch).contains(&Pattern::ToMem) && !patterns_of(now).contains(&Pattern::ToMem)
}

/// The patterns that no part of a program that is like the sketch may be, of whatever type.
fn ruled_out(sketch: &Sketch) -> BTreeSet<Pattern> {
    fn leaves(sketch: &Sketch, out: &mut BTreeSet<Pattern>) {
        match sketch.bare().shape() {
            Shape::Pattern(p, args) if args.iter().all(|a| *a == ArgSketch::Any) => {
                out.insert(*p);
            }
            Shape::Or(all) => all.iter().for_each(|s| leaves(s, out)),
            _ => {}
        }
    }
    let mut out = BTreeSet::new();
    match sketch.bare().shape() {
        Shape::And(all) => out.extend(all.iter().flat_map(ruled_out)),
        Shape::Not(s) => {
            if let Shape::Contains(s) = s.bare().shape() {
                leaves(s, &mut out);
            }
        }
        _ => {}
    }
    out
}

/// The rules that separate weights, and have some to separate in the program.
fn separations<'a>(library: &'a RuleSet, now: &'a Term) -> impl Iterator<Item = RuleUse> + 'a {
    let separates = |rule: &&Rule| {
        let sides = rule.in_searches(&[]).unwrap_or_default();
        let mut conditions = sides.iter().flat_map(|side| &side.equation.conditions);
        rule.params.is_empty() && conditions.any(Condition::is_of_separable)
    };
    let rules = library.rules().filter(|r| !r.is_right_to_left()).filter(separates);
    let applies = |rule: &&Rule| now.positions().into_iter().any(|(_, part)| rule.apply(part, &[]).is_ok());
    rules.filter(applies).map(|rule| RuleUse { rule: rule.clone(), args: vec![] })
}

/// The program with its weights separated wherever they can be, in each way.
pub fn separated(library: &RuleSet, start: &Term) -> Vec<Term> {
    let mut out = vec![];
    for rule in separations(library, start) {
        let mut now = start.clone();
        for _ in 0..MOST_SEPARATED {
            let places = now.positions();
            let separated =
                places.into_iter().find_map(|(place, _)| apply_at(&now, &place, &rule.rule, &rule.args).ok());
            let Some(separated) = separated else { break };
            now = separated.term;
        }
        if now != *start && !out.contains(&now) {
            out.push(now);
        }
    }
    out
}

/// What comes with a pattern that the program lacks, where no rule makes it of what is known alone.
fn company(pattern: Pattern, rules: &[&Rule], known: &BTreeSet<Pattern>) -> BTreeSet<Pattern> {
    let sides = rules.iter().flat_map(|r| r.equations()).map(Makes::of);
    let makers = sides.filter(|s| s.made.contains(&pattern) && s.from.is_subset(known));
    let unknown = makers.map(|s| s.made.difference(known).copied().collect::<BTreeSet<Pattern>>());
    unknown.min_by_key(BTreeSet::len).unwrap_or_default()
}

/// These patterns, and what rules that make them make them of, where that is not known.
fn made_of(lacking: BTreeSet<Pattern>, rules: &[&Rule], known: &BTreeSet<Pattern>) -> BTreeSet<Pattern> {
    let sides: Vec<Makes> = rules.iter().flat_map(|r| r.equations()).map(Makes::of).collect();
    (1..STEPS).fold(lacking, |made, _| {
        let makers = sides.iter().filter(|s| !s.made.is_disjoint(&made));
        let of: BTreeSet<Pattern> = makers.flat_map(|s| s.from.difference(known)).copied().collect();
        made.union(&of).copied().collect()
    })
}

/// What rules that take neither sizes nor address spaces make of what the program has, one after the other. That one kind of
/// vectors is made of another is of no use where there are none.
fn made_plainly(rules: &[&Rule], had: &BTreeSet<Pattern>) -> BTreeSet<Pattern> {
    let plain =
        |r: &&&Rule| !r.params.iter().any(|p| matches!(p.kind, ParamKind::Nat(_) | ParamKind::Addr(_)));
    let makes = rules.iter().filter(plain).flat_map(|r| r.equations()).map(Makes::of);
    all_made(makes, &had.iter().chain(&ALWAYS).copied().collect())
}

/// The address spaces that the sketch names for these patterns.
fn spaces_in(sketch: &Sketch, of: &BTreeSet<Pattern>) -> Vec<AddressSpace> {
    named_in(sketch, of, &|a| if let ArgSketch::Addr(space) = a { Some(*space) } else { None })
}

/// The sizes that it names for these.
fn sizes_in(sketch: &Sketch, of: &BTreeSet<Pattern>) -> Vec<Nat> {
    named_in(sketch, of, &|a| if let ArgSketch::Nat(NatSketch::Is(n)) = a { Some(n.clone()) } else { None })
}

fn named_in<T>(sketch: &Sketch, of: &BTreeSet<Pattern>, named: &dyn Fn(&ArgSketch) -> Option<T>) -> Vec<T> {
    let own: Vec<T> = match sketch.shape() {
        Shape::Pattern(p, args) if of.contains(p) => args.iter().filter_map(named).collect(),
        Shape::Not(_) => return vec![],
        _ => vec![],
    };
    own.into_iter().chain(sketch.children().into_iter().flat_map(|s| named_in(s, of, named))).collect()
}

/// All arguments that a rule can have; none where it takes something that is no size, dimension or address space.
fn arguments(params: &[RuleParam], depth: i64, sizes: &[Nat], spaces: &[AddressSpace]) -> Vec<Vec<RuleArg>> {
    let mut all = vec![vec![]];
    for param in params {
        let values: Vec<RuleArg> = match param.kind {
            ParamKind::Nat(_) => sizes.iter().cloned().map(RuleArg::Nat).collect(),
            ParamKind::Depth if depth <= DEEPEST => vec![RuleArg::Nat(Nat::constant(depth))],
            ParamKind::Dim(_) => (0..3).map(RuleArg::Dim).collect(),
            ParamKind::Addr(_) => spaces.iter().copied().map(RuleArg::Addr).collect(),
            _ => vec![],
        };
        all = all
            .into_iter()
            .flat_map(|args: Vec<RuleArg>| {
                values.iter().map(move |v| args.iter().cloned().chain([v.clone()]).collect())
            })
            .collect();
    }
    all
}

fn patterns_of(term: &Term) -> BTreeSet<Pattern> {
    term.positions().into_iter().filter_map(|(_, t)| t.as_pattern()).collect()
}

fn patterns_asked_for(sketch: &Sketch) -> BTreeSet<Pattern> {
    let (mut out, mut open) = (BTreeSet::new(), vec![sketch]);
    while let Some(s) = open.pop() {
        match s.shape() {
            Shape::Pattern(p, _) => {
                out.insert(*p);
            }
            Shape::Not(_) => continue,
            _ => {}
        }
        open.extend(s.children());
    }
    out
}
