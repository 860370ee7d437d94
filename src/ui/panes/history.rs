//! All states of the session, as a tree: moving in it, comparing its states, looking at how one came about.

use super::alphabet;
use super::{Description, Folding, Operation, lines_and_about};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::strategy::in_order;
use crate::session::action::{Action, RevisionId, Sizes};
use crate::session::history::Price;
use crate::ui::actions::{close_pages, perform};
use crate::ui::app::{App, ToldApart, Trail};
use crate::ui::command::Command;
use crate::ui::command::{Command as C, Enabled, require};
use crate::ui::compared::{self, Shape};
use crate::ui::draw::room;
use crate::ui::facts::Facts;
use crate::ui::layout::Pane;
use crate::ui::popup::{Page, Popup, Purpose};
use crate::ui::queries::{Query, code};
use crate::ui::strategies;
use crate::ui::window::{Content, most_below};
use crate::view::history::{self, Looked, Part, Row};
use crate::view::term::Printed;
use crate::view::text::{lines_of, one_line};
use crate::view::{Line, Lines, Role, diff as diff_view, figures};
use std::collections::BTreeSet;

/// The pane.
pub const PANE: Description = Description {
    title: "History",
    reached_by: C::History,
    content,
    wish: lines_and_about,
    follow: &[Pane::History],
    open: Operation {
        word: Some("go there"),
        doc: "Go to the highlighted state; a rewrite on the way to one is shown.",
        enabled: elsewhere,
        run: open,
    },
    preview: Operation {
        word: Some("its rewrites"),
        doc: "Show the rewrites that made the highlighted state, one by one.",
        enabled: stepwise,
        run: preview,
    },
    fold: Some(Folding {
        can: |app| highlighted_row(app).is_some_and(|row| row.opens.is_some()),
        nothing: "This row is one step; there is nothing to open in it.",
        run: fold,
    }),
    copied,
    hints: &[
        C::Open,
        C::Fold,
        C::Preview,
        C::Undo,
        C::Redo,
        C::Pin,
        C::Diff,
        C::Without,
        C::Better,
        C::Fastest,
    ],
};

fn elsewhere(facts: &Facts) -> Enabled {
    require(!facts.at_present, "This state is the present one.")
}

fn stepwise(facts: &Facts) -> Enabled {
    require(facts.steps, "No single rewrites are recorded of this state.")
}

/// The rows of the pane, made again when something of what they show has changed.
#[derive(Default)]
pub struct Rows {
    all: Vec<Row>,
    lines: Lines,
    made_for: Option<MadeFor>,
    /// What is open; see [`Looked::opened`].
    opened: BTreeSet<RevisionId>,
}

/// What rows depend on.
#[derive(PartialEq, Eq)]
struct MadeFor {
    states: usize,
    current: RevisionId,
    measurements: usize,
    pinned: Option<RevisionId>,
    opened: BTreeSet<RevisionId>,
    sizes: Sizes,
    width: Option<usize>,
}

/// Makes the rows again where they have changed. The highlight stays on its row, or goes to the present state when that is another.
pub fn refresh(app: &mut App) {
    let history = app.session.history();
    let measured = |id| history.revision(id).map_or(0, |r| r.measurements.len());
    let now = MadeFor {
        states: history.len(),
        current: history.current(),
        measurements: (0..history.len()).map(measured).sum(),
        pinned: app.pinned,
        opened: app.past.opened.clone(),
        sizes: app.session.sizes().clone(),
        // Where it is not in sight its rows stay as they are.
        width: room(app, Pane::History)
            .map_or(app.past.made_for.as_ref().and_then(|m| m.width), |(_, columns)| Some(columns)),
    };
    if app.past.made_for.as_ref() == Some(&now) {
        return;
    }
    let sizes = app.session.sizes();
    let looked =
        Looked { pinned: app.pinned, opened: Some(&app.past.opened), sizes: Some(sizes), width: now.width };
    let rows = history::rows(history, looked, alphabet(app));
    let place = |wanted: &dyn Fn(&Row) -> bool| rows.iter().position(wanted);
    let there = app.past.made_for.as_ref().is_some_and(|before| before.current == now.current);
    let before = highlighted_row(app).filter(|_| there);
    let kept = before.and_then(|old| {
        place(&|row| (row.revision, row.part) == (old.revision, old.part))
            .or_else(|| place(&|row| old.opens.is_some() && row.opens == old.opens))
            .or_else(|| place(&|row| row.revision == old.revision))
    });
    let cursor = kept.or_else(|| place(&|row| row.revision == now.current && row.part == Part::State));
    app.past.lines = rows.iter().map(|row| row.line.clone()).collect();
    (app.past.all, app.past.made_for) = (rows, Some(now));
    app.pane_mut(Pane::History).1.cursor = cursor.unwrap_or_default();
    app.touch(&[Pane::History]);
}

