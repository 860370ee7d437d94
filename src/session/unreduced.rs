//! Steps of a way whose rules apply only because the program is not in normal form: `reduce (+)` has nothing that a rule for
//! arrays could match, `\acc xs. reduce (+) acc xs` has, and a rule that is to match a value wherever it is read matches it once
//! where it is shared. From normal form to normal form such a step takes back some reductions, then applies the rule.

use super::derivation::{NORMAL, or_normalised, place, run};
use super::history::RevisionStep;
use super::workspace::{StrategyText, Workspace};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::normal::{Redex, normal_form, reduce};
use crate::rewrite::rule::instance::first_occurrence;
use crate::rewrite::rule::library::ETA;
use crate::rewrite::rule::right_to_left::RIGHT_TO_LEFT;
use crate::rewrite::strategy::at_position;
use crate::rewrite::strategy::native::Native;

/// So many reductions are taken back before a rule is applied.
const MOST_TAKEN_BACK: usize = 12;

/// Ways to make a step whose rule applies only because a part is not in normal form, as `map (\x. f e)` where `f` is a
/// lambda: the part is brought into that form before the rule is applied.
pub(super) fn expanded_first(now: &Term, before: &Term, step: &RevisionStep) -> Vec<String> {
    let mut ways = vec![];
    for (redex_at, redex) in before.positions() {
        let (redex_steps, rule_steps) = (redex_at.steps(), step.at.steps());
        let region = redex_steps.len().min(rule_steps.len());
        if redex_steps[..region] != rule_steps[..region] {
            continue;
        }
        let below = |steps: &[u8]| Path::new(steps[region..].iter().copied());
        let Some(part) = before.at(&Path::new(rule_steps[..region].iter().copied())) else { continue };
        let Some(normal) = normal_form(part) else { continue };
        let inner = below(redex_steps);
        if normal.at(&inner).is_none() || normal.at(&inner) != normal_form(redex).as_ref() {
            continue;
        }
        for expansion in expansions(redex, &normal_form) {
            let expand = at_position(&normal, &inner, &expansion);
            let both = format!("({expand} ; {})", at_position(part, &below(rule_steps), &step.rule));
            ways.push(format!("topDown{both}"));
            let places = now.positions().into_iter().filter(|(_, t)| **t == normal);
            ways.extend(places.map(|(at, _)| at_position(now, &at, &both)));
        }
    }
    ways.into_iter().flat_map(or_normalised).collect()
}

/// What makes a redex of what it becomes, which is written in this form.
pub(super) fn expansions(redex: &Term, form: &dyn Fn(&Term) -> Option<Term>) -> Vec<String> {
    if let Some((Redex::Eta, _)) = reduce(redex) {
        // The rule is for functions to data, and its name says what is done; what gives a function takes the other.
        return vec!["etaAbstraction".to_owned(), format!("{RIGHT_TO_LEFT}({ETA})")];
    }
    let Some((function, value)) = redex.as_app() else { return vec![] };
    let body = function.as_lam().and_then(|(_, body)| form(body));
    let (Some(place), Some(value)) = (body.and_then(|b| first_occurrence(&b, 0)), form(value)) else {
        return vec![];
    };
    let head = value.as_pattern_app().map(|(p, _)| Native::IsPattern(p.pattern).name());
    let numbers: Vec<String> = place.iter().map(ToString::to_string).collect();
    let predicates = head.map(|is| format!("isApplied({is})")).into_iter();
    let all = predicates.chain([format!("[{}]", numbers.join(", "))]);
    all.map(|which| format!("subexpressionElimination({which})")).collect()
}

