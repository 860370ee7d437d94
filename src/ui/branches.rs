//! Two branches of the history: the better one is kept. The other one stays in the history, as all states do.

use super::actions::{perform, show_problem};
use super::app::App;
use super::layout::Pane;
use super::panes::{bench, history::highlighted};
use super::update::go;
use crate::device::stats::{CLOSE, Verdict};
use crate::session::action::{Action, RevisionId, Sizes};
use crate::session::history::History;
use crate::session::state::Compared;
use crate::ui::command::Command;
use crate::view::{Role, figures, history as view};

/// Goes to the faster of the two branches that part nearest above the highlighted state of the history, elsewhere above the present
/// one. Where their times do not tell, both are measured in turns first.
pub fn better(app: &mut App) {
    let at = highlighted(app).filter(|_| app.focus.pane == Pane::History);
    let at = at.unwrap_or(app.session.current());
    let Some((fork, [one, other])) = branches(app.session.history(), app.session.sizes(), at) else {
        return app
            .say(Role::Warning, "Above this state no two branches part: there is nothing to choose from.");
    };
    let ranked = view::ranked(app.session.history(), app.session.sizes());
    let time = |id| ranked.iter().find(|(state, _)| *state == id).map(|(_, m)| *m);
    let times = time(one).zip(time(other));
    if times.is_some_and(|(a, b)| a.measured.is_of_same_code(b.measured)) {
        return app.tell(Role::Warning, of_same_code(one, other));
    }
    if let Some((a, b)) = times.filter(|(a, b)| a.is_apart(*b)) {
        let (a, b) = (a.measured, b.measured);
        let (kept, left) =
            if a.median_ns < b.median_ns { ((one, a), (other, b)) } else { ((other, b), (one, a)) };
        let text = format!(
            "Of the branches that part at revision {fork}, revision {} is the faster one: {}, and revision {} takes {}.",
            kept.0,
            figures::time(kept.1.median_ns),
            left.0,
            figures::time(left.1.median_ns)
        );
        return keep(app, kept.0, text);
    }
    if bench::asks_for_sizes(app, Command::Better, "") {
        return;
    }
    let device = app.device.clone();
    match app.session.compare_states(&device, [one, other]) {
        Ok(_) => {
            app.choosing = Some((one, other));
            go(app, Pane::History);
            app.tell(
                Role::Hint,
                format!("Revisions {one} and {other}, which part at revision {fork}, are measured in turns; the faster one is kept."),
            );
        }
        Err(problem) => show_problem(app, &problem),
    }
}

/// Two states were measured in turns: where these are branches that were to be chosen from, the faster one is gone to.
pub fn chosen(app: &mut App, (of, pair): &Compared) {
    if app.choosing.take() != Some(*of) {
        return;
    }
    let (first, second) = *of;
    let ratio = pair.comparison.ratio;
    let (kept, left, ratio) = match pair.comparison.verdict {
        Verdict::FirstFaster => (first, second, 1.0 / ratio),
        Verdict::SecondFaster => (second, first, ratio),
        Verdict::SameCode => {
            return app.tell(Role::Warning, of_same_code(first, second));
        }
        neither @ (Verdict::NoMeasurableDifference | Verdict::Close | Verdict::DisturbedUnlike) => {
            let difference = match neither {
                Verdict::Close => format!("a difference of at most {} %", 100.0 * CLOSE),
                Verdict::DisturbedUnlike => "a difference that other programs may have made".to_owned(),
                _ => "no measurable difference".to_owned(),
            };
            let text = format!(
                "There is {difference} between revisions {first} and {second}, measured in turns: nothing was chosen."
            );
            return app.tell(Role::Warning, text);
        }
    };
    let text = format!(
        "Revision {kept} is the faster branch: {} times as fast as revision {left}, measured in turns.",
        figures::digits(ratio)
    );
    keep(app, kept, text);
}

fn of_same_code(one: RevisionId, other: RevisionId) -> String {
    format!("Revisions {one} and {other} have the same code: nothing was chosen.")
}

fn keep(app: &mut App, revision: RevisionId, text: String) {
    if revision == app.session.current() || perform(app, Action::Goto { revision }) {
        app.tell(Role::Good, text);
        go(app, Pane::History);
    }
}