fn highlighted_row(app: &App) -> Option<&Row> {
    app.past.all.get(app.window(Pane::History).cursor)
}

/// How many rows on the state before, or after, the highlighted one begins. Of the last one the rest is seen by going on.
pub fn to_state(app: &App, down: bool) -> isize {
    let at = app.window(Pane::History).cursor;
    let next = history::next_state(&app.past.all, at, down);
    next.map_or(if down { 1 } else { -1 }, |next| next as isize - at as isize)
}

/// The revision that is highlighted in the history.
pub fn highlighted(app: &App) -> Option<RevisionId> {
    Some(highlighted_row(app)?.revision)
}

/// Whether the highlighted row is the present state itself.
pub fn at_present(app: &App) -> bool {
    highlighted_row(app)
        .is_none_or(|row| row.revision == app.session.current() && !matches!(row.part, Part::Rewrite(_)))
}

/// What made the highlighted state, as it is typed: a strategy, or a rewrite.
fn copied(app: &App) -> String {
    let Some(row) = highlighted_row(app) else { return String::new() };
    let history = app.session.history();
    let made = |id: RevisionId| {
        let revision = history.revision(id)?;
        Some(revision.elevate.clone().unwrap_or_else(|| revision.label.clone()))
    };
    match row.part {
        Part::State => made(row.revision).unwrap_or_default(),
        Part::Rewrite(i) => {
            let step = history.revision(row.revision).and_then(|revision| revision.steps.get(i));
            step.map(ToString::to_string).unwrap_or_default()
        }
        Part::Steps { first } => {
            let steps = history.line(row.revision).into_iter().skip_while(|id| *id != first);
            in_order(&steps.filter_map(made).collect::<Vec<_>>(), " ;\n")
        }
    }
}

/// Whether single rewrites are recorded of what is highlighted, or it opens to rows that have them.
pub fn has_steps(app: &App) -> bool {
    let steps = |id| app.session.history().revision(id).is_some_and(|r| !r.steps.is_empty());
    highlighted_row(app).is_some_and(|row| !matches!(row.part, Part::State) || steps(row.revision))
}

/// Opens what is folded into the highlighted row, or closes it.
pub fn fold(app: &mut App) {
    let Some(id) = highlighted_row(app).and_then(|row| row.opens) else { return };
    if !app.past.opened.remove(&id) {
        app.past.opened.insert(id);
    }
}

/// What the pane shows: the tree, and what the highlighted state was made by and changed.
pub fn content(app: &App, width: usize) -> Content {
    let foot = about(app, width, app.past.lines.len());
    Content { lines: app.past.lines.clone(), foot, list: true, ..Content::default() }
}

/// What the highlighted row stands for: what made it, and the terms before and after.
fn change(app: &App) -> Option<(String, &Term, &Term)> {
    let history = app.session.history();
    let row = highlighted_row(app)?;
    let revision = history.revision(row.revision)?;
    let before = &history.revision(base(app)?)?.term;
    match row.part {
        Part::State => Some((revision.label.clone(), before, &revision.term)),
        Part::Steps { .. } => Some((row.line.text().trim().to_owned(), before, &revision.term)),
        Part::Rewrite(i) => {
            let step = revision.steps.get(i)?;
            let before = i.checked_sub(1).and_then(|i| revision.steps.get(i)).map_or(before, |s| &s.after);
            Some((step.to_string(), before, &step.after))
        }
    }
}

