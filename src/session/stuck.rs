//! How a strategy that did not get to its end is told: what stood in its way, where the user's texts call it, what was
//! done before, and what can be done.

use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::summary;
use crate::lang::term::Term;
use crate::rewrite::rule::WhyNot;
use crate::rewrite::rule::why::{Reason, Shape};
use crate::rewrite::search::insight::{levels, levels_met};
use crate::rewrite::sketch::Sketch;
use crate::rewrite::sketch::parts::Part;
use crate::rewrite::strategy::native::Native;
use crate::rewrite::strategy::script::Script;
use crate::rewrite::strategy::{Cause, Stuck};

/// So many strategies of the library are named that a failure was in.
const MOST_NAMES: usize = 6;

pub fn diagnostic(stuck: &Stuck, script: &Script) -> Diagnostic {
    let problem = match &stuck.cause {
        Cause::Invalid(problem) => return called(stuck, (**problem).clone(), "called here"),
        Cause::Cancelled => return Diagnostic::error("E0709", "The strategy was stopped."),
        _ => {
            let failed = unmet(stuck, script).unwrap_or_else(|| stuck.to_string());
            let message =
                format!("The strategy did not get to its end: {}{failed}.", asked_for(stuck, script));
            Diagnostic::error("E0311", message)
        }
    };
    let problem = called(stuck, problem, "this fails");
    let mut notes: Vec<String> = because(&stuck.cause, &stuck.at).into_iter().collect();
    notes.extend(
        asked(stuck, script).map(|(name, first)| format!("`{name}` asks: {first} Here the answer is no.")),
    );
    if stuck.elsewhere && stuck.at.is_root() && matches!(&stuck.cause, Cause::Told { .. }) {
        notes.push("It was tried on parts of this, too, and came no further there.".to_owned());
    }
    if let Some((_, sketch, term)) = outside(stuck) {
        notes.extend(parts(sketch, term));
    }
    let mut hints = vec![];
    match searched(&stuck.cause) {
        Some((text, found)) => {
            notes.push(text.to_owned());
            hints.extend(found.iter().cloned());
        }
        None => hints.push(lacking(stuck).unwrap_or_else(|| hint(stuck).to_owned())),
    }
    notes.extend(within(&stuck.within));
    notes.push(match stuck.so_far.steps.len() {
        0 => "No rewrite before it is kept.".to_string(),
        1 => "One rewrite had been made before.".to_string(),
        n => format!("{n} rewrites had been made before."),
    });
    let problem = notes.into_iter().fold(problem, Diagnostic::note);
    hints.into_iter().fold(problem, Diagnostic::hint)
}

/// What the user's text calls that failed, where something within it is told of.
fn asked_for(stuck: &Stuck, script: &Script) -> String {
    let within = matches!(&stuck.cause, Cause::NotApplicable { why, .. } if why.not_reached().is_none())
        || matches!(&stuck.cause, Cause::Failed { .. });
    // A question that the user asks is told by its name.
    let is_asked = |name: &&Name| asked(stuck, script).is_some_and(|(question, _)| question == *name);
    let called = stuck.within.first().filter(|name| within && !stuck.calls.is_empty() && !is_asked(name));
    called.map_or_else(String::new, |name| format!("in `{name}`, "))
}

/// The problem with the places of the calls that led to it, the innermost first, unless it has its place in a text of the
/// user's.
fn called(stuck: &Stuck, mut problem: Diagnostic, word: &str) -> Diagnostic {
    let Some((first, outer)) = stuck.calls.split_first() else { return problem };
    let theirs = |file| stuck.calls.iter().any(|call| call.file == file);
    if problem.labels.iter().any(|l| theirs(l.span.file)) {
        return problem;
    }
    let others = std::mem::take(&mut problem.labels);
    problem = problem.label(*first, word);
    let near = outer.len().saturating_sub(1).min(2);
    for call in outer[..near].iter().chain(outer.last()) {
        problem = problem.label(*call, "called from here");
    }
    others.into_iter().fold(problem, |problem, l| problem.label(l.span, l.message))
}

/// The cause behind what a strategy says of its failure.
fn because(cause: &Cause, at: &Path) -> Option<String> {
    let Cause::Told { because: (cause, below), adds: true, .. } = cause else { return None };
    let place = at.join(below);
    Some(if place.is_root() { format!("There, {cause}.") } else { format!("At {place}, {cause}.") })
}

/// What was asked in vain, by its name and in words: of the strategies that were running the outermost that is a question. The reason
/// itself is only of the part of a term at which the answer was found.
fn asked<'s>(stuck: &'s Stuck, script: &Script) -> Option<(&'s Name, String)> {
    if !matches!(&stuck.cause, Cause::NotApplicable { .. } | Cause::Failed { .. }) {
        return None;
    }
    let question = |name: &'s Name| {
        let first = summary::of(script.strategy(name)?.doc());
        first.ends_with('?').then_some((name, first))
    };
    stuck.within.iter().find_map(question)
}

/// What was asked in vain and what stands there, where the answer was found by what a question asks in its turn: that one says less.
fn unmet(stuck: &Stuck, script: &Script) -> Option<String> {
    let (question, _) = asked(stuck, script).filter(|_| !stuck.calls.is_empty())?;
    let Cause::NotApplicable { why, .. } = &stuck.cause else { return None };
    let is_shape = matches!(&why.reason, Reason::Shape { .. }) && why.lacking_arguments().is_none();
    let place = stuck.at.join(&why.at);
    let at = if place.is_root() { String::new() } else { format!(", at {place}") };
    is_shape.then(|| format!("`{question}` does not hold: found {}{at}", why.found()))
}