/// Where the branches part that are nearest above a state, and of two of them the state that stands for each: the fastest that was
/// measured, else the one that was made last. Of more than two these are that of the state itself and the best of the others.
pub fn branches(history: &History, sizes: &Sizes, at: RevisionId) -> Option<(RevisionId, [RevisionId; 2])> {
    let mut above = std::iter::successors(Some(at), |id| history.parent(*id));
    let fork = above.find(|id| history.branches(*id))?;
    let mut branch: Vec<Option<RevisionId>> = vec![None; history.len()];
    // A state is made after those above it.
    for id in 0..history.len() {
        let of = match history.parent(id) {
            Some(parent) if parent == fork => Some(id),
            Some(parent) => branch.get(parent).copied().flatten(),
            None => None,
        };
        if let Some(place) = branch.get_mut(id) {
            *place = of;
        }
    }
    let ranked = view::ranked(history, sizes);
    let rank = |id: RevisionId| ranked.iter().position(|(state, _)| *state == id);
    let current = history.current();
    let stands = |child: RevisionId| {
        let within = |id: &RevisionId| branch.get(*id).copied().flatten() == Some(child);
        let fastest = ranked.iter().map(|(id, _)| *id).find(within);
        fastest.or(Some(current).filter(within)).or((0..history.len()).rev().find(within)).unwrap_or(child)
    };
    let mut all: Vec<RevisionId> = history.children(fork).into_iter().map(stands).collect();
    let own = branch.get(at).copied().flatten().or(branch.get(current).copied().flatten());
    let is_own = |id: &RevisionId| own.is_some() && branch.get(*id).copied().flatten() == own;
    // What was not measured comes after what was, the newest of it first.
    all.sort_by_key(|id| (!is_own(id), rank(*id).unwrap_or(usize::MAX), std::cmp::Reverse(*id)));
    match all.as_slice() {
        [one, other, ..] => Some((fork, [*one, *other])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::digest::Digest;
    use crate::lang::literal::Literal;
    use crate::lang::path::PathMap;
    use crate::lang::term::Term;
    use crate::lang::ty::Scalar;
    use crate::lang::work::Work;
    use crate::session::action::{Measurement, MedianTime};
    use crate::session::history::Revision;

    fn measured(median_ns: f64) -> Measurement {
        let time = MedianTime { median_ns, interval_ns: (median_ns * 0.99, median_ns * 1.01), runs: 30 };
        let work = Work { flops: 1.0, integer_operations: 0.0, bytes: 1.0 };
        Measurement::of("cpu", Digest::of(b"kernel"), &Default::default(), time, &work, String::new())
    }

    /// Adds a state below another one, with the times that it took.
    fn add(history: &mut History, base: RevisionId, times: &[f64]) -> RevisionId {
        let term = Term::lit(Literal::Int(i128::try_from(history.len()).unwrap(), Scalar::I32));
        let measurements = times.iter().map(|time| measured(*time)).collect();
        history.add(base, Revision { measurements, ..Revision::new(term, "step") }, PathMap::identity())
    }

    #[test]
    fn the_branches_nearest_above_a_state_are_told_apart_by_their_times() {
        let mut history = History::new(Term::lit(Literal::Bool(true)), "f");
        assert_eq!(branches(&history, &Sizes::new(), 0), None);
        let fork = add(&mut history, 0, &[]);
        let slow = add(&mut history, fork, &[300.0]);
        let tip = add(&mut history, slow, &[]);
        assert_eq!(branches(&history, &Sizes::new(), tip), None);
        history.goto(fork);
        let fast = add(&mut history, fork, &[]);
        let faster = add(&mut history, fast, &[200.0]);
        // The fastest of each branch stands for it, the branch that is asked of first.
        assert_eq!(branches(&history, &Sizes::new(), faster), Some((fork, [faster, slow])));
        assert_eq!(branches(&history, &Sizes::new(), tip), Some((fork, [slow, faster])));
        // Of a third branch, the better of the others counts, and what was never measured is the last.
        let new = add(&mut history, fork, &[]);
        assert_eq!(branches(&history, &Sizes::new(), new), Some((fork, [new, faster])));
        let best = add(&mut history, new, &[100.0]);
        assert_eq!(branches(&history, &Sizes::new(), slow), Some((fork, [slow, best])));
    }
}
