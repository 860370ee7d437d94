//! The best programs of a search, as they are measured, and taking one of them.

use super::{Description, Operation, alphabet, lines_and_about};
use crate::lang::path::Path;
use crate::session::action::{Action, RevisionId};
use crate::session::bench::target_of;
use crate::session::best::{Search, Standing, USUAL};
use crate::session::foretold;
use crate::session::state::Progress;
use crate::ui::actions::{found, perform, show_problem};
use crate::ui::app::App;
use crate::ui::command::{Command as C, Enabled, require};
use crate::ui::compared;
use crate::ui::facts::Facts;
use crate::ui::layout::{MIDDLING, Pane};
use crate::ui::popup::{EntryKind, Page, Popup, Purpose};
use crate::ui::strategies;
use crate::ui::update::enter;
use crate::ui::window::Content;
use crate::view::{Line, Role, best as view, jobs, problem};
use std::sync::Arc;

/// The pane.
pub const PANE: Description = Description {
    title: "Best",
    reached_by: C::BestPane,
    content,
    wish: lines_and_about,
    follow: &[Pane::Best],
    open: Operation {
        word: Some("take it"),
        doc: "Make the highlighted program the present state.",
        enabled: there,
        run: take,
    },
    preview: Operation {
        word: Some("the program"),
        doc: "Show what the highlighted program changes of the state that the search began with.",
        enabled: there,
        run: preview,
    },
    fold: None,
    copied,
    hints: &[C::Open, C::Preview, C::Best, C::Sketch, C::Bench],
};

fn there(facts: &Facts) -> Enabled {
    require(facts.best, "No programs of a search have been measured yet; {best} measures some.")
}

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let Some(standing) = &app.best else {
        let key = app.setup.keys.key(C::Best).unwrap_or_default();
        let text = format!(
            "Nothing has been measured yet. {key} takes the best programs that a search finds, compiles, checks and measures \
             each, and ranks them by their time: what they weigh only foretells it."
        );
        return Content::says(Line::of(Role::Dim, text).wrap(width, 0));
    };
    let mut said = view::said(standing, width);
    let jobs = app.session.jobs();
    let left = jobs.iter().find(|job| matches!(job.progress, Progress::Best(_))).and_then(jobs::left);
    said.extend(left.into_iter().flat_map(|left| Line::of(Role::Hint, left).wrap(width, 2)));
    let lines = view::rows(standing, width, alphabet(app));
    let shown = standing.fastest_first();
    let cursor = app.window(Pane::Best).cursor.min(shown.len().saturating_sub(1));
    let foot = shown
        .get(cursor)
        .map(|c| view::details(standing, c, target_of(&standing.device), alphabet(app)))
        .unwrap_or_default();
    let foot = foot.iter().flat_map(|line| line.wrap(width, 8));
    // On a small screen the rows come first: of what they come to it is said below them what there is room for.
    let is_small = app.size.1 < MIDDLING.1 && !lines.is_empty();
    let (above, below) = if is_small { (vec![], said) } else { (said, vec![]) };
    let mut head = view::title(standing, width, alphabet(app));
    if is_small {
        head.truncate(1);
    }
    head.extend(above.into_iter().chain(view::columns(standing, width, alphabet(app))));
    let foot = below.into_iter().chain(foot).collect();
    Content { head, list: !lines.is_empty(), lines: lines.into(), foot, ..Content::default() }
}

/// Measures the best programs of the search that was typed after the command, or asks for it.
pub fn best(app: &mut App, text: &str) {
    if super::bench::asks_for_sizes(app, C::Best, text) {
        return;
    }
    // What was left without a search is no search to go on with.
    let recalled = app.recall.get(EntryKind::Best, 0).filter(|text| text.trim().parse::<usize>().is_err());
    // Programs are what is measured, whatever is selected.
    let pointed = super::sketch::search(app, &Path::root());
    let wanted = |search: String| format!("{USUAL} {search}");
    // What was typed here and refused does not hide a search that ran.
    let ran = || app.measured_search.clone().or_else(|| app.search.clone().map(wanted));
    let begun = pointed.map(wanted).or_else(ran).or_else(|| recalled.map(str::to_owned));
    // Where there is none, an example is shown.
    enter(app, EntryKind::Best, text, &begun.unwrap_or_default());
}

/// Starts to search and to measure. What is wrong is said under the text.
pub(in crate::ui) fn start(app: &mut App, text: &str) -> Result<(), Vec<Line>> {
    let search = Search::read(app.session.workspace(), text).map_err(|problem| problem::brief(&problem))?;
    let from = begins_in(app, search.text());
    strategies::warn(app, text, search.text(), from, &Path::root())?;
    let (device, search_text) = (app.device.clone(), search.text().to_owned());
    app.session.measure_best(&device, from, search).map_err(|problem| problem::brief(&problem))?;
    let mut news: Vec<String> = vec![];
    if !strategies::place(app).is_root() {
        // Other commands search there.
        news.push(
            "The search begins on the whole program, not on the selection: what is measured are programs."
                .into(),
        );
    }
    if from != app.session.current() {
        news.push(format!(
            "The present state is what this search finds, so it begins in revision {from}, as before."
        ));
    }
    if !news.is_empty() {
        app.tell(Role::Hint, news.join(" "));
    }
    // The search is shown as others are, while it runs and after that.
    app.found.begun(&search_text, from);
    app.best = None;
    app.measured_search = Some(text.to_owned());
    app.focus.go(Pane::Best);
    app.touch(&[Pane::Best, Pane::Search, Pane::Jobs]);
    Ok(())
}