/// The state that what is highlighted was made of.
fn base(app: &App) -> Option<RevisionId> {
    let row = highlighted_row(app)?;
    let first = if let Part::Steps { first } = row.part { first } else { row.revision };
    app.session.history().parent(first)
}

/// The whole line of what is highlighted, and its difference from the state it was made of, as far as there is room.
fn about(app: &App, width: usize, lines: usize) -> Vec<Line> {
    let Some((made_by, before, after)) = change(app) else { return vec![] };
    let made_by = Line::of(Role::Dim, one_line(&made_by));
    let mut foot: Vec<Line> = made_by.wrapped(width, 2).take(3).collect();
    foot.extend(priced(app, width));
    let changed = compared::lines(app, &compared::query(app, before, after, Shape::below(width)));
    let rows = room(app, Pane::History).map_or(0, |(rows, _)| most_below(rows, lines));
    foot.extend(diff_view::fitted(&changed, rows.saturating_sub(foot.len())));
    foot
}

/// The states of which the costs are compared: those between which there is what is highlighted.
fn compared_costs(app: &App) -> Option<[Query; 2]> {
    let row = highlighted_row(app).filter(|row| !matches!(row.part, Part::Rewrite(_)))?;
    let target = app.code.target;
    let of = |id: RevisionId| Some(app.session.history().revision(id)?.term.clone());
    Some([of(base(app)?)?, of(row.revision)?].map(|term| Query::Costs { term, target }))
}

/// What the highlighted steps changed of the code's length and of what it computes and stores, as far as it is known.
fn priced(app: &App, width: usize) -> Option<Line> {
    let [before, after] = compared_costs(app)?;
    figures::costs(app.queries.costs(&before)?, app.queries.costs(&after)?, width, alphabet(app))
}

/// What has to be asked so that the highlighted steps can be priced.
pub fn unpriced(app: &App) -> Option<Query> {
    compared_costs(app)?.into_iter().find(|query| app.queries.costs(query).is_none())
}

/// What has to be asked so that the difference by what is highlighted can be shown.
pub fn uncompared(app: &App) -> Option<Query> {
    let (_, before, after) = change(app)?;
    let query = compared::query(app, before, after, Shape::below(room(app, Pane::History)?.1));
    Some(query).filter(|query| compared::is_unknown(app, query))
}

/// Goes back one step.
pub fn undo(app: &mut App) {
    match app.session.undo_action() {
        Ok(action) => {
            perform(app, action);
        }
        Err(reason) => app.say(Role::Warning, reason),
    }
}

/// Goes forward again.
pub fn redo(app: &mut App) {
    match app.session.redo_action() {
        Ok(action) => {
            perform(app, action);
        }
        Err(reason) => app.say(Role::Warning, reason),
    }
}

/// Keeps a state to compare with.
pub fn pin(app: &mut App) {
    let id = highlighted(app).filter(|_| app.focus.pane == Pane::History);
    let id = id.unwrap_or(app.session.current());
    app.pinned = Some(id);
    app.touch(&[Pane::History]);
    let key = app.setup.keys.key(Command::Diff).unwrap_or_default();
    app.say(Role::Good, format!("Revision {id} is pinned; {key} shows the difference from it."));
}

