//! Why a strategy failed: of several failures the one that says most, and what was running.

use super::super::Cause;
use super::super::value::StrategyId;
use crate::lang::diag::Span;
use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::rule::WhyNot;
use crate::rule::why::Reason;
use std::rc::Rc;

/// The strategies that are running, innermost first: by name, and where the user's text calls them.
pub(super) struct Chain {
    pub(super) frame: Frame,
    pub(super) outer: Option<Rc<Chain>>,
    /// How many of them the user's texts call.
    calls: u32,
}

impl Chain {
    pub(super) fn within(frame: Frame, outer: Option<Rc<Chain>>) -> Option<Rc<Chain>> {
        let calls = calls_of(&outer) + u32::from(matches!(frame, Frame::Written(_)));
        Some(Rc::new(Chain { frame, outer, calls }))
    }
}

/// How many of the strategies that are running the user's texts call.
pub(super) fn calls_of(chain: &Option<Rc<Chain>>) -> u32 {
    chain.as_ref().map_or(0, |chain| chain.calls)
}

#[derive(Clone)]
pub(super) enum Frame {
    Named(Name),
    Written(Span),
}

impl Drop for Chain {
    /// Link by link: strategies that end in each other make long chains.
    fn drop(&mut self) {
        let mut next = self.outer.take();
        while let Some(mut link) = next.and_then(|link| Rc::try_unwrap(link).ok()) {
            next = link.outer.take();
        }
    }
}

/// Why a strategy failed, with the place relative to the term that it ran on.
pub(super) struct Failure {
    pub(super) place: Place,
    pub(super) weight: Weight,
    /// For counting strategies: what is left of the count.
    pub(super) state: Option<StrategyId>,
    /// It is told of several, which were not all of one part of the term.
    pub(super) elsewhere: bool,
}

/// How much a failure says: of several, the weightiest is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weight {
    pub(super) kind: Kind,
    /// So many of the strategies that the user wrote one after the other had succeeded there.
    pub(super) passed: u32,
    /// A strategy says it in words.
    pub(super) told: bool,
    /// How near the best match came.
    pub(super) depth: u32,
    /// So many calls of the user's texts were running: what the user asked for says more than what the library asks on the
    /// way there.
    pub(super) called: u32,
}

/// What a failure is about. Where the form was wrong, another place was meant; where a size or an argument was, this one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Form,
    Unfit,
    Condition,
    Size,
    Argument,
    Search,
}

impl Kind {
    pub(super) fn of(why: &WhyNot) -> Kind {
        match &why.reason {
            Reason::Shape { .. } | Reason::Type { .. } | Reason::Argument { .. } | Reason::Differs { .. } => {
                Kind::Form
            }
            Reason::Mentions { .. } | Reason::Unfit(_) => Kind::Unfit,
            Reason::Condition(_) | Reason::TooLarge | Reason::NotInSketch { .. } => Kind::Condition,
            Reason::Size { .. } | Reason::Sizes(_) => Kind::Size,
            Reason::Arguments(_) => Kind::Argument,
            Reason::NotReached { .. } => Kind::Search,
        }
    }
}

#[derive(Clone)]
pub(super) enum Place {
    Here(Rc<Leaf>),
    Below(u8, Rc<Failure>),
    /// As it failed before, when other strategies called it.
    Again(Rc<Again>),
}

impl Place {
    /// The part in which it is; none where it is the term itself.
    fn part(&self) -> Option<u8> {
        match self {
            Place::Here(_) => None,
            Place::Below(i, _) => Some(*i),
            Place::Again(again) => again.failure.as_ref().and_then(|failure| failure.place.part()),
        }
    }
}

/// A failure that was remembered, with what was running around it then, and now.
pub(super) struct Again {
    /// There until it is dropped.
    failure: Option<Rc<Failure>>,
    then: Option<Rc<Chain>>,
    now: Option<Rc<Chain>>,
}

impl Drop for Again {
    /// What failed again is part of what fails again after it, as deep as strategies call each other.
    fn drop(&mut self) {
        let failure = self.failure.take();
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || drop(failure));
    }
}

pub(super) struct Leaf {
    pub(super) strategy: StrategyId,
    /// What a rule was tried on.
    pub(super) on: Option<Digest>,
    pub(super) why: Option<WhyNot>,
    pub(super) chain: Option<Rc<Chain>>,
    /// What a strategy says of the failure.
    pub(super) told: Option<(Name, Rc<Failure>)>,
}

pub(super) enum Halt {
    Failed(Rc<Failure>),
    Stopped(Box<Cause>),
    /// The run has to be repeated, telling: what comes now is not done twice.
    Repeat,
}

/// Where there was nothing to try.
pub(super) const NOTHING: Weight = Weight { kind: Kind::Form, passed: 0, told: false, depth: 0, called: 0 };

impl Weight {
    /// The weight of the same failure, these steps later.
    pub(super) fn further(self, steps: u32) -> Weight {
        Weight { depth: self.depth.saturating_add(steps), ..self }
    }
}