/// The state that a search begins in: the present one, or where that has what the search is to find, the one that it began in last.
fn begins_in(app: &App, search: &str) -> RevisionId {
    let now = app.session.current();
    let found = app.found.from.as_ref().filter(|(text, _)| text == search).map(|(_, from)| *from);
    let measured = app.best.as_ref().filter(|standing| standing.search == search).map(|s| s.base);
    let workspace = app.session.workspace();
    let strategy = workspace.parse_strategy(search).ok().map(|s| s.knowing(app.session.sizes()));
    let there =
        strategy.is_some_and(|s| foretold::is_there(workspace, app.session.term(), &s, &Path::root()));
    let before = found.or(measured).filter(|from| app.session.history().revision(*from).is_some());
    before.filter(|_| there).unwrap_or(now)
}

/// Takes over how far the measuring is.
pub(in crate::ui) fn watch(app: &mut App) {
    let now = app.session.jobs().into_iter().find_map(|job| match job.progress {
        Progress::Best(standing) => Some(standing),
        _ => None,
    });
    if let Some(now) = now {
        follow(app, now);
    }
}

/// It is over, or came to nothing.
pub(in crate::ui) fn ended(app: &mut App, standing: Arc<Standing>) {
    match &standing.problem {
        None => {
            let pane = app.setup.keys.key(C::BestPane).unwrap_or_default();
            app.found.over(Line::plain(format!("{} ({pane})", view::says(&standing))));
            app.tell(Role::Good, view::says(&standing));
        }
        Some(problem) => {
            app.found.failed(problem);
            show_problem(app, problem);
        }
    }
    app.touch(&[Pane::Search]);
    for candidate in &standing.candidates {
        keep_time(app, &standing, candidate.rank);
    }
    follow(app, standing);
}

/// A program that became a state before it was measured has its time as that state's price.
fn keep_time(app: &mut App, standing: &Standing, rank: usize) {
    if let Some(revision) = taken(app, standing, rank) {
        app.session.keep_best(standing, revision);
    }
}

/// The highlight stays on its program while the ranking changes, unless it is on the first.
fn follow(app: &mut App, standing: Arc<Standing>) {
    let cursor = app.window(Pane::Best).cursor;
    let rank_at = |s: &Standing, at: usize| s.fastest_first().get(at).map(|c| c.rank);
    let kept = app.best.as_ref().filter(|_| cursor > 0).and_then(|old| rank_at(old, cursor));
    let place = kept.and_then(|rank| standing.fastest_first().iter().position(|c| c.rank == rank));
    app.best = Some(standing);
    app.pane_mut(Pane::Best).1.cursor = place.unwrap_or(0);
    app.touch(&[Pane::Best]);
}

/// The search that found the highlighted program, for that one, and the state that it starts from.
fn highlighted(app: &App) -> Option<(Arc<Standing>, usize)> {
    let standing = app.best.clone()?;
    let rank = standing.fastest_first().get(app.window(Pane::Best).cursor)?.rank;
    Some((standing, rank))
}

/// The search that takes the highlighted program, as it is typed.
fn copied(app: &App) -> String {
    let taking = || {
        let (standing, rank) = highlighted(app)?;
        let read = format!("{} {}", standing.best, standing.search);
        Some(Search::read(app.session.workspace(), &read).ok()?.taking(rank, standing.among()))
    };
    taking().unwrap_or_default()
}

/// Takes the highlighted program as it was found. Where the way there was not written down, goes to where the search began and runs
/// it for this one.
fn take(app: &mut App) {
    let Some((standing, rank)) = highlighted(app) else { return };
    if let Some(revision) = taken(app, &standing, rank) {
        if revision == app.session.current() || perform(app, Action::Goto { revision }) {
            app.say(Role::Hint, format!("Rank {rank} was taken before: it is revision {revision}."));
        }
        return;
    }
    if let Some(outcome) = app.session.take_best(&standing, rank) {
        return found(app, &outcome);
    }
    let read = format!("{} {}", standing.best, standing.search);
    let text = match Search::read(app.session.workspace(), &read) {
        Ok(search) => search.taking(rank, standing.among()),
        Err(problem) => return show_problem(app, &problem),
    };
    if app.session.current() != standing.base && !perform(app, Action::Goto { revision: standing.base }) {
        return;
    }
    strategies::run(app, &text, Path::root());
    app.say(Role::Hint, format!("The way to rank {rank} was not written down; it is searched now."));
}

/// The state that a program became when it was taken before.
fn taken(app: &App, standing: &Standing, rank: usize) -> Option<RevisionId> {
    let history = app.session.history();
    let found = standing.candidates.iter().find(|c| c.rank == rank)?.term.digest();
    let is_it = |id: &RevisionId| history.revision(*id).is_some_and(|r| r.term.digest() == found);
    history.children(standing.base).into_iter().find(is_it)
}

/// Shows what the highlighted program changes of the state that the search began with.
fn preview(app: &mut App) {
    let Some((standing, rank)) = highlighted(app) else { return };
    let base = app.session.history().revision(standing.base).map(|r| r.term.clone());
    let found = standing.candidates.iter().find(|c| c.rank == rank).map(|c| c.term.clone());
    let (Some(base), Some(found)) = (base, found) else { return };
    let lines = compared::at_once(app, &base, &found, None);
    let title = format!("Rank {rank}, from revision {}", standing.base);
    app.popups.push(Popup::Page(Page::difference(title, lines, Purpose::Read)));
}
