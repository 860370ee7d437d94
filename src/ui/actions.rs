//! Taking actions, and saying what came of them. Every change goes through `Session::perform`.

use super::app::App;
use super::command::Command;
use super::layout::Pane;
use super::panes::{self, bench, best, rules, sketch};
use super::popup::{Entry, EntryKind, Page, Popup, Purpose};
use super::queries::{Answer, Query};
use super::script::searches;
use super::{branches, frozen, lists, results, stepping};
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::session::action::{Action, Outcome, RevisionId, SearchOutcome};
use crate::session::state::{JobResult, Performed};
use crate::view::{Line, Role, figures, history, problem};

/// Takes an action. A problem is shown; true when there was none.
pub(super) fn perform(app: &mut App, action: Action) -> bool {
    take(app, action).map_err(|problem| show_problem(app, &problem)).is_ok()
}

/// Takes an action, and says what came of it where that is known at once.
fn take(app: &mut App, action: Action) -> Result<(), Diagnostic> {
    let applies = matches!(action, Action::Apply { .. });
    if let Performed::Done(outcome) = app.session.perform(action)? {
        done(app, &outcome);
    }
    if applies {
        rules::applied(app);
    }
    app.touch_all();
    Ok(())
}

/// Takes an action that was typed; what is wrong is shown under the text.
pub(super) fn typed(app: &mut App, action: Action) -> Result<(), Vec<Line>> {
    take(app, action).map_err(|problem| problem::brief(&problem))
}

/// Says what came of an action.
pub(super) fn done(app: &mut App, outcome: &Outcome) {
    match outcome {
        Outcome::Term { revision, .. } => {
            let Some(made) = app.session.history().revision(*revision) else { return };
            let mut text = format!("Revision {revision}: {}", made.label);
            if let Some(elevate) = made.elevate.as_ref().filter(|text| **text != made.label) {
                text += &format!(", in ELEVATE {elevate}");
            }
            if made.steps.len() > 1 {
                text += &format!(" ({})", history::rewrites(made));
            }
            let broken = app.session.workspace().broken(&made.term, app.session.sizes());
            match broken {
                // What matters most is first, where there are few columns.
                Some(c) => {
                    let told = format!("These sizes do not meet what revision {revision} asks: {c}. {text}");
                    app.tell(Role::Warning, told);
                }
                None => app.tell(Role::Good, text),
            }
        }
        Outcome::Unchanged { reason, .. } => app.tell(Role::Warning, reason.clone()),
        Outcome::Measured(m) => {
            let time = figures::time(m.median_ns);
            // What is to be minded stands before what is long.
            match m.warnings.join(" ") {
                mind if mind.is_empty() => {
                    app.tell(Role::Good, format!("{time} on {}, checked: {}", m.device, m.check));
                }
                mind => {
                    let told = format!("{time} on {}; mind: {mind} Checked: {}", m.device, m.check);
                    app.tell(Role::Warning, told);
                }
            }
            bench::highlight(app, m);
        }
        Outcome::Tuned { revision, decision, .. } => {
            let (time, strategy) = (figures::time(decision.median_ns), &decision.strategy);
            let text = format!("Revision {revision}: {time} on {} by {strategy}", decision.device);
            app.tell(Role::Good, text);
        }
        Outcome::Kernel { .. } | Outcome::Done => {}
    }
}

/// Shows a problem: in one line where one is enough, else to be read.
pub(super) fn show_problem(app: &mut App, problem: &Diagnostic) {
    if problem.code == STOPPED {
        return app.tell(Role::Warning, problem.message.clone());
    }
    app.tell(Role::Error, problem::in_a_line(problem));
    if !(problem.notes.is_empty() && problem.hints.is_empty() && problem.labels.is_empty()) {
        let lines = app.problem(problem);
        app.popups.push(Popup::Page(Page::sentences(results::NOT_DONE, lines, 3)));
    }
}