/// The difference of the pinned state from the highlighted one of the history, or from the present one: of the code where that is
/// looked at, else of the term. Where there is room both stand beside each other.
pub fn diff(app: &mut App) {
    let Some(id) = app.pinned else { return };
    let now = highlighted(app).filter(|_| app.focus.pane == Pane::History).unwrap_or(app.session.current());
    let of = |id: RevisionId| app.session.history().revision(id).map(|r| r.term.clone());
    let (Some(old), Some(new)) = (of(id), of(now)) else { return };
    if app.focus.pane == Pane::Kernel {
        app.diffing = Some((id, now));
        return show_code(app);
    }
    let title = format!("term: {}", of_both(id, now));
    let width = page_columns(app);
    let page = if old == new {
        Page::new(title, vec![Line::plain("Both terms are the same.")], Purpose::Read)
    } else {
        let width = if width >= BESIDE { width } else { width.min(120) };
        let column = if width >= BESIDE { width / 2 - 4 } else { width.max(20) };
        let print = |term: &Term| Printed::of(term, column, alphabet(app));
        let lines = compared(app, print(&old).lines(), print(&new).lines(), width);
        Page::difference(title, lines, Purpose::Read)
    };
    app.popups.push(Popup::Page(page));
}

fn of_both(old: RevisionId, new: RevisionId) -> String {
    format!("revision {old} (-) and revision {new} (+)")
}

/// The columns of a difference on a page.
fn page_columns(app: &App) -> usize {
    usize::from(app.size.0).saturating_sub(8)
}

/// Shows how the code of the two states differs that are compared. What is not known of it is generated in the background; the page
/// says so meanwhile.
pub(in crate::ui) fn show_code(app: &mut App) {
    let Some((old, new)) = app.diffing else { return };
    let of = |revision| Query::Kernel { revision, target: app.code.target };
    let queries = [of(old), of(new)];
    let made = queries.each_ref().map(|query| app.queries.kernel(query));
    let title = format!("code: {}", of_both(old, new));
    let page = match &made {
        [Some(old), Some(new)] => match (code(old), code(new)) {
            (Ok(old), Ok(new)) if old == new => {
                Page::new(title, vec![Line::plain("Both are the same.")], Purpose::Code)
            }
            (Ok(old), Ok(new)) => {
                let [old, new] = [old, new].map(|text| lines_of(Role::Plain, &text));
                Page::difference(title, compared(app, &old, &new, page_columns(app)), Purpose::Code)
            }
            (Err(problem), _) | (_, Err(problem)) => Page {
                purpose: Purpose::Code,
                ..Page::sentences("No code to compare", app.problem(&problem), 3)
            },
        },
        _ => {
            for query in queries {
                if app.queries.kernel(&query).is_none() {
                    app.queries.ask(&app.session, query);
                }
            }
            Page::new(title, vec![Line::of(Role::Dim, "Generating code …")], Purpose::Code)
        }
    };
    close_pages(app, &Purpose::Code);
    app.popups.push(Popup::Page(page));
}

/// Code that the page of a difference waits for may be there.
pub(in crate::ui) fn code_known(app: &mut App) {
    let waits = |popup: &Popup| matches!(popup, Popup::Page(page) if page.purpose == Purpose::Code);
    if app.popups.last().is_some_and(waits) {
        show_code(app);
    }
}

/// From so many columns on two texts stand beside each other.
const BESIDE: usize = 110;

/// Two texts beside each other, or one difference of both where there is no room for that.
fn compared(app: &App, old: &[Line], new: &[Line], width: usize) -> Vec<Line> {
    if width >= BESIDE {
        diff_view::beside(old, new, 3, width, alphabet(app))
    } else {
        diff_view::of_lines(old, new, Some(3)).0
    }
}