/// The place of a term that was asked to be in a sketch and is not, with both.
pub fn outside(stuck: &Stuck) -> Option<(Path, &Sketch, &Term)> {
    let (why, below) = match &stuck.cause {
        Cause::Told { because: (cause, below), .. } => (mismatch(cause)?, below.clone()),
        cause => (mismatch(cause)?, Path::root()),
    };
    let (sketch, term) = why.not_in_sketch()?;
    Some((stuck.at.join(&below).join(&why.at), sketch, term))
}

/// Which parts of a sketch there are in a term, and where.
fn parts(sketch: &Sketch, term: &Term) -> Vec<String> {
    let told = |part: &Part<'_>| {
        let (label, places) = (part.sketch, part.places_in(term));
        let listed = places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match &*places {
            [] => format!("Nothing in it is like `{label}`."),
            [place] if place.is_root() => format!("The whole of it is like `{label}`."),
            _ => format!("In it there is something like `{label}`, at {listed}."),
        }
    };
    let (met, of) = (levels_met(sketch, term, 0), levels(sketch));
    let nested = (of > 1).then(|| format!("{met} of {of} nested `contains` hold of it."));
    sketch.parts().iter().map(told).chain(nested).collect()
}

/// What a search says that found nothing, and what can be done.
fn searched(cause: &Cause) -> Option<(&str, &[String])> {
    match cause {
        Cause::NotApplicable { why, .. } => why.not_reached(),
        Cause::Told { because: (cause, _), .. } => searched(cause),
        _ => None,
    }
}

/// The strategies of the library that were running, where they were called by others of it.
fn within(names: &[Name]) -> Option<String> {
    if names.len() < 2 {
        return None;
    }
    let inner = names.len().saturating_sub(MOST_NAMES);
    let shown: Vec<String> = names[inner..].iter().map(|n| format!("`{n}`")).collect();
    let dots = if inner > 0 { "…, " } else { "" };
    Some(format!("In the library: {dots}{}.", shown.join(", ")))
}

/// What can be done where a pattern stands without all of the arguments that the rule wants.
fn lacking(stuck: &Stuck) -> Option<String> {
    let why = mismatched(stuck)?;
    let lacking = why.lacking_arguments()?;
    let Reason::Shape { expected: Shape::Pattern(pattern, wanted), .. } = &why.reason else { return None };
    let place = stuck.at.join(&why.at);
    if why.at.is_root() && applied(&stuck.so_far.term, &place) >= lacking {
        let name = Native::IsPattern(*pattern).name();
        let question = (0..*wanted).fold(name, |inner, _| format!("isApplied({inner})"));
        return Some(format!(
            "What stands there is the pattern without all of its arguments: `{question}` is true where it has them."
        ));
    }
    (lacking == 1).then(|| {
        "What stands there is a function whose argument is not written: `etaAbstraction ; body(s)` writes it, and applies `s` to the whole."
            .to_owned()
    })
}

/// So many arguments are given to what stands at a place.
fn applied(term: &Term, place: &Path) -> usize {
    let mut around = Some(place.clone());
    let is_function = |at: &Path| {
        let parent = at.parent()?;
        (at.steps().last() == Some(&0) && term.at(&parent)?.as_app().is_some()).then_some(parent)
    };
    std::iter::from_fn(|| {
        around = is_function(around.as_ref()?);
        around.as_ref().map(drop)
    })
    .count()
}

fn mismatched(stuck: &Stuck) -> Option<&WhyNot> {
    match &stuck.cause {
        Cause::Told { because: (cause, _), .. } => mismatch(cause),
        cause => mismatch(cause),
    }
}

fn hint(stuck: &Stuck) -> &'static str {
    let why = mismatched(stuck);
    match (&stuck.cause, why) {
        (_, Some(why)) if asks_for_sizes(why) => {
            "What is known of sizes is what was given: by `--size`, by `sizes.ron` beside the program, or by the inputs."
        }
        (_, Some(why)) if !stuck.elsewhere && stuck.at.is_root() && why.at.is_root() && is_function(why) => {
            "It was tried on the whole program, which is a function, and nowhere else: `topDown(s)` takes the first place where `s` succeeds, \
             `s @ outermost(isFullyAppliedMap)` the outermost map."
        }
        (Cause::NotApplicable { .. } | Cause::Failed { .. } | Cause::Told { .. }, _) => {
            "`try(s)` goes on where `s` fails, and `a <+ b` takes `b` where `a` does."
        }
        (Cause::TooLarge { .. }, _) => {
            "Is it repeated, and makes a place where it applies again? Say how often: `repeatN(3, s)`."
        }
        (Cause::Repeats { .. }, _) => {
            "A repetition ends where what it repeats fails: it must not undo what it did, or say how often: `repeatN(3, s)`."
        }
        (Cause::TooDeep, _) => {
            "Where a strategy calls itself, say where that ends; many repetitions are repetitions of repetitions, such as \
             `repeatN(100, repeatN(1000, s))`."
        }
        _ => "A repetition ends where what it repeats fails, so each round must change something.",
    }
}

fn mismatch(cause: &Cause) -> Option<&WhyNot> {
    if let Cause::NotApplicable { why, .. } = cause { Some(why) } else { None }
}

/// Does an array stand there of which no more is known, or less than was asked for?
fn asks_for_sizes(why: &WhyNot) -> bool {
    matches!(&why.reason, Reason::Shape { expected: Shape::Words(wanted), found }
        if wanted.contains("that is known to")
            && found.ty().as_array().is_some_and(|(length, _)| length.as_constant().is_none()))
}

/// Does a function stand where something else was asked for?
fn is_function(why: &WhyNot) -> bool {
    match &why.reason {
        Reason::Shape { found, .. } => found.as_lam().is_some(),
        Reason::Type { expected, found } => expected.as_fun().is_none() && found.as_fun().is_some(),
        _ => false,
    }
}