/// Fetches what jobs and looks have done.
pub fn news(app: &mut App) {
    // What was running when this was last looked at may be over now.
    let ran = !app.session.is_idle();
    let open = app.popups.len();
    // The last word of a search is there until its result is fetched.
    if app.found.watch(&app.session.jobs()) {
        app.touch(&[Pane::Search]);
    }
    for result in app.session.poll() {
        finished(app, result);
    }
    match app.session.shown() {
        Some(Ok(shown)) => bench::shown(app, &shown),
        Some(Err(problem)) => show_problem(app, &problem),
        None => {}
    }
    match app.session.compared() {
        Some(Ok(compared)) => {
            bench::compared(app, &compared);
            branches::chosen(app, &compared);
        }
        Some(Err(problem)) => {
            app.choosing = None;
            show_problem(app, &problem);
        }
        None => {}
    }
    match app.session.peak() {
        Some(Ok((device, peak))) => bench::peak(app, device, peak),
        Some(Err(problem)) => show_problem(app, &problem),
        None => {}
    }
    match app.session.swept() {
        Some(Ok(swept)) => bench::swept(app, swept),
        Some(Err(problem)) => show_problem(app, &problem),
        None => {}
    }
    best::watch(app);
    if let Some(standing) = app.session.best() {
        best::ended(app, standing);
    }
    if app.session.is_idle() && app.found.progress.is_some() {
        app.found.over(Line::of(Role::Warning, "It is over; the messages tell what came of it."));
    }
    lists::renew(app);
    if let Some(tuned) = app.session.tuned() {
        bench::tuned(app, &tuned);
    }
    for (query, answer) in app.queries.poll(&app.session) {
        match (query, answer) {
            (Query::Rules { revision, at }, Answer::Rules(found, left)) => {
                app.rules.left = left;
                rules::known(app, revision, at, found);
            }
            (Query::Inside { revision, at, .. }, Answer::Inside(found, next)) => {
                rules::known_inside(app, revision, at, found, next);
            }
            (_, Answer::Kernel(_)) => {
                app.touch(&[Pane::Kernel, Pane::Loops]);
                rules::code_known(app);
                panes::history::code_known(app);
            }
            (query, Answer::Difference(_)) => {
                app.touch(&[Pane::Rules, Pane::History]);
                rules::difference_known(app, &query);
            }
            (_, Answer::Costs(_)) => app.touch(&[Pane::History, Pane::Rules]),
            (Query::Prices { before, terms, target }, Answer::Prices(costs)) => {
                rules::rows_priced(app, &before, &terms, target, &costs);
            }
            (Query::Meter { revision, sketches }, Answer::Meter(meter)) => {
                sketch::metered(app, revision, &sketches, meter);
            }
            (_, Answer::Devices(list)) => {
                if let Some(away) = app.session.tuned_away(&list.devices) {
                    app.tell(Role::Warning, away);
                }
                app.touch(&[Pane::Bench]);
            }
            (Query::Frozen { text, file, .. }, Answer::Frozen(written)) => {
                frozen::known(app, &text, &file, written);
            }
            (Query::Steps { revision, text, at }, Answer::Steps(steps)) => {
                stepping::known(app, revision, text, at, steps)
            }
            _ => {}
        }
    }
    results::came(app, open);
    if let Some(reason) = app.queries.refusal() {
        app.say(
            Role::Warning,
            format!("Nothing can be looked at, as no thread can be started: {reason}. It is tried again every second."),
        );
    }
    if ran || !app.session.is_idle() {
        app.touch(&[Pane::Jobs, Pane::Bench]);
    }
}

/// What a search came to was taken.
pub(super) fn found(app: &mut App, outcome: &Outcome) {
    app.found.ended(outcome);
    done(app, outcome);
    if let Outcome::Term { revision, .. } = outcome {
        tell_found(app, *revision);
    }
    app.touch_all();
}