/// The highlighted step, the state before it, and the states that followed it on the way to the present one.
///
/// # Errors
/// Why the step cannot be left out.
pub fn rest_without(app: &App) -> Result<(RevisionId, RevisionId, Vec<RevisionId>), String> {
    let history = app.session.history();
    let id = highlighted(app).ok_or("No step is highlighted.")?;
    let before = history.parent(id);
    let before = before.ok_or("This is the program as it was read; nothing was done to leave out.")?;
    let line = history.line(app.session.current());
    let at = line.iter().position(|step| *step == id);
    let at = at.ok_or("This step did not lead to the present state; highlight one that did.")?;
    let later = line.get(at + 1..).unwrap_or_default().to_vec();
    let follows = |id: &RevisionId| history.revision(*id).is_some_and(|r| r.elevate.is_some());
    let read_again = "The program was read again since; steps before that cannot be left out.";
    require(later.iter().all(follows), read_again)?;
    if later.is_empty() {
        let told = match history::tells_worth(history, id) {
            true => "what it was worth is told beside it",
            false => {
                "measured like a state before it, on one device at the same sizes, it tells what it was worth"
            }
        };
        return Err(format!("Nothing that follows this step led to the present state; {told}."));
    }
    Ok((id, before, later))
}

/// What followed a step is done again without it, and has not come to its end yet.
pub struct Redone {
    step: RevisionId,
    /// The state before it, where that begins.
    before: RevisionId,
    /// The present state until then.
    from: RevisionId,
    /// What is done.
    text: String,
}

/// Does again what followed the highlighted step, without it: what it was worth is the difference.
pub fn without(app: &mut App) {
    let Ok((id, before, later)) = rest_without(app) else { return };
    let history = app.session.history();
    let done = later.iter().filter_map(|id| history.revision(*id)?.elevate.as_ref());
    let done: Vec<&String> = done.collect();
    let text = in_order(&done, " ; ");
    let from = app.session.current();
    if perform(app, Action::Goto { revision: before }) {
        app.tell(Role::Hint, format!("Doing again what followed revision {id}, without it."));
        let redone = Redone { step: id, before, from, text };
        if strategies::run(app, &redone.text, Path::root()) {
            app.redone = Some(redone);
        } else {
            let told = not_redone(app, &redone);
            app.tell(Role::Hint, told);
        }
    }
}

/// A strategy has come to its end: what it did again, if that.
pub fn redone(app: &mut App, action: &Action) -> Option<Redone> {
    app.redone.take_if(|redone| matches!(action, Action::Strategy { text, .. } if *text == redone.text))
}

/// What followed a step could not be done again: the present state is that which was there before, and this is said.
pub fn not_redone(app: &mut App, Redone { step, before, from, .. }: &Redone) -> String {
    let told = format!("What followed revision {step} was not done again without it");
    // Who went elsewhere meanwhile stays there.
    match app.session.current() == *before && perform(app, Action::Goto { revision: *from }) {
        true => format!("{told}; revision {from} is the present state, as before."),
        false => format!("{told}."),
    }
}