/// The failure, known to be this many steps nearer to success than it looks, of which the user wrote so many.
pub(super) fn further(failure: Rc<Failure>, steps: u32, written: u32) -> Rc<Failure> {
    if steps == 0 {
        return failure;
    }
    let passed = failure.weight.passed.saturating_add(written);
    let weight = Weight { passed, ..failure.weight.further(steps) };
    let Failure { state, elsewhere, .. } = *failure;
    Rc::new(Failure { place: failure.place.clone(), weight, state, elsewhere })
}

/// A failure of which nothing is noted.
pub(super) fn untold() -> Rc<Failure> {
    let leaf = Leaf { strategy: StrategyId(0), on: None, why: None, chain: None, told: None };
    Rc::new(Failure { place: Place::Here(Rc::new(leaf)), weight: NOTHING, state: None, elsewhere: false })
}

pub(super) fn failed(leaf: Leaf, weight: Weight) -> Halt {
    Halt::Failed(Rc::new(Failure {
        place: Place::Here(Rc::new(leaf)),
        weight,
        state: None,
        elsewhere: false,
    }))
}

/// The failure that says more, the first of equals; the last one's count goes on.
pub(super) fn nearer(missed: Option<Rc<Failure>>, failure: Rc<Failure>) -> Rc<Failure> {
    let Some(other) = missed.filter(|other| !Rc::ptr_eq(other, &failure)) else { return failure };
    let is_apart = || other.elsewhere || failure.elsewhere || other.place.part() != failure.place.part();
    let (state, elsewhere) = (failure.state, is_apart());
    let told = if other.weight >= failure.weight { other } else { failure };
    if told.state == state && told.elsewhere == elsewhere {
        return told;
    }
    Rc::new(Failure { place: told.place.clone(), weight: told.weight, state, elsewhere })
}

/// The failure, which was remembered, as one of now.
pub(super) fn again(failure: Rc<Failure>, then: Option<Rc<Chain>>, now: Option<Rc<Chain>>) -> Rc<Failure> {
    let is_as_then = match (&then, &now) {
        (Some(then), Some(now)) => Rc::ptr_eq(then, now),
        (then, now) => then.is_none() && now.is_none(),
    };
    if is_as_then {
        return failure;
    }
    let called = failure.weight.called.saturating_add(calls_of(&now)).saturating_sub(calls_of(&then));
    let Failure { weight, state, elsewhere, .. } = *failure;
    let weight = Weight { called, ..weight };
    let again = Again { failure: Some(failure), then, now };
    Rc::new(Failure { place: Place::Again(Rc::new(again)), weight, state, elsewhere })
}

pub(super) fn locate(failure: Rc<Failure>) -> (Path, Rc<Leaf>) {
    let (mut path, mut failure, mut moved) = (vec![], failure, vec![]);
    loop {
        match failure.place.clone() {
            Place::Below(i, inner) => {
                path.push(i);
                failure = inner;
            }
            Place::Again(again) => {
                failure = again.failure.clone().unwrap_or(failure);
                moved.push(again);
            }
            Place::Here(leaf) if moved.is_empty() => return (Path::new(path), leaf),
            Place::Here(leaf) => {
                let Leaf { strategy, on, why, chain, told } = &*leaf;
                let chain = moved.iter().rev().fold(chain.clone(), |chain, again| called_by(chain, again));
                let (why, told) = (why.clone(), told.clone());
                return (Path::new(path), Rc::new(Leaf { strategy: *strategy, on: *on, why, chain, told }));
            }
        }
    }
}

/// What was running, with what calls it now in the place of what called it then.
fn called_by(chain: Option<Rc<Chain>>, again: &Again) -> Option<Rc<Chain>> {
    let (mut inner, mut at) = (vec![], &chain);
    loop {
        let is_then = match (at, &again.then) {
            (Some(link), Some(then)) => Rc::ptr_eq(link, then),
            (at, then) => at.is_none() && then.is_none(),
        };
        match at {
            _ if is_then => break,
            Some(link) => {
                inner.push(link.frame.clone());
                at = &link.outer;
            }
            None => return chain,
        }
    }
    let outer = again.now.clone();
    inner.into_iter().rev().fold(outer, |outer, frame| Chain::within(frame, outer))
}

/// Where the user's texts call what is running, innermost first; of calls within each other in one text the inner.
pub(super) fn chain_calls(chain: &Option<Rc<Chain>>) -> Vec<Span> {
    let (mut out, mut at) = (Vec::<Span>::new(), chain);
    while let Some(link) = at {
        if let Frame::Written(span) = &link.frame
            && !out.last().is_some_and(|inner| {
                inner.file == span.file && span.start <= inner.start && inner.end <= span.end
            })
        {
            out.push(*span);
        }
        at = &link.outer;
    }
    out
}

/// The strategies that were running, outermost first: all, or those inside the user's innermost call.
pub(super) fn chain_names(chain: &Option<Rc<Chain>>, all: bool) -> Vec<Name> {
    let (mut out, mut at) = (vec![], chain);
    while let Some(link) = at {
        match &link.frame {
            Frame::Named(name) => out.push(name.clone()),
            Frame::Written(_) if all => {}
            Frame::Written(_) => break,
        }
        at = &link.outer;
    }
    out.reverse();
    // A recursive traversal is one name, not one for each level.
    out.dedup();
    out
}