/// A strategy that makes a step from one normal form to the next, by this rule and from this program, of which `now` is the
/// normal form: as few reductions as possible are taken back before the rule is applied.
pub(super) fn taken_back(
    workspace: &Workspace,
    now: &Term,
    before: &Term,
    rule: &str,
    then: &Term,
) -> Option<String> {
    let call = workspace.parse_strategy(rule).ok()?;
    let (least, at) = most_reduced(workspace, before, &call, then)?;
    let back = back_to(workspace, &least, now, MOST_TAKEN_BACK)?;
    let below = |at: &Path, region: &Path| at.strip_prefix(region).unwrap_or_default();
    let within = |t: &Term, at: &Path, region: &Path, what: &str| {
        Some(at_position(t.at(region)?, &below(at, region), what))
    };
    let written = |region: &Path, rule: &str| {
        let expanded = back.iter().map(|back| within(&back.from, &back.at, region, &back.by));
        let all = expanded.chain([Some(rule.to_owned())]).collect::<Option<Vec<String>>>()?.join(" ; ");
        let ways = [format!("topDown({all})"), at_position(now, region, &format!("({all})"))];
        ways.into_iter().flat_map(or_normalised).find(|way| run(workspace, way, now).as_ref() == Some(then))
    };
    let of_back = back.iter().map(|back| back.at.clone()).reduce(|a, b| common(&a, &b))?;
    let of_all = common(&of_back, &at);
    written(&of_back, &format!("topDown({rule})"))
        .or_else(|| written(&of_all, &within(&least, &at, &of_all, rule)?))
}

/// What is left of a program when all is reduced without which the rule still makes the step, and where it makes it then.
fn most_reduced(
    workspace: &Workspace,
    before: &Term,
    rule: &StrategyText,
    then: &Term,
) -> Option<(Term, Path)> {
    let with_place = |t: Term| place(workspace, &t, rule, then).map(|at| (t, at));
    let mut least = with_place(before.clone())?;
    loop {
        let reduced =
            redexes(&least.0).into_iter().filter_map(|(at, _, becomes)| least.0.replace_at(&at, becomes));
        let Some(less) = reduced.into_iter().find_map(with_place) else { return Some(least) };
        least = less;
    }
}

/// A reduction that is taken back.
struct Back {
    /// The program with what the redex becomes.
    from: Term,
    at: Path,
    /// What makes the redex of it.
    by: String,
}

/// Longer ways from a normal form to a program are not written.
const MOST_WRITTEN: usize = 200;

/// The normal form of a program, and what makes the program of that: strategies to be run one after another. None where a reduction
/// cannot be taken back.
pub(super) fn of_normal_form(workspace: &Workspace, program: &Term) -> Option<(Term, Vec<String>)> {
    let normal = run(workspace, NORMAL, program)?;
    let back = back_to(workspace, program, &normal, MOST_WRITTEN)?;
    let steps = back.iter().map(|back| at_position(&back.from, &back.at, &back.by)).collect();
    Some((normal, steps))
}

/// How a program is made of its normal form, if each reduction can be taken back.
fn back_to(workspace: &Workspace, program: &Term, normal: &Term, most: usize) -> Option<Vec<Back>> {
    let (mut here, mut out) = (program.clone(), vec![]);
    while here != *normal && out.len() < most {
        // What is within others first: as what is shared it is there once.
        let back = redexes(&here).into_iter().rev().find_map(|(at, redex, becomes)| {
            let mut ways = expansions(&redex, &|t| Some(t.clone())).into_iter();
            let by = ways.find(|way| run(workspace, way, &becomes).as_ref() == Some(&redex))?;
            Some(Back { from: here.replace_at(&at, becomes)?, at, by })
        })?;
        here = back.from.clone();
        out.push(back);
    }
    out.reverse();
    (here == *normal).then_some(out)
}

/// The parts of a term that can be reduced, where they are, and what they become.
fn redexes(t: &Term) -> Vec<(Path, Term, Term)> {
    let one = |(at, part): (Path, &Term)| Some((at, part.clone(), reduce(part)?.1));
    t.positions().into_iter().filter_map(one).collect()
}

/// The position that both of these are below, or at.
fn common(a: &Path, b: &Path) -> Path {
    let both = a.steps().iter().zip(b.steps()).take_while(|(a, b)| a == b);
    Path::new(both.map(|(step, _)| *step))
}