/// Goes to the fastest of the states that were measured, says which others may be as fast, and shows the steps that lead there.
pub fn fastest(app: &mut App) {
    let ranked = history::ranked(app.session.history(), app.session.sizes());
    let Some(((best, price), others)) = ranked.split_first() else { return };
    let (best, measured) = (*best, price.measured);
    let as_fast = others.iter().filter(|(_, other)| !price.is_apart(*other));
    let (same_code, as_fast): (Vec<_>, Vec<_>) =
        as_fast.partition(|(_, other)| other.measured.is_of_same_code(measured));
    let listed = |states: &[&(RevisionId, Price<'_>)]| -> String {
        states.iter().map(|(id, _)| id.to_string()).collect::<Vec<_>>().join(", ")
    };
    let sizes: String = measured.sizes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let which = match ranked.len() {
        1 => "the only one that was".to_owned(),
        all => format!("the fastest of {all} that were"),
    };
    let (device, time) = (&measured.device, figures::time(measured.median_ns));
    let at = if sizes.is_empty() { "" } else { " at" };
    let mut text = format!("Revision {best} is {which} measured on {device}{at}{sizes}: {time}.");
    if !same_code.is_empty() {
        text += &format!(" The code is the same as that of {}.", listed(&same_code));
    }
    if !as_fast.is_empty() {
        text += &format!(" These times do not tell it from {}.", listed(&as_fast));
    }
    let here = |told: &&ToldApart| told.device == measured.device && told.sizes == measured.sizes;
    for (id, _) in &as_fast {
        // What was found out last counts.
        let told =
            app.told_apart.iter().filter(here).rfind(|told| {
                [(told.faster, told.slower), (told.slower, told.faster)].contains(&(best, *id))
            });
        text += &match told {
            Some(told) => format!(" In turns, {} was faster than {}.", told.faster, told.slower),
            None => continue,
        };
    }
    let doubtful = ranked.iter().filter_map(|(id, price)| Some((id, history::contradiction(*price)?)));
    text += &doubtful.map(|(id, also)| format!(" Revision {id} {also}.")).collect::<String>();
    if best != app.session.current() && !perform(app, Action::Goto { revision: best }) {
        return;
    }
    app.tell(Role::Good, text);
    let history = app.session.history();
    let looked = Looked { pinned: app.pinned, sizes: Some(app.session.sizes()), ..Looked::default() };
    let way = history::way(history, best, looked, alphabet(app));
    let title = format!("The way to revision {best}");
    app.popups.push(Popup::Page(Page::sentences(title, way, 6)));
}

/// Shows the steps that led to a revision, one by one.
pub(in crate::ui) fn trail(app: &mut App, revision: RevisionId) {
    trail_from(app, revision, 0);
}

fn trail_from(app: &mut App, revision: RevisionId, at: usize) {
    let steps = app.session.history().revision(revision).map_or(0, |r| r.steps.len());
    if steps == 0 {
        app.say(Role::Warning, format!("No single steps are recorded for revision {revision}."));
        return;
    }
    app.trail = Some(Trail { revision, at });
    show_trail(app);
}

pub(in crate::ui) fn step_trail(app: &mut App, by: isize) {
    if let Some(trail) = &mut app.trail {
        let steps = app.session.history().revision(trail.revision).map_or(0, |r| r.steps.len());
        let to = trail.at.saturating_add_signed(by).min(steps.saturating_sub(1));
        if to == std::mem::replace(&mut trail.at, to) {
            let which = if by > 0 { "last" } else { "first" };
            app.say(Role::Hint, format!("This is the {which} step."));
        }
    }
    show_trail(app);
}

/// Shows the step of the way that is looked at.
pub(in crate::ui) fn show_trail(app: &mut App) {
    let Some(trail) = &app.trail else { return };
    let history = app.session.history();
    let Some(revision) = history.revision(trail.revision) else { return };
    let Some(step) = revision.steps.get(trail.at) else { return };
    let parent = history.parent(trail.revision).and_then(|id| history.revision(id));
    let before = match trail.at.checked_sub(1).and_then(|i| revision.steps.get(i)) {
        Some(previous) => Some(&previous.after),
        None => parent.map(|r| &r.term),
    };
    let Some(before) = before else { return };
    let (number, of) = (trail.at + 1, revision.steps.len());
    let title = format!("revision {}: step {number} of {of}, {step}", trail.revision);
    let lines = compared::at_once(app, before, &step.after, Some(3));
    let page = Page::difference(title, lines, Purpose::Trail);
    close_pages(app, &Purpose::Trail);
    app.popups.push(Popup::Page(page));
}

/// Goes to the highlighted state; a rewrite on the way to one is shown.
pub fn open(app: &mut App) {
    match highlighted_row(app).map(|row| (row.revision, row.part)) {
        Some((revision, Part::Rewrite(at))) => trail_from(app, revision, at),
        Some((revision, _)) => {
            perform(app, Action::Goto { revision });
        }
        None => {}
    }
}

/// Shows the steps that led to the highlighted state; of steps in one row, each gets its own.
pub fn preview(app: &mut App) {
    match highlighted_row(app).map(|row| (row.revision, row.part)) {
        Some((revision, Part::Rewrite(at))) => trail_from(app, revision, at),
        Some((_, Part::Steps { .. })) => fold(app),
        Some((revision, Part::State)) => trail(app, revision),
        None => {}
    }
}