/// Says how a search's way can be looked at; true where there is one.
fn tell_found(app: &mut App, revision: RevisionId) -> bool {
    let Some(found) = app.session.history().revision(revision) else { return false };
    let steps = found.steps.len();
    // A search that met its goal at once is a step itself.
    let at_once = |search: &SearchOutcome| search.trail.as_ref().is_some_and(Vec::is_empty);
    if steps <= 1 && !found.searches.is_empty() && found.searches.iter().all(at_once) {
        let text = format!("The program is like the sketch as it is: revision {revision} took no rewrite.");
        app.tell(Role::Good, text);
        return false;
    }
    if steps == 0 {
        return false;
    }
    app.found.revision = Some(revision);
    let key = |command| app.setup.keys.key(command).unwrap_or_default();
    let (pane, preview) = (key(Command::SearchPane), key(Command::Preview));
    let steps = if steps == 1 { "one step".to_owned() } else { format!("{steps} steps") };
    let first = if app.focus.pane == Pane::Search { String::new() } else { format!("{pane}, then ") };
    let text = format!("Found in {steps}, revision {revision}: {first}{preview} shows how.");
    match app.session.history().computes_more(revision, app.session.sizes()) {
        Some(more) => app.tell(Role::Warning, format!("{more} {text}")),
        None => app.tell(Role::Good, text),
    }
    true
}

/// A job has ended.
fn finished(app: &mut App, result: JobResult) {
    // Another graph may be kept now.
    sketch::forget_meter(app);
    let searched = match &result.action {
        Action::Strategy { text, .. } => searches(app.session.workspace(), text),
        _ => false,
    };
    let redone = panes::history::redone(app, &result.action);
    match result.result {
        Ok(outcome) => {
            app.found.ended(&outcome);
            done(app, &outcome);
            if let (Outcome::Term { revision, .. }, Some(standing)) = (&outcome, app.best.clone()) {
                app.session.keep_best(&standing, *revision);
            }
            if let (Action::Strategy { .. }, Outcome::Term { revision, .. }) = (&result.action, &outcome)
                && searched
                && tell_found(app, *revision)
            {
                let walked = app.walk.take();
                if walked.is_some() && app.search == walked && app.popups.is_empty() {
                    panes::history::trail(app, *revision);
                }
            }
        }
        Err(problem) => {
            if searched {
                app.found.failed(&problem);
            }
            let back = redone.map(|redone| panes::history::not_redone(app, &redone));
            if searched || problem.code == STOPPED {
                let kept = app.session.keeps().map(str::to_owned);
                let also: String = kept.into_iter().chain(back).map(|text| format!(" {text}")).collect();
                let role = if problem.code == STOPPED { Role::Warning } else { Role::Error };
                app.tell(role, format!("{}{also}", problem.message));
            } else if let Action::Strategy { text, at } = &result.action {
                let problem = match back {
                    Some(back) => problem.note(back),
                    None => problem,
                };
                failed(app, text, at, &problem);
            } else {
                show_problem(app, &problem);
            }
        }
    }
    app.touch_all();
}

/// The code of what the user stopped.
const STOPPED: &str = "E0709";

/// A strategy did not get to its end. What was typed comes back with what is wrong with it.
pub(super) fn failed(app: &mut App, text: &str, at: &Path, problem: &Diagnostic) {
    let typed = [EntryKind::Strategy, EntryKind::Step, EntryKind::Sketch]
        .into_iter()
        .find(|kind| app.recall.get(*kind, 0).is_some_and(|last| last == text));
    let place = (!at.is_root()).then(|| {
        let key = app.setup.keys.key(Command::TypingPlace).unwrap_or_default();
        let part = super::strategies::selection_in_words(app, at);
        format!("It ran on {part}; {key} in the prompt switches to the whole program.")
    });
    let Some(kind) = typed.filter(|_| app.popups.is_empty() && problem.code != STOPPED) else {
        return show_problem(app, problem);
    };
    app.tell(Role::Error, problem::in_a_line(problem));
    let mut entry = Entry::new(kind, text);
    entry.problems = problem::brief(problem);
    entry.problems.extend(place.map(|place| Line::of(Role::Hint, place)));
    app.popups.push(Popup::Entry(Box::new(entry)));
}

/// Closes the pages of a purpose.
pub fn close_pages(app: &mut App, purpose: &Purpose) {
    app.popups.retain(|popup| !matches!(popup, Popup::Page(page) if page.purpose == *purpose));
}
